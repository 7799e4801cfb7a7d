/* Factors and the LU of the loop: residuals, refusals, and no heap call in a solve. */
#include "support/check.h"
#include "support/random.h"
#include "support/trap.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <yoke/arena.h>
#include <yoke/linalg.h>

/* ---- helpers --------------------------------------------------------------------------------------------------- */

enum { MOST = 220 };

static double one_norm(size_t n, const double *a)
{
    double norm = 0.0;

    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;

        for (size_t i = 0; i < n; i++)
            sum += fabs(a[i + j * n]);
        norm = fmax(norm, sum);
    }
    return norm;
}

/* Largest component of |b - A x| over what rounding may leave there: eps n (|A| |x| + |b|), all in the 1-norm. */
static double backward_error(size_t n, const double *a, const double *x, const double *b)
{
    double worst = 0.0, size_x = 0.0, size_b = 0.0;

    for (size_t i = 0; i < n; i++) {
        size_x += fabs(x[i]);
        size_b += fabs(b[i]);
    }
    for (size_t i = 0; i < n; i++) {
        double r = b[i];

        for (size_t j = 0; j < n; j++)
            r -= a[i + j * n] * x[j];
        worst = isnan(r) ? r : fmax(worst, fabs(r));
    }
    return worst / (DBL_EPSILON * (one_norm(n, a) * size_x + size_b));
}

/* Random, with something added on the diagonal; a twentieth filled when sparse. */
static void make(struct yk_matrix *A, enum yk_form form, size_t n, double diagonal, uint64_t *seed)
{
    assert_ok(yk_matrix_init(A, YK_DENSE, n, n, &err));
    for (size_t k = 0; k < n * n; k++) {
        const bool on = k % n == k / n;

        if (form == YK_DENSE || (form == YK_SPARSE && random_below(seed, 20) == 0))
            A->x[k] = random_value(seed);
        if (on)
            A->x[k] += diagonal * (1.5 + random_value(seed));
    }
    if (form != YK_DENSE)
        assert_ok(yk_matrix_compact(A, &err));
}

/* Solves for three right-hand sides; returns the worst backward error in rounding units. */
static double solve_and_measure(const struct yk_matrix *A, double *rcond, uint64_t *seed)
{
    static double plain[MOST * MOST];
    const size_t n = A->rows;
    double x[MOST], rhs[MOST], worst = 0.0;
    struct yk_factor *F;

    assert_ok(yk_factor_create(&F, A, NULL, &err));
    *rcond = yk_factor_rcond(F);
    yk_matrix_to_dense(A, plain);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < n; i++)
            x[i] = rhs[i] = random_value(seed);
        yk_factor_solve(F, x);
        worst = fmax(worst, backward_error(n, plain, x, rhs));
    }
    yk_factor_destroy(F);
    return worst;
}

/* ---- factors --------------------------------------------------------------------------------------------------- */

/* An explicit inverse leaves a residual of eps cond |A||x| (Higham, Accuracy and Stability, section 14.1). */
static void solve_leaves_a_residual_of_rounding_size_in_every_form(void **state)
{
    const enum yk_form forms[] = {YK_DENSE, YK_DIAGONAL, YK_SPARSE};
    const size_t sizes[] = {1, 2, 5, 9, 33, 88, 128, 129, 200};
    uint64_t seed = 31;

    for (size_t f = 0; f < 3; f++)
        for (size_t s = 0; s < 9; s++) {
            struct yk_matrix A;
            double rcond, worst;

            make(&A, forms[f], sizes[s], 3.0, &seed);
            worst = solve_and_measure(&A, &rcond, &seed);
            assert_true(rcond > 0.0 && rcond <= 1.0 + 1e-12);
            assert_true(worst <= 50.0 / rcond);
            if (forms[f] != YK_DENSE) /* no inverse: backward stable whatever the condition */
                assert_true(worst <= 50.0 || sizes[s] <= 128);
            yk_matrix_fini(&A);
        }
}

