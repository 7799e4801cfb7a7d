/* Fibre sections: shapes, merging, what is refused, and forces by strains. */
#include "support/check.h"
#include "support/fibres.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static const struct law_sample elastic = {.law = "spring", .set = {{"stiffness", 2e11}}};
static const struct law_sample soft = {.law = "spring", .set = {{"stiffness", 3e10}}};
static const struct law_sample yielding = {.law = "bilinear",
                                           .set = {{"stiffness", 2e11}, {"hardening", 0.01}, {"yield_slip", 0.0015}}};

static struct yk_fibre_section *empty(const struct law_sample *sample)
{
    struct yk_fibre_section *section;

    assert_ok(yk_fibre_section_create(&section, &err));
    fibres_material(section, sample);
    return section;
}

static const struct yk_fibre_summary *finish(struct yk_fibre_section *section, bool plane)
{
    assert_ok(yk_fibre_section_finish(section, plane, &err));
    return yk_fibre_section_summary(section);
}

/* ---- shapes ---------------------------------------------------------------------------------------------------- */

static void rectangle_misses_one_over_rows_squared_of_EI(void **state)
{
    for (size_t rows = 1; rows <= 14; rows += 13)
        for (int plane = 0; plane < 2; plane++) {
            struct yk_fibre_section *section = fibres_rectangle(&elastic, 0.5, 0.4, 0, 0, rows, 3);
            const struct yk_fibre_summary *s = finish(section, plane);
            const double n = (double)rows, I = 0.4 * 0.5 * 0.5 * 0.5 / 12;

            assert_near_relative(s->EA, 2e11 * 0.2, 1e-14);
            assert_near(s->EIz, 2e11 * I * (1 - 1 / (n * n)), 1e-13 * 2e11 * I);
            assert_near_relative(s->EIy, 2e11 * 0.5 * 0.4 * 0.4 * 0.4 / 12 * (1 - 1 / 9.0), 1e-13);
            assert_near_relative(s->short_z, 1 / (n * n), 1e-12);
            assert_near_relative(s->short_y, 1 / 9.0, 1e-12);
            assert_near(s->Iz, s->EIz / 2e11, 1e-14);
            assert_int_equal(s->given, rows * 3);
            assert_int_equal(s->fibres, plane ? rows : rows * 3); /* those of equal y are one */
            assert_true(isinf(s->yield_strain));
            yk_fibre_section_release(section);
        }
}

/* Area, centroid and second moments of a polygon do not depend on how it is cut: fibres and their own moments together
 * have those of a kite, by triangles. */
static void cells_of_a_quadrilateral_are_exact(void **state)
{
    /* two triangles on the base z = -0.2 .. 0.3, apexes at y = -0.1 and 0.4, above z = 0.05 */
    double corners[4][2] = {{-0.1, 0.05}, {0, -0.2}, {0.4, 0.05}, {0, 0.3}};
    const double low = 0.5 * 0.1 / 2, high = 0.5 * 0.4 / 2;
    const double y = (high * 0.4 / 3 - low * 0.1 / 3) / (low + high);
    const double Iz = high * 0.4 * 0.4 / 6 + low * 0.1 * 0.1 / 6 - (low + high) * y * y;
    const double Iy = (low + high) * 0.5 * 0.5 / 24;

    for (size_t cut = 1; cut <= 7; cut += 3) {
        struct yk_fibre_section *section = empty(&elastic);
        const struct yk_fibre_summary *s;

        assert_ok(yk_fibre_section_quadrilateral(section, 0, corners, (size_t[2]){cut, cut + 1}, &err));
        s = finish(section, false);
        assert_near_relative(s->area, low + high, 1e-14);
        assert_near_relative(s->y, y, 1e-13);
        assert_near_relative(s->z, 0.05, 1e-13);
        assert_near_relative(s->EIz / (1 - s->short_z), 2e11 * Iz, 1e-12);
        assert_near_relative(s->EIy / (1 - s->short_y), 2e11 * Iy, 1e-12);
        assert_near(s->depth, 0.5, 1e-15);
        yk_fibre_section_release(section);
        for (int i = 0; i < 2; i++) { /* the other way round next */
            const double kept = corners[1][i];

            corners[1][i] = corners[3][i];
            corners[3][i] = kept;
        }
    }
}

