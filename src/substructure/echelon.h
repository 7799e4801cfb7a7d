/* Interface rows in reduced echelon form: which degrees of freedom are free, and how the others follow them. */
#ifndef YOKE_SUBSTRUCTURE_ECHELON_H
#define YOKE_SUBSTRUCTURE_ECHELON_H

#include <yoke/substructure.h>

struct yk_echelon {
    size_t rows, cols; /* cols: degrees of freedom of all substructures, one after the other */
    double *x;         /* row by row */
    long *pivot_of;    /* [column]: the row it is the pivot of, -1: free */
};
/* offset[k]: the first column of substructure k; total: all of them. Release it in any case. */
enum yk_status yk_echelon_init(struct yk_echelon *e, const struct yk_row *rows, size_t row_count, const size_t *offset,
                               size_t total, struct yk_err *err);
void yk_echelon_fini(struct yk_echelon *e);
/* The transposed map of the substructure with n columns from `first`: column i gives local degree of freedom i from the
 * free ones, which free_index numbers (-1: dependent). */
enum yk_status yk_echelon_map(struct yk_matrix *map, const struct yk_echelon *e, const long *free_index,
                              size_t free_count, size_t first, size_t n, struct yk_err *err);

#endif
