/* Frames from lists of OpenSees commands: what each command becomes, units, and what is refused at its line. */
#include "experiment/experiment.h"
#include "model/opensees/opensees.h"
#include "support/check.h"

#include <stdlib.h>

static char *import(const char *commands, double length_m, double force_N, enum yk_status *st, struct yk_err *err)
{
    struct yk_text text = {.name = "t.tcl", .data = strdup(commands), .size = strlen(commands)};
    char *yaml;

    *st = opensees_import(&text, length_m, force_N, &yaml, err);
    free(text.data);
    return yaml;
}

/* A cantilever between nodes 1 and 2 with section 1 made of material 1, which `more` adds. */
#define MODEL                                                                                                          \
    "model BasicBuilder -ndm 2 -ndf 3\nnode 1 0 0\nnode 2 0 3 -mass 20e3 20e3 500\nfix 1 1 1 1\ngeomTransf Linear 1\n"
#define COLUMN "section Fiber 1 {\npatch rect 1 8 1 -0.15 -0.05 0.15 0.05\n}\nelement dispBeamColumn 7 1 2 5 1 1\n"

/* The text, which must be an experiment file. */
static char *import_valid(const char *commands)
{
    struct yk_model *e = NULL;
    struct yk_err err = {0};
    enum yk_status st;
    char *yaml = import(commands, 1, 1, &st, &err);

    if (st)
        fail_msg("%s", yk_err_line(&err).text);
    if (yk_model_parse(&e, "t.yaml", yaml, strlen(yaml), NULL, 0, &err))
        fail_msg("%s\n%s", yk_err_line(&err).text, yaml);
    yk_model_close(e);
    return yaml;
}

static void becomes(const char *commands, const char *line)
{
    char *yaml = import_valid(commands);

    if (!strstr(yaml, line))
        fail_msg("'%s' is missing in\n%s", line, yaml);
    free(yaml);
}

