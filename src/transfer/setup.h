/* Setups: from the degrees of freedom of a specimen to its actuators and back. docs/theory/test-rigs.md.
 *
 *     strokes  s = g(u),   s' = J(u) u',   s'' = J(u) u'' + curvature(u, u'),   J = dg/du
 *     forces   r = J(u)^T f, so that f . s' = r . u'
 *     devices  s = sign gain y + offset,   f = sign force_gain z + force_offset
 *
 * y and z are command and reading of a device, s and f stroke and force of its actuator, u and r displacement and force
 * of the specimen. In an experiment the rig handles device units (calibrated_rig.h), and everything before it uses
 * strokes in m and forces in N: the calibration is taken out of the setup, so y is the stroke and z the force. A kind
 * is one file and one line in setups.def; it gives g, J and the curvature. There may be more actuators than degrees of
 * freedom: displacements are then found by least squares, and forces are shared with the least sum of squares. SI
 * units; a degree of freedom may be a rotation. */
#ifndef YOKE_SETUP_H
#define YOKE_SETUP_H

#include <yoke/arena.h>
#include <yoke/param.h>
#include <yoke/rig.h>

/* What a setup connects. Names stay the caller's and are used for messages only. */
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

/* Calibration of the device that drives one actuator. */
struct yk_calibration {
    double gain, offset;             /* m per unit of y, m */
    double force_gain, force_offset; /* N per unit of z, N */
    bool reversed;                   /* sign = -1: its positive direction shortens the actuator */
};
extern const struct yk_param yk_calibration_params[];
/* From metres and newtons to device units, and back. */
double yk_calibration_device(const struct yk_calibration *c, double stroke) YK_RT;
double yk_calibration_stroke(const struct yk_calibration *c, double device) YK_RT;
/* A command in the quantity of its kind, in device units. */
double yk_calibration_command(const struct yk_calibration *c, enum yk_command_kind kind, double command) YK_RT;
struct yk_reading yk_calibration_raw(const struct yk_calibration *c, struct yk_reading si) YK_RT;
struct yk_reading yk_calibration_si(const struct yk_calibration *c, struct yk_reading raw) YK_RT;
/* Does the device use metres and newtons already? */
bool yk_calibration_is_none(const struct yk_calibration *c);

/* A statement of the user: a positive motion of the degree of freedom moves the device of the actuator this way. */
struct yk_setup_sign {
    size_t actuator, dof;
    int sign; /* +1 or -1 */
};

struct yk_setup_parts {
    const struct yk_setup_ops *ops;
    void *self; /* malloc'd with its settings filled; taken over, also when create fails */
    struct yk_setup_plan plan;
    const struct yk_calibration *calibration; /* one for each actuator; NULL: y is the stroke, z the force */
    const struct yk_setup_sign *signs;        /* checked, in the position u = 0; may be NULL */
    size_t sign_count;
};

struct yk_setup; /* opaque */
/* Refuses fewer actuators than degrees of freedom, motions that move no actuator, calibration by zero and signs that
 * are not as stated, with the names. */
enum yk_status yk_setup_create(struct yk_setup **created, const struct yk_setup_parts *parts, struct yk_arena *mem,
                               struct yk_err *err);
void yk_setup_destroy(struct yk_setup *s);
/* Moves the calibration of every actuator out (count: actuators); from now on y is the stroke and z the force. */
void yk_setup_take_calibration(struct yk_setup *s, struct yk_calibration *calibration);
size_t yk_setup_dofs(const struct yk_setup *s);
size_t yk_setup_actuators(const struct yk_setup *s);

/* Device commands that move the specimen with u, v, a. */
void yk_setup_targets(struct yk_setup *s, const double *u, const double *v, const double *a, double *y, double *y_v,
                      double *y_a) YK_RT;
/* The motion of the specimen from the device readings; y_v and y_a may be NULL, then v and a do not change. On entry u
 * is the last position found, the start of the iteration. YK_E_DIVERGED, with u as it was: not found within a dozen
 * iterations. */
enum yk_status yk_setup_motion(struct yk_setup *s, const double *y, const double *y_v, const double *y_a, double *u,
                               double *v, double *a) YK_RT;
/* Force on the degrees of freedom, in displacement u, from the device readings. */
void yk_setup_forces(struct yk_setup *s, const double *u, const double *z, double *r) YK_RT;
/* The inverse, for virtual rigs: the device readings when the specimen resists with r. */
void yk_setup_readings(struct yk_setup *s, const double *u, const double *r, double *z) YK_RT;

#endif
