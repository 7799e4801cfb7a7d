/* Hybrid tests of the literature, from files, on the station and the virtual rig: the first test with a split mass on
 * two actuators, the open-loop test of three sines, and the predictors that start from the last completed step.
 * Expected numbers come from an independent program; the tolerance of the first two is that of their pages, 2 % and 3
 * %. */
#include "support/check.h"

#include <yoke/analyze.h>
#include <yoke/experiment.h>
#include <yoke/physical.h>
#include <yoke/station.h>

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.28318530717958647692

static struct yk_experiment *parse(const char *text, const char *const *set, size_t count)
{
    struct yk_experiment *e = NULL;

    assert_ok(yk_experiment_parse(&e, "case.yaml", text, strlen(text), set, count, &err));
    return e;
}

/* ---- a split mass on two actuators ---- */

/* The whole structure: 5 % damping, 1.9 Hz; a sweep of 1406 N from 0.1 to 5 Hz, whose duration is not printed. */
#define SWEPT                                                                                                          \
    "loads: [{on: n.x, kind: sweep, amplitude: 1406 N, from: 0.1 Hz, to: 5 Hz, duration: 20 s}]\n"                     \
    "time: {step: 0.009765625, end: 20 s, control_rate: 1024 Hz}\n"

static const char whole[] = "method: {integrator: exact}\n"
                            "substructures: {n: {dofs: [x], mass: [3287.9], damping: [8870], stiffness: [468600]}}\n"
                            "" SWEPT;

/* Both actuators get the same command, the sum of both load cells is fed back. */
static const char split[] =
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  n: {dofs: [x], mass: [2989], damping: [3570], stiffness: [426000]}\n"
    "  s: {role: physical, dofs: [x], actuators: [a1, a2], setup: {kind: matrix, rows: {a1: {x: 1}, a2: {x: 1}}}}\n"
    "interfaces: [{join: [n.x, s.x]}]\n" SWEPT "transfer:\n"
    "  a1: &chain {compensator: {kind: velocity, order: 2, data: half, delay: 29.3 ms}, controller: &imc {kind: imc, "
    "filter: 6 ms}}\n"
    "  a2: *chain\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators:\n"
    "    a1: &tt1 {plant: {kind: second-order, gain: 0.9868, T1: 53.97 ms, T2: 5.014 ms, dead_time: 9.331 ms}}\n"
    "    a2: *tt1\n"
    "  specimen: {dofs: [x], mass: [298.9], damping: [5300], stiffness: [42600]}\n";

/* The filter of the independent program, of both signals, beside the control loop: the exact Butterworth filter behind
 * a hold, but with the newest sample held over the tick that ends with it. That is a tick earlier than the filter of a
 * sensor is here, and the errors below are small by a balance that a tick upsets: with `sensors: {filter: 30 Hz}` and
 * the same 29.3 ms the error is 0.026, and 0.026 in the independent program with a filter of that kind. */
struct filtered {
    const struct yk_rig_ops *rig;
    void *self;
    struct yk_filter force[2], displacement;
    double x; /* filtered displacement of the first */
};

static void hold_newest(struct yk_filter *f, double cutoff_Hz)
{
    assert_ok(yk_filter_butterworth(f, 2, cutoff_Hz, 1.0 / 1024, true, &err));
    f->b[0][0] = f->b[0][1];
    f->b[0][1] = f->b[0][2];
    f->b[0][2] = 0;
    yk_filter_reset(f, 0);
}

static enum yk_rig_answer exchange(void *self, const double *command, struct yk_reading *readings)
{
    struct filtered *f = self;
    const enum yk_rig_answer answer = f->rig->exchange(f->self, command, readings);

    f->x = yk_filter_step(&f->displacement, readings[0].displacement);
    for (int i = 0; i < 2; i++)
        readings[i].force = yk_filter_step(&f->force[i], readings[i].force);
    return answer;
}

static const struct yk_rig_ops filtering = {.exchange = exchange};

struct split_result {
    double error, lag;                /* rms of computed minus reference, of desired minus measured; of the reference */
    double command_area, target_area; /* of the loops over the measured displacement [m2] */
    double diverged;                  /* beyond 10 m at this time [s]; 0: never */
};

static double step_of(struct yk_motion *m, double *v)
{
    double x, a;

    assert_int_equal(yk_motion_step(m), YK_OK);
    yk_motion_now(m, 0, &x, v, &a);
    return x;
}

