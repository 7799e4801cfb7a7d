/* `yoke section` and its options, for the program itself and for `yoke --help`, completion and manual page. */
#include "options.h"

static const struct yk_option options[] = {
    {.help = "Moment and curvature:"},
    {"--curvature", "K", "bend up to this curvature, in 1/m", YK_INTO(struct section_options, curvature),
     .quantity = YK_PER_LENGTH, .least = -1e3, .most = 1e3},
    {"--axial", "N", "axial force, tension positive: -800kN; with --interaction one or several, -2MN,-800kN,0",
     YK_INTO(struct section_options, axial)},
    {"--step", "K", "steps of the curvature; default 1e-4 1/m", YK_INTO(struct section_options, step),
     .quantity = YK_PER_LENGTH, .least = 1e-9, .most = 1e3},
    {"--at", "LIST", "print the moments at these curvatures, 0.005,0.01; default: ten along the curve",
     YK_INTO(struct section_options, at)},
    {"--angle", "A", "of the axis of bending, from z towards -y; default 0", YK_INTO(struct section_options, angle),
     .quantity = YK_ANGLE, .least = -7, .most = 7},
    {"--fixed-axis", NULL, "no curvature about the other axis; default: no moment about it",
     YK_INTO(struct section_options, fixed_axis)},
    {"--drop", "PART", "end when the moment has fallen by this part of the peak; default 20 %, 0: do not",
     YK_INTO(struct section_options, drop), .quantity = YK_NUMBER, .least = 0, .most = 1},
    {"--rupture", "STRAIN", "end when a bar has this strain", YK_INTO(struct section_options, rupture),
     .quantity = YK_NUMBER, .least = 0, .most = 10},
    {"--eu", "STRAIN", "end when the edge has this compressive strain", YK_INTO(struct section_options, eu),
     .quantity = YK_NUMBER, .least = 0, .most = 10},
    {"--nominal-strain", "STRAIN", "of the edge, for the nominal moment; default 0.0035",
     YK_INTO(struct section_options, nominal), .quantity = YK_NUMBER, .least = 1e-5, .most = 1},
    {.help = "Axial force and moment:"},
    {"--interaction", NULL, "the N-M curve; with --axial the moments at these forces",
     YK_INTO(struct section_options, interaction)},
    {"--ec", "STRAIN", "limit of the edge in compression; default 0.0035, 0.02 without concrete",
     YK_INTO(struct section_options, ec), .quantity = YK_NUMBER, .least = 1e-5, .most = 1},
    {"--es", "STRAIN", "limit of the outermost bar (of the edge, without bars); default 0.02",
     YK_INTO(struct section_options, es), .quantity = YK_NUMBER, .least = 1e-5, .most = 1},
    {"--surface", "N", "curves for N angles of the axis all around, such as 24",
     YK_INTO(struct section_options, surface), .least = 1, .most = 360},
    {.help = "Description:"},
    {"--sketch", "OUT.svg", "draw the section with its bars", YK_INTO(struct section_options, sketch)},
    {"--expand", NULL, "print a shape as patches and layers, and confined concrete as a law, for a file",
     YK_INTO(struct section_options, expand)},
    {.help = "Output:"},
    {"--output|-o", "FILE", "the curve as a picture (.svg, .png, .pdf) or a table (.csv)",
     YK_INTO(struct section_options, out)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct section_options, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct section_options, json)},
    {0},
};

const struct yk_command command_section = {
    .name = "section",
    .summary = "cross-sections: moment and curvature, N-M curves, confined concrete, sketch",
    .usage = "FILE NAME [option]...\n"
             "FILE NAME --axial N --curvature K [-o OUT.svg] [option]...\n"
             "FILE NAME --interaction [--axial LIST] [-o OUT.svg] [option]...\n"
             "FILE NAME --sketch OUT.svg | --expand",
    .about = "NAME is a section of an experiment (SUBSTRUCTURE.SECTION if several have it), or of a file with "
             "`materials` and `sections` alone. A section has `fibres`, or a `shape` by a short description "
             "(docs/sections.md). Without options its properties are printed. Positive moments compress the side of "
             "positive y.",
    .options = options,
    .json =
        "properties: {name, shape, area, EA, EIz, EIy, centroid_y, centroid_z, depth, width, A, Iz, Iy, Wz, J, back,\n"
        "materials: [{name, law, confined: {ke, fly, flz, fcc, ecc, ecu, fu, Ec, E0}}]}\n"
        "--curvature: {axial, points: {curvature, strain, M, other, M_other}, events: [{what, curvature, M}], peak, "
        "EI,\n"
        "Mn, yield_curvature, ductility, end}\n"
        "--interaction: {curves: [{angle, N, M, M_other, balanced_N, balanced_M}], at: [{N, M, plastic}]}",
    .examples = "yoke section examples/sections/sections.yml column --axial -800kN --curvature 0.1\n"
                "yoke section examples/sections/sections.yml column --interaction --axial -2MN,0\n"
                "yoke section examples/sections/sections.yml beam",
};
