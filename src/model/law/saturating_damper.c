/* Damper whose force levels off: f = c1 w + c2 w/(c3 + |w|). docs/theory/laws.md, eq. (6). Units: N, m, s.
 * c1 = linear, c2 = limit, c3 = knee. Damping at rest c1 + c2/c3, far from rest c1. */
#include <yoke/law.h>

struct saturating_damper {
    double linear, limit, knee;
};

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct saturating_damper *s = settings;

    return s->linear * w + s->limit * (w / (s->knee + fabs(w)));
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct saturating_damper *s = settings;
    const double reach = s->knee + fabs(w);

    *k = 0;
    *c = s->linear + s->limit / reach * (s->knee / reach);
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    const struct saturating_damper *s = settings;

    if (!isfinite(s->limit / s->knee))
        return yk_fail(err, YK_E_RANGE, "saturating-damper: limit/knee = %g/%g N s/m is not finite", s->limit, s->knee);
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_REAL(struct saturating_damper, linear, YK_DAMPING, 0, 0, 1e15, "viscous part that does not saturate"),
    YK_REAL(struct saturating_damper, limit, YK_FORCE, YK_REQUIRED, 0, 1e15, "force the saturating part tends to"),
    YK_REAL(struct saturating_damper, knee, YK_VELOCITY, YK_REQUIRED, YK_TINY, 1e6,
            "rate at which the saturating part reaches half its limit"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_saturating_damper = {
    .name = "saturating-damper",
    .summary = "damper that levels off: f = linear w + limit w/(knee + |w|)",
    .reference = "Simpson, Giagopoulos, Dertimanis and Chatzi, substructuring with localised nonlinearities",
    .params = params,
    .rate = true,
    .settings_size = sizeof(struct saturating_damper),
    .prepare = prepare,
    .force = force,
    .tangent = tangent,
};
