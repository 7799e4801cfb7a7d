/* A load that is held while a method moves the specimen, and what a rig has beside its actuators. Expected: statics of
 * the specimen (force over stiffness), the polynomial of the ramps, and the settings themselves. */
#include "support/between.h"
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "rig/virtual/rig.h"

#include <math.h>
#include <stdlib.h>

#define LOAD  50e3 /* N */
#define STIFF 2e7  /* N/m: of the column along its axis */

static const char axial[] =
    "title: axial load beside a lateral test\n"
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
    "  column: {role: physical, dofs: [x], actuators: {x: lateral}, estimate: {stiffness: [[35530]]},\n"
    "           prescribed: {axial: {dof: y, kind: constant, amplitude: 50 kN}}}\n"
    "interfaces: [{join: [frame.x, column.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz}]\n"
    "transfer:\n"
    "  lateral: {compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 ms}}\n"
    "  axial: {command: force}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {lateral: {plant: {kind: tt1}}, axial: {plant: {kind: first-order, time_constant: 10 ms}}}\n"
    "  specimen: {dofs: [x, y], mass: [0, 200], damping: [[0, 0], [0, 40000]], stiffness: [[35530, 0], [0, 2e7]]}\n"
    "limits: {displacement: 100 mm, command_rate: 2 m/s, force: 60 kN, trip_ramp: 0.2, end_ramp: 0.2}\n";

/* Runs it with what happens at exchange `from`. */
static void run(struct between *b, const char *const *set, size_t count, struct recorded *r, struct yk_model **e)
{
    b->clock = yk_clock_virtual(1);
    *e = recorded_parse(axial, set, count);
    between_run(b, &between_ops, *e, r);
    assert_int_equal(r->status, YK_OK);
}

/* ---- a load that is held ---- */

static struct {
    double least, most, sag; /* of the load while the method runs; of the column */
} held;

static enum yk_rig_answer watch_load(struct between *b, struct yk_reading *r)
{
    if (b->tick > 2500 && b->tick < 3000) {
        held.least = fmin(held.least, r[1].force);
        held.most = fmax(held.most, r[1].force);
        held.sag = r[1].displacement;
    }
    return YK_RIG_FRESH;
}

static void a_load_is_put_on_held_and_taken_off(void **state)
{
    struct between b = {.happen = watch_load, .from = 1};
    struct yk_model *e;
    struct recorded r;

    held.least = INFINITY;
    held.most = -INFINITY;
    run(&b, NULL, 0, &r, &e);
    assert_true(r.result.finished);
    assert_near(b.wire[1].first, 0, 0);
    assert_near(b.wire[1].reach, LOAD, 1e-9 * LOAD);
    assert_near(b.wire[1].sent, 0, 1e-9);
    /* the end ramp is the steeper one: 15/8 of the mean slope */
    assert_true(b.wire[1].rate <= 15.0 / 8 * LOAD / 0.2 * 1.001 && b.wire[1].rate > 15.0 / 8 * LOAD / 0.2 * 0.99);
    assert_near(held.least, LOAD, 1e-3 * LOAD);
    assert_near(held.most, LOAD, 1e-3 * LOAD);
    assert_near(held.sag, LOAD / STIFF, 1e-3 * LOAD / STIFF);
    assert_true(r.result.tracked[1].indices.nrms < 1e-3);
    assert_string_equal(yk_station_unit(e->station, 1), "N");
    recorded_free(&r);
    yk_model_close(e);
}

/* 20 kN/s: nine tenths of it, and 15/8 of the mean slope. */
static void ramps_of_a_load_keep_to_their_rate(void **state)
{
    static const char *const set[] = {"limits.actuators={axial: {command_rate: 20 kN/s}}"};
    struct between b = {.happen = NULL, .from = 1};
    struct yk_model *e;
    struct recorded r;

    run(&b, set, 1, &r, &e);
    assert_true(r.result.finished);
    assert_true(b.wire[1].rate <= 0.9 * 20e3 * 1.001 && b.wire[1].rate > 0.9 * 20e3 * 0.99);
    recorded_free(&r);
    yk_model_close(e);
}