static void hilbert_matrix_goes_the_stable_way(void **state)
{
    struct yk_matrix H;
    double rcond;
    uint64_t seed = 1;

    assert_ok(yk_matrix_init(&H, YK_DENSE, 10, 10, &err));
    for (size_t k = 0; k < 100; k++)
        H.x[k] = 1.0 / (double)(k % 10 + k / 10 + 1);
    assert_true(solve_and_measure(&H, &rcond, &seed) <= 10.0);
    assert_near_relative(rcond, 1.0 / 3.5353e13, 0.01); /* cond_1 of the Hilbert matrix of order 10 */
    yk_matrix_fini(&H);
}

static void mixed_units_are_not_taken_for_singular(void **state)
{
    const double entries[] = {2e12, -1e2, -1e2, 2e-8};
    struct yk_matrix A;
    double rcond;
    uint64_t seed = 1;

    assert_ok(yk_matrix_init(&A, YK_DENSE, 2, 2, &err));
    memcpy(A.x, entries, sizeof entries);
    assert_true(solve_and_measure(&A, &rcond, &seed) <= 10.0);
    assert_true(rcond < DBL_EPSILON);
    yk_matrix_fini(&A);
}

static void inverse_of_a_symmetric_matrix_is_symmetric(void **state)
{
    enum { N = 20 };
    struct yk_matrix A;
    struct yk_factor *F;
    double inverse[N * N] = {0};
    uint64_t seed = 2;

    make(&A, YK_DENSE, N, 10.0, &seed);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < j; i++)
            A.x[i + j * N] = A.x[j + i * N];
    assert_ok(yk_factor_create(&F, &A, NULL, &err));
    for (size_t j = 0; j < N; j++) {
        inverse[j + j * N] = 1.0;
        yk_factor_solve(F, inverse + j * N);
    }
    for (size_t k = 0; k < N * N; k++)
        assert_true(inverse[k] == inverse[k / N + k % N * N]);
    yk_factor_destroy(F);
    yk_matrix_fini(&A);
}

/* From order 100 on half of a symmetric inverse is read; every remainder of the order by four. */
static void symmetric_matrices_leave_a_residual_of_rounding_size(void **state)
{
    const size_t sizes[] = {3, 4, 40, 99, 100, 101, 102, 103, 200};
    uint64_t seed = 8;

    for (size_t s = 0; s < 9; s++) {
        const size_t n = sizes[s];
        struct yk_matrix A;
        double rcond;

        make(&A, YK_DENSE, n, 3.0, &seed);
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < j; i++)
                A.x[i + j * n] = A.x[j + i * n];
        assert_true(solve_and_measure(&A, &rcond, &seed) <= 50.0 / rcond);
        assert_true(rcond > 1e-8); /* the way that is meant */
        yk_matrix_fini(&A);
    }
}

static void rectangular_and_not_finite_are_refused(void **state)
{
    struct yk_factor *F;
    struct yk_matrix A;

    assert_ok(yk_matrix_init(&A, YK_DENSE, 3, 4, &err));
    assert_refused(yk_factor_create(&F, &A, NULL, &err), YK_E_INPUT, "3 x 4");
    assert_null(F);
    yk_matrix_fini(&A);
    assert_ok(yk_matrix_init(&A, YK_DENSE, 3, 3, &err));
    A.x[5] = NAN;
    assert_refused(yk_factor_create(&F, &A, NULL, &err), YK_E_INPUT, "row 3, column 2 is nan");
    yk_matrix_fini(&A);
    yk_factor_destroy(NULL);
}

