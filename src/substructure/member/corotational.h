/* Members in space whose chord and ends turn as far as they like. docs/theory/nonlinear-frames.md, eq. (29)-(37). */
#ifndef YOKE_COROTATIONAL_H
#define YOKE_COROTATIONAL_H

#include "substructure/member/member.h"

enum { YK_TURNED_MEMORY = 14 }; /* of both ends: the quaternion, and the sum of rotations that led to it */

/* How a member has turned, and the rates of its deformations. */
struct yk_turned {
    double v[YK_BASIC_SPACE], B[YK_BASIC_SPACE][YK_MEMBER_DOFS]; /* B = dv/du */
    double axes[3][3], length;                                   /* of the present chord */
    double local[2][3];                                          /* rotations of the ends in these axes */
    double H[2][3][3];                                           /* their rates by those of turning */
    double turns[2][3][YK_MEMBER_DOFS];                          /* their rates by u */
    double spin[3][YK_MEMBER_DOFS];                              /* G: turning of the axes by u */
    double axial[YK_MEMBER_DOFS];                                /* turning about the chord by u */
};

void yk_turned_rest(double *memory);
void yk_turned_find(const struct yk_member *member, const double *committed, const double *u, double *trial,
                    struct yk_turned *turned) YK_RT;
/* K (12 x 12) += symmetric part of dB^T/du q */
void yk_turned_stiffness(const struct yk_turned *turned, const double *q, double *K) YK_RT;

#endif
