/* Equivalent force control whose loop has settled at the end of every step, with the specimen of the virtual rig:
 * docs/theory/efc.md, the ideal specimen.
 *
 *     a = KT^-1 2 c2,   v = KT^-1 (2 c2 dt + c1 - (1+al) CE a),   d = KT^-1 (F1 - (1+al) (CE v + ME a))
 *
 * KT = KPD + (1+al) (KN + KE) with what the specimen is, not with what is believed of it. The rest of a step is that of
 * the method. Units: N, m, s. */
#include "reproduce/quantity.h"

#include "coupling/efc.h"
#include "experiment/build.h"

#include "analyze/analyze.h"
#include "rig/virtual/rig.h"

#include <stdlib.h>
#include <string.h>

struct settled {
    struct yk_motion motion;
    struct yk_efc *efc;
    size_t n, m;
    double *M, *C, *K;    /* n x n, of the specimen on the degrees of freedom of A */
    double *d, *v, *a;    /* n: of the specimen */
    double *dE, *rE, *aE; /* m: readings */
    double *f0, *f1, *r;  /* n: loads, reaction */
    double *block;        /* of all of them */
    struct yk_factor *KT;
};

/* ---- set-up ---- */

static enum yk_status room(struct settled *s, struct yk_err *err)
{
    const size_t n = s->n, m = s->m;
    double *x = s->block = calloc(3 * n * n + 6 * n + 3 * m, sizeof *x);
    double **square[] = {&s->M, &s->C, &s->K};
    double **row[] = {&s->d, &s->v, &s->a, &s->f0, &s->f1, &s->r};
    double **reading[] = {&s->dE, &s->rE, &s->aE};

    if (!x)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (int i = 0; i < 3; i++, x += n * n)
        *square[i] = x;
    for (int i = 0; i < 6; i++, x += n)
        *row[i] = x;
    for (int i = 0; i < 3; i++, x += m)
        *reading[i] = x;
    return YK_OK;
}

/* The only specimen of the virtual rig, moved through all of its degrees of freedom. */
static enum yk_status specimen_of(const struct yk_experiment *e, size_t m, const struct yk_virtual_specimen **out,
                                  struct yk_err *err)
{
    void *self = NULL;
    const struct yk_rig_ops *rig = e->station ? yk_station_rig(e->station, &self) : NULL;
    const struct yk_virtual_rig *virtual = self;

    if (rig != &yk_rig_virtual || virtual->specimen_count != 1 || virtual->specimens[0].moved_count != m ||
        virtual->specimens[0].setup)
        return yk_fail(err, YK_E_UNSUPPORTED, "settled: %s needs one specimen on the virtual rig, without a set-up",
                       e->path);
    *out = &virtual->specimens[0];
    return YK_OK;
}

static void take_matrices(struct settled *s, const struct yk_virtual_specimen *specimen)
{
    const struct yk_system *model = specimen->model;
    const struct yk_matrix *from[] = {&model->M, &model->C, &model->K};
    double *to[] = {s->M, s->C, s->K};

    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < s->m; i++)
            for (size_t j = 0; j < s->m; j++)
                to[k][s->efc->dof[i] + s->efc->dof[j] * s->n] =
                    yk_matrix_get(from[k], specimen->moved[i], specimen->moved[j]);
}

static struct yk_matrix dense(size_t n, double *x)
{
    return (struct yk_matrix){.form = YK_DENSE, .rows = n, .cols = n, .x = x};
}

/* y += factor A x */
static void add(const struct settled *s, double *A, double factor, const double *x, double *y)
{
    const struct yk_matrix matrix = dense(s->n, A);

    yk_matrix_add_product(&matrix, factor, x, y);
}

static enum yk_status open_settled(struct settled *s, const struct yk_experiment *e, struct yk_err *err)
{
    const struct yk_virtual_specimen *specimen = NULL;
    enum yk_status st = yk_motion_open(&s->motion, e, 0, err);

