/* A side with a driven interface. docs/theory/integrators.md, eq. (34)-(36). Units: N, m, s. */
#include "coupling/driven.h"

#include "coupling/tie.h"

#include <math.h>
#include <string.h>

void yk_driven_layout(struct yk_driven *d, const struct yk_side *side, size_t rows, struct yk_arena *mem)
{
    yk_lu_layout(&d->H, rows, mem);
    if (!side->system->mass_divided_out)
        yk_arena_array(mem, &d->Hinv, rows * rows);
    yk_arena_array(mem, &d->q, rows);
    yk_arena_array(mem, &d->share, rows);
    yk_arena_array(mem, &d->load, side->n);
    yk_arena_array(mem, &d->p, side->n);
    yk_arena_pointers(mem, &d->side, &d->lambda, &d->system.self);
}

/* A := Q A, dense n x n, column by column */
YK_RT static void freeze(struct yk_driven *d, double *A)
{
    const struct yk_side *side = d->side;

    for (size_t j = 0; j < side->n; j++, A += side->n) {
        memset(d->share, 0, d->rows * sizeof *d->share);
        yk_matrix_add_transposed_product(&side->MiGt, 1, A, d->share);
        yk_lu_solve(&d->H, d->share);
        yk_side_push(side, d->rows, -1, d->share, A);
    }
}

/* Tangents of the side under the load of the last evaluation, the multiplier included, with the acceleration frozen. */
YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct yk_driven *d = self;
    struct yk_system *s = d->side->system;

    if (s->mass_divided_out) { /* elsewhere a load does not enter the tangents */
        memcpy(d->load, d->side->f, s->n * sizeof *d->load);
        yk_matrix_add_product(&d->side->Gt, 1, d->lambda, d->load);
        yk_system_force(s, d->t, d->load, u, v, d->p);
    }
    s->ops->tangent(s->self, u, v, K, C);
    freeze(d, K);
    freeze(d, C);
}

static const struct yk_system_ops driven_ops = {.tangent = tangent};

/* Q A of an initial matrix. */
static enum yk_status frozen_copy(struct yk_driven *d, struct yk_matrix *to, const struct yk_matrix *from,
                                  struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(to, YK_DENSE, from->rows, from->cols, err);

    if (st)
        return st;
    yk_matrix_to_dense(from, to->x);
    freeze(d, to->x);
    return yk_matrix_compact(to, err);
}

/* Do the rows of the factored matrix depend on each other, to rounding? */
static bool dependent(const struct yk_lu *lu)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < lu->n; i++) {
        least = fmin(least, fabs(lu->a[i + i * lu->n]));
        most = fmax(most, fabs(lu->a[i + i * lu->n]));
    }
    return !(least > 1e-12 * most);
}

/* Column i of out (n x side->n): G^T (G G^T)^-1 times what `side` shows of its degree of freedom i; factors in H. */
static enum yk_status project(struct yk_driven *d, const struct yk_side *side, struct yk_matrix *out,
                              struct yk_err *err)
{
    const size_t n = d->side->n;
    enum yk_status st = yk_matrix_init(out, YK_DENSE, side->n, n, err); /* transposed */

    for (size_t i = 0; i < side->n && !st; i++) {
        for (size_t r = 0; r < d->rows; r++)
            d->share[r] = yk_matrix_get(&side->Gt, i, r);
        yk_lu_solve(&d->H, d->share);
        memset(d->load, 0, n * sizeof *d->load);
        yk_matrix_add_product(&d->side->Gt, -1, d->share, d->load);
        for (size_t j = 0; j < n; j++)
            out->x[i + j * side->n] = d->load[j];
    }
    return st;
}

/* G G^T, factored instead of H; false: its rows depend on each other. */
static bool factor_rows(struct yk_driven *d)
{
    memset(d->H.a, 0, d->rows * d->rows * sizeof *d->H.a);
    for (size_t r = 0; r < d->rows; r++) {
        for (size_t i = 0; i < d->side->n; i++)
            d->load[i] = yk_matrix_get(&d->side->Gt, i, r);
        yk_side_gap(d->side, 1, d->load, d->H.a + r * d->rows);
    }
    return !yk_lu_factor(&d->H) && !dependent(&d->H);
}

