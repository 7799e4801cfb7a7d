/* Certificates of random loops are true and tight: no unstable loop is found inside one by samples, corners or a hill
 * climb, and an unstable one is found within a tenth beyond it. A number as argument: how many loops (make
 * certificates).
 */
#include "support/check.h"

#include "loops.h"

#include <yoke/random.h>

static long loops = 12;

static double between(uint64_t *seed, double low, double high)
{
    return low + (high - low) * 0.5 * (1 + yk_draw(seed));
}

/* One or two masses with a chain each; some parameters certain. */
static struct loop_case draw_loop(uint64_t *seed)
{
    struct loop_case q = {.n = yk_draw(seed) > 0 ? 2 : 1, .h = 2e-3};
    const double k = between(seed, 50e3, 300e3);

    for (size_t i = 0; i < q.n; i++) {
        q.M[i] = between(seed, 500, 1500);
        q.K[3 * i] = k * (q.n == 2 && i == 0 ? 1.5 : 1);
        q.chain[i] = (struct loop_chain){.k = between(seed, 20e3, 120e3),
                                         .c = between(seed, 50, 400),
                                         .frequency = between(seed, 30, 80),
                                         .damping = between(seed, 0.5, 0.9),
                                         .delay = 1.5,
                                         .width_k = between(seed, 0.1, 0.4),
                                         .width_f = 0.5};
        q.chain[i].width_c = yk_draw(seed) > 0 ? between(seed, 0.2, 0.8) : 0;
        q.chain[i].width_g = q.chain[i].width_c > 0 && q.n == 2 ? 0 : between(seed, 0.01, 0.1);
    }
    if (q.n == 2)
        q.K[1] = q.K[2] = -0.5 * k;
    for (size_t i = 0; i < 4; i++)
        q.C[i] = between(seed, 0.002, 0.002) * q.K[i];
    for (size_t i = 0; i < q.n; i++)
        q.C[3 * i] += 0.4 * q.M[i];
    return q;
}

static double radius_of(const struct yk_certify_problem *p, const double *delta)
{
    double radius;

    assert_int_equal(yk_certify_spectral(p, delta, &radius, NULL), YK_OK);
    return radius;
}

/* The largest spectral radius that a climb along the coordinates finds. */
static double climb(const struct yk_certify_problem *p, double r, double *x)
{
    double best = radius_of(p, x);

    for (double step = 0.5 * r; step > 1e-3 * r; step *= 0.5)
        for (size_t i = 0; i < 2 * p->count; i++) {
            const double before = x[i / 2];
            double now;

            x[i / 2] = fmin(fmax(before + (i % 2 ? -step : step), -r), r);
            now = radius_of(p, x);
            if (now > best)
                best = now;
            else
                x[i / 2] = before;
        }
    return best;
}

static void assert_true_inside(const struct yk_certify_problem *p, double r, long samples, uint64_t *seed)
{
    double x[LOOP_PORTS], best[LOOP_PORTS] = {0}, most = 0;

    for (size_t v = 0; v < (size_t)1 << p->count; v++) {
        for (size_t i = 0; i < p->count; i++)
            x[i] = v >> i & 1 ? r : -r;
        assert_true(radius_of(p, x) < 1);
    }
    for (long s = 0; s < samples; s++) {
        for (size_t i = 0; i < p->count; i++)
            x[i] = r * yk_draw(seed);
        const double now = radius_of(p, x);

        assert_true(now < 1);
        if (now > most) {
            most = now;
            memcpy(best, x, sizeof x);
        }
    }
    assert_true(climb(p, r, best) < 1);
}

static void certificates_of_random_loops_are_true_and_tight(void **state)
{
    static const struct yk_uncertain plain[LOOP_PORTS];
    uint64_t seed = 33;
    long made = 0;

    while (made < loops) {
        const struct loop_case q = draw_loop(&seed);
        struct yk_family f;
        struct yk_certificate c;

        loop_family(&q, &f);
        const struct yk_certify_problem p = {.count = f.ports, .of = plain, .family = loop_give, .user = &f};

        assert_ok(yk_certify(&p, NULL, &c, &err));
        if (!c.nominal_unstable) {
            if (c.radius > 0)
                assert_true_inside(&p, c.radius, loops > 50 ? 2000 : 300, &seed);
            if (c.found < INFINITY) {
                assert_true(c.found <= 1.1 * c.radius);
                assert_true(!(radius_of(&p, c.worst) < 1));
            }
            made++;
        }
        yk_certificate_free(&c);
        yk_family_free(&f);
    }
}

/* A grid proves nothing: with a peak between two of its points a loop is "certified" that has an unstable corner. */
static void without_bounds_between_its_points_a_grid_certifies_unstable_loops(void **state)
{
    static const struct yk_uncertain plain[LOOP_PORTS];
    uint64_t seed = 33;
    long wrong = 0;

    for (long made = 0; made < 20; made++) {
        const struct loop_case q = draw_loop(&seed);
        struct yk_family f;
        struct yk_certificate c;

        loop_family(&q, &f);
        const struct yk_certify_problem p = {.count = f.ports, .of = plain, .family = loop_give, .user = &f};

        assert_ok(yk_certify(&p, NULL, &c, &err));
        if (!c.nominal_unstable && c.found < 60) {
            double inside[LOOP_PORTS];
            bool sound, grid;

            for (size_t i = 0; i < p.count; i++) /* past the boundary, with corners that nobody looks at */
                inside[i] = 1.05 * c.worst[i];
            assert_true(!(radius_of(&p, inside) < 1));
            assert_ok(yk_certify_hull(&p, 1.05 * c.found, 0, &sound, &err));
            assert_ok(yk_certify_hull(&p, 1.05 * c.found, 50, &grid, &err));
            assert_false(sound);
            wrong += grid;
        }
        yk_certificate_free(&c);
        yk_family_free(&f);
    }
    assert_true(wrong > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_of_random_loops_are_true_and_tight),
        cmocka_unit_test(without_bounds_between_its_points_a_grid_certifies_unstable_loops),
    };

    if (argc > 1)
        loops = atol(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
