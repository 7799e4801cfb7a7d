/* The virtual rig: a plant for each actuator, models of the specimens, and sensors. A backend like any other. */
#ifndef YOKE_VIRTUAL_RIG_H
#define YOKE_VIRTUAL_RIG_H

#include "rig/virtual/plant/limits.h"
#include "rig/virtual/sensor.h"
#include "rig/virtual/specimen.h"
#include "transfer/calibration.h"
#include "transfer/setup.h"
#include <yoke/rig.h>
#include <yoke/system.h>
#include <yoke/transfer.h>

struct yk_virtual_actuator {
    const struct yk_plant_ops *plant; /* NULL: a joint one */
    void *plant_self;                 /* malloc'd: the settings as read */
    void *plant_at_work;              /* private: the copy that is stepped */
    const struct yk_plant_ops *model; /* of a recorded plant, with its settings, malloc'd; NULL: none */
    void *model_self;
    struct yk_plant_limits limits;
    double moving_mass;                        /* kg: of piston and fixture, included in the load cell reading */
    double velocity_ahead, acceleration_ahead; /* s, s2: feed-forward gains */
    double admittance;                         /* m/(s N): speed for an error of the force, in force control */
    double change_s;                           /* that a change of the control mode takes */
    struct yk_sensor displacement, force, acceleration;
    /* The device counts by `real`, and its numbers are taken for those of `told`: the same unless the file simulates a
     * wrong calibration. `calibrated`: one of them converts. */
    bool calibrated;
    struct yk_calibration told, real;
    struct yk_where where; /* of its settings, for messages */

    /* private */
    enum yk_command_kind kind;
    struct yk_plant_output motion; /* that velocity or acceleration commands add up to */
    bool second;                   /* in its second control mode */
    long changing;                 /* ticks since it was told to change */
    double moved;                  /* kg: specimen and fixture, of a plant with a data sheet; else 0 */
};
void yk_virtual_actuator_free(struct yk_virtual_actuator *actuator);

/* A plant of several actuators. */
struct yk_virtual_joint {
    const struct yk_plant_ops *plant;
    void *plant_self, *plant_at_work; /* as above */
    size_t count, *members;           /* actuators; malloc'd, taken over */
    struct yk_where where;

    /* private */
    double *u, *force;
    struct yk_plant_output *out;
};

/* A sensor of the plan: a state of an actuator, or of a degree of freedom of a specimen. */
struct yk_virtual_sensor {
    struct yk_sensor sensor;
    size_t index;     /* of the actuator, or of the specimen */
    bool of_specimen; /* its degree of freedom `dof` */
    size_t dof;
    int state;                     /* enum yk_command_kind: which quantity */
    const struct yk_scale *counts; /* of its raw numbers, for a rig that another process moves; NULL: SI units */
    bool beats;                    /* nothing of the rig: a counter of the PLC, */
    double hangs;                  /* which stands still from this time on [s]; 0: never */
};

/* An input line of the plan: the PLC, as far as it is simulated. Times are counted from the rest [s]; 0: never. */
struct yk_virtual_line {
    double opens, hangs; /* off; its level stays as it is */
    double answers;      /* of an acknowledgement: behind its order */

    /* private */
    bool on, ordered;
    double since; /* of the order */
};

/* A specimen: a model, some degrees of freedom of which actuators move, and others load. */
struct yk_virtual_specimen {
    struct yk_system *model; /* taken over */
    size_t moved_count;
    size_t *moved;          /* degrees of freedom of the model; taken over, as are all arrays */
    struct yk_setup *setup; /* between them and the actuators; NULL: one to one; taken over */
    size_t count, *movers;  /* actuators that move it */
    size_t loaded_count;    /* actuators that load it by force: */
    size_t *loaders;        /* they themselves */
    size_t *loaded;         /* degrees of freedom that they load */
    char **names;           /* of the degrees of freedom of the model, for messages; taken over */
    struct yk_where where;  /* of the model, for messages */

    /* private */
    struct yk_specimen *mounted;
    double *found; /* its last position, the start of the next search */
};

/* Pushes and answers of the next ticks, for analyses. A tick has a place for each degree of freedom that actuators
 * move, specimen by specimen, where a force is added behind the specimen; then one for the force reading and one for
 * the displacement reading of each actuator. Its numbers are displacement, velocity and acceleration of each of these
 * degrees of freedom, then the readings before the push: of force, of displacement, actuator by actuator. */
struct yk_rig_probe {
    const double *push; /* of the first `pushed` ticks */
    double *answers;    /* of the first `room` ticks */
    size_t pushed, room;
    size_t made; /* ticks so far */
};

/* `self` of the backend: filled by the reader. The two arrays are pieces of the arena of the plan, since their contents
 * change; the rest is malloc'd and taken over. */
struct yk_virtual_rig {
    struct yk_virtual_actuator *actuators;
    size_t count;
    struct yk_virtual_specimen *specimens;
    size_t specimen_count;
    bool dismounted;                 /* the specimens are not on the actuators: yk_virtual_rig_dismount */
    struct yk_virtual_joint *joints; /* pieces of the arena, too, as are the next two */
    size_t joint_count;
    struct yk_virtual_sensor *sensors; /* as many as the plan has */
    struct yk_virtual_line *lines;

    /* private */
    double tick;
    double slowness, strength; /* of plants and specimens against what was read: yk_virtual_rig_vary */
    long ticks;
    const struct yk_rig_plan *plan;
    size_t sensor_count, line_count;
    struct yk_plant_output *out;
    double *u, *v, *a, *r; /* of the largest specimen */
    double *y, *y_v, *y_a; /* of the actuators; forces on their load cells */
    double *last;          /* what the load cells feel, which acts on the plants */
    struct yk_rig_probe *probe;
};
extern const struct yk_rig_ops yk_rig_virtual;

/* Sensors without noise, bias and drop-outs from the next rest on; for analyses. */
void yk_virtual_rig_quieten(struct yk_virtual_rig *rig);
/* Another rig than the one that was read, as a factor of each. */
struct yk_rig_varied {
    double specimen; /* forces of the specimens, of stiffness, damping and mass alike */
    double lag;      /* time that the plants take for everything, dead times included */
    double force;    /* readings of the load cells */
};
/* Varies the rig from the next rest on, for analyses; once for a rig. YK_E_UNSUPPORTED: a plant that has no time scale
 * of its own. */
enum yk_status yk_virtual_rig_vary(struct yk_virtual_rig *rig, const struct yk_rig_varied *by, struct yk_arena *mem,
                                   struct yk_err *err);
/* From the next rest on, commands and readings of actuator i are raw numbers, for a rig that another process moves:
 * those of its calibration in the file, and then (NULL: nothing more) those of `counts`, which stays the caller's.
 * Returns the raw command for x. */
double yk_virtual_rig_use_raw(struct yk_virtual_rig *rig, size_t i, const struct yk_calibration *counts, double x);
/* From the next tick on; NULL: none any more. */
void yk_virtual_rig_probe(struct yk_virtual_rig *rig, struct yk_rig_probe *probe);
/* Degrees of freedom that actuators move, of all specimens. */
size_t yk_virtual_rig_moved(const struct yk_virtual_rig *rig) YK_RT;
/* Takes the specimens off the actuators; they do not come back. Also on the rig of a state, whose specimens have
 * constants of the model. */
void yk_virtual_rig_dismount(struct yk_virtual_rig *rig);

#endif
