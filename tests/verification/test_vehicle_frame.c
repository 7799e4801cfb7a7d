/* The frame of a light vehicle (examples/vehicle-frame), 765 degrees of freedom: size, mass, frequencies with free and
 * with held mounts, and the response to noise. Expected values: independent prototype of the reference results. */
#include "support/check.h"
#include "support/dofs.h"

#include "state/state.h"

#include <math.h>
#include <stdlib.h>

#define VEHICLE YOKE_SOURCE "/examples/vehicle-frame/vehicle-frame.yaml"

static const double pi = 3.14159265358979324;
static const char *const mounts[] = {"L1.z", "R1.z", "L3.z", "R3.z"};

static void check_frequencies(const struct yk_system *system, size_t rigid, const double *wanted, size_t count)
{
    double w2[40];

    assert_ok(yk_eigen_symmetric(&system->K, &system->M, rigid + count, w2, NULL, &err));
    for (size_t i = 0; i < rigid; i++)
        assert_true(fabs(w2[i]) < 1e-6 * w2[rigid]);
    for (size_t i = 0; i < count; i++)
        assert_near_relative(sqrt(w2[rigid + i]) / (2 * pi), wanted[i], 5e-6);
}

static void size_and_mass(void **state)
{
    struct yk_model *e;
    double *b, *force, mass;

    assert_ok(yk_model_load(&e, VEHICLE, NULL, 0, &err));
    const struct yk_substructure *s = &e->substructures[0];
    const size_t n = s->system->n;
    assert_int_equal(n, 765); /* 128 nodes, three directions held */
    b = calloc(n, sizeof *b);
    force = calloc(n, sizeof *force);
    for (size_t i = 0; i < n; i++)
        b[i] = strcmp(strrchr(s->dofs[i], '.'), ".z") == 0;
    yk_matrix_add_product(&s->system->M, 1, b, force);
    mass = yk_dot(n, b, force);
    assert_near_relative(mass, 48.4848, 1e-6); /* 14 m of tube */
    free(b);
    free(force);
    yk_model_close(e);
}

static void frequencies_with_free_mounts(void **state)
{
    static const double wanted[] = {40.9655,  60.3355,  93.5960,  97.9588,  121.3066, 124.5762, 131.0507,
                                    132.4880, 139.9283, 154.2459, 162.5756, 171.3411, 176.0517, 186.5771,
                                    220.3717, 220.6355, 258.3337, 329.6818, 344.1422, 349.7142};
    struct yk_model *e;

    assert_ok(yk_model_load(&e, VEHICLE, NULL, 0, &err));
    check_frequencies(e->substructures[0].system, 3, wanted, sizeof wanted / sizeof *wanted);
    yk_model_close(e);
}

static void frequencies_with_held_mounts(void **state)
{
    static const double wanted[] = {43.9338,  81.9447,  89.0921,  93.0021,  116.3186, 119.0888, 124.5979, 129.3455,
                                    134.2541, 141.7264, 152.2988, 170.94,   172.2964, 194.5661, 200.0713, 222.456,
                                    329.664,  343.1036, 349.2542, 358.5232, 369.7315, 389.1706, 401.1215, 414.4417,
                                    423.5606, 430.851,  432.8791, 434.7987, 450.5847, 468.4312};
    static const char *const held[] = {"loads=[]", "substructures.frame.nodes.L1.fixed=[x, y, z]",
                                       "substructures.frame.nodes.L3.fixed=[y, z]",
                                       "substructures.frame.nodes.R1={at: [0.4, 0.35, 0], fixed: [z]}",
                                       "substructures.frame.nodes.R3={at: [1.6, 0.35, 0], fixed: [z]}"};
    struct yk_model *e;

    assert_ok(yk_model_load(&e, VEHICLE, held, sizeof held / sizeof *held, &err));
    assert_int_equal(e->substructures[0].system->n, 761);
    check_frequencies(e->substructures[0].system, 0, wanted, sizeof wanted / sizeof *wanted);
    yk_model_close(e);
}

/* Newmark (1/4, 1/2), 1 ms, after 1 s */
static void response_to_noise_at_the_mounts(void **state)
{
    static const double wanted[] = {-4.68314076e-4, -4.02173530e-4, -1.37362262e-4, -7.34473094e-5};
    struct yk_model *e;
    struct yk_state motion;
    double *u;

    assert_ok(yk_model_load(&e, VEHICLE, NULL, 0, &err));
    assert_ok(yk_state_open(&motion, e, 0, &err));
    assert_int_equal(yk_state_start(&motion), YK_OK);
    for (long k = 0; k < e->steps; k++)
        assert_int_equal(yk_state_step(&motion), YK_OK);
    const struct yk_substructure *s = &e->substructures[0];
    u = calloc(3 * s->system->n, sizeof *u);
    yk_state_now(&motion, 0, u, u + s->system->n, u + 2 * s->system->n);
    for (size_t i = 0; i < sizeof mounts / sizeof *mounts; i++)
        assert_near_relative(u[row_of(s, mounts[i])], wanted[i], 2e-6);
    free(u);
    yk_state_close(&motion);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_and_mass),
        cmocka_unit_test(frequencies_with_free_mounts),
        cmocka_unit_test(frequencies_with_held_mounts),
        cmocka_unit_test(response_to_noise_at_the_mounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