static struct split_result run_split(double filter_Hz, const char *const *set, size_t count)
{
    struct yk_experiment *e = parse(split, set, count), *one = parse(whole, NULL, 0);
    struct filtered f = {0};
    struct split_result r = {0};
    struct yk_motion m, reference;
    double square = 0, v, last[3] = {0};

    f.rig = yk_station_rig(e->station, &f.self);
    if (filter_Hz > 0) {
        hold_newest(&f.force[0], filter_Hz);
        hold_newest(&f.force[1], filter_Hz);
        hold_newest(&f.displacement, filter_Hz);
    }
    assert_ok(yk_motion_open(&m, e, 0, 1, &err));
    assert_ok(yk_motion_open(&reference, one, 0, 1, &err));
    assert_int_equal(yk_motion_start(&m), YK_OK);
    assert_int_equal(yk_motion_start(&reference), YK_OK);
    if (filter_Hz > 0)
        yk_station_interpose(e->station, (struct yk_between){&filtering, &f});
    for (long i = 0; i < e->steps && r.diverged == 0; i++) {
        const double x = step_of(&m, &v), expected = step_of(&reference, &v);
        const struct yk_actuator_state s = yk_station_state(e->station, 0);
        const double measured = filter_Hz > 0 ? f.x : s.displacement;

        r.error += (x - expected) * (x - expected);
        r.lag += (s.target - measured) * (s.target - measured);
        square += expected * expected;
        r.command_area += 0.5 * (s.command + last[1]) * (measured - last[0]);
        r.target_area += 0.5 * (s.target + last[2]) * (measured - last[0]);
        last[0] = measured;
        last[1] = s.command;
        last[2] = s.target;
        if (fabs(x) > 10)
            r.diverged = (double)(i + 1) * e->time.step;
    }
    r.error = sqrt(r.error / square);
    r.lag = sqrt(r.lag / square);
    yk_motion_close(&m);
    yk_motion_close(&reference);
    yk_experiment_destroy(e);
    yk_experiment_destroy(one);
    return r;
}

static void the_structure_of_the_split_mass(void **state)
{
    struct yk_experiment *one = parse(whole, NULL, 0);
    struct yk_motion m;
    double square = 0, peak = 0, when = 0, v;

    assert_ok(yk_motion_open(&m, one, 0, 1, &err));
    assert_int_equal(yk_motion_start(&m), YK_OK);
    for (long i = 1; i <= one->steps; i++) {
        const double x = step_of(&m, &v);

        square += x * x;
        if (fabs(x) > peak) {
            peak = fabs(x);
            when = (double)i * one->time.step;
        }
    }
    assert_near(1e3 * peak, 11.96995, 5e-6);
    assert_near(when, 8.193, 5e-4);
    assert_near(1e3 * sqrt(square / (double)(one->steps + 1)), 3.45648, 5e-6);
    yk_motion_close(&m);
    yk_experiment_destroy(one);
}

#define BOTH(what)       "transfer.a1." what, "transfer.a2." what
#define COMPENSATE(what) BOTH("compensator=" what)
#define PID              BOTH("controller={kind: pid, K: 3.32, Ti: 58.99 ms, Td: 6.305 ms, N: 0}")

