/* Identification of an actuator from recordings: candidates of every order, the lowest one that is as good as the best
 * on what it was not fitted to, refined in time. docs/measured.md, section 2; docs/theory/control.md, eq. (77)-(81). */
#include <yoke/measured.h>
#include <yoke/parallel.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_HZ  0.1  /* of the bands that are fitted */
#define COHERENT  0.8  /* less is no answer to the command */
#define POWERFUL  1e-3 /* of the largest power of the command */
#define AS_GOOD   1.05 /* held-out NRMS over the best one */
#define MATTERS   0.99 /* held-out NRMS with a lead over that without */
#define CANCELLED 0.1  /* distance of a pole and a zero over the pole */

enum { BANDS = 8, MOST_POINTS = 600 };

struct work {
    const struct yk_identify_ask *ask;
    struct yk_actuator_found *found;
    struct yk_actuator_record *train, *held; /* of the choice */
    size_t train_count, held_count;
    struct yk_frequency_point *points; /* of train, later of all records; `each` for a record */
    double *weight;
    size_t each, count;
    enum yk_status st[YK_CANDIDATES];
};

static enum yk_status find_points(struct work *w, const struct yk_actuator_record *records, size_t count,
                                  struct yk_err *err)
{
    const double from = w->found->from_Hz, to = w->found->to_Hz;
    double f[MOST_POINTS];

    w->each = (size_t)fmin(fmax(ceil((to - from) / WIDTH_HZ), 8), MOST_POINTS);
    w->count = count * w->each;
    const double half = 0.5 * (to - from) / (double)w->each;
    for (size_t i = 0; i < w->each; i++)
        f[i] = from + half * (double)(2 * i + 1);
    for (size_t r = 0; r < count; r++) {
        struct yk_frequency_point *p = w->points + r * w->each;
        const enum yk_status st = yk_frequency_points_of(&records[r], 1, half, f, w->each, p, err);
        double total = 0;

        if (st)
            return st;
        for (size_t i = 0; i < w->each; i++)
            total += p[i].power > 0 ? p[i].power * pow(cabs(p[i].H), 2) : 0;
        for (size_t i = 0; i < w->each; i++)
            w->weight[r * w->each + i] = total > 0 ? 1 / total : 0;
    }
    return YK_OK;
}

/* The range in which the command has power and the motion follows it. */
static enum yk_status find_band(struct work *w, struct yk_err *err)
{
    const struct yk_identify_ask *a = w->ask;
    double f[MOST_POINTS], from = INFINITY, to = 0, most_power = 0, limit = 0;
    struct yk_frequency_point p[MOST_POINTS];
    enum yk_status st = YK_OK;

    w->found->from_Hz = a->from_Hz;
    w->found->to_Hz = a->to_Hz;
    if (a->to_Hz > 0)
        return YK_OK;
    for (size_t r = 0; r < a->count; r++)
        limit = fmax(limit, 0.25 / a->records[r].step_s);
    for (size_t i = 0; i < MOST_POINTS; i++)
        f[i] = 0.15 + fmin(limit, 60) * (double)i / MOST_POINTS;
    for (size_t r = 0; r < a->count && !st; r++) {
        if ((st = yk_frequency_points_of(&a->records[r], 1, 0.1, f, MOST_POINTS, p, err)))
            return st;
        for (size_t i = 0; i < MOST_POINTS; i++)
            most_power = fmax(most_power, p[i].power);
        for (size_t i = 0; i < MOST_POINTS; i++)
            if (p[i].power > POWERFUL * most_power && p[i].coherence > COHERENT) {
                from = fmin(from, f[i] - 0.05);
                to = fmax(to, f[i] + 0.1);
            }
    }
    if (!(to > from))
        return yk_fail(err, YK_E_INPUT,
                       "%s: the motion does not follow the command at any frequency (coherence below %g); are these "
                       "the right columns?",
                       a->records[0].name, COHERENT);
    if (!(a->from_Hz > 0))
        w->found->from_Hz = fmax(from, 0.1);
    w->found->to_Hz = to;
    return YK_OK;
}

