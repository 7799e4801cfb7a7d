/* yoke doctor: can this machine hold the rate? */
#include "cli/cli.h"

#include "base/clock.h"
#include "engine/doctor.h"

#include <math.h>
#include <signal.h>

static atomic_bool stop;

static void on_signal(int signal)
{
    atomic_store(&stop, true);
}

enum { RATES = 6, BAR = 40 };

/* Everything that is found out. */
struct findings {
    struct yk_machine machine;
    struct yk_latency_settings settings;
    struct yk_latency latency;
    bool has_step;
    struct yk_timing step;
    size_t rates;
    struct yk_verdict_at verdicts[RATES];
    const char *advice[YK_ADVICES];
    size_t advices;
    enum yk_fitness asked; /* at the asked rate */
};

static void judge_all(struct findings *f)
{
    const double usual[] = {100, 500, 1000, 2000, 5000};
    const struct yk_timing *step = f->has_step ? &f->step : NULL;
    bool among = false;

    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (!among && f->settings.rate_Hz < usual[i])
            f->verdicts[f->rates++] = yk_judge(&f->machine, &f->latency, step, f->settings.rate_Hz);
        among = among || f->settings.rate_Hz <= usual[i];
        f->verdicts[f->rates++] = yk_judge(&f->machine, &f->latency, step, usual[i]);
    }
    if (!among)
        f->verdicts[f->rates++] = yk_judge(&f->machine, &f->latency, step, f->settings.rate_Hz);
    for (size_t i = 0; i < f->rates; i++)
        if (f->verdicts[i].rate_Hz == f->settings.rate_Hz)
            f->asked = f->verdicts[i].fitness;
    f->advices = yk_advise(&f->machine, f->advice, YK_ADVICES);
}

/* ---- JSON ---- */

/* Counters that are not empty: [[upper edge in seconds, count], ...]. */
static json_t *histogram(const struct yk_timing *t)
{
    json_t *list = json_array();
    uint64_t below = 0;

    for (int b = 0; b < YK_TIMING_BUCKETS; b++) {
        if (!t->bucket[b])
            continue;
        below += t->bucket[b];
        json_array_append_new(list, json_pack("[f, I]", yk_timing_percentile(t, (double)below / (double)t->count),
                                              (json_int_t)t->bucket[b]));
    }
    return list;
}

static json_t *timing_json(const struct yk_timing *t)
{
    return json_pack("{s:I, s:f, s:f, s:f, s:f, s:o}", "count", (json_int_t)t->count, "median_s",
                     yk_timing_percentile(t, 0.5), "p99_s", yk_timing_percentile(t, 0.99), "p999_s",
                     yk_timing_percentile(t, 0.999), "largest_s", 1e-9 * (double)t->largest_ns, "histogram",
                     histogram(t));
}

static json_t *machine_json(const struct yk_machine *m)
{
    return json_pack("{s:s, s:b, s:b, s:I, s:I, s:I, s:b, s:o, s:i, s:s, s:s, s:s, s:s, s:b}", "kernel", m->kernel,
                     "preempt_rt", m->preempt_rt, "fifo", m->fifo, "rtprio_limit", (json_int_t)m->rtprio_limit,
                     "rt_runtime_us", (json_int_t)m->throttle_us, "rt_period_us", (json_int_t)m->throttle_of, "lock",
                     m->lock, "lock_limit_B", yk_json_number(m->lock_limit_B), "cpus", m->cpus, "clock_source",
                     m->clock_source, "governor", m->governor, "isolated", m->isolated, "hypervisor", m->hypervisor,
                     "stays_awake", !m->sleep_states);
}

static json_t *to_json(const struct findings *f)
{
    json_t *verdicts = json_array(), *advice = json_array();

    for (size_t i = 0; i < f->rates; i++)
        json_array_append_new(verdicts, json_pack("{s:f, s:s, s:f, s:s}", "rate_Hz", f->verdicts[i].rate_Hz, "verdict",
                                                  yk_fitness_name(f->verdicts[i].fitness), "share",
                                                  f->verdicts[i].share, "why", f->verdicts[i].why));
    for (size_t i = 0; i < f->advices; i++)
        json_array_append_new(advice, json_string(f->advice[i]));
    return json_pack("{s:o, s:{s:f, s:f, s:b, s:b, s:I, s:o, s:o}, s:o, s:s, s:o, s:o}", "machine",
                     machine_json(&f->machine), "latency", "rate_Hz", f->settings.rate_Hz, "spin_s", f->settings.spin_s,
                     "fifo", f->latency.fifo, "stays_awake", f->latency.awake, "missed", (json_int_t)f->latency.missed,
                     "sleep", timing_json(&f->latency.sleep), "paced", timing_json(&f->latency.paced), "step",
                     f->has_step ? timing_json(&f->step) : json_null(), "verdict", yk_fitness_name(f->asked),
                     "verdicts", verdicts, "advice", advice);
}

