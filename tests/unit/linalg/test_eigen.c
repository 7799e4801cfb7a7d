/* Eigenproblems against closed forms. */
#include "support/check.h"
#include "support/random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <yoke/linalg.h>

static const double pi = 3.14159265358979323846;

/* n equal masses in a row; unit springs between them and, when `held`, to the wall at both ends. */
static void make_chain(struct yk_matrix *K, struct yk_matrix *M, size_t n, bool held)
{
    int *row = calloc(4 * n, sizeof *row), *col = calloc(4 * n, sizeof *col);
    double *value = calloc(4 * n, sizeof *value);
    size_t count = 0;

    assert_true(row && col && value);
    for (size_t i = 0; i < n; i++) {
        const bool end = i == 0 || i + 1 == n;

        for (size_t j = i ? i - 1 : 0; j <= i + 1 && j < n; j++, count++) {
            row[count] = (int)i;
            col[count] = (int)j;
            value[count] = i != j ? -1.0 : end && !held ? 1.0 : 2.0;
        }
    }
    assert_ok(yk_matrix_from_triplets(K, n, n, count, row, col, value, &err));
    assert_ok(yk_matrix_init(M, YK_DIAGONAL, n, n, &err));
    for (size_t i = 0; i < n; i++)
        M->x[i] = 1.0;
    free(row);
    free(col);
    free(value);
}

/* w2 = 2 - 2 cos(k pi / (n+1)), k = 1..n, written without its cancellation */
static double held_chain(size_t n, size_t k)
{
    return 4.0 * pow(sin((double)k * pi / (2.0 * (double)(n + 1))), 2);
}

/* w2 = 2 - 2 cos(k pi / n), k = 0..n-1 */
static double free_chain(size_t n, size_t k)
{
    return 4.0 * pow(sin((double)k * pi / (2.0 * (double)n)), 2);
}

/* K phi = w2 M phi and phi^T M phi = I, up to `tolerance` */
static void check_modes(const struct yk_matrix *K, const struct yk_matrix *M, size_t count, const double *w2,
                        const double *phi, double tolerance)
{
    const size_t n = K->rows;
    double *work = calloc(2 * n, sizeof *work);

    assert_non_null(work);
    for (size_t c = 0; c < count; c++) {
        double *residual = work, *m_phi = work + n;

        memset(work, 0, 2 * n * sizeof *work);
        yk_matrix_add_product(M, 1.0, phi + c * n, m_phi);
        for (size_t d = 0; d <= c; d++)
            assert_near(yk_dot(n, phi + d * n, m_phi), c == d, tolerance);
        yk_matrix_add_product(K, 1.0, phi + c * n, residual);
        for (size_t i = 0; i < n; i++)
            residual[i] -= w2[c] * m_phi[i];
        assert_near(sqrt(yk_dot(n, residual, residual)), 0.0, tolerance);
    }
    free(work);
}

static void small_chain_has_its_closed_form_spectrum(void **state)
{
    enum { N = 50 };
    struct yk_matrix K, M;
    static double w2[N], phi[N * N];
    double largest;

    make_chain(&K, &M, N, true);
    assert_ok(yk_eigen_symmetric(&K, &M, N, w2, phi, &err));
    for (size_t k = 0; k < N; k++)
        assert_near(w2[k], held_chain(N, k + 1), 4.0 * N * DBL_EPSILON);
    check_modes(&K, &M, N, w2, phi, 1e-13);
    assert_ok(yk_eigen_largest(&K, &M, &largest, &err));
    assert_near(largest, held_chain(N, N), 4.0 * N * DBL_EPSILON);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
}

static void long_chain_by_lanczos_agrees_with_closed_form_and_dense(void **state)
{
    enum { N = 1000, COUNT = 12, ALL = 400 };
    struct yk_matrix K, M;
    static double w2[COUNT], phi[N * COUNT], dense[ALL], largest;

    make_chain(&K, &M, N, true);
    assert_ok(yk_eigen_symmetric(&K, &M, COUNT, w2, phi, &err));
    for (size_t k = 0; k < COUNT; k++)
        assert_near_relative(w2[k], held_chain(N, k + 1), 1e-9);
    check_modes(&K, &M, COUNT, w2, phi, 1e-9);

    assert_ok(yk_eigen_symmetric(&K, &M, ALL, dense, NULL, &err)); /* more than a third: LAPACK */
    for (size_t k = 0; k < COUNT; k++)
        assert_near(w2[k], dense[k], 4.0 * N * DBL_EPSILON);

    assert_ok(yk_eigen_largest(&K, &M, &largest, &err));
    assert_near_relative(largest, held_chain(N, N), 1e-9);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
}

