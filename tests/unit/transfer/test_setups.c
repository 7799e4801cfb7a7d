/* Set-up kinematics: what holds for every kind, then each kind against its geometry, written out anew, and what is
 * refused. The lengths are those of the rig with two rotating masses: lever 400 mm, radius 990 mm. */
#include "support/check.h"
#include "support/method.h"
#include "support/random.h"
#include "support/trap.h"

#include "transfer/setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };
static const double degree = 3.14159265358979323846 / 180;

static const char *const dof_names[] = {"h1", "theta1", "h2", "theta2"};
static const char *const actuator_names[] = {"a1", "a2", "a3", "a4", "a5"};

struct sample {
    const char *kind;
    struct setting set[5];
    size_t dofs, actuators;
    const double *rows;
    double reach[4]; /* of the degrees of freedom in the tests */
};

static const double three_on_two[] = {1, 1, 1, /* */ 0.2, -0.2, 0.5};
static const double held_at[] = {0.27, -0.13, 0.25, 0.4}; /* m: along and across, of the actuators of a coupler */

/* At least one line per kind. */
static const struct sample samples[] = {
    {"matrix", {{NULL, 0}}, 3, 3, NULL, {0.1, 0.3, 0.1}},
    {"matrix", {{NULL, 0}}, 2, 3, three_on_two, {0.1, 0.3}},
    {"pair", {{"lever", 0.4}}, 2, 2, NULL, {0.1, 0.3}},
    {"pair", {{"lever", 0.4}, {"geometry", 1}, {"radius", 0.99}}, 2, 2, NULL, {0.12, 0.3}},
    {"pair",
     {{"lever", 0.4}, {"geometry", 1}, {"radius", 0.99}, {"offset", 0.155}},
     4,
     4,
     NULL,
     {0.12, 0.3, 0.12, 0.3}},
    {"coupler", {{NULL, 0}}, 2, 2, NULL, {0.1, 0.3}},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static enum yk_status try_setup(struct yk_setup **s, const struct sample *sample, const double *per_unit,
                                const struct yk_setup_sign *signs, size_t count, struct yk_err *err)
{
    const struct yk_setup_ops *ops = yk_setup_find(sample->kind);
    struct yk_setup_parts parts = {
        .ops = ops,
        .self = calloc(1, ops->size),
        .plan = {sample->dofs, sample->actuators, dof_names, actuator_names, sample->rows},
        .per_unit = per_unit,
        .signs = signs,
        .sign_count = count,
    };

    assert_non_null(parts.self);
    yk_param_defaults(ops->params, parts.self);
    for (const struct setting *set = sample->set; set->name; set++)
        if (yk_param_set(ops->params, parts.self, set->name, set->value, err)) {
            free(parts.self);
            return err->status;
        }
    if (strcmp(sample->kind, "coupler") == 0)
        set_reals(ops->params, parts.self, "ends", held_at, sizeof held_at / sizeof *held_at);
    return yk_setup_create(s, &parts, NULL, err);
}

static struct yk_setup *make(const struct sample *sample)
{
    struct yk_setup *s = NULL;

    assert_ok(try_setup(&s, sample, NULL, NULL, 0, &err));
    assert_int_equal(yk_setup_dofs(s), sample->dofs);
    assert_int_equal(yk_setup_actuators(s), sample->actuators);
    return s;
}

static void draw(uint64_t *seed, const struct sample *sample, double *u)
{
    for (size_t j = 0; j < sample->dofs; j++)
        u[j] = sample->reach[j] * random_value(seed);
}

/* ---- every kind ---- */

static void every_kind_is_found_by_its_name(void **state)
{
    for (const struct yk_setup_ops *const *ops = yk_setups; *ops; ops++) {
        assert_ptr_equal(yk_setup_find((*ops)->name), *ops);
        assert_non_null((*ops)->summary);
        assert_non_null((*ops)->reference);
    }
    for (const struct yk_setup_ops *const *ops = yk_setups; *ops; ops++) {
        int lines = 0;

        for (int i = 0; i < SAMPLES; i++)
            lines += yk_setup_find(samples[i].kind) == *ops;
        assert_sampled(lines > 0, (*ops)->name);
    }
    assert_null(yk_setup_find("no-such-setup"));
}

/* Targets, then the motion they tell, from a start a hand's breadth away. */
static void motion_comes_back_from_its_targets(void **state)
{
    uint64_t seed = 3;

    for (int i = 0; i < SAMPLES; i++) {
        struct yk_setup *s = make(&samples[i]);

        for (int trial = 0; trial < 50; trial++) {
            double u[MOST], v[MOST], a[MOST], y[MOST], y_v[MOST], y_a[MOST], u2[MOST] = {0}, v2[MOST], a2[MOST];

            draw(&seed, &samples[i], u);
            draw(&seed, &samples[i], v);
            draw(&seed, &samples[i], a);
            yk_setup_targets(s, u, v, a, y, y_v, y_a);
            assert_int_equal(yk_setup_motion(s, y, y_v, y_a, u2, v2, a2), YK_OK);
            for (size_t j = 0; j < samples[i].dofs; j++) {
                assert_near(u2[j], u[j], 1e-13);
                assert_near(v2[j], v[j], 1e-12);
                assert_near(a2[j], a[j], 1e-12);
            }
        }
        yk_setup_destroy(s);
    }
}

/* f . s' = r . u': the power at the actuators is that at the specimen. */
static void power_is_the_same_on_both_sides(void **state)
{
    uint64_t seed = 5;

    for (int i = 0; i < SAMPLES; i++) {
        struct yk_setup *s = make(&samples[i]);

        for (int trial = 0; trial < 20; trial++) {
            double u[MOST], v[MOST], z[MOST], r[MOST], y[MOST], y_v[MOST], y_a[MOST], actuators = 0, specimen = 0;
            const double none[MOST] = {0};

            draw(&seed, &samples[i], u);
            draw(&seed, &samples[i], v);
            yk_setup_targets(s, u, v, none, y, y_v, y_a);
            for (size_t k = 0; k < samples[i].actuators; k++) {
                z[k] = random_value(&seed);
                actuators += z[k] * y_v[k];
            }
            yk_setup_forces(s, u, z, r);
            for (size_t j = 0; j < samples[i].dofs; j++)
                specimen += r[j] * v[j];
            assert_near(specimen, actuators, 1e-12 * (1 + fabs(actuators)));

            /* and the other way round: readings whose forces are r */
            double back[MOST];
            yk_setup_readings(s, u, r, z);
            yk_setup_forces(s, u, z, back);
            for (size_t j = 0; j < samples[i].dofs; j++)
                assert_near(back[j], r[j], 1e-11 * (1 + fabs(r[j])));
        }
        yk_setup_destroy(s);
    }
}

/* Along u = reach sin(...): velocities and accelerations against central differences of the targets. Their error is
 * h^2/6 of the third and h^2/12 of the fourth derivative, and rounding over h and h^2. */
static void velocities_and_accelerations_are_derivatives(void **state)
{
    const double h = 1e-4;

    for (int i = 0; i < SAMPLES; i++) {
        struct yk_setup *s = make(&samples[i]);
        double y[3][MOST], y_v[3][MOST], y_a[3][MOST];

        for (double t = 0.1; t < 3; t += 0.37) {
            for (int k = 0; k < 3; k++) {
                double u[MOST], v[MOST], a[MOST];

                for (size_t j = 0; j < samples[i].dofs; j++) {
                    const double w = 1 + 0.3 * (double)j, at = w * (t + (k - 1) * h);

                    u[j] = samples[i].reach[j] * sin(at);
                    v[j] = samples[i].reach[j] * w * cos(at);
                    a[j] = -samples[i].reach[j] * w * w * sin(at);
                }
                yk_setup_targets(s, u, v, a, y[k], y_v[k], y_a[k]);
            }
            for (size_t k = 0; k < samples[i].actuators; k++) {
                assert_near(y_v[1][k], (y[2][k] - y[0][k]) / (2 * h), 2e-8);
                assert_near(y_a[1][k], (y[2][k] - 2 * y[1][k] + y[0][k]) / (h * h), 2e-7);
            }
        }
        yk_setup_destroy(s);
    }
}

static void the_loop_uses_no_heap(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct yk_setup *s = make(&samples[i]);
        double u[MOST] = {0.01, 0.02, 0.01, 0.02}, v[MOST] = {1, 2, 3, 4}, a[MOST] = {0};
        double y[MOST], y_v[MOST], y_a[MOST], z[MOST], r[MOST] = {1, 2, 3, 4};
        struct trap_counts counts;
        enum yk_status st;

        trap_begin();
        yk_setup_targets(s, u, v, a, y, y_v, y_a);
        st = yk_setup_motion(s, y, y_v, y_a, u, v, a);
        yk_setup_readings(s, u, r, z);
        yk_setup_forces(s, u, z, r);
        trap_end(&counts);
        assert_int_equal(st, YK_OK);
        assert_int_equal(counts.heap_calls, 0);
        yk_setup_destroy(s);
    }
}

