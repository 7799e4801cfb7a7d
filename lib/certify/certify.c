/* Largest radius that is certified, smallest at which an unstable loop is found, and which parameter costs most.
 * docs/theory/certificates.md, sections 2 and 4. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <yoke/random.h>

#define FIRST        (1.0 / 64)
#define CLOSE        1e-4 /* relative, of the certified radius */
#define FINE         1e-7 /* relative, of the radius at which a loop is unstable */
#define GAP          1e-3 /* between both; above, boxes are cut and loops inside are searched */
#define CLOSE_VARIED 2e-3 /* the same where a parameter is varied, which takes longer */
#define CLOSE_SCALED 2e-2 /* by scalings, which take longer still */
#define FINE_VARIED  1e-6
#define GAP_VARIED   2e-2
#define BOXES_PART   0.3 /* of the budget that is left, for cut boxes */
enum { DEPTH = 12, MOST_BOXES = 400, SAMPLES = 1000, CLIMBERS = 4, CUTS = 4 };

static const struct yk_certify_settings defaults;

double certify_cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

bool certify_is_over(struct certify *c)
{
    if (c->settings->budget_s > 0 && certify_cpu() - c->began > c->settings->budget_s)
        c->spent = true;
    return c->spent;
}

static double most_radius(const struct certify *c)
{
    return fmin(c->settings->most > 0 ? c->settings->most : 64, c->possible > 0 ? c->possible : INFINITY);
}

/* A loop that cannot be made or identified: nothing is proved beyond this radius. */
static enum yk_status stop_at(struct certify *c, enum yk_status st, double r, struct yk_err *err)
{
    if (st == YK_OK || st == YK_E_MEMORY || st == YK_E_STOPPED || r <= FIRST)
        return st;
    if (err)
        *err = (struct yk_err){0};
    c->possible = c->possible > 0 ? fmin(c->possible, 0.99 * r) : 0.99 * r;
    return YK_OK;
}

bool certify_box_of(const struct certify *c, double r, struct certify_box *box, bool *cut)
{
    bool grows = false;

    *box = (struct certify_box){0};
    for (size_t i = 0; i < c->count; i++) {
        const size_t k = c->used[i];
        const struct yk_uncertain *of = &c->problem->of[k];
        const bool plain = of->down == 0 && of->up == 0, bounded = of->least < of->most;
        const double lo = -r * (plain ? 1 : of->down), hi = r * (plain ? 1 : of->up);

        box->lo[k] = bounded ? fmax(lo, of->least) : lo;
        box->hi[k] = bounded ? fmin(hi, of->most) : hi;
        if (cut)
            cut[k] = box->lo[k] > lo || box->hi[k] < hi;
        grows = grows || box->lo[k] == lo || box->hi[k] == hi;
    }
    return grows;
}

enum yk_status certify_spectral(const struct certify *c, const double *delta, double *radius, struct yk_err *err)
{
    double own[YK_CERTIFY_PARAMETERS] = {0}, det, *re, *im;
    const struct yk_family *family;
    enum yk_status st;

