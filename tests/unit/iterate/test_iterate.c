/* Iterated tests (yoke/iterate.h) on rigs made here: a servo with dead time in the frequency domain, a delayed rig in
 * the time domain. Expected values: closed forms, and an independent prototype in Python (docs/theory/iterate.md). */
#include "support/check.h"

#include <yoke/iterate.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define M  1000.0
#define K0 (M * 16 * PI * PI) /* T = 0.5 s */
#define C0 (2 * 0.05 * M * 4 * PI)

/* ---- periodic: one harmonic of a linear specimen softer structure ---- */

static double complex servo(double w, double w0, double zeta, double dead)
{
    return w0 * w0 / (w0 * w0 - w * w + 2 * zeta * w0 * w * I) * cexp(-I * w * dead);
}

struct sine {
    double w, P;
    double complex Z, S, H, X;
};

static enum yk_status run_sine(void *self, const double *u, double *R, struct yk_err *err)
{
    struct sine *s = self;
    const double complex U = u[0] + I * u[1], X = s->H * U, F = s->S * X, r = s->Z * X + F - s->P;

    s->X = X;
    R[0] = creal(r);
    R[1] = cimag(r);
    return YK_OK;
}

static struct sine sine_at(double f)
{
    const double w = 2 * PI * f;

    return (struct sine){.w = w,
                         .P = 500,
                         .Z = 0.2 * K0 - M * w * w + I * w * C0,
                         .S = 0.8 * K0 + 100.0 * I * w,
                         .H = servo(w, 2 * PI * 10, 0.7, 0.01)};
}

static void jacobian(double complex j, double J[4])
{
    J[0] = J[3] = creal(j);
    J[1] = -cimag(j);
    J[2] = cimag(j);
}

static void harmonic_response_is_the_closed_form(void **state)
{
    static const struct {
        double f, mm, deg;
    } wanted[] = {{1.3, 5.442714708, -6.928096517}, {2, 29.328946484, -90}, {3, 2.512037514, -172.618483574}};

    for (int i = 0; i < 3; i++) {
        struct sine s = sine_at(wanted[i].f);
        struct yk_broyden_settings settings = yk_broyden_defaults();
        struct yk_broyden_result result;
        double u[2] = {0}, J[4];

        settings.scale = s.P;
        settings.tolerance = 1e-13;
        jacobian((s.Z + s.S) * s.H, J);
        assert_ok(yk_broyden_solve(&settings, 2, u, J, run_sine, &s, NULL, &result, &err));
        assert_int_equal(result.end, YK_ITERATION_CONVERGED);
        assert_int_equal(result.runs, 2); /* an exact Jacobian: from nothing, and there */
        assert_near(1e3 * cabs(s.X), wanted[i].mm, 5e-10);
        assert_near(carg(s.X) * 180 / PI, wanted[i].deg, 5e-10);
        assert_near(cabs(s.X - s.P / (s.Z + s.S)), 0, 1e-14);
    }
}

/* Gay 1979: at most 2n updates for n unknowns. */
static void broyden_ends_after_twice_the_unknowns(void **state)
{
    static const double wanted[] = {1, 0.7073, 0.07825, 0.05231};

    for (int bad = 0; bad < 2; bad++)
        for (int f = 0; f < 3; f++) {
            struct sine s = sine_at((double[]){1.3, 2, 3}[f]);
            struct yk_broyden_settings settings = yk_broyden_defaults();
            struct yk_broyden_result result;
            double u[2] = {0}, J[4], residuals[12];

            settings.bad = bad;
            settings.scale = s.P;
            settings.tolerance = 1e-12;
            settings.step_limit = 0;
            jacobian((s.Z + 0.7 * 0.8 * K0) * servo(s.w, 2 * PI * 10, 0.7, 0.005), J);
            assert_ok(yk_broyden_solve(&settings, 2, u, J, run_sine, &s, residuals, &result, &err));
            assert_int_equal(result.end, YK_ITERATION_CONVERGED);
            assert_int_equal(result.runs, 5);
            for (int k = 0; k < 4 && f == 0 && !bad; k++)
                assert_near_relative(residuals[k], wanted[k], 1e-3);
        }
}

static void plain_exchange_needs_a_soft_specimen(void **state)
{
    static const double wanted[] = {3.451323, 0.992327, 0.389247};

    for (int i = 0; i < 3; i++) {
        const struct sine s = sine_at((double[]){1.3, 2, 3}[i]);

        assert_near(cabs(s.S / s.Z), wanted[i], 5e-7);
    }
}

