/* Rows sum_j c_j u_j = 0 over the degrees of freedom of all substructures, in reduced echelon form.
 *
 * Every pivot column is a dependent degree of freedom, u_dep = -sum c u_free; from these follow the maps T_k. The rows
 * are stored one after the other, so that elimination runs along memory. */
#include "substructure/echelon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING 1e-12 /* a coefficient this small against the largest of its row is rounding */

/* Among the columns of a row, the one with the largest coefficient; ties go to the last, so that the first substructure
 * named keeps its degrees of freedom. */
static size_t pick_pivot(const double *row, size_t cols, double *largest)
{
    size_t pivot = 0;

    *largest = 0;
    for (size_t j = 0; j < cols; j++)
        if (fabs(row[j]) > 0 && fabs(row[j]) >= *largest * (1 - 1e-12)) {
            *largest = fmax(*largest, fabs(row[j]));
            pivot = j;
        }
    return pivot;
}

/* Scales a row to a largest coefficient of 1, so that what counts as nothing does not depend on the user's scale. */
static void normalise(double *row, size_t cols)
{
    double largest;

    pick_pivot(row, cols, &largest);
    for (size_t j = 0; largest > 0 && j < cols; j++)
        row[j] /= largest;
}

/* other -= other[pivot] * row; what cancels is made exactly zero, so that a held degree of freedom shows as one */
static void clear_column(const double *row, size_t pivot, size_t cols, double *other)
{
    const double factor = other[pivot];

    for (size_t j = 0; factor != 0 && j < cols; j++)
        if (row[j] != 0) {
            other[j] -= factor * row[j];
            if (fabs(other[j]) < NOTHING)
                other[j] = 0;
        }
    other[pivot] = 0;
}

static void eliminate(struct yk_echelon *e)
{
    for (size_t r = 0; r < e->rows; r++) {
        double *row = e->x + r * e->cols, largest;
        size_t pivot = pick_pivot(row, e->cols, &largest);

        if (largest < NOTHING) { /* redundant: nothing new in it */
            memset(row, 0, e->cols * sizeof *row);
            continue;
        }
        e->pivot_of[pivot] = (long)r;
        for (size_t j = 0, p = pivot; j < e->cols; j++)
            if (j != p)
                row[j] /= row[p];
        row[pivot] = 1;
        for (size_t k = 0; k < e->rows; k++)
            if (k != r)
                clear_column(row, pivot, e->cols, e->x + k * e->cols);
    }
}

enum yk_status yk_echelon_init(struct yk_echelon *e, const struct yk_row *rows, size_t row_count, const size_t *offset,
                               size_t total, struct yk_err *err)
{
    e->rows = row_count;
    e->cols = total;
    e->x = calloc(row_count * total + 1, sizeof *e->x);
    e->pivot_of = malloc((total + 1) * sizeof *e->pivot_of);
    if (!e->x || !e->pivot_of)
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu interface rows", row_count);
    for (size_t j = 0; j < total; j++)
        e->pivot_of[j] = -1;
    for (size_t r = 0; r < row_count; r++)
        for (size_t i = 0; i < rows[r].count; i++)
            e->x[r * total + offset[rows[r].substructure[i]] + rows[r].dof[i]] += rows[r].coefficient[i];
    for (size_t r = 0; r < row_count; r++)
        normalise(e->x + r * total, total);
    eliminate(e);
    return YK_OK;
}

void yk_echelon_fini(struct yk_echelon *e)
{
    free(e->x);
    free(e->pivot_of);
    *e = (struct yk_echelon){0};
}

enum yk_status yk_echelon_map(struct yk_matrix *map, const struct yk_echelon *e, const long *free_index,
                              size_t free_count, size_t first, size_t n, struct yk_err *err)
{
    size_t entries = 0, room = 0;
    int *row, *col;
    double *value;
    enum yk_status st = YK_E_MEMORY;

    for (size_t i = first; i < first + n; i++)
        room += e->pivot_of[i] < 0 ? 1 : e->cols;
    row = malloc((room + 1) * sizeof *row);
    col = malloc((room + 1) * sizeof *col);
    value = malloc((room + 1) * sizeof *value);
    if (!row || !col || !value) {
        yk_fail(err, st, "out of memory for an interface map");
        goto end;
    }
    for (size_t i = first; i < first + n; i++) {
        const double *dependent = e->pivot_of[i] >= 0 ? e->x + (size_t)e->pivot_of[i] * e->cols : NULL;

        for (size_t j = dependent ? 0 : i; j < (dependent ? e->cols : i + 1); j++) {
            const double c = !dependent ? 1 : free_index[j] >= 0 ? -dependent[j] : 0;

            if (c == 0)
                continue;
            row[entries] = (int)free_index[j];
            col[entries] = (int)(i - first);
            value[entries++] = c;
        }
    }
    st = yk_matrix_from_triplets(map, free_count, n, entries, row, col, value, err);
end:
    free(row);
    free(col);
    free(value);
    return st;
}