static void rigid_motion_of_a_free_chain_is_found(void **state)
{
    const size_t sizes[] = {30, 1000};

    for (size_t s = 0; s < 2; s++) {
        const size_t n = sizes[s];
        struct yk_matrix K, M;
        static double w2[4], phi[4 * 1000];

        make_chain(&K, &M, n, false);
        assert_ok(yk_eigen_symmetric(&K, &M, 4, w2, phi, &err));
        assert_near(w2[0], 0.0, 1e-13);
        for (size_t i = 0; i < n; i++)
            assert_near(phi[i], 1.0 / sqrt((double)n), 1e-7); /* all together, and positive */
        for (size_t k = 1; k < 4; k++)
            assert_near_relative(w2[k], free_chain(n, k), 1e-8);
        check_modes(&K, &M, 4, w2, phi, 1e-8);
        yk_matrix_fini(&K);
        yk_matrix_fini(&M);
    }
}

/* Two equal chains side by side: every eigenvalue twice. */
static void double_eigenvalues_are_all_found(void **state)
{
    enum { N = 300, COUNT = 10 };
    struct yk_matrix K, M, K2, M2;
    static int row[6 * N], col[6 * N];
    static double value[6 * N], w2[COUNT], phi[2 * N * COUNT];
    size_t count = 0;

    make_chain(&K, &M, N, true);
    for (int half = 0; half < 2; half++)
        for (int j = 0; j < N; j++)
            for (int k = K.col[j]; k < K.col[j + 1]; k++, count++) {
                row[count] = K.row[k] + half * N;
                col[count] = j + half * N;
                value[count] = K.x[k];
            }
    assert_ok(yk_matrix_from_triplets(&K2, 2 * N, 2 * N, count, row, col, value, &err));
    assert_ok(yk_matrix_init(&M2, YK_DIAGONAL, 2 * N, 2 * N, &err));
    for (size_t i = 0; i < 2 * N; i++)
        M2.x[i] = 1.0;
    assert_ok(yk_eigen_symmetric(&K2, &M2, COUNT, w2, phi, &err));
    for (size_t k = 0; k < COUNT; k++)
        assert_near_relative(w2[k], held_chain(N, k / 2 + 1), 1e-9);
    check_modes(&K2, &M2, COUNT, w2, phi, 1e-9);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
    yk_matrix_fini(&K2);
    yk_matrix_fini(&M2);
}

/* Consistent mass of bar elements, order large enough for ARPACK: w2 = 6/h^2 (1 - cos a)/(2 + cos a), a = k pi / (n+1)
 * (linear elements; Hughes, The Finite Element Method, section 9.1), with h = 1. */
static void consistent_mass_agrees_with_closed_form(void **state)
{
    enum { N = 600, COUNT = 5 };
    struct yk_matrix K, M, unit;
    static double w2[COUNT], phi[N * COUNT], largest;
    const double a = N * pi / (N + 1);

    make_chain(&K, &unit, N, true);
    assert_ok(yk_matrix_combine(&M, 2, (double[]){-1.0 / 6.0, 1.0}, (const struct yk_matrix *[]){&K, &unit}, &err));
    assert_int_equal(M.form, YK_SPARSE);
    assert_ok(yk_eigen_symmetric(&K, &M, COUNT, w2, phi, &err));
    for (size_t k = 0; k < COUNT; k++) {
        const double half = (double)(k + 1) * pi / (2.0 * (N + 1)), s2 = sin(half) * sin(half);

        assert_near_relative(w2[k], 12.0 * s2 / (3.0 - 2.0 * s2), 1e-9);
    }
    check_modes(&K, &M, COUNT, w2, phi, 1e-9);
    assert_ok(yk_eigen_largest(&K, &M, &largest, &err));
    assert_near_relative(largest, 6.0 * (1.0 - cos(a)) / (2.0 + cos(a)), 1e-9);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
    yk_matrix_fini(&unit);
}

/* The upper end of this spectrum is crowded: the two largest differ by a part in ten million. */
static void largest_of_a_crowded_spectrum_is_found(void **state)
{
    enum { N = 10000 };
    struct yk_matrix K, M;
    double largest;

    make_chain(&K, &M, N, true);
    assert_ok(yk_eigen_largest(&K, &M, &largest, &err));
    assert_near_relative(largest, held_chain(N, N), 1e-9);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
}

/* Held chain: 4 against 4 sin^2(n pi/(2 (n+1))), of springs of 1 and masses of 1. Consistent masses of bars, 4 and 1 of
 * 6, are dominant: 4 / (2/6) against 12. Those of a massless degree of freedom allow no bound. */
static void a_bound_lies_above_the_largest(void **state)
{
    struct yk_matrix K, M, consistent;
    const double share[] = {1.0, -1.0 / 6.0};
    const struct yk_matrix *const sum[] = {&M, &K}; /* (4 1; 1 4)/6 = I - K/6 */

    make_chain(&K, &M, 5000, true);
    assert_near(yk_eigen_bound(&K, &M), 4, 1e-12);
    assert_true(held_chain(5000, 5000) < 4);
    assert_ok(yk_matrix_combine(&consistent, 2, share, sum, &err));
    assert_near(yk_eigen_bound(&K, &consistent), 12, 1e-9);
    M.x[17] = 0;
    assert_true(isinf(yk_eigen_bound(&K, &M)));
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
    yk_matrix_fini(&consistent);
}

