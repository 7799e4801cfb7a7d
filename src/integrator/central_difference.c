/* Central difference method. docs/theory/integrators.md, eq. (12)-(13).
 *
 *     D u[k+2] = p[k+1] + C w + 2 M u[k+1]/h^2 - (M/h^2 - C/(2h)) u[k],   D = M/h^2 + C/(2h)
 *
 * The next displacement is always known one step ahead, so the force of a step is taken at its end. w is the velocity
 * the force was taken at, the one-sided difference: linear damping then drops out of p and is solved for implicitly,
 * nonlinear damping is linearised about w. Order 2, no dissipation, stable for h omega <= 2. Units: N, m, s; h = step.
 */
#include "integrator/step.h"

#include <string.h>

struct central_difference {
    YK_STEP;      /* the state is (next, u); v and a are outputs at t[k] */
    double *next; /* u[k+1] */
    double *w;    /* velocity of the force evaluation */
    double *rhs;
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct central_difference *s = self;
    const size_t n = system->n;

    yk_step_layout(&s->state, mem, n, 2, (double **[]){&s->next, &s->u});
    yk_arena_each(mem, n, 4, (double **[]){&s->v, &s->a, &s->w, &s->rhs});
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct central_difference *s = self;
    enum yk_status st;

    st = yk_factor_sum(&s->D, 2, (double[]){1 / (dt * dt), 1 / (2 * dt)},
                       (const struct yk_matrix *[]){&system->M, &system->C}, mem, err);
    return st ? st : yk_step_init(self, system, dt, mem, err);
}

/* eq. (13): u[1] = u[0] + h v[0] + h^2/2 a[0] */
YK_RT static void start(void *self, const double *u, const double *v, const double *p)
{
    struct central_difference *s = self;
    const size_t n = s->system->n;

    yk_step_start(self, u, v, p);
    for (size_t i = 0; i < n; i++)
        s->next[i] = u[i] + s->h * v[i] + 0.5 * s->h * s->h * s->a[i];
}

YK_RT static void target(void *self, int stage, struct yk_kinematics *want)
{
    struct central_difference *s = self;

    for (size_t i = 0; i < s->system->n; i++)
        s->w[i] = (s->next[i] - s->u[i]) / s->h;
    *want = (struct yk_kinematics){.c = 1, .u = s->next, .v = s->w};
}

/* eq. (12), the products with C and those with M put together; v and a serve as work vectors until the end */
YK_RT static enum yk_status absorb(void *self, int stage, const double *p)
{
    struct central_difference *s = self;
    const size_t n = s->system->n;
    const double h = s->h;

    for (size_t i = 0; i < n; i++) {
        s->rhs[i] = p[i];
        s->v[i] = s->w[i] + s->u[i] / (2 * h);
        s->a[i] = (2 * s->next[i] - s->u[i]) / (h * h);
    }
    yk_matrix_add_product(&s->system->C, 1, s->v, s->rhs);
    yk_matrix_add_product(&s->system->M, 1, s->a, s->rhs);
    yk_factor_solve(s->D, s->rhs);
    for (size_t i = 0; i < n; i++) {
        s->v[i] = (s->rhs[i] - s->u[i]) / (2 * h);
        s->a[i] = (s->rhs[i] - 2 * s->next[i] + s->u[i]) / (h * h);
        s->u[i] = s->next[i];
        s->next[i] = s->rhs[i];
    }
    return YK_OK;
}

const struct yk_integrator_ops yk_integrator_central_difference = {
    .name = "central-difference",
    .summary = "central differences: explicit, the displacement is known one step ahead",
    .reference = "Dokainish & Subbaraj 1989",
    .order = 2,
    .stages = 1,
    .caps = YK_INTEG_CONDITIONAL,
    .size = sizeof(struct central_difference),
    .layout = layout,
    .init = init,
    .fini = yk_step_fini,
    .start = start,
    .target = target,
    .absorb = absorb,
    YK_STEP_FUNCTIONS,
};
