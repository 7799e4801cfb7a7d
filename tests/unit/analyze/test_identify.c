/* Identification of actuators and frequency responses of their loops. */
#include "support/actuator.h"
#include "support/check.h"

#include "experiment/experiment.h"
#include "rig/virtual/rig.h"
#include <yoke/identification.h>

#include <complex.h>
#include <stdlib.h>

#define TICK    (1.0 / 1024)
#define EXAMPLE YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SEEDS = 2 };
#else
enum { SEEDS = 8 };
#endif

/* The actuator of the TT1 rig, as identified there: gain, T1, T2, dead time. */
static const struct yk_lags tt1 = {0.9868, 0.05397, 0.005014, 0.009331, 0};

static struct yk_arena mem; /* of the rigs; freed at the end */

static int free_rigs(void **state)
{
    yk_arena_free(&mem);
    return 0;
}

/* A virtual rig of one actuator, without specimen. */
static void open_rig(struct yk_virtual_rig *rig, const struct part *plant, double noise, int seed)
{
    static const char *const names[] = {"a1"};
    static const double x0[] = {0};
    const struct yk_rig_plan plan = {.count = 1, .names = names, .tick = TICK, .x0 = x0, .mem = &mem};
    struct yk_virtual_actuator *a = yk_arena_take(&mem, sizeof *a);

    assert_non_null(a);
    *a = (struct yk_virtual_actuator){.plant = yk_plant_find(plant->name),
                                      .displacement = {.gain = 1, .noise = noise, .seed = seed},
                                      .force = {.gain = 1},
                                      .acceleration = {.gain = 1}};
    assert_non_null(a->plant);
    a->plant_self = part_settings(a->plant->params, a->plant->size, plant);
    *rig = (struct yk_virtual_rig){.actuators = a, .count = 1};
    assert_ok(yk_rig_virtual.open(rig, &plan, &err));
}

static enum yk_status sweep_rig(struct yk_virtual_rig *rig, const struct yk_sweep *sweep,
                                struct yk_sweep_record *record, struct yk_err *why)
{
    const struct yk_swept swept = {.rig = &yk_rig_virtual, .self = rig, .count = 1};

    return yk_sweep_run(record, &swept, TICK, sweep, why);
}

static struct yk_identified identify(const struct yk_rig_ops *rig, void *self, int order)
{
    const struct yk_swept swept = {.rig = rig, .self = self, .count = 1};
    const struct yk_sweep sweep = yk_sweep_defaults();
    struct yk_sweep_record record;
    struct yk_identified found;

    assert_ok(yk_sweep_run(&record, &swept, TICK, &sweep, &err));
    assert_ok(yk_identify(&record, order, &found, &err));
    yk_sweep_free(&record);
    return found;
}

static void assert_lags(const struct yk_lags *m, const struct yk_lags *wanted, double tolerance)
{
    assert_near_relative(m->gain, wanted->gain, tolerance);
    assert_near_relative(m->T1, wanted->T1, tolerance);
    assert_near_relative(m->T2, wanted->T2, tolerance);
    assert_near_relative(m->dead_time, wanted->dead_time, tolerance);
}

/* ---- identification ---- */

static void a_plant_without_noise_is_found_exactly(void **state)
{
    const struct part plant = {"tt1", {{NULL, 0}}};
    struct yk_identified found;
    struct yk_virtual_rig rig;

    open_rig(&rig, &plant, 0, 1);
    found = identify(&yk_rig_virtual, &rig, 2);
    assert_lags(&found.model, &tt1, 1e-6);
    assert_true(found.fit_percent > 99.999);
    yk_rig_virtual.close(&rig);
}

/* Noise of 1 % of the amplitude. What is left is the noise; errors stay within 2 %, and within five of the standard
 * deviations that are reported. */
static void tt1_is_recovered_under_noise(void **state)
{
    const struct part plant = {"tt1", {{NULL, 0}}};

    for (int seed = 1; seed <= SEEDS; seed++) {
        struct yk_identified found;
        struct yk_virtual_rig rig;

        open_rig(&rig, &plant, 1e-4, seed);
        found = identify(&yk_rig_virtual, &rig, 2);
        assert_lags(&found.model, &tt1, 0.02);
        assert_near_relative(found.residual_m, 1e-4, 0.02);
        assert_near(found.model.gain, tt1.gain, 5 * found.deviation.gain);
        assert_near(found.model.T1, tt1.T1, 5 * found.deviation.T1);
        assert_near(found.model.T2, tt1.T2, 5 * found.deviation.T2);
        assert_near(found.model.dead_time, tt1.dead_time, 5 * found.deviation.dead_time);
        assert_true(found.deviation.T2 < 0.005 * tt1.T2);
        yk_rig_virtual.close(&rig);
    }
}

