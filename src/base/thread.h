/* Threads that work beside a loop. */
#ifndef YOKE_BASE_THREAD_H
#define YOKE_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread with normal scheduling, whatever policy the caller has, that receives no signals: those are for the
 * main thread. 0, or the number of an error. */
int yk_thread_start(pthread_t *thread, void *(*work)(void *self), void *self);

#endif
