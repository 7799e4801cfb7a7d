/* The transfer system: everything between the target of a method and the force that it gets back.
 *
 *     target -> compensator -> command -> controller -> sent -> plant -> specimen -> sensors -> filters -> measured
 *
 * One chain per actuator, stepped at the control tick h; every family is a table of functions; a component is one file
 * and one line in a .def file. All use SI units. Preparation (`init`) may fail. Keep everything that changes during a
 * run in the private struct or in memory that `init` takes from the arena. The rest runs in the loop. */
#ifndef YOKE_TRANSFER_H
#define YOKE_TRANSFER_H

#include <stdint.h>
#include <yoke/arena.h>
#include <yoke/param.h>
#include <yoke/rig.h>

/* ---- plants: the actuator with its drive and inner loops ---- */

/* The motion of the actuator at the end of a tick. */
struct yk_plant_output {
    double x, v, a; /* m, m/s, m/s2 */
};

/* A plant of n actuators that act on each other: replaces init, reset and step. */
struct yk_joint_plant_ops {
    enum yk_status (*init)(void *self, size_t n, double h, struct yk_arena *mem, struct yk_err *err);
    void (*reset)(void *self, const double *x0) YK_RT;
    void (*step)(void *self, const double *u, const double *force, struct yk_plant_output *out) YK_RT;
};

/* The properties of an actuator that follow from its data sheet. NAN: it has no such one. */
enum { YK_SHEET_POINTS = 21 };
struct yk_plant_sheet {
    double delay_s;      /* of slow motions                                  */
    double bandwidth_Hz; /* of small motions: 3 dB down                      */
    double column_Hz;    /* natural frequency of the oil column              */
    double area;         /* m2, of the piston: flow over speed               */
    double stroke;       /* m, to either side                                */
    double force;        /* N, at standstill                                 */
    /* m/s: the largest speed against 0, 1/20, 2/20, ... of this force       */
    double speed[YK_SHEET_POINTS];
    /* kg: what the plant accelerates by itself, and how much of it is the specimen's; 0: not known */
    double mass, load_mass;
};

struct yk_plant_ops {
    const char *name; /* "tt1" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size; /* of the private struct, which holds the settings */
    enum yk_status (*init)(void *self, double h, struct yk_arena *mem, struct yk_err *err);
    void (*fini)(void *self); /* may be NULL */
    /* At rest at x0; the delay line is filled with inputs that hold it there. */
    void (*reset)(void *self, double x0) YK_RT;
    /* One tick under the command u (a displacement, held) against the specimen's force [N] (positive resists x).
     */
    void (*step)(void *self, double u, double force, struct yk_plant_output *out) YK_RT;
    /* Does the force move it, with these settings? NULL: never; `step` then ignores the force. */
    bool (*yields)(const void *self);
    const struct yk_joint_plant_ops *joint; /* NULL: one for each actuator */
    /* Why its numbers are not finite, in words; false: nothing is wrong. May be NULL. */
    bool (*fault)(const void *self, char *text, size_t size);
    /* How much of its capacity it used in the last tick, where the plant itself has one; NAN elsewhere. May be NULL. */
    void (*use)(const void *self, struct yk_actuator_use *use) YK_RT;
    /* Does its motion contain recorded noise of the reading? keep = false: no longer, from the next rest on (analyses).
     * NULL: never. */
    bool (*noisy)(void *self, bool keep);
    /* Takes the plant that the setting `model` names, before `init`; it stays the caller's. NULL: there is no such one.
     */
    void (*model)(void *self, const struct yk_plant_ops *model, const void *settings);
    /* Its properties by its data sheet, after `init`. NULL: its settings are no data sheet. */
    void (*sheet)(const void *self, struct yk_plant_sheet *sheet);
    void *user; /* see plugin.h */
};
extern const struct yk_plant_ops *const yk_plants[]; /* NULL at the end */
const struct yk_plant_ops *yk_plant_find(const char *name);

/* ---- controllers: correct the command by the measured displacement ---- */

/* A controller of n actuators together: replaces init, reset, step and clipped. */
struct yk_joint_controller_ops {
    enum yk_status (*init)(void *self, size_t n, double h, struct yk_arena *mem, struct yk_err *err);
    void (*reset)(void *self, const double *x0) YK_RT;
    void (*step)(void *self, const double *command, const double *measured, double *corrected) YK_RT;
    void (*clipped)(void *self, const double *sent) YK_RT; /* all of them, where one was clipped; may be NULL */
    /* Estimated positions of the actuators, by a model that follows the readings; called before the step with the same
     * readings. NULL: the controller has no such model. */
    void (*estimate)(const void *self, const double *measured, double *x) YK_RT;
};

