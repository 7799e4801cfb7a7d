/* Designs of studies: what --vary and --sample mean, and that points fill the cube as they should. */
#include "study/study.h"
#include "support/check.h"

#include <stdlib.h>

static void assert_value(const struct yk_design *d, size_t run, size_t key, const char *want)
{
    char *got = yk_design_value(d, run, key);

    assert_string_equal(got, want);
    free(got);
}

static void grid_varies_the_last_key_fastest(void **state)
{
    const char *const vary[] = {"method.integrator=newmark,hht", "time.step=5 ms,10 ms,20 ms"};
    struct yk_design d;

    assert_ok(yk_design_open(&d, vary, 2, NULL, 1, &err));
    assert_int_equal(d.runs, 6);
    assert_value(&d, 0, 0, "newmark");
    assert_value(&d, 2, 1, "20 ms");
    assert_value(&d, 3, 0, "hht");
    assert_value(&d, 4, 1, "10 ms");
    yk_design_close(&d);
}

static void ranges_have_units_and_logarithms(void **state)
{
    const char *const vary[] = {"a.delay=10:20:3 ms", "b=0.01:100:3log", "c=[1, 2],{x: 1, y: 2},\"p,q\""};
    struct yk_design d;

    assert_ok(yk_design_open(&d, vary, 3, NULL, 1, &err));
    assert_int_equal(d.runs, 27);
    assert_value(&d, 9, 0, "15 ms");
    assert_value(&d, 3, 1, "1");
    assert_value(&d, 0, 2, "[1, 2]");
    assert_value(&d, 1, 2, "{x: 1, y: 2}");
    assert_value(&d, 2, 2, "\"p,q\"");
    yk_design_close(&d);
}

/* Joe and Kuo's own program (sobol.cc with new-joe-kuo-6.21201) prints these first points. */
static void sobol_points_are_those_of_joe_and_kuo(void **state)
{
    static const double want[8][3] = {{0, 0, 0},
                                      {0.5, 0.5, 0.5},
                                      {0.75, 0.25, 0.25},
                                      {0.25, 0.75, 0.75},
                                      {0.375, 0.375, 0.625},
                                      {0.875, 0.875, 0.125},
                                      {0.625, 0.125, 0.875},
                                      {0.125, 0.625, 0.375}};

    for (size_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 3; k++)
            assert_near(yk_sobol(i, k), want[i][k], 0);
}

/* Property of a digital sequence in base 2: the first 2^m points have one coordinate in every interval of 2^-m. */
static void sobol_coordinates_are_stratified_in_every_dimension(void **state)
{
    enum { N = 256 };

    for (size_t k = 0; k < YK_SOBOL_DIMENSIONS; k++) {
        bool seen[N] = {0};

        for (size_t i = 0; i < N; i++) {
            const size_t cell = (size_t)(N * yk_sobol(i, k));

            assert_false(seen[cell]);
            seen[cell] = true;
        }
        for (size_t other = 0; other < k; other++) { /* no two dimensions are the same */
            size_t same = 0;

            for (size_t i = 0; i < N; i++)
                same += yk_sobol(i, k) == yk_sobol(i, other);
            assert_true(same < N / 2);
        }
    }
}

static void latin_hypercube_has_one_run_in_every_stratum(void **state)
{
    enum { N = 50 };
    const char *const vary[] = {"a=0..1", "b=0..1"};
    struct yk_design d;

    assert_ok(yk_design_open(&d, vary, 2, "lhs:50", 7, &err));
    assert_int_equal(d.runs, N);
    for (size_t k = 0; k < 2; k++) {
        bool seen[N] = {0};

        for (size_t i = 0; i < N; i++) {
            char *text = yk_design_value(&d, i, k);
            const size_t cell = (size_t)(N * strtod(text, NULL));

            free(text);
            assert_true(cell < N);
            assert_false(seen[cell]);
            seen[cell] = true;
        }
    }
    yk_design_close(&d);
}

static void saltelli_blocks_exchange_one_coordinate(void **state)
{
    const char *const vary[] = {"a=0..1", "b=1..100log Hz", "c=x,y"};
    struct yk_design d;

    assert_ok(yk_design_open(&d, vary, 3, "saltelli:4", 1, &err));
    assert_int_equal(d.runs, 20);
    for (size_t block = 0; block < 4; block++)
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++) {
                char *mixed = yk_design_value(&d, 5 * block + 2 + i, k),
                     *from = yk_design_value(&d, 5 * block + (i == k), k);

                assert_string_equal(mixed, from);
                free(mixed);
                free(from);
            }
    yk_design_close(&d);
}

static void bad_designs_are_refused_in_words(void **state)
{
    static const struct {
        const char *vary, *sample, *words;
    } bad[] = {{"time.step", NULL, "is not KEY=VALUES"},
               {"=1,2", NULL, "is not KEY=VALUES"},
               {"a=1,,2", NULL, "a value of the list is empty"},
               {"a=15,16,17 ms", NULL, "write the unit after every number"},
               {"a=1:2", NULL, "a range is from:to:count"},
               {"a=0:1:5log", NULL, "a range is from:to:count"},
               {"a=2..1", "lhs:5", "bounds are low..high"},
               {"a=0..1log", "lhs:5", "bounds are low..high"},
               {"a=1..2", NULL, "need --sample"},
               {"a=1..2", "halton:5", "must be lhs:N, sobol:N or saltelli:N"},
               {"a=1..2", "lhs:1", "with N of 2 .."},
               {"a=1..2", "sobol:2.5", "with N of 2 .."}};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct yk_design d;

        assert_refused(yk_design_open(&d, &bad[i].vary, 1, bad[i].sample, 1, &err), YK_E_INPUT, bad[i].words);
        yk_design_close(&d);
    }
    const char *const twice[] = {"a=1,2", "a=3,4"};
    struct yk_design d;

    assert_refused(yk_design_open(&d, twice, 2, NULL, 1, &err), YK_E_INPUT, "is given twice");
    yk_design_close(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_varies_the_last_key_fastest),
        cmocka_unit_test(ranges_have_units_and_logarithms),
        cmocka_unit_test(sobol_points_are_those_of_joe_and_kuo),
        cmocka_unit_test(sobol_coordinates_are_stratified_in_every_dimension),
        cmocka_unit_test(latin_hypercube_has_one_run_in_every_stratum),
        cmocka_unit_test(saltelli_blocks_exchange_one_coordinate),
        cmocka_unit_test(bad_designs_are_refused_in_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
