/* The dominant eigenvalue of a map against spectra that are chosen. */
#include "support/check.h"

#include <yoke/linalg.h>

#include <math.h>

/* Pairs of coordinates turn and shrink: eigenvalues r exp(+-i phi). The components are other ones, by a reflection at
 * the plane across (1, 1, ... 1), and each in a unit of its own. */
enum { PAIRS = 200, N = 2 * PAIRS };

struct turning {
    double radius[PAIRS], angle[PAIRS], unit[N];
    long products;
};

static void reflect(double *x)
{
    double sum = 0;

    for (size_t i = 0; i < N; i++)
        sum += x[i];
    for (size_t i = 0; i < N; i++)
        x[i] -= 2 * sum / N;
}

static enum yk_status turn(void *self, double *x)
{
    struct turning *t = self;

    for (size_t i = 0; i < N; i++)
        x[i] /= t->unit[i];
    reflect(x);
    for (size_t k = 0; k < PAIRS; k++) {
        const double a = x[2 * k], b = x[2 * k + 1];
        const double c = t->radius[k] * cos(t->angle[k]), s = t->radius[k] * sin(t->angle[k]);

        x[2 * k] = c * a - s * b;
        x[2 * k + 1] = s * a + c * b;
    }
    reflect(x);
    for (size_t i = 0; i < N; i++)
        x[i] *= t->unit[i];
    t->products++;
    return YK_OK;
}

static void prepare(struct turning *t, double largest)
{
    for (size_t k = 0; k < PAIRS; k++) {
        t->radius[k] = 0.9 * exp(-0.05 * (double)k);
        t->angle[k] = 0.1 + 2.9 * (double)(k * 7 % PAIRS) / PAIRS;
        t->unit[2 * k] = 1e-6;
        t->unit[2 * k + 1] = 1e5;
    }
    t->radius[PAIRS / 2] = largest;
    t->products = 0;
}

static void the_largest_modulus_is_found_whatever_the_units(void **state)
{
    static const double largest[] = {0.95, 1, 1.0001, 1.5};
    struct turning t;
    double radius;

    for (size_t i = 0; i < sizeof largest / sizeof *largest; i++) {
        prepare(&t, largest[i]);
        assert_ok(yk_eigen_dominant(&(struct yk_map){N, turn, &t}, &radius, &err));
        assert_near(radius, largest[i], 1e-7);
        assert_true(t.products <= 350);
    }
}

static enum yk_status fails(void *self, double *x)
{
    return YK_E_DIVERGED;
}

/* A map of one direction alone: the basis is exhausted at once. */
static enum yk_status project(void *self, double *x)
{
    for (size_t i = 1; i < N; i++)
        x[i] = 0;
    x[0] *= 0.25;
    return YK_OK;
}

static void a_map_of_low_rank_is_no_trouble(void **state)
{
    double radius;

    assert_ok(yk_eigen_dominant(&(struct yk_map){N, project, NULL}, &radius, &err));
    assert_near(radius, 0.25, 1e-12);
    assert_ok(yk_eigen_dominant(&(struct yk_map){0, fails, NULL}, &radius, &err));
    assert_true(radius == 0);
}

/* All eigenvalues on one circle, evenly spaced: no few of them stand out. */
static enum yk_status shift(void *self, double *x)
{
    const double last = x[N - 1];

    for (size_t i = N - 1; i > 0; i--)
        x[i] = x[i - 1];
    x[0] = last;
    return YK_OK;
}

static void what_does_not_settle_is_said_so(void **state)
{
    double radius;

    assert_int_equal(yk_eigen_dominant(&(struct yk_map){N, fails, NULL}, &radius, NULL), YK_E_DIVERGED);
    assert_refused(yk_eigen_dominant(&(struct yk_map){N, shift, NULL}, &radius, &err), YK_E_DIVERGED,
                   "has not settled");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_modulus_is_found_whatever_the_units),
        cmocka_unit_test(a_map_of_low_rank_is_no_trouble),
        cmocka_unit_test(what_does_not_settle_is_said_so),
    };
    return cmocka_run_group_tests_name("dominant", tests, NULL, NULL);
}
