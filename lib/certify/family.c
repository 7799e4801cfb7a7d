/* A linear loop with its ports, closed by given factors. docs/theory/certificates.md, eq. (2)-(4). */
#include "parts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/linalg.h>

enum yk_status yk_family_make(struct yk_family *f, size_t states, size_t ports, struct yk_err *err)
{
    const size_t n = states, m = ports;

    *f = (struct yk_family){.states = n, .ports = m};
    f->A = calloc(n * n + 2 * n * m + m * m + 1, sizeof *f->A);
    f->parameter = calloc(m + 1, sizeof *f->parameter);
    if (!f->A || !f->parameter) {
        yk_family_free(f);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    }
    f->B = f->A + n * n;
    f->C = f->B + n * m;
    f->D = f->C + n * m;
    return YK_OK;
}

void yk_family_free(struct yk_family *f)
{
    free(f->A);
    free(f->parameter);
    *f = (struct yk_family){0};
}

/* X := (I - D Delta)^-1 X for X of m rows, by elimination with pivots; returns the determinant. */
static double solve_ports(size_t m, double *L, size_t cols, double *X)
{
    double det = 1;

    for (size_t k = 0; k < m; k++) {
        size_t best = k;

        for (size_t i = k + 1; i < m; i++)
            best = fabs(L[i + k * m]) > fabs(L[best + k * m]) ? i : best;
        if (L[best + k * m] == 0)
            return 0;
        if (best != k) {
            det = -det;
            for (size_t j = 0; j < m; j++) {
                const double kept = L[k + j * m];

                L[k + j * m] = L[best + j * m];
                L[best + j * m] = kept;
            }
            for (size_t j = 0; j < cols; j++) {
                const double kept = X[k + j * m];

                X[k + j * m] = X[best + j * m];
                X[best + j * m] = kept;
            }
        }
        det *= L[k + k * m];
        for (size_t i = k + 1; i < m; i++) {
            const double part = L[i + k * m] / L[k + k * m];

            if (part == 0)
                continue;
            for (size_t j = k + 1; j < m; j++)
                L[i + j * m] -= part * L[k + j * m];
            for (size_t j = 0; j < cols; j++)
                X[i + j * m] -= part * X[k + j * m];
        }
    }
    for (size_t j = 0; j < cols; j++)
        for (size_t k = m; k-- > 0;) {
            for (size_t i = k + 1; i < m; i++)
                X[k + j * m] -= L[k + i * m] * X[i + j * m];
            X[k + j * m] /= L[k + k * m];
        }
    return det;
}

/* A + B Delta (I - D Delta)^-1 C, eq. (3). */
static enum yk_status close_ports(const struct yk_family *f, const double *delta, double *A, double *det,
                                  struct yk_err *err)
{
    const size_t n = f->states, m = f->ports;
    double *L = malloc((m * m + m * n + 1) * sizeof *L), *X;

    if (!L)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    X = L + m * m;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++)
            L[i + j * m] = (i == j) - f->D[i + j * m] * delta[f->parameter[j]];
    memcpy(X, f->C, m * n * sizeof *X);
    memcpy(A, f->A, n * n * sizeof *A);
    *det = solve_ports(m, L, n, X);
    for (size_t j = 0; j < n && *det != 0; j++)
        for (size_t k = 0; k < m; k++) {
            const double by = delta[f->parameter[k]] * X[k + j * m];

            if (by != 0)
                yk_add_scaled(n, by, f->B + k * n, A + j * n);
        }
    free(L);
    return YK_OK;
}

enum yk_status yk_family_close(const struct yk_family *f, const double *delta, double *determinant, double *re,
                               double *im, struct yk_err *err)
{
    double *A = malloc((f->states * f->states + 1) * sizeof *A);
    enum yk_status st = A ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a loop");

    if (!st && !(st = close_ports(f, delta, A, determinant, err))) {
        if (*determinant != 0)
            st = f->states ? yk_eigen_general(f->states, A, re, im, err) : YK_OK;
        else
            for (size_t i = 0; i < f->states; i++) /* infinitely far out */
                re[i] = im[i] = INFINITY;
    }
    free(A);
    return st;
}

