/* Every examples/<story>/<name>.yaml runs with the program as it was built and reaches the peaks of expected.json
 * beside it: {"tolerance": relative, "<name>.yaml": {"channel": peak, ...}}. An entry may have a "tolerance" of its
 * own, "tracking" (the largest nrms of an actuator) and "error" (against the reference) as the most that is allowed,
 * and
 * "<name>.yaml --set KEY=VALUE ..." is a run with these words. The peaks come from an independent integration
 * (see the README of each story). A new example joins by being there; a folder without expected.json is left out, and
 * the test says so. Plugins (*.c) of a folder are compiled first, into a scratch directory with a copy of the
 * experiment.
 */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <glob.h>
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>

/* "<folder>/<pattern>" of the file's folder */
static glob_t beside(const char *file, const char *pattern)
{
    char path[1024], *copy = strdup(file);
    glob_t found = {0};

    snprintf(path, sizeof path, "%s/%s", dirname(copy), pattern);
    free(copy);
    glob(path, 0, NULL, &found);
    return found;
}

/* Compiles the plugins of a folder into the scratch directory; returns how many there were. */
static size_t compile_plugins(const char *file)
{
    glob_t sources = beside(file, "*.c");
    const size_t count = sources.gl_pathc;

    for (size_t i = 0; i < count; i++) {
        char name[256], object[1024], *copy = strdup(sources.gl_pathv[i]);
        const char *const argv[] = {"/usr/bin/env",         "cc", "-std=c11", "-shared", "-fPIC", "-I",
                                    YOKE_SOURCE "/include", copy, "-o",       object,    NULL};

        snprintf(name, sizeof name, "%s", strrchr(copy, '/') + 1);
        strcpy(strrchr(name, '.'), ".so");
        snprintf(object, sizeof object, "%s", scratch_path(name));
        assert_runs(argv);
        free(copy);
    }
    globfree(&sources);
    return count;
}

/* Exit code of `yoke run FILE -o <scratch>` with the words that follow the name of the file in `entry`. */
static int run_example(const char *file, const char *entry)
{
    char folder[1024], copy[1024], words[512], *rest = words;
    const char *argv[32] = {YOKE_PROGRAM, "run", copy, "-o", folder, "--quiet", "--json", NULL};

    snprintf(folder, sizeof folder, "%s", scratch_path(""));
    snprintf(copy, sizeof copy, "%s", file);
    snprintf(words, sizeof words, "%s", entry);
    strsep(&rest, " ");
    for (int i = 7; rest && i < 31; i++)
        argv[i] = strsep(&rest, " ");
    if (compile_plugins(file)) {
        snprintf(copy, sizeof copy, "%s", scratch_path("plugin.yaml"));
        assert_runs((const char *const[]){"/usr/bin/env", "cp", file, copy, NULL});
    }
    return program_code(argv);
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);

    if (!json)
        print_error("%s:%d: %s\n", path, error.line, error.text);
    assert_non_null(json);
    return json;
}

/* expected.json in the folder of the file; NULL where there is none */
static json_t *load_expected(const char *file)
{
    glob_t found = beside(file, "expected.json");
    json_t *expected = found.gl_pathc ? load(found.gl_pathv[0]) : NULL;

    globfree(&found);
    return expected;
}

/* Keys of an entry that are no peaks. */
static const char *const others[] = {"tolerance", "tracking", "error"};

static bool is_peak(const char *key)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0)
            return false;
    return true;
}

static int compare(const char *file, json_t *wanted, double tolerance, json_t *peaks)
{
    const char *channel;
    json_t *value;
    int wrong = 0;

    json_object_foreach(wanted, channel, value)
    {
        const double want = json_number_value(value), got = json_number_value(json_object_get(peaks, channel));

        if (!is_peak(channel))
            continue;
        if (!json_object_get(peaks, channel) || !(fabs(got - want) <= tolerance * fabs(want))) {
            print_error("%s: peak of %s is %.8g, wanted %.8g within %g\n", file, channel, got, want, tolerance);
            wrong++;
        }
    }
    return wrong;
}

