/* Ramp: a straight rise, then constant. docs/theory/signals.md, eq. (3). */
#include "table.h"

struct ramp {
    double amplitude, from, to;
};

static const struct yk_param params[] = {
    YK_REAL(struct ramp, amplitude, YK_FORCE, YK_REQUIRED, -YK_HUGE, YK_HUGE, "value at the end of the rise"),
    YK_REAL(struct ramp, from, YK_TIME, 0, 0, YK_HUGE, "time the rise begins"),
    YK_REAL(struct ramp, to, YK_TIME, YK_REQUIRED, 0, YK_HUGE, "time the rise ends"),
    YK_PARAM_END,
};

static enum yk_status prepare(void *settings, double end_s, struct yk_err *err)
{
    const struct ramp *s = settings;

    if (!(s->to > s->from))
        return yk_fail(err, YK_E_RANGE, "ramp: to = %g s is not after from = %g s", s->to, s->from);
    return YK_OK;
}

YK_RT static double value(const void *settings, double t)
{
    const struct ramp *s = settings;

    if (t <= s->from)
        return 0;
    return t >= s->to ? s->amplitude : s->amplitude * (t - s->from) / (s->to - s->from);
}

const struct yk_signal_ops yk_signal_ramp = {
    .name = "ramp",
    .summary = "0 until `from`, a straight rise to amplitude at `to`, constant after",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct ramp),
    .prepare = prepare,
    .value = value,
};
