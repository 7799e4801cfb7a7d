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
#include <yoke/identify.h>

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI    6.283185307179586
#define AMPLITUDE 1e-3 /* m: small, so that nothing saturates */
#define CLOSE     1.2  /* times the smallest error: as good */
#define FAINT     1e-3 /* so is an error that no sensor would show */
#define LAGS      0.2  /* of the delay: a shorter lag is not worth its inverse */
enum { POINTS = 5 };

/* The experiment with another compensator, or without (section NULL). */
static enum yk_status with_compensator(const struct yk_model *model, size_t actuator, const char *section,
                                       struct yk_model **other, struct yk_err *err)
{
    char compensator[480], estimator[120], feedback[120];
    const char *name = yk_station_name(model->station, actuator), *set[] = {compensator, estimator, feedback};

    snprintf(compensator, sizeof compensator, "transfer.%s.compensator=%s", name, section ? section : "{kind: none}");
    snprintf(estimator, sizeof estimator, "transfer.%s.estimator={kind: none}", name);
    snprintf(feedback, sizeof feedback, "transfer.%s.feedback={kind: latest}", name); /* others need a compensator */
    return yk_model_with_settings(model, set, section ? 2 : 3, other, err);
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

/* One lag with a dead time: 1/|H|^2 = (1 + w^2 T^2)/K^2, and the mean of the delay that this leaves. */
static void fit_lag(const struct yk_response *r, struct yk_advice *out)
{
    double z[POINTS], y[POINTS], p[2], dead = 0;

    for (int i = 0; i < POINTS; i++) {
        z[i] = pow(TWO_PI * r[i].frequency_Hz, 2);
        y[i] = 1 / (r[i].magnitude * r[i].magnitude);
    }
    fit_line(z, y, p);
    out->lag_gain = p[0] > 0 ? 1 / sqrt(p[0]) : 1;
    out->lag_s = p[0] > 0 && p[1] > 0 ? sqrt(p[1] / p[0]) : 0;
    for (int i = 0; i < POINTS; i++)
        dead += (r[i].delay_s - atan(sqrt(z[i]) * out->lag_s) / sqrt(z[i])) / POINTS;
    out->lag_delay_s = out->lag_s + fmax(dead, 0);
}

/* Removes the delay that the compensators add by themselves (filter of the reading, play-out) and must not invert. */
static void take_away(struct yk_response *r, double delay_s)
{
    r->phase_rad += TWO_PI * r->frequency_Hz * delay_s;
    r->delay_s -= delay_s;
}

static enum yk_status look(const struct yk_model *model, size_t actuator, struct yk_advice *out, struct yk_err *err)
{
    static const double share[POINTS] = {0.5, 1, 2, 3, 4};
    struct yk_model *bare;
    struct yk_state moved;
    struct yk_response r[POINTS];
    double f[POINTS];
    enum yk_status st;