static void materials_become_laws(void **state)
{
    static const struct {
        const char *material, *law;
    } cases[] = {
        {"Elastic 1 2e11", "{ kind: spring, stiffness: 200000000000 }"},
        {"ElasticPP 1 2e11 0.002",
         "{ kind: elastoplastic, stiffness: 200000000000, yield_positive: 0.002, yield_negative: 0.002 }"},
        {"ElasticPP 1 2e11 0.002 -0.001 1e-4", "yield_negative: 0.001, offset: 0.0001 }"},
        {"Steel01 1 2.5e8 2e11 0.02",
         "{ kind: bilinear, stiffness: 200000000000, yield_slip: 0.00125, hardening: 0.02 }"},
        {"Steel02 1 4.2e8 2e11 0.01 18 0.925 0.15 0.05 1 0.04 1",
         "{ kind: steel, E: 200000000000, fy: 420000000, hardening: 0.01, R0: 18, cR1: 0.925, cR2: 0.15, a1: 0.05, a2: "
         "1, a3: 0.04, a4: 1 }"},
        {"Concrete01 1 -30e6 -0.002 -6e6 -0.006",
         "{ kind: concrete, fc: 30000000, ec: 0.002, fu: 6000000, eu: 0.006 }"},
        {"Concrete02 1 -30e6 -0.002 -6e6 -0.006 0.1 2.5e6 1.5e9",
         "{ kind: concrete-tension, fc: 30000000, ec: 0.002, fu: 6000000, eu: 0.006, lambda: 0.1, ft: 2500000, "
         "softening: 1500000000 }"},
        {"Hysteretic 1 60e6 0.003 80e6 0.015 30e6 0.06 -50e6 -0.003 -70e6 -0.014 -20e6 -0.055 0.7 0.3 0.01 0.05 0.4",
         "{ kind: pinching, positive: [[60000000, 0.003], [80000000, 0.015], [30000000, 0.06]], negative: [[50000000, "
         "0.003], [70000000, 0.014], [20000000, 0.055]], px: 0.7, py: 0.3, D1: 0.01, D2: 0.05, beta: 0.4 }"},
        {"Hysteretic 1 60e6 0.003 80e6 0.015 -60e6 -0.003 -80e6 -0.015 1 1 0 0",
         "positive: [[60000000, 0.003], [70000000, 0.009], [80000000, 0.015]]"},
        {"IMKPinching 1 2e11 0.02 0.08 1 6e8 1.15 0.1 0.018 0.07 0.9 5e8 1.1 0.15 0.8 0.9 0 1.2 1 1 1 1.1 1 0.7 0.4 "
         "0.6",
         "{ kind: imk, hysteresis: pinching, stiffness: 200000000000, plastic: 0.02, post_capping: 0.08, ultimate: 1, "
         "yield: 600000000, capping: 1.15, residual: 0.1, plastic_negative: 0.018, post_capping_negative: 0.07, "
         "ultimate_negative: 0.9, yield_negative: 500000000, capping_negative: 1.1, residual_negative: 0.15, lambda_S: "
         "0.8, c_S: 1, lambda_C: 0.9, c_C: 1, lambda_K: 1.2, c_K: 1.1, rate: 1, rate_negative: 0.7, kappa_F: 0.4, "
         "kappa_D: 0.6 }"},
        {"IMKBilin 1 2e11 0.02 0.08 1 6e8 1.15 0 0.02 0.08 1 6e8 1.15 0 0 0.9 0.7 1 1 1 1 1",
         "residual_negative: 0, lambda_C: 0.9, c_C: 1, lambda_K: 0.7, c_K: 1, rate: 1, rate_negative: 1 }"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char commands[1024];

        snprintf(commands, sizeof commands, MODEL "uniaxialMaterial %s\n" COLUMN, cases[i].material);
        becomes(commands, cases[i].law);
    }
}

#define STEEL "uniaxialMaterial Steel01 1 2.5e8 2e11 0.02\n"
#define WITH(shape)                                                                                                    \
    MODEL STEEL "section Fiber 1 -noCentroid { patch rect 1 4 1 -0.1 -0.1 0.1 0.1; " shape                             \
                " }\nelement dispBeamColumn 7 1 2 5 1 1\n"

static void patches_and_layers_keep_their_places(void **state)
{
    becomes(WITH("patch rect 1 8 2 -0.15 -0.05 0.15 0.05"),
            "{ patch: rectangle, material: m1, from: [-0.15, -0.05], to: [0.15, 0.05], divide: [8, 2] }");
    becomes(WITH("patch quad 1 3 2 -0.1 -0.1 0.1 -0.1 0.1 0.1 -0.1 0.2"),
            "corners: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.2]], divide: [3, 2] }");
    becomes(WITH("patch circ 1 12 3 0.1 0.2 0.05 0.25 0 180"),
            "{ patch: ring, material: m1, centre: [0.1, 0.2], radii: [0.05, 0.25], angles: [0, 3.14159265359], divide: "
            "[3, 12] }");
    becomes(WITH("layer straight 1 3 3e-4 0.2 -0.1 0.2 0.1"),
            "{ layer: straight, material: m1, from: [0.2, -0.1], to: [0.2, 0.1], bars: 3, area: 0.0003 }");
    becomes(WITH("layer circ 1 8 3e-4 0 0 0.2"),
            "{ layer: circle, material: m1, centre: [0, 0], radius: 0.2, bars: 8, area: 0.0003 }");
    becomes(WITH("layer circ 1 8 3e-4 0 0 0.2 0 90"), "radius: 0.2, angles: [0, 1.57079632679], bars: 8");
    becomes(WITH("fiber 0.1 0.05 2e-4 1"), "from: [0.1, 0.05], to: [0.1, 0.05], bars: 1, area: 0.0002 }");
}

static void beams_have_their_formulation_rule_and_geometry(void **state)
{
#define BEAM(element)                                                                                                  \
    MODEL STEEL "section Fiber 1 {\npatch rect 1 8 1 -0.15 -0.05 0.15 0.05\n}\nsection Elastic 2 2e11 0.01 1e-4\n"     \
                "geomTransf PDelta 2\ngeomTransf Corotational 3\nbeamIntegration Legendre 4 1 3\n" element "\n"
    becomes(BEAM("element dispBeamColumn 7 1 2 5 1 1"),
            "{ between: [n1, n2], name: e7, section: s1, formulation: displacement, points: 5, rule: legendre }");
    becomes(BEAM("element forceBeamColumn 7 1 2 4 1 2 -iter 10 1e-12"),
            "section: s1, formulation: force, points: 4, rule: lobatto, iterations: 10, geometry: p-delta }");
    becomes(BEAM("element nonlinearBeamColumn 7 1 2 4 1 3"), "points: 4, rule: lobatto, geometry: corotational }");
    becomes(BEAM("element forceBeamColumn 7 1 2 3 4"), "points: 3, rule: legendre, geometry: corotational }");
    becomes(BEAM("element forceBeamColumn 7 1 2 1 Lobatto 1 6"), "points: 6, rule: lobatto }");
    becomes(BEAM("element elasticBeamColumn 7 1 2 0.01 2e11 1e-4 2"),
            "      e7: { E: 200000000000, A: 0.01, Iz: 0.0001 }\n");
    becomes(BEAM("element elasticBeamColumn 7 1 2 2 2"), "name: e7, section: s2, geometry: p-delta }");
    becomes(BEAM("element dispBeamColumn 7 1 2 5 2 1"), "name: e7, section: s2 }");
    /* masses per length go to the ends, as OpenSees lumps them */
    becomes(BEAM("element dispBeamColumn 7 1 2 5 1 1 -mass 100"),
            "n2: { at: [0, 3], mass: { x: 20150, y: 20150, rz: 500 } }");
}

static void springs_ties_damping_and_supports(void **state)
{
#define JOINT                                                                                                          \
    MODEL STEEL COLUMN "node 3 0 3 -mass 1 1 1\nfix 3 0 1 0\n"                                                         \
                       "uniaxialMaterial Hysteretic 2 1e3 0.001 2e3 0.01 1e3 0.1 -1e3 -0.001 -2e3 -0.01 -1e3 -0.1 "    \
                       "0.7 0.3 0 0\nuniaxialMaterial Elastic 3 1e6\n"
#define SPRING "element zeroLength 9 2 3 -mat 2 3 -dir 6 1\n"
    becomes(JOINT SPRING, "{ name: e9-rz, between: [n2.rz, n3.rz], kind: pinching, positive: [[1000, 0.001]");
    becomes(JOINT SPRING, "{ name: e9-x, between: [n2.x, n3.x], kind: spring, stiffness: 1000000 }");
    becomes(JOINT "equalDOF 2 3 1\n", "{ master: n2, slaves: [n3], dofs: [x] }");
    becomes(JOINT SPRING, "n3: { at: [0, 3], fixed: [y], mass: { x: 1, y: 1, rz: 1 } }");
    becomes(JOINT SPRING "rayleigh 0.2 0 0 0.001\n",
            "rayleigh: { mass: 0.2, stiffness: 0.001, stiffness_of: committed }");
    becomes(JOINT SPRING "rayleigh 0.2 0 0.002 0\n", "rayleigh: { mass: 0.2, stiffness: 0.002 }");
    becomes(JOINT SPRING "pattern Plain 1 Linear {\n load 2 0 $P 0\n}\n", "# left out, line 16: pattern\n");
}

/* A node without mass between a rotational spring and an elastic beam is no node: the spring is a hinge of the beam. */
static void springs_at_the_ends_of_elastic_beams_become_hinges(void **state)
{
#define HINGED(spring, masses)                                                                                         \
    MODEL STEEL COLUMN "node 3 6 3 -mass 1e3 1e3 10\nnode 12 0 3" masses "\nnode 13 6 3\nfix 3 0 1 0\n"                \
                       "element elasticBeamColumn 8 12 13 0.01 2e11 1e-4 1 -mass 10\nequalDOF 2 12 1 2\n"              \
                       "equalDOF 3 13 2 1\nuniaxialMaterial Hysteretic 2 1e3 0.001 2e3 0.01 1e3 0.1 -3e3 -0.003 "      \
                       "-4e3 -0.04 -3e3 -0.3 0.7 0.3 0 0\nuniaxialMaterial ElasticPP 3 1e6 0.01 -0.02 1e-3\n" spring   \
                       "element zeroLength 21 13 3 -mat 3 -dir 6\n"
    const char *both = HINGED("element zeroLength 20 2 12 -mat 2 -dir 6\n", "");
    char *yaml = import_valid(both);

    assert_null(strstr(yaml, "n12"));
    assert_null(strstr(yaml, "n13"));
    assert_null(strstr(yaml, "links:"));
    assert_null(strstr(yaml, "elements:"));
    assert_null(strstr(yaml, "without mass"));
    free(yaml);
    becomes(both, "{ between: [n2, n3], name: e8, section: e8, hinges: { start: { rz: h2t }, end: { rz: h3 } } }");
    /* from the joint to the inner end: the sides change places; from the inner end to the joint: they do not */
    becomes(both,
            "h2t: { kind: pinching, positive: [[3000, 0.003], [4000, 0.04], [3000, 0.3]], negative: [[1000, 0.001]");
    becomes(
        both,
        "h3: { kind: elastoplastic, stiffness: 1000000, yield_positive: 0.01, yield_negative: 0.02, offset: 0.001 }");
    /* the mass of the beam goes to the joints */
    becomes(both, "n3: { at: [6, 3], fixed: [y], mass: { x: 1030, y: 1030, rz: 10 } }");
    /* with a mass of its own it stays a node */
    becomes(HINGED("element zeroLength 20 2 12 -mat 2 -dir 6\n", " -mass 1 1 1"),
            "{ between: [n12, n3], name: e8, section: e8, hinges: { end: { rz: h3 } } }");
    becomes(HINGED("element zeroLength 20 2 12 -mat 2 -dir 6\n", " -mass 1 1 1"),
            "{ name: e20-rz, between: [n2.rz, n12.rz], kind: pinching, positive: [[1000, 0.001]");
}

/* In space a tower of two members: the axes of vecxz, torsion, a floor. */
static void frames_in_space_keep_their_axes(void **state)
{
    static const char commands[] =
        "model basic -ndm 3 -ndf 6\nnode 1 0 0 0\nnode 2 0 0 3 -mass 1 1 1 1 1 1\nnode 3 1 0 3 -mass 1 1 1 1 1 1\n"
        "fix 1 1 1 1 1 1 1\nuniaxialMaterial Steel01 1 2.5e8 2e11 0.02\n"
        "section Fiber 1 -GJ 1e6 { patch rect 1 4 4 -0.1 -0.1 0.1 0.1 }\ngeomTransf PDelta 1 0 1 0\n"
        "geomTransf Linear 2 0 0 1\nelement forceBeamColumn 1 1 2 5 1 1\n"
        "element elasticBeamColumn 2 2 3 0.01 2e11 8e10 1e-5 2e-5 3e-5 2\nrigidDiaphragm 3 2 3\n";

    becomes(commands, "geometry: p-delta, up: [0, 1, 0] }");
    becomes(commands, "G: 1\n        J: 1000000");
    becomes(commands, "e2: { E: 200000000000, A: 0.01, Iz: 3e-05, Iy: 2e-05, G: 80000000000, J: 1e-05 }");
    becomes(commands, "{ master: n2, slaves: [n3], dofs: [x, y, rz] }");
}

static void units_of_the_commands_become_si(void **state)
{
    struct yk_err err = {0};
    enum yk_status st;
    /* mm, kN: stress GPa, mass 1000 t, moment kN mm */
    char *yaml = import("model basic -ndm 2 -ndf 3\nnode 1 0 0\nnode 2 0 3000 -mass 0.02 0.02 500\nfix 1 1 1 1\n"
                        "geomTransf Linear 1\nuniaxialMaterial Steel01 1 0.25 200 0.02\n"
                        "section Fiber 1 -noCentroid { patch rect 1 8 1 -150 -50 150 50; fiber 10 0 300 1 }\n"
                        "element dispBeamColumn 7 1 2 5 1 1\nnode 3 0 3000 -mass 0.02 0.02 500\n"
                        "uniaxialMaterial Elastic 2 5000\nelement zeroLength 8 2 3 -mat 2 2 -dir 1 6\n",
                        1e-3, 1e3, &st, &err);
    static const char *const lines[] = {"stiffness: 200000000000, yield_slip: 0.00125",
                                        "from: [-0.15, -0.05]",
                                        "from: [0.01, 0], to: [0.01, 0], bars: 1, area: 0.0003",
                                        "n2: { at: [0, 3], mass: { x: 20000, y: 20000, rz: 500 }",
                                        "[n2.x, n3.x], kind: spring, stiffness: 5000000000 }",
                                        "[n2.rz, n3.rz], kind: spring, stiffness: 5000 }"};

    assert_int_equal(st, YK_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(yaml, lines[i]))
            fail_msg("'%s' is missing in\n%s", lines[i], yaml);
    free(yaml);
}

/* T section, all of one material: centre of areas at (3 x 2 + 4 x 0)/7 = 6/7, and so on; the formulas are those of
 * areas, OpenSees has the same in FiberSection2d. */
static void the_axis_of_a_section_is_at_the_centre_of_its_areas(void **state)
{
#define SECTION(shape) MODEL STEEL "section Fiber 1 { " shape " }\nelement dispBeamColumn 7 1 2 5 1 1\n"
    becomes(SECTION("patch rect 1 2 1 -1 -2 1 0; patch rect 1 2 1 1.5 -1 2.5 2"), /* 4 at 0, 3 at 2 */
            "from: [-1.85714285714, -2], to: [0.142857142857, 0]");
    becomes(SECTION("patch quad 1 2 2 0 0 3 0 3 3 0 3"), "corners: [[-1.5, 0], [1.5, 0], [1.5, 3], [-1.5, 3]]");
    becomes(SECTION("layer straight 1 3 2 1 0 3 0; fiber 0 0 3 1"), /* 6 at 2, 3 at 0 */
            "from: [-0.333333333333, 0], to: [1.66666666667, 0], bars: 3");
    becomes(SECTION("patch circ 1 4 2 0 0 0 1 -90 90"), "centre: [-0.424413181578, 0]"); /* 4/(3 pi) */
    becomes(SECTION("layer circ 1 4 1 0.5 0 2"), "centre: [0, 0], radius: 2");
    becomes(SECTION("layer circ 1 2 1 0 0 2 0 90"), "centre: [-1, 0], radius: 2");
    becomes(WITH("fiber 5 0 0.01 1"), "from: [5, 0]"); /* -noCentroid */
}

static void an_integration_that_is_named_counts(void **state)
{
    becomes(MODEL STEEL "section Fiber 1 {\npatch rect 1 8 1 -0.15 -0.05 0.15 0.05\n}\n"
                        "element dispBeamColumn 7 1 2 5 1 1 -integration Lobatto\n",
            "formulation: displacement, points: 5, rule: lobatto");
    becomes(MODEL STEEL "section Fiber 1 {\npatch rect 1 8 1 -0.15 -0.05 0.15 0.05\n}\n"
                        "element forceBeamColumn 7 1 2 5 1 1 -integration Legendre\n",
            "formulation: force, points: 5, rule: legendre");
}

static void damping_that_differs_is_said(void **state)
{
#define DAMPED(more)                                                                                                   \
    MODEL STEEL COLUMN "node 3 0 3 -mass 1 1 1\nuniaxialMaterial Elastic 2 1e6\n"                                      \
                       "element zeroLength 8 2 3 -mat 2 2 2 -dir 1 2 6" more "\nrayleigh 0.1 0 0.002 0\n"
    enum yk_status st;
    struct yk_err err = {0};
    char *yaml;

    becomes(DAMPED(""), "also damps 1 trusses and zeroLength elements, in OpenSees only with -doRayleigh 1");
    yaml = import(DAMPED(" -doRayleigh 1"), 1, 1, &st, &err);
    assert_int_equal(st, YK_OK);
    assert_null(strstr(yaml, "also damps"));
    free(yaml);
}

static void what_is_not_known_is_refused_at_its_line(void **state)
{
    static const struct {
        const char *commands;
        int line;
        const char *words;
    } cases[] = {
        {"node 1 0 0\n", 0, "there is no command 'model"},
        {"model basic -ndm 1 -ndf 1\n", 1, "-ndm 1 -ndf 1 is not known here"},
        {"model basic -ndm 2 -ndf 3\n", 0, "there are no nodes"},
        {MODEL "node 2 1 1\n", 6, "two nodes 2"},
        {MODEL "set H 3\n", 6,
         "this command is not known; variables and loops need tools/opensees/yoke_record.tcl: 'set'"},
        {MODEL "node 3 0 $H\n", 6, "a number is expected, not '$H'; variables are not known here: record"},
        {MODEL "node 3 0\n", 6, "too few words after '0'"},
        {MODEL "fix 9 1 1 1\n", 6, "there is no node '9'"},
        {MODEL "uniaxialMaterial Pinching4 1 1 1\n" COLUMN, 6, "Hysteretic, IMKBilin, IMKPeakOriented and IMKPinching are known, not 'Pinching4'"},
        {MODEL "uniaxialMaterial Steel01 1 2e8 2e11 0.1 0.05 1\n" COLUMN, 6, "isotropic hardening"},
        {MODEL "uniaxialMaterial Steel02 1 2e8 2e11 0.1 20 0.9 0.1 0 1 0 1 5e6\n" COLUMN, 6, "an initial stress"},
        {MODEL "uniaxialMaterial Hysteretic 1 1 1 2 2 1 1 2 2 1 1 0 0\n" COLUMN, 6, "the other side: '1'"},
        {WITH("patch tri 1 2 3"), 7, "rect, quad and circ are known, not 'tri'"},
        {WITH("layer circ 1 8 3e-4 0 0 0.2 0 360"), 7, "a full circle puts two bars into one place"},
        {MODEL STEEL "section Uniaxial 1 1 P\n", 7, "Fiber and Elastic are known, not 'Uniaxial'"},
        {MODEL STEEL COLUMN "element quad 8 1 2 3 4\n", 11, "zeroLength are known, not 'quad'"},
        {MODEL STEEL COLUMN "element dispBeamColumn 8 1 2 5 4 1\n", 11, "there is no section 4"},
        {MODEL STEEL COLUMN "element dispBeamColumn 8 1 2 5 1 9\n", 11, "there is no geomTransf 9"},
        {MODEL STEEL COLUMN "element dispBeamColumn 8 1 2 5 1 1 -mass 1 -cMass\n", 11, "consistent masses"},
        {MODEL STEEL COLUMN "element zeroLength 8 1 2 -mat 1 -dir 3\n", 11, "directions are 1, 2 and 6, not '3'"},
        {MODEL STEEL COLUMN "equalDOF 1 2 1\n", 11, "nodes in different places"},
        {MODEL STEEL COLUMN "rayleigh 0.1 0.2 0 0\n", 11, "not by the present: '0.2'"},
        {MODEL "section Fiber 1 {\n", 6, "'{' is not closed"},
        {MODEL "element elasticBeamColumn 7 1 2 0.01 2e11 1e-4 1 -release 3\n", 6, "not known here: '-release'"},
        {MODEL "element zeroLength 7 1 2 -mat 1 -dir 1 -damp 2\n", 6, "not known here: '-damp'"},
        {MODEL "node 3 1 0 -disp 0.1 0 0\n", 6, "not known here: '-disp'"},
        {MODEL "uniaxialMaterial Elastic 1 2e11 0 1e11\n", 6, "more words than are known here, from '1e11'"},
        {MODEL "element elasticBeamColumn 7 1 2 0.01 2e11 1e-4 1 -mass\n", 6, "words are missing after '-mass'"},
        {MODEL "element elasticBeamColumn 7 1 2 0.01 2e11 1e-4 1 -mass 3 4\n", 6, "from '4'"},
        {MODEL STEEL COLUMN "element dispBeamColumn 8 1 2 5 1 1 -integration Radau\n", 11,
         "Lobatto and Legendre are known, not 'Radau'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_err err = {0};
        enum yk_status st;
        char *yaml = import(cases[i].commands, 1, 1, &st, &err);

        if (!st || yaml || err.line != cases[i].line || !strstr(err.wording, cases[i].words))
            fail_msg("case %zu: got '%s', line %d", i, yk_err_line(&err).text, err.line);
    }
}

/* Blanks, ends of lines of other systems, comments and continued lines. */
static void commands_may_be_laid_out_as_in_tcl(void **state)
{
    char *plain = import_valid(MODEL STEEL COLUMN);
    char *other =
        import_valid("# a comment\r\nmodel  BasicBuilder -ndm 2 \\\r\n\t-ndf 3;node 1 0 0;  node 2 0 3 \\\n -mass 20e3 "
                     "20e3 500 ;# the top\n\nfix 1 1 1 1\ngeomTransf Linear 1\n" STEEL
                     "section Fiber 1 {\n # core\n\n patch rect 1 8 1 -0.15 -0.05 \\\n 0.15 0.05 ; }\n"
                     "element \"dispBeamColumn\" {7} 1 2 5 1 1");

    assert_string_equal(plain, other);
    free(plain);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_become_laws),
        cmocka_unit_test(patches_and_layers_keep_their_places),
        cmocka_unit_test(beams_have_their_formulation_rule_and_geometry),
        cmocka_unit_test(springs_ties_damping_and_supports),
        cmocka_unit_test(springs_at_the_ends_of_elastic_beams_become_hinges),
        cmocka_unit_test(frames_in_space_keep_their_axes),
        cmocka_unit_test(units_of_the_commands_become_si),
        cmocka_unit_test(the_axis_of_a_section_is_at_the_centre_of_its_areas),
        cmocka_unit_test(an_integration_that_is_named_counts),
        cmocka_unit_test(damping_that_differs_is_said),
        cmocka_unit_test(what_is_not_known_is_refused_at_its_line),
        cmocka_unit_test(commands_may_be_laid_out_as_in_tcl),
    };
    return cmocka_run_group_tests_name("frames of OpenSees", tests, NULL, NULL);
}
