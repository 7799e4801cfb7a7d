/* Controllers: what holds for every registered one, then the behaviour of each; tuning rules. */
#include "support/actuator.h"
#include "support/check.h"
#include "support/random.h"
#include "support/trap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI 6.283185307179586

static const double h = 1.0 / 1024;

/* At least one line per controller. */
static const struct sample {
    struct part part;
    double rest; /* drive per displacement in balance */
} samples[] = {
    {{"none", {{NULL, 0}}}, 1},
    {{"p", {{"K", 2.5}}}, 1},
    {{"pi", {{NULL, 0}}}, 1},
    {{"pid", {{NULL, 0}}}, 1},
    {{"pid", {{"N", 0}}}, 1},
    {{"pid", {{"derivative", 1}}}, 1},
    {{"imc", {{NULL, 0}}}, 1 / 0.9868},
    {{"imc", {{"model", 1}, {"gain", 1.2}}}, 1 / 1.2},
    {{"imc2", {{NULL, 0}}}, 1 / 0.9868},
    {{"adaptive-inverse", {{NULL, 0}}}, 1 / 0.9868},
};
enum { SAMPLES = sizeof samples / sizeof *samples };
static const struct part tt1 = {"tt1", {{NULL, 0}}};

static double drive_of(struct controller *c, double command, double measured)
{
    return c->ops->step(c->self, command, measured);
}

/* ---- every controller ---- */

static void every_controller_is_found_by_its_name(void **state)
{
    for (const struct yk_controller_ops *const *c = yk_controllers; *c; c++) {
        assert_ptr_equal(yk_controller_find((*c)->name), *c);
        assert_non_null((*c)->summary);
        assert_non_null((*c)->reference);

        bool listed = (*c)->joint || strcmp((*c)->name, "fmu") == 0; /* test_lqg, test_joint_actuators; test_fmu */
        for (int i = 0; i < SAMPLES; i++)
            listed |= strcmp(samples[i].part.name, (*c)->name) == 0;
        assert_sampled(listed, (*c)->name);
    }
    assert_null(yk_controller_find("no-such-controller"));
}

static void reset_is_in_balance(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        const double x0 = 0.037;
        struct controller c;

        controller_open(&c, &samples[i].part, h);
        for (int k = 0; k < 50; k++)
            drive_of(&c, 0.01 * k, 0.003 * k);
        c.ops->reset(c.self, x0);
        for (int k = 0; k < 200; k++)
            assert_near(drive_of(&c, x0, x0), x0 * samples[i].rest, 1e-10);
        controller_close(&c);
    }
}

static void drives_are_finite_and_steps_use_no_heap(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct trap_counts counts;
        struct controller c;
        uint64_t seed = 11;
        bool finite = true;

        controller_open(&c, &samples[i].part, h);
        trap_begin();
        c.ops->reset(c.self, 0.01);
        for (int k = 0; k < 2000; k++) {
            const double u = drive_of(&c, random_value(&seed), random_value(&seed));

            finite &= isfinite(u);
            if (c.ops->clipped)
                c.ops->clipped(c.self, fmax(-1, fmin(u, 1)));
        }
        trap_end(&counts);
        assert_int_equal(counts.heap_calls, 0);
        assert_true(finite);
        controller_close(&c);
    }
}

static void two_controllers_are_independent(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct controller a, b, alone;

        controller_open(&a, &samples[i].part, h);
        controller_open(&b, &samples[i].part, h);
        controller_open(&alone, &samples[i].part, h);
        for (int k = 0; k < 300; k++) {
            const double u = drive_of(&a, 0.01 * sin(0.05 * k), 0.009 * sin(0.05 * k - 0.2));

            drive_of(&b, 0.02 * cos(0.3 * k), 0);
            assert_near(drive_of(&alone, 0.01 * sin(0.05 * k), 0.009 * sin(0.05 * k - 0.2)), u, 0);
        }
        controller_close(&a);
        controller_close(&b);
        controller_close(&alone);
    }
}