static void a_run_that_fails_ends_the_iteration(void **state);
static enum yk_status fail_run(void *self, const double *u, double *R, struct yk_err *err)
{
    return yk_fail(err, YK_E_STOPPED, "the rig tripped");
}
static void a_run_that_fails_ends_the_iteration(void **state)
{
    struct yk_broyden_settings settings = yk_broyden_defaults();
    struct yk_broyden_result result;
    double u[2] = {0}, J[4] = {1, 0, 0, 1};

    assert_refused(yk_broyden_solve(&settings, 2, u, J, fail_run, NULL, NULL, &result, &err), YK_E_STOPPED, "tripped");
}

/* ---- response curve of a specimen that hardens: folds ---- */

enum { MOST_H = 5, TIMES = 64 };

struct duffing {
    int H;
    double points[2000][2]; /* w, amplitude */
    size_t count;
    double residual;
};

/* The rig moves by the servo; the specimen 0.4 x + 0.5 x^3 answers; coefficients of x = Re sum X_h exp(jhwt). */
static enum yk_status run_duffing(void *self, double w, const double *u, double *R, struct yk_err *err)
{
    const struct duffing *d = self;
    double complex X[MOST_H + 1] = {0}, F[MOST_H + 1] = {0};

    for (int h = 1; h <= d->H; h++)
        X[h] = servo(h * w, 20, 0.7, 0.05) * (u[2 * h - 2] + I * u[2 * h - 1]);
    for (int k = 0; k < TIMES; k++) {
        double x = 0;

        for (int h = 1; h <= d->H; h++)
            x += creal(X[h] * cexp(2 * PI * I * h * k / TIMES));
        for (int h = 1; h <= d->H; h++)
            F[h] += 2.0 / TIMES * (0.4 * x + 0.5 * x * x * x) * cexp(-2 * PI * I * h * k / TIMES);
    }
    for (int h = 1; h <= d->H; h++) {
        const double complex r = (0.6 - h * h * w * w + 0.1 * I * h * w) * X[h] + F[h] - (h == 1 ? 0.2 : 0);

        R[2 * h - 2] = creal(r);
        R[2 * h - 1] = cimag(r);
    }
    return YK_OK;
}

static bool add_point(void *self, double w, const double *u, double residual, int runs)
{
    struct duffing *d = self;

    d->points[d->count][0] = w;
    d->points[d->count++][1] = hypot(u[0], u[1]);
    d->residual = fmax(d->residual, residual);
    return d->count < 2000;
}

static struct yk_response_result trace(struct duffing *d, int H, double tolerance, double step)
{
    struct yk_response_settings s = yk_response_defaults();
    struct yk_response_result result;
    double u[2 * MOST_H] = {0}, J[4 * MOST_H * MOST_H] = {0};
    const size_t n = 2 * (size_t)H;

    *d = (struct duffing){.H = H};
    s.corrector.scale = 0.2;
    s.corrector.tolerance = tolerance;
    s.from = 0.5;
    s.to = 2.2;
    s.step = step;
    s.most_points = 2000;
    s.difference = tolerance < 1e-6 ? 1e-6 : 1e-3;
    for (int h = 1; h <= H; h++) {
        double j[4];

        jacobian((1.0 - h * h * 0.25 + 0.05 * I * h) * servo(h * 0.5, 20, 0.7, 0.05), j);
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < 2; k++)
                J[(2 * (size_t)h - 2 + i) * n + 2 * (size_t)h - 2 + k] = j[2 * i + k];
    }
    assert_ok(yk_response_trace(&s, n, u, J, run_duffing, add_point, d, &result, &err));
    assert_true(result.complete);
    assert_true(d->residual < tolerance);
    return result;
}

/* Folds of one harmonic: q = k + 3/4 k3 a^2 - m w^2, (q^2 + c^2 w^2) a^2 = P^2, q^2 + c^2 w^2 + 3/2 k3 a^2 q = 0. */
static void folds_are_those_of_the_closed_form(void **state)
{
    static const double w[] = {1.351568179, 1.200655407}, a[] = {1.474637006, 0.662392157};
    static struct duffing d;

    for (int i = 0; i < 2; i++) {
        const double q = 1 + 0.375 * a[i] * a[i] - w[i] * w[i], size = q * q + 0.01 * w[i] * w[i];

        assert_near(size * a[i] * a[i], 0.04, 1e-8);
        assert_near(size + 0.75 * a[i] * a[i] * q, 0, 1e-8);
    }
    const struct yk_response_result r = trace(&d, 1, 1e-9, 0.01);

    assert_int_equal(r.fold_count, 2);
    assert_near(r.folds[0].w, w[0], 2e-6);
    assert_near(r.folds[1].w, w[1], 2e-6);
}

