/* The handshake with a PLC: the order of its steps, the time-outs, and what a PLC that hangs leads to. In ticks as on a
 * simulated rig, and by a wall clock whose ticks come late. */
#include "support/check.h"

#include "transfer/supervisor.h"

#define TICK 1e-3

enum { DRIVE, ALIVE, GUARD, LOW, HIGH, HEART, PERMIT, LOW_OK, HIGH_OK, KEY, LINES };
static const struct yk_rig_line lines[LINES] = {
    [DRIVE] = {"drive", YK_LINE_ENABLE, false, 0},       [ALIVE] = {"alive", YK_LINE_HEARTBEAT_OUT, false, 0.01},
    [GUARD] = {"guard", YK_LINE_WATCHDOG, false, 0},     [LOW] = {"low", YK_LINE_PRESSURE_LOW, false, 0},
    [HIGH] = {"high", YK_LINE_PRESSURE_HIGH, false, 0},  [HEART] = {"heart", YK_LINE_HEARTBEAT_IN, false, 0},
    [PERMIT] = {"permit", YK_LINE_PERMISSIVE, false, 0}, [LOW_OK] = {"low_ok", YK_LINE_LOW_ON, false, 0},
    [HIGH_OK] = {"high_ok", YK_LINE_HIGH_ON, true, 0}, /* on at level 0 */
    [KEY] = {"key", YK_LINE_RESET_KEY, false, 0},
};

struct bench {
    struct yk_supervisor s;
    struct yk_supervised supervised[1];
    struct yk_reading reading;
    double sent[1];
    uint32_t out, toggled; /* levels; outputs that have changed in the last tick */
    bool hangs, deaf, refuses;
    int low_ticks, high_ticks; /* since the orders have changed */
    bool low, high, heart;     /* acknowledged; level */
    struct yk_clock clock;
    int64_t now_ns, tick_ns;
};

static int64_t now_of(const struct yk_clock *c)
{
    return ((const struct bench *)((const char *)c - offsetof(struct bench, clock)))->now_ns;
}

static void open_bench(struct bench *b, const struct yk_limits *limits, int64_t tick_ns)
{
    const double start[1] = {0};

    *b = (struct bench){.clock = {.now_ns = now_of}, .now_ns = 1000000000, .tick_ns = tick_ns, .heart = true};
    yk_supervisor_init(&b->s, limits, b->supervised, 1, (struct yk_tick){TICK, TICK});
    if (tick_ns)
        yk_supervisor_measure(&b->s, &b->clock);
    yk_supervisor_watch(&b->s, NULL, 0, lines, LINES);
    yk_supervisor_rest(&b->s, start, start, &b->reading);
    yk_supervisor_event(&b->s, YK_EVENT_ARM);
    yk_supervisor_start(&b->s);
}

static uint32_t bit(int line)
{
    return UINT32_C(1) << line;
}

/* A tick of the rig: the PLC beats in every second one and acknowledges a pressure after 20. */
static void tick(struct bench *b)
{
    const double wanted[1] = {0};
    const uint32_t before = b->out;

    b->now_ns += b->tick_ns;
    const bool sends = yk_supervisor_commands(&b->s, wanted, b->sent);

    b->out = yk_supervisor_lines(&b->s);
    b->toggled = b->out ^ before;
    if (!b->hangs) {
        b->heart ^= b->s.tick % 2;
        b->low_ticks = b->toggled & bit(LOW) ? 0 : b->low_ticks + 1;
        b->high_ticks = b->toggled & bit(HIGH) ? 0 : b->high_ticks + 1;
        if (b->low_ticks == 20 && !b->deaf)
            b->low = b->out & bit(LOW);
        if (b->high_ticks == 20 && !b->deaf)
            b->high = b->out & bit(HIGH);
    }
    if (sends)
        yk_supervisor_inputs(&b->s, NULL,
                             (b->heart ? bit(HEART) : 0) | (b->refuses ? 0 : bit(PERMIT)) | (b->low ? bit(LOW_OK) : 0) |
                                 (b->high ? 0 : bit(HIGH_OK)));
    yk_supervisor_readings(&b->s, YK_RIG_FRESH, wanted, &b->reading);
}

static void run_until(struct bench *b, enum yk_rig_state state)
{
    for (int i = 0; i < 1000 && b->s.state != state; i++)
        tick(b);
    assert_int_equal(b->s.state, state);
}

static struct yk_limits usual(enum yk_action on_trip)
{
    struct yk_limits limits = yk_limits_defaults();

    limits.limit[YK_LIMIT_HEARTBEAT] = 0.1;
    limits.limit[YK_LIMIT_PRESSURE_WAIT] = 0.2;
    limits.on_trip = (int)on_trip;
    return limits;
}

/* Simulated, and by a wall clock in ticks of 1.5 ms. */
static const int64_t paces[] = {0, 1500000};

