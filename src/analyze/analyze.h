/* Analyses that run the real step of a method, so their results hold for runs. */
#ifndef YOKE_ANALYZE_H
#define YOKE_ANALYZE_H

#include "analyze/course.h"
#include "state/state.h"
#include <yoke/analysis.h>
#include <yoke/coupling.h>
#include <yoke/integrator.h>

#include <stdint.h>

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

/* yk_parts_cycle of an experiment. */
enum yk_status yk_model_cycle(const struct yk_model *model, double dt, struct yk_cycle *out, struct yk_err *err);

/* Spectral radius of an experiment's coupling at step dt: from `large` variables on by a few hundred of its steps;
 * otherwise, or if that iteration does not converge, by the matrix up to `most` variables; NAN beyond. The coupling is
 * prepared once. If dt is the step of a model that is prepared, a state of it serves, unless parts other than specimens
 * are nonlinear. */
enum yk_status yk_model_radius(const struct yk_model *model, double dt, size_t large, size_t most, double *radius,
                               struct yk_err *err);

/* yk_parts_frequencies of an experiment. */
enum yk_status yk_natural_frequencies(const struct yk_model *model, double **omega, size_t *count, struct yk_err *err);

/* yk_parts_roots of an experiment. */
enum yk_status yk_classify_roots(const struct yk_model *model, double cycle_s, size_t n, const double *re,
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
enum yk_status yk_check_stability(const struct yk_model *model, struct yk_stability *out, struct yk_err *err);
/* Explains why a step is not stable and, unless it is only a warning, what to change; returns YK_E_RANGE. */
enum yk_status yk_stability_words(const struct yk_model *model, const struct yk_stability *found, bool is_refused,
                                  struct yk_err *err);

/* yk_parts_order of an experiment. */
enum yk_status yk_observed_order(const struct yk_model *model, int halvings, struct yk_order *out, struct yk_err *err);

/* yk_model_loop_ports of a hybrid experiment. */
enum yk_status yk_loop_ports(const struct yk_model *model, const struct yk_model *const *varied, size_t count,
                             bool known_linear, struct yk_loop_ported *out, struct yk_err *err);

/* All of it, without a budget. */
enum yk_status yk_hybrid_margin(const struct yk_model *model, int periods, struct yk_margin *out, struct yk_err *err);
/* Its decay alone [1/s], by matrix where the loop is linear, else by YK_MARGIN_PERIODS of free vibration. */
enum yk_status yk_hybrid_decay(const struct yk_model *model, double *decay, struct yk_err *err);

/* The whole test on a copy with the virtual rig, as fast as possible. */
struct yk_rehearsal {
    struct yk_actuator_peaks *peaks; /* of each actuator; malloc'd */
    struct yk_measures measures;     /* of the actuators, for a verdict */
    double made_s;                   /* time of the test that was rehearsed */
    bool complete;                   /* to the end; otherwise the budget was spent, or it diverged */
    bool diverged;
    char trip[256]; /* what stopped it, in words; "": nothing did */
};
/* budget_s: of CPU time; 0: no end. limited: with the limits of the file, so that the rehearsal trips where the test
 * would. */
enum yk_status yk_rehearse(const struct yk_model *model, double budget_s, bool limited, struct yk_rehearsal *out,
                           struct yk_err *err);
void yk_rehearsal_free(struct yk_rehearsal *rehearsal);

#endif
