/* Plants: what holds for every registered one, then values of each from its formula; limits around them. */
#include "rig/virtual/plant/limits.h"
#include "support/actuator.h"
#include "support/check.h"
#include "support/random.h"
#include "support/trap.h"
#include "transfer/dynamics.h"
#include <yoke/transfer.h>

#include <yoke/linalg.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

static const double h = 1.0 / 1024;

/* At least one line per plant. */
static const struct sample {
    struct part part;
    double static_gain;
    bool exact;  /* a held drive has no error of discretisation */
    bool smooth; /* rates are derivatives, not differences */
} samples[] = {
    {{"ideal", {{NULL, 0}}}, 1, false, false},
    {{"delay", {{"delay", 0.0123}}}, 1, false, false},
    {{"delay", {{"delay", 0}}}, 1, false, false},
    {{"first-order", {{"gain", 0.9}, {"time_constant", 0.02}, {"dead_time", 0.0071}}}, 0.9, true, true},
    {{"second-order", {{"gain", 0.9868}, {"T1", 0.05397}, {"T2", 0.005014}}}, 0.9868, true, true},
    {{"second-order", {{"T1", 0.01}, {"T2", 0.01}, {"dead_time", 0.004}}}, 1, true, true},
    {{"servo", {{"frequency", 12.7}, {"damping", 0.8}, {"dead_time", 0.009}}}, 1, true, true},
    {{"servo", {{"frequency", 12.7}, {"damping", 1}, {"gain", 1.1}}}, 1.1, true, true},
    {{"tt1", {{NULL, 0}}}, 0.9868, true, true},
    {{"tt1", {{"model", 1}}}, 0.9868, false, true},
    {{"hydraulic",
      {{"area", 5e-3}, {"stroke", 0.125}, {"valve_flow", 1e-3}, {"valve_bandwidth", 100}, {"piston_mass", 60}}},
     1,
     false,
     true},
    {{"electric",
      {{"motor_constant", 0.6},
       {"screw", 0.01},
       {"inertia", 8e-4},
       {"current_limit", 20},
       {"voltage", 190},
       {"resistance", 1.5},
       {"stroke", 0.15}}},
     1,
     false,
     true},
    {{"rths-hydraulic", {{NULL, 0}}}, 1.0261 / (1 + 1.19e6 * 3.3 * 9.9976e4 / 2.1283e13), false, true},
};
enum { SAMPLES = sizeof samples / sizeof *samples, RTHS = SAMPLES - 1 };

/* ---- every plant ---- */

static void every_plant_is_found_by_its_name(void **state)
{
    for (const struct yk_plant_ops *const *plant = yk_plants; *plant; plant++) {
        assert_ptr_equal(yk_plant_find((*plant)->name), *plant);
        assert_non_null((*plant)->summary);
        assert_non_null((*plant)->reference);

        bool listed = (*plant)->joint || strcmp((*plant)->name, "fmu") == 0 ||
                      strcmp((*plant)->name, "recorded") == 0; /* test_joint_actuators, test_fmu, test_recorded */
        for (int i = 0; i < SAMPLES; i++)
            listed |= strcmp(samples[i].part.name, (*plant)->name) == 0;
        assert_sampled(listed, (*plant)->name);
    }
    assert_null(yk_plant_find("no-such-plant"));
}

static void reset_holds_the_position(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        const double x0 = 0.0037;
        struct yk_plant_output out;
        struct plant p;

        plant_open(&p, &samples[i].part, h);
        for (int k = 0; k < 50; k++)
            plant_step(&p, 0.002 * k); /* elsewhere first */
        p.ops->reset(p.self, x0);
        for (int k = 0; k < 200; k++) {
            p.ops->step(p.self, x0 / samples[i].static_gain, 0, &out);
            assert_near(out.x, x0, 1e-12);
            assert_near(out.v, 0, 1e-9);
            assert_near(out.a, 0, 1e-6);
        }
        plant_close(&p);
    }
}

