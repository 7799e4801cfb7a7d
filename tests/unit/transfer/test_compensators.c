/* Compensators against docs/theory/delay.md; expected numbers come from the formulas there, evaluated apart. */
#include "support/actuator.h"
#include "support/check.h"
#include "support/random.h"
#include "support/transfer.h"

#include "transfer/feedback.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#define DT 0.01

static const struct setting none[] = {{NULL, 0}};

/* Weights of a predictor of targets: what it commands when just one of the last ones was 1, the newest first. */
static void weights_of(const char *name, const struct setting *set, double dt, double delay, int count, int stride,
                       double *w)
{
    for (int j = 0; j < count; j++) {
        struct compensator c = compensator_open(name, set, dt, 1);

        for (int i = 12; i > j * stride; i--)
            compensator_predict(&c, 0, 0, 0, delay);
        w[j] = compensator_predict(&c, 0, 1, 0, delay);
        for (int i = 0; i < j * stride; i++)
            w[j] = compensator_predict(&c, 0, 0, 0, delay);
        compensator_close(&c);
    }
}

static double sum(int n, const double *w)
{
    double total = 0;

    for (int i = 0; i < n; i++)
        total += w[i];
    return total;
}

static void lagrange_weights_match_the_table(void **state)
{
    static const double one[4][5] = {{2, -1}, {3, -3, 1}, {4, -6, 4, -1}, {5, -10, 10, -5, 1}};
    static const double other[] = {7.561316, -14.156148, 10.288348, -2.693516};
    double w[5];

    for (int order = 1; order <= 4; order++) {
        weights_of("lagrange", (struct setting[]){{"order", order}, {NULL, 0}}, DT, DT, order + 1, 1, w);
        for (int j = 0; j <= order; j++)
            assert_near(w[j], one[order - 1][j], 1e-13);
    }
    weights_of("lagrange", none, DT, 1.66 * DT, 4, 1, w);
    for (int j = 0; j < 4; j++)
        assert_near(w[j], other[j], 1e-9);
    assert_near(sum(4, w), 1, 1e-13);
}

/* Closed form of the weights of order 3. */
static void cubic_weights(double eta, double *w)
{
    const double eta2 = eta * eta, eta3 = eta2 * eta;

    w[0] = 1 + 11.0 / 6 * eta + eta2 + eta3 / 6;
    w[1] = -(3 * eta + 2.5 * eta2 + 0.5 * eta3);
    w[2] = 1.5 * eta + 2 * eta2 + 0.5 * eta3;
    w[3] = -(eta / 3 + eta2 / 2 + eta3 / 6);
}

static void lagrange_with_double_spacing_skips_every_second_target(void **state)
{
    static const double expected[] = {8.76828, -17.02947, 12.59007, -3.32889};
    double w[4], cubic[4];

    weights_of("lagrange", (struct setting[]){{"spacing", 1}, {NULL, 0}}, 4.902e-3, 18e-3, 4, 2, w);
    cubic_weights(18 / (2 * 4.902), cubic); /* eta = 1.8360 */
    for (int j = 0; j < 4; j++) {
        assert_near(w[j], expected[j], 5e-6);
        assert_near(w[j], cubic[j], 1e-12);
    }
    assert_near(sum(4, w), 1, 1e-13);
}

static void lagrange_weights_sum_to_one_for_any_delay(void **state)
{
    double w[5], cubic[4];

    for (int order = 1; order <= 4; order++)
        for (double delay = 0; delay < 5 * DT; delay += 0.37 * DT) {
            weights_of("lagrange", (struct setting[]){{"order", order}, {NULL, 0}}, DT, delay, order + 1, 1, w);
            assert_near(sum(order + 1, w), 1, 1e-11);
            cubic_weights(delay / DT, cubic);
            for (int j = 0; j < 4 && order == 3; j++)
                assert_near(w[j], cubic[j], 1e-12 * fabs(w[j]) + 1e-15);
        }
}

