/* Prediction from the last completed state, constant acceleration. docs/theory/delay.md, eq. (6).
 *
 *     x_c = x + H v + H^2/2 a,   H = time from that state to the due time of the target, plus the delay
 *
 * Exact for polynomials up to order 2. Does not look at the target itself, only at its due time. With data: step the
 * states are the ends of steps; with data: stage every stage is one. */
#include "transfer/compensate/past.h"

struct explicit_newmark {
    int data;
    double dt;
    double x, v, a;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct explicit_newmark *s = self;

    if (!(dt > 0 && isfinite(dt)))
        return yk_fail(err, YK_E_RANGE, "explicit-newmark: step = %g s is not above 0", dt);
    s->dt = dt;
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
    struct explicit_newmark *s = self;

    s->x = x0;
    s->v = s->a = 0;
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    const struct explicit_newmark *s = self;
    const double H = yk_past_ahead(s->data, s->dt, target) + (delay > 0 ? delay : 0);

    return s->x + H * (s->v + 0.5 * H * s->a);
}

YK_RT static void reached(void *self, const struct yk_target *state)
{
    struct explicit_newmark *s = self;

    if (!yk_past_counts(s->data, state))
        return;
    s->x = state->x;
    s->v = state->v;
    s->a = state->a;
}

static const struct yk_param params[] = {
    YK_CHOICE(struct explicit_newmark, data, YK_PAST_CHOICES, YK_PAST_STAGE, YK_REACHED_HELP),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_explicit_newmark = {
    .name = "explicit-newmark",
    .summary = "extrapolates the last completed state with its acceleration",
    .reference = "Ahmadizadeh, Mosqueda & Reinhorn 2008",
    .params = params,
    .size = sizeof(struct explicit_newmark),
    .init = init,
    .reset = reset,
    .predict = predict,
    .reached = reached,
};