static void cells_of_a_ring_are_exact(void **state)
{
    static const double centre[2] = {0.1, -0.3}, radii[2] = {0.2, 0.5};
    const double full = PI * (0.25 - 0.04), I = PI / 4 * (0.0625 - 0.0016);
    struct yk_fibre_section *section = empty(&elastic);
    const struct yk_fibre_summary *s;

    assert_ok(
        yk_fibre_section_ring(section, 0, centre, radii, (double[2]){0.3, 0.3 + 2 * PI}, (size_t[2]){2, 7}, &err));
    s = finish(section, false);
    assert_near_relative(s->area, full, 1e-14);
    assert_near(s->y, 0.1, 1e-14);
    assert_near(s->z, -0.3, 1e-14);
    assert_near_relative(s->EIz / (1 - s->short_z), 2e11 * I, 1e-12);
    assert_near_relative(s->EIy / (1 - s->short_y), 2e11 * I, 1e-12);
    yk_fibre_section_release(section);

    /* half a disc: its centroid is 4 r / (3 pi) from the centre */
    section = empty(&elastic);
    assert_ok(yk_fibre_section_ring(section, 0, centre, (double[2]){0, 0.5}, (double[2]){-PI / 2, PI / 2},
                                    (size_t[2]){3, 4}, &err));
    s = finish(section, false);
    assert_near_relative(s->area, PI / 8, 1e-14);
    assert_near_relative(s->y, 0.1 + 2 / (3 * PI), 1e-13);
    assert_near(s->z, -0.3, 1e-14);
    yk_fibre_section_release(section);
}

static void assert_bar(const struct yk_fibre_section *section, size_t number, double y, double z, double area)
{
    size_t computed;
    const struct yk_fibre bar = yk_fibre_section_given(section, number, &computed);

    assert_near(bar.y, y, 1e-15);
    assert_near(bar.z, z, 1e-15);
    assert_near(bar.area, area, 0);
    assert_true(computed < yk_fibre_section_summary(section)->fibres);
}

static void bars_stand_at_equal_spacing_with_both_ends(void **state)
{
    struct yk_fibre_section *section = empty(&elastic);
    struct yk_bars bars = {.count = 3, .area = 1e-4};

    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){0.2, -0.1}, (double[2]){0.2, 0.1}, &err));
    assert_ok(yk_fibre_section_arc(section, &bars, (double[2]){0, 0}, 0.3, (double[2]){0, PI}, &err));
    bars.count = 4; /* the full circle does not come back to its first bar */
    assert_ok(yk_fibre_section_arc(section, &bars, (double[2]){0, 0}, 0.4, (double[2]){0, 2 * PI}, &err));
    bars.count = 1; /* in the middle */
    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){-0.2, -0.1}, (double[2]){-0.2, 0.3}, &err));
    finish(section, false);
    assert_bar(section, 0, 0.2, -0.1, 1e-4);
    assert_bar(section, 1, 0.2, 0, 1e-4);
    assert_bar(section, 2, 0.2, 0.1, 1e-4);
    assert_bar(section, 3, 0.3, 0, 1e-4);
    assert_bar(section, 4, 0, 0.3, 1e-4);
    assert_bar(section, 5, -0.3, 0, 1e-4);
    assert_bar(section, 7, 0, 0.4, 1e-4);
    assert_bar(section, 9, 0, -0.4, 1e-4);
    assert_bar(section, 10, -0.2, 0.1, 1e-4);
    yk_fibre_section_release(section);
}

/* Bars may come before the patch they stand in. */
static void bars_displace_the_material_around_them(void **state)
{
    struct yk_fibre_section *section = empty(&elastic);
    const size_t around = fibres_material(section, &soft), ring = fibres_material(section, &yielding);
    struct yk_bars bars = {.count = 2, .area = 1e-4, .displace = true};
    const struct yk_fibre_summary *s;

    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){0.1, -0.1}, (double[2]){0.1, 0.1}, &err));
    bars.count = 1;
    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){0.7, 0}, (double[2]){0.7, 0}, &err));
    assert_ok(yk_fibre_section_rectangle(section, around, (double[2]){-0.2, -0.1}, (double[2]){0.2, 0.1},
                                         (size_t[2]){4, 1}, &err));
    assert_ok(yk_fibre_section_ring(section, ring, (double[2]){0.5, 0}, (double[2]){0.1, 0.3}, (double[2]){-1, 1},
                                    (size_t[2]){1, 1}, &err));
    s = finish(section, true);
    assert_near_relative(s->EA, 2e11 * 3e-4 + 3e10 * (0.08 - 2e-4) + 2e11 * (0.08 - 1e-4), 1e-13);
    assert_near_relative(s->area, 0.16, 1e-14);
    yk_fibre_section_release(section);
}

