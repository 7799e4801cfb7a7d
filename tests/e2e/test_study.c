/* yoke study: one table whatever the threads, shards and interruptions; Sobol indices; refusals in words. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define EXAMPLE YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"

static char *slurp(const char *folder, const char *name, size_t *size)
{
    char path[1200];
    FILE *in;
    char *text = calloc(1, 1 << 20);

    snprintf(path, sizeof path, "%s/%s", folder, name);
    in = fopen(path, "r");
    if (!in)
        print_error("%s is not there\n", path);
    assert_non_null(in);
    *size = fread(text, 1, (1 << 20) - 1, in);
    fclose(in);
    return text;
}

/* Every file of the results, byte by byte. */
static void assert_same_tables(const char *a, const char *b)
{
    static const char *const names[] = {"table.csv", "table.h5", "findings.json", "study.json"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size_a, size_b;
        char *text_a = slurp(a, names[i], &size_a), *text_b = slurp(b, names[i], &size_b);

        assert_int_equal(size_a, size_b);
        assert_memory_equal(text_a, text_b, size_a);
        free(text_a);
        free(text_b);
    }
}

/* The study of these tests: settings that are refused, that trip a limit, and that finish. */
#define STUDY                                                                                                          \
    "study", EXAMPLE, "--set", "time.end=2 s", "--vary", "transfer.a1.compensator.delay=15:21:4 ms", "--vary",         \
        "method.integrator=lsrt2,newmark,central-difference", "--vary", "limits.displacement=200 mm,10 mm", "-q"

/* Starts a study and ends it when some rows are there. A kill leaves the last one cut short; where it is cut does not
 * matter. */
static void interrupt(const char *const *words, const char *folder, int signal)
{
    struct program p;
    char path[700];
    size_t size;

    program_start(&p, words, 0);
    snprintf(path, sizeof path, "%s/table.csv", folder);
    for (int i = 0; i < 5000; i++) {
        FILE *in = fopen(path, "r");
        int rows = 0;

        for (int c; in && (c = fgetc(in)) != EOF;)
            rows += c == '\n';
        if (in)
            fclose(in);
        if (rows > 6)
            break;
        program_sleep(0.002);
    }
    kill(p.pid, signal);
    program_wait(&p);
    program_free(&p);
    free(slurp(folder, "table.csv", &size));
    assert_true(size > 200);
    assert_int_equal(truncate(path, (off_t)size - 7), 0);
}

static void table_is_the_same_from_threads_shards_and_after_a_kill(void **state)
{
    char one[600], two[600], first[600], second[600], merged[600], cut[600];
    size_t size;

    snprintf(one, sizeof one, "%s", scratch_path("one"));
    snprintf(two, sizeof two, "%s", scratch_path("two"));
    snprintf(first, sizeof first, "%s", scratch_path("first"));
    snprintf(second, sizeof second, "%s", scratch_path("second"));
    snprintf(merged, sizeof merged, "%s", scratch_path("merged"));
    snprintf(cut, sizeof cut, "%s", scratch_path("cut"));
    assert_runs((const char *const[]){YOKE_PROGRAM, STUDY, "--jobs", "1", "-o", one, NULL});
    assert_runs((const char *const[]){YOKE_PROGRAM, STUDY, "--jobs", "2", "-o", two, NULL});
    assert_same_tables(one, two);

    assert_runs((const char *const[]){YOKE_PROGRAM, STUDY, "--shard", "1/2", "-o", first, NULL});
    assert_runs((const char *const[]){YOKE_PROGRAM, STUDY, "--shard", "2/2", "-o", second, NULL});
    assert_runs((const char *const[]){YOKE_PROGRAM, "study", "merge", second, first, "-o", merged, NULL});
    assert_same_tables(one, merged);

    interrupt((const char *const[]){YOKE_PROGRAM, STUDY, "--jobs", "2", "-o", cut, NULL}, cut, SIGKILL);
    assert_runs((const char *const[]){YOKE_PROGRAM, STUDY, "--jobs", "2", "-o", cut, NULL});
    assert_same_tables(one, cut);

    char *rows = slurp(one, "table.csv", &size);
    assert_non_null(strstr(rows, ",finished,"));
    assert_non_null(strstr(rows, ",stopped,")); /* by the limit of 10 mm */
    free(rows);
    /* other settings in the same folder */
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, STUDY, "--set", "time.end=1 s", "-o", one, NULL}),
                     2);
    assert_said("holds another study: set was");
    /* a shard alone cannot be merged */
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "study", "merge", first, first, "-o",
                                                        scratch_path("m2"), NULL}),
                     2);
    assert_said("was given twice");
}