    *radius = 0;
    for (size_t i = 0; i < c->count; i++)
        own[c->used[i]] = delta[c->used[i]];
    if ((st = c->problem->family(c->problem->user, own, &family, err)))
        return st;
    if (!(re = malloc((2 * family->states + 1) * sizeof *re)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    im = re + family->states;
    if (!(st = yk_family_close(family, own, &det, re, im, err)))
        for (size_t i = 0; i < family->states; i++)
            if (!(hypot(re[i] - 1, im[i]) < 1e-7)) /* a state that does not move */
                *radius = fmax(*radius, hypot(re[i], im[i]));
    free(re);
    return st;
}

/* Each radius costs realised loops if a parameter is varied. */
static bool has_varied(const struct certify *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->problem->of[c->used[i]].varied)
            return true;
    return false;
}

static double fine(const struct certify *c)
{
    return has_varied(c) ? FINE_VARIED : FINE;
}

static double gap(const struct certify *c)
{
    return has_varied(c) ? GAP_VARIED : GAP;
}

static double close_enough(const struct certify *c)
{
    return !certify_by_corners(c) ? CLOSE_SCALED : has_varied(c) ? CLOSE_VARIED : CLOSE;
}

/* ---- a radius ---- */

/* Smooth pieces of a varied parameter between lo and hi: the kinks inside. 0: there are too many. */
static size_t cut_at_kinks(const struct yk_uncertain *of, double lo, double hi, double *edge, size_t room)
{
    size_t n = 0;

    edge[n++] = lo;
    if (of->varied && of->kink == 0 && lo < 0 && hi > 0)
        edge[n++] = 0; /* so that its effect is interpolated over less */
    if (of->varied && of->kink > 0)
        for (double k = ceil((lo - of->first_kink) / of->kink + 1e-9);; k++) {
            const double at = of->first_kink + k * of->kink;

            if (!(at < hi - 1e-9 * of->kink))
                break;
            if (n + 1 == room)
                return 0;
            edge[n++] = at;
        }
    edge[n++] = hi;
    return n - 1;
}

/* A box, and where it fails its halves, along the sides in turn. */
static enum yk_status prove_box(struct certify *c, const struct certify_box *box, int depth, int deepest,
                                struct certify_proof *proof, struct yk_err *err)
{
    enum yk_status st = certify_corners(c, box, proof, err);
    struct certify_box half = *box;

    c->boxes++;
    if (!st && proof->answer == CERTIFY_PROVED && proof->distance < c->nearest.distance) {
        const struct certify_proof now = *proof; /* the points of the other one have room for the next box */

        proof->points = c->nearest.points;
        proof->room = c->nearest.room;
        c->nearest = now;
    }
    if (st || proof->answer != CERTIFY_UNDECIDED || depth >= deepest || c->boxes >= MOST_BOXES || certify_is_over(c))
        return st;
    const size_t side = c->used[(size_t)depth % c->count];
    const double middle = 0.5 * (box->lo[side] + box->hi[side]);

    half.hi[side] = middle;
    st = prove_box(c, &half, depth + 1, deepest, proof, err);
    if (st || proof->answer != CERTIFY_PROVED)
        return st;
    half.hi[side] = box->hi[side];
    half.lo[side] = middle;
    return prove_box(c, &half, depth + 1, deepest, proof, err);
}

enum { PIECES = 40 };

/* All smooth pieces of a box, parameter by parameter. */
static enum yk_status prove_pieces(struct certify *c, const struct certify_box *box, size_t from, int deepest,
                                   struct certify_proof *proof, struct yk_err *err)
{
    double edge[PIECES + 1];
    enum yk_status st = YK_OK;

    for (; from < c->count; from++) {
        const size_t k = c->used[from], n = cut_at_kinks(&c->problem->of[k], box->lo[k], box->hi[k], edge, PIECES + 1);

        if (n == 0) {
            proof->answer = CERTIFY_UNDECIDED;
            proof->angle = NAN;
            return YK_OK;
        }
        if (n == 1)
            continue;
        for (size_t i = 0; i < n; i++) {
            struct certify_box piece = *box;

            piece.lo[k] = edge[i];
            piece.hi[k] = edge[i + 1];
            st = prove_pieces(c, &piece, from + 1, deepest, proof, err);
            if (st || proof->answer != CERTIFY_PROVED)
                return st;
        }
        return st;
    }
    return prove_box(c, box, 0, deepest, proof, err);
}

/* *answer for radius r; points: also along the circle. */
static enum yk_status prove(struct certify *c, double r, int deepest, struct certify_proof *proof, struct yk_err *err)
{
    struct certify_box box;

