/* KR-alpha: explicit displacement and velocity with controlled dissipation. docs/theory/integrators.md, eq. (17).
 *
 * With A = M + gamma h C + beta h^2 K and y = A^-1 M a the published matrices become
 *
 *     v1 = v + h y,   u1 = u + h v + (1/2 + gamma) h^2 y
 *     [(1 - af) A + (af - am) M] y1 = (1 - af) p1 + af p0 - [af A + (am - af) M] y,   a = M^-1 A y
 *
 * which is sparse where M, C and K are. Spectral radius rho_inf at infinite frequency; unconditionally stable for
 * linear systems. Units: N, m, s; h = step. */
#include <yoke/integrator.h>

#include <string.h>

struct kr_alpha {
    double rho_inf;
    struct yk_system *system;
    double h, gamma, af;
    struct yk_span state;
    double *u, *v, *y, *p; /* state; p: net force at (u, v) */
    double *a, *rhs;
    struct yk_matrix A, G; /* G = af A + (am - af) M */
    struct yk_factor *Afactor, *E, *M;
};

static void layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct kr_alpha *s = self;
    const size_t n = system->n;
    double *state = yk_arena_doubles(mem, 4 * n);

    s->state = (struct yk_span){state, 4 * n};
    s->u = state;
    s->v = state ? state + n : NULL;
    s->y = state ? state + 2 * n : NULL;
    s->p = state ? state + 3 * n : NULL;
    s->a = yk_arena_doubles(mem, n);
    s->rhs = yk_arena_doubles(mem, n);
}

static enum yk_status init(void *self, struct yk_system *system, double dt, struct yk_err *err)
{
    struct kr_alpha *s = self;
    const double r = s->rho_inf, am = (2 * r - 1) / (1 + r), af = r / (1 + r);
    const double gamma = 0.5 - am + af, beta = (0.5 + gamma) * (0.5 + gamma) / 4;
    const struct yk_matrix *MCK[] = {&system->M, &system->C, &system->K}, *AM[] = {&s->A, &system->M};
    struct yk_matrix E = {0};
    enum yk_status st;

    s->system = system;
    s->h = dt;
    s->gamma = gamma;
    s->af = af;
    if (!(st = yk_matrix_combine(&s->A, 3, (double[]){1, gamma * dt, beta * dt * dt}, MCK, err)) &&
        !(st = yk_matrix_combine(&s->G, 2, (double[]){af, am - af}, AM, err)) &&
        !(st = yk_matrix_combine(&E, 2, (double[]){1 - af, af - am}, AM, err)) &&
        !(st = yk_factor_create(&s->Afactor, &s->A, err)) && !(st = yk_factor_create(&s->E, &E, err)))
        st = yk_factor_create(&s->M, &system->M, err);
    yk_matrix_fini(&E);
    return st;
}

static void fini(void *self)
{
    struct kr_alpha *s = self;

    yk_matrix_fini(&s->A);
    yk_matrix_fini(&s->G);
    yk_factor_destroy(s->Afactor);
    yk_factor_destroy(s->E);
    yk_factor_destroy(s->M);
}

YK_RT static void start(void *self, const double *u, const double *v, const double *p)
{
    struct kr_alpha *s = self;
    const size_t bytes = s->system->n * sizeof(double);

    memcpy(s->u, u, bytes);
    memcpy(s->v, v, bytes);
    memcpy(s->p, p, bytes);
    memcpy(s->y, p, bytes);
    memcpy(s->a, p, bytes);
    yk_factor_solve(s->Afactor, s->y);
    yk_factor_solve(s->M, s->a);
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

    for (size_t i = 0; i < n; i++)
        s->rhs[i] = (1 - s->af) * p[i] + s->af * s->p[i];
    yk_matrix_add_product(&s->G, -1, s->y, s->rhs);
    yk_factor_solve(s->E, s->rhs);
    memcpy(s->y, s->rhs, n * sizeof *s->y);
    memcpy(s->p, p, n * sizeof *p);
    memset(s->a, 0, n * sizeof *s->a);
    yk_matrix_add_product(&s->A, 1, s->y, s->a);
    yk_factor_solve(s->M, s->a);
    return YK_OK;
}

YK_RT static void now(void *self, struct yk_kinematics *reached)
{
    struct kr_alpha *s = self;

    *reached = (struct yk_kinematics){.c = 1, .u = s->u, .v = s->v, .a = s->a};
}

static struct yk_span state(void *self)
{
    return ((struct kr_alpha *)self)->state;
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
    .params = params,
    .size = sizeof(struct kr_alpha),
    .layout = layout,
    .init = init,
    .fini = fini,
    .start = start,
    .target = target,
    .absorb = absorb,
    .now = now,
    .state = state,
};
