/* Linear spring: f = k d. docs/theory/laws.md, eq. (1). Units: N, m.
 * The stiffness may be negative: a gravity load on a tall column acts like that. */
#include <yoke/law.h>

struct spring {
    double stiffness;
};

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct spring *s = settings;

    return s->stiffness * d;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct spring *s = settings;

    *k = s->stiffness;
    *c = 0;
}

YK_RT static double stored(const void *settings, double d)
{
    const struct spring *s = settings;

    return 0.5 * s->stiffness * d * d;
}

static const struct yk_param params[] = {
    YK_REAL(struct spring, stiffness, YK_STIFFNESS, YK_REQUIRED, -1e15, 1e15, "force per extension"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_spring = {
    .name = "spring",
    .summary = "linear spring: f = stiffness d",
    .reference = "Hooke 1678",
    .params = params,
    .linear = true,
    .settings_size = sizeof(struct spring),
    .force = force,
    .tangent = tangent,
    .stored = stored,
};
