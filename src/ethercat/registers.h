/* Addresses and bits of the registers of a slave controller (ESC), and layouts that master and segment share.
 * All numbers are little-endian. */
#ifndef YOKE_ETHERCAT_REGISTERS_H
#define YOKE_ETHERCAT_REGISTERS_H

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

#endif