static void low_is_acknowledged_before_high_and_high_before_the_run(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);

    for (size_t p = 0; p < 2; p++) {
        struct bench b;
        bool was_low = false;

        open_bench(&b, &limits, paces[p]);
        assert_true(yk_supervisor_awaits_plc(&b.s));
        for (int i = 0; i < 200 && b.s.state == YK_STATE_ARMED; i++) {
            const bool low = b.low, high = b.high;

            tick(&b);
            assert_true(b.out & bit(DRIVE)); /* held before pressure comes */
            assert_true(!(b.out & bit(HIGH)) || low);
            assert_true(b.s.state == YK_STATE_ARMED || high);
            was_low |= (b.out & bit(LOW)) && !(b.out & bit(HIGH));
        }
        assert_true(was_low && b.s.state == YK_STATE_RUNNING);
        /* and down again at the end, in order */
        yk_supervisor_event(&b.s, YK_EVENT_FINISH);
        while (yk_supervisor_order_pressure(&b.s, YK_PRESSURE_OFF), yk_supervisor_changes_pressure(&b.s)) {
            const bool high = b.high;

            tick(&b);
            assert_true((b.out & bit(LOW)) || !high);
        }
        assert_true(!(b.out & (bit(LOW) | bit(HIGH))) && !b.low && !b.high);
        assert_false(b.s.trip.tripped);
    }
}

static void a_plc_that_hangs_trips_with_its_line_high_or_low(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);

    for (int level = 0; level < 2; level++)
        for (size_t p = 0; p < 2; p++) {
            struct bench b;
            int ticks = 0;

            open_bench(&b, &limits, paces[p]);
            run_until(&b, YK_STATE_RUNNING);
            while (b.heart != level)
                tick(&b);
            b.hangs = true;
            for (; !b.s.trip.tripped && ticks < 1000; ticks++)
                tick(&b);
            assert_int_equal(b.s.trip.kind, YK_LIMIT_HEARTBEAT);
            assert_string_equal(b.s.trip.words, "heart");
            assert_in_range(ticks, p ? 66 : 99, p ? 69 : 103); /* 0.1 s */
            for (int i = 0; i < 3; i++)
                tick(&b); /* nobody would acknowledge anything: off at once, high first */
            assert_false(b.out & (bit(LOW) | bit(HIGH)));
        }
}

static void a_run_does_not_begin_without_a_beat(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);
    struct bench b;

    open_bench(&b, &limits, 0);
    b.hangs = true;
    b.low = b.high = false;
    for (int i = 0; i < 300; i++) {
        tick(&b);
        assert_true(b.s.state != YK_STATE_RUNNING && b.s.state != YK_STATE_STARTING);
    }
    assert_int_equal(b.s.trip.kind, YK_LIMIT_HEARTBEAT);
}

static void an_acknowledgement_that_never_comes_trips(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);
    struct bench b;

    open_bench(&b, &limits, 0);
    b.deaf = true;
    run_until(&b, YK_STATE_TRIPPED);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_PRESSURE_WAIT);
    assert_string_equal(b.s.trip.words, "low pressure is not acknowledged by low_ok");
    assert_in_range(b.s.trip.tick, 199, 204);
}

static void an_acknowledgement_that_is_stuck_keeps_a_run_from_beginning(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);
    struct bench b;

    open_bench(&b, &limits, 0);
    b.deaf = b.low = true;
    assert_null(yk_supervisor_unordered_pressure(&b.s)); /* nothing was heard yet */
    tick(&b);
    assert_string_equal(yk_supervisor_unordered_pressure(&b.s), "low_ok"); /* a console does not enable its drives */
    run_until(&b, YK_STATE_TRIPPED);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_PRESSURE_WAIT);
    assert_string_equal(b.s.trip.words, "pressure off is not acknowledged by low_ok");
}

static void a_pressure_that_goes_by_itself_trips(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);
    struct bench b;

    open_bench(&b, &limits, 0);
    run_until(&b, YK_STATE_RUNNING);
    assert_null(yk_supervisor_unordered_pressure(&b.s));
    b.high = false;
    run_until(&b, YK_STATE_TRIPPED);
    assert_int_equal(b.s.trip.kind, YK_LIMIT_PRESSURE);
    assert_string_equal(b.s.trip.words, "high_ok");
}

static void without_the_permissive_nothing_runs(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);

    for (int early = 0; early < 2; early++) {
        struct bench b;

        open_bench(&b, &limits, 0);
        if (!early)
            run_until(&b, YK_STATE_RUNNING);
        b.refuses = true;
        tick(&b);
        assert_int_equal(b.s.trip.kind, YK_LIMIT_PERMISSIVE);
        assert_string_equal(b.s.trip.words, "permit");
    }
}

