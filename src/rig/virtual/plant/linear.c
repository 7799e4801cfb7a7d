/* Stability, delay and bandwidth of linear models. docs/theory/control.md, eq. (16a), (16b). */
#include "rig/virtual/plant/linear.h"

#include <complex.h>
#include <math.h>

#define TWO_PI 6.283185307179586

void yk_linear_multiply(const double *p, int m, const double *q, int n, double *to)
{
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++)
            to[i + j] += p[i] * q[j];
}

bool yk_linear_is_stable(const double *p, int degree)
{
    double row[2][YK_LINEAR_DEGREE / 2 + 2] = {{0}};

    for (int i = 0; i <= degree; i++)
        row[i % 2][i / 2] = p[degree - i];
    for (int k = 0; k < degree; k++) {
        double *above = row[k % 2], *here = row[(k + 1) % 2];

        if (!(here[0] > 0))
            return false;
        const double ratio = above[0] / here[0];
        for (int i = 0; i <= YK_LINEAR_DEGREE / 2; i++)
            above[i] = above[i + 1] - ratio * here[i + 1];
    }
    return true;
}

/* eq. (16a) */
double yk_linear_delay(const double *p, const double *q)
{
    return q[1] / q[0] - p[1] / p[0];
}

static double magnitude(const double *p, int degree, double w)
{
    double complex sum = 0;

    for (int i = degree; i >= 0; i--)
        sum = sum * (I * w) + p[i];
    return cabs(sum);
}

/* eq. (16b): in steps of 2 %, then by bisection. */
double yk_linear_bandwidth(const double *p, int m, const double *q, int n)
{
    const double down = sqrt(0.5) * fabs(p[0] / q[0]);
    double below = 1e-3, above = below;

    while (magnitude(p, m, above) > down * magnitude(q, n, above) && above < 1e6) {
        below = above;
        above *= 1.02;
    }
    for (int k = 0; k < 60; k++) {
        const double w = 0.5 * (below + above);

        *(magnitude(p, m, w) > down * magnitude(q, n, w) ? &below : &above) = w;
    }
    return above / TWO_PI;
}
