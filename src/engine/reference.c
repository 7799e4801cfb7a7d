/* The reference of a run: a state of the model that state/reference.c makes. */
#include "engine/reference.h"
#include "base/names.h"
#include "base/progress.h"

#include "base/clock.h"
#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_NS = 50000000 }; /* of a trial that tells how long the whole will take */

/* The model of a specimen may have degrees of freedom that no actuator moves: they are matched by name. Coordinates of
 * a reduced model are computed from the full one. */
static enum yk_status find_twins(struct yk_reference *r, struct yk_err *err)
{
    size_t most = 1, *at;

    for (size_t k = 0; k < r->own->substructure_count; k++)
        most = r->own->substructures[k].system->n > most ? r->own->substructures[k].system->n : most;
    at = r->twin = calloc(r->dofs + 1, sizeof *r->twin);
    r->twin_u = calloc(3 * most, sizeof *r->twin_u);
    if (!at || !r->twin_u)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    r->twin_v = r->twin_u + most;
    r->twin_a = r->twin_v + most;
    for (size_t k = 0; k < r->model->substructure_count; k++) {
        const struct yk_substructure *own = &r->model->substructures[k], *other = &r->own->substructures[k];

        if (r->own->parts[k].coordinates.rows) {
            at += own->system->n;
            continue;
        }
        struct yk_names index = {0};
        for (size_t i = 0; i < own->system->n; i++) {
            const long found = yk_names_find(&index, other->dofs, sizeof *other->dofs, other->system->n, own->dofs[i]);

            *at++ = found < 0 ? other->system->n - 1 : (size_t)found;
        }
        yk_names_free(&index);
    }
    return YK_OK;
}

/* The state of the domain, as the degrees of freedom of the run. */
static void keep(struct yk_reference *r)
{
    double *u = r->states + 2 * r->dofs * (size_t)(r->kept > 1 ? r->made : 0), *v = u + r->dofs;
    const size_t *twin = r->twin;

    for (size_t k = 0; k < r->model->substructure_count; k++) {
        const struct yk_matrix *coordinates = &r->own->parts[k].coordinates;
        const size_t n = r->model->substructures[k].system->n;

        yk_state_now(&r->state, k, r->twin_u, r->twin_v, r->twin_a);
        if (coordinates->rows) {
            memset(u, 0, n * sizeof *u);
            memset(v, 0, n * sizeof *v);
            yk_matrix_add_product(coordinates, 1, r->twin_u, u);
            yk_matrix_add_product(coordinates, 1, r->twin_v, v);
            u += n;
            v += n;
            twin += n;
            continue;
        }
        for (size_t i = 0; i < n; i++) {
            *u++ = r->twin_u[*twin];
            *v++ = r->twin_v[*twin++];
        }
    }
}

static enum yk_status step(struct yk_reference *r)
{
    enum yk_status st = YK_OK;

    for (int i = 0; i < YK_REFERENCE_SUBSTEPS && !st; i++)
        st = yk_state_step(&r->state);
    r->made++;
    if (!st)
        keep(r);
    return st;
}

static enum yk_status open_reference(struct yk_reference *r, const struct yk_model *model, bool ahead,
                                     struct yk_err *err)
{
    enum yk_status st;

    *r = (struct yk_reference){.model = model, .of = yk_model_reference(model), .kept = ahead ? model->steps + 1 : 1};
    for (size_t k = 0; k < model->substructure_count; k++)
        r->dofs += model->substructures[k].system->n;
    if ((st = yk_model_state(r->of->model, &r->state, err)))
        return st;
    r->own = r->of->model;
    if (!(r->states = calloc(2 * r->dofs * (size_t)r->kept, sizeof *r->states)))
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(model->path),
                          "out of memory for a reference of %ld steps; leave it out", r->kept - 1);
    if ((st = find_twins(r, err)))
        return st;
    if ((st = yk_state_start(&r->state)))
        return yk_fail_at(err, st, YK_IN_FILE(model->path),
                          "reference: monolithic: the force at t = 0 is not a number");
    keep(r);
    while (ahead && r->made < model->steps && !st)
        st = step(r);
    return st ? yk_fail_at(err, st, YK_IN_FILE(model->path), "the reference solution diverged at step %ld", r->made)
              : YK_OK;
}

enum yk_status yk_reference_open(struct yk_reference *r, const struct yk_model *model, bool ahead, struct yk_err *err)
{
    const char *stage = yk_progress(ahead ? "computing the reference" : "preparing the reference");
    const enum yk_status st = open_reference(r, model, ahead, err);

    yk_progress(stage);
    return st;
}

void yk_reference_share(struct yk_reference *r, const struct yk_reference *ahead)
{
    *r = (struct yk_reference){.model = ahead->model,
                               .of = ahead->of,
                               .own = ahead->own,
                               .states = ahead->states,
                               .shared = true,
                               .dofs = ahead->dofs,
                               .made = ahead->made,
                               .kept = ahead->kept};
}

void yk_reference_close(struct yk_reference *r)
{
    yk_state_close(&r->state);
    free(r->twin);
    free(r->twin_u);
    if (!r->shared)
        free(r->states);
    *r = (struct yk_reference){0};
}

enum yk_status yk_reference_advance(struct yk_reference *r)
{
    return r->kept > 1 ? YK_OK : step(r);
}

YK_RT const double *yk_reference_at(const struct yk_reference *r, long at_step)
{
    return r->states + 2 * r->dofs * (size_t)(r->kept > 1 ? at_step : 0);
}

YK_RT void yk_reference_compare(struct yk_reference *r, long at_step, size_t dof, double u, double v)
{
    const double *at = yk_reference_at(r, at_step);

    yk_deviation_add(&r->of_u, at[dof], u);
    yk_deviation_add(&r->of_v, at[r->dofs + dof], v);
}

enum yk_status yk_reference_cost(const struct yk_model *model, double *seconds, struct yk_err *err)
{
    const int64_t begin = yk_clock_now_ns();
    struct yk_reference r = {0};
    enum yk_status st = yk_model_reference(model) ? yk_reference_open(&r, model, false, err) : YK_OK;
    const int64_t opened = yk_clock_now_ns();
    int64_t now = opened;

    *seconds = 0;
    while (r.own && !st && r.made < model->steps && now - opened < TRIAL_NS) {
        st = yk_reference_advance(&r);
        now = yk_clock_now_ns();
    }
    if (r.made > 0)
        *seconds = 1e-9 * ((double)(opened - begin) + (double)(now - opened) * (double)model->steps / (double)r.made);
    yk_reference_close(&r);
    return st == YK_E_DIVERGED ? YK_OK : st; /* a run will say so */
}