/* ---- matrix ---- */

/* Least squares by the normal equations of a line through three points, and the transposed rows. */
static void more_actuators_than_degrees_of_freedom_are_averaged(void **state)
{
    struct yk_setup *s = make(&samples[1]);
    const double y[] = {0.010, 0.004, 0.019}, z[] = {100, 50, -20}, arm[] = {0.2, -0.2, 0.5};
    double u[2] = {0}, r[2], Sx = 0, Sxx = 0, Sy = 0, Sxy = 0;

    for (int i = 0; i < 3; i++) {
        Sx += arm[i];
        Sxx += arm[i] * arm[i];
        Sy += y[i];
        Sxy += arm[i] * y[i];
    }
    assert_int_equal(yk_setup_motion(s, y, NULL, NULL, u, NULL, NULL), YK_OK);
    assert_near(u[1], (3 * Sxy - Sx * Sy) / (3 * Sxx - Sx * Sx), 1e-15);
    assert_near(u[0], (Sy - u[1] * Sx) / 3, 1e-15);
    yk_setup_forces(s, u, z, r);
    assert_near(r[0], 130, 1e-12);
    assert_near(r[1], 20 - 10 - 10, 1e-12);
    yk_setup_destroy(s);
}

/* ---- pair ---- */

/* "translation of a mass = mean of its actuator pair, rotation = difference / lever distance" */
static void a_pair_is_mean_and_difference(void **state)
{
    struct yk_setup *s = make(&samples[2]);
    const double y[] = {0.07, -0.01}, z[] = {900, 100};
    double u[2] = {0}, r[2];

    assert_int_equal(yk_setup_motion(s, y, NULL, NULL, u, NULL, NULL), YK_OK);
    assert_near(u[0], 0.03, 1e-16);
    assert_near(u[1], 0.08 / 0.4, 1e-15);
    yk_setup_forces(s, u, z, r);
    assert_near(r[0], 1000, 1e-12);
    assert_near(r[1], 0.2 * 800, 1e-12);
    yk_setup_destroy(s);
}

