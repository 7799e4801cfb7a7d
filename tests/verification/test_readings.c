/* Correction of raw readings: gain, offset, range, filter, other sensors, tare. Expected: the reading before the error
 * that is corrected; the group delay of a sampled Butterworth filter, h/(1 - e^(-2 pi f h)) for order 1 and sqrt(2)/(2
 * pi f) + h/2 + O(h^2) for order 2. */
#include "support/between.h"
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "rig/virtual/rig.h"
#include "transfer/station.h"

#include <math.h>

static const char specimen[] =
    "title: readings\n"
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
    "  specimen: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[35530]]}}\n"
    "interfaces: [{join: [frame.x, specimen.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz}]\n"
    "transfer:\n"
    "  a1: {compensator: {kind: velocity, order: 2, delay: 10 ms}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: first-order, time_constant: 10 ms}}}\n"
    "  sensors: {strain: {unit: um/m, measures: x.u, gain: 4096}, lvdt: {unit: mm, measures: x.u, gain: 1024}}\n"
    "  specimen: {dofs: [x], mass: [0], stiffness: [[35530]]}\n"
    "limits: {displacement: 100 mm, command_rate: 2 m/s, force: 60 kN, trip_ramp: 0.2, end_ramp: 0.2}\n";

static void run(const char *const *set, size_t count, struct recorded *r, struct yk_model **e)
{
    struct between b = {.happen = NULL, .from = 1, .clock = yk_clock_virtual(1)};

    *e = recorded_parse(specimen, set, count);
    between_run(&b, &between_ops, *e, r);
    assert_int_equal(r->status, YK_OK);
}

/* The whole motion of a run with all these settings is that of a run with the first of them, without errors, to
 * rounding.
 */
static void assert_same_motion_beside(size_t first, const char *const *set, size_t count, double tolerance)
{
    struct yk_model *e, *plain;
    struct recorded r, expected;

    run(set, first, &expected, &plain);
    run(set, count, &r, &e);
    assert_true(r.result.finished && expected.result.finished);
    for (const char *const *c = (const char *const[]){"frame.x.u", "a1.displacement", "a1.force", NULL}; *c; c++) {
        const double want = recorded_last(&expected, plain, *c);

        assert_near(recorded_last(&r, e, *c), want, tolerance * fabs(want));
    }
    recorded_free(&r);
    recorded_free(&expected);
    yk_model_close(e);
    yk_model_close(plain);
}

static void assert_same_motion(const char *const *set, size_t count, double tolerance)
{
    assert_same_motion_beside(0, set, count, tolerance);
}

static void a_gain_undoes_the_error_of_a_sensor(void **state)
{
    static const char *const set[] = {"rig.actuators.a1.sensors={force_gain: 2, displacement_gain: 0.5}",
                                      "rig.readings={a1: {force: {gain: 0.5}, displacement: {gain: 2}}}"};

    assert_same_motion(set, 2, 1e-9);
}

/* The load on an actuator is the force of the specimen, whatever its load cell reads. */
static void a_wrong_load_cell_does_not_load_the_actuator(void **state)
{
    static const char *const set[] = {"rig.actuators.a1.plant={kind: tt1, model: loops, efficiency: 0.5}",
                                      "rig.actuators.a1.capacity={force: 20 kN, friction: 100 N}",
                                      "rig.actuators.a1.sensors={force_gain: 64}",
                                      "rig.readings={a1: {force: {gain: 0.015625}}}"};

    assert_same_motion_beside(2, set, 4, 1e-12);
}

/* Sensors have their gain and their bias already at the begin of the run. */
static void the_first_reading_is_that_of_the_sensors(void **state)
{
    static const char *const set[] = {
        "substructures.frame.initial={displacement: {x: 20 mm}}",
        "substructures.specimen.initial={displacement: {x: 20 mm}}",
        "rig.actuators.a1.sensors={force_gain: 2, force_bias: 512, displacement_gain: 0.5}",
        "rig.readings={a1: {force: {gain: 0.5, offset: -256}, displacement: {gain: 2}}}"};

    assert_same_motion_beside(2, set, 4, 1e-12);
}

