/* Substructures that come from files of other programs: names, supports, units, condensation, and what is refused. */
#include "support/check.h"
#include "support/scratch.h"

#include "experiment/experiment.h"

#include <stdlib.h>

/* A cantilever of one beam, EI = 7 N m2, l = 2 m, mass 5 kg at its tip 2 and 1 kg at the clamped end 1. */
#define CANTILEVER                                                                                                     \
    "yoke-opensees 1\nnode 1 0 0\nnode 2 2 0\ndof 1 1 y\ndof 2 1 rz\ndof 3 2 y\ndof 4 2 rz\nmatrix stiffness 4\n"      \
    "1 1 10.5\n1 2 10.5\n1 3 -10.5\n1 4 10.5\n2 1 10.5\n2 2 14\n2 3 -10.5\n2 4 7\n3 1 -10.5\n3 2 -10.5\n3 3 10.5\n"    \
    "3 4 -10.5\n4 1 10.5\n4 2 7\n4 3 -10.5\n4 4 14\nmatrix mass 4\n1 1 1\n3 3 5\nend\n"

static const char head[] = "time: { step: 1 ms, end: 1 s }\nmethod: { integrator: newmark }\n";

static enum yk_status parse(const char *body, struct yk_model **e, struct yk_err *err)
{
    char text[2000];

    snprintf(text, sizeof text, "%s%s", head, body);
    return yk_model_parse(e, scratch_path("e.yaml"), text, strlen(text), NULL, 0, err);
}

static void write_files(void)
{
    scratch_write("beam.opensees", CANTILEVER);
    scratch_write("job.sti", "1 1 4\n1 2 -1\n2 2 3\n");
    scratch_write("job.mas", "1 1 1\n2 2 2\n");
    scratch_write("job.dof", "101.1\n205.1\n");
    scratch_write("plain_STIF1.mtx", "1 1 4\n2 1 -1\n2 2 3\n");
    scratch_write("plain_MASS1.mtx", "1 1 1\n2 2 2\n");
    scratch_write("mass.csv", "1, 0\n0, 2\n");
    scratch_write("long.csv", "1, 2\n");
    scratch_write("a.pch", "nothing of interest\n");
}

static void nodes_name_interfaces_loads_and_start_values(void **state)
{
    struct yk_model *e;

    assert_ok(
        parse("substructures:\n"
              "  a: { model: job.sti, initial: { displacement: { 205.x: 1 mm } } }\n"
              "  b: { kind: linear, dofs: [x], mass: [1], stiffness: [2] , initial: { displacement: { x: 1 mm } } }\n"
              "interfaces: [ { join: [a.205.x, b.x] } ]\n"
              "loads: [ { on: a.101.x, kind: constant, amplitude: 1 }, { ground: a, influence: { x: 1 }, kind: "
              "constant, amplitude: 1 } ]\n",
              &e, &err));
    assert_string_equal(e->substructures[0].dofs[1], "205.x");
    assert_near(e->substructures[0].system->u0[1], 1e-3, 0);
    assert_near(e->loads[0].direction[0], 1, 0);
    assert_near(e->loads[1].direction[1], -2, 0);
    assert_int_equal(e->rows[0].dof[0], 1);
    assert_null(e->parts[0].place);
    yk_model_close(e);
}

/* The same cantilever as two matrices without names, before it is clamped. */
static void write_matrices(void)
{
    scratch_write("k.csv",
                  "10.5, 10.5, -10.5, 10.5\n10.5, 14, -10.5, 7\n-10.5, -10.5, 10.5, -10.5\n10.5, 7, -10.5, 14\n");
    scratch_write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 1\n2 2 0.1\n3 3 5\n4 4 0.2\n");
}

#define NAMED "substructures: { a: { kind: linear, stiffness: k.csv, mass: m.mtx, names: nodes.csv%s } }\n%s"

static enum yk_status parse_named(const char *table, const char *more, const char *rest, struct yk_model **e,
                                  struct yk_err *err)
{
    char body[1500];

    scratch_write("nodes.csv", table);
    snprintf(body, sizeof body, NAMED, more, rest);
    return parse(body, e, err);
}

