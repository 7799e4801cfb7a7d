/* How the curves of a figure look, so that each is seen and they can be told apart without colours.
 *
 * Colours by origin: blue first for what is computed, vermilion first for what is measured. Of lines that run on top of
 * each other the first is the widest, and the later ones are thinner and dashed. Lines that swing so often that they
 * fill the panel are solid, and those that swing least are drawn last. */
#include "figure_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 6, MEASURED_COLOURS = 3, SAMPLES = 100, SWINGS_MOST = 60 };
#define CLOSE   0.02 /* of the height of a panel: lines this near are hard to tell apart */
#define AT_REST 0.05 /* likewise: here nobody looks */
#define OFTEN   0.6  /* of their length: then they are said to coincide */

/* Okabe and Ito 2008; their yellow is too pale for lines on white, vermilion is for what is measured, and
 * orange beside it would be mistaken for it. */
static const char *const computed[COLOURS] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#000000"};
static const char *const beside[COLOURS] = {"#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#000000", "#E69F00"};
static const char *const measured[MEASURED_COLOURS] = {"#D55E00", "#882255", "#E69F00"};

static bool is_line(const struct yk_plot_series *s)
{
    return s->style == YK_PLOT_LINE || s->style == YK_PLOT_REFERENCE;
}

/* ---- what the lines are like ---- */

/* How often the curve turns back, by more than a little. */
static size_t swings(const struct yk_plot_series *s, double little)
{
    size_t count = 0;
    double turn = NAN;
    int direction = 0;

    for (size_t i = 0; i < s->n; i++) {
        const double y = s->y[i];

        if (!isfinite(y))
            continue;
        if (isnan(turn) || direction * (y - turn) > 0)
            turn = y;
        if (direction == 0 ? fabs(y - turn) > little : direction * (turn - y) > little) {
            direction = y > turn ? 1 : -1;
            turn = y;
            count++;
        }
    }
    return count;
}

static bool ascends(const struct yk_plot_series *s)
{
    for (size_t i = 1; i < s->n; i++)
        if (!(s->x[i] >= s->x[i - 1]))
            return false;
    return s->n > 1;
}

static double value_at(const struct yk_plot_series *s, double x)
{
    size_t low = 0, high = s->n - 1;

    if (!(x >= s->x[0] && x <= s->x[high]))
        return NAN;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        *(s->x[middle] <= x ? &low : &high) = middle;
    }
    const double length = s->x[high] - s->x[low];
    return length > 0 ? s->y[low] + (s->y[high] - s->y[low]) * (x - s->x[low]) / length : s->y[low];
}

/* Do two lines run so near to each other that one hides the other? Loops are taken to do so. */
static bool coincide(const struct yk_plot_series *a, const struct yk_plot_series *b, double height)
{
    size_t near = 0, both = 0;

    if (!ascends(a) || !ascends(b))
        return true;
    const double low = fmax(a->x[0], b->x[0]), high = fmin(a->x[a->n - 1], b->x[b->n - 1]);
    for (int i = 0; i < SAMPLES; i++) {
        const double x = low + (high - low) * (i + 0.5) / SAMPLES, one = value_at(a, x), other = value_at(b, x);
        const double d = fabs(one - other);

        if (fabs(one) < AT_REST * height && fabs(other) < AT_REST * height)
            continue;
        both += isfinite(d);
        near += d < CLOSE * height;
    }
    return both > 0 && (double)near > OFTEN * (double)both;
}

static bool any_coincide(const struct yk_plot_panel *p)
{
    double low, high;

    if (!yk_figure_data_range(p, false, &low, &high))
        return false;
    for (size_t i = 0; i < p->count; i++)
        for (size_t j = i + 1; j < p->count; j++)
            if (p->series[i].style == YK_PLOT_LINE && p->series[j].style == YK_PLOT_LINE && p->series[i].n > 1 &&
                p->series[j].n > 1 && coincide(&p->series[i], &p->series[j], high - low))
                return true;
    return false;
}

