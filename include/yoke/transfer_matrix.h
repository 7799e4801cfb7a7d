/* Actuators that act on each other, as a matrix of transfer functions with one denominator for each command:
 *
 *     y_i = e^{-dead_time s} sum_j N_ij(s)/D_j(s) u_j
 *
 * Its poles and zeros, its state space, the expansion of its inverse, and how they are written in an experiment file.
 * docs/theory/control.md, eq. (64), (65), (69), (70). For preparation: nothing here runs in the loop. Units: m, s.
 * In a library of its own, libyoke-identify.a. */
#ifndef YOKE_TRANSFER_MATRIX_H
#define YOKE_TRANSFER_MATRIX_H

#include <yoke/status.h>

#include <complex.h>
#include <stdio.h>

enum {
    YK_MATRIX_ACTUATORS = 6,
    YK_MATRIX_ORDER = 8, /* of a denominator; numerators are of lower order */
    YK_MATRIX_POWERS = YK_MATRIX_ORDER + 1,
    YK_MATRIX_STATES = YK_MATRIX_ACTUATORS * YK_MATRIX_ORDER,
    YK_MATRIX_ZEROS = YK_MATRIX_STATES /* of the determinant, at most */
};

struct yk_transfer_matrix {
    size_t n; /* actuators */
    /* coefficients of s by rising powers; what is beyond the degree is zero */
    double N[YK_MATRIX_ACTUATORS][YK_MATRIX_ACTUATORS][YK_MATRIX_POWERS], D[YK_MATRIX_ACTUATORS][YK_MATRIX_POWERS];
    double dead_time; /* of all commands */
};

/* The highest power with a coefficient, 0 if there is none. */
size_t yk_polynomial_degree(const double *p, size_t powers);
double complex yk_polynomial_at(const double *p, size_t powers, double complex s);
/* All roots of a polynomial by rising powers, rounding of the highest ones removed; scale: about the size of the roots
 * that matter. Returns how many there are, 0 where there are none or none could be found. */
size_t yk_polynomial_roots(const double *p, size_t powers, double scale, double complex *root);

/* H: n x n, row by row. */
void yk_transfer_response(const struct yk_transfer_matrix *m, double complex s, double complex *H);
/* Zeros of the determinant of N: what the inverse has as poles. Room for YK_MATRIX_ZEROS. */
size_t yk_transfer_zeros(const struct yk_transfer_matrix *m, double scale, double complex *zero);

/* x' = A x + B u, y = C x without the dead time, in companion form: rows one after the other. time_s: a power of it
 * multiplies each state, so that the entries are of one size. */
struct yk_realisation {
    size_t n, states;
    double A[YK_MATRIX_STATES * YK_MATRIX_STATES], B[YK_MATRIX_STATES * YK_MATRIX_ACTUATORS],
        C[YK_MATRIX_ACTUATORS * YK_MATRIX_STATES];
};
void yk_transfer_realise(const struct yk_transfer_matrix *m, double time_s, struct yk_realisation *r);

/* The inverse of e^{-late s} N/D at s = 0: A_0 + A_1 s + ..., `terms` matrices of n x n, row by row. The dead time of m
 * does not count. YK_E_SINGULAR: it cannot be inverted at rest. */
enum yk_status yk_transfer_expand_inverse(const struct yk_transfer_matrix *m, double late_s, size_t terms, double *A,
                                          struct yk_err *err);

/* "name: [[...], [...]]"; digits: significant ones, 17 for all */
void yk_write_rows(FILE *out, const char *name, const double *x, size_t rows, size_t columns, int digits);
/* "A: [...], B: [...], C: [...]" */
void yk_realisation_write(const struct yk_realisation *r, FILE *out, int digits);
/* "numerators: [...], denominators: [...]" of a joint-inverse */
void yk_transfer_write(const struct yk_transfer_matrix *m, FILE *out, int digits);

#endif
