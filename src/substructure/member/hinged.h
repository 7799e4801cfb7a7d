/* Elastic beams between hinges. docs/theory/nonlinear-frames.md, section 5. */
#ifndef YOKE_HINGED_H
#define YOKE_HINGED_H

#include "substructure/member/member.h"

/* A rotational law at an end of an elastic beam. Neither `law` nor `yield`: there is no hinge. */
struct yk_hinge {
    const struct yk_law_ops *law;
    const void *settings; /* read for YK_ABOUT and prepared; copied (lists matter only while they are prepared) */
    /* Without a law: rigid before this moment [N m], after it the member bent in double curvature has `hardening` times
     * its elastic stiffness. */
    double yield, hardening;
};
enum yk_hinge_axis { YK_HINGE_RZ, YK_HINGE_RY };

/* An elastic beam between hinges[end][axis]; the hinges about y are of beams in space. Refused: laws whose force
 * depends on the rate, hinges that leave the beam without a unique state at rest. */
enum yk_status yk_hinged_basic(struct yk_basic *basic, const struct yk_beam *beam, struct yk_hinge hinges[2][2],
                               struct yk_err *err);

/* ---- looks, for recordings ---- */

/* Is there such a hinge? */
bool yk_hinged_basic_has(const struct yk_basic *basic, size_t end, enum yk_hinge_axis axis);
/* Its rotation (joint less end of the beam) and moment, as the memory has them. */
void yk_hinged_basic_look(const struct yk_basic *basic, const double *memory, size_t end, enum yk_hinge_axis axis,
                          double *rotation, double *moment) YK_RT;

#endif
