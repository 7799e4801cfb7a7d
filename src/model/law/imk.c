/* Modified Ibarra-Medina-Krawinkler model of hinges and joints: on each side a backbone that yields, hardens, caps and
 * falls to a residual force, and that deteriorates with the energy lost; reloading along the strength lines (bilinear),
 * towards the largest earlier excursion (peak-oriented), or pinched. docs/theory/laws.md, eq. (43) to (48).
 *
 * The path from the committed point to d is walked corner by corner, so that force and work are exact for any step.
 * Everything is computed for the direction of the increment: x and y are extension and force times its sign, and so
 * are the quantities of a side. Units: N, m or N m, rad. */
#include <yoke/law.h>

#include <string.h>

enum hysteresis { BILINEAR, PEAK_ORIENTED, PINCHING };
enum kind { STRENGTH, CAPPING, RELOADING, UNLOADING_STIFFNESS, KINDS }; /* of deterioration */

/* A side of the backbone before deterioration; positive numbers. */
struct side {
    double yield, hardening; /* force at yield, slope after it */
    double fall, falling;    /* line after the cap: force at no deformation, slope (negative) */
    double residual, ultimate, rate;
};

struct imk {
    double stiffness;
    int hysteresis;
    double yield, plastic, post_capping, ultimate, capping, residual, rate;
    double yield_negative, plastic_negative, post_capping_negative, ultimate_negative, capping_negative,
        residual_negative, rate_negative;
    double lambda_S, lambda_C, lambda_A, lambda_K, c_S, c_C, c_A, c_K;
    double kappa_F, kappa_D;

    struct side side[2]; /* negative, positive; set by prepare */
    double capacity[KINDS], power[KINDS];
};

/* Memory. `way`: direction of the last increment; work: taken so far, and up to the last time the force was zero;
 * leg: see below, with its slope; the point where the soft part of reloading ends. By side: deterioration of strength
 * and of the line after the cap, the largest excursion, and the last point of return. */
enum {
    EXTENSION,
    REST,
    FORCE,
    WAY,
    UNLOADING,
    WORK,
    SPENT,
    LEG,
    SLOPE,
    PINCH_X,
    PINCH_Y,
    WEAK,
    LOW = WEAK + 2,
    FAR = LOW + 2,
    LAST_X = FAR + 2,
    LAST_Y = LAST_X + 2,
    COUNT = LAST_Y + 2
};

/* Places on the path. From TO_PINCH on it is loaded in the direction of the last increment. */
enum leg {
    ELASTIC,   /* nothing has yielded yet */
    BACK,      /* on a line of unloading */
    EXHAUSTED, /* the same, and the energy is used up: no force any more from zero on */
    FAILED,    /* no force */
    RISING,    /* beyond zero with the stiffness of unloading, up to the backbone */
    TO_PINCH,
    TO_LAST,
    TO_FAR,
    BACKBONE
};

static const double held = 1e-9; /* stiffness where the force does not change, over the initial one */
static const double nowhere = -1e300;
static const double softest = 1e-3; /* unloading, over the initial stiffness */
enum { MOST_LEGS = 16 };

static void rest(const void *settings, double d, double *state)
{
    const struct imk *p = settings;

    memset(state, 0, COUNT * sizeof *state);
    state[EXTENSION] = state[REST] = d;
    state[UNLOADING] = p->stiffness;
    for (int i = 0; i < 2; i++) {
        state[WEAK + i] = state[LOW + i] = 1;
        state[FAR + i] = state[LAST_X + i] = p->side[i].yield / p->stiffness;
        state[LAST_Y + i] = p->side[i].yield;
    }
}

/* ---- backbone ---- */

/* As it has deteriorated, eq. (43): the line after yield, start + slope x; the one after the cap, fall + falling x;
 * both not below the residual force. */
struct backbone {
    double start, slope, fall, falling, residual, ultimate;
    double cap; /* where the lines meet */
};

YK_RT static struct backbone backbone_of(const struct imk *p, int i, const double *state)
{
    const struct side *s = &p->side[i];
    const double yield = s->yield * state[WEAK + i], slope = s->hardening * state[WEAK + i];
    struct backbone b = {.start = yield - slope * yield / p->stiffness,
                         .slope = slope,
                         .fall = s->fall * state[LOW + i],
                         .falling = s->falling,
                         .residual = s->residual,
                         .ultimate = s->ultimate};

    b.cap = (b.fall - b.start) / (b.slope - b.falling);
    return b;
}

