/* A second thread: for the coarse side of a coupling, which works in parallel with the fine substeps of a phase, and
 * neither side writes what the other reads until they meet; or for half of every large solve of the loop. */
#ifndef YOKE_CREW_H
#define YOKE_CREW_H

#include "base/helper.h"
#include "state/state.h"

#include <yoke/coupling.h>

#include <pthread.h>
#include <stdint.h>

struct yk_crew; /* opaque */
/* From now on the coupling requests its coarse side (YK_NEED_COARSE). *crew is NULL if the method cannot use a
 * thread. */
enum yk_status yk_crew_hire(struct yk_crew **crew, struct yk_coupling *coupling, struct yk_err *err);
void yk_crew_dismiss(struct yk_crew *crew);
const pthread_t *yk_crew_thread(const struct yk_crew *crew); /* NULL: there is none */
/* For paced runs: neither side blocks in the kernel for the other; the thread checks for work every poll_ns. */
void yk_crew_poll(struct yk_crew *crew, int64_t poll_ns);

/* A helper of the calling thread for the large solves of a motion. *helper is NULL if it has none, or if `threads`
 * is 1.
 */
enum yk_status yk_crew_help(struct yk_helper **helper, const struct yk_state *state, int threads, struct yk_err *err);

/* The work of the present phase begins. */
void yk_crew_begin(struct yk_crew *crew);
/* Has it ended? */
bool yk_crew_has_finished(const struct yk_crew *crew) YK_RT;
/* Waits for its end, unless the sides poll. */
void yk_crew_await(struct yk_crew *crew);
/* Status and duration [ns], once it has ended. */
enum yk_status yk_crew_status(const struct yk_crew *crew) YK_RT;
int64_t yk_crew_took_ns(const struct yk_crew *crew) YK_RT;

/* One system step as fast as it can. */
enum yk_status yk_crew_step(struct yk_crew *crew);

#endif
