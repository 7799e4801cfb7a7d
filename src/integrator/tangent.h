/* m M + c C + k K of a system: factored once with the initial tangents, or factored anew in the loop with the current
 * ones. All methods use it, and only here the solve path is chosen: dense, banded, sparse, or a correction of low rank
 * to the initial factor. docs/performance.md, "How equations are solved". */
#ifndef YOKE_TANGENT_H
#define YOKE_TANGENT_H

#include "linalg/low_rank.h"

#include <yoke/integrator.h>

/* Do the tangents change during a run? If not, factors of K and C stay valid. */
static inline bool yk_tangent_varies(const struct yk_system *system)
{
    return !system->linear && !system->constant_tangents;
}

/* m M + c C + k K with the initial tangents, by the path that the system requests; stores the choice in the system. */
enum yk_status yk_system_factor(struct yk_factor **D, struct yk_system *system, double m, double c, double k,
                                struct yk_arena *mem, struct yk_err *err);

struct yk_tangent {
    struct yk_matrix K, C; /* of the state; dense, or in the pattern of the system */
    size_t count;          /* values of each */
    double *M;             /* likewise; constant, like all that is not taken from the arena */
    struct yk_factor *D;   /* factored again; NULL: corrected */
    struct yk_low_rank correction;
    double *K0, *C0; /* of the start, where a correction is made */
    /* in modes the tangents are those of the start and what is added to them, F K E^T and F C E^T */
    const struct yk_matrix *K_start, *C_start, *F, *E;
    double *few; /* then room for twice as many numbers as E has columns */
};
/* Tangents that a method multiplies by a matrix Q: those of the start, and the columns that change in modes. */
struct yk_held {
    const struct yk_matrix *K, *C, *E;
};
/* Takes room and chooses the path. D0: factor of the same sum with the initial tangents. `held`: Q K, Q C and Q E,
 * where the caller multiplies K and C by Q after every yk_tangent_take, unless these are corrections (t->E); they are
 * dense then. NULL: it does not. */
enum yk_status yk_tangent_init(struct yk_tangent *t, struct yk_system *system, struct yk_factor *D0,
                               const struct yk_held *held, struct yk_arena *mem, struct yk_err *err);
void yk_tangent_fini(struct yk_tangent *t);
/* K and C in the state (u, v), under the time and load of the last evaluation. */
void yk_tangent_take(struct yk_tangent *t, const struct yk_system *system, const double *u, const double *v) YK_RT;
/* After a failure solutions are NaN, which is detected as divergence at the end of the step. */
enum yk_status yk_tangent_factor(struct yk_tangent *t, double m, double c, double k) YK_RT;
/* y += alpha K x, or alpha C x */
void yk_tangent_add_stiffness(const struct yk_tangent *t, double alpha, const double *x, double *y) YK_RT;
void yk_tangent_add_damping(const struct yk_tangent *t, double alpha, const double *x, double *y) YK_RT;
void yk_tangent_solve(struct yk_tangent *t, double *x) YK_RT; /* x := (m M + c C + k K)^-1 x */

#endif
