/* Gaps along a run and the work of the multipliers in them, on the split mass whose values the prototype computes. */
#include "support/check.h"

#include "analyze/analyze.h"
#include "experiment/experiment.h"
#include "state/state.h"

#include <math.h>

/* b = m_A/m_B = k_B/k_A = 10, d(0) = v(0) = 1 */
#define SPLIT                                                                                                          \
    "time: {step: 0.05, end: 10}\nmethod: {coupling: apnr2, gamma: 0.2928932188134525}\nsubstructures:\n"              \
    "  A: {dofs: [x], mass: [0.9090909090909091], stiffness: [0.09090909090909091], rate: coarse,\n"                   \
    "      initial: {displacement: {x: 1}, velocity: {x: 1}}}\n"                                                       \
    "  B: {dofs: [x], mass: [0.09090909090909091], stiffness: [0.9090909090909091], rate: fine,\n"                     \
    "      initial: {displacement: {x: 1}, velocity: {x: 1}}}\n"                                                       \
    "interfaces: [{join: [A.x, B.x]}]\n"

/* tests/prototypes: rosenbrock.gap and rosenbrock.interface_work */
static void gaps_and_their_work_are_those_of_the_prototype(void **state)
{
    struct yk_model *e;
    struct yk_model *model;
    struct yk_drift_sample samples[200];

    assert_ok(yk_model_parse(&e, "split.yaml", SPLIT, strlen(SPLIT), NULL, 0, &err));
    assert_ok(yk_model_create(&model, e, 0, &err));
    assert_ok(yk_drift_history(model, 200, samples, &err));
    assert_near(samples[199].t, 10, 1e-9);
    assert_near_relative(samples[199].interface_work, -2.911934108199095e-4, 1e-9);
    assert_near_relative(samples[199].u, 0.022748941980103243, 1e-9);
    yk_model_close(model);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_and_their_work_are_those_of_the_prototype),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
