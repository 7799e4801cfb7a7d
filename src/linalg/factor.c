/* A square matrix factored once and solved many times.
 *
 * Diagonal: reciprocals, with a correction where the matrix is a diagonal and one of low rank. Dense: LU; when the
 * condition allows (reciprocal above INVERSE_RCOND) the explicit inverse, since one product costs less than two
 * triangular sweeps; the residual then grows with the condition, which the bound keeps below the square root of the
 * rounding unit. Sparse: dense up to DENSE_ORDER; beyond, L D L^T where the matrix is symmetric and positive definite,
 * otherwise KLU. A factor whose matrix changes in the loop has its numbers in the arena and is factored again in place:
 * dense ones as LU, sparse ones as L D L^T or by KLU with the pivots chosen in preparation. */
#include "linalg/blas.h"
#include "linalg/symmetric.h"
#include "linalg/thin.h"

#include <yoke/arena.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <klu.h>

#define INVERSE_RCOND  1e-8        /* keep the inverse above this */
#define SINGULAR_RCOND DBL_EPSILON /* refuse below this, after scaling rows and columns */

enum {
    DENSE_ORDER = 128, /* sparse matrices up to this order are inverted: 1.0 us a solve, KLU 1.8 us or more */
    HALF_ORDER = 100   /* symmetric inverses from this order on are read by half */
};

enum { SOLVES_PER_FACTOR = 2 }; /* of a factor that changes: the stages of a Rosenbrock step */

enum kind { RECIPROCALS, CORRECTED_RECIPROCALS, INVERSE, TRIANGLES, SYMMETRIC_TRIANGLES, SPARSE_TRIANGLES };

struct yk_factor {
    enum kind kind;
    bool symmetric; /* inverse: exactly so */
    size_t n;
    double rcond;
    double *x;  /* reciprocals: n; inverse and triangles: n*n; numbers of the symmetric factor */
    int *pivot; /* triangles: n */
    struct yk_symmetric ldlt;
    struct yk_thin_factor thin;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int *col, *row; /* pattern that KLU factors again in */

    /* changes with every solve; all above is constant and shared by the states of a plan, but for the numbers of a
     * factor that changes in the loop */
    double *work;
    klu_common klu;
    bool on_heap; /* this struct and its work */
    bool changes; /* x and pivot are in the arena */
    double *values;
    int *iwork;
    klu_numeric *moved; /* numeric with its numbers in the arena */
};

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory: the factors of a matrix of order %zu could not be allocated", n);
}

static enum yk_status singular_at(size_t n, size_t column, struct yk_err *err)
{
    return yk_fail(err, YK_E_SINGULAR,
                   "singular matrix: column %zu of %zu depends on the columns before it, or nearly so", column + 1, n);
}

