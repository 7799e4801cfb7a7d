/* The loop of a paced run, with models and with a specimen: no heap call, no page fault and no system call in 10,000
 * steps of every coupling, the supervisor, the station and the stop-watch included. The clock is our own, so that the
 * wait for the next beat is none either. */
#include "state/state.h"
#include "support/check.h"
#include "support/planned.h"
#include "support/small_frame.h"
#include "support/trap.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 10000, ARMED = 200 }; /* beats after which nothing may happen any more */

#define FRAME(b, more)                                                                                                 \
    "title: clean\n"                                                                                                   \
    "time: {step: 4 ms, substeps: 2, end: 40, control_rate: 2000 Hz}\n"                                                \
    "method: {coupling: gc}\n"                                                                                         \
    "substructures:\n"                                                                                                 \
    "  A: {dofs: [x, y], rate: coarse, mass: [2, 1], damping: [9, 9], stiffness: [[300, -100], [-100, 100]]}\n" b      \
    "interfaces: [{join: [A.y, B.y]}]\n"                                                                               \
    "loads: [{on: A.x, kind: sine, amplitude: 2 N, frequency: 1.5 Hz}]\n" more
static const char models[] = FRAME("  B: {dofs: [y], rate: fine, mass: [1], damping: [9], stiffness: [50]}\n", "");
static const char specimen[] = FRAME(
    "  B: {role: physical, dofs: [y], rate: fine, actuators: {y: a1}, estimate: {mass: [1], stiffness: [50]}}\n",
    "transfer: {a1: {compensator: {kind: lagrange, order: 2, delay: 1 ms},\n"
    "                feedback: {kind: smith, stiffness: 50, damping: 1, delay: 1 ms},\n"
    "                passivity: {kind: normalised, window: 1, most: 10}}}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: delay, delay: 1 ms}, sensors: {force_noise: 1 mN}}},\n"
    "      specimen: {dofs: [y], mass: [0], stiffness: [50]}}\n"
    "limits: {displacement: 10, force: 1e6, velocity: 1e6, acceleration: 1e9, command_rate: 1e6,\n"
    "         tracking_error: {limit: 1 nm, action: warn}, energy_error: 1e6, sensor_frozen: 100, sensor_range: "
    "100}\n");

/* With everything that a rig may have. */
static const char wide[] = FRAME(
    "  B: {role: physical, dofs: [y], rate: fine, actuators: {y: a1}, estimate: {mass: [1], stiffness: [50]},\n"
    "      prescribed: {load: {dof: z, kind: sine, amplitude: 1 N, frequency: 1 Hz}}}\n",
    "transfer: {a1: {compensator: {kind: lagrange, order: 2, delay: 1 ms}, feed_forward: true,\n"
    "                passivity: {kind: strict, most: 10}, feedback: {kind: impedance, stiffness: 50, damping: 1}},\n"
    "           load: {command: force},\n"
    "           joint: [{actuators: [a1], controller: {kind: decoupling, static_gain: [1], I: 1}}]}\n"
    "rig: {backend: virtual, actuators: {a1: {}, load: {plant: {kind: ideal}}},\n"
    "      joint: [{actuators: [a1], plant: {kind: state-space, A: [-1000], B: [1000], C: [1]}}],\n"
    "      specimen: {dofs: [y, z], mass: [0, 1], damping: [0, 10], stiffness: [50, 100]},\n"
    "      sensors: {s: {measures: z.a, noise: 0.1}}, lines: {door: {role: interlock}, lamp: {role: run_lamp}}}\n"
    "limits: {displacement: 10, force: 1e6, command_rate: 1e6, sensors: {s: 1e6}}\n");

/* With everything that can be recorded, elements and sums among it. */
static const char recorded[] =
    "title: clean\n"
    "time: {step: 4 ms, substeps: 2, end: 40}\n"
    "method: {coupling: gc}\n"
    "substructures:\n"
    "  A: {kind: assembled, nodes: {n: {mass: 2}, m: {mass: 1}}, rate: coarse,\n"
    "      elements: [{kind: bouc-wen, between: [ground, n.x], kh: 100, k0: 200, beta: 60, gamma: 60},\n"
    "                 {kind: spring, between: [n.x, m.x], stiffness: 100}]}\n"
    "  B: {kind: assembled, nodes: {m: {mass: 1}}, rate: fine,\n"
    "      elements: [{kind: damper, name: d, between: [ground, m.x], damping: 9}]}\n"
    "interfaces: [{join: [A.m.x, B.m.x]}]\n"
    "loads: [{on: A.n.x, kind: sine, amplitude: 2 N, frequency: 1.5 Hz}]\n"
    "record:\n"
    "  channels: \"*\"\n"
    "  fine: {channels: \"*\", every: 3}\n"
    "  derived: {drift: A.m.x.u - A.n.x.u, shear: A.*.r, loop: B.d.force - 0.5*B.d.force}\n";

