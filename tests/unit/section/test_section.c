/* Cross-sections by themselves. Expected values: an independent prototype (sections of concrete and steel, N-M curves,
 * confined concrete), closed forms for shapes and elastic bending, equilibrium of the strain planes. */
#include "support/check.h"
#include "support/cli.h"
#include "support/scratch.h"

#include <yoke/cross_section.h>

#include <math.h>
#include <stdlib.h>

#define FILE_ YOKE_SOURCE "/examples/sections/sections.yml"

static const char steel_i[] =
    "materials:\n  steel: { kind: steel, E: 210 GPa, fy: 275 MPa, hardening: 0.01, R0: 20 }\nsections:\n  i:\n    "
    "fibres:\n"
    "      - { patch: rectangle, material: steel, from: [0.14, -0.075], to: [0.15, 0.075], divide: [2, 1] }\n"
    "      - { patch: rectangle, material: steel, from: [-0.14, -0.004], to: [0.14, 0.004], divide: [12, 1] }\n"
    "      - { patch: rectangle, material: steel, from: [-0.15, -0.075], to: [-0.14, 0.075], divide: [2, 1] }\n";

static void read_i(struct yk_cross_section *s)
{
    char *path = path_of("i.yaml");

    write_file(path, steel_i);
    assert_ok(yk_cross_read(s, path, "i", NULL, 0, &err));
}

static void bend(const struct yk_cross_section *s, double N, struct yk_cross_curve *c)
{
    struct yk_cross_bending o = yk_cross_bending_defaults();

    o.N = N;
    o.curvature = 0.1;
    assert_ok(yk_cross_bend(s, &o, c, &err));
    assert_int_equal(c->count, 1001);
}

static const struct yk_cross_point *event(const struct yk_cross_curve *c, const char *what)
{
    for (size_t i = 0; i < c->events; i++)
        if (strcmp(c->event[i].what, what) == 0)
            return &c->event[i].at;
    fail_msg("no event '%s'", what);
    return NULL;
}

static void a_concrete_section_bends_as_the_prototype_says(void **state)
{
    static const struct {
        int step;
        double strain, M;
    } points[] = {{20, -1.226791e-4, 169840.895}, {50, 1.372662e-4, 267511.168},  {100, 7.228538e-4, 354562.395},
                  {200, 2.097602e-3, 388883.248}, {500, 5.609423e-3, 379678.536}, {1000, 1.045045e-2, 382650.655}};
    struct yk_cross_section s;
    struct yk_cross_curve c;

    assert_ok(yk_cross_read(&s, FILE_, "column", NULL, 0, &err));
    bend(&s, -800e3, &c);
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
        assert_near_relative(c.point[points[i].step].strain, points[i].strain, 1e-6);
        assert_near_relative(c.point[points[i].step].M, points[i].M, 1e-8);
    }
    assert_near_relative(event(&c, "first bar yields in tension")->curvature, 0.00835420, 1e-6);
    assert_near_relative(event(&c, "first bar yields in tension")->M, 343627.06, 1e-7);
    assert_near_relative(event(&c, "edge at 0.002")->curvature, 0.01203641, 1e-6);
    assert_near_relative(event(&c, "edge at 0.002")->M, 363276.93, 1e-7);
    assert_near_relative(event(&c, "edge at 0.0035")->curvature, 0.02519352, 1e-6);
    assert_near_relative(event(&c, "first bar yields in compression")->curvature, 0.02188479, 1e-6);
    assert_near_relative(c.peak.M, 393411.67, 1e-7);
    assert_near(c.peak.curvature, 0.024, 1e-12);
    assert_near_relative(c.Mn, 393178.98, 1e-7);
    assert_near_relative(c.EI, 343627.06 / 0.00835420, 1e-6);
    assert_near_relative(c.yield, 0.00835420 * 393178.98 / 343627.06, 1e-6);
    yk_cross_curve_free(&c);
    bend(&s, 0, &c);
    assert_near_relative(event(&c, "first bar yields in tension")->curvature, 0.00682911, 1e-6);
    assert_near_relative(event(&c, "first bar yields in tension")->M, 211419.39, 1e-7);
    yk_cross_curve_free(&c);
    bend(&s, -2e6, &c);
    assert_near_relative(event(&c, "first bar yields in tension")->M, 485175.10, 1e-7);
    assert_near_relative(c.peak.M, 490678.92, 1e-7);
    yk_cross_curve_free(&c);
    yk_cross_free(&s);
}

