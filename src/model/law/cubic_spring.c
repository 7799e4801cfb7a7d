/* Spring with a cubic term: f = k d + k3 d^3. docs/theory/laws.md, eq. (3). Units: N, m.
 * k3 > 0 stiffens, k3 < 0 softens; k < 0 with k3 > 0 has two stable positions at d = +-sqrt(-k/k3). */
#include <yoke/law.h>

struct cubic_spring {
    double stiffness, cubic;
};

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct cubic_spring *s = settings;

    return (s->stiffness + s->cubic * d * d) * d;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct cubic_spring *s = settings;

    *k = s->stiffness + 3 * s->cubic * d * d;
    *c = 0;
}

YK_RT static double stored(const void *settings, double d)
{
    const struct cubic_spring *s = settings;

    return (0.5 * s->stiffness + 0.25 * s->cubic * d * d) * d * d;
}

static const struct yk_param params[] = {
    YK_REAL(struct cubic_spring, stiffness, YK_STIFFNESS, YK_REQUIRED, -1e15, 1e15, "force per extension at rest"),
    YK_REAL(struct cubic_spring, cubic, YK_CUBIC, YK_REQUIRED, -1e18, 1e18,
            "force per cubed extension; positive stiffens, negative softens"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_cubic_spring = {
    .name = "cubic-spring",
    .summary = "Duffing spring: f = stiffness d + cubic d^3",
    .reference = "Duffing 1918",
    .params = params,
    .settings_size = sizeof(struct cubic_spring),
    .force = force,
    .tangent = tangent,
    .stored = stored,
};
