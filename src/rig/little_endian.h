/* Whole numbers as bytes, the lowest first, the same on every machine. */
#ifndef YOKE_LITTLE_ENDIAN_H
#define YOKE_LITTLE_ENDIAN_H

#include <stdint.h>

/* Returns the place behind it. */
static inline unsigned char *yk_put_little(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        *at++ = (unsigned char)value;
    return at;
}

static inline uint64_t yk_get_little(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

#endif
