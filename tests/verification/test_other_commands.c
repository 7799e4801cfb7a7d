/* Actuators that move a degree of freedom of the method and are commanded by force, velocity or acceleration.
 * docs/theory/transfer.md, sections 7 and 8. Expected: the untorn structure, closed forms of the delayed loop, and the
 * motion of a critically damped oscillator. */
#include "support/between.h"
#include "support/check.h"
#include "support/planned.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "analyze/analyze.h"
#include "transfer/physical.h"
#include "transfer/place.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

/* ---- force: the compliance form ---- */

static const char wall[] = "time: {step: 4 ms, end: 2.048 s, control_rate: 1 kHz}\n"
                           "method: {integrator: lsrt2}\n"
                           "substructures:\n"
                           "  frame: {dofs: [x], mass: [20000], damping: [[7400]], stiffness: [[3e6]]}\n"
                           "  wall: {role: physical, dofs: [x], actuators: {x: jack}, connection: {x: 4 MN/m},\n"
                           "         estimate: {stiffness: [[80e6]]}}\n"
                           "interfaces: [{join: [frame.x, wall.x]}]\n"
                           "loads: [{on: frame.x, kind: sine, amplitude: 20 kN, frequency: 2 Hz}]\n"
                           "transfer: {jack: {command: force}}\n"
                           "rig:\n"
                           "  backend: virtual\n"
                           "  actuators: {jack: {plant: {kind: ideal}}}\n"
                           "  specimen: {dofs: [x], mass: [300], damping: [[15500]], stiffness: [[80e6]]}\n"
                           "limits: {displacement: 5 mm, force: 60 kN, end_ramp: 0.2, trip_ramp: 0.2}\n"
                           "reference: monolithic\n";

static void run(struct between *b, const char *text, const char *const *set, size_t count, struct recorded *r,
                struct yk_model **e)
{
    b->clock = yk_clock_virtual(1);
    *e = recorded_parse(text, set, count);
    between_run(b, &between_ops, *e, r);
    assert_int_equal(r->status, YK_OK);
}

/* Error of a run against the structure in one piece. */
static double error_of(const char *text, const char *const *set, size_t count)
{
    struct between b = {.happen = NULL, .from = 1};
    struct yk_model *e;
    struct recorded r;

    run(&b, text, set, count, &r, &e);
    assert_true(r.result.finished && r.result.has_reference);
    const double error = r.result.error_u;
    recorded_free(&r);
    yk_model_close(e);
    return error;
}

/* Also where the estimate is half of the stiffness, or four times as much. */
static void force_control_converges_to_the_untorn_structure_by_second_order(void **state)
{
    static const char *const methods[] = {"method.integrator=lsrt2", "method.integrator=chang",
                                          "method.integrator=alpha-os"};
    static const char *const estimates[] = {"substructures.wall.estimate.stiffness=[[80e6]]",
                                            "substructures.wall.estimate.stiffness=[[40e6]]",
                                            "substructures.wall.estimate.stiffness=[[320e6]]"};

    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 3; k++) {
            const double coarse = error_of(wall, (const char *const[]){methods[m], estimates[k], "time.step=16 ms"}, 3),
                         fine = error_of(wall, (const char *const[]){methods[m], estimates[k], "time.step=4 ms"}, 3);

            print_message("%s, %s: %.2g %.2g, order %.2f\n", methods[m], estimates[k], coarse, fine,
                          0.5 * log2(coarse / fine));
            assert_true(0.5 * log2(coarse / fine) > 1.8);
            assert_true(fine < 7e-3);
        }
}

/* ---- names of figures ---- */

