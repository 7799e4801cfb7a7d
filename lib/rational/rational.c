/* Models of actuators as rational functions with a dead time: response and roots. docs/theory/control.md, eq. (79). */
#include <yoke/linalg.h>
#include <yoke/measured.h>

#include <math.h>

double complex yk_rational_at(const struct yk_rational *model, double frequency_Hz)
{
    const double complex s = 2 * M_PI * frequency_Hz * I;
    double complex a = 0, b = 0;

    for (int k = model->poles; k >= 0; k--)
        a = a * s + model->a[k];
    for (int k = model->zeros; k >= 0; k--)
        b = b * s + model->b[k];
    return model->gain * cexp(-s * model->dead_time_s) * b / a;
}

/* Roots of c[0] + c[1] s + ... + c[n] s^n: eigenvalues of the companion matrix, in a unit of time that makes the outer
 * coefficients equal. */
static enum yk_status roots_of(const double *c, int n, double complex *roots, struct yk_err *err)
{
    double A[YK_RATIONAL_ORDER * YK_RATIONAL_ORDER] = {0}, re[YK_RATIONAL_ORDER], im[YK_RATIONAL_ORDER];
    const double unit = n > 0 ? pow(fabs(c[0] / c[n]), 1.0 / n) : 1;

    if (n == 0)
        return YK_OK;
    for (int k = 0; k < n; k++) {
        A[k + (n - 1) * n] = -c[k] / c[n] * pow(unit, k - n);
        if (k > 0)
            A[k + (k - 1) * n] = 1;
    }
    const enum yk_status st = yk_eigen_general((size_t)n, A, re, im, err);
    for (int k = 0; k < n && !st; k++)
        roots[k] = unit * (re[k] + I * im[k]);
    return st;
}

enum yk_status yk_rational_roots(const struct yk_rational *model, double complex *poles, double complex *zeros,
                                 struct yk_err *err)
{
    const enum yk_status st = roots_of(model->a, model->poles, poles, err);

    return st ? st : roots_of(model->b, model->zeros, zeros, err);
}