static void repeated_runs_give_the_same_numbers(void **state)
{
    enum { N = 500, COUNT = 6 };
    struct yk_matrix K, M;
    static double w2[2][COUNT], phi[2][N * COUNT];

    make_chain(&K, &M, N, true);
    for (int run = 0; run < 2; run++)
        assert_ok(yk_eigen_symmetric(&K, &M, COUNT, w2[run], phi[run], &err));
    assert_memory_equal(w2[0], w2[1], sizeof w2[0]);
    assert_memory_equal(phi[0], phi[1], sizeof phi[0]);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
}

static void what_cannot_be_solved_is_refused_with_its_reason(void **state)
{
    struct yk_matrix K, M, other;
    double w2[8];

    make_chain(&K, &M, 6, true);
    assert_ok(yk_matrix_init(&other, YK_DIAGONAL, 5, 5, &err));
    assert_refused(yk_eigen_symmetric(&K, &other, 2, w2, NULL, &err), YK_E_INPUT, "K has order 6, M 5");
    assert_refused(yk_eigen_symmetric(&K, &M, 7, w2, NULL, &err), YK_E_RANGE, "7 requested");
    M.x[3] = 0.0;
    assert_refused(yk_eigen_symmetric(&K, &M, 2, w2, NULL, &err), YK_E_INPUT, "first seen at row and column 4");
    M.x[3] = -2.0;
    assert_refused(yk_eigen_largest(&K, &M, w2, &err), YK_E_INPUT, "-2 at row and column 4");
    M.x[3] = NAN;
    assert_refused(yk_eigen_symmetric(&K, &M, 2, w2, NULL, &err), YK_E_INPUT, "not finite");
    M.x[3] = 1.0;
    K.x[1] = 0.5; /* row 2, column 1 */
    assert_refused(yk_eigen_symmetric(&K, &M, 2, w2, NULL, &err), YK_E_INPUT, "0.5 at row 2, column 1, but -1 across");
    yk_matrix_fini(&other);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
}

/* (x - 3)(x^2 + 4)(x + 1) = x^4 - 2 x^3 + x^2 - 8 x - 12 */
static void companion_matrix_gives_the_roots_by_falling_modulus(void **state)
{
    double A[16] = {0}, re[4], im[4];
    const double coefficient[] = {-12, -8, 1, -2};

    for (size_t i = 0; i < 4; i++) {
        A[i + 3 * 4] = -coefficient[i];
        if (i)
            A[i + (i - 1) * 4] = 1.0;
    }
    assert_ok(yk_eigen_general(4, A, re, im, &err));
    assert_near(re[0], 3, 1e-13);
    assert_near(im[0], 0, 1e-13);
    assert_near(re[1], 0, 1e-13);
    assert_near(im[1], 2, 1e-13);
    assert_near(re[2], 0, 1e-13);
    assert_near(im[2], -2, 1e-13);
    assert_near(re[3], -1, 1e-13);
    assert_near(im[3], 0, 1e-13);
}

static void conjugate_pairs_stay_together(void **state)
{
    enum { N = 40 };
    static double A[N * N], re[N], im[N];
    uint64_t seed = 77;

    for (int round = 0; round < 10; round++) {
        double trace = 0.0, sum = 0.0;

        for (size_t k = 0; k < N * N; k++)
            A[k] = random_value(&seed);
        for (size_t i = 0; i < N; i++)
            trace += A[i + i * N];
        assert_ok(yk_eigen_general(N, A, re, im, &err));
        for (size_t k = 0; k < N; k++) {
            sum += re[k];
            if (k)
                assert_true(hypot(re[k], im[k]) <= hypot(re[k - 1], im[k - 1]));
            if (im[k] > 0.0)
                assert_true(re[k + 1] == re[k] && im[k + 1] == -im[k]);
        }
        assert_near(sum, trace, 1e-12);
    }
    A[3] = NAN;
    assert_refused(yk_eigen_general(N, A, re, im, &err), YK_E_INPUT, "not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_chain_has_its_closed_form_spectrum),
        cmocka_unit_test(long_chain_by_lanczos_agrees_with_closed_form_and_dense),
        cmocka_unit_test(rigid_motion_of_a_free_chain_is_found),
        cmocka_unit_test(double_eigenvalues_are_all_found),
        cmocka_unit_test(consistent_mass_agrees_with_closed_form),
        cmocka_unit_test(largest_of_a_crowded_spectrum_is_found),
        cmocka_unit_test(a_bound_lies_above_the_largest),
        cmocka_unit_test(repeated_runs_give_the_same_numbers),
        cmocka_unit_test(what_cannot_be_solved_is_refused_with_its_reason),
        cmocka_unit_test(companion_matrix_gives_the_roots_by_falling_modulus),
        cmocka_unit_test(conjugate_pairs_stay_together),
    };
    return cmocka_run_group_tests_name("eigen", tests, NULL, NULL);
}
