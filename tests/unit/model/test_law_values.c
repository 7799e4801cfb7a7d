/* Element laws: values of each from its formula, and settings that are refused. */
#include "support/check.h"
#include "support/laws.h"

#include <math.h>

#define PI 3.14159265358979323846

static void inconsistent_settings_are_refused(void **state)
{
    struct law_bench b;

    assert_refused(
        law_set_up(&b,
                   &(struct law_sample){"gap", {{"stiffness", 1}, {"gap", 1}, {"preload", 1}}, LAW_SCALES(1, 1, 1, 1)},
                   &err),
        YK_E_INPUT, "preload = 1 N needs contact at rest, but gap = 1 m");
    assert_refused(
        law_set_up(&b,
                   &(struct law_sample){"bouc-wen", {{"k0", 1}, {"beta", 2}, {"gamma", -2}}, LAW_SCALES(1, 1, 1, 1)},
                   &err),
        YK_E_INPUT, "beta + gamma must be positive");
    assert_refused(
        law_set_up(&b, &(struct law_sample){"bouc-wen", {{"k0", 1}, {"beta", 0}, {"gamma", 2}}, LAW_SCALES(1, 1, 1, 1)},
                   &err),
        YK_E_INPUT, "beta = 0");
    assert_refused(law_set_up(&b,
                              &(struct law_sample){
                                  "softening-bouc-wen", {{"k", 1}, {"beta", 1}, {"gamma", -3}}, LAW_SCALES(1, 1, 1, 1)},
                              &err),
                   YK_E_INPUT, "gamma = -3");
    assert_refused(law_set_up(&b,
                              &(struct law_sample){"bilinear",
                                                   {{"stiffness", 1}, {"hardening", 1}, {"yield_slip", 1}},
                                                   LAW_SCALES(1, 1, 1, 1)},
                              &err),
                   YK_E_RANGE, "not below 1");
    assert_refused(
        law_set_up(
            &b, &(struct law_sample){"friction", {{"force", 1e15}, {"slip_velocity", 1e-300}}, LAW_SCALES(1, 1, 1, 1)},
            &err),
        YK_E_RANGE, "not finite");
    assert_refused(
        law_set_up(&b, &(struct law_sample){"softening-bouc-wen", {{"k", 1}, {"rho", 0}}, LAW_SCALES(1, 1, 1, 1)},
                   &err),
        YK_E_RANGE, "rho = 0");
    assert_refused(law_set_up(&b, &(struct law_sample){"spring", {{NULL, 0}}, LAW_SCALES(1, 1, 1, 1)}, &err),
                   YK_E_INPUT, "stiffness");
}

/* ---- gap, friction, dampers ---- */

static void one_sided_gap_pushes_only_beyond_its_clearance(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_GAP_POSITIVE], &err)); /* positive side, 20 mm, 10 kN/m */
    assert_near(law_force(&b, 0.019, 0), 0, 0);
    assert_near(law_force(&b, 0.025, 0), 50, 1e-10);
    assert_near(law_force(&b, -0.5, 0), 0, 0);
    assert_near(law_stiffness(&b, 0.019, 0), 0, 0);
    assert_near(law_stiffness(&b, 0.021, 0), 1e4, 0);
}

static void two_sided_gap_is_odd(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_GAP], &err));
    for (double d = 0; d < 0.1; d += 0.0037)
        assert_true(law_force(&b, -d, 0) == -law_force(&b, d, 0));
    assert_near(law_force(&b, -0.03, 0), -100, 1e-10);
}

static void preloaded_stop_lets_go_after_preload_over_stiffness(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_GAP_NEGATIVE_PRELOADED],
                         &err)); /* negative side, 300 N, 10 kN/m: lets go at +30 mm */
    assert_near(law_force(&b, 0, 0), -300, 1e-10);
    assert_near(law_force(&b, 0.0299, 0), -1, 1e-10);
    assert_near(law_force(&b, 0.0301, 0), 0, 0);
    assert_ok(law_set_up(&b, &law_samples[LAW_GAP_PRELOADED],
                         &err)); /* both sides: the preloads cancel, the stiffnesses add */
    assert_near(law_force(&b, 0.01, 0), 200, 1e-10);
    assert_near(law_force(&b, 0.04, 0), 700, 1e-10);
}

