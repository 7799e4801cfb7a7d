/* Feed-forward through the inverse of an actuator that is given by a polynomial. docs/theory/delay.md, eq. (17a)-(17c).
 *
 *     x_c = a_0 x + a_1 x' + a_2 x'' + a_3 x''',   x: the targets, a delay ahead
 *
 * The derivatives are those of the polynomial through past targets; wider `apart`, the noise of the
 * targets is amplified less. With `adapt: rls` the coefficients follow a fit of the command to the measured motion and
 * its derivatives, both behind the same low-pass filter, while the motion is larger than `motion`; they stay within
 * `spread` of where they started. Beside given coefficients, readings that come late are fitted to the command of so
 * long before. Without coefficients the inverse is that of a pure delay, expanded to third order. Units: m, s. */
#include "transfer/compensate/observed.h"
#include "transfer/compensate/recursive_fit.h"

enum { FIXED, RLS };

struct feed_forward {
    struct yk_reals coefficients;
    int order, adapt;
    double apart, memory, cutoff, motion, spread;
    /* private */
    double dt, T; /* T scales the terms of the fit to similar size [s] */
    struct yk_past past;
    double delay, late, w[YK_PAST_ORDER + 1];
    struct yk_weights slopes;    /* of the targets, a delay ahead */
    struct yk_weights middle;    /* of the measured motion */
    struct yk_recursive_fit fit; /* of a_i/T^i */
    double start[YK_DERIVATIVES], lambda;
    struct yk_observed observed;
    double last; /* command of the last target */
    bool end;    /* that target was the end of a step */
};

/* eq. (17b): all terms together, one weight for every node */
YK_RT static void renew(struct feed_forward *s)
{
    double scale = 1;

    memset(s->w, 0, sizeof s->w);
    for (int i = 0; i < s->fit.n; i++) {
        for (int j = 0; j <= s->order; j++)
            s->w[j] += scale * s->fit.theta[i] * s->slopes.w[i][j];
        scale *= s->T / s->past.D;
    }
}

/* The fit begins at the start, which is worth a second of the smallest motion. */
YK_RT static void begin(struct feed_forward *s)
{
    yk_fit_begin(&s->fit, s->start, s->dt / (s->motion * s->motion));
}

/* eq. (15) and its next term */
YK_RT static void expand(struct feed_forward *s, double delay)
{
    const double eta = yk_past_eta(delay, s->T);

    s->start[0] = 1;
    for (int i = 1; i < s->fit.n; i++)
        s->start[i] = s->start[i - 1] * eta / i;
    begin(s);
}

YK_RT static void reset(void *self, double x0)
{
    struct feed_forward *s = self;

    if (!s->coefficients.n)
        s->start[0] = 1;
    begin(s);
    yk_past_reset(&s->past, x0);
    s->last = s->start[0] * x0;
    yk_observed_reset(&s->observed, s->last, x0);
    s->end = false;
    s->delay = NAN;
}

static enum yk_status check(const struct feed_forward *s, struct yk_err *err)
{
    if (s->coefficients.n > YK_DERIVATIVES)
        return yk_fail(err, YK_E_RANGE, "feed-forward: coefficients has %zu numbers, outside 1 .. %d (of x, x', ...)",
                       s->coefficients.n, YK_DERIVATIVES);
    if ((int)s->coefficients.n > s->order + 1)
        return yk_fail(err, YK_E_RANGE, "feed-forward: order = %d is too low for %zu coefficients: at least %zu",
                       s->order, s->coefficients.n, s->coefficients.n - 1);
    return YK_OK;
}

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct feed_forward *s = self;
    enum yk_status st;

    if ((st = check(s, err)) ||
        (st = yk_past_init(&s->past, "feed-forward", dt, stages, YK_PAST_STEP, s->apart, mem, err)) ||
        (s->adapt == RLS && (st = yk_observed_init(&s->observed, s->cutoff, dt, mem, err))))
        return st;
    s->dt = dt;
    s->T = 1 / (3 * s->cutoff);
    s->lambda = s->memory > 0 ? exp(-dt / s->memory) : 1;
    s->fit.n = s->coefficients.n ? (int)s->coefficients.n : (int)fmin(s->order + 1, YK_DERIVATIVES);
    for (size_t i = 0; i < s->coefficients.n; i++)
        s->start[i] = s->coefficients.x[i] / pow(s->T, (double)i);
    yk_past_weights(&s->middle, YK_OBSERVED - 1, -YK_OBSERVED_MIDDLE);
    reset(s, 0);
    return YK_OK;
}