static void a_split_mass_on_two_actuators(void **state)
{
    static const struct {
        double filter_Hz;
        const char *set[4];
        struct split_result expected;
    } rows[] = {
        {0, {COMPENSATE("{kind: none}")}, {0.0981, 0.2463, 6.89e-4, 6.89e-4, 0}},
        {0,
         {COMPENSATE("{kind: velocity, order: 2, data: half, delay: 21.8 ms}")},
         {0.1233, 0.0180, 7.60e-4, 5.07e-5, 0}},
        {30, {0}, {0.0063, 0.0291, 8.87e-4, 7.76e-5, 0}},
        {30, {COMPENSATE("{kind: lagrange, order: 2, delay: 29.3 ms}")}, {0.0203, 0.0363, 8.86e-4, 9.44e-5, 0}},
        {30,
         {COMPENSATE("{kind: velocity, order: 2, data: half, delay: 25.6 ms}"), PID},
         {0.0583, 0.0234, 8.21e-4, 6.47e-5, 0}},
        {60, {COMPENSATE("{kind: velocity, order: 2, data: half, delay: 25.55 ms}")}, {.error = 0.0939}},
        {30, {COMPENSATE("{kind: lagrange, order: 3, delay: 29.3 ms}")}, {.diverged = 1.15}},
        {0, {COMPENSATE("{kind: lagrange, order: 3, delay: 21.8 ms}")}, {.diverged = 1.15}},
        {30, {COMPENSATE("{kind: velocity, order: 3, data: half, delay: 29.3 ms}")}, {.diverged = 15.1}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct split_result *x = &rows[i].expected;
        size_t count = 0;

        while (count < 4 && rows[i].set[count])
            count++;
        const struct split_result r = run_split(rows[i].filter_Hz, rows[i].set, count);
        if (x->diverged > 0) {
            assert_near(r.diverged, x->diverged, x->diverged > 2 ? 0.3 : 0.1);
            continue;
        }
        assert_true(r.diverged == 0);
        assert_near_relative(r.error, x->error, 0.02);
        if (x->lag == 0) /* the others are not printed */
            continue;
        assert_near_relative(r.lag, x->lag, 0.02);
        assert_near_relative(r.command_area, x->command_area, 0.02);
        assert_near_relative(fabs(r.target_area), x->target_area, 0.02);
    }
}

/* ---- three sines through TT1 and its PID, in open loop ---- */

/* The specimen is a spring of 1 N/m: the force that is handed back is the displacement that it belongs to. */
static const char open_loop[] =
    "time: {step: 0.009765625, end: 25 s, control_rate: 1024 Hz}\n"
    "method: {integrator: central-difference}\n"
    "substructures: {s: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {mass: [1]}}}\n"
    "transfer: {a1: {compensator: {kind: none}, controller: {kind: pid, K: 3.32, Ti: 58.99 ms, Td: 6.305 ms, N: 0}}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: second-order, gain: 0.9868, T1: 53.97 ms, T2: 5.014 ms, dead_time: 9.331 ms}}}\n"
    "  specimen: {dofs: [x], mass: [0], stiffness: [1]}\n";

/* Amplitudes at 1, 2 and 4 Hz of desired minus measured, over the last 10 s, which are 1024 steps. */
static void synchronisation(const char *const *set, size_t count, double amplitude[3])
{
    static const double size[] = {5, 3, 2}, frequency[] = {1, 2, 4};
    struct yk_experiment *e = parse(open_loop, set, count);
    struct yk_system *s = e->substructures[0].system;
    const double zero = 0;
    double sine[3] = {0}, cosine[3] = {0}, force;

    s->ops->rest(s->self, &zero);
    for (int i = 1; i <= 2560; i++) {
        const double t = i * e->time.step;
        double x = 0, v = 0;

        for (int k = 0; k < 3; k++) {
            x += size[k] * sin(TWO_PI * frequency[k] * t);
            v += size[k] * TWO_PI * frequency[k] * cos(TWO_PI * frequency[k] * t);
        }
        s->ops->force(s->self, t, &zero, &x, &v, &force);
        for (int k = 0; k < 3 && i > 1536; k++) {
            sine[k] += (x + force) * sin(TWO_PI * frequency[k] * t) / 512;
            cosine[k] += (x + force) * cos(TWO_PI * frequency[k] * t) / 512;
        }
    }
    for (int k = 0; k < 3; k++)
        amplitude[k] = hypot(sine[k], cosine[k]);
    yk_experiment_destroy(e);
}

/* Without compensation, compensated, and overcompensated by half a step with optimal feedback, eq. (5.36). */
static void three_sines_in_open_loop(void **state)
{
    static const struct {
        const char *set[2];
        size_t count;
        double amplitude[3];
    } rows[] = {
        {{0}, 0, {0.5379, 0.6516, 0.8691}},
        {{"transfer.a1.compensator={kind: velocity, order: 3, delay: 18.1 ms}"}, 1, {0.0306, 0.0296, 0.0457}},
        {{"transfer.a1.compensator={kind: velocity, order: 3, delay: 18.1 ms}",
          "transfer.a1.feedback={kind: optimal, over: steps, steps: 0.5, window: 9.765625 ms, rule: nearest}"},
         2,
         {0.0016, 0.0007, 0.0050}},
    };
    double amplitude[3];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        synchronisation(rows[i].set, rows[i].count, amplitude);
        for (int k = 0; k < 3; k++)
            assert_near(amplitude[k], rows[i].amplitude[k], fmax(0.03 * rows[i].amplitude[k], 5e-5));
    }
}

