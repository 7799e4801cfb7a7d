/* Positive definiteness by the pivots of A = L D L^T: dense by elimination, sparse in supernodes. */
#include "linalg/definite.h"

#include "linalg/blas.h"
#include "linalg/supernodal.h"

#include <stdlib.h>
#include <string.h>

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
    struct yk_supernodal *s;
    double *numbers, *work;
    int *iwork;
    struct yk_pivots pivots = {0};
    bool good = false;

    *row = 0;
    if (yk_supernodal_create(&s, A, NULL))
        return false;
    numbers = yk_doubles(s->numbers);
    work = yk_doubles(s->factor_work);
    iwork = yk_ints(s->iwork);
    if (numbers && work && iwork) {
        const double *D = numbers + s->numbers - s->n;

        good = yk_supernodal_factor(s, A->x, numbers, work, iwork, &pivots) == YK_OK;
        *row = pivots.lost;
        for (size_t k = 0; good && k < s->n; k++) {
            *row = (size_t)s->P[k];
            good = !lost(D[k], yk_matrix_get(A, *row, *row));
        }
    }
    free(iwork);
    free(work);
    free(numbers);
    yk_supernodal_destroy(s);
    return good;
}

bool yk_matrix_is_definite(const struct yk_matrix *A, size_t *row)
{
    switch (A->form) {
    case YK_DIAGONAL:
        return diagonal(A, row);
    case YK_DENSE:
        return dense(A, row);
    case YK_THIN: /* tangents in modes: nobody asks */
        *row = 0;
        return false;
    case YK_SPARSE:
        break;
    }
    return sparse(A, row);
}
