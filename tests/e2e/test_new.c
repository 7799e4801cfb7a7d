/* yoke new: a folder that checks clean, the same from questions, records and matrices of one's own, copies of examples,
 * refusals that leave nothing. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <dirent.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static json_t *made(const char *const *more, int want)
{
    const char *words[24] = {YOKE_PROGRAM, "new"};
    struct program p;

    for (size_t i = 0; more[i]; i++)
        words[2 + i] = more[i];
    program_start(&p, words, 0);
    program_wait(&p);
    if (p.code != want)
        fail_msg("exit code %d: %s%s", p.code, p.out, p.err);
    json_t *found = json_loads(p.out, 0, NULL);

    program_free(&p);
    return found;
}

/* Names in a folder that do not begin with a dot, and those that do. */
static size_t entries(const char *path, bool hidden)
{
    DIR *folder = opendir(path);
    size_t count = 0;
    struct dirent *entry;

    assert_non_null(folder);
    while ((entry = readdir(folder)))
        count +=
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && (*entry->d_name == '.') == hidden;
    closedir(folder);
    return count;
}

static void checks_and_runs(const char *file)
{
    assert_runs((const char *[]){YOKE_PROGRAM, "check", file, "--budget", "0.5 s", NULL});
    assert_runs((const char *[]){YOKE_PROGRAM, "run", file, "-o", scratch_path("out"), "-q", NULL});
    json_t *summary = json_load_file(scratch_path("out/summary.json"), 0, NULL);
    const char *level = json_string_value(json_object_get(json_object_get(summary, "verdict"), "level"));

    assert_non_null(level);
    assert_string_not_equal(level, "unusable");
    json_decref(summary);
}

static void a_brace_checks_clean_and_runs(void **state)
{
    (void)state;
    json_t *found = made((const char *[]){scratch_path("brace"), "--defaults", "--json", "--storeys", "2", "--mass",
                                          "24 t, 18 t", "--period", "0.6 s", "--specimen", "brace", NULL},
                         0);

    assert_string_equal(json_string_value(json_object_get(found, "verdict")), "good");
    assert_int_equal(entries(scratch_path("brace"), false), 2);
    assert_in_scratch("brace/brace.yaml", "floor2: { mass: 18 t }");
    assert_in_scratch("brace/brace.yaml", "kind: bilinear");
    assert_in_scratch("brace/README.md", "yoke check brace.yaml");
    checks_and_runs(scratch_path("brace/brace.yaml"));
    json_decref(found);
}

/* k_i = w^2 sum over j >= i of j m_j gives the period that was asked for; the first line of `yoke check` shows it. */
static void the_period_is_the_one_that_was_asked_for(void **state)
{
    (void)state;
    json_decref(made((const char *[]){scratch_path("period"), "--defaults", "--json", "--storeys", "3", "--mass",
                                      "9 t, 30 t, 12 t", "--period", "0.8 s", NULL},
                     0));
    struct program p;

    program_run(&p, "check", scratch_path("period/period.yaml"), "--budget", "0.1 s");
    assert_non_null(strstr(p.out, "frequencies   1.25 "));
    program_free(&p);
}

static void questions_are_answered_through_the_terminal(void **state)
{
    static const char answers[] = "many\n2\n\n0.7 s\n0.05\nbrace\n20 %\n\nhills\n0.1 g\n2 kHz\n";
    const char *const words[] = {YOKE_PROGRAM, "new", scratch_path("asked"), "--ask", NULL};
    struct program p;
    int to;

    (void)state;
    program_start_piped(&p, words, &to);
    assert_int_equal(write(to, answers, strlen(answers)), strlen(answers));
    close(to);
    program_wait(&p);
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "'many' is no whole number"));
    program_free(&p);
    assert_in_scratch("asked/asked.yaml", "control_rate: 2000 Hz");
    assert_in_scratch("asked/asked.yaml", "rayleigh: { ratio: 0.05");
    assert_in_scratch("asked/asked.yaml", "file: record.csv");
    assert_in_scratch("asked/record.csv", "hills.AT2, format AT2, scaled to 0.980665 m/s2");
}

