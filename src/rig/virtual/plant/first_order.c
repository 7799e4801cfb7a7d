/* First-order lag after a dead time: gain e^{-dead_time s}/(time_constant s + 1). docs/theory/control.md, eq. (2),
 * (81). Exact for a command held over each tick, at any fraction of a tick; the velocity jumps with the command, so the
 * acceleration is its mean over the tick. A lead makes it faster when extending: time_constant/(1 + lead), and
 * time_constant/(1 - lead) when retracting; a held command never changes the direction. Units: m, s. */
#include "transfer/dynamics.h"

struct first_order {
    double gain, time_constant, dead_time, lead;
    /* private */
    /* left of a deviation before and after the held command changes: retracting, extending */
    double keep[2][2], lag[2];
    struct yk_delay_line line;
    double h, x, v;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct first_order *s = self;
    enum yk_status st = yk_tick_check(h, "first-order", err);

    if (st || (st = yk_delay_line_init(&s->line, s->dead_time, h, mem, err)))
        return st;
    for (int i = 0; i < 2; i++) {
        s->lag[i] = s->time_constant / (1 + (i ? s->lead : -s->lead));
        s->keep[0][i] = exp(-s->line.rest * h / s->lag[i]);
        s->keep[1][i] = exp(-(1 - s->line.rest) * h / s->lag[i]);
    }
    s->h = h;
    s->x = s->v = 0;
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
    struct first_order *s = self;

    s->x = x0;
    s->v = 0;
    yk_delay_line_reset(&s->line, x0 / s->gain);
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct first_order *s = self;

    yk_delay_line_push(&s->line, u);
    const double before = s->gain * yk_delay_line_get(&s->line, s->line.whole + 1);
    const double after = s->gain * yk_delay_line_get(&s->line, s->line.whole);
    s->x = before + s->keep[0][before > s->x] * (s->x - before);
    s->x = after + s->keep[1][after > s->x] * (s->x - after);
    out->x = s->x;
    out->v = (after - s->x) / s->lag[after > s->x];
    out->a = (out->v - s->v) / s->h;
    s->v = out->v;
}

static const struct yk_param params[] = {
    YK_REAL(struct first_order, gain, YK_NUMBER, 1, 1e-6, 1e6, "static gain"),
    YK_REAL(struct first_order, time_constant, YK_TIME, YK_REQUIRED, 1e-9, 1e6, "time constant of the lag"),
    YK_REAL(struct first_order, dead_time, YK_TIME, 0, 0, 100, "dead time before the motion begins"),
    YK_REAL(struct first_order, lead, YK_NUMBER, 0, -0.9, 0.9,
            "faster by this when extending, slower when retracting; 0: the same both ways"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_first_order = {
    .name = "first-order",
    .summary = "first-order lag after a dead time",
    .reference = "",
    .params = params,
    .size = sizeof(struct first_order),
    .init = init,
    .reset = reset,
    .step = step,
};
