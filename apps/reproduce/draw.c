/* The figures of a case: panels of curves, laid out like those of the paper. */
#include "case.h"
#include "curve.h"
#include "reductions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SERIES = 40, MOST_PANELS = 12, MOST_POINTS = 3000 };

struct figure_words {
    char *name, *title, *caption;
    int columns;
    bool cover, own_scales;
};
static const struct yk_param figure_keys[] = {
    YK_TEXT(struct figure_words, name, YK_REQUIRED, "of its files"),
    YK_TEXT(struct figure_words, title, YK_REQUIRED, "what it shows; begins the caption"),
    YK_TEXT(struct figure_words, caption, 0, "ends the caption: what to compare with"),
    YK_COUNT(struct figure_words, columns, 1, 1, 4, "panels side by side"),
    YK_FLAG(struct figure_words, cover, 0, "shown in docs/reproduction.md as well"),
    YK_FLAG(struct figure_words, own_scales, 0, "panels whose axes have the same label may have different ranges"),
    YK_NODE("panels", "list of panels", YK_REQUIRED, "row by row"),
    YK_PARAM_END,
};

static const struct yk_param panel_keys[] = {
    YK_TEXT(struct yk_plot_panel, title, 0, "above the panel"),
    YK_NODE("x", "map of label, log, min, max", YK_REQUIRED, "horizontal axis"),
    YK_NODE("y", "map of label, log, min, max", YK_REQUIRED, "vertical axis"),
    YK_NODE("series", "list of series", 0, "the curves"),
    YK_NODE("inset", "map of corner, from, to", 0, "a part of it, enlarged in a corner"),
    YK_NODE("heat", "map", 0,
            "MAC of reduced and full modes as a map of colours: file, with, set, substructure, modes"),
    YK_PARAM_END,
};

struct inset_words {
    int corner;
    double from, to;
};
static const struct yk_param inset_keys[] = {
    YK_CHOICE(struct inset_words, corner, "none|top-right|top-left|bottom-right|bottom-left", YK_PLOT_TOP_RIGHT,
              "where the enlarged part stands"),
    YK_REAL(struct inset_words, from, YK_NUMBER, 0, -1e300, 1e300, "begin of the part, along x"),
    YK_REAL(struct inset_words, to, YK_NUMBER, 0, -1e300, 1e300, "its end"),
    YK_PARAM_END,
};

struct axis_words {
    char *label;
    bool log;
    double min, max;
};
static const struct yk_param axis_keys[] = {
    YK_TEXT(struct axis_words, label, YK_REQUIRED, "with its unit"),
    YK_FLAG(struct axis_words, log, 0, "logarithmic"),
    YK_REAL(struct axis_words, min, YK_NUMBER, 0, -1e300, 1e300, "with max; default as the data"),
    YK_REAL(struct axis_words, max, YK_NUMBER, 0, -1e300, 1e300, "with min; default as the data"),
    YK_PARAM_END,
};

static const struct yk_param heat_keys[] = {
    YK_NODE("file", "name", 0, "experiment file, beside the claims"),
    YK_NODE("with", "names of variants", 0, "applied in order"),
    YK_NODE("set", "map of settings", 0, "applied last"),
    YK_TEXT(struct yk_ask, substructure, 0, "substructure to reduce; default: the first"),
    YK_COUNT(struct yk_ask, modes, 30, 1, 10000, "number of modes to keep"),
    YK_PARAM_END,
};

enum { AS_THE_CURVE };
struct series_words {
    char *name;
    int style;
    bool measured;
    double x_power, x_scale, y_scale;
};
static const struct yk_param series_keys[] = {
    YK_NODE("draw", "name of a curve", YK_REQUIRED, "what is drawn"),
    YK_TEXT(struct series_words, name, YK_REQUIRED, "in the legend"),
    YK_CHOICE(struct series_words, style, "default|line|points|line-points|bars|guide|reference", AS_THE_CURVE,
              "of the curve; reference: wide and pale behind the others"),
    YK_FLAG(struct series_words, measured, 0, "by a specimen, or what stands for it: drawn in vermilion"),
    YK_NODE("file", "name", 0, "experiment file, beside the claims"),
    YK_NODE("with", "names of variants", 0, "applied in order"),
    YK_NODE("set", "map of settings", 0, "applied last"),
    YK_REAL(struct series_words, x_power, YK_NUMBER, 1, -10, 10, "of x, before the factor"),
    YK_REAL(struct series_words, x_scale, YK_NUMBER, 1, -1e300, 1e300, "factor on x"),
    YK_REAL(struct series_words, y_scale, YK_NUMBER, 1, -1e300, 1e300, "factor on y"),
    YK_PARAM_END,
};

