/* Inverse of a first-order tracking model. docs/theory/delay.md, eq. (10)-(11).
 *
 *     x_c = alpha x[i+1] - (alpha - 1) x[i],   alpha = 1 + delay/D
 *
 * Undoes an actuator that covers 1/alpha of the way to its command in every D. Exact for straight lines. */
#include "transfer/compensate/past.h"

struct inverse {
    int data;
    double apart;
    struct yk_past past;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct inverse *s = self;

    return yk_past_init(&s->past, "inverse", dt, stages, s->data, s->apart, mem, err);
}

YK_RT static void reset(void *self, double x0)
{
    struct inverse *s = self;

    yk_past_reset(&s->past, x0);
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    struct inverse *s = self;
    const double alpha = 1 + yk_past_eta(delay, s->past.D);
    const double *row = yk_past_push(&s->past, target);

    return alpha * row[0] - (alpha - 1) * row[1];
}

static const struct yk_param params[] = {
    YK_CHOICE(struct inverse, data, YK_PAST_CHOICES, YK_PAST_STEP, YK_PAST_HELP),
    YK_PAST_APART(struct inverse),
    YK_PARAM_END,
};

const struct yk_compensator_ops yk_compensator_inverse = {
    .name = "inverse",
    .summary = "inverts a first-order model of the actuator",
    .reference = "Chen & Ricles 2009",
    .params = params,
    .size = sizeof(struct inverse),
    .init = init,
    .reset = reset,
    .predict = predict,
};
