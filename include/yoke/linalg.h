/* Matrices, factors and eigenproblems: a thin layer over BLAS, LAPACK and KLU.
 *
 * Functions for preparation allocate; products and solves (marked YK_RT) do not. Dense storage is column-major. */
#ifndef YOKE_LINALG_H
#define YOKE_LINALG_H

#include <yoke/status.h>

enum yk_form { YK_DENSE, YK_DIAGONAL, YK_SPARSE, YK_THIN };

struct yk_matrix {
    enum yk_form form;
    size_t rows, cols;
    double *x;       /* dense: rows*cols; diagonal: rows; sparse: values; thin: rows and columns*columns             */
    int *col;        /* sparse, compressed columns: cols+1 starts into row and x     */
    int *row;        /* sparse: row of each value, increasing within a column        */
    const double *E; /* thin: a diagonal plus E S E^T, square; E has `columns`, dense, and is not owned */
    size_t columns;
};
enum { YK_THIN_MOST = 128 }; /* of these columns */

/* Sizes are refused beyond 2^31 entries. A new matrix is zero. */
enum yk_status yk_matrix_init(struct yk_matrix *A, enum yk_form form, size_t rows, size_t cols, struct yk_err *err);
/* A zero matrix diag(x) + E S E^T of order n; S follows the n numbers in x. */
enum yk_status yk_matrix_init_thin(struct yk_matrix *A, size_t n, size_t columns, const double *E, struct yk_err *err);
/* Sparse from count triplets (0-based); repeated entries are added. */
enum yk_status yk_matrix_from_triplets(struct yk_matrix *A, size_t rows, size_t cols, size_t count, const int *row,
                                       const int *col, const double *value, struct yk_err *err);
enum yk_status yk_matrix_copy(struct yk_matrix *to, const struct yk_matrix *from, struct yk_err *err);
void yk_matrix_fini(struct yk_matrix *A);
double yk_matrix_get(const struct yk_matrix *A, size_t i, size_t j);
/* Writes all rows*cols values, column-major. */
void yk_matrix_to_dense(const struct yk_matrix *A, double *dense) YK_RT;
/* A copy in compressed columns, whatever the form. */
enum yk_status yk_matrix_to_sparse(struct yk_matrix *out, const struct yk_matrix *A, struct yk_err *err);
size_t yk_matrix_nonzeros(const struct yk_matrix *A);
bool yk_matrix_is_finite(const struct yk_matrix *A);
/* Largest |A_ij - A_ji| / largest |A_ij|; *i, *j say where. */
double yk_matrix_asymmetry(const struct yk_matrix *A, size_t *i, size_t *j);

#define YK_SYMMETRIC 1e-14 /* an asymmetry that is only rounding */

/* out = sum_k factor[k] * A[k], in the cheapest form that holds it. */
enum yk_status yk_matrix_combine(struct yk_matrix *out, size_t count, const double *factor,
                                 const struct yk_matrix *const *A, struct yk_err *err);
/* Picks the form with the cheapest product: diagonal; sparse when less than a twelfth is filled, or a quarter once the
 * dense form would outgrow the nearer caches; dense. */
enum yk_status yk_matrix_compact(struct yk_matrix *A, struct yk_err *err);

/* y += alpha A x */
void yk_matrix_add_product(const struct yk_matrix *A, double alpha, const double *x, double *y) YK_RT;
/* y += alpha A^T x */
void yk_matrix_add_transposed_product(const struct yk_matrix *A, double alpha, const double *x, double *y) YK_RT;

/* The positions at which a changing square matrix may have entries, fixed before the loop starts. Stored as in sparse
 * matrices, with (j, i) for every (i, j) and the whole diagonal. The values are an array with one number for each
 * entry. */
struct yk_pattern {
    size_t n, entries;
    int *col, *row;        /* NULL: there is none */
    unsigned char *varies; /* of each entry: does it change during a run? */
    bool symmetric;        /* the values always are */
};
/* Room for the entries of matrices (n x n, any form) and those listed; nothing varies so far. */
enum yk_status yk_pattern_init(struct yk_pattern *p, size_t n, size_t count, const struct yk_matrix *const *A,
                               size_t listed, const int *row, const int *col, struct yk_err *err);
