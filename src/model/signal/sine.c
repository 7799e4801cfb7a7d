/* Sine. docs/theory/signals.md, eq. (5). */
#include "table.h"

struct sine {
    double amplitude, frequency, phase, at;
};

static const struct yk_param params[] = {
    YK_REAL(struct sine, amplitude, YK_FORCE, YK_REQUIRED, -YK_HUGE, YK_HUGE, "largest value"),
    YK_REAL(struct sine, frequency, YK_FREQUENCY, YK_REQUIRED, 0, YK_HUGE, "cycles per second"),
    YK_REAL(struct sine, phase, YK_ANGLE, 0, -YK_HUGE, YK_HUGE, "angle at the start, rad or deg"),
    YK_REAL(struct sine, at, YK_TIME, 0, 0, YK_HUGE, "start time; the signal is 0 before"),
    YK_PARAM_END,
};

YK_RT static double value(const void *settings, double t)
{
    const struct sine *s = settings;

    return t < s->at ? 0 : s->amplitude * sin(2 * YK_PI * s->frequency * (t - s->at) + s->phase);
}

YK_RT static double rate(const void *settings, double t)
{
    const struct sine *s = settings;
    const double w = 2 * YK_PI * s->frequency;

    return t < s->at ? 0 : s->amplitude * w * cos(w * (t - s->at) + s->phase);
}

const struct yk_signal_ops yk_signal_sine = {
    .name = "sine",
    .summary = "amplitude sin(2 pi frequency (t - at) + phase)",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct sine),
    .value = value,
    .rate = rate,
};
