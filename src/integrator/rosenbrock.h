/* Shared by LSRT1, LSRT2 and LSRT3: Rosenbrock's method for M a = p, docs/theory/integrators.md, eq. (18)-(19).
 *
 * A method embeds this struct first, fills the tableau in its init and uses the functions below as its own. */
#ifndef YOKE_ROSENBROCK_H
#define YOKE_ROSENBROCK_H

#include "integrator/step.h"

enum { YK_ROSENBROCK_STAGES = 3 };

struct yk_rosenbrock_tableau {
    int stages;
    double gamma;                                                /* diagonal, the same in every stage */
    double alpha[YK_ROSENBROCK_STAGES][YK_ROSENBROCK_STAGES];    /* state of stage i from slopes j < i */
    double gamma_ij[YK_ROSENBROCK_STAGES][YK_ROSENBROCK_STAGES]; /* Jacobian terms, j < i */
    double b[YK_ROSENBROCK_STAGES];                              /* weights of the step */
};

struct yk_rosenbrock {
    YK_STEP;                              /* the state is (u, v); D = M + gamma h C + (gamma h)^2 K */
    struct yk_rosenbrock_tableau tableau; /* set before yk_rosenbrock_init */
    int jacobian;                         /* setting, YK_ROSENBROCK_JACOBIAN */
    bool refresh;                         /* Jacobian of every step; otherwise the initial one */
    /* weights of dense output: b_i(xi) and their derivatives; NULL where the method has none */
    void (*weights)(const struct yk_rosenbrock_tableau *tableau, double xi, double *b, double *db) YK_RT;

    double *ku[YK_ROSENBROCK_STAGES], *kv[YK_ROSENBROCK_STAGES];
    double *w[YK_ROSENBROCK_STAGES]; /* h (K ku + C kv) */
    double *ui, *vi;                 /* state of the stage under way */
};

void yk_rosenbrock_layout(void *self, const struct yk_system *system, struct yk_arena *mem);
enum yk_status yk_rosenbrock_init(struct yk_rosenbrock *s, struct yk_system *system, double dt, struct yk_arena *mem,
                                  struct yk_err *err);
void yk_rosenbrock_target(void *self, int stage, struct yk_kinematics *want) YK_RT;
enum yk_status yk_rosenbrock_absorb(void *self, int stage, const double *p) YK_RT;
void yk_rosenbrock_dense(void *self, int stage, double xi, double *u, double *v, double *a) YK_RT;

#define YK_ROSENBROCK_JACOBIAN                                                                                         \
    YK_CHOICE(struct yk_rosenbrock, jacobian, "current|initial", 0,                                                    \
              "Jacobian of every step, or the initial one throughout")

#define YK_ROSENBROCK_FUNCTIONS                                                                                        \
    .layout = yk_rosenbrock_layout, .fini = yk_step_fini, .start = yk_step_start, .target = yk_rosenbrock_target,      \
    .absorb = yk_rosenbrock_absorb, .resume = yk_step_resume, .dense = yk_rosenbrock_dense, YK_STEP_FUNCTIONS

#endif
