/* Figures: the data as CSV, a gnuplot script in the house style, and the picture that gnuplot draws from them.
 *
 * Whatever comes from a user (titles, names, labels, file names) reaches the script only through quote(): gnuplot
 * leaves single-quoted text alone. File names get "./" in front, since gnuplot runs a name that starts with < or | as a
 * command. */
#include "report/gnuplot.h"

#include <yoke/figure.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 900, HEIGHT = 480, PANEL_HEIGHT = 265, TITLE_HEIGHT = 50, COLOURS = 7, STYLES = 14, PANELS_MAX = 20 };
/* Panels side by side: room for a row of them, above it, below it and for a line of a legend. */
enum { GRID_HEIGHT = 225, GRID_ABOVE = 42, GRID_BELOW = 34, LABEL_HEIGHT = 34, LEGEND_LINE = 22, DENSE = 150 };
enum { LEGEND_MOST = 64 };
enum { SHARP_CELLS = 4096 }; /* cells of a heat map that is drawn cell by cell: viewers blur small images */
#define TIMEOUT_S 60.0
#define HEADING   "# Drawn from the data beside it; change what you like and run gnuplot on this file.\n"

/* Okabe and Ito 2008, in the order used here; their yellow is too pale for lines on white. */
static const char *const colours[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#000000"};

/* ---- names of the files ---- */

struct files {
    char *folder, *base;          /* "out/fig.svg": "out", "fig" */
    const char *ending;           /* ".svg" */
    char *data, *script, *output; /* with the folder */
};

static void free_files(struct files *f)
{
    free(f->folder);
    free(f->base);
    free(f->data);
    free(f->script);
    free(f->output);
}

static const char *find_ending(const char *path)
{
    static const char *const endings[] = {".svg", ".png", ".pdf"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t length = strlen(base);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > 4 && strcmp(base + length - 4, endings[i]) == 0)
            return endings[i];
    return NULL;
}

enum yk_status yk_figure_check_path(const char *path, struct yk_err *err)
{
    if (!find_ending(path))
        return yk_fail(err, YK_E_INPUT, "a picture must have a name that ends in .svg, .png or .pdf, not '%.200s'",
                       path);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if (*c < ' ' || *c == 0x7f)
            return yk_fail(err, YK_E_INPUT, "the name of a picture has a control character");
    return YK_OK;
}

/* "folder/base.ending"; NULL when out of memory */
static char *join(const char *folder, const char *base, const char *ending)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s%s", folder, base, ending) < 0 ? NULL : path;
}

static enum yk_status name_files(struct files *f, const char *path, struct yk_err *err)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    enum yk_status st = yk_figure_check_path(path, err);

    *f = (struct files){0};
    if (st)
        return st;
    f->ending = find_ending(path);
    f->folder = slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    f->base = strndup(base, strlen(base) - strlen(f->ending));
    f->output = strdup(path);
    if (!f->folder || !f->base || !f->output)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    f->data = join(f->folder, f->base, ".csv");
    f->script = join(f->folder, f->base, ".gp");
    return f->data && f->script ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* ---- texts ---- */

/* Bytes of the UTF-8 character at s, 0 where there is none. */
static size_t utf8_length(const unsigned char *s)
{
    const size_t length = *s < 0x80 ? 1 : *s >= 0xc2 && *s < 0xe0 ? 2 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;

    if (*s >= 0x80 && *s < 0xc2)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Text between two marks, a mark inside doubled: what both gnuplot ('') and CSV ("") understand. Control characters
 * become blanks, broken characters question marks. */
static void quote(FILE *out, const char *text, char mark)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");

    fputc(mark, out);
    while (*s) {
        const size_t length = utf8_length(s);

        if (length > 1)
            fwrite(s, 1, length, out);
        else if (*s == (unsigned char)mark)
            fprintf(out, "%c%c", mark, mark);
        else
            fputc(length == 0 ? '?' : *s < ' ' || *s == 0x7f ? ' ' : *s, out);
        s += length ? length : 1;
    }
    fputc(mark, out);
}

/* ---- data ---- */

/* One column of the data file. */
struct column {
    const char *label;
    size_t n;
    const double *x;                 /* samples, or else ... */
    const struct yk_plot_heat *heat; /* ... a coordinate of a heat map: 0 for x, 1 for y */
    int coordinate;
};

struct table {
    struct column *columns;
    size_t count;
};

static double column_value(const struct column *c, size_t i)
{
    const struct yk_plot_heat *h = c->heat;

    if (!h)
        return c->x[i];
    const size_t at = c->coordinate ? i / h->columns : i % h->columns,
                 most = (c->coordinate ? h->rows : h->columns) - 1;
    const double low = c->coordinate ? h->y_min : h->x_min, high = c->coordinate ? h->y_max : h->x_max;
    return most ? low + (high - low) * (double)at / (double)most : low;
}

