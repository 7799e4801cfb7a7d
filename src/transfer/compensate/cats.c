/* Conditional adaptive time series: the terms of ats, fitted by recursive least squares under conditions.
 * docs/theory/delay.md, eq. (14), (15), (17e).
 *
 *     x_c = th0 x + th1 T x' + th2 T^2 x'',   T = 1/(2 pi frequency)
 *
 * A sample is taken only while the measured motion is larger than `motion`; in a second no coefficient changes by more
 * than `rate` of what it was for the delay given first; limits bound the coefficients, and with them the command.
 * Unlike ats, it costs the same whatever it remembers. */
#include "transfer/compensate/recursive_fit.h"
#include "transfer/compensate/regressors.h"

struct cats {
    double memory, frequency, motion, rate, spread, longest, apart;
    struct yk_regressors terms;
    struct yk_recursive_fit fit;
    double start[YK_TERMS], theta[YK_TERMS]; /* of the delay given first; in use */
    bool started;
    double dt, lambda, level; /* mean square of the motion */
};

YK_RT static void reset(void *self, double x0)
{
    struct cats *s = self;

    yk_regressors_reset(&s->terms, x0);
    s->started = false;
    s->level = 0;
}

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct cats *s = self;
    const enum yk_status st = yk_regressors_init(&s->terms, "cats", dt, stages,
                                                 1 / (2 * 3.14159265358979323846 * s->frequency), s->apart, mem, err);

    if (st)
        return st;
    s->dt = dt;
    s->lambda = exp(-dt / s->memory);
    reset(s, 0);
    return YK_OK;
}

YK_RT static void begin(struct cats *s, double delay)
{
    s->fit = (struct yk_recursive_fit){.n = YK_TERMS};
    yk_regressors_nominal(&s->terms, delay, s->start);
    for (int i = 0; i < YK_TERMS; i++) {
        s->theta[i] = s->fit.theta[i] = s->start[i];
        s->fit.P[i][i] = s->dt / (s->memory * s->motion * s->motion);
    }
    s->started = true;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct cats *s = self;
    double phi[YK_TERMS], command = 0;

    yk_regressors_target(&s->terms, target, phi);
    if (!s->started)
        begin(s, delay);
    for (int i = 0; i < YK_TERMS; i++)
        command += s->theta[i] * phi[i];
    yk_regressors_commanded(&s->terms, command);
    return command;
}

/* eq. (17e): towards the fit, no faster than the rate */
YK_RT static void follow(struct cats *s)
{
    for (int i = 0; i < YK_TERMS; i++) {
        const double step = s->rate * s->dt * fmax(fabs(s->start[i]), 0.01);

        s->theta[i] += yk_within(-step, s->fit.theta[i] - s->theta[i], step);
    }
    yk_regressors_limit(&s->terms, s->spread, s->longest, s->theta);
}

YK_RT static void learn(void *self, double measured)
{
    struct cats *s = self;
    double psi[YK_TERMS], command;

    if (!s->started || !yk_regressors_pair(&s->terms, measured, psi, &command))
        return;
    s->level += fmin(1, s->dt * s->frequency) * (psi[0] * psi[0] - s->level);
    if (!(s->level > s->motion * s->motion))
        return;
    yk_fit_update(&s->fit, psi, command, s->lambda);
    follow(s);
}

static const struct yk_param params[] = {
    YK_REAL(struct cats, memory, YK_TIME, 2, 1e-3, 1e6, "time after which a sample has lost most of its weight"),
    YK_REAL(struct cats, frequency, YK_FREQUENCY, 2, 1e-3, 1e3, "of the main motion; scales the terms"),
    YK_REAL(struct cats, motion, YK_DISPLACEMENT, 1e-4, YK_TINY, 1,
            "motion below this rms is not used" YK_COMMANDED("0.1 %")),
    YK_REAL(struct cats, rate, YK_PER_TIME, 2, 0, 1e6, "largest relative change of a coefficient in a second"),
    YK_REAL(struct cats, spread, YK_NUMBER, 0.3, 0, 0.9, "how far the coefficient of the displacement may be from 1"),
    YK_REAL(struct cats, longest, YK_TIME, 0.1, 1e-6, 10,
            "bound of the velocity coefficient; its square bounds the acceleration coefficient"),
    YK_REGRESSORS_APART(struct cats),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_cats = {
    .name = "cats",
    .summary = "conditional adaptive time series: recursive fit that learns from large motion only, at a bounded rate",
    .reference = "after Palacio-Betancur & Gutierrez Soto 2019; Chae, Kazemibidokhti & Ricles 2013 (terms)",
    .params = params,
    .size = sizeof(struct cats),
    .init = init,
    .reset = reset,
    .predict = predict,
    .learn = learn,
    .learns_delay = yk_regressors_learn_delay,
};
