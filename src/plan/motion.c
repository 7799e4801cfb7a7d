/* An experiment set in motion: one domain of the untorn structure, or a coupling of its two sides. */
#include "base/stage.h"
#include "experiment/experiment.h"
#include "transfer/physical.h"

#include <stdlib.h>
#include <string.h>

/* The station is told when forces will be asked for; the first steps of a method may be made in another way. */
static enum yk_status prepare_station(struct yk_motion *m, struct yk_err *err)
{
    const struct yk_experiment *e = m->experiment;
    int stages, substeps = 1;

    if (!e->station)
        return YK_OK;
    if (m->problem) {
        const struct yk_schedule plan = e->coupling->schedule(m->coupling.self, e->coupling->start_steps);

        substeps = e->time.substeps;
        stages = plan.phases * plan.substeps * plan.stages / substeps;
    } else {
        stages = e->integrator->stages;
    }
    return yk_station_prepare(e->station, m->dt / substeps, stages, err);
}

/* Hands the reached state to the specimens whose compensators predict from accelerations. */
YK_RT static void tell_reached(struct yk_motion *m)
{
    const struct yk_experiment *e = m->experiment;

    for (size_t k = 0; k < e->substructure_count; k++)
        if (yk_is_physical(e->substructures[k].system)) {
            yk_motion_now(m, k, m->u, m->v, m->a);
            yk_physical_reached(e->substructures[k].system, m->u, m->v, m->a);
        }
}

/* Part k of a state of the untorn structure. */
YK_RT static void part_of(const struct yk_motion *m, size_t k, const struct yk_kinematics *whole, double *u, double *v,
                          double *a)
{
    const size_t n = m->experiment->substructures[k].system->n;
    const double *const from[] = {whole->u, whole->v, whole->a};
    double *const to[] = {u, v, a};

    for (int i = 0; i < 3; i++) {
        memset(to[i], 0, n * sizeof(double));
        yk_matrix_add_transposed_product(&m->experiment->assembly.map[k], 1, from[i], to[i]);
    }
}

/* The same at a stage within the step, where the equation of motion gives the acceleration: M a = p. */
YK_RT static void tell_stage(struct yk_motion *m)
{
    const struct yk_experiment *e = m->experiment;
    const struct yk_domain *d = &m->domain;
    const struct yk_kinematics reached = {.c = d->want.c, .u = d->want.u, .v = d->want.v, .a = m->stage_a};

    memcpy(m->stage_a, d->p, d->integrator.system->n * sizeof *m->stage_a);
    yk_factor_solve(m->mass, m->stage_a);
    for (size_t k = 0; k < e->substructure_count; k++)
        if (yk_is_physical(e->substructures[k].system)) {
            part_of(m, k, &reached, m->u, m->v, m->a);
            yk_physical_reached(e->substructures[k].system, m->u, m->v, m->a);
        }
}

static enum yk_status open_coupling(struct yk_motion *m, struct yk_err *err)
{
    const struct yk_experiment *e = m->experiment;
    const struct yk_coupled_parts parts = {
        .substructures = e->substructures,
        .fine = e->fine,
        .count = e->substructure_count,
        .rows = e->rows,
        .row_count = e->row_count,
        .loads = e->loads,
        .load_count = e->load_count,
        .dt = m->dt,
        .substeps = e->time.substeps,
        .massless = e->coupling->caps & YK_COUPLING_SPECIMENS,
        .untorn = e->assembly.system ? &e->assembly : NULL,
    };
    enum yk_status st = yk_coupled_create(&m->problem, &parts, NULL, err);

    return st ? st : yk_coupling_create(&m->coupling, e->coupling, e->settings, m->problem, NULL, err);
}

static enum yk_status make_room(struct yk_motion *m, struct yk_err *err)
{
    const struct yk_experiment *e = m->experiment;
    const struct yk_system *untorn = m->problem ? NULL : m->domain.integrator.system;
    size_t most = 1;

