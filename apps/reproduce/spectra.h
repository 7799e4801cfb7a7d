/* Eigenvalues of a variant's method, for quantities and curves. */
#ifndef YOKE_SPECTRA_H
#define YOKE_SPECTRA_H

#include "lab.h"

/* Eigenvalues of one cycle at one step, by falling modulus; `report` says what they are. */
struct yk_roots {
    size_t n;
    double *re, *im;     /* re is malloc'd, im lies behind it */
    size_t unit_vectors; /* independent eigenvectors of the eigenvalue 1 */
    struct yk_root_report report;
};
/* dt = 0: the experiment's step. */
enum yk_status yk_roots_find(const struct yk_parts *parts, double dt, struct yk_roots *roots, struct yk_err *err);
/* Spectral radius; defective unit roots count as 1. */
enum yk_status yk_radius_find(const struct yk_parts *parts, double dt, double *radius, struct yk_err *err);

#endif
