/* yoke analyze spectrum: eigenvalues of one cycle at several steps, and over a scan of a key of the file. */
#include "request.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000, CURVE_POINTS = 121 };

static void point_print(const struct request *q, const struct yk_spectrum_point *p)
{
    if (q->scan)
        printf("%12.6g ", p->value);
    printf("%12.6g %14.10f ", p->step, hypot(p->re[0], p->im[0]));
    if (isfinite(p->report.damping))
        printf("%10.6f %+10.6f ", p->report.damping, p->report.frequency_error);
    else
        printf("%10s %10s ", "-", "-");
    printf(" %9d %8d %4d %4d ", p->report.principal, p->report.spurious, p->report.unit, p->report.zero);
    for (size_t i = 0; i < p->n && i < 6; i++)
        printf(" %.5f", hypot(p->re[i], p->im[i]));
    puts(p->n > 6 ? " ..." : "");
}

/* ---- pictures ---- */

/* Radius over the step. */
static int draw_curve(const struct request *q, size_t count, const double *steps, const double *radius)
{
    const double ends[] = {steps[0], steps[count - 1]}, one[] = {1, 1};
    const struct yk_plot_series series[] = {
        {.name = "spectral radius",
         .style = count > 50 ? YK_PLOT_LINE : YK_PLOT_LINE_POINTS,
         .n = count,
         .x = steps,
         .y = radius},
        {.name = "limit of stability", .style = YK_PLOT_GUIDE, .n = 2, .x = ends, .y = one}};
    double top = 1.1;
    char *title = analyze_title(q, "Spectral radius");
    int code = 1;

    for (size_t i = 0; i < count; i++)
        top = fmin(fmax(top, 1.05 * radius[i]), 2); /* beyond 2 the shape no longer matters */
    if (title) {
        const struct yk_plot_panel panel = {.x = {"step [s]", ends[1] > 20 * ends[0] && ends[0] > 0, false, 0, 0},
                                            .y = {"spectral radius [-]", false, true, 0, top},
                                            .series = series,
                                            .count = 2};

        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = &panel, .count = 1});
    }
    free(title);
    return code;
}

/* Is the list evenly spaced in its logarithm? Then the map has a logarithmic axis. */
static bool is_log(size_t n, const double *x)
{
    return n > 2 && x[0] > 0 && fabs(x[1] / x[0] - x[n - 1] / x[n - 2]) < 1e-6 * x[1] / x[0] && x[n - 1] > 3 * x[0];
}

/* Radius over step and value, cut at 1.1 so that the limit shows. */
static int draw_map(const struct request *q, const char *key, size_t columns, const double *steps, size_t rows,
                    const double *values, double *radius)
{
    const struct yk_plot_heat heat = {.label = "spectral radius [-]",
                                      .rows = rows,
                                      .columns = columns,
                                      .x_min = steps[0],
                                      .x_max = steps[columns - 1],
                                      .y_min = values[0],
                                      .y_max = values[rows - 1],
                                      .z = radius,
                                      .z_min = 0.9,
                                      .z_max = 1.1,
                                      .level_name = "limit of stability, spectral radius 1",
                                      .level = 1};
    const struct yk_plot_panel panel = {.x = {"step [s]", is_log(columns, steps), false, 0, 0},
                                        .y = {key, is_log(rows, values), false, 0, 0},
                                        .heat = &heat};
    char *title = analyze_title(q, "Stability");
    int code = 1;

    for (size_t i = 0; i < rows * columns; i++)
        radius[i] = fmin(fmax(fabs(radius[i] - 1) < 1e-6 ? 1 : radius[i], 0.9), 1.1); /* rounding is not instability */
    if (title)
        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = &panel, .count = 1});
    free(title);
    return code;
}

/* ---- the scan ---- */

/* "key=LIST" */
struct scan {
    char key[256];
    size_t count;
    double values[MOST];
};

static bool parse_scan(const char *text, struct scan *scan)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text || (size_t)(equals - text) >= sizeof scan->key)
        return false;
    memcpy(scan->key, text, (size_t)(equals - text));
    scan->key[equals - text] = 0;
    return (scan->count = yk_number_range(equals + 1, scan->values, MOST)) > 0;
}

/* The experiment with the key set to the value; NULL after a message. */
static struct yk_parts *load_with(const struct request *q, const char *key, double value, int *code)
{
    struct yk_text_list set = *q->set;
    struct yk_parts *parts = NULL;
    struct yk_err err = {0};
    char word[320];

