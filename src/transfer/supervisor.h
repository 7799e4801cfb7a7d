/* The supervisor of a test station: it checks every command last and every reading first.
 *
 *     commands of the chains -> state: follow, hold, ramp, nothing -> limits -> rig -> readings -> limits
 *
 * An exceeded limit trips; its action decides what the actuators do then. One table defines all states and transitions.
 * Code in the loop uses plain structs only; texts are made outside. docs/safety.md. */
#ifndef YOKE_SUPERVISOR_H
#define YOKE_SUPERVISOR_H

#include "base/clock.h"
#include "transfer/force_monitor.h"
#include "transfer/plc.h"
#include <yoke/param.h>
#include <yoke/rig.h>
#include <yoke/rig_state.h>

/* ---- limits ---- */

/* Action of the actuators when a limit is exceeded. */
enum yk_action {
    YK_ACTION_HOLD, /* stay at the last command */
    YK_ACTION_RAMP, /* return smoothly to where they were armed */
    YK_ACTION_CUT,  /* send nothing more and disable the drive */
    YK_ACTION_WARN, /* continue; count it, and still clip commands */
    YK_ACTIONS
};
#define YK_ACTION_CHOICES "hold|ramp|cut|warn"

/* X(id, key, words, unit, type of its setting, quantity, default, largest, own action or -1 for on_trip, help) */
#define YK_LIMIT_LIST(X)                                                                                               \
    X(DISPLACEMENT, "displacement", "command", "m", REAL, YK_LENGTH, 0, 1e6, -1,                                       \
      "largest command, which is clipped to it; 0: no limit")                                                          \
    X(FORCE, "force", "force", "N", REAL, YK_FORCE, 0, 1e15, -1, "largest reading of a load cell; 0: no limit")        \
    X(VELOCITY, "velocity", "velocity", "m/s", REAL, YK_VELOCITY, 0, 1e6, -1,                                          \
      "largest value of the measured motion; 0: no limit")                                                             \
    X(ACCELERATION, "acceleration", "acceleration", "m/s2", REAL, YK_ACCELERATION, 0, 1e9, -1,                         \
      "largest value of the measured motion; 0: no limit")                                                             \
    X(COMMAND_RATE, "command_rate", "rate of the command", "m/s", REAL, YK_VELOCITY, 0, 1e6, -1,                       \
      "largest rate of the command from tick to tick, which is clipped to it; 0: no limit")                            \
    X(POSITION_ERROR, "position_error", "position error at standstill", "m", REAL, YK_LENGTH, 1e-3, 1e6, -1,           \
      "largest distance of an actuator from its command before the first motion, after the start ramp and after a "    \
      "hold; beyond it a run needs --approach to begin; default 1 mm, or 1 mrad for a rotary actuator; 0: no limit")   \
    X(TRACKING_ERROR, "tracking_error", "tracking error", "m", REAL, YK_LENGTH, 0, 1e6, -1,                            \
      "target minus measured displacement; 0: no limit")                                                               \
    X(RELATIVE_ERROR, "relative_error", "tracking error relative to the motion", "", REAL, YK_NUMBER, -1, 1e6, -1,     \
      "tracking error of an actuator that is commanded by displacement, as a share of its largest motion so far; "     \
      "warns "                                                                                                         \
      "at two fifths of it; default 0.5, and none on a simulated rig; 0: no limit")                                    \
    X(FOLLOWING, "following", "following error", "m", REAL, YK_LENGTH, 0, 1e6, -1,                                     \
      "command minus measured displacement, in every state; grows with the speed by `following_time`; 0: no limit")    \
    X(ENERGY_ERROR, "energy_error", "energy error", "", REAL, YK_NUMBER, 0, 1e6, -1,                                   \
      "factor by which tracking errors may amplify the motion; 3 stops an unstable loop before tenfold growth; 0: "    \
      "no limit")                                                                                                      \
    X(PASSIVITY, "passivity", "share of time at the bound of the passivity controller", "", REAL, YK_NUMBER, 0, 1, -1, \
      "share of its window for which transfer.NAME.passivity may be at `most`; 0: no limit")                           \
    X(SENSOR_RANGE, "sensor_range", "reading", "m", REAL, YK_LENGTH, 0, 1e6, -1,                                       \
      "largest measured displacement that is physically possible; 0: no limit")                                        \
    X(SENSOR_FROZEN, "sensor_frozen", "frozen displacement", "s", REAL, YK_TIME, -1, 1e6, -1,                          \
      "longest time for which a measured displacement may stay the same while the command moves; default 0.5 s, and "  \
      "none on a simulated rig; 0: no limit")                                                                          \
    X(FORCE_FROZEN, "force_frozen", "frozen force", "s", REAL, YK_TIME, 0, 1e6, -1,                                    \
      "longest time for which a measured force may stay the same while the command moves; 0: no limit")                \
    X(IMPLAUSIBLE_FORCE, "implausible_force", "implausible force", "", WHOLE, YK_NUMBER, 6, 1e6, YK_ACTION_WARN,       \
      "half cycles in a row in which a measured force contradicts the estimate of its specimen (reversed, constant, "  \
      "clipped); warns unless it has an action; 0: no limit")                                                          \
    X(MISSED_DEADLINES, "missed_deadlines", "deadlines missed in a row", "", WHOLE, YK_NUMBER, 3, 1e9, YK_ACTION_HOLD, \
      "missed deadlines in a row that trip; with --realtime only; 0: no limit")                                        \
    X(MISSED_TOTAL, "missed_total", "deadlines missed", "", WHOLE, YK_NUMBER, 0, 1e9, YK_ACTION_HOLD,                  \
      "missed deadlines in total that trip; with --realtime only; 0: no limit")                                        \
    X(STALL, "stall", "stop of the clock", "s", REAL, YK_TIME, 0.5, 1e6, YK_ACTION_HOLD,                               \
      "longest lateness of a tick; paced runs only; 0: no limit")                                                      \
    X(PEER_SILENCE, "peer_silence", "silence of the rig", "s", REAL, YK_TIME, 0.05, 1e3, -1,                           \
      "longest time without a new reading; 0: no limit")                                                               \
    X(COARSE_WAIT, "coarse_wait", "wait for the coarse side", "s", REAL, YK_TIME, 0.1, 1e3, -1,                        \
      "longest wait for the coarse side on the second thread; paced runs only; 0: 10 s")                               \
    X(UNCONVERGED, "unconverged_steps", "steps in a row with a member that did not converge", "", WHOLE, YK_NUMBER, 1, \
      1e9, YK_ACTION_WARN,                                                                                             \
      "steps in a row in which the iteration of a nonlinear member came to its bound; warns unless it has an action; " \
      "0: no limit")                                                                                                   \
    X(HEARTBEAT, "heartbeat", "standstill of the heartbeat", "s", REAL, YK_TIME, 0.5, 1e3, -1,                         \
      "longest time for which a heartbeat of the PLC may stay the same; 0: no limit")                                  \
    X(PRESSURE_WAIT, "pressure_wait", "wait for the pressure", "s", REAL, YK_TIME, 10, 1e4, -1,                        \
      "longest time from the order of a pressure, low, high or off, to its acknowledgement; 0: 60 s")
