/* Commissioning gates the run: a rig that is not simulated moves only after a passed check-list of this rig, program
 * and calibration, or if somebody takes the responsibility. The rig is a plugin that says nothing of itself, so that it
 * counts as real. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <yoke/yoke.h>

static char file[600], protocol[600];

/* An experiment on that rig, without a protocol. */
static int begin(void **state)
{
    if (scratch_create(state))
        return 1;
    snprintf(file, sizeof file, "%s", scratch_path("gate.yaml"));
    snprintf(protocol, sizeof protocol, "%s", scratch_path("gate.commissioning.json"));
    scratch_write("gate.yaml",
                  "time: { step: 10 ms, end: 50 ms, control_rate: 1000 Hz }\n"
                  "method: { integrator: lsrt2 }\n"
                  "substructures:\n"
                  "  frame: { dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]] }\n"
                  "  column: { role: physical, dofs: [x], actuators: { x: a1 } }\n"
                  "interfaces: [ { join: [frame.x, column.x] } ]\n"
                  "loads: [ { on: frame.x, kind: sine, amplitude: 5 N, frequency: 1 Hz } ]\n"
                  "transfer: { a1: { compensator: { kind: none } } }\n"
                  "rig:\n"
                  "  backend: plugin\n"
                  "  settings: { library: " YOKE_BINARY "/tests/plugins/logging_rig.so }\n"
                  "  actuators: { a1: { plant: { kind: first-order, time_constant: 5 ms } } }\n"
                  "  specimen: { dofs: [x], mass: [0], stiffness: [[35530]] }\n"
                  "limits: { displacement: 50 mm, command_rate: 1 m/s, force: 5 kN, tracking_error: 40 mm, start_ramp: "
                  "0.01, end_ramp: 0.01 }\n");
    setenv("YOKE_WIRE_LOG", scratch_path("log"), 1);
    setenv("YOKE_WIRE_AFTER", "1000000", 1);
    program_is_commissioned_by_tests = false;
    return 0;
}

static int run_it(const char *option, const char *value)
{
    char folder[600];

    snprintf(folder, sizeof folder, "%s", scratch_path("out"));
    return program_code((const char *const[]){YOKE_PROGRAM, "run", file, "-q", "-o", folder, "--force", "--no-report",
                                              "--budget", "0", option, value, NULL});
}

/* A protocol as the check-list writes it, with the hash of this experiment. */
static void write_protocol(const char *verdict, const char *build)
{
    char hash[65] = "";
    json_t *p;

    assert_int_equal(run_it("--uncommissioned", "A. Miller: to learn the hash"), 0);
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "rig", file, "--priority", "0", "--yes", "-c",
                                                        "checklist", NULL}) == 2,
                     false);
    p = json_load_file(protocol, 0, NULL);
    assert_non_null(p);
    snprintf(hash, sizeof hash, "%s", json_string_value(json_object_get(p, "rig_sha256")));
    assert_int_equal(strlen(hash), 64);
    json_object_set_new(p, "verdict", json_string(verdict));
    if (build)
        json_object_set_new(p, "build", json_string(build));
    assert_int_equal(json_dump_file(p, protocol, 0), 0);
    json_decref(p);
}

static void a_rig_without_a_protocol_is_not_moved(void **state)
{
    assert_int_equal(run_it("--set", "time.end=0.05"), 2);
    assert_said("the rig is not commissioned: there is no protocol");
    assert_int_equal(run_it("--uncommissioned", "nobody"), 2);
    assert_said("must be a name and a reason");
    assert_int_equal(run_it("--uncommissioned", ": because"), 2);
    assert_int_equal(run_it("--uncommissioned", "A. Miller: first motion, load cell not mounted"), 0);
    assert_said("A. Miller takes the responsibility");
    assert_in_scratch("out/summary.json", "\"reason\": \"first motion, load cell not mounted\"");
    assert_in_scratch("out/summary.json", "\"by\": \"A. Miller\"");
}

static void a_passed_protocol_of_this_rig_and_program_lets_it_move(void **state)
{
    write_protocol("passed", NULL);
    assert_int_equal(run_it("--set", "loads.0.amplitude=6 N"), 0); /* loads are no matter of commissioning */
    assert_in_scratch("out/summary.json", "\"state\": \"passed\"");
    assert_int_equal(run_it("--set", "limits.force=6 kN"), 2);
    assert_said("have changed since the check-list");
    write_protocol("incomplete", NULL);
    assert_int_equal(run_it("--set", "time.end=0.05"), 2);
    assert_said("did not pass");
    write_protocol("passed", "yoke 0.0.1");
    assert_int_equal(run_it("--set", "time.end=0.05"), 2);
    assert_said("was made with another program (yoke 0.0.1;");
    scratch_write("gate.commissioning.json", "{\"verdict\": [");
    assert_int_equal(run_it("--set", "time.end=0.05"), 2);
    assert_said("is not a protocol");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_rig_without_a_protocol_is_not_moved, begin, scratch_remove),
        cmocka_unit_test_setup_teardown(a_passed_protocol_of_this_rig_and_program_lets_it_move, begin, scratch_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
