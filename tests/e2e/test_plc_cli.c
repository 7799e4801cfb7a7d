/* A rig that a PLC guards, as a user runs it: the PLC of the virtual rig with its faults, paced and unpaced, the
 * console, and a device with a PLC that was written without Yoke (plc_device.py) and logs what is on the wire. */
#include "support/check.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE YOKE_SOURCE "/tests/e2e/plc_device.py"

static const char simulated[] =
    "title: guarded by a PLC\n"
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
    "  column: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[35530]]}}\n"
    "interfaces: [{join: [frame.x, column.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 500 N, frequency: 1.3 Hz}]\n"
    "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 10 ms}}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: first-order, time_constant: 10 ms}}}\n"
    "  specimen: {dofs: [x], mass: [[0]], stiffness: [[35530]]}\n"
    "  sensors: {count: {heartbeat: true}}\n"
    "  lines: {drive: {role: enable}, alive: {role: heartbeat_out}, guard: {role: watchdog, period: 0 s},\n"
    "          low: {role: pressure_low}, high: {role: pressure_high}, plc: {role: heartbeat_in}, permit: {role: "
    "permissive},\n"
    "          low_ok: {role: pressure_low_on}, high_ok: {role: pressure_high_on}, key: {role: reset_key}}\n"
    "limits: {displacement: 200 mm, command_rate: 5 m/s, force: 8.3 kN, tracking_error: 100 mm, heartbeat: 0.3 s,\n"
    "         pressure_wait: 0.6 s, peer_silence: 1 s, missed_deadlines: 0, stall: 0, trip_ramp: 0.2, end_ramp: 0.2}\n";
static const char on_wire[] =
    "title: guarded by a PLC\n"
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
    "  column: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[35530]]}}\n"
    "interfaces: [{join: [frame.x, column.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 500 N, frequency: 1.3 Hz}]\n"
    "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 10 ms}}}\n"
    "rig:\n"
    "  backend: udp-raw\n"
    "  settings:\n"
    "    commands: [{type: u64, name: sequence}, {type: u32, name: state}, {type: f64, name: a1.command},\n"
    "               {type: u32, name: lines, bits: [drive, alive, guard, low, high]}]\n"
    "    readings: [{type: u64, name: sequence}, {type: u64, name: answers}, {type: f64, name: a1.displacement},\n"
    "               {type: f64, name: a1.force}, {type: u32, name: lines, bits: [plc, permit, low_ok, high_ok]}]\n"
    "  actuators: {a1: {plant: {kind: first-order, time_constant: 10 ms}}}\n"
    "  specimen: {dofs: [x], mass: [[0]], stiffness: [[35530]]}\n"
    "  lines: {drive: {role: enable}, alive: {role: heartbeat_out}, guard: {role: watchdog, period: 0 s},\n"
    "          low: {role: pressure_low}, high: {role: pressure_high}, plc: {role: heartbeat_in}, permit: {role: "
    "permissive},\n"
    "          low_ok: {role: pressure_low_on}, high_ok: {role: pressure_high_on}}\n"
    "limits: {displacement: 200 mm, command_rate: 5 m/s, force: 8.3 kN, tracking_error: 100 mm, heartbeat: 0.3 s,\n"
    "         pressure_wait: 0.6 s, peer_silence: 1 s, missed_deadlines: 0, stall: 0, trip_ramp: 0.2, end_ramp: 0.2}\n";

static void assert_run(const char *set, bool paced, int code, const char *words)
{
    static int runs;
    char name[32], folder[1024];
    struct program p;

    snprintf(name, sizeof name, "out%d", runs++);
    snprintf(folder, sizeof folder, "%s", scratch_path(name));
    program_run(&p, "run", scratch_path("plc.yaml"), "-q", "-o", folder, "--uncommissioned",
                "test: a device of the test", "--set", set, paced ? "--realtime" : "-q");
    if (p.code != code || (!strstr(p.out, words) && !strstr(p.err, words)))
        print_error("%s: exit code %d: %s%s\n", set, p.code, p.out, p.err);
    assert_int_equal(p.code, code);
    assert_true(strstr(p.out, words) || strstr(p.err, words));
    program_free(&p);
}

