/* CR method. docs/theory/integrators.md, eq. (16).
 *
 *     w = 4 (4 M + 2h C + h^2 K)^-1 M a,   v1 = v + h w,   u1 = u + h v + h^2 w,   M a1 = p(u1, v1)
 *
 * Displacement and velocity commands are both explicit; spectrum of the average acceleration method. The eigenvalues
 * are second order, but the displacement history is first order unless a and v start at zero. Since M a is the last net
 * force, no product with M is needed. Units: N, m, s; h = step. */
#include "integrator/step.h"

#include <string.h>

struct cr {
    YK_STEP; /* the state is (u, v) */
    double *w;
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct cr *s = self;
    const size_t n = system->n;

    yk_step_layout(&s->state, mem, n, 2, (double **[]){&s->u, &s->v});
    yk_arena_each(mem, n, 3, (double **[]){&s->p, &s->a, &s->w});
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    return yk_step_init_tangent(self, system, dt, (double[]){1, dt / 2, dt * dt / 4}, false, mem, err);
}

YK_RT static void target(void *self, int stage, struct yk_kinematics *want)
{
    struct cr *s = self;
    const size_t n = s->system->n;
    const double h = s->h;

    memcpy(s->w, s->p, n * sizeof *s->w);
    yk_factor_solve(s->D, s->w);
    for (size_t i = 0; i < n; i++) {
        s->u[i] += h * s->v[i] + h * h * s->w[i];
        s->v[i] += h * s->w[i];
    }
    *want = (struct yk_kinematics){.c = 1, .u = s->u, .v = s->v};
}

YK_RT static enum yk_status absorb(void *self, int stage, const double *p)
{
    yk_step_resume(self, p);
    return YK_OK;
}

const struct yk_integrator_ops yk_integrator_cr = {
    .name = "cr",
    .summary = "CR: explicit displacement and velocity, unconditionally stable for linear systems",
    .reference = "Chen & Ricles 2008",
    .order = 1,
    .stages = 1,
    .caps = YK_INTEG_NEEDS_K0,
    .size = sizeof(struct cr),
    .layout = layout,
    .init = init,
    .fini = yk_step_fini,
    .start = yk_step_start,
    .target = target,
    .absorb = absorb,
    .resume = yk_step_resume,
    YK_STEP_FUNCTIONS,
};