/* X(id, key, words, own action or -1): faults without a setting; they take the action of on_trip, or hold where that
 * only warns. A sensor has its own limit and action. */
#define YK_FAULT_LIST(X)                                                                                               \
    X(BAD_READING, "bad_reading", "not a number: reading", -1)                                                         \
    X(BAD_COMMAND, "bad_command", "not a number: command", -1)                                                         \
    X(RIG_LOST, "rig_lost", "the rig is lost", -1)                                                                     \
    X(RIG_REFUSED, "rig_refused", "the rig refuses", -1)                                                               \
    X(SENSOR, "sensors", "sensor", -1)                                                                                 \
    X(POSE, "dofs", "platform", -1)                                                                                    \
    X(READING_RANGE, "readings", "reading out of range", -1)                                                           \
    X(INTERLOCK, "interlock", "an interlock has opened", -1)                                                           \
    X(EMERGENCY_STOP, "emergency_stop", "emergency stop", YK_ACTION_CUT)                                               \
    X(PERMISSIVE, "permissive", "the PLC does not permit motion", -1)                                                  \
    X(PRESSURE, "pressure", "the pressure changed without an order", -1)                                               \
    X(DIVERGED, "diverged", "the motion diverged", -1)                                                                 \
    X(RECORDING, "recording", "the recording failed", -1)                                                              \
    X(DEVICE_POSITION, "device_position", "device off its command", -1)                                                \
    X(MODE, "mode", "control mode not confirmed", -1)                                                                  \
    X(RIG_WARNS, "rig_warns", "the rig warns", YK_ACTION_WARN)                                                         \
    X(PASSIVE_BOUND, "passivity_bound", "passivity at its bound", YK_ACTION_WARN)

