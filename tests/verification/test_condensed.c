/* The loop of a large linear structure in a few coordinates against the full one, and the Ritz vectors that make them
 * against a closed form. docs/theory/delay.md, section 6; docs/theory/reduction.md, section 9. */
#include "support/check.h"

#include "analyze/condensed.h"
#include "analyze/decay.h"
#include <yoke/reduction.h>

#include <math.h>
#include <stdlib.h>

/* A column of 123 degrees of freedom, held by a specimen at half its height; the loop loses its damping at some 10 ms
 * of delay. */
#define COLUMN(element)                                                                                                \
    "time: {step: 4 ms, end: 2 s, control_rate: 1 kHz}\nmethod: {integrator: alpha-os}\nsubstructures:\n"              \
    "  column:\n    kind: frame\n"                                                                                     \
    "    sections: {s: {E: 200 GPa, A: 0.02 m2, Iz: 4e-4 m4, density: 7850 kg/m3}}\n"                                  \
    "    nodes: {foot: {at: [0, 0], fixed: all}, half: [0, 10], top: {at: [0, 20], mass: {x: 5 t, y: 5 t, rz: "        \
    "100}}}\n"                                                                                                         \
    "    members: [{between: [foot, half], section: s, divide: 20}, {between: [half, top], section: s, divide: 21}]\n" \
    "    rayleigh: {ratio: 0.02, frequencies: [0.5 Hz, 20 Hz]}\n" element                                              \
    "  spring: {role: physical, dofs: [x], actuators: {x: a}, estimate: {stiffness: 60 kN/m}}\n"                       \
    "interfaces: [{join: [column.half.x, spring.x]}]\n"                                                                \
    "loads: [{on: column.top.x, kind: sine, amplitude: 1, frequency: 1 Hz}]\n"                                         \
    "transfer: {a: {controller: {kind: none}}}\n"                                                                      \
    "rig: {backend: virtual, actuators: {a: {plant: {kind: second-order, T1: 2 ms, T2: 1 ms}}},\n"                     \
    "  specimen: {dofs: [x], mass: 0, stiffness: 60 kN/m}}\n"
static const char column[] = COLUMN(""),
                  yielding[] = COLUMN("    elements: [{kind: bilinear, between: [ground, top.x], stiffness: 1 kN/m, "
                                      "hardening: 0.1, yield_slip: 1 mm}]\n");

static struct yk_model *read_text(const char *text, size_t size, struct yk_model **model)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_parse(&e, "column.yaml", text, size, NULL, 0, &err));
    assert_ok(yk_model_create(model, e, 0, &err));
    return e;
}

/* By amplification matrix: of larger structures it takes long, and slow motions beside many others are told badly. */
static double decay_of(const struct yk_model *model, double delay)
{
    struct yk_watched how = {.omega = 2};
    struct yk_state m;
    double decay;
    bool linear;

    assert_ok(yk_loop_motion(model, NULL, delay, &m, &err));
    assert_ok(yk_decay_by_matrix(&m, &how, &linear, &decay, &err));
    assert_true(linear);
    yk_state_close(&m);
    return decay;
}

static void a_condensed_loop_decays_as_the_full_one(void **state)
{
    static const double delays[] = {4e-3, 12e-3, 40e-3};
    struct yk_model *model;
    struct yk_model *e = read_text(column, sizeof column - 1, &model);
    struct yk_condensed c;
    double least = INFINITY, most = -INFINITY;

    assert_int_equal(e->assembly->system->n, 123);
    assert_ok(yk_condensed_open(&c, model, 0, 0, &err));
    assert_non_null(c.model);
    assert_true(c.unlike <= 0.01 && c.model->assembly->system->n < 100);
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        const double full = decay_of(model, delays[i]), few = decay_of(c.model, delays[i]);

        print_message("delay %g ms: %g 1/s, condensed to %zu shapes %g 1/s\n", 1e3 * delays[i], full, c.modes, few);
        assert_near(few, full, 0.01 * fabs(full));
        least = fmin(least, full);
        most = fmax(most, full);
    }
    assert_true(least < 0 && most > 0); /* stable and unstable loops are among them */
    yk_condensed_close(&c);
    yk_model_close(model);
    yk_model_close(e);
}

