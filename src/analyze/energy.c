/* The energy account along a run. */
#include "analyze/analyze.h"

#include <stdlib.h>

struct account {
    struct yk_energy *of; /* each substructure */
    double *u, *v, *a, *f;
};

static enum yk_status open_account(struct account *account, const struct yk_experiment *e, struct yk_err *err)
{
    size_t most = 1;

    for (size_t k = 0; k < e->substructure_count; k++)
        most = e->substructures[k].system->n > most ? e->substructures[k].system->n : most;
    account->of = calloc(e->substructure_count, sizeof *account->of);
    account->u = calloc(4 * most, sizeof *account->u);
    if (!account->of || !account->u)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    account->v = account->u + most;
    account->a = account->u + 2 * most;
    account->f = account->u + 3 * most;
    return YK_OK;
}

/* The account of all substructures at the current step. */
static struct yk_energy_sample take(const struct yk_motion *m, struct account *account)
{
    struct yk_energy_sample s = {.t = (double)m->step * m->dt};

    for (size_t k = 0; k < m->experiment->substructure_count; k++) {
        struct yk_system *system = m->experiment->substructures[k].system;

        yk_motion_now(m, k, account->u, account->v, account->a);
        yk_experiment_load_at(m->experiment, k, s.t, account->f);
        system->ops->account(system->self, account->f, account->u, account->v, &account->of[k]);
        s.kinetic += account->of[k].kinetic;
        s.stored += account->of[k].stored;
        s.dissipated += account->of[k].dissipated;
        s.work += account->of[k].work;
    }
    return s;
}

enum yk_status yk_energy_history(const struct yk_experiment *e, size_t count, struct yk_energy_sample *samples,
                                 struct yk_err *err)
{
    struct account account = {0};
    struct yk_motion m = {0};
    double start = 0;
    enum yk_status st;

    if (!(st = open_account(&account, e, err)) && !(st = yk_motion_open(&m, e, 0, err)) && (st = yk_motion_start(&m)))
        yk_fail_at(err, st, YK_IN_FILE(e->path), "the force at t = 0 is not a finite number");
    for (size_t i = 0; !st;) {
        struct yk_energy_sample s = take(&m, &account);

        if (m.step == 0)
            start = s.kinetic + s.stored;
        s.error = s.kinetic + s.stored + s.dissipated - s.work - start;
        for (; i < count && m.step >= (long)((double)i / (double)(count - 1) * (double)e->steps + 0.5); i++)
            samples[i] = s;
        if (m.step == e->steps)
            break;
        if ((st = yk_motion_step(&m)))
            yk_fail_at(err, st, YK_IN_FILE(e->path), "the motion diverged at step %ld", m.step);
    }
    yk_motion_close(&m);
    free(account.of);
    free(account.u);
    return st;
}
