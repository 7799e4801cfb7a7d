/* One simulated slave: the controller chip (ESC) with its memory, and the device behind it. Frames change the memory
 * through memory.c; the device acts at the end of a frame or when time has moved on. All times are nanoseconds of
 * the simulation. */
#ifndef YOKE_SEGMENT_SLAVE_H
#define YOKE_SEGMENT_SLAVE_H

#include <yoke/ethercat.h>

#include <stddef.h>
#include <yoke/status.h>

enum {
    YK_SIM_MEMORY = 0x3000, /* registers, and 8 KiB of RAM from 0x1000 on */
    YK_SIM_RAM_KIB = 8,
    YK_SIM_SMS = 8,
    YK_SIM_FMMUS = 8,
    YK_SIM_OBJECTS = 120,
    YK_SIM_PDOS = 4,     /* in each direction */
    YK_SIM_ENTRIES = 40, /* of a PDO, or of the PDOs of one direction together */
    YK_SIM_MAIL_MOST = 256,
    YK_SIM_MAILS = 8, /* that wait to be fetched */
    YK_SIM_SII = 1024,
    YK_SIM_TEXT = 80,
    YK_SIM_NO_ACTUATOR = 0xFFFF,
    YK_SIM_DRIVE_PROFILE = 0x00020192, /* device types: CiA 402; modular terminals */
    YK_SIM_MODULAR_PROFILE = 5001,
    YK_SIM_VENDOR = 0xA5A5 /* made up */
};

/* ---- objects ---- */

/* CoE data types */
enum yk_sim_type {
    YK_SIM_BIT = 1,
    YK_SIM_I8 = 2,
    YK_SIM_I16 = 3,
    YK_SIM_I32 = 4,
    YK_SIM_U8 = 5,
    YK_SIM_U16 = 6,
    YK_SIM_U32 = 7,
    YK_SIM_REAL32 = 8,
    YK_SIM_STRING = 9,
    YK_SIM_REAL64 = 0x11,
    YK_SIM_I64 = 0x15,
    YK_SIM_U64 = 0x1B
};

/* Signal of the rig that an object carries. Inputs, made by the rig, come first; outputs are made by the master. */
enum yk_sim_signal {
    YK_SIM_NOTHING,
    YK_SIM_DISPLACEMENT,
    YK_SIM_FORCE,
    YK_SIM_VELOCITY,
    YK_SIM_ACCELERATION,
    YK_SIM_SENSOR,
    YK_SIM_LINE_IN,
    YK_SIM_CONDITION, /* status word of an analogue value */
    YK_SIM_COMMAND,   /* from here on: outputs */
    YK_SIM_AHEAD_VELOCITY,
    YK_SIM_AHEAD_ACCELERATION,
    YK_SIM_AHEAD_FORCE,
    YK_SIM_FORCE_COMMAND, /* of a drive with a mode of torque beside that of position */
    YK_SIM_LINE_OUT
};

enum { /* access by SDO, and by PDO */
       YK_SIM_READ = 1,
       YK_SIM_WRITE = 2,
       YK_SIM_RX = 4, /* may be mapped among the outputs */
       YK_SIM_TX = 8
};

struct yk_sim_object {
    uint16_t index;
    uint8_t sub, type, access, signal;
    uint16_t channel;     /* actuator, sensor or line */
    double scale, offset; /* value = offset + raw / scale: counts per unit, 1 where the number itself is meant */
    uint16_t condition;   /* of an analogue input: 1 + number of the object with its status word; 0: none */
    uint64_t value;       /* as bits, the lowest first */
};

struct yk_sim_pdo {
    uint16_t index;
    size_t count;
    uint32_t entries[YK_SIM_ENTRIES]; /* index << 16 | subindex << 8 | bits */
};

/* The process data of one direction. */
struct yk_sim_map {
    int sm; /* its SyncManager; -1: no process data */
    uint16_t start;
    uint8_t control;
    bool configurable, fixed_pdos; /* PDOs may be assigned; their entries may not be changed */
    size_t pdo_count, assigned_count;
    struct yk_sim_pdo pdos[YK_SIM_PDOS];
    uint16_t assigned[YK_SIM_PDOS];

    /* from the above, by yk_sim_map_build */
    size_t count, bits;
    struct {
        int object; /* -1: a gap */
        uint8_t bits;
    } entries[YK_SIM_ENTRIES];
};
enum { YK_SIM_OUT, YK_SIM_IN };

/* ---- clock ---- */

struct yk_sim_clock {
    int64_t at, local; /* the local clock shows `local` + `part` at the time `at` */
    double part;
    double ppm, trim; /* rate beside 1: of the quartz; of the control loop, 1e-6 */
    int64_t to, back; /* ns from the first slave to port 0 of this one, and until the frame is at port 1 again */
    bool last;        /* nothing behind it */
    bool deaf;        /* does not follow the reference */
    int64_t written;  /* when the system time was last written */
    double mean;      /* of the difference */
    bool armed;       /* SYNC0 runs */
    uint64_t next;    /* system time of the next SYNC0 */
};

