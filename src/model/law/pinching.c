/* Trilinear backbone with pinched reloading and damage. docs/theory/laws.md, eq. (11) to (15).
 *
 * The path from the committed point to d is walked corner by corner: unloading to zero, no force up to where reloading
 * begins, reloading to the knee and from there to the largest earlier excursion, then the backbone. Within a piece the
 * force is a line, or two that meet, so that force and work are exact for any step. Everything is computed for the
 * direction of the increment: x and y are extension and force times its sign, and so are the quantities of a side.
 * Units: N, m or N m, rad. */
#include <yoke/law.h>

#include <string.h>

enum { POINTS = 3 }; /* of a side, without the origin */

/* A side of the backbone; positive numbers. */
struct side {
    double x[POINTS + 1], y[POINTS + 1]; /* corners, the first at the origin */
    double slope[POINTS + 1];            /* after each corner */
    double stiffness;                    /* the steepest branch: unloading before damage */
    double gone;                         /* where it has fallen to zero; infinity: nowhere */
};

struct pinching {
    struct yk_reals positive, negative;
    double px, py, D1, D2, beta;
    struct side side[2]; /* negative, positive; set by prepare */
    double area;         /* under both backbones, up to their last points [J] */
};

/* Memory. `way`: direction of the last increment, 0 at first. By side: largest excursion, and where reloading begins
 * after unloading from the other side. All extensions but the first count from the one at rest. */
enum { EXTENSION, REST, FORCE, WAY, FAR, START = FAR + 2, WORK = START + 2, COUNT };

static const double held = 1e-9;    /* stiffness where the force does not change, over the initial one */
static const double farthest = 1e6; /* that damage lets an excursion grow to, over the last point */

static void rest(const void *settings, double d, double *state)
{
    memset(state, 0, COUNT * sizeof *state);
    state[EXTENSION] = state[REST] = d;
}

/* ---- backbone ---- */

YK_RT static int branch(const struct side *s, double x)
{
    int i = 0;

    while (i < POINTS && x >= s->x[i + 1])
        i++;
    return i;
}

YK_RT static double backbone(const struct side *s, double x)
{
    const int i = branch(s, x);

    return s->y[i] + s->slope[i] * (x - s->x[i]);
}

/* Stiffness of unloading and of small loops after an excursion to `far` that began at `start`, eq. (12). Softer than
 * the line between them it would give back more work than was taken. */
YK_RT static double unloading(const struct pinching *p, const struct side *s, double far, double start)
{
    if (!(far > s->x[1]) || p->beta == 0)
        return s->stiffness;
    return fmin(fmax(s->stiffness * pow(far / s->x[1], -p->beta), backbone(s, far) / (far - start)), s->stiffness);
}

/* The excursion to reload to, after the other side has yielded and so much work is lost: eq. (15). */
YK_RT static double damaged(const struct pinching *p, const struct side *s, double far, double yielded, double lost)
{
    const double growth = fmax(p->D1 * yielded + p->D2 * lost / p->area, 0);

    return fmax(far, fmin(far * (1 + growth), farthest * s->x[POINTS]));
}

/* ---- the walk ---- */

struct walk {
    double x, y, k, work;
    double end; /* the walk is over there */
};

/* A straight piece up to `to`, or to the end of the walk. */
YK_RT static void go(struct walk *w, double slope, double to)
{
    const double at = fmin(to, w->end), s = at - w->x;

    if (!(s > 0))
        return;
    w->work += s * (w->y + 0.5 * slope * s);
    w->y += slope * s;
    w->k = slope;
    w->x = at;
}

/* A piece up to `to` towards the line through (x0, y0): from below with the stiffness `steepest`, from above with the
 * force held; then on it, as far as it is not steeper. */
YK_RT static void follow(struct walk *w, double x0, double y0, double slope, double steepest, double to)
{
    const double line = y0 + slope * (w->x - x0);
    const double first = w->y < line ? steepest : w->y > line ? 0 : fmin(slope, steepest);
    const double meet = (line - w->y) / (first - slope); /* not finite, or behind: never */

    if (w->x >= fmin(to, w->end))
        return;
    if (w->y != line)
        go(w, first, meet >= 0 ? fmin(w->x + meet, to) : to);
    if (w->x >= fmin(to, w->end))
        return;
    go(w, fmin(slope, steepest), to);
    if (slope <= steepest)
        w->y = y0 + slope * (w->x - x0); /* without the rounding errors of earlier steps */
}