static void empty_line_is_refused_and_named_in_every_form(void **state)
{
    const enum yk_form forms[] = {YK_DENSE, YK_DIAGONAL, YK_SPARSE};
    const char *words[] = {"column 7 of 150 holds only zeros", "entry 7 of 150", "column 7 of 150 holds only zeros"};
    struct yk_factor *F;
    uint64_t seed = 4;

    for (size_t f = 0; f < 3; f++) {
        struct yk_matrix A;

        make(&A, YK_DENSE, 150, 4.0, &seed);
        for (size_t k = 0; k < 150 * 150; k++)
            if (k / 150 == 6 || (forms[f] == YK_DIAGONAL && k % 150 != k / 150) ||
                (forms[f] == YK_SPARSE && k % 150 != k / 150 && k % 40))
                A.x[k] = 0.0;
        assert_ok(yk_matrix_compact(&A, &err));
        assert_int_equal(A.form, forms[f]);
        assert_refused(yk_factor_create(&F, &A, NULL, &err), YK_E_SINGULAR, words[f]);
        yk_matrix_fini(&A);
    }
}

static void row_of_zeros_is_named_as_a_row(void **state)
{
    struct yk_factor *F;
    struct yk_matrix A;

    assert_ok(yk_matrix_init(&A, YK_DENSE, 3, 3, &err));
    for (size_t k = 0; k < 9; k++)
        A.x[k] = k % 3 == 1 ? 0.0 : 1.0 + (double)k;
    assert_refused(yk_factor_create(&F, &A, NULL, &err), YK_E_SINGULAR, "row 2 of 3");
    yk_matrix_fini(&A);
}

/* The stiffness of a chain that is held nowhere: every row sums to zero. */
static void make_free_chain(struct yk_matrix *K, size_t n)
{
    assert_ok(yk_matrix_init(K, YK_DENSE, n, n, &err));
    for (size_t e = 0; e + 1 < n; e++) {
        const double k = 1e6 / 3.0 * (1.0 + 0.1 * (double)(e % 7));

        K->x[e + e * n] += k;
        K->x[e + 1 + (e + 1) * n] += k;
        K->x[e + (e + 1) * n] = K->x[e + 1 + e * n] = -k;
    }
}

static void free_structure_is_refused_dense_and_sparse(void **state)
{
    struct yk_factor *F;
    struct yk_matrix K;

    make_free_chain(&K, 12);
    assert_refused(yk_factor_create(&F, &K, NULL, &err), YK_E_SINGULAR, "of 12 depends");
    yk_matrix_fini(&K);
    make_free_chain(&K, 150);
    assert_refused(yk_factor_create(&F, &K, NULL, &err), YK_E_SINGULAR, "of 150 depends");
    assert_ok(yk_matrix_compact(&K, &err));
    assert_int_equal(K.form, YK_SPARSE);
    assert_refused(yk_factor_create(&F, &K, NULL, &err), YK_E_SINGULAR, "singular matrix");
    yk_matrix_fini(&K);
}

static void factor_of_order_zero_does_nothing(void **state)
{
    struct yk_factor *F;
    struct yk_matrix A;

    assert_ok(yk_matrix_init(&A, YK_DENSE, 0, 0, &err));
    assert_ok(yk_factor_create(&F, &A, NULL, &err));
    yk_factor_solve(F, NULL);
    yk_factor_destroy(F);
    yk_matrix_fini(&A);
}

/* ---- the loop -------------------------------------------------------------------------------------------------- */

static void products_and_solves_make_no_heap_call(void **state)
{
    const enum yk_form forms[] = {YK_DENSE, YK_DIAGONAL, YK_SPARSE};
    const size_t sizes[] = {3, 40, 200};
    double x[MOST] = {1.0}, y[MOST] = {0};
    uint64_t seed = 17;

    if (!trap_sees_heap())
        skip();
    for (size_t f = 0; f < 3; f++)
        for (size_t s = 0; s < 3; s++) {
            struct yk_factor *F;
            struct yk_matrix A;
            struct trap_counts counts;

            make(&A, forms[f], sizes[s], 3.0, &seed);
            assert_ok(yk_factor_create(&F, &A, NULL, &err));
            trap_begin();
            for (int round = 0; round < 100; round++) {
                yk_matrix_add_product(&A, 0.5, x, y);
                yk_matrix_add_transposed_product(&A, 0.5, x, y);
                yk_factor_solve(F, y);
                y[0] += yk_dot(sizes[s], x, y);
            }
            trap_end(&counts);
            assert_int_equal(counts.heap_calls, 0);
            yk_factor_destroy(F);
            yk_matrix_fini(&A);
        }
}

