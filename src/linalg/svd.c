/* Singular values, for preparation, by LAPACK's divide and conquer. */
#include "linalg/blas.h"

#include <limits.h>
#include <stdlib.h>

enum yk_status yk_svd(size_t n, double *A, double *U, double *s, double *Vt, struct yk_err *err)
{
    const int order = (int)n, ask = -1;
    double best, *work;
    int lwork, info, *iwork;

    if (n == 0)
        return YK_OK;
    if (n > (size_t)INT_MAX / n / 8)
        return yk_fail(err, YK_E_RANGE, "singular values: order %zu is beyond LAPACK's work arrays", n);
    if (!yk_all_finite(n * n, A))
        return yk_fail(err, YK_E_INPUT, "singular values: the matrix holds a value that is not finite");
    dgesdd_("A", &order, &order, A, &order, s, U, &order, Vt, &order, &best, &ask, NULL, &info);
    lwork = (int)best;
    work = yk_doubles((size_t)lwork);
    iwork = yk_ints(8 * n);
    if (work && iwork)
        dgesdd_("A", &order, &order, A, &order, s, U, &order, Vt, &order, work, &lwork, iwork, &info);
    const bool memory = work && iwork;
    free(work);
    free(iwork);
    if (!memory)
        return yk_fail(err, YK_E_MEMORY, "out of memory for singular values of order %zu", n);
    return info ? yk_fail(err, YK_E_DIVERGED, "singular values: LAPACK's dgesdd did not converge (%d)", info) : YK_OK;
}
