/* Spectra and stability limits of the integrators, found by driving the real step. Expected values: independent
 * prototype of the reference results, and closed forms where they are stated. */
#include "support/check.h"
#include "support/duffing.h"
#include "support/method.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/analyze.h"

#define G_MINUS 0.29289321881345248 /* 1 - sqrt(2)/2 */
#define G_PLUS  1.7071067811865475

enum { SMALL_ROOT = 1, LARGE_ROOT = 2, PREDICTED = 1 };

/* Eigenvalues of one step at omega dt = Omega, omega = 1; returns how many. */
static size_t spectrum(const struct method *method, double Omega, double xi, double *re, double *im)
{
    struct yk_system *system = oscillator_create(1, xi, 0, 0);
    struct yk_domain d;
    size_t n;

    method_open(&d, method, system, no_load, Omega);
    n = yk_amplification_size(&d);
    assert_true(n <= 4);
    assert_ok(yk_spectrum(&d, re, im, &err));
    yk_domain_destroy(&d);
    yk_system_destroy(system);
    return n;
}

static double radius(const struct method *method, double Omega, double xi)
{
    double re[4], im[4];

    spectrum(method, Omega, xi, re, im);
    return hypot(re[0], im[0]);
}

static double limit(const struct method *method, double xi)
{
    const double omega = 7;
    void *settings = method_settings(method_ops(method), method->set);
    double dt = NAN;

    assert_ok(yk_stability_limit(method_ops(method), settings, omega, xi, &dt, &err));
    free(settings);
    return omega * dt;
}

static void check(const struct method *method, const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance || got == wanted)) {
        print_error("%s: %s is %.9g, wanted %.9g\n", method_label(method), what, got, wanted);
        fail();
    }
}

/* ---- spectral radius --------------------------------------------------------------------------------------------- */

enum { POINTS = 8 };
static const double at[POINTS] = {0.1, 0.5, 1, 2, 3.14159265358979323846, 10, 100, 1000};

