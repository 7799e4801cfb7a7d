/* Elastic and perfectly plastic, with a limit on each side: a spring on a slider, slider.h. docs/theory/laws.md, eq.
 * (16). Units: N, m. */
#include "model/law/slider.h"

struct elastoplastic {
    struct yk_slider slider;
    double yield_positive, yield_negative, offset;
};

static void rest(const void *settings, double d, double *state)
{
    const struct elastoplastic *s = settings;

    state[0] = d;
    state[1] = -s->offset;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct elastoplastic *s = settings;

    s->slider.high = s->yield_positive;
    s->slider.low = s->yield_negative > 0 ? -s->yield_negative : -s->yield_positive;
    if (!(-s->offset >= s->slider.low && -s->offset <= s->slider.high))
        return yk_fail(err, YK_E_RANGE, "elastoplastic: offset = %g yields at rest; allowed are %g .. %g", s->offset,
                       -s->slider.high, -s->slider.low);
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_REAL(struct yk_slider, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "stiffness before yield"),
    YK_REAL(struct elastoplastic, yield_positive, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6,
            "extension at yield in tension"),
    YK_REAL(struct elastoplastic, yield_negative, YK_DISPLACEMENT, 0, 0, 1e6,
            YK_HINT("; give the magnitude", "extension at yield in compression, as a magnitude; 0: as in tension")),
    YK_REAL(struct elastoplastic, offset, YK_DISPLACEMENT, 0, -1e6, 1e6, "extension without force at the beginning"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_elastoplastic = {
    .name = "elastoplastic",
    .summary = "elastic-perfectly plastic: f = k z, -yield_negative <= z <= yield_positive, z = d - offset at first",
    .reference = "Prandtl 1928",
    .params = params,
    .settings_size = sizeof(struct elastoplastic),
    .count = YK_SLIDER_COUNT,
    .prepare = prepare,
    .rest = rest,
    .force = yk_slider_force,
    .tangent = yk_slider_tangent,
    .forces = yk_slider_forces,
};
