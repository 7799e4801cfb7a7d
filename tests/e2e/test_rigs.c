/* One experiment and its rigs as a user runs them: sensors, lines, forces, feed-forward and joint plants give the same
 * bits on the virtual rig, over shared memory and over UDP; several rigs serve one run, and one that is lost stops all.
 */
#include "support/check.h"
#include "support/cli.h"
#include "support/patience.h"
#include "support/scratch.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* An axial load beside two actuators that interact; noise on what the rig has beside them. */
static const char wide[] =
    "title: everything that a rig may have\n"
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x, y], mass: [1800, 1200], damping: [1130.97, 900], stiffness: [71061, 60000]}\n"
    "  column: {role: physical, dofs: [x, y], actuators: {x: a1, y: a2}, estimate: {stiffness: [35530, 18000]},\n"
    "           prescribed: {axial: {dof: z, kind: sine, amplitude: 5 kN, frequency: 2 Hz}}}\n"
    "interfaces: [{join: [frame.x, column.x]}, {join: [frame.y, column.y]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz},\n"
    "        {on: frame.y, kind: sine, amplitude: 600 N, frequency: 1.1 Hz}]\n"
    "transfer:\n"
    "  a1: {compensator: {kind: lagrange, order: 3, delay: 20 ms}, feed_forward: true}\n"
    "  a2: {compensator: {kind: lagrange, order: 3, delay: 20 ms}}\n"
    "  axial: {command: force}\n"
    "  joint: [{actuators: [a1, a2], controller: {kind: decoupling, static_gain: [[1, 0.3], [-0.2, 0.9]], I: 2}}]\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {velocity_feedforward: 2 ms}, a2: {}, axial: {plant: {kind: first-order, time_constant: 5 "
    "ms}}}\n"
    "  joint: [{actuators: [a1, a2], plant: {kind: state-space, A: [[-60, 10], [5, -40]], B: [[62, 9], [-13, 34.5]],\n"
    "           C: [[1, 0], [0, 1]], dead_time: 2.5 ms}}]\n"
    "  specimen: {dofs: [x, y, z], mass: [0, 0, 200], damping: [0, 0, 40000],\n"
    "             stiffness: [[35530, 0, 800], [0, 18000, 0], [800, 0, 2e7]]}\n"
    "  sensors: {gauge: {unit: um/m, measures: axial.force, gain: 0.01, noise: 0.3, seed: 5},\n"
    "            tip: {unit: m/s2, measures: z.a, quantum: 1e-4}}\n"
    "  lines: {door: {role: interlock}, stop: {role: emergency_stop, inverted: true}, drive: {role: enable},\n"
    "          green: {role: run_lamp}, red: {role: trip_lamp}, pump: {role: input, opens: 1.5 s}}\n"
    "limits: {displacement: 0.2, command_rate: 5, force: 60 kN, tracking_error: 0.1, end_ramp: 0.2, start_ramp: 0.2,\n"
    "         actuators: {axial: {command_rate: 1e6, tracking_error: 20 kN}}, sensors: {gauge: 1000}}\n";

static const char two[] =
    "title: two rigs\n"
    "time: {step: 10 ms, end: 0.5 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x, y], mass: [1800, 1200], damping: [1130.97, 900], stiffness: [71061, 60000]}\n"
    "  left: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[35530]]}}\n"
    "  right: {role: physical, dofs: [y], actuators: {y: a2}, estimate: {stiffness: [[18000]]}}\n"
    "interfaces: [{join: [frame.x, left.x]}, {join: [frame.y, right.y]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz},\n"
    "        {on: frame.y, kind: sine, amplitude: 600 N, frequency: 1.1 Hz}]\n"
    "transfer:\n"
    "  a1: &chain {compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 ms}}\n"
    "  a2: *chain\n"
    "rigs:\n"
    "  west: {backend: virtual, actuators: {a1: &plant {plant: {kind: tt1}}},\n"
    "         specimen: {dofs: [x], mass: [0], stiffness: [[35530]]},\n"
    "         sensors: {gauge: {unit: um/m, measures: a1.force, gain: 0.1, noise: 0.3}}, lines: {door: {role: "
    "interlock}}}\n"
    "  east: {backend: virtual, actuators: {a2: *plant}, specimen: {dofs: [y], mass: [0], stiffness: [[18000]]},\n"
    "         sensors: {lvdt: {unit: mm, measures: a2.displacement, gain: 1000}},\n"
    "         lines: {gate: {role: interlock}, lamp: {role: run_lamp}}}\n"
    "limits: {displacement: 100 mm, command_rate: 2 m/s, force: 8 kN, tracking_error: 20 mm, end_ramp: 0.2}\n";

