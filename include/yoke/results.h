/* Engineering results of frames: storey drifts, storey forces, base shear, overturning moment, reactions, end forces of
 * every member. From displacements and, of members that are not linear, their basic forces; for static analyses, and
 * for recordings of runs. docs/results.md
 *
 * Links with libyoke-results.a. */
#ifndef YOKE_RESULTS_H
#define YOKE_RESULTS_H

#include <yoke/parts.h>

struct yk_results;
/* Parts without a frame have no results: the count is 0. The parts must outlive it. */
enum yk_status yk_results_open(struct yk_results **results, const struct yk_parts *parts, struct yk_err *err);
void yk_results_close(struct yk_results *results);
/* Why there are no storeys, in words; "": there are some. */
const char *yk_results_no_storeys(const struct yk_results *results);

/* The results by number: "drift.1.x", "base.x", "frame.left.reaction.y", "frame.left-top.V1". */
size_t yk_results_count(const struct yk_results *results);
const char *yk_results_name(const struct yk_results *results, size_t i);
const char *yk_results_unit(const struct yk_results *results, size_t i);
long yk_results_find(const struct yk_results *results, const char *name); /* -1: there is none */

/* Levels, from below: the base is the first. */
size_t yk_results_levels(const struct yk_results *results);
const char *yk_results_level(const struct yk_results *results, size_t level, double *height_m);

/* State of substructure k: displacements of its degrees of freedom; basic forces of its nonlinear members, by their
 * number in the structure, YK_RESULT_BASIC each: N, Mz1, Mz2, My1, My2, T (in the plane N, M1, M2). */
enum { YK_RESULT_BASIC = 6 };
struct yk_result_state {
    const double *u, *basic;
};
/* Nonlinear members of substructure k. */
size_t yk_results_members(const struct yk_results *results, size_t part);
/* All results in a state; NaN where one is not known. states: one for each substructure. */
void yk_results_at(struct yk_results *results, const struct yk_result_state *states, double *values);
/* The displacements that floors have in the mean, from u; the same of v or a. values: one for each direction of each
 * level, as the results floor.NAME.DIRECTION.u are listed. */
size_t yk_results_floors(const struct yk_results *results);
const char *yk_results_floor(const struct yk_results *results, size_t i); /* "floor.roof.x" */
void yk_results_floors_at(const struct yk_results *results, const double *const *motions, double *values);

/* Points of the backbone of a hinge, for a negative and a positive rotation, all as magnitudes; NaN: there is no such
 * point, or it is not known. */
struct yk_hinge_points {
    double yield[2], cap[2], last[2]; /* rotations: at yield, where the falling branch begins, where it ends */
    double strength[2];               /* moments at yield */
};
/* Points of the hinge at the first (0) or second (1) end of a member, about z or y; false: the file has no such hinge.
 */
bool yk_hinge_find(const struct yk_parts *parts, size_t part, const char *member, size_t end, bool about_y,
                   struct yk_hinge_points *points);

/* ---- of a recording ---- */

/* The results of a run, found again from its recording: displacements, basic forces of nonlinear members,
 * accelerations. What was not recorded is NaN. */
struct yk_recorded_results;
/* path: run.h5. The structure is read from the experiment in the recording. */
enum yk_status yk_recorded_results_open(struct yk_recorded_results **recorded, const char *path, struct yk_err *err);
void yk_recorded_results_close(struct yk_recorded_results *recorded);
struct yk_results *yk_recorded_results_of(struct yk_recorded_results *recorded);
/* System steps. A row: the time, all results, then the absolute acceleration of every floor (as yk_results_floor). */
size_t yk_recorded_results_rows(const struct yk_recorded_results *recorded);
void yk_recorded_results_row(struct yk_recorded_results *recorded, size_t row, double *time, double *values,
                             double *accelerations);

/* Peaks and residuals of a run. */
struct yk_peak {
    double least, most, least_s, most_s; /* NaN: not known */
};
struct yk_run_results {
    size_t results, floors;
    struct yk_peak *peak;         /* of every result, then of every acceleration; malloc'd */
    double *residual, *amplitude; /* of every result over the last period: mean, and what still swings; malloc'd */
    double period_s, weight_N;    /* first period at the start; mass that moves along x times g */
};
enum yk_status yk_run_results_find(struct yk_run_results *found, struct yk_recorded_results *recorded,
                                   struct yk_err *err);
void yk_run_results_free(struct yk_run_results *found);
/* As JSON: {drift: {peak, storey, time_s, residual, still_moving}, storeys: [...], base: ..., members: [...]} */
struct json_t *yk_run_results_json(const struct yk_run_results *found, struct yk_recorded_results *recorded);

#endif