static void three_harmonics_move_the_folds(void **state)
{
    static struct duffing d;
    const struct yk_response_result fine = trace(&d, 3, 1e-9, 0.01);

    assert_int_equal(fine.fold_count, 2);
    assert_near(fine.folds[0].w, 1.354337, 2e-6);
    assert_near(fine.folds[1].w, 1.200969, 2e-6);
    const struct yk_response_result five = trace(&d, 5, 1e-9, 0.01);

    assert_near(five.folds[0].w, 1.354340, 2e-6);
    assert_near(five.folds[1].w, 1.200969, 2e-6);
    const struct yk_response_result coarse = trace(&d, 3, 1e-3, 0.1);

    assert_near(coarse.folds[0].w, 1.354337, 1e-3);
    assert_near(coarse.folds[1].w, 1.200969, 1e-3);
    assert_in_range(coarse.points, 40, 110);
    assert_in_range(coarse.runs, 200, 640);
    print_message("  %zu points, %d runs, folds %.6f, %.6f\n", coarse.points, coarse.runs, coarse.folds[0].w,
                  coarse.folds[1].w);
}

/* ---- whole records ---- */

enum { N = 5001, TICKS = 6, MOST_RUNS = 20 };
#define H 0.002

enum specimen { SPRING, BILINEAR, SMOOTH };

struct record {
    enum specimen kind;
    double load, pace; /* factor; delay of the rig in ticks */
    double error[MOST_RUNS + 1], peak[MOST_RUNS + 1], energy;
    int runs;
};

static double load_at(int k)
{
    const double t = k * H;

    return -M * pow(sin(PI * t / 10), 2) * (sin(1.4 * PI * t) + sin(3.4 * PI * t + 1) + 0.7 * sin(6.2 * PI * t + 2));
}

/* The specimen, which begins fresh; z and last belong to the caller. */
static double specimen(enum specimen kind, double x, double *z, double *last)
{
    const double k = 0.8 * K0, dx = x - *last;

    *last = x;
    if (kind == SPRING)
        return k * x;
    if (kind == BILINEAR) {
        *z = fmax(-1000, fmin(1000, *z + k * dx));
        return 0.1 * k * x + 0.9 * *z;
    }
    const double z_y = 1000 / k;

    *z += dx * (1 - (dx * *z > 0 ? *z / z_y * (*z / z_y) : 0));
    return k * (0.1 * x + 0.9 * *z);
}

static enum yk_status rig(void *self, const double *u, double *x, double *F, struct yk_err *err)
{
    struct record *r = self;
    double z = 0, last = 0, before = 0, most = 0;

    r->energy = 0;
    for (int k = 0; k < N; k++) {
        x[k] = k < TICKS ? 0 : 0.97 * u[k - TICKS];
        F[k] = specimen(r->kind, x[k], &z, &last);
        r->energy += k ? 0.5 * (F[k] + before) * (x[k] - x[k - 1]) : 0;
        before = F[k];
        most = fmax(most, fabs(x[k]));
    }
    r->peak[++r->runs] = most;
    return YK_OK;
}

/* Central differences with the force of `answer` along the way; x[0] = 0 at rest. */
static void march(const struct record *r, const struct yk_specimen_model *m, const double *D, double *x)
{
    const double a = M / (H * H), c = C0 / (2 * H);
    double z = 0, last = 0, from = 0.5 * load_at(0) * r->load / M * H * H; /* x(-1) */

    x[0] = 0;
    for (int k = 0; k + 1 < N; k++) {
        double F;

        if (!m)
            F = specimen(r->kind, x[k], &z, &last);
        else if (m->kind == YK_SPECIMEN_LINEAR)
            F = m->K[0] * x[k]; /* its damping is with that of the structure */
        else {
            z = fmax(-m->yield, fmin(m->yield, z + m->stiffness * (x[k] - last)));
            last = x[k];
            F = m->hardening * m->stiffness * x[k] + (1 - m->hardening) * z;
        }
        const double own = m && m->kind == YK_SPECIMEN_LINEAR ? m->C[0] / (2 * H) : 0, before = k ? x[k - 1] : from;

        x[k + 1] =
            (r->load * load_at(k) - 0.2 * K0 * x[k] - F - (D ? D[k] : 0) + 2 * a * x[k] - (a - c - own) * before) /
            (a + c + own);
    }
}

static enum yk_status structure(void *self, const struct yk_specimen_model *m, const double *D, double *x,
                                struct yk_err *err)
{
    march(self, m, D, x);
    return YK_OK;
}

