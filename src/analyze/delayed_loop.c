/* Stability of a linear loop with any added delay, see delayed_loop.h. The determinant det(I - P E) = det(I - Q E U) is
 * followed along half of the unit circle; points are added where it turns. Units: N, m, s. */
#include "analyze/delayed_loop.h"

#include "analyze/loop_answers.h"
#include "linalg/blas.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOWEST   1e-8 /* 1/s: growth that is not told from none, see margin.c */
#define STATIC    1e-2 /* of the lowest frequency: a root nearer to 1 is a state that stays */
#define LEAST_ARC 1e-6 /* around 1: a double root is known to the square root of rounding */
#define COARSE    0.13 /* rad: between two points of the circle, at most */
#define TURN      0.6  /* between neighbours, of the determinant, relative */
#define PHASE     0.7  /* rad: of the delay between neighbours, where it matters */
#define MATTERS   0.25 /* size of Q E U: well below 1, the determinant cannot vanish */
enum { MOST_POINTS = 5000 };

struct point {
    double s; /* on the contour */
    double complex z, log_z;
    double complex *Q;  /* shapes x ports, and Q U behind it */
    double complex det; /* for the present delay */
    double size;        /* of Q E U */
};

/* Effect of the delayed commands of the cycle that lies `cycles` before: rows first..last of `G`, ports x shapes. */
struct part {
    long cycles;
    size_t first, last;
    double *G;
};
enum { PARTS = 3 }; /* cycles whose commands act in one cycle */

struct yk_delayed_loop {
    struct yk_loop_answers a;
    double complex *T, *C, *B;     /* Schur form of A; C and B in its coordinates */
    double radius, arc, end, from; /* of the contour: of the circle, of the arc around 1, where the arc ends */
    double complex *work;          /* shapes * (states + shapes) */
    struct part part[PARTS];
    struct point *points; /* along the contour */
    size_t count;
};

/* ---- the process in Schur form ---- */

/* A in Schur form, C and B in its coordinates. */
static enum yk_status triangulate(struct yk_delayed_loop *l, struct yk_err *err)
{
    const struct yk_loop_answers *p = &l->a;
    const size_t k = p->states, r = p->shapes, n = p->ports;
    const int order = (int)k, lwork = 34 * order;
    double complex *memory = calloc(2 * k * k + k * (r + n) + r * (k + r), sizeof *memory),
                   *scratch = calloc((size_t)lwork + 2 * k, sizeof *scratch), *Z;
    int sorted, info = 1;

    l->T = memory;
    if (!memory || !scratch) {
        free(scratch);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a loop");
    }
    Z = l->T + k * k;
    l->C = Z + k * k;
    l->B = l->C + r * k;
    l->work = l->B + k * n;
    for (size_t i = 0; i < k * k; i++)
        l->T[i] = p->A[i];
    zgees_("V", "N", NULL, &order, l->T, &order, &sorted, scratch + lwork, Z, &order, scratch, &lwork,
           (double *)(scratch + (size_t)lwork + k), NULL, &info);
    free(scratch);
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < k; i++) {
            for (size_t a = 0; a < r; a++)
                l->C[a + j * r] += p->C[a + i * r] * Z[i + j * k];
            for (size_t a = 0; a < n; a++)
                l->B[j + a * k] += p->B[i + a * k] * conj(Z[i + j * k]);
        }
    return info ? yk_fail(err, YK_E_DIVERGED, "eigenvalues: LAPACK's zgees did not converge (%d)", info) : YK_OK;
}

/* ---- the contour: half of the unit circle, with an arc around 1 ---- */

static void draw_contour(struct yk_delayed_loop *l, double omega)
{
    l->radius = exp(SLOWEST * l->a.cycle_s);
    l->arc = fmax(LEAST_ARC, STATIC * omega * l->a.cycle_s);
    l->end = acos((l->radius * l->radius - 1 - l->arc * l->arc) / (2 * l->arc));
    l->from = carg(1 + l->arc * cexp(I * l->end));
}

