/* The energy account along a run. */
#include "analyze/along.h"
#include "analyze/analyze.h"

struct account {
    struct yk_balance balance;
    struct yk_energy_sample *samples;
};

static void step(void *self, const struct yk_motion *m, const struct yk_snapshot *now)
{
    struct account *a = self;

    yk_balance_take(&a->balance, m, now);
}

static void sample(void *self, const struct yk_motion *m, size_t i)
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

enum yk_status yk_energy_history(const struct yk_plan *plan, size_t count, struct yk_energy_sample *samples,
                                 struct yk_err *err)
{
    struct account a = {.samples = samples};
    enum yk_status st = yk_balance_open(&a.balance, yk_plan_experiment(plan), err);

    if (!st)
        st = yk_along_run(plan, &(struct yk_look){step, sample, &a, count}, err);
    yk_balance_close(&a.balance);
    return st;
}
