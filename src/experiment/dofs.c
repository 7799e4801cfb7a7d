/* Names of degrees of freedom and their start values. */
#include "base/names.h"
#include "base/rotation.h"
#include "experiment/build.h"

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_initial[] = {
    YK_NODE("displacement", "map of degree of freedom to m or rad", 0, "displacements at t = 0"),
    YK_NODE("velocity", "map of degree of freedom to m/s or rad/s", 0, "velocities at t = 0"),
    YK_PARAM_END,
};

struct pattern {
    int count;
    char *prefix;
};

static bool good_name(const char *name)
{
    return *name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == strlen(name) &&
           strlen(name) < 40;
}

enum yk_status yk_check_name(const struct yk_node *node, const char *name, struct yk_err *err)
{
    if (good_name(name))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, node->where,
                      "'%s' cannot be a name: letters, digits, '_' and '-', fewer than 40", name);
}

void yk_dofs_forget(struct yk_dofs *d)
{
    free(d->place);
    yk_names_free(d->index);
    free(d->index);
    *d = (struct yk_dofs){0};
}

void yk_dofs_free(struct yk_dofs *d)
{
    for (size_t i = 0; d->names && i < d->n; i++)
        free(d->names[i]);
    free(d->names);
    yk_dofs_forget(d);
}

long yk_dofs_find(const struct yk_dofs *d, const char *name)
{
    if (!d->index) /* of the names, not one of them: to the caller nothing changes */
        ((struct yk_dofs *)d)->index = calloc(1, sizeof *d->index);
    return yk_names_find(d->index, d->names, sizeof *d->names, d->n, name);
}

struct name_cursor {
    char **names;
    size_t n, at;
};

static const char *next_name(void *self)
{
    struct name_cursor *c = self;

    return c->at < c->n ? c->names[c->at++] : NULL;
}

/* "; known: first.x, roof.x", the first few. */
static const char *known_names(const struct yk_dofs *d, char *text, size_t size)
{
    enum { SHOWN = 4 };
    const size_t n = d->n < SHOWN ? d->n : SHOWN;
    size_t at = 0;

    *text = 0;
    for (size_t i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s%s", i == 0 ? "; known: " : ", ", d->names[i],
                               i + 1 == n && n < d->n ? ", ..." : "");
    return text;
}

enum yk_status yk_dofs_missing(struct yk_where where, const char *name, const struct yk_dofs *d, struct yk_err *err)
{
    char hint[192], known[160];

    return yk_fail_at(err, YK_E_INPUT, where, "there is no degree of freedom '%s'%s", name,
                      yk_suggest(name, next_name, &(struct name_cursor){d->names, d->n, 0},
                                 known_names(d, known, sizeof known), hint, sizeof hint));
}

/* Rotations have names of their own and x, y, z are translations; others may be either. */
enum yk_sense yk_dofs_sense(const char *dof)
{
    const char *dot = strrchr(dof, '.'), *last = dot ? dot + 1 : dof;

    if (yk_is_rotation(dof))
        return YK_ABOUT;
    return strspn(last, "xyz") == 1 && !last[1] ? YK_ALONG : YK_EITHER;
}

enum yk_quantity yk_dofs_quantity(const char *dof, enum yk_quantity quantity)
{
    return yk_quantity_of(quantity, yk_dofs_sense(dof));
}

enum yk_sense *yk_dofs_senses(char *const *names, size_t n)
{
    enum yk_sense *senses = malloc((n + 1) * sizeof *senses);

    for (size_t i = 0; senses && i < n; i++)
        senses[i] = yk_dofs_sense(names[i]);
    return senses;
}

