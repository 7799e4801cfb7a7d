/* The test station: every actuator of an experiment, its transfer system and the rig.
 *
 * Specimens set targets; the station commands the actuators from the last targets to the new ones, tick by tick, and
 * reads the forces at the end. All actuators move together, whichever specimen they belong to. */
#ifndef YOKE_STATION_H
#define YOKE_STATION_H

#include "transfer/passivity.h"
#include "transfer/readings.h"
#include <yoke/rig.h>
#include <yoke/station.h>
#include <yoke/transfer.h>

/* A component with its settings: `self` is malloc'd and has the size that the component states. */
#define YK_COMPONENT(family)                                                                                           \
    struct {                                                                                                           \
        const struct yk_##family##_ops *ops;                                                                           \
        void *self;                                                                                                    \
        struct yk_where where; /* of its settings, for messages */                                                     \
    }

/* Which force goes back to the method at the due time of a target. */
enum yk_force_source {
    YK_FORCE_LATEST,    /* that of the last tick                                                 */
    YK_FORCE_OPTIMAL,   /* that of the instant the target was crossed, after overcompensation    */
    YK_FORCE_CORRECTED, /* that at the target by polynomials through the last samples            */
    YK_FORCE_IMPEDANCE, /* that of the last tick, and what a model adds for the way not made      */
    YK_FORCE_SMITH,     /* likewise, for the way not made after a delay                           */
};
struct yk_feedback_settings {
    int source; /* enum yk_force_source */
    int over;   /* enum yk_overcompensation, with its parameter; for YK_FORCE_OPTIMAL */
    double bound, factor, steps;
    double window; /* s: how far it looks back */
    int rule;      /* enum yk_feedback_rule */
    bool monotone;
    int samples; /* of the polynomials; for YK_FORCE_CORRECTED */
    int x_order, r_order;
    double stiffness, damping; /* N/m, N s/m: of the model; for YK_FORCE_IMPEDANCE and YK_FORCE_SMITH */
    double delay;              /* s: for YK_FORCE_SMITH */
    double inertia;            /* kg: mass whose measured inertia force is subtracted from the measured force */
};
extern const struct yk_param yk_feedback_params[];

/* How the command moves from one target to the next. */
enum yk_path_kind {
    YK_PATH_LINE,      /* a straight line */
    YK_PATH_QUADRATIC, /* the parabola through the last three commands */
    YK_PATH_CUBIC,     /* the cubic through the last two and their velocities */
};

/* Force control as second mode of an actuator that is commanded by displacement. */
struct yk_switch {
    bool has;
    double above, below; /* N: measured forces at which it goes over and comes back; above 0: by request only */
    double stiffness;    /* N/m: of the specimen there */
    double time;         /* s: in which an error of the displacement is taken back */
    double lag;          /* s: of the device in force control */
    double confirm;      /* s: in which the device confirms */
    double command_rate, position_error, tracking_error; /* N/s, N: limits of this mode; the others are the same */
    struct yk_own_limits limits;                         /* all of them */
};

/* One actuator and its chain. The station takes the components over. */
struct yk_actuator {
    char *name;
    YK_COMPONENT(compensator) compensator;
    YK_COMPONENT(estimator) estimator; /* ops NULL: the delay is constant */
    YK_COMPONENT(controller) controller;
    double delay;        /* to compensate; with an estimator, the initial value [s] */
    double filter_delay; /* of the filter of the measured force and the play-out, compensated in addition [s] */
    double playout;      /* of it, that of a distant site [s] */
    double seen_delay;   /* of the reading that an estimator compares, which is in its estimate: filter, play-out [s] */
    struct yk_feedback_settings feedback;
    int path;     /* enum yk_path_kind */
    double drift; /* rad/s: with which the displacement is led back beside a rate; 0: not at all */
    struct yk_passivity_settings passivity;
    bool feeds_forward; /* velocity, acceleration and force go to the rig with the command */
    struct yk_own_limits limits;
    struct yk_switch second;
};

