/* A linear process from its answers, see realise.h. */
#include "analyze/realise.h"

#include <yoke/linalg.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Motions weaker than this against the strongest are not told from rounding, which is about 1e-13 after the thousands
 * of steps behind a sample. */
#define WEAKEST 1e-9
#define STATIC  1e-4 /* roots within this distance from 1 are states that stay; a double root is known to its square */

/* H (n*n, n = half*size): block (i, j) is Y_{i+j+shift} */
static void hankel(const struct yk_samples *s, size_t shift, double *H)
{
    const size_t m = s->size, n = s->half * m;

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            H[i + j * n] = s->Y[(i / m + j / m + shift) * m * m + i % m + j % m * m];
}

/* A (k*k) = S^-1/2 U^T H1 V S^-1/2 from the first k of n singular triplets; work: n */
static void project(size_t n, size_t k, const double *U, const double *S, const double *Vt, const double *H1,
                    double *work, double *A)
{
    const struct yk_matrix H = {.form = YK_DENSE, .rows = n, .cols = n, .x = (double *)H1};

    for (size_t j = 0; j < k; j++) {
        double *column = work + n;

        memset(work, 0, n * sizeof *work);
        for (size_t i = 0; i < n; i++)
            column[i] = Vt[j + i * n];
        yk_matrix_add_product(&H, 1, column, work);
        for (size_t i = 0; i < k; i++)
            A[i + j * k] = yk_dot(n, U + i * n, work) / sqrt(S[i] * S[j]);
    }
}

/* Modulus of the first eigenvalue that is no static state. */
static double largest(size_t n, const double *re, const double *im)
{
    for (size_t i = 0; i < n; i++)
        if (hypot(re[i] - 1, im[i]) > STATIC)
            return hypot(re[i], im[i]);
    return 0;
}

enum yk_status yk_realise_radius(const struct yk_samples *samples, double *radius, bool *complete, struct yk_err *err)
{
    const size_t n = samples->half * samples->size;
    double *memory = malloc((4 * n * n + 5 * n) * sizeof *memory);
    double *H = memory, *U = H + n * n, *Vt = U + n * n, *A = Vt + n * n, *S = A + n * n, *work = S + n;
    double *re = work + 2 * n, *im = re + n;
    enum yk_status st;
    size_t k = 0;

    if (!memory)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu samples of order %zu", 2 * samples->half,
                       samples->size);
    hankel(samples, 0, H);
    if (!(st = yk_svd(n, H, U, S, Vt, err))) {
        while (k < n && S[k] > WEAKEST * S[0])
            k++;
        hankel(samples, 1, H);
        project(n, k, U, S, Vt, H, work, A);
        st = yk_eigen_general(k, A, re, im, err);
    }
    if (!st) {
        *radius = largest(k, re, im);
        *complete = k < n;
    }
    free(memory);
    return st;
}