/* ---- fewer ports ---- */

/* Orthonormal vectors of R^k that span the rows of X (count x k, its row i at X + i * k), rank of them; Q: k x k.
 * X is destroyed. */
static size_t span(size_t count, size_t k, double *X, double least, double *Q)
{
    size_t rank = 0;
    double first = 0;

    while (rank < k) {
        double most = 0, *q = Q + rank * k;
        size_t best = 0;

        for (size_t i = 0; i < count; i++) {
            const double now = yk_dot(k, X + i * k, X + i * k);

            if (now > most) {
                most = now;
                best = i;
            }
        }
        first = rank ? first : sqrt(most);
        if (!(sqrt(most) > least * first))
            break;
        memcpy(q, X + best * k, k * sizeof *q);
        for (size_t j = 0; j < rank; j++)
            yk_add_scaled(k, -yk_dot(k, Q + j * k, q), Q + j * k, q);
        const double norm = sqrt(yk_dot(k, q, q));

        for (size_t j = 0; j < k; j++)
            q[j] /= norm;
        for (size_t i = 0; i < count; i++)
            yk_add_scaled(k, -yk_dot(k, q, X + i * k), q, X + i * k);
        rank++;
    }
    return rank;
}

/* Ports of one parameter that are turned into fewer: those in `at`, k of them, by Q (k x rank). */
static void turn(struct yk_family *f, size_t k, const size_t *at, size_t rank, const double *Q, double *work)
{
    const size_t n = f->states, m = f->ports;

    for (int side = 0; side < 2; side++) /* columns of B and D, rows of C and D */
        for (size_t i = 0; i < n + m; i++) {
            for (size_t j = 0; j < k; j++)
                work[j] = side == 0 ? (i < n ? f->B[i + at[j] * n] : f->D[i - n + at[j] * m])
                                    : (i < n ? f->C[at[j] + i * m] : f->D[at[j] + (i - n) * m]);
            for (size_t j = 0; j < k; j++) {
                const double now = j < rank ? yk_dot(k, Q + j * k, work) : 0;

                *(side == 0 ? (i < n ? &f->B[i + at[j] * n] : &f->D[i - n + at[j] * m])
                            : (i < n ? &f->C[at[j] + i * m] : &f->D[at[j] + (i - n) * m])) = now;
            }
        }
    for (size_t j = rank; j < k; j++)
        f->parameter[at[j]] = SIZE_MAX;
}

/* Size of what the ports of a parameter see (side 0: rows of C) or do (columns of B): units differ between them. */
static double size_of(const struct yk_family *f, size_t parameter, int side)
{
    const size_t n = f->states, m = f->ports;
    double most = 0;

    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; f->parameter[j] == parameter && i < n; i++)
            most = fmax(most, fabs(side == 0 ? f->C[j + i * m] : f->B[i + j * n]));
    return most > 0 ? most : 1;
}

/* The shorter of the spans of what the ports do and of what they see. */
static void compress_one(struct yk_family *f, size_t k, const size_t *at, double least, double *work)
{
    const size_t n = f->states, m = f->ports;
    double *X = work, *Q[2] = {work + k * (n + m), work + k * (n + m) + k * k};
    size_t rank[2];

    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n + m; i++) {
            const double by = i < n || f->parameter[i - n] == SIZE_MAX ? 1 : 1 / size_of(f, f->parameter[i - n], side);

            for (size_t j = 0; j < k; j++)
                X[i * k + j] = by * (side == 0 ? (i < n ? f->B[i + at[j] * n] : f->D[i - n + at[j] * m])
                                               : (i < n ? f->C[at[j] + i * m] : f->D[at[j] + (i - n) * m]));
        }
        rank[side] = span(n + m, k, X, least, Q[side]);
    }
    const int best = rank[1] < rank[0];

    turn(f, k, at, rank[best], Q[best], X);
}

