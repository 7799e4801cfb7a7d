/* Members in their places: what a structure is made of beside matrices and elements. */
#ifndef YOKE_PLACED_H
#define YOKE_PLACED_H

#include "substructure/member/member.h"

#include <yoke/substructure.h>

/* A member whose ends move by u_ends = T u[dof]: supports have no column in T, rigid links more than one entry in it.
 * docs/theory/nonlinear-frames.md, eq. (40) */
struct yk_structure_member {
    struct yk_member member; /* owned */
    char *name;              /* owned; for channels and messages */
    size_t n;                /* degrees of freedom of the structure that move its ends, each once */
    size_t *dof;             /* owned, n */
    double *T;               /* owned, 12 x n, column-major: rows as u of yk_member_state */
};
void yk_structure_member_free(struct yk_structure_member *member);

/* K of the parts plus the stiffness of their members at rest and without axial force: what damping is made of.
 * Elements are left out. */
enum yk_status yk_structure_stiffness(const struct yk_structure_parts *parts, struct yk_matrix *K, struct yk_err *err);

/* The member that keeps the smallest part of its stiffness under permanent loads, structure at rest. NULL: there are no
 * members. */
const char *yk_structure_softest(const struct yk_system *structure, double *part);

#endif
