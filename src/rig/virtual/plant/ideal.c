/* An actuator that is where the command says at the end of the tick; no specimen can hold it up.
 * docs/theory/control.md, eq. (8). Rates are differences of the command. Units: m, s. */
#include "transfer/dynamics.h"

struct ideal {
    double h;
    struct yk_plant_output last;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct ideal *s = self;

    s->h = h;
    s->last = (struct yk_plant_output){0};
    return yk_tick_check(h, "ideal", err);
}

YK_RT static void reset(void *self, double x0)
{
    struct ideal *s = self;

    s->last = (struct yk_plant_output){.x = x0};
}

YK_RT static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct ideal *s = self;
    const double v = (u - s->last.x) / s->h;

    s->last = (struct yk_plant_output){u, v, (v - s->last.v) / s->h};
    *out = s->last;
}

static const struct yk_param params[] = {YK_PARAM_END};

const struct yk_plant_ops yk_plant_ideal = {
    .name = "ideal",
    .summary = "follows the command at once",
    .reference = "",
    .params = params,
    .size = sizeof(struct ideal),
    .init = init,
    .reset = reset,
    .step = step,
};
