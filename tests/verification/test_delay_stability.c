/* Stability of integrator, compensator and delay together: docs/theory/delay.md, section 6. The amplification matrix is
 * made of unit states sent through one real step of tests/support/hybrid_loop: integrator, compensator, a delay line, a
 * spring as specimen. Expected limits come from an independent program, roots of closed polynomials where there are
 * some. */
#include "support/check.h"
#include "support/hybrid_loop.h"

#include <math.h>
#include <stdlib.h>

enum { TARGETS = 12, MOST = 128 };

/* The loop between two steps: what the integrator hands on, the force, the past targets, the acceleration before, the
 * line. More than is independent: what repeats adds roots at zero. */
struct rig {
    struct hybrid_loop loop;
    int line; /* commands under way */
    double past_x[TARGETS], past_v[TARGETS], a_before;
};

static size_t size_of(const struct rig *r)
{
    const size_t n = r->loop.integrator.ops->state(r->loop.integrator.self).n;

    return n + 1 + 2 * TARGETS + 1 + (size_t)r->line;
}

/* Feeds the past to the compensator, oldest first; then the ends of the last two steps. */
static void tell_past(struct rig *r)
{
    struct hybrid_loop *l = &r->loop;
    struct yk_kinematics now;

    l->compensator.ops->reset(l->compensator.self, 0);
    for (int i = TARGETS - 1; i >= 0; i--)
        compensator_predict(&l->compensator, (l->stages - 1 - i % l->stages), r->past_x[i], r->past_v[i], l->tau_c);
    compensator_reached(&l->compensator, l->stages - 1, 0, 0, r->a_before);
    l->integrator.ops->now(l->integrator.self, &now);
    compensator_reached(&l->compensator, l->stages - 1, now.u[0], now.v[0], now.a[0]);
    l->a = now.a[0];
}

static void put(struct rig *r, const double *z)
{
    struct hybrid_loop *l = &r->loop;
    const struct yk_span span = l->integrator.ops->state(l->integrator.self);

    memcpy(span.x, z, span.n * sizeof *z);
    z += span.n;
    l->p = *z++;
    if (l->integrator.ops->resume)
        l->integrator.ops->resume(l->integrator.self, &l->p);
    memcpy(r->past_x, z, sizeof r->past_x);
    memcpy(r->past_v, z + TARGETS, sizeof r->past_v);
    z += 2 * TARGETS;
    r->a_before = *z++;
    memcpy(l->line, z, (size_t)r->line * sizeof *z);
    tell_past(r);
}

static void get(struct rig *r, double *z)
{
    struct hybrid_loop *l = &r->loop;
    const struct yk_span span = l->integrator.ops->state(l->integrator.self);

    memmove(r->past_x + l->stages, r->past_x, (size_t)(TARGETS - l->stages) * sizeof(double));
    memmove(r->past_v + l->stages, r->past_v, (size_t)(TARGETS - l->stages) * sizeof(double));
    for (int s = 0; s < l->stages; s++) {
        r->past_x[l->stages - 1 - s] = l->target_x[s];
        r->past_v[l->stages - 1 - s] = l->target_v[s];
    }
    memcpy(z, span.x, span.n * sizeof *z);
    z += span.n;
    *z++ = l->p;
    memcpy(z, r->past_x, sizeof r->past_x);
    memcpy(z + TARGETS, r->past_v, sizeof r->past_v);
    z += 2 * TARGETS;
    *z++ = l->a_before;
    memcpy(z, l->line, (size_t)r->line * sizeof *z);
}

/* One step, column-major; malloc'd. */
static double *amplification(const struct loop_case *it, size_t *size)
{
    struct rig r = {0};
    double *A, z[MOST];

    hybrid_loop_open(&r.loop, it);
    r.line = (int)lround(it->tau / r.loop.h);
    const size_t n = *size = size_of(&r);
    assert_true(n <= MOST);
    A = calloc(n * n, sizeof *A);
    for (size_t j = 0; j < n; j++) {
        memset(z, 0, sizeof z);
        z[j] = 1;
        put(&r, z);
        hybrid_loop_step(&r.loop);
        get(&r, A + j * n);
    }
    hybrid_loop_close(&r.loop);
    return A;
}

