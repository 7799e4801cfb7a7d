/* Sine sweep whose frequency moves linearly or exponentially. docs/theory/signals.md, eq. (7)-(9). */
#include "table.h"

struct sweep {
    double amplitude, from, to, duration, at;
    int spacing;

    double length_s; /* duration, or what is left of the run */
    double growth;   /* ln(to/from), 0 when linear           */
};

enum { LINEAR, LOG };

static const struct yk_param params[] = {
    YK_REAL(struct sweep, amplitude, YK_FORCE, YK_REQUIRED, -YK_HUGE, YK_HUGE, "largest value"),
    YK_REAL(struct sweep, from, YK_FREQUENCY, YK_REQUIRED, 0, YK_HUGE, "frequency at the start"),
    YK_REAL(struct sweep, to, YK_FREQUENCY, YK_REQUIRED, 0, YK_HUGE, "frequency at the end"),
    YK_REAL(struct sweep, duration, YK_TIME, 0, 0, YK_HUGE,
            "duration, after which the signal is 0; 0: until the run ends"),
    YK_REAL(struct sweep, at, YK_TIME, 0, 0, YK_HUGE, "start time; the signal is 0 before"),
    YK_CHOICE(struct sweep, spacing, "linear|log", LINEAR, "how the frequency moves with time"),
    YK_PARAM_END,
};

static enum yk_status prepare(void *settings, double end_s, struct yk_err *err)
{
    struct sweep *s = settings;

    s->length_s = s->duration > 0 ? s->duration : end_s - s->at;
    if (!(s->length_s > 0))
        return yk_fail(err, YK_E_RANGE, "sweep: at = %g s leaves nothing of a run that ends at %g s", s->at, end_s);
    if (s->spacing == LOG && !(s->from > 0 && s->to > 0))
        return yk_fail(err, YK_E_RANGE, "sweep: log spacing needs frequencies above zero, not %g Hz to %g Hz", s->from,
                       s->to);
    s->growth = s->spacing == LOG ? log(s->to / s->from) : 0;
    return YK_OK;
}

/* Cycles since the start: eq. (8) and, where the frequency does not move linearly, eq. (9). */
YK_RT static double cycles(const struct sweep *s, double t)
{
    const double x = t / s->length_s;

    if (s->growth == 0)
        return t * (s->from + 0.5 * (s->to - s->from) * x);
    return s->from * s->length_s * expm1(s->growth * x) / s->growth;
}

YK_RT static double value(const void *settings, double t)
{
    const struct sweep *s = settings;
    const double since = t - s->at;

    return since < 0 || since > s->length_s ? 0 : s->amplitude * sin(2 * YK_PI * cycles(s, since));
}

const struct yk_signal_ops yk_signal_sweep = {
    .name = "sweep",
    .summary = "amplitude sin(phase), its frequency moving from `from` to `to` over the duration",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct sweep),
    .prepare = prepare,
    .value = value,
};
