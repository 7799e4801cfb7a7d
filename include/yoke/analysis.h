/* Analyses as numbers, for programs that compute with them; as JSON: yk_model_analyze (yoke/yoke.h). They drive the
 * real step of the method, so their results hold for runs.
 *
 *     struct yk_cycle cycle;
 *     double radius;
 *
 *     if (!(st = yk_parts_cycle(parts, 0.01, &cycle, &err))) {    a step of 10 ms instead of that of the file
 *         st = yk_cycle_radius(&cycle, &radius, &err);
 *         yk_free(cycle.A);
 *     }
 *
 * What is analysed is not changed: any number of threads may do so at the same time. Nothing outside this process
 * moves. SI units. */
#ifndef YOKE_ANALYSIS_H
#define YOKE_ANALYSIS_H

#include <yoke/coupling.h>
#include <yoke/identify.h>
#include <yoke/parts.h>

/* ---- the order of a method ---- */

/* The order of u that a coupling with its default settings shows on a split mass, from two steps; YK_E_UNSUPPORTED or
 * YK_E_INPUT where it does not take this number of substeps. */
enum yk_status yk_measure_coupling_order(const struct yk_coupling_ops *ops, int substeps, double *order,
                                         struct yk_err *err);

/* ---- the spectrum of a step ---- */

/* Amplification matrix of the method of the experiment at step dt [s], without loads and with nonlinear parts
 * linearised: state[k+1] = A state[k], with all that one cycle passes to the next. A cycle is one system step, or
 * several where the method alternates. */
struct yk_cycle {
    size_t n;
    double *A; /* n x n, column-major; malloc'd */
    int steps; /* system steps in the cycle */
};
enum yk_status yk_parts_cycle(const struct yk_parts *parts, double dt, struct yk_cycle *out, struct yk_err *err);
/* Spectral radius of the cycle: that of its eigenvalues, and where they exceed 1 the growth of powers if that is
 * smaller, since defective unit roots fool eigenvalues. Destroys A. */
enum yk_status yk_cycle_radius(struct yk_cycle *cycle, double *radius, struct yk_err *err);

/* The untorn structure: all substructures joined; NULL: they cannot be assembled. Read only. */
const struct yk_system *yk_parts_structure(const struct yk_parts *parts);
/* Natural frequencies of the untorn structure [rad/s], rising, rigid motions left out; malloc'd. None if its stiffness
 * is not symmetric, it cannot be assembled, or it has more than 400 degrees of freedom. */
enum yk_status yk_parts_frequencies(const struct yk_parts *parts, double **omega, size_t *count, struct yk_err *err);

/* Kinds of the n eigenvalues (re, im) of a cycle of duration cycle_s. Principal: nearest to exp(i omega cycle_s) for a
 * natural frequency of the untorn structure, with its conjugate; unit: 1 (static states); zero; spurious: the rest. */
struct yk_root_report {
    int principal, spurious, unit, zero;
    double damping;         /* numerical damping ratio of the first mode, -ln|z| / arg z */
    double frequency_error; /* arg z / (omega cycle_s) - 1 of the first mode */
};
enum yk_status yk_parts_roots(const struct yk_parts *parts, double cycle_s, size_t n, const double *re,
                              const double *im, struct yk_root_report *out, struct yk_err *err);

/* Lowest angular frequency of a structure apart from rigid-body modes; 0 if there is none. `rigid`: it has such
 * modes. */
double yk_lowest_elastic(const struct yk_system *system, bool *rigid);

/* The root of the first mode, followed from short steps on: where it leaves the true one, the roots of other modes may
 * be nearer to that. Begin with an empty one. */
struct yk_first_mode {
    double omega;                 /* 1/s; 0: not looked for yet, negative: there is none */
    double step;                  /* s, that it was followed to; 0: from the beginning */
    double damping, period_error; /* there; NAN: it was lost */
};

/* The root nearest to the one that damping and period error of the step before give; they become those of this step. */
void yk_first_mode_follow(size_t n, const double *re, const double *im, double cycle_s, struct yk_first_mode *mode);

/* Eigenvalues at one step; free re. */
struct yk_spectrum_point {
    double step, value; /* value: of the scanned key */
    size_t n;
    double *re, *im;
    struct yk_root_report report;
};
/* Spectrum of the step dt; over several steps, the first mode is followed from one to the next. */
enum yk_status yk_parts_spectrum(const struct yk_parts *parts, double dt, struct yk_first_mode *mode,
                                 struct yk_spectrum_point *point, struct yk_err *err);
/* One point of `yoke analyze spectrum --json`; scanned: with the value. */
struct json_t *yk_spectrum_json(const struct yk_spectrum_point *point, bool scanned);

/* ---- order ---- */

