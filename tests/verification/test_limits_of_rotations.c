/* Limits of actuators that turn: in rad and N m, for all where all of them turn, for each where some go straight. The
 * rig stands still but for what a load does, so that the limit that trips is the one that was set. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "transfer/station.h"

#include <math.h>

#define PI 3.14159265358979323846

#define HEAD                                                                                                           \
    "title: rotations\n"                                                                                               \
    "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n"                                                           \
    "method: {integrator: lsrt2}\n"
/* 200 N m/rad on each side, 4 kg m2: a load of 40 N m comes to about 0.2 rad */
#define TURNS                                                                                                          \
    HEAD "substructures:\n"                                                                                            \
         "  n: {dofs: [theta], mass: [4], damping: [[20]], stiffness: [[200]]}\n"                                      \
         "  s: {role: physical, dofs: [theta], actuators: {theta: r1}, estimate: {stiffness: [[200]]}}\n"              \
         "interfaces: [{join: [n.theta, s.theta]}]\n"                                                                  \
         "loads: [{on: n.theta, kind: step, amplitude: 40}]\n"                                                         \
         "transfer: {r1: {}}\n"                                                                                        \
         "rig: {backend: virtual, actuators: {r1: {plant: {kind: ideal}}},\n"                                          \
         "      specimen: {dofs: [theta], mass: [0], stiffness: [[200]]}}\n"
#define MIXED                                                                                                          \
    HEAD "substructures:\n"                                                                                            \
         "  n: {dofs: [x, theta], mass: [4, 4], damping: [[20, 0], [0, 20]], stiffness: [[200, 0], [0, 200]]}\n"       \
         "  s: {role: physical, dofs: [x, theta], actuators: {x: a1, theta: r1},\n"                                    \
         "      estimate: {stiffness: [[200, 0], [0, 200]]}}\n"                                                        \
         "interfaces: [{join: [n.x, s.x]}, {join: [n.theta, s.theta]}]\n"                                              \
         "loads: [{on: n.theta, kind: step, amplitude: 40}, {on: n.x, kind: step, amplitude: 2}]\n"                    \
         "transfer: {a1: {}, r1: {}}\n"                                                                                \
         "rig: {backend: virtual, actuators: {a1: {plant: {kind: ideal}}, r1: {plant: {kind: ideal}}},\n"              \
         "      specimen: {dofs: [x, theta], mass: [0, 0], stiffness: [[200, 0], [0, 200]]}}\n"

/* The run with these limits ends so. */
static void check_reason(const char *text, const char *limits, const char *words)
{
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e = recorded_parse(text, &limits, 1);
    struct recorded r;

    recorded_run(&r, e, &settings, NULL);
    if (r.status || !strstr(r.result.reason, words))
        print_error("%s: '%s'%s\n", limits, r.result.reason, yk_err_line(&r.err).text);
    assert_int_equal(r.status, YK_OK);
    assert_non_null(strstr(r.result.reason, words));
    recorded_free(&r);
    yk_model_close(e);
}

static void trips_of_rotations_are_in_rad(void **state)
{
    check_reason(TURNS, "limits={displacement: 0.1}", "rad, passed its limit of 0.1 rad");
    check_reason(TURNS, "limits={force: 20}", "N m, passed its limit of 20 N m");
    check_reason(TURNS, "limits={velocity: 0.3}", "rad/s, passed its limit of 0.3 rad/s");
    check_reason(TURNS, "limits={acceleration: 2}", "rad/s2, passed its limit of 2 rad/s2");
}

static void limits_of_rotations_take_angles(void **state)
{
    check_reason(TURNS, "limits={displacement: 6 deg}", "command of r1, 0.10");
    check_reason(TURNS, "limits={displacement: {limit: 6 deg, action: hold}}", "passed its limit of 0.10472 rad");
    check_reason(TURNS, "limits={force: 20 N m, tracking_error: 5 deg, sensor_range: 30 deg}", "20 N m");
}

