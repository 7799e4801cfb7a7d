/* What LSRT1, LSRT2 and LSRT3 share: Rosenbrock's method for M a = p, docs/theory/integrators.md, eq. (18)-(19).
 *
 * A method embeds this struct first, fills the tableau in its init and uses the functions below as its own. */
#ifndef YOKE_ROSENBROCK_H
#define YOKE_ROSENBROCK_H

#include "integrator/tangent.h"

enum { YK_ROSENBROCK_STAGES = 3 };

struct yk_rosenbrock_tableau {
    int stages;
    double gamma;                                                /* diagonal, the same in every stage */
    double alpha[YK_ROSENBROCK_STAGES][YK_ROSENBROCK_STAGES];    /* state of stage i from slopes j < i */
    double gamma_ij[YK_ROSENBROCK_STAGES][YK_ROSENBROCK_STAGES]; /* Jacobian terms, j < i */
    double b[YK_ROSENBROCK_STAGES];                              /* weights of the step */
};

struct yk_rosenbrock {
    struct yk_rosenbrock_tableau tableau; /* set before yk_rosenbrock_init */
    bool refresh;                         /* Jacobian of every step; otherwise the initial one */
    /* weights of dense output: b_i(xi) and their derivatives; NULL where the method has none */
    void (*weights)(const struct yk_rosenbrock_tableau *tableau, double xi, double *b, double *db) YK_RT;

    struct yk_system *system;
    double h;
    struct yk_span state;
    double *u, *v, *p; /* state at the start of the step; p: net force there */
    double *ku[YK_ROSENBROCK_STAGES], *kv[YK_ROSENBROCK_STAGES];
    double *w[YK_ROSENBROCK_STAGES]; /* h (K ku + C kv) */
    double *ui, *vi;                 /* state of the stage under way */
    double *a;
    struct yk_factor *D; /* M + gamma h C + (gamma h)^2 K */
    struct yk_factor *M;
    struct yk_tangent tangent; /* refreshed */
};

void yk_rosenbrock_layout(void *self, const struct yk_system *system, struct yk_arena *mem);
enum yk_status yk_rosenbrock_init(struct yk_rosenbrock *s, struct yk_system *system, double dt, struct yk_arena *mem,
                                  struct yk_err *err);
void yk_rosenbrock_fini(void *self);
void yk_rosenbrock_start(void *self, const double *u, const double *v, const double *p) YK_RT;
void yk_rosenbrock_target(void *self, int stage, struct yk_kinematics *want) YK_RT;
enum yk_status yk_rosenbrock_absorb(void *self, int stage, const double *p) YK_RT;
void yk_rosenbrock_now(void *self, struct yk_kinematics *reached) YK_RT;
struct yk_span yk_rosenbrock_state(void *self);
void yk_rosenbrock_resume(void *self, const double *p) YK_RT;
void yk_rosenbrock_dense(void *self, int stage, double xi, double *u, double *v, double *a) YK_RT;

#define YK_ROSENBROCK_FUNCTIONS                                                                                        \
    .layout = yk_rosenbrock_layout, .fini = yk_rosenbrock_fini, .start = yk_rosenbrock_start,                          \
    .target = yk_rosenbrock_target, .absorb = yk_rosenbrock_absorb, .now = yk_rosenbrock_now,                          \
    .state = yk_rosenbrock_state, .resume = yk_rosenbrock_resume

#endif
