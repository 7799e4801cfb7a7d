/* yoke check --size: a proposal that carries the test, none where no actuator does, own tables, refusals. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/* A spring of 4 MN/m under a structure that swings at 1 Hz. */
static const char experiment[] =
    "title: A spring specimen\n"
    "time: { step: 5 ms, end: 8 s, control_rate: 1000 Hz }\n"
    "method: { integrator: chang }\n"
    "substructures:\n"
    "  frame: { dofs: [x], mass: [100 t], damping: [60e3], stiffness: [0] }\n"
    "  column: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[4e6]] } }\n"
    "interfaces: [ { join: [frame.x, column.x] } ]\n"
    "loads: [ { ground: frame, kind: earthquake, peak: 0.1 g, frequency: 1.5 Hz, rise: 1 s, strong: 4 s, decay: 3 s, "
    "seed: 5 } ]\n"
    "transfer: { a1: {} }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: { a1: { plant: { kind: rths-hydraulic } } }\n"
    "  specimen: { dofs: [x], mass: [0], stiffness: [4e6] }\n"
    "reference: monolithic\n";

#define HEAD "name,force_kN,stroke_mm,valve_flow_l_min,valve_drop_bar,valve_Hz,supply_bar,piston_mass_kg\n"

static json_t *sized(const char *const *more, int *code)
{
    const char *words[12] = {YOKE_PROGRAM, "check", scratch_path("spring.yaml"), "--size", "--json"};
    struct program p;

    for (size_t i = 0; more && more[i]; i++)
        words[5 + i] = more[i];
    program_start(&p, words, 0);
    program_wait(&p);
    *code = p.code;
    json_t *found = json_loads(p.out, 0, NULL);

    if (!found)
        fail_msg("%s%s", p.out, p.err);
    program_free(&p);
    return found;
}

static double number(const json_t *of, const char *key)
{
    return json_number_value(json_object_get(of, key));
}

/* Not the weak actuator of the file: the demand is that of ideal ones, and force and stroke belong to the spring. */
static void the_smallest_actuator_that_carries_the_test_is_proposed(void **state)
{
    int code;

    scratch_write("spring.yaml", experiment);
    json_t *found = sized(NULL, &code);
    const json_t *demand = json_object_get(json_object_get(found, "demand"), "a1"),
                 *proposal = json_object_get(json_object_get(found, "proposal"), "a1");

    assert_int_equal(code, 0);
    assert_near_relative(number(demand, "force_N"), 4e6 * number(demand, "stroke_m"), 1e-9);
    assert_true(number(proposal, "curve_used") <= 0.85 && number(proposal, "stroke_used") <= 0.85);
    assert_near_relative(number(proposal, "measured_delay_s"), number(json_object_get(proposal, "sheet"), "delay_s"),
                         0.5);
    assert_string_equal(json_string_value(json_object_get(json_object_get(found, "verdict"), "level")), "good");

    /* with the whole capacity a smaller one may do, never a larger one */
    const char *const all[] = {"--reserve", "0 %", NULL};
    json_t *tight = sized(all, &code);
    const json_t *smaller = json_object_get(json_object_get(tight, "proposal"), "a1");

    assert_true(number(smaller, "curve_used") >= number(proposal, "curve_used") * (1 - 1e-9));
    json_decref(tight);
    json_decref(found);
}

/* A specimen of 2 t on pistons of some ten kilograms, and one of 3 t of which the mass belongs to a part behind a
 * spring: at rest, a piston feels the 400 kg beside it alone. Both are rehearsed; the force has the inertia. */
