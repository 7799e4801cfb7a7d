/* Matrices: every form against plain loops over a dense array kept beside it. */
#include "support/check.h"
#include "support/random.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include <yoke/linalg.h>

enum { MOST = 120 * 120 };

static const enum yk_form forms[] = {YK_DENSE, YK_DIAGONAL, YK_SPARSE};

/* A random matrix of a form (a twentieth filled when sparse) and the same values in `plain`. */
static void make(struct yk_matrix *A, enum yk_form form, size_t rows, size_t cols, double *plain, uint64_t *seed)
{
    static int row[MOST], col[MOST];
    static double value[MOST];
    size_t count = 0;

    memset(plain, 0, rows * cols * sizeof *plain);
    for (size_t j = 0; j < cols; j++)
        for (size_t i = 0; i < rows; i++)
            if (form == YK_DENSE || (form == YK_DIAGONAL && i == j) ||
                (form == YK_SPARSE && random_below(seed, 20) == 0))
                plain[i + j * rows] = random_value(seed);
    if (form == YK_SPARSE) {
        for (size_t k = 0; k < rows * cols; k++)
            if (plain[k] != 0.0) {
                row[count] = (int)(k % rows);
                col[count] = (int)(k / rows);
                value[count++] = plain[k];
            }
        assert_ok(yk_matrix_from_triplets(A, rows, cols, count, row, col, value, &err));
        return;
    }
    assert_ok(yk_matrix_init(A, form, rows, cols, &err));
    for (size_t k = 0; k < (form == YK_DENSE ? rows * cols : rows); k++)
        A->x[k] = form == YK_DENSE ? plain[k] : plain[k + k * rows];
}

static void new_matrix_is_zero_in_every_form(void **state)
{
    for (size_t f = 0; f < 3; f++) {
        struct yk_matrix A;
        double plain[25];

        assert_ok(yk_matrix_init(&A, forms[f], 5, 5, &err));
        assert_int_equal(yk_matrix_nonzeros(&A), 0);
        yk_matrix_to_dense(&A, plain);
        for (size_t k = 0; k < 25; k++)
            assert_true(plain[k] == 0.0 && yk_matrix_get(&A, k % 5, k / 5) == 0.0);
        yk_matrix_fini(&A);
    }
}

static void sizes_beyond_the_index_range_are_refused(void **state)
{
    struct yk_matrix A;

    assert_refused(yk_matrix_init(&A, YK_DENSE, 50000, 50000, &err), YK_E_RANGE, "beyond 2^31");
    assert_refused(yk_matrix_init(&A, YK_DENSE, SIZE_MAX / 2, 3, &err), YK_E_RANGE, "beyond 2^31");
    assert_refused(yk_matrix_init(&A, YK_SPARSE, INT_MAX, 3, &err), YK_E_RANGE, "beyond 2^31");
    assert_refused(yk_matrix_init(&A, YK_DIAGONAL, 3, 4, &err), YK_E_INPUT, "must be square, not 3 x 4");
}

static void triplets_are_sorted_and_repeats_added(void **state)
{
    const int row[] = {2, 0, 2, 1, 2, 0}, col[] = {1, 2, 1, 0, 0, 1};
    const double value[] = {1, 2, 10, 3, 4, 5};
    struct yk_matrix A;

    assert_ok(yk_matrix_from_triplets(&A, 3, 3, 6, row, col, value, &err));
    assert_int_equal(A.col[3], 5);
    for (size_t j = 0; j < 3; j++)
        for (int k = A.col[j] + 1; k < A.col[j + 1]; k++)
            assert_true(A.row[k - 1] < A.row[k]);
    assert_true(yk_matrix_get(&A, 2, 1) == 11 && yk_matrix_get(&A, 0, 2) == 2 && yk_matrix_get(&A, 1, 0) == 3);
    assert_true(yk_matrix_get(&A, 2, 0) == 4 && yk_matrix_get(&A, 0, 1) == 5 && yk_matrix_get(&A, 0, 0) == 0);
    yk_matrix_fini(&A);
}

