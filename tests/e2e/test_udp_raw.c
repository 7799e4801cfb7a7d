/* Rigs with packets of their own, as a user runs them: `yoke serve --udp-raw` beside `yoke run` with the five layouts
 * of examples/udp-raw, and a device that was written without Yoke (raw_device.py). Expected: the samples of a run in
 * one process, to the last bit where nothing is rounded and within one count of a 16-bit converter otherwise. */
#include "support/check.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"

#include "record/record.h"
#include <yoke/claim.h>

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RAW    YOKE_SOURCE "/examples/udp-raw/"
#define SPRING YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
#define DEVICE YOKE_SOURCE "/tests/e2e/raw_device.py"

enum { MOST = 40 };

static void add(const char **words, int *n, const char *const *more)
{
    for (; more && *more && *n < MOST - 1; more++)
        words[(*n)++] = *more;
    words[*n] = NULL;
}

/* ---- the other side ---- */

struct rig {
    struct program p;
    int port;
};

/* The number behind the last colon of its first line, or the line itself. */
static void await_port(struct rig *r)
{
    char line[256];

    for (int tries = 0; tries < 3000; tries++) {
        FILE *in = fopen(r->p.out_path, "r");
        const bool there = in && fgets(line, sizeof line, in) && strchr(line, '\n');

        if (in)
            fclose(in);
        if (there) {
            const char *colon = strrchr(line, ':');

            r->port = atoi(colon ? colon + 1 : line);
            return;
        }
        patience_sleep(0.01);
    }
    fail_msg("the rig did not start");
}

static void serve(struct rig *r, const char *file, const char *const *options)
{
    const char *words[MOST] = {YOKE_PROGRAM, "serve", file, "--udp-raw", "0"};
    int n = 5;

    add(words, &n, options);
    program_start(&r->p, words, 0);
    await_port(r);
}

static void rig_stop(struct rig *r)
{
    kill(r->p.pid, SIGTERM);
    program_wait(&r->p);
    assert_int_equal(r->p.code, 0);
    assert_non_null(strstr(r->p.out, "waiting: "));
    program_free(&r->p);
}

/* ---- the run ---- */

/* Runs the file; NULL: on the virtual rig. Returns its exit code; the folder is out/NAME of the scratch folder. */
static int run(const char *file, const char *name, const struct rig *r, const char *const *options, struct program *p)
{
    char port[64], folder[1024];
    const char *words[MOST] = {YOKE_PROGRAM, "run", file, "-q", "-o", folder};
    int n = 6;

    snprintf(folder, sizeof folder, "%s", scratch_path(name));
    add(words, &n, options);
    if (r) {
        snprintf(port, sizeof port, "rig.settings.port=%d", r->port);
        add(words, &n, (const char *const[]){"--set", port, NULL});
    } else {
        add(words, &n, (const char *const[]){"--set", "rig.backend=virtual", "--set", "rig.settings={}", NULL});
    }
    program_start(p, words, 0);
    program_wait(p);
    if (p->code == 3)
        print_message("%s", p->err); /* a test that wants another code fails, and says why it tripped */
    return p->code;
}

/* A late beat is followed by an early one, in which a command near its limit of rate would be clipped. */
#define ANY_RATE "limits.command_rate=1000"
static const char *const patient[] = {"--set", "rig.settings.patience=60", "--set", "rig.settings.wait=60",
                                      "--set", "rig.settings.silence=60",  "--set", ANY_RATE,
                                      NULL};

/* The rows of a channel in the system steps, malloc'd. */
static double *channel(const char *name, const char *which, size_t *rows)
{
    struct yk_recording *recording;
    char path[1100];

    snprintf(path, sizeof path, "%s/run.h5", scratch_path(name));
    assert_ok(yk_recording_open(&recording, path, &err));
    *rows = yk_recording_rows(recording, 0);
    const size_t width = yk_recording_channels(recording, 0);
    const int at = yk_recording_find(recording, 0, which);
    double *all = malloc(*rows * width * sizeof *all), *x = malloc(*rows * sizeof *x);
    assert_true(at >= 0 && all && x);
    assert_ok(yk_recording_read(recording, 0, 0, *rows, all, &err));
    for (size_t k = 0; k < *rows; k++)
        x[k] = all[k * width + (size_t)at];
    free(all);
    yk_recording_close(recording);
    return x;
}

