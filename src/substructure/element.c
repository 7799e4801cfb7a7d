/* Contribution of an element to the tangents. docs/theory/test-rigs.md, eq. (22). Units: N, m, s. */
#include "substructure/element.h"

bool yk_element_is_linear(const struct yk_element *e)
{
    bool linear = e->law->linear && e->from >= -1 && e->to >= -1;

    for (size_t i = 0; i < e->lever_count; i++)
        linear &= !e->levers[i].exact;
    return linear;
}

YK_RT static void touch(struct yk_element_patch *p, double *B, size_t dof, double slope_there)
{
    B[p->n] = slope_there;
    p->dof[p->n++] = dof;
}

/* K_ij = B_i (k B_j + c dw/du_j) + f dB_i/du_j,  C_ij = c B_i B_j,  B = dd/du */
YK_RT void yk_element_patch_take(const struct yk_element *e, const double *committed, double *trial, const double *u,
                                 const double *v, double h, struct yk_element_patch *p)
{
    const double d = yk_element_extension(e, u), w = yk_element_rate(e, u, v);
    double B[YK_TOUCHED], k = 0, c = 0;

    p->n = 0;
    e->law->tangent(e->settings, committed, d, w, h, &k, &c);
    if (e->to >= 0)
        touch(p, B, (size_t)e->to, 1);
    if (e->from >= 0)
        touch(p, B, (size_t)e->from, -1);
    for (size_t i = 0; i < e->lever_count; i++)
        touch(p, B, e->levers[i].dof, yk_lever_slope(&e->levers[i], u));
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++) {
            p->K[i][j] = k * B[i] * B[j];
            p->C[i][j] = c * B[i] * B[j];
        }
    for (size_t j = p->n - e->lever_count; j < p->n; j++) {
        const struct yk_lever *l = &e->levers[j - (p->n - e->lever_count)];
        const double bend = l->exact ? -l->arm * sin(u[l->dof]) : 0; /* dB/du */

        if (bend == 0)
            continue;
        for (size_t i = 0; i < p->n; i++)
            p->K[i][j] += c * B[i] * bend * v[l->dof];
        p->K[j][j] += bend * e->law->force(e->settings, committed, d, w, h, trial);
    }
}

size_t yk_element_touched(const struct yk_element *e, size_t *dof)
{
    size_t n = 0;

    if (e->to >= 0)
        dof[n++] = (size_t)e->to;
    if (e->from >= 0)
        dof[n++] = (size_t)e->from;
    for (size_t i = 0; i < e->lever_count; i++)
        dof[n++] = e->levers[i].dof;
    return n;
}
