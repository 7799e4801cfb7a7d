/* Prediction from the last completed state, constant acceleration. docs/theory/delay.md, eq. (6).
 *
 *     x_c = x + H v + H^2/2 a,   H = time from that state to the due time of the target, plus the delay
 *
 * Exact for polynomials up to order 2. Does not look at the target itself, only at its due time. With data: step the
 * states are the ends of steps; with data: stage every stage is one. */
#include "transfer/compensate/past.h"

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    const struct yk_last_state *s = self;
    const double H = yk_last_state_ahead(s, target, delay);

    return s->x + H * (s->v + 0.5 * H * s->a);
}

static const struct yk_param params[] = {
    YK_LAST_STATE_PARAMS,
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_explicit_newmark = {
    .name = "explicit-newmark",
    .summary = "extrapolates the last completed state with its acceleration",
    .reference = "Ahmadizadeh, Mosqueda & Reinhorn 2008",
    .params = params,
    .size = sizeof(struct yk_last_state),
    .init = yk_last_state_init,
    .reset = yk_last_state_reset,
    .predict = predict,
    .reached = yk_last_state_take,
};
