/* Link displacements of the partitioned Newmark methods: what the multiplier adds to the free motion of a degree of
 * freedom. docs/theory/couplings-newmark.md, eq. (22), (27).
 *
 * The method tells how much a unit of each multiplier adds. Taken at the ends of system steps. */
#include "quantity.h"

#include <stdlib.h>

/* ---- along a run ---- */

static enum yk_status follow(struct yk_stepping *s, double step, const double *weight, struct yk_history *h,
                             struct yk_err *err)
{
    for (size_t k = 0; k < h->n; k++) {
        const enum yk_status st = yk_stepping_step(s);
        const double *lambda;

        if (st)
            return yk_fail(err, st, "the run ended early");
        h->t[k] = (double)(k + 1) * step;
        for (size_t r = 0; r < yk_stepping_multipliers(s, &lambda); r++)
            h->y[k] += weight[r] * lambda[r];
    }
    return YK_OK;
}

static enum yk_status record_links(const struct yk_stepped *s, const struct yk_ask *ask, const struct yk_node *map,
                                   struct yk_history *h, struct yk_err *err)
{
    double *weight = calloc(yk_stepping_multipliers(s->stepping, NULL) + 1, sizeof *weight);
    size_t substructure, dof;
    enum yk_status st;

    if (!weight)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = yk_history_open(h, (size_t)yk_model_steps(s->model), err)) &&
        !(st = yk_stepping_find_dof(s->stepping, map->where, ask->node, &substructure, &dof, err))) {
        if ((st = yk_stepping_link(s->stepping, substructure, dof, weight, err)))
            yk_fail_within(err, map->where, "%s", "");
        else
            st = follow(s->stepping, yk_model_step(s->model), weight, h, err);
    }
    free(weight);
    return st;
}

enum yk_status yk_lab_link(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                           const struct yk_node *map, struct yk_history *h, struct yk_err *err)
{
    struct yk_stepped s;
    enum yk_status st = yk_lab_stepping(lab, variant, false, &s, err);

    *h = (struct yk_history){0};
    if (st)
        return st;
    if ((st = record_links(&s, ask, map, h, err)))
        yk_history_free(h);
    yk_stepped_close(&s);
    return st;
}

static enum yk_status link_value(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                 const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_history h;
    enum yk_status st = yk_lab_link(lab, variant, ask, map, &h, err);

    if (st)
        return st;
    st = yk_history_measure(&h, ask, map, value, err);
    yk_history_free(&h);
    return st;
}

static const struct yk_param params[] = {ASK_NODE, ASK_MEASURE, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_link = {
    .name = "link",
    .summary =
        "displacement that the multiplier adds to a degree of freedom, at system steps (partitioned Newmark methods)",
    .params = params,
    .value = link_value,
};