/* Global error at time.end for the step, its half, its quarter ...; largest over the degrees of freedom, against the
 * exact solution of a linear problem or a fine reference of a nonlinear one. */
enum { YK_HALVINGS_MAX = 16 };
struct yk_order {
    int count;    /* halvings + 1 */
    bool coupled; /* multipliers exist */
    double step[YK_HALVINGS_MAX + 1], error_u[YK_HALVINGS_MAX + 1], error_v[YK_HALVINGS_MAX + 1];
    double error_lambda[YK_HALVINGS_MAX + 1];
    double error_carried[YK_HALVINGS_MAX + 1]; /* of a multiplier that is part of the state; NAN: there is none */
    double order_u, order_v, order_lambda, order_carried; /* from the two finest steps */
    const char *reference;                                /* what the error is measured against; static */
};
enum yk_status yk_parts_order(const struct yk_parts *parts, int halvings, struct yk_order *out, struct yk_err *err);

struct json_t *yk_order_json(const struct yk_order *order);

/* ---- energy and drift ---- */

/* The energy account along a run, at `count` instants spread evenly (the first is t = 0, the last the end). */
struct yk_energy_sample {
    double t, kinetic, stored, dissipated, work, error;
};
enum yk_status yk_energy_history(const struct yk_model *model, size_t count, struct yk_energy_sample *samples,
                                 struct yk_err *err);

/* Gaps of the interface rows along a run, at `count` instants spread evenly: the largest over the rows and over the
 * steps since the instant before; and the work the multipliers have done in the displacement gaps since the start. */
struct yk_drift_sample {
    double t, u, v, a, interface_work;
};
enum yk_status yk_drift_history(const struct yk_model *model, size_t count, struct yk_drift_sample *samples,
                                struct yk_err *err);
/* The largest energy and the largest error; what `--json` prints. */
void yk_energy_extremes(size_t count, const struct yk_energy_sample *samples, double *largest, double *error);
struct json_t *yk_energy_json(size_t count, const struct yk_energy_sample *samples);
/* The largest of each gap; what `--json` prints. */
struct yk_drift_sample yk_drift_largest(size_t count, const struct yk_drift_sample *samples);
struct json_t *yk_drift_json(size_t count, const struct yk_drift_sample *samples);

/* ---- the verdict ---- */

/* Level of a number of a criterion of docs/theory/verdict.md by the default bounds, for programs that measure
 * "tracking" or "reference" themselves: 0 good, 1 doubtful, 2 unusable; a number that is not finite is unusable. -1:
 * there is no such criterion. The worst of several grades is that of the test. */
int yk_quality_grade(const char *criterion, double value);
const char *yk_quality_word(int grade); /* "good" */

/* ---- the loop with a specimen ---- */

/* The closed loop of a hybrid experiment left alone, by its own steps on the virtual rig without loads and noise: by
 * the amplification matrix of integrator and transfer system together or by the amplitudes of free vibrations. The
 * linear parts of a structure too large for the matrix are described by a few modes where the rig does not feel the
 * difference, unless `periods` asks for free vibrations. */
enum yk_loop_verdict { YK_LOOP_UNDECIDED, YK_LOOP_STABLE, YK_LOOP_UNSTABLE };
struct yk_margin {
    enum yk_loop_verdict verdict; /* undecided: the budget was spent before */
    bool stable;                  /* it is the verdict */
    bool by_matrix;
    bool brief;         /* by a short vibration: slow growth is not seen, and the margin within a tenth */
    bool large;         /* too large for an amplification matrix */
    double decay;       /* of the slowest motion, 1/s; negative: growth, -INFINITY: beyond all bounds; NAN: not known */
    double decay_model; /* the same with the specimen models of the rig instead of the specimens: what it should be; NAN
                           if the method needs specimens, or the budget was spent */
    /* Additional delay of the actuators: stable up to the first, unstable at the second. INFINITY: stable up to
     * longest_s; NAN: not searched. */
    double margin_s, growth_s;
    double longest_s; /* end of the search: 1 s, less if brief or if the budget was spent */
    bool complete;    /* both are as close as required; false: the budget was spent */
    bool windows;     /* also searched below margin_s for intervals of growth */
    double watched_s; /* time of the test that the first free vibration lasted */
    /* The actuator that is furthest from its targets on a slow ramp, if the loop is unstable or its margin was asked
     * for: residual delay (negative: it leads) and compensated delay [s]; not of a varied rig. adapts: the compensation
     * changes during a run; both values then hold for its start. */
    size_t actuator;
    double late_s, lead_s;
    bool adapts;
    double spent_s; /* CPU time */
    /* modes: number of shapes that describe large linear parts (0: not condensed); unlike: largest difference from the
     * full loop in the response to a push of the actuators, relative to the largest response. */
    size_t modes;
    double unlike;
};
/* Does a specimen take part? */
bool yk_model_is_hybrid(const struct yk_model *model);
bool yk_parts_are_hybrid(const struct yk_parts *parts);
/* The loop with its margin. periods: of the lowest mode, that every free vibration lasts; slow growth takes longer to
 * detect. 0: by matrix where the loop is linear and not too large, else 100. On the virtual rig, whatever the backend.
 */
