/* Bilinear hysteresis: a spring in parallel with a spring on a slider. docs/theory/laws.md, eq. (10).
 *
 * f = a k d + (1 - a) k z; the elastic slip z follows d and is held at +-d_y. On a monotone path this is a clip, so the
 * update is exact for any step. Units: N, m. State: extension, z. */
#include <yoke/law.h>

struct bilinear {
    double stiffness, hardening, yield_slip;
};

static void rest(const void *settings, double d, double *state)
{
    state[0] = d;
    state[1] = 0;
}

YK_RT static double slip(const struct bilinear *s, const double *committed, double d)
{
    return fmin(fmax(committed[1] + (d - committed[0]), -s->yield_slip), s->yield_slip);
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct bilinear *s = settings;
    const double z = slip(s, committed, d);

    trial[0] = d;
    trial[1] = z;
    return s->stiffness * (s->hardening * d + (1 - s->hardening) * z);
}

/* The slider moves where z is at its limit and the extension pushes further; at the committed point the rate tells
 * the direction, and no rate means no sliding. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct bilinear *s = settings;
    const double way = d != committed[0] ? d - committed[0] : w;
    const double z = slip(s, committed, d);
    const int sliding = (way > 0 && z >= s->yield_slip) || (way < 0 && z <= -s->yield_slip);

    *k = sliding ? s->hardening * s->stiffness : s->stiffness;
    *c = 0;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    const struct bilinear *s = settings;

    if (!(s->hardening < 1))
        return yk_fail(err, YK_E_RANGE, "bilinear: hardening = %g is not below 1; use the law 'spring'", s->hardening);
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_REAL(struct bilinear, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "initial stiffness"),
    YK_REAL(struct bilinear, hardening, YK_NUMBER, 0, 0, 1, "stiffness after yield over initial stiffness, below 1"),
    YK_REAL(struct bilinear, yield_slip, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6, "extension at first yield"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_bilinear = {
    .name = "bilinear",
    .summary = "bilinear hysteresis: f = hardening k d + (1 - hardening) k z, |z| <= yield_slip",
    .reference = "Mostaghel 1999",
    .params = params,
    .settings_size = sizeof(struct bilinear),
    .count = 2,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