/* Largest modulus of the roots. */
static double radius_of(const struct loop_case *it)
{
    double re[MOST], im[MOST];
    size_t n;
    double *A = amplification(it, &n);

    assert_ok(yk_eigen_general(n, A, re, im, &err));
    free(A);
    return hypot(re[0], im[0]);
}

/* 1 kg, stiffness for omega dt = Om, half of it or all in the specimen. */
struct problem {
    const char *integrator, *compensator;
    struct setting set[LOOP_SETTINGS];
    int delay; /* in steps */
    double xi;
    bool all_physical, grey; /* grey: the Jacobian knows the specimen */
};

static struct loop_case loop_of(const struct problem *p, double Om)
{
    const double dt = 0.01, k = Om * Om / (dt * dt);
    struct loop_case it = {
        .method = {p->integrator, {{strcmp(p->integrator, "newmark") == 0 ? "beta" : NULL, 0}}},
        .dt = dt,
        .m = 1,
        .c = 2 * p->xi * Om / dt,
        .k_n = p->all_physical ? 0 : k / 2,
        .k_e = p->all_physical ? k : k / 2,
        .compensator = p->compensator,
        .tau_c = p->delay * dt,
        .tau = p->delay * dt,
        .ticks = 1,
    };

    memcpy(it.compensation, p->set, sizeof p->set);
    it.k_j = it.k_n + (p->grey ? it.k_e : 0);
    return it;
}

static double radius(const struct problem *p, double Om)
{
    const struct loop_case it = loop_of(p, Om);

    return radius_of(&it);
}

/* Above one by more than rounding. Near omega = 0 both roots are close to 1, where they are known to about 1e-10. */
static bool grows(const struct problem *p, double Om)
{
    return radius(p, Om) > 1 + 1e-9;
}

/* The value between low and high at which stable turns into unstable, or back. */
static double crossing(const struct problem *p, double low, double high)
{
    const bool below = grows(p, low);

    assert_int_not_equal(below, grows(p, high));
    for (int i = 0; i < 24; i++) {
        const double mid = 0.5 * (low + high);

        if (grows(p, mid) == below)
            low = mid;
        else
            high = mid;
    }
    return 0.5 * (low + high);
}

/* Stable from 0.02 up to its limit. */
static void assert_stable_until(const struct problem *p, double limit, double tolerance)
{
    for (double Om = 0.02; Om < limit - 0.01; Om += 0.02)
        assert_false(grows(p, Om));
    assert_near(crossing(p, limit - 0.01, limit + 0.01), limit, tolerance);
}

static void explicit_newmark_with_its_predictor_is_stable_to_sqrt_2_over_3(void **state)
{
    const struct problem p = {"newmark", "explicit-newmark", .delay = 1};

    assert_near(radius(&p, 0.2), 0.99961474, 1e-8);
    assert_stable_until(&p, sqrt(2.0 / 3), 1e-6);
    assert_near(crossing(&p, 0.7, 0.9) / 0.01, 81.65, 5e-3); /* rad/s at 10 ms, half of it at 20 ms */
}

static void longer_delays_lower_the_limit(void **state)
{
    static const double limit[] = {0.816497, 0.538057, 0.401950};

    for (int delay = 1; delay <= 3; delay++)
        assert_stable_until(&(struct problem){"newmark", "explicit-newmark", .delay = delay}, limit[delay - 1], 2e-6);
}

