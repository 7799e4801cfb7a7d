/* Optimal feedback and force correction: which sample is taken, and what force it gives. docs/theory/delay.md, eq.
 * (19)-(23). */
#include "support/check.h"
#include "support/random.h"

#include <yoke/transfer.h>

#include <math.h>

struct feedback {
    struct yk_optimal_feedback f;
    struct yk_arena mem;
};

static void open_feedback(struct feedback *s, int window, enum yk_feedback_rule rule, bool monotone)
{
    *s = (struct feedback){.f = {.window = window, .rule = rule, .monotone = monotone}};
    yk_optimal_feedback_layout(&s->f, &s->mem);
    assert_ok(yk_arena_check(&s->mem, &err));
    assert_ok(yk_optimal_feedback_init(&s->f, &err));
}

static void push_all(struct feedback *s, int n, const double *x)
{
    for (int i = 0; i < n; i++)
        yk_optimal_feedback_push(&s->f, x[i], 10 * i);
}

static void a_crossing_is_interpolated_inside_the_tick(void **state)
{
    struct feedback s;
    double force, x;

    open_feedback(&s, 4, YK_FEEDBACK_NEWEST, false);
    push_all(&s, 5, (double[]){0, 1, 2, 4, 8});
    assert_true(yk_optimal_feedback_choose(&s.f, 3, &force, &x));
    assert_near(force, 25, 1e-14);
    assert_near(x, 3, 0);
    assert_true(yk_optimal_feedback_choose(&s.f, 8, &force, &x)); /* the newest sample itself */
    assert_near(force, 40, 1e-14);
    assert_true(s.f.hits == 2 && s.f.asked == 2);
    yk_arena_free(&s.mem);
}

static void the_newest_of_several_crossings_is_taken(void **state)
{
    struct feedback s;
    double force, x;

    open_feedback(&s, 6, YK_FEEDBACK_NEWEST, false);
    push_all(&s, 6, (double[]){0, 2, 4, 2, 0, -2});
    assert_true(yk_optimal_feedback_choose(&s.f, 3, &force, &x));
    assert_near(force, 25, 1e-14); /* between samples 2 and 3, not 1 and 2 */
    yk_arena_free(&s.mem);
}

static void a_target_that_was_missed_follows_the_rule(void **state)
{
    static const double path[] = {0, 1, 3, 2, 1};
    struct feedback s;
    double force, x;

    open_feedback(&s, 4, YK_FEEDBACK_NEWEST, false);
    push_all(&s, 5, path);
    assert_false(yk_optimal_feedback_choose(&s.f, 5, &force, &x));
    assert_near(force, 40, 0);
    assert_near(x, 1, 0);
    yk_arena_free(&s.mem);
    open_feedback(&s, 4, YK_FEEDBACK_NEAREST, false);
    push_all(&s, 5, path);
    assert_false(yk_optimal_feedback_choose(&s.f, 5, &force, &x));
    assert_near(force, 20, 0);
    assert_near(x, 3, 0);
    yk_arena_free(&s.mem);
}

static void samples_older_than_the_window_are_forgotten(void **state)
{
    struct feedback s;
    double force, x;

    open_feedback(&s, 3, YK_FEEDBACK_NEWEST, false);
    push_all(&s, 6, (double[]){0, 1, 2, 3, 4, 5});
    assert_false(yk_optimal_feedback_choose(&s.f, 1.5, &force, &x));
    assert_true(yk_optimal_feedback_choose(&s.f, 2, &force, &x));
    yk_arena_free(&s.mem);
}

/* After a choice on the way down, the way up before it no longer counts. */
static void the_monotone_variant_never_goes_back(void **state)
{
    static const double path[] = {0, 2, 4, 6, 5.5, 5};
    struct feedback s;
    double force, x;

    for (int monotone = 0; monotone < 2; monotone++) {
        open_feedback(&s, 8, YK_FEEDBACK_NEWEST, monotone);
        push_all(&s, 6, path);
        assert_true(yk_optimal_feedback_choose(&s.f, 5.2, &force, &x));
        assert_near(force, 46, 1e-12);
        assert_int_equal(yk_optimal_feedback_choose(&s.f, 5.4, &force, &x), !monotone); /* earlier in the same tick */
        assert_int_equal(yk_optimal_feedback_choose(&s.f, 3, &force, &x), !monotone);
        yk_optimal_feedback_push(&s.f, 4, 60);
        assert_true(yk_optimal_feedback_choose(&s.f, 4.5, &force, &x));
        assert_near(force, 55, 1e-12);
        yk_arena_free(&s.mem);
    }
}

static void a_flat_signal_takes_the_sample_before(void **state)
{
    struct feedback s;
    double force, x;

    open_feedback(&s, 4, YK_FEEDBACK_NEWEST, false);
    yk_optimal_feedback_reset(&s.f, 0.5, 7);
    assert_true(yk_optimal_feedback_choose(&s.f, 0.5, &force, &x));
    assert_near(force, 7, 0);
    yk_optimal_feedback_push(&s.f, 0.5, 9);
    assert_true(yk_optimal_feedback_choose(&s.f, 0.5, &force, &x));
    assert_near(force, 7, 0);
    yk_arena_free(&s.mem);
}

static void samples_that_are_not_finite_repeat_the_last(void **state)
{
    struct feedback s;
    double force, x;

    open_feedback(&s, 4, YK_FEEDBACK_NEWEST, false);
    yk_optimal_feedback_push(&s.f, 1, 10);
    yk_optimal_feedback_push(&s.f, NAN, 20);
    yk_optimal_feedback_push(&s.f, 2, INFINITY);
    assert_false(yk_optimal_feedback_choose(&s.f, 3, &force, &x));
    assert_near(force, 10, 0);
    assert_near(x, 1, 0);
    yk_arena_free(&s.mem);
}

