/* Generalized-alpha for first-order systems on one side of a coupling, state Y = (u, v).
 * docs/theory/couplings-newmark.md, eq. (30)-(34). */
#ifndef YOKE_FIRST_ORDER_H
#define YOKE_FIRST_ORDER_H

#include <yoke/coupling.h>

/* State, its rate, and the rate the method works with: 2n doubles each, one piece of 6n that begins at Y. */
struct yk_rates {
    double *Y, *dY, *V;
};
void yk_rates_layout(struct yk_rates *r, size_t n, struct yk_arena *mem);

struct yk_first_order {
    struct yk_side *side;
    size_t n, rows;
    double h, am, af, g, be;     /* step and coefficients, eq. (31) */
    double of_rate, of_V, share; /* af/(1 - am), am/(1 - am), (1 - af)/(1 - am): no division in the loop */
    struct yk_factor *E;         /* M + be h C + (be h)^2 K, initial tangents */
};
/* rho: spectral radius of infinite frequencies, 0 (strongest damping) to 1 (trapezoidal rule). */
enum yk_status yk_first_order_init(struct yk_first_order *s, struct yk_side *side, size_t rows, double h, double rho,
                                   struct yk_arena *mem, struct yk_err *err);
void yk_first_order_fini(struct yk_first_order *s);
/* eq. (32): Y becomes the predictor and V the known part of the new rate. */
void yk_first_order_predict(const struct yk_first_order *s, struct yk_rates *x) YK_RT;
/* eq. (33): turns the force in the predictor plus the other forces on the side, passed in the rate of v, into that
 * rate. */
void yk_first_order_absorb(const struct yk_first_order *s, struct yk_rates *x) YK_RT;
/* The rest of the rates and the state from the rate of v. */
void yk_first_order_correct(const struct yk_first_order *s, struct yk_rates *x) YK_RT;
/* Both, without load and with the initial tangents: the linear response to a multiplier. */
void yk_first_order_respond(const struct yk_first_order *s, const double *known, struct yk_rates *x);

#endif
