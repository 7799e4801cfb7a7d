/* The Rosenbrock stages of one side, docs/theory/couplings.md, eq. (5)-(8).
 *
 *     k1 = h W [F(y, t) + B lambda],   k2 = h W [F(ym, tm) + B lambda - (gamma/b2) J k1],   W = (I - gamma h J)^-1
 *
 * as one n x n solve with D = M + gamma h C + (gamma h)^2 K (integrators, eq. 19). States y = (u, v) are 2n doubles. */
#ifndef YOKE_SIDE_STAGES_H
#define YOKE_SIDE_STAGES_H

#include "coupling/combine.h"
#include "integrator/tangent.h"

struct yk_side_stages {
    struct yk_side *side;
    size_t n, rows;
    double h, gamma, b2;
    bool modified; /* Jacobian with the interface held together: K, C replaced by Q K, Q C, Q = I - G^T H^-1 G M^-1 */
    bool refresh;  /* nonlinear side: tangents of every step */
    struct yk_matrix K, C; /* what the Jacobian is made of; dense copies where they are modified or refreshed */
    struct yk_matrix E;    /* in modes, modified: Q times the columns whose tangents change ... */
    double *columns;       /* ... and those between which Q K and Q C differ from diagonals */
    struct yk_factor *D;
    struct yk_tangent tangent; /* refreshed */
    const struct yk_coupled *c;
    double *su, *sv, *rhs, *share;
};

/* The memory of the stages; yk_side_stages_init sets `h`, `gamma`, `b2`, `modified`. */
void yk_side_stages_layout(struct yk_side_stages *b, const struct yk_side *side, size_t rows, struct yk_arena *mem);
enum yk_status yk_side_stages_init(struct yk_side_stages *b, struct yk_side *side, const struct yk_coupled *c, double h,
                                   double gamma, double b2, bool modified, struct yk_arena *mem, struct yk_err *err);
void yk_side_stages_fini(struct yk_side_stages *b);
/* Nonlinear sides: the Jacobian in the state y, under the time and load of the side's last evaluation. Else nothing. */
void yk_side_stages_refresh(struct yk_side_stages *b, const double *y) YK_RT;
/* Slopes from the net force p in state y, with the multiplier; psi (rows, or NULL) adds M^-1 G^T psi to the rate of u
 * (dual multipliers). k1 NULL: first stage. */
void yk_side_stages_slope(struct yk_side_stages *b, const double *y, const double *p, const double *lambda,
                          const double *psi, const double *k1, double *k) YK_RT;
/* p -= K du + C dv with the Jacobian of the stages: the net force at a small distance dy = (du, dv), at the same
 * time. */
void yk_side_stages_predict(struct yk_side_stages *b, const double *dy, double *p) YK_RT;

#endif
