/* A method with a control loop inside (efc) whose loop has come to rest at the end of every step. The specimen is the
 * model of the virtual rig; the method itself makes the steps. docs/theory/efc.md, the ideal specimen. */
#include "plan/plan.h"
#include "reproduce/quantity.h"

#include "analyze/analyze.h"
#include "rig/virtual/rig.h"

#include <math.h>
#include <stdlib.h>

/* The only specimen of the virtual rig, moved through all n degrees of freedom of the fine side. */
static enum yk_status specimen_of(const struct yk_experiment *e, size_t n, const struct yk_virtual_specimen **out,
                                  struct yk_err *err)
{
    void *self = NULL;
    const struct yk_rig_ops *rig = e->station ? yk_station_rig(e->station, &self) : NULL;
    const struct yk_virtual_rig *virtual = self;

    if (rig != &yk_rig_virtual || virtual->specimen_count != 1 || virtual->specimens[0].moved_count != n ||
        virtual->specimens[0].setup)
        return yk_fail(err, YK_E_UNSUPPORTED, "settled: %s needs one specimen on the virtual rig, without a setup",
                       e->path);
    *out = &virtual->specimens[0];
    return YK_OK;
}

/* A matrix of its model on the degrees of freedom that are moved. */
static enum yk_status moved_part(const struct yk_virtual_specimen *specimen, const struct yk_matrix *from,
                                 struct yk_matrix *to, struct yk_err *err)
{
    const size_t n = specimen->moved_count;
    enum yk_status st = yk_matrix_init(to, YK_DENSE, n, n, err);

    for (size_t i = 0; i < n && !st; i++)
        for (size_t j = 0; j < n; j++)
            to->x[i + j * n] = yk_matrix_get(from, specimen->moved[i], specimen->moved[j]);
    return st;
}

/* Opened and started. */
static enum yk_status settle(struct yk_motion *m, const struct yk_experiment *e, struct yk_err *err)
{
    const struct yk_virtual_specimen *specimen = NULL;
    struct yk_matrix M = {0}, C = {0}, K = {0};
    enum yk_status st = yk_motion_open(m, e, 0, err);

    if (st)
        return st;
    if (!m->problem || !m->coupling->ops->settle)
        st = yk_fail(err, YK_E_INPUT, "settled: the method of %s has no control loop inside", e->path);
    if (!st && !(st = specimen_of(e, m->problem->side[YK_FINE].n, &specimen, err)) &&
        !(st = moved_part(specimen, &specimen->model->M, &M, err)) &&
        !(st = moved_part(specimen, &specimen->model->C, &C, err)) &&
        !(st = moved_part(specimen, &specimen->model->K, &K, err)))
        st = m->coupling->ops->settle(m->coupling->self, &M, &C, &K, err);
    if (!st && (st = yk_motion_start(m)))
        yk_fail(err, st, "settled: %s cannot start", e->path);
    if (st)
        yk_motion_close(m);
    yk_matrix_fini(&M);
    yk_matrix_fini(&C);
    yk_matrix_fini(&K);
    return st;
}

/* The experiment of a variant, opened and started. */
static enum yk_status open_settled(struct yk_lab *lab, const struct yk_variant *variant, struct yk_experiment **e,
                                   struct yk_motion *m, struct yk_err *err)
{
    enum yk_status st = yk_lab_load(lab, variant, e, err);

    if (!st && (st = settle(m, *e, err)))
        yk_experiment_destroy(*e);
    return st;
}

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
static enum yk_status radius_of(struct yk_motion *m, size_t rank, double *radius, struct yk_err *err)
{
    const size_t n = yk_coupled_size(m->coupling);
    struct yk_cycle cycle = {.n = n, .A = calloc(n * n, sizeof(double)), .steps = 1};
    enum yk_status st = cycle.A ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && (st = yk_motion_step(m)))
        yk_fail(err, st, "settled: the first step failed");
    if (!st && !(st = yk_coupled_amplification(m->coupling, cycle.A, err)))
        st = rank == 1 ? yk_cycle_radius(&cycle, radius, err) : modulus_of(&cycle, rank, radius, err);
    free(cycle.A);
    return st;
}

static enum yk_status settled_radius(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                     const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_motion m;
    struct yk_experiment *e;
    enum yk_status st = open_settled(lab, variant, &e, &m, err);

    if (st)
        return st;
    st = radius_of(&m, (size_t)ask->rank, value, err);
    yk_motion_close(&m);
    yk_experiment_destroy(e);
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

static enum yk_status record_settled(struct yk_motion *m, const struct yk_ask *ask, const struct yk_node *map,
                                     struct yk_history *h, struct yk_err *err)
{
    struct yk_kinematics now;
    size_t dof = 0;
    int side = 0;
    const double *shape; /* none: efc is not stepped in modes */
    enum yk_status st = yk_lab_locate(m, ask->node, map, &side, &dof, &shape, err);

    for (size_t k = 0; k < h->n && !st; k++) {
        m->coupling->ops->now(m->coupling->self, side, &now);
        h->t[k] = (double)k * m->dt;
        h->y[k] = (ask->signal == 1 ? now.v : now.u)[dof];
        if ((st = yk_motion_step(m)))
            yk_fail(err, st, "settled: diverged after %g s", h->t[k]);
    }
    return st;
}

enum yk_status yk_lab_settled(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_history *h, struct yk_err *err)
{
    struct yk_motion m;
    struct yk_experiment *e;
    enum yk_status st = open_settled(lab, variant, &e, &m, err);

    *h = (struct yk_history){0};
    if (st)
        return st;
    if (!(st = yk_history_open(h, (size_t)e->steps + 1, err)))
        st = record_settled(&m, ask, map, h, err);
    yk_motion_close(&m);
    if (st)
        yk_history_free(h);
    yk_experiment_destroy(e);
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
