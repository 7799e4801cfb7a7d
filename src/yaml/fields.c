/* Typed reading of tree nodes. */
#include "base/notes.h"
#include <yoke/fields.h>

#include <yoke/number.h>

#include "model/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum yk_status yk_field_type(const struct yk_node *node, enum yk_node_type type, const char *what, struct yk_err *err)
{
    if (node->type == type)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, node->where, "%s is expected%s%s, but this is %s", what,
                      node->key ? " for " : "", node->key ? node->key : "", yk_node_type_name(node));
}

enum yk_status yk_field_real(const struct yk_node *node, enum yk_quantity quantity, double min, double max,
                             double *value, struct yk_err *err)
{
    const char *name = node->key ? node->key : "value";
    enum yk_status st;

    if ((st = yk_field_type(node, YK_SCALAR, "a number", err)))
        return st;
    if (!*node->text)
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s: no value is given", name);
    if (yk_quantity_parse(node->text, quantity, value, err))
        return yk_fail_within(err, node->where, "%s: ", name);
    if (!(*value >= min && *value <= max)) {
        if (min == YK_TINY && !(*value > 0))
            return yk_fail_at(err, YK_E_RANGE, node->where, "%s = %s must be positive", name, node->text);
        return yk_fail_at(err, YK_E_RANGE, node->where, "%s = %s is outside %g .. %g%s%s", name, node->text,
                          min == YK_TINY ? 0 : min, max, *yk_quantity_unit(quantity) ? " " : "",
                          yk_quantity_unit(quantity));
    }
    return YK_OK;
}

struct two_tables {
    const struct yk_param *first, *second;
};

static const char *next_key(void *self)
{
    struct two_tables *t = self;

    if (t->first && t->first->name)
        return (t->first++)->name;
    return t->second && t->second->name ? (t->second++)->name : NULL;
}

static const struct yk_param *find(const struct yk_param *params, const char *name)
{
    for (; params && params->name; params++)
        if (strcmp(params->name, name) == 0)
            return params;
    return NULL;
}

enum yk_status yk_field_known(const struct yk_node *map, const struct yk_param *first, const struct yk_param *second,
                              struct yk_err *err)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct yk_node *node = map->items[i];
        char hint[96];

        if (find(first, node->key) || find(second, node->key))
            continue;
        return yk_fail_at(err, YK_E_INPUT, node->key_where, "unknown key '%s'%s%s%s", node->key, map->key ? " in " : "",
                          map->key ? map->key : "",
                          yk_suggest(node->key, next_key, &(struct two_tables){first, second}, "", hint, sizeof hint));
    }
    return YK_OK;
}

char *yk_field_path(const char *directory, const char *name)
{
    char *path = NULL;

    if (name[0] == '/' || !directory || !*directory)
        return strdup(name);
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static enum yk_status read_whole(const struct yk_node *node, const struct yk_param *p, double *value,
                                 struct yk_err *err)
{
    const enum yk_status st = yk_field_real(node, YK_NUMBER, p->min, p->max, value, err);

    if (!st && *value != floor(*value))
        return yk_fail_at(err, YK_E_RANGE, node->where, "%s = %s must be a whole number: %.0f or %.0f", p->name,
                          node->text, floor(*value), ceil(*value));
    return st;
}

static enum yk_status read_flag(const struct yk_node *node, bool *value, struct yk_err *err)
{
    const bool yes = strcmp(node->text, "true") == 0, no = strcmp(node->text, "false") == 0;

    if (!yes && !no)
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s = '%s' is neither true nor false", node->key, node->text);
    *value = yes;
    return YK_OK;
}

static enum yk_status read_choice(const struct yk_node *node, const struct yk_param *p, int *value, struct yk_err *err)
{
    char list[256] = "";

    *value = yk_choice_index(p->choices, node->text);
    if (*value >= 0 && *node->text)
        return YK_OK;
    for (const char *c = p->choices; c; c = yk_choice_next(c))
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.*s", *list ? ", " : "", (int)strcspn(c, "|"), c);
    return yk_fail_at(err, YK_E_INPUT, node->where, "%s = '%s' is not one of: %s", p->name, node->text, list);
}

static size_t count_all(const struct yk_node *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->count; i++)
        n += list->items[i]->type == YK_LIST ? list->items[i]->count : 1;
    return n;
}