    if ((st = with_compensator(model, actuator, NULL, &bare, err)))
        return st;
    if (!(st = yk_state_bodies(&moved, bare, err))) {
        const double highest = 0.1 / model->time.step; /* ten targets in a period */

        out->frequency_Hz = fmin(out->frequency_Hz, highest / share[POINTS - 1]);
        for (int i = 0; i < POINTS; i++)
            f[i] = share[i] * out->frequency_Hz;
        st = yk_frequency_response(moved.station, actuator, AMPLITUDE, POINTS, f, r, err);
        for (int i = 0; !st && i < POINTS; i++)
            take_away(&r[i], yk_station_seen_delay(moved.station, actuator));
        yk_state_close(&moved);
    }
    yk_model_close(bare);
    if (st)
        return st;
    out->gain = r[1].magnitude;
    out->delay_s = r[1].delay_s;
    out->delay_high_s = r[POINTS - 1].delay_s;
    invert(r, out->inverse);
    fit_lag(r, out);
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
static void list_candidates(const struct yk_model *model, struct yk_advice *a)
{
    const double ms = 1e3 * fmax(a->delay_s, 0), *p = a->inverse;
    char apart[40] = "", near[40] = "";

    if (a->delay_s > 20 * model->time.step) {
        snprintf(apart, sizeof apart, ", apart: %.3g ms", ms / 3);
        snprintf(near, sizeof near, ", apart: %.3g ms", ms / 12);
    }
    add(a, "{ kind: lagrange, order: 2, delay: %.4g ms%s }", ms, apart);
    add(a, "{ kind: lagrange, order: 3, delay: %.4g ms%s }", ms, apart);
    add(a, "{ kind: velocity, delay: %.4g ms }", ms);
    if (a->lag_s > LAGS * a->delay_s)
        add(a, "{ kind: model-inverse, model: first, gain: %.5g, time_constant: %.4g ms, delay: %.4g ms }", a->lag_gain,
            1e3 * a->lag_s, 1e3 * a->lag_delay_s);
    add(a, "{ kind: ats, delay: %.4g ms%s }", ms, near);
    add(a, "{ kind: cats, delay: %.4g ms%s, frequency: %.3g Hz }", ms, near, a->frequency_Hz);
    add(a, "{ kind: feed-forward, coefficients: [%.6g, %.6g, %.6g, %.6g]%s }", p[0], p[1], p[2], p[3], near);
    add(a, "{ kind: feed-forward, coefficients: [%.6g, %.6g, %.6g, %.6g], adapt: rls, cutoff: %.4g Hz%s }", p[0], p[1],
        p[2], p[3], fmin(10 * a->frequency_Hz, 0.2 / model->time.step), near);
}

static void rehearse(const struct yk_model *model, size_t actuator, double budget_s, struct yk_candidate *c)
{
    struct yk_rehearsal r = {0};
    struct yk_judgement verdict;
    struct yk_err err = {0};

    if (yk_rehearse(model, budget_s, false, &r, &err)) {
        snprintf(c->refused, sizeof c->refused, "%.190s", yk_err_line(&err).text);
    } else {
        c->tried = true;
        c->finished = r.complete;
        c->nrms = r.complete ? r.peaks[actuator].tracking : NAN;
        yk_judge_measures(&model->quality, &r.measures, &verdict);
        c->level = verdict.level;
        if (verdict.level != YK_LEVEL_GOOD)
            yk_reason_text(&verdict.reasons[0], yk_station_names(model->station), c->reason, sizeof c->reason);
    }
    yk_rehearsal_free(&r);
}

static void try(const struct yk_model *model, size_t actuator, double budget_s, struct yk_candidate *c)
{
    struct yk_model *other = NULL;
    struct yk_err err = {0};

    if (with_compensator(model, actuator, c->section, &other, &err) || yk_model_complete(other, &err))
        snprintf(c->refused, sizeof c->refused, "%.190s", yk_err_line(&err).text);
    else
        rehearse(other, actuator, budget_s, c);
    yk_model_close(other);
}

/* The first whose error is close to the smallest: simpler ones stand before adaptive ones. */
static void choose(struct yk_advice *a)
{
    double least = INFINITY;

    for (size_t i = 0; i < a->count; i++)
        if (a->candidates[i].finished)
            least = fmin(least, a->candidates[i].nrms);
    for (a->best = 0; a->best < a->count; a->best++)
        if (a->candidates[a->best].finished && a->candidates[a->best].nrms <= fmax(CLOSE * least, FAINT))
            return;
}

bool yk_advice_stands(const struct yk_advice *a)
{
    return a->best < a->count && a->candidates[a->best].level == YK_LEVEL_GOOD;
}

enum yk_status yk_compare_compensators(const struct yk_model *model, size_t actuator, double frequency_Hz,
                                       double budget_s, struct yk_advice *a, struct yk_err *err)
{
    enum yk_status st;

    *a = (struct yk_advice){.frequency_Hz = frequency_Hz};
    if ((st = look(model, actuator, a, err)))
        return st;
    add(a, "as in the file");
    a->candidates[0].own = true;
    rehearse(model, actuator, budget_s, &a->candidates[0]);
    list_candidates(model, a);
    for (size_t i = 1; i < a->count; i++)
        try(model, actuator, budget_s, &a->candidates[i]);
    choose(a);
    return YK_OK;
}
