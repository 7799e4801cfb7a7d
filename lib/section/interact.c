/* Axial force and moment at strain planes that touch a limit: the edge in compression at -ec, the outermost bar at +es.
 * From uniform -ec the plane turns about the edge until the bar is at +es, then about the bar until it is uniform.
 * Every fibre goes to its strain in one step from rest. */
#include "parts.h"

#include <math.h>

enum { HALVES = 200, BRANCH = (YK_CROSS_PAIRS - 1) / 2 };

struct planes {
    struct fibres fibres;
    struct yk_cross_limits limits;
    double edge, bar, kb; /* places across the axis of bending; curvature of the balanced plane */
};

static bool has_concrete(const struct yk_cross_section *s)
{
    for (size_t i = 0; i < s->patches; i++)
        if (s->material[s->patch[i].material].concrete)
            return true;
    return false;
}

static enum yk_status open_planes(struct planes *p, const struct yk_cross_section *s, struct yk_cross_limits limits,
                                  struct yk_err *err)
{
    const double c = cos(limits.angle), d = sin(limits.angle);
    const struct plane unit = {0, c, d}; /* strain -(y cos - z sin) */
    double least, most;

    p->limits = limits;
    if (isnan(limits.ec))
        p->limits.ec = has_concrete(s) ? 0.0035 : 0.02;
    if (isnan(limits.es))
        p->limits.es = 0.02;
    if (!(p->limits.ec > 0 && p->limits.es > 0))
        return yk_fail(err, YK_E_RANGE, "ec = %g and es = %g must be above 0", p->limits.ec, p->limits.es);
    section_outline_strains(s, &unit, &least, &most);
    p->edge = -least;
    p->bar = s->bars ? INFINITY : -most;
    for (size_t i = 0; i < s->bars; i++)
        p->bar = fmin(p->bar, s->bar[i].y * c - s->bar[i].z * d);
    p->kb = (p->limits.es + p->limits.ec) / (p->edge - p->bar);
    if (!(p->edge > p->bar))
        return yk_fail(err, YK_E_INPUT, "the section has no depth across the axis of bending");
    return section_fibres_open(&p->fibres, s, err);
}

/* t from 0, uniform compression, through 1, balanced, to 2, uniform tension. */
static struct yk_cross_pair at(struct planes *p, double t)
{
    const double k = (t <= 1 ? t : 2 - t) * p->kb;
    const double eps = t <= 1 ? -p->limits.ec + k * p->edge : p->limits.es + k * p->bar;
    const double c = cos(p->limits.angle), d = sin(p->limits.angle);
    const struct plane plane = {eps, k * c, k * d};
    struct forces f;

    section_fibres_rest(&p->fibres);
    section_fibres_at(&p->fibres, &plane, &f);
    return (struct yk_cross_pair){
        .N = f.N, .M = f.Mz * c + f.My * d, .M_other = -f.Mz * d + f.My * c, .strain = eps, .curvature = k};
}

enum yk_status yk_cross_interact(const struct yk_cross_section *section, struct yk_cross_limits limits,
                                 struct yk_cross_interaction *found, struct yk_err *err)
{
    struct planes p;
    const enum yk_status st = open_planes(&p, section, limits, err);

    if (st)
        return st;
    for (int i = 0; i < YK_CROSS_PAIRS; i++) { /* denser near the balanced plane */
        const double x = i <= BRANCH ? 1 - (double)i / BRANCH : (double)i / BRANCH - 1;

        found->pair[i] = at(&p, i <= BRANCH ? 1 - pow(x, 1.5) : 1 + pow(x, 1.5));
    }
    found->balanced_N = found->pair[BRANCH].N;
    found->balanced_M = found->pair[BRANCH].M;
    section_fibres_close(&p.fibres);
    return YK_OK;
}

enum yk_status yk_cross_moment(const struct yk_cross_section *section, struct yk_cross_limits limits, double N,
                               struct yk_cross_pair *pair, struct yk_err *err)
{
    double low = 0, high = 2;
    struct planes p;
    enum yk_status st = open_planes(&p, section, limits, err);

    if (st)
        return st;
    const double least = at(&p, 0).N, most = at(&p, 2).N;
    if (!(N >= least && N <= most))
        st = yk_fail(err, YK_E_RANGE, "an axial force of %g N is outside the range of the section, %.9g to %.9g N", N,
                     least, most);
    for (int i = 0; i < HALVES && !st; i++) {
        const double middle = (low + high) / 2;

        *pair = at(&p, middle);
        *(pair->N > N ? &high : &low) = middle;
    }
    section_fibres_close(&p.fibres);
    return st;
}

/* ---- fully plastic ---- */

/* Part of the section beyond y = at, times its yield stress: force and moment of what is above, less what is below. */
static void plastic(const struct yk_cross_section *s, double at_y, double *N, double *M)
{
    *N = *M = 0;
    for (size_t i = 0; i < s->patches; i++) {
        const struct yk_cross_patch *q = &s->patch[i];
        const double fy = s->material[q->material].fy;

        if (q->kind == YK_CROSS_POLYGON && q->rectangle) {
            const double y0 = fmin(q->corners[0][0], q->corners[1][0]), y1 = fmax(q->corners[0][0], q->corners[1][0]);
            const double b = fabs(q->corners[2][1] - q->corners[1][1]), y = fmin(fmax(at_y, y0), y1);

            *N += fy * b * ((y - y0) - (y1 - y));
            *M += fy * b * ((y1 * y1 - y * y) - (y * y - y0 * y0)) / 2;
        }
    }
    const struct yk_fibre_summary *sum = yk_fibre_section_summary(s->fibres);
    for (size_t i = 0, other = 0; i < sum->given; i++) { /* the other fibres as points */
        const struct yk_fibre f = yk_fibre_section_given(s->fibres, i, &other);
        bool inside = false;

        for (size_t k = 0; k < s->patches && !inside; k++) {
            const struct yk_cross_patch *q = &s->patch[k];

            inside = q->rectangle && q->material == f.material &&
                     (f.y - q->corners[0][0]) * (f.y - q->corners[1][0]) < 0 &&
                     (f.z - q->corners[1][1]) * (f.z - q->corners[2][1]) < 0;
        }
        if (!inside) {
            const double force = s->material[f.material].fy * f.area * (f.y > at_y ? -1 : 1);

            *N += force;
            *M -= force * f.y;
        }
    }
}

enum yk_status yk_cross_plastic(const struct yk_cross_section *s, double wanted, double *M, struct yk_err *err)
{
    double low = s->low[0], high = s->high[0], N;

    for (size_t i = 0; i < s->materials; i++)
        if (s->material[i].concrete || !isfinite(s->material[i].fy))
            return yk_fail(err, YK_E_UNSUPPORTED,
                           "material %s (%s) has no yield stress: the section has no fully plastic "
                           "moment",
                           s->material[i].name, s->material[i].law);
    plastic(s, high, &N, M);
    if (!(fabs(wanted) <= N * (1 + 1e-12)))
        return yk_fail(err, YK_E_RANGE, "an axial force of %g N is beyond the plastic one, %.9g N", wanted, N);
    for (int i = 0; i < HALVES; i++) {
        const double middle = (low + high) / 2;

        plastic(s, middle, &N, M);
        *(N > wanted ? &high : &low) = middle;
    }
    return YK_OK;
}