/* A virtual clock that sets the trap when the loop has warmed up and takes it away before the end. */
struct trap_clock {
    struct yk_clock clock; /* first */
    long beats, last;
    struct trap_counts counts;
    bool done;
};

static int64_t now_ns(const struct yk_clock *clock)
{
    return clock->virtual_ns;
}

static void sleep_until(struct yk_clock *clock, int64_t due_ns)
{
    struct trap_clock *t = (struct trap_clock *)clock;

    clock->virtual_ns = due_ns > clock->virtual_ns ? due_ns : clock->virtual_ns;
    if (++t->beats == ARMED)
        trap_begin();
    if (t->beats == t->last) {
        trap_end(&t->counts);
        t->done = true;
    }
}

struct job {
    struct yk_model *e;
    struct trap_clock clock;
    struct yk_run_result result;
    enum yk_status status;
};

static struct yk_telemetry *telemetry; /* where the run is watched */

static void run(void *arg)
{
    struct job *j = arg;
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_run_control control = {0};
    struct yk_err err;

    settings.realtime = true;
    settings.clock = &j->clock.clock;
    settings.telemetry = telemetry;
    j->status = planned_run(j->e, &settings, NULL, &control, &j->result, &err);
    yk_run_result_free(&j->result);
}

/* Every beat is a step at least. */
static void open_job(struct job *j, struct yk_model *e, long steps)
{
    *j = (struct job){
        .e = e, .clock = {.clock = {.now_ns = now_ns, .sleep_until = sleep_until, .virtual_ns = 1}, .last = steps}};
    e->steps = steps;
}

static bool check_with(const char *text, const struct yk_coupling_ops *ops, const char *path, const char *more)
{
    char method[96];
    const char *const set[] = {method, ops->caps & YK_COUPLING_NO_SUBSTEPS ? "time.substeps=1" : "time.substeps=2",
                               more};
    struct yk_model *e = NULL;
    struct yk_state m;
    struct yk_err err;
    struct job j;
    long calls[2], first;

    /* a force loop that works against a specimen needs gains for it */
    snprintf(method, sizeof method, "method={coupling: %s, path: %s%s}", ops->name, path,
             ops->caps & YK_COUPLING_SPECIMENS ? ", Kp: 0, Ki: 2, correction: displacement" : "");
    if (yk_model_parse(&e, "clean.yaml", text, strlen(text), set, more ? 3 : 2, &err))
        return false;
    if (yk_state_open(&m, e, 0, &err)) {
        yk_model_close(e);
        return false;
    }
    yk_state_close(&m);

    for (int tries = 0; tries < 3; tries++) { /* a page that the kernel moved is not the loop's doing */
        open_job(&j, e, STEPS);
        run(&j);
        if (j.clock.counts.page_faults == 0)
            break;
    }
    if (j.status || j.result.status || !j.clock.done || j.clock.counts.heap_calls || j.clock.counts.page_faults)
        print_error("%s: status %d %s, %ld beats, %ld heap calls, %ld page faults\n", ops->name, j.status,
                    j.result.reason, j.clock.beats, j.clock.counts.heap_calls, j.clock.counts.page_faults);
    assert_int_equal(j.status, YK_OK);
    assert_true(j.clock.done);
    assert_int_equal(j.clock.counts.heap_calls, 0);
    assert_int_equal(j.clock.counts.page_faults, 0);
    /* set-up and end make their calls; ten times the steps must not make one more */
    for (int k = 0; k < 2; k++) {
        open_job(&j, e, k ? STEPS : STEPS / 10);
        calls[k] = count_syscalls(run, &j, &first);
    }
    if (calls[0] != calls[1])
        print_error("%s: %ld system calls in %d steps, %ld in %d\n", ops->name, calls[0], STEPS / 10, calls[1], STEPS);
    assert_int_equal(calls[0], calls[1]);
    yk_model_close(e);
    return true;
}

static bool check(const char *text, const struct yk_coupling_ops *ops)
{
    return check_with(text, ops, "auto", NULL);
}

static void the_loop_of_every_coupling_is_clean(void **state)
{
    int seen = 0, all = 0;

    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++, all++)
        seen += check(models, *ops);
    assert_true(seen >= all - 1); /* efc works with specimens only */
}

