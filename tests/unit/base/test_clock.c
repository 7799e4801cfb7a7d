/* Clocks: the machine's reaches its deadline, the virtual one moves only when told. */
#include "support/check.h"

#include "base/clock.h"
#include <signal.h>
#include <sys/time.h>

enum { MS = 1000000 };

static void clock_never_goes_back(void **state)
{
    int64_t last = yk_clock_now_ns();

    for (int i = 0; i < 10000; i++) {
        int64_t now = yk_clock_now_ns();
        assert_true(now >= last);
        last = now;
    }
}

static void sleep_reaches_the_absolute_deadline(void **state)
{
    int64_t due = yk_clock_now_ns();

    for (int i = 0; i < 5; i++) {
        due += 3 * MS;
        yk_clock_sleep_until(due);
        assert_true(yk_clock_now_ns() >= due);
    }
}

static void sleep_returns_at_once_when_the_deadline_has_passed(void **state)
{
    const int64_t before = yk_clock_now_ns();

    yk_clock_sleep_until(before - 10 * MS);
    yk_clock_sleep_until(0);
    yk_clock_sleep_until(-5);
    assert_true(yk_clock_now_ns() - before < 1000 * (int64_t)MS);
}

static void pacing_comes_back_at_the_deadline_however_long_it_spins(void **state)
{
    const int64_t spins[] = {-1, 0, YK_CLOCK_SPIN_NS, 10 * MS};

    for (int i = 0; i < 4; i++) {
        const int64_t due = yk_clock_now_ns() + 2 * MS, back = yk_clock_pace(due, spins[i]);

        assert_true(back >= due);
        assert_true(yk_clock_now_ns() >= back);
    }
    assert_true(yk_clock_pace(5, YK_CLOCK_SPIN_NS) > 5); /* long past */
}

static volatile sig_atomic_t alarms;

static void on_alarm(int signal)
{
    alarms++;
}

static void signals_do_not_shorten_the_sleep(void **state)
{
    const struct itimerval every_2ms = {{0, 2000}, {0, 2000}}, off = {{0, 0}, {0, 0}};
    const int64_t due = yk_clock_now_ns() + 30 * MS;

    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every_2ms, NULL);
    yk_clock_sleep_until(due);
    setitimer(ITIMER_REAL, &off, NULL);
    assert_true(alarms > 0);
    assert_true(yk_clock_now_ns() >= due);
}

static void virtual_clock_moves_only_when_told(void **state)
{
    struct yk_clock clock = yk_clock_virtual(5);
    const int64_t before = yk_clock_now_ns();

    assert_int_equal(clock.now_ns(&clock), 5);
    assert_int_equal(clock.now_ns(&clock), 5);
    yk_clock_advance(&clock, 10);
    assert_int_equal(clock.now_ns(&clock), 15);
    clock.sleep_until(&clock, INT64_C(3600000000000)); /* an hour takes no time */
    assert_int_equal(clock.now_ns(&clock), INT64_C(3600000000000));
    clock.sleep_until(&clock, 20); /* never back */
    assert_int_equal(clock.now_ns(&clock), INT64_C(3600000000000));
    assert_true(yk_clock_now_ns() - before < INT64_C(60000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_never_goes_back),
        cmocka_unit_test(sleep_reaches_the_absolute_deadline),
        cmocka_unit_test(sleep_returns_at_once_when_the_deadline_has_passed),
        cmocka_unit_test(pacing_comes_back_at_the_deadline_however_long_it_spins),
        cmocka_unit_test(signals_do_not_shorten_the_sleep),
        cmocka_unit_test(virtual_clock_moves_only_when_told),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
