/* yoke analyze delay as a user calls it: of an experiment, of a recording, and of columns of a file. Expected: the
 * delay and gain that the signals were made with, and the delay of the rig of the example, 21 ms by its makers. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define SPRING     YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
#define OSCILLATOR YOKE_SOURCE "/examples/oscillator/oscillator.yaml"

static json_t *parse(struct program *p)
{
    json_t *json = json_loads(p->out, 0, NULL);

    if (p->code || !json)
        print_error("exit code %d: %s%s\n", p->code, p->out, p->err);
    assert_int_equal(p->code, 0);
    assert_non_null(json);
    program_free(p);
    return json;
}

static double number(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* ---- experiments and recordings ---- */

static void check_actuator(const json_t *json)
{
    const json_t *a1 = json_object_get(json_object_get(json, "actuators"), "a1");

    assert_near(number(a1, "command_delay_s"), 21e-3, 0.3e-3);
    assert_near(number(a1, "command_gain"), 1, 0.01);
    assert_true(number(a1, "command_residual") < 0.01);
    assert_near(number(a1, "target_delay_s"), -0.33e-3, 0.05e-3);
    assert_near(number(a1, "target_gain"), number(a1, "amplitude"), 1e-3);
    assert_true(number(a1, "nrms") < 0.01 && number(a1, "peak_m") > 0);
    assert_near(number(json_object_get(a1, "frequency_domain"), "frequency_Hz"), 1.3, 0.01);
    assert_true(number(json_object_get(a1, "synchronisation"), "area_m2") < 0);
}

static void an_experiment_and_its_recording_say_the_same(void **state)
{
    struct program p;
    json_t *json;

    program_run(&p, "analyze", "delay", SPRING, "--json");
    check_actuator(json = parse(&p));
    json_decref(json);
    program_run(&p, "run", SPRING, "-q", "-o", scratch_path("out"));
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "analyze", "delay", scratch_path("out"), "--json");
    check_actuator(json = parse(&p));
    json_decref(json);
    program_run(&p, "analyze", "delay", scratch_path("out/run.h5"));
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "a1           command"));
    assert_non_null(strstr(p.out, "             target         -0.3"));
    program_free(&p);
    /* columns of the exported recording */
    program_run(&p, "export", scratch_path("out"), "--csv", scratch_path("out.csv"));
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "analyze", "delay", "--csv", scratch_path("out.csv"), "--command", "a1.command", "--measured",
                "a1.displacement", "--json");
    json = parse(&p);
    assert_near(number(json, "delay_s"), 21e-3, 0.3e-3);
    json_decref(json);
}

/* ---- files of a laboratory ---- */

enum { ROWS = 2000 };
#define STEP 2e-3

static double wave(double t)
{
    return sin(2 * M_PI * 0.9 * t) + 0.6 * sin(2 * M_PI * 2.3 * t + 1);
}

/* Command and, `delay` later, `gain` times it with an offset; time and measured in the units that are given. */
static const char *write_csv(const char *name, const char *header, double delay, double gain, double time_unit,
                             double unit)
{
    FILE *out = fopen(scratch_path(name), "w");

    assert_non_null(out);
    fputs(header, out);
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "%.9g, %.9g, %.9g\n", STEP * i / time_unit, wave(STEP * i),
                (gain * wave(STEP * i - delay) + 0.3) / unit);
    assert_int_equal(fclose(out), 0);
    return scratch_path(name);
}

static void check_csv(const char *file, const char *command, const char *measured, double delay, double gain)
{
    struct program p;
    json_t *json;

    program_run(&p, "analyze", "delay", "--csv", file, "--command", command, "--measured", measured, "--json");
    json = parse(&p);
    assert_near(number(json, "delay_s"), delay, 0.02e-3);
    assert_near_relative(number(json, "gain"), gain, 1e-3);
    assert_true(number(json, "residual") < 2e-3);
    json_decref(json);
}