    c->arcs = c->boxes = 0;
    certify_box_of(c, r, &box, NULL);
    if (!certify_by_corners(c))
        return certify_scaled(c, r, proof, err);
    return prove_pieces(c, &box, 0, deepest, proof, err);
}

/* ---- an unstable loop ---- */

/* Corner v of the box of radius r. */
static void corner(const struct certify *c, double r, size_t v, double *delta)
{
    struct certify_box box;

    certify_box_of(c, r, &box, NULL);
    memset(delta, 0, YK_CERTIFY_PARAMETERS * sizeof *delta);
    for (size_t i = 0; i < c->count; i++)
        delta[c->used[i]] = v >> i & 1 ? box.hi[c->used[i]] : box.lo[c->used[i]];
}

/* The corner with the largest spectral radius among those in `at` (count), which stay if they are unstable. */
static enum yk_status corners_at(struct certify *c, double r, size_t *at, size_t *count, double *largest, size_t *best,
                                 struct yk_err *err)
{
    double delta[YK_CERTIFY_PARAMETERS], now;
    size_t left = 0;
    enum yk_status st = YK_OK;

    *largest = 0;
    for (size_t i = 0; i < *count && !st; i++) {
        corner(c, r, at[i], delta);
        if ((st = certify_spectral(c, delta, &now, err)))
            break;
        if (now > *largest) {
            *largest = now;
            *best = at[i];
        }
        if (!(now < 1)) {
            const size_t kept = at[left];

            at[left++] = at[i];
            at[i] = kept;
        }
    }
    if (left)
        *count = left;
    return st;
}

struct found {
    double stable, unstable; /* radii of corners; unstable INFINITY: none */
    double worst[YK_CERTIFY_PARAMETERS];
};

/* Doubles, then bisects: the smallest radius with an unstable corner. */
static enum yk_status search_corners(struct certify *c, struct found *f, struct yk_err *err)
{
    const size_t bits = c->count < YK_CERTIFY_CORNERS ? c->count : YK_CERTIFY_CORNERS;
    size_t count = (size_t)1 << bits, best = 0, *at = malloc(count * sizeof *at);
    enum yk_status st = at ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu corners", count);
    double largest;

    for (size_t i = 0; i < count && at; i++)
        at[i] = i;
    *f = (struct found){.unstable = INFINITY};
    for (double r = 1; !st && r <= most_radius(c) && f->unstable == INFINITY && !certify_is_over(c); r *= 2) {
        st = stop_at(c, corners_at(c, r, at, &count, &largest, &best, err), r, err);
        if (c->possible > 0)
            break;
        *(largest < 1 ? &f->stable : &f->unstable) = r;
    }
    while (!st && f->unstable < INFINITY && f->unstable - f->stable > fine(c) * f->unstable && f->unstable > FIRST &&
           !certify_is_over(c)) {
        const double r = 0.5 * (f->stable + f->unstable);

        st = corners_at(c, r, at, &count, &largest, &best, err);
        *(largest < 1 ? &f->stable : &f->unstable) = r;
    }
    if (!st && f->unstable < INFINITY) {
        if (!(st = corners_at(c, f->unstable, at, &count, &largest, &best, err)))
            corner(c, f->unstable, best, f->worst);
    }
    free(at);
    return st;
}

/* Improves a point along each coordinate, by steps that become shorter. */
static enum yk_status climb(struct certify *c, double r, double *x, double *value, struct yk_err *err)
{
    struct certify_box box;
    enum yk_status st = YK_OK;

    certify_box_of(c, r, &box, NULL);
    for (double step = 0.5 * r; step > 1e-4 * r && !st && !certify_is_over(c);) {
        bool better = false;

        for (size_t i = 0; i < 2 * c->count && !st; i++) {
            const size_t k = c->used[i / 2];
            const double before = x[k];
            double now;

            if (c->problem->of[k].varied)
                continue;
            x[k] = fmin(fmax(before + (i % 2 ? -step : step), box.lo[k]), box.hi[k]);
            if ((st = certify_spectral(c, x, &now, err)))
                break;
            if (now > *value) {
                *value = now;
                better = true;
            } else {
                x[k] = before;
            }
        }
        step *= better ? 1 : 0.5;
    }
    return st;
}

/* The best of random loops at radius r, improved; *grows: it is unstable. */
static enum yk_status search_inside(struct certify *c, double r, double *worst, bool *grows, struct yk_err *err)
{
    double best[CLIMBERS][YK_CERTIFY_PARAMETERS] = {{0}}, value[CLIMBERS] = {0}, now;
    struct certify_box box;
    uint64_t seed = 11;
    enum yk_status st = YK_OK;

