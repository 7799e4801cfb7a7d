/* Seeded random numbers: the same in every run and on every machine. */
#ifndef YOKE_TEST_RANDOM_H
#define YOKE_TEST_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* xorshift64* (Vigna 2016); the seed must not be 0. */
static inline uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 2685821657736338717u;
}

/* Uniform in [-1, 1). */
static inline double random_value(uint64_t *seed)
{
    return (double)(random_bits(seed) >> 11) * 0x1p-52 - 1.0;
}

static inline size_t random_below(uint64_t *seed, size_t bound)
{
    return (size_t)(random_bits(seed) % bound);
}

#endif
