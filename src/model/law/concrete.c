/* Concrete without tension by Kent, Scott and Park. docs/theory/laws.md, eq. (21)-(23).
 *
 * A parabola to (-ec, -fc), a straight line to (-eu, -fu), then constant. Unloading and reloading follow one straight
 * line to the residual strain of Karsan and Jirsa. All of it follows from d and from the most compressed strain so far,
 * which is the whole memory. Units: Pa and strain, or N and m. */
#include "model/law/concrete.h"

#include <math.h>

/* Zero of the unloading line, and its slope, eq. (22); the slope is E0 at most. */
YK_RT YK_PART double residual(const struct yk_concrete *s, double emin, double *slope)
{
    double k;
    const double f = yk_concrete_backbone(s, emin, &k), x = yk_select(emin > -s->eu, emin, -s->eu) / -s->ec;
    const double r = -s->ec * yk_select(x < 2, x * (0.145 * x + 0.13), 0.707 * (x - 2) + 0.834), span = r - emin;
    const bool steep = !(span > -f / s->E0);

    *slope = yk_select(steep, s->E0, -f / span);
    return yk_select(steep, emin - f / s->E0, r);
}

/* One fibre: force and slope at d after the largest compression `least`. */
YK_RT YK_PART double evaluate(const struct yk_concrete *s, double least, double d, double *k)
{
    double slope, skeleton;
    const double er = residual(s, least, &slope), loading = yk_concrete_backbone(s, d, &skeleton);
    const bool crushing = d <= least, open = d >= er;

    *k = yk_select(crushing, skeleton, yk_select(open, 0, slope));
    return yk_select(crushing, loading, yk_select(open, 0, slope * (d - er))) + (d - d);
}

static void rest(const void *settings, double d, double *state)
{
    state[0] = d < 0 ? d : 0;
}

YK_RT YK_PART void step(const struct yk_concrete *s, const double *committed, const double *d, double *trial, double *f,
                        double *k)
{
    *f = evaluate(s, *committed, *d, k);
    *trial = yk_select(*d < *committed, *d, *committed);
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    double f, k;

    step(settings, committed, &d, trial, &f, &k);
    return f;
}

/* At the largest compression so far the rate tells loading from unloading. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    evaluate(settings, committed[0], d, k);
    if (d == committed[0] && w > 0)
        residual(settings, d, k);
    *c = 0;
}

YK_EVERY_PROCESSOR YK_RT static void loop(const struct yk_concrete *s, size_t n, const double *committed,
                                          const double *d, double *trial, double *f, double *k)
{
    if (k) {
        YK_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            step(s, &committed[i], &d[i], &trial[i], &f[i], &k[i]);
    } else {
        YK_INDEPENDENT
        for (size_t i = 0; i < n; i++) {
            double unused;

            step(s, &committed[i], &d[i], &trial[i], &f[i], &unused);
        }
    }
}

YK_RT static void forces(const void *settings, size_t n, const double *committed, const double *d, double h,
                         double *trial, double *f, double *k)
{
    loop(settings, n, committed, d, trial, f, k);
}

enum yk_status yk_concrete_prepare(struct yk_concrete *s, const char *law, struct yk_err *err)
{
    if (!(s->fu <= s->fc))
        return yk_fail(err, YK_E_RANGE, "%s: fu = %g is above fc = %g; it is what is left when crushed", law, s->fu,
                       s->fc);
    if (!(s->eu > s->ec))
        return yk_fail(err, YK_E_RANGE, "%s: eu = %g is not above ec = %g", law, s->eu, s->ec);
    s->E0 = 2 * s->fc / s->ec;
    s->fall = (s->fu - s->fc) / (s->eu - s->ec);
    return YK_OK;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    return yk_concrete_prepare(settings, "concrete", err);
}

static const struct yk_param params[] = {YK_CONCRETE_PARAMS, YK_PARAM_END};

const struct yk_law_ops yk_law_concrete = {
    .name = "concrete",
    .summary = "concrete without tension (Kent-Scott-Park): parabola to (ec, fc), line to (eu, fu), then constant; "
               "unloads on a straight line",
    .reference = "Scott, Park, Priestley 1982; Karsan, Jirsa 1969",
    .params = params,
    .settings_size = sizeof(struct yk_concrete),
    .count = 1,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
    .forces = forces,
};
