/* m M + c C + k K with the tangents of the state, and the choice of how it is solved.
 *
 * The costs are those of one factorisation and SOLVES solutions, on a 2.8 GHz x86 with AVX2. They only have to be right
 * in proportion, and they are constants, so that a file takes the same path, and gives the same bits, on every run. */
#include "integrator/tangent.h"

#include "linalg/symmetric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SOLVES = 2,
    KEEP_DENSE = 32 /* degrees of freedom up to which nothing is gained */
};

/* seconds */
#define LU_PRODUCT    0.045e-9 /* for n^3, up to LU_LOOPS ... */
#define LU_LOOPS      128
#define LAPACK_START  20e-6   /* ... and beyond */
#define LAPACK_RATE   0.03e-9 /* for n^3 */
#define DENSE_ENTRY   2e-9    /* sums and copies, for n^2 */
#define DENSE_SOLVE   0.15e-9 /* for n^2 */
#define KLU_ENTRY     6e-9    /* for an entry of A, about: of L and U, factor and solutions */
#define SMALL_PRODUCT 1e-9    /* products of a correction that are not in its LU */
#define COLUMN_ENTRY  0.25e-9 /* an entry of Z */

/* ---- the choice -------------------------------------------------------------------------------------------------- */

static double cost_of_lu(double n)
{
    return n <= LU_LOOPS ? LU_PRODUCT * n * n * n : LAPACK_START + LAPACK_RATE * n * n * n;
}

static double cost_of_dense(double n)
{
    return cost_of_lu(n) + n * n * (DENSE_ENTRY + SOLVES * DENSE_SOLVE);
}

static double cost_of_correction(const struct yk_pattern *p, const struct yk_factor *D0, size_t *rank)
{
    size_t count;
    double r;

    *rank = yk_low_rank_of(p, &count);
    r = (double)*rank;
    return cost_of_lu(r) + SMALL_PRODUCT * (double)count * (r + SOLVES) +
           SOLVES * (yk_factor_cost(D0) + COLUMN_ENTRY * r * (double)p->n);
}

/* Pattern of a system as a matrix with values x. */
static struct yk_matrix in_pattern(const struct yk_system *s, double *x)
{
    return (struct yk_matrix){
        .form = YK_SPARSE, .rows = s->n, .cols = s->n, .x = x, .col = s->pattern.col, .row = s->pattern.row};
}

/* Cost of banded and sparse factors of the pattern. */
static enum yk_status cost_of_sparse(const struct yk_system *s, struct yk_solving *out, struct yk_err *err)
{
    const struct yk_matrix A = in_pattern(s, NULL);
    const enum yk_solve_path paths[] = {YK_SOLVE_BANDED, YK_SOLVE_SPARSE};
    enum yk_status st = YK_OK;

    if (!s->pattern.symmetric) {
        out->cost_s[YK_SOLVE_SPARSE] = KLU_ENTRY * (1 + SOLVES) * 4 * (double)s->pattern.entries;
        return YK_OK;
    }
    for (int k = 0; k < 2 && !st; k++) {
        struct yk_symmetric ldlt;

        if ((st = yk_symmetric_create(&ldlt, &A, paths[k], SOLVES, err)))
            return st;
        out->cost_s[paths[k]] = ldlt.factor_s + SOLVES * ldlt.solve_s;
        if (ldlt.band)
            out->half_band = ldlt.band->half;
        else
            out->numbers = ldlt.numbers;
        yk_symmetric_fini(&ldlt);
    }
    return st;
}

static enum yk_status refuse(const struct yk_system *s, struct yk_err *err)
{
    const char *name = s->path == YK_SOLVE_BANDED ? "banded" : s->path == YK_SOLVE_SPARSE ? "sparse" : "low-rank";

    if (!s->pattern.col)
        return yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                             "path: %s cannot be taken here: the tangents of this system are dense; leave path out",
                             name);
    return yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                         "path: %s cannot be taken here: the tangents are not symmetric; use sparse or leave path out",
                         name);
}

static enum yk_status choose(const struct yk_system *s, const struct yk_factor *D0, bool dense, struct yk_solving *out,
                             struct yk_err *err)
{
    enum yk_status st = YK_OK;

    *out = (struct yk_solving){
        .path = YK_SOLVE_DENSE, .current = true, .symmetric = s->pattern.symmetric, .modal = s->solving.modal};
    for (int k = 0; k < YK_SOLVE_PATHS; k++)
        out->cost_s[k] = INFINITY;
    out->cost_s[YK_SOLVE_DENSE] = cost_of_dense((double)s->n);
    if (s->n <= KEEP_DENSE && s->path == YK_SOLVE_AUTO)
        return YK_OK;
    if (s->ops->change) {
        out->path = YK_SOLVE_MODAL;
        out->rank = s->changing.cols;
        return YK_OK;
    }
    if (!dense && s->pattern.col) {
        if ((st = cost_of_sparse(s, out, err)))
            return st;
        out->cost_s[YK_SOLVE_LOW_RANK] = cost_of_correction(&s->pattern, D0, &out->rank);
    }
    if (s->path != YK_SOLVE_AUTO && s->path != YK_SOLVE_MODAL && !dense) {
        out->path = s->path;
        return isinf(out->cost_s[s->path]) ? refuse(s, err) : YK_OK;
    }
    for (int k = 0; k < YK_SOLVE_PATHS; k++)
        if (out->cost_s[k] < out->cost_s[out->path])
            out->path = (enum yk_solve_path)k;
    return YK_OK;
}

