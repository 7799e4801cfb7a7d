/* EtherCAT bus as described in an experiment file: its slaves in their order, the entries of their process data, and
 * which entry carries which command, reading, sensor or line. Master and simulated segment read the same description.
 */
#ifndef YOKE_ETHERCAT_SETUP_H
#define YOKE_ETHERCAT_SETUP_H

#include <stdint.h>
#include <yoke/param.h>

/* X(id, word, bits, code of the SII): types of entries */
#define YK_EC_TYPES(X)                                                                                                 \
    X(GAP, "gap", 0, 0)                                                                                                \
    X(BOOL, "bool", 1, 0x01)                                                                                           \
    X(I8, "i8", 8, 0x02)                                                                                               \
    X(I16, "i16", 16, 0x03)                                                                                            \
    X(I32, "i32", 32, 0x04)                                                                                            \
    X(I64, "i64", 64, 0x15)                                                                                            \
    X(U8, "u8", 8, 0x05)                                                                                               \
    X(U16, "u16", 16, 0x06)                                                                                            \
    X(U32, "u32", 32, 0x07)                                                                                            \
    X(U64, "u64", 64, 0x1B)                                                                                            \
    X(F32, "f32", 32, 0x08)                                                                                            \
    X(F64, "f64", 64, 0x11)
enum yk_ec_type {
#define X(id, word, bits, code) YK_EC_##id,
    YK_EC_TYPES(X)
#undef X
        YK_EC_TYPE_COUNT
};
int yk_ec_type_bits(enum yk_ec_type type);
uint8_t yk_ec_type_code(enum yk_ec_type type);
/* By the code of the SII and the number of bits: a code that is not known, or of another size, is an integer. */
enum yk_ec_type yk_ec_type_of(uint8_t code, int bits);

/* An entry of process data: "0x607A:0:i32", or "gap:7". */
struct yk_ec_entry {
    uint16_t index;
    uint8_t subindex;
    uint8_t bits;
    enum yk_ec_type type;
};
/* Reads "0x607A:0:i32" or, without the type (then type is GAP and bits 0), "0x607A:0". */
bool yk_ec_entry_parse(const char *text, struct yk_ec_entry *entry);
struct yk_ec_entry_text {
    char text[32];
};
struct yk_ec_entry_text yk_ec_entry_format(const struct yk_ec_entry *entry);

enum { YK_EC_PDO_ENTRIES = 32 };
struct yk_ec_pdo {
    uint16_t index; /* 0x1600.. of outputs, 0x1A00.. of inputs */
    size_t count;
    struct yk_ec_entry entries[YK_EC_PDO_ENTRIES];
};

/* A value that the master writes into an object before SAFEOP. */
struct yk_ec_sdo_value {
    uint16_t index;
    uint8_t subindex;
    enum yk_ec_type type;
    double value;
};

/* Operating mode of a slave that is a drive, `none` for other slaves. The numbers are the modes of CiA 402. */
#define YK_EC_DRIVE_CHOICES "none|csp|csv|cst"
enum yk_ec_drive { YK_EC_NO_DRIVE, YK_EC_CSP, YK_EC_CSV, YK_EC_CST };
int yk_ec_drive_mode(enum yk_ec_drive drive); /* 8, 9, 10 */

/* How a drive says that it follows its target: bit 12 of the status word, or (some drives lack it) not at all. */
#define YK_EC_FOLLOWS_CHOICES "target|enabled"
enum yk_ec_follows { YK_EC_FOLLOWS_TARGET, YK_EC_FOLLOWS_ENABLED };
/* Action on bit 11 of the status word: the drive has reached a limit of its own, and no longer does what it is told. */
#define YK_EC_LIMIT_CHOICES "trip|warn"
enum yk_ec_on_limit { YK_EC_LIMIT_TRIPS, YK_EC_LIMIT_WARNS };

struct yk_ec_slave_setup {
    char *name;
    uint32_t vendor, product, revision; /* revision 0: any */
    int drive;                          /* enum yk_ec_drive */
    int follows, on_limit;              /* enum yk_ec_follows, enum yk_ec_on_limit */
    bool sync;                          /* SYNC0, where the bus has a clock and the slave can */
    int axis;                           /* of a drive: objects are at + 0x800 axis */
    size_t output_count, input_count;   /* PDOs; both 0: as the slave has them */
    struct yk_ec_pdo *outputs, *inputs;
    size_t sdo_count;
    struct yk_ec_sdo_value *sdos;
};

/* Role of a channel; the first four in the order of enum yk_command_kind. X(id, word) */
#define YK_EC_ROLES(X)                                                                                                 \
    X(DISPLACEMENT, "displacement")                                                                                    \
    X(VELOCITY, "velocity")                                                                                            \
    X(ACCELERATION, "acceleration")                                                                                    \
    X(FORCE, "force")                                                                                                  \
    X(COMMAND, "command")                                                                                              \
    X(FEED_VELOCITY, "feed_velocity")                                                                                  \
    X(FEED_FORCE, "feed_force")                                                                                        \
    X(FORCE_COMMAND, "force_command")
enum yk_ec_role {
#define X(id, word) YK_EC_ROLE_##id,
    YK_EC_ROLES(X)
#undef X
        YK_EC_ROLE_SENSOR,
    YK_EC_ROLE_LINE,
    YK_EC_ROLE_COUNT
};

/* Master and backend handle counts. Scale and offset tell a simulated segment what its devices count, and the backend
 * whether a drive measures in the counts of its commands. */
struct yk_ec_channel {
    char *of; /* the actuator, the sensor or the line */
    enum yk_ec_role role;
    size_t slave;
    struct yk_ec_entry entry; /* type GAP: as the slave has it */
    double scale, offset;
    struct yk_ec_entry status; /* of an analogue input: its word of status; index 0: none */
    bool limited;              /* a command: the drive itself keeps to least .. most (0x607D), in counts */
    double least, most;
};

struct yk_ec_setup {
    char *interface;
    bool clock; /* distributed clocks: the loop follows the reference clock */
    double shift, wait, silence, watchdog, patience, stop_time;
    bool reads_twice;
    int frames; /* enum yk_ec_capture_mode */
    size_t slave_count;
    struct yk_ec_slave_setup *slaves;
    size_t channel_count;
    struct yk_ec_channel *channels;
};
extern const struct yk_param yk_ec_params[];
void yk_ec_setup_free(struct yk_ec_setup *setup);

#endif
