/* Whether an actuator follows: wrong scales, signs and delays, frozen sensors, and the window that grows with the
 * speed. Expected values are those of sines: a gain g errs by |1 - g|, a delay T by 2 sin(w T/2). */
#include "support/check.h"

#include "transfer/supervisor.h"

#include <math.h>
#include <string.h>

#define TICK 1e-3

struct bench {
    struct yk_supervisor s;
    struct yk_supervised supervised;
    struct yk_reading reading;
    struct yk_clock clock;
    double gain, delay_s, offset, noise, resolution;
    long tick;
};

static void open_bench(struct bench *b, const struct yk_limits *limits, bool simulated)
{
    const double zero = 0;

    *b = (struct bench){.clock = yk_clock_virtual(1000000000), .gain = 1};
    yk_supervisor_init(&b->s, limits, &b->supervised, 1, (struct yk_tick){TICK, TICK});
    if (!simulated)
        yk_supervisor_measure(&b->s, &b->clock);
    yk_supervisor_rest(&b->s, &zero, &zero, &b->reading);
    yk_supervisor_event(&b->s, YK_EVENT_ARM);
    yk_supervisor_event(&b->s, YK_EVENT_START);
}

static double motion(double A, double w, double t)
{
    return t > 0 ? A * sin(w * t) * fmin(t / 0.5, 1) : 0;
}

/* Some time of a sine; until a trip. */
static double run(struct bench *b, double A, double w, double seconds)
{
    for (long last = b->tick + lround(seconds / TICK); b->tick < last && !b->s.trip.tripped; b->tick++) {
        const double t = (double)b->tick * TICK, target = motion(A, w, t);
        double sent = 0, x = b->offset + b->gain * motion(A, w, t - b->delay_s);

        if (b->resolution > 0)
            x = b->resolution * floor(x / b->resolution);
        yk_clock_advance(&b->clock, (int64_t)(1e9 * TICK));
        yk_supervisor_commands(&b->s, &target, &sent);
        b->reading = (struct yk_reading){.displacement = x + (b->tick % 2 ? b->noise : -b->noise), .force = x};
        yk_supervisor_readings(&b->s, YK_RIG_FRESH, &target, &b->reading);
    }
    return (double)b->tick * TICK;
}

static const char *words(const struct yk_trip *trip)
{
    static const char *const names[] = {"a1"};
    static char text[400];

    yk_trip_text(trip, names, text, sizeof text);
    return text;
}

static void a_scale_that_is_wrong_by_ten_trips_early(void **state)
{
    static const struct {
        double gain;
        const char *words;
    } cases[] = {{0.1, "check the scales"}, {10, "check the scales"}, {-1, "check the signs"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_limits limits = yk_limits_defaults();
        struct bench b;

        open_bench(&b, &limits, false);
        b.gain = cases[i].gain;
        assert_true(run(&b, 5e-3, 8, 10) < 0.8);
        assert_int_equal(b.s.trip.kind, YK_LIMIT_RELATIVE_ERROR);
        assert_int_equal(b.s.trip.action, YK_ACTION_HOLD);
        assert_near(b.s.trip.gain, cases[i].gain, 1e-9);
        assert_near(b.s.trip.value, fabs(1 - cases[i].gain), 1e-9);
        assert_non_null(strstr(words(&b.s.trip), cases[i].words));
        assert_non_null(strstr(words(&b.s.trip), "tracking error of a1 is "));
    }
}

static void a_moderate_error_warns_once(void **state)
{
    const struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    open_bench(&b, &limits, false);
    b.gain = 0.7;
    run(&b, 5e-3, 8, 10);
    assert_false(b.s.trip.tripped);
    assert_int_equal(b.s.warnings, 1);
    assert_int_equal(b.s.warning.kind, YK_LIMIT_RELATIVE_ERROR);
    assert_non_null(strstr(words(&b.s.warning), "is 30 % of its motion so far, more than 20 %"));
}

static void a_long_delay_trips_and_a_short_one_does_not(void **state)
{
    const struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    open_bench(&b, &limits, false);
    b.delay_s = 10e-3; /* 2 sin(0.08) = 16 % */
    run(&b, 5e-3, 16, 10);
    assert_false(b.s.trip.tripped);
    assert_int_equal(b.s.warnings, 0);
    open_bench(&b, &limits, false);
    b.delay_s = 50e-3; /* 78 % */
    assert_true(run(&b, 5e-3, 16, 10) < 1.5);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_RELATIVE_ERROR);
}

/* Offset, noise and motions within what is accepted at standstill. */
static void offset_noise_and_small_motions_do_not_trip(void **state)
{
    const struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    open_bench(&b, &limits, false);
    b.offset = 0.9e-3;
    b.noise = 20e-6;
    run(&b, 2e-3, 8, 10);
    assert_false(b.s.trip.tripped);
    open_bench(&b, &limits, false);
    b.gain = 0;
    b.noise = 20e-6;
    run(&b, 0.9e-3, 8, 10);
    assert_false(b.s.trip.tripped);
}