static void outputs_are_finite_and_steps_use_no_heap(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct trap_counts counts;
        struct yk_plant_output out;
        struct plant p;
        uint64_t seed = 7;
        bool finite = true;

        plant_open(&p, &samples[i].part, h);
        p.ops->step(p.self, 0, 0, &out);
        trap_begin();
        p.ops->reset(p.self, 0.01);
        for (int k = 0; k < 2000; k++) {
            p.ops->step(p.self, 0.1 * random_value(&seed), 3000 * random_value(&seed), &out);
            finite &= isfinite(out.x) && isfinite(out.v) && isfinite(out.a);
        }
        trap_end(&counts);
        assert_int_equal(counts.heap_calls, 0);
        assert_true(finite);
        plant_close(&p);
    }
}

static void two_plants_are_independent(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct plant a, b, alone;

        plant_open(&a, &samples[i].part, h);
        plant_open(&b, &samples[i].part, h);
        plant_open(&alone, &samples[i].part, h);
        for (int k = 0; k < 300; k++) {
            const double x = plant_step(&a, 0.01 * sin(0.05 * k));

            plant_step(&b, -0.02 * cos(0.11 * k));
            assert_near(plant_step(&alone, 0.01 * sin(0.05 * k)), x, 0);
        }
        plant_close(&a);
        plant_close(&b);
        plant_close(&alone);
    }
}

/* The same staircase of drives, at a tick and at a sixteenth of it. */
static void a_shorter_tick_changes_nothing(void **state)
{
    enum { FINE = 16 };

    for (int i = 0; i < SAMPLES; i++) {
        struct plant a, b;
        double x = 0;

        if (!samples[i].smooth)
            continue;
        plant_open(&a, &samples[i].part, h);
        plant_open(&b, &samples[i].part, h / FINE);
        for (int k = 0; k < 300; k++) {
            const double u = 0.002 * sin(0.05 * k);

            for (int j = 0; j < FINE; j++)
                x = plant_step(&b, u);
            assert_near(plant_step(&a, u), x, samples[i].exact ? 1e-14 : 2e-9);
        }
        plant_close(&a);
        plant_close(&b);
    }
}

/* Central differences at a tick so short that their error is small against the tolerance. */
static void rates_are_derivatives(void **state)
{
    const double fine = h / 64;

    for (int i = 0; i < SAMPLES; i++) {
        struct yk_plant_output last = {0}, now = {0}, next;
        struct plant p;

        if (!samples[i].smooth)
            continue;
        plant_open(&p, &samples[i].part, fine);
        for (int k = 0; k < 4000; k++) {
            p.ops->step(p.self, 0.002 * (1 - cos(20 * fine * k)), 0, &next);
            if (k > 1500) {
                assert_near((next.x - last.x) / (2 * fine), now.v, 2e-5);
                assert_near((next.v - last.v) / (2 * fine), now.a, 5e-3);
            }
            last = now;
            now = next;
        }
        plant_close(&p);
    }
}

static void plants_that_cannot_be_are_refused(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        const struct yk_plant_ops *ops = yk_plant_find(samples[i].part.name);
        void *self = part_settings(ops->params, ops->size, &samples[i].part);

        assert_refused_in_arena(ops->init(self, 0, &mem, &err), YK_E_RANGE, "tick h = 0");
        assert_refused_in_arena(ops->init(self, NAN, &mem, &err), YK_E_RANGE, "tick h = nan");
        free(self);
    }
    const struct part slow = {"first-order", {{"time_constant", 1}, {"dead_time", 100}}};
    const struct part sticky = {"tt1", {{"model", 1}, {"viscous", 1}}}, light = {"rths-hydraulic", {{"mass", 1e-9}}};
    const struct yk_plant_ops *ops = yk_plant_find("first-order");
    void *self = part_settings(ops->params, ops->size, &slow);
    assert_refused_in_arena(ops->init(self, 1e-6, &mem, &err), YK_E_RANGE, "dead time 100 s is outside");
    free(self);
    ops = yk_plant_find("tt1");
    self = part_settings(ops->params, ops->size, &sticky);
    assert_refused_in_arena(ops->init(self, h, &mem, &err), YK_E_RANGE, "viscous = 1 N m s is not below");
    free(self);
    ops = yk_plant_find("rths-hydraulic");
    self = part_settings(ops->params, ops->size, &light);
    assert_refused_in_arena(ops->init(self, h, &mem, &err), YK_E_RANGE, "substeps");
    free(self);
}