/* From 0 to `end` the arc, then the circle. */
static double complex on_contour(const struct yk_delayed_loop *l, double s)
{
    return s < l->end ? 1 + l->arc * cexp(I * s) : l->radius * cexp(I * (l->from + s - l->end));
}

static bool is_inside(const struct yk_delayed_loop *l, double complex z)
{
    return cabs(z) < l->radius || cabs(z - 1) < l->arc;
}

/* Q and Q U at a point: row by row of C (z - T)^-1. */
static bool respond(const struct yk_delayed_loop *l, struct point *p)
{
    const size_t k = l->a.states, r = l->a.shapes, n = l->a.ports;
    double complex *X = l->work, *QU;

    if (!(p->Q = calloc(r * (n + r), sizeof *p->Q)))
        return false;
    QU = p->Q + r * n;
    for (size_t j = 0; j < k; j++) {
        const double complex *T = l->T + j * k, divisor = 1 / (p->z - T[j]);
        double re[YK_MOST_SHAPES], im[YK_MOST_SHAPES];

        for (size_t a = 0; a < r; a++) {
            re[a] = creal(l->C[a + j * r]);
            im[a] = cimag(l->C[a + j * r]);
        }
        for (size_t i = 0; i < j; i++) {
            const double tr = creal(T[i]), ti = cimag(T[i]);
            const double *x = (const double *)(X + i * r);

            for (size_t a = 0; a < r; a++) {
                re[a] += x[2 * a] * tr - x[2 * a + 1] * ti;
                im[a] += x[2 * a] * ti + x[2 * a + 1] * tr;
            }
        }
        for (size_t a = 0; a < r; a++)
            X[a + j * r] = (re[a] + I * im[a]) * divisor;
    }
    for (size_t port = 0; port < n; port++) {
        const double complex *B = l->B + port * k;
        double re[YK_MOST_SHAPES], im[YK_MOST_SHAPES];

        for (size_t a = 0; a < r; a++) {
            re[a] = l->a.D[a + port * r];
            im[a] = 0;
        }
        for (size_t j = 0; j < k; j++) {
            const double br = creal(B[j]), bi = cimag(B[j]);
            const double *x = (const double *)(X + j * r);

            for (size_t a = 0; a < r; a++) {
                re[a] += x[2 * a] * br - x[2 * a + 1] * bi;
                im[a] += x[2 * a] * bi + x[2 * a + 1] * br;
            }
        }
        for (size_t a = 0; a < r; a++) {
            p->Q[a + port * r] = re[a] + I * im[a];
            for (size_t b = 0; b < r; b++)
                QU[a + b * r] += p->Q[a + port * r] * l->a.U[port + b * n];
        }
    }
    return true;
}

/* A point between two others. */
static bool insert(struct yk_delayed_loop *l, size_t at, double s)
{
    struct point *p = l->points + at;

    if (l->count == MOST_POINTS)
        return false;
    memmove(p + 1, p, (l->count - at) * sizeof *p);
    *p = (struct point){.s = s, .z = on_contour(l, s)};
    p->log_z = clog(p->z);
    l->count++;
    return respond(l, p);
}

