/* The supervisor: what trips, what the actuators do then, and what they never do. Expected values are the limits
 * themselves, the polynomial of the ramp, and the energy of an oscillator behind a delay. */
#include "support/check.h"

#include "transfer/supervisor.h"

#include <math.h>

#define TICK 1e-3

enum { ACTUATORS = 2 };

struct bench {
    struct yk_supervisor s;
    struct yk_supervised supervised[ACTUATORS];
    struct yk_reading readings[ACTUATORS];
    double sent[ACTUATORS];
    bool sends;
};

static void open_bench(struct bench *b, const struct yk_limits *limits)
{
    const double start[ACTUATORS] = {0};

    *b = (struct bench){0};
    yk_supervisor_init(&b->s, limits, b->supervised, ACTUATORS, (struct yk_tick){TICK, TICK});
    yk_supervisor_rest(&b->s, start, start, b->readings);
}

static void start(struct bench *b)
{
    assert_true(yk_supervisor_event(&b->s, YK_EVENT_ARM));
    assert_true(yk_supervisor_event(&b->s, YK_EVENT_START));
}

/* A tick of a perfect rig: readings are the commands, the force is 100 N/m times them. */
static void tick(struct bench *b, double first, double second)
{
    const double wanted[ACTUATORS] = {first, second};

    b->sends = yk_supervisor_commands(&b->s, wanted, b->sent);
    for (int i = 0; i < ACTUATORS && b->sends; i++)
        b->readings[i] = (struct yk_reading){.displacement = b->sent[i], .force = 100 * b->sent[i]};
    yk_supervisor_readings(&b->s, YK_RIG_FRESH, wanted, b->readings);
}

static struct yk_limits with(enum yk_limit_kind kind, double limit, enum yk_action action)
{
    struct yk_limits limits = yk_limits_defaults();

    limits.limit[kind] = limit;
    limits.action[kind] = (int)action;
    return limits;
}

/* ---- states ---- */

static void nothing_is_sent_before_arming(void **state)
{
    struct bench b;
    struct yk_limits limits = yk_limits_defaults();

    open_bench(&b, &limits);
    tick(&b, 1, 1);
    assert_false(b.sends);
    assert_int_equal(b.s.state, YK_STATE_IDLE);
    yk_supervisor_event(&b.s, YK_EVENT_ARM);
    tick(&b, 1, 1); /* armed: it holds */
    assert_true(b.sends);
    assert_true(b.sent[0] == 0);
    yk_supervisor_event(&b.s, YK_EVENT_START); /* no ramp is asked for: it runs */
    assert_int_equal(b.s.state, YK_STATE_RUNNING);
    tick(&b, 1, 2);
    assert_true(b.sent[0] == 1 && b.sent[1] == 2);
}

static void a_trip_is_heard_in_every_state_and_only_reset_leaves_it(void **state)
{
    for (int s = 0; s < YK_STATES; s++)
        assert_int_equal(yk_transitions[s][YK_EVENT_TRIP].next, YK_STATE_TRIPPED);
    for (int e = 0; e < YK_EVENTS; e++)
        assert_int_equal(yk_transitions[YK_STATE_TRIPPED][e].next,
                         e == YK_EVENT_RESET ? YK_STATE_IDLE : YK_STATE_TRIPPED);
}

static void only_a_running_state_follows(void **state)
{
    for (int s = 0; s < YK_STATES; s++)
        assert_int_equal(yk_state_sources[s] == YK_SOURCE_FOLLOWED, s == YK_STATE_RUNNING);
}

static void pause_holds_resume_goes_on_and_step_makes_one(void **state)
{
    struct bench b;
    struct yk_limits limits = yk_limits_defaults();

    open_bench(&b, &limits);
    start(&b);
    tick(&b, 1, 1);
    yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
    assert_int_equal(b.s.state, YK_STATE_PAUSED);
    tick(&b, 5, 5);
    assert_true(b.sent[0] == 1);
    yk_supervisor_event(&b.s, YK_EVENT_RESUME);
    assert_false(b.s.one_step);
    tick(&b, 2, 2);
    assert_true(b.sent[0] == 2);
    yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
    yk_supervisor_event(&b.s, YK_EVENT_STEP);
    assert_true(b.s.one_step);
    yk_supervisor_event(&b.s, YK_EVENT_START); /* means nothing here */
    assert_true(b.s.one_step);
    yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
    assert_false(b.s.one_step);
    yk_supervisor_event(&b.s, YK_EVENT_STEP);
    yk_supervisor_event(&b.s, YK_EVENT_RESUME); /* during the step: it goes on after it */
    assert_false(b.s.one_step);
    assert_int_equal(b.s.state, YK_STATE_RUNNING);
}

static void controllers_keep_a_paused_actuator_within_the_limits(void **state)
{
    struct bench b;
    struct yk_limits limits = yk_limits_defaults();

    limits.limit[YK_LIMIT_DISPLACEMENT] = 3;
    limits.action[YK_LIMIT_DISPLACEMENT] = YK_ACTION_WARN;
    open_bench(&b, &limits);
    start(&b);
    tick(&b, 1, 1);
    yk_supervisor_keep(&b.s, (const double[]){2, 2}); /* means nothing in a run */
    assert_true(b.s.supervised[0].sent == 1);
    yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
    yk_supervisor_keep(&b.s, (const double[]){2, 9});
    tick(&b, 5, 5);
    assert_true(b.sent[0] == 2 && b.sent[1] == 3);
    assert_int_equal(b.s.warnings, 1);
    yk_supervisor_keep(&b.s, (const double[]){2, NAN}); /* trips, and nothing of it is taken over */
    assert_int_equal(b.s.state, YK_STATE_TRIPPED);
    assert_true(b.s.supervised[1].sent == 3);
}

