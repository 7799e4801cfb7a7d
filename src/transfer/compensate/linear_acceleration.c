/* Prediction from the last completed state, acceleration extrapolated linearly. docs/theory/delay.md, eq. (7).
 *
 *     x_c = x + H v + H^2/3 a + H^2/6 a',   a' = a + H (a - a_before)/D
 *
 * H: time from that state to the due time of the target, plus the delay; D: from the state before to it. Exact for
 * polynomials up to order 3. Starts with a_before = a. With data: step the states are the ends of steps; with data:
 * stage every stage is one. */
#include "transfer/compensate/past.h"

struct linear_acceleration {
    int data;
    double dt, D;
    double x, v, a, before; /* before: a of the state before */
    bool started;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct linear_acceleration *s = self;

    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "linear-acceleration: step = %g s is not above 0", dt);
    s->dt = dt;
    s->D = s->data == YK_PAST_STAGE ? dt / stages : dt;
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
    struct linear_acceleration *s = self;

    s->x = x0;
    s->v = s->a = s->before = 0;
    s->started = false;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    const struct linear_acceleration *s = self;
    const double H = yk_past_ahead(s->data, s->dt, target) + (delay > 0 ? delay : 0);
    const double then = s->a + H / s->D * (s->a - s->before);

    return s->x + H * s->v + H * H * (2 * s->a + then) / 6;
}

YK_RT static void reached(void *self, const struct yk_target *state)
{
    struct linear_acceleration *s = self;

    if (!yk_past_counts(s->data, state))
        return;
    s->before = s->started ? s->a : state->a;
    s->started = true;
    s->x = state->x;
    s->v = state->v;
    s->a = state->a;
}

static const struct yk_param params[] = {
    YK_CHOICE(struct linear_acceleration, data, YK_PAST_CHOICES, YK_PAST_STAGE, YK_REACHED_HELP),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_linear_acceleration = {
    .name = "linear-acceleration",
    .summary = "extrapolates the last completed state with a linear acceleration",
    .reference = "Horiuchi & Konno 2001",
    .params = params,
    .size = sizeof(struct linear_acceleration),
    .init = init,
    .reset = reset,
    .predict = predict,
    .reached = reached,
};
