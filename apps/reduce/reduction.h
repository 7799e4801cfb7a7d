/* Results of `yoke reduce` for one substructure, and its report. */
#ifndef YOKE_REDUCE_REDUCTION_H
#define YOKE_REDUCE_REDUCTION_H

#include <jansson.h>
#include <yoke/fidelity.h>
#include <yoke/parts.h>

/* The motion of the whole experiment, full against reduced. */
struct whole {
    bool made;
    size_t count, steps; /* joined degrees of freedom */
    double dt, rms, mse, nmse, full_s, reduced_s;
    double *full_u, *reduced_u; /* (steps + 1) x count by rows */
    const char *first;          /* name of the first degree of freedom */
};

struct reduction {
    const struct yk_parts *parts;
    size_t substructure;
    const char *name;
    struct yk_linear_model model;
    struct yk_ground ground;
    size_t *dofs, count;
    struct yk_reduced reduced;
    struct yk_fidelity fidelity;
    bool compared, mass_moved;
    struct whole whole;
    double reduce_s, compare_s, memory_MB;
    int processes; /* that shared the factors */
};

/* Share of the mass that a motion of the ground sets in motion, eq. (20); NaN if unknown. */
double mass_share(const struct reduction *r, size_t motion);
/* Is the motion a direction, rather than one degree of freedom alone? What to call it. */
const char *motion_name(const struct reduction *r, size_t motion);
/* Fills r->whole if the rest of the experiment is one other substructure, joined in a simple way; otherwise it is not
 * made. */
enum yk_status whole_run(struct reduction *r, const struct yk_progress *progress, struct yk_err *err);
json_t *reduction_json(const struct reduction *r);
/* NAME.md, NAME.json and pictures in the folder. False after a message. */
bool reduction_report(const struct reduction *r, const char *folder);

#endif