static enum yk_rig_answer spike(struct between *b, struct yk_reading *r)
{
    r[0].force += b->tick == b->from ? 1e6 : 0;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer aborts(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->from)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

/* Hold, ramp and cut are in the quantity of the command. */
static void a_load_is_held_ramped_or_cut_as_a_limit_says(void **state)
{
    static const struct {
        const char *set;
        happening *happen;
        double left;
        int cuts;
    } cases[] = {{"limits.on_trip=hold", spike, LOAD, 0},
                 {"limits.on_trip=ramp", spike, 0, 0},
                 {"limits.on_trip=cut", spike, LOAD, 1},
                 {"limits.on_trip=ramp", aborts, 0, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct between b = {.happen = cases[i].happen, .from = 2500};
        struct yk_model *e;
        struct recorded r;

        run(&b, &cases[i].set, 1, &r, &e);
        assert_int_equal(r.result.status, YK_E_STOPPED);
        assert_near(b.wire[1].sent, cases[i].left, 1e-9 * LOAD);
        assert_int_equal(b.cuts, cases[i].cuts);
        recorded_free(&r);
        yk_model_close(e);
    }
}

static enum yk_rig_answer gives_way(struct between *b, struct yk_reading *r)
{
    r[1].force *= 0.5;
    return YK_RIG_FRESH;
}

static void limits_of_a_load_are_in_newtons(void **state)
{
    static const struct {
        const char *set[2];
        happening *happen;
        const char *words;
    } cases[] = {
        {{"limits.actuators={axial: {tracking_error: 10 kN}}", "time.end=0.5"},
         gives_way,
         "tracking error of axial, 25000 N, passed its limit of 10000 N"},
        {{"substructures.column.prescribed.axial={dof: y, kind: ramp, amplitude: 50 kN, to: 0.25 s}",
          "limits.actuators={axial: {command_rate: 100 kN/s}}"},
         NULL,
         "rate of the command of axial, 200000 N/s, passed its limit of 100000 N/s"},
        {{"substructures.column.prescribed.axial={dof: y, kind: ramp, amplitude: 50 kN, to: 0.25 s}",
          "limits.force=20 kN"},
         NULL,
         "force of axial, "},
        {{"limits.actuators={axial: {displacement: 2 mm}}", "time.end=0.5"}, NULL, "displacement of axial, 0.002"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct between b = {.happen = cases[i].happen, .from = 2400};
        struct yk_model *e;
        struct recorded r;

        run(&b, cases[i].set, 2, &r, &e);
        if (!strstr(r.result.reason, cases[i].words))
            print_error("'%s' is not in '%s'\n", cases[i].words, r.result.reason);
        assert_non_null(strstr(r.result.reason, cases[i].words));
        recorded_free(&r);
        yk_model_close(e);
    }
}

/* ---- other kinds of command, on the rig itself ---- */

/* An ideal plant that is commanded in v or a stands where they add up to. A command is due at the end of its tick: in
 * the first one, the rate rises from zero. */
static void rates_add_up_to_a_place(void **state)
{
    static const enum yk_command_kind kinds[] = {YK_BY_VELOCITY, YK_BY_ACCELERATION};
    struct yk_model *e = recorded_parse(axial, NULL, 0);

    for (int k = 0; k < 2; k++) {
        const struct yk_plant_ops *ideal = yk_plant_find("ideal");
        struct yk_virtual_actuator actuator = {
            .plant = ideal, .displacement = {.gain = 1}, .force = {.gain = 1}, .acceleration = {.gain = 1}};
        struct yk_virtual_rig rig = {.actuators = &actuator, .count = 1};
        struct yk_arena mem = {0};
        const struct yk_rig_plan plan = {.count = 1,
                                         .names = (const char *const[]){"a1"},
                                         .kinds = &kinds[k],
                                         .tick = 1e-3,
                                         .x0 = (const double[]){0},
                                         .mem = &mem};
        struct yk_reading got = {0};
        struct yk_rig_in in = {.readings = &got};
        const double command = 0.5;

        assert_ok(yk_param_settings(ideal->params, ideal->size, &actuator.plant_self, &err));
        assert_ok(yk_rig_virtual.open(&rig, &plan, &err));
        assert_ok(yk_rig_virtual.rest(&rig, (const double[]){0}, &in, &err));
        for (int i = 1; i <= 200; i++) {
            const double h = 1e-3, t = h * i, after = t - h;

            assert_int_equal(yk_rig_virtual.exchange(&rig, &(struct yk_rig_out){.command = &command}, &in),
                             YK_RIG_FRESH);
            assert_near(got.displacement,
                        k ? 0.5 * (h * h / 6 + 0.5 * h * after + 0.5 * after * after) : 0.5 * (t - 0.5 * h), 1e-15);
        }
        yk_rig_virtual.close(&rig);
        yk_arena_free(&mem);
    }
    yk_model_close(e);
}

/* A first-order lag that is fed the velocity times its time constant has no lag. */
static void feed_forward_takes_the_lag_of_a_drive_away(void **state)
{
    static const char *const base[] = {
        "transfer.lateral={feed_forward: true}",
        "rig.actuators.lateral={plant: {kind: first-order, time_constant: 10 ms}, velocity_feedforward: 10 ms}",
        "rig.actuators.lateral={plant: {kind: first-order, time_constant: 10 ms}}"};
    double delay[2];

    for (int k = 0; k < 2; k++) {
        const char *const set[] = {base[0], base[1 + k]};
        struct between b = {.happen = NULL, .from = 1};
        struct yk_model *e;
        struct recorded r;

        run(&b, set, 2, &r, &e);
        delay[k] = r.result.tracked[0].indices.delay_s;
        recorded_free(&r);
        yk_model_close(e);
    }
    assert_near(delay[1], 10e-3, 1e-3);
    assert_true(fabs(delay[0]) < 1e-3); /* the rate is known half a tick late, and the tick begins with it */
}

/* ---- lines and sensors ---- */

static enum yk_status rest_with_open_doors(void *self, const double *x, struct yk_rig_in *in, struct yk_err *e)
{
    const enum yk_status st = between_ops.rest(self, x, in, e);

    in->lines = 0;
    return st;
}

static void an_open_interlock_lets_nothing_move(void **state)
{
    static const char *const set[] = {"rig.lines={door: {role: interlock}}"};
    const struct yk_rig_ops ops = {.name = "between", .exchange = between_exchange, .rest = rest_with_open_doors};
    struct yk_model *e = recorded_parse(axial, set, 1);
    struct between b = {.happen = NULL, .from = 1, .clock = yk_clock_virtual(1)};
    struct recorded r;

    between_run(&b, &ops, e, &r);
    assert_int_equal(r.status, YK_OK);
    assert_int_equal(r.result.status, YK_E_STOPPED);
    assert_non_null(strstr(r.result.reason, "an interlock has opened: door"));
    assert_near(b.wire[0].reach, 0, 0);
    assert_near(b.wire[1].reach, 0, 0);
    recorded_free(&r);
    yk_model_close(e);
}

static enum yk_status refuses_to_enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *e)
{
    return on ? yk_fail(e, YK_E_INPUT, "the pump is off") : YK_OK;
}

static void a_rig_that_does_not_enable_is_not_moved(void **state)
{
    const struct yk_rig_ops ops = {.name = "between", .exchange = between_exchange, .enable = refuses_to_enable};
    struct between b = {.happen = NULL, .from = 1, .clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(axial, NULL, 0);
    struct recorded r;

    between_run(&b, &ops, e, &r);
    assert_int_equal(r.status, YK_E_INPUT);
    assert_non_null(strstr(yk_err_line(&r.err).text, "the pump is off"));
    assert_int_equal(b.tick, 0);
    recorded_free(&r);
    yk_model_close(e);
}

/* Outputs follow the state: what the rig was told in every tick. */
static uint32_t lamps[2500]; /* levels, by exchange */

static enum yk_rig_answer note_lamps(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    const struct between *b = self;

    if (b->tick < 2500)
        lamps[b->tick] = out->lines;
    return between_exchange(self, out, in);
}

static void lamps_follow_the_state(void **state)
{
    static const char *const set[] = {"rig.lines={drive: {role: enable}, green: {role: run_lamp}, yellow: {role: "
                                      "warning_lamp}, red: {role: trip_lamp}, dark: {role: trip_lamp, inverted: true}}",
                                      "limits.on_trip=hold"};
    const struct yk_rig_ops ops = {.name = "between", .exchange = note_lamps, .rest = between_ops.rest};
    struct between b = {.happen = spike, .from = 2500, .clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(axial, set, 2);
    struct recorded r;

    between_run(&b, &ops, e, &r);
    /* bits: drive, green, yellow, red, dark */
    assert_int_equal(lamps[1000], 1 | 2 | 16); /* starting */
    assert_int_equal(lamps[2400], 1 | 2 | 16); /* running */
    assert_true(r.result.trip.tripped);
    const struct yk_supervisor now = {
        .state = YK_STATE_TRIPPED, .lines = yk_station_plan(e->station)->lines, .line_count = 5};
    assert_int_equal(yk_supervisor_lines(&now), 1 | 8);
    const struct yk_supervisor cut = {.state = YK_STATE_TRIPPED,
                                      .cut = true,
                                      .warnings = 1,
                                      .lines = yk_station_plan(e->station)->lines,
                                      .line_count = 5};
    assert_int_equal(yk_supervisor_lines(&cut), 4 | 8);
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- what is refused ---- */

static void what_does_not_go_together_is_refused(void **state)
{
    static const struct refused_setting cases[] = {
        {"transfer.axial={}", "actuator 'axial' is prescribed, so its command is a force"},
        {"transfer.lateral={command: force}", "no actuator moves x and it has no mass"},
        {"substructures.column.prescribed.axial={dof: x, kind: constant, amplitude: 1}",
         "'x' is moved by an actuator, and cannot be loaded by 'axial'"},
        {"substructures.column.prescribed.axial={dof: z, kind: constant, amplitude: 1}", "no degree of freedom 'z'"},
        {"substructures.column.prescribed.axial={kind: constant, amplitude: 1}", "missing 'dof'"},
        {"rig.actuators.axial={plant: {kind: tt1}, limits: {stroke: 1}}", "stroke has no effect on an actuator"},
        {"rig.sensors={s: {}}", "sensor 's' needs 'measures' on the virtual rig"},
        {"rig.sensors={s: {measures: axial.speed}}", "'axial.speed' is neither displacement"},
        {"rig.lines={l: {}}", "missing 'role'"},
        {"rig.lines={l: {role: lamp}}", "role"},
        {"rig.lines={l: {role: run_lamp, opens: 1}}", "opens has no effect on 'l', which is an output"},
        {"limits.sensors={s: 1}", "the rig has no sensor 's'"},
        {"rigs={west: {backend: virtual}}", "the file has both 'rig' and 'rigs'"},
    };

    check_refused_settings(axial, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_is_put_on_held_and_taken_off),
        cmocka_unit_test(ramps_of_a_load_keep_to_their_rate),
        cmocka_unit_test(a_load_is_held_ramped_or_cut_as_a_limit_says),
        cmocka_unit_test(limits_of_a_load_are_in_newtons),
        cmocka_unit_test(rates_add_up_to_a_place),
        cmocka_unit_test(feed_forward_takes_the_lag_of_a_drive_away),
        cmocka_unit_test(an_open_interlock_lets_nothing_move),
        cmocka_unit_test(a_rig_that_does_not_enable_is_not_moved),
        cmocka_unit_test(lamps_follow_the_state),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
