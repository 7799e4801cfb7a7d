/* Delay estimators against docs/theory/delay.md. The sequences were computed by an independent program from the same
 * formulas; biases and limits come from closed forms. */
#include "support/actuator.h"
#include "support/check.h"
#include "support/random.h"
#include "support/transfer.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define MS 1e-3

/* Zero before t = 0. */
static double sine(double amplitude, double t)
{
    return t > 0 ? amplitude * sin(2 * PI * t) : 0;
}

static void newton_command_converges_quadratically(void **state)
{
    static const double expected[] = {0, 5, 10.0024684162, 9.9999987826, 9.9999999988, 10.0};
    struct estimator e =
        estimator_open("newton-command", (struct setting[]){{"v_min", 1}, {"rate", 0}, {NULL, 0}}, 5 * MS, 0);

    for (int i = 0; i < 6; i++) {
        const double t = i * 5 * MS, command = sine(1, t);

        assert_near(estimator_update(&e, command, command, sine(1, t - 10 * MS)) / MS, expected[i], 1e-9);
    }
    estimator_close(&e);
}

struct scatter {
    double mean, deviation, low, high; /* ms */
};

/* An estimate of 10 ms with noise of +-1 %, after 1 s of 40 s. */
static struct scatter noisy(double v_min)
{
    struct estimator e =
        estimator_open("newton-command", (struct setting[]){{"v_min", v_min}, {"rate", 0}, {NULL, 0}}, 5 * MS, 0);
    struct scatter out = {.low = INFINITY};
    double sum = 0, squares = 0;
    uint64_t seed = 11;
    int n = 0;

    for (int i = 0; i < 8000; i++) {
        const double t = i * 5 * MS, measured = sine(1, t - 10 * MS) * (1 + 0.01 * random_value(&seed));
        const double tau = estimator_update(&e, 0, sine(1, t), measured) / MS;

        if (i < 200)
            continue;
        sum += tau;
        squares += tau * tau;
        out.low = fmin(out.low, tau);
        out.high = fmax(out.high, tau);
        n++;
    }
    out.mean = sum / n;
    out.deviation = sqrt(squares / n - out.mean * out.mean);
    estimator_close(&e);
    return out;
}

/* Noise proportional to the response. The independent program drew other numbers, hence the tolerances. */
static void newton_command_scatters_less_with_a_higher_velocity_limit(void **state)
{
    static const double v_min[] = {1, 3}, expected_mean[] = {9.59, 9.77}, expected_deviation[] = {2.23, 1.08};

    for (int i = 0; i < 2; i++) {
        const struct scatter out = noisy(v_min[i]);

        assert_near(out.mean, expected_mean[i], 0.3);
        assert_near_relative(out.deviation, expected_deviation[i], 0.1);
    }
    const struct scatter out = noisy(0); /* at rest noise is all there is: from one bound to the other */
    assert_near(out.low, 0, 0);
    assert_near(out.high, 100, 0);
}

static void newton_command_takes_a_gain_error_for_delay(void **state)
{
    struct estimator e =
        estimator_open("newton-command", (struct setting[]){{"v_min", 1}, {"rate", 0}, {NULL, 0}}, 5 * MS, 0);
    double low = 1, high = 0;

    for (int i = 0; i < 2000; i++) {
        const double t = i * 5 * MS, tau = estimator_update(&e, 0, sine(1, t), 1.05 * sine(1, t - 10 * MS));

        if (i < 400)
            continue;
        low = fmin(low, tau);
        high = fmax(high, tau);
    }
    assert_near(low / MS, 0, 0);
    assert_near(high / MS, 55, 0.5);
    estimator_close(&e);
}

/* In open loop, 50 mm at 1 Hz and 10 ms behind, dt = 10 ms: delays after each step. At step 27 the measured motion
 * turns, and the way over two steps is what rounding leaves of zero: here `residue` units of the last place. */
