/* Targets through compensators and the machine, tick by tick; recorded signals through estimators. */
#include "replay.h"

#include <yoke/yoke.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOW_HZ 5.0
#define WINDOW  2.0 /* [s] about a moment */
#define WARM    2.0 /* [s] before the part that is judged, for the memories of compensators */

/* ---- which ones ---- */

static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == length && strncmp(p, name, length) == 0)
            return true;
    return list && strcmp(list, "all") == 0;
}

static struct trial *add(struct job *j, const char *name, double delay, struct yk_err *err)
{
    struct trial *t = &j->trial[j->trials];

    if (j->trials == TRIALS)
        return NULL;
    *t = (struct trial){.delay = delay, .nrms = NAN, .slow_nrms = NAN, .largest = NAN, .test_nrms = NAN};
    if (strcmp(name, "none") != 0) {
        t->ops = yk_compensator_find(name);
        if (yk_param_settings(t->ops->params, t->ops->size, &t->settings, err))
            return NULL;
    }
    snprintf(t->text, sizeof t->text, t->ops ? "{ kind: %s, delay: %.9g }" : "{ kind: %s }", name, delay);
    j->trials++;
    return t;
}

/* The lag of the machine inverted, with a delay beyond time constant and dead time. */
static enum yk_status add_inverse(struct job *j, double beyond, struct yk_err *err)
{
    const struct yk_rational *m = &j->model;
    struct trial *t = add(j, "model-inverse", m->a[1] + m->dead_time_s + beyond, err);
    const double w = m->poles == 2 ? 1 / sqrt(m->a[2]) : 0;
    enum yk_status st;

    if (!t)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a compensator");
    if ((st = yk_param_set(t->ops->params, t->settings, "model", m->poles == 2, err)) ||
        (st = yk_param_set(t->ops->params, t->settings, "gain", m->gain, err)))
        return st;
    if (m->poles == 2) {
        snprintf(t->text, sizeof t->text,
                 "{ kind: model-inverse, model: second, gain: %.9g, frequency: %.9g, damping: %.9g, delay: %.9g }",
                 m->gain, w / (2 * M_PI), 0.5 * m->a[1] * w, t->delay);
        st = yk_param_set(t->ops->params, t->settings, "frequency", w / (2 * M_PI), err);
        return st ? st : yk_param_set(t->ops->params, t->settings, "damping", 0.5 * m->a[1] * w, err);
    }
    snprintf(t->text, sizeof t->text,
             "{ kind: model-inverse, model: first, gain: %.9g, time_constant: %.9g, delay: %.9g }", m->gain, m->a[1],
             t->delay);
    return yk_param_set(t->ops->params, t->settings, "time_constant", m->a[1], err);
}

static enum yk_status add_lagrange(struct job *j, double delay, struct yk_err *err)
{
    struct trial *t = add(j, "lagrange", delay, err);

    if (!t)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a compensator");
    snprintf(t->text, sizeof t->text, "{ kind: lagrange, order: 3, delay: %.9g }", delay);
    return yk_param_set(t->ops->params, t->settings, "order", 3, err);
}

static enum yk_status check_names(const char *list, bool compensators, struct yk_err *err)
{
    for (const char *p = list; p && *p && strcmp(list, "all") != 0; p += strcspn(p, ","), p += *p == ',') {
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, ","), p);
        if (compensators ? strcmp(name, "none") != 0 && !yk_compensator_find(name) : !yk_estimator_find(name))
            return yk_fail(err, YK_E_INPUT, "'%s' is not a%s; see `yoke list %s`", name,
                           compensators ? " compensator" : "n estimator", compensators ? "compensators" : "estimators");
    }
    return YK_OK;
}

enum yk_status replay_choose(struct job *j, struct yk_err *err)
{
    const char *wanted = j->options->compensators ? j->options->compensators : "none,lagrange,model-inverse";
    const char *estimators = j->options->estimators ? j->options->estimators : "all";
    const double slow = j->model.a[1] + j->model.dead_time_s;
    double fit[3], delay;
    enum yk_status st;

