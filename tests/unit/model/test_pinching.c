/* The law `pinching`: paths of a separate program, corners by hand, steps that do not matter, and what is refused. */
#include "support/check.h"
#include "support/laws.h"

#include <math.h>

/* Rows of d, f and f_rough. f: the rules of docs/theory/laws.md, eq. (11) to (14), on the path through these points cut
 * 8000 times finer, by a separate program. f_rough: OpenSees 3.8.0, material Hysteretic, in the steps of the rows. */
/* clang-format off */
static const double plain[][3] = {
    {0.001, 20000, 20000}, {0.002, 40000, 40000}, {0.004, 61666.66667, 61666.66667},
    {0.006, 65000, 65000}, {0.008, 68333.33333, 68333.33333}, {0.01, 71666.66667, 71666.66667},
    {0.0085, 41666.66667, 41666.66667}, {0.007, 11666.66667, 11666.66667}, {0.0055, -2684.672958, -2684.672958},
    {0.004, -7077.774162, -7077.774162}, {0.005333333333, 9099.788819, 9099.788819}, {0.006666666667, 22891.55489, 22891.55489},
    {0.008, 42401.5996, 42401.5996}, {0.00575, -410.6243759, 4901.599601}, {0.0035, -7521.959845, -7521.959845},
    {0.00125, -14633.29531, -14633.29531}, {-0.001, -33067.14894, -33067.14894}, {-0.00325, -50454.54545, -50454.54545},
    {-0.0055, -54545.45455, -54545.45455}, {-0.00775, -58636.36364, -58636.36364}, {-0.01, -62727.27273, -62727.27273},
    {-0.00825, -33560.60606, -33560.60606}, {-0.0065, -4393.939394, -4393.939394}, {-0.00475, 3325.502377, 3325.502377},
    {-0.003, 7240.849212, 7240.849212}, {-0.004, -4283.917502, -4283.917502}, {-0.005, -10998.96864, -10998.96864},
    {-0.006, -17714.01978, -17714.01978}, {-0.00275, 5404.93716, 5404.93716}, {0.0005, 13436.38219, 13436.38219},
    {0.00375, 21467.82721, 21467.82721}, {0.007, 47536.40227, 47536.40227}, {0.01025, 72083.33333, 72083.33333},
    {0.0135, 77500, 77500}, {0.01675, 78055.55556, 78055.55556}, {0.02, 74444.44444, 74444.44444},
    {0.018, 34444.44444, 34444.44444}, {0.016, -315.8422827, 1111.111111}, {0.014, -2589.906718, -2589.906718},
    {0.012, -4863.971154, -4863.971154}, {0.007375, -10122.74516, -10122.74516}, {0.00275, -15381.51917, -15381.51917},
    {-0.001875, -26051.78489, -26051.78489}, {-0.0065, -46928.60104, -46928.60104}, {-0.011125, -64772.72727, -64772.72727},
    {-0.01575, -67865.85366, -67865.85366}, {-0.020375, -62225.60976, -62225.60976}, {-0.025, -56585.36585, -56585.36585},
    {-0.016875, 3869.442425, 3869.442425}, {-0.00875, 10516.38329, 10516.38329}, {-0.000625, 17163.32416, 17163.32416},
    {0.0075, 28909.81691, 28909.81691}, {0.015625, 58507.32481, 58507.32481}, {0.02375, 70277.77778, 70277.77778},
    {0.031875, 61250, 61250}, {0.04, 52222.22222, 52222.22222}, {0.029375, -3238.399043, -3238.399043},
    {0.01875, -7531.943701, -7531.943701}, {0.008125, -11825.48836, -11825.48836}, {-0.0025, -16119.03302, -16119.03302},
    {-0.013125, -33505.90197, -33505.90197}, {-0.02375, -54155.9486, -54155.9486}, {-0.034375, -45152.43902, -45152.43902},
    {-0.045, -32195.12195, -32195.12195}, {-0.025, 4977.634603, 4977.634603}, {-0.005, 10487.43532, 10487.43532},
    {0.015, 17340.87672, 17340.87672}, {0.035, 45245.95312, 45245.95312}, {0.055, 35555.55556, 35555.55556},
    {0.075, 30000, 30000},
};
static const double damage[][3] = {
    {0.0016, 32000, 32000}, {0.0032, 60333.33333, 60333.33333}, {0.0048, 63000, 63000},
    {0.0064, 65666.66667, 65666.66667}, {0.008, 68333.33333, 68333.33333}, {0.005333333333, 32307.73231, 32307.73231},
    {0.002666666667, -1863.568308, -1863.568308}, {0, -23775.38281, -23775.38281}, {-0.002666666667, -55975.04253, -55975.04253},
    {-0.005333333333, -63888.88889, -63888.88889}, {-0.008, -68333.33333, -68333.33333}, {-0.005142857143, -29734.47509, -29734.47509},
    {-0.002285714286, 2581.213138, 2581.27074}, {0.0005714285714, 13820.78596, 13821.09439}, {0.003428571429, 32484.01116, 32485.14555},
    {0.006285714286, 54274.4969, 54276.02256}, {0.009142857143, 70238.09524, 70238.09524}, {0.012, 75000, 75000},
    {0.009, 40539.04935, 40539.04935}, {0.006, 6078.0987, 6078.0987}, {0.003, -7165.85511, -7166.147791},
    {-1.73e-18, -15866.25561, -15866.90365}, {-0.003, -33935.45248, -33938.17734}, {-0.006, -53708.92643, -53712.45659},
    {-0.003333333333, -18197.68108, -18199.76926}, {-0.0006666666667, 4402.567054, 4402.668587}, {0.002, 13432.51816, 13433.53168},
    {0.004666666667, 25773.15959, 25777.28456}, {0.007333333333, 43139.51402, 43144.90584}, {0.01, 60505.86845, 60512.52713},
    {0.008, 37760.08823, 37765.56375}, {0.006, 15014.30802, 15018.60038}, {0.004, -2105.238148, -2104.617618},
    {0.005, 7804.035921, 7688.53058}, {0.006, 17100.87829, 17115.06468}, {0.007, 26055.79265, 26072.61082},
    {0.003857142857, -2512.747494, -2493.300714}, {0.0007142857143, -12063.44429, -12064.04764}, {-0.002428571429, -26500.30662, -26510.33874},
    {-0.005571428571, -47364.83363, -47380.48669}, {-0.008714285714, -68229.36064, -68250.63464}, {-0.01185714286, -74761.90476, -74761.90476},
    {-0.015, -80000, -80000}, {-0.01, -27469.44391, -27469.44391}, {-0.005, 4967.917783, 4968.878711},
    {0, 15381.16209, 15384.13722}, {0.005, 35101.86239, 35118.74824}, {0.01, 60426.84259, 60449.01918},
    {0.015, 80000, 80000}, {0.02, 74444.44444, 74444.44444}, {0.01428571429, 20935.24536, 20935.24536},
    {0.008571428571, -5095.065168, -5096.955646}, {0.002857142857, -13464.72329, -13469.71926}, {-0.002857142857, -25562.42773, -25580.90798},
    {-0.008571428571, -48444.9043, -48470.01769}, {-0.01428571429, -71327.38087, -71359.1274}, {-0.02, -74444.44444, -74444.44444},
    {-0.01166666667, 418.950678, 416.4843166}, {-0.003333333333, 9525.993668, 9533.147443}, {0.005, 19549.47516, 19582.18705},
    {0.01333333333, 46126.36832, 46174.57827}, {0.02166666667, 72592.59259, 72592.59259}, {0.03, 63333.33333, 63333.33333},
};
/* clang-format on */

