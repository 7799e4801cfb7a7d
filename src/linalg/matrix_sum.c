/* Sums of matrices in any forms, sum_k factor_k A_k, in the form that suits the result. */
#include "linalg/blas.h"

#include <stdlib.h>

static enum yk_status check_same_size(size_t count, const struct yk_matrix *const *A, struct yk_err *err)
{
    if (!count)
        return yk_fail(err, YK_E_INPUT, "no matrices to combine");
    for (size_t k = 1; k < count; k++)
        if (A[k]->rows != A[0]->rows || A[k]->cols != A[0]->cols)
            return yk_fail(err, YK_E_INPUT, "matrices of %zu x %zu and %zu x %zu cannot be added", A[0]->rows,
                           A[0]->cols, A[k]->rows, A[k]->cols);
    return YK_OK;
}

/* Sums of diagonal and thin matrices are made where all thin ones have the same columns. */
static const struct yk_matrix *thin_one(size_t count, const struct yk_matrix *const *A)
{
    const struct yk_matrix *thin = NULL;

    for (size_t k = 0; k < count; k++)
        if (A[k]->form == YK_THIN)
            thin = A[k];
    return thin;
}

static enum yk_status combine_thin(struct yk_matrix *out, size_t count, const double *factor,
                                   const struct yk_matrix *const *A, const struct yk_matrix *thin, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init_thin(out, thin->rows, thin->columns, thin->E, err);

    for (size_t k = 0; k < count && !st; k++) {
        const bool fits = A[k]->form == YK_DIAGONAL || (A[k]->form == YK_THIN && A[k]->E == thin->E);
        const size_t stored = yk_matrix_stored(A[k]);

        if (!fits)
            st = yk_fail(err, YK_E_INPUT, "a matrix of low rank can only be added to diagonal ones");
        for (size_t i = 0; i < stored && !st; i++)
            out->x[i] += factor[k] * A[k]->x[i];
    }
    return st;
}

/* The narrowest form that surely holds the sum: enum yk_form does not order them, so ask one by one. */
static enum yk_form form_of_sum(size_t count, const struct yk_matrix *const *A)
{
    enum yk_form form = YK_DIAGONAL;

    for (size_t k = 0; k < count; k++) {
        if (A[k]->form == YK_DENSE)
            return YK_DENSE;
        if (A[k]->form == YK_SPARSE)
            form = YK_SPARSE;
    }
    return form;
}

/* out += factor A, where out is dense, or both are diagonal */
static void accumulate(struct yk_matrix *out, double factor, const struct yk_matrix *A)
{
    if (A->form == out->form) {
        const size_t stored = yk_matrix_stored(A);

        for (size_t k = 0; k < stored; k++)
            out->x[k] += factor * A->x[k];
    } else if (A->form == YK_DIAGONAL) {
        for (size_t i = 0; i < A->rows; i++)
            out->x[i + i * A->rows] += factor * A->x[i];
    } else {
        for (size_t j = 0; j < A->cols; j++)
            for (int k = A->col[j]; k < A->col[j + 1]; k++)
                out->x[(size_t)A->row[k] + j * A->rows] += factor * A->x[k];
    }
}

/* Appends the entries of factor A, A diagonal or sparse, to a list of triplets. */
static size_t list_entries(double factor, const struct yk_matrix *A, int *row, int *col, double *value)
{
    size_t listed = 0;

    for (size_t j = 0; j < A->cols; j++) {
        const int first = A->form == YK_SPARSE ? A->col[j] : (int)j;
        const int end = A->form == YK_SPARSE ? A->col[j + 1] : (int)j + 1;

        for (int k = first; k < end; k++, listed++) {
            row[listed] = A->form == YK_SPARSE ? A->row[k] : k;
            col[listed] = (int)j;
            value[listed] = factor * A->x[k];
        }
    }
    return listed;
}

static enum yk_status combine_sparse(struct yk_matrix *out, size_t count, const double *factor,
                                     const struct yk_matrix *const *A, struct yk_err *err)
{
    size_t total = 0, listed = 0;
    int *row, *col;
    double *value;
    enum yk_status st;

    for (size_t k = 0; k < count; k++)
        total += yk_matrix_stored(A[k]);
    row = yk_ints(total);
    col = yk_ints(total);
    value = yk_doubles(total);
    if (!row || !col || !value) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory: %zu matrix entries could not be added", total);
        goto fail;
    }
    for (size_t k = 0; k < count; k++)
        listed += list_entries(factor[k], A[k], row + listed, col + listed, value + listed);
    st = yk_matrix_from_triplets(out, A[0]->rows, A[0]->cols, listed, row, col, value, err);
fail:
    free(value);
    free(col);
    free(row);
    return st;
}

enum yk_status yk_matrix_combine(struct yk_matrix *out, size_t count, const double *factor,
                                 const struct yk_matrix *const *A, struct yk_err *err)
{
    struct yk_matrix sum = {0};
    enum yk_form form;
    enum yk_status st;

    if ((st = check_same_size(count, A, err)))
        return st;
    form = form_of_sum(count, A);
    if (thin_one(count, A)) {
        st = combine_thin(&sum, count, factor, A, thin_one(count, A), err);
    } else if (form == YK_SPARSE) {
        st = combine_sparse(&sum, count, factor, A, err);
    } else {
        st = yk_matrix_init(&sum, form, A[0]->rows, A[0]->cols, err);
        for (size_t k = 0; !st && k < count; k++)
            accumulate(&sum, factor[k], A[k]);
    }
    if (st || (st = yk_matrix_compact(&sum, err)))
        goto fail;
    *out = sum;
    return YK_OK;
fail:
    yk_matrix_fini(&sum);
    return st;
}
