/* The vector loop that all couplings share. */
#ifndef YOKE_COMBINE_H
#define YOKE_COMBINE_H

#include <yoke/coupling.h>

/* z = x + a y, all of length n */
static inline void yk_combine(size_t n, const double *x, double a, const double *y, double *z)
{
    for (size_t i = 0; i < n; i++)
        z[i] = x[i] + a * y[i];
}

#endif
