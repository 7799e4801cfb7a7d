/* The law `imk`: paths of the materials IMKBilin, IMKPeakOriented and IMKPinching of OpenSees, corners by hand, the
 * loss of energy and of force, and what is refused. */
#include "support/check.h"
#include "support/laws.h"

#include <math.h>

/* Rows of d and f: these materials, compiled alone, on the path through these points, cut 100,000 times finer. */
/* clang-format off */
static const double bilinear[][2] = {
    {0.001, 20000}, {0.002, 40000}, {0.003, 60000}, {0.004, 60450}, {0.005, 60900}, {0.003, 20965.76336},
    {0.001, -18968.47328}, {-0.001, -49583.33333}, {-0.003, -50138.88889}, {-0.005, -50694.44444},
    {-0.0016, 16984.5097}, {0.0018, 59460}, {0.0052, 60990}, {0.0086, 62520}, {0.012, 64050}, {0.0072, -30567.04547},
    {0.0024, -48638.88889}, {-0.0024, -49972.22222}, {-0.0072, -51305.55556}, {-0.012, -52638.88889},
    {-0.0046, 56580}, {0.0028, 59910}, {0.0102, 63240}, {0.0176, 66570}, {0.025, 65372.30486}, {0.016, -44861.11111},
    {0.007, -47361.11111}, {-0.002, -49861.11111}, {-0.011, -52361.11111}, {-0.02, -52737.41786}, {-0.01, 54150},
    {0.0, 58650}, {0.01, 63150}, {0.02, 66239.48525}, {0.03, 57614.48525}, {0.017, -44583.33333},
    {0.004, -48194.44444}, {-0.009, -51805.55556}, {-0.022, -48376.11597}, {-0.035, -38161.83025}, {-0.026, 46950},
    {-0.017, 51000}, {-0.008, 55050}, {0.001, 59100}, {0.01, 63150}, {0.018, 62466.24988}, {0.026, 55566.24988},
    {0.034, 48666.24988}, {0.042, 41766.24988}, {0.05, 34866.24988}, {0.03, -40972.22222}, {0.01, -46527.77778},
    {-0.01, -52083.33333}, {-0.03, -37005.04192}, {-0.05, -21290.75621}, {-0.026, 46950}, {-0.002, 57750},
    {0.022, 50057.4284}, {0.046, 29357.4284}, {0.07, 8657.428403},
};
static const double peak_oriented[][2] = {
    {0.001, 20000}, {0.002, 40000}, {0.003, 60000}, {0.004, 60450}, {0.005, 60900}, {0.003, 20965.76336},
    {0.001, -10644.36241}, {-0.001, -33053.88799}, {-0.003, -50053.57188}, {-0.005, -50608.16884},
    {-0.0016, 6972.671643}, {0.0018, 34561.04687}, {0.0052, 60774.59132}, {0.0086, 62299.06569}, {0.012, 63823.54006},
    {0.0072, -5706.295286}, {0.0024, -23146.99972}, {-0.0024, -40587.70416}, {-0.0072, -50799.27354},
    {-0.012, -52119.27086}, {-0.0046, 13881.04704}, {0.0028, 35557.36259}, {0.0102, 57233.67815},
    {0.0176, 65449.43069}, {0.025, 65922.26496}, {0.016, -8391.692288}, {0.007, -21965.66782}, {-0.002, -35539.64334},
    {-0.011, -49113.61887}, {-0.02, -53148.18616}, {-0.01, 10554.70546}, {0.0, 25254.27239}, {0.01, 39953.83932},
    {0.02, 54653.40625}, {0.03, 59522.32905}, {0.017, -10608.46185}, {0.004, -24726.92686}, {-0.009, -38845.39188},
    {-0.022, -50313.96171}, {-0.035, -40099.676}, {-0.026, 5755.028099}, {-0.017, 13418.14843}, {-0.008, 21081.26876},
    {0.001, 28744.38909}, {0.01, 36407.50943}, {0.018, 43219.17194}, {0.026, 50030.83446}, {0.034, 52712.17367},
    {0.042, 45812.17367}, {0.05, 38912.17367}, {0.03, -7487.179011}, {0.01, -15932.55751}, {-0.01, -24377.93601},
    {-0.03, -32823.31451}, {-0.05, -25537.17423}, {-0.026, 7185.630002}, {-0.002, 14863.16582}, {0.022, 22540.70164},
    {0.046, 30218.23746}, {0.07, 17969.7992},
};
static const double pinched[][2] = {
    {0.001, 20000}, {0.002, 40000}, {0.003, 60000}, {0.004, 60450}, {0.005, 60900}, {0.003, 20965.76336},
    {0.001, -4257.744963}, {-0.001, -25159.8777}, {-0.003, -50053.57188}, {-0.005, -50608.16884},
    {-0.0016, 2794.979293}, {0.0018, 21206.76014}, {0.0052, 60811.22302}, {0.0086, 62336.637}, {0.012, 63862.05098},
    {0.0072, -2288.375874}, {0.0024, -9272.544782}, {-0.0024, -25393.34839}, {-0.0072, -50846.67969},
    {-0.012, -52167.92559}, {-0.0046, 5590.054483}, {0.0028, 14306.93316}, {0.0102, 51390.85351},
    {0.0176, 65702.50244}, {0.025, 66227.20762}, {0.016, -3383.40131}, {0.007, -8846.974635}, {-0.002, -14310.54796},
    {-0.011, -45425.17241}, {-0.02, -53420.76205}, {-0.01, 4345.429606}, {0.0, 10377.62861}, {0.01, 16409.82762},
    {0.02, 46342.52352}, {0.03, 60544.10884}, {0.017, -4351.089678}, {0.004, -10133.12398}, {-0.009, -16474.04061},
    {-0.022, -51159.24216}, {-0.035, -40944.95644}, {-0.026, 2432.224135}, {-0.017, 5660.686831},
    {-0.008, 8889.149527}, {0.001, 12117.61222}, {0.01, 15346.07492}, {0.018, 26281.55247}, {0.026, 45234.08404},
    {0.034, 54751.95256}, {0.042, 47851.95256}, {0.05, 40951.95256}, {0.03, -3196.014883}, {0.01, -6804.818474},
    {-0.01, -10413.62207}, {-0.03, -29262.13514}, {-0.05, -27197.2948}, {-0.026, 3303.04449}, {-0.002, 6834.243606},
    {0.022, 10365.44272}, {0.046, 31192.69171}, {0.07, 21326.89897},
};
/* clang-format on */

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)
static const struct {
    int sample;
    const double (*rows)[2];
    size_t count;
} paths[] = {
    {LAW_IMK_BILINEAR, ROWS(bilinear)}, {LAW_IMK_PEAK, ROWS(peak_oriented)}, {LAW_IMK_PINCHING, ROWS(pinched)}};

