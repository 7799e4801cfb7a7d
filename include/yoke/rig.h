/* A rig backend: what moves the actuators. Once a control tick commands go out and readings come back.
 *
 * A command is due at the end of the tick and is sent at its beginning; the readings are those at its end (a rig in
 * another process returns its newest ones). A backend is one file and one line in backends.def; your own can be a
 * shared object (plugin.h: `.rig`). A backend that only moves actuators by displacement needs `open`, `close`, `rest`
 * and `exchange`, and uses only `out->command` and `in->readings`. */
#ifndef YOKE_RIG_H
#define YOKE_RIG_H

#include <stdint.h>
#include <yoke/arena.h>
#include <yoke/param.h>

/* ---- what a rig has ---- */

/* The quantity that an actuator is commanded in; also the quantity of its tracking error, holds and ramps. */
enum yk_command_kind { YK_BY_DISPLACEMENT, YK_BY_VELOCITY, YK_BY_ACCELERATION, YK_BY_FORCE, YK_COMMAND_KINDS };
#define YK_COMMAND_CHOICES "displacement|velocity|acceleration|force"
/* Velocity and acceleration: the command says nothing of the place, which is held and ramped beside it. */
static inline bool yk_command_is_rate(enum yk_command_kind kind)
{
    return kind == YK_BY_VELOCITY || kind == YK_BY_ACCELERATION;
}

/* A sensor in addition to those of the actuators. It is recorded and may have a limit. */
struct yk_rig_sensor {
    const char *name, *unit;
};

/* X(id, word, direction, help): what a digital line is for. The number of a role is part of the wire
 * (docs/backends.md): new ones go to the end. */
#define YK_LINE_LIST(X)                                                                                                \
    X(INTERLOCK, "interlock", IN, "trips the run")                                                                     \
    X(EMERGENCY_STOP, "emergency_stop", IN, "trips the run and disables the drive")                                    \
    X(INPUT, "input", IN, "recorded only")                                                                             \
    X(ENABLE, "enable", OUT, "on while the drive may move the actuators")                                              \
    X(RUN_LAMP, "run_lamp", OUT, "on while the actuators follow the method or a ramp")                                 \
    X(WARNING_LAMP, "warning_lamp", OUT, "on after a warning and in a pause")                                          \
    X(TRIP_LAMP, "trip_lamp", OUT, "on after a trip")                                                                  \
    X(HEARTBEAT_IN, "heartbeat_in", IN, "toggles while the PLC lives; trips if it stands still")                       \
    X(PERMISSIVE, "permissive", IN,                                                                                    \
      "on while the PLC permits drives and pressure; trips if it goes while they are on")                              \
    X(LOW_ON, "pressure_low_on", IN, "acknowledges low pressure")                                                      \
    X(HIGH_ON, "pressure_high_on", IN, "acknowledges high pressure")                                                   \
    X(RESET_KEY, "reset_key", IN, "a trip is reset only after this was switched on")                                   \
    X(HEARTBEAT_OUT, "heartbeat_out", OUT, "toggles while the loop lives, also after a trip")                          \
    X(WATCHDOG, "watchdog", OUT, "toggles while the loop lives, until the motion of a trip has ended")                 \
    X(PRESSURE_LOW, "pressure_low", OUT, "orders low pressure")                                                        \
    X(PRESSURE_HIGH, "pressure_high", OUT, "orders high pressure")
