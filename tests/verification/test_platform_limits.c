/* Limits of a platform: the translation and the rotation that a pair of actuators makes together, beside the limits of
 * each. Expected: mean and difference of the two strokes, sum and difference of the two forces. */
#include "support/between.h"
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <math.h>

#define LEVER 0.4 /* m */

static const char platform[] =
    "time: {step: 10 ms, end: 4 s, control_rate: 1 kHz}\nmethod: {integrator: lsrt2}\nsubstructures:\n"
    "  mass: {dofs: [h, theta], mass: [237, 5.275], damping: [[500, 0], [0, 15]], stiffness: [[5000, 0], [0, 150]]}\n"
    "  specimen: {role: physical, dofs: [h, theta], actuators: [a1, a2], setup: {kind: pair, lever: 400 mm},\n"
    "             estimate: {stiffness: [[30000, 0], [0, 1200]]}}\n"
    "interfaces: [{join: [mass.h, specimen.h]}, {join: [mass.theta, specimen.theta]}]\n"
    "loads: [{on: mass.h, kind: sine, amplitude: 400 N, frequency: 1.1 Hz},\n"
    "        {on: mass.theta, kind: sine, amplitude: 230 N m, frequency: 0.8 Hz}]\n"
    "transfer: {a1: {}, a2: {}}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: ideal}}, a2: {plant: {kind: ideal}}},\n"
    "      specimen: {dofs: [h, theta], mass: [0, 0], stiffness: [[30000, 0], [0, 1200]]}}\n"
    "limits: {displacement: 200 mm, end_ramp: 0.2, trip_ramp: 0.2}\n";

static struct {
    double h, theta, force, moment; /* largest until the end of the run */
} seen;

static enum yk_rig_answer watch(struct between *b, struct yk_reading *r)
{
    seen.h = fmax(seen.h, 0.5 * fabs(r[0].displacement + r[1].displacement));
    seen.theta = fmax(seen.theta, fabs(r[0].displacement - r[1].displacement) / LEVER);
    seen.force = fmax(seen.force, fabs(r[0].force + r[1].force));
    seen.moment = fmax(seen.moment, 0.5 * LEVER * fabs(r[0].force - r[1].force));
    return YK_RIG_FRESH;
}

static void run(const char *set, struct recorded *r, struct between *b)
{
    struct yk_model *e = recorded_parse(platform, &set, 1);

    *b = (struct between){.happen = watch, .from = 1, .clock = yk_clock_virtual(1)};
    memset(&seen, 0, sizeof seen);
    between_run(b, &between_ops, e, r);
    assert_int_equal(r->status, YK_OK);
    yk_model_close(e);
}