/* ---- drive ---- */

/* CiA 402 */
enum yk_sim_drive_state {
    YK_SIM_SWITCH_ON_DISABLED,
    YK_SIM_READY,
    YK_SIM_SWITCHED_ON,
    YK_SIM_ENABLED,
    YK_SIM_QUICK_STOP,
    YK_SIM_FAULT_REACTION,
    YK_SIM_FAULT
};

struct yk_sim_drive {
    enum yk_sim_drive_state state;
    unsigned mode;         /* in force, shown by 0x6061 */
    int changing;          /* cycles since another one was asked for */
    bool makes_force;      /* enabled in its mode of torque, beside that of position */
    uint16_t control;      /* the last one */
    double command;        /* what the plant gets, in units */
    double speed;          /* of the command, units/s */
    bool limited, strange; /* target beyond the software limits; not a number */
    enum { YK_SIM_HOME_WAITS, YK_SIM_HOME_MOVES, YK_SIM_HOME_DONE, YK_SIM_HOME_ERROR } homing;
    enum { YK_SIM_LEG_TO_SWITCH, YK_SIM_LEG_TO_EDGE, YK_SIM_LEG_TO_INDEX } leg; /* of the way to the zero */
};

/* ---- slave ---- */

struct yk_sim_mail {
    size_t size;
    int64_t due;
    uint8_t bytes[YK_SIM_MAIL_MOST];
};

struct yk_sim_slave {
    /* identity and kind; set before the start */
    char name[YK_SIM_TEXT], order[16];
    uint32_t vendor, product, revision, serial;
    bool dc, drive;
    bool firmware;                         /* checks requests; otherwise the AL status follows the AL control */
    bool keeps_outputs_open;               /* after a fall */
    uint16_t mailbox;                      /* bytes of each mailbox; 0: none */
    uint16_t actuator;                     /* of a drive; YK_SIM_NO_ACTUATOR: it moves nothing */
    int64_t change_ns, mailbox_ns, sii_ns; /* that it takes for a new AL state, an answer, a word of the SII */
    size_t object_count;
    struct yk_sim_object objects[YK_SIM_OBJECTS];
    struct yk_sim_map maps[2];
    size_t sii_size;
    uint8_t sii[YK_SIM_SII];
    char label[YK_SIM_TEXT]; /* object 0x2000 */

    /* memory, and what the frame that passes does to it at its end */
    uint8_t memory[YK_SIM_MEMORY];
    struct yk_sim_write *writes; /* private to memory.c */
    uint8_t filled, emptied;     /* SyncManagers whose last byte was written, read */
    bool al_seen;

    /* device */
    bool requested;
    uint16_t request;
    int64_t request_due, sii_due; /* 0: nothing asked of the SII */
    int sii_deaf;                 /* reads that it will not acknowledge */
    bool fallen;                  /* the outputs stay locked until the error is acknowledged */
    bool got_outputs;             /* since SAFEOP */
    bool fresh, twice;            /* outputs that the device has not seen; they came again since */
    bool fall_counted;
    int missed;        /* SYNC0 without new outputs, in a row */
    int64_t output_ns; /* when outputs last came */
    bool mailbox_stuck;
    uint8_t mail_heard, mail_said; /* counters */
    size_t mail_count;
    struct yk_sim_mail mails[YK_SIM_MAILS], mail_last;
    struct {
        bool up, down, toggle;
        uint16_t index;
        uint8_t sub;
        size_t size, done;
        uint8_t data[YK_SIM_MAIL_MOST];
    } segmented;
    uint16_t bits_on, bits_off; /* of its status word, by a fault */
    bool other_mode;            /* is shown, by a fault */
    struct yk_sim_clock clock;
    struct yk_sim_drive drive_now;
    double let_go; /* largest speed at which the voltage of the drive was switched off, units/s: it would coast */
};

/* slave.c: the AL states. Resets everything to how it is after power-on. */
struct yk_sim_slave *yk_sim_slave_create(void);
void yk_sim_slave_destroy(struct yk_sim_slave *s);
void yk_sim_slave_power_on(struct yk_sim_slave *s, int64_t now);
unsigned yk_sim_slave_state(const struct yk_sim_slave *s);
/* Does the work that is due: requests, SII, mailbox, watchdog. */
void yk_sim_slave_advance(struct yk_sim_slave *s, int64_t now);
/* Takes a new AL control; takes outputs that arrived. */
void yk_sim_slave_request(struct yk_sim_slave *s, uint16_t control, int64_t now);
void yk_sim_slave_outputs(struct yk_sim_slave *s, int64_t now);
/* Falls back to SAFEOP with an error, without a request. */
void yk_sim_slave_fall(struct yk_sim_slave *s, uint16_t code, int64_t now);

