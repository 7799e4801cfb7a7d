/* Signals against their formulas in docs/theory/signals.md. */
#include "support/check.h"

#include <yoke/signal.h>

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* A signal with its settings, as the experiment reader would make it. */
struct signal {
    const struct yk_signal_ops *ops;
    void *settings;
};

static struct signal make(const char *name)
{
    struct signal s = {yk_signal_find(name), NULL};

    assert_non_null(s.ops);
    s.settings = calloc(1, s.ops->settings_size);
    yk_param_defaults(s.ops->params, s.settings);
    return s;
}

static void set(struct signal *s, const char *name, double value)
{
    assert_ok(yk_param_set(s->ops->params, s->settings, name, value, &err));
}

static void *field(struct signal *s, const char *name)
{
    for (const struct yk_param *p = s->ops->params; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return (char *)s->settings + p->offset;
    fail();
    return NULL;
}

static enum yk_status prepare(struct signal *s, double end_s, struct yk_err *err)
{
    enum yk_status st = yk_param_check(s->ops->params, s->settings, err);

    return st || !s->ops->prepare ? st : s->ops->prepare(s->settings, end_s, err);
}

static double at(const struct signal *s, double t)
{
    return s->ops->value(s->settings, t);
}

static void drop(struct signal *s)
{
    if (s->ops->fini)
        s->ops->fini(s->settings);
    free(s->settings);
}

/* Every required setting gets the value 1, lists two of them, series a triangle. */
static struct signal make_with_ones(const char *name)
{
    static double ones[] = {1, 1}, time[] = {0, 1, 3}, value[] = {0, 2, 0};
    struct signal s = make(name);

    for (const struct yk_param *p = s.ops->params; p->name; p++) {
        if (p->type == YK_PARAM_REALS)
            *(struct yk_reals *)field(&s, p->name) = (struct yk_reals){ones, 2};
        else if (p->type == YK_PARAM_SERIES)
            *(struct yk_series *)field(&s, p->name) = (struct yk_series){time, value, 3};
        else if (isnan(p->fallback))
            set(&s, p->name, 1);
    }
    return s;
}

static void every_signal_is_named_and_found(void **state)
{
    size_t count = 0;

    for (const struct yk_signal_ops *const *s = yk_signals; *s; s++, count++) {
        assert_ptr_equal(yk_signal_find((*s)->name), *s);
        assert_true((*s)->summary[0] != 0 && (*s)->reference != NULL && (*s)->value != NULL);
        assert_true((*s)->settings_size > 0);
        assert_null(strchr((*s)->name, '_'));
        for (const struct yk_param *p = (*s)->params; p->name; p++)
            assert_true(p->help[0] != 0 && p->help[strlen(p->help) - 1] != '.');
    }
    assert_true(count >= 11); /* when this was written */
    assert_null(yk_signal_find("nonsense"));
}

static void every_signal_is_a_finite_function_of_time_alone(void **state)
{
    for (const struct yk_signal_ops *const *ops = yk_signals; *ops; ops++) {
        double forward[200];

        if (yk_param_needs_file((*ops)->params))
            continue; /* test_fmu has it */
        struct signal s = make_with_ones((*ops)->name);

        assert_ok(prepare(&s, 10, &err));
        for (int i = 0; i < 200; i++) {
            forward[i] = at(&s, 0.1 * i - 2);
            assert_true(isfinite(forward[i]));
        }
        for (int i = 199; i >= 0; i--)
            assert_true(at(&s, 0.1 * i - 2) == forward[i]);
        drop(&s);
    }
}

static void every_signal_with_a_start_is_zero_before_it(void **state)
{
    int found = 0;

    for (const struct yk_signal_ops *const *ops = yk_signals; *ops; ops++) {
        bool has_start = false;

        for (const struct yk_param *p = (*ops)->params; p->name; p++)
            has_start |= strcmp(p->name, "at") == 0;
        if (!has_start)
            continue;
        struct signal s = make_with_ones((*ops)->name), early = make_with_ones((*ops)->name);
        set(&s, "at", 2);
        assert_ok(prepare(&s, 10, &err));
        assert_ok(prepare(&early, 8, &err));
        for (int i = 0; i < 64; i++) {
            assert_true(at(&s, 1.99999 - 0.125 * i) == 0);
            assert_true(at(&s, 2 + 0.125 * i) == at(&early, 0.125 * i)); /* the same, later; these times are exact */
        }
        drop(&s);
        drop(&early);
        found++;
    }
    assert_true(found >= 5); /* when this was written */
}

static void missing_setting_is_named(void **state)
{
    struct signal s = make("sine");

    set(&s, "amplitude", 1);
    assert_refused(prepare(&s, 1, &err), YK_E_INPUT, "missing 'frequency' (cycles per second)");
    drop(&s);
}

static void simple_shapes_follow_their_formulas(void **state)
{
    struct signal s = make("constant");
    set(&s, "amplitude", -3);
    assert_true(at(&s, 0) == -3 && at(&s, 1e6) == -3);
    drop(&s);

    s = make("step");
    set(&s, "amplitude", 5);
    set(&s, "at", 0.5);
    assert_true(at(&s, 0.4999) == 0 && at(&s, 0.5) == 5 && at(&s, 9) == 5);
    drop(&s);

    s = make("ramp");
    set(&s, "amplitude", 8);
    set(&s, "from", 1);
    set(&s, "to", 3);
    assert_ok(prepare(&s, 10, &err));
    assert_true(at(&s, 1) == 0 && at(&s, 1.5) == 2 && at(&s, 2) == 4 && at(&s, 3) == 8 && at(&s, 7) == 8);
    drop(&s);

    s = make("half-sine");
    set(&s, "amplitude", 2);
    set(&s, "duration", 0.5);
    set(&s, "at", 1);
    assert_true(at(&s, 1) == 0 && at(&s, 1.25) == 2 && at(&s, 1.5) == 0 && at(&s, 2) == 0);
    assert_near(at(&s, 1 + 0.5 / 6), 1, 1e-14);
    drop(&s);
}

static void ramp_that_ends_before_it_begins_is_refused(void **state)
{
    struct signal s = make_with_ones("ramp");

    set(&s, "from", 1);
    assert_refused(prepare(&s, 10, &err), YK_E_RANGE, "ramp: to = 1 s is not after from = 1 s");
    drop(&s);
}

static void sine_has_frequency_phase_and_start(void **state)
{
    struct signal s = make("sine");

    set(&s, "amplitude", 3);
    set(&s, "frequency", 0.5);
    set(&s, "phase", PI / 6);
    set(&s, "at", 1);
    assert_near(at(&s, 1), 1.5, 1e-15);
    for (double t = 1; t < 5; t += 0.37)
        assert_near(at(&s, t), 3 * sin(PI * (t - 1) + PI / 6), 1e-13);
    drop(&s);
}

static void multi_sine_adds_its_sines(void **state)
{
    double amplitudes[] = {5, 3, 2}, frequencies[] = {1, 2, 4}, phases[] = {0.1, 0.2, 0.3};
    struct signal s = make("multi-sine");

    *(struct yk_reals *)field(&s, "amplitudes") = (struct yk_reals){amplitudes, 3};
    *(struct yk_reals *)field(&s, "frequencies") = (struct yk_reals){frequencies, 3};
    assert_ok(prepare(&s, 1, &err));
    assert_near(at(&s, 0.3), 5 * sin(0.6 * PI) + 3 * sin(1.2 * PI) + 2 * sin(2.4 * PI), 1e-14);
    *(struct yk_reals *)field(&s, "phases") = (struct yk_reals){phases, 3};
    assert_ok(prepare(&s, 1, &err));
    assert_near(at(&s, 0.3), 5 * sin(0.6 * PI + 0.1) + 3 * sin(1.2 * PI + 0.2) + 2 * sin(2.4 * PI + 0.3), 1e-14);

    ((struct yk_reals *)field(&s, "phases"))->n = 2;
    assert_refused(prepare(&s, 1, &err), YK_E_INPUT, "multi-sine: 3 amplitudes but 2 phases");
    ((struct yk_reals *)field(&s, "frequencies"))->n = 1;
    assert_refused(prepare(&s, 1, &err), YK_E_INPUT, "multi-sine: 3 amplitudes but 1 frequencies");
    drop(&s);
}

/* The sweeps below begin and end at a whole number of cycles, so the slope there is 2 pi f times the amplitude. */
static void check_sweep_ends(struct signal *s, double length, double from, double to)
{
    const double h = 1e-6, A = 2;

    assert_near(at(s, 0), 0, 0);
    assert_near(at(s, length), 0, 1e-11);
    assert_near_relative((4 * at(s, h) - at(s, 2 * h)) / (2 * h) / (2 * PI * A), from, 1e-7);
    assert_near_relative(-(4 * at(s, length - h) - at(s, length - 2 * h)) / (2 * h) / (2 * PI * A), to, 1e-7);
}

static struct signal make_sweep(double from, double to, int spacing)
{
    struct signal s = make("sweep");

    set(&s, "amplitude", 2);
    set(&s, "from", from);
    set(&s, "to", to);
    set(&s, "spacing", spacing);
    return s;
}

static void linear_sweep_goes_from_first_to_last_frequency(void **state)
{
    struct signal s = make_sweep(0.5, 5.5, 0);

    set(&s, "duration", 4); /* (0.5 + 5.5)/2 * 4 = 12 cycles */
    assert_ok(prepare(&s, 100, &err));
    check_sweep_ends(&s, 4, 0.5, 5.5);
    assert_near(at(&s, 1), 2 * sin(2 * PI * (0.5 + 0.5 * 5 / 4.0)), 1e-13);
    assert_true(at(&s, 4.001) == 0);
    drop(&s);
}

static void log_sweep_goes_from_first_to_last_frequency(void **state)
{
    const double from = 0.5, to = 8, length = 12 * log(to / from) / (to - from); /* 12 cycles */
    struct signal s = make_sweep(from, to, 1);

    set(&s, "duration", length);
    assert_ok(prepare(&s, 100, &err));
    check_sweep_ends(&s, length, from, to);
    drop(&s);
    s = make_sweep(3, 3, 1); /* no growth: a sine */
    assert_ok(prepare(&s, 2, &err));
    assert_near(at(&s, 0.3), 2 * sin(2 * PI * 0.9), 1e-14);
    drop(&s);
}

static void falling_sweep_works_too(void **state)
{
    struct signal s = make_sweep(5.5, 0.5, 0);

    assert_ok(prepare(&s, 4, &err));
    check_sweep_ends(&s, 4, 5.5, 0.5);
    drop(&s);
}

static void sweep_without_duration_lasts_to_the_end_of_the_run(void **state)
{
    struct signal s = make_sweep(0.5, 5.5, 0);

    set(&s, "at", 1);
    assert_ok(prepare(&s, 5, &err));
    assert_near(at(&s, 2), 2 * sin(2 * PI * (0.5 + 0.5 * 5 / 4.0)), 1e-13);
    assert_ok(prepare(&s, 9, &err)); /* another run, another end */
    assert_near(at(&s, 2), 2 * sin(2 * PI * (0.5 + 0.5 * 5 / 8.0)), 1e-13);
    assert_refused(prepare(&s, 1, &err), YK_E_RANGE, "sweep: at = 1 s leaves nothing of a run that ends at 1 s");
    drop(&s);
    s = make_sweep(0, 5, 1);
    assert_refused(prepare(&s, 5, &err), YK_E_RANGE,
                   "sweep: log spacing needs frequencies above zero, not 0 Hz to 5 Hz");
    drop(&s);
}

static struct signal make_noise(double rms, double low, double high, int lines, int seed)
{
    struct signal s = make("noise");

    set(&s, "rms", rms);
    set(&s, "low", low);
    set(&s, "high", high);
    set(&s, "lines", lines);
    set(&s, "seed", seed);
    assert_ok(prepare(&s, 10, &err));
    return s;
}

/* eq. (10) line by line, with the phases of eq. (11). */
static double noise_by_definition(double rms, double low, double high, int lines, uint32_t seed, double t)
{
    double sum = 0;

    for (int k = 1; k <= lines; k++) {
        seed = 1664525u * seed + 1013904223u;
        sum += cos(2 * PI * ((low + k * (high - low) / lines) * t + seed / 4294967296.0));
    }
    return rms * sqrt(2.0 / lines) * sum;
}

static void noise_is_the_sum_of_its_lines(void **state)
{
    struct signal s = make_noise(3, 2, 12, 50, 7);

    for (double t = 0; t < 20; t += 0.731) /* rounding: angles up to 2 pi 12 t, 50 of them */
        assert_near(at(&s, t), noise_by_definition(3, 2, 12, 50, 7, t), 1e-11);
    drop(&s);
}

/* Values at 0.1 s from an independent program with the same lines, 1 .. 200 Hz, and the same generator. */
static void noise_agrees_with_another_program(void **state)
{
    const double step[] = {-0.7647, -0.2643, -0.0005};

    for (int seed = 1; seed <= 3; seed++) {
        struct signal a = make_noise(1, 0, 200, 200, seed), b = make_noise(1, 0, 200, 200, seed + 1);

        assert_near(at(&a, 0.1) - at(&b, 0.1), step[seed - 1], 1.01e-4); /* given to 1e-4, each rounded by half */
        drop(&a);
        drop(&b);
    }
}

static void noise_has_its_rms_and_stays_in_its_band(void **state)
{
    enum { N = 1000 };
    const double period = 5, low = 4, high = 24; /* 100 lines 0.2 Hz apart; N samples reach 100 Hz */
    struct signal s = make_noise(2, low, high, 100, 3);
    double y[N], square = 0;

    for (int i = 0; i < N; i++) {
        y[i] = at(&s, period * i / N);
        square += y[i] * y[i] / N;
    }
    assert_near_relative(sqrt(square), 2, 1e-12);
    for (int k = 0; k < N / 2; k++) {
        const double f = k / period;
        double re = 0, im = 0;

        for (int i = 0; i < N; i++) {
            re += y[i] * cos(2 * PI * k * i / N) * 2 / N;
            im += y[i] * sin(2 * PI * k * i / N) * 2 / N;
        }
        const bool inside = f > low + 0.1 && f < high + 0.1;
        assert_near(hypot(re, im), inside ? 2 * sqrt(2.0 / 100) : 0, 1e-11);
    }
    drop(&s);
}

static void noise_differs_by_seed_and_refuses_an_empty_band(void **state)
{
    struct signal a = make_noise(1, 0, 10, 200, 1), b = make_noise(1, 0, 10, 200, 2);

    assert_true(fabs(at(&a, 1) - at(&b, 1)) > 1e-3);
    drop(&a);
    drop(&b);
    a = make("noise");
    set(&a, "rms", 1);
    set(&a, "low", 5);
    set(&a, "high", 5);
    assert_refused(prepare(&a, 1, &err), YK_E_RANGE, "noise: high = 5 Hz is not above low = 5 Hz");
    drop(&a);
}

static void series_is_straight_between_samples_and_zero_outside(void **state)
{
    double t[] = {1, 2, 4, 5}, y[] = {10, 20, -20, 3};
    const struct yk_series s = {t, y, 4};

    for (int i = 0; i < 4; i++)
        assert_true(yk_series_value(&s, t[i]) == y[i]);
    assert_true(yk_series_value(&s, 1.5) == 15 && yk_series_value(&s, 3) == 0 && yk_series_value(&s, 3.5) == -10);
    assert_true(yk_series_value(&s, 0.999) == 0 && yk_series_value(&s, 5.001) == 0 && yk_series_value(&s, NAN) == 0);
    assert_true(yk_series_value(&(struct yk_series){t, y, 1}, 1) == 10);
    assert_true(yk_series_value(&(struct yk_series){NULL, NULL, 0}, 1) == 0);
}

static void file_and_record_scale_their_samples(void **state)
{
    double t[] = {0, 1}, y[] = {2, 4};
    static const char *const names[] = {"file", "record"};

    for (int i = 0; i < 2; i++) {
        struct signal s = make(names[i]);

        assert_refused(prepare(&s, 1, &err), YK_E_INPUT, "missing 'file'");
        *(struct yk_series *)field(&s, "file") = (struct yk_series){t, y, 2};
        assert_ok(prepare(&s, 1, &err));
        assert_true(at(&s, 0.5) == 3);
        set(&s, "scale", -2);
        assert_true(at(&s, 0.5) == -6 && at(&s, 1.01) == 0);
        drop(&s);
    }
}

enum { QUAKE = 3001 }; /* 15 s in steps of 5 ms */

static struct signal make_quake(int seed, int envelope)
{
    struct signal s = make("earthquake");

    set(&s, "peak", 3.5);
    set(&s, "seed", seed);
    set(&s, "envelope", envelope);
    return s;
}

static void earthquake_reaches_its_peak_and_comes_to_rest(void **state)
{
    const double h = 0.005;

    for (int envelope = 0; envelope < 2; envelope++)
        for (int seed = 0; seed < 20; seed++) {
            struct signal s = make_quake(seed, envelope);
            double peak = 0, v = 0, u = 0, a0 = 0, fastest = 0;

            assert_ok(prepare(&s, 30, &err));
            for (int i = 0; i < QUAKE; i++) {
                const double a = at(&s, h * i);

                peak = fmax(peak, fabs(a));
                u += h * v + h * h * (2 * a0 + a) / 6;
                v += h * (a0 + a) / 2;
                a0 = a;
                fastest = fmax(fastest, fabs(v));
            }
            assert_near_relative(peak, 3.5, 1e-15);
            assert_true(fastest > 0.05);
            assert_near(v, 0, 1e-12); /* rounding: 3000 sums of about 1e-2 */
            assert_near(u, 0, 1e-11);
            assert_true(at(&s, 0) == 0 && at(&s, -1) == 0 && at(&s, 15.1) == 0);
            assert_near(at(&s, 15), 0, 1e-14);
            drop(&s);
        }
}

/* y[k] of (n2 s^2 + n1 s + n0)/(s^2 + d1 s + d0) under eq. (17), from the last two inputs and outputs */
static void by_recursion(const double *n, double d1, double d0, double h, const double *x, double *y, int count)
{
    const double K = 2 / h;

    for (int k = 0; k < count; k++) {
        const double x1 = k > 0 ? x[k - 1] : 0, x2 = k > 1 ? x[k - 2] : 0, y1 = k > 0 ? y[k - 1] : 0,
                     y2 = k > 1 ? y[k - 2] : 0;

        y[k] = ((n[0] * K * K + n[1] * K + n[2]) * x[k] + 2 * (n[2] - n[0] * K * K) * x1 +
                (n[0] * K * K - n[1] * K + n[2]) * x2 - 2 * (d0 - K * K) * y1 - (K * K - d1 * K + d0) * y2) /
               (K * K + d1 * K + d0);
    }
}

/* docs/theory/signals.md, eq. (11), (15)-(22), once more, with settings that are not the defaults; the drift is taken
 * off by the sums that the velocity and the displacement of straight lines come to. */
static void earthquake_is_what_its_equations_make(void **state)
{
    enum { RUN_IN = 4000, ALL = RUN_IN + QUAKE };
    const double h = 0.005, T = 15, wg = 2 * PI * 3.1, wc = 2 * PI * 0.25, zg = 0.5, zc = 0.7;
    static double w[ALL], soil[ALL], motion[ALL], e[QUAKE];
    double v[3] = {0}, u[3] = {0}, peak = 0;
    struct signal s = make_quake(7, 0);
    uint32_t random = 7;

    set(&s, "frequency", 3.1);
    set(&s, "damping", zg);
    set(&s, "corner", 0.25);
    set(&s, "corner_damping", zc);
    assert_ok(prepare(&s, 30, &err));
    for (int k = 0; k < ALL; k++) {
        random = 1664525u * random + 1013904223u;
        w[k] = random / 4294967296.0 - 0.5;
    }
    by_recursion((double[]){0, 2 * zg * wg, wg * wg}, 2 * zg * wg, wg * wg, h, w, soil, ALL);
    by_recursion((double[]){1, 0, 0}, 2 * zc * wc, wc * wc, h, soil, motion, ALL);
    for (int i = 0; i < QUAKE; i++) { /* V = h sum a, U = h sum a (T - t) where a vanishes at both ends */
        const double t = h * i;

        e[i] = t < 2 ? t / 2 : t < 10 ? 1 : (15 - t) / 5;
        motion[RUN_IN + i] *= e[i];
        const double a[3] = {motion[RUN_IN + i], e[i], e[i] * t / T};
        for (int k = 0; k < 3; k++) {
            v[k] += a[k];
            u[k] += a[k] * (T - t);
        }
    }
    const double det = v[1] * u[2] - v[2] * u[1], c0 = (v[0] * u[2] - v[2] * u[0]) / det,
                 c1 = (v[1] * u[0] - v[0] * u[1]) / det;
    for (int i = 0; i < QUAKE; i++) {
        motion[RUN_IN + i] -= (c0 + c1 * h * i / T) * e[i];
        peak = fmax(peak, fabs(motion[RUN_IN + i]));
    }
    for (int i = 0; i < QUAKE; i++)
        assert_near(at(&s, h * i), 3.5 * motion[RUN_IN + i] / peak, 1e-9);
    drop(&s);
}

static void earthquake_is_determined_by_its_seed(void **state)
{
    struct signal a = make_quake(4, 0), b = make_quake(4, 0), c = make_quake(5, 0);
    int different = 0;

    assert_ok(prepare(&a, 30, &err));
    assert_ok(prepare(&b, 3, &err)); /* nor does the end of the run matter */
    assert_ok(prepare(&c, 30, &err));
    for (double t = 0; t < 16; t += 0.01) {
        assert_true(at(&a, t) == at(&b, t));
        different += at(&a, t) != at(&c, t);
    }
    assert_true(different > 1400);
    drop(&a);
    drop(&b);
    drop(&c);
}

/* |y(f)|^2 of the strong part, added over seeds. */
static double power(double f, double frequency, double damping)
{
    double sum = 0;

    for (int seed = 1; seed <= 40; seed++) {
        struct signal s = make_quake(seed, 0);
        double re = 0, im = 0;

        set(&s, "frequency", frequency);
        set(&s, "damping", damping);
        assert_ok(prepare(&s, 30, &err));
        for (int i = 400; i < 2000; i++) {
            re += at(&s, 0.005 * i) * cos(2 * PI * f * 0.005 * i);
            im += at(&s, 0.005 * i) * sin(2 * PI * f * 0.005 * i);
        }
        sum += re * re + im * im;
        drop(&s);
    }
    return sum;
}

/* With little damping the Kanai-Tajimi spectrum peaks just below the ground frequency, 40 motions scatter by a sixth.
 */
static void earthquake_is_strongest_near_the_ground_frequency(void **state)
{
    const double frequency = 4;
    double best = 0, best_f = 0;

    for (double f = 0.5; f < 12; f += 0.125) {
        const double p = power(f, frequency, 0.1);

        if (p > best) {
            best = p;
            best_f = f;
        }
    }
    assert_near_relative(best_f, frequency, 0.1);
    assert_true(power(0.06, frequency, 0.1) < 0.01 * best); /* below the high-pass corner */
    assert_true(power(30, frequency, 0.1) < 0.01 * best);
}

static void earthquake_that_cannot_be_sampled_is_refused(void **state)
{
    struct signal s = make_quake(1, 0);

    set(&s, "step", 0.05);
    assert_refused(prepare(&s, 1, &err), YK_E_RANGE,
                   "earthquake: step = 0.05 s is above 0.04 s, a tenth of the period at 2.5 Hz");
    set(&s, "step", 1e-5);
    set(&s, "strong", 1000);
    assert_refused(prepare(&s, 1, &err), YK_E_RANGE, "makes 100700001 samples of 1007 s, outside 20 .. 10000000");
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_signal_is_named_and_found),
        cmocka_unit_test(every_signal_is_a_finite_function_of_time_alone),
        cmocka_unit_test(every_signal_with_a_start_is_zero_before_it),
        cmocka_unit_test(missing_setting_is_named),
        cmocka_unit_test(simple_shapes_follow_their_formulas),
        cmocka_unit_test(ramp_that_ends_before_it_begins_is_refused),
        cmocka_unit_test(sine_has_frequency_phase_and_start),
        cmocka_unit_test(multi_sine_adds_its_sines),
        cmocka_unit_test(linear_sweep_goes_from_first_to_last_frequency),
        cmocka_unit_test(log_sweep_goes_from_first_to_last_frequency),
        cmocka_unit_test(falling_sweep_works_too),
        cmocka_unit_test(sweep_without_duration_lasts_to_the_end_of_the_run),
        cmocka_unit_test(noise_is_the_sum_of_its_lines),
        cmocka_unit_test(noise_agrees_with_another_program),
        cmocka_unit_test(noise_has_its_rms_and_stays_in_its_band),
        cmocka_unit_test(noise_differs_by_seed_and_refuses_an_empty_band),
        cmocka_unit_test(series_is_straight_between_samples_and_zero_outside),
        cmocka_unit_test(file_and_record_scale_their_samples),
        cmocka_unit_test(earthquake_reaches_its_peak_and_comes_to_rest),
        cmocka_unit_test(earthquake_is_what_its_equations_make),
        cmocka_unit_test(earthquake_is_determined_by_its_seed),
        cmocka_unit_test(earthquake_is_strongest_near_the_ground_frequency),
        cmocka_unit_test(earthquake_that_cannot_be_sampled_is_refused),
    };
    return cmocka_run_group_tests_name("signals", tests, NULL, NULL);
}
