/* A bilinear oscillator under a record: exact between events. An event is a first yield, or a return to the elastic
 * branch where the velocity changes sign; it is found within the step by bisection. Constant-ductility strengths. */
#include "oscillator.h"

#include <yoke/motion.h>

#include <math.h>

enum { FINEST = 52, EVENTS = 16, SCAN = 2000, BISECTIONS = 45 };
#define PI 3.14159265358979323846

struct bilinear {
    double k, c, alpha, yield; /* of unit mass; yield [m] */
    double u, v, plastic;      /* plastic: centre of the elastic range */
    int side;                  /* 0: elastic; else the sign of the yielding */
    double peak;
    struct oscillator_step elastic, yielding; /* of a whole step */
    double h;
};

/* Force that does not depend on u, on the branch: elastic k (u - (1 - alpha) plastic); yielding alpha k u + side (1 -
 * alpha) k yield. */
static double constant_of(const struct bilinear *b)
{
    return b->side ? b->side * (1 - b->alpha) * b->k * b->yield : -(1 - b->alpha) * b->k * b->plastic;
}

static void advance(const struct bilinear *b, double h, double p0, double p1, double *u, double *v)
{
    const struct oscillator_step s =
        h == b->h ? (b->side ? b->yielding : b->elastic) : motion_step_of(b->side ? b->alpha * b->k : b->k, b->c, h);
    const double q = constant_of(b);

    *u = s.A11 * b->u + s.A12 * b->v + s.B11 * (p0 - q) + s.B12 * (p1 - q);
    *v = s.A21 * b->u + s.A22 * b->v + s.B21 * (p0 - q) + s.B22 * (p1 - q);
}

/* Positive after the event that ends the branch: beyond the yield point, or moving back. */
static double passed(const struct bilinear *b, double u, double v)
{
    return b->side ? -b->side * v : fabs(u - b->plastic) - b->yield;
}

static void note_peak(struct bilinear *b, double h, double u, double v)
{
    double at;

    b->peak = fmax(b->peak, fabs(u));
    if (b->v * v < 0)
        b->peak = fmax(b->peak, motion_extreme(h, b->u, b->v, u, v, &at));
}

static void change_branch(struct bilinear *b)
{
    if (b->side) {
        b->plastic = b->u - b->side * b->yield;
        b->side = 0;
        b->v = 0;
    } else {
        b->side = b->u > b->plastic ? 1 : -1;
    }
}

/* One step of at most h, excitation from p0 to p1. */
static void move(struct bilinear *b, double h, double p0, double p1)
{
    for (int events = 0; h > 0; events++) {
        double u, v, low = 0, high = 1, at;

        advance(b, h, p0, p1, &u, &v);
        const bool turns =
            !b->side && b->v * v < 0 && motion_extreme(h, b->u - b->plastic, b->v, u - b->plastic, v, &at) > b->yield;
        if (turns) /* beyond the yield point and back within the step */
            high = at;
        if (events >= EVENTS || !(turns || passed(b, u, v) > 0)) {
            note_peak(b, h, u, v);
            b->u = u;
            b->v = v;
            return;
        }
        for (int i = 0; i < FINEST; i++) {
            const double middle = (low + high) / 2;

            advance(b, middle * h, p0, p0 + middle * (p1 - p0), &u, &v);
            *(passed(b, u, v) > 0 ? &high : &low) = middle;
        }
        advance(b, high * h, p0, p0 + high * (p1 - p0), &u, &v);
        note_peak(b, high * h, u, v);
        b->u = u;
        b->v = v;
        change_branch(b);
        p0 += high * (p1 - p0);
        h *= 1 - high;
        if (h < 1e-12 * b->h)
            return;
    }
}

