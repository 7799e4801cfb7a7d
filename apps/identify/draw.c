/* The picture of `yoke identify --csv`: gain, phase, delay over frequency, residual over time. */
#include "identify.h"

#include <yoke/figure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FINE = 160, MOST = 4000 };

struct curves {
    double f[FINE], y[6][FINE];
    struct yk_frequency_point p[FINE];
    double t[MOST], e[MOST];
    size_t samples;
};

static enum yk_status fill(const struct job *j, struct curves *c, struct yk_err *err)
{
    const double from = j->found.from_Hz, to = j->found.to_Hz;
    enum yk_status st;

    for (int i = 0; i < FINE; i++)
        c->f[i] = from + (to - from) * (i + 0.5) / FINE;
    if ((st =
             yk_frequency_points_of(j->record, j->file[0].count, fmax(0.1, (to - from) / FINE), c->f, FINE, c->p, err)))
        return st;
    for (int i = 0; i < FINE; i++) {
        const double complex H = yk_rational_at(&j->found.model, c->f[i]);
        const bool drawn = c->p[i].power > 0;

        c->y[0][i] = drawn ? cabs(c->p[i].H) : NAN;
        c->y[1][i] = cabs(H);
        c->y[2][i] = drawn ? c->p[i].phase_rad * 180 / M_PI : NAN;
        c->y[3][i] = -360 * c->f[i] * identify_delay(j, c->f[i]);
        c->y[4][i] = drawn ? 1e3 * c->p[i].delay_s : NAN;
        c->y[5][i] = 1e3 * identify_delay(j, c->f[i]);
    }
    return YK_OK;
}

static enum yk_status fill_residual(const struct job *j, struct curves *c, struct yk_err *err)
{
    const struct yk_actuator_record *r = j->record;
    double *e = malloc(2 * r->n * sizeof *e), *t = e + r->n;
    size_t *index = malloc(MOST * sizeof *index);
    struct yk_fit_quality q;
    enum yk_status st =
        e && index ? yk_model_quality(&j->found.model, r, &q, e, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st) {
        for (size_t k = 0; k < r->n; k++) {
            t[k] = (double)k * r->step_s;
            e[k] *= 1e6;
        }
        c->samples = yk_plot_thin(t, e, r->n, MOST, index);
        for (size_t i = 0; i < c->samples; i++) {
            c->t[i] = t[index[i]];
            c->e[i] = e[index[i]];
        }
    }
    free(e);
    free(index);
    return st;
}

int identify_draw(const struct job *j)
{
    struct curves *c = calloc(1, sizeof *c);
    struct yk_err err = {0};
    enum yk_status st = c ? fill(j, c, &err) : yk_fail(&err, YK_E_MEMORY, "out of memory");

    if (!st && !(st = fill_residual(j, c, &err))) {
        struct yk_plot_series series[7];
        const struct yk_plot_axis x = {.label = "frequency [Hz]"};
        const struct yk_plot_panel panels[] = {
            {.x = x, .y = {.label = "gain"}, .series = series, .count = 2},
            {.x = x, .y = {.label = "phase [deg]"}, .series = series + 2, .count = 2},
            {.x = x, .y = {.label = "phase delay [ms]"}, .series = series + 4, .count = 2},
            {.x = {.label = "time [s]"}, .y = {.label = "residual [um]"}, .series = series + 6, .count = 1}};
        char title[256];

        for (int i = 0; i < 6; i++)
            series[i] = (struct yk_plot_series){.name = i % 2 ? "model" : "measured",
                                                .style = i % 2 ? YK_PLOT_LINE : YK_PLOT_POINTS,
                                                .n = FINE,
                                                .x = c->f,
                                                .y = c->y[i],
                                                .origin = i % 2 ? YK_PLOT_COMPUTED : YK_PLOT_MEASURED};
        series[6] = (struct yk_plot_series){.name = "measured - model",
                                            .style = YK_PLOT_LINE,
                                            .n = c->samples,
                                            .x = c->t,
                                            .y = c->e,
                                            .origin = YK_PLOT_MEASURED};
        snprintf(title, sizeof title, "%s: NRMS held out %.2f %%, training %.2f %%", j->file[0].name,
                 100 * j->found.held_nrms, 100 * j->found.nrms);
        st = yk_figure_write(&(struct yk_figure){.title = title, .panels = panels, .count = 4, .columns = 2},
                             j->words->plot, &err);
    }
    free(c);
    if (st)
        return yk_command_fail(&err);
    if (!j->words->json)
        printf("picture: %s\n", j->words->plot);
    return 0;
}
