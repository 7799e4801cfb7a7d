/* Time histories of a benchmark run, and their picture. */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <yoke/figure.h>

enum yk_status yk_histories_make(struct yk_histories *h, size_t count, size_t samples, double step_s,
                                 struct yk_err *err)
{
    *h = (struct yk_histories){.count = count, .samples = samples, .step_s = step_s};
    if (!(h->room = calloc(2 * count * samples, sizeof *h->room)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu histories of %zu samples", count, samples);
    for (size_t i = 0; i < count; i++) {
        h->all[i].x = h->room + 2 * i * samples;
        h->all[i].y = h->all[i].x + samples;
    }
    return YK_OK;
}

void yk_histories_free(struct yk_histories *h)
{
    free(h->room);
    *h = (struct yk_histories){0};
}

static size_t peak_of(const double *x, size_t n)
{
    size_t at = 0;

    for (size_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[at]))
            at = i;
    return at;
}

/* The curves of one history, in the unit of its title: all of it, and the second about its peak. */
static void draw_one(const struct yk_histories *h, size_t i, const double *time, double *scaled,
                     struct yk_plot_series *curves, struct yk_plot_panel *panels)
{
    const struct yk_history *one = &h->all[i];
    const size_t n = h->samples;
    const double end_s = time[n - 1], from = fmin(fmax(time[peak_of(one->x, n)] - 0.5, 0), end_s - 1);

    for (size_t k = 0; k < n; k++) {
        scaled[k] = one->factor * one->x[k];
        scaled[n + k] = one->factor * one->y[k];
    }
    curves[0] = (struct yk_plot_series){.name = one->expected, .n = n, .x = time, .y = scaled};
    curves[1] =
        (struct yk_plot_series){.name = one->got, .n = n, .x = time, .y = scaled + n, .origin = YK_PLOT_MEASURED};
    panels[0] = (struct yk_plot_panel){
        .x = {"time [s]", .bounded = true, .max = end_s}, .y.label = one->title, .series = curves, .count = 2};
    panels[1] = panels[0];
    panels[1].x.min = from;
    panels[1].x.max = from + 1;
}

enum yk_status yk_histories_draw(const struct yk_histories *h, const char *title, const char *path, struct yk_err *err)
{
    const size_t n = h->samples;
    double *time = malloc((1 + 2 * h->count) * n * sizeof *time);
    struct yk_plot_series curves[2 * YK_HISTORIES];
    struct yk_plot_panel panels[2 * YK_HISTORIES];

    if (!time)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a picture of %zu samples", n);
    for (size_t k = 0; k < n; k++)
        time[k] = h->step_s * (double)k;
    for (size_t i = 0; i < h->count; i++)
        draw_one(h, i, time, time + (1 + 2 * i) * n, &curves[2 * i], &panels[2 * i]);
    const struct yk_figure figure = {.title = title, .panels = panels, .count = 2 * h->count, .columns = 2};
    const enum yk_status st = yk_figure_write(&figure, path, err);
    free(time);
    return st;
}
