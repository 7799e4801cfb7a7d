/* `yoke plot` and `--plot` from outside: what is drawn, what is refused and with which words. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <stdlib.h>
#include <unistd.h>

#define OSCILLATOR YOKE_SOURCE "/examples/oscillator/oscillator.yaml"
#define SPECIMEN   YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
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
    assert_int_equal(YOKE("run", file, "-q", "--force", "-o", folder), 0);
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
    assert_said("has no channel 'qq'; `yoke plot DIR --list` lists them");
    assert_int_equal(access(picture, F_OK), -1);
}

static void channels_are_listed_in_words(void **state)
{
    run_for(OSCILLATOR, "x.svg");
    assert_int_equal(YOKE("plot", folder, "--list"), 0);
    assert_said("  oscillator.x.a     oscillator, acceleration [m/s2]\n");
    assert_int_equal(access(picture, F_OK), -1);
}

/* ---- what is drawn ---- */

/* The largest value in the second column of the data of a picture, and the first column of its row. */
static void find_peak(const char *name, double *at, double *peak)
{
    *peak = 0;
    for (const char *line = strchr(scratch_text(name), '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        double x, y;

        assert_int_equal(sscanf(line, " %lf,%lf", &x, &y), 2);
        *at = y > *peak ? x : *at;
        *peak = y > *peak ? y : *peak;
    }
}

static void without_names_an_overview_is_drawn_beside_the_recording(void **state)
{
    run_for(OSCILLATOR, "overview.svg");
    assert_drawn(YOKE("plot", folder));
    assert_int_equal(access(picture, F_OK), 0);
    assert_in_scratch("overview.gp", "'oscillator, displacement, spectrum'");
    assert_in_scratch("overview.gp", "'kinetic energy'");
    assert_int_equal(scratch_count("overview.gp", "measured"), 0);
}

/* With a specimen: target and measured displacement, the tracking error, the loop; the measured ones in vermilion. */
static void the_overview_of_a_specimen_shows_its_actuator(void **state)
{
    run_for(SPECIMEN, "overview.svg");
    assert_drawn(YOKE("plot", folder, "-o", picture));
    assert_in_scratch("overview.gp", "'target displacement'");
    assert_in_scratch("overview.gp", "'tracking error [mm]'");
    assert_in_scratch("overview.gp", "'actuator a1, measured displacement [mm]'");
    assert_in_scratch("overview.gp", "'measured force [kN]'");
    assert_in_scratch("overview.gp", "with lines lc rgb '#D55E00'");
    assert_in_scratch("overview.gp", "with lines lc rgb '#BCBCBC'"); /* the target: wide and pale */
}

/* A prefix that fits, or the unit that is named: 0.0357 m at most. */
static void units_of_display_are_chosen_or_named(void **state)
{
    double at = 0, largest = 0;

    run_for(SPECIMEN, "unit.svg");
    assert_drawn(YOKE("plot", folder, "--y", "frame.x.u", "--y", "a1.force", "-o", picture));
    assert_in_scratch("unit.gp", "'frame, displacement [mm]'");
    assert_in_scratch("unit.gp", "'actuator a1, measured force [kN]'");
    assert_drawn(YOKE("plot", folder, "--y", "frame.x.u,frame.x.a", "--unit", "cm,g,kip", "-o", picture));
    assert_in_scratch("unit.gp", "'displacement [cm]'");
    assert_in_scratch("unit.gp", "'acceleration [g]'");
    find_peak("unit.csv", &at, &largest);
    assert_in_range((int)(1000 * largest), 3000, 4000); /* cm */
    assert_int_equal(YOKE("plot", folder, "--y", "frame.x.u", "--unit", "mm,smoot", "-o", picture), 2);
    assert_said("smoot");
    assert_int_equal(YOKE("plot", folder, "--y", "frame.x.u", "--unit", "mm,", "-o", picture), 2);
    assert_said("an empty unit in --unit");
}

/* The load of the example is a sine of 500 N at 1.3 Hz, for 20 s. */
static void the_spectrum_of_a_sine_load_peaks_at_its_frequency(void **state)
{
    double peak = 0, at = 0;

    run_for(SPECIMEN, "spectrum.svg");
    assert_drawn(YOKE("plot", folder, "--spectrum", "--y", "load.0", "--unit", "N", "-o", picture));
    assert_in_scratch("spectrum.gp", "'frequency [Hz]'");
    assert_in_scratch("spectrum.gp", "'amplitude [N]'");
    find_peak("spectrum.csv", &at, &peak);
    assert_near(at, 1.3, 0.03);
    assert_near(peak, 500, 25);
    assert_int_equal(YOKE("plot", folder, "--spectrum", "--xy", "load.0,frame.x.u", "-o", picture), 2);
    assert_said("--spectrum and --x or --xy exclude each other");
    assert_int_equal(YOKE("plot", folder, "--spectrum", "--y", "load.0", "--from", "19.99", "-o", picture), 2);
    assert_said("a spectrum needs at least 8");
    assert_drawn(YOKE("plot", folder, "--from", "19.99", "-o", picture)); /* an overview does without */
}

static void a_loop_has_its_channels_on_both_axes(void **state)
{
    run_for(SPECIMEN, "loop.svg");
    assert_drawn(YOKE("plot", folder, "--xy", "a1.displacement,a1.force", "-o", picture, "--width", "one"));
    assert_in_scratch("loop.gp", "'actuator a1, measured displacement [mm]'");
    assert_in_scratch("loop.gp", "'actuator a1, measured force [kN]'");
    assert_in_scratch("loop.gp", "set terminal svg size 333,");
    assert_int_equal(YOKE("plot", folder, "--xy", "a1.displacement", "-o", picture), 2);
    assert_said("--xy needs X,Y");
    assert_int_equal(YOKE("plot", folder, "--xy", "a1.displacement,a1.force", "-o", picture, "--width", "three"), 2);
    assert_said("--width 'three' is not one or two");
}

/* The same oscillator at half the step: other rate, nearly the same motion. Then against a run with other channels. */
static void runs_of_different_rates_and_channels_are_compared(void **state)
{
    char fine[1024], specimen[1024];

    run_for(OSCILLATOR, "compare.svg");
    snprintf(fine, sizeof fine, "%s/fine", scratch_path(""));
    snprintf(specimen, sizeof specimen, "%s/specimen", scratch_path(""));
    assert_int_equal(YOKE("run", OSCILLATOR, "-q", "-o", fine, "--set", "time.step=25 ms"), 0);
    assert_drawn(YOKE("plot", folder, "--compare", fine, "-o", picture));
    assert_said("oscillator, displacement: largest difference ");
    assert_said(" % NRMS");
    assert_in_scratch("compare.gp", "'difference [");
    assert_int_equal(lines_of(scratch_path("compare.csv")), 1 + 161);
    assert_drawn(YOKE("plot", folder, "--compare", folder, "--y", "oscillator.x.u", "-o", picture));
    assert_said("largest difference 0 m, 0 % NRMS");
    assert_int_equal(YOKE("run", SPECIMEN, "-q", "-o", specimen, "--set", "time.end=1 s"), 0);
    assert_int_equal(YOKE("plot", folder, "--compare", specimen, "--y", "oscillator.x.u", "-o", picture), 2);
    assert_said("has no channel 'oscillator.x.u'");
    assert_drawn(YOKE("plot", folder, "--compare", specimen, "-o", picture)); /* the load and energies are in both */
    assert_drawn(YOKE("plot", folder, fine, "--compare", fine, "--y", "oscillator.x.u", "-o", picture));
    assert_said("fine: oscillator, displacement: largest difference 0 mm, 0 % NRMS");
}

/* A title that tries to be markup or a command is drawn letter by letter; so is the name of a folder. */
static void hostile_titles_and_folders_stay_text(void **state)
{
    static const char title[] = "title=\"{/Symbol a}_1^2 `touch evil` <script>alert(1)</script>\"";
    char hostile[1024];

    run_for(OSCILLATOR, "hostile.svg");
    snprintf(hostile, sizeof hostile, "%s/<b>{x}_1^2'`", scratch_path(""));
    assert_int_equal(YOKE("run", OSCILLATOR, "-q", "-o", hostile, "--set", title), 0);
    assert_drawn(YOKE("plot", hostile, folder, "--y", "oscillator.x.u", "-o", picture));
    assert_in_scratch("hostile.svg", "<text>{/Symbol a}_1^2 `touch evil` &lt;script>alert(1)&lt;/script></text>");
    assert_in_scratch("hostile.svg", "<text>&lt;b>{x}_1^2'`</text>");
    assert_int_equal(scratch_count("hostile.svg", "<script"), 0);
    assert_int_equal(access("evil", F_OK), -1);
}

static void a_missing_gnuplot_is_said_plainly(void **state)
{
    run_for(OSCILLATOR, "alone.svg");
    const char *const path = getenv("PATH");
    char *usual = strdup(path ? path : "");

    setenv("PATH", "/nonexistent", 1);
    const int code = YOKE("plot", folder, "-o", picture);
    setenv("PATH", usual, 1);
    free(usual);
    assert_int_equal(code, 1);
    assert_said("gnuplot was not found; install it (Debian, Ubuntu: apt install gnuplot-nox)");
    assert_int_equal(access(scratch_path("alone.csv"), F_OK), 0);
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
        cmocka_unit_test(channels_are_listed_in_words),
        cmocka_unit_test(without_names_an_overview_is_drawn_beside_the_recording),
        cmocka_unit_test(the_overview_of_a_specimen_shows_its_actuator),
        cmocka_unit_test(units_of_display_are_chosen_or_named),
        cmocka_unit_test(the_spectrum_of_a_sine_load_peaks_at_its_frequency),
        cmocka_unit_test(a_loop_has_its_channels_on_both_axes),
        cmocka_unit_test(runs_of_different_rates_and_channels_are_compared),
        cmocka_unit_test(hostile_titles_and_folders_stay_text),
        cmocka_unit_test(a_missing_gnuplot_is_said_plainly),
        cmocka_unit_test(bad_words_are_refused),
        cmocka_unit_test(analyses_are_drawn),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
