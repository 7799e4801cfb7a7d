/* Figures: the script and the data to the letter, names that try to be commands, and gnuplot absent, failing or stuck.
 * A shell script on the PATH plays the faulty gnuplots. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/clock.h"
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yoke/figure.h>

static const double t[] = {0, 1, 2, 3}, u[] = {0, 0.5, NAN, -0.25}, v[] = {1, 10, 100, 1000};
static const struct yk_plot_series two[] = {{.name = "A.x.u", .style = YK_PLOT_LINE, .n = 4, .x = t, .y = u},
                                            {.name = "B.x.u", .style = YK_PLOT_POINTS, .n = 4, .x = t, .y = v}};
static const struct yk_plot_panel plain = {
    .x.label = "time [s]", .y.label = "displacement [m]", .series = two, .count = 2};

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* ---- PATH ---- */

static char *usual_path;

static void use_path(const char *path)
{
    setenv("PATH", path, 1);
}

static int remember_path(void **state)
{
    const char *path = getenv("PATH");

    usual_path = strdup(path ? path : "/usr/bin:/bin");
    return scratch_create(state);
}

static int restore_path(void **state)
{
    use_path(usual_path);
    return 0;
}

static int forget_path(void **state)
{
    free(usual_path);
    return scratch_remove(state);
}

/* A program `gnuplot` that does what the shell script says; the only one on the PATH. */
static void pretend_gnuplot(const char *script)
{
    char folder[1024];
    FILE *file = fopen(scratch_path("gnuplot"), "w");

    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    assert_int_equal(chmod(scratch_path("gnuplot"), 0755), 0);
    snprintf(folder, sizeof folder, "%s", scratch_path(""));
    use_path(folder);
}

/* Draws with the gnuplot of this machine; the test is skipped where there is none. */
static void draw_or_skip(const struct yk_figure *figure, const char *path)
{
    struct yk_err err = {0};
    const enum yk_status st = yk_figure_write(figure, path, &err);

    if (st && strstr(yk_err_line(&err).text, "gnuplot was not found"))
        skip();
    if (st)
        print_error("%s\n", yk_err_line(&err).text);
    assert_int_equal(st, YK_OK);
}

/* Writes data and script; no gnuplot is needed. */
static void write_without_drawing(const struct yk_figure *figure, const char *path)
{
    pretend_gnuplot("exit 0");
    assert_ok(yk_figure_write(figure, path, &err));
}

/* ---- data and script ---- */

static void data_share_the_x_column_and_keep_gaps(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};
    const char *text;

    write_without_drawing(&figure, scratch_path("plain.svg"));
    text = scratch_text("plain.csv");
    assert_string_equal(text, "\"time [s]\",\"A.x.u\",\"B.x.u\"\n0,0,1\n1,0.5,10\n2,nan,100\n3,-0.25,1000\n");
}

static void series_of_different_lengths_leave_cells_empty(void **state)
{
    const struct yk_plot_series series[] = {{.name = "long", .style = YK_PLOT_LINE, .n = 4, .x = t, .y = v},
                                            {.name = "short", .style = YK_PLOT_GUIDE, .n = 2, .x = v, .y = t}};
    const struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .series = series, .count = 2};
    const struct yk_figure figure = {.title = "T", .panels = &panel, .count = 1};
    const char *text;

    write_without_drawing(&figure, scratch_path("ragged.svg"));
    text = scratch_text("ragged.csv");
    assert_string_equal(text, "\"x\",\"long\",\"x\",\"short\"\n0,1,1,0\n1,10,10,1\n2,100,,\n3,1000,,\n");
}

static void script_names_its_files_without_a_folder(void **state)
{
    const struct yk_figure figure = {.title = "Two masses", .panels = &plain, .count = 1};
    const char *script = "named.gp";

    write_without_drawing(&figure, scratch_path("named.svg"));
    assert_in_scratch(script, "data = './named.csv'\nset output './named.svg'\n");
    assert_in_scratch(script, "set terminal svg size 680,");
    assert_in_scratch(script, "set label 'Two masses' at screen 0.5,");
    assert_in_scratch(script, "set label 'time [s]' at screen ");
    assert_in_scratch(script, "set label 'A.x.u' at screen ");
    assert_in_scratch(script, "plot data skip 1 using 1:2 with lines lc rgb '#0072B2' ");
    assert_in_scratch(script, "data skip 1 using 1:3 with points lc rgb '#E69F00' ");
}

