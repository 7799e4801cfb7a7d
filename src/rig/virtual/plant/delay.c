/* A pure delay of any length on top of the ideal plant, straight lines between the commands of two ticks.
 * docs/theory/control.md, eq. (9), (9a). It may swing about its mean, for estimators to follow. Rates are differences.
 * Units: m, s. */
#include "transfer/dynamics.h"

struct delay {
    double delay, gain, swing, frequency; /* s, -, s, Hz */
    /* private */
    double h;
    long tick;
    struct yk_delay_line line;
    struct yk_plant_output last;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct delay *s = self;
    enum yk_status st = yk_tick_check(h, "delay", err);

    s->h = h;
    s->tick = 0;
    s->last = (struct yk_plant_output){0};
    if (!st && s->swing > s->delay)
        st = yk_fail(err, YK_E_RANGE, "delay: swing = %g s is more than the delay of %g s", s->swing, s->delay);
    return st ? st : yk_delay_line_init(&s->line, s->delay + s->swing, h, mem, err);
}

YK_RT static void reset(void *self, double x0)
{
    struct delay *s = self;

    s->tick = 0;
    s->last = (struct yk_plant_output){.x = x0};
    yk_delay_line_reset(&s->line, x0 / s->gain);
}

/* eq. (9a), in ticks, at the end of this one. */
YK_RT static double lag(const struct delay *s)
{
    return (s->delay + s->swing * sin(2 * M_PI * s->frequency * (double)s->tick * s->h)) / s->h;
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct delay *s = self;
    const struct yk_delay_line *line = &s->line;
    size_t whole = line->whole;
    double rest = line->rest;

    yk_delay_line_push(&s->line, u);
    s->tick++;
    if (s->swing > 0) {
        const double ticks = fmax(lag(s), 0);

        whole = (size_t)ticks;
        rest = ticks - (double)whole;
    }
    const double later = yk_delay_line_get(line, whole), earlier = yk_delay_line_get(line, whole + 1);
    const double x = s->gain * (later + rest * (earlier - later)), v = (x - s->last.x) / s->h;
    s->last = (struct yk_plant_output){x, v, (v - s->last.v) / s->h};
    *out = s->last;
}

static const struct yk_param params[] = {
    YK_REAL(struct delay, delay, YK_TIME, YK_REQUIRED, 0, 100, "delay behind the ideal plant"),
    YK_REAL(struct delay, gain, YK_NUMBER, 1, 1e-6, 1e6, "static gain"),
    YK_REAL(struct delay, swing, YK_TIME, 0, 0, 100,
            "amplitude of a sinusoidal variation of the delay; at most the delay"),
    YK_REAL(struct delay, frequency, YK_FREQUENCY, 0.1, 0, 1e6, YK_WHEN("swing", "frequency of this variation")),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_delay = {
    .name = "delay",
    .summary = "follows the command after a fixed or oscillating delay",
    .reference = "",
    .params = params,
    .size = sizeof(struct delay),
    .init = init,
    .reset = reset,
    .step = step,
};
