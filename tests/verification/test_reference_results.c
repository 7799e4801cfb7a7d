/* Linear reference results of the integrators: motions, energy increments and energy laws. Expected values: independent
 * prototype of the reference results, and closed forms where they are stated. */
#include "support/check.h"
#include "support/duffing.h"
#include "support/method.h"

#include <math.h>
#include <stdlib.h>

#define G_MINUS 0.29289321881345248 /* 1 - sqrt(2)/2 */
#define G_PLUS  1.7071067811865475

enum { PREDICTED = 1 };

static const double pi = 3.14159265358979323846;

static void check(const struct method *method, const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("%s: %s is %.13g, wanted %.13g (off by %.2g)\n", method_label(method), what, got, wanted,
                    got - wanted);
        fail();
    }
}

static void sine(void *self, double t, double *f)
{
    f[0] = sin(*(const double *)self * t);
}

static void advance(struct yk_domain *d, int steps, struct yk_kinematics *now)
{
    for (int k = 0; k < steps; k++)
        assert_int_equal(yk_domain_step(d), YK_OK);
    yk_domain_now(d, now);
}

/* ---- motions ----------------------------------------------------------------------------------------------------- */

/* omega = 2 pi, xi = 0.05, f = sin 3t, u0 = 1, v0 = 0.5, dt = 0.01: state at t = 2 */
static void damped_oscillator_after_two_seconds(void **state)
{
    static const struct {
        struct method method;
        double u, v;
    } rows[] = {
        {{"central-difference", {{0}}}, 0.522612504664, 0.352809146214},
        {{"newmark", {{"beta", 0}}}, 0.522612504664, 0.352809146214},
        {{"newmark", {{"beta", 0}, {"velocity", PREDICTED}}}, 0.521942358134, 0.352983381922},
        {{"newmark", {{0}}}, 0.522510316334, 0.373830112656},
        {{"newmark-newton", {{0}}}, 0.522510316334, 0.373830112656},
        {{"hht", {{"alpha", 0}}}, 0.522510316334, 0.373830112656},
        {{"alpha-os", {{"alpha", 0}}}, 0.522510316334, 0.373830112656},
        {{"generalized-alpha", {{"rho_inf", 0.8}}}, 0.522513241508, 0.374606264985},
        {{"generalized-alpha", {{"rho_inf", 0}}}, 0.521921525979, 0.436189806381},
        {{"chang", {{"velocity", PREDICTED}}}, 0.521837425076, 0.374018070599},
        {{"cr", {{0}}}, 0.522842545147, 0.373246661609},
        {{"kr-alpha", {{"rho_inf", 1}}}, 0.522842545147, 0.373246661609}, /* is CR */
        {{"lsrt1", {{"gamma", 1}}}, 0.346432381543, 0.398496662837},
        {{"lsrt1", {{"gamma", 0.5}}}, 0.522309271183, 0.373412911668},
        {{"lsrt2", {{"gamma", G_MINUS}}}, 0.522482894109, 0.366670899685},
        {{"lsrt2", {{"gamma", G_PLUS}}}, 0.513920636783, 0.145904584647},
        {{"lsrt2", {{"gamma", 0.25}}}, 0.522479223936, 0.363385402850},
        {{"lsrt2", {{"gamma", 0.5}}}, 0.522509210222, 0.373834636596},
        {{"lsrt3", {{0}}}, 0.522426007410, 0.359929382710},
        {{"exact", {{0}}}, 0.522469147311, 0.359886813505},
    };
    double frequency = 3;

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct yk_system *system = oscillator_create(2 * pi, 0.05, 1, 0.5);
        struct yk_domain d;
        struct yk_kinematics now;

        method_open(&d, &rows[r].method, system, (struct yk_loading){sine, &frequency}, 0.01);
        advance(&d, 200, &now);
        check(&rows[r].method, "u(2)", now.u[0], rows[r].u, 1e-10);
        check(&rows[r].method, "v(2)", now.v[0], rows[r].v, 1e-10);
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
}

/* u'' = -4 pi^2 u - 0.4 u' + sin t, u0 = 0.01, v0 = 0.02, h = 0.05: after 1 and 20 steps */
static void lsrt2_with_equal_and_different_stages(void **state)
{
    static const struct {
        struct method method;
        double first[2], last[2];
    } rows[] = {
        {{"lsrt2", {{"b2", 1}, {"gamma", G_MINUS}}},
         {1.050627601361e-02, 7.289172009310e-04},
         {3.016225882692e-02, 1.079747745641e-02}},
        {{"lsrt2", {{"b2", 1}, {"gamma", G_PLUS}}},
         {1.029501499027e-02, -8.360235426178e-04},
         {2.614235082765e-02, 6.406428416416e-05}},
        {{"lsrt2", {{"b2", 2}, {"gamma", G_MINUS}}},
         {1.050627742350e-02, 7.290134742846e-04},
         {3.016573257585e-02, 1.079783978580e-02}},
        {{"lsrt2", {{"b2", 2}, {"gamma", G_PLUS}}},
         {1.029502129635e-02, -8.359496622024e-04},
         {2.614504638043e-02, 6.022666191033e-05}},
    };
    double frequency = 1;

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct yk_system *system = oscillator_create(2 * pi, 0.4 / (4 * pi), 0.01, 0.02);
        struct yk_domain d;
        struct yk_kinematics now;

        method_open(&d, &rows[r].method, system, (struct yk_loading){sine, &frequency}, 0.05);
        for (int i = 0; i < 2; i++) {
            const double *wanted = i ? rows[r].last : rows[r].first;

            advance(&d, i ? 19 : 1, &now);
            check(&rows[r].method, "u", now.u[0], wanted[0], 1e-9 * fabs(wanted[0]));
            check(&rows[r].method, "v", now.v[0], wanted[1], 1e-9 * fabs(wanted[1]));
        }
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
}

