/* Frames of EtherCAT: Ethernet header, EtherCAT header, datagrams with their working counters. */
#ifndef YOKE_ETHERCAT_FRAME_H
#define YOKE_ETHERCAT_FRAME_H

#include "ethercat/bytes.h"

enum {
    YK_EC_ETHERTYPE = 0x88A4,
    YK_EC_HEAD = 16,          /* bytes before the first datagram */
    YK_EC_FRAME_LEAST = 60,   /* without FCS; shorter ones are padded with zeros */
    YK_EC_FRAME_MOST = 1514,  /* without FCS */
    YK_EC_DATAGRAM_HEAD = 10, /* before the data */
    YK_EC_OVERHEAD = 12,      /* of a datagram: head and working counter */
    YK_EC_DATA_MOST = 1486,   /* data of a single datagram */
    YK_EC_DATAGRAMS = 15,     /* in a frame */
    YK_EC_MAC_MARK = 2        /* set in the first byte of the source by every slave */
};

/* X(code, name, reads, writes) */
#define YK_EC_COMMANDS(X)                                                                                              \
    X(0, NOP, 0, 0)                                                                                                    \
    X(1, APRD, 1, 0)                                                                                                   \
    X(2, APWR, 0, 1)                                                                                                   \
    X(3, APRW, 1, 1)                                                                                                   \
    X(4, FPRD, 1, 0)                                                                                                   \
    X(5, FPWR, 0, 1)                                                                                                   \
    X(6, FPRW, 1, 1)                                                                                                   \
    X(7, BRD, 1, 0)                                                                                                    \
    X(8, BWR, 0, 1)                                                                                                    \
    X(9, BRW, 1, 1)                                                                                                    \
    X(10, LRD, 1, 0)                                                                                                   \
    X(11, LWR, 0, 1)                                                                                                   \
    X(12, LRW, 1, 1)                                                                                                   \
    X(13, ARMW, 1, 1)                                                                                                  \
    X(14, FRMW, 1, 1)
enum yk_ec_command {
#define X(code, name, reads, writes) YK_EC_##name = (code),
    YK_EC_COMMANDS(X)
#undef X
        YK_EC_COMMAND_COUNT
};

/* The address field: position or station, and memory offset; or a logical address of 32 bits. */
static inline uint32_t yk_ec_address(unsigned adp, unsigned ado)
{
    return (uint32_t)(adp & 0xFFFF) | (uint32_t)ado << 16;
}
static inline uint32_t yk_ec_at_position(unsigned position, unsigned ado) /* auto-increment */
{
    return yk_ec_address(0u - position, ado);
}

/* A frame that is being written. */
struct yk_ec_frame {
    size_t size;  /* as sent: with padding; 0 until yk_ec_frame_end */
    size_t used;  /* bytes so far */
    size_t count; /* datagrams so far */
    size_t last;  /* where the last one begins */
    uint8_t bytes[YK_EC_FRAME_MOST];
};
/* Broadcast, from `source` (6 bytes). */
void yk_ec_frame_begin(struct yk_ec_frame *f, const uint8_t *source) YK_RT;
/* Adds a datagram; returns its data, zeros, for the caller to fill; NULL if it does not fit. */
uint8_t *yk_ec_frame_add(struct yk_ec_frame *f, enum yk_ec_command command, uint8_t index, uint32_t address,
                         size_t length) YK_RT;
/* Completes the header and pads the frame. */
void yk_ec_frame_end(struct yk_ec_frame *f) YK_RT;

/* A datagram where it lies in a frame. */
struct yk_ec_datagram {
    uint8_t *at; /* its first byte; data at `at + YK_EC_DATAGRAM_HEAD` */
    size_t length;
};
YK_RT static inline unsigned yk_ec_command_of(const struct yk_ec_datagram *d)
{
    return d->at[0];
}
YK_RT static inline uint8_t yk_ec_index_of(const struct yk_ec_datagram *d)
{
    return d->at[1];
}
YK_RT static inline uint16_t yk_ec_adp_of(const struct yk_ec_datagram *d)
{
    return yk_le16(d->at + 2);
}
YK_RT static inline uint16_t yk_ec_ado_of(const struct yk_ec_datagram *d)
{
    return yk_le16(d->at + 4);
}
YK_RT static inline uint32_t yk_ec_logical_of(const struct yk_ec_datagram *d)
{
    return yk_le32(d->at + 2);
}
YK_RT static inline uint8_t *yk_ec_data_of(const struct yk_ec_datagram *d)
{
    return d->at + YK_EC_DATAGRAM_HEAD;
}
YK_RT static inline uint16_t yk_ec_wkc_of(const struct yk_ec_datagram *d)
{
    return yk_le16(d->at + YK_EC_DATAGRAM_HEAD + d->length);
}
YK_RT static inline void yk_ec_set_wkc(const struct yk_ec_datagram *d, uint16_t wkc)
{
    yk_le_put(d->at + YK_EC_DATAGRAM_HEAD + d->length, wkc, 2);
}
YK_RT static inline void yk_ec_set_adp(const struct yk_ec_datagram *d, uint16_t adp)
{
    yk_le_put(d->at + 2, adp, 2);
}
/* A frame that passed a closed port 0; one that passes it again is destroyed. */
YK_RT static inline bool yk_ec_circulates(const struct yk_ec_datagram *d)
{
    return d->at[7] & 0x40;
}
YK_RT static inline void yk_ec_set_circulating(const struct yk_ec_datagram *d)
{
    d->at[7] |= 0x40;
}

enum yk_ec_verdict {
    YK_EC_GOOD,
    YK_EC_FOREIGN, /* not EtherCAT, or not datagrams: another EtherType or type */
    YK_EC_DAMAGED  /* lengths that do not agree, unknown commands, or too many datagrams */
};
/* Finds the datagrams of a received frame. `found` has room for YK_EC_DATAGRAMS; they point into `bytes`. */
enum yk_ec_verdict yk_ec_frame_read(uint8_t *bytes, size_t size, struct yk_ec_datagram *found, size_t *count) YK_RT;
/* Is a received frame (good, see above) the answer to the sent one: commands, indices, offsets and lengths as sent, and
 * touched by a slave? `found` and `count` are those of the answer. */
bool yk_ec_frame_answers(const struct yk_ec_frame *sent, const uint8_t *bytes, const struct yk_ec_datagram *found,
                         size_t count) YK_RT;

#endif
