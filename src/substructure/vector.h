/* Vectors in space. */
#ifndef YOKE_VECTOR_H
#define YOKE_VECTOR_H

#include <yoke/status.h>

YK_RT static inline double yk_inner(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a x b; c is neither a nor b */
YK_RT static inline void yk_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
