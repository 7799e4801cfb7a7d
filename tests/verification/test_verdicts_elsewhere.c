/* Verdicts of other structures than those that the bounds were tuned with: specimens anywhere in the structure, several
 * actuators, forces as commands, a specimen that only has mass, explicit steps. Good as they are; spoiled in one way or
 * in two, not good, and the cause first. */
#include "support/check.h"
#include "support/scratch.h"
#include "support/verdicts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char brace[] =
    "title: Five storeys, the brace of the third is the specimen\n"
    "time: { step: 5 ms, end: 12 s, control_rate: 1000 Hz }\n"
    "method: { integrator: chang }\n"
    "substructures:\n"
    "  building:\n"
    "    dofs: [x1, x2, x3, x4, x5]\n"
    "    mass: [20 t, 20 t, 20 t, 20 t, 20 t]\n"
    "    stiffness: [[40e6, -20e6, 0, 0, 0], [-20e6, 40e6, -20e6, 0, 0], [0, -20e6, 40e6, -20e6, 0], "
    "[0, 0, -20e6, 40e6, -20e6], [0, 0, 0, -20e6, 20e6]]\n"
    "    rayleigh: { ratio: 0.04, frequencies: [1.4 Hz, 6 Hz] }\n"
    "  brace: { role: physical, dofs: [d], actuators: { d: jack }, estimate: { stiffness: [[6 MN/m]] } }\n"
    "interfaces: [ { row: { building.x3: 1, building.x2: -1, brace.d: -1 } } ]\n"
    "loads: [ { ground: building, kind: earthquake, peak: 0.25 g, frequency: 2.2 Hz, rise: 1 s, strong: 6 s, decay: 4 "
    "s, seed: 31 } ]\n"
    "transfer: { jack: { compensator: { kind: lagrange, order: 3, delay: 8 ms } } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: { jack: { plant: { kind: delay, delay: 8 ms }, capacity: { stroke: 100 mm, speed: 1 m/s, force: 500 "
    "kN } } }\n"
    "  specimen: { dofs: [d], mass: [0], stiffness: [6 MN/m] }\n"
    "reference: monolithic\n";

static const char floors[] =
    "title: Two floors, each on a specimen of its own\n"
    "time: { step: 4 ms, end: 12 s, control_rate: 1000 Hz }\n"
    "method: { integrator: lsrt2 }\n"
    "substructures:\n"
    "  floors:\n"
    "    dofs: [x1, x2]\n"
    "    mass: [[3 t, 0], [0, 2 t]]\n"
    "    damping: [[6e3, -2e3], [-2e3, 4e3]]\n"
    "    stiffness: [[150e3, -150e3], [-150e3, 150e3]]\n"
    "  left: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[300e3]] } }\n"
    "  right: { role: physical, dofs: [x], actuators: { x: a2 }, estimate: { stiffness: [[60e3]] } }\n"
    "interfaces: [ { join: [floors.x1, left.x] }, { join: [floors.x2, right.x] } ]\n"
    "loads: [ { ground: floors, kind: earthquake, peak: 0.2 g, frequency: 2 Hz, rise: 1 s, strong: 5 s, decay: 4 s, "
    "seed: 21 } ]\n"
    "transfer:\n"
    "  a1: { compensator: { kind: lagrange, order: 3, delay: 10 ms } }\n"
    "  a2: { compensator: { kind: lagrange, order: 3, delay: 8 ms } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators:\n"
    "    a1: { plant: { kind: delay, delay: 10 ms }, capacity: { stroke: 200 mm, speed: 2 m/s, force: 60 kN } }\n"
    "    a2: { plant: { kind: delay, delay: 8 ms }, capacity: { stroke: 200 mm, speed: 2 m/s, force: 60 kN } }\n"
    "  specimens:\n"
    "    left: { dofs: [x], mass: [0], stiffness: [300e3] }\n"
    "    right: { dofs: [x], mass: [0], stiffness: [60e3] }\n"
    "reference: monolithic\n";

