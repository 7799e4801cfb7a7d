/* Points and weights of Gauss's rules on (0, 1). */
#ifndef YOKE_QUADRATURE_H
#define YOKE_QUADRATURE_H

#include <stddef.h>

enum yk_quadrature { YK_GAUSS_LEGENDRE, YK_GAUSS_LOBATTO };

/* n points at[] in rising order and their weights, whose sum is 1. Legendre: n >= 1, exact up to degree 2 n - 1;
 * Lobatto: n >= 2, both ends among the points, exact up to degree 2 n - 3. */
void yk_quadrature(enum yk_quadrature rule, size_t n, double *at, double *weight);

#endif
