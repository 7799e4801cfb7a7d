/* Fewer points for the same picture: of every stretch of samples the ones with the smallest and largest x and y (the M4
 * aggregation of Jugel, Jerzak, Hackenbroich and Markl 2014, by index, so that it also serves closed loops). */
#include <yoke/figure.h>

#include <math.h>

enum { KEPT = 4 };

static void keep(size_t *kept, size_t *count, size_t i)
{
    size_t at = *count;

    for (size_t k = 0; k < *count; k++)
        if (kept[k] == i)
            return;
    for (; at > 0 && kept[at - 1] > i; at--)
        kept[at] = kept[at - 1];
    kept[at] = i;
    ++*count;
}

size_t yk_plot_thin(const double *x, const double *y, size_t n, size_t most, size_t *index)
{
    const size_t stretches = most / KEPT;
    size_t count = 0;

    if (n <= most || stretches == 0) {
        for (; count < n && count < most; count++)
            index[count] = count;
        return count;
    }
    for (size_t s = 0; s < stretches; s++) {
        const size_t begin = n / stretches * s + n % stretches * s / stretches;
        const size_t end = n / stretches * (s + 1) + n % stretches * (s + 1) / stretches;
        size_t low_x = begin, high_x = begin, low_y = begin, high_y = begin, kept = 0;

        for (size_t i = begin + 1; i < end; i++) {
            low_x = x[i] < x[low_x] || isnan(x[low_x]) ? i : low_x;
            high_x = x[i] > x[high_x] || isnan(x[high_x]) ? i : high_x;
            low_y = y[i] < y[low_y] || isnan(y[low_y]) ? i : low_y;
            high_y = y[i] > y[high_y] || isnan(y[high_y]) ? i : high_y;
        }
        keep(index + count, &kept, low_x);
        keep(index + count, &kept, high_x);
        keep(index + count, &kept, low_y);
        keep(index + count, &kept, high_y);
        count += kept;
    }
    return count;
}
