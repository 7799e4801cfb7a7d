/* Delay that is certified for each place to cut a structure, and for each command.
 * docs/theory/certificates.md, section 7.
 *
 * At a cut the two sides have dynamic stiffnesses Z_N and Z_E(g), where g is a common factor on stiffness and damping
 * of the specimen. With a delay tau the loop is on the boundary of stability at the frequency w if
 *
 *     displacement command: Z_N + Z_E e^(-j w tau) = 0,      force command: Z_E + Z_N e^(-j w tau) = 0
 *
 * The certified delay is a lower bound of tau over all w and g: boxes of both are halved, where the bound is lowest,
 * until it is near to a delay that was found. A bound of how far Z can move within a box drops those in which both
 * sides cannot have the same modulus. */
#include <yoke/certify.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 0.99 /* of a delay that was found: good enough for a bound */
enum { MOST = 60, GRID = 3000, FACTORS = 21, GOLDEN = 16, MOST_BOXES = 60000, BISECTIONS = 40 };

/* One side: a part of the structure with the interface in front (index 0). */
struct side {
    size_t n;                      /* without the interface */
    double m, k, c;                /* of the interface */
    double *M, *K, *C, *kb, *cb;   /* n x n, n: coupling to it */
    double size_M, size_K, size_C; /* norms */
};

/* Z in a box around (w, g): derivatives by both, and how far it is from its tangent. */
struct tangent {
    double complex by_w, by_g;
    double rest;
};

struct cut {
    const struct yk_cuts *how;
    struct side numerical, specimen;
    bool force;
    double complex *work;
};

/* The largest sum of a row: not less than the spectral norm of a symmetric matrix. */
static double norm(size_t n, const double *A)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t j = 0; j < n; j++)
            sum += fabs(A[i + j * n]);
        most = fmax(most, sum);
    }
    return most;
}

/* The part `in` of the structure, without the interface, and what of the interface's stiffness belongs to it: that of
 * springs between both, as a rigid translation shows. `rest`: the springs to ground at the interface as well. */
static bool take_side(struct side *s, const struct yk_cuts *q, size_t interface, const bool *in, const bool *others,
                      double mass)
{
    size_t index[MOST], n = 0;

    for (size_t i = 0; i < q->n; i++)
        if (in[i])
            index[n++] = i;
    *s = (struct side){.n = n, .m = mass};
    if (!(s->M = calloc(3 * n * n + 2 * n + 1, sizeof *s->M)))
        return false;
    s->K = s->M + n * n;
    s->C = s->K + n * n;
    s->kb = s->C + n * n;
    s->cb = s->kb + n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            s->M[i + j * n] = q->M[index[i] + index[j] * q->n];
            s->K[i + j * n] = q->K[index[i] + index[j] * q->n];
            s->C[i + j * n] = q->C[index[i] + index[j] * q->n];
        }
        s->kb[j] = q->K[index[j] + interface * q->n];
        s->cb[j] = q->C[index[j] + interface * q->n];
        s->k -= s->kb[j];
        s->c -= s->cb[j];
    }
    if (others) { /* the whole of the interface but what belongs to the others */
        s->k = q->K[interface + interface * q->n];
        s->c = q->C[interface + interface * q->n];
        for (size_t i = 0; i < q->n; i++)
            if (others[i]) {
                s->k += q->K[i + interface * q->n];
                s->c += q->C[i + interface * q->n];
            }
    }
    s->size_M = norm(n, s->M);
    s->size_K = norm(n, s->K);
    s->size_C = norm(n, s->C);
    return true;
}

/* With x = D^-1 b, where D is the matrix of the inner degrees of freedom and b their coupling to the interface,
 *
 *     Z = z - b^T x,   dZ = dz - 2 db^T x + x^T dD x - q^T (D + dD)^-1 q,   q = db - dD x
 *
 * exactly, so that the last term bounds what is left of the tangent. */