static void each_actuator_can_have_limits_of_its_own(void **state)
{
    check_reason(MIXED, "limits={actuators: {r1: {displacement: 6 deg}}}", "command of r1, 0.10");
    check_reason(MIXED, "limits={displacement: 100 mm, actuators: {r1: {displacement: 6 deg}}}",
                 "rad, passed its limit of 0.10472 rad");
    check_reason(MIXED, "limits={displacement: 3 mm, actuators: {r1: {displacement: 90 deg}}}",
                 "m, passed its limit of 0.003 m");
    check_reason(MIXED, "limits={force: 100 N, actuators: {r1: {force: 20 N m}}}", "N m, passed its limit of 20 N m");
    check_reason(MIXED, "limits={displacement: 100 mm, actuators: {r1: {displacement: 0}}}", "");
    check_reason(MIXED, "limits={command_rate: 1, actuators: {a1: {displacement: 3 mm}, r1: {command_rate: 2 rad/s}}}",
                 "command of a1");
    /* what the actuator says of itself goes before what is said for all */
    check_reason(TURNS, "limits={displacement: 1 deg, actuators: {r1: {displacement: 6 deg}}}", "0.10472 rad");
}

/* A command is clipped, and a ramp kept slow, by the limits of its own actuator. */
static void own_limits_clip_too(void **state)
{
    const char *set[] = {"limits={displacement: {limit: 1 mm, action: warn}, end_ramp: 0, actuators: "
                         "{r1: {displacement: 2 deg}}}"};
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e = recorded_parse(MIXED, set, 1);
    struct recorded r;

    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.result.status, YK_OK);
    assert_true(r.result.warnings > 0);
    assert_near(recorded_last(&r, e, "a1.displacement"), 1e-3, 1e-12);
    assert_near(recorded_last(&r, e, "r1.displacement"), 2 * PI / 180, 1e-12);
    recorded_free(&r);
    yk_model_close(e);
}

static void limits_that_cannot_be_meant_are_refused(void **state)
{
    const struct {
        const char *text, *limits, *words;
    } cases[] = {
        {TURNS, "limits={displacement: 100 mm}", "a length"},
        {MIXED, "limits={displacement: 6 deg}", "an angle"},
        {MIXED, "limits={displacement: 100 mm}",
         "displacement is for linear actuators, but r1 is rotary; set its own limit: actuators: { r1: { "
         "displacement: ... } }"},
        {MIXED, "limits={force: 100 N}", "force is for linear actuators, but r1 is rotary"},
        {MIXED, "limits={actuators: {r2: {displacement: 1}}}",
         "'r2' in limits.actuators moves no degree of freedom of a substructure"},
        {MIXED, "limits={actuators: {r1: {stall: 1}}}", "unknown key 'stall'"},
        {MIXED, "limits={actuators: {r1: {displacement: 1 m}}}", "a length"},
        {MIXED, "limits={actuators: [r1]}", "a map"},
        {MIXED, "limits={actuators: {r1: {displacement: -1}}}", "displacement = -1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e = NULL;
        struct yk_err failure = {0};
        const enum yk_status st =
            yk_model_parse(&e, "r.yaml", cases[i].text, strlen(cases[i].text), &cases[i].limits, 1, &failure);

        if (yk_status_exit_code(st) != 2 || !strstr(yk_err_line(&failure).text, cases[i].words))
            print_error("%s: %s\n", cases[i].limits, yk_err_line(&failure).text);
        assert_int_equal(yk_status_exit_code(st), 2);
        assert_non_null(strstr(yk_err_line(&failure).text, cases[i].words));
    }
}

/* The start of a run is judged by the same limits, in the same units. */
static void a_start_beyond_the_limit_is_told_in_rad(void **state)
{
    const char *set[] = {"limits={displacement: 5 deg}", "substructures.n.initial={displacement: {theta: 10 deg}}",
                         "substructures.s.initial={displacement: {theta: 10 deg}}"};
    struct yk_model *e = NULL;
    struct yk_err failure = {0};

    assert_int_equal(yk_model_parse(&e, "r.yaml", TURNS, strlen(TURNS), set, 3, &failure), YK_E_RANGE);
    assert_non_null(
        strstr(yk_err_line(&failure).text, "would begin at 0.174533 rad, beyond limits.displacement of 0.0872665 rad"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trips_of_rotations_are_in_rad),
        cmocka_unit_test(limits_of_rotations_take_angles),
        cmocka_unit_test(each_actuator_can_have_limits_of_its_own),
        cmocka_unit_test(own_limits_clip_too),
        cmocka_unit_test(limits_that_cannot_be_meant_are_refused),
        cmocka_unit_test(a_start_beyond_the_limit_is_told_in_rad),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
