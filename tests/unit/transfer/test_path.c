/* The command between targets: what each kind of path reproduces, and how rough it is. */
#include "support/check.h"
#include "support/trap.h"
#include "transfer/path.h"

#include <math.h>

enum { TICKS = 5 };

static double polynomial(int order, double t)
{
    return 0.3 + 0.7 * t + (order > 1) * 0.2 * t * t - (order > 2) * 0.05 * t * t * t;
}

static double slope(int order, double t)
{
    return 0.7 + (order > 1) * 0.4 * t - (order > 2) * 0.15 * t * t;
}

/* Largest distance from a polynomial of that order whose values, and slopes, are the commands. */
static double error_of(int kind, int order)
{
    struct yk_path p = {.kind = kind};
    double worst = 0;

    yk_path_reset(&p, 0);
    for (int j = 0; j < 10; j++) {
        yk_path_set_target(&p, polynomial(order, j), slope(order, j));
        for (int k = 1; k <= TICKS; k++) {
            const double x = yk_path_at(&p, (double)k / TICKS);

            if (j > 2) /* the past is on it as well */
                worst = fmax(worst, fabs(x - polynomial(order, j - 1 + (double)k / TICKS)));
        }
    }
    return worst;
}

static void a_path_of_an_order_follows_polynomials_of_it(void **state)
{
    static const int order[] = {[YK_PATH_LINE] = 1, [YK_PATH_QUADRATIC] = 2, [YK_PATH_CUBIC] = 3};

    for (int kind = YK_PATH_LINE; kind <= YK_PATH_CUBIC; kind++) {
        assert_near(error_of(kind, order[kind]), 0, 1e-13);
        if (order[kind] < 3)
            assert_true(error_of(kind, order[kind] + 1) > 0.01);
    }
}

static void every_path_ends_at_its_command_and_rests(void **state)
{
    for (int kind = YK_PATH_LINE; kind <= YK_PATH_CUBIC; kind++) {
        struct yk_path p = {.kind = kind};

        yk_path_reset(&p, 4);
        yk_path_set_target(&p, 4, 0);
        assert_near(yk_path_at(&p, 0.3), 4, 0);
        yk_path_set_target(&p, 7, 0.5);
        assert_near(yk_path_at(&p, 1), 7, 1e-14);
        yk_path_reset(&p, -1);
        assert_near(yk_path_at(&p, 0.5), -1, 0);
        assert_near(yk_path_roughness(&p), 0, 0);
    }
}

/* One kink of a line by d in a tick, in n ticks: d/sqrt(n). */
static void roughness_is_the_mean_square_of_second_differences(void **state)
{
    struct yk_path p = {.kind = YK_PATH_LINE};
    struct trap_counts counts;

    assert_near(yk_path_roughness(&p), 0, 0);
    yk_path_reset(&p, 0);
    trap_begin();
    for (int j = 0; j < 20; j++) {
        yk_path_set_target(&p, j, 0);
        for (int k = 1; k <= TICKS; k++)
            yk_path_at(&p, (double)k / TICKS);
    }
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, 0);
    assert_near(yk_path_roughness(&p), 0.2 / sqrt(100), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_of_an_order_follows_polynomials_of_it),
        cmocka_unit_test(every_path_ends_at_its_command_and_rests),
        cmocka_unit_test(roughness_is_the_mean_square_of_second_differences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