static void take_tangent(const struct side *s, double w, double g, double dw, double dg, const double complex *x,
                         double size_R, struct tangent *t)
{
    const size_t n = s->n;
    double complex alpha = s->k, beta = s->c, gamma = s->m;
    const double dgw = (g + dg) * (w + dw) - g * w, dw2 = (w + dw) * (w + dw) - w * w,
                 e = dg * s->size_K + dgw * s->size_C + dw2 * s->size_M;
    double q = 0;

    for (size_t i = 0; i < n; i++) {
        double complex Kx = 0, Cx = 0, Mx = 0;

        for (size_t j = 0; j < n; j++) {
            Kx += s->K[i + j * n] * x[j];
            Cx += s->C[i + j * n] * x[j];
            Mx += s->M[i + j * n] * x[j];
        }
        alpha += x[i] * Kx - 2 * s->kb[i] * x[i];
        beta += x[i] * Cx - 2 * s->cb[i] * x[i];
        gamma += x[i] * Mx;
        q += pow(dg * cabs(s->kb[i] - Kx) + dgw * cabs(s->cb[i] - Cx) + dw2 * cabs(Mx), 2);
    }
    beta *= I;
    t->by_g = alpha + w * beta;
    t->by_w = g * beta - 2 * w * gamma;
    t->rest = dg * dw * cabs(beta) + dw * dw * cabs(gamma);
    if (n && !(e * size_R < 1))
        t->rest = INFINITY;
    else if (n)
        t->rest += q * size_R / (1 - e * size_R);
}

/* Z at (w, g), and its tangent in the box with half widths dw, dg; t may be NULL. work: n (2 n + 2) + n. */
static double complex stiffness(const struct side *s, double w, double g, double dw, double dg, struct tangent *t,
                                double complex *work)
{
    const size_t n = s->n, cols = t ? n + 1 : 1;
    double complex *D = work, *X = work + n * n, Z = g * (s->k + I * w * s->c) - w * w * s->m;
    double size_R = 0;

    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            D[i + j * n] = g * (s->K[i + j * n] + I * w * s->C[i + j * n]) - w * w * s->M[i + j * n];
            if (t)
                X[i + (j + 1) * n] = i == j;
        }
        X[j] = g * (s->kb[j] + I * w * s->cb[j]);
    }
    for (size_t k = 0; k < n; k++) { /* Gauss and Jordan; damped, so that no pivot vanishes */
        const double complex pivot = 1 / D[k + k * n];

        for (size_t j = k; j < n; j++)
            D[k + j * n] *= pivot;
        for (size_t j = 0; j < cols; j++)
            X[k + j * n] *= pivot;
        for (size_t i = 0; i < n; i++) {
            const double complex part = D[i + k * n];

            if (i == k || part == 0)
                continue;
            for (size_t j = k; j < n; j++)
                D[i + j * n] -= part * D[k + j * n];
            for (size_t j = 0; j < cols; j++)
                X[i + j * n] -= part * X[k + j * n];
        }
    }
    for (size_t j = 0; j < n; j++)
        Z -= g * (s->kb[j] + I * w * s->cb[j]) * X[j];
    if (!t)
        return Z;
    for (size_t i = 0; i < n * n; i++)
        size_R += creal(X[n + i] * conj(X[n + i]));
    take_tangent(s, w, g, dw, dg, X, sqrt(size_R), t);
    return Z;
}

/* L = the delayed side over the other one, at (w, g). */
static double complex ratio(const struct cut *c, double w, double g)
{
    const double complex N = stiffness(&c->numerical, w, 1, 0, 0, NULL, c->work),
                         E = stiffness(&c->specimen, w, g, 0, 0, NULL, c->work);

    return c->force ? N / E : E / N;
}

/* Phase in 0 .. 2 pi by which the delay must turn L to -1. */
static double phase_of(double complex L)
{
    const double phase = carg(-L);

    return phase < 0 ? phase + 2 * M_PI : phase;
}

/* The smallest delay that makes the loop with factor g unstable, from all crossings of |L| = 1. */
static double critical_delay(const struct cut *c, double g)
{
    const double low = c->how->low, step = (c->how->high - low) / GRID;
    double least = INFINITY, before = log(cabs(ratio(c, low, g)));

    for (int i = 1; i <= GRID; i++) {
        const double now = log(cabs(ratio(c, low + i * step, g)));
        double a = low + (i - 1) * step, b = a + step;

        if ((before > 0) != (now > 0)) {
            for (int k = 0; k < BISECTIONS; k++) {
                const double w = 0.5 * (a + b);

                *((log(cabs(ratio(c, w, g))) > 0) == (before > 0) ? &a : &b) = w;
            }
            least = fmin(least, phase_of(ratio(c, a, g)) / a);
        }
        before = now;
    }
    return least;
}

