/* Element laws: what holds for every registered law. */
#include "support/check.h"
#include "support/laws.h"

#include <math.h>

static void every_law_is_found_by_its_name(void **state)
{
    for (const struct yk_law_ops *const *law = yk_laws; *law; law++) {
        assert_ptr_equal(yk_law_find((*law)->name), *law);
        assert_non_null((*law)->force);
        assert_non_null((*law)->tangent);
        assert_true((*law)->summary[0] && (*law)->reference[0]);
        assert_null(strchr((*law)->name, '_'));
        assert_true((*law)->count == 0 || (*law)->rest);
    }
    for (int i = 0; law_samples[i].law; i++)
        assert_non_null(yk_law_find(law_samples[i].law));
    for (const struct yk_law_ops *const *law = yk_laws; *law; law++) {
        int lines = 0;

        for (int i = 0; law_samples[i].law; i++)
            lines += strcmp(law_samples[i].law, (*law)->name) == 0;
        assert_sampled(lines > 0, (*law)->name);
    }
    assert_null(yk_law_find("no-such-law"));
}

static void check_setting(const struct yk_law_ops *law, const struct yk_param *p)
{
    assert_true(p->help && p->help[0] && p->help[strlen(p->help) - 1] != '.');
    assert_true(p->offset < law->settings_size);
    for (const struct yk_param *q = law->params; q < p; q++)
        assert_string_not_equal(q->name, p->name);
    if (p->type == YK_PARAM_CHOICE)
        assert_true(p->choices && p->fallback >= 0);
    else
        assert_true(p->min < p->max && (isnan(p->fallback) || (p->fallback >= p->min && p->fallback <= p->max)));
}

static void settings_have_unique_names_help_and_defaults_in_range(void **state)
{
    for (const struct yk_law_ops *const *law = yk_laws; *law; law++)
        for (const struct yk_param *p = (*law)->params; p->name; p++)
            check_setting(*law, p);
}

static void asking_twice_gives_the_same_and_leaves_the_committed_state(void **state)
{
    uint64_t seed = 1;

    for (int i = 0; law_samples[i].law; i++) {
        struct law_bench b, before;

        assert_ok(law_set_up(&b, &law_samples[i], &err));
        for (int trial = 0; trial < 50; trial++) {
            law_wander(&b, &law_samples[i], 3, &seed);
            before = b;
            double d = law_samples[i].d_scale * law_uniform(&seed), w = law_samples[i].w_scale * law_uniform(&seed);
            double f = law_force(&b, d, w);
            law_force(&b, -2 * d, -w);
            law_stiffness(&b, d, w);
            assert_true(law_force(&b, d, w) == f);
            assert_memory_equal(&b, &before, sizeof b);
        }
    }
}

static void force_at_rest_is_zero_without_preload(void **state)
{
    for (int i = 0; law_samples[i].law; i++) {
        struct law_bench b;

        assert_ok(law_set_up(&b, &law_samples[i], &err));
        assert_near(law_force(&b, 0, 0), i == LAW_GAP_NEGATIVE_PRELOADED ? -300 : 0, 1e-12);
    }
}

/* Central difference of the force in d (or w). At a kink the one-sided differences disagree: *kink is then set. */
static double difference(const struct law_bench *b, double d, double w, double hd, double hw, double scale, int *kink)
{
    double h = hd + hw;
    double below = law_force(b, d - hd, w - hw), here = law_force(b, d, w), above = law_force(b, d + hd, w + hw);

    *kink = fabs(above - 2 * here + below) / h > 1e-3 * scale;
    return (above - below) / (2 * h);
}

/* Step 1e-6 of the scale of motion: the difference itself is good to about 1e-9 of the stiffness. What remains is the
 * truncation error of the increments of bouc-wen with n != 1, whose tangent is the slope of the equation: 1e-6. */
