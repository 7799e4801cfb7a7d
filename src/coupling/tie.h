/* Shared by partitioned methods with velocity continuity: the consistent start, the multiplier that closes the gap, and
 * the path of a side whose correction arrives only at the end of a system step. docs/theory/couplings-newmark.md,
 * eq. (23), (24), (39). */
#ifndef YOKE_TIE_H
#define YOKE_TIE_H

#include "coupling/combine.h"

/* Memory for the start: the traces of both sides at t = 0. */
struct yk_tie_start {
    struct yk_trace trace[YK_SIDES];
    double *work;
};
void yk_tie_start_layout(struct yk_tie_start *s, const struct yk_coupled *c, struct yk_arena *mem);
/* eq. (23): multiplier and accelerations (n of each side) of the initial states, by acceleration continuity. */
void yk_tie_start(struct yk_tie_start *s, struct yk_coupled *c, double *const *a, double *lambda);

/* Factor of -H, the interface operator H = HA + HB, both rows x rows; eq. (24): solving with the gap gives lambda. */
enum yk_status yk_tie_factor(struct yk_factor **H, size_t rows, const double *HA, const double *HB,
                             struct yk_arena *mem, struct yk_err *err);

/* y (n) += scale * A x, A column-major n x rows */
void yk_tie_add(size_t n, size_t rows, const double *A, double scale, const double *x, double *y) YK_RT;

/* The path of a side over its substeps, whose correction is known only after the last. During the substeps the memory
 * of the side follows the uncorrected states; then it returns and follows the corrected ones. eq. (39) Does nothing if
 * the side is linear. */
struct yk_path {
    size_t n, rows;
    int count;       /* substeps; 0: the side is linear, and there is nothing to follow */
    double *free;    /* count x (u, v) */
    double *link;    /* count x (2n x rows): effect of a unit multiplier on them */
    double *reached; /* (u, v) */
    double *t;       /* after each substep */
};
void yk_path_layout(struct yk_path *path, const struct yk_side *side, size_t rows, int count, struct yk_arena *mem);
/* Preparation: a unit multiplier in row r adds (u, v) to the state after substep j. */
void yk_path_link(struct yk_path *path, int j, size_t r, const double *u, const double *v);
/* The state after substep j, at time t, not corrected yet. */
void yk_path_follow(struct yk_path *path, struct yk_side *side, int j, double t, const double *u,
                    const double *v) YK_RT;
/* Commits the corrected path. */
void yk_path_commit(struct yk_path *path, struct yk_side *side, const double *lambda) YK_RT;

#endif