/* ---- step responses by formula ---- */

static double first_order(double t)
{
    return 0.9 * -expm1(-t / 0.02);
}

static double equal_lags(double t)
{
    return 1 - exp(-t / 0.01) * (1 + t / 0.01);
}

static double servo(double t)
{
    const double w = TWO_PI * 12.7, d = w * 0.6; /* damping 0.8 */

    return 1 - exp(-0.8 * w * t) * (cos(d * t) + 0.8 / 0.6 * sin(d * t));
}

static void step_responses_follow_their_formula(void **state)
{
    static const struct {
        int sample;
        double dead_time;
        double (*response)(double t);
    } want[] = {{3, 0.0071, first_order}, {5, 0.004, equal_lags}, {6, 0.009, servo}};

    for (int i = 0; i < 3; i++) {
        struct plant p;

        plant_open(&p, &samples[want[i].sample].part, h);
        for (int k = 1; k < 400; k++) {
            const double t = k * h - want[i].dead_time;

            assert_near(plant_step(&p, 1), t > 0 ? want[i].response(t) : 0, 1e-12);
        }
        plant_close(&p);
    }
}

/* ---- delay and ideal ---- */

static void a_delay_of_any_length_shifts_a_straight_line(void **state)
{
    static const double delay[] = {0, 0.3 / 1024, 1.0 / 1024, 1.5 / 1024, 7.0 / 1024, 0.0123};

    for (int i = 0; i < 6; i++) {
        const struct part part = {"delay", {{"delay", delay[i]}}};
        struct plant p;

        plant_open(&p, &part, h);
        for (int k = 0; k < 100; k++) {
            const double x = plant_step(&p, 0.5 * h * k);

            if (k > 20)
                assert_near(x, 0.5 * (h * k - delay[i]), 1e-14);
        }
        plant_close(&p);
    }
}

/* On a straight line u = t the answer is gain (t - tau(t)), a tick late as the ideal plant is; the delay swings as
 * 10 + 8 sin(2 pi 0.5 t) ms. */
static void a_delay_may_swing(void **state)
{
    const struct part part = {"delay", {{"delay", 0.010}, {"gain", 1.5}, {"swing", 0.008}, {"frequency", 0.5}}};
    struct plant p;

    plant_open(&p, &part, h);
    for (int k = 0; k < 4000; k++) {
        const double x = plant_step(&p, h * k), tau = 0.010 + 0.008 * sin(TWO_PI * 0.5 * h * (k + 1));

        if (k > 20)
            assert_near(x, 1.5 * (h * k - tau), 1e-12);
    }
    plant_close(&p);
}

static void a_swing_beyond_the_delay_is_refused(void **state)
{
    const struct part part = {"delay", {{"delay", 0.010}, {"swing", 0.011}}};
    const struct yk_plant_ops *ops = yk_plant_find(part.name);
    void *self = part_settings(ops->params, ops->size, &part);

    assert_refused_in_arena(ops->init(self, h, &mem, &err), YK_E_RANGE,
                            "swing = 0.011 s is more than the delay of 0.01 s");
    free(self);
}

/* ---- tt1 with its loops ---- */

static const struct part loops = {"tt1", {{"model", 1}}};
static const double ratio = 0.010 / TWO_PI;

static void the_motor_keeps_its_limits(void **state)
{
    struct yk_plant_output out;
    struct plant p;
    double fastest = 0, hardest = 0;

    plant_open(&p, &loops, h);
    for (int k = 0; k < 2000; k++) {
        p.ops->step(p.self, 0.5, 0, &out);
        fastest = fmax(fastest, out.v);
        hardest = fmax(hardest, fabs(out.a));
    }
    assert_near_relative(fastest, 314 * ratio, 1e-3); /* 499.7 mm/s */
    assert_true(fastest <= 314 * ratio);
    assert_near_relative(hardest, 4.00 / 0.403e-3 * ratio, 1e-9);
    assert_near(out.x, 0.9868 * 0.5, 1e-9);
    plant_close(&p);
}

