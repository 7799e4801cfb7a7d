/* The plant of a recording: an identified model, or points of a frequency response that a model is fitted to, and the
 * residual of the identification on top of its motion: played again, or as noise of the same spectrum (autoregressive,
 * Burg 1967). The residual is no part of the state of the model. docs/measured.md, section 4. Units: m, s. */
#include "model/read.h"

#include <yoke/linalg.h>
#include <yoke/measured.h>
#include <yoke/random.h>
#include <yoke/transfer.h>

#include <stdlib.h>
#include <string.h>

enum { PLAY, COLOURED, NONE };
enum { MEMORY = 16 };       /* order of the noise */
#define FADE           0.2  /* [s] from the end of the residual to its beginning */
#define GAIN_TOLERANCE 0.05 /* of a fitted response at each point */
#define PHASE_DEGREES  3.0
#define FAINT          1e-3 /* of the largest weight: such a point is not in band */

struct recorded {
    char *response, *residual;
    int order, residual_as, seed;
    double residual_scale, residual_from;
    bool quiet;
    /* private */
    const struct yk_plant_ops *model;
    const void *settings;
    void *at_work;              /* of the model */
    double *e, h;               /* residual, a number for each tick */
    size_t n, fade;             /* of its numbers; of them in the cross-fade */
    double motion;              /* rms of the recorded motion; 0: not known */
    double a[MEMORY], strength; /* e[k] = -sum a[j] e[k - 1 - j] + strength w[k] */
    double x0, sum, ticks;      /* rms of the motion of this run */
    uint64_t random;
    size_t at;
    double past[MEMORY];
};

static void take_model(void *self, const struct yk_plant_ops *model, const void *settings)
{
    struct recorded *s = self;

    s->model = model;
    s->settings = settings;
}

/* ---- a fitted response ---- */

static void set_reals(const struct yk_plant_ops *ops, void *settings, const char *name, double *x, size_t n)
{
    for (const struct yk_param *p = ops->params; p->name; p++)
        if (strcmp(p->name, name) == 0)
            *(struct yk_reals *)((char *)settings + p->offset) = (struct yk_reals){x, n};
}

static enum yk_status read_points(const char *path, struct yk_frequency_point **points, size_t *count,
                                  struct yk_err *err)
{
    struct yk_matrix m = {0};
    enum yk_status st = yk_read_matrix(path, &m, err);

    if (st)
        return st;
    if (m.rows < 3 || m.cols < 3)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                        "%zu rows of %zu numbers; a response has rows of frequency, real, imaginary and weight", m.rows,
                        m.cols);
    else if (!(*points = calloc(m.rows, sizeof **points)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu points", m.rows);
    for (size_t i = 0; i < m.rows && !st; i++)
        (*points)[i] = (struct yk_frequency_point){
            .frequency_Hz = yk_matrix_get(&m, i, 0),
            .H = yk_matrix_get(&m, i, 1) + I * yk_matrix_get(&m, i, 2),
            .power = m.cols > 3 ? yk_matrix_get(&m, i, 3) : 1,
        };
    *count = m.rows;
    yk_matrix_fini(&m);
    return st;
}

/* Every point in band is met, or named. */
static enum yk_status check_points(const struct recorded *s, const struct yk_frequency_point *p, size_t count,
                                   const struct yk_rational *m, struct yk_err *err)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = fmax(most, p[i].power);
    for (size_t i = 0; i < count; i++) {
        const double complex ratio = yk_rational_at(m, p[i].frequency_Hz) / p[i].H;

        if (p[i].power > FAINT * most &&
            !(fabs(cabs(ratio) - 1) < GAIN_TOLERANCE && fabs(carg(ratio)) < PHASE_DEGREES * M_PI / 180))
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(s->response),
                              "a model of order %d misses the point at %g Hz by %.1f %% and %.1f degrees (%g %% and %g "
                              "degrees are allowed); raise order, or leave the point out",
                              s->order, p[i].frequency_Hz, 100 * (cabs(ratio) - 1), carg(ratio) * 180 / M_PI,
                              100 * GAIN_TOLERANCE, PHASE_DEGREES);
    }
    return YK_OK;
}

