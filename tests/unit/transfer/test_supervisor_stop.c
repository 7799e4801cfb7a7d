/* How motions end on a rig that is not simulated: expected are the bounds themselves, and v^2/(2 a) of a uniform
 * deceleration. */
#include "support/check.h"

#include "transfer/supervisor.h"

#include <math.h>

#define TICK  1e-3
#define SPEED 0.184 /* m/s */

struct bench {
    struct yk_supervisor s;
    struct yk_supervised supervised;
    struct yk_reading reading;
    struct yk_clock clock;
    bool simulated;
    double sent, before, speed, largest; /* the last two commands, their rate, and its largest change in a second */
};

static struct yk_limits common(void)
{
    struct yk_limits limits = yk_limits_defaults();

    limits.limit[YK_LIMIT_COMMAND_RATE] = 0.25;
    limits.limit[YK_LIMIT_FORCE] = 5;
    limits.trip_ramp = limits.end_ramp = 0.5;
    return limits;
}

static void open_bench(struct bench *b, const struct yk_limits *limits, bool simulated)
{
    const double zero = 0;

    *b = (struct bench){.clock = yk_clock_virtual(1000000000), .simulated = simulated};
    yk_supervisor_init(&b->s, limits, &b->supervised, 1, (struct yk_tick){TICK, TICK});
    if (!simulated)
        yk_supervisor_measure(&b->s, &b->clock);
    yk_supervisor_rest(&b->s, &zero, &zero, &b->reading);
    yk_supervisor_event(&b->s, YK_EVENT_ARM);
    yk_supervisor_event(&b->s, YK_EVENT_START);
}

/* A perfect rig with 100 N/m and one force more. */
static void tick(struct bench *b, double wanted, double force)
{
    yk_clock_advance(&b->clock, (int64_t)(1e9 * TICK));
    if (yk_supervisor_commands(&b->s, &wanted, &b->sent))
        b->reading = (struct yk_reading){.displacement = b->sent, .force = 100 * b->sent + force};
    yk_supervisor_readings(&b->s, YK_RIG_FRESH, &wanted, &b->reading);
    const double speed = (b->sent - b->before) / TICK;

    b->largest = fmax(b->largest, fabs(speed - b->speed) / TICK);
    b->before = b->sent;
    b->speed = speed;
}

/* At full speed, after a gentle start. */
static void get_going(struct bench *b)
{
    double x = 0;

    for (int k = 0; k < 200; k++)
        tick(b, x += SPEED * TICK * fmin(k / 100.0, 1), 0);
    assert_near(b->speed, SPEED, 1e-9);
    assert_false(b->s.trip.tripped);
    b->largest = 0;
}

static void settle(struct bench *b)
{
    for (int k = 0; k < 2000; k++)
        tick(b, 9, 0);
    assert_false(yk_supervisor_moves(&b->s));
}

static void a_trip_stops_gently_and_holds(void **state)
{
    static const struct {
        double acceleration, bound;
    } cases[] = {{1.5, 1.5}, {0, 0.25 / 0.05}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_limits limits = common();
        struct bench b;

        limits.limit[YK_LIMIT_ACCELERATION] = cases[i].acceleration;
        limits.action[YK_LIMIT_ACCELERATION] = YK_ACTION_WARN; /* the start may be quicker */
        open_bench(&b, &limits, false);
        get_going(&b);
        const double at = b.sent;

        tick(&b, at + SPEED * TICK, 100);
        assert_int_equal(b.s.trip.kind, YK_LIMIT_FORCE);
        assert_int_equal(b.s.trip.action, YK_ACTION_HOLD);
        settle(&b);
        assert_true(b.largest <= cases[i].bound * (1 + 1e-6));
        assert_true(b.largest > 0.5 * cases[i].bound);
        const double way = b.sent - at - SPEED * TICK, a = cases[i].acceleration > 0 ? 0.9 * 1.5 : cases[i].bound;

        assert_near(way, SPEED * SPEED / (2 * a), 0.02 * way + SPEED * TICK);
    }
}

/* Nothing there can be shaken: examples keep their bits. */
static void a_simulated_rig_ramps_home_as_before(void **state)
{
    const struct yk_limits limits = common();
    struct bench b;

    open_bench(&b, &limits, true);
    get_going(&b);
    const double at = b.sent;

    tick(&b, at + SPEED * TICK, 100);
    assert_int_equal(b.s.trip.action, YK_ACTION_RAMP);
    tick(&b, 9, 0);
    assert_true(b.sent <= at + SPEED * TICK);
    settle(&b);
    assert_near(b.sent, 0, 1e-12);
}

static void a_ramp_home_begins_with_a_stop(void **state)
{
    struct yk_limits limits = common();
    struct bench b;

    limits.on_trip = YK_ACTION_RAMP;
    open_bench(&b, &limits, false);
    get_going(&b);
    tick(&b, b.sent + SPEED * TICK, 100);
    settle(&b);
    assert_near(b.sent, 0, 1e-12);
    assert_true(b.largest <= 5 * (1 + 1e-6));
}

