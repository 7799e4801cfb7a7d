/* Moment and curvature at a given axial force. The axial force comes first, in ten increments at curvature 0; then the
 * curvature grows in equal steps, and the strain on the axis follows by Newton with limited changes, or by bisection.
 */
#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INCREMENTS = 10, NEWTON = 100, BISECTIONS = 200, MOST_STEPS = 1000000, MONITORS = 10 };
#define LARGEST_CHANGE 2e-4
#define TOLERANCE      1e-7
#define LARGEST_STRAIN 0.3

struct yk_cross_bending yk_cross_bending_defaults(void)
{
    return (struct yk_cross_bending){.step = 1e-4, .drop = 0.2, .nominal = 0.0035};
}

struct run {
    const struct yk_cross_section *section;
    const struct yk_cross_bending *o;
    struct yk_cross_curve *curve;
    struct fibres fibres;
    size_t room;
    double eps, other, reach; /* reach: size of the section, for curvatures about the other axis */
    struct forces forces;
    double N; /* to be reached now */
    double before[MONITORS];
    bool seen[MONITORS];
    double My_first, k_first; /* first yield of a bar; NaN: not yet */
};

static struct plane plane_of(const struct run *r, double eps, double k, double other)
{
    const double c = cos(r->o->angle), s = sin(r->o->angle);

    return (struct plane){eps, k * c - other * s, k * s + other * c};
}

static void moments(const struct run *r, const struct forces *f, double *M, double *across)
{
    const double c = cos(r->o->angle), s = sin(r->o->angle);

    *M = f->Mz * c + f->My * s;
    *across = -f->Mz * s + f->My * c;
}

/* dN/dother, dMacross/dother */
static void across_tangents(const struct run *r, const struct forces *f, double *n, double *m)
{
    const double c = cos(r->o->angle), s = sin(r->o->angle);

    *n = -f->k[1] * s + f->k[3] * c;
    *m = f->k[2] * s * s - 2 * f->k[4] * s * c + f->k[5] * c * c;
}