/* Components that serve several actuators together, instead of those in their chains. The station takes them over. */
struct yk_joint {
    size_t count, *members;                /* actuators; malloc'd */
    YK_COMPONENT(compensator) compensator; /* ops NULL: each has its own */
    YK_COMPONENT(controller) controller;   /* likewise */
};

/* A sensor of the rig in addition to those of its actuators; names and unit malloc'd. */
struct yk_station_sensor {
    char *name, *unit;
    double limit; /* see struct yk_sensor_limit */
    int action;
    bool heartbeat;
};

struct yk_station_parts {
    struct yk_actuator *actuators; /* malloc'd array, taken over */
    size_t count;
    struct yk_joint *joints; /* likewise */
    size_t joint_count;
    struct yk_station_sensor *sensors; /* likewise */
    size_t sensor_count;
    struct yk_rig_line *lines; /* likewise, with malloc'd names */
    size_t line_count;
    size_t
        *late; /* likewise, of each actuator, sensor and line: ticks by which a simulated reading is late; NULL: none */
    size_t playout;                    /* of the rig, where there is one: see struct yk_rig_plan */
    struct yk_correction *corrections; /* likewise: one for each channel (readings.h); NULL: none */
    struct yk_sent_scales *sent;       /* likewise: one for each actuator, where there are corrections */
    const struct yk_rig_ops *rig;
    void *rig_self; /* malloc'd, taken over */
    double tick;    /* control period, in the time of the test [s] */
    double scale;   /* seconds of wall time for one of the test; 0: 1 */
    struct yk_limits limits;
};
/* The station and everything that changes in it, including chains and rig, are taken from `mem`. The rig is not
 * touched before yk_station_open, which comes before everything below except the names and limits. */
enum yk_status yk_station_create(struct yk_station **station, struct yk_station_parts *parts, struct yk_arena *mem,
                                 struct yk_err *err);
enum yk_status yk_station_open(struct yk_station *station, struct yk_err *err);
void yk_station_destroy(struct yk_station *station); /* frees its heap memory */
/* Sets the arena of a copy. NULL: there is no station. */
void yk_station_move_in(struct yk_station *station, struct yk_arena *mem);
/* Before the arena of a copy is freed: frees the heap memory of its own preparation. */
void yk_station_leave(struct yk_station *station);
void yk_station_parts_free(struct yk_station_parts *parts);

/* When targets come (struct yk_pace): `stages` of them in each step dt, a whole number of ticks apart. Call it before a
 * run, and again if dt changes. */
enum yk_status yk_station_prepare(struct yk_station *s, double dt, int stages, struct yk_err *err);

const char *const *yk_station_names(const struct yk_station *s);
bool yk_station_turns(const struct yk_station *s, size_t i); /* rotary: rad and N m instead of m and N */
enum yk_command_kind yk_station_kind(const struct yk_station *s, size_t i);
bool yk_station_feeds_forward(const struct yk_station *s, size_t i);
const char *yk_station_unit(const struct yk_station *s, size_t i); /* of its commands */
/* Plan of the opened rig: its actuators, sensors and lines. */
const struct yk_rig_plan *yk_station_plan(const struct yk_station *s);
/* Is the rig simulated, here or elsewhere? Otherwise runs are paced on the wall clock. */
bool yk_station_simulates(const struct yk_station *s);
/* Does something real move, or is it a simulation, by which clock? */
enum yk_rig_world yk_station_world(const struct yk_station *s);
/* Corrections of the raw readings; `of` is NULL if they stay as they are. */
const struct yk_corrections *yk_station_corrections(const struct yk_station *s);
/* Tare: from the next exchange or rest on, a channel (readings.h) reads `zero` less, and where it is the commanded
 * quantity of an actuator its commands are sent with `command` added: what the rig reads and what it is commanded where
 * the actuator stands at zero. They differ by the static error of the drive. Preparation, while nothing moves. */
enum yk_status yk_station_tare(struct yk_station *s, size_t channel, double zero, double command, struct yk_err *err);
/* The estimate of the specimen that `count` actuators from `first` on move, in their coordinates and column by
 * column (count x count each): the force of load cell i is the sum of stiffness x + damping x' + mass x''. Copied; for
 * limits.implausible_force. Preparation. */