/* From the committed point to a largest excursion: eq. (13) and (14). */
YK_RT static void reload(const struct pinching *p, struct walk *w, const struct side *s, double far, double start,
                         double away)
{
    const double top = backbone(s, far), k = unloading(p, s, far, start), soft = p->py * top;
    const double knee = start + p->px * (far - (top - soft) / k - start);

    if (w->y < 0) {
        go(w, away, w->x - w->y / away);
        if (w->x < w->end)
            w->y = 0;
    }
    follow(w, start, 0, 0, k, fmin(start, knee));
    follow(w, start, 0, soft / (knee - start), k, fmin(knee, far));
    follow(w, knee, soft, (top - soft) / (far - knee), k, far);
}

/* Along the backbone; a corner is where the next branch begins. */
YK_RT static void load(struct walk *w, const struct side *s)
{
    w->y = backbone(s, w->x);
    for (int i = branch(s, w->x); i <= POINTS && w->x < w->end; i++)
        go(w, s->slope[i], i < POINTS ? s->x[i + 1] : INFINITY);
    w->y = backbone(s, w->x);
}

/* Force at d, its slope there, and the memory; `way` is the direction of the increment. */
YK_RT static double walk(const struct pinching *p, const double *committed, double d, int way, double *trial, double *k)
{
    const int here = way > 0, there = !here;
    const struct side *s = &p->side[here], *other = &p->side[there];
    const double away = unloading(p, other, committed[FAR + there], committed[START + there]);
    struct walk w = {.x = way * (committed[EXTENSION] - committed[REST]),
                     .y = way * committed[FORCE],
                     .end = way * (d - committed[REST])};

    memcpy(trial, committed, COUNT * sizeof *trial);
    double *far = &trial[FAR + here], *start = &trial[START + here];

    if (w.x < *far) {
        if (committed[WAY] * way < 0 && w.y <= 0) { /* a reversal on the other side */
            const double yielded = committed[FAR + there] / other->x[1] - 1;

            *start = fmax(w.x - w.y / away, committed[FAR + there] > other->gone ? -other->gone : -INFINITY);
            if (yielded > 0)
                *far = damaged(p, s, *far, yielded, committed[WORK] - 0.5 * w.y * w.y / away);
        }
        *far = fmax(*far, s->x[1]);
        reload(p, &w, s, *far, *start, away);
    }
    if (w.x >= *far) {
        load(&w, s);
        *far = w.x;
    }
    trial[EXTENSION] = d;
    trial[FORCE] = way * w.y;
    trial[WAY] = way;
    trial[WORK] += w.work;
    *k = w.k != 0 ? w.k : held * s->stiffness;
    return trial[FORCE];
}

YK_RT static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    double k;

    if (d != committed[EXTENSION] && isfinite(d))
        return walk(settings, committed, d, d > committed[EXTENSION] ? 1 : -1, trial, &k);
    memcpy(trial, committed, COUNT * sizeof *trial);
    return isfinite(d) ? committed[FORCE] : NAN;
}

/* At the committed point: the slope ahead, in the direction of the rate or, without one, of the last increment. */
YK_RT static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    const struct pinching *p = settings;
    double trial[COUNT];

    *c = 0;
    if (d == committed[EXTENSION]) {
        const int way = (w != 0 ? w : committed[WAY]) < 0 ? -1 : 1;

        walk(p, committed, d + way * 1e-9 * p->side[way > 0].x[1], way, trial, k);
    } else
        walk(p, committed, d, d > committed[EXTENSION] ? 1 : -1, trial, k);
}

/* ---- settings ---- */

