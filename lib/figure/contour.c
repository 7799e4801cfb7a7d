/* Contours of maps, by marching squares: in each square of four neighbouring values, the lines between the points of
 * its edges where the value passes the level (linear between the corners). A saddle is resolved by the mean of its
 * corners. Squares with a value that is not finite have no contour. */
#include "figure_parts.h"

#include <math.h>

struct square {
    double z[4];       /* corners: lower left, lower right, upper right, upper left */
    double x[4], y[4]; /* where the contour crosses the edge after the corner, in columns and rows */
    int edges[4], crossings;
};

/* Finds the edges that the contour crosses. A corner with exactly the level is not above it. */
static void cross_edges(struct square *s, double column, double row, double level)
{
    static const double corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};

    s->crossings = 0;
    for (int e = 0; e < 4; e++) {
        const double from = s->z[e], to = s->z[(e + 1) % 4];

        if ((from > level) == (to > level))
            continue;
        const double share = (level - from) / (to - from);
        s->x[e] = column + corner[e][0] + share * (corner[e + 1][0] - corner[e][0]);
        s->y[e] = row + corner[e][1] + share * (corner[e + 1][1] - corner[e][1]);
        s->edges[s->crossings++] = e;
    }
}

size_t yk_plot_contour_room(const struct yk_plot_heat *heat)
{
    return heat->rows && heat->columns ? 6 * (heat->rows - 1) * (heat->columns - 1) : 0;
}

size_t yk_plot_contour(const struct yk_plot_panel *panel, double level, double *x, double *y)
{
    const struct yk_plot_heat *h = panel->heat;
    size_t n = 0;

    for (size_t r = 0; r + 1 < h->rows; r++)
        for (size_t c = 0; c + 1 < h->columns; c++) {
            const double *low = h->z + r * h->columns + c, *high = low + h->columns;
            struct square s = {.z = {low[0], low[1], high[1], high[0]}};
            const double mean = (s.z[0] + s.z[1] + s.z[2] + s.z[3]) / 4;

            if (!isfinite(mean))
                continue;
            cross_edges(&s, (double)c, (double)r, level);
            /* a saddle: lines around the second and the fourth corner, or around the others */
            const int first = s.crossings == 4 && (mean > level) == (s.z[0] > level) ? 0 : 3;
            for (int k = 0; k < s.crossings; k++) {
                const int e = s.crossings == 4 ? (first + k) % 4 : s.edges[k];

                x[n] = yk_figure_grid_x(panel, s.x[e]);
                y[n++] = yk_figure_grid_y(panel, s.y[e]);
                if (k % 2) {
                    x[n] = y[n] = NAN;
                    n++;
                }
            }
        }
    return n;
}
