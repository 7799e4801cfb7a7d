/* Matrices in four forms (dense column-major, diagonal, compressed sparse columns, diagonal plus low rank): making,
 * converting, multiplying. Sums: matrix_sum.c. */
#include "linalg/blas.h"
#include "linalg/thin.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,                /* bytes of a cache line                                                        */
    CACHED = 32768,           /* entries a dense matrix may have to stay in the nearer caches (256 KiB)       */
    SPARSE_SHARE_CACHED = 12, /* sparse pays when one entry in so many is used: an entry costs 0.9 ns sparse */
    SPARSE_SHARE = 4          /* and 0.07 ns dense in the cache, but more than 0.3 ns from memory             */
};

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static void *zeroed(size_t count, size_t size)
{
    size_t bytes;
    void *block;

    if (count > (SIZE_MAX - LINE) / size)
        return NULL;
    bytes = (count ? count * size + LINE - 1 : LINE) / LINE * LINE;
    block = aligned_alloc(LINE, bytes);
    if (block)
        memset(block, 0, bytes);
    return block;
}

double *yk_doubles(size_t count)
{
    return zeroed(count, sizeof(double));
}

int *yk_ints(size_t count)
{
    return zeroed(count, sizeof(int));
}

static enum yk_status check_size(enum yk_form form, size_t rows, size_t cols, size_t stored, struct yk_err *err)
{
    if (form == YK_DIAGONAL && rows != cols)
        return yk_fail(err, YK_E_INPUT, "a diagonal matrix must be square, not %zu x %zu", rows, cols);
    if (rows >= INT_MAX || cols >= INT_MAX || stored > INT_MAX)
        return yk_fail(err, YK_E_RANGE, "a matrix of %zu x %zu with %zu stored entries is beyond 2^31 entries", rows,
                       cols, stored);
    return YK_OK;
}

/* A zero matrix with room for `stored` values (which the sparse form leaves unused). */
static enum yk_status allocate(struct yk_matrix *A, enum yk_form form, size_t rows, size_t cols, size_t stored,
                               struct yk_err *err)
{
    enum yk_status st = check_size(form, rows, cols, stored, err);

    *A = (struct yk_matrix){.form = form};
    if (st)
        return st;
    A->x = yk_doubles(stored);
    if (form == YK_SPARSE) {
        A->col = yk_ints(cols + 1);
        A->row = yk_ints(stored);
    }
    if (!A->x || (form == YK_SPARSE && (!A->col || !A->row))) {
        yk_matrix_fini(A);
        return yk_fail(err, YK_E_MEMORY, "out of memory: a matrix of %zu x %zu could not be allocated", rows, cols);
    }
    A->rows = rows;
    A->cols = cols;
    return YK_OK;
}

enum yk_status yk_matrix_init(struct yk_matrix *A, enum yk_form form, size_t rows, size_t cols, struct yk_err *err)
{
    size_t stored = form == YK_SPARSE ? 0 : rows;

    if (form == YK_DENSE)
        stored = cols && rows > SIZE_MAX / cols ? SIZE_MAX : rows * cols;
    return allocate(A, form, rows, cols, stored, err);
}

void yk_matrix_fini(struct yk_matrix *A)
{
    free(A->x);
    free(A->col);
    free(A->row);
    *A = (struct yk_matrix){0};
}

size_t yk_matrix_stored(const struct yk_matrix *A)
{
    if (A->form == YK_SPARSE)
        return A->col ? (size_t)A->col[A->cols] : 0;
    if (A->form == YK_THIN)
        return A->rows + A->columns * A->columns;
    return A->form == YK_DIAGONAL ? A->rows : A->rows * A->cols;
}

enum yk_status yk_matrix_copy(struct yk_matrix *to, const struct yk_matrix *from, struct yk_err *err)
{
    const size_t stored = yk_matrix_stored(from);
    struct yk_matrix copy;
    enum yk_status st = allocate(&copy, from->form, from->rows, from->cols, stored, err);

    if (st)
        return st;
    if (stored)
        memcpy(copy.x, from->x, stored * sizeof *copy.x);
    if (from->form == YK_SPARSE) {
        memcpy(copy.col, from->col, (from->cols + 1) * sizeof *copy.col);
        memcpy(copy.row, from->row, stored * sizeof *copy.row);
    }
    copy.E = from->E;
    copy.columns = from->columns;
    *to = copy;
    return YK_OK;
}

