/* `yoke check` names the cause: a wrong start of an adaptive compensator, a structure that grows by itself, values that
 * are seldom meant. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <stdlib.h>

static const char two_masses[] = "time: { step: 10 ms, end: 1 s }\nmethod: { integrator: newmark }\nsubstructures:\n"
                                 "  frame: { dofs: [x, y], mass: [1 t, 1 t], damping: [200, 200],\n"
                                 "           stiffness: [[20000, -10000], [-10000, 10000]] }\n";

/* A frame that its specimen holds. The actuator is 12 ms late. */
static const char on_specimen[] =
    "time: { step: 10 ms, end: 1 s, control_rate: 1 kHz }\nmethod: { integrator: chang }\nsubstructures:\n"
    "  frame: { dofs: [x], mass: [1 t], damping: [200 N s/m], stiffness: [0] }\n"
    "  column: { role: physical, dofs: [x], actuators: { x: jack }, estimate: { stiffness: [158 kN/m] } }\n"
    "interfaces: [ { join: [frame.x, column.x] } ]\n"
    "loads: [ { on: frame.x, kind: sine, amplitude: 100 N, frequency: 1 Hz } ]\n"
    "transfer: { jack: { compensator: { kind: cats, delay: 150 ms } } }\n"
    "rig:\n  backend: virtual\n  actuators: { jack: { plant: { kind: delay, delay: 12 ms } } }\n"
    "  specimen: { dofs: [x], mass: [0], stiffness: [158 kN/m] }\n";

/* Everything that the check of a file with a setting prints. */
static void check_says(const char *text, const char *setting, const char *words, const char *not_words)
{
    char file[1024];
    struct program p;

    snprintf(file, sizeof file, "%s", scratch_write("diagnosed.yaml", text));
    program_run(&p, "check", file, "--set", setting);
    const bool said = strstr(p.out, words) || strstr(p.err, words), lied = not_words && strstr(p.out, not_words);

    if (!said || lied)
        print_error("%s: '%s'\n%s%s", setting, words, p.out, p.err);
    assert_true(said && !lied);
    program_free(&p);
}

static void an_adaptive_compensator_is_told_where_to_begin(void **state)
{
    check_says(on_specimen, "time.end=2 s",
               "actuator jack has a delay of about 12 ms, but its compensation adapts from 150 ms", "which is right");
    check_says(on_specimen, "transfer.jack={compensator: {kind: lagrange, delay: 90 ms}, estimator: {kind: rls}}",
               "adapts from 90 ms; begin with 12 ms (transfer.jack.compensator.delay)", "which is right");
}

static void a_structure_that_grows_is_not_told_to_shorten_its_step(void **state)
{
    check_says(two_masses, "substructures.frame.damping=[-300, 10]",
               "UNSTABLE structure: negative damping; its free motion grows at ", "longest stable step");
    check_says(two_masses, "substructures.frame.stiffness=[[20000, -10000], [-10000, 1000]]",
               "UNSTABLE structure: negative stiffness; its free motion grows at 1.", "longest stable step");
    check_says(two_masses, "substructures.frame.damping=[200, -0.01]", "stable (spectral radius", "UNSTABLE");
    /* a rigid-body mode does not grow */
    check_says(two_masses, "substructures.frame.stiffness=[[10000, -10000], [-10000, 10000]]", "stable (spectral",
               "UNSTABLE");
}

/* sigma of m u'' - c u' + k u = 0 is c/(2 m), here 0.05; the motion of the run grows as it says. */
static void growth_is_that_of_the_equation_of_motion(void **state)
{
    static const char one[] = "time: { step: 10 ms, end: 1 s }\nmethod: { integrator: newmark }\nsubstructures:\n"
                              "  frame: { dofs: [x], mass: [1], damping: [-0.1], stiffness: [100] }\n";
    struct program p;

    check_says(one, "time.end=1 s", "negative damping; its free motion grows at 0.05 1/s", NULL);
    program_run(&p, "run", scratch_path("diagnosed.yaml"), "-q", "-o", scratch_path("out"));
    assert_int_equal(p.code, 2);
    assert_non_null(
        strstr(p.err, "the structure itself is unstable by negative damping: its free motion grows at 0.05 1/s"));
    program_free(&p);
}

static void long_steps_and_heavy_damping_are_questioned(void **state)
{
    /* the first mode has 0.311 Hz: sqrt(0.382 * 10) rad/s */
    check_says(two_masses, "time={step: 5 s, end: 50 s}", "a step of 5 s is 1.56 periods of the first mode (0.311 Hz)",
               NULL);
    check_says(two_masses, "time.step=20 ms", "stable", "periods of the first mode");
    check_says(two_masses, "substructures.frame.rayleigh={ratio: 2, frequencies: [1 Hz, 3 Hz]}",
               "rayleigh: ratio 2 is 200 % of critical damping; 2 % would be 0.02", NULL);
    check_says(two_masses, "substructures.frame.modal_damping=[0.02, 5]",
               "modal_damping 5 is 500 % of critical damping", NULL);
    check_says(two_masses, "substructures.frame.modal_damping=[0.02, 0.05]", "stable", "of critical damping");
}

static void damping_by_mass_of_a_part_on_its_specimen_is_told(void **state)
{
    check_says(
        on_specimen, "substructures.frame.rayleigh={mass: 0.5}",
        "rayleigh of frame: only its specimen holds this part, and the mass-proportional damping acts between the "
        "part and the ground",
        NULL);
    check_says(on_specimen, "substructures.frame={dofs: [x], mass: [1 t], stiffness: [10 kN/m], rayleigh: {mass: 0.5}}",
               "hybrid loop", "only its specimen holds");
    check_says(on_specimen, "time.end=2 s", "hybrid loop", "only its specimen holds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_adaptive_compensator_is_told_where_to_begin),
        cmocka_unit_test(a_structure_that_grows_is_not_told_to_shorten_its_step),
        cmocka_unit_test(growth_is_that_of_the_equation_of_motion),
        cmocka_unit_test(long_steps_and_heavy_damping_are_questioned),
        cmocka_unit_test(damping_by_mass_of_a_part_on_its_specimen_is_told),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