/* Without files that are held out, the last third of each record is. */
static enum yk_status divide(struct work *w, struct yk_err *err)
{
    const struct yk_identify_ask *a = w->ask;
    const size_t n = a->count + a->held_count;

    w->found->by_third = a->held_count == 0;
    w->train = calloc(a->count + n, sizeof *w->train);
    w->points = calloc(a->count * MOST_POINTS, sizeof *w->points);
    w->weight = calloc(a->count * MOST_POINTS, sizeof *w->weight);
    if (!w->train || !w->points || !w->weight)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    w->held = w->train + a->count;
    w->train_count = a->count;
    memcpy(w->train, a->records, a->count * sizeof *w->train);
    w->held_count = w->found->by_third ? a->count : a->held_count;
    memcpy(w->held, w->found->by_third ? a->records : a->held, w->held_count * sizeof *w->held);
    for (size_t r = 0; r < a->count && w->found->by_third; r++) {
        w->train[r].n = 2 * a->records[r].n / 3;
        w->held[r].from = w->train[r].n;
    }
    return YK_OK;
}

/* Root of the mean square of the NRMS of the records. */
static double nrms_of(const struct yk_rational *m, const struct yk_actuator_record *records, size_t count)
{
    double sum = 0;

    for (size_t r = 0; r < count; r++) {
        struct yk_fit_quality q;

        if (yk_model_quality(m, &records[r], &q, NULL, NULL))
            return NAN;
        sum += q.nrms * q.nrms;
    }
    return sqrt(sum / (double)count);
}

static void judge(const struct work *w, struct yk_candidate *c, bool bounded)
{
    double complex poles[YK_RATIONAL_ORDER], zeros[YK_RATIONAL_ORDER];
    const double half_rate = 0.5 / w->train[0].step_s;

    if (bounded)
        snprintf(c->struck, sizeof c->struck, "a pole at the bound of the search");
    if (yk_rational_roots(&c->model, poles, zeros, NULL))
        return;
    for (int i = 0; i < c->model.poles; i++) {
        const double f = cabs(poles[i]) / (2 * M_PI);

        if (f > half_rate)
            snprintf(c->struck, sizeof c->struck, "a pole at %.3g Hz, above half the sampling rate", f);
        for (int j = 0; j < c->model.zeros; j++)
            if (cabs(poles[i] - zeros[j]) < CANCELLED * cabs(poles[i]))
                snprintf(c->struck, sizeof c->struck, "pole %.3g Hz and zero %.3g Hz cancel", f,
                         cabs(zeros[j]) / (2 * M_PI));
    }
}

static void fit_candidate(void *self, size_t k)
{
    struct work *w = self;
    struct yk_candidate *c = &w->found->candidate[k];
    const struct yk_rational_ask ask = {.poles = c->model.poles, .zeros = c->model.zeros};
    struct yk_rational_fit fit;

    if ((w->st[k] = yk_rational_search(w->points, w->count, w->weight, &ask, &fit, NULL)))
        return;
    c->model = fit.model;
    c->nrms = nrms_of(&c->model, w->train, w->train_count);
    c->held_nrms = nrms_of(&c->model, w->held, w->held_count);
    judge(w, c, fit.bounded);
}

static enum yk_status choose(struct work *w, struct yk_err *err)
{
    struct yk_actuator_found *f = w->found;
    const int lowest = w->ask->lowest > 0 ? w->ask->lowest : 1;
    const int highest = w->ask->highest > 0 ? w->ask->highest : lowest > 4 ? lowest : 4;
    double best = INFINITY;

