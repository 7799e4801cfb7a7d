/* yoke analyze order: the observed order of a method. */
#include "cli/analyze.h"

#include <math.h>
#include <stdlib.h>

/* Errors over the step, with lines of whole slopes below the displacement error. */
static int plot_order(const struct request *q, const struct yk_order *o)
{
    enum { SLOPES = 2 };
    const double first = isfinite(o->order_u) ? fmax(1, floor(o->order_u - 0.5)) : 1;
    const int last = o->count - 1;
    double ends[2] = {o->step[last], o->step[0]}, guides[SLOPES][2];
    char names[SLOPES][24], *title = analyze_title(q, "Global error"), *label = NULL;
    struct yk_plot_series series[2 + SLOPES] = {{.name = "displacement u [m, rad]",
                                                 .style = YK_PLOT_LINE_POINTS,
                                                 .n = (size_t)o->count,
                                                 .x = o->step,
                                                 .y = o->error_u},
                                                {.name = "velocity v [m/s, rad/s]",
                                                 .style = YK_PLOT_LINE_POINTS,
                                                 .n = (size_t)o->count,
                                                 .x = o->step,
                                                 .y = o->error_v}};
    int code = 1;

    for (int i = 0; i < SLOPES; i++) {
        snprintf(names[i], sizeof names[i], "slope %g", first + i);
        guides[i][0] = 0.5 * o->error_u[last]; /* beside the curve, not on it */
        guides[i][1] = guides[i][0] * pow(ends[1] / ends[0], first + i);
        series[2 + i] =
            (struct yk_plot_series){.name = names[i], .style = YK_PLOT_GUIDE, .n = 2, .x = ends, .y = guides[i]};
    }
    if (title && asprintf(&label, "largest error at t = %g s", q->e->time.end) >= 0) {
        const struct yk_plot_panel panel = {.x = {"step [s]", true, false, 0, 0},
                                            .y = {label, true, false, 0, 0},
                                            .series = series,
                                            .count = 2 + SLOPES};

        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = &panel, .count = 1});
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

static int run(struct request *q)
{
    long halvings = 4;
    struct yk_order o;
    struct yk_err err = {0};
    int code = 0;

    if (!parse_count(&command_analyze, "--halvings", q->halvings, 1, YK_HALVINGS_MAX, &halvings))
        return 2;
    if (yk_observed_order(q->e, (int)halvings, &o, &err))
        return report_failure(&err);
    if (q->plot && q->json && (code = plot_order(q, &o)))
        return code;
    if (q->json)
        return print_json(json_pack("{s:o, s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}, s:s}", "steps",
                                    analyze_numbers(o.count, o.step), "errors", "u",
                                    analyze_numbers(o.count, o.error_u), "v", analyze_numbers(o.count, o.error_v),
                                    "lambda", o.coupled ? analyze_numbers(o.count, o.error_lambda) : json_null(),
                                    "order", "u", json_number(o.order_u), "v", json_number(o.order_v), "lambda",
                                    o.coupled ? json_number(o.order_lambda) : json_null(), "reference", o.reference));
    print_order(q, &o);
    return q->plot ? plot_order(q, &o) : 0;
}

const struct analysis analysis_order = {
    .name = "order",
    .usage = "order FILE    [--halvings 4]    [--set KEY=VALUE]... [--plot FIG] [--json]",
    .help = "error at time.end for the step, half of it, a quarter ...; order from the two finest",
    .json = "order {steps, errors: {u, v, lambda}, order: {u, v, lambda}, reference}",
    .run = run,
};
