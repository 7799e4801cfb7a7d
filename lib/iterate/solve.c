/* Small dense systems by Gaussian elimination with partial pivots. Sizes: the unknowns of an iterated test. */
#include <yoke/iterate.h>

#include <math.h>

static void swap(double *a, double *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double x = a[i];

        a[i] = b[i];
        b[i] = x;
    }
}

bool yk_solve_real(size_t n, double *A, size_t columns, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t p = k;

        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k]))
                p = i;
        if (!(fabs(A[p * n + k]) > 0) || !isfinite(A[p * n + k]))
            return false;
        if (p != k) {
            swap(A + p * n, A + k * n, n);
            swap(b + p * columns, b + k * columns, columns);
        }
        for (size_t i = 0; i < n; i++) {
            const double f = i == k ? 0 : A[i * n + k] / A[k * n + k];

            for (size_t j = k; f != 0 && j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            for (size_t j = 0; f != 0 && j < columns; j++)
                b[i * columns + j] -= f * b[k * columns + j];
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < columns; j++)
            b[k * columns + j] /= A[k * n + k];
    return true;
}

/* to -= f from, complex, n of them */
static void subtract(double *to, const double f[2], const double *from, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        to[2 * j] -= f[0] * from[2 * j] - f[1] * from[2 * j + 1];
        to[2 * j + 1] -= f[0] * from[2 * j + 1] + f[1] * from[2 * j];
    }
}

static void divide(const double a[2], const double b[2], double out[2])
{
    const double size = b[0] * b[0] + b[1] * b[1], re = (a[0] * b[0] + a[1] * b[1]) / size;

    out[1] = (a[1] * b[0] - a[0] * b[1]) / size;
    out[0] = re;
}

bool yk_solve_complex(size_t n, double *A, size_t columns, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t p = k;
        double f[2];

        for (size_t i = k + 1; i < n; i++)
            if (hypot(A[2 * (i * n + k)], A[2 * (i * n + k) + 1]) > hypot(A[2 * (p * n + k)], A[2 * (p * n + k) + 1]))
                p = i;
        const double *pivot = A + 2 * (k * n + k);

        if (p != k) {
            swap(A + 2 * p * n, A + 2 * k * n, 2 * n);
            swap(b + 2 * p * columns, b + 2 * k * columns, 2 * columns);
        }
        if (!(hypot(pivot[0], pivot[1]) > 0) || !isfinite(pivot[0]) || !isfinite(pivot[1]))
            return false;
        for (size_t i = 0; i < n; i++) {
            if (i == k)
                continue;
            divide(A + 2 * (i * n + k), pivot, f);
            subtract(A + 2 * (i * n + k), f, A + 2 * (k * n + k), n - k);
            subtract(b + 2 * i * columns, f, b + 2 * k * columns, columns);
        }
    }
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < columns; j++)
            divide(b + 2 * (k * columns + j), A + 2 * (k * n + k), b + 2 * (k * columns + j));
    return true;
}