/* The smallest over the factors: on a grid, then by golden section beside the best. */
static double found_delay(const struct cut *c)
{
    const double from = c->how->least, step = (c->how->most - from) / (FACTORS - 1), part = 0.5 * (sqrt(5) - 1);
    double least = INFINITY, at = from;

    for (int i = 0; i < FACTORS; i++) {
        const double now = critical_delay(c, from + i * step);

        if (now < least) {
            least = now;
            at = from + i * step;
        }
    }
    double a = fmax(at - step, from), b = fmin(at + step, c->how->most);

    for (int i = 0; i < GOLDEN && step > 0; i++) {
        const double x = b - part * (b - a), y = a + part * (b - a), fx = critical_delay(c, x),
                     fy = critical_delay(c, y);

        least = fmin(least, fmin(fx, fy));
        *(fx < fy ? &b : &a) = fx < fy ? y : x;
    }
    return least;
}

/* ---- the bound ---- */

struct box {
    double w, g, dw, dg, bound; /* middle, half widths; lower bound of the delay */
};

/* |log(1 + u) - u'| where u' is the tangent of u and |u| at most `size`, of which `rest` is beyond the tangent. */
static double of_log(double size, double rest)
{
    return size < 1 ? rest + 0.5 * size * size / (1 - size) : INFINITY;
}

/* log L = log E - log N in the box, with the common frequency of both; INFINITY: they cannot have the same modulus. */
static double bound_of(const struct cut *c, const struct box *b)
{
    struct tangent tN, tE;
    const double complex N = stiffness(&c->numerical, b->w, 1, b->dw, 0, &tN, c->work),
                         E = stiffness(&c->specimen, b->w, b->g, b->dw, b->dg, &tE, c->work);
    const double n = cabs(N), e = cabs(E),
                 left = of_log((cabs(tN.by_w) * b->dw + tN.rest) / n, tN.rest / n) +
                        of_log((cabs(tE.by_w) * b->dw + cabs(tE.by_g) * b->dg + tE.rest) / e, tE.rest / e);
    const double complex by_w = tE.by_w / E - tN.by_w / N, by_g = tE.by_g / E;

    if (!(left < INFINITY)) {
        const double dN = cabs(tN.by_w) * b->dw + tN.rest, dE = cabs(tE.by_w) * b->dw + cabs(tE.by_g) * b->dg + tE.rest;

        return n - dN > e + dE || e - dE > n + dN ? INFINITY : 0;
    }
    if (fabs(log(e / n)) > fabs(creal(by_w)) * b->dw + fabs(creal(by_g)) * b->dg + left)
        return INFINITY;
    const double phase = phase_of(c->force ? N / E : E / N),
                 turn = fabs(cimag(by_w)) * b->dw + fabs(cimag(by_g)) * b->dg + left;

    return phase - turn <= 0 ? 0 : (phase - turn) / (b->w + b->dw);
}

/* A heap, the lowest bound first. */
struct heap {
    struct box *box;
    size_t count;
};

