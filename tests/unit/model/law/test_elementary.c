/* exp and log of the loops over fibres, against those of the C library in more digits. */
#include "model/law/elementary.h"

#include "support/check.h"
#include "support/laws.h"

#include <math.h>

enum { POINTS = 200000 };

static void exp_is_good_to_the_last_digit(void **state)
{
    uint64_t seed = 1;
    double off = 0;

    for (int i = 0; i < POINTS; i++) {
        const double u = law_uniform(&seed), x = -700 * u * u * u * u;
        const long double e = expl(x);

        off = fmax(off, (double)fabsl((yk_exp_negative(x) - e) / e));
    }
    print_message("exp: %.2g relative\n", off);
    assert_true(off < 2e-16);
    assert_true(yk_exp_negative(0) == 1);
    assert_near_relative(yk_exp_negative(-INFINITY), exp(-700), 1e-15);
}

static void log_is_good_to_the_last_digit(void **state)
{
    uint64_t seed = 2;
    double off = 0;

    for (int i = 0; i < POINTS; i++) {
        const double u = law_uniform(&seed), x = exp(40 * u * u * u);
        const long double e = logl(x);

        off = fmax(off, (double)(fabsl(yk_log(x) - e) / fmaxl(fabsl(e), 1e-300L)));
    }
    print_message("log: %.2g relative\n", off);
    assert_true(off < 3e-16);
    assert_true(yk_log(1) == 0);
    assert_near_relative(yk_log(1e300), log(1e300), 3e-16);
    assert_near_relative(yk_log(1e-300), log(1e-300), 3e-16);
    assert_true(yk_log(0) < -700 && yk_log(5e-324) < -700 && yk_log(INFINITY) > 700);
}

static void log1p_is_good_to_the_last_digit(void **state)
{
    double off = 0;

    for (int i = 0; i <= POINTS; i++) {
        const double w = (double)i / POINTS;

        off = fmax(off, (double)fabsl(yk_log1p(w) - log1pl(w)));
    }
    print_message("log1p: %.2g absolute\n", off);
    assert_true(off < 3e-16);
    assert_near_relative(yk_log1p(1e-20), 1e-20, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_good_to_the_last_digit),
        cmocka_unit_test(log_is_good_to_the_last_digit),
        cmocka_unit_test(log1p_is_good_to_the_last_digit),
    };
    return cmocka_run_group_tests_name("elementary functions", tests, NULL, NULL);
}
