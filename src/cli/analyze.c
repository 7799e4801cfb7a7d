/* yoke analyze: spectrum, order and energy of the method of an experiment, by its own steps. */
#include "cli/cli.h"

#include <yoke/analyze.h>
#include <yoke/figure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 10000, CURVE_POINTS = 121, ENERGY_POINTS = 1001 };

struct request {
    const struct yk_experiment *e;
    const char *steps, *halvings, *samples, *plot;
    bool json;
};

/* Draws the figure and says where it is. */
static int draw(const struct request *q, const struct yk_figure *figure)
{
    struct yk_err err = {0};

    if (yk_figure_write(figure, q->plot, &err))
        return report_failure(&err);
    if (!q->json)
        printf("picture: %s\n", q->plot);
    return 0;
}

/* "Energy of lsrt2: title of the experiment"; malloc'd */
static char *figure_title(const struct request *q, const char *what)
{
    char *title = NULL;

    return asprintf(&title, "%s of %s: %s", what, yk_experiment_method(q->e), q->e->title) < 0 ? NULL : title;
}

/* ---- spectrum ---- */

struct roots {
    size_t n;
    double *re, *im;
};

static enum yk_status find_roots(const struct yk_experiment *e, double dt, struct roots *roots, struct yk_err *err)
{
    struct yk_cycle cycle;
    enum yk_status st = yk_experiment_cycle(e, dt, &cycle, err);

    if (st)
        return st;
    roots->n = cycle.n;
    roots->re = malloc(2 * roots->n * sizeof *roots->re);
    roots->im = roots->re ? roots->re + roots->n : NULL;
    st = roots->re ? yk_eigen_general(cycle.n, cycle.A, roots->re, roots->im, err)
                   : yk_fail(err, YK_E_MEMORY, "out of memory");
    free(cycle.A);
    return st;
}

static json_t *roots_json(double dt, const struct roots *r)
{
    json_t *values = json_array();

    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(values, json_pack("[f, f]", r->re[i], r->im[i]));
    return json_pack("{s:f, s:f, s:o}", "step", dt, "radius", hypot(r->re[0], r->im[0]), "eigenvalues", values);
}

static void roots_print(double dt, const struct roots *r)
{
    printf("%12.6g %14.10f ", dt, hypot(r->re[0], r->im[0]));
    for (size_t i = 0; i < r->n && i < 8; i++)
        printf(" %.5f", hypot(r->re[i], r->im[i]));
    puts(r->n > 8 ? " ..." : "");
}

/* The curve to draw: the steps that were asked for, or a hundredth to a hundred times the experiment's. */
static size_t curve_steps(const struct request *q, const double *asked, size_t count, double *steps)
{
    if (q->steps) {
        memcpy(steps, asked, count * sizeof *steps);
        return count;
    }
    for (int i = 0; i < CURVE_POINTS; i++)
        steps[i] = q->e->time.step * pow(10, 4.0 * i / (CURVE_POINTS - 1) - 2);
    return CURVE_POINTS;
}

static int draw_radius(const struct request *q, size_t count, const double *steps, const double *radius, double here)
{
    const double ends[] = {steps[0], steps[count - 1]}, one[] = {1, 1};
    const struct yk_plot_series series[] = {
        {"spectral radius", count > 50 ? YK_PLOT_LINE : YK_PLOT_LINE_POINTS, count, steps, radius},
        {"step of the file", YK_PLOT_POINTS, 1, &q->e->time.step, &here},
        {"limit of stability", YK_PLOT_GUIDE, 2, ends, one}};
    double top = 1.1;
    char *title = figure_title(q, "Spectral radius");
    int code = 1;

    for (size_t i = 0; i < count; i++)
        top = fmin(fmax(top, 1.05 * radius[i]), 2); /* beyond 2 the shape no longer matters */
    if (title) {
        const struct yk_plot_panel panel = {.x = {"step [s]", ends[1] > 20 * ends[0] && ends[0] > 0, false, 0, 0},
                                            .y = {"spectral radius [-]", false, true, 0, top},
                                            .series = series,
                                            .count = 3};

        code = draw(q, &(struct yk_figure){.title = title, .panels = &panel, .count = 1});
    }
    free(title);
    return code;
}

