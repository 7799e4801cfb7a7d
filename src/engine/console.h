/* The console of a rig: a loop like that of a run, with the same station, supervisor and backend, but without a method.
 * It holds the actuators and carries out one order at a time. Another thread gives orders and reads the state.
 *
 * The drives are off at first; nothing moves until they are enabled. A trip acts as in a run. However the loop ends,
 * the actuators are held where they are, and the drives are disabled. */
#ifndef YOKE_CONSOLE_H
#define YOKE_CONSOLE_H

#include "engine/engine.h"
#include <yoke/identify.h>

enum yk_console_order_kind {
    YK_ORDER_ENABLE,   /* the drives, where the actuators are */
    YK_ORDER_DISABLE,  /* them */
    YK_ORDER_RESET,    /* after a trip: drives off; a rig that was lost or cut begins anew */
    YK_ORDER_WAIT,     /* hold for `ticks` */
    YK_ORDER_MOVE,     /* to the commands `to`, by a smooth ramp of duration_s, and wait for the arrival */
    YK_ORDER_SWEEP,    /* of one actuator around its present command */
    YK_ORDER_ZERO,     /* tare a channel */
    YK_ORDER_FULL,     /* the limits of the test instead of those of the console, until the drives are disabled */
    YK_ORDER_LINES,    /* set output lines by hand; drives off only */
    YK_ORDER_PRESSURE, /* off, low or high, step by step, until the PLC acknowledges it */
    YK_ORDER_MODE,     /* the first or the second control mode of one actuator, until its device confirms it */
    YK_ORDER_HOMING,   /* the device of one actuator looks for its zero, for at most `ticks`; then the drives are off */
    YK_ORDER_SILENCE   /* send nothing for `ticks`: does the rig notice? */
};

/* An order and its outcome. The memory is the caller's and must stay until the order is done. */
struct yk_console_order {
    enum yk_console_order_kind kind;
    const double *to; /* MOVE: of every actuator */
    double duration_s;
    struct yk_sweep sweep;
    size_t actuator; /* SWEEP, MODE, HOMING */
    bool second;     /* MODE */
    long ticks;
    size_t channel; /* ZERO: see yk_station_tare */
    double zero, command;
    enum yk_pressure pressure;
    uint32_t lines, levels; /* LINES: which, and their levels */
    double *rows;           /* every tick of WAIT, MOVE and SWEEP, if not NULL: yk_console_width numbers */
    size_t room;            /* rows that fit */

    size_t made;      /* rows */
    double made_s;    /* wall time from the first to the last of them; 0 on a simulated rig */
    int64_t first_ns; /* of the loop */
    enum yk_status status;
    struct yk_err err;
};

/* Columns of a row and of the state: YK_SEEN of each actuator, the sensors, then their raw
 * numbers. */
enum {
    YK_SEEN_SENT,
    YK_SEEN_DISPLACEMENT,
    YK_SEEN_FORCE,
    YK_SEEN_ACCELERATION,
    YK_SEEN_RAW_DISPLACEMENT, /* as the rig gave them, before calibration and filter */
    YK_SEEN_RAW_FORCE,
    YK_SEEN
};

struct yk_console_now {
    int64_t state;    /* enum yk_rig_state */
    int64_t off;      /* the drives are disabled */
    int64_t full;     /* the limits are those of the test */
    int64_t busy;     /* an order is being carried out */
    int64_t tick;     /* since the loop began */
    int64_t held;     /* ticks without a new reading, in a row */
    int64_t missed;   /* deadlines */
    int64_t degraded; /* the machine refused what real time needs */
    int64_t late_ns;  /* of the last tick */
    int64_t warnings;
    int64_t pressure, acknowledged; /* enum yk_pressure: ordered, and whether it is there */
    uint64_t lines;
    uint64_t modes; /* bit i: actuator i is in its second control mode */
    struct yk_trip trip, warning;
};

struct yk_console; /* opaque: the station at work */
/* Brings the rig to rest, drives off. Of the settings, those of pace and scheduling are used, and the
 * telemetry, whose only stream is that of the control ticks. */
enum yk_status yk_console_open(struct yk_console **console, const struct yk_model *model,
                               const struct yk_run_settings *settings, struct yk_err *err);
void yk_console_close(struct yk_console *console);
/* The loop; returns after yk_console_stop(.., true). In a thread of its own. */
void yk_console_run(struct yk_console *console);

/* ---- for one other thread ---- */

/* Gives an order; the last one must be done. */
void yk_console_give(struct yk_console *console, struct yk_console_order *order);
bool yk_console_is_done(const struct yk_console *console);
/* Any thread, and signal handlers: stops the motion of an order and holds; `end`: also ends the loop. */
void yk_console_stop(struct yk_console *console, bool end);
/* The newest state; `seen`: yk_console_width numbers. */
void yk_console_read(const struct yk_console *console, struct yk_console_now *now, double *seen);

/* ---- constant ---- */

struct yk_station *yk_console_station(const struct yk_console *console);
size_t yk_console_width(const struct yk_console *console);
double yk_console_tick_s(const struct yk_console *console); /* of wall time */

#endif
