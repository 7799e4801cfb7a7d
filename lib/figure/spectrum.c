/* The amplitude spectrum of a signal: mean removed, Hann window, fast Fourier transform of the next power of two, with
 * zeros after the samples. A sine of amplitude A that fits a whole number of times into the signal gives a peak of
 * height A. */
#include <yoke/figure.h>

#include <yoke/fourier.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
enum { MUCH = 1 << 16 }; /* samples that need no points between the lines */

/* Zeros after the samples give points between the lines, so that a peak has a shape. */
static size_t transform_size(size_t n)
{
    size_t size = 2;

    while (size < n * (n < MUCH ? 4 : 1))
        size *= 2;
    return size;
}

size_t yk_plot_spectrum_room(size_t n)
{
    return transform_size(n) / 2 + 1;
}

size_t yk_plot_spectrum(const double *y, size_t n, double dt, double *frequency, double *amplitude)
{
    const size_t size = transform_size(n), count = size / 2 + 1;
    double complex *a = n > 1 && dt > 0 ? calloc(size, sizeof *a) : NULL;
    double mean = 0, weight = 0;

    if (!a)
        return 0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double window = 0.5 - 0.5 * cos(2 * PI * (double)i / (double)n);

        a[i] = window * (y[i] - mean);
        weight += window;
    }
    yk_fourier(size, a);
    for (size_t k = 0; k < count; k++) {
        frequency[k] = (double)k / ((double)size * dt);
        amplitude[k] = 2 * cabs(a[k]) / weight;
    }
    free(a);
    return count;
}
