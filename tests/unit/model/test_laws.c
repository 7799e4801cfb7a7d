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
            assert_true(work >= -1e-9 * energy);
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
    };
    return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