static bool made(void *self, int run, double error, double fit, double blend, const double *x, const double *target)
{
    ((struct record *)self)->error[run] = error;
    return true;
}

static struct yk_specimen_model linear_model(double k)
{
    return (struct yk_specimen_model){.kind = YK_SPECIMEN_LINEAR, .n = 1, .K = {k}};
}

static struct yk_specimen_model bilinear_model(double k, double yield, double hardening)
{
    return (struct yk_specimen_model){
        .kind = YK_SPECIMEN_BILINEAR, .n = 1, .stiffness = k, .yield = yield, .hardening = hardening};
}

static double *u, *x, *F, *target;

/* Iterates; returns how many runs it took to converge, 0: it did not. */
static int iterate(struct record *r, struct yk_specimen_model *m, bool refit, double bound, double tolerance, int most)
{
    struct yk_record_iteration it = {.samples = N,
                                     .dofs = 1,
                                     .step = H,
                                     .tolerance = tolerance,
                                     .bound = bound,
                                     .most = most,
                                     .lead = TICKS,
                                     .model = m,
                                     .refit = refit,
                                     .self = r,
                                     .rig = rig,
                                     .structure = structure,
                                     .made = made};
    struct yk_record_result result;

    assert_ok(yk_record_iterate(&it, u, x, F, target, &result, &err));
    return result.end == YK_ITERATION_CONVERGED ? result.runs : 0;
}

static int open_room(void **state)
{
    u = calloc(4 * N, sizeof *u);
    x = u + N;
    F = x + N;
    target = F + N;
    return !u;
}

static int close_room(void **state)
{
    free(u);
    return 0;
}

static double largest(const double *y)
{
    double most = 0;

    for (int k = 0; k < N; k++)
        most = fmax(most, fabs(y[k]));
    return most;
}

static double rms(const double *y)
{
    double sum = 0;

    for (int k = 0; k < N; k++)
        sum += y[k] * y[k];
    return sqrt(sum / N);
}

static double whole(enum specimen kind)
{
    const struct record r = {.kind = kind, .load = 1};

    march(&r, NULL, NULL, x);
    return largest(x);
}

static void the_whole_structure_moves_so_far(void **state)
{
    static const double peak[] = {29.860432, 38.488806, 38.622234}, size[] = {10.420600, 13.142520, 13.185307};

    for (int kind = SPRING; kind <= SMOOTH; kind++) {
        assert_near(1e3 * whole((enum specimen)kind), peak[kind], 5e-7);
        assert_near(1e3 * rms(x), size[kind], 5e-7);
    }
}

static void a_right_spring_leaves_only_the_tracking(void **state)
{
    struct record r = {.kind = SPRING, .load = 1};
    struct yk_specimen_model m = linear_model(0.8 * K0);

    assert_int_equal(iterate(&r, &m, false, 0, 1e-3, 12), 2);
    assert_near_relative(r.error[1], 3.00e-2, 1e-3);
    assert_near_relative(r.error[2], 9.00e-4, 1e-3);
}

/* The motion grows first, whatever the theorem promises of the end. */
static void a_fixed_wrong_model_would_break_the_specimen(void **state)
{
    struct record r = {.kind = SPRING, .load = 1};
    struct yk_specimen_model m = linear_model(0.7 * 0.8 * K0);

    assert_int_equal(iterate(&r, &m, false, 0, 1e-3, 12), 0);
    assert_near_relative(r.peak[12] / whole(SPRING), 383, 2e-3);

    /* with the bound, it grows by no more than that in a run, and stops */
    struct record bounded = {.kind = SPRING, .load = 1};

    assert_int_equal(iterate(&bounded, &m, false, 1.2, 1e-3, 12), 0);
    assert_true(bounded.runs < 12);
    for (int k = 2; k <= bounded.runs; k++)
        assert_true(bounded.peak[k] < 1.3 * fmax(bounded.peak[k - 1], bounded.peak[1]));
}

static void a_refitted_spring_converges(void **state)
{
    static const double wanted[] = {0, 2.23, 6.68e-2, 2.01e-3, 6.02e-5};
    struct record r = {.kind = SPRING, .load = 1};
    struct yk_specimen_model m = linear_model(0.7 * 0.8 * K0);

    assert_int_equal(iterate(&r, &m, true, 0, 1e-3, 12), 4);
    for (int k = 1; k <= 4; k++)
        assert_near_relative(r.error[k], wanted[k], 3e-3);
    assert_near(r.peak[1] / whole(SPRING), 2.2, 0.05);
    assert_near_relative(m.K[0], 0.8 * K0, 1e-9);
}

