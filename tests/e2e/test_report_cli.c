/* yoke report, and the report that every run leaves. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void every_run_leaves_a_report_unless_told_otherwise(void **state)
{
    assert_runs((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "-o", "one", NULL});
    assert_said("one/report.html");
    assert_true(is_there("one/report.html"));
    assert_runs((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "-o", "one", "--no-report", NULL});
    assert_false(is_there("one/report.html")); /* that of the earlier run would be about another recording */
    assert_runs((const char *const[]){YOKE_PROGRAM, "report", "one", NULL});
    assert_said("one/report.html");
    assert_true(is_there("one/report.html"));
}

static void a_tripped_run_and_one_without_summary_have_a_report(void **state)
{
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "run",
                                                        YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml",
                                                        "-o", "trip", "--set", "limits.force=800 N", NULL}),
                     3);
    assert_true(is_there("trip/report.html"));
    assert_int_equal(unlink("trip/summary.json"), 0);
    assert_runs((const char *const[]){YOKE_PROGRAM, "report", "trip", "-o", "other.html", NULL});
    assert_true(is_there("other.html"));
}

static void several_runs_are_compared_in_the_folder_of_the_first(void **state)
{
    assert_runs((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "-o", "one", NULL});
    assert_runs((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "-o", "two", "--set", "time.step=5 ms", NULL});
    assert_runs((const char *const[]){YOKE_PROGRAM, "report", "one", "two", NULL});
    assert_said("one/comparison.html");
}

static void what_is_no_run_is_refused_with_a_reason(void **state)
{
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "report", NULL}), 2);
    assert_said("which run?");
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "report", "nowhere", NULL}), 2);
    assert_said("nowhere");
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "report", "small.yaml", NULL}), 2);
    assert_said("not an HDF5 file");
    assert_runs((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "-o", "one", NULL});
    assert_true(program_code((const char *const[]){YOKE_PROGRAM, "report", "one", "-o", "no/such/folder.html", NULL}) !=
                0);
    assert_said("no/such/folder.html");
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "report", "one", "-o", "one/run.h5", NULL}), 2);
    assert_said("is the recording itself");
}

/* Whole text of a file, valid until the next one. */
static const char *text_of(const char *path)
{
    static char text[4 << 20];
    FILE *in = fopen(path, "r");

    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    return text;
}

/* A verdict that is not good brings its cause, where its first reason tells one, and the command that looks further. */
static void a_spoiled_run_says_what_limited_it(void **state)
{
    static const struct {
        const char *set, *said; /* NULL: nothing */
    } runs[] = {
        {"time.end=5 s", NULL},
        {"rig.actuators.a1.capacity.force=1.1 kN",
         "\"explanation\":{\"cause\":\"saturation\",\"words\":\"an actuator has too little force\","
         "\"command\":\"yoke explain \\u0022the run\\u0022\"}"},
        {"transfer.a1.compensator.kind=none", "\"explanation\":{\"cause\":\"delay\""},
        {"quality.doubtful.energy=1e-6", "\"explanation\":{\"cause\":null,\"words\":null,\"command\":\"yoke explain "},
    };

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_runs((const char *const[]){YOKE_PROGRAM, "run",
                                          YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml", "-o", "the run",
                                          "--accept-quality", "--force", "--set", runs[i].set, NULL});
        if (!strstr(text_of("the run/report.html"), runs[i].said ? runs[i].said : "\"summary\":{"))
            fail_msg("%s: the page does not say %s", runs[i].set, runs[i].said);
        if (!runs[i].said)
            assert_null(strstr(text_of("the run/report.html"), "\"explanation\":{"));
    }
}

static void a_benchmark_leaves_a_page_with_its_table_and_histories(void **state)
{
    FILE *chain = fopen("<b>mine.yaml", "w");

    fputs("transfer: { a1: { compensator: { kind: lagrange, order: 2, delay: 24 ms, apart: 8 ms } } }\n", chain);
    fclose(chain);
    assert_runs((const char *const[]){YOKE_PROGRAM, "benchmark", "rths", "sample", "<b>mine.yaml", "--case", "3",
                                      "--end", "7", "--plants", "1", "-q", "-o", "rths", NULL});
    const char *page = text_of("rths/report.html");

    assert_true(is_there("rths/history-sample.svg") && is_there("rths/history-<b>mine.yaml.svg"));
    assert_non_null(strstr(page, "<td>case 3, worst plant</td>"));
    assert_non_null(strstr(page, "&#60;b&#62;mine.yaml"));
    assert_null(strstr(page, "<b>mine.yaml"));
    assert_non_null(strstr(strstr(page, "data:image/svg+xml;base64,") + 1, "data:image/svg+xml;base64,"));
    assert_runs((const char *const[]){YOKE_PROGRAM, "benchmark", "marths", "none", "joint", "--end", "4", "-q", "-o",
                                      "marths", NULL});
    page = text_of("marths/report.html");
    assert_non_null(strstr(page, "<td>joint</td><td>nominal plant</td>"));
    assert_non_null(strstr(strstr(page, "<td>joint</td>"), "good"));
    assert_non_null(strstr(strstr(page, "<td>none</td>"), "unusable"));
    assert_true(is_there("marths/history-none.svg") && is_there("marths/history-joint.svg"));
}

/* Files that a chain names count from its own folder, not from where the program was started; a shared object itself is
 * no chain. */
static void a_benchmark_takes_a_compensator_of_a_plugin(void **state)
{
    FILE *chain;

    assert_int_equal(system("mkdir -p mine && cp " YOKE_BINARY "/tests/plugins/twin_compensator.so mine/twin.so"), 0);
    assert_non_null(chain = fopen("mine/chain.yaml", "w"));
    fputs("transfer:\n  a1: { compensator: { kind: plugin, library: twin.so, delay: 24 ms } }\n"
          "  a2: { compensator: { kind: plugin, library: twin.so, delay: 24 ms } }\n",
          chain);
    fclose(chain);
    assert_runs(
        (const char *const[]){YOKE_PROGRAM, "benchmark", "marths", "mine/chain.yaml", "--end", "2", "-q", NULL});
    assert_non_null(chain = fopen("mine/chain.yaml", "w"));
    fputs("transfer: { a1: { compensator: { kind: plugin, library: twin.so, delay: 24 ms } } }\n", chain);
    fclose(chain);
    assert_runs((const char *const[]){YOKE_PROGRAM, "benchmark", "rths", "mine/chain.yaml", "--case", "1", "--end", "6",
                                      "-q", NULL});
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "benchmark", "rths", "mine/twin.so", NULL}), 2);
    assert_said("is a shared object: name it in a file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_leaves_a_report_unless_told_otherwise),
        cmocka_unit_test(a_tripped_run_and_one_without_summary_have_a_report),
        cmocka_unit_test(several_runs_are_compared_in_the_folder_of_the_first),
        cmocka_unit_test(a_spoiled_run_says_what_limited_it),
        cmocka_unit_test(a_benchmark_leaves_a_page_with_its_table_and_histories),
        cmocka_unit_test(a_benchmark_takes_a_compensator_of_a_plugin),
        cmocka_unit_test(what_is_no_run_is_refused_with_a_reason),
    };

    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
