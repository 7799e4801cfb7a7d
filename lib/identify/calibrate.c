/* Settings of laws from measured loops: several starts, soft loss, nuisances of each run. docs/theory/control.md, eq.
 * (82)-(84); Marquardt 1963; Joe & Kuo 2008. The laws are those of the library, with the measured path. */
#include "calibrate.h"

#include <yoke/linalg.h>
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOFT   0.1
#define SPAN   1e4  /* bounds of a value: this often its start */
#define ENOUGH 1e-5 /* relative gain that ends the descent of a start, */
#define LAST   1e-9 /* and of the best one */

enum {
    ROWS = 800,
    OFFSET_STEPS = 40,
    TRIAL_STEPS = 12,
    LAST_STEPS = 40,
    SAMPLED = 4 /* points looked at for each start */
};

/* ---- settings ---- */

double yk_fitted_value(const struct yk_fitted_setting *s, const double *values, double over)
{
    double sum = 0;

    for (size_t i = 0; i < s->points; i++) {
        double weight = 1;

        for (size_t j = 0; j < s->points; j++)
            weight *= j == i ? 1 : (over - s->at[j]) / (s->at[i] - s->at[j]);
        sum += weight * (s->geometric ? log(values[i]) : values[i]);
    }
    return s->geometric ? exp(sum) : sum;
}

double yk_calibration_value(const struct yk_calibration_job *job, const double *p, size_t value)
{
    return job->value[value].logarithm ? exp(p[value]) : p[value] * job->value[value].unit;
}

/* The settings of law `k` for a run, in `block`; false: the law refuses them. */
static bool set_law(const struct yk_calibration_job *job, const double *p, size_t k, double over, void *block)
{
    const struct yk_calibrate_ask *a = job->ask;
    double values[YK_CALIBRATE_POINTS];
    size_t at = 0;

    memcpy(block, a->law[k].settings, a->law[k].ops->settings_size);
    for (size_t i = 0; i < a->settings; i++) {
        const struct yk_fitted_setting *s = &a->setting[i];

        for (size_t j = 0; j < s->points; j++)
            values[j] = yk_calibration_value(job, p, at++);
        if (s->law == k && yk_param_set(a->law[k].ops->params, block, s->name, yk_fitted_value(s, values, over), NULL))
            return false;
    }
    return !a->law[k].ops->prepare || !a->law[k].ops->prepare(block, NULL);
}

/* ---- force ---- */

struct one_law {
    const struct yk_law_ops *ops;
    void *settings;
    double state[2][YK_LAW_ROOM];
    int now;
};

static double step_law(struct one_law *law, double d, double w, double h)
{
    const double f = law->ops->force(law->settings, law->state[law->now], d, w, h, law->state[!law->now]);

    if (law->ops->count)
        law->now = !law->now;
    return f;
}

bool yk_calibration_force(const struct yk_calibration_job *job, const double *p, size_t run, double *force)
{
    const struct yk_calibrate_ask *a = job->ask;
    const struct yk_loop *l = &job->loop[run];
    const bool slips = a->initial && run < a->run_count;
    const double slip = slips ? p[job->values + run] * l->largest_x : 0;
    const double over = run < a->run_count ? a->runs[run].over : a->held[run - a->run_count].over;
    struct one_law law[YK_CALIBRATE_LAWS] = {{0}};
    unsigned char *blocks = NULL;
    size_t room = 0;
    bool good = true;

    for (size_t k = 0; k < a->laws; k++)
        room += (a->law[k].ops->settings_size + 63) / 64 * 64;
    if (!(blocks = calloc(1, room + 1)))
        return false;
    room = 0;
    for (size_t k = 0; k < a->laws && good; k++) {
        law[k].ops = a->law[k].ops;
        law[k].settings = blocks + room;
        room += (a->law[k].ops->settings_size + 63) / 64 * 64;
        if ((good = set_law(job, p, k, over, law[k].settings)) && law[k].ops->rest)
            law[k].ops->rest(law[k].settings, l->x[0] - slip, law[k].state[0]);
    }
    for (size_t k = 0; k < a->laws && good && slips; k++)
        step_law(&law[k], l->x[0], 0, l->dt);
    for (size_t i = 0; i < l->m && good; i++) {
        double f = 0;

        for (size_t k = 0; k < a->laws; k++)
            f += step_law(&law[k], l->x[i], l->v[i], i ? l->dt : 0);
        if (i % l->every == 0)
            force[i / l->every] = f;
        good = fabs(f) < 1e6 * l->largest_force; /* also false of NaN */
    }
    free(blocks);
    return good;
}

