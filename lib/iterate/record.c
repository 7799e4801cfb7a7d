/* Whole records, iterated: docs/theory/iterate.md, eq. (4) and (5).
 *
 *     run:       rig along u -> x_m, F;       refit the model F^ to them
 *     structure: M a + C v + R + F^(x) + D(t) = f,  D = F - F^(x_m)  -> x
 *     command:   u(t) += e(t + lead),  e = x - x_m
 *
 * The fixed point, x = x_m, does not depend on F^. A target that grows beyond `bound` is blended with what was
 * measured; where the error grows twice, the iteration ends and the best run is kept. */
#include <yoke/iterate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
    size_t count; /* samples x dofs */
    double *u, *x, *F, *D, *target;
    double predicted;
};

static double rms(size_t n, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return n ? sqrt(sum / (double)n) : 0;
}

static double largest(size_t n, const double *x)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* x of column i, `lead` samples after k; the last value holds. */
static double ahead(const struct yk_record_iteration *it, const double *x, size_t k, size_t i, double lead)
{
    const double at = fmin((double)k + lead, (double)(it->samples - 1));
    const size_t from = (size_t)at, to = from + 1 < it->samples ? from + 1 : from;
    const double share = at - (double)from;

    return share > 0 ? (1 - share) * x[from * it->dofs + i] + share * x[to * it->dofs + i] : x[from * it->dofs + i];
}

/* Delay of x behind u in samples, where their product is largest, to a part of a sample by a parabola. */
static double lead_of(const struct yk_record_iteration *it, const double *u, const double *x, double before)
{
    const size_t most = it->samples / 4 < 400 ? it->samples / 4 : 400;
    double at[3] = {-INFINITY, -INFINITY, -INFINITY}, last = -INFINITY, lead = before, best = 0;
    bool rising = false;

    for (size_t d = 0; d <= most; d++) {
        double sum = 0;

        for (size_t k = d; k < it->samples; k++)
            for (size_t i = 0; i < it->dofs; i++)
                sum += u[(k - d) * it->dofs + i] * x[k * it->dofs + i];
        if (rising && d >= 1) {
            at[2] = sum;
            rising = false;
            const double bend = at[0] - 2 * at[1] + at[2];
            lead = (double)(d - 1) + (bend < 0 ? 0.5 * (at[0] - at[2]) / bend : 0);
        }
        if (sum > best) {
            best = sum;
            at[0] = last;
            at[1] = sum;
            lead = (double)d;
            rising = isfinite(last);
        }
        last = sum;
    }
    return best > 0 ? fmax(lead, 0) : before;
}

/* The largest share of the way from x to the target that stays within `limit`: 1 where all of it does. */
static double blend_of(size_t n, const double *x, const double *target, double limit)
{
    double share = 1;

    for (size_t i = 0; i < n; i++) {
        const double d = target[i] - x[i];

        if (fabs(target[i]) > limit && fabs(d) > 0)
            share = fmin(share, fmax(0, (copysign(limit, target[i]) - x[i]) / d));
    }
    return share;
}

/* The first command: what the structure would do with the model alone. */
static enum yk_status predict(struct yk_record_iteration *it, struct work *w, double lead, struct yk_err *err)
{
    const enum yk_status st = it->structure(it->self, it->model, NULL, w->target, err);

    w->predicted = largest(w->count, w->target);
    for (size_t k = 0; k < it->samples && !st; k++)
        for (size_t i = 0; i < it->dofs; i++)
            w->u[k * it->dofs + i] = ahead(it, w->target, k, i, lead);
    return st;
}

/* The structure with what was measured: its motion to w->target. Returns how much of the way is taken. */
static enum yk_status answer(struct yk_record_iteration *it, struct work *w, double *fit, double *blend,
                             struct yk_err *err)
{
    enum yk_status st;

    *fit = it->refit ? yk_specimen_refit(it->model, it->samples, it->step, w->x, w->F) : (double)NAN;
    yk_specimen_force(it->model, it->samples, it->step, w->x, w->D);
    for (size_t i = 0; i < w->count; i++)
        w->D[i] = w->F[i] - w->D[i];
    if (!it->refit)
        *fit = rms(w->count, w->D) / fmax(rms(w->count, w->F), 1e-300);
    if ((st = it->structure(it->self, it->model, w->D, w->target, err)))
        return st;
    *blend = 1;
    if (it->bound > 0)
        *blend = blend_of(w->count, w->x, w->target, it->bound * fmax(w->predicted, largest(w->count, w->x)));
    return YK_OK;
}

static void keep(const struct work *w, double *u, double *x, double *F, double *target)
{
    const size_t bytes = w->count * sizeof *u;

    memcpy(u, w->u, bytes);
    memcpy(x, w->x, bytes);
    memcpy(F, w->F, bytes);
    memcpy(target, w->target, bytes);
}

static enum yk_status iterate(struct yk_record_iteration *it, struct work *w, double *u, double *x, double *F,
                              double *target, struct yk_record_result *r, struct yk_err *err)
{
    double before = INFINITY, fit = 0, blend = 1;
    int grown = 0;
    enum yk_status st = predict(it, w, r->lead, err);

    while (!st) {
        if ((st = it->rig(it->self, w->u, w->x, w->F, err)))
            return st;
        if (it->find_lead)
            r->lead = lead_of(it, w->u, w->x, r->lead);
        if ((st = answer(it, w, &fit, &blend, err)))
            return st;
        double sum = 0;

        for (size_t i = 0; i < w->count; i++)
            sum += (w->target[i] - w->x[i]) * (w->target[i] - w->x[i]);
        r->error = sqrt(sum / (double)w->count) / fmax(rms(w->count, w->target), 1e-300);
        r->runs++;
        if (!r->best || r->error < r->best_error) {
            r->best = r->runs;
            r->best_error = r->error;
            keep(w, u, x, F, target);
        }
        grown = r->error > before ? grown + 1 : 0;
        before = r->error;
        const bool goes_on = !it->made || it->made(it->self, r->runs, r->error, fit, blend, w->x, w->target);

        r->end = YK_ITERATION_MOST;
        if (r->error < it->tolerance)
            r->end = YK_ITERATION_CONVERGED;
        else if ((it->bound > 0 && grown >= 2) || !isfinite(r->error))
            r->end = YK_ITERATION_STUCK;
        else if (goes_on && r->runs < it->most) {
            for (size_t i = 0; i < w->count; i++)
                w->D[i] = blend * (w->target[i] - w->x[i]);
            for (size_t k = 0; k < it->samples; k++)
                for (size_t i = 0; i < it->dofs; i++)
                    w->u[k * it->dofs + i] += ahead(it, w->D, k, i, r->lead);
            continue;
        }
        return YK_OK;
    }
    return st;
}

enum yk_status yk_record_iterate(struct yk_record_iteration *it, double *u, double *x, double *F, double *target,
                                 struct yk_record_result *result, struct yk_err *err)
{
    struct work w = {.count = it->samples * it->dofs};
    enum yk_status st;

    *result = (struct yk_record_result){.end = YK_ITERATION_MOST, .lead = it->lead};
    if (!(w.u = calloc(5 * w.count + 1, sizeof *w.u)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    w.x = w.u + w.count;
    w.F = w.x + w.count;
    w.D = w.F + w.count;
    w.target = w.D + w.count;
    st = iterate(it, &w, u, x, F, target, result, err);
    free(w.u);
    return st;
}
