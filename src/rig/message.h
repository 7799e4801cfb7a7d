/* Messages between the side that commands a rig and the side that moves it. docs/backends.md.
 *
 *     HELLO  ->            the experiment: actuators, sensors, lines, control period, names
 *            <- CHALLENGE  a fresh number; or REFUSE with a reason, here and below
 *     HELLO  ->            the same, with that number
 *            <- WELCOME    the session exists from here on
 *     REST   ->            stand at rest there
 *            <- READING
 *     ENABLE ->            the drives are to be enabled, or disabled
 *            <- READING
 *     COMMAND ->           once a tick
 *            <- READING    once a tick
 *     CUT    ->            the drive is to be disabled; ends the session, too
 *     BYE    ->            either side ends the session
 *
 * A datagram holds one message, little-endian:
 *
 *     0 "YOKE" | 4 version | 6 kind | 8 session | 12 count | 16 sequence | 24 answers | 32 values | ... CRC-32 */
#ifndef YOKE_MESSAGE_H
#define YOKE_MESSAGE_H

#include <stdint.h>
#include <yoke/rig.h>

enum {
    YK_WIRE_VERSION = 3,
    YK_WIRE_PER_READING = 4, /* values of an actuator */
    YK_WIRE_PER_AHEAD = 4,   /* and of its feed-forward */
    YK_WIRE_VALUES = 176,    /* at most: a datagram then fits into one Ethernet packet */
    YK_WIRE_ACTUATORS = YK_WIRE_VALUES / YK_WIRE_PER_READING, /* more than fit into a reading */
    YK_WIRE_WORDS = 128,                                      /* bytes of a reason, with its terminator */
    YK_WIRE_HEAD = 32,
    YK_WIRE_LARGEST = YK_WIRE_HEAD + 8 * YK_WIRE_VALUES + 4, /* bytes of a datagram */
    YK_FAR_AHEAD = 16,   /* smallest limit beyond which a jump of the sequence number is doubted */
    YK_SILENT_TICKS = 3, /* with a clock: fewer ticks without a message do not count as silence, at any rate */
};

enum yk_message_kind {
    YK_HELLO =
        1, /* values: actuators, control period [s], CRC-32 of the names, sensors, lines, 1: feeds forward, 2: modes
            */
    YK_WELCOME,   /* values: 0 lock-step or 1 own clock; 1 if the rig is simulated, otherwise 0                   */
    YK_REFUSE,    /* values: enum yk_refusal, what the rig has instead, words (8 bytes a value)                   */
    YK_REST,      /* values: of each actuator, in the quantity of its command                                     */
    YK_COMMAND,   /* values: of each actuator, output lines, then what is fed forward; with second control modes: the
                   * commands of those, and which actuators are to be in theirs, as bits                          */
    YK_READING,   /* values: displacement, force, acceleration, velocity of each actuator; sensors; input lines;
                   * with second control modes: which actuators are in theirs                                     */
    YK_BYE,       /* no values                                                                                    */
    YK_CUT,       /* values: output lines. A limit disables the drive                              */
    YK_ENABLE,    /* values: 1 enable, 0 disable the drives; output lines                                         */
    YK_CHALLENGE, /* no values. Its sequence is a fresh number, which the next HELLO has in `answers`             */
    YK_MESSAGE_KINDS
};

/* Why a session is refused; the texts are in remote.c. */
enum yk_refusal {
    YK_REFUSED_COUNT = 1, /* another number of actuators; the value is that of the rig */
    YK_REFUSED_TICK,      /* another control period; the value is that of the rig      */
    YK_REFUSED_NAMES,     /* other names or kinds of what the rig has                  */
    YK_REFUSED_BUSY,      /* another session is going on                               */
    YK_REFUSED_RIG,       /* the rig itself refuses or has failed; it may give a reason      */
    YK_REFUSED_SESSION,   /* the session is over, or there never was one               */
    YK_REFUSED_SENSORS,   /* another number of sensors; the value is that of the rig   */
    YK_REFUSED_LINES,     /* another number of lines; the value is that of the rig     */
    YK_REFUSAL_REASONS
};

