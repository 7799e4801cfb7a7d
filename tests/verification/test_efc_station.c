/* Equivalent force control from a file, on the virtual rig. Expected values: efc reference cases of an independent
 * program (an actuator of 100 rad/s and damping 0.9, held commands, samples of 1 ms). */
#include "coupling/efc.h"
#include "support/check.h"

#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <yoke/yoke.h>

static const char spring[] =
    "time: {step: 10 ms, substeps: 10, end: 5 s, control_rate: 1 kHz}\n"
    "method: {coupling: efc, Kp: 2, Ki: 200}\n"
    "substructures:\n"
    "  N: {rate: coarse, dofs: [x], mass: [100], stiffness: [[3600]]}\n"
    "  E: {role: physical, rate: fine, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[3600]]}}\n"
    "interfaces: [{join: [N.x, E.x]}]\n"
    "loads: [{on: N.x, kind: sine, amplitude: 10, frequency: 1 Hz}]\n"
    "transfer: {a1: {}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: servo, frequency: 15.915494309189533, damping: 0.9}}}\n"
    "  specimen: {dofs: [x], mass: [0], stiffness: [[3600]]}\n";

/* One side yields: a bilinear spring of the numerical substructure or of the specimen, the other spring being linear.
 */
#define YIELDS "kind: bilinear, stiffness: 3600, hardening: 0.05, yield_slip: 5.5555555555555556e-3"
#define LINEAR "kind: spring, stiffness: 3600"
#define YIELDING(numerical, specimen)                                                                                  \
    "time: {step: 10 ms, substeps: 10, end: 10 s, control_rate: 1 kHz}\n"                                              \
    "method: {coupling: efc, Kp: 2, Ki: 200}\n"                                                                        \
    "substructures:\n"                                                                                                 \
    "  N: {rate: coarse, kind: assembled, nodes: {n: {mass: 100}}, elements: [{between: [ground, n.x], " numerical     \
    "}]}\n"                                                                                                            \
    "  E: {role: physical, rate: fine, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[3600]]}}\n"              \
    "interfaces: [{join: [N.n.x, E.x]}]\n"                                                                             \
    "loads: [{on: N.n.x, kind: sine, amplitude: 100, frequency: 0.8 Hz}]\n"                                            \
    "transfer: {a1: {}}\n"                                                                                             \
    "rig:\n"                                                                                                           \
    "  backend: virtual\n"                                                                                             \
    "  actuators: {a1: {plant: {kind: servo, frequency: 15.915494309189533, damping: 0.9}}}\n"                         \
    "  specimen: {kind: assembled, nodes: {m: {mass: 0}}, elements: [{between: [ground, m.x], " specimen "}]}\n"

/* The whole of it, by Newton's iteration. */
static const char whole[] =
    "time: {step: 10 ms, end: 10 s}\n"
    "method: {integrator: newmark-newton}\n"
    "substructures:\n"
    "  W: {kind: assembled, nodes: {n: {mass: 100}}, elements: [{between: [ground, n.x], " YIELDS
    "}, {between: [ground, n.x], " LINEAR "}]}\n"
    "loads: [{on: W.n.x, kind: sine, amplitude: 100, frequency: 0.8 Hz}]\n";

#define SPLIT YOKE_SOURCE "/examples/efc-split-mass/efc-split-mass.yaml"

/* Displacement of the numerical side after every step. */
static double *run(struct yk_model *e)
{
    double *path = calloc((size_t)e->steps + 1, sizeof *path), u, v, a;
    struct yk_state m;

    assert_non_null(path);
    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    for (long i = 0; i <= e->steps; i++) {
        if (i)
            assert_int_equal(yk_state_step(&m), YK_OK);
        yk_state_now(&m, 0, &u, &v, &a);
        path[i] = u;
    }
    yk_state_close(&m);
    return path;
}

static void a_spring_specimen_follows_the_reference(void **state)
{
    static const struct {
        const char *law, *correction;
        double d[4]; /* after 1, 10, 100, 500 steps */
    } cases[] = {
        {"step", "peek", {1.567375379937e-07, 9.932060572050e-05, -1.839621137962e-03, 2.171022267091e-03}},
        {"interpolation-2", "peek", {1.568111604476e-07, 9.970119322226e-05, -1.836896133921e-03, 3.347509621998e-03}},
        {"interpolation-2",
         "displacement",
         {1.566942491748e-07, 9.928403261757e-05, -1.846599351599e-03, 2.279211721427e-03}},
    };
    static const int steps[] = {1, 10, 100, 500};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char law[64], correction[64];
        const char *const set[] = {law, correction};
        struct yk_model *e;

        snprintf(law, sizeof law, "method.law=%s", cases[i].law);
        snprintf(correction, sizeof correction, "method.correction=%s", cases[i].correction);
        assert_ok(yk_model_parse(&e, "efc.yaml", spring, strlen(spring), set, 2, &err));
        double *d = run(e);
        for (int k = 0; k < 4; k++)
            assert_near_relative(d[steps[k]], cases[i].d[k], 1e-9);
        free(d);
        yk_model_close(e);
    }
}

