/* EtherCAT, for programs that speak it on a wire: numbers in its byte order, frames and their datagrams, registers of a
 * slave controller (ESC), and an interface that carries frames. The backend `ethercat` is a master built on it, and
 * `yoke serve --ethercat` a segment of slaves. IEC 61158-3/4-12. */
#ifndef YOKE_ETHERCAT_H
#define YOKE_ETHERCAT_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

/* ---- numbers, in little-endian order: EtherCAT has them so everywhere except in the EtherType ---- */

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

/* ---- frames: Ethernet header, EtherCAT header, datagrams with their working counters ---- */

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

/* ---- addresses and bits of the registers of a slave controller, and layouts that master and slaves share ---- */

/* X(id, address, bytes, what) */
#define YK_EC_REGISTERS(X)                                                                                             \
    X(TYPE, 0x0000, 1, "type")                                                                                         \
    X(REVISION, 0x0001, 1, "revision")                                                                                 \
    X(BUILD, 0x0002, 2, "build")                                                                                       \
    X(FMMU_COUNT, 0x0004, 1, "number of FMMUs")                                                                        \
    X(SM_COUNT, 0x0005, 1, "number of SyncManagers")                                                                   \
    X(RAM_KIB, 0x0006, 1, "process RAM [KiB]")                                                                         \
    X(PORTS, 0x0007, 1, "kinds of the ports, 2 bits each")                                                             \
    X(FEATURES, 0x0008, 2, "features")                                                                                 \
    X(STATION, 0x0010, 2, "station address")                                                                           \
    X(ALIAS, 0x0012, 2, "station alias")                                                                               \
    X(DL_CONTROL, 0x0100, 4, "DL control")                                                                             \
    X(DL_LOOPS, 0x0101, 1, "loops of the ports, part of DL control")                                                   \
    X(DL_ALIAS, 0x0103, 1, "alias on, part of DL control")                                                             \
    X(DL_STATUS, 0x0110, 2, "DL status")                                                                               \
    X(AL_CONTROL, 0x0120, 2, "AL control")                                                                             \
    X(AL_STATUS, 0x0130, 2, "AL status")                                                                               \
    X(AL_CODE, 0x0134, 2, "AL status code")                                                                            \
    X(PDI_CONTROL, 0x0140, 2, "PDI type and ESC configuration")                                                        \
    X(EVENT_MASK, 0x0200, 2, "ECAT event mask")                                                                        \
    X(EVENTS, 0x0210, 2, "ECAT events")                                                                                \
    X(PORT_ERRORS, 0x0300, 8, "invalid frames and receive errors of the ports")                                        \
    X(FORWARDED_ERRORS, 0x0308, 4, "forwarded errors of the ports")                                                    \
    X(UNIT_ERRORS, 0x030C, 1, "errors of the processing unit")                                                         \
    X(LOST_LINKS, 0x0310, 4, "lost links of the ports")                                                                \
    X(WATCHDOG_DIVIDER, 0x0400, 2, "watchdog divider w: tick (w + 2) 40 ns")                                           \
    X(WATCHDOG_PDI, 0x0410, 2, "PDI watchdog [ticks]")                                                                 \
    X(WATCHDOG_SM, 0x0420, 2, "process data watchdog [ticks]")                                                         \
    X(WATCHDOG_STATUS, 0x0440, 2, "process data watchdog: bit 0 well")                                                 \
    X(WATCHDOG_COUNT, 0x0442, 2, "expiries: process data, PDI")                                                        \
    X(SII_OWNER, 0x0500, 1, "SII owner")                                                                               \
    X(SII_ACCESS, 0x0501, 1, "SII access of the PDI")                                                                  \
    X(SII_CONTROL, 0x0502, 2, "SII control and status")                                                                \
    X(SII_ADDRESS, 0x0504, 4, "SII word address")                                                                      \
    X(SII_DATA, 0x0508, 8, "SII data")                                                                                 \
    X(FMMU, 0x0600, 16, "first FMMU; the others follow")                                                               \
    X(SM, 0x0800, 8, "first SyncManager; the others follow")                                                           \
    X(RECEIVE_TIME, 0x0900, 16, "receive times of the ports; a write latches")                                         \
    X(SYSTEM_TIME, 0x0910, 8, "system time")                                                                           \
    X(LATCHED_TIME, 0x0918, 8, "local time of the latching frame")                                                     \
    X(TIME_OFFSET, 0x0920, 8, "system time offset")                                                                    \
    X(TIME_DELAY, 0x0928, 4, "delay to the reference clock")                                                           \
    X(TIME_DIFFERENCE, 0x092C, 4, "filtered difference of system times")                                               \
    X(SPEED_START, 0x0930, 2, "speed counter start; a write resets the filters")                                       \
    X(SPEED_DIFFERENCE, 0x0932, 2, "speed counter difference")                                                         \
    X(FILTER_DEPTH, 0x0934, 2, "filter depths of difference and speed counter")                                        \
    X(SYNC_OWNER, 0x0980, 1, "owner of the SYNC unit")                                                                 \
    X(SYNC_ACTIVATE, 0x0981, 1, "cyclic operation, SYNC0, SYNC1")                                                      \
    X(SYNC_PULSE, 0x0982, 2, "pulse length [10 ns]")                                                                   \
    X(SYNC_START, 0x0990, 8, "start time, then next SYNC0")                                                            \
    X(SYNC0_CYCLE, 0x09A0, 4, "SYNC0 cycle [ns]")                                                                      \
    X(SYNC1_CYCLE, 0x09A4, 4, "SYNC1 cycle [ns]")                                                                      \
    X(PROCESS_RAM, 0x1000, 0, "start of the process RAM")

