/* Compensators of several actuators together. Expected: docs/theory/delay.md, eq. (17i), (17j), evaluated apart, and
 * what the compensator of one actuator commands. */
#include "support/check.h"
#include "support/method.h"

#include <yoke/transfer.h>

#include <math.h>
#include <stdlib.h>

#define DT 0.004
#define PI 3.14159265358979323846

enum { STEPS = 600 };

struct joint {
    const struct yk_compensator_ops *ops;
    void *self;
    struct yk_arena mem;
};

static struct joint settings_of(const char *name)
{
    struct joint j = {.ops = yk_compensator_find(name)};

    assert_non_null(j.ops);
    assert_non_null(j.ops->joint);
    assert_ok(yk_param_settings(j.ops->params, j.ops->size, &j.self, &err));
    return j;
}

static void set(struct joint *j, const char *name, double value)
{
    assert_ok(yk_param_set(j->ops->params, j->self, name, value, &err));
}

static void start(struct joint *j, size_t n, const double *x0)
{
    assert_ok(j->ops->joint->init(j->self, n, DT, 1, &j->mem, &err));
    j->ops->joint->reset(j->self, x0);
}

static void commands_of(struct joint *j, size_t n, const double *x, double *commands)
{
    const double none[2] = {0};
    struct yk_target targets[2] = {{0}};

    for (size_t i = 0; i < n; i++)
        targets[i] = (struct yk_target){.x = x[i], .stages = 1};
    j->ops->joint->predict(j->self, targets, none, commands);
}

static void finish(struct joint *j)
{
    yk_param_free(j->ops->params, j->self);
    free(j->self);
    yk_arena_free(&j->mem);
}

static double motion(int k, int which)
{
    const double t = k * DT;

    return 5e-3 * sin(2 * PI * (1.3 + which) * t + which) + 2e-3 * sin(2 * PI * 5.1 * t) + 1e-3 * which;
}

/* ---- joint-inverse ---- */

/* y = N w, c_j = D_j w_j with backward differences: N_ij = n1 s + n0, D_j = d2 s^2 + d1 s + d0. */
static const double N[] = {0.002, 1, /* */ 0, -0.2, /* */ 0.001, 0.3, /* */ 0.004, 0.8};
static const double D[] = {1e-4, 0.02, 1, /* */ 3e-4, 0.03, 1.1};

/* The commands, sent through the plant, give the targets back; at rest there is no start-up. */
static void a_plant_by_backward_differences_follows_its_joint_inverse(void **state)
{
    const double x0[2] = {motion(0, 0), motion(0, 1)}, det = 1 * 0.8 + 0.2 * 0.3;
    /* w at rest, by Cramer's rule */
    const double w0[2] = {(0.8 * x0[0] + 0.2 * x0[1]) / det, (x0[1] - 0.3 * x0[0]) / det};
    double w[2][3] = {{w0[0], w0[0], w0[0]}, {w0[1], w0[1], w0[1]}}, c[2];
    struct joint j = settings_of("joint-inverse");

    set_reals(j.ops->params, j.self, "numerators", N, 8);
    set_reals(j.ops->params, j.self, "denominators", D, 6);
    start(&j, 2, x0);
    commands_of(&j, 2, x0, c);
    assert_near(c[0], w0[0], 1e-15);
    assert_near(c[1], 1.1 * w0[1], 1e-15);
    for (int k = 1; k < STEPS; k++) {
        const double x[2] = {motion(k, 0), motion(k, 1)};

        commands_of(&j, 2, x, c);
        for (int i = 0; i < 2; i++) {
            const double *d = D + 3 * i, a = d[0] / DT / DT, b = d[1] / DT;

            w[i][2] = w[i][1];
            w[i][1] = w[i][0];
            w[i][0] = (c[i] + (2 * a + b) * w[i][1] - a * w[i][2]) / (a + b + d[2]);
        }
        for (int i = 0; i < 2; i++) {
            double y = 0;

            for (int m = 0; m < 2; m++)
                y += N[4 * i + 2 * m] * (w[m][0] - w[m][1]) / DT + N[4 * i + 2 * m + 1] * w[m][0];
            assert_near(y, x[i], 1e-13);
        }
    }
    finish(&j);
}