/* ---- residual ---- */

/* The offset that the loss asks for: where the soft loss of e - offset is least (squares: the mean), by reweighting.
 * Unlike the median it changes smoothly with the values of the law, so that the descent does not stall. */
static double best_offset(const double *e, size_t n, double soft)
{
    double offset = 0;

    for (size_t k = 0; k < n; k++)
        offset += e[k] / (double)n;
    for (int i = 0; i < OFFSET_STEPS && soft > 0; i++) {
        double sum = 0, weight = 0;

        for (size_t k = 0; k < n; k++) {
            const double r = (e[k] - offset) / soft, w = 1 / sqrt(1 + r * r);

            sum += w * (e[k] - offset);
            weight += w;
        }
        offset += sum / weight;
        if (fabs(sum / weight) < 1e-9 * soft)
            break;
    }
    return offset;
}

static double best_level(const struct yk_loop *l, const double *force)
{
    double mf = 0, my = 0, ff = 0, fy = 0;

    for (size_t k = 0; k < l->rows; k++) {
        mf += force[k] / (double)l->rows;
        my += l->force[k] / (double)l->rows;
    }
    for (size_t k = 0; k < l->rows; k++) {
        ff += (force[k] - mf) * (force[k] - mf);
        fy += (force[k] - mf) * (l->force[k] - my);
    }
    return ff > 0 && fy > 0 ? fy / ff : 1;
}

double yk_calibration_common_level(const struct yk_calibration_job *job, const double *force)
{
    double sum = 0;
    size_t at = 0;

    for (size_t i = 0; i < job->ask->run_count && job->ask->level; at += job->loop[i++].rows)
        sum += log(best_level(&job->loop[i], force + at));
    return exp(sum / (double)job->ask->run_count);
}

void yk_calibration_residual(const struct yk_calibration_job *job, size_t run, const double *force, double common,
                             double *e, double *offset, double *level)
{
    const struct yk_loop *l = &job->loop[run];

    *level = job->ask->level ? best_level(l, force) / (run < job->ask->run_count ? common : 1) : 1;
    *offset = 0;
    for (size_t k = 0; k < l->rows; k++)
        e[k] = l->force[k] - *level * force[k];
    if (job->ask->offset == YK_NUISANCE_EACH)
        *offset = best_offset(e, l->rows, job->ask->soft * l->deviation);
    for (size_t k = 0; k < l->rows; k++)
        e[k] = (l->force[k] - *level * force[k] - *offset) / l->deviation;
}

/* One offset of all runs, from the residuals with their deviations. */
static void take_common_offset(const struct yk_calibration_job *job, double *r)
{
    double sum = 0, weight = 0;
    size_t at = 0;

    for (size_t i = 0; i < job->ask->run_count; at += job->loop[i++].rows)
        for (size_t k = 0; k < job->loop[i].rows; k++) {
            sum += r[at + k] / job->loop[i].deviation / (double)job->loop[i].rows;
            weight += 1 / (job->loop[i].deviation * job->loop[i].deviation) / (double)job->loop[i].rows;
        }
    at = 0;
    for (size_t i = 0; i < job->ask->run_count; at += job->loop[i++].rows)
        for (size_t k = 0; k < job->loop[i].rows; k++)
            r[at + k] -= sum / weight / job->loop[i].deviation;
}

/* The number whose square is the loss. */
static double softened(double e, double soft, bool huber)
{
    if (!(soft > 0) || (huber && fabs(e) <= soft))
        return e;
    return huber ? copysign(sqrt(2 * soft * fabs(e) - soft * soft), e)
                 : e * sqrt(2 / (1 + sqrt(1 + e * e / (soft * soft))));
}

