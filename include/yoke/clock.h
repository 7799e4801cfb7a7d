/* The clock that measures how long something takes, and a wait with a limit. */
#ifndef YOKE_PUBLIC_CLOCK_H
#define YOKE_PUBLIC_CLOCK_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <yoke/status.h>

/* Time since some instant in the past; never set back [ns]. */
int64_t yk_clock_now_ns(void) YK_RT;
/* Waits for a semaphore, but not longer than longest_ns; false: it was not posted. */
bool yk_clock_await(sem_t *semaphore, int64_t longest_ns);

#endif
