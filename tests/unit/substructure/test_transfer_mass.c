/* Mass moved across an interface: every form of the matrix, and what is refused. */
#include "support/check.h"
#include "support/pendulum.h"

#include <math.h>

#include <yoke/substructure.h>

/* Two degrees of freedom with mass {a, 0.5; 0.5, 2}; sparse only stays so where it is told not to be compacted. */
static struct yk_system *structure(enum yk_form form, double a)
{
    struct yk_structure_parts parts = {0};
    struct yk_system *system;

    if (form == YK_SPARSE)
        assert_ok(yk_matrix_from_triplets(&parts.M, 2, 2, 4, (int[]){0, 1, 0, 1}, (int[]){0, 0, 1, 1},
                                          (double[]){a, 0.5, 0.5, 2}, &err));
    else
        assert_ok(yk_matrix_init(&parts.M, form, 2, 2, &err));
    if (form == YK_DENSE)
        memcpy(parts.M.x, (double[]){a, 0.5, 0.5, 2}, 4 * sizeof(double));
    if (form == YK_DIAGONAL)
        memcpy(parts.M.x, (double[]){a, 2}, 2 * sizeof(double));
    assert_ok(yk_matrix_init(&parts.C, YK_DIAGONAL, 2, 2, &err));
    assert_ok(yk_matrix_init(&parts.K, YK_DIAGONAL, 2, 2, &err));
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    if (form == YK_SPARSE) { /* a small matrix is stored densely: put the sparse one back */
        yk_matrix_fini(&system->M);
        assert_ok(yk_matrix_from_triplets(&system->M, 2, 2, 4, (int[]){0, 1, 0, 1}, (int[]){0, 0, 1, 1},
                                          (double[]){a, 0.5, 0.5, 2}, &err));
    }
    assert_int_equal(system->M.form, form);
    return system;
}

static char *dofs[] = {"x", "y"};

static void mass_moves_in_every_form(void **state)
{
    static const enum yk_form forms[] = {YK_DENSE, YK_DIAGONAL, YK_SPARSE};

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            struct yk_substructure from = {"deck", dofs, structure(forms[i], 4), false},
                                   to = {"pier", dofs, structure(forms[j], 1), false};

            assert_ok(yk_transfer_mass(&from, 0, &to, 1, 0.25, &err));
            assert_near(yk_matrix_get(&from.system->M, 0, 0), 3, 1e-15);
            assert_near(yk_matrix_get(&to.system->M, 1, 1), 3, 1e-15);
            assert_near(yk_matrix_get(&from.system->M, 1, 1), 2, 0);
            assert_near(yk_matrix_get(&to.system->M, 0, 0), 1, 0);
            yk_system_destroy(from.system);
            yk_system_destroy(to.system);
        }
}

static void bad_transfers_are_refused(void **state)
{
    struct yk_substructure from = {"deck", dofs, structure(YK_DENSE, 4), false},
                           to = {"pier", dofs, structure(YK_DENSE, 1), false};
    const double rest[3] = {0};
    const struct pendulum settings = {1, 0, 1, 1, 1, 1, 9.81};
    struct yk_substructure pendulum = {"pendulum", dofs, pendulum_make(&settings, rest, rest), false};

    assert_refused(yk_transfer_mass(&from, 0, &to, 1, 1, &err), YK_E_RANGE, "[0, 1)");
    assert_refused(yk_transfer_mass(&from, 0, &to, 1, -0.1, &err), YK_E_RANGE, "[0, 1)");
    assert_refused(yk_transfer_mass(&from, 0, &to, 1, NAN, &err), YK_E_RANGE, "[0, 1)");
    assert_refused(yk_transfer_mass(&from, 2, &to, 1, 0.5, &err), YK_E_INPUT, "none with index 2");
    assert_refused(yk_transfer_mass(&from, 0, &pendulum, 1, 0.5, &err), YK_E_UNSUPPORTED, "configuration");
    assert_refused(yk_transfer_mass(&pendulum, 0, &to, 1, 0.5, &err), YK_E_UNSUPPORTED, "configuration");
    /* 4 - 3.9 = 0.1 < 0.5^2/2: no longer positive definite; nothing has changed */
    assert_refused(yk_transfer_mass(&from, 0, &to, 1, 0.975, &err), YK_E_RANGE, "positive definite");
    assert_near(yk_matrix_get(&from.system->M, 0, 0), 4, 1e-15);
    assert_near(yk_matrix_get(&to.system->M, 1, 1), 2, 0);
    yk_system_destroy(from.system);
    yk_system_destroy(to.system);
    yk_system_destroy(pendulum.system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mass_moves_in_every_form),
                                       cmocka_unit_test(bad_transfers_are_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
