/* A factor that may change at any time: circle criterion. docs/theory/certificates.md, section 6.
 *
 * With one port, p = p0 + delta (p1 - p0), where p1 is that of delta = 1, and |M| = |p1 - p0|/|p0|. The loop is stable
 * for every delta(t) within -r .. r if r |p1 - p0| < |p0| on the unit circle. With several ports of one factor the
 * modulus is the largest singular value of M. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORTEST 1e-10 /* rad */
#define CLOSE    1e-7  /* relative, of the radius */
enum { DEEPEST = 64, FIRST_ARCS = 16 };

/* The loop as it is, and with the factor 1. */
struct pair {
    struct certify_plant p[2];
    double scale;
};

static bool prove_circle(const struct pair *q, double r)
{
    double at[DEEPEST], wide[DEEPEST];
    size_t left = 0;

    for (int k = FIRST_ARCS; k-- > 0; left++) {
        at[left] = M_PI * k / FIRST_ARCS;
        wide[left] = M_PI / FIRST_ARCS;
    }
    while (left) {
        const double x = at[--left], w = wide[left];
        const double complex z = cexp(I * (x + 0.5 * w));
        double rest[2];
        double complex d0, d1;
        const double complex p0 = certify_value(&q->p[0], z, 0.5 * w, q->scale, &d0, &rest[0]),
                             p1 = certify_value(&q->p[1], z, 0.5 * w, q->scale, &d1, &rest[1]);
        const double margin = cabs(p0) - r * cabs(p1 - p0),
                     moved = 0.5 * w * (cabs(d0) + r * cabs(d1 - d0)) + rest[0] + r * (rest[0] + rest[1]);

        if (margin > moved * (1 + 1e-9))
            continue;
        if (!(margin > 0) || w < SHORTEST || left + 2 > DEEPEST)
            return false;
        at[left] = x + 0.5 * w;
        wide[left++] = 0.5 * w;
        at[left] = x;
        wide[left++] = 0.5 * w;
    }
    return true;
}

/* The factor 1 in units of the half width may be a loop without an answer; any other does as well: `unit`. */
static enum yk_status take_pair(struct pair *q, const struct yk_family *f, size_t k, double unit, double *roots,
                                struct yk_err *err)
{
    double delta[YK_CERTIFY_PARAMETERS] = {0}, rest;
    double complex slope;
    enum yk_status st = YK_OK;

    for (int i = 0; i < 2 && !st; i++) {
        struct certify_plant *p = &q->p[i];

        delta[k] = i ? unit : 0;
        p->re = roots + (size_t)(2 * i) * f->states;
        p->im = p->re + f->states;
        p->roots = f->states;
        st = yk_family_close(f, delta, &p->factor, p->re, p->im, err);
    }
    q->scale = 1;
    q->scale = fmax(cabs(certify_value(&q->p[0], I, 0, 1, &slope, &rest)), 1e-300);
    return st;
}

enum { UNIT_TRIES = 8 };

static enum yk_status search(const struct yk_family *f, size_t k, double *radius, struct yk_err *err)
{
    double lo = 0, hi = INFINITY, unit = 1, *roots = malloc((4 * f->states + 1) * sizeof *roots);
    struct pair q = {0};
    enum yk_status st = roots ? take_pair(&q, f, k, unit, roots, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int i = 0; i < UNIT_TRIES && !st && !(fabs(q.p[1].factor) > 1e-6); i++)
        st = take_pair(&q, f, k, unit *= 0.7, roots, err);
    for (double r = 1.0 / 1024; r <= 64 && !st && hi == INFINITY; r *= 2)
        *(prove_circle(&q, r / unit) ? &lo : &hi) = r;
    while (!st && hi < INFINITY && lo > 0 && hi > lo * (1 + CLOSE)) {
        const double r = sqrt(lo * hi);

        *(prove_circle(&q, r / unit) ? &lo : &hi) = r;
    }
    free(roots);
    *radius = lo;
    return st;
}

/* The ports of one parameter alone. */
static enum yk_status only(const struct yk_family *f, size_t k, struct yk_family *out, struct yk_err *err)
{
    size_t count = 0, a = 0;
    enum yk_status st;

    for (size_t j = 0; j < f->ports; j++)
        count += f->parameter[j] == k;
    if ((st = yk_family_make(out, f->states, count, err)))
        return st;
    memcpy(out->A, f->A, f->states * f->states * sizeof *out->A);
    for (size_t j = 0; j < f->ports; j++) {
        size_t b = 0;

        if (f->parameter[j] != k)
            continue;
        out->parameter[a] = k;
        memcpy(out->B + a * f->states, f->B + j * f->states, f->states * sizeof *out->B);
        for (size_t i = 0; i < f->states; i++)
            out->C[a + i * count] = f->C[j + i * f->ports];
        for (size_t i = 0; i < f->ports; i++)
            if (f->parameter[i] == k)
                out->D[a + b++ * count] = f->D[j + i * f->ports];
        a++;
    }
    return YK_OK;
}

enum yk_status yk_certify_changing(const struct yk_certify_problem *problem, size_t k, double *radius,
                                   struct yk_err *err)
{
    const double zero[YK_CERTIFY_PARAMETERS] = {0};
    const struct yk_family *family;
    struct yk_family one;
    double nominal;
    enum yk_status st = problem->family(problem->user, zero, &family, err);

    *radius = 0;
    if (st || (st = only(family, k, &one, err)))
        return st;
    if (problem->of[k].varied || one.ports == 0)
        st = yk_fail(err, YK_E_UNSUPPORTED,
                     "'%s' does not act as a factor on a force or reading: nothing is known of a loop while it changes",
                     problem->of[k].name);
    if (!st && !(st = yk_certify_spectral(problem, zero, &nominal, err)) && nominal < 1)
        st = one.ports == 1 ? search(&one, k, radius, err) : certify_changing_ports(&one, radius, err);
    yk_family_free(&one);
    return st;
}
