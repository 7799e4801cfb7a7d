/* Tests that are good, and tests that are spoiled in one way or in two: the verdict, and its first reason. */
#include "support/check.h"
#include "support/verdicts.h"

#include <jansson.h>
#include <math.h>

/* The settings that spoil the test, and its first reason; several where more than one is right. */
static const struct {
    const char *first, *set[3];
} spoiled[] = {
    {"force", {"rig.actuators.a1.capacity.force=3 kN"}},
    {"force", {"rig.actuators.a1.capacity.force=1.5 kN"}},
    {"stroke", {"rig.actuators.a1.capacity.stroke=10 mm"}},
    {"stroke", {"rig.actuators.a1.capacity.stroke=5 mm"}},
    {"speed", {"rig.actuators.a1.capacity.speed=0.1 m/s"}},
    {"speed", {"rig.actuators.a1.capacity.speed=0.05 m/s"}},
    {"valve", {"rig.actuators.a1.capacity={rate: 0.08 m/s}"}},
    {"force", {"rig.actuators.a1.plant={kind: rths-hydraulic, force_limit: 3 kN}"}},
    {"lag", {"transfer.a1.compensator={kind: none}"}},
    {"lag", {"transfer.a1.compensator.delay=4 ms"}},
    {"lag", {"transfer.a1.compensator.delay=25 ms"}},
    {"lead", {"rig.actuators.a1={plant: {kind: delay, delay: 150 ms}}", "transfer.a1.compensator.delay=150 ms"}},
    {"gain", {"rig.actuators.a1.plant={kind: second-order, gain: 0.7, T1: 6 ms, T2: 5 ms, dead_time: 1 ms}"}},
    {"lag", {"rig.actuators.a1.plant={kind: first-order, time_constant: 60 ms}"}},
    {"force_noise", {"rig.actuators.a1.sensors={force_noise: 3 kN}"}},
    {"force_noise", {"rig.actuators.a1.sensors={force_noise: 1 kN}"}},
    {"displacement_noise", {"rig.actuators.a1.sensors={displacement_noise: 3 mm}"}},
    {"displacement_noise", {"rig.actuators.a1.sensors={displacement_quantum: 10 mm}"}},
    {"sign", {"rig.actuators.a1.sensors={force_gain: -1}"}},
    {"sign", {"rig.specimen.stiffness=[-200 kN/m]"}},
    {"estimate", {"substructures.column.estimate.stiffness=[[2e6]]"}},
    {"estimate", {"substructures.column.estimate.stiffness=[[2e4]]"}},
    {"estimate", {"substructures.column.estimate.stiffness=[[200]]"}},
    {"estimate", {"rig.actuators.a1.sensors={force_gain: 0.01}"}},
    {"frequency", {"substructures.frame.mass=[[2e12,0],[0,2e12]]"}},
    {"frequency", {"substructures.frame.mass=[[2e-6,0],[0,2e-6]]", "time.step=5 ms"}},
    {"no_effect", {"loads.0={ground: frame, kind: sine, amplitude: 0, frequency: 1}"}},
    {"step", {"time.step=100 ms"}},
    {"step", {"time.step=200 ms"}},
    {"lag|gain|felt", {"rig.actuators.a1.capacity={backlash: 20 mm}"}},
    {"gain|lag|tracking", {"rig.actuators.a1.capacity={brake: 6 s}"}},
    {"unfinished", {"limits={displacement: 5 mm}"}},
    {"unfinished", {"limits={force: 1 kN}"}},
    {"lag", {"transfer.a1.compensator.delay=6 ms"}},
    {"gain", {"rig.actuators.a1.plant={kind: second-order, gain: 1.3, T1: 6 ms, T2: 5 ms, dead_time: 1 ms}"}},
    {"gain", {"rig.actuators.a1.sensors={displacement_gain: 0.8}", "transfer.a1.controller={kind: none}"}},
    {"lead",
     {"rig.actuators.a1={plant: {kind: delay, delay: 200 ms}}", "transfer.a1.compensator.delay=200 ms",
      "loads.0.peak=0.05 g"}},
    {"force", {"rig.actuators.a1.capacity.force=2 kN", "rig.actuators.a1.sensors={force_noise: 1 kN}"}},
    {"stroke", {"rig.actuators.a1.capacity.stroke=10 mm", "transfer.a1.compensator.delay=9 ms"}},
    {"estimate", {"substructures.column.estimate.stiffness=[[200]]", "rig.actuators.a1.capacity.force=3 kN"}},
    {"force|speed", {"rig.actuators.a1.capacity={force: 3 kN, speed: 0.2 m/s}"}},
    {"sign", {"rig.actuators.a1.sensors={force_gain: -0.5}"}},
    {"stroke", {"loads.0.peak=2 g"}},
    {"frequency", {"substructures.frame.mass=[[2e9,0],[0,2e9]]", "rig.actuators.a1.capacity={}"}},
    {"step", {"time.step=125 ms", "transfer.a1.compensator.delay=9 ms"}},
    {"displacement_noise", {"rig.actuators.a1.sensors={displacement_noise: 8 mm}"}},
    {"lag", {"rig.actuators.a1.plant={kind: delay, delay: 25 ms}"}},
    {"lag", {"rig.actuators.a1.plant={kind: servo, frequency: 8 Hz, damping: 0.75}"}},
};