static void a_steel_section_bends_as_the_prototype_says(void **state)
{
    static const int at[] = {50, 100, 200, 500, 1000};
    static const double with[] = {81506.730, 139780.041, 156904.275, 165041.163, 174208.552},
                        without[] = {81508.101, 149188.649, 161070.814, 168610.244, 177284.829};
    struct yk_cross_section s;
    struct yk_cross_curve c;

    read_i(&s);
    bend(&s, -200e3, &c);
    for (int i = 0; i < 5; i++)
        assert_near_relative(c.point[at[i]].M, with[i], 2e-8);
    assert_near_relative(event(&c, "edge yields in compression")->curvature, 0.00746331, 1e-6);
    assert_near_relative(event(&c, "edge yields in compression")->M, 120333.78, 1e-7);
    assert_near_relative(event(&c, "edge yields in tension")->curvature, 0.01178775, 1e-6);
    yk_cross_curve_free(&c);
    bend(&s, 0, &c);
    for (int i = 0; i < 5; i++)
        assert_near_relative(c.point[at[i]].M, without[i], 2e-8);
    assert_near_relative(event(&c, "edge yields in tension")->curvature, 275e6 / (210e9 * 0.15), 1e-9);
    yk_cross_curve_free(&c);
    yk_cross_free(&s);
}

static void an_elastic_section_has_the_moment_of_its_stiffness(void **state)
{
    char *path = path_of("elastic.yaml");
    struct yk_cross_section s;
    struct yk_cross_curve c;
    struct yk_cross_bending o = yk_cross_bending_defaults();

    write_file(path,
               "materials: { e: { kind: spring, stiffness: 30 GPa } }\nsections: { s: { shape: angle, depth: 0.2, "
               "width: 0.1, wall: 0.02, material: e } }\n");
    assert_ok(yk_cross_read(&s, path, "s", NULL, 0, &err));
    o.curvature = 0.01;
    o.step = 0.001;
    o.N = 1e5;
    o.fixed_axis = true;
    assert_ok(yk_cross_bend(&s, &o, &c, &err));
    for (size_t i = 1; i < c.count; i++)
        assert_near_relative(c.point[i].M, yk_fibre_section_summary(s.fibres)->EIz * c.point[i].curvature, 1e-9);
    yk_cross_curve_free(&c);
    o.fixed_axis = false; /* the free axis bends, too, and has no moment */
    assert_ok(yk_cross_bend(&s, &o, &c, &err));
    assert_near(c.point[10].M_other, 0, 1e-4);
    assert_true(fabs(c.point[10].other) > 1e-4);
    yk_cross_curve_free(&c);
    yk_cross_free(&s);
}

static void bending_about_the_other_axis_and_the_other_way_is_symmetric(void **state)
{
    struct yk_cross_section s;
    struct yk_cross_bending o = yk_cross_bending_defaults();
    struct yk_cross_curve a, b;

    assert_ok(yk_cross_read(&s, FILE_, "column", NULL, 0, &err));
    o.curvature = 0.01;
    o.N = -5e5;
    assert_ok(yk_cross_bend(&s, &o, &a, &err));
    o.curvature = -0.01;
    assert_ok(yk_cross_bend(&s, &o, &b, &err));
    for (size_t i = 0; i < a.count; i++)
        assert_near(a.point[i].M, -b.point[i].M, 1e-6 * a.peak.M);
    yk_cross_curve_free(&b);
    o.curvature = 0.01;
    o.angle = M_PI;
    assert_ok(yk_cross_bend(&s, &o, &b, &err));
    assert_near_relative(b.point[100].M, a.point[100].M, 1e-6);
    yk_cross_curve_free(&b);
    yk_cross_curve_free(&a);
    o.angle = 0;
    o.N = -9e6;
    assert_refused(yk_cross_bend(&s, &o, &a, &err), YK_E_RANGE, "cannot carry it");
    o.N = 0;
    o.step = 0;
    assert_refused(yk_cross_bend(&s, &o, &a, &err), YK_E_RANGE, "must not be 0");
    yk_cross_free(&s);
}

