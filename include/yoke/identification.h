/* The model of an actuator that fits a sweep of it, controllers for the model, and both in words.
 * docs/theory/control.md, eq. (53)-(63). In a library of its own, libyoke-identify.a.
 *
 *     yk_identify(&record, YK_MODEL_LAGS, &found, &err);     the model with two lags that fits a sweep
 *     yk_propose(&found.model, tick, &proposal, &err);       gains of controllers for it */
#ifndef YOKE_IDENTIFICATION_H
#define YOKE_IDENTIFICATION_H

#include <complex.h>
#include <stdio.h>
#include <yoke/identify.h>

/* ---- the model ---- */

/* gain e^{-dead_time s}/((T1 s + 1)(T2 s + 1)), T1 >= T2; T2 = 0 for one lag. A servo with complex poles,
 * gain e^{-dead_time s}/(T1^2 s^2 + 2 damping T1 s + 1), has damping > 0 and T2 = 0. */
struct yk_lags {
    double gain, T1, T2, dead_time, damping;
};
void yk_lags_response(const struct yk_lags *model, size_t count, const double *frequency_Hz,
                      struct yk_response *response);

/* Model to fit. */
enum yk_lag_model { YK_MODEL_LAG = 1, YK_MODEL_LAGS = 2, YK_MODEL_SERVO = 3 };
struct yk_identified {
    int order; /* enum yk_lag_model */
    struct yk_lags model;
    struct yk_lags deviation; /* standard deviations, if the residual is white noise */
    double offset_m;          /* of the readings */
    double fit_percent;       /* 100 (1 - rms of the residual over rms of the readings about their mean) */
    double residual_m;        /* rms */
    int iterations;
};
/* Least squares of the output error. */
enum yk_status yk_identify(const struct yk_sweep_record *record, int order, struct yk_identified *found,
                           struct yk_err *err);

/* ---- controllers ---- */

struct yk_proposal {
    struct yk_pid_gains pi, pid;                      /* Chien, Hrones and Reswick: without overshoot */
    struct yk_pid_gains quick_p, quick_pi, quick_pid; /* Ziegler and Nichols: quick, with overshoot */
    double imc_filter_s;                              /* of lags; a servo with complex poles is inverted as it is */
    double imc_T2_s;                                  /* second time constant for the internal model, which needs one */
    double imc_delay_s;  /* of the loop with this filter at low frequency, for a compensator */
    double open_delay_s; /* of the actuator itself, likewise */
};
enum yk_status yk_propose(const struct yk_lags *model, double tick_s, struct yk_proposal *proposal, struct yk_err *err);

/* ---- both in words ---- */

enum { YK_BODE_POINTS = 40 };
struct yk_identification {
    /* by the caller */
    const char *actuator;
    struct yk_sweep sweep;
    double tick_s;
    bool mounted; /* the specimen was on the actuator */
    /* the result */
    struct yk_identified found;
    struct yk_proposal proposal;
    struct yk_response measured[YK_BODE_POINTS], model[YK_BODE_POINTS]; /* at frequencies of the sweep */
};
/* order: enum yk_lag_model; 0: two lags, or a servo where they come out nearly equal and it fits better. */
enum yk_status yk_identification_make(struct yk_identification *identification, const struct yk_sweep_record *record,
                                      int order, struct yk_err *err);
void yk_identification_print(const struct yk_identification *identification, FILE *out);
/* The section `transfer` of an experiment file; false: it could not be written. */
bool yk_identification_section(const struct yk_identification *identification, FILE *out);
/* " from 0.1 to 20 Hz, 10 mm, ..." */
void yk_sweep_print(const struct yk_sweep *sweep, double tick_s, bool mounted, FILE *out);

#endif