static const char wall[] =
    "title: Machine on a wall in force control\n"
    "time: { step: 2 ms, end: 6 s, control_rate: 1 kHz }\n"
    "method: { integrator: chang }\n"
    "substructures:\n"
    "  machine: { kind: linear, dofs: [x], mass: [5 t], damping: [6e3], stiffness: [1 MN/m] }\n"
    "  wall:\n"
    "    role: physical\n"
    "    dofs: [x]\n"
    "    actuators: { x: jack }\n"
    "    connection: { x: 1.5 MN/m }\n"
    "    estimate: { stiffness: [40 MN/m] }\n"
    "interfaces: [ { join: [machine.x, wall.x] } ]\n"
    "loads: [ { on: machine.x, kind: multi-sine, amplitudes: [3 kN, 2 kN], frequencies: [1.6 Hz, 2.6 Hz] } ]\n"
    "transfer: { jack: { command: force, compensator: { kind: lagrange, order: 3, delay: 10 ms } } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: { jack: { plant: { kind: second-order, T1: 5 ms, T2: 5 ms }, capacity: { force: 60 kN } } }\n"
    "  specimen: { kind: linear, dofs: [x], mass: [200], damping: [9000], stiffness: [40 MN/m] }\n"
    "reference: monolithic\n";

static const char tower[] =
    "title: Tower with a tuned mass damper on an electric actuator\n"
    "time: { step: 5 ms, end: 20 s, control_rate: 1000 Hz }\n"
    "method: { integrator: chang }\n"
    "substructures:\n"
    "  tower:\n"
    "    dofs: [x1, x2]\n"
    "    mass: [[8 t, 0], [0, 8 t]]\n"
    "    damping: [[8e3, -4e3], [-4e3, 4e3]]\n"
    "    stiffness: [[1600e3, -800e3], [-800e3, 800e3]]\n"
    "  damper: { role: physical, dofs: [base], actuators: { base: motor }, estimate: { stiffness: [[0]] } }\n"
    "interfaces: [ { join: [tower.x2, damper.base] } ]\n"
    "loads: [ { ground: tower, kind: earthquake, peak: 0.05 g, frequency: 1 Hz, rise: 2 s, strong: 9 s, decay: 6 s, "
    "seed: 4 } ]\n"
    "transfer: { motor: { compensator: { kind: lagrange, order: 3, delay: 20 ms } } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators:\n"
    "    motor:\n"
    "      plant: { kind: electric, motor_constant: 0.6, screw: 20 mm, inertia: 8e-4, current_limit: 30, voltage: 400, "
    "resistance: 0.8, stroke: 200 mm, mass: 20 }\n"
    "  specimen:\n"
    "    kind: assembled\n"
    "    nodes: { base: { mass: 5 }, m: { mass: 300 } }\n"
    "    elements: [ { kind: spring, between: [base.x, m.x], stiffness: 11e3 }, { kind: damper, between: [base.x, "
    "m.x], "
    "damping: 400 } ]\n"
    "reference: monolithic\n";

static const char mount[] =
    "title: Machine on a mount\n"
    "time: { step: 2 ms, end: 10 s, control_rate: 1000 Hz }\n"
    "method: { integrator: central-difference }\n"
    "substructures:\n"
    "  machine: { dofs: [z], mass: [150], damping: [150], stiffness: [0] }\n"
    "  mount: { role: physical, dofs: [z], actuators: { z: exciter }, estimate: { stiffness: [[60e3]], damping: "
    "[[300]] "
    "} }\n"
    "interfaces: [ { join: [machine.z, mount.z] } ]\n"
    "loads: [ { on: machine.z, kind: sine, amplitude: 200 N, frequency: 2.2 Hz } ]\n"
    "transfer: { exciter: { compensator: { kind: lagrange, order: 3, delay: 6 ms } } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: { exciter: { plant: { kind: first-order, time_constant: 4 ms, dead_time: 2 ms }, capacity: { stroke: "
    "50 mm, speed: 1 m/s, force: 5 kN } } }\n"
    "  specimen: { dofs: [z], mass: [0], stiffness: [60e3], damping: [300] }\n"
    "reference: monolithic\n";

