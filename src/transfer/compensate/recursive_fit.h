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

#endif
