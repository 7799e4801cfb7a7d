/* A compensator that commands x + delay v, for each actuator by itself; its twin is lead_together. */
#include <yoke/plugin.h>

struct lead {
    double unused;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    return YK_OK;
}

static void reset(void *self, double x0)
{
}

static double predict(void *self, const struct yk_target *target, double delay)
{
    return target->x + delay * target->v;
}

static const struct yk_param params[] = {YK_PARAM_END};

static const struct yk_compensator_ops compensator = {.name = "lead-alone",
                                                      .summary = "x + delay v",
                                                      .reference = "a test",
                                                      .params = params,
                                                      .size = sizeof(struct lead),
                                                      .init = init,
                                                      .reset = reset,
                                                      .predict = predict};

const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .compensator = &compensator};
