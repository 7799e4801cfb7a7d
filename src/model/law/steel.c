/* Steel by Menegotto and Pinto, as it is used for reinforcement. docs/theory/laws.md, eq. (14)-(17).
 *
 * A branch leaves its reversal point (er, sr) with the initial stiffness E and bends towards an asymptote of slope b E:
 *
 *     f = sr + E [b (d - er) + (1 - b) span x (1 + |x|^R)^(-1/R)],     x = (d - er)/span                       (14)
 *
 * span is the distance to the point where the elastic line through (er, sr) meets the asymptote; its sign is the
 * direction of the branch. The power is taken in a form that cannot overflow and needs neither branch nor call: with
 * w = exp(-R |log |x||) and v = (1 + w)^(-1/R) the last product of (14) is v times x, cut at +-1.
 *
 * One function evaluates a fibre; the loop over arrays and the single element both use it, so they agree to the last
 * bit. Units: Pa and strain, N and m, or N m and rad. */
#include "base/processor.h"
#include "model/law/elementary.h"

#include <yoke/law.h>

#include <math.h>

struct steel {
    double E, fy, hardening, R0, cR1, cR2, a1, a2, a3, a4, dead_band;
    double yield;      /* fy/E */
    double rise, fall; /* of the asymptote per range^0.8, in tension and in compression */
    bool isotropic;
};

/* The memory of one fibre. mark: what the next reversal starts from, the force at d; with a dead band the furthest
 * extension on this branch. span is 0 until the first increment. */
struct branch {
    double d, mark, emax, emin, er, sr, span, R;
};
enum { COUNT = sizeof(struct branch) / sizeof(double) };

static void rest(const void *settings, double d, double *state)
{
    const struct steel *s = settings;
    const double f = s->hardening * s->E * d; /* as the bilinear law: the asymptotes pass between +-fy at d = 0 */
    const struct branch b = {d, s->dead_band > 0 ? d : f, d + s->yield, d - s->yield, d, f, 0, s->R0};

    memcpy(state, &b, sizeof b);
}

/* Force on the branch, eq. (14), and its slope. */
YK_RT static inline double curve(const struct steel *s, const struct branch *b, double d, double *k)
{
    const double y = d - b->er, x = y / b->span, size = fabs(x);
    const double w = yk_exp_negative(-fabs(b->R * yk_log(size))), v = yk_exp_negative(-yk_log1p(w) / b->R);
    const double inside = x > 1 ? 1 : x < -1 ? -1 : x;
    const double top = size > 1 ? w : 1, bottom = size > 1 ? size : 1;

    *k = s->E * (s->hardening + (1 - s->hardening) * (v * top) / (bottom * (1 + w)));
    return b->sr + s->E * (s->hardening * y + (1 - s->hardening) * (inside * v) * b->span);
}

/* The branch that leaves (d0, f0) in the direction `way` (+1, -1), eq. (15)-(17). */
YK_RT static inline struct branch turn(const struct steel *s, const struct branch *old, double way, double d0,
                                       double f0, bool isotropic)
{
    const bool up = way > 0, virgin = old->span == 0;
    const double emax = !up && d0 > old->emax ? d0 : old->emax, emin = up && d0 < old->emin ? d0 : old->emin;
    const double b = s->hardening, least = 1e-12 * s->yield; /* where rounding has put f0 on the asymptote */
    double shift = 1;

    if (isotropic) {
        const double range = (emax - emin) / (2 * s->yield), power = 1 / yk_exp_negative(-0.8 * yk_log(range));

        shift += virgin ? 0 : (up ? s->rise : s->fall) * power;
    }
    const double reach = way * ((way * s->fy * shift * (1 - b) + b * s->E * d0 - f0) / (s->E * (1 - b)));
    const double span = way * (reach > least ? reach : least);
    const double xi = fabs((up ? emax : emin) - (d0 + span)) / s->yield;
    const double R = s->R0 * (1 - s->cR1 * xi / (s->cR2 + xi));

    return (struct branch){.emax = emax, .emin = emin, .er = d0, .sr = f0, .span = span, .R = virgin ? s->R0 : R};
}

/* One fibre: force and slope at d, and what is remembered there. A step against the direction of the branch begins a
 * new one. With a dead band the old branch is followed backwards that far, and the new one begins there. */
