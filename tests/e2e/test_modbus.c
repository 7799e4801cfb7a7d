/* A rig behind Modbus TCP, as a user runs it: against a server of libmodbus in a process of its own, with faults, and
 * against one of pymodbus. Expected: the motion of the virtual rig within the counts of 1 um. */
#include "support/check.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"

#include "base/clock.h"
#include "record/record.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLC    YOKE_SOURCE "/examples/modbus/plc.yaml"
#define DEVICE YOKE_SOURCE "/tests/e2e/modbus_device.py"

/* Runs the example; port 0: on the virtual rig. */
static int run(int port, const char *set, struct program *p)
{
    /* no reading is late enough to be judged: this machine and the device share it with others */
    static const char patient[] =
        "limits={displacement: 150 mm, command_rate: 1 m/s, force: 8 kN, tracking_error: 20 mm, "
        "on_trip: ramp, peer_silence: 0, missed_deadlines: 0, stall: 0}";

    char setting[64], folder[1024];

    snprintf(setting, sizeof setting, "rig.settings.port=%d", port);
    snprintf(folder, sizeof folder, "%s", scratch_path("moved"));
    if (port)
        program_run(p, "run", PLC, "-q", "-o", folder, "--set", setting, "--set", "time.end=2", "--set",
                    strncmp(set, "limits", 6) == 0 ? "time.scale=1" : "time.scale=4", "--set", patient, "--set",
                    "rig.settings.silence=1", "--set", "rig.settings.wait=900 ms", "--set", set);
    else
        program_run(p, "run", PLC, "-q", "-o", folder, "--set", "rig.backend=virtual", "--set", "rig.settings={}",
                    "--set", "time.end=2");
    return p->code;
}

static json_t *summary(void)
{
    json_t *s = json_load_file(scratch_path("moved/summary.json"), 0, NULL);

    assert_non_null(s);
    return s;
}

static double peak(const char *channel)
{
    json_t *s = summary();
    const double x = json_number_value(json_object_get(json_object_get(s, "peaks"), channel));

    json_decref(s);
    return x;
}

/* Ticks in which the loop was late, or a reading, which is waited for: the motion is then another one, as it should be.
 */
static json_int_t late_ticks(void)
{
    json_t *s = summary();
    const json_int_t late = json_integer_value(json_object_get(s, "missed_deadlines"));

    json_decref(s);
    return late;
}

/* Runs over the wire until a run was not disturbed by what else this machine does. */
static void run_undisturbed(int port, const char *set)
{
    struct program p;

    for (int tries = 0; tries < 5; tries++) {
        const int code = run(port, set, &p);

        if (code)
            print_error("%s%s", p.out, p.err);
        assert_int_equal(code, 0);
        program_free(&p);
        if (!late_ticks())
            return;
    }
    print_message("not compared: ticks were late in 5 of 5 runs, the machine is too busy\n");
    skip();
}

/* The motion over the wire is that of the virtual rig: its peaks differ by less than two counts. */
static void assert_moves_as_here(int port, const char *set)
{
    struct program p;

    run_undisturbed(port, set);
    const double u = peak("frame.x.u"), force = peak("a1.force");
    assert_int_equal(run(0, "", &p), 0);
    program_free(&p);
    assert_near(u, peak("frame.x.u"), 2e-6);
    assert_near(force, peak("a1.force"), 2e-6 * 35530);
}

#if __has_include(<modbus/modbus.h>)
#include <modbus/modbus.h>

enum fault { NO_FAULT, EXCEPTION, LATE, GARBAGE, KILLED, DOOR, DRIP, SHORT_MAP };

static uint32_t word_pair(const uint16_t *w)
{
    return (uint32_t)w[0] << 16 | w[1];
}

/* Displacement follows the command at once; the force is that of a spring. */
static void follow(modbus_mapping_t *map)
{
    const float force = 35530e-6f * (float)(int32_t)word_pair(map->tab_registers);
    uint32_t bits;

    memcpy(&bits, &force, sizeof bits);
    map->tab_registers[2] = map->tab_registers[0];
    map->tab_registers[3] = map->tab_registers[1];
    map->tab_registers[4] = (uint16_t)(bits >> 16);
    map->tab_registers[5] = (uint16_t)bits;
}

/* Takes the registers that a request writes, before it is answered, because function 23 reads what follows from them.
 * Returns true for a new command. */
