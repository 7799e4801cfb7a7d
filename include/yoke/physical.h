/* A physical substructure: a specimen on a rig, moved by actuators through the transfer system.
 *
 * To a method it is a system like any other. Its `force` is asked for at the times of the stages, in their order: it
 * commands the actuators from the last target to the new one tick by tick, and returns what the load cells say at the
 * end. The matrices are the user's estimate. The rig here is virtual: a plant for each actuator, a model of the
 * specimen, and sensors. */
#ifndef YOKE_PHYSICAL_H
#define YOKE_PHYSICAL_H

#include <yoke/system.h>
#include <yoke/transfer.h>

/* One actuator and its chain. Blocks are malloc'd with their settings filled; yk_physical_create takes them over. */
struct yk_actuator {
    char *name;
    const struct yk_compensator_ops *compensator;
    void *compensator_self;
    const struct yk_estimator_ops *estimator; /* NULL: the delay stays as given */
    void *estimator_self;
    const struct yk_controller_ops *controller;
    void *controller_self;
    const struct yk_plant_ops *plant;
    void *plant_self;
    double delay; /* that is compensated; with an estimator, before it knows better [s] */
    struct yk_sensor displacement, force;
    struct {
        struct yk_where compensator, estimator, controller, plant;
    } where; /* where their settings stand, for messages */
};
void yk_actuator_free(struct yk_actuator *actuator);

/* Limits of the commands and readings; 0: none. */
struct yk_limits {
    double displacement, force; /* m, N */
    int on_trip;                /* 0 hold, 1 ramp back to the start within a second */
};

struct yk_physical_parts {
    struct yk_matrix M, C, K;      /* estimate, n x n; taken over */
    double *u0, *v0;               /* taken over */
    struct yk_actuator *actuators; /* n of them, one for each degree of freedom; taken over */
    struct yk_system *specimen;    /* model of the virtual rig with the same degrees of freedom; taken over */
    double tick;                   /* control period [s] */
    double dt;                     /* integration step of the method */
    int stages;                    /* force evaluations in a step, evenly spaced */
    struct yk_limits limits;
};
enum yk_status yk_physical_create(struct yk_system **system, struct yk_physical_parts *parts, struct yk_err *err);
void yk_physical_parts_free(struct yk_physical_parts *parts);

/* What one actuator last did, and how well it has tracked so far. */
struct yk_actuator_state {
    double target, command, displacement, force, delay;
};
struct yk_tracking_indices {
    double nrms;    /* rms of desired minus measured, over the rms of desired, at every tick */
    double peak;    /* largest |desired - measured| [m] */
    double delay_s; /* that explains most of the error: sum (x_d - x_m) v_d / sum v_d^2 */
};
/* NULL where the system is not physical. */
struct yk_physical;
struct yk_physical *yk_physical_of(struct yk_system *system);
size_t yk_physical_count(const struct yk_physical *p);
const char *yk_physical_name(const struct yk_physical *p, size_t i);
/* Owned by the system; for what looks at an actuator by itself, between runs. */
struct yk_actuator *yk_physical_actuator(struct yk_physical *p, size_t i);
struct yk_system *yk_physical_specimen(struct yk_physical *p);
/* When its forces are asked for and its actuators moved. */
struct yk_pace {
    double tick, dt; /* s */
    int stages;      /* forces in a step dt */
};
struct yk_pace yk_physical_pace(const struct yk_physical *p) YK_RT;
struct yk_actuator_state yk_physical_state(const struct yk_physical *p, size_t i) YK_RT;
struct yk_tracking_indices yk_physical_tracking(const struct yk_physical *p, size_t i);
/* Sensors without noise, bias and drop-outs from the next rest on; for analyses. */
void yk_physical_quieten(struct yk_physical *p);
/* Brings the actuators to rest after a trip or at the end: holds them, or ramps them back to where they started. */
void yk_physical_retire(struct yk_physical *p);
/* A delay of the actuators on top of that of their plants [s]; for stability margins. Takes effect with the next rest.
 */
enum yk_status yk_physical_add_delay(struct yk_physical *p, double delay_s, struct yk_err *err);
/* Has a limit tripped? The text says which; "" where none has. */
const char *yk_physical_trip(struct yk_physical *p);

#endif
