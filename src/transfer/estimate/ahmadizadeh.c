/* Lag of the means of three samples. docs/theory/delay.md, eq. (28).
 *
 *     tau <- tau + 2 gain dt (mean3(y_d) - mean3(y_m))/(y_m[i] - y_m[i-2])
 *
 * Closed loops only. The denominator vanishes at peaks: d_min keeps it away from there. */
#include "transfer/estimate/three.h"

struct ahmadizadeh {
    struct yk_delay_bounds bounds;
    double gain, d_min;
    struct yk_three last; /* targets */
};

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct ahmadizadeh *s = self;
    const double *d = s->last.given, *m = s->last.measured;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    yk_three_push(&s->last, sample->target, sample->measured);
    const double lag = (d[0] + d[1] + d[2] - m[0] - m[1] - m[2]) / 3, way = yk_three_way(m);
    if (yk_bounds_count(&s->bounds) < 3 || !(fabs(way) > s->d_min))
        return s->bounds.tau;
    return yk_bounds_accept(&s->bounds, s->bounds.tau + 2 * s->gain * s->bounds.dt * lag / way);
}

static const struct yk_param params[] = {
    YK_BOUNDS_PARAMS,
    YK_REAL(struct ahmadizadeh, gain, YK_NUMBER, 0.003, YK_TINY, 1, "fraction of the lag that is corrected per step"),
    YK_REAL(struct ahmadizadeh, d_min, YK_DISPLACEMENT, 1e-5, 0, 1,
            "smallest travel over two steps that is used" YK_COMMANDED("0.01 %")),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_ahmadizadeh = {
    .name = "ahmadizadeh",
    .summary = "integrates the lag of the means of three samples; closed loop only",
    .reference = "Ahmadizadeh, Mosqueda & Reinhorn 2008",
    .params = params,
    .size = sizeof(struct ahmadizadeh),
    .init = yk_bounds_init,
    .reset = yk_bounds_reset,
    .update = update,
};
