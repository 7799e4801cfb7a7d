/* The program at its limits: unstable steps, interrupts, kills, full disks, little memory, damaged recordings. */

#include "support/check.h"
#include "support/cli.h"
#include "support/patience.h"
#include "support/scratch.h"

#include "record/record.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 }; /* times and memory are not those of the program */
#else
enum { SANITIZED = 0 };
#endif

static void a_step_beyond_the_limit_is_refused_with_the_limit(void **state)
{
    char *dir = path_of("beyond");
    struct program p;

    /* omega = 2 rad/s: explicit central differences are stable up to 2/omega = 1 s */
    program_run(&p, "run", OSCILLATOR, "-o", dir, "--set", "method.integrator=central-difference", "--set",
                "time.step=2");
    assert_code(&p, 2);
    assert_words(p.err, "step = 2 s is beyond the stability limit of central-difference for this structure, 1 s");
    assert_words(p.err, "method.stability: warn");
    assert_false(there(dir));
    program_free(&p);
    program_run(&p, "run", OSCILLATOR, "-o", dir, "--set", "method.integrator=central-difference", "--set",
                "time.step=0.8");
    assert_code(&p, 0);
    program_free(&p);
    free(dir);
}

/* Two evaluations are too few for a step in which fibres yield. Nothing has moved far: the motion did not diverge. */
static void an_iteration_without_an_end_is_called_so(void **state)
{
    char *dir = path_of("unconverged");
    struct program p;

    program_run(&p, "run", YOKE_SOURCE "/examples/fibre-frame/fibre-frame.yaml", "-o", dir, "--set", "time.end=0.5",
                "--set", "method.iterations=2");
    assert_code(&p, 3);
    assert_words(p.err, "the iteration of newmark-newton did not converge at step ");
    assert_words(p.err, " s): after 2 force evaluations the acceleration still changed by ");
    assert_null(strstr(p.err, "diverged"));
    program_free(&p);
    free(dir);
}

static void a_diverging_run_keeps_its_recording_and_names_the_step(void **state)
{
    char *dir = path_of("diverged"), *file = path_of("diverged/summary.json");
    struct program p;
    long step = -1;

    program_run(&p, "run", OSCILLATOR, "-o", dir, "--set", "method.integrator=central-difference", "--set",
                "time.step=2", "--set", "time.end=400", "--set", "method.stability=warn");
    assert_code(&p, 3);
    assert_words(p.err, "warning: ");
    assert_words(p.err, "the motion diverged at step ");
    assert_int_equal(sscanf(strstr(p.err, "at step "), "at step %ld", &step), 1);
    assert_true(step > 1 && step < 200);
    program_free(&p);

    json_t *summary = json_load_file(file, 0, NULL);
    assert_non_null(summary);
    assert_true(json_is_false(json_object_get(summary, "finished")));
    assert_int_equal(json_integer_value(json_object_get(summary, "steps")), step);
    assert_words(json_string_value(json_object_get(summary, "stop_reason")), "the motion diverged at step");
    json_decref(summary);

    program_run(&p, "export", dir, "--csv", "-");
    assert_code(&p, 0);
    assert_words(p.err, "this run is incomplete");
    program_free(&p);
    free(dir);
    free(file);
}

/* A narrow model whose load of many lines makes a step slow: a long run without a large file. */
static const char slow_model[] = "time: {step: 1 ms, end: 1e6}\nmethod: {integrator: lsrt2}\n"
                                 "substructures: {a: {dofs: [x], mass: [1], stiffness: [4]}}\n"
                                 "loads: [{on: a.x, kind: noise, rms: 1, high: 20, lines: 10000}]\n";

static uint64_t rows_of(const char *dir, bool *finished)
{
    struct yk_recording *recording;
    char path[700];
    uint64_t rows;

    snprintf(path, sizeof path, "%s/run.h5", dir);
    assert_ok(yk_recording_open(&recording, path, &err));
    rows = yk_recording_rows(recording, yk_recording_stream(recording, "system"));
    *finished = yk_recording_finished(recording);
    yk_recording_close(recording);
    return rows;
}

/* Waits, on a busy machine for long, until the recording has more rows than `than`; returns how many. */
static uint64_t wait_for_rows(const char *dir, uint64_t than)
{
    bool finished;
    uint64_t rows = 0;
    char path[1024];

    snprintf(path, sizeof path, "%s/run.h5", dir);
    for (int i = 0; i < 600 && rows <= than; i++) {
        patience_sleep(0.1);
        rows = access(path, R_OK) == 0 ? rows_of(dir, &finished) : 0;
    }
    return rows;
}

