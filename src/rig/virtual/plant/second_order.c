/* Two lags in series after a dead time: gain e^{-dead_time s}/((T1 s + 1)(T2 s + 1)). docs/theory/control.md, eq.
 * (3)-(5). Exact for a command held over each tick. Units: m, s. */
#include "transfer/dynamics.h"

struct second_order {
    double gain, T1, T2, dead_time;
    /* private */
    struct yk_second_order_plant plant;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct second_order *s = self;
    const struct yk_second_order model = yk_second_order_lags(s->gain, s->T1, s->T2, s->dead_time);

    return yk_second_order_init(&s->plant, &model, h, mem, err);
}

YK_RT static void reset(void *self, double x0)
{
    struct second_order *s = self;

    yk_second_order_reset(&s->plant, x0);
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct second_order *s = self;

    yk_second_order_step(&s->plant, u, out);
}

static const struct yk_param params[] = {
    YK_REAL(struct second_order, gain, YK_NUMBER, 1, 1e-6, 1e6, "static gain"),
    YK_REAL(struct second_order, T1, YK_TIME, YK_REQUIRED, 1e-9, 1e6, "time constant of one lag"),
    YK_REAL(struct second_order, T2, YK_TIME, YK_REQUIRED, 1e-9, 1e6, "time constant of the other"),
    YK_REAL(struct second_order, dead_time, YK_TIME, 0, 0, 100, "dead time before the motion begins"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_second_order = {
    .name = "second-order",
    .summary = "two first-order lags after a dead time",
    .reference = "",
    .params = params,
    .size = sizeof(struct second_order),
    .init = init,
    .reset = reset,
    .step = step,
};