    if ((st = check_names(wanted, true, err)) || (st = check_names(estimators, false, err)))
        return st;
    if (listed(wanted, "none") && !add(j, "none", 0, err))
        return YK_E_MEMORY;
    for (size_t i = 0; listed(wanted, "lagrange") && i < j->options->delays.count; i++)
        if ((st = yk_quantity_parse(j->options->delays.text[i], YK_TIME, &delay, err)) ||
            (st = add_lagrange(j, delay, err)))
            return st;
    if (listed(wanted, "lagrange")) {
        if (!yk_delay_between(j->n, j->h, j->log.column[0].x, j->log.column[1].x, 0, fit, NULL) &&
            (st = add_lagrange(j, fit[0], err)))
            return st;
        if ((st = add_lagrange(j, slow, err)))
            return st;
    }
    /* A held command is half a tick late, and its target is known a tick before it is due. */
    if (listed(wanted, "model-inverse") &&
        ((st = add_inverse(j, 0.5 * j->h, err)) || (st = add_inverse(j, -0.5 * j->h, err))))
        return st;
    for (const struct yk_compensator_ops *const *c = yk_compensators; *c; c++)
        if (listed(wanted, (*c)->name) && !(*c)->joint && strcmp((*c)->name, "lagrange") != 0 &&
            strcmp((*c)->name, "model-inverse") != 0 && strcmp((*c)->name, "none") != 0 &&
            !yk_param_needs_file((*c)->params) && !add(j, (*c)->name, slow, err))
            return YK_E_MEMORY;
    for (const struct yk_estimator_ops *const *e = yk_estimators; *e && j->estimates < ESTIMATORS; e++)
        if (listed(estimators, (*e)->name))
            j->estimate[j->estimates++].ops = *e;
    return YK_OK;
}

/* ---- tracking ---- */

static double nrms_of(const double *y, const double *r, size_t from, size_t to)
{
    double mean = 0, square = 0, mr = 0, rr = 0;

    for (size_t k = from; k < to; k++) {
        mean += (y[k] - r[k]) / (double)(to - from);
        mr += r[k] / (double)(to - from);
    }
    for (size_t k = from; k < to; k++) {
        square += pow(y[k] - r[k] - mean, 2);
        rr += (r[k] - mr) * (r[k] - mr);
    }
    return sqrt(square / rr);
}

/* Mean frequency of the command between two rows, from its upward crossings; NaN: it rests, or has too few. */
static double frequency_in(const struct job *j, size_t from, size_t to)
{
    double mean = 0, square = 0;
    size_t first = 0, last = 0, count = 0;
    bool below = false;

    for (size_t k = from; k < to; k++)
        mean += j->u[k] / (double)(to - from);
    for (size_t k = from; k < to; k++)
        square += pow(j->u[k] - mean, 2) / (double)(to - from);
    for (size_t k = from; k < to; k++) {
        below |= j->u[k] - mean < -0.3 * sqrt(square);
        if (below && j->u[k] > mean) {
            first = first ? first : k;
            last = k;
            count++;
            below = false;
        }
    }
    return count > 1 && sqrt(square) > 0.05 * j->largest_target ? (double)(count - 1) / ((double)(last - first) * j->h)
                                                                : NAN;
}

/* The first window of the record in which the command is faster than 5 Hz begins here. */
static size_t slow_end(const struct job *j)
{
    const size_t window = (size_t)(WINDOW / j->h);

    for (size_t k = j->from; k + window <= j->n; k += window)
        if (frequency_in(j, k, k + window) > SLOW_HZ)
            return k;
    return j->n;
}