static void many_random_triplets_equal_a_dense_sum(void **state)
{
    enum { ROWS = 37, COLS = 53, COUNT = 5000 };
    static int row[COUNT], col[COUNT];
    static double value[COUNT], plain[ROWS * COLS];
    struct yk_matrix A;
    uint64_t seed = 11;

    for (size_t k = 0; k < COUNT; k++) {
        row[k] = (int)random_below(&seed, ROWS);
        col[k] = (int)random_below(&seed, COLS);
        value[k] = random_value(&seed);
        plain[row[k] + col[k] * ROWS] += value[k]; /* the same order, so equal to the last bit */
    }
    assert_ok(yk_matrix_from_triplets(&A, ROWS, COLS, COUNT, row, col, value, &err));
    for (size_t k = 0; k < ROWS * COLS; k++)
        assert_true(yk_matrix_get(&A, k % ROWS, k / ROWS) == plain[k]);
    yk_matrix_fini(&A);
}

static void triplet_outside_the_matrix_is_refused(void **state)
{
    const int row[] = {0, 3}, col[] = {0, 1}, below[] = {0, -1};
    const double value[] = {1, 1};
    struct yk_matrix A;

    assert_refused(yk_matrix_from_triplets(&A, 3, 3, 2, row, col, value, &err), YK_E_RANGE,
                   "entry 2 at row 4, column 2 lies outside a 3 x 3 matrix");
    assert_refused(yk_matrix_from_triplets(&A, 3, 3, 2, col, below, value, &err), YK_E_RANGE, "entry 2");
}

/* y += alpha A x and y += alpha A^T x, row by row, with the rounding bound of a sum of n+1 terms */
static void check_products(const struct yk_matrix *A, const double *plain, uint64_t *seed)
{
    double x[120], y[120], x2[120], y2[120];
    const double alpha = random_value(seed), unit = DBL_EPSILON * 130;

    for (size_t j = 0; j < 120; j++) {
        x[j] = random_value(seed);
        x2[j] = random_value(seed);
        y[j] = y2[j] = 1.0;
    }
    yk_matrix_add_product(A, alpha, x, y);
    yk_matrix_add_transposed_product(A, alpha, x2, y2);
    for (size_t i = 0; i < A->rows; i++) {
        double sum = 0, size = 1;

        for (size_t j = 0; j < A->cols; j++) {
            sum += plain[i + j * A->rows] * x[j];
            size += fabs(plain[i + j * A->rows] * x[j]);
        }
        assert_near(y[i], 1.0 + alpha * sum, unit * size);
    }
    for (size_t j = 0; j < A->cols; j++) {
        double sum = 0, size = 1;

        for (size_t i = 0; i < A->rows; i++) {
            sum += plain[i + j * A->rows] * x2[i];
            size += fabs(plain[i + j * A->rows] * x2[i]);
        }
        assert_near(y2[j], 1.0 + alpha * sum, unit * size);
    }
}

static void products_agree_with_a_double_loop_in_every_form(void **state)
{
    const size_t sizes[] = {1, 2, 3, 7, 8, 9, 16, 31, 64, 88, 120};
    static double plain[MOST];
    uint64_t seed = 5;

    for (size_t f = 0; f < 3; f++)
        for (size_t r = 0; r < 11; r++)
            for (size_t c = 0; c < 11; c++) {
                struct yk_matrix A, copy;

                if (forms[f] == YK_DIAGONAL && r != c)
                    continue;
                make(&A, forms[f], sizes[r], sizes[c], plain, &seed);
                check_products(&A, plain, &seed);
                assert_ok(yk_matrix_copy(&copy, &A, &err));
                yk_matrix_fini(&A);
                check_products(&copy, plain, &seed);
                yk_matrix_fini(&copy);
            }
}