bool yk_calibration_residuals(void *self, const double *p, double *r)
{
    const struct yk_calibration_job *job = self;
    const double soft = job->ask->soft;
    double *force = malloc((job->residuals + 1) * sizeof *force);
    bool good = force != NULL;
    size_t at = 0;

    for (size_t i = 0; i < job->ask->run_count && good; at += job->loop[i++].rows)
        good = yk_calibration_force(job, p, i, force + at);
    const double common = good ? yk_calibration_common_level(job, force) : 1;
    at = 0;
    for (size_t i = 0; i < job->ask->run_count && good; at += job->loop[i++].rows) {
        double offset, level;

        yk_calibration_residual(job, i, force + at, common, r + at, &offset, &level);
    }
    free(force);
    if (good && job->ask->offset == YK_NUISANCE_ONE)
        take_common_offset(job, r);
    at = 0;
    for (size_t i = 0; i < job->ask->run_count && good; at += job->loop[i++].rows) /* soft loss, and all runs alike */
        for (size_t k = 0; k < job->loop[i].rows; k++) {
            r[at + k] = softened(r[at + k], soft, job->ask->huber) / sqrt((double)job->loop[i].rows);
        }
    return good;
}

/* ---- unknowns ---- */

static const struct yk_param *param_of(const struct yk_calibrate_ask *a, const struct yk_fitted_setting *s)
{
    for (const struct yk_param *q = a->law[s->law].ops->params; q->name; q++)
        if (strcmp(q->name, s->name) == 0 && (q->type == YK_PARAM_REAL || q->type == YK_PARAM_WHOLE))
            return q;
    return NULL;
}

/* The natural size of a quantity in these runs. */
static double natural(const struct yk_calibration_job *job, enum yk_quantity quantity)
{
    double x = 0, v = 0, f = 0;

    for (size_t i = 0; i < job->ask->run_count; i++) {
        x = fmax(x, job->loop[i].largest_x);
        v = fmax(v, job->loop[i].largest_v);
        f = fmax(f, job->loop[i].largest_force);
    }
    switch (quantity) {
    case YK_FORCE:
        return f;
    case YK_DISPLACEMENT:
    case YK_LENGTH:
        return x;
    case YK_STIFFNESS:
        return f / x;
    case YK_DAMPING:
        return f / v;
    case YK_VELOCITY:
        return v;
    case YK_CUBIC:
        return f / (x * x * x);
    default:
        return 1;
    }
}

static enum yk_status add_value(struct yk_calibration_job *job, size_t i, size_t point, double *p, struct yk_err *err)
{
    const struct yk_fitted_setting *s = &job->ask->setting[i];
    const struct yk_param *q = param_of(job->ask, s);
    const double start = s->start[point];
    const bool given = s->most > s->least, logarithm = start > 0 && (!given || s->least > 0) && q->min >= 0;
    const double unit = natural(job, q->quantity);
    double least = given       ? s->least
                   : start > 0 ? start / SPAN
                               : -SPAN * unit,
           most = given       ? s->most
                  : start > 0 ? start * SPAN
                              : SPAN * unit;
    const size_t k = job->values;

    if (k == YK_FIT_PARAMETERS)
        return yk_fail(err, YK_E_RANGE, "more than %d numbers to fit", YK_FIT_PARAMETERS);
    least = fmax(least, q->min);
    most = fmin(most, q->max);
    if (!(start >= least && start <= most))
        return yk_fail(err, YK_E_RANGE, "%s: start %g is outside %g .. %g", s->name, start, least, most);
    job->value[k].setting = i;
    job->value[k].point = point;
    job->value[k].logarithm = logarithm;
    job->value[k].unit = unit;
    job->least[k] = logarithm ? log(fmax(least, start / SPAN)) : least / unit;
    job->most[k] = logarithm ? log(most) : most / unit;
    job->scale[k] = 1;
    p[k] = logarithm ? log(start) : start / unit;
    job->values++;
    return YK_OK;
}

