/* Readings that come late by a filter or by the play-out of a site, beside compensators and estimators that learn from
 * them. Expected: the actuator arrives when the force that the method gets belongs to its target. A play-out delays
 * force and displacement alike, so the readings follow the target without delay; so do both readings behind one filter.
 * A filter of the force alone makes the actuator early by the delay of the filter, sqrt(2)/(2 pi f) + h/2. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <math.h>

/* The plant is 12 ms late: the lag of the servo, 2 xi/w, at 2 Hz. */
static const char text[] =
    "time: {step: 5 ms, end: 8 s, control_rate: 2 kHz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [2000], damping: [12000], stiffness: [500 kN/m]}\n"
    "  brace: {role: physical, dofs: [x], actuators: {x: jack}, estimate: {stiffness: [100 kN/m]}}\n"
    "interfaces: [{join: [frame.x, brace.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 5 kN, frequency: 2 Hz}]\n"
    "transfer: {jack: {compensator: {kind: lagrange, delay: 12 ms}}}\n"
    "rig: {backend: virtual, actuators: {jack: {plant: {kind: servo, frequency: 20 Hz, damping: 0.75}}},\n"
    "      specimen: {dofs: [x], mass: [0], stiffness: [100 kN/m]}}\n";

#define FORCE_FILTER  "rig.actuators.jack.sensors={filter: 60 Hz}"
#define BOTH_FILTERED "rig.actuators.jack.sensors={filter: 60 Hz, filter_on: both}"
#define OF_60_HZ      (M_SQRT2 / (2 * M_PI * 60) + 0.25e-3)

/* The delay of the readings behind the target; `delay` is the last one of the actuator itself. */
static double residual(const char *chain, const char *late, double *delay)
{
    const char *const set[] = {chain, late};
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e = recorded_parse(text, set, 2);
    struct yk_run_control control = {0};
    struct recorded r;

    recorded_run(&r, e, &settings, &control);
    assert_int_equal(r.status, YK_OK);
    const double residual = r.result.tracked[0].indices.delay_s;

    *delay = recorded_last(&r, e, "jack.delay");
    recorded_free(&r);
    yk_model_close(e);
    return residual;
}

static void check_chain(const char *chain, double actuator)
{
    static const struct {
        const char *late;
        double residual;
    } cases[] = {{"rig.playout=0 ms", 0}, {"rig.playout=8 ms", 0}, {FORCE_FILTER, -OF_60_HZ}, {BOTH_FILTERED, 0}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double delay;
        const double found = residual(chain, cases[k].late, &delay);

        if (fabs(found - cases[k].residual) > 0.5e-3 || fabs(delay - actuator) > 0.6e-3)
            print_error("%s, %s: %g ms, actuator %g ms\n", chain, cases[k].late, 1e3 * found, 1e3 * delay);
        assert_near(found, cases[k].residual, 0.5e-3);
        assert_near(delay, actuator, 0.6e-3);
    }
}

static void compensators_that_learn_do_not_count_late_readings_twice_nor_forget_the_force(void **state)
{
    check_chain("transfer.jack.compensator={kind: lagrange, delay: 12 ms}", 12e-3);
    check_chain("transfer.jack.compensator={kind: ats, delay: 12 ms}", 12e-3);
    check_chain("transfer.jack.compensator={kind: amb, delay: 12 ms}", 12e-3);
    check_chain("transfer.jack.compensator={kind: cats, delay: 12 ms}", 12e-3);
    check_chain("transfer.jack.compensator={kind: feed-forward, delay: 12 ms, adapt: rls}", 12e-3);
    check_chain("transfer.jack.compensator={kind: feed-forward, coefficients: [1, 0.01194, 6.33e-5], adapt: rls}", 0);
}

static void estimated_delays_are_those_of_the_actuator(void **state)
{
    static const char *const kinds[] = {"fixed", "rls", "newton-command", "newton-desired", "ahmadizadeh",
                                        "darby", "pade"};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char chain[160];

        snprintf(chain, sizeof chain,
                 "transfer.jack={compensator: {kind: lagrange, delay: 12 ms}, estimator: {kind: %s}}", kinds[k]);
        check_chain(chain, 12e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compensators_that_learn_do_not_count_late_readings_twice_nor_forget_the_force),
        cmocka_unit_test(estimated_delays_are_those_of_the_actuator),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