static void stopped_by(int signal)
{
    char *file = path_of("slow.yaml"), *dir = path_of("stopped"), *summary_file = path_of("stopped/summary.json");
    char *recording = path_of("stopped/run.h5");
    struct program p;
    bool finished;

    write_file(file, slow_model);
    remove(recording); /* of the last signal */
    program_start(&p, (const char *const[]){YOKE_PROGRAM, "run", file, "-o", dir, NULL}, 0);
    assert_true(wait_for_rows(dir, 1) > 1);
    assert_int_equal(kill(p.pid, signal), 0);
    program_wait(&p);
    assert_code(&p, 3);
    assert_true(p.wall_s < 30 * patience());
    program_free(&p);

    json_t *summary = json_load_file(summary_file, 0, NULL);
    assert_non_null(summary);
    const json_int_t steps = json_integer_value(json_object_get(summary, "steps"));
    assert_true(steps > 0);
    assert_true(json_is_false(json_object_get(summary, "finished")));
    assert_words(json_string_value(json_object_get(summary, "stop_reason")), "stopped by request at step ");
    assert_int_equal(rows_of(dir, &finished), steps + 1); /* nothing is lost */
    assert_false(finished);
    json_decref(summary);
    free(file);
    free(dir);
    free(summary_file);
    free(recording);
}

static void an_interrupt_ends_a_run_after_its_step(void **state)
{
    stopped_by(SIGINT);
}

static void a_request_to_terminate_does_the_same(void **state)
{
    stopped_by(SIGTERM);
    stopped_by(SIGHUP);
}

/* Rows that a reader has seen while the run went on are there after the kill. The recorder's tests measure how little
 * is lost. */
static void a_killed_run_keeps_what_was_recorded(void **state)
{
    char *file = path_of("slow.yaml"), *dir = path_of("killed");
    struct program p;
    bool finished;

    write_file(file, slow_model);
    program_start(&p, (const char *const[]){YOKE_PROGRAM, "run", file, "-o", dir, NULL}, 0);
    const uint64_t before = wait_for_rows(dir, wait_for_rows(dir, 0)); /* while it runs */
    assert_int_equal(kill(p.pid, SIGKILL), 0);
    program_wait(&p);
    assert_int_equal(p.code, -SIGKILL);
    program_free(&p);

    const uint64_t rows = rows_of(dir, &finished);
    assert_true(before > 0 && rows >= before);
    assert_false(finished);
    program_run(&p, "export", dir, "--csv", "-");
    assert_code(&p, 0);
    assert_words(p.err, "this run is incomplete");
    uint64_t lines = 0;
    for (const char *c = p.out; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, rows + 1);
    program_free(&p);
    free(file);
    free(dir);
}

static void an_output_that_cannot_be_written_is_named(void **state)
{
    char *file = path_of("plain-file"), *below = path_of("plain-file/sub"), *dir = path_of("full");
    struct program p;

    write_file(file, "in the way\n");
    program_run(&p, "run", OSCILLATOR, "-o", below);
    assert_code(&p, 1);
    assert_words(p.err, below);
    assert_words(p.err, "Not a directory");
    program_free(&p);
    program_run(&p, "run", OSCILLATOR, "-o", file);
    assert_code(&p, 1);
    assert_words(p.err, file);
    program_free(&p);
    program_run(&p, "run", OSCILLATOR, "-o", dir);
    assert_code(&p, 0);
    program_free(&p);
    program_run(&p, "export", dir, "--csv", below);
    assert_code(&p, 1);
    assert_words(p.err, below);
    program_free(&p);
    program_start(&p, (const char *const[]){"/bin/sh", "-c", YOKE_PROGRAM " list --json > /dev/full", NULL}, 0);
    program_wait(&p);
    assert_code(&p, 1);
    assert_words(p.err, "cannot write to standard output: No space left on device");
    program_free(&p);
    free(file);
    free(below);
    free(dir);
}

/* Otherwise the recording gets the number of the closed stream, and messages are written into it. */
static void closed_streams_do_not_spoil_a_recording(void **state)
{
    static const char *const closed[] = {"2>&-", ">&- 2>&-", "<&- >&- 2>&-"};
    char *dir = path_of("closed"), line[2048];
    struct program p;

    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        snprintf(line, sizeof line,
                 "rm -rf '%s'; " YOKE_PROGRAM " run " OSCILLATOR " --realtime --set time.end=0.1 -o '%s' %s", dir, dir,
                 closed[i]);
        program_start(&p, (const char *const[]){"/bin/sh", "-c", line, NULL}, 0);
        program_wait(&p);
        program_free(&p);
        program_run(&p, "export", dir, "--csv", "-");
        assert_code(&p, 0);
        program_free(&p);
    }
    free(dir);
}

