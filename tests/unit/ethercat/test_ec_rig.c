/* The backend `ethercat` on a simulated segment: it starts, moves, and names what goes wrong. */
#include "support/check.h"
#include "support/ethercat_rig.h"

#include <math.h>
#include <stdlib.h>

enum { N = 3 };

static void drives_follow_their_commands_in_lock_step(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, false);
    ethercat_rig_setup(&t)->reads_twice = true;
    ethercat_rig_start(&t);
    for (int k = 1; k <= 1000; k++) {
        for (int i = 0; i < N; i++)
            x[i] = 1e-3 * (i + 1) * sin(0.01 * k);
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
        for (int i = 0; i < N; i++)
            assert_near(t.readings[i].displacement, x[i], 0.5001e-7); /* half a count */
    }
    ethercat_rig_end(&t);
}

/* Without a second frame readings are one tick older. */
static void exact_drives_return_the_bits_of_the_last_tick(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0}, last;

    ethercat_rig_make(&t, &(struct yk_sim_settings){.exact = true}, N, false);
    ethercat_rig_start(&t);
    for (int k = 1; k <= 100; k++) {
        last = x[0];
        x[0] = 1e-3 * sin(0.01 * k);
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
        assert_true(t.readings[0].displacement == last);
    }
    ethercat_rig_end(&t);
}

static void clocks_are_set_and_the_loop_follows_them(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){.ppm = 80}, N, true);
    ethercat_rig_start(&t);
    for (int k = 1; k <= 3000; k++) {
        x[0] = 1e-3 * sin(0.01 * k);
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
        assert_true(fabs(yk_rig_ethercat_phase(t.self)->error_ns) < 0.05e6);
    }
    assert_near(yk_rig_ethercat_phase(t.self)->correction_ns, -80, 10); /* 80 ppm of 1 ms: the loop runs faster */
    ethercat_rig_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_follow_their_commands_in_lock_step),
        cmocka_unit_test(exact_drives_return_the_bits_of_the_last_tick),
        cmocka_unit_test(clocks_are_set_and_the_loop_follows_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
