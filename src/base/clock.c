/* The machine's clock, and a virtual one. */
#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

enum { NS_PER_S = 1000000000 };

YK_RT static int64_t read_ns(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

YK_RT int64_t yk_clock_now_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

int64_t yk_clock_thread_ns(void)
{
    return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

void yk_clock_sleep_until(int64_t due_ns)
{
    struct timespec due = {.tv_sec = due_ns / NS_PER_S, .tv_nsec = due_ns % NS_PER_S};

    if (due_ns <= 0)
        return;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL) == EINTR)
        ;
}

bool yk_clock_await(sem_t *semaphore, int64_t longest_ns)
{
    const int64_t due_ns = yk_clock_now_ns() + longest_ns;
    const struct timespec due = {.tv_sec = due_ns / NS_PER_S, .tv_nsec = due_ns % NS_PER_S};
    int code;

    do
        code = sem_clockwait(semaphore, CLOCK_MONOTONIC, &due);
    while (code && errno == EINTR);
    return code == 0;
}

int64_t yk_clock_pace(int64_t due_ns, int64_t spin_ns)
{
    int64_t now;

    yk_clock_sleep_until(due_ns - (spin_ns > 0 ? spin_ns : 0));
    while ((now = yk_clock_now_ns()) < due_ns)
        ;
    return now;
}

YK_RT static int64_t virtual_now(const struct yk_clock *clock)
{
    return clock->virtual_ns;
}

static void virtual_sleep(struct yk_clock *clock, int64_t due_ns)
{
    if (due_ns > clock->virtual_ns)
        clock->virtual_ns = due_ns;
}

struct yk_clock yk_clock_virtual(int64_t start_ns)
{
    return (struct yk_clock){.now_ns = virtual_now, .sleep_until = virtual_sleep, .virtual_ns = start_ns};
}

void yk_clock_advance(struct yk_clock *clock, int64_t step_ns)
{
    assert(clock->now_ns == virtual_now && step_ns >= 0);
    clock->virtual_ns += step_ns;
    clock->thread_ns += step_ns;
}
