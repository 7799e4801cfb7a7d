/* The exchange with a rig in another process makes no heap call and no page fault, and no system call but those that
 * docs/backends.md names (a filter of the kernel ends the process at any other). Telemetry makes none at all. */
#include "support/check.h"
#include "support/trap.h"
#include "support/wire.h"

#include "engine/telemetry.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICKS = 300 };

/* Returns how many were not fresh. */
static int exchange_some(struct wire *w)
{
    struct yk_reading got[WIRE_ACTUATORS];
    int bad = 0;

    for (int k = 0; k < TICKS; k++) {
        const double command[WIRE_ACTUATORS] = {1e-5 * k, -1e-5 * k};

        bad += wire_exchange(w, command, got) != YK_RIG_FRESH;
    }
    return bad;
}

static void assert_exchanges_without_heap(struct wire *w)
{
    struct trap_counts counts = {0};

    assert_int_equal(exchange_some(w), 0);
    for (int tries = 0; tries < 2; tries++) { /* a page that the kernel moved is not the backend's doing */
        trap_begin();
        assert_int_equal(exchange_some(w), 0);
        trap_end(&counts);
        if (counts.page_faults == 0)
            break;
    }
    assert_int_equal(counts.heap_calls, 0);
    assert_int_equal(counts.page_faults, 0);
}

/* From here on the process may only do these. */
static bool allow_only(const int *calls, int count)
{
    struct sock_filter filter[40];
    unsigned short n = 0;

    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; i++) {
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i], 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){n, filter}) == 0;
}

/* In a copy of the process, which shares the wire; the original must not use it afterwards. */
static void check_system_calls(struct wire *w, bool shm)
{
    static const int udp_calls[] = {SYS_sendto, SYS_recvfrom, SYS_ppoll, SYS_clock_gettime, SYS_exit_group};
    static const int shm_calls[] = {SYS_futex, SYS_clock_gettime, SYS_exit_group};
    int status;

    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        const bool set = shm ? allow_only(shm_calls, 3) : allow_only(udp_calls, 5);

        _exit(!set ? 77 : exchange_some(w) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        print_message("this machine has no seccomp\n");
        return;
    }
    if (WIFSIGNALED(status))
        print_error("%s: ended by signal %d: a system call that is not allowed\n", w->ops->name, WTERMSIG(status));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void exchanges_are_clean(void **state)
{
    for (int k = 0; k < 6; k++) { /* UDP, shared memory, declared packets; lock-step, own clock */
        const bool shm = k % 3 == 1;
        struct yk_raw_settings raw = wire_layouts(true);
        struct yk_server_settings s = yk_server_defaults();
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;

        s.shm = shm ? "shm" : NULL;
        s.raw = k % 3 == 2 ? &raw : NULL;
        s.own_clock = raw.own_clock = k >= 3;
        s.silence = 20;
        s.ramp = 0.02;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, patient);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
        assert_exchanges_without_heap(&w);
        if (trap_sees_faults()) /* sanitizers make calls of their own */
            check_system_calls(&w, shm);
        wire_free(&w);
        peer_stop(&p);
    }
}

#if __has_include(<modbus/modbus.h>)
#include "rig/modbus.h"
#include <modbus/modbus.h>

/* A device of libmodbus with 8 registers, in a process of its own. */
static pid_t start_device(int *port)
{
    modbus_t *bus = NULL;
    int listener = -1;

    for (*port = 40000 + (int)(getpid() % 20000); listener < 0 && *port < 65000;) {
        modbus_free(bus);
        assert_non_null(bus = modbus_new_tcp("127.0.0.1", ++*port));
        listener = modbus_tcp_listen(bus, 1);
    }
    assert_true(listener >= 0);
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        modbus_mapping_t *map = modbus_mapping_new(0, 0, 8, 0);
        uint8_t query[MODBUS_TCP_MAX_ADU_LENGTH];

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        modbus_tcp_accept(bus, &listener);
        for (int length; (length = modbus_receive(bus, query)) >= 0;)
            modbus_reply(bus, query, length, map);
        _exit(0);
    }
    close(listener);
    modbus_free(bus);
    return pid;
}

