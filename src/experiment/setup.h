/* A map `setup`: how the degrees of freedom of a specimen move its actuators. */
#ifndef YOKE_EXPERIMENT_SETUP_H
#define YOKE_EXPERIMENT_SETUP_H

#include "experiment/build.h"

#include "transfer/calibration.h"
#include "transfer/setup.h"

extern const struct yk_param yk_keys_setup[], yk_keys_calibrate[];

/* The actuators of a specimen, in order. Without a map (NULL) each degree of freedom has its own actuator. The setup
 * uses strokes and forces; `calibrate` goes into `calibration`, one for each actuator, with commands by displacement
 * (NULL: not needed). `channels`: the section, for the signs of the devices; NULL: it does not concern them. */
enum yk_status yk_build_setup(const struct yk_node *map, const struct yk_node *channels, const struct yk_dofs *dofs,
                              size_t actuators, const char *const *names, struct yk_setup **setup,
                              struct yk_calibration *calibration, struct yk_arena *mem, struct yk_err *err);

#endif
