/* The real-time properties of a machine, and how late it wakes a loop. */
#include "engine/doctor.h"
#include "base/clock.h"
#include "state/state.h"

#include "engine/realtime.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- the machine ---- */

/* First line of root/path without its end; "" where there is none. */
static void read_line(const char *root, const char *path, char *text, size_t size)
{
    char full[512];
    FILE *in;

    text[0] = 0;
    snprintf(full, sizeof full, "%s/%s", root, path);
    if (!(in = fopen(full, "r")))
        return;
    if (!fgets(text, (int)size, in))
        text[0] = 0;
    text[strcspn(text, "\n")] = 0;
    fclose(in);
}

static long read_number(const char *root, const char *path)
{
    char text[32], *end;

    read_line(root, path, text, sizeof text);
    const long value = strtol(text, &end, 10);
    return end == text ? -1 : value;
}

/* Is there a line with this word in root/path? */
static bool mentions(const char *root, const char *path, const char *word)
{
    char full[512], line[4096];
    bool found = false;
    FILE *in;

    snprintf(full, sizeof full, "%s/%s", root, path);
    if (!(in = fopen(full, "r")))
        return false;
    while (!found && fgets(line, sizeof line, in))
        found = strstr(line, word);
    fclose(in);
    return found;
}

static void find_hypervisor(const char *root, struct yk_machine *m)
{
    read_line(root, "sys/hypervisor/type", m->hypervisor, sizeof m->hypervisor);
    if (!*m->hypervisor && mentions(root, "proc/cpuinfo", " hypervisor")) {
        read_line(root, "sys/class/dmi/id/sys_vendor", m->hypervisor, sizeof m->hypervisor);
        if (!*m->hypervisor)
            snprintf(m->hypervisor, sizeof m->hypervisor, "yes");
    }
}

/* A thread that asks for real-time priority; the answer comes as its result. */
static void *ask_for_fifo(void *arg)
{
    const struct sched_param param = {.sched_priority = *(const int *)arg};

    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0 ? arg : NULL;
}

static bool may_have_fifo(void)
{
    int priority = sched_get_priority_min(SCHED_FIFO);
    pthread_t thread;
    void *answer = NULL;

    if (pthread_create(&thread, NULL, ask_for_fifo, &priority) == 0)
        pthread_join(thread, &answer);
    return answer;
}

/* Can a block as large as a run may need be locked? */
static bool may_lock(void)
{
    const size_t size = 64u << 20;
    void *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool locked = false;

    if (block != MAP_FAILED) {
        locked = mlock(block, size) == 0;
        munmap(block, size);
    }
    return locked;
}