/* ---- ramps ---- */

static void an_abort_ramps_home_smoothly(void **state)
{
    struct bench b;
    struct yk_limits limits = yk_limits_defaults();
    double last = 1, last_step = 0;
    int ticks = 0;

    limits.end_ramp = 0.5;
    open_bench(&b, &limits);
    start(&b);
    tick(&b, 1, -2);
    yk_supervisor_event(&b.s, YK_EVENT_ABORT);
    for (; b.s.state == YK_STATE_RAMPING; ticks++) {
        tick(&b, 7, 7);
        const double x = (ticks + 1) / 500.0, s = x * x * x * (10 - 15 * x + 6 * x * x), step = b.sent[0] - last;

        assert_near(b.sent[0], 1 - s, 1e-12);
        assert_near(b.sent[1], -2 * (1 - s), 1e-12);
        assert_true(fabs(step - last_step) <= 6 * TICK * TICK / 0.25); /* |s''| <= 10/sqrt(3) */
        last = b.sent[0];
        last_step = step;
    }
    assert_int_equal(ticks, 500);
    assert_int_equal(b.s.state, YK_STATE_DONE);
    tick(&b, 7, 7);
    assert_true(b.sent[0] == 0);
}

static void a_ramp_keeps_to_the_rate(void **state)
{
    struct bench b;
    struct yk_limits limits = with(YK_LIMIT_COMMAND_RATE, 0.2, YK_ACTION_HOLD);
    double steepest = 0;

    open_bench(&b, &limits);
    start(&b);
    for (int k = 1; k <= 10000; k++)
        tick(&b, 1e-4 * k, 0);
    yk_supervisor_event(&b.s, YK_EVENT_FINISH);
    for (double last = b.sent[0]; b.s.state == YK_STATE_RAMPING; last = b.sent[0]) {
        tick(&b, 0, 0);
        steepest = fmax(steepest, fabs(b.sent[0] - last) / TICK);
    }
    assert_true(steepest <= 0.2 && steepest > 0.17);
    assert_near(b.sent[0], 0, 1e-15);
}

static void a_start_ramp_goes_from_the_reading_to_the_start(void **state)
{
    const double where[ACTUATORS] = {0.3, 0};
    struct yk_limits limits = yk_limits_defaults();
    const double home[ACTUATORS] = {0.1, 0};
    struct bench b = {0};

    limits.start_ramp = 0.1;
    yk_supervisor_init(&b.s, &limits, b.supervised, ACTUATORS, (struct yk_tick){TICK, TICK});
    yk_supervisor_rest(&b.s, where, home, b.readings);
    start(&b);
    assert_int_equal(b.s.state, YK_STATE_STARTING);
    tick(&b, 9, 9);
    assert_true(b.sent[0] == 0.1); /* the first command is where it stands */
    for (int k = 0; k < 50; k++)
        tick(&b, 9, 9);
    assert_near(b.sent[0], 0.2, 1e-12);
    for (int k = 0; k < 50; k++)
        tick(&b, 9, 9);
    assert_near(b.sent[0], 0.3, 1e-15);
    assert_int_equal(b.s.state, YK_STATE_RUNNING);
    yk_supervisor_event(&b.s, YK_EVENT_ABORT);
    while (b.s.state == YK_STATE_RAMPING)
        tick(&b, 9, 9);
    assert_near(b.sent[0], 0.1, 1e-15);
}

static void a_ramp_without_end_is_not_skipped(void **state)
{
    struct yk_limits limits = with(YK_LIMIT_COMMAND_RATE, 1e-300, YK_ACTION_HOLD);
    struct bench b = {0};

    yk_supervisor_init(&b.s, &limits, b.supervised, ACTUATORS, (struct yk_tick){TICK, TICK});
    yk_supervisor_rest(&b.s, (const double[ACTUATORS]){0.3}, (const double[ACTUATORS]){0.1}, b.readings);
    start(&b);
    for (int k = 0; k < 50; k++)
        tick(&b, 0.3, 0);
    assert_int_equal(b.s.state, YK_STATE_STARTING);
    assert_near(b.sent[0], 0.1, 1e-15);
}

/* Without a duration a start ramp takes 0.2 s, or as long as 15/8 of the way at nine tenths of the slowest limit of
 * speed, or sqrt(10/sqrt(3) way) at nine tenths of the acceleration. */
static void a_ramp_keeps_to_velocity_and_acceleration_too(void **state)
{
    static const struct {
        enum yk_limit_kind kind;
        double limit, seconds;
    } cases[] = {{YK_LIMIT_FORCE, 0, 0.2},
                 {YK_LIMIT_VELOCITY, 0.1, 15.0 / 8 * 0.3 / 0.09},
                 {YK_LIMIT_COMMAND_RATE, 0.1, 15.0 / 8 * 0.3 / 0.09},
                 {YK_LIMIT_ACCELERATION, 0.5, 1.961785}}; /* sqrt(10/sqrt(3) 0.3/0.45) */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_limits limits = with(cases[i].kind, cases[i].limit, YK_ACTION_HOLD);
        struct bench b;
        int ticks = 0;

        limits.start_ramp = 0;
        open_bench(&b, &limits);
        yk_supervisor_rest(&b.s, (const double[ACTUATORS]){0.3}, (const double[ACTUATORS]){0}, b.readings);
        start(&b);
        for (; b.s.state == YK_STATE_STARTING; ticks++)
            tick(&b, 0, 0);
        assert_int_equal(b.s.state, YK_STATE_RUNNING); /* its own limit has not tripped it */
        assert_int_equal(ticks, 1 + (int)ceil(cases[i].seconds / TICK));
    }
}