/* ---- text ---- */

static void print_machine(const struct yk_machine *m)
{
    printf("  kernel           %s%s\n", m->kernel, m->preempt_rt ? "" : "  (no PREEMPT_RT)");
    printf("  scheduler        SCHED_FIFO %s, priority limit %ld", m->fifo ? "allowed" : "REFUSED", m->rtprio_limit);
    if (m->throttle_us >= 0)
        printf(", throttled to %ld of %ld us\n", m->throttle_us, m->throttle_of);
    else
        puts(", not throttled");
    printf("  memory lock      %s, limit ", m->lock ? "allowed" : "REFUSED");
    if (isfinite(m->lock_limit_B))
        printf("%.0f kB\n", m->lock_limit_B / 1024);
    else
        puts("none");
    printf("  clock source     %s\n", *m->clock_source ? m->clock_source : "unknown");
    printf("  governor         %s\n", *m->governor ? m->governor : "not reported");
    printf("  cores            %d, isolated: %s\n", m->cpus, *m->isolated ? m->isolated : "none");
    printf("  hypervisor       %s\n", *m->hypervisor ? m->hypervisor : "none");
    printf("  deep sleep       %s\n", m->sleep_states ? "cannot be disabled" : "disabled during a run");
}

/* One line an octave. */
static void print_histogram(const struct yk_timing *t)
{
    enum { PER_OCTAVE = 8 };
    uint64_t octave[YK_TIMING_BUCKETS / PER_OCTAVE] = {0}, most = 1;

    for (int b = 0; b < YK_TIMING_BUCKETS; b++) {
        octave[b / PER_OCTAVE] += t->bucket[b];
        most = octave[b / PER_OCTAVE] > most ? octave[b / PER_OCTAVE] : most;
    }
    for (int o = 0; o < YK_TIMING_BUCKETS / PER_OCTAVE; o++) {
        const int length = (int)ceil(BAR * log1p((double)octave[o]) / log1p((double)most));

        if (octave[o])
            printf("    < %10.4g us %9lu %.*s\n", 1e-3 * ldexp(2 * PER_OCTAVE, o), (unsigned long)octave[o], length,
                   "########################################");
    }
}

static void print_timing(const char *what, const struct yk_timing *t)
{
    printf("  %-16s median %s, 99 %% below %s, 99.9 %% below %s, largest %s\n", what,
           yk_time_format(yk_timing_percentile(t, 0.5)).text, yk_time_format(yk_timing_percentile(t, 0.99)).text,
           yk_time_format(yk_timing_percentile(t, 0.999)).text, yk_time_format(1e-9 * (double)t->largest_ns).text);
}

static void print_findings(const struct findings *f)
{
    puts("This machine");
    print_machine(&f->machine);
    printf("Lateness at %g Hz, %lu periods, %s\n", f->settings.rate_Hz, (unsigned long)f->latency.paced.count,
           f->latency.fifo ? "SCHED_FIFO" : "a normal thread");
    print_timing("sleeping", &f->latency.sleep);
    print_timing("paced", &f->latency.paced);
    printf("  (paced: the thread watches the clock during the last %.3g us); %lu periods missed entirely\n",
           1e6 * f->settings.spin_s, (unsigned long)f->latency.missed);
    print_histogram(&f->latency.paced);
    if (f->has_step) {
        puts("Steps of the experiment");
        print_timing("step", &f->step);
    }
    puts("Verdict");
    for (size_t i = 0; i < f->rates; i++)
        printf("  %6g Hz  %-8s  %5.1f %% of the period%s%s%s\n", f->verdicts[i].rate_Hz,
               yk_fitness_name(f->verdicts[i].fitness), 100 * f->verdicts[i].share, *f->verdicts[i].why ? ": " : "",
               f->verdicts[i].why, f->verdicts[i].rate_Hz == f->settings.rate_Hz ? "  <- requested" : "");
    if (f->advices)
        puts("What to change");
    for (size_t i = 0; i < f->advices; i++)
        printf("  - %s\n", f->advice[i]);
}

