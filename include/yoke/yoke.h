/* The interface for programs: read an experiment once into a model, then run the model as often as you like.
 *
 *     yk_model_open(&model, "frame.yaml", NULL, 0, &err);    reads, checks, assembles, factors
 *     yk_model_run(model, "run.h5", &summary, &err);         a whole run, recorded
 *     yk_session_open(&run, model, &err);                   or step by step, with a look at every channel
 *
 * A model is constant: any number of threads may run it at the same time, without a lock, and each run has the same
 * result. Sessions belong to one thread each. Messages are data, see yoke/status.h; the library never prints,
 * exits or aborts. Your own components (laws, rigs, compensators, methods) are plugins, see yoke/plugin.h. An example
 * is examples/program; the Python module is built on this interface alone. */
#ifndef YOKE_H
#define YOKE_H

#include <stdint.h>
#include <yoke/units.h>

/* ---- models ---- */

struct yk_model;
/* Reads an experiment file, with settings as `yoke run --set` takes them, and prepares its method. */
enum yk_status yk_model_open(struct yk_model **model, const char *path, const char *const *overrides,
                             size_t override_count, struct yk_err *err);

/* An experiment that is not simply a file. */
struct yk_component; /* a component of the program's own: yoke/plugin.h */
struct yk_model_source {
    const char *path; /* the file; or, with a text, its name in messages and the folder of its data files */
    const char *text; /* YAML; NULL: the file is read */
    size_t size;      /* of the text [bytes] */
    const char *const *overrides;
    size_t override_count;
    const struct yk_component *components; /* what `library` may name besides files; must outlive the model */
    size_t component_count;
    bool rehearse; /* the virtual rig, whatever the backend: moves nothing outside this process */
    bool models;   /* the models of the virtual rig take the place of specimens; there are no actuators */
    bool statics;  /* for static analyses: permanent loads are left to the caller, masses may be zero */
};
enum yk_status yk_model_read(struct yk_model **model, const struct yk_model_source *source, struct yk_err *err);
/* The same experiment with more settings, or on the rig of its file instead of the virtual one. Nothing is read again;
 * it must not outlive `of`. */
enum yk_status yk_model_vary(struct yk_model **model, const struct yk_model *of, const char *const *overrides,
                             size_t override_count, struct yk_err *err);
enum yk_status yk_model_on_rig(struct yk_model **model, const struct yk_model *of, struct yk_err *err);
void yk_model_close(struct yk_model *model);

const char *yk_model_title(const struct yk_model *model);
const char *yk_model_method(const struct yk_model *model); /* name of the integrator or coupling */
double yk_model_step(const struct yk_model *model);        /* of the system [s] */
long yk_model_steps(const struct yk_model *model);         /* to the end */
double yk_model_fine_step(const struct yk_model *model);   /* of the fine side; yk_model_step without substeps [s] */
/* Degrees of freedom of all specimens, and the name of one with that of its substructure; NULL: there is none. */
size_t yk_model_specimen_dofs(const struct yk_model *model);
const char *yk_model_specimen_dof(const struct yk_model *model, size_t k, const char **substructure);
/* Description of the model as JSON, malloc'd, NULL when out of memory: title, path, method, method_text, step_s, end_s,
 * steps, simulates (false: its rig is outside this process), substructures [{name, dofs}], actuators, channels {system,
 * fine, ticks: [[name, unit]]}, tree (the experiment file with its settings applied, scalars as written), text,
 * overrides, description, notes. */
char *yk_model_describe(const struct yk_model *model);
/* Note k of the reader, for the user: a unit that was assumed, a setting that is not used. NULL: there
 * are no more. */
const char *yk_model_note(const struct yk_model *model, size_t k);
/* Mass 'M', damping 'C' or stiffness 'K' of substructure k, n x n column by column; those of a nonlinear one at the
 * start. */
enum yk_status yk_model_matrix(const struct yk_model *model, size_t substructure, char which, double *entries,
                               struct yk_err *err);
/* Output of `yoke analyze NAME --json` and `yoke check --json`, malloc'd. name: "check", "spectrum", "order",
 * "energy", "drift", "margin", "delay", "frf" or "verdict" (of a rehearsal, as in summaries, with the
 * `demand` on the actuators as in `yoke check --json`; docs/theory/verdict.md).
 * options: a JSON object such as {"halvings": 3}, or NULL; unknown ones are refused. Nothing outside this process
 * moves. */