static const struct yk_field_context no_files = {.directory = "", .force_means = YK_FORCE};

/* A figure while it is drawn. */
struct drawing {
    struct yk_lab *lab;
    bool words_only; /* check, compute nothing */
    struct yk_plot_panel panels[MOST_PANELS];
    struct axis_words axes[MOST_PANELS][2];
    struct yk_plot_series series[MOST_PANELS][MOST_SERIES];
    struct series_words words[MOST_PANELS][MOST_SERIES];
    struct yk_curve curves[MOST_PANELS][MOST_SERIES];
    struct yk_plot_heat heats[MOST_PANELS];
    size_t panel_count;
};

static void free_drawing(struct drawing *d)
{
    if (!d)
        return;
    for (size_t p = 0; p < MOST_PANELS; p++) {
        yk_param_free(panel_keys, &d->panels[p]);
        yk_param_free(axis_keys, &d->axes[p][0]);
        yk_param_free(axis_keys, &d->axes[p][1]);
        for (size_t i = 0; i < MOST_SERIES; i++) {
            yk_param_free(series_keys, &d->words[p][i]);
            free(d->curves[p][i].x);
            free(d->curves[p][i].y);
        }
    }
    free(d);
}

/* ---- series ---- */

static const char *next_curve(void *self)
{
    const struct yk_curve_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status find_curve(const struct yk_node *map, const struct yk_curve_ops **ops, struct yk_err *err)
{
    const struct yk_curve_ops *const *cursor = yk_curves;
    const struct yk_node *name = yk_node_get(map, "draw");
    char hint[96];

    if (!name)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'draw' (what is drawn)");
    for (const struct yk_curve_ops *const *c = yk_curves; *c; c++)
        if (strcmp((*c)->name, name->text) == 0) {
            *ops = *c;
            return YK_OK;
        }
    return yk_fail_at(err, YK_E_INPUT, name->where, "there is no curve '%s'%s", name->text,
                      yk_suggest(name->text, next_curve, &cursor, "", hint, sizeof hint));
}

/* Fewer points that draw the same line. */
static enum yk_status thin(struct yk_curve *c, struct yk_err *err)
{
    size_t *index;

    if (c->n <= MOST_POINTS)
        return YK_OK;
    if (!(index = malloc(MOST_POINTS * sizeof *index)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    c->n = yk_plot_thin(c->x, c->y, c->n, MOST_POINTS, index);
    for (size_t i = 0; i < c->n; i++) {
        c->x[i] = c->x[index[i]];
        c->y[i] = c->y[index[i]];
    }
    free(index);
    return YK_OK;
}

static enum yk_status produce(struct drawing *d, const struct yk_curve_ops *ops, const struct yk_node *map,
                              const struct yk_ask *ask, struct yk_curve *curve, struct yk_err *err)
{
    struct yk_variant variant = {0};
    enum yk_status st;

    if (ops->check && (st = ops->check(d->lab, map, err)))
        return st;
    if (ops->source == YK_CURVE_OF_VARIANT && (st = yk_lab_variant(d->lab, map, NULL, 0, &variant, err)))
        return st;
    st = d->words_only ? YK_OK : ops->produce(d->lab, &variant, ask, map, curve, err);
    yk_variant_free(&variant);
    return st;
}

static enum yk_status read_series(struct drawing *d, const struct yk_node *map, size_t p, size_t i, struct yk_err *err)
{
    struct series_words *words = &d->words[p][i];
    struct yk_curve *curve = &d->curves[p][i];
    const struct yk_curve_ops *ops = NULL;
    struct yk_ask ask = {0};
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a series", err)) || (st = find_curve(map, &ops, err)) ||
        (st = yk_field_known(map, series_keys, ops->params, err)) ||
        (st = yk_field_settings(map, series_keys, words, &no_files, err)) ||
        (st = yk_field_settings(map, ops->params, &ask, &no_files, err)))
        return st;
    if (!(st = produce(d, ops, map, &ask, curve, err)) && !(st = thin(curve, err))) {
        for (size_t k = 0; k < curve->n; k++) {
            curve->x[k] = words->x_scale * (words->x_power == 1 ? curve->x[k] : pow(curve->x[k], words->x_power));
            curve->y[k] *= words->y_scale;
        }
        d->series[p][i] =
            (struct yk_plot_series){.name = words->name,
                                    .style = words->style ? (enum yk_plot_style)(words->style - 1) : ops->style,
                                    .n = curve->n,
                                    .x = curve->x,
                                    .y = curve->y,
                                    .origin = words->measured ? YK_PLOT_MEASURED : YK_PLOT_COMPUTED};
    }
    yk_param_free(ops->params, &ask);
    return st;
}

/* ---- panels ---- */

static enum yk_status read_axis(const struct yk_node *panel, const char *name, struct axis_words *words,
                                struct yk_plot_axis *axis, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(panel, name);
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "an axis", err)) || (st = yk_field_known(map, axis_keys, NULL, err)) ||
        (st = yk_field_settings(map, axis_keys, words, &no_files, err)))
        return st;
    *axis = (struct yk_plot_axis){words->label, words->log, words->max > words->min, words->min, words->max};
    return YK_OK;
}

