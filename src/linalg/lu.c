/* LU with partial pivoting, A = P L U, in memory of the caller, without heap calls: for matrices that change in the
 * loop. Golub and Van Loan, Matrix Computations, section 3.4; the form that looks left, a column at a time, whose work
 * is all in one sweep. Pivots are counted from 1, as LAPACK does. */
#include "linalg/blas.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <yoke/arena.h>

enum { LOOP_FACTOR = 128 }; /* order up to which the loops below beat dgetrf */

YK_RT static void swap(double *x, size_t i, size_t k)
{
    const double t = x[i];

    x[i] = x[k];
    x[k] = t;
}

YK_RT static size_t largest_below(size_t n, const double *column, size_t k)
{
    size_t p = k;
    double largest = fabs(column[k]);

    for (size_t i = k + 1; i < n; i++) {
        const bool larger = fabs(column[i]) > largest;

        largest = larger ? fabs(column[i]) : largest;
        p = larger ? i : p;
    }
    return p;
}

/* Column by column, looking left: the column is brought up to date with those before it, then gives its pivot. */
YK_RT static enum yk_status factor_by_loops(size_t n, double *a, int *pivot)
{
    for (size_t k = 0; k < n; k++) {
        double *c = a + k * n, scale;
        size_t p;

        for (size_t j = 0; j < k; j++)
            swap(c, j, (size_t)pivot[j] - 1);
        yk_sweep_down(n, k, a, c);
        p = largest_below(n, c, k);
        pivot[k] = (int)p + 1;
        if (!(fabs(c[p]) > 0.0))
            return YK_E_SINGULAR;
        for (size_t j = 0; p != k && j <= k; j++)
            swap(a + j * n, k, p);
        scale = 1.0 / c[k];
        for (size_t i = k + 1; i < n; i++)
            c[i] *= scale;
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
    yk_arena_array(mem, &lu->a, n * n);
    yk_arena_array(mem, &lu->pivot, n);
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
    for (size_t k = 0; k < lu->n; k++)
        swap(x, k, (size_t)lu->pivot[k] - 1);
    yk_sweep_down(lu->n, lu->n, lu->a, x);
    yk_sweep_up(lu->n, lu->a, x);
}

double yk_one_norm(size_t n, const double *a)
{
    double norm = 0.0;

    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;

        for (size_t i = 0; i < n; i++)
            sum += fabs(a[i + j * n]);
        norm = fmax(norm, sum);
    }
    return norm;
}
