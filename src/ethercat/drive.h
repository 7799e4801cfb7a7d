/* Drives of the profile CiA 402: their states by the status word, and the control words that lead through them. */
#ifndef YOKE_ETHERCAT_DRIVE_H
#define YOKE_ETHERCAT_DRIVE_H

#include <stdint.h>
#include <yoke/status.h>

/* X(id, mask, value, words) of the status word */
#define YK_DRIVE_STATES(X)                                                                                             \
    X(NOT_READY, 0x4F, 0x00, "not ready to switch on")                                                                 \
    X(DISABLED, 0x4F, 0x40, "switch on disabled")                                                                      \
    X(READY, 0x6F, 0x21, "ready to switch on")                                                                         \
    X(SWITCHED_ON, 0x6F, 0x23, "switched on")                                                                          \
    X(ENABLED, 0x6F, 0x27, "operation enabled")                                                                        \
    X(QUICK_STOP, 0x6F, 0x07, "quick stop active")                                                                     \
    X(FAULT_REACTION, 0x4F, 0x0F, "fault reaction active")                                                             \
    X(FAULT, 0x4F, 0x08, "fault")
enum yk_drive_state {
#define X(id, mask, value, words) YK_DRIVE_##id,
    YK_DRIVE_STATES(X)
#undef X
        YK_DRIVE_UNKNOWN
};
enum yk_drive_state yk_drive_state(uint16_t status) YK_RT;
const char *yk_drive_state_words(enum yk_drive_state state) YK_RT;

/* bits of the status word */
enum {
    YK_DRIVE_WARNS = 1 << 7,
    YK_DRIVE_LIMITED = 1 << 11, /* an internal limit is active: the target is not what the drive does */
    YK_DRIVE_FOLLOWS = 1 << 12, /* in the cyclic modes: the drive follows the target */
    YK_DRIVE_LAGS = 1 << 13     /* in modes of position: following error */
};
enum { YK_DRIVE_RESET = 0x0080 }; /* control: fault reset, at its rising edge */

/* Mode of homing: its number; control: begin, at the rising edge; status: target reached, attained, error. */
enum {
    YK_DRIVE_HOMING = 6,
    YK_DRIVE_BEGINS = 1 << 4,
    YK_DRIVE_REACHED = 1 << 10,
    YK_DRIVE_ATTAINED = 1 << 12,
    YK_DRIVE_HOMING_ERROR = 1 << 13
};

enum yk_drive_goal {
    YK_DRIVE_OFF,     /* no voltage */
    YK_DRIVE_RUN,     /* operation enabled; a fault stays */
    YK_DRIVE_RECOVER, /* the same, and faults are reset */
    YK_DRIVE_STOP     /* quick stop; a drive that stays in it is held there, with its voltage */
};
/* The control word that follows a status word, one step at a time. `last` is the one sent before. */
uint16_t yk_drive_control(uint16_t status, enum yk_drive_goal goal, uint16_t last) YK_RT;

#endif
