/* A = L D L^T by MUMPS (multifrontal), where the build has it. Private to src/linalg. */
#ifndef YOKE_LINALG_MUMPS_H
#define YOKE_LINALG_MUMPS_H

#include <yoke/linalg.h>

struct yk_mumps;
bool yk_mumps_built_in(void);
/* *negative: pivots below zero. A is symmetric and sparse. */
enum yk_status yk_mumps_create(struct yk_mumps **created, const struct yk_matrix *A, size_t *negative,
                               struct yk_err *err);
void yk_mumps_destroy(struct yk_mumps *m);
enum yk_status yk_mumps_solve(struct yk_mumps *m, size_t cols, double *x); /* x := A^-1 x, n*cols */

#endif
