/* Profiles of a frame over its height: peaks of drift, floor acceleration and storey shear of a run. */
#include "plot.h"
#include <yoke/results.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 3 };

/* Points of a profile: a storey is a step from its lower to its upper level, a floor a point. */
struct profile {
    double *x, *y;
    size_t count;
};

static void add(struct profile *p, double x, double y)
{
    p->x[p->count] = x;
    p->y[p->count++] = y;
}

/* The larger of both signs, in a unit of display. */
static double size_of(const struct yk_peak *p, double factor)
{
    return factor * fmax(fabs(p->least), fabs(p->most));
}

static bool make(struct profile curves[PANELS][2], const struct yk_run_results *f, struct yk_results *r,
                 size_t directions, size_t d)
{
    const long drift = yk_results_find(r, "drift.1.x"), shear = yk_results_find(r, "shear.1.x");
    const size_t levels = yk_results_levels(r);

    for (size_t p = 0; p < PANELS; p++) {
        struct profile *c = &curves[p][d];

        c->x = calloc(4 * levels, sizeof *c->x);
        if (!c->x)
            return false;
        c->y = c->x + 2 * levels;
        for (size_t i = 1; i < levels; i++) {
            const size_t at = (i - 1) * directions + d;
            double low, high;

            yk_results_level(r, i - 1, &low);
            yk_results_level(r, i, &high);
            if (p == 1) {
                add(c, size_of(&f->peak[f->results + at], 1), high);
                continue;
            }
            const double x = size_of(&f->peak[(size_t)(p ? shear : drift) + at], p ? 1e-3 : 100);

            add(c, x, low);
            add(c, x, high);
        }
    }
    return true;
}

static enum yk_status draw(const struct plot_request *q, struct profile curves[PANELS][2], size_t directions,
                           struct yk_err *err)
{
    static const char *const words[] = {"peak storey drift [%]", "peak floor acceleration [m/s2]",
                                        "peak storey shear [kN]"};
    static const char *const names[] = {"along x", "along y"};
    struct yk_plot_series series[PANELS][2];
    struct yk_plot_panel panels[PANELS];

    for (size_t p = 0; p < PANELS; p++) {
        double most = 0;

        for (size_t d = 0; d < directions; d++)
            for (size_t i = 0; i < curves[p][d].count; i++)
                most = fmax(most, curves[p][d].x[i]);
        for (size_t d = 0; d < directions; d++)
            series[p][d] = (struct yk_plot_series){.name = names[d],
                                                   .style = YK_PLOT_LINE_POINTS,
                                                   .n = curves[p][d].count,
                                                   .x = curves[p][d].x,
                                                   .y = curves[p][d].y};
        panels[p] = (struct yk_plot_panel){.x = {.label = words[p], .bounded = most > 0, .max = 1.1 * most},
                                           .y = {.label = "height [m]"},
                                           .series = series[p],
                                           .count = directions};
    }
    return yk_figure_write(&(struct yk_figure){.title = q->title,
                                               .panels = panels,
                                               .count = PANELS,
                                               .columns = PANELS,
                                               .width = q->width_text && strcmp(q->width_text, "one") == 0
                                                            ? YK_PLOT_ONE_COLUMN
                                                            : YK_PLOT_TWO_COLUMNS},
                           q->output, err);
}

int plot_profile(const struct plot_request *q, const char *word)
{
    struct profile curves[PANELS][2] = {{{0}}};
    struct yk_recorded_results *recorded = NULL;
    struct yk_run_results found = {0};
    struct yk_err err = {0};
    char *path = yk_command_recording(word);
    int code = 0;

    if (!path)
        return 1;
    if (yk_recorded_results_open(&recorded, path, &err)) {
        yk_command_fail(&err);
        free(path);
        return 2;
    }
    struct yk_results *r = yk_recorded_results_of(recorded);

    if (yk_results_levels(r) < 2) {
        fprintf(stderr, "yoke: %s: %s\n", path,
                *yk_results_no_storeys(r) ? yk_results_no_storeys(r) : "no storeys: no substructure is a frame");
        code = 2;
    } else if (yk_run_results_find(&found, recorded, &err)) {
        code = yk_command_fail(&err);
    } else {
        const size_t directions = yk_results_find(r, "drift.1.y") >= 0 ? 2 : 1;
        bool good = true;

        for (size_t d = 0; d < directions; d++)
            good &= make(curves, &found, r, directions, d);
        if (!good || draw(q, curves, directions, &err))
            code = good ? yk_command_fail(&err) : 1;
        else
            printf("%s\n", q->output);
    }
    for (size_t p = 0; p < PANELS; p++)
        for (size_t d = 0; d < 2; d++)
            free(curves[p][d].x);
    yk_run_results_free(&found);
    yk_recorded_results_close(recorded);
    free(path);
    return code;
}
