/* Positions of the parts of a figure, and the ranges of its axes. Lengths are in picture elements, 96 to an inch on
 * paper: two columns of a journal are 680, a letter of 9 points is 12. */
#include "figure_parts.h"

#include <math.h>
#include <string.h>

#define LETTERS 12.0
#define EDGE    8.0
/* Heights of lines of text: title of the figure, of a panel, legend, numbers below an axis, its label. */
#define TITLE_LINE  26.0
#define PANEL_LINE  18.0
#define LEGEND_LINE 17.0
#define NUMBER_LINE 21.0
#define LABEL_LINE  18.0
/* Legend: length of a sample, blank after it, blank between entries. */
#define SAMPLE      28.0
#define BLANK       5.0
#define BETWEEN     16.0
#define TALLEST     330.0
#define SHORTEST    60.0
#define NUMBERS_GAP 32.0 /* between the numbers of an upright axis */
#define CLOSE_UP    0.6  /* of the stretch that other panels show: less is a close-up */

/* ---- texts ---- */

/* Width of a text in picture elements, with letters of this size. */
static double text_width(const char *text, double letters)
{
    /* Helvetica, thousandths of the size of the letters, from the blank on */
    static const short widths[] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                   556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                   1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                   667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                   333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                   556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
    double sum = 0;

    for (const unsigned char *c = (const unsigned char *)(text ? text : ""); *c; c++)
        if (*c >= ' ' && *c < 127)
            sum += widths[*c - ' '];
        else if ((*c & 0xc0) != 0x80) /* the first byte of a character */
            sum += 600;
    return sum * letters / 1000;
}

double yk_figure_fit(const char *text, double letters, double room)
{
    const double width = text_width(text, letters);

    return width > room ? fmax(letters * room / width, 0.6 * letters) : letters;
}

/* ---- ranges ---- */

static bool is_shown(const struct yk_plot_panel *p, double x, double y)
{
    return isfinite(x) && isfinite(y) && !(p->x.log && x <= 0) && !(p->y.log && y <= 0);
}

/* Range of the samples whose x lies between two ends; false: there are none. */
static bool data_range(const struct yk_plot_panel *p, bool along_x, double from, double to, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < p->count; s++)
        for (size_t i = 0; i < p->series[s].n; i++) {
            const double x = p->series[s].x[i], y = p->series[s].y[i];

            if (!is_shown(p, x, y) || !(x >= from && x <= to))
                continue;
            *low = fmin(*low, along_x ? x : y);
            *high = fmax(*high, along_x ? x : y);
        }
    return *low <= *high;
}

bool yk_figure_data_range(const struct yk_plot_panel *p, bool along_x, double *low, double *high)
{
    const bool part = !along_x && p->x.bounded;

    if (!p->heat)
        return data_range(p, along_x, part ? p->x.min : -INFINITY, part ? p->x.max : INFINITY, low, high);
    *low = along_x ? p->heat->x_min : p->heat->y_min;
    *high = along_x ? p->heat->x_max : p->heat->y_max;
    return true;
}

/* 1, 2 or 5 times a power of ten: at most `most` of them fit. */
static double round_step(double span, double most)
{
    const double raw = span / fmax(most, 1), ten = pow(10, floor(log10(raw)));

    return raw <= 1.0001 * ten ? ten : raw <= 2.0001 * ten ? 2 * ten : raw <= 5.0001 * ten ? 5 * ten : 10 * ten;
}

/* Room around a value that does not change. */
static void open_up(struct yk_figure_range *r)
{
    if (r->high - r->low > 1e-12 * fmax(fabs(r->low), fabs(r->high)))
        return;
    const double around = r->low != 0 ? 0.1 * fabs(r->low) : 1;

    r->low -= around;
    r->high += around;
}

static void round_out(struct yk_figure_range *r, double most)
{
    open_up(r);
    const double low = r->low, high = r->high;

    r->step = round_step(high - low, most);
    r->low = r->step / 2 * floor(2 * low / r->step + 1e-6);
    r->high = r->step / 2 * ceil(2 * high / r->step - 1e-6);
    /* a curve does not run along the edge, unless that is zero */
    r->low -= low - r->low < 0.02 * r->step && low != 0 ? 0.2 * r->step : 0;
    r->high += r->high - high < 0.02 * r->step && high != 0 ? 0.2 * r->step : 0;
}

struct yk_figure_range yk_figure_range_within(const struct yk_plot_panel *p, double x_min, double x_max, double most)
{
    struct yk_figure_range r = {0, 1, 0.5};

    if (data_range(p, false, x_min, x_max, &r.low, &r.high)) {
        open_up(&r);
        r.step = round_step(r.high - r.low, most);
        const double around = 0.05 * (r.high - r.low);
        r.low -= around;
        r.high += around;
    }
    return r;
}

