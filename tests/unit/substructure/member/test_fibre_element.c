/* Basic elements with fibres: elastic ones are the linear member; tangents, memory, planes, bounds. */
#include "support/check.h"
#include "support/fibres.h"

#include <math.h>
#include <stdlib.h>

static const double L = 2.7, GJ = 3e6;

static const struct law_sample elastic = {.law = "spring", .set = {{"stiffness", 2e11}}};
static const struct law_sample yielding = {.law = "bilinear",
                                           .set = {{"stiffness", 2e11}, {"hardening", 0.05}, {"yield_slip", 0.0015}}};

struct element {
    struct yk_basic basic;
    size_t m, doubles; /* deformations; memory */
    double *committed, *trial, *scratch;
    double q[YK_BASIC_SPACE], k[YK_BASIC_SPACE * YK_BASIC_SPACE];
};

/* The share of the section is given away. */
static struct element make(struct yk_fibre_section *section, struct yk_fibre_element settings)
{
    struct element e;

    settings.L = L;
    settings.GJ = GJ;
    settings.section = section;
    assert_ok(yk_fibre_basic(&e.basic, &settings, &err));
    yk_fibre_section_release(section);
    e.m = yk_fibre_section_summary(section)->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE;
    e.doubles = e.basic.ops->memory(e.basic.self);
    e.committed = calloc(e.doubles + 1, sizeof(double));
    e.trial = calloc(e.doubles + 1, sizeof(double));
    e.scratch = calloc(e.basic.ops->scratch(e.basic.self) + 1, sizeof(double));
    e.basic.ops->rest(e.basic.self, e.committed);
    return e;
}

static void destroy(struct element *e)
{
    e->basic.ops->destroy(e->basic.self);
    free(e->committed);
    free(e->trial);
    free(e->scratch);
}

static bool ask(struct element *e, const double *v)
{
    return e->basic.ops->state(e->basic.self, e->committed, v, 0.01, e->trial, e->q, e->k, e->scratch);
}

static void commit(struct element *e)
{
    double *kept = e->committed;

    e->committed = e->trial;
    e->trial = kept;
}

static struct yk_fibre_section *rectangle(const struct law_sample *sample, double depth, double width, double y,
                                          double z, bool plane)
{
    struct yk_fibre_section *section = fibres_rectangle(sample, depth, width, y, z, 8, 5);

    assert_ok(yk_fibre_section_finish(section, plane, &err));
    return section;
}

static struct yk_fibre_element kind(enum yk_fibre_formulation formulation, enum yk_quadrature rule, size_t points)
{
    struct yk_fibre_element settings = yk_fibre_element_defaults(formulation);

    settings.rule = rule;
    settings.points = points;
    return settings;
}

/* ---- elastic --------------------------------------------------------------------------------------------------- */

/* EA/L, EI/L [4 2; 2 4], GJ/L */
static void elastic_elements_are_the_linear_member(void **state)
{
    const double v[6] = {1e-3, 2e-3, -3e-3, 4e-3, 5e-3, 6e-3};

    for (int formulation = YK_FIBRE_DISPLACEMENT; formulation <= YK_FIBRE_FORCE; formulation++)
        for (int plane = 0; plane < 2; plane++)
            for (int rule = YK_GAUSS_LEGENDRE; rule <= YK_GAUSS_LOBATTO; rule++)
                for (size_t points = rule == YK_GAUSS_LOBATTO ? 3 : 2; points <= 10; points++) {
                    struct yk_fibre_section *section = rectangle(&elastic, 0.3, 0.2, 0, 0, plane);
                    const struct yk_fibre_summary s = *yk_fibre_section_summary(section);
                    struct element e = make(section, kind(formulation, rule, points));
                    double K[6][6] = {{0}};

                    K[0][0] = s.EA / L;
                    for (int i = 1; i <= 3; i += 2) {
                        const double EI = i == 1 ? s.EIz : s.EIy;

                        K[i][i] = K[i + 1][i + 1] = 4 * EI / L;
                        K[i][i + 1] = K[i + 1][i] = 2 * EI / L;
                    }
                    K[5][5] = GJ / L;
                    assert_true(ask(&e, v));
                    for (size_t i = 0; i < e.m; i++) {
                        double q = 0;

                        for (size_t j = 0; j < e.m; j++) {
                            q += K[i][j] * v[j];
                            /* the floor of tangents adds a billionth */
                            assert_near(e.k[i + j * e.m], K[i][j], 1.1e-9 * K[i][i]);
                        }
                        assert_near(e.q[i], q, 1e-12 * K[i][i] * 1e-2);
                    }
                    destroy(&e);
                }
}