/* Number (from 1) of the column with these samples, added where it is new. */
static size_t column_of(struct table *t, const char *label, const double *x, size_t n)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->columns[i].x == x && t->columns[i].n == n && strcmp(t->columns[i].label, label) == 0)
            return i + 1;
    t->columns[t->count] = (struct column){.label = label, .n = n, .x = x};
    return ++t->count;
}

static size_t heat_column(struct table *t, const char *label, const struct yk_plot_heat *heat, int coordinate)
{
    t->columns[t->count] =
        (struct column){.label = label, .n = heat->rows * heat->columns, .heat = heat, .coordinate = coordinate};
    return ++t->count;
}

static void write_data(FILE *out, const struct table *t)
{
    size_t rows = 0;

    for (size_t c = 0; c < t->count; c++) {
        rows = t->columns[c].n > rows ? t->columns[c].n : rows;
        fputs(c ? "," : "", out);
        quote(out, t->columns[c].label, '"');
    }
    fputc('\n', out);
    for (size_t i = 0; i < rows; i++) {
        for (size_t c = 0; c < t->count; c++) {
            const double value = i < t->columns[c].n ? column_value(&t->columns[c], i) : 0;

            fputs(c ? "," : "", out);
            if (i < t->columns[c].n)
                fprintf(out, isfinite(value) ? "%.10g" : "nan", value);
        }
        fputc('\n', out);
    }
}

/* ---- script ---- */

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

/* Smallest and largest value that an axis shows; false when there is none. */
static bool data_range(const struct yk_plot_panel *p, bool along_x, double *low, double *high)
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
    quote(out, labelled ? a->label : "", '\'');
    fputs(" noenhanced\n", out);
    write_range(out, axis, a, axis == 'x' ? lines : p->heat != NULL, bars);
    fprintf(out, "unset logscale %c\nset format %c '%%g'\nset %ctics autofreq\n", axis, axis, axis);
    if (a->log && (a->bounded || data_range(p, axis == 'x', &low, &high)))
        write_log_tics(out, axis, low, high, narrow);
}

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

/* gnuplot overestimates the width of long names in a legend, and would break it into too many lines. */
static void write_key_width(FILE *out, const struct legend *l)
{
    fprintf(out, "set key width %g\n", 1 - 0.22 * (double)l->longest);
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
        quote(out, g->legend.entry[i]->name, '\'');
    }
    fputc('\n', out);
}

static void write_panel(FILE *out, const struct yk_plot_panel *p, const struct grid *g, bool x_labelled,
                        struct table *t)
{
    struct legend own = {0};
    const struct legend *legend = g->columns > 1 ? &g->legend : &own;
    const char *comma = "plot ";

    legend_add(&own, p, false);
    fputc('\n', out);
    fputs("set title ", out);
    quote(out, p->title, '\'');
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
        const size_t x = heat_column(t, p->x.label, p->heat, 0), y = heat_column(t, p->y.label, p->heat, 1);

        if (p->heat->z_max > p->heat->z_min)
            fprintf(out, "set cbrange [%.17g:%.17g]\n", p->heat->z_min, p->heat->z_max);
        else
            fputs("set cbrange [*:*]\n", out);
        fputs("set cblabel ", out);
        quote(out, p->heat->label, '\'');
        fprintf(out, " noenhanced\nplot data skip 1 using %zu:%zu:%zu with image%s notitle", x, y,
                column_of(t, p->heat->label, p->heat->z, p->heat->rows * p->heat->columns),
                p->heat->rows * p->heat->columns <= SHARP_CELLS ? " pixels" : "");
        comma = ", \\\n     ";
    }
    for (size_t i = 0; i < p->count; i++, comma = ", \\\n     ") {
        const struct yk_plot_series *s = &p->series[i];
        const size_t x = column_of(t, p->x.label, s->x, s->n), y = column_of(t, s->name, s->y, s->n);

        fprintf(out, "%sdata skip 1 using %zu:%zu ", comma, x, y);
        write_style(out, s, legend_number(legend, g->columns > 1 ? legend_find(legend, s) : i));
        if (p->count == 1 && !p->heat) {
            fputs(" notitle", out);
        } else {
            fputs(" title ", out);
            quote(out, s->name, '\'');
        }
    }
    fputc('\n', out);
}

static void write_file_names(FILE *out, const struct files *f)
{
    char *name = NULL;

    if (asprintf(&name, "./%s.csv", f->base) < 0)
        return;
    fputs("data = ", out);
    quote(out, name, '\'');
    strcpy(name + strlen(name) - strlen(f->ending), f->ending);
    fputs("\nset output ", out);
    quote(out, name, '\'');
    fputc('\n', out);
    free(name);
}

