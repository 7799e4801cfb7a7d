/* Analyses that drive the real step of a method: what they report is what a run will do. */
#ifndef YOKE_ANALYZE_H
#define YOKE_ANALYZE_H

#include <yoke/integrator.h>

/* Amplification matrix of one step without load: state[k+1] = A state[k], with the state of ops->state, all that one
 * step hands to the next. A: N*N doubles, column-major, N = yk_amplification_size. Linear systems only; for a nonlinear
 * one give a linear system with its tangents. The state, load and step count of the domain are left as they were. */
size_t yk_amplification_size(const struct yk_domain *domain);
enum yk_status yk_amplification_matrix(struct yk_domain *domain, double *A, struct yk_err *err);

/* Eigenvalues of the amplification matrix, N of them, sorted by falling modulus. */
enum yk_status yk_spectrum(struct yk_domain *domain, double *re, double *im, struct yk_err *err);

/* The largest step [s] up to which the method keeps one degree of freedom bounded: angular frequency omega > 0 [rad/s],
 * damping ratio xi >= 0, spectral radius at most 1 + 1e-7 (more than the rounding of a double root at 1). omega dt is
 * raised from 1e-3 until the radius leaves that bound, then the crossing is bisected to 1e-6. INFINITY when stable up
 * to omega dt = 1e3; 0 when unstable at the first value. */
enum yk_status yk_stability_limit(const struct yk_integrator_ops *ops, const void *settings, double omega, double xi,
                                  double *dt_limit, struct yk_err *err);

#endif