/* A section off the axis: equilibrium is exact, so that the flexibility is that of the member with an arm, for any
 * number of points. Under a force N alone, v = N (L/EA + a^2 L/EI), and the ends turn by -+ N a L/(2 EI). */
static void force_based_element_is_exact_with_its_section_off_the_axis(void **state)
{
    const double a = 0.2, N = 1e5;

    for (size_t points = 3; points <= 10; points++) {
        struct yk_fibre_section *section = rectangle(&elastic, 0.3, 0.2, a, 0, true);
        const struct yk_fibre_summary s = *yk_fibre_section_summary(section);
        struct element e = make(section, kind(YK_FIBRE_FORCE, YK_GAUSS_LOBATTO, points));
        const double turn = N * a * L / (2 * s.EIz);
        const double v[3] = {N * (L / s.EA + a * a * L / s.EIz), -turn, turn};

        assert_true(ask(&e, v));
        assert_near_relative(e.q[0], N, 1e-11);
        assert_near(e.q[1], 0, 1e-11 * N * a);
        assert_near(e.q[2], 0, 1e-11 * N * a);
        destroy(&e);
    }
}

static void truss_has_axial_force_alone(void **state)
{
    struct yk_fibre_section *section = rectangle(&yielding, 0.3, 0.2, 0, 0, true);
    struct element e = make(section, yk_fibre_element_defaults(YK_FIBRE_TRUSS));
    const double v[3] = {0.003 * L, 0.1, -0.2};

    assert_true(ask(&e, v));
    assert_near_relative(e.q[0], 2e11 * (0.0015 + 0.05 * 0.0015) * 0.06, 1e-12);
    assert_near_relative(e.k[0], 2e11 * 0.05 * 0.06 / L, 1e-7);
    for (int i = 1; i < 9; i++)
        assert_near(e.k[i], 0, 0);
    assert_near(e.q[1], 0, 0);
    assert_near(e.q[2], 0, 0);
    destroy(&e);
}

/* A tendon 0.1 m above the axis, tensioned by its offset: with both ends held the member carries its force. */
static void stress_at_rest_is_carried_by_the_ends(void **state)
{
    static const struct law_sample tendon = {
        .law = "elastoplastic", .set = {{"stiffness", 2e11}, {"yield_positive", 0.009}, {"offset", -0.005}}};
    const double v[3] = {0, 0, 0}, force = 2e11 * 0.005 * 1e-4;

    for (int formulation = YK_FIBRE_DISPLACEMENT; formulation <= YK_FIBRE_FORCE; formulation++) {
        struct yk_fibre_section *section = fibres_rectangle(&elastic, 0.3, 0.2, 0, 0, 8, 5);
        struct yk_fibre bar = {.y = 0.1, .area = 1e-4};
        struct element e;
        double strains[3], s[3];

        bar.material = fibres_material(section, &tendon);
        assert_ok(yk_fibre_section_fibre(section, &bar, &err));
        assert_ok(yk_fibre_section_finish(section, true, &err));
        e = make(section, yk_fibre_element_defaults(formulation));
        for (int i = 0; i < 2; i++) {
            assert_true(ask(&e, v));
            assert_near_relative(e.q[0], force, 1e-12);
            assert_near(e.q[1], 0.1 * force, 1e-9 * force);
            assert_near(e.q[2], -0.1 * force, 1e-9 * force);
            yk_fibre_basic_point(&e.basic, e.trial, 0, strains, s);
            assert_near_relative(s[0], force, 1e-12);
            commit(&e);
        }
        destroy(&e);
    }
}

