/* Readers of the virtual rig: its actuators, and the rig itself. */
#ifndef YOKE_EXPERIMENT_VIRTUAL_H
#define YOKE_EXPERIMENT_VIRTUAL_H

#include "experiment/build.h"
#include "rig/virtual/rig.h"

/* One actuator: `node` is where the setup names it. */
enum yk_status yk_build_virtual_actuator(const struct yk_model *e, const struct yk_node *node, const char *name,
                                         const struct yk_actuator *of, struct yk_virtual_actuator *a,
                                         struct yk_err *err);
/* The plants of a section that several actuators share; `names` are those of the rig. */
enum yk_status yk_build_joint_plants(const struct yk_model *e, const struct yk_node *section, const char *const *names,
                                     struct yk_virtual_rig *rig, struct yk_err *err);
/* The virtual rig of a section, or (NULL) of all of them together; `told` are the calibrations that the setups state.
 */
enum yk_status yk_build_virtual_rig(const struct yk_model *e, const struct yk_station_plan *plan,
                                    const struct yk_node *section, const struct yk_station_parts *parts,
                                    struct yk_virtual_rig *rig, const struct yk_calibration *told, struct yk_err *err);
/* Does each specimen have its model and its setup in the section, and are there no others? */
enum yk_status yk_build_check_specimens(const struct yk_station_plan *plan, const struct yk_node *rig,
                                        struct yk_err *err);
/* Is the actuator moved by the rig of the section (NULL: of any)? */
bool yk_build_is_of(const struct yk_model *e, const struct yk_node *section, const char *name);

#endif
