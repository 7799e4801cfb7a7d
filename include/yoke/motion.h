/* Ground motions: records in the formats of networks, intensity measures, response spectra, corrections, code spectra,
 * scaling, fragility. SI.
 *
 *     yk_motion_read(&motion, "record.V2", NULL, &err);
 *     yk_motion_measure(motion.n, motion.step_s, motion.a, &measures);
 *     yk_motion_spectrum(motion.n, motion.step_s, motion.a, 0.05, 3, periods, responses, &err);
 *
 * A record is a piecewise-linear function of time, 0 outside. All results are exact for that function, so they do not
 * depend on a rule of integration, and samples inserted on its straight lines change nothing. docs/ground-motions.md
 * has the equations. In a library of its own, libyoke-motion.a. */
#ifndef YOKE_MOTION_H
#define YOKE_MOTION_H

#include <stddef.h>
#include <yoke/status.h>

/* ---- records ---- */

struct yk_motion {
    char format[24]; /* "AT2", "COSMOS", "CSMIP", "SMC", "K-NET", "ESM", "table", "MATLAB" */
    char title[88];  /* its first words about itself; "" where there are none */
    double step_s;
    size_t n;
    double *a;       /* [m/s2] */
    double offset;   /* mean that was removed [m/s2]; 0: none */
    double peak;     /* that its header states [m/s2]; NaN: none */
    size_t channels; /* in the file */
    char *notes;     /* lines for the user; "" where there are none */
};
struct yk_motion_ask {
    int channel;      /* of a file with several, from 1; 0: the first, with a note */
    double step_s;    /* of a table with one column; 0: it has times */
    const char *unit; /* of the values, where the file does not say: "g"; NULL: m/s2, or g in AT2 files */
};
/* Recognised by content. Fewer values than the file declares, unequal steps, velocities and displacements are refused;
 * more values are ignored with a note. ask may be NULL. */
enum yk_status yk_motion_read(struct yk_motion *motion, const char *path, const struct yk_motion_ask *ask,
                              struct yk_err *err);
/* The same from memory, but MATLAB files; `name` is used in messages. */
enum yk_status yk_motion_parse(struct yk_motion *motion, const char *name, const char *text, size_t size,
                               const struct yk_motion_ask *ask, struct yk_err *err);
void yk_motion_free(struct yk_motion *motion);

/* ---- intensity ---- */

struct yk_motion_measures {
    double pga, pgv, pgd;          /* largest sizes [m/s2, m/s, m]; pgd: at samples */
    double pga_s, pgv_s, pgd_s;    /* their times, from the first sample [s] */
    double arias;                  /* pi/(2 g) integral of a^2 [m/s] */
    double start_s, significant_s; /* 5 % of it is reached; from there to 95 % (D5-95) */
    double middle_s;               /* from 5 % to 75 % (D5-75) */
    double cav;                    /* integral of |a| [m/s] */
    double rms;                    /* root of the mean of a^2 [m/s2] */
    double end_v, end_d;           /* at the last sample [m/s, m] */
};
void yk_motion_measure(size_t n, double step_s, const double *a, struct yk_motion_measures *measures);

/* ---- response spectra ---- */

/* Largest responses of an oscillator: u'' + 2 z w u' + w^2 u = -a. At T = 0 it is rigid. */
struct yk_motion_response {
    double sd;  /* |u| [m]; w sd and w^2 sd are the pseudo velocity and acceleration */
    double psv; /* w sd [m/s] */
    double psa; /* w^2 sd [m/s2] */
    double sv;  /* |u'| [m/s] */
    double sa;  /* |u'' + a| [m/s2] */
};
/* One for each of `count` periods [s], 0 or 1e-4 to 1e4 s; damping 0 <= z < 1. Exact in time; extremes are those of the
 * continuous response, and one period of free vibration after the record counts. */
enum yk_status yk_motion_spectrum(size_t n, double step_s, const double *a, double damping, size_t count,
                                  const double *periods, struct yk_motion_response *responses, struct yk_err *err);
/* Periods evenly in the logarithm, `per_decade` in a decade, both ends included; returns how many, at most `room`. */
size_t yk_motion_periods(double from, double to, double per_decade, double *periods, size_t room);

/* A yielding oscillator of unit mass: bilinear, with the slope `hardening` times the elastic one after yield (below 1;
 * negative: it softens), kinematic. */
struct yk_motion_yielding {
    double period_s, damping, strength, hardening; /* strength: yield force over mass [m/s2] */
    double collapse;                               /* ends at this |u| [m]; 0: never */
    double free_s;                                 /* free vibration after the record [s] */
};
struct yk_motion_yielded {
    double peak;      /* |u| [m] */
    double ductility; /* peak over the yield displacement */
    double residual;  /* plastic part of u at the end [m] */
    bool collapsed;
};
enum yk_status yk_motion_yield(size_t n, double step_s, const double *a, const struct yk_motion_yielding *oscillator,
                               struct yk_motion_yielded *yielded, struct yk_err *err);
/* The largest strength whose ductility is `ductility` (> 1): searched downwards from the elastic one in steps of 2 %,
 * then by bisection. Weaker oscillators may have the same ductility. *peak [m] may be NULL. */
enum yk_status yk_motion_strength(size_t n, double step_s, const double *a, double period_s, double damping,
                                  double hardening, double ductility, double *strength, double *peak,
                                  struct yk_err *err);

/* ---- correction ---- */

