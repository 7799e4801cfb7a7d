/* The compliance form of a specimen: degrees of freedom f whose actuators are commanded by force.
 * docs/theory/transfer.md, section 7.
 *
 * Structure and specimen are connected by springs k at f (rigidly: 1/k = 0). With measured displacements y and forces r
 * and the estimate K of the specimen, the force in the springs at the target x is expected to be
 *
 *     F = W [ r_f + K_f (x - y) ],        W = (I + K_ff k^-1)^-1
 *
 * The method sees the estimate of the specimen in series with the springs. Its matrices follow from the displacements
 * of the specimen, y = T x with T = I - E k^-1 W K_f, where E places f among all:
 *
 *     K' = T^T K T + (I - T)_f^T k (I - T)_f,        C' = T^T C T */
#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void yk_compliance_free(struct yk_compliance *c)
{
    free(c->dofs);
    free(c->share);
    free(c->rows);
    *c = (struct yk_compliance){0};
}

/* W, column by column. */
static enum yk_status find_share(struct yk_compliance *c, const double *flexible, const double *K, size_t n,
                                 struct yk_err *err)
{
    struct yk_arena mem = {0};
    struct yk_lu lu = {0};
    const size_t m = c->count;
    enum yk_status st = YK_OK;

    yk_lu_layout(&lu, m, &mem);
    if (!lu.a)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    for (size_t j = 0; j < m && !st; j++)
        for (size_t i = 0; i < m; i++)
            lu.a[i + j * m] = (i == j) + K[c->dofs[i] + c->dofs[j] * n] * flexible[j];
    if (!st && yk_lu_factor(&lu))
        st = yk_fail(err, YK_E_SINGULAR, "the estimate and its connections have no stiffness in series");
    for (size_t j = 0; j < m && !st; j++) {
        c->share[j + j * m] = 1;
        yk_lu_solve(&lu, c->share + j * m);
    }
    yk_arena_free(&mem);
    return st;
}

/* out = T^T A T */
static void project(size_t n, const double *T, const double *A, double *work, double *out)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            work[i + j * n] = 0;
            for (size_t k = 0; k < n; k++)
                work[i + j * n] += A[i + k * n] * T[k + j * n];
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            out[i + j * n] = 0;
            for (size_t k = 0; k < n; k++)
                out[i + j * n] += T[k + i * n] * work[k + j * n];
        }
}

static enum yk_status replace(struct yk_matrix *A, const double *x, struct yk_err *err)
{
    const size_t n = A->rows;

    yk_matrix_fini(A);
    const enum yk_status st = yk_matrix_init(A, YK_DENSE, n, n, err);
    if (!st)
        memcpy(A->x, x, n * n * sizeof *x);
    return st;
}

enum yk_status yk_compliance_init(struct yk_compliance *c, size_t count, const size_t *dofs, const double *stiffness,
                                  struct yk_matrix *K, struct yk_matrix *C, struct yk_err *err)
{
    const size_t n = K->rows;
    double *full = calloc(5 * n * n + count, sizeof *full), *damping = full + n * n, *T = full + 2 * n * n,
           *work = full + 3 * n * n, *out = full + 4 * n * n, *flexible = full + 5 * n * n;
    enum yk_status st = full ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");

    c->count = count;
    c->dofs = calloc(count + 1, sizeof *c->dofs);
    c->share = calloc(count * count + 1, sizeof *c->share);
    c->rows = calloc(count * n + 1, sizeof *c->rows);
    if (!st && (!c->dofs || !c->share || !c->rows))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    if (st) {
        free(full);
        return st;
    }
    memcpy(c->dofs, dofs, count * sizeof *dofs);
    yk_matrix_to_dense(K, full);
    yk_matrix_to_dense(C, damping);
    for (size_t i = 0; i < count; i++)
        flexible[i] = isinf(stiffness[i]) ? 0 : 1 / stiffness[i];
    if (!(st = find_share(c, flexible, full, n, err))) {
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < count; i++)
                for (size_t k = 0; k < count; k++)
                    c->rows[i + j * count] += c->share[i + k * count] * full[dofs[k] + j * n];
        for (size_t j = 0; j < n; j++) {
            T[j + j * n] = 1;
            for (size_t i = 0; i < count; i++)
                T[dofs[i] + j * n] -= flexible[i] * c->rows[i + j * count];
        }
        project(n, T, full, work, out);
        for (size_t j = 0; j < n; j++) /* the springs: what is not moved on to the specimen */
            for (size_t i = 0; i < n; i++)
                for (size_t k = 0; k < count; k++)
                    out[i + j * n] += flexible[k] * c->rows[k + i * count] * c->rows[k + j * count];
        st = replace(K, out, err);
        project(n, T, damping, work, out);
    }
    if (!st)
        st = replace(C, out, err);
    free(full);
    return st;
}
