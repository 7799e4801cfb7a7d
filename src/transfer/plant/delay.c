/* A pure delay of any length on top of the ideal plant, straight lines between the drives of two ticks.
 * docs/theory/control.md, eq. (9). Rates are differences. Units: m, s. */
#include "transfer/plant/dynamics.h"

struct delay {
    double delay; /* s */
    /* private */
    double h;
    struct yk_delay_line line;
    struct yk_plant_output last;
};

static enum yk_status init(void *self, double h, struct yk_err *err)
{
    struct delay *s = self;
    enum yk_status st = yk_tick_check(h, "delay", err);

    s->h = h;
    s->last = (struct yk_plant_output){0};
    return st ? st : yk_delay_line_init(&s->line, s->delay, h, err);
}

static void fini(void *self)
{
    struct delay *s = self;

    yk_delay_line_fini(&s->line);
}

YK_RT static void reset(void *self, double x0)
{
    struct delay *s = self;

    s->last = (struct yk_plant_output){.x = x0};
    yk_delay_line_reset(&s->line, x0);
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct delay *s = self;
    const struct yk_delay_line *line = &s->line;

    yk_delay_line_push(&s->line, u);
    const double later = yk_delay_line_get(line, line->whole), earlier = yk_delay_line_get(line, line->whole + 1);
    const double x = later + line->rest * (earlier - later), v = (x - s->last.x) / s->h;
    s->last = (struct yk_plant_output){x, v, (v - s->last.v) / s->h};
    *out = s->last;
}

static const struct yk_param params[] = {
    YK_REAL(struct delay, delay, YK_TIME, YK_REQUIRED, 0, 100, "by which it is behind the ideal plant"),
    YK_PARAM_END,
};

const struct yk_plant_ops yk_plant_delay = {
    .name = "delay",
    .summary = "follows the drive after a fixed time",
    .reference = "",
    .params = params,
    .size = sizeof(struct delay),
    .init = init,
    .fini = fini,
    .reset = reset,
    .step = step,
};