/* A tick of the test lasts 50 or 200 times as long, one of a ramp does not: it has its duration in wall time. */
static void ticks_of_the_supervisor_stay_short_in_a_stretched_test(void **state)
{
    static const struct {
        double period, scale, followed, moving;
    } cases[] = {{1e-3, 1, 1e-3, 1e-3},     {1e-3, 0.2, 2e-4, 2e-4}, {1e-3, 50, 50e-3, 2e-3},
                 {1e-3, 200, 200e-3, 2e-3}, {1e-5, 200, 2e-3, 2e-3}, {1e-2, 10, 0.1, 1e-2}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_tick t = yk_tick_of(cases[i].period, cases[i].scale);

        assert_near(t.followed_s, cases[i].followed, 1e-15);
        assert_near(t.moving_s, cases[i].moving, 1e-15);
    }
}

static void rates_and_ramps_are_in_wall_time(void **state)
{
    struct yk_limits limits = with(YK_LIMIT_COMMAND_RATE, 0.1, YK_ACTION_RAMP);
    const double zero[ACTUATORS] = {0};
    struct bench b = {0};
    int ticks = 0;

    limits.trip_ramp = 1;
    yk_supervisor_init(&b.s, &limits, b.supervised, ACTUATORS, yk_tick_of(TICK, 50));
    yk_supervisor_rest(&b.s, zero, zero, b.readings);
    start(&b);
    tick(&b, 4.9e-3, 0); /* in 50 ms */
    assert_false(b.s.trip.tripped);
    tick(&b, 4.9e-3 + 5.1e-3, 0);
    assert_true(b.s.trip.tripped);
    assert_near(b.s.trip.value, 5.1e-3 / 50e-3, 1e-12);
    for (ticks = 1; yk_supervisor_moves(&b.s); ticks++) /* it has begun with the trip */
        tick(&b, 9, 9);
    assert_int_equal(ticks, 500); /* of 2 ms */
    assert_near(b.sent[0], 0, 1e-15);
}

/* As quick as the limits allow: 0.2 s, or 15/8 of the way at nine tenths of the rate; and never longer
 * than what is left. */
static void a_second_abort_shortens_the_ramp(void **state)
{
    static const struct {
        double rate, end_ramp;
        int ticks;
    } cases[] = {{0, 60, 200}, {1, 60, 2084}, {0, 0.1, 50}, {1e3, 60, 200}}; /* 15/8 of 1 m at 0.9 m/s: 2.0833 s */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int tripped = 0; tripped < 2; tripped++) {
            struct yk_limits limits = with(YK_LIMIT_COMMAND_RATE, cases[i].rate, YK_ACTION_WARN);
            struct bench b;
            int ticks = 0;

            limits.end_ramp = limits.trip_ramp = cases[i].end_ramp;
            open_bench(&b, &limits);
            start(&b);
            for (int k = 1; k <= 2000; k++)
                tick(&b, 5e-4 * k, 0);
            if (tripped)
                yk_supervisor_raise(&b.s, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
            else
                yk_supervisor_event(&b.s, YK_EVENT_ABORT);
            for (int k = 0; k < 50; k++)
                tick(&b, 7, 7);
            yk_supervisor_event(&b.s, YK_EVENT_ABORT);
            double last = b.sent[0], fastest = 0;
            for (; yk_supervisor_moves(&b.s); ticks++, last = b.sent[0]) {
                tick(&b, 7, 7);
                fastest = fmax(fastest, fabs(b.sent[0] - last) / TICK);
            }
            assert_int_equal(ticks, cases[i].ticks);
            assert_true(cases[i].rate == 0 || fastest <= cases[i].rate);
            assert_near(b.sent[0], 0, 1e-12);
            assert_int_equal(b.s.state, tripped ? YK_STATE_TRIPPED : YK_STATE_DONE);
        }
}

/* Moved by 20 mm in a pause of a second: the command does not go on from there as if nothing had been. */
static void an_actuator_that_was_moved_in_a_pause_is_not_moved_on(void **state)
{
    for (int moved = 0; moved < 2; moved++) {
        const struct yk_limits limits = yk_limits_defaults();
        const double wanted[ACTUATORS] = {0.1, 0};
        struct bench b;

        open_bench(&b, &limits);
        start(&b);
        for (int k = 1; k <= 100; k++)
            tick(&b, 1e-3 * k, 0);
        yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
        for (int k = 0; k < 1000; k++) {
            yk_supervisor_keep(&b.s, wanted);
            yk_supervisor_commands(&b.s, wanted, b.sent);
            b.readings[0].displacement = 0.1 + (moved ? 2e-5 * k : 0);
            yk_supervisor_readings(&b.s, YK_RIG_FRESH, wanted, b.readings);
        }
        yk_supervisor_event(&b.s, YK_EVENT_RESUME);
        tick(&b, 0.101, 0);
        assert_int_equal(b.s.trip.tripped, moved);
        if (moved)
            assert_int_equal(b.s.trip.kind, YK_LIMIT_POSITION_ERROR);
        assert_true(fabs(b.sent[0] - 0.1) <= 1.001e-3);
    }
}

