/* yoke analyze energy: the energy account along a run. */
#include "request.h"

#include <math.h>
#include <stdlib.h>

enum { ENERGY_POINTS = 1001 };

/* The account over time, its error below. */
static int draw_energy(const struct request *q, size_t count, const double *columns)
{
    static const char *const names[] = {"kinetic", "stored", "dissipated", "work of the loads", "error of the balance"};
    struct yk_plot_series series[5];
    char *title = analyze_title(q, "Energy");
    int code = 1;

    for (size_t c = 0; c < 5; c++)
        series[c] = (struct yk_plot_series){
            .name = names[c], .style = YK_PLOT_LINE, .n = count, .x = columns, .y = columns + (c + 1) * count};
    if (title) {
        const struct yk_plot_panel panels[] = {
            {.x.label = "time [s]", .y.label = "energy [J]", .series = series, .count = 4},
            {.x.label = "time [s]", .y.label = "error of the balance [J]", .series = series + 4, .count = 1}};

        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = panels, .count = 2});
    }
    free(title);
    return code;
}

static int plot_energy(struct request *q)
{
    const size_t count =
        yk_parts_steps(q->parts) + 1 < ENERGY_POINTS ? (size_t)yk_parts_steps(q->parts) + 1 : ENERGY_POINTS;
    struct yk_energy_sample *s = malloc(count * sizeof *s);
    double *columns = malloc(6 * count * sizeof *columns);
    struct yk_err err = {0};
    int code = 1;

    if (s && columns && yk_energy_history(q->model, count, s, &err)) {
        code = yk_command_fail(&err);
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

int analyze_energy(struct request *q)
{
    size_t count;
    struct yk_energy_sample *s;
    struct yk_err err = {0};
    double largest, error;
    int code = 0;

    if (!analyze_model(q, &code) || !(s = analyze_samples(q, sizeof *s, &count, &code)))
        return code;
    if (yk_energy_history(q->model, count, s, &err)) {
        free(s);
        return yk_command_fail(&err);
    }
    yk_energy_extremes(count, s, &largest, &error);
    if (q->json) {
        code = yk_print_json(yk_energy_json(count, s));
    } else {
        printf("%10s %13s %13s %13s %13s %13s   [s, J]\n", "time", "kinetic", "stored", "dissipated", "work", "error");
        for (size_t i = 0; i < count; i++)
            printf("%10.4g %13.6e %13.6e %13.6e %13.6e %13.3e\n", s[i].t, s[i].kinetic, s[i].stored, s[i].dissipated,
                   s[i].work, s[i].error);
        printf("largest error %.3e J, %.3g %% of the largest energy\n", error, largest > 0 ? 100 * error / largest : 0);
    }
    free(s);
    return code || !q->plot ? code : plot_energy(q);
}
