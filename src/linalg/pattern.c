/* The pattern of a matrix that changes: its entries, found and spread. */
#include "linalg/blas.h"

#include <stdlib.h>
#include <string.h>

/* Appends (i, j) and (j, i). */
static size_t list_both(int *row, int *col, size_t at, int i, int j)
{
    row[at] = col[at + 1] = i;
    col[at] = row[at + 1] = j;
    return at + 2;
}

static size_t list_matrix(const struct yk_matrix *A, int *row, int *col, size_t at)
{
    for (size_t j = 0; j < A->cols; j++) {
        const size_t first = A->form == YK_SPARSE ? (size_t)A->col[j] : A->form == YK_DENSE ? j * A->rows : j;
        const size_t end = A->form == YK_SPARSE  ? (size_t)A->col[j + 1]
                           : A->form == YK_DENSE ? (j + 1) * A->rows
                                                 : j + 1;

        for (size_t k = first; k < end; k++) {
            const size_t i = A->form == YK_SPARSE ? (size_t)A->row[k] : A->form == YK_DENSE ? k - first : j;

            if (A->x[k] != 0)
                at = list_both(row, col, at, (int)i, (int)j);
        }
    }
    return at;
}

enum yk_status yk_pattern_init(struct yk_pattern *p, size_t n, size_t count, const struct yk_matrix *const *A,
                               size_t listed, const int *row, const int *col, struct yk_err *err)
{
    size_t most = n + listed, at = 0;
    struct yk_matrix made = {0};
    int *rows, *cols;
    double *ones;
    enum yk_status st;

    *p = (struct yk_pattern){.n = n};
    for (size_t k = 0; k < count; k++)
        most += yk_matrix_stored(A[k]);
    rows = yk_ints(2 * most);
    cols = yk_ints(2 * most);
    ones = yk_doubles(2 * most);
    if (!rows || !cols || !ones) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory: a pattern of %zu entries could not be allocated", most);
        goto end;
    }
    for (size_t i = 0; i < n; i++)
        at = list_both(rows, cols, at, (int)i, (int)i);
    for (size_t k = 0; k < count; k++)
        at = list_matrix(A[k], rows, cols, at);
    for (size_t k = 0; k < listed; k++)
        at = list_both(rows, cols, at, row[k], col[k]);
    for (size_t k = 0; k < at; k++)
        ones[k] = 1;
    if ((st = yk_matrix_from_triplets(&made, n, n, at, rows, cols, ones, err)))
        goto end;
    p->entries = (size_t)made.col[n];
    p->col = made.col;
    p->row = made.row;
    made.col = made.row = NULL;
    if (!(p->varies = calloc(p->entries + 1, sizeof *p->varies))) {
        yk_pattern_fini(p);
        st = yk_fail(err, YK_E_MEMORY, "out of memory: a pattern of %zu entries could not be allocated", most);
    }
end:
    yk_matrix_fini(&made);
    free(ones);
    free(cols);
    free(rows);
    return st;
}

void yk_pattern_fini(struct yk_pattern *p)
{
    free(p->col);
    free(p->row);
    free(p->varies);
    *p = (struct yk_pattern){0};
}

size_t yk_pattern_find(const struct yk_pattern *p, size_t i, size_t j)
{
    int low = p->col[j], high = p->col[j + 1];

    while (low < high) {
        const int middle = low + (high - low) / 2;

        if ((size_t)p->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return (size_t)low;
}

void yk_pattern_values(const struct yk_pattern *p, const struct yk_matrix *A, double *x)
{
    for (size_t j = 0; j < p->n; j++)
        for (int k = p->col[j]; k < p->col[j + 1]; k++)
            x[k] = yk_matrix_get(A, (size_t)p->row[k], j);
}

/* From the last to the first: no value is moved to the place of one that has not moved yet. */
YK_RT void yk_pattern_spread(const struct yk_pattern *p, double *x)
{
    size_t end = p->n * p->n; /* of what is still to be cleared */

    if (p->entries == end)
        return;
    for (size_t j = p->n; j-- > 0;)
        for (int k = p->col[j + 1]; k-- > p->col[j];) {
            const size_t to = (size_t)p->row[k] + j * p->n;
            const double value = x[k];

            for (size_t i = to + 1; i < end; i++)
                x[i] = 0;
            x[to] = value;
            end = to;
        }
    memset(x, 0, end * sizeof *x);
}
