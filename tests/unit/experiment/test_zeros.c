/* Zeros of sensors, section `calibration` of an experiment or the file beside it. Expected: what a run without the bias
 * reads. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "experiment/experiment.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char specimen[] = "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
                               "method: {integrator: lsrt2}\n"
                               "substructures:\n"
                               "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
                               "  specimen: {role: physical, dofs: [x], actuators: {x: a1}}\n"
                               "interfaces: [{join: [frame.x, specimen.x]}]\n"
                               "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz}]\n"
                               "transfer:\n"
                               "  a1: {controller: {kind: pi, K: 0.5, Ti: 50 ms}}\n"
                               "rig:\n"
                               "  backend: virtual\n"
                               "  actuators: {a1: {plant: {kind: first-order, time_constant: 10 ms}}}\n"
                               "  sensors: {strain: {unit: um/m, measures: x.u, gain: 4096}}\n"
                               "  specimen: {dofs: [x], mass: [0], stiffness: [[35530]]}\n"
                               "limits: {displacement: 100 mm, force: 60 kN, sensors: {strain: 1000}}\n";

#define BIASED "rig.actuators.a1.sensors={force_bias: 256 N, displacement_bias: 0.5 mm}", "rig.sensors.strain.bias=64"
#define DATE   "date: '2026-01-02T03:04:05+0100'"
#define ZEROS                                                                                                          \
    "calibration={a1.force: {zero: 256, " DATE "}, a1.displacement: {zero: 0.0005, command: 0, deviation: 1e-6, "      \
    "seconds: 1, " DATE "}, sensor.strain: {zero: 64, " DATE "}}"

static void zeros_undo_the_bias_of_sensors(void **state)
{
    static const char *const set[] = {BIASED, ZEROS};
    static const char *const channels[] = {"frame.x.u", "a1.displacement", "a1.force", "sensor.strain"};
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *plain = recorded_parse(specimen, NULL, 0), *zeroed = recorded_parse(specimen, set, 3),
                    *biased = recorded_parse(specimen, set, 2);
    struct yk_run_control control = {0};
    struct recorded expected, r, wrong;

    recorded_run(&expected, plain, &settings, &control);
    recorded_run(&r, zeroed, &settings, &control);
    recorded_run(&wrong, biased, &settings, &control);
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        const double want = recorded_last(&expected, plain, channels[i]);

        assert_near(recorded_last(&r, zeroed, channels[i]), want, 1e-12 * (1 + fabs(want)));
        assert_true(fabs(recorded_last(&wrong, biased, channels[i]) - want) > 1e-6);
    }
    assert_int_equal(zeroed->zero_count, 3);
    assert_string_equal(zeroed->zeros[0].channel, "a1.force");
    assert_string_equal(zeroed->zeros[2].unit, "um/m");
    recorded_free(&expected);
    recorded_free(&r);
    recorded_free(&wrong);
    yk_model_close(plain);
    yk_model_close(zeroed);
    yk_model_close(biased);
}

/* The file that `yoke rig` writes is read again, and both the summary and the description of a recording have it. */
static void the_file_beside_is_read(void **state)
{
    const struct yk_taken_zero written = {.channel = "a1.force",
                                          .unit = "N",
                                          .zero = -12.25,
                                          .deviation = 0.5,
                                          .seconds = 2,
                                          .date = "2026-11-16T09:30:00+0100"};
    const char *none[] = {"calibration=none"};
    struct yk_model *e;
    struct yk_err err = {0};
    char path[1024], *to;

    snprintf(path, sizeof path, "%s", scratch_write("zeroed.yaml", specimen));
    assert_int_equal(yk_model_load(&e, path, NULL, 0, &err), YK_OK);
    assert_int_equal(e->zero_count, 0);
    to = yk_zeros_path(e);
    assert_string_equal(to, scratch_path("zeroed.calibration.yaml"));
    assert_int_equal(yk_zeros_write(to, &written, 1, &err), YK_OK);
    free(to);
    yk_model_close(e);

    assert_int_equal(yk_model_load(&e, path, NULL, 0, &err), YK_OK);
    assert_int_equal(e->zero_count, 1);
    assert_memory_equal(&e->zeros[0], &written, sizeof written);
    assert_non_null(strstr(e->text, "zero: -12.25"));
    to = yk_zeros_path(e);
    assert_string_equal(to, scratch_path("zeroed.calibration.yaml"));
    free(to);
    json_t *told = yk_calibration_json(e);
    assert_near(json_number_value(json_object_get(json_array_get(told, 0), "zero")), -12.25, 0);
    json_decref(told);
    char *description = yk_run_description(e);
    assert_non_null(strstr(description, "\"calibration\":[{\"channel\":\"a1.force\""));
    free(description);
    yk_model_close(e);

    assert_int_equal(yk_model_load(&e, path, none, 1, &err), YK_OK);
    assert_int_equal(e->zero_count, 0);
    assert_null(yk_zeros_path(e));
    yk_model_close(e);
    assert_int_equal(remove(scratch_path("zeroed.calibration.yaml")), 0);
}

static void wrong_zeros_are_refused(void **state)
{
    static const struct refused_setting cases[] = {
        {"calibration={a2.force: {zero: 1, " DATE "}}", "'a2.force' is none of this rig"},
        {"calibration={a1.velocity: {zero: 1, " DATE "}}", "'a1.velocity' is none of this rig"},
        {"calibration={a1.force: {zero: 61e3, " DATE "}}", "zero of a1.force = 61000 is beyond its limit of 60000"},
        {"calibration={sensor.strain: {zero: 2e3, " DATE "}}", "beyond its limit of 1000"},
        {"calibration={a1.force: {zero: .nan, " DATE "}}", "zero"},
        {"calibration={a1.displacement: {zero: 0, command: 5, " DATE "}}", "command of a1.displacement = 5 is beyond"},
        {"calibration={a1.displacement: {zero: 0.05, command: 0.0485, " DATE "}}", "differ by 0.0015 m, more than"},
        {"calibration={a1.force: {zero: 1, date: yesterday}}", "date 'yesterday' is not written as"},
        {"calibration={a1.force: {zero: 1, date: '2999-01-01T00:00:00+0000'}}", "days ahead"},
        {"calibration={a1.force: {zero: 1}}", "date"},
        {"calibration={a1.force: {zeros: 1, " DATE "}}", "zero"},
        {"calibration=missing.yaml", "missing.yaml: cannot be opened"},
        {"calibration={a1.force: 3}", "a map with zero and date"},
    };

    check_refused_settings(specimen, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_undo_the_bias_of_sensors),
        cmocka_unit_test(the_file_beside_is_read),
        cmocka_unit_test(wrong_zeros_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
