/* Positive definiteness by the pivots of A = L D L^T: dense by elimination, sparse by LDL after AMD ordering. */
#include "linalg/definite.h"

#include <stdlib.h>
#include <string.h>

#include <amd.h>
#include <ldl.h>

static bool diagonal(const struct yk_matrix *A, size_t *row)
{
    for (*row = 0; *row < A->rows; ++*row)
        if (!(A->x[*row] > 0))
            return false;
    return true;
}

/* A pivot this far below its own diagonal entry is rounding, not inertia. */
static bool lost(double pivot, double diagonal_entry)
{
    return !(pivot > 1e-13 * diagonal_entry && diagonal_entry > 0);
}

static bool dense(const struct yk_matrix *A, size_t *row)
{
    const size_t n = A->rows;
    double *L = malloc(n * n * sizeof *L);
    bool good = L != NULL;

    *row = 0;
    if (L)
        memcpy(L, A->x, n * n * sizeof *L);
    for (size_t k = 0; good && k < n; k++) {
        *row = k;
        good = !lost(L[k + k * n], A->x[k + k * n]);
        for (size_t j = k + 1; good && j < n; j++) {
            const double factor = L[k + j * n] / L[k + k * n];
            for (size_t i = j; i < n; i++)
                L[j + i * n] -= factor * L[k + i * n];
        }
    }
    free(L);
    return good;
}

static bool sparse(const struct yk_matrix *A, size_t *row)
{
    const int n = (int)A->rows;
    int *work = malloc((size_t)(7 * n + 1) * sizeof *work);
    int *P, *Pinv, *Parent, *Lnz, *Flag, *Pattern, *Lp, *Li = NULL, found = -1;
    double *Lx = NULL, *D = malloc(2 * (size_t)n * sizeof *D);
    bool good = false;

    *row = 0;
    if (!work || !D)
        goto end;
    P = work;
    Pinv = P + n;
    Parent = Pinv + n;
    Lnz = Parent + n;
    Flag = Lnz + n;
    Pattern = Flag + n;
    Lp = Pattern + n;
    if (amd_order(n, A->col, A->row, P, NULL, NULL) < AMD_OK)
        goto end;
    ldl_symbolic(n, A->col, A->row, Lp, Parent, Lnz, Flag, P, Pinv);
    Li = malloc((size_t)(Lp[n] + 1) * sizeof *Li);
    Lx = malloc((size_t)(Lp[n] + 1) * sizeof *Lx);
    if (!Li || !Lx)
        goto end;
    found = ldl_numeric(n, A->col, A->row, A->x, Lp, Parent, Lnz, Li, Lx, D, D + n, Pattern, Flag, P, Pinv);
    good = found == n;
    for (int k = 0; k < found; k++)
        if (lost(D[k], yk_matrix_get(A, (size_t)P[k], (size_t)P[k]))) {
            found = k;
            good = false;
        }
    if (!good)
        *row = (size_t)P[found];
end:
    free(work);
    free(Li);
    free(Lx);
    free(D);
    return good;
}

bool yk_matrix_is_definite(const struct yk_matrix *A, size_t *row)
{
    switch (A->form) {
    case YK_DIAGONAL:
        return diagonal(A, row);
    case YK_DENSE:
        return dense(A, row);
    case YK_SPARSE:
        break;
    }
    return sparse(A, row);
}
