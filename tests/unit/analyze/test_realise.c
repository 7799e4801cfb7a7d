/* The radius of a process from its answers: processes whose eigenvalues are known by construction. */
#include "analyze/realise.h"
#include "support/check.h"
#include "support/random.h"

#include <math.h>

enum { SIZE = 2, MOST = 40 };

/* Motions r^k cos(k a + phase) with random weights: `count` pairs of eigenvalues r exp(+-i a). */
static void sample(int count, const double *r, const double *a, size_t half, double *Y)
{
    uint64_t seed = 11;

    memset(Y, 0, 2 * half * SIZE * SIZE * sizeof *Y);
    for (int p = 0; p < count; p++) {
        double b[SIZE], phase[SIZE], c[SIZE], shift[SIZE];

        for (int i = 0; i < SIZE; i++) {
            b[i] = random_value(&seed);
            phase[i] = 3 * random_value(&seed);
            c[i] = random_value(&seed);
            shift[i] = 3 * random_value(&seed);
        }
        for (size_t k = 0; k < 2 * half; k++)
            for (int i = 0; i < SIZE; i++)
                for (int j = 0; j < SIZE; j++)
                    Y[k * SIZE * SIZE + (size_t)(i + j * SIZE)] +=
                        b[j] * c[i] * pow(r[p], (double)k) * cos(a[p] * (double)k + phase[j] + shift[i]);
    }
}

static void radius_is_the_largest_modulus(void **state)
{
    const double r[] = {0.99, 1.0005, 0.4, 0.05}, a[] = {0.8, 2.2, 1.1, 0.3};
    double Y[2 * MOST * SIZE * SIZE], radius;
    bool complete;

    sample(4, r, a, 10, Y);
    assert_ok(yk_realise_radius(&(struct yk_samples){SIZE, 10, Y}, &radius, &complete, &err));
    assert_true(complete);
    assert_near(radius, 1.0005, 1e-10);
    sample(1, r, a, 10, Y);
    assert_ok(yk_realise_radius(&(struct yk_samples){SIZE, 10, Y}, &radius, &complete, &err));
    assert_near(radius, 0.99, 1e-12);
}

static void more_motions_than_samples_are_noticed(void **state)
{
    const double r[] = {0.99, 0.98, 0.97, 0.96}, a[] = {0.8, 2.2, 1.1, 0.3};
    double Y[2 * MOST * SIZE * SIZE], radius;
    bool complete;

    sample(4, r, a, 3, Y); /* 8 eigenvalues, 6 rows */
    assert_ok(yk_realise_radius(&(struct yk_samples){SIZE, 3, Y}, &radius, &complete, &err));
    assert_false(complete);
}

static void rest_has_no_radius(void **state)
{
    double Y[2 * 4 * SIZE * SIZE] = {0}, radius = 1;
    bool complete;

    assert_ok(yk_realise_radius(&(struct yk_samples){SIZE, 4, Y}, &radius, &complete, &err));
    assert_true(complete);
    assert_near(radius, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radius_is_the_largest_modulus),
        cmocka_unit_test(more_motions_than_samples_are_noticed),
        cmocka_unit_test(rest_has_no_radius),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
