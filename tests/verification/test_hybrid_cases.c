/* Hybrid tests of the literature, from files, on the station and the virtual rig: the open-loop test of three sines,
 * the predictors that start from the last completed step, and a frame of five storeys. Expected numbers come from an
 * independent program; the tolerance of the first is 3 %. */
#include "support/check.h"
#include "support/planned.h"
#include "support/transfer.h"

#include "analyze/analyze.h"
#include "state/state.h"
#include "transfer/physical.h"
#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.28318530717958647692

static struct yk_model *parse(const char *text, const char *const *set, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_parse(&e, "case.yaml", text, strlen(text), set, count, &err));
    return e;
}

/* ---- three sines through TT1 and its PID, in open loop ---- */

/* The specimen is a spring of 1 N/m: the force that is handed back is the displacement that it belongs to. */
static const char open_loop[] =
    "time: {step: 0.009765625, end: 25 s, control_rate: 1024 Hz}\n"
    "method: {integrator: central-difference}\n"
    "substructures: {s: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {mass: [1]}}}\n"
    "transfer: {a1: {compensator: {kind: none}, controller: {kind: pid, K: 3.32, Ti: 58.99 ms, Td: 6.305 ms, N: 0}}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: second-order, gain: 0.9868, T1: 53.97 ms, T2: 5.014 ms, dead_time: 9.331 ms}}}\n"
    "  specimen: {dofs: [x], mass: [0], stiffness: [1]}\n";

/* Amplitudes at 1, 2 and 4 Hz of desired minus measured, over the last 10 s, which are 1024 steps. */
static void synchronisation(const char *const *set, size_t count, double amplitude[3])
{
    static const double size[] = {5, 3, 2}, frequency[] = {1, 2, 4};
    struct yk_model *e = parse(open_loop, set, count);
    struct yk_system *s = e->substructures[0].system;
    const double zero = 0;
    double sine[3] = {0}, cosine[3] = {0}, force;

    s->ops->rest(s->self, &zero);
    for (int i = 1; i <= 2560; i++) {
        const double t = i * e->time.step;
        double x = 0, v = 0;

        for (int k = 0; k < 3; k++) {
            x += size[k] * sin(TWO_PI * frequency[k] * t);
            v += size[k] * TWO_PI * frequency[k] * cos(TWO_PI * frequency[k] * t);
        }
        specimen_force(s, e->station, t, &zero, &x, &v, &force);
        assert_near(yk_station_state(e->station, 0).matched, -force, 1e-12);
        for (int k = 0; k < 3 && i > 1536; k++) {
            sine[k] += (x + force) * sin(TWO_PI * frequency[k] * t) / 512;
            cosine[k] += (x + force) * cos(TWO_PI * frequency[k] * t) / 512;
        }
    }
    for (int k = 0; k < 3; k++)
        amplitude[k] = hypot(sine[k], cosine[k]);
    yk_model_close(e);
}

/* Without compensation, compensated, and overcompensated by half a step with optimal feedback, eq. (5.36). */
static void three_sines_in_open_loop(void **state)
{
    static const struct {
        const char *set[2];
        size_t count;
        double amplitude[3];
    } rows[] = {
        {{0}, 0, {0.5379, 0.6516, 0.8691}},
        {{"transfer.a1.compensator={kind: velocity, order: 3, delay: 18.1 ms}"}, 1, {0.0306, 0.0296, 0.0457}},
        {{"transfer.a1.compensator={kind: velocity, order: 3, delay: 18.1 ms}",
          "transfer.a1.feedback={kind: optimal, over: steps, steps: 0.5, window: 9.765625 ms, rule: nearest}"},
         2,
         {0.0016, 0.0007, 0.0050}},
    };
    double amplitude[3];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        synchronisation(rows[i].set, rows[i].count, amplitude);
        for (int k = 0; k < 3; k++)
            assert_near(amplitude[k], rows[i].amplitude[k], fmax(0.03 * rows[i].amplitude[k], 5e-5));
    }
}

/* ---- predictors that start from the last completed step ---- */