static enum yk_status read_reals(const struct yk_node *node, const struct yk_param *p, enum yk_quantity quantity,
                                 struct yk_reals *out, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if ((st = yk_field_type(node, YK_LIST, "a list of numbers", err)))
        return st;
    out->x = calloc(count_all(node) + 1, sizeof *out->x);
    if (!out->x)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < node->count && !st; i++) {
        const struct yk_node *item = node->items[i];

        if (item->type != YK_LIST) /* rows of a matrix are read one after the other */
            st = yk_field_real(item, quantity, p->min, p->max, &out->x[out->n++], err);
        for (size_t k = 0; item->type == YK_LIST && k < item->count && !st; k++)
            st = yk_field_real(item->items[k], quantity, p->min, p->max, &out->x[out->n++], err);
    }
    return st;
}

/* Pairs of force and displacement, or the word that stands for none. */
static enum yk_status read_points(const struct yk_node *node, const struct yk_param *p, enum yk_quantity force,
                                  enum yk_quantity displacement, struct yk_reals *out, struct yk_err *err)
{
    enum yk_status st;

    if (node->type == YK_SCALAR && *p->choices && strcmp(node->text, p->choices) == 0)
        return YK_OK;
    if (node->type == YK_SCALAR && *p->choices)
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s = '%s' is neither a list of points nor '%s'", p->name,
                          node->text, p->choices);
    if ((st = yk_field_type(node, YK_LIST, "a list of points [force, deformation]", err)))
        return st;
    if (!(out->x = calloc(2 * node->count + 1, sizeof *out->x)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < node->count && !st; i++) {
        const struct yk_node *point = node->items[i];

        if (point->type != YK_LIST || point->count != 2)
            return yk_fail_at(err, YK_E_INPUT, point->where, "point %zu of %s must be [force, deformation]", i + 1,
                              p->name);
        if (!(st = yk_field_real(point->items[0], force, p->min, p->max, &out->x[out->n], err)))
            st = yk_field_real(point->items[1], displacement, p->min, p->max, &out->x[out->n + 1], err);
        out->n += 2;
    }
    return st;
}

/* Puts the place of the file's name in front. That it cannot be opened is a fault of the experiment too. */
static enum yk_status file_refused(const struct yk_node *node, enum yk_status st, struct yk_err *err)
{
    yk_fail_within(err, node->where, "%s: ", node->key);
    return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
}

#define GRAVITY 9.80665 /* m/s2 */

static double peak_of(const struct yk_series *series)
{
    double peak = 0;

    for (size_t i = 0; i < series->n; i++)
        peak = fmax(peak, fabs(series->y[i]));
    return peak;
}

/* Ground motions are written in g as often as in m/s2, and nothing but their size tells. */
static bool is_doubtful(enum yk_quantity quantity, double peak)
{
    const double most_g = 5; /* above it they would be the largest ever recorded */

    return (quantity == YK_ACCELERATION || quantity == YK_PLAIN_ACCELERATION) && peak > 0 && peak < most_g;
}

static void scale_series(struct yk_series *series, double factor)
{
    for (size_t i = 0; i < series->n; i++)
        series->y[i] *= factor;
}

/* A sibling key `unit` says what the values are in, where the file does not. */
static enum yk_status apply_unit(const struct yk_node *node, const struct yk_node *unit, enum yk_quantity quantity,
                                 enum yk_unit_said said, struct yk_series *series, struct yk_notes *notes,
                                 struct yk_err *err)
{
    const double peak = peak_of(series);
    double factor;
    char one[40];

    if (!unit && said == YK_UNIT_OF_AT2) {
        yk_note(notes, node->where, "%s: %s names no unit; g is assumed, as in AT2 files of PEER. Add `unit` to say so",
                node->key, node->text);
        scale_series(series, GRAVITY);
        return YK_OK;
    }
    if (!unit && said == YK_UNIT_UNSAID && is_doubtful(quantity, peak))
        return yk_fail_at(err, YK_E_UNIT, node->where,
                          "%s: %s does not state its unit, and its peak of %.4g may be in g or in m/s2; add `unit: g` "
                          "or `unit: m/s2`",
                          node->key, node->text, peak);
    if (!unit)
        return YK_OK;
    if (said == YK_UNIT_SAID)
        return yk_fail_at(err, YK_E_INPUT, unit->where, "%s contains the unit of its values; leave `unit` out",
                          node->text);
    if (unit->type != YK_SCALAR || strlen(unit->text) > 30 || !*unit->text)
        return yk_fail_at(err, YK_E_INPUT, unit->where, "unit must be a unit, such as g or kN");
    snprintf(one, sizeof one, "1 %s", unit->text);
    if (yk_quantity_parse(one, quantity, &factor, err))
        return yk_fail_within(err, unit->where, "unit: ");
    scale_series(series, factor);
    return YK_OK;
}

/* A sampled function from a file; sibling keys `step` and `unit` give the spacing of a one-column file and the unit of
 * the values. */
