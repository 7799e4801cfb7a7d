/* Matrix exponential by scaling and squaring with the (13,13) Pade approximant r = q(A)^-1 p(A).
 * Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM J. Matrix Anal. Appl. 26 (2005)
 * 1179-1193: coefficients (2.2), evaluation (2.10)-(2.11), THETA from table 2.3. Backward error below the rounding unit
 * in exact arithmetic. A is balanced first (Ward 1977; the preprocessing of algorithm 2.3 there) when that lowers its
 * norm: the state matrix of an oscillator of 1e4 rad/s otherwise takes so many squarings that six digits are lost. */
#include "linalg/blas.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THETA 5.371920351148152 /* 1-norm up to which r(A) is exp(A) to rounding */

static const double b[] = {64764752532480000.0,
                           32382376266240000.0,
                           7771770303897600.0,
                           1187353796428800.0,
                           129060195264000.0,
                           10559470521600.0,
                           670442572800.0,
                           33522128640.0,
                           1323241920.0,
                           40840800.0,
                           960960.0,
                           16380.0,
                           182.0,
                           1.0};

/* C = A B */
static void multiply(size_t n, const double *A, const double *B, double *C)
{
    const double yes = 1.0, no = 0.0;
    const int order = (int)n;

    dgemm_("N", "N", &order, &order, &order, &yes, A, &order, B, &order, &no, C, &order);
}

/* B = D^-1 A D with D of powers of two, so without rounding; D is the identity when that does not lower the norm. */
static void balance(size_t n, const double *A, double *B, double *D)
{
    const int order = (int)n;
    int low, high, info;

    memcpy(B, A, n * n * sizeof *B);
    dgebal_("S", &order, B, &order, &low, &high, D, &info);
    if (yk_one_norm(n, B) < yk_one_norm(n, A))
        return;
    memcpy(B, A, n * n * sizeof *B);
    for (size_t i = 0; i < n; i++)
        D[i] = 1.0;
}

/* E := D E D^-1 */
static void undo_balance(size_t n, const double *D, double *E)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            E[i + j * n] *= D[i] / D[j];
}

/* Squarings needed to bring the 1-norm below THETA. */
static int squarings(size_t n, const double *A)
{
    const double norm = yk_one_norm(n, A);
    int exponent;

    if (norm <= THETA)
        return 0;
    frexp(norm / THETA, &exponent); /* norm / THETA < 2^exponent */
    return exponent;
}

/* S = c[6] A6 + c[4] A4 + c[2] A2 */
static void even_sum(size_t n, const double *A2, const double *A4, const double *A6, const double *c, double *S)
{
    for (size_t k = 0; k < n * n; k++)
        S[k] = c[6] * A6[k] + c[4] * A4[k] + c[2] * A2[k];
}

static void add_identity(size_t n, double factor, double *S)
{
    for (size_t i = 0; i < n; i++)
        S[i + i * n] += factor;
}

/* eq. (2.10), (2.11): U = A [A6 (b13 A6 + b11 A4 + b9 A2) + b7 A6 + b5 A4 + b3 A2 + b1 I], V likewise without A */
static void pade_terms(size_t n, const double *A, double *U, double *V, double *work)
{
    const size_t block = n * n;
    double *A2 = work, *A4 = A2 + block, *A6 = A4 + block, *S = A6 + block, *T = S + block;

    multiply(n, A, A, A2);
    multiply(n, A2, A2, A4);
    multiply(n, A4, A2, A6);

    even_sum(n, A2, A4, A6, b + 7, S);
    multiply(n, A6, S, T);
    even_sum(n, A2, A4, A6, b + 1, S);
    add_identity(n, b[1], S);
    for (size_t k = 0; k < block; k++)
        S[k] += T[k];
    multiply(n, A, S, U);

    even_sum(n, A2, A4, A6, b + 6, S);
    multiply(n, A6, S, V);
    even_sum(n, A2, A4, A6, b, S);
    add_identity(n, b[0], S);
    for (size_t k = 0; k < block; k++)
        V[k] += S[k];
}

/* (V - U) E = V + U; overwrites V */
static int pade_quotient(size_t n, const double *U, double *V, double *E, int *pivot)
{
    const int order = (int)n;
    int info;

    for (size_t k = 0; k < n * n; k++) {
        E[k] = V[k] + U[k];
        V[k] -= U[k];
    }
    dgesv_(&order, &order, V, &order, pivot, E, &order, &info);
    return info;
}

enum yk_status yk_expm(size_t n, const double *A, double *E, struct yk_err *err)
{
    const size_t block = n * n;
    double *work = NULL, *scaled, *U, *V, *D;
    int *pivot = NULL, count;
    enum yk_status st = YK_OK;

    if (n == 0)
        return YK_OK;
    if (n > (size_t)INT_MAX / n)
        return yk_fail(err, YK_E_RANGE, "matrix exponential: order %zu is beyond 2^31 entries", n);
    if (!yk_all_finite(block, A))
        return yk_fail(err, YK_E_INPUT, "matrix exponential: the matrix holds a value that is not finite");
    work = yk_doubles(8 * block + n);
    pivot = yk_ints(n);
    if (!work || !pivot) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory: exponential of a matrix of order %zu", n);
        goto fail;
    }
    scaled = work + 5 * block;
    U = scaled + block;
    V = U + block;
    D = V + block;
    balance(n, A, scaled, D);
    count = squarings(n, scaled);
    for (size_t k = 0; k < block; k++)
        scaled[k] = ldexp(scaled[k], -count);
    pade_terms(n, scaled, U, V, work);
    if (pade_quotient(n, U, V, E, pivot)) {
        st = yk_fail(err, YK_E_SINGULAR, "matrix exponential: the denominator of order %zu is singular", n);
        goto fail;
    }
    for (; count > 0; count--) {
        multiply(n, E, E, scaled);
        memcpy(E, scaled, block * sizeof *E);
    }
    undo_balance(n, D, E);
    if (!yk_all_finite(block, E))
        st = yk_fail(err, YK_E_RANGE, "matrix exponential: the result is beyond the range of a double");
fail:
    free(pivot);
    free(work);
    return st;
}