/* ---- sparse from triplets -------------------------------------------------------------------------------------- */

/* One pass of a stable counting sort: `to` receives the indices in `from` (NULL: 0, 1, ...) ordered by key[index];
 * start has room for keys+1 numbers and returns where each key's run begins. */
static void sort_by_key(size_t count, size_t keys, const int *key, const int *from, int *to, int *start)
{
    memset(start, 0, (keys + 1) * sizeof *start);
    for (size_t k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (size_t j = 0; j < keys; j++)
        start[j + 1] += start[j];
    for (size_t k = 0; k < count; k++) {
        int index = from ? from[k] : (int)k;

        to[start[key[index]]++] = index;
    }
    memmove(start + 1, start, keys * sizeof *start);
    start[0] = 0;
}

/* Writes the triplets, in the order of column and row, into A; repeated places are added in the order given. */
static void gather(struct yk_matrix *A, const int *order, const int *start, const int *row, const double *value)
{
    int filled = 0;

    for (size_t j = 0; j < A->cols; j++) {
        A->col[j] = filled;
        for (int k = start[j]; k < start[j + 1]; k++) {
            const int index = order[k];

            if (filled > A->col[j] && A->row[filled - 1] == row[index]) {
                A->x[filled - 1] += value[index];
            } else {
                A->row[filled] = row[index];
                A->x[filled++] = value[index];
            }
        }
    }
    A->col[A->cols] = filled;
}

enum yk_status yk_matrix_from_triplets(struct yk_matrix *A, size_t rows, size_t cols, size_t count, const int *row,
                                       const int *col, const double *value, struct yk_err *err)
{
    int *by_row = NULL, *order = NULL, *start = NULL;
    struct yk_matrix made;
    enum yk_status st = allocate(&made, YK_SPARSE, rows, cols, count, err);

    if (st)
        return st;
    for (size_t k = 0; k < count; k++) {
        if (row[k] < 0 || (size_t)row[k] >= rows || col[k] < 0 || (size_t)col[k] >= cols) {
            st = yk_fail(err, YK_E_RANGE, "entry %zu at row %d, column %d lies outside a %zu x %zu matrix", k + 1,
                         row[k] + 1, col[k] + 1, rows, cols);
            goto fail;
        }
    }
    by_row = yk_ints(count);
    order = yk_ints(count);
    start = yk_ints((rows > cols ? rows : cols) + 1);
    if (!by_row || !order || !start) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory: %zu matrix entries could not be sorted", count);
        goto fail;
    }
    sort_by_key(count, rows, row, NULL, by_row, start);
    sort_by_key(count, cols, col, by_row, order, start);
    gather(&made, order, start, row, value);
    *A = made;
    made = (struct yk_matrix){0};
fail:
    free(start);
    free(order);
    free(by_row);
    yk_matrix_fini(&made);
    return st;
}

enum yk_status yk_matrix_to_sparse(struct yk_matrix *out, const struct yk_matrix *A, struct yk_err *err)
{
    const bool diagonal = A->form == YK_DIAGONAL;
    const size_t count = diagonal ? A->rows : A->rows * A->cols;
    int *row, *col;
    enum yk_status st;

    if (A->form == YK_SPARSE)
        return yk_matrix_copy(out, A, err);
    row = yk_ints(count);
    col = yk_ints(count);
    if (row && col) {
        for (size_t k = 0; k < count; k++) {
            row[k] = (int)(k % A->rows);
            col[k] = (int)(diagonal ? k : k / A->rows);
        }
        st = yk_matrix_from_triplets(out, A->rows, A->cols, count, row, col, A->x, err);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory: a matrix of %zu x %zu could not be allocated", A->rows, A->cols);
    }
    free(row);
    free(col);
    return st;
}

/* ---- looking inside -------------------------------------------------------------------------------------------- */

