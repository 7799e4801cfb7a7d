/* The commanding side of a rig in another process, over any wire. */
#ifndef YOKE_REMOTE_H
#define YOKE_REMOTE_H

#include "rig/link.h"
#include "rig/playout.h"

/* Settings that every such backend has; the first member of its private struct. */
struct yk_remote_settings {
    double patience, wait, silence;
};
#define YK_REMOTE_PARAMS(owner)                                                                                        \
    {.name = "patience",                                                                                               \
     .type = YK_PARAM_REAL,                                                                                            \
     .offset = offsetof(owner, remote.settings.patience),                                                              \
     .quantity = YK_TIME,                                                                                              \
     .fallback = 3,                                                                                                    \
     .min = 0,                                                                                                         \
     .max = 600,                                                                                                       \
     .help = "how long to wait for the rig before the run"},                                                           \
        {.name = "wait",                                                                                               \
         .type = YK_PARAM_REAL,                                                                                        \
         .offset = offsetof(owner, remote.settings.wait),                                                              \
         .quantity = YK_TIME,                                                                                          \
         .fallback = 0,                                                                                                \
         .min = 0,                                                                                                     \
         .max = 60,                                                                                                    \
         .help = "longest wait for readings in a tick; 0: in lock-step 1 s for a simulation and limits.peer_silence "  \
                 "for a "                                                                                              \
                 "real rig, half a tick for a rig with its own clock"},                                                \
    {                                                                                                                  \
        .name = "silence", .type = YK_PARAM_REAL, .offset = offsetof(owner, remote.settings.silence),                  \
        .quantity = YK_TIME, .fallback = 0, .min = 0, .max = 60,                                                       \
        .help = "time without an answer after which the rig counts as lost; 0: 1 s in lock-step; 0.1 s, at least "     \
                "three ticks, for a rig with its own clock"                                                            \
    }

/* Faults of the wire; numbers of messages. */
struct yk_remote_counts {
    uint64_t held;    /* ticks without new readings                        */
    uint64_t missing; /* readings that never came or came too late         */
    uint64_t stale;   /* readings that came twice or after a newer one    */
    uint64_t far;     /* readings whose number is too far ahead to be true */
    uint64_t resent;  /* commands that were sent again (lock-step)         */
};

struct yk_remote {
    struct yk_remote_settings settings;
    struct yk_link link;
    struct yk_remote_counts counts;

    /* private */
    const char *what; /* the backend, for messages */
    struct yk_wire_shape shape;
    double hello[YK_HELLO_VALUES];
    uint32_t session;
    bool own_clock, simulated, lost, was_cut;
    uint64_t sequence;        /* of the message sent last        */
    struct yk_sequence heard; /* of the newest reading           */
    int64_t unanswered_ns;    /* since when; 0: the last one was */
    int64_t wait_ns, silence_ns;
    uint64_t oldest;     /* commands since the one that a reading of now answers, at most */
    double peer_silence; /* of the plan */
    struct yk_reading last[YK_WIRE_ACTUATORS];
    double sensors[YK_WIRE_VALUES];
    uint32_t lines;            /* inputs, as last received */
    uint64_t modes;            /* likewise: which actuators are in their second control mode */
    char words[YK_WIRE_WORDS]; /* why the rig refused or was lost; "" where it did neither */
    bool refused;              /* not reported yet */
    struct yk_message out, in;

    size_t playout;                   /* ticks; 0: an exchange waits for its own answer */
    struct yk_playout sent, heard_of; /* commands by number, readings by the command that they answer */
    uint64_t base;                    /* number of the last message before the first command */
};

/* The link must be open; closes it if the session is refused. `what` names the backend in messages. */
enum yk_status yk_remote_open(struct yk_remote *r, const struct yk_rig_plan *plan, const char *what,
                              struct yk_err *err);
void yk_remote_close(struct yk_remote *r);
enum yk_rig_world yk_remote_world(const void *self);
double yk_remote_worst_wait_s(const void *self); /* self begins with a struct yk_remote, here and below */
enum yk_status yk_remote_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err);
enum yk_status yk_remote_enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err);
enum yk_rig_answer yk_remote_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in) YK_RT;
const char *yk_remote_reason(const void *self) YK_RT;
void yk_remote_cut(void *self, uint32_t lines) YK_RT;
struct yk_remote *yk_remote_session(void *self); /* with updated counts; outside the loop */
/* The functions of such a backend except open and close. */
#define YK_REMOTE_OPS                                                                                                  \
    .can = YK_RIG_EVERYTHING | YK_RIG_PLAYS_OUT | YK_RIG_SWITCHES, .worst_wait_s = yk_remote_worst_wait_s,             \
    .rest = yk_remote_rest, .enable = yk_remote_enable, .exchange = yk_remote_exchange, .reason = yk_remote_reason,    \
    .cut = yk_remote_cut, .world = yk_remote_world, .session = yk_remote_session

#endif