static void the_curve_of_axial_force_and_moment(void **state)
{
    static const double N[] = {-6e6, -4e6, -3e6, -2e6, -1.5e6, -0.8e6, 0, 0.5e6, 1e6},
                        M[] = {177152.24, 428324.77, 489904.36, 490312.53, 457249.03,
                               393189.65, 260088.51, 155619.49, 43814.40},
                        Ni[] = {-1.2e6, -1e6, -0.5e6, -0.2e6, 0},
                        Mi[] = {59766.52, 88317.98, 154374.48, 175499.45, 182851.19},
                        plastic[] = {35797.99, 64971.33, 134335.91, 158199.55, 162745};
    const struct yk_cross_limits limits = {NAN, NAN, 0};
    struct yk_cross_section s;
    struct yk_cross_interaction curve;
    struct yk_cross_pair pair;
    double Mp;

    assert_ok(yk_cross_read(&s, FILE_, "column", NULL, 0, &err));
    assert_ok(yk_cross_interact(&s, limits, &curve, &err));
    assert_near_relative(curve.pair[0].N, -7261408.41, 1e-8);
    assert_near_relative(curve.pair[YK_CROSS_PAIRS - 1].N, 1220194.59, 1e-8);
    assert_near_relative(curve.balanced_N, -76660.22, 1e-6);
    for (size_t i = 0; i < sizeof N / sizeof N[0]; i++) {
        assert_ok(yk_cross_moment(&s, limits, N[i], &pair, &err));
        assert_near_relative(pair.M, M[i], 1e-7);
    }
    assert_refused(yk_cross_moment(&s, limits, -8e6, &pair, &err), YK_E_RANGE, "-7261408.41 to 1220194.59 N");
    assert_refused(yk_cross_plastic(&s, 0, &Mp, &err), YK_E_UNSUPPORTED, "no fully plastic moment");
    yk_cross_free(&s);
    read_i(&s);
    for (size_t i = 0; i < 5; i++) {
        assert_ok(yk_cross_moment(&s, limits, Ni[i], &pair, &err));
        assert_near_relative(pair.M, Mi[i], 1e-7);
        assert_ok(yk_cross_plastic(&s, Ni[i], &Mp, &err));
        assert_near_relative(Mp, plastic[i], 2e-7);
    }
    assert_ok(yk_cross_interact(&s, limits, &curve, &err));
    for (int i = 0; i < YK_CROSS_PAIRS; i++) /* symmetric */
        assert_near(curve.pair[i].M, curve.pair[YK_CROSS_PAIRS - 1 - i].M, 1e-6 * curve.balanced_M);
    yk_cross_free(&s);
}

