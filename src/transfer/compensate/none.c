/* No compensation: the target is the command. */
#include <yoke/transfer.h>

struct none {
    char unused;
};

static enum yk_status init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
}

YK_RT static double predict(void *self, const struct yk_target *target, double delay)
{
    return target->x;
}

static const struct yk_param params[] = {YK_PARAM_END};

const struct yk_compensator_ops yk_compensator_none = {
    .name = "none",
    .summary = "commands the target itself",
    .reference = "-",
    .params = params,
    .size = sizeof(struct none),
    .init = init,
    .reset = reset,
    .predict = predict,
};
