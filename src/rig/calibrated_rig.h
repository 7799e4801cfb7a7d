/* A rig whose devices count otherwise than in metres and newtons: volts, millimetres, counts of a converter. It stands
 * between the station, with its limits and recordings, and the backend, and translates commands and readings. Sensors
 * of their own have their units, lines have none, and what is fed forward stays in m and N. */
#ifndef YOKE_CALIBRATED_RIG_H
#define YOKE_CALIBRATED_RIG_H

#include "transfer/setup.h"
#include <yoke/rig.h>

/* `self`: malloc'd, with everything in it, and taken over. */
struct yk_calibrated_rig {
    const struct yk_rig_ops *rig; /* that talks to the devices */
    void *rig_self;
    struct yk_calibration *calibration; /* one for each actuator */

    /* private */
    size_t count;
    const enum yk_command_kind *kinds; /* NULL: all by displacement */
    double *command;                   /* what is sent */
    struct yk_reading *read;           /* what came back */
};
extern const struct yk_rig_ops yk_rig_calibrated;

#endif
