/* Packets by a declared layout. Written byte by byte: the same on every machine.
 *
 *     values are raw numbers, rounded to the nearest where their type is whole
 *
 * Check sums: sums and exclusive or of bytes; CRC-16/MODBUS (reflected 0xa001, from 0xffff), CRC-16/CCITT-FALSE
 * (0x1021, from 0xffff), CRC-32 of IEEE 802.3. */
#include "rig/layout.h"

#include "rig/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    size_t bytes;
    bool checks;
} types[YK_TYPES] = {
#define X(id, word, bytes, checks) [YK_TYPE_##id] = {bytes, checks},
    YK_FIELD_TYPES(X)
#undef X
};

YK_RT size_t yk_type_bytes(enum yk_field_type type)
{
    return types[type].bytes;
}

YK_RT bool yk_type_checks(enum yk_field_type type)
{
    return types[type].checks;
}

void yk_layout_free(struct yk_layout *l)
{
    free(l->fields);
    *l = (struct yk_layout){0};
}

YK_RT const struct yk_field *yk_layout_find(const struct yk_layout *l, enum yk_field_role role)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->fields[i].role == role)
            return &l->fields[i];
    return NULL;
}

bool yk_layout_carries(const struct yk_layout *l, size_t line)
{
    for (size_t i = 0; i < l->count; i++)
        for (size_t b = 0; l->fields[i].role == YK_FIELD_LINES && b < YK_FIELD_BITS; b++)
            if (l->fields[i].lines[b] == line)
                return true;
    return false;
}

/* ---- numbers ---- */

YK_RT void yk_bytes_put(unsigned char *at, uint64_t value, size_t bytes, bool big)
{
    for (size_t i = 0; i < bytes; i++, value >>= 8)
        at[big ? bytes - 1 - i : i] = (unsigned char)value;
}

YK_RT uint64_t yk_bytes_get(const unsigned char *at, size_t bytes, bool big)
{
    uint64_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[big ? i : bytes - 1 - i];
    return value;
}

YK_RT static bool is_signed(enum yk_field_type type)
{
    return type == YK_TYPE_I8 || type == YK_TYPE_I16 || type == YK_TYPE_I32 || type == YK_TYPE_I64;
}

/* The largest whole number below a power of two, as a double. */
YK_RT static double last_below(double power)
{
    return power > 0x1p53 ? power * (1 - 0x1p-53) : power - 1;
}

YK_RT uint64_t yk_type_encode(enum yk_field_type type, double raw)
{
    const int bits = 8 * (int)types[type].bytes;
    uint64_t out = 0;

    if (type == YK_TYPE_F64) {
        memcpy(&out, &raw, sizeof raw);
    } else if (type == YK_TYPE_F32) {
        const float single = (float)raw;
        uint32_t half;

        memcpy(&half, &single, sizeof half);
        out = half;
    } else if (isnan(raw)) {
        out = 0;
    } else if (is_signed(type)) {
        const double beyond = (double)(UINT64_C(1) << (bits - 1));

        out = (uint64_t)(int64_t)fmax(-beyond, fmin(round(raw), last_below(beyond)));
    } else {
        out = (uint64_t)fmax(0, fmin(round(raw), last_below(2 * (double)(UINT64_C(1) << (bits - 1)))));
    }
    return out;
}

/* The lower `bits` with their sign. */
YK_RT static int64_t with_sign(uint64_t value, int bits)
{
    if (bits < 1 || bits > 63)
        return (int64_t)value;
    const uint64_t sign = UINT64_C(1) << (bits - 1);

    value &= (sign << 1) - 1;
    return (int64_t)((value ^ sign) - sign);
}

YK_RT double yk_type_decode(enum yk_field_type type, uint64_t bits)
{
    if (type == YK_TYPE_F64) {
        double raw;

        memcpy(&raw, &bits, sizeof raw);
        return raw;
    }
    if (type == YK_TYPE_F32) {
        const uint32_t half = (uint32_t)bits;
        float single;

        memcpy(&single, &half, sizeof single);
        return (double)single;
    }
    return is_signed(type) ? (double)with_sign(bits, 8 * (int)types[type].bytes) : (double)bits;
}

/* ---- check sums ---- */