static bool is_dense(const struct yk_plot_panel *p)
{
    double low, high;

    if (!yk_figure_data_range(p, false, &low, &high))
        return false;
    for (size_t i = 0; i < p->count; i++)
        if (is_line(&p->series[i]) && swings(&p->series[i], CLOSE * (high - low)) > SWINGS_MOST)
            return true;
    return false;
}

/* ---- looks ---- */

static size_t find(const struct yk_figure_legend *l, const struct yk_plot_series *s)
{
    size_t i = 0;

    while (i < l->count && (strcmp(l->entry[i]->name, s->name) != 0 || l->entry[i]->style != s->style))
        i++;
    return i;
}

static double width_of(size_t rank, size_t lines, bool on_top_of_each_other)
{
    static const double widths[3][4] = {{2.6, 1.2, 1.2, 1.2}, {3.2, 2.0, 1.0, 1.0}, {3.2, 2.4, 1.7, 1.1}};

    if (lines < 2 || !on_top_of_each_other)
        return 1.5;
    return widths[lines > 3 ? 2 : lines - 2][rank < 3 ? rank : 3];
}

/* A wide line below others is pale, so that they stand out. */
static double paleness(size_t rank, size_t lines)
{
    const size_t above = rank < lines ? lines - 1 - rank : 0;

    return above > 1 && rank == 0 ? 0.6 : above > 0 && rank < 3 ? 0.45 - 0.15 * (double)rank : 0;
}

/* A colour, mixed with a share of white. */
static void paint(struct yk_figure_look *look, const char *colour, double white)
{
    unsigned part[3] = {0};

    sscanf(colour, "#%2x%2x%2x", &part[0], &part[1], &part[2]);
    for (int i = 0; i < 3; i++)
        part[i] = (unsigned)lround(part[i] + (255.0 - part[i]) * white) & 0xff;
    snprintf(look->colour, sizeof look->colour, "#%02X%02X%02X", part[0], part[1], part[2]);
}

/* The looks of all entries of a legend, given what the panels are like; `drawing`: shapes in space, not curves. */
static void look_at(struct yk_figure_legend *l, bool dense, bool drawing, bool on_top_of_each_other)
{
    static const char *const dashes[] = {"1", "(9,4)", "(9,3,2,3)", "(3,3)"};
    static const char *const guide_dashes[] = {"(6,4)", "(2,3)", "(8,3,2,3)", "(12,4)"};
    static const char *const pale[] = {"#BCBCBC", "#D9C9A0", "#CFCFE6"};
    static const int points[] = {7, 4, 9, 6, 5, 8, 13, 12}; /* filled and open in turn */
    static const double contour_widths[] = {2, 1.3, 0.9, 0.5};
    size_t lines = 0, ranks[2] = {0}, guides = 0, references = 0, contours = 0, marked = 0, count[2] = {0};

    bool any_measured = false;

    for (size_t i = 0; i < l->count; i++) {
        any_measured |= l->entry[i]->origin == YK_PLOT_MEASURED;
        lines += l->entry[i]->style == YK_PLOT_LINE;
        ranks[1] += l->entry[i]->style == YK_PLOT_LINE && l->entry[i]->origin != YK_PLOT_MEASURED; /* drawn last */
    }
    const size_t first[2] = {0, ranks[1]};

    for (size_t i = 0; i < l->count; i++) {
        const struct yk_plot_series *s = l->entry[i];
        struct yk_figure_look *look = &l->look[i];
        const bool from_test = s->origin == YK_PLOT_MEASURED;
        const size_t rank = ranks[from_test];

        *look = (struct yk_figure_look){.style = s->style, .dashes = "1", .width = 1.2, .size = 0.6};
        switch (s->style) {
        case YK_PLOT_GUIDE:
            paint(look, "#707070", 0);
            look->width += 0.05 * (double)guides; /* gnuplot does not notice new dashes of an otherwise equal line */
            look->dashes = guide_dashes[guides++ % 4];
            break;
        case YK_PLOT_REFERENCE:
            paint(look, pale[references++ % 3], 0);
            look->width = drawing ? 2.5 : dense ? 3.5 : 5;
            break;
        case YK_PLOT_CONTOUR:
            paint(look, "#000000", 0);
            look->width = contour_widths[contours++ % 4]; /* short pieces have no room for dashes */
            break;
        case YK_PLOT_SURFACE:
            paint(look, "#9CC4DE", 0);
            break;
        default:
            paint(look,
                  from_test ? measured[count[1]++ % MEASURED_COLOURS]
                            : (any_measured ? beside : computed)[count[0]++ % COLOURS],
                  s->style == YK_PLOT_LINE && on_top_of_each_other ? paleness(rank, lines) : 0);
            look->dashes = s->style == YK_PLOT_LINE && !dense ? dashes[(rank - first[from_test]) % 4] : "1";
            look->point = points[marked % 8];
            look->size = 0.8 - 0.12 * (double)(marked % 4); /* nested where they coincide */
            marked += s->style != YK_PLOT_LINE;
            if (s->style == YK_PLOT_LINE)
                look->width = width_of(rank, lines, on_top_of_each_other) * (dense ? 0.75 : 1);
            ranks[from_test] += s->style == YK_PLOT_LINE;
        }
    }
}

