/* The loop of equivalent force control as an iteration in real time. docs/theory/efc.md, section 8. */
#include "support/check.h"

#include <math.h>

#include "coupling/efc_core.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* One degree of freedom at d = 1 with the acceleration that makes the command of the step zero. */
static void open_iteration(struct yk_efc *efc, double theta, long samples)
{
    double mn[] = {100}, k[] = {3600};
    const struct yk_matrix MN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = mn};
    const struct yk_matrix K = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = k};
    struct yk_efc_settings set = yk_efc_defaults(false);
    const double one = 1, none = 0;
    double a0;

    set.law = YK_EFC_STEP;
    set.dt_s = 1;
    set.sample_s = 1.0 / (double)samples;
    set.Kp = 0;
    set.Ki = theta / set.sample_s;
    set.MN = &MN;
    set.KN = set.KE = &K;
    set.interface_count = 1;
    assert_ok(yk_efc_create(efc, &set, NULL, &err));
    a0 = -yk_matrix_get(&efc->KPD, 0, 0) / yk_matrix_get(&efc->MPD, 0, 0);
    yk_efc_start(efc, &one, &none, &a0, &none);
    yk_efc_begin_step(efc, &none, &none);
    assert_near(efc->F1[0], 0, 1e-10);
}

static void without_proportional_gain_each_sample_is_a_newton_sweep(void **state)
{
    static const double theta[] = {0.1, 0.5, 1, 1.5};

    for (size_t i = 0; i < COUNT(theta); i++) {
        struct yk_efc efc;
        double x = 1, R = 3600, want = 1;

        open_iteration(&efc, theta[i], 20);
        for (int j = 0; j < 20; j++) {
            assert_int_equal(yk_efc_sample(&efc, &(struct yk_efc_measured){.d = &x, .r = &R}, &x), YK_OK);
            R = 3600 * x;
            want *= 1 - theta[i];
            assert_near(x, want, 1e-13);
        }
        yk_efc_destroy(&efc);
    }
}

/* A specimen that softens so that sweep i leaves i^2/(i^2 + 1) of the error: every sweep contracts, and yet the error
 * tends to pi/sinh(pi), not to zero. The sweeps after the last would take 1/N more. */
static void contraction_alone_does_not_converge(void **state)
{
    enum { N = 20000 };
    struct yk_efc efc;
    double x = 1, R;

    open_iteration(&efc, 0.5, N);
    for (long i = 1; i <= N; i++) {
        const double plant = yk_matrix_get(&efc.KT, 0, 0) / (0.5 * ((double)i * (double)i + 1));

        R = (plant - yk_matrix_get(&efc.KH, 0, 0)) * x;
        assert_int_equal(yk_efc_sample(&efc, &(struct yk_efc_measured){.d = &x, .r = &R}, &x), YK_OK);
    }
    assert_near(x * (1 - 1.0 / N), 0.2720290550, 2e-9);
    assert_near(M_PI / sinh(M_PI), 0.2720290550, 5e-11);
    yk_efc_destroy(&efc);
}

/* Factors that change from sweep to sweep but have a bound below 1: the error stays below the powers of the bound. */
static void a_bounded_contraction_converges(void **state)
{
    enum { N = 60 };
    const double bound = 0.6;
    struct yk_efc efc;
    double x = 1, R, most = 1;

    open_iteration(&efc, 0.5, N);
    for (int i = 1; i <= N; i++) {
        /* the sweep leaves 1 - plant/2 of the error */
        const double leaves = bound * sin(i * i), plant = 2 * (1 - leaves) * yk_matrix_get(&efc.KT, 0, 0);

        R = (plant - yk_matrix_get(&efc.KH, 0, 0)) * x;
        assert_int_equal(yk_efc_sample(&efc, &(struct yk_efc_measured){.d = &x, .r = &R}, &x), YK_OK);
        most *= bound;
        assert_true(fabs(x) <= most * (1 + 1e-9) + 1e-15);
    }
    yk_efc_destroy(&efc);
}

/* A plant g(x) = (x - r)^p h(x), its tangent at x as the stiffness of the loop, and one sample with theta = 1: that is
 * Newton's step. */
static double newton_step(int p, double x)
{
    const double root = 0.3, y = x - root, h = 1 + y, scale = 1e7;
    const double g = scale * pow(y, p) * h, slope = scale * (p * pow(y, p - 1) * h + pow(y, p));
    double mn[] = {100}, kn[] = {3600}, ke[1], R, a0;
    const struct yk_matrix MN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = mn};
    const struct yk_matrix KN = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = kn};
    const struct yk_matrix KE = {.form = YK_DENSE, .rows = 1, .cols = 1, .x = ke};
    struct yk_efc_settings set = yk_efc_defaults(false);
    const double KH = 4 * 100 + 3600, none = 0;
    struct yk_efc efc;

    set.law = YK_EFC_STEP;
    set.correction = YK_EFC_NONE;
    set.dt_s = set.sample_s = 1;
    set.Kp = 0;
    set.Ki = 1;
    set.MN = &MN;
    set.KN = &KN;
    set.KE = &KE;
    set.interface_count = 1;
    ke[0] = slope - KH;
    R = g - KH * x;
    assert_ok(yk_efc_create(&efc, &set, NULL, &err));
    a0 = -yk_matrix_get(&efc.KPD, 0, 0) * x / yk_matrix_get(&efc.MPD, 0, 0); /* command zero */
    yk_efc_start(&efc, &x, &none, &a0, &R);
    yk_efc_begin_step(&efc, &none, &none);
    assert_int_equal(yk_efc_sample(&efc, &(struct yk_efc_measured){.d = &x, .r = &R}, &x), YK_OK);
    yk_efc_destroy(&efc);
    return x;
}

/* Second order at a simple root, e1 = e0^2 f''/(2 f') = e0^2 here; first order with 1 - 1/p at a p-fold one */
static void newtons_choice_squares_the_error_at_a_simple_root(void **state)
{
    double e = 0.1;

    for (int i = 0; i < 3; i++) {
        const double next = newton_step(1, 0.3 + e) - 0.3;

        assert_near_relative(next, e * e / (1 + 2 * e), 1e-6);
        e = next;
    }
}

static void newtons_choice_leaves_a_share_at_a_multiple_root(void **state)
{
    for (int p = 2; p <= 5; p++) {
        double e = 0.1, next = e;

        for (int i = 0; i < 25; i++) {
            e = next;
            next = newton_step(p, 0.3 + e) - 0.3;
        }
        assert_near(next / e, 1 - 1.0 / p, 2e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_proportional_gain_each_sample_is_a_newton_sweep),
        cmocka_unit_test(contraction_alone_does_not_converge),
        cmocka_unit_test(a_bounded_contraction_converges),
        cmocka_unit_test(newtons_choice_squares_the_error_at_a_simple_root),
        cmocka_unit_test(newtons_choice_leaves_a_share_at_a_multiple_root),
    };
    return cmocka_run_group_tests_name("equivalent force control as an iteration", tests, NULL, NULL);
}