/* As in a run: the target for the end of a tick is known when the tick begins. */
static enum yk_status track(struct job *j, struct trial *t, size_t slow, struct yk_err *err)
{
    struct yk_arena mem = {0};
    void *plant = yk_arena_take(&mem, j->plant->size), *self = t->ops ? yk_arena_take(&mem, t->ops->size) : NULL;
    const size_t warm = (size_t)(WARM / j->h), begin = j->from > warm ? j->from - warm : 0;
    double largest = 0;
    enum yk_status st = YK_OK;

    if (!(t->y = calloc(j->n, sizeof *t->y)) || !plant || (t->ops && !self)) {
        yk_arena_free(&mem);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a replay");
    }
    memcpy(plant, j->plant_settings, j->plant->size);
    if (t->ops)
        memcpy(self, t->settings, t->ops->size);
    if (!(st = j->plant->init(plant, j->h, &mem, err)) && t->ops)
        st = t->ops->init(self, j->h, 1, &mem, err);
    if (!st) {
        j->plant->reset(plant, j->target[begin]);
        if (t->ops)
            t->ops->reset(self, j->target[begin]);
    }
    t->y[begin] = j->target[begin];
    for (size_t k = begin; !st && k + 1 < j->n; k++) {
        const size_t next = k + 1, after = k + 2 < j->n ? k + 2 : next;
        const struct yk_target due = {
            .x = j->target[next], .v = (j->target[after] - j->target[k]) / ((double)(after - k) * j->h), .stages = 1};
        const double u = t->ops ? t->ops->predict(self, &due, t->delay) : due.x;
        struct yk_plant_output out;

        j->plant->step(plant, u, 0, &out);
        t->y[k + 1] = out.x;
        largest = k >= j->from ? fmax(largest, fabs(u)) : 0;
        if (t->ops && t->ops->learn)
            t->ops->learn(self, out.x);
    }
    if (!st) {
        t->largest = largest / j->largest_target;
        t->nrms = nrms_of(t->y, j->target, j->from, j->n);
        t->slow_nrms = (double)(slow - j->from) * j->h > 2 ? nrms_of(t->y, j->target, j->from, slow) : NAN;
    }
    if (t->ops && t->ops->fini)
        t->ops->fini(self);
    if (j->plant->fini)
        j->plant->fini(plant);
    yk_arena_free(&mem);
    return st ? yk_fail_within(err, YK_NOWHERE, "%s: ", t->text) : YK_OK;
}

/* The machine of the file, tick by tick, under the recorded command: its motion against the recorded one. A command
 * that goes straight from row to row is, in the mean, halfway during a tick. */
static enum yk_status follow(struct job *j, struct yk_err *err)
{
    struct yk_arena mem = {0};
    void *plant = yk_arena_take(&mem, j->plant->size);
    double *y = malloc(j->n * sizeof *y);
    enum yk_status st = plant && y ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a replay");

    if (!st) {
        memcpy(plant, j->plant_settings, j->plant->size);
        st = j->plant->init(plant, j->h, &mem, err);
    }
    if (!st)
        j->plant->reset(plant, y[0] = j->u[0]);
    for (size_t k = 0; !st && k + 1 < j->n; k++) {
        struct yk_plant_output out;

        j->plant->step(plant, 0.5 * (j->u[k] + j->u[k + 1]), 0, &out);
        y[k + 1] = out.x;
    }
    if (!st)
        j->model_nrms = nrms_of(y, j->x, j->from, j->n);
    if (!st && j->plant->fini)
        j->plant->fini(plant);
    free(y);
    yk_arena_free(&mem);
    return st;
}

enum yk_status replay_track(struct job *j, struct yk_err *err)
{
    double largest = 0;

