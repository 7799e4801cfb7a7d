/* Matrix exponential against closed forms. */
#include "support/check.h"
#include "support/random.h"

#include <float.h>
#include <math.h>

#include <yoke/linalg.h>

static void zero_gives_the_identity(void **state)
{
    double A[9] = {0}, E[9];

    assert_ok(yk_expm(3, A, E, &err));
    for (size_t k = 0; k < 9; k++)
        assert_near(E[k], k % 3 == k / 3, DBL_EPSILON);
}

/* exp of [0 -t; t 0] is the rotation by t; squaring s times loses about 2^s = t / 5.4 rounding units */
static void skew_gives_a_rotation(void **state)
{
    const double angles[] = {1e-8, 0.1, 1.0, 5.0, 30.0, 1000.0};

    for (size_t k = 0; k < 6; k++) {
        const double t = angles[k], tolerance = DBL_EPSILON * (8.0 + 2.0 * t);
        double E[4];

        assert_ok(yk_expm(2, (double[]){0.0, t, -t, 0.0}, E, &err));
        assert_near(E[0], cos(t), tolerance);
        assert_near(E[1], sin(t), tolerance);
        assert_near(E[2], -sin(t), tolerance);
        assert_near(E[3], cos(t), tolerance);
    }
}

/* exp(N) = I + N + N^2/2 + N^3/6 for a 4 x 4 shift times c */
static void nilpotent_gives_a_polynomial(void **state)
{
    const double c = 3.0, power[] = {1.0, c, c * c / 2.0, c * c * c / 6.0};
    double A[16] = {0}, E[16];

    for (size_t i = 0; i < 3; i++)
        A[i + (i + 1) * 4] = c;
    assert_ok(yk_expm(4, A, E, &err));
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 0; i < 4; i++)
            assert_near(E[i + j * 4], i <= j ? power[j - i] : 0.0, 100 * DBL_EPSILON);
}

static void diagonal_gives_exponentials(void **state)
{
    const double d[] = {-700.0, -30.0, -1e-12, 0.5, 9.0, 300.0};
    double A[36] = {0}, E[36];

    for (size_t i = 0; i < 6; i++)
        A[i + i * 6] = d[i];
    assert_ok(yk_expm(6, A, E, &err));
    for (size_t k = 0; k < 36; k++) {
        const double exact = k % 6 == k / 6 ? exp(d[k / 6]) : 0.0;

        assert_near(E[k], exact, exact * DBL_EPSILON * 700.0);
    }
}

/* Damped oscillator over one step: x'' + 2 z w x' + w^2 x = 0, state (x, x'). Units make the matrix lopsided. */
static void oscillator_propagates_exactly(void **state)
{
    const double frequencies[] = {1.0, 100.0, 1e4}, z = 0.05, dt = 1e-3;

    for (size_t k = 0; k < 3; k++) {
        const double w = frequencies[k], wd = w * sqrt(1.0 - z * z), decay = exp(-z * w * dt);
        const double c = decay * cos(wd * dt), s = decay * sin(wd * dt), tolerance = 1e-13 * fmax(1.0, w * dt);
        double E[4];

        assert_ok(yk_expm(2, (double[]){0.0, -w * w * dt, dt, -2.0 * z * w * dt}, E, &err));
        assert_near(E[0], c + z * w / wd * s, tolerance);
        assert_near(E[1] / w, -w / wd * s, tolerance);
        assert_near(E[2] * w, s * w / wd, tolerance);
        assert_near(E[3], c - z * w / wd * s, tolerance);
    }
}

/* exp(A) exp(-A) = I within rounding times the condition of the product */
static void inverse_is_the_exponential_of_the_negative(void **state)
{
    enum { N = 30 };
    static double A[N * N], B[N * N], E[N * N], F[N * N];
    uint64_t seed = 13;

    for (size_t k = 0; k < N * N; k++) {
        A[k] = 0.3 * random_value(&seed);
        B[k] = -A[k];
    }
    assert_ok(yk_expm(N, A, E, &err));
    assert_ok(yk_expm(N, B, F, &err));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0.0, size = 0.0;

            for (size_t k = 0; k < N; k++) {
                sum += E[i + k * N] * F[k + j * N];
                size += fabs(E[i + k * N] * F[k + j * N]);
            }
            assert_near(sum, i == j, 1000 * DBL_EPSILON * size);
        }
}

static void what_has_no_finite_exponential_is_refused(void **state)
{
    double E[4];

    assert_refused(yk_expm(2, (double[]){1, 0, NAN, 1}, E, &err), YK_E_INPUT, "not finite");
    assert_refused(yk_expm(2, (double[]){800, 0, 0, 1}, E, &err), YK_E_RANGE, "beyond the range");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_gives_the_identity),
        cmocka_unit_test(skew_gives_a_rotation),
        cmocka_unit_test(nilpotent_gives_a_polynomial),
        cmocka_unit_test(diagonal_gives_exponentials),
        cmocka_unit_test(oscillator_propagates_exactly),
        cmocka_unit_test(inverse_is_the_exponential_of_the_negative),
        cmocka_unit_test(what_has_no_finite_exponential_is_refused),
    };
    return cmocka_run_group_tests_name("expm", tests, NULL, NULL);
}