static void lu_make(struct yk_lu *lu, size_t n, struct yk_arena *mem)
{
    *mem = (struct yk_arena){0};
    yk_lu_layout(lu, n, mem);
    assert_ok(yk_arena_check(mem, &err));
    assert_non_null(lu->a);
    assert_int_equal(lu->n, n);
}

static void lu_factors_and_solves_without_heap_calls(void **state)
{
    const size_t sizes[] = {1, 2, 3, 5, 8, 20, 63, 128, 129, 200};
    static double a[MOST * MOST], x[MOST], rhs[MOST];
    uint64_t seed = 41;

    for (size_t s = 0; s < 10; s++) {
        const size_t n = sizes[s];
        struct yk_arena mem;
        struct yk_lu lu;

        lu_make(&lu, n, &mem);
        for (size_t k = 0; k < n * n; k++)
            assert_true(lu.a[k] == 0.0); /* the warm-up of the layout leaves nothing behind */
        for (int round = 0; round < 5; round++) {
            struct trap_counts counts;

            for (size_t k = 0; k < n * n; k++)
                lu.a[k] = a[k] = random_value(&seed);
            for (size_t i = 0; i < n; i++)
                x[i] = rhs[i] = random_value(&seed);
            trap_begin();
            assert_int_equal(yk_lu_factor(&lu), YK_OK);
            yk_lu_solve(&lu, x);
            trap_end(&counts);
            assert_int_equal(counts.heap_calls, 0);
            assert_true(backward_error(n, a, x, rhs) <= 10.0);
        }
        yk_arena_free(&mem);
    }
}

static void lu_refuses_singular_and_not_finite(void **state)
{
    const size_t sizes[] = {1, 4, 48, 140};

    for (size_t s = 0; s < 4; s++) {
        const size_t n = sizes[s];
        const double bad[] = {NAN, INFINITY};
        struct yk_arena mem;
        struct yk_lu lu;

        lu_make(&lu, n, &mem);
        assert_int_equal(yk_lu_factor(&lu), YK_E_SINGULAR); /* zero */
        for (size_t k = 0; k < n * n; k++)
            lu.a[k] = (double)(1 + k % n) * (double)(1 + k / n); /* rank 1 in integers: exactly singular */
        assert_int_equal(yk_lu_factor(&lu), n == 1 ? YK_OK : YK_E_SINGULAR);
        for (size_t place = 0; place < n * n; place += n / 3 + 1) {
            memset(lu.a, 0, n * n * sizeof *lu.a);
            for (size_t i = 0; i < n; i++)
                lu.a[i + i * n] = 1.0;
            lu.a[place] = bad[place % 2];
            assert_int_equal(yk_lu_factor(&lu), YK_E_SINGULAR);
        }
        yk_arena_free(&mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solve_leaves_a_residual_of_rounding_size_in_every_form),
        cmocka_unit_test(hilbert_matrix_goes_the_stable_way),
        cmocka_unit_test(mixed_units_are_not_taken_for_singular),
        cmocka_unit_test(inverse_of_a_symmetric_matrix_is_symmetric),
        cmocka_unit_test(symmetric_matrices_leave_a_residual_of_rounding_size),
        cmocka_unit_test(rectangular_and_not_finite_are_refused),
        cmocka_unit_test(empty_line_is_refused_and_named_in_every_form),
        cmocka_unit_test(row_of_zeros_is_named_as_a_row),
        cmocka_unit_test(free_structure_is_refused_dense_and_sparse),
        cmocka_unit_test(factor_of_order_zero_does_nothing),
        cmocka_unit_test(products_and_solves_make_no_heap_call),
        cmocka_unit_test(lu_factors_and_solves_without_heap_calls),
        cmocka_unit_test(lu_refuses_singular_and_not_finite),
    };
    return cmocka_run_group_tests_name("factor", tests, NULL, NULL);
}
