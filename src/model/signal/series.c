/* Value of a sampled function. docs/theory/signals.md, eq. (13). */
#include <yoke/signal.h>

/* The last sample that is not after t, where x[0] <= t <= x[n - 1]. */
YK_RT static size_t last_before(const double *x, size_t n, double t)
{
    size_t low = 0, high = n; /* x[low] <= t < x[high], where x[n] is beyond everything */

    /* most samples are equally far apart */
    const double span = x[n - 1] - x[0];
    const size_t at = span > 0 ? (size_t)((t - x[0]) * ((double)(n - 1) / span)) : 0;
    if (at < n && x[at] <= t && (at + 1 == n || t < x[at + 1]))
        return at;
    if (at > 0 && at < n && x[at - 1] <= t && t < x[at])
        return at - 1;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (x[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

YK_RT double yk_series_value(const struct yk_series *series, double t)
{
    const double *x = series->t, *y = series->y;
    const size_t n = series->n;

    if (n == 0 || !(t >= x[0] && t <= x[n - 1]))
        return 0;
    const size_t low = last_before(x, n, t);
    if (low + 1 == n)
        return y[low];
    return y[low] + (y[low + 1] - y[low]) * ((t - x[low]) / (x[low + 1] - x[low]));
}
