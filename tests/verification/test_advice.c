/* Which compensator suits an actuator: rehearsals agree with what is known of the plants. */
#include "analyze/advise.h"
#include "support/check.h"
#include "support/recorded.h"

#include <math.h>
#include <stdlib.h>

static const char text[] =
    "time: {step: 5 ms, end: 10 s, control_rate: 2 kHz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [2000], damping: [2500], stiffness: [500 kN/m]}\n"
    "  brace: {role: physical, dofs: [x], actuators: {x: jack}, estimate: {stiffness: [200 kN/m]}}\n"
    "interfaces: [{join: [frame.x, brace.x]}]\n"
    "loads: [{ground: frame, kind: earthquake, peak: 0.2 g}]\n"
    "transfer: {jack: {compensator: {kind: lagrange, order: 1, delay: 8 ms}}}\n"
    "rig: {backend: virtual, actuators: {jack: {plant: {kind: servo, frequency: 15 Hz, damping: 0.9, dead_time: 2 "
    "ms}}},\n"
    "      specimen: {dofs: [x], mass: [0], stiffness: [200 kN/m]}}\n";

static struct yk_advice advise(const char *const *set, size_t count)
{
    struct yk_model *model = recorded_parse(text, set, count);
    struct yk_advice advice;

    assert_ok(yk_model_complete(model, &err));
    assert_ok(yk_compare_compensators(model, 0, 3, 10, &advice, &err));
    yk_model_close(model);
    return advice;
}

/* 1/H of the servo is (1 + 2 xi s/w + s^2/w^2) e^(dead s): its expansion about 0, seen at ticks of half a millisecond.
 */
static void inverse_of_a_servo_is_found(void **state)
{
    const double w = 2 * M_PI * 15, xi = 0.9, late = 2e-3 + 2 * xi / w;
    const struct yk_advice a = advise(NULL, 0);

    assert_near(a.gain, 1 / hypot(1 - 0.04, 2 * xi * 0.2), 2e-3); /* at 3 Hz */
    assert_near(a.delay_s, late, 1.5e-3); /* the hold of a tick, and what is left of 1/H at 3 Hz */
    assert_near_relative(a.inverse[0], 1, 0.01);
    assert_near(a.inverse[1], late, 1.5e-3);
    assert_near_relative(a.inverse[2], 1 / (w * w) + 2 * xi / w * 2e-3, 0.25);
}

static void a_good_compensator_is_recommended_and_a_poor_one_is_not(void **state)
{
    const struct yk_advice a = advise(NULL, 0);

    assert_true(a.best > 0 && a.best < a.count);
    assert_true(a.candidates[0].own && a.candidates[0].finished);
    assert_true(a.candidates[a.best].nrms < 0.2 * a.candidates[0].nrms);
    assert_true(a.candidates[a.best].nrms < 0.01);
}

/* The recommended section, pasted into the file, is not beaten by much. */
static void what_is_recommended_can_be_pasted(void **state)
{
    const struct yk_advice a = advise(NULL, 0);
    char set[400];

    snprintf(set, sizeof set, "transfer.jack.compensator=%s", a.candidates[a.best].section);
    const struct yk_advice again = advise((const char *const[]){set}, 1);
    assert_near_relative(again.candidates[0].nrms, a.candidates[a.best].nrms, 1e-6);
    assert_int_equal(again.best, 0); /* "as in the file" */
}

/* Predictors that look a hundred steps ahead get targets further apart, and noise is part of the rehearsal. */
static void short_steps_and_noise_are_taken_into_account(void **state)
{
    const char *const set[] = {"time={step: 0.25 ms, end: 6 s, control_rate: 4 kHz}", "method.integrator=chang",
                               "rig.actuators.jack.sensors={displacement_noise: 0.02 mm}"};
    const struct yk_advice a = advise(set, 3);

    assert_non_null(strstr(a.candidates[1].section, "apart"));
    assert_true(a.best < a.count);
    assert_true(a.candidates[a.best].nrms < 0.05);
}

/* A play-out is added by the station: what is recommended is what suits the actuator without it. */
static void a_play_out_is_not_compensated_twice(void **state)
{
    const struct yk_advice near = advise(NULL, 0), far = advise((const char *const[]){"rig.playout=6 ms"}, 1);

    assert_near(far.delay_s, near.delay_s, 1e-6);
    assert_near(far.inverse[1], near.inverse[1], 1e-6);
    assert_true(far.best < far.count && far.candidates[far.best].nrms < 0.02);
}

/* The actuator is looked at without a compensator, which optimal feedback needs. */
static void optimal_feedback_can_be_advised(void **state)
{
    const struct yk_advice a =
        advise((const char *const[]){"transfer.jack.feedback={kind: optimal, bound: 40 ms, window: 80 ms}"}, 1);

    assert_true(a.best < a.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_of_a_servo_is_found),
        cmocka_unit_test(a_good_compensator_is_recommended_and_a_poor_one_is_not),
        cmocka_unit_test(what_is_recommended_can_be_pasted),
        cmocka_unit_test(short_steps_and_noise_are_taken_into_account),
        cmocka_unit_test(a_play_out_is_not_compensated_twice),
        cmocka_unit_test(optimal_feedback_can_be_advised),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
