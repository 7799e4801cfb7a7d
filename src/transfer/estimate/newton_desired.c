/* Integrates the lag of the measured behind the target. docs/theory/delay.md, eq. (27).
 *
 *     tau <- tau + gain (y_d - y_m)/v_m,   v_m: backward difference of y_m
 *
 * For closed loops only, where the compensator makes the lag go away; in open loop it runs to its limit. */
#include "transfer/estimate/bounds.h"

struct newton_desired {
    struct yk_delay_bounds bounds;
    double gain, v_min;
    double measured; /* a step ago */
};

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct newton_desired *s = self;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    const double v = yk_bounds_count(&s->bounds) > 1 ? (sample->measured - s->measured) / s->bounds.dt : 0;
    s->measured = sample->measured;
    if (!yk_bounds_moves(&s->bounds, v, s->v_min))
        return s->bounds.tau;
    return yk_bounds_accept(&s->bounds, s->bounds.tau + s->gain * (sample->target - sample->measured) / v);
}

static const struct yk_param params[] = {
    YK_BOUNDS_PARAMS,
    YK_REAL(struct newton_desired, gain, YK_NUMBER, 0.05, YK_TINY, 1,
            "fraction of the lag that is corrected per step; 1: Newton's method"),
    YK_BOUNDS_V_MIN(struct newton_desired, "motion"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_newton_desired = {
    .name = "newton-desired",
    .summary = "integrates the lag of the measured displacement behind the target; closed loop only",
    .reference = "Wang 2012",
    .params = params,
    .size = sizeof(struct newton_desired),
    .init = yk_bounds_init,
    .reset = yk_bounds_reset,
    .update = update,
};
