/* Fast Fourier transform. */
#ifndef YOKE_FOURIER_H
#define YOKE_FOURIER_H

#include <complex.h>
#include <stddef.h>

/* z[k] becomes sum_j z[j] exp(-2 pi i j k/n), in place; n is a power of two. */
void yk_fourier(size_t n, double complex *z);

#endif
