/* The ladder of CiA 402: each control word asks for the next state, from the one that was read. */
#include "ethercat/drive.h"

#include <stddef.h>

enum { DISABLE_VOLTAGE = 0x00, SHUTDOWN = 0x06, SWITCH_ON = 0x07, ENABLE = 0x0F, QUICK = 0x0B };

static const struct {
    uint16_t mask, value;
    const char *words;
} states[] = {
#define X(id, mask, value, words) {mask, value, words},
    YK_DRIVE_STATES(X)
#undef X
};

YK_RT enum yk_drive_state yk_drive_state(uint16_t status)
{
    for (int s = 0; s < YK_DRIVE_UNKNOWN; s++)
        if ((status & states[s].mask) == states[s].value)
            return (enum yk_drive_state)s;
    return YK_DRIVE_UNKNOWN;
}

YK_RT const char *yk_drive_state_words(enum yk_drive_state state)
{
    return state < YK_DRIVE_UNKNOWN ? states[state].words : "no known state";
}

/* Upwards. */
YK_RT static uint16_t climb(enum yk_drive_state state)
{
    switch (state) {
    case YK_DRIVE_DISABLED:
        return SHUTDOWN;
    case YK_DRIVE_READY:
        return SWITCH_ON;
    case YK_DRIVE_SWITCHED_ON:
    case YK_DRIVE_ENABLED:
        return ENABLE;
    default:
        return DISABLE_VOLTAGE;
    }
}

YK_RT uint16_t yk_drive_control(uint16_t status, enum yk_drive_goal goal, uint16_t last)
{
    const enum yk_drive_state state = yk_drive_state(status);

    if (goal == YK_DRIVE_STOP)
        return state == YK_DRIVE_ENABLED || state == YK_DRIVE_QUICK_STOP ? QUICK : DISABLE_VOLTAGE;
    if (goal == YK_DRIVE_OFF)
        return DISABLE_VOLTAGE;
    if (state == YK_DRIVE_FAULT)
        return goal == YK_DRIVE_RECOVER && !(last & YK_DRIVE_RESET) && last == DISABLE_VOLTAGE ? YK_DRIVE_RESET
                                                                                               : DISABLE_VOLTAGE;
    return climb(state);
}