/* At rest the speed loop must make the torque F R/eta out of a missing displacement. */
static void the_specimen_pushes_the_actuator_back(void **state)
{
    static const struct part part = {"tt1", {{"model", 1}, {"efficiency", 0.8}}};
    const double force = 1000, torque = force * ratio / 0.8;
    struct yk_plant_output out;
    struct plant p;

    plant_open(&p, &part, h);
    for (int k = 0; k < 2000; k++)
        p.ops->step(p.self, 0, force, &out);
    assert_near_relative(out.x, -torque / (0.403e-3 / 0.004588) * ratio / 16.954, 1e-9);
    /* beyond the torque there is no rest */
    for (int k = 0; k < 2000; k++)
        p.ops->step(p.self, 0, 4.00 / ratio, &out);
    assert_true(out.v < -0.1);
    plant_close(&p);
}

/* ---- hydraulic actuator of the benchmark ---- */

static void oil_gives_way_to_a_force(void **state)
{
    const double feed = 3.3 * 9.9976e4, valve = 2.1283e13;
    struct yk_plant_output out;
    struct plant p;

    plant_open(&p, &samples[RTHS].part, h);
    for (int k = 0; k < 4000; k++)
        p.ops->step(p.self, 0.002, 500, &out);
    assert_near_relative(out.x, (1.0261 * valve * 0.002 - feed * 500) / (1.19e6 * feed + valve), 1e-9);
    plant_close(&p);
}

/* Its loop is stable up to a valve of 1.0698e14 N/(m s3), by bisection of the Routh array in another program: just
 * below, an impulse still dies out. */
static void oil_that_would_oscillate_is_refused(void **state)
{
    const struct part below = {"rths-hydraulic", {{"valve", 1.05e14}, {"force_limit", 1e12}}},
                      above = {"rths-hydraulic", {{"valve", 1.08e14}}};
    const struct yk_plant_ops *ops = yk_plant_find("rths-hydraulic");
    struct yk_plant_output out;
    double early = 0, late = 0;
    struct plant p;

    plant_open(&p, &below, h);
    for (int k = 0; k < 20000; k++) {
        p.ops->step(p.self, k < 5 ? 0.001 : 0, 0, &out);
        if (k < 1000)
            early = fmax(early, fabs(out.x));
        if (k >= 19000)
            late = fmax(late, fabs(out.x));
    }
    assert_true(late < 1e-3 * early);
    plant_close(&p);
    void *self = part_settings(ops->params, ops->size, &above);
    assert_refused_in_arena(ops->init(self, h, &mem, &err), YK_E_RANGE,
                            "the actuator oscillates by itself: valve = 1.08e+14");
    free(self);
}

static void oil_saturates(void **state)
{
    struct yk_plant_output out;
    struct plant p;

    plant_open(&p, &samples[RTHS].part, h);
    for (int k = 0; k < 20000; k++)
        p.ops->step(p.self, 0.02, 0, &out);
    assert_near_relative(out.x, 8900 / 1.19e6, 1e-6);
    plant_close(&p);
}

/* ---- limits ---- */

struct limited {
    struct yk_plant_limits limits;
    struct plant plant;
    struct yk_plant_output out;
};

static void limited_open(struct limited *l, const struct part *plant, const struct part *limits)
{
    struct yk_plant_limits *settings = part_settings(yk_plant_limits_params, sizeof *settings, limits);

    l->limits = *settings;
    free(settings);
    assert_ok(yk_plant_limits_init(&l->limits, h, &err));
    plant_open(&l->plant, plant, h);
}

static double limited_step(struct limited *l, double u, double force)
{
    yk_plant_limits_step(&l->limits, l->plant.ops, l->plant.self, u, force, &l->out);
    return l->out.x;
}

static const struct part ideal = {"ideal", {{NULL, 0}}};