static void shapes_have_the_properties_of_their_dimensions(void **state)
{
    static const struct {
        const char *text;
        double A, Iz, Iy, Wz, J, back;
    } shapes[] = {
        {"shape: i, depth: 300 mm, width: 150 mm, flange: 10 mm, web: 8 mm", 5.24e-3, 7.773466667e-5, 5.636946667e-6,
         5.918e-4, 1.477866667e-7, 0},
        {"shape: box, depth: 200 mm, wall: 10 mm", 7.6e-3, 4.585333333e-5, 4.585333333e-5, 5.42e-4, 6.859e-5, 0},
        {"shape: tube, diameter: 200 mm, wall: 10 mm", 5.969026042e-3, 2.700984284e-5, 2.700984284e-5, 3.613333333e-4,
         5.401968568e-5, 0},
        {"shape: channel, depth: 200 mm, width: 75 mm, flange: 10 mm, web: 8 mm", 2.94e-3, 1.7438e-5, 1.535315204e-6,
         NAN, 8.072e-8, 0.02109183673},
        {"shape: rectangle, depth: 0.3, width: 0.1", 0.03, 2.25e-4, 2.5e-5, 2.25e-3, 0.3 * 1e-3 * 0.2633174, 0},
        {"shape: circle, diameter: 0.2", M_PI * 0.01, M_PI / 4 * 1e-4, M_PI / 4 * 1e-4, 4.0 / 3 * 1e-3, M_PI / 2 * 1e-4,
         0},
        {"shape: t, depth: 0.1, width: 0.1, flange: 0.02, web: 0.02", 3.6e-3, 3.14222222222e-6, 1.72e-6, NAN, 4.8e-7,
         0.0677777777778},
        {"shape: angle, depth: 0.1, width: 0.1, wall: 0.02", 3.6e-3, 3.14222222222e-6, 3.14222222222e-6, NAN, 4.8e-7,
         NAN},
    };

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char *path = path_of("shape.yaml"), text[400];
        struct yk_cross_section s;

        snprintf(
            text, sizeof text,
            "materials: { m: { kind: steel, E: 200 GPa, fy: 300 MPa } }\nsections: { s: { %s, material: m, cells: 100 "
            "} }\n",
            shapes[i].text);
        write_file(path, text);
        assert_ok(yk_cross_read(&s, path, "s", NULL, 0, &err));
        assert_near_relative(s.shape.A, shapes[i].A, 1e-9);
        assert_near_relative(s.shape.Iz, shapes[i].Iz, 1e-8);
        assert_near_relative(s.shape.Iy, shapes[i].Iy, 1e-8);
        assert_near_relative(s.shape.J, shapes[i].J, 2e-6);
        if (!isnan(shapes[i].Wz))
            assert_near_relative(s.shape.Wz, shapes[i].Wz, 1e-9);
        if (!isnan(shapes[i].back))
            assert_near(s.shape.back, shapes[i].back, 1e-11);
        /* its patches are the same section */
        const struct yk_fibre_summary *sum = yk_fibre_section_summary(s.fibres);
        assert_near_relative(sum->area, shapes[i].A, 1e-9);
        assert_near_relative(sum->EIz / 200e9, shapes[i].Iz, 5e-3);
        assert_near(sum->y, 0, 1e-9);
        assert_near(sum->z, 0, 1e-9);
        yk_cross_free(&s);
    }
}

static void a_reinforced_shape_puts_cover_core_and_bars_in_their_places(void **state)
{
    struct yk_cross_section s;

    assert_ok(yk_cross_read(&s, FILE_, "pier", NULL, 0, &err));
    assert_int_equal(s.bars, 8);
    assert_int_equal(s.patches, 5);
    assert_near(s.bar[0].y, 0.25 - 0.025 - 0.010 - 0.010, 1e-12);       /* cover to the hoop's outside */
    assert_near(s.patch[0].corners[1][0], 0.25 - 0.025 - 0.005, 1e-12); /* core to the centre of the hoop */
    assert_near(s.high[0], 0.25, 1e-12);
    assert_near_relative(yk_fibre_section_summary(s.fibres)->area, 0.2 + 8 * M_PI * 1e-4, 1e-12);
    const struct yk_cross_material *m = &s.material[0];
    assert_true(m->is_confined);
    assert_near_relative(m->fc, 37.91391894e6, 1e-8);
    assert_near_relative(m->eu, 0.02441343158, 1e-8);
    yk_cross_free(&s);
    assert_refused(yk_cross_read(&s, FILE_, "pier", (const char *[]){"sections.pier.cover=240 mm"}, 1, &err),
                   YK_E_RANGE, "no room");
    assert_refused(yk_cross_read(&s, FILE_, "pier", (const char *[]){"sections.pier.shape=pipe"}, 1, &err), YK_E_INPUT,
                   "unknown shape pipe; shapes are i, box");
    assert_refused(yk_cross_read(&s, FILE_, "pie", NULL, 0, &err), YK_E_INPUT, "no section 'pie'");
    assert_refused(yk_cross_read(&s, FILE_, "beam", (const char *[]){"sections.beam.flange=0.2"}, 1, &err), YK_E_RANGE,
                   "do not fit");
    assert_refused(yk_cross_read(&s, FILE_, "beam", (const char *[]){"sections.beam.material=lead"}, 1, &err),
                   YK_E_INPUT, "no material 'lead'");
}

