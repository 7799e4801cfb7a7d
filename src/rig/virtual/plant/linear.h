/* Linear models of plants near rest, as polynomials in s with the lowest power first. */
#ifndef YOKE_PLANT_LINEAR_H
#define YOKE_PLANT_LINEAR_H

#include <stdbool.h>

enum { YK_LINEAR_DEGREE = 7 };

/* to += p q; the degrees of p and q. */
void yk_linear_multiply(const double *p, int m, const double *q, int n, double *to);
/* Are all roots on the left? By the array of Routh; degree at most YK_LINEAR_DEGREE. */
bool yk_linear_is_stable(const double *p, int degree);
/* Delay of slow motions through p/q [s]. */
double yk_linear_delay(const double *p, const double *q);
/* Frequency at which |p/q| has fallen by 3 dB for the first time [Hz]. */
double yk_linear_bandwidth(const double *p, int m, const double *q, int n);

#endif