void yk_figure_number_format(struct yk_figure_range r, char *format, size_t size)
{
    const double largest = fmax(fabs(r.low), fabs(r.high));
    const int decimals = r.step > 0 ? (int)fmax(0, ceil(-log10(r.step) - 1e-6)) : 9;

    if (decimals > 5 || largest >= 1e6)
        snprintf(format, size, "%%g");
    else
        snprintf(format, size, "%%.%df", decimals);
}

static bool has_style(const struct yk_plot_panel *p, enum yk_plot_style style)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->series[i].style == style)
            return true;
    return false;
}

/* Range of an axis: as bounded, or of the data with margins, not yet rounded. */
static struct yk_figure_range range_of(const struct yk_plot_panel *p, bool along_x)
{
    const struct yk_plot_axis *a = along_x ? &p->x : &p->y;
    struct yk_figure_range r = {0, 1, 0};

    if (a->bounded) {
        r.low = a->min;
        r.high = a->max;
    } else if (yk_figure_data_range(p, along_x, &r.low, &r.high)) {
        const bool points = has_style(p, YK_PLOT_POINTS) || has_style(p, YK_PLOT_LINE_POINTS);
        const bool bars = has_style(p, YK_PLOT_BARS);
        const double cells = p->heat ? (double)(along_x ? p->heat->columns : p->heat->rows) - 1 : 0;

        if (p->heat && cells > 0 && a->log) { /* half a cell around */
            const double half = pow(r.high / r.low, 0.5 / cells);

            r.low /= half;
            r.high *= half;
        } else if (p->heat) {
            const double half = cells > 0 ? (r.high - r.low) / cells / 2 : 0.5;

            r.low -= half;
            r.high += half;
        } else if (a->log) {
            const double around = points || !along_x ? 1.2 : 1;

            r.low /= around;
            r.high *= around;
        } else if (bars && along_x) {
            r.low -= 0.7;
            r.high += 0.7;
        } else if (bars) {
            r.low = fmin(r.low, 0);
            r.high = fmax(r.high, 0);
        } else if (points && along_x) {
            const double around = 0.03 * (r.high - r.low);

            r.low -= around;
            r.high += around;
        }
    }
    return r;
}

/* Can two axes share their range? They have the same label and no bounds. */
static bool may_share(const struct yk_plot_axis *a, const struct yk_plot_axis *b)
{
    return !a->bounded && !b->bounded && a->log == b->log && strcmp(a->label, b->label) == 0;
}

/* Does a panel show most of the stretch of x that the panels with its label show? A close-up does not. */
static bool shows_the_whole(const struct yk_figure *figure, const struct yk_figure_range *x, size_t panel)
{
    struct yk_figure_range whole = x[panel];
    const bool log = figure->panels[panel].x.log;

    for (size_t j = 0; j < figure->count; j++)
        if (may_share(&figure->panels[panel].x, &figure->panels[j].x)) {
            whole.low = fmin(whole.low, x[j].low);
            whole.high = fmax(whole.high, x[j].high);
        }
    return log ? log10(x[panel].high / x[panel].low) >= CLOSE_UP * log10(whole.high / whole.low)
               : x[panel].high - x[panel].low >= CLOSE_UP * (whole.high - whole.low);
}

/* Panels that show the same quantity have the same range, close-ups among them excepted. */
static void share_ranges(const struct yk_figure *figure, struct yk_figure_layout *l)
{
    struct yk_figure_range own[2][YK_FIGURE_PANELS];
    bool whole[YK_FIGURE_PANELS];

    for (size_t i = 0; i < figure->count; i++) {
        own[0][i] = l->panels[i].x;
        own[1][i] = l->panels[i].y;
    }
    for (size_t i = 0; i < figure->count; i++)
        whole[i] = shows_the_whole(figure, own[0], i);
    for (size_t i = 0; i < figure->count && !figure->own_scales; i++)
        for (size_t j = 0; j < figure->count && whole[i]; j++)
            for (int axis = 0; axis < 2 && whole[j]; axis++) {
                const struct yk_plot_panel *p = &figure->panels[i], *q = &figure->panels[j];
                struct yk_figure_range *r = axis ? &l->panels[i].y : &l->panels[i].x;

                if (axis ? may_share(&p->y, &q->y) : may_share(&p->x, &q->x)) {
                    r->low = fmin(r->low, own[axis][j].low);
                    r->high = fmax(r->high, own[axis][j].high);
                }
            }
}

/* ---- legends ---- */

/* Whether there is anything to tell apart. */
static bool needs_legend(const struct yk_figure_legend *legend)
{
    return legend->count > 1 || (legend->count == 1 && legend->entry[0]->style == YK_PLOT_CONTOUR);
}

