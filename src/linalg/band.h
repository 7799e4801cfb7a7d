/* A = L D L^T of a symmetric matrix with a narrow band, such as that of a chain. The analysis is constant, the numbers
 * are in memory of the caller, as in linalg/supernodal.h. Nothing is pivoted. */
#ifndef YOKE_LINALG_BAND_H
#define YOKE_LINALG_BAND_H

#include "linalg/supernodal.h"

struct yk_band {
    size_t n, half;         /* order; entries on either side of the diagonal */
    int *P;                 /* row and column P[k] of A comes k-th; NULL: the original order */
    size_t entries, *place; /* of each entry of the pattern in the band; SIZE_MAX: above the diagonal */
    size_t numbers, work;   /* doubles */
};

/* A: sparse, square, with the pattern of a symmetric matrix; its values are not read. The order is that of A or the
 * reverse Cuthill-McKee order, whichever makes the narrower band. */
enum yk_status yk_band_create(struct yk_band **created, const struct yk_matrix *A, struct yk_err *err);
void yk_band_destroy(struct yk_band *s);
/* As yk_supernodal_factor and yk_supernodal_solve. */
enum yk_status yk_band_factor(const struct yk_band *s, const double *x, double *numbers,
                              struct yk_pivots *pivots) YK_RT;
void yk_band_solve(const struct yk_band *s, const double *numbers, double *work, double *b) YK_RT;

#endif