static void run_in_open_loop(const char *name, const struct setting *set, int residue, double tau[51])
{
    struct estimator e = estimator_open(name, set, 10 * MS, 0);
    double measured[51];

    for (int i = 0; i <= 50; i++) {
        const double t = i * 10 * MS;

        measured[i] = 0.05 * sin(2 * PI * (t - 10 * MS));
        if (i == 27)
            measured[i] = residue ? nextafter(measured[25], residue) : measured[25];
        tau[i] = estimator_update(&e, 0.05 * sin(2 * PI * t), 0, measured[i]);
    }
    estimator_close(&e);
}

static void open_loop_sequences_match(void **state)
{
    static const struct {
        const char *name;
        struct setting set[3];
        double at10, at50;
    } rows[] = {
        {"ahmadizadeh", {{"gain", 0.003}}, 0.26740588, 1.43804642},
        {"newton-desired", {{"gain", 0.05}, {"v_min", 0.01}}, 4.90660184, 23.95264148},
        {"darby", {{"cp", 0.3}}, 8.76535198, 28.59251631},
    };
    double tau[51];

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        run_in_open_loop(rows[k].name, rows[k].set, 0, tau);
        assert_near(tau[10] / MS, rows[k].at10, 1e-6);
        assert_near(tau[50] / MS, rows[k].at50, 1e-6);
    }
}

/* Without d_min a positive residue throws the delay to zero, from where it has come to 0.73914790 ms at step 50, and a
 * negative one to its bound. The bounds reject both. */
static void ahmadizadeh_without_bounds_divides_by_a_rounding_residue(void **state)
{
    const struct setting bare[] = {{"gain", 0.003}, {"d_min", 0}, {NULL, 0}}, bounded[] = {{"gain", 0.003}, {NULL, 0}};
    double tau[51];

    run_in_open_loop("ahmadizadeh", bare, 1, tau);
    assert_near(tau[10] / MS, 0.26740588, 1e-6);
    assert_near(tau[27], 0, 0);
    assert_near(tau[50] / MS, 0.73914790, 1e-6);
    run_in_open_loop("ahmadizadeh", bare, -1, tau);
    assert_near(tau[27] / MS, 100, 0);
    for (int residue = -1; residue <= 1; residue++) {
        run_in_open_loop("ahmadizadeh", bounded, residue, tau);
        assert_near(tau[50] / MS, 1.43804642, 1e-6);
    }
}

/* Extremes of an estimate over the second of two seconds; lag 10 ms, 1 Hz. */
static void extremes(const char *name, double dt, double v_min, double *low, double *high)
{
    struct estimator e =
        estimator_open(name, (struct setting[]){{"v_min", v_min}, {"rate", 0}, {NULL, 0}}, dt, 10 * MS);

    *low = 1;
    *high = 0;
    for (int i = 0; i * dt < 2; i++) {
        const double t = i * dt, tau = estimator_update(&e, 0, sin(2 * PI * t), sin(2 * PI * (t - 10 * MS)));

        *low = i * dt < 1 ? *low : fmin(*low, tau);
        *high = i * dt < 1 ? *high : fmax(*high, tau);
    }
    estimator_close(&e);
}

/* 8.35 .. 11.64 ms at the samples of 5 ms where |cos| is above 1/6.28; the difference quotient costs 1.6e-4 of it. */
static void taylor_swings_about_the_delay(void **state)
{
    double low, high;

    extremes("taylor", 5 * MS, 1, &low, &high);
    assert_near(low / MS, 8.35, 0.01);
    assert_near(high / MS, 11.64, 0.01);
}

/* The first term that is left out is tau^2/2 y_c'': for 10 ms 5e-5 of the acceleration. */
static void taylor_is_off_by_half_the_square_of_the_delay(void **state)
{
    const double w = 2 * PI, dt = 0.1 * MS;
    struct estimator e =
        estimator_open("taylor", (struct setting[]){{"v_min", 1}, {"rate", 0}, {NULL, 0}}, dt, 10 * MS);
    double worst = 0;

    for (int i = 0; i < 20000; i++) {
        const double t = i * dt, before = t - dt, v = w * cos(w * before);
        const double tau = estimator_update(&e, 0, sin(w * t), sin(w * (t - 10 * MS)));

        if (i > 2 && fabs(v) > 1.01)
            worst = fmax(worst, fabs((tau - 10 * MS) * v));
    }
    assert_near_relative(worst / (w * w), 5e-5, 0.02);
    estimator_close(&e);
}

