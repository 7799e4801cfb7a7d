/* The way equations are solved, as a user meets it: chosen, reported, overridden, refused. Expected: a chain is a band
 * of one entry on either side of the diagonal; the path makes no difference to the motion. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>

/* A chain of Bouc-Wen springs; with `extra` as one more element. */
static const char *write_chain(int springs, const char *extra)
{
    static char path[1024];
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, "time: { step: 2 ms, end: 0.4 s }\nmethod: { integrator: lsrt2 }\n"
                 "substructures:\n  c:\n    kind: assembled\n    nodes:\n");
    for (int i = 1; i <= springs; i++)
        fprintf(out, "      n%d: { mass: 1 t }\n", i);
    fprintf(out, "      turn: { dofs: [phi], mass: 1 t m2 }\n");
    fprintf(out, "    elements:\n");
    for (int i = 1; i <= springs; i++) {
        char from[16] = "ground";

        if (i > 1)
            snprintf(from, sizeof from, "n%d.x", i - 1);
        fprintf(out,
                "      - { kind: bouc-wen, between: [%s, n%d.x], kh: 1 kN/mm, k0: 100 kN/mm, beta: 500, gamma: 500 }\n",
                from, i);
    }
    fprintf(out, "      - { kind: spring, between: [ground, turn.phi], stiffness: 1 MN m/rad }\n%s", extra);
    fprintf(out, "loads: [ { ground: c, influence: { x: 1 }, kind: earthquake, peak: 0.5 g } ]\n");
    assert_int_equal(fclose(out), 0);
    snprintf(path, sizeof path, "%s", scratch_write("chain.yaml", text));
    free(text);
    return path;
}

static json_t *check(const char *file, const char *set)
{
    struct program p;
    json_t *found;

    program_run(&p, "check", file, "--json", "--set", set);
    assert_int_equal(p.code, 0);
    found = json_loads(p.out, 0, NULL);
    assert_non_null(found);
    program_free(&p);
    return found;
}

static void check_path(const char *file, const char *set, const char *path, bool current)
{
    json_t *found = check(file, set), *solving = json_array_get(json_object_get(found, "solving"), 0);

    assert_string_equal(json_string_value(json_object_get(solving, "path")), path);
    assert_int_equal(json_is_true(json_object_get(solving, "current")), current);
    json_decref(found);
}

static void check_reports_the_path_and_why(void **state)
{
    const char *file = write_chain(60, "");

    check_path(file, "method.path=auto", "banded", true);
    check_path(file, "method.path=dense", "dense", true);
    check_path(file, "method.path=sparse", "sparse", true);
    check_path(file, "method.path=low-rank", "low-rank", true);
    check_path(file, "method.integrator=cr", "dense", false); /* factored once: 61 degrees of freedom */
    assert_runs((const char *[]){YOKE_PROGRAM, "check", file, NULL});
    assert_said("equations     banded, 1 entry on either side of the diagonal; factored in every step, dense ");
    assert_runs((const char *[]){YOKE_PROGRAM, "check", file, "--set", "method.path=low-rank", NULL});
    assert_said(
        "low-rank: the initial factor, corrected in 60 rows and columns; factored in every step; method.path chose");
}

/* Largest displacement of the last mass, from the summary. */
static double peak(const char *file, const char *path)
{
    char set[64], folder[1100], summary[1200];
    json_t *found;
    double value;

    snprintf(set, sizeof set, "method.path=%s", path);
    snprintf(folder, sizeof folder, "%s-%s", file, path);
    snprintf(summary, sizeof summary, "%s/summary.json", folder);
    assert_runs((const char *[]){YOKE_PROGRAM, "run", file, "--set", set, "-o", folder, NULL});
    found = json_load_file(summary, 0, NULL);
    assert_non_null(found);
    value = json_number_value(json_object_get(json_object_get(found, "peaks"), "c.n60.x.u"));
    json_decref(found);
    return value;
}

static void runs_agree_whatever_the_path(void **state)
{
    const char *file = write_chain(60, "");
    const double dense = peak(file, "dense");

    assert_true(dense > 1e-3);
    assert_near(peak(file, "banded"), dense, 1e-11 * dense);
    assert_near(peak(file, "sparse"), dense, 1e-11 * dense);
    assert_near(peak(file, "low-rank"), dense, 1e-11 * dense);
}

static void a_path_that_cannot_be_taken_is_refused(void **state)
{
    const char *file = write_chain(
        40, "      - { kind: damper, between: [ground, n1.x], damping: 1 MN s/m, levers: { turn.phi: 1 m } }\n");

    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "check", file, "--set", "method.path=banded", NULL}),
                     2);
    assert_said("path: banded cannot be taken here: the tangents are not symmetric; use sparse or leave path out");
    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "check", file, "--set", "method.path=full", NULL}), 2);
    assert_said("path = 'full' is not one of: auto, dense, banded, sparse, low-rank");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_reports_the_path_and_why),
        cmocka_unit_test(runs_agree_whatever_the_path),
        cmocka_unit_test(a_path_that_cannot_be_taken_is_refused),
    };
    return cmocka_run_group_tests_name("solving", tests, scratch_create, scratch_remove);
}