static void the_ending_chooses_the_terminal(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};

    write_without_drawing(&figure, scratch_path("small.png"));
    assert_in_scratch("small.gp", "set terminal pngcairo size 2040,");
    write_without_drawing(&figure, scratch_path("print.pdf"));
    assert_in_scratch("print.gp", "set terminal pdfcairo size 7.083in,");
}

static void panels_are_stacked_and_share_the_lowest_label(void **state)
{
    const struct yk_plot_panel panels[] = {plain, plain};
    const struct yk_figure figure = {.title = "T", .panels = panels, .count = 2};
    const char *script = "stacked.gp";

    write_without_drawing(&figure, scratch_path("stacked.svg"));
    assert_int_equal(scratch_count(script, "set label 'time [s]'"), 1);
    assert_int_equal(scratch_count(script, "set label 'displacement [m]'"), 2);
    assert_int_equal(scratch_count(script, "set label 'A.x.u'"), 1); /* both would have the same legend */
}

/* Four panels in two rows: labels below the lower row, one legend, and a name looks the same wherever it comes. */
static void panels_side_by_side_share_a_legend(void **state)
{
    static const struct yk_plot_series other[] = {{.name = "C.x.u", .n = 4, .x = t, .y = v},
                                                  {.name = "A.x.u", .n = 4, .x = t, .y = u}};
    const struct yk_plot_panel turned = {
        .x.label = "time [s]", .y.label = "displacement [m]", .series = other, .count = 2};
    const struct yk_plot_panel panels[] = {plain, turned, plain, turned};
    const struct yk_figure figure = {.title = "T", .panels = panels, .count = 4, .columns = 2};
    const char *script = "grid.gp";

    write_without_drawing(&figure, scratch_path("grid.svg"));
    assert_int_equal(scratch_count(script, "set label 'C.x.u'"), 1);
    assert_int_equal(scratch_count(script, "using 1:2 with lines lc rgb '#0072B2' "), 4);
    assert_int_equal(scratch_count(script, "using 1:3 with lines lc rgb '#009E73' "), 0);
    assert_int_equal(scratch_count(script, "with lines lc rgb '#009E73' "), 2);
    assert_int_equal(scratch_count(script, "set label 'time [s]'"), 2);
    use_path(usual_path);
    draw_or_skip(&figure, scratch_path("grid.svg"));
}

static void one_name_side_by_side_needs_no_legend(void **state)
{
    const struct yk_plot_panel one = {.x.label = "x", .y.label = "y", .series = two, .count = 1};
    const struct yk_plot_panel panels[] = {one, one};
    const struct yk_figure figure = {.title = "T", .panels = panels, .count = 2, .columns = 2};

    write_without_drawing(&figure, scratch_path("pair.svg"));
    assert_int_equal(scratch_count("pair.gp", "set label 'A.x.u'"), 0);
}

static void logarithmic_axes_have_readable_numbers(void **state)
{
    const double few[] = {0.003, 0.01, 0.02, 0.05}, wide[] = {1e-9, 1e-6, 1e-3, 1};
    const struct yk_plot_series series = {.name = "e", .style = YK_PLOT_LINE_POINTS, .n = 4, .x = few, .y = wide};
    const struct yk_plot_panel panel = {.x = {.label = "step [s]", .log = true},
                                        .y = {.label = "error [m]", .log = true},
                                        .series = &series,
                                        .count = 1};
    const struct yk_figure figure = {.title = "T", .panels = &panel, .count = 1};
    const char *script = "log.gp";

    write_without_drawing(&figure, scratch_path("log.svg"));
    assert_in_scratch(
        script, "set logscale x\nset mxtics 10\nset xtics ('0.005' 0.005, '0.01' 0.01, '0.02' 0.02, '0.05' 0.05)");
    assert_in_scratch(script, "set logscale y\nset mytics 10\nset ytics ('10^{-9}' 1e-09, ");
}

static void heat_map_lists_its_grid(void **state)
{
    const double z[] = {1, 2, 3, 4, 5, 6};
    const struct yk_plot_heat heat = {
        .label = "radius", .rows = 2, .columns = 3, .x_max = 2, .y_min = 10, .y_max = 20, .z = z};
    struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .heat = &heat};
    const struct yk_figure figure = {.title = "T", .panels = &panel, .count = 1};
    const char *text;

    write_without_drawing(&figure, scratch_path("heat.svg"));
    assert_in_scratch("heat.gp", "plot data skip 1 using 1:2:3 with image");
    text = scratch_text("heat.csv");
    assert_string_equal(text, "\"x\",\"y\",\"radius\"\n0,10,1\n1,10,2\n2,10,3\n0,20,4\n1,20,5\n2,20,6\n");
    panel.x.log = true;
    assert_refused(yk_figure_write(&figure, scratch_path("heat.svg"), &err), YK_E_RANGE, "must begin above zero");
}

