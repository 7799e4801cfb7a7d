/* Nonlinear members of frames that must be refused: materials, fibres, formulations, hinges, geometry, damping. */
#include "support/check.h"
#include "support/refused.h"
#include "support/scratch.h"

#include "experiment/experiment.h"

#include <stdlib.h>

#define STEEL "m: {kind: bilinear, stiffness: 200 GPa, yield_slip: 0.0015, hardening: 0.01}"
#define RECT  "{patch: rectangle, material: m, from: [-0.1, -0.1], to: [0.1, 0.1], divide: [8, 1]}"
#define HINGE "h: {kind: bilinear, stiffness: 4e8, yield_slip: 0.001, hardening: 0.01}"
#define PARTS(materials, sections, hinges, nodes, members, more)                                                       \
    HEAD "substructures:\n  f:\n    kind: frame\n    materials: {" materials "}\n    sections: {" sections "}\n"       \
         "    hinges: {" hinges "}\n    nodes: {" nodes "}\n    members:\n    - " members "\n" more
#define PLANE_NODES          "a: {at: [0, 0], fixed: all}, b: {at: [0, 3], mass: {x: 1, y: 1, rz: 1}}"
#define SPACE_NODES          "a: {at: [0, 0, 0], fixed: all}, b: {at: [0, 0, 3], mass: {x: 1, y: 1, z: 1, rx: 1, ry: 1, rz: 1}}"
#define FIBRED               "s: {fibres: [" RECT "]}"
#define ELASTIC              "s: {E: 2e11, A: 1e-2, Iz: 1e-5, density: 7850}"
#define MATERIAL(x)          PARTS(x, FIBRED, "", PLANE_NODES, "{between: [a, b], section: s}", "")
#define SECTION(x)           PARTS(STEEL, "s: {" x "}", "", PLANE_NODES, "{between: [a, b], section: s}", "")
#define FIBRES(x)            SECTION("fibres: [" x "]")
#define FIBRE_MEMBER(x)      PARTS(STEEL, FIBRED, HINGE, PLANE_NODES, "{between: [a, b], section: s, " x "}", "")
#define PLAIN_MEMBER(x)      PARTS("", ELASTIC, HINGE, PLANE_NODES, "{between: [a, b], section: s, " x "}", "")
#define HINGES(x)            PARTS("", ELASTIC, x, PLANE_NODES, "{between: [a, b], section: s, hinges: {start: {rz: h}}}", "")
#define IN_SPACE(section, x) PARTS(STEEL, section, HINGE, SPACE_NODES, "{between: [a, b], section: s, " x "}", "")

static const struct refusal materials[] = {
    {MATERIAL("m: {kind: @bilinar}"), YK_E_INPUT, "there is no element law 'bilinar'; did you mean 'bilinear'?"},
    {MATERIAL("@m: {E: 1}"), YK_E_INPUT, "missing 'kind'"},
    {MATERIAL("m: @3"), YK_E_INPUT, "a material as a map is expected"},
    {MATERIAL("m: {kind: bilinear, stiffness: @200 GN/m, yield_slip: 1}"), YK_E_UNIT,
     "a modulus of elasticity is expected (Pa"},
    {MATERIAL("m: {kind: bilinear, stiffness: 200 GPa, yield_slip: @1 mm}"), YK_E_UNIT, "mm"},
    {MATERIAL("m: {kind: bilinear, @E: 200 GPa}"), YK_E_INPUT, "unknown key 'E'"},
    {MATERIAL(STEEL ", other: {kind: bilinear, stiffness: @-1, yield_slip: 1}"), YK_E_RANGE, "stiffness = -1"},
    {MATERIAL("m: {kind: @damper, damping: 3}"), YK_E_INPUT,
     "'damper' cannot be the law of a material: its force depends on the rate"},
    {MATERIAL("m: {kind: concrete, fc: @-30 MPa, ec: 0.002, fu: 6 MPa, eu: 0.006}"), YK_E_RANGE,
     "give magnitudes; compression is negative inside"},
    {MATERIAL("m: {kind: concrete-tension, fc: 30 MPa, ec: 0.002, fu: 6 MPa, eu: @-0.006, lambda: 0.1, ft: 2 MPa, "
              "softening: 1 GPa}"),
     YK_E_RANGE, "give magnitudes; compression is negative inside"},
};