static void a_full_disk_stops_the_run_and_says_so(void **state)
{
    char *dir = path_of("nospace"), *file = path_of("slow.yaml");
    struct program p;
    bool finished;

    write_file(file, slow_model); /* fills a megabyte in about a second, so that some of it is flushed before */
    program_start(&p, (const char *const[]){YOKE_PROGRAM, "run", file, "-o", dir, NULL}, 1000000);
    program_wait(&p);
    assert_code(&p, 1);
    assert_words(p.err, "run.h5: the recording is not complete: File too large");
    program_free(&p);
    assert_true(rows_of(dir, &finished) > 0);
    assert_false(finished);
    free(dir);
    free(file);
}

/* OpenBLAS tries for ever to get its buffer. A specimen on the rig needs it. */
static void little_memory_ends_with_a_message(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* sanitizers take terabytes of addresses */
#endif
    static const int limits_kB[] = {100000, 150000, 200000, 230000, 300000, 400000};
    char *dir = path_of("little"), line[2048];
    struct program p;
    int refused = 0;

    for (size_t i = 0; i < sizeof limits_kB / sizeof *limits_kB; i++) {
        snprintf(line, sizeof line,
                 "rm -rf '%s'; ulimit -v %d; exec timeout 120 " YOKE_PROGRAM " run " YOKE_SOURCE
                 "/examples/spring-specimen/spring-specimen.yaml -o '%s'",
                 dir, limits_kB[i], dir);
        program_start(&p, (const char *const[]){"/bin/sh", "-c", line, NULL}, 0);
        program_wait(&p);
        assert_true(p.code == 0 || p.code == 1);
        if (limits_kB[i] <= 150000)
            assert_words(p.err, "yoke: out of memory: linear algebra needs a block of 130 MiB");
        refused += p.code == 1 && *p.err;
        program_free(&p);
    }
    assert_true(refused >= 2);
    free(dir);
}

/* The folder of a run that goes on is renamed. */
static void a_recording_that_disappears_ends_the_run(void **state)
{
    char *dir = path_of("gone"), *file = path_of("endless.yaml"), *to = path_of("elsewhere");
    char *recording = path_of("gone/run.h5");
    struct program p;

    write_file(file, slow_model);
    program_start(&p, (const char *const[]){YOKE_PROGRAM, "run", file, "-o", dir, "--quiet", NULL}, 0);
    for (int i = 0; i < 500 && access(recording, F_OK) != 0; i++)
        patience_sleep(0.02);
    assert_int_equal(rename(dir, to), 0);
    program_wait(&p);
    assert_code(&p, 1);
    assert_words(p.err, "run.h5: the recording is not complete: it was removed or renamed during the run");
    assert_null(strstr(p.out, "files:")); /* there are none */
    program_free(&p);
    program_start(&p,
                  (const char *const[]){
                      YOKE_PROGRAM, "run", YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml", "-o", dir,
                      "--realtime", "--quiet", "--set", "limits.missed_deadlines=0", "--set", "limits.stall=0", NULL},
                  0);
    for (int i = 0; i < 500 && access(recording, F_OK) != 0; i++)
        patience_sleep(0.02);
    assert_int_equal(remove(recording), 0);
    program_wait(&p);
    assert_code(&p, 3); /* the actuators were brought back */
    assert_words(p.err, "the recording is not complete");
    assert_words(p.err, "the recording failed at step");
    assert_null(strstr(p.err, "is kept"));
    assert_words(p.out, "files: ");
    assert_null(strstr(p.out, "run.h5"));
    program_free(&p);
    free(dir);
    free(file);
    free(to);
    free(recording);
}

/* HDF5 adds nothing of its own ("infinite loop closing library"). */
static void a_damaged_recording_is_refused_in_one_line(void **state)
{
    char *dir = path_of("sound"), *path = path_of("sound/run.h5");
    struct program p;

    program_run(&p, "run", OSCILLATOR, "-o", dir, "-q");
    assert_code(&p, 0);
    program_free(&p);
    FILE *file = fopen(path, "r+b");

    assert_non_null(file);
    for (long at = 500; at < 6000; at += 40) { /* one byte in 40 of the structure */
        int byte;

        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        byte = fgetc(file);
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fputc(byte ^ 0x55, file), byte ^ 0x55);
    }
    assert_int_equal(fclose(file), 0);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 0); /* HDF5 leaves some blocks of a damaged file behind */
    program_run(&p, "export", dir, "--csv", "/dev/null");
    unsetenv("ASAN_OPTIONS");
    assert_code(&p, 2);
    assert_words(p.err, "run.h5: the recording is damaged: ");
    assert_ptr_equal(strchr(p.err, '\n'), p.err + strlen(p.err) - 1);
    program_free(&p);
    free(dir);
    free(path);
}