/* The delay: the part that given coefficients leave to compensate; without coefficients, all of it. */
YK_RT static void take_delay(struct feed_forward *s, double delay)
{
    const bool given = s->coefficients.n > 0;

    if (!given && (isnan(s->delay) || s->adapt != RLS))
        expand(s, delay);
    yk_past_weights(&s->slopes, s->order, given ? yk_past_eta(delay, s->past.D) : 0);
    s->delay = delay;
    renew(s);
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct feed_forward *s = self;
    const double *row = yk_past_push(&s->past, target);

    if (delay != s->delay)
        take_delay(s, delay);
    s->end = target->stage + 1 == target->stages;
    s->late = target->late;
    s->last = yk_past_sum(s->order, s->w, row, 1);
    return s->last;
}

/* eq. (17c): the terms of the measured motion, two steps ago; the command of that instant */
YK_RT static void adapt(struct feed_forward *s)
{
    double psi[YK_FIT_TERMS], scale = 1, command;

    if (!yk_observed_command(&s->observed, s->coefficients.n ? yk_past_eta(s->late, s->dt) : 0, &command))
        return;
    for (int i = 0; i < s->fit.n; i++) {
        psi[i] = scale * yk_past_sum(YK_OBSERVED - 1, s->middle.w[i], s->observed.moved, 1);
        scale *= s->T / s->dt;
    }
    yk_fit_update(&s->fit, psi, command, s->lambda);
    for (int i = 0; i < s->fit.n; i++) {
        const double range = s->spread * fabs(s->start[i]);

        s->fit.theta[i] = yk_within(s->start[i] - range, s->fit.theta[i], s->start[i] + range);
    }
    renew(s);
}

YK_RT static void learn(void *self, double measured)
{
    struct feed_forward *s = self;

    if (s->adapt != RLS || !s->end)
        return;
    s->end = false;
    yk_observed_push(&s->observed, s->last, measured, s->dt * s->cutoff);
    if (s->observed.level > s->motion * s->motion)
        adapt(s);
}

/* Beside given coefficients the delay stays. */
static bool learns_delay(const void *self)
{
    const struct feed_forward *s = self;

    return s->adapt == RLS && s->coefficients.n == 0;
}

static const struct yk_param params[] = {
    YK_REALS(struct feed_forward, coefficients, YK_NUMBER, 0, -1e12, 1e12,
             "of x, x', x'' and x''' in the command, in 1, s, s2, s3; default: those of a pure delay"),
    YK_COUNT(struct feed_forward, order, 3, 1, YK_PAST_ORDER, "order of the polynomial through the targets"),
    YK_REAL(struct feed_forward, apart, YK_TIME, 0, 0, 1, "time between the past targets that are used; 0: a step"),
    YK_CHOICE(struct feed_forward, adapt, "none|rls", FIXED, "recursive least squares: follows the actuator"),
    YK_FIT_PARAMS(struct feed_forward),
    YK_REAL(struct feed_forward, spread, YK_NUMBER, 0.5, 0, 10,
            YK_WHEN("adapt=rls", "largest relative change of a coefficient")),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_feed_forward = {
    .name = "feed-forward",
    .summary = "inverse of an actuator up to third order, fixed or fitted by recursive least squares",
    .reference = "Carrion & Spencer 2007; Quiroz, Galmez & Fermandois 2024 (adaptation)",
    .params = params,
    .size = sizeof(struct feed_forward),
    .init = init,
    .reset = reset,
    .predict = predict,
    .learn = learn,
    .learns_delay = learns_delay,
};