static double *take_work(struct yk_factor *f, size_t count, struct yk_arena *mem)
{
    return f->on_heap ? (f->work = yk_doubles(count)) : yk_arena_array(mem, &f->work, count);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

static enum yk_status check_finite(const struct yk_matrix *A, struct yk_err *err)
{
    if (yk_matrix_is_finite(A))
        return YK_OK;
    for (size_t j = 0; j < A->cols; j++)
        for (size_t i = 0; i < A->rows; i++)
            if (!isfinite(yk_matrix_get(A, i, j)))
                return yk_fail(err, YK_E_INPUT, "matrix entry at row %zu, column %zu is %g, not a finite number", i + 1,
                               j + 1, yk_matrix_get(A, i, j));
    return YK_OK;
}

/* largest[j]: largest |A_ij| of column j; largest[n + i]: of row i */
static void largest_entries(size_t n, const struct yk_matrix *A, double *largest)
{
    const bool sparse = A->form == YK_SPARSE;

    for (size_t j = 0; j < n; j++) {
        const size_t first = sparse ? (size_t)A->col[j] : j * n;
        const size_t end = sparse ? (size_t)A->col[j + 1] : (j + 1) * n;

        for (size_t k = first; k < end; k++) {
            const size_t i = sparse ? (size_t)A->row[k] : k - first;

            largest[j] = fmax(largest[j], fabs(A->x[k]));
            largest[n + i] = fmax(largest[n + i], fabs(A->x[k]));
        }
    }
}

/* The commonest mistake, a degree of freedom without stiffness or mass, gets its own message. */
static enum yk_status check_no_empty_lines(const struct yk_matrix *A, struct yk_err *err)
{
    const size_t n = A->rows;
    double *largest = yk_doubles(2 * n);
    enum yk_status st = YK_OK;

    if (!largest)
        return no_memory(n, err);
    largest_entries(n, A, largest);
    for (size_t k = 0; k < 2 * n && !st; k++)
        if (largest[k] == 0.0)
            st = yk_fail(err, YK_E_SINGULAR, "singular matrix: %s %zu of %zu holds only zeros",
                         k < n ? "column" : "row", k % n + 1, n);
    free(largest);
    return st;
}

/* ---- diagonal -------------------------------------------------------------------------------------------------- */

static enum yk_status factor_diagonal(struct yk_factor *f, const struct yk_matrix *A, struct yk_err *err)
{
    double least = INFINITY, most = 0.0;

    f->kind = RECIPROCALS;
    f->x = yk_doubles(f->n);
    if (!f->x)
        return no_memory(f->n, err);
    for (size_t i = 0; i < f->n; i++) {
        f->x[i] = 1.0 / A->x[i];
        if (!isfinite(f->x[i]))
            return yk_fail(err, YK_E_SINGULAR, "singular matrix: entry %zu of %zu on the diagonal is %g", i + 1, f->n,
                           A->x[i]);
        least = fmin(least, fabs(A->x[i]));
        most = fmax(most, fabs(A->x[i]));
    }
    f->rcond = f->n ? least / most : 1.0;
    return YK_OK;
}

/* ---- dense ----------------------------------------------------------------------------------------------------- */

/* Column of the least |U_kk|: the most nearly dependent on those before it. */
static size_t weakest_pivot(size_t n, const double *lu)
{
    size_t weakest = 0;

    for (size_t k = 1; k < n; k++)
        if (fabs(lu[k + k * n]) < fabs(lu[weakest + weakest * n]))
            weakest = k;
    return weakest;
}

/* a := L U, *rcond its reciprocal condition; a singular matrix gives 0 and its column. Work from the heap. */
static enum yk_status factor_and_estimate(size_t n, double *a, int *pivot, double *rcond, size_t *column,
                                          struct yk_err *err)
{
    const int order = (int)n;
    const double norm = yk_one_norm(n, a);
    double *work = yk_doubles(4 * n);
    int *iwork = yk_ints(n), info;
    enum yk_status st = YK_OK;

    *rcond = 0.0;
    if (!work || !iwork) {
        st = no_memory(n, err);
        goto fail;
    }
    dgetrf_(&order, &order, a, &order, pivot, &info);
    *column = info > 0 ? (size_t)info - 1 : weakest_pivot(n, a);
    if (info == 0)
        dgecon_("1", &order, a, &order, &norm, rcond, work, iwork, &info);
fail:
    free(iwork);
    free(work);
    return st;
}

/* Rows, then columns, divided by the power of two near their largest entry: takes units out of the condition. */
static void equilibrate(size_t n, double *a)
{
    for (int pass = 0; pass < 2; pass++) {
        const size_t along = pass ? 1 : n, across = pass ? n : 1;

        for (size_t k = 0; k < n; k++) {
            double largest = 0.0;
            int exponent;

            for (size_t l = 0; l < n; l++)
                largest = fmax(largest, fabs(a[k * across + l * along]));
            frexp(largest, &exponent);
            for (size_t l = 0; l < n; l++)
                a[k * across + l * along] = ldexp(a[k * across + l * along], -exponent);
        }
    }
}

/* A small condition number may only tell of mixed units (penalties, rotations beside translations): look again with
 * rows and columns scaled before calling the matrix singular. */
static enum yk_status check_scaled_condition(const struct yk_matrix *A, size_t column, struct yk_err *err)
{
    const size_t n = A->rows;
    double *a = yk_doubles(n * n), rcond;
    int *pivot = yk_ints(n);
    enum yk_status st;

    if (!a || !pivot) {
        st = no_memory(n, err);
        goto fail;
    }
    yk_matrix_to_dense(A, a);
    equilibrate(n, a);
    st = factor_and_estimate(n, a, pivot, &rcond, &column, err);
    if (!st && !(rcond >= SINGULAR_RCOND))
        st = singular_at(n, column, err);
fail:
    free(pivot);
    free(a);
    return st;
}

static void symmetrise(size_t n, double *a)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++)
            a[i + j * n] = a[j + i * n] = 0.5 * (a[i + j * n] + a[j + i * n]);
}

