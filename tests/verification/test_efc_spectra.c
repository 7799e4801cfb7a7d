/* Equivalent force control with the ideal specimen: spectra and zero stability against an independent prototype, and
 * against the library's HHT method where the two must agree. Where a row has no tolerance of its own, half a unit of
 * its last digit holds. docs/theory/efc.md, section 6. */
#include "support/check.h"
#include "support/efc_names.h"

#include <math.h>
#include <string.h>

#include "analyze/analyze.h"

/* ---- spectra with the ideal specimen --------------------------------------------------------------------------- */

struct spectrum {
    double alpha;
    enum yk_efc_law law;
    enum yk_efc_correction correction;
    double b, gm, zeta;
};

static double radius(const struct spectrum *s, double Om)
{
    const struct efc_model model = efc_family(s->b, Om / 0.01, s->zeta);
    struct efc_plan plan = efc_plan(s->alpha, s->law, s->correction, 0.01, 0.01);
    struct efc_rig rig;
    double found;

    plan.gm = s->gm;
    efc_rig_open(&rig, &model, &plan);
    found = efc_radius(&rig);
    efc_rig_close(&rig);
    return found;
}

static double whole_radius(double alpha, double Om)
{
    const struct efc_model model = efc_family(1, Om / 0.01, 0);
    struct yk_domain domain;
    double re[8], im[8];

    efc_whole_open(&domain, &model, alpha, NULL, 0.01, at_rest);
    assert_true(yk_amplification_size(&domain) <= 8);
    assert_ok(yk_spectrum(&domain, re, im, &err));
    efc_whole_close(&domain);
    return hypot(re[0], im[0]);
}

static void spectral_radii(void **state)
{
    static const double Om[6] = {0.1, 0.3, 1, 3, 10, 100};
    static const struct {
        struct spectrum s;
        double radius[6];
    } rows[] = {
        {{0, LAW_2, PEEK, 1, 1, 0}, {0.99875, 0.98894, 0.90003, 0.88538, 0.98986, 0.99990}},
        {{0, LAW_2, PEEK, 2, 1, 0}, {0.99875, 0.98914, 0.91533, 0.94006, 0.99531, 0.99996}},
        {{0, LAW_2, PEEK, 5, 1, 0}, {0.99925, 0.99357, 0.95556, 0.97500, 0.99862, 0.99999}},
        {{0, LAW_2, PEEK, 10, 1, 0}, {0.99957, 0.99632, 0.97604, 0.98724, 0.99948, 1.00000}},
        {{0, LAW_1, PEEK, 2, 1, 0}, {0.99834, 0.98557, 0.89205, 0.95754, 0.99934, 1.00000}},
        {{-0.1, LAW_2, PEEK, 10, 1, 0}, {0.99955, 0.99615, 0.97087, 0.91002, 0.83570, 0.81838}},
        {{-0.3, LAW_2, PEEK, 10, 1, 0}, {0.99955, 0.99612, 0.96768, 0.85896, 0.67827, 0.54870}},
        {{0, LAW_2, ACC, 1, 0.95, 0}, {0.99994, 0.99947, 0.99658, 0.99678, 0.99953, 1.00000}},
        {{0, LAW_2, ACC, 1, 1.05, 0}, {1.00006, 1.00052, 1.00325, 1.00307, 1.00047, 1.00000}},
        {{0, LAW_2, ACC, 10, 1.05, 0}, {1.00002, 1.00018, 1.00109, 1.00059, 1.00003, 1.00000}},
        {{-0.1, LAW_2, ACC, 1, 1, 0}, {0.99965, 0.99706, 0.97841, 0.91105, 0.83445, 0.81836}},
    };

    for (size_t r = 0; r < COUNT(rows); r++)
        for (int i = 0; i < 6; i++)
            assert_near(radius(&rows[r].s, Om[i]), rows[r].radius[i], 2e-5);
}

/* The rows that the others are compared with. */
static void spectral_radii_of_the_alpha_method(void **state)
{
    static const double Om[6] = {0.1, 0.3, 1, 3, 10, 100};
    static const struct {
        double alpha, radius[6];
    } rows[] = {
        {-0.1, {1.00000, 0.99992, 0.99385, 0.92596, 0.83780, 0.81840}},
        {-0.3, {1.00000, 0.99986, 0.98938, 0.87678, 0.68461, 0.54949}},
    };

    for (size_t r = 0; r < COUNT(rows); r++)
        for (int i = 0; i < 6; i++)
            assert_near(whole_radius(rows[r].alpha, Om[i]), rows[r].radius[i], 2e-5);
}