/* Rank 0 hands out the runs one by one; who makes a run does not matter, nor in which order they come back. */
#define TWO_PROCESSES                                                                                                  \
    "/usr/bin/env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "mpirun", "-n", "2",               \
        "--oversubscribe", YOKE_PROGRAM

static void table_is_the_same_from_two_processes_of_mpirun(void **state)
{
    char one[600], two[600], cut[600];

    if (access(YOKE_BINARY "/libyoke-mpi.so", R_OK) != 0 ||
        program_code((const char *const[]){"/bin/sh", "-c", "command -v mpirun", NULL}) != 0)
        skip(); /* Debian: libopenmpi-dev, openmpi-bin */
    snprintf(one, sizeof one, "%s", scratch_path("alone"));
    snprintf(two, sizeof two, "%s", scratch_path("ranks"));
    snprintf(cut, sizeof cut, "%s", scratch_path("cut-ranks"));
    assert_runs((const char *const[]){YOKE_PROGRAM, STUDY, "--jobs", "1", "-o", one, NULL});
    assert_runs((const char *const[]){TWO_PROCESSES, STUDY, "-o", two, NULL});
    assert_same_tables(one, two);
    interrupt((const char *const[]){TWO_PROCESSES, STUDY, "-o", cut, NULL}, cut, SIGTERM);
    assert_runs((const char *const[]){TWO_PROCESSES, STUDY, "-o", cut, NULL});
    assert_same_tables(one, cut);

    /* a mistake is told once, and nobody waits for ever */
    assert_int_equal(
        program_code((const char *const[]){TWO_PROCESSES, "study", "nowhere.yaml", "--vary", "time.step=1,2", NULL}),
        2);
    assert_said("nowhere.yaml: cannot be opened");
    assert_null(strstr(strstr(program_said(), "nowhere.yaml") + 1, "nowhere.yaml"));
    assert_int_equal(
        program_code((const char *const[]){TWO_PROCESSES, STUDY, "--set", "time.end=1 s", "-o", one, NULL}), 2);
    assert_said("holds another study: set was");
}

/* A row of a study has the figures of `yoke run --set` with the same value: with a reference that all runs share (the
 * first keys have no part in it), and without. */
static void row_has_the_figures_of_a_run(void **state)
{
    static const char *const settings[] = {
        "transfer.a1.compensator.delay=17 ms", "method.gamma=0.5",      "rig.actuators.a1.sensors.force_noise=20 N",
        "limits.displacement=10 mm",           "loads.0.amplitude=300", "rig.specimen.stiffness=[[30000]]",
    };

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char folder[600], alone[600], want[64], *rows;
        size_t size;

        snprintf(folder, sizeof folder, "%s%zu", scratch_path("row"), i);
        snprintf(alone, sizeof alone, "%s", scratch_path("alone"));
        assert_runs((const char *const[]){YOKE_PROGRAM, "study", EXAMPLE, "--set", "time.end=2 s", "--vary",
                                          settings[i], "--result", "errors.displacement_nrms", "-q", "-o", folder,
                                          NULL});
        program_code((const char *const[]){YOKE_PROGRAM, "run", EXAMPLE, "--set", "time.end=2 s", "--set", settings[i],
                                           "-q", "-o", alone, NULL});
        rows = slurp(alone, "summary.json", &size);
        json_t *summary = json_loads(rows, 0, NULL);

        snprintf(want, sizeof want, ",%.17g,",
                 json_number_value(json_object_get(json_object_get(summary, "errors"), "displacement_nrms")));
        free(rows);
        json_decref(summary);
        rows = slurp(folder, "table.csv", &size);
        if (!strstr(rows, want))
            fail_msg("%s: '%s' is not in %s", settings[i], want, rows);
        free(rows);
    }
}

