/* Lag of the means of three samples. docs/theory/delay.md, eq. (28).
 *
 *     tau <- tau + 2 gain dt (mean3(y_d) - mean3(y_m))/(y_m[i] - y_m[i-2])
 *
 * Closed loops only. The denominator vanishes at peaks: d_min keeps it away from there. */
#include "transfer/estimate/bounds.h"

struct ahmadizadeh {
    double tau_max, rate, gain, d_min;
    struct yk_delay_bounds bounds;
    double dt;
    double target[3], measured[3]; /* newest first */
    int count;
};

static enum yk_status init(void *self, double dt, struct yk_arena *mem, struct yk_err *err)
{
    struct ahmadizadeh *s = self;

    s->dt = dt;
    return yk_bounds_init(&s->bounds, "ahmadizadeh", dt, s->tau_max, s->rate, err);
}

YK_RT static void reset(void *self, double nominal)
{
    struct ahmadizadeh *s = self;

    yk_bounds_start(&s->bounds, nominal);
    s->count = 0;
}

YK_RT static void shift(double *x, double newest)
{
    x[2] = x[1];
    x[1] = x[0];
    x[0] = newest;
}

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct ahmadizadeh *s = self;
    const double *d = s->target, *m = s->measured;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    shift(s->target, sample->target);
    shift(s->measured, sample->measured);
    s->count += s->count < 3;
    const double lag = (d[0] + d[1] + d[2] - m[0] - m[1] - m[2]) / 3, way = m[0] - m[2];
    if (s->count < 3 || !(fabs(way) > s->d_min))
        return s->bounds.tau;
    return yk_bounds_accept(&s->bounds, s->bounds.tau + 2 * s->gain * s->dt * lag / way);
}

static const struct yk_param params[] = {
    YK_BOUNDS_PARAMS(struct ahmadizadeh),
    YK_REAL(struct ahmadizadeh, gain, YK_NUMBER, 0.003, YK_TINY, 1, "fraction of the lag that is corrected per step"),
    YK_REAL(struct ahmadizadeh, d_min, YK_DISPLACEMENT, 1e-5, 0, 1, "smallest travel over two steps that is used"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_ahmadizadeh = {
    .name = "ahmadizadeh",
    .summary = "integrates the lag of the means of three samples; closed loop only",
    .reference = "Ahmadizadeh, Mosqueda & Reinhorn 2008",
    .params = params,
    .size = sizeof(struct ahmadizadeh),
    .init = init,
    .reset = reset,
    .update = update,
};