static void friction_and_dampers_are_odd_and_reach_their_limits(void **state)
{
    struct law_bench friction, damper;

    assert_ok(law_set_up(&friction, &law_samples[LAW_FRICTION], &err));
    assert_ok(law_set_up(&damper, &law_samples[LAW_SATURATING_DAMPER], &err));
    for (double w = 0; w < 2; w += 0.0137) {
        assert_true(law_force(&friction, 0, -w) == -law_force(&friction, 0, w));
        assert_true(law_force(&damper, 0, -w) == -law_force(&damper, 0, w));
    }
    assert_near(law_force(&friction, 0, 0.01), 25 * tanh(1), 1e-12);
    assert_near(law_force(&friction, 0, 5), 25, 1e-12);
    assert_near(law_force(&damper, 0, 0.55), 0.65 * 0.55 + 5, 1e-12);
    assert_near(law_damping(&damper, 0, 0), 18.8318181818, 1e-9); /* c1 + c2/c3 with c = 0.65, 10, 0.55 */
}

/* ---- Bouc-Wen ---- */

/* k0 = 1000 N/m, beta = 55, gamma = 45 1/m, n = 1 under u = 0.02 sin(2 pi t): values of the closed form worked out
 * by a separate program, in N. */
static const double quarter[] = {0.25, 0.75, 1.25, 1.75, 2.0};
static const double z_quarter[] = {8.64664717, -9.58025517, 9.54275902, -9.54432120, 6.63248358};

static void bouc_wen_follows_the_reference_values_at_any_step(void **state)
{
    for (int per_quarter = 1; per_quarter <= 1000; per_quarter *= 10) {
        struct law_bench b;
        double f = 0;

        assert_ok(law_set_up(&b, &law_samples[LAW_BOUC_WEN], &err));
        for (int i = 1, next = 0; i <= 8 * per_quarter; i++) {
            double t = 0.25 * i / per_quarter;
            f = law_commit(&b, 0.02 * sin(2 * PI * t), 0);
            if (t == quarter[next])
                assert_near(f, z_quarter[next++], 1e-8);
        }
        assert_near(f, z_quarter[4], 1e-8);
    }
}

/* Substeps along the path change nothing: 1000 commits land where one does, within their rounding errors. */
static void bouc_wen_closed_form_does_not_depend_on_the_step(void **state)
{
    uint64_t seed = 5;

    for (int i = LAW_BOUC_WEN; i <= LAW_BOUC_WEN_LAST_EXACT; i++) {
        struct law_bench one, many;

        assert_ok(law_set_up(&one, &law_samples[i], &err));
        many = one;
        for (int move = 0; move < 50; move++) {
            double from = one.committed[0], to = law_samples[i].d_scale * law_uniform(&seed);
            double f = law_commit(&one, to, 0), g = 0;
            for (int j = 1; j <= 1000; j++)
                g = law_commit(&many, j == 1000 ? to : from + (to - from) * j / 1000, 0);
            assert_near(g, f, 1e-10);
        }
    }
}

static void bouc_wen_saturates_at_its_yield_force(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_BOUC_WEN], &err));
    assert_near(law_force(&b, 1, 0), 10, 1e-12); /* k0/(beta + gamma) */
    assert_near(law_force(&b, -1, 0), -10, 1e-12);
    assert_near(law_stiffness(&b, 1, 0), 0, 1e-9);
    assert_ok(law_set_up(&b, &law_samples[LAW_BOUC_WEN_SQUARE], &err));
    assert_near(law_force(&b, 1, 0), 10, 1e-11); /* (k0/(beta + gamma))^(1/2) */
    assert_near(law_force(&b, -1, 0), -10, 1e-11);
}