/* ---- forces ---------------------------------------------------------------------------------------------------- */

/* Forces of one point of a section at rest. */
static void forces_at(const struct yk_fibre_section *section, const double e[3], double s[3], double ks[6])
{
    double *memory = calloc(2 * yk_fibre_section_memory(section, 1) + 1, sizeof *memory);
    double *trial = memory + yk_fibre_section_memory(section, 1);
    double *scratch = calloc(yk_fibre_section_scratch(section, 1), sizeof *scratch);
    double at[3][YK_POINTS] = {{e[0]}, {e[1]}, {e[2]}}, forces[3][YK_POINTS] = {{0}}, tangents[6][YK_POINTS] = {{0}};

    yk_fibre_section_rest(section, 1, memory);
    yk_fibre_section_state(section, 1, memory, at, 0, trial, forces, tangents, scratch);
    for (int i = 0; i < 6; i++) {
        ks[i] = tangents[i][0];
        if (i < 3)
            s[i] = forces[i][0];
    }
    free(memory);
    free(scratch);
}

static void elastic_section_gives_EA_and_EI(void **state)
{
    struct yk_fibre_section *section = fibres_rectangle(&elastic, 0.5, 0.4, 0, 0, 10, 4);
    const struct yk_fibre_summary *summary = finish(section, false);
    const double e[3] = {1e-4, -2e-3, 3e-3};
    double s[3], ks[6];

    forces_at(section, e, s, ks);
    assert_near_relative(s[0], summary->EA * e[0], 1e-13);
    assert_near_relative(s[1], summary->EIz * e[1], 1e-13);
    assert_near_relative(s[2], summary->EIy * e[2], 1e-13);
    assert_near_relative(ks[0], summary->EA * (1 + 1e-9), 1e-13); /* with the floor of tangents */
    assert_near_relative(ks[2], summary->EIz * (1 + 1e-9), 1e-13);
    assert_near_relative(ks[5], summary->EIy * (1 + 1e-9), 1e-13);
    yk_fibre_section_release(section);
}

/* A section whose origin is moved by (a, b) has the same fibres where the strain of its axis is that of the old one at
 * (a, b); its moments are about the new origin. */
static void moving_the_origin_adds_the_moment_of_N(void **state)
{
    const double a = 0.07, b = -0.03, e[3] = {-4e-4, 0.03, 0.02};
    const double moved[3] = {e[0] + a * e[1] - b * e[2], e[1], e[2]};
    struct yk_fibre_section *here = fibres_rectangle(&yielding, 0.5, 0.4, 0, 0, 10, 4);
    struct yk_fibre_section *there = fibres_rectangle(&yielding, 0.5, 0.4, a, b, 10, 4);
    double s[3], ks[6], t[3], kt[6];

    finish(here, false);
    finish(there, false);
    forces_at(here, e, s, ks);
    forces_at(there, moved, t, kt);
    assert_true(fabs(s[1]) < 0.5 * yk_fibre_section_summary(here)->EIz * e[1]); /* it yields */
    assert_near_relative(t[0], s[0], 1e-12);
    assert_near_relative(t[1], s[1] - a * s[0], 1e-12);
    assert_near_relative(t[2], s[2] + b * s[0], 1e-12);
    assert_near_relative(kt[1], ks[1] - a * ks[0], 1e-12);
    assert_near_relative(yk_fibre_section_summary(there)->y, a, 1e-13);
    assert_near_relative(yk_fibre_section_summary(there)->z, b, 1e-13);
    assert_near_relative(yk_fibre_section_summary(there)->EIz, yk_fibre_section_summary(here)->EIz, 1e-12);
    yk_fibre_section_release(here);
    yk_fibre_section_release(there);
}