enum yk_line_role {
#define X(id, ...) YK_LINE_##id,
    YK_LINE_LIST(X)
#undef X
        YK_LINE_ROLES
};
struct yk_rig_line {
    const char *name;
    enum yk_line_role role;
    bool inverted;   /* an input trips and an output is off at level 1; otherwise at 0, as with a broken wire */
    double period_s; /* a line that toggles: between two changes of its level; 0: every tick */
};
enum { YK_LINES_MOST = 32 }; /* line k is bit k of a word */
static inline bool yk_line_is_output(enum yk_line_role role)
{
    enum { IN = 0, OUT = 1 };
    static const bool outputs[YK_LINE_ROLES] = {
#define X(id, word, direction, help) [YK_LINE_##id] = (direction) == OUT,
        YK_LINE_LIST(X)
#undef X
    };

    return outputs[role];
}
/* A line whose level changes again and again. */
static inline bool yk_line_toggles(enum yk_line_role role)
{
    return role == YK_LINE_HEARTBEAT_IN || role == YK_LINE_HEARTBEAT_OUT || role == YK_LINE_WATCHDOG;
}

/* Plan of a rig that a backend has to serve. Arrays and names live as long as the rig is open. */
struct yk_rig_plan {
    size_t count; /* actuators */
    const char *const *names;
    const enum yk_command_kind *kinds;  /* of the commands; NULL: all by displacement */
    const enum yk_command_kind *others; /* of the second mode of each, which is its kind if it has none; NULL: no
                                         * actuator has one */
    double tick;                        /* control period [s] */
    const double *x0;                   /* commands at the start, in their quantities */
    struct yk_arena *mem;               /* for everything that changes during a run and is not in the private struct; of
                                         * a rig that simulates it is the state, and pointers are declared (arena.h) */
    size_t sensor_count;
    const struct yk_rig_sensor *sensors;
    size_t line_count;
    const struct yk_rig_line *lines;
    bool feeds_forward;  /* `ahead` is sent */
    size_t playout;      /* ticks after which a reading is used (docs/sites.md); 0: at once */
    double silence;      /* limits.peer_silence [s]: an exchange that waits longer hides the silence; 0: no limit */
    const double *rates; /* limit of the rate of each command, raw number of the device per second; 0: none. NULL: not
                          * known. For a backend that sends a command later than it gets it */
};

/* ---- what is exchanged ---- */

/* The motion and the force that belong to a command, as far as they are known: the entry of the kind of the command is
 * the command itself. For drives that take feed-forward. */
struct yk_ahead {
    double displacement, velocity, acceleration, force; /* m, m/s, m/s2, N */
};

/* A device moves by itself to the zero of its counting: an index pulse, a switch. The others are held. */
struct yk_homing {
    size_t actuator;
    double fastest; /* speed that it must be set to keep, in raw numbers of its command per second; 0: any */
};
enum yk_homing_answer {
    YK_HOMING_UNKNOWN, /* this rig cannot do it */
    YK_HOMING_REFUSED, /* this device cannot: see `reason` */
    YK_HOMING_MOVES,
    YK_HOMING_DONE, /* it stands at its zero */
    YK_HOMING_FAILED
};

struct yk_rig_out {
    const double *command;          /* of each actuator, in the quantity of its kind */
    const struct yk_ahead *ahead;   /* of each; NULL unless the plan says `feeds_forward` */
    uint32_t lines;                 /* levels of the output lines */
    const double *others;           /* of each actuator, the command of its second mode in the quantity of that; NULL
                                     * unless the plan has `others`. Of the two commands of an actuator one is in force;
                                     * the other follows what is measured, so that a device may change its mode at any time */
    uint64_t modes;                 /* bit i: actuator i is to be in its second mode */
    const struct yk_homing *homing; /* NULL: no device looks for its zero. Ends with the drives disabled */
};

/* Readings of one actuator; 0 where the rig has no such sensor. */
struct yk_reading {
    double displacement, force; /* m, N: the force with which the specimen resists the actuator */
    double acceleration;        /* m/s2 */
    double velocity;            /* m/s */
};

/* The reading in the quantity that an actuator is commanded in. */
static inline double yk_reading_of(const struct yk_reading *r, enum yk_command_kind kind)
{
    return kind == YK_BY_FORCE          ? r->force
           : kind == YK_BY_VELOCITY     ? r->velocity
           : kind == YK_BY_ACCELERATION ? r->acceleration
                                        : r->displacement;
}

