/* The gnuplot script of a figure, in the house style: terminal, axes, legends, panels.
 *
 * Whatever comes from a user (titles, names, labels, file names) reaches the script only through yk_figure_quote():
 * whatever they hold, they stay text. File names get "./" in front, since gnuplot runs a name that starts with < or |
 * as a command. */
#include "report/figure_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 900, HEIGHT = 480, PANEL_HEIGHT = 265, TITLE_HEIGHT = 50, COLOURS = 7, STYLES = 14 };
/* Panels side by side: room for a row of them, above it, below it and for a line of a legend. */
enum { GRID_HEIGHT = 225, GRID_ABOVE = 42, GRID_BELOW = 34, LABEL_HEIGHT = 34, LEGEND_LINE = 22, DENSE = 150 };
enum { LEGEND_MOST = 64 };
enum { SHARP_CELLS = 4096 }; /* cells of a heat map that is drawn cell by cell: viewers blur small images */

/* Okabe and Ito 2008, in the order used here; their yellow is too pale for lines on white. */
static const char *const colours[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000"};

/* ---- the page ---- */

static void write_terminal(FILE *out, const char *ending, int height)
{
    const double inch = 100; /* picture elements to an inch on paper */

    if (strcmp(ending, ".svg") == 0)
        fprintf(out, "set terminal svg size %d,%d font 'Arial,14' background '#ffffff'\n", WIDTH, height);
    else if (strcmp(ending, ".png") == 0)
        fprintf(out, "set terminal pngcairo size %d,%d font 'Arial,14' fontscale 1.7 linewidth 2 pointscale 2\n",
                2 * WIDTH, 2 * height);
    else
        fprintf(out, "set terminal pdfcairo size %gin,%gin font 'Arial,14' fontscale 0.72 linewidth 1.5\n",
                WIDTH / inch, height / inch);
}

static void write_house_style(FILE *out)
{
    fputs("set encoding utf8\n"
          "set datafile separator ','\n"
          "set border 3 lc rgb '#444444'\n"
          "set grid lc rgb '#cccccc' lw 0.6 dt 1\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
          "set key tmargin left horizontal Left reverse noenhanced samplen 2\n"
          "set style fill solid 0.75 noborder\n"
          "set boxwidth 0.8 relative\n"
          "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n",
          out);
    for (int i = 0; i < STYLES; i++)
        fprintf(out, "set style line %d lc rgb '%s' lw 1.8 dt %d pt %d ps 0.7\n", i + 1, colours[i % COLOURS],
                i < COLOURS ? 1 : 2, i % 2 ? 5 : 7);
}

static void write_file_names(FILE *out, const struct yk_figure_files *f)
{
    char *name = NULL;

    if (asprintf(&name, "./%s.csv", f->base) < 0)
        return;
    fputs("data = ", out);
    yk_figure_quote(out, name);
    strcpy(name + strlen(name) - strlen(f->ending), f->ending);
    fputs("\nset output ", out);
    yk_figure_quote(out, name);
    fputc('\n', out);
    free(name);
}

/* ---- axes ---- */

bool yk_figure_data_range(const struct yk_plot_panel *p, bool along_x, double *low, double *high)
{
    const bool log_x = p->x.log, log_y = p->y.log;

    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < p->count; s++)
        for (size_t i = 0; i < p->series[s].n; i++) {
            const double x = p->series[s].x[i], y = p->series[s].y[i], value = along_x ? x : y;

            if (!isfinite(x) || !isfinite(y) || (log_x && x <= 0) || (log_y && y <= 0))
                continue;
            *low = fmin(*low, value);
            *high = fmax(*high, value);
        }
    return *low <= *high;
}

/* A logarithmic axis of a few decades gets numbers at 1, 2 and 5; powers of ten alone would leave it bare. */
static void write_log_tics(FILE *out, char axis, double low, double high, bool narrow)
{
    const double few_decades = narrow ? 1 : 3;
    static const double steps[] = {1, 2, 5};
    const char *comma = "";

    fprintf(out, "set logscale %c\nset m%ctics 10\n", axis, axis);
    if (!(log10(high / low) < few_decades)) {
        fprintf(out, "set format %c '10^{%%T}'\n", axis);
        return;
    }
    fprintf(out, "set %ctics (", axis);
    for (int decade = (int)floor(log10(low)); decade <= (int)ceil(log10(high)); decade++)
        for (int i = 0; i < 3; i++, comma = ", ")
            fprintf(out, "%s'%g' %g", comma, steps[i] * pow(10, decade), steps[i] * pow(10, decade));
    fputs(")\n", out);
}

/* Ends of an axis: as given, or those of the data; bars stand on zero. */
static void write_range(FILE *out, char axis, const struct yk_plot_axis *a, bool tight, bool bars)
{
    if (a->bounded)
        fprintf(out, "set %crange [%.10g:%.10g]\n", axis, a->min, a->max);
    else if (bars && axis == 'y' && !a->log)
        fprintf(out, "set yrange [*<0:0<*]\n");
    else
        fprintf(out, "set %crange [*:*]%s\n", axis, tight ? " noextend" : "");
}

