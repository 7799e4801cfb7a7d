/* FMUs as substructures: the same motion as without them, at the order of the method, whatever they do. Expected
 * values: the matrix exponential of the coupled structure, computed by an independent program. */
#include "support/check.h"
#include "support/fmus.h"
#include "support/program.h"
#include "support/scratch.h"

#include <yoke/signal.h>
#include <yoke/transfer.h>
#include <yoke/yoke.h>

#include <math.h>
#include <stdlib.h>

/* Settings with defaults and these texts; files are in the scratch folder. */
static void settings_of(const struct yk_param *params, size_t size, void **settings, const char *const *texts)
{
    assert_ok(yk_param_settings(params, size, settings, &err));
    for (; *texts; texts += 2)
        for (const struct yk_param *p = params; p->name; p++)
            if (strcmp(p->name, texts[0]) == 0)
                *(char **)((char *)*settings + p->offset) =
                    strdup(p->type == YK_PARAM_FILE ? scratch_path(texts[1]) : texts[1]);
}

/* u of the structure after `t` seconds. */
static double run_to(const char *file, double t, const char *channel)
{
    struct yk_model *model = NULL;
    struct yk_session *run = NULL;
    double u;

    assert_ok(yk_model_open(&model, file, NULL, 0, &err));
    assert_ok(yk_session_open(&run, model, &err));
    for (long i = lround(t / yk_model_step(model)); i > 0; i--)
        assert_ok(yk_session_step(run, &err));
    assert_true(yk_session_channel_find(run, channel) >= 0);
    u = yk_session_row(run)[yk_session_channel_find(run, channel)];
    yk_session_close(run);
    yk_model_close(model);
    return u;
}

/* A structure with the absorber on it. */
static const char *structure(const char *name, const char *fmu, const char *step, const char *method, const char *more)
{
    char text[1600];

    snprintf(
        text, sizeof text,
        "time: { step: %s, end: 5 }\n"
        "method: { integrator: %s }\n"
        "substructures:\n"
        "  frame: { dofs: [x], mass: [1000], damping: [250], stiffness: [40 kN/m], initial: { velocity: { x: 1 } } }\n"
        "  absorber: { kind: fmu, timeout: 60 s, file: %s, dofs: { x: { displacement: x, velocity: v, force: F } }, "
        "initial: { "
        "velocity: { x: 1 } }%s }\n"
        "interfaces: [ { join: [frame.x, absorber.x] } ]\n",
        step, method, fmu, more);
    return scratch_write(name, text);
}

static void trial_steps_of_co_simulation_give_the_motion_of_the_table(void **state)
{
    /* average acceleration, each step iterated to convergence: u at 2 s */
    static const struct {
        const char *inputs, *step;
        double u;
    } rows[] = {
        {"end", "20 ms", -0.0158709736955},    {"end", "5 ms", -0.0122971473480},
        {"mean", "20 ms", -0.0122991235870},   {"mean", "5 ms", -0.0114167303986},
        {"linear", "20 ms", -0.0123358314276}, {"linear", "10 ms", -0.0116018081452},
        {"linear", "5 ms", -0.0114190861551},
    };

    make_fmu(scratch_path("absorber2.fmu"), &fmu_absorber2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char more[80];

        snprintf(more, sizeof more, ", inputs: %s%s", rows[i].inputs, i < 5 ? ", isolation: none" : "");
        assert_near(run_to(structure("a.yaml", "absorber2.fmu", rows[i].step, "newmark-newton, tolerance: 1e-12", more),
                           2, "frame.x.u"),
                    rows[i].u, 1e-10);
    }
}

static void model_exchange_and_fmi_3_reach_the_true_motion(void **state)
{
    /* matrix exponential of the coupled structure, u at 2 s */
    const double exact = -0.0113582498243175;
    double coarse, fine;

    make_fmu(scratch_path("exchange.fmu"), &fmu_absorber_exchange);
    make_fmu(scratch_path("absorber3.fmu"), &fmu_absorber3);
    assert_near(run_to(structure("me.yaml", "exchange.fmu", "1 ms", "rk4", ", isolation: none"), 2, "frame.x.u"), exact,
                1e-6);
    coarse = run_to(structure("me.yaml", "exchange.fmu", "20 ms", "newmark-newton", ""), 2, "frame.x.u") - exact;
    fine = run_to(structure("me.yaml", "exchange.fmu", "10 ms", "newmark-newton", ""), 2, "frame.x.u") - exact;
    assert_near(log2(coarse / fine), 2, 0.1);
    /* FMI 3 with intermediate updates is `linear`: the number of the table */
    assert_near(
        run_to(structure("cs3.yaml", "absorber3.fmu", "10 ms", "newmark-newton, tolerance: 1e-12", ""), 2, "frame.x.u"),
        -0.0116018081452, 1e-10);
}

