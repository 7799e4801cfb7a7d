/* Scheduling, cores and memory of a paced run. What the machine refuses is reported, and the run continues without
 * it. */
#include "engine/realtime.h"

#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STACK_TOUCHED = 256 * 1024 };

static void refuse(char *text, size_t size, const char *what, int error)
{
    const size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s: %s", used ? "; " : "", what, strerror(error));
}

/* The core for a thread: asked for, or counted from the last one; -1: any. */
static int core(int asked, int from_last)
{
    const int count = (int)sysconf(_SC_NPROCESSORS_ONLN);

    if (asked > -2)
        return asked;
    return count > 1 ? count - 1 - from_last % count : -1;
}

static bool pin(pthread_t thread, int cpu, char *degraded, size_t size)
{
    cpu_set_t set;
    int error;

    if (cpu < 0)
        return false;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if ((error = pthread_setaffinity_np(thread, sizeof set, &set)))
        refuse(degraded, size, "a dedicated core was refused", error);
    return !error;
}

static bool schedule(pthread_t thread, int priority, char *degraded, size_t size)
{
    const int error = pthread_setschedparam(thread, SCHED_FIFO, &(struct sched_param){.sched_priority = priority});

    if (error)
        refuse(degraded, size, "real-time scheduling was refused", error);
    return !error;
}

/* The pages of the stack that the loop will need. */
static void touch_stack(void)
{
    volatile char stack[STACK_TOUCHED];

    for (size_t i = 0; i < sizeof stack; i += 4096)
        stack[i] = 0;
}

int yk_stay_awake(void)
{
    const int32_t longest_us = 0;
    const int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && write(fd, &longest_us, sizeof longest_us) != (ssize_t)sizeof longest_us) {
        close(fd);
        return -1;
    }
    return fd;
}

void yk_realtime_enter(struct yk_realtime *r, const struct yk_run_settings *s, const pthread_t *coarse, char *degraded,
                       size_t size)
{
    *r = (struct yk_realtime){.active = true, .latency_fd = yk_stay_awake()};
    *degraded = 0;
    pthread_getschedparam(pthread_self(), &r->policy, &r->before);
    pthread_getaffinity_np(pthread_self(), sizeof r->cores, &r->cores);
    touch_stack();
    if (!(r->locked = mlockall(MCL_CURRENT) == 0))
        refuse(degraded, size, "locking of memory was refused", errno);
    if (s->priority > 0 && (r->scheduled = schedule(pthread_self(), s->priority, degraded, size))) {
        yk_thread_note_priority(s->priority);
        r->pinned = pin(pthread_self(), core(s->cpu, 0), degraded, size);
        if (coarse && schedule(*coarse, s->priority > 1 ? s->priority - 1 : 1, degraded, size))
            pin(*coarse, core(s->coarse_cpu, 1), degraded, size);
    }
}

void yk_realtime_leave(struct yk_realtime *r)
{
    if (!r->active)
        return;
    if (r->pinned)
        pthread_setaffinity_np(pthread_self(), sizeof r->cores, &r->cores);
    if (r->scheduled) {
        yk_thread_note_priority(0);
        pthread_setschedparam(pthread_self(), r->policy, &r->before);
    }
    if (r->locked)
        munlockall();
    if (r->latency_fd >= 0)
        close(r->latency_fd);
    *r = (struct yk_realtime){.latency_fd = -1};
}
