/* Tracking indices from samples: sines and sums of sines, whose indices are known in closed form. */
#include "support/check.h"

#include "analyze/analyze.h"

#include <math.h>

enum { N = 4001 };
#define DT 0.005 /* s */

static double target[N], measured[N];

/* Adds a sine of amplitude `a` to the target and `gain` times it, `delay` later, to the measured signal. */
static void add_sine(double a, double f, double gain, double delay)
{
    for (int i = 0; i < N; i++) {
        target[i] += a * sin(2 * M_PI * f * DT * i);
        measured[i] += gain * a * sin(2 * M_PI * f * (DT * i - delay));
    }
}

static int clear(void **state)
{
    memset(target, 0, sizeof target);
    memset(measured, 0, sizeof measured);
    return 0;
}

static void delay_and_gain_of_a_sine_are_found(void **state)
{
    struct yk_track t;
    const double phase = 2 * M_PI * 1.3 * 0.012;

    add_sine(0.01, 1.3, 0.95, 0.012);
    for (int i = 0; i < N; i++) {
        target[i] += 0.004; /* offsets do not matter */
        measured[i] -= 0.002;
    }
    assert_ok(yk_track_signals(N, DT, target, measured, &t, &err));
    assert_near(t.amplitude, 0.95, 1e-6);
    assert_near(t.delay_s, 0.012, 1e-7);
    assert_near(t.frequency_Hz, 1.3, 1e-4);
    assert_near(t.sync_amplitude, 0.95, 1e-3);
    assert_near(t.sync_phase_rad, phase, 1e-3);
    /* 26 turns of the ellipse: pi a b sin(phase) each */
    assert_near_relative(t.sync_area_m2, 26 * M_PI * 0.01 * 0.0095 * sin(phase), 1e-3);
}

static void early_is_negative(void **state)
{
    struct yk_track t;

    add_sine(0.01, 2, 1, -0.006);
    assert_ok(yk_track_signals(N, DT, target, measured, &t, &err));
    assert_near(t.delay_s, -0.006, 1e-7);
    assert_near(t.sync_phase_rad, -2 * M_PI * 2 * 0.006, 1e-3);
    assert_true(t.sync_area_m2 < 0);
}

/* Two sines: the index is the mean of gain exp(-i omega delay), weighted with the squares of the amplitudes. */
static void spectrum_weighs_with_the_power_of_the_target(void **state)
{
    const double p1 = 0.01 * 0.01, p2 = 0.005 * 0.005, w1 = 2 * M_PI, w2 = 2 * M_PI * 4;
    const double re = (p1 * cos(w1 * 0.01) + p2 * 0.8 * cos(w2 * 0.02)) / (p1 + p2);
    const double im = -(p1 * sin(w1 * 0.01) + p2 * 0.8 * sin(w2 * 0.02)) / (p1 + p2);
    const double mean_Hz = (p1 + 4 * p2) / (p1 + p2);
    struct yk_track t;

    add_sine(0.01, 1, 1, 0.01);
    add_sine(0.005, 4, 0.8, 0.02);
    assert_ok(yk_track_signals(N, DT, target, measured, &t, &err));
    assert_near(t.amplitude, hypot(re, im), 1e-6);
    assert_near(t.delay_s, -atan2(im, re) / (2 * M_PI * mean_Hz), 1e-7);
    assert_near(t.frequency_Hz, mean_Hz, 1e-4);
}

static void nothing_moved_is_not_a_number(void **state)
{
    struct yk_track t;

    assert_ok(yk_track_signals(N, DT, target, measured, &t, &err));
    assert_true(isnan(t.amplitude) && isnan(t.delay_s) && isnan(t.sync_phase_rad));
}

static void too_few_samples_are_refused(void **state)
{
    struct yk_err err = {0};
    struct yk_track t;

    assert_int_equal(yk_track_signals(3, DT, target, measured, &t, &err), YK_E_RANGE);
    assert_non_null(strstr(yk_err_line(&err).text, "3 samples"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(delay_and_gain_of_a_sine_are_found, clear),
        cmocka_unit_test_setup(early_is_negative, clear),
        cmocka_unit_test_setup(spectrum_weighs_with_the_power_of_the_target, clear),
        cmocka_unit_test_setup(nothing_moved_is_not_a_number, clear),
        cmocka_unit_test_setup(too_few_samples_are_refused, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
