/* A rig outside this process needs limits: refused without, and `yoke check` proposes those that its rehearsal passes.
 */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>

/* A mass on a spring that is the specimen; %s: the section limits. */
static const char straight[] =
    "time: { step: 5 ms, end: 2 s, control_rate: 2 kHz }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
    "  mass: { dofs: [x], mass: [1000 kg], damping: [2 kN s/m], stiffness: [0] }\n"
    "  spring: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [100 kN/m] } }\n"
    "interfaces: [ { join: [mass.x, spring.x] } ]\n"
    "loads: [ { on: mass.x, kind: sine, amplitude: 2 kN, frequency: 1 Hz } ]\n"
    "transfer: { a1: { compensator: { kind: velocity, delay: 5 ms } } }\n"
    "rig:\n  backend: virtual\n  actuators: { a1: { plant: { kind: delay, delay: 5 ms } } }\n"
    "  specimen: { dofs: [x], mass: [0], stiffness: [100 kN/m] }\n%s";

/* The same, with a second actuator that turns. */
static const char mixed[] =
    "time: { step: 5 ms, end: 2 s, control_rate: 2 kHz }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
    "  mass: { dofs: [x, theta], mass: [1000, 50], damping: [2000, 200], stiffness: [0, 0] }\n"
    "  spring: { role: physical, dofs: [x, theta], actuators: { x: a1, theta: r1 },\n"
    "    estimate: { stiffness: [1e5, 1e4] } }\n"
    "interfaces: [ { join: [mass.x, spring.x] }, { join: [mass.theta, spring.theta] } ]\n"
    "loads:\n  - { on: mass.x, kind: sine, amplitude: 2 kN, frequency: 1 Hz }\n"
    "  - { on: mass.theta, kind: sine, amplitude: 300 N m, frequency: 1.5 Hz }\n"
    "transfer:\n  a1: { compensator: { kind: velocity, delay: 5 ms } }\n"
    "  r1: { compensator: { kind: velocity, delay: 5 ms } }\n"
    "rig:\n  backend: virtual\n  actuators:\n    a1: { plant: { kind: delay, delay: 5 ms } }\n"
    "    r1: { plant: { kind: delay, delay: 5 ms } }\n"
    "  specimen: { dofs: [x, theta], mass: [0, 0], stiffness: [1e5, 1e4] }\n%s";

static const char *write_file(const char *form, const char *limits)
{
    static char path[1024]; /* those of the scratch folder live for eight calls */
    char text[4096];

    snprintf(text, sizeof text, form, limits);
    snprintf(path, sizeof path, "%s", scratch_write("rig.yaml", text));
    return path;
}

#define ELSEWHERE "--set", "rig.backend=shm", "--set", "rig.settings={name: nobody-is-there, patience: 0.1}"

static void check_refusal(const char *file, const char *place, const char *missing)
{
    struct program p;

    program_run(&p, "run", file, "-q", "-o", scratch_path("out"), ELSEWHERE);
    assert_int_equal(p.code, 2);
    if (!strstr(p.err, place) || !strstr(p.err, missing))
        print_error("%s", p.err);
    assert_non_null(strstr(p.err, place));
    assert_non_null(strstr(p.err, missing));
    assert_non_null(strstr(p.err, "`yoke check "));
    program_free(&p);
}

static void without_limits_a_rig_outside_this_process_is_refused(void **state)
{
    check_refusal(write_file(straight, ""), "--set rig.backend=shm: a rig outside this process (shm) needs limits",
                  "missing: displacement, command_rate, force and tracking_error of a1. ");
    check_refusal(write_file(straight, "limits: { displacement: 50 mm, force: 8 kN, tracking_error: 0 }\n"),
                  "rig.yaml:13:1: ", "missing: command_rate and tracking_error of a1. ");
    check_refusal(write_file(mixed, "limits:\n  actuators:\n    r1: { displacement: 5 deg, command_rate: 1 rad/s, "
                                    "force: 2 kN m, tracking_error: 1 deg }\n"),
                  "rig.yaml:20:1: ", "missing: displacement, command_rate, force and tracking_error of a1. ");
}

/* The proposal of `yoke check` for a file. */
static char *proposal_for(const char *file)
{
    struct program p;

    program_run(&p, "check", file, "--json");
    assert_int_equal(p.code, 0);
    json_t *found = json_loads(p.out, 0, NULL);
    const json_t *limits = json_object_get(found, "limits");
    assert_true(json_is_true(json_object_get(limits, "complete")));
    char *text = strdup(json_string_value(json_object_get(limits, "proposal")));
    json_decref(found);
    program_free(&p);
    program_run(&p, "check", file);
    assert_non_null(strstr(p.out, text)); /* to be pasted as it is printed */
    program_free(&p);
    return text;
}

/* Pasted, it is read, the run passes its rehearsal, and on another rig it gets as far as the rig. */
static void check_proposal(const char *form, const char *limits, const char *words)
{
    char *proposal = proposal_for(write_file(form, limits));
    const char *file = write_file(form, proposal);
    struct program p;

    if (!strstr(proposal, words))
        print_error("%s", proposal);
    assert_non_null(strstr(proposal, words));
    program_run(&p, "run", file, "-q", "--force", "-o", scratch_path("rehearsed"));
    if (p.code)
        print_error("%s%s", proposal, p.err);
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "run", file, "-q", "-o", scratch_path("out"), ELSEWHERE);
    assert_true(p.code != 0);
    assert_non_null(strstr(p.err, "there is no shared memory"));
    program_free(&p);
    program_run(&p, "check", file, "--json");
    json_t *found = json_loads(p.out, 0, NULL);
    assert_true(json_is_null(json_object_get(found, "limits"))); /* nothing is missing any more */
    json_decref(found);
    program_free(&p);
    free(proposal);
}

