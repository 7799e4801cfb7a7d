/* Shared by Newmark, HHT, generalized-alpha, alpha-operator-splitting and Newmark-Newton: one balance equation
 *
 *     (1 - am) M a1 + am M a0 = (1 - af) p1 + af p0                      docs/theory/integrators.md, eq. (8)
 *
 * with Newmark's relations between u, v and a. A method of the family embeds this struct first, sets the coefficients
 * in its init and uses the functions below as its own. */
#ifndef YOKE_NEWMARK_FAMILY_H
#define YOKE_NEWMARK_FAMILY_H

#include "integrator/step.h"
#include "linalg/step_cut.h"

struct yk_newmark_family {
    YK_STEP; /* the state is (u, v, a); p: net force in balance with it, where af != 0;
              * D = (1-am) M + (1-af)(gamma h C + beta h^2 K) */
    /* coefficients: settings of the method, or set before yk_newmark_init */
    double am, af, beta, gamma;
    int iterations;          /* most evaluations per step; 1: only the force at the predictor (linearly implicit) */
    double tolerance;        /* last change of a, relative to a (to u and v where a is lost in rounding) */
    bool refresh;            /* tangent of the current state in every iteration, instead of the initial one */
    bool predicted_velocity; /* the force is evaluated at v + h a, and damping is not in the matrix */

    double *up, *vp;              /* predictors */
    double *want_u, *want_v, *a1; /* room for a trial state other than the predictors; trial acceleration */
    const double *trial_u, *trial_v;
    double *fixed, *residual; /* af p0 - am M a0, constant in a step; right-hand side */
    int pass;
    bool from_last;     /* the iteration begins with the last acceleration, not with 0 */
    double last_change; /* of a, in the pass before */
    /* of an iteration that goes in circles: */
    double least_change; /* of a, in the passes so far */
    int stalled;         /* passes that did not improve on it */
    bool cutting;        /* the last change of a is kept, so that a part of it can be taken back */
    double *last;        /* this change; before it, the residual or what it asks for */
    struct yk_step_cut cut;
};

void yk_newmark_layout(void *self, const struct yk_system *system, struct yk_arena *mem);
enum yk_status yk_newmark_init(struct yk_newmark_family *s, struct yk_system *system, double dt, struct yk_arena *mem,
                               struct yk_err *err);
void yk_newmark_start(void *self, const double *u, const double *v, const double *p) YK_RT;
void yk_newmark_target(void *self, int stage, struct yk_kinematics *want) YK_RT;
enum yk_status yk_newmark_absorb(void *self, int stage, const double *p) YK_RT;
void yk_newmark_resume(void *self, const double *p) YK_RT;
void yk_newmark_dense(void *self, int stage, double xi, double *u, double *v, double *a) YK_RT;
void yk_newmark_unsettled(const void *self, int *evaluations, double *change);

#define YK_NEWMARK_TOLERANCE                                                                                           \
    YK_REAL(struct yk_newmark_family, tolerance, YK_NUMBER, 1e-12, 1e-15, 1e-2,                                        \
            "relative change of the acceleration that ends the iteration")
#define YK_NEWMARK_ITERATION                                                                                           \
    YK_COUNT(struct yk_newmark_family, iterations, 30, 1, 1000,                                                        \
             "most force evaluations per step in nonlinear problems; 1: linearly implicit"),                           \
        YK_NEWMARK_TOLERANCE
/* beta from `least`, and gamma */
#define YK_NEWMARK_WEIGHTS(least)                                                                                      \
    YK_REAL(struct yk_newmark_family, beta, YK_NUMBER, 0.25, least, 0.5,                                               \
            "weight of the new acceleration in the displacement"),                                                     \
        YK_REAL(struct yk_newmark_family, gamma, YK_NUMBER, 0.5, 0.5, 1,                                               \
                "weight of the new acceleration in the velocity")

#define YK_NEWMARK_FUNCTIONS                                                                                           \
    .layout = yk_newmark_layout, .fini = yk_step_fini, .start = yk_newmark_start, .target = yk_newmark_target,         \
    .absorb = yk_newmark_absorb, .resume = yk_newmark_resume, .unsettled = yk_newmark_unsettled, YK_STEP_FUNCTIONS

#endif
