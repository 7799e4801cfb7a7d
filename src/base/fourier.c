/* Fast Fourier transform (Cooley and Tukey 1965). */
#include <yoke/fourier.h>

#include <math.h>

/* Order of bits reversed. */
static void shuffle(size_t n, double complex *z)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n / 2;

        for (; j & bit; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const double complex swap = z[i];

            z[i] = z[j];
            z[j] = swap;
        }
    }
}

void yk_fourier(size_t n, double complex *z)
{
    shuffle(n, z);
    for (size_t length = 2; length <= n; length *= 2)
        for (size_t k = 0; k < length / 2; k++) {
            const double complex turn = cexp(-2 * I * M_PI * (double)k / (double)length);

            for (size_t i = k; i < n; i += length) {
                const double complex odd = turn * z[i + length / 2];

                z[i + length / 2] = z[i] - odd;
                z[i] += odd;
            }
        }
}
