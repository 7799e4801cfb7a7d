/* Integrates the error in the direction of motion. docs/theory/delay.md, eq. (29).
 *
 *     tau <- tau + cp tanh(cv v_d) (y_d - y_m),   v_d: backward difference of y_d
 *
 * Closed loops only. Never divides, so it is smooth at peaks, and slow at small amplitude. cp in s/m, cv in s/m. */
#include "transfer/estimate/bounds.h"

struct darby {
    struct yk_delay_bounds bounds;
    double cp, cv;
    double target; /* a step ago */
};

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct darby *s = self;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    const double v = yk_bounds_count(&s->bounds) > 1 ? (sample->target - s->target) / s->bounds.dt : 0;
    s->target = sample->target;
    return yk_bounds_accept(&s->bounds, s->bounds.tau + s->cp * tanh(s->cv * v) * (sample->target - sample->measured));
}

static const struct yk_param params[] = {
    YK_BOUNDS_PARAMS,
    YK_REAL(struct darby, cp, YK_NUMBER, 0.3, YK_TINY, 1e6, "gain on the error, in s/m"),
    YK_REAL(struct darby, cv, YK_NUMBER, 10, YK_TINY, 1e6, "gain on the velocity inside the tanh, in s/m"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_darby = {
    .name = "darby",
    .summary = "integrates the error in the direction of motion; closed loop only",
    .reference = "Darby, Williams & Blakeborough 2002",
    .params = params,
    .size = sizeof(struct darby),
    .init = yk_bounds_init,
    .reset = yk_bounds_reset,
    .update = update,
};
