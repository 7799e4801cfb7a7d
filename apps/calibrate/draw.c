/* Pictures of `yoke calibrate`: loop, force over velocity and force over time of each run, measured and fitted. */
#include "calibrate.h"

#include <yoke/figure.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum yk_status draw_run(const struct job *job, size_t i, const char *path, struct yk_err *err)
{
    const struct yk_calibrated_run *r = &job->found.run[i];
    const size_t n = r->n;
    double *mm = malloc(2 * n * sizeof *mm), *rate = mm + n;
    char title[256];

    if (!mm)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a picture");
    for (size_t k = 0; k < n; k++) {
        mm[k] = 1e3 * r->x[k];
        rate[k] = 1e3 * r->v[k];
    }
#define PAIR(of)                                                                                                       \
    {                                                                                                                  \
        {.name = "measured", .style = YK_PLOT_REFERENCE, .n = n, .x = of, .y = r->force, .origin = YK_PLOT_MEASURED},  \
            {.name = "law", .style = YK_PLOT_LINE, .n = n, .x = of, .y = r->fitted},                                   \
    }
    const struct yk_plot_series loop[] = PAIR(mm), speed[] = PAIR(rate), time[] = PAIR(r->t);
    const struct yk_plot_axis force = {.label = "force [N]"};
    const struct yk_plot_panel panels[] = {
        {.x = {.label = "displacement [mm]"}, .y = force, .series = loop, .count = 2},
        {.x = {.label = "velocity [mm/s]"}, .y = force, .series = speed, .count = 2},
        {.x = {.label = "time [s]"}, .y = force, .series = time, .count = 2}};
    snprintf(title, sizeof title, "%s%s: NRMS %.1f %%", r->name, i >= job->found.fitted ? " (held out)" : "",
             100 * r->nrms);
    const enum yk_status st =
        yk_figure_write(&(struct yk_figure){.title = title, .panels = panels, .count = 3, .columns = 3}, path, err);
    free(mm);
    return st;
}

int calibrate_draw(const struct job *job)
{
    if (yk_make_folder(job->options->plot)) {
        fprintf(stderr, "yoke: %s: %s\n", job->options->plot, strerror(errno));
        return 1;
    }
    for (size_t i = 0; i < job->found.runs; i++) {
        const char *slash = strrchr(job->found.run[i].name, '/'), *name = slash ? slash + 1 : job->found.run[i].name;
        const char *end = strstr(name, ".csv");
        struct yk_err err = {0};
        char *path, record[32] = "";

        if (end && job->record[i])
            snprintf(record, sizeof record, "-record-%zu", job->record[i]);
        if (asprintf(&path, "%s/%.*s%s.svg", job->options->plot, end ? (int)(end - name) : (int)strlen(name), name,
                     record) < 0)
            return 1;
        const enum yk_status st = draw_run(job, i, path, &err);
        free(path);
        if (st)
            return yk_command_fail(&err);
    }
    if (!job->options->json)
        printf("pictures: %s\n", job->options->plot);
    return 0;
}