static void delay_and_gain_of_columns_are_found(void **state)
{
    check_csv(write_csv("a.csv", "time, cmd, meas\n", 0.0313, 0.85, 1, 1), "cmd", "meas", 0.0313, 0.85);
    check_csv(write_csv("b.csv", "time, cmd, meas\n", -0.0127, 1.2, 1, 1), "cmd", "meas", -0.0127, 1.2); /* early */
    check_csv(write_csv("c.csv", "# logged\n", 0.0313, 0.85, 1, 1), "2", "3", 0.0313, 0.85);             /* no header */
    check_csv(write_csv("d.csv", "time [ms], cmd [m], meas [mm]\n", 0.02, 0.9, 1e-3, 1e-3), "cmd", "meas", 0.02, 0.9);
    check_csv(write_csv("e.csv", "t, cmd, meas\n", 0.02, 350, 1, 1), "cmd", "meas", 0.02, 350); /* V and mm */
}

/* Volts with the value of one, and a gap: the longest record counts. */
static void the_file_of_a_logger_is_read_as_by_identify(void **state)
{
    char path[600];
    FILE *out = fopen(scratch_path("volts.csv"), "w");
    struct program p;

    snprintf(path, sizeof path, "%s", scratch_path("volts.csv"));
    fputs("Made by a logger\n\nt [s];cmd [V];pos [V]\n", out);
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "%.9g;%.9g;%.9g\n", STEP * i + (i < 600), wave(STEP * i), 0.1 * wave(STEP * i - 0.02));
    assert_int_equal(fclose(out), 0);
    program_run(&p, "analyze", "delay", "--csv", path, "--columns", "command=2:10 mm,displacement=3:0.1 m", "--json");
    assert_int_equal(p.code, 2); /* time goes back by a second */
    assert_non_null(strstr(p.err, "volts.csv:604: time goes back"));
    program_free(&p);
    assert_non_null(out = fopen(path, "w"));
    fputs("Made by a logger\n\nt [s];cmd [V];pos [V]\n", out);
    for (int i = 0; i < ROWS; i++)
        fprintf(out, "%.9g;%.9g;%.9g\n", STEP * i + (i >= 1200), wave(STEP * i), 0.1 * wave(STEP * i - 0.02));
    assert_int_equal(fclose(out), 0);
    program_run(&p, "analyze", "delay", "--csv", path, "--columns", "command=2:10 mm,displacement=3:0.1 m", "--json");
    assert_non_null(strstr(p.err, "1 gaps or pauses"));
    json_t *json = parse(&p);
    assert_near(number(json, "delay_s"), 0.02, 0.02e-3);
    assert_near_relative(number(json, "gain"), 1, 1e-3);
    json_decref(json);
}

static void words_say_what_was_found(void **state)
{
    struct program p;

    program_run(&p, "analyze", "delay", "--csv", write_csv("a.csv", "time, cmd, meas\n", 0.0313, 0.85, 1, 1),
                "--command", "cmd", "--measured", "meas", "--longest", "50 ms");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "31.300 ms, by least squares"));
    assert_non_null(strstr(p.out, "gain"));
    assert_near(strtod(strstr(p.out, "gain") + 4, NULL), 0.85, 1e-3);
    assert_non_null(strstr(p.out, "residual"));
    program_free(&p);
}

/* A file of the scratch folder, and its path in `path`. */
static FILE *create(char path[600], const char *name)
{
    FILE *out;

    snprintf(path, 600, "%s", scratch_path(name));
    assert_non_null(out = fopen(path, "w"));
    return out;
}

static void write_text(char path[600], const char *name, const char *text)
{
    FILE *out = create(path, name);

    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* A hundred rows, the measured column 5 throughout, or the time with a gap. */
static void write_rows(char path[600], const char *name, double gap)
{
    FILE *out = create(path, name);

    for (int i = 0; i < 100; i++)
        if (gap == 0)
            fprintf(out, "%d, %d, 5\n", i, i % 7);
        else
            fprintf(out, "%g, %d, %d\n", i < 40 ? i * 0.1 : i * 0.1 + gap, i % 7, i % 5);
    assert_int_equal(fclose(out), 0);
}

static void record(char path[600], const char *name, const char *file, const char *loads)
{
    struct program p;

    snprintf(path, 600, "%s", scratch_path(name));
    program_run(&p, "run", file, "-q", "-o", path, "--set", "reference=none", "--set", loads);
    assert_int_equal(p.code, 0);
    program_free(&p);
}

/* Words behind `yoke analyze delay`, and what is said to them. */
struct refusal {
    const char *words[12];
    const char *message;
};

static void check_refusal(const struct refusal *r)
{
    const char *words[16] = {YOKE_PROGRAM, "analyze", "delay"};
    struct program p;

    memcpy(words + 3, r->words, sizeof r->words);
    program_start(&p, words, 0);
    program_wait(&p);
    if (p.code != 2 || !strstr(p.err, r->message))
        print_error("wanted '%s', got %d: %s%s\n", r->message, p.code, p.out, p.err);
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, r->message));
    program_free(&p);
}