enum yk_status yk_station_expect(struct yk_station *s, size_t first, size_t count, const double *stiffness,
                                 const double *damping, const double *mass, struct yk_err *err);
/* Has actuator i a second control mode? Is it in force? */
bool yk_station_switches(const struct yk_station *s, size_t i);
const struct yk_switch *yk_station_second(const struct yk_station *s, size_t i);
bool yk_station_is_second(const struct yk_station *s, size_t i) YK_RT;
/* An operator asks for a mode of actuator i, which stays until he asks for YK_MODE_AUTO: then the measured force
 * decides again. False: it has no second mode, or it cannot be changed now. */
enum yk_mode { YK_MODE_FIRST, YK_MODE_SECOND, YK_MODE_AUTO };
bool yk_station_ask_mode(struct yk_station *s, size_t i, enum yk_mode mode) YK_RT;
/* Limits of a platform, which are taken over; the setup outlives the station. Preparation. */
enum { YK_POSES = 16 };
struct yk_pose;
enum yk_status yk_station_limit_pose(struct yk_station *s, const struct yk_pose *pose, struct yk_err *err);
void yk_station_limit_no_pose(struct yk_station *s); /* of a copy, for analyses */
/* For runs: arms the actuators at their present positions and begins the ramp to the initial ones. Ticks follow while
 * the supervisor is starting. Fails, without any motion, if the rig does not come to rest, or if an actuator is not at
 * its expected position, unless `approach` allows it. */
enum yk_status yk_station_begin(struct yk_station *s, bool approach, struct yk_err *err);
/* Initial position of actuator i [m]. */
double yk_station_start(const struct yk_station *s, size_t i);
/* Starts the motion to the targets, which are due at t; does nothing if the actuators are already there. */
void yk_station_depart(struct yk_station *s, double t) YK_RT;
/* Are more ticks needed to reach the targets? After a trip or an abort they belong to the supervisor's motion, and the
 * method gets the last readings before it. A pause does not end by itself. */
bool yk_station_under_way(const struct yk_station *s) YK_RT;
/* Is a ramp of the supervisor under way, on a rig that may still take it? */
bool yk_station_is_moving(const struct yk_station *s) YK_RT;
/* After the last motion: orders the pressure off. True: it is not off yet, and further ticks are needed. */
bool yk_station_lowers_pressure(struct yk_station *s) YK_RT;
/* One control tick, in this order: computes the commands, towards the targets or according to the state; exchanges them
 * with the rig (sends: what `command` returned); evaluates the readings. */
bool yk_station_command(struct yk_station *s) YK_RT;
void yk_station_exchange(struct yk_station *s, bool sends) YK_RT;
void yk_station_observe(struct yk_station *s) YK_RT;
/* The folder of the recording, for what the rig records by itself. */
enum yk_status yk_station_record(struct yk_station *s, const char *folder, struct yk_err *err);
/* Remark of the rig in the last tick, told once; NULL: none. */
const char *yk_station_noticed(struct yk_station *s) YK_RT;
/* Force of the specimen against actuator i at its target [N]. */
double yk_station_force(const struct yk_station *s, size_t i) YK_RT;

/* The reading of the last tick that followed the method. */
struct yk_reading yk_station_measured(const struct yk_station *s, size_t i) YK_RT;

/* The sensors of the rig in the last tick, and the levels of its lines, outputs and inputs. */
const double *yk_station_sensors(const struct yk_station *s) YK_RT;
uint32_t yk_station_lines(const struct yk_station *s) YK_RT;