static void a_simulated_rig_is_not_judged_unless_asked(void **state)
{
    struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    open_bench(&b, &limits, true);
    b.gain = 0;
    run(&b, 5e-3, 8, 5);
    assert_false(b.s.trip.tripped);
    assert_int_equal(b.s.warnings, 0);
    limits.limit[YK_LIMIT_RELATIVE_ERROR] = 0.3;
    open_bench(&b, &limits, true);
    b.gain = 0.6;
    run(&b, 5e-3, 8, 5);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_RELATIVE_ERROR);
    limits.limit[YK_LIMIT_RELATIVE_ERROR] = limits.limit[YK_LIMIT_SENSOR_FROZEN] = 0; /* none, on a real rig as well */
    open_bench(&b, &limits, false);
    b.gain = 0;
    run(&b, 5e-3, 8, 5);
    assert_false(b.s.trip.tripped);
}

static void a_frozen_sensor_trips_by_itself(void **state)
{
    struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    limits.limit[YK_LIMIT_RELATIVE_ERROR] = 0;
    open_bench(&b, &limits, false);
    run(&b, 5e-3, 8, 2);
    b.gain = 0;
    const double at = run(&b, 5e-3, 8, 5);

    assert_int_equal(b.s.trip.kind, YK_LIMIT_SENSOR_FROZEN);
    assert_true(at > 2.5 && at < 2.55);
}

/* The first micrometres of a motion are less than an encoder of 50 um shows. */
static void a_coarse_encoder_is_not_frozen(void **state)
{
    const struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    open_bench(&b, &limits, false);
    b.resolution = 50e-6;
    run(&b, 20e-6, 8, 3);
    assert_false(b.s.trip.tripped);
}

/* An actuator that is late by 20 ms follows at every speed; one that is late by 40 ms does not. */
static void the_window_of_following_grows_with_the_speed(void **state)
{
    struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    limits.limit[YK_LIMIT_FOLLOWING] = 1e-3;
    limits.limit[YK_LIMIT_RELATIVE_ERROR] = 0;
    for (int k = 0; k < 2; k++) {
        limits.following_time = k ? 20e-3 : 0;
        open_bench(&b, &limits, false);
        b.delay_s = 20e-3;
        run(&b, 20e-3, 8, 5);
        assert_int_equal(b.s.trip.tripped, !k); /* 3.2 mm behind at full speed */
    }
    open_bench(&b, &limits, false);
    b.delay_s = 40e-3;
    run(&b, 20e-3, 8, 5);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_FOLLOWING);
    assert_true(b.s.trip.limit > 1e-3 && b.s.trip.limit <= 1e-3 + 20e-3 * 0.17);
}

/* A trip that comes from readings that were held says so. */
static void a_held_tick_is_named(void **state)
{
    struct yk_limits limits = yk_limits_defaults();
    const double wanted = 1e-3;
    struct bench b;
    double sent;

    limits.limit[YK_LIMIT_TRACKING_ERROR] = 0.5e-3;
    for (int later = 0; later < 2; later++) {
        open_bench(&b, &limits, false);
        run(&b, 0, 8, 0.1);
        for (int k = 0; k < 3 + 40 * later; k++) {
            yk_clock_advance(&b.clock, (int64_t)(1e9 * TICK));
            yk_supervisor_commands(&b.s, &(double){0}, &sent);
            yk_supervisor_readings(&b.s, k < 3 ? YK_RIG_HELD : YK_RIG_FRESH, &(double){0}, &b.reading);
        }
        yk_clock_advance(&b.clock, (int64_t)(1e9 * TICK));
        yk_supervisor_commands(&b.s, &wanted, &sent);
        yk_supervisor_readings(&b.s, YK_RIG_FRESH, &wanted, &b.reading);
        assert_int_equal(b.s.trip.kind, YK_LIMIT_TRACKING_ERROR);
        if (later)
            assert_null(strstr(words(&b.s.trip), "no new reading"));
        else
            assert_non_null(strstr(words(&b.s.trip), "; just before, the rig gave no new reading in 3 ticks in a row"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scale_that_is_wrong_by_ten_trips_early),
        cmocka_unit_test(a_moderate_error_warns_once),
        cmocka_unit_test(a_long_delay_trips_and_a_short_one_does_not),
        cmocka_unit_test(offset_noise_and_small_motions_do_not_trip),
        cmocka_unit_test(a_simulated_rig_is_not_judged_unless_asked),
        cmocka_unit_test(a_frozen_sensor_trips_by_itself),
        cmocka_unit_test(a_coarse_encoder_is_not_frozen),
        cmocka_unit_test(the_window_of_following_grows_with_the_speed),
        cmocka_unit_test(a_held_tick_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
