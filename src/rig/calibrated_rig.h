/* A rig whose devices do not use metres and newtons but volts, millimetres or converter counts. It sits between the
 * station, with its limits and recordings, and the backend, and converts commands and readings. Separate sensors keep
 * their units, lines have none, and feed-forward values stay in m and N. */
#ifndef YOKE_CALIBRATED_RIG_H
#define YOKE_CALIBRATED_RIG_H

#include "transfer/setup.h"
#include <yoke/rig.h>

/* `self`: malloc'd, with everything in it, and taken over. */
struct yk_calibrated_rig {
    const struct yk_rig_ops *rig; /* the backend of the devices */
    void *rig_self;
    struct yk_calibration *calibration; /* one for each actuator */

    /* private */
    size_t count;
    const enum yk_command_kind *kinds; /* NULL: all by displacement */
    double *command;                   /* what is sent */
    struct yk_reading *read;           /* what was read */
};
extern const struct yk_rig_ops yk_rig_calibrated;

#endif