enum { MOST = 40 };

static char file[1024];

static void use(const char *text)
{
    snprintf(file, sizeof file, "%s", scratch_write("rigs.yaml", text));
}

/* ---- a rig in another process ---- */

struct rig {
    struct program p;
    char backend[64], settings[160];
};

/* `section`: "rig", or "rigs.west" with its name as `name`. */
static void rig_start(struct rig *r, bool shm, const char *section, const char *name, const char *option,
                      const char *value)
{
    static int number;
    const char *words[MOST] = {YOKE_PROGRAM, "serve", file};
    char address[64] = "0", line[256] = "";
    int n = 3;

    if (shm)
        snprintf(address, sizeof address, "rigs-%d-%d", (int)getpid(), number++);
    words[n++] = shm ? "--shm" : "--udp";
    words[n++] = address;
    if (name) {
        words[n++] = "--rig";
        words[n++] = name;
    }
    if (option) {
        words[n++] = option;
        words[n++] = value;
    }
    program_start(&r->p, words, 0);
    for (int tries = 0; tries < 3000 && !strchr(line, '\n'); tries++) {
        FILE *in = fopen(r->p.out_path, "r");

        if (in && !fgets(line, sizeof line, in))
            *line = 0;
        if (in)
            fclose(in);
        patience_sleep(0.01);
    }
    if (!shm)
        assert_int_equal(sscanf(strrchr(line, ':'), ":%60s", address), 1);
    snprintf(r->backend, sizeof r->backend, "%s.backend=%s", section, shm ? "shm" : "udp");
    snprintf(r->settings, sizeof r->settings, "%s.settings={%s: %s, patience: 60, wait: 60, silence: 60}", section,
             shm ? "name" : "port", address);
}

static void rig_stop(struct rig *r)
{
    kill(r->p.pid, SIGTERM);
    program_wait(&r->p);
    if (r->p.code)
        print_error("%s", r->p.err);
    assert_int_equal(r->p.code, 0);
    program_free(&r->p);
}

/* ---- runs ---- */

/* The rows of every tick, as text. */
static char *ticks_of(const struct rig *first, const struct rig *second)
{
    char folder[1024];
    const char *words[MOST] = {YOKE_PROGRAM, "run", file, "-q", "-o", folder};
    const struct rig *rigs[] = {first, second};
    int n = 6;

    snprintf(folder, sizeof folder, "%s", scratch_path("out"));
    for (int i = 0; i < 2; i++)
        if (rigs[i]) {
            words[n++] = "--set";
            words[n++] = rigs[i]->backend;
            words[n++] = "--set";
            words[n++] = rigs[i]->settings;
        }
    assert_runs(words);
    return exported_ticks(folder);
}

static void the_bits_are_the_same_on_every_backend(void **state)
{
    use(wide);
    char *here = ticks_of(NULL, NULL);
    assert_non_null(strstr(here, ",axial.sent,"));
    assert_non_null(
        strstr(here, ",sensor.gauge,sensor.tip,line.door,line.stop,line.drive,line.green,line.red,line.pump\n"));
    for (int shm = 0; shm < 2; shm++) {
        struct rig r;

        rig_start(&r, shm, "rig", NULL, NULL, NULL);
        for (int again = 0; again < 2; again++) {
            char *there = ticks_of(&r, NULL);

            assert_string_equal(here, there);
            free(there);
        }
        rig_stop(&r);
    }
    free(here);
}

