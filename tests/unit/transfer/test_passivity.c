/* Energy of the transfer and passivity control (transfer/passivity.h, feedback.h), on a mass with the specimen behind n
 * ticks of delay: m = 1000 kg, T = 0.5 s, zeta = 5 %, all of the stiffness on the rig, central differences with 2 ms.
 * Expected values: closed forms, and an independent prototype in Python (docs/theory/energy.md). */
#include "support/check.h"

#include "transfer/feedback.h"
#include "transfer/passivity.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define M  1000.0
#define K  (M * 16 * PI * PI)
#define C  (2 * 0.05 * M * 4 * PI)
#define H  0.002
enum { MOST = 20001, LONGEST = 16 };

/* The energy of a sine behind n ticks: pi k X^2 sin(nq) sin(q)/q in each cycle. */
static void a_delayed_spring_generates_the_closed_form(void **state)
{
    enum { N = 250, DELAY = 5 };
    const struct yk_passivity_settings set = {.kind = YK_PASSIVITY_STRICT, .window = 0.5, .most = 1};
    const double X = 0.01, q = 2 * PI * 2 * H;
    struct yk_passivity p;
    double before = 0;

    yk_passivity_init(&p, &set, H);
    for (int k = 0; k <= 2 * N; k++) {
        const double x = X * sin(q * k), x_e = X * sin(q * (k - DELAY));

        if (k == 0)
            yk_passivity_reset(&p, x, x_e, K * x_e);
        else
            yk_passivity_step(&p, x, x_e, K * x_e, 0);
        if (k == N)
            before = p.generated;
    }
    /* eq. (1) in closed form for a whole number of ticks in a cycle */
    assert_near(p.generated - before, 6.217132505698, 1e-11);
    assert_near(p.generated - before, PI * K * X * X * sin(DELAY * q) * sin(q) / q, 1e-12 * 6);
}

/* The loop: free vibration from x0, or a sine of 500 N from rest. */
struct loop {
    int delay;
    double gap;           /* play of +-gap between actuator and specimen [m] */
    double x0, frequency; /* of the load; 0: free */
    struct yk_passivity_settings set;
    struct yk_feedback_settings feedback;
    double x[MOST];
    struct yk_passivity end;
    double mean_a; /* over the last 4 periods */
};

static double specimen_at(const struct loop *l, double actuator, double *s)
{
    if (l->gap > 0)
        *s = fmin(fmax(*s, actuator - l->gap), actuator + l->gap);
    else
        *s = actuator;
    return *s;
}

static void run(struct loop *l, int steps)
{
    double before = l->x0, now = l->x0, s = l->x0, past[LONGEST], sum = 0;
    const double a = M / (H * H), c = C / (2 * H);
    struct yk_arena mem = {0};
    struct yk_passivity p;
    struct yk_feedback f;

    assert_ok(yk_feedback_init(&f, &l->feedback, H, H, &mem, &err));
    yk_passivity_init(&p, &l->set, H);
    before = l->x0 + 0.5 * H * H * (-K * l->x0 / M); /* x(-1) */
    for (int k = 0; k < LONGEST; k++)
        past[k] = l->x0;
    yk_passivity_reset(&p, l->x0, l->x0, K * l->x0);
    p.before = before;
    yk_feedback_reset(&f, &(struct yk_reading){.displacement = l->x0, .force = K * l->x0});
    if (f.targets.u)
        yk_delay_line_reset(&f.targets, l->x0);
    for (int k = 0; k < steps; k++) {
        memmove(past + 1, past, (LONGEST - 1) * sizeof *past);
        past[0] = now;
        /* measured where the specimen is, behind the play */
        const double x_e = specimen_at(l, past[l->delay], &s), F = K * x_e, added = yk_feedback_added(&f, now, x_e);
        double force = F + added;

        if (l->set.kind && k > 0)
            force += yk_passivity_step(&p, now, x_e, F, added);
        if (l->frequency > 0 && k >= steps - (int)(4 / l->frequency / H))
            sum += p.a;
        l->x[k] = now;
        const double load = l->frequency > 0 ? 500 * sin(2 * PI * l->frequency * k * H) : 0,
                     next = (load - force + 2 * a * now - (a - c) * before) / (a + c);
        before = now;
        now = next;
    }
    l->end = p;
    l->mean_a = sum / (4 / l->frequency / H);
    yk_arena_free(&mem);
}