enum yk_limit_kind {
#define X(id, ...) YK_LIMIT_##id,
    YK_LIMIT_LIST(X) YK_FAULT_LIST(X)
#undef X
        YK_LIMITS
};

enum { YK_LIMITS_OF_ONE = YK_LIMIT_IMPLAUSIBLE_FORCE + 1 }; /* the first of them apply to one actuator */

/* Limits of one actuator. Zero: linear, commanded by displacement, with the common limits. */
struct yk_own_limits {
    bool turns;                     /* rotary: rad and N m */
    enum yk_command_kind kind;      /* quantity of its commands, holds and ramps */
    double limit[YK_LIMITS_OF_ONE]; /* 0: the common one; negative: none */
};

/* The limit of a sensor of the rig. */
struct yk_sensor_limit {
    const char *name, *unit;
    double limit;   /* of the absolute value, in its unit; 0: none */
    int action;     /* enum yk_action, or -1: as on_trip */
    bool heartbeat; /* a counter of the PLC, which must change; one at most */
};

/* Limits of a console, below those of the test; 0: a share of the latter. */
struct yk_console_limits {
    double speed, force, travel; /* m/s, N, m; or rad/s, N m, rad */
    bool turns;                  /* they are for rotary actuators */
};

/* Settings of the section `limits`. */
struct yk_limits {
    double limit[YK_LIMITS];                /* 0: none */
    int action[YK_LIMITS];                  /* enum yk_action, or -1: as on_trip */
    int on_trip;                            /* enum yk_action, or -1: ramp on a simulated rig, hold on any other */
    double start_ramp, end_ramp, trip_ramp; /* durations in wall time [s] */
    double following_time;                  /* share of the speed in the window of `following` [s] */
    struct yk_console_limits console;
    int window; /* ticks over which velocity and acceleration are averaged */
};
extern const struct yk_param yk_limits_params[];
struct yk_limits yk_limits_defaults(void);

/* ---- energy error ---- */

/* A running indicator of instability. Tracking errors put energy into the loop: the specimen receives the integral of F
 * dx along the measured path, the method supplies it along the target path. Growth of the target's swings that this
 * difference explains is counted. docs/theory/stability-monitor.md. */
struct yk_energy_monitor {
    double lowest, highest, least, most; /* of x and F in this half cycle */
    double last_x, last_target, last_F;
    double before_x, before_F, noise_x, noise_F; /* the readings before; mean second difference of both */
    double swing_work, work;                     /* of the error: this half cycle, and the last ones [J] */
    double peak, growth; /* highest energy of a swing [J]; factor by which errors have multiplied it */
    int heading;         /* of the target: 1, -1; 0: not known yet */
    bool started;
};
/* Takes a tick; returns the factor by which tracking errors have amplified the motion, at least 1. */
double yk_energy_monitor_step(struct yk_energy_monitor *m, double target, double measured, double force) YK_RT;

/* ---- relative tracking ---- */

/* How an actuator follows its target: mean squares over some time, from where both were when the method took over. */
struct yk_follow_monitor {
    double target, measured;         /* the beginning */
    double error2, motion2, product; /* means of e^2, m^2 and m y: error, motion of the target, measured motion */
    double largest2;                 /* the largest motion2 so far */
    double seconds;                  /* since the beginning; 0: not begun */
    bool warned;
};

/* ---- implausible forces ---- */

