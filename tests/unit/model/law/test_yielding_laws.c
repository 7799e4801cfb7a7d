/* Laws of steel, concrete and sliding springs: paths of an independent program, independence of the step, edges. */
#include "reference_paths.h"
#include "support/check.h"
#include "support/laws.h"

#include <math.h>
#include <stdlib.h>

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

/* A law with settings, and the path that the other program was led along. */
static const struct path {
    struct law_sample sample;
    const struct row *rows;
    size_t count;
} paths[] = {
    {{"elastoplastic",
      {{"stiffness", 200e9}, {"yield_positive", 0.00125}, {"yield_negative", 0.0009}, {"offset", 0.0002}},
      .k_scale = 200e9},
     ROWS(elastoplastic_rows)},
    {{"bilinear", {{"stiffness", 200e9}, {"yield_slip", 0.0015}, {"hardening", 0.02}}, .k_scale = 200e9},
     ROWS(bilinear_rows)},
    {{"steel", {{"E", 200e9}, {"fy", 420e6}, {"hardening", 0.01}}, .k_scale = 200e9}, ROWS(steel_rows)},
    {{"steel",
      {{"E", 200e9}, {"fy", 420e6}, {"hardening", 0.01}, {"R0", 18}, {"a1", 0.05}, {"a3", 0.04}},
      .k_scale = 200e9},
     ROWS(steel_isotropic_rows)},
    {{"concrete", {{"fc", 30e6}, {"ec", 0.002}, {"fu", 6e6}, {"eu", 0.006}}, .k_scale = 30e9}, ROWS(concrete_rows)},
    {{"concrete-tension",
      {{"fc", 30e6}, {"ec", 0.002}, {"fu", 6e6}, {"eu", 0.006}, {"lambda", 0.1}, {"ft", 2.5e6}, {"softening", 1.5e9}},
      .k_scale = 30e9},
     ROWS(concrete_tension_rows)},
    /* on the paths of others, for what holds without a reference */
    {{"steel", {{"E", 200e9}, {"fy", 420e6}, {"hardening", 0.01}, {"dead_band", 2.1e-6}}, .k_scale = 200e9},
     ROWS(steel_rows)},
    {{"steel",
      {{"E", 200e9}, {"fy", 420e6}, {"R0", 18}, {"a1", 0.05}, {"a2", 2}, {"dead_band", 1e-4}},
      .k_scale = 200e9},
     ROWS(steel_isotropic_rows)},
};
enum { REFERENCES = 6, PATHS = sizeof paths / sizeof *paths };
enum { STEEL = 2, CONCRETE = 4, CONCRETE_TENSION = 5, STEEL_BANDED = 6 };

static double largest_force(const struct path *p)
{
    double most = 0;

    for (size_t i = 0; i < p->count; i++)
        most = fmax(most, fabs(p->rows[i].f));
    return most;
}

/* The tangents of the two sides differ: the other program may give either. */
static bool on_a_kink(const struct law_bench *b, double d, double E)
{
    const double h = 1e-9;

    return fabs(law_force(b, d + h, 0) - 2 * law_force(b, d, 0) + law_force(b, d - h, 0)) / h > 1e-3 * E;
}

/* ---- paths ---- */

static void laws_follow_the_paths_of_another_program(void **state)
{
    for (size_t i = 0; i < REFERENCES; i++) {
        const struct path *p = &paths[i];
        const double most = largest_force(p);
        double off_f = 0, off_k = 0;
        struct law_bench b;
        int kinks = 0;

        assert_ok(law_set_up(&b, &p->sample, &err));
        for (size_t r = 0; r < p->count; r++) {
            const struct row *row = &p->rows[r];
            const double k = law_stiffness(&b, row->d, 0);

            if (on_a_kink(&b, row->d, p->sample.k_scale))
                kinks++;
            else
                off_k = fmax(off_k, fabs(k - row->k) / p->sample.k_scale);
            off_f = fmax(off_f, fabs(law_commit(&b, row->d, 0) - row->f) / most);
        }
        print_message("%s: force off by %.2g of the largest, tangent by %.2g of E, %d kinks\n", p->sample.law, off_f,
                      off_k, kinks);
        assert_true(off_f < 1e-8);
        assert_true(off_k < 1e-8);
        assert_true(kinks <= 6);
    }
}

static double error_of_cuts(const struct path *p, int cuts)
{
    double from = 0, off = 0;
    struct law_bench one, many;

    assert_ok(law_set_up(&one, &p->sample, &err));
    many = one;
    for (size_t r = 0; r < p->count; r++) {
        const double to = p->rows[r].d, f = law_commit(&one, to, 0);
        double g = 0;

        for (int j = 1; j <= cuts; j++)
            g = law_commit(&many, j == cuts ? to : from + (to - from) * j / cuts, 0);
        off = fmax(off, fabs(g - f));
        from = to;
    }
    return off / largest_force(p);
}

static void a_commit_per_leg_or_a_thousand_give_the_same_force(void **state)
{
    for (size_t i = 0; i < PATHS; i++)
        for (int cuts = 7; cuts <= 1000; cuts += 993) {
            const double off = error_of_cuts(&paths[i], cuts);

            print_message("%s, %d commits per leg: %.2g of the largest force\n", paths[i].sample.law, cuts, off);
            assert_true(off < 1e-12);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_follow_the_paths_of_another_program),
        cmocka_unit_test(a_commit_per_leg_or_a_thousand_give_the_same_force),
    };
    return cmocka_run_group_tests_name("yielding laws", tests, NULL, NULL);
}