static int by_place(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Evenly spaced points, and denser ones beside each root of A, as far from it as it is from the circle. */
static bool place_points(struct yk_delayed_loop *l)
{
    const double last = l->end + M_PI - l->from;
    double *s = malloc(MOST_POINTS * sizeof *s);
    size_t count = 0;
    bool good = s != NULL;

    if (!s)
        return false;
    s[count++] = 0;
    s[count++] = 0.5 * l->end;
    for (double x = l->end; x < last; x += COARSE)
        s[count++] = x;
    s[count++] = last;
    for (size_t i = 0; i < l->a.states; i++) {
        const double complex root = l->T[i + i * l->a.states];
        const double at = l->end + fabs(carg(root)) - l->from, near = fmax(l->radius - cabs(root), 1e-12);

        if (cimag(root) < 0 || near > 0.5)
            continue;
        for (double d = 0; d <= COARSE && count + 2 < MOST_POINTS; d = d > 0 ? 2 * d : near)
            for (int side = -1; side <= 1; side += 2)
                if (at + side * d > l->end && at + side * d < last)
                    s[count++] = at + side * d;
    }
    qsort(s, count, sizeof *s, by_place);
    for (size_t i = 0; i < count && good; i++)
        if (i == 0 || s[i] > s[i - 1])
            good = insert(l, l->count, s[i]);
    free(s);
    return good;
}

/* ---- a delay ---- */

/* Cycle of a tick; negative before the first. */
static long cycle_of(long tick, long ticks)
{
    return tick >= 0 ? tick / ticks : -((ticks - 1 - tick) / ticks);
}

/* E U in parts: tick t of a cycle gets (1 - f) p(t - n) + f p(t - n - 1). The -1 of E is left to Q U. */
static void set_delay(struct yk_delayed_loop *l, double delay)
{
    const double ticks = delay * (double)l->a.ticks / l->a.cycle_s;
    const long whole = (long)floor(ticks), N = (long)l->a.ticks;
    const double f = ticks - (double)whole;
    const long latest = cycle_of(N - 1 - whole, N);

    for (long i = 0; i < PARTS; i++) {
        l->part[i].cycles = latest - i;
        l->part[i].first = l->a.ports;
        l->part[i].last = 0;
        memset(l->part[i].G, 0, l->a.ports * l->a.shapes * sizeof *l->part[i].G);
    }
    for (long t = 0; t < N; t++)
        for (int back = 0; back < 2; back++) {
            const long from = t - whole - back, cycle = cycle_of(from, N), at = from - cycle * N;
            struct part *p = &l->part[latest - cycle];
            const double weight = back ? f : 1 - f;

            if (weight == 0)
                continue;
            for (size_t i = 0; i < l->a.actuators; i++) {
                const size_t port = (size_t)t * l->a.actuators + i, of = (size_t)at * l->a.actuators + i;

                p->first = port < p->first ? port : p->first;
                p->last = port + 1 > p->last ? port + 1 : p->last;
                for (size_t a = 0; a < l->a.shapes; a++)
                    p->G[a + port * l->a.shapes] += weight * l->a.U[of + a * l->a.ports];
            }
        }
}

static double square_of(double complex z)
{
    return creal(z) * creal(z) + cimag(z) * cimag(z);
}

/* Determinant of A (n x n, destroyed), by elimination with pivots. */
static double complex determinant(size_t n, double complex *A)
{
    double complex det = 1;

    for (size_t k = 0; k < n; k++) {
        size_t best = k;

        for (size_t i = k + 1; i < n; i++)
            best = square_of(A[i + k * n]) > square_of(A[best + k * n]) ? i : best;
        for (size_t j = k; j < n && best != k; j++) {
            const double complex kept = A[k + j * n];

            A[k + j * n] = A[best + j * n];
            A[best + j * n] = kept;
        }
        det *= best == k ? A[k + k * n] : -A[k + k * n];
        if (A[k + k * n] == 0)
            return 0;
        for (size_t i = k + 1; i < n; i++) {
            const double complex part = A[i + k * n] / A[k + k * n];

            for (size_t j = k + 1; j < n; j++)
                A[i + j * n] -= part * A[k + j * n];
        }
    }
    return det;
}

/* det(I - Q E U) at a point. */
static void evaluate(const struct yk_delayed_loop *l, struct point *p)
{
    const size_t r = l->a.shapes;
    double complex *M = l->work;
    const double complex *QU = p->Q + r * l->a.ports;

    p->size = 0;
    for (size_t i = 0; i < r * r; i++)
        M[i] = -QU[i];
    for (int i = 0; i < PARTS; i++) {
        const struct part *part = &l->part[i];

        if (part->last <= part->first)
            continue;
        const double complex power = cexp((double)part->cycles * p->log_z);
        double sum[2 * YK_MOST_SHAPES * YK_MOST_SHAPES];

        memset(sum, 0, 2 * r * r * sizeof *sum);
        for (size_t port = part->first; port < part->last; port++) {
            const double *q = (const double *)(p->Q + port * r), *g = part->G + port * r;

            for (size_t b = 0; b < r; b++)
                for (size_t a = 0; a < 2 * r; a++)
                    sum[a + 2 * r * b] += q[a] * g[b];
        }
        for (size_t j = 0; j < r * r; j++)
            M[j] += power * (sum[2 * j] + I * sum[2 * j + 1]);
    }
    for (size_t i = 0; i < r * r; i++) {
        p->size += square_of(M[i]);
        M[i] = (i % (r + 1) == 0) - M[i];
    }
    p->size = sqrt(p->size);
    p->det = determinant(r, M);
}

/* May the determinant make a turn between two points that these do not show? */
static bool is_far(const struct yk_delayed_loop *l, const struct point *a, const struct point *b, double delay)
{
    return square_of(b->det - a->det) > TURN * TURN * fmin(square_of(a->det), square_of(b->det)) ||
           ((b->s - a->s) * delay > PHASE * l->a.cycle_s && fmax(a->size, b->size) > MATTERS);
}

bool yk_delayed_loop_count(struct yk_delayed_loop *l, double delay, long *unstable)
{
    double turned = 0;

    set_delay(l, delay);
    for (size_t i = 0; i < l->count; i++)
        evaluate(l, &l->points[i]);
    for (size_t i = 0; i + 1 < l->count; i++) {
        struct point *p = &l->points[i];

        while (is_far(l, p, p + 1, delay)) {
            const double between = 0.5 * (p->s + p[1].s);

            if (!(between > p->s && between < p[1].s) || !insert(l, i + 1, between))
                return false;
            evaluate(l, p + 1);
        }
        turned += carg(p[1].det / p->det);
    }
    *unstable = lround(-turned / M_PI);
    return fabs(turned + M_PI * (double)*unstable) < 1e-3 && *unstable >= 0;
}

/* ---- open and close ---- */

void yk_delayed_loop_close(struct yk_delayed_loop *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        free(l->points[i].Q);
    free(l->points);
    free(l->part[0].G);
    free(l->T);
    yk_loop_answers_free(&l->a);
    free(l);
}

static bool make_room(struct yk_delayed_loop *l)
{
    const size_t size = l->a.ports * l->a.shapes;

    l->points = calloc(MOST_POINTS, sizeof *l->points);
    l->part[0].G = yk_doubles(PARTS * size);
    if (!l->points || !l->part[0].G)
        return false;
    for (size_t i = 1; i < PARTS; i++)
        l->part[i].G = l->part[0].G + i * size;
    return true;
}

static bool roots_are_inside(const struct yk_delayed_loop *l)
{
    for (size_t i = 0; i < l->a.states; i++)
        if (!is_inside(l, l->T[i + i * l->a.states]))
            return false;
    return true;
}

enum yk_status yk_delayed_loop_open(struct yk_delayed_loop **created, struct yk_state *m, const struct yk_watched *how,
                                    struct yk_err *err)
{
    struct yk_delayed_loop *l = calloc(1, sizeof *l);
    enum yk_status st;
    bool told = false;

    *created = NULL;
    if (!l)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = yk_loop_answers_take(&l->a, m, how, &told, err)) && told && !(st = triangulate(l, err))) {
        draw_contour(l, how->omega);
        told = roots_are_inside(l) && make_room(l) && place_points(l);
    }
    if (!st && told)
        *created = l;
    else
        yk_delayed_loop_close(l);
    return st;
}
