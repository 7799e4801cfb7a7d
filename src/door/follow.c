/* Runs along given displacements: iterated tests (docs/iterate.md), characterisation of specimens. The targets come
 * from an array instead of a method, and what the specimens answer is only kept. */
#include "door/session.h"

#include "experiment/experiment.h"
#include "transfer/physical.h"
#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double yk_model_fine_step(const struct yk_model *model)
{
    return yk_fine_step(model);
}

size_t yk_model_specimen_dofs(const struct yk_model *model)
{
    size_t count = 0;

    for (size_t k = 0; k < model->substructure_count; k++)
        if (yk_is_physical(model->substructures[k].system))
            count += model->substructures[k].system->n;
    return count;
}

const char *yk_model_specimen_dof(const struct yk_model *model, size_t dof, const char **substructure)
{
    for (size_t k = 0; k < model->substructure_count; k++) {
        const struct yk_substructure *s = &model->substructures[k];

        if (!yk_is_physical(s->system))
            continue;
        if (dof < s->system->n) {
            if (substructure)
                *substructure = s->name;
            return s->dofs[dof];
        }
        dof -= s->system->n;
    }
    return NULL;
}

/* ---- the driver ---- */

/* Displacements and forces of all specimens now; either may be NULL. */
static void read_specimens(struct yk_follower *f, double *u, double *force)
{
    const struct yk_state *m = f->state;
    double *unasked = f->room + f->along->dofs;
    size_t at = 0;

    for (size_t k = 0; k < m->model->substructure_count; k++) {
        struct yk_system *system = m->substructures[k].system;

        if (!yk_is_physical(system))
            continue;
        yk_physical_read(system, u ? u + at : unasked, unasked + f->along->dofs, unasked + 2 * f->along->dofs,
                         force ? force + at : unasked + 3 * f->along->dofs);
        at += system->n;
    }
}

static void begin(void *self, const struct yk_state *state)
{
    struct yk_follower *f = self;
    struct yk_supervisor *v = yk_station_supervisor(state->station);

    f->state = state;
    f->along->made = 0;
    read_specimens(f, f->along->rest, f->along->rest_force);
    /* nothing acts back: energy that a late actuator puts in goes nowhere */
    for (size_t i = 0; i < yk_station_count(state->station); i++)
        v->supervised[i].own.limit[YK_LIMIT_ENERGY_ERROR] = -1;
}

/* The velocity at the end of step k: as given, or by differences. */
static void velocity(const struct yk_follower *f, size_t k)
{
    const struct yk_following *a = f->along;
    const size_t n = a->dofs, to = k + 1 < a->steps ? k + 1 : k, from = k > 0 ? k - 1 : 0;
    const double span = (double)(to - from) * f->driver.step;

    for (size_t i = 0; i < n; i++)
        f->room[i] = a->v ? a->v[k * n + i] : span > 0 ? (a->u[to * n + i] - a->u[from * n + i]) / span : 0;
}

static enum yk_drive next(void *self, double t)
{
    struct yk_follower *f = self;
    struct yk_following *a = f->along;
    const struct yk_state *m = f->state;
    const size_t k = (size_t)m->step;
    size_t at = 0;

    if (k > 0 && (size_t)a->made < k) {
        read_specimens(f, a->measured + (k - 1) * a->dofs, a->force + (k - 1) * a->dofs);
        a->made = (long)k;
    }
    if (k >= a->steps)
        return YK_DRIVE_END;
    velocity(f, k);
    for (size_t i = 0; i < m->model->substructure_count; i++) {
        struct yk_system *system = m->substructures[i].system;

        if (!yk_is_physical(system))
            continue;
        system->ops->set_target(system->self, t, a->u + k * a->dofs + at, f->room + at);
        at += system->n;
    }
    return YK_DRIVE_MOVE;
}

enum yk_status yk_follower_open(struct yk_follower *f, const struct yk_model *model, struct yk_following *along,
                                struct yk_err *err)
{
    const size_t dofs = yk_model_specimen_dofs(model);

    if (along->dofs != dofs || !dofs || !along->steps)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                          "a run along %zu displacements of %zu degrees of freedom: the specimens of this experiment "
                          "have %zu, and there must be a displacement",
                          along->steps, along->dofs, dofs);
    for (size_t i = 0; i < along->steps * dofs; i++)
        if (!isfinite(along->u[i]) || (along->v && !isfinite(along->v[i])))
            return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(model->path),
                              "displacement %zu of the run is not a finite number", i / dofs);
    for (size_t i = 0; i < yk_station_count(model->station); i++)
        if (yk_station_kind(model->station, i) == YK_BY_FORCE)
            return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(model->path),
                              "actuator %s is commanded by force: it cannot follow a given displacement",
                              yk_station_name(model->station, i));
    if (!(f->room = calloc(5 * dofs, sizeof *f->room)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    f->along = along;
    f->driver = (struct yk_driver){.self = f, .step = yk_fine_step(model), .begin = begin, .next = next};
    return YK_OK;
}
