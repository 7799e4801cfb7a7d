/* The picture of a study: a curve over one setting, a map over two of a grid (curves if one of them has texts),
 * otherwise parallel coordinates. */
#include "parts.h"
#include <yoke/figure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 4, MOST_TEXTS = 6, GROUPS = 3, LEVELS = 4 };

/* A column of settings as numbers: values in the order of the table, or the number of each text as it first appears. */
struct axis {
    double *x; /* by row */
    char label[400];
    bool texts;
};

static double number_of_text(const struct yk_table *t, size_t key, size_t row)
{
    size_t count = 0;

    for (size_t i = 0; i <= row; i++) {
        size_t earlier = 0;

        while (earlier < i && strcmp(t->values[earlier][key], t->values[i][key]) != 0)
            earlier++;
        count += earlier == i;
        if (strcmp(t->values[i][key], t->values[row][key]) == 0)
            return (double)count;
    }
    return (double)count;
}

/* "method.integrator: 1 newmark, 2 hht" */
static void label_texts(const struct yk_table *t, size_t key, const double *x, char *label, size_t size)
{
    size_t used = (size_t)snprintf(label, size, "%s:", t->names[key]);
    double shown = 0;

    for (size_t i = 0; i < t->rows && used < size; i++)
        if (x[i] > shown) {
            shown = x[i];
            used +=
                (size_t)snprintf(label + used, size - used, "%s %g %s", shown > 1 ? "," : "", shown, t->values[i][key]);
        }
}

static bool open_axis(const struct yk_table *t, size_t key, struct axis *a)
{
    const char *unit = "", *first = NULL;

    a->texts = false;
    if (!(a->x = calloc(t->rows + 1, sizeof *a->x)))
        return false;
    for (size_t i = 0; i < t->rows && !a->texts; i++) {
        a->texts = !yk_value_number(t->values[i][key], &a->x[i], &unit) || (first && strcmp(first, unit) != 0);
        first = first ? first : unit;
    }
    for (size_t i = 0; a->texts && i < t->rows; i++)
        a->x[i] = number_of_text(t, key, i);
    if (a->texts)
        label_texts(t, key, a->x, a->label, sizeof a->label);
    else
        snprintf(a->label, sizeof a->label, first && *first ? "%s [%s]" : "%s", t->names[key], first);
    return true;
}

static double figure(const struct yk_table *t, size_t row, size_t result)
{
    return strcmp(t->status[row], "finished") == 0 ? t->figures[row * t->results + result] : NAN;
}

static bool is_log(size_t n, const double *x, size_t stride)
{
    if (n < 3 || !(x[0] > 0))
        return false;
    const double ratio = x[stride] / x[0], last = x[(n - 1) * stride] / x[(n - 2) * stride];

    return ratio > 1.2 && fabs(ratio - last) < 1e-6 * ratio;
}

static bool is_even(size_t n, const double *x, size_t stride)
{
    for (size_t i = 2; i < n; i++)
        if (fabs((x[i * stride] - x[(i - 1) * stride]) - (x[stride] - x[0])) > 1e-6 * fabs(x[stride] - x[0]))
            return false;
    return n > 1 && x[stride] > x[0];
}

/* ---- one setting ---- */

static enum yk_status draw_curve(const struct yk_table *t, const struct yk_study_card *card, const char *path,
                                 struct axis *a, struct yk_err *err)
{
    const size_t panels = t->results < MOST_PANELS ? t->results : MOST_PANELS;
    const bool grid = strcmp(card->sample, "grid") == 0;
    double *y = calloc(t->rows * panels + 1, sizeof *y);
    struct yk_plot_series series[MOST_PANELS];
    struct yk_plot_panel panel[MOST_PANELS];
    enum yk_status st = y ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t r = 0; r < panels && !st; r++) {
        for (size_t i = 0; i < t->rows; i++)
            y[r * t->rows + i] = figure(t, i, r);
        series[r] = (struct yk_plot_series){.name = t->names[1 + r],
                                            .style = grid && !a->texts ? YK_PLOT_LINE_POINTS : YK_PLOT_POINTS,
                                            .n = t->rows,
                                            .x = a->x,
                                            .y = y + r * t->rows};
        panel[r] = (struct yk_plot_panel){.x = {a->label, is_log(t->rows, a->x, 1), false, 0, 0},
                                          .y = {t->names[1 + r], false, false, 0, 0},
                                          .series = &series[r],
                                          .count = 1};
    }
    if (!st)
        st = yk_figure_write(&(struct yk_figure){.title = card->title, .panels = panel, .count = panels}, path, err);
    free(y);
    return st;
}

