/* yoke explain: causes that were planted are named, in words and as JSON; refusals. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"
#include "support/verdicts.h"

#include <jansson.h>
#include <stdlib.h>

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

    scratch_write("healthy.yaml", healthy_test(8));
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

/* In the table, a removal that is refused is told in a few words, and without a place: the setting is not the user's.
 * The computed mass of a specimen is no estimate, so that the coupling keeps it. */
static void removals_that_are_refused_are_told_shortly(void **state)
{
    const char *file = write_file();
    struct program p;

    program_run(&p, "explain", file, "--set", "method={coupling: gc}", "--set", "substructures.column.rate=fine",
                "--set", "substructures.column.estimate={mass: [[100]], stiffness: [[150e3]]}", "--set",
                "time={step: 1 ms, end: 4 s, control_rate: 1000 Hz}");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "with a shorter time step: the control rate serves no shorter step\n"));
    assert_null(strstr(p.out, "--set"));
    assert_null(strstr(p.out, ".yaml:"));
    assert_null(strstr(p.out, "singular"));
    assert_null(strstr(p.out, "-  without the difference between estimate and specimen"));
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
    program_run(&p, "explain", scratch_path("nothing"));
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
        cmocka_unit_test(removals_that_are_refused_are_told_shortly),
        cmocka_unit_test(a_recording_is_explained_as_its_experiment),
        cmocka_unit_test(what_cannot_be_explained_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