static void a_heavy_specimen_is_weighed(void **state)
{
    static const struct {
        const char *specimen;
        double kg;
    } cases[] = {
        {"rig.specimen={dofs: [x], mass: [2 t], stiffness: [4e6]}", 2000},
        {"rig.specimen={kind: assembled, nodes: {end: {mass: 400}, m: {dofs: [q], mass: 3 t}}, elements: [{kind: "
         "spring, "
         "between: [ground, end.x], stiffness: 4e6}, {kind: spring, between: [end.x, m.q], stiffness: 8e6}, {kind: "
         "damper, between: [end.x, m.q], damping: 2e4}]}",
         400}};

    scratch_write("spring.yaml", experiment);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const more[] = {"--set", cases[i].specimen, "--set", "limits={implausible_force: 0}", NULL};
        char load_mass[64];
        int code;
        json_t *found = sized(more, &code);
        const json_t *proposal = json_object_get(json_object_get(found, "proposal"), "a1"),
                     *demand = json_object_get(json_object_get(found, "demand"), "a1");
        const char *plant = json_string_value(json_object_get(proposal, "plant"));

        snprintf(load_mass, sizeof load_mass, ", load_mass: %.6g kg }", number(proposal, "moved_kg"));
        assert_near_relative(number(proposal, "moved_kg"), cases[i].kg, 1e-4); /* spring and damper in a tick */
        if (i == 0) /* at the largest displacement: k x - m w2 x, where the structure swings at 1 Hz */
            assert_near_relative(number(demand, "force_N"),
                                 number(demand, "stroke_m") * (4e6 - 2000 * 4e6 / (100e3 + 2000)), 5e-3);
        if (!plant || !strstr(plant, load_mass))
            fail_msg("%s: %s", cases[i].specimen, plant);
        assert_non_null(json_object_get(json_object_get(found, "verdict"), "level"));
        json_decref(found);
    }
}

static void a_table_without_one_is_told(void **state)
{
    struct program p;
    int code;

    scratch_write("spring.yaml", experiment);
    scratch_write("small.csv", HEAD "tiny,5,20,10,70,100,210,5\n");
    const char *const own[] = {"--table", scratch_path("small.csv"), NULL};
    json_t *found = sized(own, &code);

    assert_int_equal(code, 4);
    assert_true(json_is_null(json_object_get(json_object_get(found, "proposal"), "a1")));
    assert_true(json_is_null(json_object_get(found, "verdict")));
    json_decref(found);
    program_run(&p, "check", scratch_path("spring.yaml"), "--size", "--table", own[1]);
    assert_non_null(strstr(p.out, "no actuator of the table carries it"));
    program_free(&p);
}

static void wrong_words_are_refused(void **state)
{
    struct program p;

    scratch_write("spring.yaml", experiment);
    scratch_write("bad.csv", HEAD "a,none,20,10,70,100,210,5\n");
    program_run(&p, "check", scratch_path("spring.yaml"), "--table", "x.csv");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "go with --size"));
    program_free(&p);
    program_run(&p, "check", scratch_path("spring.yaml"), "--size", "--table", scratch_path("bad.csv"));
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "bad.csv:2:3: 'none' is not a number (force_kN)"));
    program_free(&p);
    scratch_write("binary.csv", "\xf7\x01\x02 name,\x7f\n");
    program_run(&p, "check", scratch_path("spring.yaml"), "--size", "--table", scratch_path("binary.csv"));
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "binary.csv:1:1: this is no table: its first line is not text"));
    program_free(&p);
    program_run(&p, "check", scratch_path("spring.yaml"), "--size", "--table", "/");
    assert_non_null(strstr(p.err, "/: cannot be read: Is a directory"));
    program_free(&p);
    program_run(&p, "check", scratch_path("spring.yaml"), "--size", "--plot", "out.xyz");
    assert_int_equal(p.code, 2);
    program_free(&p);
    program_run(&p, "check", YOKE_SOURCE "/examples/oscillator/oscillator.yaml", "--size");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "there is no actuator to size"));
    program_free(&p);
}

