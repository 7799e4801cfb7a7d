/* The time of the supervisor on a rig that is not simulated: a virtual wall clock whose beats begin late now and then.
 * Expected: rates, durations and silences in seconds of that clock. */
#include "support/check.h"
#include "support/random.h"

#include "transfer/supervisor.h"

#include <math.h>

#define TICK    1e-3
#define TICK_NS 1000000
#define RATE    0.5 /* m/s */

struct bench {
    struct yk_supervisor s;
    struct yk_supervised one;
    struct yk_reading reading;
    struct yk_clock clock;
    int64_t due_ns, sent_ns;
    uint64_t seed;
    double sent, fastest; /* command; largest rate of commands in wall time */
};

static void open_bench(struct bench *b, const struct yk_limits *limits)
{
    const double start = 0;

    *b = (struct bench){.clock = yk_clock_virtual(1), .seed = 5};
    yk_supervisor_init(&b->s, limits, &b->one, 1, (struct yk_tick){TICK, TICK});
    yk_supervisor_measure(&b->s, &b->clock);
    yk_supervisor_rest(&b->s, &start, &start, &b->reading);
    assert_true(yk_supervisor_event(&b->s, YK_EVENT_ARM));
    assert_true(yk_supervisor_event(&b->s, YK_EVENT_START));
}

static struct yk_limits limits_of(double rate)
{
    struct yk_limits limits = yk_limits_defaults();

    limits.limit[YK_LIMIT_COMMAND_RATE] = rate;
    limits.end_ramp = limits.trip_ramp = 0.2;
    return limits;
}

/* The next beat begins `late` ticks after it is due; the rig is where it was sent. */
static void beat(struct bench *b, double late, double wanted, enum yk_rig_answer answer)
{
    double sent;

    b->due_ns += TICK_NS;
    b->clock.virtual_ns = b->due_ns + llround(late * TICK_NS);
    assert_true(yk_supervisor_commands(&b->s, &wanted, &sent));
    if (b->sent_ns)
        b->fastest = fmax(b->fastest, fabs(sent - b->sent) / (1e-9 * (double)(b->clock.virtual_ns - b->sent_ns)));
    b->sent = sent;
    b->sent_ns = b->clock.virtual_ns;
    if (answer == YK_RIG_FRESH)
        b->reading = (struct yk_reading){.displacement = sent, .force = 100 * sent};
    yk_supervisor_readings(&b->s, answer, &sent, &b->reading);
}

/* Mostly punctual, at times up to a tick late. */
static double lateness(struct bench *b)
{
    const double share = fabs(random_value(&b->seed));

    return share > 0.7 ? (share - 0.7) * 3.2 : 0;
}

static void a_beat_that_follows_a_late_one_is_no_faster(void **state)
{
    const struct yk_limits limits = limits_of(RATE);
    struct bench b;
    double wanted = 0, behind = 0;

    open_bench(&b, &limits);
    for (int k = 0; k < 2000; k++) {
        wanted = 0.9 * RATE * TICK * k;
        beat(&b, lateness(&b), wanted, YK_RIG_FRESH);
        behind = fmax(behind, wanted - b.sent);
    }
    assert_true(b.fastest > 0.99 * RATE); /* it was clipped */
    assert_true(b.fastest <= RATE * (1 + 1e-9));
    assert_true(behind > 0 && behind <= 2 * RATE * TICK);
    assert_false(b.s.trip.tripped); /* the method asks for nothing that is not allowed */
    assert_int_equal(b.s.warnings, 0);
    beat(&b, 0, wanted, YK_RIG_FRESH);
    for (int k = 0; k < 20; k++)
        beat(&b, 0, wanted, YK_RIG_FRESH);
    assert_true(b.sent == wanted);
}

/* Late beats make the step on the wire slow. The method asks for too much all the same. */
/* An answer that took forty ticks may be to a command that was repeated: it has arrived when it was answered. The next
 * one, a tenth of a tick later, is no larger than that tenth allows. */
static void after_an_answer_that_comes_late_the_next_command_is_a_step_from_then(void **state)
{
    const struct yk_limits limits = limits_of(RATE);
    struct bench b;
    double wanted = 0, sent;

    open_bench(&b, &limits);
    for (int k = 0; k < 100; k++)
        beat(&b, 0, wanted += 0.5 * RATE * TICK, YK_RIG_FRESH);
    wanted += 0.5 * RATE * TICK;
    assert_true(yk_supervisor_commands(&b.s, &wanted, &sent));
    b.clock.virtual_ns += 40 * TICK_NS;
    b.s.waited_s = 40 * TICK;
    b.reading = (struct yk_reading){.displacement = sent, .force = 100 * sent};
    yk_supervisor_readings(&b.s, YK_RIG_FRESH, &sent, &b.reading);
    const double before = sent;

    b.clock.virtual_ns += TICK_NS / 10;
    wanted += 0.5 * RATE * TICK;
    assert_true(yk_supervisor_commands(&b.s, &wanted, &sent));
    assert_true(fabs(sent - before) <= 0.1 * RATE * TICK * (1 + 1e-9));
}

