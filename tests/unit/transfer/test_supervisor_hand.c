/* The limits of a console: shares of those of the test, enforced by the supervisor itself. */
#include "support/check.h"

#include "transfer/supervisor.h"

#define TICK 1e-3

struct bench {
    struct yk_supervisor s;
    struct yk_supervised supervised;
    struct yk_reading reading;
    struct yk_clock clock;
    double sent;
};

static struct yk_limits common(void)
{
    struct yk_limits limits = yk_limits_defaults();

    limits.limit[YK_LIMIT_COMMAND_RATE] = 0.3;
    limits.limit[YK_LIMIT_FORCE] = 1000;
    limits.limit[YK_LIMIT_DISPLACEMENT] = 0.1;
    return limits;
}

/* Enabled at `at`. */
static void open_bench(struct bench *b, const struct yk_limits *limits, bool simulated, double at)
{
    *b = (struct bench){.clock = yk_clock_virtual(1000000000), .reading = {.displacement = at}};
    yk_supervisor_init(&b->s, limits, &b->supervised, 1, (struct yk_tick){TICK, TICK});
    if (!simulated)
        yk_supervisor_measure(&b->s, &b->clock);
    b->s.by_hand = true;
    yk_supervisor_rest(&b->s, &at, &at, &b->reading);
    yk_supervisor_event(&b->s, YK_EVENT_ARM);
    yk_supervisor_event(&b->s, YK_EVENT_START);
}

static void go_to(struct bench *b, double to, double speed, double stiffness)
{
    for (double x = b->supervised.sent; fabs(x - to) > 1e-12 && !b->s.trip.tripped;) {
        x += fmax(-speed * TICK, fmin(to - x, speed * TICK));
        yk_clock_advance(&b->clock, (int64_t)(1e9 * TICK));
        yk_supervisor_commands(&b->s, &x, &b->sent);
        b->reading = (struct yk_reading){.displacement = b->sent, .force = stiffness * b->sent};
        yk_supervisor_readings(&b->s, YK_RIG_FRESH, &x, &b->reading);
    }
}

static void check_limits(const struct bench *b, double rate, double force, double travel)
{
    assert_near(yk_supervisor_limit(&b->s, YK_LIMIT_COMMAND_RATE, 0), rate, 1e-12);
    assert_near(yk_supervisor_limit(&b->s, YK_LIMIT_FORCE, 0), force, 1e-12);
    assert_near(yk_supervisor_limit(&b->s, YK_LIMIT_DISPLACEMENT, 0), 0.1, 1e-12);
    assert_near(yk_supervisor_travel(&b->s, 0), travel, 1e-12);
}

static void a_console_has_limits_below_those_of_the_test(void **state)
{
    struct yk_limits limits = common();
    struct bench b;

    open_bench(&b, &limits, false, 0);
    check_limits(&b, 0.03, 200, 0.02);
    b.s.full = true;
    check_limits(&b, 0.3, 1000, 0);
    b.s.full = false;
    b.s.off = true; /* drives disabled: a specimen may be loaded */
    check_limits(&b, 0.03, 1000, 0.02);
    b.s.off = b.s.by_hand = false; /* a run */
    check_limits(&b, 0.3, 1000, 0);
    open_bench(&b, &limits, true, 0);
    check_limits(&b, 0.3, 1000, 0);
    limits.console = (struct yk_console_limits){.speed = 0.002, .force = 50, .travel = 0.005};
    for (int simulated = 0; simulated < 2; simulated++) {
        open_bench(&b, &limits, simulated, 0);
        check_limits(&b, 0.002, 50, 0.005);
    }
    limits.console = (struct yk_console_limits){.speed = 2, .force = 5000, .travel = 5}; /* never above those */
    open_bench(&b, &limits, false, 0);
    check_limits(&b, 0.3, 1000, 0);
}

static void what_is_too_fast_or_too_strong_trips(void **state)
{
    const struct yk_limits limits = common();
    struct bench b;

    open_bench(&b, &limits, false, 0);
    go_to(&b, 0.01, 0.025, 1000);
    assert_false(b.s.trip.tripped);
    go_to(&b, 0, 0.05, 1000);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_COMMAND_RATE);
    open_bench(&b, &limits, false, 0);
    go_to(&b, 0.015, 0.02, 20000);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_FORCE);
    assert_near(b.s.trip.limit, 200, 1e-12);
}

static void travel_counts_from_where_it_was_enabled_and_leads_home(void **state)
{
    const struct yk_limits limits = common();
    struct bench b;

    open_bench(&b, &limits, false, 0.06);
    go_to(&b, 0.079, 0.02, 0);
    assert_false(b.s.trip.tripped);
    go_to(&b, 0, 0.02, 0);
    go_to(&b, -0.019, 0.02, 0);
    assert_false(b.s.trip.tripped);
    go_to(&b, -0.03, 0.02, 0);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_DISPLACEMENT);
    assert_true(b.sent >= -0.02 - 1e-12);
    assert_near(b.s.trip.limit, -0.02, 1e-12);
    open_bench(&b, &limits, false, 0.06);
    b.s.full = true;
    go_to(&b, -0.09, 0.2, 0);
    assert_false(b.s.trip.tripped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_console_has_limits_below_those_of_the_test),
        cmocka_unit_test(what_is_too_fast_or_too_strong_trips),
        cmocka_unit_test(travel_counts_from_where_it_was_enabled_and_leads_home),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
