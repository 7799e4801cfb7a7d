/* The spring-pendulum: its tangent and energy, its linearisation at rest, golden states, observed orders and the
 * numerical damping of its stiff mode. Expected values: independent prototype (DOP853 for the exact states). */
#include "support/check.h"
#include "support/duffing.h"
#include "support/method.h"
#include "support/pendulum.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/analyze.h"
#include <yoke/substructure.h>

#define G_MINUS 0.29289321881345248 /* 1 - sqrt(2)/2 */
#define G_PLUS  1.7071067811865475

enum { Y, L, THETA };
enum { PREDICTED = 1, CURRENT = 1, SMALL_ROOT = 1 };

static const double pi = 3.14159265358979323846;

static const struct pendulum nonstiff = {
    .platform_mass = 11,
    .platform_damping = 40,
    .platform_stiffness = 1000,
    .mass = 0.34,
    .stiffness = 400,
    .length = 0.167,
    .gravity = 9.81,
};

static struct pendulum with_stiffness(double k)
{
    struct pendulum s = nonstiff;

    s.stiffness = k;
    return s;
}

static struct yk_system *pendulum_create(const struct pendulum *s, double y, double l, double theta)
{
    const double u0[3] = {y, l, theta}, v0[3] = {0};
    struct yk_system *system;

    system = pendulum_make(s, u0, v0);
    return system;
}

/* 12 N at 2.2 Hz on the platform */
static void shake(void *self, double t, double *f)
{
    f[Y] = 12 * sin(2 * pi * 2.2 * t);
    f[L] = f[THETA] = 0;
}

static const struct yk_loading shaking = {shake, NULL};

static void check(const struct method *method, const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("%s: %s is %.13g, wanted %.13g (off by %.2g)\n", method_label(method), what, got, wanted,
                    got - wanted);
        fail();
    }
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* K = -dp/du and C = -dp/dv by central differences, in random states under random loads on all three. */
static void tangent_is_the_derivative_of_the_force(void **state)
{
    struct yk_system *system = pendulum_create(&nonstiff, 0, 0, 0.5);
    uint64_t seed = 7;

    for (int trial = 0; trial < 20; trial++) {
        double f[3], y[6], K[9], C[9], p[3], plus[3], minus[3];

        for (int i = 0; i < 3; i++)
            f[i] = 10 * random_value(&seed);
        for (int i = 0; i < 6; i++)
            y[i] = (i % 3 == L ? 0.05 : 1.5) * random_value(&seed);
        yk_system_force(system, 0, f, y, y + 3, p);
        system->ops->tangent(system->self, y, y + 3, K, C);
        for (int j = 0; j < 6; j++) {
            const double h = 1e-6, kept = y[j];
            const double *column = j < 3 ? K + 3 * j : C + 3 * (j - 3);

            y[j] = kept + h;
            yk_system_force(system, 0, f, y, y + 3, plus);
            y[j] = kept - h;
            yk_system_force(system, 0, f, y, y + 3, minus);
            y[j] = kept;
            for (int i = 0; i < 3; i++)
                assert_near(column[i], (minus[i] - plus[i]) / (2 * h), 1e-6 * (1 + fabs(column[i])));
        }
    }
    yk_system_destroy(system);
}

