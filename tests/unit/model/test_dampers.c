/* Dampers with a power of the rate, alone and behind a spring, and the friction pendulum: against other programs and
 * closed forms. */
#include "support/check.h"
#include "support/laws.h"

#include <math.h>

#define PI 3.14159265358979323846

/* ---- one motion, every law --------------------------------------------------------------------------------------- */

enum { VISCOUS, MAXWELL, MAXWELL_LINEAR, WEIGHT, PROJECTED, RATE_WEIGHT, RATE_PROJECTED, COLUMNS };

/* Forces [N] every 50 ms, beginning at rest. Viscous damper: its formula; Maxwell elements: their differential equation
 * to 1e-11; pendulums: the friction pendulum of OpenSees 3.8 (projected) and the textbook law. */
static const double published[][COLUMNS] = {
    {0, 0, 0, 0, 0, 0, 0},
    {3484.786816, 3109.61137, 630.7635494, 30266.91725, 30267.89536, 33226.85969, 33228.03974},
    {5869.104242, 5781.165921, 3251.107032, 32032.91522, 32041.26135, 41797.4414, 41811.66154},
    {7666.087684, 7624.526765, 7334.61389, 36316.23316, 36349.58489, 46313.43086, 46367.68799},
    {8865.711536, 8846.139147, 11562.89936, 43310.28891, 43410.38848, 53310.2369, 53461.9782},
    {9411.431892, 9407.280775, 14467.43421, 52275.1631, 52519.7872, 62275.15678, 62622.63467},
    {9222.533516, 9234.293269, 14873.88061, 61697.29546, 62183.73078, 71697.28206, 72355.02141},
    {8149.93236, 8188.500777, 12247.84849, 69675.0444, 70454.08637, 79674.42157, 80694.7748},
    {5666.982615, 5813.578965, 6863.29686, 74424.35825, 75421.81304, 84076.10692, 85357.25561},
    {-5080.411042, -4434.948579, -252.7454823, 14764.77857, 14803.91669, 5732.040515, 5725.403534},
    {-8069.611554, -8018.701551, -7584.623022, 10450.84972, 10468.55186, 451.6568838, 451.6630741},
    {-9473.451928, -9455.209438, -13529.0287, 2256.420604, 2257.077721, -7743.57448, -7735.845597},
    {-9960.361291, -9958.538213, -16821.83996, -8212.485411, -8206.611787, -18212.48479, -18183.6234},
    {-9668.4517, -9680.792749, -16872.87178, -18925.55091, -18909.69777, -28925.54871, -28888.53275},
    {-8633.302399, -8664.552125, -13916.13346, -27945.15357, -27938.73627, -37945.03303, -37933.20225},
    {-6792.636353, -6865.066583, -8934.405885, -33910.86163, -33928.8603, -43880.76888, -43910.91757},
    {-3467.712538, -3824.90813, -3379.624231, -36359.19525, -36392.85357, -39209.4108, -39249.28104},
    {4726.724419, 4581.660721, 1232.787912, 24207.52356, 24193.9535, 32552.97789, 32528.74432},
    {5646.065366, 5639.630045, 3742.603025, 26519.48451, 26509.69698, 36157.26452, 36139.10983},
    {4998.908726, 5066.958076, 3660.062096, 28946.80717, 28943.27764, 37846.5096, 37840.48398},
    {-0.01496167359, 2298.151603, 1290.322278, 30000, 30000, 15000, 15000},
    {-5466.952889, -5363.064091, -2366.988225, -31218.15677, -31222.90622, -40715.38994, -40723.47493},
    {-6949.629512, -6919.112065, -5914.371586, -34736.92619, -34759.80457, -44716.65696, -44754.58302},
    {-7403.482724, -7403.508699, -7965.717516, -39696.12322, -39757.33337, -49690.13659, -49786.09409},
    {-6837.532046, -6873.098814, -7553.250828, -44585.40619, -44701.68354, -54558.49196, -54732.7865},
    {-4691.983153, -4872.16088, -4417.806395, -47677.66953, -47838.94995, -55938.955, -56164.01574},
    {5121.521964, 4781.944349, 899.4279414, 12464.84048, 12453.95209, 21559.53005, 21528.81639},
    {7864.889799, 7812.500555, 7190.208292, 16553.92315, 16539.19762, 26552.38711, 26514.52704},
    {9329.48252, 9308.54926, 12901.29856, 24331.75126, 24318.33548, 34331.74248, 34305.03933},
    {9948.663679, 9944.273878, 16556.30906, 34590.26595, 34612.24867, 44590.26529, 44626.80236},
    {9782.451103, 9792.711401, 17160.35002, 45450.84972, 45578.88157, 55450.84837, 55641.53475},
    {8787.294774, 8818.577345, 14475.122, 54829.21428, 55129.41962, 64829.14496, 65249.26171},
    {6719.866304, 6808.920999, 9087.930516, 60958.9337, 61422.60647, 70922.9566, 71551.8338},
    {-2509.845484, 1953.154782, 2255.282244, 59506.92098, 60015.59285, 44566.91944, 44855.93411},
    {-6853.208893, -6780.29529, -4435.716487, 427.3305249, 427.3527516, -9546.790884, -9536.037227},
    {-8282.247261, -8261.524914, -9494.396591, -5307.791485, -5305.010363, -15307.38854, -15284.28571},
    {-8652.163859, -8653.103659, -11923.78229, -12759.51229, -12748.2948, -22759.39956, -22723.73474},
    {-8203.264254, -8222.836234, -11478.28694, -20103.81952, -20087.83354, -30103.29629, -30067.46807},
    {-7013.435128, -7060.022377, -8711.039743, -25816.00791, -25804.85877, -35798.81307, -35777.38223},
    {-5046.120159, -5161.167063, -4798.679771, -29082.17378, -29079.06902, -38060.63124, -38055.31919},
    {-0.09666658486, -2093.886876, -1193.438155, -30000, -30000, -15000, -15000},
    {3348.647769, 3316.269479, 799.6120064, 30485.94503, 30487.75168, 32546.98183, 32549.04532},
    {-1866.747282, 1523.133022, 401.507571, 28848.66171, 28852.10591, 14139.96598, 14140.9074},
    {-5487.645726, -5367.11558, -2411.748727, -30323.69945, -30324.8901, -39839.22948, -39841.28504},
    {-7585.638177, -7536.902281, -6894.751595, -34296.01214, -34316.23622, -44292.46121, -44326.2001},
    {-8989.019017, -8965.762612, -11737.08118, -41349.76249, -41427.53191, -51349.72965, -51469.71746},
    {-9725.713219, -9718.062403, -15429.75777, -50859.97088, -51076.72775, -60859.96916, -61170.6026},
    {-9749.999448, -9756.426395, -16691.64161, -61364.91189, -61841.01475, -71364.91034, -72009.64271},
    {-8966.684721, -8992.612352, -14836.73787, -70921.18787, -71754.16163, -80921.15215, -82007.38741},
    {-7109.353585, -7185.297164, -9979.616246, -77601.71894, -78765.55091, -87588.34818, -89074.33398},
    {-0.1840193365, -2775.673402, -3021.056551, -80000, -81300.81301, -65000, -65856.12969},
    {7109.353585, 7025.484347, 4582.911306, -17601.71894, -17660.90927, -7615.089705, -7625.698263},
    {8966.684721, 8939.474054, 11205.19001, -10921.18787, -10940.7459, -921.2235893, -921.3609498},
    {9749.999448, 9742.987393, 15479.0307, -1364.911892, -1365.145661, 8635.086554, 8625.741864},
    {9725.713219, 9732.833385, 16657.55701, 9140.02912, 9133.063853, 19140.0274, 19109.50874},
    {8989.019017, 9011.416354, 14802.26568, 18650.23751, 18634.45965, 28650.20467, 28612.98809},
    {7585.638177, 7632.017068, 10748.92696, 25703.98786, 25692.63946, 35700.43692, 35678.55008},
    {5487.645726, 5593.296735, 5861.183551, 29676.30055, 29675.16028, 39191.83057, 39189.84227},
    {1866.747282, 2569.975889, 1641.115613, 30894.66617, 30898.08231, 21736.70702, 21738.40618},
    {-3348.647769, -3259.08467, -694.3148963, -29514.05497, -29512.36188, -31575.09177, -31573.15826},
    {-0.1267256185, -1990.571879, -552.7369342, -30000, -30000, -15000, -15000},
};
enum { ROWS = sizeof published / sizeof *published, EVERY = 50 };