enum { D, F, F_ROUGH };

/* Follows the rows; returns the largest difference to a column, over the largest force of 80 kN. */
static double differs(int sample, const double (*rows)[3], size_t n, int column, int cuts, int *many)
{
    struct law_bench b;
    double worst = 0, from = 0;

    *many = 0;
    assert_ok(law_set_up(&b, &law_samples[sample], &err));
    for (size_t i = 0; i < n; from = rows[i++][D]) {
        double f = 0;

        for (int k = 1; k <= cuts; k++)
            f = law_commit(&b, k == cuts ? rows[i][D] : from + (rows[i][D] - from) * k / cuts, 0);
        worst = fmax(worst, fabs(f - rows[i][column]) / 80e3);
        *many += fabs(f - rows[i][column]) > 1e-8 * 80e3;
    }
    return worst;
}

static void the_path_of_a_finely_cut_reference_is_followed_in_any_steps(void **state)
{
    static const int cuts[] = {1, 7, 100};
    int many;

    for (int c = 0; c < 3; c++) {
        assert_true(differs(LAW_PINCHING, plain, sizeof plain / sizeof *plain, F, cuts[c], &many) < 1e-8);
        assert_true(differs(LAW_PINCHING_DAMAGE, damage, sizeof damage / sizeof *damage, F, cuts[c], &many) < 1e-8);
    }
}

