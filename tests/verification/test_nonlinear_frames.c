/* Frames that yield, from the experiment file to their motion: three storeys and two bays under their weight and a
 * pulse of the ground, with fibre sections or hinges. Expected values: OpenSees 3.8, Newmark's average acceleration
 * with full Newton iteration and the same step; the roof is the node at the top left. */
#include "support/check.h"
#include "support/dofs.h"

#include "state/state.h"
#include "substructure/probe.h"
#include <yoke/inspect.h>

#include <math.h>
#include <stdlib.h>

enum { STOREYS = 3, LINES = 3, ROWS = 12 };
static const double tolerance = 1e-7; /* over the largest value; the printed digits leave 1e-8 */
static const double level[STOREYS + 1] = {0, 3.6, 6.8, 10}, bay = 6, pulse_rows_s = 0.25;

/* ---- the file -------------------------------------------------------------------------------------------------- */

/* A member between two nodes; with a node in the middle it is two elements. */
static void write_member(FILE *out, const char *from, const char *middle, const char *to, const char *rest)
{
    if (middle)
        fprintf(out, "    - {between: [%s, %s, %s], %s}\n", from, middle, to, rest);
    else
        fprintf(out, "    - {between: [%s, %s], %s}\n", from, to, rest);
}

static void write_nodes(FILE *out, bool halves)
{
    fputs("    nodes:\n", out);
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k <= STOREYS; k++) {
            const double mass = i == 1 ? 24000 : 12000;

            if (k == 0)
                fprintf(out, "      %c0: {at: [%g, 0], fixed: all}\n", 'a' + i, bay * i);
            else
                fprintf(out, "      %c%d: {at: [%g, %g], mass: {x: %g, y: %g, rz: 2000}}\n", 'a' + i, k, bay * i,
                        level[k], mass, mass);
            if (halves && k < STOREYS)
                fprintf(out, "      %c%du: {at: [%g, %.17g], mass: {x: 300, y: 300, rz: 50}}\n", 'a' + i, k, bay * i,
                        (level[k] + level[k + 1]) / 2);
            if (halves && k && i + 1 < LINES)
                fprintf(out, "      %c%dr: {at: [%g, %g], mass: {x: 300, y: 300, rz: 50}}\n", 'a' + i, k,
                        bay * (i + 0.5), level[k]);
        }
}

static void write_members(FILE *out, bool halves, const char *base, const char *column, const char *beam)
{
    fputs("    members:\n", out);
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k < STOREYS; k++) {
            const char from[] = {(char)('a' + i), (char)('0' + k), 0}, to[] = {from[0], (char)('1' + k), 0};
            const char up[] = {from[0], from[1], 'u', 0}, right[] = {to[0], to[1], 'r', 0};
            const char next[] = {(char)('b' + i), to[1], 0};

            write_member(out, from, halves ? up : NULL, to, k ? column : base);
            if (i + 1 < LINES)
                write_member(out, to, halves ? right : NULL, next, beam);
        }
}

/* Weight at the floors only, then the pulse. */
static void write_loads(FILE *out)
{
    fputs("loads:\n- {ground: all, influence: {x: 1}, kind: half-sine, amplitude: 4.5, duration: 0.5}\n", out);
    for (int i = 0; i < LINES; i++)
        for (int k = 1; k <= STOREYS; k++)
            fprintf(out, "- {on: f.%c%d.y, kind: constant, amplitude: %.17g, permanent: true}\n", 'a' + i, k,
                    -9.81 * (i == 1 ? 24000 : 12000));
}

/* How the frames differ. */
struct kind {
    const char *parts; /* sections, materials, hinges, damping */
    bool halves;       /* two elements in every member */
    const char *base, *column, *beam;
};