/* The estimated force of the load cell of an actuator: the sum over the actuators of its specimen of stiffness x +
 * damping x' + mass x''. */
struct yk_force_estimate {
    size_t first, count;                      /* actuators of the specimen; count 0: no estimate */
    const double *stiffness, *damping, *mass; /* `count` of each, in the order of the actuators [N/m, N s/m, kg] */
    bool felt, damped;                        /* mass, damping are not all zero */
};

/* ---- states ---- */

/* X(id, word) */
#define YK_EVENT_LIST(X)                                                                                               \
    X(ARM, "arm")                                                                                                      \
    X(START, "start")                                                                                                  \
    X(REACHED, "reached")                                                                                              \
    X(PAUSE, "pause")                                                                                                  \
    X(RESUME, "resume")                                                                                                \
    X(STEP, "step")                                                                                                    \
    X(ABORT, "abort")                                                                                                  \
    X(FINISH, "finish")                                                                                                \
    X(TRIP, "trip")                                                                                                    \
    X(RESET, "reset")

enum yk_event {
#define X(id, ...) YK_EVENT_##id,
    YK_EVENT_LIST(X)
#undef X
        YK_EVENTS
};

/* Source of the commands in a state. */
enum yk_source {
    YK_SOURCE_NOTHING,  /* nothing is sent                              */
    YK_SOURCE_HELD,     /* the last command                             */
    YK_SOURCE_RAMPED,   /* the ramp of the supervisor                   */
    YK_SOURCE_FOLLOWED, /* the commands of the chains */
    YK_SOURCE_SAFE,     /* hold, ramp or cut, by the action of the trip */
};
/* Motion that a transition starts. */
enum yk_entry {
    YK_ENTRY_NONE,
    YK_ENTRY_HOLD,       /* hold still */
    YK_ENTRY_TO_START,   /* ramp to the initial displacement          */
    YK_ENTRY_TO_HOME,    /* ramp to where the actuators were armed    */
    YK_ENTRY_HURRY,      /* the rest of a ramp, as fast as allowed */
    YK_ENTRY_SAFE,       /* the motion of the trip                    */
    YK_ENTRY_FOLLOW,     /* the method continues */
    YK_ENTRY_FOLLOW_ONE, /* the method makes one system step          */
};
struct yk_transition {
    enum yk_rig_state next;
    enum yk_entry entry;
};
/* The table: an event without effect leads to the same state with YK_ENTRY_NONE. */
extern const struct yk_transition yk_transitions[YK_STATES][YK_EVENTS];
extern const enum yk_source yk_state_sources[YK_STATES];

/* ---- at work ---- */

enum { YK_WINDOW = 64 }; /* most ticks of limits.window */

/* The second control mode of an actuator (supervisor_switch.c). Both modes have a command in every tick. That of the
 * mode which is not in force follows what is measured, so that the device may change at any moment without a step. */
struct yk_second_mode {
    bool has;
    struct yk_own_limits limits[2];     /* of the first and of the second mode; `own` of the actuator is one of them */
    double confirm_s;                   /* a device changes its mode within this time */
    bool on, requested;                 /* the second mode is in force; is asked for */
    bool settled;                       /* the device has been in the requested mode since it was asked for */
    bool refused;                       /* it did not confirm in time, and the request was withdrawn (console) */
    double waited_ticks;                /* for the device */
    double lag[2];                      /* of the device in each mode: the command leads what is measured by that [s] */
    double at, rate;                    /* filtered reading of the quantity of the mode that is not in force */
    double other;                       /* command of that mode */
    double due;                         /* command of the first mode by the chain, while the second is in force */
    double home[2], start[2], begin[2]; /* as those of the actuator */
};

/* The range of the commands of this half second, and of the one before. */
struct yk_commanded {
    double low[2], high[2];
    double ticks; /* of this half second */
    bool begun;
};

