/* The gnuplot script of a figure, in the house style: terminal, axes, legends, panels, each at its place
 * (figure_layout.c) and with its look (figure_look.c).
 *
 * Whatever comes from a user (titles, names, labels, file names) reaches the script only through yk_figure_quote():
 * whatever they hold, they stay text. File names get "./" in front, since gnuplot runs a name that starts with < or |
 * as a command. */
#include "figure_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE_POINTS = 150, SHARP_CELLS = 4096 }; /* viewers blur small images: those are drawn cell by cell */

/* A gnuplot script under way: its file, figure, layout and data. */
struct script {
    FILE *out;
    const struct yk_figure *figure;
    const struct yk_figure_layout *l;
    struct yk_figure_table *t;
};

/* ---- the page ---- */

static void write_terminal(const struct script *s, const char *ending)
{
    const double inch = 96, scale = 3; /* picture elements to an inch on paper; of a bitmap, for 288 to the inch */
    const double width = s->l->width, height = s->l->height, letters = s->l->letters;

    if (strcmp(ending, ".svg") == 0)
        fprintf(s->out, "set terminal svg size %g,%g font 'Arial,%g' background '#ffffff'\n", width, height, letters);
    else if (strcmp(ending, ".png") == 0)
        fprintf(s->out, "set terminal pngcairo size %g,%g font 'Arial,%g' fontscale %g linewidth %g pointscale %g\n",
                scale * width, scale * height, letters, 0.75 * scale, scale, scale);
    else
        fprintf(s->out, "set terminal pdfcairo size %.4gin,%.4gin font 'Arial,%g' fontscale 0.56 linewidth 1.5\n",
                width / inch, height / inch, letters);
}