/* The MAC matrix; the reduction stays the lab's. */
static enum yk_status read_heat(struct drawing *d, const struct yk_node *map, size_t p, struct yk_err *err)
{
    const struct yk_lab_reduction *r = NULL;
    struct yk_variant variant = {0};
    struct yk_ask ask = {0};
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, heat_keys, NULL, err)) ||
        (st = yk_field_settings(map, heat_keys, &ask, &no_files, err)))
        return st;
    if (!(st = yk_lab_variant(d->lab, map, NULL, 0, &variant, err)) && !d->words_only &&
        !(st = yk_lab_reduce(d->lab, &variant, ask.substructure, ask.modes, &r, err))) {
        const size_t n = r->fidelity.modes;

        d->heats[p] = (struct yk_plot_heat){.label = "MAC [-]",
                                            .rows = n,
                                            .columns = n,
                                            .x_min = 1,
                                            .x_max = (double)n,
                                            .y_min = 1,
                                            .y_max = (double)n,
                                            .z = r->fidelity.mac,
                                            .z_max = 1};
        d->panels[p].heat = &d->heats[p];
        d->panels[p].equal_aspect = true;
    }
    yk_variant_free(&variant);
    yk_param_free(heat_keys, &ask);
    return st;
}

static enum yk_status read_inset(const struct yk_node *map, struct yk_plot_inset *inset, struct yk_err *err)
{
    struct inset_words words = {0};
    enum yk_status st;

    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "an inset", err)) || (st = yk_field_known(map, inset_keys, NULL, err)) ||
        (st = yk_field_settings(map, inset_keys, &words, &no_files, err)))
        return st;
    if (!(words.to > words.from))
        return yk_fail_at(err, YK_E_RANGE, map->where,
                          "an inset goes from a smaller x to a larger one, not from %g to %g", words.from, words.to);
    *inset = (struct yk_plot_inset){(enum yk_plot_corner)words.corner, words.from, words.to};
    return YK_OK;
}