static enum yk_status read_start_values(const struct yk_node *map, const struct yk_dofs *d, enum yk_quantity quantity,
                                        double *x, struct yk_err *err)
{
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of degrees of freedom", err) : YK_OK;

    for (size_t i = 0; map && i < map->count && !st; i++) {
        const long dof = yk_dofs_find(d, map->items[i]->key);

        st = dof < 0
                 ? yk_dofs_missing(map->items[i]->key_where, map->items[i]->key, d, err)
                 : yk_field_real(map->items[i], yk_dofs_quantity(d->names[dof], quantity), -1e300, 1e300, &x[dof], err);
    }
    return st;
}

enum yk_status yk_dofs_initial(const struct yk_node *map, const struct yk_dofs *d, double *u0, double *v0,
                               struct yk_err *err)
{
    const struct yk_node *initial = yk_node_get(map, "initial");
    enum yk_status st;

    if (!initial)
        return YK_OK;
    if ((st = yk_field_type(initial, YK_MAP, "a map", err)) ||
        (st = yk_field_known(initial, yk_keys_initial, NULL, err)) ||
        (st = read_start_values(yk_node_get(initial, "displacement"), d, YK_DISPLACEMENT, u0, err)))
        return st;
    return read_start_values(yk_node_get(initial, "velocity"), d, YK_VELOCITY, v0, err);
}

enum yk_status yk_build_rest_state(struct yk_structure_parts *parts, size_t n, struct yk_err *err)
{
    parts->u0 = calloc(n + 1, sizeof(double));
    parts->v0 = calloc(n + 1, sizeof(double));
    return parts->u0 && parts->v0 ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_dofs_number(const char *prefix, size_t count, struct yk_dofs *d, struct yk_err *err)
{
    if (!(d->names = calloc(count + 1, sizeof *d->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; d->n < count; d->n++)
        if (asprintf(&d->names[d->n], "%s%zu", prefix, d->n + 1) < 0) {
            d->names[d->n] = NULL;
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
    return YK_OK;
}

const struct yk_param yk_keys_dofs[] = {
    YK_COUNT(struct pattern, count, YK_REQUIRED, 1, 1000000, "number of degrees of freedom"),
    YK_TEXT(struct pattern, prefix, 0, "prefix of their names, which are numbered from 1; default d: d1, d2, ..."),
    YK_PARAM_END,
};

/* { count: 1000, prefix: d } */
static enum yk_status read_pattern(const struct yk_node *map, struct yk_dofs *d, struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    struct pattern pattern = {0};
    enum yk_status st;

    if ((st = yk_field_known(map, yk_keys_dofs, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_dofs, &pattern, &context, err)))
        return st;
    if (pattern.prefix && (!good_name(pattern.prefix) || strlen(pattern.prefix) > 30))
        st = yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "prefix")->where,
                        "'%s' cannot start a name: letters, digits, '_' and '-', at most 30", pattern.prefix);
    else
        st = yk_dofs_number(pattern.prefix ? pattern.prefix : "d", (size_t)pattern.count, d, err);
    yk_param_free(yk_keys_dofs, &pattern);
    return st;
}

enum yk_status yk_dofs_read(const struct yk_node *list, struct yk_dofs *d, struct yk_err *err)
{
    enum yk_status st;

    if (list->type == YK_MAP)
        return read_pattern(list, d, err);
    st = yk_field_type(list, YK_LIST, "a list of names, or { count: N, prefix: d },", err);

    if (st)
        return st;
    if (list->count == 0)
        return yk_fail_at(err, YK_E_INPUT, list->where, "dofs is empty: at least one degree of freedom is needed");
    if (!(d->names = calloc(list->count, sizeof *d->names)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count; i++) {
        const struct yk_node *name = list->items[i];

        if ((st = yk_field_type(name, YK_SCALAR, "a name", err)) || (st = yk_check_name(name, name->text, err)))
            return st;
        if (yk_dofs_find(d, name->text) >= 0)
            return yk_fail_at(err, YK_E_INPUT, name->where, "degree of freedom '%s' is named twice", name->text);
        if (!(d->names[d->n++] = strdup(name->text)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    return YK_OK;
}