YK_RT static uint32_t crc16(const unsigned char *b, size_t size)
{
    uint32_t crc = 0xffff;

    for (size_t i = 0; i < size; i++) {
        crc ^= b[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
    }
    return crc;
}

YK_RT static uint32_t crc16_ccitt(const unsigned char *b, size_t size)
{
    uint32_t crc = 0xffff;

    for (size_t i = 0; i < size; i++) {
        crc ^= (uint32_t)b[i] << 8;
        for (int k = 0; k < 8; k++)
            crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
    }
    return crc;
}

YK_RT static uint32_t check_of(enum yk_field_type type, const unsigned char *b, size_t size)
{
    uint32_t sum = 0, parity = 0;

    if (type == YK_TYPE_CRC32)
        return yk_crc32(0, b, size);
    if (type == YK_TYPE_CRC16)
        return crc16(b, size);
    if (type == YK_TYPE_CRC16_CCITT)
        return crc16_ccitt(b, size);
    for (size_t i = 0; i < size; i++) {
        sum += b[i];
        parity ^= b[i];
    }
    return type == YK_TYPE_SUM8 ? sum & 0xff : type == YK_TYPE_SUM16 ? sum & 0xffff : parity;
}

/* ---- packets ---- */

YK_RT static uint64_t pack_lines(const struct yk_field *f, uint32_t lines)
{
    uint64_t bits = 0;

    for (size_t b = 0; b < YK_FIELD_BITS; b++)
        if (f->lines[b] != YK_NO_LINE)
            bits |= (uint64_t)(lines >> f->lines[b] & 1) << b;
    return bits;
}

YK_RT static uint32_t unpack_lines(const struct yk_field *f, uint64_t bits, uint32_t lines)
{
    for (size_t b = 0; b < YK_FIELD_BITS; b++)
        if (f->lines[b] != YK_NO_LINE)
            lines = (lines & ~(UINT32_C(1) << f->lines[b])) | (uint32_t)(bits >> b & 1) << f->lines[b];
    return lines;
}

YK_RT static uint64_t bits_of(const struct yk_field *f, const struct yk_packet *p, const double *values,
                              const unsigned char *bytes)
{
    switch (f->role) {
    case YK_FIELD_VALUE:
        return yk_type_encode(f->type, values[f->index]);
    case YK_FIELD_SEQUENCE:
        return p->sequence;
    case YK_FIELD_ANSWERS:
        return p->answers;
    case YK_FIELD_STATE:
        return (uint64_t)p->state;
    case YK_FIELD_FAULT:
        return (uint64_t)p->fault;
    case YK_FIELD_LINES:
        return pack_lines(f, p->lines);
    case YK_FIELD_CONSTANT:
        return (uint64_t)f->constant;
    case YK_FIELD_CHECK:
        return check_of(f->type, bytes, f->at);
    case YK_FIELD_SKIP:
        break;
    }
    return 0;
}

YK_RT size_t yk_layout_pack(const struct yk_layout *l, const struct yk_packet *p, const double *values,
                            unsigned char *bytes)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct yk_field *f = &l->fields[i];

        if (f->role == YK_FIELD_SKIP)
            memset(bytes + f->at, 0, f->size);
        else
            yk_bytes_put(bytes + f->at, bits_of(f, p, values, bytes), f->size, l->big);
    }
    return l->size;
}

YK_RT static bool take(const struct yk_field *f, uint64_t bits, const unsigned char *bytes, struct yk_packet *p,
                       double *values)
{
    const int width = 8 * (int)f->size;

    switch (f->role) {
    case YK_FIELD_VALUE:
        values[f->index] = yk_type_decode(f->type, bits);
        break;
    case YK_FIELD_SEQUENCE:
        p->sequence = bits;
        break;
    case YK_FIELD_ANSWERS:
        p->answers = bits;
        break;
    case YK_FIELD_STATE:
        p->state = with_sign(bits, width);
        break;
    case YK_FIELD_FAULT:
        p->fault = with_sign(bits, width);
        break;
    case YK_FIELD_LINES:
        p->lines = unpack_lines(f, bits, p->lines);
        break;
    case YK_FIELD_CONSTANT:
        return with_sign(bits, width) == with_sign((uint64_t)f->constant, width);
    case YK_FIELD_CHECK:
        return bits == check_of(f->type, bytes, f->at);
    case YK_FIELD_SKIP:
        break;
    }
    return true;
}

YK_RT bool yk_layout_unpack(const struct yk_layout *l, const unsigned char *bytes, size_t size, struct yk_packet *p,
                            double *values)
{
    bool good = size == l->size;

    for (size_t i = 0; i < l->count && good; i++) /* nothing is taken from a packet that is damaged */
        if (l->fields[i].role == YK_FIELD_CHECK || l->fields[i].role == YK_FIELD_CONSTANT)
            good =
                take(&l->fields[i], yk_bytes_get(bytes + l->fields[i].at, l->fields[i].size, l->big), bytes, p, values);
    for (size_t i = 0; i < l->count && good; i++)
        if (l->fields[i].role != YK_FIELD_SKIP)
            take(&l->fields[i], yk_bytes_get(bytes + l->fields[i].at, l->fields[i].size, l->big), bytes, p, values);
    return good;
}
