/* Geometry of members: linear members are those of the stiffness matrix; columns lean; chords turn. */
#include "support/check.h"

#include "substructure/member/elastic.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = YK_MEMBER_DOFS };

/* Without any symmetry. */
static const struct yk_section section = {
    .E = 2.1e11, .nu = 0.3, .A = 2e-3, .Iy = 3e-6, .Iz = 1.2e-6, .J = 5e-7, .shear_y = 1.5e-3, .shear_z = 1.1e-3};

static struct yk_beam oblique(bool plane, enum yk_theory theory)
{
    return (struct yk_beam){.section = section,
                            .ends = {{0.3, -0.2, 0}, {1.7, 0.9, plane ? 0 : 0.8}},
                            .up = {0.2, 0.1, plane ? 0 : 1},
                            .plane = plane,
                            .theory = theory};
}

static struct yk_member elastic(const struct yk_beam *beam, enum yk_geometry geometry, bool bowing)
{
    struct yk_member m;

    assert_ok(yk_member_init(&m, beam, geometry, bowing, &err));
    assert_ok(yk_elastic_basic(&m.basic, beam, &err));
    return m;
}

static void linear_members_are_those_of_the_stiffness_matrix(void **state)
{
    /* by end; nothing, rz, x, rz at both ends */
    static const unsigned release[][2] = {{0, 0}, {0, 1 << 5}, {1, 0}, {1 << 5, 1 << 5}};

    for (int plane = 0; plane < 2; plane++)
        for (int theory = YK_EULER_BERNOULLI; theory <= YK_TRUSS; theory++)
            for (int row = 0; row < (theory == YK_TRUSS ? 1 : 4); row++) {
                struct yk_beam beam = oblique(plane, theory);
                double K[SIZE * SIZE], kept[SIZE * SIZE], u[SIZE], f[SIZE], committed[16], trial[16];
                struct yk_member m;
                double largest = 0;

                memcpy(beam.release, release[row], sizeof beam.release);
                m = elastic(&beam, YK_GEOMETRY_LINEAR, false);
                assert_ok(yk_beam_matrices(&beam, K, NULL, &err));
                assert_true(yk_member_memory(&m) <= 16);
                yk_member_rest(&m, committed);
                for (int i = 0; i < SIZE; i++) {
                    u[i] = sin(1 + 2.7 * i) * 1e-2;
                    if (plane && i % 6 > 1 && i % 6 < 5)
                        u[i] = 0;
                }
                assert_true(yk_member_state(&m, committed, u, 0.01, trial, f, kept, NULL));
                for (int i = 0; i < SIZE * SIZE; i++)
                    largest = fmax(largest, fabs(K[i]));
                for (int i = 0; i < SIZE; i++) {
                    double sum = 0;
                    const bool counts = !plane || i % 6 < 2 || i % 6 == 5;

                    for (int j = 0; j < SIZE; j++) {
                        const bool both = counts && (!plane || j % 6 < 2 || j % 6 == 5);

                        sum += K[i + j * SIZE] * u[j];
                        assert_near(kept[i + j * SIZE], both ? K[i + j * SIZE] : 0, 1e-13 * largest);
                    }
                    assert_near(f[i], counts ? sum : 0, 1e-14 * largest);
                }
                yk_member_fini(&m);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_members_are_those_of_the_stiffness_matrix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