    if (highest > YK_CANDIDATE_ORDER || lowest > highest)
        return yk_fail(err, YK_E_RANGE, "orders %d to %d: at most %d, rising", lowest, highest, YK_CANDIDATE_ORDER);
    for (int poles = lowest; poles <= highest; poles++)
        for (int zeros = 0; zeros < poles; zeros++)
            f->candidate[f->candidates++] =
                (struct yk_candidate){.model = {.poles = poles, .zeros = zeros}, .nrms = NAN, .held_nrms = NAN};
    yk_parallel(f->candidates, w->ask->threads, fit_candidate, w);
    for (size_t k = 0; k < f->candidates; k++) {
        struct yk_candidate *c = &f->candidate[k];

        if (w->st[k] == YK_E_MEMORY)
            return yk_fail(err, YK_E_MEMORY, "out of memory for a fit");
        if (w->st[k] || !isfinite(c->held_nrms))
            snprintf(c->struck, sizeof c->struck, "no fit");
        if (!*c->struck)
            best = fmin(best, c->held_nrms);
    }
    for (f->chosen = 0; f->chosen < f->candidates; f->chosen++)
        if (!*f->candidate[f->chosen].struck && f->candidate[f->chosen].held_nrms <= AS_GOOD * best)
            return YK_OK;
    return yk_fail(err, YK_E_INPUT, "no model of order %d to %d fits the record", lowest, highest);
}

/* ---- what the model says ---- */

/* Columns that are swapped, or of which one has the other sign, are no actuator. */
static enum yk_status refuse_odd(const struct work *w, struct yk_err *err)
{
    const char *name = w->ask->records[0].name;
    double late = 0, total = 0, along = 0;

    for (size_t i = 0; i < w->count; i++) {
        const struct yk_frequency_point *p = &w->points[i];
        const double share = p->power > 0 && isfinite(p->delay_s) ? w->weight[i] * p->power : 0;

        if (share == 0)
            continue;
        if (i % w->each < (w->each + 3) / 4) /* at low frequency, where an actuator follows */
            along += share * creal(p->H);
        late += share * p->delay_s;
        total += share;
    }
    if (along < 0)
        return yk_fail(err, YK_E_INPUT,
                       "%s: gain negative: the motion goes against the command; one of the columns has the wrong sign",
                       name);
    if (late < -0.5 * w->ask->records[0].step_s * total)
        return yk_fail(err, YK_E_INPUT, "%s: the motion leads the command by %.1f ms; are the columns swapped?", name,
                       -1e3 * late / total);
    return YK_OK;
}

/* Spread of the parameters of the chosen kind, leaving out one of eight bands of the sweep at a time; at least that of
 * a white residual. */
static void spread_over_bands(struct work *w, const struct yk_rational *white)
{
    const struct yk_rational *m = &w->found->model;
    const struct yk_rational_ask ask = {.poles = m->poles, .zeros = m->zeros};
    double *weight = malloc(w->count * sizeof *weight), x[3][BANDS],
           *out[] = {&w->found->spread.gain, &w->found->spread.a[1], &w->found->spread.dead_time_s};
    const double least[] = {white->gain, white->a[1], white->dead_time_s};
    size_t fits = 0;

    for (int band = 0; band < BANDS && weight; band++) {
        struct yk_rational_fit fit;

        for (size_t i = 0; i < w->count; i++)
            weight[i] = (i % w->each) * BANDS / w->each == (size_t)band ? 0 : w->weight[i];
        if (yk_rational_search(w->points, w->count, weight, &ask, &fit, NULL))
            continue;
        x[0][fits] = fit.model.gain;
        x[1][fits] = fit.model.a[1];
        x[2][fits++] = fit.model.dead_time_s;
    }
    free(weight);
    for (int k = 0; k < 3; k++) {
        double mean = 0, sum = 0;

        for (size_t i = 0; i < fits; i++)
            mean += x[k][i] / (double)fits;
        for (size_t i = 0; i < fits; i++)
            sum += pow(x[k][i] - mean, 2);
        *out[k] = fits > 1 ? fmax(sqrt(sum * (double)(fits - 1) / (double)fits), least[k]) : NAN; /* jackknife */
    }
}

