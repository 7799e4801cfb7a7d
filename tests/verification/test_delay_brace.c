/* A surrogate of the published tests of a buckling-restrained brace on a 2500 kN actuator (Wang 2012, section 4.6):
 * same structure, step, compensator and estimators, with a bilinear spring for the brace, a servo of second order for
 * the actuator and a synthetic earthquake for the record. Hardware and record are not to be had, so what is asserted
 * are the facts that follow from the data, and the outcomes, not the histories. */
#include "support/check.h"
#include "support/transfer.h"

#include "state/state.h"
#include "transfer/physical.h"
#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>

#define PI  3.14159265358979323846
#define MS  1e-3
#define DT  4.902e-3
#define K_N 72e6
#define K_E 144e6 /* assumed; 148.07e6 were found */

enum { STEPS = 4080, LATER = 1020 }; /* 20 s; from 5 s on */

/* The servo is 18 ms late. 2.7 mm at first yield give the 400 kN that were seen. */
static const char brace[] =
    "time: {step: 4.902 ms, end: 20.00016 s, control_rate: 1019.9918400652795 Hz}\n"
    "method: {integrator: central-difference}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [5471343.917], stiffness: [72e6]}\n"
    "  brace: {role: physical, dofs: [x], actuators: {x: jack}, estimate: {stiffness: [144e6]}}\n"
    "interfaces: [{join: [frame.x, brace.x]}]\n"
    "loads: [{ground: frame, kind: earthquake, peak: 0.016}]\n"
    "transfer: {jack: {compensator: {kind: lagrange, order: 3, spacing: double}, estimator: {kind: rls, rho: 0.98}}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {jack: {plant: {kind: servo, frequency: 15.915494 Hz, damping: 0.925}}}\n"
    "  specimen:\n"
    "    kind: assembled\n"
    "    nodes: {m: {mass: 0}}\n"
    "    elements: [{kind: bilinear, stiffness: 148.07e6, yield_slip: 2.7 mm, hardening: 0.02, between: [ground, "
    "m.x]}]\n";

#define STRONG "loads.0.peak=0.12"
#define IDEAL  "rig.actuators.jack.plant={kind: ideal}"
#define BARE   "transfer.jack={}"

struct outcome {
    double peak, force;            /* m, N */
    double jump;                   /* largest change of the delay in a step after 5 s, ms */
    double u[STEPS], delay[STEPS]; /* m, ms */
    double command[STEPS], measured[STEPS];
};

static struct yk_model *parse(const char *const *set, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_parse(&e, "brace.yaml", brace, strlen(brace), set, count, &err));
    return e;
}

