/* The measures of the benchmarks. */
#include "indices.h"

#include <math.h>
#include <stdlib.h>

static double mean(const double *x, const double *y, size_t n)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += y[k] - (x ? x[k] : 0);
    return sum / (double)n;
}

/* Sum of the squares of y - x about their mean; x may be NULL. */
static double spread(const double *x, const double *y, size_t n)
{
    const double m = mean(x, y, n);
    double sum = 0;

    for (size_t k = 0; k < n; k++) {
        const double d = y[k] - (x ? x[k] : 0) - m;

        sum += d * d;
    }
    return sum;
}

double yk_index_rms(const double *x, const double *y, size_t n)
{
    return 100 * sqrt(spread(x, y, n) / spread(NULL, x, n));
}

double yk_index_peak(const double *x, const double *y, size_t n)
{
    double error = 0, size = 0;

    for (size_t k = 0; k < n; k++) {
        error = fmax(error, fabs(y[k] - x[k]));
        size = fmax(size, fabs(x[k]));
    }
    return 100 * error / size;
}

enum { LANES = 8 };

/* In lanes, so that the compiler may vectorise it. */
static double product(const double *x, const double *y, size_t n)
{
    double lane[LANES] = {0}, sum = 0;
    size_t k = 0;

    for (; k + LANES <= n; k += LANES)
        for (int i = 0; i < LANES; i++)
            lane[i] += x[k + (size_t)i] * y[k + (size_t)i];
    for (; k < n; k++)
        sum += x[k] * y[k];
    for (int i = 0; i < LANES; i++)
        sum += lane[i];
    return sum;
}

int yk_index_lag(const double *x, const double *y, size_t n, int most)
{
    /* sums over the samples that both have at a lag; with a larger one, the last of x and the first of y drop out */
    double sx = (double)n * mean(NULL, x, n), sy = (double)n * mean(NULL, y, n), sxx = product(x, x, n),
           syy = product(y, y, n), best = -INFINITY;
    int at = 0;

    for (int lag = 0; lag <= most && (size_t)lag < n; lag++) {
        const size_t both = n - (size_t)lag;
        const double r = (product(x, y + lag, both) - sx * sy / (double)both) /
                         sqrt((sxx - sx * sx / (double)both) * (syy - sy * sy / (double)both));

        if (r > best) {
            best = r;
            at = lag;
        }
        sx -= x[both - 1];
        sxx -= x[both - 1] * x[both - 1];
        sy -= y[lag];
        syy -= y[lag] * y[lag];
    }
    return at;
}

int yk_index_lag_both(const double *x, const double *y, size_t n, int most)
{
    double best = -1;
    int at = 0;

    for (int lag = -most; lag <= most; lag++) {
        const size_t shift = (size_t)abs(lag);

        if (shift >= n)
            continue;
        const double r = fabs(lag >= 0 ? product(x, y + shift, n - shift) : product(x + shift, y, n - shift));

        if (r > best) {
            best = r;
            at = lag;
        }
    }
    return at;
}