/* d = A (1 - cos 2 pi t) sin(1.4 pi t), and its rate. */
static double motion(double A, double t, double *rate)
{
    *rate = A * (2 * PI * sin(2 * PI * t) * sin(1.4 * PI * t) + (1 - cos(2 * PI * t)) * 1.4 * PI * cos(1.4 * PI * t));
    return A * (1 - cos(2 * PI * t)) * sin(1.4 * PI * t);
}

/* Largest difference over the largest force, along the motion in steps of 1 ms; where the rate is below `slow` it does
 * not count. */
static double distance(const struct law_sample *sample, double A, int column, double slow)
{
    struct law_bench b;
    double worst = 0, largest = 0;

    assert_ok(law_set_up(&b, sample, &err));
    for (int i = 0; i < ROWS * EVERY - EVERY + 1; i++) {
        double w;
        const double d = motion(A, 1e-3 * i, &w), f = law_commit_after(&b, d, w, i ? 1e-3 : 0);

        if (i % EVERY)
            continue;
        const double wanted = published[i / EVERY][column];
        largest = fmax(largest, fabs(wanted));
        if (fabs(w) >= slow)
            worst = fmax(worst, fabs(f - wanted));
    }
    return worst / largest;
}

#define SAMPLE(law, ...) (&(struct law_sample){law, {__VA_ARGS__}, LAW_SCALES(1, 1, 1, 1)})
#define VISCOUS_SET                                                                                                    \
    {"damping", 20000},                                                                                                \
    {                                                                                                                  \
        "exponent", 0.4                                                                                                \
    }
