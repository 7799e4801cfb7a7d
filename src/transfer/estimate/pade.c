/* Delay from the Pade form measured + tau/2 measured' = command - tau/2 command'. docs/theory/delay.md, eq. (31).
 *
 *     tau = 2 (y_c - y_m)/(y_c' + y_m'),   at the sample before, central differences
 *
 * Constant on a sine, 2 tan(w tau/2)/w (w dt)/sin(w dt). The gain of the actuator must be one. */
#include "transfer/estimate/three.h"

struct pade {
    struct yk_delay_bounds bounds;
    double v_min;
    struct yk_three last;
};

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct pade *s = self;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    yk_three_push(&s->last, sample->command, sample->measured);
    if (yk_bounds_count(&s->bounds) < 3)
        return s->bounds.tau;
    const double v = (yk_three_way(s->last.given) + yk_three_way(s->last.measured)) / (4 * s->bounds.dt);
    if (!yk_bounds_moves(&s->bounds, v, s->v_min))
        return s->bounds.tau;
    return yk_bounds_accept(&s->bounds, (s->last.given[1] - s->last.measured[1]) / v);
}

static const struct yk_param params[] = {
    YK_BOUNDS_RATED_PARAMS,
    YK_BOUNDS_V_MIN(struct pade, "mean motion"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_pade = {
    .name = "pade",
    .summary = "lag divided by the mean velocity of command and measurement, computed anew in every step",
    .reference = "Wang 2012",
    .params = params,
    .size = sizeof(struct pade),
    .init = yk_bounds_init,
    .reset = yk_bounds_reset,
    .update = update,
};