/* A hold counts from 0.5 s and 50 ticks on: a shorter one may end before the actuator has come to rest. */
static void a_short_hold_is_not_judged(void **state)
{
    static const struct {
        double tick_s;
        int ticks;
        bool trips;
    } cases[] = {{1e-3, 499, false}, {1e-3, 501, true}, {0.1, 49, false}, {0.1, 50, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_limits limits = yk_limits_defaults();
        const double wanted[ACTUATORS] = {0};
        struct bench b;

        open_bench(&b, &limits);
        yk_supervisor_init(&b.s, &limits, b.supervised, ACTUATORS, (struct yk_tick){cases[i].tick_s, cases[i].tick_s});
        yk_supervisor_rest(&b.s, wanted, wanted, b.readings);
        start(&b);
        tick(&b, 0, 0);
        yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
        for (int k = 0; k < cases[i].ticks; k++) {
            yk_supervisor_keep(&b.s, wanted);
            yk_supervisor_commands(&b.s, wanted, b.sent);
            b.readings[0].displacement = 0.02; /* m; position_error is 1 mm */
            yk_supervisor_readings(&b.s, YK_RIG_FRESH, wanted, b.readings);
        }
        yk_supervisor_event(&b.s, YK_EVENT_RESUME);
        tick(&b, 0, 0);
        assert_int_equal(b.s.trip.tripped, cases[i].trips);
    }
}

/* After the start ramp of 1 m the rig stays short of it by a part of the way. The run waits a second for it; then 1 mm
 * and 5 % of the way are let pass, and more is not. */
static void a_run_waits_a_second_for_actuators_and_trips_where_they_did_not_follow(void **state)
{
    static const struct {
        double missing;
        int waits;
        bool trips;
    } cases[] = {{0, 0, false}, {0.0505, 1000, false}, {0.0515, 1000, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double goal[ACTUATORS] = {1, 0}, home[ACTUATORS] = {0};
        struct yk_limits limits = yk_limits_defaults();
        struct bench b;
        int waited = 0;

        limits.start_ramp = 0.1;
        limits.limit[YK_LIMIT_POSITION_ERROR] = 1e-3;
        open_bench(&b, &limits);
        yk_supervisor_rest(&b.s, goal, home, b.readings);
        start(&b);
        for (int k = 0; k < 3000 && b.s.state == YK_STATE_STARTING; k++) {
            waited += !yk_supervisor_moves(&b.s);
            yk_supervisor_commands(&b.s, goal, b.sent);
            b.readings[0].displacement = (1 - cases[i].missing) * b.sent[0];
            yk_supervisor_readings(&b.s, YK_RIG_FRESH, goal, b.readings);
        }
        assert_int_equal(waited, cases[i].waits);
        assert_int_equal(b.s.trip.tripped, cases[i].trips);
        assert_int_equal(b.s.state, cases[i].trips ? YK_STATE_TRIPPED : YK_STATE_RUNNING);
    }
}

static void limits_hold_in_ramps_too(void **state)
{
    const double where[ACTUATORS] = {0.3, 0};
    struct yk_limits limits = with(YK_LIMIT_DISPLACEMENT, 0.2, YK_ACTION_HOLD);
    struct bench b;

    limits.start_ramp = 0.1;
    open_bench(&b, &limits);
    yk_supervisor_rest(&b.s, where, (const double[ACTUATORS]){0}, b.readings);
    start(&b);
    for (int k = 0; k < 300; k++) {
        tick(&b, 0.3, 0);
        assert_true(fabs(b.sent[0]) <= 0.2);
    }
    assert_int_equal(b.s.state, YK_STATE_TRIPPED); /* by the first command of the method */
}

/* ---- limits ---- */

/* Faults, one for each limit: a command or reading at tick 100 of a slow motion. */
struct fault {
    enum yk_limit_kind kind;
    double limit;
    const char *words;
    void (*happen)(struct bench *b, const double *wanted);
};

static void jump(struct bench *b, const double *wanted)
{
    tick(b, wanted[0] + 1, wanted[1]);
}

static void no_number(struct bench *b, const double *wanted)
{
    tick(b, NAN, wanted[1]);
}

static void step_with(struct bench *b, const double *wanted, double displacement, double force)
{
    if (yk_supervisor_commands(&b->s, wanted, b->sent))
        b->readings[1] = (struct yk_reading){.displacement = b->sent[1], .force = 100 * b->sent[1]};
    b->readings[0] = (struct yk_reading){.displacement = displacement, .force = force};
    yk_supervisor_readings(&b->s, YK_RIG_FRESH, wanted, b->readings);
}

static void heavy(struct bench *b, const double *wanted)
{
    step_with(b, wanted, wanted[0], -1e3);
}

static void infinite(struct bench *b, const double *wanted)
{
    step_with(b, wanted, wanted[0], INFINITY);
}

static void unread(struct bench *b, const double *wanted)
{
    step_with(b, wanted, NAN, 0);
}

static void far_off(struct bench *b, const double *wanted)
{
    step_with(b, wanted, wanted[0] + 0.5, 0);
}

static void frozen(struct bench *b, const double *wanted)
{
    step_with(b, wanted, 0.0099, 100 * wanted[0]);
}

static void frozen_force(struct bench *b, const double *wanted)
{
    step_with(b, wanted, wanted[0], 0.99);
}

static void late(struct bench *b, const double *wanted)
{
    tick(b, wanted[0], wanted[1]);
    yk_supervisor_deadline(&b->s, true);
}

static void unconverged(struct bench *b, const double *wanted)
{
    tick(b, wanted[0], wanted[1]);
    yk_supervisor_converged(&b->s, false);
}

static void silent(struct bench *b, const double *wanted)
{
    yk_supervisor_commands(&b->s, wanted, b->sent);
    yk_supervisor_readings(&b->s, YK_RIG_HELD, wanted, b->readings);
}

static void gone(struct bench *b, const double *wanted)
{
    yk_supervisor_commands(&b->s, wanted, b->sent);
    yk_supervisor_readings(&b->s, YK_RIG_LOST, wanted, b->readings);
}

/* A reading that repeats itself is frozen once the command has gone by more than 1 % of the largest motion so far. */
static void a_reading_may_repeat_itself_while_the_command_rests(void **state)
{
    for (int moves = 0; moves < 2; moves++) {
        const struct yk_limits limits = with(YK_LIMIT_SENSOR_FROZEN, 0.02, YK_ACTION_HOLD);
        const double wanted[ACTUATORS] = {0.1 * (moves ? 0.989 : 0.991)};
        struct bench b;

        open_bench(&b, &limits);
        start(&b);
        for (int k = 1; k <= 100; k++)
            tick(&b, 1e-3 * k, 0);
        for (int k = 0; k < 100; k++)
            step_with(&b, wanted, 0.1, 0);
        assert_int_equal(b.s.trip.tripped, moves);
    }
}

/* The speed that is multiplied by the damping of an estimate is a mean over eight ticks. */
static void speeds_are_smoothed_over_eight_ticks(void **state)
{
    const struct yk_limits limits = yk_limits_defaults();
    const double v = 0.2;
    struct bench b;

    open_bench(&b, &limits);
    start(&b);
    for (int k = 1; k <= 20; k++) {
        tick(&b, v * TICK * k, 0);
        assert_near(b.supervised[0].speed, v * (1 - pow(7.0 / 8, k)), 1e-12);
    }
}

static const struct fault faults[] = {
    {YK_LIMIT_DISPLACEMENT, 0.5, "command of left, 1.01 m, passed its limit of 0.5 m", jump},
    {YK_LIMIT_COMMAND_RATE, 0.5, "rate of the command of left, 1000.1 m/s, passed its limit of 0.5 m/s", jump},
    {YK_LIMIT_BAD_COMMAND, 0, "not a number: command of left", no_number},
    {YK_LIMIT_FORCE, 500, "force of left, -1000 N, passed its limit of 500 N", heavy},
    {YK_LIMIT_BAD_READING, 0, "not a number: reading of left", infinite},
    {YK_LIMIT_BAD_READING, 0, "not a number: reading of left", unread},
    {YK_LIMIT_SENSOR_RANGE, 0.4, "reading of left, 0.51 m, passed its limit of 0.4 m", far_off},
    {YK_LIMIT_TRACKING_ERROR, 0.4, "tracking error of left, -0.5 m, passed its limit of 0.4 m", far_off},
    {YK_LIMIT_VELOCITY, 10, "velocity of left, 62.6 m/s, passed its limit of 10 m/s", far_off},
    {YK_LIMIT_ACCELERATION, 100, "acceleration of left, 7812.5 m/s2, passed its limit of 100 m/s2", far_off},
    {YK_LIMIT_SENSOR_FROZEN, 0.02, "frozen displacement of left, 0.021 s, passed its limit of 0.02 s", frozen},
    {YK_LIMIT_FORCE_FROZEN, 0.02, "frozen force of left, 0.021 s, passed its limit of 0.02 s", frozen_force},
    {YK_LIMIT_MISSED_DEADLINES, 3, "deadlines missed in a row, 3, passed its limit of 3", late},
    {YK_LIMIT_MISSED_TOTAL, 2, "deadlines missed, 2, passed its limit of 2", late},
    {YK_LIMIT_UNCONVERGED, 2, "steps in a row with a member that did not converge, 2, passed its limit of 2",
     unconverged},
    {YK_LIMIT_PEER_SILENCE, 0.01, "silence of the rig, 0.011 s, passed its limit of 0.01 s", silent},
    {YK_LIMIT_RIG_LOST, 0, "the rig is lost", gone},
};

/* A slow ramp of 0.1 mm a tick, until the fault at 10 mm; then the fault goes on, 100 ticks more. */
static void live_through(struct bench *b, const struct fault *f)
{
    for (int k = 1; k <= 200; k++) {
        const double wanted[ACTUATORS] = {1e-4 * k, -1e-4 * k};

        if (k < 100)
            tick(b, wanted[0], wanted[1]);
        else
            f->happen(b, wanted);
    }
}

static void a_trip_is_told_without_powers_of_ten(void **state)
{
    const char *const names[] = {"jack"};
    const struct {
        enum yk_limit_kind kind;
        double value, limit;
        bool turns;
        const char *words;
    } cases[] = {
        {YK_LIMIT_FORCE, -1.00017e6, 1e6, false, "force of jack, -1.00017 MN, passed its limit of 1 MN"},
        {YK_LIMIT_FORCE, 250100, 250000, false, "force of jack, 250100 N, passed its limit of 250000 N"},
        {YK_LIMIT_FORCE, 2e6, 1e6, true, "force of jack, 2 MN m, passed its limit of 1 MN m"},
        {YK_LIMIT_TRACKING_ERROR, 6.5e-5, 5e-5, false, "tracking error of jack, 0.065 mm, passed its limit of 0.05 mm"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_trip trip = {.tripped = true,
                                     .kind = cases[i].kind,
                                     .value = cases[i].value,
                                     .limit = cases[i].limit,
                                     .turns = cases[i].turns};
        char text[256];

        yk_trip_text(&trip, names, text, sizeof text);
        assert_string_equal(text, cases[i].words);
    }
}

static void each_limit_trips_with_its_words(void **state)
{
    const char *const names[] = {"left", "right"};

    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct yk_limits limits = with(faults[i].kind, faults[i].limit, YK_ACTION_HOLD);
        struct bench b;
        char text[160];

        open_bench(&b, &limits);
        start(&b);
        live_through(&b, &faults[i]);
        yk_trip_text(&b.s.trip, names, text, sizeof text);
        assert_string_equal(text, faults[i].words);
        assert_int_equal(b.s.state, YK_STATE_TRIPPED);
        assert_true(b.s.trip.tick >= 98 && b.s.trip.tick < 130);
        assert_true(fabs(b.sent[0]) < 0.015 && fabs(b.sent[1]) < 0.015); /* it holds from there on */
        assert_true(isfinite(b.readings[0].force) && isfinite(b.readings[0].displacement));
    }
}

static void the_action_decides_the_motion(void **state)
{
    static const struct {
        enum yk_action action;
        double end;
        bool cut;
    } cases[] = {{YK_ACTION_HOLD, 9.9e-3, false}, {YK_ACTION_RAMP, 0, false}, {YK_ACTION_CUT, 9.9e-3, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_limits limits = with(YK_LIMIT_DISPLACEMENT, 0.5, cases[i].action);
        struct bench b;

        limits.trip_ramp = 0.05;
        open_bench(&b, &limits);
        start(&b);
        live_through(&b, &faults[0]);
        assert_near(b.sent[0], cases[i].end, 1e-15);
        assert_int_equal(b.s.cut, cases[i].cut);
    }
}

/* As on a console before `enable`: an actuator that was jogged away from home must not ramp back by a door that opens,
 * may be pushed by hand, and its enable line stays off. */
static void with_drives_disabled_a_trip_moves_nothing(void **state)
{
    static const struct yk_rig_line lines[] = {
        {"door", YK_LINE_INTERLOCK, false, 0}, {"on", YK_LINE_ENABLE, false, 0}, {"red", YK_LINE_TRIP_LAMP, false, 0}};
    struct yk_limits limits = with(YK_LIMIT_TRACKING_ERROR, 1e-3, YK_ACTION_RAMP);
    struct bench b;

    open_bench(&b, &limits);
    yk_supervisor_watch(&b.s, NULL, 0, lines, 3);
    start(&b);
    assert_int_equal(yk_supervisor_lines(&b.s), 2);
    tick(&b, 5e-3, 0);
    b.s.off = true;
    yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
    tick(&b, 5e-3, 0);
    assert_int_equal(yk_supervisor_lines(&b.s), 0);
    b.readings[0].displacement = 9e-3; /* by hand */
    yk_supervisor_readings(&b.s, YK_RIG_FRESH, b.sent, b.readings);
    assert_false(b.s.trip.tripped);
    yk_supervisor_inputs(&b.s, NULL, 0); /* the door opens */
    assert_int_equal(b.s.state, YK_STATE_TRIPPED);
    assert_int_equal(yk_supervisor_lines(&b.s), 4);
    for (int i = 0; i < 3000; i++) {
        tick(&b, 0, 0);
        assert_true(b.sent[0] == 5e-3);
    }
    b.s.tested = b.s.tested_on = 2; /* a test by hand */
    assert_int_equal(yk_supervisor_lines(&b.s), 4 + 2);
}

static void a_warning_clips_counts_and_goes_on(void **state)
{
    const struct yk_limits limits = with(YK_LIMIT_DISPLACEMENT, 0.5, YK_ACTION_WARN);
    struct bench b;

    open_bench(&b, &limits);
    start(&b);
    live_through(&b, &faults[0]);
    assert_int_equal(b.s.state, YK_STATE_RUNNING);
    assert_true(b.sent[0] == 0.5);
    assert_int_equal(b.s.warnings, 101);
    assert_int_equal(b.s.warning.tick, 99);
    assert_false(b.s.trip.tripped);
}

static void a_fault_never_only_warns(void **state)
{
    struct yk_limits limits = yk_limits_defaults();
    struct bench b;

    limits.on_trip = YK_ACTION_WARN;
    open_bench(&b, &limits);
    start(&b);
    tick(&b, NAN, 0);
    assert_int_equal(b.s.state, YK_STATE_TRIPPED);
    assert_true(b.sent[0] == 0);
}

static void the_first_cause_stays_and_a_cut_still_cuts(void **state)
{
    struct yk_limits limits = with(YK_LIMIT_DISPLACEMENT, 0.5, YK_ACTION_RAMP);
    const double wanted[ACTUATORS] = {0};
    struct bench b;

    limits.limit[YK_LIMIT_FORCE] = 500;
    limits.action[YK_LIMIT_FORCE] = YK_ACTION_CUT;
    open_bench(&b, &limits);
    start(&b);
    tick(&b, 0.1, 0);
    tick(&b, 3, 0);
    for (int k = 0; k < 100; k++)
        tick(&b, 3, 0);
    const double reached = b.sent[0];

    assert_true(reached < 0.1 && reached > 0);
    step_with(&b, wanted, 0, 1000);
    assert_true(b.s.cut);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_DISPLACEMENT);
    const double cut_at = b.sent[0];
    tick(&b, 3, 0);
    assert_true(b.sent[0] == cut_at);
}

static void deadlines_in_a_row_start_again_after_one_that_is_met(void **state)
{
    const struct yk_limits limits = with(YK_LIMIT_MISSED_DEADLINES, 3, YK_ACTION_HOLD);
    struct bench b;

    open_bench(&b, &limits);
    start(&b);
    for (int k = 0; k < 30; k++)
        yk_supervisor_deadline(&b.s, k % 3 != 0);
    assert_false(b.s.trip.tripped);
    assert_int_equal(b.s.missed, 20);
}

/* ---- energy error ---- */

/* An oscillator m = 1, k = k_n + k_s of which the part k_s is behind a pure delay of `ticks`; free vibration from 1, or
 * driven at resonance from rest. Returns how far the motion had grown when the monitor saw a growth of 3; 0: it never
 * did. */
static double grown_at_trip(int delay_ticks, double damping, double force, double seconds)
{
    const double omega = 8, k_n = 0.5 * omega * omega, k_s = 0.5 * omega * omega, h = 1e-3;
    double past[64] = {0}, u = force > 0 ? 0 : 1, v = 0, peak = u;
    struct yk_energy_monitor m = {0};

    for (int i = 0; i < 64; i++)
        past[i] = u;
    for (long k = 0; (double)k * h < seconds; k++) {
        const double measured = past[delay_ticks], r = k_s * measured;

        if (yk_energy_monitor_step(&m, u, measured, r) > 3)
            return peak;
        v += h * (force * cos(omega * h * (double)k) - 2 * damping * omega * v - k_n * u - r);
        u += h * v;
        memmove(past + 1, past, sizeof past - sizeof *past);
        past[0] = u;
        peak = fmax(peak, fabs(u));
    }
    return 0;
}

/* Straight lines between 0, 1, -1, 1, -1 and on, with the force of a spring of 1 N/m, so that E = range^2/8. A swing
 * begins 5 % of the one before behind its end. The first motion counts for nothing; of the next three the first is the
 * largest, and the peak P follows the smaller ones by a fiftieth. In the last one the error does the work w: growth is
 * seen from E = P on, and as long as w is at least half of E - P. */
static void growth_counts_where_the_error_does_half_of_its_work(void **state)
{
    static const double ends[] = {0, 1, -1, 1, -1, 4};
    const double w = 0.2, step = 1e-4;
    double x = 0, error = 0, first = 0, last = 0, range = 1, P = 0;
    struct yk_energy_monitor m = {0};

    for (int k = 0; k < 3; k++) {
        range = 2 - 0.05 * range;
        P = k == 0 ? range * range / 8 : P + (range * range / 8 - P) / 50;
    }
    const double begin = -1 + 0.05 * range;
    yk_energy_monitor_step(&m, 0, 0, 0);
    for (int k = 1; k < 6; k++)
        for (const double way = copysign(step, ends[k] - x); (ends[k] - x) * way > 0.5 * way * way;) {
            const double before = x;

            x += way;
            if (k == 5 && x > -0.9 && x < -0.5) /* the same share of w in every tick */
                error += w * step / 0.4 / (0.5 * (x + before));
            const double growth = yk_energy_monitor_step(&m, x, x + error, x), E = (x - begin) * (x - begin) / 8;
            assert_true(k > 2 || m.peak == 0); /* no swing has ended yet */
            if (growth > 1 && first == 0)
                first = E;
            if (growth > 1)
                last = E;
        }
    assert_near(first, P, 2e-4); /* steps of 1e-4 m change E by 5e-5 J */
    assert_near(last, P + w / 0.5, 2e-4);
}

static void an_unstable_loop_trips_before_the_motion_has_grown_tenfold(void **state)
{
    /* the delay takes away damping of omega tau/4: 0.4, 1 and 6 % here, of 0.1 % that is there */
    assert_true(grown_at_trip(2, 0.001, 0, 200) > 1 && grown_at_trip(2, 0.001, 0, 200) < 5);
    assert_true(grown_at_trip(5, 0.001, 0, 200) > 1 && grown_at_trip(5, 0.001, 0, 200) < 5);
    assert_true(grown_at_trip(30, 0.001, 0, 200) > 1 && grown_at_trip(30, 0.001, 0, 200) < 5);
}

static void a_stable_loop_does_not_trip_however_long_it_runs(void **state)
{
    assert_true(grown_at_trip(0, 0.02, 0, 200) == 0);
    assert_true(grown_at_trip(5, 0.05, 0, 200) == 0);  /* decays */
    assert_true(grown_at_trip(2, 0.05, 10, 200) == 0); /* grows to its resonance, then stays */
}

/* ---- the position that a device tells ---- */

static void a_device_may_be_behind_by_what_its_command_has_moved(void **state)
{
    const struct yk_limits limits = with(YK_LIMIT_POSITION_ERROR, 1e-3, YK_ACTION_HOLD);
    double at = 0;
    char text[256];
    struct bench b;

    open_bench(&b, &limits);
    start(&b);
    for (int k = 0; k < 3000; k++) { /* 10 mm at 2 Hz, 80 ms behind */
        tick(&b, 0.01 * sin(2 * k * TICK * 6.28), 0);
        at += (b.sent[0] - at) * TICK / 0.08;
        yk_supervisor_device(&b.s, 0, at);
    }
    assert_false(b.s.trip.tripped);
    for (int k = 0; k < 1200; k++) { /* at rest it must arrive */
        tick(&b, b.sent[0], 0);
        yk_supervisor_device(&b.s, 0, b.sent[0] + 1.1e-3);
    }
    assert_true(b.s.trip.tripped && b.s.trip.kind == YK_LIMIT_DEVICE_POSITION);
    yk_trip_text(&b.s.trip, (const char *const[]){"a1", "a2"}, text, sizeof text);
    assert_string_equal(text, "the device of a1 is 0.0011 m from its command by its own counting; 0.001 m are allowed");
}

/* ---- what goes with the commands ---- */

static struct yk_ahead ahead_of(const struct bench *b)
{
    return yk_supervisor_ahead(&b->s, 0, &(struct yk_ahead){b->sent[0], 3, -50, 1e5});
}

static bool nothing_goes_with(const struct bench *b)
{
    const struct yk_ahead a = ahead_of(b);

    return a.displacement == b->sent[0] && a.velocity == 0 && a.acceleration == 0 && a.force == 0;
}

static void what_goes_with_the_commands_keeps_their_limits(void **state)
{
    struct yk_limits limits = with(YK_LIMIT_FORCE, 2000, YK_ACTION_HOLD);
    struct bench b;

    limits.limit[YK_LIMIT_VELOCITY] = 2;
    limits.limit[YK_LIMIT_COMMAND_RATE] = 1;
    limits.limit[YK_LIMIT_ACCELERATION] = 20;
    open_bench(&b, &limits);
    start(&b);
    tick(&b, 1e-4, 0);
    assert_true(ahead_of(&b).velocity == 1 && ahead_of(&b).acceleration == -20);
    assert_true(ahead_of(&b).force < 100); /* it comes by and by */
    for (int k = 0; k < 100; k++)
        tick(&b, 1e-4, 0);
    assert_true(ahead_of(&b).force == 2000);
    assert_true(yk_supervisor_ahead(&b.s, 0, &(struct yk_ahead){.force = NAN, .velocity = INFINITY}).velocity == 0);
    b.supervised[0].own.kind = YK_BY_FORCE; /* the rate of its command is in N/s, and its force is the command */
    assert_true(ahead_of(&b).velocity == 2 && ahead_of(&b).force == 1e5);
}

/* A broken load cell: none of the packets after the trip has a force. */
static void nothing_goes_with_the_commands_after_a_trip(void **state)
{
    for (int action = YK_ACTION_HOLD; action <= YK_ACTION_RAMP; action++) {
        struct yk_limits limits = with(YK_LIMIT_FORCE, 2000, (enum yk_action)action);
        struct bench b;

        open_bench(&b, &limits);
        start(&b);
        for (int k = 0; k <= 200; k++)
            tick(&b, 1e-5 * k, 0);
        assert_true(ahead_of(&b).force == 2000 && ahead_of(&b).velocity == 3);
        b.readings[0].force = 1e5;
        yk_supervisor_readings(&b.s, YK_RIG_FRESH, b.sent, b.readings);
        assert_true(b.s.trip.tripped);
        for (int k = 0; k < 2000; k++) {
            tick(&b, 1, 1);
            assert_true(b.sends && nothing_goes_with(&b));
        }
    }
}

static void nothing_goes_with_the_commands_in_pauses_and_holds(void **state)
{
    struct yk_limits limits = yk_limits_defaults();
    struct bench b;
    double before;

    open_bench(&b, &limits);
    start(&b);
    for (int k = 0; k <= 200; k++)
        tick(&b, 1e-5 * k, 0);
    for (int paused = 0; paused < 2; paused++) {
        if (paused)
            yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
        before = ahead_of(&b).force;
        assert_true(before == 1e5);
        for (int k = 0; k < 200; k++) {
            if (!paused)
                yk_supervisor_hold(&b.s);
            tick(&b, b.sent[0], 0);
            assert_true(ahead_of(&b).velocity == 0 && ahead_of(&b).acceleration == 0);
            assert_true(before - ahead_of(&b).force <= 1.01e-2 * 1e5); /* within 0.1 s, not at once */
            before = ahead_of(&b).force;
        }
        assert_true(nothing_goes_with(&b));
        if (paused)
            yk_supervisor_event(&b.s, YK_EVENT_RESUME);
        for (int k = 0; k < 200; k++) {
            tick(&b, b.sent[0] + 1e-5, 0);
            assert_true(ahead_of(&b).force - before <= 1.01e-2 * 1e5);
            before = ahead_of(&b).force;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_sent_before_arming),
        cmocka_unit_test(a_trip_is_heard_in_every_state_and_only_reset_leaves_it),
        cmocka_unit_test(only_a_running_state_follows),
        cmocka_unit_test(pause_holds_resume_goes_on_and_step_makes_one),
        cmocka_unit_test(controllers_keep_a_paused_actuator_within_the_limits),
        cmocka_unit_test(an_abort_ramps_home_smoothly),
        cmocka_unit_test(a_ramp_keeps_to_the_rate),
        cmocka_unit_test(a_start_ramp_goes_from_the_reading_to_the_start),
        cmocka_unit_test(a_ramp_without_end_is_not_skipped),
        cmocka_unit_test(a_ramp_keeps_to_velocity_and_acceleration_too),
        cmocka_unit_test(ticks_of_the_supervisor_stay_short_in_a_stretched_test),
        cmocka_unit_test(rates_and_ramps_are_in_wall_time),
        cmocka_unit_test(a_second_abort_shortens_the_ramp),
        cmocka_unit_test(an_actuator_that_was_moved_in_a_pause_is_not_moved_on),
        cmocka_unit_test(a_short_hold_is_not_judged),
        cmocka_unit_test(a_run_waits_a_second_for_actuators_and_trips_where_they_did_not_follow),
        cmocka_unit_test(a_reading_may_repeat_itself_while_the_command_rests),
        cmocka_unit_test(speeds_are_smoothed_over_eight_ticks),
        cmocka_unit_test(limits_hold_in_ramps_too),
        cmocka_unit_test(a_trip_is_told_without_powers_of_ten),
        cmocka_unit_test(each_limit_trips_with_its_words),
        cmocka_unit_test(the_action_decides_the_motion),
        cmocka_unit_test(with_drives_disabled_a_trip_moves_nothing),
        cmocka_unit_test(a_warning_clips_counts_and_goes_on),
        cmocka_unit_test(a_fault_never_only_warns),
        cmocka_unit_test(the_first_cause_stays_and_a_cut_still_cuts),
        cmocka_unit_test(deadlines_in_a_row_start_again_after_one_that_is_met),
        cmocka_unit_test(growth_counts_where_the_error_does_half_of_its_work),
        cmocka_unit_test(an_unstable_loop_trips_before_the_motion_has_grown_tenfold),
        cmocka_unit_test(a_stable_loop_does_not_trip_however_long_it_runs),
        cmocka_unit_test(a_device_may_be_behind_by_what_its_command_has_moved),
        cmocka_unit_test(what_goes_with_the_commands_keeps_their_limits),
        cmocka_unit_test(nothing_goes_with_the_commands_after_a_trip),
        cmocka_unit_test(nothing_goes_with_the_commands_in_pauses_and_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