/* The incremental branch, entered by an exponent next to 1, against the closed form. */
static void bouc_wen_increments_agree_with_the_closed_form(void **state)
{
    uint64_t seed = 6;
    double worst = 0;

    for (int i = LAW_BOUC_WEN; i <= LAW_BOUC_WEN_LAST_EXACT; i++) {
        struct law_sample near_one = law_samples[i];
        struct law_bench exact, stepwise;

        near_one.set[4].name = "n"; /* kh may stand in [3]; without it the list ends there */
        near_one.set[4].value = 1 + 1e-12;
        if (!near_one.set[3].name)
            near_one.set[3].name = "kh";
        assert_ok(law_set_up(&exact, &law_samples[i], &err));
        assert_ok(law_set_up(&stepwise, &near_one, &err));
        for (int move = 0; move < 300; move++) {
            double d = 2 * law_samples[i].d_scale * law_uniform(&seed);
            worst = fmax(worst, fabs(law_commit(&stepwise, d, 0) - law_commit(&exact, d, 0)));
        }
    }
    print_message("bouc-wen increments against closed form: %.2g N\n", worst);
    assert_true(worst < 1e-5); /* 1e-6 z_y, which is 10 N in three of the law_samples and 33 N in the last */
}

/* n = 2 from rest: z = z_y tanh(d/d_y), and while unloading z = z_p tan(atan(Z/z_p) - s k0/z_p), z_p^2 = k0/(beta -
 * gamma). */
static void bouc_wen_with_exponent_two_is_a_hyperbolic_tangent(void **state)
{
    const double zp = sqrt(1000 / 2.0), Z = 10 * tanh(1.2);
    struct law_bench b;

    for (double d = 0.0007; d < 0.05; d *= 1.3) {
        assert_ok(
            law_set_up(&b, &law_samples[LAW_BOUC_WEN_SQUARE], &err)); /* z_y = 10 N, d_y = 10 mm, beta = 6, gamma = 4 */
        assert_near(law_force(&b, d, 0), 10 * tanh(d / 0.01), 1e-7);
    }
    law_commit(&b, 0.012, 0);
    for (double s = 0.0005; s < zp / 1000 * atan(Z / zp); s += 0.0007)
        assert_near(law_force(&b, 0.012 - s, 0), zp * tan(atan(Z / zp) - s * 1000 / zp), 1e-7);
}

/* Any exponent and shape: the force at the end of a path against the same path in 4000 commits. */
static double error_of_increments(double n, double gamma_over_beta)
{
    const double q = 1000 / pow(10, n), beta = q / (1 + gamma_over_beta); /* z_y = 10 N, d_y = 10 mm */
    const struct law_sample s = {"bouc-wen",
                                 {{"k0", 1000}, {"beta", beta}, {"gamma", gamma_over_beta * beta}, {"n", n}},
                                 LAW_SCALES(0.03, 1, 1, 1)};
    struct law_bench coarse, fine;
    uint64_t seed = 7;
    double worst = 0;

    assert_ok(law_set_up(&coarse, &s, &err));
    for (int move = 0; move < 60; move++) {
        double from = coarse.committed[0], to = s.d_scale * law_uniform(&seed), g = 0;

        fine = coarse;
        for (int j = 1; j <= 4000; j++)
            g = law_commit(&fine, j == 4000 ? to : from + (to - from) * j / 4000, 0);
        worst = fmax(worst, fabs(law_commit(&coarse, to, 0) - g) / 10);
    }
    print_message("bouc-wen n = %g, gamma/beta = %g: %.2g of the yield force\n", n, gamma_over_beta, worst);
    return worst;
}

static void bouc_wen_increments_keep_their_stated_accuracy(void **state)
{
    static const double exponents[] = {1.05, 1.3, 2, 3, 5, 10}, shapes[] = {-0.6, 0, 0.8, 9};

    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++)
            assert_true(error_of_increments(exponents[i], shapes[j]) <
                        (exponents[i] >= 2 && shapes[j] >= 0 ? 1e-8 : 2e-6));
}