/* The strokes of turned actuators as distances between points: pivots at (-A, +-(e + w)), ends of the lever at
 * (h +- e sin, +-e cos). At 17.4 degrees (125 mm on a lever arm of 400 mm). */
static void exact_strokes_are_distances(void **state)
{
    struct yk_setup *s = make(&samples[4]);
    const double u[4] = {0.02, 17.4 * degree, -0.05, -10 * degree}, none[4] = {0}, e = 0.2, w = 0.155,
                 A = sqrt(0.99 * 0.99 - w * w);
    double y[4], y_v[4], y_a[4];

    yk_setup_targets(s, u, none, none, y, y_v, y_a);
    for (int i = 0; i < 4; i++) {
        const double h = u[i / 2 * 2], theta = u[i / 2 * 2 + 1], side = i % 2 ? -1 : 1;
        const double x = h + side * e * sin(theta), across = side * e * cos(theta);

        assert_near(y[i], hypot(x + A, side * (e + w) - across) - 0.99, 1e-15);
    }
    yk_setup_destroy(s);
}

/* Pivots 155 mm further out stand 9 degrees aslant: forces along the guide are 0.988 of those in the actuators. */
static void slanted_actuators_lose_force(void **state)
{
    struct sample slanted = samples[3];
    const double u[2] = {0}, z[2] = {500, 500};
    double r[2];

    slanted.set[3] = (struct setting){"offset", 0.99 * sin(9 * degree)};
    struct yk_setup *s = make(&slanted);
    yk_setup_forces(s, u, z, r);
    assert_near(r[0] / 1000, 0.98769, 1e-5);
    assert_near(100 * (1 - r[0] / 1000), 1.2, 0.05); /* per cent */
    assert_near(1e3 * slanted.set[3].value, 155, 0.2);
    assert_near(r[1], 0, 1e-12);
    yk_setup_destroy(s);
}

/* The error of parallel forces and small rotations at the largest rotation of the rig, 17.4 degrees: the moment is that
 * of a lever of e cos, the difference of the strokes gives e sin; the tilt of the actuators adds little. */
