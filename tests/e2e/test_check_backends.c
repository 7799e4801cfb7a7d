/* `yoke check` refuses wrong settings of the rig's backend as a run does: at the same place, in the same words, with
 * the same exit code. No device is opened for it: none of those here exists. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

/* %s: what follows `backend:`. Its settings are in line 13. */
static const char form[] =
    "time: { step: 10 ms, end: 0.1 s, control_rate: 200 Hz }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
    "  mass: { dofs: [x], mass: [1000 kg], damping: [2 kN s/m], stiffness: [0] }\n"
    "  spring: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [100 kN/m] } }\n"
    "interfaces: [ { join: [mass.x, spring.x] } ]\n"
    "transfer: { a1: {} }\n"
    "limits: { displacement: 50 mm, command_rate: 1 m/s, force: 8 kN, tracking_error: 50 mm }\n"
    "rig:\n  actuators: { a1: { plant: { kind: ideal } } }\n"
    "  specimen: { dofs: [x], mass: [0], stiffness: [100 kN/m] }\n"
    "  backend: %s\n";

#define SETTINGS(backend, text) backend "\n  settings: {" text "}"
#define FIELDS                                                                                                         \
    "commands: [{type: u8, name: state}, {type: f32, name: a1.command}], "                                             \
    "readings: [{type: f32, name: a1.displacement}, {type: f32, name: a1.force}]"
#define REGISTERS          "map: {a1.command: {holding: 0}, a1.displacement: {holding: 1}, a1.force: {holding: 2}}"
#define SLAVE              "slaves: {one: {vendor: 1, product: 2}}, "
#define WIRED(name, index) name ": {slave: one, entry: 0x6000:" index "}"
#define BUS                                                                                                            \
    "interface: none, clock: false, " SLAVE                                                                            \
    "channels: {" WIRED("a1.command", "1") ", " WIRED("a1.displacement", "2") ", " WIRED("a1.force", "3") "}"

static void check(const char *rig, int code, const char *place, const char *words)
{
    char text[4096];
    struct program p, run;

    snprintf(text, sizeof text, form, rig);
    const char *file = scratch_write("rig.yaml", text);

    program_run(&p, "check", file);
    if (p.code != code || (words && !strstr(p.err, words)) || (place && !strstr(p.err, place)))
        print_error("%s\n%d: %s", rig, p.code, p.err);
    assert_int_equal(p.code, code);
    if (code == 2) {
        assert_non_null(strstr(p.err, place));
        assert_non_null(strstr(p.err, words));
        program_run(&run, "run", file, "-q", "-o", scratch_path("out"));
        assert_int_equal(run.code, 2);
        assert_string_equal(run.err, p.err);
        program_free(&run);
    }
    program_free(&p);
}

static void settings_outside_their_range_are_refused(void **state)
{
    static const char *const with_port[] = {SETTINGS("udp", "port: 0"), SETTINGS("udp-raw", "port: 0, " FIELDS),
                                            SETTINGS("modbus", "port: 0, " REGISTERS),
                                            SETTINGS("openfresco", "port: 0")};

    for (size_t k = 0; k < sizeof with_port / sizeof *with_port; k++)
        check(with_port[k], 2, "rig.yaml:13:20: ", "port = 0 is outside 1 .. 65535");
    check(SETTINGS("opensees", "port: 70000"), 2, "rig.yaml:13:20: ", "port = 70000 is outside 0 .. 65535");
    check(SETTINGS("shm", "name: n, patience: 1e9"), 2, "rig.yaml:13:33: ", "patience = 1e9 is outside 0 .. 600 s");
    check(SETTINGS("ethercat", "interface: none, shift: 9, " SLAVE "channels: {}"), 2,
          "rig.yaml:13:38: ", "shift = 9 is outside 0 .. 0.9");
    check(SETTINGS("comedi", "map: {a1.command: {output: 0, range: 999}}"), 2,
          "rig.yaml:13:51: ", "range = 999 is outside 0 .. 255");
}

static void unknown_keys_and_backends_are_refused(void **state)
{
    check(SETTINGS("udp", "port: 1, prot: 2"), 2, "rig.yaml:13:23: ", "unknown key 'prot' in settings");
    check("udpp\n  settings: {port: 1}", 2, "rig.yaml:12:12: ", "there is no backend 'udpp'; did you mean 'udp'?");
    check("plugin\n  settings: {library: nowhere.so}", 2, "rig.yaml:13:", "nowhere.so");
}

