/* Chang's linearly implicit Newmark method. docs/theory/integrators.md, eq. (14)-(15).
 *
 *     (M + h/2 C + h^2/4 K) (u1 - u) = M (h v + h^2/2 a) + h^2/2 C v
 *     (M + h/2 C) a1 = p(u1, v + h/2 a),   v1 = v + h/2 (a + a1)
 *
 * Nonlinear systems: the force is taken at v + h a and h/2 C a put back, so that nonlinear damping does not cost the
 * order; for linear damping the two are the same. Explicit in the displacement command, spectrum of the average
 * acceleration method. Order 2. With velocity: predicted the second line becomes M a1 = p(u1, v + h a), as when damping
 * forces are measured; that limits stability. Nonlinear problems: jacobian: current takes K and C at the start of every
 * step. Units: N, m, s; h = step. */
#include "integrator/step.h"

#include <string.h>

struct chang {
    YK_STEP; /* the state is (u, v, a); D = M + h/2 C + h^2/4 K */
    int velocity, jacobian;
    double *u1, *w, *rhs;
    struct yk_factor *E; /* M + h/2 C, or M with the predicted velocity */
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct chang *s = self;
    const size_t n = system->n;

    yk_step_layout(&s->state, mem, n, 3, (double **[]){&s->u, &s->v, &s->a});
    yk_arena_each(mem, n, 3, (double **[]){&s->u1, &s->w, &s->rhs});
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct chang *s = self;
    const struct yk_matrix *MCK[] = {&system->M, &system->C, &system->K};
    enum yk_status st;

    if (!yk_tangent_varies(system))
        s->jacobian = 0;
    st = yk_factor_sum(&s->E, 2, (double[]){1, s->velocity == 1 ? 0 : dt / 2}, MCK, mem, err);
    return st ? st
              : yk_step_init_tangent(self, system, dt, (double[]){1, dt / 2, dt * dt / 4}, s->jacobian == 1, mem, err);
}

static void fini(void *self)
{
    struct chang *s = self;

    yk_factor_destroy(s->E);
    yk_step_fini(self);
}

/* D with the tangents at the start of the step; adds h^2/2 C v to the right-hand side and solves. */
YK_RT static void solve_refreshed(struct chang *s)
{
    const double h = s->h;

    yk_tangent_take(&s->tangent, s->system, s->u, s->v);
    yk_tangent_add_damping(&s->tangent, h * h / 2, s->v, s->rhs);
    yk_tangent_factor(&s->tangent, 1, h / 2, h * h / 4);
    yk_tangent_solve(&s->tangent, s->rhs);
}

/* eq. (14) */
YK_RT static void target(void *self, int stage, struct yk_kinematics *want)
{
    struct chang *s = self;
    const size_t n = s->system->n;
    const double h = s->h;

    memset(s->rhs, 0, n * sizeof *s->rhs);
    for (size_t i = 0; i < n; i++)
        s->w[i] = h * s->v[i] + 0.5 * h * h * s->a[i];
    yk_matrix_add_product(&s->system->M, 1, s->w, s->rhs);
    if (s->jacobian == 1) {
        solve_refreshed(s);
    } else {
        yk_matrix_add_product(&s->system->C, 0.5 * h * h, s->v, s->rhs);
        yk_factor_solve(s->D, s->rhs);
    }
    for (size_t i = 0; i < n; i++) {
        s->u1[i] = s->u[i] + s->rhs[i];
        s->w[i] = s->v[i] + (s->system->linear && s->velocity == 0 ? 0.5 * h : h) * s->a[i];
    }
    *want = (struct yk_kinematics){.c = 1, .u = s->u1, .v = s->w};
}

/* eq. (15) */
YK_RT static enum yk_status absorb(void *self, int stage, const double *p)
{
    struct chang *s = self;
    const size_t n = s->system->n;

    memcpy(s->rhs, p, n * sizeof *p);
    if (!s->system->linear && s->velocity == 0)
        yk_matrix_add_product(&s->system->C, 0.5 * s->h, s->a, s->rhs);
    yk_factor_solve(s->E, s->rhs);
    for (size_t i = 0; i < n; i++) {
        s->u[i] = s->u1[i];
        s->v[i] += 0.5 * s->h * (s->a[i] + s->rhs[i]);
        s->a[i] = s->rhs[i];
    }
    return YK_OK;
}

/* eq. (27) before a1 is absorbed: the cubic from (u, v) to (u1, v + h a) */
YK_RT static void dense(void *self, int stage, double xi, double *u, double *v, double *a)
{
    struct chang *s = self;
    const double h = s->h, t = xi * h;

    for (size_t i = 0; i < s->system->n; i++) {
        const double off = s->u1[i] - s->u[i] - h * s->v[i] - 0.5 * h * h * s->a[i]; /* from constant acceleration */
        const double q2 = 0.5 * s->a[i] + 3 * off / (h * h), q3 = -2 * off / (h * h * h);

        u[i] = s->u[i] + t * (s->v[i] + t * (q2 + t * q3));
        v[i] = s->v[i] + t * (2 * q2 + t * 3 * q3);
        if (a)
            a[i] = 2 * q2 + 6 * q3 * t;
    }
}

static const struct yk_param params[] = {
    YK_CHOICE(struct chang, velocity, "corrected|predicted", 0,
              "velocity at which the force is evaluated: that of the solution, or v + h a"),
    YK_CHOICE(struct chang, jacobian, "initial|current", 0, "tangents in the displacement formula"),
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_chang = {
    .name = "chang",
    .summary = "Chang: explicit displacement, spectrum of the average acceleration method",
    .reference = "Chang 2002",
    .order = 2,
    .stages = 1,
    .caps = YK_INTEG_CONDITIONAL | YK_INTEG_NEEDS_K0,
    .params = params,
    .size = sizeof(struct chang),
    .layout = layout,
    .init = init,
    .fini = fini,
    .start = yk_step_start,
    .target = target,
    .absorb = absorb,
    .dense = dense,
    YK_STEP_FUNCTIONS,
};