static const char pier[] =
    "title: Bridge pier under its deck, a hydraulic actuator by its data sheet\n"
    "time: { step: 5 ms, end: 16 s, control_rate: 1000 Hz }\n"
    "method: { integrator: kr-alpha }\n"
    "substructures:\n"
    "  deck: { dofs: [y], mass: [60 t], damping: [100e3], stiffness: [0] }\n"
    "  pier: { role: physical, dofs: [y], actuators: { y: jack }, estimate: { stiffness: [[5 MN/m]] } }\n"
    "interfaces: [ { join: [deck.y, pier.y] } ]\n"
    "loads: [ { ground: deck, kind: earthquake, peak: 0.15 g, frequency: 1.8 Hz, rise: 2 s, strong: 6 s, decay: 5 s, "
    "seed: 11 } ]\n"
    "transfer: { jack: { compensator: { kind: lagrange, order: 3, delay: 10.5 ms } } }\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: { jack: { plant: { kind: hydraulic, area: 13.2e-3 m2, stroke: 125 mm, valve_flow: 400 l/min, "
    "valve_bandwidth: 100 Hz, piston_mass: 150 kg } } }\n"
    "  specimen: { dofs: [y], mass: [0], stiffness: [5 MN/m] }\n"
    "reference: monolithic\n";

static const char *const structures[] = {brace, floors, wall, tower, mount, pier};

/* The structure, its first reason or several that are right, and the settings that spoil it. */
static const struct {
    const char *text, *first, *actuator, *set[3];
} spoiled[] = {
    {brace, "force", "jack", {"rig.actuators.jack.capacity.force=20 kN"}},
    {brace, "lag", "jack", {"transfer.jack.compensator={kind: none}", "rig.actuators.jack.plant.delay=60 ms"}},
    {brace, "lag", "jack", {"transfer.jack.compensator.delay=45 ms"}},
    {brace, "gain", "jack", {"rig.actuators.jack.plant.gain=0.3"}},
    {brace, "sign", "jack", {"rig.actuators.jack.sensors={force_gain: -0.8}"}},
    {brace, "estimate", "jack", {"substructures.brace.estimate.stiffness=[[6 kN/m]]"}},
    {brace, "force_noise", "jack", {"rig.actuators.jack.sensors={force_noise: 30 kN}"}},
    {brace, "step", NULL, {"time.step=100 ms"}},
    {brace, "stroke|force", "jack", {"rig.actuators.jack.capacity={stroke: 5 mm, force: 30 kN}"}},
    {floors, "force", "a2", {"rig.actuators.a2.capacity.force=0.6 kN"}},
    {floors, "sign", "a2", {"rig.actuators.a2.sensors={force_gain: -1}"}},
    {floors, "lag", "a1", {"transfer.a1.compensator.delay=40 ms"}},
    {floors, "displacement_noise", "a1", {"rig.actuators.a1.sensors={displacement_noise: 5 mm}"}},
    {floors, "no_effect", NULL, {"loads.0={on: floors.x1, kind: step, amplitude: 1 kN, at: 30 s}"}},
    {floors, "tracking|gain|lag", "a1", {"rig.actuators.a1.capacity.brake=4 s"}},
    {floors,
     "stroke",
     "a2",
     {"rig.actuators.a2.capacity.stroke=8 mm", "rig.actuators.a1.sensors={force_noise: 400 N}"}},
    {wall, "force", "jack", {"rig.actuators.jack.capacity.force=1 kN"}},
    {wall,
     "lag",
     "jack",
     {"transfer.jack.compensator={kind: none}", "rig.actuators.jack.plant={kind: second-order, T1: 25 ms, T2: 25 ms}"}},
    {wall, "force_noise", "jack", {"rig.actuators.jack.sensors={force_noise: 2 kN}"}},
    {tower, "force|valve|speed", "motor", {"rig.actuators.motor.plant.current_limit=0.5"}},
    {tower, "stroke", "motor", {"rig.actuators.motor.plant.stroke=10 mm"}},
    {tower, "lag", "motor", {"transfer.motor.compensator.delay=90 ms"}},
    {pier, "force", "jack", {"rig.actuators.jack.plant.area=5e-3 m2"}},
    {pier, "force", "jack", {"rig.actuators.jack.plant.area=1.2e-3 m2", "loads.0.peak=0.35 g"}},
    {pier, "force", "jack", {"rig.actuators.jack.plant.area=0.3e-3 m2"}},
    {mount, "lag", "exciter", {"transfer.exciter.compensator={kind: none}"}},
    {mount, "lag", "exciter", {"transfer.exciter.compensator.delay=25 ms"}},
    {mount, "speed", "exciter", {"rig.actuators.exciter.capacity.speed=30 mm/s"}},
    {mount, "valve", "exciter", {"rig.actuators.exciter.capacity={rate: 25 mm/s}"}},
    {mount, "estimate|frequency", "exciter", {"substructures.mount.estimate={stiffness: [[60]], damping: [[0.3]]}"}},
};

