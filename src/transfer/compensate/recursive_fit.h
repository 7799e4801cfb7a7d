/* Recursive least squares of a few coefficients: y = theta^T psi, older samples forgotten by lambda.
 *
 *     k = P psi/(lambda + psi^T P psi),   theta += k (y - theta^T psi),   P = (P - k psi^T P)/lambda
 *
 * P over the variance of the noise is the covariance of theta. */
#ifndef YOKE_COMPENSATE_RECURSIVE_FIT_H
#define YOKE_COMPENSATE_RECURSIVE_FIT_H

#include <math.h>
#include <string.h>
#include <yoke/status.h>

enum { YK_FIT_TERMS = 8 }; /* most coefficients */

struct yk_recursive_fit {
    int n;
    double theta[YK_FIT_TERMS], P[YK_FIT_TERMS][YK_FIT_TERMS];
};

/* From known coefficients, which are as uncertain as `variance` says. */
YK_RT static inline void yk_fit_begin(struct yk_recursive_fit *f, const double *start, double variance)
{
    memset(f->P, 0, sizeof f->P);
    for (int i = 0; i < f->n; i++) {
        f->theta[i] = start[i];
        f->P[i][i] = variance;
    }
}

YK_RT static inline double yk_fit_product(const struct yk_recursive_fit *f, const double *psi)
{
    double sum = 0;

    for (int i = 0; i < f->n; i++)
        sum += f->theta[i] * psi[i];
    return sum;
}

/* The gain k of a sample, and P psi. */
YK_RT static inline void yk_fit_gain(const struct yk_recursive_fit *f, const double *psi, double lambda, double *k,
                                     double *Ppsi)
{
    double size = lambda;

    for (int i = 0; i < f->n; i++) {
        Ppsi[i] = 0;
        for (int j = 0; j < f->n; j++)
            Ppsi[i] += f->P[i][j] * psi[j];
        size += psi[i] * Ppsi[i];
    }
    for (int i = 0; i < f->n; i++)
        k[i] = Ppsi[i] / size;
}

/* Takes a sample whose gain is known. One that would leave the numbers is left out. */
YK_RT static inline void yk_fit_take(struct yk_recursive_fit *f, const double *psi, double y, double lambda,
                                     const double *k, const double *Ppsi)
{
    const double error = y - yk_fit_product(f, psi);
    double change = 0;

    for (int i = 0; i < f->n; i++)
        change += fabs(k[i] * error);
    if (!isfinite(change))
        return;
    for (int i = 0; i < f->n; i++) {
        f->theta[i] += k[i] * error;
        for (int j = 0; j <= i; j++) /* kept symmetric */
            f->P[i][j] = f->P[j][i] = (f->P[i][j] - k[i] * Ppsi[j]) / lambda;
    }
}

YK_RT static inline void yk_fit_update(struct yk_recursive_fit *f, const double *psi, double y, double lambda)
{
    double k[YK_FIT_TERMS], Ppsi[YK_FIT_TERMS];

    yk_fit_gain(f, psi, lambda, k, Ppsi);
    yk_fit_take(f, psi, y, lambda, k, Ppsi);
}

/* Settings of compensators that adapt by it, if `adapt: rls` is chosen. */
#define YK_FIT_PARAMS(owner)                                                                                           \
    YK_REAL(owner, memory, YK_TIME, 0, 0, 1e6,                                                                         \
            YK_WHEN("adapt=rls", "time after which a sample has lost most of its weight; 0: none is forgotten")),      \
        YK_REAL(owner, cutoff, YK_FREQUENCY, 20, 1e-3, 1e5,                                                            \
                YK_WHEN("adapt=rls", "of the low-pass filters before the fit")),                                       \
        YK_REAL(owner, motion, YK_DISPLACEMENT, 1e-4, YK_TINY, 1,                                                      \
                YK_WHEN("adapt=rls", "motion below this rms is not used"))

#endif