static const struct refusal sections[] = {
    {SECTION("@E: 2e11, fibres: [" RECT "]"), YK_E_INPUT, "section 's' has fibres and takes no E"},
    {SECTION("fibres: [" RECT "], @Iz: 1"), YK_E_INPUT, "section 's' has fibres and takes no Iz"},
    {SECTION("fibres: [" RECT "], @denstiy: 1"), YK_E_INPUT, "did you mean 'density'?"},
    {SECTION("fibres: @3"), YK_E_INPUT, "a list of patches and layers is expected"},
    {SECTION("@fibres: []"), YK_E_INPUT, "no fibres"},
    {FIBRES("@3"), YK_E_INPUT, "a patch or layer as a map is expected"},
    {FIBRES("{@material: m, from: [0, 0]}"), YK_E_INPUT, "a patch (rectangle, quadrilateral, ring), a layer"},
    {FIBRES("{@patch: rectangle, layer: straight}"), YK_E_INPUT, "give one of these keys"},
    {FIBRES("{patch: @circle, material: m}"), YK_E_INPUT,
     "there is no patch 'circle'; patches are rectangle, quadrilateral and ring"},
    {FIBRES("{layer: @ring, material: m}"), YK_E_INPUT, "there is no layer 'ring'; layers are straight and circle"},
    {FIBRES("{patch: rectangle, material: @k, from: [0, 0], to: [1, 1], divide: [1, 1]}"), YK_E_INPUT,
     "there is no material 'k'; did you mean 'm'?"},
    {FIBRES("{@patch: rectangle, from: [0, 0], to: [1, 1], divide: [1, 1]}"), YK_E_INPUT, "missing 'material'"},
    {FIBRES("{patch: rectangle, material: m, @from: [0, 0, 0], to: [1, 1], divide: [1, 1]}"), YK_E_INPUT,
     "from has 3 numbers, but 2 are expected: y and z"},
    {FIBRES("{patch: rectangle, material: m, from: [0, @0 s], to: [1, 1], divide: [1, 1]}"), YK_E_UNIT, "a length"},
    {FIBRES("{patch: rectangle, material: m, from: [0, 0], to: [1, 1], divide: [@0, 1]}"), YK_E_RANGE,
     "outside 1 .. 1000"},
    {FIBRES("{patch: rectangle, material: m, from: [0, 0], to: [1, 1], divide: [2, @1.5]}"), YK_E_RANGE,
     "divide = 1.5 is not a whole number"},
    {FIBRES("{patch: rectangle, material: m, from: [0, 0], to: [1, 1], divide: @4}"), YK_E_INPUT,
     "a list of numbers is expected"},
    {FIBRES("{@patch: rectangle, material: m, from: [0, 0], to: [0, 1], divide: [4, 1]}"), YK_E_INPUT, "no area"},
    {FIBRES("{patch: rectangle, material: m, from: [0, 0], to: [1, 1], divide: [4, 1], @bars: 3}"), YK_E_INPUT,
     "unknown key 'bars'"},
    {FIBRES("{patch: quadrilateral, material: m, @corners: [[0, 0], [1, 0], [1, 1]], divide: [4, 1]}"), YK_E_INPUT,
     "corners has 6 numbers, but 8 are expected"},
    {FIBRES("{@patch: quadrilateral, material: m, corners: [[0, 0], [1, 0], [0, 0.1], [0, 1]], divide: [4, 1]}"),
     YK_E_INPUT, "convex"},
    {FIBRES("{@patch: ring, material: m, radii: [0.2, 0.2], divide: [4, 8]}"), YK_E_RANGE, "radii 0.2 and 0.2 m"},
    {FIBRES("{patch: ring, material: m, radii: [@-0.1, 0.2], divide: [4, 8]}"), YK_E_RANGE,
     "-0.1 is outside 0 .. 1e+06 m"},
    {FIBRES("{layer: straight, material: m, from: [0.1, -0.1], to: [0.1, 0.1], bars: @0, diameter: 0.02}"), YK_E_RANGE,
     "bars = 0 is outside 1 .. 1000"},
    {FIBRES("{layer: straight, material: m, from: [0.1, -0.1], to: [0.1, 0.1], bars: @1, diameter: 0.02}"), YK_E_INPUT,
     "bars = 1, but from and to are two places; give the place of a single bar in both, in the middle [0.1, 0]"},
    {FIBRES("{@layer: straight, material: m, from: [0.1, -0.1], to: [0.1, 0.1], bars: 3}"), YK_E_INPUT,
     "either `diameter` or `area`"},
    {FIBRES("{@layer: circle, material: m, radius: 0.1, bars: 3, diameter: 0.02, area: 3 cm2}"), YK_E_INPUT,
     "either `diameter` or `area`"},
    {FIBRES("{layer: circle, material: m, radius: @0, bars: 3, diameter: 0.02}"), YK_E_RANGE, "radius"},
    {FIBRES("{file: @nowhere.csv}"), YK_E_INPUT, "nowhere.csv: cannot be opened"},
    /* a bar that displaces what is not there, and more than is there */
    {SECTION("@fibres: [" RECT
             ", {layer: straight, material: m, from: [1, -0.1], to: [1, 0.1], bars: 3, diameter: 0.02, "
             "displace: true}]"),
     YK_E_INPUT, "the bar at (1, -0.1) m displaces nothing: it stands in no patch"},
    {PARTS(STEEL ", n: {kind: spring, stiffness: 1 GPa}",
           "s: {@fibres: [" RECT ", {layer: straight, material: n, from: [0, 0], to: [0, 0.1], bars: 2, area: 0.03 m2, "
           "displace: true}]}",
           "", PLANE_NODES, "{between: [a, b], section: s}", ""),
     YK_E_INPUT, "EA = -3.94e+09 N of the section at rest is not above 0"},
    {SECTION("@fibres: [" RECT ", {layer: straight, material: m, from: [0, 0], to: [0, 0], bars: 1, diameter: 20}]"),
     YK_E_INPUT,
     "the bar at (0, 0) m has an area of 314.159 m2, more than the 0.04 m2 of all patches; is its size in mm?"},
};

