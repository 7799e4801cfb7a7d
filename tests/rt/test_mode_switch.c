/* Actuators that change from displacement to force control and back: what reaches the device has no step, in either
 * quantity, and keeps the limits of both modes; a device that does not confirm, or changes by itself, trips. Runs on a
 * rig that does not say that it simulates, on a virtual clock, 1 kHz. Commands are logged between station and rig, in
 * wall time; nothing of the supervisor is asked for them. docs/control-modes.md. */
#include "support/between.h"
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <math.h>
#include <string.h>

#define RATE       1.0   /* m/s: limit of the displacement command */
#define FORCE_RATE 100e3 /* N/s: of the force command */
#define BRAKES     50.0  /* m/s2 */
#define ABOVE      2e3   /* N */
#define BELOW      1.5e3

#define TEXT                                                                                                           \
    "title: a specimen that stiffens\n"                                                                                \
    "time: {step: 10 ms, end: 4 s, control_rate: 1000 Hz}\n"                                                           \
    "method: {integrator: lsrt2}\n"                                                                                    \
    "substructures:\n"                                                                                                 \
    "  frame: {dofs: [x], mass: [1800], damping: [[5000]], stiffness: [[71061]]}\n"                                    \
    "  specimen: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[35530]]}}\n"                  \
    "interfaces: [{join: [frame.x, specimen.x]}]\n"                                                                    \
    "loads: [{on: frame.x, kind: sine, amplitude: 3000 N, frequency: 1 Hz}]\n"                                         \
    "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 12 ms},\n"                                         \
    "  switch: {above: 2 kN, below: 1.5 kN, stiffness: 100 N/mm, time: 60 ms, lag: 5 ms, command_rate: 100 kN/s}}}\n"  \
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: second-order, T1: 5 ms, T2: 5 ms}, force_lag: 5 ms,\n"     \
    "  mode_change: 2 ms}},\n"                                                                                         \
    "  specimen: {kind: assembled, nodes: {p: {mass: 0}},\n"                                                           \
    "    elements: [{kind: cubic-spring, between: [ground, p.x], stiffness: 20 N/mm, cubic: 40e6}]}}\n"                \
    "limits: {displacement: 100 mm, force: 20 kN, velocity: 2 m/s, acceleration: 50 m/s2, command_rate: 1 m/s,\n"      \
    "  position_error: 5 mm, sensor_frozen: 0}\n"

enum { TICKS = 20000 };
static struct logged {
    double s, x, f, measured, force; /* wall time; both commands; readings */
    bool wanted, is;
} logged[TICKS];
static long asked_at;           /* tick in which an operator asks for force control */
static long lies_from, lies_to; /* ticks in which the device says that it is in its other mode */
static struct between b;

static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    const enum yk_rig_answer answer = between_exchange(self, out, in);
    struct logged *l = &logged[b.tick - 1];

    assert_true(b.tick <= TICKS);
    if (asked_at > 0 && b.tick == asked_at)
        yk_run_request_mode(&b.control, 0, YK_MODE_SECOND, "mode a1 force", "tests");
    if (b.tick >= lies_from && b.tick < lies_to)
        in->modes ^= 1;
    *l = (struct logged){1e-9 * (double)b.then_ns, out->command[0], out->others[0], in->readings[0].displacement,
                         in->readings[0].force,    out->modes & 1,  in->modes & 1};
    return answer;
}

static void run(const char *const *set, size_t count, struct recorded *r)
{
    static struct yk_rig_ops ops;
    happening *happen = b.happen;
    const long from = b.from;

    ops = between_ops;
    ops.exchange = exchange;
    b = (struct between){.clock = yk_clock_virtual(1), .real = true, .happen = happen, .from = from};
    between_run(&b, &ops, recorded_parse(TEXT, set, count), r);
}

/* The largest rates of both commands in wall time. */
static void check_rates(void)
{
    double x = 0, f = 0;

    for (long k = 1; k < b.tick; k++) {
        const double h = logged[k].s - logged[k - 1].s;

        x = fmax(x, fabs(logged[k].x - logged[k - 1].x) / h);
        f = fmax(f, fabs(logged[k].f - logged[k - 1].f) / h);
    }
    assert_true(x <= RATE * (1 + 1e-9));
    assert_true(f <= FORCE_RATE * (1 + 1e-9));
}