/* The published run: 1 to 2.2 in 25 s of 5 ms at 0.2828; the polynomial of the limit changes sign at 0.34416. */
static void explicit_newmark_with_linear_acceleration_grows_slowly(void **state)
{
    const struct problem p = {"newmark", "linear-acceleration", .delay = 1};

    for (double Om = 0.02; Om < 0.34; Om += 0.02)
        assert_true(grows(&p, Om));
    assert_near(radius(&p, 0.2828), 1.00016243, 1e-8);
    assert_near(pow(radius(&p, 0.2828), 5000), 2.2526, 2e-4);
    assert_near(crossing(&p, 0.3, 0.4), 0.34416, 1e-5);
    assert_near(crossing(&p, 0.7, 0.8), 0.761595, 2e-6);
}

static void lsrt2_with_kinematic_predictors(void **state)
{
    assert_stable_until(&(struct problem){"lsrt2", "explicit-newmark", .delay = 1, .grey = true}, 1.05034, 1e-5);
    assert_stable_until(&(struct problem){"lsrt2", "explicit-newmark", .delay = 1}, 1.00538, 1e-5);
    assert_stable_until(&(struct problem){"lsrt2", "linear-acceleration", .delay = 1, .grey = true}, 0.86835, 1e-5);
}

/* Weakly unstable from 0.03 to 0.11, by 2e-8; then stable. */
static void lsrt2_with_linear_acceleration_and_numerical_jacobian(void **state)
{
    const struct problem p = {"lsrt2", "linear-acceleration", .delay = 1};
    double worst = 0;

    for (double Om = 0.03; Om < 0.12; Om += 0.005)
        worst = fmax(worst, radius(&p, Om) - 1);
    assert_near(worst, 2e-8, 1e-8);
    assert_near(crossing(&p, 0.02, 0.06), 0.03, 5e-3);
    assert_near(crossing(&p, 0.08, 0.15), 0.11, 5e-3);
    assert_near(crossing(&p, 0.8, 0.9), 0.87055, 1e-5);
}

static void lsrt2_with_velocity_of_second_order(void **state)
{
    struct problem p = {"lsrt2", "velocity", {{"order", 2}, {"data", 1}}, .delay = 1, .grey = true};

    assert_stable_until(&p, 1.26377, 1e-5);
    p.grey = false;
    assert_stable_until(&p, 1.16428, 1e-5);
    p.set[1].value = 2;
    assert_near(radius(&p, 0.2), 0.99980369, 1e-8);
    assert_stable_until(&p, 1.084955, 2e-6);
    p.grey = true;
    assert_near(radius(&p, 0.2), 0.99983266, 1e-8);
    assert_stable_until(&p, 1.185481, 2e-6);
}

static void lsrt2_with_velocity_of_third_order(void **state)
{
    struct problem p = {"lsrt2", "velocity", {{"order", 3}, {"data", 1}}, .delay = 1, .grey = true};

    for (double Om = 0.02; Om < 1.4; Om += 0.02)
        assert_true(grows(&p, Om));
    assert_near(radius(&p, 0.15), 1.00008197, 1e-8);
    assert_near(radius(&p, 0.2), 1.00025883, 1e-8);
    p.grey = false;
    for (double Om = 0.02; Om < 1.4; Om += 0.02)
        assert_true(grows(&p, Om));
    assert_near(radius(&p, 0.15), 1.00008001, 1e-8);
    assert_near(radius(&p, 0.2), 1.00025313, 1e-8);
    p.set[1].value = 2;
    assert_near(radius(&p, 0.2), 0.99980504, 1e-8);
    assert_stable_until(&p, 0.811704, 2e-6);
    p.grey = true;
    assert_near(radius(&p, 0.2), 0.99989840, 1e-8);
    assert_stable_until(&p, 0.818507, 2e-6);
}

