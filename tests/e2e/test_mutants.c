/* Published claims are computed by the methods themselves: programs in which one coefficient of a method is changed
 * (tests/CMakeLists.txt makes them) fail claims of the cases that use it, and the same program with nothing changed
 * fails none. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>

/* Exit code of a mutant that reproduces a case; *failures of its claims. */
static int reproduce(const char *mutant, const char *name, json_int_t *failures)
{
    char program[600];
    struct program p;
    json_t *said, *total;

    snprintf(program, sizeof program, YOKE_BINARY "/tests/mutants/%s", mutant);
    program_start(&p,
                  (const char *const[]){program, name, "--papers", YOKE_SOURCE "/papers", "--no-pictures", "--json",
                                        "-o", scratch_path(mutant), NULL},
                  0);
    program_wait(&p);
    said = json_loads(p.out, 0, NULL);
    if (!said)
        print_error("%s: %s%s\n", mutant, p.out, p.err);
    assert_non_null(said);
    total = json_object_get(said, "total");
    *failures = json_integer_value(json_object_get(total, "fail"));
    assert_true(json_integer_value(json_object_get(total, "claims")) > 0);
    json_decref(said);
    program_free(&p);
    return p.code;
}

static void a_changed_coefficient_makes_claims_fail(void **state)
{
    static const struct {
        const char *mutant, *name;
    } cases[] = {{"lsrt2", "000-interfield/fig2-radii"},
                 {"pm", "003-viaduct/pier-surrogate"},
                 {"iplsrt2", "001-delay-efc/fig7.6-stability"},
                 {"velocity", "000-interfield/table1-rig"},
                 {"dense", "002-rosenbrock/sec4.3-dense"},
                 {"kr-alpha", "005-methods/kr-alpha"},
                 {"efc-load", "001-delay-efc/fig6.4-interpolation"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_int_t failures;
        const int code = reproduce(cases[i].mutant, cases[i].name, &failures);

        if (code != 4 || failures < 1)
            print_error("%s: exit code %d, %d claims of %s fail\n", cases[i].mutant, code, (int)failures,
                        cases[i].name);
        assert_int_equal(code, 4);
        assert_true(failures >= 1);
    }
}

static void an_unchanged_one_makes_none_fail(void **state)
{
    json_int_t failures;

    assert_int_equal(reproduce("none", "000-interfield/fig2-radii", &failures), 0);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_coefficient_makes_claims_fail),
        cmocka_unit_test(an_unchanged_one_makes_none_fail),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
