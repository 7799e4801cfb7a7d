/* A sensor with its errors and its converter. docs/theory/control.md, eq. (33). Readings are reproducible: every step
 * takes the same number of random numbers, whatever the settings. */
#include "rig/virtual/sensor.h"

#include <yoke/random.h>

#define TWO_PI 6.283185307179586

/* Uniform in (0, 1). */
YK_RT static double uniform(uint64_t *state)
{
    return (yk_draw_bits(state) + 0.5) * 0x1p-53;
}

/* Box and Muller 1958, times the deviation; both numbers are taken even where there is no noise. */
YK_RT static double gaussian(uint64_t *state, double deviation)
{
    const double first = uniform(state), second = uniform(state);

    return deviation > 0 ? deviation * (sqrt(-2 * log(first)) * cos(TWO_PI * second)) : 0;
}

YK_RT static double limited(const struct yk_sensor *s, double y)
{
    if (s->saturation > 0)
        y = fmax(-s->saturation, fmin(y, s->saturation));
    return s->quantum > 0 ? s->quantum * round(y / s->quantum) : y;
}

enum yk_status yk_sensor_init(struct yk_sensor *s, struct yk_err *err)
{
    if (!(isfinite(s->bias) && isfinite(s->gain)))
        return yk_fail(err, YK_E_RANGE, "sensor: bias = %g, gain = %g must be finite", s->bias, s->gain);
    if (!(s->noise >= 0 && s->quantum >= 0 && s->saturation >= 0))
        return yk_fail(err, YK_E_RANGE, "sensor: noise = %g, quantum = %g, saturation = %g must not be negative",
                       s->noise, s->quantum, s->saturation);
    if (!(s->dropout >= 0 && s->dropout <= 1))
        return yk_fail(err, YK_E_RANGE, "sensor: dropout = %g is outside 0 .. 1", s->dropout);
    if (!(s->skew >= 0 && s->skew <= 1))
        return yk_fail(err, YK_E_RANGE, "sensor: skew = %g ticks is outside 0 .. 1", s->skew);
    yk_sensor_reset(s, 0);
    return YK_OK;
}

YK_RT void yk_sensor_reset(struct yk_sensor *s, double x0)
{
    const double y = s->gain * x0 + s->bias;

    /* never zero, and far apart for neighbouring seeds */
    s->random = ((uint64_t)(unsigned)s->seed + 1) * 0x9e3779b97f4a7c15u;
    uniform(&s->random);
    yk_filter_reset(&s->filter, y);
    s->before = x0;
    s->last = limited(s, y);
}

/* eq. (33), (33a) */
YK_RT double yk_sensor_step(struct yk_sensor *s, double x)
{
    const double noise = gaussian(&s->random, s->noise);
    const double seen = x - s->skew * (x - s->before);
    const double y = limited(s, yk_filter_step(&s->filter, s->gain * seen + s->bias + noise));

    s->before = x;
    if (!(uniform(&s->random) < s->dropout))
        s->last = y;
    return s->last;
}