/* ---- yielding -------------------------------------------------------------------------------------------------- */

/* Leaves the committed state at a place where much has yielded, and goes some way back. */
static void wander(struct element *e)
{
    static const double path[][6] = {{1e-3, 0.01, -0.02, 0.015, 0.01, 0.01},
                                     {-2e-3, 0.03, 0.02, -0.015, 0.02, 0.02},
                                     {1e-3, 0.02, 0.01, -0.005, 0.01, 0.01}};

    for (int i = 0; i < 3; i++) {
        assert_true(ask(e, path[i]));
        commit(e);
    }
}

static struct yk_fibre_element thorough(enum yk_fibre_formulation formulation)
{
    struct yk_fibre_element settings = yk_fibre_element_defaults(formulation);

    settings.iterations = 20;
    return settings;
}

static void tangent_is_the_derivative_of_the_force(void **state)
{
    const double v[6] = {-1e-3, 0.03, 0.027, -0.025, 0.03, 0.01}, d = 1e-8;

    for (int formulation = YK_FIBRE_DISPLACEMENT; formulation <= YK_FIBRE_FORCE; formulation++)
        for (int plane = 0; plane < 2; plane++) {
            struct element e = make(rectangle(&yielding, 0.3, 0.2, 0.02, 0.01, plane), thorough(formulation));
            double k[36], high[6];

            wander(&e);
            assert_true(ask(&e, v));
            memcpy(k, e.k, sizeof k);
            for (size_t j = 0; j < e.m; j++) {
                double moved[6];

                memcpy(moved, v, sizeof moved);
                moved[j] = v[j] + d;
                assert_true(ask(&e, moved));
                memcpy(high, e.q, sizeof high);
                moved[j] = v[j] - d;
                assert_true(ask(&e, moved));
                for (size_t i = 0; i < e.m; i++) {
                    assert_near((high[i] - e.q[i]) / (2 * d), k[i + j * e.m], 1e-6 * k[0]);
                    assert_near(k[i + j * e.m], k[j + i * e.m], 1e-12 * k[0]);
                }
            }
            destroy(&e);
        }
}

static void state_starts_from_the_committed_memory_alone(void **state)
{
    const double v[6] = {-1e-3, 0.03, 0.027, -0.025, 0.03, 0.01}, other[6] = {1e-3, -0.03, 0.02, 0.03, 0.01, 0};
    const double last[6] = {1e-3, 0.02, 0.01, -0.005, 0.01, 0.01};

    for (int formulation = YK_FIBRE_DISPLACEMENT; formulation <= YK_FIBRE_TRUSS; formulation++)
        for (int plane = 0; plane < 2; plane++) {
            struct element e = make(rectangle(&yielding, 0.3, 0.2, 0.02, 0.01, plane), thorough(formulation));
            double *kept = malloc(e.doubles * sizeof *kept), *trial = malloc(e.doubles * sizeof *trial), q[6];

            wander(&e);
            memcpy(kept, e.committed, e.doubles * sizeof *kept);
            ask(&e, v);
            memcpy(q, e.q, sizeof q);
            memcpy(trial, e.trial, e.doubles * sizeof *trial);
            ask(&e, other);
            assert_true(e.q[0] != q[0]);
            ask(&e, v);
            assert_memory_equal(e.q, q, e.m * sizeof *q);
            assert_memory_equal(e.trial, trial, e.doubles * sizeof *trial);
            assert_memory_equal(e.committed, kept, e.doubles * sizeof *kept);
            ask(&e, last); /* where it is already: nothing changes */
            assert_memory_equal(e.trial, kept, e.doubles * sizeof *kept);
            free(kept);
            free(trial);
            destroy(&e);
        }
}