/* On a spring the force of a hit is that of the target, whatever the path. */
static void a_hit_on_a_spring_has_the_force_of_the_target(void **state)
{
    struct feedback s;
    uint64_t seed = 5;
    double place = 0;

    for (int monotone = 0; monotone < 2; monotone++) {
        open_feedback(&s, 20, YK_FEEDBACK_NEAREST, monotone);
        for (int i = 0; i < 5000; i++) {
            const double target = place + 0.5 * random_value(&seed);
            double force, x;

            place += 0.2 * random_value(&seed);
            yk_optimal_feedback_push(&s.f, place, 3 * place);
            const bool hit = yk_optimal_feedback_choose(&s.f, target, &force, &x);
            assert_near(force, 3 * x, 1e-12 * (1 + fabs(x)));
            if (hit)
                assert_near(x, target, 0);
        }
        assert_true(s.f.hits > 100 && s.f.hits < s.f.asked);
        yk_arena_free(&s.mem);
    }
}

static void an_empty_window_is_refused(void **state)
{
    struct yk_optimal_feedback f = {.window = 0};

    assert_refused(yk_optimal_feedback_init(&f, &err), YK_E_RANGE, "window");
}

/* Displacement and force that the polynomials hold exactly: the target is found ahead and back in time. */
static void force_correction_is_exact_for_its_polynomials(void **state)
{
    struct yk_force_correction f = yk_force_correction_defaults();
    double force, lead;

    assert_ok(yk_force_correction_init(&f, &err));
    for (int i = 0; i < 20; i++) {
        const double s = i - 19;

        yk_force_correction_push(&f, 1 + 0.1 * s + 0.002 * s * s, 5 + 2 * s - 0.03 * s * s);
    }
    for (double s = -7.3; s < 7.8; s += 0.9) {
        assert_true(yk_force_correction_choose(&f, 1 + 0.1 * s + 0.002 * s * s, &force, &lead));
        assert_near(lead, s, 1e-8);
        assert_near(force, 5 + 2 * s - 0.03 * s * s, 1e-7);
    }
}

static void force_correction_takes_the_crossing_nearest_to_now(void **state)
{
    struct yk_force_correction f = yk_force_correction_defaults();
    double force, lead;

    assert_ok(yk_force_correction_init(&f, &err));
    for (int i = 0; i < 8; i++) {
        const double s = i - 7;

        yk_force_correction_push(&f, (s + 1) * (s + 5), s);
    }
    assert_true(yk_force_correction_choose(&f, 0, &force, &lead));
    assert_near(lead, -1, 1e-8);
    assert_false(yk_force_correction_choose(&f, -6, &force, &lead)); /* below the vertex */
    assert_near(lead, -3, 0.25);
}

static void force_correction_of_a_delayed_spring_gives_the_force_at_the_target(void **state)
{
    struct yk_force_correction f = yk_force_correction_defaults();
    double worst = 0, delayed = 0;

    assert_ok(yk_force_correction_init(&f, &err));
    for (int i = 0; i < 2000; i++) {
        const double t = i * 1e-3, x = sin(7 * (t - 0.005));
        double force, lead;

        yk_force_correction_push(&f, x, 40 * x); /* 5 ticks late */
        yk_force_correction_choose(&f, sin(7 * t), &force, &lead);
        worst = i > 10 ? fmax(worst, fabs(force - 40 * sin(7 * t))) : 0;
        delayed = fmax(delayed, fabs(40 * x - 40 * sin(7 * t)));
    }
    assert_true(delayed > 1.3);
    assert_true(worst < 0.05);
}

static void force_correction_at_rest_returns_the_force_at_rest(void **state)
{
    struct yk_force_correction f = yk_force_correction_defaults();
    double force, lead;

    assert_ok(yk_force_correction_init(&f, &err));
    yk_force_correction_reset(&f, 0.01, 4);
    yk_force_correction_push(&f, NAN, 1e9);
    yk_force_correction_choose(&f, 0.02, &force, &lead);
    assert_near(force, 4, 1e-12);
}

static void bad_settings_of_force_correction_are_refused(void **state)
{
    struct yk_force_correction f = yk_force_correction_defaults();

    f.x_order = 4;
    assert_refused(yk_force_correction_init(&f, &err), YK_E_RANGE, "orders");
    f = yk_force_correction_defaults();
    f.samples = 2;
    assert_refused(yk_force_correction_init(&f, &err), YK_E_RANGE, "samples");
    f = yk_force_correction_defaults();
    f.back = f.ahead = 0;
    assert_refused(yk_force_correction_init(&f, &err), YK_E_RANGE, "reach");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crossing_is_interpolated_inside_the_tick),
        cmocka_unit_test(the_newest_of_several_crossings_is_taken),
        cmocka_unit_test(a_target_that_was_missed_follows_the_rule),
        cmocka_unit_test(samples_older_than_the_window_are_forgotten),
        cmocka_unit_test(the_monotone_variant_never_goes_back),
        cmocka_unit_test(a_flat_signal_takes_the_sample_before),
        cmocka_unit_test(samples_that_are_not_finite_repeat_the_last),
        cmocka_unit_test(a_hit_on_a_spring_has_the_force_of_the_target),
        cmocka_unit_test(an_empty_window_is_refused),
        cmocka_unit_test(force_correction_is_exact_for_its_polynomials),
        cmocka_unit_test(force_correction_takes_the_crossing_nearest_to_now),
        cmocka_unit_test(force_correction_of_a_delayed_spring_gives_the_force_at_the_target),
        cmocka_unit_test(force_correction_at_rest_returns_the_force_at_rest),
        cmocka_unit_test(bad_settings_of_force_correction_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