    for (size_t k = 0; k < e->substructure_count; k++)
        most = e->substructures[k].system->n > most ? e->substructures[k].system->n : most;
    if (!(m->u = calloc(3 * most + (untorn ? untorn->n : 0), sizeof *m->u)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    m->v = m->u + most;
    m->a = m->v + most;
    m->stage_a = m->a + most;
    return untorn && e->integrator->stages > 1 ? yk_factor_create(&m->mass, &untorn->M, NULL, err) : YK_OK;
}

enum yk_status yk_motion_open(struct yk_motion *m, const struct yk_experiment *e, double dt, struct yk_err *err)
{
    const char *stage = yk_stage("preparing the method");
    enum yk_status st;

    *m = (struct yk_motion){.experiment = e, .dt = dt > 0 ? dt : e->time.step};
    if (e->coupling)
        st = open_coupling(m, err);
    else
        st = yk_domain_create(&m->domain, e->integrator, e->settings, e->assembly.system,
                              (struct yk_loading){yk_load_set_at, e->load_set}, m->dt, NULL, err);
    if (!st)
        st = prepare_station(m, err);
    if (!st && yk_station_wants_acceleration(e->station))
        st = make_room(m, err);
    yk_stage(stage);
    if (!st)
        return YK_OK;
    yk_motion_close(m);
    return err && *err->file ? st : yk_fail_within(err, e->method_where, "%s", "");
}

void yk_motion_close(struct yk_motion *m)
{
    if (m->coupling.ops)
        yk_coupling_destroy(&m->coupling);
    yk_coupled_destroy(m->problem);
    if (m->domain.integrator.ops)
        yk_domain_destroy(&m->domain);
    yk_factor_destroy(m->mass);
    free(m->u);
    *m = (struct yk_motion){0};
}

enum yk_status yk_motion_start(struct yk_motion *m)
{
    const struct yk_system *s = m->experiment->assembly.system;

    enum yk_status st;

    m->step = 0;
    st = m->problem ? yk_coupling_start(&m->coupling) : yk_domain_start(&m->domain, s->u0, s->v0);
    if (!st && m->u)
        tell_reached(m);
    return st;
}

YK_RT enum yk_need yk_motion_next(struct yk_motion *m, double *t)
{
    const enum yk_need need = m->problem ? yk_coupling_next(&m->coupling, t) : yk_domain_next(&m->domain, t);

    if (need == YK_NEED_NOTHING) {
        m->step++;
        if (!yk_motion_status(m) && m->u)
            tell_reached(m);
    }
    return need;
}

YK_RT void yk_motion_absorb(struct yk_motion *m)
{
    if (m->problem) {
        yk_coupling_absorb(&m->coupling);
        return;
    }
    yk_domain_absorb(&m->domain);
    if (m->mass && m->domain.stage < m->experiment->integrator->stages)
        tell_stage(m);
}

YK_RT enum yk_status yk_motion_status(const struct yk_motion *m)
{
    return m->problem ? m->coupling.status : m->domain.status;
}

YK_RT enum yk_status yk_motion_step(struct yk_motion *m)
{
    double t;

    while (yk_motion_next(m, &t)) {
        if (m->experiment->station)
            yk_station_move(m->experiment->station, t);
        yk_motion_absorb(m);
    }
    return yk_motion_status(m);
}

void yk_motion_now(const struct yk_motion *m, size_t k, double *u, double *v, double *a)
{
    struct yk_kinematics reached;

    if (m->problem) {
        const size_t n = m->experiment->substructures[k].system->n;
        double *const to[] = {u, v, a};
        int side;
        size_t first;

        yk_coupled_locate(m->problem, k, &side, &first);
        m->coupling.ops->now(m->coupling.self, side, &reached);
        const double *const from[] = {reached.u, reached.v, reached.a};
        for (int i = 0; i < 3; i++)
            memcpy(to[i], from[i] + first, n * sizeof(double));
        return;
    }
    yk_domain_now(&m->domain, &reached);
    part_of(m, k, &reached, u, v, a);
}

size_t yk_motion_multipliers(const struct yk_motion *m)
{
    return m->problem ? m->problem->rows : 0;
}

const double *yk_motion_lambda(const struct yk_motion *m)
{
    return m->coupling.ops->lambda(m->coupling.self);
}

size_t yk_motion_row(const struct yk_motion *m, size_t multiplier)
{
    return m->problem->row_of[multiplier];
}

void yk_experiment_load_at(const struct yk_experiment *e, size_t k, double t, double *f)
{
    const size_t n = e->substructures[k].system->n;

    memset(f, 0, n * sizeof *f);
    for (size_t i = 0; i < e->load_count; i++) {
        const struct yk_load *load = &e->loads[i];

        if (load->substructure != k)
            continue;
        const double s = load->signal->value(load->settings, t);
        for (size_t j = 0; j < n; j++)
            f[j] += s * load->direction[j];
    }
}