static enum yk_status read_panel(struct drawing *d, const struct yk_node *map, size_t p, struct yk_err *err)
{
    struct yk_plot_panel *panel = &d->panels[p];
    const struct yk_node *list;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a panel", err)) || (st = yk_field_known(map, panel_keys, NULL, err)) ||
        (st = yk_field_settings(map, panel_keys, panel, &no_files, err)) ||
        (st = read_inset(yk_node_get(map, "inset"), &panel->inset, err)) ||
        (st = read_axis(map, "x", &d->axes[p][0], &panel->x, err)) ||
        (st = read_axis(map, "y", &d->axes[p][1], &panel->y, err)))
        return st;
    if (yk_node_get(map, "heat") && (st = read_heat(d, yk_node_get(map, "heat"), p, err)))
        return st;
    if (!(list = yk_node_get(map, "series")))
        return yk_node_get(map, "heat") ? YK_OK
                                        : yk_fail_at(err, YK_E_INPUT, map->where, "a panel needs 'series' or 'heat'");
    if ((st = yk_field_type(list, YK_LIST, "a list of series", err)))
        return st;
    if (list->count > MOST_SERIES)
        return yk_fail_at(err, YK_E_RANGE, list->where, "more than %d series in a panel", MOST_SERIES);
    for (size_t i = 0; i < list->count; i++)
        if ((st = read_series(d, list->items[i], p, i, err)))
            return st;
    panel->series = d->series[p];
    panel->count = list->count;
    return YK_OK;
}

/* Reads figure k; the words stay the caller's to free. */
static enum yk_status read_figure(struct drawing *d, const struct yk_node *map, struct figure_words *words,
                                  struct yk_err *err)
{
    const struct yk_node *panels;
    enum yk_status st;

    *words = (struct figure_words){0};
    if ((st = yk_field_type(map, YK_MAP, "a figure", err)) || (st = yk_field_known(map, figure_keys, NULL, err)) ||
        (st = yk_field_settings(map, figure_keys, words, &no_files, err)))
        return st;
    panels = yk_node_get(map, "panels");
    if ((st = yk_field_type(panels, YK_LIST, "a list of panels", err)))
        return st;
    if (panels->count > MOST_PANELS)
        return yk_fail_at(err, YK_E_RANGE, panels->where, "more than %d panels", MOST_PANELS);
    for (size_t p = 0; p < panels->count; p++)
        if ((st = read_panel(d, panels->items[p], p, err)))
            return st;
    d->panel_count = panels->count;
    return YK_OK;
}

/* ---- the figures of a case ---- */

static const struct yk_node *figure_node(const struct yk_case *c, size_t k)
{
    return yk_node_get(yk_case_self(c)->tree, "figures")->items[k];
}

enum yk_status yk_figures_check(const struct yk_case *c, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < c->figure_count && !st; k++) {
        struct drawing *d = calloc(1, sizeof *d);
        struct figure_words words = {0};

        if (!d)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        d->lab = &yk_case_self(c)->lab;
        d->words_only = true;
        st = read_figure(d, figure_node(c, k), &words, err);
        yk_param_free(figure_keys, &words);
        free_drawing(d);
    }
    return st;
}

enum yk_status yk_case_draw(struct yk_case *c, size_t k, const char *folder, struct yk_err *err)
{
    struct drawing *d = calloc(1, sizeof *d);
    struct figure_words words = {0};
    char *path = NULL;
    enum yk_status st;

    if (!d)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    d->lab = &yk_case_self(c)->lab;
    if (!(st = read_figure(d, figure_node(c, k), &words, err))) {
        const struct yk_figure figure = {.panels = d->panels,
                                         .count = d->panel_count,
                                         .columns = (size_t)words.columns,
                                         .own_scales = words.own_scales};

        st = asprintf(&path, "%s/%s.svg", folder, words.name) < 0 ? yk_fail(err, YK_E_MEMORY, "out of memory")
                                                                  : yk_figure_write(&figure, path, err);
        free(path);
    }
    yk_param_free(figure_keys, &words);
    free_drawing(d);
    return st;
}

const char *yk_case_figure_name(const struct yk_case *c, size_t k)
{
    return yk_node_get(figure_node(c, k), "name")->text;
}

char *yk_case_figure_caption(const struct yk_case *c, size_t k)
{
    const struct yk_node *caption = yk_node_get(figure_node(c, k), "caption");
    char *text = NULL;

    return asprintf(&text, "%s.%s%s", yk_node_get(figure_node(c, k), "title")->text, caption ? " " : "",
                    caption ? caption->text : "") < 0
               ? NULL
               : text;
}

bool yk_case_figure_is_cover(const struct yk_case *c, size_t k)
{
    const struct yk_node *cover = yk_node_get(figure_node(c, k), "cover");

    return cover && strcmp(cover->text, "true") == 0;
}