static const struct refusal members[] = {
    {PARTS(STEEL, "s: {fibres: [" RECT "], G: 8e10, J: 1e-5}", HINGE, SPACE_NODES, "{between: [a, b], section: @s}",
           ""),
     YK_E_INPUT,
     "section 's' has no bending stiffness about y, which a beam in space needs: divide its patches along z"},
    {PLAIN_MEMBER("@formulation: force"), YK_E_INPUT,
     "formulation is for members with fibres, but section 's' has none"},
    {PLAIN_MEMBER("@points: 5"), YK_E_INPUT, "points is for members with fibres"},
    {PLAIN_MEMBER("@rule: lobatto"), YK_E_INPUT, "rule is for members with fibres"},
    {PLAIN_MEMBER("@formulation: force, iterations: 5"), YK_E_INPUT, "is for members with fibres"},
    {FIBRE_MEMBER("formulation: @mixed"), YK_E_INPUT, "displacement, force"},
    {FIBRE_MEMBER("points: @1"), YK_E_RANGE, "points = 1 is outside 2 .. 10"},
    {FIBRE_MEMBER("points: @11"), YK_E_RANGE, "points = 11 is outside 2 .. 10"},
    {FIBRE_MEMBER("formulation: force, points: @2"), YK_E_RANGE, "points = 2 is outside 3 .. 10 of rule: lobatto"},
    {FIBRE_MEMBER("rule: lobatto, points: @2"), YK_E_RANGE, "points = 2 is outside 3 .. 10 of rule: lobatto"},
    {FIBRE_MEMBER("formulation: force, iterations: @2"), YK_E_RANGE, "iterations = 2 is outside 3 .. 20"},
    {FIBRE_MEMBER("formulation: force, iterations: @21"), YK_E_RANGE, "iterations = 21 is outside 3 .. 20"},
    {FIBRE_MEMBER("@iterations: 5"), YK_E_INPUT, "iterations has no effect with formulation: displacement"},
    {FIBRE_MEMBER("@hinges: {start: {rz: h}}"), YK_E_INPUT, "hinges does not go with fibres, which section 's' has"},
    {FIBRE_MEMBER("@release: {start: [rz]}"), YK_E_INPUT, "release does not go with fibres"},
    {FIBRE_MEMBER("geometry: p-delta, @bowing: true"), YK_E_INPUT, "use `divide` for the deflection"},
    {FIBRE_MEMBER("theory: @timoshenko"), YK_E_INPUT, "timoshenko does not go with fibres"},
    {FIBRE_MEMBER("theory: truss, @formulation: force"), YK_E_INPUT, "formulation has no effect with theory: truss"},
    {FIBRE_MEMBER("theory: truss, @points: 3"), YK_E_INPUT, "points has no effect with theory: truss"},
    {FIBRE_MEMBER("geometry: @large"), YK_E_INPUT, "linear, p-delta, corotational"},
    {PLAIN_MEMBER("@bowing: true"), YK_E_INPUT, "bowing needs geometry: p-delta, but geometry is linear"},
    {PLAIN_MEMBER("@bowing: true, geometry: corotational"), YK_E_INPUT, "but geometry is corotational"},
    {PLAIN_MEMBER("@bowing: true, geometry: p-delta, theory: truss"), YK_E_INPUT, "which does not bend"},
    {PLAIN_MEMBER("@bowing: true, geometry: p-delta, hinges: {end: {rz: h}}"), YK_E_UNSUPPORTED, "without hinges"},
    {PLAIN_MEMBER("@bowing: true, geometry: p-delta, release: {end: [rz]}"), YK_E_UNSUPPORTED, "use `divide` here"},
    {PARTS(STEEL, FIBRED, "", "a: {at: [0, 0], fixed: all}, b: {at: [0, 0], mass: {x: 1, y: 1, rz: 1}}",
           "{@between: [a, b], section: s}", ""),
     YK_E_INPUT, "its two ends are at the same place, it has no length"},
    {IN_SPACE("s: {fibres: [{patch: rectangle, material: m, from: [-0.1, -0.1], to: [0.1, 0.1], divide: [8, 8]}], @J: "
              "1e-5}",
              "mass: lumped"),
     YK_E_INPUT, "section 's' has a torsion constant J, but no shear modulus G"},
    {PARTS(STEEL, "s: {fibres: [{patch: rectangle, material: m, from: [-0.1, -0.1], to: [0.1, 0.1], divide: [8, 8]}]}",
           "", SPACE_NODES, "{@between: [a, b], section: s}", ""),
     YK_E_INPUT, "its section has no J, which a beam in space needs"},
    {HEAD "substructures:\n  f:\n    kind: frame\n    sections: {" ELASTIC "}\n    hinges: {" HINGE
          "}\n    nodes: {" PLANE_NODES
          "}\n    @members:\n    - {between: [a, b], section: s, name: left, geometry: p-delta}\n"
          "    - {between: [a, b], section: s, name: left, hinges: {start: {rz: h}}}\n",
     YK_E_INPUT, "two nonlinear members are called 'left': give one of them another `name`"},
};