    snprintf(word, sizeof word, "%s=%.17g", key, value);
    if (set.count == sizeof set.text / sizeof *set.text)
        *code = yk_misuse(&command_analyze, "--set was given too often");
    else {
        set.text[set.count++] = word;
        if (yk_parts_open(&parts,
                          &(struct yk_model_source){
                              .path = q->file, .overrides = set.text, .override_count = set.count, .rehearse = true},
                          &err))
            *code = yk_command_fail(&err);
    }
    return parts;
}

/* All steps for one experiment; radii go to `radius`, points to `list` or the terminal. */
static int sweep(const struct request *q, const struct yk_parts *parts, double value, size_t count, const double *steps,
                 json_t *list, double *radius)
{
    struct yk_first_mode mode = {0};
    struct yk_err err = {0};

    for (size_t i = 0; i < count; i++) {
        struct yk_spectrum_point p = {.value = value};

        if (yk_parts_spectrum(parts, steps[i], &mode, &p, &err)) {
            free(p.re);
            return yk_command_fail(&err);
        }
        radius[i] = hypot(p.re[0], p.im[0]);
        if (list)
            json_array_append_new(list, yk_spectrum_json(&p, q->scan != NULL));
        else if (!q->json)
            point_print(q, &p);
        free(p.re);
    }
    return 0;
}

static int run_scan(const struct request *q, size_t count, const double *steps, json_t *list)
{
    struct scan *scan = malloc(sizeof *scan);
    double *radius = NULL;
    int code = 0;

    if (!scan || !parse_scan(q->scan, scan)) {
        free(scan);
        return yk_misuse(&command_analyze,
                         "--scan '%s' is not KEY=LIST, such as time.substeps=1,2,10 or "
                         "substructures.A.mass=0.1:10:50log",
                         q->scan);
    }
    if (!(radius = calloc(scan->count * count, sizeof *radius)))
        code = 1;
    for (size_t i = 0; i < scan->count && !code; i++) {
        struct yk_parts *parts = load_with(q, scan->key, scan->values[i], &code);

        if (parts && !code)
            code = sweep(q, parts, scan->values[i], count, steps, q->json ? list : NULL, radius + i * count);
        yk_parts_close(parts);
    }
    if (!code && q->plot)
        code = count > 1 ? draw_map(q, scan->key, count, steps, scan->count, scan->values, radius)
                         : draw_curve(q, scan->count, scan->values, radius);
    if (!code && q->json)
        code = yk_print_json(json_pack("{s:{s:s, s:o}, s:O}", "scan", "key", scan->key, "values",
                                       yk_json_numbers((int)scan->count, scan->values), "points", list));
    free(radius);
    free(scan);
    return code;
}

/* The curve to draw where no steps were asked for: a hundredth to a hundred times the experiment's. */
static int plot_wide(const struct request *q)
{
    double steps[CURVE_POINTS], radius[CURVE_POINTS];
    const struct request silent = {.parts = q->parts, .json = true};
    int code;

    for (int i = 0; i < CURVE_POINTS; i++)
        steps[i] = yk_parts_step(q->parts) * pow(10, 4.0 * i / (CURVE_POINTS - 1) - 2);
    code = sweep(&silent, q->parts, 0, CURVE_POINTS, steps, NULL, radius);
    return code ? code : draw_curve(q, CURVE_POINTS, steps, radius);
}

int analyze_spectrum(struct request *q)
{
    if (q->methods)
        return analyze_spectra(q);
    double *steps = malloc(2 * MOST * sizeof *steps), *radius = steps ? steps + MOST : NULL;
    size_t count = 1;
    json_t *list = json_array();
    int code = steps && list ? 0 : 1;

    if (!code) {
        steps[0] = yk_parts_step(q->parts);
        if (q->steps && !(count = yk_number_range(q->steps, steps, MOST)))
            code = yk_misuse(&command_analyze,
                             "--steps '%s' is not a list of numbers such as 0.1,0.5,1 or 0.01:2:50log", q->steps);
    }
    for (size_t i = 0; i < count && !code; i++)
        if (!(steps[i] > 0))
            code = yk_misuse(&command_analyze, "--steps: %g s is not a positive step", steps[i]);
    if (!code && !q->json) {
        if (q->scan)
            printf("%12s ", "value");
        printf("%12s %14s %10s %10s  %s\n", "step [s]", "radius", "damping", "freq.err.",
               "principal spurious unit zero  moduli");
    }
    if (!code && q->scan) {
        code = run_scan(q, count, steps, list);
    } else if (!code) {
        code = sweep(q, q->parts, 0, count, steps, q->json ? list : NULL, radius);
        if (!code && q->plot)
            code = q->steps ? draw_curve(q, count, steps, radius) : plot_wide(q);
        if (!code && q->json)
            code = yk_print_json(json_pack("{s:O}", "points", list));
    }
    json_decref(list);
    free(steps);
    return code;
}