/* The error grows with the distance from 21 ms on both sides, over more than a decade: contours at 1, 2, 5, ... */
static void map_of_two_settings_has_contours(void **state)
{
    char folder[600];
    size_t size;

    snprintf(folder, sizeof folder, "%s", scratch_path("map"));
    assert_runs((const char *const[]){YOKE_PROGRAM, "study", EXAMPLE, "-q", "--set", "time.end=2 s", "--vary",
                                      "transfer.a1.compensator.delay=12:30:7 ms", "--vary",
                                      "transfer.a1.controller.filter=5 ms,6 ms,7 ms", "--result", "tracking.a1.nrms",
                                      "-o", folder, NULL});
    char *script = slurp(folder, "study.gp", &size), *data = slurp(folder, "study.csv", &size);

    assert_non_null(strstr(script, "'tracking.a1.nrms = 0.0"));
    assert_non_null(strstr(data, "tracking.a1.nrms"));
    free(script);
    free(data);
}

/* Nothing lies between two methods: a curve for each over the numbers, and no contours between texts or between numbers
 * in any order. */
static void pictures_over_methods_have_no_contours(void **state)
{
    static const struct {
        const char *first, *second;
        bool curves;
    } cases[] = {
        {"transfer.a1.compensator.kind=velocity,lagrange,inverse", "transfer.a1.compensator.delay=12 ms,18 ms,30 ms",
         true},
        {"transfer.a1.compensator.delay=12 ms,18 ms,30 ms", "transfer.a1.compensator.kind=velocity,lagrange", true},
        {"transfer.a1.compensator.kind=velocity,lagrange", "method.integrator=lsrt2,chang", false},
        {"transfer.a1.compensator.delay=30 ms,12 ms,18 ms", "transfer.a1.controller.filter=5 ms,7 ms,6 ms", false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folder[600];
        size_t size;

        snprintf(folder, sizeof folder, "%s-%zu", scratch_path("methods"), i);
        assert_runs((const char *const[]){YOKE_PROGRAM, "study", EXAMPLE, "-q", "--set", "time.end=1 s", "--set",
                                          "transfer.a1.compensator={ kind: velocity, delay: 21 ms }", "--vary",
                                          cases[i].first, "--vary", cases[i].second, "--result", "tracking.a1.nrms",
                                          "-o", folder, NULL});
        char *script = slurp(folder, "study.gp", &size);

        assert_null(strstr(script, "tracking.a1.nrms = "));
        assert_int_equal(!!strstr(script, "with image"), !cases[i].curves);
        assert_int_equal(!!strstr(script, "'lagrange'"), cases[i].curves);
        free(script);
    }
}

/* Step limit of central differences for M = 1800 kg, K = 106.6 kN/m is 2/sqrt(K/M) = 0.26 s: a step of 0.5 s is
 * refused, and its row says so. */
static void refused_run_is_a_row_with_its_reason(void **state)
{
    const char *file =
        scratch_write("osc.yaml", "time: { step: 0.1 s, end: 2 s }\n"
                                  "method: { integrator: central-difference }\n"
                                  "substructures:\n"
                                  "  m: { kind: linear, dofs: [x], mass: [1800], stiffness: [[106591]] }\n"
                                  "loads: [ { on: m.x, kind: sine, amplitude: 500 N, frequency: 1 Hz } ]\n");
    char folder[600], *rows;
    size_t size;

    snprintf(folder, sizeof folder, "%s", scratch_path("refused"));
    assert_runs((const char *const[]){YOKE_PROGRAM, "study", file, "--vary", "time.step=0.1,0.5", "--result",
                                      "peaks.m.x.u,finished", "-q", "-o", folder, NULL});
    rows = slurp(folder, "table.csv", &size);
    assert_non_null(strstr(rows, "\n1,0.5,,,refused,"));
    assert_non_null(strstr(rows, "stability limit of central-difference"));
    free(rows);
}

/* S1 = 0.3139, S2 = 0.4424, S3 = 0; ST1 = 0.5576, ST2 = 0.4424, ST3 = 0.2437: Ishigami and Homma 1990, from
 * V = a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2, V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8, V13 = b^2 pi^8 (1/18 - 1/50). */
static void sobol_indices_of_the_ishigami_function_are_right_to_a_third_of_a_percent(void **state)
{
    static const double first[] = {0.31391, 0.44241, 0}, total[] = {0.55759, 0.44241, 0.24368};
    char text[1200], folder[600], *findings;
    const char *file;
    size_t size;

    snprintf(text, sizeof text,
             "time: { step: 1 s, end: 1 s }\n"
             "method: { integrator: newmark }\n"
             "substructures:\n"
             "  m:\n"
             "    kind: assembled\n"
             "    nodes: { n: { mass: 1 } }\n"
             "    elements:\n"
             "      - { kind: plugin, library: %s/tests/plugins/ishigami.so, between: [ground, n.x], x1: 0, x2: 0, x3: "
             "0 }\n",
             YOKE_BINARY);
    file = scratch_write("ishigami.yaml", text);
    snprintf(folder, sizeof folder, "%s", scratch_path("ishigami"));
#define PI_RANGE "=-3.141592653589793..3.141592653589793"
    assert_runs((const char *const[]){YOKE_PROGRAM, "study", file, "--vary", "substructures.m.elements.0.x1" PI_RANGE,
                                      "--vary", "substructures.m.elements.0.x2" PI_RANGE, "--vary",
                                      "substructures.m.elements.0.x3" PI_RANGE, "--sample", "saltelli:4096", "--result",
                                      "peaks.m.n.x.a", "-q", "-o", folder, NULL});
    findings = slurp(folder, "findings.json", &size);
    json_t *json = json_loads(findings, 0, NULL),
           *of = json_object_get(json_object_get(json_object_get(json, "indices"), "peaks.m.n.x.a"), "of");

    for (int k = 0; k < 3; k++) {
        char key[64];

        snprintf(key, sizeof key, "substructures.m.elements.0.x%d", k + 1);
        const json_t *one = json_object_get(of, key);

        assert_near(json_number_value(json_object_get(one, "first")), first[k], 0.003);
        assert_near(json_number_value(json_object_get(one, "total")), total[k], 0.003);
    }
    json_decref(json);
    free(findings);
}

/* The frequency response of the actuator has a delay of 20.82 ms at the frequency of the load (`yoke analyze frf`):
 * there the tracking error is least. A search that was cut short goes on as if nothing had been. */
static void search_finds_the_delay_of_the_actuator_and_can_be_resumed(void **state)
{
    char whole[600], cut[600], path[700], *findings;
    size_t size;
#define SEARCH                                                                                                         \
    "study", EXAMPLE, "--set", "time.end=5 s", "--tune", "tracking.a1.nrms", "--runs", "40", "--vary",                 \
        "transfer.a1.compensator.delay=10..40 ms", "-q"

    snprintf(whole, sizeof whole, "%s", scratch_path("whole"));
    snprintf(cut, sizeof cut, "%s", scratch_path("resumed"));
    if (program_code((const char *const[]){YOKE_PROGRAM, SEARCH, "-o", whole, NULL}) == 2) {
        assert_said("built without NLopt");
        return;
    }
    assert_runs((const char *const[]){YOKE_PROGRAM, SEARCH, "-o", cut, NULL});
    snprintf(path, sizeof path, "%s/table.csv", cut);
    assert_int_equal(truncate(path, 1000), 0);
    assert_runs((const char *const[]){YOKE_PROGRAM, SEARCH, "-o", cut, NULL});
    assert_same_tables(whole, cut);
    findings = slurp(whole, "findings.json", &size);
    json_t *json = json_loads(findings, 0, NULL),
           *settings = json_object_get(json_object_get(json, "best"), "settings");

    assert_near(strtod(json_string_value(json_object_get(settings, "transfer.a1.compensator.delay")), NULL), 20.82,
                0.4);
    json_decref(json);
    free(findings);
    /* what must be kept is kept */
    assert_runs((const char *const[]){YOKE_PROGRAM, SEARCH, "--require", "tracking.a1.nrms>=0.01", "-o",
                                      scratch_path("kept"), NULL});
    findings = slurp(scratch_path("kept"), "findings.json", &size);
    json = json_loads(findings, 0, NULL);
    assert_true(json_number_value(json_object_get(json_object_get(json_object_get(json, "best"), "results"),
                                                  "tracking.a1.nrms")) >= 0.01);
    json_decref(json);
    free(findings);
}

/* An actuator of 10 N follows nothing: it is not the best, though it is all there is, or though its peaks are smaller.
 */
static void an_unusable_run_is_never_the_best(void **state)
{
    static const char *const forces[] = {"10 N,20 N", "10 N,100 kN"};

    for (int i = 0; i < 2; i++) {
        char vary[100], folder[600];
        size_t size;

        snprintf(folder, sizeof folder, "%s", scratch_path(i ? "some" : "none"));
        snprintf(vary, sizeof vary, "rig.actuators.a1.capacity.force=%s", forces[i]);
        assert_runs((const char *const[]){YOKE_PROGRAM, "study", EXAMPLE, "--set", "time.end=5 s", "--vary", vary,
                                          "--result", "peaks.frame.x.u,verdict.grade", "-q", "-o", folder, NULL});
        char *findings = slurp(folder, "findings.json", &size);
        json_t *json = json_loads(findings, 0, NULL);
        const json_t *best = json_object_get(json, "best");

        if (i == 0)
            assert_true(json_is_null(best));
        else
            assert_near(json_number_value(json_object_get(json_object_get(best, "results"), "verdict.grade")), 0, 0.5);
        json_decref(json);
        free(findings);
    }
}

static void mistakes_are_refused_before_anything_is_written(void **state)
{
    static const struct {
        const char *words[6], *said;
    } bad[] = {{{"--vary", "time.stp=1,2"}, "unknown key 'stp'"},
               {{"--vary", "time.step=5 kg,6 kg"}, "5 kg"},
               {{"--vary", "time.end=1,2", "--result", "errors.displacment_nrms"}, "the summary has no such figure"},
               {{"--vary", "time.end=1,2", "--result", "tracking.a1"}, "is not a number"},
               {{"--vary", "time.end=1,2", "--shard", "3/2"}, "--shard '3/2'"},
               {{"--vary", "time.end=1..2"}, "need --sample"},
               {{NULL}, "nothing is varied"}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *words[16] = {YOKE_PROGRAM, "study", EXAMPLE, "-q", "-o", scratch_path("bad")};

        for (size_t k = 0; k < 6 && bad[i].words[k]; k++)
            words[6 + k] = bad[i].words[k];
        assert_int_equal(program_code(words), 2);
        assert_said(bad[i].said);
        assert_int_not_equal(access(scratch_path("bad/study.json"), F_OK), 0);
    }
}

static void table_of_somebody_else_is_left_alone(void **state)
{
    char folder[600], *text;
    size_t size;

    snprintf(folder, sizeof folder, "%s", scratch_path(""));
    scratch_write("table.csv", "a,b\n1,2\n");
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "study", EXAMPLE, "--set", "time.end=0.1 s",
                                                        "--vary", "loads.0.amplitude=1,2", "-q", "-o", folder, NULL}),
                     2);
    assert_said("is not the table of this study");
    text = slurp(folder, "table.csv", &size);
    assert_string_equal(text, "a,b\n1,2\n");
    free(text);
}