static enum yk_status prepare_side(struct side *s, const struct yk_reals *points, const char *name, struct yk_err *err)
{
    if (points->n != 2 * POINTS)
        return yk_fail(err, YK_E_INPUT, "pinching: %s has %zu points; it needs %d, each a force and a deformation",
                       name, points->n / 2, POINTS);
    *s = (struct side){.gone = INFINITY};
    for (int i = 1; i <= POINTS; i++) {
        s->y[i] = points->x[2 * i - 2];
        s->x[i] = points->x[2 * i - 1];
        if (!(s->x[i] > s->x[i - 1]))
            return yk_fail(err, YK_E_RANGE, "pinching: deformation %d of %s, %g, must be above %g%s", i, name, s->x[i],
                           s->x[i - 1], i > 1 ? ", the one before" : "");
        if (!(s->y[i] > 0) && i < POINTS)
            return yk_fail(err, YK_E_RANGE, "pinching: force %d of %s, %g, must be positive; only the last may be 0", i,
                           name, s->y[i]);
        s->slope[i - 1] = (s->y[i] - s->y[i - 1]) / (s->x[i] - s->x[i - 1]);
        s->stiffness = fmax(s->stiffness, s->slope[i - 1]);
    }
    s->slope[POINTS] = fmax(s->slope[POINTS - 1], 0); /* beyond the last point */
    if (s->y[POINTS] == 0)
        s->gone = s->x[POINTS];
    if (!isfinite(s->stiffness))
        return yk_fail(err, YK_E_RANGE, "pinching: the stiffness of %s is not finite", name);
    return YK_OK;
}

/* Unloading that is softer than the branch before it gives back more work than was taken. */
static enum yk_status check_unloading(const struct side *s, double beta, const char *name, struct yk_err *err)
{
    for (int i = 2; i <= POINTS; i++) {
        const double k = s->stiffness * pow(s->x[i] / s->x[1], -beta);

        if (s->slope[i - 1] > k)
            return yk_fail(err, YK_E_RANGE,
                           "pinching: beta = %g lets point %d of %s unload with a stiffness of %.4g, softer than the "
                           "branch that leads there, %.4g; choose a smaller beta",
                           beta, i, name, k, s->slope[i - 1]);
    }
    return YK_OK;
}

static double area_under(const struct side *s)
{
    double area = 0;

    for (int i = 1; i <= POINTS; i++)
        area += 0.5 * (s->y[i] + s->y[i - 1]) * (s->x[i] - s->x[i - 1]);
    return area;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct pinching *p = settings;
    enum yk_status st;

    if ((st = prepare_side(&p->side[1], &p->positive, "positive", err)) ||
        (st = prepare_side(&p->side[0], p->negative.n ? &p->negative : &p->positive, "negative", err)))
        return st;
    if ((st = check_unloading(&p->side[1], p->beta, "positive", err)) ||
        (st = check_unloading(&p->side[0], p->beta, "negative", err)))
        return st;
    p->area = area_under(&p->side[0]) + area_under(&p->side[1]);
    return YK_OK;
}

static const struct yk_param params[] = {
    YK_POINTS(struct pinching, positive, "", YK_REQUIRED,
              "three points of the backbone, force and deformation each, with increasing deformation"),
    YK_POINTS(struct pinching, negative, "mirror", 0,
              "the same for the other side, as positive numbers; mirror: those of the positive side"),
    YK_REAL(struct pinching, px, YK_NUMBER, 1, 0, 1,
            "how far reloading stays soft, over the way to the unloading line"),
    YK_REAL(struct pinching, py, YK_NUMBER, 1, 0, 1, "force at the end of the soft part, over that at the old peak"),
    YK_REAL(struct pinching, D1, YK_NUMBER, 0, 0, 10, "damage by ductility: growth of the peak to reload to"),
    YK_REAL(struct pinching, D2, YK_NUMBER, 0, 0, 10, "damage by energy: growth of the peak to reload to"),
    YK_REAL(struct pinching, beta, YK_NUMBER, 0, 0, 1, "unloading stiffness falls with ductility to this power"),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_pinching = {
    .name = "pinching",
    .summary = "trilinear backbone on either side, pinched reloading, damage by ductility and energy",
    .reference = "rules of the material Hysteretic of OpenSees, walked exactly",
    .params = params,
    .settings_size = sizeof(struct pinching),
    .count = COUNT,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
