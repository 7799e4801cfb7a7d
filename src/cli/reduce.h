/* What `yoke reduce` found out about one substructure, and its report. */
#ifndef YOKE_CLI_REDUCE_H
#define YOKE_CLI_REDUCE_H

#include "cli/cli.h"

#include <yoke/reduce.h>

/* The motion of the whole experiment, full against reduced. */
struct whole {
    bool made;
    size_t count, steps; /* joined degrees of freedom */
    double dt, rms, mse, nmse, full_s, reduced_s;
    double *full_u, *reduced_u; /* (steps + 1) x count by rows */
    const char *first;          /* name of the first degree of freedom */
};

struct reduction {
    const struct yk_experiment *experiment;
    size_t substructure;
    const char *name;
    struct yk_linear_model model;
    size_t *dofs, count;
    struct yk_reduced reduced;
    struct yk_fidelity fidelity;
    bool compared;
    struct whole whole;
    double reduce_s, compare_s, memory_MB;
};

json_t *reduction_json(const struct reduction *r);
/* NAME.md, NAME.json and pictures in the folder. False after a message. */
bool reduction_report(const struct reduction *r, const char *folder);

#endif