/* A grid that is even in the logarithm has a logarithmic axis with plain numbers. */
static void a_map_has_plain_numbers_on_a_logarithmic_axis(void **state)
{
    const double z[] = {1, 2, 3, 4, 5, 6};
    const struct yk_plot_heat heat = {
        .label = "radius", .rows = 2, .columns = 3, .x_min = 0.1, .x_max = 10, .y_max = 1, .z = z};
    const struct yk_plot_panel panel = {.x = {.label = "mass [t]", .log = true}, .y.label = "y", .heat = &heat};
    const struct yk_figure figure = {.panels = &panel, .count = 1};
    const char *text;

    write_without_drawing(&figure, scratch_path("logmap.svg"));
    assert_in_scratch("logmap.gp", "set xtics ('0.1' -1, '1' 0, '10' 1)");
    assert_in_scratch("logmap.gp", "plot data skip 1 using (log10($1)):2:3 with image");
    text = scratch_text("logmap.csv");
    assert_string_equal(text, "\"mass [t]\",\"y\",\"radius\"\n0.1,0,1\n1,0,2\n10,0,3\n0.1,1,4\n1,1,5\n10,1,6\n");
}

/* z = x^2 + y^2 on a fine grid: every point of the contour of 1 lies on the unit circle, to the square of the mesh. */
static void the_contour_of_a_paraboloid_is_a_circle(void **state)
{
    enum { N = 101 };
    double *z = malloc(N * N * sizeof *z), length = 0;
    const struct yk_plot_heat heat = {.label = "z",
                                      .rows = N,
                                      .columns = N,
                                      .x_min = -2,
                                      .x_max = 2,
                                      .y_min = -2,
                                      .y_max = 2,
                                      .z = z,
                                      .level_name = "r = 1",
                                      .level = 1};
    const struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .heat = &heat};
    const size_t room = yk_plot_contour_room(&heat);
    double *x = malloc(2 * room * sizeof *x), *y = x + room;

    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            z[r * N + c] = 0.0016 * ((c - 50) * (c - 50) + (r - 50) * (r - 50));
    const size_t n = yk_plot_contour(&panel, 1, x, y);
    assert_true(n > 0 && n % 3 == 0 && n <= room);
    for (size_t i = 0; i < n; i += 3) {
        assert_near(hypot(x[i], y[i]), 1, 1e-3);
        assert_near(hypot(x[i + 1], y[i + 1]), 1, 1e-3);
        assert_true(isnan(x[i + 2]));
        length += hypot(x[i + 1] - x[i], y[i + 1] - y[i]);
    }
    assert_near(length, 2 * acos(-1), 0.01); /* it is closed */
    write_without_drawing(&(struct yk_figure){.panels = &panel, .count = 1}, scratch_path("circle.svg"));
    assert_in_scratch("circle.gp", "set label 'r = 1' at screen ");
    assert_in_scratch("circle.gp", "with lines lc rgb '#000000' lw 2");
    z[50 * N + 75] = NAN; /* a hole in the line, no wrong points */
    assert_true(yk_plot_contour(&panel, 1, x, y) < n);
    free(x);
    free(z);
}

/* The plain saddle xy on one square, seen at its middle: two lines that do not cross. */
static void a_saddle_has_two_lines(void **state)
{
    const double z[] = {1, 0, 0, 1};
    const struct yk_plot_heat heat = {.rows = 2, .columns = 2, .x_max = 1, .y_max = 1, .z = z};
    const struct yk_plot_panel panel = {.heat = &heat};
    double x[6], y[6];

    assert_int_equal(yk_plot_contour(&panel, 0.6, x, y), 6); /* the mean is below: the corners with 1 are apart */
    assert_near(x[0] + y[0], 0.4, 1e-12);
    assert_near(x[1] + y[1], 0.4, 1e-12);
    assert_near(x[3] + y[3], 1.6, 1e-12);
    assert_near(x[4] + y[4], 1.6, 1e-12);
    assert_int_equal(yk_plot_contour(&panel, 0.4, x, y), 6); /* above: those with 0 */
    assert_near(x[0] - y[0], 0.6, 1e-12);
    assert_near(x[1] - y[1], 0.6, 1e-12);
}

