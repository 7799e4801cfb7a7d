/* A = L D L^T of a symmetric matrix at set-up: solves with many columns, and the number of negative pivots, which by
 * Sylvester's law of inertia is the number of eigenvalues below zero.
 *
 * Small factors by SuiteSparse's LDL after AMD ordering (T. A. Davis, ACM Trans. Math. Software 31 (2005) 587-591): no
 * pivoting, no shared state, so several threads may factor at once. Factors beyond MOST_WORK multiplications go to
 * MUMPS where the build has it; without it LDL makes them too, slowly. */
#include "linalg/blas.h"
#include "linalg/mumps.h"

#include <math.h>
#include <stdlib.h>

#include <amd.h>
#include <ldl.h>

#define MOST_WORK 3e8   /* multiplications of a factor that LDL makes faster, or nearly as fast */
#define LOST      1e-15 /* a pivot this far below its own diagonal entry is nothing but rounding */

struct yk_ldlt {
    size_t n, negative;
    struct yk_mumps *mumps; /* NULL: LDL */
    int *P, *Lp, *Li;
    double *Lx, *D, *work;
};

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the factors of order %zu", n);
}

/* ---- LDL --------------------------------------------------------------------------------------------------------- */

struct analysis {
    int *Pinv, *Parent, *Lnz, *Flag, *Pattern, *block;
    double work; /* multiplications of the factor */
};

static enum yk_status analyse(struct yk_ldlt *f, const struct yk_matrix *A, struct analysis *s, struct yk_err *err)
{
    const size_t n = f->n;

    f->P = yk_ints(n);
    f->Lp = yk_ints(n + 1);
    s->block = yk_ints(5 * n);
    if (!f->P || !f->Lp || !s->block)
        return no_memory(n, err);
    s->Pinv = s->block;
    s->Parent = s->Pinv + n;
    s->Lnz = s->Parent + n;
    s->Flag = s->Lnz + n;
    s->Pattern = s->Flag + n;
    if (amd_order((int)n, A->col, A->row, f->P, NULL, NULL) < AMD_OK)
        return no_memory(n, err);
    ldl_symbolic((int)n, A->col, A->row, f->Lp, s->Parent, s->Lnz, s->Flag, f->P, s->Pinv);
    s->work = 0;
    for (size_t k = 0; k < n; k++)
        s->work += (double)s->Lnz[k] * s->Lnz[k];
    return YK_OK;
}

/* First degree of freedom, in the order of elimination, whose pivot is lost; -1: none. Counts negative pivots. */
static long weigh_pivots(struct yk_ldlt *f, const struct yk_matrix *A, int found)
{
    for (int k = 0; k < found; k++) {
        if (!(fabs(f->D[k]) > LOST * fabs(yk_matrix_get(A, (size_t)f->P[k], (size_t)f->P[k]))))
            return f->P[k];
        f->negative += f->D[k] < 0;
    }
    return found < (int)f->n ? f->P[found] : -1;
}

static enum yk_status factor_ldl(struct yk_ldlt *f, const struct yk_matrix *A, struct analysis *s, struct yk_err *err)
{
    const size_t n = f->n, entries = (size_t)f->Lp[n];
    int found;
    long lost;

    f->Li = yk_ints(entries);
    f->Lx = yk_doubles(entries);
    f->D = yk_doubles(n);
    f->work = yk_doubles(n);
    if (!f->Li || !f->Lx || !f->D || !f->work)
        return no_memory(n, err);
    found = ldl_numeric((int)n, A->col, A->row, A->x, f->Lp, s->Parent, s->Lnz, f->Li, f->Lx, f->D, f->work, s->Pattern,
                        s->Flag, f->P, s->Pinv);
    lost = weigh_pivots(f, A, found);
    if (lost >= 0)
        return yk_fail(err, YK_E_SINGULAR, "singular matrix of order %zu: no pivot is left for row %ld", n, lost + 1);
    return YK_OK;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

enum yk_status yk_ldlt_create(struct yk_ldlt **created, const struct yk_matrix *A, struct yk_err *err)
{
    struct yk_ldlt *f;
    struct yk_matrix own = {0};
    struct analysis s = {0};
    enum yk_status st = YK_OK;

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
    if ((st = analyse(f, A, &s, err)))
        goto fail;
    st = s.work > MOST_WORK && yk_mumps_built_in() ? yk_mumps_create(&f->mumps, A, &f->negative, err)
                                                   : factor_ldl(f, A, &s, err);
fail:
    free(s.block);
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
    free(f->P);
    free(f->Lp);
    free(f->Li);
    free(f->Lx);
    free(f->D);
    free(f->work);
    free(f);
}

enum yk_status yk_ldlt_solve(struct yk_ldlt *f, size_t cols, double *x)
{
    const int n = (int)f->n;

    if (f->mumps)
        return yk_mumps_solve(f->mumps, cols, x);
    for (size_t c = 0; c < cols; c++, x += f->n) {
        ldl_perm(n, f->work, x, f->P);
        ldl_lsolve(n, f->work, f->Lp, f->Li, f->Lx);
        ldl_dsolve(n, f->work, f->D);
        ldl_ltsolve(n, f->work, f->Lp, f->Li, f->Lx);
        ldl_permt(n, x, f->work, f->P);
    }
    return YK_OK;
}

size_t yk_ldlt_negative(const struct yk_ldlt *f)
{
    return f->negative;
}