/* Points side by side get the forces that each gets alone, to the bit; strains and stresses of fibres can be seen. */
static void points_do_not_know_each_other(void **state)
{
    for (int plane = 0; plane < 2; plane++)
        for (size_t points = 1; points <= YK_MOST_POINTS; points++) {
            struct yk_fibre_section *section = fibres_rectangle(&yielding, 0.5, 0.4, 0, 0, 7, 3);
            double e[3][YK_POINTS] = {{0}}, s[3][YK_POINTS], again[3][YK_POINTS], ks[6][YK_POINTS];
            double *memory, *trial, *scratch;

            finish(section, plane);
            memory = calloc(2 * yk_fibre_section_memory(section, points), sizeof *memory);
            trial = memory + yk_fibre_section_memory(section, points);
            scratch = calloc(yk_fibre_section_scratch(section, points), sizeof *scratch);
            for (size_t p = 0; p < points; p++) {
                e[0][p] = 1e-3 * sin(1.0 + (double)p);
                e[1][p] = 1e-2 * cos(2.0 * (double)p);
                e[2][p] = plane ? 0 : 1e-2 * sin(3.0 * (double)p);
            }
            yk_fibre_section_rest(section, points, memory);
            yk_fibre_section_state(section, points, memory, e, 0, trial, s, ks, scratch);
            for (size_t p = 0; p < points; p++) {
                const double at[3] = {e[0][p], e[1][p], e[2][p]};
                double alone[3], tangents[6], strain, stress, N = 0;

                forces_at(section, at, alone, tangents);
                for (int i = 0; i < (plane ? 2 : 3); i++)
                    assert_true(alone[i] == s[i][p]);
                for (int i = 0; i < (plane ? 3 : 6); i++)
                    assert_true(tangents[i] == ks[i][p]);
                for (size_t i = 0; i < yk_fibre_section_summary(section)->fibres; i++) {
                    yk_fibre_section_look(section, points, trial, p, at, i, &strain, &stress);
                    N += stress * 0.2 / (plane ? 7 : 21);
                }
                assert_near(N, s[0][p], 1e-12 * 0.2 * 3e8);
            }
            yk_fibre_section_state(section, points, memory, e, 0, trial, again, NULL, scratch); /* without tangents */
            for (int i = 0; i < (plane ? 2 : 3); i++)
                assert_memory_equal(again[i], s[i], points * sizeof **s);
            free(memory);
            free(scratch);
            yk_fibre_section_release(section);
        }
}

static void yield_strain_is_that_of_the_outermost_fibre(void **state)
{
    struct yk_fibre_section *section = fibres_rectangle(&yielding, 0.5, 0.4, 0, 0, 7, 3);
    struct yk_bars bars = {.count = 2, .area = 1e-4};
    const struct yk_fibre_summary *s;

    bars.material = fibres_material(section, &elastic);
    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){0.2, -0.1}, (double[2]){0.2, 0.1}, &err));
    s = finish(section, true);
    assert_near_relative(s->yield_strain, 0.0015, 0.03); /* 1 % of hardening up to twice the yield strain */
    assert_near_relative(s->yield_N, 3e8 * 0.2, 0.03);
    yk_fibre_section_release(section);
}

/* ---- refusals -------------------------------------------------------------------------------------------------- */