/* A sine of 3 that fits 40 times into the samples has its peak of 3 there, and nothing elsewhere. */
static void the_spectrum_of_a_sine_has_its_peak_where_it_belongs(void **state)
{
    enum { N = 4096 };
    const double dt = 0.01, hertz = 40 / (N * dt);
    double *y = malloc(N * sizeof *y), *frequency = malloc(4 * N * sizeof *y), *amplitude = malloc(4 * N * sizeof *y);
    size_t peak = 0;

    for (int i = 0; i < N; i++)
        y[i] = 7 + 3 * sin(2 * acos(-1) * hertz * i * dt);
    const size_t count = yk_plot_spectrum(y, N, dt, frequency, amplitude);
    assert_int_equal(count, yk_plot_spectrum_room(N));
    for (size_t k = 1; k < count; k++)
        peak = amplitude[k] > amplitude[peak] ? k : peak;
    assert_near(frequency[peak], hertz, 1e-12);
    assert_near(amplitude[peak], 3, 1e-9);
    assert_near(amplitude[0], 0, 1e-9); /* the mean is no vibration */
    assert_near(amplitude[peak + 20], 0, 1e-9);
    assert_near(frequency[count - 1], 0.5 / dt, 1e-9);
    /* not a power of two, not a whole number of periods: within the resolution */
    const size_t other = yk_plot_spectrum(y, 3000, dt, frequency, amplitude);
    for (size_t k = peak = 0; k < other; k++)
        peak = amplitude[k] > amplitude[peak] ? k : peak;
    assert_near(frequency[peak], hertz, 1 / (3000 * dt));
    assert_near(amplitude[peak], 3, 0.1);
    assert_int_equal(yk_plot_spectrum(y, 1, dt, frequency, amplitude), 0);
    free(frequency);
    free(amplitude);
    free(y);
}

/* ---- what can be told apart ---- */

/* Two equal curves: the first wide, the second thin and dashed on top; what is measured comes last, in vermilion; a
 * reference lies behind both, wide and pale. */
static void curves_that_coincide_are_all_seen(void **state)
{
    static const double high[] = {0, 10, 20, 10};
    static const struct yk_plot_series series[] = {
        {.name = "test", .n = 4, .x = t, .y = v, .origin = YK_PLOT_MEASURED},
        {.name = "model", .n = 4, .x = t, .y = v},
        {.name = "other model", .n = 4, .x = t, .y = high},
        {.name = "target", .style = YK_PLOT_REFERENCE, .n = 4, .x = t, .y = v}};
    const struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .series = series, .count = 4};
    const struct yk_figure figure = {.panels = &panel, .count = 1};
    double width[4];
    const char *text, *at;

    write_without_drawing(&figure, scratch_path("seen.svg"));
    text = scratch_text("seen.gp");
    at = strstr(text, "plot data");
    assert_non_null(at);
    assert_int_equal(sscanf(at,
                            "plot data skip 1 using 1:5 with lines lc rgb '#BCBCBC' lw %lf dt 1, \\\n"
                            "     data skip 1 using 1:3 with lines lc rgb '#99C7E0' lw %lf dt 1, \\\n"
                            "     data skip 1 using 1:4 with lines lc rgb '#4DBB9D' lw %lf dt (9,4), \\\n"
                            "     data skip 1 using 1:2 with lines lc rgb '#D55E00' lw %lf dt 1",
                            &width[0], &width[1], &width[2], &width[3]),
                     4);
    for (int i = 1; i < 4; i++)
        assert_true(width[i] < width[i - 1]);
}

/* The smaller of two curves that fill the panel is drawn last, whatever their order. */
static void a_large_oscillation_does_not_hide_a_small_one(void **state)
{
    enum { N = 400 };
    double x[N], small[N], large[N];

    for (int i = 0; i < N; i++) {
        x[i] = i;
        large[i] = sin(2.0 * i);
        small[i] = 0.1 * large[i];
    }
    const struct yk_plot_series series[] = {{.name = "small", .n = N, .x = x, .y = small},
                                            {.name = "large", .n = N, .x = x, .y = large}};
    const struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .series = series, .count = 2};

    write_without_drawing(&(struct yk_figure){.panels = &panel, .count = 1}, scratch_path("dense.svg"));
    assert_in_scratch("dense.gp", "plot data skip 1 using 1:3 with lines lc rgb '#E69F00'"); /* large */
    assert_in_scratch("dense.gp", "     data skip 1 using 1:2 with lines lc rgb '#0072B2'");
    assert_in_scratch("dense.csv", "\"x\",\"small\",\"large\"\n");
}

