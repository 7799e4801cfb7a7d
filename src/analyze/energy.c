/* The energy account along a run. */
#include "analyze/along.h"
#include "analyze/analyze.h"

struct account {
    struct yk_balance balance;
    struct yk_energy_sample *samples;
};

static void step(void *self, const struct yk_state *m, const struct yk_snapshot *now)
{
    struct account *a = self;

    yk_balance_take(&a->balance, m, now);
}

static void sample(void *self, const struct yk_state *m, size_t i)
{
    struct account *a = self;
    const struct yk_energy *sum = &a->balance.sum;

    a->samples[i] = (struct yk_energy_sample){.t = (double)m->step * m->dt,
                                              .kinetic = sum->kinetic,
                                              .stored = sum->stored,
                                              .dissipated = sum->dissipated,
                                              .work = sum->work,
                                              .error = a->balance.error};
}

enum yk_status yk_energy_history(const struct yk_model *model, size_t count, struct yk_energy_sample *samples,
                                 struct yk_err *err)
{
    struct account a = {.samples = samples};
    enum yk_status st = yk_balance_open(&a.balance, model, err);

    if (!st)
        st = yk_along_run(model, &(struct yk_along){step, sample, &a, count}, err);
    yk_balance_close(&a.balance);
    return st;
}
