/* Sum of sines. docs/theory/signals.md, eq. (6). */
#include "table.h"

struct multi_sine {
    struct yk_reals amplitudes, frequencies, phases;
    double at;
};

static const struct yk_param params[] = {
    YK_REALS(struct multi_sine, amplitudes, YK_FORCE, YK_REQUIRED, -YK_HUGE, YK_HUGE, "one amplitude per sine"),
    YK_REALS(struct multi_sine, frequencies, YK_FREQUENCY, YK_REQUIRED, 0, YK_HUGE, "one frequency per sine"),
    YK_REALS(struct multi_sine, phases, YK_ANGLE, 0, -YK_HUGE, YK_HUGE, "one phase per sine; default: all zero"),
    YK_REAL(struct multi_sine, at, YK_TIME, 0, 0, YK_HUGE, "start time; the signal is 0 before"),
    YK_PARAM_END,
};

static enum yk_status prepare(void *settings, double end_s, struct yk_err *err)
{
    const struct multi_sine *s = settings;

    if (s->frequencies.n != s->amplitudes.n)
        return yk_fail(err, YK_E_INPUT, "multi-sine: %zu amplitudes but %zu frequencies", s->amplitudes.n,
                       s->frequencies.n);
    if (s->phases.n != 0 && s->phases.n != s->amplitudes.n)
        return yk_fail(err, YK_E_INPUT, "multi-sine: %zu amplitudes but %zu phases", s->amplitudes.n, s->phases.n);
    return YK_OK;
}

/* The sum, or its derivative. */
YK_RT static double sum(const struct multi_sine *s, double t, bool derivative)
{
    double sum = 0;

    for (size_t k = 0; k < s->amplitudes.n && t >= s->at; k++) {
        const double w = 2 * YK_PI * s->frequencies.x[k], angle = w * (t - s->at) + (s->phases.n ? s->phases.x[k] : 0);

        sum += derivative ? s->amplitudes.x[k] * w * cos(angle) : s->amplitudes.x[k] * sin(angle);
    }
    return sum;
}

YK_RT static double value(const void *settings, double t)
{
    return sum(settings, t, false);
}

YK_RT static double rate(const void *settings, double t)
{
    return sum(settings, t, true);
}

const struct yk_signal_ops yk_signal_multi_sine = {
    .name = "multi-sine",
    .summary = "sum of amplitudes[k] sin(2 pi frequencies[k] (t - at) + phases[k])",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct multi_sine),
    .prepare = prepare,
    .value = value,
    .rate = rate,
};
