/* From the words of a claim to a number: the quantity by its name, over the variants asked for, and the arithmetic
 * between quantities.
 *
 *     value = scale ((take over variants of q - minus) / over)^power */
#include "quantity.h"

#include <yoke/number.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NUMBERS = 10000, MOST_LISTS = 8 };
enum take { TAKE_MAX, TAKE_MIN, TAKE_SPREAD };

const struct yk_quantity_ops *const yk_quantities[] = {
#define QUANTITY(name) &yk_obtain_##name,
#include "quantities.def"
#undef QUANTITY
    NULL,
};

struct common {
    int take;
    double scale, power;
    bool absolute;
};

static const struct yk_param common_keys[] = {
    YK_NODE("quantity", "name", YK_REQUIRED, "what is obtained"),
    YK_NODE("file", "name", 0, "experiment file, beside the claims"),
    YK_NODE("with", "names of variants", 0, "applied in order"),
    YK_NODE("set", "map of settings", 0, "applied last"),
    YK_NODE("among", "lists of variants", 0, "one variant of each list, all combinations"),
    YK_CHOICE(struct common, take, "max|min|spread", TAKE_MAX, "of the values among the variants"),
    YK_NODE("minus", "quantity", 0, "subtracted"),
    YK_NODE("over", "quantity", 0, "divides"),
    YK_REAL(struct common, power, YK_NUMBER, 1, -10, 10, "of the result, before the factor"),
    YK_REAL(struct common, scale, YK_NUMBER, 1, -1e300, 1e300, "factor"),
    YK_FLAG(struct common, absolute, 0, "the modulus of the result"),
    YK_PARAM_END,
};

static const struct yk_field_context no_files = {.directory = "", .force_means = YK_FORCE};

static const char *next_quantity(void *self)
{
    const struct yk_quantity_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status find_quantity(const struct yk_node *map, const struct yk_quantity_ops **ops, struct yk_err *err)
{
    const struct yk_quantity_ops *const *cursor = yk_quantities;
    const struct yk_node *name;
    char hint[96];
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a quantity", err)))
        return st;
    if (!(name = yk_node_get(map, "quantity")))
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'quantity' (what is obtained)");
    for (const struct yk_quantity_ops *const *q = yk_quantities; *q; q++)
        if (strcmp((*q)->name, name->text) == 0) {
            *ops = *q;
            return yk_field_known(map, common_keys, (*q)->params, err);
        }
    return yk_fail_at(err, YK_E_INPUT, name->where, "there is no quantity '%s'%s", name->text,
                      yk_suggest(name->text, next_quantity, &cursor, "", hint, sizeof hint));
}

/* ---- combinations of variants ---- */

struct among {
    const struct yk_node *list[MOST_LISTS];
    size_t lists, combinations;
};

/* `among`: a list of names, or a list of such lists */
static enum yk_status read_among(const struct yk_node *map, struct among *a, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, "among");
    enum yk_status st;

    *a = (struct among){.combinations = 1};
    if (!node)
        return YK_OK;
    if ((st = yk_field_type(node, YK_LIST, "a list of variants", err)))
        return st;
    if (!node->count || node->items[0]->type == YK_SCALAR)
        a->list[a->lists++] = node;
    else
        for (size_t i = 0; i < node->count && a->lists < MOST_LISTS && !st; i++)
            if (!(st = yk_field_type(node->items[i], YK_LIST, "a list of variants", err)))
                a->list[a->lists++] = node->items[i];
    for (size_t i = 0; i < a->lists && !st; i++) {
        if (!a->list[i]->count)
            return yk_fail_at(err, YK_E_INPUT, node->where, "a list of variants is empty");
        a->combinations *= a->list[i]->count;
    }
    return st;
}

static void choose(const struct among *a, size_t combination, const char **names)
{
    for (size_t i = 0; i < a->lists; i++) {
        names[i] = a->list[i]->items[combination % a->list[i]->count]->text;
        combination /= a->list[i]->count;
    }
}

/* ---- the value ---- */

static enum yk_status value_of(struct yk_lab *lab, const struct yk_quantity_ops *ops, const struct yk_node *map,
                               const struct among *a, size_t combination, double *value, struct yk_err *err)
{
    const char *names[MOST_LISTS];
    struct yk_ask ask = {0};
    struct yk_variant variant;
    enum yk_status st;

    choose(a, combination, names);
    if ((st = yk_lab_variant(lab, map, names, a->lists, &variant, err)))
        return st;
    if (!(st = yk_field_settings(map, ops->params, &ask, &no_files, err))) {
        st = ops->value(lab, &variant, &ask, map, value, err);
        yk_param_free(ops->params, &ask);
    }
    yk_variant_free(&variant);
    return st;
}

static double taken(int take, double so_far_low, double so_far_high)
{
    return take == TAKE_MAX ? so_far_high : take == TAKE_MIN ? so_far_low : so_far_high - so_far_low;
}

enum yk_status yk_obtain(struct yk_lab *lab, const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_quantity_ops *ops;
    const struct yk_node *minus = yk_node_get(map, "minus"), *over = yk_node_get(map, "over");
    struct common common;
    struct among among;
    double one, low = INFINITY, high = -INFINITY;
    enum yk_status st;

    if ((st = find_quantity(map, &ops, err)) || (st = yk_field_settings(map, common_keys, &common, &no_files, err)) ||
        (st = read_among(map, &among, err)))
        return st;
    for (size_t i = 0; i < among.combinations; i++) {
        if ((st = value_of(lab, ops, map, &among, i, &one, err)))
            return st;
        low = one < low || isnan(one) ? one : low;
        high = one > high || isnan(one) ? one : high;
    }
    *value = taken(common.take, low, high);
    if (minus && !(st = yk_obtain(lab, minus, &one, err)))
        *value -= one;
    if (!st && over && !(st = yk_obtain(lab, over, &one, err)))
        *value /= one;
    if (common.power != 1)
        *value = pow(*value, common.power);
    *value = common.absolute ? fabs(*value * common.scale) : *value * common.scale;
    return st;
}

enum yk_status yk_obtain_check(const struct yk_lab *lab, const struct yk_node *map, struct yk_err *err)
{
    static const char *const others[] = {"minus", "over", "obtain"};
    const struct yk_quantity_ops *ops;
    const char *names[MOST_LISTS];
    struct yk_ask ask = {0};
    struct common common;
    struct among among;
    enum yk_status st;

    if ((st = find_quantity(map, &ops, err)) || (st = yk_field_settings(map, common_keys, &common, &no_files, err)) ||
        (st = yk_field_settings(map, ops->params, &ask, &no_files, err)) || (st = read_among(map, &among, err)))
        return st;
    yk_param_free(ops->params, &ask);
    for (size_t i = 0; i < among.combinations && !st; i++) {
        struct yk_variant variant;

        choose(&among, i, names);
        if (!(st = yk_lab_variant(lab, map, names, among.lists, &variant, err)))
            yk_variant_free(&variant);
    }
    for (int i = 0; i < 3 && !st; i++)
        if (yk_node_get(map, others[i]))
            st = yk_obtain_check(lab, yk_node_get(map, others[i]), err);
    return st;
}

enum yk_status yk_ask_numbers(const char *text, double **values, size_t *count, struct yk_err *err)
{
    if (!(*values = malloc(MOST_NUMBERS * sizeof **values)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((*count = yk_number_range(text, *values, MOST_NUMBERS)))
        return YK_OK;
    free(*values);
    *values = NULL;
    return yk_fail(err, YK_E_INPUT, "'%s' is not a list of numbers such as \"0.1,0.5,1\" or 0.01:2:50log", text);
}