static void tangent_is_the_derivative_of_the_force(void **state)
{
    uint64_t seed = 2;

    for (int i = 0; law_samples[i].law; i++) {
        const struct law_sample *s = &law_samples[i];
        struct law_bench b;
        int skipped = 0, kink;

        assert_ok(law_set_up(&b, s, &err));
        for (int trial = 0; trial < 400; trial++) {
            law_wander(&b, s, 2, &seed);
            double d = s->d_scale * law_uniform(&seed), w = s->w_scale * law_uniform(&seed);
            double k = difference(&b, d, w, 1e-6 * s->d_scale, 0, s->k_scale, &kink);
            if (kink)
                skipped++;
            else
                assert_near(law_stiffness(&b, d, w), k, 1e-6 * s->k_scale);
            double c = difference(&b, d, w, 0, 1e-6 * s->w_scale, s->c_scale, &kink);
            assert_near(law_damping(&b, d, w), c, 1e-6 * s->c_scale);
        }
        assert_true(skipped <= 4);
    }
}

static void stored_energy_has_the_force_as_its_slope(void **state)
{
    uint64_t seed = 3;
    int seen = 0;

    for (int i = 0; law_samples[i].law; i++) {
        const struct law_sample *s = &law_samples[i];
        const double h = 1e-5 * s->d_scale;
        struct law_bench b;

        assert_ok(law_set_up(&b, s, &err));
        for (int trial = 0; b.ops->stored && trial < 100; trial++, seen++) {
            double d = s->d_scale * law_uniform(&seed);
            double slope = (b.ops->stored(b.settings.bytes, d + h) - b.ops->stored(b.settings.bytes, d - h)) / (2 * h);
            assert_near(slope, law_force(&b, d, 0), 1e-5 * s->k_scale * s->d_scale);
        }
    }
    assert_int_equal(seen, 800); /* two springs, two cubic springs, four gaps */
}

/* Dissipates by yielding: has a loop to show. */
static int yields(const struct law_sample *s)
{
    for (size_t i = 0; s->set[i].name; i++)
        if ((strcmp(s->set[i].name, "beta") == 0 || strcmp(s->set[i].name, "yield_slip") == 0) && s->set[i].value > 0)
            return 1;
    return 0;
}

static void closed_cycles_never_give_energy(void **state)
{
    for (int i = 0; law_samples[i].law; i++)
        for (double size = 0.05; size < 5; size *= 2) {
            const struct law_sample *s = &law_samples[i];
            struct law_bench b;

            assert_ok(law_set_up(&b, s, &err));
            double energy = s->k_scale * size * s->d_scale * size * s->d_scale;
            double work = law_work_of_cycles(&b, size * s->d_scale, s->w_scale / s->d_scale, 3);
            if (!(work >= -1e-9 * energy))
                fail_msg("%s (%d): three cycles of size %g give back %.3g of k d^2", s->law, i, size, -work / energy);
            if (yields(s) && size > 1)
                assert_true(work > 0.01 * energy / size);
        }
}

static void finite_input_up_to_a_million_gives_finite_output(void **state)
{
    uint64_t seed = 4;

    for (int i = 0; law_samples[i].law; i++) {
        struct law_bench b;

        assert_ok(law_set_up(&b, &law_samples[i], &err));
        for (int trial = 0; trial < 3000; trial++) {
            /* sizes from 1e-12 to 1e6, now and then an arbitrary state that no path has produced */
            double d = law_uniform(&seed) * pow(10, 6 - 9 * (1 + law_uniform(&seed)));
            double w = law_uniform(&seed) * pow(10, 6 - 9 * (1 + law_uniform(&seed)));
            if (trial % 16 == 0)
                for (size_t j = 0; j < b.ops->count; j++)
                    b.committed[j] = 1e6 * law_uniform(&seed);
            assert_true(isfinite(law_stiffness(&b, d, w)) && isfinite(law_damping(&b, d, w)));
            assert_true(isfinite(law_commit(&b, d, w)));
            for (size_t j = 0; j < b.ops->count; j++)
                assert_true(isfinite(b.committed[j]));
        }
    }
}

