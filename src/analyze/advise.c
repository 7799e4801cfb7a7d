/* Compensators compared by rehearsals. docs/benchmarks.md has the same comparison for a plant that everybody knows.
 *
 * The response of the actuator without a compensator is taken at a few frequencies about that of the structure. Its
 * inverse, as a polynomial
 *
 *     1/H(i w) = a_0 + a_1 i w + a_2 (i w)^2 + a_3 (i w)^3
 *
 * by least squares, is what `feed-forward` needs; its delay is what predictors need. */
#include "analyze/advise.h"

#include "analyze/analyze.h"
#include "analyze/identify.h"

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI    6.283185307179586
#define AMPLITUDE 1e-3 /* m: small, so that nothing saturates */
#define CLOSE     1.2  /* times the smallest error: as good */
enum { POINTS = 5 };

/* The experiment with another compensator, or without (section NULL). */
static enum yk_status with_compensator(const struct yk_experiment *e, size_t actuator, const char *section,
                                       struct yk_experiment **other, struct yk_err *err)
{
    char compensator[480], estimator[120], feedback[120];
    const char *name = yk_station_name(e->station, actuator), *set[] = {compensator, estimator, feedback};

    snprintf(compensator, sizeof compensator, "transfer.%s.compensator=%s", name, section ? section : "{kind: none}");
    snprintf(estimator, sizeof estimator, "transfer.%s.estimator={kind: none}", name);
    snprintf(feedback, sizeof feedback, "transfer.%s.feedback={kind: latest}", name); /* others need a compensator */
    return yk_experiment_set(e, set, section ? 2 : 3, other, err);
}

/* ---- the actuator ---- */

/* x := A^-1 x by elimination with pivots, order n <= 2 */
static void solve2(double A[2][2], double *x)
{
    const double det = A[0][0] * A[1][1] - A[0][1] * A[1][0], x0 = x[0];

    x[0] = (A[1][1] * x0 - A[0][1] * x[1]) / det;
    x[1] = (A[0][0] * x[1] - A[1][0] * x0) / det;
}

/* y = p_0 + p_1 z by least squares */
static void fit_line(const double *z, const double *y, double *p)
{
    double A[2][2] = {{0}};

    p[0] = p[1] = 0;
    for (int i = 0; i < POINTS; i++) {
        A[0][0] += 1;
        A[0][1] += z[i];
        A[1][1] += z[i] * z[i];
        p[0] += y[i];
        p[1] += z[i] * y[i];
    }
    A[1][0] = A[0][1];
    solve2(A, p);
}

static void invert(const struct yk_response *r, double *a)
{
    double z[POINTS], even[POINTS], odd[POINTS], p[2];

    for (int i = 0; i < POINTS; i++) {
        const double w = TWO_PI * r[i].frequency_Hz;
        const double complex inverse = cexp(-I * r[i].phase_rad) / r[i].magnitude;

        z[i] = -w * w;
        even[i] = creal(inverse);
        odd[i] = cimag(inverse) / w;
    }
    fit_line(z, even, p);
    a[0] = p[0];
    a[2] = p[1];
    fit_line(z, odd, p);
    a[1] = p[0];
    a[3] = p[1];
}

/* What the compensators add by themselves is not theirs to invert: filter of the reading, play-out. */
static void take_away(struct yk_response *r, double delay_s)
{
    r->phase_rad += TWO_PI * r->frequency_Hz * delay_s;
    r->delay_s -= delay_s;
}

static enum yk_status look(const struct yk_experiment *e, size_t actuator, struct yk_advice *out, struct yk_err *err)
{
    static const double share[POINTS] = {0.5, 1, 2, 3, 4};
    struct yk_experiment *bare, *moved;
    struct yk_response r[POINTS];
    double f[POINTS];
    enum yk_status st;

    if ((st = with_compensator(e, actuator, NULL, &bare, err)))
        return st;
    if (!(st = yk_experiment_instance(bare, &moved, err))) {
        const double highest = 0.1 / e->time.step; /* ten targets in a period */

        out->frequency_Hz = fmin(out->frequency_Hz, highest / share[POINTS - 1]);
        for (int i = 0; i < POINTS; i++)
            f[i] = share[i] * out->frequency_Hz;
        st = yk_frequency_response(moved->station, actuator, AMPLITUDE, POINTS, f, r, err);
        for (int i = 0; !st && i < POINTS; i++)
            take_away(&r[i], yk_station_seen_delay(moved->station, actuator));
        yk_experiment_release(moved);
    }
    yk_experiment_destroy(bare);
    if (st)
        return st;
    out->gain = r[1].magnitude;
    out->delay_s = r[1].delay_s;
    out->delay_high_s = r[POINTS - 1].delay_s;
    invert(r, out->inverse);
    return YK_OK;
}

