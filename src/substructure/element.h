/* An element between degrees of freedom: extension, rate, and what it adds to forces and tangents.
 * docs/theory/test-rigs.md, eq. (20)-(22). Units: N, m, s. */
#ifndef YOKE_ELEMENT_H
#define YOKE_ELEMENT_H

#include <yoke/substructure.h>

#include <math.h>

YK_RT static inline double yk_element_extension(const struct yk_element *e, const double *u)
{
    double d = (e->to >= 0 ? u[e->to] : 0) - (e->from >= 0 ? u[e->from] : 0) + e->shift;

    for (size_t i = 0; i < e->lever_count; i++) {
        const struct yk_lever *l = &e->levers[i];

        d += l->arm * (l->exact ? sin(u[l->dof]) : u[l->dof]);
    }
    return d;
}

/* dd/du of a lever */
YK_RT static inline double yk_lever_slope(const struct yk_lever *l, const double *u)
{
    return l->exact ? l->arm * cos(u[l->dof]) : l->arm;
}

YK_RT static inline double yk_element_rate(const struct yk_element *e, const double *u, const double *v)
{
    double w = (e->to >= 0 ? v[e->to] : 0) - (e->from >= 0 ? v[e->from] : 0) + e->shift_rate;

    for (size_t i = 0; i < e->lever_count; i++)
        w += yk_lever_slope(&e->levers[i], u) * v[e->levers[i].dof];
    return w;
}

/* adds `value` along the element: + at its second end, - at its first, by their slopes at its levers */
YK_RT static inline void yk_element_scatter(const struct yk_element *e, const double *u, double value, double *p)
{
    if (e->to >= 0)
        p[e->to] += value;
    if (e->from >= 0)
        p[e->from] -= value;
    for (size_t i = 0; i < e->lever_count; i++)
        p[e->levers[i].dof] += value * yk_lever_slope(&e->levers[i], u);
}

/* Contribution of one element to K and C on the degrees of freedom it touches: eq. (22). */
enum { YK_TOUCHED = 2 + YK_LEVERS };
struct yk_element_patch {
    size_t n, dof[YK_TOUCHED];
    double K[YK_TOUCHED][YK_TOUCHED], C[YK_TOUCHED][YK_TOUCHED];
};

void yk_element_patch_take(const struct yk_element *element, const double *committed, double *trial, const double *u,
                           const double *v, double h, struct yk_element_patch *patch) YK_RT;
/* The degrees of freedom that an element touches, in the order of its patch. */
size_t yk_element_touched(const struct yk_element *element, size_t *dof);

#endif
