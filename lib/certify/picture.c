/* Distance of the hull from 0 over frequency. */
#include <yoke/certify.h>
#include <yoke/figure.h>

#include <math.h>
#include <stdlib.h>

enum yk_status yk_certificate_draw(const struct yk_certificate *c, double cycle_s, const char *title, const char *path,
                                   struct yk_err *err)
{
    double *f = malloc((2 * c->count + 1) * sizeof *f), *d = f ? f + c->count : NULL;
    double low = INFINITY, high = 0, critical[2] = {c->critical_Hz, c->critical_Hz}, ends[2];
    size_t n = 0;
    enum yk_status st;

    if (!f)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a picture");
    for (size_t i = 0; i < c->count; i++) {
        if (!(c->points[i].angle > 0 && c->points[i].distance > 0))
            continue;
        f[n] = c->points[i].angle / (2 * M_PI * cycle_s);
        d[n] = c->points[i].distance;
        low = fmin(low, d[n]);
        high = fmax(high, d[n++]);
    }
    ends[0] = 0.5 * low;
    ends[1] = 2 * high;
    const struct yk_plot_series series[] = {
        {.name = "distance of the hull from 0", .style = YK_PLOT_LINE_POINTS, .n = n, .x = f, .y = d},
        {.name = "nearest", .style = YK_PLOT_GUIDE, .n = 2, .x = critical, .y = ends}};
    const struct yk_plot_panel panel = {.x = {.label = "frequency [Hz]", .log = true},
                                        .y = {.label = "distance / largest value [-]", .log = true},
                                        .series = series,
                                        .count = 2};

    st = yk_figure_write(&(struct yk_figure){.title = title, .panels = &panel, .count = 1}, path, err);
    free(f);
    return st;
}
