/* Figures: the script and the data to the letter, names that try to be commands, and gnuplot absent, failing or stuck.
 * A shell script on the PATH plays the faulty gnuplots. */
#include "support/check.h"
#include "support/scratch.h"

#include "base/clock.h"
#include "report/figure.h"
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const double t[] = {0, 1, 2, 3}, u[] = {0, 0.5, NAN, -0.25}, v[] = {1, 10, 100, 1000};
static const struct yk_plot_series two[] = {{"A.x.u", YK_PLOT_LINE, 4, t, u}, {"B.x.u", YK_PLOT_POINTS, 4, t, v}};
static const struct yk_plot_panel plain = {
    .x.label = "time [s]", .y.label = "displacement [m]", .series = two, .count = 2};

static char *content(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);

    if (!file)
        print_error("no file %s\n", path);
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void assert_has(const char *path, const char *words)
{
    char *text = content(path);

    if (!strstr(text, words)) {
        print_error("'%s' is not in\n%s\n", words, text);
        fail();
    }
    free(text);
}

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
    char *text;

    write_without_drawing(&figure, scratch_path("plain.svg"));
    text = content(scratch_path("plain.csv"));
    assert_string_equal(text, "\"time [s]\",\"A.x.u\",\"B.x.u\"\n0,0,1\n1,0.5,10\n2,nan,100\n3,-0.25,1000\n");
    free(text);
}

static void series_of_different_lengths_leave_cells_empty(void **state)
{
    const struct yk_plot_series series[] = {{"long", YK_PLOT_LINE, 4, t, v}, {"short", YK_PLOT_GUIDE, 2, v, t}};
    const struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .series = series, .count = 2};
    const struct yk_figure figure = {.title = "T", .panels = &panel, .count = 1};
    char *text;

    write_without_drawing(&figure, scratch_path("ragged.svg"));
    text = content(scratch_path("ragged.csv"));
    assert_string_equal(text, "\"x\",\"long\",\"x\",\"short\"\n0,1,1,0\n1,10,10,1\n2,100,,\n3,1000,,\n");
    free(text);
}

static void script_names_its_files_without_a_folder(void **state)
{
    const struct yk_figure figure = {.title = "Two masses", .panels = &plain, .count = 1};
    const char *script = scratch_path("named.gp");

    write_without_drawing(&figure, scratch_path("named.svg"));
    assert_has(script, "data = './named.csv'\nset output './named.svg'\n");
    assert_has(script, "set terminal svg size 900,");
    assert_has(script, "title 'Two masses'");
    assert_has(script, "set xlabel 'time [s]' noenhanced\n");
    assert_has(script, "plot data skip 1 using 1:2 with lines ls 1 title 'A.x.u'");
    assert_has(script, "data skip 1 using 1:3 with points ls 2 title 'B.x.u'");
}

static void the_ending_chooses_the_terminal(void **state)
{
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};

    write_without_drawing(&figure, scratch_path("small.png"));
    assert_has(scratch_path("small.gp"), "set terminal pngcairo size 1800,");
    write_without_drawing(&figure, scratch_path("print.pdf"));
    assert_has(scratch_path("print.gp"), "set terminal pdfcairo size 9in,");
}

static void panels_are_stacked_and_share_the_lowest_label(void **state)
{
    const struct yk_plot_panel panels[] = {plain, plain};
    const struct yk_figure figure = {.title = "T", .panels = panels, .count = 2};
    const char *script = scratch_path("stacked.gp");
    char *text, *first;

    write_without_drawing(&figure, scratch_path("stacked.svg"));
    assert_has(script, "set multiplot layout 2,1 title 'T'");
    text = content(script);
    first = strstr(text, "set xlabel ''");
    assert_non_null(first);
    assert_non_null(strstr(first, "set xlabel 'time [s]'"));
    free(text);
}

