/* A compensator that does nothing; what is wrong with it is said by those who include it: NAME, SIZE, PREDICT, SETTING.
 */
#include <yoke/plugin.h>

struct bad {
    double gain;
    char *library;
};

static const struct yk_param params[] = {
    SETTING,
    YK_PARAM_END,
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    return YK_OK;
}

static void reset(void *self, double x0)
{
}

static inline double predict(void *self, const struct yk_target *target, double delay)
{
    return target->x;
}

static const struct yk_compensator_ops compensator = {
    .name = NAME,
    .summary = "does nothing",
    .reference = "",
    .params = params,
    .size = SIZE,
    .init = init,
    .reset = reset,
    .predict = PREDICT,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .compensator = &compensator};
