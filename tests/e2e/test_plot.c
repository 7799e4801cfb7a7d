/* `yoke plot` and `--plot` from outside: what is drawn, what is refused and with which words. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <unistd.h>

#define OSCILLATOR YOKE_SOURCE "/examples/oscillator/oscillator.yaml"
#define FRAME      YOKE_SOURCE "/examples/shear-frame-earthquake/shear-frame-earthquake.yaml"

static char folder[1024];  /* of the run */
static char picture[1024]; /* what to draw */

/* Exit code of `yoke` with these words. */
#define YOKE(...) program_code((const char *const[]){YOKE_PROGRAM, __VA_ARGS__, NULL})
/* Runs the experiment; the picture to draw has this name. */
static void run_for(const char *file, const char *name)
{
    snprintf(folder, sizeof folder, "%s", scratch_path(""));
    snprintf(picture, sizeof picture, "%s", scratch_path(name));
    assert_int_equal(YOKE("run", file, "-q", "-o", folder), 0);
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

/* gnuplot may be absent: then everything but the picture is there, and the exit code is 1. */
static void assert_drawn(int code)
{
    if (code == 1 && strstr(program_said(), "gnuplot was not found"))
        skip();
    if (code)
        print_error("%s\n", program_said());
    assert_int_equal(code, 0);
}

static void panels_become_a_picture_with_data_and_script(void **state)
{
    run_for(OSCILLATOR, "two.svg");
    assert_drawn(YOKE("plot", folder, "--y", "oscillator.x.u,oscillator.x.v", "--y", "energy.kinetic", "-o", picture));
    assert_int_equal(access(picture, F_OK), 0);
    assert_int_equal(access(scratch_path("two.gp"), F_OK), 0);
    assert_int_equal(lines_of(scratch_path("two.csv")), 1 + 81);
}

static void times_bound_what_is_drawn(void **state)
{
    run_for(OSCILLATOR, "part.svg");
    assert_drawn(YOKE("plot", folder, "--y", "oscillator.x.u", "--from", "1", "--to", "2.0001", "-o", picture));
    assert_int_equal(lines_of(scratch_path("part.csv")), 1 + 21);
}

static void long_recordings_are_thinned(void **state)
{
    run_for(FRAME, "long.svg");
    assert_drawn(YOKE("plot", folder, "--y", "frame.floor4.x.u", "-o", picture));
    assert_in_range(lines_of(scratch_path("long.csv")), 1000, 3201);
}

static void fine_steps_are_drawn_where_there_are_any(void **state)
{
    run_for(OSCILLATOR, "fine.svg");
    assert_int_equal(YOKE("plot", folder, "--fine", "--y", "oscillator.x.u", "-o", picture), 2);
    assert_said("has no samples of the fine step");
    run_for(YOKE_SOURCE "/examples/split-mass/split-mass.yaml", "fine.svg");
    assert_drawn(YOKE("plot", folder, "--fine", "--y", "B.x.u", "-o", picture));
    assert_true(lines_of(scratch_path("fine.csv")) > 500);
}

static void unknown_channels_are_refused_with_a_suggestion(void **state)
{
    run_for(OSCILLATOR, "none.svg");
    assert_int_equal(YOKE("plot", folder, "--y", "oscilator.x.u", "-o", picture), 2);
    assert_said("has no channel 'oscilator.x.u'; did you mean 'oscillator.x.u'?");
    assert_int_equal(YOKE("plot", folder, "--x", "qq", "--y", "oscillator.x.u", "-o", picture), 2);
    assert_said("has no channel 'qq'; `yoke plot DIR` lists them");
    assert_int_equal(access(picture, F_OK), -1);
}

static void channels_are_listed_when_none_is_named(void **state)
{
    run_for(OSCILLATOR, "x.svg");
    assert_int_equal(YOKE("plot", folder), 2);
    assert_said("  oscillator.x.a     oscillator, acceleration [m/s2]\n");
}

static void bad_words_are_refused(void **state)
{
    run_for(OSCILLATOR, "x.svg");
    assert_int_equal(YOKE("plot"), 2);
    assert_said("which recording?");
    assert_int_equal(YOKE("plot", folder, "--y", "oscillator.x.u"), 2);
    assert_said("-o FILE.svg");
    assert_int_equal(YOKE("plot", folder, "--y", "oscillator.x.u", "-o", "x.jpg"), 2);
    assert_said(".svg, .png or .pdf");
    assert_int_equal(YOKE("plot", folder, "--y", "oscillator.x.u,", "-o", picture), 2);
    assert_said("an empty name in --y");
    assert_int_equal(YOKE("plot", folder, "--y", "oscillator.x.u", "-o", picture, "--from", "3", "--to", "2"), 2);
    assert_said("--from 3 is not before --to 2");
    assert_int_equal(YOKE("plot", folder, "--y", "oscillator.x.u", "-o", picture, "--from", "99"), 2);
    assert_said("no sample between --from and --to");
    assert_int_equal(YOKE("plot", "/nonexistent", "--y", "oscillator.x.u", "-o", picture), 2);
}

static void analyses_are_drawn(void **state)
{
    static const char *const names[] = {"spectrum", "order", "energy"};

    for (size_t i = 0; i < 3; i++) {
        snprintf(picture, sizeof picture, "%s.svg", scratch_path(names[i]));
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
        cmocka_unit_test(fine_steps_are_drawn_where_there_are_any),
        cmocka_unit_test(unknown_channels_are_refused_with_a_suggestion),
        cmocka_unit_test(channels_are_listed_when_none_is_named),
        cmocka_unit_test(bad_words_are_refused),
        cmocka_unit_test(analyses_are_drawn),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