/* ---- one setting, for each of a few texts ---- */

/* A curve over the numbers of axis `over` for each text of the other one, in a panel for each result. */
static enum yk_status draw_family(const struct yk_table *t, const struct yk_study_card *card, const char *path,
                                  const struct axis *a, size_t over, struct yk_err *err)
{
    const size_t panels = t->results < MOST_PANELS ? t->results : MOST_PANELS, by = 1 - over;
    double *room = calloc(2 * t->rows * panels + 1, sizeof *room), *at = room;
    struct yk_plot_series series[MOST_PANELS][MOST_TEXTS] = {0};
    struct yk_plot_panel panel[MOST_PANELS];
    enum yk_status st = room ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t r = 0; r < panels && !st; r++) {
        panel[r] = (struct yk_plot_panel){.x = {a[over].label, false, false, 0, 0},
                                          .y = {t->names[t->keys + r], false, false, 0, 0},
                                          .series = series[r]};
        for (size_t text = 1; text <= MOST_TEXTS; text++) {
            struct yk_plot_series *s = &series[r][text - 1];
            double *x = at, *y = at + t->rows;

            s->style = YK_PLOT_LINE_POINTS;
            for (size_t i = 0; i < t->rows; i++)
                if (a[by].x[i] == (double)text) {
                    s->name = t->values[i][by];
                    x[s->n] = a[over].x[i];
                    y[s->n++] = figure(t, i, r);
                }
            s->x = x;
            s->y = y;
            at += s->n;
            panel[r].count += s->n > 0;
            panel[r].x.log = panel[r].x.log || is_log(s->n, x, 1);
        }
        at += t->rows;
    }
    if (!st)
        st = yk_figure_write(&(struct yk_figure){.title = card->title, .panels = panel, .count = panels}, path, err);
    free(room);
    return st;
}

/* The axis of numbers of a grid of it and of a few texts; SIZE_MAX: it is another grid. */
static size_t numbers_beside_texts(const struct yk_table *t, const struct axis *a)
{
    const size_t over = a[0].texts && !a[1].texts ? 1 : a[1].texts && !a[0].texts ? 0 : SIZE_MAX;
    double most = 0;

    for (size_t i = 0; over != SIZE_MAX && i < t->rows; i++)
        most = fmax(most, a[1 - over].x[i]);
    return most <= MOST_TEXTS ? over : SIZE_MAX;
}

/* ---- two settings of a grid ---- */

/* Do the values of the axis have an order, so that there is something between two of them? */
static bool is_ordered(const struct axis *a, size_t n, size_t stride)
{
    bool rises = !a->texts, falls = !a->texts;

    for (size_t i = 1; i < n; i++) {
        rises = rises && a->x[i * stride] > a->x[(i - 1) * stride];
        falls = falls && a->x[i * stride] < a->x[(i - 1) * stride];
    }
    return rises || falls;
}

/* Bounds of an axis of the map, and what the axis shows. Returns whether it is logarithmic. */
static bool map_axis(const struct axis *a, size_t n, size_t stride, double *low, double *high, char *label, size_t size)
{
    const bool even = is_even(n, a->x, stride), log = !even && is_log(n, a->x, stride);

    *low = even || log ? a->x[0] : 1;
    *high = even || log ? a->x[(n - 1) * stride] : (double)n;
    snprintf(label, size, even || log ? "%s" : "number of the value of %s", a->label);
    return log;
}

/* Up to LEVELS round values of the first result between its smallest and its largest: 1, 2, 5, 10 ... if it extends
 * over more than a decade, otherwise evenly spaced. */