struct yk_message {
    uint32_t kind, session; /* session: a number the commanding side chose */
    uint64_t sequence;      /* number of the message of its side, from 1; a repeated message keeps its number */
    uint64_t answers;       /* sequence of the newest message of the other side that it takes into account */
    uint32_t count;         /* of values */
    double values[YK_WIRE_VALUES];
};

/* The verdict on a datagram. */
enum yk_verdict {
    YK_FRAME_GOOD,
    YK_FRAME_FOREIGN,       /* not of this protocol                  */
    YK_FRAME_OTHER_VERSION, /* of this protocol, but another version */
    YK_FRAME_DAMAGED,       /* wrong length, kind or check sum       */
    YK_FRAME_FORGED,        /* sealed by another key, or altered     */
    YK_FRAME_REPLAYED,      /* sealed, but it was heard before       */
};

/* Returns the number of bytes written, at most YK_WIRE_LARGEST. */
size_t yk_message_pack(const struct yk_message *m, unsigned char *bytes) YK_RT;
/* Accepts any bytes; sets *m if the frame is good, and only m->kind (the version) for another version. */
enum yk_verdict yk_message_unpack(const unsigned char *bytes, size_t size, struct yk_message *m) YK_RT;
/* How many values the messages of a session have. */
struct yk_wire_shape {
    size_t actuators, sensors;
    bool feeds_forward, switches;
};
/* Control modes from a value; 0 for an invalid one. */
uint64_t yk_wire_modes(double value) YK_RT;
struct yk_wire_shape yk_wire_shape(const struct yk_rig_plan *plan);
/* The values of a HELLO. */
enum { YK_HELLO_VALUES = 6 };
void yk_wire_hello(const struct yk_rig_plan *plan, double hello[YK_HELLO_VALUES]);
/* Refuses a plan whose messages would be too long. */
enum yk_status yk_wire_check(const struct yk_rig_plan *plan, struct yk_err *err);
/* Does a map of a backend carry all that the plan of the rig has? `carries`: the value, or the line, of an index. */
enum yk_status yk_wire_carried(const struct yk_rig_plan *plan, const char *backend,
                               bool (*carries)(const void *map, bool line, bool writes, size_t index), const void *map,
                               struct yk_err *err);
/* The values of a READING, without lines, to what an exchange returns. */
void yk_wire_hand_over(const double *values, size_t actuators, size_t sensors, struct yk_rig_in *in) YK_RT;
/* Is the kind known, with the right number of values for the session (NULL: for any session)? */
bool yk_message_fits(const struct yk_message *m, const struct yk_wire_shape *shape) YK_RT;

/* Levels of lines from a value; 0 for an invalid one. */
uint32_t yk_wire_lines(double value) YK_RT;

/* Makes a refusal with its words, "" for none; and reads the words of one, which may be missing. */
struct yk_message yk_refuse(uint32_t session, enum yk_refusal reason, double instead, const char *words);
void yk_refuse_words(const struct yk_message *m, char words[YK_WIRE_WORDS]) YK_RT;

/* The numbers of the messages of one side. A number far ahead of the last would make all that follow look old; it is
 * refused unless others follow it, as after a gap of a stalled sender. */
struct yk_sequence {
    uint64_t last, far;
    uint64_t doubted; /* the last one that was refused */
    int following;    /* how many of those came in sequence */
};
enum yk_number { YK_NUMBER_NEW, YK_NUMBER_OLD, YK_NUMBER_FAR };
/* Far is more than the other side can have sent within half of the silence after which it counts as lost. So a wrong
 * number that is just accepted hides the right ones for less time than that. `clock`: it sends by itself, every
 * tick. */
uint64_t yk_sequence_far(bool clock, int64_t silence_ns, double tick_s);
/* A new number becomes the last. */
enum yk_number yk_sequence_judge(struct yk_sequence *s, uint64_t number) YK_RT;

/* CRC-32 (IEEE 802.3: reflected, 0xedb88320), incremental: start with 0. */
uint32_t yk_crc32(uint32_t crc, const void *bytes, size_t size) YK_RT;
/* CRC of the names of actuators, sensors and lines, each with its terminator; after that of an actuator the kind of its
 * command, after that of a line its role, as one byte. With second control modes "switch" and the kind of each, before
 * the sensors. */
uint32_t yk_names_crc(const struct yk_rig_plan *plan);

#endif
