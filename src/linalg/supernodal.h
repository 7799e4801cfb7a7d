/* A = L D L^T of a symmetric sparse matrix, in supernodes: neighbouring columns of L with the same rows are one dense
 * block, and solves and factors work on blocks, without an index for every entry.
 *
 * The analysis is constant. The numbers are in memory of the caller: `numbers` doubles for L and D, and room for the
 * work; so the same analysis serves a matrix that is factored once and one whose values change in the loop. There is no
 * pivoting: positive definite matrices need none, and others may lose accuracy. */
#ifndef YOKE_LINALG_SUPERNODAL_H
#define YOKE_LINALG_SUPERNODAL_H

#include <yoke/linalg.h>

struct yk_supernodal {
    size_t n, count;        /* order; supernodes */
    int *P;                 /* row and column P[k] of A is eliminated k-th */
    int *owner;             /* of each column: its supernode */
    int *first;             /* count + 1: first column of each supernode */
    size_t *block;          /* count + 1: where its columns begin in L */
    size_t *below;          /* count + 1: where its rows below the triangle begin in `row` */
    int *row;               /* of the permuted matrix, increasing in each supernode */
    size_t entries, *place; /* of each entry of the pattern: its place in L; NOWHERE: above the diagonal */
    size_t numbers, factor_work, solve_work; /* doubles */
    size_t iwork;                            /* ints, of a factorisation */
    double multiplications;                  /* of a factorisation */
    /* Large factors: subtrees of the elimination tree in two halves of about the same work, and the rest above them.
     * `part` lists the supernodes of the first half, of the second, and the rest, each in rising order; share[k]: where
     * the k-th list begins. A small factor has empty halves. */
    int *part, share[4];
};

/* A: sparse, square, with the pattern of a symmetric matrix; its values are not read. */
enum yk_status yk_supernodal_create(struct yk_supernodal **created, const struct yk_matrix *A, struct yk_err *err);
void yk_supernodal_destroy(struct yk_supernodal *s);

/* Result for the pivots: how many are negative, which equals the number of negative eigenvalues; the row and column of
 * A whose pivot is lost. */
struct yk_pivots {
    size_t negative, lost;
};
/* x: the values of A, in the order of the pattern. YK_E_SINGULAR if a pivot is lost or NaN; the numbers are then
 * unusable. */
enum yk_status yk_supernodal_factor(const struct yk_supernodal *s, const double *x, double *numbers, double *work,
                                    int *iwork, struct yk_pivots *pivots) YK_RT;
/* b := A^-1 b. The halves of a large factor are solved at once where the calling thread has a helper (base/helper.h);
 * with the same result, bit by bit. */
void yk_supernodal_solve(const struct yk_supernodal *s, const double *numbers, double *work, double *b) YK_RT;

#endif