static size_t choose_levels(size_t n, const double *z, double *levels)
{
    double low = INFINITY, high = -INFINITY;
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(z[i])) {
            low = fmin(low, z[i]);
            high = fmax(high, z[i]);
        }
    if (!(high > low))
        return 0;
    const bool decades = low > 0 && high > 10 * low;
    const double wish = (high - low) / (LEVELS + 1), power = pow(10, floor(log10(decades ? low : wish)));
    const double step = wish <= 2 * power ? 2 * power : wish <= 5 * power ? 5 * power : 10 * power;
    const int skip = decades ? 1 + (int)(3 * log10(high / low) / (LEVELS + 1)) : 1;

    for (int k = decades ? 0 : (int)floor(low / step); count < LEVELS; k += skip) {
        const double level = decades ? power * pow(10, k / 3) * (const double[]){1, 2, 5}[k % 3] : k * step;

        if (level >= high)
            break;
        if (level > low)
            levels[count++] = level;
    }
    return count;
}

static enum yk_status draw_map(const struct yk_table *t, const struct yk_study_card *card, const char *path,
                               const struct axis *a, struct yk_err *err)
{
    size_t columns = 1; /* the second key changes fastest */

    while (columns < t->rows && strcmp(t->values[columns][0], t->values[0][0]) == 0)
        columns++;
    const size_t rows = t->rows / columns;
    struct yk_plot_heat heat = {.label = t->names[2], .rows = rows, .columns = columns};
    const size_t room = yk_plot_contour_room(&heat);
    double *z = calloc(t->rows + 1 + 2 * LEVELS * room, sizeof *z), levels[LEVELS];
    char x_label[440], y_label[440], names[LEVELS][200];
    struct yk_plot_series contours[LEVELS];

    if (!z)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    heat.z = z;
    for (size_t i = 0; i < t->rows; i++)
        z[i] = figure(t, i, 0);
    const bool log_x = map_axis(&a[1], columns, 1, &heat.x_min, &heat.x_max, x_label, sizeof x_label);
    const bool log_y = map_axis(&a[0], rows, columns, &heat.y_min, &heat.y_max, y_label, sizeof y_label);
    struct yk_plot_panel panel = {
        .x = {x_label, log_x, false, 0, 0}, .y = {y_label, log_y, false, 0, 0}, .series = contours, .heat = &heat};

    /* nothing lies between two methods, or between values in any order: no contours there */
    const bool between = is_ordered(&a[1], columns, 1) && is_ordered(&a[0], rows, columns);
    const size_t count = between ? choose_levels(t->rows, z, levels) : 0;

    for (size_t k = 0; k < count; k++) {
        double *x = z + t->rows + 1 + 2 * k * room, *y = x + room;
        const size_t n = yk_plot_contour(&panel, levels[k], x, y);

        snprintf(names[panel.count], sizeof names[panel.count], "%.150s%s%g", panel.count ? "" : t->names[2],
                 panel.count ? "" : " = ", levels[k]);
        contours[panel.count] =
            (struct yk_plot_series){.name = names[panel.count], .style = YK_PLOT_CONTOUR, .n = n, .x = x, .y = y};
        panel.count += n > 0;
    }
    const enum yk_status st =
        yk_figure_write(&(struct yk_figure){.title = card->title, .panels = &panel, .count = 1}, path, err);

    free(z);
    return st;
}

/* ---- parallel coordinates ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The figure that a tenth, and half, of the finished runs do not exceed. */
static void bounds_of_groups(const struct yk_table *t, double *sorted, double *bounds)
{
    size_t n = 0;

    for (size_t i = 0; i < t->rows; i++)
        if (isfinite(figure(t, i, 0)))
            sorted[n++] = figure(t, i, 0);
    qsort(sorted, n, sizeof *sorted, by_value);
    bounds[0] = n ? sorted[(n - 1) / 10] : 0;
    bounds[1] = n ? sorted[(n - 1) / 2] : 0;
    bounds[2] = INFINITY;
}

/* The lines of one group of runs, with gaps between them; returns how many points there are. */
static size_t lines_of_group(const struct yk_table *t, const struct axis *a, const double *bounds, size_t group,
                             double *x, double *y)
{
    size_t n = 0;

    for (size_t i = 0; i < t->rows; i++) {
        const double f = figure(t, i, 0);

        if (!(f <= bounds[group]) || (group && f <= bounds[group - 1]))
            continue;
        for (size_t k = 0; k <= t->keys; k++, n++) {
            x[n] = (double)k + 1;
            y[n] = k < t->keys ? a[k].x[i] : f;
        }
        x[n] = y[n] = NAN;
        n++;
    }
    return n;
}