static enum yk_status find_unknowns(struct yk_calibration_job *job, double *p, struct yk_err *err)
{
    const struct yk_calibrate_ask *a = job->ask;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < a->settings && !st; i++) {
        const struct yk_fitted_setting *s = &a->setting[i];

        if (s->law >= a->laws || !param_of(a, s))
            return yk_fail(err, YK_E_INPUT, "%s: the law has no number of this name", s->name);
        for (size_t j = 0; j < s->points && !st; j++)
            st = add_value(job, i, j, p, err);
    }
    job->unknowns = job->values;
    for (size_t r = 0; a->initial && r < a->run_count && !st; r++) {
        const size_t k = job->unknowns++;

        if (k >= YK_FIT_PARAMETERS)
            return yk_fail(err, YK_E_RANGE, "more than %d numbers to fit; give fewer runs, or initial: rest",
                           YK_FIT_PARAMETERS);
        job->least[k] = -2;
        job->most[k] = 2;
        job->scale[k] = 1;
        p[k] = 0;
    }
    return st;
}

/* ---- descent ---- */

struct trial {
    double cost, p[YK_FIT_PARAMETERS];
};

static double cost_of(const struct yk_calibration_job *job, const double *p, double *r)
{
    return yk_calibration_residuals((void *)job, p, r) ? yk_dot(job->residuals, r, r) : INFINITY;
}

static int by_cost(const void *a, const void *b)
{
    const double x = ((const struct trial *)a)->cost, y = ((const struct trial *)b)->cost;

    return (x > y) - (x < y);
}

/* The given start, and the best of a Sobol sequence about it: a factor of ten either way, within the bounds. */
static size_t find_starts(const struct yk_calibration_job *job, const double *p, struct trial *trial, size_t starts,
                          double *r)
{
    const size_t looked = starts > 1 ? SAMPLED * (starts - 1) : 0;

    for (size_t i = 0; i < looked + 1; i++) {
        memcpy(trial[i].p, p, sizeof trial[i].p);
        for (size_t k = 0; i > 0 && k < job->values; k++) {
            const double u = 2 * yk_sobol(i, k % YK_SOBOL_DIMENSIONS) - 1,
                         reach = job->value[k].logarithm ? log(10) : 1;

            trial[i].p[k] = fmin(fmax(p[k] + reach * u, job->least[k]), job->most[k]);
        }
        trial[i].cost = cost_of(job, trial[i].p, r);
    }
    qsort(trial + 1, looked, sizeof *trial, by_cost);
    return 1 + (looked < starts - 1 ? looked : starts - 1);
}

static enum yk_status descend(struct yk_calibration_job *job, double *p, bool *stopped, struct yk_err *err)
{
    const struct yk_calibrate_ask *a = job->ask;
    const size_t starts = a->starts > 1 ? (size_t)a->starts : 1;
    struct trial *trial = calloc(1 + SAMPLED * starts, sizeof *trial);
    double *r = malloc(job->residuals * sizeof *r);
    struct yk_fit fit = {.parameters = job->unknowns,
                         .count = job->residuals,
                         .residuals = yk_calibration_residuals,
                         .self = job,
                         .least = job->least,
                         .most = job->most,
                         .scale = job->scale,
                         .farthest = 2,
                         .enough = ENOUGH,
                         .iterations = TRIAL_STEPS,
                         .threads = a->threads};
    struct yk_fit_result result;
    enum yk_status st = YK_OK;

    if (!trial || !r) {
        free(trial);
        free(r);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a calibration");
    }
    const size_t count = find_starts(job, p, trial, starts, r);
    for (size_t i = 0; i < count && !*stopped && st != YK_E_MEMORY; i++) {
        *stopped = a->stop && a->stop(a->self);
        if (isfinite(trial[i].cost) && !*stopped && !(st = yk_fit_run(&fit, trial[i].p, &result, err)))
            trial[i].cost = result.cost;
    }
    qsort(trial, count, sizeof *trial, by_cost);
    memcpy(p, trial[0].p, sizeof trial[0].p);
    fit.enough = LAST;
    fit.iterations = LAST_STEPS;
    if (!isfinite(trial[0].cost))
        st = yk_fail(err, YK_E_DIVERGED, "the law has no finite force with the starts of its settings");
    else if (!*stopped)
        st = yk_fit_run(&fit, p, &result, err);
    else
        st = YK_OK;
    free(trial);
    free(r);
    return st;
}

