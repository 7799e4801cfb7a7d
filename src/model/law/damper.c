/* Linear viscous damper: f = c w. docs/theory/laws.md, eq. (2). Units: N, m, s. */
#include <yoke/law.h>

struct damper {
    double damping;
};

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct damper *s = settings;

    return s->damping * w;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct damper *s = settings;

    *k = 0;
    *c = s->damping;
}

static const struct yk_param params[] = {
    YK_REAL(struct damper, damping, YK_DAMPING, YK_REQUIRED, 0, 1e15, "force per rate of extension"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_damper = {
    .name = "damper",
    .summary = "linear viscous damper: f = damping w",
    .reference = "Rayleigh 1877",
    .params = params,
    .linear = true,
    .rate = true,
    .settings_size = sizeof(struct damper),
    .force = force,
    .tangent = tangent,
};