static void the_linear_set_up_is_wrong_by_the_sine(void **state)
{
    struct yk_setup *exact = make(&samples[3]), *linear = make(&samples[2]);
    const double theta = 17.4 * degree, u[2] = {0, theta}, z[2] = {1000, -1000}, none[2] = {0};
    double r[2], parallel[2], y[2], rest[2], seen[2] = {0};

    yk_setup_forces(exact, u, z, r);
    yk_setup_forces(linear, u, z, parallel);
    assert_near(r[1] / parallel[1], cos(theta), 1e-3);
    yk_setup_targets(exact, u, none, none, y, rest, rest);
    assert_int_equal(yk_setup_motion(linear, y, NULL, NULL, seen, NULL, NULL), YK_OK);
    assert_near(seen[1], sin(theta), 1e-3);
    assert_near(seen[0], 0, 1e-4);
    yk_setup_destroy(exact);
    yk_setup_destroy(linear);
}

/* Small motion: the linear pair is the derivative of the exact one; the difference shrinks with the square. */
static void small_motion_is_linear(void **state)
{
    struct yk_setup *exact = make(&samples[3]), *linear = make(&samples[2]);
    double worst[2];

    for (int k = 0; k < 2; k++) {
        const double u[2] = {0.02 / (1 + 9 * k), 0.1 / (1 + 9 * k)}, none[2] = {0};
        double y[2], y2[2], rest[2];

        yk_setup_targets(exact, u, none, none, y, rest, rest);
        yk_setup_targets(linear, u, none, none, y2, rest, rest);
        worst[k] = fmax(fabs(y[0] - y2[0]), fabs(y[1] - y2[1]));
    }
    assert_true(worst[0] < 1e-4);
    assert_true(worst[1] < worst[0] / 99);
    yk_setup_destroy(exact);
    yk_setup_destroy(linear);
}

/* Strokes that no position has: the pair is asked to be 1.2 m apart on a lever of 0.4 m. The position stays. */
static void impossible_strokes_are_told(void **state)
{
    struct yk_setup *s = make(&samples[3]);
    const double y[2] = {0.6, -0.6}, nan[2] = {NAN, 0};
    double u[2] = {0.01, 0.02};

    assert_int_equal(yk_setup_motion(s, y, NULL, NULL, u, NULL, NULL), YK_E_DIVERGED);
    assert_int_equal(yk_setup_motion(s, nan, NULL, NULL, u, NULL, NULL), YK_E_DIVERGED);
    assert_near(u[0], 0.01, 0);
    assert_near(u[1], 0.02, 0);
    yk_setup_destroy(s);
}

/* ---- checks ---- */