static void panels_with_the_same_label_have_the_same_scale(void **state)
{
    static const double ten[] = {0, 9.5, -9.5, 5};
    const struct yk_plot_series a = {.name = "a", .n = 4, .x = t, .y = u}, b = {.name = "b", .n = 4, .x = t, .y = ten};
    struct yk_plot_panel panels[] = {{.x.label = "x", .y.label = "force [kN]", .series = &a, .count = 1},
                                     {.x.label = "x", .y.label = "force [kN]", .series = &b, .count = 1}};
    struct yk_figure figure = {.panels = panels, .count = 2, .columns = 2};

    write_without_drawing(&figure, scratch_path("same.svg"));
    assert_int_equal(scratch_count("same.gp", "set yrange [-10:10]"), 2);
    figure.own_scales = true;
    write_without_drawing(&figure, scratch_path("same.svg"));
    assert_int_equal(scratch_count("same.gp", "set yrange [-10:10]"), 1);
    figure.own_scales = false;
    panels[0].y.label = "displacement [mm]";
    write_without_drawing(&figure, scratch_path("same.svg"));
    assert_int_equal(scratch_count("same.gp", "set yrange [-10:10]"), 1);
}

/* The second panel shows a tenth of the time of the first: its ranges are its own. */
static void a_close_up_has_its_own_scale(void **state)
{
    static const double time[] = {0, 1, 10, 30}, first[] = {0, 1, 2, 3}, y[] = {0, 9.5, -9.5, 5},
                        part[] = {0, 0.97, 0.1, 0.2};
    const struct yk_plot_series a = {.name = "a", .n = 4, .x = time, .y = y},
                                b = {.name = "b", .n = 4, .x = first, .y = part};
    const struct yk_plot_panel panels[] = {{.x.label = "time [s]", .y.label = "u [m]", .series = &a, .count = 1},
                                           {.x.label = "time [s]", .y.label = "u [m]", .series = &b, .count = 1}};

    write_without_drawing(&(struct yk_figure){.panels = panels, .count = 2}, scratch_path("close.svg"));
    assert_int_equal(scratch_count("close.gp", "set xrange [0:30]"), 1);
    assert_int_equal(scratch_count("close.gp", "set xrange [0:3]"), 1);
    assert_int_equal(scratch_count("close.gp", "set yrange [0:1]"), 1);
}

/* Picture elements to a unit of x and to a unit of y are equal, by the margins in the script. */
static void equal_aspect_draws_a_square_as_a_square(void **state)
{
    static const double x[] = {0, 2, 2, 0, 0}, y[] = {0, 0, 2, 2, 0};
    const struct yk_plot_series square = {.name = "square", .n = 5, .x = x, .y = y};
    const struct yk_plot_panel panel = {
        .x.label = "x [m]", .y.label = "y [m]", .series = &square, .count = 1, .equal_aspect = true};
    double width, height, left, right, bottom, top, x_low, x_high, y_low, y_high;
    const char *text;

    write_without_drawing(&(struct yk_figure){.panels = &panel, .count = 1}, scratch_path("square.svg"));
    text = scratch_text("square.gp");
    assert_int_equal(sscanf(strstr(text, "svg size "), "svg size %lf,%lf", &width, &height), 2);
    assert_int_equal(sscanf(strstr(text, "set lmargin at "),
                            "set lmargin at screen %lf set rmargin at screen %lf set bmargin at screen %lf set tmargin "
                            "at screen %lf",
                            &left, &right, &bottom, &top),
                     4);
    assert_int_equal(sscanf(strstr(text, "set xrange "), "set xrange [%lf:%lf]", &x_low, &x_high), 2);
    assert_int_equal(sscanf(strstr(text, "set yrange "), "set yrange [%lf:%lf]", &y_low, &y_high), 2);
    assert_near((right - left) * width / (x_high - x_low), (top - bottom) * height / (y_high - y_low), 0.01);
}

static void an_inset_enlarges_a_part(void **state)
{
    struct yk_plot_panel panel = plain;
    const struct yk_figure figure = {.panels = &panel, .count = 1};

    panel.inset = (struct yk_plot_inset){YK_PLOT_TOP_LEFT, 0, 1};
    write_without_drawing(&figure, scratch_path("inset.svg"));
    assert_in_scratch("inset.gp", "set xrange [0:1]\n");
    assert_int_equal(scratch_count("inset.gp", "plot data"), 2);
    use_path(usual_path);
    draw_or_skip(&figure, scratch_path("inset.svg"));
}