static enum yk_status read_series(const struct yk_node *node, const struct yk_node *map,
                                  const struct yk_field_context *context, enum yk_quantity quantity,
                                  struct yk_series *out, struct yk_err *err)
{
    const struct yk_node *step = yk_node_get(map, "step");
    enum yk_unit_said said = YK_UNIT_UNSAID;
    double dt = 0;
    char *path;
    enum yk_status st;

    if (step && (st = yk_field_real(step, YK_TIME, YK_TINY, 1e6, &dt, err)))
        return st;
    if (!(path = yk_field_path(context->directory, node->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_read_series(path, dt, quantity, out, &said, err)))
        st = file_refused(node, st, err);
    else
        st = apply_unit(node, yk_node_get(map, "unit"), quantity, said, out, context->notes, err);
    free(path);
    return st;
}

static enum yk_status read_one(const struct yk_node *node, const struct yk_node *map, const struct yk_param *p,
                               void *settings, const struct yk_field_context *context, struct yk_err *err)
{
    const bool commanded = p->quantity == YK_DISPLACEMENT && context->commanded != YK_NUMBER;
    const enum yk_quantity quantity = yk_quantity_of(commanded                 ? context->commanded
                                                     : p->quantity == YK_FORCE ? context->force_means
                                                                               : p->quantity,
                                                     context->sense);
    char *field = (char *)settings + p->offset;
    double value;
    enum yk_status st;

    if (p->type == YK_PARAM_NODE)
        return YK_OK;
    if (p->type == YK_PARAM_REALS)
        return read_reals(node, p, quantity, (struct yk_reals *)field, err);
    if (p->type == YK_PARAM_POINTS)
        return read_points(node, p, quantity, yk_quantity_of(YK_DISPLACEMENT, context->sense), (struct yk_reals *)field,
                           err);
    if ((st = yk_field_type(node, YK_SCALAR, "a single value", err)))
        return st;
    switch (p->type) {
    case YK_PARAM_REAL:
        st = yk_field_real(node, quantity, p->min, commanded ? 1e30 : p->max, (double *)field, err);
        return st == YK_E_RANGE && p->hint ? yk_fail_hint(err, "%s", p->hint) : st;
    case YK_PARAM_COUNT:
        if (!(st = read_whole(node, p, &value, err)))
            *(int *)field = (int)value;
        return st;
    case YK_PARAM_WHOLE:
        return read_whole(node, p, (double *)field, err);
    case YK_PARAM_FLAG:
        return read_flag(node, (bool *)field, err);
    case YK_PARAM_CHOICE:
        return read_choice(node, p, (int *)field, err);
    case YK_PARAM_SERIES:
        return read_series(node, map, context, quantity, (struct yk_series *)field, err);
    case YK_PARAM_FILE:
        *(char **)field = yk_field_path(context->directory, node->text);
        break;
    case YK_PARAM_TEXT:
        *(char **)field = strdup(node->text);
        break;
    case YK_PARAM_REALS:
    case YK_PARAM_POINTS:
    case YK_PARAM_NODE:
        return YK_OK;
    }
    return *(char **)field ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* A setting that the others leave without effect is a mistake more often than not. */
static enum yk_status check_effect(const struct yk_node *map, const struct yk_param *params, const void *settings,
                                   struct yk_err *err)
{
    char why[128];

    for (const struct yk_param *p = params; p && p->name; p++) {
        const struct yk_node *node = p->when ? yk_node_get(map, p->name) : NULL;

        if (node && !yk_param_counts(params, p, settings, why, sizeof why))
            return yk_fail_at(err, YK_E_INPUT, node->key_where, "%s has no effect %s", p->name, why);
    }
    return YK_OK;
}

enum yk_status yk_field_settings(const struct yk_node *map, const struct yk_param *params, void *settings,
                                 const struct yk_field_context *context, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    yk_param_defaults(params, settings);
    for (const struct yk_param *p = params; p && p->name && !st; p++) {
        const struct yk_node *node = yk_node_get(map, p->name);

        if (node)
            st = read_one(node, map, p, settings, context, err);
        else if (p->type == YK_PARAM_NODE && isnan(p->fallback))
            st = yk_fail_at(err, YK_E_INPUT, map->where, "missing '%s' (%s)", p->name, p->help);
    }
    if (!st && (st = yk_param_check(params, settings, err)))
        yk_fail_within(err, map->where, "%s", "");
    if (!st)
        st = check_effect(map, params, settings, err);
    if (st)
        yk_param_free(params, settings);
    return st;
}

static enum yk_sense sense_at(const enum yk_sense *senses, size_t i)
{
    return senses ? senses[i] : YK_EITHER;
}

static enum yk_status matrix_from_rows(const struct yk_node *node, enum yk_quantity quantity,
                                       const enum yk_sense *senses, struct yk_matrix *out, struct yk_err *err)
{
    const size_t rows = node->count, cols = node->items[0]->count;
    enum yk_status st;

    if ((st = yk_matrix_init(out, YK_DENSE, rows, cols, err)))
        return st;
    for (size_t i = 0; i < rows && !st; i++) {
        const struct yk_node *row = node->items[i];

        if ((st = yk_field_type(row, YK_LIST, "a row of numbers", err)))
            break;
        if (row->count != cols)
            st = yk_fail_at(err, YK_E_INPUT, row->count ? row->items[0]->where : row->where,
                            "row %zu of %s has %zu values, the first has %zu", i + 1, node->key, row->count, cols);
        for (size_t j = 0; j < cols && !st; j++)
            st = yk_field_real(row->items[j],
                               i == j ? yk_quantity_of(quantity, sense_at(senses, i))
                                      : yk_quantity_between(quantity, sense_at(senses, i), sense_at(senses, j)),
                               -1e300, 1e300, &out->x[i + j * rows], err);
    }
    return st;
}

static enum yk_status matrix_from_diagonal(const struct yk_node *node, enum yk_quantity quantity,
                                           const enum yk_sense *senses, struct yk_matrix *out, struct yk_err *err)
{
    const size_t n = node->type == YK_LIST ? node->count : 1;
    enum yk_status st = yk_matrix_init(out, YK_DIAGONAL, n, n, err);

    for (size_t i = 0; i < n && !st; i++)
        st = yk_field_real(node->type == YK_LIST ? node->items[i] : node, yk_quantity_of(quantity, sense_at(senses, i)),
                           -1e300, 1e300, &out->x[i], err);
    return st;
}

static enum yk_status matrix_from_file(const struct yk_node *node, const char *directory, struct yk_matrix *out,
                                       struct yk_err *err)
{
    char *path = yk_field_path(directory, node->text);
    enum yk_status st;

    if (!path)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_read_matrix(path, out, err)))
        st = file_refused(node, st, err);
    free(path);
    return st;
}