/* Weights of the Hermite forms: on x1, x0, D v1, D v0. */
static void hermite_weights(int order, double eta, double *w)
{
    for (int k = 0; k < 4; k++) {
        struct compensator c = compensator_open("velocity", (struct setting[]){{"order", order}, {NULL, 0}}, DT, 1);

        compensator_predict(&c, 0, k == 1, (k == 3) / DT, eta * DT);
        w[k] = compensator_predict(&c, 0, k == 0, (k == 2) / DT, eta * DT);
        compensator_close(&c);
    }
}

static void velocity_weights_match_the_table(void **state)
{
    static const struct {
        int order;
        double eta, w[4];
    } rows[] = {
        {2, 1, {0, 1, 2, 0}},
        {3, 1, {-4, 5, 4, 2}},
        {2, 1.66, {-1.7556, 2.7556, 4.4156, 0}},
        {3, 1.66, {-16.415392, 17.415392, 11.745496, 7.329896}},
    };
    double w[4];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hermite_weights(rows[i].order, rows[i].eta, w);
        for (int k = 0; k < 4; k++)
            assert_near(w[k], rows[i].w[k], 1e-9);
        assert_near(w[0] + w[1], 1, 1e-13);
    }
}

/* Order 3 by its weights, from x0, v0 a time D before the target. */
static double hermite(double x, double v, double x0, double v0, double D, double delay)
{
    double w[4];

    hermite_weights(3, delay / D, w);
    return w[0] * x + w[1] * x0 + D * (w[2] * v + w[3] * v0);
}

/* Two targets a step: x1 and x2, after y1 and y2. */
static void velocity_pairs_targets_by_its_data(void **state)
{
    const double y1 = 0.3, y2 = -0.2, x1 = 0.7, x2 = 1.1, v = 4, delay = 0.8 * DT; /* all with one velocity */
    const struct {
        double data, middle, end;
    } rows[] = {
        {1, hermite(x1, v, y2, v, DT / 2, delay), hermite(x2, v, x1, v, DT / 2, delay)},
        {2, hermite(x1, v, y1, v, DT, delay), hermite(x2, v, y2, v, DT, delay)},
        {3, hermite(x1, v, y2, v, DT / 2, delay), hermite(x2, v, y2, v, DT, delay)},
        {0, hermite(x1, v, y1, v, DT, delay), hermite(x2, v, y2, v, DT, delay)}, /* auto is full for order 3 */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct setting set[] = {{"order", 3}, {"data", rows[i].data}, {NULL, 0}};
        struct compensator c = compensator_open("velocity", set, DT, 2);

        compensator_predict(&c, 0, y1, v, delay);
        compensator_predict(&c, 1, y2, v, delay);
        assert_near(compensator_predict(&c, 0, x1, v, delay), rows[i].middle, 1e-12);
        assert_near(compensator_predict(&c, 1, x2, v, delay), rows[i].end, 1e-12);
        compensator_close(&c);
    }
}

/* Weights on x, D v, D^2 a, D^2 a of the step before. */
static void kinematic_weights(const char *name, double eta, double *w)
{
    for (int k = 0; k < 4; k++) {
        struct compensator c = compensator_open(name, none, DT, 1);

        compensator_reached(&c, 0, 0, 0, (k == 3) / (DT * DT));
        compensator_reached(&c, 0, k == 0, (k == 1) / DT, (k == 2) / (DT * DT));
        w[k] = compensator_predict(&c, 0, 0, 0, eta * DT);
        compensator_close(&c);
    }
}

static void kinematic_weights_match_the_table(void **state)
{
    static const struct {
        const char *name;
        double eta, w[4];
    } rows[] = {
        {"explicit-newmark", 1, {1, 2, 2, 0}},
        {"linear-acceleration", 1, {1, 2, 10.0 / 3, -4.0 / 3}},
        {"explicit-newmark", 1.66, {1, 2.66, 3.5378, 0}},
        {"linear-acceleration", 1.66, {1, 2.66, 6.6746493333, -3.1368493333}},
    };
    double w[4];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kinematic_weights(rows[i].name, rows[i].eta, w);
        for (int k = 0; k < 4; k++)
            assert_near(w[k], rows[i].w[k], 1e-10);
    }
}

