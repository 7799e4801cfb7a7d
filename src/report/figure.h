/* Figures, drawn by gnuplot.
 *
 * A figure is written as data (fig.csv) and a script (fig.gp) next to the picture (fig.svg), then gnuplot is run. The
 * script names the data and the picture without a folder, so that it can be edited and run again in its folder:
 * `gnuplot fig.gp`. One house style: colours that colour-blind readers can tell apart (Okabe and Ito), thin grid,
 * legend above the panel. Texts are printed as they are, without markup. */
#ifndef YOKE_FIGURE_H
#define YOKE_FIGURE_H

#include <yoke/status.h>

enum yk_plot_style {
    YK_PLOT_LINE,
    YK_PLOT_POINTS,
    YK_PLOT_LINE_POINTS,
    YK_PLOT_BARS,
    YK_PLOT_GUIDE /* thin, grey and dashed: slopes and limits to compare with */
};

/* One curve; a value that is not finite leaves a gap. The arrays stay the caller's. */
struct yk_plot_series {
    const char *name;
    enum yk_plot_style style;
    size_t n;
    const double *x, *y;
};

struct yk_plot_axis {
    const char *label; /* with its unit: "time [s]" */
    bool log;
    bool bounded; /* false: the range follows the data */
    double min, max;
};

/* Values on an even grid, z[row * columns + column]; the first value lies at (x_min, y_min). */
struct yk_plot_heat {
    const char *label; /* of the colour scale */
    size_t rows, columns;
    double x_min, x_max, y_min, y_max;
    const double *z;
    double z_min, z_max; /* of the colour scale; equal: as the data */
};

struct yk_plot_panel {
    const char *title; /* NULL: none */
    struct yk_plot_axis x, y;
    const struct yk_plot_series *series;
    size_t count;
    const struct yk_plot_heat *heat; /* below the series; NULL: none */
};

struct yk_figure {
    const char *title;
    const struct yk_plot_panel *panels; /* from top to bottom, row by row */
    size_t count;
    size_t columns;   /* panels side by side; 0: one */
    double timeout_s; /* for gnuplot; 0: a minute */
};

/* Can a picture have this name? It must end in .svg, .png or .pdf. For a check before a long computation. */
enum yk_status yk_figure_check_path(const char *path, struct yk_err *err);
/* Writes data, script and picture. Refuses to replace a .csv or .gp that is not of a figure. Without gnuplot, or when
 * it fails, data and script are still written, and the message explains what to do. */
enum yk_status yk_figure_write(const struct yk_figure *figure, const char *path, struct yk_err *err);

/* At most `most` (4 or more) of n samples that draw the same picture: of every stretch the samples with the smallest
 * and the largest x and y, in their order. Writes their indices to `index` and returns how many there are. */
size_t yk_plot_thin(const double *x, const double *y, size_t n, size_t most, size_t *index);

#endif
