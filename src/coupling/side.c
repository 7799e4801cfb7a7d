/* One side of a coupling: evaluation, its trace on the interface, and the multiplier. Units: N, m, s. */
#include <yoke/coupling.h>

#include <math.h>
#include <string.h>

YK_RT void yk_side_evaluate(struct yk_side *side, double t, const double *u, const double *v)
{
    side->loading.at(side->loading.self, t, side->f);
    yk_system_force(side->system, t, side->f, u, v, side->p);
    yk_side_mobility(side, u);
}

YK_RT static void no_load(void *self, double t, double *f)
{
    const struct yk_side *side = self;

    memset(f, 0, side->n * sizeof *f);
}

void yk_side_unload(struct yk_side *side)
{
    side->loading = (struct yk_loading){no_load, side};
}

YK_RT void yk_side_mobility(struct yk_side *side, const double *u)
{
    struct yk_system *s = side->system;
    const size_t n = side->n, rows = side->Gt.cols;

    if (!s->mass_divided_out)
        return;
    s->ops->mobility(s->self, u, rows, side->reach + n * rows, side->reach);
    memset(side->H, 0, rows * rows * sizeof *side->H);
    for (size_t j = 0; j < rows; j++)
        yk_matrix_add_transposed_product(&side->MiGt, 1, side->reach + j * n, side->H + j * rows);
}

YK_RT void yk_side_commit(struct yk_side *side, double t, const double *u, const double *v)
{
    if (side->system->ops->commit)
        side->system->ops->commit(side->system->self, t, u, v);
}

YK_RT void yk_side_follow(struct yk_side *side, long i, int chains)
{
    if (side->system->ops->follow)
        side->system->ops->follow(side->system->self, (int)(i % chains));
}

YK_RT void yk_side_trace(const struct yk_side *side, size_t rows, struct yk_trace *trace)
{
    memset(trace->q, 0, rows * sizeof *trace->q);
    yk_matrix_add_transposed_product(&side->MiGt, 1, side->p, trace->q);
    if (trace->H)
        memcpy(trace->H, side->H, rows * rows * sizeof *trace->H);
}

YK_RT void yk_side_load_trace(const struct yk_side *side, size_t rows, double t, double *f, double *q)
{
    if (side->loading.self == side->loads) {
        yk_load_set_at(side->loads_trace, t, q);
        return;
    }
    side->loading.at(side->loading.self, t, f);
    memset(q, 0, rows * sizeof *q);
    yk_matrix_add_transposed_product(&side->MiGt, 1, f, q);
}

YK_RT void yk_side_gap(const struct yk_side *side, double scale, const double *x, double *y)
{
    yk_matrix_add_transposed_product(&side->Gt, scale, x, y);
}

YK_RT void yk_side_push(const struct yk_side *side, size_t rows, double scale, const double *lambda, double *y)
{
    const struct yk_matrix reach = {.form = YK_DENSE, .rows = side->n, .cols = rows, .x = side->reach};

    yk_matrix_add_product(side->reach ? &reach : &side->Gt, scale, lambda, y);
}

YK_RT void yk_side_kick(const struct yk_side *side, size_t rows, double scale, const double *impulse, double *v)
{
    if (!side->reach) {
        yk_matrix_add_product(&side->MiGt, scale, impulse, v);
        return;
    }
    double *dv = side->reach + 2 * rows * side->n;

    memset(dv, 0, side->n * sizeof *dv);
    yk_side_push(side, rows, scale, impulse, dv);
    yk_factor_solve(side->M, dv); /* of the parts whose mass is not divided out */
    for (size_t i = 0; i < side->n; i++)
        v[i] += dv[i];
}

/* x := A^-1 x by Gauss elimination with pivoting; A (n x n) is destroyed. Interfaces are small. */
YK_RT static void solve_small(size_t n, double *A, double *x)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;

        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i + k * n]) > fabs(A[pivot + k * n]))
                pivot = i;
        for (size_t j = k; j < n && pivot != k; j++) {
            const double swap = A[k + j * n];

            A[k + j * n] = A[pivot + j * n];
            A[pivot + j * n] = swap;
        }
        const double swap = x[k];
        x[k] = x[pivot];
        x[pivot] = swap;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = A[i + k * n] / A[k + k * n];

            for (size_t j = k; j < n; j++)
                A[i + j * n] -= factor * A[k + j * n];
            x[i] -= factor * x[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++)
            x[k] -= A[k + j * n] * x[j];
        x[k] /= A[k + k * n];
    }
}

YK_RT void yk_multiplier(const struct yk_coupled *c, const struct yk_trace *a, const struct yk_trace *b, double *work,
                         double *lambda)
{
    const size_t rows = c->rows;
    double *sum = work, *H = work + rows;

    for (size_t i = 0; i < rows; i++)
        sum[i] = -(a->q[i] + b->q[i]);
    if (!c->varying_mass) {
        memset(lambda, 0, rows * sizeof *lambda);
        yk_matrix_add_product(&(struct yk_matrix){.form = YK_DENSE, .rows = rows, .cols = rows, .x = c->Hinv}, 1, sum,
                              lambda);
        return;
    }
    for (size_t i = 0; i < rows * rows; i++)
        H[i] = a->H[i] + b->H[i];
    solve_small(rows, H, sum);
    memcpy(lambda, sum, rows * sizeof *lambda);
}