/* The largest difference of a channel of two runs. */
static double difference(const char *a, const char *b, const char *which)
{
    size_t rows[2];
    double *x = channel(a, which, &rows[0]), *y = channel(b, which, &rows[1]), most = 0;

    assert_int_equal(rows[0], rows[1]);
    for (size_t k = 0; k < rows[0]; k++)
        most = fmax(most, fabs(x[k] - y[k]));
    free(x);
    free(y);
    return most;
}

/* One count: 5 um and 0.25 N. The motion of a command is rounded once, a reading once: half a count each. */
static void five_layouts_give_the_samples_of_one_process(void **state)
{
    static const struct {
        const char *name;
        double u, x, force; /* largest difference */
    } cases[] = {{"dspace", 0, 0, 0},
                 {"speedgoat", 1e-15, 1e-15, 1e-10}, /* scaled by 1000 and back: rounding of doubles */
                 {"labview", 0, 0, 0},
                 {"opal", 0, 0, 0},
                 {"arduino", 5e-6, 5e-6, 0.25}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[1024];
        struct program p;
        struct rig r;

        snprintf(file, sizeof file, RAW "%s.yaml", cases[i].name);
        serve(&r, file, NULL);
        assert_int_equal(run(file, "there", &r, patient, &p), 0);
        program_free(&p);
        assert_int_equal(run(file, "here", NULL, (const char *const[]){"--set", ANY_RATE, NULL}, &p), 0);
        program_free(&p);
        rig_stop(&r);
        const double u = difference("here", "there", "frame.x.u"), x = difference("here", "there", "a1.displacement"),
                     force = difference("here", "there", "a1.force");
        if (!(u <= cases[i].u && x <= cases[i].x && force <= cases[i].force))
            print_error("%s: off by %g m, %g m, %g N\n", cases[i].name, u, x, force);
        assert_true(u <= cases[i].u && x <= cases[i].x && force <= cases[i].force);
    }
}

#define LAYOUT                                                                                                         \
    "commands: [{type: u16, name: sequence}, {type: u8, name: state}, {type: f64, name: a1.command}, {type: "          \
    "crc16-ccitt}], readings: [{type: u16, name: sequence}, {type: u16, name: answers}, {type: f64, name: "            \
    "a1.displacement}, {type: f64, name: a1.force}, {type: sum8}]"
static const char *const spring[] = {
    "--set", "rig.backend=udp-raw",
    "--set", "rig.settings={port: 1, patience: 60, wait: 60, silence: 60, " LAYOUT "}",
    "--set", "limits={displacement: 200 mm, force: 8.3 kN, command_rate: 1000, tracking_error: 0.1, end_ramp: 0.1}",
    "--set", "limits.tracking_error=0.1",
    "--set", "time.end=2",
    NULL};

/* Packets that are lost, repeated or delayed cost time only. */
static void the_spring_specimen_is_the_same_over_a_bad_wire(void **state)
{
    static const char *const wires[][11] = {
        {NULL},
        {"--loss", "0.05", "--duplicate", "0.2", "--latency", "0.2ms", "--jitter", "0.2ms", "--seed", "4", NULL}};

    for (size_t i = 0; i < 2; i++) {
        const char *words[MOST];
        struct program p;
        struct rig r;
        int n = 0;

        add(words, &n, spring);
        add(words, &n, wires[i]);
        serve(&r, SPRING, words);
        assert_int_equal(run(SPRING, "there", &r, spring, &p), 0);
        program_free(&p);
        assert_int_equal(run(SPRING, "here", NULL, spring + 4, &p), 0);
        program_free(&p);
        rig_stop(&r);
        assert_near(difference("here", "there", "frame.x.u"), 0, 0);
        assert_near(difference("here", "there", "a1.force"), 0, 0);
    }
}

/* ---- a device that was written without Yoke ---- */

static json_t *summary_of(const char *name)
{
    char path[1100];

    snprintf(path, sizeof path, "%s/summary.json", scratch_path(name));
    json_t *summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    return summary;
}