static void linear_acceleration_starts_with_equal_accelerations(void **state)
{
    struct compensator c = compensator_open("linear-acceleration", none, DT, 1);

    compensator_reached(&c, 0, 1, 2, 3);
    assert_near(compensator_predict(&c, 0, 0, 0, DT), 1 + 2 * DT * 2 + 0.5 * 4 * DT * DT * 3, 1e-14);
    compensator_close(&c);
}

/* Highest order of the polynomials whose value after the delay is predicted exactly; -1: the method knows only the
 * present position. */
static const struct exact {
    const char *name;
    struct setting set[3];
    int order;
} exact[] = {
    {"none", {{NULL, 0}}, -1},
    {"lagrange", {{"order", 1}}, 1},
    {"lagrange", {{"order", 2}}, 2},
    {"lagrange", {{"order", 3}}, 3},
    {"lagrange", {{"order", 4}}, 4},
    {"lagrange", {{"order", 4}, {"spacing", 1}}, 4},
    {"lagrange", {{"order", 3}, {"data", 1}}, 3},
    {"explicit-newmark", {{"data", 0}}, 2},
    {"explicit-newmark", {{"data", 1}}, 2},
    {"linear-acceleration", {{"data", 0}}, 3},
    {"linear-acceleration", {{"data", 1}}, 3},
    {"velocity", {{"order", 2}, {"data", 1}}, 2},
    {"velocity", {{"order", 2}, {"data", 2}}, 2},
    {"velocity", {{"order", 3}, {"data", 1}}, 3},
    {"velocity", {{"order", 3}, {"data", 2}}, 3},
    {"velocity", {{"order", 2}, {"data", 3}}, 2},
    {"velocity", {{"order", 3}, {"data", 3}}, 3},
    {"inverse", {{NULL, 0}}, 1},
    {"inverse", {{"data", 1}}, 1},
    {"model-inverse", {{NULL, 0}}, 1}, /* beyond, it follows its lag: see the test below */
    {"ats", {{NULL, 0}}, 2},
    {"amb", {{NULL, 0}}, 2},
    {"cats", {{NULL, 0}}, 2},
    {"lagrange", {{"order", 2}, {"apart", 2 * DT}}, 2},
    {"model-inverse", {{"apart", 2 * DT}}, 1},
    {"feed-forward", {{"order", 3}}, 3}, /* of a pure delay */
    {"feed-forward", {{"order", 4}, {"apart", 2 * DT}}, 3},
    {"fir", {{NULL, 0}}, 1},
    {"phase-lead", {{"a", 3}, {"b", 2 / DT}}, -1}, /* it has its own lead, whatever the delay */
};

static double power(double t, int degree)
{
    return degree ? pow(t, degree) : 1;
}

/* t^degree with its derivatives */
static void monomial(double t, int degree, double *x, double *v, double *a)
{
    *x = power(t, degree);
    *v = degree > 0 ? degree * power(t, degree - 1) : 0;
    *a = degree > 1 ? degree * (degree - 1) * power(t, degree - 2) : 0;
}

/* Targets and states of t^degree */
static void drive_along(struct compensator *c, int degree, double delay)
{
    double x, v, a;

    monomial(-10 * DT, degree, &x, &v, &a);
    compensator_reached(c, c->stages - 1, x, v, a);
    for (int i = 0; i < 24; i++)
        for (int stage = 0; stage < c->stages; stage++) {
            const double t = (i - 10 + (stage + 1.0) / c->stages) * DT;

            monomial(t, degree, &x, &v, &a);
            const double command = compensator_predict(c, stage, x, v, delay);
            if (i > 10)
                assert_near(command, power(t + delay, degree), 1e-9 * power(20 * DT, degree));
            compensator_reached(c, stage, x, v, a);
        }
}

static void prediction_is_exact_for_polynomials_up_to_the_order(void **state)
{
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++)
        for (int stages = 1; stages <= 2; stages++)
            for (int degree = 0; degree <= exact[k].order; degree++) {
                struct compensator c = compensator_open(exact[k].name, exact[k].set, DT, stages);

                drive_along(&c, degree, 2.3 * DT);
                compensator_close(&c);
            }
}

