/* Laws from measured loops: the settings of an element law, or of several in parallel, for which its force follows
 * that of recordings. docs/measured.md, section 5; docs/theory/control.md, eq. (82)-(84). Units: m, s, N. For
 * preparation: everything here allocates. In a library of its own, libyoke-identify.a. */
#ifndef YOKE_CALIBRATE_H
#define YOKE_CALIBRATE_H

#include <yoke/law.h>
#include <yoke/status.h>

/* A recorded run: displacement and force of a specimen, evenly sampled. */
struct yk_measured_loop {
    const char *name;
    size_t n;
    const double *displacement, *force;
    const double *velocity; /* NULL: derived from the filtered displacement */
    double step_s;
    double over; /* value of what settings depend on: a current */
};

enum { YK_CALIBRATE_LAWS = 4, YK_CALIBRATE_SETTINGS = 12, YK_CALIBRATE_POINTS = 6 };

/* A setting that is fitted: a number, or a polynomial over `over` through its values at some points. */
struct yk_fitted_setting {
    const char *name;
    size_t law; /* which one of the laws */
    size_t points;
    double at[YK_CALIBRATE_POINTS], start[YK_CALIBRATE_POINTS];
    double least, most; /* bounds of the values; equal: those of the table of the law, 1e4 times either side of start */
    bool geometric;     /* the polynomial is one of logarithms */
};

enum yk_nuisance { YK_NUISANCE_NONE, YK_NUISANCE_ONE, YK_NUISANCE_EACH };

struct yk_calibrate_ask {
    struct {
        const struct yk_law_ops *ops;
        const void *settings; /* with those that are fixed; required ones that are fitted may be missing (NaN) */
    } law[YK_CALIBRATE_LAWS]; /* their forces add up */
    size_t laws;
    const struct yk_fitted_setting *setting;
    size_t settings;
    const struct yk_measured_loop *runs, *held; /* held: predicted, not fitted */
    size_t run_count, held_count;
    double per_cycle, cutoff_Hz; /* filter: this often the frequency of the run, or fixed; both 0: 15 per cycle */
    double cycles;               /* of each run from its first motion on; 0: all */
    enum yk_nuisance offset;     /* of the force */
    bool level;                  /* a factor on the force of each run; the geometric mean of the fitted ones is 1 */
    bool initial;                /* the slip at the start of each run is unknown */
    double soft;                 /* residuals beyond this share of the deviation of the force count less; 0: squares */
    bool huber;                  /* squares up to `soft`, straight lines beyond; otherwise a smooth passage */
    int starts, threads;
    bool (*stop)(void *self); /* asked between steps; the best so far is returned; NULL: never */
    void *self;
};

struct yk_calibrated_run {
    const char *name;
    double over, frequency_Hz, cutoff_Hz; /* frequency 0: no sine */
    double nrms, offset, level;           /* nrms: over the part in motion */
    size_t n; /* rows: time from the start of the motion, filtered motion and force, fitted force */
    double *t, *x, *v, *force, *fitted;
};

struct yk_calibrated {
    double value[YK_CALIBRATE_SETTINGS][YK_CALIBRATE_POINTS], spread[YK_CALIBRATE_SETTINGS][YK_CALIBRATE_POINTS];
    bool bounded[YK_CALIBRATE_SETTINGS][YK_CALIBRATE_POINTS];
    /* The two values that are hardest to tell apart, by number, and the correlation of their spreads. */
    size_t alike[2];
    double correlation;
    double mean_nrms, held_nrms;   /* means over the runs; NaN without */
    struct yk_calibrated_run *run; /* run_count, then held_count */
    size_t runs, fitted;
    bool stopped;
};
enum yk_status yk_calibrate(const struct yk_calibrate_ask *ask, struct yk_calibrated *found, struct yk_err *err);
void yk_calibrated_free(struct yk_calibrated *found);
/* A setting at a value of `over`. */
double yk_fitted_value(const struct yk_fitted_setting *setting, const double *values, double over);

#endif