/* Pressure is needed for the ramp of a trip. After it high goes, then low; a cut takes all at once. */
static void a_trip_takes_the_pressure_off_after_its_motion_and_a_cut_at_once(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_RAMP);
    struct bench b;

    open_bench(&b, &limits, 0);
    run_until(&b, YK_STATE_RUNNING);
    b.supervised[0].home = 1e-3;
    yk_supervisor_raise(&b.s, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
    for (int i = 0; i < 2000; i++) {
        const bool moves = yk_supervisor_moves(&b.s), high = b.high;

        tick(&b);
        b.reading.displacement = b.sent[0];
        assert_true(!moves || !yk_supervisor_moves(&b.s) || (b.out & bit(HIGH)));
        assert_true((b.out & bit(LOW)) || !high);
    }
    assert_false(b.out & (bit(LOW) | bit(HIGH)));
    assert_int_equal(b.s.warnings, 0);

    open_bench(&b, &limits, 0);
    run_until(&b, YK_STATE_RUNNING);
    b.s.limits.action[YK_LIMIT_DIVERGED] = YK_ACTION_CUT;
    yk_supervisor_raise(&b.s, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
    assert_false(yk_supervisor_lines(&b.s) & (bit(LOW) | bit(HIGH) | bit(DRIVE)));
}

/* The watchdog changes in every tick, the heartbeat every 10 ms. After a trip only the heartbeat goes on. */
static void the_watchdog_stops_with_a_trip_and_the_heartbeat_goes_on(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);

    for (size_t p = 0; p < 2; p++) {
        struct bench b;
        int beats[2] = {0};

        open_bench(&b, &limits, paces[p]);
        run_until(&b, YK_STATE_RUNNING);
        for (int i = 0; i < 300; i++) {
            tick(&b);
            assert_true(b.toggled & bit(GUARD));
            beats[0] += (b.toggled & bit(ALIVE)) != 0;
        }
        assert_in_range(beats[0], p ? 42 : 30, p ? 50 : 31); /* 0.45 s and 0.3 s */
        yk_supervisor_raise(&b.s, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
        tick(&b);
        for (int i = 0; i < 300; i++) {
            tick(&b);
            assert_false(b.toggled & bit(GUARD));
            beats[1] += (b.toggled & bit(ALIVE)) != 0;
        }
        assert_int_equal(beats[1], beats[0]);
    }
}

/* A key that was on at the trip must be switched off and on. */
static void the_key_unlocks_only_after_the_trip(void **state)
{
    const struct yk_limits limits = usual(YK_ACTION_HOLD);
    const uint32_t well = bit(PERMIT) | bit(HIGH_OK);
    struct bench b;

    open_bench(&b, &limits, 0);
    yk_supervisor_inputs(&b.s, NULL, well);
    yk_supervisor_inputs(&b.s, NULL, well | bit(KEY));
    yk_supervisor_raise(&b.s, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
    yk_supervisor_inputs(&b.s, NULL, well | bit(KEY));
    assert_false(b.s.plc.unlocked);
    yk_supervisor_inputs(&b.s, NULL, well);
    assert_false(b.s.plc.unlocked);
    yk_supervisor_inputs(&b.s, NULL, well | bit(KEY));
    assert_true(b.s.plc.unlocked);
}

/* A counter in a register instead of a line. */
static void a_counter_that_stands_still_trips(void **state)
{
    static const struct yk_sensor_limit counter = {"count", "", 0, -1, true};
    const struct yk_limits limits = usual(YK_ACTION_HOLD);
    const double start[1] = {0};
    struct yk_supervised supervised[1] = {0};
    struct yk_reading reading = {0};
    struct yk_supervisor s;
    double sent[1], count = 0;

    yk_supervisor_init(&s, &limits, supervised, 1, (struct yk_tick){TICK, TICK});
    yk_supervisor_watch(&s, &counter, 1, NULL, 0);
    yk_supervisor_rest(&s, start, start, &reading);
    yk_supervisor_event(&s, YK_EVENT_ARM);
    yk_supervisor_start(&s);
    assert_true(yk_supervisor_awaits_plc(&s));
    for (int i = 0; i < 700; i++) {
        count += i % 10 == 0 && i < 500;
        yk_supervisor_commands(&s, start, sent);
        yk_supervisor_inputs(&s, &count, 0);
        yk_supervisor_readings(&s, YK_RIG_FRESH, start, &reading);
        assert_true(i < 589 ? !s.trip.tripped : i < 593 || s.trip.tripped);
        assert_true(s.state == YK_STATE_RUNNING || i < 12 || s.trip.tripped);
    }
    assert_int_equal(s.trip.kind, YK_LIMIT_HEARTBEAT);
    assert_string_equal(s.trip.words, "count");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_is_acknowledged_before_high_and_high_before_the_run),
        cmocka_unit_test(a_plc_that_hangs_trips_with_its_line_high_or_low),
        cmocka_unit_test(a_run_does_not_begin_without_a_beat),
        cmocka_unit_test(an_acknowledgement_that_never_comes_trips),
        cmocka_unit_test(an_acknowledgement_that_is_stuck_keeps_a_run_from_beginning),
        cmocka_unit_test(a_pressure_that_goes_by_itself_trips),
        cmocka_unit_test(without_the_permissive_nothing_runs),
        cmocka_unit_test(a_trip_takes_the_pressure_off_after_its_motion_and_a_cut_at_once),
        cmocka_unit_test(the_watchdog_stops_with_a_trip_and_the_heartbeat_goes_on),
        cmocka_unit_test(the_key_unlocks_only_after_the_trip),
        cmocka_unit_test(a_counter_that_stands_still_trips),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
