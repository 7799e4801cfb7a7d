/* Gauss's rules: what they integrate exactly, and their points where these are known in closed form. */
#include "support/check.h"

#include "substructure/member/quadrature.h"

#include <math.h>

enum { MOST = 10 };

static void rules_are_exact_up_to_their_degree_and_no_further(void **state)
{
    for (int rule = YK_GAUSS_LEGENDRE; rule <= YK_GAUSS_LOBATTO; rule++)
        for (size_t n = rule == YK_GAUSS_LOBATTO ? 2 : 1; n <= MOST; n++) {
            const size_t degree = rule == YK_GAUSS_LOBATTO ? 2 * n - 3 : 2 * n - 1;
            double at[MOST], weight[MOST];

            yk_quadrature(rule, n, at, weight);
            for (size_t power = 0; power <= degree + 1; power++) {
                const double exact = 1 / ((double)power + 1);
                double sum = 0;

                for (size_t i = 0; i < n; i++)
                    sum += weight[i] * pow(at[i], (double)power);
                if (power <= degree)
                    assert_near(sum, exact, 1e-15);
                else if (n < 6) /* the error of higher orders is below rounding */
                    assert_true(fabs(sum - exact) > 1e-9);
            }
            for (size_t i = 1; i < n; i++)
                assert_true(at[i] > at[i - 1]);
        }
}

static void points_are_those_of_the_closed_forms(void **state)
{
    double at[5], weight[5];

    yk_quadrature(YK_GAUSS_LOBATTO, 5, at, weight);
    assert_true(at[0] == 0 && at[2] == 0.5 && at[4] == 1);
    assert_near(at[1], (1 - sqrt(3.0 / 7)) / 2, 1e-15);
    assert_near(weight[0], 1.0 / 20, 1e-15);
    assert_near(weight[1], 49.0 / 180, 1e-15);
    assert_near(weight[2], 16.0 / 45, 1e-15);
    yk_quadrature(YK_GAUSS_LEGENDRE, 3, at, weight);
    assert_near(at[0], (1 - sqrt(0.6)) / 2, 1e-15);
    assert_near(weight[0], 5.0 / 18, 1e-15);
    assert_true(at[1] == 0.5 && at[0] + at[2] == 1 && weight[0] == weight[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_exact_up_to_their_degree_and_no_further),
        cmocka_unit_test(points_are_those_of_the_closed_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