/* One actuator as the supervisor sees it. */
struct yk_supervised {
    struct yk_own_limits own;       /* kept by yk_supervisor_rest */
    double home, start;             /* position when armed; initial one of the run; in m for rates */
    double begin;                   /* console: where a run begins */
    double sent;                    /* last command */
    double asked;                   /* the same, had the tick had its full time */
    double rate;                    /* of the command, per second: what a stop has to brake */
    double heard;                   /* command that was sent when the last fresh reading came */
    bool apart;                     /* `sent` is being led back to `asked` (supervisor_meet.c), */
    double meeting_s;               /* for so long */
    uint64_t beyond;                /* limits that were exceeded soon after the trip: bits of enum yk_limit_kind */
    double from, to;                /* of the ramp; where it is held, if it is commanded by a rate */
    struct yk_reading last;         /* good ones */
    double past[2 * YK_WINDOW + 1]; /* readings, newest first from `newest` on */
    double when[2 * YK_WINDOW + 1]; /* and when they came [ticks] */
    int newest, filled;             /* of past */
    double frozen_from[2];          /* command when a reading began to repeat */
    double frozen_ticks[2];         /* displacement, force */
    double reach;                   /* largest |sent - home| */
    double held_at, held_sent;      /* reading and command when a hold began */
    struct yk_commanded way;        /* for the position of its device */
    struct yk_energy_monitor energy;
    double repaid; /* taken out by passivity control since the monitor was told [J] */
    bool at_bound; /* passivity control has been at its bound in this run */
    struct yk_follow_monitor follow;
    double pace; /* of the command, kept for as long as following_time lets the actuator be late [m/s] */
    struct yk_force_estimate estimate; /* kept by yk_supervisor_rest */
    struct yk_force_monitor plausible;
    double speed;                    /* smoothed, for the damping of the estimate [m/s] */
    struct yk_force_finding finding; /* the first implausible force */
    struct yk_second_mode second;    /* settings kept by yk_supervisor_rest */
    bool homes; /* its device looks for its zero: it is not where it was sent, and its displacement may leap */
};

enum { YK_TRIP_WORDS = 128, YK_TRIP_UNIT = 16 };

struct yk_trip {
    bool tripped;
    enum yk_limit_kind kind;
    enum yk_action action;
    size_t actuator; /* SIZE_MAX: of none */
    double value, limit;
    bool turns;                   /* both in rad or N m */
    enum yk_command_kind command; /* of the actuator */
    char words[YK_TRIP_WORDS];    /* name of the sensor, reading or line, or the reason given by the rig; "" for none */
    char unit[YK_TRIP_UNIT];      /* of a sensor */
    double gain;                  /* of a relative error: measured motion by that of the target; of passivity at its
                                   * bound: delay that would generate as much [s], 0: unknown */
    long unread;                  /* ticks without a new reading, just before; 0: none */
    long tick;                    /* of the supervisor, from 0 */
    struct yk_force_finding finding; /* of an implausible force */
};

/* The time base, in ticks of tick_s (supervisor_time.c). */
struct yk_supervised_time {
    bool measured;                /* by the wall clock; false: an exchange is one tick, as on a simulated rig */
    const struct yk_clock *clock; /* NULL: the machine's */
    int64_t sent_ns, fresh_ns;    /* of the last command and the last fresh reading; 0: none yet */
    int64_t answered_ns;          /* of the last answer, a refusal among them */
    double passed;                /* between the last two commands */
    double between;               /* from the last fresh reading to this one */
    double read;                  /* of the last fresh reading, since the beginning */
    double usual;                 /* mean of `between`: some rigs answer less often than they are asked */
};

struct yk_supervisor {
    struct yk_limits limits;
    struct yk_supervised *supervised; /* the caller's */
    size_t count;
    bool switches;                         /* some have a second mode; kept by yk_supervisor_rest */
    const struct yk_sensor_limit *sensors; /* of the rig; the caller's, like its lines */
    size_t sensor_count;
    const struct yk_rig_line *lines;
    size_t line_count;
    const char *reason;          /* why the rig refused or was lost; set by the caller, may be NULL */
    double tick_s;               /* wall time between two exchanges with the rig, in the present state: nominal */
    double followed_s, moving_s; /* with the chains in the loop; while the supervisor moves or holds */
    struct yk_supervised_time time;
    bool by_hand; /* a console: there is no method, only orders; kept by yk_supervisor_rest */
    bool full;    /* a console with the limits of the test instead of its own; kept as well */