static enum yk_status invert(struct yk_factor *f, bool symmetric, struct yk_err *err)
{
    const int n = (int)f->n, lwork = 64 * n;
    double *work = yk_doubles((size_t)lwork);
    int info;

    if (!work)
        return no_memory(f->n, err);
    dgetri_(&n, f->x, &n, f->pivot, work, &lwork, &info);
    free(work);
    if (symmetric)
        symmetrise(f->n, f->x);
    f->kind = INVERSE;
    f->symmetric = symmetric;
    return YK_OK;
}

static enum yk_status factor_dense(struct yk_factor *f, const struct yk_matrix *A, struct yk_arena *mem,
                                   struct yk_err *err)
{
    const size_t n = f->n;
    size_t column;
    enum yk_status st;

    f->kind = TRIANGLES;
    f->x = yk_doubles(n * n);
    f->pivot = yk_ints(n);
    take_work(f, n, mem);
    if (!f->x || !f->pivot || !f->work)
        return no_memory(n, err);
    if ((st = check_no_empty_lines(A, err)))
        return st;
    yk_matrix_to_dense(A, f->x);
    if ((st = factor_and_estimate(n, f->x, f->pivot, &f->rcond, &column, err)))
        return st;
    if (f->rcond == 0.0 && f->x[column + column * n] == 0.0)
        return singular_at(n, column, err);
    if (!(f->rcond >= SINGULAR_RCOND) && (st = check_scaled_condition(A, column, err)))
        return st;
    return f->rcond > INVERSE_RCOND ? invert(f, yk_matrix_asymmetry(A, NULL, NULL) == 0.0, err) : YK_OK;
}

/* ---- symmetric and sparse -------------------------------------------------------------------------------------- */

static double largest_column_sum(const struct yk_matrix *A)
{
    double most = 0;

    for (size_t j = 0; j < A->cols; j++) {
        double sum = 0;

        for (int k = A->col[j]; k < A->col[j + 1]; k++)
            sum += fabs(A->x[k]);
        most = fmax(most, sum);
    }
    return most;
}

/* Reciprocal condition from a few solves, for a symmetric matrix: Higham's estimate of the norm of its inverse. */
static enum yk_status estimate_condition(struct yk_factor *f, const struct yk_matrix *A, struct yk_err *err)
{
    const int n = (int)f->n;
    double *v = yk_doubles(2 * f->n), inverse = 0;
    int *sign = yk_ints(f->n), stage = 0, save[3];

    if (!v || !sign) {
        free(v);
        free(sign);
        return no_memory(f->n, err);
    }
    do {
        dlacn2_(&n, v, v + n, sign, &inverse, &stage, save);
        if (stage)
            yk_symmetric_solve(&f->ldlt, f->x, f->work, v + n);
    } while (stage);
    f->rcond = 1 / (largest_column_sum(A) * inverse);
    free(v);
    free(sign);
    return YK_OK;
}

/* L D L^T, once. *definite: false where the matrix is not positive definite, or too nearly so: KLU pivots. */
static enum yk_status factor_symmetric(struct yk_factor *f, const struct yk_matrix *A, enum yk_solve_path path,
                                       struct yk_arena *mem, bool *definite, struct yk_err *err)
{
    double *work = NULL;
    int *iwork = NULL;
    struct yk_pivots pivots;
    enum yk_status st;

