/* A state of a model: one domain of the untorn structure, or a coupling of its two sides. */
#include "state/state.h"
#include "base/progress.h"
#include "transfer/physical.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* The station is told when forces will be asked for; the first steps of a method may be made in another way. */
static enum yk_status prepare_station(struct yk_state *m, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    int stages, substeps = 1;

    if (!m->station)
        return YK_OK;
    if (m->problem) {
        const struct yk_schedule plan = model->coupling->schedule(m->coupling->self, model->coupling->start_steps);

        substeps = model->time.substeps;
        stages = plan.phases * plan.substeps * plan.stages / substeps;
    } else {
        stages = model->integrator->stages;
    }
    return yk_station_prepare(m->station, m->dt / substeps, stages, err);
}

/* Hands the reached state to the specimens whose compensators predict from accelerations. */
YK_RT static void tell_reached(struct yk_state *m)
{
    for (size_t k = 0; k < m->model->substructure_count; k++)
        if (yk_is_physical(m->substructures[k].system)) {
            yk_state_now(m, k, m->u, m->v, m->a);
            yk_physical_reached(m->substructures[k].system, m->u, m->v, m->a);
        }
}

/* One substructure of a state in modes; map: modes x degrees of freedom. */
YK_RT static void read_modes(const struct yk_matrix *map, const unsigned char *needed,
                             const struct yk_kinematics *state, double *u, double *v, double *a)
{
    const size_t modes = map->rows;

    for (size_t i = 0; i < map->cols; i++) {
        const unsigned what = needed ? needed[i] : YK_READ_ALL;
        const double *shape = map->x + i * modes;

        if (what & YK_READ_U)
            u[i] = yk_dot(modes, shape, state->u);
        if (what & YK_READ_V)
            v[i] = yk_dot(modes, shape, state->v);
        if (what & YK_READ_A)
            a[i] = yk_dot(modes, shape, state->a);
    }
}

/* Part k of a state of the untorn structure. */
YK_RT static void part_of(const struct yk_state *m, size_t k, const unsigned char *needed,
                          const struct yk_kinematics *whole, double *u, double *v, double *a)
{
    const size_t n = m->substructures[k].system->n;
    const double *const from[] = {whole->u, whole->v, whole->a};
    double *const to[] = {u, v, a};

    if (m->modal) {
        read_modes(&m->modal->map[k], needed, whole, u, v, a);
        return;
    }
    for (int i = 0; i < 3; i++) {
        memset(to[i], 0, n * sizeof(double));
        yk_matrix_add_transposed_product(&m->assembly->map[k], 1, from[i], to[i]);
    }
}

/* The same at a stage within the step, where the equation of motion gives the acceleration: M a = p. */
YK_RT static void tell_stage(struct yk_state *m)
{
    const struct yk_domain *d = m->domain;
    const struct yk_kinematics reached = {.c = d->want.c, .u = d->want.u, .v = d->want.v, .a = m->stage_a};

    memcpy(m->stage_a, d->p, d->integrator.system->n * sizeof *m->stage_a);
    yk_factor_solve(m->mass, m->stage_a);
    for (size_t k = 0; k < m->model->substructure_count; k++)
        if (yk_is_physical(m->substructures[k].system)) {
            part_of(m, k, NULL, &reached, m->u, m->v, m->a);
            yk_physical_reached(m->substructures[k].system, m->u, m->v, m->a);
        }
}

/* ---- the modal path ---- */

/* Numbers that are read of the motion of a substructure after every step: the channels of its degrees of freedom. */
static double reads_of(const struct yk_model *model, size_t k)
{
    static const char *const quantities[] = {"u", "v", "a"};
    const struct yk_stream_selection *s = &model->selection->streams[YK_STREAM_SYSTEM];
    const struct yk_substructure *sub = &model->substructures[k];
    size_t count = 0;

    if (!s->given || model->reference || model->selection->derived_count)
        return 3 * (double)sub->system->n; /* at most */
    for (size_t i = 0; i < sub->system->n; i++)
        for (int q = 0; q < 3; q++) {
            char name[300];
            bool chosen = s->count && s->patterns[0].without;

            snprintf(name, sizeof name, "%s.%s.%s", sub->name, sub->dofs[i], quantities[q]);
            for (size_t p = 0; p < s->count; p++)
                if (fnmatch(s->patterns[p].text, name, 0) == 0)
                    chosen = !s->patterns[p].without;
            count += chosen;
        }
    return (double)count;
}

/* Request for modes of the structure, or of one side of a coupling. */
static struct yk_modal_wish wish_of(const struct yk_model *model, int side)
{
    struct yk_modal_wish wish = {.steps = (double)model->steps};