static void write_axis(FILE *out, char axis, const struct yk_plot_panel *p, bool labelled, bool narrow)
{
    const struct yk_plot_axis *a = axis == 'x' ? &p->x : &p->y;
    bool lines = true, bars = false;
    double low = a->min, high = a->max;

    for (size_t i = 0; i < p->count; i++) {
        lines &= p->series[i].style == YK_PLOT_LINE || p->series[i].style == YK_PLOT_GUIDE;
        bars |= p->series[i].style == YK_PLOT_BARS;
    }
    fprintf(out, "set %clabel ", axis);
    yk_figure_quote(out, labelled ? a->label : "");
    fputs(" noenhanced\n", out);
    write_range(out, axis, a, axis == 'x' ? lines : p->heat != NULL, bars);
    fprintf(out, "unset logscale %c\nunset m%ctics\nset format %c '%%g'\nset %ctics autofreq\n", axis, axis, axis,
            axis);
    if (a->log && (a->bounded || yk_figure_data_range(p, axis == 'x', &low, &high)))
        write_log_tics(out, axis, low, high, narrow);
}

/* ---- legends ---- */

/* What the legend of a panel, or of all panels side by side, shows: a curve of the same name and style looks the same
 * in all of them. */
struct legend {
    const struct yk_plot_series *entry[LEGEND_MOST];
    size_t number[LEGEND_MOST]; /* of its colour, or of its dashes where it is a guide */
    size_t count, colours, guides, longest;
};

static size_t legend_find(const struct legend *l, const struct yk_plot_series *s)
{
    size_t i = 0;

    while (i < l->count && (strcmp(l->entry[i]->name, s->name) != 0 || l->entry[i]->style != s->style))
        i++;
    return i;
}

/* Of entry i; beyond the legend the colours go round. */
static size_t legend_number(const struct legend *l, size_t i)
{
    return i < l->count ? l->number[i] : i;
}

static void legend_add(struct legend *l, const struct yk_plot_panel *p, bool merge)
{
    for (size_t i = 0; i < p->count && l->count < LEGEND_MOST; i++) {
        const struct yk_plot_series *s = &p->series[i];

        if (merge && legend_find(l, s) < l->count)
            continue;
        l->number[l->count] = s->style == YK_PLOT_GUIDE ? l->guides++ : l->colours++;
        l->entry[l->count++] = s;
        l->longest = strlen(s->name) > l->longest ? strlen(s->name) : l->longest;
    }
}

static void write_style(FILE *out, const struct yk_plot_series *s, size_t number)
{
    static const char *const words[] = {[YK_PLOT_LINE] = "lines",
                                        [YK_PLOT_POINTS] = "points",
                                        [YK_PLOT_LINE_POINTS] = "linespoints",
                                        [YK_PLOT_BARS] = "boxes",
                                        [YK_PLOT_GUIDE] = "lines"};

    if (s->style == YK_PLOT_GUIDE)
        fprintf(out, "with %s lc rgb '#777777' lw 1.2 dt %zu", words[s->style], 2 + number % 4);
    else
        fprintf(out, "with %s ls %zu%s", words[s->style], 1 + number % STYLES,
                s->style == YK_PLOT_POINTS && s->n > DENSE ? " ps 0.25" : "");
}

/* gnuplot overestimates the width of long names in a legend, and would break it into too many lines. */
static void write_key_width(FILE *out, const struct legend *l)
{
    fprintf(out, "set key width %g\n", 1 - 0.22 * (double)l->longest);
}

/* ---- how panels lie ---- */

/* How the panels of a figure lie. Side by side they share a legend below the title. */
struct grid {
    size_t columns, rows;
    struct legend legend; /* of panels side by side */
    int legend_columns, legend_height;
    int height; /* of the whole */
};

static void lay_out(const struct yk_figure *figure, struct grid *g)
{
    *g = (struct grid){.columns = figure->columns > 1 ? figure->columns : 1};
    g->rows = (figure->count + g->columns - 1) / g->columns;
    if (g->columns == 1) {
        g->height = figure->count > 1 ? TITLE_HEIGHT + PANEL_HEIGHT * (int)figure->count : HEIGHT;
        return;
    }
    for (size_t i = 0; i < figure->count; i++)
        legend_add(&g->legend, &figure->panels[i], true);
    const int beside = (WIDTH - 60) / (60 + 8 * (int)g->legend.longest); /* about eight picture elements to a letter */
    g->legend_columns = beside > 1 ? beside : 1;
    if (g->legend.count > 1)
        g->legend_height = LEGEND_LINE * (((int)g->legend.count + g->legend_columns - 1) / g->legend_columns);
    g->height = TITLE_HEIGHT + LABEL_HEIGHT + g->legend_height + (int)g->rows * (GRID_HEIGHT + GRID_ABOVE + GRID_BELOW);
}

/* Where the panels side by side lie, in fractions of the whole. */
static void write_grid(FILE *out, const struct grid *g)
{
    const double height = g->height;

    fprintf(out, "set multiplot layout %zu,%zu margins screen %g,%g,%g,%g spacing screen %g,%g title ", g->rows,
            g->columns, 0.105, 0.985, (LABEL_HEIGHT + GRID_BELOW) / height,
            1 - (TITLE_HEIGHT + GRID_ABOVE + g->legend_height) / height, 0.23 / (double)g->columns,
            (double)(GRID_ABOVE + GRID_BELOW) / height);
}

