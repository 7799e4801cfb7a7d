/* Steppings with a control loop inside the method (efc) that has come to rest at the end of every step. The specimen is
 * the model of the virtual rig; the method itself makes the steps. docs/theory/efc.md, the ideal specimen. */
#include "door/stepping.h"
#include "rig/virtual/rig.h"
#include "transfer/station.h"

#include <stdlib.h>

/* The only specimen of the virtual rig, moved through all n degrees of freedom of the fine side. */
static enum yk_status specimen_of(const struct yk_model *model, size_t n, const struct yk_virtual_specimen **out,
                                  struct yk_err *err)
{
    void *self = NULL;
    const struct yk_rig_ops *rig = model->station ? yk_station_rig(model->station, &self) : NULL;
    const struct yk_virtual_rig *virtual = rig ? yk_rig_simulation(rig, self) : NULL;

    if (!virtual || virtual->specimen_count != 1 || virtual->specimens[0].moved_count != n ||
        virtual->specimens[0].setup)
        return yk_fail(err, YK_E_UNSUPPORTED, "settled: %s needs one specimen on the virtual rig, without a setup",
                       model->path);
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

/* Tells the method the true matrices of the specimen. */
static enum yk_status settle(struct yk_state *m, const struct yk_model *model, struct yk_err *err)
{
    const struct yk_virtual_specimen *specimen = NULL;
    struct yk_matrix M = {0}, C = {0}, K = {0};
    const struct yk_coupling_evidence *evidence = m->problem ? m->coupling->ops->evidence : NULL;
    enum yk_status st = YK_OK;

    if (!evidence || !evidence->settle)
        return yk_fail(err, YK_E_INPUT, "settled: the method of %s has no control loop inside", model->path);
    if (!(st = specimen_of(model, m->problem->side[YK_FINE].n, &specimen, err)) &&
        !(st = moved_part(specimen, &specimen->model->M, &M, err)) &&
        !(st = moved_part(specimen, &specimen->model->C, &C, err)) &&
        !(st = moved_part(specimen, &specimen->model->K, &K, err)))
        st = evidence->settle(m->coupling->self, &M, &C, &K, err);
    yk_matrix_fini(&M);
    yk_matrix_fini(&C);
    yk_matrix_fini(&K);
    return st;
}

enum yk_status yk_stepping_open_settled(struct yk_stepping **stepping, const struct yk_model *model, struct yk_err *err)
{
    struct yk_stepping *s = calloc(1, sizeof *s);
    enum yk_status st;

    *stepping = NULL;
    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    /* a method of its own: what changes in it is not shared with other states of the model */
    if ((st = yk_state_open(&s->state, model, 0, err)) || (st = settle(&s->state, model, err)) ||
        (st = yk_stepping_start(s, err))) {
        yk_stepping_close(s);
        return st;
    }
    *stepping = s;
    return YK_OK;
}