static void lsrt2_with_mixed_data(void **state)
{
    struct problem p = {"lsrt2", "velocity", {{"order", 2}, {"data", 3}}, .delay = 1, .grey = true};

    assert_near(radius(&p, 0.2), 0.99992042, 1e-8);
    assert_stable_until(&p, 1.244500, 2e-6);
    p.grey = false;
    assert_near(radius(&p, 0.2), 0.99988513, 1e-8);
    assert_stable_until(&p, 1.123578, 2e-6);
    p.set[0].value = 3;
    for (double Om = 0.02; Om < 1.4; Om += 0.02)
        assert_true(grows(&p, Om));
    assert_near(radius(&p, 0.2), 1.00021032, 1e-8);
    p.grey = true;
    assert_near(radius(&p, 0.2), 1.00021427, 1e-8);
}

static void without_compensation_every_frequency_grows(void **state)
{
    struct problem p = {"lsrt2", "none", .delay = 1, .grey = true};

    for (double Om = 0.02; Om < 1.4; Om += 0.02)
        assert_true(grows(&p, Om));
    assert_near(radius(&p, 0.2), 1.0098636, 1e-7);
    p.grey = false;
    assert_near(radius(&p, 0.2), 1.0098917, 1e-7);
}

static void central_difference_with_lagrange(void **state)
{
    static const struct {
        bool all_physical;
        double xi, limit[3]; /* 0: unstable from the start */
    } rows[] = {
        {false, 0, {0, 0.816497, 0.816497}},
        {true, 0, {0, 0.707107, 0.632456}},
        {true, 0.05, {0.436442, 0.717224, 0.629020}},
    };

    for (int row = 0; row < 3; row++)
        for (int order = 1; order <= 3; order++) {
            const struct problem p = {"central-difference",   "lagrange", {{"order", order}}, 1, rows[row].xi,
                                      rows[row].all_physical, false};

            if (rows[row].limit[order - 1] > 0)
                assert_stable_until(&p, rows[row].limit[order - 1], 2e-6);
            else
                assert_true(grows(&p, 0.05) && grows(&p, 0.2) && grows(&p, 0.6));
        }
}

/* ---- characteristic polynomials ---- */

/* c_0 lambda^5 + .. + c_5 of the loop without its roots at zero, c_0 given: by the traces of A, .., A^5 and Newton's
 * identities, to which zeros add nothing. */
static void characteristic(const struct problem *p, double Om, double c[6])
{
    const struct loop_case it = loop_of(p, Om);
    size_t n;
    double *A = amplification(&it, &n), *power = calloc(n * n, sizeof *power), *next = calloc(n * n, sizeof *next);
    double trace[6] = {0};

    memcpy(power, A, n * n * sizeof *A);
    for (int k = 1; k <= 5; k++) {
        for (size_t i = 0; i < n; i++)
            trace[k] += power[i * n + i];
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) {
                next[j * n + i] = 0;
                for (size_t m = 0; m < n; m++)
                    next[j * n + i] += A[m * n + i] * power[j * n + m];
            }
        memcpy(power, next, n * n * sizeof *A);
    }
    for (int k = 1; k <= 5; k++) {
        c[k] = 0;
        for (int m = 1; m <= k; m++)
            c[k] -= c[k - m] * trace[m] / k;
    }
    free(A);
    free(power);
    free(next);
}

/* lambda = (1 + s)/(1 - s), times (1 - s)^5: a_i is the coefficient of s^i. */
static void to_half_plane(const double c[6], double a[6])
{
    memset(a, 0, 6 * sizeof *a);
    for (int k = 0; k <= 5; k++) {
        double term[6] = {c[k]};

        for (int i = 0; i < 5; i++)
            for (int m = i + 1; m >= 0; m--)
                term[m] += m ? (i < 5 - k ? 1 : -1) * term[m - 1] : 0;
        for (int i = 0; i <= 5; i++)
            a[i] += term[i];
    }
}

/* The fifth entry of the first column of the Routh array: no root grows where all have one sign. */
static double routh(const double a[6])
{
    const double b1 = (a[4] * a[3] - a[2] * a[5]) / a[4], b2 = (a[4] * a[1] - a[0] * a[5]) / a[4];
    const double c1 = (b1 * a[2] - b2 * a[4]) / b1;

    return (c1 * b2 - a[0] * b1) / c1;
}