static void every_compensator_is_found_by_its_name(void **state)
{
    for (const struct yk_compensator_ops *const *ops = yk_compensators; *ops; ops++) {
        assert_true((*ops)->summary && (*ops)->reference && (*ops)->params);
        assert_ptr_equal(yk_compensator_find((*ops)->name), *ops);

        bool listed = (*ops)->joint != NULL; /* test_joint_compensators.c */
        for (size_t k = 0; k < sizeof exact / sizeof *exact; k++)
            listed |= strcmp(exact[k].name, (*ops)->name) == 0;
        assert_sampled(listed, (*ops)->name);
    }
    assert_null(yk_compensator_find("nothing"));
}

static void start_from_rest_returns_the_initial_value(void **state)
{
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++)
        for (int stages = 1; stages <= 2; stages++) {
            struct compensator c = compensator_open(exact[k].name, exact[k].set, DT, stages);

            c.ops->reset(c.self, 0.0123);
            for (int i = 0; i < 20; i++) {
                assert_near(compensator_predict(&c, i % stages, 0.0123, 0, 2 * DT), 0.0123, 1e-15);
                compensator_learn(&c, 0.0123);
            }
            compensator_close(&c);
        }
}

/* Whatever is measured, and whatever the delay does, the command stays within a multiple of the targets. */
static void bounded_targets_make_bounded_commands(void **state)
{
    uint64_t seed = 7;

    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
        struct compensator c = compensator_open(exact[k].name, exact[k].set, DT, 2);

        for (int i = 0; i < 3000; i++) {
            const double delay = i % 97 == 0 ? NAN : 2 * DT * (1 + random_value(&seed));
            const double wild = i % 7 == 0 ? NAN : i % 5 == 0 ? 1e3 * random_value(&seed) : random_value(&seed);

            compensator_reached(&c, i % 2, random_value(&seed), random_value(&seed) / DT,
                                random_value(&seed) / (DT * DT));
            const double command = compensator_predict(&c, i % 2, random_value(&seed), random_value(&seed) / DT, delay);
            assert_true(fabs(command) < 5e3); /* the largest sum of weights, at four steps of delay, is below */
            compensator_learn(&c, wild);
        }
        compensator_close(&c);
    }
}

/* A delay that comes back gives the weights it had. */
static void weights_follow_the_delay(void **state)
{
    struct compensator c = compensator_open("lagrange", none, DT, 1);
    double command = 0;

    for (int i = 0; i < 12; i++)
        command = compensator_predict(&c, 0, i * DT, 1, i % 3 * DT);
    assert_near(command, 11 * DT + 2 * DT, 1e-14);
    compensator_close(&c);
}

/* Same-kind data of a method with two stages do not mix: one stage may be off by anything. */
static void stages_are_kept_apart(void **state)
{
    static const char *const names[] = {"lagrange", "inverse", "model-inverse", "ats", "amb"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct compensator both = compensator_open(names[k], none, DT, 2),
                           end = compensator_open(names[k], none, DT, 1);

        for (int i = 0; i < 30; i++) {
            const double x = sin(0.3 * i);

            compensator_predict(&both, 0, 100 + 7 * i * i, 0, DT);
            assert_near(compensator_predict(&both, 1, x, 0, DT), compensator_predict(&end, 0, x, 0, DT), 1e-12);
        }
        compensator_close(&both);
        compensator_close(&end);
    }
}

static void inverse_is_the_straight_line_through_two_targets(void **state)
{
    double line[2], lead[2];

    weights_of("lagrange", (struct setting[]){{"order", 1}, {NULL, 0}}, DT, 1.3 * DT, 2, 1, line);
    weights_of("inverse", none, DT, 1.3 * DT, 2, 1, lead);
    assert_near(lead[0], line[0], 1e-14);
    assert_near(lead[1], line[1], 1e-14);
}