/* Matrices of Matrix Market and CSV get nodes, directions and places: ground along y, supports and pictures work. */
static void a_table_names_the_rows_of_matrices(void **state)
{
    static const char *const tables[] = {
        "node, direction, x, y, z\n# clamped\nfoot, y, 0, 0, 0\nfoot, rz, 0, 0, 0\ntip, y, 2, 0, 0\ntip, rz, 2, 0, 0\n",
        "foot;Y;0\nfoot;RZ;0\ntip;Y;2\ntip;RZ;2\n",
        "node, x, y, z, directions\nfoot, 0, 0, 0, \"y rz\"\ntip, 2, 0, 0, y rz\n"};

    write_matrices();
    for (size_t i = 0; i < 3; i++) {
        struct yk_model *e;

        assert_ok(parse_named(tables[i], ", fixed: [foot]",
                              "loads: [ { ground: a, influence: { y: 1 }, kind: constant, amplitude: 3 } ]\n", &e,
                              &err));
        assert_int_equal(e->substructures[0].system->n, 2);
        assert_string_equal(e->substructures[0].dofs[0], "tip.y");
        assert_string_equal(e->substructures[0].dofs[1], "tip.rz");
        assert_near(e->parts[0].place[0], 2, 0);
        assert_near(e->parts[0].place[5], 0, 0);
        assert_near(e->loads[0].direction[0], -5, 0); /* the mass that moves along y */
        assert_near(e->loads[0].direction[1], 0, 0);
        yk_model_close(e);
    }
    struct yk_model *e;

    /* coordinates may be left out, and units are those of the files */
    assert_ok(parse_named("1, y\n1, rz\n2, y\n2, rz\n", ", fixed: [1], units: { length: 1 mm }", "", &e, &err));
    assert_null(e->parts[0].place);
    assert_near_relative(yk_matrix_get(&e->substructures[0].system->K, 0, 0), 10.5e3, 1e-13);
    yk_model_close(e);
}

static void tables_that_do_not_fit_are_refused(void **state)
{
    static const struct {
        const char *table, *more, *words;
        int line; /* of the table; 0: none */
    } cases[] = {
        {"1, y\n1, rz\n2, y\n", "", "3 rows are named, but the matrices have 4", 0},
        {"1, y\n1, rz\n2, y\n2, y\n", "", "2.y stands there twice", 0},
        {"1, y\n1, w\n2, y\n2, rz\n", "", "'w' is no direction", 2},
        {"1, y\n1, rz, a\n2, y\n2, rz\n", "", "a", 2},
        {"1, 0, 0, y rz\n", "", "'node, x, y, z, directions' is expected", 1},
        {"1\n", "", "is expected", 1},
        {"# nothing\n", "", "there is no node", 0},
        /* free to move, but not along the y of this order */
        {"1, rz\n1, y\n2, rz\n2, y\n", "", "are they in the order of the matrices?", 0},
        {"1, y\n1, rz\n2, y\n2, rz\n", ", dofs: [a, b, c, d]", "have names from `dofs` already", 0},
    };

    write_matrices();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_err err = {0};
        struct yk_model *e;

        assert_true(parse_named(cases[i].table, cases[i].more, "", &e, &err) != YK_OK);
        if (!strstr(yk_err_line(&err).text, cases[i].words) || !strstr(yk_err_line(&err).text, "names"))
            fail_msg("case %zu: %s", i, yk_err_line(&err).text);
    }
}

/* 3 EI / l3 at the tip */
static void supports_and_condensation_leave_the_cantilever(void **state)
{
    struct yk_model *e;

    assert_ok(parse("substructures: { a: { model: beam.opensees, fixed: [1], massless: condense } }\n", &e, &err));
    assert_int_equal(e->substructures[0].system->n, 1);
    assert_string_equal(e->substructures[0].dofs[0], "2.y");
    assert_near_relative(yk_matrix_get(&e->substructures[0].system->K, 0, 0), 3 * 7 / 8.0, 1e-13);
    assert_near(yk_matrix_get(&e->substructures[0].system->M, 0, 0), 5, 0);
    assert_near(e->parts[0].place[0], 2, 0);
    yk_model_close(e);
}

static void single_degrees_of_freedom_can_be_fixed(void **state)
{
    struct yk_model *e;

    assert_ok(parse("substructures: { a: { model: beam.opensees, fixed: [1.rz, 2.rz] } }\n", &e, &err));
    assert_int_equal(e->substructures[0].system->n, 2);
    assert_string_equal(e->substructures[0].dofs[1], "2.y");
    yk_model_close(e);
}