/* Four panels in two rows: labels below the lower row, one legend, and a name looks the same wherever it comes. */
static void panels_side_by_side_share_a_legend(void **state)
{
    static const struct yk_plot_series other[] = {{"C.x.u", YK_PLOT_LINE, 4, t, v}, {"A.x.u", YK_PLOT_LINE, 4, t, u}};
    const struct yk_plot_panel turned = {
        .x.label = "time [s]", .y.label = "displacement [m]", .series = other, .count = 2};
    const struct yk_plot_panel panels[] = {plain, turned, plain, turned};
    const struct yk_figure figure = {.title = "T", .panels = panels, .count = 4, .columns = 2};
    const char *script = scratch_path("grid.gp");
    char *text;
    int labels = 0;

    write_without_drawing(&figure, scratch_path("grid.svg"));
    assert_has(script, "set multiplot layout 2,2 margins screen ");
    assert_has(script, "with lines ls 3 title 'C.x.u', \\\n     data skip 1 using 1:2 with lines ls 1 title 'A.x.u'");
    assert_has(script, "plot -1 notitle, keyentry with lines ls 1 title 'A.x.u', \\\n"
                       "     keyentry with points ls 2 title 'B.x.u', \\\n"
                       "     keyentry with lines ls 3 title 'C.x.u'\n");
    text = content(script);
    for (const char *at = text; (at = strstr(at, "set xlabel 'time [s]'")); at++)
        labels++;
    assert_int_equal(labels, 2);
    free(text);
    use_path(usual_path);
    draw_or_skip(&figure, scratch_path("grid.svg"));
}

static void one_name_side_by_side_needs_no_legend(void **state)
{
    const struct yk_plot_panel one = {.x.label = "x", .y.label = "y", .series = two, .count = 1};
    const struct yk_plot_panel panels[] = {one, one};
    const struct yk_figure figure = {.title = "T", .panels = panels, .count = 2, .columns = 2};
    char *text;

    write_without_drawing(&figure, scratch_path("pair.svg"));
    text = content(scratch_path("pair.gp"));
    assert_null(strstr(text, "keyentry"));
    free(text);
}

static void logarithmic_axes_have_readable_numbers(void **state)
{
    const double few[] = {0.003, 0.01, 0.02, 0.05}, wide[] = {1e-9, 1e-6, 1e-3, 1};
    const struct yk_plot_series series = {"e", YK_PLOT_LINE_POINTS, 4, few, wide};
    const struct yk_plot_panel panel = {.x = {.label = "step [s]", .log = true},
                                        .y = {.label = "error [m]", .log = true},
                                        .series = &series,
                                        .count = 1};
    const struct yk_figure figure = {.title = "T", .panels = &panel, .count = 1};
    const char *script = scratch_path("log.gp");

    write_without_drawing(&figure, scratch_path("log.svg"));
    assert_has(script, "set logscale x\nset mxtics 10\nset xtics ('0.001' 0.001, '0.002' 0.002, '0.005' 0.005, '0.01'");
    assert_has(script, "set logscale y\nset mytics 10\nset format y '10^{%T}'\n");
}

static void heat_map_lists_its_grid(void **state)
{
    const double z[] = {1, 2, 3, 4, 5, 6};
    const struct yk_plot_heat heat = {"radius", 2, 3, 0, 2, 10, 20, z, 0, 0};
    struct yk_plot_panel panel = {.x.label = "x", .y.label = "y", .heat = &heat};
    const struct yk_figure figure = {.title = "T", .panels = &panel, .count = 1};
    char *text;

    write_without_drawing(&figure, scratch_path("heat.svg"));
    assert_has(scratch_path("heat.gp"), "plot data skip 1 using 1:2:3 with image");
    text = content(scratch_path("heat.csv"));
    assert_string_equal(text, "\"x\",\"y\",\"radius\"\n0,10,1\n1,10,2\n2,10,3\n0,20,4\n1,20,5\n2,20,6\n");
    free(text);
    panel.x.log = true;
    assert_refused(yk_figure_write(&figure, scratch_path("heat.svg"), &err), YK_E_UNSUPPORTED, "heat map");
}

/* ---- texts that are not only texts ---- */