static struct yk_model *build(const struct kind *kind)
{
    struct yk_model *e = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    fprintf(out,
            "time: {step: 2 ms, end: 3}\nmethod: {integrator: newmark-newton}\nsubstructures:\n  f:\n"
            "    kind: frame\n%s",
            kind->parts);
    write_nodes(out, kind->halves);
    write_members(out, kind->halves, kind->base, kind->column, kind->beam);
    write_loads(out);
    fclose(out);
    assert_ok(yk_model_parse(&e, "test.yaml", text, size, NULL, 0, &err));
    free(text);
    return e;
}

/* ---- its motion ------------------------------------------------------------------------------------------------ */

/* Minus the sum of the horizontal reactions, without inertia and damping: the sum of the forces on all other nodes. */
static double base_shear(const struct yk_substructure *s, const double *u, const double *rest, double *r)
{
    double sum = 0;

    yk_structure_restoring(s->system, u, rest, r);
    for (size_t i = 0; i < s->system->n; i++)
        if (strcmp(strrchr(s->dofs[i], '.'), ".x") == 0)
            sum += r[i];
    return sum;
}

/* Roof and base shear after every quarter of a second. */
static void follow(const struct kind *kind, const double rows[ROWS][2])
{
    struct yk_model *e = build(kind);
    const struct yk_substructure *s = &e->substructures[0];
    const size_t n = s->system->n, roof = row_of(s, "a3.x");
    double *u = calloc(5 * n, sizeof *u), *r = u + 3 * n, *rest = r + n, most[2] = {0, 0};
    const long steps = lround(pulse_rows_s / e->time.step);
    struct yk_state motion;

    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < 2; k++)
            most[k] = fmax(most[k], fabs(rows[i][k]));
    assert_ok(yk_state_open(&motion, e, 0, &err));
    assert_int_equal(yk_state_start(&motion), YK_OK);
    for (long i = 1; i <= e->steps; i++) {
        const double *row = i % steps == 0 ? rows[i / steps - 1] : NULL;

        assert_int_equal(yk_state_step(&motion), YK_OK);
        yk_state_now(&motion, 0, u, u + n, u + 2 * n);
        if (row) {
            assert_near(u[roof], row[0], tolerance * most[0]);
            assert_near(base_shear(&motion.substructures[0], u, rest, r), row[1], tolerance * most[1]);
        }
    }
    yk_state_close(&motion);
    yk_model_close(e);
    free(u);
}

/* ---- hinges ---------------------------------------------------------------------------------------------------- */

#define HINGED(hinges)                                                                                                 \
    {                                                                                                                  \
        .parts =                                                                                                       \
            "    sections: {column: {E: 1, A: 3e9, Iz: 53e6}, beam: {E: 1, A: 1.5e9, Iz: 34e6}}\n    hinges:\n" hinges \
            "    rayleigh: {mass: 0.5}\n",                                                                             \
        .base = "section: column, geometry: p-delta, hinges: {start: {rz: foot}}",                                     \
        .column = "section: column, geometry: p-delta",                                                                \
        .beam = "section: beam, hinges: {start: {rz: joint}, end: {rz: joint}}"                                        \
    }

static void frames_with_bilinear_hinges_follow_the_reference(void **state)
{
    static const double rows[ROWS][2] = {
        {-0.063842034, -444762.96}, {-0.17706345, -722623.37},  {-0.033946465, 67110.199}, {0.040507002, 424776.04},
        {-0.087652596, -260805.02}, {-0.086107884, -246314.53}, {0.026151259, 371163.93},  {-0.032357585, 61148.342},
        {-0.1017049, -316340.78},   {-0.014827853, 151426.92},  {0.0021373355, 241161.29}, {-0.083200791, -225960.75},
    };
    static const struct kind kind =
        HINGED("      foot: {kind: bilinear, stiffness: 530e6, yield_slip: 9.4339622641509434e-4, hardening: 0.02}\n"
               "      joint: {kind: bilinear, stiffness: 340e6, yield_slip: 8.5294117647058823e-4, hardening: 0.02}\n");

    follow(&kind, rows);
}

