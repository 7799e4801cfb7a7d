/* A matrix of transfer functions: poles, zeros, state space, inverse. docs/theory/control.md, eq. (64), (65), (69),
 * (70). */
#include <yoke/linalg.h>
#include <yoke/transfer_matrix.h>

#include <math.h>
#include <string.h>

#define ROUNDING 1e-10 /* of the highest coefficients, relative to the largest at the scale of the roots */

enum { POWERS = YK_MATRIX_POWERS, MOST = YK_MATRIX_ZEROS };

/* ---- polynomials ---- */

size_t yk_polynomial_degree(const double *p, size_t powers)
{
    size_t degree = powers - 1;

    while (degree > 0 && p[degree] == 0)
        degree--;
    return degree;
}

double complex yk_polynomial_at(const double *p, size_t powers, double complex s)
{
    double complex sum = 0;

    for (size_t k = powers; k-- > 0;)
        sum = sum * s + p[k];
    return sum;
}

/* Eigenvalues of the companion matrix in s/scale. */
size_t yk_polynomial_roots(const double *p, size_t powers, double scale, double complex *root)
{
    double q[MOST + 1], A[MOST * MOST] = {0}, re[MOST], im[MOST], largest = 0;
    size_t degree = yk_polynomial_degree(p, powers);
    struct yk_err ignored = {0};

    if (degree > MOST)
        return 0;
    for (size_t k = 0; k <= degree; k++) {
        q[k] = p[k] * pow(scale, (double)k);
        largest = fmax(largest, fabs(q[k]));
    }
    while (degree > 0 && !(fabs(q[degree]) > ROUNDING * largest))
        degree--;
    for (size_t k = 0; k < degree; k++) {
        A[k * degree] = -q[degree - 1 - k] / q[degree];
        if (k > 0)
            A[k + (k - 1) * degree] = 1;
    }
    if (degree == 0 || !yk_all_finite(degree * degree, A) || yk_eigen_general(degree, A, re, im, &ignored))
        return 0;
    for (size_t k = 0; k < degree; k++)
        root[k] = scale * (re[k] + I * im[k]);
    return degree;
}

/* ---- the matrix ---- */

/* eq. (64) */
void yk_transfer_response(const struct yk_transfer_matrix *m, double complex s, double complex *H)
{
    for (size_t j = 0; j < m->n; j++) {
        const double complex over = cexp(-m->dead_time * s) / yk_polynomial_at(m->D[j], POWERS, s);

        for (size_t i = 0; i < m->n; i++)
            H[i * m->n + j] = over * yk_polynomial_at(m->N[i][j], POWERS, s);
    }
}

/* Adds to det the products of one entry of each row from `row` on, of columns that are not used yet. */
static void add_products(const struct yk_transfer_matrix *m, size_t row, unsigned used, const double *product,
                         double *det)
{
    double sign = 1;

    if (row >= m->n || row >= YK_MATRIX_ACTUATORS) {
        for (size_t k = 0; k <= MOST; k++)
            det[k] += product[k];
        return;
    }
    for (size_t j = 0; j < m->n; j++) {
        double next[MOST + 1] = {0};

        if (used & 1u << j)
            continue;
        for (size_t a = 0; a <= MOST; a++)
            for (size_t b = 0; b < POWERS && a + b <= MOST && product[a] != 0; b++)
                next[a + b] += sign * product[a] * m->N[row][j][b];
        add_products(m, row + 1, used | 1u << j, next, det);
        sign = -sign;
    }
}

/* eq. (65) */
size_t yk_transfer_zeros(const struct yk_transfer_matrix *m, double scale, double complex *zero)
{
    const double one[MOST + 1] = {1};
    double det[MOST + 1] = {0};

    add_products(m, 0, 0, one, det);
    return yk_polynomial_roots(det, MOST + 1, scale, zero);
}

/* eq. (69) */
void yk_transfer_realise(const struct yk_transfer_matrix *m, double time_s, struct yk_realisation *r)
{
    size_t at = 0, S = 0;

    for (size_t j = 0; j < m->n; j++)
        S += yk_polynomial_degree(m->D[j], POWERS);
    *r = (struct yk_realisation){.n = m->n, .states = S};
    for (size_t j = 0; j < m->n; j++) {
        const size_t order = yk_polynomial_degree(m->D[j], POWERS);
        const double first = m->D[j][order];

        for (size_t k = 0; k < order; k++) {
            r->A[at * S + at + k] = -m->D[j][order - 1 - k] / first * pow(time_s, (double)k);
            if (k > 0)
                r->A[(at + k) * S + at + k - 1] = 1 / time_s;
        }
        r->B[at * m->n + j] = 1 / time_s;
        for (size_t i = 0; i < m->n; i++)
            for (size_t power = 0; power < order; power++)
                r->C[i * S + at + order - 1 - power] = m->N[i][j][power] / first * pow(time_s, (double)(order - power));
        at += order;
    }
}