static void what_check_proposes_lets_the_run_pass_its_rehearsal(void **state)
{
    check_proposal(straight, "", "limits:\n  displacement: ");
    check_proposal(straight, "limits: { displacement: 50 mm, force: { limit: 8 kN, action: cut }, on_trip: hold }\n",
                   "limits:\n  displacement: 50 mm\n  force: { limit: 8 kN, action: cut }\n  on_trip: hold\n"
                   "  command_rate: ");
    check_proposal(straight, "limits: { force: 0 }\n", "limits:\n  displacement: ");
}

/* The static deflection of the spring under the load is 20 mm, and 1 Hz against its 1.59 Hz makes 1/(1 - 0.395) of it;
 * times 1.5 that is at least 49 mm for the specimen at rest, more with the beats of the start. */
static void proposals_are_the_peaks_with_a_margin(void **state)
{
    char *proposal = proposal_for(write_file(straight, ""));
    double mm = 0;

    assert_int_equal(sscanf(proposal, "limits:\n  displacement: %lf mm\n", &mm), 1);
    assert_true(mm >= 49 && mm <= 120);
    free(proposal);
}

static void actuators_that_turn_are_given_theirs_in_rad(void **state)
{
    check_proposal(mixed, "", "    r1: { displacement: 0.");
    check_proposal(mixed, "", " rad, command_rate: ");
    check_proposal(mixed, "", " N m, tracking_error: 0.");
    check_proposal(mixed, "limits:\n  actuators: { a1: { velocity: 9 m/s, force: 0 } }\n",
                   "    a1: { velocity: 9 m/s, displacement: ");
}

/* Every value of a proposal has its unit, also the rate of an acceleration; so it can be pasted and read by people. */
static void a_shake_table_is_given_its_limits_with_units(void **state)
{
    const char *const file = YOKE_SOURCE "/examples/shake-table/shake-table.yaml";
    char *proposal = proposal_for(file), set[400] = "limits=";
    const char *own = strstr(proposal, "table: {");
    struct program p;

    assert_non_null(own);
    for (const char *at = own; (at = strpbrk(at + 1, ":")) != NULL;) {
        char *after;

        strtod(at + 1, &after);
        if (after > at + 1 && strncmp(after, " m", 2) != 0)
            print_error("%s", proposal);
        assert_true(after == at + 1 || strncmp(after, " m", 2) == 0);
    }
    assert_non_null(strstr(proposal, " m/s3"));
    snprintf(set, sizeof set, "limits={ displacement: 120 mm, force: 300 kN, actuators: { %.*s } }",
             (int)strcspn(own, "\n"), own);
    program_run(&p, "check", file, "--set", set, "--json");
    assert_int_equal(p.code, 0);
    json_t *found = json_loads(p.out, 0, NULL);
    assert_true(json_is_null(json_object_get(found, "limits"))); /* nothing is missing any more */
    json_decref(found);
    program_free(&p);
    program_run(&p, "check", file, "--set", "limits.actuators={ table: { command_rate: 3 m/s2 } }");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "rate of an acceleration"));
    program_free(&p);
    free(proposal);
}

static void an_unstable_loop_gets_no_proposal(void **state)
{
    struct program p;

    program_run(&p, "check", write_file(straight, ""), "--set", "transfer.a1.compensator.kind=none", "--set",
                "rig.actuators.a1.plant.delay=60 ms");
    assert_int_equal(p.code, 4);
    assert_non_null(strstr(p.out, "no proposal: the loop is unstable"));
    assert_non_null(strstr(p.out, "actuator a1 has a delay of about 60 ms and nothing is compensated"));
    assert_null(strstr(p.out, "-inf"));
    program_free(&p);
}

static void check_no_proposal(const char *limits, const char *setting, const char *why)
{
    struct program p;

    program_run(&p, "check", write_file(straight, limits), "--set", setting);
    if (!strstr(p.out, why) || strstr(p.out, "replace the section"))
        print_error("%s", p.out);
    assert_non_null(strstr(p.out, why));
    assert_null(strstr(p.out, "replace the section"));
    program_free(&p);
    program_run(&p, "check", write_file(straight, limits), "--set", setting, "--json");
    json_t *found = json_loads(p.out, 0, NULL), *answer = json_object_get(found, "limits");
    assert_true(json_is_null(json_object_get(answer, "proposal")));
    assert_non_null(strstr(json_string_value(json_object_get(answer, "no_proposal")), strchr(why, ':') + 2));
    json_decref(found);
    program_free(&p);
}

/* A test that its own limits stop, an actuator that saturates, and one that damps wrongly show other peaks. */
static void a_rehearsal_that_failed_gets_no_proposal(void **state)
{
    check_no_proposal("limits: { displacement: 5 mm }\n", "time.end=2 s", "no proposal: the rehearsal tripped at 0.");
    check_no_proposal("", "rig.actuators.a1.capacity={stroke: 2 mm}",
                      "no proposal: the rehearsal is unusable: actuator a1: stands at an end stop during ");
    check_no_proposal("", "transfer.a1.compensator.delay=15 ms", "no proposal: the loop has the wrong damping");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_a_rig_outside_this_process_is_refused),
        cmocka_unit_test(what_check_proposes_lets_the_run_pass_its_rehearsal),
        cmocka_unit_test(proposals_are_the_peaks_with_a_margin),
        cmocka_unit_test(actuators_that_turn_are_given_theirs_in_rad),
        cmocka_unit_test(a_shake_table_is_given_its_limits_with_units),
        cmocka_unit_test(an_unstable_loop_gets_no_proposal),
        cmocka_unit_test(a_rehearsal_that_failed_gets_no_proposal),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
