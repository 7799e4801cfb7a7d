/* Shared parts of the two kinds of systems with an FMU. */
#ifndef YOKE_SUBSTRUCTURE_FMU_PARTS_H
#define YOKE_SUBSTRUCTURE_FMU_PARTS_H

#include "substructure/fmu.h"

/* Forces and motion of the last account. */
struct yk_fmu_balance {
    double *r; /* force that resists, of the last evaluation */
    double *last_f, *last_u, *last_r, *work;
};
void yk_fmu_balance_layout(struct yk_fmu_balance *b, size_t n, struct yk_arena *mem);
/* The energy stored in an FMU is unknown: the work done on it counts as dissipated. */
void yk_fmu_account(const struct yk_system *system, struct yk_fmu_balance *b, const double *f, const double *u,
                    const double *v, struct yk_energy *energy) YK_RT;
/* The symmetric part of a matrix that is symmetric but for the errors of differences; n x n, `rows` apart. */
void yk_fmu_symmetrize(size_t n, size_t rows, double *A);

#endif
