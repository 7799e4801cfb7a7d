/* m M + c C + k K with the tangents of the state, factored anew in the loop: what methods for nonlinear systems share.
 * A system whose tangents are constant has no need of it, and no room is taken. */
#ifndef YOKE_TANGENT_H
#define YOKE_TANGENT_H

#include <yoke/integrator.h>

/* Do the tangents change along a run? Factors of K and C serve for ever where they do not. */
static inline bool yk_tangent_varies(const struct yk_system *system)
{
    return !system->linear && !system->constant_tangents;
}

struct yk_tangent {
    struct yk_lu lu;
    double *M, *K, *C; /* dense, n*n */
};
void yk_tangent_layout(struct yk_tangent *t, const struct yk_system *system, struct yk_arena *mem);
void yk_tangent_init(struct yk_tangent *t, const struct yk_system *system);
/* K and C in the state (u, v), under the time and load of the last evaluation. */
void yk_tangent_take(struct yk_tangent *t, const struct yk_system *system, const double *u, const double *v) YK_RT;
/* After a failure solutions are not numbers, which is found as divergence at the end of the step. */
enum yk_status yk_tangent_factor(struct yk_tangent *t, double m, double c, double k) YK_RT;

#endif
