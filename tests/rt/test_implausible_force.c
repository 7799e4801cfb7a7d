/* A load cell that is reversed, dead or out of range, between the station and a virtual rig: it is named, with what to
 * check; the run ends with exit code 0 and a warning, or trips where the file asks. Specimens with gaps, friction and
 * hysteresis are not suspected, whatever the estimate. */
#include "support/between.h"
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"
#include "support/spring_specimen.h"

#include <math.h>

static const char one[] = "title: implausible forces\n"
                          "time: {step: 10 ms, end: 12 s, control_rate: 1000 Hz}\n" SPRING_SPECIMEN
                          "limits: {displacement: 200 mm, command_rate: 2 m/s, trip_ramp: 0.2, end_ramp: 0.2}\n";

/* a column that bends and turns: one actuator goes straight, the other turns */
static const char two[] =
    "title: implausible forces of two\n"
    "time: {step: 10 ms, end: 12 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x, rz], mass: [1800, 90], damping: [1130.97, 60], stiffness: [71061, 3600]}\n"
    "  specimen: {role: physical, dofs: [x, rz], actuators: {x: a1, rz: r1},\n"
    "             estimate: {stiffness: [[35530, -3000], [-3000, 1800]]}}\n"
    "interfaces: [{join: [frame.x, specimen.x]}, {join: [frame.rz, specimen.rz]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz},\n"
    "        {on: frame.rz, kind: sine, amplitude: 60 N m, frequency: 1.1 Hz}]\n"
    "transfer: {a1: &chain {compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 "
    "ms}}, r1: *chain}\n"
    "rig: {backend: virtual, actuators: {a1: &plant {plant: {kind: tt1}}, r1: *plant},\n"
    "      specimen: {dofs: [x, rz], mass: [0, 0], stiffness: [[35530, -3000], [-3000, 1800]]}}\n"
    "limits: {trip_ramp: 0.2, end_ramp: 0.2}\n";

/* A fault of the load cell: the expression that it reads instead of F. */
#define READS(NAME, VALUE)                                                                                             \
    static enum yk_rig_answer NAME(struct between *b, struct yk_reading *r)                                            \
    {                                                                                                                  \
        const double F = r[b->actuator].force;                                                                         \
                                                                                                                       \
        r[b->actuator].force = (VALUE) + 0 * F;                                                                        \
        return YK_RIG_FRESH;                                                                                           \
    }
READS(reversed, -F)
READS(zero, 0)
READS(constant, 77)
READS(clipped, fmax(-150, fmin(F, 150)))
READS(clipped_below, fmax(-150, F))

/* Not paced; `happen` to an actuator from an exchange on. */
static void run(const char *text, const char *const *set, size_t count, struct between *b, struct recorded *r)
{
    struct yk_model *e = recorded_parse(text, set, count);

    b->unpaced = true;
    b->clock = yk_clock_virtual(1);
    between_run(b, &between_ops, e, r);
    assert_int_equal(r->status, YK_OK);
    yk_model_close(e);
}

static const struct {
    happening *reads;
    const char *words;
} faults[] = {
    {reversed, "force of a1 has the wrong sign"},   {zero, "force of a1 does not change"},
    {constant, "force of a1 does not change"},      {clipped, "force of a1 stays at 150 N"},
    {clipped_below, "force of a1 stays at -150 N"},
};
#define FAULTS (sizeof faults / sizeof *faults)

/* From the beginning on, and from the middle of a swing on. */
static void an_impossible_force_is_said_at_the_end_of_the_run(void **state)
{
    for (size_t k = 0; k < FAULTS; k++)
        for (long from = 0; from < 5000; from += 3205) {
            struct between b = {.happen = faults[k].reads, .from = from};
            struct recorded r;

            run(one, NULL, 0, &b, &r);
            if (!strstr(r.result.tracked[0].implausible_force, faults[k].words))
                print_error("from tick %ld: '%s', wanted '%s'\n", from, r.result.tracked[0].implausible_force,
                            faults[k].words);
            assert_non_null(strstr(r.result.tracked[0].implausible_force, faults[k].words));
            assert_non_null(strstr(r.result.tracked[0].implausible_force, "check the "));
            assert_int_equal(r.result.warnings, 1);
            assert_string_equal(r.result.warning, r.result.tracked[0].implausible_force);
            assert_int_equal(r.result.status, YK_OK);
            assert_true(r.result.finished);
            recorded_free(&r);
        }
}

static void an_impossible_force_trips_where_the_file_asks(void **state)
{
    static const char *const set[] = {"limits.implausible_force={limit: 4, action: ramp}"};

    for (size_t k = 0; k < FAULTS; k++) {
        struct between b = {.happen = faults[k].reads, .from = 3205};
        struct recorded r;

        run(one, set, 1, &b, &r);
        assert_int_equal(yk_status_exit_code(r.result.status), 3);
        assert_int_equal(r.result.trip.kind, YK_LIMIT_IMPLAUSIBLE_FORCE);
        assert_non_null(strstr(r.result.reason, faults[k].words));
        assert_near(b.wire[0].sent, 0, 1e-12); /* back home */
        assert_true(r.result.steps > 320 && r.result.steps < 1100);
        assert_int_equal(r.count[0], r.result.steps + 1);
        recorded_free(&r);
    }
}