static void figures_of_an_actuator_are_named_by_the_unit_of_its_command(void **state)
{
    struct between b = {.happen = NULL, .from = 1};
    struct yk_run_channels channels;
    struct yk_model *e;
    struct recorded r;
    char *text;

    run(&b, wall, NULL, 0, &r, &e);
    assert_ok(planned_channels(e, &channels, &err));
    assert_non_null(text = yk_run_summary(e, &channels, &r.result));
    assert_non_null(strstr(text, "\"unit\": \"N\""));
    assert_non_null(strstr(text, "\"peak_N\": "));
    assert_non_null(strstr(text, "\"roughness_N\": "));
    assert_null(strstr(text, "peak_m"));
    free(text);
    yk_run_channels_free(&channels);
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- thresholds of motion ---- */

/* Metres mean nothing to an actuator that is commanded by force: the default is the share of its limit of 60 kN that
 * the default for displacements is of 100 mm. */
static void thresholds_of_motion_follow_the_quantity_of_the_command(void **state)
{
    static const struct {
        const char *left_out, *given, *tiny;
    } cases[] = {
        {"transfer.jack.compensator={kind: ats, delay: 2 ms, window: 20}",
         "transfer.jack.compensator={kind: ats, delay: 2 ms, window: 20, motion: 6 N}",
         "transfer.jack.compensator={kind: ats, delay: 2 ms, window: 20, motion: 15 kN}"},
        {"transfer.jack.compensator={kind: cats, delay: 2 ms}",
         "transfer.jack.compensator={kind: cats, delay: 2 ms, motion: 60 N}",
         "transfer.jack.compensator={kind: cats, delay: 2 ms, motion: 0.1 mN}"},
        {"transfer.jack.compensator={kind: amb, delay: 2 ms}",
         "transfer.jack.compensator={kind: amb, delay: 2 ms, motion: 60 N}",
         "transfer.jack.compensator={kind: amb, delay: 2 ms, motion: 0.1 mN}"},
        {"transfer.jack.estimator={kind: ahmadizadeh}", "transfer.jack.estimator={kind: ahmadizadeh, d_min: 6 N}",
         "transfer.jack.estimator={kind: ahmadizadeh, d_min: 10 kN}"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const set[] = {cases[k].left_out, cases[k].given, cases[k].tiny};
        struct recorded r[3];

        for (int i = 0; i < 3; i++) {
            struct between b = {.happen = NULL, .from = 1};
            struct yk_model *e;

            run(&b, wall, (const char *const[]){"transfer.jack.compensator={kind: velocity, delay: 2 ms}", set[i]}, 2,
                &r[i], &e);
            yk_model_close(e);
        }
        recorded_assert_same(&r[0], &r[1], cases[k].given);
        assert_memory_not_equal(r[0].rows[0], r[2].rows[0], r[0].width[0] * r[0].count[0] * sizeof(double));
        for (int i = 0; i < 3; i++)
            recorded_free(&r[i]);
    }
}

static void thresholds_of_motion_are_refused_in_metres_and_without_a_limit(void **state)
{
    static const struct refused_setting cases[] = {
        {"transfer.jack.compensator={kind: ats, delay: 2 ms, motion: 1 mm}", "'1 mm' is a length, but a force is"},
        {"transfer.jack.estimator={kind: rls, motion: 1 mm}", "'1 mm' is a length, but a force is"},
    };
    struct yk_model *e;

    check_refused_settings(wall, cases, sizeof cases / sizeof *cases);
    assert_refused(yk_model_parse(&e, "wall.yaml", wall, strlen(wall),
                                  (const char *const[]){"transfer.jack.compensator={kind: cats, delay: 2 ms}",
                                                        "limits={displacement: 5 mm}"},
                                  2, &err),
                   YK_E_INPUT,
                   "compensator needs 'motion' for actuator 'jack', which is commanded by force: the force below which "
                   "it does not learn. With a limit of the force, the default is 0.001 times that");
}

/* A mass on a quasi-static specimen behind a connection, eq. (19): with L = W (1 - K~/K),
 *
 *     (m s^2 + c s)(1 - L e^-s tau) + S = 0,    |1 + S/(j c w - m w^2)| = |L| at the critical delay */
static double critical_delay(double m, double c, double S, double L)
{
    double low = sqrt(S / m), high = 2 * sqrt(S / m / (1 - L)); /* there it is about c w/S, and above L */

    for (int i = 0; i < 200; i++) {
        const double w = 0.5 * (low + high);

        *(cabs(1 + S / (I * c * w - m * w * w)) < L ? &low : &high) = w;
    }
    return -carg((1 + S / (I * c * low - m * low * low)) / L) / low;
}

static const char quasi_static[] =
    "time: {step: 0.5 ms, end: 2 s, control_rate: 4 kHz}\nmethod: {integrator: lsrt2}\nsubstructures:\n"
    "  mass: {dofs: [x], mass: [1], damping: [[0.4]], stiffness: [[0]]}\n"
    "  spring: {role: physical, dofs: [x], actuators: {x: a}, connection: {x: 400},\n"
    "           estimate: {stiffness: [[100]]}}\n"
    "interfaces: [{join: [mass.x, spring.x]}]\ntransfer: {a: {command: force}}\n"
    "rig: {backend: virtual, actuators: {a: {plant: {kind: ideal}}},\n"
    "  specimen: {dofs: [x], mass: [1.25e-7], damping: [[0.01]], stiffness: [[200]]}}\n"
    "loads: [{on: mass.x, kind: sine, amplitude: 1, frequency: 1 Hz}]\n";

static struct yk_margin margin_of(const char *text)
{
    struct yk_model *e = recorded_parse(text, NULL, 0);
    struct yk_margin m;

    assert_ok(planned_margin(e, 0, &m, &err));
    yk_model_close(e);
    return m;
}

/* K~ = K/2: L = 400/500 (1 - 1/2) = 0.4. */
static void the_critical_delay_is_that_of_the_closed_form(void **state)
{
    const double W = 400.0 / 500, critical = critical_delay(1, 0.4, W * 100, W * 0.5);

    for (int k = 0; k < 2; k++) {
        char set[96];
        double decay;

        snprintf(set, sizeof set, "rig.actuators.a.plant={kind: delay, delay: %.4g}", (k ? 1.05 : 0.95) * critical);
        struct yk_model *e = recorded_parse(quasi_static, (const char *const[]){set}, 1);
        assert_ok(planned_decay(e, &decay, &err));
        print_message("critical delay %g ms; %s: decay %g 1/s\n", 1e3 * critical, set, decay);
        assert_int_equal(decay > 0, k == 0);
        yk_model_close(e);
    }
}

/* Stable without a delay as long as |W (1 - K~/K)| < 1. */
static void an_estimate_that_is_too_high_has_a_limit(void **state)
{
    static const struct {
        const char *set[2];
        bool stable;
    } cases[] = {
        {{"substructures.spring.estimate.stiffness=[[200]]", "substructures.spring.connection.x=400"}, true},
        /* 2000/(2000 + 500) (1 - 2.5) = -1.2; 2000/(2000 + 400) (1 - 2) = -0.83 */
        {{"substructures.spring.estimate.stiffness=[[500]]", "substructures.spring.connection.x=2000"}, false},
        {{"substructures.spring.estimate.stiffness=[[400]]", "substructures.spring.connection.x=2000"}, true},
        /* the same behind a soft spring: 100/(100 + 500) (1 - 2.5) = -0.25 */
        {{"substructures.spring.estimate.stiffness=[[500]]", "substructures.spring.connection.x=100"}, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e = recorded_parse(quasi_static, cases[i].set, 2);
        double decay;

        assert_ok(planned_decay(e, &decay, &err));
        print_message("%s: decay %g 1/s\n", cases[i].set[0], decay);
        assert_int_equal(decay > 0, cases[i].stable);
        yk_model_close(e);
    }
}

/* Without a connection the estimate leads the force: F = r + K~ (x - y). */
static void a_rigid_connection_moves_the_specimen_with_the_structure(void **state)
{
    static const char rigid[] =
        "time: {step: 4 ms, end: 2.048 s, control_rate: 1 kHz}\nmethod: {integrator: lsrt2}\nsubstructures:\n"
        "  frame: {dofs: [x], mass: [20000], damping: [[7400]], stiffness: [[3e6]]}\n"
        "  wall: {role: physical, dofs: [x], actuators: {x: jack}, estimate: {stiffness: [[3e6]]}}\n"
        "interfaces: [{join: [frame.x, wall.x]}]\n"
        "loads: [{on: frame.x, kind: sine, amplitude: 20 kN, frequency: 2 Hz}]\ntransfer: {jack: {command: force}}\n"
        "rig: {backend: virtual, actuators: {jack: {plant: {kind: ideal}}},\n"
        "  specimen: {dofs: [x], mass: [10], damping: [[20000]], stiffness: [[3e6]]}}\nreference: monolithic\n";

    assert_true(error_of(rigid, NULL, 0) < 0.02);
}

/* One actuator by displacement, one by force, on a specimen whose stiffness couples them. */
static void mixed_commands_move_one_specimen(void **state)
{
    static const char mixed[] =
        "time: {step: 4 ms, end: 2.048 s, control_rate: 1 kHz}\nmethod: {integrator: lsrt2}\nsubstructures:\n"
        "  frame: {dofs: [x, y], mass: [1800, 1800], damping: [[1131, 0], [0, 8000]],\n"
        "          stiffness: [[71061, 0], [0, 1e5]]}\n"
        "  column: {role: physical, dofs: [x, y], actuators: {x: lateral, y: axial}, connection: {y: 1 MN/m},\n"
        "           estimate: {stiffness: [[35530, 2e5], [2e5, 2e7]]}}\n"
        "interfaces: [{join: [frame.x, column.x]}, {join: [frame.y, column.y]}]\n"
        "loads: [{on: frame.x, kind: sine, amplitude: 1 kN, frequency: 1.3 Hz},\n"
        "        {on: frame.y, kind: sine, amplitude: 10 kN, frequency: 2 Hz}]\n"
        "transfer: {lateral: {}, axial: {command: force}}\n"
        "rig:\n  backend: virtual\n  actuators: {lateral: {plant: {kind: ideal}}, axial: {plant: {kind: ideal}}}\n"
        "  specimen: {dofs: [x, y], mass: [0, 200], damping: [[0, 0], [0, 40000]],\n"
        "             stiffness: [[35530, 2e5], [2e5, 2e7]]}\nreference: monolithic\n";

    assert_true(error_of(mixed, NULL, 0) < 5e-3);
    assert_true(
        error_of(mixed, (const char *const[]){"substructures.column.estimate.stiffness=[[0, 0], [0, 1e7]]"}, 1) < 1e-2);
}

/* ---- force: compensators, limits, pauses, trips, ramps ---- */

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

static enum yk_rig_answer pauses(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->from)
        yk_run_request(&b->control, YK_EVENT_PAUSE);
    if (b->tick == b->from + 3000)
        yk_run_request(&b->control, YK_EVENT_RESUME);
    return YK_RIG_FRESH;
}

/* Every compensator of one actuator tracks the force of a lagging jack better than none does, within the limits; and
 * the run ends without a load. */
static void compensators_work_on_the_force(void **state)
{
    double alone = 0;

    for (size_t k = 0; yk_compensators[k]; k++) {
        const struct yk_compensator_ops *c = yk_compensators[k];
        static const char *const chosen[] = {"none", "velocity", "inverse", "phase-lead", "amb", "ats", "cats", "fir"};
        bool tried = false;
        char set[128];

        for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
            tried |= strcmp(c->name, chosen[i]) == 0;
        if (!tried)
            continue;
        snprintf(set, sizeof set, "transfer.jack={command: force, compensator: {kind: %s, delay: 12 ms}}", c->name);
        const char *const all[] = {set, "method.integrator=chang",
                                   "rig.actuators.jack.plant={kind: second-order, T1: 6 ms, T2: 6 ms}"};
        struct between b = {.happen = NULL, .from = 1};
        struct yk_model *e;
        struct recorded r;

        run(&b, wall, all, 3, &r, &e);
        if (!r.result.finished)
            print_error("%s: %s\n", c->name, r.result.reason);
        assert_true(r.result.finished);
        print_message("%-12s tracks the force within %.2g, error %.2g\n", c->name, r.result.tracked[0].indices.nrms,
                      r.result.error_u);
        if (strcmp(c->name, "none") == 0)
            alone = r.result.tracked[0].indices.nrms;
        else
            assert_true(r.result.tracked[0].indices.nrms < 0.6 * alone || alone == 0);
        assert_true(r.result.error_u < 0.05);
        assert_near(b.wire[0].sent, 0, 1e-9);
        recorded_free(&r);
        yk_model_close(e);
    }
    assert_true(alone > 0.1);
}

static void a_force_is_held_ramped_or_cut_as_a_limit_says(void **state)
{
    static const struct {
        const char *set[2];
        happening *happen;
        bool finishes, loaded;
        int cuts;
    } cases[] = {{{"limits.on_trip=hold", "time.scale=1"}, spike, false, true, 0},
                 {{"limits.on_trip=ramp", "time.scale=1"}, spike, false, false, 0},
                 {{"limits.on_trip=cut", "time.scale=1"}, spike, false, true, 1},
                 {{"limits.on_trip=ramp", "time.scale=1"}, aborts, false, false, 0},
                 {{"limits.on_trip=ramp", "time.scale=1"}, pauses, true, false, 0},
                 {{"limits.on_trip=ramp", "time.scale=4"}, spike, false, false, 0}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct between b = {.happen = cases[i].happen, .from = 600};
        struct yk_model *e;
        struct recorded r;

        run(&b, wall, cases[i].set, 2, &r, &e);
        assert_int_equal(r.result.finished, cases[i].finishes);
        assert_true(cases[i].loaded ? fabs(b.wire[0].sent) > 1e3 : fabs(b.wire[0].sent) < 1e-9);
        assert_int_equal(b.cuts, cases[i].cuts);
        recorded_free(&r);
        yk_model_close(e);
    }
}

/* The run trips with these words, and the actuator goes home. */
static void check_trip(const char *text, const char *set, const char *words)
{
    struct between b = {.happen = NULL, .from = 1};
    struct yk_model *e;
    struct recorded r;

    run(&b, text, &set, 1, &r, &e);
    assert_int_equal(r.result.status, YK_E_STOPPED);
    if (!strstr(r.result.reason, words))
        print_error("'%s' is not in '%s'\n", words, r.result.reason);
    assert_non_null(strstr(r.result.reason, words));
    assert_near(b.last[0].displacement, 0, 2e-4);
    assert_near(b.wire[0].sent, 0, 1e-9);
    recorded_free(&r);
    yk_model_close(e);
}

static void limits_of_a_force_are_in_newtons(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"limits.force=20 kN", "force of jack, "},
        {"limits.displacement=0.1 mm", "displacement of jack, "},
        {"limits.actuators={jack: {command_rate: 100 kN/s}}", "N/s, passed its limit of 100000 N/s"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_trip(wall, cases[i].set, cases[i].words);
}

/* ---- velocity and acceleration ---- */

static const char table[] =
    "time: {step: 2 ms, end: 4 s, control_rate: 1 kHz}\nmethod: {integrator: chang}\nsubstructures:\n"
    "  lower: {dofs: [f1, f2], mass: [30000, 30000], damping: [[80e3, -40e3], [-40e3, 40e3]],\n"
    "          stiffness: [[40e6, -20e6], [-20e6, 20e6]]}\n"
    "  upper: {role: physical, dofs: [f2], actuators: {f2: table}, estimate: {stiffness: [[0]]}}\n"
    "interfaces: [{join: [lower.f2, upper.f2]}]\n"
    "loads: [{on: lower.f1, kind: sine, amplitude: 40 kN, frequency: 1.8 Hz}]\n"
    "transfer: {table: {command: acceleration, compensator: {kind: lagrange, delay: 11.5 ms}}}\n"
    "rig:\n  backend: virtual\n"
    "  actuators: {table: {plant: {kind: second-order, T1: 6 ms, T2: 6 ms}, capacity: {stroke: 0.2, speed: 1}}}\n"
    "  specimen: {dofs: [f2, f3, f4], mass: [0, 8000, 8000],\n"
    "    damping: [[10e3, -10e3, 0], [-10e3, 20e3, -10e3], [0, -10e3, 10e3]],\n"
    "    stiffness: [[6e6, -6e6, 0], [-6e6, 12e6, -6e6], [0, -6e6, 6e6]]}\n"
    "limits: {displacement: 150 mm, velocity: 0.8 m/s, acceleration: 20 m/s2, end_ramp: 0.5, trip_ramp: 0.5}\n"
    "reference: monolithic\n";

/* Parabolas and cubics are differentiated exactly, whatever the step. */
static void targets_are_derivatives_of_the_displacement(void **state)
{
    const double D = 0.01;
    struct yk_place p;
    double rate;

    yk_place_reset(&p, 0);
    for (int j = 0; j < 6; j++) {
        const double t = 0.3 + j * D, v = yk_place_target(&p, YK_BY_VELOCITY, D, 2 + t * (3 - 4 * t), 0, 0, &rate);

        if (j >= 3) {
            assert_near(v, 3 - 8 * t, 1e-10);
            assert_near(rate, -8, 1e-8);
        }
    }
    yk_place_reset(&p, 0);
    for (int j = 0; j < 6; j++) {
        const double t = 0.3 + j * D, a = yk_place_target(&p, YK_BY_ACCELERATION, D, t * t * (1 - 5 * t), 0,
                                                          j ? 2 - 30 * (t - D) : 0, &rate);

        if (j >= 4) {
            assert_near(a, 2 - 30 * t, 1e-8);
            assert_near(rate, -30, 1e-5);
        }
    }
}

/* A table with a constant error b of its acceleration: b t^2/2 without, b/omega^2 with the displacement led back. */
static void a_drift_is_led_back(void **state)
{
    const double b = 0.02, h = 1e-3, omega = 2 * M_PI * 0.2;

    for (int led = 0; led < 2; led++) {
        struct yk_place p;
        double x = 0, v = 0;

        yk_place_reset(&p, 0);
        for (int k = 0; k < 20000; k++) {
            const double a = b + (led ? yk_place_lead(&p, YK_BY_ACCELERATION, 1, x, omega, h) : 0);

            x += h * (v + 0.5 * h * a);
            v += h * a;
        }
        assert_near_relative(x, led ? b / (omega * omega) : 0.5 * b * 400, 1e-3);
    }
}

/* Velocity and acceleration command the same motion; the drift stays small, the table ends where it began. */
static void storeys_on_a_table_move_as_in_the_untorn_structure(void **state)
{
    static const struct {
        const char *set;
        double error;
    } cases[] = {{"time.scale=1", 0.02},
                 {"transfer.table={command: velocity, compensator: {kind: lagrange, delay: 11.5 ms}}", 0.02},
                 {"rig.actuators.table.plant={kind: second-order, T1: 6 ms, T2: 6 ms, gain: 1.02}", 0.06}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct between b = {.happen = NULL, .from = 1};
        struct yk_model *e;
        struct recorded r;

        run(&b, table, &cases[i].set, 1, &r, &e);
        assert_true(r.result.finished);
        print_message("%s: error %.2g, tracking %.2g, ends at %.2g m\n", cases[i].set, r.result.error_u,
                      r.result.tracked[0].indices.nrms, b.last[0].displacement);
        assert_true(r.result.error_u < cases[i].error);
        assert_true(r.result.tracked[0].indices.nrms < 0.03);
        assert_near(b.last[0].displacement, 0, 2e-4);
        assert_near(b.wire[0].sent, 0, 0);
        recorded_free(&r);
        yk_model_close(e);
    }
}

static void check_predicts_the_margin_of_a_table(void **state)
{
    const struct yk_margin m = margin_of(table);

    assert_true(m.stable);
    assert_true(m.margin_s > 3e-3 && m.margin_s < 20e-3);
    assert_near(m.decay, m.decay_model, 0.3 * m.decay_model);
}

static struct {
    double speed, at, reach; /* when it was stopped; where; how far it went from there */
} stopped;

static enum yk_rig_answer watches(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->from) {
        stopped.speed = r[0].velocity;
        stopped.at = r[0].displacement;
        stopped.reach = 0;
    }
    stopped.reach = fmax(stopped.reach, fabs(r[0].displacement - stopped.at));
    return YK_RIG_FRESH;
}

static enum yk_rig_answer table_aborts(struct between *b, struct yk_reading *r)
{
    (void)aborts(b, r);
    return watches(b, r);
}

static enum yk_rig_answer table_spike(struct between *b, struct yk_reading *r)
{
    (void)spike(b, r);
    return watches(b, r);
}

static enum yk_rig_answer table_pauses(struct between *b, struct yk_reading *r)
{
    if (b->tick <= b->from + 2990)
        (void)watches(b, r);
    return pauses(b, r);
}

/* A critically damped stop from the speed v goes no further than v/(e omega), with omega = 2 pi, plus what the lag of
 * the table and of the smoothed speed adds. */
static void a_table_comes_to_rest_in_every_hold(void **state)
{
    static const struct {
        const char *set;
        happening *happen;
        bool paused, home;
    } cases[] = {{"limits.on_trip=hold", table_spike, false, false},
                 {"limits.on_trip=ramp", table_spike, false, true},
                 {"limits.on_trip=ramp", table_aborts, false, true},
                 /* a specimen with mass that has come to rest does not go on as if it had not: a limit ends that */
                 {"limits.on_trip=ramp", table_pauses, true, true}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const set[] = {cases[i].set, "limits.force=500 kN"};
        struct between b = {.happen = cases[i].happen, .from = 2810};
        struct yk_model *e;
        struct recorded r;

        run(&b, table, set, 2, &r, &e);
        assert_false(r.result.finished);
        print_message("stopped at %.3g m/s, went %.3g m, ends at %.3g m with %.3g m/s\n", stopped.speed, stopped.reach,
                      b.last[0].displacement, b.last[0].velocity);
        assert_true(fabs(stopped.speed) > 0.1);
        if (!cases[i].home || cases[i].paused)
            assert_true(stopped.reach < 1.3 * fabs(stopped.speed) / (M_E * 2 * M_PI));
        assert_near(b.last[0].velocity, 0, 1e-4);
        if (cases[i].home)
            assert_near(b.last[0].displacement, 0, 2e-4);
        assert_near(b.wire[0].sent, 0, 0);
        recorded_free(&r);
        yk_model_close(e);
    }
}

static void limits_of_a_table_are_those_of_its_motion(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"limits.displacement=5 mm", "displacement of table, "},
        {"limits.velocity=0.1 m/s", "velocity of table, "},
        {"limits.acceleration=1 m/s2", "m/s2, passed its limit of 1 m/s2"},
        {"limits.actuators={table: {tracking_error: 1 mm/s2}}", "m/s2, passed its limit of 0.001 m/s2"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_trip(table, cases[i].set, cases[i].words);
}

/* ---- what does not go together ---- */

static void combinations_without_a_meaning_are_refused(void **state)
{
    static const struct refused_setting walls[] = {
        {"substructures.wall.estimate={}", "commanded by force: 'wall' needs an estimate: { stiffness: ... }"},
        {"substructures.wall.estimate.stiffness=[[0]]", "which is commanded by force, is 0, not above 0"},
        {"substructures.wall.connection={y: 1e6}", "no degree of freedom 'y'"},
        {"substructures.wall.connection.x=0", "0"},
        {"transfer.jack={}", "is not commanded by force, so a connection has no effect"},
        {"transfer.jack={command: force, drift: 0.1}", "drift has no effect on actuator 'jack', which is commanded by"},
        {"transfer.jack={command: force, compensator: {kind: linear-acceleration, delay: 5 ms}}",
         "predicts displacements from the acceleration of the method"},
        {"transfer.jack={command: force, feedback: {kind: corrected}}",
         "feedback looks for the force at a displacement"},
        {"substructures.wall.initial={displacement: {x: 1 mm}}", "'x' cannot have initial values"},
        {"rig.specimen.mass=[0]", "no actuator moves x and it has no mass"},
    };
    static const struct refused_setting tables[] = {
        {"loads=[{ground: lower, kind: sine, amplitude: 1, frequency: 1}]", "a ground motion makes them relative"},
        {"time.scale=2", "which is that of the real motion: time.scale = 2 must be 1"},
        {"substructures.upper.initial={velocity: {f2: 0.1}}", "'f2' cannot have initial values"},
        {"transfer.table={command: acceleration, feedback: {kind: optimal}}", "feedback looks for the force"},
        {"substructures.upper.connection={f2: 1e6}", "is not commanded by force, so a connection has no effect"},
    };

    check_refused_settings(wall, walls, sizeof walls / sizeof *walls);
    check_refused_settings(table, tables, sizeof tables / sizeof *tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_control_converges_to_the_untorn_structure_by_second_order),
        cmocka_unit_test(figures_of_an_actuator_are_named_by_the_unit_of_its_command),
        cmocka_unit_test(thresholds_of_motion_follow_the_quantity_of_the_command),
        cmocka_unit_test(thresholds_of_motion_are_refused_in_metres_and_without_a_limit),
        cmocka_unit_test(the_critical_delay_is_that_of_the_closed_form),
        cmocka_unit_test(an_estimate_that_is_too_high_has_a_limit),
        cmocka_unit_test(a_rigid_connection_moves_the_specimen_with_the_structure),
        cmocka_unit_test(mixed_commands_move_one_specimen),
        cmocka_unit_test(compensators_work_on_the_force),
        cmocka_unit_test(a_force_is_held_ramped_or_cut_as_a_limit_says),
        cmocka_unit_test(limits_of_a_force_are_in_newtons),
        cmocka_unit_test(targets_are_derivatives_of_the_displacement),
        cmocka_unit_test(a_drift_is_led_back),
        cmocka_unit_test(storeys_on_a_table_move_as_in_the_untorn_structure),
        cmocka_unit_test(check_predicts_the_margin_of_a_table),
        cmocka_unit_test(a_table_comes_to_rest_in_every_hold),
        cmocka_unit_test(limits_of_a_table_are_those_of_its_motion),
        cmocka_unit_test(combinations_without_a_meaning_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
