/* The discrete algebraic Riccati equation X = A^T X (I + G X)^-1 A + Q, G = B R^-1 B^T, by structured doubling.
 *
 *     W = I + G H,   A <- A W^-1 A,   G <- G + A W^-1 G A^T,   H <- H + A^T H W^-1 A;   H -> X, quadratically
 *
 * Chu, Fan, Lin and Wang, "Structure-preserving algorithms for periodic discrete-time algebraic Riccati equations",
 * Int. J. Control 77 (2004) 767-788, for the period 1. A, Q, R, X by columns. */
#include "linalg/blas.h"
#include <yoke/arena.h>
#include <yoke/linalg.h>

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 60 };
#define CONVERGED 1e-14 /* change of X, relative */

static void multiply(const char *a, const char *b, size_t n, double share, const double *A, const double *B,
                     double keep, double *C)
{
    const int order = (int)n;

    dgemm_(a, b, &order, &order, &order, &share, A, &order, B, &order, &keep, C, &order);
}

/* X (n columns) := W^-1 X */
static void solve_all(const struct yk_lu *W, size_t n, double *X)
{
    for (size_t j = 0; j < n; j++)
        yk_lu_solve(W, X + j * n);
}

struct doubling {
    size_t n;
    double *A, *G, *H, *WA, *WG, *work, *last;
    struct yk_lu W;
};

static enum yk_status step(struct doubling *d)
{
    const size_t n = d->n;

    multiply("N", "N", n, 1, d->G, d->H, 0, d->W.a);
    for (size_t i = 0; i < n; i++)
        d->W.a[i + i * n] += 1;
    if (yk_lu_factor(&d->W))
        return YK_E_SINGULAR;
    memcpy(d->WA, d->A, n * n * sizeof *d->A);
    memcpy(d->WG, d->G, n * n * sizeof *d->G);
    solve_all(&d->W, n, d->WA);
    solve_all(&d->W, n, d->WG);
    memcpy(d->last, d->H, n * n * sizeof *d->H);
    multiply("N", "N", n, 1, d->H, d->WA, 0, d->work);
    multiply("T", "N", n, 1, d->A, d->work, 1, d->H);
    multiply("N", "N", n, 1, d->A, d->WG, 0, d->work);
    multiply("N", "T", n, 1, d->work, d->A, 1, d->G);
    multiply("N", "N", n, 1, d->A, d->WA, 0, d->work);
    memcpy(d->A, d->work, n * n * sizeof *d->A);
    return YK_OK;
}

/* Largest change of H over its largest entry; rounding is kept symmetric. */
static double settle(struct doubling *d)
{
    const size_t n = d->n;
    double change = 0, size = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double mean = 0.5 * (d->H[i + j * n] + d->H[j + i * n]);

            d->H[i + j * n] = d->H[j + i * n] = mean;
            change = fmax(change, fabs(mean - d->last[i + j * n]));
            size = fmax(size, fabs(mean));
            d->G[i + j * n] = d->G[j + i * n] = 0.5 * (d->G[i + j * n] + d->G[j + i * n]);
        }
    return isfinite(size) ? change / size : NAN;
}

enum yk_status yk_riccati(size_t n, const double *A, const double *G, const double *Q, double *X, struct yk_err *err)
{
    struct yk_arena mem = {0};
    struct doubling d = {.n = n};
    enum yk_status st;
    double change = 1;

    yk_arena_each(&mem, n * n, 7, (double **[]){&d.A, &d.G, &d.H, &d.WA, &d.WG, &d.work, &d.last});
    yk_lu_layout(&d.W, n, &mem);
    if (!(st = yk_arena_check(&mem, err))) {
        memcpy(d.A, A, n * n * sizeof *A);
        memcpy(d.G, G, n * n * sizeof *G);
        memcpy(d.H, Q, n * n * sizeof *Q);
        for (int i = 0; i < MOST_STEPS && !st && change > CONVERGED; i++)
            if (!(st = step(&d)))
                change = settle(&d);
        if (st || !(change <= CONVERGED))
            st =
                yk_fail(err, YK_E_DIVERGED,
                        "the Riccati equation has no solution that stabilises: a state that grows cannot be reached by "
                        "the commands, or not be seen in the outputs");
        memcpy(X, d.H, n * n * sizeof *X);
    }
    yk_arena_free(&mem);
    return st;
}
