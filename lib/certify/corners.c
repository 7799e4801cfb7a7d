/* A box of loops by its corners. docs/theory/certificates.md, sections 2 and 3.
 *
 * For every z on the unit circle the values of p(z, delta) over the box lie in the convex hull of its control points:
 * the corner values where p is linear in each parameter, Bernstein coefficients of higher degrees otherwise. The box is
 * stable if one of its loops is, if det(I - D Delta) does not vanish, and if 0 lies outside the hull for all z. Between
 * the points where it is evaluated, eq. (5) bounds how far a value can move. */
#include "parts.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define STATIC   1e-7 /* distance from 1 of a root that stays there in all loops: a state that does not move */
#define PIECE    0.2  /* rad: the first arcs */
#define SHORTEST 1e-9 /* rad */
#define ROUNDING 1e-9
#define BULGE    1.5 /* times the error that interpolation shows between its nodes */
enum {
    MOST_ARCS = 200000,
    DEEPEST = 64,    /* halvings of an arc */
    MOST_DEGREE = 4, /* beyond, the polynomial is interpolated */
    WOLFE = 12
};

/* Polynomial in one parameter: values at nodes, and how control points of the box follow from them. */
struct axis {
    size_t parameter, degree;
    double node[MOST_DEGREE + 1], between;           /* the last: where the interpolation is tried */
    double T[(MOST_DEGREE + 1) * (MOST_DEGREE + 1)]; /* control points from values */
    double weight[MOST_DEGREE + 1];                  /* the value at `between` from values */
    bool inexact;
};

struct hull {
    struct certify *c;
    size_t axes, points, tried; /* `tried`: points beyond those of the tensor grid, for the error */
    struct axis axis[YK_CERTIFY_PARAMETERS];
    struct certify_plant *plant; /* points, then for each inexact axis those at `between` */
    double *roots;
    double complex *p, *work; /* points + tried */
    double complex *slope;    /* of p along the circle; points */
    double *rho, *rho_work, *angle;
    double scale;
    bool again; /* a family has more ports than was assumed */
};

/* ---- the polynomial along a parameter ---- */

/* Solves V X = R in place for small matrices (k x k, k x cols), column-major. */
static void solve_small(size_t k, double *V, size_t cols, double *R)
{
    for (size_t a = 0; a < k; a++) {
        size_t best = a;

        for (size_t i = a + 1; i < k; i++)
            best = fabs(V[i + a * k]) > fabs(V[best + a * k]) ? i : best;
        for (size_t j = 0; j < k && best != a; j++) {
            const double kept = V[a + j * k];

            V[a + j * k] = V[best + j * k];
            V[best + j * k] = kept;
        }
        for (size_t j = 0; j < cols && best != a; j++) {
            const double kept = R[a + j * k];

            R[a + j * k] = R[best + j * k];
            R[best + j * k] = kept;
        }
        for (size_t i = 0; i < k; i++) {
            const double part = V[i + a * k] / V[a + a * k];

            if (i == a || part == 0)
                continue;
            for (size_t j = a; j < k; j++)
                V[i + j * k] -= part * V[a + j * k];
            for (size_t j = 0; j < cols; j++)
                R[i + j * k] -= part * R[a + j * k];
        }
    }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < cols; j++)
            R[i + j * k] /= V[i + i * k];
}

static double bernstein(size_t degree, size_t j, double t)
{
    double b = 1;

    for (size_t i = 0; i < j; i++)
        b *= (double)(degree - i) / (double)(i + 1) * t;
    return b * pow(1 - t, (double)(degree - j));
}

/* T: values at the nodes = V b, with the Bernstein polynomials of lo .. hi at the nodes in V. */
static void set_transform(struct axis *a, double lo, double hi)
{
    const size_t k = a->degree + 1;
    double V[(MOST_DEGREE + 1) * (MOST_DEGREE + 1)];

    memset(a->T, 0, sizeof a->T);
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++)
            V[i + j * k] = bernstein(a->degree, j, hi > lo ? (a->node[i] - lo) / (hi - lo) : 0);
        a->T[i + i * k] = 1;
    }
    solve_small(k, V, k, a->T);
    for (size_t i = 0; i < k; i++) {
        a->weight[i] = 1;
        for (size_t j = 0; j < k; j++)
            if (j != i)
                a->weight[i] *= (a->between - a->node[j]) / (a->node[i] - a->node[j]);
    }
}

/* Nodes of a varied parameter do not depend on the radius, so that the families there serve many boxes: a piece between
 * two kinks, or the smallest interval k 2^j .. (k + 1) 2^j around
 * the box. */
