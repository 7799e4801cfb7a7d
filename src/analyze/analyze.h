/* Analyses that run the real step of a method, so their results hold for runs. */
#ifndef YOKE_ANALYZE_H
#define YOKE_ANALYZE_H

#include "plan/plan.h"
#include <yoke/coupling.h>
#include <yoke/integrator.h>

/* Amplification matrix of one step without load: state[k+1] = A state[k], with the state of ops->state, all that one
 * step passes to the next. A: N*N doubles, column-major, N = yk_amplification_size. Linear systems only; for a
 * nonlinear one give a linear system with its tangents. The state, load and step count of the domain are left as they
 * were. */
size_t yk_amplification_size(const struct yk_domain *domain);
enum yk_status yk_amplification_matrix(struct yk_domain *domain, double *A, struct yk_err *err);

/* Eigenvalues of the amplification matrix, N of them, sorted by falling modulus. */
enum yk_status yk_spectrum(struct yk_domain *domain, double *re, double *im, struct yk_err *err);

/* The largest step [s] up to which the method keeps one degree of freedom bounded: angular frequency omega > 0 [rad/s],
 * damping ratio xi >= 0, spectral radius at most 1 + 1e-7 (more than the rounding of a double root at 1). omega dt is
 * raised from 1e-3 until the radius leaves that bound, then the crossing is bisected to 1e-6. INFINITY when stable up
 * to omega dt = 1e3; 0 when unstable at the first value. */
enum yk_status yk_stability_limit(const struct yk_integrator_ops *ops, const void *settings, double omega, double xi,
                                  double *dt_limit, struct yk_err *err);

/* One degree of freedom with mass, damping and stiffness; start: u and v at the beginning. */
enum yk_status yk_one_mass(struct yk_system **system, double m, double c, double k, double start, struct yk_err *err);

/* The same for couplings: one cycle without load, from unit states of ops->state. Linear sides only. */
size_t yk_coupled_size(struct yk_coupling *coupling);
enum yk_status yk_coupled_amplification(struct yk_coupling *coupling, double *A, struct yk_err *err);
enum yk_status yk_coupled_spectrum(struct yk_coupling *coupling, double *re, double *im, struct yk_err *err);
/* Largest modulus of the spectrum without the matrix, for large ones. YK_E_DIVERGED where the iteration does not
 * settle.
 */
enum yk_status yk_coupled_dominant(struct yk_coupling *coupling, double *radius, struct yk_err *err);

/* Amplification matrix of an experiment's method at step dt, nonlinear parts linearised; N*N, malloc'd. */
struct yk_cycle {
    size_t n;
    double *A; /* column-major */
    int steps; /* system steps in the cycle */
};
enum yk_status yk_experiment_cycle(const struct yk_experiment *experiment, double dt, struct yk_cycle *out,
                                   struct yk_err *err);

/* Spectral radius of an experiment's coupling at step dt: from `large` variables on by a few hundred of its steps;
 * otherwise, or if that iteration does not converge, by the matrix up to `most` variables; NAN beyond. The coupling is
 * prepared once. If dt is the step of the plan, a state of the plan serves, unless parts other than specimens are
 * nonlinear. The plan may be NULL. */
enum yk_status yk_experiment_radius(const struct yk_experiment *experiment, const struct yk_plan *plan, double dt,
                                    size_t large, size_t most, double *radius, struct yk_err *err);

/* Spectral radius of the cycle: that of its eigenvalues, and where they exceed 1 the growth of powers if that is
 * smaller, since defective unit roots fool eigenvalues. Destroys A. */
enum yk_status yk_cycle_radius(struct yk_cycle *cycle, double *radius, struct yk_err *err);

/* Natural frequencies of the untorn structure [rad/s], rising, rigid motions left out; malloc'd. None if its stiffness
 * is not symmetric or it cannot be assembled. */
enum yk_status yk_natural_frequencies(const struct yk_experiment *experiment, double **omega, size_t *count,
                                      struct yk_err *err);

