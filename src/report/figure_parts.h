/* Shared by figure.c, figure_data.c and figure_script.c. */
#ifndef YOKE_REPORT_FIGURE_PARTS_H
#define YOKE_REPORT_FIGURE_PARTS_H

#include "report/figure.h"

#include <stdio.h>

/* First line of a script, by which it is known as one of a figure. */
#define YK_FIGURE_HEADING "# Drawn from the data beside it; change what you like and run gnuplot on this file.\n"

struct yk_figure_files {
    char *folder, *base;          /* "out/fig.svg": "out", "fig" */
    const char *ending;           /* ".svg" */
    char *data, *script, *output; /* with the folder */
};

/* One column of the data file. */
struct yk_figure_column {
    const char *label;
    size_t n;
    const double *x;                 /* samples, or else ... */
    const struct yk_plot_heat *heat; /* ... a coordinate of a heat map: 0 for x, 1 for y */
    int coordinate;
};

struct yk_figure_table {
    struct yk_figure_column *columns;
    size_t count;
};

/* Text as a constant of gnuplot. It is put in single quotes, where no character is special; with a single quote in it,
 * which `set multiplot` does not always understand when doubled, in double quotes with ", \ and ` as octal numbers, so
 * that nothing is left to expand. Control characters become blanks, broken characters question marks. */
void yk_figure_quote(FILE *out, const char *text);
/* The same text as a cell of CSV, in double quotes. */
void yk_figure_put_cell(FILE *out, const char *text);

/* Number (from 1) of the column with these samples, added where it is new. */
size_t yk_figure_column_of(struct yk_figure_table *t, const char *label, const double *x, size_t n);
size_t yk_figure_heat_column(struct yk_figure_table *t, const char *label, const struct yk_plot_heat *heat,
                             int coordinate);
void yk_figure_write_data(FILE *out, const struct yk_figure_table *t);

/* Smallest and largest value that an axis shows; false when there is none. */
bool yk_figure_data_range(const struct yk_plot_panel *p, bool along_x, double *low, double *high);
/* Fills the table of columns on the way. */
void yk_figure_write_script(FILE *out, const struct yk_figure *figure, const struct yk_figure_files *f,
                            struct yk_figure_table *t);

#endif