/* eq. (11) of frames.md: a consistent mass couples the support, which moves with the ground, with its neighbour. */
static void the_ground_pulls_at_held_nodes_too(void **state)
{
    static const struct {
        const char *substructure;
        double force;
    } cases[] = {
        {"a: { model: bar.sti, fixed: [1] }", -3},
        {"a: { model: bar.sti, fixed: [1], units: { length: 1 mm, force: 1 N } }", -3000}, /* t */
        {"a: { model: penalty.sti }", -3},
        {"a: { model: penalty.sti, units: { length: 1 mm, force: 1 N } }", -3000},
        {"a: { dofs: [y, x], fixed: [y], mass: [[2, 1], [1, 2]], stiffness: [[1, -1], [-1, 1]] }", -2}, /* across */
    };

    scratch_write("bar.sti", "1 1 1\n1 2 -1\n2 2 1\n");
    scratch_write("penalty.sti", "1 1 1e36\n1 2 -1\n2 2 1\n");
    scratch_write("bar.mas", "1 1 2\n1 2 1\n2 2 2\n");
    scratch_write("penalty.mas", "1 1 2\n1 2 1\n2 2 2\n");
    scratch_write("bar.dof", "1.1\n2.1\n");
    scratch_write("penalty.dof", "1.1\n2.1\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e;
        char text[400];

        snprintf(text, sizeof text,
                 "substructures:\n  %s\nloads: [ { ground: a, influence: { x: 1 }, kind: constant, amplitude: 1 } ]\n",
                 cases[i].substructure);
        assert_ok(parse(text, &e, &err));
        assert_int_equal(e->substructures[0].system->n, 1);
        assert_near(e->loads[0].direction[0], cases[i].force, 1e-9);
        yk_model_close(e);
    }
}

/* x of one node stands against x of all, wherever it is written. */
static void a_node_goes_before_its_direction(void **state)
{
    static const char *const influences[] = {"{ x: 1, 205.x: 0.5 }", "{ 205.x: 0.5, x: 1 }"};

    for (size_t i = 0; i < 2; i++) {
        struct yk_model *e;
        char text[200];

        snprintf(text, sizeof text,
                 "substructures: { a: { model: job.sti } }\n"
                 "loads: [ { ground: a, influence: %s, kind: constant, amplitude: 1 } ]\n",
                 influences[i]);
        assert_ok(parse(text, &e, &err));
        assert_near(e->loads[0].direction[0], -1, 0);
        assert_near(e->loads[0].direction[1], -1, 0); /* 2 kg, half the way */
        yk_model_close(e);
    }
}

static void files_have_their_units_and_inline_matrices_are_SI(void **state)
{
    struct yk_model *e;

    assert_ok(
        parse("substructures: { a: { stiffness: job.sti, mass: [1, 2], map: job.dof, units: { length: 1 mm, force: 1 "
              "kN } } }\n",
              &e, &err));
    assert_near_relative(yk_matrix_get(&e->substructures[0].system->K, 0, 0), 4e6, 1e-14);
    assert_near(yk_matrix_get(&e->substructures[0].system->M, 1, 1), 2, 0);
    yk_model_close(e);
}

static void names_may_be_given_where_files_have_none(void **state)
{
    struct yk_model *e;

    assert_ok(parse("substructures: { a: { dofs: [left, right], model: plain_STIF1.mtx } }\n", &e, &err));
    assert_string_equal(e->substructures[0].dofs[1], "right");
    assert_near(yk_matrix_get(&e->substructures[0].system->K, 0, 1), -1, 0);
    yk_model_close(e);
    assert_ok(parse("substructures: { a: { dofs: [left, right], stiffness: job.sti, mass: mass.csv } }\n", &e, &err));
    assert_string_equal(e->substructures[0].dofs[0], "left");
    assert_near(yk_matrix_get(&e->substructures[0].system->M, 1, 1), 2, 0);
    yk_model_close(e);
}

