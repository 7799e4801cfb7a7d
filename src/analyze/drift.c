/* Gaps across the interfaces along a run, and the work that the multipliers do in them. */
#include "analyze/along.h"
#include "analyze/analyze.h"

#include <math.h>
#include <stdlib.h>

struct drift {
    struct yk_drift_sample worst, *samples; /* since the sample before */
    double *last_gap, *last_lambda;         /* of each multiplier */
    double work;
};

/* Work of the multipliers over a step: lambda times the change of the displacement gap, averaged. */
static double step_work(struct drift *d, const struct yk_state *m, const struct yk_snapshot *now)
{
    double work = 0;

    for (size_t i = 0; i < yk_state_multipliers(m); i++) {
        const double gap = yk_snapshot_gap(now, &m->model->rows[yk_state_row(m, i)], now->u);
        const double lambda = yk_state_lambda(m)[i];

        if (m->step > 0)
            work += 0.5 * (lambda + d->last_lambda[i]) * (gap - d->last_gap[i]);
        d->last_gap[i] = gap;
        d->last_lambda[i] = lambda;
    }
    return work;
}

static void step(void *self, const struct yk_state *m, const struct yk_snapshot *now)
{
    struct drift *d = self;

    for (size_t r = 0; r < m->model->row_count; r++) {
        const struct yk_row *row = &m->model->rows[r];

        d->worst.u = fmax(d->worst.u, fabs(yk_snapshot_gap(now, row, now->u)));
        d->worst.v = fmax(d->worst.v, fabs(yk_snapshot_gap(now, row, now->v)));
        d->worst.a = fmax(d->worst.a, fabs(yk_snapshot_gap(now, row, now->a)));
    }
    d->work += step_work(d, m, now);
}

static void sample(void *self, const struct yk_state *m, size_t i)
{
    struct drift *d = self;

    d->samples[i] = d->worst;
    d->samples[i].t = (double)m->step * m->dt;
    d->samples[i].interface_work = d->work;
    d->worst = (struct yk_drift_sample){0};
}

enum yk_status yk_drift_history(const struct yk_model *model, size_t count, struct yk_drift_sample *samples,
                                struct yk_err *err)
{
    double *last = calloc(2 * model->row_count + 1, sizeof *last);
    struct drift d = {.samples = samples, .last_gap = last, .last_lambda = last ? last + model->row_count : NULL};
    enum yk_status st = last ? yk_along_run(model, &(struct yk_along){step, sample, &d, count}, err)
                             : yk_fail(err, YK_E_MEMORY, "out of memory");

    free(last);
    return st;
}
