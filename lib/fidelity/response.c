/* Motion of a linear model with forces, and perhaps a nonlinear system, on a few of its degrees of freedom.
 * Newmark's rule, beta = 1/4, gamma = 1/2; docs/theory/reduction.md, eq. (14)-(17).
 *
 *   A a = E g - C (v + h/2 a_n) - K (u + h v + h^2/4 a_n),   A = M + h/2 C + h^2/4 K
 *
 * g is the force on the loaded degrees of freedom: the load, or that of the attached system, which depends on the
 * motion of these alone. With Z = A^-1 E formed once, a = a_free + Z g, and Newton's method runs on a few unknowns
 * however large the model is. */
#include <yoke/arena.h>
#include <yoke/fidelity.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 50 };
#define CONVERGED 1e-12 /* relative change of the accelerations */

struct march {
    const struct yk_linear_model *model;
    const struct yk_forced *r;
    size_t n, m;                                                    /* degrees of freedom: all, loaded */
    double *Z, *u, *v, *a;                                          /* n x m, n */
    double *f, *g, *u_free, *v_free, *a_free, *ub, *vb, *ab, *step; /* m */
    double *K, *C;                                                  /* tangents of the attached system, m x m */
    struct yk_lu J;
};

static void layout(struct march *s, struct yk_arena *mem)
{
    double **const vectors[] = {&s->f, &s->g, &s->u_free, &s->v_free, &s->a_free, &s->ub, &s->vb, &s->ab, &s->step};

    yk_arena_array(mem, &s->Z, s->n * s->m);
    yk_arena_array(mem, &s->u, s->n);
    yk_arena_array(mem, &s->v, s->n);
    yk_arena_array(mem, &s->a, s->n);
    yk_arena_each(mem, s->m, sizeof vectors / sizeof *vectors, vectors);
    yk_arena_array(mem, &s->K, s->m * s->m);
    yk_arena_array(mem, &s->C, s->m * s->m);
    yk_lu_layout(&s->J, s->m, mem);
}

/* Row i, column k of Z at the loaded degrees of freedom. */
static double mobility(const struct march *s, size_t i, size_t k)
{
    return s->Z[s->r->dofs[i] + k * s->n];
}

/* g = p(t, u, v) - M ab of the attached system with u = u_free + b ab, v = v_free + c ab; and J = I + Z (M + c C + b
 * K). */
static void attached_force(struct march *s, double t, double c, double b)
{
    struct yk_system *sys = s->r->attached;
    const size_t m = s->m;

    for (size_t k = 0; k < m; k++) {
        s->ub[k] = s->u_free[k] + b * s->ab[k];
        s->vb[k] = s->v_free[k] + c * s->ab[k];
    }
    yk_system_force(sys, t, s->f, s->ub, s->vb, s->g);
    yk_matrix_add_product(&sys->M, -1, s->ab, s->g);
    sys->ops->tangent(sys->self, s->ub, s->vb, s->K, s->C);
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++) {
            s->J.a[i + j * m] = i == j;
            for (size_t k = 0; k < m; k++)
                s->J.a[i + j * m] +=
                    mobility(s, i, k) * (yk_matrix_get(&sys->M, k, j) + c * s->C[k + j * m] + b * s->K[k + j * m]);
        }
}

/* Newton's method for ab = a_free + Z g(ab). */
static enum yk_status solve_attached(struct march *s, double t, double c, double b)
{
    const size_t m = s->m;

    memcpy(s->ab, s->a_free, m * sizeof *s->ab);
    for (int round = 0; round < ROUNDS; round++) {
        double change = 0, size = 0;

        attached_force(s, t, c, b);
        for (size_t i = 0; i < m; i++) {
            s->step[i] = s->a_free[i] - s->ab[i];
            for (size_t k = 0; k < m; k++)
                s->step[i] += mobility(s, i, k) * s->g[k];
        }
        if (yk_lu_factor(&s->J))
            return YK_E_DIVERGED;
        yk_lu_solve(&s->J, s->step);
        for (size_t k = 0; k < m; k++) {
            s->ab[k] += s->step[k];
            change = fmax(change, fabs(s->step[k]));
            size = fmax(size, fabs(s->ab[k]));
        }
        if (!isfinite(change))
            return YK_E_DIVERGED;
        if (change <= CONVERGED * size)
            return YK_OK;
    }
    return YK_E_DIVERGED;
}

/* a := A^-1 (a - C v - K u) + Z g with what the predictors u and v hold; then the corrections c a and b a. */
static enum yk_status solve_step(struct march *s, struct yk_ldlt *A, double t, double c, double b)
{
    enum yk_status st;