    *grows = false;
    certify_box_of(c, r, &box, NULL);
    for (int s = 0; s < SAMPLES && !st && !certify_is_over(c); s++) {
        double x[YK_CERTIFY_PARAMETERS] = {0};
        int last = 0;

        for (size_t i = 0; i < c->count; i++) {
            const size_t k = c->used[i];

            const double u = 0.5 * (1 + yk_draw(&seed));

            if (c->problem->of[k].varied) /* at its ends only: each value takes a realised loop */
                x[k] = u < 0.5 ? box.lo[k] : box.hi[k];
            else
                x[k] = box.lo[k] + (box.hi[k] - box.lo[k]) * u;
        }
        if ((st = certify_spectral(c, x, &now, err)))
            break;
        for (int i = 1; i < CLIMBERS; i++)
            last = value[i] < value[last] ? i : last;
        if (now > value[last]) {
            value[last] = now;
            memcpy(best[last], x, sizeof x);
        }
    }
    for (int i = 0; i < CLIMBERS && !st && !*grows; i++) {
        st = climb(c, r, best[i], &value[i], err);
        *grows = !(value[i] < 1);
        if (*grows)
            memcpy(worst, best[i], sizeof best[i]);
    }
    return st;
}

/* Looks for an unstable loop inside where corners are stable and the proof fails. Bisects the radius. */
static enum yk_status search_gap(struct certify *c, double proved, struct found *f, struct yk_err *err)
{
    double lo = proved, hi = f->unstable < INFINITY ? f->unstable : most_radius(c);
    bool known = f->unstable < INFINITY;
    enum yk_status st = YK_OK;

    for (int i = 0; i < 12 && !st && hi - lo > gap(c) * hi && !certify_is_over(c); i++) {
        const double r = i == 0 && !known ? hi : 0.5 * (lo + hi);
        bool grows;

        if ((st = search_inside(c, r, f->worst, &grows, err)))
            break;
        *(grows ? &hi : &lo) = r;
        known = known || grows;
        f->unstable = grows ? r : f->unstable;
        if (!known)
            break;
    }
    return st;
}

/* ---- the largest certified radius ---- */

struct search {
    double proved, failed;
    double failed_at; /* angle */
    struct certify_proof proof;
    size_t arcs, boxes;
    bool cut;
};

static enum yk_status try_radius(struct certify *c, struct search *s, double r, int deepest, struct yk_err *err)
{
    struct certify_proof now = {.points = malloc(512 * sizeof *now.points), .room = 512};

    c->nearest = (struct certify_proof){
        .distance = INFINITY, .points = malloc(512 * sizeof *now.points), .room = 512, .angle = NAN};
    enum yk_status st =
        now.points && c->nearest.points ? prove(c, r, deepest, &now, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (st && !(st = stop_at(c, st, r, err)))
        now.answer = CERTIFY_UNDECIDED;

    if (!st && now.answer == CERTIFY_PROVED) {
        free(s->proof.points);
        free(now.points);
        s->proof = c->nearest;
        s->proved = r;
        s->arcs = c->arcs;
        s->boxes = c->boxes;
        s->cut = deepest > 0;
        return st;
    }
    free(now.points);
    free(c->nearest.points);
    s->failed = r;
    s->failed_at = now.answer == CERTIFY_UNDECIDED ? now.angle : (double)NAN;
    return st;
}

/* Below the smallest unstable corner at first, where most certificates end; else by doubling and bisection. */
static enum yk_status search_radius(struct certify *c, struct search *s, double unstable, struct yk_err *err)
{
    const double most = most_radius(c);
    enum yk_status st = YK_OK;

