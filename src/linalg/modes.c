/* All modes of K x = w2 M x, refined. docs/theory/modal.md, eq. (7)-(8).
 *
 * LAPACK's modes are exact for a stiffness that is off by rounding of its largest entries. Low modes are softer than
 * that by the square of the ratio of frequencies: they are found as mixtures, with frequencies that are off by as much.
 * One step of refinement (Ogita and Aishima 2018) takes it out, since it sums K X in extended precision:
 *
 *     R = I - X^T M X,   S = X^T K X,   w2_j = S_jj / (1 - R_jj),
 *     E_ij = (S_ij + w2_j R_ij) / (w2_j - w2_i)  where the modes are apart,  R_ij / 2 elsewhere,   X := X + X E
 *
 * Modes that nearly share a frequency are turned to each other first (Jacobi), which makes their S_ij vanish. */
#include "linalg/modes.h"

#include "linalg/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 2, SWEEPS = 20 };

#define CLOSE    1e-6  /* |S_ij| over the distance of two w2: modes that nearly share their frequency */
#define ROUNDING 1e-15 /* |S_ij| over w2 */

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the modes of %zu degrees of freedom", n);
}

/* y = A x with every sum in extended precision; sum: rows of work */
static void accurate_product(const struct yk_matrix *A, const double *x, long double *sum, double *y)
{
    for (size_t i = 0; i < A->rows; i++)
        sum[i] = 0;
    for (size_t j = 0; j < A->cols; j++) {
        const long double xj = x[j];

        if (A->form == YK_DENSE)
            for (size_t i = 0; i < A->rows; i++)
                sum[i] += A->x[i + j * A->rows] * xj;
        else if (A->form == YK_DIAGONAL)
            sum[j] = A->x[j] * xj;
        else
            for (int k = A->col[j]; k < A->col[j + 1]; k++)
                sum[A->row[k]] += A->x[k] * xj;
    }
    for (size_t i = 0; i < A->rows; i++)
        y[i] = (double)sum[i];
}

/* C = A^T B, or A B; A n x n, B n x cols */
static void multiply(bool transposed, size_t n, size_t cols, const double *A, const double *B, double *C)
{
    const int order = (int)n, width = (int)cols;
    const double one = 1, zero = 0;

    dgemm_(transposed ? "T" : "N", "N", &order, &width, &order, &one, A, &order, B, &order, &zero, C, &order);
}

enum yk_status yk_congruence(const struct yk_matrix *A, const double *X, double *S, struct yk_err *err)
{
    const size_t n = A->rows;
    long double *sum = malloc((n + 1) * sizeof *sum);
    double *Y = yk_doubles(n * n);

    for (size_t j = 0; sum && Y && j < n; j++)
        accurate_product(A, X + j * n, sum, Y + j * n);
    if (sum && Y)
        multiply(true, n, n, X, Y, S);
    const enum yk_status st = sum && Y ? YK_OK : no_memory(n, err);
    free(sum);
    free(Y);
    return st;
}

enum yk_status yk_project(const double *X, const struct yk_matrix *A, struct yk_matrix *B, struct yk_err *err)
{
    double *dense = yk_doubles(A->rows * A->cols);
    enum yk_status st = dense ? yk_matrix_init(B, YK_DENSE, A->rows, A->cols, err) : no_memory(A->rows, err);

    if (!st) {
        yk_matrix_to_dense(A, dense);
        multiply(true, A->rows, A->cols, X, dense, B->x);
    }
    free(dense);
    return st;
}

/* Two columns, or rows, whose entries are `stride` apart: a_i := c a_i - s a_j, a_j := s a_i + c a_j */
static void turn(size_t n, size_t stride, double c, double s, double *a_i, double *a_j)
{
    for (size_t k = 0; k < n * stride; k += stride) {
        const double x = a_i[k], y = a_j[k];

        a_i[k] = c * x - s * y;
        a_j[k] = s * x + c * y;
    }
}

/* The upper triangle becomes that of the lower one, which is the accurate one. */
static void mirror(size_t n, double *S)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++)
            S[i + j * n] = S[j + i * n];
}

/* Is the coupling s of two modes too large for a correction of first order, and more than rounding? */
static bool is_close(double s, double w2_i, double w2_j)
{
    return fabs(s) > CLOSE * fabs(w2_i - w2_j) && fabs(s) > ROUNDING * fmin(fabs(w2_i), fabs(w2_j));
}

/* Jacobi's rotations of modes that nearly share a frequency, until their S_ij vanish. */
static void part_neighbours(size_t n, double *X, double *S)
{
    bool turned = true;

    for (int sweep = 0; sweep < SWEEPS && turned; sweep++) {
        turned = false;
        for (size_t j = 0; j < n; j++)
            for (size_t i = j + 1; i < n; i++) {
                const double off = S[i + j * n], apart = S[i + i * n] - S[j + j * n];

                if (!is_close(off, S[i + i * n], S[j + j * n]))
                    continue;
                const double theta = 0.5 * (apart == 0 ? copysign(M_PI / 2, off) : atan(2 * off / apart));
                const double c = cos(theta), s = sin(theta);

                turn(n, 1, c, s, X + j * n, X + i * n);
                turn(n, 1, c, s, S + j * n, S + i * n);
                turn(n, n, c, s, S + j, S + i);
                turned = true;
            }
    }
}

/* X := X + X E; w2 from S and R. T: n*n of work. */
static void correct(size_t n, double *X, double *S, const double *XtMX, double *w2, double *T)
{
    for (size_t j = 0; j < n; j++)
        w2[j] = S[j + j * n] / XtMX[j + j * n];
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            const double r = (i == j) - XtMX[i + j * n], apart = w2[j] - w2[i];
            const double s = S[i + j * n];

            T[i + j * n] = i == j || fabs(s) >= CLOSE * fabs(apart) ? r / 2 : (s + w2[j] * r) / apart;
        }
    multiply(false, n, n, X, T, S);
    for (size_t k = 0; k < n * n; k++)
        X[k] += S[k];
}

/* ascending w2, with their modes */
static void sort(size_t n, double *w2, double *X)
{
    for (size_t j = 1; j < n; j++)
        for (size_t i = j; i > 0 && w2[i] < w2[i - 1]; i--) {
            const double w = w2[i];

            w2[i] = w2[i - 1];
            w2[i - 1] = w;
            turn(n, 1, 0, 1, X + (i - 1) * n, X + i * n);
        }
}

enum yk_status yk_modes(const struct yk_matrix *K, const struct yk_matrix *M, double *w2, double *X, struct yk_err *err)
{
    const size_t n = K->rows;
    double *S = yk_doubles(n * n), *XtMX = yk_doubles(n * n), *T = yk_doubles(n * n);
    enum yk_status st = S && XtMX && T ? yk_eigen_symmetric(K, M, n, w2, X, err) : no_memory(n, err);

    for (int round = 0; round < REFINEMENTS && !st; round++) {
        if ((st = yk_congruence(K, X, S, err)))
            break;
        mirror(n, S);
        part_neighbours(n, X, S);
        if ((st = yk_congruence(M, X, XtMX, err)))
            break;
        mirror(n, S); /* rounding would turn close modes towards each other */
        mirror(n, XtMX);
        correct(n, X, S, XtMX, w2, T);
        sort(n, w2, X);
    }
    free(S);
    free(XtMX);
    free(T);
    return st;
}
