/* A servo of second order after a dead time: gain w^2 e^{-dead_time s}/(s^2 + 2 xi w s + w^2), w = 2 pi frequency.
 * docs/theory/control.md, eq. (3)-(5). Exact for a command held over each tick. Units: m, s, Hz. */
#include "transfer/dynamics.h"

#define TWO_PI 6.283185307179586

struct servo {
    double frequency, damping, gain, dead_time;
    /* private */
    struct yk_second_order_plant plant;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct servo *s = self;
    const struct yk_second_order model =
        yk_second_order_servo(s->gain, TWO_PI * s->frequency, s->damping, s->dead_time);

    return yk_second_order_init(&s->plant, &model, h, mem, err);
}

YK_RT static void reset(void *self, double x0)
{
    struct servo *s = self;

    yk_second_order_reset(&s->plant, x0);
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct servo *s = self;

    yk_second_order_step(&s->plant, u, out);
}

static const struct yk_param params[] = {
    YK_REAL(struct servo, frequency, YK_FREQUENCY, YK_REQUIRED, 1e-6, 1e9, "undamped natural frequency"),
    YK_REAL(struct servo, damping, YK_NUMBER, YK_REQUIRED, YK_TINY, 1000, "damping ratio"),
    YK_REAL(struct servo, gain, YK_NUMBER, 1, 1e-6, 1e6, "static gain"),
    YK_REAL(struct servo, dead_time, YK_TIME, 0, 0, 100, "dead time before the motion begins"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_servo = {
    .name = "servo",
    .summary = "second-order servo with any damping, after a dead time",
    .reference = "",
    .params = params,
    .size = sizeof(struct servo),
    .init = init,
    .reset = reset,
    .step = step,
};
