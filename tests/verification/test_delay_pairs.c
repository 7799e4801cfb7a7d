/* Every registered delay estimator with every registered compensator, with their default settings, in one hybrid loop:
 * a mass on a spring that is tested, under an earthquake, central differences at 10 ms. Whatever is combined, the run
 * comes to its end, the estimate stays within its bounds, and the error against the untorn structure has a limit:
 * relative to that of the same compensator with a constant delay. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <yoke/transfer.h>

#include <math.h>
#include <stdlib.h>

static const char text[] =
    "title: pairs\n"
    "time: {step: 10 ms, end: 20 s, control_rate: 1000 Hz}\n"
    "method: {integrator: central-difference}\n"
    "substructures:\n"
    "  mass: {dofs: [x], mass: [1 t], damping: [[1256.637]], stiffness: [[0]]}\n"
    "  column: {role: physical, dofs: [x], actuators: {x: jack}, estimate: {stiffness: [[157.91367 kN/m]]}}\n"
    "interfaces: [{join: [mass.x, column.x]}]\n"
    "loads: [{ground: mass, kind: earthquake, peak: 0.4 g}]\n"
    "transfer: {jack: {}}\n"
    "rig: {backend: virtual, actuators: {jack: {plant: {kind: servo, frequency: 15.91549 Hz, damping: 0.8}}},\n"
    "      specimen: {dofs: [x], mass: [[0]], stiffness: [[157.91367 kN/m]]}}\n"
    "reference: monolithic\n";

#define SWINGING "rig.actuators.jack.plant={kind: delay, delay: 14 ms, swing: 4 ms, frequency: 0.1 Hz}"
#define NOISY    "rig.actuators.jack.sensors={displacement_noise: 0.05 mm}"
#define CALM     "rig.actuators.jack.sensors={}"

/* NRMS of the displacement against the untorn structure. */
static double error_of(const char *estimator, const char *compensator, double delay, const char *const *rig)
{
    const struct yk_run_settings settings = yk_run_defaults();
    char chain[200];
    const char *set[] = {chain, rig[0], rig[1]};
    struct recorded r;

    snprintf(chain, sizeof chain, "transfer.jack={compensator: {kind: %s, delay: %g}, estimator: {kind: %s}}",
             compensator, delay, estimator);
    struct yk_model *e = recorded_parse(text, set, rig[1] ? 3 : rig[0] ? 2 : 1);
    recorded_run(&r, e, &settings, NULL);
    if (r.status || r.result.status || !r.result.has_reference)
        print_error("%s with %s: %s%s\n", estimator, compensator, yk_err_line(&r.err).text, r.result.reason);
    assert_int_equal(r.status, YK_OK);
    assert_int_equal(r.result.status, YK_OK);
    assert_true(r.result.has_reference);
    const double estimated = r.result.tracked[0].compensated.estimated_s, error = r.result.error_u;
    if (strcmp(estimator, "fixed") != 0 && strcmp(estimator, "none") != 0)
        assert_true(estimated >= 0 && estimated <= 0.1);
    recorded_free(&r);
    yk_model_close(e);
    return error;
}

/* `share` of the error with the delay `constant` that must not be passed, by every estimator from `nominal` on. */
static void try_all(double nominal, double constant, const char *const *rig, double (*share)(const char *estimator))
{
    int pairs = 0;

    for (const struct yk_compensator_ops *const *c = yk_compensators; *c; c++) {
        if (strcmp((*c)->name, "none") == 0 || (*c)->joint)
            continue; /* leads by nothing, whatever is estimated: the loop is unstable */
        const double known = error_of("fixed", (*c)->name, constant, rig);

        for (const struct yk_estimator_ops *const *e = yk_estimators; *e; e++, pairs++) {
            if (strcmp((*e)->name, "fixed") == 0)
                continue;
            const double error = error_of((*e)->name, (*c)->name, nominal, rig);

            if (!(error <= share((*e)->name) * known))
                print_error("%s with %s: error %.4f, with a constant delay %.4f\n", (*e)->name, (*c)->name, error,
                            known);
            assert_true(error <= share((*e)->name) * known);
        }
    }
    assert_true(pairs >= 8 * 8);
}

/* Half of the delay is known; the other half is for the estimator to find. Against the right constant delay. Slow by
 * nature is ahmadizadeh, with the gain that was published: it is still on its way when the earthquake is strong. */
static double twice(const char *estimator)
{
    return strcmp(estimator, "ahmadizadeh") == 0 ? 5 : 2;
}

static void every_pair_finds_a_delay_that_was_not_known(void **state)
{
    static const char *const rig[2] = {0};

    try_all(8e-3, 15.7e-3, rig, twice);
}

static void every_pair_finds_a_delay_from_nothing(void **state)
{
    static const char *const rig[2] = {0};
    const double known = error_of("fixed", "lagrange", 15.7e-3, rig);

    for (const struct yk_estimator_ops *const *e = yk_estimators; *e; e++)
        if (strcmp((*e)->name, "fixed") != 0)
            assert_true(error_of((*e)->name, "lagrange", 0, rig) <= 2 * twice((*e)->name) * known);
}

/* A delay that swings between 10 and 18 ms: none does worse than its mean, held; ahmadizadeh is too slow to gain. */
static double no_worse(const char *estimator)
{
    return strcmp(estimator, "ahmadizadeh") == 0 ? 1.2 : 1.0 + 1e-3;
}

static void every_pair_follows_a_delay_that_varies(void **state)
{
    static const char *const calm[2] = {SWINGING, CALM}, *const noisy[2] = {SWINGING, NOISY};

    try_all(14e-3, 14e-3, calm, no_worse);
    try_all(14e-3, 14e-3, noisy, no_worse);
}

/* And with a compensator that depends on the estimate alone, most of the error goes. */
static void estimators_gain_by_following(void **state)
{
    static const char *const calm[2] = {SWINGING, CALM};
    const double held = error_of("fixed", "lagrange", 14e-3, calm);

    for (const struct yk_estimator_ops *const *e = yk_estimators; *e; e++)
        if (strcmp((*e)->name, "fixed") != 0 && strcmp((*e)->name, "ahmadizadeh") != 0)
            assert_true(error_of((*e)->name, "lagrange", 14e-3, calm) < held / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_finds_a_delay_that_was_not_known),
        cmocka_unit_test(every_pair_finds_a_delay_from_nothing),
        cmocka_unit_test(every_pair_follows_a_delay_that_varies),
        cmocka_unit_test(estimators_gain_by_following),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