static void paths_of_a_finely_cut_reference_are_followed_in_any_steps(void **state)
{
    static const int cuts[] = {1, 7, 100};

    for (int p = 0; p < 3; p++)
        for (int c = 0; c < 3; c++) {
            double worst = 0, most = 0, from = 0;
            struct law_bench b;

            assert_ok(law_set_up(&b, &law_samples[paths[p].sample], &err));
            for (size_t i = 0; i < paths[p].count; from = paths[p].rows[i++][0]) {
                const double to = paths[p].rows[i][0];
                double f = 0;

                for (int k = 1; k <= cuts[c]; k++)
                    f = law_commit(&b, k == cuts[c] ? to : from + (to - from) * k / cuts[c], 0);
                worst = fmax(worst, fabs(f - paths[p].rows[i][1]));
                most = fmax(most, fabs(f));
            }
            assert_true(worst < 1e-9 * most);
        }
}

/* 60 kN at 3 mm, hardening to 69 kN at 23 mm, falling to 0 at 103 mm; no deterioration. */
static struct law_sample plain(int hysteresis)
{
    return (struct law_sample){"imk",
                               {{"hysteresis", hysteresis},
                                {"stiffness", 2e7},
                                {"yield", 60e3},
                                {"plastic", 0.02},
                                {"post_capping", 0.08},
                                {"capping", 1.15}},
                               LAW_SCALES(0.05, 1, 2e7, 1)};
}

static void the_backbone_has_the_corners_of_its_settings(void **state)
{
    struct law_sample s = plain(1);
    struct law_bench b;

    s.set[6].name = "residual";
    s.set[6].value = 0.2;
    assert_ok(law_set_up(&b, &s, &err));
    assert_near(law_force(&b, 0.003, 0), 60e3, 1e-9);
    assert_near(law_force(&b, 0.023, 0), 69e3, 1e-9);
    assert_near(law_force(&b, 0.063, 0), 34.5e3, 1e-9);
    assert_near(law_force(&b, 0.2, 0), 12e3, 1e-9);
    assert_near(law_force(&b, -0.063, 0), -34.5e3, 1e-9);
    assert_near(law_stiffness(&b, 0.01, 0), 9e3 / 0.02, 1e-6);
    assert_near(law_stiffness(&b, 0.05, 0), -69e3 / 0.08, 1e-6);
}

