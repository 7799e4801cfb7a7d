/* A compensator that goes on along the line through the last two targets, as `lagrange` of order 1 does. */
#include <yoke/plugin.h>

struct twin {
    double share; /* of the delay */
    double D, last;
};

static const struct yk_param params[] = {
    YK_REAL(struct twin, share, YK_NUMBER, 1, 0, 2, "of the delay that is compensated"),
    YK_PARAM_END,
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    ((struct twin *)self)->D = dt / stages;
    return YK_OK;
}

static void reset(void *self, double x0)
{
    ((struct twin *)self)->last = x0;
}

static double predict(void *self, const struct yk_target *target, double delay)
{
    struct twin *s = self;
    const double ahead = target->x + s->share * delay / s->D * (target->x - s->last);

    s->last = target->x;
    return ahead;
}

static const struct yk_compensator_ops compensator = {
    .name = "twin",
    .summary = "a line",
    .reference = "",
    .params = params,
    .size = sizeof(struct twin),
    .init = init,
    .reset = reset,
    .predict = predict,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .compensator = &compensator};