static void pade_is_constant_on_a_sine(void **state)
{
    const double w = 2 * PI, limit = 2 * tan(w * 5 * MS) / w;
    double low, high;

    assert_near(limit / MS, 10.003291, 1e-6);
    for (double dt = 5 * MS; dt > 0.04 * MS; dt /= 10) {
        extremes("pade", dt, 1, &low, &high);
        assert_near(low / MS, limit / MS * w * dt / sin(w * dt), 1e-8);
        assert_near(high / MS, low / MS, 1e-8);
    }
    assert_near(low / MS, limit / MS, 2e-6);
}

/* Command a sine of 1 mm and 1 Hz from rest, 10 ms of delay, dt = 5 ms: 91.5 % of it after the batch. */
static void rls_sequences_match(void **state)
{
    static const struct {
        double rho;
        int at[6];
        double tau[6];
    } rows[] = {
        {0.95, {20, 21, 22, 40, 100, 400}, {9.15107130, 9.19018693, 9.22728542, 9.62707599, 9.99631951, 10.00493927}},
        {1.00, {20, 21, 22, 40, 100, 400}, {9.15107130, 9.18857174, 9.22317648, 9.58099046, 9.90479203, 9.97990228}},
    };

    for (int k = 0; k < 2; k++) {
        struct estimator e = estimator_open("rls", (struct setting[]){{"rho", rows[k].rho}, {NULL, 0}}, 5 * MS, 7 * MS);
        int next = 0;

        for (int i = 0; i <= 400; i++) {
            const double t = i * 5 * MS, tau = estimator_update(&e, 0, sine(MS, t), sine(MS, t - 10 * MS));

            if (i < 20)
                assert_near(tau, 7 * MS, 0);
            if (next < 6 && i == rows[k].at[next])
                assert_near(tau / MS, rows[k].tau[next++], 1e-6);
        }
        estimator_close(&e);
    }
}

/* The same run with rho = 0.95: parameters and covariance, the latter for a command in mm. */
static void rls_parameters_match(void **state)
{
    static const double th1[] = {-0.8184600063, -0.8273080744, -0.8356561596},
                        th2[] = {1.8043019107, 1.8145051705, 1.8240637025};
    struct estimator e = estimator_open("rls", (struct setting[]){{"rho", 0.95}, {NULL, 0}}, 5 * MS, 7 * MS);
    const struct yk_rls_fit *fit = yk_rls_fit(e.self);

    for (int i = 0; i <= 22; i++) {
        const double t = i * 5 * MS;

        estimator_update(&e, 0, sine(MS, t), sine(MS, t - 10 * MS));
        assert_near(e.ops->gain(e.self), i < 20 ? 1 : th1[i - 20] + th2[i - 20], 3e-10);
        if (i < 20)
            continue;
        assert_near(fit->th1, th1[i - 20], 1e-10);
        assert_near(fit->th2, th2[i - 20], 1e-10);
        if (i == 20) {
            assert_near(fit->P11 * MS * MS, 183.9990, 5e-5);
            assert_near(fit->P12 * MS * MS, -197.3486, 5e-5);
        }
    }
    e.ops->reset(e.self, 0);
    assert_near(e.ops->gain(e.self), 1, 0);
    estimator_close(&e);
}

