/* Analyses of the matrices of a model, against closed forms. */
#include "support/check.h"

#include <yoke/inspect.h>

#include <math.h>
#include <stdlib.h>

enum { CHAIN = 8 };

/* n masses in a row joined by springs, those at the ends to the ground where `held`. */
static struct yk_substructure chain(size_t n, double mass, double stiffness, bool held)
{
    struct yk_structure_parts parts = {0};
    struct yk_substructure s = {.name = "chain", .dofs = calloc(n, sizeof *s.dofs)};

    assert_ok(yk_matrix_init(&parts.M, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&parts.C, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&parts.K, YK_DENSE, n, n, &err));
    for (size_t i = 0; i < n; i++) {
        assert_true(asprintf(&s.dofs[i], "%zu.%c", i / 2 + 1, "xy"[i % 2]) > 0);
        parts.M.x[i] = mass;
        parts.K.x[i + i * n] = stiffness * ((i > 0 || held) + (i + 1 < n || held));
        if (i > 0)
            parts.K.x[i + (i - 1) * n] = parts.K.x[i - 1 + i * n] = -stiffness;
    }
    assert_ok(yk_structure_create(&s.system, &parts, NULL, &err));
    return s;
}

static void release(struct yk_substructure *s)
{
    for (size_t i = 0; i < s->system->n; i++)
        free(s->dofs[i]);
    free(s->dofs);
    yk_system_destroy(s->system);
}

/* w_k = 2 sqrt(k/m) sin(k pi / (2 (n + 1))) */
static void a_held_chain_has_the_frequencies_of_the_formula(void **state)
{
    struct yk_substructure s = chain(CHAIN, 2, 50, true);
    struct yk_inspection x;

    assert_ok(yk_inspect(&x, &s, 5, &err));
    assert_int_equal(x.modes, 5);
    assert_int_equal(x.rigid, 0);
    assert_int_equal(x.negative, 0);
    assert_int_equal(x.nodes, CHAIN / 2);
    assert_true(x.mass_definite);
    assert_near(x.mass_kg[0], CHAIN / 2 * 2, 1e-12);
    assert_near(x.mass_kg[1], CHAIN / 2 * 2, 1e-12);
    assert_true(isnan(x.mass_kg[2]));
    for (size_t k = 0; k < 5; k++)
        assert_near_relative(x.frequency_Hz[k],
                             2 * sqrt(25.0) * sin((double)(k + 1) * M_PI / (2 * (CHAIN + 1))) / (2 * M_PI), 1e-12);
    assert_true(x.largest[0] == CHAIN / 2 - 1 || x.largest[0] == CHAIN / 2); /* half a sine */
    yk_inspection_free(&x);
    release(&s);
}

static void a_free_chain_has_one_rigid_mode(void **state)
{
    struct yk_substructure s = chain(CHAIN, 2, 5e8, false);
    struct yk_inspection x;

    assert_ok(yk_inspect(&x, &s, 100, &err));
    assert_int_equal(x.modes, CHAIN);
    assert_int_equal(x.rigid, 1);
    assert_near(x.frequency_Hz[0], 0, 0);
    assert_near_relative(x.frequency_Hz[1], 2 * sqrt(2.5e8) * sin(M_PI / (2 * CHAIN)) / (2 * M_PI), 1e-10);
    yk_inspection_free(&x);
    release(&s);
}

/* Nine digits, as single precision leaves them in a file. */
static void rigid_modes_are_seen_through_rounded_files(void **state)
{
    struct yk_substructure s = chain(CHAIN, 2, 1.23456789e7, false);
    struct yk_inspection x;

    for (size_t i = 0; i < CHAIN; i++)
        s.system->K.x[i + i * CHAIN] *= 1 + (i % 2 ? 1e-10 : -1e-10);
    assert_ok(yk_inspect(&x, &s, 4, &err));
    assert_int_equal(x.rigid, 1);
    assert_int_equal(x.negative, 0);
    yk_inspection_free(&x);
    release(&s);
}

static void a_soft_support_is_not_a_rigid_mode(void **state)
{
    struct yk_substructure s = chain(CHAIN, 2, 50, false);
    struct yk_inspection x;

    s.system->K.x[0] += 1e-3;
    assert_ok(yk_inspect(&x, &s, 4, &err));
    assert_int_equal(x.rigid, 0);
    assert_near_relative(x.frequency_Hz[0], sqrt(1e-3 / (2 * CHAIN)) / (2 * M_PI), 1e-3);
    yk_inspection_free(&x);
    release(&s);
}

static void negative_stiffness_is_found(void **state)
{
    struct yk_substructure s = chain(CHAIN, 2, 50, true);
    struct yk_inspection x;

    s.system->K.x[0] = -80;
    assert_ok(yk_inspect(&x, &s, 4, &err));
    assert_int_equal(x.negative, 1);
    assert_true(isnan(x.frequency_Hz[0]));
    yk_inspection_free(&x);
    release(&s);
}

static void matrices_that_are_no_eigenproblem_are_a_finding(void **state)
{
    struct yk_substructure s = chain(CHAIN, 2, 50, true);
    struct yk_inspection x;

    s.system->K.x[1] += 1;
    assert_ok(yk_inspect(&x, &s, 4, &err));
    assert_int_equal(x.modes, 0);
    assert_near(x.asymmetry_stiffness, 1.0 / 100, 1e-12);
    yk_inspection_free(&x);
    s.system->K.x[1] -= 1;
    s.system->M.x[3] = 0;
    assert_ok(yk_inspect(&x, &s, 4, &err));
    assert_false(x.mass_definite);
    assert_int_equal(x.mass_lost, 3);
    assert_int_equal(x.modes, 0);
    yk_inspection_free(&x);
    release(&s);
}

static void the_moving_mass_needs_directions_of_all(void **state)
{
    struct yk_substructure s = chain(2, 2, 50, true);
    struct yk_inspection x;

    strcpy(s.dofs[1], "top");
    assert_ok(yk_inspect(&x, &s, 1, &err));
    assert_true(isnan(x.mass_kg[0]));
    yk_inspection_free(&x);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_chain_has_the_frequencies_of_the_formula),
        cmocka_unit_test(a_free_chain_has_one_rigid_mode),
        cmocka_unit_test(rigid_modes_are_seen_through_rounded_files),
        cmocka_unit_test(a_soft_support_is_not_a_rigid_mode),
        cmocka_unit_test(negative_stiffness_is_found),
        cmocka_unit_test(matrices_that_are_no_eigenproblem_are_a_finding),
        cmocka_unit_test(the_moving_mass_needs_directions_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
