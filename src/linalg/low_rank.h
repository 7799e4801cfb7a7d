/* Solutions with A + F S E^T from a kept factor of A, where few rows and columns E change; F is E, or what a method
 * makes of it.
 *
 *     x = y - Z (I + S W)^-1 S E^T y,   A y = b,   Z = A^-1 F,   W = E^T Z
 *
 * Sherman, Morrison and Woodbury; Golub and Van Loan, Matrix Computations, section 2.1.4. S is not symmetric where the
 * change is not. */
#ifndef YOKE_LINALG_LOW_RANK_H
#define YOKE_LINALG_LOW_RANK_H

#include <yoke/linalg.h>

struct yk_low_rank {
    /* constant */
    size_t n, rank, count;
    const struct yk_matrix *E; /* dense, n x rank; NULL: columns of the identity */
    size_t *dof;               /* rank: which of these, the rows and columns that change */
    size_t *entry;             /* count: entries of the pattern that change */
    size_t *row, *col;         /* count: where these are in S */
    double *Z, *W;             /* n x rank, rank x rank */
    /* of a state */
    struct yk_factor *factor; /* of A; stays the caller's */
    double *change;           /* count: what was added to the entries; filled by the caller */
    double *small, *seen;     /* rank; E^T y */
    struct yk_lu lu;          /* I + S W */
};

/* How many rows and columns of a pattern change, and how many entries. */
size_t yk_low_rank_of(const struct yk_pattern *pattern, size_t *count);
/* Takes memory for the state from `mem`. */
enum yk_status yk_low_rank_init(struct yk_low_rank *l, const struct yk_pattern *pattern, struct yk_factor *factor,
                                struct yk_arena *mem, struct yk_err *err);
/* The same with any F and E, dense, of which E stays the caller's; the `count` numbers of `entry` are those of S, rank
 * x rank and dense, that change. */
enum yk_status yk_low_rank_init_dense(struct yk_low_rank *l, const struct yk_matrix *F, const struct yk_matrix *E,
                                      const size_t *entry, size_t count, struct yk_factor *factor, struct yk_arena *mem,
                                      struct yk_err *err);
void yk_low_rank_fini(struct yk_low_rank *l);
/* With the changes in l->change. YK_E_SINGULAR: solutions are NaN. */
enum yk_status yk_low_rank_factor(struct yk_low_rank *l) YK_RT;
void yk_low_rank_solve(struct yk_low_rank *l, double *x) YK_RT;

#endif