static void without_limits_nothing_changes(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct yk_plant_output want;
        struct limited l;
        struct plant p;

        limited_open(&l, &samples[i].part, &(struct part){"limits", {{NULL, 0}}});
        plant_open(&p, &samples[i].part, h);
        for (int k = 0; k < 200; k++) {
            const double u = 0.01 * sin(0.03 * k), force = 100 * cos(0.02 * k);

            limited_step(&l, u, force);
            p.ops->step(p.self, u, force, &want);
            assert_memory_equal(&l.out, &want, sizeof want);
            assert_int_equal(l.limits.acting, 0);
        }
        plant_close(&p);
        plant_close(&l.plant);
    }
}

static void stroke_speed_and_rate_bound_the_motion(void **state)
{
    struct limited l;

    limited_open(&l, &ideal, &(struct part){"limits", {{"stroke", 0.125}, {"speed", 0.5}}});
    for (int k = 1; k < 1000; k++) {
        const double x = limited_step(&l, 1, 0);

        assert_near(x, fmin(0.5 * h * k, 0.125), 1e-12);
        if (k < 250)
            assert_near(l.out.v, 0.5, 1e-9);
    }
    assert_near(l.out.v, 0, 0);
    assert_int_equal(l.limits.acting, YK_AT_STROKE);
    plant_close(&l.plant);

    limited_open(&l, &ideal, &(struct part){"limits", {{"rate", 0.2}}});
    for (int k = 1; k <= 100; k++)
        assert_near(limited_step(&l, 1, 0), 0.2 * h * k, 1e-12);
    assert_int_equal(l.limits.acting, YK_AT_RATE);
    plant_close(&l.plant);
}

static void too_much_force_stalls_the_actuator(void **state)
{
    struct limited l;

    limited_open(&l, &ideal, &(struct part){"limits", {{"force", 2000}, {"friction", 100}, {"viscous", 1000}}});
    assert_near(limited_step(&l, 1e-4, 0), 1e-4, 0);
    assert_near(limited_step(&l, 2e-4, 1950), 1e-4, 0); /* 1950 N + 100 N */
    assert_int_equal(l.limits.acting, YK_AT_FORCE);
    assert_near(limited_step(&l, 0, 1950), 0, 1e-18); /* helped on the way back */
    /* 1900 N left for the viscous friction: 1.9 m/s */
    assert_near(limited_step(&l, 1, 0), 1.9 * h, 1e-15);
    plant_close(&l.plant);
}

static void friction_loads_the_plant(void **state)
{
    struct limited l;
    struct plant bare;
    double lag = 0;

    limited_open(&l, &loops, &(struct part){"limits", {{"friction", 400}}});
    plant_open(&bare, &loops, h);
    for (int k = 0; k < 512; k++) {
        const double u = 0.05 * h * k;

        lag = plant_step(&bare, u) - limited_step(&l, u, 0);
    }
    /* on a steady ramp as far behind as a specimen with that force */
    assert_near_relative(lag, 400 * ratio / (0.403e-3 / 0.004588) * ratio / 16.954, 1e-3);
    plant_close(&bare);
    plant_close(&l.plant);
}

static void backlash_loses_its_width_on_the_way_back(void **state)
{
    struct limited l;

    limited_open(&l, &ideal, &(struct part){"limits", {{"backlash", 2e-3}}});
    assert_near(limited_step(&l, 0.5e-3, 0), 0, 0);
    assert_near(limited_step(&l, 5e-3, 0), 4e-3, 1e-18);
    assert_near(limited_step(&l, 3.5e-3, 0), 4e-3, 1e-18);
    assert_near(l.out.v, 0, 0);
    assert_near(limited_step(&l, 1e-3, 0), 2e-3, 1e-18);
    yk_plant_limits_reset(&l.limits, 0.01);
    assert_near(l.limits.out.x, 0.01, 0);
    plant_close(&l.plant);
}

