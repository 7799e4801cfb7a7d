/* Sensors: each error by itself, and that a seed decides everything. */
#include "support/check.h"
#include "support/trap.h"

#include "rig/virtual/sensor.h"
#include <math.h>

static struct yk_sensor make(void)
{
    return (struct yk_sensor){.gain = 1, .seed = 1};
}

static void a_sensor_without_errors_reads_the_truth(void **state)
{
    struct yk_sensor s = make();

    assert_ok(yk_sensor_init(&s, &err));
    for (int k = 0; k < 100; k++)
        assert_near(yk_sensor_step(&s, 0.1 * k), 0.1 * k, 0);
}

static void gain_and_bias(void **state)
{
    struct yk_sensor s = make();

    s.gain = 1.02;
    s.bias = -0.5;
    assert_ok(yk_sensor_init(&s, &err));
    assert_near(yk_sensor_step(&s, 10), 9.7, 1e-14);
}

static void saturation_and_quantum(void **state)
{
    struct yk_sensor s = make();

    s.saturation = 3.8;
    s.quantum = 0.25;
    assert_ok(yk_sensor_init(&s, &err));
    assert_near(yk_sensor_step(&s, 1.1), 1.0, 0);
    assert_near(yk_sensor_step(&s, 1.13), 1.25, 0);
    assert_near(yk_sensor_step(&s, -1.13), -1.25, 0);
    assert_near(yk_sensor_step(&s, 9), 3.75, 0);
    assert_near(yk_sensor_step(&s, -9), -3.75, 0);
}

/* Channels of a multiplexed converter are sampled one after the other: a ramp is read where it was by then. */
static void a_skewed_channel_is_sampled_early(void **state)
{
    struct yk_sensor s = make();

    s.skew = 0.75;
    assert_ok(yk_sensor_init(&s, &err));
    yk_sensor_reset(&s, 2);
    assert_near(yk_sensor_step(&s, 3), 2.25, 1e-15);
    assert_near(yk_sensor_step(&s, 4), 3.25, 1e-15);
    s.skew = 1; /* a reading that comes a tick late */
    assert_near(yk_sensor_step(&s, 7), 4, 1e-15);
    assert_near(yk_sensor_step(&s, 9), 7, 1e-15);
}

/* 4 to 20 mA over 500 ohm, 200 mm of span, 16 bits for 20 V: 12.5 mm for a mA and 7.6 um for a bit. */
static void a_laser_on_a_converter_of_16_bits(void **state)
{
    const double per_mA = 200e-3 / 16, bit_V = 20 / 65536.0;
    struct yk_sensor s = make();
    double step = 0, last;

    assert_near(1e3 * per_mA, 12.5, 1e-12);
    s.quantum = bit_V / 500 * 1e3 * per_mA;
    assert_ok(yk_sensor_init(&s, &err));
    last = yk_sensor_step(&s, 0);
    for (int k = 1; k <= 1000; k++) {
        const double now = yk_sensor_step(&s, 1e-7 * k);

        assert_near(now, 1e-7 * k, 3.82e-6);
        step = fmax(step, now - last);
        last = now;
    }
    assert_near(1e6 * step, 7.6, 0.05);
}

/* Moments of a normal distribution, within four standard errors of 200000 readings. */
static void noise_is_white_and_gaussian(void **state)
{
    enum { COUNT = 200000 };
    struct yk_sensor s = make();
    double sum = 0, square = 0, fourth = 0, neighbour = 0, last = 0;

    s.noise = 2;
    assert_ok(yk_sensor_init(&s, &err));
    for (int k = 0; k < COUNT; k++) {
        const double e = yk_sensor_step(&s, 5) - 5;

        sum += e;
        square += e * e;
        fourth += e * e * e * e;
        neighbour += e * last;
        last = e;
    }
    const double n = COUNT, variance = square / n;
    assert_near(sum / n, 0, 4 * 2 / sqrt(n));
    assert_near(sqrt(variance), 2, 4 * 2 / sqrt(2 * n));
    assert_near(fourth / n / (variance * variance), 3, 4 * sqrt(24 / n));
    assert_near(neighbour / square, 0, 4 / sqrt(n));
}