/* The force at the end of a leg does not depend on how often it is committed on the way. */
static void forces_do_not_depend_on_the_steps(void **state)
{
    static const int cuts[] = {1, 7, 1000};

    for (int i = 0; law_samples[i].law; i++) {
        const struct law_sample *s = &law_samples[i];
        const double bound = s->steps > 0 ? s->steps : 1e-12;
        struct law_bench b[3];
        double largest = 0, worst = 0, from = 0;
        uint64_t seed = 9;

        for (int c = 0; c < 3; c++)
            assert_ok(law_set_up(&b[c], s, &err));
        for (int leg = 0; leg < 40; leg++) {
            const double to = s->d_scale * law_uniform(&seed), w = s->w_scale * law_uniform(&seed);
            double f[3];

            for (int c = 0; c < 3; c++)
                for (int k = 1; k <= cuts[c]; k++)
                    f[c] = law_commit_after(&b[c], k == cuts[c] ? to : from + (to - from) * k / cuts[c], w,
                                            s->time / cuts[c]);
            from = to;
            largest = fmax(largest, fabs(f[2]));
            worst = fmax(worst, fmax(fabs(f[0] - f[2]), fabs(f[1] - f[2])));
        }
        if (s->steps > 0)
            print_message("%s (%d): steps change the force by %.2g\n", s->law, i, worst / largest);
        if (!(worst <= bound * largest))
            fail_msg("%s (%d): steps change the force by %.2g, more than %.2g", s->law, i, worst / largest, bound);
    }
}

/* The committed point again: the committed force to the bit, and the committed memory. The rate of a law that depends
 * on it is 0 throughout. */
static void no_increment_changes_nothing(void **state)
{
    uint64_t seed = 10;

    for (int i = 0; law_samples[i].law; i++) {
        const struct law_sample *s = &law_samples[i];
        struct law_bench b, before;

        assert_ok(law_set_up(&b, s, &err));
        for (int move = 0; move < 200; move++) {
            const double d = s->d_scale * law_uniform(&seed);
            double f = law_commit_after(&b, d, 0, s->time);

            before = b;
            for (int again = 0; again < 3; again++) {
                const double g = law_commit(&b, d, 0);

                if (g != f || memcmp(&b, &before, sizeof b) != 0)
                    fail_msg("%s (%d): %.17g at the committed point, not %.17g; memory %s", s->law, i, g, f,
                             memcmp(&b, &before, sizeof b) ? "changed" : "kept");
            }
            /* with a rate the tangent is one-sided, but still nothing moves */
            law_stiffness(&b, d, s->w_scale);
            assert_memory_equal(&b, &before, sizeof b);
        }
    }
}

/* A copy of the memory is all there is to go back to. */
static void going_back_restores_every_bit(void **state)
{
    uint64_t seed = 11;

    for (int i = 0; law_samples[i].law; i++) {
        const struct law_sample *s = &law_samples[i];
        struct law_bench b, marked;

        assert_ok(law_set_up(&b, s, &err));
        for (int turn = 0; turn < 30; turn++) {
            const uint64_t again = seed;

            marked = b;
            law_wander(&b, s, 5, &seed);
            struct law_bench there = b;
            b = marked;
            seed = again;
            law_wander(&b, s, 5, &seed);
            assert_memory_equal(&b, &there, sizeof b);
        }
    }
}

/* A law that acts by its rate alone sees no extension. */
static void what_is_not_a_number_comes_back_as_none(void **state)
{
    static const double strange[] = {NAN, INFINITY, -INFINITY};

    for (int i = 0; law_samples[i].law; i++) {
        const struct law_sample *s = &law_samples[i];
        uint64_t seed = 12;
        struct law_bench b;

        assert_ok(law_set_up(&b, s, &err));
        law_wander(&b, s, 5, &seed);
        const bool by_rate = b.ops->rate && b.ops->count == 0;
        for (int k = 0; k < 3; k++)
            if (isfinite(law_force(&b, by_rate ? 0 : strange[k], by_rate ? strange[k] : 0)) &&
                !(by_rate && isinf(strange[k])))
                fail_msg("%s (%d): the force at %g is a number", s->law, i, strange[k]);
    }
}

enum { MOST_COPIES = 67 };

