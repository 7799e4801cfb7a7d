/* Actuators from recordings of real tests: frequency response with coherence, models with dead time, and the lag whose
 * rate depends on the direction. A record is a command and the motion that followed it, evenly sampled, with any
 * offset; yoke/logger.h reads it from the file of a logger. docs/measured.md; docs/theory/control.md, eq. (77)-(81).
 * Units: m, s, Hz. For preparation: everything here allocates. In libyoke-identify.a, but for the fit of a rational
 * function to points, its response and its roots (yk_rational_search, yk_rational_at, yk_rational_roots), which plants
 * made of recordings need. */
#ifndef YOKE_MEASURED_H
#define YOKE_MEASURED_H

#include <complex.h>
#include <yoke/status.h>

struct yk_actuator_record {
    const char *name; /* for messages */
    size_t n;
    const double *command, *motion;
    double step_s;
    size_t from; /* rows before it move the model and are not judged */
};

/* ---- spectra of a command and the motion that followed it ---- */

/* Energy densities in bins k * df_Hz, k < bins. */
struct yk_spectra {
    size_t bins;
    double df_Hz;
    double *uu, *yy;
    double complex *uy; /* conj(U) Y */
};
enum yk_status yk_spectra_make(struct yk_spectra *s, const struct yk_actuator_record *record, struct yk_err *err);
void yk_spectra_free(struct yk_spectra *s);

/* The part of a column at rest: mean of the first second, or of the first sample where it moves from the start. */
double yk_record_rest(const struct yk_actuator_record *record, const double *x);
/* The index of the first bin at or above a frequency. */
size_t yk_spectra_bin(const struct yk_spectra *s, double frequency_Hz);

/* ---- frequency response ---- */

struct yk_frequency_point {
    double frequency_Hz;
    double complex H;        /* motion over command: sum conj(U) Y / sum |U|^2 over the bins around the frequency */
    double delay_s, group_s; /* -phase/w, phase continued from the lowest frequency; -d phase/dw */
    double phase_rad;        /* continued */
    double coherence;        /* 0 to 1 */
    double deviation;        /* standard deviation of |H| over |H|, from the coherence */
    double power;            /* sum |U|^2; NaN everywhere else and 0 here where the command has too little */
};
/* Around each frequency (rising), within +-half_width. Records that begin and end at rest are taken whole, others by
 * Welch's method. Several records add up. */
enum yk_status yk_frequency_points_of(const struct yk_actuator_record *records, size_t count, double half_width_Hz,
                                      const double *frequency_Hz, size_t points, struct yk_frequency_point *out,
                                      struct yk_err *err);

/* ---- models ---- */

enum { YK_RATIONAL_ORDER = 12 };

/* gain e^{-dead_time s} (1 + b1 s + ...)/(1 + a1 s + ...), stable; a lead makes a model of one pole faster when
 * extending: y' = (e + lead |e|)/T, e = gain u(t - dead_time) - y. */
struct yk_rational {
    int poles, zeros;
    double gain, dead_time_s, lead;
    double a[YK_RATIONAL_ORDER + 1], b[YK_RATIONAL_ORDER + 1]; /* a[0] = b[0] = 1; a[k], b[k] in s^k */
};
double complex yk_rational_at(const struct yk_rational *model, double frequency_Hz);
/* Poles and zeros in rad/s; arrays of YK_RATIONAL_ORDER. */
enum yk_status yk_rational_roots(const struct yk_rational *model, double complex *poles, double complex *zeros,
                                 struct yk_err *err);

struct yk_rational_ask {
    int poles, zeros;  /* zeros <= poles */
    double longest_s;  /* dead time; 0: 100 ms */
    double highest_Hz; /* poles; 0: far above the points */
    int threads;
};
struct yk_rational_fit {
    struct yk_rational model;
    double cost;  /* sum power |G - H|^2 / sum power |H|^2 */
    bool bounded; /* a pole is at a bound of the search */
    struct yk_rational
        white; /* standard deviations of gain, dead time and, of one pole, a[1] if the residual is white */
};
/* Least squares over points, weighted by their power, from starts of linear least squares (Levy; Sanathanan and
 * Koerner) at several dead times. Points without power are left out. Points may be of several files: `weight` (NULL: 1)
 * multiplies the power of each. */
enum yk_status yk_rational_search(const struct yk_frequency_point *points, size_t count, const double *weight,
                                  const struct yk_rational_ask *ask, struct yk_rational_fit *fit, struct yk_err *err);

/* The motion of the model under the command of a record, from rest at the first sample, the command a straight line
 * between samples; y has room for n. */
enum yk_status yk_rational_motion(const struct yk_rational *model, const struct yk_actuator_record *record, double *y,
                                  struct yk_err *err);

/* ---- how well ---- */

struct yk_fit_quality {
    double nrms;   /* rms(e - mean e)/std(y), e of the judged rows, y of the whole record; VAF = 1 - nrms^2 */
    double share;  /* std(y) of the judged rows over that of the whole record */
    double offset; /* mean of e = y - y_model, beyond that at rest [m] */
    double rms;    /* of e - mean e [m] */
};
/* e: n numbers or NULL, gets y - y_model - offset. */
enum yk_status yk_model_quality(const struct yk_rational *model, const struct yk_actuator_record *record,
                                struct yk_fit_quality *quality, double *e, struct yk_err *err);
/* VAF in bands of frequency, edges[0] to edges[bands]; NaN where the motion has less than 1e-4 of its power. */
enum yk_status yk_model_bands(const struct yk_rational *model, const struct yk_actuator_record *record,
                              const double *edges, size_t bands, double *vaf, struct yk_err *err);

/* ---- the lag ---- */

/* Refines a model of one pole by the output error in time, with an offset for each record; `lead` is fitted too if
 * asked. */
enum yk_status yk_lag_refine(const struct yk_actuator_record *records, size_t count, bool lead,
                             struct yk_rational *model, struct yk_err *err);

/* ---- all of it ---- */

enum { YK_CANDIDATES = 24, YK_CANDIDATE_ORDER = 5 };

struct yk_identify_ask {
    const struct yk_actuator_record *records; /* fitted together, each with the same weight */
    size_t count;
    const struct yk_actuator_record *held; /* not fitted: they choose the model; none: the last third of each record */
    size_t held_count;
    double from_Hz, to_Hz; /* 0: where the command has power and the motion is coherent */
    int lowest, highest;   /* poles; 0: 1 to 4 */
    int threads;
};

struct yk_candidate {
    struct yk_rational model;
    double nrms, held_nrms; /* over all records, in the mean of squares */
    char struck[96];        /* why it is none; "": it may be chosen */
};

struct yk_actuator_found {
    double from_Hz, to_Hz;
    struct yk_candidate candidate[YK_CANDIDATES];
    size_t candidates, chosen;
    bool by_third;                    /* the last third of the records was held out */
    struct yk_rational model, spread; /* refined in time, all records; spread: gain, dead time, a[1] (time constant of
                                         one pole) and lead, leaving out one of eight bands, or one of the records */
    double nrms, held_nrms, without_lead, held_without_lead;
    /* std(y) of the last thirds over that of the records: end of a sweep, where a machine moves less; else 1 */
    double held_share;
};
enum yk_status yk_identify_actuator(const struct yk_identify_ask *ask, struct yk_actuator_found *found,
                                    struct yk_err *err);

#endif