static enum yk_status check(size_t n, double step_s, const struct yk_motion_yielding *o, struct yk_err *err)
{
    if (n < 1 || !(step_s > 0))
        return yk_fail(err, YK_E_INPUT, "an oscillator needs a record with a step above 0 s");
    if (!(o->period_s >= 1e-4 && o->period_s <= 1e4))
        return yk_fail(err, YK_E_RANGE, "period %g s is not within 1e-4 to 1e4 s", o->period_s);
    if (!(o->damping >= 0 && o->damping < 1))
        return yk_fail(err, YK_E_RANGE, "damping = %g is not in 0 <= damping < 1", o->damping);
    if (!(o->strength > 0) || !isfinite(o->strength))
        return yk_fail(err, YK_E_RANGE, "strength = %g m/s2 is not above 0", o->strength);
    if (!(o->hardening > -10 && o->hardening < 1))
        return yk_fail(err, YK_E_RANGE, "hardening = %g is not within -10 to 1 (1 excluded)", o->hardening);
    return YK_OK;
}

enum yk_status yk_motion_yield(size_t n, double step_s, const double *a, const struct yk_motion_yielding *o,
                               struct yk_motion_yielded *yielded, struct yk_err *err)
{
    const enum yk_status st = check(n, step_s, o, err);
    const double w = 2 * PI / o->period_s;
    const size_t parts = (size_t)ceil(20 * step_s / o->period_s * (1 - 1e-12));

    if (st)
        return st;
    struct bilinear b = {.k = w * w,
                         .c = 2 * o->damping * w,
                         .alpha = o->hardening,
                         .yield = o->strength / (w * w),
                         .h = step_s / (double)(parts ? parts : 1)};
    b.elastic = motion_step_of(b.k, b.c, b.h);
    b.yielding = motion_step_of(b.alpha * b.k, b.c, b.h);
    *yielded = (struct yk_motion_yielded){0};
    const double whole = (double)(n - 1) * step_s + o->free_s;
    const size_t steps = (size_t)ceil(whole / b.h - 1e-9);
    for (size_t k = 0; k < steps && !yielded->collapsed; k++) {
        const size_t i = k / (parts ? parts : 1), j = k % (parts ? parts : 1);
        const bool free = i + 1 >= n;
        const double slope = free ? 0 : (a[i + 1] - a[i]) / (double)(parts ? parts : 1), a0 = free ? 0 : a[i];

        move(&b, b.h, -(a0 + slope * (double)j), -(a0 + slope * (double)(j + 1)));
        if (!isfinite(b.u) || (o->collapse > 0 && b.peak > o->collapse))
            yielded->collapsed = true;
    }
    yielded->peak = b.peak;
    yielded->ductility = b.peak / b.yield;
    yielded->residual = b.side ? b.u - b.side * b.yield : b.plastic;
    return YK_OK;
}

enum yk_status yk_motion_strength(size_t n, double step_s, const double *a, double period_s, double damping,
                                  double hardening, double ductility, double *strength, double *peak,
                                  struct yk_err *err)
{
    struct yk_motion_response elastic;
    struct yk_motion_yielded y;
    enum yk_status st;

    if (!(ductility > 1 && ductility <= 1e3))
        return yk_fail(err, YK_E_RANGE, "ductility = %g is not within 1 (excluded) to 1000", ductility);
    if ((st = yk_motion_spectrum(n, step_s, a, damping, 1, &period_s, &elastic, err)))
        return st;
    if (!(elastic.psa > 0))
        return yk_fail(err, YK_E_INPUT, "the record is zero: any strength is enough");
    struct yk_motion_yielding o = {period_s, damping, elastic.psa, hardening, .free_s = period_s};
    double high = elastic.psa, low = 0;
    for (int i = 0; i < SCAN; i++, high = o.strength) {
        o.strength = 0.98 * high;
        if ((st = yk_motion_yield(n, step_s, a, &o, &y, err)))
            return st;
        if (y.ductility >= ductility) {
            low = o.strength;
            break;
        }
    }
    if (!(low > 0))
        return yk_fail(err, YK_E_RANGE, "no strength gives a ductility of %g at %g s", ductility, period_s);
    for (int i = 0; i < BISECTIONS; i++) {
        o.strength = (low + high) / 2;
        if ((st = yk_motion_yield(n, step_s, a, &o, &y, err)))
            return st;
        *(y.ductility >= ductility ? &low : &high) = o.strength;
    }
    *strength = high;
    if (peak)
        *peak = y.peak;
    return YK_OK;
}