/* In space bent in the plane of y, then turned by 90 degrees: bent in that of z with y and z swapped. */
static void element_in_space_bent_in_one_plane_is_the_plane_one(void **state)
{
    for (int formulation = YK_FIBRE_DISPLACEMENT; formulation <= YK_FIBRE_FORCE; formulation++) {
        struct element plane = make(rectangle(&yielding, 0.3, 0.2, 0.02, 0, true), thorough(formulation));
        struct element space = make(rectangle(&yielding, 0.3, 0.2, 0.02, 0, false), thorough(formulation));
        struct yk_fibre_section *section = fibres_rectangle(&yielding, 0.2, 0.3, 0, -0.02, 5, 8);
        struct element turned;

        assert_ok(yk_fibre_section_finish(section, false, &err));
        turned = make(section, thorough(formulation));
        for (int i = 0; i < 20; i++) {
            const double v[6] = {1e-3 * sin(0.25 * i), 0.02 * sin(0.35 * i), 0.02 * sin(0.45 * i)};
            const double across[6] = {v[0], 0, 0, v[1], v[2], 0};

            assert_true(ask(&plane, v) && ask(&space, v) && ask(&turned, across));
            for (int j = 0; j < 3; j++) {
                assert_near(space.q[j], plane.q[j], 1e-7);
                assert_near(turned.q[j ? j + 2 : 0], plane.q[j], 1e-7);
            }
            for (int j = 0; j < 2; j++) {
                assert_near(space.q[3 + j], 0, 1e-7);
                assert_near(turned.q[1 + j], 0, 1e-7);
            }
            commit(&plane);
            commit(&space);
            commit(&turned);
        }
        destroy(&plane);
        destroy(&space);
        destroy(&turned);
    }
}

/* Equilibrium and compatibility of the converged element, by the looks: the sections carry b q, and the integral of
 * their strains is v. */
static void force_based_element_is_in_equilibrium_and_fits_its_deformation(void **state)
{
    const double v[3] = {-1e-3, 0.03, 0.027};
    struct element e = make(rectangle(&yielding, 0.3, 0.2, 0.02, 0.01, true), thorough(YK_FIBRE_FORCE));
    double weight[10], place[10], fits[3] = {0}, section[3], strains[3];
    size_t points;

    wander(&e);
    assert_true(ask(&e, v));
    assert_non_null(e.basic.ops->section(e.basic.self, &points));
    yk_quadrature(YK_GAUSS_LOBATTO, points, place, weight);
    for (size_t p = 0; p < points; p++) {
        double strain, stress;

        yk_fibre_basic_point(&e.basic, e.trial, p, strains, section);
        assert_near(section[0], e.q[0], 1e-9 * 1.8e7);
        assert_near(section[1], (place[p] - 1) * e.q[1] + place[p] * e.q[2], 1e-9 * 1e6);
        fits[0] += L * weight[p] * strains[0];
        fits[1] += L * weight[p] * (place[p] - 1) * strains[1];
        fits[2] += L * weight[p] * place[p] * strains[1];
        yk_fibre_basic_look(&e.basic, e.trial, p, 0, &strain, &stress);
        assert_near(strain, strains[0] - strains[1] * (0.02 - 0.15 + 0.3 / 16), 1e-15);
    }
    for (int i = 0; i < 3; i++)
        assert_near(fits[i], v[i], 1e-14);
    destroy(&e);
}

/* Rotations jump by up to 9 times that of first yield. Without cuts the iteration goes round in circles. */
static void force_based_element_converges_in_steps_far_beyond_yield(void **state)
{
    struct element e = make(rectangle(&yielding, 0.3, 0.2, 0.02, 0.01, true), thorough(YK_FIBRE_FORCE));
    uint64_t seed = 7;

    for (int i = 0; i < 500; i++) {
        const double v[3] = {1e-3 * law_uniform(&seed), 0.02 * law_uniform(&seed), 0.02 * law_uniform(&seed)};

        assert_true(ask(&e, v));
        commit(&e);
    }
    destroy(&e);
}