/* One mass of 1 kg, half of its stiffness in the specimen, a delay of one step, which is compensated. */
static const char predicted[] = "time: {step: 10 ms, end: 10 s, control_rate: 100 Hz}\n"
                                "method: {integrator: central-difference}\n"
                                "substructures:\n"
                                "  n: {dofs: [x], mass: [1], stiffness: [200]}\n"
                                "  s: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [200]}}\n"
                                "interfaces: [{join: [n.x, s.x]}]\n"
                                "transfer: {a1: {compensator: {kind: explicit-newmark, delay: 10 ms}}}\n"
                                "rig:\n"
                                "  backend: virtual\n"
                                "  actuators: {a1: {plant: {kind: delay, delay: 10 ms}}}\n"
                                "  specimen: {dofs: [x], mass: [0], stiffness: [200]}\n";

/* Spectral radius of the loop with integrator and compensator at omega times step = Om. */
static double radius(const char *integrator, const char *compensator, double Om)
{
    char set[6][96];
    const char *const sets[] = {set[0], set[1], set[2], set[3], set[4], set[5]};
    struct yk_margin margin;

    snprintf(set[0], sizeof set[0], "method.integrator=%s", integrator);
    snprintf(set[1], sizeof set[1], "transfer.a1.compensator.kind=%s", compensator);
    snprintf(set[2], sizeof set[2], "substructures.n.stiffness=[%.15g]", 5e3 * Om * Om);
    snprintf(set[3], sizeof set[3], "rig.specimen.stiffness=[%.15g]", 5e3 * Om * Om);
    snprintf(set[4], sizeof set[4], "substructures.s.estimate.stiffness=[%.15g]", 5e3 * Om * Om);
    snprintf(set[5], sizeof set[5], "time.control_rate=%d", 100 * yk_integrator_find(integrator)->stages);
    struct yk_model *e = parse(predicted, sets, 6);
    assert_ok(planned_margin(e, 0, &margin, &err));
    assert_true(margin.by_matrix);
    yk_model_close(e);
    return exp(-margin.decay * 0.01);
}

/* Central differences of an undamped mass are the explicit Newmark method: stable to sqrt(2/3), dissipative; with the
 * linear acceleration it grows below 0.34416. */
static void kinematic_predictors_have_the_published_radii(void **state)
{
    assert_near(radius("central-difference", "explicit-newmark", 0.2), 0.99961474, 1e-8);
    assert_true(radius("central-difference", "explicit-newmark", 0.8164) < 1);
    assert_true(radius("central-difference", "explicit-newmark", 0.8166) > 1);
    assert_near(radius("central-difference", "linear-acceleration", 0.2828), 1.00016243, 1e-8);
    assert_true(radius("central-difference", "linear-acceleration", 0.3441) > 1);
    assert_true(radius("central-difference", "linear-acceleration", 0.3442) < 1);
}

/* Every method with one force a step, to which the data of stages and of steps are the same, damped and loaded: the
 * command is what the formula makes of the last two completed steps, H = 1 + eta = 2.66. */
static void kinematic_predictors_start_from_the_completed_step(void **state)
{
    static const char *const integrators[] = {"central-difference", "alpha-os", "chang", "cr", "kr-alpha"};
    static const char *const kinds[] = {"explicit-newmark", "linear-acceleration"};
    static const double weight[2][4] = {{1, 2.66, 3.5378, 0}, {1, 2.66, 6.6746493333333333, -3.1368493333333333}};

    for (int k = 0; k < 10; k++) {
        char set[2][96];
        const char *const sets[] = {set[0],
                                    set[1],
                                    "substructures.n.damping=[2]",
                                    "substructures.n.initial={velocity: {x: 0.1}}",
                                    "substructures.s.initial={velocity: {x: 0.1}}",
                                    "loads=[{on: n.x, kind: sine, amplitude: 2 N, frequency: 1 Hz}]"};
        double x, v, a, before;
        struct yk_state m;

        snprintf(set[0], sizeof set[0], "method.integrator=%s", integrators[k / 2]);
        snprintf(set[1], sizeof set[1], "transfer.a1.compensator={kind: %s, delay: 16.6 ms, data: %s}", kinds[k % 2],
                 k < 5 ? "step" : "stage");
        struct yk_model *e = parse(predicted, sets, 6);
        assert_ok(yk_state_open(&m, e, 0, &err));
        assert_int_equal(yk_state_start(&m), YK_OK);
        yk_state_now(&m, 1, &x, &v, &a);
        before = a;
        for (int i = 0; i < 100; i++) {
            const double *w = weight[k % 2], h = 0.01;
            const double expected = w[0] * x + w[1] * h * v + h * h * (w[2] * a + w[3] * before);

            assert_int_equal(yk_state_step(&m), YK_OK);
            assert_near(yk_station_state(m.station, 0).command, expected, 1e-12);
            before = a;
            yk_state_now(&m, 1, &x, &v, &a);
        }
        yk_state_close(&m);
        yk_model_close(e);
    }
}