/* The two-point regression of a sine has a bias of its own, eq. (35); it depends on n = tau/dt. */
static void rls_bias_follows_its_formula(void **state)
{
    static const double lag[] = {2.5, 5, 10, 15, 20}, expected[] = {2.5, 5, 10.00494, 15.02474, 20.06942},
                        expected_gain[] = {1.000123, 1, 0.999013, 0.997040, 0.994084};
    const double dt = 5 * MS, delta = 2 * PI * dt;

    for (int k = 0; k < 5; k++) {
        struct estimator e = estimator_open("rls", NULL, dt, 0);
        const double n = lag[k] * MS / dt, bias = dt * sin(n * delta) / (sin(n * delta) - sin((n - 1) * delta));
        const double gain = cos((n - 0.5) * delta) / cos(delta / 2);
        double tau = 0;

        for (int i = 0; i < 400; i++)
            tau = estimator_update(&e, 0, MS * sin(delta * i), MS * sin(delta * (i - n)));
        assert_near(tau / MS, bias / MS, 1e-7);
        assert_near(tau / MS, expected[k], 1e-5);
        assert_near(e.ops->gain(e.self), gain, 1e-9);
        assert_near(e.ops->gain(e.self), expected_gain[k], 1e-6);
        estimator_close(&e);
    }
}

static void rls_rests_and_wakes(void **state)
{
    struct estimator e = estimator_open("rls", (struct setting[]){{"rho", 0.95}, {NULL, 0}}, 5 * MS, 10 * MS);
    const struct yk_rls_fit *fit = yk_rls_fit(e.self);
    double tau = 0, before, P11 = 0;

    for (int i = 0; i <= 200; i++)
        tau = estimator_update(&e, 0, sine(MS, i * 5 * MS), sine(MS, i * 5 * MS - 10 * MS));
    before = tau;
    for (int i = 0; i < 20000; i++) { /* at rest with noise: P would be 1e44 times as large after 10 s, then infinite */
        tau = estimator_update(&e, 0, 0, 1e-9 * (i % 3));
        P11 = i == 1 ? fit->P11 : P11;
    }
    assert_near(tau, before, 0);
    assert_near(fit->P11, P11, 0);
    for (int i = 0; i < 400; i++)
        tau = estimator_update(&e, 0, sine(MS, i * 5 * MS), sine(MS, i * 5 * MS - 15 * MS));
    assert_near(tau / MS, 15.02474, 1e-3);
    estimator_close(&e);
}

/* With slow drift only, one direction of P would grow; the cap holds it. */
static void rls_survives_a_command_that_does_not_excite(void **state)
{
    struct estimator e = estimator_open("rls", (struct setting[]){{"rho", 0.9}, {NULL, 0}}, 5 * MS, 10 * MS);
    double tau = 0;

    for (int i = 0; i < 200; i++)
        tau = estimator_update(&e, 0, sine(MS, i * 5 * MS), sine(MS, i * 5 * MS - 10 * MS));
    for (int i = 0; i < 20000; i++)
        tau = estimator_update(&e, 0, MS, MS);
    assert_true(tau >= 0 && tau <= 0.1);
    for (int i = 0; i < 400; i++)
        tau = estimator_update(&e, 0, sine(MS, i * 5 * MS), sine(MS, i * 5 * MS - 10 * MS));
    assert_near(tau / MS, 10.00494, 1e-3);
    estimator_close(&e);
}

enum kind { QUIET, NOISE, HUGE_NOISE, GAPS, CONSTANT, KINDS };

static struct yk_tracking sample_of(enum kind kind, int i, uint64_t *seed)
{
    const double t = i * 5 * MS, noise = random_value(seed), x = 0.01 * sin(7 * t), y = 0.01 * sin(7 * (t - 12 * MS));

    switch (kind) {
    case QUIET:
        return (struct yk_tracking){0};
    case NOISE:
        return (struct yk_tracking){x, x + 1e-4 * noise, y - 1e-4 * random_value(seed)};
    case HUGE_NOISE:
        return (struct yk_tracking){1e150 * noise, 1e150 * random_value(seed), -1e150 * random_value(seed)};
    case GAPS:
        return (struct yk_tracking){i % 5 ? x : NAN, i % 7 ? x : INFINITY, i % 11 ? y : -INFINITY};
    case CONSTANT:
    case KINDS:
        break;
    }
    return (struct yk_tracking){0.02, 0.02, 0.019};
}

