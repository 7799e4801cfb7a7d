/* Unilateral contact with clearance or preload. docs/theory/laws.md, eq. (4). Units: N, m.
 *
 * A stop on the positive side is pressed by p(d) = max(d - g + P/k, 0) and answers with k p(d); a stop on the negative
 * side is its mirror image; `both` is their sum. The force is continuous, its stiffness jumps where contact begins. */
#include <yoke/law.h>

enum { BOTH, POSITIVE, NEGATIVE };

struct gap {
    double stiffness, gap, preload;
    int side;
    double onset; /* g - P/k: extension at which contact begins [m]; set by prepare */
};

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct gap *s = settings;

    if (s->preload > 0 && s->gap > 0)
        return yk_fail(err, YK_E_INPUT,
                       "gap: preload = %g N needs contact at rest, but gap = %g m; set one of them to 0", s->preload,
                       s->gap);
    s->onset = s->gap - s->preload / s->stiffness;
    if (!isfinite(s->onset))
        return yk_fail(err, YK_E_RANGE, "gap: preload/stiffness = %g/%g m is not finite", s->preload, s->stiffness);
    return YK_OK;
}

/* How far the stop of each side is pressed in [m]; never negative. */
static double pressed_positive(const struct gap *s, double d)
{
    return s->side != NEGATIVE ? fmax(d - s->onset, 0) : 0;
}

static double pressed_negative(const struct gap *s, double d)
{
    return s->side != POSITIVE ? fmax(-d - s->onset, 0) : 0;
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct gap *s = settings;

    return s->stiffness * (pressed_positive(s, d) - pressed_negative(s, d)) + 0 * d; /* 0, unless d is no number */
}

YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct gap *s = settings;

    *k = s->stiffness * ((pressed_positive(s, d) > 0) + (pressed_negative(s, d) > 0));
    *c = 0;
}

YK_RT static double stored(const void *settings, double d)
{
    const struct gap *s = settings;
    const double p = pressed_positive(s, d), n = pressed_negative(s, d);

    return 0.5 * s->stiffness * (p * p + n * n);
}

static const struct yk_param params[] = {
    YK_REAL(struct gap, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "force per extension in contact"),
    YK_REAL(struct gap, gap, YK_DISPLACEMENT, 0, 0, 1e6, "clearance at rest, the same on either side"),
    YK_REAL(struct gap, preload, YK_FORCE, 0, 0, 1e15, "force with which each stop is pressed at rest; needs gap = 0"),
    YK_CHOICE(struct gap, side, "both|positive|negative", BOTH, "sign of the extension that meets a stop"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_gap = {
    .name = "gap",
    .summary = "one- or two-sided stop: f = stiffness max(d - gap, 0) + preload while in contact",
    .reference = "unilateral elastic contact",
    .params = params,
    .settings_size = sizeof(struct gap),
    .prepare = prepare,
    .force = force,
    .tangent = tangent,
    .stored = stored,
};
