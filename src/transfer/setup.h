/* Setups: from the degrees of freedom of a specimen to its actuators and back. docs/theory/test-rigs.md.
 *
 *     strokes  s = g(u),   s' = J(u) u',   s'' = J(u) u'' + curvature(u, u'),   J = dg/du
 *     forces   r = J(u)^T f, so that f . s' = r . u'
 *
 * s and f are stroke and force of an actuator, u and r displacement and force of the specimen; raw numbers of devices
 * are converted elsewhere (calibration.h). A kind is one file and one line in setups.def; it gives g, J and the
 * curvature. There may be more actuators than degrees of freedom: displacements are then found by least squares, and
 * forces are shared with the least sum of squares. SI units; a degree of freedom may be a rotation. */
#ifndef YOKE_SETUP_H
#define YOKE_SETUP_H

#include <yoke/arena.h>
#include <yoke/param.h>
#include <yoke/rig.h>

/* Degrees of freedom and actuators that a setup connects. Names stay the caller's and are used for messages only. */
struct yk_setup_plan {
    size_t dofs, actuators;
    const char *const *dof_names, *const *actuator_names;
    const double *rows; /* setting `rows` of those that have one: actuators x dofs, column-major; NULL: not given */
};

struct yk_setup_ops {
    const char *name; /* "pair" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size; /* of the private struct, which holds the settings */
    enum yk_status (*init)(void *self, const struct yk_setup_plan *plan, struct yk_err *err);
    void (*fini)(void *self); /* may be NULL */
    /* False: strokes are nonlinear, J depends on u. NULL: always linear. */
    bool (*linear)(const void *self);
    /* Strokes, zero at u = 0, and J (actuators x dofs, column-major). */
    void (*strokes)(const void *self, const double *u, double *s, double *J) YK_RT;
    /* Acceleration of the strokes at zero acceleration of u. NULL: always linear. */
    void (*curvature)(const void *self, const double *u, const double *v, double *a) YK_RT;
};
extern const struct yk_setup_ops *const yk_setups[]; /* NULL at the end */
const struct yk_setup_ops *yk_setup_find(const char *name);

/* A statement of the user: a positive motion of the degree of freedom moves the device of the actuator this way. */
struct yk_setup_sign {
    size_t actuator, dof;
    int sign; /* +1 or -1 */
};

struct yk_setup_parts {
    const struct yk_setup_ops *ops;
    void *self; /* malloc'd with its settings filled; taken over, also when create fails */
    struct yk_setup_plan plan;
    const struct yk_setup_sign *signs; /* checked, in the position u = 0; may be NULL */
    const double *per_unit;            /* stroke for one unit of each device, which has the sign of `signs`; NULL: 1 */
    size_t sign_count;
};

struct yk_setup; /* opaque */
/* Refuses fewer actuators than degrees of freedom, motions that move no actuator and signs that are not as stated, with
 * the names. */
enum yk_status yk_setup_create(struct yk_setup **created, const struct yk_setup_parts *parts, struct yk_arena *mem,
                               struct yk_err *err);
void yk_setup_destroy(struct yk_setup *s);
size_t yk_setup_dofs(const struct yk_setup *s);
size_t yk_setup_actuators(const struct yk_setup *s);

/* Strokes y that move the specimen with u, v, a. */
void yk_setup_targets(struct yk_setup *s, const double *u, const double *v, const double *a, double *y, double *y_v,
                      double *y_a) YK_RT;
/* The motion of the specimen from the strokes; y_v and y_a may be NULL, then v and a do not change. On entry u
 * is the last position found, the start of the iteration. YK_E_DIVERGED, with u as it was: not found within a dozen
 * iterations. */
enum yk_status yk_setup_motion(struct yk_setup *s, const double *y, const double *y_v, const double *y_a, double *u,
                               double *v, double *a) YK_RT;
/* Force on the degrees of freedom, in displacement u, from the forces z of the actuators. */
void yk_setup_forces(struct yk_setup *s, const double *u, const double *z, double *r) YK_RT;
/* The inverse, for virtual rigs: the forces of the actuators when the specimen resists with r. */
void yk_setup_readings(struct yk_setup *s, const double *u, const double *r, double *z) YK_RT;

#endif
