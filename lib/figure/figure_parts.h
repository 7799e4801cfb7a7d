/* Shared by the files of a figure: figure.c, figure_data.c, figure_layout.c, figure_look.c and figure_script.c. */
#ifndef YOKE_REPORT_FIGURE_PARTS_H
#define YOKE_REPORT_FIGURE_PARTS_H

#include <yoke/figure.h>

#include <stdio.h>

/* First line of a script, by which it is known as one of a figure. */
#define YK_FIGURE_HEADING "# Drawn from the data beside it; change what you like and run gnuplot on this file.\n"

enum { YK_FIGURE_PANELS = 20, YK_FIGURE_ENTRIES = 64 };

struct yk_figure_files {
    char *folder, *base;          /* "out/fig.svg": "out", "fig" */
    const char *ending;           /* ".svg" */
    char *data, *script, *output; /* with the folder */
};

/* ---- data ---- */

/* One column of the data file. */
struct yk_figure_column {
    const char *label;
    size_t n;
    const double *x;                   /* samples, or else ... */
    const struct yk_plot_panel *panel; /* ... a coordinate of its heat map: 0 for x, 1 for y */
    int coordinate;
};

struct yk_figure_table {
    struct yk_figure_column *columns;
    size_t count;
};

/* Text as a constant of gnuplot. It is put in single quotes, where no character is special; with a single quote in it,
 * which gnuplot does not always understand when doubled, in double quotes with ", \ and ` as octal numbers, so that
 * nothing is left to expand. Control characters become blanks, broken characters question marks. */
void yk_figure_quote(FILE *out, const char *text);

/* Number (from 1) of the column with these samples, added where it is new. */
size_t yk_figure_column_of(struct yk_figure_table *t, const char *label, const double *x, size_t n);
size_t yk_figure_heat_column(struct yk_figure_table *t, const char *label, const struct yk_plot_panel *panel,
                             int coordinate);
/* Position of a column or a row of the heat map of a panel; fractional numbers lie between two. */
double yk_figure_grid_x(const struct yk_plot_panel *panel, double column);
double yk_figure_grid_y(const struct yk_plot_panel *panel, double row);
void yk_figure_write_data(FILE *out, const struct yk_figure_table *t);

/* ---- look of curves ---- */

/* How a curve is drawn. */
struct yk_figure_look {
    enum yk_plot_style style;
    char colour[8];     /* "#0072B2" */
    const char *dashes; /* of gnuplot */
    double width;       /* of the line, in picture elements */
    int point;
    double size; /* of the points */
};

/* Entries of a legend, each with its look: of one panel, or of all that share it. */
struct yk_figure_legend {
    const struct yk_plot_series *entry[YK_FIGURE_ENTRIES];
    struct yk_figure_look look[YK_FIGURE_ENTRIES];
    size_t count;
};
/* Chooses the looks of the curves of `count` panels; equal names with equal styles look the same. */
void yk_figure_choose_looks(const struct yk_plot_panel *panels, size_t count, struct yk_figure_legend *legend);
const struct yk_figure_look *yk_figure_look_of(const struct yk_figure_legend *legend, const struct yk_plot_series *s);
/* In which order the curves of a panel are drawn, so that none hides another. */
void yk_figure_order(const struct yk_plot_panel *panel, size_t *order);

/* ---- where things lie ---- */

/* The range of an axis, and the distance of its numbers (0: logarithmic). */
struct yk_figure_range {
    double low, high, step;
};

/* In picture elements from the lower left corner; 96 of them are an inch on paper. */
struct yk_figure_panel_layout {
    double left, right, bottom, top;
    double room;              /* where its column ends; a panel of equal aspect may end before */
    double title_y, legend_y; /* middle of the title; of the first line of its own legend */
    double label_x, label_y;  /* middle of the labels of the y and the x axis */
    struct yk_figure_range x, y;
    bool x_labelled;
};

/* To the right of a map, for its colour scale and the label of that. */
#define YK_FIGURE_SCALE_ROOM 92.0

struct yk_figure_layout {
    double width, height, letters; /* of the page; size of the letters */
    double title_y;
    bool shared;                    /* one legend for all panels */
    double legend_left, legend_top; /* of the shared one: middle of its first line */
    struct yk_figure_legend legends[YK_FIGURE_PANELS];
    struct yk_figure_panel_layout panels[YK_FIGURE_PANELS];
};
/* For at most YK_FIGURE_PANELS panels. */
void yk_figure_lay_out(const struct yk_figure *figure, struct yk_figure_layout *layout);
/* Calls `put` for every entry of a legend that needs one, with the place of its sample; its lines lie between left and
 * right. */
void yk_figure_walk_legend(const struct yk_figure_layout *layout, const struct yk_figure_legend *legend, double left,
                           double right, double top, void (*put)(void *self, size_t entry, double x, double y),
                           void *self);
/* Smallest and largest value that an axis shows; false when there is none. */
bool yk_figure_data_range(const struct yk_plot_panel *p, bool along_x, double *low, double *high);
/* Round numbers around the values between two ends of x. */
struct yk_figure_range yk_figure_range_within(const struct yk_plot_panel *p, double x_min, double x_max, double most);
/* "%.2f" or so, for numbers of a range. */
void yk_figure_number_format(struct yk_figure_range range, char *format, size_t size);
/* The size of letters with which a text is not wider than the room. */
double yk_figure_fit(const char *text, double letters, double room);

/* ---- the script ---- */

/* Fills the table of columns on the way. */
void yk_figure_write_script(FILE *out, const struct yk_figure *figure, const struct yk_figure_layout *layout,
                            const struct yk_figure_files *f, struct yk_figure_table *t);

#endif