static size_t legend_lines(const struct yk_figure_layout *l, const struct yk_figure_legend *legend, double left,
                           double right, void (*put)(void *self, size_t entry, double x, double y), void *self,
                           double top)
{
    double x = left;
    size_t lines = 1;

    if (!needs_legend(legend))
        return 0;
    for (size_t i = 0; i < legend->count; i++) {
        const double width = SAMPLE + BLANK + text_width(legend->entry[i]->name, l->letters);

        if (x > left && x + width > right) {
            x = left;
            lines++;
        }
        if (put)
            put(self, i, x, top - LEGEND_LINE * (double)(lines - 1));
        x += width + BETWEEN;
    }
    return lines;
}

void yk_figure_walk_legend(const struct yk_figure_layout *l, const struct yk_figure_legend *legend, double left,
                           double right, double top, void (*put)(void *self, size_t entry, double x, double y),
                           void *self)
{
    legend_lines(l, legend, left, right, put, self, top);
}

static bool same_entries(const struct yk_figure_legend *a, const struct yk_figure_legend *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->entry[i]->name, b->entry[i]->name) != 0 || a->entry[i]->style != b->entry[i]->style)
            return false;
    return true;
}

/* One legend for all where panels stand side by side, or where all would have the same. */
static void choose_legends(const struct yk_figure *figure, struct yk_figure_layout *l)
{
    l->shared = figure->columns > 1 && !figure->own_legends;
    for (size_t i = 0; i < figure->count; i++)
        yk_figure_choose_looks(&figure->panels[i], 1, &l->legends[i]);
    if (figure->own_legends)
        return;
    for (size_t i = 1; i < figure->count && !l->shared; i++)
        if (!same_entries(&l->legends[0], &l->legends[i]))
            return;
    l->shared |= figure->count > 1;
    if (l->shared)
        yk_figure_choose_looks(figure->panels, figure->count, &l->legends[0]);
}

/* ---- the page ---- */

struct grid {
    size_t columns, rows;
    double above[YK_FIGURE_PANELS], height[YK_FIGURE_PANELS], below[YK_FIGURE_PANELS]; /* of each row */
    double left[YK_FIGURE_PANELS], right[YK_FIGURE_PANELS], width;                     /* of each column; of a panel */
};

/* The width of the numbers beside the y axis. */
static double number_width(struct yk_figure_range r, bool log, double letters)
{
    char format[16], text[2][32];

    if (log)
        return text_width("10-10", letters);
    yk_figure_number_format(r, format, sizeof format);
    for (int i = 0; i < 2; i++)
        snprintf(text[i], sizeof text[i], format, i ? r.high : r.low); /* NOLINT: one number, by its own format */
    return fmax(text_width(text[0], letters), text_width(text[1], letters));
}

static double usual_height(const struct yk_figure *figure, const struct grid *g)
{
    const bool narrow = figure->width == YK_PLOT_ONE_COLUMN;

    if (g->columns > 1)
        return fmin(fmax(0.62 * g->width, 95), 190);
    return figure->count == 1 ? (narrow ? 190 : 260) : figure->count == 2 ? (narrow ? 130 : 175) : narrow ? 110 : 140;
}

/* Height of a panel; one of equal aspect takes what its ranges ask for, and may not need the whole width. */
static double panel_height(const struct yk_plot_panel *p, struct yk_figure_panel_layout *at, double usual, double width)
{
    if (!p->equal_aspect)
        return usual;
    const double x = at->x.high - at->x.low, y = at->y.high - at->y.low;
    const double height = fmin(fmax(width * y / x, SHORTEST), TALLEST);

    if (height / width > y / x) { /* flatter than the panel */
        const double more = (height / width * x - y) / 2;

        at->y.low -= more;
        at->y.high += more;
    }
    return height;
}

static void measure(const struct yk_figure *figure, struct yk_figure_layout *l, struct grid *g)
{
    double margins = 0;

    for (size_t i = 0; i < figure->count; i++) {
        const struct yk_plot_panel *p = &figure->panels[i];
        const size_t c = i % g->columns;

        g->left[c] = fmax(g->left[c], EDGE + 1.4 * l->letters + number_width(l->panels[i].y, p->y.log, l->letters) + 8);
        g->right[c] = fmax(g->right[c], p->heat ? YK_FIGURE_SCALE_ROOM : c + 1 < g->columns ? 10 : 14);
    }
    for (size_t c = 0; c < g->columns; c++)
        margins += g->left[c] + g->right[c];
    g->width = fmax((l->width - margins) / (double)g->columns, 60);
    for (size_t i = 0; i < figure->count; i++) {
        const struct yk_plot_panel *p = &figure->panels[i];
        const size_t r = i / g->columns;
        struct yk_figure_panel_layout *at = &l->panels[i];
        const double legend =
            l->shared ? 0 : LEGEND_LINE * (double)legend_lines(l, &l->legends[i], 0, g->width + 4, NULL, NULL, 0);

        at->x_labelled =
            i + g->columns >= figure->count || strcmp(p->x.label, figure->panels[i + g->columns].x.label) != 0;
        g->height[r] = fmax(g->height[r], panel_height(p, at, usual_height(figure, g), g->width));
        g->above[r] = fmax(g->above[r], legend + (p->title && *p->title ? PANEL_LINE : 0) + 7);
        g->below[r] = fmax(g->below[r], NUMBER_LINE + (at->x_labelled ? LABEL_LINE : 0));
    }
}

