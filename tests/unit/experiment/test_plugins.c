/* Blocks of the transfer chain from plugins: twins of built-in ones do what those do, in runs and in analyses; what
 * does not fit is refused. */
#include "support/check.h"
#include "support/mutate.h"
#include "support/planned.h"
#include "support/program.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "analyze/analyze.h"
#include <yoke/identify.h>
#include <yoke/plugin.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLUGIN(name) YOKE_BINARY "/tests/plugins/" name ".so"

/* A frame and a spring on a rig; every block has its name. */
static const char loop[] =
    "time: {step: 2 ms, end: 1 s, control_rate: 1 kHz}\nmethod: {integrator: chang}\nsubstructures:\n"
    "  frame: {dofs: [x], mass: 10, damping: 20, stiffness: 4000}\n"
    "  spring: {role: physical, dofs: [x], actuators: {x: a}, estimate: {stiffness: 1000}}\n"
    "interfaces: [{join: [frame.x, spring.x]}]\n"
    "transfer:\n  a:\n"
    "    compensator: {kind: lagrange, order: 1, delay: 10 ms}\n"
    "    controller: {kind: none}\n"
    "rig: {backend: virtual, actuators: {a: {plant: {kind: first-order, time_constant: 10 ms}}},\n"
    "  specimen: {dofs: [x], mass: 0, stiffness: 1000}}\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 50, frequency: 2 Hz}]\n";

#define COMPENSATOR "transfer.a.compensator={kind: plugin, library: " PLUGIN("twin_compensator") ", delay: 10 ms}"
#define PLANT       "rig.actuators.a.plant={kind: plugin, library: " PLUGIN("twin_plant") ", time_constant: 10 ms}"

/* Two settings give the same loop but for rounding: the same motion, margin and response of the actuator. */
static void check_twin(const char *twin, const char *original)
{
    static const double frequency[] = {1, 4};
    struct yk_model *e[2] = {recorded_parse(loop, &original, original ? 1 : 0), recorded_parse(loop, &twin, 1)};
    struct yk_response response[2][2];
    struct yk_margin margin[2];
    struct recorded run[2];

    for (int i = 0; i < 2; i++) {
        const struct yk_run_settings settings = yk_run_defaults();

        recorded_run(&run[i], e[i], &settings, NULL);
        assert_int_equal(run[i].result.status, YK_OK);
        assert_int_equal(run[i].result.steps, 500);
        assert_ok(yk_frequency_response(e[i]->station, 0, 1e-3, 2, frequency, response[i], &err));
        assert_ok(planned_margin(e[i], 0, &margin[i], &err));
    }
    assert_int_equal(run[0].count[0], run[1].count[0]);
    for (size_t k = 0; k < run[0].count[0] * run[0].width[0]; k++)
        assert_near(run[1].rows[0][k], run[0].rows[0][k], 1e-9 * (1 + fabs(run[0].rows[0][k])));
    assert_true(margin[0].stable && margin[0].margin_s > 1e-4);
    assert_near_relative(margin[1].margin_s, margin[0].margin_s, 1e-3);
    assert_near_relative(margin[1].decay, margin[0].decay, 1e-6);
    for (int k = 0; k < 2; k++) {
        assert_near(response[1][k].magnitude, response[0][k].magnitude, 1e-9);
        assert_near(response[1][k].delay_s, response[0][k].delay_s, 1e-9);
    }
    for (int i = 0; i < 2; i++) {
        recorded_free(&run[i]);
        yk_model_close(e[i]);
    }
}

static void a_compensator_from_a_plugin_is_used(void **state)
{
    check_twin(COMPENSATOR, NULL);
}

static void a_plant_from_a_plugin_is_used(void **state)
{
    check_twin(PLANT, NULL);
}

static void a_controller_from_a_plugin_is_used(void **state)
{
    check_twin("transfer.a.controller={kind: plugin, library: " PLUGIN("twin_controller") ", K: 1.5}",
               "transfer.a.controller={kind: p, K: 1.5}");
}

/* The settings matter: half the delay is compensated. */
static void settings_of_a_plugin_are_read(void **state)
{
    static const char *const half[] = {COMPENSATOR, "transfer.a.compensator.share=0.5"};
    static const char *const less[] = {"transfer.a.compensator.delay=5 ms"};
    struct yk_model *e[2] = {recorded_parse(loop, half, 2), recorded_parse(loop, less, 1)};
    struct yk_margin margin[2];

    for (int i = 0; i < 2; i++) {
        assert_ok(planned_margin(e[i], 0, &margin[i], &err));
        yk_model_close(e[i]);
    }
    assert_near_relative(margin[0].margin_s, margin[1].margin_s, 1e-3);
}