    for (size_t k = 0; k < model->substructure_count; k++)
        if (!model->coupling || model->substructures[k].fine == (side == YK_FINE))
            wish.reads += reads_of(model, k);
    if (model->coupling && side == YK_FINE)
        wish.steps *= model->time.substeps;
    if (model->solve_path == YK_SOLVE_MODAL)
        wish.use = YK_MODAL_ALWAYS;
    else if (model->solve_path == YK_SOLVE_AUTO)
        wish.use = YK_MODAL_IF_FASTER;
    return wish;
}

/* Couplings: the sides whose degrees of freedom the method takes together. */
static enum yk_status wish_for_sides(const struct yk_model *model, struct yk_modal_wish *wish, struct yk_err *err)
{
    const unsigned dofs[YK_SIDES] = {YK_COUPLING_DOFS_A, YK_COUPLING_DOFS_B};
    bool any = false;

    for (int s = 0; s < YK_SIDES; s++) {
        wish[s] = wish_of(model, s);
        if (model->coupling->caps & dofs[s])
            wish[s].use = YK_MODAL_NEVER;
        any = any || wish[s].use == YK_MODAL_ALWAYS;
    }
    if (model->solve_path != YK_SOLVE_MODAL || any)
        return YK_OK;
    return yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                         "path: modal cannot be taken here: %s treats degrees of freedom one by one",
                         model->coupling->name);
}

/* The structure in modes, if the method is to step these. */
static enum yk_status open_modes(struct yk_state *m, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    struct yk_modal_wish wish = wish_of(model, YK_COARSE);
    struct yk_assembly *modal = yk_arena_take(m->mem, sizeof *modal);
    enum yk_status st;

    if (!modal)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (model->integrator->caps & YK_INTEG_DOFS) {
        if (wish.use == YK_MODAL_ALWAYS)
            return yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                                 "path: modal cannot be taken here: %s treats degrees of freedom one by one",
                                 model->integrator->name);
        wish.use = YK_MODAL_NEVER;
    }
    if ((st = yk_modal_choose(modal, m->assembly, &wish, m->mem, err)) || !modal->system)
        return st;
    m->modal = modal;
    return yk_load_set_create(&m->loads, modal, model->loads, model->load_count, err);
}