struct yk_rig_in {
    struct yk_reading *readings;  /* of each actuator */
    double *sensors;              /* of the plan, in their units */
    uint32_t lines;               /* levels of the input lines */
    uint64_t modes;               /* bit i: the device of actuator i says that it is in its second mode */
    enum yk_homing_answer homing; /* of the device that was told to look for its zero */
};

/* Result of an exchange. */
enum yk_rig_answer {
    YK_RIG_FRESH,   /* readings of this tick                                             */
    YK_RIG_HELD,    /* nothing new came in time: the readings are the last ones          */
    YK_RIG_REFUSED, /* the rig refuses to continue, see `reason`; the readings are the last ones */
    YK_RIG_LOST,    /* the other side is gone; the readings are the last ones            */
};

/* ---- a backend ---- */

/* Capabilities of a backend beyond commands in displacement; a file that needs more is refused. */
enum {
    YK_RIG_COMMANDS = 1,     /* other kinds of command    */
    YK_RIG_SENSORS = 2,      /* sensors of the plan       */
    YK_RIG_LINES = 4,        /* digital lines             */
    YK_RIG_FEED_FORWARD = 8, /* takes `ahead` into account */
    YK_RIG_EVERYTHING = 15,
    YK_RIG_SWITCHES = 64,  /* serves second modes: `others`, `modes` */
    YK_RIG_PLAYS_OUT = 32, /* returns readings so late as `playout` says */
    YK_RIG_SIMULATES = 16  /* nothing outside this process moves: see `world` */
};

/* The world behind a backend: real, or a simulation, by which clock. */
enum yk_rig_world {
    YK_RIG_REAL,     /* something moves: wall clock, limits, commissioning                                   */
    YK_RIG_COMPUTED, /* a simulation that makes one control period per exchange, however long that takes     */
    YK_RIG_CLOCKED,  /* a simulation by a clock of its own: nothing moves, but runs are paced as on a real one */
};

/* How much of what an actuator can do it used in a tick. */
enum yk_use { YK_USE_STROKE, YK_USE_SPEED, YK_USE_FORCE, YK_USE_VALVE, YK_USES };
struct yk_actuator_use {
    double share[YK_USES];    /* 1: at its limit; NAN: not known, or there is none. Valve: or the drive */
    double capacity[YK_USES]; /* m, m/s, N, or those of rotary ones; NAN likewise */
};

struct yk_virtual_rig;
struct yk_remote;
struct yk_rig_ops {
    const char *name; /* "virtual" */
    const char *summary, *reference;
    const struct yk_param *params; /* settings in the section `rig` */
    size_t size;                   /* of the private struct, which holds the settings */
    unsigned can;                  /* YK_RIG_COMMANDS | ... */

    /* preparation; open may wait for a peer, but not forever. A rig that refuses reports why in err, here and below. */
    enum yk_status (*open)(void *self, const struct yk_rig_plan *plan, struct yk_err *err);
    void (*close)(void *self);
    /* The longest time for which `exchange` blocks [s]. NULL: it does not block. */
    double (*worst_wait_s)(const void *self);
    /* Before a run: at rest at x, in the quantities of the commands; returns the readings there. A real rig is moved
     * there by ramps, not by this function. */
    enum yk_status (*rest)(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err);
    /* Enables the drives before the first motion, or disables them after the last. May be NULL. */
    enum yk_status (*enable)(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err);

