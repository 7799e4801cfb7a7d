/* The states of a test on a rig, as recordings (the channel "state"), telemetry and messages have them: numbers from 0
 * on. docs/safety.md says what leads from one to another. */
#ifndef YOKE_RIG_STATE_H
#define YOKE_RIG_STATE_H

/* X(id, word, what the rig gets: NOTHING; HELD, the last command; RAMPED, a ramp of the supervisor; FOLLOWED, the
 * commands of the test; SAFE, what the limit that tripped asks for) */
#define YK_STATE_LIST(X)                                                                                               \
    X(IDLE, "idle", NOTHING)                                                                                           \
    X(ARMED, "armed", HELD)                                                                                            \
    X(STARTING, "starting", RAMPED)                                                                                    \
    X(RUNNING, "running", FOLLOWED)                                                                                    \
    X(PAUSED, "paused", HELD)                                                                                          \
    X(RAMPING, "ramping", RAMPED)                                                                                      \
    X(TRIPPED, "tripped", SAFE)                                                                                        \
    X(DONE, "done", HELD)

enum yk_rig_state {
#define X(id, ...) YK_STATE_##id,
    YK_STATE_LIST(X)
#undef X
        YK_STATES
};

/* "running", "tripped", ...; "?" of a number that is no state. */
const char *yk_rig_state_text(enum yk_rig_state state);

#endif