static int plot_spectrum(const struct request *q, const double *asked, size_t asked_count)
{
    double *steps = malloc(2 * (MOST_STEPS + 1) * sizeof *steps), *radius = steps ? steps + MOST_STEPS + 1 : NULL;
    size_t count = steps ? curve_steps(q, asked, asked_count, steps) : 0;
    struct yk_err err = {0};
    int code = steps ? 0 : 1;

    for (size_t i = 0; i <= count && !code; i++) {
        struct roots r = {0};

        if (find_roots(q->e, i < count ? steps[i] : q->e->time.step, &r, &err))
            code = report_failure(&err);
        else
            radius[i] = hypot(r.re[0], r.im[0]);
        free(r.re);
    }
    if (!code)
        code = draw_radius(q, count, steps, radius, radius[count]);
    free(steps);
    return code;
}

static int spectrum(const struct request *q)
{
    double *steps = malloc(MOST_STEPS * sizeof *steps);
    size_t count = 1;
    json_t *points = json_array();
    struct yk_err err = {0};
    int code = 0;

    steps[0] = q->e->time.step;
    if (q->steps && !(count = parse_numbers(q->steps, steps, MOST_STEPS)))
        code = usage_error(&command_analyze, "--steps '%s' is not a list of numbers such as 0.1,0.5,1", q->steps);
    for (size_t i = 0; i < count && !code; i++)
        if (!(steps[i] > 0))
            code = usage_error(&command_analyze, "--steps: %g s is not a positive step", steps[i]);
    if (!code && !q->json)
        printf("%12s %14s  %s\n", "step [s]", "radius", "moduli of the eigenvalues");
    for (size_t i = 0; i < count && !code; i++) {
        struct roots r = {0};

        if (find_roots(q->e, steps[i], &r, &err))
            code = report_failure(&err);
        else if (q->json)
            json_array_append_new(points, roots_json(steps[i], &r));
        else
            roots_print(steps[i], &r);
        free(r.re);
    }
    if (!code && q->plot)
        code = plot_spectrum(q, steps, count);
    free(steps);
    if (!code && q->json)
        return print_json(json_pack("{s:o}", "points", points));
    json_decref(points);
    return code;
}

/* ---- order ---- */

static json_t *numbers_json(int count, const double *x)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_number(x[i]));
    return list;
}

/* Errors over the step, with lines of whole slopes below the displacement error. */
static int plot_order(const struct request *q, const struct yk_order *o)
{
    enum { SLOPES = 2 };
    const double first = isfinite(o->order_u) ? fmax(1, floor(o->order_u - 0.5)) : 1;
    const int last = o->count - 1;
    double ends[2] = {o->step[last], o->step[0]}, guides[SLOPES][2];
    char names[SLOPES][24], *title = figure_title(q, "Global error"), *label = NULL;
    struct yk_plot_series series[2 + SLOPES] = {
        {"displacement u [m, rad]", YK_PLOT_LINE_POINTS, (size_t)o->count, o->step, o->error_u},
        {"velocity v [m/s, rad/s]", YK_PLOT_LINE_POINTS, (size_t)o->count, o->step, o->error_v}};
    int code = 1;

    for (int i = 0; i < SLOPES; i++) {
        snprintf(names[i], sizeof names[i], "slope %g", first + i);
        guides[i][0] = 0.5 * o->error_u[last]; /* beside the curve, not on it */
        guides[i][1] = guides[i][0] * pow(ends[1] / ends[0], first + i);
        series[2 + i] = (struct yk_plot_series){names[i], YK_PLOT_GUIDE, 2, ends, guides[i]};
    }
    if (title && asprintf(&label, "largest error at t = %g s", q->e->time.end) >= 0) {
        const struct yk_plot_panel panel = {.x = {"step [s]", true, false, 0, 0},
                                            .y = {label, true, false, 0, 0},
                                            .series = series,
                                            .count = 2 + SLOPES};

        code = draw(q, &(struct yk_figure){.title = title, .panels = &panel, .count = 1});
        free(label);
    }
    free(title);
    return code;
}

static void print_order(const struct request *q, const struct yk_order *o)
{
    printf("%12s %14s %14s %14s   (largest error at t = %g s, against the %s)\n", "step [s]", "u", "v",
           o->coupled ? "lambda" : "", q->e->time.end, o->reference);
    for (int i = 0; i < o->count; i++) {
        printf("%12.6g %14.6e %14.6e", o->step[i], o->error_u[i], o->error_v[i]);
        printf(o->coupled ? " %14.6e\n" : "\n", o->error_lambda[i]);
    }
    printf("%12s %14.3f %14.3f", "order", o->order_u, o->order_v);
    printf(o->coupled ? " %14.3f\n" : "\n", o->order_lambda);
}