/* ---- bounds and refusals --------------------------------------------------------------------------------------- */

static void force_based_element_says_that_its_iterations_did_not_suffice(void **state)
{
    const double far[3] = {0.5, 2, -1}, v[3] = {1e-3, 0.02, -0.01}, lost[3] = {NAN, 0, 0};
    struct yk_fibre_element settings = yk_fibre_element_defaults(YK_FIBRE_FORCE);
    struct element e;

    settings.iterations = 3;
    e = make(rectangle(&yielding, 0.3, 0.2, 0, 0, true), settings);
    assert_false(ask(&e, far));
    assert_true(isfinite(e.q[0]) && isfinite(e.k[0]));
    assert_false(ask(&e, lost));
    assert_true(isnan(e.q[0]));
    assert_true(ask(&e, v));
    destroy(&e);
}

static void bad_settings_are_refused(void **state)
{
    struct yk_fibre_section *section = rectangle(&elastic, 0.3, 0.2, 0, 0, true), *bar;
    struct yk_fibre_element settings = yk_fibre_element_defaults(YK_FIBRE_FORCE);
    struct yk_basic basic;

    settings.section = section;
    assert_refused(yk_fibre_basic(&basic, &settings, &err), YK_E_RANGE, "length = 0 m");
    settings.L = 1;
    settings.points = 2;
    assert_refused(yk_fibre_basic(&basic, &settings, &err), YK_E_RANGE, "points = 2 is outside 3 to 10");
    settings.rule = YK_GAUSS_LEGENDRE;
    settings.points = 11;
    assert_refused(yk_fibre_basic(&basic, &settings, &err), YK_E_RANGE, "points = 11 is outside 2 to 10");
    settings.points = 5;
    settings.iterations = 2;
    assert_refused(yk_fibre_basic(&basic, &settings, &err), YK_E_RANGE, "iterations = 2 is outside 3 to 20");
    settings.iterations = 5;
    settings.GJ = -1;
    assert_refused(yk_fibre_basic(&basic, &settings, &err), YK_E_RANGE, "GJ = -1 N m2");
    settings.GJ = 0;
    yk_fibre_section_release(section);
    assert_ok(yk_fibre_section_create(&bar, &err));
    fibres_material(bar, &elastic);
    assert_ok(yk_fibre_section_fibre(bar, &(struct yk_fibre){0.1, 0, 1e-4, 0}, &err));
    assert_ok(yk_fibre_section_finish(bar, true, &err));
    settings.section = bar;
    assert_refused(yk_fibre_basic(&basic, &settings, &err), YK_E_INPUT, "cannot bend a beam");
    settings.formulation = YK_FIBRE_TRUSS;
    assert_ok(yk_fibre_basic(&basic, &settings, &err));
    basic.ops->destroy(basic.self);
    yk_fibre_section_release(bar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastic_elements_are_the_linear_member),
        cmocka_unit_test(force_based_element_is_exact_with_its_section_off_the_axis),
        cmocka_unit_test(truss_has_axial_force_alone),
        cmocka_unit_test(stress_at_rest_is_carried_by_the_ends),
        cmocka_unit_test(tangent_is_the_derivative_of_the_force),
        cmocka_unit_test(state_starts_from_the_committed_memory_alone),
        cmocka_unit_test(element_in_space_bent_in_one_plane_is_the_plane_one),
        cmocka_unit_test(force_based_element_is_in_equilibrium_and_fits_its_deformation),
        cmocka_unit_test(force_based_element_converges_in_steps_far_beyond_yield),
        cmocka_unit_test(force_based_element_says_that_its_iterations_did_not_suffice),
        cmocka_unit_test(bad_settings_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
