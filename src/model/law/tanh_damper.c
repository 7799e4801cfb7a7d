/* Damper whose loop is skewed: f = F tanh(w/vs + delta sgn(d)) + c w + k d, Kwok's hyperbolic tangent model of a
 * magnetorheological damper. docs/theory/laws.md, eq. (42). Units: N, m, s. The sign of the extension is rounded off:
 * tanh(d/smooth). Without memory: after a turn the force follows from where the turn was, not from when. */
#include <yoke/law.h>

struct tanh_damper {
    double force, slip_velocity, skew, smooth, viscous, stiffness;
};

YK_RT static double inside(const struct tanh_damper *s, double d, double w)
{
    return w / s->slip_velocity + s->skew * tanh(d / s->smooth);
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct tanh_damper *s = settings;

    return s->force * tanh(inside(s, d, w)) + s->viscous * w + s->stiffness * d;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct tanh_damper *s = settings;
    const double sech = 1 / cosh(inside(s, d, w)), turn = 1 / cosh(d / s->smooth);

    *k = s->force * sech * sech * (s->skew / s->smooth) * turn * turn + s->stiffness;
    *c = s->force / s->slip_velocity * sech * sech + s->viscous;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    const struct tanh_damper *s = settings;

    if (!isfinite(s->force / s->slip_velocity) || !isfinite(s->force * (s->skew / s->smooth)))
        return yk_fail(err, YK_E_RANGE, "tanh-damper: force = %g over slip_velocity = %g or smooth = %g is not finite",
                       s->force, s->slip_velocity, s->smooth);
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_REAL(struct tanh_damper, force, YK_FORCE, YK_REQUIRED, 0, 1e15, "force at which the loop levels off"),
    YK_REAL(struct tanh_damper, slip_velocity, YK_VELOCITY, YK_REQUIRED, YK_TINY, 1e6,
            "rate in which the force turns: 76 % of it at this rate beyond the middle of the turn"),
    YK_REAL(struct tanh_damper, skew, YK_NUMBER, 0, 0, 100,
            "the force turns at this many slip_velocity against the direction of the extension"),
    YK_REAL(struct tanh_damper, smooth, YK_DISPLACEMENT, 1e-4, YK_TINY, 1e6,
            "extension that counts as one to a side: 76 % of the skew there"),
    YK_REAL(struct tanh_damper, viscous, YK_DAMPING, 0, 0, 1e15, "viscous part, force per rate"),
    YK_REAL(struct tanh_damper, stiffness, YK_STIFFNESS, 0, 0, 1e15, "spring beside it"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_tanh_damper = {
    .name = "tanh-damper",
    .summary = "MR damper: f = force tanh(w/slip_velocity + skew sgn(d)) + viscous w + stiffness d",
    .reference = "Kwok, Ha, Nguyen, Li and Samali 2006",
    .params = params,
    .rate = true,
    .settings_size = sizeof(struct tanh_damper),
    .prepare = prepare,
    .force = force,
    .tangent = tangent,
};