/* No load, no damping: 0.068187958 J at the start and after 5 s. */
static void energy_is_constant_without_load_and_damping(void **state)
{
    static const struct method method = {"rk4", {{0}}};
    struct pendulum s = nonstiff;
    struct yk_system *system;
    struct yk_domain d;
    struct yk_kinematics now;
    struct yk_energy energy = {0};

    s.platform_damping = 0;
    system = pendulum_create(&s, 0, 0, 0.5);
    method_open(&d, &method, system, no_load, 1e-3);
    for (int k = 0; k <= 5000; k++) {
        yk_domain_now(&d, &now);
        system->ops->account(system->self, d.f, now.u, now.v, &energy);
        assert_near(energy.kinetic + energy.stored, 0.068187958, 1e-9);
        assert_int_equal(yk_domain_step(&d), YK_OK);
    }
    assert_near(energy.work, 0, 0);
    assert_near(energy.dissipated, 0, 0);
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

/* With load and damping: kinetic + stored + dissipated = start + work, to the trapezoidal rule of the account. */
static void energy_account_balances(void **state)
{
    static const struct method method = {"rk4", {{0}}};
    double gap[2];

    for (int fine = 0; fine < 2; fine++) {
        struct yk_system *system = pendulum_create(&nonstiff, 0, 0, 0.5);
        struct yk_domain d;
        struct yk_kinematics now;
        struct yk_energy e = {0};
        const int steps = 2000 << fine;

        method_open(&d, &method, system, shaking, 2.0 / steps);
        for (int k = 0; k <= steps; k++) {
            yk_domain_now(&d, &now);
            system->ops->account(system->self, d.f, now.u, now.v, &e);
            if (k < steps)
                assert_int_equal(yk_domain_step(&d), YK_OK);
        }
        gap[fine] = fabs(e.kinetic + e.stored + e.dissipated - e.work - 0.068187958074);
        assert_true(e.dissipated > 0.1 && e.work > 0.1);
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
    assert_true(gap[0] < 1e-5 && gap[1] < 0.3 * gap[0]);
}

/* A saved state brings back the load that the tangent is taken under. */
static void restart_from_a_saved_state_repeats_bit_by_bit(void **state)
{
    static const struct method method = {"lsrt3", {{0}}};
    struct yk_system *system = pendulum_create(&nonstiff, 0, 0, 0.5);
    struct yk_domain d;
    struct yk_kinematics now;
    struct yk_span span;
    double kept[16], end[2][3];

    method_open(&d, &method, system, shaking, 1e-3);
    span = d.integrator.ops->state(d.integrator.self);
    assert_true(span.n <= 16);
    for (int run = 0; run < 2; run++) {
        if (run == 1) {
            memcpy(span.x, kept, span.n * sizeof *kept);
            assert_int_equal(yk_domain_resume(&d, 50), YK_OK);
        }
        while (d.step < 100) {
            if (run == 0 && d.step == 50)
                memcpy(kept, span.x, span.n * sizeof *kept);
            assert_int_equal(yk_domain_step(&d), YK_OK);
        }
        yk_domain_now(&d, &now);
        memcpy(end[run], now.u, sizeof end[run]);
    }
    assert_memory_equal(end[0], end[1], sizeof end[0]);
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

/* ---- linearised at rest ------------------------------------------------------------------------------------------ */

/* Eigenvalues of [0 I; -K -C] of the initial tangents, sorted by falling modulus. */
static void tangent_eigenvalues(const struct yk_system *s, double re[6], double im[6])
{
    double A[36] = {0};

    for (size_t i = 0; i < 3; i++) {
        A[i + (3 + i) * 6] = 1;
        for (size_t j = 0; j < 3; j++) {
            A[3 + i + j * 6] = -yk_matrix_get(&s->K, i, j);
            A[3 + i + (3 + j) * 6] = -yk_matrix_get(&s->C, i, j);
        }
    }
    assert_ok(yk_eigen_general(6, A, re, im, &err));
}

/* The modulus over 2 pi gives the damped frequencies of the platform and spring modes to the digits given. */
static void modes_at_rest(void **state)
{
    static const struct {
        double k, re[3], im[3], hz[3], explicit_limit; /* fastest mode first */
    } rows[] = {
        {400, {-0.06263, -1.75556, 0}, {34.86108, 9.21535, 7.66437}, {5.5483, 1.4930, 1.2198}, 57.370e-3},
        {4e5, {-0.05452, -1.76366, 0}, {1101.28859, 9.22349, 7.66437}, {175.2755, 1.4946, 1.2198}, 1.81605e-3},
    };

    for (int r = 0; r < 2; r++) {
        const struct pendulum s = with_stiffness(rows[r].k);
        struct yk_system *system = pendulum_create(&s, 0, 0, 0);
        double re[6], im[6];

        tangent_eigenvalues(system, re, im);
        for (int i = 0; i < 3; i++) {
            const double modulus = hypot(re[2 * i], im[2 * i]);

            assert_near(re[2 * i], rows[r].re[i], 6e-6);
            assert_near(fabs(im[2 * i]), rows[r].im[i], 6e-6);
            assert_near(modulus / (2 * pi), rows[r].hz[i], 6e-5);
        }
        assert_near_relative(2 / hypot(re[0], im[0]), rows[r].explicit_limit, 1e-5);
        yk_system_destroy(system);
    }
}

/* y = 0, l = -2 m g/k, theta = pi: at rest, with a real pair */
static void upper_equilibrium_is_unstable(void **state)
{
    const double zero[3] = {0};
    struct yk_system *system = pendulum_create(&nonstiff, 0, -2 * 0.34 * 9.81 / 400, pi);
    double re[6], im[6], p[3];
    int found = 0;

    yk_system_force(system, 0, zero, system->u0, zero, p);
    for (int i = 0; i < 3; i++)
        assert_near(p[i], 0, 1e-12);
    tangent_eigenvalues(system, re, im);
    for (int i = 0; i < 6; i++)
        if (fabs(im[i]) < 1e-9 && fabs(fabs(re[i]) - 8.0783) < 5e-5)
            found += re[i] > 0 ? 1 : 10;
    assert_int_equal(found, 11);
    yk_system_destroy(system);
}

/* A linear system with the tangents of the pendulum at rest. */
static struct yk_system *linearised(const struct pendulum *s)
{
    struct yk_system *system = pendulum_create(s, 0, 0, 0), *linear;
    struct yk_matrix M, C, K;

    assert_ok(yk_matrix_copy(&M, &system->M, &err));
    assert_ok(yk_matrix_copy(&C, &system->C, &err));
    assert_ok(yk_matrix_copy(&K, &system->K, &err));
    linear = duffing_create(M, C, K, 0, true, NULL, NULL);
    yk_system_destroy(system);
    return linear;
}

static double spectral_radius(const struct method *method, struct yk_system *system, double dt)
{
    struct yk_domain d;
    double re[12], im[12];

    method_open(&d, method, system, no_load, dt);
    assert_true(yk_amplification_size(&d) <= 12);
    assert_ok(yk_spectrum(&d, re, im, &err));
    yk_domain_destroy(&d);
    return hypot(re[0], im[0]);
}

static void spectral_radius_of_the_linearised_pendulum(void **state)
{
    static const struct {
        struct method method;
        double radius[4]; /* dt = 0.1, 1, 10, 100 s */
    } rows[] = {
        {{"lsrt2", {{"gamma", G_MINUS}}}, {0.9988485, 0.5511318, 0.0629048, 0.0062997}},
        {{"lsrt2", {{"gamma", G_PLUS}}}, {0.7755774, 0.1076172, 0.0108083, 0.0010809}},
        {{"lsrt3", {{0}}}, {0.9929633, 0.3571797, 0.0374291, 0.0037447}},
        {{"lsrt3", {{"gamma", SMALL_ROOT}}}, {1.2220742, 1.5982961, 0.3180309, 0.0321007}},
    };
    struct yk_system *linear = linearised(&nonstiff);

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int i = 0; i < 4; i++)
            check(&rows[r].method, "radius", spectral_radius(&rows[r].method, linear, 0.1 * pow(10, i)),
                  rows[r].radius[i], 1e-7);
    yk_system_destroy(linear);
}

/* The large root of LSRT3: the undamped pendulum mode is weakly unstable for dt = 0.26 .. 33.5 ms. */
static void large_root_of_lsrt3_is_weakly_unstable(void **state)
{
    static const struct method method = {"lsrt3", {{"gamma", 2}}};
    struct yk_system *linear = linearised(&nonstiff);

    assert_true(spectral_radius(&method, linear, 5e-3) > 1 + 1e-6);
    assert_true(spectral_radius(&method, linear, 33.3e-3) > 1);
    assert_true(spectral_radius(&method, linear, 33.7e-3) < 1);
    yk_system_destroy(linear);
}

/* ---- golden states ----------------------------------------------------------------------------------------------- */

static const double exact_y = -8.438970613835e-3, exact_vy = 2.806562531818e-3;

static const struct method newmark_predicted = {"newmark", {{"beta", 0}, {"velocity", PREDICTED}}};
static const struct method chang_refreshed = {"chang", {{"velocity", PREDICTED}, {"jacobian", CURRENT}}};
static const struct method lsrt1 = {"lsrt1", {{0}}}, lsrt3 = {"lsrt3", {{0}}};
static const struct method lsrt3_small = {"lsrt3", {{"gamma", SMALL_ROOT}}};
static const struct method lsrt2_minus = {"lsrt2", {{"gamma", G_MINUS}}}, lsrt2_plus = {"lsrt2", {{"gamma", G_PLUS}}};

/* The state (u, v) at t = 1 s with the given number of steps, from theta = 0.5 rad. */
static void state_at_one_second(const struct method *method, int steps, double state[6])
{
    struct yk_system *system = pendulum_create(&nonstiff, 0, 0, 0.5);
    struct yk_domain d;
    struct yk_kinematics now;

    method_open(&d, method, system, shaking, 1.0 / steps);
    for (int k = 0; k < steps; k++)
        assert_int_equal(yk_domain_step(&d), YK_OK);
    yk_domain_now(&d, &now);
    memcpy(state, now.u, 3 * sizeof *state);
    memcpy(state + 3, now.v, 3 * sizeof *state);
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

static void fine_solution_is_the_independent_one(void **state)
{
    static const struct method rk4 = {"rk4", {{0}}};
    static const double wanted[6] = {-8.438970613835e-3, 3.937648532e-3, 0.295461534055,
                                     2.806562531818e-3,  7.951194108e-2, -4.598740109};
    double y[6];

    state_at_one_second(&rk4, 4000, y);
    for (int i = 0; i < 6; i++)
        assert_near(y[i], wanted[i], 1e-9);
}

static void golden_states_and_observed_orders(void **state)
{
    static const struct {
        const struct method *method;
        double y, vy;             /* with dt = 1 ms */
        double order_y, order_vy; /* NAN: not asymptotic at this step */
    } rows[] = {
        {&newmark_predicted, -8.438986259615e-3, 2.813448820479e-3, 2.1, 2.0},
        {&chang_refreshed, -8.438679752002e-3, 2.808173066317e-3, 2.0, 2.0},
        {&lsrt1, -8.370748349798e-3, 2.627430652034e-3, 0.98, NAN},
        {&lsrt2_minus, -8.439004708693e-3, 2.804535201131e-3, 2.0, 2.0},
        {&lsrt2_plus, -8.440053866260e-3, 2.865864958394e-3, 1.9, 1.9},
        {&lsrt3, -8.438969387624e-3, 2.806520674150e-3, 3.0, 3.0},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double coarse[6], fine[6], order[2];

        state_at_one_second(rows[r].method, 1000, coarse);
        state_at_one_second(rows[r].method, 2000, fine);
        check(rows[r].method, "y(1)", coarse[Y], rows[r].y, 1e-9);
        check(rows[r].method, "y'(1)", coarse[3 + Y], rows[r].vy, 1e-9);
        order[0] = log2((coarse[Y] - exact_y) / (fine[Y] - exact_y));
        order[1] = log2((coarse[3 + Y] - exact_vy) / (fine[3 + Y] - exact_vy));
        check(rows[r].method, "order of y", order[0], rows[r].order_y, 0.15);
        if (isfinite(rows[r].order_vy))
            check(rows[r].method, "order of y'", order[1], rows[r].order_vy, 0.15);
    }
}

/* Forces that are nonlinear in the velocity (here 2 l' theta') cost central differences an order, since they see a
 * one-sided velocity. The others iterate, follow the Jacobian, or evaluate at v + h a. */
static void nonlinear_velocity_forces_cost_central_differences_an_order(void **state)
{
    static const struct {
        struct method method;
        double order; /* of theta */
    } rows[] = {
        {{"central-difference", {{0}}}, 1},
        {{"alpha-os", {{0}}}, 2},
        {{"chang", {{0}}}, 2},
        {{"chang", {{"jacobian", CURRENT}}}, 2},
        {{"newmark", {{0}}}, 2},
        {{"newmark", {{"beta", 0}}}, 2},
        {{"hht", {{0}}}, 2},
        {{"generalized-alpha", {{0}}}, 2},
        {{"newmark-newton", {{0}}}, 2},
        {{"lsrt2", {{"jacobian", 1}}}, 2},
        {{"lsrt3", {{"jacobian", 1}}}, 2},
    };
    const double exact_theta = 0.295461534055;

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double coarse[6], fine[6];

        state_at_one_second(&rows[r].method, 4000, coarse);
        state_at_one_second(&rows[r].method, 8000, fine);
        check(&rows[r].method, "order of theta", log2((coarse[THETA] - exact_theta) / (fine[THETA] - exact_theta)),
              rows[r].order, 0.15);
    }
}

/* ---- the stiff spring -------------------------------------------------------------------------------------------- */

/* rms of l' in the first and last 0.2 s of `duration`; false when |l'| passed 1e3 m/s, in step *blown. */
static bool stiff_run(const struct method *method, double dt, double duration, double rms[2], long *blown)
{
    const struct pendulum s = with_stiffness(4e5);
    const long steps = lround(duration / dt), window = lround(0.2 / dt);
    struct yk_system *system = pendulum_create(&s, 0, 0, 0.5);
    struct yk_domain d;
    struct yk_kinematics now;
    double sum[2] = {0};

    *blown = 0;
    method_open(&d, method, system, shaking, dt);
    for (long k = 1; k <= steps && !*blown; k++) {
        const enum yk_status st = yk_domain_step(&d);

        yk_domain_now(&d, &now);
        if (st || !(fabs(now.v[L]) < 1e3))
            *blown = k;
        sum[0] += k <= window ? now.v[L] * now.v[L] : 0;
        sum[1] += k >= steps - window ? now.v[L] * now.v[L] : 0;
    }
    rms[0] = sqrt(sum[0] / (double)window);
    rms[1] = sqrt(sum[1] / (double)(window + 1));
    yk_domain_destroy(&d);
    yk_system_destroy(system);
    return !*blown;
}

/* The reference solution has 7.496e-4 and 6.954e-4 m/s. */
static void stiff_mode_is_kept_damped_or_amplified(void **state)
{
    static const struct {
        const struct method *method;
        double dt, first, last; /* rms of l', m/s */
    } rows[] = {
        {&newmark_predicted, 1e-3 / 3, 7.387e-4, 6.808e-4},
        {&chang_refreshed, 1e-3 / 3, 7.510e-4, 6.947e-4},
        {&lsrt2_minus, 2e-3 / 3, 6.557e-4, 7.08e-5},
        {&lsrt2_plus, 2e-3 / 3, 6.255e-5, 3.56e-5},
        {&lsrt3, 1e-3, 2.430e-4, 3.72e-5},
        {&lsrt3_small, 1e-3, NAN, 5.05},
        {&chang_refreshed, 2e-3, 7.52e-4, 7.57e-4},
        {&lsrt2_minus, 4e-3, 1.09e-4, 4.4e-5},
        {&lsrt2_plus, 4e-3, 3.1e-5, 3.6e-5},
        {&lsrt3, 6e-3, 4.9e-5, 4.7e-5},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double rms[2];
        long blown;

        assert_true(stiff_run(rows[r].method, rows[r].dt, 1.8, rms, &blown));
        if (isfinite(rows[r].first))
            check(rows[r].method, "first rms of l'", rms[0], rows[r].first, 0.02 * rows[r].first);
        check(rows[r].method, "last rms of l'", rms[1], rows[r].last, 0.02 * rows[r].last);
    }
}

/* 2 ms is above the explicit limit of 1.816 ms: explicit Newmark is gone after 18 steps, Chang stays. */
static void stiff_mode_beyond_the_explicit_limit(void **state)
{
    double rms[2];
    long blown;

    assert_false(stiff_run(&newmark_predicted, 2e-3, 1.8, rms, &blown));
    assert_in_range(blown, 16, 20);
    assert_true(stiff_run(&chang_refreshed, 2e-3, 30, rms, &blown));
    assert_true(rms[1] < 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangent_is_the_derivative_of_the_force),
        cmocka_unit_test(energy_is_constant_without_load_and_damping),
        cmocka_unit_test(energy_account_balances),
        cmocka_unit_test(restart_from_a_saved_state_repeats_bit_by_bit),
        cmocka_unit_test(modes_at_rest),
        cmocka_unit_test(upper_equilibrium_is_unstable),
        cmocka_unit_test(spectral_radius_of_the_linearised_pendulum),
        cmocka_unit_test(large_root_of_lsrt3_is_weakly_unstable),
        cmocka_unit_test(fine_solution_is_the_independent_one),
        cmocka_unit_test(golden_states_and_observed_orders),
        cmocka_unit_test(nonlinear_velocity_forces_cost_central_differences_an_order),
        cmocka_unit_test(stiff_mode_is_kept_damped_or_amplified),
        cmocka_unit_test(stiff_mode_beyond_the_explicit_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
