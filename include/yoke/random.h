/* Random numbers that are the same in every run and on every machine. */
#ifndef YOKE_RANDOM_H
#define YOKE_RANDOM_H

#include <math.h>
#include <stdint.h>
#include <yoke/status.h>

/* Uniform in [-1, 1); Knuth's MMIX generator, for models and start vectors. Any seed. */
YK_RT static inline double yk_draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* Uniform in 0 .. 2^53 - 1; xorshift64* (Vigna 2016), for noise and faults. The state is never zero. */
YK_RT static inline double yk_draw_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * 2685821657736338717u >> 11);
}

/* Normal, mean 0 and deviation 1; from two of them (Box and Muller 1958). */
static inline double yk_draw_normal(uint64_t *state)
{
    const double first = (yk_draw_bits(state) + 0.5) * 0x1p-53, second = yk_draw_bits(state) * 0x1p-53;

    return sqrt(-2 * log(first)) * cos(6.283185307179586 * second);
}

/* Coordinate of a point of Sobol's sequence, 0 <= x < 1; dimensions count from 0. Direction numbers of Joe and Kuo
 * (2008). In libyoke-identify.a. */
enum { YK_SOBOL_DIMENSIONS = 21 };
double yk_sobol(uint64_t point, size_t dimension);

#endif
