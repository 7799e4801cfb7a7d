/* Least squares of more equations than unknowns. */
#include "support/check.h"

#include <yoke/linalg.h>

#include <math.h>

/* A line through (0, 1), (1, 3), (2, 4), (3, 4): by the normal equations 1.5 + x. The second column is scaled far away
 * from the first. */
static void a_line_is_fitted(void **state)
{
    double A[] = {1, 1, 1, 1, 0, 1e-9, 2e-9, 3e-9}, b[] = {1, 3, 4, 4};

    assert_ok(yk_least_squares(4, 2, A, b, &err));
    assert_near(b[0], 1.5, 1e-12);
    assert_near_relative(b[1], 1e9, 1e-12);
}

/* Two columns that are the same share what one would have. */
static void equal_columns_share(void **state)
{
    double A[] = {1, 2, 2, 1, 2, 2}, b[] = {4, 8, 8};

    assert_ok(yk_least_squares(3, 2, A, b, &err));
    assert_near(b[0], 2, 1e-12);
    assert_near(b[1], 2, 1e-12);
}

static void bad_input_is_refused(void **state)
{
    double A[] = {1, 2, NAN, 4}, b[] = {1, 2};

    assert_refused(yk_least_squares(1, 2, A, b, &err), YK_E_RANGE, "1 equations for 2 unknowns");
    assert_refused(yk_least_squares(2, 2, A, b, &err), YK_E_INPUT, "not finite");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_fitted),
        cmocka_unit_test(equal_columns_share),
        cmocka_unit_test(bad_input_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