/* The legend of all panels: a plot of its own without axes, since a legend is never wider than its plot. */
static void write_shared_key(FILE *out, const struct grid *g)
{
    const double top = 1 - (TITLE_HEIGHT - 8) / (double)g->height;

    fprintf(out,
            "\nunset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset grid\nunset logscale\n"
            "set lmargin at screen 0.05\nset rmargin at screen 0.95\n"
            "set bmargin at screen %g\nset tmargin at screen %g\nset xrange [0:1]\nset yrange [0:1]\n"
            "set key inside center top horizontal Left reverse noenhanced samplen 2 maxcols %d\n",
            top - g->legend_height / (double)g->height, top, g->legend_columns);
    write_key_width(out, &g->legend);
    for (size_t i = 0; i < g->legend.count; i++) {
        fputs(i ? ", \\\n     keyentry " : "plot -1 notitle, keyentry ", out);
        write_style(out, g->legend.entry[i], g->legend.number[i]);
        fputs(" title ", out);
        yk_figure_quote(out, g->legend.entry[i]->name);
    }
    fputc('\n', out);
}

/* ---- panels ---- */

static void write_heat(FILE *out, const struct yk_plot_panel *p, struct yk_figure_table *t)
{
    const struct yk_plot_heat *heat = p->heat;
    const size_t cells = heat->rows * heat->columns, x = yk_figure_heat_column(t, p->x.label, heat, 0),
                 y = yk_figure_heat_column(t, p->y.label, heat, 1),
                 z = yk_figure_column_of(t, heat->label, heat->z, cells);

    if (heat->z_max > heat->z_min)
        fprintf(out, "set cbrange [%.17g:%.17g]\n", heat->z_min, heat->z_max);
    else
        fputs("set cbrange [*:*]\n", out);
    fputs("set cblabel ", out);
    yk_figure_quote(out, heat->label);
    fprintf(out, " noenhanced\nplot data skip 1 using %zu:%zu:%zu with image%s notitle", x, y, z,
            cells <= SHARP_CELLS ? " pixels" : "");
}

static void write_panel(FILE *out, const struct yk_plot_panel *p, const struct grid *g, bool x_labelled,
                        struct yk_figure_table *t)
{
    struct legend own = {0};
    const struct legend *legend = g->columns > 1 ? &g->legend : &own;
    const char *comma = "plot ";

    legend_add(&own, p, false);
    fputc('\n', out);
    fputs("set title ", out);
    yk_figure_quote(out, p->title);
    fputs(g->columns > 1 ? " offset 0,-0.5 noenhanced\n" : " noenhanced\n", out);
    if (g->columns > 1)
        fputs("unset key\n", out);
    else
        write_key_width(out, &own);
    if (g->columns == 1)
        fprintf(out, "set bmargin %g\n", x_labelled ? 3.5 : 2);
    write_axis(out, 'x', p, x_labelled, g->columns > 1);
    write_axis(out, 'y', p, true, g->columns > 1);
    if (p->heat) {
        write_heat(out, p, t);
        comma = ", \\\n     ";
    }
    for (size_t i = 0; i < p->count; i++, comma = ", \\\n     ") {
        const struct yk_plot_series *s = &p->series[i];
        const size_t x = yk_figure_column_of(t, p->x.label, s->x, s->n),
                     y = yk_figure_column_of(t, s->name, s->y, s->n);

        fprintf(out, "%sdata skip 1 using %zu:%zu ", comma, x, y);
        write_style(out, s, legend_number(legend, g->columns > 1 ? legend_find(legend, s) : i));
        if (p->count == 1 && !p->heat) {
            fputs(" notitle", out);
        } else {
            fputs(" title ", out);
            yk_figure_quote(out, s->name);
        }
    }
    fputc('\n', out);
}

void yk_figure_write_script(FILE *out, const struct yk_figure *figure, const struct yk_figure_files *f,
                            struct yk_figure_table *t)
{
    struct grid g;

    lay_out(figure, &g);
    fputs(YK_FIGURE_HEADING, out);
    write_terminal(out, f->ending, g.height);
    write_file_names(out, f);
    write_house_style(out);
    if (g.columns > 1)
        write_grid(out, &g);
    else
        fprintf(out, "set lmargin 14\nset rmargin 3\nset multiplot layout %zu,1 title ", g.rows);
    yk_figure_quote(out, figure->title);
    fputs(" font ',17' noenhanced\n", out);
    for (size_t i = 0; i < figure->count; i++) {
        const struct yk_plot_panel *p = &figure->panels[i];
        const bool last = i + g.columns >= figure->count;

        write_panel(out, p, &g, last || strcmp(p->x.label, figure->panels[i + g.columns].x.label) != 0, t);
    }
    if (g.legend_height)
        write_shared_key(out, &g);
    fputs("\nunset multiplot\nunset output\n", out);
}