static void bad_setups_are_refused(void **state)
{
    static const double same[] = {1, 2, /* */ 0.2, 0.4}, empty_row[] = {1, 0, 1, /* */ 0, 0, 1},
                        not_finite[] = {1, NAN, 1, 1}, no_motion[] = {1, 1, /* */ 0, 0};
    static const struct {
        struct sample sample;
        enum yk_status status;
        const char *words;
    } cases[] = {
        {{"matrix", {{NULL, 0}}, 3, 2, NULL, {0}}, YK_E_INPUT, "2 actuators cannot control 3 degrees of freedom"},
        {{"matrix", {{NULL, 0}}, 2, 3, NULL, {0}}, YK_E_INPUT, "describe in `rows`"},
        {{"matrix", {{NULL, 0}}, 2, 2, same, {0}}, YK_E_SINGULAR, "h1 = -0.2, theta1 = 1 moves none of them"},
        {{"matrix", {{NULL, 0}}, 2, 3, empty_row, {0}}, YK_E_INPUT, "no degree of freedom moves a2"},
        {{"matrix", {{NULL, 0}}, 2, 2, not_finite, {0}}, YK_E_INPUT, "coefficient of h1 for a2"},
        {{"matrix", {{NULL, 0}}, 2, 2, no_motion, {0}}, YK_E_SINGULAR, "no actuator moves with theta1"},
        {{"matrix", {{NULL, 0}}, 0, 1, NULL, {0}}, YK_E_INPUT, "has no degrees of freedom"},
        {{"pair", {{"lever", 0.4}}, 2, 3, NULL, {0}}, YK_E_INPUT, "a pair needs two and two"},
        {{"pair", {{"lever", 0.4}}, 3, 3, NULL, {0}}, YK_E_INPUT, "a pair needs two and two"},
        {{"pair", {{"lever", 0}}, 2, 2, NULL, {0}}, YK_E_RANGE, "lever"},
        {{"pair", {{NULL, 0}}, 2, 2, NULL, {0}}, YK_E_RANGE, "lever"},
        {{"pair", {{"lever", 0.4}, {"geometry", 1}}, 2, 2, NULL, {0}}, YK_E_RANGE, "radius = 0 m must be larger"},
        {{"pair", {{"lever", 0.4}, {"geometry", 1}, {"radius", 1}, {"offset", -1}}, 2, 2, NULL, {0}},
         YK_E_RANGE,
         "radius = 1 m must be larger than offset = -1 m"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_setup *s = NULL;

        assert_refused(try_setup(&s, &cases[i].sample, NULL, NULL, 0, &err), cases[i].status, cases[i].words);
        assert_null(s);
    }
}

static void order_and_names_are_checked(void **state)
{
    static const char *const turned[] = {"theta", "h"}, *const twice[] = {"a1", "a1"};
    const struct yk_setup_ops *ops = yk_setup_find("pair");
    struct yk_setup *s = NULL;
    struct yk_setup_parts parts = {.ops = ops, .plan = {2, 2, turned, actuator_names, NULL}};

    parts.self = calloc(1, ops->size);
    assert_refused(yk_setup_create(&s, &parts, NULL, &err), YK_E_INPUT, "'theta' before 'h'");
    parts.plan.dof_names = dof_names;
    parts.plan.actuator_names = twice;
    parts.self = calloc(1, ops->size);
    assert_refused(yk_setup_create(&s, &parts, NULL, &err), YK_E_INPUT, "actuator a1 is named twice");
}

/* A pair extends both with h and the first only with theta; each way to have it wrong is told. */
static void signs_are_checked(void **state)
{
    const struct yk_setup_sign right[] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, -1}},
                               reversed[] = {{0, 0, 1}, {1, 0, -1}, {0, 1, 1}, {1, 1, 1}},
                               the_other_way[] = {{0, 0, -1}, {1, 0, -1}, {0, 1, 1}, {1, 1, -1}},
                               exchanged[] = {{0, 0, 1}, {0, 1, 1}, {1, 1, 1}},
                               hopeless[] = {{0, 0, -1}, {1, 0, 1}, {0, 1, 1}, {1, 1, -1}}, unknown[] = {{2, 0, 1}};
    static const double mixed[] = {1, 1, /* */ -0.2, 0.2}, apart[] = {1, 0, /* */ 0, 1};
    const double backwards[] = {1, -1};
    struct sample m = {"matrix", {{NULL, 0}}, 2, 2, mixed, {0}};
    struct yk_setup *s = NULL;

    assert_ok(try_setup(&s, &samples[2], NULL, right, 4, &err));
    yk_setup_destroy(s);
    assert_ok(try_setup(&s, &samples[2], backwards, reversed, 4, &err)); /* the device of a2 counts backwards */
    yk_setup_destroy(s);
    assert_refused(try_setup(&s, &samples[2], NULL, reversed, 4, &err), YK_E_INPUT,
                   "a positive h1 should move a2 in the negative direction, but moves it by 1 per unit; everything "
                   "would agree if a2 were reversed");
    assert_refused(try_setup(&s, &samples[2], NULL, the_other_way, 4, &err), YK_E_INPUT, "if h1 had the opposite sign");
    assert_refused(try_setup(&s, &m, NULL, right, 4, &err), YK_E_INPUT, "if theta1 had the opposite sign");
    assert_refused(try_setup(&s, &samples[2], NULL, exchanged, 3, &err), YK_E_INPUT, "moves it by -0.2 per unit");
    m.rows = apart;
    assert_refused(try_setup(&s, &m, NULL, (struct yk_setup_sign[]){{0, 1, 1}, {1, 0, 1}}, 2, &err), YK_E_INPUT,
                   "if a1 and a2 were swapped");
    assert_refused(try_setup(&s, &samples[2], NULL, hopeless, 4, &err), YK_E_INPUT, "no single reversal or swap");
    assert_refused(try_setup(&s, &samples[2], NULL, unknown, 1, &err), YK_E_RANGE, "actuator 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_found_by_its_name),
        cmocka_unit_test(motion_comes_back_from_its_targets),
        cmocka_unit_test(power_is_the_same_on_both_sides),
        cmocka_unit_test(velocities_and_accelerations_are_derivatives),
        cmocka_unit_test(the_loop_uses_no_heap),
        cmocka_unit_test(more_actuators_than_degrees_of_freedom_are_averaged),
        cmocka_unit_test(a_pair_is_mean_and_difference),
        cmocka_unit_test(exact_strokes_are_distances),
        cmocka_unit_test(slanted_actuators_lose_force),
        cmocka_unit_test(the_linear_set_up_is_wrong_by_the_sine),
        cmocka_unit_test(small_motion_is_linear),
        cmocka_unit_test(impossible_strokes_are_told),
        cmocka_unit_test(bad_setups_are_refused),
        cmocka_unit_test(order_and_names_are_checked),
        cmocka_unit_test(signs_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