static void set_varied(const struct yk_uncertain *of, struct axis *a, double lo, double hi)
{
    double from, to;

    a->degree = 3;
    a->inexact = true;
    if (of->kink > 0) {
        from = of->first_kink + of->kink * floor((0.5 * (lo + hi) - of->first_kink) / of->kink);
        to = from + of->kink;
        a->degree = 2;
    } else {
        const double middle = 0.5 * (lo + hi);
        double wide = exp2(ceil(log2(fmax(hi - lo, 1e-3)) - 1e-12));

        while (!(floor(middle / wide) * wide <= lo && floor(middle / wide) * wide + wide >= hi) && !(lo < 0 && hi > 0))
            wide *= 2;
        from = lo < 0 && hi > 0 ? -wide : floor(middle / wide) * wide;
        to = lo < 0 && hi > 0 ? wide : from + wide;
    }
    if (of->least < of->most) {
        from = fmax(from, of->least);
        to = fmin(to, of->most);
    }
    for (size_t i = 0; i <= a->degree; i++)
        a->node[i] = from + (to - from) * (double)i / (double)a->degree;
    a->between = from + (to - from) * 0.5 / (double)a->degree;
}

static void set_axis(const struct certify *c, struct axis *a, size_t parameter, double lo, double hi)
{
    const struct yk_uncertain *of = &c->problem->of[parameter];
    const size_t rank = c->ports[parameter];

    *a = (struct axis){.parameter = parameter};
    if (of->varied) {
        set_varied(of, a, lo, hi);
    } else {
        a->degree = rank < MOST_DEGREE ? rank : MOST_DEGREE;
        a->inexact = rank > MOST_DEGREE;
        for (size_t i = 0; i <= a->degree; i++)
            a->node[i] = a->degree ? lo + (hi - lo) * (double)i / (double)a->degree : 0;
        a->between = a->degree ? lo + (hi - lo) * 0.5 / (double)a->degree : 0;
    }
    set_transform(a, lo, hi);
}

bool certify_by_corners(const struct certify *c)
{
    size_t points = 1;

    for (size_t i = 0; i < c->count && points <= CERTIFY_MOST_NODES; i++) {
        const size_t rank = c->ports[c->used[i]];

        points *= c->problem->of[c->used[i]].varied ? 4 : 1 + (rank < MOST_DEGREE ? rank : MOST_DEGREE);
    }
    return points <= CERTIFY_MOST_NODES && c->count <= YK_CERTIFY_CORNERS;
}

/* ---- the plants ---- */

/* Deviations of point k of the tensor grid, which has `degree + 1` nodes per axis; `tried`: on that axis at `between`.
 */
static void place(const struct hull *h, size_t k, size_t tried, double *delta)
{
    memset(delta, 0, YK_CERTIFY_PARAMETERS * sizeof *delta);
    for (size_t i = 0; i < h->axes; i++) {
        const struct axis *a = &h->axis[i];

        if (i == tried) {
            delta[a->parameter] = a->between;
            continue;
        }
        delta[a->parameter] = a->node[k % (a->degree + 1)];
        k /= a->degree + 1;
    }
}

static size_t static_roots(const struct certify_plant *p)
{
    size_t found = 0;

    for (size_t i = 0; i < p->roots; i++)
        found += hypot(p->re[i] - 1, p->im[i]) < STATIC;
    return found;
}

/* Leaves out `count` roots at 1. */
static void drop_static(struct certify_plant *p, size_t count)
{
    for (size_t i = 0; i < p->roots && count; i++)
        if (hypot(p->re[i] - 1, p->im[i]) < STATIC) {
            p->roots--;
            p->re[i] = p->re[p->roots];
            p->im[i] = p->im[p->roots];
            i--;
            count--;
        }
}

/* A family may have more ports for a parameter than the others: its degree is then higher in all of them. */
static bool has_more_ports(struct certify *c, const struct yk_family *family)
{
    size_t ports[YK_CERTIFY_PARAMETERS] = {0};
    bool more = false;

    for (size_t j = 0; j < family->ports; j++)
        ports[family->parameter[j]]++;
    for (size_t i = 0; i < c->problem->count; i++)
        if (ports[i] > c->ports[i]) {
            c->ports[i] = ports[i];
            more = true;
        }
    return more;
}

static enum yk_status make_plant(struct hull *h, struct certify_plant *p, const double *delta, size_t room,
                                 struct yk_err *err)
{
    const struct yk_family *family;
    enum yk_status st = h->c->problem->family(h->c->problem->user, delta, &family, err);

