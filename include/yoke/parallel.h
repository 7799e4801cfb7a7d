/* Work on other threads: independent jobs before a loop starts, and threads that serve beside it. */
#ifndef YOKE_PARALLEL_H
#define YOKE_PARALLEL_H

#include <pthread.h>
#include <stddef.h>

/* Calls job(self, k) once for every k < count, on up to `threads` threads, the caller's among them; returns when all
 * are done. Jobs must not share what they write. Works with fewer threads if some cannot be started. */
void yk_parallel(size_t count, int threads, void (*job)(void *self, size_t k), void *self);

/* Starts a thread with normal scheduling, whatever policy the caller has, that receives no signals: those are for the
 * main thread. Its stack has 8 MB. 0, or the number of an error. */
int yk_thread_start(pthread_t *thread, void *(*work)(void *self), void *self);
/* Notes the real-time priority that the calling thread has given itself; 0: normal. What works for it, such as the
 * process of an FMU, is to run one below. */
void yk_thread_note_priority(int priority);

#endif
