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

/* ---- many at once ---- */

enum { MOST = 300, VARIABLES = 16 };

/* n copies, copy i on the path with its strains multiplied by factor(first + i). */
struct crowd {
    struct law_bench bench;
    size_t n;
    double committed[VARIABLES * MOST], trial[VARIABLES * MOST], d[MOST], f[MOST], k[MOST];
};

static void make_crowd(struct crowd *c, const struct path *p, size_t n)
{
    assert_ok(law_set_up(&c->bench, &p->sample, &err));
    c->n = n;
    for (size_t j = 0; j < c->bench.ops->count; j++)
        for (size_t i = 0; i < n; i++)
            c->committed[j * n + i] = c->bench.committed[j];
}

static double factor(size_t i)
{
    return 1.5 * sin(0.7 * (double)i + 0.3);
}

static void move_crowd(struct crowd *c, double d, size_t first, bool slopes)
{
    for (size_t i = 0; i < c->n; i++)
        c->d[i] = d * factor(first + i);
    c->bench.ops->forces(c->bench.settings.bytes, c->n, c->committed, c->d, 0, c->trial, c->f, slopes ? c->k : NULL);
    memcpy(c->committed, c->trial, c->bench.ops->count * c->n * sizeof *c->trial);
}

static void many_at_once_are_the_same_to_the_last_bit(void **state)
{
    static struct crowd many;

    for (size_t i = 0; i < PATHS; i++) {
        const struct path *p = &paths[i];
        static struct law_bench single[MOST];

        make_crowd(&many, p, MOST);
        for (size_t c = 0; c < MOST; c++)
            single[c] = many.bench;
        for (size_t r = 0; r < p->count; r++) {
            move_crowd(&many, p->rows[r].d, 0, true);
            for (size_t c = 0; c < MOST; c++) {
                const double d = p->rows[r].d * factor(c);

                assert_true(many.k[c] == law_stiffness(&single[c], d, 0));
                assert_true(many.f[c] == law_commit(&single[c], d, 0));
                for (size_t j = 0; j < single[c].ops->count; j++)
                    assert_true(single[c].committed[j] == many.committed[j * MOST + c]);
            }
        }
    }
}

/* Bits depend neither on how many there are, nor on the place among them, nor on whether slopes are asked for. */
static void bits_do_not_depend_on_the_place_in_the_array(void **state)
{
    static struct crowd all, some;

    for (size_t i = 0; i < PATHS; i++)
        for (size_t first = 0, n = 1; first + n <= MOST; first += n, n = n % 23 + 1) {
            make_crowd(&all, &paths[i], MOST);
            make_crowd(&some, &paths[i], n);
            for (size_t r = 0; r < 12; r++) {
                move_crowd(&all, 2 * paths[i].rows[5 * r].d, 0, true);
                move_crowd(&some, 2 * paths[i].rows[5 * r].d, first, false);
                assert_memory_equal(some.f, all.f + first, n * sizeof *all.f);
            }
        }
}

/* ---- edges ---- */

static void no_increment_gives_the_committed_force_and_changes_nothing(void **state)
{
    for (size_t i = 0; i < PATHS; i++) {
        const struct path *p = &paths[i];
        struct law_bench b;

        assert_ok(law_set_up(&b, &p->sample, &err));
        const double virgin = law_stiffness(&b, 0, 0);
        assert_near(virgin, p->sample.k_scale, 1e-12 * p->sample.k_scale);
        for (size_t r = 0; r < p->count; r++) {
            const double f = law_commit(&b, p->rows[r].d, 0);
            const struct law_bench before = b;

            assert_true(law_commit(&b, p->rows[r].d, 0) == f);
            assert_memory_equal(&b, &before, sizeof b);
        }
    }
}

static void a_strain_that_is_not_finite_gives_no_number(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    static struct crowd c;

    for (size_t i = 0; i < PATHS; i++)
        for (int j = 0; j < 3; j++) {
            make_crowd(&c, &paths[i], 5);
            move_crowd(&c, 0.001, 0, true);
            assert_false(isfinite(law_force(&c.bench, bad[j], 0)));
            move_crowd(&c, bad[j], 0, true);
            for (int k = 0; k < 5; k++)
                assert_true(isnan(c.f[k]));
        }
}

