/* All undamped modes of a model, accurate enough to step in: K X = M X diag(w2), X^T M X = I. */
#ifndef YOKE_LINALG_MODES_H
#define YOKE_LINALG_MODES_H

#include <yoke/linalg.h>

/* w2: n values, increasing; X: n*n, a mode in each column. docs/theory/modal.md, eq. (1), (7), (8) */
enum yk_status yk_modes(const struct yk_matrix *K, const struct yk_matrix *M, double *w2, double *X,
                        struct yk_err *err);
/* S = X^T A X, n*n; A X is summed in extended precision, since the terms of a low mode cancel. Entries below the
 * diagonal are the accurate ones. */
enum yk_status yk_congruence(const struct yk_matrix *A, const double *X, double *S, struct yk_err *err);
/* B = X^T A, A of any form with n rows: n x A->cols, dense. */
enum yk_status yk_project(const double *X, const struct yk_matrix *A, struct yk_matrix *B, struct yk_err *err);

#endif
