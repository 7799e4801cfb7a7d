/* Eigenproblems, for preparation.
 *
 * Symmetric, K phi = w2 M phi: LAPACK's divide and conquer while the model is small or much of its spectrum is
 * expected; otherwise implicitly restarted Lanczos (Lehoucq, Sorensen, Yang, ARPACK Users' Guide, 1998) on (K - sigma
 * M)^-1 M with sigma a little below zero, which also serves a K that leaves rigid motions free. That finds the
 * eigenvalues nearest to zero: the lowest ones unless K is indefinite by more than the shift. The start vector is
 * fixed, so a result can be repeated. General: LAPACK's QR algorithm. */
#include "linalg/blas.h"
#include <yoke/random.h>

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    DENSE_ORDER = 400,     /* models up to this order go to LAPACK                                     */
    LANCZOS_SHARE = 3,     /* Lanczos pays below a third of the spectrum                               */
    LANCZOS_SPARE = 4,     /* asked for beyond `count`, so that a cluster is not cut                   */
    LANCZOS_BASIS = 40,    /* least basis                                                              */
    LANCZOS_ROUNDS = 1000, /* restarts                                                                 */
    MOST_ORDER = 30000     /* of LAPACK's problem or ARPACK's basis: their work arrays end at 2^31     */
};

#define SHIFT_SHARE    1e-10 /* of the largest K_ii / M_ii: far above rounding, far below what is looked for    */
#define MOST_ASYMMETRY 1e-6  /* relative; more is a mistake, not rounding in a file                             */
#define ROUGH_ACCURACY 1e-4  /* of the first look at the largest eigenvalue                                     */
#define BEYOND         1e-3  /* relative distance of the shift above that look                                  */
#define FINE_ACCURACY  1e-6  /* of the second, relative to that distance: 1e-9 of the eigenvalue                */

/* ---- checks ---------------------------------------------------------------------------------------------------- */

static enum yk_status check_symmetric(const struct yk_matrix *A, const char *name, struct yk_err *err)
{
    size_t i, j;

    if (A->rows != A->cols)
        return yk_fail(err, YK_E_INPUT, "eigenvalues: %s is %zu x %zu, it must be square", name, A->rows, A->cols);
    if (!yk_matrix_is_finite(A))
        return yk_fail(err, YK_E_INPUT, "eigenvalues: %s holds a value that is not finite", name);
    if (!(yk_matrix_asymmetry(A, &i, &j) <= MOST_ASYMMETRY))
        return yk_fail(err, YK_E_INPUT,
                       "eigenvalues: %s is not symmetric: %g at row %zu, column %zu, but %g across the diagonal", name,
                       yk_matrix_get(A, i, j), i + 1, j + 1, yk_matrix_get(A, j, i));
    return YK_OK;
}

static enum yk_status check_pair(const struct yk_matrix *K, const struct yk_matrix *M, struct yk_err *err)
{
    enum yk_status st = check_symmetric(K, "K", err);

    if (!st)
        st = check_symmetric(M, "M", err);
    if (!st && K->rows != M->rows)
        st = yk_fail(err, YK_E_INPUT, "eigenvalues: K has order %zu, M %zu", K->rows, M->rows);
    for (size_t i = 0; !st && i < M->rows; i++)
        if (yk_matrix_get(M, i, i) < 0.0)
            st = yk_fail(err, YK_E_INPUT, "eigenvalues: M is not positive definite: %g at row and column %zu",
                         yk_matrix_get(M, i, i), i + 1);
    return st;
}

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory: the eigenproblem of order %zu could not be set up", n);
}

/* ---- mode shapes ----------------------------------------------------------------------------------------------- */

/* phi^T M phi = 1, and the largest component positive, so that equal problems give equal signs. */
static void normalise(const struct yk_matrix *M, double *phi, double *work)
{
    const size_t n = M->rows;
    double scale, largest = 0.0;

    memset(work, 0, n * sizeof *work);
    yk_matrix_add_product(M, 1.0, phi, work);
    scale = 1.0 / sqrt(yk_dot(n, phi, work));
    for (size_t i = 0; i < n; i++)
        if (fabs(phi[i]) > fabs(largest) * (1.0 + 1e-8)) /* of two alike, the first */
            largest = phi[i];
    if (largest < 0.0)
        scale = -scale;
    for (size_t i = 0; i < n; i++)
        phi[i] *= scale;
}