/* ---- texts that are not only texts ---- */

static void texts_cannot_leave_their_quotes(void **state)
{
    static const struct yk_plot_series series = {.name = "it's", .style = YK_PLOT_LINE, .n = 4, .x = t, .y = v};
    static const struct yk_plot_panel panel = {.title = "a\nset output 'x'",
                                               .x.label = "'; system('false') #",
                                               .y.label = "say \"y\", \xff\xc3\xbc",
                                               .series = &series,
                                               .count = 1};
    const struct yk_figure figure = {.title = "`touch evil`", .panels = &panel, .count = 1};
    const char *script = "quoted.gp";

    write_without_drawing(&figure, scratch_path("quoted.svg"));
    assert_in_scratch(script, "set label '`touch evil`' at screen ");
    assert_in_scratch(script, "set label \"a set output 'x'\" at screen ");
    assert_in_scratch(script, "set label \"'; system('false') #\" at screen ");
    assert_in_scratch(script, "set label 'say \"y\", ?\xc3\xbc' at screen ");
    /* no text is taken for markup */
    assert_int_equal(scratch_count(script, "set label "), scratch_count(script, " noenhanced\n"));
    assert_in_scratch("quoted.csv", "\"it's\"\n");
}

static void gnuplot_runs_no_command_from_a_text_or_a_name(void **state)
{
    static const struct yk_plot_series series[] = {
        {.name = "`touch evil1`", .style = YK_PLOT_LINE, .n = 4, .x = t, .y = v},
        {.name = "@evil2 '.system('touch evil3').'", .style = YK_PLOT_LINE, .n = 4, .x = t, .y = v}};
    static const struct yk_plot_panel panel = {
        .x.label = "\"`touch evil4`\"", .y.label = "$(touch evil5)", .series = series, .count = 2};
    const struct yk_figure figure = {.title = "%s \\ `touch evil6`", .panels = &panel, .count = 1};

    draw_or_skip(&figure, scratch_path("<touch evil7; '.svg"));
    assert_true(exists(scratch_path("<touch evil7; '.svg")));
    for (int i = 1; i <= 7; i++) {
        char name[24];

        snprintf(name, sizeof name, "evil%d", i);
        assert_false(exists(scratch_path(name)));
    }
    assert_in_scratch("<touch evil7; '.svg", "`touch evil1`");
}

/* Signs that mean something to gnuplot or to SVG, where the quoting of either went wrong or could. */
static void titles_with_any_signs_are_drawn_as_they_are(void **state)
{
    static const char *const titles[] = {"'b",
                                         "b'",
                                         "a''b",
                                         "'",
                                         "''",
                                         "'{",
                                         "'`touch evil`\\'",
                                         "\\",
                                         "a\"b",
                                         "a\"b'\\",
                                         "#'",
                                         "'#",
                                         "@",
                                         "{'_@a^2}#;$1%s'",
                                         "{/Symbol a}_1^2 {/*2 x}",
                                         "&{x}~a{.8-}"};
    static const struct yk_plot_series series = {.name = "u", .style = YK_PLOT_LINE, .n = 4, .x = t, .y = v};
    static const struct yk_plot_panel panel = {.x.label = "t", .y.label = "u", .series = &series, .count = 1};

    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        const struct yk_figure figure = {.title = titles[i], .panels = &panel, .count = 1};
        char drawn[64];

        snprintf(drawn, sizeof drawn, "<text>%s%s</text>", *titles[i] == '&' ? "&amp;" : "",
                 titles[i] + (*titles[i] == '&'));
        draw_or_skip(&figure, scratch_path("signs.svg"));
        assert_in_scratch("signs.svg", drawn);
    }
    assert_false(exists(scratch_path("evil")));
}