static void dropouts_repeat_the_last_reading_as_often_as_asked(void **state)
{
    enum { COUNT = 1000000 };
    struct yk_sensor s = make();
    int missing = 0;
    double last = 0;

    s.dropout = 0.5;
    assert_ok(yk_sensor_init(&s, &err));
    yk_sensor_reset(&s, 0);
    for (int k = 1; k <= COUNT; k++) {
        const double y = yk_sensor_step(&s, k);

        assert_true(y == k || y == last);
        missing += y != k;
        last = y;
    }
    assert_near(missing / (double)COUNT, 0.5, 4 * sqrt(0.5 * 0.5 / COUNT));
    s.dropout = 1;
    yk_sensor_reset(&s, 7);
    assert_near(yk_sensor_step(&s, 9), 7, 0);
}

static void the_seed_decides_the_readings(void **state)
{
    struct yk_sensor a = make(), b = make(), c = make();
    int same = 0;

    a.noise = b.noise = c.noise = 0.01;
    a.dropout = b.dropout = c.dropout = 0.1;
    a.seed = b.seed = 4;
    c.seed = 5;
    assert_ok(yk_sensor_init(&a, &err));
    assert_ok(yk_sensor_init(&b, &err));
    assert_ok(yk_sensor_init(&c, &err));
    for (int k = 0; k < 1000; k++) {
        const double x = sin(0.01 * k), y = yk_sensor_step(&a, x);

        assert_near(yk_sensor_step(&b, x), y, 0);
        same += yk_sensor_step(&c, x) == y;
    }
    assert_true(same < 5);
    /* a reset begins anew */
    yk_sensor_reset(&b, 0);
    yk_sensor_reset(&a, 0);
    assert_near(yk_sensor_step(&a, 1), yk_sensor_step(&b, 1), 0);
}

static void the_filter_takes_out_noise_and_starts_at_rest(void **state)
{
    struct yk_sensor s = make();
    double square = 0;

    s.noise = 1;
    s.gain = 2;
    assert_ok(yk_filter_butterworth(&s.filter, 2, 10, 1.0 / 1024, false, &err));
    assert_ok(yk_sensor_init(&s, &err));
    yk_sensor_reset(&s, 3);
    for (int k = 0; k < 20000; k++) {
        const double e = yk_sensor_step(&s, 3) - 6;

        square += e * e;
    }
    /* noise bandwidth of a Butterworth filter of order 2: 1.1107 of its cut-off, against half the sampling rate */
    assert_near_relative(sqrt(square / 20000), sqrt(1.1107 * 10 / 512), 0.1);
    s.noise = 0;
    yk_sensor_reset(&s, 3);
    assert_near(yk_sensor_step(&s, 3), 6, 1e-12);
}

static void steps_use_no_heap(void **state)
{
    struct yk_sensor s = make();
    struct trap_counts counts;
    double sum = 0;

    s.noise = s.dropout = 0.1;
    s.quantum = 1e-3;
    assert_ok(yk_filter_elliptic(&s.filter, 20, 30, 0.5, 40, 1.0 / 1024, &err));
    assert_ok(yk_sensor_init(&s, &err));
    sum += yk_sensor_step(&s, 0); /* libm may set itself up */
    trap_begin();
    yk_sensor_reset(&s, 0);
    for (int k = 0; k < 1000; k++)
        sum += yk_sensor_step(&s, 1e-3 * k);
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, 0);
    assert_true(isfinite(sum));
}

static void sensors_that_cannot_be_are_refused(void **state)
{
    struct yk_sensor s = make();

    s.dropout = 1.5;
    assert_refused(yk_sensor_init(&s, &err), YK_E_RANGE, "dropout = 1.5");
    s = make();
    s.skew = 1.5;
    assert_refused(yk_sensor_init(&s, &err), YK_E_RANGE, "skew = 1.5 ticks");
    s = make();
    s.noise = NAN;
    assert_refused(yk_sensor_init(&s, &err), YK_E_RANGE, "noise = nan");
    s = make();
    s.gain = INFINITY;
    assert_refused(yk_sensor_init(&s, &err), YK_E_RANGE, "gain = inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sensor_without_errors_reads_the_truth),
        cmocka_unit_test(gain_and_bias),
        cmocka_unit_test(saturation_and_quantum),
        cmocka_unit_test(a_skewed_channel_is_sampled_early),
        cmocka_unit_test(a_laser_on_a_converter_of_16_bits),
        cmocka_unit_test(noise_is_white_and_gaussian),
        cmocka_unit_test(dropouts_repeat_the_last_reading_as_often_as_asked),
        cmocka_unit_test(the_seed_decides_the_readings),
        cmocka_unit_test(the_filter_takes_out_noise_and_starts_at_rest),
        cmocka_unit_test(steps_use_no_heap),
        cmocka_unit_test(sensors_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