    *definite = false;
    if ((st = yk_symmetric_create(&f->ldlt, A, path, 0, err)))
        return st;
    f->x = yk_doubles(f->ldlt.numbers);
    work = yk_doubles(f->ldlt.factor_work);
    iwork = yk_ints(f->ldlt.iwork);
    if (!f->x || !work || !iwork) {
        st = no_memory(f->n, err);
    } else if (!yk_symmetric_factor(&f->ldlt, A->x, f->x, work, iwork, &pivots) && pivots.negative == 0) {
        f->kind = SYMMETRIC_TRIANGLES;
        take_work(f, f->ldlt.solve_work, mem);
        st = f->work ? estimate_condition(f, A, err) : no_memory(f->n, err);
        *definite = f->rcond >= SINGULAR_RCOND;
    }
    free(iwork);
    free(work);
    if (!st && !*definite) {
        if (f->on_heap)
            free(f->work);
        f->work = NULL;
        free(f->x);
        f->x = NULL;
        yk_symmetric_fini(&f->ldlt);
    }
    return st;
}

/* ---- sparse, any ----------------------------------------------------------------------------------------------- */

static enum yk_status factor_by_klu(struct yk_factor *f, const struct yk_matrix *A, struct yk_err *err)
{
    const int n = (int)f->n;

    f->kind = SPARSE_TRIANGLES;
    klu_defaults(&f->klu);
    f->symbolic = klu_analyze(n, A->col, A->row, &f->klu);
    if (f->symbolic)
        f->numeric = klu_factor(A->col, A->row, A->x, f->symbolic, &f->klu);
    if (f->klu.status == KLU_OUT_OF_MEMORY || f->klu.status == KLU_TOO_LARGE)
        return no_memory(f->n, err);
    if (f->klu.status == KLU_SINGULAR && f->klu.singular_col >= 0 && f->klu.singular_col < n)
        return singular_at(f->n, (size_t)f->klu.singular_col, err);
    if (!f->numeric || f->klu.status != KLU_OK)
        return yk_fail(err, YK_E_SINGULAR, "singular matrix of order %zu", f->n);
    /* KLU scales the rows, so its cheap estimate is free of units; the better one takes a few solves. */
    klu_rcond(f->symbolic, f->numeric, &f->klu);
    if (!(f->klu.rcond >= SINGULAR_RCOND))
        return yk_fail(err, YK_E_SINGULAR, "singular matrix of order %zu: pivots fall to %g of the largest", f->n,
                       f->klu.rcond);
    return YK_OK;
}

static enum yk_status factor_sparse(struct yk_factor *f, const struct yk_matrix *A, enum yk_solve_path path,
                                    struct yk_arena *mem, struct yk_err *err)
{
    bool done = false;
    enum yk_status st;

    if ((st = check_no_empty_lines(A, err)))
        return st;
    if (yk_matrix_asymmetry(A, NULL, NULL) <= YK_SYMMETRIC)
        st = factor_symmetric(f, A, path, mem, &done, err);
    if (st || done)
        return st;
    if (!take_work(f, f->n, mem))
        return no_memory(f->n, err);
    if ((st = factor_by_klu(f, A, err)))
        return st;
    klu_condest(A->col, A->x, f->symbolic, f->numeric, &f->klu);
    f->rcond = f->klu.condest > 0.0 ? 1.0 / f->klu.condest : 0.0;
    return YK_OK;
}

/* ---- public ---------------------------------------------------------------------------------------------------- */

static struct yk_factor *make_room(size_t n, struct yk_arena *mem)
{
    struct yk_factor *f = mem ? yk_arena_take(mem, sizeof *f) : calloc(1, sizeof *f);

    if (f) {
        f->on_heap = !mem;
        f->n = n;
    }
    return f;
}

static enum yk_status factor_thin(struct yk_factor *f, const struct yk_matrix *A, struct yk_err *err)
{
    enum yk_status st = factor_diagonal(f, A, err);

    f->kind = CORRECTED_RECIPROCALS;
    return st ? st : yk_thin_factor_init(&f->thin, A, f->x, err);
}

static enum yk_status create(struct yk_factor **factor, const struct yk_matrix *A, enum yk_solve_path path,
                             struct yk_arena *mem, struct yk_err *err)
{
    struct yk_factor *f;
    enum yk_status st;