/* ---- energy of one step ------------------------------------------------------------------------------------------ */

/* m = 1, k = 4 */
static double oscillator_energy(const double *u, const double *v)
{
    return 0.5 * v[0] * v[0] + 0.5 * 4 * u[0] * u[0];
}

/* Writes gamma past its allowed range: what is unstable is kept from users, not from this test. */
static void force_gamma(const struct yk_integrator_ops *ops, void *settings, double gamma)
{
    for (const struct yk_param *p = ops->params; p->name; p++)
        if (strcmp(p->name, "gamma") == 0)
            memcpy((char *)settings + p->offset, &gamma, sizeof gamma);
}

/* dt = 0.7, y = (0.3, -1.1): energy gained by the first stage and by the step */
static void energy_increments_of_rosenbrock_methods(void **state)
{
    static const struct {
        const char *integrator;
        double gamma, step, half; /* half: of the half stage, NAN where there is none */
    } rows[] = {
        {"lsrt1", 1, -0.5197972973, NAN},
        {"lsrt2", G_MINUS, -0.0162640321, -0.0564961617},
        {"lsrt2", G_PLUS, -0.5685111080, -0.3340214139},
        {"lsrt2", 0.2, +0.0466760983, NAN},
        {"lsrt2", 0.25, 0, 0}, /* dE of the half stage = (1/2)(1/4 - gamma) k1^T P k1 */
        {"lsrt2", 0.5, 0, NAN},
        {"lsrt1", 0.5, 0, NAN},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct yk_integrator_ops *ops = yk_integrator_find(rows[r].integrator);
        struct yk_system *system = oscillator_create(2, 0, 0.3, -1.1);
        const double before = oscillator_energy(system->u0, system->v0);
        void *settings = method_settings(ops, NULL);
        struct yk_domain d;
        struct yk_kinematics now, half;

        force_gamma(ops, settings, rows[r].gamma);
        assert_ok(yk_domain_create(&d, ops, settings, system, no_load, 0.7, NULL, &err));
        assert_int_equal(yk_domain_start(&d, system->u0, system->v0), YK_OK);
        ops->target(d.integrator.self, 0, &half);
        if (isfinite(rows[r].half))
            assert_near(oscillator_energy(half.u, half.v) - before, rows[r].half, 1e-10);
        advance(&d, 1, &now);
        assert_near(oscillator_energy(now.u, now.v) - before, rows[r].step, 1e-10);
        yk_domain_destroy(&d);
        yk_system_destroy(system);
        free(settings);
    }
}

/* Below 1/4 LSRT2 is unstable at every step: |R(i)| - 1 = 8.3e-3 and |R(10i)| - 1 = 1.86 for 0.2, by the energy. */
static void lsrt2_below_a_quarter_gains_energy(void **state)
{
    static const struct {
        double Omega, excess, tolerance;
    } rows[] = {{1, 8.3e-3, 5e-5}, {10, 1.86, 5e-3}};
    const struct yk_integrator_ops *ops = yk_integrator_find("lsrt2");

    for (int r = 0; r < 2; r++) {
        struct yk_system *system = oscillator_create(2, 0, 0.3, -1.1);
        void *settings = method_settings(ops, NULL);
        struct yk_domain d;
        struct yk_kinematics now;
        double before = oscillator_energy(system->u0, system->v0);

        assert_refused(yk_param_set(ops->params, settings, "gamma", 0.2, &err), YK_E_RANGE, "0.25");
        force_gamma(ops, settings, 0.2);
        assert_ok(yk_domain_create(&d, ops, settings, system, no_load, rows[r].Omega / 2, NULL, &err));
        assert_int_equal(yk_domain_start(&d, system->u0, system->v0), YK_OK);
        advance(&d, 1, &now);
        assert_near(sqrt(oscillator_energy(now.u, now.v) / before) - 1, rows[r].excess, rows[r].tolerance);
        yk_domain_destroy(&d);
        yk_system_destroy(system);
        free(settings);
    }
}

/* ---- energy of a long run ---------------------------------------------------------------------------------------- */

enum { MASSES = 3 };