/* n copies, each with its past: copy i of the list stands at place i + shift of the arrays. */
static void ask_many(const struct law_bench *list, size_t n, size_t shift, const double *d, double h, double *f,
                     double *k, double *trial)
{
    static double committed[MOST_COPIES * LAW_STATE], to[MOST_COPIES * LAW_STATE];
    double at[MOST_COPIES], force[MOST_COPIES], stiffness[MOST_COPIES];
    const size_t count = list->ops->count;

    for (size_t i = 0; i < n; i++) {
        const size_t place = (i + shift) % n;

        at[place] = d[i];
        for (size_t j = 0; j < count; j++)
            committed[j * n + place] = list[i].committed[j];
    }
    yk_law_forces(list->ops, list->settings.bytes, n, committed, at, h, to, force, k ? stiffness : NULL);
    for (size_t i = 0; i < n; i++) {
        const size_t place = (i + shift) % n;

        f[i] = force[place];
        if (k)
            k[i] = stiffness[place];
        for (size_t j = 0; j < count; j++)
            trial[i * LAW_STATE + j] = to[j * n + place];
    }
}

/* Arrays give what single laws give, and the same bits wherever a copy stands and however many there are. */
static void copies_in_an_array_answer_as_one_does(void **state)
{
    static struct law_bench list[MOST_COPIES];
    static double trial[MOST_COPIES * LAW_STATE], other[MOST_COPIES * LAW_STATE];
    static const size_t sizes[] = {1, 2, 3, 5, 8, 13, 16, 31, 64, MOST_COPIES};
    uint64_t seed = 13;

    for (int i = 0; law_samples[i].law; i++) {
        const struct law_sample *s = &law_samples[i];
        double d[MOST_COPIES], f[MOST_COPIES], k[MOST_COPIES], g[MOST_COPIES], l[MOST_COPIES];

        for (size_t c = 0; c < MOST_COPIES; c++) {
            assert_ok(law_set_up(&list[c], s, &err));
            for (size_t move = 0; move < c % 7; move++)
                law_commit_after(&list[c], s->d_scale * law_uniform(&seed), 0, s->time);
            d[c] = c % 11 == 0 && c % 7 ? list[c].committed[0] : s->d_scale * law_uniform(&seed);
        }
        ask_many(list, MOST_COPIES, 0, d, s->time, f, k, trial);
        for (size_t c = 0; c < MOST_COPIES; c++) {
            double single[LAW_STATE], kk, cc;

            list->ops->tangent(list->settings.bytes, list[c].committed, d[c], 0, s->time, &kk, &cc);
            assert_near(f[c], list->ops->force(list->settings.bytes, list[c].committed, d[c], 0, s->time, single),
                        1e-14 * s->k_scale * s->d_scale);
            assert_near(k[c], kk, 1e-13 * s->k_scale);
            for (size_t j = 0; j < list->ops->count; j++)
                assert_near(trial[c * LAW_STATE + j], single[j], 1e-14 * fabs(single[j]) + 1e-300);
        }
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
            for (size_t shift = 0; shift < sizes[n]; shift += 1 + sizes[n] / 5) {
                ask_many(list, sizes[n], shift, d, s->time, g, shift % 2 ? NULL : l, other);
                assert_memory_equal(g, f, sizes[n] * sizeof *f);
                if (shift % 2 == 0)
                    assert_memory_equal(l, k, sizes[n] * sizeof *k);
                for (size_t c = 0; c < sizes[n]; c++)
                    assert_memory_equal(&other[c * LAW_STATE], &trial[c * LAW_STATE], list->ops->count * sizeof *trial);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_is_found_by_its_name),
        cmocka_unit_test(settings_have_unique_names_help_and_defaults_in_range),
        cmocka_unit_test(asking_twice_gives_the_same_and_leaves_the_committed_state),
        cmocka_unit_test(force_at_rest_is_zero_without_preload),
        cmocka_unit_test(tangent_is_the_derivative_of_the_force),
        cmocka_unit_test(stored_energy_has_the_force_as_its_slope),
        cmocka_unit_test(closed_cycles_never_give_energy),
        cmocka_unit_test(finite_input_up_to_a_million_gives_finite_output),
        cmocka_unit_test(forces_do_not_depend_on_the_steps),
        cmocka_unit_test(no_increment_changes_nothing),
        cmocka_unit_test(going_back_restores_every_bit),
        cmocka_unit_test(what_is_not_a_number_comes_back_as_none),
        cmocka_unit_test(copies_in_an_array_answer_as_one_does),
    };
    return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