/* x' = A x + B u in the companion form, y = C x + D u: settings of the plant state-space, whose numbers are at `x`. */
static void fill_state_space(const struct yk_rational *m, const struct yk_plant_ops *ops, void *settings, double *x)
{
    const size_t n = (size_t)m->poles;
    const double unit = pow(m->a[n], 1.0 / (double)n), last = m->a[n] / pow(unit, (double)n);
    double *A = x, *B = A + n * n, *C = B + n, *D = C + n;
    double b[YK_RATIONAL_ORDER + 1] = {0};

    for (int k = 0; k <= m->zeros; k++)
        b[k] = m->gain * m->b[k] / pow(unit, k);
    *D = b[n] / last;
    for (size_t k = 0; k < n; k++) {
        if (k + 1 < n)
            A[k * n + k + 1] = 1 / unit;
        A[(n - 1) * n + k] -= m->a[k] / pow(unit, (double)k) / last / unit;
        C[k] = b[k] - *D * m->a[k] / pow(unit, (double)k);
    }
    B[n - 1] = 1 / last / unit;
    set_reals(ops, settings, "A", A, n * n);
    set_reals(ops, settings, "B", B, n);
    set_reals(ops, settings, "C", C, n);
    set_reals(ops, settings, "D", D, 1);
}

/* Numerator of the order of the denominator, or one less. Poles far below the rate of the ticks: of a command that is
 * held for a tick, faster ones would swallow what the zeros make of its jumps. */
static enum yk_status fit_response(struct recorded *s, double h, struct yk_rational *m, struct yk_err *err)
{
    struct yk_frequency_point *points = NULL;
    struct yk_rational_fit best = {.cost = INFINITY}, fit;
    size_t count = 0;
    enum yk_status st = read_points(s->response, &points, &count, err);

    for (int less = 0; less <= 1 && !st && less <= s->order; less++) {
        const struct yk_rational_ask ask = {.poles = s->order, .zeros = s->order - less, .highest_Hz = 0.25 / h};

        if (!(st = yk_rational_search(points, count, NULL, &ask, &fit, err)) && fit.cost < best.cost)
            best = fit;
    }
    *m = best.model;
    st = st ? st : check_points(s, points, count, m, err);
    free(points);
    return st;
}

static enum yk_status open_response(struct recorded *s, double h, struct yk_arena *mem, struct yk_err *err)
{
    const struct yk_plant_ops *ops = yk_plant_find("state-space");
    struct yk_rational m;
    enum yk_status st = fit_response(s, h, &m, err);
    void *settings = NULL;
    double *x = NULL;

    if (st || (st = yk_param_settings(ops->params, ops->size, &settings, err)))
        return st;
    s->model = ops;
    x = calloc((size_t)(m.poles * m.poles + 2 * m.poles + 1), sizeof *x);
    yk_arena_point_to_new(mem, &s->at_work, 1, ops->size);
    if (!x || !s->at_work) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a plant");
    } else {
        fill_state_space(&m, ops, settings, x);
        st = yk_param_set(ops->params, settings, "dead_time", m.dead_time_s, err);
        memcpy(s->at_work, settings, ops->size);
        st = st ? st : ops->init(s->at_work, h, mem, err);
    }
    free(settings);
    free(x);
    return st;
}

/* ---- residual ---- */

/* The residual at the ticks of the run, on straight lines between its rows; its first column is the time. */
static enum yk_status resample(struct recorded *s, const struct yk_matrix *m, double h, struct yk_arena *mem,
                               struct yk_err *err)
{
    const double first = yk_matrix_get(m, 0, 0),
                 step = (yk_matrix_get(m, m->rows - 1, 0) - first) / (double)(m->rows - 1);
    double square = 0, mean = 0;

