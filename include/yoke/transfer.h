/* The transfer system: what lies between the displacement a method wants of a specimen and the force it gets back.
 *
 *     target -> compensator -> command -> controller -> drive -> plant -> specimen -> sensors -> filters -> measured
 *
 * One chain per actuator, stepped at the control tick h; every family is a table of functions, one file and one .def line a
 * method. All work in SI units. Set-up (`init`) may fail and allocate, the rest runs in the loop. */
#ifndef YOKE_TRANSFER_H
#define YOKE_TRANSFER_H

#include <stdint.h>
#include <yoke/param.h>

/* ---- plants: the actuator with its drive and inner loops ---- */

/* What the actuator does at the end of a tick. */
struct yk_plant_output {
    double x, v, a; /* m, m/s, m/s2 */
};

struct yk_plant_ops {
    const char *name; /* "tt1" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size; /* of the private struct, which holds the settings */
    enum yk_status (*init)(void *self, double h, struct yk_err *err);
    void (*fini)(void *self); /* may be NULL */
    /* At rest at x0: inputs that hold it there are in the delay line. */
    void (*reset)(void *self, double x0) YK_RT;
    /* One tick under the drive u (displacement reference, held) against the specimen's force [N] (positive resists x).
     */
    void (*step)(void *self, double u, double force, struct yk_plant_output *out) YK_RT;
};
extern const struct yk_plant_ops *const yk_plants[]; /* NULL at the end */
const struct yk_plant_ops *yk_plant_find(const char *name);

/* ---- controllers: from the command and the measured displacement to the drive ---- */

struct yk_controller_ops {
    const char *name; /* "imc" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size;
    enum yk_status (*init)(void *self, double h, struct yk_err *err);
    void (*fini)(void *self);
    /* Bumpless: in balance at displacement x0. */
    void (*reset)(void *self, double x0) YK_RT;
    double (*step)(void *self, double command, double measured) YK_RT;
    /* The drive that was really sent, where a limit clipped it: integrators and internal models follow it. May be NULL.
     */
    void (*clipped)(void *self, double sent) YK_RT;
};
extern const struct yk_controller_ops *const yk_controllers[];
const struct yk_controller_ops *yk_controller_find(const char *name);

/* ---- tuning: gains of K (1 + 1/(Ti s) + Td s) from a model of the plant ---- */

/* The tangent at the inflection of the response to a unit step: it cuts the time axis at L and the vertical axis at
 * -a; T is the time constant that the rules use. */
struct yk_tangent {
    double a, L, T; /* -, s, s */
};
/* Two lags T1, T2 [s] after a dead time; T = T1 + T2. */
enum yk_status yk_tangent_lags(double gain, double T1, double T2, double dead_time, struct yk_tangent *tangent,
                               struct yk_err *err);
/* A servo of second order, omega [rad/s]; T = time to reach 1 - 1/e of the static gain, less L. */
enum yk_status yk_tangent_servo(double gain, double omega, double xi, double dead_time, struct yk_tangent *tangent,
                                struct yk_err *err);

enum yk_tuning_rule {
    YK_TUNE_CHR_PI,  /* Chien, Hrones and Reswick 1952, set-point, no overshoot */
    YK_TUNE_CHR_PID, /* the same                                                */
    YK_TUNE_ZN_P,    /* Ziegler and Nichols 1942, step response                 */
    YK_TUNE_ZN_PI,
    YK_TUNE_ZN_PID
};
struct yk_pid_gains {
    double K, Ti, Td; /* -, s (infinite: none), s */
};
struct yk_pid_gains yk_tune(enum yk_tuning_rule rule, const struct yk_tangent *tangent);

/* ---- compensators: what to command so that the actuator arrives in time ---- */

/* A target of the integrator: state wanted at its due time. */
struct yk_target {
    double x, v, a;
    int stage; /* of `stages` in a step, from 0; the last is the end of the step */
    int stages;
};