/* Three storeys on a hysteretic isolator, moved by the actuator of a benchmark with 8.9 kN and a spring inside. */
static const char isolated[] =
    "title: Three storeys on a hysteretic isolator\n"
    "time: { step: 4 ms, end: 20 s, control_rate: 1000 Hz }\n"
    "method: { integrator: lsrt2 }\n"
    "substructures:\n"
    "  building:\n"
    "    dofs: [b, x1, x2, x3]\n"
    "    mass: [30 t, 24 t, 24 t, 24 t]\n"
    "    stiffness: [[30e6, -30e6, 0, 0], [-30e6, 60e6, -30e6, 0], [0, -30e6, 60e6, -30e6], [0, 0, -30e6, 30e6]]\n"
    "    rayleigh: { mass: 0.2, stiffness: 0.002 }\n"
    "  isolator:\n"
    "    role: physical\n"
    "    dofs: [b]\n"
    "    actuators: { b: a1 }\n"
    "    estimate: { stiffness: [[6.64 MN/m]] }\n"
    "interfaces: [ { join: [building.b, isolator.b] } ]\n"
    "loads: [ { ground: building, kind: earthquake, peak: 0.35 g, frequency: 2 Hz, rise: 2 s, strong: 6 s, decay: 7 s, "
    "seed: 3 } ]\n"
    "transfer: { a1: { compensator: { kind: velocity, delay: 12 ms } } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: { a1: { plant: { kind: rths-hydraulic } } }\n"
    "  specimen: { kind: assembled, nodes: { b: { mass: 0 } }, elements: [ { kind: bouc-wen, between: [ground, b.x], "
    "kh: 640 kN/m, k0: 6 MN/m, beta: 60, gamma: 60 } ] }\n"
    "reference: monolithic\n";

static size_t settings_of(size_t i)
{
    size_t count = 0;

    while (count < 3 && spoiled[i].set[count])
        count++;
    return count;
}

static void a_healthy_test_is_good(void **state)
{
    json_t *verdict = judged_test(healthy_test(20), NULL, 0, false);

    assert_string_equal(level_of(verdict), "good");
    /* without a reference the error of the response is estimated from the tracking error */
    const json_t *measures = json_object_get(verdict, "measures");
    const double felt = json_number_value(json_object_get(measures, "felt")),
                 error = json_number_value(json_object_get(measures, "reference"));
    print_message("estimated error %.3g, true error %.3g\n", felt, error);
    assert_true(felt < 2 * error && error < 2 * felt);
    json_decref(verdict);
}

