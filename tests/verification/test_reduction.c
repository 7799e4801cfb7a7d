/* Reduction of the beam frame of a vehicle (765 degrees of freedom, four mounts) against an independent prototype in
 * another language: frequencies, condensed matrices, MAC, responses. The numbers are those of the specification. */
#include "support/check.h"

#include "experiment/experiment.h"
#include <yoke/fidelity.h>

#include <math.h>
#include <stdlib.h>

enum { MOUNTS = 4 };

static struct yk_model *experiment;
static struct yk_linear_model model;
static size_t mounts[MOUNTS];

static size_t find(const struct yk_substructure *s, const char *name)
{
    for (size_t i = 0; i < s->system->n; i++)
        if (strcmp(s->dofs[i], name) == 0)
            return i;
    fail_msg("no degree of freedom %s", name);
    return 0;
}

static int open_frame(void **state)
{
    static const char *const names[MOUNTS] = {"L1.z", "R1.z", "L3.z", "R3.z"};

    assert_ok(yk_model_load(&experiment, YOKE_SOURCE "/examples/vehicle-frame/vehicle-frame.yaml", NULL, 0, &err));
    const struct yk_substructure *s = &experiment->substructures[0];

    model = (struct yk_linear_model){
        .M = &s->system->M, .C = &s->system->C, .K = &s->system->K, .names = (const char *const *)s->dofs};
    for (int k = 0; k < MOUNTS; k++)
        mounts[k] = find(s, names[k]);
    return 0;
}

static int close_frame(void **state)
{
    yk_model_close(experiment);
    return 0;
}

static void reduce(struct yk_reduced *r, const char *method, size_t modes)
{
    struct yk_reduce_settings settings = yk_reduce_defaults();

    settings.modes = modes;
    assert_ok(yk_reduce(r, &model, mounts, MOUNTS, yk_reduction_find(method), &settings, &err));
}

static double hertz(double w2)
{
    return sqrt(w2) / (2 * M_PI);
}

static const double full_Hz[20] = {40.9655,  60.3355,  93.5960,  97.9588,  121.3066, 124.5762, 131.0507,
                                   132.4880, 139.9283, 154.2459, 162.5756, 171.3411, 176.0517, 186.5771,
                                   220.3717, 220.6355, 258.3337, 329.6818, 344.1422, 349.7142};
static const double held_Hz[30] = {43.9338,  81.9447,  89.0921,  93.0021,  116.3186, 119.0888, 124.5979, 129.3455,
                                   134.2541, 141.7264, 152.2988, 170.94,   172.2964, 194.5661, 200.0713, 222.456,
                                   329.664,  343.1036, 349.2542, 358.5232, 369.7315, 389.1706, 401.1215, 414.4417,
                                   423.5606, 430.851,  432.8791, 434.7987, 450.5847, 468.4312};
static const double reduced_Hz[20] = {40.9684,  60.3685,  93.5964,  97.9734,  121.4008, 124.7474, 131.0742,
                                      132.4892, 140.0740, 154.3233, 162.6728, 171.3443, 176.3635, 186.8844,
                                      220.4097, 222.3596, 260.4902, 329.6833, 344.1683, 349.7539};

static void modes_of_the_held_interface(void **state)
{
    struct yk_reduced r;

    assert_int_equal(model.K->rows, 765);
    reduce(&r, "craig-bampton", 30);
    assert_int_equal(r.n, 34);
    for (int k = 0; k < 30; k++)
        assert_near_relative(hertz(r.w2[k]), held_Hz[k], 5e-6);
    assert_true(r.check.residual < 1e-6);
    assert_int_equal(r.check.counted, r.check.found);
    assert_true(r.check.found >= 30);
    assert_string_equal(r.names[0], "q1");
    assert_string_equal(r.names[33], "R3.z");
    yk_reduced_free(&r);
}