static void confined_concrete(void **state)
{
    struct yk_confine c = {.fco = 28e6,
                           .eco = 0.002,
                           .fyh = 450e6,
                           .esu = 0.10,
                           .hoop = 0.01,
                           .spacing = 0.1,
                           .rho_cc = 8 * M_PI * 1e-4 / (0.34 * 0.44),
                           .by = 0.44,
                           .bz = 0.34,
                           .legs_y = 3,
                           .legs_z = 3,
                           .clear2 = 4 * 0.14 * 0.14 + 4 * 0.19 * 0.19};
    struct yk_confined d;

    assert_ok(yk_confine(&c, &d, &err));
    assert_near_relative(d.ke, 0.595576922, 1e-8);
    assert_near_relative(d.fly, 1.857302288e6, 1e-8);
    assert_near_relative(d.flz, 1.435188131e6, 1e-8);
    assert_near_relative(d.fcc, 37.91391894e6, 1e-9);
    assert_near_relative(d.ecc, 0.005540685337, 1e-9);
    assert_near_relative(d.ecu, 0.02441343158, 1e-9);
    assert_near_relative(d.fu, 29.11042836e6, 1e-9);
    c = (struct yk_confine){.fco = 30e6,
                            .eco = 0.002,
                            .fyh = 420e6,
                            .esu = 0.12,
                            .hoop = 0.012,
                            .spacing = 0.08,
                            .rho_cc = 0.02,
                            .circular = true,
                            .spiral = true,
                            .ds = 0.52};
    assert_ok(yk_confine(&c, &d, &err));
    assert_near_relative(d.ke, 0.953689168, 1e-8);
    assert_near_relative(d.fly, 2.177936327e6, 1e-8);
    assert_near_relative(d.fcc, 42.92499314e6, 1e-9);
    assert_near_relative(d.ecu, 0.02187587758, 1e-9);
    static const double strain[] = {0.001, 0.002, 0.004, 0.01},
                        stress[] = {21.72120615, 33.07625139, 41.34152054, 41.59704168};
    for (int i = 0; i < 4; i++)
        assert_near_relative(1e-6 * yk_confined_stress(&d, strain[i]), stress[i], 1e-9);
    assert_near_relative(yk_confined_surface(30, 2, 2), 42.00441074, 1e-9);
    assert_near_relative(yk_confined_strength(30, 2, 2), 42.00309623, 1e-9);
    assert_near_relative(yk_confined_surface(30, 1, 2), 38.70410224, 1e-9);
    assert_near_relative(yk_confined_surface(30, 0, 2), 34.04198428, 1e-9);
    for (int k = 1; k <= 8; k++) /* both meet where the pressures are equal */
        assert_near_relative(yk_confined_surface(30, k, k), yk_confined_strength(30, k, k), 4e-5);
    c.spacing = 0.005;
    assert_refused(yk_confine(&c, &d, &err), YK_E_RANGE, "not above the diameter");
}

static void the_program_prints_what_the_library_finds(void **state)
{
    struct program p;

    program_run(&p, "section", FILE_, "column", "--axial", "-800kN", "--curvature", "0.1", "--at", "0.02");
    assert_code(&p, 0);
    assert_words(p.out, "388883.24");
    assert_words(p.out, "edge at 0.0035");
    program_free(&p);
    program_run(&p, "section", FILE_, "column", "--interaction", "--axial", "-9MN");
    assert_code(&p, 2);
    assert_words(p.err, "-7261408.41 to 1220194.59 N");
    program_free(&p);
    program_run(&p, "section", FILE_, "pier", "--expand");
    assert_code(&p, 0);
    assert_words(p.out, "{ layer: straight, material: bars, from: [0.205, -0.155]");
    assert_words(p.out, "fc: 37.91391894 MPa");
    program_free(&p);
    program_run(&p, "section", FILE_, "pier", "--sketch", path_of("pier.svg"));
    assert_code(&p, 0);
    assert_true(there(path_of("pier.svg")));
    program_free(&p);
    program_run(&p, "section", FILE_, "pier", "--sketch", "pier.png");
    assert_code(&p, 2);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_concrete_section_bends_as_the_prototype_says),
        cmocka_unit_test(a_steel_section_bends_as_the_prototype_says),
        cmocka_unit_test(an_elastic_section_has_the_moment_of_its_stiffness),
        cmocka_unit_test(bending_about_the_other_axis_and_the_other_way_is_symmetric),
        cmocka_unit_test(the_curve_of_axial_force_and_moment),
        cmocka_unit_test(shapes_have_the_properties_of_their_dimensions),
        cmocka_unit_test(a_reinforced_shape_puts_cover_core_and_bars_in_their_places),
        cmocka_unit_test(confined_concrete),
        cmocka_unit_test(the_program_prints_what_the_library_finds),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