enum yk_status yk_system_factor(struct yk_factor **D, struct yk_system *system, double m, double c, double k,
                                struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st = yk_factor_sum_by(D, system->path, 3, (double[]){m, c, k},
                                         (const struct yk_matrix *[]){&system->M, &system->C, &system->K}, mem, err);

    if (st)
        return st;
    system->solving = (struct yk_solving){.modal = system->solving.modal};
    yk_factor_describe(*D, &system->solving.path, &system->solving.symmetric, &system->solving.half_band,
                       &system->solving.numbers);
    system->solving.halves = yk_factor_has_halves(*D);
    if (system->path == YK_SOLVE_MODAL)
        system->solving.path = YK_SOLVE_MODAL;
    if (system->path != YK_SOLVE_BANDED || system->solving.path == YK_SOLVE_BANDED ||
        system->solving.path == YK_SOLVE_AUTO)
        return YK_OK;
    yk_factor_destroy(*D);
    *D = NULL;
    return yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                         "path: banded cannot be taken here: the matrix is not symmetric and positive definite; use "
                         "sparse or leave path out");
}

/* ---- the tangents ------------------------------------------------------------------------------------------------ */

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the tangents of %zu degrees of freedom", n);
}

/* K, C and M, dense or in the pattern. */
static enum yk_status make_room(struct yk_tangent *t, const struct yk_system *s, bool dense, struct yk_arena *mem,
                                struct yk_err *err)
{
    const struct yk_matrix full = {.form = YK_DENSE, .rows = s->n, .cols = s->n};

    t->count = dense ? s->n * s->n : s->pattern.entries;
    t->K = t->C = dense ? full : in_pattern(s, NULL);
    yk_arena_array(mem, &t->K.x, t->count);
    yk_arena_array(mem, &t->C.x, t->count);
    t->M = malloc((t->count + 1) * sizeof *t->M);
    if (!t->K.x || !t->C.x || !t->M)
        return no_memory(s->n, err);
    if (dense)
        yk_matrix_to_dense(&s->M, t->M);
    else
        yk_pattern_values(&s->pattern, &s->M, t->M);
    return YK_OK;
}

/* Initial tangents of the entries that a correction changes. */
static enum yk_status keep_initial(struct yk_tangent *t, const struct yk_system *s, struct yk_err *err)
{
    const struct yk_low_rank *l = &t->correction;

    t->K0 = malloc((l->count + 1) * sizeof *t->K0);
    t->C0 = malloc((l->count + 1) * sizeof *t->C0);
    if (!t->K0 || !t->C0)
        return no_memory(s->n, err);
    for (size_t k = 0; k < l->count; k++) {
        t->K0[k] = yk_matrix_get(&s->K, l->dof[l->row[k]], l->dof[l->col[k]]);
        t->C0[k] = yk_matrix_get(&s->C, l->dof[l->row[k]], l->dof[l->col[k]]);
    }
    return YK_OK;
}

/* A factor of the pattern whose values are those of M and, off the diagonal, of a weak K: they only have to be regular,
 * so that pivots can be chosen. */
static enum yk_status make_factor(struct yk_tangent *t, const struct yk_system *s, struct yk_arena *mem,
                                  struct yk_err *err)
{
    struct yk_matrix A = t->K;
    double most = 0;
    enum yk_status st;

    if (A.form == YK_DENSE)
        return yk_factor_create_changing(&t->D, &A, false, YK_SOLVE_DENSE, mem, err);
    if (!(A.x = malloc((t->count + 1) * sizeof *A.x)))
        return no_memory(s->n, err);
    yk_pattern_values(&s->pattern, &s->K, A.x);
    for (size_t k = 0; k < t->count; k++)
        most = fmax(most, fabs(A.x[k]));
    for (size_t j = 0; j < s->n; j++)
        for (int k = A.col[j]; k < A.col[j + 1]; k++)
            A.x[k] = t->M[k] + (most > 0 ? A.x[k] * (yk_matrix_get(&s->M, j, j) / most) : 0);
    st = yk_factor_create_changing(&t->D, &A, s->pattern.symmetric, s->solving.path, mem, err);
    free(A.x);
    return st;
}

