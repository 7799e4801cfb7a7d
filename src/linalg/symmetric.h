/* A = L D L^T of a symmetric sparse matrix, in a band or in supernodes, whichever solves faster. */
#ifndef YOKE_LINALG_SYMMETRIC_H
#define YOKE_LINALG_SYMMETRIC_H

#include "linalg/band.h"
#include "linalg/supernodal.h"

/* Constant. The numbers and the room for work are the caller's. */
struct yk_symmetric {
    struct yk_band *band; /* one of the two */
    struct yk_supernodal *supernodal;
    size_t numbers, factor_work, solve_work, iwork; /* doubles; ints */
    double factor_s, solve_s;                       /* their approximate times */
};

/* path: banded, sparse, or the faster of both for `solves` solutions with each factor (0: it is factored only once). */
enum yk_status yk_symmetric_create(struct yk_symmetric *s, const struct yk_matrix *A, enum yk_solve_path path,
                                   size_t solves, struct yk_err *err);
void yk_symmetric_fini(struct yk_symmetric *s);
enum yk_status yk_symmetric_factor(const struct yk_symmetric *s, const double *x, double *numbers, double *work,
                                   int *iwork, struct yk_pivots *pivots) YK_RT;
void yk_symmetric_solve(const struct yk_symmetric *s, const double *numbers, double *work, double *b) YK_RT;

#endif