static void frames_with_pinching_hinges_follow_the_reference(void **state)
{
    static const double rows[ROWS][2] = {
        {-0.06384203416, -444762.9569}, {-0.1789262223, -688031.2039},   {-0.05206391297, -52099.78351},
        {0.0709444443, 322743.7384},    {-0.006782336086, -57972.16769}, {-0.09981222592, -303726.9026},
        {-0.05966508411, -86189.35976}, {0.0008610164292, 143254.79},    {-0.006386207023, 73218.97001},
        {-0.04564161667, -59559.57027}, {-0.04405261975, -16275.12963},  {-0.02413567437, 63500.19756}};
    static const struct kind kind =
        HINGED("      foot: {kind: pinching, positive: [[500 kN m, 9.4339622641509434e-4], [600 kN m, 0.02], "
               "[300 kN m, 0.08]], negative: mirror, px: 0.7, py: 0.3}\n"
               "      joint: {kind: pinching, positive: [[290 kN m, 8.5294117647058823e-4], [350 kN m, 0.02], "
               "[150 kN m, 0.08]], negative: mirror, px: 0.7, py: 0.3}\n");

    follow(&kind, rows);
}

/* ---- fibres ---------------------------------------------------------------------------------------------------- */

#define FIBRES(of)                                                                                                     \
    "    materials: {m: {kind: steel, E: 210 GPa, fy: 275 MPa, hardening: 0.01, R0: 20, cR1: 0.925, cR2: 0.15}}\n"     \
    "    sections:\n"                                                                                                  \
    "      column:\n        fibres:\n"                                                                                 \
    "        - {patch: rectangle, material: m, from: [131 mm, -150 mm], to: [150 mm, 150 mm], divide: [2, 1]}\n"       \
    "        - {patch: rectangle, material: m, from: [-131 mm, -5.5 mm], to: [131 mm, 5.5 mm], divide: [8, 1]}\n"      \
    "        - {patch: rectangle, material: m, from: [-150 mm, -150 mm], to: [-131 mm, 150 mm], divide: [2, 1]}\n"     \
    "      beam:\n        fibres:\n"                                                                                   \
    "        - {patch: rectangle, material: m, from: [167.3 mm, -85 mm], to: [180 mm, 85 mm], divide: [2, 1]}\n"       \
    "        - {patch: rectangle, material: m, from: [-167.3 mm, -4 mm], to: [167.3 mm, 4 mm], divide: [8, 1]}\n"      \
    "        - {patch: rectangle, material: m, from: [-180 mm, -85 mm], to: [-167.3 mm, 85 mm], divide: [2, 1]}\n"     \
    "    rayleigh: {mass: 0.25, stiffness: 2 ms, stiffness_of: " of "}\n"
#define BY_DISPLACEMENT(of)                                                                                            \
    {                                                                                                                  \
        .parts = FIBRES(of), .halves = true, .base = "section: column, geometry: p-delta",                             \
        .column = "section: column, geometry: p-delta", .beam = "section: beam"                                        \
    }
#define BY_FORCE(of)                                                                                                   \
    {                                                                                                                  \
        .parts = FIBRES(of), .base = "section: column, geometry: p-delta, formulation: force",                         \
        .column = "section: column, geometry: p-delta, formulation: force",                                            \
        .beam = "section: beam, formulation: force"                                                                    \
    }

static void displacement_based_elements_with_damping_by_initial_stiffness_follow_the_reference(void **state)
{
    static const double rows[ROWS][2] = {
        {-0.06422617868, -467563.0719}, {-0.1794800439, -726019.8392},  {-0.03283360822, 63743.67849},
        {0.06290191094, 438450.2741},   {-0.05669944342, -206911.5884}, {-0.08440981872, -316903.58},
        {0.02467815873, 281023.0401},   {-0.003685112242, 111513.6616}, {-0.08361220934, -318616.3377},
        {-0.02012895909, 40116.20035},  {0.01742881687, 246737.587},    {-0.05836893196, -173582.5486}};
    static const struct kind kind = BY_DISPLACEMENT("initial");

    follow(&kind, rows);
}

