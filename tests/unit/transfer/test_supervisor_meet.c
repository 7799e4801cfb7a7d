/* Silence, holds and pauses: what reaches a device that hears only some commands, and how hard the command of one that
 * hears all is braked. The device keeps its own log. Expected are the bounds themselves. */
#include "support/check.h"

#include "transfer/supervisor.h"

#include <math.h>

#define TICK  1e-3
#define SPEED 0.184 /* m/s */
#define RATE  0.25
#define BRAKE (RATE / 0.05) /* m/s2 */

struct bench {
    struct yk_supervisor s;
    struct yk_supervised supervised;
    struct yk_reading reading;
    struct yk_clock clock;
    double sent, heard, at, speed; /* commands as sent and as they arrived; last one and its speed */
    double step, hardest;          /* largest step of those that arrived, and acceleration of all */
    double wanted;
    bool deaf;
    int every, count; /* the rig answers every so many ticks */
};

static void open_bench(struct bench *b, int on_trip, double silence)
{
    struct yk_limits limits = yk_limits_defaults();
    const double zero = 0;

    limits.limit[YK_LIMIT_COMMAND_RATE] = RATE;
    limits.limit[YK_LIMIT_RELATIVE_ERROR] = 0;
    limits.limit[YK_LIMIT_PEER_SILENCE] = silence;
    limits.on_trip = on_trip;
    limits.trip_ramp = limits.end_ramp = 0.5;
    *b = (struct bench){.clock = yk_clock_virtual(1000000000), .every = 1};
    yk_supervisor_init(&b->s, &limits, &b->supervised, 1, (struct yk_tick){TICK, TICK});
    yk_supervisor_measure(&b->s, &b->clock);
    yk_supervisor_rest(&b->s, &zero, &zero, &b->reading);
    yk_supervisor_event(&b->s, YK_EVENT_ARM);
    yk_supervisor_event(&b->s, YK_EVENT_START);
}

/* One tick towards `speed` more of the wanted command. */
static void tick(struct bench *b, double speed)
{
    b->wanted += speed * TICK;
    yk_clock_advance(&b->clock, (int64_t)(1e9 * TICK));
    const bool sends = yk_supervisor_commands(&b->s, &b->wanted, &b->sent);
    const double now = sends ? (b->sent - b->at) / TICK : b->speed;

    b->hardest = fmax(b->hardest, fabs(now - b->speed) / TICK);
    b->at = sends ? b->sent : b->at;
    b->speed = now;
    const bool answers = !b->deaf && sends && ++b->count % b->every == 0;

    if (answers) {
        b->step = fmax(b->step, fabs(b->sent - b->heard));
        b->heard = b->sent;
        b->reading = (struct yk_reading){.displacement = b->heard, .force = 100 * b->heard};
    }
    yk_supervisor_readings(&b->s, answers ? YK_RIG_FRESH : YK_RIG_HELD, &b->wanted, &b->reading);
}

static void ticks(struct bench *b, int count, double speed)
{
    for (int k = 0; k < count; k++)
        tick(b, speed);
}

/* At full speed, after a gentle start. */
static void get_going(struct bench *b)
{
    for (int k = 0; k < 200; k++)
        tick(b, SPEED * fmin(k / 100.0, 1));
    assert_near(b->sent, b->wanted, 1e-12);
    b->step = b->hardest = 0;
}

/* A link that comes back before the silence trips: the command goes on from the last one that has arrived. */
static void a_link_that_returns_brings_no_step(void **state)
{
    for (int lost = 1; lost < 90; lost++) {
        struct bench b;

        open_bench(&b, YK_ACTION_HOLD, 0.1);
        get_going(&b);
        b.deaf = true;
        ticks(&b, lost, SPEED);
        b.deaf = false;
        ticks(&b, 1000, 0);
        assert_false(b.s.trip.tripped);
        assert_true(b.step <= 2 * RATE * TICK * (1 + 1e-9));
        assert_true(b.step <= (lost + 1) * RATE * TICK * (1 + 1e-9));
        assert_near(b.sent, b.wanted, 1e-12); /* and arrives where the method is */
    }
}

/* After a silence that trips nothing goes home, whatever the file says. */
static void no_ramp_goes_on_unheard(void **state)
{
    static const int lost[] = {102, 120, 300, 1000, 2000};

    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        struct bench b;

        open_bench(&b, YK_ACTION_RAMP, 0.1);
        get_going(&b);
        const double heard = b.heard;

        b.deaf = true;
        ticks(&b, lost[i], SPEED);
        assert_int_equal(b.s.trip.kind, YK_LIMIT_PEER_SILENCE);
        assert_int_equal(b.s.trip.action, YK_ACTION_HOLD);
        assert_false(yk_supervisor_moves(&b.s));
        b.deaf = false;
        ticks(&b, 1000, 0);
        assert_true(b.step <= 2 * RATE * TICK * (1 + 1e-9));
        assert_near(b.sent, heard, 2.01 * RATE * TICK);
    }
}