/* Names are d1, d2, ..., or as a pattern says; in the experiment file itself a size is told by no file. */
static void names_may_be_left_out_or_numbered(void **state)
{
    static const struct {
        const char *text, *names[2];
    } cases[] = {
        {"a: { model: plain_STIF1.mtx }", {"d1", "d2"}},
        {"a: { stiffness: [3, 4], mass: mass.csv }", {"d1", "d2"}},
        {"a: { stiffness: plain_STIF1.mtx, mass: mass.csv, dofs: { count: 2, prefix: floor } }", {"floor1", "floor2"}},
        {"a: { stiffness: [3, 4], mass: [1, 2], dofs: { count: 2 } }", {"d1", "d2"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e;
        char text[200];

        snprintf(text, sizeof text, "substructures:\n  %s\n", cases[i].text);
        assert_ok(parse(text, &e, &err));
        assert_int_equal(e->substructures[0].system->n, 2);
        for (int k = 0; k < 2; k++)
            assert_string_equal(e->substructures[0].dofs[k], cases[i].names[k]);
        yk_model_close(e);
    }
}

static void refusals_name_place_and_reason(void **state)
{
    static const struct {
        const char *body, *words;
    } cases[] = {
        {"a: { model: beam.opensees }", "has no inertia (pivot <= 0); every degree of freedom needs mass, or "
                                        "`massless: condense`"},
        {"a: { model: missing.sti }", "e.yaml:3:30: model: "},
        {"a: { model: missing.txt }", "model: missing.txt cannot be opened, or is of no known format"},
        {"a: { model: a.pch }", "a.pch cannot be opened, or is of no known format"},
        {"a: { model: a.pch, format: nastran }", "a.pch: holds no matrix"},
        {"a: { model: job.sti, format: calculus }", "there is no format 'calculus'; did you mean 'calculix'?"},
        {"a: { model: job.sti, format: opensees }", "job.sti:1: the file must start with 'yoke-opensees 1'"},
        {"a: { model: job.sti, fixed: [101.y] }", "there is no degree of freedom '101.y'; did you mean '101.x'?"},
        {"a: { model: job.sti, fixed: [101, 205] }", "fixed: every degree of freedom is held"},
        {"a: { stiffness: long.csv, mass: mass.csv }", "stiffness is 1 x 2, but a square matrix is expected"},
        {"a: { stiffness: [1, 2, 3], mass: mass.csv }", "stiffness is 3 x 3, but 2 x 2 is expected"},
        {"a: { stiffness: [1, 2], mass: [1, 2], dofs: { count: 0 } }", "count = 0 is outside 1 .. 1e+06"},
        {"a: { stiffness: [1, 2], mass: [1, 2], dofs: { prefix: d } }",
         "missing 'count' (number of degrees of freedom)"},
        {"a: { stiffness: [1, 2], mass: [1, 2], dofs: { count: 2, prefix: a.b } }", "'a.b' cannot start a name"},
        {"a: { stiffness: [1, 2], mass: [1, 2], dofs: { count: 3 } }", "stiffness is 2 x 2, but 3 x 3 is expected"},
        {"a: { model: job.sti, dofs: [x] }", "1 names for 2 degrees of freedom of the model"},
        {"a: { stiffness: job.sti, mass: plain_MASS1.mtx }", "is a file of abaqus, but another is one of calculix"},
        {"a: { stiffness: job.sti }", "missing 'mass' (rows, a diagonal, or a file)"},
        {"a: { dofs: [x], mass: [1], stiffness: [1], map: job.dof }", "map: no file here needs one"},
        {"a: { model: job.sti, units: { length: 1 kN } }", "1 kN"},
        {"a: { model: job.sti, units: { mass: 1 kg } }", "unknown key 'mass' in units"},
        {"a: { model: job.sti, massless: drop }", "massless = 'drop' is not one of: refuse, condense"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e;
        char body[200];

        snprintf(body, sizeof body, "substructures: { %s }\n", cases[i].body);
        assert_refused(parse(body, &e, &err), err.status, cases[i].words);
        assert_null(e);
    }
}

static int set_up(void **state)
{
    if (scratch_create(state))
        return -1;
    write_files();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_name_interfaces_loads_and_start_values),
        cmocka_unit_test(a_table_names_the_rows_of_matrices),
        cmocka_unit_test(tables_that_do_not_fit_are_refused),
        cmocka_unit_test(supports_and_condensation_leave_the_cantilever),
        cmocka_unit_test(single_degrees_of_freedom_can_be_fixed),
        cmocka_unit_test(the_ground_pulls_at_held_nodes_too),
        cmocka_unit_test(a_node_goes_before_its_direction),
        cmocka_unit_test(files_have_their_units_and_inline_matrices_are_SI),
        cmocka_unit_test(names_may_be_given_where_files_have_none),
        cmocka_unit_test(names_may_be_left_out_or_numbered),
        cmocka_unit_test(refusals_name_place_and_reason),
    };

    return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
