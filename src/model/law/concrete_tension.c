/* Concrete with tension by Yassin. docs/theory/laws.md, eq. (18), (21)-(23).
 *
 * First compression as the law `concrete`. All lines of unloading from it pass through one point R; reloading is twice
 * as steep as the lower bound of unloading. Tension rises with E0 to ft and softens; its origin ez is where the line of
 * unloading meets zero, so it moves with the largest compression. Units: Pa and strain, or N and m. */
#include "model/law/concrete.h"

#include <math.h>
#include <string.h>

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

/* Tension at the strain x > 0 from its origin, eq. (23), and its slope. */
YK_RT static inline double tensile(const struct tension *s, double x, double *slope)
{
    const bool whole = x <= s->crack, softens = x <= s->opened;

    *slope = whole ? s->in.E0 : softens ? -s->softening : 0;
    return whole ? s->in.E0 * x : softens ? s->ft - s->softening * (x - s->crack) : 0;
}

YK_RT static inline double evaluate(const struct tension *s, const struct memory *old, double d, struct memory *new,
                                    double *k)
{
    const double E0 = s->in.E0;
    double loading_k, opening_k, unused;
    const double loading = yk_concrete_backbone(&s->in, d, &loading_k);

    /* the lines through the largest compression, eq. (22) */
    const double most = yk_concrete_backbone(&s->in, old->least, &unused);
    const double Er = old->least < 0 ? (most - s->fR) / (old->least - s->eR) : E0, ez = old->least - most / Er;
    const double lower = most + Er * (d - old->least), upper = 0.5 * Er * (d - ez), line = old->f + E0 * (d - old->d);
    const bool low = line <= lower, high = line >= upper;
    const double between = low ? lower : high ? upper : line, between_k = low ? Er : high ? 0.5 * Er : E0;

    /* tension, from ez */
    const double x = d - ez, opening = tensile(s, x, &opening_k);
    const double secant = tensile(s, old->opening, &unused) / old->opening;
    const bool closing = x <= old->opening, crushing = d<old->least, pulled = d> ez;
    const double pull = closing ? secant * x : opening, pull_k = closing ? secant : opening_k;

    *k = crushing ? loading_k : pulled ? pull_k : between_k;
    new->d = d;
    new->f = (crushing ? loading : pulled ? pull : between) + (d - d); /* not a number where d is not finite */
    new->least = crushing ? d : old->least;
    new->opening = pulled & !closing & !crushing ? x : old->opening;
    return new->f;
}

/* Loaded straight from zero. */
static void rest(const void *settings, double d, double *state)
{
    const struct memory virgin = {0};
    struct memory m;
    double k;

    evaluate(settings, &virgin, d, &m, &k);
    memcpy(state, &m, sizeof m);
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    struct memory old, new;
    double k;

    memcpy(&old, committed, sizeof old);
    const double f = evaluate(settings, &old, d, &new, &k);
    memcpy(trial, &new, sizeof new);
    return f;
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    struct memory old, new;

    memcpy(&old, committed, sizeof old);
    evaluate(settings, &old, d, &new, k);
    *c = 0;
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
};