/* Spread over several records, each fitted alone: usually larger than the spread over the bands of one. */
static void spread_over_records(struct work *w)
{
    const struct yk_identify_ask *a = w->ask;
    double x[4][64], mean[4] = {0}, sum[4] = {0};
    struct yk_rational *s = &w->found->spread;
    size_t n = 0;

    s->lead = NAN;
    for (size_t r = 0; r < a->count && n < 64; r++) {
        struct yk_rational m = w->found->model;

        if (m.poles != 1 || yk_lag_refine(&a->records[r], 1, m.lead != 0, &m, NULL))
            return;
        x[0][n] = m.gain;
        x[1][n] = m.a[1];
        x[2][n] = m.dead_time_s;
        x[3][n++] = m.lead;
    }
    for (size_t i = 0; i < 4 * n; i++)
        mean[i / n] += x[i / n][i % n] / (double)n;
    for (size_t i = 0; i < 4 * n; i++)
        sum[i / n] += pow(x[i / n][i % n] - mean[i / n], 2);
    if (n < 2)
        return;
    for (int k = 0; k < 4; k++)
        sum[k] = sqrt(sum[k] / (double)(n - 1));
    s->gain = fmax(s->gain, sum[0]);
    s->a[1] = fmax(s->a[1], sum[1]);
    s->dead_time_s = fmax(s->dead_time_s, sum[2]);
    s->lead = w->found->model.lead != 0 ? sum[3] : NAN;
}

/* Size of the motion that was held out, over that of the records. */
static double share_of(const struct work *w)
{
    double sum = 0;

    for (size_t r = 0; r < w->held_count; r++) {
        struct yk_fit_quality q;

        if (yk_model_quality(&w->found->model, &w->held[r], &q, NULL, NULL))
            return NAN;
        sum += q.share * q.share;
    }
    return sqrt(sum / (double)w->held_count);
}

/* A lag may be quicker in one direction; that stays if it also holds on what was not fitted. */
static enum yk_status refine(struct work *w, struct yk_err *err)
{
    const struct yk_identify_ask *a = w->ask;
    struct yk_actuator_found *f = w->found;
    enum yk_status st;

    f->without_lead = nrms_of(&f->model, a->records, a->count);
    f->held_without_lead = f->candidate[f->chosen].held_nrms;
    f->nrms = f->without_lead;
    f->held_nrms = f->held_without_lead;
    if (f->model.poles != 1)
        return YK_OK;
    struct yk_rational plain = f->model, trained = f->candidate[f->chosen].model, lead;
    if ((st = yk_lag_refine(a->records, a->count, false, &plain, err)) ||
        (st = yk_lag_refine(w->train, w->train_count, false, &trained, err)))
        return st;
    const double without = nrms_of(&trained, w->held, w->held_count);
    lead = plain;
    if ((st = yk_lag_refine(w->train, w->train_count, true, &trained, err)) ||
        (st = yk_lag_refine(a->records, a->count, true, &lead, err)))
        return st;
    const double with = nrms_of(&trained, w->held, w->held_count);
    if (!(with < MATTERS * without))
        return YK_OK; /* the same both ways: the fit over frequency stands */
    f->without_lead = nrms_of(&plain, a->records, a->count);
    f->held_without_lead = without;
    f->model = lead;
    f->nrms = nrms_of(&lead, a->records, a->count);
    f->held_nrms = with;
    return YK_OK;
}

enum yk_status yk_identify_actuator(const struct yk_identify_ask *ask, struct yk_actuator_found *found,
                                    struct yk_err *err)
{
    struct work w = {.ask = ask, .found = found};
    struct yk_rational_fit fit;
    enum yk_status st;

    *found = (struct yk_actuator_found){0};
    if (!(st = divide(&w, err)) && !(st = find_band(&w, err)) && !(st = find_points(&w, w.train, w.train_count, err)) &&
        !(st = refuse_odd(&w, err)) && !(st = choose(&w, err)) &&
        !(st = find_points(&w, ask->records, ask->count, err))) {
        const struct yk_rational *m = &found->candidate[found->chosen].model;

        st = yk_rational_search(w.points, w.count, w.weight,
                                &(struct yk_rational_ask){.poles = m->poles, .zeros = m->zeros}, &fit, err);
        if (!st) {
            found->model = fit.model;
            st = refine(&w, err);
        }
        if (!st) {
            found->held_share = share_of(&w);
            spread_over_bands(&w, &fit.white);
            spread_over_records(&w);
        }
    }
    free(w.train);
    free(w.points);
    free(w.weight);
    return st;
}