/* A clip that takes nothing away is no clip. */
static void an_unclipped_drive_changes_nothing(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct controller a, b;

        controller_open(&a, &samples[i].part, h);
        controller_open(&b, &samples[i].part, h);
        for (int k = 0; k < 300; k++) {
            const double u = drive_of(&a, 0.01 * sin(0.05 * k), 0.009 * sin(0.05 * k - 0.2));

            assert_near(drive_of(&b, 0.01 * sin(0.05 * k), 0.009 * sin(0.05 * k - 0.2)), u, 1e-13);
            if (b.ops->clipped)
                b.ops->clipped(b.self, u);
        }
        controller_close(&a);
        controller_close(&b);
    }
}

/* Every feedback loop keeps the rig stable; those with an integral or an inverse arrive. */
static void loops_settle(void **state)
{
    for (int i = 0; i < SAMPLES; i++) {
        struct loop l;
        double y = 0;

        if (i == 7) /* model of another plant */
            continue;
        loop_open(&l, &tt1, &samples[i].part, h);
        for (int k = 0; k < 2048; k++)
            y = loop_step(&l, 1, 0);
        if (i >= 2)
            assert_near(y, 1, 1e-4);
        else
            assert_near(y, i == 0 ? 0.9868 : 2.5 * 0.9868 / (1 + 2.5 * 0.9868), 1e-9);
        loop_close(&l);
    }
}

static void a_tick_below_zero_is_refused(void **state)
{
    for (int i = 1; i < SAMPLES; i++) {
        const struct yk_controller_ops *ops = yk_controller_find(samples[i].part.name);
        void *self = part_settings(ops->params, ops->size, &samples[i].part);

        assert_refused_in_arena(ops->init(self, -1, &mem, &err), YK_E_RANGE, "tick h = -1");
        free(self);
    }
}

/* ---- proportional, integral, derivative ---- */

static void pid_by_hand(void **state)
{
    const double K = 2, Ti = 0.1, Td = 0.02;
    const struct part plain = {"pid", {{"K", K}, {"Ti", Ti}, {"Td", Td}, {"N", 0}}};
    const struct part filtered = {"pid", {{"K", K}, {"Ti", Ti}, {"Td", Td}, {"N", 4}}};
    const struct part measured = {"pid", {{"K", K}, {"Ti", Ti}, {"Td", Td}, {"N", 0}, {"derivative", 1}}};
    const double q = Td / (Td + 4 * 0.01); /* of the filter */
    struct controller c;

    controller_open(&c, &plain, 0.01);
    assert_near(drive_of(&c, 1, 0), K * (1 + Td / 0.01), 1e-14);
    assert_near(drive_of(&c, 1, 0.5), K * (0.5 + 0.1 - 0.5 * Td / 0.01), 1e-14);
    assert_near(drive_of(&c, 1, 0.5), K * (0.5 + 0.1 + 0.05), 1e-14);
    controller_close(&c);

    controller_open(&c, &filtered, 0.01);
    assert_near(drive_of(&c, 1, 0), K * (1 + q * 4), 1e-14);
    assert_near(drive_of(&c, 1, 0), K * (1 + 0.1 + q * q * 4), 1e-14);
    controller_close(&c);

    controller_open(&c, &measured, 0.01);
    assert_near(drive_of(&c, 1, 0), K, 1e-14); /* no kick */
    assert_near(drive_of(&c, 1, 0.5), K * (0.5 + 0.1 - 0.5 * Td / 0.01), 1e-14);
    controller_close(&c);
}

/* A saturated drive: the overshoot that an integral without bounds would cause. */
static double overshoot_of(const struct part *part, double limit, bool told)
{
    struct loop l;
    double most = 0;

    loop_open(&l, &tt1, part, h);
    for (int k = 0; k < 1024; k++) {
        const double u = drive_of(&l.controller, 1, l.x), sent = fmax(-limit, fmin(u, limit));

        if (told && sent != u)
            l.controller.ops->clipped(l.controller.self, sent);
        l.x = plant_step(&l.plant, sent);
        most = fmax(most, l.x);
    }
    loop_close(&l);
    return most - 1;
}

static void conditional_integration_prevents_windup(void **state)
{
    const double blind = overshoot_of(&samples[2].part, 1.1, false), told = overshoot_of(&samples[2].part, 1.1, true);

    assert_true(blind > 0.02);
    assert_true(told < 0.2 * blind);
}

