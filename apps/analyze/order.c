/* yoke analyze order: the observed order of a method. */
#include "request.h"

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
    if (title && asprintf(&label, "largest error at t = %g s", yk_parts_end(q->parts)) >= 0) {
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
           o->coupled ? "lambda" : "", yk_parts_end(q->parts), o->reference);
    for (int i = 0; i < o->count; i++) {
        printf("%12.6g %14.6e %14.6e", o->step[i], o->error_u[i], o->error_v[i]);
        printf(o->coupled ? " %14.6e\n" : "\n", o->error_lambda[i]);
    }
    printf("%12s %14.3f %14.3f", "order", o->order_u, o->order_v);
    printf(o->coupled ? " %14.3f\n" : "\n", o->order_lambda);
}

/* ---- several methods ---- */

/* Errors of the displacement over the step, with slopes 1 to 3 below all of them. */
static int plot_orders(const struct request *q, const struct method_list *m, const struct yk_order *all)
{
    enum { SLOPES = 3 };
    static const char *const names[SLOPES] = {"slope 1", "slope 2", "slope 3"};
    struct yk_plot_series series[METHODS_MOST + SLOPES];
    const double ends[] = {all[0].step[all[0].count - 1], all[0].step[0]};
    double low = INFINITY, guides[SLOPES][2];
    char *title = NULL, *label = NULL;
    int code = 1;

    for (size_t i = 0; i < m->count; i++) {
        series[i] = methods_curve(m->name[i], YK_PLOT_LINE_POINTS, (size_t)all[i].count, all[i].step, all[i].error_u);
        low = all[i].error_u[all[i].count - 1] > 0 ? fmin(low, all[i].error_u[all[i].count - 1]) : low;
    }
    for (int k = 0; k < SLOPES; k++) {
        guides[k][0] = 0.5 * low;
        guides[k][1] = guides[k][0] * pow(ends[1] / ends[0], k + 1);
        series[m->count + (size_t)k] = methods_curve(names[k], YK_PLOT_GUIDE, 2, ends, guides[k]);
    }
    if (asprintf(&title, "Methods for: %s", yk_parts_title(q->parts)) >= 0 &&
        asprintf(&label, "largest error of u [m, rad] at t = %g s", yk_parts_end(q->parts)) >= 0) {
        const struct yk_plot_panel panel = {.x = {"step [s]", true, false, 0, 0},
                                            .y = {label, true, false, 0, 0},
                                            .series = series,
                                            .count = m->count + SLOPES};

        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = &panel, .count = 1});
        free(label);
    }
    free(title);
    return code;
}

static int print_orders(const struct request *q, const struct method_list *m, const struct yk_order *all)
{
    json_t *list = json_array();

    if (!q->json)
        printf("%-32s %8s %8s %8s %14s\n", "method", "order u", "v", "lambda", "error of u");
    for (size_t i = 0; i < m->count; i++) {
        const struct yk_order *o = &all[i];
        json_t *entry = yk_order_json(o);

        json_object_set_new(entry, "method", json_string(m->name[i]));
        json_array_append_new(list, entry);
        if (q->json)
            continue;
        printf("%-32s %8.3f %8.3f ", m->name[i], o->order_u, o->order_v);
        if (o->coupled)
            printf("%8.3f", o->order_lambda);
        else
            printf("%8s", "-");
        printf(" %14.6e\n", o->error_u[o->count - 1]);
    }
    if (q->json)
        return yk_print_json(json_pack("{s:o, s:O}", "methods", list, "left_out", m->left_out));
    json_decref(list);
    return 0;
}

static int compare(const struct request *q, int halvings)
{
    struct yk_order *all = calloc(METHODS_MOST, sizeof *all);
    struct method_list m;
    int code = 1;

    if (!all || !methods_open(&m, q, &code)) {
        free(all);
        return code;
    }
    for (size_t i = 0; i < m.count;) {
        struct yk_err err = {0};

        if (yk_parts_order(m.parts[i], halvings, &all[i], &err))
            methods_leave_out(&m, i, q, &err);
        else
            i++;
    }
    code = methods_check(&m);
    if (!code)
        code = print_orders(q, &m, all);
    if (!code && q->plot)
        code = plot_orders(q, &m, all);
    methods_close(&m);
    free(all);
    return code;
}

int analyze_order(struct request *q)
{
    long halvings = 4;
    struct yk_order o;
    struct yk_err err = {0};
    int code = 0;

    if (!yk_option_count(&command_analyze, "--halvings", q->halvings, 1, YK_HALVINGS_MAX, &halvings))
        return 2;
    if (q->methods)
        return compare(q, (int)halvings);
    if (yk_parts_order(q->parts, (int)halvings, &o, &err))
        return yk_command_fail(&err);
    if (q->plot && q->json && (code = plot_order(q, &o)))
        return code;
    if (q->json)
        return yk_print_json(yk_order_json(&o));
    print_order(q, &o);
    return q->plot ? plot_order(q, &o) : 0;
}
