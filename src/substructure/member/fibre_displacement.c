/* Displacement-based element with fibres. docs/theory/nonlinear-frames.md, eq. (9) to (11).
 *
 * Axial strain is constant and curvature linear along the element; forces are the integral of B^T s, the tangent that
 * of B^T ks B. One state of the sections per call, no iteration. A truss is the same with one point and without
 * curvature. Units: N, m, rad. Memory: strains and forces of the sections, for looks; then the fibres. */
#include "substructure/member/fibre_basic.h"

YK_RT static size_t memory(const void *self)
{
    const struct yk_fibre_basic *b = self;

    return yk_fibre_basic_memory(b) + yk_fibre_section_memory(b->section, b->points);
}

static void rest(const void *self, double *memory)
{
    const struct yk_fibre_basic *b = self;

    yk_fibre_basic_rest(b, memory);
    yk_fibre_section_rest(b->section, b->points, memory + yk_fibre_basic_memory(b));
}

YK_RT static bool state(const void *self, const double *committed, const double *v, double h, double *trial, double *q,
                        double *k, double *scratch)
{
    const struct yk_fibre_basic *b = self;
    const size_t own = yk_fibre_basic_memory(b);
    double e[3][YK_POINTS], s[3][YK_POINTS], ks[6][YK_POINTS], K[YK_MOST_FORCES][YK_MOST_FORCES];

    yk_fibre_basic_spread(b, v, e);
    yk_fibre_section_state(b->section, b->points, committed + own, e, h, trial + own, s, k ? ks : NULL, scratch);
    yk_fibre_basic_store(b, trial, e, s);
    yk_fibre_basic_gather(b, s, q);
    if (k)
        yk_fibre_basic_matrix(b, ks, K);
    yk_fibre_basic_finish(b, K, v, q, k);
    return true;
}

const struct yk_basic_ops yk_fibre_displacement_ops = {
    .memory = memory,
    .scratch = yk_fibre_basic_scratch,
    .rest = rest,
    .state = state,
    .destroy = yk_fibre_basic_destroy,
    .section = yk_fibre_basic_section,
};
