/* A = L D L^T of a symmetric matrix, for preparation: solves with many columns, and the number of negative pivots,
 * which by Sylvester's law of inertia is the number of eigenvalues below zero.
 *
 * In supernodes, without pivoting and without shared state, so several threads may factor at once. Factors beyond
 * MOST_WORK multiplications go to MUMPS where the build has it: its ordering leaves less of them in solids. Where
 * mpirun started several processes, they share all factors but the small ones. */
#include "linalg/blas.h"
#include "linalg/mpi.h"
#include "linalg/mumps.h"
#include "linalg/supernodal.h"

#include <stdlib.h>

#define MOST_WORK 2e9         /* multiplications of a factor that is made as fast here */
enum { LEAST_SHARED = 1000 }; /* order from which several processes share a factor */

struct yk_ldlt {
    size_t n, negative;
    struct yk_mumps *mumps; /* NULL: supernodes */
    struct yk_supernodal *supernodes;
    double *numbers, *work;
};

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the factors of order %zu", n);
}

static enum yk_status factor(struct yk_ldlt *f, const struct yk_matrix *A, struct yk_err *err)
{
    const struct yk_supernodal *s = f->supernodes;
    double *work = yk_doubles(s->factor_work);
    int *iwork = yk_ints(s->iwork);
    struct yk_pivots pivots;
    enum yk_status st = YK_OK;

    f->numbers = yk_doubles(s->numbers);
    f->work = yk_doubles(s->solve_work);
    if (!f->numbers || !f->work || !work || !iwork)
        st = no_memory(f->n, err);
    else if (yk_supernodal_factor(s, A->x, f->numbers, work, iwork, &pivots))
        st = yk_fail(err, YK_E_SINGULAR, "singular matrix of order %zu: no pivot is left for row %zu", f->n,
                     pivots.lost + 1);
    else
        f->negative = pivots.negative;
    free(iwork);
    free(work);
    return st;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

enum yk_status yk_ldlt_create(struct yk_ldlt **created, const struct yk_matrix *A, struct yk_err *err)
{
    struct yk_ldlt *f;
    struct yk_matrix own = {0};
    enum yk_status st = YK_OK;
    bool shared;

    *created = NULL;
    if (A->rows != A->cols)
        return yk_fail(err, YK_E_INPUT, "a matrix of %zu x %zu cannot be factored: it must be square", A->rows,
                       A->cols);
    if (!(f = calloc(1, sizeof *f)))
        return no_memory(A->rows, err);
    f->n = A->rows;
    if (A->form != YK_SPARSE && (st = yk_matrix_to_sparse(&own, A, err)))
        goto fail;
    A = A->form == YK_SPARSE ? A : &own;
    shared = f->n >= LEAST_SHARED && (size_t)A->col[f->n] > f->n && yk_mpi_has_mumps(); /* a diagonal is no work */
    if (!shared && (st = yk_supernodal_create(&f->supernodes, A, err)) && !(st == YK_E_MEMORY && yk_mumps_built_in()))
        goto fail;
    st = shared || ((st || f->supernodes->multiplications > MOST_WORK) && yk_mumps_built_in())
             ? yk_mumps_create(&f->mumps, A, &f->negative, err)
             : factor(f, A, err);
fail:
    yk_matrix_fini(&own);
    if (st)
        yk_ldlt_destroy(f);
    else
        *created = f;
    return st;
}

enum yk_status yk_ldlt_sum(struct yk_ldlt **created, size_t count, const double *factor,
                           const struct yk_matrix *const *A, struct yk_err *err)
{
    struct yk_matrix sum = {0};
    enum yk_status st = yk_matrix_combine(&sum, count, factor, A, err);

    *created = NULL;
    if (!st)
        st = yk_ldlt_create(created, &sum, err);
    yk_matrix_fini(&sum);
    return st;
}

void yk_ldlt_destroy(struct yk_ldlt *f)
{
    if (!f)
        return;
    yk_mumps_destroy(f->mumps);
    yk_supernodal_destroy(f->supernodes);
    free(f->numbers);
    free(f->work);
    free(f);
}

enum yk_status yk_ldlt_solve(struct yk_ldlt *f, size_t cols, double *x)
{
    if (f->mumps)
        return yk_mumps_solve(f->mumps, cols, x);
    for (size_t c = 0; c < cols; c++)
        yk_supernodal_solve(f->supernodes, f->numbers, f->work, x + c * f->n);
    return YK_OK;
}

size_t yk_ldlt_negative(const struct yk_ldlt *f)
{
    return f->negative;
}