static void push(struct heap *h, struct box b)
{
    size_t i = h->count++;

    while (i && h->box[(i - 1) / 2].bound > b.bound) {
        h->box[i] = h->box[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->box[i] = b;
}

static struct box pop(struct heap *h)
{
    const struct box first = h->box[0], last = h->box[--h->count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= h->count)
            break;
        if (child + 1 < h->count && h->box[child + 1].bound < h->box[child].bound)
            child++;
        if (last.bound <= h->box[child].bound)
            break;
        h->box[i] = h->box[child];
        i = child;
    }
    h->box[i] = last;
    return first;
}

/* Halves a box along the side that it is longer in, relative to what Z feels. */
static void halve(const struct cut *c, struct heap *h, struct box b)
{
    const bool by_w = b.dw / b.w > b.dg / b.g;

    for (int side = -1; side <= 1; side += 2) {
        struct box half = b;

        if (by_w) {
            half.dw *= 0.5;
            half.w += side * half.dw;
        } else {
            half.dg *= 0.5;
            half.g += side * half.dg;
        }
        half.bound = fmax(bound_of(c, &half), b.bound);
        if (half.bound < INFINITY)
            push(h, half);
    }
}

static double certified_delay(const struct cut *c, double found)
{
    const struct yk_cuts *q = c->how;
    struct heap h = {.box = malloc((MOST_BOXES + 300) * sizeof *h.box)};
    double certified = 0;

    if (!h.box)
        return 0;
    for (int i = 0; i < 64; i++) {
        const double step = (q->high - q->low) / 64;
        struct box b = {q->low + (i + 0.5) * step, 0.5 * (q->least + q->most), 0.5 * step, 0.5 * (q->most - q->least),
                        0};

        b.bound = bound_of(c, &b);
        if (b.bound < INFINITY)
            push(&h, b);
    }
    while (h.count && h.count < MOST_BOXES) {
        const struct box b = pop(&h);

        certified = b.bound;
        if (b.bound >= NEAR * found || b.dw < 1e-9 * b.w)
            break;
        halve(c, &h, b);
    }
    free(h.box);
    return fmin(certified, found);
}

/* ---- all cuts ---- */

/* Everything that is joined to `from` without passing the interface. */
static void spread(const struct yk_cuts *q, size_t interface, size_t from, bool *in)
{
    in[from] = true;
    for (size_t i = 0; i < q->n; i++)
        if (!in[i] && i != interface &&
            (q->K[i + from * q->n] != 0 || q->C[i + from * q->n] != 0 || q->M[i + from * q->n] != 0))
            spread(q, interface, i, in);
}

static enum yk_status rank_side(const struct yk_cuts *q, size_t interface, const bool *part, bool above,
                                struct yk_cut_list *out, struct yk_err *err)
{
    bool rest[MOST];
    const double mass = q->M[interface + interface * q->n];

    for (size_t i = 0; i < q->n; i++)
        rest[i] = i != interface && !part[i];
    for (int force = 0; force < 2; force++) {
        struct cut c = {.how = q, .force = force, .work = malloc((q->n + 2) * (2 * q->n + 3) * sizeof *c.work)};
        struct yk_cut *to = &out->cut[out->count];
        /* the side that is computed has the springs to ground at the interface where the specimen is what `above` says
         */
        const bool good = c.work &&
                          take_side(&c.numerical, q, interface, rest, above ? part : NULL, force ? 0 : mass) &&
                          take_side(&c.specimen, q, interface, part, above ? NULL : rest, force ? mass : 0);

        if (good) {
            *to = (struct yk_cut){.interface = interface, .above = above, .force = force};
            to->nominal_s = critical_delay(&c, 1);
            to->found_s = fmin(found_delay(&c), to->nominal_s);
            to->certified_s = certified_delay(&c, to->found_s);
            out->count++;
        }
        free(c.numerical.M);
        free(c.specimen.M);
        free(c.work);
        if (!good)
            return yk_fail(err, YK_E_MEMORY, "out of memory for cuts");
    }
    return YK_OK;
}

static int by_certified(const void *a, const void *b)
{
    const struct yk_cut *x = a, *y = b;

    return (x->certified_s < y->certified_s) - (x->certified_s > y->certified_s);
}

enum yk_status yk_cuts_rank(const struct yk_cuts *q, struct yk_cut_list *out, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    *out = (struct yk_cut_list){.cut = calloc(4 * q->n + 1, sizeof *out->cut)};
    if (!out->cut)
        return yk_fail(err, YK_E_MEMORY, "out of memory for cuts");
    if (q->n < 2 || q->n > MOST) {
        yk_cuts_free(out);
        return yk_fail(err, YK_E_RANGE, "%zu degrees of freedom; cuts are ranked for 2 to %d", q->n, MOST);
    }
    for (size_t j = 0; j < q->n && !st; j++) {
        bool one[MOST] = {0}, other[MOST] = {0};
        size_t first = j == 0 ? 1 : 0, left = 0;

        spread(q, j, first, one);
        for (size_t i = 0; i < q->n; i++)
            if (i != j && !one[i]) {
                other[i] = true;
                left++;
            }
        for (size_t i = 0; i < q->n; i++) /* three or more parts, or one that only hangs on the interface */
            if (other[i]) {
                bool reached[MOST] = {0};

                spread(q, j, i, reached);
                left = memcmp(reached, other, q->n * sizeof *reached) == 0 ? left : q->n;
                break;
            }
        if (left == q->n)
            continue;
        const double grounded = q->K[j + j * q->n];
        double sum = 0;

        for (size_t i = 0; i < q->n; i++)
            sum += i == j ? 0 : q->K[i + j * q->n];
        if (left == 0 && !(grounded + sum > 1e-9 * grounded)) /* the end: nothing on the other side */
            continue;
        /* `one` is on the side of the lower numbers, and the springs to ground with it */
        const bool *lower = first == 0 ? one : other, *upper = first == 0 ? other : one;

        st = rank_side(q, j, upper, true, out, err);
        if (!st)
            st = rank_side(q, j, lower, false, out, err);
    }
    if (st)
        yk_cuts_free(out);
    else
        qsort(out->cut, out->count, sizeof *out->cut, by_certified);
    return st;
}

void yk_cuts_free(struct yk_cut_list *list)
{
    free(list->cut);
    *list = (struct yk_cut_list){0};
}
