/* Gaps across the interfaces along a run, and the work that the multipliers do in them. */
#include "analyze/analyze.h"

#include <math.h>
#include <stdlib.h>

/* u, v, a of every substructure, one after the other. */
struct snapshot {
    double *x;
    size_t *first; /* of each substructure, in x */
};

static enum yk_status open_snapshot(struct snapshot *s, const struct yk_experiment *e, struct yk_err *err)
{
    size_t n = 0;

    s->first = calloc(e->substructure_count + 1, sizeof *s->first);
    for (size_t k = 0; s->first && k < e->substructure_count; k++) {
        s->first[k] = n;
        n += 3 * e->substructures[k].system->n;
    }
    s->x = calloc(n + 1, sizeof *s->x);
    return s->first && s->x ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static void take(struct snapshot *s, const struct yk_motion *m)
{
    for (size_t k = 0; k < m->experiment->substructure_count; k++) {
        const size_t n = m->experiment->substructures[k].system->n;
        double *u = s->x + s->first[k];

        yk_motion_now(m, k, u, u + n, u + 2 * n);
    }
}

/* sum_j c_j of one row; which: 0 u, 1 v, 2 a */
static double gap(const struct snapshot *s, const struct yk_experiment *e, size_t r, size_t which)
{
    const struct yk_row *row = &e->rows[r];
    double sum = 0;

    for (size_t j = 0; j < row->count; j++)
        sum += row->coefficient[j] * s->x[s->first[row->substructure[j]] +
                                          which * e->substructures[row->substructure[j]].system->n + row->dof[j]];
    return sum;
}

/* Largest gaps of the rows, kept in `worst`. */
static void keep_worst(const struct snapshot *s, const struct yk_experiment *e, struct yk_drift_sample *worst)
{
    for (size_t r = 0; r < e->row_count; r++) {
        worst->u = fmax(worst->u, fabs(gap(s, e, r, 0)));
        worst->v = fmax(worst->v, fabs(gap(s, e, r, 1)));
        worst->a = fmax(worst->a, fabs(gap(s, e, r, 2)));
    }
}

/* Work of the multipliers over a step: lambda times the change of the displacement gap, averaged. */
static double step_work(const struct yk_motion *m, const struct snapshot *s, double *last_gap, double *last_lambda)
{
    double work = 0;

    for (size_t i = 0; i < yk_motion_multipliers(m); i++) {
        const double now = gap(s, m->experiment, yk_motion_row(m, i), 0), lambda = yk_motion_lambda(m)[i];

        if (m->step > 0)
            work += 0.5 * (lambda + last_lambda[i]) * (now - last_gap[i]);
        last_gap[i] = now;
        last_lambda[i] = lambda;
    }
    return work;
}

enum yk_status yk_drift_history(const struct yk_experiment *e, size_t count, struct yk_drift_sample *samples,
                                struct yk_err *err)
{
    struct snapshot s = {0};
    struct yk_motion m = {0};
    struct yk_drift_sample worst = {0};
    double *last = calloc(2 * e->row_count + 1, sizeof *last), work = 0;
    enum yk_status st;

    if (!last)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = open_snapshot(&s, e, err)) && !(st = yk_motion_open(&m, e, 0, err)) && (st = yk_motion_start(&m)))
        yk_fail_at(err, st, YK_IN_FILE(e->path), "the force at t = 0 is not a finite number");
    for (size_t i = 0; !st;) {
        take(&s, &m);
        keep_worst(&s, e, &worst);
        work += step_work(&m, &s, last, last + e->row_count);
        for (; i < count && m.step >= (long)((double)i / (double)(count - 1) * (double)e->steps + 0.5); i++) {
            samples[i] = worst;
            samples[i].t = (double)m.step * m.dt;
            samples[i].interface_work = work;
            worst = (struct yk_drift_sample){0};
        }
        if (m.step == e->steps)
            break;
        if ((st = yk_motion_step(&m)))
            yk_fail_at(err, st, YK_IN_FILE(e->path), "the motion diverged at step %ld", m.step);
    }
    yk_motion_close(&m);
    free(last);
    free(s.x);
    free(s.first);
    return st;
}