/* Changes of the mode that the device has confirmed. At each, the command of the new mode goes on with the rate that it
 * had; returns how many there were. */
static int check_changes(bool by_force)
{
    int changes = 0;

    for (long k = 2; k + 2 < b.tick; k++) {
        const struct logged *l = &logged[k];
        const double h = 1e-3;

        if (l->is == l[-1].is || l->is != l->wanted)
            continue;
        changes++;
        if (!l->is || !by_force)
            continue;
        const double before = (l->f - l[-1].f) / h, after = (l[1].f - l->f) / h;

        assert_near(after, before, 0.15 * fabs(before) + 100);
        assert_true(fabs(l[1].f - l->force) <= 0.1 * ABOVE); /* it begins at the force that is there */
    }
    return changes;
}

static void a_run_goes_over_and_comes_back_without_a_step(void **state)
{
    struct recorded r;

    run(NULL, 0, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 0);
    check_rates();
    assert_in_range(check_changes(true), 8, 40);
    for (long k = 1; k < b.tick; k++) /* with hysteresis, and nothing else asks for a change */
        if (logged[k].wanted != logged[k - 1].wanted)
            assert_true(logged[k].wanted ? fabs(logged[k - 1].force) > ABOVE : fabs(logged[k - 1].force) < BELOW);
    recorded_free(&r);
}

/* Back in displacement control, the command comes back to its target with limits.acceleration. */
static void the_way_back_is_braked(void **state)
{
    struct recorded r;
    double hardest = 0;

    run(NULL, 0, &r);
    for (long k = 3; k + 1 < b.tick; k++)
        if (!logged[k].is && !logged[k - 1].is && !logged[k - 2].is)
            hardest = fmax(hardest, fabs(logged[k].x - 2 * logged[k - 1].x + logged[k - 2].x) / 1e-6);
    assert_true(hardest <= 2 * BRAKES);
    recorded_free(&r);
}

/* Asked for by an operator, in motion: it stays although the force is below both thresholds, and starts without a step.
 */
static void an_operator_chooses_the_mode(void **state)
{
    const char *const set[] = {"transfer.a1.switch.above=0", "transfer.a1.switch.below=0", "loads.0.amplitude=500 N"};
    struct recorded r;

    asked_at = 700;
    run(set, 3, &r);
    asked_at = 0;
    assert_int_equal(yk_status_exit_code(r.result.status), 0);
    check_rates();
    assert_int_equal(check_changes(false), 1);
    assert_false(logged[600].wanted);
    assert_true(logged[800].is);
    recorded_free(&r);
}

/* In force control it is the error of the force that counts. */
static void errors_of_the_force_are_judged_in_force_control(void **state)
{
    static const struct {
        const char *limit;
        int code;
    } cases[] = {{"transfer.a1.switch.tracking_error=1 kN", 0}, {"transfer.a1.switch.tracking_error=20 N", 3}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const set[] = {cases[k].limit};
        struct recorded r;

        run(set, 1, &r);
        assert_int_equal(yk_status_exit_code(r.result.status), cases[k].code);
        if (cases[k].code)
            assert_non_null(strstr(r.result.reason, "passed its limit of 20 N"));
        recorded_free(&r);
    }
}

static void a_device_that_does_not_confirm_trips_and_is_held(void **state)
{
    const char *const set[] = {"rig.actuators.a1.mode_change=10 s"};
    struct recorded r;

    run(set, 1, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "a1 has not confirmed its new control mode within 0.1 s"));
    check_rates();
    assert_false(logged[b.tick - 1].wanted);                                /* the request is withdrawn */
    assert_near(logged[b.tick - 1].x, logged[b.tick - 2].x, BRAKES * 1e-6); /* and it has come to rest */
    recorded_free(&r);
}

static void a_device_that_changes_by_itself_trips(void **state)
{
    struct recorded r;

    lies_from = 300;
    lies_to = 301;
    run(NULL, 0, &r);
    lies_from = lies_to = 0;
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "a1 has changed its control mode without a request"));
    check_rates();
    recorded_free(&r);
}

/* ---- crossed with what else may happen ---- */

static enum yk_rig_answer too_much(struct between *of, struct yk_reading *r)
{
    r[0].force = 30e3;
    return YK_RIG_FRESH;
}

static long unheard_to;