static void combination_of_any_forms_is_the_sum(void **state)
{
    enum { N = 24 };
    static double plain[3][MOST], sum[N * N];
    uint64_t seed = 7;

    for (size_t mix = 0; mix < 27; mix++) {
        const enum yk_form form[] = {forms[mix % 3], forms[mix / 3 % 3], forms[mix / 9]};
        const double factor[] = {1.0, -2.5, 1e-3};
        struct yk_matrix A[3], out;

        for (size_t k = 0; k < 3; k++)
            make(&A[k], form[k], N, N, plain[k], &seed);
        assert_ok(yk_matrix_combine(&out, 3, factor, (const struct yk_matrix *[]){&A[0], &A[1], &A[2]}, &err));
        yk_matrix_to_dense(&out, sum);
        for (size_t k = 0; k < N * N; k++)
            assert_near(sum[k], plain[0][k] - 2.5 * plain[1][k] + 1e-3 * plain[2][k], 8 * DBL_EPSILON);
        if (form[0] == YK_DENSE || form[1] == YK_DENSE || form[2] == YK_DENSE)
            assert_int_equal(out.form, YK_DENSE);
        if (form[0] == YK_DIAGONAL && form[1] == YK_DIAGONAL && form[2] == YK_DIAGONAL)
            assert_int_equal(out.form, YK_DIAGONAL);
        yk_matrix_fini(&out);
        for (size_t k = 0; k < 3; k++)
            yk_matrix_fini(&A[k]);
    }
}

static void combination_takes_the_cheapest_form(void **state)
{
    static double plain[MOST];
    struct yk_matrix S, D, out;
    uint64_t seed = 9;

    make(&S, YK_SPARSE, 40, 40, plain, &seed);
    make(&D, YK_DIAGONAL, 40, 40, plain, &seed);
    assert_ok(yk_matrix_combine(&out, 2, (double[]){1, 1}, (const struct yk_matrix *[]){&S, &D}, &err));
    assert_int_equal(out.form, YK_SPARSE);
    yk_matrix_fini(&out);
    /* what cancels leaves nothing behind */
    assert_ok(yk_matrix_combine(&out, 3, (double[]){1, 1, -1}, (const struct yk_matrix *[]){&S, &D, &S}, &err));
    assert_int_equal(out.form, YK_DIAGONAL);
    yk_matrix_fini(&out);
    yk_matrix_fini(&S);
    yk_matrix_fini(&D);
}

static void combination_of_unequal_sizes_is_refused(void **state)
{
    struct yk_matrix A, B, out;

    assert_ok(yk_matrix_init(&A, YK_DENSE, 2, 3, &err));
    assert_ok(yk_matrix_init(&B, YK_DENSE, 3, 2, &err));
    assert_refused(yk_matrix_combine(&out, 2, (double[]){1, 1}, (const struct yk_matrix *[]){&A, &B}, &err), YK_E_INPUT,
                   "2 x 3 and 3 x 2");
    yk_matrix_fini(&A);
    yk_matrix_fini(&B);
}

static void compact_keeps_the_values_and_picks_the_form(void **state)
{
    enum { N = 20 };
    static double plain[MOST], after[N * N];
    uint64_t seed = 3;

    for (size_t f = 0; f < 3; f++) {
        struct yk_matrix A, D;

        make(&A, forms[f], N, N, plain, &seed);
        /* the same values, stored dense */
        assert_ok(yk_matrix_init(&D, YK_DENSE, N, N, &err));
        yk_matrix_to_dense(&A, D.x);
        assert_ok(yk_matrix_compact(&D, &err));
        assert_int_equal(D.form, forms[f]);
        yk_matrix_to_dense(&D, after);
        assert_memory_equal(after, plain, sizeof after);
        assert_int_equal(yk_matrix_nonzeros(&D), yk_matrix_nonzeros(&A));
        yk_matrix_fini(&A);
        yk_matrix_fini(&D);
    }
}

static void sparse_that_is_well_filled_becomes_dense(void **state)
{
    const int row[] = {0, 1, 0}, col[] = {0, 1, 1};
    const double value[] = {1, 2, 3};
    struct yk_matrix A;

    assert_ok(yk_matrix_from_triplets(&A, 2, 2, 3, row, col, value, &err));
    assert_ok(yk_matrix_compact(&A, &err));
    assert_int_equal(A.form, YK_DENSE);
    assert_true(A.x[0] == 1 && A.x[1] == 0 && A.x[2] == 3 && A.x[3] == 2);
    yk_matrix_fini(&A);
}

