/* Singular values: the matrix comes back from its parts, which are orthogonal; known values of a small one. */
#include "support/check.h"
#include "support/random.h"

#include <yoke/linalg.h>

#include <float.h>
#include <math.h>

static void parts_give_the_matrix_back(void **state)
{
    enum { N = 17 };
    static double A[N * N], kept[N * N], U[N * N], s[N], Vt[N * N];
    uint64_t seed = 5;

    for (int i = 0; i < N * N; i++)
        A[i] = kept[i] = random_value(&seed);
    assert_ok(yk_svd(N, A, U, s, Vt, &err));
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double a = 0, u = 0, v = 0;

            for (int k = 0; k < N; k++) {
                a += U[i + k * N] * s[k] * Vt[k + j * N];
                u += U[k + i * N] * U[k + j * N];
                v += Vt[i + k * N] * Vt[j + k * N];
            }
            assert_near(a, kept[i + j * N], 100 * N * DBL_EPSILON);
            assert_near(u, i == j, 100 * N * DBL_EPSILON);
            assert_near(v, i == j, 100 * N * DBL_EPSILON);
        }
    for (int k = 1; k < N; k++)
        assert_true(s[k] <= s[k - 1] && s[k] >= 0);
}

/* [1 1; 0 1]: the golden ratio and its inverse */
static void values_of_a_shear_are_the_golden_ratio_and_its_inverse(void **state)
{
    double A[] = {1, 0, 1, 1}, U[4], s[2], Vt[4];
    const double golden = 0.5 * (1 + sqrt(5));

    assert_ok(yk_svd(2, A, U, s, Vt, &err));
    assert_near(s[0], golden, 4 * DBL_EPSILON);
    assert_near(s[1], 1 / golden, 4 * DBL_EPSILON);
}

static void value_that_is_not_finite_is_refused(void **state)
{
    double A[] = {1, 0, NAN, 1}, U[4], s[2], Vt[4];
    struct yk_err err = {0};

    assert_int_equal(yk_svd(2, A, U, s, Vt, &err), YK_E_INPUT);
    assert_non_null(strstr(yk_err_line(&err).text, "not finite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_give_the_matrix_back),
        cmocka_unit_test(values_of_a_shear_are_the_golden_ratio_and_its_inverse),
        cmocka_unit_test(value_that_is_not_finite_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
