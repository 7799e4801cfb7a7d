/* Parts of `yoke iterate`: settings of the file, runs of the rig and what is kept of them, the two kinds of iteration,
 * pictures and report. */
#ifndef ITERATE_ITERATE_H
#define ITERATE_ITERATE_H

#include "options.h"

#include <signal.h>
#include <yoke/iterate.h>
#include <yoke/parts.h>

enum { KIND_PERIODIC, KIND_RECORD };
enum { MOST_RUNGS = 16, MOST_HARMONICS = 32, MOST_REMARKS = 32 };

/* ---- settings (settings.c) ---- */

struct settings {
    int kind;
    /* periodic */
    char *frequency; /* as written */
    double from, to; /* Hz; to 0: one frequency */
    int harmonics, settle, average;
    double steady, step, step_limit;
    int update; /* 1: bad Broyden */
    bool mean;
    /* record */
    struct yk_reals ladder;
    double bound;
    /* both */
    double tolerance, change, rest_limit;
    int most;
    struct {
        int runs, full;
        double work;
    } budget;
    struct {
        int kind; /* enum yk_specimen_kind */
        double stiffness, damping, yield, hardening;
        bool refit, given;
    } model;
};
enum yk_status settings_read(struct settings *s, const struct yk_parts *parts, struct yk_err *err);
void settings_free(struct settings *s);

/* ---- runs (runs.c) ---- */

/* Numbers and status of one run. */
struct told {
    int rung;
    double factor, frequency, error, peak, work, fit, blend, size, rest_force;
    char status[16]; /* "done", "stopped" */
    char reason[200];
    long made;
    bool dissipates; /* its work is not merely what the specimen stores at the end */
};

struct runs {
    const struct iterate_options *o;
    const struct settings *s;
    const struct yk_parts *parts;
    const struct yk_model *rig;       /* that is moved */
    const struct yk_model *rehearsal; /* on the virtual rig; the same where the rig simulates */
    bool real, records;               /* outside this process; ticks of each run are recorded */
    char *folder, sha[65];
    size_t dofs;
    double h;
    struct told *told;
    size_t count, known; /* runs so far; those of an earlier process, which are not repeated */
    double lead;
    double largest, work;
    double rest_force; /* of the first run */
    int lost_runs;     /* that were stopped; their work */
    double lost_work;
    bool out_of_budget;
    char remarks[MOST_REMARKS][240];
    size_t remark_count;
};
enum yk_status runs_open(struct runs *r, const struct iterate_options *o, struct yk_err *err);
void runs_close(struct runs *r);
void runs_remark(struct runs *r, const char *format, ...) YK_PRINTF(2, 3);
/* May it end before all samples? After `after` samples, and then every `every` ones. */
struct early {
    size_t every;
    bool (*enough)(void *self, size_t made, const double *x, const double *F);
    void *self;
};
/* The next run: the specimens along u (samples x dofs) -> x, F. *made: samples that there are. `full`: it counts as one
 * at full amplitude. */
enum yk_status runs_make(struct runs *r, const struct told *about, size_t samples, const double *u, double *x,
                         double *F, const struct early *early, size_t *made, struct yk_err *err);
/* A run on the virtual rig that is not counted. */
enum yk_status runs_rehearse(struct runs *r, size_t samples, const double *u, double *x, double *F, struct yk_err *err);
/* Tells more of the last run, and keeps it. */
enum yk_status runs_tell(struct runs *r, double error, double fit, double blend, double size, struct yk_err *err);
struct yk_kept_rows;

/* ---- iterations ---- */

struct curve_point {
    double w, amplitude;
};
struct outcome {
    enum yk_iteration_end end;
    double error, tracking, refit;
    double lead;
    size_t samples; /* of the best run, for its picture */
    double *x, *F, *target;
    struct curve_point *curve;
    size_t curve_count;
    struct yk_fold folds[YK_FOLDS];
    size_t fold_count;
};
void outcome_free(struct outcome *out);
enum yk_status iterate_record(struct runs *r, struct outcome *out, struct yk_err *err);
enum yk_status iterate_periodic(struct runs *r, struct outcome *out, struct yk_err *err);

/* ---- what is written (write.c) ---- */

enum yk_status write_all(const struct runs *r, const struct outcome *out, const char *verdict, struct yk_err *err);
struct json_t *result_json(const struct runs *r, const struct outcome *out, const char *verdict);

extern volatile sig_atomic_t stop_asked;

#endif