    *factor = NULL;
    if (A->rows != A->cols)
        return yk_fail(err, YK_E_INPUT, "a matrix of %zu x %zu cannot be factored: it must be square", A->rows,
                       A->cols);
    if ((st = check_finite(A, err)))
        return st;
    if (!(f = make_room(A->rows, mem)))
        return no_memory(A->rows, err);
    if (A->form == YK_DIAGONAL || f->n == 0)
        st = factor_diagonal(f, A, err);
    else if (A->form == YK_THIN)
        st = factor_thin(f, A, err);
    else if (A->form == YK_DENSE || path == YK_SOLVE_DENSE || (f->n <= DENSE_ORDER && path == YK_SOLVE_AUTO))
        st = factor_dense(f, A, mem, err);
    else
        st = factor_sparse(f, A, path, mem, err);
    if (st)
        goto fail;
    *factor = f;
    if (mem)
        yk_arena_pointer(mem, factor);
    return YK_OK;
fail:
    yk_factor_destroy(f);
    return st;
}

enum yk_status yk_factor_create(struct yk_factor **factor, const struct yk_matrix *A, struct yk_arena *mem,
                                struct yk_err *err)
{
    return create(factor, A, YK_SOLVE_AUTO, mem, err);
}

enum yk_status yk_factor_sum_by(struct yk_factor **created, enum yk_solve_path path, size_t count, const double *factor,
                                const struct yk_matrix *const *A, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_matrix sum = {0}, sparse = {0};
    enum yk_status st = yk_matrix_combine(&sum, count, factor, A, err);
    const bool thin = path == YK_SOLVE_BANDED || path == YK_SOLVE_SPARSE;

    *created = NULL;
    if (!st && thin && sum.form == YK_DENSE)
        st = yk_matrix_to_sparse(&sparse, &sum, err);
    if (!st)
        st = create(created, sparse.x ? &sparse : &sum, path == YK_SOLVE_LOW_RANK ? YK_SOLVE_AUTO : path, mem, err);
    yk_matrix_fini(&sparse);
    yk_matrix_fini(&sum);
    return st;
}

enum yk_status yk_factor_sum(struct yk_factor **created, size_t count, const double *factor,
                             const struct yk_matrix *const *A, struct yk_arena *mem, struct yk_err *err)
{
    return yk_factor_sum_by(created, YK_SOLVE_AUTO, count, factor, A, mem, err);
}

void yk_factor_destroy(struct yk_factor *factor)
{
    if (!factor)
        return;
    if (factor->numeric)
        klu_free_numeric(&factor->numeric, &factor->klu);
    if (factor->symbolic)
        klu_free_symbolic(&factor->symbolic, &factor->klu);
    yk_symmetric_fini(&factor->ldlt);
    yk_thin_factor_fini(&factor->thin);
    free(factor->col);
    free(factor->row);
    if (!factor->changes) {
        free(factor->pivot);
        free(factor->x);
    }
    if (!factor->on_heap)
        return;
    free(factor->work);
    free(factor);
}

YK_RT static void solve_by_inverse(struct yk_factor *f, const double *b, double *x)
{
    if (b == x)
        b = memcpy(f->work, x, f->n * sizeof *x);
    memset(x, 0, f->n * sizeof *x);
    if (f->symmetric && f->n >= HALF_ORDER)
        yk_add_symmetric(f->n, 1.0, f->x, b, x);
    else
        yk_add_columns(f->n, f->n, f->n, 1.0, f->x, b, x);
}

/* KLU works in the memory of the numeric factors, which states share: a copy of their header has work of its own. */
YK_RT static void solve_by_klu(struct yk_factor *f, double *x)
{
    klu_numeric numeric = f->moved ? *f->moved : *f->numeric;

    if (!f->moved)
        numeric.Work = numeric.Xwork = f->work;
    klu_solve(f->symbolic, &numeric, (int)f->n, 1, x, &f->klu);
}

YK_RT void yk_factor_solve(struct yk_factor *factor, double *x)
{
    yk_factor_solve_to(factor, x, x);
}

YK_RT void yk_factor_solve_to(struct yk_factor *factor, const double *b, double *x)
{
    if (factor->kind == RECIPROCALS || factor->kind == CORRECTED_RECIPROCALS) {
        yk_multiply_each(factor->n, factor->x, b, x);
        if (factor->kind == CORRECTED_RECIPROCALS)
            yk_thin_factor_correct(&factor->thin, x);
        return;
    }
    if (factor->kind == INVERSE) {
        solve_by_inverse(factor, b, x);
        return;
    }
    if (b != x)
        memcpy(x, b, factor->n * sizeof *x);
    switch (factor->kind) {
    case TRIANGLES:
        yk_lu_solve(&(struct yk_lu){factor->n, factor->x, factor->pivot}, x);
        break;
    case SYMMETRIC_TRIANGLES:
        yk_symmetric_solve(&factor->ldlt, factor->x, factor->work, x);
        break;
    default:
        solve_by_klu(factor, x);
    }
}

