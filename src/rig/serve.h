/* Serves a rig to another process, over shared memory or UDP: the other end of the backends `shm` and `udp`.
 *
 * In lock-step the rig moves one tick for each command, so a run gives the same numbers as with the rig in its own
 * process. With a clock it moves by itself, as a real rig does, and takes the newest command. When the commanding side
 * falls silent or ends the session, the rig holds and then ramps to its start. */
#ifndef YOKE_SERVE_H
#define YOKE_SERVE_H

#include <stdatomic.h>
#include <stdint.h>
#include <yoke/rig.h>

struct yk_raw_settings;

/* Simulated faults of the wire, for tests; 0: none. */
struct yk_wire_faults {
    double latency, jitter; /* of readings: latency plus up to +-jitter, evenly spread [s] */
    double loss;            /* share of messages that are lost, each way */
    double duplicate;       /* share of messages that come twice, each way */
    double reorder;         /* share of readings that leave after the next one */
    long freeze_after;      /* after this many commands it neither moves nor answers */
    long crash_after;       /* after this many commands yk_server_run returns at once, with `crashed` */
    int seed;               /* of the random numbers */
};

struct yk_server_settings {
    const char *shm;                   /* name of the shared memory; NULL: UDP */
    const char *host;                  /* IPv4 address that UDP listens on; NULL: 127.0.0.1 */
    int port;                          /* 0: any that is free */
    const struct yk_raw_settings *raw; /* UDP packets of a declared layout (raw_codec.h); NULL: those of message.h */
    const char *key;                   /* file with the key of both sides (sealed.h); NULL: none */
    bool own_clock;
    double silence; /* s: the session ends after this time without a new command; 0: 0.1 or 3 ticks with a clock, else
                       10 */
    double spin;    /* s: pacing, see yk_clock_pace */
    double ramp;    /* s: duration of the ramp to the start; 0: 1 */
    int priority;   /* SCHED_FIFO priority of the thread that runs it, where allowed; 0: unchanged */
    struct yk_wire_faults faults;
};
struct yk_server_settings yk_server_defaults(void);

enum yk_server_state { YK_SERVER_WAITING, YK_SERVER_MOVING, YK_SERVER_RAMPING, YK_SERVER_CUT, YK_SERVER_STATES };
const char *yk_server_state_name(enum yk_server_state state);

/* May be read by another thread while it runs. */
struct yk_server_counts {
    atomic_ulong sessions, lost_sessions, ticks, commands;
    atomic_ulong cuts;             /* sessions that ended with the drive disabled */
    atomic_ulong missing;          /* commands that never came: the last one was held for their ticks */
    atomic_ulong stale;            /* commands that came twice or after a newer one */
    atomic_ulong refused;          /* messages that were refused: sessions, values that are not finite */
    atomic_ulong damaged;          /* datagrams that are not messages of this version */
    atomic_ulong forged, replayed; /* with a key: datagrams that are not of the other side, or not of now */
    atomic_ulong strangers;        /* messages from another address than that of the session */
    atomic_ulong far;              /* commands whose number is too far ahead to be true */
    atomic_ulong challenges;       /* numbers that were offered to those who greet */
    atomic_ulong void_greetings;   /* greetings of the session that goes on, which change nothing */
    atomic_int state;              /* enum yk_server_state */
    atomic_bool crashed;
    atomic_bool
        broken; /* the shared memory was truncated: yk_server_run has ramped the rig to its start and returned */
};

struct yk_server; /* opaque */
/* The rig is open and stays the caller's; plan and rig must outlive the server. */
enum yk_status yk_server_create(struct yk_server **server, const struct yk_server_settings *settings,
                                const struct yk_rig_ops *rig, void *rig_self, const struct yk_rig_plan *plan,
                                struct yk_err *err);
int yk_server_port(const struct yk_server *server); /* of UDP */
const struct yk_server_counts *yk_server_counts(const struct yk_server *server);
/* Serves until *stop, or until the wire is broken, then ends the session and ramps to the start. */
void yk_server_run(struct yk_server *server, const atomic_bool *stop);
void yk_server_destroy(struct yk_server *server);

#endif