static double chain_energy(const struct yk_system *s, const double *u, const double *v)
{
    double Mv[MASSES] = {0}, Ku[MASSES] = {0};

    yk_matrix_add_product(&s->M, 1, v, Mv);
    yk_matrix_add_product(&s->K, 1, u, Ku);
    return 0.5 * (yk_dot(MASSES, v, Mv) + yk_dot(MASSES, u, Ku));
}

/* Free undamped vibration of a chain, highest mode at omega dt = 2.6: E of 1000 steps against its start. */
static void energy_is_kept_or_lost_and_never_gained(void **state)
{
    enum law { KEEPS, LOSES };
    static const struct {
        struct method method;
        enum law law;
    } rows[] = {
        {{"newmark", {{0}}}, KEEPS},
        {{"newmark-newton", {{0}}}, KEEPS},
        {{"hht", {{"alpha", 0}}}, KEEPS},
        {{"alpha-os", {{"alpha", 0}}}, KEEPS},
        {{"generalized-alpha", {{"rho_inf", 1}}}, KEEPS},
        {{"chang", {{0}}}, KEEPS},
        {{"lsrt1", {{"gamma", 0.5}}}, KEEPS},
        {{"lsrt2", {{"gamma", 0.25}}}, KEEPS},
        {{"lsrt2", {{"gamma", 0.5}}}, KEEPS},
        {{"exact", {{0}}}, KEEPS},
        {{"lsrt1", {{0}}}, LOSES},
        {{"lsrt2", {{0}}}, LOSES},
        {{"lsrt2", {{"gamma", G_PLUS}}}, LOSES},
        {{"lsrt2", {{"b2", 2}}}, LOSES},
        {{"lsrt3", {{0}}}, LOSES},
    };
    const struct chain c = {.n = MASSES, .m = 2, .k = 98};
    const double u0[MASSES] = {0.3, -0.2, 0.1}, v0[MASSES] = {0.5, 0.4, -0.7};

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct yk_matrix M, C, K;
        struct yk_system *system;
        struct yk_domain d;
        struct yk_kinematics now;
        double E0, last;

        chain_matrices(&c, YK_DENSE, &M, &C, &K);
        system = duffing_create(M, C, K, 0, true, u0, v0);
        E0 = last = chain_energy(system, u0, v0);
        method_open(&d, &rows[r].method, system, no_load, 0.2);
        for (int k = 0; k < 1000; k++) {
            advance(&d, 1, &now);
            const double E = chain_energy(system, now.u, now.v);

            if (rows[r].law == KEEPS)
                check(&rows[r].method, "energy", E / E0, 1, 1e-10);
            else
                check(&rows[r].method, "energy gained in a step", fmax(0, E - last), 0, 1e-14 * E0);
            last = E;
        }
        if (rows[r].law == LOSES)
            assert_true(last < 0.999 * E0);
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
}

/* Largest E/E0 over many steps of a free oscillator with omega = 1. */
static double excursion(const struct method *method, double Omega, double u0, double v0)
{
    struct yk_system *system = oscillator_create(1, 0, u0, v0);
    struct yk_domain d;
    struct yk_kinematics now;
    double largest = 0;

    method_open(&d, method, system, no_load, Omega);
    for (int k = 0; k < 2000; k++) {
        advance(&d, 1, &now);
        largest = fmax(largest, now.u[0] * now.u[0] + now.v[0] * now.v[0]);
    }
    yk_domain_destroy(&d);
    yk_system_destroy(system);
    return largest / (u0 * u0 + v0 * v0);
}

/* The energy may rise above its start even where the spectral radius is 1. Closed forms, x = omega u: CR moves on the
 * ellipse al x^2 - al Om x v + v^2, al = 1/(1 + Om^2/4); explicit Newmark on (1 - Om^2/4) x^2 + v^2. */
static void energy_excursions_of_explicit_commands(void **state)
{
    static const struct {
        struct method method;
        double Omega, from_u, from_v; /* max E/E0 from (1, 0) and from (0, 1) */
    } rows[] = {
        {{"chang", {{0}}}, 0.5, 1, 1},
        {{"chang", {{0}}}, 5, 1, 1},
        {{"chang", {{0}}}, 20, 1, 1},
        {{"cr", {{0}}}, 0.5, 1.283, 1.363},
        {{"cr", {{0}}}, 5, 8.13, 58.9},
        {{"cr", {{0}}}, 20, 102, 1.03e4},
        {{"newmark", {{"beta", 0}}}, 1.9, 1, 10.3},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct method *m = &rows[r].method;

        check(m, "excursion from u", excursion(m, rows[r].Omega, 1, 0), rows[r].from_u, 0.01 * rows[r].from_u);
        check(m, "excursion from v", excursion(m, rows[r].Omega, 0, 1), rows[r].from_v, 0.01 * rows[r].from_v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_oscillator_after_two_seconds),
        cmocka_unit_test(lsrt2_with_equal_and_different_stages),
        cmocka_unit_test(energy_increments_of_rosenbrock_methods),
        cmocka_unit_test(lsrt2_below_a_quarter_gains_energy),
        cmocka_unit_test(energy_is_kept_or_lost_and_never_gained),
        cmocka_unit_test(energy_excursions_of_explicit_commands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
