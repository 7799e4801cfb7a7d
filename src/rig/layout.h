/* The layout of a packet that a user declares: fields one after the other, packed from and unpacked to the values of a
 * message (message.h). docs/backend-udp-raw.md. */
#ifndef YOKE_LAYOUT_H
#define YOKE_LAYOUT_H

#include <stdint.h>
#include <yoke/status.h>

/* X(id, word, bytes, is it a check sum of all bytes before it?) */
#define YK_FIELD_TYPES(X)                                                                                              \
    X(U8, "u8", 1, 0)                                                                                                  \
    X(I8, "i8", 1, 0)                                                                                                  \
    X(U16, "u16", 2, 0)                                                                                                \
    X(I16, "i16", 2, 0)                                                                                                \
    X(U32, "u32", 4, 0)                                                                                                \
    X(I32, "i32", 4, 0)                                                                                                \
    X(U64, "u64", 8, 0)                                                                                                \
    X(I64, "i64", 8, 0)                                                                                                \
    X(F32, "f32", 4, 0)                                                                                                \
    X(F64, "f64", 8, 0)                                                                                                \
    X(SUM8, "sum8", 1, 1)                                                                                              \
    X(XOR8, "xor8", 1, 1)                                                                                              \
    X(SUM16, "sum16", 2, 1)                                                                                            \
    X(CRC16, "crc16", 2, 1)                                                                                            \
    X(CRC16_CCITT, "crc16-ccitt", 2, 1)                                                                                \
    X(CRC32, "crc32", 4, 1)
enum yk_field_type {
#define X(id, ...) YK_TYPE_##id,
    YK_FIELD_TYPES(X)
#undef X
        YK_TYPES
};
size_t yk_type_bytes(enum yk_field_type type) YK_RT;
bool yk_type_checks(enum yk_field_type type) YK_RT;
static inline bool yk_type_floats(enum yk_field_type type)
{
    return type == YK_TYPE_F32 || type == YK_TYPE_F64;
}

/* Content of a field. */
enum yk_field_role {
    YK_FIELD_VALUE,    /* a value of the message, raw                                 */
    YK_FIELD_SEQUENCE, /* number of the packet                                        */
    YK_FIELD_ANSWERS,  /* number of the newest packet of the other side               */
    YK_FIELD_STATE,    /* enum yk_packet_state, of commands                           */
    YK_FIELD_FAULT,    /* of readings: not 0: the rig refuses                         */
    YK_FIELD_LINES,    /* bits                                                        */
    YK_FIELD_CONSTANT, /* a packet with another value is refused                      */
    YK_FIELD_CHECK,    /* check sum of all bytes before it; a wrong one is refused    */
    YK_FIELD_SKIP,     /* sent as 0, not looked at                                    */
};
enum yk_packet_state { YK_PACKET_IDLE, YK_PACKET_MOVE, YK_PACKET_CUT, YK_PACKET_END };

enum { YK_FIELD_BITS = 32, YK_NO_LINE = 255 };
struct yk_field {
    enum yk_field_type type;
    enum yk_field_role role;
    size_t at, size; /* bytes */
    size_t index;    /* of the value */
    int64_t constant;
    unsigned char lines[YK_FIELD_BITS]; /* line of each bit, YK_NO_LINE for none */
};

struct yk_layout {
    struct yk_field *fields; /* malloc'd */
    size_t count, size;      /* size: bytes of a packet */
    bool big;                /* big-endian */
};
void yk_layout_free(struct yk_layout *layout);
/* The field of a role; NULL: there is none. */
const struct yk_field *yk_layout_find(const struct yk_layout *layout, enum yk_field_role role) YK_RT;
/* Does the layout carry the line? */
bool yk_layout_carries(const struct yk_layout *layout, size_t line);

/* Fields of a packet other than its values. */
struct yk_packet {
    uint64_t sequence, answers; /* as in the packet: as many bits as their fields have */
    int64_t state, fault;
    uint32_t lines;
};
/* Whole numbers are rounded, and clipped to the range of their type. Returns layout->size. */
size_t yk_layout_pack(const struct yk_layout *layout, const struct yk_packet *packet, const double *values,
                      unsigned char *bytes) YK_RT;
/* Accepts any bytes. False: another size, constant or check sum. Lines that no field carries keep their levels. */
bool yk_layout_unpack(const struct yk_layout *layout, const unsigned char *bytes, size_t size, struct yk_packet *packet,
                      double *values) YK_RT;

/* A number of `bytes` bytes, in either order; shared with other wires. */
void yk_bytes_put(unsigned char *at, uint64_t value, size_t bytes, bool big) YK_RT;
uint64_t yk_bytes_get(const unsigned char *at, size_t bytes, bool big) YK_RT;
/* A value as the bits of a type, and back. */
uint64_t yk_type_encode(enum yk_field_type type, double raw) YK_RT;
double yk_type_decode(enum yk_field_type type, uint64_t bits) YK_RT;

#endif