/* The actuator that the model describes turns the command into the target: on t^2, u = x(t + theta) + b1 x' + b2 x''.
 */
static void model_inverse_undoes_its_model(void **state)
{
    const double omega = 2 * 3.14159265358979323846 * 10, b1 = 1.4 / omega, b2 = 1 / (omega * omega), theta = 0.6 * DT;
    const struct setting set[] = {{"frequency", 10}, {"damping", 0.7}, {NULL, 0}};
    struct compensator c = compensator_open("model-inverse", set, DT, 1);

    for (int i = 0; i < 20; i++) {
        const double t = i * DT, command = compensator_predict(&c, 0, t * t, 0, theta + b1), then = t + theta;

        if (i > 4)
            assert_near(command, then * then + 2 * b1 * then + 2 * b2, 1e-13);
    }
    compensator_close(&c);
}

static void model_inverse_of_first_order_undoes_its_model(void **state)
{
    const struct setting set[] = {{"model", 0}, {"time_constant", 0.02}, {NULL, 0}};
    struct compensator c = compensator_open("model-inverse", set, DT, 1);

    for (int i = 0; i < 20; i++) {
        const double t = i * DT, command = compensator_predict(&c, 0, t * t, 0, 0.02);

        if (i > 4)
            assert_near(command, t * t + 2 * 0.02 * t, 1e-13);
    }
    compensator_close(&c);
}

/* On a sine it is (a s + b)/(s + b) with s = (2/dt) i tan(w dt/2), Tustin's image of i w. */
static void phase_lead_is_tustins_image_of_its_transfer_function(void **state)
{
    const double a = 9, b = 120, w = 31;
    const double complex s = 2 / DT * I * tan(w * DT / 2), H = (a * s + b) / (s + b);
    struct compensator c = compensator_open("phase-lead", (struct setting[]){{"a", a}, {"b", b}, {NULL, 0}}, DT, 1);

    for (int k = 0; k < 1000; k++) {
        const double complex z = cexp(I * w * k * DT);
        const double got = compensator_predict(&c, 0, creal(z), 0, 0);

        if (k > 100) /* the pole is at (q - b)/(q + b) = 0.25 */
            assert_near(got, creal(H * z), 1e-12);
    }
    compensator_close(&c);
}

static void settings_that_make_no_sense_are_refused(void **state)
{
    const struct yk_compensator_ops *ops = yk_compensator_find("model-inverse");
    double settings[512] = {0}; /* of doubles: aligned */

    assert_true(ops->size <= sizeof settings);
    yk_param_defaults(ops->params, settings);
    assert_ok(yk_param_set(ops->params, settings, "order", 1, &err));
    assert_refused_in_arena(ops->init(settings, DT, 1, &mem, &err), YK_E_INPUT, "curvature");
    for (const struct yk_compensator_ops *const *each = yk_compensators; *each; each++) {
        if (strcmp((*each)->name, "none") == 0 || (*each)->joint)
            continue;
        assert_true((*each)->size <= sizeof settings);
        memset(settings, 0, sizeof settings);
        yk_param_defaults((*each)->params, settings);
        assert_refused_in_arena((*each)->init(settings, NAN, 1, &mem, &err), YK_E_RANGE, "step = nan s");
    }
    ops = yk_compensator_find("lagrange");
    yk_param_defaults(ops->params, settings);
    assert_refused_in_arena(ops->init(settings, DT, 5, &mem, &err), YK_E_RANGE, "targets in a step");
}

/* An actuator that the terms describe exactly, m = A x_c delayed; both adaptive ones find its inverse from wrong
 * starts. */
static double tracking_error(const char *name, const struct setting *set, double gain, double start)
{
    struct compensator c = compensator_open(name, set, DT, 1);
    double command[3] = {0}, worst = 0;

    for (int i = 0; i < 6000; i++) {
        const double t = i * DT, x = 0.01 * (sin(6 * t) + 0.7 * sin(15 * t + 1));

        for (int k = 2; k > 0; k--)
            command[k] = command[k - 1];
        command[0] = compensator_predict(&c, 0, x, 0, start);
        const double measured = gain * (0.5 * command[1] + 0.5 * command[2]); /* 1.5 steps late */
        compensator_learn(&c, measured);
        if (i > 5000)
            worst = fmax(worst, fabs(measured - x));
    }
    compensator_close(&c);
    return worst / 0.017;
}