enum yk_status yk_model_analyze(const struct yk_model *model, const char *name, const char *options, char **json,
                                struct yk_err *err);

/* Runs to the end, a stop or a divergence, as fast as it can. recording: a file for every sample, HDF5; NULL: none.
 * summary: what happened, as `yoke run` writes it to summary.json; malloc'd; may be NULL. A status other than YK_OK:
 * the run could not start, was stopped by a limit, or diverged; the summary then shows how far it got. Does not move a
 * rig outside this process. */
enum yk_status yk_model_run(const struct yk_model *model, const char *recording, char **summary, struct yk_err *err);

/* ---- sessions: a run that is made step by step, from the start ---- */

/* A run along given displacements: no method computes, nothing that is measured acts back, so that there is no loop
 * that could be unstable. Limits, ramps, chains of the actuators, calibration and recording (of the ticks) are those of
 * any run; limits.energy_error does not apply. The degrees of freedom are those of all specimens, one specimen after
 * the other in the order of the file; the actuators get the displacement of row k at time (k + 1) yk_model_fine_step.
 * The arrays belong to the caller and outlive the session. */
struct yk_following {
    size_t steps, dofs;        /* dofs must be yk_model_specimen_dofs */
    const double *u, *v;       /* steps x dofs: targets and their velocities; v NULL: by differences of u */
    double *measured, *force;  /* steps x dofs, written: what was reached, and the force of the specimen there */
    double *rest, *rest_force; /* dofs, written: at rest before the first step; may be NULL */
    long made;                 /* written: rows of `measured` and `force` */
};

/* With real_rig, a loop that is unstable is refused unless the file says `method.stability: warn`, as by `yoke run`. */
struct yk_session_settings {
    const char *recording;   /* HDF5 file for every sample; NULL: none */
    bool keep_rows;          /* keep them in memory, too */
    const char *const *keep; /* shell patterns of the channels to keep in memory; NULL: all */
    size_t keep_count;
    int threads;   /* 2: the coarse side of a parallel coupling on a second thread; no snapshots then */
    bool realtime; /* paced by the wall clock; needs a recording, keeps no rows; one thread begins, advances and ends it
                    */
    bool real_rig; /* may move a rig outside this process; paced, unless it simulates. Do not wait between two steps */
    const char *uncommissioned; /* "NAME: REASON": who moves a rig without a passed check-list, and why; NULL: nobody */
    bool checked;               /* a session of this model was begun before: its step need not be checked again */
    struct yk_following *follow; /* move the specimens along these; NULL: the method moves them. No snapshots then */
};

struct yk_session;
enum yk_status yk_session_open(struct yk_session **session, const struct yk_model *model, struct yk_err *err);
enum yk_status yk_session_begin(struct yk_session **session, const struct yk_model *model,
                                const struct yk_session_settings *settings, struct yk_err *err);
/* Another session in the same state, with the rows kept so far; it records to no file. */
enum yk_status yk_session_copy(struct yk_session **copy, const struct yk_session *session, struct yk_err *err);
/* Brings actuators to rest, completes the recording. Reports a failure of the recording. Values stay readable. */
enum yk_status yk_session_end(struct yk_session *session, struct yk_err *err);
void yk_session_close(struct yk_session *session); /* ends it first where that was not done */

bool yk_session_is_finished(const struct yk_session *session); /* all steps of the experiment are made */
enum yk_status yk_session_step(struct yk_session *session, struct yk_err *err);
/* At most `steps`; fewer at the end, in a pause, after a stop, or once `seconds` of wall time are over (0: no limit).
 */
enum yk_status yk_session_advance(struct yk_session *session, long steps, double seconds, long *made,
                                  struct yk_err *err);
long yk_session_steps(const struct yk_session *session);         /* made so far */
const char *yk_session_state(const struct yk_session *session);  /* "running", "paused", "tripped", "done", ... */
const char *yk_session_reason(const struct yk_session *session); /* why it stopped; "" where it did not */
/* "pause", "resume" or "abort", as `yoke control`. A paused session makes no steps. Any thread. */
enum yk_status yk_session_request(struct yk_session *session, const char *what, struct yk_err *err);
/* A force on a degree of freedom [N, N m], added to the loads of the file, from the next step on until it is changed.
 */
