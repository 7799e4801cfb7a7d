/* The amplification matrix of an experiment's method, one domain or coupled, with nonlinear parts linearised. */
#include "analyze/analyze.h"
#include "state/state.h"
#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Restores M of a system that is divided by its mass: M = (mobility)^-1; K and C are multiplied by it, so that the
 * parts can be joined. */
static enum yk_status restore_mass(const struct yk_system *s, struct yk_structure_parts *parts, struct yk_err *err)
{
    const size_t n = s->n;
    double *work = calloc(2 * n * n, sizeof *work), *mobility = work ? work + n * n : NULL;
    struct yk_matrix inverse = {.form = YK_DENSE, .rows = n, .cols = n, .x = mobility};
    struct yk_factor *factor = NULL;
    enum yk_status st;

    if (!work)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        work[i + i * n] = 1;
    s->ops->mobility(s->self, s->u0, n, work, mobility);
    if (!(st = yk_factor_create(&factor, &inverse, NULL, err)) &&
        !(st = yk_matrix_init(&parts->M, YK_DENSE, n, n, err)) &&
        !(st = yk_matrix_init(&parts->C, YK_DENSE, n, n, err)) &&
        !(st = yk_matrix_init(&parts->K, YK_DENSE, n, n, err))) {
        memcpy(parts->M.x, work, n * n * sizeof *work);
        yk_matrix_to_dense(&s->C, parts->C.x);
        yk_matrix_to_dense(&s->K, parts->K.x);
        for (size_t j = 0; j < n; j++) {
            yk_factor_solve(factor, parts->M.x + j * n);
            yk_factor_solve(factor, parts->C.x + j * n);
            yk_factor_solve(factor, parts->K.x + j * n);
        }
    }
    yk_factor_destroy(factor);
    free(work);
    return st;
}

/* A linear system with the mass and the initial tangents of another; for the analyses of nonlinear models. */
static enum yk_status linearise(const struct yk_system *system, struct yk_system **linear, struct yk_err *err)
{
    struct yk_structure_parts parts = {.unchecked = true};
    enum yk_status st;

    *linear = NULL;
    if (system->ops->mobility && system->mass_divided_out)
        st = restore_mass(system, &parts, err);
    else if (!(st = yk_matrix_copy(&parts.M, &system->M, err)) && !(st = yk_matrix_copy(&parts.C, &system->C, err)))
        st = yk_matrix_copy(&parts.K, &system->K, err);
    if (st) {
        yk_structure_parts_free(&parts);
        return st;
    }
    return yk_structure_create(linear, &parts, NULL, err);
}

static enum yk_status one_domain(const struct yk_model *model, double dt, struct yk_cycle *out, struct yk_err *err)
{
    struct yk_system *linear = NULL;
    struct yk_domain domain = {0};
    enum yk_status st;

    if (!(st = linearise(model->assembly->system, &linear, err)) &&
        !(st = yk_domain_create(&domain, model->integrator, model->settings, linear, (struct yk_loading){0}, dt, NULL,
                                err))) {
        out->n = yk_amplification_size(&domain);
        out->steps = 1;
        out->A = malloc(out->n * out->n * sizeof *out->A);
        st = out->A ? yk_amplification_matrix(&domain, out->A, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
        yk_domain_destroy(&domain);
    }
    yk_system_destroy(linear);
    return st;
}

/* The experiment's coupling with its substructures linearised, at rest and without loads: a state of its model, or a
 * copy. */
struct linear_copy {
    struct yk_state state; /* of the model */
    struct yk_substructure *subs;
    size_t count;
    struct yk_assembly untorn;
    struct yk_coupled *problem;
    struct yk_coupling own, *coupling;
};

static void free_copy(struct linear_copy *c)
{
    if (c->state.mem)
        yk_state_close(&c->state);
    if (c->own.ops)
        yk_coupling_destroy(&c->own);
    yk_coupled_destroy(c->problem);
    if (c->untorn.map)
        yk_assembly_destroy(&c->untorn);
    for (size_t k = 0; c->subs && k < c->count; k++)
        yk_system_destroy(c->subs[k].system);
    free(c->subs);
}

/* A state of the model, if all that is not linear in it are specimens, which then answer as estimated. */
static enum yk_status take_state(struct linear_copy *c, const struct yk_model *model, struct yk_err *err)
{
    struct yk_state *m = &c->state;
    const enum yk_status st = yk_model_state(model, m, err);