static void the_faults_of_a_plc_end_a_run_with_their_words(void **state)
{
    static const struct {
        const char *set, *words;
        int code;
        bool paced; /* once more, which takes its time */
    } cases[] = {
        {"time.end=1", "100 of 100 steps", 0, false},
        {"rig.lines.plc.hangs=1 s", "standstill of the heartbeat: plc", 3, true},
        {"rig.lines.plc.hangs=1 us", "standstill of the heartbeat: plc at step 0", 3, false},
        {"rig.sensors.count.hangs=1 s", "standstill of the heartbeat: count", 3, false},
        {"rig.lines.permit.opens=1 s", "the PLC does not permit motion: permit", 3, true},
        {"rig.lines.permit.opens=1 us", "the PLC does not permit motion: permit at step 0", 3, false},
        {"rig.lines.low_ok.opens=1 us", "low pressure is not acknowledged by low_ok at step 0", 3, true},
        {"rig.lines.high_ok.answers=10 s", "high pressure is not acknowledged by high_ok at step 0", 3, false},
        {"rig.lines.high_ok.opens=1 s", "the pressure changed without an order: high_ok", 3, false},
        {"rig.lines.low_ok.hangs=1 s", "pressure off is not acknowledged by low_ok", 3, false},
    };

    scratch_write("plc.yaml", simulated);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int paced = 0; paced <= (int)cases[i].paced; paced++)
            assert_run(cases[i].set, paced, cases[i].code, cases[i].words);
}

static void lines_that_cannot_work_are_refused(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"rig.lines={low: {role: pressure_low}}", "line 'low' needs an input with the role pressure_low_on"},
        {"rig.lines={high: {role: pressure_high}, ok: {role: pressure_high_on}}",
         "line 'high' needs an output with the role pressure_low: low comes before high"},
        {"rig.lines={ok: {role: pressure_low_on}}", "line 'ok' needs an output with the role pressure_low"},
        {"rig.lines.permit.period=1 s",
         "period has no effect on 'permit', which is neither a heartbeat nor a watchdog"},
        {"rig.lines.drive.hangs=1 s", "hangs has no effect on 'drive', which is an output"},
        {"rig.lines.permit.answers=1 s", "answers has no effect on 'permit', which is not an acknowledgement"},
        {"rig.sensors.other={heartbeat: true}", "'count' is a heartbeat already"},
    };

    scratch_write("plc.yaml", simulated);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_run(cases[i].set, false, 2, cases[i].words);
}

static void assert_console(const char *orders, const char *set, int code, const char *const *words)
{
    struct program p;

    program_run(&p, "rig", scratch_path("plc.yaml"), "--fast", "--yes", "--set", set, "-c", orders);
    const char *at = p.out;

    for (; *words && at; words++) { /* in this order */
        if (!strstr(at, *words))
            print_error("no '%s': exit code %d: %s%s\n", *words, p.code, p.out, p.err);
        assert_non_null(at = strstr(at, *words));
    }
    assert_int_equal(p.code, code);
    program_free(&p);
}

static void the_console_steps_the_pressure(void **state)
{
    scratch_write("plc.yaml", simulated);
    assert_console("enable; status; pressure low; pressure high; status; pressure off; pressure high; disable; status",
                   "time.end=1", 0,
                   (const char *const[]){"pressure: off, acknowledged", "ok: pressure low, acknowledged",
                                         "ok: pressure high, acknowledged", "line high_ok: level 1", "pressure: high",
                                         "ok: pressure off", "ok: pressure high", "ok: drives disabled",
                                         "line low_ok: level 0", "pressure: off", NULL});
    assert_console("pressure low", "time.end=1", 2, (const char *const[]){"refused: the drives must hold", NULL});
    assert_console("line high on", "time.end=1", 2, (const char *const[]){"refused: high follows the pressure", NULL});
    assert_console("enable", "rig.lines.permit.opens=1 us", 3,
                   (const char *const[]){"the PLC does not permit motion: permit", NULL});
    assert_console("enable; pressure high", "rig.lines.high_ok.opens=1 us", 3,
                   (const char *const[]){"high pressure is not acknowledged by high_ok", NULL});
}