static void run(struct outcome *out, const char *const *set, size_t count)
{
    struct yk_model *e = parse(set, count);
    struct yk_state m;
    double v, a;

    *out = (struct outcome){0};
    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    for (int i = 0; i < STEPS; i++) {
        assert_int_equal(yk_state_step(&m), YK_OK);
        const struct yk_actuator_state now = yk_station_state(m.station, 0);
        yk_state_now(&m, 0, &out->u[i], &v, &a);
        out->delay[i] = now.delay / MS;
        out->command[i] = now.command;
        out->measured[i] = now.displacement;
        out->peak = fmax(out->peak, fabs(out->u[i]));
        out->force = fmax(out->force, fabs(now.force));
        if (i > LATER)
            out->jump = fmax(out->jump, fabs(out->delay[i] - out->delay[i - 1]));
    }
    yk_state_close(&m);
    yk_model_close(e);
}
#define RUN(out, ...)                                                                                                  \
    run(out, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* rms of the difference over rms of the reference */
static double error_of(const struct outcome *x, const struct outcome *reference)
{
    double difference = 0, size = 0;

    for (int i = 0; i < STEPS; i++) {
        difference += (x->u[i] - reference->u[i]) * (x->u[i] - reference->u[i]);
        size += reference->u[i] * reference->u[i];
    }
    return sqrt(difference / size);
}

static double mean_delay(const struct outcome *x)
{
    double sum = 0;

    for (int i = LATER; i < STEPS; i++)
        sum += x->delay[i] / (STEPS - LATER);
    return sum;
}

/* Largest difference of two delays after 5 s, ms */
static double apart(const double *a, const double *b)
{
    double most = 0;

    for (int i = LATER; i < STEPS; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* When the delay first comes to 17 ms, s */
static double rise(const struct outcome *x)
{
    for (int i = 0; i < STEPS; i++)
        if (x->delay[i] > 17)
            return i * DT;
    return INFINITY;
}

/* The mass makes it 2 pi rad/s; 16 m/s2 would press the structure 0.4 m aside, so mm/s2 are meant. */
static void the_data_of_the_brace_test(void **state)
{
    const char *const set[] = {"rig.specimen.elements.0.stiffness=144e6"};
    struct yk_model *e = parse(set, 1), *models = NULL;
    double w2;

    assert_ok(yk_model_with_players(e, YK_PLAYED_BY_MODELS, &models, &err));
    const struct yk_system *s = models->assembly->system;
    assert_int_equal(s->n, 1);
    assert_near(s->M.x[0], 5.4713e6, 50);
    assert_near(s->M.x[0], (K_N + K_E) / (4 * PI * PI), 1);
    assert_ok(yk_eigen_symmetric(&s->K, &s->M, 1, &w2, NULL, &err));
    assert_near(sqrt(w2), 2 * PI, 1e-5);
    assert_near(16 * s->M.x[0] / (K_N + K_E), 0.4, 0.01);
    assert_near(18 * MS / DT, 3.67, 0.005); /* 3 are printed */
    yk_model_close(models);
    yk_model_close(e);
}

/* Linear brace, no damping: without compensation the motion grows; recursive least squares find 18 ms within two
 * seconds, whatever the memory, and the displacement is that of the structure without actuator. */
static void least_squares_keep_the_linear_test_stable(void **state)
{
    static struct outcome reference, none, short_memory, long_memory;

    RUN(&reference, IDEAL, BARE);
    RUN(&none, BARE);
    assert_true(none.peak > 3 * reference.peak);
    run(&short_memory, NULL, 0);
    RUN(&long_memory, "transfer.jack.estimator.rho=0.99");
    assert_near(mean_delay(&short_memory), 18, 0.2);
    assert_near(mean_delay(&long_memory), 18, 0.2);
    assert_true(apart(short_memory.delay, long_memory.delay) < 0.5);
    assert_true(rise(&short_memory) < 2 && rise(&long_memory) < 2);
    assert_true(error_of(&short_memory, &reference) < 0.08 && error_of(&long_memory, &reference) < 0.08);
    assert_near_relative(short_memory.peak, reference.peak, 0.02);
}

/* The published gains, with 1 um of noise in the measured displacement, four times: G = 0.0005 stays below the delay
 * and the motion is too large; G = 0.001 jumps, and no test is like the other. Least squares on such signals are alike.
 */
static void ahmadizadeh_is_too_low_or_does_not_repeat(void **state)
{
    static struct outcome reference, slow, quick, squares;
    double low = INFINITY, high = 0, jump = 0;

    RUN(&reference, IDEAL, BARE);
    for (int seed = 1; seed <= 4; seed++) {
        char noise[96];

        snprintf(noise, sizeof noise, "rig.actuators.jack.sensors={displacement_noise: 1e-6, seed: %d}", seed);
        RUN(&slow, noise, "transfer.jack.estimator={kind: ahmadizadeh, gain: 0.0005, d_min: 0}");
        assert_true(mean_delay(&slow) < 15);
        assert_true(slow.peak > 1.3 * reference.peak);
        RUN(&quick, noise, "transfer.jack.estimator={kind: ahmadizadeh, gain: 0.001, d_min: 0}");
        low = fmin(low, mean_delay(&quick));
        high = fmax(high, mean_delay(&quick));
        jump = fmax(jump, quick.jump);
        RUN(&squares, noise);
        assert_near(mean_delay(&squares), 18, 0.1);
        assert_true(squares.jump < 0.5);
        assert_true(error_of(&squares, &reference) < 0.08);
    }
    assert_true(high - low > 2);
    assert_true(jump > 2);
}

/* 0.01 and 0.04 were printed without a unit; in s/mm, as the controller of that actuator counts, the larger one rises
 * sooner, and both later than least squares. With motions of a millimetre it takes longer than the 4 s and 2 s of the
 * tests. */
static void darby_rises_sooner_with_more_gain(void **state)
{
    static struct outcome reference, small, large, squares;

    RUN(&reference, IDEAL, BARE);
    RUN(&small, "transfer.jack.estimator={kind: darby, cp: 10}");
    RUN(&large, "transfer.jack.estimator={kind: darby, cp: 40}");
    run(&squares, NULL, 0);
    assert_true(rise(&large) < 0.8 * rise(&small));
    assert_true(rise(&squares) < 0.5 * rise(&large));
    assert_true(error_of(&large, &reference) < error_of(&small, &reference));
    assert_near(small.delay[STEPS - 1], 18, 0.5);
    assert_near(large.delay[STEPS - 1], 18, 0.5);
}

/* A brace that yields dissipates so much that the delay matters little, compensated or not. Least squares in the
 * test, afterwards from its recording with less memory, and the best shift of the recording agree. */
static void the_nonlinear_test_hardly_feels_the_delay(void **state)
{
    static struct outcome reference, none, squares, again;
    double offline;

    RUN(&reference, STRONG, IDEAL, BARE);
    RUN(&none, STRONG, BARE);
    RUN(&squares, STRONG);
    assert_near(squares.peak / MS, 4, 1.5);
    assert_near(squares.force, 400e3, 20e3);
    assert_near_relative(none.peak, reference.peak, 0.25); /* three times as much in the linear test */
    assert_near_relative(squares.peak, reference.peak, 0.03);
    assert_ok(yk_delay_least_squares(STEPS, DT, squares.command, squares.measured, 0.1, LATER, &offline, &err));
    assert_near(offline / MS, mean_delay(&squares), 0.3);
    for (int k = 0; k < 2; k++) {
        struct estimator e = estimator_open("rls", (struct setting[]){{"rho", k ? 0.95 : 0.98}, {NULL, 0}}, DT, 0);

        for (int i = 0; i < STEPS; i++)
            again.delay[i] = estimator_update(&e, 0, squares.command[i], squares.measured[i]) / MS;
        assert_near(mean_delay(&again), mean_delay(&squares), 0.1);
        assert_true(apart(again.delay, squares.delay) <= (k ? 3 : 0)); /* the same memory: the same numbers */
        estimator_close(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_data_of_the_brace_test),
        cmocka_unit_test(least_squares_keep_the_linear_test_stable),
        cmocka_unit_test(ahmadizadeh_is_too_low_or_does_not_repeat),
        cmocka_unit_test(darby_rises_sooner_with_more_gain),
        cmocka_unit_test(the_nonlinear_test_hardly_feels_the_delay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