#define PENDULUM_SET                                                                                                   \
    {"weight", 500e3}, {"radius", 2},                                                                                  \
    {                                                                                                                  \
        "stick_stiffness", 60e6                                                                                        \
    }

static void power_damper_is_its_formula(void **state)
{
    assert_true(distance(SAMPLE("power-damper", VISCOUS_SET, {"smooth", 0}), 0.02, VISCOUS, 1e-3) < 1e-6);
}

/* eq. (29): at w = 10 w0 the force is low by 0.5 (1 - a) % */
static void power_damper_is_rounded_off_at_rest(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, SAMPLE("power-damper", VISCOUS_SET), &err)); /* smooth: 0.1 mm/s */
    assert_near(law_force(&b, 0, 1e-3), 20000 * pow(1e-3, 0.4) * (1 - 0.005 * 0.6), 20000 * pow(1e-3, 0.4) * 2e-5);
    assert_near(law_damping(&b, 0, 0), 20000 * pow(1e-4, -0.6), 1e-6);
    assert_near(law_force(&b, 0, 0), 0, 0);
    assert_ok(law_set_up(&b, SAMPLE("power-damper", VISCOUS_SET, {"smooth", 0}), &err));
    assert_near(law_force(&b, 0, 0), 0, 0);
    assert_true(isfinite(law_damping(&b, 0, 0)));
}

static void maxwell_follows_its_differential_equation(void **state)
{
    assert_true(distance(SAMPLE("maxwell", VISCOUS_SET, {"stiffness", 25e6}), 0.02, MAXWELL, 0) < 3e-4);
    assert_true(distance(SAMPLE("maxwell", {"damping", 1e5}, {"stiffness", 5e6}), 0.02, MAXWELL_LINEAR, 0) < 4e-5);
}

/* ---- Maxwell elements -------------------------------------------------------------------------------------------- */

static double maxwell_force(const struct law_bench *b, double d, double h)
{
    double trial[LAW_STATE];

    return b->ops->force(b->settings.bytes, b->committed, d, 0, h, trial);
}