double yk_matrix_get(const struct yk_matrix *A, size_t i, size_t j)
{
    int low, high;

    if (A->form == YK_DENSE)
        return A->x[i + j * A->rows];
    if (A->form == YK_DIAGONAL)
        return i == j ? A->x[i] : 0.0;
    if (A->form == YK_THIN)
        return yk_thin_get(A, i, j);

    low = A->col[j];
    high = A->col[j + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;

        if ((size_t)A->row[middle] == i)
            return A->x[middle];
        if ((size_t)A->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return 0.0;
}

void yk_matrix_to_dense(const struct yk_matrix *A, double *dense)
{
    const size_t entries = A->rows * A->cols;

    if (!entries)
        return;
    if (A->form == YK_DENSE) {
        memcpy(dense, A->x, entries * sizeof *dense);
        return;
    }
    if (A->form == YK_THIN) {
        for (size_t k = 0; k < entries; k++)
            dense[k] = yk_thin_get(A, k % A->rows, k / A->rows);
        return;
    }
    memset(dense, 0, entries * sizeof *dense);
    if (A->form == YK_DIAGONAL) {
        for (size_t i = 0; i < A->rows; i++)
            dense[i + i * A->rows] = A->x[i];
        return;
    }
    for (size_t j = 0; j < A->cols; j++)
        for (int k = A->col[j]; k < A->col[j + 1]; k++)
            dense[(size_t)A->row[k] + j * A->rows] = A->x[k];
}

size_t yk_matrix_nonzeros(const struct yk_matrix *A)
{
    const size_t stored = yk_matrix_stored(A);
    size_t count = 0;

    for (size_t k = 0; k < stored; k++)
        count += A->x[k] != 0.0;
    return count;
}

bool yk_matrix_is_finite(const struct yk_matrix *A)
{
    return yk_all_finite(yk_matrix_stored(A), A->x);
}

static double largest_entry(const struct yk_matrix *A)
{
    const size_t stored = yk_matrix_stored(A);
    double largest = 0.0;

    for (size_t k = 0; k < stored; k++)
        largest = fmax(largest, fabs(A->x[k]));
    return largest;
}

struct place {
    double difference;
    size_t i, j;
};

/* Keeps the worse of two places; written so that NaN counts as worst. */
static void note_difference(struct place *worst, const struct yk_matrix *A, size_t i, size_t j)
{
    double difference = fabs(yk_matrix_get(A, i, j) - yk_matrix_get(A, j, i));

    if (!(difference <= worst->difference) && !isnan(worst->difference))
        *worst = (struct place){difference, i > j ? i : j, i > j ? j : i};
}

double yk_matrix_asymmetry(const struct yk_matrix *A, size_t *i, size_t *j)
{
    struct place worst = {0};

    if (A->rows != A->cols) {
        worst.difference = INFINITY;
    } else if (A->form == YK_DENSE || A->form == YK_THIN) {
        for (size_t c = 0; c < A->cols; c++)
            for (size_t r = c + 1; r < A->rows; r++)
                note_difference(&worst, A, r, c);
    } else if (A->form == YK_SPARSE) {
        for (size_t c = 0; c < A->cols; c++)
            for (int k = A->col[c]; k < A->col[c + 1]; k++)
                if ((size_t)A->row[k] != c)
                    note_difference(&worst, A, (size_t)A->row[k], c);
    }
    if (i)
        *i = worst.i;
    if (j)
        *j = worst.j;
    return worst.difference == 0.0 || isinf(worst.difference) ? worst.difference : worst.difference / largest_entry(A);
}

/* ---- changing the form ----------------------------------------------------------------------------------------- */

static bool all_on_diagonal(const struct yk_matrix *A)
{
    if (A->form == YK_DIAGONAL)
        return true;
    if (A->rows != A->cols)
        return false;
    for (size_t j = 0; j < A->cols; j++) {
        if (A->form == YK_SPARSE) {
            for (int k = A->col[j]; k < A->col[j + 1]; k++)
                if ((size_t)A->row[k] != j && A->x[k] != 0.0)
                    return false;
        } else {
            for (size_t i = 0; i < A->rows; i++)
                if (i != j && A->x[i + j * A->rows] != 0.0)
                    return false;
        }
    }
    return true;
}

/* Copies the nonzeros of one column of a dense or sparse matrix behind those already in `to`. */
static void append_column(struct yk_matrix *to, const struct yk_matrix *from, size_t j, int *filled)
{
    const int first = from->form == YK_SPARSE ? from->col[j] : 0;
    const int end = from->form == YK_SPARSE ? from->col[j + 1] : (int)from->rows;
    const double *x = from->form == YK_SPARSE ? from->x : from->x + j * from->rows;

    for (int k = first; k < end; k++) {
        if (x[k] == 0.0)
            continue;
        to->row[*filled] = from->form == YK_SPARSE ? from->row[k] : k;
        to->x[(*filled)++] = x[k];
    }
}

/* Without the zeros that were stored. */
static void fill_sparse(struct yk_matrix *to, const struct yk_matrix *from)
{
    int filled = 0;

    for (size_t j = 0; j < from->cols; j++) {
        to->col[j] = filled;
        append_column(to, from, j, &filled);
    }
    to->col[from->cols] = filled;
}

enum yk_status yk_matrix_compact(struct yk_matrix *A, struct yk_err *err)
{
    if (A->form == YK_THIN)
        return YK_OK;
    const size_t nonzeros = yk_matrix_nonzeros(A);
    const size_t entries = A->rows * A->cols;
    enum yk_form form = YK_DENSE;
    struct yk_matrix made;
    enum yk_status st;

    if (nonzeros * (entries > CACHED ? SPARSE_SHARE : SPARSE_SHARE_CACHED) < entries)
        form = YK_SPARSE;
    if (all_on_diagonal(A))
        form = YK_DIAGONAL;
    if (form == A->form && (form != YK_SPARSE || nonzeros == yk_matrix_stored(A)))
        return YK_OK;

    if (form == YK_SPARSE)
        st = allocate(&made, YK_SPARSE, A->rows, A->cols, nonzeros, err);
    else
        st = yk_matrix_init(&made, form, A->rows, A->cols, err);
    if (st)
        return st;
    if (form == YK_SPARSE)
        fill_sparse(&made, A);
    else if (form == YK_DENSE)
        yk_matrix_to_dense(A, made.x);
    else
        for (size_t i = 0; i < A->rows; i++)
            made.x[i] = yk_matrix_get(A, i, i);
    yk_matrix_fini(A);
    *A = made;
    return YK_OK;
}

/* ---- products -------------------------------------------------------------------------------------------------- */

YK_RT static void sparse_add_product(const struct yk_matrix *A, double alpha, const double *x, double *y)
{
    const int *restrict col = A->col, *restrict row = A->row; /* y touches none of them */
    const double *restrict value = A->x;

    for (size_t j = 0; j < A->cols; j++) {
        const double scaled = alpha * x[j];

        for (int k = col[j]; k < col[j + 1]; k++)
            y[row[k]] += value[k] * scaled;
    }
}

YK_RT static void sparse_add_transposed(const struct yk_matrix *A, double alpha, const double *x, double *y)
{
    const int *restrict col = A->col, *restrict row = A->row;
    const double *restrict value = A->x;

    for (size_t j = 0; j < A->cols; j++) {
        double sum = 0.0;

        for (int k = col[j]; k < col[j + 1]; k++)
            sum += value[k] * x[row[k]];
        y[j] += alpha * sum;
    }
}

YK_RT static void diagonal_add_product(const struct yk_matrix *A, double alpha, const double *x, double *y)
{
    for (size_t i = 0; i < A->rows; i++)
        y[i] += alpha * A->x[i] * x[i];
}

YK_RT void yk_matrix_add_product(const struct yk_matrix *A, double alpha, const double *x, double *y)
{
    if (A->form == YK_DENSE)
        yk_add_columns(A->rows, A->cols, A->rows, alpha, A->x, x, y);
    else if (A->form == YK_SPARSE)
        sparse_add_product(A, alpha, x, y);
    else if (A->form == YK_DIAGONAL)
        diagonal_add_product(A, alpha, x, y);
    else
        yk_thin_add_product(A, false, alpha, x, y);
}

YK_RT void yk_matrix_add_transposed_product(const struct yk_matrix *A, double alpha, const double *x, double *y)
{
    if (A->form == YK_DENSE)
        yk_add_rows(A->rows, A->cols, A->rows, alpha, A->x, x, y);
    else if (A->form == YK_SPARSE)
        sparse_add_transposed(A, alpha, x, y);
    else if (A->form == YK_DIAGONAL)
        diagonal_add_product(A, alpha, x, y);
    else
        yk_thin_add_product(A, true, alpha, x, y);
}