void yk_pattern_fini(struct yk_pattern *p);
/* The index of entry (i, j), which must exist. */
size_t yk_pattern_find(const struct yk_pattern *p, size_t i, size_t j);
/* x := the values of A, all of whose entries are in the pattern. */
void yk_pattern_values(const struct yk_pattern *p, const struct yk_matrix *A, double *x);
/* The values at the head of x, room for n*n, become the dense matrix. */
void yk_pattern_spread(const struct yk_pattern *p, double *x) YK_RT;

/* How systems of equations are solved. */
enum yk_solve_path {
    YK_SOLVE_AUTO,     /* the one with the lowest estimated cost */
    YK_SOLVE_DENSE,    /* every entry is stored */
    YK_SOLVE_BANDED,   /* a band around the diagonal, for chains; symmetric matrices only */
    YK_SOLVE_SPARSE,   /* supernodes of L D L^T, or KLU where the matrix is not symmetric */
    YK_SOLVE_LOW_RANK, /* the factor at the start, corrected where tangents have changed */
    YK_SOLVE_MODAL,    /* in the modes of a whole structure, where all matrices are diagonal */
    YK_SOLVE_PATHS
};

/* A factored square matrix. Dense and well conditioned: the inverse is kept and a solve is one product; badly
 * conditioned: LU. Sparse, symmetric and positive definite: L D L^T in a band or in supernodes; other sparse ones: KLU.
 * Diagonal: reciprocals. The work memory of a solve is taken from `mem`, so that each state has its own and all share
 * the factors; the pointer that is set is declared in it (arena.h). NULL: from the heap. */
struct yk_factor;
struct yk_arena;
enum yk_status yk_factor_create(struct yk_factor **factor, const struct yk_matrix *A, struct yk_arena *mem,
                                struct yk_err *err);
/* Factor of the sum of factor[k] A[k]. */
enum yk_status yk_factor_sum(struct yk_factor **created, size_t count, const double *factor,
                             const struct yk_matrix *const *A, struct yk_arena *mem, struct yk_err *err);
/* By the requested path; YK_SOLVE_LOW_RANK and YK_SOLVE_MODAL do not apply here and count as YK_SOLVE_AUTO. */
enum yk_status yk_factor_sum_by(struct yk_factor **created, enum yk_solve_path path, size_t count, const double *factor,
                                const struct yk_matrix *const *A, struct yk_arena *mem, struct yk_err *err);
void yk_factor_destroy(struct yk_factor *factor);
void yk_factor_solve(struct yk_factor *factor, double *x) YK_RT; /* x := A^-1 x */
/* x = A^-1 b; x and b lie apart, or are the same */
void yk_factor_solve_to(struct yk_factor *factor, const double *b, double *x) YK_RT;
double yk_factor_rcond(const struct yk_factor *factor); /* reciprocal condition estimate, 1-norm */

double yk_factor_cost(const struct yk_factor *factor); /* approximate time of a solve [s] */
/* The path that was chosen. *half_band: of a banded factor, else 0; *numbers: of a sparse one, else 0. A diagonal
 * matrix reports AUTO. */
void yk_factor_describe(const struct yk_factor *factor, enum yk_solve_path *path, bool *symmetric, size_t *half_band,
                        size_t *numbers);
bool yk_factor_has_halves(const struct yk_factor *factor); /* large and sparse: two threads solve faster than one */

/* A factor whose matrix changes in the loop, within the pattern that A has now. Write its new values, in the order in
 * which A stores them, to yk_factor_values, then factor again in place. All numbers are taken from `mem`. A dense A is
 * factored as LU; a sparse one by the path given, banded or sparse, in L D L^T where `symmetric` promises that it stays
 * symmetric. */
enum yk_status yk_factor_create_changing(struct yk_factor **factor, const struct yk_matrix *A, bool symmetric,
                                         enum yk_solve_path path, struct yk_arena *mem, struct yk_err *err);
double *yk_factor_values(struct yk_factor *factor) YK_RT;
/* YK_E_SINGULAR when a pivot is zero or NaN; solutions are then NaN. */
enum yk_status yk_factor_again(struct yk_factor *factor) YK_RT;

/* A dense matrix that is factored anew in the loop (a tangent that changes): LU in place, memory of the caller. */
struct yk_lu {
    size_t n;
    double *a;  /* n*n; filled by the caller, overwritten by its factors */
    int *pivot; /* n */
};
void yk_lu_layout(struct yk_lu *lu, size_t n, struct yk_arena *mem);
enum yk_status yk_lu_factor(struct yk_lu *lu) YK_RT; /* YK_E_SINGULAR when a pivot vanishes or is not finite */
void yk_lu_solve(const struct yk_lu *lu, double *x) YK_RT;

