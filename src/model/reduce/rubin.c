/* Free interface: kept modes of the free model, and the flexibility of all others at the interface.
 * docs/theory/reduction.md, eq. (7)-(10). MacNeal 1971; Rubin 1975.
 *
 *   u = Phi q + R f_b,   R = (sum over left-out modes of phi phi^T / w2) B
 *
 * f_b is replaced by the interface displacement, u_b = Phi_b q + R_b f_b, so T = [Phi - R R_b^-1 Phi_b, R R_b^-1]. R is
 * found without the left-out modes and without a pseudo-inverse of a K that lets rigid motions go: with a shift s,
 * x <- P (K + s M)^-1 (B' + s M x) converges to it, P = I - Phi Phi^T M taking the kept modes out; a round shrinks the
 * error by s / (w2 + s) < 1 / (1 + ratio), w2 the first left-out mode. */
#include "model/reduce/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 60 };
#define SHIFT_SHARE 1e-2  /* of the last kept eigenvalue: five rounds gain ten digits */
#define CONVERGED   1e-12 /* relative change of R in a round */

/* x := x - Phi Phi^T M x */
static void take_out_kept(const struct yk_modes *modes, const struct yk_matrix *M, double *x, double *work)
{
    const size_t n = modes->n;

    memset(work, 0, n * sizeof *work);
    yk_matrix_add_product(M, 1, x, work);
    for (size_t c = 0; c < modes->count; c++) {
        const double *phi = modes->phi + c * n, part = yk_dot(n, phi, work);

        for (size_t i = 0; i < n; i++)
            x[i] -= part * phi[i];
    }
}

/* One column of R; unit force at degree of freedom b. */
static enum yk_status residual_shape(const struct yk_modes *modes, const struct yk_matrix *M, struct yk_ldlt *shifted,
                                     double s, size_t b, double *R, double *work, struct yk_err *err)
{
    const size_t n = modes->n;
    double *next = work, *spare = work + n, change = 1, size = 0;
    enum yk_status st = YK_OK;

    memset(R, 0, n * sizeof *R);
    for (int round = 0; round < ROUNDS && change > CONVERGED * size; round++) {
        memset(next, 0, n * sizeof *next);
        yk_matrix_add_product(M, s, R, next);
        next[b] += 1;
        if ((st = yk_ldlt_solve(shifted, 1, next)))
            return yk_fail(err, st, "rubin: the shifted stiffness cannot be solved");
        take_out_kept(modes, M, next, spare);
        change = size = 0;
        for (size_t i = 0; i < n; i++) {
            change = fmax(change, fabs(next[i] - R[i]));
            size = fmax(size, fabs(next[i]));
            R[i] = next[i];
        }
    }
    return st;
}

/* X := X A^-1 for the small square matrix A of order m, X n x m. */
static enum yk_status divide(size_t n, size_t m, double *X, const struct yk_matrix *A, struct yk_err *err)
{
    struct yk_factor *f = NULL;
    struct yk_matrix transposed = {0};
    double *row = calloc(m + 1, sizeof *row);
    enum yk_status st =
        row ? yk_matrix_init(&transposed, YK_DENSE, m, m, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t k = 0; !st && k < m * m; k++)
        transposed.x[k] = A->x[k / m + (k % m) * m];
    if (!st && (st = yk_factor_create(&f, &transposed, NULL, err)))
        yk_fail_within(err, YK_NOWHERE, "rubin: the flexibility of the left-out modes at the interface: ");
    for (size_t i = 0; !st && i < n; i++) {
        for (size_t c = 0; c < m; c++)
            row[c] = X[i + c * n];
        yk_factor_solve(f, row);
        for (size_t c = 0; c < m; c++)
            X[i + c * n] = row[c];
    }
    yk_factor_destroy(f);
    yk_matrix_fini(&transposed);
    free(row);
    return st;
}

/* T = [Phi - S Phi_b, S], S = R R_b^-1; R stands in the last columns of T. */
static enum yk_status place(const struct yk_reduce_task *t, const struct yk_modes *modes, double *T, struct yk_err *err)
{
    const size_t n = t->full, m = modes->count, nb = t->interface_count;
    double *S = T + m * n;
    struct yk_matrix Rb = {0};
    enum yk_status st = yk_matrix_init(&Rb, YK_DENSE, nb, nb, err);

    for (size_t c = 0; !st && c < nb; c++)
        for (size_t k = 0; k < nb; k++)
            Rb.x[k + c * nb] = S[t->interface_dofs[k] + c * n];
    if (!st)
        st = divide(n, nb, S, &Rb, err);
    yk_matrix_fini(&Rb);
    for (size_t c = 0; !st && c < m; c++) {
        memcpy(T + c * n, modes->phi + c * n, n * sizeof *T);
        for (size_t k = 0; k < nb; k++) {
            const double at_interface = modes->phi[t->interface_dofs[k] + c * n];

            for (size_t i = 0; i < n; i++)
                T[i + c * n] -= at_interface * S[i + k * n];
        }
    }
    return st;
}

static enum yk_status basis(struct yk_reduce_task *t, struct yk_reduced *out, struct yk_err *err)
{
    struct yk_modes modes = {0};
    struct yk_ldlt *shifted = NULL;
    double *work = calloc(2 * t->full, sizeof *work), s = 0;
    enum yk_status st = work ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    yk_progress_tell(&t->settings->progress, "modes of the free interface", 0.1);
    if (st || (st = yk_modes_find(&modes, &t->K, &t->M, t->settings, NULL, &out->check, err)))
        goto end;
    if (modes.count + t->interface_count > t->full) { /* R would be made of rounding errors */
        st = yk_fail(
            err, YK_E_RANGE,
            "rubin: %zu modes and %zu interface displacements of %zu degrees of freedom; keep at most %zu modes",
            modes.count, t->interface_count, t->full, t->full - t->interface_count);
        goto end;
    }
    if (yk_modes_rigid(&modes, &t->K) == modes.count) {
        st = yk_fail(err, YK_E_RANGE, "rubin: all %zu kept modes are rigid motions; keep more", modes.count);
        goto end;
    }
    s = SHIFT_SHARE * modes.w2[modes.count - 1];
    out->T = calloc(t->full * (modes.count + t->interface_count), sizeof *out->T);
    if (!out->T) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
        goto end;
    }
    yk_progress_tell(&t->settings->progress, "flexibility of the left-out modes", 0.7);
    if ((st = yk_ldlt_sum(&shifted, 2, (double[]){1, s}, (const struct yk_matrix *[]){&t->K, &t->M}, err)))
        goto end;
    for (size_t c = 0; c < t->interface_count && !st; c++)
        st = residual_shape(&modes, &t->M, shifted, s, t->interface_dofs[c], out->T + (modes.count + c) * t->full, work,
                            err);
    if (!st)
        st = place(t, &modes, out->T, err);
    out->modes = modes.count;
    out->w2 = modes.w2;
    modes.w2 = NULL;
end:
    yk_ldlt_destroy(shifted);
    yk_modes_free(&modes);
    free(work);
    return st;
}

const struct yk_reduction_ops yk_reduction_rubin = {
    .name = "rubin",
    .summary = "free-interface modes and residual flexibility of the others",
    .reference = "MacNeal 1971; Rubin 1975",
    .modal = true,
    .basis = basis,
};