static void one_lag_is_found_with_order_one(void **state)
{
    const struct part plant = {"first-order", {{"gain", 1.1}, {"time_constant", 0.03}, {"dead_time", 0.0123}}};
    struct yk_identified found;
    struct yk_virtual_rig rig;

    open_rig(&rig, &plant, 0, 1);
    found = identify(&yk_rig_virtual, &rig, 1);
    assert_near_relative(found.model.gain, 1.1, 1e-6);
    assert_near_relative(found.model.T1, 0.03, 1e-6);
    assert_near(found.model.T2, 0, 0);
    assert_near_relative(found.model.dead_time, 0.0123, 1e-6);
    yk_rig_virtual.close(&rig);
}

/* Without dead time, with nearly equal lags, with a dead time longer than both, with lags far apart. */
static void other_plants_are_found_as_well(void **state)
{
    static const struct yk_lags plants[] = {{1.638, 0.007567, 0.001326, 0, 0},
                                            {0.6389, 0.02108, 0.006687, 0.03862, 0},
                                            {0.9116, 0.01516, 0.001834, 0.003, 0},
                                            {2, 0.02, 0.019, 0.005, 0},
                                            {0.5, 0.01, 0.002, 0.1, 0},
                                            {1, 0.5, 0.005, 0.002, 0}};

    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        const struct yk_lags *m = &plants[i];
        const struct part plant = {"second-order",
                                   {{"gain", m->gain}, {"T1", m->T1}, {"T2", m->T2}, {"dead_time", m->dead_time}}};
        struct yk_identified found;
        struct yk_virtual_rig rig;

        open_rig(&rig, &plant, 0, 1);
        found = identify(&yk_rig_virtual, &rig, 2);
        assert_near_relative(found.model.gain, m->gain, 1e-4);
        assert_near_relative(found.model.T1 + found.model.T2, m->T1 + m->T2, 1e-3);
        assert_near(found.model.dead_time, m->dead_time, 1e-3 * TICK);
        assert_true(found.fit_percent > 99.99);
        yk_rig_virtual.close(&rig);
    }
}

/* Poles that two lags cannot have. */
static void a_servo_with_complex_poles_is_found(void **state)
{
    static const struct {
        double frequency, damping, gain, dead_time;
    } servos[] = {{20, 0.75, 1, 0}, {12, 0.4, 0.95, 0.004}, {8, 0.9, 1.1, 0.0123}};

    for (size_t i = 0; i < sizeof servos / sizeof *servos; i++) {
        const struct part plant = {"servo",
                                   {{"frequency", servos[i].frequency},
                                    {"damping", servos[i].damping},
                                    {"gain", servos[i].gain},
                                    {"dead_time", servos[i].dead_time}}};
        struct yk_identified found;
        struct yk_virtual_rig rig;

        open_rig(&rig, &plant, 0, 1);
        found = identify(&yk_rig_virtual, &rig, YK_MODEL_SERVO);
        assert_near_relative(1 / (2 * M_PI * found.model.T1), servos[i].frequency, 1e-4);
        assert_near_relative(found.model.damping, servos[i].damping, 1e-4);
        assert_near_relative(found.model.gain, servos[i].gain, 1e-4);
        assert_near(found.model.dead_time, servos[i].dead_time, 1e-3 * TICK);
        assert_true(found.fit_percent > 99.99);
        yk_rig_virtual.close(&rig);
    }
}

static void an_offset_of_the_sensor_is_told_apart(void **state)
{
    const struct part plant = {"tt1", {{NULL, 0}}};
    struct yk_identified found;
    struct yk_virtual_rig rig;

    open_rig(&rig, &plant, 0, 1);
    rig.actuators->displacement.bias = 0.003;
    found = identify(&yk_rig_virtual, &rig, 2);
    assert_lags(&found.model, &tt1, 1e-5);
    assert_near_relative(found.offset_m, 0.003, 1e-5);
    yk_rig_virtual.close(&rig);
}

/* A spring k holds the motor back: in equilibrium (J/Tw) Ki (K u - x)/R = k x R, with the lead R per radian. */
static void a_specimen_lowers_the_static_gain(void **state)
{
    const double k = 35530, R = 0.010 / 6.283185307179586, droop = k * R * R * 0.004588 / (0.403e-3 * 16.954);
    const struct part plant = {"tt1", {{"model", 1}}};
    struct yk_model *e;
    struct yk_identified free_found, found;
    void *mounted;
    struct yk_virtual_rig rig;

    static const char *const set[] = {"rig.actuators.a1.plant={kind: tt1, model: loops}"};

    assert_ok(yk_model_load(&e, EXAMPLE, set, 1, &err));
    open_rig(&rig, &plant, 0, 1);
    free_found = identify(&yk_rig_virtual, &rig, 2);
    assert_near_relative(free_found.model.gain, 0.9868, 1e-3);
    const struct yk_rig_ops *ops = yk_station_rig(e->station, &mounted);
    found = identify(ops, mounted, 2);
    assert_near_relative(found.model.gain, 0.9868 / (1 + droop), 5e-3);
    yk_rig_virtual.close(&rig);
    yk_model_close(e);
}