/* A = L D L^T of a symmetric matrix, for preparation: LDL for small factors, MUMPS for large ones where the build has
 * it. */
struct yk_ldlt;
enum yk_status yk_ldlt_create(struct yk_ldlt **created, const struct yk_matrix *A, struct yk_err *err);
/* L D L^T of the sum of factor[k] A[k]. */
enum yk_status yk_ldlt_sum(struct yk_ldlt **created, size_t count, const double *factor,
                           const struct yk_matrix *const *A, struct yk_err *err);
void yk_ldlt_destroy(struct yk_ldlt *factor);
enum yk_status yk_ldlt_solve(struct yk_ldlt *factor, size_t cols,
                             double *x);               /* x := A^-1 x, n*cols; not by two threads */
size_t yk_ldlt_negative(const struct yk_ldlt *factor); /* eigenvalues of A below zero */

/* K phi = w2 M phi, K symmetric, M symmetric positive definite; `count` lowest. w2: count values, increasing; phi:
 * n*count, mass-normalised, or NULL. Dense LAPACK for small models, shift-invert Lanczos (ARPACK) for large ones. */
enum yk_status yk_eigen_symmetric(const struct yk_matrix *K, const struct yk_matrix *M, size_t count, double *w2,
                                  double *phi, struct yk_err *err);
/* How many eigenvalues of K phi = w2 M phi lie below w2, from the inertia of K - w2 M (Sturm count). */
enum yk_status yk_eigen_count(const struct yk_matrix *K, const struct yk_matrix *M, double w2, size_t *count,
                              struct yk_err *err);
/* Largest eigenvalue of K phi = w2 M phi. */
enum yk_status yk_eigen_largest(const struct yk_matrix *K, const struct yk_matrix *M, double *w2, struct yk_err *err);
/* A bound above it, from the sums of rows; INFINITY where the rows of M do not allow one. */
double yk_eigen_bound(const struct yk_matrix *K, const struct yk_matrix *M);
/* Largest modulus among the eigenvalues of a linear map x := A x of order n >= 4, given as a function. For large maps:
 * takes a few hundred products. YK_E_DIVERGED if it is not found within a bounded number of them. */
struct yk_map {
    size_t n;
    enum yk_status (*apply)(void *self, double *x);
    void *self;
};
enum yk_status yk_eigen_dominant(const struct yk_map *map, double *radius, struct yk_err *err);
/* All eigenvalues of a general dense n*n matrix (destroyed), sorted by falling modulus. */
enum yk_status yk_eigen_general(size_t n, double *A, double *re, double *im, struct yk_err *err);
/* A = U diag(s) V^T for a dense n*n matrix (destroyed); s falls; Vt: V transposed. All n*n but s. */
enum yk_status yk_svd(size_t n, double *A, double *U, double *s, double *Vt, struct yk_err *err);
/* The x with the least |A x - b|, and of several the shortest with the columns of A brought to one size; A (rows x
 * cols, rows >= cols) is destroyed, b (rows) has x at its head. */
enum yk_status yk_least_squares(size_t rows, size_t cols, double *A, double *b, struct yk_err *err);

/* E = exp(A), dense n*n, scaling and squaring with the (13,13) Pade approximant. */
enum yk_status yk_expm(size_t n, const double *A, double *E, struct yk_err *err);

/* X = A^T X (I + G X)^-1 A + Q, the solution that stabilises; G, Q symmetric, all dense n*n. YK_E_DIVERGED: none. */
enum yk_status yk_riccati(size_t n, const double *A, const double *G, const double *Q, double *X, struct yk_err *err);

/* Allocates the working memory of the BLAS, once in a process. Call it before any other function: they would hang
 * without that memory. Reading an experiment does this. */
enum yk_status yk_blas_reserve(struct yk_err *err);

double yk_dot(size_t n, const double *x, const double *y) YK_RT;
void yk_add_scaled(size_t n, double alpha, const double *x, double *y) YK_RT; /* y += alpha x */
void yk_scaled(size_t n, double alpha, const double *x, double *y) YK_RT;     /* y = alpha x */
/* p = f - k u - c v, entry by entry: the net force of a system whose matrices are diagonal */
void yk_diagonal_net(size_t n, const double *f, const double *k, const double *u, const double *c, const double *v,
                     double *p) YK_RT;
bool yk_all_finite(size_t n, const double *x) YK_RT;

#endif