double yk_factor_rcond(const struct yk_factor *factor)
{
    return factor->rcond;
}

#define INVERSE_ENTRY 0.25e-9 /* s, of a product with the inverse */
#define KLU_ENTRY     1.5e-9  /* s, of a solution by KLU */

double yk_factor_cost(const struct yk_factor *factor)
{
    const double n = (double)factor->n;

    switch (factor->kind) {
    case SYMMETRIC_TRIANGLES:
        return factor->ldlt.solve_s;
    case SPARSE_TRIANGLES:
        return KLU_ENTRY * ((double)factor->numeric->lnz + (double)factor->numeric->unz);
    case RECIPROCALS:
        return INVERSE_ENTRY * n;
    case CORRECTED_RECIPROCALS:
        return INVERSE_ENTRY * n * (1 + 2 * (double)factor->thin.rank);
    case INVERSE:
    case TRIANGLES:
        break;
    }
    return INVERSE_ENTRY * n * n;
}

void yk_factor_describe(const struct yk_factor *factor, enum yk_solve_path *path, bool *symmetric, size_t *half_band,
                        size_t *numbers)
{
    const bool ldlt = factor->kind == SYMMETRIC_TRIANGLES, band = ldlt && factor->ldlt.band;

    *symmetric = ldlt;
    *half_band = band ? factor->ldlt.band->half : 0;
    *numbers = 0;
    if (ldlt && !band)
        *numbers = factor->ldlt.numbers;
    if (factor->kind == SPARSE_TRIANGLES)
        *numbers = (size_t)factor->numeric->lnz + (size_t)factor->numeric->unz;
    *path = factor->kind <= CORRECTED_RECIPROCALS ? YK_SOLVE_AUTO
            : band                                ? YK_SOLVE_BANDED
            : ldlt                                ? YK_SOLVE_SPARSE
            : factor->kind == SPARSE_TRIANGLES    ? YK_SOLVE_SPARSE
                                                  : YK_SOLVE_DENSE;
}

bool yk_factor_has_halves(const struct yk_factor *factor)
{
    const struct yk_supernodal *s = factor->kind == SYMMETRIC_TRIANGLES ? factor->ldlt.supernodal : NULL;

    return s && s->share[2] > 0;
}

/* ---- factors that change in the loop --------------------------------------------------------------------------- */

static enum yk_status change_symmetric(struct yk_factor *f, const struct yk_matrix *A, enum yk_solve_path path,
                                       struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st = yk_symmetric_create(&f->ldlt, A, path, SOLVES_PER_FACTOR, err);

    if (st)
        return st;
    f->kind = SYMMETRIC_TRIANGLES;
    yk_arena_array(mem, &f->x, f->ldlt.numbers);
    yk_arena_array(mem, &f->work, f->ldlt.factor_work > f->ldlt.solve_work ? f->ldlt.factor_work : f->ldlt.solve_work);
    yk_arena_array(mem, &f->iwork, f->ldlt.iwork);
    return YK_OK;
}

/* Points *at at a copy in the arena; from: NULL for zeros. */
static void move_bytes(void *at, const void *from, size_t bytes, struct yk_arena *mem)
{
    void *to = yk_arena_point_to_new(mem, at, bytes / sizeof(double) + 1, sizeof(double));

    if (to && from)
        memcpy(to, from, bytes);
}

/* The numbers of KLU's factors into the arena; its pattern and pivots stay where they are. */
static enum yk_status move_numeric(struct yk_factor *f, struct yk_arena *mem, struct yk_err *err)
{
    const klu_numeric *from = f->numeric;
    const size_t n = f->n * sizeof(double), blocks = (size_t)from->nblocks;
    klu_numeric *to = yk_arena_array(mem, &f->moved, 1);

