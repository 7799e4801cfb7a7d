/* Records that are not what they declare are refused; what a reader assumes reaches the user on every way. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>
#include <yoke/yoke.h>

#define NOTE "record.at2 names no unit; g is assumed"

/* An experiment with a record of three values that declares `count`; `said`: the line of its unit. */
static const char *write_experiment(int count, const char *said, const char *unit)
{
    static char path[1024];
    char text[1200], record[300];

    snprintf(record, sizeof record, "A RECORD\n%sNPTS= %d, DT= .02 SEC\n0 .1\n-.2\n", said, count);
    scratch_write("record.at2", record);
    snprintf(text, sizeof text,
             "title: one mass\ntime: { step: 10 ms, end: 0.1 s }\nmethod: { integrator: lsrt2 }\n"
             "substructures: { frame: { dofs: [x], mass: [1], damping: [1], stiffness: [100] } }\n"
             "loads: [ { ground: frame, kind: record, file: record.at2%s } ]\n",
             unit);
    snprintf(path, sizeof path, "%s", scratch_write("noted.yaml", text));
    return path;
}

static void a_record_that_is_cut_or_too_long_is_refused(void **state)
{
    static const struct {
        int count;
        const char *words;
    } cases[] = {{3000, "NPTS declares 3000 values, but the file has 3: it is cut off"},
                 {2, "NPTS declares 2 values, but the file has 3: some of them do not belong to the record"}};
    struct program p;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_run(&p, "run", write_experiment(cases[i].count, "UNITS OF G\n", ""), "-q", "-o", scratch_path("out"));
        assert_int_equal(p.code, 2);
        assert_non_null(strstr(p.err, "noted.yaml:5:"));
        assert_non_null(strstr(p.err, cases[i].words));
        program_free(&p);
    }
}

/* The largest load of a check, in m/s2. */
static double peak_of(const char *file)
{
    struct program p;
    double peak;

    program_run(&p, "check", file, "--json");
    json_t *found = json_loads(p.out, 0, NULL);
    peak = json_number_value(json_object_get(json_array_get(json_object_get(found, "loads"), 0), "peak"));
    json_decref(found);
    program_free(&p);
    return peak;
}

static void a_unit_can_be_given_to_a_record_without_one(void **state)
{
    const double in_g = peak_of(write_experiment(3, "UNITS OF G\n", ""));

    assert_true(in_g > 0.1 * 9.80665 && in_g < 0.2 * 9.80665);
    assert_near(peak_of(write_experiment(3, "", "")), in_g, 1e-12);
    assert_near(peak_of(write_experiment(3, "", ", unit: g")), in_g, 1e-12);
    assert_near(peak_of(write_experiment(3, "", ", unit: m/s2")), in_g / 9.80665, 1e-12);
    assert_near(peak_of(write_experiment(3, "", ", unit: cm/s2")), in_g / 980.665, 1e-12);
}

/* False where the list of notes of a JSON text lacks it. */
static bool is_noted(const char *json, const char *key)
{
    json_t *found = json_loads(json, 0, NULL);
    const char *note = json_string_value(json_array_get(json_object_get(found, key), 0));
    const bool noted = note && strstr(note, NOTE);

    json_decref(found);
    return noted;
}

static void a_missing_unit_is_said_by_run_check_summary_and_description(void **state)
{
    struct program p;
    char *file = strdup(write_experiment(3, "", "")), *text;
    struct yk_model *model;

    program_run(&p, "run", file, "-q", "--accept-quality", "-o", scratch_path("out"));
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.err, "yoke: note: "));
    assert_non_null(strstr(p.err, NOTE));
    program_free(&p);
    assert_true(is_noted(scratch_text("out/summary.json"), "notes"));
    program_run(&p, "check", file, "--json");
    assert_non_null(strstr(p.err, NOTE));
    assert_true(is_noted(p.out, "notes"));
    program_free(&p);
    assert_ok(yk_model_open(&model, file, NULL, 0, &err));
    assert_non_null(strstr(yk_model_note(model, 0), NOTE));
    assert_null(yk_model_note(model, 1));
    text = yk_model_describe(model);
    assert_true(is_noted(text, "notes"));
    yk_free(text);
    yk_model_close(model);
    program_run(&p, "run", write_experiment(3, "", ", unit: g"), "-q", "--accept-quality", "-o", scratch_path("other"));
    assert_int_equal(p.code, 0);
    assert_string_equal(p.err, "");
    program_free(&p);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_that_is_cut_or_too_long_is_refused),
        cmocka_unit_test(a_unit_can_be_given_to_a_record_without_one),
        cmocka_unit_test(a_missing_unit_is_said_by_run_check_summary_and_description),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