static void a_bilinear_model_is_refitted(void **state)
{
    static const double wanted[] = {0, 0.300, 1.07e-2, 3.11e-4};
    struct record r = {.kind = BILINEAR, .load = 1}, fixed = r;
    struct yk_specimen_model m = bilinear_model(0.8 * 0.8 * K0, 1500, 0.05), as_it_was = m;

    assert_int_equal(iterate(&r, &m, true, 0, 1e-3, 12), 3);
    for (int k = 1; k <= 3; k++)
        assert_near_relative(r.error[k], wanted[k], 2e-2);
    assert_int_equal(iterate(&fixed, &as_it_was, false, 0, 1e-3, 15), 13);
}

static void a_model_of_another_kind_is_enough(void **state)
{
    struct record r = {.kind = SMOOTH, .load = 1}, fixed = r;
    struct yk_specimen_model m = bilinear_model(0.8 * 0.8 * K0, 1500, 0.05), as_it_was = m;

    const int runs = iterate(&r, &m, true, 0, 1e-3, 12);

    print_message("  smooth: %d runs, peak %.3g off\n", runs, largest(x) / whole(SMOOTH) - 1);
    assert_int_equal(runs, 6);
    const double peak = largest(x), best = whole(SMOOTH);

    assert_near_relative(peak, best, 1e-3);
    const int long_way = iterate(&fixed, &as_it_was, false, 0, 1e-3, 15);

    print_message("  fixed: %d runs\n", long_way);
    assert_in_range(long_way, 9, 15);
}

/* The delay behind the command is found again. */
static void the_lead_is_found_from_a_run(void **state)
{
    struct record r = {.kind = SPRING, .load = 1};
    struct yk_specimen_model m = linear_model(0.8 * K0);
    struct yk_record_iteration it = {.samples = N,
                                     .dofs = 1,
                                     .step = H,
                                     .tolerance = 1e-3,
                                     .most = 12,
                                     .find_lead = true,
                                     .model = &m,
                                     .self = &r,
                                     .rig = rig,
                                     .structure = structure};
    struct yk_record_result result;

    assert_ok(yk_record_iterate(&it, u, x, F, target, &result, &err));
    assert_int_equal(result.end, YK_ITERATION_CONVERGED);
    assert_near(result.lead, TICKS, 0.02);
    assert_true(result.runs <= 4);
}

/* From a small load to the whole one, each rung with the model of the last: the specimen is bent less. */
static void a_ladder_spares_the_specimen(void **state)
{
    static const double ladder[] = {0.3, 0.6, 1};
    struct yk_specimen_model m = bilinear_model(0.8 * 0.8 * K0, 1500, 0.05), direct_model = m;
    struct record direct = {.kind = SMOOTH, .load = 1};
    const double peak = whole(SMOOTH);
    int runs[3];

    for (int k = 0; k < 3; k++) {
        struct record r = {.kind = SMOOTH, .load = ladder[k]};

        runs[k] = iterate(&r, &m, true, 1.2, k < 2 ? 0.05 : 0.01, 12);
        assert_true(runs[k] > 0);
        for (int i = 1; i <= r.runs; i++)
            assert_true(r.peak[i] < 1.5 * peak);
    }
    print_message("  ladder: %d + %d + %d runs, direct: %d\n", runs[0], runs[1], runs[2],
                  iterate(&direct, &direct_model, true, 1.2, 0.01, 12));
    assert_in_range(runs[2], 1, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmonic_response_is_the_closed_form),
        cmocka_unit_test(broyden_ends_after_twice_the_unknowns),
        cmocka_unit_test(plain_exchange_needs_a_soft_specimen),
        cmocka_unit_test(a_run_that_fails_ends_the_iteration),
        cmocka_unit_test(folds_are_those_of_the_closed_form),
        cmocka_unit_test(three_harmonics_move_the_folds),
        cmocka_unit_test(the_whole_structure_moves_so_far),
        cmocka_unit_test(a_right_spring_leaves_only_the_tracking),
        cmocka_unit_test(a_fixed_wrong_model_would_break_the_specimen),
        cmocka_unit_test(a_refitted_spring_converges),
        cmocka_unit_test(a_bilinear_model_is_refitted),
        cmocka_unit_test(a_model_of_another_kind_is_enough),
        cmocka_unit_test(the_lead_is_found_from_a_run),
        cmocka_unit_test(a_ladder_spares_the_specimen),
    };

    return cmocka_run_group_tests(tests, open_room, close_room);
}