/* Fits t, t^2, ... t^degree (1 to 5) to the velocity and subtracts its derivative, in place. */
enum yk_status yk_motion_baseline(size_t n, double step_s, double *a, int degree, struct yk_err *err);
/* Butterworth band pass of this order (1 to 8) at each corner, forward and backward, so without a shift of phase. The
 * record gets zeros of 1.5 order / low_Hz at both ends, *pads samples each, which are kept. *filtered: malloc'd,
 * n + 2 *pads. */
enum yk_status yk_motion_band(size_t n, double step_s, const double *a, double low_Hz, double high_Hz, int order,
                              double **filtered, size_t *pads, struct yk_err *err);

/* ---- targets and scaling ---- */

enum yk_code { YK_CODE_EC8, YK_CODE_ASCE7, YK_CODE_TABLE };
/* A spectrum of a code, or of a table. */
struct yk_code_spectrum {
    enum yk_code code;
    /* EN 1998-1:2004, 3.2.2.2: Se = ag S ...; the values of type and ground unless they are given */
    int type;                 /* 1 or 2 */
    char ground;              /* 'A' to 'E' */
    double ag, S, TB, TC, TD; /* ag [m/s2] */
    double sds, sd1, tl;      /* ASCE 7, two periods: [m/s2, m/s2, s] */
    double damping;           /* 0.05 */
    const double *T, *Sa;     /* a table: period [s] and acceleration [m/s2]; log-log between, refused outside */
    size_t rows;
};
/* Fills S, TB, TC and TD that are NaN from type and ground. */
enum yk_status yk_code_complete(struct yk_code_spectrum *spectrum, struct yk_err *err);
enum yk_status yk_code_value(const struct yk_code_spectrum *spectrum, double period_s, double *Sa, struct yk_err *err);
/* Reads a flow map of YAML: "ec8: { type: 1, ground: C, ag: 0.25 g }", "asce7: { SDS: 1 g, SD1: 0.6 g, TL: 8 s }",
 * "table: file.csv". *table is malloc'd and the caller's: the rows of a table, else NULL. */
enum yk_status yk_code_read(struct yk_code_spectrum *spectrum, double **table, const char *text, struct yk_err *err);
struct yk_node;
/* The same of a map that was read (yoke/tree.h); data files are relative to the working directory. */
enum yk_status yk_code_from(struct yk_code_spectrum *spectrum, double **table, const struct yk_node *map,
                            struct yk_err *err);

enum { YK_SCALING_PERIODS = 31 };
enum yk_scaling_fit { YK_FIT_LOG, YK_FIT_LINEAR };
struct yk_scaling {
    double factor, misfit; /* misfit: rms of the logarithm after scaling */
};
/* 31 periods evenly in the logarithm. */
void yk_scaling_periods(double from_s, double to_s, double periods[YK_SCALING_PERIODS]);
/* Factor by which the accelerations Sa come nearest to the target. */
struct yk_scaling yk_scaling_fit(size_t count, const double *target, const double *Sa, enum yk_scaling_fit fit);
/* The common factor so that the mean of `records` spectra (one after the other, scaled already) is nowhere below
 * `floor` times the target. *least: mean over target where it is least, *at: there. */
double yk_scaling_common(size_t records, size_t count, const double *target, const double *Sa, double floor,
                         double *least, size_t *at);

/* ---- incremental dynamic analysis and fragility ---- */

/* One run of a record at intensity `level`: its demand, or a collapse. YK_AGAIN: the run did not converge, so that it
 * is unknown; other failures end the analysis. */
struct yk_ida_point {
    double level, demand; /* demand NaN: collapse or unknown */
    bool collapsed, unknown;
};
struct yk_ida {
    enum yk_status (*run)(void *self, double level, struct yk_ida_point *point, struct yk_err *err);
    void *self;
    double start, step, growth; /* 0.1 g, 0.1 g, 0.05 g */
    int runs;                   /* at most, before the bisection: 20 */
    double tolerance;           /* of the capacity: 0.05 */
    double flat;                /* collapse where the secant falls below this part of the first; 0: not judged */
};
struct yk_ida yk_ida_defaults(void);
enum { YK_IDA_POINTS = 128 };
struct yk_ida_curve {
    struct yk_ida_point point[YK_IDA_POINTS]; /* by level */
    size_t count;
    double capacity; /* level of the first collapse; NaN: none up to the largest level */
    double flat;     /* level where the curve is flat; NaN: nowhere */
    size_t unknown;  /* runs that did not converge */
};
/* Levels grow until a collapse, the largest gap below it is divided, then the capacity is bisected. */
enum yk_status yk_ida_run(const struct yk_ida *ida, struct yk_ida_curve *curve, struct yk_err *err);
/* Demand at a level, by straight lines through the origin and the points; NaN beyond the last one. */
double yk_ida_demand(const struct yk_ida_curve *curve, double level);

struct yk_fragility {
    double theta, beta;             /* P = Phi(ln(x/theta)/beta) */
    double log_likelihood;          /* NaN where capacities were given */
    double theta_error, beta_error; /* standard errors of ln theta and of beta; NaN: not known */
};
/* Largest likelihood for k[i] collapses in n[i] runs at the level x[i]. */
enum yk_status yk_fragility_counts(size_t levels, const double *x, const double *n, const double *k,
                                   struct yk_fragility *fragility, struct yk_err *err);
/* theta = exp(mean of ln), beta = deviation of the sample, of two or more capacities. */
enum yk_status yk_fragility_capacities(size_t count, const double *capacity, struct yk_fragility *fragility,
                                       struct yk_err *err);
double yk_fragility_probability(const struct yk_fragility *fragility, double x);

#endif