enum yk_ec_register {
#define X(id, address, bytes, what) YK_EC_##id = (address),
    YK_EC_REGISTERS(X)
#undef X
};

/* features */
enum {
    YK_EC_HAS_DC = 1 << 2,
    YK_EC_HAS_DC64 = 1 << 3,
    YK_EC_NO_LRW = 1 << 9,
    YK_EC_NO_RW = 1 << 10,
    YK_EC_FIXED_MAP = 1 << 11
};

/* AL states; AL control and AL status */
enum yk_ec_state {
    YK_EC_INIT = 1,
    YK_EC_PREOP = 2,
    YK_EC_BOOT = 3,
    YK_EC_SAFEOP = 4,
    YK_EC_OP = 8,
    YK_EC_STATE_MASK = 0x0F,
    YK_EC_STATE_ERROR = 0x10 /* in the status: refused or fell back; in the control: acknowledge */
};

/* SII control and status */
enum {
    YK_EC_SII_READ = 0x0100,
    YK_EC_SII_8_BYTES = 1 << 6,
    YK_EC_SII_ERRORS = 0x7800,
    YK_EC_SII_NO_ACK = 1 << 13,
    YK_EC_SII_BUSY = 1 << 15
};

/* SyncManager: bytes 0-1 start, 2-3 length, then these */
enum { YK_EC_SM_CONTROL = 4, YK_EC_SM_STATUS = 5, YK_EC_SM_ACTIVATE = 6, YK_EC_SM_PDI = 7, YK_EC_SM_SIZE = 8 };
enum {
    YK_EC_SM_MAILBOX_OUT = 0x26, /* controls */
    YK_EC_SM_MAILBOX_IN = 0x22,
    YK_EC_SM_OUTPUTS = 0x64,
    YK_EC_SM_INPUTS = 0x20,
    YK_EC_SM_WATCHDOG = 1 << 6,
    YK_EC_SM_FULL = 1 << 3,       /* status: mailbox full */
    YK_EC_SM_REPEAT = 1 << 1,     /* activate: repeat request */
    YK_EC_SM_REPEAT_ACK = 1 << 1, /* PDI control */
    YK_EC_SM_LOCKED = 1 << 0      /* PDI control */
};

/* FMMU: logical start (4), length (2), then these; active at 12 */
enum {
    YK_EC_FMMU_FIRST_BIT = 6,
    YK_EC_FMMU_LAST_BIT = 7,
    YK_EC_FMMU_PHYSICAL = 8,
    YK_EC_FMMU_PHYSICAL_BIT = 10,
    YK_EC_FMMU_TYPE = 11,
    YK_EC_FMMU_ACTIVE = 12,
    YK_EC_FMMU_SIZE = 16,
    YK_EC_FMMU_READ = 1,
    YK_EC_FMMU_WRITE = 2
};

/* SII: word addresses, and types of categories */
enum {
    YK_EC_SII_ALIAS = 0x04,
    YK_EC_SII_CHECKSUM = 0x07,
    YK_EC_SII_VENDOR = 0x08,
    YK_EC_SII_PRODUCT = 0x0A,
    YK_EC_SII_NUMBER = 0x0C, /* revision */
    YK_EC_SII_SERIAL = 0x0E,
    YK_EC_SII_MAILBOX = 0x18,
    YK_EC_SII_PROTOCOLS = 0x1C,
    YK_EC_SII_CATEGORIES = 0x40
};
enum {
    YK_EC_CATEGORY_STRINGS = 10,
    YK_EC_CATEGORY_GENERAL = 30,
    YK_EC_CATEGORY_FMMU = 40,
    YK_EC_CATEGORY_SM = 41,
    YK_EC_CATEGORY_TXPDO = 50,
    YK_EC_CATEGORY_RXPDO = 51,
    YK_EC_CATEGORY_DC = 60,
    YK_EC_CATEGORY_END = 0xFFFF
};
enum { YK_EC_PROTOCOL_COE = 4 };

/* ---- a wire that carries frames: an Ethernet interface, or a function of this process at the other end ---- */

struct yk_ec_wire;

struct yk_ec_wire_ops {
    /* False: it could not be sent; a frame that is not sent is a lost one. */
    bool (*send)(struct yk_ec_wire *wire, const uint8_t *frame, size_t size) YK_RT;
    /* The next frame, of at most YK_EC_FRAME_MOST bytes, until the time `until_ns` of `now`; returns its size, 0: none
     * came. */
    size_t (*receive)(struct yk_ec_wire *wire, uint8_t *frame, int64_t until_ns) YK_RT;
    /* The clock of the waits [ns]. */
    int64_t (*now)(const struct yk_ec_wire *wire) YK_RT;
    /* Waits until then; outside the loop, and before its first tick. */
    void (*pause)(struct yk_ec_wire *wire, int64_t until_ns) YK_RT;
    void (*close)(struct yk_ec_wire *wire);
};

struct yk_ec_wire {
    const struct yk_ec_wire_ops *ops;
    void *self;
    uint8_t mac[6];   /* of this side */
    bool down;        /* the interface is down or gone: seen by a call */
    bool timed;       /* time goes on between calls */
    int64_t epoch_ns; /* `now` plus this is the time since 2000-01-01 */
};

/* A raw socket on an interface; needs CAP_NET_RAW. */
enum yk_status yk_ec_wire_open(struct yk_ec_wire *wire, const char *interface, struct yk_err *err);
static inline void yk_ec_wire_close(struct yk_ec_wire *wire)
{
    if (wire->ops)
        wire->ops->close(wire);
    wire->ops = NULL;
}

#endif