static void at_the_committed_point_the_rate_chooses_the_branch(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_BOUC_WEN], &err));
    law_commit(&b, 0.02, 0);
    assert_near(law_stiffness(&b, 0.02, 1), 1000 - 100 * b.committed[1], 1e-9);
    assert_near(law_stiffness(&b, 0.02, 0), 1000 - 100 * b.committed[1], 1e-9);
    assert_near(law_stiffness(&b, 0.02, -1), 1000 + 10 * b.committed[1], 1e-9);
    assert_ok(law_set_up(&b, &law_samples[LAW_PIER], &err));
    law_commit(&b, -0.02, 0);
    double elastic = 221.444 / (1 + 200 * 0.0004), r = b.committed[1];
    assert_true(r < 0);
    assert_near(law_stiffness(&b, -0.02, -1), elastic + 20 * r, 1e-9);
    assert_near(law_stiffness(&b, -0.02, 0), elastic + 20 * r, 1e-9);
    assert_near(law_stiffness(&b, -0.02, 1), elastic - 20 * r, 1e-9);
    assert_ok(law_set_up(&b, &law_samples[LAW_BILINEAR], &err));
    law_commit(&b, 0.005, 0);
    assert_near(law_stiffness(&b, 0.005, 1), 0.02 * 6438, 1e-9);
    assert_near(law_stiffness(&b, 0.005, 0), 6438, 1e-9);
    assert_near(law_stiffness(&b, 0.005, -1), 6438, 1e-9);
}

static void softening_bouc_wen_without_its_terms_is_a_spring(void **state)
{
    const struct law_sample linear = {"softening-bouc-wen", {{"k", 221}, {"beta", 0}}, LAW_SCALES(0.1, 1, 1, 1)};
    uint64_t seed = 8;
    struct law_bench b;

    assert_ok(law_set_up(&b, &linear, &err));
    for (int i = 0; i < 100; i++) {
        double d = law_uniform(&seed);
        assert_near(law_stiffness(&b, d, 1), 221, 1e-10);
        assert_near(law_commit(&b, d, 1), 221 * d, 1e-11);
    }
}

/* Without hysteresis the force is the integral of rho k/(1 + alpha x^2), an arc tangent. */
static void softening_bouc_wen_without_loop_is_an_arc_tangent(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_PIER_ELASTIC], &err));
    for (double d = 0.001; d < 0.3; d += 0.001)
        assert_near(law_commit(&b, d, 0), 200 / sqrt(50) * atan(sqrt(50) * d), 1e-9);
}

/* k = 221.444 N/m, alpha = 200 1/m2, beta = 20 1/m: eight classical Runge-Kutta increments per move, computed by a
 * separate program. */
static void softening_bouc_wen_takes_eight_increments_per_step(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_PIER], &err));
    assert_near(law_commit(&b, 0.03, 0), 4.684900471421419, 1e-13);
    assert_near(law_commit(&b, -0.05, 0), -6.689383286421333, 1e-13);
    assert_near(law_commit(&b, 0.02, 0), 6.116487495346836, 1e-13);
    assert_near(law_commit(&b, 0.021, 0), 6.197613747524109, 1e-13);
}

/* The same path with 200000 increments per move, by the separate program: short steps come close to it. */
static void softening_bouc_wen_converges_to_the_exact_path(void **state)
{
    static const double turns[] = {0, 0.03, -0.05, 0.02, 0.021};
    static const double r[] = {0, 4.6849016197, -6.6894785404, 6.1165171095, 6.1976427753};
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_PIER], &err));
    for (int i = 1; i < 5; i++) {
        double f = 0;

        for (int j = 1; j <= 100; j++)
            f = law_commit(&b, turns[i - 1] + (turns[i] - turns[i - 1]) * j / 100, 0);
        assert_near(f, r[i], 7.5e-6); /* the kink at r = 0 costs up to beta k h^2/6, h = 0.1 mm */
    }
}

/* alpha = 0, rho = 1: eq. (9) is eq. (7) with kh = 0. Steps of 1 mm, increments of h = 0.125 mm: the kink
 * at r = 0 costs up to beta k h^2/6 = 1.4e-4 N, all else far less. */