/* A tick whose drive was clipped in the direction of its error leaves the integral as it was; in the other direction it
 * counts. h/Ti = 0.1. */
static void a_clipped_tick_is_not_summed(void **state)
{
    const double K = 2;

    for (int rule = 0; rule < 2; rule++) {
        const struct part pi = {"pi", {{"K", K}, {"Ti", 0.1}, {"rule", rule}}};
        const double first = rule ? 0.05 : 0.1; /* of the integral: trapezoid, or forward sum */
        struct controller c;

        controller_open(&c, &pi, 0.01);
        drive_of(&c, 1, 0);
        c.ops->clipped(c.self, 1.5); /* the drive was larger, and so is the error: not summed */
        assert_near(drive_of(&c, 1, 0), K * (1 + (rule ? 0.1 : 0)), 1e-14);
        c.ops->reset(c.self, 0);
        drive_of(&c, 1, 0);
        c.ops->clipped(c.self, 3); /* the drive was smaller: summed */
        assert_near(drive_of(&c, 1, 0), K * (1 + first + (rule ? 0.1 : 0)), 1e-14);
        controller_close(&c);
    }
}

/* ---- internal models ---- */

/* With the right model the loop answers a step with dead time and filter only, but for what the tick leaves out. */
static void imc_with_the_right_model_follows_its_filter(void **state)
{
    static const double time[2] = {0.005, 0.006}, tolerance[2] = {0.00065, 0.0004};

    for (int i = 0; i < 2; i++) {
        const struct part part = {"imc", {{"filter", time[i]}}};
        struct loop l;
        double worst = 0;

        loop_open(&l, &tt1, &part, h);
        for (int k = 0; k < 400; k++) {
            const double t = (k * h - 0.009331) / time[i], y = loop_step(&l, 1, 0);

            worst = fmax(worst, fabs(y - (t > 0 ? 1 - exp(-t) * (1 + t) : 0)));
            assert_true(y <= 1);
        }
        assert_near(worst, 0, tolerance[i]);
        loop_close(&l);
    }
}

/* A clipped drive reaches the model too: it goes on explaining the motion. */
static void a_clipped_imc_does_not_wind_up(void **state)
{
    assert_true(overshoot_of(&samples[6].part, 1.1, true) < 1e-9);
    assert_true(overshoot_of(&samples[6].part, 1.1, false) > 0.05);
    assert_true(overshoot_of(&samples[8].part, 1.1, true) < 1e-9);
}

static void imc2_with_equal_filters_is_imc(void **state)
{
    static const struct part one = {"imc", {{"filter", 0.006}}};
    static const struct part two = {"imc2", {{"tracking_time", 0.006}, {"rejection_time", 0.006}}};
    struct controller a, b;
    uint64_t seed = 5;

    controller_open(&a, &one, h);
    controller_open(&b, &two, h);
    for (int k = 0; k < 500; k++) {
        const double r = random_value(&seed), y = 0.5 * random_value(&seed), u = drive_of(&a, r, y);

        assert_near(drive_of(&b, r, y), u, 1e-10);
        if (fabs(u) > 2) {
            a.ops->clipped(a.self, copysign(2, u));
            b.ops->clipped(b.self, copysign(2, u));
        }
    }
    controller_close(&a);
    controller_close(&b);
}

static void imc2_tracks_and_rejects_at_different_speeds(void **state)
{
    static const struct part quick = {"imc2", {{"tracking_time", 0.005}, {"rejection_time", 0.005}}};
    static const struct part careful = {"imc2", {{"tracking_time", 0.005}, {"rejection_time", 0.020}}};
    struct loop a, b;
    double late = 0;

    loop_open(&a, &tt1, &quick, h);
    loop_open(&b, &tt1, &careful, h);
    for (int k = 0; k < 400; k++) {
        const double d = k < 205 ? 0 : -0.3, ya = loop_step(&a, 1, d), yb = loop_step(&b, 1, d);

        if (k < 205)
            assert_near(yb, ya, 1e-12);
        else
            late = fmax(late, ya - yb);
    }
    assert_true(late > 0.1);
    loop_close(&a);
    loop_close(&b);
}

/* ---- adaptive inverse ---- */