    enum yk_rig_state state;
    bool one_step; /* pause again after this system step */
    bool cut;      /* disable the drive */
    bool off;      /* the drives are disabled: nothing ramps, and actuators may be elsewhere than commanded */
    uint32_t tested, tested_on; /* output lines whose level is set by hand, and that level */
    long tick;                  /* made since the supervisor was armed */
    double ramp_tick;           /* of the ramp under way, which takes ramp_ticks */
    long ramp_ticks;
    bool braking;             /* a motion is being stopped; what comes then: home, in home_s, or nothing */
    double home_s;            /* 0: the actuators stay */
    double silent_ticks;      /* since the last fresh reading */
    double unheard_ticks;     /* since the last answer; measured time only */
    long unread, unread_tick; /* the last ticks in a row without a new reading, and the last of them */
    double waited_s;          /* by the last exchange without a fresh reading; set by the caller */
    double held_ticks;        /* of the hold under way or just over; 0: none */
    bool holding;             /* in this tick the method waits */
    double settling_ticks;    /* after the start ramp */
    bool feeds;               /* in this tick velocities and accelerations go with the commands */
    double fed_share;         /* of the measured forces that go with them */
    long missed, missed_in_a_row;
    long unconverged_in_a_row;
    uint64_t beyond;        /* as of an actuator */
    struct yk_plc plc;      /* kept by yk_supervisor_rest */
    struct yk_trip trip;    /* the first one */
    struct yk_trip second;  /* the one that has stopped the ramp of the first */
    struct yk_trip warning; /* the first that only warns */
    unsigned long warnings;
};

/* The wall time between two exchanges: the pace of a run, and the time base of all limits in seconds or per second. A
 * slowed test (`time.scale`) may tick slowly; ramps and holds of the supervisor do not. */
struct yk_tick {
    double followed_s, moving_s;
};
struct yk_tick yk_tick_of(double control_period_s, double scale);

/* Preparation. The array `supervised` is the caller's, `count` of them, with their own limits. */
void yk_supervisor_init(struct yk_supervisor *s, const struct yk_limits *limits, struct yk_supervised *supervised,
                        size_t count, struct yk_tick tick);
/* From now on time is measured: by the wall clock of the machine, or by another one. For every rig that is not
 * simulated; kept by yk_supervisor_rest. */
void yk_supervisor_measure(struct yk_supervisor *s, const struct yk_clock *clock);
/* After a break in which nothing was to be sent, such as the enabling of drives: the next exchange is the first. */
void yk_supervisor_restart_clock(struct yk_supervisor *s) YK_RT;
/* The sensors and lines of the rig. */
void yk_supervisor_watch(struct yk_supervisor *s, const struct yk_sensor_limit *sensors, size_t sensor_count,
                         const struct yk_rig_line *lines, size_t line_count);
/* Idle. `start` is the initial displacement of the run, `home` the present positions of the actuators. */
void yk_supervisor_rest(struct yk_supervisor *s, const double *start, const double *home,
                        const struct yk_reading *readings) YK_RT;
/* Is it a console with limits of its own? */
YK_RT static inline bool yk_supervisor_is_low(const struct yk_supervisor *s)
{
    return s->by_hand && !s->full;
}
/* The limit of the test for an actuator, or (SIZE_MAX) for none of them; 0: none. Defaults: those of a rig that is not
 * simulated. */
