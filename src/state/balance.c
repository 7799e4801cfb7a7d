/* The energy account and the gaps of a motion. error = kinetic + stored + dissipated - work - (kinetic + stored) at the
 * start. Units: J, and those of the degrees of freedom. */
#include "state/balance.h"

#include <stdlib.h>
#include <string.h>

enum yk_status yk_snapshot_open(struct yk_snapshot *s, const struct yk_model *model, struct yk_err *err)
{
    size_t *first = calloc(model->substructure_count + 1, sizeof *first), n = 0;

    for (size_t k = 0; first && k < model->substructure_count; k++) {
        first[k] = n;
        n += model->substructures[k].system->n;
    }
    *s = (struct yk_snapshot){.first = first, .u = calloc(3 * n + 1, sizeof *s->u)};
    if (!s->first || !s->u)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->v = s->u + n;
    s->a = s->v + n;
    return YK_OK;
}

void yk_snapshot_close(struct yk_snapshot *s)
{
    free((size_t *)s->first);
    free(s->u);
    *s = (struct yk_snapshot){0};
}

YK_RT void yk_snapshot_take(struct yk_snapshot *s, const struct yk_state *m)
{
    for (size_t k = 0; k < m->model->substructure_count; k++)
        yk_state_read(m, k, s->needed ? s->needed + s->first[k] : NULL, s->u + s->first[k], s->v + s->first[k],
                      s->a + s->first[k]);
}

YK_RT double yk_snapshot_gap(const struct yk_snapshot *s, const struct yk_row *row, const double *x)
{
    double sum = 0;

    for (size_t j = 0; j < row->count; j++)
        sum += row->coefficient[j] * x[s->first[row->substructure[j]] + row->dof[j]];
    return sum;
}

enum yk_status yk_balance_open(struct yk_balance *b, const struct yk_model *model, struct yk_err *err)
{
    size_t all = 1;

    for (size_t k = 0; k < model->substructure_count; k++)
        all += model->substructures[k].system->n;
    *b = (struct yk_balance){.of = calloc(model->substructure_count + YK_SIDES, sizeof *b->of),
                             .f = calloc(all, sizeof *b->f)};
    return b->of && b->f ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

void yk_balance_close(struct yk_balance *b)
{
    free(b->of);
    free(b->f);
    *b = (struct yk_balance){0};
}

YK_RT static void add(struct yk_energy *sum, const struct yk_energy *part)
{
    sum->kinetic += part->kinetic;
    sum->stored += part->stored;
    sum->dissipated += part->dissipated;
    sum->work += part->work;
}

/* A side, or the one domain, that is stepped in modes: its account needs no degree of freedom. */
YK_RT static void account_modes(struct yk_balance *b, const struct yk_state *m, int side)
{
    struct yk_energy *energy = &b->of[m->model->substructure_count + (size_t)side];
    const struct yk_side *own = m->problem ? &m->problem->side[side] : NULL;
    struct yk_system *system = own ? own->system : m->domain->integrator.system;
    const struct yk_loading *loading = own ? &own->loading : &m->domain->loading;
    struct yk_kinematics now;

    if (own)
        m->coupling->ops->now(m->coupling->self, side, &now);
    else
        yk_domain_now(m->domain, &now);
    memset(b->f, 0, system->n * sizeof *b->f);
    if (loading->at)
        loading->at(loading->self, (double)m->step * m->dt, b->f);
    system->ops->account(system->self, b->f, now.u, now.v, energy);
    add(&b->sum, energy);
}

YK_RT void yk_balance_take(struct yk_balance *b, const struct yk_state *m, const struct yk_snapshot *s)
{
    const struct yk_model *model = m->model;

    b->sum = (struct yk_energy){0};
    for (size_t k = 0; k < model->substructure_count; k++) {
        const struct yk_system *system = m->substructures[k].system;

        if (yk_state_in_modes(m, k))
            continue;
        yk_model_load_at(model, k, (double)m->step * m->dt, b->f);
        for (size_t i = 0; b->pushed && i < system->n; i++)
            b->f[i] += b->pushed[s->first[k] + i];
        system->ops->account(system->self, b->f, s->u + s->first[k], s->v + s->first[k], &b->of[k]);
        add(&b->sum, &b->of[k]);
    }
    for (int side = 0; side < (m->problem ? YK_SIDES : 1); side++)
        if ((m->problem ? m->problem->side[side].system : m->domain->integrator.system)->path == YK_SOLVE_MODAL)
            account_modes(b, m, side);
    if (m->step == 0)
        b->start = b->sum.kinetic + b->sum.stored;
    b->error = b->sum.kinetic + b->sum.stored + b->sum.dissipated - b->sum.work - b->start;
}