/* test-rigs.md, eq. (26): on a ramp the acceleration is a sawtooth about zero, of which the end of the tick is read. */
static void the_end_of_a_tick_is_not_its_mean(void **state)
{
    static const double w = TWO_PI * 4, share[] = {0, 0.25, 0.5, 0.555, 0.9};

    for (int i = 0; i < 5; i++) {
        const struct part part = {"servo", {{"frequency", 4}, {"damping", 1}, {"dead_time", (2 + share[i]) * h}}};
        struct yk_plant_output out;
        struct plant p;

        plant_open(&p, &part, h);
        for (int k = 1; k < 2000; k++)
            p.ops->step(p.self, 0.1 * h * k, 0, &out);
        assert_near(out.a, w * w * h * (share[i] - 0.5) * 0.1, 0.01 * w * w * h * 0.1);
        plant_close(&p);
    }
}

static void a_brake_holds_from_its_time_on(void **state)
{
    struct limited l;

    limited_open(&l, &ideal, &(struct part){"limits", {{"brake", 0.1}}});
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 200; k++) {
            const double x = limited_step(&l, 1e-4 * k, 0);
            const int held = (int)ceil(0.1 / h) - 1;

            assert_near(x, 1e-4 * (k < held ? k : held), 0);
            assert_true((l.limits.acting == YK_AT_BRAKE) == (k > held));
            if (k > held + 1)
                assert_true(l.out.v == 0 && l.out.a == 0);
        }
        yk_plant_limits_reset(&l.limits, 0);
    }
    plant_close(&l.plant);
}

/* ---- exact discretisation ---- */

/* Against the exponential by Pade approximation, over damping from none to far beyond critical. */
static void the_closed_form_is_the_matrix_exponential(void **state)
{
    static const double xi[] = {0, 0.1, 0.8, 1 - 1e-7, 1, 1 + 1e-7, 1.7, 30};

    for (int i = 0; i < 8; i++) {
        const struct yk_second_order m = yk_second_order_servo(1.3, 80, xi[i], 0);
        const double t = 0.004;
        const double X[9] = {0, -m.b * t, 0, t, -m.a1 * t, 0, 0, m.gain * m.b * t, 0};
        double A[4], B[2], E[9];

        yk_second_order_discretise(&m, t, A, B);
        assert_ok(yk_expm(3, X, E, &err));
        assert_near(A[0], E[0], 1e-13);
        assert_near(A[1], E[3], 1e-13 * t);
        assert_near(A[2], E[1], 1e-13 * m.b * t);
        assert_near(A[3], E[4], 1e-13);
        assert_near(B[0], E[6], 1e-13);
        assert_near(B[1], E[7], 1e-13 * m.b * t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_plant_is_found_by_its_name),
        cmocka_unit_test(reset_holds_the_position),
        cmocka_unit_test(outputs_are_finite_and_steps_use_no_heap),
        cmocka_unit_test(two_plants_are_independent),
        cmocka_unit_test(a_shorter_tick_changes_nothing),
        cmocka_unit_test(rates_are_derivatives),
        cmocka_unit_test(plants_that_cannot_be_are_refused),
        cmocka_unit_test(step_responses_follow_their_formula),
        cmocka_unit_test(a_delay_of_any_length_shifts_a_straight_line),
        cmocka_unit_test(a_delay_may_swing),
        cmocka_unit_test(a_swing_beyond_the_delay_is_refused),
        cmocka_unit_test(the_motor_keeps_its_limits),
        cmocka_unit_test(the_specimen_pushes_the_actuator_back),
        cmocka_unit_test(oil_gives_way_to_a_force),
        cmocka_unit_test(oil_that_would_oscillate_is_refused),
        cmocka_unit_test(oil_saturates),
        cmocka_unit_test(without_limits_nothing_changes),
        cmocka_unit_test(stroke_speed_and_rate_bound_the_motion),
        cmocka_unit_test(too_much_force_stalls_the_actuator),
        cmocka_unit_test(friction_loads_the_plant),
        cmocka_unit_test(backlash_loses_its_width_on_the_way_back),
        cmocka_unit_test(the_end_of_a_tick_is_not_its_mean),
        cmocka_unit_test(a_brake_holds_from_its_time_on),
        cmocka_unit_test(the_closed_form_is_the_matrix_exponential),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
