/* Steel by Menegotto and Pinto, as it is used for reinforcement. docs/theory/laws.md, eq. (17)-(20).
 *
 * A branch leaves its reversal point (er, sr) with the initial stiffness E and bends towards an asymptote of slope b E:
 *
 *     f = sr + E [b (d - er) + (1 - b) span x (1 + |x|^R)^(-1/R)],     x = (d - er)/span                       (17)
 *
 * span is the distance to the point where the elastic line through (er, sr) meets the asymptote; its sign is the
 * direction of the branch. The power is taken in a form that cannot overflow and needs neither branch nor call: with
 * w = exp(-R |log |x||) and v = (1 + w)^(-1/R) the last product of (17) is v times x, cut at +-1.
 *
 * One function evaluates a fibre; the loop over arrays and the single element both use it, so they agree to the last
 * bit. Units: Pa and strain, N and m, or N m and rad. */
#include "base/processor.h"
#include "model/law/elementary.h"

#include <yoke/law.h>

#include <math.h>

struct steel {
    double E, fy, hardening, R0, cR1, cR2, a1, a2, a3, a4, dead_band;
    double yield;             /* fy/E */
    double rise, fall;        /* of the asymptote per range^0.8, in tension and in compression */
    double straight, least_R; /* |x| below which a branch with a power of least_R or more is straight to rounding */
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

/* ---- eq. (17), in pieces that follow each other as loops where there are many fibres ---- */

YK_RT YK_PART double weight(double x, double R)
{
    return yk_exp_negative(-fabs(R * yk_log(fabs(x))));
}

YK_RT YK_PART double bend(double w, double R)
{
    return yk_exp_negative(-yk_log1p(w) / R);
}

YK_RT YK_PART double stress(const struct steel *s, const struct branch *b, double d, double x, double v)
{
    const double inside = yk_select(x > 1, 1, yk_select(x < -1, -1, x));

    return b->sr + s->E * (s->hardening * (d - b->er) + (1 - s->hardening) * (inside * v) * b->span) + (d - d);
}

YK_RT YK_PART double slope(const struct steel *s, double x, double w, double v)
{
    const double size = fabs(x);
    const double top = yk_select(size > 1, v * w, v), bottom = yk_select(size > 1, size, 1);

    return s->E * (s->hardening + (1 - s->hardening) * top / (bottom * (1 + w)));
}

YK_RT YK_PART double curve(const struct steel *s, const struct branch *b, double d, double *k)
{
    const double x = (d - b->er) / b->span, w = weight(x, b->R), v = bend(w, b->R);

    *k = slope(s, x, w, v);
    return stress(s, b, d, x, v);
}

/* ---- reversals ---- */

/* Largest and smallest extension of all reversals, after one at d0, upwards or not. */
YK_RT YK_PART double largest(const struct branch *old, bool up, double d0)
{
    return yk_select(up, old->emax, yk_select(d0 > old->emax, d0, old->emax));
}

YK_RT YK_PART double smallest(const struct branch *old, bool up, double d0)
{
    return yk_select(up, yk_select(d0 < old->emin, d0, old->emin), old->emin);
}

/* How far isotropic hardening has moved the asymptote of a branch from d0, over fy; eq. (19). */
YK_RT YK_PART double shift(const struct steel *s, const struct branch *old, bool up, double d0)
{
    const double range = (largest(old, up, d0) - smallest(old, up, d0)) / (2 * s->yield);
    const double power = 1 / yk_exp_negative(-0.8 * yk_log(range));

    return yk_select(old->span == 0, 1, 1 + yk_select(up, s->rise * power, s->fall * power));
}

/* The branch that leaves (d0, f0), eq. (18), (20). */
YK_RT YK_PART struct branch turn(const struct steel *s, const struct branch *old, bool up, double d0, double f0,
                                 double shifted)
{
    const double emax = largest(old, up, d0), emin = smallest(old, up, d0), b = s->hardening;
    const double least = 1e-12 * s->yield; /* where rounding has put f0 on the asymptote */
    const double lag = (b * s->E * d0 - f0) / (s->E * (1 - b));
    const double reach = s->yield * shifted + yk_select(up, lag, -lag), length = yk_select(reach > least, reach, least);
    const double span = yk_select(up, length, -length);
    const double xi = fabs(yk_select(up, emax, emin) - (d0 + span)) / s->yield;
    const double R = s->R0 * (1 - s->cR1 * xi / (s->cR2 + xi));

    return (struct branch){
        .emax = emax, .emin = emin, .er = d0, .sr = f0, .span = span, .R = yk_select(old->span == 0, s->R0, R)};
}

/* Start of a possible reversal: the last extension, or with a dead band that far behind the furthest point. */
YK_RT YK_PART double start(const struct steel *s, const struct branch *old, bool banded)
{
    const double below = old->mark - s->dead_band, above = old->mark + s->dead_band;

    return banded ? yk_select(old->span > 0, below, yk_select(old->span < 0, above, old->mark)) : old->d;
}

YK_RT YK_PART bool leaves(const struct branch *old, double from, double d)
{
    const bool may_fall = old->span >= 0, may_rise = old->span <= 0;

    return (may_fall & (d < from)) | (may_rise & (d > from));
}

/* The branch on which d lies, but for d and mark. A first step of nothing stays undecided. */
YK_RT YK_PART struct branch follow(const struct steel *s, const struct branch *old, double from, double f0, double d,
                                   double shifted)
{
    const bool fresh = leaves(old, from, d);
    const struct branch next = turn(s, old, d > from, from, f0, shifted);

    return (struct branch){
        .emax = yk_select(fresh, next.emax, old->emax),
        .emin = yk_select(fresh, next.emin, old->emin),
        .er = yk_select(fresh, next.er, old->er),
        .sr = yk_select(fresh, next.sr, old->sr),
        .span = yk_select(fresh, next.span, old->span),
        .R = yk_select(fresh, next.R, old->R),
    };
}

/* State for the next reversal: with a dead band the furthest extension, else the force. */
YK_RT YK_PART double remember(const struct branch *old, double from, double d, double f, bool banded)
{
    const bool up = old->span > 0, down = old->span <= 0;
    const bool further = (up & (d > old->mark)) | (down & (d < old->mark));

    return banded ? yk_select(leaves(old, from, d) | further, d, old->mark) : f;
}

/* ---- one element ---- */

YK_RT static double evaluate(const struct steel *s, const struct branch *old, double d, struct branch *new, double *k)
{
    const bool banded = s->dead_band > 0, virgin = old->span == 0;
    const double from = start(s, old, banded);

    *new = *old;
    if (leaves(old, from, d)) {
        const double f0 = !banded ? old->mark : virgin ? old->sr : curve(s, old, from, k);

        *new = turn(s, old, d > from, from, f0, s->isotropic ? shift(s, old, d > from, from) : 1);
    }
    *k = s->E;
    const double f = new->span != 0 ? curve(s, new, d, k) : old->sr + (d - d);

    new->d = d;
    new->mark = remember(old, from, d, f, banded);
    return f;
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    struct branch old, new;
    double k;

    memcpy(&old, committed, sizeof old);
    const double f = evaluate(settings, &old, d, &new, &k);
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
    evaluate(s, &old, d, &new, k);
    if (d == old.d && !(s->dead_band > 0) && w * old.span < 0)
        *k = s->E;
    *c = 0;
}

/* ---- many fibres ---- */

/* Short loops over pieces that stay in the nearest cache: the processor works on several turns of a loop at once if
 * its body is short. */
enum { BLOCK = 128, CHUNK = 24 };

YK_RT YK_PART struct branch at(const double *memory, size_t n, size_t i)
{
    const double *m = memory + i;

    return (struct branch){m[0], m[n], m[2 * n], m[3 * n], m[4 * n], m[5 * n], m[6 * n], m[7 * n]};
}

/* All but the start of the next reversal. */
YK_RT YK_PART void put(const struct branch *b, double *memory, size_t n, size_t i, double d)
{
    double *m = memory + i;

    m[0] = d;
    m[2 * n] = b->emax;
    m[3 * n] = b->emin;
    m[4 * n] = b->er;
    m[5 * n] = b->sr;
    m[6 * n] = b->span;
    m[7 * n] = b->R;
}

/* Are m fibres on the straight part of their branches, so that w is lost in 1 + w? */
YK_RT YK_PART bool straight(const struct steel *s, size_t m, const double *x, const double *R)
{
    uint64_t bent = 0;

    for (size_t i = 0; i < m; i++)
        bent |= -(uint64_t) !((fabs(x[i]) < s->straight) & (R[i] > s->least_R));
    return !bent;
}

YK_RT YK_PART void chunk_powers(const struct steel *s, size_t m, const double *x, const double *R, double *w, double *v)
{
    if (straight(s, m, x, R)) {
        for (size_t i = 0; i < m; i++) {
            w[i] = 0;
            v[i] = 1;
        }
        return;
    }
    YK_INDEPENDENT
    for (size_t i = 0; i < m; i++)
        w[i] = weight(x[i], R[i]);
    YK_INDEPENDENT
    for (size_t i = 0; i < m; i++)
        v[i] = bend(w[i], R[i]);
}

YK_RT YK_PART void powers(const struct steel *s, size_t count, const double *x, const double *R, double *w, double *v)
{
    size_t done = 0;

    for (; done + CHUNK <= count; done += CHUNK)
        chunk_powers(s, CHUNK, x + done, R + done, w + done, v + done);
    if (done < count)
        chunk_powers(s, count - done, x + done, R + done, w + done, v + done);
}

/* With a dead band: the stress at the edge of the band, where a reversal would begin. x, w, v: to work with. */
YK_RT YK_PART void go_back(const struct steel *s, size_t n, size_t m, const double *committed, double *f0, double *x,
                           double *w, double *v)
{
    YK_INDEPENDENT
    for (size_t i = 0; i < m; i++) {
        const struct branch old = at(committed, n, i);

        x[i] = (start(s, &old, true) - old.er) / yk_select(old.span == 0, 1, old.span);
    }
    powers(s, m, x, committed + 7 * n, w, v);
    YK_INDEPENDENT
    for (size_t i = 0; i < m; i++) {
        const struct branch old = at(committed, n, i);

        f0[i] = stress(s, &old, start(s, &old, true), x[i], v[i]);
    }
}

/* The branches on which d lies, and x on them, of m <= CHUNK fibres. begin: the force where a reversal would begin.
 * Reversals are rare: where no fibre turns, the branches are those that were. */
YK_RT YK_PART void branches(const struct steel *s, size_t n, size_t m, const double *committed, const double *begin,
                            const double *d, double *trial, double *x, bool banded, bool isotropic)
{
    double shifted[CHUNK];
    uint64_t turned = 0;

    for (size_t i = 0; i < m; i++) {
        const struct branch old = at(committed, n, i);

        turned |= -(uint64_t)leaves(&old, start(s, &old, banded), d[i]);
    }
    if (!turned) {
        YK_INDEPENDENT
        for (size_t i = 0; i < m; i++) {
            const struct branch old = at(committed, n, i);

            put(&old, trial, n, i, d[i]);
            x[i] = (d[i] - old.er) / yk_select(old.span == 0, 1, old.span);
        }
        return;
    }
    if (isotropic) {
        YK_INDEPENDENT
        for (size_t i = 0; i < m; i++) {
            const struct branch old = at(committed, n, i);
            const double from = start(s, &old, banded);

            shifted[i] = shift(s, &old, d[i] > from, from);
        }
    }
    YK_INDEPENDENT
    for (size_t i = 0; i < m; i++) {
        const struct branch old = at(committed, n, i);
        const struct branch new = follow(s, &old, start(s, &old, banded), begin[i], d[i], isotropic ? shifted[i] : 1);

        put(&new, trial, n, i, d[i]);
        x[i] = (d[i] - new.er) / yk_select(new.span == 0, 1, new.span);
    }
}

/* m <= BLOCK of n fibres; k may be NULL. */
YK_RT YK_PART void block(const struct steel *s, size_t n, size_t m, const double *committed, const double *d,
                         double *trial, double *f, double *k, bool banded, bool isotropic)
{
    double x[BLOCK], w[BLOCK], v[BLOCK], f0[BLOCK];
    const double *begin = committed + n; /* the force where a reversal would begin */
    size_t done = 0;

    if (banded) {
        go_back(s, n, m, committed, f0, x, w, v);
        begin = f0;
    }
    for (; done + CHUNK <= m; done += CHUNK)
        branches(s, n, CHUNK, committed + done, begin + done, d + done, trial + done, x + done, banded, isotropic);
    if (done < m)
        branches(s, n, m - done, committed + done, begin + done, d + done, trial + done, x + done, banded, isotropic);
    powers(s, m, x, trial + 7 * n, w, v);

    /* force, tangent, and the start of the next reversal */
    YK_INDEPENDENT
    for (size_t i = 0; i < m; i++) {
        const struct branch old = at(committed, n, i);
        const struct branch new = {.er = trial[4 * n + i], .sr = trial[5 * n + i], .span = trial[6 * n + i]};
        const double force_here = stress(s, &new, d[i], x[i], v[i]);

        f[i] = force_here;
        trial[n + i] = remember(&old, start(s, &old, banded), d[i], force_here, banded);
    }
    if (k) {
        YK_INDEPENDENT
        for (size_t i = 0; i < m; i++)
            k[i] = slope(s, x[i], w[i], v[i]);
    }
}

/* Each kind of steel has a loop without what it does not need. */
YK_WIDE_PROCESSOR YK_RT static void loop(const struct steel *s, size_t n, const double *committed, const double *d,
                                         double *trial, double *f, double *k)
{
    const bool banded = s->dead_band > 0, isotropic = s->isotropic;

    for (size_t i = 0; i < n; i += BLOCK) {
        const size_t m = n - i < BLOCK ? n - i : BLOCK;
        double *const slopes = k ? k + i : NULL;

        if (banded && isotropic)
            block(s, n, m, committed + i, d + i, trial + i, f + i, slopes, true, true);
        else if (banded)
            block(s, n, m, committed + i, d + i, trial + i, f + i, slopes, true, false);
        else if (isotropic)
            block(s, n, m, committed + i, d + i, trial + i, f + i, slopes, false, true);
        else
            block(s, n, m, committed + i, d + i, trial + i, f + i, slopes, false, false);
    }
}

YK_RT static void forces(const void *settings, size_t n, const double *committed, const double *d, double h,
                         double *trial, double *f, double *k)
{
    loop(settings, n, committed, d, trial, f, k);
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
    s->least_R = s->R0 * (1 - 1e-9);
    s->straight = exp(-38 / s->least_R);
    if (!(s->dead_band < s->yield))
        return yk_fail(err, YK_E_RANGE,
                       "steel: dead_band = %g is not below the yield strain fy/E = %g; use the "
                       "peak-to-peak value of the noise",
                       s->dead_band, s->yield);
    s->fall = s->a1 * yk_exp_negative(-0.8 * yk_log(s->a2));
    s->rise = s->a3 * yk_exp_negative(-0.8 * yk_log(s->a4));
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
    YK_REAL(struct steel, dead_band, YK_DISPLACEMENT, 0, 0, 1e6,
            "strain or extension against the direction of loading that is not yet a reversal, below fy/E; use the "
            "peak-to-peak "
            "value of the noise"),
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
    .forces = forces,
};