/* Classifies the eigenvalues of a cycle of duration cycle_s. Principal: nearest to exp(i omega cycle_s) for a natural
 * frequency of the untorn structure, with its conjugate; unit: 1 (static states); zero; spurious: the rest. */
struct yk_root_report {
    int principal, spurious, unit, zero;
    double damping;         /* numerical damping ratio of the first mode, -ln|z| / arg z */
    double frequency_error; /* arg z / (omega cycle_s) - 1 of the first mode */
};
enum yk_status yk_classify_roots(const struct yk_experiment *experiment, double cycle_s, size_t n, const double *re,
                                 const double *im, struct yk_root_report *out, struct yk_err *err);

/* Is the experiment's step within the stability limit of its method? Small models and couplings: by the amplification
 * matrix of the whole (linearised) structure; larger ones: mode by mode. Unit roots that are defective (floating parts)
 * grow linearly and count as stable: the growth of powers of the matrix decides. */
struct yk_stability {
    bool stable;
    double radius;  /* spectral radius of the worst mode at the step; NAN: not known without the specimen */
    bool undecided; /* the coupling is too large for a verdict: its radius is NAN */
    double limit_s; /* largest stable step below the experiment's; INFINITY when stable, NAN: takes too long to find */
    double highest_Hz; /* highest natural frequency, of large models a bound above it; NAN where it was not needed */
    /* The structure itself grows, whatever the step: why, and how fast [1/s]; NULL: it does not, or it was not examined
     * (more than 400 degrees of freedom, stiffness that is not symmetric) */
    const char *growth_by;
    double growth;
};
/* `plan`, of the experiment, may be NULL; see yk_experiment_radius. */
enum yk_status yk_check_stability(const struct yk_experiment *experiment, const struct yk_plan *plan,
                                  struct yk_stability *out, struct yk_err *err);
/* Explains why a step is not stable and, unless it is only a warning, what to change; returns YK_E_RANGE. */
enum yk_status yk_stability_words(const struct yk_experiment *experiment, const struct yk_stability *found,
                                  bool is_refused, struct yk_err *err);

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
    const char *reference;                                /* what the error is measured against */
};
enum yk_status yk_observed_order(const struct yk_experiment *experiment, int halvings, struct yk_order *out,
                                 struct yk_err *err);

/* The energy account along a run, at `count` instants spread evenly (the first is t = 0, the last the end). */
struct yk_energy_sample {
    double t, kinetic, stored, dissipated, work, error;
};
enum yk_status yk_energy_history(const struct yk_plan *plan, size_t count, struct yk_energy_sample *samples,
                                 struct yk_err *err);

/* Gaps of the interface rows along a run, at `count` instants spread evenly: the largest over the rows and over the
 * steps since the instant before; and the work the multipliers have done in the displacement gaps since the start. */
struct yk_drift_sample {
    double t, u, v, a, interface_work;
};
enum yk_status yk_drift_history(const struct yk_plan *plan, size_t count, struct yk_drift_sample *samples,
                                struct yk_err *err);

/* The order of u that a coupling with its default settings shows on a split mass, from two steps; YK_E_UNSUPPORTED or
 * YK_E_INPUT where it does not take this number of substeps. */
enum yk_status yk_measure_coupling_order(const struct yk_coupling_ops *ops, int substeps, double *order,
                                         struct yk_err *err);