/* The reference in the steps of the rows differs where its answer depends on them: two points with one slope for two
 * sides, and all points after damage by energy. */
static void opensees_in_long_steps_differs_by_what_its_steps_cost(void **state)
{
    int many;

    assert_near(differs(LAW_PINCHING, plain, sizeof plain / sizeof *plain, F_ROUGH, 1, &many), 0.0664, 1e-4);
    assert_int_equal(many, 2);
    assert_near(differs(LAW_PINCHING_DAMAGE, damage, sizeof damage / sizeof *damage, F_ROUGH, 1, &many), 1.44e-3, 1e-5);
}

/* Backbone (60 kN, 3 mm), (80, 15), (30, 60); px = 0.7, py = 0.3. One loop by hand, each corner from eq. (11) to (14).
 */
static void a_loop_has_the_corners_of_its_formulas(void **state)
{
    const double E = 60e3 / 0.003, top = 60e3 + 20e3 / 0.012 * 0.006; /* at 9 mm */
    const double zero = 0.009 - top / E;                              /* unloading from there ends */
    const double En = 50e3 / 0.003, far = 0.003;                      /* the other side is new: its first point */
    const double knee = -zero + 0.7 * (far - 0.7 * 50e3 / En + zero); /* towards the negative side */
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_PINCHING], &err));
    assert_near(law_commit(&b, 0.003, 0), 60e3, 1e-9);
    assert_near(law_commit(&b, 0.009, 0), top, 1e-9);
    assert_near(law_stiffness(&b, 0.0085, 0), E, 1e-6);
    assert_near(law_force(&b, zero, 0), 0, 1e-8);
    assert_near(law_force(&b, -knee, 0), -0.3 * 50e3, 1e-8);
    assert_near(law_stiffness(&b, -knee + 1e-5, 0), 0.3 * 50e3 / (knee + zero), 1e-3);
    assert_near(law_force(&b, -far, 0), -50e3, 1e-8);
    assert_near(law_stiffness(&b, -0.002, 0), 0.7 * 50e3 / (far - knee), 1e-3);
    assert_near(law_force(&b, -0.1, 0), -20e3, 1e-9);
    assert_near(law_stiffness(&b, -0.1, 0), 1e-9 * En, 1e-12);
    /* a small loop on the way down: straight back up to the old peak */
    law_commit(&b, 0.007, 0);
    assert_near(law_force(&b, 0.009, 0), top, 1e-8);
    assert_near(law_force(&b, 0.010, 0), top + 20e3 / 12, 1e-8);
}

/* A backbone that ends at no force: beyond it nothing is left, and reloading begins where it fell to zero. */
static void a_side_that_has_lost_its_force_gives_none_until_the_way_back(void **state)
{
    static const double gone[] = {40e3, 0.002, 60e3, 0.01, 0, 0.02};
    const struct law_sample s = {"pinching", {{NULL, 0}}, LAW_SCALES(0.02, 1, 2e7, 1), .points = {gone}};
    struct law_bench b;

    assert_ok(law_set_up(&b, &s, &err));
    assert_near(law_commit(&b, 0.03, 0), 0, 0);
    assert_near(law_force(&b, 0.021, 0), 0, 0);
    assert_near(law_force(&b, 0.019, 0), -40e3 / 0.022 * 0.001, 1e-8); /* px = py = 1: straight to (2 mm, 40 kN) */
    assert_near(law_force(&b, -0.002, 0), -40e3, 1e-8);
    assert_true(law_stiffness(&b, 0.025, 0) > 0);
}

