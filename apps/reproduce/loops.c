/* Quantities of the closed hybrid loop, and of settings at which something changes. */
#include "quantity.h"

#include <math.h>

/* ---- stability of integrator and transfer system together ---- */

static enum yk_status loop_radius(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                  const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_model *model;
    double decay;
    enum yk_status st = yk_lab_model(lab, variant, &model, err);

    if (st)
        return st;
    if (!yk_model_is_hybrid(model))
        st = yk_fail_at(err, YK_E_INPUT, map->where, "%s has no specimen; use radius instead", variant->file);
    else if (!(st = yk_model_decay(model, &decay, err)))
        *value = exp(-decay * yk_model_step(model));
    yk_model_close(model);
    return st;
}

const struct yk_quantity_ops yk_obtain_loop_radius = {
    .name = "loop-radius",
    .summary = "growth per step of the slowest motion of the whole loop: integrator, transfer system and specimen",
    .value = loop_radius,
};

/* ---- where a quantity crosses a level ---- */

static enum yk_status exceeds(struct yk_lab *lab, const struct yk_node *obtain, double at, double level, bool *above,
                              struct yk_err *err)
{
    double value;
    enum yk_status st;

    lab->key_value = at;
    if (!(st = yk_obtain(lab, obtain, &value, err)))
        *above = value > level;
    return st;
}

/* Bisects between `low` and `high`, on either side of the level. */
static enum yk_status crossing(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_node *obtain = yk_node_get(map, "obtain");
    double low = ask->low, high = ask->high;
    bool first, last, here;
    enum yk_status st;

    lab->key = ask->key;
    if (!(st = exceeds(lab, obtain, low, ask->level, &first, err)) &&
        !(st = exceeds(lab, obtain, high, ask->level, &last, err)) && first == last)
        st = yk_fail_at(err, YK_E_RANGE, map->where, "the level %g is not crossed between %s = %g and %g", ask->level,
                        ask->key, low, high);
    while (!st && fabs(high - low) > 1e-7 * fabs(high)) {
        const double middle = 0.5 * (low + high);

        if (!(st = exceeds(lab, obtain, middle, ask->level, &here, err)))
            *(here == first ? &low : &high) = middle;
    }
    lab->key = NULL;
    *value = 0.5 * (low + high);
    return st;
}

static const struct yk_param crossing_params[] = {
    YK_NODE("obtain", "quantity", YK_REQUIRED, "what crosses the level"),
    YK_TEXT(struct yk_ask, key, YK_REQUIRED, "setting to vary"),
    YK_REAL(struct yk_ask, low, YK_NUMBER, YK_REQUIRED, -1e300, 1e300, "one end of its range"),
    YK_REAL(struct yk_ask, high, YK_NUMBER, YK_REQUIRED, -1e300, 1e300, "other end of its range"),
    YK_REAL(struct yk_ask, level, YK_NUMBER, 0, -1e300, 1e300, "the level"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_crossing = {
    .name = "crossing",
    .summary = "value of a setting at which a quantity crosses a level, by bisection",
    .params = crossing_params,
    .value = crossing,
};
