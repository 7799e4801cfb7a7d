/* Machine settings of a paced run: scheduling, cores, locked memory, no deep sleep. */
#ifndef YOKE_REALTIME_H
#define YOKE_REALTIME_H

#include "engine/engine.h"

#include <pthread.h>
#include <sched.h>

struct yk_realtime {
    bool active, scheduled, pinned, locked;
    int policy, latency_fd; /* /dev/cpu_dma_latency; -1: none */
    struct sched_param before;
    cpu_set_t cores;
};

/* Prevents deep sleep of the processor, from which waking takes longer than a tick, until the descriptor is closed; -1
 * if not allowed. */
int yk_stay_awake(void);

/* For the calling thread, and `coarse` where it is not NULL. What was refused is written into `degraded`; the run
 * continues. Call it when everything is allocated. */
void yk_realtime_enter(struct yk_realtime *r, const struct yk_run_settings *settings, const pthread_t *coarse,
                       char *degraded, size_t size);
void yk_realtime_leave(struct yk_realtime *r);

#endif
