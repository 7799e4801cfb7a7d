/* Folders of runs: where a run goes, that no recording is lost, what a recording says of its origin, and that a long
 * set-up shows what it does. */
#include "support/check.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"
#include "support/twins.h"

#include "record/record.h"

#include <dirent.h>
#include <jansson.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static ino_t file_at(const char *path)
{
    struct stat st = {0};

    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

static size_t runs_in(const char *folder)
{
    DIR *in = opendir(folder);
    size_t count = 0;

    assert_non_null(in);
    for (const struct dirent *d; (d = readdir(in));) {
        struct tm when = {0};
        const char *rest = strptime(d->d_name, "%Y-%m-%dT%H-%M-%S", &when);

        count += rest && (*rest == 0 || *rest == '-');
    }
    closedir(in);
    return count;
}

static void every_run_gets_a_folder_and_latest_leads_to_the_newest(void **state)
{
    char path[128];

    for (size_t i = 1; i <= 3; i++) { /* within a second, so that names would be the same */
        char link[64] = "";

        assert_runs((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "-q", "--note",
                                          i == 3 ? "third" : "another", NULL});
        assert_int_equal(runs_in("out/small"), i);
        assert_true(readlink("out/small/latest", link, sizeof link - 1) > 0);
        snprintf(path, sizeof path, "out/small/%s/run.h5", link);
        assert_int_equal(file_at("out/small/latest/run.h5"), file_at(path));
        assert_said(link);
    }
    /* both words mean the newest run */
    static const char *const words[] = {"out/small", "out/small/latest"};
    for (size_t i = 0; i < 2; i++) {
        assert_runs((const char *const[]){YOKE_PROGRAM, "export", words[i], "--csv", i ? "b.csv" : "a.csv", NULL});
        assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "plot", words[i], "--list", NULL}), 0);
        assert_said("out/small/latest/run.h5\n");
    }
    assert_runs((const char *const[]){"/usr/bin/cmp", "a.csv", "b.csv", NULL});

    /* a folder of runs takes no run beside them */
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "--output=out/small", NULL}),
                     2);
    assert_said("out/small holds one folder per run");
}

static void what_is_called_latest_and_is_no_link_stays(void **state)
{
    char link[64];

    assert_runs((const char *const[]){"/bin/cp", "small.yaml", "other.yaml", NULL});
    assert_runs((const char *const[]){YOKE_PROGRAM, "run", "other.yaml", "-q", NULL});
    assert_int_equal(remove("out/other/latest"), 0);
    assert_non_null(scratch_write("out/other/latest", "mine"));
    assert_runs((const char *const[]){YOKE_PROGRAM, "run", "other.yaml", "-q", NULL});
    assert_said("out/other/latest cannot be set to this run: File exists");
    assert_int_equal(readlink("out/other/latest", link, sizeof link), -1);
}

static void a_refused_run_leaves_no_folder(void **state)
{
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "--set",
                                                        "method.integrator=central-difference", "--set", "time.step=2",
                                                        "--set", "time.end=4", NULL}),
                     2);
    assert_int_equal(runs_in("out/small"), 3);
}

static void a_recording_is_not_replaced_unless_asked(void **state)
{
    const char *const again[] = {YOKE_PROGRAM, "run", "small.yaml", "--output=kept", NULL};
    const char *const force[] = {YOKE_PROGRAM, "run", "small.yaml", "--output=kept", "--force", NULL};

    assert_runs(again);
    const ino_t first = file_at("kept/run.h5"), summary = file_at("kept/summary.json");
    assert_int_equal(program_code(again), 2);
    assert_said("kept already holds a recording; choose another folder");
    assert_said("--force");
    assert_int_equal(file_at("kept/run.h5"), first);
    assert_int_equal(file_at("kept/summary.json"), summary);
    assert_runs(force);
    assert_true(file_at("kept/run.h5") != first);
}

/* The recording of a killed test cannot be made again: it is kept like a finished one. */
static void the_recording_of_a_killed_run_is_not_replaced_either(void **state)
{
    const char *const words[] = {YOKE_PROGRAM, "run",
                                 "small.yaml", "--output=killed",
                                 "--set",      "time.end=1e7",
                                 "--set",      "loads.0.kind=noise",
                                 "--set",      "loads.0={on: a.x, kind: noise, rms: 1, high: 20, lines: 10000}",
                                 NULL};
    struct program p;

    program_start(&p, words, 0);
    for (int i = 0; i < 500 && access("killed/run.h5", F_OK); i++)
        patience_sleep(0.02);
    assert_int_equal(kill(p.pid, SIGKILL), 0);
    program_wait(&p);
    program_free(&p);
    const ino_t left = file_at("killed/run.h5");
    assert_int_equal(program_code(words), 2);
    assert_said("killed already holds a recording");
    assert_int_equal(file_at("killed/run.h5"), left);
}