/* f = fy + b E (d - ey) on the asymptote; |x|^R would overflow from x = 4e15 on. */
static void steel_lies_on_its_asymptote_at_any_strain(void **state)
{
    const double E = 200e9, fy = 420e6, b = 0.01;

    for (double d = 0.1; d < 1e25; d *= 1e4) {
        struct law_bench steel;
        const double f = fy + b * E * (d - fy / E);

        assert_ok(law_set_up(&steel, &paths[STEEL].sample, &err));
        assert_near_relative(law_force(&steel, d, 0), f, 1e-12);
        assert_near_relative(law_force(&steel, -d, 0), -f, 1e-12);
        assert_near_relative(law_stiffness(&steel, d, 0), b * E, 1e-9);
    }
}

/* A reversal on the asymptote, by less than the force can show, and back. */
static void steel_survives_reversals_of_a_rounding_error(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &paths[STEEL].sample, &err));
    law_commit(&b, 10, 0);
    for (int i = 0; i < 20; i++) {
        const double f = law_commit(&b, i % 2 ? nextafter(10, 11) : nextafter(10, 9), 0);

        assert_near_relative(f, 420e6 + 2e9 * (10 - 0.0021), 1e-9);
        assert_true(isfinite(law_stiffness(&b, 10, 0)));
    }
}

/* ---- steel and small reversals ---- */

/* Cycles to +-0.01, up to 0.004, back by 0.0001, up to d; over the force without the small reversal. */
static double overshoot(size_t path, double d)
{
    struct law_bench small, straight;

    assert_ok(law_set_up(&small, &paths[path].sample, &err));
    law_commit(&small, 0.01, 0);
    law_commit(&small, -0.01, 0);
    law_commit(&small, 0.004, 0);
    straight = small;
    law_commit(&small, 0.0039, 0);
    return law_commit(&small, d, 0) / law_commit(&straight, d, 0) - 1;
}

static void a_small_reversal_of_steel_overshoots_as_the_other_program_does(void **state)
{
    assert_near(overshoot(STEEL, 0.0045), 0.092, 5e-4);
    assert_near(overshoot(STEEL, 0.006), 0.085, 5e-4);
}

/* Noise of less than the dead band leaves the curve as it is; more is a reversal from the point at its edge. */
static void a_dead_band_keeps_noise_from_being_a_reversal(void **state)
{
    struct law_sample sample = paths[STEEL].sample;
    struct law_bench quiet, noisy, plain;
    uint64_t seed = 3;
    double off = 0, off_plain = 0;

    assert_ok(law_set_up(&plain, &sample, &err));
    sample.set[3].name = "dead_band";
    sample.set[3].value = 2.1e-6; /* a thousandth of fy/E */
    assert_ok(law_set_up(&quiet, &sample, &err));
    noisy = quiet;
    for (int i = 1; i <= 400; i++) {
        const double d = 0.01 * sin(0.05 * i), moved = d + 1e-6 * law_uniform(&seed);
        const double f = law_commit(&quiet, d, 0);

        off = fmax(off, fabs(law_commit(&noisy, moved, 0) - f));
        for (int j = 0; j < 4; j++)
            law_commit(&noisy, d + 1e-6 * law_uniform(&seed), 0);
        off_plain = fmax(off_plain, fabs(law_commit(&plain, moved, 0) - f));
        for (int j = 0; j < 4; j++)
            law_commit(&plain, d + 1e-6 * law_uniform(&seed), 0);
    }
    print_message("noise of 1e-6: with the dead band %.2g MPa, without %.2g MPa\n", off / 1e6, off_plain / 1e6);
    assert_true(off < 1e6); /* 2 E times the noise is 0.4 MPa */
    assert_true(off_plain > 10e6);
}