static void a_child_process_and_this_process_give_the_same_bits(void **state)
{
    static const char *const files[] = {"absorber2.fmu", "exchange.fmu", "absorber3.fmu"};

    make_fmu(scratch_path(files[0]), &fmu_absorber2);
    make_fmu(scratch_path(files[1]), &fmu_absorber_exchange);
    make_fmu(scratch_path(files[2]), &fmu_absorber3);
    for (size_t i = 0; i < 3; i++) {
        const double apart = run_to(structure("p.yaml", files[i], "10 ms", "lsrt2", ""), 1, "frame.x.u"),
                     here =
                         run_to(structure("n.yaml", files[i], "10 ms", "lsrt2", ", isolation: none"), 1, "frame.x.u");

        assert_memory_equal(&apart, &here, sizeof here);
    }
}

static void a_spring_equals_the_built_in_one(void **state)
{
    static const char *const head = "time: { step: 5 ms, end: 2 }\nmethod: { integrator: lsrt2 }\nsubstructures:\n";
    char text[800];
    double own, built_in;

    make_fmu(scratch_path("spring.fmu"), &fmu_spring2);
    snprintf(text, sizeof text,
             "%s  s: { kind: fmu, timeout: 60 s, file: spring.fmu, dofs: { x: { displacement: x, velocity: v, force: F "
             "} }, mass: [10], "
             "parameters: { k: 4 kN/m, c: 20 N s/m }, initial: { displacement: { x: 10 mm } } }\n",
             head);
    own = run_to(scratch_write("s.yaml", text), 2, "s.x.u");
    snprintf(
        text, sizeof text,
        "%s  s: { dofs: [x], mass: [10], stiffness: [4 kN/m], damping: [20], initial: { displacement: { x: 10 mm } "
        "} }\n",
        head);
    built_in = run_to(scratch_write("b.yaml", text), 2, "s.x.u");
    /* the method takes K and C of the FMU from differences, so the last digits differ */
    assert_near(own, built_in, 1e-9);
}

static void hysteresis_equals_that_of_the_built_in_law(void **state)
{
    static const char *const head = "time: { step: 1 ms, end: 3 }\nmethod: { integrator: rk4 }\nsubstructures:\n",
                             *load = "loads: [ { on: s.x, kind: sine, amplitude: 30, frequency: 1 Hz } ]\n";
    char text[1000];
    double own, built_in;

    make_fmu(scratch_path("bouc_wen.fmu"), &fmu_bouc_wen);
    snprintf(text, sizeof text,
             "%s  s: { kind: fmu, timeout: 60 s, file: bouc_wen.fmu, interface: model-exchange, dofs: { x: { "
             "displacement: x, velocity: "
             "v, force: F } }, mass: [20] }\n%s",
             head, load);
    own = run_to(scratch_write("h.yaml", text), 2.6, "s.x.u");
    /* q = z/((1-a) k): k0 = 900 N/m, kh = 100 N/m, zy = (1-a) k Y = 9 N, beta = gamma = k0/(2 zy^2) */
    snprintf(text, sizeof text,
             "%s  s: { kind: assembled, nodes: { m: { dofs: [x], mass: 20 } }, elements: [ { kind: bouc-wen, between: "
             "[ground, m.x], kh: 100, k0: 900, beta: 5.5555555555555554, gamma: 5.5555555555555554, n: 2 } ] }\n%s",
             head, "loads: [ { on: s.m.x, kind: sine, amplitude: 30, frequency: 1 Hz } ]\n");
    built_in = run_to(scratch_write("w.yaml", text), 2.6, "s.m.x.u");
    assert_true(fabs(built_in) > 0.005);
    assert_near_relative(own, built_in, 1e-4);
}