/* The rate and the steps of the file; 0 or an exit code. */
static int look_at_file(const struct yk_words *words, const struct yk_text_list *set, struct findings *f)
{
    struct yk_err err = {0};
    struct yk_model *model;
    int code;

    if (!(model = rehearse_experiment(&command_doctor, words, set, &code)) || (code = prepare_model(model, false)))
        return code;
    if (!(f->settings.rate_Hz > 0))
        f->settings.rate_Hz = model->time.control_rate;
    f->has_step = true;
    code = yk_step_time(model, 1, &f->step, &err) ? yk_command_fail(&err) : 0;
    yk_model_close(model);
    return code;
}

struct given {
    struct yk_text_list set;
    double rate, seconds, spin;
    bool json;
};

static int run(int argc, char **argv)
{
    struct findings f = {.settings = {.seconds = 5, .spin_s = 1e-9 * YK_CLOCK_SPIN_NS, .priority = 80}};
    struct given g = {.seconds = f.settings.seconds, .spin = f.settings.spin_s};
    struct yk_err err = {0};
    struct yk_words words;
    int code;

    if (!yk_take_options(&command_doctor, argc, argv, &g, &words))
        return 2;
    f.settings.rate_Hz = g.rate;
    f.settings.seconds = g.seconds;
    f.settings.spin_s = g.spin;
    if (words.count && (code = look_at_file(&words, &g.set, &f)))
        return code;
    if (!(f.settings.rate_Hz > 0))
        f.settings.rate_Hz = 1000;
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    yk_machine_look("", &f.machine);
    if (yk_latency_measure(&f.settings, &stop, &f.latency, &err))
        return yk_command_fail(&err);
    judge_all(&f);
    if (g.json && yk_print_json(to_json(&f)))
        return 1;
    if (!g.json)
        print_findings(&f);
    return f.asked == YK_UNFIT ? 4 : 0;
}

static const struct yk_option options[] = {
    {"--rate", "F", "rate of the control loop; default: that of the file, or 1 kHz", YK_INTO(struct given, rate),
     .quantity = YK_FREQUENCY, .least = 1, .most = 1e5},
    {"--seconds", "T", "duration of the measurement; default 5 s", YK_INTO(struct given, seconds), .quantity = YK_TIME,
     .least = 0.01, .most = 86400},
    {"--spin", "T",
     "watch the clock instead of sleeping during the last T of each wait (at most half a period); default 60 us",
     YK_INTO(struct given, spin), .quantity = YK_TIME, .least = 0, .most = 1},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct given, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct given, json)},
    {0},
};

const struct yk_command command_doctor = {
    .name = "doctor",
    .summary = "check whether this machine can hold a control rate",
    .usage = "[FILE] [--rate 1kHz] [--seconds 5] [--spin 60us] [--set KEY=VALUE]... [--json]",
    .about = "Inspects the kernel, the permissions and the resource limits, measures how late a paced thread wakes up, "
             "times the steps of FILE (on the virtual rig), and gives a verdict for 100 Hz to 5 kHz and for the "
             "requested rate:\n"
             "  fit        real-time scheduling is allowed, and the lateness (99.9th percentile) plus one step take at "
             "most half of a period\n"
             "  degraded   99 of 100 periods are long enough, but some deadlines may be missed\n"
             "  unfit      neither\n"
             "It then advises what to change. Exit code 4 if the machine is unfit for the requested rate.",
    .options = options,
    .json =
        "{machine: {kernel, preempt_rt, fifo, rtprio_limit, rt_runtime_us, rt_period_us, lock, lock_limit_B, cpus,\n"
        "clock_source, governor, isolated, hypervisor, stays_awake}, latency: {rate_Hz, spin_s, fifo, stays_awake,\n"
        "missed, sleep, paced}, step or null, verdict, verdicts: [{rate_Hz, verdict, share, why}], advice};\n"
        "sleep, paced, step: {count, median_s, p99_s, p999_s, largest_s, histogram: [[edge_s, count]]}",
    .examples = "yoke doctor\n"
                "yoke doctor frame.yaml --rate 2kHz --seconds 60",
    .run = run,
};
