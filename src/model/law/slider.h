/* A spring in parallel with a spring on a slider: the laws `bilinear` and `elastoplastic`. docs/theory/laws.md, eq.
 * (10), (16).
 *
 * f = a k d + (1 - a) k z; the elastic slip z follows d and is held between `low` and `high`. On a monotone path this
 * is a clip, so the update is exact for any step. State: extension, z. */
#ifndef YOKE_SLIDER_H
#define YOKE_SLIDER_H

#include <yoke/law.h>

/* Stands first in the settings of such a law. */
struct yk_slider {
    double stiffness, hardening, low, high;
};
enum { YK_SLIDER_COUNT = 2 };

double yk_slider_force(const void *settings, const double *committed, double d, double w, double h,
                       double *trial) YK_RT;
void yk_slider_tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                       double *c) YK_RT;
void yk_slider_forces(const void *settings, size_t n, const double *committed, const double *d, double h, double *trial,
                      double *f, double *k) YK_RT;

#endif
