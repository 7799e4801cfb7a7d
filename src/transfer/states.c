/* The states of a test station, as one table. docs/safety.md draws it.
 *
 * Checked with spin (tests/model/supervisor.pml, which is made from this table): after a trip no command of the method
 * reaches the rig, a trip is never lost, and every state can be left, at least by `reset`. */
#include "transfer/supervisor.h"

#define TO(state, entry_)                                                                                              \
    {                                                                                                                  \
        .next = YK_STATE_##state, .entry = YK_ENTRY_##entry_                                                           \
    }
/* A row of the table: events without effect keep the state. A trip has an effect in every state. */
#define STAY(state)                                                                                                    \
    [YK_EVENT_ARM] = TO(state, NONE), [YK_EVENT_START] = TO(state, NONE), [YK_EVENT_REACHED] = TO(state, NONE),        \
    [YK_EVENT_PAUSE] = TO(state, NONE), [YK_EVENT_RESUME] = TO(state, NONE), [YK_EVENT_STEP] = TO(state, NONE),        \
    [YK_EVENT_ABORT] = TO(state, NONE), [YK_EVENT_FINISH] = TO(state, NONE), [YK_EVENT_TRIP] = TO(TRIPPED, SAFE),      \
    [YK_EVENT_RESET] = TO(state, NONE)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
const struct yk_transition yk_transitions[YK_STATES][YK_EVENTS] = {
    [YK_STATE_IDLE] = {STAY(IDLE), [YK_EVENT_ARM] = TO(ARMED, HOLD)},
    [YK_STATE_ARMED] = {STAY(ARMED), [YK_EVENT_START] = TO(STARTING, TO_START), [YK_EVENT_ABORT] = TO(DONE, HOLD)},
    [YK_STATE_STARTING] =
        {STAY(STARTING), [YK_EVENT_REACHED] = TO(RUNNING, FOLLOW), [YK_EVENT_ABORT] = TO(RAMPING, TO_HOME)},
    [YK_STATE_RUNNING] = {STAY(RUNNING), [YK_EVENT_PAUSE] = TO(PAUSED, HOLD), [YK_EVENT_ABORT] = TO(RAMPING, TO_HOME),
                          [YK_EVENT_FINISH] = TO(RAMPING, TO_HOME)},
    [YK_STATE_PAUSED] = {STAY(PAUSED), [YK_EVENT_RESUME] = TO(RUNNING, FOLLOW),
                         [YK_EVENT_STEP] = TO(RUNNING, FOLLOW_ONE), [YK_EVENT_ABORT] = TO(RAMPING, TO_HOME)},
    [YK_STATE_RAMPING] = {STAY(RAMPING), [YK_EVENT_REACHED] = TO(DONE, HOLD), [YK_EVENT_ABORT] = TO(RAMPING, HURRY)},
    [YK_STATE_TRIPPED] = {STAY(TRIPPED), [YK_EVENT_TRIP] = TO(TRIPPED, NONE), [YK_EVENT_ABORT] = TO(TRIPPED, HURRY),
                          [YK_EVENT_RESET] = TO(IDLE, HOLD)},
    [YK_STATE_DONE] = {STAY(DONE), [YK_EVENT_RESET] = TO(IDLE, HOLD)},
};
#pragma GCC diagnostic pop

const enum yk_source yk_state_sources[YK_STATES] = {
#define X(id, word, source) [YK_STATE_##id] = YK_SOURCE_##source,
    YK_STATE_LIST(X)
#undef X
};

const char *yk_rig_state_text(enum yk_rig_state state)
{
    static const char *const words[] = {
#define X(id, word, source) word,
        YK_STATE_LIST(X)
#undef X
    };

    return (int)state >= 0 && state < YK_STATES ? words[state] : "?";
}