/* The margin lies where the full loop turns from decay to growth. */
static void margin_of_a_large_structure_is_that_of_the_full_loop(void **state)
{
    struct yk_model *model;
    struct yk_model *e = read_text(column, sizeof column - 1, &model);
    struct yk_margin m;

    assert_ok(yk_hybrid_judge(model, &(struct yk_judging){.margin = true, .no_model = true}, &m, &err));
    assert_true(m.stable && m.by_matrix && m.complete && m.modes > 0);
    assert_true(decay_of(model, 0.99 * m.margin_s) > 0);
    assert_true(decay_of(model, 1.01 * m.growth_s) < 0);
    yk_model_close(model);
    yk_model_close(e);
}

/* Free vibrations are those of the full structure. */
static void free_vibrations_on_request_are_not_condensed(void **state)
{
    struct yk_model *model;
    struct yk_model *e = read_text(column, sizeof column - 1, &model);
    struct yk_margin m;

    assert_ok(yk_hybrid_judge(model, &(struct yk_judging){.periods = 2}, &m, &err));
    assert_true(m.modes == 0 && !m.by_matrix);
    yk_model_close(model);
    yk_model_close(e);
}

static void a_part_that_yields_is_not_condensed(void **state)
{
    struct yk_model *model;
    struct yk_model *e = read_text(yielding, sizeof yielding - 1, &model);
    struct yk_condensed c;

    assert_ok(yk_condensed_open(&c, model, 0, 0, &err));
    assert_null(c.model);
    yk_condensed_close(&c);
    yk_model_close(model);
    yk_model_close(e);
}

/* Masses 1 and springs 1 in a row, held at one end; the other end is the interface. Its frequencies are 2 sin((2 j - 1)
 * pi / (4 n + 2)), j = 1 .. n. */
static void ritz_vectors_have_the_low_frequencies_of_a_chain(void **state)
{
    enum { N = 200, SHAPES = 20, COMPARED = 5 };
    struct yk_matrix M, K;
    struct yk_reduced r;
    const struct yk_reduce_settings settings = {.modes = SHAPES, .band_Hz = 0.02};
    const size_t end = N - 1;
    double w2[COMPARED];

    assert_ok(yk_matrix_init(&M, YK_DENSE, N, N, &err));
    assert_ok(yk_matrix_init(&K, YK_DENSE, N, N, &err));
    for (size_t i = 0; i < N; i++) {
        M.x[i + i * N] = 1;
        K.x[i + i * N] = i == end ? 1 : 2;
        if (i > 0)
            K.x[i + (i - 1) * N] = K.x[i - 1 + i * N] = -1;
    }
    assert_ok(yk_reduce(&r, &(struct yk_linear_model){.M = &M, .K = &K}, &end, 1, &yk_reduction_ritz, &settings, &err));
    assert_int_equal(r.n, SHAPES + 1);
    assert_ok(yk_eigen_symmetric(&r.K, &r.M, COMPARED, w2, NULL, &err));
    for (int j = 0; j < COMPARED; j++) {
        const double exact = 2 * sin((2 * j + 1) * M_PI / (4 * N + 2));

        assert_near(sqrt(w2[j]), exact, 1e-8 * exact); /* the fifth is at the end of what 20 vectors resolve */
    }
    yk_reduced_free(&r);
    yk_matrix_fini(&M);
    yk_matrix_fini(&K);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_condensed_loop_decays_as_the_full_one),
        cmocka_unit_test(margin_of_a_large_structure_is_that_of_the_full_loop),
        cmocka_unit_test(free_vibrations_on_request_are_not_condensed),
        cmocka_unit_test(a_part_that_yields_is_not_condensed),
        cmocka_unit_test(ritz_vectors_have_the_low_frequencies_of_a_chain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