/* Root mean square of the deviation from the reference model over the first and the last tenth of a run. */
static void learn(const struct part *part, const struct part *plant, double *first, double *last)
{
    enum { COUNT = 40960 };
    static const struct part reference = {"second-order", {{"T1", 0.006}, {"T2", 0.006}, {"dead_time", 0.009331}}};
    struct loop l;
    struct plant model;
    double want = 0;

    *first = *last = 0;
    loop_open(&l, plant, part, h);
    plant_open(&model, &reference, h);
    for (int k = 0; k < COUNT; k++) {
        const double t = h * k;
        const double r = 0.01 * sin(TWO_PI * 0.7 * t) + 0.003 * sin(TWO_PI * 3.1 * t) + 0.001 * sin(TWO_PI * 7.9 * t);
        const double e = loop_step(&l, r, 0) - want;

        want = plant_step(&model, r);
        if (k < COUNT / 10)
            *first += e * e;
        else if (k >= COUNT - COUNT / 10)
            *last += e * e;
    }
    *first = sqrt(*first / (COUNT / 10));
    *last = sqrt(*last / (COUNT / 10));
    plant_close(&model);
    loop_close(&l);
}

static void the_inverse_learns_what_the_model_does_not_know(void **state)
{
    static const struct part adaptive = {"adaptive-inverse", {{NULL, 0}}};
    static const struct part fixed = {"adaptive-inverse", {{"step_size", 0}}};
    static const struct part weak = {"tt1", {{"gain", 0.8 * 0.9868}}}, slow = {"tt1", {{"T1", 1.2 * 0.05397}}};
    double first, last, never;

    /* with the right model there is nothing to learn, and nothing is lost */
    learn(&adaptive, &tt1, &first, &last);
    assert_true(first < 3e-5 && last < 3e-5);
    learn(&fixed, &weak, &first, &never);
    assert_near_relative(never, 0.2 * 0.0075, 0.1); /* a fifth of the motion */
    learn(&adaptive, &weak, &first, &last);
    assert_true(last < 0.1 * never);
    learn(&fixed, &slow, &first, &never);
    learn(&adaptive, &slow, &first, &last);
    assert_true(last < 0.3 * never);
}

static void the_inverse_stays_within_its_bound(void **state)
{
    static const struct part adaptive = {"adaptive-inverse", {{"bound", 0.02}, {"step_size", 1}}};
    struct controller c;
    uint64_t seed = 3;

    controller_open(&c, &adaptive, h);
    for (int k = 0; k < 5000; k++) /* a motion that has nothing to do with the drive */
        drive_of(&c, 0.01 * random_value(&seed), 0.01 * random_value(&seed));
    for (int k = 0; k < 200; k++)
        drive_of(&c, 0.01, 0); /* fill the response with a constant */
    /* sum of 64 taps off by at most sqrt(64) 0.02 |response|, |response| about 10.1 */
    assert_near(drive_of(&c, 0.01, 0) / 0.01, 1 / 0.9868, 8 * 0.02 * 11);
    controller_close(&c);
}

/* docs/theory/control.md, eq. (45), (46): after one tick in which only the first tap saw a motion m that no drive
 * explains it is smaller by mu m^2/(m^2 + taps floor^2) of itself, less what leaks back. */
static void the_inverse_adapts_by_normalised_least_mean_squares(void **state)
{
    const double mu = 0.4, m = 2e-3, floor = 1e-3, leakage = 0.25, lost = mu * m * m / (m * m + 4 * floor * floor);
    const struct part fixed = {"adaptive-inverse", {{"taps", 4}, {"step_size", 0}}};
    const struct part adaptive = {
        "adaptive-inverse", {{"taps", 4}, {"step_size", mu}, {"leakage", leakage}, {"bound", 10}, {"floor", floor}}};
    struct controller c, start;

    controller_open(&start, &fixed, h);
    controller_open(&c, &adaptive, h);
    const double first = drive_of(&start, 1, 0);
    assert_near(drive_of(&c, 1, m) / first, 1 - lost * (1 - leakage), 1e-12);
    controller_close(&c);
    controller_close(&start);
}

/* ---- tuning ---- */