double yk_supervisor_default_limit(const struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator) YK_RT;
YK_RT static inline double yk_supervisor_limit_of_test(const struct yk_supervisor *s, enum yk_limit_kind kind,
                                                       size_t actuator)
{
    const double all = s->limits.limit[kind], own = actuator < s->count && (int)kind < YK_LIMITS_OF_ONE
                                                        ? s->supervised[actuator].own.limit[kind]
                                                        : 0;

    if (own != 0)
        return own > 0 ? own : 0;
    return all >= 0 ? all : yk_supervisor_default_limit(s, kind, actuator);
}
/* The limit that is in force: on a console a lower one. Asked a dozen times in a tick. */
double yk_supervisor_low_limit(const struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator) YK_RT;
YK_RT static inline double yk_supervisor_limit(const struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator)
{
    return yk_supervisor_is_low(s) ? yk_supervisor_low_limit(s, kind, actuator)
                                   : yk_supervisor_limit_of_test(s, kind, actuator);
}
/* How far a console may move an actuator from where it was enabled, or from where a run begins; 0: no such limit. */
double yk_supervisor_travel(const struct yk_supervisor *s, size_t actuator) YK_RT;
/* x within this travel. */
double yk_supervisor_within_low(const struct yk_supervisor *s, size_t actuator, double x) YK_RT;
YK_RT static inline double yk_supervisor_within_travel(const struct yk_supervisor *s, size_t actuator, double x)
{
    return yk_supervisor_is_low(s) ? yk_supervisor_within_low(s, actuator, x) : x;
}
/* The action when a limit is exceeded. */
enum yk_action yk_supervisor_action(const struct yk_supervisor *s, enum yk_limit_kind kind) YK_RT;
/* The levels of the output lines in the present state. */
uint32_t yk_supervisor_lines(const struct yk_supervisor *s) YK_RT;
/* Takes fresh sensors and input lines; in the tick, before the readings. `sensors` may be NULL if there are none. */
void yk_supervisor_inputs(struct yk_supervisor *s, const double *sensors, uint32_t lines) YK_RT;
/* The run may begin: at once, or as soon as the PLC lives and high pressure is acknowledged. */
void yk_supervisor_start(struct yk_supervisor *s) YK_RT;
/* Does a run wait for the PLC before its first motion? */
bool yk_supervisor_awaits_plc(const struct yk_supervisor *s) YK_RT;
/* Orders a pressure, step by step. Not after a trip. */
void yk_supervisor_order_pressure(struct yk_supervisor *s, enum yk_pressure requested) YK_RT;
/* The line that acknowledges a pressure nobody has ordered, perhaps one from before a program was killed; NULL: none.
 */
const char *yk_supervisor_unordered_pressure(const struct yk_supervisor *s) YK_RT;
/* Is a pressure on its way up or down? */
bool yk_supervisor_changes_pressure(const struct yk_supervisor *s) YK_RT;
/* Are the actuators within the displacement limits? Called after arming, before the motion begins; trips or warns. */
bool yk_supervisor_stands(struct yk_supervisor *s) YK_RT;
/* A tick in which a run holds its actuators while it waits for its coarse side. */
void yk_supervisor_hold(struct yk_supervisor *s) YK_RT;
/* Announces that the speed of the asked commands is about to jump: the sent ones follow with a bounded acceleration.
 * For the stop of a console; a pause and a hold announce it themselves. */
void yk_supervisor_part(struct yk_supervisor *s) YK_RT;
/* Asks for the first or the second mode of an actuator; it is in force from the tick in which the device confirms it.
 * False: the actuator has no second mode, or it cannot be changed now. */
bool yk_supervisor_want_mode(struct yk_supervisor *s, size_t i, bool second) YK_RT;
/* Takes the modes that the devices confirm; with every fresh reading. */
void yk_supervisor_modes(struct yk_supervisor *s, uint64_t confirmed) YK_RT;
/* Modes that are asked for, as the bits of struct yk_rig_out. */
uint64_t yk_supervisor_requested_modes(const struct yk_supervisor *s) YK_RT;
/* Command of the first or of the second mode of an actuator that has both. */
YK_RT static inline double yk_supervised_command(const struct yk_supervised *g, bool second)
{
    return g->second.on == second ? g->sent : g->second.other;
}
/* Position from which a motion of the console goes on: the sent command, or the one to which it is being led back. */
double yk_supervisor_asked(const struct yk_supervisor *s, size_t i) YK_RT;
/* Dispatches one event by the table; true where the state changed. */
bool yk_supervisor_event(struct yk_supervisor *s, enum yk_event event) YK_RT;
/* A limit is exceeded: warns or trips. True if it tripped. */
bool yk_supervisor_raise(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double value) YK_RT;