void yk_figure_choose_looks(const struct yk_plot_panel *panels, size_t count, struct yk_figure_legend *l)
{
    bool dense = false, drawing = false, on_top_of_each_other = false;

    l->count = 0;
    for (size_t p = 0; p < count; p++) {
        dense |= is_dense(&panels[p]);
        drawing |= panels[p].equal_aspect;
        on_top_of_each_other |= any_coincide(&panels[p]);
        for (size_t i = 0; i < panels[p].count && l->count < YK_FIGURE_ENTRIES; i++)
            if (find(l, &panels[p].series[i]) == l->count)
                l->entry[l->count++] = &panels[p].series[i];
    }
    look_at(l, dense && !drawing, drawing, on_top_of_each_other);
}

const struct yk_figure_look *yk_figure_look_of(const struct yk_figure_legend *l, const struct yk_plot_series *s)
{
    const size_t i = find(l, s);

    return &l->look[i < l->count ? i : i % YK_FIGURE_ENTRIES];
}

/* ---- order ---- */

/* Root mean square about the mean: how much a curve covers. */
static double extent(const struct yk_plot_series *s)
{
    double sum = 0, squares = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        if (isfinite(s->y[i])) {
            sum += s->y[i];
            squares += s->y[i] * s->y[i];
            n++;
        }
    return n ? squares / (double)n - sum / (double)n * (sum / (double)n) : 0;
}

void yk_figure_order(const struct yk_plot_panel *p, size_t *order)
{
    static const int layers[] = {
        [YK_PLOT_LINE] = 3,  [YK_PLOT_POINTS] = 4,    [YK_PLOT_LINE_POINTS] = 4, [YK_PLOT_BARS] = 2,
        [YK_PLOT_GUIDE] = 2, [YK_PLOT_REFERENCE] = 1, [YK_PLOT_SURFACE] = 0,     [YK_PLOT_CONTOUR] = 5};
    const bool dense = is_dense(p);

    for (size_t i = 0; i < p->count; i++) {
        size_t at = i;

        for (; at > 0; at--) { /* insertion: a handful of curves, and equal ones stay in their order */
            const struct yk_plot_series *a = &p->series[order[at - 1]], *b = &p->series[i];
            const int from = layers[a->style], to = layers[b->style];
            const bool behind = from != to               ? from > to
                                : a->origin != b->origin ? a->origin > b->origin
                                : dense && is_line(a)    ? extent(b) > 1.05 * extent(a)
                                                         : false;

            if (!behind)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}
