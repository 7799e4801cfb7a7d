/* A side whose interface is driven: it follows a given interface acceleration, and the multiplier is the force needed
 * for that. docs/theory/integrators.md, eq. (34)-(36).
 *
 *     M a = p + G^T lambda,   G a = -d   =>   lambda = -H^-1 (d + G M^-1 p),   H = G M^-1 G^T
 *
 * To an integrator it is a system whose tangents are those of the side with the interface acceleration frozen, Q K and
 * Q C with Q = I - G^T H^-1 G M^-1. Where the mass is divided out, G^T means M(u)^-1 G^T throughout. */
#ifndef YOKE_DRIVEN_H
#define YOKE_DRIVEN_H

#include <yoke/coupling.h>

struct yk_driven {
    struct yk_system system; /* for the integrator: matrices and tangents; forces come through the coupling */
    struct yk_side *side;
    size_t rows;
    double t;             /* of the last evaluation */
    const double *lambda; /* of the last evaluation; the coupling's */
    struct yk_lu H;       /* factors */
    double *Hinv;         /* its inverse, where it does not change; else NULL */
    /* transposed, compact: P G_other with P = -G^T (G G^T)^-1, and I + P G */
    struct yk_matrix take, keep;
    double *q, *share; /* rows */
    double *load, *p;  /* n */
};

void yk_driven_layout(struct yk_driven *d, const struct yk_side *side, size_t rows, struct yk_arena *mem);
/* Refuses rows that the side does not take part in. `other` is what drives it. */
enum yk_status yk_driven_init(struct yk_driven *d, struct yk_side *side, const struct yk_side *other,
                              const double *lambda, struct yk_err *err);
void yk_driven_fini(struct yk_driven *d);
/* After every evaluation of the side, at time t: q and H. */
void yk_driven_take(struct yk_driven *d, double t) YK_RT;
/* lambda for the interface acceleration d of the other side (rows): G a = -d. */
void yk_driven_multiplier(struct yk_driven *d, const double *acceleration, double *lambda) YK_RT;
/* y = x with its interface moved to that of the other side in x_other, G y = -G_other x_other; other degrees of freedom
 * do not change. y must not be x. */
void yk_driven_follow(struct yk_driven *d, const double *x_other, const double *x, double *y) YK_RT;

#endif