struct yk_compensator_ops {
    const char *name; /* "lagrange" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size;
    /* dt: integration step; stages: targets in a step, evenly spaced */
    enum yk_status (*init)(void *self, double dt, int stages, struct yk_err *err);
    void (*fini)(void *self);
    void (*reset)(void *self, double x0) YK_RT;
    /* The displacement to command for the due time of the target, so that it is reached `delay` [s] later than commanded. */
    double (*predict)(void *self, const struct yk_target *target, double delay) YK_RT;
    /* The measured displacement at the due time of the last target; for adaptive ones. May be NULL. */
    void (*learn)(void *self, double measured) YK_RT;
};
extern const struct yk_compensator_ops *const yk_compensators[];
const struct yk_compensator_ops *yk_compensator_find(const char *name);

/* ---- delay estimators ---- */

/* One instant of tracking, at the integration step. */
struct yk_tracking {
    double desired, command, measured; /* m */
};

struct yk_estimator_ops {
    const char *name; /* "rls" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size;
    enum yk_status (*init)(void *self, double dt, struct yk_err *err);
    void (*fini)(void *self);
    /* Starts with the nominal delay [s]. */
    void (*reset)(void *self, double nominal) YK_RT;
    /* Takes a sample and returns the estimated delay [s], always within [0, tau_max]. */
    double (*update)(void *self, const struct yk_tracking *sample) YK_RT;
};
extern const struct yk_estimator_ops *const yk_estimators[];
const struct yk_estimator_ops *yk_estimator_find(const char *name);

/* ---- filters: digital low-pass filters of measured signals, as cascades of second-order sections ---- */

enum { YK_FILTER_SECTIONS = 8 };
struct yk_filter {
    int sections;                                              /* 0: passes everything */
    double b[YK_FILTER_SECTIONS][3], a[YK_FILTER_SECTIONS][2]; /* a0 = 1 */
    double w[YK_FILTER_SECTIONS][2];                           /* state */
    double delay_s; /* group delay at frequency zero, from sample to sample */
};
/* Every filter passes a constant unchanged. Butterworth low-pass of order 1 .. 16, cut-off [Hz], by bilinear transform
 * with prewarping or, `exact` and up to order 2, by zero-order hold. */
enum yk_status yk_filter_butterworth(struct yk_filter *f, int order, double cutoff_Hz, double h, bool exact,
                                     struct yk_err *err);
/* Elliptic low-pass: pass edge, stop edge [Hz], pass ripple, stop attenuation [dB]; the order follows. */
enum yk_status yk_filter_elliptic(struct yk_filter *f, double pass_Hz, double stop_Hz, double ripple_dB, double stop_dB,
                                  double h, struct yk_err *err);
/* As if x0 had always come in. */
void yk_filter_reset(struct yk_filter *f, double x0) YK_RT;
double yk_filter_step(struct yk_filter *f, double x) YK_RT;

/* ---- sensors: from what a specimen does to what is measured ---- */

/* gain x + bias + noise -> filter -> saturation -> quantisation -> drop-outs. Two sensors with the same settings and
 * seed give the same readings. */
struct yk_sensor {
    double bias, noise; /* in the unit of the reading; noise: root mean square, white, Gaussian */
    double gain;
    double quantum;    /* step of the converter; 0: none */
    double saturation; /* largest reading to either side; 0: none */
    double dropout;    /* probability that a reading is missing: the last one is repeated */
    int seed;
    struct yk_filter filter; /* set by its own functions; zero: none */

    /* private */
    uint64_t random;
    double last;
};
extern const struct yk_param yk_sensor_params[]; /* all but the filter */
enum yk_status yk_sensor_init(struct yk_sensor *s, struct yk_err *err);
/* At rest at x0, and the random numbers from their beginning. */
void yk_sensor_reset(struct yk_sensor *s, double x0) YK_RT;
double yk_sensor_step(struct yk_sensor *s, double x) YK_RT;

#endif