/* How well an actuator has tracked so far. */
struct yk_tracking_indices {
    double nrms;      /* rms of target minus measured displacement, over the rms of the target, at every tick */
    double felt_nrms; /* the same for the displacement that the force belongs to, which comes late by its filter */
    double peak;      /* largest |target - measured| [m] */
    double delay_s;   /* that fits the error best: sum (x_d - x_m) v_d / sum v_d^2 */
    double roughness; /* rms of the second difference of the command from tick to tick [m] */
};
/* The present delay compensation of an actuator. */
struct yk_compensated {
    double lead_s;      /* of the compensator: delay, filter of the load cell, overcompensation; 0: no compensator */
    double filter_s;    /* of it, for the filter of the load cell */
    double playout_s;   /* of it, for the play-out of a distant site */
    double estimated_s; /* of the actuator, by its estimator; NaN: there is none */
    double gain;        /* likewise; NaN: nothing estimates it */
    bool present;       /* there is a compensator; some need no delay, but a model */
    bool adapts;        /* the compensator adapts from there */
    bool idle;          /* the compensator has no delay to compensate: commands equal targets */
};
struct yk_tracking_indices yk_station_tracking(const struct yk_station *s, size_t i) YK_RT;
struct yk_compensated yk_station_compensated(const struct yk_station *s, size_t i) YK_RT;
/* By how much the reading of actuator i that is tracked comes late: its filter and the play-out [s]. */
double yk_station_seen_delay(const struct yk_station *s, size_t i) YK_RT;
/* Does the estimator of actuator i also estimate its gain? */
bool yk_station_estimates_gain(const struct yk_station *s, size_t i) YK_RT;
/* Has actuator i a passivity controller? */
bool yk_station_is_passive(const struct yk_station *s, size_t i);
const struct yk_passivity_settings *yk_station_passivity(const struct yk_station *s, size_t i);
/* Passivity control of a copy is switched off for analyses: it is no linear part of the loop. */
void yk_station_leave_passivity(struct yk_station *s);
/* Is the force of actuator i chosen among the measured ones, to match the target? */
bool yk_station_matches(const struct yk_station *s, size_t i) YK_RT;

/* ---- without a method: the console of a rig ---- */

/* Brings the rig to rest where it is, with the drives off: it is commanded and read in every tick, and nothing moves.
 * Called again, it begins anew: after a trip, and after the rig was lost or cut. */
enum yk_status yk_station_stand(struct yk_station *s, struct yk_err *err);
/* Enables the drives where the actuators are, or disables them. Fails where the rig refuses, or after a trip. */
enum yk_status yk_station_enable(struct yk_station *s, bool on, struct yk_err *err);
/* Instead of yk_station_command: the commands of a tick as given, not those of the chains. The supervisor takes them
 * where the drives are enabled and nothing has tripped. */
bool yk_station_drive(struct yk_station *s, const double *commands) YK_RT;
/* The device of an actuator looks for its zero, or does not any more: then disable the drives. */
void yk_station_home(struct yk_station *s, size_t i, bool on);
/* How far it is, and the words of the rig if it cannot. */
enum yk_homing_answer yk_station_homing(struct yk_station *s, const char **reason) YK_RT;
/* A tare between two ticks, after one was prepared: what the rig gets stays the same, and is counted from there. */
void yk_station_retare(struct yk_station *s, size_t channel, double zero, double command);

/* After a run: begins the end ramp, or continues the motion of a trip. Ticks follow while it is moving, then `end`. */
void yk_station_retire(struct yk_station *s);
void yk_station_end(struct yk_station *s);
/* For the engine, between ticks or from the hooks; NULL where there is no station. */
struct yk_supervisor *yk_station_supervisor(struct yk_station *s) YK_RT;
/* Adds a delay to that of the plants [s]; for stability margins. Takes effect with the next rest. */
enum yk_status yk_station_add_delay(struct yk_station *s, double delay_s, struct yk_err *err);
/* Probe at the added delay: `push` is added to the delayed commands, `commands` receives those before the delay; tick
 * by tick and actuator by actuator. */
struct yk_delay_probe {
    const double *push; /* the first `pushes` */
    double *commands;   /* the first `room` */
    size_t pushes, room;
    size_t made; /* commands so far */
};
/* From the next tick on; NULL: none any more. Needs an added delay, which may be 0. */
void yk_station_probe(struct yk_station *s, struct yk_delay_probe *probe);
/* Fault that a failed controller reports, in words; false: none failed. */
bool yk_station_fault(const struct yk_station *s, char *text, size_t size);

#endif
