/* Prediction from the last completed state, acceleration extrapolated linearly. docs/theory/delay.md, eq. (7).
 *
 *     x_c = x + H v + H^2/3 a + H^2/6 a',   a' = a + H (a - a_before)/D
 *
 * H: time from that state to the due time of the target, plus the delay; D: from the state before to it. Exact for
 * polynomials up to order 3. Starts with a_before = a. With data: step the states are the ends of steps; with data:
 * stage every stage is one. */
#include "transfer/compensate/past.h"

struct linear_acceleration {
    struct yk_last_state last;
    double before; /* a of the state before */
    bool started;
};

YK_RT static void reset(void *self, double x0)
{
    struct linear_acceleration *s = self;

    yk_last_state_reset(self, x0);
    s->before = 0;
    s->started = false;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    const struct yk_last_state *s = self;
    const double H = yk_last_state_ahead(s, target, delay);
    const double then = s->a + H / s->D * (s->a - ((struct linear_acceleration *)self)->before);

    return s->x + H * s->v + H * H * (2 * s->a + then) / 6;
}

YK_RT static void reached(void *self, const struct yk_target *state)
{
    struct linear_acceleration *s = self;

    if (!yk_past_counts(s->last.data, state))
        return;
    s->before = s->started ? s->last.a : state->a;
    s->started = true;
    yk_last_state_take(self, state);
}

static const struct yk_param params[] = {
    YK_LAST_STATE_PARAMS,
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_linear_acceleration = {
    .name = "linear-acceleration",
    .summary = "extrapolates the last completed state with a linear acceleration",
    .reference = "Horiuchi & Konno 2001",
    .params = params,
    .size = sizeof(struct linear_acceleration),
    .init = yk_last_state_init,
    .reset = reset,
    .predict = predict,
    .reached = reached,
};