static void write_house_style(FILE *out)
{
    fputs("set encoding utf8\n"
          "set datafile separator ','\n"
          "set border 3 lc rgb '#444444' lw 1\n"
          "set grid lt 1 lc rgb '#dddddd' lw 0.7 dt solid\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#222222'\n"
          "set xtics offset 0,0.4\nset ytics offset 0.6,0\n"
          "unset key\n"
          "set style fill solid 1 noborder\n"
          "set boxwidth 0.8 relative\n"
          "# colours of a surface: blue below zero, vermilion above\n"
          "part(v, full) = int(255 - (255 - full) * (v < -1 ? 1 : v > 1 ? 1 : abs(v)))\n"
          "shade(v) = v < 0 ? part(v, 0) * 65536 + part(v, 114) * 256 + part(v, 178)"
          " : part(v, 213) * 65536 + part(v, 94) * 256 + part(v, 0)\n",
          out);
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

/* "screen 0.5,0.3", of a place in picture elements */
static void put_place(const struct script *s, double x, double y)
{
    fprintf(s->out, "screen %.6g,%.6g", x / s->l->width, y / s->l->height);
}

static void put_text(const struct script *s, const char *text, double x, double y, const char *align, double letters)
{
    fputs("set label ", s->out);
    yk_figure_quote(s->out, text);
    fputs(" at ", s->out);
    put_place(s, x, y);
    fprintf(s->out, " %s font ',%.3g' noenhanced\n", align, letters);
}

/* ---- axes ---- */

/* A logarithmic axis of a few decades gets numbers at 1, 2 and 5; powers of ten alone would leave it bare. On the axes
 * of a map, which are even in the logarithm, the numbers stand at their logarithms. */
static void write_log_tics(FILE *out, char axis, struct yk_figure_range r, double room, bool of_map)
{
    static const double steps[] = {1, 2, 5};
    const double decades = log10(r.high / r.low);
    const bool powers = !(decades < 3) || !(decades * 3 < room) || (r.low < 1e-4 && r.high > 2e-4),
               plain = r.low >= 0.9e-3 && r.high <= 1.1e4;
    const int every = (int)fmax(1, ceil(decades / room));
    const char *comma = "";

    if (!of_map)
        fprintf(out, "set logscale %c\nset m%ctics 10\n", axis, axis);
    fprintf(out, "set %ctics (", axis);
    for (int decade = (int)floor(log10(r.low)); decade <= (int)ceil(log10(r.high)); decade++)
        for (int i = 0; i < (powers ? 1 : 3); i++) {
            const double at = steps[i] * pow(10, decade);

            if (decade % every || at < 0.999 * r.low || at > 1.001 * r.high)
                continue;
            if (plain || !powers)
                fprintf(out, "%s'%g' %.10g", comma, at, of_map ? log10(at) : at);
            else
                fprintf(out, "%s'10^{%d}' %.10g", comma, decade, of_map ? log10(at) : at);
            comma = ", ";
        }
    fputs(")\n", out);
}

static void write_axis(const struct script *s, char axis, size_t panel)
{
    const struct yk_plot_panel *p = &s->figure->panels[panel];
    const struct yk_figure_panel_layout *at = &s->l->panels[panel];
    const bool x = axis == 'x';
    const struct yk_plot_axis *a = x ? &p->x : &p->y;
    const struct yk_figure_range r = x ? at->x : at->y;
    const double length = x ? at->right - at->left : at->top - at->bottom;
    const bool of_map = p->heat && a->log;
    char format[16];

    if (!x)
        put_text(s, a->label, at->label_x, (at->bottom + at->top) / 2, "rotate by 90 center",
                 yk_figure_fit(a->label, s->l->letters, length + 30));
    else if (at->x_labelled)
        put_text(s, a->label, (at->left + at->right) / 2, at->label_y, "center",
                 yk_figure_fit(a->label, s->l->letters, length + 30));
    if (of_map)
        fprintf(s->out, "set %crange [%.10g:%.10g]\n", axis, log10(r.low), log10(r.high));
    else
        fprintf(s->out, "set %crange [%.10g:%.10g]\n", axis, r.low, r.high);
    fprintf(s->out, "unset logscale %c\nunset m%ctics\n", axis, axis);
    if (a->log) {
        fprintf(s->out, "set format %c '%%g'\n", axis);
        write_log_tics(s->out, axis, r, length / (x ? 40 : 24), of_map);
    } else {
        yk_figure_number_format(r, format, sizeof format);
        fprintf(s->out, "set format %c '%s'\nset %ctics autofreq %.10g\n", axis, format, axis, r.step);
    }
}

/* ---- curves ---- */

static void write_look(FILE *out, const struct yk_figure_look *k, size_t n)
{
    switch (k->style) {
    case YK_PLOT_POINTS:
        fprintf(out, "with points lc rgb '%s' lw 1.2 pt %d ps %g", k->colour, k->point,
                n > DENSE_POINTS ? 0.25 : k->size);
        break;
    case YK_PLOT_LINE_POINTS:
        fprintf(out, "with linespoints lc rgb '%s' lw %g pt %d ps %g", k->colour, k->width, k->point, k->size);
        break;
    case YK_PLOT_BARS:
        fprintf(out, "with boxes fs solid 0.8 noborder lc rgb '%s'", k->colour);
        break;
    case YK_PLOT_SURFACE:
        fprintf(out, "with polygons fs solid 1 noborder fc rgb '%s'", k->colour);
        break;
    default:
        fprintf(out, "with lines lc rgb '%s' lw %g dt %s", k->colour, k->width, k->dashes);
    }
}

/* "3", or "(log10($3))" on the logarithmic axis of a map */
static void put_column(FILE *out, size_t column, bool logarithm)
{
    fprintf(out, logarithm ? "(log10($%zu))" : "%zu", column);
}

static void write_curves(const struct script *s, const struct yk_plot_panel *p, const struct yk_figure_legend *legend,
                         const char *comma)
{
    size_t order[YK_FIGURE_ENTRIES];
    const size_t count = p->count < YK_FIGURE_ENTRIES ? p->count : YK_FIGURE_ENTRIES;

    yk_figure_order(&(struct yk_plot_panel){.x = p->x, .y = p->y, .series = p->series, .count = count}, order);
    for (size_t i = 0; i < count; i++) { /* columns in the order of the caller */
        yk_figure_column_of(s->t, p->x.label, p->series[i].x, p->series[i].n);
        yk_figure_column_of(s->t, p->series[i].name, p->series[i].y, p->series[i].n);
    }
    for (size_t i = 0; i < count; i++, comma = ", \\\n     ") {
        const struct yk_plot_series *c = &p->series[order[i]];
        const size_t x = yk_figure_column_of(s->t, p->x.label, c->x, c->n),
                     y = yk_figure_column_of(s->t, c->name, c->y, c->n);

        fprintf(s->out, "%sdata skip 1 using ", comma);
        put_column(s->out, x, p->heat && p->x.log);
        fputc(':', s->out);
        put_column(s->out, y, p->heat && p->y.log);
        if (c->style == YK_PLOT_SURFACE && c->shade) {
            fprintf(s->out, ":(shade($%zu)) with polygons fs solid 1 noborder lc rgb variable",
                    yk_figure_column_of(s->t, "shade", c->shade, c->n));
        } else {
            fputc(' ', s->out);
            write_look(s->out, yk_figure_look_of(legend, c), c->n);
        }
    }
    fputc('\n', s->out);
}

/* ---- legends ---- */

struct legend_walk {
    const struct script *s;
    const struct yk_figure_legend *legend;
};

static void put_entry(void *self, size_t i, double x, double y)
{
    const struct legend_walk *w = self;
    const struct script *s = w->s;
    const struct yk_figure_look *k = &w->legend->look[i];
    const bool box = k->style == YK_PLOT_BARS || k->style == YK_PLOT_SURFACE, points = k->style == YK_PLOT_POINTS;

    if (box) {
        fputs("set object rectangle from ", s->out);
        put_place(s, x + 8, y - 5);
        fputs(" to ", s->out);
        put_place(s, x + 26, y + 5);
        fprintf(s->out, " fc rgb '%s' fs solid 0.8 noborder\n", k->colour);
    } else if (!points) {
        fputs("set arrow from ", s->out);
        put_place(s, x, y);
        fputs(" to ", s->out);
        put_place(s, x + 28, y);
        fprintf(s->out, " nohead lc rgb '%s' lw %g dt %s\n", k->colour, k->width, k->dashes);
    }
    if (points || k->style == YK_PLOT_LINE_POINTS) {
        fputs("set label '' at ", s->out);
        put_place(s, x + 14, y);
        fprintf(s->out, " point lc rgb '%s' pt %d ps %g\n", k->colour, k->point, k->size);
    }
    put_text(s, w->legend->entry[i]->name, x + 33, y, "left", s->l->letters);
}

static void write_legend(const struct script *s, const struct yk_figure_legend *legend, double left, double right,
                         double top)
{
    yk_figure_walk_legend(s->l, legend, left, right, top, put_entry, &(struct legend_walk){s, legend});
}

/* ---- panels ---- */

static void write_margins(const struct script *s, double left, double right, double bottom, double top)
{
    fprintf(s->out,
            "set lmargin at screen %.6g\nset rmargin at screen %.6g\nset bmargin at screen %.6g\nset tmargin at "
            "screen %.6g\n",
            left / s->l->width, right / s->l->width, bottom / s->l->height, top / s->l->height);
}

/* The colours of a map: pale to dark; or from blue through white to vermilion, with white at the level. */
static void write_palette(FILE *out, const struct yk_plot_heat *h)
{
    double low = h->z_min, high = h->z_max;

    if (!(high > low)) {
        low = INFINITY;
        high = -INFINITY;
        for (size_t i = 0; i < h->rows * h->columns; i++)
            if (isfinite(h->z[i])) {
                low = fmin(low, h->z[i]);
                high = fmax(high, h->z[i]);
            }
        if (!(low < high)) {
            low = isfinite(low) ? low - 0.5 : 0;
            high = low + 1;
        }
    }
    fprintf(out, "set cbrange [%.17g:%.17g]\n", low, high);
    if (h->level_name && h->level > low && h->level < high)
        fprintf(out,
                "set palette defined (%.10g '#0072B2', %.10g '#CFE3F0', %.10g '#FBE3D5', %.10g '#F0A878', %.10g "
                "'#D55E00')\n",
                low, h->level, h->level + 1e-9 * (high - low), (h->level + high) / 2, high);
    else
        fputs("set palette defined (0 '#ffffff', 1 '#c6dbef', 2 '#6baed6', 3 '#2171b5', 4 '#08306b')\n", out);
}

static void write_heat(const struct script *s, const struct yk_plot_panel *p, const struct yk_figure_panel_layout *at)
{
    const struct yk_plot_heat *heat = p->heat;
    const size_t cells = heat->rows * heat->columns, x = yk_figure_heat_column(s->t, p->x.label, p, 0),
                 y = yk_figure_heat_column(s->t, p->y.label, p, 1),
                 z = yk_figure_column_of(s->t, heat->label, heat->z, cells);

    write_palette(s->out, heat);
    fputs("set object rectangle from graph 0,0 to graph 1,1 behind fc rgb '#e0e0e0' fs solid 1 noborder\n", s->out);
    fputs("set colorbox user origin ", s->out);
    put_place(s, at->right + 10, at->bottom);
    fprintf(s->out, " size screen %.6g,%.6g\n", 12 / s->l->width, (at->top - at->bottom) / s->l->height);
    put_text(s, heat->label, at->right + YK_FIGURE_SCALE_ROOM - 10, (at->bottom + at->top) / 2, "rotate by 90 center",
             yk_figure_fit(heat->label, s->l->letters, at->top - at->bottom + 30));
    fputs("plot data skip 1 using ", s->out);
    put_column(s->out, x, p->x.log);
    fputc(':', s->out);
    put_column(s->out, y, p->y.log);
    fprintf(s->out, ":%zu with image%s", z, cells <= SHARP_CELLS ? " pixels" : "");
}

/* An enlarged part, in a corner; the part is framed in the panel. Returns the range that is enlarged. */
static struct yk_figure_range frame_inset(const struct script *s, const struct yk_plot_panel *p)
{
    const struct yk_figure_range y = yk_figure_range_within(p, p->inset.x_min, p->inset.x_max, 3);

    fprintf(s->out,
            "set object rectangle from first %.10g,%.10g to first %.10g,%.10g front fs empty border lc rgb "
            "'#444444' lw 0.8\n",
            p->inset.x_min, y.low, p->inset.x_max, y.high);
    return y;
}

static void write_inset(const struct script *s, size_t panel, const struct yk_figure_legend *legend,
                        struct yk_figure_range y)
{
    const struct yk_plot_panel *p = &s->figure->panels[panel];
    const struct yk_figure_panel_layout *at = &s->l->panels[panel];
    const double width = 0.42 * (at->right - at->left), height = 0.42 * (at->top - at->bottom);
    const bool right = p->inset.corner == YK_PLOT_TOP_RIGHT || p->inset.corner == YK_PLOT_BOTTOM_RIGHT;
    const bool top = p->inset.corner == YK_PLOT_TOP_RIGHT || p->inset.corner == YK_PLOT_TOP_LEFT;
    const double left = right ? at->right - width - 4 : at->left + 40,
                 bottom = top ? at->top - height - 4 : at->bottom + 18;

    fputs("\nunset label\nunset arrow\nunset object\nunset logscale\n", s->out);
    write_margins(s, left, left + width, bottom, bottom + height);
    fprintf(s->out,
            "set object rectangle from graph -0.16,-0.24 to graph 1.02,1.04 behind fc rgb '#ffffff' fs solid 1 "
            "noborder\n"
            "set border 15\nset xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\nset format xy '%%g'\n"
            "set xtics autofreq %.10g font ',%g' offset 0,0.6\nset ytics autofreq %.10g font ',%g' offset 0.9,0\n",
            p->inset.x_min, p->inset.x_max, y.low, y.high, (p->inset.x_max - p->inset.x_min) / 2, s->l->letters - 2,
            y.step, s->l->letters - 2);
    write_curves(s, p, legend, "plot ");
    fprintf(s->out, "set border 3\nset xtics font ',%g' offset 0,0.4\nset ytics font ',%g' offset 0.6,0\n",
            s->l->letters, s->l->letters);
}

static void write_panel(const struct script *s, size_t panel)
{
    const struct yk_plot_panel *p = &s->figure->panels[panel];
    const struct yk_figure_panel_layout *at = &s->l->panels[panel];
    const struct yk_figure_legend *legend = &s->l->legends[s->l->shared ? 0 : panel];
    const bool titled = panel == 0 && s->figure->title && *s->figure->title;
    struct yk_figure_range enlarged = {0};

    fputs("\nunset label\nunset arrow\nunset object\n", s->out);
    if (titled)
        put_text(s, s->figure->title, s->l->width / 2, s->l->title_y, "center",
                 yk_figure_fit(s->figure->title, s->l->letters + 2, s->l->width - 16));
    if (panel == 0 && s->l->shared)
        write_legend(s, legend, s->l->legend_left, s->l->width - 8, s->l->legend_top);
    else if (!s->l->shared)
        write_legend(s, legend, at->left, at->room + 4, at->legend_y);
    if (p->title && *p->title)
        put_text(s, p->title, at->left, at->title_y, "left",
                 yk_figure_fit(p->title, s->l->letters, at->right - at->left + 10));
    write_margins(s, at->left, at->right, at->bottom, at->top);
    write_axis(s, 'x', panel);
    write_axis(s, 'y', panel);
    fputs(!p->y.log && !p->heat && at->y.low < 0 && at->y.high > 0
              ? "set xzeroaxis lt 1 lc rgb '#999999' lw 0.8 dt solid\n"
              : "unset xzeroaxis\n",
          s->out);
    if (p->inset.corner)
        enlarged = frame_inset(s, p);
    if (p->heat)
        write_heat(s, p, at);
    if (p->count)
        write_curves(s, p, legend, p->heat ? ", \\\n     " : "plot ");
    else
        fputc('\n', s->out);
    if (p->inset.corner)
        write_inset(s, panel, legend, enlarged);
}

void yk_figure_write_script(FILE *out, const struct yk_figure *figure, const struct yk_figure_layout *l,
                            const struct yk_figure_files *f, struct yk_figure_table *t)
{
    const struct script s = {out, figure, l, t};

    fputs(YK_FIGURE_HEADING, out);
    write_terminal(&s, f->ending);
    write_file_names(out, f);
    write_house_style(out);
    fputs("set multiplot\n", out);
    for (size_t i = 0; i < figure->count; i++)
        write_panel(&s, i);
    fputs("\nunset multiplot\nunset output\n", out);
}