static void the_measured_response_is_that_of_the_plant(void **state)
{
    static const double f[] = {0.2, 1, 5, 12, 20};
    const struct part plant = {"tt1", {{NULL, 0}}};
    const struct yk_sweep sweep = yk_sweep_defaults();
    struct yk_response measured[5], model[5];
    struct yk_sweep_record record;
    struct yk_virtual_rig rig;

    open_rig(&rig, &plant, 0, 1);
    assert_ok(sweep_rig(&rig, &sweep, &record, &err));
    yk_sweep_response(&record, 5, f, measured);
    yk_lags_response(&tt1, 5, f, model);
    for (int i = 0; i < 5; i++) {
        const double complex s = I * 6.283185307179586 * f[i];
        const double complex G = 0.9868 * cexp(-0.009331 * s) / ((0.05397 * s + 1) * (0.005014 * s + 1));

        assert_near_relative(model[i].magnitude, cabs(G), 1e-12);
        assert_near(remainder(model[i].phase_rad - carg(G), 6.283185307179586), 0, 1e-12);
        assert_near_relative(measured[i].magnitude, cabs(G), 1e-3);
        assert_near(measured[i].phase_rad, model[i].phase_rad, 1e-3);
    }
    assert_true(model[4].phase_rad < -3.1415); /* continued beyond half a turn */
    yk_sweep_free(&record);
    yk_rig_virtual.close(&rig);
}

/* Gains of the rule by an independent computation. With a filter of 6 ms the sampled loop is late by 21.82 ms; commands
 * of a run come one tick early. */
static void proposals_follow_from_the_model(void **state)
{
    struct yk_proposal p;

    assert_ok(yk_propose(&tt1, TICK, &p, &err));
    assert_near_relative(p.pid.K, 3.31965, 1e-5);
    assert_near_relative(p.pid.Ti, 0.058984, 1e-5);
    assert_near_relative(p.pid.Td, 0.0063044, 1e-4);
    assert_near_relative(p.pi.K, 1.93647, 1e-5);
    assert_near_relative(p.pi.Ti, 0.0707808, 1e-5);
    assert_near_relative(p.imc_filter_s, tt1.dead_time * 2 / 3, 1e-12);
    assert_near(p.imc_delay_s - 2 * (p.imc_filter_s - 0.006), 0.02182 - TICK, 0.05e-3);
}

