/* Certificates against closed forms and an independent program: the reference cases of docs/theory/certificates.md. */
#include "support/check.h"

#include "loops.h"

#include <yoke/random.h>

static const struct yk_uncertain plain[LOOP_PORTS];

static struct yk_certificate certificate_of(const struct loop_case *q, bool costs)
{
    struct yk_family f;
    struct yk_certificate c;
    struct yk_err err = {0};

    loop_family(q, &f);
    const struct yk_certify_problem problem = {
        .count = f.ports, .of = plain, .family = loop_give, .user = &f, .cycle_s = q->h};

    if (yk_certify(&problem, &(struct yk_certify_settings){.costs = costs}, &c, &err))
        fail_msg("%s", yk_err_line(&err).text);
    yk_family_free(&f);
    return c;
}

static void assert_certified(double radius, double exact)
{
    if (!(radius <= exact * (1 + 1e-7) && radius >= 0.9998 * exact))
        fail_msg("certified %.7g, should be just below %.7g", radius, exact);
}

/* (f, k) of A2: the root of the characteristic polynomial at (r, r). */
static void stiffness_and_delay_meet_the_root_of_the_polynomial(void **state)
{
    const struct loop_case q = loop_a2();
    struct yk_certificate c = certificate_of(&q, false);

    assert_near(c.found, 1.2081622178, 2e-6);
    assert_certified(c.radius, 1.2081622178);
    assert_string_equal(c.method, "corners");
    assert_near(c.worst[0], c.found, 1e-12);
    assert_near(c.worst[1], c.found, 1e-12);
    assert_true(c.arcs < 1000);
    yk_certificate_free(&c);
}

static void servo_with_four_parameters(void **state)
{
    static const double sign[] = {1, 1, -1, 1}, alone[] = {10.557, 8.333, 7.017, 64},
                        without[] = {3.651, 3.846, 3.433, 2.545};
    const struct loop_case q = loop_a4(60);
    struct yk_certificate c = certificate_of(&q, true);

    assert_near(c.found, 2.413154, 1e-5);
    assert_certified(c.radius, 2.413154);
    for (int i = 0; i < 4; i++) { /* delay, stiffness, damping, gain */
        assert_near(c.worst[i], sign[i] * c.found, 1e-12);
        if (i < 3)
            assert_near_relative(c.cost[i].alone, alone[i], 3e-4);
        else
            assert_true(c.cost[i].alone >= 64);
        assert_near_relative(c.cost[i].without, without[i], 3e-4);
    }
    yk_certificate_free(&c);
}

static void nominal_loops_have_the_known_spectral_radius(void **state)
{
    const struct loop_case q[] = {loop_a4(60), loop_a5()};
    const double known[] = {0.998999813, 0.999815087}, zero[LOOP_PORTS] = {0};

    for (int i = 0; i < 2; i++) {
        struct yk_family f;
        double radius;

        loop_family(&q[i], &f);
        const struct yk_certify_problem problem = {.count = f.ports, .of = plain, .family = loop_give, .user = &f};

        assert_int_equal(yk_certify_spectral(&problem, zero, &radius, NULL), YK_OK);
        assert_near(radius, known[i], 1e-9);
        yk_family_free(&f);
    }
}

static void two_chains_are_not_certified_for_their_intervals(void **state)
{
    const struct loop_case q = loop_a5();
    struct yk_certificate c = certificate_of(&q, false);

    assert_near(c.found, 0.842829, 6e-6);
    assert_certified(c.radius, 0.842829);
    for (int i = 0; i < 8; i++)
        assert_near(c.worst[i], (i % 4 == 2 ? -1 : 1) * c.found, 1e-12);
    yk_certificate_free(&c);
}

static void the_radius_moves_with_the_pole_of_the_servo(void **state)
{
    static const double frequency[] = {48, 54, 60, 66, 72}, known[] = {2.13699, 2.28801, 2.41308, 2.51842, 2.60865};

    for (int i = 0; i < 5; i++) {
        const struct loop_case q = loop_a4(frequency[i]);
        struct yk_certificate c = certificate_of(&q, false);

        assert_near_relative(c.radius, known[i], 1.2e-4);
        yk_certificate_free(&c);
    }
}

/* ---- a delay over several ticks ---- */

struct delays {
    struct yk_family now;
    struct loop_case q;
};

static enum yk_status give_delay(void *user, const double *delta, const struct yk_family **family, struct yk_err *err)
{
    struct delays *d = user;
    struct loop_case q = d->q;

    (void)err;
    q.chain[0].delay = 2 + delta[0];
    yk_family_free(&d->now);
    loop_family(&q, &d->now);
    for (size_t j = 0; j < d->now.ports; j++)
        d->now.parameter[j]++;
    *family = &d->now;
    return YK_OK;
}

static void a_delay_is_cut_at_ticks(void **state)
{
    const struct yk_uncertain of[] = {{.name = "delay", .varied = true, .kink = 1, .least = -2, .most = 1e3},
                                      {.name = "stiffness"}};
    struct delays d = {.q = loop_a2()};
    const struct yk_certify_problem problem = {.count = 2, .of = of, .family = give_delay, .user = &d, .cycle_s = 2e-3};
    struct yk_certificate c;
    struct yk_err err = {0};

    d.q.chain[0].width_f = 0;
    if (yk_certify(&problem, NULL, &c, &err))
        fail_msg("%s", yk_err_line(&err).text);
    assert_near(c.found, 1.2084843476, 2e-6);
    assert_certified(c.radius, 1.2084843476);
    assert_near(1 + 0.2 * c.worst[1], 1.24169687, 2e-6);
    assert_near(2e-3 * (2 + c.worst[0]), 6.41696870e-3, 1e-8);
    yk_certificate_free(&c);
    yk_family_free(&d.now);
}