/* The force of the specimen is 35530 N/m times what the strain gauge sees. */
static void a_quantity_comes_from_other_sensors_without_their_offset(void **state)
{
    static const char *const both[] = {
        "rig.actuators.a1.sensors={force_gain: 0.01, displacement_gain: 0.25}",
        "rig.readings={a1: {force: {from: {strain: 8.67431640625}}, displacement: {from: {lvdt: 0.0009765625}}}}"};
    static const char *const mean[] = {"rig.actuators.a1.sensors={force_gain: 0.01}",
                                       "rig.sensors.strain={unit: um/m, measures: x.u, gain: 4096, bias: 64}",
                                       "rig.readings={strain: {gain: 2, offset: -128}, a1: {force: {from: {strain: "
                                       "2.1685791015625, lvdt: 17.3486328125}}}}"};

    assert_same_motion(both, 2, 1e-12);
    assert_same_motion(mean, 3, 1e-10);
}

static void a_reading_beyond_its_range_trips_or_warns(void **state)
{
    static const struct {
        const char *set, *words;
        bool finishes;
    } cases[] = {
        {"rig.readings={a1: {force: {range: [-100 N, 60 kN]}}}", "N, is outside its range, which ends at -100 N",
         false},
        {"rig.readings={strain: {range: [-1000, 10], action: hold}}",
         "um/m, is outside its range, which ends at 10 um/m", false},
        {"rig.readings={strain: {range: [-1000, 10], action: warn}}", "", true},
        {"rig.readings={a1: {displacement: {range: [-90 mm, 90 mm]}}}", "", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e;
        struct recorded r;

        run(&cases[i].set, 1, &r, &e);
        assert_int_equal(r.result.finished, cases[i].finishes);
        if (!strstr(r.result.reason, cases[i].words))
            print_error("'%s' is not in '%s'\n", cases[i].words, r.result.reason);
        assert_non_null(strstr(r.result.reason, cases[i].words));
        assert_int_equal(r.result.warnings > 0, i == 2);
        recorded_free(&r);
        yk_model_close(e);
    }
}

/* After a long ramp a filtered reading lags by the group delay. */
static void a_filter_delays_as_its_formula_says(void **state)
{
    const struct {
        const char *set;
        double delay_s;
    } cases[] = {
        {"rig.readings={a1: {force: {filter: 50 Hz}}}", M_SQRT2 / (2 * M_PI * 50) + 0.5e-3},
        {"rig.readings={a1: {force: {filter: 50 Hz, filter_order: 1}}}", 1e-3 / (1 - exp(-1e-3 * 2 * M_PI * 50))},
    };

    for (size_t i = 0; i < 2; i++) {
        struct yk_model *e = recorded_parse(specimen, &cases[i].set, 1);
        struct yk_corrections c = *yk_station_corrections(e->station);
        struct yk_reading raw = {0}, got = {0};
        double sensors[2] = {0}, corrected[2];
        const struct yk_rig_in from = {.readings = &raw, .sensors = sensors};
        struct yk_rig_in to = {.readings = &got, .sensors = corrected};

        yk_corrections_reset(&c, &from, &to);
        for (int k = 1; k <= 2000; k++) {
            raw.force = raw.displacement = 1e-3 * k;
            yk_corrections_step(&c, &from, &to, yk_station_supervisor(e->station));
        }
        assert_near(2 - got.force, cases[i].delay_s, 2e-5);
        assert_near(got.displacement, 2, 0);
        assert_near(c.of[yk_channel_of(0, YK_BY_FORCE)].filter.delay_s, 2 - got.force, 1e-9);
        /* and the compensator leads by as much more */
        assert_near(yk_station_compensated(e->station, 0).filter_s, 2 - got.force, 1e-9);
        yk_model_close(e);
    }
}

/* NaN in a filtered reading is told as such, and does not stay in the filter. */
static void a_filter_forgets_what_is_not_a_number(void **state)
{
    const char *set = "rig.readings={a1: {force: {filter: 50 Hz}}}";
    struct yk_model *e = recorded_parse(specimen, &set, 1);
    struct yk_corrections c = *yk_station_corrections(e->station);
    struct yk_reading raw = {.force = 5}, got = {0};
    double sensors[2] = {0}, corrected[2];
    const struct yk_rig_in from = {.readings = &raw, .sensors = sensors};
    struct yk_rig_in to = {.readings = &got, .sensors = corrected};

    yk_corrections_reset(&c, &from, &to);
    raw.force = NAN;
    yk_corrections_step(&c, &from, &to, yk_station_supervisor(e->station));
    assert_true(isnan(got.force));
    raw.force = 5;
    yk_corrections_step(&c, &from, &to, yk_station_supervisor(e->station));
    assert_near(got.force, 5, 1e-12);
    yk_model_close(e);
}

/* The rig gets the commands in its own count, and reads zero less. */
static double seen[2];

static enum yk_rig_answer note_command(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    seen[0] = out->command[0];
    in->readings[0] = (struct yk_reading){.displacement = out->command[0], .force = 30};
    return YK_RIG_FRESH;
}

static enum yk_status rest_there(void *self, const double *x, struct yk_rig_in *in, struct yk_err *e)
{
    seen[1] = x[0];
    in->readings[0] = (struct yk_reading){.displacement = x[0], .force = 30};
    return YK_OK;
}

static void a_tare_shifts_readings_and_commands_alike(void **state)
{
    static const struct yk_rig_ops ops = {.name = "noting", .exchange = note_command, .rest = rest_there};
    struct yk_model *e = recorded_parse(specimen, NULL, 0);
    struct yk_station *s = e->station;

    yk_station_interpose(s, (struct yk_between){&ops, NULL});
    assert_ok(yk_station_tare(s, yk_channel_of(0, YK_BY_DISPLACEMENT), 5e-3, 5e-3, &err));
    assert_ok(yk_station_tare(s, yk_channel_of(0, YK_BY_FORCE), 30, 0, &err));
    assert_ok(yk_station_rest(s, (double[]){0}, &err));
    assert_near(seen[1], 5e-3, 0);
    assert_near(yk_station_reading(s, 0).displacement, 0, 0);
    assert_near(yk_station_reading(s, 0).force, 0, 0);
    yk_station_exchange(s, yk_station_command(s));
    assert_near(seen[0], 5e-3, 0);
    assert_near(yk_station_reading(s, 0).displacement, 0, 0);
    yk_station_interpose(s, (struct yk_between){0});
    yk_model_close(e);
}

static void wrong_readings_are_refused(void **state)
{
    static const struct refused_setting cases[] = {
        {"rig.readings={a2: {force: {gain: 1}}}", "this rig has no actuator or sensor 'a2'"},
        {"rig.readings={a1: {forces: {gain: 1}}}", "force"},
        {"rig.readings={a1: {force: {gain: 0}}}", "gain = 0 would make every reading the same"},
        {"rig.readings={a1: {force: {range: [5 kN, -5 kN]}}}", "range needs two values, the lower one first"},
        {"rig.readings={a1: {force: {range: [5 mm, 6 mm]}}}", "force"},
        {"rig.readings={a1: {force: {filter: 600 Hz}}}", "is not between 0 and 500 Hz"},
        {"rig.readings={a1: {force: {filter_order: 2}}}", "without filter"},
        {"rig.readings={a1: {force: {from: {bend: 1}}}}", "the rig has no sensor 'bend'"},
        {"rig.readings={strain: {from: {lvdt: 1}}}", "'from' is for the quantities of an actuator"},
    };

    check_refused_settings(specimen, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gain_undoes_the_error_of_a_sensor),
        cmocka_unit_test(a_wrong_load_cell_does_not_load_the_actuator),
        cmocka_unit_test(the_first_reading_is_that_of_the_sensors),
        cmocka_unit_test(a_quantity_comes_from_other_sensors_without_their_offset),
        cmocka_unit_test(a_reading_beyond_its_range_trips_or_warns),
        cmocka_unit_test(a_filter_delays_as_its_formula_says),
        cmocka_unit_test(a_filter_forgets_what_is_not_a_number),
        cmocka_unit_test(a_tare_shifts_readings_and_commands_alike),
        cmocka_unit_test(wrong_readings_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