static void an_fmu_without_saved_states_is_asked_once_and_refused_where_trials_are_needed(void **state)
{
    struct fmu_spec spec = fmu_absorber2;
    struct yk_model *model;

    spec.flags = "canHandleVariableCommunicationStepSize='true' canInterpolateInputs='true' "
                 "providesDirectionalDerivative='true'";
    make_fmu(scratch_path("once.fmu"), &spec);
    assert_near(run_to(structure("o.yaml", "once.fmu", "2.5 ms", "lsrt2", ""), 2, "frame.x.u"), -0.0113582498243175,
                1e-4);
    assert_refused(yk_model_open(&model, structure("o.yaml", "once.fmu", "5 ms", "newmark-newton", ""), NULL, 0, &err),
                   YK_E_UNSUPPORTED, "tries several motions from one instant");
    assert_refused(
        yk_model_open(&model, structure("o.yaml", "once.fmu", "5 ms", "lsrt2", ", trials: save"), NULL, 0, &err),
        YK_E_UNSUPPORTED, "canGetAndSetFMUstate");
}

static void motions_of_one_plan_do_not_disturb_each_other(void **state)
{
    struct yk_model *model = NULL;
    struct yk_session *runs[2] = {NULL, NULL};
    double alone, both[2];
    long u;

    make_fmu(scratch_path("absorber2.fmu"), &fmu_absorber2);
    alone = run_to(structure("a.yaml", "absorber2.fmu", "10 ms", "lsrt2", ""), 1, "frame.x.u");
    assert_ok(yk_model_open(&model, scratch_path("a.yaml"), NULL, 0, &err));
    for (int i = 0; i < 2; i++)
        assert_ok(yk_session_open(&runs[i], model, &err));
    u = yk_session_channel_find(runs[0], "frame.x.u");
    for (int k = 0; k < 100; k++)
        for (int i = 0; i < 2; i++)
            assert_ok(yk_session_step(runs[i], &err));
    for (int i = 0; i < 2; i++) {
        both[i] = yk_session_row(runs[i])[u];
        assert_memory_equal(&both[i], &alone, sizeof alone);
        yk_session_close(runs[i]);
    }
    yk_model_close(model);
}

static void couplings_advance_an_fmu_on_either_side(void **state)
{
    static const char *const methods[] = {"gc", "pm", "ph", "mph", "plsrt2", "iplsrt2"};

    make_fmu(scratch_path("absorber2.fmu"), &fmu_absorber2);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int fine = 0; fine < 2; fine++) {
            char text[1200];

            snprintf(
                text, sizeof text,
                "time: { step: 4 ms, end: 1, substeps: 2 }\nmethod: { coupling: %s }\nsubstructures:\n"
                "  frame: { dofs: [x], mass: [900], damping: [250], stiffness: [40 kN/m], initial: { velocity: { x: 1 "
                "} }, rate: %s }\n"
                "  absorber: { kind: fmu, timeout: 60 s, file: absorber2.fmu, dofs: { x: { displacement: x, velocity: "
                "v, force: F } "
                "}, mass: [100], isolation: none, initial: { velocity: { x: 1 } }, rate: %s }\n"
                "interfaces: [ { join: [frame.x, absorber.x] } ]\n",
                methods[i], fine ? "coarse" : "fine", fine ? "fine" : "coarse");
            /* matrix exponential, u at 1 s */
            assert_near(run_to(scratch_write("c.yaml", text), 1, "frame.x.u"), 0.000586867232594419, 1e-3);
        }
}

static void events_are_handled_at_steps_or_located(void **state)
{
    static const char *const text =
        "time: { step: 10 ms, end: 1 }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
        "  s: { kind: fmu, timeout: 60 s, file: bouncer.fmu, dofs: { x: { displacement: x, velocity: v, "
        "force: F } }, mass: [1], events: %s }\n";
    char file[500];
    struct yk_model *model;

    make_fmu(scratch_path("bouncer.fmu"), &fmu_bouncer);
    snprintf(file, sizeof file, text, "locate");
    (void)run_to(scratch_write("e.yaml", file), 1, "s.x.u");
    snprintf(file, sizeof file, text, "step");
    (void)run_to(scratch_write("e.yaml", file), 1, "s.x.u");
    snprintf(file, sizeof file, text, "refuse");
    assert_refused(yk_model_open(&model, scratch_write("e.yaml", file), NULL, 0, &err), YK_E_UNSUPPORTED,
                   "event indicators, and events: refuse");
}