static void adaptive_compensators_find_gain_and_delay(void **state)
{
    const double fixed = tracking_error("lagrange", (struct setting[]){{"order", 2}, {NULL, 0}}, 0.9, 0.8 * DT);
    const double ats = tracking_error("ats", none, 0.9, 0.8 * DT), amb = tracking_error("amb", none, 0.9, 0.8 * DT);

    assert_true(fixed > 0.1);
    assert_true(ats < 0.01);
    assert_true(amb < 0.02);
}

static void overcompensated_delays_follow_their_rule(void **state)
{
    assert_near(yk_overcompensated_delay(YK_OVER_BOUND, 0.010, 0.018, DT), 0.018, 1e-16);
    assert_near(yk_overcompensated_delay(YK_OVER_BOUND, 0.020, 0.018, DT), 0.020, 1e-16);
    assert_near(yk_overcompensated_delay(YK_OVER_FACTOR, 0.010, 1.5, DT), 0.015, 1e-16);
    assert_near(yk_overcompensated_delay(YK_OVER_FACTOR, 0.010, 0.5, DT), 0.010, 1e-16);
    assert_near(yk_overcompensated_delay(YK_OVER_STEPS, 0.0166, 0.5, DT), 0.0216, 1e-16);
}

/* Each rule takes its own setting; other kinds of feedback leave the delay alone. */
static void a_feedback_raises_the_delay_by_its_rule(void **state)
{
    struct yk_feedback f = {.set = {.source = YK_FORCE_OPTIMAL, .bound = 0.018, .factor = 1.6, .steps = 0.25}};
    static const double raised[] = {[YK_OVER_BOUND] = 0.018, [YK_OVER_FACTOR] = 0.016, [YK_OVER_STEPS] = 0.0125};

    for (int rule = YK_OVER_BOUND; rule <= YK_OVER_STEPS; rule++) {
        f.set.source = YK_FORCE_OPTIMAL;
        f.set.over = rule;
        assert_near(yk_feedback_delay(&f, 0.010, 0.010), raised[rule], 1e-16);
        f.set.source = YK_FORCE_LATEST;
        assert_near(yk_feedback_delay(&f, 0.010, 0.010), 0.010, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagrange_weights_match_the_table),
        cmocka_unit_test(lagrange_with_double_spacing_skips_every_second_target),
        cmocka_unit_test(lagrange_weights_sum_to_one_for_any_delay),
        cmocka_unit_test(velocity_weights_match_the_table),
        cmocka_unit_test(velocity_pairs_targets_by_its_data),
        cmocka_unit_test(kinematic_weights_match_the_table),
        cmocka_unit_test(linear_acceleration_starts_with_equal_accelerations),
        cmocka_unit_test(prediction_is_exact_for_polynomials_up_to_the_order),
        cmocka_unit_test(every_compensator_is_found_by_its_name),
        cmocka_unit_test(start_from_rest_returns_the_initial_value),
        cmocka_unit_test(bounded_targets_make_bounded_commands),
        cmocka_unit_test(weights_follow_the_delay),
        cmocka_unit_test(stages_are_kept_apart),
        cmocka_unit_test(inverse_is_the_straight_line_through_two_targets),
        cmocka_unit_test(model_inverse_undoes_its_model),
        cmocka_unit_test(model_inverse_of_first_order_undoes_its_model),
        cmocka_unit_test(phase_lead_is_tustins_image_of_its_transfer_function),
        cmocka_unit_test(settings_that_make_no_sense_are_refused),
        cmocka_unit_test(adaptive_compensators_find_gain_and_delay),
        cmocka_unit_test(overcompensated_delays_follow_their_rule),
        cmocka_unit_test(a_feedback_raises_the_delay_by_its_rule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