static void an_input_that_ends_leaves_nothing(void **state)
{
    const char *const words[] = {YOKE_PROGRAM, "new", scratch_path("ended"), "--ask", NULL};
    struct program p;
    int to;

    (void)state;
    program_start_piped(&p, words, &to);
    assert_int_equal(write(to, "2\n", 2), 2);
    close(to);
    program_wait(&p);
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "nothing was written"));
    program_free(&p);
    assert_int_not_equal(access(scratch_path("ended"), F_OK), 0);
}

static void matrices_are_copied_and_their_first_mode_is_found(void **state)
{
    (void)state;
    scratch_write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 20000\n2 2 20000\n");
    scratch_write("k.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 8e6\n2 1 -4e6\n2 2 4e6\n");
    json_decref(
        made((const char *[]){scratch_path("matrices"), "--defaults", "--json", "--mass-matrix", scratch_path("m.mtx"),
                              "--stiffness-matrix", scratch_path("k.mtx"), "--at", "2", NULL},
             0));
    /* equal masses and springs: w^2 = (3 - sqrt 5)/2 k/m, 1.391 Hz */
    assert_in_scratch("matrices/matrices.yaml", "first mode 1.391 Hz, without the specimen");
    assert_in_scratch("matrices/matrices.yaml", "join: [frame.d2, specimen.x]");
    assert_int_equal(entries(scratch_path("matrices"), false), 4);
    checks_and_runs(scratch_path("matrices/matrices.yaml"));
}

static void an_example_is_copied_with_its_data(void **state)
{
    struct program p;

    (void)state;
    json_decref(made((const char *[]){scratch_path("mine"), "--from", "measured-machine", "--json", NULL}, 0));
    assert_in_scratch("mine/damper.yaml", "{ file: data/sine-2mm-5Hz-0A.csv.gz");
    assert_int_equal(access(scratch_path("mine/data/sine-2mm-5Hz-0A.csv.gz"), R_OK), 0);
    program_run(&p, "run", scratch_path("mine/measured-machine.yaml"), "-o", scratch_path("out"), "-q");
    assert_int_equal(p.code, 0);
    program_free(&p);
}

static void every_example_is_listed_with_its_picture(void **state)
{
    json_t *list = made((const char *[]){"--list", "--json", NULL}, 0), *example;
    const json_t *examples = json_object_get(list, "examples");
    size_t k;

    (void)state;
    assert_true(json_array_size(examples) > 35);
    json_array_foreach(examples, k, example)
    {
        const char *picture = json_string_value(json_object_get(example, "picture"));

        assert_true(strlen(json_string_value(json_object_get(example, "shows"))) > 5);
        assert_true(json_array_size(json_object_get(example, "files")) > 0);
        if (picture)
            assert_int_equal(access(picture, R_OK), 0);
    }
    json_decref(list);
}

static void nothing_is_overwritten(void **state)
{
    (void)state;
    mkdir(scratch_path("there"), 0755);
    scratch_write("there/mine.txt", "mine");
    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "new", scratch_path("there"), "--defaults", NULL}), 2);
    assert_said("exists already; nothing is overwritten");
    assert_int_equal(
        program_code((const char *[]){YOKE_PROGRAM, "new", scratch_path("there"), "--from", "oscillator", NULL}), 2);
    assert_int_equal(entries(scratch_path("there"), false), 1);
    assert_in_scratch("there/mine.txt", "mine");
}