/* Mass, spring and damper in the FMU, joined to a structure and loaded, beside the same as a built-in model. */
static void an_fmu_may_have_degrees_of_freedom_of_its_own(void **state)
{
    static const char *const text =
        "time: { step: 5 ms, end: 2 }\nmethod: { integrator: %s }\nsubstructures:\n"
        "  frame: { dofs: [x], mass: [100], stiffness: [9 kN/m], initial: { displacement: { x: 10 mm } } }\n"
        "  own: { %s, initial: { displacement: { x: 10 mm } } }\ninterfaces: [ { join: [frame.x, own.x] } ]\n"
        "loads: [ { on: own.x, kind: sine, amplitude: 30, frequency: 2 Hz } ]\n";
    static const char *const methods[] = {"lsrt2", "newmark-newton", "rk4"};
    char file[1200];
    struct yk_model *model;

    make_fmu(scratch_path("oscillator.fmu"), &fmu_oscillator);
    for (size_t i = 0; i < 3; i++) {
        double expected;

        snprintf(file, sizeof file, text, methods[i], "dofs: [x], mass: [50], damping: [60], stiffness: [2 kN/m]");
        expected = run_to(scratch_write("linear.yaml", file), 2, "frame.x.u");
        assert_true(fabs(expected) > 1e-4);
        snprintf(file, sizeof file, text, methods[i],
                 "kind: fmu, timeout: 60 s, file: oscillator.fmu, isolation: none, dofs: { x: { displacement: s, "
                 "velocity: w, force: "
                 "f } }");
        assert_near(run_to(scratch_write("own.yaml", file), 2, "frame.x.u"), expected, 1e-9); /* M, K, C: differences */
    }
    snprintf(file, sizeof file, text, "lsrt2",
             "kind: fmu, timeout: 60 s, file: oscillator.fmu, dofs: { x: { displacement: s, velocity: s, force: f } }");
    assert_refused(yk_model_open(&model, scratch_write("own.yaml", file), NULL, 0, &err), YK_E_UNIT,
                   "velocity: variable 's' is in m, which is no speed");
}

static void the_example_gives_the_numbers_of_its_table(void **state)
{
    char folder[600];

    snprintf(folder, sizeof folder, "%s", scratch_path("example"));
    assert_runs(((const char *const[]){"/bin/bash", YOKE_SOURCE "/examples/fmu/build", folder, NULL}));
    assert_near(run_to(scratch_path("example/absorber.yaml"), 2, "frame.x.u"), -0.0114190861551, 1e-10);
}

/* A rig whose specimen, actuator and controller are built in or in FMUs. */
static double run_rig(const char *specimen, const char *plant, const char *controller)
{
    char text[2000];

    snprintf(text, sizeof text,
             "time: { step: 10 ms, end: 1, control_rate: 1000 Hz }\n"
             "method: { integrator: lsrt2, stability: warn }\n"
             "substructures:\n"
             "  frame: { dofs: [x], mass: [1800], damping: [1131], stiffness: [71061] }\n"
             "  specimen: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [35530] } }\n"
             "interfaces: [ { join: [frame.x, specimen.x] } ]\n"
             "loads: [ { on: frame.x, kind: sine, amplitude: 500, frequency: 1.3 Hz } ]\n"
             "transfer: { a1: { compensator: { kind: velocity, order: 2, delay: 10 ms }, controller: { kind: %s } } }\n"
             "rig: { backend: virtual, actuators: { a1: { plant: { kind: %s }, sensors: { displacement_noise: 0, "
             "force_noise: 0 } } }, specimen: { %s } }\n"
             "limits: { displacement: 200 mm, force: 8.3 kN, on_trip: ramp }\n",
             controller, plant, specimen);
    return run_to(scratch_write("rig.yaml", text), 1, "frame.x.u");
}

static void specimens_actuators_and_controllers_on_the_rig_equal_built_in_ones(void **state)
{
    static const char *const linear = "kind: linear, dofs: [x], mass: [0], stiffness: [35530]",
                             *first = "first-order, time_constant: 10 ms";
    const double expected = run_rig(linear, first, "none");
    struct fmu_spec proportional = fmu_pi;

    make_fmu(scratch_path("spring.fmu"), &fmu_spring2);
    make_fmu(scratch_path("lag.fmu"), &fmu_lag);
    make_fmu(scratch_path("pi.fmu"), &proportional);
    assert_true(fabs(expected) > 1e-3);
    assert_near_relative(
        run_rig("kind: fmu, timeout: 60 s, file: spring.fmu, dofs: { x: { displacement: x, velocity: v, force: F } }, "
                "parameters: { k: 35530 }",
                first, "none"),
        expected, 1e-12);
    assert_near_relative(
        run_rig(linear, "fmu, timeout: 60 s, file: lag.fmu, drive: u, displacement: x, parameters: T=10 ms", "none"),
        expected, 1e-12);
    /* a controller of gain 0 hands the command on */
    assert_near_relative(
        run_rig(linear, first,
                "fmu, timeout: 60 s, file: pi.fmu, command: r, measured: y, drive: u, parameters: gain=0"),
        expected, 1e-12);
}