YK_RT static double bound(const struct backbone *b, double x)
{
    return fmax(fmin(b->start + b->slope * x, b->fall + b->falling * x), b->residual);
}

/* The slope of the backbone after x, and where it ends. */
YK_RT static double branch(const struct backbone *b, double x, double *to)
{
    *to = INFINITY;
    if (x < b->cap && b->start + b->slope * x >= b->residual) {
        *to = b->cap;
        return b->slope;
    }
    if (x < b->cap) { /* weaker than the residual force, as far as hardening has not lifted it above */
        if (b->start + b->slope * b->cap > b->residual)
            *to = (b->residual - b->start) / b->slope;
        return 0;
    }
    if (b->fall + b->falling * x <= b->residual)
        return 0;
    *to = (b->residual - b->fall) / b->falling;
    return b->falling;
}

/* How far a line of slope k from (x, y) goes until it meets a line of slope l that has the value `line` at x. */
YK_RT static double meets(double y, double k, double line, double l)
{
    return !(line > y) ? 0 : k > l ? (line - y) / (k - l) : INFINITY;
}

YK_RT static double meets_backbone(const struct backbone *b, double x, double y, double k)
{
    const double lines =
        fmin(meets(y, k, b->start + b->slope * x, b->slope), meets(y, k, b->fall + b->falling * x, b->falling));

    return x + fmax(lines, meets(y, k, b->residual, 0));
}

/* ---- deterioration ---- */

/* beta of eq. (44): energy lost of late over what is left; above 1: it is used up. */
YK_RT static double deterioration(const struct imk *p, enum kind kind, double lost, double total)
{
    const double left = p->capacity[kind] - total;

    if (!(p->capacity[kind] > 0) || !(lost > 0))
        return 0;
    return left > lost ? pow(lost / left, p->power[kind]) : 2;
}

struct walk {
    double x, y, k, work;
    double end;  /* the walk is over there */
    double stop; /* end of a piece: there, or where the ultimate deformation is reached */
};

/* A straight piece up to `to`; true: it was reached, and the walk goes on. */
YK_RT static bool go(struct walk *w, double slope, double to)
{
    const double at = fmin(to, w->stop), s = at - w->x;

    if (s > 0) {
        w->work += s * (w->y + 0.5 * slope * s);
        w->y += slope * s;
        w->k = slope;
        w->x = at;
    }
    return w->x >= to;
}

/* A reversal of loading on the other side: its points of return, and the stiffness of unloading, eq. (46). */
YK_RT static void turn(const struct imk *p, double *state, int there, double x, double y)
{
    const double k = fmax(state[UNLOADING], softest * p->stiffness), back = 0.5 * y * y / k;

    if (state[LEG] == RISING || !(y > 0)) {
        state[LEG] = BACK;
        return;
    }
    state[LAST_X + there] = x;
    state[LAST_Y + there] = y;
    state[FAR + there] = fmax(state[FAR + there], x);
    const double beta = deterioration(p, UNLOADING_STIFFNESS, state[WORK] - state[SPENT] - back, state[WORK] - back);

    state[LEG] = beta <= 1 ? BACK : EXHAUSTED;
    state[UNLOADING] = fmax(k * (1 - fmin(beta, 1)), softest * p->stiffness);
    if (beta > 1)
        state[UNLOADING] = k;
}

/* Heads for the largest excursion, or at the last point of return where that is on the way and steeper. */
YK_RT static void aim(const struct backbone *b, double *state, int here, const struct walk *w, bool by_last)
{
    const double far = state[FAR + here], top = bound(b, far), last_x = state[LAST_X + here],
                 last_y = state[LAST_Y + here], steep = (top - w->y) / (far - w->x),
                 local = (last_y - w->y) / (last_x - w->x);

    if (!(far > w->x)) {
        state[LEG] = RISING;
        return;
    }
    const bool last = by_last && last_x > w->x && last_y > w->y && last_y < top && local > steep;

    state[LEG] = last ? TO_LAST : TO_FAR;
    state[SLOPE] = last ? local : steep;
}