/* One entry in ten: dense while that fits the caches, sparse beyond. */
static void large_matrices_stay_sparse_longer(void **state)
{
    const size_t sizes[] = {100, 200};

    for (size_t s = 0; s < 2; s++) {
        struct yk_matrix A;

        assert_ok(yk_matrix_init(&A, YK_DENSE, sizes[s], sizes[s], &err));
        for (size_t k = 0; k < sizes[s] * sizes[s]; k += 10)
            A.x[k] = 1.0;
        assert_ok(yk_matrix_compact(&A, &err));
        assert_int_equal(A.form, sizes[s] == 100 ? YK_DENSE : YK_SPARSE);
        yk_matrix_fini(&A);
    }
}

static void asymmetry_is_located_in_dense_and_sparse(void **state)
{
    enum { N = 30 };
    size_t i = 99, j = 99;
    struct yk_matrix A;

    assert_ok(yk_matrix_init(&A, YK_DENSE, N, N, &err));
    for (size_t k = 0; k < N; k++)
        A.x[k + k * N] = 4.0;
    A.x[7 + 3 * N] = A.x[3 + 7 * N] = -1.0;
    assert_true(yk_matrix_asymmetry(&A, &i, &j) == 0.0);
    A.x[12 + 5 * N] = 0.5; /* one-sided, below the diagonal */
    A.x[2 + 20 * N] = A.x[20 + 2 * N] = 1.0;
    A.x[20 + 2 * N] += 0.25; /* smaller difference            */
    assert_near(yk_matrix_asymmetry(&A, &i, &j), 0.5 / 4.0, DBL_EPSILON);
    assert_true(i == 12 && j == 5);
    assert_ok(yk_matrix_compact(&A, &err));
    assert_int_equal(A.form, YK_SPARSE);
    i = j = 0;
    assert_near(yk_matrix_asymmetry(&A, &i, &j), 0.5 / 4.0, DBL_EPSILON);
    assert_true(i == 12 && j == 5);
    assert_true(yk_matrix_asymmetry(&A, NULL, NULL) > 0.0);
    yk_matrix_fini(&A);
}

static void finite_check_sees_nan_and_infinity_anywhere(void **state)
{
    double x[37] = {0};

    assert_true(yk_all_finite(37, x));
    for (size_t k = 0; k < 37; k++) {
        x[k] = k % 2 ? NAN : -INFINITY;
        assert_false(yk_all_finite(37, x));
        x[k] = k % 2 ? DBL_MAX : -DBL_MAX;
        assert_true(yk_all_finite(37, x));
    }
    assert_true(yk_all_finite(0, NULL));
}

static void dot_agrees_with_a_loop(void **state)
{
    uint64_t seed = 21;
    double x[50], y[50];

    for (size_t n = 0; n <= 50; n++) {
        double sum = 0.0;

        for (size_t i = 0; i < n; i++)
            sum += (x[i] = random_value(&seed)) * (y[i] = random_value(&seed));
        assert_near(yk_dot(n, x, y), sum, 50 * 50 * DBL_EPSILON);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_matrix_is_zero_in_every_form),
        cmocka_unit_test(sizes_beyond_the_index_range_are_refused),
        cmocka_unit_test(triplets_are_sorted_and_repeats_added),
        cmocka_unit_test(many_random_triplets_equal_a_dense_sum),
        cmocka_unit_test(triplet_outside_the_matrix_is_refused),
        cmocka_unit_test(products_agree_with_a_double_loop_in_every_form),
        cmocka_unit_test(combination_of_any_forms_is_the_sum),
        cmocka_unit_test(combination_takes_the_cheapest_form),
        cmocka_unit_test(combination_of_unequal_sizes_is_refused),
        cmocka_unit_test(compact_keeps_the_values_and_picks_the_form),
        cmocka_unit_test(sparse_that_is_well_filled_becomes_dense),
        cmocka_unit_test(large_matrices_stay_sparse_longer),
        cmocka_unit_test(asymmetry_is_located_in_dense_and_sparse),
        cmocka_unit_test(finite_check_sees_nan_and_infinity_anywhere),
        cmocka_unit_test(dot_agrees_with_a_loop),
    };
    return cmocka_run_group_tests_name("matrix", tests, NULL, NULL);
}