static const struct refusal hinges[] = {
    {PLAIN_MEMBER("hinges: @3"), YK_E_INPUT, "a map of start and end is expected"},
    {PLAIN_MEMBER("hinges: {@middle: {rz: h}}"), YK_E_INPUT, "unknown key 'middle'"},
    {PLAIN_MEMBER("hinges: {start: @h}"), YK_E_INPUT, "such as { rz: name }"},
    {PLAIN_MEMBER("hinges: {start: {@x: h}}"), YK_E_INPUT, "unknown key 'x'"},
    {PLAIN_MEMBER("hinges: {start: {@ry: h}}"), YK_E_INPUT, "a plane frame has no hinges about ry, only about rz"},
    {PLAIN_MEMBER("hinges: {start: {rz: @g}}"), YK_E_INPUT, "there is no hinge 'g'; did you mean 'h'?"},
    {PLAIN_MEMBER("release: {start: [rz]}, hinges: {start: {@rz: h}}"), YK_E_INPUT,
     "rz is both released and a hinge; leave one of them out"},
    {PLAIN_MEMBER("theory: truss, @hinges: {start: {rz: h}}"), YK_E_INPUT, "which transmits no moment"},
    {HINGES("h: @3"), YK_E_INPUT, "a hinge as a map is expected"},
    {HINGES("h: {kind: @friktion}"), YK_E_INPUT, "did you mean 'friction'?"},
    {HINGES("h: {kind: @damper, damping: 1}"), YK_E_INPUT, "'damper' cannot be the law of a hinge"},
    {HINGES("h: {kind: bilinear, stiffness: @4e8 N/m, yield_slip: 0.001}"), YK_E_UNIT, "(N m/rad)"},
    {HINGES("h: {kind: bilinear, stiffness: 4e8, yield_slip: @1 mm}"), YK_E_UNIT, "an angle is expected"},
    {HINGES(HINGE ", g: {kind: bilinear, stiffness: @0, yield_slip: 1}"), YK_E_RANGE, "stiffness"},
    {HINGES("h: {kind: @pinching, stiffness: rigid, yield: 3 kN m}"), YK_E_INPUT, "bilinear"},
    {HINGES("@h: {kind: bilinear, stiffness: rigid}"), YK_E_INPUT, "missing 'yield'"},
    {HINGES("h: {kind: bilinear, stiffness: rigid, yield: @3 kN}"), YK_E_UNIT, "N m"},
    {HINGES("h: {kind: bilinear, stiffness: rigid, yield: 3 kN m, hardening: @1}"), YK_E_RANGE, "not below 1"},
    {HINGES("h: {kind: bilinear, stiffness: rigid, yield: 3 kN m, @yield_slip: 0.1}"), YK_E_INPUT,
     "unknown key 'yield_slip'"},
};

