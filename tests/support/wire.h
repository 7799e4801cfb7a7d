/* A rig in a process of its own, for tests of the wire: a lag and a spring behind each actuator,
 *
 *     x <- x + 0.1 (command - x),   force = 1000 x,   acceleration = -x,   velocity = 3 x
 *
 * so that readings can be computed beside it to the last bit. */
#ifndef YOKE_TEST_WIRE_H
#define YOKE_TEST_WIRE_H

#include "rig/serve.h"
#include "rig/udp_raw.h"
#include <yoke/rig.h>

#include <sys/types.h>

enum { WIRE_ACTUATORS = 2, WIRE_LOG = 200000 };
extern const struct yk_rig_plan wire_plan; /* actuators a1, a2; 1 kHz */
extern const struct yk_rig_ops wire_rig;
extern double wire_stands_at; /* of a rig that a rest does not move, to be set before it is started; 0: it does */

/* The first actuator instead: by velocity or acceleration it is moved by what it is commanded, without a lag; its
 * velocity is not measured. To be set before it is started. */
extern enum yk_command_kind wire_moves_by;

/* The request that a served rig refuses, in words that WIRE_WORDS are part of; to be set before it is started. */
enum wire_refusal { WIRE_WILLING, WIRE_NO_REST, WIRE_NO_ENABLE, WIRE_NO_EXCHANGE };
extern enum wire_refusal wire_refuses;
extern bool wire_simulates; /* what a rig says of itself; to be set before it is started */
#define WIRE_WORDS "the oil has 71 degrees"

struct wire_rig {
    double x[WIRE_ACTUATORS], speed; /* speed: of the first, where it is commanded by a rate */
    long ticks;
    struct wire_log *log; /* may be NULL */
};

/* Log of the commands to the served rig, in memory that the test sees. */
struct wire_log {
    atomic_long count, cuts;
    double command[WIRE_LOG], place[WIRE_LOG]; /* of the first actuator; place: before the tick */
    double second[WIRE_LOG];                   /* command of the second */
};

struct peer_counts {
    unsigned long sessions, lost_sessions, ticks, commands, missing, stale, refused, damaged, cuts, strangers, far,
        broken, challenges, void_greetings, forged, replayed;
};

struct peer {
    pid_t pid;
    int port, from; /* from: end of the pipe on which it tells its port and counts */
    char shm[48];
    const struct yk_raw_settings *raw; /* NULL: the messages of Yoke */
    const char *key;                   /* file with the key of both sides; NULL: none */
    struct wire_log *log;
};

/* Forks; over shared memory where settings->shm is set (the name is made unique), otherwise over UDP. */
void peer_start(struct peer *p, const struct yk_server_settings *settings, const struct yk_rig_plan *plan);
/* Ends it by SIGTERM and returns what it counted; zero where it had crashed. */
struct peer_counts peer_stop(struct peer *p);

/* A backend that talks to the peer; settings by name beside "port" and "name". */
struct wire {
    const struct yk_rig_ops *ops;
    void *self;
};
struct setting_of {
    const char *name;
    double value;
};
struct wire wire_make(const struct peer *p, const struct setting_of *set);
void wire_free(struct wire *w); /* closes it, too */
/* An exchange and a rest of actuators alone. */
enum yk_rig_answer wire_exchange(const struct wire *w, const double *command, struct yk_reading *got);
enum yk_status wire_rest(const struct wire *w, const double *x, struct yk_reading *got, struct yk_err *err);

/* The wires that every test of both runs over. */
enum { WIRES = 2 };
extern const char *const wires[WIRES]; /* UDP, shared memory */

/* Patient, so that a busy machine does not look like a fault. */
extern const struct setting_of patient[];
/* Soon tired, where a fault is what is tested. */
extern const struct setting_of hasty[];

/* A server over UDP (NULL) or shared memory of that name. */
struct yk_server_settings serving(const char *shm);

/* Command of an actuator at a tick. */
double wish(int tick, int actuator);

extern const double wire_start[WIRE_ACTUATORS];

/* Moves `ticks` ticks over the wire and beside it; every reading must be the same to the last bit. */
void move_and_compare(struct wire *w, int ticks);

/* ---- packets of a declared layout ---- */

struct yk_field layout_value(enum yk_field_type type, size_t at, size_t index);
struct yk_field layout_field(enum yk_field_type type, enum yk_field_role role, size_t at, int64_t constant);
/* For wire_plan; numbers of one byte, so that they wrap soon, or none. The same memory each time. */
struct yk_raw_settings wire_layouts(bool numbered);

#endif
