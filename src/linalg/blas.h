/* The Fortran ABI of the BLAS, LAPACK and ARPACK routines in use (32-bit int, every argument by address), and the few
 * helpers the files of this folder share. Private to src/linalg. */
#ifndef YOKE_LINALG_BLAS_H
#define YOKE_LINALG_BLAS_H

#include <stddef.h>

#include <yoke/linalg.h>

/* BLAS */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

/* LAPACK */
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
void dgetri_(const int *n, double *a, const int *lda, const int *pivot, double *work, const int *lwork, int *info);
void dgecon_(const char *norm, const int *n, const double *a, const int *lda, const double *anorm, double *rcond,
             double *work, int *iwork, int *info);
void dlacn2_(const int *n, double *v, double *x, int *isgn, double *est, int *kase, int *isave);
void dgesv_(const int *n, const int *nrhs, double *a, const int *lda, int *pivot, double *b, const int *ldb, int *info);
void dgebal_(const char *job, const int *n, double *a, const int *lda, int *low, int *high, double *scale, int *info);
void dsygvd_(const int *itype, const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *b,
             const int *ldb, double *w, double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda, double *wr, double *wi,
            double *vl, const int *ldvl, double *vr, const int *ldvr, double *work, const int *lwork, int *info);
void zgees_(const char *jobvs, const char *sort, int (*select)(const double _Complex *), const int *n,
            double _Complex *a, const int *lda, int *sdim, double _Complex *w, double _Complex *vs, const int *ldvs,
            double _Complex *work, const int *lwork, double *rwork, int *bwork, int *info);
void dgelsy_(const int *m, const int *n, const int *nrhs, double *a, const int *lda, double *b, const int *ldb,
             int *jpvt, const double *rcond, int *rank, double *work, const int *lwork, int *info);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info);

/* ARPACK: reverse communication for symmetric problems */
void dsaupd_(int *ido, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, int *info);
void dseupd_(const int *rvec, const char *howmny, int *select, double *d, double *z, const int *ldz,
             const double *sigma, const char *bmat, const int *n, const char *which, const int *nev, const double *tol,
             double *resid, const int *ncv, double *v, const int *ldv, int *iparam, int *ipntr, double *workd,
             double *workl, const int *lworkl, int *info);

/* The largest sum of absolute values in a column of a dense n x n matrix. */
double yk_one_norm(size_t n, const double *a);
/* Zeroed, aligned to a cache line, at least one element; NULL when there is no memory. Released with free(). */
double *yk_doubles(size_t count);
int *yk_ints(size_t count);
/* Values held in x. */
size_t yk_matrix_stored(const struct yk_matrix *A);

/* y += alpha A x for a dense piece of rows x cols, its columns `stride` apart */
YK_RT void yk_add_columns(size_t rows, size_t cols, size_t stride, double alpha, const double *a, const double *x,
                          double *y);
/* y += alpha A^T x, likewise */
YK_RT void yk_add_rows(size_t rows, size_t cols, size_t stride, double alpha, const double *a, const double *x,
                       double *y);
/* y += alpha A x for symmetric A of order n, of which half is read; pays when A does not fit the nearest cache */
YK_RT void yk_add_symmetric(size_t n, double alpha, const double *a, const double *x, double *y);

/* x = d b, entry by entry */
YK_RT void yk_multiply_each(size_t n, const double *d, const double *b, double *x);

/* C := A X for small dense pieces, A rows x width with its columns `stride` apart, X width x cols, C rows x cols */
YK_RT void yk_multiply(size_t rows, size_t cols, size_t width, size_t stride, const double *a, const double *x,
                       double *c);

/* x := the unit lower triangle of the first `cols` columns of l (n*n), eliminated from x: with cols = n, L^-1 x */
YK_RT void yk_sweep_down(size_t n, size_t cols, const double *l, double *x);
/* x := (D L^T)^-1 x for the first `cols` of its n values, the rest being known: L as above, D^-1 on its diagonal */
YK_RT void yk_sweep_back(size_t n, size_t cols, const double *l, double *x);
/* x := U^-1 x, U the upper triangle of u (n*n) */
YK_RT void yk_sweep_up(size_t n, const double *u, double *x);

#endif
