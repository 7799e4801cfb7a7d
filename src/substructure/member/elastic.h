/* Basic elements of elastic beams. docs/theory/nonlinear-frames.md, section 5. */
#ifndef YOKE_ELASTIC_H
#define YOKE_ELASTIC_H

#include "substructure/member/member.h"

/* An elastic beam with the section, theory and releases of `beam`, as a linear member has them. */
enum yk_status yk_elastic_basic(struct yk_basic *basic, const struct yk_beam *beam, struct yk_err *err);
/* The stiffness of that beam, q = k v: 3 x 3 in the plane, 6 x 6 in space. */
enum yk_status yk_elastic_stiffness(const struct yk_beam *beam, double *k, struct yk_err *err);

#endif