static void shapes_without_area_are_refused(void **state)
{
    struct yk_fibre_section *section = empty(&elastic);
    const double zero[2] = {0, 0}, one[2] = {1, 1}, flat[2] = {1, 0}, turn[2] = {0, 7};
    double arrow[4][2] = {{0, 0}, {1, 1}, {0, 0.5}, {-1, 1}}, line[4][2] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}};
    const size_t cut[2] = {1, 1}, none[2] = {1, 0}, many[2] = {1001, 1};
    struct yk_bars bars = {.count = 2, .area = 1e-4};

    assert_refused(yk_fibre_section_rectangle(section, 0, zero, flat, cut, &err), YK_E_INPUT, "(0, 0) to (1, 0) m");
    assert_refused(yk_fibre_section_rectangle(section, 0, zero, one, none, &err), YK_E_RANGE, "0 is outside 1 to 1000");
    assert_refused(yk_fibre_section_rectangle(section, 0, zero, one, many, &err), YK_E_RANGE, "1001 is outside");
    assert_refused(yk_fibre_section_rectangle(section, 4, zero, one, cut, &err), YK_E_INPUT, "no material 4");
    assert_refused(yk_fibre_section_rectangle(section, 0, (double[2]){NAN, 0}, one, cut, &err), YK_E_RANGE, "nan");
    assert_refused(yk_fibre_section_quadrilateral(section, 0, arrow, cut, &err), YK_E_INPUT, "(0, 0.5) m");
    assert_refused(yk_fibre_section_quadrilateral(section, 0, line, cut, &err), YK_E_INPUT, "no area");
    assert_refused(yk_fibre_section_ring(section, 0, zero, one, (double[2]){0, 1}, cut, &err), YK_E_RANGE, "radii 1");
    assert_refused(yk_fibre_section_ring(section, 0, zero, (double[2]){0, 1}, turn, cut, &err), YK_E_RANGE, "turn");
    assert_refused(yk_fibre_section_layer(section, &bars, one, one, &err), YK_E_INPUT, "2 bars stand in one point");
    assert_refused(yk_fibre_section_arc(section, &bars, zero, 0, (double[2]){0, 1}, &err), YK_E_RANGE, "radius = 0 m");
    bars.area = 0;
    assert_refused(yk_fibre_section_layer(section, &bars, zero, one, &err), YK_E_RANGE, "area = 0 m2");
    bars.count = 0;
    assert_refused(yk_fibre_section_layer(section, &bars, zero, one, &err), YK_E_RANGE, "bars = 0");
    assert_refused(yk_fibre_section_fibre(section, &(struct yk_fibre){0, 0, 0, 0}, &err), YK_E_RANGE, "area = 0 m2");
    assert_refused(yk_fibre_section_finish(section, true, &err), YK_E_INPUT, "no fibres");
    yk_fibre_section_release(section);
}

static void sections_without_stiffness_are_refused(void **state)
{
    struct yk_fibre_section *section = empty(&elastic);
    const struct yk_bars bars = {.count = 1, .area = 1e-4, .displace = true};

    assert_ok(yk_fibre_section_fibre(section, &(struct yk_fibre){0, 0, 1e-4, 0}, &err));
    assert_ok(yk_fibre_section_fibre(section, &(struct yk_fibre){0.1, 0, -2e-4, 0}, &err));
    assert_refused(yk_fibre_section_finish(section, true, &err), YK_E_INPUT, "EA = -2e+07 N");
    yk_fibre_section_release(section);
    section = empty(&elastic);
    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){0, 0}, (double[2]){0, 0}, &err));
    assert_refused(yk_fibre_section_finish(section, true, &err), YK_E_INPUT, "stands in no patch");
    yk_fibre_section_release(section);
}

static void laws_with_rates_are_no_fibres(void **state)
{
    struct yk_fibre_section *section;
    size_t number;

    assert_ok(yk_fibre_section_create(&section, &err));
    assert_refused(yk_fibre_section_material(section, yk_law_find("friction"), calloc(1, 1024), &number, &err),
                   YK_E_UNSUPPORTED, "'friction' cannot be a fibre");
    yk_fibre_section_release(section);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangle_misses_one_over_rows_squared_of_EI),
        cmocka_unit_test(cells_of_a_quadrilateral_are_exact),
        cmocka_unit_test(cells_of_a_ring_are_exact),
        cmocka_unit_test(bars_stand_at_equal_spacing_with_both_ends),
        cmocka_unit_test(bars_displace_the_material_around_them),
        cmocka_unit_test(elastic_section_gives_EA_and_EI),
        cmocka_unit_test(moving_the_origin_adds_the_moment_of_N),
        cmocka_unit_test(points_do_not_know_each_other),
        cmocka_unit_test(yield_strain_is_that_of_the_outermost_fibre),
        cmocka_unit_test(shapes_without_area_are_refused),
        cmocka_unit_test(sections_without_stiffness_are_refused),
        cmocka_unit_test(laws_with_rates_are_no_fibres),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