/* From the 10 ms of the file to the last of a list of its own, by 0.1 ms a step. */
static void an_estimator_from_a_plugin_is_used(void **state)
{
    static const char *const set[] = {
        "transfer.a.estimator={kind: plugin, library: " PLUGIN("twin_estimator") ", delays: [1 ms, 12 ms]}"};
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e = recorded_parse(loop, set, 1);
    struct recorded run;

    recorded_run(&run, e, &settings, NULL);
    assert_int_equal(run.result.status, YK_OK);
    assert_near(run.result.tracked[0].compensated.estimated_s, 12e-3, 1e-12);
    recorded_free(&run);
    yk_model_close(e);
}

/* The sweep of `yoke identify` finds the lag of the plant. */
static void a_plant_from_a_plugin_is_identified(void **state)
{
    struct program p;
    FILE *f = fopen(scratch_path("loop.yaml"), "w");
    json_t *found;

    assert_non_null(f);
    assert_true(fputs(loop, f) >= 0 && fclose(f) == 0);
    program_run(&p, "identify", scratch_path("loop.yaml"), "--order", "1", "--json", "--set", PLANT, "--set",
                "rig.actuators.a.plant.time_constant=25 ms");
    if (p.code)
        print_error("%s\n", p.err);
    assert_int_equal(p.code, 0);
    assert_non_null(found = json_loads(p.out, 0, NULL));
    assert_near_relative(json_number_value(json_object_get(json_object_get(found, "model"), "T1_s")), 25e-3, 1e-3);
    json_decref(found);
    program_free(&p);
}

/* ---- methods ---- */

static void another_method_replaces_that_of_a_plugin(void **state)
{
    static const char *const plain[] = {"method.integrator=newmark"};
    static const char text[] = "time: {step: 1 ms, end: 10 ms}\n"
                               "method: {integrator: plugin, library: nowhere.so, stability: warn}\n"
                               "substructures: {s: {dofs: [x], mass: 1, stiffness: 1}}\n";
    struct yk_model *e;

    assert_refused(yk_model_parse(&e, "m.yaml", text, sizeof text - 1, NULL, 0, &err), YK_E_INPUT,
                   "m.yaml:2:39: cannot load the plugin");
    e = recorded_parse(text, plain, 1);
    assert_string_equal(yk_model_method(e), "newmark");
    yk_model_close(e);
}

/* ---- refusals ---- */

static void check_refused(const char *setting, enum yk_status status, const char *words)
{
    struct yk_model *e;

    assert_refused(yk_model_parse(&e, "loop.yaml", loop, sizeof loop - 1, &setting, 1, &err), status, words);
}

#define USE(place, file) place "={kind: plugin, library: " PLUGIN(file) "}"

static void what_does_not_fit_is_refused(void **state)
{
    check_refused("transfer.a.compensator={kind: plugin}", YK_E_INPUT, "a plugin needs 'library'");
    check_refused(USE("transfer.a.compensator", "none_there"), YK_E_INPUT, "cannot load the plugin");
    check_refused(USE("transfer.a.compensator", "old_law"), YK_E_UNSUPPORTED, "was built for plugin interface");
    check_refused(USE("transfer.a.compensator", "twin_plant"), YK_E_INPUT,
                  "this plugin offers a plant, not a compensator");
    check_refused(USE("transfer.a.estimator", "good_law"), YK_E_INPUT,
                  "this plugin offers an element law, not a delay estimator");
    check_refused(USE("transfer.a.controller", "twin_estimator"), YK_E_INPUT,
                  "this plugin offers a delay estimator, not a controller");
    check_refused(USE("rig.actuators.a.plant", "twin_controller"), YK_E_INPUT,
                  "this plugin offers a controller, not a plant");
    check_refused("method={integrator: plugin, library: " PLUGIN("twin_plant") "}", YK_E_INPUT,
                  "this plugin offers a plant, not an integrator");
    check_refused("method={coupling: plugin, library: " PLUGIN("twin_plant") "}", YK_E_INPUT,
                  "this plugin offers a plant, not a coupling");
}