enum yk_status yk_session_push(struct yk_session *session, size_t substructure, size_t dof, double force,
                               struct yk_err *err);
/* A setting that may change during a run: a limit, "limits.force" or "limits.actuators.a1.force", or the delay that is
 * compensated, "transfer.a1.compensator.delay". SI. */
enum yk_status yk_session_set(struct yk_session *session, const char *key, double value, struct yk_err *err);

/* Its channels by number: "frame.x.u" in "m"; the first is the time. Values are valid until the next step. */
size_t yk_session_channel_count(const struct yk_session *session);
const char *yk_session_channel_name(const struct yk_session *session, size_t channel);
const char *yk_session_channel_unit(const struct yk_session *session, size_t channel);
long yk_session_channel_find(const struct yk_session *session, const char *name); /* -1: there is none */
const double *yk_session_row(const struct yk_session *session);                   /* the value of every channel */
/* All displacements 'u', velocities 'v' or accelerations 'a' of a substructure, updated after every step from now on.
 */
const double *yk_session_motion(struct yk_session *session, size_t substructure, char which);

/* The rows kept so far of a stream ("system", "fine", "ticks"), one after the other; valid until the next step. names:
 * "time\nframe.x.u\n...", units likewise. NULL where there is no such stream. */
struct yk_kept_rows {
    const double *rows;
    size_t count, channels;
    const char *names, *units;
};
struct yk_kept_rows yk_session_rows(const struct yk_session *session, const char *stream);
/* The summary so far, as `yoke run` writes it; malloc'd, NULL when out of memory. */
char *yk_session_summary(const struct yk_session *session);

/* A snapshot of all that changes: method, laws, actuators, random numbers of sensors, supervisor, peaks. malloc'd. It
 * fits sessions of the same experiment, in this process or another one of this user with the same library; others are
 * refused (a check sum with a key in ~/.local/state/yoke/state.key). Rows that were kept are not part of it: a session
 * that goes back drops those that came later. */
enum yk_status yk_session_save(const struct yk_session *session, void **bytes, size_t *size, struct yk_err *err);
enum yk_status yk_session_restore(struct yk_session *session, const void *bytes, size_t size, struct yk_err *err);

/* ---- recordings ---- */

/* A recording in memory, read from a file or made by a program. */
struct yk_record;
/* path: run.h5, also one that is being written or was killed. */
enum yk_status yk_record_read(struct yk_record **record, const char *path, struct yk_err *err);
void yk_record_close(struct yk_record *record);
struct yk_kept_rows yk_record_rows(const struct yk_record *record, const char *stream);
/* "title", "experiment", "overrides", "build", "method", "summary", "description", ...; NULL where absent. */
const char *yk_record_text(const struct yk_record *record, const char *name);
bool yk_record_is_finished(const struct yk_record *record);
/* Writes a recording like those of `yoke run`: streams "system", "fine" and "ticks"; those without channels are left
 * out. */
struct yk_record_content {
    const char *title, *experiment, *experiment_path, *overrides, *method, *description, *summary;
    bool finished;
    struct yk_kept_rows streams[3];
};
enum yk_status yk_record_write(const char *path, const struct yk_record_content *content, struct yk_err *err);

/* ---- the rest ---- */

/* "5 ms" to 0.005. dimension: "time", "force", ... as in messages; NULL: any. */
enum yk_status yk_si(const char *text, const char *dimension, double *si, struct yk_err *err);
/* Every component of a family, as JSON, malloc'd; NULL: of all families. {family: {name: {summary, reference, settings:
 * [{name, unit, default, min, max, choices, help}]}}} */
enum yk_status yk_list(const char *family, char **json, struct yk_err *err);
/* The delay of `measured` behind `command`, n samples each, by least squares: {delay_s, gain, residual} as three
 * numbers; at most `longest` [s], 0: the default. */
enum yk_status yk_delay_between(size_t n, double step, const double *command, const double *measured, double longest,
                                double found[3], struct yk_err *err);
/* Frees what functions of this header return as malloc'd. */
void yk_free(void *memory);

/* Version of the library and the revision it was built from. */
const char *yk_build_id(void);

#endif
