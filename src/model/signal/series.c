/* Value of a sampled function. docs/theory/signals.md, eq. (13). */
#include <yoke/signal.h>

YK_RT double yk_series_value(const struct yk_series *series, double t)
{
    const double *x = series->t, *y = series->y;
    size_t low = 0, high = series->n;

    if (high == 0 || !(t >= x[0] && t <= x[high - 1]))
        return 0;
    while (high - low > 1) { /* x[low] <= t < x[high], where x[n] is beyond everything */
        const size_t middle = low + (high - low) / 2;

        if (x[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    if (high == series->n)
        return y[low];
    return y[low] + (y[high] - y[low]) * ((t - x[low]) / (x[high] - x[low]));
}
