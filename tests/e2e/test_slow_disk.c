/* A disk that does not keep up: a loop never waits for it, and what is missing in a recording is counted and told, by a
 * run and by a site alike. */
#include "support/check.h"
#include "support/cli.h"
#include "support/patience.h"
#include "support/scratch.h"
#include "support/served.h"

#include "record/record.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define SPRING YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
#define DISK   YOKE_BINARY "/tests/plugins/slow_disk.so"

enum { DOFS = 1000, RING_ROWS = 65536 }; /* the rows that a recorder keeps for a disk, at most */

static char slow[600];

static int set_up(void **state)
{
    const int made = scratch_create(state);

    snprintf(slow, sizeof slow, "%s", scratch_path("slow"));
    setenv("SLOW_WHILE", slow, 1);
    return made;
}

/* Gives the programs that are started next a slow disk, or the usual one. */
static void use_slow_disk(bool on)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their own libraries must be loaded first */
#endif
    assert_int_equal(access(DISK, R_OK), 0);
    on ? setenv("LD_PRELOAD", DISK, 1) : unsetenv("LD_PRELOAD");
}

static void set_slow(bool on)
{
    if (on)
        scratch_write("slow", "");
    else
        remove(slow);
}

static void await_words(const struct program *p, const char *words)
{
    char text[1000];

    for (int tries = 0; tries < 3000; tries++) {
        FILE *in = fopen(p->err_path, "r");
        const size_t length = in ? fread(text, 1, sizeof text - 1, in) : 0;

        text[length] = 0;
        if (in)
            fclose(in);
        if (strstr(text, words))
            return;
        patience_sleep(0.01);
    }
    fail_msg("it never says '%s'", words);
}

/* The rows in the file and those said to be missing are together all rows: those of the run (most = 0), or from least
 * to most. The words tell how many. */
static void check_recording(const char *folder, const char *stream, const char *said, uint64_t least, uint64_t most)
{
    struct yk_recording *recording;
    char path[700], words[100];

    snprintf(path, sizeof path, "%s/run.h5", folder);
    assert_ok(yk_recording_open(&recording, path, &err));
    json_t *summary = json_loads(yk_recording_text(recording, "summary"), 0, NULL);
    assert_non_null(summary);
    const uint64_t dropped = (uint64_t)json_integer_value(json_object_get(summary, "dropped_samples")),
                   kept = yk_recording_rows(recording, yk_recording_stream(recording, stream));
    assert_true(dropped > 0);
    if (!most) /* a busy machine may have ended the run */
        least = most = (uint64_t)json_integer_value(json_object_get(summary, "steps")) + 1;
    assert_in_range(kept + dropped, least, most);
    snprintf(words, sizeof words, "%llu rows are missing", (unsigned long long)dropped);
    assert_words(said, words);
    json_decref(summary);
    yk_recording_close(recording);
}

/* A wide model: few of its rows fill the memory for them. */
static void a_paced_run_tells_how_many_rows_are_missing(void **state)
{
    const char *file = scratch_path("wide.yaml"), *folder = scratch_path("run");
    const double end = ceil(2 * fmin(patience(), 15)); /* s: not over before the disk is slow */
    FILE *out = fopen(file, "w");
    struct program p;

    assert_non_null(out);
    fprintf(out,
            "title: wide\ntime: {step: 1 ms, end: %g}\nmethod: {integrator: central-difference}\nrecord: {channels: "
            "\"*\"}\nlimits: {missed_deadlines: 0, stall: 0}\nsubstructures:\n"
            "  a: {kind: assembled, elements: [",
            end);
    for (int i = 0; i < DOFS; i++)
        fprintf(out, "{kind: spring, between: [ground, n%d.x], stiffness: 1}%s", i, i + 1 < DOFS ? ", " : "");
    fputs("], nodes: {", out);
    for (int i = 0; i < DOFS; i++)
        fprintf(out, "n%d: {mass: 1}%s", i, i + 1 < DOFS ? ", " : "");
    fputs("}}\n", out);
    fclose(out);

    use_slow_disk(true);
    program_start(&p, (const char *const[]){YOKE_PROGRAM, "run", file, "-o", folder, "--realtime", "--no-report", NULL},
                  0);
    use_slow_disk(false);
    await_words(&p, "paced run"); /* its recorder is open */
    set_slow(true);
    program_sleep(1.25 * end);
    set_slow(false);
    program_wait(&p);
    check_recording(folder, "system", p.err, 0, 0);
    program_free(&p);
}

static void a_site_tells_how_many_rows_are_missing(void **state)
{
    char setting[256], folder[600], end[64];
    struct program p;
    struct rig r;

    snprintf(folder, sizeof folder, "%s", scratch_path("site"));
    use_slow_disk(true);
    rig_start(&r, false, SPRING, (const char *const[]){"--site", folder, NULL});
    use_slow_disk(false);
    set_slow(true);
    snprintf(setting, sizeof setting, "rig.settings={port: %s, patience: 60, wait: 60, silence: 60}", r.address);
    snprintf(end, sizeof end, "time.end=%d", RING_ROWS / 1000 + 1);
    program_run(&p, "run", SPRING, "-q", "--no-report", "-o", scratch_path("of-site"), "--set", r.backend, "--set",
                setting, "--set", "limits.command_rate=5", "--set", "limits.tracking_error=0.1", "--set", end, "--set",
                "reference=none");
    set_slow(false);
    assert_code(&p, 0);
    program_free(&p);
    kill(r.p.pid, SIGTERM);
    program_wait(&r.p);
    assert_code(&r.p, 0);
    unsigned long ticks = 0;
    assert_int_equal(sscanf(strstr(r.p.out, "waiting: "), "waiting: %lu ticks", &ticks), 1);
    check_recording(folder, "ticks", r.p.err, ticks + 1, ticks + 4); /* and rows at rest */
    program_free(&r.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paced_run_tells_how_many_rows_are_missing),
        cmocka_unit_test(a_site_tells_how_many_rows_are_missing),
    };

    return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
