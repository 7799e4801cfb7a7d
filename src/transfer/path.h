/* The command between two targets, tick by tick. docs/theory/transfer.md, eq. (4), (15), (16). */
#ifndef YOKE_TRANSFER_PATH_H
#define YOKE_TRANSFER_PATH_H

#include "transfer/station.h"

struct yk_path {
    int kind;               /* enum yk_path_kind */
    double from, to;        /* commands for the last target and for the one to come */
    double before;          /* the distance to `from`, as `to` - `from` */
    double leaves, arrives; /* slopes at both ends, times the time between */
    /* roughness */
    double last[2], square;
    long count;
};

/* At rest at x, as if it had always been there. */
void yk_path_reset(struct yk_path *p, double x) YK_RT;
/* Sets the next command `to`, with the slope there per time between two targets. */
void yk_path_set_target(struct yk_path *p, double to, double slope) YK_RT;
/* The command of a tick, at the fraction `share` of the path; call it once for each tick, in order. */
double yk_path_at(struct yk_path *p, double share) YK_RT;
/* Root mean square of the second difference from tick to tick [m]. */
double yk_path_roughness(const struct yk_path *p);

#endif
