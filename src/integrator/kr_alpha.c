/* KR-alpha: explicit displacement and velocity with controlled dissipation. docs/theory/integrators.md, eq. (17).
 *
 * With A = M + gamma h C + beta h^2 K and y = A^-1 M a the published matrices become
 *
 *     v1 = v + h y,   u1 = u + h v + (1/2 + gamma) h^2 y
 *     [(1 - af) A + (af - am) M] y1 = r,   r = (1 - af) p1 + af p0 - M [af a + (am - af) y]
 *     a1 = M^-1 A y1 = [M^-1 r - (af - am) y1] / (1 - af)
 *
 * which is sparse where M, C and K are and multiplies with M only. Spectral radius rho_inf at infinite frequency;
 * unconditionally stable for linear systems. Units: N, m, s; h = step. */
#include "integrator/step.h"

#include <string.h>

struct kr_alpha {
    YK_STEP; /* the state is (u, v, a); D = (1 - af) A + (af - am) M */
    double rho_inf, gamma, am, af;
    double *y; /* A^-1 M a */
    double *w, *rhs;
    struct yk_factor *A;
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct kr_alpha *s = self;
    const size_t n = system->n;

    yk_step_layout(&s->state, mem, n, 3, (double **[]){&s->u, &s->v, &s->a});
    yk_arena_each(mem, n, 4, (double **[]){&s->y, &s->p, &s->w, &s->rhs});
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct kr_alpha *s = self;
    const double r = s->rho_inf, am = (2 * r - 1) / (1 + r), af = r / (1 + r);
    const double gamma = 0.5 - am + af, beta = (0.5 + gamma) * (0.5 + gamma) / 4;
    const struct yk_matrix *MCK[] = {&system->M, &system->C, &system->K};
    struct yk_matrix A = {0}, E = {0};
    enum yk_status st;

    s->gamma = gamma;
    s->am = am;
    s->af = af;
    if (!(st = yk_matrix_combine(&A, 3, (double[]){1, gamma * dt, beta * dt * dt}, MCK, err)) &&
        !(st = yk_matrix_combine(&E, 2, (double[]){1 - af, af - am}, (const struct yk_matrix *[]){&A, &system->M},
                                 err)) &&
        !(st = yk_factor_create(&s->A, &A, mem, err)) && !(st = yk_factor_create(&s->D, &E, mem, err)))
        st = yk_step_init(self, system, dt, mem, err);
    yk_matrix_fini(&A);
    yk_matrix_fini(&E);
    return st;
}

static void fini(void *self)
{
    struct kr_alpha *s = self;

    yk_factor_destroy(s->A);
    yk_step_fini(self);
}

YK_RT static void start(void *self, const double *u, const double *v, const double *p)
{
    struct kr_alpha *s = self;

    yk_step_start(self, u, v, p);
    memcpy(s->y, p, s->system->n * sizeof *p);
    yk_factor_solve(s->A, s->y);
}

YK_RT static void target(void *self, int stage, struct yk_kinematics *want)
{
    struct kr_alpha *s = self;
    const double h = s->h;

    for (size_t i = 0; i < s->system->n; i++) {
        s->u[i] += h * s->v[i] + (0.5 + s->gamma) * h * h * s->y[i];
        s->v[i] += h * s->y[i];
    }
    *want = (struct yk_kinematics){.c = 1, .u = s->u, .v = s->v};
}

YK_RT static enum yk_status absorb(void *self, int stage, const double *p)
{
    struct kr_alpha *s = self;
    const size_t n = s->system->n;
    const double am = s->am, af = s->af;

    for (size_t i = 0; i < n; i++) {
        s->rhs[i] = (1 - af) * p[i] + af * s->p[i];
        s->w[i] = af * s->a[i] + (am - af) * s->y[i];
    }
    yk_matrix_add_product(&s->system->M, -1, s->w, s->rhs);
    memcpy(s->p, p, n * sizeof *p);
    memcpy(s->y, s->rhs, n * sizeof *s->y);
    yk_factor_solve(s->D, s->y);
    yk_factor_solve(s->M, s->rhs);
    for (size_t i = 0; i < n; i++)
        s->a[i] = (s->rhs[i] + (am - af) * s->y[i]) / (1 - af);
    return YK_OK;
}

YK_RT static void resume(void *self, const double *p)
{
    struct kr_alpha *s = self;
    const size_t n = s->system->n;

    memcpy(s->p, p, n * sizeof *p);
    memset(s->y, 0, n * sizeof *s->y);
    yk_matrix_add_product(&s->system->M, 1, s->a, s->y);
    yk_factor_solve(s->A, s->y);
}

static const struct yk_param params[] = {
    YK_REAL(struct kr_alpha, rho_inf, YK_NUMBER, 0.8, 0, 1, "spectral radius at infinite frequency"),
    YK_PARAM_END,
};

const struct yk_integrator_ops yk_integrator_kr_alpha = {
    .name = "kr-alpha",
    .summary = "KR-alpha: explicit displacement and velocity, dissipation set by rho_inf",
    .reference = "Kolay & Ricles 2014",
    .order = 1,
    .stages = 1,
    .caps = YK_INTEG_NEEDS_K0,
    .params = params,
    .size = sizeof(struct kr_alpha),
    .layout = layout,
    .init = init,
    .fini = fini,
    .start = start,
    .target = target,
    .absorb = absorb,
    .resume = resume,
    YK_STEP_FUNCTIONS,
};
