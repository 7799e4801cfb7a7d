/* The virtual rig of an experiment in the units of its devices, or the part of it that is one of `rigs`. */
#ifndef YOKE_DOOR_DEVICE_H
#define YOKE_DOOR_DEVICE_H

#include "experiment/experiment.h"
#include "rig/several.h"

struct yk_device_part {
    struct yk_rig_part part; /* the plan of what is served: part.member.plan */
    struct yk_rig_plan devices;
    double *x0;
};
/* Opens the rig `name` of an experiment that is rehearsed, NULL: the only one. `scales` of the raw numbers that it
 * takes and gives, kept by the caller; NULL: SI units, unless its setup has `calibrate`. Close it in any case. */
enum yk_status yk_device_part_open(struct yk_device_part *d, const struct yk_model *model, const char *name,
                                   const struct yk_rig_scales *scales, struct yk_err *err);
void yk_device_part_close(struct yk_device_part *d);

#endif
