/* M a = f - C v - K u - k3 u^3 (every degree of freedom by itself): a small smooth system for tests. With k3 = 0 it is
 * linear, and may still be declared nonlinear to send an integrator down its nonlinear path. Matrices are used in the
 * form they come in and are not checked. */
#ifndef YOKE_TEST_DUFFING_H
#define YOKE_TEST_DUFFING_H

#include <yoke/system.h>

/* Takes over the matrices; copies u0 and v0 (NULL: zero). Freed by yk_system_destroy. */
struct yk_system *duffing_create(struct yk_matrix M, struct yk_matrix C, struct yk_matrix K, double k3, bool linear,
                                 const double *u0, const double *v0);

#endif