/* A ramp home of another trip or of the end stops where it was heard last. */
static void a_silence_stops_a_ramp_home(void **state)
{
    for (int lost = 5; lost < 1500; lost += 83) {
        struct bench b;

        open_bench(&b, YK_ACTION_RAMP, 0.1);
        get_going(&b);
        yk_supervisor_raise(&b.s, YK_LIMIT_FORCE, 0, 1e6);
        ticks(&b, 300, 0);
        const double heard = b.heard;

        b.step = 0;
        b.deaf = true;
        ticks(&b, lost, 0);
        assert_near(b.sent, heard, 2.01 * RATE * TICK);
        b.deaf = false;
        ticks(&b, 1000, 0);
        assert_true(b.step <= 2 * RATE * TICK * (1 + 1e-9));
        assert_near(b.sent, lost > 100 ? heard : 0, 2.01 * RATE * TICK);
    }
}

/* Without limits.peer_silence a motion that nobody hears is given up after a second. */
static void what_nobody_hears_ends_in_time(void **state)
{
    struct bench b;

    open_bench(&b, YK_ACTION_RAMP, 0);
    get_going(&b);
    yk_supervisor_event(&b.s, YK_EVENT_ABORT);
    ticks(&b, 100, 0);
    b.deaf = true;
    ticks(&b, 990, 0);
    assert_true(yk_supervisor_moves(&b.s));
    ticks(&b, 30, 0);
    assert_false(yk_supervisor_moves(&b.s));
}

/* One that answers every tenth tick is followed as it is. */
static void a_slow_rig_is_not_held_back(void **state)
{
    struct bench b;

    open_bench(&b, YK_ACTION_HOLD, 0.5);
    b.every = 10;
    get_going(&b);
    ticks(&b, 500, SPEED);
    assert_near(b.sent, b.wanted, 1e-12);
    b.deaf = true;
    ticks(&b, 400, SPEED);
    b.deaf = false;
    ticks(&b, 10, SPEED);
    assert_true(b.step <= 2 * 10 * RATE * TICK * (1 + 1e-9));
}

/* The command overshoots by v^2/(2 a), comes back, and catches up after it, never with more than a. */
static void a_pause_at_full_speed_is_gentle(void **state)
{
    for (int paused = 1; paused < 1000; paused = 2 * paused + 7) {
        struct bench b;

        open_bench(&b, YK_ACTION_HOLD, 0.1);
        get_going(&b);
        const double at = b.sent;
        double farthest = at;

        yk_supervisor_event(&b.s, YK_EVENT_PAUSE);
        for (int k = 0; k < paused; k++) {
            tick(&b, 0);
            farthest = fmax(farthest, b.sent);
        }
        assert_true(farthest - at <= SPEED * SPEED / (2 * BRAKE) + SPEED * TICK);
        if (paused > 300)
            assert_near(b.sent, at, 1e-12);
        yk_supervisor_event(&b.s, YK_EVENT_RESUME);
        ticks(&b, 400, SPEED);
        assert_false(b.s.trip.tripped);
        assert_near(b.sent, b.wanted, 1e-12);
        assert_true(b.hardest <= BRAKE * (1 + 1e-6));
        assert_true(b.step <= RATE * TICK * (1 + 1e-9));
    }
}

/* While a run waits for its coarse side. */
static void a_hold_at_full_speed_is_gentle(void **state)
{
    for (int held = 1; held < 600; held = 2 * held + 3) {
        struct bench b;

        open_bench(&b, YK_ACTION_HOLD, 0.1);
        get_going(&b);
        for (int k = 0; k < held; k++) {
            yk_supervisor_hold(&b.s);
            tick(&b, 0);
        }
        ticks(&b, 400, SPEED);
        assert_false(b.s.trip.tripped);
        assert_near(b.sent, b.wanted, 1e-12);
        assert_true(b.hardest <= BRAKE * (1 + 1e-6));
    }
}

/* As a console does it: the order ends, and its command stays. */
static void a_stop_by_hand_is_gentle(void **state)
{
    struct bench b;

    open_bench(&b, YK_ACTION_HOLD, 0.1);
    get_going(&b);
    const double at = yk_supervisor_asked(&b.s, 0);

    yk_supervisor_part(&b.s);
    for (int k = 0; k < 500; k++) {
        b.wanted = yk_supervisor_asked(&b.s, 0);
        tick(&b, 0);
    }
    assert_near(b.sent, at, 1e-12);
    assert_true(b.hardest <= BRAKE * (1 + 1e-6));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_that_returns_brings_no_step), cmocka_unit_test(no_ramp_goes_on_unheard),
        cmocka_unit_test(a_silence_stops_a_ramp_home),        cmocka_unit_test(what_nobody_hears_ends_in_time),
        cmocka_unit_test(a_slow_rig_is_not_held_back),        cmocka_unit_test(a_pause_at_full_speed_is_gentle),
        cmocka_unit_test(a_hold_at_full_speed_is_gentle),     cmocka_unit_test(a_stop_by_hand_is_gentle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
