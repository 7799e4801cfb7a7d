/* Nonlinear least squares against known minima. */
#include "support/check.h"

#include <yoke/fit.h>

#include <math.h>

/* Rosenbrock 1960: least at (1, 1). */
static bool valley(void *self, const double *x, double *r)
{
    (void)self;
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
    return true;
}

static void a_curved_valley_is_followed_to_its_end(void **state)
{
    const struct yk_fit fit = {.parameters = 2, .count = 2, .residuals = valley, .iterations = 100};
    struct yk_fit_result found;
    double x[2] = {-1.2, 1};

    (void)state;
    assert_ok(yk_fit_run(&fit, x, &found, &err));
    assert_near(x[0], 1, 1e-8);
    assert_near(x[1], 1, 1e-8);
}

/* With x0 <= 0.5 the least of the valley is at (0.5, 0.25). */
static void a_bound_holds_and_the_others_make_the_best_of_it(void **state)
{
    const double most[] = {0.5, 9};
    const struct yk_fit fit = {.parameters = 2, .count = 2, .residuals = valley, .iterations = 100, .most = most};
    struct yk_fit_result found;
    double x[2] = {-1.2, 1};

    (void)state;
    assert_ok(yk_fit_run(&fit, x, &found, &err));
    assert_near(x[0], 0.5, 1e-12);
    assert_near(x[1], 0.25, 1e-6);
    assert_near(found.cost, 0.25, 1e-9);
}

/* A line through points, one of which lies far off. */
static bool line(void *self, const double *x, double *r)
{
    (void)self;
    for (int k = 0; k < 11; k++)
        r[k] = x[0] + x[1] * k - (k == 10 ? 100 : 1 + 2.0 * k);
    return true;
}

static void a_soft_loss_forgives_outliers_and_squares_have_their_covariance(void **state)
{
    double covariance[4], x[2] = {0, 0};
    struct yk_fit fit = {.parameters = 2, .count = 11, .residuals = line, .iterations = 50, .covariance = covariance};
    struct yk_fit_result found;

    (void)state;
    assert_ok(yk_fit_run(&fit, x, &found, &err));
    assert_near(covariance[3], 1.0 / 110, 1e-9); /* 1/sum (k - 5)^2 */
    assert_true(fabs(x[1] - 2) > 3);
    fit.soft = 0.1;
    fit.iterations = 500;
    assert_ok(yk_fit_run(&fit, x, &found, &err));
    assert_near(x[1], 2, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curved_valley_is_followed_to_its_end),
        cmocka_unit_test(a_bound_holds_and_the_others_make_the_best_of_it),
        cmocka_unit_test(a_soft_loss_forgives_outliers_and_squares_have_their_covariance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