static bool take(modbus_mapping_t *map, const uint8_t *query, int length)
{
    const int at = length > 20 && query[7] == 23 ? 17 : length > 16 && query[7] == 16 ? 13 : 0;
    bool other = false;

    for (int k = 0; at && k < 2; k++) {
        const uint16_t word = (uint16_t)(query[at + 2 * k] << 8 | query[at + 2 * k + 1]);

        other |= map->tab_registers[k] != word;
        map->tab_registers[k] = word;
    }
    follow(map);
    return other;
}

/* Serves until it is killed; after 40 commands, the fault. */
static void play(int listener, modbus_t *bus, enum fault fault)
{
    modbus_mapping_t *map = modbus_mapping_new(0, 8, fault == SHORT_MAP ? 4 : 16, 0);
    uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];
    int commands = 0;

    memset(map->tab_input_bits, 1, 8);
    for (; modbus_tcp_accept(bus, &listener) >= 0; close(modbus_get_socket(bus)))
        for (int length; (length = modbus_receive(bus, query)) >= 0;) {
            commands += fault != SHORT_MAP && take(map, query, length);
            const bool wrong = commands > 40;

            if (wrong && fault == KILLED)
                _exit(0);
            if (wrong && fault == LATE)
                usleep(3000000);
            if (wrong && fault == DRIP) {
                const uint8_t head[40] = {query[0], query[1], 0, 0, 0, 103, query[6], query[7], 100};

                for (int k = 0; k < 40 && send(modbus_get_socket(bus), &head[k], 1, MSG_NOSIGNAL) == 1; k++)
                    usleep(300000); /* less than the second that an answer may take */
            }
            if (wrong && fault == DOOR)
                map->tab_input_bits[0] = 0;
            if (wrong && fault == EXCEPTION) {
                modbus_reply_exception(bus, query, MODBUS_EXCEPTION_SLAVE_OR_SERVER_FAILURE);
                continue;
            }
            if (wrong && fault == GARBAGE) {
                send(modbus_get_socket(bus), "\x01\x02\x03\x04\x05\x06\x07\x08\x09", 9, MSG_NOSIGNAL);
                continue;
            }
            modbus_reply(bus, query, length, map);
        }
}

struct server {
    pid_t pid;
    int port;
};

static void server_start(struct server *s, enum fault fault)
{
    for (s->port = 20000 + (int)(getpid() % 20000);; s->port++) {
        modbus_t *bus = modbus_new_tcp("127.0.0.1", s->port);
        const int listener = bus ? modbus_tcp_listen(bus, 1) : -1;

        assert_non_null(bus);
        if (listener >= 0) {
            fflush(NULL);
            if ((s->pid = fork()) == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                play(listener, bus, fault);
                _exit(0);
            }
            assert_true(s->pid > 0);
            close(listener);
            modbus_free(bus);
            return;
        }
        modbus_free(bus);
        assert_true(s->port < 60000);
    }
}

static void server_stop(struct server *s)
{
    kill(s->pid, SIGKILL);
    waitpid(s->pid, NULL, 0);
}

static void registers_move_as_the_virtual_rig(void **state)
{
    static const char *const ways[] = {"rig.settings.combine=true", "rig.settings.combine=false"};

    for (int k = 0; k < 2; k++) {
        struct server s;

        server_start(&s, NO_FAULT);
        assert_moves_as_here(s.port, ways[k]);
        server_stop(&s);
    }
}

