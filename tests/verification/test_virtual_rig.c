/* Additions of a virtual rig to an ideal one, from files: mass between load cell and specimen and the two ways to deal
 * with it, a brake that engages, channels that are sampled one after the other, errors of an accelerometer, and the
 * paths of the command. Expected: the same structure without the addition, and formulas (docs/theory/test-rigs.md,
 * section 4). */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"
#include "support/transfer.h"

#include "state/state.h"
#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>

/* 10 kg on a spring of 1 kN/m, as much again in the specimen; a good actuator whose 8 ms are compensated. */
static const char text[] = "time: {step: 10 ms, end: 4 s, control_rate: 20 kHz}\n"
                           "method: {integrator: lsrt2}\n"
                           "substructures:\n"
                           "  n: {dofs: [x], mass: [10], damping: [40], stiffness: [1000]}\n"
                           "  s: {role: physical, dofs: [x], actuators: {x: a1}}\n"
                           "interfaces: [{join: [n.x, s.x]}]\n"
                           "loads: [{on: n.x, kind: half-sine, amplitude: 100 N, duration: 0.2 s}]\n"
                           "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 7.93 ms}}}\n"
                           "rig:\n"
                           "  backend: virtual\n"
                           "  actuators: {a1: {plant: {kind: servo, frequency: 40 Hz, damping: 1}, sensors: {filter: "
                           "30 Hz, filter_on: all}}}\n"
                           "  specimen: {dofs: [x], mass: [0], stiffness: [1000]}\n";

/* Displacement of the mass after each step; malloc'd. */
static double *run(const char *const *set, size_t count, long *steps)
{
    struct yk_model *e = recorded_parse(text, set, count);
    double *path = calloc((size_t)e->steps, sizeof *path), v, a;
    struct yk_state m;

    assert_non_null(path);
    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    for (long i = 0; i < e->steps; i++) {
        assert_int_equal(yk_state_step(&m), YK_OK);
        yk_state_now(&m, 0, &path[i], &v, &a);
    }
    *steps = e->steps;
    yk_state_close(&m);
    yk_model_close(e);
    return path;
}

/* Root mean square of the difference of two runs, of the first. */
static double difference(const char *const *a, size_t a_count, const char *const *b, size_t b_count)
{
    double error = 0, square = 0;
    long steps, same;
    double *x = run(a, a_count, &steps), *y = run(b, b_count, &same);

    assert_int_equal(steps, same);
    for (long i = 0; i < steps; i++) {
        error += (x[i] - y[i]) * (x[i] - y[i]);
        square += x[i] * x[i];
    }
    free(x);
    free(y);
    return sqrt(error / square);
}

#define MOVING "rig.actuators.a1.moving_mass=1 kg"

/* ---- mass between load cell and specimen ---- */

/* Taken off by the accelerometer nothing is left of it, to rounding; left in the reading, its inertia is in the test.
 */
static void the_accelerometer_takes_the_inertia_off(void **state)
{
    static const char *const removed[] = {MOVING, "transfer.a1.feedback={inertia: 1 kg}"};

    assert_true(difference(NULL, 0, removed, 1) > 0.2);
    assert_true(difference(NULL, 0, removed, 2) < 1e-10);
}

/* Or left out of the computed mass, since the load cell has it already. What remains is the acceleration of the end of
 * a tick, which is low by b h/2 times the velocity where the drive is held, eq. (26) there: 1.6 N s/m less of 40 N s/m.
 */
static void the_inertia_may_be_left_out_of_the_computed_mass(void **state)
{
    static const char *const left_out[] = {MOVING, "substructures.n.mass=[9]"};

    assert_true(difference(NULL, 0, left_out, 2) < 0.03);
}

/* An accelerometer that reads 10 % too much takes off a tenth too much: as 0.2 kg less of computed mass. */
static void an_accelerometer_may_be_wrong(void **state)
{
    static const char *const wrong[] = {MOVING, "transfer.a1.feedback={inertia: 1 kg}",
                                        "rig.actuators.a1.sensors.acceleration_gain=1.1"};
    static const char *const lighter[] = {"substructures.n.mass=[9.9]"};

    assert_true(difference(NULL, 0, wrong, 3) > 0.02);
    assert_true(difference(lighter, 1, wrong, 3) < 0.004);
}

/* A filter of force and acceleration alike keeps the subtraction exact; of the force alone it does not. */
static void force_and_acceleration_are_filtered_alike(void **state)
{
    static const char *const all[] = {MOVING, "transfer.a1.feedback={inertia: 1 kg}"};
    static const char *const force[] = {"rig.actuators.a1.sensors.filter_on=force", MOVING,
                                        "transfer.a1.feedback={inertia: 1 kg}"};

    assert_true(difference(NULL, 0, all, 2) < 1e-9);
    assert_near(difference(NULL, 0, force, 3), 0.14, 0.02);
}

/* ---- faults and frame ---- */