/* The key of the virtual rig is on for a second, then off for one. */
static void a_trip_is_reset_only_after_the_key(void **state)
{
    struct program p;

    scratch_write("plc.yaml", simulated);
    scratch_write("orders", "enable\nwait 1.3 s\nstatus\nreset\nwait 1 s\nreset\n");
    program_start(&p,
                  (const char *const[]){"/bin/sh", "-c", "exec \"$0\" rig \"$1\" --fast --set \"$2\" < \"$3\"",
                                        YOKE_PROGRAM, scratch_path("plc.yaml"), "rig.lines.permit.opens=1.2 s",
                                        scratch_path("orders"), NULL},
                  0);
    program_wait(&p);
    const char *locked = strstr(p.out, "refused: the trip is locked: switch the reset key off and on");

    if (!locked)
        print_error("%s%s\n", p.out, p.err);
    assert_non_null(locked);
    assert_non_null(strstr(locked, "ok: reset"));
    program_free(&p);
}

static void the_check_list_tests_the_plc(void **state)
{
    scratch_write("plc.yaml", simulated);
    assert_console("checklist", "rig.lines.permit.opens=14 s", 0,
                   (const char *const[]){"pass           pressure of low: acknowledged after 2",
                                         "pass           pressure of high", "pass           pressure of off",
                                         "pass           heartbeat of plc", "take the permissive away",
                                         "pass           permissive of permit: the line tripped", NULL});
}

/* ---- on the wire ---- */

static int port_of(const struct program *device)
{
    for (int tries = 0; tries < 3000; tries++) {
        FILE *in = fopen(device->out_path, "r");
        char line[64];
        const bool there = in && fgets(line, sizeof line, in) && strchr(line, '\n');

        if (in)
            fclose(in);
        if (there)
            return atoi(line);
        patience_sleep(0.01);
    }
    fail_msg("the device did not start");
    return 0;
}

/* The number of the command at which an output changes; -1: never. */
static long when(const char *log, const char *line)
{
    char begin[64];

    snprintf(begin, sizeof begin, "\n%s ", line);
    const char *at = strstr(log, begin);

    return at ? strtol(at + strlen(begin), NULL, 10) : -1;
}

static void a_foreign_plc_sees_the_steps_in_order(void **state)
{
    static const struct {
        const char *fault, *words;
        int code;
    } cases[] = {{"none", "100 of 100 steps", 0},
                 {"hangs", "standstill of the heartbeat: plc", 3},
                 {"permit", "the PLC does not permit motion: permit", 3},
                 {"deaf", "high pressure is not acknowledged by high_ok", 3}};

    scratch_write("plc.yaml", on_wire);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program device;
        char port[64];

        program_start(&device, (const char *const[]){"/usr/bin/env", "python3", DEVICE, cases[i].fault, NULL}, 0);
        snprintf(port, sizeof port, "rig.settings.port=%d", port_of(&device));
        assert_run(port, false, cases[i].code, cases[i].words);
        program_wait(&device);
        const char *log = device.out;
        const long low = when(log, "low 1"), high = when(log, "high 1"), moves = when(log, "moves"),
                   high_off = when(log, "high 0"), low_off = when(log, "low 0"), off = when(log, "drive 0"),
                   guard = atol(strstr(log, "guard_last ") + 11), all = when(log, "commands");

        print_message("%s: low %ld, high %ld, moves %ld; high off %ld, low off %ld, drive off %ld; guard until %ld of "
                      "%ld\n",
                      cases[i].fault, low, high, moves, high_off, low_off, off, guard, all);
        assert_true(when(log, "drive 1") <= low && low + 30 <= high);
        assert_true(moves < 0 ? i == 3 : high + 30 <= moves);
        assert_true(high_off > 0 && high_off < low_off && low_off < off);
        if (i == 0)
            assert_true(high_off + 30 <= low_off && low_off + 30 <= off);
        program_free(&device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_faults_of_a_plc_end_a_run_with_their_words),
        cmocka_unit_test(lines_that_cannot_work_are_refused),
        cmocka_unit_test(the_console_steps_the_pressure),
        cmocka_unit_test(a_trip_is_reset_only_after_the_key),
        cmocka_unit_test(the_check_list_tests_the_plc),
        cmocka_unit_test(a_foreign_plc_sees_the_steps_in_order),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