static const struct refusal damping[] = {
    {PARTS("", ELASTIC, "", PLANE_NODES, "{between: [a, b], section: s}",
           "    rayleigh: {stiffness: 0.002, stiffness_of: @committed}\n"),
     YK_E_INPUT, "stiffness_of: committed has no effect: there are no members with fibres, hinges"},
    {PARTS(STEEL, FIBRED, "", PLANE_NODES, "{between: [a, b], section: s}",
           "    rayleigh: {stiffness: 0.002, stiffness_of: @last}\n"),
     YK_E_INPUT, "initial, committed"},
};

static const struct file_refusal tables[] = {
    {{FIBRES("{file: @f.csv}"), YK_E_INPUT, "f.csv: the table has no fibres"},
     "f.csv",
     "# nothing\n\ny, z, area, material\n"},
    {{FIBRES("{file: @f.csv}"), YK_E_INPUT, "f.csv:2:"}, "f.csv", "0.1, 0, 1e-4, m\n0.1, 0, 1e-4\n"},
    {{FIBRES("{file: @f.csv}"), YK_E_INPUT, "f.csv:1: a row has four columns"}, "f.csv", "0.1, 0, 1e-4, m, 3\n"},
    {{FIBRES("{file: @f.csv}"), YK_E_INPUT, "f.csv:1:"}, "f.csv", "0.1, here, 1e-4, m\n"},
    {{FIBRES("{file: @f.csv}"), YK_E_RANGE, "f.csv:1: area = -0.1 m2 must be positive"}, "f.csv", "0.1, 0, -0.1, m\n"},
    {{FIBRES("{file: @f.csv}"), YK_E_INPUT, "f.csv:3: there is no material 'n'; did you mean 'm'?"},
     "f.csv",
     "y, z, area, material\n0.1, 0, 1e-4, m\n-0.1, 0, 1e-4, n\n"},
    {{FIBRES("{file: f.csv, @material: m}"), YK_E_INPUT, "unknown key 'material'"}, "f.csv", "0, 0, 1, m\n"},
};

static void materials_are_refused_at_the_place(void **state)
{
    CHECK_ALL(materials);
}

static void sections_with_fibres_are_refused_at_the_place(void **state)
{
    CHECK_ALL(sections);
}

static void members_are_refused_at_the_place(void **state)
{
    CHECK_ALL(members);
}

static void hinges_are_refused_at_the_place(void **state)
{
    CHECK_ALL(hinges);
}

static void damping_is_refused_at_the_place(void **state)
{
    CHECK_ALL(damping);
}

static void tables_of_fibres_are_refused_with_both_places(void **state)
{
    check_files(tables, sizeof tables / sizeof *tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_are_refused_at_the_place),
        cmocka_unit_test(sections_with_fibres_are_refused_at_the_place),
        cmocka_unit_test(members_are_refused_at_the_place),
        cmocka_unit_test(hinges_are_refused_at_the_place),
        cmocka_unit_test(damping_is_refused_at_the_place),
        cmocka_unit_test(tables_of_fibres_are_refused_with_both_places),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