struct yk_controller_ops {
    const char *name; /* "imc" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size;
    enum yk_status (*init)(void *self, double h, struct yk_arena *mem, struct yk_err *err);
    void (*fini)(void *self);
    /* Bumpless: in balance at displacement x0. */
    void (*reset)(void *self, double x0) YK_RT;
    double (*step)(void *self, double command, double measured) YK_RT;
    /* The command that was really sent, where a limit clipped it: integrators and internal models follow it. May be
     * NULL.
     */
    void (*clipped)(void *self, double sent) YK_RT;
    const struct yk_joint_controller_ops *joint;              /* NULL: one for each actuator */
    bool (*fault)(const void *self, char *text, size_t size); /* as that of a plant; may be NULL */
    void *user;                                               /* see plugin.h */
};
extern const struct yk_controller_ops *const yk_controllers[];
const struct yk_controller_ops *yk_controller_find(const char *name);

/* ---- lags of second order ---- */

/* gain e^{-dead_time s} b/(s^2 + a1 s + b) */
struct yk_second_order {
    double gain, b, a1, dead_time;
};
struct yk_second_order yk_second_order_lags(double gain, double T1, double T2, double dead_time);
struct yk_second_order yk_second_order_servo(double gain, double omega, double xi, double dead_time);
/* exp(A t) of x' = A x + B u, x = (output, rate), and the response to a held input over t. */
void yk_second_order_discretise(const struct yk_second_order *model, double t, double A[4], double B[2]);

/* ---- tuning, in libyoke-identify.a: gains of K (1 + 1/(Ti s) + Td s) from a model of the plant ---- */

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

/* A target of the integrator: the state to reach at its due time. */
struct yk_target {
    double x, v, a; /* a: 0 where the integrator does not know it yet */
    int stage;      /* of `stages` in a step, from 0; the last is the end of the step */
    int stages;
    double late; /* of the delay: by how much readings come late, such as that of a filter or of a play-out [s] */
};

enum { YK_TARGET_STAGES = 4 }; /* most targets in a step */

/* A compensator of n actuators together: replaces init, reset, predict, learn and reached. */
struct yk_joint_compensator_ops {
    enum yk_status (*init)(void *self, size_t n, double dt, int stages, struct yk_arena *mem, struct yk_err *err);
    void (*reset)(void *self, const double *x0) YK_RT;
    void (*predict)(void *self, const struct yk_target *targets, const double *delays, double *commands) YK_RT;
    void (*learn)(void *self, const double *measured) YK_RT;           /* may be NULL */
    void (*reached)(void *self, const struct yk_target *states) YK_RT; /* may be NULL */
};

/* Ends the help of a threshold of motion, a setting in YK_DISPLACEMENT: actuators that are commanded otherwise read it
 * in the quantity of their command, and take this share of its limit where it is left out (the default over 100 mm). */
#define YK_COMMANDED(share)                                                                                            \
    "; if the command is no displacement, in its quantity, and by default " share " of its limit"

struct yk_compensator_ops {
    const char *name; /* "lagrange" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size;
    /* dt: integration step; stages: targets in a step, evenly spaced */
    enum yk_status (*init)(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err);
    void (*fini)(void *self); /* may be NULL */
    /* At rest in x0, and always so before. */
    void (*reset)(void *self, double x0) YK_RT;
    /* The displacement to command at the due time of the target, for an actuator that gets there `delay` [s] later:
     * where the target will be by then. One call a target, in their order; the delay may change from call to call. */
    double (*predict)(void *self, const struct yk_target *target, double delay) YK_RT;
    /* The measured displacement at the due time of the last target; for adaptive ones. May be NULL. */
    void (*learn)(void *self, double measured) YK_RT;
    /* Does what it learns replace the delay that `predict` is told? Then `learn` gets readings that are late by the
     * part of that delay which they do not show, such as that of the filter of the load cell. NULL: it does not. */
    bool (*learns_delay)(const void *self);
    /* The last target again, once its force is in and its acceleration known, before the next target; at the start of a
     * run the initial state, as the end of a step. For those that predict from states with acceleration. May be NULL.
     */
    void (*reached)(void *self, const struct yk_target *state) YK_RT;
    const struct yk_joint_compensator_ops *joint; /* NULL: one for each actuator */
    void *user;                                   /* see plugin.h */
};
extern const struct yk_compensator_ops *const yk_compensators[];
const struct yk_compensator_ops *yk_compensator_find(const char *name);

/* How much more than the delay is compensated when the feedback is chosen afterwards (yk_optimal_feedback). */
enum yk_overcompensation {
    YK_OVER_BOUND,  /* parameter: the largest delay to expect [s]                      */
    YK_OVER_FACTOR, /* parameter: factor on the mean delay, at least 1                 */
    YK_OVER_STEPS,  /* parameter: what is added to the mean delay, in steps, at least 0 */
};
double yk_overcompensated_delay(enum yk_overcompensation rule, double delay, double parameter, double dt) YK_RT;