    memset(s->a, 0, s->n * sizeof *s->a);
    yk_matrix_add_product(s->model->K, -1, s->u, s->a);
    if (s->model->C)
        yk_matrix_add_product(s->model->C, -1, s->v, s->a);
    if ((st = yk_ldlt_solve(A, 1, s->a)))
        return st;
    memset(s->f, 0, s->m * sizeof *s->f);
    if (s->r->force)
        s->r->force(s->r->self, t, s->f);
    for (size_t k = 0; k < s->m; k++) {
        s->u_free[k] = s->u[s->r->dofs[k]];
        s->v_free[k] = s->v[s->r->dofs[k]];
        s->a_free[k] = s->a[s->r->dofs[k]];
        s->g[k] = s->f[k];
    }
    if (s->r->attached && (st = solve_attached(s, t, c, b)))
        return st;
    for (size_t k = 0; k < s->m; k++)
        for (size_t i = 0; i < s->n; i++)
            s->a[i] += s->Z[i + k * s->n] * s->g[k];
    for (size_t i = 0; i < s->n; i++) {
        s->u[i] += b * s->a[i];
        s->v[i] += c * s->a[i];
    }
    if (s->r->attached && s->r->attached->ops->commit)
        s->r->attached->ops->commit(s->r->attached->self, t, s->ub, s->vb);
    return YK_OK;
}

/* Z = A^-1 E */
static enum yk_status unit_solutions(struct march *s, struct yk_ldlt *A)
{
    memset(s->Z, 0, s->n * s->m * sizeof *s->Z);
    for (size_t k = 0; k < s->m; k++)
        s->Z[s->r->dofs[k] + k * s->n] = 1;
    return yk_ldlt_solve(A, s->m, s->Z);
}

/* The accelerations at the start, from M. */
static enum yk_status start(struct march *s, struct yk_err *err)
{
    struct yk_ldlt *mass = NULL;
    enum yk_status st = yk_ldlt_create(&mass, s->model->M, err);

    if (st)
        return yk_fail_within(err, YK_NOWHERE, "mass: ");
    if (s->r->attached && s->r->attached->ops->rest)
        s->r->attached->ops->rest(s->r->attached->self, s->u_free);
    if ((st = unit_solutions(s, mass)) || (st = solve_step(s, mass, 0, 0, 0)))
        yk_fail(err, st, "response: the accelerations at the start cannot be found");
    yk_ldlt_destroy(mass);
    return st;
}

static void keep(const struct march *s, long step, double *u)
{
    for (size_t k = 0; k < s->m; k++)
        u[(size_t)step * s->m + k] = s->u[s->r->dofs[k]];
}

static enum yk_status march(struct march *s, double *u, struct yk_err *err)
{
    const double h = s->r->dt;
    const long steps = lround(s->r->end / h);
    struct yk_ldlt *A = NULL;
    enum yk_status st = start(s, err);

    if (st)
        return st;
    if ((st = yk_ldlt_sum(&A, s->model->C ? 3 : 2, (double[]){1, h * h / 4, h / 2},
                          (const struct yk_matrix *[]){s->model->M, s->model->K, s->model->C}, err)))
        return st;
    st = unit_solutions(s, A);
    keep(s, 0, u);
    for (long k = 1; k <= steps && !st; k++) {
        for (size_t i = 0; i < s->n; i++) {
            s->u[i] += h * s->v[i] + h * h / 4 * s->a[i];
            s->v[i] += h / 2 * s->a[i];
        }
        st = solve_step(s, A, (double)k * h, h / 2, h * h / 4);
        keep(s, k, u);
        if (k % 10 == 0)
            yk_progress_tell(&s->r->progress, "response", (double)k / (double)steps);
    }
    yk_ldlt_destroy(A);
    return st ? yk_fail(err, st, "response: the motion diverged") : YK_OK;
}

enum yk_status yk_forced_run(const struct yk_linear_model *model, const struct yk_forced *response, double *u,
                             struct yk_err *err)
{
    struct march s = {.model = model, .r = response, .n = model->K->rows, .m = response->count};
    struct yk_arena mem = {0};
    enum yk_status st = YK_OK;

    if (response->attached && response->attached->n != s.m)
        return yk_fail(err, YK_E_INPUT, "response: the attached system has %zu degrees of freedom, the interface %zu",
                       response->attached->n, s.m);
    layout(&s, &mem);
    if (!(st = yk_arena_check(&mem, err)))
        st = march(&s, u, err);
    yk_arena_free(&mem);
    return st;
}
