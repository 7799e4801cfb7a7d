/* Bilinear hysteresis: a spring in parallel with a spring on a slider, slider.h. docs/theory/laws.md, eq. (10).
 * Units: N, m. */
#include "model/law/slider.h"

struct bilinear {
    struct yk_slider slider;
    double yield_slip;
};

static void rest(const void *settings, double d, double *state)
{
    state[0] = d;
    state[1] = 0;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct bilinear *s = settings;

    if (!(s->slider.hardening < 1))
        return yk_fail(err, YK_E_RANGE, "bilinear: hardening = %g is not below 1; use the law 'spring'",
                       s->slider.hardening);
    s->slider.low = -s->yield_slip;
    s->slider.high = s->yield_slip;
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_REAL(struct yk_slider, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "initial stiffness"),
    YK_REAL(struct yk_slider, hardening, YK_NUMBER, 0, 0, 1, "stiffness after yield over initial stiffness, below 1"),
    YK_REAL(struct bilinear, yield_slip, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6, "extension at first yield"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_bilinear = {
    .name = "bilinear",
    .summary = "bilinear hysteresis: f = hardening k d + (1 - hardening) k z, |z| <= yield_slip",
    .reference = "Mostaghel 1999",
    .params = params,
    .settings_size = sizeof(struct bilinear),
    .count = YK_SLIDER_COUNT,
    .prepare = prepare,
    .rest = rest,
    .force = yk_slider_force,
    .tangent = yk_slider_tangent,
    .forces = yk_slider_forces,
};
