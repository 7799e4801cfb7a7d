/* An elastic beam as a basic element: q = k v, nothing to remember. docs/theory/nonlinear-frames.md, eq. (18).
 *
 * k is the part of the beam's stiffness (docs/theory/frames.md, eq. (2), (6), (8)) that belongs to v: with both ends
 * held, the elongation is the displacement of the second end, and rotations from the chord are rotations. Theories and
 * releases are thus those of linear members. Units: N, m, rad. */
#include "substructure/member/elastic.h"

#include <stdlib.h>

struct elastic {
    size_t m;
    double k[YK_BASIC_SPACE * YK_BASIC_SPACE];
};

enum yk_status yk_elastic_stiffness(const struct yk_beam *beam, double *k, struct yk_err *err)
{
    /* of the twelve: x of the second end, rz of both, ry of both, rx of the second */
    static const size_t dof[YK_BASIC_SPACE] = {6, 5, 11, 4, 10, 9};
    const size_t m = beam->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE;
    double K[YK_MEMBER_DOFS * YK_MEMBER_DOFS], axes[3][3];
    struct yk_beam level = *beam; /* along x, so that its axes are those of the frame */
    double L;
    enum yk_status st;

    if ((st = yk_beam_axes(beam, &L, axes, err)))
        return st;
    for (int i = 0; i < 3; i++) {
        level.ends[0][i] = 0;
        level.ends[1][i] = i == 0 ? L : 0;
        level.up[i] = i == 2 ? 1 : 0;
    }
    if ((st = yk_beam_matrices(&level, K, NULL, err)))
        return st;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++)
            k[i + j * m] = K[dof[i] + dof[j] * YK_MEMBER_DOFS];
    return YK_OK;
}

YK_RT static size_t none(const void *self)
{
    return 0;
}

static void rest(const void *self, double *memory)
{
}

YK_RT static bool state(const void *self, const double *committed, const double *v, double h, double *trial, double *q,
                        double *k, double *scratch)
{
    const struct elastic *s = self;

    for (size_t i = 0; i < s->m; i++) {
        q[i] = 0;
        for (size_t j = 0; j < s->m; j++)
            q[i] += s->k[i + j * s->m] * v[j];
    }
    for (size_t i = 0; k && i < s->m * s->m; i++)
        k[i] = s->k[i];
    return true;
}

static const struct yk_basic_ops ops = {
    .memory = none,
    .scratch = none,
    .rest = rest,
    .state = state,
    .destroy = free,
};

enum yk_status yk_elastic_basic(struct yk_basic *basic, const struct yk_beam *beam, struct yk_err *err)
{
    struct elastic *s = calloc(1, sizeof *s);
    enum yk_status st;

    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a member");
    s->m = beam->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE;
    if ((st = yk_elastic_stiffness(beam, s->k, err))) {
        free(s);
        return st;
    }
    *basic = (struct yk_basic){&ops, s};
    return YK_OK;
}