YK_RT static inline double evaluate(const struct steel *s, const struct branch *old, double d, struct branch *new,
                                    double *k, bool banded, bool isotropic)
{
    const bool virgin = old->span == 0, up = old->span > 0;
    const double from = banded && !virgin ? old->mark - (up ? s->dead_band : -s->dead_band) : old->d;
    const bool back = up ? d < from : d > from, fresh = virgin | back;
    double unused;
    const double start = banded ? (virgin ? old->sr : curve(s, old, from, &unused)) : old->mark;
    const struct branch next = turn(s, old, d < from ? -1 : 1, from, start, isotropic);

    new->d = d;
    new->emax = fresh ? next.emax : old->emax;
    new->emin = fresh ? next.emin : old->emin;
    new->er = fresh ? next.er : old->er;
    new->sr = fresh ? next.sr : old->sr;
    new->span = fresh ? next.span : old->span;
    new->R = fresh ? next.R : old->R;
    const double f = curve(s, new, d, k) + (d - d); /* not a number where d is not finite */
    const bool further = up ? d > old->mark : d < old->mark;

    new->mark = !banded ? f : fresh | further ? d : old->mark;
    new->span = virgin &(d == old->d) ? 0 : new->span;
    return f;
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct steel *s = settings;
    struct branch old, new;
    double k;

    memcpy(&old, committed, sizeof old);
    const double f = evaluate(s, &old, d, &new, &k, s->dead_band > 0, s->isotropic);
    memcpy(trial, &new, sizeof new);
    return f;
}

/* At the committed point the rate may tell of a reversal. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct steel *s = settings;
    struct branch old, new;

    memcpy(&old, committed, sizeof old);
    evaluate(s, &old, d, &new, k, s->dead_band > 0, s->isotropic);
    if (d == old.d && !(s->dead_band > 0) && w * old.span < 0)
        *k = s->E;
    *c = 0;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct steel *s = settings;

    if (!(s->hardening < 1))
        return yk_fail(err, YK_E_RANGE, "steel: hardening = %g is not below 1; use the law 'spring'", s->hardening);
    if (!(s->cR1 < 1))
        return yk_fail(err, YK_E_RANGE,
                       "steel: cR1 = %g is not below 1: the exponent R = R0 (1 - cR1 xi/(cR2 + xi)) "
                       "must stay positive",
                       s->cR1);
    s->yield = s->fy / s->E;
    if (!(s->dead_band < s->yield))
        return yk_fail(err, YK_E_RANGE,
                       "steel: dead_band = %g is not below the yield strain fy/E = %g; a thousandth "
                       "of it is usual",
                       s->dead_band, s->yield);
    s->fall = s->a1 * pow(s->a2, -0.8);
    s->rise = s->a3 * pow(s->a4, -0.8);
    s->isotropic = s->fall > 0 || s->rise > 0;
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_REAL(struct steel, E, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15,
            "initial stiffness; of a fibre, Young's modulus"),
    YK_REAL(struct steel, fy, YK_FORCE, YK_REQUIRED, YK_TINY, 1e15, "yield force; of a fibre, yield stress"),
    YK_REAL(struct steel, hardening, YK_NUMBER, 0, 0, 1, "slope of the asymptotes over E, below 1"),
    YK_REAL(struct steel, R0, YK_NUMBER, 20, 0.1, 200, "sharpness of the bend at first yield, usually 10 to 20"),
    YK_REAL(struct steel, cR1, YK_NUMBER, 0.925, 0, 1,
            "how much rounder the bend becomes with plastic strain, below 1"),
    YK_REAL(struct steel, cR2, YK_NUMBER, 0.15, YK_TINY, 1e6, "how soon the bend becomes rounder"),
    YK_REAL(struct steel, a1, YK_NUMBER, 0, 0, 1e3, "isotropic hardening in compression, 0 for none"),
    YK_REAL(struct steel, a2, YK_NUMBER, 1, YK_TINY, 1e6, "range of strain over twice the yield strain that a1 is for"),
    YK_REAL(struct steel, a3, YK_NUMBER, 0, 0, 1e3, "isotropic hardening in tension, 0 for none"),
    YK_REAL(struct steel, a4, YK_NUMBER, 1, YK_TINY, 1e6, "range of strain over twice the yield strain that a3 is for"),
    YK_REAL(
        struct steel, dead_band, YK_DISPLACEMENT, 0, 0, 1e6,
        "strain or extension against the direction of loading that is not yet a reversal, below fy/E; against noise"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_steel = {
    .name = "steel",
    .summary =
        "Menegotto-Pinto: f = b E d + (1 - b) E d/(1 + |d/dy|^R)^(1/R) from each reversal, R falls with plastic strain",
    .reference = "Menegotto, Pinto 1973; Filippou, Popov, Bertero 1983",
    .params = params,
    .settings_size = sizeof(struct steel),
    .count = COUNT,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