/* Held at d the force fades: F0 exp(-t K/C) for a = 1; else |F|^(1 - 1/a) = |F0|^(1 - 1/a) - (1 - 1/a) K t/C^(1/a).
 * Exact, or of second order. */
static void maxwell_relaxes(void **state)
{
    static const double exponents[] = {1, 0.3, 0.5, 2};

    for (int e = 0; e < 4; e++) {
        const double K = 1e4, C = 200, a = exponents[e], F0 = 150, t = 0.02, p = 1 / a;
        const double F = a == 1 ? F0 * exp(-t * K / C) : pow(pow(F0, 1 - p) - (1 - p) * K * t / pow(C, p), 1 / (1 - p));
        double error[2];

        for (int fine = 0; fine < 2; fine++) {
            const int steps = fine ? 128 : 64;
            struct law_bench b;
            double f = 0;

            assert_ok(law_set_up(&b, SAMPLE("maxwell", {"stiffness", K}, {"damping", C}, {"exponent", a}), &err));
            assert_near(law_commit_after(&b, F0 / K, 0, 0), F0, 1e-12 * F0); /* at once the element is its spring */
            for (int i = 0; i < steps; i++)
                f = law_commit_after(&b, F0 / K, 0, t / steps);
            error[fine] = fabs(f - F) / F0;
        }
        if (a == 1)
            assert_true(error[0] < 1e-13);
        else
            assert_near(log2(error[0] / error[1]), 2, 0.1);
    }
}

/* However stiff the spring and long the step: at a constant rate the force of the damper, without ringing on the way
 * (0.1 %). */
static void stiff_maxwell_becomes_its_damper(void **state)
{
    static const double exponents[] = {1, 0.1, 0.4, 2};

    for (int e = 0; e < 4; e++) {
        const double v = 0.3, h = 0.004, wanted = 20000 * pow(v, exponents[e]);
        struct law_bench b;
        double before = 0;

        assert_ok(law_set_up(&b, SAMPLE("maxwell", {"stiffness", 1e12}, {"damping", 20000}, {"exponent", exponents[e]}),
                             &err));
        for (int i = 1; i <= 20; i++) {
            const double f = law_commit_after(&b, v * h * i, 0, h);

            assert_true(f >= before * (1 - 1e-3) && f <= wanted * (1 + 1e-3));
            before = f;
        }
        assert_near(before, wanted, 1e-6 * wanted);
    }
}

static void maxwell_tangent_is_the_derivative_of_its_force(void **state)
{
    static const double exponents[] = {1, 0.25, 0.4, 0.9, 1.5, 2}, stiffness[] = {1e5, 25e6, 1e9};
    uint64_t seed = 5;

    for (int e = 0; e < 6; e++)
        for (int j = 0; j < 3; j++) {
            struct law_bench b;

            assert_ok(law_set_up(
                &b, SAMPLE("maxwell", {"stiffness", stiffness[j]}, {"damping", 20000}, {"exponent", exponents[e]}),
                &err));
            for (int i = 0; i < 200; i++) {
                const double h = 1e-3 * (1.5 + law_uniform(&seed)), d0 = b.committed[0];
                const double d = d0 + 0.3 * h * law_uniform(&seed), step = 1e-5 * (fabs(d - d0) + 1e-7);
                double k, c;

                b.ops->tangent(b.settings.bytes, b.committed, d, 0, h, &k, &c);
                assert_near(c, 0, 0);
                assert_true(k >= 0 && k <= stiffness[j] * (1 + 1e-12));
                assert_near(k, (maxwell_force(&b, d + step, h) - maxwell_force(&b, d - step, h)) / (2 * step),
                            2e-5 * stiffness[j]);
                law_commit_after(&b, d, 0, h);
            }
        }
}