/* ---- scalings ---- */

static double bound_of(size_t n, const double *re, const double *im, bool real)
{
    bool kinds[4] = {real, real, real, real};
    double bound;
    struct yk_err err = {0};

    if (yk_scalings_bound(n, re, im, kinds, &bound, &err))
        fail_msg("%s", yk_err_line(&err).text);
    return bound;
}

static void scalings_find_closed_forms(void **state)
{
    const double zero[4] = {0};

    assert_near(bound_of(2, (double[]){1, 3, 2, 4}, zero, false), 5.372281323269014, 1e-9);
    assert_near(bound_of(2, (double[]){0, -3, 2, 0}, zero, false), sqrt(6), 1e-9);
    assert_near(bound_of(2, (double[]){0, -3, 2, 0}, zero, true), sqrt(6), 1e-9);
    assert_near(bound_of(2, (double[]){0, 0, 2, 0}, (double[]){0, 3, 0, 0}, true), 2.449490, 1e-6);
    assert_near(bound_of(2, (double[]){1, 2, 1, 2}, (double[]){1, -1, 1, -1}, false), 3.650281540, 1e-9);
    assert_near(bound_of(2, (double[]){1, 2, 1, 2}, (double[]){1, -1, 1, -1}, true), 3, 1e-9);
}

/* A5 with 14 parameters: stiffnesses, dampings and delays as two halves each. The box is the same, and so is the truth.
 */
static void more_than_twelve_parameters_are_certified_by_scalings(void **state)
{
    static const struct yk_uncertain halves[14];
    const struct loop_case q = loop_a5();
    struct yk_family f, g;
    size_t of[14], m = 0;
    bool proved;

    loop_family(&q, &f);
    for (size_t j = 0; j < f.ports; j++)
        for (int half = 0; half < (j % 4 == 3 ? 1 : 2); half++)
            of[m++] = j;
    assert_int_equal(m, 14);
    assert_ok(yk_family_make(&g, f.states, m, &err));
    memcpy(g.A, f.A, f.states * f.states * sizeof *g.A);
    for (size_t j = 0; j < m; j++) {
        const double part = of[j] % 4 == 3 ? 1 : 0.5;

        g.parameter[j] = j;
        for (size_t i = 0; i < f.states; i++) {
            g.B[i + j * f.states] = f.B[i + of[j] * f.states];
            g.C[j + i * m] = part * f.C[of[j] + i * f.ports];
        }
        for (size_t i = 0; i < m; i++)
            g.D[j + i * m] = part * f.D[of[j] + of[i] * f.ports];
    }
    const struct yk_certify_problem problem = {.count = m, .of = halves, .family = loop_give, .user = &g};

    assert_ok(yk_certify_hull(&problem, 0.842829 / 1.3, 0, &proved, &err));
    assert_true(proved);
    yk_family_free(&g);
    yk_family_free(&f);
}

static void a_stiffness_that_changes_is_certified_for_less(void **state)
{
    const struct loop_case q[] = {loop_a2(), loop_a4(60)};
    const double known[] = {0.2485, 0.663048};

    for (int i = 0; i < 2; i++) {
        struct yk_family f;
        double radius;

        loop_family(&q[i], &f);
        const struct yk_certify_problem problem = {.count = f.ports, .of = plain, .family = loop_give, .user = &f};

        assert_int_equal(yk_certify_changing(&problem, 1, &radius, NULL), YK_OK);
        assert_near_relative(radius, known[i], i ? 3e-6 : 3e-4);
        yk_family_free(&f);
    }
}

/* ---- is it true? ---- */

static void no_sample_inside_a_certificate_is_unstable(void **state)
{
    const struct loop_case q[] = {loop_a4(60), loop_a5()};
    uint64_t seed = 5;

    for (int i = 0; i < 2; i++) {
        struct yk_certificate c = certificate_of(&q[i], false);
        struct yk_family f;

        loop_family(&q[i], &f);
        const struct yk_certify_problem problem = {.count = f.ports, .of = plain, .family = loop_give, .user = &f};

        for (int s = 0; s < 500; s++) {
            double delta[LOOP_PORTS], radius;

            for (size_t k = 0; k < f.ports; k++)
                delta[k] = c.radius * yk_draw(&seed);
            assert_int_equal(yk_certify_spectral(&problem, delta, &radius, NULL), YK_OK);
            assert_true(radius < 1);
        }
        yk_family_free(&f);
        yk_certificate_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nominal_loops_have_the_known_spectral_radius),
        cmocka_unit_test(stiffness_and_delay_meet_the_root_of_the_polynomial),
        cmocka_unit_test(servo_with_four_parameters),
        cmocka_unit_test(two_chains_are_not_certified_for_their_intervals),
        cmocka_unit_test(the_radius_moves_with_the_pole_of_the_servo),
        cmocka_unit_test(a_delay_is_cut_at_ticks),
        cmocka_unit_test(scalings_find_closed_forms),
        cmocka_unit_test(more_than_twelve_parameters_are_certified_by_scalings),
        cmocka_unit_test(a_stiffness_that_changes_is_certified_for_less),
        cmocka_unit_test(no_sample_inside_a_certificate_is_unstable),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
