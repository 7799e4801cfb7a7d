/* LU with partial pivoting, A = P L U, in memory of the caller, without heap calls: for matrices that change in the
 * loop. Golub and Van Loan, Matrix Computations, section 3.4. Pivots are counted from 1, as LAPACK does. */
#include "linalg/blas.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <yoke/arena.h>

enum { LOOP_FACTOR = 48 }; /* order up to which the plain loops below beat dgetrf */

YK_RT static void swap_rows(size_t n, double *a, size_t i, size_t k)
{
    for (size_t j = 0; j < n; j++, a += n) {
        double t = a[i];

        a[i] = a[k];
        a[k] = t;
    }
}

YK_RT static size_t largest_below(size_t n, const double *column, size_t k)
{
    size_t p = k;

    for (size_t i = k + 1; i < n; i++)
        if (fabs(column[i]) > fabs(column[p]))
            p = i;
    return p;
}

/* Column k becomes a column of L; the columns to its right lose their share of row k. */
YK_RT static void eliminate(size_t n, double *a, size_t k)
{
    double *restrict l = a + k * n;
    const double scale = 1.0 / l[k];

    for (size_t i = k + 1; i < n; i++)
        l[i] *= scale;
    for (size_t j = k + 1; j < n; j++) {
        double *restrict c = a + j * n;
        const double u = c[k];

        for (size_t i = k + 1; i < n; i++)
            c[i] -= l[i] * u;
    }
}

YK_RT static enum yk_status factor_by_loops(size_t n, double *a, int *pivot)
{
    for (size_t k = 0; k < n; k++) {
        size_t p = largest_below(n, a + k * n, k);

        if (!(fabs(a[p + k * n]) > 0.0))
            return YK_E_SINGULAR;
        pivot[k] = (int)p + 1;
        if (p != k)
            swap_rows(n, a, p, k);
        eliminate(n, a, k);
    }
    return YK_OK;
}

YK_RT static enum yk_status factor_by_lapack(size_t n, double *a, int *pivot)
{
    const int order = (int)n;
    int info;

    dgetrf_(&order, &order, a, &order, pivot, &info);
    return info ? YK_E_SINGULAR : YK_OK;
}

void yk_lu_layout(struct yk_lu *lu, size_t n, struct yk_arena *mem)
{
    lu->n = n;
    lu->a = yk_arena_doubles(mem, n * n);
    lu->pivot = yk_arena_take(mem, n * sizeof(int));
    if (!lu->a || !lu->pivot)
        return;

    /* The BLAS maps and touches its buffers at the first factorisation of a size: let that be now. */
    for (size_t i = 0; i < n; i++)
        lu->a[i + i * n] = 1.0;
    yk_lu_factor(lu);
    memset(lu->a, 0, n * n * sizeof *lu->a);
}

YK_RT enum yk_status yk_lu_factor(struct yk_lu *lu)
{
    const size_t n = lu->n;
    enum yk_status st;

    if (!yk_all_finite(n * n, lu->a))
        return YK_E_SINGULAR;
    st = n <= LOOP_FACTOR ? factor_by_loops(n, lu->a, lu->pivot) : factor_by_lapack(n, lu->a, lu->pivot);
    for (size_t i = 0; !st && i < n; i++)
        if (!isfinite(lu->a[i + i * n]))
            st = YK_E_SINGULAR;
    return st;
}

YK_RT void yk_lu_solve(const struct yk_lu *lu, double *x)
{
    const size_t n = lu->n;

    /* P^T */
    for (size_t k = 0; k < n; k++) {
        const size_t p = (size_t)lu->pivot[k] - 1;
        const double t = x[p];

        x[p] = x[k];
        x[k] = t;
    }
    /* L^-1, then U^-1, column by column */
    for (size_t k = 0; k < n; k++) {
        const double *l = lu->a + k * n;
        const double t = x[k];

        for (size_t i = k + 1; i < n; i++)
            x[i] -= l[i] * t;
    }
    for (size_t k = n; k-- > 0;) {
        const double *u = lu->a + k * n;
        const double t = x[k] /= u[k];

        for (size_t i = 0; i < k; i++)
            x[i] -= u[i] * t;
    }
}
