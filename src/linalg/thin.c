/* D + E S E^T with a diagonal D: the matrices of a structure in modes, where few of its parts are not
 * linear. Sherman, Morrison and Woodbury; Golub and Van Loan, Matrix Computations, section 2.1.4. */
#include "linalg/thin.h"

#include "linalg/blas.h"

#include <stdlib.h>
#include <string.h>

enum yk_status yk_matrix_init_thin(struct yk_matrix *A, size_t n, size_t columns, const double *E, struct yk_err *err)
{
    *A = (struct yk_matrix){0};
    if (columns > YK_THIN_MOST)
        return yk_fail(err, YK_E_RANGE, "a correction of rank %zu is more than %d", columns, YK_THIN_MOST);
    if (!(A->x = yk_doubles(n + columns * columns)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a matrix of order %zu", n);
    A->form = YK_THIN;
    A->rows = A->cols = n;
    A->E = E;
    A->columns = columns;
    return YK_OK;
}

YK_RT void yk_thin_add_product(const struct yk_matrix *A, bool transposed, double alpha, const double *x, double *y)
{
    const size_t n = A->rows, r = A->columns;
    const double *S = A->x + n;
    double seen[YK_THIN_MOST], changed[YK_THIN_MOST];

    memset(seen, 0, r * sizeof *seen);
    memset(changed, 0, r * sizeof *changed);
    for (size_t i = 0; i < n; i++)
        y[i] += alpha * A->x[i] * x[i];
    yk_add_rows(n, r, n, 1, A->E, x, seen);
    (transposed ? yk_add_rows : yk_add_columns)(r, r, r, alpha, S, seen, changed);
    yk_add_columns(n, r, n, 1, A->E, changed, y);
}

double yk_thin_get(const struct yk_matrix *A, size_t i, size_t j)
{
    const size_t n = A->rows, r = A->columns;
    double sum = i == j ? A->x[i] : 0;

    for (size_t q = 0; q < r; q++)
        for (size_t p = 0; p < r; p++)
            sum += A->E[i + p * n] * A->x[n + p + q * r] * A->E[j + q * n];
    return sum;
}

enum yk_status yk_thin_factor_init(struct yk_thin_factor *f, const struct yk_matrix *A, const double *reciprocals,
                                   struct yk_err *err)
{
    const size_t n = A->rows, r = A->columns;
    const int order = (int)r;
    const double *S = A->x + n;
    double *G = yk_doubles(r * r), *W = yk_doubles(r * r);
    int *pivot = yk_ints(r), info = 0;
    enum yk_status st = YK_OK;

    *f = (struct yk_thin_factor){.n = n, .rank = r, .E = A->E, .Z = yk_doubles(n * r), .P = yk_doubles(r * r)};
    if (!G || !W || !pivot || !f->Z || !f->P) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a correction of rank %zu", r);
    } else {
        for (size_t p = 0; p < r; p++) {
            yk_multiply_each(n, reciprocals, A->E + p * n, f->Z + p * n);
            yk_add_rows(n, r, n, 1, A->E, f->Z + p * n, W + p * r);
            G[p + p * r] = 1;
        }
        for (size_t p = 0; p < r; p++)
            yk_add_columns(r, r, r, 1, S, W + p * r, G + p * r);
        memcpy(f->P, S, r * r * sizeof *S);
        if (r)
            dgesv_(&order, &order, G, &order, pivot, f->P, &order, &info);
        if (info)
            st = yk_fail(err, YK_E_SINGULAR, "singular matrix: what is not linear takes away all stiffness and mass");
    }
    free(G);
    free(W);
    free(pivot);
    return st;
}

void yk_thin_factor_fini(struct yk_thin_factor *f)
{
    free(f->Z);
    free(f->P);
    *f = (struct yk_thin_factor){0};
}

YK_RT void yk_thin_factor_correct(const struct yk_thin_factor *f, double *y)
{
    double seen[YK_THIN_MOST], push[YK_THIN_MOST];

    memset(seen, 0, f->rank * sizeof *seen);
    memset(push, 0, f->rank * sizeof *push);
    yk_add_rows(f->n, f->rank, f->n, 1, f->E, y, seen);
    yk_add_columns(f->rank, f->rank, f->rank, -1, f->P, seen, push);
    yk_add_columns(f->n, f->rank, f->n, 1, f->Z, push, y);
}