    if (st)
        return st;
    if (!e->coupling || !(s->efc = yk_efc_of(&s->motion.coupling)))
        return yk_fail(err, YK_E_INPUT, "settled: the coupling of %s is not efc", e->path);
    s->n = s->efc->n;
    s->m = s->efc->m;
    if ((st = specimen_of(e, s->m, &specimen, err)) || (st = room(s, err)))
        return st;
    take_matrices(s, specimen);
    const struct yk_matrix K = dense(s->n, s->K);
    return yk_factor_sum(&s->KT, 3, (double[]){1, 1 + s->efc->alpha, 1 + s->efc->alpha},
                         (const struct yk_matrix *[]){&s->efc->KPD, &s->efc->KN, &K}, NULL, err);
}

static void close_settled(struct settled *s)
{
    yk_factor_destroy(s->KT);
    free(s->block);
    yk_motion_close(&s->motion);
}

/* ---- steps ---- */

static void measure(struct settled *s)
{
    memset(s->r, 0, s->n * sizeof *s->r);
    add(s, s->M, 1, s->a, s->r);
    add(s, s->C, 1, s->v, s->r);
    add(s, s->K, 1, s->d, s->r);
    for (size_t i = 0; i < s->m; i++) {
        s->dE[i] = s->d[s->efc->dof[i]];
        s->aE[i] = s->a[s->efc->dof[i]];
        s->rE[i] = s->r[s->efc->dof[i]];
    }
}

/* At the initial state of A, the acceleration that of the whole structure. */
static enum yk_status start(struct settled *s, struct yk_err *err)
{
    struct yk_system *A = s->motion.problem->side[YK_COARSE].system;
    const struct yk_matrix M = dense(s->n, s->M);
    struct yk_factor *whole;
    enum yk_status st;

    memcpy(s->d, A->u0, s->n * sizeof *s->d);
    memcpy(s->v, A->v0, s->n * sizeof *s->v);
    yk_experiment_load_at(s->motion.experiment, 0, 0, s->f0);
    yk_system_force(A, 0, s->f0, s->d, s->v, s->a);
    add(s, s->C, -1, s->v, s->a);
    add(s, s->K, -1, s->d, s->a);
    if ((st = yk_factor_sum(&whole, 2, (double[]){1, 1}, (const struct yk_matrix *[]){&A->M, &M}, NULL, err)))
        return st;
    yk_factor_solve(whole, s->a);
    yk_factor_destroy(whole);
    measure(s);
    yk_efc_start(s->efc, s->d, s->v, s->a, s->rE);
    return YK_OK;
}

static enum yk_status step(struct settled *s)
{
    const struct yk_efc *efc = s->efc;
    const double share = 1 + efc->alpha;

    yk_efc_begin_step(s->efc, s->f0, s->f1);
    for (size_t i = 0; i < s->n; i++) {
        s->a[i] = 2 * efc->c2[i];
        s->v[i] = 2 * efc->c2[i] * efc->dt + efc->c1[i];
    }
    yk_factor_solve(s->KT, s->a);
    add(s, s->C, -share, s->a, s->v);
    yk_factor_solve(s->KT, s->v);
    memcpy(s->d, efc->F1, s->n * sizeof *s->d);
    add(s, s->C, -share, s->v, s->d);
    add(s, s->M, -share, s->a, s->d);
    yk_factor_solve(s->KT, s->d);
    measure(s);
    return yk_efc_end_step(s->efc, &(struct yk_efc_measured){s->dE, s->rE, s->aE});
}

/* ---- radius ---- */

/* One step from each unit state; a step is made first, since the first of interpolation-1 is another. */
static enum yk_status amplification(struct settled *s, double *A)
{
    const struct yk_span state = s->efc->state;
    enum yk_status st = step(s);

