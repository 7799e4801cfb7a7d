/* A filter of the last targets that learns the inverse of its actuator. docs/theory/delay.md, eq. (17f), (17g).
 *
 *     c_k = theta^T [t_k, t_{k-1}, ...],   theta: recursive least squares of u_k on [y_k, y_{k-1}, ...]
 *
 * y, u: measured motion and command behind the same low-pass filter. The command of a step is part of the sample that
 * it is computed from, through the first coefficient b0 of the filter; with u_k = b0 c_k + e and the gain kappa of the
 * sample, g = kappa^T t, the loop is solved:
 *
 *     c_k = [theta^T t + g (e - theta^T y)]/(1 - g b0)
 *
 * theta learns command from measurement and is used with the target. Without taps it starts as the straight line
 * through the last two targets, read the delay ahead. Units: m, s. */
#include "transfer/compensate/past.h"
#include "transfer/compensate/recursive_fit.h"

enum { FIXED, RLS };

struct fir {
    struct yk_reals taps, covariance;
    int adapt, order;
    double memory, cutoff;
    /* private */
    struct yk_past past;
    struct yk_recursive_fit fit;
    struct yk_filter of_command, of_motion;
    double start[YK_FIT_TERMS], motion[YK_FIT_TERMS]; /* taps; filtered, newest first */
    double measured, lambda, b0, delay;               /* delay: of taps that were not given */
};

YK_RT static void reset(void *self, double x0)
{
    struct fir *s = self;
    double sum = 0;

    yk_past_reset(&s->past, x0);
    for (int i = 0; i < s->fit.n; i++) {
        s->fit.theta[i] = s->start[i];
        s->motion[i] = x0;
        sum += s->start[i];
        for (int j = 0; j < s->fit.n && s->adapt == RLS; j++)
            s->fit.P[i][j] = s->covariance.x[i * s->fit.n + j];
    }
    s->measured = x0;
    s->delay = 0;
    yk_filter_reset(&s->of_command, sum * x0);
    yk_filter_reset(&s->of_motion, x0);
}

static enum yk_status check(const struct fir *s, struct yk_err *err)
{
    const size_t n = s->taps.n ? s->taps.n : 2;

    if (n > YK_FIT_TERMS)
        return yk_fail(err, YK_E_RANGE, "fir: taps has %zu numbers, outside 1 .. %d", n, YK_FIT_TERMS);
    if (s->adapt == RLS && s->covariance.n != n * n)
        return yk_fail(err, YK_E_RANGE, "fir: covariance has %zu numbers; %zu taps need %zu x %zu", s->covariance.n, n,
                       n, n);
    return YK_OK;
}

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct fir *s = self;
    enum yk_status st;

    if ((st = yk_past_init(&s->past, "fir", dt, stages, YK_PAST_STEP, 0, mem, err)) || (st = check(s, err)) ||
        (s->adapt == RLS && (st = yk_filter_butterworth(&s->of_motion, s->order, s->cutoff, dt, false, err))))
        return st;
    s->of_command = s->of_motion;
    s->b0 = 1;
    for (int i = 0; i < s->of_motion.sections; i++)
        s->b0 *= s->of_motion.b[i][0];
    s->lambda = s->memory > 0 ? exp(-dt / s->memory) : 1;
    s->fit.n = s->taps.n ? (int)s->taps.n : 2;
    s->start[0] = 1;
    for (size_t i = 0; i < s->taps.n; i++)
        s->start[i] = s->taps.x[i];
    reset(s, 0);
    return YK_OK;
}

/* The command at the end of a step; updates the coefficients. */
YK_RT static double adapt(struct fir *s, const double *targets)
{
    double k[YK_FIT_TERMS], Ppsi[YK_FIT_TERMS], g = 0;
    struct yk_filter silent = s->of_command;
    const double e = yk_filter_step(&silent, 0); /* without the command of this step */

    memmove(s->motion + 1, s->motion, (size_t)(s->fit.n - 1) * sizeof *s->motion);
    s->motion[0] = yk_filter_step(&s->of_motion, s->measured);
    yk_fit_gain(&s->fit, s->motion, s->lambda, k, Ppsi);
    for (int i = 0; i < s->fit.n; i++)
        g += k[i] * targets[i];
    const double c =
        (yk_fit_product(&s->fit, targets) + g * (e - yk_fit_product(&s->fit, s->motion))) / (1 - g * s->b0);
    yk_fit_take(&s->fit, s->motion, yk_filter_step(&s->of_command, c), s->lambda, k, Ppsi);
    return c;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct fir *s = self;
    const double *targets = yk_past_push(&s->past, target);

    if (!s->taps.n && delay != s->delay) {
        const double eta = yk_past_eta(delay, s->past.D), change = eta - yk_past_eta(s->delay, s->past.D);

        s->fit.theta[0] += change;
        s->fit.theta[1] -= change;
        s->delay = delay;
    }
    if (s->adapt == RLS && target->stage + 1 == target->stages)
        return adapt(s, targets);
    return yk_fit_product(&s->fit, targets);
}

YK_RT static void learn(void *self, double measured)
{
    struct fir *s = self;

    if (isfinite(measured))
        s->measured = measured;
}

static bool learns_delay(const void *self)
{
    return ((const struct fir *)self)->adapt == RLS;
}

static const struct yk_param params[] = {
    YK_REALS(struct fir, taps, YK_NUMBER, 0, -1e12, 1e12,
             "weights of the last targets, newest first; 1 to 8 numbers; default: two, for the delay"),
    YK_CHOICE(struct fir, adapt, "none|rls", FIXED, "recursive least squares: learns the inverse of the actuator"),
    YK_REALS(struct fir, covariance, YK_NUMBER, 0, -1e300, 1e300,
             YK_WHEN("adapt=rls", "of the taps at the start, over the variance of the command, row by row [1/m2]")),
    YK_REAL(struct fir, memory, YK_TIME, 0, 0, 1e6,
            YK_WHEN("adapt=rls", "time after which a sample has lost most of its weight; 0: none is forgotten")),
    YK_COUNT(struct fir, order, 4, 1, 16, YK_WHEN("adapt=rls", "of the low-pass filters (Butterworth)")),
    YK_REAL(struct fir, cutoff, YK_FREQUENCY, 20, 1e-3, 1e5, YK_WHEN("adapt=rls", "of the low-pass filters")),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_fir = {
    .name = "fir",
    .summary = "filter of the last targets, fixed or fitted by recursive least squares (decentralised)",
    .reference = "Quiroz, Galmez & Fermandois 2024",
    .params = params,
    .size = sizeof(struct fir),
    .init = init,
    .reset = reset,
    .predict = predict,
    .learn = learn,
    .learns_delay = learns_delay,
};