    if (st)
        return st;
    for (size_t k = 0; k < m->model->substructure_count; k++)
        if (yk_is_physical(m->substructures[k].system))
            yk_physical_imagine(m->substructures[k].system);
    for (int s = 0; s < YK_SIDES; s++)
        m->problem->side[s].system->linear = true;
    c->coupling = m->coupling;
    return yk_coupling_start(c->coupling, NULL, NULL);
}

static bool is_linear(const struct yk_model *model)
{
    for (size_t k = 0; k < model->substructure_count; k++)
        if (!model->substructures[k].system->linear && !yk_is_physical(model->substructures[k].system))
            return false;
    return true;
}

static enum yk_status make_copy(struct linear_copy *c, const struct yk_model *model, double dt, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    c->coupling = &c->own;
    c->count = model->substructure_count;
    if (!(c->subs = calloc(c->count, sizeof *c->subs)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < c->count && !st; k++) {
        c->subs[k] = model->substructures[k];
        st = linearise(model->substructures[k].system, &c->subs[k].system, err);
    }
    if (st || (st = yk_assembly_create(&c->untorn, c->subs, c->count, model->rows, model->row_count, NULL, err)))
        return st;
    const struct yk_coupled_parts parts = {.substructures = c->subs,
                                           .count = c->count,
                                           .rows = model->rows,
                                           .row_count = model->row_count,
                                           .dt = dt,
                                           .substeps = model->time.substeps,
                                           .untorn = &c->untorn};
    if ((st = yk_coupled_create(&c->problem, &parts, NULL, err)) ||
        (st = yk_coupling_create(&c->own, model->coupling, model->settings, c->problem, NULL, err)))
        return st;
    return yk_coupling_start(&c->own, NULL, NULL);
}

static enum yk_status cycle_of(struct yk_coupling *c, struct yk_cycle *out, struct yk_err *err)
{
    out->n = yk_coupled_size(c);
    out->steps = c->ops->cycle_steps;
    out->A = malloc(out->n * out->n * sizeof *out->A);
    return out->A ? yk_coupled_amplification(c, out->A, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static enum yk_status coupled(const struct yk_model *model, double dt, struct yk_cycle *out, struct yk_err *err)
{
    struct linear_copy c = {0};
    enum yk_status st = make_copy(&c, model, dt, err);

    if (!st)
        st = cycle_of(c.coupling, out, err);
    free_copy(&c);
    return st;
}

/* An error of the method is one of the line that names it. */
static enum yk_status placed(const struct yk_model *model, enum yk_status st, struct yk_err *err)
{
    if (!st || !err || *err->file)
        return st;
    return yk_fail_within(err, model->method_where, "%s", "");
}

/* NAN where it does not settle. */
static enum yk_status iterate(struct yk_coupling *c, double *radius, struct yk_err *err)
{
    const enum yk_status st = yk_coupled_dominant(c, radius, NULL);

    if (st)
        *radius = NAN;
    return !st || st == YK_E_DIVERGED ? YK_OK : yk_fail(err, st, "no spectral radius");
}

/* By the matrix. */
static enum yk_status radius_of(struct yk_coupling *c, double *radius, struct yk_err *err)
{
    struct yk_cycle cycle = {0};
    enum yk_status st = cycle_of(c, &cycle, err);

    if (!st)
        st = yk_cycle_radius(&cycle, radius, err);
    free(cycle.A);
    return st;
}

enum yk_status yk_model_radius(const struct yk_model *model, double dt, size_t large, size_t most, double *radius,
                               struct yk_err *err)
{
    struct linear_copy c = {0};
    enum yk_status st;

    *radius = NAN;
    st = model->first && dt == model->first->dt && is_linear(model) ? take_state(&c, model, err)
                                                                    : make_copy(&c, model, dt, err);
    if (!st && yk_coupled_size(c.coupling) >= large)
        st = iterate(c.coupling, radius, err);
    if (!st && isnan(*radius) && yk_coupled_size(c.coupling) <= most)
        st = radius_of(c.coupling, radius, err);
    free_copy(&c);
    return placed(model, st, err);
}

enum yk_status yk_model_cycle(const struct yk_model *model, double dt, struct yk_cycle *out, struct yk_err *err)
{
    enum yk_status st;

    *out = (struct yk_cycle){0};
    st = model->coupling ? coupled(model, dt, out, err) : one_domain(model, dt, out, err);
    if (st) {
        free(out->A);
        *out = (struct yk_cycle){0};
    }
    return placed(model, st, err);
}