    if (st)
        return st;
    h->again |= has_more_ports(h->c, family);
    p->roots = family->states;
    if (p->roots > room)
        return yk_fail(err, YK_E_RANGE, "the loop has %zu states with some of its parameters", p->roots);
    return yk_family_close(family, delta, &p->factor, p->re, p->im, err);
}

enum { ROOM = 400 }; /* states */

static void hull_free(struct hull *h)
{
    free(h->plant);
    free(h->roots);
    free(h->p);
    free(h->rho);
}

/* Points of the tensor grid without axis i. */
static size_t others(const struct hull *h, size_t i)
{
    return h->points / (h->axis[i].degree + 1);
}

static enum yk_status take_plants(struct hull *h, struct yk_err *err)
{
    const size_t all = h->points + h->tried;
    double delta[YK_CERTIFY_PARAMETERS];
    size_t at = 0, least = SIZE_MAX, most = 0;
    const struct yk_family *family;
    enum yk_status st;

    place(h, 0, SIZE_MAX, delta);
    if ((st = h->c->problem->family(h->c->problem->user, delta, &family, err)))
        return st;
    const size_t room = family->states + 40 < ROOM ? family->states + 40 : ROOM;

    if (!(h->roots = malloc(2 * room * all * sizeof *h->roots)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu corners", all);
    for (size_t k = 0; k < all; k++) {
        h->plant[k].re = h->roots + 2 * room * k;
        h->plant[k].im = h->plant[k].re + room;
    }
    for (; at < h->points && !st; at++) {
        place(h, at, SIZE_MAX, delta);
        st = make_plant(h, &h->plant[at], delta, room, err);
    }
    for (size_t i = 0; i < h->axes && !st; i++)
        for (size_t k = 0; h->axis[i].inexact && k < others(h, i) && !st; k++, at++) {
            place(h, k, i, delta);
            st = make_plant(h, &h->plant[at], delta, room, err);
        }
    for (size_t k = 0; k < all && !st; k++) {
        const size_t found = static_roots(&h->plant[k]);

        least = found < least ? found : least;
    }
    for (size_t k = 0; k < all && !st; k++) {
        drop_static(&h->plant[k], least);
        most = h->plant[k].roots > most ? h->plant[k].roots : most;
    }
    for (size_t k = 0; k < all && !st; k++)
        h->plant[k].padding = most - h->plant[k].roots;
    return st;
}

static enum yk_status hull_open(struct hull *h, struct certify *c, const struct certify_box *box, struct yk_err *err)
{
    *h = (struct hull){.c = c, .points = 1};
    for (size_t i = 0; i < c->count; i++) {
        const size_t parameter = c->used[i];
        struct axis *a = &h->axis[h->axes];

        set_axis(c, a, parameter, box->lo[parameter], box->hi[parameter]);
        if (a->degree == 0)
            continue;
        h->points *= a->degree + 1;
        h->axes++;
    }
    for (size_t i = 0; i < h->axes; i++)
        h->tried += h->axis[i].inexact ? others(h, i) : 0;
    const size_t all = h->points + h->tried;

    h->plant = calloc(all, sizeof *h->plant);
    h->p = malloc(3 * all * sizeof *h->p);
    h->rho = malloc(3 * all * sizeof *h->rho);
    if (!h->plant || !h->p || !h->rho)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu corners", all);
    h->work = h->p + all;
    h->slope = h->work + all;
    h->rho_work = h->rho + all;
    h->angle = h->rho_work + all;
    return take_plants(h, err);
}

/* Is the loop of a node of the grid unstable? Nodes outside the box do not count. */
static bool is_unstable(const struct hull *h, const struct certify_box *box, size_t k)
{
    double delta[YK_CERTIFY_PARAMETERS];
    const struct certify_plant *p = &h->plant[k];
    bool inside = true, grows = false;

    place(h, k, SIZE_MAX, delta);
    for (size_t i = 0; i < h->axes && inside; i++) {
        const size_t parameter = h->axis[i].parameter;

        inside = delta[parameter] >= box->lo[parameter] && delta[parameter] <= box->hi[parameter];
    }
    for (size_t i = 0; i < p->roots && inside && !grows; i++)
        grows = !(hypot(p->re[i], p->im[i]) < 1);
    return inside && grows;
}

/* ---- control points ---- */

/* X := (T x T x ...) X; `size`: by the moduli of T, for radii. */
static void transform(const struct hull *h, double complex *X, double complex *work)
{
    size_t inner = 1;

    for (size_t i = 0; i < h->axes; i++) {
        const struct axis *a = &h->axis[i];
        const size_t k = a->degree + 1;

        if (a->degree > 1 || a->inexact) {
            for (size_t at = 0; at < h->points; at++) {
                const size_t j = at / inner % k, base = at - j * inner;

                work[at] = 0;
                for (size_t m = 0; m < k; m++)
                    work[at] += a->T[j + m * k] * X[base + m * inner];
            }
            memcpy(X, work, h->points * sizeof *X);
        }
        inner *= k;
    }
}

static void transform_radii(const struct hull *h, double *X, double *work)
{
    size_t inner = 1;

    for (size_t i = 0; i < h->axes; i++) {
        const struct axis *a = &h->axis[i];
        const size_t k = a->degree + 1;

        if (a->degree > 1 || a->inexact) {
            for (size_t at = 0; at < h->points; at++) {
                const size_t j = at / inner % k, base = at - j * inner;

                work[at] = 0;
                for (size_t m = 0; m < k; m++)
                    work[at] += fabs(a->T[j + m * k]) * X[base + m * inner];
            }
            memcpy(X, work, h->points * sizeof *X);
        }
        inner *= k;
    }
}

/* Error of the interpolation along the inexact axes at z: `tried` values against those that follow from the grid. */
static double bulge(const struct hull *h)
{
    const double complex *at = h->p + h->points;
    size_t inner = 1;
    double sum = 0;

    for (size_t i = 0; i < h->axes; i++) {
        const struct axis *a = &h->axis[i];
        const size_t k = a->degree + 1, rest = others(h, i);
        double worst = 0;

        for (size_t j = 0; a->inexact && j < rest; j++) {
            const size_t base = j % inner + j / inner * inner * k;
            double complex told = 0;

            for (size_t m = 0; m < k; m++)
                told += a->weight[m] * h->p[base + m * inner];
            worst = fmax(worst, cabs(*at++ - told));
        }
        sum += worst;
        inner *= k;
    }
    return BULGE * sum;
}

/* Control points at z into p, how far they can move into rho. */
static void evaluate(struct hull *h, double complex z, double s)
{
    for (size_t k = 0; k < h->points + h->tried; k++)
        h->p[k] = certify_value(&h->plant[k], z, s, h->scale, &h->slope[k], &h->rho[k]);
    const double error = h->tried ? bulge(h) : 0;

    transform(h, h->p, h->work);
    transform(h, h->slope, h->work);
    transform_radii(h, h->rho, h->rho_work);
    for (size_t k = 0; k < h->points; k++)
        h->rho[k] = (s * cabs(h->slope[k]) + h->rho[k]) * (1 + ROUNDING) + error;
}

/* ---- the hull ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Bisector of the angles that are occupied; false: they are spread over more than half a turn, so that the hull
 * contains 0. */
static bool bisector(struct hull *h, double complex *e)
{
    double widest = 0, from = 0;

    for (size_t k = 0; k < h->points; k++)
        h->angle[k] = carg(h->p[k]);
    qsort(h->angle, h->points, sizeof *h->angle, by_size);
    for (size_t k = 0; k < h->points; k++) {
        const double next = k + 1 < h->points ? h->angle[k + 1] : h->angle[0] + 2 * M_PI, gap = next - h->angle[k];

        if (gap > widest) {
            widest = gap;
            from = next;
        }
    }
    *e = cexp(I * (from + M_PI - 0.5 * widest));
    return widest > M_PI;
}

/* Least of Re(conj(e) p) - rho; `near`: the least without rho. */
static double clearance(const struct hull *h, double complex e, double *near, size_t *lowest)
{
    double least = INFINITY;

    *near = INFINITY;
    for (size_t k = 0; k < h->points; k++) {
        const double along = creal(conj(e) * h->p[k]);

        least = fmin(least, along - h->rho[k]);
        if (along < *near) {
            *near = along;
            *lowest = k;
        }
    }
    return least;
}

/* Direction of the point of the hull that is nearest to 0 (Frank and Wolfe 1956). */
static double complex nearest(const struct hull *h, double complex e)
{
    double near;
    size_t lowest = 0;
    double complex x;

    clearance(h, e, &near, &lowest);
    x = h->p[lowest];
    for (int i = 0; i < WOLFE && cabs(x) > 0; i++) {
        clearance(h, x / cabs(x), &near, &lowest);
        const double complex d = h->p[lowest] - x;
        const double square = creal(d * conj(d)), part = square > 0 ? -creal(conj(x) * d) / square : 0;

        x += fmin(fmax(part, 0), 1) * d;
    }
    return cabs(x) > 0 ? x / cabs(x) : e;
}

static bool note(struct certify_proof *proof, double angle, double distance)
{
    if (distance < proof->distance) {
        proof->distance = distance;
        proof->angle = angle;
    }
    if (!proof->points)
        return true;
    if (proof->count == proof->room) {
        struct yk_certify_point *more = realloc(proof->points, 2 * proof->room * sizeof *more);

        if (!more)
            return false;
        proof->points = more;
        proof->room *= 2;
    }
    proof->points[proof->count++] = (struct yk_certify_point){angle, distance};
    return true;
}

/* Is 0 outside the hull on the arc around `angle`? *hopeless: it is inside at its middle. */
static bool prove_arc(struct hull *h, double angle, double half, struct certify_proof *proof, bool *hopeless)
{
    const bool grid = h->c->settings->grid > 0; /* a fault: nothing between the points */
    double complex e;
    double near, most = 0;
    size_t lowest = 0;

    evaluate(h, cexp(I * angle), grid ? 0 : half);
    h->c->arcs++;
    *hopeless = !bisector(h, &e);
    if (*hopeless)
        return false;
    bool proved = clearance(h, e, &near, &lowest) > 0;
    const double complex other = nearest(h, e);
    double near_other;
    const double left = clearance(h, other, &near_other, &lowest);

    proved = proved || left > 0;
    for (size_t k = 0; k < h->points; k++)
        most = fmax(most, cabs(h->p[k]));
    if (proved)
        note(proof, angle, fmax(near, near_other) / most);
    return proved;
}

/* An arc, and halves of it until each is proved. */
static bool prove_halves(struct hull *h, double from, double width, size_t most, struct certify_proof *proof)
{
    double at[DEEPEST], wide[DEEPEST];
    size_t left = 1;

    at[0] = from;
    wide[0] = width;
    while (left) {
        const double x = at[--left], w = wide[left];
        bool hopeless;

        if (prove_arc(h, x + 0.5 * w, 0.5 * w, proof, &hopeless))
            continue;
        if (hopeless || 0.5 * w < SHORTEST || left + 2 > DEEPEST || h->c->settings->grid || h->c->arcs > most ||
            (h->c->arcs % 64 == 0 && certify_is_over(h->c))) {
            proof->angle = x + 0.5 * w;
            return false;
        }
        at[left] = x + 0.5 * w; /* the lower half comes first */
        wide[left++] = 0.5 * w;
        at[left] = x;
        wide[left++] = 0.5 * w;
    }
    return true;
}

/* All arcs of the upper half of the circle. */
static void prove_circle(struct hull *h, struct certify_proof *proof)
{
    const size_t first = h->c->settings->grid ? h->c->settings->grid : (size_t)ceil(M_PI / PIECE);
    const size_t most = h->c->arcs + MOST_ARCS;
    const double width = M_PI / (double)first;

    for (size_t i = 0; i < first; i++)
        if (!prove_halves(h, width * (double)i, width, most, proof))
            return;
    proof->answer = CERTIFY_PROVED;
}

/* det(I - D Delta) keeps its sign: its control points do. */
static bool is_regular(struct hull *h)
{
    for (size_t k = 0; k < h->points; k++)
        h->p[k] = h->plant[k].factor;
    transform(h, h->p, h->work);
    for (size_t k = 0; k < h->points; k++)
        if (!(creal(h->p[k]) * creal(h->p[0]) > 0))
            return false;
    return true;
}

/* Is a loop of the grid unstable? It is then in *worst. */
static bool find_unstable(const struct hull *h, const struct certify_box *box, double *worst)
{
    for (size_t k = 0; k < h->points; k++)
        if (is_unstable(h, box, k)) {
            place(h, k, SIZE_MAX, worst);
            return true;
        }
    return false;
}

enum yk_status certify_corners(struct certify *c, const struct certify_box *box, struct certify_proof *proof,
                               struct yk_err *err)
{
    struct hull h;
    enum yk_status st = hull_open(&h, c, box, err);

    while (!st && h.again) {
        hull_free(&h);
        st = hull_open(&h, c, box, err);
    }
    proof->answer = CERTIFY_UNDECIDED;
    proof->distance = INFINITY;
    proof->angle = NAN;
    proof->count = 0;
    if (!st && !c->settings->grid && find_unstable(&h, box, proof->worst))
        proof->answer = CERTIFY_UNSTABLE;
    if (!st && proof->answer != CERTIFY_UNSTABLE && is_regular(&h)) {
        h.scale = 0;
        for (size_t k = 0; k < h.points; k++) {
            double complex slope;
            double rest;

            h.scale = fmax(h.scale, cabs(certify_value(&h.plant[k], I, 0, 1, &slope, &rest)));
        }
        h.scale = h.scale > 0 ? h.scale : 1;
        prove_circle(&h, proof);
    }
    hull_free(&h);
    return st;
}
