/* Hyperbolic spring: f = k d / (1 + k |d| / c), which starts with the stiffness k and tends to the capacity c.
 * Kondner 1963 (soils under shear). A plugin: see README.md for how it is built and used. Units: N, m. */
#include <yoke/plugin.h>

struct softening_spring {
    double stiffness, capacity;
};

/* 1 + k |d| / c */
static double softening(const struct softening_spring *s, double d)
{
    return 1 + s->stiffness * fabs(d) / s->capacity;
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct softening_spring *s = settings;

    return s->stiffness * d / softening(s, d);
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct softening_spring *s = settings;

    *k = s->stiffness / (softening(s, d) * softening(s, d));
    *c = 0;
}

/* Integral of the force: c |d| - c^2/k ln(1 + k |d| / c) */
YK_RT static double stored(const void *settings, double d)
{
    const struct softening_spring *s = settings;

    return s->capacity * (fabs(d) - s->capacity / s->stiffness * log(softening(s, d)));
}

static const struct yk_param params[] = {
    YK_REAL(struct softening_spring, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15,
            "force per extension at rest"),
    YK_REAL(struct softening_spring, capacity, YK_FORCE, YK_REQUIRED, YK_TINY, 1e15, "the force it tends to"),
    YK_PARAM_END,
};

static const struct yk_law_ops law = {
    .name = "softening-spring",
    .summary = "hyperbolic spring: f = stiffness d / (1 + stiffness |d| / capacity)",
    .reference = "Kondner 1963",
    .params = params,
    .settings_size = sizeof(struct softening_spring),
    .force = force,
    .tangent = tangent,
    .stored = stored,
};

const struct yk_plugin yk_plugin = {YK_PLUGIN_ABI, .law = &law};