static void estimates_stay_within_their_bounds(void **state)
{
    const double tau_max = 40 * MS;
    uint64_t seed = 3;

    for (const struct yk_estimator_ops *const *ops = yk_estimators; *ops; ops++)
        for (enum kind kind = QUIET; kind < KINDS; kind++) {
            struct estimator e =
                estimator_open((*ops)->name, (struct setting[]){{"tau_max", tau_max}, {NULL, 0}}, 5 * MS, 15 * MS);

            for (int i = 0; i < 4000; i++) {
                const struct yk_tracking s = sample_of(kind, i, &seed);
                const double tau = e.ops->update(e.self, &s);

                assert_true(tau >= 0 && tau <= tau_max);
                if (kind == QUIET)
                    assert_near(tau, 15 * MS, 0);
            }
            estimator_close(&e);
        }
}

/* Samples that are not finite leave no trace: the run without them is the same. */
static void samples_that_are_not_finite_are_ignored(void **state)
{
    for (const struct yk_estimator_ops *const *ops = yk_estimators; *ops; ops++) {
        struct estimator a = estimator_open((*ops)->name, NULL, 5 * MS, 15 * MS);
        struct estimator b = estimator_open((*ops)->name, NULL, 5 * MS, 15 * MS);

        for (int i = 0; i < 1000; i++) {
            const double t = i * 5 * MS, x = 0.01 * sin(7 * t), y = 0.01 * sin(7 * t - 0.05);
            const double tau = estimator_update(&a, x, x, y);

            assert_near(estimator_update(&b, x, x, y), tau, 0);
            assert_near(estimator_update(&b, NAN, x, y), tau, 0);
            assert_near(estimator_update(&b, x, INFINITY, y), tau, 0);
            assert_near(estimator_update(&b, x, x, -NAN), tau, 0);
        }
        estimator_close(&a);
        estimator_close(&b);
    }
}

static void reset_starts_from_the_nominal_delay_within_bounds(void **state)
{
    for (const struct yk_estimator_ops *const *ops = yk_estimators; *ops; ops++) {
        struct estimator e = estimator_open((*ops)->name, (struct setting[]){{"tau_max", 0.05}, {NULL, 0}}, 5 * MS, 1);

        assert_ptr_equal(yk_estimator_find((*ops)->name), *ops);
        assert_near(estimator_update(&e, 0, 0, 0), 0.05, 0);
        e.ops->reset(e.self, -1);
        assert_near(estimator_update(&e, 0, 0, 0), 0, 0);
        e.ops->reset(e.self, NAN);
        assert_near(estimator_update(&e, 0, 0, 0), 0, 0);
        estimator_close(&e);
    }
    assert_null(yk_estimator_find("nothing"));
}

static void the_rate_limits_every_change(void **state)
{
    for (const struct yk_estimator_ops *const *ops = yk_estimators; *ops; ops++) {
        if (strcmp((*ops)->name, "fixed") == 0)
            continue;
        struct estimator e = estimator_open((*ops)->name, (struct setting[]){{"rate", 0.1 * MS}, {NULL, 0}}, 5 * MS, 0);
        double last = 0;

        for (int i = 0; i < 400; i++) {
            const double x = sin(0.03 * i), tau = estimator_update(&e, x, x, sin(0.03 * (i - 4)));

            assert_true(fabs(tau - last) <= 0.1 * MS * (1 + 1e-12));
            last = tau;
        }
        assert_true(last > 0);
        estimator_close(&e);
    }
}

static void bad_settings_are_refused(void **state)
{
    for (const struct yk_estimator_ops *const *ops = yk_estimators; *ops; ops++) {
        void *settings = calloc(1, (*ops)->size);

        yk_param_defaults((*ops)->params, settings);
        assert_refused_in_arena((*ops)->init(settings, 0, &mem, &err), YK_E_RANGE, "step = 0 s is not above 0");
        free(settings);
    }
}

