#include "support/console.h"
#include "support/scratch.h"

#include <unistd.h>

/* The plant: gain 0.9868, time constants 53.97 and 5.014 ms, dead time 9.331 ms (kind tt1). */
static const char specimen[] =
    "title: console\n"
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
    "  column: {role: physical, dofs: [x], actuators: {x: a1}}\n"
    "interfaces: [{join: [frame.x, column.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 500 N, frequency: 1.3 Hz}]\n"
    "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 ms}}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: tt1}, sensors: {force_bias: 120 N}}}\n"
    "  sensors: {strain: {unit: um/m, measures: a1.displacement, gain: 1e4, bias: 7}}\n"
    "  lines: {door: {role: interlock}, stop: {role: emergency_stop, opens: 20 s}, on: {role: enable},\n"
    "          red: {role: trip_lamp}}\n"
    "  specimen: {dofs: [x], mass: [[0]], stiffness: [[35530]]}\n"
    "limits: {displacement: 200 mm, command_rate: 0.5 m/s, force: 8.3 kN, tracking_error: 20 mm, missed_deadlines: 0,\n"
    "         stall: 0, on_trip: ramp}\n";

struct console console;

int console_set_up(void **state)
{
    const int made = scratch_create(state);
    char name[64];

    snprintf(name, sizeof name, "t%ld-console.yaml", (long)getpid());
    snprintf(console.zeros, sizeof console.zeros, "t%ld-console.calibration.yaml", (long)getpid());
    snprintf(console.name, sizeof console.name, "t%ld-console-rig", (long)getpid());
    snprintf(console.file, sizeof console.file, "%s", scratch_write(name, specimen));
    return made;
}

void console_forget_zeros(void)
{
    remove(scratch_path(console.zeros));
}