static void the_method_is_judged_by_the_full_tick(void **state)
{
    const struct yk_limits limits = limits_of(RATE);
    struct bench b;

    open_bench(&b, &limits);
    beat(&b, 0, 0, YK_RIG_FRESH);
    b.due_ns += TICK_NS;
    beat(&b, 0, 1.2 * RATE * TICK, YK_RIG_FRESH);
    assert_true(b.s.trip.tripped);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_COMMAND_RATE);
}

/* From 20 mm home in 0.2 s, however late the beats are. */
static void a_ramp_takes_its_time_on_the_wall(void **state)
{
    const struct yk_limits limits = limits_of(RATE);

    for (int jitter = 0; jitter < 2; jitter++) {
        struct bench b;
        double x = 0;

        open_bench(&b, &limits);
        for (; x < 0.02; x += 0.5 * RATE * TICK)
            beat(&b, 0, x, YK_RIG_FRESH);
        for (int k = 0; k < 2; k++) /* it stands: nothing has to be braked first */
            beat(&b, 0, x, YK_RIG_FRESH);
        yk_supervisor_event(&b.s, YK_EVENT_ABORT);
        const int64_t begin = b.clock.virtual_ns;

        b.fastest = 0;
        while (yk_supervisor_moves(&b.s))
            beat(&b, jitter ? lateness(&b) : 0, x, YK_RIG_FRESH);
        assert_near(1e-9 * (double)(b.clock.virtual_ns - begin), 0.2, 2 * TICK);
        assert_true(b.sent == 0);
        assert_true(b.fastest <= RATE * (1 + 1e-9));
        assert_near_relative(b.fastest, YK_RAMP_SLOPE * x / 0.2, 0.02);
    }
}

/* A beat near the end of the ramp comes 8 ticks late, those after it catch up: the last command is home all the same.
 */
static void a_ramp_ends_at_home_however_late_its_end_is(void **state)
{
    const struct yk_limits limits = limits_of(RATE);

    for (int stall = 150; stall < 205; stall++) {
        struct bench b;
        double x = 0, late = 0;

        open_bench(&b, &limits);
        for (; x < 0.05; x += 0.5 * RATE * TICK) /* the ramp home is as fast as its limit */
            beat(&b, 0, x, YK_RIG_FRESH);
        for (int k = 0; k < 2; k++)
            beat(&b, 0, x, YK_RIG_FRESH);
        yk_supervisor_event(&b.s, YK_EVENT_ABORT);
        for (int k = 0; yk_supervisor_moves(&b.s); k++) {
            late = k == stall ? 8 : fmax(late - 0.9, 0);
            beat(&b, late, x, YK_RIG_FRESH);
            assert_true(k < 400);
        }
        assert_true(b.sent == 0);
    }
}

/* The clock stops for 50 ms in the middle: nothing leaps, and the ramp takes that much longer. */
static void a_ramp_does_not_leap_after_a_stall(void **state)
{
    const struct yk_limits limits = limits_of(RATE);
    struct bench b;
    double x = 0, leap = 0;

    open_bench(&b, &limits);
    for (; x < 0.02; x += 0.5 * RATE * TICK)
        beat(&b, 0, x, YK_RIG_FRESH);
    for (int k = 0; k < 2; k++)
        beat(&b, 0, x, YK_RIG_FRESH);
    yk_supervisor_event(&b.s, YK_EVENT_ABORT);
    const int64_t begin = b.clock.virtual_ns;
    for (int k = 0; yk_supervisor_moves(&b.s); k++) {
        const double before = b.sent;

        b.due_ns += k == 100 ? 50 * TICK_NS : 0;
        beat(&b, 0, x, YK_RIG_FRESH);
        leap = fmax(leap, fabs(b.sent - before));
    }
    assert_true(leap <= 10 * YK_RAMP_SLOPE * x / 0.2 * TICK * 1.001); /* of 10 ms */
    assert_near(1e-9 * (double)(b.clock.virtual_ns - begin), 0.2 + 0.041, 3 * TICK);
    assert_true(b.sent == 0);
}