static void addresses_and_files_are_refused_at_their_places(void **state)
{
    static const char *const with_host[] = {
        SETTINGS("udp", "host: 1.2.3, port: 1"), SETTINGS("udp-raw", "host: 1.2.3, port: 1, " FIELDS),
        SETTINGS("modbus", "host: 1.2.3, " REGISTERS), SETTINGS("openfresco", "host: 1.2.3, port: 1"),
        SETTINGS("opensees", "host: 1.2.3, port: 1")};

    for (size_t k = 0; k < sizeof with_host / sizeof *with_host; k++)
        check(with_host[k], 2, "rig.yaml:13:20: ", "'1.2.3' is not an IPv4 address, such as 127.0.0.1");
    check(SETTINGS("shm", "name: a b"), 2, "rig.yaml:13:20: ", "'a b' cannot name shared memory");
    check(SETTINGS("udp", "port: 1, key: nowhere.key"), 2, "rig.yaml:13:28: ", "nowhere.key");
    check(SETTINGS("opensees", "server: element"), 2,
          "rig.yaml:13:3: ", "'script' starts a server, or 'port' joins one");
}

static void maps_that_leave_something_out_are_refused_at_the_map(void **state)
{
    check(SETTINGS("modbus", "map: {a1.command: {holding: 0}, a1.force: {holding: 2}}"), 2,
          "rig.yaml:13:14: ", "modbus: the map has no 'a1.displacement'");
    check(SETTINGS("comedi", "map: {a1.command: {output: 0}, a1.displacement: {input: 0}}"), 2,
          "rig.yaml:13:14: ", "comedi: the map has no 'a1.force'");
    check(SETTINGS("udp-raw", "port: 1, commands: [{type: f32, name: a1.command}], readings: "
                              "[{type: f32, name: a1.displacement}, {type: f32, name: a1.force}]"),
          2, "rig.yaml:13:23: ", "udp-raw: `commands` needs a field 'state'");
    check(
        SETTINGS("ethercat", "interface: none, clock: false, " SLAVE "channels: {" WIRED("a1.command", "1") "}"), 2,
        "rig.yaml:13:", "EtherCAT: the reading that answers the command of 'a1' has no channel: add 'a1.displacement'");
    check(SETTINGS("ethercat", "interface: none, clock: false, " SLAVE
                               "channels: {" WIRED("a1.command", "1") ", " WIRED("a1.displacement", "1") "}"),
          2, "rig.yaml:13:", "EtherCAT: the force of 'a1' has no channel: add 'a1.force'");
    check(SETTINGS("ethercat", "interface: none, clock: false, " SLAVE "channels: {" WIRED("b9.command", "1") "}"), 2,
          "rig.yaml:13:", "'b9.command' is not known here");
}

/* The first command is the measured displacement: a device that counts both in the same units would step by 40 mm. */
static void a_command_from_another_zero_than_its_reading_is_refused(void **state)
{
#define STEPS "have the same scale and different offsets, 0 and -0.04 (SI units). The first command is the measured"
    check(SETTINGS("modbus",
                   "map: {a1.command: {holding: 0, scale: 1 mm}, a1.displacement: {holding: 1, scale: 1 mm, offset: "
                   "-40 mm}, a1.force: {holding: 2}}"),
          2, "rig.yaml:13:14: ", "modbus: a1.command and a1.displacement " STEPS);
    check(SETTINGS("comedi",
                   "map: {a1.command: {output: 0, scale: 20 mm}, a1.displacement: {input: 0, scale: 20 mm, offset: "
                   "-40 mm}, a1.force: {input: 1}}"),
          2, "rig.yaml:13:14: ", "comedi: a1.command and a1.displacement " STEPS);
    check(SETTINGS("udp-raw", "port: 1, commands: [{type: u8, name: state}, {type: f32, name: a1.command}], readings: "
                              "[{type: f32, name: a1.displacement, offset: -40 mm}, {type: f32, name: a1.force}]"),
          2, "rig.yaml:13:23: ", "udp-raw: a1.command and a1.displacement " STEPS);
    /* the same zero, and a sensor that counts in other units than the command */
    check(SETTINGS("modbus",
                   "map: {a1.command: {holding: 0, offset: -40 mm}, a1.displacement: {holding: 1, offset: -40 mm}, "
                   "a1.force: {holding: 2}}"),
          0, NULL, NULL);
    check(SETTINGS("comedi",
                   "map: {a1.command: {output: 0, scale: 20 mm}, a1.displacement: {input: 0, scale: 25 mm, offset: "
                   "-125 mm}, a1.force: {input: 1}, on: {digital: 0}}") "\n  lines: {on: {role: watchdog}}",
          0, NULL, NULL);
}

