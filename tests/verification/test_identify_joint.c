/* Several actuators that act on each other, identified from sweeps: against the plants that were simulated, by the
 * formula of their transfer functions. */
#include "benchmark/marths_plant.h"
#include "experiment/experiment.h"
#include "rig/virtual/rig.h"
#include "support/check.h"
#include <yoke/identify_joint.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586
#define TICK   (1.0 / 1024)

static struct yk_joint_responses measured;

/* Two actuators on a virtual rig: the experiment with the plant `m`, sensors with noise [m]. */
static struct yk_model *open_plant(const struct yk_transfer_matrix *m, double noise)
{
    struct yk_model *e;
    struct yk_realisation r;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    yk_transfer_realise(m, 1 / 256.0, &r);
    fprintf(out, "title: actuators that act on each other\n"
                 "time: { step: 0.0009765625 s, end: 1 s, control_rate: 1024 Hz }\n"
                 "method: { integrator: chang }\n"
                 "substructures:\n"
                 "  frame: { dofs: [s1, s2], mass: [1000, 1000], stiffness: [1e6, 1e6] }\n"
                 "  coupler: { role: physical, dofs: [s1, s2], actuators: { s1: a1, s2: a2 },\n"
                 "             estimate: { stiffness: [1, 1] } }\n"
                 "interfaces: [ { join: [frame.s1, coupler.s1] }, { join: [frame.s2, coupler.s2] } ]\n"
                 "transfer: { a1: { compensator: { kind: none } }, a2: { compensator: { kind: none } } }\n"
                 "rig:\n"
                 "  backend: virtual\n");
    fprintf(out,
            "  actuators: { a1: { sensors: { displacement_noise: %.9g m } },\n"
            "               a2: { sensors: { displacement_noise: %.9g m, seed: 2 } } }\n"
            "  joint: [ { actuators: [a1, a2], plant: { kind: state-space, dead_time: %.17g s, ",
            noise, noise, m->dead_time);
    yk_realisation_write(&r, out, 17);
    fprintf(out, " } } ]\n  specimen: { dofs: [s1, s2], mass: [0, 0], stiffness: [1, 1] }\n");
    assert_int_equal(fclose(out), 0);
    assert_ok(yk_model_parse(&e, "joint.yaml", text, size, NULL, 0, &err));
    free(text);
    return e;
}

static void measure(const struct yk_model *e, double duration)
{
    static const size_t both[] = {0, 1};
    const struct yk_sweep sweep = {.from_Hz = 0.1, .to_Hz = 20, .amplitude_m = 0.010, .duration_s = duration};
    struct yk_swept swept = {.count = 2, .watched = 2, .watch = both};

    swept.rig = yk_station_rig(e->station, &swept.self);
    yk_virtual_rig_dismount(swept.self);
    assert_ok(yk_joint_measure(&measured, &swept, TICK, &sweep, &err));
}

/* The largest deviation of the model from the plant, over the largest response to the same command at the frequency. */
static double deviation(const struct yk_transfer_matrix *found, const struct yk_transfer_matrix *plant)
{
    double worst = 0;

    for (double f = 0.1; f <= 19; f *= 1.05) {
        double complex H[4], G[4];

        yk_transfer_response(found, I * TWO_PI * f, H);
        yk_transfer_response(plant, I * TWO_PI * f, G);
        for (int k = 0; k < 4; k++)
            worst = fmax(worst, cabs(H[k] - G[k]) / fmax(cabs(G[k % 2]), cabs(G[2 + k % 2])));
    }
    return worst;
}

static void assert_stable(const struct yk_transfer_matrix *m)
{
    double complex pole[YK_MATRIX_ZEROS];

    for (size_t j = 0; j < m->n; j++) {
        const size_t count = yk_polynomial_roots(m->D[j], YK_MATRIX_POWERS, TWO_PI * 20, pole);

        assert_int_equal(count, yk_polynomial_degree(m->D[j], YK_MATRIX_POWERS));
        for (size_t k = 0; k < count; k++)
            assert_true(creal(pole[k]) < 0);
    }
}

static struct yk_joint_model found_with(const struct yk_transfer_matrix *plant, double noise, size_t order)
{
    struct yk_model *e = open_plant(plant, noise);
    struct yk_joint_model found;

    measure(e, 30);
    assert_ok(yk_identify_joint(&measured, order, &found, &err));
    assert_stable(&found.matrix);
    yk_model_close(e);
    return found;
}

