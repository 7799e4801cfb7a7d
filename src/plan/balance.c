/* The energy account and the gaps of a motion. error = kinetic + stored + dissipated - work - (kinetic + stored) at the
 * start. Units: J, and those of the degrees of freedom. */
#include "plan/balance.h"

#include <stdlib.h>

enum yk_status yk_snapshot_open(struct yk_snapshot *s, const struct yk_experiment *e, struct yk_err *err)
{
    size_t *first = calloc(e->substructure_count + 1, sizeof *first), n = 0;

    for (size_t k = 0; first && k < e->substructure_count; k++) {
        first[k] = n;
        n += e->substructures[k].system->n;
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

YK_RT void yk_snapshot_take(struct yk_snapshot *s, const struct yk_motion *m)
{
    for (size_t k = 0; k < m->experiment->substructure_count; k++)
        yk_motion_now(m, k, s->u + s->first[k], s->v + s->first[k], s->a + s->first[k]);
}

YK_RT double yk_snapshot_gap(const struct yk_snapshot *s, const struct yk_row *row, const double *x)
{
    double sum = 0;

    for (size_t j = 0; j < row->count; j++)
        sum += row->coefficient[j] * x[s->first[row->substructure[j]] + row->dof[j]];
    return sum;
}

enum yk_status yk_balance_open(struct yk_balance *b, const struct yk_experiment *e, struct yk_err *err)
{
    size_t most = 1;

    for (size_t k = 0; k < e->substructure_count; k++)
        most = e->substructures[k].system->n > most ? e->substructures[k].system->n : most;
    *b = (struct yk_balance){.of = calloc(e->substructure_count + 1, sizeof *b->of), .f = calloc(most, sizeof *b->f)};
    return b->of && b->f ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

void yk_balance_close(struct yk_balance *b)
{
    free(b->of);
    free(b->f);
    *b = (struct yk_balance){0};
}

YK_RT void yk_balance_take(struct yk_balance *b, const struct yk_motion *m, const struct yk_snapshot *s)
{
    const struct yk_experiment *e = m->experiment;

    b->sum = (struct yk_energy){0};
    for (size_t k = 0; k < e->substructure_count; k++) {
        const struct yk_system *system = e->substructures[k].system;

        yk_experiment_load_at(e, k, (double)m->step * m->dt, b->f);
        system->ops->account(system->self, b->f, s->u + s->first[k], s->v + s->first[k], &b->of[k]);
        b->sum.kinetic += b->of[k].kinetic;
        b->sum.stored += b->of[k].stored;
        b->sum.dissipated += b->of[k].dissipated;
        b->sum.work += b->of[k].work;
    }
    if (m->step == 0)
        b->start = b->sum.kinetic + b->sum.stored;
    b->error = b->sum.kinetic + b->sum.stored + b->sum.dissipated - b->sum.work - b->start;
}