static void assert_coefficients(const double *got, const double *wanted)
{
    for (int i = 0; i <= 5; i++)
        assert_near(got[i], wanted[i], 1e-9);
}

/* Appendix B of Wang 2012, eq. (B.3), (B.4), (B.6): n and e are the squares of both frequencies times the step. */
static void the_polynomials_of_linear_acceleration_are_the_published_ones(void **state)
{
    const struct problem p = {"newmark", "linear-acceleration", .delay = 1};

    for (double Om = 0.1; Om < 0.8; Om += 0.1) {
        const double n = Om * Om / 2, e = n;
        const double d1 = 128 * (e + n) * (224 * e * e - 102 * e + 264 * n * e + 9 - 81 * n + 36 * n * n) * e /
                          (-576 - 1416 * n * e + 1776 * e - 108 * n * n - 1052 * e * e + 9 * n * n * n + 432 * n +
                           504 * n * n * e + 3093 * n * e * e + 2598 * e * e * e);
        double c[6] = {3}, a[6];

        characteristic(&p, Om, c);
        assert_coefficients(c, (double[]){3, 3 * n - 6, 3 + 13 * e, -21 * e, 15 * e, -4 * e});
        to_half_plane(c, a);
        assert_coefficients(a, (double[]){3 * e + 3 * n, 9 * n + 9 * e, 6 * e + 12 + 6 * n, -6 * n + 2 * e + 36,
                                          -9 * n + 36 - 73 * e, -3 * n + 53 * e + 12});
        assert_near(routh(a), d1, 1e-9);
        assert_int_equal(routh(a) > 0, Om > 0.34416); /* where the largest root says so too */
    }
}

/* Eq. (B.8), g the coefficient of LSRT2. */
static void published_third_order(double n, double e, double g, double c[6])
{
    const double g2 = g * g, g3 = g2 * g, g4 = g2 * g2, n2 = n * n, e2 = e * e, ne = n * e;

    c[0] = 4 + 8 * g2 * (n + e) + 4 * g4 * (n2 + e2) + 8 * g4 * ne;
    c[1] = -8 + 4 * n - 16 * g2 * (n + e) + n2 * (-4 * g2 + 16 * g3 - 8 * g4) + e2 * (-2 * g2 + 8 * g3 - 8 * g4) +
           ne * (-4 * g2 + 24 * g3 - 16 * g4);
    c[2] = 4 + 8 * g2 * (n + e) + e * (-36 + 168 * g) + n2 * (1 - 8 * g + 20 * g2 - 16 * g3 + 4 * g4) +
           e2 * (-36 * g + 146 * g2 - 56 * g3 + 4 * g4) + ne * (-76 * g + 272 * g2 - 72 * g3 + 8 * g4);
    c[3] =
        e * (84 - 336 * g) + e2 * (-162 + 1020 * g - 1662 * g2 + 104 * g3) + ne * (-54 + 276 * g - 312 * g2 + 104 * g3);
    c[4] = e * (-44 + 168 * g) + e2 * (207 - 1576 * g + 3102 * g2 - 56 * g3) + ne * (-6 + 8 * g + 76 * g2 - 56 * g3);
    c[5] = e2 * (-106 + 808 * g - 1568 * g2);
}

/* Eq. (B.8), (B.9): for small steps the Routh entry tends to -1327.58/128 e^2, the number that the published cubic in g
 * has. Two steps, extrapolated to none. */