enum yk_status yk_model_margin(const struct yk_model *model, int periods, struct yk_margin *out, struct yk_err *err);
/* The decay of the slowest motion alone [1/s], by matrix where the loop is linear, else by free vibration. */
enum yk_status yk_model_decay(const struct yk_model *model, double *decay, struct yk_err *err);

/* The loop as a linear process with ports, places where a number is scaled by an uncertain factor; from one cycle of
 * the method to the next, by its own steps on the virtual rig (docs/theory/certificates.md). Column-major:
 *
 *     state+ = A state + B w,   y = C state + D w
 *
 * y at a port is what a parameter adds there if it is one unit away from its value; w is what is added. */
struct yk_loop_ported {
    bool linear;  /* false: something adapts, rubs or saturates, so that there is no such process */
    bool told;    /* the process repeats the answers of the loop to 1e-7; otherwise there is none below */
    double decay; /* of the slowest motion [1/s] */
    size_t states, ports;
    double cycle_s;
    double *A, *B, *C, *D; /* states x states, states x ports, ports x states, ports x ports; one block at A */
    size_t *parameter;     /* of each port */
    bool *acts;            /* each parameter: through ports? A stiffness, damping or mass of a specimen whose degrees of
                              freedom are all moved by actuators, or the gain of a sensor of an actuator */
};
/* `varied`: for each parameter the model with it one unit away (NULL: none). known_linear: no need to look. The model
 * was read to rehearse it. */
enum yk_status yk_model_loop_ports(const struct yk_model *model, const struct yk_model *const *varied, size_t count,
                                   bool known_linear, struct yk_loop_ported *out, struct yk_err *err);
void yk_loop_ported_free(struct yk_loop_ported *loop);

#define YK_MARGIN_BUDGET_S 60.0 /* CPU time that `yoke analyze margin` gives to each way to find it */
struct yk_rig_varied;
/* Scope of a judgement: how exact it is, and how long it may take. */
struct yk_judging {
    /* Length of every free vibration in periods of the lowest mode; slow growth takes longer to detect. 0: by matrix,
     * if the loop is linear and not too large, else YK_MARGIN_PERIODS; YK_MARGIN_CHECK: the same, or a short vibration
     * if that would take too many ticks. */
    int periods;
    bool margin;                        /* also find the margin; false: only the sign of the decay, unless `exact` */
    bool exact;                         /* the value of the decay, not only its sign */
    bool no_model;                      /* decay_model is not needed */
    double budget_s;                    /* of CPU time; 0: no end */
    const struct yk_rig_varied *varied; /* another rig than the one of the model; needs no_model; NULL: that one */
    /* The same by YK_MARGIN_PERIODS of free vibration, within another such budget; a copy of the first result if that
     * was not found by matrix. May be NULL. */
    struct yk_margin *simulated;
    size_t modes; /* of the condensed loop, from an earlier judgement of the model; 0: to be found; YK_IN_FULL: none */
};
#define YK_IN_FULL SIZE_MAX
enum { YK_MARGIN_PERIODS = 100, YK_MARGIN_CHECK = -1 };
/* On the virtual rig, whatever the backend of the model. */
enum yk_status yk_hybrid_judge(const struct yk_model *model, const struct yk_judging *how, struct yk_margin *out,
                               struct yk_err *err);
/* The same on rigs that are not what the file says. */
#define YK_VARIED_BY 0.3
enum yk_variation {
    YK_SOFTER,  /* forces of the specimens times 0.7, of stiffness, damping and mass alike */
    YK_STIFFER, /* times 1.3                                                              */
    YK_SLOWER,  /* all times of the actuators times 1.3, dead times included              */
    YK_FASTER,  /* times 0.7                                                              */
    YK_VARIATIONS
};
struct yk_robustness {
    struct yk_margin of[YK_VARIATIONS]; /* undecided: the budget was spent, or one of the reasons below */
    bool brief; /* nothing was found: a short vibration can only be compared with that of the rig as it was read */
    bool impossible[YK_VARIATIONS]; /* such a rig cannot be made */
    char why[200];                  /* that is so; "": all of them can be */
    /* Factor on the measured forces: stable up to the first, unstable at the second. INFINITY: none was found. */
    double gain, gain_growth;
    bool gain_complete; /* both are as close as required, or the whole range was searched */
    double spent_s;     /* CPU time */
};
/* `periods` and `budget_s` of how, which is for all of it. */
enum yk_status yk_hybrid_robustness(const struct yk_model *model, const struct yk_judging *how,
                                    struct yk_robustness *out, struct yk_err *err);