/* Leaves out the ports that have no parameter any more. */
static enum yk_status drop(struct yk_family *f, struct yk_err *err)
{
    struct yk_family few;
    const size_t n = f->states, m = f->ports;
    size_t left = 0, a = 0;
    enum yk_status st;

    for (size_t j = 0; j < m; j++)
        left += f->parameter[j] != SIZE_MAX;
    if ((st = yk_family_make(&few, n, left, err)))
        return st;
    memcpy(few.A, f->A, n * n * sizeof *few.A);
    for (size_t j = 0; j < m; j++) {
        size_t b = 0;

        if (f->parameter[j] == SIZE_MAX)
            continue;
        few.parameter[a] = f->parameter[j];
        memcpy(few.B + a * n, f->B + j * n, n * sizeof *few.B);
        for (size_t i = 0; i < n; i++)
            few.C[a + i * left] = f->C[j + i * m];
        for (size_t i = 0; i < m; i++)
            if (f->parameter[i] != SIZE_MAX)
                few.D[a + b++ * left] = f->D[j + i * m];
        a++;
    }
    yk_family_free(f);
    *f = few;
    return YK_OK;
}

static enum yk_status compress_each(struct yk_family *f, size_t parameters, double least, struct yk_err *err)
{
    const size_t m = f->ports;
    size_t *at = malloc((m + 1) * sizeof *at);
    double *work = malloc((m * (f->states + m) + 2 * m * m + 1) * sizeof *work);

    if (!at || !work) {
        free(at);
        free(work);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    }
    for (size_t i = 0; i < parameters; i++) {
        size_t k = 0;

        for (size_t j = 0; j < m; j++)
            if (f->parameter[j] == i)
                at[k++] = j;
        if (k > 0)
            compress_one(f, k, at, least, work);
    }
    free(at);
    free(work);
    return drop(f, err);
}

/* Ports without effect are seen by others: without them, those may need fewer. */
enum yk_status yk_family_compress(struct yk_family *f, size_t parameters, double least, struct yk_err *err)
{
    enum yk_status st;
    size_t before;

    do {
        before = f->ports;
        st = compress_each(f, parameters, least, err);
    } while (!st && f->ports < before);
    return st;
}

/* ---- its polynomial ---- */

double complex certify_value(const struct certify_plant *p, double complex z, double s, double scale,
                             double complex *slope, double *rest)
{
    double complex product = p->factor / scale, sum = 0;
    double grown = 1, first = 0;

    for (size_t i = 0; i < p->roots; i++) {
        const double re = creal(z) - p->re[i], im = cimag(z) - p->im[i], square = re * re + im * im, r = sqrt(square);
        const double x = creal(product), y = cimag(product);

        product = (x * re - y * im) + I * (x * im + y * re);
        sum += (re - I * im) / square;
        grown *= 1 + s / r;
        first += s / r;
    }
    for (size_t i = 0; i < p->padding; i++) {
        product *= z;
        sum += conj(z);
        grown *= 1 + s;
        first += s;
    }
    *slope = product * sum;
    *rest = cabs(product) * (fmax(grown - 1 - first, 0) + 1e-15 * grown);
    if (!isfinite(*rest) || !isfinite(creal(*slope)) || !isfinite(cimag(*slope))) {
        *slope = 0;
        *rest = INFINITY;
    }
    return product;
}

/* ---- units of the states ---- */

enum { ROUNDS = 20 };

void certify_balance_states(struct yk_family *f)
{
    const size_t n = f->states, m = f->ports;

    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < n; i++) {
            double row = 0, column = 0;

            for (size_t j = 0; j < n; j++) {
                row += j == i ? 0 : f->A[i + j * n] * f->A[i + j * n];
                column += j == i ? 0 : f->A[j + i * n] * f->A[j + i * n];
            }
            if (!(row > 0 && column > 0))
                continue;
            const double by = pow(column / row, 0.25);

            for (size_t j = 0; j < n; j++) {
                f->A[i + j * n] *= by;
                f->A[j + i * n] /= by;
            }
            for (size_t k = 0; k < m; k++) {
                f->B[i + k * n] *= by;
                f->C[k + i * m] /= by;
            }
        }
}