/* Kr = diag(w2, condensed), Mr(q, q) = I; the condensed block resists warping alone, with rank one. */
static void structure_of_the_reduced_matrices(void **state)
{
    static const double sign[MOUNTS] = {1, -1, -1, 1}, mass[MOUNTS] = {13.596202, 12.570303, 13.596202, 12.570303};
    struct yk_reduced r;
    double largest = 0;

    reduce(&r, "craig-bampton", 30);
    for (size_t i = 0; i < 34; i++)
        largest = fmax(largest, r.K.x[i + i * 34]);
    for (size_t i = 0; i < 30; i++) {
        assert_near_relative(r.K.x[i + i * 34], r.w2[i], 1e-9);
        for (size_t j = 0; j < 34; j++)
            if (i != j)
                assert_near(r.K.x[i + j * 34], 0, 1e-9 * largest);
        for (size_t j = 0; j < 30; j++)
            assert_near(r.M.x[i + j * 34], i == j, 1e-9);
    }
    for (size_t i = 0; i < MOUNTS; i++) {
        assert_near_relative(r.M.x[30 + i + (30 + i) * 34], mass[i], 1e-6);
        for (size_t j = 0; j < MOUNTS; j++)
            assert_near_relative(r.K.x[30 + i + (30 + j) * 34], sign[i] * sign[j] * 298151.361, 1e-6);
    }
    assert_near(r.M.x[30 + 31 * 34], -0.250973, 1e-6);
    assert_near(r.M.x[30 + 32 * 34], 0.484614, 1e-6);
    assert_near(r.M.x[30 + 33 * 34], -1.708643, 1e-6);
    assert_near(r.M.x[31 + 33 * 34], 1.510514, 1e-6);
    yk_reduced_free(&r);
}

/* Damping of Rayleigh's kind stays so: C_r = al M_r + be K_r. */
static void damping_is_projected(void **state)
{
    struct yk_reduced r;

    reduce(&r, "craig-bampton", 30);
    for (size_t i = 0; i < 34 * 34; i++)
        assert_near(r.C.x[i], 2.284794657 * r.M.x[i] + 1.446863119e-5 * r.K.x[i], 1e-6);
    yk_reduced_free(&r);
}

static void compare(struct yk_fidelity *f, const char *method, size_t modes, double end)
{
    struct yk_fidelity_settings settings = yk_fidelity_defaults();
    struct yk_reduced r;

    reduce(&r, method, modes);
    settings.end = end;
    assert_ok(yk_fidelity(f, &model, &r, &settings, &err));
    yk_reduced_free(&r);
}

static void frequencies_and_shapes(void **state)
{
    struct yk_fidelity f;

    compare(&f, "craig-bampton", 30, 0);
    assert_int_equal(f.rigid, 3);
    assert_int_equal(f.modes, 20);
    for (int k = 0; k < 20; k++) {
        assert_near_relative(f.full_Hz[k], full_Hz[k], 5e-6);
        assert_near_relative(f.reduced_Hz[k], reduced_Hz[k], 5e-6);
        assert_true(f.reduced_Hz[k] >= f.full_Hz[k] * (1 - 1e-9)); /* Rayleigh-Ritz: never below */
    }
    assert_near(f.worst_error, 0.008348, 1e-6);
    assert_near_relative(f.frequency_nmse, 1.029e-5, 1e-3);
    assert_near(f.least_diagonal, 0.99750, 1e-5);
    assert_near(f.largest_off_diagonal, 0.197, 1e-3);
    assert_true(f.least_in_cluster >= f.least_diagonal && f.least_in_cluster < 1);
    assert_near_relative(f.exact_below_Hz, 124.5762, 1e-5);
    yk_fidelity_free(&f);
}

