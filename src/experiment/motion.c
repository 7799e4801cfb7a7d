/* An experiment set in motion: one domain of the untorn structure, or a coupling of its two sides. */
#include <yoke/experiment.h>

#include <stdlib.h>
#include <string.h>

static enum yk_status open_coupling(struct yk_motion *m, int threads, struct yk_err *err)
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
        .untorn = e->assembly.system ? &e->assembly : NULL,
    };
    enum yk_status st = yk_coupled_create(&m->problem, &parts, err);

    return st ? st : yk_coupling_create(&m->coupling, e->coupling, e->settings, m->problem, threads, err);
}

enum yk_status yk_motion_open(struct yk_motion *m, const struct yk_experiment *e, double dt, int threads,
                              struct yk_err *err)
{
    enum yk_status st;

    *m = (struct yk_motion){.experiment = e, .dt = dt > 0 ? dt : e->time.step};
    if (e->coupling)
        st = open_coupling(m, threads, err);
    else
        st = yk_domain_create(&m->domain, e->integrator, e->settings, e->assembly.system,
                              (struct yk_loading){yk_load_set_at, e->load_set}, m->dt, err);
    if (!st)
        return YK_OK;
    yk_motion_close(m);
    return err && strncmp(err->text, e->path, strlen(e->path)) == 0 ? st
                                                                    : yk_fail_within(err, e->method_where, "%s", "");
}

void yk_motion_close(struct yk_motion *m)
{
    if (m->coupling.ops)
        yk_coupling_destroy(&m->coupling);
    yk_coupled_destroy(m->problem);
    if (m->domain.integrator.ops)
        yk_domain_destroy(&m->domain);
    *m = (struct yk_motion){0};
}

enum yk_status yk_motion_start(struct yk_motion *m)
{
    const struct yk_system *s = m->experiment->assembly.system;

    m->step = 0;
    return m->problem ? yk_coupling_start(&m->coupling) : yk_domain_start(&m->domain, s->u0, s->v0);
}

enum yk_status yk_motion_step(struct yk_motion *m)
{
    enum yk_status st = m->problem ? yk_coupling_step(&m->coupling) : yk_domain_step(&m->domain);

    m->step++;
    return st;
}

void yk_motion_now(const struct yk_motion *m, size_t k, double *u, double *v, double *a)
{
    const size_t n = m->experiment->substructures[k].system->n;
    double *const to[] = {u, v, a};
    struct yk_kinematics reached;

    if (m->problem) {
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
    const double *const from[] = {reached.u, reached.v, reached.a};
    for (int i = 0; i < 3; i++) {
        memset(to[i], 0, n * sizeof(double));
        yk_matrix_add_transposed_product(&m->experiment->assembly.map[k], 1, from[i], to[i]);
    }
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