    s->failed = unstable;
    st = try_radius(c, s, unstable < INFINITY ? unstable * (1 - 0.5 * CLOSE) : most, 0, err);
    for (double r = fmin(1, 0.25 * s->failed); !st && s->proved == 0 && r >= FIRST && !certify_is_over(c); r *= 0.25)
        st = try_radius(c, s, r, 0, err);
    while (!st && s->proved > 0 && s->failed < INFINITY && s->failed > s->proved * (1 + close_enough(c)) &&
           !certify_is_over(c))
        st = try_radius(c, s, sqrt(s->proved * s->failed), 0, err);
    return st;
}

/* Once more with cut boxes, if the gap is wide. */
static enum yk_status search_boxes(struct certify *c, struct search *s, double unstable, struct yk_err *err)
{
    const double most = unstable < INFINITY ? unstable : most_radius(c);
    double lo = fmax(s->proved, FIRST), hi = most;
    struct yk_certify_settings part = *c->settings;
    const struct yk_certify_settings *whole = c->settings;
    enum yk_status st = YK_OK;

    if (part.budget_s > 0) {
        const double used = certify_cpu() - c->began;

        part.budget_s = used + BOXES_PART * fmax(part.budget_s - used, 0);
        c->settings = &part;
    }

    for (int i = 0; i < CUTS && !st && hi > lo * (1 + gap(c)) && !certify_is_over(c); i++) {
        const double r = sqrt(lo * hi);

        st = try_radius(c, s, r, DEPTH, err);
        *(s->proved >= r ? &lo : &hi) = r;
    }
    c->settings = whole;
    c->spent = whole->budget_s > 0 && certify_cpu() - c->began > whole->budget_s;
    return st;
}

/* Both searches for the parameters that are used. */
static enum yk_status search_both(struct certify *c, struct search *s, struct found *f, bool thorough,
                                  struct yk_err *err)
{
    enum yk_status st;

    *s = (struct search){0};
    if ((st = search_corners(c, f, err)) || (st = search_radius(c, s, f->unstable, err)) || !thorough)
        return st;
    const double end = fmin(f->unstable, most_radius(c));

    if (end > s->proved * (1 + gap(c)) && s->proved < most_radius(c))
        st = search_gap(c, s->proved, f, err);
    if (!st && certify_by_corners(c) && fmin(f->unstable, most_radius(c)) > s->proved * (1 + gap(c)))
        st = search_boxes(c, s, f->unstable, err);
    return st;
}

/* ---- the whole ---- */

static enum yk_status open_search(struct certify *c, const struct yk_certify_problem *problem,
                                  const struct yk_certify_settings *settings, struct yk_err *err)
{
    const double zero[YK_CERTIFY_PARAMETERS] = {0};
    const struct yk_family *family;
    enum yk_status st;

    *c = (struct certify){.problem = problem, .settings = settings ? settings : &defaults, .began = certify_cpu()};
    if (problem->count > YK_CERTIFY_PARAMETERS)
        return yk_fail(err, YK_E_RANGE, "%zu uncertain parameters; at most %d", problem->count, YK_CERTIFY_PARAMETERS);
    if ((st = problem->family(problem->user, zero, &family, err)))
        return st;
    for (size_t j = 0; j < family->ports; j++)
        c->ports[family->parameter[j]]++;
    return YK_OK;
}

static void use_all_but(struct certify *c, size_t without)
{
    c->count = 0;
    for (size_t i = 0; i < c->problem->count; i++)
        if (i != without)
            c->used[c->count++] = i;
}

static enum yk_status find_costs(struct certify *c, struct yk_certificate *out, struct yk_err *err)
{
    const size_t n = c->problem->count;
    struct search s;
    struct found f;
    enum yk_status st = YK_OK;