/* The multi-axial benchmark, rising powers: H_ij = N_ij/D_j. */
static struct yk_transfer_matrix marths(int number)
{
    const struct yk_marths_plant drawn = yk_marths_draw(number);
    const struct yk_marths_model m = yk_marths_model(&drawn);
    struct yk_transfer_matrix to = {.n = 2};

    for (int j = 0; j < 2; j++) {
        for (int k = 0; k <= YK_MARTHS_ORDER; k++)
            to.D[j][k] = m.D[j][YK_MARTHS_ORDER - k];
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 3; k++)
                to.N[i][j][k] = m.N[i][j][2 - k];
    }
    return to;
}

/* 1/(T s + 1) and a servo of 12 Hz with 40 % of damping, each with a share of the other. */
static struct yk_transfer_matrix lag_and_servo(double cross, double dead_time)
{
    const double w = TWO_PI * 12;

    return (struct yk_transfer_matrix){.n = 2,
                                       .N = {{{0.95}, {cross, 0.01 * cross}}, {{cross}, {1.02}}},
                                       .D = {{1, 0.02}, {1, 0.8 / w, 1 / (w * w)}},
                                       .dead_time = dead_time};
}

/* ---- models ---- */

static void a_known_plant_is_found(void **state)
{
    const struct yk_transfer_matrix plant = lag_and_servo(0.2, 0);
    const struct yk_joint_model found = found_with(&plant, 0, 0);

    assert_true(deviation(&found.matrix, &plant) < 2e-3); /* a lag of first order, with the aliasing of its sweep */
    assert_near(found.matrix.dead_time, 0, 0);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            assert_true(found.fit_percent[i][j] > 99.9);
    assert_near_relative(found.matrix.D[0][1] / found.matrix.D[0][0], 0.02, 0.02);
    assert_near_relative(found.matrix.D[1][1] / found.matrix.D[1][0], 0.8 / (TWO_PI * 12), 0.01);
}

static void the_benchmark_plants_are_found_within_one_percent(void **state)
{
    for (int number = 0; number < 4; number++) {
        const struct yk_transfer_matrix plant = marths(number);
        const struct yk_joint_model found = found_with(&plant, 0, 0);

        assert_true(deviation(&found.matrix, &plant) < 0.01);
        assert_true(found.fit_percent[0][0] > 99.9 && found.fit_percent[1][1] > 99.9);
    }
}

/* The zeros that make the inverse unstable or not: -2 pi 5.0792 from N_11 N_22 - N_12 N_21 = 0 by hand. */
static void the_zero_of_the_benchmark_is_found(void **state)
{
    const struct yk_transfer_matrix plant = marths(0);
    const double a = 2165.2 * 1.9238e7, b = 349.95 * 4.5394e6, by_hand = TWO_PI * (5 * a - 3 * b) / (a - b);
    double complex zero[YK_MATRIX_ZEROS];
    const size_t count = yk_transfer_zeros(&plant, TWO_PI * 20, zero);
    bool seen = false;

    assert_int_equal(count, 3); /* and the two of N_1, which are common to its column */
    for (size_t k = 0; k < count; k++)
        seen |= cabs(zero[k] + by_hand) < 1e-6 * by_hand;
    assert_true(seen);
}

/* 0.5 % of the amplitude at every sample. */
static void noise_costs_little(void **state)
{
    const struct yk_transfer_matrix plant = marths(0);
    const struct yk_joint_model found = found_with(&plant, 5e-5, 0);

    assert_true(deviation(&found.matrix, &plant) < 0.03);
    assert_true(found.fit_percent[0][0] > 99 && found.fit_percent[1][1] > 99);
}

static void a_dead_time_is_part_of_the_model(void **state)
{
    const struct yk_transfer_matrix plant = lag_and_servo(0.2, 0.008);
    const struct yk_joint_model found = found_with(&plant, 0, 0);

    assert_true(deviation(&found.matrix, &plant) < 0.01);
    assert_near(found.matrix.dead_time, 0.008, 0.0005);
}

static void actuators_that_do_not_interact_are_told_so(void **state)
{
    const struct yk_transfer_matrix plant = lag_and_servo(0, 0);
    const struct yk_joint_model found = found_with(&plant, 0, 0);

    assert_true(isnan(found.fit_percent[0][1]) && isnan(found.fit_percent[1][0]));
    assert_true(deviation(&found.matrix, &plant) < 2e-3);
}

