/* The interface for programs: read an experiment once into a plan, then run the plan as often as you like.
 *
 *     yk_plan_open(&plan, "frame.yaml", NULL, 0, &err);    reads, checks, assembles, factors
 *     yk_plan_run(plan, "run.h5", &summary, &err);         a whole run, recorded
 *     yk_session_open(&run, plan, &err);                   or step by step, with a look at every channel
 *
 * A plan is constant: any number of threads may run it at the same time, without a lock, and each run has the same
 * result. Sessions belong to one thread each. This interface does not move rigs outside this process: use `yoke run`,
 * which checks the loop first and obeys an operator. Messages are data, see yoke/status.h; the library never prints,
 * exits or aborts. Your own components (laws, rigs, compensators, methods) are plugins, see yoke/plugin.h. An example
 * is examples/program. */
#ifndef YOKE_H
#define YOKE_H

#include <yoke/status.h>

struct yk_plan;
/* Reads an experiment file, with settings as `yoke run --set` takes them, and prepares its method. */
enum yk_status yk_plan_open(struct yk_plan **plan, const char *path, const char *const *overrides,
                            size_t override_count, struct yk_err *err);
void yk_plan_close(struct yk_plan *plan);

const char *yk_plan_title(const struct yk_plan *plan);
const char *yk_plan_method(const struct yk_plan *plan); /* name of the integrator or coupling */
double yk_plan_step(const struct yk_plan *plan);        /* of the system [s] */
long yk_plan_steps(const struct yk_plan *plan);         /* to the end */

/* Runs to the end, a stop or a divergence, as fast as it can. recording: a file for every sample, HDF5; NULL: none.
 * summary: what happened, as `yoke run` writes it to summary.json; malloc'd; may be NULL. A status other than YK_OK:
 * the run could not start, was stopped by a limit, or diverged; the summary then shows how far it got. */
enum yk_status yk_plan_run(const struct yk_plan *plan, const char *recording, char **summary, struct yk_err *err);

/* A run that is made step by step, from the start. */
struct yk_session;
enum yk_status yk_session_open(struct yk_session **session, const struct yk_plan *plan, struct yk_err *err);
void yk_session_close(struct yk_session *session);
bool yk_session_is_finished(const struct yk_session *session); /* all steps of the experiment are made */
enum yk_status yk_session_step(struct yk_session *session, struct yk_err *err);
/* Its channels by number: "frame.x.u" in "m"; the first is the time. Values are valid until the next step. */
size_t yk_session_channel_count(const struct yk_session *session);
const char *yk_session_channel_name(const struct yk_session *session, size_t channel);
const char *yk_session_channel_unit(const struct yk_session *session, size_t channel);
long yk_session_channel_find(const struct yk_session *session, const char *name); /* -1: there is none */
const double *yk_session_row(const struct yk_session *session);                   /* the value of every channel */

/* Version of the library and the revision it was built from. */
const char *yk_build_id(void);

#endif