static enum yk_rig_answer silent(struct between *of, struct yk_reading *r)
{
    return of->tick < unheard_to ? YK_RIG_HELD : YK_RIG_FRESH;
}

static long find_force_control(void)
{
    struct recorded r;
    long k = 0;

    b.happen = NULL;
    run(NULL, 0, &r);
    while (k < b.tick && !logged[k].is)
        k++;
    recorded_free(&r);
    return k;
}

static void a_trip_in_force_control_holds_the_force(void **state)
{
    const long from = find_force_control() + 20;
    struct recorded r;

    b.happen = too_much;
    b.from = from;
    run(NULL, 0, &r);
    b.happen = NULL;
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "force of a1"));
    check_rates();
    assert_true(logged[b.tick - 1].is);
    assert_near(logged[b.tick - 1].f, logged[from].f, 100);
    recorded_free(&r);
}

static void a_silence_in_force_control_ends_without_a_step(void **state)
{
    static const double silences_s[] = {0.02, 0.04};
    const long from = find_force_control() + 20;

    for (size_t k = 0; k < sizeof silences_s / sizeof *silences_s; k++) {
        struct recorded r;

        b.happen = silent;
        b.from = from;
        unheard_to = from + lround(1e3 * silences_s[k]);
        run(NULL, 0, &r);
        b.happen = NULL;
        check_rates();
        assert_true(fabs(logged[unheard_to].f - logged[from].f) <= 3e-3 * FORCE_RATE);
        recorded_free(&r);
    }
}

static void a_ramp_home_in_force_control_unloads(void **state)
{
    const char *const set[] = {"limits.on_trip=ramp", "limits.trip_ramp=0.5"};
    const long from = find_force_control() + 20;
    struct recorded r;

    b.happen = too_much;
    b.from = from;
    run(set, 2, &r);
    b.happen = NULL;
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    check_rates();
    assert_near(logged[b.tick - 1].f, 0, 1);
    recorded_free(&r);
}

/* A rig that was commissioned with other numbers of its force control is to be commissioned again. */
static void the_check_list_belongs_to_the_settings_of_force_control(void **state)
{
    const char *const set[] = {"transfer.a1.switch.stiffness=101 N/mm"};
    struct yk_model *one = recorded_parse(TEXT, NULL, 0), *other = recorded_parse(TEXT, set, 1);
    char hashes[2][65];

    yk_model_rig_hash(one, hashes[0]);
    yk_model_rig_hash(other, hashes[1]);
    assert_int_equal(strlen(hashes[0]), 64);
    assert_string_not_equal(hashes[0], hashes[1]);
    yk_model_close(one);
    yk_model_close(other);
}

static void settings_that_cannot_work_are_refused(void **state)
{
    static const struct refused_setting cases[] = {
        {"transfer.a1.switch.below=2 kN", "below = 2000 N must be less than above = 2000 N"},
        {"transfer.a1.switch.above=20 kN", "above = 20000 N is not below limits.force = 20000 N"},
        {"transfer.a1.switch.command_rate=0", "command_rate"},
        {"transfer.a1.switch.stiffness=0", "stiffness"},
        {"transfer.a1.command=velocity", "switch adds force control to displacement control"},
        {"transfer.a1.feed_forward=true", "feed_forward cannot go with a second control mode"},
        {"transfer.a1.controller={kind: p, K: 1}", "close the loop of the displacement in the drive"},
        {"limits.acceleration=0", "needs limits.acceleration"},
        {"rig={backend: udp-raw, settings: {}}", "udp-raw"},
    };

    check_refused_settings(TEXT, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_over_and_comes_back_without_a_step),
        cmocka_unit_test(the_way_back_is_braked),
        cmocka_unit_test(an_operator_chooses_the_mode),
        cmocka_unit_test(errors_of_the_force_are_judged_in_force_control),
        cmocka_unit_test(a_device_that_does_not_confirm_trips_and_is_held),
        cmocka_unit_test(a_device_that_changes_by_itself_trips),
        cmocka_unit_test(a_trip_in_force_control_holds_the_force),
        cmocka_unit_test(a_silence_in_force_control_ends_without_a_step),
        cmocka_unit_test(a_ramp_home_in_force_control_unloads),
        cmocka_unit_test(the_check_list_belongs_to_the_settings_of_force_control),
        cmocka_unit_test(settings_that_cannot_work_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