/* The force is zero: the backbone of the side deteriorates, eq. (45), and reloading begins, eq. (47) and (48). */
YK_RT static void begin_excursion(const struct imk *p, double *state, int here, struct walk *w)
{
    const double total = state[WORK] + w->work, lost = total - state[SPENT], rate = p->side[here].rate;
    const double s = deterioration(p, STRENGTH, lost, total), c = deterioration(p, CAPPING, lost, total),
                 a = deterioration(p, RELOADING, lost, total);

    if (s > 1 || c > 1 || a > 1) {
        state[LEG] = FAILED;
        return;
    }
    state[WEAK + here] *= 1 - rate * s;
    state[LOW + here] *= 1 - rate * c;
    state[FAR + here] *= 1 + rate * a;
    state[SPENT] = total;
    const struct backbone b = backbone_of(p, here, state);
    const double far = state[FAR + here], top = bound(&b, far), k = fmax(state[UNLOADING], softest * p->stiffness),
                 soft_x = (1 - p->kappa_D) * (far - top / k),
                 soft_y = p->kappa_F * top * (soft_x - w->x) / (far - w->x);

    if (p->hysteresis == BILINEAR) {
        state[LEG] = RISING;
    } else if (p->hysteresis == PINCHING && w->x < soft_x && soft_x < far) {
        state[PINCH_X] = soft_x;
        state[PINCH_Y] = soft_y;
        state[LEG] = TO_PINCH;
        state[SLOPE] = soft_y / (soft_x - w->x);
    } else {
        state[PINCH_X] = nowhere;
        aim(&b, state, here, w, true);
    }
}

/* Back at the point from which it was unloaded: on with what was done there. */
YK_RT static void go_on(const struct backbone *b, double *state, int here, const struct walk *w)
{
    const double x = state[PINCH_X], y = state[PINCH_Y], far = state[FAR + here], top = bound(b, far),
                 soft = (y - w->y) / (x - w->x);

    if (w->x >= far) {
        state[LEG] = BACKBONE;
    } else if (w->x < x && w->y < y && x < far && y < top && soft < (top - w->y) / (far - w->x)) {
        state[LEG] = TO_PINCH;
        state[SLOPE] = soft;
    } else
        aim(b, state, here, w, false);
}

/* ---- the walk ---- */

/* Along a line of unloading: to zero from the other side; on this side up to where it began. */
YK_RT static void move_back(const struct imk *p, const struct backbone *b, double *state, int here, struct walk *w)
{
    const double k = fmax(state[UNLOADING], softest * p->stiffness);

    if (w->y < 0) {
        if (go(w, k, w->x - w->y / k) && w->x <= w->end)
            w->y = 0;
    } else if (w->y == 0) {
        begin_excursion(p, state, here, w);
    } else if (p->hysteresis == BILINEAR) {
        state[LEG] = RISING;
    } else if (go(w, k, state[LAST_X + here])) {
        w->y = state[LAST_Y + here];
        go_on(b, state, here, w);
    }
}

/* One piece of the path. */
YK_RT static void move(const struct imk *p, double *state, int here, struct walk *w)
{
    const struct backbone b = backbone_of(p, here, state);
    const double k = fmax(state[UNLOADING], softest * p->stiffness), K = p->stiffness;
    const enum leg leg = (enum leg)fmin(fmax(state[LEG], ELASTIC), BACKBONE);
    double to;

    w->stop = w->x < b.ultimate ? fmin(w->end, b.ultimate) : w->end;
    if (leg == FAILED) {
        w->y = 0;
        go(w, 0, INFINITY);
    } else if (w->y > 0 && (leg == EXHAUSTED || w->x >= b.ultimate)) {
        if (go(w, -K, w->x + w->y / K))
            state[LEG] = FAILED;
    } else if (leg == EXHAUSTED) {
        if (go(w, k, w->x - w->y / k))
            state[LEG] = FAILED;
    } else if (leg == ELASTIC) {
        if (go(w, K, p->side[here].yield / K))
            state[LEG] = BACKBONE;
    } else if (leg == BACK) {
        move_back(p, &b, state, here, w);
    } else if (leg == RISING) {
        if (go(w, k, meets_backbone(&b, w->x, w->y, k)))
            state[LEG] = BACKBONE;
    } else if (leg == TO_PINCH) {
        if (go(w, state[SLOPE], state[PINCH_X])) {
            w->y = state[PINCH_Y];
            aim(&b, state, here, w, true);
        }
    } else if (leg == TO_LAST) {
        if (go(w, state[SLOPE], state[LAST_X + here])) {
            w->y = state[LAST_Y + here];
            aim(&b, state, here, w, false);
        }
    } else if (leg == TO_FAR) {
        if (go(w, state[SLOPE], state[FAR + here]))
            state[LEG] = BACKBONE;
    } else {
        const double slope = branch(&b, w->x, &to);

        w->y = bound(&b, w->x);
        go(w, slope, to);
        w->y = w->x <= b.ultimate ? bound(&b, w->x) : w->y;
    }
}

