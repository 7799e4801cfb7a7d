/* yoke explain: causes that were planted are named, in words and as JSON; refusals. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>

static const char healthy[] =
    "title: Two storeys, the first column is a specimen\n"
    "time: { step: 5 ms, end: 8 s, control_rate: 1200 Hz }\n"
    "method: { integrator: chang }\n"
    "substructures:\n"
    "  frame:\n"
    "    dofs: [x1, x2]\n"
    "    mass: [[2000, 0], [0, 2000]]\n"
    "    damping: [[1600, -800], [-800, 800]]\n"
    "    stiffness: [[200e3, -200e3], [-200e3, 200e3]]\n"
    "  column: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[200e3]] } }\n"
    "interfaces: [ { join: [frame.x1, column.x] } ]\n"
    "loads: [ { ground: frame, kind: earthquake, peak: 0.2 g, frequency: 2 Hz, rise: 2 s, strong: 8 s, decay: 6 s, "
    "seed: 5 } ]\n"
    "transfer: { a1: { compensator: { kind: lagrange, order: 3, delay: 12.3 ms }, feedback: { kind: latest } } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators:\n"
    "    a1:\n"
    "      plant: { kind: servo, frequency: 20 Hz, damping: 0.75 }\n"
    "      capacity: { stroke: 150 mm, speed: 1 m/s, force: 30 kN }\n"
    "  specimen: { dofs: [x], mass: [0], stiffness: [200 kN/m] }\n"
    "reference: monolithic\n";

/* A setting that spoils the test, and the cause that must be found. */
static const struct {
    const char *set, *cause;
} planted[] = {
    {"rig.actuators.a1.capacity.force=3 kN", "saturation"},
    {"rig.actuators.a1.capacity.stroke=5 mm", "saturation"},
    {"rig.actuators.a1.capacity.speed=0.1 m/s", "saturation"},
    {"transfer.a1.compensator={kind: none}", "delay"},
    {"rig.actuators.a1.plant={kind: first-order, time_constant: 60 ms}", "delay"},
    {"rig.actuators.a1.plant={kind: delay, delay: 25 ms}", "delay"},
    {"rig.actuators.a1.sensors={force_noise: 3 kN}", "sensors"},
    {"rig.actuators.a1.sensors={force_gain: 0.5}", "sensors"},
    {"rig.actuators.a1.sensors={force_gain: -1}", "sensors"},
    {"time.step=100 ms", "step"},
    {"substructures.column.estimate={stiffness: [[40e6]]}", "estimate"},
};

static const char *write_file(void)
{
    static char path[1024];

    scratch_write("healthy.yaml", healthy);
    snprintf(path, sizeof path, "%s", scratch_path("healthy.yaml"));
    return path;
}

static void planted_causes_are_named(void **state)
{
    const char *file = write_file();

    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        struct program p;

        program_run(&p, "explain", file, "--set", planted[i].set, "--json");
        if (p.code)
            fail_msg("%s: %s", planted[i].set, p.err);
        json_t *found = json_loads(p.out, 0, NULL);
        const char *worst = json_string_value(json_object_get(found, "worst"));

        if (!worst || strcmp(worst, planted[i].cause) != 0)
            fail_msg("%s: %s, not %s\n%s", planted[i].set, worst ? worst : "none", planted[i].cause, p.out);
        json_decref(found);
        program_free(&p);
    }
}

/* A first-order coupling in a long step. */
static void a_coupling_is_named(void **state)
{
    const char *file = write_file();
    struct program p;

    program_run(&p, "explain", file, "--set", "method={coupling: apnr1}", "--set", "substructures.column.rate=fine",
                "--set", "substructures.column.estimate={mass: [[100]], stiffness: [[200e3]]}", "--set",
                "time={step: 10 ms, end: 8 s, control_rate: 1000 Hz}");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "the test is limited by: coupling"));
    program_free(&p);
    program_run(&p, "explain", file);
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "one method integrates the whole structure"));
    program_free(&p);
}

/* A recording brings its own file and settings. */
static void a_recording_is_explained_as_its_experiment(void **state)
{
    const char *file = write_file();
    char folder[1024];
    struct program p;

    snprintf(folder, sizeof folder, "%s", scratch_path("run"));
    program_run(&p, "run", file, "-q", "-o", folder, "--set", "rig.actuators.a1.capacity.force=3 kN");
    assert_int_equal(p.code, 5);
    program_free(&p);
    program_run(&p, "explain", folder);
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "as it is: unusable: actuator a1: is at the limit of its force"));
    assert_non_null(strstr(p.out, "the test is limited by: saturation"));
    program_free(&p);
}

static void what_cannot_be_explained_is_refused(void **state)
{
    struct program p;

    program_run(&p, "explain");
    assert_int_equal(p.code, 2);
    program_free(&p);
    program_run(&p, "explain", scratch_path("nothing.yaml"));
    assert_int_equal(p.code, 2);
    program_free(&p);
    program_run(&p, "explain", YOKE_SOURCE "/examples/oscillator/oscillator.yaml");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "no substructure is physical"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_causes_are_named),
        cmocka_unit_test(a_coupling_is_named),
        cmocka_unit_test(a_recording_is_explained_as_its_experiment),
        cmocka_unit_test(what_cannot_be_explained_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