/* Every fault ends the run by a limit, with all rows. */
static void faults_of_a_device_end_the_run_in_order(void **state)
{
    static const struct {
        enum fault fault;
        const char *words;
    } cases[] = {{EXCEPTION, "the rig is lost: Slave device or server failure"},
                 {LATE, "the rig is lost"},
                 {GARBAGE, "the rig is lost"},
                 {KILLED, "the rig is lost"},
                 {DRIP, "the rig is lost"},
                 {DOOR, "an interlock has opened: door"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_recording *recording;
        struct server s;
        struct program p;

        server_start(&s, cases[i].fault);
        const int64_t begin = yk_clock_now_ns();
        const int code = run(s.port,
                             "limits={displacement: 150 mm, command_rate: 1 m/s, force: 8 kN, tracking_error: 20 mm, "
                             "peer_silence: 0, sensor_frozen: 0, trip_ramp: 0.1}",
                             &p);
        if (code != 3 || !strstr(p.out, cases[i].words))
            print_error("fault %d: exit code %d: %s%s\n", (int)cases[i].fault, code, p.out, p.err);
        assert_int_equal(code, 3);
        assert_non_null(strstr(p.out, cases[i].words));
        assert_true(cases[i].fault != DRIP || yk_clock_now_ns() - begin < 8000000000); /* the drops take 12 s */
        program_free(&p);
        server_stop(&s);
        json_t *end = summary();
        const json_int_t steps = json_integer_value(json_object_get(end, "steps"));
        assert_string_equal(json_string_value(json_object_get(end, "state")), "tripped");
        json_decref(end);
        assert_ok(yk_recording_open(&recording, scratch_path("moved/run.h5"), &err));
        assert_int_equal(yk_recording_rows(recording, 0), steps + 1);
        /* 40 commands, two in a step; some are equal. Until the silence of 1 s is over, a paced run goes on with the
         * last readings: less than 20 steps */
        if (!(steps >= 15 && steps <= 22 + 20))
            print_error("fault %d: %d steps\n", (int)cases[i].fault, (int)steps);
        assert_true(steps >= 15 && steps <= 22 + 20);
        yk_recording_close(recording);
    }
}

static void a_register_that_is_not_there_is_refused_before_anything_moves(void **state)
{
    struct program p;
    struct server s;

    server_start(&s, SHORT_MAP);
    const int code = run(s.port, "rig.settings.patience=1", &p);
    assert_true(code == 1 || code == 2);
    assert_non_null(strstr(p.err, "reading the registers of the map: Illegal data address"));
    program_free(&p);
    server_stop(&s);
    assert_int_equal(run(1, "rig.settings.patience=0.1", &p), 1); /* nobody listens there */
    assert_non_null(strstr(p.err, "no connection: Connection refused"));
    program_free(&p);
}
#else
static void registers_move_as_the_virtual_rig(void **state)
{
    struct program p;

    assert_int_equal(run(1, "rig.settings.patience=0.1", &p), 2);
    assert_non_null(strstr(p.err, "built without libmodbus"));
    program_free(&p);
}
#define faults_of_a_device_end_the_run_in_order                       skipped
#define a_register_that_is_not_there_is_refused_before_anything_moves skipped
static void skipped(void **state)
{
    print_message("no libmodbus here\n");
    skip();
}
#endif

static void pymodbus_agrees(void **state)
{
    char line[64] = "";
    struct program p;

    program_start(&p, (const char *const[]){"/usr/bin/python3", DEVICE, NULL}, 0);
    for (int tries = 0; tries < 500 && !strchr(line, '\n'); tries++) {
        FILE *in = fopen(p.out_path, "r");

        if (in && !fgets(line, sizeof line, in))
            *line = 0;
        if (in)
            fclose(in);
        patience_sleep(0.02);
    }
    if (!strchr(line, '\n')) {
        kill(p.pid, SIGKILL);
        program_wait(&p);
        program_free(&p);
        print_message("no pymodbus here (Debian: python3-pymodbus, python3-serial-asyncio)\n");
        skip();
    }
    assert_moves_as_here(atoi(line), "rig.settings.unit=1");
    kill(p.pid, SIGKILL);
    program_wait(&p);
    program_free(&p);
}

static void wrong_maps_are_refused(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"rig.settings.map={a1.command: {type: i16}}", "needs one of holding, input, coil and discrete"},
        {"rig.settings.map={a1.command: {input: 0}}", "'a1.command' is written: it needs a holding register"},
        {"rig.settings.map={a1.command: {holding: 0, coil: 1}}", "'a1.command' has two places"},
        {"rig.settings.map={a1.command: {coil: 0}}", "'a1.command' is not a line of this rig"},
        {"rig.settings.map={door: {holding: 0}}", "'door' is a line: it needs a coil"},
        {"rig.settings.map={a1.command: {holding: 70000}}", "70000"},
        {"channels={a1.command: {scale: 1 kN}}", "kN"},
        {"rig.settings.map={a1.displacement: {holding: 0, type: i32}, a1.force: {holding: 1}}",
         "two entries of the map share holding 1"},
        {"rig.settings.map={a1.command: {holding: 0}}", "the map has no 'a1.displacement'"},
        {"rig.settings.map={a2.command: {holding: 0}}", "'a2.command' is not known here"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;

        const int code = run(1, cases[i].set, &p);
        if (code != 2 || !strstr(p.err, cases[i].words))
            print_error("%s: code %d: %s\n", cases[i].set, code, p.err);
        assert_int_equal(code, 2);
        assert_non_null(strstr(p.err, cases[i].words));
        program_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_move_as_the_virtual_rig),
        cmocka_unit_test(faults_of_a_device_end_the_run_in_order),
        cmocka_unit_test(a_register_that_is_not_there_is_refused_before_anything_moves),
        cmocka_unit_test(pymodbus_agrees),
        cmocka_unit_test(wrong_maps_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
