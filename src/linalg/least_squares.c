/* Least squares, for preparation: columns brought to one size, then LAPACK's complete orthogonal factorisation. */
#include "linalg/blas.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#define SAME_WITHIN 1e-13 /* columns that are combinations of others up to this share */

enum yk_status yk_least_squares(size_t rows, size_t cols, double *A, double *b, struct yk_err *err)
{
    const int m = (int)rows, n = (int)cols, one = 1, lwork = (int)(8 * cols + 64 + rows);
    const double same = SAME_WITHIN;
    double *size = yk_doubles(cols), *work = yk_doubles((size_t)lwork);
    int *pivot = yk_ints(cols), rank = 0, info = 0;
    enum yk_status st = YK_OK;

    if (!size || !work || !pivot)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for least squares");
    else if (rows < cols || rows > INT_MAX / 16)
        st = yk_fail(err, YK_E_RANGE, "least squares: %zu equations for %zu unknowns", rows, cols);
    else if (!yk_all_finite(rows * cols, A) || !yk_all_finite(rows, b))
        st = yk_fail(err, YK_E_INPUT, "least squares: a value is not finite");
    for (size_t j = 0; size && j < cols && !st; j++) {
        double *a = A + j * rows, length = sqrt(yk_dot(rows, a, a));

        size[j] = length > 0 ? 1 / length : 0;
        for (size_t i = 0; i < rows; i++)
            a[i] *= size[j];
    }
    if (!st) {
        dgelsy_(&m, &n, &one, A, &m, b, &m, pivot, &same, &rank, work, &lwork, &info);
        st = info ? yk_fail(err, YK_E_DIVERGED, "least squares: LAPACK's dgelsy refused (%d)", info) : YK_OK;
    }
    for (size_t j = 0; size && j < cols && !st; j++)
        b[j] *= size[j];
    free(size);
    free(work);
    free(pivot);
    return st;
}