/* ---- the inverse ---- */

/* Matrices of the powers of s in e^{-late s} N/D */
static void expand(const struct yk_transfer_matrix *m, double late, size_t terms, double *H)
{
    const size_t n = m->n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double plain[POWERS] = {0};

            for (size_t k = 0; k < terms; k++) {
                double weight = 1, *h = &H[(k * n + i) * n + j];

                plain[k] = m->N[i][j][k];
                for (size_t l = 0; l < k; l++)
                    plain[k] -= plain[l] * m->D[j][k - l];
                plain[k] /= m->D[j][0];
                *h = 0;
                for (size_t l = 0; l <= k; l++) {
                    *h += weight * plain[k - l];
                    weight *= -late / (double)(l + 1);
                }
            }
        }
}

/* eq. (70) */
enum yk_status yk_transfer_expand_inverse(const struct yk_transfer_matrix *m, double late_s, size_t terms, double *A,
                                          struct yk_err *err)
{
    enum { N = YK_MATRIX_ACTUATORS };
    const size_t n = m->n;
    double H[POWERS * N * N] = {0}, rest[N * N] = {0};
    int pivot[N] = {0};
    struct yk_lu lu = {n, rest, pivot};

    if (terms > POWERS)
        return yk_fail(err, YK_E_RANGE, "%zu terms of an inverse: at most %d", terms, POWERS);
    expand(m, late_s, terms, H);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            rest[i + j * n] = H[i * n + j];
    if (yk_lu_factor(&lu))
        return yk_fail(err, YK_E_SINGULAR, "the actuators cannot be told apart at rest");
    for (size_t k = 0; k < terms; k++)
        for (size_t j = 0; j < n; j++) {
            double x[N];

            for (size_t i = 0; i < n; i++) {
                x[i] = k == 0 && i == j;
                for (size_t l = 1; l <= k; l++)
                    for (size_t c = 0; c < n; c++)
                        x[i] -= H[(l * n + i) * n + c] * A[((k - l) * n + c) * n + j];
            }
            yk_lu_solve(&lu, x);
            for (size_t i = 0; i < n; i++)
                A[(k * n + i) * n + j] = x[i];
        }
    return YK_OK;
}

/* ---- writing ---- */

void yk_write_rows(FILE *out, const char *name, const double *x, size_t rows, size_t columns, int digits)
{
    fprintf(out, "%s: [", name);
    for (size_t i = 0; i < rows; i++) {
        fprintf(out, i ? ", [" : "[");
        for (size_t j = 0; j < columns; j++)
            fprintf(out, "%s%.*g", j ? ", " : "", digits, x[i * columns + j]);
        fprintf(out, "]");
    }
    fprintf(out, "]");
}

void yk_realisation_write(const struct yk_realisation *r, FILE *out, int digits)
{
    yk_write_rows(out, "A", r->A, r->states, r->states, digits);
    fprintf(out, ", ");
    yk_write_rows(out, "B", r->B, r->states, r->n, digits);
    fprintf(out, ", ");
    yk_write_rows(out, "C", r->C, r->n, r->states, digits);
}

void yk_transfer_write(const struct yk_transfer_matrix *m, FILE *out, int digits)
{
    enum { N = YK_MATRIX_ACTUATORS };
    double up[N * N * POWERS], down[N * POWERS];
    size_t most_up = 0, most_down = 0;

    for (size_t j = 0; j < m->n; j++) {
        const size_t degree = yk_polynomial_degree(m->D[j], POWERS);

        most_down = degree > most_down ? degree : most_down;
        for (size_t i = 0; i < m->n; i++) {
            const size_t zeros = yk_polynomial_degree(m->N[i][j], POWERS);

            most_up = zeros > most_up ? zeros : most_up;
        }
    }
    for (size_t j = 0; j < m->n; j++) {
        for (size_t k = 0; k <= most_down; k++)
            down[j * (most_down + 1) + k] = m->D[j][most_down - k];
        for (size_t i = 0; i < m->n; i++)
            for (size_t k = 0; k <= most_up; k++)
                up[(i * m->n + j) * (most_up + 1) + k] = m->N[i][j][most_up - k];
    }
    yk_write_rows(out, "numerators", up, m->n * m->n, most_up + 1, digits);
    fprintf(out, ", ");
    yk_write_rows(out, "denominators", down, m->n, most_down + 1, digits);
}