/* With the ideal specimen the measured displacement already balances the held reaction. */
static void peek_changes_nothing_once_the_loop_has_settled(void **state)
{
    for (double Om = 0.1; Om < 200; Om *= 3) {
        const struct spectrum none = {-0.1, LAW_2, NONE, 3, 1, 0.05}, peek = {-0.1, LAW_2, PEEK, 3, 1, 0.05};

        assert_near(radius(&none, Om), radius(&peek, Om), 1e-9);
    }
}

/* Without specimen the module is the alpha method; near Om = 0 a double root at 1 leaves the square root of eps. */
static void without_specimen_it_is_the_alpha_method(void **state)
{
    for (double Om = 0.1; Om < 200; Om *= 3) {
        struct efc_model model = efc_family(1, Om / 0.01, 0);
        struct efc_plan plan = efc_plan(-0.1, LAW_2, PEEK, 0.01, 0.01);
        struct efc_rig rig;

        model.MN[0] += model.ME[0];
        model.KN[0] += model.KE[0];
        model.ME[0] = model.KE[0] = 0;
        efc_rig_open(&rig, &model, &plan);
        assert_near(efc_radius(&rig), whole_radius(-0.1, Om), 1e-9);
        efc_rig_close(&rig);
    }
}

static void exact_estimates_give_the_standard_method(void **state)
{
    static const double b[] = {0.1, 0.5, 1, 2, 10};

    for (size_t i = 0; i < COUNT(b); i++)
        for (double Om = 0.01; Om < 1e3; Om *= 10)
            assert_near(radius(&(struct spectrum){0, LAW_2, ACC, b[i], 1, 0}, Om), 1, 1e-12);
}

static void too_large_a_mass_estimate_is_unstable_and_too_small_a_one_dissipates(void **state)
{
    static const double b[] = {0.5, 1, 2, 5, 10};

    for (size_t i = 0; i < COUNT(b); i++)
        for (double Om = 0.1; Om < 20; Om *= 2) {
            assert_true(radius(&(struct spectrum){0, LAW_2, ACC, b[i], 1.05, 0}, Om) > 1 + 1e-7);
            assert_true(radius(&(struct spectrum){0, LAW_2, ACC, b[i], 0.95, 0}, Om) < 1 - 1e-7);
        }
}

static void acceleration_correction_with_alpha_damps_more_than_the_alpha_method(void **state)
{
    for (double Om = 0.05; Om < 2; Om *= 1.5)
        assert_true(radius(&(struct spectrum){-0.1, LAW_2, ACC, 1, 1, 0}, Om) < whole_radius(-0.1, Om));
}

static void largest_radius(const struct spectrum *s, double *most, double *where)
{
    *most = *where = 0;
    for (int i = 0; i <= 250; i++) {
        const double Om = pow(10, -2 + i / 50.0), r = radius(s, Om);

        if (r > *most) {
            *most = r;
            *where = Om;
        }
    }
}

static void an_even_split_is_unconditionally_stable(void **state)
{
    static const double b[] = {1, 1.05, 2, 5, 10};
    double most, where;

    for (size_t i = 0; i < COUNT(b); i++) {
        largest_radius(&(struct spectrum){0, LAW_2, PEEK, b[i], 1, 0}, &most, &where);
        assert_true(most < 1);
        largest_radius(&(struct spectrum){0, LAW_2, PEEK, b[i], 1, 0.05}, &most, &where);
        if (b[i] > 1) {
            assert_true(most < 1);
            continue;
        }
        assert_near(most, 1.00124, 2e-5); /* damping takes the margin of b = 1 */
        assert_near_relative(where, 0.05, 0.1);
    }
}

/* The lighter the specimen, the less is dissipated where the motion is; 0.1 is too low to tell 1 from 2 in five digits.
 */
