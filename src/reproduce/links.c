/* Link displacements of the partitioned Newmark methods: what the multiplier adds to the free motion of a degree of
 * freedom. docs/theory/couplings-newmark.md, eq. (22), (27).
 *
 * The method tells how much a unit of each multiplier adds. Taken at the ends of system steps. */
#include "reproduce/quantity.h"

#include "experiment/build.h"

#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

enum yk_status yk_lab_locate(const struct yk_motion *m, const char *name, const struct yk_node *map, int *side,
                             size_t *dof, const double **shape, struct yk_err *err)
{
    size_t substructure, row, index;
    enum yk_status st = yk_build_find_dof(m->experiment, map->where, name, &substructure, &row, err);

    if (st)
        return st;
    const struct yk_assembly *modal = yk_coupled_modal(m->problem, substructure, &index);
    yk_coupled_locate(m->problem, substructure, side, dof);
    *dof += row;
    *shape = modal ? modal->map[index].x + row * modal->system->n : NULL;
    return YK_OK;
}

/* In modes: the weights of the modes, each times its displacement of the degree of freedom. */
static enum yk_status weigh_modes(const struct yk_motion *m, int side, const double *shape, double *weight,
                                  struct yk_err *err)
{
    const size_t rows = m->problem->rows;
    double *of_mode = calloc(rows + 1, sizeof *of_mode);
    enum yk_status st = of_mode ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; i < m->problem->side[side].n && !st; i++) {
        st = m->coupling->ops->link(m->coupling->self, side, i, of_mode, err);
        for (size_t r = 0; r < rows; r++)
            weight[r] += shape[i] * of_mode[r];
    }
    free(of_mode);
    return st;
}

static enum yk_status weigh(const struct yk_motion *m, const struct yk_ask *ask, const struct yk_node *map,
                            double *weight, struct yk_err *err)
{
    const double *shape;
    size_t dof;
    int side;
    enum yk_status st = yk_lab_locate(m, ask->node, map, &side, &dof, &shape, err);

    if (st)
        return st;
    if (!m->coupling->ops->link)
        return yk_fail_at(err, YK_E_UNSUPPORTED, map->where, "%s does not report link displacements",
                          m->coupling->ops->name);
    if (shape)
        return weigh_modes(m, side, shape, weight, err);
    return m->coupling->ops->link(m->coupling->self, side, dof, weight, err);
}

/* ---- along a run ---- */

static enum yk_status follow(struct yk_motion *m, const double *weight, struct yk_history *h, struct yk_err *err)
{
    enum yk_status st = yk_motion_start(m);

    for (size_t k = 0; k < h->n && !st; k++) {
        if ((st = yk_motion_step(m)))
            break;
        const double *lambda = yk_motion_lambda(m);

        h->t[k] = (double)(k + 1) * m->dt;
        for (size_t r = 0; r < m->problem->rows; r++)
            h->y[k] += weight[r] * lambda[r];
    }
    return st ? yk_fail(err, st, "the run ended early") : YK_OK;
}

static enum yk_status record_links(struct yk_motion *m, const struct yk_ask *ask, const struct yk_node *map,
                                   struct yk_history *h, struct yk_err *err)
{
    double *weight;
    enum yk_status st;

    if (!m->problem)
        return yk_fail_at(err, YK_E_INPUT, map->where, "%s has no coupling", m->experiment->path);
    if (!(weight = calloc(m->problem->rows + 1, sizeof *weight)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = yk_history_open(h, (size_t)m->experiment->steps, err)) && !(st = weigh(m, ask, map, weight, err)))
        st = follow(m, weight, h, err);
    free(weight);
    return st;
}

enum yk_status yk_lab_link(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                           const struct yk_node *map, struct yk_history *h, struct yk_err *err)
{
    struct yk_experiment *e;
    struct yk_motion m;
    enum yk_status st = yk_lab_load(lab, variant, &e, err);

    *h = (struct yk_history){0};
    if (st)
        return st;
    if (!(st = yk_motion_open(&m, e, 0, err))) {
        if ((st = record_links(&m, ask, map, h, err)))
            yk_history_free(h);
        yk_motion_close(&m);
    }
    yk_experiment_destroy(e);
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