/* Standard normal numbers; Box and Muller 1958. */
static double gaussian(uint64_t *seed)
{
    const double u = 0.5 * (law_uniform(seed) + 1), v = 0.5 * (law_uniform(seed) + 1);

    return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/* The largest error of the stress on the path of the test above, under noise of the deviation sigma [Pa]. */
static double error_under_noise(double dead_band, double sigma, uint64_t seed)
{
    struct law_sample sample = paths[STEEL].sample;
    struct law_bench quiet, noisy;
    double off = 0;

    assert_ok(law_set_up(&quiet, &sample, &err));
    sample.set[3].name = "dead_band";
    sample.set[3].value = dead_band;
    assert_ok(law_set_up(&noisy, &sample, &err));
    for (int i = 1; i <= 400; i++)
        for (int j = 0; j < 5; j++) {
            const double d = 0.01 * sin(0.05 * i), f = law_commit(&quiet, d, 0);

            off = fmax(off, fabs(law_commit(&noisy, d + sigma * gaussian(&seed), 0) - f));
        }
    return off;
}

/* The rule is the peak-to-peak value of the noise: ten standard deviations. Two of them, which a thousandth of the
 * yield strain is here, do not suffice. */
static void a_dead_band_as_wide_as_gaussian_noise_suffices(void **state)
{
    double none = 0, thousandth = 0, rule = 0;

    for (uint64_t seed = 1; seed <= 10; seed++) {
        none = fmax(none, error_under_noise(0, 1e-6, seed));
        thousandth = fmax(thousandth, error_under_noise(2.1e-6, 1e-6, seed));
        rule = fmax(rule, error_under_noise(10e-6, 1e-6, seed));
    }
    print_message("Gaussian noise of 1e-6: without a dead band %.3g MPa, with 2.1e-6 %.3g MPa, with 1e-5 %.3g MPa\n",
                  none / 1e6, thousandth / 1e6, rule / 1e6);
    assert_true(none > 50e6 && thousandth > 50e6);
    assert_true(rule < 2 * 200e9 * 10e-6); /* E times the band, at either end of a branch */
}

static void a_dead_band_has_no_jump_at_its_edge(void **state)
{
    const double top = 0.004, band = 2.1e-6, h = 1e-12;
    struct law_bench b;

    assert_ok(law_set_up(&b, &paths[STEEL_BANDED].sample, &err));
    law_commit(&b, top, 0);
    const double before = law_force(&b, top - band + h, 0), after = law_force(&b, top - band - h, 0);
    assert_near(before, after, 2 * 200e9 * 2 * h);
    assert_near(law_stiffness(&b, top - band + h, 0), law_stiffness(&b, top, 0), 0.01 * 200e9);
    assert_near(law_stiffness(&b, top - band - h, 0), 200e9, 1e-3 * 200e9);
}

/* The edge lies a band behind the furthest extension, also when the last one is not the furthest. Compression mirrors
 * tension. */
static void a_dead_band_is_as_wide_in_both_directions(void **state)
{
    const double top = 0.004, band = 2.1e-6, E = 200e9;

    for (int sign = -1; sign < 2; sign += 2) {
        struct law_bench b, turned;

        assert_ok(law_set_up(&b, &paths[STEEL_BANDED].sample, &err));
        law_commit(&b, sign * top, 0);
        law_commit(&b, sign * (top - 0.5 * band), 0);
        assert_true(law_stiffness(&b, sign * (top - 0.99 * band), 0) < 0.1 * E);
        assert_near(law_stiffness(&b, sign * (top - 1.01 * band), 0), E, 1e-3 * E);
        /* the new branch begins at the edge and goes back to the old one after a band of its own */
        turned = b;
        const double edge = law_force(&b, sign * (top - band), 0);
        assert_near(law_commit(&turned, sign * (top - 3 * band), 0), edge - sign * E * 2 * band, 1e-3 * E * band);
        assert_near(law_stiffness(&turned, sign * (top - 2.01 * band), 0), E, 1e-3 * E);
        law_commit(&turned, sign * (top - 10 * band), 0);
        assert_near(law_force(&turned, sign * (top - 9.01 * band), 0), edge - sign * E * 8.01 * band, 1e-2 * E * band);
    }
}

static void a_dead_band_mirrors_the_path(void **state)
{
    struct law_bench up, down;
    uint64_t seed = 5;
    double d = 0;

    assert_ok(law_set_up(&up, &paths[STEEL_BANDED].sample, &err));
    down = up;
    for (int i = 0; i < 2000; i++) {
        d += (i % 100 < 50 ? 1e-4 : -1e-4) * (1 + i / 500) + 3e-6 * law_uniform(&seed);
        assert_near(law_commit(&up, d, 0), -law_commit(&down, -d, 0), 1e-6 * 420e6);
    }
}

/* ---- concrete ---- */

/* Slope 2 fc/ec at most: x (0.145 x + 0.13) is below x^2/2 for x < 0.366 only. */
static void concrete_unloads_with_its_initial_slope_at_most(void **state)
{
    for (double x = 0.05; x < 3; x += 0.01) {
        struct law_bench b;

        assert_ok(law_set_up(&b, &paths[CONCRETE].sample, &err));
        law_commit(&b, -0.002 * x, 0);
        const double k = law_stiffness(&b, -0.002 * x + 1e-9, 0);
        if (x < 0.366)
            assert_near_relative(k, 30e9, 1e-9);
        else
            assert_true(k < 30e9 * (1 + 1e-9));
        assert_near(law_force(&b, 0, 0), 0, 0);
    }
}

static void concrete_carries_tension_once(void **state)
{
    struct law_bench b;

    assert_ok(law_set_up(&b, &paths[CONCRETE_TENSION].sample, &err));
    assert_near_relative(law_force(&b, 2.5 / 30e3, 0), 2.5e6, 1e-12);
    assert_near(law_commit(&b, 0.01, 0), 0, 0); /* torn: ft/E0 + ft/Et = 0.00175 */
    assert_near(law_commit(&b, 0.0001, 0), 0, 0);
    assert_near_relative(law_commit(&b, -0.002, 0), -30e6, 1e-12);
}

/* ---- settings ---- */

static void settings_out_of_reason_are_refused(void **state)
{
#define CASE(law, words, ...)                                                                                          \
    {                                                                                                                  \
        {law, {__VA_ARGS__}, .k_scale = 1}, words                                                                      \
    }
#define STEEL_WITH(name, value)                                                                                        \
    {"E", 200e9}, {"fy", 400e6},                                                                                       \
    {                                                                                                                  \
        name, value                                                                                                    \
    }
#define CONCRETE_WITH(fu, eu)                                                                                          \
    {"fc", 30e6}, {"ec", 0.002}, {"fu", fu},                                                                           \
    {                                                                                                                  \
        "eu", eu                                                                                                       \
    }
    static const struct {
        struct law_sample sample;
        const char *words;
    } cases[] = {
        CASE("steel", "fy = -4.2e+08 is outside", {"E", 200e9}, {"fy", -420e6}),
        CASE("steel", "hardening = 1 is not below 1", STEEL_WITH("hardening", 1)),
        CASE("steel", "cR1 = 1 is not below 1", STEEL_WITH("cR1", 1)),
        CASE("steel", "cR2 = 0 is outside", STEEL_WITH("cR2", 0)),
        CASE("steel", "dead_band = 0.002 is not below the yield strain fy/E = 0.002", STEEL_WITH("dead_band", 0.002)),
        CASE("concrete", "fc = -3e+07 is outside 1e-300 .. 1e+15; give magnitudes; compression is", {"fc", -30e6}),
        CASE("concrete", "give magnitudes; compression is negative inside", {"fc", 30e6}, {"ec", -0.002}),
        CASE("concrete", "fu = 3.1e+07 is above fc = 3e+07", CONCRETE_WITH(31e6, 0.006)),
        CASE("concrete", "eu = 0.002 is not above ec = 0.002", CONCRETE_WITH(6e6, 0.002)),
        CASE("concrete-tension", "lambda = 1 is not below 1", CONCRETE_WITH(6e6, 0.006), {"lambda", 1}, {"ft", 2e6},
             {"softening", 1e9}),
        CASE("concrete-tension", "lambda = 0.03 is below fu/(E0 eu) = 0.0333", CONCRETE_WITH(6e6, 0.006),
             {"lambda", 0.03}, {"ft", 2e6}, {"softening", 1e9}),
        CASE("elastoplastic", "give the magnitude", {"stiffness", 1}, {"yield_positive", 1}, {"yield_negative", -1}),
        CASE("elastoplastic", "offset = 2 yields at rest", {"stiffness", 1}, {"yield_positive", 1}, {"offset", 2}),
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct law_bench b;

        assert_refused(law_set_up(&b, &cases[i].sample, &err), YK_E_RANGE, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laws_follow_the_paths_of_another_program),
        cmocka_unit_test(a_commit_per_leg_or_a_thousand_give_the_same_force),
        cmocka_unit_test(many_at_once_are_the_same_to_the_last_bit),
        cmocka_unit_test(bits_do_not_depend_on_the_place_in_the_array),
        cmocka_unit_test(no_increment_gives_the_committed_force_and_changes_nothing),
        cmocka_unit_test(a_strain_that_is_not_finite_gives_no_number),
        cmocka_unit_test(steel_lies_on_its_asymptote_at_any_strain),
        cmocka_unit_test(steel_survives_reversals_of_a_rounding_error),
        cmocka_unit_test(a_small_reversal_of_steel_overshoots_as_the_other_program_does),
        cmocka_unit_test(a_dead_band_keeps_noise_from_being_a_reversal),
        cmocka_unit_test(a_dead_band_as_wide_as_gaussian_noise_suffices),
        cmocka_unit_test(a_dead_band_has_no_jump_at_its_edge),
        cmocka_unit_test(a_dead_band_is_as_wide_in_both_directions),
        cmocka_unit_test(a_dead_band_mirrors_the_path),
        cmocka_unit_test(concrete_unloads_with_its_initial_slope_at_most),
        cmocka_unit_test(concrete_carries_tension_once),
        cmocka_unit_test(settings_out_of_reason_are_refused),
    };
    return cmocka_run_group_tests_name("yielding laws", tests, NULL, NULL);
}