static void bad_sweeps_are_refused(void **state)
{
    const struct part plant = {"tt1", {{NULL, 0}}};
    static const struct {
        struct yk_sweep sweep;
        const char *words;
    } bad[] = {{{5, 1, 0.01, 60}, "it must rise"}, {{0.1, 512, 0.01, 60}, "half the control rate"},
               {{0.1, 20, 0, 60}, "amplitude"},    {{0.1, 20, NAN, 60}, "amplitude"},
               {{0.1, 20, 0.01, 0.1}, "duration"}, {{0.1, 20, 0.01, INFINITY}, "duration"}};
    struct yk_sweep_record record;
    struct yk_identified found;
    struct yk_virtual_rig rig;

    open_rig(&rig, &plant, 0, 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(sweep_rig(&rig, &bad[i].sweep, &record, &err), YK_E_RANGE, bad[i].words);
    const struct yk_sweep sweep = {0.1, 20, 0.01, 5};
    assert_ok(sweep_rig(&rig, &sweep, &record, &err));
    assert_refused(yk_identify(&record, 4, &found, &err), YK_E_RANGE, "model 4");
    for (size_t k = 0; k < record.n; k++)
        record.measured[k] = -record.measured[k];
    assert_refused(yk_identify(&record, 2, &found, &err), YK_E_INPUT, "in the same direction?");
    for (size_t k = 0; k < record.n; k++)
        record.command[k] = 0.01;
    assert_refused(yk_identify(&record, 2, &found, &err), YK_E_INPUT, "not a sweep");
    yk_sweep_free(&record);
    yk_rig_virtual.close(&rig);
}

/* ---- frequency response of a loop ---- */

static struct yk_response response_with(const char *compensator, const char *controller, double f)
{
    const char *const set[] = {"time.control_rate=1024", "time.step=0.009765625", compensator, controller};
    struct yk_response response = {0};
    struct yk_model *e;

    assert_ok(yk_model_load(&e, EXAMPLE, set, 4, &err));
    assert_ok(yk_frequency_response(e->station, 0, 0.010, 1, &f, &response, &err));
    yk_model_close(e);
    return response;
}

/* Delays at 1 Hz of loops where r_k and y_k are read in the same instant, by an independent program. In a run the
 * command of the end of a tick is sent at its beginning: one tick less. The straight lines between targets take nothing
 * off, since a line is begun when its target is known and ended when it is due. */
static void sampled_loops_are_late_by_the_known_delays(void **state)
{
    static const struct {
        const char *controller;
        double delay;
    } cases[] = {{"transfer.a1.controller={kind: imc, filter: 6 ms}", 21.82e-3},
                 {"transfer.a1.controller={kind: imc, filter: 5 ms}", 19.82e-3},
                 {"transfer.a1.controller={kind: pid, N: 0}", 18.10e-3},
                 {"transfer.a1.controller={kind: pi}", 35.24e-3}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct yk_response r = response_with("transfer.a1.compensator={kind: none}", cases[i].controller, 1);

        assert_near(r.delay_s + TICK, cases[i].delay, 0.05e-3);
    }
}

/* y/r = M+ F for the right model: magnitude 1/(1 + (w T)^2), less sinc^2 of the straight lines of five ticks. */
static void imc_has_the_magnitude_of_its_filter(void **state)
{
    const double f = 5, w = 6.283185307179586 * f, z = 0.5 * w * 5 * TICK;
    const struct yk_response r =
        response_with("transfer.a1.compensator={kind: none}", "transfer.a1.controller={kind: imc, filter: 6 ms}", f);

    assert_near(r.magnitude, pow(sin(z) / z, 2) / (1 + w * w * 0.006 * 0.006), 1e-3);
}

/* The delay that is proposed, compensated, leaves nothing at low frequency. */
static void the_proposed_delay_is_what_a_compensator_needs(void **state)
{
    struct yk_proposal p;
    char compensator[120], controller[120];

    assert_ok(yk_propose(&tt1, TICK, &p, &err));
    snprintf(compensator, sizeof compensator, "transfer.a1.compensator={kind: velocity, order: 2, delay: %.9g}",
             p.imc_delay_s);
    snprintf(controller, sizeof controller, "transfer.a1.controller={kind: imc, filter: %.9g}", p.imc_filter_s);
    assert_near(response_with(compensator, controller, 0.2).delay_s, 0, 0.02e-3);
}

static void bad_responses_are_refused(void **state)
{
    struct yk_response r;
    struct yk_model *e;
    const double low = 0, high = 100, good = 1;

    assert_ok(yk_model_load(&e, EXAMPLE, NULL, 0, &err));
    assert_refused(yk_frequency_response(NULL, 0, 0.01, 1, &good, &r, &err), YK_E_INPUT, "no such actuator");
    assert_refused(yk_frequency_response(e->station, 1, 0.01, 1, &good, &r, &err), YK_E_INPUT, "no such actuator");
    assert_refused(yk_frequency_response(e->station, 0, 0.01, 1, &low, &r, &err), YK_E_RANGE, "0 Hz is outside");
    assert_refused(yk_frequency_response(e->station, 0, 0.01, 1, &high, &r, &err), YK_E_RANGE, "100 Hz is outside");
    assert_refused(yk_frequency_response(e->station, 0, 0, 1, &good, &r, &err), YK_E_RANGE, "amplitude");
    assert_refused(yk_frequency_response(e->station, 0, 0.3, 1, &good, &r, &err), YK_E_RANGE, "passed its limit");
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plant_without_noise_is_found_exactly),
        cmocka_unit_test(tt1_is_recovered_under_noise),
        cmocka_unit_test(one_lag_is_found_with_order_one),
        cmocka_unit_test(other_plants_are_found_as_well),
        cmocka_unit_test(a_servo_with_complex_poles_is_found),
        cmocka_unit_test(an_offset_of_the_sensor_is_told_apart),
        cmocka_unit_test(a_specimen_lowers_the_static_gain),
        cmocka_unit_test(the_measured_response_is_that_of_the_plant),
        cmocka_unit_test(proposals_follow_from_the_model),
        cmocka_unit_test(bad_sweeps_are_refused),
        cmocka_unit_test(sampled_loops_are_late_by_the_known_delays),
        cmocka_unit_test(imc_has_the_magnitude_of_its_filter),
        cmocka_unit_test(the_proposed_delay_is_what_a_compensator_needs),
        cmocka_unit_test(bad_responses_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, free_rigs);
}