/* Titles, names, labels: markup of gnuplot or of SVG is drawn letter by letter. */
static void markup_stays_text_in_every_place(void **state)
{
    static const char hostile[] = "<script>x</script>{/Symbol a}_1^2`",
                      drawn[] = "<text>&lt;script>x&lt;/script>{/Symbol a}_1^2`</text>";
    static const double z[] = {0, 1, 2, 3};
    const struct yk_plot_heat heat = {
        .label = hostile, .rows = 2, .columns = 2, .x_max = 1, .y_max = 1, .z = z, .level_name = hostile, .level = 1.5};
    const struct yk_plot_series series[] = {{.name = hostile, .n = 4, .x = t, .y = v},
                                            {.name = "b", .n = 4, .x = t, .y = v}};
    const struct yk_plot_panel panels[] = {
        {.title = hostile, .x.label = hostile, .y.label = hostile, .series = series, .count = 2},
        {.x.label = hostile, .y.label = "y", .heat = &heat}};
    const struct yk_figure figure = {.title = hostile, .panels = panels, .count = 2};

    draw_or_skip(&figure, scratch_path("markup.svg"));
    assert_int_equal(scratch_count("markup.svg", "script"), 2 * scratch_count("markup.svg", drawn));
    assert_int_equal(scratch_count("markup.svg", drawn), 7); /* both panels have the x label once */
    assert_int_equal(scratch_count("markup.svg", "<script"), 0);
}

/* ---- gnuplot ---- */

static void every_format_is_drawn(void **state)
{
    static const struct {
        const char *name, *start;
    } formats[] = {{"drawn.svg", "<?xml"}, {"drawn.png", "\x89PNG"}, {"drawn.pdf", "%PDF"}};
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};

    for (size_t i = 0; i < 3; i++) {
        const char *text;

        draw_or_skip(&figure, scratch_path(formats[i].name));
        text = scratch_text(formats[i].name);
        assert_memory_equal(text, formats[i].start, strlen(formats[i].start));
    }
}

static void without_gnuplot_data_and_script_are_kept(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};

    use_path("/nonexistent");
    assert_refused(yk_figure_write(&figure, scratch_path("alone.svg"), &err), YK_E_IO, "apt install gnuplot-nox");
    assert_true(exists(scratch_path("alone.csv")));
    assert_true(exists(scratch_path("alone.gp")));
    assert_false(exists(scratch_path("alone.svg")));
}

static void gnuplot_s_own_words_are_passed_on(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};

    pretend_gnuplot("echo half > broken.svg; echo 'plot x y' >&2; echo 'line 3: unexpected token' >&2; exit 1");
    assert_refused(yk_figure_write(&figure, scratch_path("broken.svg"), &err), YK_E_IO, "line 3: unexpected token");
    assert_false(exists(scratch_path("broken.svg")));
    assert_true(exists(scratch_path("broken.csv")));
}

static void a_stuck_gnuplot_is_stopped(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1, .timeout_s = 0.3};
    const int64_t begin = yk_clock_now_ns();

    pretend_gnuplot("exec /bin/sleep 60");
    assert_refused(yk_figure_write(&figure, scratch_path("stuck.svg"), &err), YK_E_IO, "did not finish within 0.3 s");
    assert_true(yk_clock_now_ns() - begin < 20000000000);
}

/* ---- what is refused ---- */

static void pictures_of_unknown_kind_are_refused(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};

    assert_refused(yk_figure_write(&figure, scratch_path("x.jpg"), &err), YK_E_INPUT, ".svg, .png or .pdf");
    assert_refused(yk_figure_check_path(".svg", &err), YK_E_INPUT, ".svg, .png or .pdf");
    assert_refused(yk_figure_check_path("a\nb.svg", &err), YK_E_INPUT, "control character");
    assert_refused(yk_figure_write(&figure, scratch_path("none/x.svg"), &err), YK_E_IO, "No such file");
}

static void files_of_others_are_not_replaced(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};
    FILE *file = fopen(scratch_path("mine.csv"), "w");

    assert_non_null(file);
    fputs("measured\n", file);
    fclose(file);
    assert_refused(yk_figure_write(&figure, scratch_path("mine.svg"), &err), YK_E_INPUT, "is not part of a figure");
    assert_in_scratch("mine.csv", "measured\n");
    assert_false(exists(scratch_path("mine.gp")));
    write_without_drawing(&figure, scratch_path("again.svg"));
    write_without_drawing(&figure, scratch_path("again.svg"));
}

static void panels_without_anything_to_draw_are_refused(void **state)
{
    const double nothing[] = {NAN, INFINITY}, negative[] = {-1, -2};
    const struct yk_plot_series series[] = {{.name = "a", .style = YK_PLOT_LINE, .n = 2, .x = t, .y = nothing},
                                            {.name = "b", .style = YK_PLOT_LINE, .n = 2, .x = t, .y = negative}};
    struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .series = series, .count = 1};
    const struct yk_figure figure = {.title = "T", .panels = &panel, .count = 1}, empty = {.title = "T"};

    assert_refused(yk_figure_write(&figure, scratch_path("x.svg"), &err), YK_E_INPUT, "panel 1 has no finite value");
    panel = (struct yk_plot_panel){.x.label = "x", .y = {.label = "y", .log = true}, .series = series + 1, .count = 1};
    assert_refused(yk_figure_write(&figure, scratch_path("x.svg"), &err), YK_E_INPUT, "finite, positive value");
    assert_refused(yk_figure_write(&empty, scratch_path("x.svg"), &err), YK_E_RANGE, "panels");
}