static void an_abort_and_the_end_of_a_run_stop_gently(void **state)
{
    static const enum yk_event events[] = {YK_EVENT_ABORT, YK_EVENT_FINISH};

    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        const struct yk_limits limits = common();
        struct bench b;

        open_bench(&b, &limits, false);
        get_going(&b);
        yk_supervisor_event(&b.s, events[i]);
        settle(&b);
        assert_int_equal(b.s.state, YK_STATE_DONE);
        assert_near(b.sent, 0, 1e-12);
        assert_true(b.largest <= 5 * (1 + 1e-6));
    }
}

/* A second abort makes the ramp quicker; on its way the actuator is stopped first. */
static void a_ramp_that_is_shortened_stops_gently(void **state)
{
    struct yk_limits limits = common();
    struct bench b;

    limits.end_ramp = 5;
    open_bench(&b, &limits, false);
    get_going(&b);
    yk_supervisor_event(&b.s, YK_EVENT_ABORT);
    for (int k = 0; k < 1500; k++)
        tick(&b, 9, 0);
    yk_supervisor_event(&b.s, YK_EVENT_ABORT);
    for (int k = 0; k < 1000; k++)
        tick(&b, 9, 0);
    assert_int_equal(b.s.state, YK_STATE_DONE);
    assert_true(b.largest <= 5 * (1 + 1e-6));
}

static void a_second_breach_stops_the_ramp(void **state)
{
    struct yk_limits limits = common();
    struct bench b;

    limits.on_trip = YK_ACTION_RAMP;
    limits.limit[YK_LIMIT_SENSOR_RANGE] = 0.1;
    open_bench(&b, &limits, false);
    get_going(&b);
    const double peak = b.sent;

    tick(&b, b.sent + SPEED * TICK, 100);
    for (int k = 0; k < 250; k++)
        tick(&b, 9, 100); /* the force stays: the same breach does not stop what it has begun */
    assert_int_equal(b.s.second.tripped, false);
    b.reading.displacement = 0.2;
    yk_supervisor_readings(&b.s, YK_RIG_FRESH, &peak, &b.reading);
    assert_int_equal(b.s.second.kind, YK_LIMIT_SENSOR_RANGE);
    settle(&b);
    assert_true(b.sent > 0.05 * peak && b.sent < 0.9 * peak);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_FORCE);
    assert_true(b.largest <= 5 * (1 + 1e-6));
}

/* Within limits.acceleration it would run past its largest displacement: it trips while it can still stop. */
static void an_actuator_trips_while_it_can_stop_before_its_limit(void **state)
{
    struct yk_limits limits = common();
    struct bench b;
    double x;

    limits.limit[YK_LIMIT_DISPLACEMENT] = 0.05;
    limits.limit[YK_LIMIT_ACCELERATION] = 1.9;
    limits.limit[YK_LIMIT_FORCE] = 0;
    open_bench(&b, &limits, false);
    get_going(&b);
    for (x = b.sent; !b.s.trip.tripped;)
        tick(&b, x += SPEED * TICK, 0);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_DISPLACEMENT);
    settle(&b);
    assert_true(b.sent <= 0.05 && b.sent > 0.048);
    assert_true(b.largest <= 1.9 * 1.05);
}

/* A sine whose peak is the limit, and whose acceleration is within its own. */
static void a_motion_within_its_limits_does_not_trip_before_them(void **state)
{
    const double w = 30, A = 0.005;
    struct yk_limits limits = common();
    struct bench b;

    limits.limit[YK_LIMIT_DISPLACEMENT] = A;
    limits.limit[YK_LIMIT_ACCELERATION] = 1.2 * A * w * w;
    open_bench(&b, &limits, false);
    for (int k = 0; k < 3000; k++) {
        const double t = k * TICK;

        tick(&b, A * sin(w * t) * fmin(t, 1), 0);
    }
    assert_false(b.s.trip.tripped);
    assert_int_equal(b.s.warnings, 0);
}

/* Without limits.acceleration the limit of displacement comes first. */
static void no_stop_goes_beyond_the_largest_displacement(void **state)
{
    struct yk_limits limits = common();
    struct bench b;

    limits.limit[YK_LIMIT_DISPLACEMENT] = 0.03;
    open_bench(&b, &limits, false);
    get_going(&b);
    const double at = b.sent;

    assert_true(at > 0.027 && at < 0.0285);
    tick(&b, at + SPEED * TICK, 100);
    settle(&b);
    assert_true(b.sent <= 0.03 && b.sent > at);
    assert_true(b.largest < 20); /* 0.184^2/(2 x 1.5 mm): as hard as the room makes it, and no harder */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trip_stops_gently_and_holds),
        cmocka_unit_test(a_simulated_rig_ramps_home_as_before),
        cmocka_unit_test(a_ramp_home_begins_with_a_stop),
        cmocka_unit_test(an_abort_and_the_end_of_a_run_stop_gently),
        cmocka_unit_test(a_ramp_that_is_shortened_stops_gently),
        cmocka_unit_test(a_second_breach_stops_the_ramp),
        cmocka_unit_test(an_actuator_trips_while_it_can_stop_before_its_limit),
        cmocka_unit_test(a_motion_within_its_limits_does_not_trip_before_them),
        cmocka_unit_test(no_stop_goes_beyond_the_largest_displacement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
