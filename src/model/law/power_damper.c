/* Viscous damper with a power of the rate: f = C sgn(w) |w|^a. docs/theory/laws.md, eq. (29). Units: N, m, s; C in
 * N (s/m)^a.
 *
 * For a < 1 the damping at rest would be infinite. The rate is therefore rounded off over `smooth`, w0:
 * f = C w (w^2 + w0^2)^((a - 1)/2). At w = 10 w0 the force is low by 0.5 (1 - a) %. */
#include <yoke/law.h>

struct power_damper {
    double damping, exponent, smooth;
};

/* C (w^2 + w0^2)^((a - 1)/2), 0 at rest without rounding off. */
YK_RT static double secant(const struct power_damper *s, double square)
{
    return square > 0 || s->exponent == 1 ? s->damping * pow(square, 0.5 * (s->exponent - 1)) : 0;
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct power_damper *s = settings;

    return secant(s, w * w + s->smooth * s->smooth) * w;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct power_damper *s = settings;
    const double square = w * w + s->smooth * s->smooth;

    *k = 0;
    *c = secant(s, square) * (square > 0 ? 1 + (s->exponent - 1) * (w * w / square) : 1);
}

static const struct yk_param params[] = {
    YK_REAL(struct power_damper, damping, YK_NUMBER, YK_REQUIRED, 0, 1e15,
            "force at a rate of 1 m/s, in N (s/m)^exponent"),
    YK_REAL(struct power_damper, exponent, YK_NUMBER, YK_REQUIRED, 0.05, 3, "power of the rate"),
    YK_REAL(struct power_damper, smooth, YK_VELOCITY, 1e-4, 0, 1e6,
            "rate below which the law is linear; 0 only for explicit methods"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_power_damper = {
    .name = "power-damper",
    .summary = "viscous damper with a power of the rate: f = damping sgn(w) |w|^exponent",
    .reference = "Constantinou and Symans 1992",
    .params = params,
    .rate = true,
    .settings_size = sizeof(struct power_damper),
    .force = force,
    .tangent = tangent,
};
