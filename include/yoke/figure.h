/* Figures, drawn by gnuplot.
 *
 * A figure is written as data (fig.csv) and a script (fig.gp) next to the picture (fig.svg), then gnuplot is run. The
 * script names the data and the picture without a folder, so that it can be edited and run again in its folder:
 * `gnuplot fig.gp`. One house style, for print: as wide as two columns of a journal (180 mm) or one (88 mm), letters of
 * 9 points, colours that colour-blind readers can tell apart (Okabe and Ito), and dashes, widths and markers that tell
 * the curves apart without colours. Computed is blue, measured vermilion. Of curves that coincide each is seen: the
 * later ones are thinner, and dashed. Texts are printed as they are, without markup. */
#ifndef YOKE_FIGURE_H
#define YOKE_FIGURE_H

#include <yoke/status.h>

enum yk_plot_style {
    YK_PLOT_LINE,
    YK_PLOT_POINTS,
    YK_PLOT_LINE_POINTS,
    YK_PLOT_BARS,
    YK_PLOT_GUIDE,     /* thin, grey and dashed: slopes and limits to compare with */
    YK_PLOT_REFERENCE, /* wide and pale, behind all others: what they should follow */
    YK_PLOT_SURFACE,   /* closed polygons with a gap after each, filled */
    YK_PLOT_CONTOUR    /* black, on top: where a map has a certain value */
};

/* Origin of the values. */
enum yk_plot_origin { YK_PLOT_COMPUTED, YK_PLOT_MEASURED };

/* One curve; a value that is not finite leaves a gap. The arrays stay the caller's. */
struct yk_plot_series {
    const char *name;
    enum yk_plot_style style;
    size_t n;
    const double *x, *y;
    enum yk_plot_origin origin;
    const double *shade; /* of a surface: its colour by point, -1 to 1; NULL: one colour */
};

struct yk_plot_axis {
    const char *label; /* with its unit: "time [s]" */
    bool log;
    bool bounded; /* false: the range follows the data */
    double min, max;
};

/* Values on a grid that is even along the axes as they are drawn (in the logarithm where an axis is logarithmic),
 * z[row * columns + column]; the first value lies at (x_min, y_min). */
struct yk_plot_heat {
    const char *label; /* of the colour scale */
    size_t rows, columns;
    double x_min, x_max, y_min, y_max;
    const double *z;
    double z_min, z_max; /* of the colour scale; equal: as the data */
    /* A value that matters, such as the limit of stability: its contour is drawn and named in the legend, and the
     * colours change there. NULL: none. */
    const char *level_name;
    double level;
};

/* Part of a panel, enlarged in one of its corners; the y range follows the curves. */
enum yk_plot_corner {
    YK_PLOT_NO_INSET,
    YK_PLOT_TOP_RIGHT,
    YK_PLOT_TOP_LEFT,
    YK_PLOT_BOTTOM_RIGHT,
    YK_PLOT_BOTTOM_LEFT
};
struct yk_plot_inset {
    enum yk_plot_corner corner;
    double x_min, x_max;
};

struct yk_plot_panel {
    const char *title; /* NULL: none */
    struct yk_plot_axis x, y;
    const struct yk_plot_series *series;
    size_t count;
    const struct yk_plot_heat *heat; /* below the series; NULL: none */
    struct yk_plot_inset inset;
    bool equal_aspect; /* a metre to the right is as long as a metre up */
};

enum yk_plot_width { YK_PLOT_TWO_COLUMNS, YK_PLOT_ONE_COLUMN };

struct yk_figure {
    const char *title;                  /* NULL or "": none, as where a caption has it */
    const struct yk_plot_panel *panels; /* from top to bottom, row by row */
    size_t count;
    size_t columns; /* panels side by side; 0: one */
    enum yk_plot_width width;
    bool own_legends; /* false: one legend for all panels that stand side by side, or would have the same */
    bool own_scales;  /* false: panels whose axes have the same label have the same range, unless they are bounded */
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

/* The contour of a level of the heat map of a panel: pairs of points, a gap (NaN) after each. x and y have the room of
 * yk_plot_contour_room numbers each. Returns how many there are. A figure draws the contour of heat.level by itself. */
size_t yk_plot_contour_room(const struct yk_plot_heat *heat);
size_t yk_plot_contour(const struct yk_plot_panel *panel, double level, double *x, double *y);

/* The amplitude spectrum of n samples, dt seconds apart: frequencies in Hz, amplitudes in the unit of y (a sine has its
 * amplitude as its peak). Both have the room of yk_plot_spectrum_room numbers. Returns how many there are; 0 when out
 * of memory, or without two samples. */
size_t yk_plot_spectrum_room(size_t n);
size_t yk_plot_spectrum(const double *y, size_t n, double dt, double *frequency, double *amplitude);

#endif