void yk_machine_look(const char *root, struct yk_machine *m)
{
    struct rlimit limit;
    char version[128], release[64];

    *m = (struct yk_machine){.rtprio_limit = -1};
    read_line(root, "proc/sys/kernel/osrelease", release, sizeof release);
    read_line(root, "proc/sys/kernel/version", version, sizeof version);
    snprintf(m->kernel, sizeof m->kernel, "%.60s %.90s", release, version);
    m->preempt_rt = strstr(version, "PREEMPT_RT") || read_number(root, "sys/kernel/realtime") == 1;
    m->throttle_us = read_number(root, "proc/sys/kernel/sched_rt_runtime_us");
    m->throttle_of = read_number(root, "proc/sys/kernel/sched_rt_period_us");
    read_line(root, "sys/devices/system/clocksource/clocksource0/current_clocksource", m->clock_source,
              sizeof m->clock_source);
    read_line(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", m->governor, sizeof m->governor);
    read_line(root, "sys/devices/system/cpu/isolated", m->isolated, sizeof m->isolated);
    find_hypervisor(root, m);
    m->cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
    m->fifo = may_have_fifo();
    if (getrlimit(RLIMIT_RTPRIO, &limit) == 0)
        m->rtprio_limit = limit.rlim_cur == RLIM_INFINITY ? 99 : (long)limit.rlim_cur;
    m->lock = may_lock();
    m->lock_limit_B =
        getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? (double)limit.rlim_cur : INFINITY;
    const int fd = yk_stay_awake();
    m->sleep_states = fd < 0;
    if (fd >= 0)
        close(fd);
}

/* ---- lateness ---- */

struct measurement {
    const struct yk_latency_settings *settings;
    const atomic_bool *stop;
    struct yk_latency *latency;
};

static void *measure(void *arg)
{
    const struct measurement *m = arg;
    const struct yk_latency_settings *s = m->settings;
    struct yk_latency *l = m->latency;
    const int64_t period = llround(1e9 / s->rate_Hz), wanted = llround(1e9 * s->spin_s),
                  spin = wanted < period / 2 ? wanted : period / 2;
    int priority = s->priority;

    l->fifo = priority > 0 && ask_for_fifo(&priority);
    int64_t due = yk_clock_now_ns() + period;
    const int64_t end = due + llround(1e9 * s->seconds);
    while (due < end && !(m->stop && atomic_load(m->stop))) {
        yk_clock_sleep_until(due - spin);
        const int64_t up = yk_clock_now_ns(), back = yk_clock_pace(due, spin);

        yk_timing_add(&l->sleep, up > due - spin ? up - (due - spin) : 0);
        yk_timing_add(&l->paced, back - due);
        for (due += period; due <= back; due += period) /* what was slept through is not made up for */
            l->missed++;
    }
    return NULL;
}

enum yk_status yk_latency_measure(const struct yk_latency_settings *settings, const atomic_bool *stop,
                                  struct yk_latency *latency, struct yk_err *err)
{
    struct measurement m = {settings, stop, latency};
    pthread_t thread;

    if (!(settings->rate_Hz >= 1 && settings->rate_Hz <= 1e6))
        return yk_fail(err, YK_E_RANGE, "rate = %g Hz is outside 1 .. 1e6 Hz", settings->rate_Hz);
    *latency = (struct yk_latency){0};
    const int awake = yk_stay_awake();
    latency->awake = awake >= 0;
    const int failed = pthread_create(&thread, NULL, measure, &m);
    if (!failed)
        pthread_join(thread, NULL);
    if (awake >= 0)
        close(awake);
    return failed ? yk_fail(err, YK_E_MEMORY, "out of memory: cannot start a thread: %s", strerror(failed)) : YK_OK;
}

enum yk_status yk_step_time(const struct yk_model *model, double seconds, struct yk_timing *timing, struct yk_err *err)
{
    struct yk_step_times t = {.most = model->steps, .seconds = seconds};
    struct yk_state state;
    enum yk_status st = yk_model_state(model, &state, err);

    if (st)
        return st;
    st = yk_time_steps(&state, &t);
    *timing = t.whole;
    yk_state_close(&state);
    return st ? yk_fail_at(err, st, YK_IN_FILE(model->path), "%s while its steps were timed", yk_status_text(st))
              : YK_OK;
}

/* ---- judgement ---- */

const char *yk_fitness_name(enum yk_fitness fitness)
{
    static const char *const names[] = {"fit", "degraded", "unfit"};

    return names[fitness];
}

struct yk_verdict_at yk_judge(const struct yk_machine *m, const struct yk_latency *l, const struct yk_timing *step,
                              double rate_Hz)
{
    const double period = 1 / rate_Hz, cost = step ? yk_timing_percentile(step, 0.99) : 0;
    const double usual = yk_timing_percentile(&l->paced, 0.99) + cost,
                 rare = yk_timing_percentile(&l->paced, 0.999) + cost;
    struct yk_verdict_at v = {.rate_Hz = rate_Hz, .fitness = YK_FIT, .share = usual / period, .why = ""};

    if (!(usual <= period)) {
        v.fitness = YK_UNFIT;
        v.why = cost > 0.5 * period ? "a step takes too long" : "it wakes too late";
    } else if (!m->fifo || !m->lock) {
        v.fitness = YK_DEGRADED;
        v.why = m->fifo ? "memory cannot be locked" : "no real-time priority";
    } else if (rare > 0.5 * period || 1e-9 * (double)l->paced.largest_ns > period) {
        v.fitness = YK_DEGRADED;
        v.why = "it sometimes wakes too late";
    }
    return v;
}

size_t yk_advise(const struct yk_machine *m, const char **texts, size_t most)
{
    const bool known_clock = !*m->clock_source || strcmp(m->clock_source, "tsc") == 0 ||
                             strcmp(m->clock_source, "kvm-clock") == 0 ||
                             strcmp(m->clock_source, "arch_sys_counter") == 0;
    const struct {
        bool applies;
        const char *text;
    } all[] = {
        {!m->preempt_rt, "boot a kernel with PREEMPT_RT (Debian: linux-image-rt-amd64)"},
        {!m->fifo, "allow real-time priority: '@realtime - rtprio 90' in /etc/security/limits.d, and join the group"},
        {m->throttle_us >= 0 && m->throttle_of > 0,
         "a real-time thread that spins is stopped for a part of each second: sysctl kernel.sched_rt_runtime_us=-1"},
        {!m->lock, "allow memory to be locked: '@realtime - memlock unlimited' in /etc/security/limits.d"},
        {!known_clock, "reading this clock source is slow: boot with clocksource=tsc tsc=reliable"},
        {*m->governor && strcmp(m->governor, "performance") != 0,
         "let the processor keep its speed: cpupower frequency-set -g performance"},
        {m->sleep_states, "keep the processor awake: write access to /dev/cpu_dma_latency, or boot with idle=poll"},
        {m->cpus > 1 && !*m->isolated, "keep a core for the loop: boot with isolcpus=, nohz_full= and rcu_nocbs="},
        {m->cpus == 1, "use a machine with two cores or more"},
        {*m->hypervisor, "use a physical machine: a virtual machine can be paused by its host at any time"},
    };
    size_t count = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all && count < most; i++)
        if (all[i].applies)
            texts[count++] = all[i].text;
    return count;
}