static void a_brake_that_engages_trips_the_run(void **state)
{
    static const char *const sets[] = {"rig.actuators.a1.limits={brake: 0.5 s}", "limits={sensor_frozen: 20 ms}",
                                       "rig.actuators.a1.sensors.filter_on=force"};
    struct yk_model *e = recorded_parse(text, sets, 3);
    struct recorded r;

    recorded_run(&r, e, &(struct yk_run_settings){.threads = 1}, NULL);
    assert_int_equal(r.status, YK_OK);
    assert_false(r.result.finished);
    assert_int_equal(r.result.status, YK_E_STOPPED);
    if (!strstr(r.result.reason, "a1"))
        print_error("%s\n", r.result.reason);
    assert_non_null(strstr(r.result.reason, "a1"));
    assert_near((double)r.result.steps * e->time.step, 0.52, 0.015);
    recorded_free(&r);
    yk_model_close(e);
}

/* Four channels of a converter, a quarter of a tick apart: on a ramp each reads what was there when it was sampled. */
static void channels_are_sampled_one_after_the_other(void **state)
{
    static const char *const skews[] = {"0", "12.5 us", "25 us", "50 us"};
    static const double late[] = {0, 12.5e-6, 25e-6, 50e-6};
    const double speed = 0.1, zero = 0;

    for (int k = 0; k < 4; k++) {
        char set[128];
        const char *const sets[] = {set, "rig.actuators.a1.plant={kind: ideal}",
                                    "transfer.a1.compensator={kind: none}"};
        double p;

        snprintf(set, sizeof set, "rig.actuators.a1.sensors={displacement_skew: %s, force_skew: %s}", skews[k],
                 skews[3 - k]);
        struct yk_model *e = recorded_parse(text, sets, 3);
        struct yk_system *s = e->substructures[1].system;

        s->ops->rest(s->self, &zero);
        for (int i = 1; i <= 20; i++) { /* a target each five milliseconds */
            const double x = speed * 5e-3 * i;

            specimen_force(s, e->station, 5e-3 * i, &zero, &x, &speed, &p);
        }
        assert_near(yk_station_reading(e->station, 0).displacement, speed * (0.1 - late[k]), 1e-14);
        assert_near(-p, 1000 * speed * (0.1 - late[3 - k]), 1e-10);
        yk_model_close(e);
    }
}

/* ---- paths ---- */

static double roughness(const char *path)
{
    char set[64];
    const char *const sets[] = {set, "time.step=20 ms"};

    snprintf(set, sizeof set, "transfer.a1.path=%s", path);
    struct yk_model *e = recorded_parse(text, sets, 2);
    struct recorded r;
    recorded_run(&r, e, &(struct yk_run_settings){.threads = 1}, NULL);
    assert_true(r.result.finished);
    const double got = r.result.tracked[0].indices.roughness;
    recorded_free(&r);
    yk_model_close(e);
    return got;
}

/* Lines have a kink at every target, parabolas smaller ones, and cubics go on with the slope they had. */
static void curved_paths_are_smoother(void **state)
{
    const double line = roughness("line"), quadratic = roughness("quadratic"), cubic = roughness("cubic");

    assert_true(quadratic < 0.9 * line);
    assert_true(cubic < 0.9 * line);
}

/* A run through every path is the same test. */
static void a_path_hardly_changes_a_good_test(void **state)
{
    assert_true(difference(NULL, 0, (const char *[]){"transfer.a1.path=quadratic"}, 1) < 0.01);
    assert_true(difference(NULL, 0, (const char *[]){"transfer.a1.path=cubic"}, 1) < 0.01);
}

static void settings_that_cannot_be_are_refused(void **state)
{
    static const struct refused_setting cases[] = {
        {"transfer.a1.path=spline", "path = 'spline'"},
        {"rig.actuators.a1.sensors={force_skew: 1 ms}", "force_skew = 0.001 s is more than the tick of 5e-05 s"},
        {"rig.actuators.a1.sensors={acceleration_gain: 0}", "acceleration_gain = 0"},
        {"rig.actuators.a1.moving_mass=-1 kg", "moving_mass"},
        {"rig.actuators.a1.limits={brake: -1 s}", "brake"},
        {"transfer.a1.feedback={inertia: 2 mm}", "inertia"},
    };

    check_refused_settings(text, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_accelerometer_takes_the_inertia_off),
        cmocka_unit_test(the_inertia_may_be_left_out_of_the_computed_mass),
        cmocka_unit_test(an_accelerometer_may_be_wrong),
        cmocka_unit_test(force_and_acceleration_are_filtered_alike),
        cmocka_unit_test(a_brake_that_engages_trips_the_run),
        cmocka_unit_test(channels_are_sampled_one_after_the_other),
        cmocka_unit_test(curved_paths_are_smoother),
        cmocka_unit_test(a_path_hardly_changes_a_good_test),
        cmocka_unit_test(settings_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
