/* Drives climb their ladder, delays of a line are found, and the loop follows the reference clock. */
#include "support/check.h"

#include "ethercat/drive.h"
#include <yoke/ethercat_clock.h>

#include <math.h>

/* From a fault to operation and down again, one row for each exchange. */
static void a_drive_climbs_one_step_at_a_time(void **state)
{
    static const struct {
        uint16_t status;
        enum yk_drive_state state;
        enum yk_drive_goal goal;
        uint16_t control;
    } rows[] = {
        {0x0218, YK_DRIVE_FAULT, YK_DRIVE_OFF, 0x0000},        {0x0218, YK_DRIVE_FAULT, YK_DRIVE_RECOVER, 0x0080},
        {0x0250, YK_DRIVE_DISABLED, YK_DRIVE_RECOVER, 0x0006}, {0x0231, YK_DRIVE_READY, YK_DRIVE_RECOVER, 0x0007},
        {0x0233, YK_DRIVE_SWITCHED_ON, YK_DRIVE_RUN, 0x000F},  {0x1237, YK_DRIVE_ENABLED, YK_DRIVE_RUN, 0x000F},
        {0x1237, YK_DRIVE_ENABLED, YK_DRIVE_STOP, 0x000B},     {0x0217, YK_DRIVE_QUICK_STOP, YK_DRIVE_STOP, 0x000B},
        {0x0217, YK_DRIVE_QUICK_STOP, YK_DRIVE_OFF, 0x0000},   {0x0250, YK_DRIVE_DISABLED, YK_DRIVE_STOP, 0x0000},
    };
    uint16_t control = 0x0006; /* whatever it was: bit 7 goes low first */

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(yk_drive_state(rows[i].status), rows[i].state);
        control = yk_drive_control(rows[i].status, rows[i].goal, control);
        assert_int_equal(control, rows[i].control);
    }
}

static void a_fault_in_a_run_is_not_reset(void **state)
{
    assert_int_equal(yk_drive_control(0x0218, YK_DRIVE_RUN, 0x000F), 0);
    assert_int_equal(yk_drive_control(0x0218, YK_DRIVE_RUN, 0x0000), 0);
    /* and a reset that did not help is tried again with a new edge */
    assert_int_equal(yk_drive_control(0x0218, YK_DRIVE_RECOVER, 0x000F), 0);
    assert_int_equal(yk_drive_control(0x0218, YK_DRIVE_RECOVER, 0x0080), 0);
    assert_int_equal(yk_drive_control(0x0218, YK_DRIVE_RECOVER, 0x0000), 0x0080);
}

/* Three slaves; the second clock wraps between its two ports. True delays 673 and 1558 ns with chips of 20 ns. */
static void delays_of_a_line_come_from_receive_times(void **state)
{
    static const struct yk_ec_passage at[] = {{51000, 54096}, {4294966469u, 943}, {51635, 51635}};
    int32_t delays[3];

    yk_ec_line_delays(at, 3, 0, delays);
    assert_int_equal(delays[0], 0);
    assert_int_equal(delays[1], 663);
    assert_int_equal(delays[2], 1548);
    yk_ec_line_delays(at, 3, 20, delays);
    assert_int_equal(delays[1], 673);
    assert_int_equal(delays[2], 1558);
}

static void sync0_starts_in_the_future_at_its_phase(void **state)
{
    assert_true(yk_ec_sync_start(0x0B5E620F1A2B3C00, 100000000, 1000000, 300000) == 819199999332300000);
}

/* e(k+1) = e(k) + d + u(k) with d = +50 ns, T = 1 ms. At rest s = d / Ki. */
static void the_loop_follows_a_clock_that_drifts(void **state)
{
    struct yk_ec_phase p;
    double e = 180050, longest = 0;

    yk_ec_phase_init(&p, 1e6);
    for (int n = 0; n <= 400; n++) {
        yk_ec_phase_update(&p, 7000000 + (uint64_t)llround(e < 0 ? e + 1e6 : e));
        assert_near(p.error_ns, e, 0.51);
        if (n > 300)
            longest = fmax(longest, fabs(e));
        e += 50 + p.correction_ns;
    }
    assert_true(longest < 2);
    assert_near(p.sum_ns, 50 / 0.0025, 400); /* at rest: the sum holds the drift */
}

/* The same rows as computed elsewhere: the first error is +200 us and u is not limited. */
static void the_loop_has_the_errors_of_its_equations(void **state)
{
    static const struct {
        int n;
        double e;
    } rows[] = {{1, 180050.000}, {10, 57037.572}, {50, -24905.874}, {100, -5016.869}, {200, -66.416}, {400, -0.005}};
    const double scale = 1e-2; /* a hundredth of everything: the limit is never reached */
    struct yk_ec_phase p;
    double e = 200000 * scale;
    size_t row = 0;

    yk_ec_phase_init(&p, 1e6);
    for (int n = 0; n <= 400; n++) {
        if (row < sizeof rows / sizeof *rows && rows[row].n == n) {
            assert_near(e, rows[row].e * scale, 8); /* the clock shows whole nanoseconds */
            row++;
        }
        yk_ec_phase_update(&p, 7000000 + (uint64_t)llround(e < 0 ? e + 1e6 : e));
        e += 50 * scale + p.correction_ns;
    }
    assert_int_equal(row, 6);
}

static void a_locked_loop_has_been_near_for_500_ticks(void **state)
{
    struct yk_ec_phase p;

    yk_ec_phase_init(&p, 250000);
    for (int i = 0; i < YK_EC_LOCKED; i++)
        yk_ec_phase_update(&p, 250000 * 8 + 12000);
    assert_int_equal(p.locked, YK_EC_LOCKED);
    yk_ec_phase_update(&p, 250000 * 9 - 13000);
    assert_int_equal(p.locked, YK_EC_LOCKED - 10);
    assert_near(p.error_ns, -13000, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drive_climbs_one_step_at_a_time),
        cmocka_unit_test(a_fault_in_a_run_is_not_reset),
        cmocka_unit_test(delays_of_a_line_come_from_receive_times),
        cmocka_unit_test(sync0_starts_in_the_future_at_its_phase),
        cmocka_unit_test(the_loop_follows_a_clock_that_drifts),
        cmocka_unit_test(the_loop_has_the_errors_of_its_equations),
        cmocka_unit_test(a_locked_loop_has_been_near_for_500_ticks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
