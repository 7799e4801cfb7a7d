/* An estimator that moves to the delay it is told, a list whose last entry counts, at a constant rate. */
#include <yoke/plugin.h>

struct twin {
    struct yk_reals delays; /* s */
    double tau;
};

static const struct yk_param params[] = {
    YK_REALS(struct twin, delays, YK_TIME, 0, 0, 1, "of which the last is believed"),
    YK_PARAM_END,
};

static enum yk_status init(void *self, double dt, struct yk_arena *mem, struct yk_err *err)
{
    return YK_OK;
}

static void reset(void *self, double nominal)
{
    ((struct twin *)self)->tau = nominal;
}

static double update(void *self, const struct yk_tracking *sample)
{
    struct twin *s = self;

    if (s->delays.n)
        s->tau += fmin(fmax(s->delays.x[s->delays.n - 1] - s->tau, -1e-4), 1e-4);
    return s->tau;
}

static const struct yk_estimator_ops estimator = {
    .name = "twin",
    .summary = "what it is told",
    .reference = "",
    .params = params,
    .size = sizeof(struct twin),
    .init = init,
    .reset = reset,
    .update = update,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .estimator = &estimator};