/* ---- dense ----------------------------------------------------------------------------------------------------- */

/* All eigenvalues into w; the vectors, if requested, into k. Both matrices (dense arrays) are destroyed. */
static enum yk_status solve_dense(size_t n, double *k, double *m, double *w, bool vectors, struct yk_err *err)
{
    const int itype = 1, order = (int)n, ask = -1;
    const char *job = vectors ? "V" : "N";
    double *work = NULL, best;
    int *iwork = NULL, ibest, lwork, info;
    enum yk_status st = YK_OK;

    dsygvd_(&itype, job, "L", &order, k, &order, m, &order, w, &best, &ask, &ibest, &ask, &info);
    lwork = (int)best;
    work = yk_doubles((size_t)lwork);
    iwork = yk_ints((size_t)ibest);
    if (!work || !iwork) {
        st = no_memory(n, err);
        goto fail;
    }
    dsygvd_(&itype, job, "L", &order, k, &order, m, &order, w, work, &lwork, iwork, &ibest, &info);
    if (info > order)
        st = yk_fail(err, YK_E_INPUT, "eigenvalues: M is not positive definite, first seen at row and column %d",
                     info - order);
    else if (info)
        st = yk_fail(err, YK_E_DIVERGED, "eigenvalues: LAPACK's dsygvd did not converge (%d)", info);
fail:
    free(iwork);
    free(work);
    return st;
}

/* Dense copies of K and M, the `count` lowest eigenvalues from number `first` on, and their vectors. */
static enum yk_status eigen_dense(const struct yk_matrix *K, const struct yk_matrix *M, size_t first, size_t count,
                                  double *w2, double *phi, struct yk_err *err)
{
    const size_t n = K->rows;
    double *k, *m, *w;
    enum yk_status st;

    if (n > MOST_ORDER)
        return yk_fail(err, YK_E_RANGE, "eigenvalues: %zu of order %zu requested; beyond order %d, less than a third",
                       count, n, MOST_ORDER);
    k = yk_doubles(n * n);
    m = yk_doubles(n * n);
    w = yk_doubles(n);
    if (!k || !m || !w) {
        st = no_memory(n, err);
        goto fail;
    }
    yk_matrix_to_dense(K, k);
    yk_matrix_to_dense(M, m);
    if ((st = solve_dense(n, k, m, w, phi != NULL, err)))
        goto fail;
    memcpy(w2, w + first, count * sizeof *w2);
    for (size_t c = 0; phi && c < count; c++) {
        memcpy(phi + c * n, k + (first + c) * n, n * sizeof *phi);
        normalise(M, phi + c * n, m);
    }
fail:
    free(w);
    free(m);
    free(k);
    return st;
}

/* ---- Lanczos --------------------------------------------------------------------------------------------------- */

/* One run of ARPACK: what dsaupd keeps between its returns, and dseupd wants unchanged. */
struct lanczos {
    const struct yk_matrix *K, *M;
    struct yk_ldlt *factor; /* mode 3: of K - sigma M; mode 2: of M */
    int n, wanted, basis, mode, lworkl;
    const char *which;
    double tolerance, sigma;
    double *start, *v, *workd, *workl, *d, *z;
    int *select;
    int iparam[11], ipntr[11];
};

static void lanczos_fini(struct lanczos *l)
{
    yk_ldlt_destroy(l->factor);
    free(l->start);
    free(l->v);
    free(l->workd);
    free(l->workl);
    free(l->d);
    free(l->z);
    free(l->select);
}

/* Fixed, and free of the symmetries a structure may have (a constant vector would miss every antisymmetric mode). */
static void fill_start(size_t n, double *start)
{
    uint64_t state = 1;

    for (size_t i = 0; i < n; i++)
        start[i] = 1 + yk_draw(&state) / 2;
}

static enum yk_status lanczos_init(struct lanczos *l, struct yk_err *err)
{
    const size_t n = l->K->rows;
    size_t basis = 2 * (size_t)l->wanted + 1;