/* ---- predictors that start from the last completed step ---- */

/* One mass of 1 kg, half of its stiffness in the specimen, a delay of one step, which is compensated. */
static const char predicted[] = "time: {step: 10 ms, end: 10 s, control_rate: 100 Hz}\n"
                                "method: {integrator: central-difference}\n"
                                "substructures:\n"
                                "  n: {dofs: [x], mass: [1], stiffness: [200]}\n"
                                "  s: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [200]}}\n"
                                "interfaces: [{join: [n.x, s.x]}]\n"
                                "transfer: {a1: {compensator: {kind: explicit-newmark, delay: 10 ms}}}\n"
                                "rig:\n"
                                "  backend: virtual\n"
                                "  actuators: {a1: {plant: {kind: delay, delay: 10 ms}}}\n"
                                "  specimen: {dofs: [x], mass: [0], stiffness: [200]}\n";

/* Spectral radius of the loop with integrator and compensator at omega times step = Om. */
static double radius(const char *integrator, const char *compensator, double Om)
{
    char set[4][96];
    const char *const sets[] = {set[0], set[1], set[2], set[3]};
    struct yk_margin margin;

    snprintf(set[0], sizeof set[0], "method.integrator=%s", integrator);
    snprintf(set[1], sizeof set[1], "transfer.a1.compensator.kind=%s", compensator);
    snprintf(set[2], sizeof set[2], "substructures.n.stiffness=[%.15g]", 5e3 * Om * Om);
    snprintf(set[3], sizeof set[3], "rig.specimen.stiffness=[%.15g]", 5e3 * Om * Om);
    struct yk_experiment *e = parse(predicted, sets, 4);
    assert_ok(yk_hybrid_margin(e, 0, &margin, &err));
    assert_true(margin.by_matrix);
    yk_experiment_destroy(e);
    return exp(-margin.decay * 0.01);
}

/* Central differences of an undamped mass are the explicit Newmark method: stable to sqrt(2/3), dissipative; with the
 * linear acceleration it grows below 0.34416. */
static void kinematic_predictors_have_the_published_radii(void **state)
{
    assert_near(radius("central-difference", "explicit-newmark", 0.2), 0.99961474, 1e-8);
    assert_true(radius("central-difference", "explicit-newmark", 0.8164) < 1);
    assert_true(radius("central-difference", "explicit-newmark", 0.8166) > 1);
    assert_near(radius("central-difference", "linear-acceleration", 0.2828), 1.00016243, 1e-8);
    assert_true(radius("central-difference", "linear-acceleration", 0.3441) > 1);
    assert_true(radius("central-difference", "linear-acceleration", 0.3442) < 1);
}

/* Every method with one force a step, to which the data of stages and of steps are the same, damped and loaded: the
 * command is what the formula makes of the last two completed steps, H = 1 + eta = 2.66. */
static void kinematic_predictors_start_from_the_completed_step(void **state)
{
    static const char *const integrators[] = {"central-difference", "alpha-os", "chang", "cr", "kr-alpha"};
    static const char *const kinds[] = {"explicit-newmark", "linear-acceleration"};
    static const double weight[2][4] = {{1, 2.66, 3.5378, 0}, {1, 2.66, 6.6746493333333333, -3.1368493333333333}};

    for (int k = 0; k < 10; k++) {
        char set[2][96];
        const char *const sets[] = {set[0],
                                    set[1],
                                    "substructures.n.damping=[2]",
                                    "substructures.n.initial={velocity: {x: 0.1}}",
                                    "substructures.s.initial={velocity: {x: 0.1}}",
                                    "loads=[{on: n.x, kind: sine, amplitude: 2 N, frequency: 1 Hz}]"};
        double x, v, a, before;
        struct yk_motion m;

        snprintf(set[0], sizeof set[0], "method.integrator=%s", integrators[k / 2]);
        snprintf(set[1], sizeof set[1], "transfer.a1.compensator={kind: %s, delay: 16.6 ms, data: %s}", kinds[k % 2],
                 k < 5 ? "step" : "stage");
        struct yk_experiment *e = parse(predicted, sets, 6);
        assert_ok(yk_motion_open(&m, e, 0, 1, &err));
        assert_int_equal(yk_motion_start(&m), YK_OK);
        yk_motion_now(&m, 1, &x, &v, &a);
        before = a;
        for (int i = 0; i < 100; i++) {
            const double *w = weight[k % 2], h = 0.01;
            const double expected = w[0] * x + w[1] * h * v + h * h * (w[2] * a + w[3] * before);

            assert_int_equal(yk_motion_step(&m), YK_OK);
            assert_near(yk_station_state(e->station, 0).command, expected, 1e-12);
            before = a;
            yk_motion_now(&m, 1, &x, &v, &a);
        }
        yk_motion_close(&m);
        yk_experiment_destroy(e);
    }
}