/* Fills the table of columns on the way. */
static void write_script(FILE *out, const struct yk_figure *figure, const struct files *f, struct table *t)
{
    struct grid g;

    lay_out(figure, &g);
    fputs(HEADING, out);
    write_terminal(out, f->ending, g.height);
    write_file_names(out, f);
    write_house_style(out);
    if (g.columns > 1)
        write_grid(out, &g);
    else
        fprintf(out, "set lmargin 14\nset rmargin 3\nset multiplot layout %zu,1 title ", g.rows);
    quote(out, figure->title, '\'');
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

/* ---- the whole ---- */

static enum yk_status check_panels(const struct yk_figure *figure, struct yk_err *err)
{
    if (figure->count < 1 || figure->count > PANELS_MAX)
        return yk_fail(err, YK_E_RANGE, "a figure has 1 to %d panels, not %zu", PANELS_MAX, figure->count);
    for (size_t i = 0; i < figure->count; i++) {
        const struct yk_plot_panel *p = &figure->panels[i];
        double low, high;

        if (p->heat && (p->x.log || p->y.log))
            return yk_fail(err, YK_E_UNSUPPORTED, "a heat map has an even grid and no logarithmic axes");
        if (!p->heat && !data_range(p, true, &low, &high))
            return yk_fail(err, YK_E_INPUT, "panel %zu has no finite%s value to draw", i + 1,
                           p->x.log || p->y.log ? ", positive" : "");
    }
    return YK_OK;
}

/* Closes a file that was written; removes it when something went wrong. */
static enum yk_status close_file(FILE *out, const char *path, struct yk_err *err)
{
    const bool good = !ferror(out);

    if (fclose(out) == 0 && good)
        return YK_OK;
    const int error = errno;
    unlink(path);
    return yk_fail(err, YK_E_IO, "cannot write %s: %s", path, strerror(error));
}

/* fig.svg takes fig.csv and fig.gp with it: what stands there must be of an earlier figure. */
static enum yk_status check_files(const struct files *f, struct yk_err *err)
{
    char line[sizeof HEADING] = "";
    FILE *script = fopen(f->script, "r");
    const bool ours = script && fgets(line, sizeof line, script) && strcmp(line, HEADING) == 0;

    if (script)
        fclose(script);
    if (!ours && (script || access(f->data, F_OK) == 0))
        return yk_fail(err, YK_E_INPUT, "%s is there and does not belong to a figure; give the picture another name",
                       script ? f->script : f->data);
    return YK_OK;
}

static enum yk_status write_files(const struct yk_figure *figure, const struct files *f, struct table *t,
                                  struct yk_err *err)
{
    FILE *out = fopen(f->script, "w");
    enum yk_status st;

    if (!out)
        return yk_fail(err, YK_E_IO, "cannot write %s: %s", f->script, strerror(errno));
    write_script(out, figure, f, t);
    if ((st = close_file(out, f->script, err)))
        return st;
    if (!(out = fopen(f->data, "w")))
        return yk_fail(err, YK_E_IO, "cannot write %s: %s", f->data, strerror(errno));
    write_data(out, t);
    return close_file(out, f->data, err);
}

static enum yk_status draw(const struct yk_figure *figure, const struct files *f, struct yk_err *err)
{
    char *script = NULL;
    enum yk_status st;

    if (asprintf(&script, "./%s.gp", f->base) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    unlink(f->output); /* a failure must not leave an older picture in its place */
    if ((st = yk_gnuplot_run(f->folder, script, figure->timeout_s > 0 ? figure->timeout_s : TIMEOUT_S, err))) {
        unlink(f->output);
        yk_fail_within(err, YK_NOWHERE, "no picture %s (data and script are in %s and %s): ", f->output, f->data,
                       f->script);
    }
    free(script);
    return st;
}

enum yk_status yk_figure_write(const struct yk_figure *figure, const char *path, struct yk_err *err)
{
    size_t columns = 0;
    struct files f = {0};
    enum yk_status st;

    if ((st = check_panels(figure, err)))
        return st;
    for (size_t i = 0; i < figure->count; i++)
        columns += 2 * figure->panels[i].count + 3;
    struct table t = {.columns = calloc(columns, sizeof *t.columns)};
    if (!t.columns)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = name_files(&f, path, err)) && !(st = check_files(&f, err)) &&
             !(st = write_files(figure, &f, &t, err)))
        st = draw(figure, &f, err);
    free_files(&f);
    free(t.columns);
    return st;
}
