/* yoke report, and the report that every run leaves. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <stdio.h>
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_leaves_a_report_unless_told_otherwise),
        cmocka_unit_test(a_tripped_run_and_one_without_summary_have_a_report),
        cmocka_unit_test(several_runs_are_compared_in_the_folder_of_the_first),
        cmocka_unit_test(what_is_no_run_is_refused_with_a_reason),
    };

    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
