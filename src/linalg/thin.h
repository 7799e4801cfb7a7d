/* D + E S E^T, D diagonal and E with few columns: products and solutions. */
#ifndef YOKE_LINALG_THIN_H
#define YOKE_LINALG_THIN_H

#include <yoke/linalg.h>

/* y += alpha A x, or alpha A^T x */
void yk_thin_add_product(const struct yk_matrix *A, bool transposed, double alpha, const double *x, double *y) YK_RT;
/* A_ij */
double yk_thin_get(const struct yk_matrix *A, size_t i, size_t j);

/* x = y - Z P E^T y,   D y = b,   Z = D^-1 E,   P = (I + S E^T Z)^-1 S: as in low_rank.h, with a constant S. */
struct yk_thin_factor {
    size_t n, rank;
    const double *E;
    double *Z, *P;
};
/* reciprocals: of D */
enum yk_status yk_thin_factor_init(struct yk_thin_factor *f, const struct yk_matrix *A, const double *reciprocals,
                                   struct yk_err *err);
void yk_thin_factor_fini(struct yk_thin_factor *f);
void yk_thin_factor_correct(const struct yk_thin_factor *f, double *y) YK_RT; /* y becomes x */

#endif