    for (size_t j = 0; j < state.n && !st; j++) {
        memset(state.x, 0, state.n * sizeof *state.x);
        state.x[j] = 1;
        st = step(s);
        memcpy(A + j * state.n, state.x, state.n * sizeof *state.x);
    }
    return st;
}

static enum yk_status radius_of(struct settled *s, double *radius, struct yk_err *err)
{
    const size_t N = s->efc->state.n;
    struct yk_cycle cycle = {.n = N, .A = calloc(N * N, sizeof(double)), .steps = 1};
    enum yk_status st = cycle.A ? start(s, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    memset(s->f0, 0, s->n * sizeof *s->f0);
    memset(s->f1, 0, s->n * sizeof *s->f1);
    if (!st && (st = amplification(s, cycle.A)))
        yk_fail(err, st, "settled: the loop diverged");
    if (!st)
        st = yk_cycle_radius(&cycle, radius, err);
    free(cycle.A);
    return st;
}

static enum yk_status settled_radius(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                     const struct yk_node *map, double *value, struct yk_err *err)
{
    struct settled s = {.efc = NULL};
    struct yk_experiment *e;
    enum yk_status st = yk_lab_load(lab, variant, &e, err);

    if (st)
        return st;
    if (!(st = open_settled(&s, e, err)))
        st = radius_of(&s, value, err);
    close_settled(&s);
    yk_experiment_destroy(e);
    return st;
}

const struct yk_quantity_ops yk_obtain_settled_radius = {
    .name = "settled-radius",
    .summary = "spectral radius of a step of efc whose loop has settled at its end",
    .value = settled_radius,
};

/* ---- histories ---- */

static enum yk_status dof_of(const struct yk_experiment *e, const char *name, const struct yk_node *map, size_t *dof,
                             struct yk_err *err)
{
    size_t substructure;
    enum yk_status st = yk_build_find_dof(e, map->where, name, &substructure, dof, err);

    if (!st && substructure != 0)
        st = yk_fail_at(err, YK_E_INPUT, map->where, "'%s' is not a degree of freedom of %s", name,
                        e->substructures[0].name);
    return st;
}

static enum yk_status record_settled(struct settled *s, size_t dof, bool rates, struct yk_history *h,
                                     struct yk_err *err)
{
    enum yk_status st = start(s, err);

    for (size_t k = 0; k < h->n && !st; k++) {
        h->t[k] = (double)k * s->motion.dt;
        h->y[k] = (rates ? s->efc->v : s->efc->d)[dof];
        memcpy(s->f0, s->f1, k ? s->n * sizeof *s->f0 : 0);
        yk_experiment_load_at(s->motion.experiment, 0, (double)(k + 1) * s->motion.dt, s->f1);
        if ((st = step(s)))
            yk_fail(err, st, "settled: diverged after %g s", h->t[k]);
    }
    return st;
}

enum yk_status yk_lab_settled(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_history *h, struct yk_err *err)
{
    struct settled s = {.efc = NULL};
    struct yk_experiment *e;
    size_t dof = 0;
    enum yk_status st = yk_lab_load(lab, variant, &e, err);

    *h = (struct yk_history){0};
    if (st)
        return st;
    if (!(st = dof_of(e, ask->node, map, &dof, err)) && !(st = open_settled(&s, e, err))) {
        h->n = (size_t)e->steps + 1;
        h->t = calloc(h->n, sizeof *h->t);
        h->y = calloc(h->n, sizeof *h->y);
        st = h->t && h->y ? record_settled(&s, dof, ask->signal == 1, h, err)
                          : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (st)
        yk_history_free(h);
    close_settled(&s);
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
    YK_TEXT(struct yk_ask, against, 0, "channel of `reference` that is subtracted"),
    YK_NODE("reference", "map with file, with, set", 0, "a run"),
    ASK_MEASURE,
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_settled = {
    .name = "settled",
    .summary = "one number of a run of efc whose loop has settled at the end of every step",
    .params = params,
    .value = settled,
};