/* Exchanges that wait for an answer take 7 ms each: the limit of 50 ms is passed by the clock, not by a count. */
static void silence_is_counted_by_the_clock(void **state)
{
    const struct yk_limits limits = limits_of(0);
    struct bench b;

    open_bench(&b, &limits);
    for (int k = 0; k < 10; k++)
        beat(&b, 0, 0, YK_RIG_FRESH);
    const int64_t heard = b.clock.virtual_ns;
    while (!b.s.trip.tripped) {
        b.due_ns += 6 * TICK_NS;
        beat(&b, 0, 0, YK_RIG_HELD);
    }
    assert_int_equal(b.s.trip.kind, YK_LIMIT_PEER_SILENCE);
    assert_near(b.s.trip.value, 0.056, 1e-9);
    assert_near(1e-9 * (double)(b.clock.virtual_ns - heard), 0.056, 1e-9);
}

/* Time before the drives were enabled does not count as silence. */
static void silence_begins_with_the_first_question(void **state)
{
    const struct yk_limits limits = limits_of(0);
    struct bench b;

    open_bench(&b, &limits);
    beat(&b, 0, 0, YK_RIG_FRESH);
    b.due_ns += 3000 * (int64_t)TICK_NS;
    yk_supervisor_restart_clock(&b.s);
    for (int k = 0; k < 40; k++)
        beat(&b, 0, 0, YK_RIG_HELD);
    assert_false(b.s.trip.tripped);
}

/* An actuator that moves by `step` from one reading to the next, `ticks` of time apart; does its velocity of at most 1
 * m/s trip? */
static bool trips_by_velocity(double step, double ticks, bool jitter)
{
    struct yk_limits limits = limits_of(0);
    struct bench b;

    limits.limit[YK_LIMIT_VELOCITY] = 1;
    limits.limit[YK_LIMIT_POSITION_ERROR] = 0;
    open_bench(&b, &limits);
    for (int k = 0; k < 500 && !b.s.trip.tripped; k++) {
        double sent = 0;
        const double late = jitter ? 0.3 * lateness(&b) : 0;

        b.due_ns += llround(ticks * TICK_NS);
        b.clock.virtual_ns = b.due_ns + llround(late * TICK_NS);
        yk_supervisor_commands(&b.s, &sent, &sent);
        b.reading.displacement = step * (k + late / ticks);
        yk_supervisor_readings(&b.s, YK_RIG_FRESH, &sent, &b.reading);
    }
    return b.s.trip.tripped && b.s.trip.kind == YK_LIMIT_VELOCITY;
}

static void velocities_are_those_of_the_wall(void **state)
{
    assert_false(trips_by_velocity(0.9e-3, 1, false));
    assert_false(trips_by_velocity(0.9e-3, 1, true));
    assert_true(trips_by_velocity(1.1e-3, 1, false));
    assert_true(trips_by_velocity(0.8e-3, 0.7, false)); /* 1.14 m/s */
    assert_false(trips_by_velocity(1.5e-3, 2, false));  /* 0.75 m/s */
}

/* No clock is read: an exchange is one tick. */
static void a_simulated_rig_has_nominal_time(void **state)
{
    const struct yk_limits limits = limits_of(RATE);
    struct yk_supervised one = {0};
    struct yk_reading reading = {0};
    struct yk_supervisor s;
    double x = 0, sent = 0;

    yk_supervisor_init(&s, &limits, &one, 1, (struct yk_tick){TICK, TICK});
    yk_supervisor_rest(&s, &x, &x, &reading);
    yk_supervisor_event(&s, YK_EVENT_ARM);
    yk_supervisor_event(&s, YK_EVENT_START);
    for (int k = 0; k < 100; k++) {
        x += RATE * TICK * 0.999;
        yk_supervisor_commands(&s, &x, &sent);
        assert_true(sent == x && s.time.passed == 1);
        yk_supervisor_readings(&s, YK_RIG_FRESH, &x, &reading);
    }
    assert_true(s.time.read == 100);
    assert_false(s.trip.tripped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beat_that_follows_a_late_one_is_no_faster),
        cmocka_unit_test(after_an_answer_that_comes_late_the_next_command_is_a_step_from_then),
        cmocka_unit_test(the_method_is_judged_by_the_full_tick),
        cmocka_unit_test(a_ramp_takes_its_time_on_the_wall),
        cmocka_unit_test(a_ramp_ends_at_home_however_late_its_end_is),
        cmocka_unit_test(a_ramp_does_not_leap_after_a_stall),
        cmocka_unit_test(silence_is_counted_by_the_clock),
        cmocka_unit_test(silence_begins_with_the_first_question),
        cmocka_unit_test(velocities_are_those_of_the_wall),
        cmocka_unit_test(a_simulated_rig_has_nominal_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
