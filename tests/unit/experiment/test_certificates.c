/* Calibrations of sensors, section `certificates`: kept in summary and recording, said where they are overdue, refused
 * where they contradict themselves. Days are counted from today by the C library. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "experiment/experiment.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char specimen[] = "time: {step: 10 ms, end: 0.1 s, control_rate: 1000 Hz}\n"
                               "method: {integrator: lsrt2}\n"
                               "substructures:\n"
                               "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
                               "  specimen: {role: physical, dofs: [x], actuators: {x: a1}}\n"
                               "interfaces: [{join: [frame.x, specimen.x]}]\n"
                               "transfer: {a1: {controller: {kind: pi, K: 0.5, Ti: 50 ms}}}\n"
                               "rig:\n"
                               "  backend: virtual\n"
                               "  actuators: {a1: {plant: {kind: first-order, time_constant: 10 ms}}}\n"
                               "  sensors: {strain: {unit: um/m, measures: x.u}}\n"
                               "  specimen: {dofs: [x], mass: [0], stiffness: [[35530]]}\n";

/* A day as in a file, so many days from today. */
static const char *day(int from_today)
{
    static char texts[4][16];
    static int used;
    const time_t at = time(NULL) + (time_t)from_today * 86400;
    char *text = texts[used++ % 4];

    strftime(text, sizeof texts[0], "%Y-%m-%d", gmtime(&at));
    return text;
}

static const char *entry(const char *channel, int date, int due, const char *more)
{
    static char text[400];

    snprintf(text, sizeof text,
             "certificates={%s: {sensor: 'load cell, 10 kN', serial: '0815', certificate: K-17, date: %s, due: %s, "
             "uncertainty: 0.003%s}}",
             channel, day(date), day(due), more);
    return text;
}

static void certificates_are_in_the_summary(void **state)
{
    const char *const set[] = {entry("a1.force", -100, 200, ", as_found: 1.004, as_left: 1.001")};
    struct yk_model *e = recorded_parse(specimen, set, 1);
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_run_channels channels = {0};
    struct yk_run_control control = {0};
    struct recorded r;

    assert_int_equal(e->notes->count, 1); /* the section is deprecated */
    recorded_run(&r, e, &settings, &control);
    char *text = yk_run_summary(e, &channels, &r.result);
    json_t *summary = json_loads(text, 0, NULL), *one = json_array_get(json_object_get(summary, "certificates"), 0);

    assert_string_equal(json_string_value(json_object_get(one, "channel")), "a1.force");
    assert_string_equal(json_string_value(json_object_get(one, "serial")), "0815");
    assert_string_equal(json_string_value(json_object_get(one, "due")), day(200));
    assert_near(json_real_value(json_object_get(one, "as_found")), 1.004, 0);
    assert_int_equal(json_integer_value(json_object_get(one, "overdue_days")), 0);
    json_decref(summary);
    free(text);
    recorded_free(&r);
    yk_model_close(e);
}

static void overdue_and_misadjusted_sensors_are_said(void **state)
{
    static const struct {
        const char *channel;
        int date, due;
        const char *more, *words;
    } cases[] = {{"a1.force", -400, -3, "", "was due on"},
                 {"a1.force", -400, -1, "", "1 day ago"},
                 {"sensor.strain", -10, 10, ", as_left: 1.01", "beyond its uncertainty of 0.3 %"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const set[] = {entry(cases[i].channel, cases[i].date, cases[i].due, cases[i].more)};
        struct yk_model *e = recorded_parse(specimen, set, 1);

        assert_int_equal(e->notes->count, 2); /* the section is deprecated, too */
        assert_non_null(strstr(e->notes->items[0], cases[i].words));
        yk_model_close(e);
    }
}

static void contradictions_are_refused(void **state)
{
    static const struct {
        const char *channel;
        int date, due;
        const char *more, *words;
    } cases[] = {{"a2.force", -1, 1, "", "none of this rig"},    {"a1.speed", -1, 1, "", "none of this rig"},
                 {"a1.force", -1, -2, "", "is not after date"},  {"a1.force", 10, 20, "", "days ahead"},
                 {"a1.force", -1, 1, ", colour: red", "colour"}, {"a1.force", -1, 1, ", as_found: 0", "as_found"}};
    struct yk_model *e;
    struct yk_err err = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const set[] = {entry(cases[i].channel, cases[i].date, cases[i].due, cases[i].more)};

        assert_int_not_equal(yk_model_parse(&e, "x.yaml", specimen, strlen(specimen), set, 1, &err), YK_OK);
        assert_non_null(strstr(yk_err_line(&err).text, cases[i].words));
    }
    const char *const never[] = {
        "certificates={a1.force: {sensor: a, serial: b, certificate: c, date: 2025-02-30, due: "
        "2099-01-01, uncertainty: 0}}"};

    assert_int_not_equal(yk_model_parse(&e, "x.yaml", specimen, strlen(specimen), never, 1, &err), YK_OK);
    assert_non_null(strstr(yk_err_line(&err).text, "is not a day"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(certificates_are_in_the_summary, scratch_create, scratch_remove),
        cmocka_unit_test(overdue_and_misadjusted_sensors_are_said),
        cmocka_unit_test(contradictions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
