/* The doctor: reads what a kernel says, counts every period, and judges by its published rule. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include "engine/doctor.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SPRING YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"

/* A file below the scratch folder, with the folders above it. */
static void write_file(const char *name, const char *text)
{
    char path[1024];
    FILE *out;

    snprintf(path, sizeof path, "%s", scratch_path(name));
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(path, 0777);
        *at = '/';
    }
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static void what_the_kernel_says_is_read(void **state)
{
    struct yk_machine m;

    write_file("root/proc/sys/kernel/osrelease", "6.1.0-rt\n");
    write_file("root/proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n");
    write_file("root/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
    write_file("root/proc/sys/kernel/sched_rt_period_us", "1000000\n");
    write_file("root/proc/cpuinfo", "processor : 0\nflags : fpu vme\n");
    write_file("root/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    write_file("root/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write_file("root/sys/devices/system/cpu/isolated", "2-3\n");
    yk_machine_look(scratch_path("root"), &m);
    assert_string_equal(m.kernel, "6.1.0-rt #1 SMP PREEMPT_RT Debian");
    assert_true(m.preempt_rt);
    assert_int_equal(m.throttle_us, -1);
    assert_string_equal(m.clock_source, "hpet");
    assert_string_equal(m.governor, "powersave");
    assert_string_equal(m.isolated, "2-3");
    assert_string_equal(m.hypervisor, "");
    assert_true(m.cpus >= 1);

    write_file("root/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n");
    write_file("root/proc/cpuinfo", "processor : 0\nflags : fpu hypervisor vme\n");
    write_file("root/sys/class/dmi/id/sys_vendor", "QEMU\n");
    yk_machine_look(scratch_path("root"), &m);
    assert_false(m.preempt_rt);
    assert_string_equal(m.hypervisor, "QEMU");
    yk_machine_look("/no/such/folder", &m); /* says nothing, breaks nothing */
    assert_string_equal(m.governor, "");
    assert_int_equal(m.throttle_us, -1);
}

static bool advised(const struct yk_machine *m, const char *words)
{
    const char *texts[YK_ADVICES];
    const size_t count = yk_advise(m, texts, YK_ADVICES);

    for (size_t i = 0; i < count; i++)
        if (strstr(texts[i], words))
            return true;
    return false;
}

static void every_shortcoming_has_its_advice(void **state)
{
    struct yk_machine m = {.preempt_rt = true,
                           .fifo = true,
                           .throttle_us = -1,
                           .throttle_of = 1000000,
                           .lock = true,
                           .cpus = 4,
                           .clock_source = "tsc",
                           .governor = "performance",
                           .isolated = "3"};
    const char *none[YK_ADVICES];

    assert_int_equal(yk_advise(&m, none, YK_ADVICES), 0);
    assert_true(advised(&(struct yk_machine){.cpus = 2}, "PREEMPT_RT"));
    assert_true(advised(&(struct yk_machine){.cpus = 2}, "rtprio"));
    assert_true(advised(&(struct yk_machine){.cpus = 2}, "memlock"));
    assert_true(advised(&(struct yk_machine){.cpus = 2}, "isolcpus"));
    assert_true(advised(&(struct yk_machine){.cpus = 1}, "two cores"));
    m.throttle_us = 950000;
    assert_true(advised(&m, "sched_rt_runtime_us=-1"));
    m.sleep_states = true;
    assert_true(advised(&m, "/dev/cpu_dma_latency"));
    strcpy(m.governor, "powersave");
    assert_true(advised(&m, "cpupower"));
    strcpy(m.clock_source, "hpet");
    assert_true(advised(&m, "clocksource=tsc"));
    strcpy(m.hypervisor, "QEMU");
    assert_true(advised(&m, "virtual machine"));
    assert_int_equal(yk_advise(&m, none, 2), 2); /* never more than there is room for */
}

/* n latenesses of `us` each. */
static void add(struct yk_timing *t, int n, double us)
{
    for (int i = 0; i < n; i++)
        yk_timing_add(t, llround(1e3 * us));
}

static void the_verdict_follows_the_rule(void **state)
{
    struct yk_machine good = {.fifo = true, .lock = true}, normal = {.lock = true}, unlocked = {.fifo = true};
    struct yk_latency l = {0}, tail = {0};
    struct yk_timing step = {0};
    struct yk_verdict_at v;

    add(&l.paced, 10000, 10);
    v = yk_judge(&good, &l, NULL, 1000);
    assert_int_equal(v.fitness, YK_FIT);
    assert_near(v.share, 0.01, 0.002); /* 10 of 1000 us, within the width of a bucket */
    assert_int_equal(yk_judge(&good, &l, NULL, 30000).fitness, YK_FIT);
    assert_int_equal(yk_judge(&good, &l, NULL, 70000).fitness, YK_DEGRADED); /* period 14 us */
    assert_int_equal(yk_judge(&good, &l, NULL, 200000).fitness, YK_UNFIT);
    v = yk_judge(&normal, &l, NULL, 1000);
    assert_int_equal(v.fitness, YK_DEGRADED);
    assert_string_equal(v.why, "no real-time priority");
    assert_string_equal(yk_judge(&unlocked, &l, NULL, 1000).why, "memory cannot be locked");

    add(&tail.paced, 9980, 10);
    add(&tail.paced, 20, 600); /* 2 of 1000 */
    v = yk_judge(&good, &tail, NULL, 1000);
    assert_int_equal(v.fitness, YK_DEGRADED);
    assert_string_equal(v.why, "it sometimes wakes too late");
    assert_int_equal(yk_judge(&good, &tail, NULL, 500).fitness, YK_FIT);

    add(&step, 1000, 700);
    assert_int_equal(yk_judge(&good, &l, &step, 500).fitness, YK_FIT);
    assert_int_equal(yk_judge(&good, &l, &step, 1000).fitness, YK_DEGRADED);
    v = yk_judge(&good, &l, &step, 2000);
    assert_int_equal(v.fitness, YK_UNFIT);
    assert_string_equal(v.why, "a step takes too long");
    assert_string_equal(yk_fitness_name(v.fitness), "unfit");
}

static void every_period_is_counted_or_missed(void **state)
{
    const struct yk_latency_settings s = {.rate_Hz = 1000, .seconds = 0.2, .spin_s = 50e-6};
    atomic_bool stop = true;
    struct yk_latency l;

    assert_ok(yk_latency_measure(&s, NULL, &l, &err));
    assert_in_range(l.paced.count + l.missed, 199, 100000);
    assert_true(l.paced.count >= 1 && l.paced.count <= 201);
    assert_int_equal(l.paced.count, l.sleep.count);
    assert_false(l.fifo); /* it was not asked for */
    assert_ok(yk_latency_measure(&s, &stop, &l, &err));
    assert_int_equal(l.paced.count, 0);
    assert_refused(yk_latency_measure(&(struct yk_latency_settings){.rate_Hz = 0}, NULL, &l, &err), YK_E_RANGE,
                   "outside 1 .. 1e6 Hz");
}

static void the_program_reports_all_of_it(void **state)
{
    static const char *const keys[] = {"machine", "latency", "step", "verdict", "verdicts", "advice"};
    struct program p;
    json_t *json;

    program_run(&p, "doctor", SPRING, "--seconds", "0.1", "--rate", "300 Hz", "--json");
    assert_true(p.code == 0 || p.code == 4);
    json = json_loads(p.out, 0, NULL);
    assert_non_null(json);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(json_object_get(json, keys[i]));
    assert_true(json_integer_value(json_object_get(json_object_get(json, "step"), "count")) > 0);
    assert_int_equal(json_array_size(json_object_get(json, "verdicts")), 6);
    assert_near(json_number_value(json_object_get(json_array_get(json_object_get(json, "verdicts"), 1), "rate_Hz")),
                300, 1e-9);
    json_decref(json);
    program_free(&p);

    program_run(&p, "doctor", SPRING, "--seconds", "0.1"); /* the rate of the file */
    assert_true(p.code == 0 || p.code == 4);
    assert_non_null(strstr(p.out, "Lateness at 1000 Hz"));
    assert_non_null(strstr(p.out, "Steps of the experiment"));
    assert_non_null(strstr(p.out, "<- requested"));
    program_free(&p);
    program_run(&p, "doctor", "--rate", "1 mm");
    assert_int_equal(p.code, 2);
    program_free(&p);
    program_run(&p, "doctor", "no-such.yaml");
    assert_int_equal(p.code, 2);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_kernel_says_is_read),  cmocka_unit_test(every_shortcoming_has_its_advice),
        cmocka_unit_test(the_verdict_follows_the_rule),  cmocka_unit_test(every_period_is_counted_or_missed),
        cmocka_unit_test(the_program_reports_all_of_it),
    };

    return cmocka_run_group_tests_name("doctor", tests, scratch_create, scratch_remove);
}