/* Smallest and largest value on an axis. */
static void range_of_axis(const struct yk_table *t, const struct axis *a, size_t k, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < t->rows; i++) {
        const double v = k < t->keys ? a[k].x[i] : figure(t, i, 0);

        *low = isfinite(v) ? fmin(*low, v) : *low;
        *high = isfinite(v) ? fmax(*high, v) : *high;
    }
}

/* Every run is a line over the settings and the first result, each from its smallest value to its largest. The legend
 * names the axes. */
static enum yk_status draw_parallel(const struct yk_table *t, const struct yk_study_card *card, const char *path,
                                    const struct axis *a, struct yk_err *err)
{
    static const char *const words[GROUPS] = {"lowest tenth", "lower half", "upper half"};
    static const double upright[] = {0, 1};
    const size_t axes = t->keys + 1, each = (axes + 1) * t->rows;
    double *room = calloc(GROUPS * 2 * each + t->rows + 1, sizeof *room), bounds[GROUPS], at[YK_STUDY_KEYS + 1][2];
    struct yk_plot_series series[GROUPS + YK_STUDY_KEYS + 1];
    char names[GROUPS][120], labels[YK_STUDY_KEYS + 1][480];

    if (!room)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    bounds_of_groups(t, room + GROUPS * 2 * each, bounds);
    for (size_t g = 0; g < GROUPS; g++) {
        double *x = room + 2 * g * each, *y = x + each;
        const size_t n = lines_of_group(t, a, bounds, g, x, y);

        snprintf(names[g], sizeof names[g], "%s of %.90s", words[g], t->names[t->keys]);
        series[axes + GROUPS - 1 - g] = /* the lowest on top */
            (struct yk_plot_series){.name = names[g], .style = YK_PLOT_LINE, .n = n, .x = x, .y = y};
    }
    for (size_t k = 0; k < axes; k++) {
        double low, high;

        range_of_axis(t, a, k, &low, &high);
        for (size_t g = 0; g < GROUPS; g++)
            for (size_t n = k; n < series[axes + GROUPS - 1 - g].n; n += axes + 1) {
                double *y = room + (2 * g + 1) * each + n;

                *y = high > low ? (*y - low) / (high - low) : 0.5;
            }
        snprintf(labels[k], sizeof labels[k], "axis %zu: %s, %.4g .. %.4g", k + 1,
                 k < t->keys ? a[k].label : t->names[k], low, high);
        at[k][0] = at[k][1] = (double)k + 1;
        series[k] =
            (struct yk_plot_series){.name = labels[k], .style = YK_PLOT_GUIDE, .n = 2, .x = at[k], .y = upright};
    }
    const struct yk_plot_panel panel = {.x = {"axis", false, true, 1, (double)axes},
                                        .y = {"share of the range", false, true, 0, 1},
                                        .series = series,
                                        .count = axes + GROUPS};
    const enum yk_status st =
        yk_figure_write(&(struct yk_figure){.title = card->title, .panels = &panel, .count = 1}, path, err);

    free(room);
    return st;
}

static bool has_figures(const struct yk_table *t)
{
    for (size_t i = 0; i < t->rows && t->results; i++)
        if (strcmp(t->status[i], "finished") == 0 && !isnan(t->figures[i * t->results]))
            return true;
    return false;
}

enum yk_status yk_study_draw(const struct yk_table *t, const struct yk_study_card *card, const char *path,
                             struct yk_err *err)
{
    const bool grid = t->keys == 2 && strcmp(card->sample, "grid") == 0;
    struct axis axes[YK_STUDY_KEYS] = {0};
    enum yk_status st = YK_OK;

    if (!has_figures(t))
        return yk_fail(err, YK_E_INPUT, "no picture: no finished run has a value of the first result");
    for (size_t k = 0; k < t->keys && !st; k++)
        st = open_axis(t, k, &axes[k]) ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && t->keys == 1)
        st = draw_curve(t, card, path, &axes[0], err);
    else if (!st && grid && numbers_beside_texts(t, axes) != SIZE_MAX)
        st = draw_family(t, card, path, axes, numbers_beside_texts(t, axes), err);
    else if (!st && grid)
        st = draw_map(t, card, path, axes, err);
    else if (!st)
        st = draw_parallel(t, card, path, axes, err);
    for (size_t k = 0; k < t->keys; k++)
        free(axes[k].x);
    return st;
}
