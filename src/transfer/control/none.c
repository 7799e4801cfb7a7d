/* No outer loop: the command is sent as it is. Units: m. */
#include <yoke/transfer.h>

struct none {
    char nothing;
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    return YK_OK;
}

YK_RT static void reset(void *self, double x0)
{
}

YK_RT static double step(void *self, double command, double measured)
{
    return command;
}

static const struct yk_param params[] = {YK_PARAM_END};

const struct yk_controller_ops yk_controller_none = {
    .name = "none",
    .summary = "sends the command unchanged",
    .reference = "",
    .params = params,
    .size = sizeof(struct none),
    .init = init,
    .reset = reset,
    .step = step,
};
