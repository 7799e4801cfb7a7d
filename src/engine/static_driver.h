/* The driver of a quasi-static test: it leads specimens along the path of `analysis: static`. */
#ifndef YOKE_STATIC_DRIVER_H
#define YOKE_STATIC_DRIVER_H

#include "engine/engine.h"

struct yk_static_driver {
    struct yk_driver driver;
    struct yk_run_result *result; /* gets the points */
    const struct yk_state *state;
    double *u, *v, *read, *sum; /* of all degrees of freedom of specimens, by substructure: see `first` */
    size_t *first;              /* of each substructure */
    size_t leg;
    long move, step, pause; /* of the leg; steps of the move; steps of the pause after it */
    double begin;           /* where the move began */
};

/* For a model with a path. Takes all memory that it needs. */
enum yk_status yk_static_driver_open(struct yk_static_driver *d, const struct yk_model *model,
                                     struct yk_run_result *result, struct yk_err *err);
void yk_static_driver_close(struct yk_static_driver *d);

#endif
