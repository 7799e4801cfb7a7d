/* Shared by the analyses; one file each, <name>.c. */
#ifndef YOKE_ANALYZE_REQUEST_H
#define YOKE_ANALYZE_REQUEST_H

#include "options.h"
#include <yoke/figure.h>
#include <yoke/json.h>
#include <yoke/number.h>

#include <jansson.h>

/* The experiment with each of the methods of --methods. One that does not take it is left out, with a message. */
enum { METHODS_MOST = 12 };
struct method_list {
    size_t count;
    char name[METHODS_MOST][80]; /* "hht", "hht, alpha: -0.1" */
    struct yk_parts *parts[METHODS_MOST];
    json_t *left_out; /* [{method, reason}] */
};
/* False after a message, with an exit code. */
bool methods_open(struct method_list *m, const struct request *q, int *code);
/* Leaves out a method whose analysis failed. */
void methods_leave_out(struct method_list *m, size_t i, const struct request *q, const struct yk_err *why);
/* Exit code 2, and a message, if all of them were left out. */
int methods_check(const struct method_list *m);
void methods_close(struct method_list *m);
/* A curve with a name. */
struct yk_plot_series methods_curve(const char *name, enum yk_plot_style style, size_t n, const double *x,
                                    const double *y);
/* Spectral radius, damping and period error of several methods, in one picture. */
int analyze_spectra(const struct request *q);

/* The analyses; exit codes. */
#define ANALYSIS(name, argument, help, json) int analyze_##name(struct request *q);
#include "analyses.def"
#undef ANALYSIS

bool analyze_delay_is_recording(const char *word);
/* longest: largest delay to search [s]; 0: the default */
int analyze_delay_recording(const char *word, double longest, bool json);
int analyze_delay_csv(const char *path, const struct measured_columns *columns, double longest, bool json);

/* Memory for the requested samples; NULL after a message, with the exit code in *code. */
void *analyze_samples(const struct request *q, size_t size, size_t *count, int *code);
/* Prepares the method of the experiment; false after a message, with an exit code. */
bool analyze_model(struct request *q, int *code);
/* Draws the figure and prints its path. */
int analyze_draw(const struct request *q, const struct yk_figure *figure);
/* "Energy of lsrt2: title of the experiment"; malloc'd */
char *analyze_title(const struct request *q, const char *what);
#endif
