/* Numbers in little-endian order, as EtherCAT has them everywhere except in the EtherType. */
#ifndef YOKE_ETHERCAT_BYTES_H
#define YOKE_ETHERCAT_BYTES_H

#include <stdint.h>
#include <yoke/status.h>

YK_RT static inline uint64_t yk_le_get(const uint8_t *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

YK_RT static inline void yk_le_put(uint8_t *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

YK_RT static inline uint16_t yk_le16(const uint8_t *at)
{
    return (uint16_t)yk_le_get(at, 2);
}

YK_RT static inline uint32_t yk_le32(const uint8_t *at)
{
    return (uint32_t)yk_le_get(at, 4);
}

YK_RT static inline uint64_t yk_le64(const uint8_t *at)
{
    return yk_le_get(at, 8);
}

/* `count` bits from bit `first` on, lowest first; at most 64. */
YK_RT static inline uint64_t yk_bits_get(const uint8_t *at, size_t first, int count)
{
    uint64_t value = 0;

    if (first % 8 == 0 && count % 8 == 0)
        return yk_le_get(at + first / 8, count / 8);
    for (int i = 0; i < count; i++)
        value |= (uint64_t)(at[(first + (size_t)i) / 8] >> (first + (size_t)i) % 8 & 1) << i;
    return value;
}

YK_RT static inline void yk_bits_put(uint8_t *at, size_t first, int count, uint64_t value)
{
    if (first % 8 == 0 && count % 8 == 0) {
        yk_le_put(at + first / 8, value, count / 8);
        return;
    }
    for (int i = 0; i < count; i++) {
        const size_t bit = first + (size_t)i;

        at[bit / 8] = (uint8_t)((at[bit / 8] & ~(1u << bit % 8)) | (unsigned)(value >> i & 1) << bit % 8);
    }
}

#endif