static void what_cannot_be_judged_is_refused(void **state)
{
    char good[600], uneven[600], constant[600], few[600], kinds[600], back[600], still[600], no_rig[600];
    struct program p;

    snprintf(good, sizeof good, "%s", write_csv("good.csv", "time, cmd, meas\n", 0.03, 1, 1, 1));
    write_text(kinds, "kinds.csv", "time,cmd [V],meas [mm]\n0,0,0\n1,1,0\n2,2,1\n3,1,2\n");
    write_text(back, "back.csv", "0,0,0\n1,1,0\n1,2,1\n2,1,2\n");
    write_text(few, "few.csv", "time,cmd,meas\n0,0,0\n1,1,0\n2,2,1\n3,1,2\n");
    write_rows(constant, "constant.csv", 0);
    write_rows(uneven, "uneven.csv", -0.5);
    record(still, "still", SPRING, "loads=[]");
    record(no_rig, "no-rig", OSCILLATOR, "loads=[]");
    const struct refusal cases[] = {
        {{"--csv", good, "--command", "cmd", "--measured", "mes"},
         "good.csv:2: there is no column 'mes' (displacement), neither as a title nor as a number:\n  1  time: min 0, "
         "max "
         "3.998, rms 2.30854\n  2  cmd: min"},
        {{"--csv", good, "--command", "cmd", "--measured", "4"}, "there is no column '4'"},
        {{"--csv", good, "--command", "cmd", "--measured", "meas", "--time", "clock"}, "there is no column 'clock'"},
        {{"--csv", constant, "--command", "b", "--measured", "3"},
         "constant.csv:1: there is no column 'b' (command), neither as a title nor as a number"},
        {{"--csv", constant, "--command", "2", "--measured", "3"}, "column '3' is constant (5)"},
        {{"--csv", uneven, "--command", "2", "--measured", "3"}, "uneven.csv:41: time goes back, from 3.9 to 3.5 s"},
        {{"--csv", kinds, "--command", "cmd", "--measured", "meas"},
         "column 2 'cmd' is in V; give the command of one V: --columns \"command=2:10 m"},
        {{"--csv", back, "--command", "2", "--measured", "3"}, "3 rows are too few; 10 are needed"},
        {{"--csv", few, "--command", "cmd", "--measured", "meas"}, "4 rows are too few; 10 are needed"},
        {{"--csv", good, "--command", "cmd", "--measured", "meas", "--longest", "20 ms"},
         "the best delay lies at the end of the range, 0.02 s: raise --longest"},
        {{"--csv", good, "--command", "cmd", "--measured", "meas", "--longest", "20 mm"}, "--longest"},
        {{"--csv", good, "--command", "cmd"}, "--csv needs --command COLUMN and --measured COLUMN"},
        {{"--csv", good, "--command", "cmd", "--measured", "meas", SPRING}, "either --csv FILE or"},
        {{"--csv", good, "--command", "cmd", "--measured", "meas", "--set", "a=1"}, "--set changes an experiment"},
        {{SPRING, "--command", "cmd"}, "--command, --measured and --time name columns of --csv FILE"},
        {{SPRING, "--longest", "1"}, "--longest is for measured data"},
        {{"--csv", "none.csv", "--command", "a", "--measured", "b"}, "none.csv"},
        {{still}, "still/run.h5: no actuator moved on command"},
        {{still, "--set", "time.end=1"}, "--set changes an experiment"},
        {{no_rig}, "no-rig/run.h5: the run had no specimen"},
        {{YOKE_SOURCE "/examples"}, "run.h5"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_refusal(&cases[i]);
    program_run(&p, "analyze", "energy", OSCILLATOR, "--csv", "a.csv");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "belong to the analysis delay"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_experiment_and_its_recording_say_the_same),
        cmocka_unit_test(delay_and_gain_of_columns_are_found),
        cmocka_unit_test(the_file_of_a_logger_is_read_as_by_identify),
        cmocka_unit_test(words_say_what_was_found),
        cmocka_unit_test(what_cannot_be_judged_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