/* ---- thinning ---- */

static void few_samples_are_all_kept(void **state)
{
    size_t index[8];

    assert_int_equal(yk_plot_thin(t, v, 4, 8, index), 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(index[i], i);
}

/* One spike up and one down in a long record must be seen, and the ends of the record too. */
static void thinning_keeps_peaks_and_ends(void **state)
{
    enum { N = 100003, MOST = 400, UP = 54321, DOWN = 77777 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    size_t index[MOST], count;
    bool up = false, down = false;

    for (int i = 0; i < N; i++) {
        x[i] = 0.001 * i;
        y[i] = i == UP ? 9 : i == DOWN ? -9 : i == 5 ? NAN : sin(0.01 * i);
    }
    count = yk_plot_thin(x, y, N, MOST, index);
    assert_in_range(count, MOST / 2, MOST);
    assert_int_equal(index[0], 0);
    assert_int_equal(index[count - 1], N - 1);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || index[i] > index[i - 1]);
        up |= index[i] == UP;
        down |= index[i] == DOWN;
    }
    assert_true(up && down);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(data_share_the_x_column_and_keep_gaps, restore_path),
        cmocka_unit_test_teardown(series_of_different_lengths_leave_cells_empty, restore_path),
        cmocka_unit_test_teardown(script_names_its_files_without_a_folder, restore_path),
        cmocka_unit_test_teardown(the_ending_chooses_the_terminal, restore_path),
        cmocka_unit_test_teardown(panels_are_stacked_and_share_the_lowest_label, restore_path),
        cmocka_unit_test_teardown(panels_side_by_side_share_a_legend, restore_path),
        cmocka_unit_test_teardown(one_name_side_by_side_needs_no_legend, restore_path),
        cmocka_unit_test_teardown(logarithmic_axes_have_readable_numbers, restore_path),
        cmocka_unit_test_teardown(heat_map_lists_its_grid, restore_path),
        cmocka_unit_test_teardown(a_map_has_plain_numbers_on_a_logarithmic_axis, restore_path),
        cmocka_unit_test_teardown(the_contour_of_a_paraboloid_is_a_circle, restore_path),
        cmocka_unit_test(a_saddle_has_two_lines),
        cmocka_unit_test(the_spectrum_of_a_sine_has_its_peak_where_it_belongs),
        cmocka_unit_test_teardown(curves_that_coincide_are_all_seen, restore_path),
        cmocka_unit_test_teardown(a_large_oscillation_does_not_hide_a_small_one, restore_path),
        cmocka_unit_test_teardown(panels_with_the_same_label_have_the_same_scale, restore_path),
        cmocka_unit_test_teardown(a_close_up_has_its_own_scale, restore_path),
        cmocka_unit_test_teardown(equal_aspect_draws_a_square_as_a_square, restore_path),
        cmocka_unit_test_teardown(an_inset_enlarges_a_part, restore_path),
        cmocka_unit_test_teardown(markup_stays_text_in_every_place, restore_path),
        cmocka_unit_test_teardown(texts_cannot_leave_their_quotes, restore_path),
        cmocka_unit_test_teardown(gnuplot_runs_no_command_from_a_text_or_a_name, restore_path),
        cmocka_unit_test_teardown(titles_with_any_signs_are_drawn_as_they_are, restore_path),
        cmocka_unit_test_teardown(every_format_is_drawn, restore_path),
        cmocka_unit_test_teardown(without_gnuplot_data_and_script_are_kept, restore_path),
        cmocka_unit_test_teardown(gnuplot_s_own_words_are_passed_on, restore_path),
        cmocka_unit_test_teardown(a_stuck_gnuplot_is_stopped, restore_path),
        cmocka_unit_test(pictures_of_unknown_kind_are_refused),
        cmocka_unit_test_teardown(files_of_others_are_not_replaced, restore_path),
        cmocka_unit_test(panels_without_anything_to_draw_are_refused),
        cmocka_unit_test(few_samples_are_all_kept),
        cmocka_unit_test(thinning_keeps_peaks_and_ends),
    };

    return cmocka_run_group_tests(tests, remember_path, forget_path);
}