/* Output of `yoke analyze margin --json`. */
struct json_t *yk_margin_json(const struct yk_margin *margin, const struct yk_margin *simulated,
                              const struct yk_robustness *robustness);
/* "stable; delay margin 32.5 ms", "UNSTABLE: free vibration doubles every 0.3 s", "undecided: ...". budget_s: CPU time
 * that was given. */
void yk_loop_words(const struct yk_margin *margin, double budget_s, char *text, size_t size);
/* Advice for a loop that grows: the known cause, and possible remedies. */
void yk_parts_loop_advice(const struct yk_parts *parts, const struct yk_margin *margin, char *text, size_t size);
/* The variations in a few lines. budget_s: CPU time that was given; more: how to find what it was too short for. */
void yk_robustness_print(const struct yk_robustness *robustness, double budget_s, const char *more, FILE *out);

/* ---- how actuators track ---- */

/* How a measured displacement followed its target, from samples of both; NAN where nothing moved. */
struct yk_track {
    double amplitude, delay_s; /* in the mean over the spectrum of the target; negative: early */
    double frequency_Hz;       /* mean, of the target */
    double sync_amplitude;     /* of the ellipse that measured over target makes: measured over target, rms */
    double sync_phase_rad;     /* negative: early */
    double sync_area_m2;       /* enclosed, turn by turn; positive: late */
};
enum yk_status yk_track_signals(size_t n, double dt, const double *target, const double *measured, struct yk_track *out,
                                struct yk_err *err);
/* The same for an actuator of a recording, at the system steps. */
struct yk_recording;
enum yk_status yk_track_recording(struct yk_recording *recording, const char *actuator, struct yk_track *out,
                                  struct yk_err *err);

/* y(t + delay) = gain x(t) + offset, by least squares; NAN where one of them does not move. */
struct yk_delay_fit {
    double delay_s;  /* negative: y is early */
    double gain;     /* y over x */
    double residual; /* rms of the residual over that of y */
};
/* n samples every dt. The first tenth is left out; `longest`: largest delay to search, positive or negative. */
enum yk_status yk_delay_fit(size_t n, double dt, const double *x, const double *y, double longest,
                            struct yk_delay_fit *fit, struct yk_err *err);
double yk_delay_longest(size_t n, double dt); /* by default: 0.2 s, or a tenth of the record */

/* How an actuator tracked in a run: at every step. */
struct yk_delay_report {
    char actuator[48];           /* NaN below if it was never commanded to move */
    struct yk_delay_fit command; /* from command to measured displacement */
    struct yk_delay_fit target;  /* from target to measured: the residual delay */
    double amplitude;            /* measured over target, rms */
    double nrms, peak;           /* of target - measured; m, or rad */
    bool turns;                  /* rotary: rad */
    struct yk_track track;
};
/* Runs the experiment; *count reports, malloc'd. */
enum yk_status yk_measure_delays(const struct yk_model *model, struct yk_delay_report **reports, size_t *count,
                                 struct yk_err *err);

/* Samples of one actuator, and all of its report but the name, of n samples every dt. */
struct yk_delay_log {
    double *target, *command, *measured;
};
enum yk_status yk_evaluate_delays(size_t n, double dt, double longest, const struct yk_delay_log *log,
                                  struct yk_delay_report *r, struct yk_err *err);
/* The channel of a recording that measures the quantity in which an actuator is commanded: ".displacement", ".force" or
 * ".tracked". */
const char *yk_tracked_channel(const struct yk_recording *recording, int stream, const char *actuator);
/* One channel of a stream, malloc'd: "<actuator><what>". */
enum yk_status yk_take_channel(struct yk_recording *recording, int stream, const char *actuator, const char *what,
                               double **values, struct yk_err *err);

/* Output of `yoke analyze delay --json`. */
struct json_t *yk_delays_json(size_t count, const struct yk_delay_report *reports);
struct json_t *yk_track_json(const struct yk_track *track);

/* Frequency responses from the target of an actuator to its measured displacement: most points, and the defaults of
 * `yoke analyze frf`. */
enum { YK_FRF_POINTS = 400 };
#define YK_FRF_FREQUENCIES "0.1:20:24log"
#define YK_FRF_AMPLITUDE   0.010 /* m */
enum yk_status yk_parts_responses(const struct yk_parts *parts, size_t actuator, double amplitude_m, size_t count,
                                  const double *frequency_Hz, struct yk_response_point *points, struct yk_err *err);
/* Is there a point at all? Otherwise the reason of the first is the failure. */
bool yk_frf_any(size_t n, const struct yk_response_point *p, struct yk_err *err);
struct json_t *yk_frf_json(const char *name, double amplitude, size_t n, const struct yk_response_point *p);

#endif