static void spectral_radius_without_damping(void **state)
{
    static const struct {
        struct method method;
        double radius[POINTS];
    } rows[] = {
        {{"lsrt1", {{"gamma", 1}}},
         {0.99503719, 0.89442719, 0.70710678, 0.44721360, 0.30331447, 0.09950372, 0.00999950, 0.00100000}},
        {{"lsrt2", {{"gamma", G_MINUS}}},
         {0.99999963, 0.99977955, 0.99687394, 0.96681456, 0.88870104, 0.44485806, 0.04824211, 0.00482838}},
        {{"lsrt2", {{"gamma", G_PLUS}}},
         {0.99959900, 0.90683697, 0.66759922, 0.38958284, 0.25704190, 0.08263021, 0.00828406, 0.00082843}},
        {{"lsrt3", {{0}}},
         {0.99999742, 0.99854410, 0.98244277, 0.87605196, 0.71435545, 0.27906324, 0.02869281, 0.00287009}},
        {{"generalized-alpha", {{"rho_inf", 0.0}}},
         {0.99995192, 0.98424298, 0.90656333, 0.70710678, 0.54575749, 0.24253563, 0.04783128, 0.01006649}},
        {{"generalized-alpha", {{"rho_inf", 0.5}}},
         {0.99999816, 0.99901140, 0.98931279, 0.93713231, 0.86823387, 0.68252842, 0.53717362, 0.50784717}},
        {{"generalized-alpha", {{"rho_inf", 0.8}}},
         {0.99999993, 0.99996011, 0.99947461, 0.99528586, 0.98595438, 0.92979177, 0.83463761, 0.80772125}},
        {{"generalized-alpha", {{"rho_inf", 1.0}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"newmark", {{0}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"newmark-newton", {{0}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"chang", {{0}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"cr", {{0}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"exact", {{0}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"lsrt1", {{"gamma", 0.5}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"lsrt2", {{"gamma", 0.25}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"lsrt2", {{"gamma", 0.5}}}, {1, 1, 1, 1, 1, 1, 1, 1}},
        {{"lsrt2", {{"gamma", G_MINUS}, {"b2", 2}}},
         {0.99999963, 0.99977955, 0.99687394, 0.96681456, 0.88870104, 0.44485806, 0.04824211, 0.00482838}},
        /* the published matrices give the eigenvalues of generalized-alpha with the same rho_inf */
        {{"kr-alpha", {{"rho_inf", 0.5}}},
         {0.99999816, 0.99901140, 0.98931279, 0.93713231, 0.86823387, 0.68252842, 0.53717362, 0.50784717}},
        {{"kr-alpha", {{"rho_inf", 0.8}}},
         {0.99999993, 0.99996011, 0.99947461, 0.99528586, 0.98595438, 0.92979177, 0.83463761, 0.80772125}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int i = 0; i < POINTS; i++)
            check(&rows[r].method, "spectral radius", radius(&rows[r].method, at[i], 0), rows[r].radius[i], 1e-7);
}

/* z + 1/z = 2 - Omega^2 */
static void spectral_radius_of_explicit_methods(void **state)
{
    static const struct method methods[] = {{"newmark", {{"beta", 0}}}, {"central-difference", {{0}}}};

    for (size_t m = 0; m < 2; m++)
        for (int i = 0; i < POINTS; i++) {
            const double c = at[i] * at[i] / 2 - 1, wanted = c > 1 ? c + sqrt(c * c - 1) : 1;

            check(&methods[m], "spectral radius", radius(&methods[m], at[i], 0), wanted, 1e-7 * wanted);
        }
}

/* HHT: (1 + alpha)/(1 - alpha) at infinite frequency; alpha-operator-splitting is HHT in linear problems. */
static void hht_and_operator_splitting_share_the_published_limit(void **state)
{
    static const struct method methods[] = {{"hht", {{"alpha", -0.1}}},
                                            {"alpha-os", {{"alpha", -0.1}}},
                                            {"hht", {{"alpha", -0.3}}},
                                            {"alpha-os", {{"alpha", -0.3}}}};

    for (size_t m = 0; m < 4; m++) {
        const double alpha = methods[m].set[0].value;

        check(&methods[m], "radius at 1e5", radius(&methods[m], 1e5, 0), (1 + alpha) / (1 - alpha), 1e-4);
    }
}

/* Same eigenvalues, with and without damping, as the average acceleration method. */
static void chang_and_cr_have_the_spectrum_of_average_acceleration(void **state)
{
    static const struct method caa = {"newmark", {{0}}}, others[] = {{"chang", {{0}}}, {"cr", {{0}}}};
    static const double xi[] = {0, 0.05, 0.5};

    for (int x = 0; x < 3; x++)
        for (int m = 0; m < 2; m++)
            for (int i = 0; i < POINTS; i++) {
                double re[4], im[4], re1[4], im1[4];

                spectrum(&caa, at[i], xi[x], re, im);
                spectrum(&others[m], at[i], xi[x], re1, im1);
                check(&others[m], "first eigenvalue", re1[0], re[0], 1e-7);
                check(&others[m], "its imaginary part", fabs(im1[0]), fabs(im[0]), 1e-7);
                check(&others[m], "second eigenvalue", re1[1], re[1], 1e-7);
            }
}

/* |R(i Om)|^2 = 1 - 4 (g - 1/4)(g - 1/2)^2 Om^4/(1 + g^2 Om^2)^2 */
static void lsrt2_follows_its_stability_function(void **state)
{
    static const double gamma[] = {0.25, G_MINUS, 0.4, 0.5, 1, G_PLUS, 5};

    for (int g = 0; g < 7; g++)
        for (int i = 0; i < POINTS; i++) {
            const struct method method = {"lsrt2", {{"gamma", gamma[g]}}};
            const double x = gamma[g] * gamma[g] * at[i] * at[i];
            const double wanted =
                sqrt(1 - 4 * (gamma[g] - 0.25) * pow(gamma[g] - 0.5, 2) * pow(at[i], 4) / pow(1 + x, 2));

            check(&method, "spectral radius", radius(&method, at[i], 0), wanted, 1e-8);
        }
}

/* ---- stability limits -------------------------------------------------------------------------------------------- */

static void stability_limits(void **state)
{
    static const struct {
        struct method method;
        double xi, limit; /* of omega dt */
    } rows[] = {
        {{"newmark", {{"beta", 0}}}, 0, 2},
        {{"newmark", {{"beta", 0}}}, 0.05, 2}, /* with the true velocity */
        {{"central-difference", {{0}}}, 0, 2},
        {{"central-difference", {{0}}}, 0.2, 2},
        {{"rk4", {{0}}}, 0, 2.8284271247461903}, /* sqrt(8) */
        {{"newmark", {{0}}}, 0, INFINITY},
        {{"newmark", {{0}}}, 0.05, INFINITY},
        {{"newmark", {{"beta", 1.0 / 6}}}, 0, 3.4641016151377544}, /* linear acceleration: sqrt(12) */
        {{"chang", {{0}}}, 0, INFINITY},
        {{"chang", {{0}}}, 0.5, INFINITY},
        {{"lsrt1", {{"gamma", 0.5}}}, 0, INFINITY},
        {{"lsrt2", {{"gamma", 0.25}}}, 0, INFINITY},
        {{"lsrt2", {{"gamma", 0.5}}}, 0, INFINITY},
        {{"generalized-alpha", {{"rho_inf", 0}}}, 0, INFINITY},
        {{"generalized-alpha", {{"rho_inf", 1}}}, 0, INFINITY},
        {{"kr-alpha", {{"rho_inf", 0}}}, 0.1, INFINITY},
        {{"kr-alpha", {{"rho_inf", 1}}}, 0, INFINITY},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        check(&rows[r].method, "stability limit", limit(&rows[r].method, rows[r].xi), rows[r].limit, 2e-5);
}

/* Velocity of the force predicted as v + h a: a measured damping force costs stability. */
static void predicted_velocity_lowers_the_limit(void **state)
{
    static const double xi[] = {0.01, 0.05, 0.1, 0.2, 0.5, 1};
    static const struct {
        struct method method;
        double limit[6];
    } rows[] = {
        {{"newmark", {{"beta", 0}, {"velocity", PREDICTED}}}, {1.962, 1.810, 1.640, 1.356, 0.830, 0.474}},
        {{"chang", {{"velocity", PREDICTED}}}, {5.722, 3.164, 2.356, 1.654, 0.882, 0.482}},
    };

    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 6; i++)
            check(&rows[r].method, "limit", limit(&rows[r].method, xi[i]), rows[r].limit[i], 0.002);
}

/* Largest spectral radius on a grid over from .. to. */
static double worst(const struct method *method, double from, double to, double *where)
{
    double largest = 0;

    for (double Omega = from; Omega <= to; Omega *= 1.002) {
        const double r = radius(method, Omega, 0);

        if (r > largest) {
            largest = r;
            *where = Omega;
        }
    }
    return largest;
}

/* The two outer roots of the cubic are unstable from zero on; `from` is where the excess passes 1e-9, the threshold of
 * the prototype, `to` where it ends. */
static void only_the_middle_root_of_lsrt3_is_stable(void **state)
{
    static const struct {
        struct method method;
        double from, to, worst, worst_at;
    } rows[] = {
        {{"lsrt3", {{"gamma", SMALL_ROOT}}}, 0.022, 22.05, 1.600, NAN},
        {{"lsrt3", {{"gamma", LARGE_ROOT}}}, 0.0035, 0.257, 1.00216, 0.198},
    };

    for (int r = 0; r < 2; r++) {
        const struct method *m = &rows[r].method;
        double where = 0;

        check(m, "excess at the lower end", radius(m, rows[r].from, 0) - 1, 1e-9, 2e-10);
        assert_true(radius(m, 0.99 * rows[r].to, 0) > 1 + 1e-5 && radius(m, 1.01 * rows[r].to, 0) < 1);
        check(m, "largest radius", worst(m, rows[r].from, rows[r].to, &where), rows[r].worst, 5e-6 + 5e-4 * (r == 0));
        if (rows[r].worst_at > 0)
            check(m, "where", where, rows[r].worst_at, 0.002);
    }
}

/* ---- the analysis itself ----------------------------------------------------------------------------------------- */

static void constant_load(void *self, double t, double *f)
{
    f[0] = 3;
}

/* Average acceleration in (u, v, a): the published matrix, in the columns that a step uses. */
static void amplification_matrix_of_average_acceleration(void **state)
{
    static const struct method method = {"newmark", {{0}}};
    const double h = 0.3, D = 1 + h * h / 4;
    /* columns u, v, a; rows u, v, a: a1 = -(u + h v + h^2/4 a)/D */
    const double a1[3] = {-1 / D, -h / D, -h * h / 4 / D}, up[3] = {1, h, h * h / 4}, vp[3] = {0, 1, h / 2};
    struct yk_system *system = oscillator_create(1, 0, 0.7, 0.2);
    struct yk_loading loading = {constant_load, NULL};
    struct yk_domain d;
    struct yk_kinematics now;
    double A[9], before[3];

    method_open(&d, &method, system, loading, h);
    assert_int_equal(yk_domain_step(&d), YK_OK);
    yk_domain_now(&d, &now);
    memcpy(before, (double[]){now.u[0], now.v[0], now.a[0]}, sizeof before);
    assert_int_equal(yk_amplification_size(&d), 3);
    assert_ok(yk_amplification_matrix(&d, A, &err));
    for (int j = 0; j < 3; j++) {
        assert_near(A[3 * j], up[j] + h * h / 4 * a1[j], 1e-15);
        assert_near(A[3 * j + 1], vp[j] + h / 2 * a1[j], 1e-15);
        assert_near(A[3 * j + 2], a1[j], 1e-15);
    }
    yk_domain_now(&d, &now); /* nothing has moved, the load is back */
    assert_memory_equal(before, ((double[]){now.u[0], now.v[0], now.a[0]}), sizeof before);
    assert_int_equal(d.step, 1);
    assert_true(d.loading.at == loading.at && d.f[0] == 3);
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

static void amplification_of_a_nonlinear_model_is_refused(void **state)
{
    static const struct method method = {"newmark", {{0}}};
    const struct chain c = {.n = 2, .m = 1, .k = 1};
    struct yk_matrix M, C, K;
    struct yk_system *system;
    struct yk_domain d;
    double A[64];

    chain_matrices(&c, YK_DENSE, &M, &C, &K);
    system = duffing_create(M, C, K, 1, false, NULL, NULL);
    method_open(&d, &method, system, no_load, 0.1);
    assert_refused(yk_amplification_matrix(&d, A, &err), YK_E_UNSUPPORTED, "needs a linear model");
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

static void stability_limit_refuses_what_is_no_oscillator(void **state)
{
    const struct yk_integrator_ops *ops = yk_integrator_find("rk4");
    void *settings = method_settings(ops, NULL);
    double dt;

    assert_refused(yk_stability_limit(ops, settings, 0, 0.1, &dt, &err), YK_E_RANGE, "omega = 0");
    assert_refused(yk_stability_limit(ops, settings, NAN, 0.1, &dt, &err), YK_E_RANGE, "omega = nan");
    assert_refused(yk_stability_limit(ops, settings, 1, -0.1, &dt, &err), YK_E_RANGE, "xi = -0.1");
    free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectral_radius_without_damping),
        cmocka_unit_test(spectral_radius_of_explicit_methods),
        cmocka_unit_test(hht_and_operator_splitting_share_the_published_limit),
        cmocka_unit_test(chang_and_cr_have_the_spectrum_of_average_acceleration),
        cmocka_unit_test(lsrt2_follows_its_stability_function),
        cmocka_unit_test(stability_limits),
        cmocka_unit_test(predicted_velocity_lowers_the_limit),
        cmocka_unit_test(only_the_middle_root_of_lsrt3_is_stable),
        cmocka_unit_test(amplification_matrix_of_average_acceleration),
        cmocka_unit_test(amplification_of_a_nonlinear_model_is_refused),
        cmocka_unit_test(stability_limit_refuses_what_is_no_oscillator),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
