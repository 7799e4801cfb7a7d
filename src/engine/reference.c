/* The reference of a run: exact for linear structures, otherwise LSRT3 with substeps. */
#include "engine/reference.h"
#include "base/names.h"
#include "base/stage.h"

#include "base/clock.h"
#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUBSTEPS = 10, LARGEST_EXACT = 400 };
enum { TRIAL_NS = 50000000 }; /* of a trial that tells how long the whole will take */

/* The model of a specimen may have degrees of freedom that no actuator moves: they are matched by name. Coordinates of
 * a reduced model are computed from the full one. */
static enum yk_status find_twins(struct yk_reference *r, struct yk_err *err)
{
    size_t most = 1, *at;

    for (size_t k = 0; k < r->own->substructure_count; k++)
        most = r->own->substructures[k].system->n > most ? r->own->substructures[k].system->n : most;
    at = r->twin = calloc(r->dofs + 1, sizeof *r->twin);
    r->twin_u = calloc(2 * most, sizeof *r->twin_u);
    if (!at || !r->twin_u)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    r->twin_v = r->twin_u + most;
    for (size_t k = 0; k < r->e->substructure_count; k++) {
        const struct yk_substructure *own = &r->e->substructures[k], *other = &r->own->substructures[k];

        if (r->own->coordinates[k].rows) {
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
    struct yk_kinematics now;

    yk_domain_now(&r->domain, &now);
    for (size_t k = 0; k < r->e->substructure_count; k++) {
        const struct yk_matrix *map = &r->own->assembly.map[k], *coordinates = &r->own->coordinates[k];
        const size_t n = r->e->substructures[k].system->n, others = r->own->substructures[k].system->n;

        memset(r->twin_u, 0, others * sizeof *r->twin_u);
        memset(r->twin_v, 0, others * sizeof *r->twin_v);
        yk_matrix_add_transposed_product(map, 1, now.u, r->twin_u);
        yk_matrix_add_transposed_product(map, 1, now.v, r->twin_v);
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

    for (int i = 0; i < SUBSTEPS && !st; i++)
        st = yk_domain_step(&r->domain);
    r->made++;
    if (!st)
        keep(r);
    return st;
}

static enum yk_status start_domain(struct yk_reference *r, struct yk_err *err)
{
    struct yk_system *system = r->own->assembly.system;
    const bool exact = system->linear && system->n <= LARGEST_EXACT;
    const struct yk_integrator_ops *ops = yk_integrator_find(exact ? "exact" : "lsrt3");
    void *settings;
    enum yk_status st;

    if ((st = yk_param_block(ops->params, ops->size, &settings, err)))
        return st;
    st = yk_domain_create(&r->domain, ops, settings, system, (struct yk_loading){yk_load_set_at, r->own->load_set},
                          r->e->time.step / SUBSTEPS, NULL, err);
    free(settings);
    return st ? st : yk_domain_start(&r->domain, system->u0, system->v0);
}

static bool has_reduced(const struct yk_experiment *e)
{
    for (size_t k = 0; k < e->substructure_count; k++)
        if (e->ground[k])
            return true;
    return false;
}

/* The structure of the reference: with full models in the place of reduced ones, where they are to be had. */
static enum yk_status copy_structure(struct yk_reference *r, struct yk_err *err)
{
    struct yk_err reason = {0};

    if (has_reduced(r->e)) {
        r->in_full = yk_experiment_copy_in_full(r->e, &r->own, &reason) == YK_OK;
        if (r->in_full)
            return YK_OK;
        snprintf(r->note, sizeof r->note, "%.*s", (int)sizeof r->note - 1, yk_err_line(&reason).text);
    }
    return yk_experiment_copy(r->e, true, &r->own, err);
}

static enum yk_status open_reference(struct yk_reference *r, const struct yk_experiment *e, bool ahead,
                                     struct yk_err *err)
{
    enum yk_status st;

    *r = (struct yk_reference){.e = e, .kept = ahead ? e->steps + 1 : 1};
    for (size_t k = 0; k < e->substructure_count; k++)
        r->dofs += e->substructures[k].system->n;
    if ((st = copy_structure(r, err)) == YK_E_UNSUPPORTED)
        yk_fail_hint(err, "; such a structure has no `reference: monolithic`");
    if (st)
        return st;
    if (!r->own->assembly.system)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(e->path),
                          "reference: monolithic needs a structure that can be put together; a mass that "
                          "depends on the configuration is joined");
    if (!(r->states = calloc(2 * r->dofs * (size_t)r->kept, sizeof *r->states)))
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(e->path),
                          "out of memory for a reference of %ld steps; leave it out", r->kept - 1);
    if ((st = find_twins(r, err)))
        return st;
    if ((st = start_domain(r, err)))
        return yk_fail_within(err, (struct yk_where){e->path, 0, 0}, "reference: monolithic: ");
    keep(r);
    while (ahead && r->made < e->steps && !st)
        st = step(r);
    return st ? yk_fail_at(err, st, YK_IN_FILE(e->path), "the reference solution diverged at step %ld", r->made)
              : YK_OK;
}

enum yk_status yk_reference_open(struct yk_reference *r, const struct yk_experiment *e, bool ahead, struct yk_err *err)
{
    const char *stage = yk_stage(ahead ? "computing the reference" : "preparing the reference");
    const enum yk_status st = open_reference(r, e, ahead, err);

    yk_stage(stage);
    return st;
}

void yk_reference_close(struct yk_reference *r)
{
    if (r->domain.integrator.ops)
        yk_domain_destroy(&r->domain);
    yk_experiment_destroy(r->own);
    free(r->twin);
    free(r->twin_u);
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

enum yk_status yk_reference_cost(const struct yk_experiment *e, double *seconds, struct yk_err *err)
{
    const int64_t begin = yk_clock_now_ns();
    struct yk_reference r = {0};
    enum yk_status st = e->reference ? yk_reference_open(&r, e, false, err) : YK_OK;
    const int64_t opened = yk_clock_now_ns();
    int64_t now = opened;

    *seconds = 0;
    while (e->reference && !st && r.made < e->steps && now - opened < TRIAL_NS) {
        st = yk_reference_advance(&r);
        now = yk_clock_now_ns();
    }
    if (e->reference && r.made > 0)
        *seconds = 1e-9 * ((double)(opened - begin) + (double)(now - opened) * (double)e->steps / (double)r.made);
    yk_reference_close(&r);
    return st == YK_E_DIVERGED ? YK_OK : st; /* a run will say so */
}