static void texts_cannot_leave_their_quotes(void **state)
{
    static const struct yk_plot_series series = {"it's", YK_PLOT_LINE, 4, t, v};
    static const struct yk_plot_panel panel = {.title = "a\nset output 'x'",
                                               .x.label = "'; system('false') #",
                                               .y.label = "say \"y\", \xff\xc3\xbc",
                                               .series = &series,
                                               .count = 1};
    const struct yk_figure figure = {.title = "`touch evil`", .panels = &panel, .count = 1};
    const char *script = scratch_path("quoted.gp");

    write_without_drawing(&figure, scratch_path("quoted.svg"));
    assert_has(script, "title '`touch evil`'");
    assert_has(script, "set title \"a set output 'x'\" noenhanced\n");
    assert_has(script, "set xlabel \"'; system('false') #\" noenhanced\n");
    assert_has(script, "set ylabel 'say \"y\", ?\xc3\xbc' noenhanced\n");
    assert_has(scratch_path("quoted.csv"), "\"it's\"\n");
}

static void gnuplot_runs_no_command_from_a_text_or_a_name(void **state)
{
    static const struct yk_plot_series series[] = {{"`touch evil1`", YK_PLOT_LINE, 4, t, v},
                                                   {"@evil2 '.system('touch evil3').'", YK_PLOT_LINE, 4, t, v}};
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
    assert_has(scratch_path("<touch evil7; '.svg"), "`touch evil1`");
}

/* Signs that mean something to gnuplot or to SVG, where the quoting of either went wrong or could. */
static void titles_with_any_signs_are_drawn_as_they_are(void **state)
{
    static const char *const titles[] = {"'b", "b'",   "a''b",    "'",  "''", "'{", "'`touch evil`\\'",
                                         "\\", "a\"b", "a\"b'\\", "#'", "'#", "@",  "{'_@a^2}#;$1%s'"};
    static const struct yk_plot_series series = {"u", YK_PLOT_LINE, 4, t, v};
    static const struct yk_plot_panel panel = {.x.label = "t", .y.label = "u", .series = &series, .count = 1};

    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        const struct yk_figure figure = {.title = titles[i], .panels = &panel, .count = 1};
        char drawn[64];

        snprintf(drawn, sizeof drawn, "<text>%s</text>", titles[i]);
        draw_or_skip(&figure, scratch_path("signs.svg"));
        assert_has(scratch_path("signs.svg"), drawn);
    }
    assert_false(exists(scratch_path("evil")));
}

/* ---- gnuplot ---- */

static void every_format_is_drawn(void **state)
{
    static const struct {
        const char *name, *start;
    } formats[] = {{"drawn.svg", "<?xml"}, {"drawn.png", "\x89PNG"}, {"drawn.pdf", "%PDF"}};
    const struct yk_figure figure = {.title = "T", .panels = &plain, .count = 1};

    for (size_t i = 0; i < 3; i++) {
        char *text;

        draw_or_skip(&figure, scratch_path(formats[i].name));
        text = content(scratch_path(formats[i].name));
        assert_memory_equal(text, formats[i].start, strlen(formats[i].start));
        free(text);
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
    assert_refused(yk_figure_write(&figure, scratch_path("stuck.svg"), &err), YK_E_IO, "not done after 0.3 s");
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
    assert_refused(yk_figure_write(&figure, scratch_path("mine.svg"), &err), YK_E_INPUT, "does not belong to a figure");
    assert_has(scratch_path("mine.csv"), "measured\n");
    assert_false(exists(scratch_path("mine.gp")));
    write_without_drawing(&figure, scratch_path("again.svg"));
    write_without_drawing(&figure, scratch_path("again.svg"));
}

static void panels_without_anything_to_draw_are_refused(void **state)
{
    const double nothing[] = {NAN, INFINITY}, negative[] = {-1, -2};
    const struct yk_plot_series series[] = {{"a", YK_PLOT_LINE, 2, t, nothing}, {"b", YK_PLOT_LINE, 2, t, negative}};
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