static void a_recording_tells_where_it_comes_from(void **state)
{
    static const char *const keys[] = {"date", "host", "user", "command", "note", "cpu", "blas", "libraries"};
    struct yk_recording *recording;
    json_t *summary, *from;
    struct tm when = {0};
    char host[256] = "";
    const char *rest;

    assert_runs(
        (const char *const[]){YOKE_PROGRAM, "run", "small.yaml", "--output=noted", "--note", "it's bolt 3", NULL});
    assert_non_null(summary = json_load_file("noted/summary.json", 0, NULL));
    from = json_object_get(summary, "provenance");
    assert_ok(yk_recording_open(&recording, "noted/run.h5", &err));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = json_string_value(json_object_get(from, keys[i]));

        assert_non_null(text);
        assert_true(*text);
        assert_string_equal(yk_recording_text(recording, keys[i]), text);
    }
    assert_string_equal(yk_recording_text(recording, "note"), "it's bolt 3");
    assert_non_null(
        strstr(yk_recording_text(recording, "command"), " run small.yaml --output=noted --note 'it'\\''s bolt 3'"));
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    assert_string_equal(yk_recording_text(recording, "host"), host);
    assert_string_equal(yk_recording_text(recording, "user"), getpwuid(geteuid())->pw_name);
    rest = strptime(yk_recording_text(recording, "date"), "%Y-%m-%dT%H:%M:%S", &when);
    assert_true(rest && (*rest == '+' || *rest == '-') && strlen(rest) == 5); /* the zone */
    assert_non_null(strstr(yk_recording_text(recording, "libraries"), "HDF5 "));
    yk_recording_close(recording);
    json_decref(summary);
}

/* Whatever kernel the BLAS would have chosen. Here two are asked for by name, whose bits differ in this example. */
static void portable_bits_do_not_depend_on_the_kernel(void **state)
{
    static const char *const kernels[] = {"Haswell", "Nehalem", "Prescott"};
    char table[3][32], folder[3][32];

    for (size_t i = 0; i < 3; i++) {
        snprintf(folder[i], sizeof folder[i], "portable-%zu", i);
        snprintf(table[i], sizeof table[i], "portable-%zu.csv", i);
        setenv("OPENBLAS_CORETYPE", kernels[i], 1);
        const int code = program_code((const char *const[]){
            YOKE_PROGRAM, "run", YOKE_SOURCE "/examples/shear-frame-earthquake/shear-frame-earthquake.yaml", "-q", "-o",
            folder[i], "--portable-bits", NULL});
        unsetenv("OPENBLAS_CORETYPE");
        if (code == 2 && strstr(program_said(), "--portable-bits cannot be had"))
            skip(); /* another processor, or another BLAS */
        assert_int_equal(code, 0);
        assert_runs((const char *const[]){YOKE_PROGRAM, "export", folder[i], "--csv", table[i], NULL});
        assert_runs((const char *const[]){"/usr/bin/cmp", table[0], table[i], NULL});
    }
}

/* Two chains joined node by node: seconds of set-up. */
static void write_twins(const char *path, int nodes)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    twins_write(out, nodes, 1);
    assert_int_equal(fclose(out), 0);
}

static void a_long_set_up_shows_what_it_does(void **state)
{
    struct program p;

    write_twins("twins.yaml", 900);
    program_run(&p, "run", "twins.yaml", "--output=twins");
    assert_int_equal(p.code, 0);
    if (p.wall_s > 3) /* much of it in stages that have a name */
        assert_non_null(strstr(p.err, " ...\n"));
    assert_non_null(strstr(p.err, "too large to predict"));
    program_free(&p);
    program_run(&p, "run", "twins.yaml", "--output=twins-2", "--quiet");
    assert_null(strstr(p.err, " ...\n"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_gets_a_folder_and_latest_leads_to_the_newest),
        cmocka_unit_test(what_is_called_latest_and_is_no_link_stays),
        cmocka_unit_test(a_refused_run_leaves_no_folder),
        cmocka_unit_test(a_recording_is_not_replaced_unless_asked),
        cmocka_unit_test(the_recording_of_a_killed_run_is_not_replaced_either),
        cmocka_unit_test(a_recording_tells_where_it_comes_from),
        cmocka_unit_test(portable_bits_do_not_depend_on_the_kernel),
        cmocka_unit_test(a_long_set_up_shows_what_it_does),
    };

    return cmocka_run_group_tests_name("folders", tests, scratch_enter, scratch_leave);
}
