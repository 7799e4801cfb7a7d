/* Concrete with tension by Yassin. docs/theory/laws.md, eq. (21), (24)-(28).
 *
 * First compression as the law `concrete`. All lines of unloading from it pass through one point R; reloading is twice
 * as steep as the lower bound of unloading. Tension rises with E0 to ft and softens; its origin ez is where the line of
 * unloading meets zero, so it moves with the largest compression. Units: Pa and strain, or N and m. */
#include "model/law/concrete.h"

struct tension {
    struct yk_concrete in; /* compression */
    double lambda, ft, softening;
    double eR, fR;        /* the point R */
    double crack, opened; /* tensile strain at ft, and where nothing is left */
};

/* least: largest compression, not positive; opening: largest tensile strain from ez. */
struct memory {
    double d, f, least, opening;
};
enum { COUNT = sizeof(struct memory) / sizeof(double) };

/* Tension at the strain x > 0 from its origin, eq. (27), and its slope. */
YK_RT YK_PART double tensile(const struct tension *s, double x, double *slope)
{
    const bool whole = x <= s->crack, softens = x <= s->opened;

    *slope = yk_select(whole, s->in.E0, yk_select(softens, -s->softening, 0));
    return yk_select(whole, s->in.E0 * x, yk_select(softens, s->ft - s->softening * (x - s->crack), 0));
}

YK_RT YK_PART double evaluate(const struct tension *s, const struct memory *old, double d, struct memory *new,
                              double *k)
{
    const double E0 = s->in.E0;
    double loading_k, opening_k, unused;
    const double loading = yk_concrete_backbone(&s->in, d, &loading_k);

    /* the lines through the largest compression, eq. (25), (26) */
    const double most = yk_concrete_backbone(&s->in, old->least, &unused);
    const double Er = yk_select(old->least < 0, (most - s->fR) / (old->least - s->eR), E0);
    const double ez = old->least - most / Er;
    const double lower = most + Er * (d - old->least), upper = 0.5 * Er * (d - ez), line = old->f + E0 * (d - old->d);
    const bool low = line <= lower, high = line >= upper;
    const double between = yk_select(low, lower, yk_select(high, upper, line));
    const double between_k = yk_select(low, Er, yk_select(high, 0.5 * Er, E0));

    /* tension, from ez */
    const double x = d - ez, opening = tensile(s, x, &opening_k);
    const double secant = tensile(s, old->opening, &unused) / old->opening;
    const bool crushing = d < old->least;
    const bool closing = x < old->opening;
    const bool pulled = d > ez;
    const double pull = yk_select(closing, secant * x, opening), pull_k = yk_select(closing, secant, opening_k);

    *k = yk_select(crushing, loading_k, yk_select(pulled, pull_k, between_k));
    new->d = d;
    new->f = yk_select(crushing, loading, yk_select(pulled, pull, between)) + (d - d); /* NaN where d is not finite */
    new->least = yk_select(crushing, d, old->least);
    new->opening = yk_select(closing, old->opening, yk_select(pulled, x, old->opening));
    return new->f;
}

/* One fibre of n. */
YK_RT YK_PART double step(const struct tension *s, size_t n, const double *committed, double d, double *trial,
                          double *k)
{
    const struct memory old = {committed[0], committed[n], committed[2 * n], committed[3 * n]};
    struct memory new;
    const double f = evaluate(s, &old, d, &new, k);

    trial[0] = new.d;
    trial[n] = new.f;
    trial[2 * n] = new.least;
    trial[3 * n] = new.opening;
    return f;
}

/* Loaded straight from zero. */
static void rest(const void *settings, double d, double *state)
{
    const double virgin[COUNT] = {0};
    double k;

    step(settings, 1, virgin, d, state, &k);
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    double k;

    return step(settings, 1, committed, d, trial, &k);
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    double trial[COUNT];

    step(settings, 1, committed, d, trial, k);
    *c = 0;
}

YK_EVERY_PROCESSOR YK_RT static void loop(const struct tension *s, size_t n, const double *committed, const double *d,
                                          double *trial, double *f, double *k)
{
    if (k) {
        YK_INDEPENDENT
        for (size_t i = 0; i < n; i++)
            f[i] = step(s, n, committed + i, d[i], trial + i, &k[i]);
    } else {
        YK_INDEPENDENT
        for (size_t i = 0; i < n; i++) {
            double unused;

            f[i] = step(s, n, committed + i, d[i], trial + i, &unused);
        }
    }
}

YK_RT static void forces(const void *settings, size_t n, const double *committed, const double *d, double h,
                         double *trial, double *f, double *k)
{
    loop(settings, n, committed, d, trial, f, k);
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct tension *s = settings;
    enum yk_status st = yk_concrete_prepare(&s->in, "concrete-tension", err);

    if (st)
        return st;
    if (!(s->lambda < 1))
        return yk_fail(err, YK_E_RANGE, "concrete-tension: lambda = %g is not below 1", s->lambda);
    if (!(s->lambda * s->in.E0 * s->in.eu >= s->in.fu))
        return yk_fail(err, YK_E_RANGE,
                       "concrete-tension: lambda = %g is below fu/(E0 eu) = %g with E0 = 2 fc/ec: unloading from eu "
                       "would not come back to zero before the strain does",
                       s->lambda, s->in.fu / (s->in.E0 * s->in.eu));
    s->eR = (s->lambda * s->in.E0 * s->in.eu - s->in.fu) / (s->in.E0 * (1 - s->lambda));
    s->fR = s->in.E0 * s->eR;
    s->crack = s->ft / s->in.E0;
    s->opened = s->crack + s->ft / s->softening;
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_CONCRETE_PARAMS,
    YK_REAL(struct tension, lambda, YK_NUMBER, 0.1, 0, 1, "slope of unloading at eu over the initial one, below 1"),
    YK_REAL(struct tension, ft, YK_FORCE, YK_REQUIRED, YK_TINY, 1e15, "tensile strength"),
    YK_REAL(struct tension, softening, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15,
            YK_HINT(YK_MAGNITUDE, "how fast tension falls after ft, per strain; positive")),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_concrete_tension = {
    .name = "concrete-tension",
    .summary = "concrete with tension (Yassin): compression as `concrete`; tension to ft, then softening",
    .reference = "Yassin 1994",
    .params = params,
    .settings_size = sizeof(struct tension),
    .count = COUNT,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
    .forces = forces,
};
