/* A method with a control loop inside (efc) whose loop has come to rest at the end of every step. The specimen is the
 * model of the virtual rig; the method itself makes the steps. docs/theory/efc.md, the ideal specimen. */
#include "quantity.h"

#include <math.h>
#include <stdlib.h>

/* ---- radius ---- */

/* The modulus of an eigenvalue after the first. */
static enum yk_status modulus_of(const struct yk_cycle *cycle, size_t rank, double *modulus, struct yk_err *err)
{
    double *re = malloc(2 * cycle->n * sizeof *re);
    enum yk_status st = re ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && rank > cycle->n)
        st = yk_fail(err, YK_E_RANGE, "rank = %zu, but there are %zu eigenvalues", rank, cycle->n);
    if (!st && !(st = yk_eigen_general(cycle->n, cycle->A, re, re + cycle->n, err)))
        *modulus = hypot(re[rank - 1], re[cycle->n + rank - 1]);
    free(re);
    return st;
}

/* A step is made first, since the first of interpolation-1 is another. */
static enum yk_status radius_of(struct yk_stepping *s, size_t rank, double *radius, struct yk_err *err)
{
    struct yk_cycle cycle = {.n = 0};
    enum yk_status st = yk_stepping_step(s);

    if (st)
        return yk_fail(err, st, "settled: the first step failed");
    if (!(st = yk_stepping_cycle(s, &cycle, err)))
        st = rank == 1 ? yk_cycle_radius(&cycle, radius, err) : modulus_of(&cycle, rank, radius, err);
    free(cycle.A);
    return st;
}

static enum yk_status settled_radius(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                     const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_stepped s;
    enum yk_status st = yk_lab_stepping(lab, variant, true, &s, err);

    if (st)
        return st;
    st = radius_of(s.stepping, (size_t)ask->rank, value, err);
    yk_stepped_close(&s);
    return st;
}

static const struct yk_param settled_radius_params[] = {ASK_RANK("of the eigenvalue, by falling modulus"),
                                                        YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_settled_radius = {
    .name = "settled-radius",
    .summary =
        "spectral radius of a step of efc whose loop has settled at its end, or the modulus of a later eigenvalue",
    .params = settled_radius_params,
    .value = settled_radius,
};

/* ---- histories ---- */

static enum yk_status record_settled(const struct yk_stepped *s, const struct yk_ask *ask, const struct yk_node *map,
                                     struct yk_history *h, struct yk_err *err)
{
    size_t substructure = 0, dof = 0;
    enum yk_status st = yk_stepping_find_dof(s->stepping, map->where, ask->node, &substructure, &dof, err);

    if (st)
        return st;
    const size_t n = yk_stepping_system(s->stepping, substructure)->n;
    double *now = calloc(3 * n, sizeof *now);
    if (!now)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < h->n && !st; k++) {
        yk_stepping_motion(s->stepping, substructure, now, now + n, now + 2 * n);
        h->t[k] = (double)k * yk_model_step(s->model);
        h->y[k] = now[(ask->signal == 1 ? n : 0) + dof];
        if ((st = yk_stepping_step(s->stepping)))
            yk_fail(err, st, "settled: diverged after %g s", h->t[k]);
    }
    free(now);
    return st;
}

enum yk_status yk_lab_settled(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_history *h, struct yk_err *err)
{
    struct yk_stepped s;
    enum yk_status st = yk_lab_stepping(lab, variant, true, &s, err);

    *h = (struct yk_history){0};
    if (st)
        return st;
    if (!(st = yk_history_open(h, (size_t)yk_model_steps(s.model) + 1, err)))
        st = record_settled(&s, ask, map, h, err);
    yk_stepped_close(&s);
    if (st)
        yk_history_free(h);
    return st;
}

/* Less a channel of another run, where one is named. */
static enum yk_status subtract(struct yk_lab *lab, const struct yk_ask *ask, const struct yk_node *map,
                               struct yk_history *h, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, "reference");
    const struct yk_outcome *o;
    struct yk_history other = {0};
    struct yk_variant variant;
    size_t n;
    enum yk_status st;

    if (!ask->against || !node)
        return YK_OK;
    if ((st = yk_lab_variant(lab, node, NULL, 0, &variant, err)))
        return st;
    if (!(st = yk_lab_run(lab, &variant, &o, err)) && !(st = yk_outcome_values(o, 0, "time", &other.t, &n, err)) &&
        !(st = yk_outcome_values(o, 0, ask->against, &other.y, &other.n, err)))
        for (size_t k = 0; k < h->n; k++)
            h->y[k] -= yk_history_at(&other, h->t[k]);
    yk_history_free(&other);
    yk_variant_free(&variant);
    return st;
}

static enum yk_status settled(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_history h;
    enum yk_status st = yk_lab_settled(lab, variant, ask, map, &h, err);

    if (st)
        return st;
    if (!(st = subtract(lab, ask, map, &h, err)))
        st = yk_history_measure(&h, ask, map, value, err);
    yk_history_free(&h);
    return st;
}

static const struct yk_param params[] = {
    ASK_NODE,
    YK_CHOICE(struct yk_ask, signal, "displacement|velocity", 0, "of the degree of freedom"),
    YK_TEXT(struct yk_ask, against, 0, "channel of `reference` to subtract"),
    YK_NODE("reference", "map with file, with, set", 0, "a run"),
    ASK_MEASURE,
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_settled = {
    .name = "settled",
    .summary = "one number from a run of efc whose loop has settled at the end of every step",
    .params = params,
    .value = settled,
};