static double largest(const struct loop *l, double from, double to)
{
    double most = 0;

    for (int k = (int)lround(from / H); k <= (int)lround(to / H); k++)
        most = fmax(most, fabs(l->x[k]));
    return 1e3 * most;
}

static const struct yk_passivity_settings none,
    strict = {.kind = YK_PASSIVITY_STRICT, .window = 0.5, .most = 5 * C},
    normalised = {.kind = YK_PASSIVITY_NORMALISED, .window = 0.5, .most = 5 * C};
static struct loop l;

static void free_vibration_keeps_its_damping(void **state)
{
    static const struct {
        int delay;
        double none, strict, normalised;
    } cases[] = {{2, 5.352797, 2.858479, 2.676195}, {6, 25.028202, 2.816370, 2.569087}};

    for (int k = 0; k < 2; k++) {
        l = (struct loop){.delay = cases[k].delay, .x0 = 0.01, .set = none};
        run(&l, 2500);
        assert_near(largest(&l, 2, 3), cases[k].none, 5e-7);
        l.set = strict;
        run(&l, 2500);
        print_message("  n = %d: strict %.6f mm, generated %.15f, paid %.15f J\n", l.delay, largest(&l, 2, 3),
                      l.end.generated, l.end.paid);
        assert_near(largest(&l, 2, 3), cases[k].strict, 5e-7);
        if (k == 0) {
            assert_near(l.end.generated, 3.959509063179330, 1e-13);
            assert_near(l.end.generated - l.end.paid, 0, 1e-13);
        } else {
            assert_near(l.end.generated, 11.849960, 1e-6);
            assert_near(l.end.paid, 11.847305, 1e-6);
        }
        l.set = normalised;
        run(&l, 2500);
        print_message("  n = %d: normalised %.6f mm\n", l.delay, largest(&l, 2, 3));
        assert_near(largest(&l, 2, 3), cases[k].normalised, 5e-7);
    }
}

/* Error of the complex amplitude over the last 4 periods of 12 s. */
static double response_error(double f)
{
    const int from = (int)lround((12 - 4 / f) / H), to = (int)lround(12 / H);
    const double w = 2 * PI * f;
    double ss = 0, sc = 0, cc = 0, xs = 0, xc = 0;

    for (int k = from; k < to; k++) { /* least squares: no whole number of samples in a period */
        const double sine = sin(w * k * H), cosine = cos(w * k * H);

        ss += sine * sine;
        sc += sine * cosine;
        cc += cosine * cosine;
        xs += l.x[k] * sine;
        xc += l.x[k] * cosine;
    }
    const double det = ss * cc - sc * sc, re = (xs * cc - xc * sc) / det, im = (xc * ss - xs * sc) / det;

    /* x = Im(X e^jwt), X = 500/(K - M w^2 + j w C) */
    const double a = K - M * w * w, b = w * C, size = a * a + b * b, want_re = 500 * a / size,
                 want_im = -500 * b / size;

    return hypot(re - want_re, im - want_im) / hypot(want_re, want_im);
}

static void forced_vibration_is_nearer_to_the_truth(void **state)
{
    static const struct {
        double f;
        int delay;
        double none, strict, normalised;
    } cases[] = {{2, 2, 0.945, 0.295, 0.0518},
                 {2, 6, 0, 0.664, 0.224},
                 {1.3, 2, 0.0557, 0.0372, 0.0080},
                 {1.3, 6, 0, 0.112, 0.0301}};

    for (int k = 0; k < 4; k++) {
        l = (struct loop){.delay = cases[k].delay, .frequency = cases[k].f, .set = none};
        run(&l, 6001);
        if (cases[k].none > 0)
            assert_near_relative(response_error(cases[k].f), cases[k].none, 5e-3);
        l.set = strict;
        run(&l, 6001);
        print_message("  %g Hz, n = %d: strict %.2f %%", cases[k].f, l.delay, 100 * response_error(cases[k].f));
        assert_near_relative(response_error(cases[k].f), cases[k].strict, 1e-2);
        l.set = normalised;
        run(&l, 6001);
        print_message(", normalised %.2f %%, a/c %.4f\n", 100 * response_error(cases[k].f), l.mean_a / C);
        assert_near_relative(response_error(cases[k].f), cases[k].normalised, 1e-2);
        if (cases[k].f == 2) /* k sin(w tau)/w over c */
            assert_near(l.mean_a / C, cases[k].delay == 2 ? 0.5054 : 1.5108, 2e-4);
    }
}