static void the_watch_can_be_switched_off_for_all_or_for_one(void **state)
{
    static const char *const set[] = {"limits.implausible_force=0", "limits.actuators={a1: {implausible_force: 0}}"};

    for (int k = 0; k < 2; k++) {
        struct between b = {.happen = reversed};
        struct recorded r;

        run(one, set + k, 1, &b, &r);
        assert_string_equal(r.result.tracked[0].implausible_force, "");
        assert_int_equal(r.result.warnings, 0);
        recorded_free(&r);
    }
}

/* The force drives the structure away before there is a half cycle to judge: the trip is that of the limit, and the
 * reason is beside it. */
static void a_reversed_force_that_lets_the_motion_run_away_is_named(void **state)
{
    static const char *const set[] = {"substructures.frame.stiffness=[[20000]]", "limits.displacement=100 mm"};
    struct between b = {.happen = reversed};
    struct recorded r;

    run(one, set, 2, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_int_equal(r.result.trip.kind, YK_LIMIT_DISPLACEMENT);
    assert_non_null(strstr(r.result.tracked[0].implausible_force, "has the wrong sign"));
    recorded_free(&r);
}

static void the_one_of_two_load_cells_that_is_wrong_is_named(void **state)
{
    for (size_t i = 0; i < 2; i++) {
        static const char *const names[] = {"force of a1 ", "force of r1 "};
        struct between b = {.happen = reversed, .actuator = i};
        struct recorded r;

        run(two, NULL, 0, &b, &r);
        assert_non_null(strstr(r.result.tracked[i].implausible_force, names[i]));
        assert_non_null(strstr(r.result.tracked[i].implausible_force, "wrong sign"));
        assert_string_equal(r.result.tracked[1 - i].implausible_force, "");
        recorded_free(&r);
        b = (struct between){.happen = zero, .actuator = i, .from = 3300};
        run(two, NULL, 0, &b, &r);
        assert_non_null(strstr(r.result.tracked[i].implausible_force, "does not change"));
        assert_non_null(strstr(r.result.tracked[i].implausible_force, i ? " N m " : " N "));
        assert_string_equal(r.result.tracked[1 - i].implausible_force, "");
        recorded_free(&r);
    }
}

/* Laws of the virtual rig in the place of the spring that the file believes in: also with sensors that hiss. */
static void gaps_friction_and_yielding_are_not_suspected(void **state)
{
    static const char *const laws[] = {
        "{kind: gap, between: [ground, p.x], stiffness: 35530, gap: 4 mm}",
        "{kind: gap, between: [ground, p.x], stiffness: 35530, gap: 2 mm, side: both}",
        "{kind: friction, between: [ground, p.x], force: 200, slip_velocity: 0.001}",
        "{kind: bilinear, between: [ground, p.x], stiffness: 35530, hardening: 0, yield_slip: 2 mm}",
        "{kind: bilinear, between: [ground, p.x], stiffness: 35530, hardening: 0.02, yield_slip: 0.2 mm}",
        "{kind: bouc-wen, between: [ground, p.x], kh: 700, k0: 34800, beta: 300, gamma: 200, n: 1}",
        "{kind: cubic-spring, between: [ground, p.x], stiffness: 3553, cubic: 1e8}",
        "{kind: saturating-damper, between: [ground, p.x], linear: 100, limit: 300, knee: 0.01}",
    };
    static const char *const sensors[] = {
        "rig.actuators.a1.sensors={}",
        "rig.actuators.a1.sensors={displacement_noise: 20 um, force_noise: 20 N, force_quantum: 5 N, "
        "force_dropout: 0.1}"};

    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++)
        for (int noisy = 0; noisy < 2; noisy++) {
            char specimen[300];
            const char *const set[] = {specimen, sensors[noisy],
                                       "loads.0={on: frame.x, kind: earthquake, amplitude: 3000}"};
            struct between b = {0};
            struct recorded r;

            snprintf(specimen, sizeof specimen, "rig.specimen={kind: assembled, nodes: {p: {mass: 0}}, elements: [%s]}",
                     laws[k]);
            run(one, set, 2, &b, &r);
            if (r.result.warnings)
                print_error("%s: %s\n", laws[k], r.result.warning);
            assert_int_equal(r.result.warnings, 0);
            recorded_free(&r);
        }
}

/* On the console and in the summary. */
static void the_program_says_which_load_cell_to_check(void **state)
{
    char file[600], folder[600];
    const char *words[] = {
        YOKE_PROGRAM, "run", file, "-o", folder, "-q", "--set", "rig.actuators.a1.sensors={force_gain: -1}", NULL};
    struct program p;

    snprintf(file, sizeof file, "%s", scratch_write("one.yaml", one));
    snprintf(folder, sizeof folder, "%s", scratch_path("one"));
    program_start(&p, words, 0);
    program_wait(&p);
    assert_int_equal(p.code, 5); /* nobody may use such results */
    assert_non_null(strstr(p.out, "WARNING: force of a1 has the wrong sign"));
    assert_non_null(strstr(p.out, "check the polarity of the load cell"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impossible_force_is_said_at_the_end_of_the_run),
        cmocka_unit_test(an_impossible_force_trips_where_the_file_asks),
        cmocka_unit_test(the_watch_can_be_switched_off_for_all_or_for_one),
        cmocka_unit_test(a_reversed_force_that_lets_the_motion_run_away_is_named),
        cmocka_unit_test(the_one_of_two_load_cells_that_is_wrong_is_named),
        cmocka_unit_test(gaps_friction_and_yielding_are_not_suspected),
        cmocka_unit_test(the_program_says_which_load_cell_to_check),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
