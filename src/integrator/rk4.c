/* Classical fourth-order Runge-Kutta method. docs/theory/integrators.md, eq. (29).
 * Explicit; order 4; stable for h omega <= 2.828 without damping. A cheap independent reference for smooth problems. */
#include "integrator/step.h"

#include <string.h>

struct rk4 {
    YK_STEP;             /* the state is (u, v) */
    double *ui, *vi;     /* state of the stage under way */
    double *du, *dv, *k; /* weighted sums of the slopes; last acceleration */
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct rk4 *s = self;
    const size_t n = system->n;

    yk_step_layout(&s->state, mem, n, 2, (double **[]){&s->u, &s->v});
    yk_arena_each(mem, n, 6, (double **[]){&s->a, &s->ui, &s->vi, &s->du, &s->dv, &s->k});
}

/* Takes slope (vi, k) with weight w/6, and goes to y + c h (vi, k). */
YK_RT static void advance(struct rk4 *s, const double *v, const double *k, double w, double c)
{
    const double h = s->h;

    for (size_t i = 0; i < s->system->n; i++) {
        const double slope_u = v[i], slope_v = k[i];

        s->du[i] += w / 6 * h * slope_u;
        s->dv[i] += w / 6 * h * slope_v;
        s->ui[i] = s->u[i] + c * h * slope_u;
        s->vi[i] = s->v[i] + c * h * slope_v;
    }
}

YK_RT static void target(void *self, int stage, struct yk_kinematics *want)
{
    static const double instant[] = {0.5, 0.5, 1, 1};
    struct rk4 *s = self;
    const size_t n = s->system->n;

    if (stage == 0) {
        memset(s->du, 0, n * sizeof *s->du);
        memset(s->dv, 0, n * sizeof *s->dv);
        advance(s, s->v, s->a, 1, 0.5);
    }
    *want = (struct yk_kinematics){.c = instant[stage], .u = s->ui, .v = s->vi};
}

YK_RT static enum yk_status absorb(void *self, int stage, const double *p)
{
    struct rk4 *s = self;
    const size_t n = s->system->n;

    if (stage == 3) { /* the force in the new state: slope of the next step */
        yk_step_start(self, s->ui, s->vi, p);
        return YK_OK;
    }
    memcpy(s->k, p, n * sizeof *p);
    yk_factor_solve(s->M, s->k);
    advance(s, s->vi, s->k, (double[]){2, 2, 1}[stage], (double[]){0.5, 1, 0}[stage]);
    if (stage == 2)
        for (size_t i = 0; i < n; i++) {
            s->ui[i] = s->u[i] + s->du[i];
            s->vi[i] = s->v[i] + s->dv[i];
        }
    return YK_OK;
}

const struct yk_integrator_ops yk_integrator_rk4 = {
    .name = "rk4",
    .summary = "classical Runge-Kutta: an explicit reference for smooth problems",
    .reference = "Kutta 1901",
    .order = 4,
    .stages = 4,
    .caps = YK_INTEG_CONDITIONAL | YK_INTEG_MODELS_ONLY,
    .size = sizeof(struct rk4),
    .layout = layout,
    .init = yk_step_init,
    .fini = yk_step_fini,
    .start = yk_step_start,
    .target = target,
    .absorb = absorb,
    .resume = yk_step_resume,
    YK_STEP_FUNCTIONS,
};