static void and_so_it_is_with_a_specimen(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++)
        assert_true(check(specimen, *ops));
}

static void and_so_it_is_where_elements_and_sums_are_recorded(void **state)
{
    assert_true(check(recorded, yk_coupling_find("gc")));
    assert_true(check(recorded, yk_coupling_find("plsrt2")));
}

/* Members that yield, recorded to the last fibre. */
static void and_so_it_is_with_members(void **state)
{
    static const char members[] = SMALL_FRAME("1 ms") "record: {channels: [\"*\", \"*.fibre1.*\"]}\n";

    assert_true(check(members, yk_coupling_find("gc")));
    assert_true(check(members, yk_coupling_find("plsrt2")));
}

/* Hysteresis on either side, in modes. */
static const char hysteretic[] =
    "title: clean\n"
    "time: {step: 4 ms, substeps: 2, end: 40}\n"
    "method: {coupling: gc}\n"
    "substructures:\n"
    "  A: {kind: assembled, nodes: {n: {mass: 2}, m: {mass: 1}, k: {mass: 1}}, rate: coarse,\n"
    "      elements: [{kind: bouc-wen, between: [ground, n.x], kh: 100, k0: 200, beta: 60, gamma: 60},\n"
    "                 {kind: spring, between: [n.x, k.x], stiffness: 100},\n"
    "                 {kind: spring, between: [k.x, m.x], stiffness: 100}]}\n"
    "  B: {kind: assembled, nodes: {m: {mass: 1}, n: {mass: 1}}, rate: fine,\n"
    "      elements: [{kind: bouc-wen, between: [ground, n.x], kh: 100, k0: 200, beta: 60, gamma: 60},\n"
    "                 {kind: spring, between: [n.x, m.x], stiffness: 100}]}\n"
    "interfaces: [{join: [A.m.x, B.m.x]}]\n"
    "loads: [{on: A.n.x, kind: sine, amplitude: 2 N, frequency: 1.5 Hz}]\n";

/* Damping in proportion to the mass, so that it is classical. */
static void and_so_it_is_in_modes(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        const bool with_models = !((*ops)->caps & YK_COUPLING_SPECIMENS);

        assert_int_equal(check_with(models, *ops, "modal", "substructures.A.damping=[18, 9]"), with_models);
        assert_int_equal(check_with(hysteretic, *ops, "modal", NULL), with_models);
    }
    assert_true(check_with(specimen, yk_coupling_find("pm"), "modal", "substructures.A.damping=[18, 9]"));
}

static void and_so_it_is_with_everything_that_a_rig_may_have(void **state)
{
    assert_true(check(wide, yk_coupling_find("gc")));
}

/* Every row on the tapes, the state on the board. */
static void and_so_it_is_where_it_is_watched(void **state)
{
    static const char *const states[] = {"idle", NULL};
    struct yk_model *e;
    struct yk_run_channels channels;
    struct yk_stream streams[YK_STREAMS];
    struct yk_telemetry_view *view;
    char name[48];

    snprintf(name, sizeof name, "loop-%d", (int)getpid());
    assert_ok(yk_model_parse(&e, "clean.yaml", specimen, strlen(specimen), NULL, 0, &err));
    assert_ok(planned_channels(e, &channels, &err));
    const struct yk_telemetry_info info = {.title = "t",
                                           .stream_count = yk_run_streams(&channels, streams),
                                           .streams = streams,
                                           .states = states,
                                           .tracked = 1};
    assert_int_equal(info.stream_count, 3);
    assert_ok(yk_telemetry_create(&telemetry, name, &info, &err));
    assert_ok(yk_telemetry_open(&view, name, &err));
    assert_true(check(specimen, yk_coupling_find("gc")));
    for (size_t i = 0; i < info.stream_count; i++)
        assert_true(yk_telemetry_written(view, i) >= STEPS);
    yk_telemetry_close(view);
    yk_telemetry_destroy(telemetry);
    telemetry = NULL;
    yk_run_channels_free(&channels);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_loop_of_every_coupling_is_clean),
                                       cmocka_unit_test(and_so_it_is_with_a_specimen),
                                       cmocka_unit_test(and_so_it_is_in_modes),
                                       cmocka_unit_test(and_so_it_is_with_everything_that_a_rig_may_have),
                                       cmocka_unit_test(and_so_it_is_where_it_is_watched),
                                       cmocka_unit_test(and_so_it_is_where_elements_and_sums_are_recorded),
                                       cmocka_unit_test(and_so_it_is_with_members)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
