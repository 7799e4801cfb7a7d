/* Shared by the analyses; one file each, analyze_<name>.c. */
#ifndef YOKE_CLI_ANALYZE_H
#define YOKE_CLI_ANALYZE_H

#include "base/number.h"
#include "cli/cli.h"

#include "analyze/analyze.h"
#include "program/answers.h"
#include "report/figure.h"

struct request {
    const struct yk_experiment *e;
    struct yk_plan *plan;        /* NULL until analyze_plan */
    const char *file;            /* path of the experiment */
    const struct text_list *set; /* overrides it was read with */
    const char *steps, *halvings, *samples, *scan, *plot;
    const char *methods;                            /* to compare; spectrum and order */
    const char *budget;                             /* margin */
    const char *actuator, *amplitude, *frequencies; /* frf */
    bool json;
};

/* The experiment with each of the methods of --methods. One that does not take it is left out, with a message. */
enum { METHODS_MOST = 12 };
struct method_list {
    size_t count;
    char name[METHODS_MOST][80]; /* "hht", "hht, alpha: -0.1" */
    struct yk_experiment *e[METHODS_MOST];
    json_t *left_out; /* [{method, reason}] */
};
/* False after a message, with an exit code. */
bool methods_open(struct method_list *m, const struct request *q, int *code);
/* What was found of a method shows that it must be left out, too. */
void methods_leave_out(struct method_list *m, size_t i, const struct request *q, const struct yk_err *why);
/* Exit code 2, and a message, if all of them were left out. */
int methods_check(const struct method_list *m);
void methods_close(struct method_list *m);
/* A curve with a name. */
struct yk_plot_series methods_curve(const char *name, enum yk_plot_style style, size_t n, const double *x,
                                    const double *y);
/* Spectral radius, damping and period error of several methods, in one picture. */
int analyze_spectra(const struct request *q);

/* Texts may have several lines, without a line break at the end. */
struct analysis {
    const char *name;
    const char *usage; /* the words after `yoke analyze`, a line for each form */
    const char *help;  /* what it computes */
    const char *json;  /* what --json prints */
    int (*run)(struct request *q);
};
#define ANALYSIS(name) extern const struct analysis analysis_##name;
#include "cli/analyses.def"
#undef ANALYSIS

bool analyze_delay_is_recording(const char *word);
/* longest: largest delay to search [s]; 0: the default */
int analyze_delay_recording(const char *word, double longest, bool json);
int analyze_delay_csv(const char *path, const struct yk_measured_columns *columns, double longest, bool json);

/* Memory for the requested samples; NULL after a message, with the exit code in *code. */
void *analyze_samples(const struct request *q, size_t size, size_t *count, int *code);
/* Makes the plan of the experiment; false after a message, with an exit code. */
bool analyze_plan(struct request *q, int *code);
/* Draws the figure and prints its path. */
int analyze_draw(const struct request *q, const struct yk_figure *figure);
/* "Energy of lsrt2: title of the experiment"; malloc'd */
char *analyze_title(const struct request *q, const char *what);
#endif
