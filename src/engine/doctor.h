/* Can this machine hold a rate? What the kernel offers, how late a paced thread wakes, and what to change. */
#ifndef YOKE_DOCTOR_H
#define YOKE_DOCTOR_H

#include "engine/engine.h"

/* Properties of the machine that matter for real time; unknown: "" and -1. */
struct yk_machine {
    char kernel[160];
    bool preempt_rt;
    bool fifo;                     /* a thread may have the policy SCHED_FIFO */
    long rtprio_limit;             /* RLIMIT_RTPRIO */
    long throttle_us, throttle_of; /* time that real-time threads may run in each period; -1: unlimited */
    bool lock;                     /* memory may be locked */
    double lock_limit_B;           /* RLIMIT_MEMLOCK; infinite: none */
    int cpus;
    char clock_source[32], governor[32], isolated[64], hypervisor[48];
    bool sleep_states; /* deep sleep states are allowed: /dev/cpu_dma_latency cannot be held */
};
/* `root`: "" for this machine; a folder with proc/ and sys/ for tests. */
void yk_machine_look(const char *root, struct yk_machine *machine);

struct yk_latency_settings {
    double rate_Hz, seconds;
    double spin_s; /* of the pacing; at most half a period is spent */
    int priority;  /* of SCHED_FIFO, where it is allowed; 0: a normal thread */
};
/* How late an otherwise idle thread woke. */
struct yk_latency {
    struct yk_timing sleep; /* from the requested end of the sleep */
    struct yk_timing paced; /* from its due time, after the spin */
    uint64_t missed;        /* periods that were slept through */
    bool fifo, awake;       /* did it have real-time priority; was the processor kept awake */
};
/* Runs in its own thread to the end, or until *stop (may be NULL). */
enum yk_status yk_latency_measure(const struct yk_latency_settings *settings, const atomic_bool *stop,
                                  struct yk_latency *latency, struct yk_err *err);

/* Time of the steps of an experiment, offline; at most `seconds`. */
enum yk_status yk_step_time(const struct yk_model *model, double seconds, struct yk_timing *timing, struct yk_err *err);

enum yk_fitness { YK_FIT, YK_DEGRADED, YK_UNFIT };
const char *yk_fitness_name(enum yk_fitness fitness);
/* fit: real-time rights, no period slept through, and lateness (999 of 1000) plus step in half a period;
 * degraded: lateness (99 of 100) plus step in a period, some deadlines may be missed;
 * unfit: neither. `step`: NULL where there is none. */
struct yk_verdict_at {
    double rate_Hz;
    enum yk_fitness fitness;
    double share; /* of the period that lateness and step take, in 99 of 100 */
    const char *why;
};
struct yk_verdict_at yk_judge(const struct yk_machine *machine, const struct yk_latency *latency,
                              const struct yk_timing *step, double rate_Hz);

/* Advice on what to change: fills up to `most` texts, returns how many. */
enum { YK_ADVICES = 12 };
size_t yk_advise(const struct yk_machine *machine, const char **texts, size_t most);

#endif
