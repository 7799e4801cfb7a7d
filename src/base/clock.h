/* Time in integer nanoseconds: the machine's monotonic clock, and replacements for it.
 *
 * An engine uses the machine's clock unless it gets a `struct yk_clock`; a virtual one advances only on request. */
#ifndef YOKE_CLOCK_H
#define YOKE_CLOCK_H

#include <stdint.h>
#include <yoke/clock.h>

/* Processor time of the calling thread: stands still while another task, or the host of a virtual machine, has the
 * processor. A system call. */
int64_t yk_clock_thread_ns(void);
/* Sleeps until the absolute time due_ns of that clock; returns at once when it has passed. Signals do not shorten it.
 */
void yk_clock_sleep_until(int64_t due_ns);
/* Hybrid pacing: sleeps until spin_ns before due_ns and polls the clock for the rest, since a sleep ends late by tens
 * of microseconds. spin_ns <= 0 only sleeps. Returns the time of return, never before due_ns. */
int64_t yk_clock_pace(int64_t due_ns, int64_t spin_ns);
enum { YK_CLOCK_SPIN_NS = 60000 }; /* a spin that covers the usual lateness of a sleep */

struct yk_clock {
    int64_t (*now_ns)(const struct yk_clock *clock) YK_RT;
    void (*sleep_until)(struct yk_clock *clock, int64_t due_ns);
    int64_t virtual_ns; /* the time of a virtual clock */
    int64_t thread_ns;  /* and the processor time of its thread, which stands still in a sleep */
};

/* Starts at start_ns. sleep_until sets it to due_ns without waiting; it never goes back. One thread at a time. */
struct yk_clock yk_clock_virtual(int64_t start_ns);
/* Moves a virtual clock on by step_ns >= 0. */
void yk_clock_advance(struct yk_clock *clock, int64_t step_ns);

#endif