/* Every fault ends the run by a limit, with a defined motion and all rows. */
static void faults_of_a_device_end_the_run_in_order(void **state)
{
    static const struct {
        const char *fault, *words, *count; /* of the summary: counted under `wire` */
    } cases[] = {{"crc", "the rig is lost", "damaged"},       {"size", "the rig is lost", "damaged"},
                 {"constant", "the rig is lost", "damaged"},  {"old", "the rig is lost", "stale_readings"},
                 {"killed", "the rig is lost", "held_ticks"}, {"fault", "it reports fault 7", NULL},
                 {"nan", "not a number: reading of a1", NULL}};
    static const char *const quick[] = {"--set", "rig.settings.wait=0.2", "--set", "rig.settings.silence=0.6",
                                        "--set", "limits.peer_silence=0", "--set", "limits.trip_ramp=0.1",
                                        NULL};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        struct rig r;

        program_start(&r.p, (const char *const[]){"/usr/bin/env", "python3", DEVICE, cases[i].fault, "500", NULL}, 0);
        await_port(&r);
        const int code = run(RAW "labview.yaml", "fault", &r, quick, &p);
        if (code != 3 || !strstr(p.out, cases[i].words))
            print_error("%s: exit code %d: %s%s\n", cases[i].fault, code, p.out, p.err);
        assert_int_equal(code, 3);
        assert_non_null(strstr(p.out, cases[i].words));
        json_t *summary = summary_of("fault");
        const json_int_t steps = json_integer_value(json_object_get(summary, "steps"));
        const json_t *counted = json_object_get(json_object_get(summary, "wire"), cases[i].count ? cases[i].count : "");
        size_t rows;

        assert_string_equal(json_string_value(json_object_get(summary, "state")), "tripped");
        assert_true(steps >= 49 && steps <= 51); /* 500 commands at 10 in a step */
        assert_true(!cases[i].count || json_integer_value(counted) > 0);
        free(channel("fault", "frame.x.u", &rows));
        assert_int_equal(rows, steps + 1);
        json_decref(summary);
        program_free(&p);
        kill(r.p.pid, SIGTERM);
        program_wait(&r.p);
        program_free(&r.p);
    }
}

/* The motion is that of the virtual rig with the same lag, and the device is told the end. */
static void a_device_of_another_make_moves_as_the_virtual_rig(void **state)
{
    /* x <- x + 0.1 (command - x) is the exact step of a lag of -1 ms/ln(0.9) */
    static const char *const lag[] = {
        "--set", "transfer.a1={compensator: {kind: velocity, order: 2, delay: 9 ms}}",
        "--set", "rig.actuators.a1.plant={kind: first-order, time_constant: 9.491221581029904 ms}",
        "--set", "time.end=2",
        "--set", ANY_RATE,
        NULL};
    struct program p;
    struct rig r;

    program_start(&r.p, (const char *const[]){"/usr/bin/env", "python3", DEVICE, "none", "1000000", NULL}, 0);
    await_port(&r);
    const char *words[MOST];
    int n = 0;
    add(words, &n, lag);
    add(words, &n, patient);
    assert_int_equal(run(RAW "labview.yaml", "there", &r, words, &p), 0);
    program_free(&p);
    program_wait(&r.p);
    assert_int_equal(r.p.code, 0);
    assert_non_null(strstr(r.p.out, "end "));
    program_free(&r.p);
    assert_int_equal(run(RAW "labview.yaml", "here", NULL, lag, &p), 0);
    program_free(&p);
    assert_true(difference("here", "there", "frame.x.u") < 1e-9);
}

/* ---- what is refused ---- */