/* D0 is corrected where tangents change; it is diagonal and thin, unless the tangents are held. */
static enum yk_status init_modal(struct yk_tangent *t, const struct yk_system *s, struct yk_factor *D0,
                                 const struct yk_held *held, struct yk_arena *mem, struct yk_err *err)
{
    const size_t rank = s->changing.cols;
    const struct yk_matrix full = {.form = YK_DENSE, .rows = rank, .cols = rank};

    t->E = &s->changing;
    t->F = held ? held->E : t->E;
    t->K_start = held ? held->K : &s->K;
    t->C_start = held ? held->C : &s->C;
    yk_arena_pointers(mem, &t->E, &t->F, &t->K_start, &t->C_start, &t->correction.E);
    t->count = rank * rank;
    t->K = t->C = full;
    yk_arena_array(mem, &t->K.x, t->count);
    yk_arena_array(mem, &t->C.x, t->count);
    yk_arena_array(mem, &t->few, 2 * rank);
    t->K0 = calloc(t->count + 1, sizeof *t->K0); /* changes are given as such */
    t->C0 = calloc(t->count + 1, sizeof *t->C0);
    if (!t->K.x || !t->C.x || !t->few || !t->K0 || !t->C0)
        return no_memory(s->n, err);
    return yk_low_rank_init_dense(&t->correction, t->F, t->E, s->changing_entry, s->changing_entries, D0, mem, err);
}

enum yk_status yk_tangent_init(struct yk_tangent *t, struct yk_system *system, struct yk_factor *D0,
                               const struct yk_held *held, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    if ((st = choose(system, D0, held, &system->solving, err)))
        return st;
    if (system->solving.path == YK_SOLVE_MODAL)
        return init_modal(t, system, D0, held, mem, err);
    if ((st = make_room(t, system, system->solving.path == YK_SOLVE_DENSE, mem, err)))
        return st;
    system->solving.halves = yk_factor_has_halves(D0);
    if (system->solving.path != YK_SOLVE_LOW_RANK) {
        if (!(st = make_factor(t, system, mem, err)))
            system->solving.halves = t->D && yk_factor_has_halves(t->D);
        return st;
    }
    st = yk_low_rank_init(&t->correction, &system->pattern, D0, mem, err);
    return st ? st : keep_initial(t, system, err);
}

void yk_tangent_fini(struct yk_tangent *t)
{
    yk_factor_destroy(t->D);
    yk_low_rank_fini(&t->correction);
    free(t->M);
    free(t->K0);
    free(t->C0);
}

YK_RT void yk_tangent_take(struct yk_tangent *t, const struct yk_system *system, const double *u, const double *v)
{
    if (t->E)
        system->ops->change(system->self, u, v, t->K.x, t->C.x);
    else if (t->K.form == YK_DENSE)
        system->ops->tangent(system->self, u, v, t->K.x, t->C.x);
    else
        system->ops->sparse_tangent(system->self, u, v, t->K.x, t->C.x);
}

YK_RT enum yk_status yk_tangent_factor(struct yk_tangent *t, double m, double c, double k)
{
    struct yk_low_rank *l = &t->correction;
    const double *K = t->K.x, *C = t->C.x;

    if (t->D) {
        double *A = yk_factor_values(t->D);

        for (size_t i = 0; i < t->count; i++)
            A[i] = m * t->M[i] + c * C[i] + k * K[i];
        return yk_factor_again(t->D);
    }
    for (size_t i = 0; i < l->count; i++)
        l->change[i] = c * (C[l->entry[i]] - t->C0[i]) + k * (K[l->entry[i]] - t->K0[i]);
    return yk_low_rank_factor(l);
}

/* y += alpha A x; in modes A is what has been added to A0 */
YK_RT static void add_product(const struct yk_tangent *t, const struct yk_matrix *A0, const struct yk_matrix *A,
                              double alpha, const double *x, double *y)
{
    if (!t->E) {
        yk_matrix_add_product(A, alpha, x, y);
        return;
    }
    double *seen = t->few, *changed = t->few + A->rows;

    memset(t->few, 0, 2 * A->rows * sizeof *t->few);
    yk_matrix_add_product(A0, alpha, x, y);
    yk_matrix_add_transposed_product(t->E, 1, x, seen);
    yk_matrix_add_product(A, 1, seen, changed);
    yk_matrix_add_product(t->F, alpha, changed, y);
}

YK_RT void yk_tangent_add_stiffness(const struct yk_tangent *t, double alpha, const double *x, double *y)
{
    add_product(t, t->K_start, &t->K, alpha, x, y);
}

YK_RT void yk_tangent_add_damping(const struct yk_tangent *t, double alpha, const double *x, double *y)
{
    add_product(t, t->C_start, &t->C, alpha, x, y);
}

YK_RT void yk_tangent_solve(struct yk_tangent *t, double *x)
{
    if (t->D)
        yk_factor_solve(t->D, x);
    else
        yk_low_rank_solve(&t->correction, x);
}