/* Commands in registers 0 and 1; displacement and force of both behind them. */
static void exchanges_over_modbus_are_clean(void **state)
{
    struct wire w = {.ops = &yk_rig_modbus, .self = calloc(1, sizeof(struct yk_modbus_rig))};
    struct yk_modbus_rig *u = w.self;
    struct yk_reading got[WIRE_ACTUATORS];

    assert_non_null(u);
    yk_param_defaults(w.ops->params, u);
    const pid_t pid = start_device(&u->port);
    u->wait = u->silence = 20;
    assert_non_null(u->map.points = calloc(6, sizeof *u->map.points));
    for (int k = 0; k < 6; k++)
        u->map.points[u->map.count++] = (struct yk_modbus_point){
            .address = k,
            .type = YK_TYPE_I16,
            .writes = k < 2,
            .index = k < 2 ? (size_t)k : (size_t)(YK_WIRE_PER_READING * ((k - 2) / 2) + k % 2)};
    assert_ok(yk_modbus_plan(&u->map, true, &err));
    assert_true(u->map.combined);
    assert_ok(w.ops->open(u, &wire_plan, &err));
    assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
    assert_exchanges_without_heap(&w);
    wire_free(&w);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
#else
static void exchanges_over_modbus_are_clean(void **state)
{
    print_message("no libmodbus here\n");
    skip();
}
#endif

#if __has_include(<comedilib.h>)
#include "rig/comedi.h"

/* Both outputs of the card that is linked in the place of libcomedi (support/comedi/card.c), and four of its inputs. */
static void exchanges_with_a_card_are_clean(void **state)
{
    struct wire w = {.ops = &yk_rig_comedi, .self = calloc(1, sizeof(struct yk_comedi_rig))};
    struct yk_comedi_rig *u = w.self;
    static const struct yk_rig_line lines[] = {{"drive", YK_LINE_ENABLE, false, 0}};
    struct yk_rig_plan plan = wire_plan;
    struct yk_reading got[WIRE_ACTUATORS];

    plan.lines = lines; /* a card without one is refused */
    plan.line_count = 1;
    assert_non_null(u);
    assert_non_null(u->points = calloc(7, sizeof *u->points));
    for (int k = 0; k < 6; k++) /* displacement, force, displacement, force, command, command */
        u->points[u->count++] = (struct yk_comedi_point){
            .name = "channel",
            .place = k < 4 ? YK_COMEDI_INPUT : YK_COMEDI_OUTPUT,
            .channel = k % 4,
            .subdevice = -1,
            .writes = k >= 4,
            .index = k < 4 ? (size_t)(YK_WIRE_PER_READING * (k / 2) + k % 2) : (size_t)(k - 4)};
    u->points[u->count++] = (struct yk_comedi_point){
        .name = "drive", .place = YK_COMEDI_DIGITAL, .channel = 4, .subdevice = -1, .writes = true};
    assert_ok(w.ops->open(u, &plan, &err));
    assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
    assert_exchanges_without_heap(&w);
    wire_free(&w);
}
#else
static void exchanges_with_a_card_are_clean(void **state)
{
    print_message("no libcomedi here\n");
    skip();
}
#endif

static void post_some(void *arg)
{
    const double row[3] = {1, 2, 3};

    for (int k = 0; k < TICKS; k++) {
        yk_telemetry_post(arg, &(struct yk_telemetry_posted){.now.step = k}, NULL);
        yk_telemetry_row(arg, 0, row);
    }
}

static void telemetry_is_clean(void **state)
{
    static const struct yk_channel channels[3];
    static const char *const states[] = {"running", NULL};
    const struct yk_stream stream = {"system", 3, channels};
    const struct yk_telemetry_info info = {.title = "t", .stream_count = 1, .streams = &stream, .states = states};
    struct yk_telemetry *t;
    char name[48];

    snprintf(name, sizeof name, "clean-%d", (int)getpid());
    assert_ok(yk_telemetry_create(&t, name, &info, &err));
    post_some(t);
    assert_clean(post_some, t);
    yk_telemetry_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanges_are_clean), cmocka_unit_test(exchanges_over_modbus_are_clean),
        cmocka_unit_test(exchanges_with_a_card_are_clean), cmocka_unit_test(telemetry_is_clean)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