    if (basis < LANCZOS_BASIS)
        basis = LANCZOS_BASIS;
    if (basis > n)
        basis = n;
    if (basis > MOST_ORDER)
        return yk_fail(err, YK_E_RANGE, "eigenvalues: %d requested, at most %d can be found at once", l->wanted,
                       MOST_ORDER / 2 - LANCZOS_SPARE);
    l->n = (int)n;
    l->basis = (int)basis;
    l->lworkl = (int)(basis * (basis + 8));
    l->start = yk_doubles(n);
    l->v = yk_doubles(n * basis);
    l->workd = yk_doubles(3 * n);
    l->workl = yk_doubles(basis * (basis + 8));
    l->d = yk_doubles((size_t)l->wanted);
    l->z = yk_doubles(n * (size_t)l->wanted);
    l->select = yk_ints(basis);
    if (!l->start || !l->v || !l->workd || !l->workl || !l->d || !l->z || !l->select)
        return no_memory(n, err);
    fill_start(n, l->start);
    l->iparam[0] = 1; /* exact shifts */
    l->iparam[2] = LANCZOS_ROUNDS;
    l->iparam[6] = l->mode;
    return YK_OK;
}

/* y = A x */
static void product(const struct yk_matrix *A, const double *x, double *y)
{
    memset(y, 0, A->rows * sizeof *y);
    yk_matrix_add_product(A, 1.0, x, y);
}

/* Answer to dsaupd: y = M x, or the operator, which is (K - sigma M)^-1 M x in mode 3 and M^-1 K x in mode 2. */
static void answer(struct lanczos *l, int ido)
{
    const size_t bytes = (size_t)l->n * sizeof(double);
    double *x = l->workd + l->ipntr[0] - 1, *y = l->workd + l->ipntr[1] - 1;

    if (ido == 2) {
        product(l->M, x, y);
    } else if (l->mode == 2) {
        product(l->K, x, y);
        memcpy(x, y, bytes); /* as mode 2 demands */
        yk_ldlt_solve(l->factor, 1, y);
    } else {
        if (ido == 1)
            memcpy(y, l->workd + l->ipntr[2] - 1, bytes); /* M x is there already */
        else
            product(l->M, x, y);
        yk_ldlt_solve(l->factor, 1, y);
    }
}

/* Eigenvalues into l->d and vectors into l->z, in no particular order. */
static enum yk_status lanczos_run(struct lanczos *l, struct yk_err *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* ARPACK keeps what it knows in saved variables */
    const int vectors = 1;
    int ido = 0, info = 1; /* info 1: start holds the start vector */

    pthread_mutex_lock(&lock);
    for (;;) {
        dsaupd_(&ido, "G", &l->n, l->which, &l->wanted, &l->tolerance, l->start, &l->basis, l->v, &l->n, l->iparam,
                l->ipntr, l->workd, l->workl, &l->lworkl, &info);
        if (ido != -1 && ido != 1 && ido != 2)
            break;
        answer(l, ido);
    }
    if (info == 0)
        dseupd_(&vectors, "A", l->select, l->d, l->z, &l->n, &l->sigma, "G", &l->n, l->which, &l->wanted, &l->tolerance,
                l->start, &l->basis, l->v, &l->n, l->iparam, l->ipntr, l->workd, l->workl, &l->lworkl, &info);
    pthread_mutex_unlock(&lock);
    if (info)
        return yk_fail(err, YK_E_DIVERGED, "eigenvalues: ARPACK found %d of %d for order %d (code %d)", l->iparam[4],
                       l->wanted, l->n, info);
    return YK_OK;
}

/* Place in d of the lowest value not yet taken; select marks those that are. */
static int next_lowest(struct lanczos *l)
{
    int lowest = -1;

    for (int k = 0; k < l->wanted; k++)
        if (!l->select[k] && (lowest < 0 || l->d[k] < l->d[lowest]))
            lowest = k;
    l->select[lowest] = 1;
    return lowest;
}

static double largest_ratio(const struct yk_matrix *K, const struct yk_matrix *M)
{
    double largest = 0.0;

    for (size_t i = 0; i < K->rows; i++) {
        double ratio = fabs(yk_matrix_get(K, i, i)) / yk_matrix_get(M, i, i);

        if (isfinite(ratio)) /* a massless degree of freedom says nothing about frequencies */
            largest = fmax(largest, ratio);
    }
    return largest > 0.0 ? largest : 1.0;
}

