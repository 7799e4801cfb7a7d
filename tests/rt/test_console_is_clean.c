/* The loop of a console: no heap call and no page fault while it holds, moves and sweeps; every command that reaches
 * the rig keeps to the speed of the order and to the limits; and the path of a move is the polynomial of the ramps. The
 * clock is our own and gives the orders, so that they come at exact ticks. */
#include "support/check.h"
#include "support/planned.h"
#include "support/trap.h"

#include "engine/console.h"

#include <math.h>
#include <stdlib.h>

static const char specimen[] =
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [1800], stiffness: [[71061]]}\n"
    "  column: {role: physical, dofs: [x], actuators: {x: a1}}\n"
    "interfaces: [{join: [frame.x, column.x]}]\n"
    "transfer: {a1: {controller: {kind: imc, filter: 6 ms}}}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: ideal}, sensors: {force_noise: 1 N}}},\n"
    "      specimen: {dofs: [x], mass: [[0]], stiffness: [[35530]]}}\n"
    "limits: {displacement: 200 mm, command_rate: 0.5 m/s, force: 8.3 kN}\n";

enum { ROWS = 4000 };
#define WAY        0.010 /* m */
#define DURATION_S 1.5

/* A clock whose beats give one order after the other. */
struct orders {
    struct yk_clock clock; /* first */
    struct yk_console *console;
    struct yk_console_order order[6];
    double to[1], back[1], *rows;
    int given;
    long beats;
    struct trap_counts counts;
};

static int64_t now_ns(const struct yk_clock *clock)
{
    return clock->virtual_ns;
}

static void sleep_until(struct yk_clock *clock, int64_t due_ns)
{
    struct orders *o = (struct orders *)clock;

    clock->virtual_ns = due_ns;
    if (++o->beats == 100)
        trap_begin();
    if (o->beats < 20 || !yk_console_is_done(o->console))
        return;
    if (o->given < 6) {
        yk_console_give(o->console, &o->order[o->given++]);
    } else {
        trap_end(&o->counts);
        yk_console_stop(o->console, true);
    }
}

static void the_loop_is_clean_and_keeps_to_its_path(void **state)
{
    const struct yk_run_settings defaults = yk_run_defaults();
    struct yk_run_settings settings = defaults;
    struct yk_model *e = NULL;
    struct yk_model *model = NULL;
    struct orders o = {.clock = {.now_ns = now_ns, .sleep_until = sleep_until, .virtual_ns = 1}, .to = {WAY}};

    assert_ok(yk_model_parse(&e, "clean.yaml", specimen, sizeof specimen - 1, NULL, 0, &err));
    assert_ok(yk_model_create(&model, e, 0, &err));
    settings.realtime = true;
    settings.clock = &o.clock;
    assert_ok(yk_console_open(&o.console, model, &settings, &err));
    const size_t width = yk_console_width(o.console);
    o.rows = calloc(3 * ROWS * width, sizeof *o.rows);
    assert_non_null(o.rows);
    memset(o.rows, 1, 3 * ROWS * width * sizeof *o.rows); /* every page is there */
    o.order[0] = (struct yk_console_order){.kind = YK_ORDER_ENABLE};
    o.order[1] = (struct yk_console_order){.kind = YK_ORDER_WAIT, .ticks = 200};
    o.order[2] = (struct yk_console_order){
        .kind = YK_ORDER_MOVE, .to = o.to, .duration_s = DURATION_S, .rows = o.rows, .room = ROWS};
    o.order[3] = (struct yk_console_order){.kind = YK_ORDER_SWEEP,
                                           .sweep = {.from_Hz = 0.1, .to_Hz = 10, .amplitude_m = 2e-3, .duration_s = 2},
                                           .rows = o.rows + ROWS * width,
                                           .room = ROWS};
    o.order[4] = (struct yk_console_order){
        .kind = YK_ORDER_MOVE, .to = o.back, .duration_s = DURATION_S, .rows = o.rows + 2 * ROWS * width, .room = ROWS};
    o.order[5] = (struct yk_console_order){.kind = YK_ORDER_WAIT, .ticks = 100};
    yk_console_run(o.console);
    for (int k = 0; k < 6; k++)
        assert_int_equal(o.order[k].status, YK_OK);
    assert_int_equal(o.counts.heap_calls, 0);
    assert_int_equal(o.counts.page_faults, 0);
    /* tick k of the move has come to (k + 1)/1500 of its duration */
    assert_true(o.order[2].made >= 1500);
    for (size_t k = 0; k < 1500; k++) {
        const double x = (double)(k + 1) / 1500;

        assert_near(o.rows[width * k + YK_SEEN_SENT], WAY * x * x * x * (10 + x * (6 * x - 15)), 1e-12);
    }
    /* the sweep turns around that place: x = c + A sin(2 pi (f0 + (f1 - f0) t/(2 T)) t) */
    for (size_t k = 0; k < 1800; k++) {
        const double t = 1e-3 * (double)k;

        assert_near(o.rows[(ROWS + k) * width + YK_SEEN_SENT],
                    WAY + 2e-3 * sin(2 * M_PI * (0.1 + 0.5 * 9.9 / 2 * t) * t), 1e-12);
    }
    struct yk_console_now now;
    double seen[8];
    yk_console_read(o.console, &now, seen);
    assert_int_equal(now.off, 1);
    assert_near(seen[YK_SEEN_SENT], 0, 1e-15);
    free(o.rows);
    yk_console_close(o.console);
    yk_model_close(model);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_loop_is_clean_and_keeps_to_its_path)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
