/* Adaptive model-based compensation: an inverse model that follows the gradient. docs/theory/delay.md, eq. (14), (15),
 * (17).
 *
 *     x_c = th0 x + th1 T x' + th2 T^2 x'',   th += gain e psi/(motion^2 + psi^T psi),   e = x_c - th^T psi
 *
 * psi: the same terms of what was measured one step ago, x_c: the command of that instant; T = 1/(2 pi frequency), so
 * that the terms are of one size at that frequency. Normalised: stable in the mean square for 0 < gain < 2, whatever
 * the amplitude. Starts from the coefficients of the delay given first; limits bound them, and with them the command.
 */
#include "transfer/compensate/regressors.h"

struct amb {
    double gain, frequency, motion, spread, longest, apart;
    struct yk_regressors terms;
    double theta[YK_TERMS];
    bool started;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct amb *s = self;

    return yk_regressors_init(&s->terms, "amb", dt, stages, 1 / (2 * 3.14159265358979323846 * s->frequency), s->apart,
                              mem, err);
}

YK_RT static void reset(void *self, double x0)
{
    struct amb *s = self;

    yk_regressors_reset(&s->terms, x0);
    s->started = false;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct amb *s = self;
    double phi[YK_TERMS], command = 0;

    yk_regressors_target(&s->terms, target, phi);
    if (!s->started)
        yk_regressors_nominal(&s->terms, delay, s->theta);
    s->started = true;
    for (int i = 0; i < YK_TERMS; i++)
        command += s->theta[i] * phi[i];
    yk_regressors_commanded(&s->terms, command);
    return command;
}

/* eq. (17) */
YK_RT static void learn(void *self, double measured)
{
    struct amb *s = self;
    double psi[YK_TERMS], command, error, size = s->motion * s->motion;

    if (!yk_regressors_pair(&s->terms, measured, psi, &command))
        return;
    error = command;
    for (int i = 0; i < YK_TERMS; i++) {
        error -= s->theta[i] * psi[i];
        size += psi[i] * psi[i];
    }
    if (!isfinite(error / size))
        return;
    for (int i = 0; i < YK_TERMS; i++)
        s->theta[i] += s->gain * error * psi[i] / size;
    yk_regressors_limit(&s->terms, s->spread, s->longest, s->theta);
}

static const struct yk_param params[] = {
    YK_REAL(struct amb, gain, YK_NUMBER, 0.1, 0, 1.99, "gain of the adaptation"),
    YK_REAL(struct amb, frequency, YK_FREQUENCY, 2, 1e-3, 1e3,
            YK_WHEN("gain", "frequency of the main motion; scales velocity and acceleration")),
    YK_REAL(struct amb, motion, YK_DISPLACEMENT, 1e-4, YK_TINY, 1,
            YK_WHEN("gain", "motion below this amplitude slows the adaptation" YK_COMMANDED("0.1 %"))),
    YK_REAL(struct amb, spread, YK_NUMBER, 0.3, 0, 0.9, "how far the coefficient of the displacement may be from 1"),
    YK_REAL(struct amb, longest, YK_TIME, 0.1, 1e-6, 10,
            "bound of the velocity coefficient; its square bounds the acceleration coefficient"),
    YK_REGRESSORS_APART(struct amb),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_amb = {
    .name = "amb",
    .summary = "adaptive model-based: lead coefficients that follow the gradient of the tracking error",
    .reference = "after Chen, Chang, Spencer & Tsai 2015",
    .params = params,
    .size = sizeof(struct amb),
    .init = init,
    .reset = reset,
    .predict = predict,
    .learn = learn,
    .learns_delay = yk_regressors_learn_delay,
};