static void tables_that_cannot_work_are_refused(void **state)
{
    static const struct {
        const char *file, *words;
    } cases[] = {
        {"taken_compensator", "offers a compensator 'lagrange', but that name is taken"},
        {"nameless_compensator", "offers a compensator without name, summary or reference"},
        {"mute_compensator", "offers a compensator 'mute' without 'predict', which it must have"},
        {"sizeless_compensator", "setting 'gain' of 'sizeless' lies beyond its 0 bytes"},
        {"mapped_compensator", "setting 'table' of 'mapped' is a map or list"},
        {"library_compensator", "a setting of 'library' is called 'library'"},
        {"two_blocks", "must offer one of"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_plugin *plugin;
        char path[1024], setting[1100];

        snprintf(path, sizeof path, YOKE_BINARY "/tests/plugins/%s.so", cases[i].file);
        assert_refused(yk_plugin_load(path, &plugin, &err), YK_E_INPUT, cases[i].words);
        snprintf(setting, sizeof setting, "transfer.a.compensator={kind: plugin, library: %s}", path);
        check_refused(setting, YK_E_INPUT, cases[i].words);
    }
}

/* Half of a copy, or all but its last byte: mapping what is not there would end the process with SIGBUS. */
static void a_plugin_that_is_cut_off_is_refused(void **state)
{
    struct bytes whole = bytes_of_file(PLUGIN("twin_plant"));
    char *path = strdup(scratch_path("cut.so"));
    const struct yk_plugin *plugin;
    struct program p;

    for (size_t i = 0; i < 12; i++) {
        bytes_to_file((struct bytes){whole.at, i < 4 ? i * 100 : whole.size - 1 - (i - 4) * whole.size / 8}, path);
        program_run(&p, "list", path);
        assert_int_equal(p.code, 2);
        assert_non_null(strstr(p.err, "cut.so: the file is truncated after"));
        program_free(&p);
    }
    bytes_to_file(whole, path);
    assert_ok(yk_plugin_load(path, &plugin, &err));
    free(whole.at);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(yk_plugin_load(path, &plugin, &err), YK_E_INPUT, "cut.so: is not a regular file");
    free(path);
}

static void settings_of_plugins_are_checked(void **state)
{
    check_refused("transfer.a.controller={kind: plugin, K: 200, library: " PLUGIN("twin_controller") "}", YK_E_RANGE,
                  "actuator a: twin: K = 200 is more than anybody needs");
    check_refused("transfer.a.controller={kind: plugin, K: -1, library: " PLUGIN("twin_controller") "}", YK_E_RANGE,
                  "K = -1 is outside");
    check_refused("transfer.a.controller={kind: plugin, k: 2, library: " PLUGIN("twin_controller") "}", YK_E_INPUT,
                  "unknown key 'k' in twin; did you mean 'K'?");
    check_refused("rig.actuators.a.plant={kind: plugin, time_constant: 3 kg, library: " PLUGIN("twin_plant") "}",
                  YK_E_UNIT, "time_constant: '3 kg' is a mass, but a time is expected");
}

/* ---- what the program says about one ---- */

static void a_plugin_is_listed(void **state)
{
    struct program p;

    program_run(&p, "list", PLUGIN("twin_plant"));
    assert_int_equal(p.code, 0);
    assert_string_equal(p.out, "plants\n  twin                 a lag\n");
    program_free(&p);
    program_run(&p, "list", PLUGIN("twin_plant"), "--json");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "\"time_constant\""));
    program_free(&p);
    program_run(&p, "reference", PLUGIN("twin_plant"));
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "| `time_constant` | number [s] | 0.01 |"));
    program_free(&p);
    program_run(&p, "list", PLUGIN("mute_compensator"));
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "without 'predict'"));
    program_free(&p);
    program_run(&p, "reference", "none.so");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "cannot load the plugin: ./none.so"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compensator_from_a_plugin_is_used),
        cmocka_unit_test(a_plant_from_a_plugin_is_used),
        cmocka_unit_test(a_controller_from_a_plugin_is_used),
        cmocka_unit_test(settings_of_a_plugin_are_read),
        cmocka_unit_test(an_estimator_from_a_plugin_is_used),
        cmocka_unit_test(a_plant_from_a_plugin_is_identified),
        cmocka_unit_test(another_method_replaces_that_of_a_plugin),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(tables_that_cannot_work_are_refused),
        cmocka_unit_test(a_plugin_that_is_cut_off_is_refused),
        cmocka_unit_test(settings_of_plugins_are_checked),
        cmocka_unit_test(a_plugin_is_listed),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