/* take and keep */
static enum yk_status prepare_follow(struct yk_driven *d, const struct yk_side *other, struct yk_err *err)
{
    const size_t n = d->side->n;
    enum yk_status st;

    if ((st = project(d, other, &d->take, err)) || (st = project(d, d->side, &d->keep, err)))
        return st;
    for (size_t i = 0; i < n; i++)
        d->keep.x[i + i * n] += 1;
    if ((st = yk_matrix_compact(&d->take, err)))
        return st;
    return yk_matrix_compact(&d->keep, err);
}

/* Factors of H in the state of the last evaluation. */
YK_RT static bool keep_H(struct yk_driven *d)
{
    memcpy(d->H.a, d->side->H, d->rows * d->rows * sizeof *d->side->H);
    return yk_lu_factor(&d->H) == YK_OK;
}

static enum yk_status refuse(struct yk_err *err)
{
    return yk_fail(err, YK_E_UNSUPPORTED,
                   "feedback: the fine side must take part in every interface row with its own degrees of freedom; "
                   "join coarse substructures to each other in one model instead");
}

enum yk_status yk_driven_init(struct yk_driven *d, struct yk_side *side, const struct yk_side *other,
                              const double *lambda, struct yk_err *err)
{
    const size_t n = side->n, rows = side->Gt.cols;
    const struct yk_system *s = side->system;
    enum yk_status st;

    d->side = side;
    d->rows = rows;
    d->lambda = lambda;
    if (!factor_rows(d))
        return refuse(err);
    if ((st = prepare_follow(d, other, err)))
        return st;
    if (!keep_H(d))
        return refuse(err);
    for (size_t r = 0; r < rows && d->Hinv; r++) {
        d->Hinv[r + r * rows] = 1;
        yk_lu_solve(&d->H, d->Hinv + r * rows);
    }
    d->system = (struct yk_system){
        .n = n, .M = s->M, .linear = s->linear, .u0 = s->u0, .v0 = s->v0, .ops = &driven_ops, .self = d};
    if ((st = frozen_copy(d, &d->system.K, &s->K, err)))
        return st;
    return frozen_copy(d, &d->system.C, &s->C, err);
}

void yk_driven_fini(struct yk_driven *d)
{
    yk_matrix_fini(&d->take);
    yk_matrix_fini(&d->keep);
    yk_matrix_fini(&d->system.K); /* M and the initial state are the side's */
    yk_matrix_fini(&d->system.C);
}

YK_RT void yk_driven_take(struct yk_driven *d, double t)
{
    const struct yk_side *side = d->side;
    struct yk_trace trace = {.q = d->q};

    d->t = t;
    yk_side_trace(side, d->rows, &trace);
    if (!d->Hinv && !keep_H(d))
        d->H.a[0] = NAN; /* found as divergence at the end of the step */
}

/* eq. (34) */
YK_RT void yk_driven_multiplier(struct yk_driven *d, const double *acceleration, double *lambda)
{
    for (size_t r = 0; r < d->rows; r++)
        d->share[r] = acceleration[r] + d->q[r];
    memset(lambda, 0, d->rows * sizeof *lambda);
    if (d->Hinv) {
        yk_tie_add(d->rows, d->rows, d->Hinv, -1, d->share, lambda);
        return;
    }
    yk_lu_solve(&d->H, d->share);
    for (size_t r = 0; r < d->rows; r++)
        lambda[r] = -d->share[r];
}

/* eq. (36): y = x - G^T (G G^T)^-1 (G_other x_other + G x) */
YK_RT void yk_driven_follow(struct yk_driven *d, const double *x_other, const double *x, double *y)
{
    memset(y, 0, d->side->n * sizeof *y);
    yk_matrix_add_transposed_product(&d->keep, 1, x, y);
    yk_matrix_add_transposed_product(&d->take, 1, x_other, y);
}