static int order(const struct request *q)
{
    double halvings = 4;
    struct yk_order o;
    struct yk_err err = {0};
    int code = 0;

    if (q->halvings && (parse_numbers(q->halvings, &halvings, 1) != 1 || halvings != floor(halvings) || halvings < 1 ||
                        halvings > YK_HALVINGS_MAX))
        return usage_error(&command_analyze, "--halvings '%s' must be a whole number from 1 to %d", q->halvings,
                           YK_HALVINGS_MAX);
    if (yk_observed_order(q->e, (int)halvings, &o, &err))
        return report_failure(&err);
    if (q->plot && q->json && (code = plot_order(q, &o)))
        return code;
    if (q->json)
        return print_json(json_pack("{s:o, s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}, s:s}", "steps",
                                    numbers_json(o.count, o.step), "errors", "u", numbers_json(o.count, o.error_u), "v",
                                    numbers_json(o.count, o.error_v), "lambda",
                                    o.coupled ? numbers_json(o.count, o.error_lambda) : json_null(), "order", "u",
                                    json_number(o.order_u), "v", json_number(o.order_v), "lambda",
                                    o.coupled ? json_number(o.order_lambda) : json_null(), "reference", o.reference));
    print_order(q, &o);
    return q->plot ? plot_order(q, &o) : 0;
}

/* ---- energy ---- */

/* The account over time, its error below. */
static int draw_energy(const struct request *q, size_t count, const double *columns)
{
    static const char *const names[] = {"kinetic", "stored", "dissipated", "work of the loads", "error of the balance"};
    struct yk_plot_series series[5];
    char *title = figure_title(q, "Energy");
    int code = 1;

    for (size_t c = 0; c < 5; c++)
        series[c] = (struct yk_plot_series){names[c], YK_PLOT_LINE, count, columns, columns + (c + 1) * count};
    if (title) {
        const struct yk_plot_panel panels[] = {
            {.x.label = "time [s]", .y.label = "energy [J]", .series = series, .count = 4},
            {.x.label = "time [s]", .y.label = "error of the balance [J]", .series = series + 4, .count = 1}};

        code = draw(q, &(struct yk_figure){.title = title, .panels = panels, .count = 2});
    }
    free(title);
    return code;
}

static int plot_energy(const struct request *q)
{
    const size_t count = q->e->steps + 1 < ENERGY_POINTS ? (size_t)q->e->steps + 1 : ENERGY_POINTS;
    struct yk_energy_sample *s = malloc(count * sizeof *s);
    double *columns = malloc(6 * count * sizeof *columns);
    struct yk_err err = {0};
    int code = 1;

    if (s && columns && yk_energy_history(q->e, count, s, &err)) {
        code = report_failure(&err);
    } else if (s && columns) {
        for (size_t i = 0; i < count; i++) {
            const double row[] = {s[i].t, s[i].kinetic, s[i].stored, s[i].dissipated, s[i].work, s[i].error};

            for (size_t c = 0; c < 6; c++)
                columns[c * count + i] = row[c];
        }
        code = draw_energy(q, count, columns);
    }
    free(columns);
    free(s);
    return code;
}

static int energy(const struct request *q)
{
    double wanted = 21;
    struct yk_energy_sample *s;
    struct yk_err err = {0};
    double largest = 0, error = 0;
    int code = 0;

    if (q->samples &&
        (parse_numbers(q->samples, &wanted, 1) != 1 || wanted != floor(wanted) || wanted < 2 || wanted > 1e6))
        return usage_error(&command_analyze, "--samples '%s' must be a whole number from 2 to 1000000", q->samples);
    const size_t count = (size_t)wanted;
    if (!(s = malloc(count * sizeof *s))) {
        fputs("yoke: out of memory\n", stderr);
        return 1;
    }
    if (yk_energy_history(q->e, count, s, &err)) {
        free(s);
        return report_failure(&err);
    }
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fmax(s[i].kinetic + s[i].stored, fabs(s[i].work)));
        error = fmax(error, fabs(s[i].error));
    }
    if (q->json) {
        json_t *list = json_array();

        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "time", s[i].t, "kinetic",
                                                  s[i].kinetic, "stored", s[i].stored, "dissipated", s[i].dissipated,
                                                  "work", s[i].work, "error", s[i].error));
        code = print_json(json_pack(
            "{s:o, s:f, s:f, s:o}", "samples", list, "largest_J", largest, "error_max_J", error, "ratio_final",
            json_number((s[count - 1].kinetic + s[count - 1].stored) / (s[0].kinetic + s[0].stored))));
    } else {
        printf("%10s %13s %13s %13s %13s %13s   [s, J]\n", "time", "kinetic", "stored", "dissipated", "work", "error");
        for (size_t i = 0; i < count; i++)
            printf("%10.4g %13.6e %13.6e %13.6e %13.6e %13.3e\n", s[i].t, s[i].kinetic, s[i].stored, s[i].dissipated,
                   s[i].work, s[i].error);
        printf("largest error %.3e J, %.3g of the largest energy\n", error, largest > 0 ? error / largest : 0);
    }
    free(s);
    return code || !q->plot ? code : plot_energy(q);
}