static void controllers_plants_and_loads_run_in_fmus(void **state)
{
    const struct yk_controller_ops *pi = yk_controller_find("fmu");
    const struct yk_plant_ops *lag = yk_plant_find("fmu"), *built_in = yk_plant_find("first-order");
    const struct yk_signal_ops *ramp = yk_signal_find("fmu");
    struct yk_arena mem = {0};
    void *controller = NULL, *plant = NULL, *other = NULL, *load = NULL;
    double sum = 0;

    make_fmu(scratch_path("pi.fmu"), &fmu_pi);
    make_fmu(scratch_path("lag.fmu"), &fmu_lag);
    make_fmu(scratch_path("ramp.fmu"), &fmu_ramp);
    settings_of(pi->params, pi->size, &controller,
                (const char *const[]){"file", "pi.fmu", "command", "r", "measured", "y", "drive", "u", "parameters",
                                      "gain=2; Ti = 50 ms", NULL});
    assert_ok(pi->init(controller, 1e-3, &mem, &err));
    for (int run = 0; run < 2; run++) { /* the second one from the start again */
        pi->reset(controller, 0);
        sum = 0;
        for (int i = 0; i < 300; i++) {
            const double r = sin(0.1 * i), y = 0.9 * sin(0.1 * i - 0.2);

            sum += (r - y) * 1e-3 / 0.05;
            assert_near(pi->step(controller, r, y), r + 2 * (r - y + sum), 1e-12);
        }
    }
    pi->fini(controller);
    settings_of(lag->params, lag->size, &plant,
                (const char *const[]){"file", "lag.fmu", "drive", "u", "displacement", "x", NULL});
    settings_of(built_in->params, built_in->size, &other, (const char *const[]){NULL});
    assert_ok(yk_param_set(built_in->params, other, "time_constant", 0.01, &err));
    assert_ok(lag->init(plant, 1e-3, &mem, &err));
    assert_ok(built_in->init(other, 1e-3, &mem, &err));
    lag->reset(plant, 0);
    built_in->reset(other, 0);
    for (int i = 0; i < 300; i++) {
        struct yk_plant_output a, b;

        lag->step(plant, cos(0.05 * i), 0, &a);
        built_in->step(other, cos(0.05 * i), 0, &b);
        assert_near(a.x, b.x, 1e-14);
    }
    lag->fini(plant);
    settings_of(ramp->params, ramp->settings_size, &load,
                (const char *const[]){"file", "ramp.fmu", "output", "y", "parameters", "rate=3", NULL});
    assert_ok(yk_param_set(ramp->params, load, "sample", 0.01, &err));
    assert_ok(ramp->prepare(load, 1, &err));
    for (int i = 0; i <= 1000; i++)
        assert_near(ramp->value(load, 1e-3 * i), 3e-3 * i, 1e-12);
    yk_arena_free(&mem);
    yk_signal_free(ramp, load);
    yk_param_free(pi->params, controller);
    yk_param_free(lag->params, plant);
    free(controller);
    free(plant);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trial_steps_of_co_simulation_give_the_motion_of_the_table),
        cmocka_unit_test(model_exchange_and_fmi_3_reach_the_true_motion),
        cmocka_unit_test(a_child_process_and_this_process_give_the_same_bits),
        cmocka_unit_test(a_spring_equals_the_built_in_one),
        cmocka_unit_test(hysteresis_equals_that_of_the_built_in_law),
        cmocka_unit_test(an_fmu_without_saved_states_is_asked_once_and_refused_where_trials_are_needed),
        cmocka_unit_test(motions_of_one_plan_do_not_disturb_each_other),
        cmocka_unit_test(couplings_advance_an_fmu_on_either_side),
        cmocka_unit_test(events_are_handled_at_steps_or_located),
        cmocka_unit_test(controllers_plants_and_loads_run_in_fmus),
        cmocka_unit_test(the_example_gives_the_numbers_of_its_table),
        cmocka_unit_test(an_fmu_may_have_degrees_of_freedom_of_its_own),
        cmocka_unit_test(specimens_actuators_and_controllers_on_the_rig_equal_built_in_ones),
    };

    return cmocka_run_group_tests_name("fmu", tests, scratch_create, scratch_remove);
}