static void more_modes_come_closer(void **state)
{
    static const struct {
        size_t modes, compared;
        double worst, mac, tolerance;
    } rows[] = {{20, 20, 0.01705, 0.9845, 5e-6}, {40, 20, 0.00821, 0.99812, 5e-6}};

    for (size_t k = 0; k < 2; k++) {
        struct yk_fidelity_settings settings = yk_fidelity_defaults();
        struct yk_reduced r;
        struct yk_fidelity f;

        reduce(&r, "craig-bampton", rows[k].modes);
        settings.modes = rows[k].compared;
        settings.end = 0;
        assert_ok(yk_fidelity(&f, &model, &r, &settings, &err));
        assert_near(f.worst_error, rows[k].worst, rows[k].tolerance);
        if (rows[k].mac > 0)
            assert_near(f.least_diagonal, rows[k].mac, 5e-5);
        yk_fidelity_free(&f);
        yk_reduced_free(&r);
    }
}

/* Ten modes reach to 141.7 Hz: of the full model nine are below. Above, fourteen coordinates have five frequencies
 * more, which are those of static shapes and no modes. */
static void modes_above_the_kept_ones_are_not_compared(void **state)
{
    struct yk_fidelity f;

    compare(&f, "craig-bampton", 10, 0);
    assert_int_equal(f.modes, 9);
    assert_int_equal(f.left_out, 2); /* and three rigid ones */
    assert_near_relative(f.limit_Hz, held_Hz[9], 5e-6);
    assert_true(f.worst_error < 0.102); /* the prototype compared eleven */
    assert_true(f.least_diagonal > 0.5);
    yk_fidelity_free(&f);
    compare(&f, "guyan", 10, 0);
    assert_near_relative(f.limit_Hz, held_Hz[0], 5e-6);
    assert_int_equal(f.modes, 1);
    assert_int_equal(f.left_out, 0); /* four coordinates, three of them rigid */
    yk_fidelity_free(&f);
    compare(&f, "craig-bampton", 30, 0);
    assert_int_equal(f.left_out, 0);
    yk_fidelity_free(&f);
}

static void response_to_noise(void **state)
{
    static const double full[MOUNTS] = {-4.68314076e-4, -4.02173530e-4, -1.37362262e-4, -7.34473094e-5};
    static const double few[MOUNTS] = {-4.68331701e-4, -4.02226833e-4, -1.37432156e-4, -7.34631366e-5};
    struct yk_fidelity f;

    compare(&f, "craig-bampton", 30, 1);
    assert_int_equal(f.steps, 1000);
    for (size_t k = 0; k < MOUNTS; k++) {
        assert_near_relative(f.full_u[1000 * MOUNTS + k], full[k], 1e-6);
        assert_near_relative(f.reduced_u[1000 * MOUNTS + k], few[k], 1e-6);
    }
    assert_near_relative(f.mse, 1.955e-14, 1e-3);
    assert_near_relative(f.nmse, 1.412e-7, 1e-3);
    assert_near_relative(f.mse, f.nmse * f.rms * f.rms, 1e-12);
    assert_near_relative(f.rms, 3.721e-4, 1e-3);
    yk_fidelity_free(&f);
}

/* Free-interface modes are exact by construction, and the residual flexibility makes the statics exact. */
static void free_interface(void **state)
{
    struct yk_fidelity f;

    compare(&f, "rubin", 30, 1);
    for (int k = 0; k < 20; k++)
        assert_near_relative(f.reduced_Hz[k], full_Hz[k], 5e-6);
    assert_true(f.least_diagonal > 1 - 1e-9);
    assert_true(f.nmse < 1e-7);
    yk_fidelity_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_of_the_held_interface), cmocka_unit_test(structure_of_the_reduced_matrices),
        cmocka_unit_test(damping_is_projected),        cmocka_unit_test(frequencies_and_shapes),
        cmocka_unit_test(more_modes_come_closer),      cmocka_unit_test(modes_above_the_kept_ones_are_not_compared),
        cmocka_unit_test(response_to_noise),           cmocka_unit_test(free_interface),
    };

    return cmocka_run_group_tests(tests, open_frame, close_frame);
}
