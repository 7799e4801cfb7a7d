/* A map `setup`: how the degrees of freedom of a specimen move its actuators. */
#ifndef YOKE_EXPERIMENT_SETUP_H
#define YOKE_EXPERIMENT_SETUP_H

#include "experiment/build.h"

#include "transfer/setup.h"

extern const struct yk_param yk_keys_setup[];

/* The actuators of a specimen, in order. Without a map (NULL) each degree of freedom has its own actuator. The setup
 * uses strokes and forces; device units go into `calibration`, one for each actuator. */
enum yk_status yk_build_setup(const struct yk_node *map, const struct yk_dofs *dofs, size_t actuators,
                              const char *const *names, struct yk_setup **setup, struct yk_calibration *calibration,
                              struct yk_arena *mem, struct yk_err *err);

#endif
