/* Threads that work beside a loop, and the priority of the loop itself. */
#ifndef YOKE_BASE_THREAD_H
#define YOKE_BASE_THREAD_H

#include <pthread.h>
#include <yoke/status.h>

/* Starts a thread with normal scheduling, whatever policy the caller has, that receives no signals: those are for the
 * main thread. Its stack has 8 MB. 0, or the number of an error. */
int yk_thread_start(pthread_t *thread, void *(*work)(void *self), void *self);

/* Notes the real-time priority of the calling thread; 0: normal. */
void yk_thread_note_priority(int priority);
/* What it noted last: whoever works for it in another process is to run one below. */
int yk_thread_priority(void) YK_RT;

#endif