/* ---- joint-feed-forward ---- */

/* c = A_0 x + A_1 x' + A_2 x'' with the derivatives of the cubic through the last four targets at the newest. */
static void matrices_multiply_the_derivatives_of_all_targets(void **state)
{
    static const double A[] = {1, 0.1, -0.2, 0.9, /* */ 0.02, 0.003, -0.001, 0.03, /* */ 1e-4, 0, 2e-5, 3e-4};
    const double x0[2] = {motion(0, 0), motion(0, 1)};
    double x[2][4] = {{x0[0], x0[0], x0[0], x0[0]}, {x0[1], x0[1], x0[1], x0[1]}}, c[2];
    struct joint j = settings_of("joint-feed-forward");

    set_reals(j.ops->params, j.self, "coefficients", A, 12);
    start(&j, 2, x0);
    for (int k = 1; k < STEPS; k++) {
        const double now[2] = {motion(k, 0), motion(k, 1)};
        double expected[2] = {0};

        commands_of(&j, 2, now, c);
        for (int m = 0; m < 2; m++) {
            double *p = x[m];

            p[3] = p[2];
            p[2] = p[1];
            p[1] = p[0];
            p[0] = now[m];
            const double v = (11 * p[0] - 18 * p[1] + 9 * p[2] - 2 * p[3]) / (6 * DT),
                         a = (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) / (DT * DT);
            for (int i = 0; i < 2; i++)
                expected[i] += A[2 * i + m] * p[0] + A[4 + 2 * i + m] * v + A[8 + 2 * i + m] * a;
        }
        assert_near(c[0], expected[0], 1e-13);
        assert_near(c[1], expected[1], 1e-13);
    }
    finish(&j);
}

/* Alone it is the feed-forward of one actuator, whose adaptation test_adaptation.c compares with its equations. */
static void alone_it_learns_as_the_feed_forward_of_one_actuator(void **state)
{
    static const double A[] = {1, 0.017, 1.4e-4, 8e-7};
    const struct yk_compensator_ops *ops = yk_compensator_find("feed-forward");
    const char *const names[] = {"adapt", "memory", "cutoff", "motion", "spread"};
    const double values[] = {1, 2, 15, 1e-3, 0.4}, zero = 0;
    struct joint j = settings_of("joint-feed-forward");
    struct yk_arena mem = {0};
    double moved = 0;
    void *one;

    assert_ok(yk_param_settings(ops->params, ops->size, &one, &err));
    set_reals(ops->params, one, "coefficients", A, 4);
    set_reals(j.ops->params, j.self, "coefficients", A, 4);
    for (int i = 0; i < 5; i++) {
        set(&j, names[i], values[i]);
        assert_ok(yk_param_set(ops->params, one, names[i], values[i], &err));
    }
    start(&j, 1, &zero);
    assert_ok(ops->init(one, DT, 1, &mem, &err));
    ops->reset(one, 0);
    for (int k = 0; k < STEPS; k++) {
        const double x = motion(k, 0), read = 0.93 * motion(k - 5, 0);
        const double expected = ops->predict(one, &(struct yk_target){.x = x, .stages = 1}, 0);
        double c;

        commands_of(&j, 1, &x, &c);
        assert_near(c, expected, 1e-12);
        moved = fmax(moved, fabs(c - x));
        j.ops->joint->learn(j.self, &read);
        ops->learn(one, read);
    }
    assert_true(moved > 1e-4);
    yk_param_free(ops->params, one);
    free(one);
    yk_arena_free(&mem);
    finish(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plant_by_backward_differences_follows_its_joint_inverse),
        cmocka_unit_test(matrices_multiply_the_derivatives_of_all_targets),
        cmocka_unit_test(alone_it_learns_as_the_feed_forward_of_one_actuator),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