    if (!to)
        return no_memory(f->n, err);
    *to = *from;
    if (!yk_arena_point_to_new(mem, &to->LUbx, blocks, sizeof(void *)))
        return no_memory(f->n, err);
    for (size_t b = 0; b < blocks; b++)
        if (from->LUbx[b])
            move_bytes(&((void **)to->LUbx)[b], from->LUbx[b], from->LUsize[b] * sizeof(double), mem);
    move_bytes(&to->Udiag, from->Udiag, n, mem);
    if (from->Rs)
        move_bytes(&to->Rs, from->Rs, n, mem);
    move_bytes(&to->Offx, from->Offx, (size_t)from->nzoff * sizeof(double), mem);
    move_bytes(&to->Work, NULL, from->worksize, mem);
    to->Xwork = to->Work;
    yk_arena_pointer(mem, &to->Xwork);
    to->Iwork = to->Work ? (int *)((double *)to->Work + f->n) : NULL;
    yk_arena_pointer(mem, &to->Iwork);
    return YK_OK;
}

static enum yk_status change_any(struct yk_factor *f, const struct yk_matrix *A, struct yk_arena *mem,
                                 struct yk_err *err)
{
    const size_t entries = (size_t)A->col[f->n];
    enum yk_status st;

    f->col = yk_ints(f->n + 1);
    f->row = yk_ints(entries);
    if (!f->col || !f->row)
        return no_memory(f->n, err);
    memcpy(f->col, A->col, (f->n + 1) * sizeof *f->col);
    memcpy(f->row, A->row, entries * sizeof *f->row);
    st = factor_by_klu(f, A, err);
    return st ? st : move_numeric(f, mem, err);
}

enum yk_status yk_factor_create_changing(struct yk_factor **factor, const struct yk_matrix *A, bool symmetric,
                                         enum yk_solve_path path, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_factor *f = make_room(A->rows, mem);
    enum yk_status st = YK_OK;

    *factor = NULL;
    if (!f)
        return no_memory(A->rows, err);
    f->changes = true;
    if (A->form == YK_SPARSE) {
        yk_arena_array(mem, &f->values, (size_t)A->col[f->n]);
        st = symmetric ? change_symmetric(f, A, path, mem, err) : change_any(f, A, mem, err);
    } else {
        f->kind = TRIANGLES;
        f->values = yk_arena_array(mem, &f->x, f->n * f->n);
        yk_arena_pointer(mem, &f->values);
        yk_arena_array(mem, &f->pivot, f->n);
    }
    if (!st)
        st = yk_arena_check(mem, err);
    if (!st && A->form == YK_SPARSE) { /* pages are touched, and the BLAS has its buffers */
        memcpy(f->values, A->x, (size_t)A->col[f->n] * sizeof *A->x);
        yk_factor_again(f);
    }
    if (st) {
        yk_factor_destroy(f);
        return st;
    }
    *factor = f;
    yk_arena_pointer(mem, factor);
    return YK_OK;
}

YK_RT double *yk_factor_values(struct yk_factor *factor)
{
    return factor->values;
}

YK_RT static enum yk_status again_by_klu(struct yk_factor *f)
{
    if (!klu_refactor(f->col, f->row, f->values, f->symbolic, f->moved, &f->klu) || f->klu.status != KLU_OK)
        return YK_E_SINGULAR;
    return yk_all_finite(f->n, f->moved->Udiag) ? YK_OK : YK_E_SINGULAR;
}

YK_RT enum yk_status yk_factor_again(struct yk_factor *factor)
{
    struct yk_factor *f = factor;
    struct yk_pivots pivots;
    enum yk_status st;

    if (f->kind == TRIANGLES) {
        if ((st = yk_lu_factor(&(struct yk_lu){f->n, f->x, f->pivot})))
            f->x[0] = NAN;
        return st;
    }
    if (f->kind == SYMMETRIC_TRIANGLES) {
        if ((st = yk_symmetric_factor(&f->ldlt, f->values, f->x, f->work, f->iwork, &pivots)))
            f->x[0] = NAN;
        return st;
    }
    if ((st = again_by_klu(f)))
        ((double *)f->moved->Udiag)[0] = NAN;
    return st;
}