/* Pictures of a proposal, and of a recording with and without a data sheet. */
static void pictures_are_drawn(void **state)
{
    char picture[1024], folder[1024];
    struct program p;

    scratch_write("spring.yaml", experiment);
    snprintf(picture, sizeof picture, "%s", scratch_path("sizing.svg"));
    program_run(&p, "check", scratch_path("spring.yaml"), "--size", "--plot", picture);
    assert_int_equal(p.code, 0);
    assert_int_equal(access(picture, R_OK), 0);
    program_free(&p);
    unlink(picture);
    snprintf(folder, sizeof folder, "%s", scratch_path("run"));
    program_run(&p, "run", scratch_path("spring.yaml"), "-q", "-o", folder, "--accept-quality", "--set",
                "rig.actuators.a1.plant={kind: hydraulic, area: 12e-3 m2, stroke: 125 mm, valve_flow: 250 l/min, "
                "valve_bandwidth: 60 Hz, piston_mass: 180 kg}");
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "plot", folder, "--sizing", "-o", picture);
    assert_int_equal(p.code, 0);
    assert_in_scratch("sizing.csv", "capacity");
    program_free(&p);
    scratch_write("log.csv", "time [s],x [m]\n0,0\n1,1\n2,0\n3,1\n4,0\n5,1\n6,0\n7,1\n8,0\n9,1\n10,0\n11,1\n");
    program_run(&p, "plot", scratch_path("log.csv"), "--sizing", "-o", picture);
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "is no recording of a run"));
    program_free(&p);
    program_run(&p, "plot", folder, "--sizing");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "-o"));
    program_free(&p);
}

/* A heavy specimen on an actuator by its data sheet that is not told of it. */
static void a_specimen_that_would_drive_its_piston_away_is_refused(void **state)
{
#define PLANT                                                                                                          \
    "rig.actuators.a1.plant={kind: hydraulic, area: 12e-3 m2, stroke: 125 mm, valve_flow: 250 l/min, "                 \
    "valve_bandwidth: 60 Hz, piston_mass: 180 kg"
    static const struct {
        const char *plant, *mass, *more;
        int code;
        const char *said;
    } cases[] = {
        {PLANT "}", "rig.specimen.mass=[150]", "time.end=1 s", 0, NULL},
        {PLANT "}", "rig.specimen.mass=[190]", "time.end=1 s", 2, "set plant.load_mass to 190 kg"},
        {PLANT "}", "rig.specimen.mass=[150]", "rig.actuators.a1.moving_mass=40 kg", 2, "moves 190 kg"},
        {PLANT ", load_mass: 190 kg}", "rig.specimen.mass=[190]", "time.end=1 s", 0, NULL},
        {PLANT ", load_mass: 20 t}", "rig.specimen.mass=[190]", "time.end=1 s", 0, NULL},
        {"rig.actuators.a1.plant={kind: electric, motor_constant: 0.6, screw: 10 mm, inertia: 8e-4, current_limit: 20, "
         "voltage: 190, resistance: 1.5, stroke: 150 mm}",
         "rig.specimen.mass=[300]", "time.end=1 s", 2, "carries 284.2 kg by itself, 0 of it load_mass"},
    };
    struct program p;

    scratch_write("spring.yaml", experiment);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        program_run(&p, "run", scratch_path("spring.yaml"), "-q", "--no-report", "--force", "-o", scratch_path("mass"),
                    "--accept-quality", "--set", cases[i].plant, "--set", cases[i].mass, "--set", cases[i].more);
        if (p.code != cases[i].code || (cases[i].said && !strstr(p.err, cases[i].said)))
            fail_msg("case %zu: %d, %s%s", i, p.code, p.out, p.err);
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_actuator_that_carries_the_test_is_proposed),
        cmocka_unit_test(a_heavy_specimen_is_weighed),
        cmocka_unit_test(a_table_without_one_is_told),
        cmocka_unit_test(wrong_words_are_refused),
        cmocka_unit_test(pictures_are_drawn),
        cmocka_unit_test(a_specimen_that_would_drive_its_piston_away_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
