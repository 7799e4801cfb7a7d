/* A second thread for the coarse side of a coupling, which works in parallel with the fine substeps of a phase. Neither
 * side writes what the other reads until they meet. */
#ifndef YOKE_CREW_H
#define YOKE_CREW_H

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

/* The work of the present phase begins. */
void yk_crew_begin(struct yk_crew *crew);
/* Has it ended? */
bool yk_crew_has_finished(const struct yk_crew *crew) YK_RT;
/* Waits for its end, unless the sides poll. */
void yk_crew_await(struct yk_crew *crew);
/* After that: its status, and how long it took [ns]. */
enum yk_status yk_crew_status(const struct yk_crew *crew) YK_RT;
int64_t yk_crew_took_ns(const struct yk_crew *crew) YK_RT;

/* One system step as fast as it can. */
enum yk_status yk_crew_step(struct yk_crew *crew);

#endif
