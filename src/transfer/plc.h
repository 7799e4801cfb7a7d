/* The handshake with the PLC of a rig: heartbeats, permissive, pressure in steps, watchdog, reset by key. Its
 * signals are lines of the rig (yoke/rig.h). docs/plc.md.
 *
 * Pressure goes up and down by one step at a time, and every step is acknowledged before the next one is ordered. */
#ifndef YOKE_PLC_H
#define YOKE_PLC_H

#include <yoke/rig.h>

enum yk_pressure { YK_PRESSURE_OFF, YK_PRESSURE_LOW, YK_PRESSURE_HIGH, YK_PRESSURES };
#define YK_PRESSURE_CHOICES "off|low|high"

struct yk_plc {
    /* constant: line k is bit k */
    uint32_t of[YK_LINE_ROLES]; /* the lines of a role */
    uint32_t inverted;          /* inputs */
    uint32_t toggles;           /* outputs */

    uint32_t on;                         /* inputs, as they were read last */
    bool heard;                          /* they were read at all */
    uint32_t lived;                      /* heartbeats that have changed since the start was asked for */
    double still_s[YK_LINES_MOST];       /* since a heartbeat has changed */
    double counter, counter_still_s;     /* last count of a sensor that is a heartbeat, and since when */
    bool counted, counter_lived;         /* it was read; it has changed */
    uint32_t beats;                      /* levels of the outputs that toggle */
    double beat_s[YK_LINES_MOST];        /* since they have changed */
    enum yk_pressure requested, ordered; /* one step after the other */
    bool acknowledged;                   /* what is ordered */
    bool overdue;                        /* its acknowledgement, which was told */
    double waited_s;                     /* for it */
    bool starts;                         /* a run waits for the PLC */
    bool unlocked;                       /* the key was switched on after the trip */
};

/* After a trip that was reset: what is late counts anew. */
void yk_plc_reset(struct yk_plc *plc) YK_RT;
void yk_plc_init(struct yk_plc *plc, const struct yk_rig_line *lines, size_t count) YK_RT;
const char *yk_pressure_word(enum yk_pressure pressure) YK_RT; /* "low" */

#endif