/* With two stages a step the ends of steps are completed states too: half a step, then a whole one, and the delay
 * ahead. */
static void kinematic_predictors_of_two_stages_start_from_steps(void **state)
{
    const char *const sets[] = {"time.control_rate=1000 Hz", "method.integrator=lsrt2",
                                "transfer.a1.compensator={kind: explicit-newmark, delay: 10 ms, data: step}",
                                "substructures.n.initial={velocity: {x: 0.1}}",
                                "substructures.s.initial={velocity: {x: 0.1}}"};
    struct yk_model *e = parse(predicted, sets, 5);
    double x, v, a;
    struct yk_state m;

    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    yk_state_now(&m, 1, &x, &v, &a);
    for (int i = 0; i < 100; i++) {
        const double H = 0.02, expected = x + H * v + 0.5 * H * H * a;

        assert_int_equal(yk_state_step(&m), YK_OK);
        assert_near(yk_station_state(m.station, 0).command, expected, 1e-12);
        yk_state_now(&m, 1, &x, &v, &a);
    }
    yk_state_close(&m);
    yk_model_close(e);
}

/* At every stage the equation of motion gives the acceleration, M a = p: stable to 1.05034 with explicit Newmark and to
 * 0.86835 with linear acceleration, as in test_delay_stability. */
static void kinematic_predictors_of_two_stages_know_the_acceleration_of_each(void **state)
{
    assert_true(radius("lsrt2", "explicit-newmark", 1.0503) < 1 + 1e-9);
    assert_true(radius("lsrt2", "explicit-newmark", 1.0505) > 1 + 1e-6);
    assert_true(radius("lsrt2", "linear-acceleration", 0.8683) < 1 + 1e-9);
    assert_true(radius("lsrt2", "linear-acceleration", 0.8685) > 1 + 1e-6);
}

/* ---- five storeys ---- */

/* A uniform chain of 900 kg and 200 kN/m; 298 kg and 40 kN/m of its first storey are the specimen. Which storey it was,
 * the excitation and the compensated delay are not printed. */
static const char storeys[] =
    "time: {step: 10 ms, end: 10 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  n:\n"
    "    kind: assembled\n"
    "    nodes: {m1: {mass: 602 kg}, m2: {mass: 900 kg}, m3: {mass: 900 kg}, m4: {mass: 900 kg}, m5: {mass: 900 kg}}\n"
    "    elements:\n"
    "      - {kind: spring, stiffness: 160 kN/m, between: [ground, m1.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m1.x, m2.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m2.x, m3.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m3.x, m4.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m4.x, m5.x]}\n"
    "  s: {role: physical, dofs: [x], actuators: {x: a1}}\n"
    "interfaces: [{join: [n.m1.x, s.x]}]\n"
    "transfer: {a1: {}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: ideal}}}\n"
    "  specimen: {kind: assembled, nodes: {m: {mass: 298 kg}}, elements: [{kind: spring, stiffness: 40 kN/m, between: "
    "[ground, m.x]}]}\n";

static void frequencies_of_the_five_storeys(void **state)
{
    static const double expected[] = {0.675, 1.971, 3.107, 3.992, 4.553};
    struct yk_model *e = parse(storeys, NULL, 0), *models = NULL;
    double w2[5];

    assert_ok(yk_model_with_players(e, YK_PLAYED_BY_MODELS, &models, &err));
    const struct yk_system *s = models->assembly->system;
    assert_int_equal(s->n, 5);
    assert_ok(yk_eigen_symmetric(&s->K, &s->M, 5, w2, NULL, &err));
    for (int i = 0; i < 5; i++)
        assert_near(sqrt(w2[i]) / TWO_PI, expected[i], 5e-4);
    yk_model_close(e);
    yk_model_close(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_sines_in_open_loop),
        cmocka_unit_test(kinematic_predictors_have_the_published_radii),
        cmocka_unit_test(kinematic_predictors_start_from_the_completed_step),
        cmocka_unit_test(kinematic_predictors_of_two_stages_start_from_steps),
        cmocka_unit_test(kinematic_predictors_of_two_stages_know_the_acceleration_of_each),
        cmocka_unit_test(frequencies_of_the_five_storeys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
