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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beat_without_the_processor_is_interrupted),
        cmocka_unit_test(a_beat_that_runs_too_long_has_computed_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
