/* A plant like `first-order` without dead time: x' = (u - x)/time_constant, exact for a held drive. */
#include <yoke/plugin.h>

struct twin {
    double time_constant;
    double h, x, v;
};

static const struct yk_param params[] = {
    YK_REAL(struct twin, time_constant, YK_TIME, 10e-3, 1e-9, 1e6, "of the lag"),
    YK_PARAM_END,
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    ((struct twin *)self)->h = h;
    return YK_OK;
}

static void reset(void *self, double x0)
{
    struct twin *s = self;

    s->x = x0;
    s->v = 0;
}

static void step(void *self, double u, double force, struct yk_plant_output *out)
{
    struct twin *s = self;

    s->x = u + exp(-s->h / s->time_constant) * (s->x - u);
    const double v = (u - s->x) / s->time_constant;
    *out = (struct yk_plant_output){s->x, v, (v - s->v) / s->h};
    s->v = v;
}

static const struct yk_plant_ops plant = {
    .name = "twin",
    .summary = "a lag",
    .reference = "",
    .params = params,
    .size = sizeof(struct twin),
    .init = init,
    .reset = reset,
    .step = step,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .plant = &plant};