/* 3 s at 1 ms: two sines that start from rest, late by 16.6 ms; offset by the straight lines between samples. */
static void least_squares_finds_the_delay_of_a_record(void **state)
{
    enum { N = 3000 };
    static double command[N], measured[N];
    double tau;

    for (int i = 0; i < N; i++) {
        const double t = i * MS, s = t - 16.6 * MS;

        command[i] = sin(2 * PI * t) + 0.3 * sin(4 * PI * t);
        measured[i] = i < 17 ? 5 : sin(2 * PI * s) + 0.3 * sin(4 * PI * s); /* a start transient, to be skipped */
    }
    assert_ok(yk_delay_least_squares(N, MS, command, measured, 0.1, 50, &tau, &err));
    assert_near(tau / MS, 16.6, 1e-3);
    assert_ok(yk_delay_least_squares(N, MS, command, command, 0.1, 0, &tau, &err));
    assert_near(tau / MS, 0, 1e-3);
    assert_refused(yk_delay_least_squares(50, MS, command, measured, 0.1, 0, &tau, &err), YK_E_INPUT, "too few");
    assert_refused(yk_delay_least_squares(N, 0, command, measured, 0.1, 0, &tau, &err), YK_E_RANGE, "positive");
    command[100] = NAN;
    assert_refused(yk_delay_least_squares(N, MS, command, measured, 0.1, 0, &tau, &err), YK_E_INPUT, "not finite");
}

/* docs/theory/delay.md, eq. (25a): after a long motion at 1 m/s, slower motion teaches down to 0.3 m/s, and in a step
 * the delay changes by a twentieth of it. The command is a straight line; the reading is as late as the nominal delay,
 * then 8 ms later. */
static void slow_motion_is_not_used_and_changes_are_small(void **state)
{
    const double dt = 0.01, nominal = 0.02;

    for (int fast = 0; fast < 2; fast++) {
        const double v = fast ? 0.305 : 0.295;
        struct estimator e = estimator_open("taylor", (struct setting[]){{NULL, 0}}, dt, nominal);
        double x = 0, tau = nominal;

        for (int k = 0; k < 1500; k++, x += dt)
            tau = estimator_update(&e, x, x, x - nominal);
        assert_near(tau, nominal, 1e-9);
        for (int k = 0; k < 3; k++, x += v * dt) /* until the differences are those of the slow motion */
            tau = estimator_update(&e, x, x, x - tau * v);
        for (int k = 0; k < 4; k++, x += v * dt) {
            const double before = tau;

            tau = estimator_update(&e, x, x, x - (nominal + 0.008) * v);
            if (k > 0) /* at the sample before the newest */
                assert_near(tau - before, fast ? dt / 20 : 0, 1e-12);
        }
        estimator_close(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_command_converges_quadratically),
        cmocka_unit_test(newton_command_scatters_less_with_a_higher_velocity_limit),
        cmocka_unit_test(newton_command_takes_a_gain_error_for_delay),
        cmocka_unit_test(open_loop_sequences_match),
        cmocka_unit_test(ahmadizadeh_without_bounds_divides_by_a_rounding_residue),
        cmocka_unit_test(taylor_swings_about_the_delay),
        cmocka_unit_test(taylor_is_off_by_half_the_square_of_the_delay),
        cmocka_unit_test(pade_is_constant_on_a_sine),
        cmocka_unit_test(rls_sequences_match),
        cmocka_unit_test(rls_parameters_match),
        cmocka_unit_test(rls_bias_follows_its_formula),
        cmocka_unit_test(rls_rests_and_wakes),
        cmocka_unit_test(rls_survives_a_command_that_does_not_excite),
        cmocka_unit_test(estimates_stay_within_their_bounds),
        cmocka_unit_test(samples_that_are_not_finite_are_ignored),
        cmocka_unit_test(reset_starts_from_the_nominal_delay_within_bounds),
        cmocka_unit_test(the_rate_limits_every_change),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(least_squares_finds_the_delay_of_a_record),
        cmocka_unit_test(slow_motion_is_not_used_and_changes_are_small),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