/* With two stages a step the ends of steps are completed states too: half a step, then a whole one, and the delay
 * ahead. */
static void kinematic_predictors_of_two_stages_start_from_steps(void **state)
{
    const char *const sets[] = {"time.control_rate=1000 Hz", "method.integrator=lsrt2",
                                "transfer.a1.compensator={kind: explicit-newmark, delay: 10 ms, data: step}",
                                "substructures.n.initial={velocity: {x: 0.1}}",
                                "substructures.s.initial={velocity: {x: 0.1}}"};
    struct yk_experiment *e = parse(predicted, sets, 5);
    double x, v, a;
    struct yk_motion m;

    assert_ok(yk_motion_open(&m, e, 0, 1, &err));
    assert_int_equal(yk_motion_start(&m), YK_OK);
    yk_motion_now(&m, 1, &x, &v, &a);
    for (int i = 0; i < 100; i++) {
        const double H = 0.02, expected = x + H * v + 0.5 * H * H * a;

        assert_int_equal(yk_motion_step(&m), YK_OK);
        assert_near(yk_station_state(e->station, 0).command, expected, 1e-12);
        yk_motion_now(&m, 1, &x, &v, &a);
    }
    yk_motion_close(&m);
    yk_experiment_destroy(e);
}

/* ---- five storeys ---- */

/* A uniform chain of 900 kg and 200 kN/m; 298 kg and 40 kN/m of its first storey are the specimen. Which storey it was,
 * the excitation and the compensated delay are not printed. */
static const char storeys[] =
    "time: {step: 10 ms, end: 10 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  n:\n"
    "    kind: assembled\n"
    "    nodes: {m1: {mass: 602 kg}, m2: {mass: 900 kg}, m3: {mass: 900 kg}, m4: {mass: 900 kg}, m5: {mass: 900 kg}}\n"
    "    elements:\n"
    "      - {kind: spring, stiffness: 160 kN/m, between: [ground, m1.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m1.x, m2.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m2.x, m3.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m3.x, m4.x]}\n"
    "      - {kind: spring, stiffness: 200 kN/m, between: [m4.x, m5.x]}\n"
    "  s: {role: physical, dofs: [x], actuators: {x: a1}}\n"
    "interfaces: [{join: [n.m1.x, s.x]}]\n"
    "transfer: {a1: {}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: ideal}}}\n"
    "  specimen: {kind: assembled, nodes: {m: {mass: 298 kg}}, elements: [{kind: spring, stiffness: 40 kN/m, between: "
    "[ground, m.x]}]}\n";

static void frequencies_of_the_five_storeys(void **state)
{
    static const double expected[] = {0.675, 1.971, 3.107, 3.992, 4.553};
    struct yk_experiment *e = parse(storeys, NULL, 0), *models = NULL;
    double w2[5];

    assert_ok(yk_experiment_copy(e, true, &models, &err));
    const struct yk_system *s = models->assembly.system;
    assert_int_equal(s->n, 5);
    assert_ok(yk_eigen_symmetric(&s->K, &s->M, 5, w2, NULL, &err));
    for (int i = 0; i < 5; i++)
        assert_near(sqrt(w2[i]) / TWO_PI, expected[i], 5e-4);
    yk_experiment_destroy(e);
    yk_experiment_destroy(models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_sines_in_open_loop),
        cmocka_unit_test(kinematic_predictors_have_the_published_radii),
        cmocka_unit_test(kinematic_predictors_start_from_the_completed_step),
        cmocka_unit_test(kinematic_predictors_of_two_stages_start_from_steps),
        cmocka_unit_test(frequencies_of_the_five_storeys),
        cmocka_unit_test(the_structure_of_the_split_mass),
        cmocka_unit_test(a_split_mass_on_two_actuators),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
