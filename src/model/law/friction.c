/* Dry friction made smooth, with an optional viscous part: f = F tanh(w/vs) + c w. docs/theory/laws.md, eq. (5).
 * Units: N, m, s. Below about vs the joint creeps instead of sticking; its damping at rest is F/vs + c, which limits
 * the step of an explicit method, so vs should be as large as the test allows. */
#include <yoke/law.h>

struct friction {
    double force, slip_velocity, viscous;
};

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct friction *s = settings;

    return s->force * tanh(w / s->slip_velocity) + s->viscous * w;
}

/* 1/cosh^2 instead of 1 - tanh^2: no cancellation; cosh overflows to infinity, which gives the right 0. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct friction *s = settings;
    const double sech = 1 / cosh(w / s->slip_velocity);

    *k = 0;
    *c = s->force / s->slip_velocity * sech * sech + s->viscous;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    const struct friction *s = settings;

    if (!isfinite(s->force / s->slip_velocity))
        return yk_fail(err, YK_E_RANGE, "friction: force/slip_velocity = %g/%g N s/m is not finite", s->force,
                       s->slip_velocity);
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_REAL(struct friction, force, YK_FORCE, YK_REQUIRED, 0, 1e15, "friction force while sliding"),
    YK_REAL(struct friction, slip_velocity, YK_VELOCITY, YK_REQUIRED, YK_TINY, 1e6,
            "rate that counts as sliding: 76 % of the force at this rate, 99.5 % at three times it"),
    YK_REAL(struct friction, viscous, YK_DAMPING, 0, 0, 1e15, "viscous part, force per rate"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_friction = {
    .name = "friction",
    .summary = "smoothed Coulomb friction: f = force tanh(w/slip_velocity) + viscous w",
    .reference = "Coulomb 1785, regularised",
    .params = params,
    .rate = true,
    .settings_size = sizeof(struct friction),
    .prepare = prepare,
    .force = force,
    .tangent = tangent,
};
