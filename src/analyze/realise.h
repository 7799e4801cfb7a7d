/* A linear process from its answers: the matrix that advances it, without looking inside.
 *
 * Samples Y_k = C A^k B of a process with unknown A tell it in coordinates of their own (Ho and Kalman 1966; Juang and
 * Pappa 1985):
 *
 *     H0 = [Y_{i+j}] = U S V^T,   H1 = [Y_{i+j+1}],   A ~ S^-1/2 U^T H1 V S^-1/2
 *
 * for the part of it that the inputs reach and the outputs show. docs/theory/delay.md, eq. (38). */
#ifndef YOKE_REALISE_H
#define YOKE_REALISE_H

#include <yoke/status.h>

#include <stdbool.h>
#include <stddef.h>

/* 2*half samples, each size*size, column-major: column j answers input j. */
struct yk_samples {
    size_t size, half;
    const double *Y;
};
/* Largest modulus of the eigenvalues of A but 1, which belong to states that stay: floating parts, gaps of an interface
 * that is closed in its velocities. *complete: the samples hold no motion beyond those of A. */
enum yk_status yk_realise_radius(const struct yk_samples *samples, double *radius, bool *complete, struct yk_err *err);

#endif