/* The closed loop of a hybrid experiment left alone, by its own steps on the virtual rig without loads and noise: by
 * the amplification matrix of integrator and transfer system together or by the amplitudes of free vibrations. */
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
    /* Where it is unstable, the actuator that is furthest from its targets on a slow ramp: how late (negative: early),
     * and how much of its delay is compensated [s]; not of a varied rig. If that adapts: how much at the start, and how
     * late it is with it.
     */
    size_t actuator;
    double late_s, lead_s;
    bool adapts;
    double spent_s; /* CPU time */
};
struct yk_rig_varied;
/* What to compute, and how long it may take. */
struct yk_judging {
    /* Of the lowest mode, that every free vibration lasts; slow growth takes longer to detect. 0: by matrix, where the
     * loop is linear and not too large, else YK_MARGIN_PERIODS; YK_MARGIN_CHECK: the same, or by a short vibration if
     * that would take too many ticks. */
    int periods;
    bool margin;                        /* in addition to the verdict; false: only the sign of the decay is found */
    bool exact;                         /* unless it is expected */
    bool no_model;                      /* decay_model is not needed */
    double budget_s;                    /* of CPU time; 0: no end */
    const struct yk_rig_varied *varied; /* another rig than the one of the plan; needs no_model; NULL: that one */
    /* The same by YK_MARGIN_PERIODS of free vibration, within another such budget; a copy of the first result if that
     * was not found by matrix. May be NULL. */
    struct yk_margin *simulated;
    void (*progress)(void *self, double spent_s); /* called now and then; may be NULL */
    void *self;
};
enum { YK_MARGIN_PERIODS = 100, YK_MARGIN_CHECK = -1 };
/* On the virtual rig, whatever the backend of the plan. */
enum yk_status yk_hybrid_judge(const struct yk_plan *plan, const struct yk_judging *how, struct yk_margin *out,
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
    struct yk_margin of[YK_VARIATIONS]; /* undecided: the budget was spent, or such a rig cannot be made */
    /* Factor on the measured forces: stable up to the first, unstable at the second. INFINITY: none was found. */
    double gain, gain_growth;
    bool gain_complete; /* both are as close as required, or the whole range was searched */
    double spent_s;     /* CPU time */
};
/* `periods` and `budget_s` of how, which is for all of it. */
enum yk_status yk_hybrid_robustness(const struct yk_plan *plan, const struct yk_judging *how, struct yk_robustness *out,
                                    struct yk_err *err);
/* All of it, without a budget. */
enum yk_status yk_hybrid_margin(const struct yk_plan *plan, int periods, struct yk_margin *out, struct yk_err *err);
/* Its decay alone [1/s], by matrix where the loop is linear, else by YK_MARGIN_PERIODS of free vibration. */
enum yk_status yk_hybrid_decay(const struct yk_plan *plan, double *decay, struct yk_err *err);
bool yk_experiment_is_hybrid(const struct yk_experiment *experiment);

/* The whole test on a copy with the virtual rig, as fast as possible. */
struct yk_rehearsal {
    struct yk_actuator_peaks *peaks; /* of each actuator; malloc'd */
    double made_s;                   /* time of the test that was rehearsed */
    bool complete;                   /* to the end; otherwise the budget was spent, or it diverged */
    bool diverged;
    char trip[256]; /* what stopped it, in words; "": nothing did */
};
/* budget_s: of CPU time; 0: no end. limited: with the limits of the file, so that the rehearsal trips where the test
 * would. */
enum yk_status yk_rehearse(const struct yk_plan *plan, double budget_s, bool limited, struct yk_rehearsal *out,
                           struct yk_err *err);
void yk_rehearsal_free(struct yk_rehearsal *rehearsal);

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
enum yk_status yk_measure_delays(const struct yk_plan *plan, struct yk_delay_report **reports, size_t *count,
                                 struct yk_err *err);

/* The same of what was measured. A delay at the end of the range, signals that do not move, and records that are too
 * short are refused. `longest`: as for yk_delay_fit; 0: the default. */
enum yk_status yk_recorded_delays(struct yk_recording *recording, const char *path, double longest,
                                  struct yk_delay_report **reports, size_t *count, struct yk_err *err);
/* Columns of a file (yk_read_columns); time in s unless its header says otherwise, NULL: the column `time`, else the
 * first; command and measured in one unit, or in those that the header says. */
struct yk_measured_columns {
    const char *time, *command, *measured;
};
enum yk_status yk_csv_delay(const char *path, const struct yk_measured_columns *columns, double longest,
                            struct yk_delay_fit *fit, struct yk_track *track, struct yk_err *err);

#endif