/* Measured forces that were taken for impossible: gaps, friction and yielding of these specimens must not be. */
static int count_implausible(const char *entry, json_t *tracking)
{
    const char *actuator;
    json_t *tracked;
    int count = 0;

    json_object_foreach(tracking, actuator, tracked)
    {
        const json_t *said = json_object_get(tracked, "implausible_force");

        assert_non_null(said);
        if (!json_is_null(said)) {
            print_error("%s: %s: %s\n", entry, actuator, json_string_value(said));
            count++;
        }
    }
    return count;
}

/* Tracking and error are at most what is wanted. */
static int check_bounds(const char *entry, json_t *wanted, json_t *summary)
{
    const double most = json_number_value(json_object_get(wanted, "tracking")),
                 allowed = json_number_value(json_object_get(wanted, "error"));
    json_t *tracked, *error = json_object_get(json_object_get(summary, "errors"), "displacement_nrms");
    const char *actuator;
    int wrong = 0;

    if (json_object_get(wanted, "tracking"))
        json_object_foreach(json_object_get(summary, "tracking"), actuator, tracked)
        {
            const double nrms = json_number_value(json_object_get(tracked, "nrms"));

            if (!(nrms > 0 && nrms <= most)) {
                print_error("%s: %s tracks with %g, wanted at most %g\n", entry, actuator, nrms, most);
                wrong++;
            }
        }
    if (json_object_get(wanted, "error") && !(json_is_number(error) && json_number_value(error) <= allowed)) {
        print_error("%s: error %g against the reference, wanted at most %g\n", entry, json_number_value(error),
                    allowed);
        wrong++;
    }
    return wrong;
}

/* One entry of expected.json. */
static int check_entry(const char *file, const char *entry, json_t *wanted, double tolerance)
{
    json_t *own = json_object_get(wanted, "tolerance"), *summary;
    size_t count = 0;
    const int code = run_example(file, entry);
    const char *key;
    json_t *value;
    int wrong;

    json_object_foreach(wanted, key, value) count += is_peak(key);

    tolerance = own ? json_number_value(own) : tolerance;
    if (code)
        print_error("%s: exit code %d: %s\n", entry, code, program_said());
    assert_int_equal(code, 0);
    summary = load(scratch_path("summary.json"));
    assert_true(json_is_true(json_object_get(summary, "finished")));
    if (!count || !(tolerance > 0 && tolerance < 0.1))
        print_error("%s: no expected peaks, or no tolerance, in expected.json\n", entry);
    assert_true(count && tolerance > 0 && tolerance < 0.1);
    wrong = compare(entry, wanted, tolerance, json_object_get(summary, "peaks"));
    print_message("%-34s %zu peaks within %g\n", entry, count, tolerance);
    wrong += check_bounds(entry, wanted, summary);
    wrong += count_implausible(entry, json_object_get(summary, "tracking"));
    json_decref(summary);
    return wrong;
}

static int check_example(const char *file)
{
    json_t *expected = load_expected(file), *wanted;
    const char *name = strrchr(file, '/') + 1, *entry;
    const double tolerance = json_number_value(json_object_get(expected, "tolerance"));
    int wrong = 0, count = 0;

    if (!expected) {
        print_message("%-34s left out, since it has no expected.json\n", name);
        return 0;
    }
    json_object_foreach(expected, entry, wanted)
    {
        if (strncmp(entry, name, strlen(name)) != 0)
            continue;
        wrong += check_entry(file, entry, wanted, tolerance);
        count++;
    }
    if (!count)
        print_error("%s: nothing in expected.json\n", name);
    json_decref(expected);
    return wrong + !count;
}

static void every_example_reaches_its_expected_peaks(void **state)
{
    glob_t found;
    int wrong = 0;

    assert_int_equal(glob(YOKE_SOURCE "/examples/*/*.yaml", 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 8);
    for (size_t i = 0; i < found.gl_pathc; i++)
        wrong += check_example(found.gl_pathv[i]);
    globfree(&found);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example_reaches_its_expected_peaks)};

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
