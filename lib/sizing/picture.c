/* Force over speed: a test beside the capacity of its actuators. */
#include <yoke/figure.h>
#include <yoke/sizing.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SERIES = 2, MOST = 4000 };

/* Numbers of one picture. */
struct panel {
    double *v, *F, *limit_v, *limit_F; /* mm/s and kN */
    struct yk_plot_series series[SERIES];
    char title[140];
};

/* The curve against the load, in both directions, and its first line on to loads that help. */
static size_t outline(const struct yk_sizing_picture *p, double *v, double *F)
{
    const size_t last = p->points - 1;
    size_t n = 0;

    for (int q = 0; q < 2; q++) {
        const double side = q ? -1 : 1;

        for (size_t i = 0; i <= last; i++, n++) {
            v[n] = side * 1e3 * p->speed[i];
            F[n] = side * 1e-3 * p->force * (double)i / (double)last;
        }
        v[n] = -side * 1e3 * yk_sizing_helped(p); /* to the other direction, at this force */
        F[n++] = side * 1e-3 * p->force;
    }
    v[n] = v[0];
    F[n] = F[0];
    return n + 1;
}

static bool fill(struct panel *x, const struct yk_sizing_picture *p)
{
    const size_t n = p->asked->n;
    size_t *index = calloc(n > MOST ? n : MOST, sizeof *index), kept;

    x->v = calloc(n, sizeof *x->v);
    x->F = calloc(n, sizeof *x->F);
    x->limit_v = calloc(2 * p->points + 4, sizeof *x->limit_v);
    x->limit_F = calloc(2 * p->points + 4, sizeof *x->limit_F);
    if (!index || !x->v || !x->F || !x->limit_v || !x->limit_F) {
        free(index);
        return false;
    }
    kept = yk_plot_thin(p->asked->v, p->asked->force, n, MOST, index);
    for (size_t k = 0; k < kept; k++) {
        x->v[k] = 1e3 * p->asked->v[index[k]];
        x->F[k] = 1e-3 * p->asked->force[index[k]];
    }
    free(index);
    x->series[0] = (struct yk_plot_series){"test", YK_PLOT_LINE, kept, x->v, x->F, YK_PLOT_COMPUTED, NULL};
    if (p->points > 1)
        x->series[1] = (struct yk_plot_series){"capacity", YK_PLOT_GUIDE, outline(p, x->limit_v, x->limit_F),
                                               x->limit_v, x->limit_F,    YK_PLOT_COMPUTED,
                                               NULL};
    const struct yk_outline_used used = yk_sizing_used(p);

    if (isnan(used.most))
        snprintf(x->title, sizeof x->title, "actuator %.60s", p->name);
    else
        snprintf(x->title, sizeof x->title, "actuator %.60s: %.3g %% of force and speed, most at %.3g s", p->name,
                 100 * used.most, used.at_s);
    return true;
}

enum yk_status yk_sizing_draw(const struct yk_sizing_picture *pictures, size_t count, const char *title,
                              const char *path, struct yk_err *err)
{
    static const struct yk_plot_axis speed = {.label = "speed [mm/s]"}, force = {.label = "force [kN]"};
    struct panel *x = calloc(count, sizeof *x);
    struct yk_plot_panel *panels = calloc(count, sizeof *panels);
    bool made = x && panels;
    enum yk_status st;

    for (size_t i = 0; i < count && made; i++) {
        made = fill(&x[i], &pictures[i]);
        panels[i] = (struct yk_plot_panel){.title = x[i].title,
                                           .x = speed,
                                           .y = force,
                                           .series = x[i].series,
                                           .count = pictures[i].points > 1 ? SERIES : 1};
    }
    st = made ? yk_figure_write(&(struct yk_figure){.title = title,
                                                    .panels = panels,
                                                    .count = count,
                                                    .columns = count > 1 ? 2 : 1,
                                                    .own_scales = true},
                                path, err)
              : yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; x && i < count; i++) {
        free(x[i].v);
        free(x[i].F);
        free(x[i].limit_v);
        free(x[i].limit_F);
    }
    free(x);
    free(panels);
    return st;
}