/* At the committed point the rate, or the last direction, tells which slope comes next. */
static void the_tangent_at_the_committed_point_looks_ahead(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &law_samples[LAW_PINCHING], &err));
    assert_near(law_stiffness(&b, 0, 0), 2e7, 1e-6);
    assert_near(law_stiffness(&b, 0, -1), 50e3 / 0.003, 1e-6);
    law_commit(&b, 0.009, 0);
    assert_near(law_stiffness(&b, 0.009, 0), 20e3 / 0.012, 1e-6);
    assert_near(law_stiffness(&b, 0.009, 1), 20e3 / 0.012, 1e-6);
    assert_near(law_stiffness(&b, 0.009, -1), 2e7, 1e-6);
}

/* An element that is put in at an extension has its origin there. */
static void it_starts_from_where_it_is_at_rest(void **state)
{
    struct law_bench at_zero, shifted;
    uint64_t seed = 3;

    assert_ok(law_set_up(&at_zero, &law_samples[LAW_PINCHING_DAMAGE], &err));
    shifted = at_zero;
    shifted.ops->rest(shifted.settings.bytes, 0.5, shifted.committed);
    for (int i = 0; i < 50; i++) {
        const double d = 0.04 * law_uniform(&seed);

        assert_near(law_commit(&shifted, 0.5 + d, 0), law_commit(&at_zero, d, 0), 1e-6);
    }
}

static void backbones_that_make_no_sense_are_refused(void **state)
{
    static const double back[] = {60e3, 0.003, 80e3, 0.003, 30e3, 0.06}, none[] = {0, 0.003, 80e3, 0.015, 30e3, 0.06},
                        stiff[] = {60e3, 0.003, 180e3, 0.015, 180e3, 0.06},
                        steep[] = {60e3, 1e-320, 80e3, 0.015, 30e3, 0.06};
    struct law_sample s = {"pinching", {{NULL, 0}}, LAW_SCALES(1, 1, 1, 1), .points = {NULL}};
    struct law_bench b;

    assert_refused(law_set_up(&b, &s, &err), YK_E_INPUT, "missing 'positive'");
    s.points[0] = back;
    assert_refused(law_set_up(&b, &s, &err), YK_E_RANGE, "deformation 2 of positive, 0.003, must be above 0.003");
    s.points[0] = none;
    assert_refused(law_set_up(&b, &s, &err), YK_E_RANGE, "force 1 of positive, 0, must be positive");
    s.points[0] = steep;
    assert_refused(law_set_up(&b, &s, &err), YK_E_RANGE, "not finite");
    s.points[0] = stiff;
    s.set[0].name = "beta";
    s.set[0].value = 0.5;
    assert_refused(law_set_up(&b, &s, &err), YK_E_RANGE,
                   "beta = 0.5 lets point 2 of positive unload with a stiffness of 8.944e+06, softer than the branch");
    s.set[0].value = 0.3;
    assert_ok(law_set_up(&b, &s, &err));
    s.points[0] = law_samples[LAW_PINCHING].points[0];
    s.points[1] = back;
    assert_refused(law_set_up(&b, &s, &err), YK_E_RANGE, "negative");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_of_a_finely_cut_reference_is_followed_in_any_steps),
        cmocka_unit_test(opensees_in_long_steps_differs_by_what_its_steps_cost),
        cmocka_unit_test(a_loop_has_the_corners_of_its_formulas),
        cmocka_unit_test(a_side_that_has_lost_its_force_gives_none_until_the_way_back),
        cmocka_unit_test(the_tangent_at_the_committed_point_looks_ahead),
        cmocka_unit_test(it_starts_from_where_it_is_at_rest),
        cmocka_unit_test(backbones_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests_name("pinching", tests, NULL, NULL);
}