/* A number rather than the name of a file: "8 kN/m", but not "8dof.mtx". */
static bool looks_like_number(const char *text)
{
    static const char *const endings[] = {".mtx", ".mm", ".csv", ".txt"};
    const size_t length = strlen(text);
    double ignored;

    if (yk_is_mat(text) || yk_import_has_ending(text))
        return false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (length > strlen(endings[i]) && strcasecmp(text + length - strlen(endings[i]), endings[i]) == 0)
            return false;
    return yk_number_is_not_finite(text, text + length) || yk_number_scan(text, text + length, &ignored);
}

bool yk_field_names_file(const struct yk_node *node)
{
    return node->type == YK_SCALAR && *node->text && !looks_like_number(node->text);
}

enum yk_status yk_field_matrix(const struct yk_node *node, enum yk_quantity quantity, size_t n,
                               const enum yk_sense *senses, const struct yk_field_context *context,
                               struct yk_matrix *out, struct yk_err *err)
{
    const bool empty = node->type == YK_SCALAR ? !*node->text : node->count == 0;
    enum yk_status st;

    const size_t rows = node->type == YK_LIST ? node->count : 1;
    const size_t cols = node->type == YK_LIST && rows && node->items[0]->type == YK_LIST ? node->items[0]->count : rows;

    *out = (struct yk_matrix){0};
    if (rows > n || cols > n)
        senses = NULL; /* refused below, by its size */
    if (node->type == YK_MAP || empty)
        st = yk_fail_at(err, YK_E_INPUT, node->where,
                        "%s must be rows [[..], [..]], a diagonal [..], or the name of a .mtx, .mat or .csv file",
                        node->key);
    else if (yk_field_names_file(node))
        st = matrix_from_file(node, context->directory, out, err);
    else if (node->type == YK_LIST && node->items[0]->type == YK_LIST)
        st = matrix_from_rows(node, quantity, senses, out, err);
    else
        st = matrix_from_diagonal(node, quantity, senses, out, err);
    if (!st && n && (out->rows != n || out->cols != n))
        st = yk_fail_at(err, YK_E_INPUT, node->where,
                        "%s is %zu x %zu, but %zu x %zu is expected: one row and column per "
                        "degree of freedom",
                        node->key, out->rows, out->cols, n, n);
    if (st)
        yk_matrix_fini(out);
    return st;
}