static void what_a_backend_cannot_do_is_refused(void **state)
{
    check(SETTINGS("openfresco", "port: 1") "\n  lines: {door: {role: interlock}}", 2,
          "rig.yaml:12:12: ", "backend openfresco has no digital lines");
}

/* The rigs of `rigs` as the one of `rig`. */
static void each_of_several_rigs_is_checked(void **state)
{
    struct program p;
    const char *file = scratch_write(
        "rigs.yaml", "time: { step: 10 ms, end: 0.1 s, control_rate: 200 Hz }\nmethod: { integrator: lsrt2 }\n"
                     "substructures:\n"
                     "  mass: { dofs: [x], mass: [1000 kg], stiffness: [0] }\n"
                     "  s1: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [1e5] } }\n"
                     "  s2: { role: physical, dofs: [x], actuators: { x: a2 }, estimate: { stiffness: [1e5] } }\n"
                     "interfaces: [ { join: [mass.x, s1.x] }, { join: [mass.x, s2.x] } ]\n"
                     "transfer: { a1: {}, a2: {} }\n"
                     "limits: { displacement: 50 mm, command_rate: 1 m/s, force: 8 kN, tracking_error: 50 mm }\n"
                     "rigs:\n"
                     "  first:\n    backend: shm\n    settings: {name: n}\n"
                     "    actuators: { a1: { plant: { kind: ideal } } }\n"
                     "    specimen: { dofs: [x], mass: [0], stiffness: [1e5] }\n"
                     "  second:\n    backend: modbus\n    settings: {map: {a2.command: {holding: 0}}}\n"
                     "    actuators: { a2: { plant: { kind: ideal } } }\n"
                     "    specimen: { dofs: [x], mass: [0], stiffness: [1e5] }\n");

    program_run(&p, "check", file);
    if (p.code != 2)
        print_error("%s", p.err);
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "rigs.yaml:18:16: modbus: the map has no 'a2.displacement'"));
    program_free(&p);
}

/* a card that keeps its voltages when the program dies needs such a line */
#define COMEDI                                                                                                         \
    "comedi\n  settings: {map: {a1.command: {output: 0}, a1.displacement: {input: 0}, a1.force: {input: 1}, on: "      \
    "{digital: 0}}}\n  lines: {on: {role: watchdog}}"
static void good_settings_pass_without_a_device(void **state)
{
    static const char *const good[] = {SETTINGS("udp", "port: 1"),
                                       SETTINGS("shm", "name: n"),
                                       SETTINGS("udp-raw", "port: 1, " FIELDS),
                                       SETTINGS("modbus", REGISTERS),
                                       COMEDI,
                                       SETTINGS("ethercat", BUS),
                                       SETTINGS("openfresco", "port: 1"),
                                       SETTINGS("opensees", "port: 1"),
                                       "virtual"};

    for (size_t k = 0; k < sizeof good / sizeof *good; k++)
        check(good[k], 0, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_outside_their_range_are_refused),
        cmocka_unit_test(unknown_keys_and_backends_are_refused),
        cmocka_unit_test(addresses_and_files_are_refused_at_their_places),
        cmocka_unit_test(maps_that_leave_something_out_are_refused_at_the_map),
        cmocka_unit_test(a_command_from_another_zero_than_its_reading_is_refused),
        cmocka_unit_test(what_a_backend_cannot_do_is_refused),
        cmocka_unit_test(each_of_several_rigs_is_checked),
        cmocka_unit_test(good_settings_pass_without_a_device),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
