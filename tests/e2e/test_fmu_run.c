/* `yoke fmu run`: inputs over time, FMUs that end themselves, the end of the last step, model exchange of FMI 3.0.
 * Expected values are those of the formulas in tests/support/fmus/ender.c and decay.c. */
#include "support/check.h"
#include "support/cli.h"
#include "support/scratch.h"

#include <yoke/archive.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ENDER                                                                                                          \
    "<fmiModelDescription fmiVersion='2.0' modelName='ender' guid='{e}'><CoSimulation modelIdentifier='ender'/>"       \
    "<DefaultExperiment stopTime='1' stepSize='0.1'/><ModelVariables>"                                                 \
    "<ScalarVariable name='u' valueReference='1' causality='input'><Real start='0'/></ScalarVariable>"                 \
    "<ScalarVariable name='y' valueReference='2' causality='output'><Real/></ScalarVariable></ModelVariables>"         \
    "<ModelStructure><Outputs><Unknown index='2'/></Outputs></ModelStructure></fmiModelDescription>"
#define DECAY                                                                                                          \
    "<fmiModelDescription fmiVersion='3.0' modelName='decay' instantiationToken='{d}'>"                                \
    "<ModelExchange modelIdentifier='decay' needsCompletedIntegratorStep='true'/>"                                     \
    "<DefaultExperiment stopTime='5' stepSize='0.15'/><ModelVariables>"                                                \
    "<Float64 name='x' valueReference='1' causality='local' start='1 2'><Dimension start='2'/></Float64>"              \
    "<Float64 name='dx' valueReference='2' causality='local' derivative='1'><Dimension start='2'/></Float64>"          \
    "<Float64 name='y' valueReference='3' causality='output'><Dimension start='2'/></Float64>"                         \
    "<Float64 name='k' valueReference='4' causality='parameter' variability='fixed' start='1'/>"                       \
    "<Float64 name='s' valueReference='5' causality='input' variability='discrete' start='0'/>"                        \
    "<Float64 name='z' valueReference='6' causality='local'/></ModelVariables><ModelStructure>"                        \
    "<Output valueReference='3'/><ContinuousStateDerivative valueReference='2'/><EventIndicator valueReference='6'/>"  \
    "</ModelStructure></fmiModelDescription>"

static void make(const char *name, const char *description, const char *inside)
{
    static char object[1 << 20];
    char path[600];
    FILE *in;
    size_t size;

    snprintf(path, sizeof path, "%s/tests/fmus/%s.so", YOKE_BINARY, name);
    assert_non_null(in = fopen(path, "re"));
    size = fread(object, 1, sizeof object, in);
    fclose(in);
    struct yk_archive_entry entries[] = {{"modelDescription.xml", description, strlen(description)},
                                         {inside, object, size}};
    assert_ok(yk_archive_pack(scratch_path("x.fmu"), entries, 2, 0, &err));
}

static void make_ender(void)
{
    make("ender2", ENDER, "binaries/linux64/ender.so");
}

static void make_decay(void)
{
    make("decay3", DECAY, "binaries/x86_64-linux/decay.so");
}

/* Rows of the recording; those beyond `most` are not kept. */
static size_t rows_of(double (*rows)[3], size_t columns, size_t most)
{
    struct program p;
    size_t count = 0;

    program_run(&p, "export", scratch_path("out"), "--csv", "-");
    assert_code(&p, 0);
    for (char *line = strchr(p.out, '\n'); line && line[1]; line = strchr(line + 1, '\n'), count++)
        for (size_t k = 0; count < most && k < columns; k++)
            rows[count][k] = strtod(k ? strchr(line, ',') + 1 : line + 1, NULL);
    program_free(&p);
    return count;
}

static void an_fmu_that_ends_itself_ends_the_run_and_nothing_is_wrong(void **state)
{
    struct program p;
    double rows[10][3];

    make_ender();
    program_run(&p, "fmu", "run", scratch_path("x.fmu"), "--set", "u=3", "-o", scratch_path("out"));
    assert_code(&p, 0);
    assert_words(p.out, "asked to stop at t = 0.35 s");
    assert_string_equal(p.err, "");
    program_free(&p);
    assert_int_equal(rows_of(rows, 2, 10), 5); /* 0, 0.1, 0.2, 0.3, 0.35 */
    assert_near(rows[3][0], 0.3, 1e-12);
    assert_near(rows[4][0], 0.35, 1e-12);
    assert_near(rows[4][1], 3, 0);
}

