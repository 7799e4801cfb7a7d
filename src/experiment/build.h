/* The sections of an experiment file, each read by its own file into the experiment. */
#ifndef YOKE_BUILD_H
#define YOKE_BUILD_H

#include "experiment/fields.h"

#include <yoke/experiment.h>

/* Keys of the sections: what the reader knows and what the reference shows. */
extern const struct yk_param yk_keys_root[], yk_keys_time[], yk_keys_method[], yk_keys_substructure[], yk_keys_linear[],
    yk_keys_assembled[], yk_keys_node[], yk_keys_element[], yk_keys_initial[], yk_keys_rayleigh[], yk_keys_interface[],
    yk_keys_load[], yk_keys_plugin[];

enum yk_status yk_build_substructures(struct yk_experiment *e, struct yk_err *err);
enum yk_status yk_build_interfaces(struct yk_experiment *e, struct yk_err *err);
enum yk_status yk_build_loads(struct yk_experiment *e, struct yk_err *err);

/* "frame.n1.x" to substructure and degree of freedom; explains what does not exist. */
enum yk_status yk_build_find_dof(const struct yk_experiment *e, struct yk_where where, const char *name,
                                 size_t *substructure, size_t *dof, struct yk_err *err);
/* Index of a substructure by name, with a suggestion where there is none. */
enum yk_status yk_build_find_substructure(const struct yk_experiment *e, struct yk_where where, const char *name,
                                          size_t *substructure, struct yk_err *err);

#endif