/* Force at d, its slope there, and the memory; `way` is the direction of the increment. */
YK_RT static double walk(const struct imk *p, const double *committed, double d, int way, double *state, double *k)
{
    const int here = way > 0;
    struct walk w = {.x = way * (committed[EXTENSION] - committed[REST]),
                     .y = way * committed[FORCE],
                     .end = way * (d - committed[REST])};

    memcpy(state, committed, COUNT * sizeof *state);
    if (committed[WAY] * way < 0 && committed[LEG] >= RISING)
        turn(p, state, !here, -w.x, -w.y);
    for (int i = 0; i < MOST_LEGS && w.x < w.end; i++)
        move(p, state, here, &w);
    state[EXTENSION] = d;
    state[FORCE] = way * w.y;
    state[WAY] = way;
    state[WORK] += w.work;
    *k = w.k != 0 ? w.k : held * p->stiffness;
    return state[FORCE];
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
    const struct imk *p = settings;
    double trial[COUNT];

    *c = 0;
    if (d == committed[EXTENSION]) {
        const int way = (w != 0 ? w : committed[WAY]) < 0 ? -1 : 1;

        walk(p, committed, d + way * 1e-9 * p->side[way > 0].yield / p->stiffness, way, trial, k);
    } else
        walk(p, committed, d, d > committed[EXTENSION] ? 1 : -1, trial, k);
}

/* ---- settings ---- */

static enum yk_status prepare_side(struct side *s, double K, double yield, double plastic, double post_capping,
                                   double ultimate, double capping, double residual, const char *name,
                                   struct yk_err *err)
{
    const double top = capping * yield, cap = yield / K + plastic;

    s->yield = yield;
    s->hardening = (top - yield) / plastic;
    s->falling = -top / post_capping;
    s->fall = top - s->falling * cap;
    s->residual = residual * yield;
    s->ultimate = ultimate > 0 ? ultimate : INFINITY;
    if (!(s->hardening < K))
        return yk_fail(err, YK_E_RANGE,
                       "imk: %s side: capping = %g makes the stiffness after yield %.4g, not below %.4g", name, capping,
                       s->hardening, K);
    if (!(s->ultimate > cap))
        return yk_fail(err, YK_E_RANGE, "imk: %s side: ultimate = %g must be beyond the cap at %.4g; 0: no limit", name,
                       ultimate, cap);
    return YK_OK;
}

static enum yk_status prepare(void *settings, struct yk_err *err)
{
    struct imk *p = settings;
    const double lambda[KINDS] = {p->lambda_S, p->lambda_C, p->lambda_A, p->lambda_K},
                 power[KINDS] = {p->c_S, p->c_C, p->c_A, p->c_K};
    enum yk_status st = prepare_side(&p->side[1], p->stiffness, p->yield, p->plastic, p->post_capping, p->ultimate,
                                     p->capping, p->residual, "positive", err);

    p->side[0] = p->side[1];
    if (!st && p->yield_negative > 0 && !(p->plastic_negative > 0 && p->post_capping_negative > 0))
        return yk_fail(err, YK_E_INPUT,
                       "imk: with yield_negative, plastic_negative and post_capping_negative are needed");
    if (!st && p->yield_negative > 0)
        st = prepare_side(&p->side[0], p->stiffness, p->yield_negative, p->plastic_negative, p->post_capping_negative,
                          p->ultimate_negative, p->capping_negative, p->residual_negative, "negative", err);
    p->side[1].rate = p->rate;
    p->side[0].rate = p->rate_negative;
    for (int k = 0; k < KINDS; k++) {
        p->capacity[k] = lambda[k] * p->yield;
        p->power[k] = power[k];
    }
    return st;
}