static void displacement_based_elements_with_damping_by_committed_stiffness_follow_the_reference(void **state)
{
    static const double rows[ROWS][2] = {
        {-0.06423642452, -468125.3061}, {-0.1804330886, -729638.8233},  {-0.03533227752, 57278.90689},
        {0.06316233848, 437184.7753},   {-0.05542608005, -203562.6016}, {-0.08636810949, -327672.6658},
        {0.02318004781, 274636.3507},   {-0.002394577999, 118987.9336}, {-0.08406410159, -320062.745},
        {-0.02237521082, 29464.51356},  {0.01766629812, 250158.3604},   {-0.05780951172, -168371.0855}};
    static const struct kind kind = BY_DISPLACEMENT("committed");

    follow(&kind, rows);
}

static void force_based_elements_with_damping_by_initial_stiffness_follow_the_reference(void **state)
{
    static const double rows[ROWS][2] = {
        {-0.06391691716, -456960.4077}, {-0.1888879153, -620812.5276}, {-0.08922482236, -54977.219},
        {0.01176994098, 356605.118},    {-0.0742982478, -111537.2511}, {-0.1133914424, -291985.597},
        {-0.02391799718, 190535.634},   {-0.03194915457, 127610.5596}, {-0.1012978153, -242909.2},
        {-0.05855475278, -1334.637884}, {-0.02039759026, 202151.2815}, {-0.07708718419, -110840.6282}};
    static const struct kind kind = BY_FORCE("initial");

    follow(&kind, rows);
}

static void force_based_elements_with_damping_by_committed_stiffness_follow_the_reference(void **state)
{
    static const double rows[ROWS][2] = {
        {-0.06392707392, -457017.0329}, {-0.1901818032, -625859.577},  {-0.09346659094, -71609.81351},
        {0.009935438249, 351032.784},   {-0.07433067835, -106334.803}, {-0.1165421842, -302038.8996},
        {-0.02718553096, 181323.0684},  {-0.03219960666, 133891.7911}, {-0.1027751018, -242656.7673},
        {-0.06216714512, -11938.85235}, {-0.02174596271, 204183.4937}, {-0.07770991663, -104443.2116}};
    static const struct kind kind = BY_FORCE("committed");

    follow(&kind, rows);
}

/* ---- modes ----------------------------------------------------------------------------------------------------- */

/* The tangent after the weight was applied has what it adds to the stiffness of the columns. */
static void modes_are_those_under_the_weight(void **state)
{
    static const struct {
        struct kind kind;
        double period[3];
    } cases[] = {{BY_DISPLACEMENT("initial"), {0.844692, 0.241918, 0.122519}},
                 {BY_FORCE("initial"), {0.834078, 0.239055, 0.121305}}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e = build(&cases[i].kind);
        struct yk_inspection x;

        assert_ok(yk_inspect(&x, &e->substructures[0], 3, &err));
        for (int k = 0; k < 3; k++)
            assert_near(1 / x.frequency_Hz[k], cases[i].period[k], 6e-7); /* their last digit */
        yk_inspection_free(&x);
        yk_model_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_with_bilinear_hinges_follow_the_reference),
        cmocka_unit_test(frames_with_pinching_hinges_follow_the_reference),
        cmocka_unit_test(displacement_based_elements_with_damping_by_initial_stiffness_follow_the_reference),
        cmocka_unit_test(displacement_based_elements_with_damping_by_committed_stiffness_follow_the_reference),
        cmocka_unit_test(force_based_elements_with_damping_by_initial_stiffness_follow_the_reference),
        cmocka_unit_test(force_based_elements_with_damping_by_committed_stiffness_follow_the_reference),
        cmocka_unit_test(modes_are_those_under_the_weight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