/* All virtual; one of them in another process; each in one of its own. */
static void several_rigs_serve_one_experiment(void **state)
{
    struct rig west, east;

    use(two);
    rig_start(&west, false, "rigs.west", "west", NULL, NULL);
    rig_start(&east, true, "rigs.east", "east", NULL, NULL);
    char *here = ticks_of(NULL, NULL), *one = ticks_of(&east, NULL), *both = ticks_of(&west, &east);
    assert_non_null(strstr(here, ",sensor.gauge,sensor.lvdt,line.door,line.gate,line.lamp\n"));
    assert_string_equal(here, one);
    assert_string_equal(here, both);
    rig_stop(&west);
    rig_stop(&east);
    free(here);
    free(one);
    free(both);
}

static void one_lost_rig_stops_all(void **state)
{
    char folder[1024], *text;
    struct program p;
    struct rig east;

    use(two);
    snprintf(folder, sizeof folder, "%s", scratch_path("lost"));
    rig_start(&east, true, "rigs.east", "east", "--crash-after", "300");
    snprintf(strstr(east.settings, ", wait"), 60, ", wait: 1, silence: 2}");
    /* a silence of the other one, on a busy machine, would end its ramp home */
    program_run(&p, "run", file, "-q", "-o", folder, "--set", east.backend, "--set", east.settings, "--set",
                "limits.peer_silence=20");
    assert_int_equal(p.code, 3);
    if (!strstr(p.err, "the rig is lost: east"))
        print_error("%s", p.err);
    assert_non_null(strstr(p.err, "the rig is lost: east"));
    program_free(&p);
    program_wait(&east.p);
    program_free(&east.p);
    /* the other one has been led home */
    text = exported_ticks(folder);
    double time, state_, sent;
    text[strlen(text) - 1] = 0;
    assert_int_equal(sscanf(strrchr(text, '\n') + 1, "%lf,%lf,%lf", &time, &state_, &sent), 3);
    assert_near(sent, 0, 1e-12);
    free(text);
}

static void rigs_are_named(void **state)
{
    struct program p;

    use(two);
    program_run(&p, "serve", file, "--shm", "rigs-none");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "there are 2 rigs; say which one with --rig, for example west"));
    program_free(&p);
    program_run(&p, "serve", file, "--shm", "rigs-none", "--rig", "north");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "there is no rig 'north' in `rigs`"));
    program_free(&p);
    program_run(&p, "run", file, "--set", "rigs.east.actuators=[a3]");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "no rig of `rigs` has actuator 'a2' among its 'actuators'"));
    program_free(&p);
}

/* The reason why a run stopped is an event of its summary, which is in the recording too. */
static void the_words_of_a_trip_are_in_the_summary(void **state)
{
    struct program p;

    use(two);
    program_run(&p, "run", file, "--json", "-q", "-o", scratch_path("door"), "--set",
                "rigs.west.lines={door: {role: interlock, opens: 0.2 s}}");
    assert_int_equal(p.code, 3);
    json_t *summary = json_loads(p.out, 0, NULL);
    assert_non_null(summary);
    const json_t *event = json_array_get(json_object_get(summary, "events"), 0);
    assert_string_equal(json_string_value(json_object_get(event, "words")), "an interlock has opened: door");
    assert_string_equal(json_string_value(json_object_get(event, "cause")), "interlock");
    assert_string_equal(json_string_value(json_object_get(event, "kind")), "trip");
    json_decref(summary);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_the_same_on_every_backend),
        cmocka_unit_test(several_rigs_serve_one_experiment),
        cmocka_unit_test(one_lost_rig_stops_all),
        cmocka_unit_test(rigs_are_named),
        cmocka_unit_test(the_words_of_a_trip_are_in_the_summary),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