    if (!(step > 0) || !(step * (double)m->rows > 4 * FADE))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(s->residual),
                          "a residual has rows of rising time over %g s at least", 4 * FADE);
    s->h = h;
    s->n = (size_t)(step * (double)(m->rows - 1) / h) + 1;
    s->fade = (size_t)(FADE / h);
    if (!yk_arena_array(mem, &s->e, s->n))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a residual");
    for (size_t k = 0; k < s->n; k++) {
        const double at = fmin((double)k * h / step, (double)(m->rows - 1));
        const size_t i = (size_t)at, j = i + 1 < m->rows ? i + 1 : i;

        s->e[k] = yk_matrix_get(m, i, 1) + (at - (double)i) * (yk_matrix_get(m, j, 1) - yk_matrix_get(m, i, 1));
    }
    for (size_t i = 0; i < m->rows && m->cols > 2; i++)
        mean += yk_matrix_get(m, i, 2) / (double)m->rows;
    for (size_t i = 0; i < m->rows && m->cols > 2; i++)
        square += pow(yk_matrix_get(m, i, 2) - mean, 2) / (double)m->rows;
    s->motion = sqrt(square);
    return yk_all_finite(s->n, s->e) ? YK_OK
                                     : yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(s->residual), "a number is not finite");
}

/* Coefficients of noise with the spectrum of the residual; Burg 1967. */
static enum yk_status colour(struct recorded *s, struct yk_err *err)
{
    double *f = malloc(2 * s->n * sizeof *f), *b = f + s->n, power = 0;

    if (!f)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a residual");
    for (size_t k = 0; k < s->n; k++) {
        f[k] = b[k] = s->e[k];
        power += s->e[k] * s->e[k] / (double)s->n;
    }
    for (size_t m = 0; m < MEMORY; m++) {
        double over = 0, under = 0, before[MEMORY];

        for (size_t k = m + 1; k < s->n; k++) {
            over -= 2 * f[k] * b[k - 1];
            under += f[k] * f[k] + b[k - 1] * b[k - 1];
        }
        const double reflection = under > 0 ? over / under : 0;
        memcpy(before, s->a, sizeof before);
        for (size_t j = 0; j < m; j++)
            s->a[j] = before[j] + reflection * before[m - 1 - j];
        s->a[m] = reflection;
        power *= 1 - reflection * reflection;
        for (size_t k = s->n - 1; k > m; k--) {
            const double ahead = f[k];

            f[k] = ahead + reflection * b[k - 1];
            b[k] = b[k - 1] + reflection * ahead;
        }
    }
    s->strength = sqrt(power);
    free(f);
    return YK_OK;
}

static enum yk_status open_residual(struct recorded *s, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_matrix m = {0};
    enum yk_status st = yk_read_matrix(s->residual, &m, err);

    if (st)
        return st;
    if (m.rows < 16 || m.cols < 2)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(s->residual),
                        "%zu rows of %zu numbers; a residual has time and residual", m.rows, m.cols);
    else
        st = resample(s, &m, h, mem, err);
    yk_matrix_fini(&m);
    return st || s->residual_as != COLOURED ? st : colour(s, err);
}

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct recorded *s = self;
    enum yk_status st;

    if (!s->model == !s->response)
        return yk_fail(err, YK_E_INPUT, "recorded: a model, or a response with its order; %s given",
                       s->response ? "both are" : "neither is");
    if (s->response) {
        st = open_response(s, h, mem, err);
    } else {
        if (!yk_arena_point_to_new(mem, &s->at_work, 1, s->model->size))
            return yk_fail(err, YK_E_MEMORY, "out of memory for a plant");
        memcpy(s->at_work, s->settings, s->model->size);
        st = s->model->init(s->at_work, h, mem, err);
    }
    if (!s->residual || s->residual_as == NONE)
        s->residual_as = NONE;
    else if (!st)
        st = open_residual(s, h, mem, err);
    return st;
}

/* ---- motion ---- */