/* The model of the actuator in the file is that of the rig. */
static void a_spring_specimen_is_led(void **state)
{
    static const struct {
        const char *type;
        double d[4];
    } cases[] = {
        {"method.feedforward=type-3",
         {1.566942491748e-07, 9.928403261757e-05, -1.846517369770e-03, 2.272874356925e-03}},
        {"method.feedforward=type-4",
         {1.566941448501e-07, 9.928396977512e-05, -1.846941780474e-03, 2.279331782054e-03}},
    };
    static const int steps[] = {1, 10, 100, 500};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const set[] = {cases[i].type, "method.correction=displacement", "method.actuator=servo",
                                   "method.frequency=15.915494309189533", "method.damping=0.9"};
        struct yk_model *e;

        assert_ok(yk_model_parse(&e, "efc.yaml", spring, strlen(spring), set, 5, &err));
        double *d = run(e);
        for (int k = 0; k < 4; k++)
            assert_near_relative(d[steps[k]], cases[i].d[k], 1e-9);
        free(d);
        yk_model_close(e);
    }
}

/* Damping in the estimate of the specimen belongs to the loop: told of it, the first step ends nearer its command. */
static void the_estimated_damping_is_led(void **state)
{
    static const char *const damped[] = {
        "method.feedforward=type-4",           "method.actuator=servo",
        "method.frequency=15.915494309189533", "method.damping=0.9",
        "rig.specimen.damping=[[20000]]",      "substructures.E.estimate={stiffness: [[3600]], damping: [[20000]]}"};
    double residual[2];

    for (int k = 0; k < 2; k++) {
        struct yk_model *e;
        struct yk_state m;

        assert_ok(yk_model_parse(&e, "efc.yaml", spring, strlen(spring), damped, 5 + (size_t)k, &err));
        assert_ok(yk_state_open(&m, e, 0, &err));
        assert_int_equal(yk_state_start(&m), YK_OK);
        assert_int_equal(yk_state_step(&m), YK_OK);
        residual[k] = fabs(yk_efc_of(m.coupling)->error[0]);
        yk_state_close(&m);
        yk_model_close(e);
    }
    assert_true(residual[1] < 0.3 * residual[0]);
}

static void a_yielding_side_is_followed(void **state)
{
    static const struct {
        const char *text, *set[3];
        size_t sets;
        double error, tolerance; /* relative */
    } cases[] = {
        {YIELDING(YIELDS, LINEAR), {NULL}, 0, 0.109326, 1e-4},
        {YIELDING(YIELDS, LINEAR), {"method.sweeps=2"}, 1, 1.02659e-4, 1e-3},
        {YIELDING(YIELDS, LINEAR), {"method.sweeps=3"}, 1, 8.76e-8, 1e-2},
        {YIELDING(LINEAR, YIELDS), {NULL}, 0, 0.10932, 1e-4},
        {YIELDING(LINEAR, YIELDS), {"method.tangent=secant", "method.least_travel=1 mm"}, 2, 0.00155778, 1e-3},
    };
    struct yk_model *e;
    double *want, peak = 0;

    assert_ok(yk_model_parse(&e, "whole.yaml", whole, strlen(whole), NULL, 0, &err));
    want = run(e);
    yk_model_close(e);
    for (long k = 0; k <= 1000; k++)
        peak = fmax(peak, fabs(want[k]));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double most = 0;

        assert_ok(
            yk_model_parse(&e, "efc.yaml", cases[i].text, strlen(cases[i].text), cases[i].set, cases[i].sets, &err));
        double *d = run(e);
        for (long k = 0; k <= 1000; k++)
            most = fmax(most, fabs(d[k] - want[k]));
        assert_near_relative(most / peak, cases[i].error, cases[i].tolerance);
        free(d);
        yk_model_close(e);
    }
    free(want);
}

/* Amplitude of the last 2 of 20 s, for an estimate of the mass that is 0.95, 1 and 1.05 of it. */
static void the_estimate_of_the_mass_damps_or_feeds(void **state)
{
    static const struct {
        const char *mass;
        double amplitude;
    } cases[] = {{"substructures.specimen.estimate.mass=[95]", 0.7978},
                 {"substructures.specimen.estimate.mass=[100]", 0.9983},
                 {"substructures.specimen.estimate.mass=[105]", 1.2419}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e;
        double most = 0;

        assert_ok(yk_model_load(&e, SPLIT, &cases[i].mass, 1, &err));
        double *d = run(e);
        for (long k = 360; k <= e->steps; k++)
            most = fmax(most, fabs(d[k]));
        assert_near_relative(most / 0.010, cases[i].amplitude, 2e-3);
        free(d);
        yk_model_close(e);
    }
}

