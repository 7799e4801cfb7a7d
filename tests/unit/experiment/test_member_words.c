/* Nonlinear members in the experiment file: what its words make of them. Expected values are closed forms. */
#include "support/check.h"
#include "support/dofs.h"
#include "support/scratch.h"

#include "door/answers.h"
#include "experiment/experiment.h"
#include <yoke/look.h>

#include <math.h>
#include <stdlib.h>

#define HEAD                                                                                                           \
    "time: {step: 1 ms, end: 0.1}\nmethod: {integrator: newmark-newton}\nsubstructures:\n  f:\n    kind: frame\n"
/* 200 x 300 mm of an elastic material, 10 cells high */
#define SECTION                                                                                                        \
    "    materials: {m: {kind: spring, stiffness: 200 GPa}}\n    sections:\n      s:\n        density: 7850\n"         \
    "        fibres: [{patch: rectangle, material: m, from: [-150 mm, -100 mm], to: [150 mm, 100 mm], divide: [10, "   \
    "1]}]\n"
#define CANTILEVER "    nodes: {a: {at: [0, 0], fixed: all}, b: [2, 0]}\n"

static const double E = 200e9, A = 0.06, Iz = 0.2 * 0.3 * 0.3 * 0.3 / 12, L = 2, rho = 7850, cells = 1 - 1.0 / 100;

/* Tangents of fibres have a floor of 1e-9 of their stiffness at rest. */
static const double floor_k = 2e-9;

static struct yk_model *parse(const char *text)
{
    struct yk_model *e;

    assert_ok(yk_model_parse(&e, scratch_path("test.yaml"), text, strlen(text), NULL, 0, &err));
    return e;
}

/* Stiffness across at b.y, where b.rz is free. */
static double across(const struct yk_model *e)
{
    const struct yk_substructure *s = &e->substructures[0];
    const size_t y = row_of(s, "b.y"), rz = row_of(s, "b.rz");
    const double c = yk_matrix_get(&s->system->K, y, rz);

    return yk_matrix_get(&s->system->K, y, y) - c * c / yk_matrix_get(&s->system->K, rz, rz);
}

/* 3 E I / L^3 with the I of ten cells, and the mass of a linear beam. */
static void fibres_give_stiffness_and_mass(void **state)
{
    static const char *const how[] = {"", ", formulation: force", ", formulation: force, points: 3, iterations: 20",
                                      ", rule: lobatto, points: 4", ", geometry: p-delta"};

    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        char text[2048];
        struct yk_model *e;

        snprintf(text, sizeof text, HEAD SECTION CANTILEVER "    members: [{between: [a, b], section: s%s}]\n", how[i]);
        e = parse(text);
        const struct yk_substructure *s = &e->substructures[0];
        const size_t x = row_of(s, "b.x"), y = row_of(s, "b.y");

        assert_false(s->system->linear);
        assert_near_relative(across(e), 3 * E * Iz * cells / (L * L * L), floor_k);
        assert_near_relative(yk_matrix_get(&s->system->K, x, x), E * A / L, floor_k);
        assert_near_relative(yk_matrix_get(&s->system->M, y, y), rho * A * L * 156 / 420, 1e-12);
        yk_model_close(e);
    }
}

/* The nodes that divide a member are its own, and so are its pieces. */
static void divided_members_are_several(void **state)
{
    struct yk_model *e =
        parse(HEAD SECTION CANTILEVER "    members: [{between: [a, b], section: s, divide: 4, name: arm}]\n");
    const struct yk_substructure *s = &e->substructures[0];
    const struct yk_tally tally = yk_tally_members(s->system);
    struct yk_look look = {.member = 3};

    assert_int_equal(s->system->n, 12);
    assert_int_equal(tally.members, 4);
    assert_int_equal(tally.sections, 20);
    assert_int_equal(tally.fibres, 200);
    assert_string_equal(yk_look_member(s->system, &look), "arm.4");
    yk_model_close(e);
}