static void the_polynomial_of_third_order_is_the_published_one(void **state)
{
    const struct problem p = {"lsrt2", "velocity", {{"order", 3}, {"data", 1}}, .delay = 1, .grey = true};
    const double g = 1 - sqrt(0.5);
    double c[6], wanted[6], a[6], entry[2];

    for (double Om = 0.1; Om < 1.3; Om += 0.2) {
        published_third_order(Om * Om / 2, Om * Om / 2, g, wanted);
        c[0] = wanted[0];
        characteristic(&p, Om, c);
        assert_coefficients(c, wanted);
    }
    for (int i = 0; i < 2; i++) {
        const double Om = i ? 0.03 : 0.06, e = Om * Om / 2;

        published_third_order(e, e, g, wanted);
        c[0] = wanted[0];
        characteristic(&p, Om, c);
        to_half_plane(c, a);
        entry[i] = 128 * routh(a) / (e * e);
    }
    assert_near((4 * entry[1] - entry[0]) / 3, -1327.58, 0.02);
    assert_near(17408 - 83968 * g + 63488 * g * g + 16384 * g * g * g, -1327.58, 0.005);
}

/* T = 0.5 s, 5 % damping, the spring in the specimen. eq. (2), (3): 7.97100 ms. */
static double growth_at(double tau)
{
    enum { STEPS = 40 };
    const double w = 2 * 3.14159265358979323846 / 0.5;

    return radius_of(&(struct loop_case){.method = {"central-difference"},
                                         .dt = tau / STEPS,
                                         .m = 1,
                                         .c = 0.1 * w,
                                         .k_e = w * w,
                                         .compensator = "none",
                                         .tau = tau,
                                         .ticks = 1});
}

static void the_critical_delay_of_a_physical_spring_is_exact(void **state)
{
    const double w = 2 * 3.14159265358979323846 / 0.5, xi = 0.05;
    const double q = sqrt(1 + 4 * pow(xi, 4)) - 2 * xi * xi, W = w * sqrt(q); /* (W/w)^4 + (2 xi W/w)^2 = 1 */
    const double exact = atan2(2 * xi * w * W, W * W) / W;
    double low = 5e-3, high = 12e-3;

    assert_near(W, 12.53499, 1e-5);
    assert_near(exact * 1e3, 7.97100, 1e-5);
    assert_near(2 * xi / w * 1e3, 7.95775, 1e-5);
    for (int i = 0; i < 30; i++) {
        const double mid = 0.5 * (low + high);

        if (growth_at(mid) > 1)
            high = mid;
        else
            low = mid;
    }
    assert_near(low * 1e3, 7.97100, 1e-4);
}

/* eq. (1): a damper of -k tau, by which an undamped motion grows with the rate k tau/(2 m). */
static void a_delay_is_negative_damping(void **state)
{
    const double w = 2 * 3.14159265358979323846 / 0.5, tau = 1e-3, dt = tau / 20;
    const struct loop_case it = {.method = {"central-difference"},
                                 .dt = dt,
                                 .m = 1,
                                 .k_e = w * w,
                                 .compensator = "none",
                                 .tau = tau,
                                 .ticks = 1};

    assert_near_relative(log(radius_of(&it)) / dt, w * w * tau / 2, 2 * w * tau * w * tau);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_newmark_with_its_predictor_is_stable_to_sqrt_2_over_3),
        cmocka_unit_test(longer_delays_lower_the_limit),
        cmocka_unit_test(explicit_newmark_with_linear_acceleration_grows_slowly),
        cmocka_unit_test(lsrt2_with_kinematic_predictors),
        cmocka_unit_test(lsrt2_with_linear_acceleration_and_numerical_jacobian),
        cmocka_unit_test(lsrt2_with_velocity_of_second_order),
        cmocka_unit_test(lsrt2_with_velocity_of_third_order),
        cmocka_unit_test(lsrt2_with_mixed_data),
        cmocka_unit_test(without_compensation_every_frequency_grows),
        cmocka_unit_test(central_difference_with_lagrange),
        cmocka_unit_test(the_polynomials_of_linear_acceleration_are_the_published_ones),
        cmocka_unit_test(the_polynomial_of_third_order_is_the_published_one),
        cmocka_unit_test(a_delay_is_negative_damping),
        cmocka_unit_test(the_critical_delay_of_a_physical_spring_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
