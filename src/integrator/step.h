/* Shared by all integrators: the state at the end of the last step, its acceleration, and the factors of a step.
 *
 * A method begins its private struct with YK_STEP, so that s->u is the displacement there and the functions with a
 * `void *self` below fit into its table. */
#ifndef YOKE_STEP_H
#define YOKE_STEP_H

#include "integrator/tangent.h"

#define YK_STEP_FIELDS                                                                                                 \
    struct yk_system *system;                                                                                          \
    double h;                  /* step */                                                                              \
    struct yk_span state;      /* carried from step to step        */                                                  \
    double *u, *v, *a;         /* at the end of the last step */                                                       \
    double *p;                 /* net force there; NULL where the method does not need it */                           \
    struct yk_factor *M, *D;   /* D: matrix the method solves with; NULL: M alone */                                   \
    struct yk_tangent tangent; /* D with refreshed tangents */

struct yk_step {
    YK_STEP_FIELDS
};
#define YK_STEP                                                                                                        \
    union {                                                                                                            \
        struct yk_step step;                                                                                           \
        struct {                                                                                                       \
            YK_STEP_FIELDS                                                                                             \
        };                                                                                                             \
    }

/* Takes `count` vectors of n doubles in one piece, so that they can be saved together: the span. Points *to[i] at them
 * and declares these pointers. */
void yk_step_layout(struct yk_span *span, struct yk_arena *mem, size_t n, size_t count, double **const *to);
/* System, step size and M. */
enum yk_status yk_step_init(void *self, struct yk_system *system, double dt, struct yk_arena *mem, struct yk_err *err);
/* D = m M + c C + k K as well and, with `refresh`, the same with the tangents of any state if they vary. */
enum yk_status yk_step_init_tangent(void *self, struct yk_system *system, double dt, const double mck[3], bool refresh,
                                    struct yk_arena *mem, struct yk_err *err);
void yk_step_fini(void *self);
/* u, v; then p and a. The sources may be the vectors of the state themselves. */
void yk_step_start(void *self, const double *u, const double *v, const double *p) YK_RT;
/* p and M a = p */
void yk_step_resume(void *self, const double *p) YK_RT;
void yk_step_now(void *self, struct yk_kinematics *reached) YK_RT;
struct yk_span yk_step_state(void *self);

#define YK_STEP_FUNCTIONS .now = yk_step_now, .state = yk_step_state

#endif