static void inputs_come_from_a_file_and_the_last_step_ends_in_time(void **state)
{
    struct program p;
    double rows[10][3];

    make_ender();
    scratch_write("in.csv", "\"time\",\"u\"\n0,0\n0.1,1\n0.1,5\n0.3,7\n");
    program_run(&p, "fmu", "run", scratch_path("x.fmu"), "--input", scratch_path("in.csv"), "--end", "0.3", "-o",
                scratch_path("out"));
    assert_code(&p, 0);
    program_free(&p);
    assert_int_equal(rows_of(rows, 2, 10), 4);
    assert_near(rows[1][1], 0, 0); /* of the beginning of each step; the second row of a time counts from there on */
    assert_near(rows[2][1], 5, 0);
    assert_near(rows[3][1], 6, 1e-12);
}

static void bad_inputs_are_refused_with_their_line(void **state)
{
    static const char *const bad[][2] = {
        {"t,u\n0,0\n", "in.csv:1:1: the first column is 't'"},
        {"time,w\n0,0\n", "in.csv:1:1: the FMU has no input 'w'"},
        {"time,u\n0,0\n1\n", "in.csv:3:1: this row has fewer values"},
        {"time,u\n0,0\n1,2,3\n", "in.csv:3:1: this row has more values"},
        {"time,u\n0,nan\n", "in.csv:2:1: 'nan' in column 2 is no number"},
        {"time,u\n1,0\n0,0\n", "in.csv:3:1: the time 0 s is before"},
        {"time,u\n", "has no rows"},
    };

    make_ender();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct program p;

        scratch_write("in.csv", bad[i][0]);
        program_run(&p, "fmu", "run", scratch_path("x.fmu"), "--input", scratch_path("in.csv"), "-o",
                    scratch_path("out"));
        assert_code(&p, 2);
        assert_words(p.err, bad[i][1]);
        program_free(&p);
    }
}

static void model_exchange_of_fmi_3_has_arrays_discrete_inputs_events_and_an_end(void **state)
{
    struct program p;
    double rows[20][3];

    make_decay();
    scratch_write("in.csv", "time,s\n0,0\n0.6,0\n0.6,3\n");
    program_run(&p, "fmu", "run", scratch_path("x.fmu"), "--input", scratch_path("in.csv"), "-o", scratch_path("out"));
    assert_code(&p, 0);
    assert_words(p.out, "asked to stop at t = 2.1 s");
    program_free(&p);
    assert_int_equal(rows_of(rows, 2, 20), 15);
    assert_near(rows[4][1], exp(-0.6), 1e-6);
    const double crossing = 0.6 + log((3 - exp(-0.6)) / 1.5); /* x = 3 - (3 - exp(-0.6)) exp(-(t - 0.6)) is 1.5 */
    const double last = 3 - (3 - exp(-0.6)) * exp(-1.5);
    assert_true(crossing < 2.1);
    assert_near(rows[14][1], last, 1e-5);
    program_run(&p, "export", scratch_path("out"), "--csv", "-");
    assert_near(strtod(strrchr(p.out, ',') + 1, NULL), 3 + 4 * exp(-(2.1 - crossing)), 1e-4);
    program_free(&p);
}

static void model_exchange_that_is_too_stiff_for_the_steps_is_noticed(void **state)
{
    struct program p;

    make_decay();
    program_run(&p, "fmu", "run", scratch_path("x.fmu"), "--set", "k=1e6", "-o", scratch_path("out"));
    assert_code(&p, 3);
    program_free(&p);
    program_run(&p, "fmu", "run", scratch_path("x.fmu"), "--set", "k=1e6", "--step", "1e-4", "--end", "0.01", "-o",
                scratch_path("out"));
    assert_code(&p, 0);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_fmu_that_ends_itself_ends_the_run_and_nothing_is_wrong),
        cmocka_unit_test(inputs_come_from_a_file_and_the_last_step_ends_in_time),
        cmocka_unit_test(bad_inputs_are_refused_with_their_line),
        cmocka_unit_test(model_exchange_of_fmi_3_has_arrays_discrete_inputs_events_and_an_end),
        cmocka_unit_test(model_exchange_that_is_too_stiff_for_the_steps_is_noticed),
    };

    return cmocka_run_group_tests_name("FMUs by themselves", tests, scratch_create, scratch_remove);
}
