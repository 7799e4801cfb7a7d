/* Random numbers that are the same in every run and on every machine. */
#ifndef YOKE_RANDOM_H
#define YOKE_RANDOM_H

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

#endif