static double limited(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

static void evaluate(struct run *r, double eps, double k, double other)
{
    const struct plane p = plane_of(r, eps, k, other);

    section_fibres_at(&r->fibres, &p, &r->forces);
}

static bool balanced(const struct run *r)
{
    double M, across;

    moments(r, &r->forces, &M, &across);
    const double large = fmax(fabs(M), fabs(r->N) * r->reach);
    return fabs(r->forces.N - r->N) <= fmax(TOLERANCE * fabs(r->N), TOLERANCE) &&
           (r->o->fixed_axis || fabs(across) <= fmax(TOLERANCE * large, TOLERANCE));
}

/* Newton in the strain and, unless the axis is kept, the curvature about the other axis. */
static bool newton(struct run *r, double k, double *eps, double *other)
{
    for (int i = 0; i < NEWTON; i++) {
        double M, across, n, m, de, dk = 0;

        evaluate(r, *eps, k, *other);
        if (balanced(r))
            return true;
        moments(r, &r->forces, &M, &across);
        across_tangents(r, &r->forces, &n, &m);
        const double gap = r->N - r->forces.N, EA = r->forces.k[0], det = EA * m - n * n;
        if (!r->o->fixed_axis && det != 0) {
            de = (m * gap + n * across) / det;
            dk = (-n * gap - EA * across) / det;
        } else {
            de = gap / EA;
        }
        if (!isfinite(de) || !isfinite(dk))
            return false;
        *eps += limited(de, LARGEST_CHANGE);
        *other += limited(dk, LARGEST_CHANGE / r->reach);
    }
    return false;
}

/* Bracket around the strain, then bisection; the other curvature stays. */
static bool bisect(struct run *r, double k, double *eps, double other)
{
    double low = *eps, high = *eps, reach = LARGEST_CHANGE;

    for (int i = 0; i < 60; i++, reach *= 1.5) {
        evaluate(r, low, k, other);
        const bool below = r->forces.N <= r->N;
        evaluate(r, high, k, other);
        const bool above = r->forces.N >= r->N;
        if (below && above)
            break;
        low -= below ? 0 : reach;
        high += above ? 0 : reach;
    }
    for (int i = 0; i < BISECTIONS; i++) {
        *eps = (low + high) / 2;
        evaluate(r, *eps, k, other);
        if (balanced(r))
            return true;
        *(r->forces.N > r->N ? &high : &low) = *eps;
    }
    return false;
}

static enum yk_status settle(struct run *r, double k, struct yk_err *err)
{
    double eps = r->eps, other = r->other;

    if (!newton(r, k, &eps, &other)) {
        eps = r->eps;
        other = r->other;
        if (!bisect(r, k, &eps, other) && !(!r->o->fixed_axis && newton(r, k, &eps, &other)))
            return yk_fail(err, YK_E_RANGE,
                           "no equilibrium at curvature %g 1/m with the axial force %g N: the section cannot carry it",
                           k, r->N);
    }
    if (fabs(eps) > LARGEST_STRAIN)
        return yk_fail(err, YK_E_RANGE,
                       "the axial force %g N needs a strain of %.3g on the axis: the section cannot carry it", r->N,
                       eps);
    r->eps = eps;
    r->other = other;
    return YK_OK;
}

/* ---- what happens on the way ---- */

static const char *const names[MONITORS] = {
    "cracking",
    "first bar yields in tension",
    "first bar yields in compression",
    "edge at 0.002",
    "edge at 0.0035",
    "edge of the concrete at its ultimate strain",
    "edge yields in compression",
    "edge yields in tension",
    "nominal: edge at its strain",
    "first bar yields",
};

static void monitor_bars(const struct run *r, const struct plane *p, double *tension, double *compression)
{
    *tension = *compression = -INFINITY;
    for (size_t i = 0; i < r->section->bars; i++) {
        const struct yk_cross_bar *b = &r->section->bar[i];
        const struct yk_cross_material *m = &r->section->material[b->material];
        const double strain = p->eps - b->y * p->kz + b->z * p->ky, yield = m->fy / m->E;

        if (isfinite(yield)) {
            *tension = fmax(*tension, strain - yield);
            *compression = fmax(*compression, -strain - yield);
        }
    }
}

/* Positive once the event has happened; -infinity where it does not apply. */
static void monitor(const struct run *r, const struct plane *p, double *x)
{
    double least, most, eu = INFINITY, crack = INFINITY, yield = INFINITY;

    for (int i = 0; i < MONITORS; i++)
        x[i] = -INFINITY;
    section_outline_strains(r->section, p, &least, &most);
    for (size_t i = 0; i < r->section->patches; i++) {
        const struct yk_cross_material *m = &r->section->material[r->section->patch[i].material];

        if (m->concrete) {
            eu = fmin(eu, m->eu);
            crack = fmin(crack, m->ft * m->ec / (2 * m->fc));
        } else if (isfinite(m->fy / m->E)) {
            yield = fmin(yield, m->fy / m->E);
        }
    }
    monitor_bars(r, p, &x[1], &x[2]);
    x[9] = fmax(x[1], x[2]);
    if (isfinite(crack)) {
        x[0] = most - crack;
        x[3] = -least - 0.002;
        x[4] = -least - 0.0035;
        x[5] = -least - eu;
        x[8] = -least - r->o->nominal;
    } else {
        x[6] = -least - yield;
        x[7] = most - yield;
        x[9] = fmax(x[6], x[7]);
    }
}

static struct yk_cross_point between(const struct yk_cross_point *a, const struct yk_cross_point *b, double x)
{
    return (struct yk_cross_point){.curvature = a->curvature + x * (b->curvature - a->curvature),
                                   .strain = a->strain + x * (b->strain - a->strain),
                                   .M = a->M + x * (b->M - a->M),
                                   .other = a->other + x * (b->other - a->other),
                                   .M_other = a->M_other + x * (b->M_other - a->M_other)};
}

static void note_events(struct run *r, const struct plane *p)
{
    struct yk_cross_curve *c = r->curve;
    const struct yk_cross_point *last = &c->point[c->count - 1];
    double x[MONITORS];

    monitor(r, p, x);
    for (int i = 0; i < MONITORS; i++) {
        if (!r->seen[i] && x[i] >= 0) {
            const bool first = c->count == 1 || !(r->before[i] < 0) || !isfinite(r->before[i]);
            const struct yk_cross_point at =
                first ? *last : between(last - 1, last, r->before[i] / (r->before[i] - x[i]));

            r->seen[i] = true;
            if (i == 9) {
                r->My_first = at.M;
                r->k_first = at.curvature;
            } else if (i == 8) {
                c->Mn = at.M;
            } else if (c->events < YK_CROSS_EVENTS) {
                c->event[c->events].at = at;
                snprintf(c->event[c->events++].what, sizeof c->event[0].what, "%s", names[i]);
            }
        }
        r->before[i] = x[i];
    }
}

static bool ends(struct run *r, const struct plane *p)
{
    struct yk_cross_curve *c = r->curve;
    const double M = fabs(c->point[c->count - 1].M);
    double least, most;

    section_outline_strains(r->section, p, &least, &most);
    if (r->o->drop > 0 && c->peak.M > 0 && M < (1 - r->o->drop) * fabs(c->peak.M))
        snprintf(c->end, sizeof c->end, "the moment has fallen by %g %%", 100 * r->o->drop);
    else if (r->o->eu > 0 && -least >= r->o->eu)
        snprintf(c->end, sizeof c->end, "the edge is at a strain of %g", r->o->eu);
    for (size_t i = 0; i < r->section->bars && r->o->rupture > 0; i++) {
        const struct yk_cross_bar *b = &r->section->bar[i];

        if (p->eps - b->y * p->kz + b->z * p->ky >= r->o->rupture)
            snprintf(c->end, sizeof c->end, "a bar is at its rupture strain of %g", r->o->rupture);
    }
    return *c->end;
}

static enum yk_status keep(struct run *r, double k, struct yk_err *err)
{
    struct yk_cross_curve *c = r->curve;
    struct yk_cross_point point = {.curvature = k, .strain = r->eps, .other = r->other};

    moments(r, &r->forces, &point.M, &point.M_other);
    if (c->count == r->room) {
        const size_t room = r->room ? 2 * r->room : 1024;
        struct yk_cross_point *more = realloc(c->point, room * sizeof *more);

        if (!more)
            return yk_fail(err, YK_E_MEMORY, "out of memory for a curve");
        c->point = more;
        r->room = room;
    }
    c->point[c->count++] = point;
    if (c->count == 1 || fabs(point.M) > fabs(c->peak.M))
        c->peak = point;
    return YK_OK;
}

static enum yk_status follow(struct run *r, struct yk_err *err)
{
    const double wanted = r->o->N, steps = round(fabs(r->o->curvature) / r->o->step);
    enum yk_status st;

    for (int i = 1; i <= INCREMENTS; i++) {
        r->N = wanted * i / INCREMENTS;
        if ((st = settle(r, 0, err)))
            return st;
        section_fibres_commit(&r->fibres);
    }
    for (size_t i = 0; i <= (size_t)steps; i++) {
        const double k = copysign((double)i * r->o->step, r->o->curvature);

        if ((st = settle(r, k, err)) || (st = keep(r, k, err)))
            return st;
        section_fibres_commit(&r->fibres);
        const struct plane p = plane_of(r, r->eps, k, r->other);
        note_events(r, &p);
        if (ends(r, &p))
            return YK_OK;
    }
    snprintf(r->curve->end, sizeof r->curve->end, "the curvature is reached");
    return YK_OK;
}

static enum yk_status check(const struct yk_cross_bending *o, struct yk_err *err)
{
    if (!(o->step > 0) || !isfinite(o->curvature) || !(fabs(o->curvature) > 0))
        return yk_fail(err, YK_E_RANGE, "curvature and step must not be 0 (%g 1/m in steps of %g 1/m)", o->curvature,
                       o->step);
    if (!(fabs(o->curvature) / o->step <= MOST_STEPS))
        return yk_fail(err, YK_E_RANGE, "a curvature of %g 1/m in steps of %g 1/m: more than %d steps", o->curvature,
                       o->step, MOST_STEPS);
    if (!isfinite(o->N))
        return yk_fail(err, YK_E_RANGE, "the axial force is not a number");
    return YK_OK;
}

enum yk_status yk_cross_bend(const struct yk_cross_section *section, const struct yk_cross_bending *o,
                             struct yk_cross_curve *curve, struct yk_err *err)
{
    struct run r = {.section = section, .o = o, .curve = curve, .My_first = NAN, .k_first = NAN};
    enum yk_status st = check(o, err);

    *curve = (struct yk_cross_curve){.EI = NAN, .Mn = NAN, .yield = NAN, .ductility = NAN};
    if (st || (st = section_fibres_open(&r.fibres, section, err)))
        return st;
    r.reach = fmax(section->high[0] - section->low[0], section->high[1] - section->low[1]);
    st = follow(&r, err);
    section_fibres_close(&r.fibres);
    if (st) {
        yk_cross_curve_free(curve);
        return st;
    }
    curve->EI = r.My_first / r.k_first;
    curve->yield = r.k_first * (isnan(curve->Mn) ? 1 : curve->Mn / r.My_first);
    curve->ductility = fabs(curve->point[curve->count - 1].curvature / curve->yield);
    return YK_OK;
}

void yk_cross_curve_free(struct yk_cross_curve *curve)
{
    free(curve->point);
    curve->point = NULL;
    curve->count = 0;
}