/* K h |v|^(1 - a)/(a C) = 10 at 4.7 mm/s for the first, and 100 at any rate for the second. */
static void maxwell_says_when_its_spring_is_too_stiff_for_the_step(void **state)
{
    struct law_bench b;
    char text[240];

    assert_ok(law_set_up(&b, SAMPLE("maxwell", VISCOUS_SET, {"stiffness", 1e9}), &err));
    assert_true(b.ops->advise(b.settings.bytes, 0.002, text, sizeof text));
    assert_string_equal(text,
                        "above a rate of 0.0047 m/s its spring is too stiff for steps of 0.002 s; use 'power-damper'");
    assert_ok(law_set_up(&b, SAMPLE("maxwell", {"damping", 20000}, {"stiffness", 1e9}), &err));
    assert_true(b.ops->advise(b.settings.bytes, 0.002, text, sizeof text));
    assert_non_null(strstr(text, "stiffness * step/damping = 100, above 10); use 'damper'"));
    assert_ok(law_set_up(&b, SAMPLE("maxwell", VISCOUS_SET, {"stiffness", 25e6}), &err));
    assert_false(b.ops->advise(b.settings.bytes, 0.002, text, sizeof text));
}

/* ---- pendulum ---------------------------------------------------------------------------------------------------- */

static void pendulum_follows_the_textbook_and_the_projected_law(void **state)
{
    const double A = 0.1;

    assert_true(distance(SAMPLE("pendulum", PENDULUM_SET, {"friction", 0.06}), A, WEIGHT, 0) < 1e-8);
    assert_true(distance(SAMPLE("pendulum", PENDULUM_SET, {"friction", 0.06}, {"normal", 1}), A, PROJECTED, 0) < 1e-8);
    assert_true(
        distance(SAMPLE("pendulum", PENDULUM_SET, {"friction", 0.08}, {"friction_rate", 20}, {"friction_slow", 0.03}),
                 A, RATE_WEIGHT, 0) < 1e-8);
    assert_true(distance(SAMPLE("pendulum", PENDULUM_SET, {"friction", 0.08}, {"friction_rate", 20},
                                {"friction_slow", 0.03}, {"normal", 1}),
                         A, RATE_PROJECTED, 0) < 1e-8);
}

/* mu N each way, and N d/R back to the centre; before it slides the slider is held by its stick stiffness. */
static void pendulum_sticks_slides_and_returns(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, SAMPLE("pendulum", PENDULUM_SET, {"friction", 0.06}), &err));
    assert_near(law_commit(&b, 0.0002, 0), 60e6 * 0.0002, 1e-6);
    assert_near(law_stiffness(&b, 0.0002, 0), 60e6, 1e-6);
    assert_near(law_commit(&b, 0.1, 0), 250e3 * 0.1 + 30e3, 1e-6);
    assert_near(law_stiffness(&b, 0.1, 1), 250e3, 1e-6);
    assert_near(law_stiffness(&b, 0.1, 0), 60e6, 1e-6);
    assert_near(law_stiffness(&b, 0.1, -1), 60e6, 1e-6);
    assert_near(law_commit(&b, 0.05, 0), 250e3 * 0.05 - 30e3, 1e-6);
    assert_ok(law_set_up(&b, SAMPLE("pendulum", {"weight", 500e3}, {"radius", 2}, {"friction", 0.06}), &err));
    assert_near(law_stiffness(&b, 0, 0), 0.06 * 500e3 / 1e-3, 1e-6);
    assert_refused(
        law_set_up(&b, SAMPLE("pendulum", PENDULUM_SET, {"friction", 0.06}, {"stick_stiffness", 250e3}), &err),
        YK_E_RANGE, "stick_stiffness = 250000 N/m is not above 250000 N/m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_damper_is_its_formula),
        cmocka_unit_test(power_damper_is_rounded_off_at_rest),
        cmocka_unit_test(maxwell_follows_its_differential_equation),
        cmocka_unit_test(maxwell_relaxes),
        cmocka_unit_test(stiff_maxwell_becomes_its_damper),
        cmocka_unit_test(maxwell_tangent_is_the_derivative_of_its_force),
        cmocka_unit_test(maxwell_says_when_its_spring_is_too_stiff_for_the_step),
        cmocka_unit_test(pendulum_follows_the_textbook_and_the_projected_law),
        cmocka_unit_test(pendulum_sticks_slides_and_returns),
    };
    return cmocka_run_group_tests_name("dampers", tests, NULL, NULL);
}