YK_RT static void reset(void *self, double x0)
{
    struct recorded *s = self;

    s->model->reset(s->at_work, x0);
    s->x0 = x0;
    s->sum = s->ticks = 0;
    s->random = ((uint64_t)s->seed + 1) * 0x9e3779b97f4a7c15u;
    memset(s->past, 0, sizeof s->past);
    yk_draw_bits(&s->random);
    if (s->residual_as == PLAY)
        s->at = s->residual_from >= 0 ? (size_t)(s->residual_from / s->h) % (s->n - s->fade)
                                      : (size_t)(yk_draw_bits(&s->random) * 0x1p-53 * (double)(s->n - s->fade));
}

/* The end of the record passes into its beginning. */
YK_RT static double played(struct recorded *s)
{
    const size_t k = s->at;
    const double share = k < s->fade ? ((double)k + 1) / ((double)s->fade + 1) : 1;
    const double e = share * s->e[k] + (k < s->fade ? (1 - share) * s->e[s->n - s->fade + k] : 0);

    s->at = k + 1 < s->n - s->fade ? k + 1 : 0;
    return e;
}

YK_RT static double coloured(struct recorded *s)
{
    double e = s->strength * yk_draw_normal(&s->random);

    for (int j = 0; j < MEMORY; j++)
        e -= s->a[j] * s->past[j];
    memmove(s->past + 1, s->past, (MEMORY - 1) * sizeof *s->past);
    return s->past[0] = e;
}

/* Share of the residual for a motion of this size: RMS displacement so far over that of the record, at most 1. */
YK_RT static double scale_of(struct recorded *s, double x)
{
    if (s->residual_scale > 0 || s->motion == 0)
        return s->residual_scale > 0 ? s->residual_scale : 1;
    s->sum += (x - s->x0) * (x - s->x0);
    s->ticks++;
    return fmin(1, sqrt(s->sum / s->ticks) / s->motion);
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct recorded *s = self;

    s->model->step(s->at_work, u, force, out);
    if (s->quiet || s->residual_as == NONE)
        return;
    const double e = s->residual_as == PLAY ? played(s) : coloured(s);
    out->x += scale_of(s, out->x) * e;
}

static bool yields(const void *self)
{
    const struct recorded *s = self;

    return s->model && s->model->yields && s->model->yields(s->settings);
}

static bool noisy(void *self, bool keep)
{
    struct recorded *s = self;

    s->quiet |= !keep;
    return s->residual && s->residual_as != NONE && !s->quiet;
}

static const struct yk_param params[] = {
    YK_NODE("model", "plant with its kind and settings, or a file", 0,
            "what `yoke identify --csv` wrote: the plant without its residual"),
    {.name = "response",
     .type = YK_PARAM_FILE,
     .offset = offsetof(struct recorded, response),
     .help = "instead of model: a table of frequency [Hz], real, imaginary, weight, as `--frf` writes it"},
    YK_COUNT(struct recorded, order, 4, 1, YK_RATIONAL_ORDER,
             YK_WHEN("response", "poles of the model that is fitted to the response")),
    {.name = "residual",
     .type = YK_PARAM_FILE,
     .offset = offsetof(struct recorded, residual),
     .help = "a table of time, residual and motion, as `--residual` writes it; default: none"},
    YK_CHOICE(struct recorded, residual_as, "play|coloured|none", PLAY,
              YK_WHEN("residual", "play: again and again, from a start that the seed draws; coloured: noise of its "
                                  "spectrum; none: not at all")),
    YK_REAL(struct recorded, residual_scale, YK_NUMBER, 0, 0, 1000,
            YK_WHEN("residual", "factor; 0: rms of the motion so far over that of the record, at most 1")),
    YK_REAL(struct recorded, residual_from, YK_TIME, -1, -1, 1e6,
            YK_WHEN("residual_as=play", "where the record begins to play; -1 s: drawn by the seed")),
    YK_COUNT(struct recorded, seed, 1, 0, 1000000000, YK_WHEN("residual", "of the random numbers")),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_recorded = {
    .name = "recorded",
    .summary = "an actuator as it was measured: an identified model, and what it did not explain",
    .reference = "",
    .params = params,
    .size = sizeof(struct recorded),
    .init = init,
    .reset = reset,
    .step = step,
    .yields = yields,
    .noisy = noisy,
    .model = take_model,
};