/* Rows that a disk or an editor has damaged do not become figures. */
static void damaged_rows_are_refused(void **state)
{
    static const struct {
        const char *was, *is;
    } cases[] = {{",finished,", ",finishes,"},
                 {",finished,", "1,finished,"}, /* one more digit */
                 {".", "x"},
                 {"\n1,", "\n1x,"},
                 {",finished,", ",finished"}};
    char folder[600], path[700], *text;
    size_t size;

    snprintf(folder, sizeof folder, "%s", scratch_path("damaged"));
    snprintf(path, sizeof path, "%s/table.csv", folder);
    const char *const words[] = {
        YOKE_PROGRAM, "study", EXAMPLE, "--set", "time.end=0.1 s", "--vary", "loads.0.amplitude=1,2",
        "-q",         "-o",    folder,  NULL};
    assert_runs(words);
    text = slurp(folder, "table.csv", &size);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = strstr(strchr(text, '\n'), cases[i].was); /* behind the names */
        FILE *out = fopen(path, "w");

        assert_non_null(at);
        fprintf(out, "%.*s%s%s", (int)(at - text), text, cases[i].is, at + strlen(cases[i].was));
        fclose(out);
        assert_int_equal(program_code(words), 2);
        assert_said("this is not a row of a study's table");
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_the_same_from_threads_shards_and_after_a_kill),
        cmocka_unit_test(table_is_the_same_from_two_processes_of_mpirun),
        cmocka_unit_test(row_has_the_figures_of_a_run),
        cmocka_unit_test(map_of_two_settings_has_contours),
        cmocka_unit_test(pictures_over_methods_have_no_contours),
        cmocka_unit_test(refused_run_is_a_row_with_its_reason),
        cmocka_unit_test(sobol_indices_of_the_ishigami_function_are_right_to_a_third_of_a_percent),
        cmocka_unit_test(search_finds_the_delay_of_the_actuator_and_can_be_resumed),
        cmocka_unit_test(an_unusable_run_is_never_the_best),
        cmocka_unit_test(table_of_somebody_else_is_left_alone),
        cmocka_unit_test(damaged_rows_are_refused),
        cmocka_unit_test(mistakes_are_refused_before_anything_is_written),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