static void rules_from_a_tangent(void **state)
{
    const struct yk_tangent t = {0.2, 0.01, 0.05};

    const struct yk_pid_gains p = yk_tune(YK_TUNE_ZN_P, &t), pi = yk_tune(YK_TUNE_ZN_PI, &t);
    const struct yk_pid_gains pid = yk_tune(YK_TUNE_ZN_PID, &t), chr = yk_tune(YK_TUNE_CHR_PID, &t);
    assert_near(p.K, 5, 1e-14);
    assert_true(isinf(p.Ti));
    assert_near(pi.K, 4.5, 1e-14);
    assert_near(pi.Ti, 0.03, 1e-15);
    assert_near(pid.K, 6, 1e-14);
    assert_near(pid.Ti, 0.02, 1e-15);
    assert_near(pid.Td, 0.005, 1e-15);
    assert_near(chr.K, 3, 1e-14);
    assert_near(chr.Ti, 0.05, 1e-15);
    assert_near(chr.Td, 0.005, 1e-15);
}

/* The closed form for two lags, and its limit T exp(..) for equal ones: t = T, slope = K/(e T). */
static void tangents_by_formula(void **state)
{
    const double K = 0.9, T1 = 0.05, T2 = 0.01, dead = 0.003;
    const double t = T1 * T2 / (T1 - T2) * log(T1 / T2);
    const double slope = K * (exp(-t / T1) - exp(-t / T2)) / (T1 - T2);
    const double y = K * (1 - (T1 * exp(-t / T1) - T2 * exp(-t / T2)) / (T1 - T2));
    struct yk_tangent lags, servo, equal;

    assert_ok(yk_tangent_lags(K, T1, T2, dead, &lags, &err));
    assert_near_relative(lags.L, dead + t - y / slope, 1e-12);
    assert_near_relative(lags.a, slope * lags.L, 1e-12);
    assert_near(lags.T, 0.06, 1e-16);
    /* the same plant as a servo */
    assert_ok(yk_tangent_servo(K, 1 / sqrt(T1 * T2), (T1 + T2) / (2 * sqrt(T1 * T2)), dead, &servo, &err));
    assert_near_relative(servo.L, lags.L, 1e-10);
    assert_near_relative(servo.a, lags.a, 1e-10);

    assert_ok(yk_tangent_lags(1, 0.02, 0.02, 0, &equal, &err));
    assert_near_relative(equal.L, 0.02 * (3 - exp(1)), 1e-6);
    assert_near_relative(equal.a, (3 - exp(1)) / exp(1), 1e-6);
    assert_refused(yk_tangent_lags(1, 0, 0.02, 0, &equal, &err), YK_E_RANGE, "T1 = 0 s");
    assert_refused(yk_tangent_lags(-1, 0.01, 0.02, 0, &equal, &err), YK_E_RANGE, "no inflection");
    assert_refused(yk_tangent_servo(1, 80, -1, 0, &equal, &err), YK_E_RANGE, "xi = -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_controller_is_found_by_its_name),
        cmocka_unit_test(reset_is_in_balance),
        cmocka_unit_test(drives_are_finite_and_steps_use_no_heap),
        cmocka_unit_test(two_controllers_are_independent),
        cmocka_unit_test(an_unclipped_drive_changes_nothing),
        cmocka_unit_test(loops_settle),
        cmocka_unit_test(a_tick_below_zero_is_refused),
        cmocka_unit_test(pid_by_hand),
        cmocka_unit_test(conditional_integration_prevents_windup),
        cmocka_unit_test(a_clipped_tick_is_not_summed),
        cmocka_unit_test(imc_with_the_right_model_follows_its_filter),
        cmocka_unit_test(a_clipped_imc_does_not_wind_up),
        cmocka_unit_test(imc2_with_equal_filters_is_imc),
        cmocka_unit_test(imc2_tracks_and_rejects_at_different_speeds),
        cmocka_unit_test(the_inverse_learns_what_the_model_does_not_know),
        cmocka_unit_test(the_inverse_stays_within_its_bound),
        cmocka_unit_test(the_inverse_adapts_by_normalised_least_mean_squares),
        cmocka_unit_test(rules_from_a_tangent),
        cmocka_unit_test(tangents_by_formula),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
