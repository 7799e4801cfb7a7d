/* The actuators of an experiment, each with its chain (compensator, controller, estimator) and the rig, driven by
 * targets instead of by a method. That of a stepping (yoke/stepping.h) is on a rig that simulates in this process:
 * benchmarks of chains and rehearsals of given motions drive it. SI: m and N, or rad and N m. */
#ifndef YOKE_PUBLIC_STATION_H
#define YOKE_PUBLIC_STATION_H

#include <yoke/rig.h>
#include <yoke/transfer.h>

struct yk_station;
size_t yk_station_count(const struct yk_station *s);
const char *yk_station_name(const struct yk_station *s, size_t i);
long yk_station_find(const struct yk_station *s, const char *name); /* -1: none */

/* When targets come: `stages` of them in each step dt, evenly spaced, a whole number of ticks apart. */
struct yk_pace {
    double tick, dt; /* s */
    int stages;
};
struct yk_pace yk_station_pace(const struct yk_station *s) YK_RT;

/* The rig that it moves. */
const struct yk_rig_ops *yk_station_rig(const struct yk_station *s, void **self);

/* A layer between the station and its rig, not owned by the station; ops NULL: none. Without its own `rest` that of the
 * rig is used. Returns the previous layer. */
struct yk_between {
    const struct yk_rig_ops *ops;
    void *self;
};
struct yk_between yk_station_interpose(struct yk_station *s, struct yk_between between);
/* Does a compensator predict from accelerations? Then yk_station_reached must be called. */
bool yk_station_wants_acceleration(const struct yk_station *s);

/* The beginning of a run: at rest at x (`count` values), with the chains as if they had always been there. Moves
 * nothing. Fails if the rig does not come to rest; the readings are then the last ones. */
enum yk_status yk_station_rest(struct yk_station *s, const double *x, struct yk_err *err);
/* The target of actuator i at the time of the next move: a displacement and its velocity, or, of an actuator that is
 * commanded by force, a force and its rate. */
void yk_station_set_target(struct yk_station *s, size_t i, double x, double v) YK_RT;
/* All ticks to the targets of time t, without a clock or an operator; for analyses. */
void yk_station_move(struct yk_station *s, double t) YK_RT;
/* The last target again, with its acceleration, once that is known. */
void yk_station_reached(struct yk_station *s, size_t i, double x, double v, double a) YK_RT;

/* The reading of actuator i in the last tick, and the raw numbers of the rig for it, before calibration, zero and
 * filter; the raw numbers of the sensors. */
struct yk_reading yk_station_reading(const struct yk_station *s, size_t i) YK_RT;
struct yk_reading yk_station_raw(const struct yk_station *s, size_t i) YK_RT;
const double *yk_station_raw_sensors(const struct yk_station *s) YK_RT;
/* The last values of one actuator. */
struct yk_actuator_state {
    double target, command, displacement, force, delay;
    double gain;    /* estimated, measured over command; 1 if nothing estimates it */
    double matched; /* measured displacement that the force belongs to */
    double tracked; /* measured, in the quantity of the command */
    /* energy that its transfer has put into the loop, and what was taken out again [J]; damping that passivity control
     * adds now [N s/m], and the share of its window at the bound; 0 without one */
    double generated, paid, passivity, passivity_share;
};
struct yk_actuator_state yk_station_state(const struct yk_station *s, size_t i) YK_RT;
/* Displacements of all actuators: as read in the last tick, or as estimated by a joint controller that has a model. */
void yk_station_estimate(const struct yk_station *s, double *x) YK_RT;

/* Which limit has tripped, in words; "" if none has. */
const char *yk_station_trip(struct yk_station *s);

#endif
