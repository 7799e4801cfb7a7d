/* Steppings: a state of a model for programs that step it themselves. */
#include "door/stepping.h"

#include "analyze/analyze.h"
#include "experiment/build.h"
#include "rig/virtual/rig.h"
#include "transfer/station.h"

#include <stdlib.h>

enum yk_status yk_stepping_open(struct yk_stepping **stepping, const struct yk_model *model, struct yk_err *err)
{
    struct yk_stepping *s;
    enum yk_status st;

    *stepping = NULL;
    if (model->station && !yk_station_simulates(model->station))
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "without a run, only a rig that simulates can be stepped: read the "
                       "experiment to rehearse it");
    if (!(s = calloc(1, sizeof *s)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_model_state(model, &s->state, err)) || (st = yk_stepping_start(s, err))) {
        yk_stepping_close(s);
        return st;
    }
    *stepping = s;
    return YK_OK;
}

void yk_stepping_close(struct yk_stepping *s)
{
    if (s && s->state.mem)
        yk_state_close(&s->state);
    free(s);
}

enum yk_status yk_stepping_start(struct yk_stepping *s, struct yk_err *err)
{
    const enum yk_status st = yk_state_start(&s->state);

    return st ? yk_fail(err, st, "the experiment has no state to start from") : YK_OK;
}

YK_RT enum yk_status yk_stepping_step(struct yk_stepping *s)
{
    return yk_state_step(&s->state);
}

enum yk_status yk_stepping_status(const struct yk_stepping *s)
{
    return yk_state_status(&s->state);
}

const struct yk_system *yk_stepping_system(const struct yk_stepping *s, size_t k)
{
    return k < s->state.model->substructure_count ? s->state.substructures[k].system : NULL;
}

const struct yk_system *yk_stepping_modes(const struct yk_stepping *s)
{
    return s->state.modal ? s->state.modal->system : NULL;
}

const struct yk_load *yk_stepping_load(const struct yk_stepping *s, size_t k)
{
    const struct yk_model *model = s->state.model;

    return k < model->load_count ? &model->loads[k] : NULL;
}

struct yk_station *yk_stepping_station(struct yk_stepping *s)
{
    return s->state.station;
}

enum yk_status yk_stepping_find_dof(const struct yk_stepping *s, struct yk_where where, const char *name, size_t *k,
                                    size_t *dof, struct yk_err *err)
{
    return yk_build_find_dof(s->state.model, where, name, k, dof, err);
}

enum yk_status yk_stepping_motion(const struct yk_stepping *s, size_t k, double *u, double *v, double *a)
{
    if (k >= s->state.model->substructure_count)
        return YK_E_INPUT;
    yk_state_now(&s->state, k, u, v, a);
    return YK_OK;
}

enum yk_status yk_stepping_cycle(struct yk_stepping *s, struct yk_cycle *out, struct yk_err *err)
{
    struct yk_state *m = &s->state;

    out->n = m->coupling ? yk_coupled_size(m->coupling) : yk_amplification_size(m->domain);
    out->steps = m->coupling ? m->coupling->ops->cycle_steps : 1;
    if (!(out->A = calloc(out->n * out->n + 1, sizeof *out->A)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    const enum yk_status st = m->coupling ? yk_coupled_amplification(m->coupling, out->A, err)
                                          : yk_amplification_matrix(m->domain, out->A, err);
    if (st) {
        free(out->A);
        out->A = NULL;
    }
    return st;
}

/* ---- multipliers ---- */

size_t yk_stepping_multipliers(const struct yk_stepping *s, const double **lambda)
{
    if (lambda)
        *lambda = s->state.coupling ? yk_state_lambda(&s->state) : NULL;
    return yk_state_multipliers(&s->state);
}

/* In modes: the weights of the modes, each times its displacement `shape` of the degree of freedom. */
static enum yk_status weigh_modes(const struct yk_state *m, int side, const double *shape, double *weight,
                                  struct yk_err *err)
{
    const size_t rows = m->problem->rows;
    double *of_mode = calloc(rows + 1, sizeof *of_mode);
    enum yk_status st = of_mode ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t i = 0; i < m->problem->side[side].n && !st; i++) {
        st = m->coupling->ops->evidence->link(m->coupling->self, side, i, of_mode, err);
        for (size_t r = 0; r < rows; r++)
            weight[r] += shape[i] * of_mode[r];
    }
    free(of_mode);
    return st;
}

enum yk_status yk_stepping_link(const struct yk_stepping *s, size_t k, size_t dof, double *weight, struct yk_err *err)
{
    const struct yk_state *m = &s->state;
    const struct yk_model *model = m->model;
    size_t first, index;
    int side;

    if (!m->problem)
        return yk_fail(err, YK_E_INPUT, "%s has no coupling", model->path);
    const struct yk_coupling_evidence *evidence = m->coupling->ops->evidence;
    if (!evidence || !evidence->link)
        return yk_fail(err, YK_E_UNSUPPORTED, "%s does not report link displacements", m->coupling->ops->name);
    if (k >= model->substructure_count || dof >= model->substructures[k].system->n)
        return yk_fail(err, YK_E_INPUT, "substructure %zu has no degree of freedom %zu", k, dof);
    for (size_t r = 0; r < m->problem->rows; r++)
        weight[r] = 0;
    yk_coupled_locate(m->problem, k, &side, &first);

    const struct yk_assembly *modal = yk_coupled_modal(m->problem, k, &index);
    return modal ? weigh_modes(m, side, modal->map[index].x + dof * modal->system->n, weight, err)
                 : evidence->link(m->coupling->self, side, first + dof, weight, err);
}

/* ---- the rig ---- */

bool yk_stepping_dismount(struct yk_stepping *s)
{
    void *self = NULL;
    const struct yk_rig_ops *rig = s->state.station ? yk_station_rig(s->state.station, &self) : NULL;

    struct yk_virtual_rig *simulation = rig ? yk_rig_simulation(rig, self) : NULL;

    if (simulation)
        yk_virtual_rig_dismount(simulation);
    return simulation;
}
