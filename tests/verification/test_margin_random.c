/* Margins of 50 random hybrid loops: the amplification matrix against bisection by simulation, two ways that share only
 * the steps of the loop. And growth with a delay: counted from one set of answers, against the matrix of that delay. */
#include "support/check.h"
#include "support/planned.h"
#include "support/random.h"

#include "analyze/analyze.h"

#include <math.h>

enum { CASES = 50, MOST_DRAWN = 300, TEXT = 2000 };

/* Uniform in [low, high). */
static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * 0.5 * (random_value(seed) + 1);
}

#define ANY_OF(seed, words) words[random_below(seed, sizeof words / sizeof *words)]

/* One mass, or two of which the first is held by the specimen too; everything about it is drawn. */
static void draw_loop(uint64_t *seed, char *text)
{
    static const char *const methods[] = {"lsrt1", "lsrt2", "lsrt3",    "central-difference",
                                          "chang", "cr",    "kr-alpha", "alpha-os"};
    static const char *const compensators[] = {
        "none", "lagrange, order: 1", "lagrange, order: 2", "lagrange, order: 3", "velocity, order: 2", "inverse"};
    const char *method = ANY_OF(seed, methods), *compensator = ANY_OF(seed, compensators);
    const double m = between(seed, 0.5, 5), period = between(seed, 0.1, 1), w = 2 * M_PI / period;
    const double k = m * w * w, c = 2 * between(seed, 0.005, 0.06) * m * w, share = between(seed, 0.1, 1);
    const double upper = random_below(seed, 2) ? between(seed, 0.05, 0.3) : 0; /* second mass and its spring */
    const double dt = period / between(seed, 12, 25), delay = between(seed, 0, 1) * dt;
    const size_t ticks = (size_t)yk_integrator_find(method)->stages * (1 + random_below(seed, 3));
    char frame[200], plant[96], sensors[48] = "";

    if (upper > 0)
        snprintf(frame, sizeof frame,
                 "dofs: [x, y], mass: [%g, %g], damping: [[%g, %g], [%g, %g]], stiffness: [[%g, %g], "
                 "[%g, %g]]",
                 m, upper * m, c * (1 + upper), -c * upper, -c * upper, c * upper, k * (1 - share + upper), -k * upper,
                 -k * upper, k * upper);
    else
        snprintf(frame, sizeof frame, "dofs: [x], mass: %g, damping: %g, stiffness: %g", m, c, k * (1 - share));
    if (random_below(seed, 2))
        snprintf(plant, sizeof plant, "kind: delay, delay: %g", delay);
    else
        snprintf(plant, sizeof plant, "kind: second-order, T1: %g, T2: %g, dead_time: %g", 0.5 * delay + 1e-4,
                 0.2 * delay + 1e-4, 0.3 * delay);
    if (random_below(seed, 2))
        snprintf(sensors, sizeof sensors, ", sensors: {filter: %g}", 0.3 * (double)ticks / dt);
    snprintf(
        text, TEXT,
        "time: {step: %.17g, end: %.17g, control_rate: %.17g}\nmethod: {integrator: %s}\nsubstructures:\n"
        "  frame: {%s}\n"
        "  spring: {role: physical, dofs: [x], actuators: {x: a}, estimate: {stiffness: %g}}\n"
        "interfaces: [{join: [frame.x, spring.x]}]\n"
        "transfer: {a: {compensator: {kind: %s, delay: %g}}}\n"
        "rig: {backend: virtual, actuators: {a: {plant: {%s}%s}}, specimen: {dofs: [x], mass: 0, stiffness: %g}}\n",
        dt, 100 * dt, (double)ticks / dt, method, frame, share * k, compensator, delay, plant, sensors, share * k);
}

/* False: the loop is unstable from the start, or never. A simulation sees slow growth, hidden by a mode that decays as
 * slowly, only when it is long. */
static bool compare(const struct yk_model *e, const char *text)
{
    struct yk_margin matrix, simulation = {0};

    assert_ok(planned_margin(e, 0, &matrix, &err));
    assert_true(matrix.by_matrix);
    if (!matrix.stable || !isfinite(matrix.margin_s))
        return false;
    for (int periods = 200; periods < 10000; periods *= 4) {
        assert_ok(planned_margin(e, periods, &simulation, &err));
        assert_false(simulation.by_matrix);
        if (fabs(simulation.margin_s - matrix.margin_s) <= 0.01 * matrix.margin_s)
            return true;
    }
    print_error("%s", text);
    assert_near_relative(simulation.margin_s, matrix.margin_s, 0.01);
    return true;
}

static void margin_by_matrix_is_that_of_simulations(void **state)
{
    uint64_t seed = 20100;
    int compared = 0;

    for (int i = 0; i < MOST_DRAWN && compared < CASES; i++) {
        struct yk_model *e = NULL;
        char text[TEXT];

        draw_loop(&seed, text);
        assert_ok(yk_model_parse(&e, "random.yaml", text, strlen(text), NULL, 0, &err));
        compared += compare(e, text);
        yk_model_close(e);
    }
    assert_int_equal(compared, CASES);
}

/* ---- growth with a delay ---- */

static double decay_with(const struct yk_model *model, struct yk_watched *how, double delay)
{
    struct yk_state m;
    double decay;

    assert_ok(planned_delayed_motion(model, delay, &m, &err));
    assert_ok(yk_decay_by_matrix(&m, how, NULL, &decay, &err));
    yk_state_close(&m);
    return decay;
}

/* Delays up to two steps, whether they are stable or not. Returns how many of them grew. */
static int compare_delays(const struct yk_model *model, struct yk_watched *how, struct yk_delayed_loop *loop,
                          uint64_t *seed)
{
    const double longest = 2 * yk_model_step(model);
    int grew = 0;

    for (int i = 0; i < 6; i++) {
        const double delay = between(seed, 0, longest), decay = decay_with(model, how, delay);
        long growing;

        assert_true(yk_delayed_loop_count(loop, delay, &growing));
        if (fabs(decay) > 1e-6)
            assert_int_equal(growing > 0, decay < 0);
        grew += growing > 0;
    }
    return grew;
}

static void growth_with_a_delay_is_that_of_its_matrix(void **state)
{
    uint64_t seed = 4711;
    int stable = 0, told = 0, grew = 0;

    for (int i = 0; i < 60; i++) {
        struct yk_model *e = NULL;
        struct yk_model *model;
        char text[TEXT];
        bool rigid;

        draw_loop(&seed, text);
        assert_ok(yk_model_parse(&e, "random.yaml", text, strlen(text), NULL, 0, &err));
        assert_ok(yk_model_create(&model, e, 0, &err));
        struct yk_watched how = {.omega = yk_lowest_elastic(e->assembly->system, &rigid)};

        if (decay_with(model, &how, 0) > 1e-6) {
            struct yk_delayed_loop *loop;

            assert_ok(planned_delayed_loop(model, how.omega, &loop, &err));
            stable++;
            told += loop != NULL;
            grew += loop ? compare_delays(model, &how, loop, &seed) : 0;
            yk_delayed_loop_close(loop);
        }
        yk_model_close(model);
        yk_model_close(e);
    }
    print_message("%d stable loops, %d told by their answers; growth with %d of %d delays\n", stable, told, grew,
                  6 * told);
    assert_true(stable >= 20 && told == stable);
    assert_true(grew > told && grew < 5 * told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(margin_by_matrix_is_that_of_simulations),
        cmocka_unit_test(growth_with_a_delay_is_that_of_its_matrix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
