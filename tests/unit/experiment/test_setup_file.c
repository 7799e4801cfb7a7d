/* The map `setup` of an experiment file: what it makes, and what it refuses with its place. */
#include "experiment/setup.h"
#include "support/check.h"

static const char *const actuators[] = {"a1", "a2", "a3"};

static struct yk_calibration devices[3];

static enum yk_status read_setup(const char *text, size_t count, struct yk_setup **setup, struct yk_err *err)
{
    struct yk_dofs dofs = {.names = (char *[]){"h", "theta"}, .n = 2};
    struct yk_node *root = NULL;
    enum yk_status st = yk_tree_parse(&root, text, strlen(text), "rig.yaml", err);

    if (!st)
        st = yk_build_setup(yk_node_get(root, "setup"), yk_node_get(root, "channels"), &dofs, count, actuators, setup,
                            devices, NULL, err);
    yk_dofs_forget(&dofs);
    yk_tree_free(root);
    return st;
}

/* Strokes of a unit rotation and translation, and the force on both of one newton in the first actuator. */
static void check_setup(const char *text, size_t count, const double *slide, const double *turn, const double *force)
{
    const double h[] = {1e-3, 0}, theta[] = {0, 1e-3}, none[2] = {0}, z[3] = {1, 0, 0};
    struct yk_setup *s = NULL;
    double y[3], rest[3], r[2];

    assert_ok(read_setup(text, count, &s, &err));
    yk_setup_targets(s, h, none, none, y, rest, rest);
    for (size_t i = 0; i < count; i++)
        assert_near(y[i], 1e-3 * slide[i], 1e-15);
    yk_setup_targets(s, theta, none, none, y, rest, rest);
    for (size_t i = 0; i < count; i++)
        assert_near(y[i], 1e-3 * turn[i], 1e-15);
    yk_setup_forces(s, none, z, r);
    assert_near(r[0], force[0], 1e-15);
    assert_near(r[1], force[1], 1e-15);
    yk_setup_destroy(s);
}

static void setups_are_read(void **state)
{
    check_setup("none: 1\n", 2, (double[]){1, 0}, (double[]){0, 1}, (double[]){1, 0});
    check_setup("setup: {kind: pair, lever: 400 mm, moves: {h: [a1, a2], theta: [a1, -a2]}}\n", 2, (double[]){1, 1},
                (double[]){0.2, -0.2}, (double[]){1, 0.2});
    check_setup("setup: {kind: matrix, rows: {a1: {h: 1, theta: 500 mm}, a2: {h: -1}, a3: {theta: 1}}}\n", 3,
                (double[]){1, -1, 0}, (double[]){0.5, 0, 1}, (double[]){1, 0.5});
    check_setup("setup: {kind: pair, lever: 400 mm, calibrate: {a1: {gain: 0.5, force_gain: 3, reversed: true}},\n"
                "  moves: {h: [-a1, a2]}}\n",
                2, (double[]){1, 1}, (double[]){0.2, -0.2}, (double[]){1, 0.2});
    assert_true(devices[0].read[YK_BY_DISPLACEMENT].scale == -0.5 && devices[0].read[YK_BY_FORCE].scale == -3);
    check_setup("setup: {kind: pair, lever: 400 mm, moves: {h: [-a1, a2]}}\nchannels: {a1.displacement: {sign: -1}}\n",
                2, (double[]){1, 1}, (double[]){0.2, -0.2}, (double[]){1, 0.2});
    assert_true(yk_calibration_is_none(&devices[0]));
    check_setup("setup: {kind: pair, lever: 400 mm, calibrate: {a1: {gain: 0.5}}}\n", 2, (double[]){1, 1},
                (double[]){0.2, -0.2}, (double[]){1, 0.2});
    assert_true(yk_calibration_is_none(&devices[1]) && !yk_calibration_is_none(&devices[0]));
}

static void bad_maps_are_refused(void **state)
{
    static const struct {
        const char *text;
        size_t count;
        const char *words;
    } cases[] = {
        {"setup: {kind: pairs, lever: 1}\n", 2, "rig.yaml:1:15: there is no setup 'pairs'; did you mean 'pair'?"},
        {"setup: {lever: 1}\n", 2, "setup needs 'kind'"},
        {"setup: pair\n", 2, "rig.yaml:1:8:"},
        {"setup: {kind: pair}\n", 2, "lever"},
        {"setup: {kind: pair, lever: 1, radios: 2}\n", 2, "unknown key 'radios'"},
        {"setup: {kind: pair, lever: 2 kg}\n", 2, "rig.yaml:1:"},
        {"setup: {kind: pair, lever: 1, radius: 2}\n", 2,
         "radius has no effect with geometry: linear; it is for geometry: exact"},
        {"setup: {kind: pair, lever: 1, rows: {}}\n", 2, "unknown key 'rows'"},
        {"setup: {kind: matrix, rows: {a9: {h: 1}}}\n", 2, "the specimen has no actuator 'a9'; did you mean 'a1'?"},
        {"setup: {kind: matrix, rows: {a1: {x: 1}}}\n", 2, "there is no degree of freedom 'x'"},
        {"setup: {kind: matrix, rows: {a1: {h: 1, theta: 1}, a2: {h: 2, theta: 2}}}\n", 2,
         "rig.yaml:1:1: setup matrix: the actuators do not control every motion"},
        {"setup: {kind: matrix}\n", 3, "describe in `rows`"},
        {"setup: {kind: matrix, calibrate: {a1: {gain: 0}}}\n", 2, "gain"},
        {"setup: {kind: matrix, calibrate: {a1: {gains: 1}}}\n", 2, "unknown key 'gains'"},
        {"setup: {kind: matrix, calibrate: {a9: {gain: 1}}}\n", 2, "no actuator 'a9'"},
        {"setup: {kind: matrix, moves: {h: a1}}\n", 2, "a list of actuators"},
        {"setup: {kind: matrix, moves: {h: [-a9]}}\n", 2, "no actuator 'a9'"},
        {"setup: {kind: matrix, moves: {y: [a1]}}\n", 2, "there is no degree of freedom 'y'"},
        {"setup: {kind: pair, lever: 1, moves: {h: [a1, a2], theta: [-a1, a2]}}\n", 2,
         "everything would agree if theta had the opposite sign"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_setup *s = NULL;
        struct yk_err err = {0};

        assert_int_not_equal(read_setup(cases[i].text, cases[i].count, &s, &err), YK_OK);
        if (!strstr(yk_err_line(&err).text, cases[i].words))
            print_error("%s: wanted '%s'\n", yk_err_line(&err).text, cases[i].words);
        assert_non_null(strstr(yk_err_line(&err).text, cases[i].words));
        assert_non_null(strstr(yk_err_line(&err).text, "rig.yaml:1:"));
        assert_null(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setups_are_read),
        cmocka_unit_test(bad_maps_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