/* Decay of free vibration by the envelope, from peaks. */
static double decay(void)
{
    double first = 0, last = 0, t_first = 0, t_last = 0;

    for (int k = 1; k < 4999; k++)
        if (l.x[k] > l.x[k - 1] && l.x[k] >= l.x[k + 1]) {
            const double d = 0.5 * (l.x[k - 1] - l.x[k + 1]) / (l.x[k - 1] - 2 * l.x[k] + l.x[k + 1]),
                         top = l.x[k] - 0.25 * (l.x[k - 1] - l.x[k + 1]) * d;

            if (!(first > 0) && k > 1000) {
                first = top;
                t_first = (k + d) * H;
            }
            last = top;
            t_last = (k + d) * H;
        }
    return log(first / last) / (t_last - t_first);
}

static void a_model_damps_if_it_is_too_stiff(void **state)
{
    static const double share[] = {0.8, 1, 1.2}, wanted[] = {0.4385213, 0.6283189, 0.8189839};
    static double first[MOST];

    for (int k = 0; k < 3; k++) {
        l = (struct loop){
            .delay = 6, .x0 = 0.01, .feedback = {.source = YK_FORCE_IMPEDANCE, .stiffness = share[k] * K}};
        run(&l, 5000);
        assert_near(decay(), wanted[k], 2e-5);
        memcpy(first, l.x, sizeof first);
        l.feedback.source = YK_FORCE_SMITH;
        l.feedback.delay = 6 * H;
        run(&l, 5000);
        for (int i = 0; i < 5000; i++)
            assert_near(l.x[i], first[i], 1e-15);
    }
    /* stable from about 0.335 of the stiffness on, and by Smith with another delay from there */
    static const struct {
        int ticks;
        double from;
    } cases[] = {{3, 0.667}, {4, 0.501}, {5, 0.401}, {6, 0.335}, {7, 0.288}, {8, 0.252}, {9, 0.225}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int side = -1; side <= 1; side += 2) {
            l = (struct loop){.delay = 6,
                              .x0 = 0.01,
                              .feedback = {.source = YK_FORCE_SMITH,
                                           .stiffness = (cases[k].from + 0.003 * side) * K,
                                           .delay = cases[k].ticks * H}};
            run(&l, 20000);
            if (side > 0)
                assert_true(fabs(l.x[19999]) + fabs(l.x[19990]) + largest(&l, 38, 39.9) < largest(&l, 5, 7));
            else
                assert_true(largest(&l, 38, 39.9) > largest(&l, 5, 7));
        }
}

/* Half of the range in the last 5 s of 40, in mm. */
static double half_range(void)
{
    double low = INFINITY, high = -INFINITY;

    for (int i = 17500; i < 20000; i++) {
        low = fmin(low, l.x[i]);
        high = fmax(high, l.x[i]);
    }
    return 1e3 * (high - low) / 2;
}

/* Play of +-0.1 mm lets the loop vibrate for ever; with control, the play itself is left. */
static void the_limit_cycle_of_play_is_cut(void **state)
{
    double cycle[3];
    const struct yk_passivity_settings *const sets[] = {&none, &strict, &normalised};

    for (int k = 0; k < 3; k++) {
        l = (struct loop){.gap = 1e-4, .x0 = 2e-3, .set = *sets[k]};
        run(&l, 20000);
        cycle[k] = half_range();
    }
    print_message("  limit cycle %.6f mm, strict %.4f, normalised %.4f mm\n", cycle[0], cycle[1], cycle[2]);
    assert_near(cycle[0], 1.179291, 5e-7);
    assert_near(cycle[1], 0.1042, 6e-5);
    assert_near(cycle[2], 0.1045, 6e-5);
    for (int k = 0; k < 2; k++) {
        l = (struct loop){
            .gap = 1e-4, .x0 = 2e-3, .feedback = {.source = YK_FORCE_IMPEDANCE, .stiffness = (k ? 0.8 : 1) * K}};
        run(&l, 20000);
        assert_true(half_range() < 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_delayed_spring_generates_the_closed_form),
        cmocka_unit_test(free_vibration_keeps_its_damping),
        cmocka_unit_test(forced_vibration_is_nearer_to_the_truth),
        cmocka_unit_test(a_model_damps_if_it_is_too_stiff),
        cmocka_unit_test(the_limit_cycle_of_play_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
