/* Why a deadline was missed: the machine took the processor away, or the work itself was too long. */
#include "support/check.h"

#include "engine/pacer.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PERIOD_NS = 20000000 };

/* The cause of the one miss of a beat in which `work` is done. */
static enum yk_miss_cause cause_of(void (*work)(void))
{
    static struct yk_pace_report report;
    struct yk_pacer pacer = {.spin_ns = 0};

    report = (struct yk_pace_report){.paced = true};
    yk_pacer_begin(&pacer, PERIOD_NS, &report);
    yk_pacer_beat(&pacer, 0);
    work();
    assert_true(yk_pacer_beat(&pacer, 1));
    assert_int_equal(report.missed, 1);
    return report.misses[0].cause;
}

/* Four periods in which this process does not run. */
static void stand_still(void)
{
    const pid_t self = getpid(), child = fork();

    if (child == 0) {
        for (int i = 0; i < 50; i++) { /* again: this process may be slow to stop */
            usleep(4 * PERIOD_NS / 1000);
            kill(self, SIGCONT);
        }
        _exit(0);
    }
    assert_true(child > 0);
    kill(self, SIGSTOP);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* Two periods of processor time. */
static void compute(void)
{
    const int64_t begin = yk_clock_thread_ns();

    while (yk_clock_thread_ns() - begin < 2 * (int64_t)PERIOD_NS)
        ;
}

static void a_beat_without_the_processor_is_interrupted(void **state)
{
    (void)state;
    assert_int_equal(cause_of(stand_still), YK_MISS_INTERRUPTED);
}

static void a_beat_that_runs_too_long_has_computed_long(void **state)
{
    (void)state;
    assert_int_equal(cause_of(compute), YK_MISS_COMPUTED_LONG);
}

/* ---- several causes in one beat, by a clock of the test; in percent of a period ---- */

enum { PERCENT_NS = PERIOD_NS / 100 };

static int64_t oversleeps_ns; /* the next wait, once */

static void oversleep(struct yk_clock *clock, int64_t due_ns)
{
    clock->virtual_ns = due_ns + oversleeps_ns;
    oversleeps_ns = 0;
}

struct shares {
    int late, rig, away, work;
};

static enum yk_miss_cause cause_of_shares(const struct shares *s)
{
    struct yk_clock clock = yk_clock_virtual(1);
    struct yk_pacer pacer = {.clock = &clock};
    struct yk_pace_report report = {.paced = true};

    clock.sleep_until = oversleep;
    oversleeps_ns = (int64_t)s->late * PERCENT_NS;
    yk_pacer_begin(&pacer, PERIOD_NS, &report);
    yk_pacer_beat(&pacer, 0);
    yk_pacer_part(&pacer, YK_LOOP_RIG);
    clock.virtual_ns += (int64_t)s->rig * PERCENT_NS; /* the thread waits */
    yk_pacer_part(&pacer, YK_LOOP_SAMPLE);
    clock.virtual_ns += (int64_t)s->away * PERCENT_NS; /* the thread does not run */
    yk_clock_advance(&clock, (int64_t)s->work * PERCENT_NS);
    assert_true(yk_pacer_beat(&pacer, 1));
    assert_int_equal(report.missed, 1);
    assert_int_equal(report.misses[0].over_ns, (int64_t)(s->late + s->rig + s->away + s->work - 100) * PERCENT_NS);
    return report.misses[0].cause;
}

static void of_several_causes_the_deciding_one_is_named(void **state)
{
    static const struct {
        struct shares shares;
        enum yk_miss_cause cause;
    } cases[] = {
        /* one alone made up for the delay */
        {{.late = 60, .rig = 20, .away = 20, .work = 50}, YK_MISS_WOKE_LATE},
        {{.late = 40, .rig = 70, .away = 20, .work = 30}, YK_MISS_RIG_LATE},
        {{.late = 10, .rig = 10, .away = 90, .work = 30}, YK_MISS_INTERRUPTED},
        {{.late = 30, .rig = 20, .away = 40, .work = 70}, YK_MISS_INTERRUPTED}, /* with the late start */
        {{.late = 10, .rig = 10, .away = 10, .work = 120}, YK_MISS_COMPUTED_LONG},
        {{.late = 10, .rig = 140, .away = 0, .work = 110}, YK_MISS_COMPUTED_LONG}, /* more than a period */
        /* none did: the largest */
        {{.late = 50, .rig = 60, .away = 10, .work = 65}, YK_MISS_COMPUTED_LONG},
        {{.late = 50, .rig = 70, .away = 10, .work = 60}, YK_MISS_RIG_LATE},
        {{.late = 80, .rig = 70, .away = 5, .work = 50}, YK_MISS_WOKE_LATE},
        {{.late = 10, .rig = 60, .away = 70, .work = 60}, YK_MISS_INTERRUPTED},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum yk_miss_cause cause = cause_of_shares(&cases[i].shares);

        if (cause != cases[i].cause)
            fail_msg("case %zu: %s instead of %s", i, yk_miss_text(cause), yk_miss_text(cases[i].cause));
    }
}

static void a_coarse_side_that_is_late_is_named_before_all(void **state)
{
    struct yk_clock clock = yk_clock_virtual(1);
    struct yk_pacer pacer = {.clock = &clock};
    struct yk_pace_report report = {.paced = true};

    yk_pacer_begin(&pacer, PERIOD_NS, &report);
    yk_pacer_beat(&pacer, 0);
    yk_clock_advance(&clock, 2 * (int64_t)PERIOD_NS);
    pacer.coarse_late = true;
    assert_true(yk_pacer_beat(&pacer, 1));
    assert_int_equal(report.misses[0].cause, YK_MISS_COARSE_LATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beat_without_the_processor_is_interrupted),
        cmocka_unit_test(a_beat_that_runs_too_long_has_computed_long),
        cmocka_unit_test(of_several_causes_the_deciding_one_is_named),
        cmocka_unit_test(a_coarse_side_that_is_late_is_named_before_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