static enum yk_status open_coupling(struct yk_state *m, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    struct yk_coupled_parts parts = {
        .substructures = m->substructures,
        .count = model->substructure_count,
        .rows = model->rows,
        .row_count = model->row_count,
        .loads = model->loads,
        .load_count = model->load_count,
        .dt = m->dt,
        .substeps = model->time.substeps,
        .massless = model->coupling->caps & YK_COUPLING_SPECIMENS,
        .untorn = m->assembly->system ? m->assembly : NULL,
    };
    enum yk_status st;

    if ((st = wish_for_sides(model, parts.modal, err)))
        return st;
    if (!(m->coupling = yk_arena_take(m->mem, sizeof *m->coupling)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = yk_coupled_create(&m->problem, &parts, m->mem, err);
    return st ? st : yk_coupling_create(m->coupling, model->coupling, model->settings, m->problem, m->mem, err);
}

static enum yk_status open_domain(struct yk_state *m, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    enum yk_status st;

    if (!(m->domain = yk_arena_take(m->mem, sizeof *m->domain)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = open_modes(m, err)))
        return st;
    return yk_domain_create(
        m->domain, model->integrator, model->settings, m->modal ? m->modal->system : m->assembly->system,
        (struct yk_loading){yk_load_set_at, m->modal ? m->loads : model->load_set}, m->dt, m->mem, err);
}

static enum yk_status make_room(struct yk_state *m, struct yk_err *err)
{
    const struct yk_model *model = m->model;
    const struct yk_system *untorn = m->problem ? NULL : m->domain->integrator.system;
    size_t most = 1;
    enum yk_status st;

    for (size_t k = 0; k < model->substructure_count; k++)
        most = m->substructures[k].system->n > most ? m->substructures[k].system->n : most;
    for (size_t i = 0; i < 3; i++)
        *(double **const[]){&m->u, &m->v, &m->a}[i] = yk_arena_take(m->mem, most * sizeof(double));
    m->stage_a = yk_arena_take(m->mem, (untorn ? untorn->n : 0) * sizeof(double));
    if ((st = yk_arena_check(m->mem, err)))
        return st;
    if (!untorn || model->integrator->stages <= 1)
        return YK_OK;
    struct yk_factor **mass = yk_arena_take(m->mem, sizeof *mass); /* a declared pointer is in the state */
    if (!mass)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = yk_factor_create(mass, &untorn->M, m->mem, err);
    m->mass = *mass;
    return st;
}

enum yk_status yk_state_open(struct yk_state *m, const struct yk_model *model, double dt, struct yk_err *err)
{
    const char *stage = yk_progress("preparing the method");
    enum yk_status st = yk_state_bodies(m, model, err);

    if (dt > 0)
        m->dt = dt;
    if (!st && !(st = model->coupling ? open_coupling(m, err) : open_domain(m, err)) &&
        !(st = prepare_station(m, err)) && yk_station_wants_acceleration(m->station))
        st = make_room(m, err);
    yk_progress(stage);
    if (!st)
        return YK_OK;
    yk_state_close(m);
    return err && *err->file ? st : yk_fail_within(err, model->method_where, "%s", "");
}

void yk_state_close(struct yk_state *m)
{
    struct yk_arena *mem = m->mem;

    if (!m->shares && m->coupling && m->coupling->ops)
        yk_coupling_destroy(m->coupling);
    if (!m->shares)
        yk_coupled_destroy(m->problem);
    if (!m->shares && m->domain && m->domain->integrator.ops)
        yk_domain_destroy(m->domain);
    if (!m->shares) {
        yk_factor_destroy(m->mass);
        yk_load_set_destroy(m->loads);
    }
    if (!m->shares && m->modal)
        yk_assembly_destroy(m->modal);
    yk_station_leave(m->station);
    if (mem)
        yk_arena_free(mem);
    free(mem);
    *m = (struct yk_state){0};
}

enum yk_status yk_state_start(struct yk_state *m)
{
    return yk_state_start_from(m, NULL, NULL);
}

enum yk_status yk_state_start_from(struct yk_state *m, const double *u, const double *v)
{
    const struct yk_system *s = m->assembly->system;
    const double *u0 = u || !s ? u : s->u0, *v0 = u || !s ? v : s->v0;
    enum yk_status st;

    m->step = 0;
    if (m->modal)
        yk_modal_start(m->modal, &u0, &v0);
    st = m->problem ? yk_coupling_start(m->coupling, u, v) : yk_domain_start(m->domain, u0, v0);
    if (!st && m->u)
        tell_reached(m);
    return st;
}

YK_RT enum yk_need yk_state_next(struct yk_state *m, double *t)
{
    const enum yk_need need = m->problem ? yk_coupling_next(m->coupling, t) : yk_domain_next(m->domain, t);

    if (need == YK_NEED_NOTHING) {
        m->step++;
        if (!yk_state_status(m) && m->u)
            tell_reached(m);
    }
    return need;
}

YK_RT void yk_state_absorb(struct yk_state *m)
{
    if (m->problem) {
        yk_coupling_absorb(m->coupling);
        return;
    }
    yk_domain_absorb(m->domain);
    if (m->mass && m->domain->stage < m->model->integrator->stages)
        tell_stage(m);
}

YK_RT enum yk_status yk_state_status(const struct yk_state *m)
{
    return m->problem ? m->coupling->status : m->domain->status;
}

YK_RT enum yk_status yk_state_step(struct yk_state *m)
{
    double t;

    while (yk_state_next(m, &t)) {
        if (m->station)
            yk_station_move(m->station, t);
        yk_state_absorb(m);
    }
    return yk_state_status(m);
}

YK_RT bool yk_state_in_modes(const struct yk_state *m, size_t k)
{
    size_t index;

    return m->problem ? yk_coupled_modal(m->problem, k, &index) != NULL : m->modal != NULL;
}

YK_RT void yk_state_read(const struct yk_state *m, size_t k, const unsigned char *needed, double *u, double *v,
                         double *a)
{
    struct yk_kinematics reached;

    if (m->problem) {
        const size_t n = m->substructures[k].system->n;
        double *const to[] = {u, v, a};
        int side;
        size_t first, index;
        const struct yk_assembly *modal = yk_coupled_modal(m->problem, k, &index);

        yk_coupled_locate(m->problem, k, &side, &first);
        m->coupling->ops->now(m->coupling->self, side, &reached);
        if (modal) {
            read_modes(&modal->map[index], needed, &reached, u, v, a);
            return;
        }
        const double *const from[] = {reached.u, reached.v, reached.a};
        for (int i = 0; i < 3; i++)
            memcpy(to[i], from[i] + first, n * sizeof(double));
        return;
    }
    yk_domain_now(m->domain, &reached);
    part_of(m, k, needed, &reached, u, v, a);
}

YK_RT void yk_state_now(const struct yk_state *m, size_t k, double *u, double *v, double *a)
{
    yk_state_read(m, k, NULL, u, v, a);
}

size_t yk_state_multipliers(const struct yk_state *m)
{
    return m->problem ? m->problem->rows : 0;
}

const double *yk_state_lambda(const struct yk_state *m)
{
    return m->coupling->ops->lambda(m->coupling->self);
}

size_t yk_state_row(const struct yk_state *m, size_t multiplier)
{
    return m->problem->row_of[multiplier];
}

void yk_model_load_at(const struct yk_model *model, size_t k, double t, double *f)
{
    const size_t n = model->substructures[k].system->n;

    memset(f, 0, n * sizeof *f);
    for (size_t i = 0; i < model->load_count; i++) {
        const struct yk_load *load = &model->loads[i];

        if (load->substructure != k)
            continue;
        const double s = load->signal->value(load->settings, t);
        for (size_t j = 0; j < n; j++)
            f[j] += s * load->direction[j];
    }
}
