/* Several rigs that serve one experiment: each moves some of the actuators and has some of the sensors and lines. The
 * station sees one rig; if one of them refuses or is lost, all count as such. */
#ifndef YOKE_SEVERAL_RIGS_H
#define YOKE_SEVERAL_RIGS_H

#include <yoke/rig.h>

enum { YK_SEVERAL_WORDS = 200 };

struct yk_rig_member {
    char *name; /* malloc'd, as are the tables below, and taken over */
    const struct yk_rig_ops *rig;
    void *self;
    size_t count, *actuators; /* which of the station's, rising; likewise the others */
    size_t sensor_count, *sensors;
    size_t line_count, *lines;
    size_t playout; /* of this one: see struct yk_rig_plan */

    /* private */
    bool placed; /* `self` is in the arena */
    struct yk_rig_plan plan;
    double *command, *others;
    struct yk_ahead *ahead;
    struct yk_homing homing; /* of one of its actuators */
    struct yk_rig_in in;
};

struct yk_several_rigs {
    struct yk_rig_member *members; /* malloc'd, taken over */
    size_t count;

    /* private */
    bool placed;                    /* the members are in the arena */
    char words[YK_SEVERAL_WORDS];   /* which one refuses or is lost, and why */
    char noticed[YK_SEVERAL_WORDS]; /* which one has a remark, and which */
};
extern const struct yk_rig_ops yk_rig_several;

/* The inverse: one member's part of an open rig that has all actuators, for another process. The other actuators hold
 * still. */
struct yk_rig_part {
    const struct yk_rig_ops *rig; /* the whole rig; the caller's, like the next two */
    void *self;
    const struct yk_rig_plan *all;
    struct yk_rig_member member; /* taken over; its plan is that of the part */

    /* private */
    double *command, *others;
    struct yk_ahead *ahead;
    struct yk_rig_in in;
};
extern const struct yk_rig_ops yk_rig_part; /* `open` needs no plan */

#endif
