/* CR method. docs/theory/integrators.md, eq. (16).
 *
 *     w = 4 (4 M + 2h C + h^2 K)^-1 M a,   v1 = v + h w,   u1 = u + h v + h^2 w,   M a1 = p(u1, v1)
 *
 * Displacement and velocity commands are both explicit; spectrum of the average acceleration method. The eigenvalues
 * are second order, but the displacement history is first order unless a and v start at zero. Since M a is the last net
 * force, no product with M is needed. Units: N, m, s; h = step. */
#include <yoke/integrator.h>

#include "integrator/state.h"
#include "integrator/tangent.h"

#include <string.h>

struct cr {
    struct yk_system *system;
    double h;
    struct yk_span state;
    double *u, *v; /* state */
    double *p;     /* net force at (u, v) */
    double *a, *w;
    struct yk_factor *D, *M;
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct cr *s = self;
    const size_t n = system->n;

    s->state = yk_state_layout(mem, n, 2, (double **[]){&s->u, &s->v});
    yk_arena_each(mem, n, 3, (double **[]){&s->p, &s->a, &s->w});
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct cr *s = self;
    enum yk_status st;

    s->system = system;
    s->h = dt;
    st = yk_system_factor(&s->D, system, 1, dt / 2, dt * dt / 4, mem, err);
    return st ? st : yk_factor_create(&s->M, &system->M, mem, err);
}

static void fini(void *self)
{
    struct cr *s = self;

    yk_factor_destroy(s->D);
    yk_factor_destroy(s->M);
}

YK_RT static enum yk_status absorb(void *self, int stage, const double *p)
{
    struct cr *s = self;
    const size_t bytes = s->system->n * sizeof(double);

    memcpy(s->p, p, bytes);
    memcpy(s->a, p, bytes);
    yk_factor_solve(s->M, s->a);
    return YK_OK;
}

YK_RT static void start(void *self, const double *u, const double *v, const double *p)
{
    struct cr *s = self;
    const size_t bytes = s->system->n * sizeof(double);

    memcpy(s->u, u, bytes);
    memcpy(s->v, v, bytes);
    absorb(self, 0, p);
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

YK_RT static void now(void *self, struct yk_kinematics *reached)
{
    struct cr *s = self;

    *reached = (struct yk_kinematics){.c = 1, .u = s->u, .v = s->v, .a = s->a};
}

YK_RT static void resume(void *self, const double *p)
{
    absorb(self, 0, p);
}

static struct yk_span state(void *self)
{
    return ((struct cr *)self)->state;
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
    .fini = fini,
    .start = start,
    .target = target,
    .absorb = absorb,
    .now = now,
    .state = state,
    .resume = resume,
};