/* The stiffness of cells is that of the same fibres in a table. */
static void tables_of_fibres_are_read(void **state)
{
    char *table = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&table, &size);

    fprintf(out, "y; z; area; material\n# from the top\n\n");
    for (int i = 0; i < 10; i++)
        fprintf(out, "%.17g; 0.02; 0.006; m\r\n", 0.135 - 0.03 * i);
    fclose(out);
    scratch_write("fibres.csv", table);
    struct yk_model *e = parse(HEAD "    materials: {m: {kind: spring, stiffness: 200 GPa}}\n"
                                    "    sections: {s: {density: 7850, fibres: [{file: fibres.csv}]}}\n" CANTILEVER
                                    "    members: [{between: [a, b], section: s}]\n");
    assert_near_relative(across(e), 3 * E * Iz * cells / (L * L * L), floor_k);
    yk_model_close(e);
    free(table);
}

#define ELASTIC "    sections: {s: {E: 200 GPa, A: 0.06, Iz: 4.5e-4, density: 7850}}\n"

/* A hinge of stiffness c in series with the cantilever: 1 / (L^3 / 3EI + L^2 / c). A chain has hinges at its two ends
 * only; in the middle it goes on. A hinge that is rigid before it yields leaves a beam in double curvature as it is. */
static void hinges_are_at_the_ends(void **state)
{
    struct yk_model *e =
        parse(HEAD ELASTIC "    hinges: {h: {kind: bilinear, stiffness: 30 MN m/rad, yield_slip: 0.01}}\n"
                           "    nodes: {a: {at: [0, 0], fixed: all}, c: [1, 0], b: [2, 0]}\n"
                           "    members: [{between: [a, c, b], section: s, divide: 2, hinges: {start: {rz: h}}}]\n");
    const struct yk_substructure *s = &e->substructures[0];

    assert_int_equal(yk_tally_members(s->system).hinges, 1);
    assert_int_equal(yk_tally_members(s->system).members, 1); /* the other pieces stay in the matrix */
    yk_model_close(e);
    e = parse(HEAD ELASTIC "    hinges: {h: {kind: bilinear, stiffness: 30 MN m/rad, yield_slip: 0.01}}\n" CANTILEVER
                           "    members: [{between: [a, b], section: s, hinges: {start: {rz: h}}}]\n");
    assert_near_relative(across(e), 1 / (L * L * L / (3 * E * Iz) + L * L / 30e6), floor_k);
    yk_model_close(e);
    e = parse(HEAD ELASTIC "    hinges: {h: {kind: bilinear, stiffness: rigid, yield: 30 kN m, hardening: 0.02}}\n"
                           "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [2, 0], fixed: [rz]}}\n"
                           "    members: [{between: [a, b], section: s, hinges: {start: {rz: h}, end: {rz: h}}}]\n");
    s = &e->substructures[0];
    assert_near_relative(yk_matrix_get(&s->system->K, row_of(s, "b.y"), row_of(s, "b.y")), 12 * E * Iz / (L * L * L),
                         1e-9);
    yk_model_close(e);
}

/* On a rigid arm of 0.5 m the end of a member follows the master: 4EI/L + 0.25 EA/L at its rotation. */
static void members_hold_on_to_rigid_arms(void **state)
{
    struct yk_model *e =
        parse(HEAD SECTION
              "    nodes: {a: {at: [0, 0], fixed: all}, d: [2, 0], b: {at: [2, 0.5], mass: {x: 1, y: 1, rz: 1}}}\n"
              "    members: [{between: [a, d], section: s}]\n    links: [{master: b, slaves: [d]}]\n");
    const struct yk_substructure *s = &e->substructures[0];
    const size_t x = row_of(s, "b.x"), rz = row_of(s, "b.rz");

    assert_near_relative(yk_matrix_get(&s->system->K, x, rz), 0.5 * E * A / L, floor_k);
    assert_near_relative(yk_matrix_get(&s->system->K, rz, rz), 4 * E * Iz * cells / L + 0.25 * E * A / L, floor_k);
    yk_model_close(e);
}

/* Members between the same nodes have names of their own; a member between supports is left out. */
static void twins_and_members_between_supports(void **state)
{
    struct yk_model *e =
        parse(HEAD SECTION "    nodes: {a: {at: [0, 0], fixed: all}, z: {at: [0, 1], fixed: all}, b: [2, 0]}\n"
                           "    members: [{between: [a, z], section: s}, {between: [a, b], section: s}, {between: [a, "
                           "b], section: s, name: twin}]\n");
    const struct yk_system *s = e->substructures[0].system;
    struct yk_look look = {.member = 1};

    assert_int_equal(yk_tally_members(s).members, 2);
    assert_string_equal(yk_look_member(s, &look), "twin");
    assert_near_relative(across(e), 2 * 3 * E * Iz * cells / (L * L * L), floor_k);
    yk_model_close(e);
}

