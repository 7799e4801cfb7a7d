/* Output of `yoke replay`: text, JSON, figure. */
#include "replay.h"

#include <yoke/figure.h>
#include <yoke/json.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_S 0.6 /* of the middle of the record */

enum { DRAWN = 3000, CURVES = 4 };

static const char *name_of(const struct trial *t)
{
    return t->ops ? t->ops->name : "none";
}

void replay_print(const struct job *j)
{
    printf("%s: %zu rows of %g s%s\n", j->options->csv, j->n, j->h,
           j->from ? "; the first half is identified, the second replayed (--plant takes the machine from a file)"
                   : "");
    printf("the machine of the file, under the recorded command, misses the recorded motion by NRMS %.2f %%\n",
           100 * j->model_nrms);
    printf("\n%-24s %12s %14s %14s %16s%s\n", "compensator", "delay [ms]", "NRMS [%]", "to 5 Hz [%]", "largest command",
           j->options->experiment ? "   test NRMS [%]" : "");
    printf("%-24s %12s %14.1f %14.1f %16.2f\n", "the real machine", "", 100 * j->machine_nrms, 100 * j->machine_slow,
           j->machine_largest);
    for (size_t i = 0; i < j->trials; i++) {
        const struct trial *t = &j->trial[i];

        printf("%-24s %12.2f %14.1f %14.1f %16.2f", name_of(t), 1e3 * t->delay, 100 * t->nrms, 100 * t->slow_nrms,
               t->largest);
        if (j->options->experiment)
            printf(" %15.1f", 100 * t->test_nrms);
        printf("\n");
    }
    printf("NRMS of motion minus target over the standard deviation of the target; to 5 Hz: up to %.1f s, where "
           "the first window of 2 s is faster; largest command over largest "
           "target; nan: cannot be replayed, or stopped\n",
           j->slow_until);
    printf("\n%-24s", "at [s]");
    for (size_t m = 0; m < j->moments; m++)
        printf(" %7.1f", j->moment[m].time);
    printf("\n%-24s", "frequency [Hz]");
    for (size_t m = 0; m < j->moments; m++)
        printf(" %7.2f", j->moment[m].frequency_Hz);
    printf("\n%-24s", "phase delay [ms]");
    for (size_t m = 0; m < j->moments; m++)
        printf(" %7.1f", 1e3 * j->moment[m].phase_delay);
    for (size_t i = 0; i < j->estimates; i++) {
        printf("\n%-24s", j->estimate[i].ops->name);
        for (size_t m = 0; m < j->moments; m++)
            printf(" %7.1f", 1e3 * j->estimate[i].at[m]);
    }
    printf("\n%-24s", "unbounded Taylor form");
    for (size_t m = 0; m < j->moments; m++)
        printf(" %7.1f", 1e3 * j->moment[m].taylor);
    printf("\nTaylor form y = a u + b u', delay -b/a: tan(phase)/w, infinite at 90 degrees; estimators are bounded "
           "(tau_max)\n");
}

struct json_t *replay_json(const struct job *j)
{
    json_t *tracking = json_array(), *estimators = json_array(), *moments = json_array();

    for (size_t i = 0; i < j->trials; i++)
        json_array_append_new(tracking,
                              json_pack("{s:s, s:f, s:o, s:o, s:o, s:o}", "compensator", name_of(&j->trial[i]),
                                        "delay_s", j->trial[i].delay, "nrms", yk_json_number(j->trial[i].nrms),
                                        "below_5_Hz_nrms", yk_json_number(j->trial[i].slow_nrms), "largest_command",
                                        yk_json_number(j->trial[i].largest), "test_nrms",
                                        yk_json_number(j->trial[i].test_nrms)));
    for (size_t m = 0; m < j->moments; m++)
        json_array_append_new(moments, json_pack("{s:f, s:o, s:o, s:o}", "time_s", j->moment[m].time, "frequency_Hz",
                                                 yk_json_number(j->moment[m].frequency_Hz), "phase_delay_s",
                                                 yk_json_number(j->moment[m].phase_delay), "taylor_delay_s",
                                                 yk_json_number(j->moment[m].taylor)));
    for (size_t i = 0; i < j->estimates; i++) {
        json_t *at = json_array();

        for (size_t m = 0; m < j->moments; m++)
            json_array_append_new(at, yk_json_number(j->estimate[i].at[m]));
        json_array_append_new(estimators,
                              json_pack("{s:s, s:o}", "estimator", j->estimate[i].ops->name, "delay_s", at));
    }
    return json_pack(
        "{s:o, s:s, s:I, s:f, s:f, s:{s:o, s:o, s:o}, s:o, s:f, s:o, s:o, s:o}", "file", yk_json_any(j->options->csv),
        "sha256", j->log.sha256, "rows", (json_int_t)j->n, "step_s", j->h, "replayed_from_s", j->log.time[j->from],
        "machine", "nrms", yk_json_number(j->machine_nrms), "below_5_Hz_nrms", yk_json_number(j->machine_slow),
        "largest_command", yk_json_number(j->machine_largest), "model_nrms", yk_json_number(j->model_nrms),
        "below_5_Hz_until_s", j->slow_until, "tracking", tracking, "moments", moments, "estimators", estimators);
}

