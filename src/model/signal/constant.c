/* Constant. docs/theory/signals.md, eq. (1). */
#include "table.h"

struct constant {
    double amplitude;
};

static const struct yk_param params[] = {
    YK_REAL(struct constant, amplitude, YK_FORCE, YK_REQUIRED, -YK_HUGE, YK_HUGE, "the value"),
    YK_PARAM_END,
};

YK_RT static double value(const void *settings, double t)
{
    const struct constant *s = settings;

    return s->amplitude;
}

const struct yk_signal_ops yk_signal_constant = {
    .name = "constant",
    .summary = "amplitude",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct constant),
    .value = value,
};