/* ---- result ---- */

/* The common level at p. */
static enum yk_status find_common(const struct yk_calibration_job *job, const double *p, double *common,
                                  struct yk_err *err)
{
    double *force = malloc((job->residuals + 1) * sizeof *force);
    size_t at = 0;

    *common = 1;
    if (!force)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a calibration");
    bool good = true;
    for (size_t i = 0; i < job->ask->run_count && good; at += job->loop[i++].rows)
        good = yk_calibration_force(job, p, i, force + at);
    if (good)
        *common = yk_calibration_common_level(job, force);
    free(force);
    return YK_OK;
}

static enum yk_status fill_run(const struct yk_calibration_job *job, const double *p, size_t i, double common,
                               struct yk_calibrated_run *run, struct yk_err *err)
{
    const struct yk_loop *l = &job->loop[i];
    const struct yk_measured_loop *of =
        i < job->ask->run_count ? &job->ask->runs[i] : &job->ask->held[i - job->ask->run_count];
    double mean = 0, sum = 0;
    size_t moving = 0;

    *run = (struct yk_calibrated_run){.name = of->name,
                                      .over = of->over,
                                      .frequency_Hz = l->frequency_Hz,
                                      .cutoff_Hz = l->cutoff_Hz,
                                      .n = l->rows,
                                      .nrms = NAN};
    if (!(run->t = malloc(5 * l->rows * sizeof *run->t)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a run");
    run->x = run->t + l->rows;
    run->v = run->x + l->rows;
    run->force = run->v + l->rows;
    run->fitted = run->force + l->rows;
    if (!yk_calibration_force(job, p, i, run->fitted))
        return YK_OK; /* a held-out run at which the law has none */
    yk_calibration_residual(job, i, run->fitted, common, run->v, &run->offset, &run->level);
    for (size_t k = 0; k < l->rows; k++)
        if (l->moving[k]) {
            mean += run->v[k];
            moving++;
        }
    for (size_t k = 0; k < l->rows; k++)
        sum += l->moving[k] ? pow(run->v[k] - mean / (double)moving, 2) : 0;
    run->nrms = sqrt(sum / (double)moving);
    for (size_t k = 0; k < l->rows; k++) {
        run->t[k] = (double)(k * l->every) * l->dt;
        run->x[k] = l->x[k * l->every];
        run->v[k] = l->v[k * l->every];
        run->force[k] = l->force[k];
        run->fitted[k] = run->level * run->fitted[k] + run->offset;
    }
    return YK_OK;
}

static enum yk_status report(const struct yk_calibration_job *job, const double *p, struct yk_calibrated *found,
                             struct yk_err *err)
{
    const size_t runs = job->ask->run_count + job->ask->held_count;
    double sum[2] = {0}, common;
    enum yk_status st = find_common(job, p, &common, err);

    if (st)
        return st;
    for (size_t k = 0; k < job->values; k++) {
        found->value[job->value[k].setting][job->value[k].point] = yk_calibration_value(job, p, k);
        found->bounded[job->value[k].setting][job->value[k].point] = p[k] <= job->least[k] || p[k] >= job->most[k];
    }
    if (!(found->run = calloc(runs, sizeof *found->run)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a calibration");
    found->fitted = job->ask->run_count;
    for (; found->runs < runs && !st; found->runs++) {
        st = fill_run(job, p, found->runs, common, &found->run[found->runs], err);
        sum[found->runs >= found->fitted] += found->run[found->runs].nrms;
    }
    found->mean_nrms = sum[0] / (double)found->fitted;
    found->held_nrms = job->ask->held_count ? sum[1] / (double)job->ask->held_count : NAN;
    return st;
}

static enum yk_status check(const struct yk_calibrate_ask *a, struct yk_err *err)
{
    if (a->laws == 0 || a->laws > YK_CALIBRATE_LAWS || a->settings == 0 || a->settings > YK_CALIBRATE_SETTINGS ||
        a->run_count == 0)
        return yk_fail(err, YK_E_INPUT, "a calibration needs a law, settings to fit and runs");
    for (size_t k = 0; k < a->laws; k++)
        if (a->law[k].ops->count > YK_LAW_ROOM)
            return yk_fail(err, YK_E_UNSUPPORTED, "law %s has %zu variables; at most %d", a->law[k].ops->name,
                           a->law[k].ops->count, YK_LAW_ROOM);
    return YK_OK;
}

/* The order in which runs are summed, so that the result does not depend on the order in which they were given. */
static int by_content(const void *a, const void *b)
{
    const struct yk_measured_loop *x = *(const struct yk_measured_loop *const *)a,
                                  *y = *(const struct yk_measured_loop *const *)b;

    if (x->over != y->over)
        return x->over < y->over ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    const int force = memcmp(x->force, y->force, x->n * sizeof *x->force);
    return force ? force : memcmp(x->displacement, y->displacement, x->n * sizeof *x->displacement);
}

static enum yk_status calibrate(const struct yk_calibrate_ask *ask, struct yk_calibrated *found, struct yk_err *err)
{
    const size_t runs = ask->run_count + ask->held_count;
    struct yk_calibration_job job = {.ask = ask};
    double p[YK_FIT_PARAMETERS] = {0};
    enum yk_status st = YK_OK;

    if (!(job.loop = calloc(runs, sizeof *job.loop)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a calibration");
    for (size_t i = 0; i < runs && !st; i++) {
        const bool fitted = i < ask->run_count;

        st = yk_loop_make(&job.loop[i], fitted ? &ask->runs[i] : &ask->held[i - ask->run_count], ask,
                          fitted ? ask->cycles : 0, ROWS, err);
        job.residuals += fitted ? job.loop[i].rows : 0;
    }
    if (!st && !(st = find_unknowns(&job, p, err)) && !(st = descend(&job, p, &found->stopped, err)) &&
        !(st = report(&job, p, found, err)) && !found->stopped)
        st = yk_calibration_spread(&job, p, found, err);
    for (size_t i = 0; i < runs; i++)
        yk_loop_free(&job.loop[i]);
    free(job.loop);
    return st;
}

enum yk_status yk_calibrate(const struct yk_calibrate_ask *ask, struct yk_calibrated *found, struct yk_err *err)
{
    const size_t n = ask->run_count;
    struct yk_calibrate_ask sorted = *ask;
    enum yk_status st = check(ask, err);

    *found = (struct yk_calibrated){.mean_nrms = NAN};
    if (st)
        return st;
    const struct yk_measured_loop **order = calloc(n, sizeof *order);
    struct yk_measured_loop *runs = calloc(n, sizeof *runs);
    struct yk_calibrated_run *given = calloc(n, sizeof *given);
    if (!order || !runs || !given)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a calibration");
    for (size_t i = 0; i < n && !st; i++)
        order[i] = &ask->runs[i];
    if (!st) {
        qsort(order, n, sizeof *order, by_content);
        for (size_t i = 0; i < n; i++)
            runs[i] = *order[i];
        sorted.runs = runs;
        st = calibrate(&sorted, found, err);
    }
    if (!st) {
        for (size_t i = 0; i < n; i++)
            given[order[i] - ask->runs] = found->run[i];
        memcpy(found->run, given, n * sizeof *given);
    }
    free(order);
    free(runs);
    free(given);
    if (st)
        yk_calibrated_free(found);
    return st;
}

void yk_calibrated_free(struct yk_calibrated *found)
{
    for (size_t i = 0; i < found->runs; i++)
        free(found->run[i].t);
    free(found->run);
    found->run = NULL;
    found->runs = 0;
}