/* Target, machine and the last replays in the middle of the record; delays over time. */
int replay_draw(const struct job *j)
{
    double *t = malloc((3 + CURVES) * DRAWN * sizeof *t), *y[2 + CURVES], at[MOMENTS], delay[2][MOMENTS];
    struct yk_plot_series series[4 + CURVES];
    char names[CURVES][64];
    size_t curves = 0, rows = 0;
    struct yk_err err = {0};

    if (!t) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    const size_t stride = (size_t)(SHOWN_S / j->h / DRAWN) + 1, begin = j->from + (j->n - j->from) / 2;
    for (int i = 0; i < 2 + CURVES; i++)
        y[i] = t + (i + 1) * DRAWN;
    for (size_t k = begin; k < j->n && rows < DRAWN && j->log.time[k] < j->log.time[begin] + SHOWN_S;
         k += stride, rows++) {
        t[rows] = j->log.time[k];
        y[0][rows] = 1e3 * j->target[k];
        y[1][rows] = 1e3 * j->x[k];
    }
    series[0] = (struct yk_plot_series){.name = "target", .style = YK_PLOT_REFERENCE, .n = rows, .x = t, .y = y[0]};
    series[1] = (struct yk_plot_series){
        .name = "the real machine", .style = YK_PLOT_LINE, .n = rows, .x = t, .y = y[1], .origin = YK_PLOT_MEASURED};
    for (size_t i = j->trials; i-- > 0 && curves < CURVES;) {
        if (!isfinite(j->trial[i].nrms) || !j->trial[i].ops)
            continue;
        for (size_t k = 0; k < rows; k++)
            y[2 + curves][k] = 1e3 * j->trial[i].y[begin + k * stride];
        snprintf(names[curves], sizeof names[curves], "%s, %.4g ms", name_of(&j->trial[i]), 1e3 * j->trial[i].delay);
        series[2 + curves] = (struct yk_plot_series){
            .name = names[curves], .style = YK_PLOT_LINE, .n = rows, .x = t, .y = y[2 + curves]};
        curves++;
    }
    for (size_t m = 0; m < j->moments; m++) {
        at[m] = j->moment[m].time;
        delay[0][m] = 1e3 * j->moment[m].phase_delay;
        delay[1][m] = fabs(j->moment[m].taylor) < 0.2 ? 1e3 * j->moment[m].taylor : NAN;
    }
    series[2 + CURVES] = (struct yk_plot_series){
        .name = "phase delay of the machine", .style = YK_PLOT_LINE_POINTS, .n = j->moments, .x = at, .y = delay[0]};
    series[3 + CURVES] = (struct yk_plot_series){
        .name = "unbounded Taylor form", .style = YK_PLOT_POINTS, .n = j->moments, .x = at, .y = delay[1]};
    const struct yk_plot_panel panels[] = {
        {.x = {.label = "time [s]"}, .y = {.label = "displacement [mm]"}, .series = series, .count = 2 + curves},
        {.x = {.label = "time [s]"}, .y = {.label = "delay [ms]"}, .series = series + 2 + CURVES, .count = 2}};
    const enum yk_status st = yk_figure_write(
        &(struct yk_figure){
            .title = j->options->csv, .panels = panels, .count = 2, .own_legends = true, .own_scales = true},
        j->options->plot, &err);
    free(t);
    if (st)
        return yk_command_fail(&err);
    if (!j->options->json)
        printf("picture: %s\n", j->options->plot);
    return 0;
}