/* A truss with one fibre law. */
static void trusses_may_have_fibres(void **state)
{
    struct yk_model *e =
        parse(HEAD SECTION "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [1.2, 1.6], mass: 100}}\n"
                           "    members: [{between: [a, b], section: s, theory: truss}]\n"
                           "    elements: [{kind: spring, between: [ground, b.y], stiffness: 1000}]\n");
    const struct yk_substructure *s = &e->substructures[0];
    const size_t x = row_of(s, "b.x"), y = row_of(s, "b.y");

    assert_int_equal(s->system->n, 2);
    assert_near_relative(yk_matrix_get(&s->system->K, x, x), 0.36 * E * A / L, floor_k);
    assert_near_relative(yk_matrix_get(&s->system->K, x, y), 0.48 * E * A / L, floor_k);
    yk_model_close(e);
}

/* Damping by the stiffness of members at rest, or by that of the last step, which the structure adds itself. */
static void damping_is_proportional_to_the_stiffness_of_members(void **state)
{
    static const char *const of[] = {"initial", "committed"};

    for (int i = 0; i < 2; i++) {
        char text[2048];
        struct yk_model *e;

        snprintf(text, sizeof text,
                 HEAD SECTION CANTILEVER "    members: [{between: [a, b], section: s}]\n"
                                         "    rayleigh: {mass: 0.5, stiffness: 2 ms, stiffness_of: %s}\n",
                 of[i]);
        e = parse(text);
        const struct yk_substructure *s = &e->substructures[0];
        const size_t x = row_of(s, "b.x");

        assert_near_relative(yk_matrix_get(&s->system->C, x, x), 0.5 * rho * A * L / 3 + 0.002 * E * A / L, floor_k);
        yk_model_close(e);
    }
}

/* A T of two materials: its elastic centroid is above the axis, and that is said. */
static void checks_tell_what_sections_are(void **state)
{
    struct yk_model *e = parse(
        HEAD "    materials: {m: {kind: spring, stiffness: 200 GPa}, n: {kind: spring, stiffness: 100 GPa}}\n"
             "    sections:\n      s:\n        density: 7850\n        fibres:\n"
             "        - {patch: rectangle, material: m, from: [0, -0.1], to: [0.1, 0.1], divide: [4, 1]}\n"
             "        - {patch: rectangle, material: n, from: [-0.1, -0.1], to: [0, 0.1], divide: [4, 1]}\n" CANTILEVER
             "    members: [{between: [a, b], section: s}]\n");
    json_t *list = yk_sections_json(&e->parts[0].sections), *s = json_array_get(list, 0);
    char *words = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&words, &size);

    yk_sections_print(&e->parts[0].sections, "", out);
    fclose(out);
    assert_string_equal(json_string_value(json_object_get(s, "name")), "s");
    assert_int_equal(json_integer_value(json_object_get(s, "fibres")), 8);
    assert_near_relative(json_real_value(json_object_get(s, "EA_N")), 0.02 * 300e9, 1e-12);
    assert_near_relative(json_real_value(json_object_get(s, "centroid_y_m")), 0.05 / 3, 1e-12);
    assert_true(json_is_true(json_object_get(s, "eccentric")));
    assert_non_null(strstr(words, "section s: 8 fibres of 2 materials, EA 6 GN"));
    assert_non_null(strstr(words, "elastic centroid at y = 16.67 mm; WARNING: off the axis of the member"));
    json_decref(list);
    free(words);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibres_give_stiffness_and_mass),
        cmocka_unit_test(divided_members_are_several),
        cmocka_unit_test(tables_of_fibres_are_read),
        cmocka_unit_test(hinges_are_at_the_ends),
        cmocka_unit_test(members_hold_on_to_rigid_arms),
        cmocka_unit_test(twins_and_members_between_supports),
        cmocka_unit_test(trusses_may_have_fibres),
        cmocka_unit_test(damping_is_proportional_to_the_stiffness_of_members),
        cmocka_unit_test(checks_tell_what_sections_are),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