static void spoiled_tests_are_not_good_and_the_cause_comes_first(void **state)
{
    const size_t count = sizeof spoiled / sizeof *spoiled;
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        json_t *verdict = judged_test(healthy_test(20), spoiled[i].set, settings_of(i), false);

        if (strcmp(level_of(verdict), "good") == 0)
            fail_msg("%s: good", spoiled[i].set[0]);
        if (!is_one_of(first_of(verdict), spoiled[i].first)) {
            print_message("%s: first %s, not %s\n", spoiled[i].set[0], first_of(verdict), spoiled[i].first);
            wrong++;
        }
        json_decref(verdict);
    }
    print_message("%zu spoiled tests, the first reason wrong in %zu\n", count, wrong);
    assert_true(count >= 40);
    assert_true(20 * wrong <= count);
}

/* A rehearsal is the run on the virtual rig. */
static void a_rehearsal_has_the_verdict_of_the_run(void **state)
{
    for (size_t i = 0; i < sizeof spoiled / sizeof *spoiled; i++) {
        json_t *run = judged_test(healthy_test(20), spoiled[i].set, settings_of(i), false),
               *rehearsal = judged_test(healthy_test(20), spoiled[i].set, settings_of(i), true);

        if (strncmp(spoiled[i].first, "unfinished", 10) != 0) /* that one is told as the fault of the rehearsal */
            assert_true(json_equal(json_object_get(run, "reasons"), json_object_get(rehearsal, "reasons")));
        json_decref(run);
        json_decref(rehearsal);
    }
}

/* At its end stops while the ground shakes most: the first tenth and the last one track well. The error of the response
 * is told by mode, at the frequencies of two storeys. */
static void errors_are_told_over_time_and_by_mode(void **state)
{
    const char *stops = "rig.actuators.a1.capacity={stroke: 25 mm}";
    json_t *verdict = judged_test(healthy_test(20), &stops, 1, false);
    const json_t *measures = json_object_get(verdict, "measures"),
                 *parts = json_object_get(verdict, "tracking_by_time"),
                 *modes = json_object_get(verdict, "felt_by_mode");
    const double part = json_number_value(json_object_get(measures, "tracking_part")),
                 whole = json_number_value(json_object_get(measures, "tracking")), w2 = 200e3 / 2000;
    double most = 0;

    assert_int_equal(json_array_size(parts), 10);
    for (size_t k = 0; k < 10; k++)
        most = fmax(most, json_number_value(json_array_get(parts, k)));
    assert_near_relative(most, part, 1e-12);
    assert_true(part > 1.05 * whole);
    assert_true(json_number_value(json_array_get(parts, 0)) < 0.01 * part);
    assert_true(json_number_value(json_array_get(parts, 9)) < 0.1 * part);
    assert_int_equal(json_array_size(modes), 2);
    for (int j = 0; j < 2; j++)
        assert_near_relative(json_number_value(json_object_get(json_array_get(modes, (size_t)j), "frequency_Hz")),
                             sqrt(w2 * (j ? 3 + sqrt(5) : 3 - sqrt(5)) / 2) / (2 * M_PI), 1e-9);
    json_decref(verdict);
}

static void an_actuator_that_is_too_weak_is_named_first(void **state)
{
    json_t *verdict = judged_test(isolated, NULL, 0, false);

    assert_string_equal(level_of(verdict), "unusable");
    assert_string_equal(first_of(verdict), "force");
    json_decref(verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_test_is_good),
        cmocka_unit_test(spoiled_tests_are_not_good_and_the_cause_comes_first),
        cmocka_unit_test(a_rehearsal_has_the_verdict_of_the_run),
        cmocka_unit_test(errors_are_told_over_time_and_by_mode),
        cmocka_unit_test(an_actuator_that_is_too_weak_is_named_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