#define NEGATIVE(help_) YK_WHEN("yield_negative", help_)
#define PINCHED(help_)  YK_WHEN("hysteresis=pinching", help_)
static const struct yk_param params[] = {
    YK_CHOICE(struct imk, hysteresis, "bilinear|peak-oriented|pinching", PEAK_ORIENTED,
              "reloading: along the strength lines, straight to the old peak, or softly at first"),
    YK_REAL(struct imk, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "elastic stiffness"),
    YK_REAL(struct imk, yield, YK_FORCE, YK_REQUIRED, YK_TINY, 1e15, "force at yield"),
    YK_REAL(struct imk, plastic, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6, "deformation from yield to the cap"),
    YK_REAL(struct imk, post_capping, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6,
            "deformation from the cap to where the falling line reaches zero"),
    YK_REAL(struct imk, capping, YK_NUMBER, 1.1, 1, 100, "force at the cap over that at yield"),
    YK_REAL(struct imk, residual, YK_NUMBER, 0, 0, 0.999, "residual force over that at yield"),
    YK_REAL(struct imk, ultimate, YK_DISPLACEMENT, 0, 0, 1e6, "deformation at which the force is lost; 0: no limit"),
    YK_REAL(struct imk, yield_negative, YK_FORCE, 0, 0, 1e15,
            "force at yield of the negative side, as a magnitude; 0: this side mirrors the positive one"),
    YK_REAL(struct imk, plastic_negative, YK_DISPLACEMENT, 0, 0, 1e6, NEGATIVE("the same of the negative side")),
    YK_REAL(struct imk, post_capping_negative, YK_DISPLACEMENT, 0, 0, 1e6, NEGATIVE("the same of the negative side")),
    YK_REAL(struct imk, capping_negative, YK_NUMBER, 1.1, 1, 100, NEGATIVE("the same of the negative side")),
    YK_REAL(struct imk, residual_negative, YK_NUMBER, 0, 0, 0.999, NEGATIVE("the same of the negative side")),
    YK_REAL(struct imk, ultimate_negative, YK_DISPLACEMENT, 0, 0, 1e6, NEGATIVE("the same of the negative side")),
    YK_REAL(struct imk, lambda_S, YK_DISPLACEMENT, 0, 0, 1e6,
            "cumulative plastic deformation capacity for the loss of strength; 0: no such loss"),
    YK_REAL(struct imk, lambda_C, YK_DISPLACEMENT, 0, 0, 1e6, "the same for the strength after the cap"),
    YK_REAL(struct imk, lambda_A, YK_DISPLACEMENT, 0, 0, 1e6, "the same for the stiffness of reloading"),
    YK_REAL(struct imk, lambda_K, YK_DISPLACEMENT, 0, 0, 1e6, "the same for the stiffness of unloading"),
    YK_REAL(struct imk, c_S, YK_NUMBER, 1, 0.1, 10, YK_WHEN("lambda_S", "exponent of the rate of this loss")),
    YK_REAL(struct imk, c_C, YK_NUMBER, 1, 0.1, 10, YK_WHEN("lambda_C", "exponent of the rate of this loss")),
    YK_REAL(struct imk, c_A, YK_NUMBER, 1, 0.1, 10, YK_WHEN("lambda_A", "exponent of the rate of this loss")),
    YK_REAL(struct imk, c_K, YK_NUMBER, 1, 0.1, 10, YK_WHEN("lambda_K", "exponent of the rate of this loss")),
    YK_REAL(struct imk, rate, YK_NUMBER, 1, 0, 1, "share of deterioration on the positive side, as beside a slab"),
    YK_REAL(struct imk, rate_negative, YK_NUMBER, 1, 0, 1, "the same on the negative side"),
    YK_REAL(struct imk, kappa_F, YK_NUMBER, 0.5, 0.01, 1,
            PINCHED("force where soft reloading ends, over that of a straight line")),
    YK_REAL(struct imk, kappa_D, YK_NUMBER, 0.5, 0, 1,
            PINCHED("the deformation there: part of the residual one that is left")),
    YK_PARAM_END,
};

const struct yk_law_ops yk_law_imk = {
    .name = "imk",
    .summary =
        "hinge that yields, caps and falls, and deteriorates with the energy lost: bilinear, peak-oriented or pinching",
    .reference = "Ibarra, Medina and Krawinkler 2005; Lignos and Krawinkler 2011",
    .params = params,
    .settings_size = sizeof(struct imk),
    .count = COUNT,
    .prepare = prepare,
    .rest = rest,
    .force = force,
    .tangent = tangent,
};