static enum yk_status factor_shifted(struct lanczos *l, struct yk_err *err)
{
    struct yk_matrix shifted = {0};
    enum yk_status st =
        yk_matrix_combine(&shifted, 2, (double[]){1.0, -l->sigma}, (const struct yk_matrix *[]){l->K, l->M}, err);

    if (!st && (st = yk_ldlt_create(&l->factor, &shifted, err)))
        yk_fail_within(err, YK_NOWHERE, "eigenvalues: K %+g M: ", -l->sigma);
    yk_matrix_fini(&shifted);
    return st;
}

static enum yk_status eigen_lanczos(const struct yk_matrix *K, const struct yk_matrix *M, size_t count, double *w2,
                                    double *phi, struct yk_err *err)
{
    struct lanczos l = {.K = K, .M = M, .mode = 3, .which = "LM", .wanted = (int)count + LANCZOS_SPARE};
    const size_t n = K->rows;
    enum yk_status st;

    l.sigma = -SHIFT_SHARE * largest_ratio(K, M);
    if ((st = lanczos_init(&l, err)) || (st = factor_shifted(&l, err)) || (st = lanczos_run(&l, err)))
        goto fail;
    memset(l.select, 0, (size_t)l.basis * sizeof *l.select);
    for (size_t c = 0; c < count; c++) {
        int k = next_lowest(&l);

        w2[c] = l.d[k];
        if (phi) {
            memcpy(phi + c * n, l.z + (size_t)k * n, n * sizeof *phi);
            normalise(M, phi + c * n, l.workd);
        }
    }
fail:
    lanczos_fini(&l);
    return st;
}

/* Without a shift: from below, and in no hurry when the upper end of the spectrum is crowded. */
static enum yk_status largest_roughly(const struct yk_matrix *K, const struct yk_matrix *M, double *w2,
                                      struct yk_err *err)
{
    struct lanczos l = {.K = K, .M = M, .mode = 2, .which = "LA", .wanted = 1, .tolerance = ROUGH_ACCURACY};
    enum yk_status st;

    if ((st = lanczos_init(&l, err)))
        goto fail;
    if ((st = yk_ldlt_create(&l.factor, M, err))) {
        yk_fail_within(err, YK_NOWHERE, "eigenvalues: M: ");
        goto fail;
    }
    if (!(st = lanczos_run(&l, err)))
        *w2 = l.d[0];
fail:
    lanczos_fini(&l);
    return st;
}

/* A rough look, then those nearest to a shift just above it. */
static enum yk_status largest_lanczos(const struct yk_matrix *K, const struct yk_matrix *M, double *w2,
                                      struct yk_err *err)
{
    struct lanczos l = {.K = K, .M = M, .mode = 3, .which = "LM", .wanted = 1, .tolerance = FINE_ACCURACY};
    double rough = 0;
    enum yk_status st = largest_roughly(K, M, &rough, err);

    if (st)
        return st;
    *w2 = rough;
    if (rough == 0.0)
        return YK_OK;
    l.sigma = rough + BEYOND * fabs(rough);
    if ((st = lanczos_init(&l, err)) || (st = factor_shifted(&l, err)) || (st = lanczos_run(&l, err)))
        goto fail;
    for (int k = 0; k < l.wanted; k++)
        *w2 = fmax(*w2, l.d[k]);
fail:
    lanczos_fini(&l);
    return st;
}

/* ---- public ---------------------------------------------------------------------------------------------------- */

enum yk_status yk_eigen_symmetric(const struct yk_matrix *K, const struct yk_matrix *M, size_t count, double *w2,
                                  double *phi, struct yk_err *err)
{
    const size_t n = K->rows;
    enum yk_status st = check_pair(K, M, err);

    if (st)
        return st;
    if (count > n)
        return yk_fail(err, YK_E_RANGE, "eigenvalues: %zu requested, but the order is %zu", count, n);
    if (count == 0)
        return YK_OK;
    if (n <= DENSE_ORDER || count > n / LANCZOS_SHARE)
        return eigen_dense(K, M, 0, count, w2, phi, err);
    return eigen_lanczos(K, M, count, w2, phi, err);
}

enum yk_status yk_eigen_largest(const struct yk_matrix *K, const struct yk_matrix *M, double *w2, struct yk_err *err)
{
    const size_t n = K->rows;
    enum yk_status st = check_pair(K, M, err);