/* Settings without effect, at their key. */
static void what_does_not_count_is_refused(void **state)
{
    static const struct {
        const char *set[3], *words;
    } bad[] = {
        {{"method.T1=10 ms"}, "T1 has no effect with feedforward: none"},
        {{"method.actuator=servo"}, "actuator has no effect with feedforward: none"},
        {{"method.feedforward=type-3", "method.T1=10 ms", "method.frequency=9 Hz"},
         "frequency has no effect with actuator: lags; it is for actuator: servo"},
        {{"method.least_travel=1 mm"}, "least_travel has no effect with tangent: estimate; it is for tangent: secant"},
    };
    struct yk_model *e;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const size_t sets = bad[i].set[2] ? 3 : 1;

        assert_refused(yk_model_parse(&e, "efc.yaml", spring, strlen(spring), bad[i].set, sets, &err), YK_E_INPUT,
                       bad[i].words);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    static const char text[] = "time: {step: 10 ms, substeps: 10, end: 1 s}\n"
                               "method: {coupling: efc}\n"
                               "substructures:\n"
                               "  N: {rate: coarse, dofs: [x], mass: [100], stiffness: [[3600]]}\n"
                               "  E: {rate: fine, dofs: [x], mass: [100], stiffness: [[3600]]}\n"
                               "interfaces: [{join: [N.x, E.x]}]\n";
    static const char rubbing[] =
        YIELDING("kind: friction, force: 10, slip_velocity: 1 mm/s", LINEAR); /* its force is known at a rate only */
    static const char *const row[] = {"interfaces=[{row: {N.x: 1, E.x: -2}}]"};
    static const struct {
        const char *set[3];
        size_t sets;
        enum yk_status status;
        const char *words;
    } bad[] = {
        {{"method.feedforward=type-3"}, 1, YK_E_INPUT, "efc.yaml:2:20: efc: the feedforward needs a model of the actu"},
        {{"method.feedforward=type-3", "method.T1=10 ms", "method.Ki=0"}, 3, YK_E_RANGE, "efc.yaml:2:20: efc: Ki = 0"},
        {{"method.feedforward=type-4", "method.T1=10 ms", "method.law=step"},
         3,
         YK_E_INPUT,
         "use law: interpolation-2"},
        {{"method.tangent=secant"}, 1, YK_E_RANGE, "efc.yaml:2:20: efc: tangent: secant with least_travel = 0"},
        {{"method.tangent=secant", "method.least_travel=1 mm", "substructures.E.estimate.mass=[2]"},
         3,
         YK_E_UNSUPPORTED,
         "leave the mass out of the estimate"},
        {{"method.sweeps=2", "method.correction=none"}, 2, YK_E_INPUT, "2 sweeps need a correction, but there is none"},
    };
    struct yk_model *e;
    struct yk_state m;

    assert_ok(yk_model_parse(&e, "efc.yaml", spring, strlen(spring), row, 1, &err));
    assert_refused(yk_state_open(&m, e, 0, &err), YK_E_UNSUPPORTED, "not a plain join of two degrees of freedom");
    yk_model_close(e);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_ok(yk_model_parse(&e, "efc.yaml", spring, strlen(spring), bad[i].set, bad[i].sets, &err));
        assert_refused(yk_state_open(&m, e, 0, &err), bad[i].status, bad[i].words);
        yk_model_close(e);
    }
    assert_ok(yk_model_parse(&e, "efc.yaml", rubbing, strlen(rubbing), NULL, 0, &err));
    assert_refused(yk_state_open(&m, e, 0, &err), YK_E_UNSUPPORTED,
                   "depends on the rate: friction and nonlinear dampers");
    yk_model_close(e);
    assert_ok(yk_model_parse(&e, "efc.yaml", text, strlen(text), NULL, 0, &err));
    assert_refused(yk_state_open(&m, e, 0, &err), YK_E_UNSUPPORTED, "moves specimens, and the fine side has none");
    yk_model_close(e);
}

/* The estimate contains the mass that the load cell feels: the reference of 100 + 100 kg on 2 x 3600 N/m swings at 6
 * rad/s, whatever the estimate is. */
static void the_reference_has_the_mass_of_the_specimen_once(void **state)
{
    static const char *const set[] = {"reference=monolithic", "time.end=4 s",
                                      "substructures.specimen.estimate.mass=[95]"};
    struct yk_model *model;
    struct yk_session *run;

    assert_ok(yk_model_read(
        &model,
        &(struct yk_model_source){
            .path = YOKE_SOURCE "/examples/efc-split-mass/efc-split-mass.yaml", .overrides = set, .override_count = 3},
        &err));
    assert_ok(yk_session_open(&run, model, &err));
    const long at = yk_session_channel_find(run, "reference.frame.x.u");

    assert_true(at > 0);
    while (yk_session_steps(run) < yk_model_steps(model)) {
        assert_ok(yk_session_step(run, &err));
        const double *row = yk_session_row(run);

        assert_near(row[at], 0.01 * cos(6 * row[0]), 1e-8);
    }
    yk_session_close(run);
    yk_model_close(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_specimen_follows_the_reference),
        cmocka_unit_test(a_spring_specimen_is_led),
        cmocka_unit_test(the_estimated_damping_is_led),
        cmocka_unit_test(a_yielding_side_is_followed),
        cmocka_unit_test(the_estimate_of_the_mass_damps_or_feeds),
        cmocka_unit_test(the_reference_has_the_mass_of_the_specimen_once),
        cmocka_unit_test(what_does_not_count_is_refused),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