/* A remark of the rig: a warning, with its words. */
void yk_supervisor_remark(struct yk_supervisor *s, const char *words) YK_RT;
/* The same for something that has a name, its own unit, limit and action. */
bool yk_supervisor_raise_named(struct yk_supervisor *s, enum yk_limit_kind kind, const struct yk_sensor_limit *of,
                               double value) YK_RT;

/* The control tick, in this order. Turns the commands of the chains into the sent ones (may be the same array). False:
 * send nothing. */
bool yk_supervisor_commands(struct yk_supervisor *s, const double *commands, double *sent) YK_RT;
/* Feed-forward allowed with the last command of actuator i: within the limits, nothing after a trip, in holds and in
 * pauses. */
struct yk_ahead yk_supervisor_ahead(const struct yk_supervisor *s, size_t i, const struct yk_ahead *asked) YK_RT;
/* In a pause, before the commands: takes the controller outputs that keep the actuators in place, within the limits. No
 * effect in other states. */
void yk_supervisor_keep(struct yk_supervisor *s, const double *commands) YK_RT;
/* Takes the result of the exchange; replaces unusable readings by the last good ones. `targets`: where the actuators
 * should be now. */
void yk_supervisor_readings(struct yk_supervisor *s, enum yk_rig_answer answer, const double *targets,
                            struct yk_reading *readings) YK_RT;
/* After fresh readings: where the device of actuator i stands by its own counting, as a command. Trips if that is
 * further from the last command than limits.position_error and the following window. */
void yk_supervisor_device(struct yk_supervisor *s, size_t i, double at) YK_RT;
/* A tick of a paced run met its deadline, or did not. */
void yk_supervisor_deadline(struct yk_supervisor *s, bool missed) YK_RT;
/* For every step: did the iterations inside the members end before their bounds? */
void yk_supervisor_converged(struct yk_supervisor *s, bool converged) YK_RT;

/* Are the chains of the actuators in the loop: followed, or kept in a pause? Otherwise the supervisor moves them. */
bool yk_supervisor_chained(const struct yk_supervisor *s) YK_RT;
/* Does the state let the method advance? */
YK_RT static inline bool yk_supervisor_follows(const struct yk_supervisor *s)
{
    return yk_state_sources[s->state] == YK_SOURCE_FOLLOWED;
}
/* Force that the load cell of actuator i should read by the estimate, at these readings of all actuators; false: not
 * known. */
bool yk_supervisor_expects(const struct yk_supervisor *s, size_t i, const struct yk_reading *readings,
                           double *force) YK_RT;
/* The path of every ramp, from 0 to 1 and at rest at both ends: 10 x^3 - 15 x^4 + 6 x^5; and its steepest slope. */
double yk_ramp_shape(double x) YK_RT;
#define YK_RAMP_SLOPE (15.0 / 8.0)
/* The shortest ramp of an actuator over a way within its limits of rate, velocity and acceleration [s]. */
double yk_supervisor_shortest(const struct yk_supervisor *s, size_t i, double way) YK_RT;
/* Is a ramp under way? */
YK_RT static inline bool yk_supervisor_moves(const struct yk_supervisor *s)
{
    return s->braking || s->ramp_tick < (double)s->ramp_ticks;
}

/* After the run, before the end ramp: the final verdict on implausible forces. */
void yk_supervisor_conclude(struct yk_supervisor *s);

/* "force", "bad_reading": the key in the file, or what a fault without one is called. */
const char *yk_command_word(enum yk_command_kind kind); /* "force" */
const char *yk_limit_key(enum yk_limit_kind kind);
/* "rate of the command": the limit in words. */
const char *yk_limit_words(enum yk_limit_kind kind);
/* Its unit for an actuator that is commanded by that quantity; "" for a pure number. */
const char *yk_limit_unit(enum yk_limit_kind kind, enum yk_command_kind command, bool turns);
const char *yk_action_text(enum yk_action action);
/* "force of a1 has the wrong sign: ..."; "" where it is plausible. */
void yk_force_finding_text(const struct yk_force_finding *finding, const char *actuator, bool turns, char *text,
                           size_t size);
/* "force of a1, 1001 N, passed its limit of 1000 N". `names` of the actuators. */
void yk_trip_text(const struct yk_trip *trip, const char *const *names, char *text, size_t size);

#endif
