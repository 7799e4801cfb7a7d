/* Recursive least squares with forgetting. docs/theory/delay.md, eq. (32)-(35).
 *
 *     y_m[i] = th1 y_c[i] + th2 y_c[i-1],   gain = th1 + th2,   tau = dt th2/(th1 + th2)
 *
 * The start is a batch over the first `batch` pairs, during which the nominal delay and a gain of 1 are kept. rho
 * forgets: 0.95 follows a delay that varies, 1 averages over the whole past. Without motion nothing is learned and
 * nothing forgotten, and the trace of P is capped: otherwise P would grow as rho^-n. Has no constant term: offsets of
 * the sensors must be removed before. */
#include "transfer/estimate/bounds.h"

enum { MOST = 256 };
#define SINGULAR 1e-10 /* of det R over tr(R)^2: one direction of the pairs is lost in rounding */

struct rls {
    struct yk_delay_bounds bounds;
    double rho, motion, cap, k_min;
    int batch;
    struct yk_rls_fit fit;
    double command;        /* a step ago */
    bool started, running; /* a command came before; the batch is done */
    double pair[MOST][3];  /* of the batch, oldest first: y_c[i], y_c[i-1], y_m[i] */
    int count;
};

YK_RT static void reset(void *self, double nominal)
{
    struct rls *s = self;

    yk_bounds_reset(&s->bounds, nominal);
    s->started = s->running = false;
    s->count = 0;
    s->fit = (struct yk_rls_fit){.th1 = 1};
}

/* eq. (33): P = R^-1, th = P q from the pairs; false where R is singular */
YK_RT static bool solve_batch(struct rls *s)
{
    struct yk_rls_fit *f = &s->fit;
    double R11 = 0, R12 = 0, R22 = 0, q1 = 0, q2 = 0;

    for (int i = 0; i < s->count; i++) {
        const double *p = s->pair[i];

        R11 += p[0] * p[0];
        R12 += p[0] * p[1];
        R22 += p[1] * p[1];
        q1 += p[0] * p[2];
        q2 += p[1] * p[2];
    }
    const double det = R11 * R22 - R12 * R12, trace = R11 + R22;
    if (!(det > SINGULAR * trace * trace && trace > s->motion * s->motion))
        return false;
    f->P11 = R22 / det;
    f->P12 = -R12 / det;
    f->P22 = R11 / det;
    f->th1 = f->P11 * q1 + f->P12 * q2;
    f->th2 = f->P12 * q1 + f->P22 * q2;
    return true;
}

YK_RT static double delay(struct rls *s)
{
    const double k = s->fit.th1 + s->fit.th2;

    return fabs(k) > s->k_min ? yk_bounds_accept(&s->bounds, s->bounds.dt * s->fit.th2 / k) : s->bounds.tau;
}

/* Collects pairs; drops the oldest while they do not tell the two parameters apart. */
YK_RT static double collect(struct rls *s, double yc, double yc1, double ym)
{
    if (s->count == s->batch) {
        for (int i = 1; i < s->count; i++)
            for (int j = 0; j < 3; j++)
                s->pair[i - 1][j] = s->pair[i][j];
        s->count--;
    }
    s->pair[s->count][0] = yc;
    s->pair[s->count][1] = yc1;
    s->pair[s->count][2] = ym;
    s->count++;
    if (s->count < s->batch || !solve_batch(s))
        return s->bounds.tau;
    s->running = true;
    return delay(s);
}

/* Keeps the trace of P below the cap. */
YK_RT static void limit(struct rls *s)
{
    struct yk_rls_fit *f = &s->fit;
    const double trace = f->P11 + f->P22;

    if (!(trace > s->cap))
        return;
    f->P11 *= s->cap / trace;
    f->P12 *= s->cap / trace;
    f->P22 *= s->cap / trace;
}

/* eq. (34) */
YK_RT static double recurse(struct rls *s, double yc, double yc1, double ym)
{
    struct yk_rls_fit *f = &s->fit;
    const double g0 = f->P11 * yc + f->P12 * yc1, g1 = f->P12 * yc + f->P22 * yc1;
    const double den = s->rho + yc * g0 + yc1 * g1, e = ym - f->th1 * yc - f->th2 * yc1;

    if (!(den > 0 && isfinite(den) && isfinite(e)))
        return s->bounds.tau;
    f->th1 += g0 * e / den;
    f->th2 += g1 * e / den;
    f->P11 = (f->P11 - g0 * g0 / den) / s->rho;
    f->P12 = (f->P12 - g0 * g1 / den) / s->rho;
    f->P22 = (f->P22 - g1 * g1 / den) / s->rho;
    limit(s);
    return delay(s);
}

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct rls *s = self;
    const double yc = sample->command, yc1 = s->command;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    s->command = yc;
    if (!s->started) {
        s->started = true;
        return s->bounds.tau;
    }
    if (!s->running)
        return collect(s, yc, yc1, sample->measured);
    return yc * yc + yc1 * yc1 > s->motion * s->motion ? recurse(s, yc, yc1, sample->measured) : s->bounds.tau;
}

YK_RT static double gain(const void *self)
{
    const struct rls *s = self;

    return s->fit.th1 + s->fit.th2;
}

const struct yk_rls_fit *yk_rls_fit(const void *self)
{
    return &((const struct rls *)self)->fit;
}

static const struct yk_param params[] = {
    YK_BOUNDS_PARAMS,
    YK_REAL(struct rls, rho, YK_NUMBER, 0.98, 0.5, 1, "forgetting factor; 1 forgets nothing"),
    YK_COUNT(struct rls, batch, 20, 3, MOST, "samples of the initial least-squares fit"),
    YK_REAL(struct rls, motion, YK_DISPLACEMENT, 1e-6, 0, 1,
            "motion below this amplitude is not used" YK_COMMANDED("0.001 %")),
    YK_REAL(struct rls, cap, YK_NUMBER, 1e12, YK_TINY, 1e30, "largest trace of the covariance, in 1/m2"),
    YK_REAL(struct rls, k_min, YK_NUMBER, 0.1, 1e-6, 1, "smallest accepted gain of the actuator"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_rls = {
    .name = "rls",
    .summary = "gain and delay by recursive least squares with forgetting",
    .reference = "Wang 2012",
    .params = params,
    .size = sizeof(struct rls),
    .init = yk_bounds_init,
    .reset = reset,
    .update = update,
    .gain = gain,
};