static void place(const struct yk_figure *figure, struct yk_figure_layout *l, const struct grid *g, double top)
{
    for (size_t r = 0; r < g->rows; r++) {
        double left = 0;

        for (size_t c = 0; c < g->columns && r * g->columns + c < figure->count; c++) {
            const struct yk_plot_panel *p = &figure->panels[r * g->columns + c];
            struct yk_figure_panel_layout *at = &l->panels[r * g->columns + c];
            const struct yk_figure_legend *legend = &l->legends[r * g->columns + c];

            at->left = left + g->left[c];
            at->right = at->room = at->left + g->width;
            at->top = top - g->above[r];
            at->bottom = at->top - g->height[r];
            if (p->equal_aspect) /* as wide as its ranges ask for */
                at->right =
                    fmin(at->right, at->left + g->height[r] * (at->x.high - at->x.low) / (at->y.high - at->y.low));
            at->label_x = left + EDGE + 0.5 * l->letters;
            at->label_y = at->bottom - NUMBER_LINE - 0.5 * LABEL_LINE;
            at->legend_y =
                at->top + 9 +
                (l->shared ? 0 : LEGEND_LINE * ((double)legend_lines(l, legend, 0, g->width + 4, NULL, NULL, 0) - 1));
            at->title_y =
                at->top + 11 +
                (l->shared ? 0 : LEGEND_LINE * (double)legend_lines(l, legend, 0, g->width + 4, NULL, NULL, 0));
            left = left + g->left[c] + g->width + g->right[c];
        }
        top -= g->above[r] + g->height[r] + g->below[r];
    }
}

/* Numbers of the axes once the size of the panels is known. */
static void settle_ranges(const struct yk_figure *figure, struct yk_figure_layout *l, double width, double height)
{
    for (size_t i = 0; i < figure->count; i++) {
        const struct yk_plot_panel *p = &figure->panels[i];
        struct yk_figure_panel_layout *at = &l->panels[i];

        if (!p->x.log) {
            open_up(&at->x);
            at->x.step = round_step(at->x.high - at->x.low, width / (4.2 * l->letters));
        }
        if (p->y.log)
            continue;
        if (p->y.bounded || p->heat || p->equal_aspect) {
            open_up(&at->y);
            at->y.step = round_step(at->y.high - at->y.low, height / NUMBERS_GAP);
        } else {
            round_out(&at->y, height / NUMBERS_GAP);
        }
    }
}

void yk_figure_lay_out(const struct yk_figure *figure, struct yk_figure_layout *l)
{
    const bool titled = figure->title && *figure->title;
    struct grid g = {.columns = figure->columns > 1 ? figure->columns : 1};

    *l = (struct yk_figure_layout){.width = figure->width == YK_PLOT_ONE_COLUMN ? 333 : 680, .letters = LETTERS};
    g.rows = (figure->count + g.columns - 1) / g.columns;
    choose_legends(figure, l);
    for (size_t i = 0; i < figure->count; i++) {
        l->panels[i].x = range_of(&figure->panels[i], true);
        l->panels[i].y = range_of(&figure->panels[i], false);
    }
    share_ranges(figure, l);
    g.width = (l->width - (double)g.columns * 70) / (double)g.columns; /* about; the numbers decide the margins */
    settle_ranges(figure, l, g.width, usual_height(figure, &g));
    measure(figure, l, &g);
    double height = EDGE / 2 + (titled ? TITLE_LINE : 0);
    const size_t lines = l->shared ? legend_lines(l, &l->legends[0], g.left[0], l->width - EDGE, NULL, NULL, 0) : 0;
    const double panels_top = height + LEGEND_LINE * (double)lines;
    height = panels_top + EDGE / 2;
    for (size_t r = 0; r < g.rows; r++)
        height += g.above[r] + g.height[r] + g.below[r];
    l->height = ceil(height);
    l->title_y = l->height - EDGE / 2 - TITLE_LINE / 2;
    l->legend_left = g.left[0];
    l->legend_top = l->height - EDGE / 2 - (titled ? TITLE_LINE : 0) - LEGEND_LINE / 2;
    place(figure, l, &g, l->height - panels_top);
}