static void wrong_layouts_are_refused(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"rig.settings.commands.2={type: u8, name: skip}", "needs a field 'state' or the bit of a line"},
        {"rig.settings.commands.3={type: f64, name: a2.command}", "'a2.command' is not known here"},
        {"rig.settings.commands.3={type: f64, name: a1.force}", "'a1.force' is not known here"},
        {"channels={a1.command: {scale: 1 kN}}", "kN"},
        {"channels={a1.command: {scale: 0 mm}}", "scale = 0 mm must not be 0"},
        {"channels={a1.command: {scale: 1e-320 m}}", "nor smaller than 1e-15"}, /* inf */
        {"rig.settings.commands.1={type: f32, name: sequence}", "'sequence' is a whole number"},
        {"rig.settings.commands.1={type: u8, name: state}", "the packet has 'state' twice"},
        {"rig.settings.commands.4={type: crc32, name: check}", "a check sum has no name"},
        {"rig.settings.commands.0={type: u24, name: skip}", "u24"},
        {"rig.settings.readings.5={type: f64, name: a1.velocity}", "no field 'a1.force' in `readings`"},
        {"rig.settings.readings.3={type: u8, name: lines, bits: [door]}", "'door' is not an input among the lines"},
        {"rig.sensors={strain: {}}", "no field 'strain' in `readings`"},
        {"rig.lines={door: {role: interlock}}", "no field 'lines' of `readings` has line 'door'"},
        {"rig.settings.readings.0={type: f64, name: skip, count: 1000}", "bytes; 1 .. 1444 are allowed"},
        {"rig.settings.own_port=70000", "own_port"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;

        program_run(&p, "run", RAW "labview.yaml", "-q", "-o", scratch_path("no"), "--set", cases[i].set);
        if (p.code != 2 || !strstr(p.err, cases[i].words))
            print_error("%s: code %d: %s\n", cases[i].set, p.code, p.err);
        assert_int_equal(p.code, 2);
        assert_non_null(strstr(p.err, cases[i].words));
        program_free(&p);
    }
}

/* A rig that sends by its own clock paces the run; nobody but its peer is heard. Tracking is not judged: on a busy
 * machine readings come late, and both limits on the tracking error act. */
static void a_rig_with_a_clock_paces_the_run(void **state)
{
    static const char *const clock[] = {"--set", "rig.settings.own_clock=true", "--set", "time.end=0.5",
                                        "--set", "limits.command_rate=50",      "--set", "limits.tracking_error=1",
                                        "--set", "limits.relative_error=0",     NULL},
                             *const idle[] = {"--silence", "30 s", "--set", "rig.settings.own_clock=true", NULL};
    const char *words[MOST];
    struct program p;
    struct rig r;
    int n = 0;

    add(words, &n, clock);
    add(words, &n, patient);
    serve(&r, RAW "dspace.yaml", idle);
    const int code = run(RAW "dspace.yaml", "clock", &r, words, &p);
    if (code)
        print_error("%s%s", p.out, p.err);
    assert_int_equal(code, 0);
    json_t *summary = summary_of("clock");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(summary, "wire"), "damaged")), 0);
    json_decref(summary);
    program_free(&p);
    rig_stop(&r);
}

/* Its packets do not tell who sends them: a run beside a console would make the actuators jump between two commands. */
static void a_device_that_another_process_commands_is_refused(void **state)
{
    static const struct {
        const char *device, *file, *port;
    } cases[] = {{"udp-raw 127.0.0.1:9", RAW "dspace.yaml", "rig.settings.port=9"},
                 {"modbus 127.0.0.1:9 unit 1", YOKE_SOURCE "/examples/modbus/plc.yaml", "rig.settings.port=9"}};
    static const char *const commands[] = {"run", "rig"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_claim claim = {0};

        assert_ok(yk_claim_take(&claim, cases[i].device, &err));
        for (int k = 0; k < 2; k++) {
            const char *words[] = {YOKE_PROGRAM,  commands[k],     cases[i].file, "--set",
                                   cases[i].port, k ? "-c" : NULL, "status",      NULL};
            const int code = program_code(words);

            if (strstr(program_said(), "built without libmodbus"))
                continue;
            assert_int_equal(code, 2);
            assert_said(cases[i].device);
            assert_said("is in use: another run or console");
        }
        yk_claim_drop(&claim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_layouts_give_the_samples_of_one_process),
        cmocka_unit_test(the_spring_specimen_is_the_same_over_a_bad_wire),
        cmocka_unit_test(faults_of_a_device_end_the_run_in_order),
        cmocka_unit_test(a_device_of_another_make_moves_as_the_virtual_rig),
        cmocka_unit_test(a_rig_with_a_clock_paces_the_run),
        cmocka_unit_test(wrong_layouts_are_refused),
        cmocka_unit_test(a_device_that_another_process_commands_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