static void a_lighter_specimen_dissipates_less(void **state)
{
    static const double Om[] = {0.3, 1, 3}, b[] = {1, 2, 5, 10};

    for (size_t k = 0; k < COUNT(Om); k++)
        for (size_t i = 1; i < COUNT(b); i++)
            assert_true(radius(&(struct spectrum){0, LAW_2, PEEK, b[i - 1], 1, 0}, Om[k]) <
                        radius(&(struct spectrum){0, LAW_2, PEEK, b[i], 1, 0}, Om[k]) - 1e-4);
}

static void high_frequencies_are_damped_as_by_the_alpha_method(void **state)
{
    static const double alpha[] = {0, -0.1, -0.3};

    for (size_t i = 0; i < COUNT(alpha); i++) {
        const struct spectrum s = {alpha[i], LAW_2, PEEK, 10, 1, 0};

        assert_near(radius(&s, 100), whole_radius(alpha[i], 100), 1e-3);
        assert_near(radius(&s, 1000), whole_radius(alpha[i], 1000), 2e-5);
    }
}

/* ---- zero stability -------------------------------------------------------------------------------------------- */

/* The amplification matrix at Om = 0 in d, v dt, a dt^2, F dt^2/MN */
static void matrix_at_zero(void **state)
{
    static const double splits[] = {0.5, 1, 4, 10};

    for (size_t k = 0; k < COUNT(splits); k++) {
        const double b = splits[k], dt = 0.01, scale[4] = {1, dt, dt * dt, dt * dt / 100};
        const double A0[4][4] = {{(2 * b - 1) / (2 * b), 1, (2 * b - 1) / (8 * b), 1 / (8 * b)},
                                 {-1 / b, 1, (2 * b - 1) / (4 * b), 1 / (4 * b)},
                                 {-2 / b, 0, -1 / (2 * b), 1 / (2 * b)},
                                 {4, 4, 1, 0}};
        const struct efc_model model = efc_family(b, 0, 0);
        const struct efc_plan plan = efc_plan(0, LAW_2, PEEK, dt, dt);
        double A[EFC_STATES * EFC_STATES];
        struct efc_rig rig;
        size_t N;

        efc_rig_open(&rig, &model, &plan);
        N = efc_amplification(&rig, A);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 4; j++)
                assert_near(A[i + j * N] * scale[i] / scale[j], A0[i][j], 1e-14 * fmax(1, fabs(A0[i][j])));
        efc_rig_close(&rig);
    }
}

static void eigenvalues_at_zero(void **state)
{
    const double want[] = {1, 1, -0.25, 0}, b = 4;
    double A[EFC_STATES * EFC_STATES], re[EFC_STATES], im[EFC_STATES];
    const struct efc_model model = efc_family(b, 0, 0);
    const struct efc_plan plan = efc_plan(0, LAW_2, PEEK, 0.01, 0.01);
    struct efc_rig rig;

    efc_rig_open(&rig, &model, &plan);
    assert_ok(yk_eigen_general(efc_amplification(&rig, A), A, re, im, &err));
    efc_rig_close(&rig);
    for (size_t i = 0; i < COUNT(want); i++) {
        /* the root 1 is defective: rounding splits it by its square root */
        const double tolerance = want[i] == 1 ? 1e-7 : 1e-13;

        assert_near(re[i], want[i], tolerance);
        assert_near(im[i], 0, tolerance);
    }
}

/* (A - 1)^2 (A + 1/b) A = 0 at Om = 0: the double root too, to rounding */
static void polynomial_at_zero(void **state)
{
    const double b = 4, dt = 0.01, scale[4] = {1, dt, dt * dt, dt * dt / 100}, root[4] = {1, 1, -1 / b, 0};
    double A[EFC_STATES * EFC_STATES], P[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const struct efc_model model = efc_family(b, 0, 0);
    const struct efc_plan plan = efc_plan(0, LAW_2, PEEK, dt, dt);
    struct efc_rig rig;
    size_t N;

    efc_rig_open(&rig, &model, &plan);
    N = efc_amplification(&rig, A);
    efc_rig_close(&rig);
    for (int f = 0; f < 4; f++) {
        double Q[4][4] = {{0}};

        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 4; j++)
                for (size_t k = 0; k < 4; k++)
                    Q[i][j] += P[i][k] * (A[k + j * N] * scale[k] / scale[j] - (k == j ? root[f] : 0));
        memcpy(P, Q, sizeof P);
    }
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            assert_near(P[i][j], 0, 2e-13);
}