static void other_structures_are_good(void **state)
{
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        json_t *verdict = judged_test(structures[i], NULL, 0, false);

        if (strcmp(level_of(verdict), "good") != 0)
            fail_msg("%.40s: %s, %s", structures[i], level_of(verdict), first_of(verdict));
        json_decref(verdict);
    }
}

static void the_cause_comes_first_in_other_structures(void **state)
{
    const size_t count = sizeof spoiled / sizeof *spoiled;
    size_t wrong = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t settings = spoiled[i].set[1] ? 2 : 1;
        json_t *verdict = judged_test(spoiled[i].text, spoiled[i].set, settings, false);
        const char *of =
            json_string_value(json_object_get(json_array_get(json_object_get(verdict, "reasons"), 0), "actuator"));

        if (strcmp(level_of(verdict), "good") == 0)
            fail_msg("%s: good", spoiled[i].set[0]);
        if (!is_one_of(first_of(verdict), spoiled[i].first) ||
            (spoiled[i].actuator && (!of || strcmp(of, spoiled[i].actuator) != 0))) {
            print_message("%s: first %s of %s, not %s\n", spoiled[i].set[0], first_of(verdict), of ? of : "none",
                          spoiled[i].first);
            wrong++;
        }
        json_decref(verdict);
    }
    print_message("%zu spoiled tests, the first reason wrong in %zu\n", count, wrong);
    assert_true(20 * wrong <= count);
}

/* The estimate of the error of the response knows where in the structure a specimen is: between two storeys, and where
 * only the second actuator errs. */
static void the_error_is_felt_where_the_specimen_is(void **state)
{
    static const struct {
        const char *text, *set;
    } cases[] = {{brace, "transfer.jack.compensator.delay=2 ms"},
                 {brace, "rig.actuators.jack.plant.gain=0.7"},
                 {floors, "transfer.a2.compensator.delay=0.1 ms"},
                 {floors, "rig.actuators.a2.plant.gain=0.8"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *verdict = judged_test(cases[i].text, &cases[i].set, 1, false);
        const json_t *measures = json_object_get(verdict, "measures");
        const double felt = json_number_value(json_object_get(measures, "felt")),
                     error = json_number_value(json_object_get(measures, "reference"));

        print_message("%s: estimated error %.3g, true error %.3g\n", cases[i].set, felt, error);
        assert_true(felt < 2.6 * error && error < 2.6 * felt);
        json_decref(verdict);
    }
}

/* A record of 2 s in a run of 12 s. */
static void a_run_much_longer_than_its_record_is_told(void **state)
{
    char text[8000], load[1200];
    size_t used = 0;

    for (int k = 0; k <= 200; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%g,%g\n", 0.01 * k, 2 * sin(0.01 * k * 9));
    scratch_write("short.csv", text);
    snprintf(load, sizeof load, "loads.0={ground: floors, kind: file, file: \"%s\", unit: m/s2}",
             scratch_path("short.csv"));
    const char *set = load;
    json_t *verdict = judged_test(floors, &set, 1, false);

    assert_string_equal(first_of(verdict), "unloaded");
    assert_near(json_number_value(json_object_get(json_object_get(verdict, "measures"), "unloaded")), 10.0 / 12, 1e-3);
    json_decref(verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_structures_are_good),
        cmocka_unit_test(the_cause_comes_first_in_other_structures),
        cmocka_unit_test(the_error_is_felt_where_the_specimen_is),
        cmocka_unit_test(a_run_much_longer_than_its_record_is_told),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
