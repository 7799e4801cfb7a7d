/* Delay from the first-order expansion measured = gain (command - tau command'). docs/theory/delay.md, eq. (30).
 *
 *     tau = (k y_c - y_m)/(k y_c'),   at the sample before, y_c' its central difference
 *
 * Error tau^2/2 y_c''/y_c': small while the command is fast, large near peaks, where v_min stops it. */
#include "transfer/estimate/three.h"

struct taylor {
    struct yk_delay_bounds bounds;
    double gain, v_min;
    struct yk_three last;
};

YK_RT static double update(void *self, const struct yk_tracking *sample)
{
    struct taylor *s = self;

    if (!yk_tracking_finite(sample))
        return s->bounds.tau;
    yk_three_push(&s->last, sample->command, sample->measured);
    if (yk_bounds_count(&s->bounds) < 3)
        return s->bounds.tau;
    const double v = yk_three_way(s->last.given) / (2 * s->bounds.dt);
    if (!yk_bounds_moves(&s->bounds, v, s->v_min))
        return s->bounds.tau;
    return yk_bounds_accept(&s->bounds, (s->last.given[1] - s->last.measured[1] / s->gain) / v);
}

static const struct yk_param params[] = {
    YK_BOUNDS_RATED_PARAMS,
    YK_REAL(struct taylor, gain, YK_NUMBER, 1, 1e-3, 1e3, "gain of the actuator: measured displacement over command"),
    YK_BOUNDS_V_MIN(struct taylor, "command"),
    YK_PARAM_END,
};

const struct yk_estimator_ops yk_estimator_taylor = {
    .name = "taylor",
    .summary = "lag divided by the velocity of the command, computed anew in every step",
    .reference = "Wang 2012",
    .params = params,
    .size = sizeof(struct taylor),
    .init = yk_bounds_init,
    .reset = yk_bounds_reset,
    .update = update,
};
