#include "support/fibres.h"

#include "support/check.h"

size_t fibres_material(struct yk_fibre_section *section, const struct law_sample *sample)
{
    struct law_bench bench;
    size_t number;

    assert_ok(law_set_up(&bench, sample, &err));
    assert_ok(yk_fibre_section_material(section, bench.ops, law_settings(&bench), &number, &err));
    return number;
}

static struct yk_fibre_section *create(void)
{
    struct yk_fibre_section *section;

    assert_ok(yk_fibre_section_create(&section, &err));
    return section;
}

static void rectangle(struct yk_fibre_section *section, size_t material, double y0, double z0, double y1, double z1,
                      size_t rows, size_t columns)
{
    assert_ok(yk_fibre_section_rectangle(section, material, (double[2]){y0, z0}, (double[2]){y1, z1},
                                         (size_t[2]){rows, columns}, &err));
}

struct yk_fibre_section *fibres_rectangle(const struct law_sample *sample, double depth, double width, double y,
                                          double z, size_t rows, size_t columns)
{
    struct yk_fibre_section *section = create();

    rectangle(section, fibres_material(section, sample), y - depth / 2, z - width / 2, y + depth / 2, z + width / 2,
              rows, columns);
    return section;
}

struct yk_fibre_section *fibres_rc(bool plane)
{
    static const struct law_sample core = {.law = "concrete-tension",
                                           .set = {{"fc", 36e6},
                                                   {"ec", 0.0035},
                                                   {"fu", 20e6},
                                                   {"eu", 0.020},
                                                   {"lambda", 0.1},
                                                   {"ft", 2.5e6},
                                                   {"softening", 1.5e9}}};
    static const struct law_sample cover = {.law = "concrete",
                                            .set = {{"fc", 28e6}, {"ec", 0.002}, {"fu", 5.6e6}, {"eu", 0.006}}};
    static const struct law_sample steel = {
        .law = "steel",
        .set = {{"E", 200e9}, {"fy", 450e6}, {"hardening", 0.01}, {"R0", 20}, {"cR1", 0.925}, {"cR2", 0.15}}};
    struct yk_fibre_section *section = create();
    const size_t inner = fibres_material(section, &core), outer = fibres_material(section, &cover);
    struct yk_bars bars = {fibres_material(section, &steel), 3, 314.1592653589793e-6, false};

    rectangle(section, inner, -0.21, -0.16, 0.21, 0.16, 14, 8);
    rectangle(section, outer, 0.21, -0.20, 0.25, 0.20, 2, 1);
    rectangle(section, outer, -0.25, -0.20, -0.21, 0.20, 2, 1);
    rectangle(section, outer, -0.21, 0.16, 0.21, 0.20, 14, 1);
    rectangle(section, outer, -0.21, -0.20, 0.21, -0.16, 14, 1);
    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){0.21, -0.16}, (double[2]){0.21, 0.16}, &err));
    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){-0.21, -0.16}, (double[2]){-0.21, 0.16}, &err));
    bars.count = 2;
    assert_ok(yk_fibre_section_layer(section, &bars, (double[2]){0, -0.16}, (double[2]){0, 0.16}, &err));
    assert_ok(yk_fibre_section_finish(section, plane, &err));
    return section;
}

struct yk_fibre_section *fibres_i(bool plane)
{
    static const struct law_sample steel = {.law = "steel",
                                            .set = {{"E", 210e9}, {"fy", 275e6}, {"hardening", 0.01}, {"R0", 20}}};
    struct yk_fibre_section *section = create();
    const size_t m = fibres_material(section, &steel);

    rectangle(section, m, 0.14, -0.075, 0.15, 0.075, 2, 1);
    rectangle(section, m, -0.14, -0.004, 0.14, 0.004, 12, 1);
    rectangle(section, m, -0.15, -0.075, -0.14, 0.075, 2, 1);
    assert_ok(yk_fibre_section_finish(section, plane, &err));
    return section;
}

/* ---- columns --------------------------------------------------------------------------------------------------- */

static const double height = 3, tolerance = 1e-6; /* N; forces are of some 1e5 N */
enum { DOFS = 6, AXIAL_STEPS = 10 };

struct member_frame *fibres_column(struct yk_fibre_section *section, struct yk_fibre_element settings, size_t elements,
                                   enum yk_geometry geometry, double compression)
{
    const bool plane = yk_fibre_section_summary(section)->plane;
    const size_t along = plane ? 1 : 2;
    struct member_frame *column = frame_create(elements + 1, plane);

    settings.section = section;
    for (size_t i = 0; i < elements; i++) {
        struct yk_beam beam = {.plane = plane};
        struct yk_member member;

        beam.ends[0][along] = height * (double)i / (double)elements;
        beam.ends[1][along] = height * (double)(i + 1) / (double)elements;
        assert_ok(yk_member_init(&member, &beam, geometry, false, &err));
        settings.L = member.L;
        assert_ok(yk_fibre_basic(&member.basic, &settings, &err));
        frame_add(column, member, i, i + 1);
    }
    yk_fibre_section_release(section);
    frame_hold(column, 0, 0x3f);
    for (int i = 1; i <= AXIAL_STEPS; i++) {
        column->load[elements * DOFS + along] = -compression * i / AXIAL_STEPS;
        frame_step(column, tolerance);
    }
    frame_hold(column, elements, plane ? 1 : 3);
    return column;
}

double fibres_push(struct member_frame *column, size_t dof, double to)
{
    const size_t at = (column->nodes - 1) * DOFS + dof;

    column->u[at] = to;
    frame_step(column, tolerance);
    return column->f[at];
}