static void an_order_that_is_asked_for_is_used(void **state)
{
    const struct yk_transfer_matrix plant = lag_and_servo(0.2, 0);
    const struct yk_joint_model found = found_with(&plant, 0, 2);

    for (int j = 0; j < 2; j++)
        assert_int_equal(yk_polynomial_degree(found.matrix.D[j], YK_MATRIX_POWERS), 2);
    assert_true(deviation(&found.matrix, &plant) < 1e-3);
}

/* ---- compensators ---- */

static const struct yk_pace pace = {.tick = TICK, .dt = TICK, .stages = 1};

/* The product of the gains at rest and the first matrix of the expansion is one. */
static void inverse_at_rest_undoes_the_gains(void **state)
{
    const struct yk_transfer_matrix plant = marths(0);
    double A[4];

    assert_ok(yk_transfer_expand_inverse(&plant, 0, 1, A, &err));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double sum = 0;

            for (int k = 0; k < 2; k++)
                sum += plant.N[i][k][0] / plant.D[k][0] * A[2 * k + j];
            assert_near(sum, i == j, 1e-12);
        }
}

/* A numerator with its zero on the right: 1 - 0.01 s. The inverse would diverge, and is not proposed. */
static void an_unstable_inverse_is_not_proposed(void **state)
{
    struct yk_transfer_matrix plant = lag_and_servo(0.1, 0);
    struct yk_joint_proposal p;
    struct yk_joint_model found;

    plant.N[1][1][1] = -0.01;
    found = found_with(&plant, 0, 0);
    yk_joint_propose(&measured, &found.matrix, &pace, &p);
    assert_false(p.invertible);
    assert_false(p.inverts);
    assert_int_equal(p.terms, 3);
    assert_true(p.forward_error[0] < 0.01);
}

/* Up to where the errors are compared, the one that is proposed leaves less. */
static void the_better_compensator_is_proposed(void **state)
{
    const struct yk_transfer_matrix plant = marths(0);
    const struct yk_joint_model found = found_with(&plant, 0, 0);
    struct yk_joint_proposal p;

    yk_joint_propose(&measured, &found.matrix, &pace, &p);
    assert_true(p.invertible && p.inverts);
    for (int k = 0; k < YK_JOINT_POINTS && measured.frequency_Hz[k] < 5; k++)
        assert_true(p.inverse_error[k] < 0.02);
}

static void bad_input_is_refused(void **state)
{
    static const size_t one[] = {0};
    const struct yk_transfer_matrix plant = lag_and_servo(0.2, 0);
    struct yk_model *e = open_plant(&plant, 0);
    struct yk_swept swept = {.count = 2, .watched = 1, .watch = one};
    const struct yk_sweep sweep = yk_sweep_defaults();
    struct yk_joint_model found;
    double A[4];

    swept.rig = yk_station_rig(e->station, &swept.self);
    assert_refused(yk_joint_measure(&measured, &swept, TICK, &sweep, &err), YK_E_RANGE, "there must be 2 to 6");
    yk_virtual_rig_dismount(swept.self);
    measure(e, 5);
    assert_refused(yk_identify_joint(&measured, 9, &found, &err), YK_E_RANGE, "order 9 is not 1 to 8");
    measured.H[0][1][3] = NAN;
    assert_refused(yk_identify_joint(&measured, 0, &found, &err), YK_E_INPUT, "not finite");
    for (int k = 0; k < YK_JOINT_POINTS; k++) /* as from an actuator that does what it likes */
        for (int i = 0; i < 4; i++)
            measured.H[i / 2][i % 2][k] = cexp(I * (double)((k * 7919 + i * 104729) % 1000));
    assert_refused(yk_identify_joint(&measured, 2, &found, &err), YK_E_INPUT, "does it follow its command?");
    assert_refused(yk_transfer_expand_inverse(&(struct yk_transfer_matrix){.n = 2, .D = {{1}, {1}}}, 0, 1, A, &err),
                   YK_E_SINGULAR, "cannot be told apart");
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_plant_is_found),
        cmocka_unit_test(the_benchmark_plants_are_found_within_one_percent),
        cmocka_unit_test(the_zero_of_the_benchmark_is_found),
        cmocka_unit_test(noise_costs_little),
        cmocka_unit_test(a_dead_time_is_part_of_the_model),
        cmocka_unit_test(actuators_that_do_not_interact_are_told_so),
        cmocka_unit_test(an_order_that_is_asked_for_is_used),
        cmocka_unit_test(inverse_at_rest_undoes_the_gains),
        cmocka_unit_test(an_unstable_inverse_is_not_proposed),
        cmocka_unit_test(the_better_compensator_is_proposed),
        cmocka_unit_test(bad_input_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
