/* Step. docs/theory/signals.md, eq. (2). */
#include "table.h"

struct step {
    double amplitude, at;
};

static const struct yk_param params[] = {
    YK_REAL(struct step, amplitude, YK_FORCE, YK_REQUIRED, -YK_HUGE, YK_HUGE, "value after the step"),
    YK_REAL(struct step, at, YK_TIME, 0, 0, YK_HUGE, "time of the step"),
    YK_PARAM_END,
};

YK_RT static double value(const void *settings, double t)
{
    const struct step *s = settings;

    return t < s->at ? 0 : s->amplitude;
}

const struct yk_signal_ops yk_signal_step = {
    .name = "step",
    .summary = "0 before `at`, amplitude from then on",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct step),
    .value = value,
};