    if (!(out->cost = calloc(n + 1, sizeof *out->cost)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        out->cost[i] = (struct yk_certify_cost){NAN, NAN};
    for (size_t i = 0; i < n && !st && !certify_is_over(c); i++) {
        use_all_but(c, i);
        if (c->count) {
            st = search_both(c, &s, &f, false, err);
            out->cost[i].without = s.proved;
            free(s.proof.points);
        }
        c->used[0] = i;
        c->count = 1;
        if (!st && !(st = search_both(c, &s, &f, false, err))) {
            out->cost[i].alone = s.proved;
            free(s.proof.points);
        }
    }
    return st;
}

static int by_angle(const void *a, const void *b)
{
    const double x = ((const struct yk_certify_point *)a)->angle, y = ((const struct yk_certify_point *)b)->angle;

    return (x > y) - (x < y);
}

/* Result of a search; the points of the proof become those of the certificate. */
static void keep(struct certify *c, struct search *s, const struct found *f, struct yk_certificate *out)
{
    const double cycle = c->problem->cycle_s > 0 ? c->problem->cycle_s : 1;
    struct certify_box box;

    out->radius = s->proved;
    out->found = f->unstable;
    out->limited = s->proved >= most_radius(c);
    memcpy(out->worst, f->worst, sizeof out->worst);
    certify_box_of(c, fmax(s->proved, 1), &box, out->cut);
    out->method = !certify_by_corners(c) ? "scalings" : s->cut ? "boxes" : "corners";
    out->arcs = s->arcs;
    out->boxes = s->boxes;
    out->critical_Hz = s->proof.angle / (2 * M_PI * cycle);
    out->undecided_Hz = s->failed_at / (2 * M_PI * cycle);
    out->points = s->proof.points;
    out->count = s->proof.count;
    if (out->points)
        qsort(out->points, out->count, sizeof *out->points, by_angle);
}

enum yk_status yk_certify(const struct yk_certify_problem *problem, const struct yk_certify_settings *settings,
                          struct yk_certificate *out, struct yk_err *err)
{
    struct certify c;
    struct search s = {0};
    struct found f = {.unstable = INFINITY};
    double nominal;
    enum yk_status st = open_search(&c, problem, settings, err);

    *out = (struct yk_certificate){.found = INFINITY, .method = "corners", .undecided_Hz = NAN, .critical_Hz = NAN};
    if (st)
        return st;
    use_all_but(&c, SIZE_MAX);
    if ((st = certify_spectral(&c, (const double[YK_CERTIFY_PARAMETERS]){0}, &nominal, err)))
        return st;
    out->nominal_unstable = !(nominal < 1);
    if (out->nominal_unstable) {
        out->found = 0;
        return YK_OK;
    }
    st = search_both(&c, &s, &f, true, err);
    if (st)
        free(s.proof.points);
    else
        keep(&c, &s, &f, out);
    if (!st && c.settings->costs && !out->limited)
        st = find_costs(&c, out, err);
    out->spent = c.spent;
    out->spent_s = certify_cpu() - c.began;
    if (st)
        yk_certificate_free(out);
    return st;
}

enum yk_status yk_certify_hull(const struct yk_certify_problem *problem, double radius, size_t grid, bool *proved,
                               struct yk_err *err)
{
    const struct yk_certify_settings settings = {.grid = grid};
    struct certify c;
    struct certify_proof proof = {0};
    enum yk_status st = open_search(&c, problem, &settings, err);

    if (st)
        return st;
    use_all_but(&c, SIZE_MAX);
    c.nearest.distance = -INFINITY; /* no points are asked for */
    st = prove(&c, radius, 0, &proof, err);
    *proved = !st && proof.answer == CERTIFY_PROVED;
    return st;
}

enum yk_status yk_certify_spectral(const struct yk_certify_problem *problem, const double *delta, double *radius,
                                   struct yk_err *err)
{
    struct certify c = {.problem = problem, .settings = &defaults};

    use_all_but(&c, SIZE_MAX);
    return certify_spectral(&c, delta, radius, err);
}

void yk_certificate_free(struct yk_certificate *c)
{
    free(c->cost);
    free(c->points);
    *c = (struct yk_certificate){0};
}
