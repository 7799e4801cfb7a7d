/* yoke analyze drift: the gaps across the interfaces along a run. */
#include "request.h"

#include <math.h>
#include <stdlib.h>

enum { CURVE_POINTS = 1001 };

static int plot(const struct request *q)
{
    const size_t count =
        yk_parts_steps(q->parts) + 1 < CURVE_POINTS ? (size_t)yk_parts_steps(q->parts) + 1 : CURVE_POINTS;
    struct yk_drift_sample *s = malloc(count * sizeof *s);
    double *x = malloc(4 * count * sizeof *x), *u = x + count, *v = u + count, *w = v + count;
    char *title = analyze_title(q, "Interface gaps");
    struct yk_err err = {0};
    int code = 1;

    if (s && x && title && !(code = yk_drift_history(q->model, count, s, &err) ? yk_command_fail(&err) : 0)) {
        for (size_t i = 0; i < count; i++) {
            x[i] = s[i].t;
            u[i] = s[i].u;
            v[i] = s[i].v;
            w[i] = s[i].interface_work;
        }
        const struct yk_plot_series gap_u = {.name = "displacement", .style = YK_PLOT_LINE, .n = count, .x = x, .y = u};
        const struct yk_plot_series gap_v = {.name = "velocity", .style = YK_PLOT_LINE, .n = count, .x = x, .y = v};
        const struct yk_plot_series work = {
            .name = "interface work", .style = YK_PLOT_LINE, .n = count, .x = x, .y = w};
        const struct yk_plot_panel panels[] = {{.x = {"time [s]", false, false, 0, 0},
                                                .y = {"gap [m, rad]", false, false, 0, 0},
                                                .series = &gap_u,
                                                .count = 1},
                                               {.x = {"time [s]", false, false, 0, 0},
                                                .y = {"gap [m/s, rad/s]", false, false, 0, 0},
                                                .series = &gap_v,
                                                .count = 1},
                                               {.x = {"time [s]", false, false, 0, 0},
                                                .y = {"work [J]", false, false, 0, 0},
                                                .series = &work,
                                                .count = 1}};

        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = panels, .count = 3});
    }
    free(s);
    free(x);
    free(title);
    return code;
}

int analyze_drift(struct request *q)
{
    size_t count;
    struct yk_drift_sample *s;
    struct yk_err err = {0};
    int code = 0;

    if (!yk_parts_rows(q->parts)) {
        fprintf(stderr, "yoke: %s has no interfaces, so nothing can drift apart\n", q->file);
        return 2;
    }
    if (!analyze_model(q, &code) || !(s = analyze_samples(q, sizeof *s, &count, &code)))
        return code;
    if (yk_drift_history(q->model, count, s, &err)) {
        free(s);
        return yk_command_fail(&err);
    }
    const struct yk_drift_sample largest = yk_drift_largest(count, s);
    if (q->json) {
        code = yk_print_json(yk_drift_json(count, s));
    } else {
        printf("%10s %14s %14s %14s %14s   [s, J; largest gap since the previous line]\n", "time", "u", "v", "a",
               "interface work");
        for (size_t i = 0; i < count; i++)
            printf("%10.4g %14.6e %14.6e %14.6e %14.6e\n", s[i].t, s[i].u, s[i].v, s[i].a, s[i].interface_work);
        printf("%10s %14.6e %14.6e %14.6e\n", "largest", largest.u, largest.v, largest.a);
    }
    if (!code && q->plot)
        code = plot(q);
    free(s);
    return code;
}