/* A loop between 23 mm and -3 mm: back to zero with the elastic stiffness, then as each kind reloads. */
static void each_kind_reloads_in_its_own_way(void **state)
{
    const double zero = 0.023 - 69e3 / 2e7; /* where the force is zero again */
    struct law_bench b;

    for (int kind = 0; kind < 3; kind++) {
        struct law_sample s = plain(kind);

        assert_ok(law_set_up(&b, &s, &err));
        law_commit(&b, 0.023, 0);
        assert_near(law_force(&b, zero, 0), 0, 1e-8);
        law_commit(&b, 0, 0);
        if (kind == 0) { /* with the elastic stiffness to the strength line of the other side */
            const double line = 60e3 - 9e3 / 0.02 * 0.003; /* at no deformation */

            assert_near(law_force(&b, 0, 0), -line, 1e-8);
            continue;
        }
        /* to the point of yield of the other side: straight, or by the point at half of its residual deformation, which
         * is zero here, with half of the force of the straight line */
        const double straight = 60e3 / (zero + 0.003) * zero;

        assert_near(law_force(&b, 0, 0), -(kind == 1 ? 1 : 0.5) * straight, 1e-8);
        assert_near(law_force(&b, -0.003, 0), -60e3, 1e-8);
    }
}

/* beta = lost/(capacity - total) after one half cycle to 23 mm: everything lost so far is lost of late. */
static void strength_falls_by_the_share_of_energy_that_is_used_up(void **state)
{
    const double zero = 0.023 - 69e3 / 2e7, lost = 0.5 * 60e3 * 0.003 + 0.02 * 64.5e3 - 0.5 * 69e3 * 69e3 / 2e7,
                 capacity = 0.5 * 60e3, beta = lost / (capacity - lost);
    struct law_sample s = plain(0);
    struct law_bench b;

    s.set[6].name = "lambda_S";
    s.set[6].value = 0.5;
    assert_ok(law_set_up(&b, &s, &err));
    law_commit(&b, 0.023, 0);
    const double yield = 60e3 * (1 - beta), slope = 9e3 / 0.02 * (1 - beta), line = yield - slope * yield / 2e7;

    assert_near(law_force(&b, zero - 0.01, 0), -(line + slope * -(zero - 0.01)), 1e-7);
}

/* A capacity below what a cycle needs: no force any more from zero on, in either direction. */
static void a_hinge_that_has_used_up_its_energy_has_no_force(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        struct law_sample s = plain(kind);
        struct law_bench b;

        s.set[6].name = "lambda_S";
        s.set[6].value = 0.03;
        assert_ok(law_set_up(&b, &s, &err));
        assert_near(law_commit(&b, 0.023, 0), 69e3, 1e-9);
        assert_near(law_commit(&b, -0.01, 0), 0, 0);
        assert_near(law_commit(&b, 0.02, 0), 0, 0);
        assert_true(law_stiffness(&b, 0.02, 1) > 0); /* a frame can still be solved */
    }
}

/* Beyond the ultimate deformation the force falls with the elastic stiffness and is lost. */
static void the_ultimate_deformation_ends_the_force(void **state)
{
    struct law_sample s = plain(1);
    struct law_bench b;

    s.set[6].name = "ultimate";
    s.set[6].value = 0.04;
    assert_ok(law_set_up(&b, &s, &err));
    const double last = 69e3 - 69e3 / 0.08 * 0.017;

    assert_near(law_force(&b, 0.04, 0), last, 1e-8);
    assert_near(law_force(&b, 0.041, 0), last - 2e7 * 0.001, 1e-6);
    assert_near(law_commit(&b, 0.05, 0), 0, 0);
    assert_near(law_commit(&b, -0.05, 0), 0, 0);
}

static void settings_that_make_no_sense_are_refused(void **state)
{
    struct law_sample s = plain(1);
    struct law_bench b;

    s.set[6].name = "yield_negative";
    s.set[6].value = 40e3;
    assert_refused(law_set_up(&b, &s, &err), YK_E_INPUT, "plastic_negative and post_capping_negative are needed");
    s.set[6].name = "ultimate";
    s.set[6].value = 0.02;
    assert_refused(law_set_up(&b, &s, &err), YK_E_RANGE, "ultimate = 0.02 must be beyond the cap at 0.023");
    s.set[6].name = NULL;
    s.set[3].value = 1e-4;
    assert_refused(law_set_up(&b, &s, &err), YK_E_RANGE, "capping = 1.15 makes the stiffness after yield 9e+07");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_of_a_finely_cut_reference_are_followed_in_any_steps),
        cmocka_unit_test(the_backbone_has_the_corners_of_its_settings),
        cmocka_unit_test(each_kind_reloads_in_its_own_way),
        cmocka_unit_test(strength_falls_by_the_share_of_energy_that_is_used_up),
        cmocka_unit_test(a_hinge_that_has_used_up_its_energy_has_no_force),
        cmocka_unit_test(the_ultimate_deformation_ends_the_force),
        cmocka_unit_test(settings_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests_name("imk", tests, NULL, NULL);
}