    /* cycle: no heap, no lock, no unbounded wait */
    enum yk_rig_answer (*exchange)(void *self, const struct yk_rig_out *out, struct yk_rig_in *in) YK_RT;
    /* Why the rig refused or was lost, in words; "" if unknown. May be NULL. */
    const char *(*reason)(const void *self)YK_RT;
    /* Disables the drive: the action `cut` of a limit. `lines` are the last levels of the outputs. Called once; no
     * exchange follows. NULL: the commands just stop, and the rig must then make itself safe. */
    void (*cut)(void *self, uint32_t lines) YK_RT;
    /* A rig with a clock that the loop of a paced run follows: when the tick that the loop means to begin at due_ns of
     * the machine's clock is to begin. Called before the wait for every tick. NULL: at due_ns. */
    int64_t (*pace)(void *self, int64_t due_ns) YK_RT;

    /* Could a rig with these settings serve the plan? Opens and moves nothing: `yoke check` calls it, and a run before
     * any rig is opened. `x0` and `mem` of the plan are not there. The subject of a failure (yk_fail_about) is the
     * setting at fault. NULL: the ranges of the settings are all there is to check. */
    enum yk_status (*check)(const void *self, const struct yk_rig_plan *plan, struct yk_err *err);

    /* The world behind this backend. Asked after `open`. Runs on a computed rig may be as fast as it answers; on any
     * other they are paced on the wall clock. NULL: YK_RIG_REAL, unless `can` has YK_RIG_SIMULATES. */
    enum yk_rig_world (*world)(const void *self);

    /* The next remark of the rig, such as a warning or an emergency message of a drive; NULL: there is none. Asked once
     * after every exchange; the words stay until it is asked again. They become a warning and an event of the run. May
     * be NULL. */
    const char *(*notice)(void *self)YK_RT;

    /* Before a run that is recorded: the rig may write what it records by itself into files of this folder, as its
     * settings ask for. May be NULL. */
    enum yk_status (*record)(void *self, const char *folder, struct yk_err *err);

    /* Position of the device of actuator i at the last readings by its own counting, as a command: that command would
     * leave it there. NaN: it does not tell, or is not commanded by displacement. NULL: no device of the rig tells. */
    double (*position)(const void *self, size_t i) YK_RT;

    /* How much of its capacity actuator i used in the last tick; false: not known, as long as the rig is open. For the
     * verdict about a test. NULL: it is not known of any. */
    bool (*use)(const void *self, size_t i, struct yk_actuator_use *use) YK_RT;
    /* Rig k of those that this one wraps, its private struct, and its name ("" if there is only one). Returns NULL past
     * the last one. The function itself is NULL if the rig wraps none. */
    const struct yk_rig_ops *(*inner)(const void *self, size_t k, void **inner, const char **name);
    /* Why its readings are not finite, in words: code of others failed. False: nothing is wrong. May be NULL. */
    bool (*fault)(const void *self, char *text, size_t size);
    void *user; /* see plugin.h */

    /* Inside the library, NULL in all other backends: the virtual rig, whose models analyses vary, and the session with
     * a rig at the end of a wire, whose counts the report shows. */
    struct yk_virtual_rig *(*simulation)(void *self);
    struct yk_remote *(*session)(void *self);
};
/* Why a rig refused or was lost: its own words, or that it gives none. */
YK_RT static inline const char *yk_rig_reason(const struct yk_rig_ops *rig, const void *self)
{
    const char *words = rig->reason ? rig->reason(self) : "";

    return *words ? words : "no answer in time, and no reason is given";
}
static inline enum yk_rig_world yk_rig_world(const struct yk_rig_ops *rig, const void *self)
{
    if (rig->can & YK_RIG_SIMULATES)
        return YK_RIG_COMPUTED;
    return rig->world ? rig->world(self) : YK_RIG_REAL;
}
/* The virtual rig that this is; NULL: it is another one. */
static inline struct yk_virtual_rig *yk_rig_simulation(const struct yk_rig_ops *rig, void *self)
{
    return rig->simulation ? rig->simulation(self) : NULL;
}
extern const struct yk_rig_ops *const yk_rigs[]; /* NULL at the end */
const struct yk_rig_ops *yk_rig_find(const char *name);

#endif