static void nonsense_is_refused_and_leaves_nothing(void **state)
{
    static const struct {
        const char *words[6], *said;
        int code;
    } cases[] = {
        {{"--mass", "24 kN"}, "--mass: ", 2},
        {{"--mass", "24 t, 18 t"}, "--mass: 2 values for 3 storeys; one for all, or one for each", 2},
        {{"--storeys", "0"}, "--storeys: 0 is outside 1 .. 40", 2},
        {{"--storeys", "two"}, "--storeys: 'two' is no whole number", 2},
        {{"--period", "0.6 m"}, "--period: ", 2},
        {{"--damping", "40 %"}, "--damping: 0.4 is outside 0 .. 0.3", 2},
        {{"--specimen", "sprig"}, "unknown kind 'sprig'; one of spring, brace", 2},
        {{"--specimen", "damper", "--share", "20 %"}, "a damper has no part of the stiffness", 2},
        {{"--yield-force", "2 kN"}, "a spring does not yield", 2},
        {{"--stiffness", "20 MN/m", "--period", "1 s"}, "the period follows from it", 2},
        {{"--specimen-stiffness", "2 GN/m"}, "at most 95 %, the specimen is a part of it", 2},
        {{"--share", "20 %", "--specimen-stiffness", "1 MN/m"}, "--share or --specimen-stiffness", 2},
        {{"--mass-matrix", "m.mtx"}, "are given together", 2},
        {{"--at", "2"}, "--at names a degree of freedom of matrices", 2},
        {{"--record", "missing.AT2"}, "missing.AT2", 2},
        {{"--rate", "30 Hz"}, "--rate: 30 Hz is outside 100 Hz .. 20 kHz", 2},
        {{"--rate", "100 Hz", "--period", "0.1 s"}, "gives 10 ticks in the first period of 0.1 s; at least 200 Hz", 2},
        {{"--table", "missing.csv"}, "missing.csv", 2},
        {{"--peak", "5 g", "--period", "3 s"}, "no actuator of the table carries the test", 2},
        {{"--from", "oscillato"}, "there is no example 'oscillato'", 2},
        {{"--from", "../docs"}, "there is no example '../docs'", 2},
        {{"--from", "oscillator", "--mass", "2 t"}, "--from copies an example as it is", 2},
        {{"--list"}, "--list stands alone", 2},
    };

    (void)state;
    mkdir(scratch_path("refused"), 0755);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words[12] = {YOKE_PROGRAM, "new", scratch_path("refused/x")};

        memcpy(words + 3, cases[i].words, sizeof cases[i].words);
        assert_int_equal(program_code(words), cases[i].code);
        assert_said(cases[i].said);
        assert_int_equal(entries(scratch_path("refused"), false) + entries(scratch_path("refused"), true), 0);
    }
    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "new", scratch_path("a b"), NULL}), 2);
    assert_said("is no name for a test");
    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "new", NULL}), 2);
    assert_said("which folder?");
}

/* An actuator that carries the force and is far too slow for the loop. */
static void a_table_that_gives_no_usable_test_is_refused(void **state)
{
    (void)state;
    scratch_write("slow.csv",
                  "name,force_kN,stroke_mm,valve_flow_l_min,valve_drop_bar,valve_Hz,supply_bar,piston_mass_kg\n"
                  "slow,2000,500,20000,70,0.4,210,4000\n");
    assert_int_equal(
        program_code((const char *[]){YOKE_PROGRAM, "new", scratch_path("slow"), "--defaults", "--table",
                                      scratch_path("slow.csv"), "--period", "0.3 s", "--share", "80 %", NULL}),
        4);
    assert_said("unusable with each of 1 actuators that carry the test, so nothing was written");
    assert_int_not_equal(access(scratch_path("slow"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brace_checks_clean_and_runs),
        cmocka_unit_test(the_period_is_the_one_that_was_asked_for),
        cmocka_unit_test(questions_are_answered_through_the_terminal),
        cmocka_unit_test(an_input_that_ends_leaves_nothing),
        cmocka_unit_test(matrices_are_copied_and_their_first_mode_is_found),
        cmocka_unit_test(an_example_is_copied_with_its_data),
        cmocka_unit_test(every_example_is_listed_with_its_picture),
        cmocka_unit_test(nothing_is_overwritten),
        cmocka_unit_test(nonsense_is_refused_and_leaves_nothing),
        cmocka_unit_test(a_table_that_gives_no_usable_test_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