static void an_older_recording_survives_a_bad_method(void **state)
{
    char *dir = path_of("older"), *file = path_of("pendulum.yaml");
    struct program p;
    bool finished;

    write_file(file, "time: {step: 1 ms, end: 1}\nmethod: {integrator: exact}\n"
                     "substructures: {a: {kind: assembled, nodes: {p: {mass: 1}}, elements:\n"
                     "  [{kind: cubic-spring, stiffness: 1, cubic: 1, between: [ground, p.x]}]}}\n");
    program_run(&p, "run", OSCILLATOR, "-o", dir);
    assert_code(&p, 0);
    program_free(&p);
    program_run(&p, "run", file, "-o", dir);
    assert_code(&p, 2);
    assert_words(p.err, "works on linear models only");
    program_free(&p);
    assert_int_equal(rows_of(dir, &finished), 81);
    assert_true(finished);
    free(dir);
    free(file);
}

static void long_names_keep_their_channels_apart(void **state)
{
    static const char n[] = "abcdefghijabcdefghijabcdefghijabcdefghi"; /* 39 letters */
    char *dir = path_of("long"), *file = path_of("\xff-not-utf8.yaml"), text[800], wanted[200];
    struct program p;

    snprintf(text, sizeof text,
             "time: {step: 0.1, end: 1}\nmethod: {integrator: lsrt2}\nreference: monolithic\nsubstructures:\n"
             "  %s: {kind: assembled, nodes: {%s: {dofs: [%s], mass: 1}}, elements: []}\n",
             n, n, n);
    write_file(file, text);
    program_run(&p, "run", file, "-o", dir, "--json");
    assert_code(&p, 0);
    json_decref(json_of(&p));
    program_free(&p);
    program_run(&p, "export", dir, "--csv", "-");
    assert_code(&p, 0);
    snprintf(wanted, sizeof wanted, "reference.%s.%s.%s.u", n, n, n);
    assert_words(p.out, wanted);
    program_free(&p);
    free(dir);
    free(file);
}

/* A chain of ten masses for a million steps: the recorder must not gather it all in memory. */
static void a_million_steps_stay_small(void **state)
{
    char *dir = path_of("million"), *file = path_of("chain.yaml");
    FILE *out = fopen(file, "w");
    struct program p;

    assert_non_null(out);
    fputs("time: {step: 1 ms, end: 1000}\nmethod: {integrator: lsrt2}\nsubstructures:\n  s:\n    kind: assembled\n"
          "    nodes:\n",
          out);
    for (int i = 0; i < 10; i++)
        fprintf(out, "      n%d: {mass: %d}\n", i, 1 + i % 3);
    fputs("    elements:\n", out);
    fputs("    - {kind: spring, between: [ground, n0.x], stiffness: 400}\n", out);
    for (int i = 1; i < 10; i++)
        fprintf(out, "    - {kind: spring, between: [n%d.x, n%d.x], stiffness: 400}\n", i - 1, i);
    fputs("    rayleigh: {mass: 0.1}\nloads: [{ground: s, kind: sine, amplitude: 0.1 g, frequency: 1}]\n", out);
    assert_int_equal(fclose(out), 0);

    program_run(&p, "run", file, "-o", dir, "--quiet");
    assert_code(&p, 0);
    assert_words(p.out, "1000000 of 1000000 steps");
    print_message("a million steps of ten degrees of freedom: %.1f s, %.0f MB resident\n", p.wall_s,
                  1e-3 * (double)p.resident_kB);
    if (!SANITIZED) {
        assert_true(p.resident_kB < 200000);
        assert_true(p.wall_s < 120 * patience());
    }
    program_free(&p);
    char *recording = path_of("million/run.h5");
    remove(recording);
    free(recording);
    free(dir);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_beyond_the_limit_is_refused_with_the_limit),
        cmocka_unit_test(a_diverging_run_keeps_its_recording_and_names_the_step),
        cmocka_unit_test(an_iteration_without_an_end_is_called_so),
        cmocka_unit_test(an_interrupt_ends_a_run_after_its_step),
        cmocka_unit_test(a_request_to_terminate_does_the_same),
        cmocka_unit_test(a_killed_run_keeps_what_was_recorded),
        cmocka_unit_test(an_output_that_cannot_be_written_is_named),
        cmocka_unit_test(closed_streams_do_not_spoil_a_recording),
        cmocka_unit_test(a_full_disk_stops_the_run_and_says_so),
        cmocka_unit_test(little_memory_ends_with_a_message),
        cmocka_unit_test(a_recording_that_disappears_ends_the_run),
        cmocka_unit_test(a_damaged_recording_is_refused_in_one_line),
        cmocka_unit_test(an_older_recording_survives_a_bad_method),
        cmocka_unit_test(long_names_keep_their_channels_apart),
        cmocka_unit_test(a_million_steps_stay_small),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
