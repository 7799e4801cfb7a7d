/* Half a period of a sine, a shock. docs/theory/signals.md, eq. (4). */
#include "table.h"

struct half_sine {
    double amplitude, duration, at;
};

static const struct yk_param params[] = {
    YK_REAL(struct half_sine, amplitude, YK_FORCE, YK_REQUIRED, -YK_HUGE, YK_HUGE, "value at the middle"),
    YK_REAL(struct half_sine, duration, YK_TIME, YK_REQUIRED, YK_TINY, YK_HUGE, "length of the pulse"),
    YK_REAL(struct half_sine, at, YK_TIME, 0, 0, YK_HUGE, "time the pulse begins"),
    YK_PARAM_END,
};

YK_RT static double value(const void *settings, double t)
{
    const struct half_sine *s = settings;
    const double x = (t - s->at) / s->duration;

    return x > 0 && x < 1 ? s->amplitude * sin(YK_PI * x) : 0;
}

const struct yk_signal_ops yk_signal_half_sine = {
    .name = "half-sine",
    .summary = "amplitude sin(pi (t - at)/duration) for the duration, else 0",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct half_sine),
    .value = value,
};
