/* The backend of a rig: found by its name, with its settings read and checked. */
#ifndef YOKE_EXPERIMENT_BACKEND_H
#define YOKE_EXPERIMENT_BACKEND_H

#include "experiment/build.h"

#include <yoke/rig.h>

/* The backend of a section: the one that it names, or the virtual rig instead. */
enum yk_status yk_build_find_backend(const struct yk_model *e, const struct yk_node *section,
                                     const struct yk_rig_ops **rig, struct yk_err *err);
/* The same with its settings, for the actuators, sensors and lines of the section; *self is malloc'd. */
enum yk_status yk_build_section(const struct yk_model *e, const struct yk_node *section,
                                const struct yk_station_parts *parts, const struct yk_rig_ops **rig, void **self,
                                struct yk_err *err);

#endif
