/* The same for several actuators together; the delay is its own setting. */
#include <yoke/plugin.h>

struct lead {
    double lead;
    size_t n;
};

static enum yk_status init(void *self, size_t n, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    ((struct lead *)self)->n = n;
    return YK_OK;
}

static void reset(void *self, const double *x0)
{
}

static void predict(void *self, const struct yk_target *targets, const double *delays, double *commands)
{
    const struct lead *s = self;

    for (size_t i = 0; i < s->n; i++)
        commands[i] = targets[i].x + s->lead * targets[i].v;
}

static const struct yk_param params[] = {YK_REAL(struct lead, lead, YK_TIME, YK_REQUIRED, 0, 1, "of all"),
                                         YK_PARAM_END};

static const struct yk_joint_compensator_ops joint = {.init = init, .reset = reset, .predict = predict};
static const struct yk_compensator_ops compensator = {.name = "lead-together",
                                                      .summary = "x + delay v",
                                                      .reference = "a test",
                                                      .params = params,
                                                      .size = sizeof(struct lead),
                                                      .joint = &joint};

const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .compensator = &compensator};