    if (st)
        return st;
    if (n == 0)
        return yk_fail(err, YK_E_RANGE, "eigenvalues: the largest was requested, but the order is 0");
    if (n <= DENSE_ORDER)
        return eigen_dense(K, M, n - 1, 1, w2, NULL, err);
    return largest_lanczos(K, M, w2, err);
}

/* sums[i] += |A_ij| over all j, of which the diagonal counts with `diagonal` and its sign. */
static void add_rows(const struct yk_matrix *A, double diagonal, double *sums)
{
    const size_t n = A->rows;

    for (size_t j = 0; j < n; j++) {
        const size_t first = A->form == YK_SPARSE ? (size_t)A->col[j] : A->form == YK_DENSE ? j * n : j;
        const size_t end = A->form == YK_SPARSE ? (size_t)A->col[j + 1] : A->form == YK_DENSE ? (j + 1) * n : j + 1;

        for (size_t k = first; k < end; k++) {
            const size_t i = A->form == YK_SPARSE ? (size_t)A->row[k] : A->form == YK_DENSE ? k - first : j;

            sums[i] += i == j ? diagonal * A->x[k] : fabs(A->x[k]);
        }
    }
}

/* M - L is diagonally dominant for L_ii = M_ii - sum |M_ij|, so x^T M x >= x^T L x, and the eigenvalues of L^-1 K lie
 * in the discs of its rows (Gershgorin 1931). */
double yk_eigen_bound(const struct yk_matrix *K, const struct yk_matrix *M)
{
    const size_t n = K->rows;
    double *sums = yk_doubles(2 * n), *light = sums + n, bound = 0;

    if (!sums)
        return INFINITY;
    add_rows(K, 1, sums);
    add_rows(M, -1, light);
    for (size_t i = 0; i < n; i++)
        bound = fmax(bound, light[i] < 0 ? sums[i] / -light[i] : INFINITY);
    free(sums);
    return bound;
}

enum yk_status yk_eigen_count(const struct yk_matrix *K, const struct yk_matrix *M, double w2, size_t *count,
                              struct yk_err *err)
{
    struct yk_ldlt *f = NULL;
    enum yk_status st = check_pair(K, M, err);

    *count = 0;
    if (!st && (st = yk_ldlt_sum(&f, 2, (double[]){1.0, -w2}, (const struct yk_matrix *[]){K, M}, err)))
        yk_fail_within(err, YK_NOWHERE, "eigenvalues below %g: ", w2);
    if (!st)
        *count = yk_ldlt_negative(f);
    yk_ldlt_destroy(f);
    return st;
}

/* Stable, so a conjugate pair stays together with its positive imaginary part first, as dgeev gives it. */
static void sort_by_modulus(size_t n, double *re, double *im)
{
    for (size_t k = 1; k < n; k++) {
        const double r = re[k], i = im[k], modulus = hypot(r, i);
        size_t to = k;

        for (; to > 0 && hypot(re[to - 1], im[to - 1]) < modulus; to--) {
            re[to] = re[to - 1];
            im[to] = im[to - 1];
        }
        re[to] = r;
        im[to] = i;
    }
}

enum yk_status yk_eigen_general(size_t n, double *A, double *re, double *im, struct yk_err *err)
{
    const int order = (int)n, ask = -1, unused = 1;
    double best, *work;
    int lwork, info;

    if (n == 0)
        return YK_OK;
    if (n > (size_t)INT_MAX / n)
        return yk_fail(err, YK_E_RANGE, "eigenvalues: order %zu is beyond 2^31 entries", n);
    if (!yk_all_finite(n * n, A))
        return yk_fail(err, YK_E_INPUT, "eigenvalues: the matrix holds a value that is not finite");
    dgeev_("N", "N", &order, A, &order, re, im, NULL, &unused, NULL, &unused, &best, &ask, &info);
    lwork = (int)best;
    work = yk_doubles((size_t)lwork);
    if (!work)
        return no_memory(n, err);
    dgeev_("N", "N", &order, A, &order, re, im, NULL, &unused, NULL, &unused, work, &lwork, &info);
    free(work);
    if (info)
        return yk_fail(err, YK_E_DIVERGED, "eigenvalues: LAPACK's dgeev did not converge (%d)", info);
    sort_by_modulus(n, re, im);
    return YK_OK;
}
