/* The path of a static analysis: stages one after the other, a row for every state, and what happens on the way. */
#ifndef YOKE_PUSH_PATH_H
#define YOKE_PUSH_PATH_H

#include "stages.h"

#include <yoke/results.h>

/* Something that happened, at an interpolated place between two steps. */
struct event {
    double step, x, lambda;
    size_t stage;
    char words[200];
};
/* A hinge that is watched, and a backbone of it for each sign of the rotation. */
struct hinge {
    size_t part, member; /* of the nonlinear members of the structure */
    char name[150];      /* "frame.left-top, first end" */
    const struct yk_system *system;
    struct yk_look rotation, moment;
    struct yk_hinge_points points;
    double before, turned; /* moment over that at yield, and rotation, of the last step */
    double peak;           /* largest rotation */
    int state;             /* 0: elastic, 1: yielded, 2: on a falling branch, 3: beyond the last point */
};
struct path {
    struct statics *q;
    struct yk_results *results;
    struct stage *stages;
    size_t stage_count, stage; /* and the one that goes on */
    /* rows */
    size_t channels, count, room, first_look, first_result;
    double *rows;
    char *names, *units; /* one line each */
    struct yk_look *looks;
    size_t *look_part, look_count;
    /* states of the substructures */
    double **u, **basic;
    struct yk_result_state *states;
    /* events */
    struct event *events;
    size_t event_count;
    struct hinge *hinges;
    size_t hinge_count;
    double peak, peak_x, peak_step; /* of the load factor in this stage */
    bool dropped, negative, factor_known;
    double last_x, last_lambda; /* of the row before */
    double *change;             /* dU of the last step */
    long halvings, searches;
    char why[400]; /* that it stopped */
};

enum yk_status path_open(struct path *path, struct statics *q, struct stage *stages, size_t count, struct yk_err *err);
void path_close(struct path *path);
/* The stage path->stage. YK_OK: its target was reached, or `stop` met; YK_E_STOPPED: stopped by a limit; YK_E_DIVERGED:
 * no equilibrium; path->why says it. */
enum yk_status path_stage(struct path *path, struct yk_err *err);

/* ---- parts of it ---- */

double path_control(const struct path *path); /* c^T U of the stage */
/* The row of the committed state. */
enum yk_status path_row(struct path *path, struct yk_err *err);
/* Results of the committed state, or of a trial one: fills the states, and the results into `values`. */
void path_state(struct path *path, const double *u);

enum yk_status events_open(struct path *path, struct yk_err *err);
/* Before a step of the given size is committed, x and lambda at its end. Refines the place by bisection if asked to. */
enum yk_status events_before(struct path *path, double x, double lambda, struct yk_err *err);
/* After it; true: a stop was met. */
enum yk_status events_after(struct path *path, bool *stop, struct yk_err *err);
enum yk_status YK_PRINTF(6, 7)
    event_add(struct path *path, double step, double x, double lambda, struct yk_err *err, const char *format, ...);

/* The lowest periods of the committed state, with the tangent along the last step (`loading`) and against it. w2: at
 * most `count` squares of circular frequencies; *found of them. */
enum yk_status modes_find(struct path *path, bool loading, size_t count, double *w2, size_t *found, struct yk_err *err);
/* Lowest modes of K and M, with degrees of freedom without mass condensed; phi: n * count, may be NULL. */
enum yk_status modes_of(const struct yk_matrix *K, const struct yk_matrix *M, size_t count, double *w2, double *phi,
                        size_t *found, struct yk_err *err);

#endif