/* A command beyond a limit of the pose is not sent; a force is known only when it has been measured. */
static void a_platform_stays_within_its_own_limits(void **state)
{
    static const struct {
        const char *set, *words;
        const double *value;
        double limit, beyond;
    } cases[] = {
        {"limits.dofs={specimen.theta: {displacement: 5 deg}}", "displacement of specimen.theta, ", &seen.theta,
         5 * M_PI / 180, 0},
        {"limits.dofs={specimen.h: {displacement: 10 mm}}", "displacement of specimen.h, ", &seen.h, 0.01, 0},
        {"limits.dofs={specimen.h: {force: 250 N}}", "force on specimen.h, ", &seen.force, 250, 0.02},
        {"limits.dofs={specimen.theta: {force: 100 N m}}", "N m, passed its limit of 100 N m", &seen.moment, 100, 0.02},
        {"limits.dofs={specimen.theta: {command_rate: 0.2 rad/s}}", "rate of the command of specimen.theta, ",
         &seen.theta, 0.2, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct between b;
        struct recorded r;

        run(cases[i].set, &r, &b);
        assert_int_equal(r.result.status, YK_E_STOPPED);
        if (!strstr(r.result.reason, cases[i].words))
            print_error("'%s' is not in '%s'\n", cases[i].words, r.result.reason);
        assert_non_null(strstr(r.result.reason, cases[i].words));
        assert_true(*cases[i].value <= cases[i].limit * (1 + cases[i].beyond));
        for (int k = 0; k < 2; k++) { /* and went home */
            assert_near(b.wire[k].sent, 0, 1e-12);
            assert_true(b.wire[k].reach < 0.2);
        }
        recorded_free(&r);
    }
}

static void wide_limits_change_nothing(void **state)
{
    struct recorded with, without;
    struct between b;

    run("time.scale=1", &without, &b);
    run("limits.dofs={specimen.h: {displacement: 1, command_rate: 10, force: 1 MN}, specimen.theta: {displacement: 1}}",
        &with, &b);
    assert_true(with.result.finished);
    recorded_assert_same(&with, &without, "limits of a platform");
    recorded_free(&with);
    recorded_free(&without);
}

static struct {
    double at, theta_rate; /* theta as commanded; its largest rate in wall time [rad/s] */
    int64_t then_ns;
} wire;

/* Every third exchange takes one and a half ticks: the next beat begins late, and the one after it comes early. */
static enum yk_rig_answer hurry(struct between *b, struct yk_reading *r)
{
    const double theta = (b->wire[0].sent - b->wire[1].sent) / LEVER;

    if (wire.then_ns)
        wire.theta_rate =
            fmax(wire.theta_rate, fabs(theta - wire.at) / (1e-9 * (double)(b->clock.virtual_ns - wire.then_ns)));
    wire.at = theta;
    wire.then_ns = b->clock.virtual_ns;
    b->clock.virtual_ns += b->tick % 3 == 0 ? 1500000 : 0;
    return YK_RIG_FRESH;
}

static double run_late(const char *limit)
{
    const char *const set[] = {limit, "limits.missed_deadlines=0", "limits.missed_total=0"};
    struct yk_model *e = recorded_parse(platform, set, 3);
    struct between b = {.happen = hurry, .from = 1, .real = true, .clock = yk_clock_virtual(1)};
    struct recorded r;

    memset(&wire, 0, sizeof wire);
    between_run(&b, &between_ops, e, &r);
    assert_int_equal(r.status, YK_OK);
    assert_string_equal(r.result.reason, "");
    recorded_free(&r);
    yk_model_close(e);
    return wire.theta_rate;
}

/* Half of the duration of a tick would be twice the rate: the step on the wire waits for its time. */
static void the_rate_of_a_platform_holds_on_the_wall(void **state)
{
    assert_true(run_late("time.scale=1") > 2);
    const double fastest = run_late("limits.dofs={specimen.theta: {command_rate: 1.5 rad/s}}");

    assert_true(fastest > 1.49 && fastest <= 1.5 * (1 + 1e-9));
}

static void limits_of_what_is_no_platform_are_refused(void **state)
{
    static const struct refused_setting cases[] = {
        {"limits.dofs={specimen.z: {force: 1}}", "'specimen.z' is no degree of freedom of a physical substructure"},
        {"limits.dofs={mass.h: {force: 1}}", "'mass.h' is no degree of freedom of a physical substructure"},
        {"limits.dofs={specimen.theta: {displacement: 5 mm}}", "an angle is expected"},
        {"limits.dofs={specimen.h: {stroke: 5 mm}}", "stroke"},
        {"substructures.specimen={role: physical, dofs: [h, theta], actuators: {h: a1, theta: a2}, estimate: "
         "{stiffness: "
         "[[1, 0], [0, 1]]}}",
         ""},
    };

    check_refused_settings(platform, cases, 4);
    const char *const set[] = {cases[4].set, "limits={dofs: {specimen.h: {force: 1 kN}}}"};
    struct yk_model *e;

    assert_refused(yk_model_parse(&e, "platform.yaml", platform, sizeof platform - 1, set, 2, &err), YK_E_INPUT,
                   "no setup: limit the actuators instead");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_platform_stays_within_its_own_limits),
        cmocka_unit_test(wide_limits_change_nothing),
        cmocka_unit_test(the_rate_of_a_platform_holds_on_the_wall),
        cmocka_unit_test(limits_of_what_is_no_platform_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