/* Least b for which the radius at Om = 0 stays at 1 */
static double least_split(double alpha)
{
    double low = 0.5, high = 1.5;

    while (high - low > 1e-6) {
        const double b = (low + high) / 2;

        if (radius(&(struct spectrum){alpha, LAW_2, PEEK, b, 1, 0}, 0) > 1 + 1e-6)
            low = b;
        else
            high = b;
    }
    return high;
}

static void least_mass_ratio_for_zero_stability(void **state)
{
    static const double rows[][2] = {{0, 1}, {-0.1, 0.921}, {-0.2, 0.888}, {-0.25, 0.891}};

    for (size_t r = 0; r < COUNT(rows); r++)
        assert_near(least_split(rows[r][0]), rows[r][1], 5e-4);
}

static void an_even_split_is_zero_stable_for_every_alpha(void **state)
{
    static const double b[] = {1, 1.05, 2, 5, 10};

    for (size_t i = 0; i < COUNT(b); i++)
        for (int k = 0; k <= 20; k++)
            assert_near(radius(&(struct spectrum){-k / 60.0, LAW_2, PEEK, b[i], 1, 0}, 0), 1, 1e-6);
}

/* Without dissipation 1/b is an eigenvalue, and 1 a double one. */
static void radius_at_zero(void **state)
{
    static const double b[] = {0.25, 0.5, 0.8, 1, 2, 4, 10};

    for (size_t i = 0; i < COUNT(b); i++)
        assert_near(radius(&(struct spectrum){0, LAW_2, PEEK, b[i], 1, 0}, 0), fmax(1, 1 / b[i]), 1e-7);
}

static void damping_does_not_change_zero_stability(void **state)
{
    static const double zeta[] = {0, 0.05, 0.2, 1};

    for (size_t i = 0; i < COUNT(zeta); i++)
        assert_near(radius(&(struct spectrum){0, LAW_2, PEEK, 0.8, 1, zeta[i]}, 1e-6), 1.25, 1e-5);
}

static void radii_of_the_free_decay(void **state)
{
    static const double rows[][4] = {{ACC, 1, 0.95, 0.9994715}, {ACC, 1, 1, 1},       {ACC, 1, 1.05, 1.0005243},
                                     {PEEK, 1, 1, 0.9889442},   {PEEK, 0.5, 1, 1.84}, {ACC, 0.5, 1, 1}};

    for (size_t r = 0; r < COUNT(rows); r++) {
        const struct spectrum s = {0, LAW_2, (enum yk_efc_correction)rows[r][0], rows[r][1], rows[r][2], 0};

        assert_near(radius(&s, 0.3), rows[r][3], rows[r][3] == 1.84 ? 5e-3 : 5e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectral_radii),
        cmocka_unit_test(spectral_radii_of_the_alpha_method),
        cmocka_unit_test(peek_changes_nothing_once_the_loop_has_settled),
        cmocka_unit_test(without_specimen_it_is_the_alpha_method),
        cmocka_unit_test(exact_estimates_give_the_standard_method),
        cmocka_unit_test(too_large_a_mass_estimate_is_unstable_and_too_small_a_one_dissipates),
        cmocka_unit_test(acceleration_correction_with_alpha_damps_more_than_the_alpha_method),
        cmocka_unit_test(an_even_split_is_unconditionally_stable),
        cmocka_unit_test(a_lighter_specimen_dissipates_less),
        cmocka_unit_test(high_frequencies_are_damped_as_by_the_alpha_method),
        cmocka_unit_test(matrix_at_zero),
        cmocka_unit_test(eigenvalues_at_zero),
        cmocka_unit_test(polynomial_at_zero),
        cmocka_unit_test(least_mass_ratio_for_zero_stability),
        cmocka_unit_test(an_even_split_is_zero_stable_for_every_alpha),
        cmocka_unit_test(radius_at_zero),
        cmocka_unit_test(damping_does_not_change_zero_stability),
        cmocka_unit_test(radii_of_the_free_decay),
    };
    return cmocka_run_group_tests_name("spectra of equivalent force control", tests, NULL, NULL);
}
