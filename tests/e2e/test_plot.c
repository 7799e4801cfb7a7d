/* `yoke plot` and `--plot` from outside: what is drawn, what is refused and with which words. */
#include "support/check.h"
#include "support/scratch.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define OSCILLATOR YOKE_SOURCE "/examples/oscillator/oscillator.yaml"
#define FRAME      YOKE_SOURCE "/examples/shear-frame-earthquake/shear-frame-earthquake.yaml"

static char said[8192]; /* by the last command, on both outputs */

/* Exit code of `yoke` with these words. */
static int yoke(char *const words[])
{
    char *argv[24] = {YOKE_PROGRAM};
    posix_spawn_file_actions_t actions;
    const char *log = scratch_path("log");
    pid_t child;
    int status;
    FILE *file;

    for (size_t i = 0; words[i]; i++)
        argv[i + 1] = words[i];
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    assert_int_equal(posix_spawn(&child, YOKE_PROGRAM, &actions, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    file = fopen(log, "r");
    assert_non_null(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    return WEXITSTATUS(status);
}

#define YOKE(...) yoke((char *[]){__VA_ARGS__, NULL})

static void assert_said(const char *words)
{
    if (!strstr(said, words)) {
        print_error("'%s' is not in: %s\n", words, said);
        fail();
    }
}

static void run_into_scratch(const char *file)
{
    assert_int_equal(YOKE("run", (char *)file, "-q", "-o", (char *)scratch_path("")), 0);
}

static long lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    long count = 0;

    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;)
        count += c == '\n';
    fclose(file);
    return count;
}

static char *run_folder(void)
{
    return (char *)scratch_path("");
}

/* gnuplot may be absent: then everything but the picture is there, and the exit code is 1. */
static void assert_drawn(int code)
{
    if (code == 1 && strstr(said, "gnuplot was not found"))
        skip();
    if (code)
        print_error("%s\n", said);
    assert_int_equal(code, 0);
}

static void panels_become_a_picture_with_data_and_script(void **state)
{
    char *picture = (char *)scratch_path("two.svg");

    run_into_scratch(OSCILLATOR);
    assert_drawn(
        YOKE("plot", run_folder(), "--y", "oscillator.x.u,oscillator.x.v", "--y", "energy.kinetic", "-o", picture));
    assert_int_equal(access(picture, F_OK), 0);
    assert_int_equal(access(scratch_path("two.gp"), F_OK), 0);
    assert_int_equal(lines_of(scratch_path("two.csv")), 1 + 81);
}

static void times_bound_what_is_drawn(void **state)
{
    char *picture = (char *)scratch_path("part.svg");

    run_into_scratch(OSCILLATOR);
    assert_drawn(YOKE("plot", run_folder(), "--y", "oscillator.x.u", "--from", "1", "--to", "2.0001", "-o", picture));
    assert_int_equal(lines_of(scratch_path("part.csv")), 1 + 21);
}

static void long_recordings_are_thinned(void **state)
{
    run_into_scratch(FRAME);
    assert_drawn(YOKE("plot", run_folder(), "--y", "frame.floor4.x.u", "-o", (char *)scratch_path("long.svg")));
    assert_in_range(lines_of(scratch_path("long.csv")), 1000, 3201);
}

static void unknown_channels_are_refused_with_a_suggestion(void **state)
{
    char *picture = (char *)scratch_path("none.svg");

    run_into_scratch(OSCILLATOR);
    assert_int_equal(YOKE("plot", run_folder(), "--y", "oscilator.x.u", "-o", picture), 2);
    assert_said("has no channel 'oscilator.x.u'; did you mean 'oscillator.x.u'?");
    assert_int_equal(YOKE("plot", run_folder(), "--x", "qq", "--y", "oscillator.x.u", "-o", picture), 2);
    assert_said("has no channel 'qq'; `yoke plot DIR` lists them");
    assert_int_equal(access(picture, F_OK), -1);
}

static void channels_are_listed_when_none_is_named(void **state)
{
    run_into_scratch(OSCILLATOR);
    assert_int_equal(YOKE("plot", run_folder()), 2);
    assert_said("  oscillator.x.a\n");
}

static void bad_words_are_refused(void **state)
{
    char svg[1024]; /* kept: scratch_path has a few buffers only */

    snprintf(svg, sizeof svg, "%s", scratch_path("x.svg"));
    run_into_scratch(OSCILLATOR);
    assert_int_equal(YOKE("plot"), 2);
    assert_said("which recording?");
    assert_int_equal(YOKE("plot", run_folder(), "--y", "oscillator.x.u"), 2);
    assert_said("-o FILE.svg");
    assert_int_equal(YOKE("plot", run_folder(), "--y", "oscillator.x.u", "-o", "x.jpg"), 2);
    assert_said(".svg, .png or .pdf");
    assert_int_equal(YOKE("plot", run_folder(), "--y", "oscillator.x.u,", "-o", svg), 2);
    assert_said("an empty name in --y");
    assert_int_equal(YOKE("plot", run_folder(), "--y", "oscillator.x.u", "-o", svg, "--from", "3", "--to", "2"), 2);
    assert_said("--from 3 is not before --to 2");
    assert_int_equal(YOKE("plot", run_folder(), "--y", "oscillator.x.u", "-o", svg, "--from", "99"), 2);
    assert_said("no sample between the times");
    assert_int_equal(YOKE("plot", "/nonexistent", "--y", "oscillator.x.u", "-o", svg), 1);
}

static void analyses_are_drawn(void **state)
{
    static char *const names[] = {"spectrum", "order", "energy"};

    for (size_t i = 0; i < 3; i++) {
        char *picture = (char *)scratch_path(i == 0 ? "spectrum.svg" : i == 1 ? "order.svg" : "energy.svg");

        assert_drawn(YOKE("analyze", names[i], OSCILLATOR, "--plot", picture));
        assert_said("picture: ");
        assert_int_equal(access(picture, F_OK), 0);
    }
    assert_int_equal(YOKE("analyze", "order", OSCILLATOR, "--plot", "x.gif"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_become_a_picture_with_data_and_script),
        cmocka_unit_test(times_bound_what_is_drawn),
        cmocka_unit_test(long_recordings_are_thinned),
        cmocka_unit_test(unknown_channels_are_refused_with_a_suggestion),
        cmocka_unit_test(channels_are_listed_when_none_is_named),
        cmocka_unit_test(bad_words_are_refused),
        cmocka_unit_test(analyses_are_drawn),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
