/* Several rigs that serve one experiment: each moves some of the actuators and has some of the sensors and lines. To
 * the station they are one; where one of them refuses or is lost, all are. */
#ifndef YOKE_SEVERAL_RIGS_H
#define YOKE_SEVERAL_RIGS_H

#include <yoke/rig.h>

struct yk_rig_member {
    char *name; /* malloc'd, as are the tables below, and taken over */
    const struct yk_rig_ops *rig;
    void *self;
    size_t count, *actuators; /* which of the station's, rising; likewise the others */
    size_t sensor_count, *sensors;
    size_t line_count, *lines;

    /* private */
    bool placed; /* `self` is in the arena */
    struct yk_rig_plan plan;
    double *command;
    struct yk_ahead *ahead;
    struct yk_rig_in in;
};

struct yk_several_rigs {
    struct yk_rig_member *members; /* malloc'd, taken over */
    size_t count;

    /* private */
    bool placed;     /* the members are in the arena */
    char words[128]; /* which of them refuses or is lost, and why */
};
extern const struct yk_rig_ops yk_rig_several;

/* The other way round: what one member has of an open rig that plays all, for another process. The other actuators
 * stand still. */
struct yk_rig_part {
    const struct yk_rig_ops *rig; /* that plays all; stays the caller's, as does what follows */
    void *self;
    const struct yk_rig_plan *all;
    struct yk_rig_member member; /* taken over; its plan is that of the part */

    /* private */
    double *command;
    struct yk_ahead *ahead;
    struct yk_rig_in in;
};
extern const struct yk_rig_ops yk_rig_part; /* `open` needs no plan */

#endif