/* ---- candidates ---- */

static void add(struct yk_advice *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct yk_advice *a, const char *format, ...)
{
    struct yk_candidate *c = &a->candidates[a->count++];
    va_list words;

    *c = (struct yk_candidate){.nrms = NAN};
    va_start(words, format);
    vsnprintf(c->section, sizeof c->section, format, words);
    va_end(words);
}

/* Targets that are much closer than the delay are used further apart. */
static void list_candidates(const struct yk_experiment *e, struct yk_advice *a)
{
    const double ms = 1e3 * fmax(a->delay_s, 0), *p = a->inverse;
    char apart[40] = "", near[40] = "";

    if (a->delay_s > 20 * e->time.step) {
        snprintf(apart, sizeof apart, ", apart: %.3g ms", ms / 3);
        snprintf(near, sizeof near, ", apart: %.3g ms", ms / 12);
    }
    add(a, "{ kind: lagrange, order: 2, delay: %.4g ms%s }", ms, apart);
    add(a, "{ kind: lagrange, order: 3, delay: %.4g ms%s }", ms, apart);
    add(a, "{ kind: velocity, delay: %.4g ms }", ms);
    add(a, "{ kind: ats, delay: %.4g ms%s }", ms, near);
    add(a, "{ kind: cats, delay: %.4g ms%s, frequency: %.3g Hz }", ms, near, a->frequency_Hz);
    add(a, "{ kind: feed-forward, coefficients: [%.6g, %.6g, %.6g, %.6g]%s }", p[0], p[1], p[2], p[3], near);
    add(a, "{ kind: feed-forward, coefficients: [%.6g, %.6g, %.6g, %.6g], adapt: rls, cutoff: %.4g Hz%s }", p[0], p[1],
        p[2], p[3], fmin(10 * a->frequency_Hz, 0.2 / e->time.step), near);
}

static void rehearse(const struct yk_plan *plan, size_t actuator, double budget_s, struct yk_candidate *c)
{
    struct yk_rehearsal r = {0};
    struct yk_err err = {0};

    if (yk_rehearse(plan, budget_s, false, &r, &err)) {
        snprintf(c->refused, sizeof c->refused, "%.190s", yk_err_line(&err).text);
    } else {
        c->tried = true;
        c->finished = r.complete;
        c->nrms = r.complete ? r.peaks[actuator].tracking : NAN;
    }
    yk_rehearsal_free(&r);
}

static void try(const struct yk_experiment *e, size_t actuator, double budget_s, struct yk_candidate *c)
{
    struct yk_experiment *other = NULL;
    struct yk_plan *plan = NULL;
    struct yk_err err = {0};

    if (with_compensator(e, actuator, c->section, &other, &err) || yk_plan_complete(&plan, other, &err))
        snprintf(c->refused, sizeof c->refused, "%.190s", yk_err_line(&err).text);
    else
        rehearse(plan, actuator, budget_s, c);
    yk_plan_close(plan);
    yk_experiment_destroy(other);
}

/* The first whose error is close to the smallest: simpler ones stand before adaptive ones. */
static void choose(struct yk_advice *a)
{
    double least = INFINITY;

    for (size_t i = 0; i < a->count; i++)
        if (a->candidates[i].finished)
            least = fmin(least, a->candidates[i].nrms);
    for (a->best = 0; a->best < a->count; a->best++)
        if (a->candidates[a->best].finished && a->candidates[a->best].nrms <= CLOSE * least)
            return;
}

enum yk_status yk_compare_compensators(const struct yk_plan *plan, size_t actuator, double frequency_Hz,
                                       double budget_s, struct yk_advice *a, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    enum yk_status st;

    *a = (struct yk_advice){.frequency_Hz = frequency_Hz};
    if ((st = look(e, actuator, a, err)))
        return st;
    add(a, "as in the file");
    a->candidates[0].own = true;
    rehearse(plan, actuator, budget_s, &a->candidates[0]);
    list_candidates(e, a);
    for (size_t i = 1; i < a->count; i++)
        try(e, actuator, budget_s, &a->candidates[i]);
    choose(a);
    return YK_OK;
}