/* ---- feedback of a specimen that was commanded to be early ---- */

enum yk_feedback_rule {
    YK_FEEDBACK_NEAREST, /* where the target was not crossed: the sample nearest to it */
    YK_FEEDBACK_NEWEST,  /* the newest sample, which adds damping                      */
};

/* Chooses, among the measured samples of the last `window` ticks, the force at the instant the target was crossed.
 * Settings first; then layout (twice, see arena.h), init and reset. */
struct yk_optimal_feedback {
    int window; /* ticks that are looked back, 1 .. 1e6 */
    enum yk_feedback_rule rule;
    bool monotone; /* never goes back behind the instant chosen last */

    double *x, *r;    /* the ring: measured displacement [m] and force [N] */
    int newest;       /* its newest sample */
    int reach;        /* age of the oldest sample that may be used [ticks] */
    double from;      /* within the oldest interval, the fraction already passed */
    long hits, asked; /* targets that were crossed, of all */
};
void yk_optimal_feedback_layout(struct yk_optimal_feedback *f, struct yk_arena *mem);
enum yk_status yk_optimal_feedback_init(struct yk_optimal_feedback *f, struct yk_err *err);
void yk_optimal_feedback_reset(struct yk_optimal_feedback *f, double x0, double r0) YK_RT;
/* One control tick; a sample that is not finite is taken as the one before. */
void yk_optimal_feedback_push(struct yk_optimal_feedback *f, double x_e, double r_e) YK_RT;
/* At the due time of a target: the force to feed back and the displacement it belongs to. False: the target was missed.
 */
bool yk_optimal_feedback_choose(struct yk_optimal_feedback *f, double target, double *force,
                                double *displacement) YK_RT;

/* Force at the target from polynomials through the last samples of displacement and force, ahead or back in time. */
enum { YK_FORCE_SAMPLES = 16, YK_FORCE_ORDER = 3 };
struct yk_force_correction {
    int samples;          /* that are fitted, order + 1 .. 16          */
    int x_order, r_order; /* of the polynomials, 1 .. 3                */
    double back, ahead;   /* how far from the newest sample, in ticks  */

    double fit_x[YK_FORCE_ORDER + 1][YK_FORCE_SAMPLES], fit_r[YK_FORCE_ORDER + 1][YK_FORCE_SAMPLES];
    double x[YK_FORCE_SAMPLES], r[YK_FORCE_SAMPLES]; /* newest first */
};
struct yk_force_correction yk_force_correction_defaults(void);
enum yk_status yk_force_correction_init(struct yk_force_correction *f, struct yk_err *err);
void yk_force_correction_reset(struct yk_force_correction *f, double x0, double r0) YK_RT;
void yk_force_correction_push(struct yk_force_correction *f, double x_e, double r_e) YK_RT;
/* True: the displacement polynomial equals the target at `lead` ticks after the newest sample (negative: before).
 * Otherwise the force is that of the instant within reach where it comes closest. */
bool yk_force_correction_choose(struct yk_force_correction *f, double target, double *force, double *lead) YK_RT;

/* ---- delay estimators ---- */

/* One instant of tracking, at the integration step. */
struct yk_tracking {
    double target, command, measured; /* m */
};

struct yk_estimator_ops {
    const char *name; /* "rls" */
    const char *summary, *reference;
    const struct yk_param *params;
    size_t size;
    enum yk_status (*init)(void *self, double dt, struct yk_arena *mem, struct yk_err *err);
    void (*fini)(void *self); /* may be NULL */
    /* Starts with the nominal delay [s]. */
    void (*reset)(void *self, double nominal) YK_RT;
    /* Takes a sample and returns the estimated delay [s], always within [0, tau_max]. A sample that is not finite is
     * ignored. */
    double (*update)(void *self, const struct yk_tracking *sample) YK_RT;
    /* The estimated gain of the actuator, measured over command; 1 until something is known. NULL: it estimates none.
     */
    double (*gain)(const void *self) YK_RT;
    void *user; /* see plugin.h */
};
extern const struct yk_estimator_ops *const yk_estimators[];
const struct yk_estimator_ops *yk_estimator_find(const char *name);

/* State of the recursive least squares: parameters of measured = th1 command + th2 command a step before, and their
 * covariance over the variance of the noise, 1/m2. For the private block of the estimator "rls". */
struct yk_rls_fit {
    double th1, th2, P11, P12, P22;
};
const struct yk_rls_fit *yk_rls_fit(const void *self);

/* After a run: the delay in [0, max_delay] that fits n samples of measured(t + tau) best to command(t), in the mean
 * square; the first `skip` samples are left out. */
enum yk_status yk_delay_least_squares(size_t n, double dt, const double *command, const double *measured,
                                      double max_delay, size_t skip, double *tau, struct yk_err *err);

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

#endif