/* memory.c: a datagram passes (`length` bytes of data; the head is complete); the frame has passed. `now` is the
 * time of the frame at the first slave. */
enum yk_status yk_sim_memory_create(struct yk_sim_slave *s);
void yk_sim_memory_pass(struct yk_sim_slave *s, uint8_t *datagram, size_t length, int64_t now);
void yk_sim_memory_commit(struct yk_sim_slave *s, int64_t now);
/* The frame was damaged before it came here. */
void yk_sim_memory_forget(struct yk_sim_slave *s);

/* sii.c */
uint8_t yk_sim_sii_crc(const uint8_t *bytes, size_t count);
void yk_sim_sii_build(struct yk_sim_slave *s);
void yk_sim_sii_command(struct yk_sim_slave *s, int64_t now);
void yk_sim_sii_finish(struct yk_sim_slave *s);

/* objects.c */
struct yk_sim_object *yk_sim_object_add(struct yk_sim_slave *s, struct yk_sim_object object);
struct yk_sim_object *yk_sim_object_find(struct yk_sim_slave *s, unsigned index, unsigned sub);
uint64_t yk_sim_object_value(const struct yk_sim_slave *s, unsigned index, unsigned sub); /* 0: there is none */
int yk_sim_type_bits(unsigned type);
/* The value of an object of process data in its unit. Set: integers are rounded; a position of 32 bits wraps, others
 * stay within their range; false where they had to. */
double yk_sim_object_number(const struct yk_sim_object *o);
bool yk_sim_object_set(struct yk_sim_object *o, double x);
/* A drive of positions gets a mode of torque, too. */
void yk_sim_give_torque(struct yk_sim_slave *s);
/* Is this a mode of the drive? */
bool yk_sim_mode_is_there(const struct yk_sim_slave *s, unsigned mode);
/* Finds the objects of the entries; false: an entry has none. */
bool yk_sim_map_build(struct yk_sim_slave *s, int direction);
static inline size_t yk_sim_map_bytes(const struct yk_sim_map *m)
{
    return (m->bits + 7) / 8;
}
/* Between the objects and the memory of the SyncManager. */
void yk_sim_outputs_take(struct yk_sim_slave *s);
void yk_sim_inputs_put(struct yk_sim_slave *s);
/* An SDO: 0, or the code of an abort. An upload gives the size; a download takes it. */
uint32_t yk_sim_sdo_upload(struct yk_sim_slave *s, unsigned index, unsigned sub, uint8_t *data, size_t *size);
uint32_t yk_sim_sdo_download(struct yk_sim_slave *s, unsigned index, unsigned sub, const uint8_t *data, size_t size);

/* coe.c: the mailbox */
void yk_sim_mailbox_reset(struct yk_sim_slave *s);
/* Appends a message with `size` bytes behind the mailbox header; returns these bytes, zeros. */
uint8_t *yk_sim_mail_say(struct yk_sim_slave *s, uint8_t type, size_t size, int64_t now);
void yk_sim_info_answer(struct yk_sim_slave *s, const uint8_t *info, size_t size, int64_t now); /* info.c */
void yk_sim_mailbox_take(struct yk_sim_slave *s, int64_t now); /* a message of the master is there */
void yk_sim_mailbox_deliver(struct yk_sim_slave *s, int64_t now);
void yk_sim_mailbox_repeat(struct yk_sim_slave *s); /* the last one once more */
void yk_sim_emergency(struct yk_sim_slave *s, uint16_t code, int64_t now);

/* clock.c: distributed clocks. `t` is the time of the frame at the first slave. */
uint64_t yk_sim_clock_system(const struct yk_sim_slave *s, int64_t t);
void yk_sim_clock_latch(struct yk_sim_slave *s, int64_t t);
void yk_sim_clock_compare(struct yk_sim_slave *s, uint64_t received, int bytes, int64_t t);
void yk_sim_clock_reset_filter(struct yk_sim_slave *s, int64_t t);
void yk_sim_clock_activate(struct yk_sim_slave *s, int64_t t);
/* Changes the rate of the quartz from t on. */
void yk_sim_clock_drift(struct yk_sim_slave *s, double ppm, int64_t t);
/* When the next SYNC0 is due, in the time of the simulation; INT64_MAX: never. */
int64_t yk_sim_clock_sync_due(const struct yk_sim_slave *s, int64_t t);
/* Moves the next SYNC0 behind t. */
void yk_sim_clock_sync_pass(struct yk_sim_slave *s, int64_t t);

/* drive.c: CiA 402 */
void yk_sim_drive_reset(struct yk_sim_slave *s, double command);
/* One cycle: reads the control word and the target, and writes the status word. `tick` in seconds. */
void yk_sim_drive_cycle(struct yk_sim_slave *s, double tick);
void yk_sim_drive_fail(struct yk_sim_slave *s, uint16_t code, int64_t now);

#endif
