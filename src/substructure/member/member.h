/* Members of a frame that yield, crack or turn far: forces at their two ends by the displacements of these ends.
 *
 * A member is two things, one inside the other. Its *basic element* knows deformations without rigid motion (v) and the
 * forces that belong to them (q): fibres along the length, or an elastic beam between hinges. Its *geometry* tells v
 * from the displacements of the ends, and their forces from q: linear, with P-Delta, or corotational.
 *
 * Both are constant; what changes is memory that the caller holds. A state is found from the committed memory alone and
 * written to the trial one, so that the same question has the same answer, and a rollback is another question.
 * docs/theory/nonlinear-frames.md. Units: N, m, rad. */
#ifndef YOKE_MEMBER_H
#define YOKE_MEMBER_H

#include <yoke/frame.h>

#include <yoke/law.h>

/* Deformations and forces of a basic element, in this order: elongation; rotations about z at the first and the second
 * end, measured from the chord; in space also those about y, and the twist. q: axial force, moments, torque. */
enum { YK_BASIC_PLANE = 3, YK_BASIC_SPACE = 6, YK_MEMBER_DOFS = 12 };

struct yk_fibre_section;
struct yk_basic_ops {
    size_t (*memory)(const void *self) YK_RT; /* doubles that are remembered */
    size_t (*scratch)(const void *self);      /* doubles that `state` works with; they carry nothing */
    void (*rest)(const void *self, double *memory);
    /* Force q, and unless k is NULL the tangent k = dq/dv (m x m, symmetric), at the deformation v reached from
     * `committed` within the time h. False: an iteration came to its bound; q is the best it has found. */
    bool (*state)(const void *self, const double *committed, const double *v, double h, double *trial, double *q,
                  double *k, double *scratch) YK_RT;
    void (*destroy)(void *self);

    /* Looks, for recordings; NULL where there is no such thing. The section along an element with fibres, and the
     * number of its points; is there a hinge at this end, about this axis (enum yk_hinge_axis)? */
    const struct yk_fibre_section *(*section)(const void *self, size_t *points);
    bool (*hinge)(const void *self, size_t end, size_t axis);
};

struct yk_basic {
    const struct yk_basic_ops *ops;
    void *self; /* on the heap, constant once it is made */
};

struct yk_member {
    struct yk_basic basic; /* owned */
    enum yk_geometry geometry;
    bool plane;
    bool bowing;       /* adds the stiffness of the axial force between the ends */
    double L;          /* length at rest */
    double axes[3][3]; /* rows: x, y, z of the member at rest, in the axes of the frame */
};

/* Everything but the basic element, which the caller makes next: it needs the length. Ends, `up` and `plane` are those
 * of the beam. Refused: what has no axes, and geometries that do not go together. */
enum yk_status yk_member_init(struct yk_member *member, const struct yk_beam *beam, enum yk_geometry geometry,
                              bool bowing, struct yk_err *err);
/* The memory begins with the last q and v, 3 numbers each in the plane and 6 in space. */
size_t yk_member_memory(const struct yk_member *member);
const double *yk_member_basic_memory(const struct yk_member *member, const double *memory) YK_RT; /* within it */
size_t yk_member_scratch(const struct yk_member *member);
void yk_member_rest(const struct yk_member *member, double *memory);
/* Forces f on the ends, and unless K is NULL their tangents (12 x 12, column-major), at displacements u of the ends: x
 * y z rx ry rz of the first, then of the second, in the axes of the frame. In the plane only x, y and rz count, and the
 * others of f and K are 0. False: as that of the basic element. */
bool yk_member_state(const struct yk_member *member, const double *committed, const double *u, double h, double *trial,
                     double *f, double *K, double *scratch) YK_RT;
void yk_member_fini(struct yk_member *member);

#endif