static const struct {
    const char *name;
    int (*run)(const struct request *);
} analyses[] = {{"spectrum", spectrum}, {"order", order}, {"energy", energy}};

static int run(int argc, char **argv)
{
    struct text_list set = {0};
    struct request q = {0};
    const struct option_spec specs[] = {{"--steps", OPTION_TEXT, &q.steps},
                                        {"--halvings", OPTION_TEXT, &q.halvings},
                                        {"--samples", OPTION_TEXT, &q.samples},
                                        {"--set", OPTION_LIST, &set},
                                        {"--plot", OPTION_TEXT, &q.plot},
                                        {"--json", OPTION_FLAG, &q.json},
                                        {0}};
    struct yk_err err = {0};
    struct words words;
    int code;

    if (!take_options(&command_analyze, argc, argv, specs, &words))
        return 2;
    if (q.plot && yk_figure_check_path(q.plot, &err))
        return report_failure(&err);
    for (size_t i = 0; words.count > 0 && i < sizeof analyses / sizeof *analyses; i++) {
        if (strcmp(words.rest[0], analyses[i].name) != 0)
            continue;
        struct words file = {words.rest + 1, words.count - 1};
        struct yk_experiment *e = load_experiment(&command_analyze, &file, &set, &code);

        if (!e)
            return code;
        q.e = e;
        code = analyses[i].run(&q);
        yk_experiment_destroy(e);
        return code;
    }
    return usage_error(&command_analyze, words.count ? "there is no analysis '%s'" : "which analysis?%s",
                       words.count ? words.rest[0] : "");
}

const struct command command_analyze = {
    .name = "analyze",
    .summary = "spectrum, order or energy of an experiment's method",
    .options = "spectrum order energy --steps --halvings --samples --set --json --plot",
    .help =
        "usage: yoke analyze spectrum FILE [--steps 0.1,0.5,1] [--set KEY=VALUE]... [--json] [--plot OUT.svg]\n"
        "       yoke analyze order FILE    [--halvings 4]      [--set KEY=VALUE]... [--json] [--plot OUT.svg]\n"
        "       yoke analyze energy FILE   [--samples 21]      [--set KEY=VALUE]... [--json] [--plot OUT.svg]\n\n"
        "Every analysis drives the steps that a run would make; nonlinear models are linearised for the spectrum.\n"
        "  spectrum  eigenvalues of the amplification matrix at each step, largest modulus first\n"
        "  order     error at time.end for the step, its half, its quarter ...; order from the two finest\n"
        "  energy    kinetic, stored and dissipated energy and work of the loads along the run\n\n"
        "--plot draws it (needs gnuplot) to .svg, .png or .pdf; without --steps the radius is drawn from a hundredth "
        "to\n"
        "a hundred times the step.\n\n"
        "--json: {\"points\": [{\"step\", \"radius\", \"eigenvalues\": [[re, im], ...]}]},\n"
        "        {\"steps\", \"errors\": {\"u\", \"v\", \"lambda\"}, \"order\": {\"u\", \"v\", \"lambda\"}, "
        "\"reference\"},\n"
        "        {\"samples\": [{\"time\", \"kinetic\", ...}], \"largest_J\", \"error_max_J\", \"ratio_final\"}\n\n"
        "examples:\n"
        "  yoke analyze spectrum examples/oscillator/oscillator.yaml --steps 0.1,0.5,1\n"
        "  yoke analyze order examples/oscillator/oscillator.yaml --set method.integrator=lsrt3\n",
    .run = run,
};