static void softening_bouc_wen_without_softening_is_bouc_wen(void **state)
{
    const struct law_sample plain = {
        "softening-bouc-wen", {{"k", 1000}, {"beta", 55}, {"gamma", 45}}, LAW_SCALES(0.02, 1, 1, 1)};
    struct law_bench soft, exact;

    assert_ok(law_set_up(&soft, &plain, &err));
    assert_ok(law_set_up(&exact, &law_samples[LAW_BOUC_WEN], &err));
    for (int i = 1; i <= 2000; i++) {
        double d = 0.02 * sin(0.05 * i);
        assert_near(law_commit(&soft, d, 0), law_commit(&exact, d, 0), 1.4e-4);
    }
    assert_near(law_force(&soft, 5, 0), 10, 1e-6); /* a step of 500 yield extensions saturates */
    assert_near(law_force(&soft, -5e5, 0), -10, 1e-6);
}

/* k = 6438 N/m, a = 0.02, d_y = 2 mm. After 5 mm the slip is at +d_y; reversing, it leaves the limit at once and
 * reaches -d_y after 4 mm. */
static void bilinear_loop_has_the_corners_of_its_formula(void **state)
{
    const double k = 6438, a = 0.02, y = 0.002;
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_BILINEAR], &err));
    assert_near(law_commit(&b, 0.002, 0), k * y, 1e-10);
    assert_near(law_commit(&b, 0.005, 0), k * (a * 0.005 + (1 - a) * y), 1e-10);
    assert_near(law_commit(&b, 0.003, 0), k * a * 0.003, 1e-10);
    assert_near(law_commit(&b, 0.001, 0), k * (a * 0.001 - (1 - a) * y), 1e-10);
    assert_near(law_commit(&b, -0.005, 0), -k * (a * 0.005 + (1 - a) * y), 1e-10);
    assert_near(law_commit(&b, 0.005, 0), k * (a * 0.005 + (1 - a) * y), 1e-10);
}

/* Steady loop of amplitude X: a parallelogram of area 4 (1 - a) k d_y (X - d_y). */
static void bilinear_loop_dissipates_the_area_of_its_parallelogram(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_BILINEAR], &err));
    law_work_of_cycles(&b, 0.005, 1, 2);
    assert_near_relative(law_work_of_cycles(&b, 0.005, 1, 1), 4 * 0.98 * 6438 * 0.002 * 0.003, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inconsistent_settings_are_refused),
        cmocka_unit_test(one_sided_gap_pushes_only_beyond_its_clearance),
        cmocka_unit_test(two_sided_gap_is_odd),
        cmocka_unit_test(preloaded_stop_lets_go_after_preload_over_stiffness),
        cmocka_unit_test(friction_and_dampers_are_odd_and_reach_their_limits),
        cmocka_unit_test(bouc_wen_follows_the_reference_values_at_any_step),
        cmocka_unit_test(bouc_wen_closed_form_does_not_depend_on_the_step),
        cmocka_unit_test(bouc_wen_saturates_at_its_yield_force),
        cmocka_unit_test(bouc_wen_increments_agree_with_the_closed_form),
        cmocka_unit_test(bouc_wen_with_exponent_two_is_a_hyperbolic_tangent),
        cmocka_unit_test(bouc_wen_increments_keep_their_stated_accuracy),
        cmocka_unit_test(at_the_committed_point_the_rate_chooses_the_branch),
        cmocka_unit_test(softening_bouc_wen_without_its_terms_is_a_spring),
        cmocka_unit_test(softening_bouc_wen_without_loop_is_an_arc_tangent),
        cmocka_unit_test(softening_bouc_wen_takes_eight_increments_per_step),
        cmocka_unit_test(softening_bouc_wen_converges_to_the_exact_path),
        cmocka_unit_test(softening_bouc_wen_without_softening_is_bouc_wen),
        cmocka_unit_test(bilinear_loop_has_the_corners_of_its_formula),
        cmocka_unit_test(bilinear_loop_dissipates_the_area_of_its_parallelogram),
    };
    return cmocka_run_group_tests_name("values of laws", tests, NULL, NULL);
}