    for (size_t k = j->from; k < j->n; k++) {
        j->largest_target = fmax(j->largest_target, fabs(j->target[k]));
        largest = fmax(largest, fabs(j->u[k]));
    }
    const size_t slow = slow_end(j); /* knows rest by the largest target */
    j->slow_until = j->log.time[slow < j->n ? slow : j->n - 1];
    j->machine_nrms = nrms_of(j->x, j->target, j->from, j->n);
    j->machine_slow = (double)(slow - j->from) * j->h > 2 ? nrms_of(j->x, j->target, j->from, slow) : NAN;
    j->machine_largest = largest / j->largest_target;
    if (follow(j, err))
        return err->status;
    for (size_t i = 0; i < j->trials; i++) {
        struct yk_err own = {0};

        if (track(j, &j->trial[i], slow, &own) == YK_E_MEMORY)
            return yk_fail(err, YK_E_MEMORY, "out of memory for a replay"); /* others are not replayed, and stay NaN */
    }
    return YK_OK;
}

/* ---- estimators ---- */

/* y = a u + b u' + c by least squares over a window; -b/a. u: the command without its steps, which a derivative would
 * turn into noise. */
static double taylor(const struct job *j, size_t from, size_t to)
{
    double n = 0, m[3] = {0}, uu = 0, uv = 0, vv = 0, uy = 0, vy = 0;

    for (size_t k = from + 1; k + 1 < to; k++, n++) {
        m[0] += j->target[k];
        m[1] += (j->target[k + 1] - j->target[k - 1]) / (2 * j->h);
        m[2] += j->x[k];
    }
    for (size_t k = from + 1; k + 1 < to; k++) {
        const double u = j->target[k] - m[0] / n, v = (j->target[k + 1] - j->target[k - 1]) / (2 * j->h) - m[1] / n,
                     y = j->x[k] - m[2] / n;

        uu += u * u, uv += u * v, vv += v * v, uy += u * y, vy += v * y;
    }
    return -(uu * vy - uv * uy) / (vv * uy - uv * vy);
}

static void find_moments(struct job *j)
{
    const size_t half = (size_t)(0.5 * WINDOW / j->h);

    for (int i = 0; i < MOMENTS; i++) {
        const size_t k = j->from + (size_t)((i + 0.5) * (double)(j->n - j->from) / MOMENTS);
        struct moment *m = &j->moment[j->moments];

        if (k < j->from + half || k + half >= j->n)
            continue;
        m->time = j->log.time[k];
        m->frequency_Hz = frequency_in(j, k - half, k + half);
        if (!isfinite(m->frequency_Hz))
            continue;
        m->phase_delay = replay_phase_delay(j, m->frequency_Hz);
        m->taylor = taylor(j, k - half, k + half);
        j->moments++;
    }
}

static enum yk_status estimate(struct job *j, struct estimate *e, struct yk_err *err)
{
    struct yk_arena mem = {0};
    void *settings = NULL, *self = yk_arena_take(&mem, e->ops->size);
    enum yk_status st = self ? yk_param_settings(e->ops->params, e->ops->size, &settings, err)
                             : yk_fail(err, YK_E_MEMORY, "out of memory for an estimator");
    size_t next = 0;

    for (int i = 0; i < MOMENTS; i++)
        e->at[i] = NAN;
    if (!st) {
        memcpy(self, settings, e->ops->size);
        st = e->ops->init(self, j->h, &mem, err);
    }
    if (!st)
        e->ops->reset(self, j->model.dead_time_s + j->model.a[1]);
    for (size_t k = j->from; !st && k < j->n; k++) {
        const double tau = e->ops->update(self, &(struct yk_tracking){j->target[k], j->u[k], j->x[k]});

        if (next < j->moments && j->log.time[k] >= j->moment[next].time)
            e->at[next++] = tau;
    }
    if (!st && e->ops->fini)
        e->ops->fini(self);
    free(settings);
    yk_arena_free(&mem);
    return st;
}

enum yk_status replay_estimate(struct job *j, struct yk_err *err)
{
    find_moments(j);
    for (size_t i = 0; i < j->estimates; i++) {
        struct yk_err own = {0};

        if (estimate(j, &j->estimate[i], &own) == YK_E_MEMORY)
            return yk_fail(err, YK_E_MEMORY, "out of memory for an estimator");
    }
    return YK_OK;
}
