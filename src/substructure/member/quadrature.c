/* Gauss-Legendre and Gauss-Lobatto rules by Newton's method on Legendre polynomials (Abramowitz, Stegun 1964, 25.4.29
 * and 25.4.32). Roots are found on (-1, 1) and halved; both rules are symmetric to the bit. */
#include "substructure/member/quadrature.h"

#include <math.h>

/* P_m(x) and its first derivative, |x| < 1 */
static double legendre(size_t m, double x, double *slope)
{
    double before = 1, p = m ? x : 1;

    for (size_t i = 2; i <= m; i++) {
        const double next = ((2 * (double)i - 1) * x * p - ((double)i - 1) * before) / (double)i;

        before = p;
        p = next;
    }
    *slope = m ? (double)m * (before - x * p) / (1 - x * x) : 0;
    return p;
}

/* Root i of P_n, or with Lobatto's rule of the slope of P_{n-1} (an end for i = 0), counted from the right; weight:
 * that on (-1, 1). */
static double point(enum yk_quadrature rule, size_t n, size_t i, double *weight)
{
    const double pi = 3.141592653589793, m = (double)n - 1, count = (double)n;
    double x = cos(pi * (rule == YK_GAUSS_LOBATTO ? (double)i / m : ((double)i + 0.75) / (count + 0.5)));
    double p, slope;

    if (rule == YK_GAUSS_LOBATTO && i == 0) {
        *weight = 2 / (count * m);
        return 1;
    }
    for (int pass = 0; pass < 30; pass++) {
        if (rule == YK_GAUSS_LOBATTO) {
            p = legendre(n - 1, x, &slope);
            x -= slope * (1 - x * x) / (2 * x * slope - m * count * p);
        } else {
            p = legendre(n, x, &slope);
            x -= p / slope;
        }
    }
    if (2 * i + 1 == n)
        x = 0;
    p = legendre(rule == YK_GAUSS_LOBATTO ? n - 1 : n, x, &slope);
    *weight = rule == YK_GAUSS_LOBATTO ? 2 / (count * m * p * p) : 2 / ((1 - x * x) * slope * slope);
    return x;
}

void yk_quadrature(enum yk_quadrature rule, size_t n, double *at, double *weight)
{
    for (size_t i = 0; 2 * i < n; i++) {
        double w;
        const double x = point(rule, n, i, &w);

        at[n - 1 - i] = 0.5 + 0.5 * x;
        at[i] = 0.5 - 0.5 * x;
        weight[i] = weight[n - 1 - i] = 0.5 * w;
    }
}
