/* Frames in the experiment file: what its words make of it, ground motion, laws beside beams, and permanent loads.
 * Expected values are closed forms. */
#include "support/check.h"
#include "support/dofs.h"

#include "state/state.h"
#include "substructure/member/placed.h"
#include "substructure/probe.h"

#include <math.h>
#include <stdlib.h>

#define HEAD    "time: {step: 1 ms, end: 0.1}\nmethod: {integrator: newmark}\nsubstructures:\n"
#define SECTION "sections: {s: {E: 200 GPa, A: 20 cm2, Iz: 400 cm4, density: 7850 kg/m3}}"
/* a cantilever of 2 m along x */
#define CANTILEVER(more)                                                                                               \
    "  f:\n    kind: frame\n    " SECTION "\n    nodes: {a: {at: [0, 0], fixed: all}, b: [2, 0]}\n"                    \
    "    members: [{between: [a, b], section: s, divide: 8}]\n" more
#define WEIGHT "loads: [{ground: all, influence: {y: 1}, kind: constant, amplitude: 1 g, permanent: true}]\n"

static const double E = 200e9, I = 400e-8, A = 20e-4, rho = 7850, L = 2, g = 9.80665;

static struct yk_model *parse(const char *text)
{
    struct yk_model *e;

    assert_ok(yk_model_parse(&e, "test.yaml", text, strlen(text), NULL, 0, &err));
    return e;
}

static long find(const struct yk_substructure *s, const char *dof)
{
    for (size_t i = 0; i < s->system->n; i++)
        if (strcmp(s->dofs[i], dof) == 0)
            return (long)i;
    return -1;
}

/* ---- words ----------------------------------------------------------------------------------------------------- */

static void nodes_and_members_name_the_degrees_of_freedom(void **state)
{
    struct yk_model *e =
        parse(HEAD "  f:\n    kind: frame\n    " SECTION "\n    fixed: [x]\n"
                   "    nodes: {a: {at: [0, 0], fixed: [y]}, b: [2, 0], c: {at: [4, 0], mass: {rz: 3}}}\n"
                   "    members:\n    - {between: [a, b, c], section: s, divide: 2, name: deck}\n"
                   "    - {between: [b, c], section: s, divide: 2}\n");
    static const char *const names[] = {"a.rz",        "b.y",        "b.rz",        "c.y",     "c.rz",    "deck-a-1.y",
                                        "deck-a-1.rz", "deck-b-1.y", "deck-b-1.rz", "b-c-1.y", "b-c-1.rz"};
    const struct yk_substructure *s = &e->substructures[0];

    assert_int_equal(s->system->n, sizeof names / sizeof *names);
    for (size_t i = 0; i < s->system->n; i++)
        assert_string_equal(s->dofs[i], names[i]);
    yk_model_close(e);
}

/* A bilinear law and a spring at the tip of a cantilever: initial tangent 3EI/L^3 + both. */
static void laws_act_beside_beams(void **state)
{
    struct yk_model *e =
        parse(HEAD "  f:\n    kind: frame\n    " SECTION "\n    nodes: {a: {at: [0, 0], fixed: all}, b: [2, 0]}\n"
                   "    members: [{between: [a, b], section: s}]\n    elements:\n"
                   "    - {kind: bilinear, between: [ground, b.y], stiffness: 3e5, hardening: 0.1, yield_slip: 1 mm}\n"
                   "    - {kind: spring, between: [a.y, b.y], stiffness: 2e5}\n");
    const struct yk_system *s = e->substructures[0].system;
    const size_t y = row_of(&e->substructures[0], "b.y"), rz = row_of(&e->substructures[0], "b.rz");
    const double k = yk_matrix_get(&s->K, y, y), c = yk_matrix_get(&s->K, y, rz), r = yk_matrix_get(&s->K, rz, rz);

    assert_false(s->linear);
    assert_near_relative(k - c * c / r, 3 * E * I / (L * L * L) + 5e5, 1e-12);
    yk_model_close(e);
}

/* Rigid diaphragm of a frame in space: both column heads sway alike, each turns by itself. */
static void links_tie_the_directions_they_name(void **state)
{
    struct yk_model *e =
        parse(HEAD "  f:\n    kind: frame\n"
                   "    sections: {s: {E: 30e9, A: 0.09, Iy: 6.75e-4, Iz: 6.75e-4, J: 1.1e-3, density: 2500}}\n"
                   "    nodes:\n      a: {at: [0, 0, 0], fixed: all}\n      b: {at: [4, 0, 0], fixed: all}\n"
                   "      c: [0, 0, 3]\n      d: [4, 0, 3]\n"
                   "    members:\n    - {between: [a, c], section: s}\n    - {between: [b, d], section: s}\n"
                   "    links: [{master: c, slaves: [d], dofs: [x, y, rz]}]\n");
    const struct yk_substructure *s = &e->substructures[0];
    const size_t x = row_of(s, "c.x"), y = row_of(s, "c.y"), rz = row_of(s, "c.rz");
    const double sway = 12 * 30e9 * 6.75e-4 / 27, twist = 30e9 / 2.6 * 1.1e-3 / 3;

    assert_int_equal(s->system->n, 9);
    assert_true(find(s, "d.x") < 0 && find(s, "d.z") >= 0);
    assert_near_relative(yk_matrix_get(&s->system->K, x, x), 2 * sway, 1e-12);
    assert_near_relative(yk_matrix_get(&s->system->K, y, rz), 4 * sway, 1e-12); /* d.y = c.y + 4 c.rz */
    assert_near_relative(yk_matrix_get(&s->system->K, rz, rz), 2 * twist + 16 * sway, 1e-12);
    yk_model_close(e);
}

/* A spring 0.5 m above the tip of a cantilever, on a rigid arm of two links: it pulls at the tip and turns it. A second
 * one lies between two points of the arm, a third turns it. */
static void elements_pull_at_rigid_arms(void **state)
{
    struct yk_model *e =
        parse(HEAD "  f:\n    kind: frame\n    " SECTION
                   "\n    nodes: {a: {at: [0, 0], fixed: all}, b: [2, 0], c: [2, 0.2], d: [2, 0.5]}\n"
                   "    members: [{between: [a, b], section: s}]\n"
                   "    links: [{master: b, slaves: [c]}, {master: c, slaves: [d]}]\n    elements:\n"
                   "    - {kind: bilinear, between: [ground, d.x], stiffness: 3e5, hardening: 0.1, yield_slip: 1 mm}\n"
                   "    - {kind: spring, between: [c.x, d.x], stiffness: 1e5}\n"
                   "    - {kind: spring, between: [ground, c.rz], stiffness: 7e3}\n");
    const struct yk_system *s = e->substructures[0].system;
    const size_t x = row_of(&e->substructures[0], "b.x"), rz = row_of(&e->substructures[0], "b.rz");

    assert_int_equal(s->n, 3);
    assert_near_relative(yk_matrix_get(&s->K, x, x), E * A / L + 3e5, 1e-12);
    assert_near_relative(yk_matrix_get(&s->K, x, rz), -0.5 * 3e5, 1e-12);
    assert_near_relative(yk_matrix_get(&s->K, rz, rz), 4 * E * I / L + 0.25 * 3e5 + 0.09 * 1e5 + 7e3, 1e-12);
    yk_model_close(e);
}

/* ---- ground ---------------------------------------------------------------------------------------------------- */

/* A cantilever of one element: -(M b) of the free beam, m/420 (156 + 54) across at the tip. */
static void ground_motion_acts_through_the_supports(void **state)
{
    struct yk_model *e =
        parse(HEAD "  f:\n    kind: frame\n    " SECTION "\n    nodes: {a: {at: [0, 0], fixed: all}, b: [2, 0]}\n"
                   "    members: [{between: [a, b], section: s}]\n"
                   "loads: [{ground: f, influence: {y: 2, x: 1}, kind: constant, amplitude: 1}]\n");
    const struct yk_substructure *s = &e->substructures[0];
    const double m = rho * A * L;

    assert_near_relative(e->loads[0].direction[row_of(s, "b.y")], -2 * m / 420 * (156 + 54), 1e-12);
    assert_near_relative(e->loads[0].direction[row_of(s, "b.rz")], 2 * m * L / 420 * (22 + 13), 1e-12);
    assert_near_relative(e->loads[0].direction[row_of(s, "b.x")], -m / 2, 1e-12);
    yk_model_close(e);
}

/* ---- permanent loads ------------------------------------------------------------------------------------------- */

/* Deflection at the start, and largest velocity in the run that follows. */
static double start_and_rest(struct yk_model *e, size_t k, const char *dof)
{
    const struct yk_substructure *s = &e->substructures[k];
    const double start = s->system->u0[row_of(s, dof)];
    double *now = calloc(3 * s->system->n, sizeof *now);
    struct yk_state motion;

    assert_ok(yk_state_open(&motion, e, 0, &err));
    assert_int_equal(yk_state_start(&motion), YK_OK);
    for (long i = 0; i < e->steps; i++)
        assert_int_equal(yk_state_step(&motion), YK_OK);
    yk_state_now(&motion, k, now, now + s->system->n, now + 2 * s->system->n);
    assert_near(now[row_of(s, dof)], start, 1e-9 * fabs(start));
    yk_state_close(&motion);
    yk_model_close(e);
    free(now);
    return start;
}

/* Weight of a cantilever: q L^4 / (8 E I). Its nodes are exact under a consistent load. */
static void beams_start_in_equilibrium_with_their_weight(void **state)
{
    assert_near_relative(start_and_rest(parse(HEAD CANTILEVER("") WEIGHT), 0, "b.y"),
                         -rho * A * g * pow(L, 4) / (8 * E * I), 1e-8);
}

/* Two halves of a beam with clamped ends, coupled in the middle: q L^4 / (384 E I), L = 4 m. */
static void coupled_structures_start_in_equilibrium(void **state)
{
    static const char text[] =
        "time: {step: 1 ms, end: 0.1, substeps: 5}\nmethod: {coupling: gc}\nsubstructures:\n" CANTILEVER(
            "") "  h:\n    kind: frame\n    rate: fine\n    " SECTION
                "\n    nodes: {a: {at: [4, 0], fixed: all}, b: [2, 0]}\n"
                "    members: [{between: [a, b], section: s, divide: 8}]\n"
                "interfaces: [{join: [f.b.y, h.b.y]}, {join: [f.b.rz, h.b.rz]}]\n" WEIGHT;

    assert_near_relative(start_and_rest(parse(text), 1, "b.y"), -rho * A * g * 256 / (384 * E * I), 1e-8);
}

/* k u + c u^3 = m g on one mass, which also stands off by what `initial` says. */
static void nonlinear_structures_start_in_equilibrium(void **state)
{
    static const char text[] = HEAD "  m:\n    kind: assembled\n    nodes: {n: {dofs: [y], mass: 10}}\n    elements:\n"
                                    "    - {kind: cubic-spring, between: [ground, n.y], stiffness: 1000, cubic: 1e6}\n"
                                    "    %s\n" WEIGHT;
    char rest[1024], off[1024];
    struct yk_model *e;
    double u;

    snprintf(rest, sizeof rest, text, "");
    snprintf(off, sizeof off, text, "initial: {displacement: {n.y: 1 mm}}");
    u = start_and_rest(parse(rest), 0, "n.y");
    assert_near(1000 * u + 1e6 * u * u * u, -10 * g, 1e-7);
    e = parse(off);
    assert_near_relative(e->substructures[0].system->u0[0], u + 1e-3, 1e-9);
    assert_near_relative(yk_matrix_get(&e->substructures[0].system->K, 0, 0), 1000 + 3e6 * pow(u + 1e-3, 2), 1e-9);
    yk_model_close(e);
}

/* A column of 3 m and 100 cm2 of bilinear fibres, pulled by N: fy = 200 MPa at a strain of 0.001. */
#define COLUMN(law, pull)                                                                                              \
    HEAD "  f:\n    kind: frame\n    materials: {m: " law                                                              \
         "}\n    sections: {s: {fibres: [{patch: rectangle, material: m, "                                             \
         "from: [-0.05, -0.05], to: [0.05, 0.05], divide: [4, 1]}]}}\n"                                                \
         "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [0, 3], mass: {x: 1 t, y: 1 t, rz: 10}}}\n"                 \
         "    members: [{between: [a, b], section: s, formulation: force}]\n"                                          \
         "loads: [{on: f.b.y, kind: constant, amplitude: " pull ", permanent: true}]\n"
#define HARDENING "{kind: bilinear, stiffness: 200 GPa, yield_slip: 0.001, hardening: 0.05}"
#define PERFECT   "{kind: elastoplastic, stiffness: 200 GPa, yield_positive: 0.001}"

/* Beyond yield the strain is 0.001 + (N/A - fy)/(0.05 E), and the fibres remember it: what is left of the stiffness is
 * the hardening, and unloading would be elastic. */
static void columns_carry_permanent_loads_in_their_fibres(void **state)
{
    struct yk_model *e = parse(COLUMN(HARDENING, "3 MN"));
    double part;

    assert_string_equal(yk_structure_softest(e->substructures[0].system, &part), "a-b");
    assert_near(part, 0.05, 1e-9);
    assert_near_relative(start_and_rest(e, 0, "b.y"), 3 * (0.001 + 100e6 / (0.05 * 200e9)), 1e-9);

    e = parse(COLUMN(HARDENING, "1 MN"));
    yk_structure_softest(e->substructures[0].system, &part);
    assert_near(part, 1, 1e-9);
    assert_near_relative(start_and_rest(e, 0, "b.y"), 3 * 100e6 / 200e9, 1e-9);
}

/* A portal of 6 m by 4 m with hinges that yield at 65 and 55 kN m under its loads: full steps of Newton's method go in
 * circles between their branches. Expected: its forces are the loads. */
static void portals_carry_permanent_loads_in_their_hinges(void **state)
{
    struct yk_model *e =
        parse(HEAD "  f:\n    kind: frame\n    sections: {s: {E: 200 GPa, A: 0.011, Iz: 2e-4}}\n    hinges:\n"
                   "      c: {kind: bilinear, stiffness: 1000 MN m/rad, yield_slip: 6.45924e-05, hardening: 0.001}\n"
                   "      b: {kind: bilinear, stiffness: 1000 MN m/rad, yield_slip: 5.52124e-05, hardening: 0.0005}\n"
                   "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [0, 4], mass: {x: 1 t, y: 1 t, rz: 100}},\n"
                   "      c: {at: [3, 4], mass: {x: 1 t, y: 1 t, rz: 100}}, e: {at: [6, 0], fixed: all},\n"
                   "      d: {at: [6, 4], mass: {x: 1 t, y: 1 t, rz: 100}}}\n    members:\n"
                   "    - {between: [a, b], section: s, hinges: {start: {rz: c}, end: {rz: c}}}\n"
                   "    - {between: [e, d], section: s, hinges: {start: {rz: c}, end: {rz: c}}}\n"
                   "    - {between: [b, c, d], section: s, hinges: {start: {rz: b}, end: {rz: b}}}\n"
                   "loads:\n- {on: f.c.y, kind: constant, amplitude: -410.6 kN, permanent: true}\n"
                   "- {on: f.b.x, kind: constant, amplitude: 90.94 kN, permanent: true}\n");
    const struct yk_substructure *s = &e->substructures[0];
    double rest[9] = {0}, r[9];

    assert_int_equal(s->system->n, 9);
    yk_structure_restoring(s->system, s->system->u0, rest, r);
    for (long i = 0; i < 9; i++)
        assert_near(r[i], i == find(s, "c.y") ? -410.6e3 : i == find(s, "b.x") ? 90.94e3 : 0, 1e-3);
    yk_model_close(e);
}

/* A cantilever of 4 m, EI = 20 MN m2, in one element: P-Delta alone buckles at P = 3 EI/h2 = 3.75 MN. */
#define BUCKLING(push)                                                                                                 \
    HEAD "  f:\n    kind: frame\n    sections: {s: {E: 200 GPa, A: 0.01 m2, Iz: 1e-4 m4}}\n"                           \
         "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [0, 4], mass: {x: 10 t, y: 10 t, rz: 100}}}\n"              \
         "    members: [{between: [a, b], section: s, geometry: p-delta}]\n"                                           \
         "loads: [{on: f.b.y, kind: constant, amplitude: -" push ", permanent: true}]\n"

static void columns_stand_up_to_their_buckling_load(void **state)
{
    struct yk_model *e = parse(BUCKLING("3.74 MN"));

    assert_near_relative(start_and_rest(e, 0, "b.y"), -3.74e6 * 4 / (200e9 * 0.01), 1e-9);
}

static void structures_that_cannot_stand_are_refused(void **state)
{
    static const struct {
        const char *text;
        enum yk_status status;
        const char *words;
    } rows[] = {
        {HEAD "  f:\n    kind: frame\n    " SECTION "\n    nodes: {a: {at: [0, 0], fixed: [x, y]}, b: [2, 0]}\n"
              "    members: [{between: [a, b], section: s, divide: 2}]\n" WEIGHT,
         YK_E_SINGULAR, "free to move, most of all at f.b.y; a support is missing, or hinges make it a mechanism"},
        {HEAD
         "  f:\n    kind: frame\n    " SECTION
         "\n    nodes: {a: {at: [0, 0], fixed: [x, y]}, b: [2, 0], c: {at: [4, 0], fixed: [x, y]}}\n"
         "    members: [{between: [a, b], section: s, release: {end: [rz]}}, {between: [b, c], section: s}]\n" WEIGHT,
         YK_E_SINGULAR, "free to move, most of all at f.b.y; a support is missing, or hinges make it a mechanism"},
        {HEAD "  m:\n    kind: assembled\n    nodes: {n: {dofs: [y], mass: 10}}\n    elements:\n"
              "    - {kind: bilinear, between: [ground, n.y], stiffness: 1e3, yield_slip: 1 mm}\n" WEIGHT,
         YK_E_INPUT, "laws with memory do not carry permanent loads"},
        {HEAD "  p: {kind: spring-pendulum, platform_mass: 11, platform_stiffness: 1e3, mass: 0.3, stiffness: 400, "
              "length: 0.2}\nloads: [{on: p.theta, kind: constant, amplitude: 1, permanent: true}]\n",
         YK_E_UNSUPPORTED, "a permanent load needs models of matrices and elements; 'p' is none"},
        {"time: {step: 1 ms, end: 0.1, control_rate: 1 kHz}\nmethod: {integrator: chang}\nsubstructures:\n" CANTILEVER(
             "") "  s: {role: physical, dofs: [y], actuators: {y: a1}, estimate: {stiffness: [1e3]}}\n"
                 "interfaces: [{row: {f.b.y: 1, f.b.rz: 1, s.y: -1}}]\n"
                 "transfer: {a1: {}}\n"
                 "rig: {backend: virtual, actuators: {a1: {plant: {kind: ideal}}},\n"
                 "      specimen: {dofs: [y], mass: [0], stiffness: [1e3]}}\n"
                 "loads: [{on: f.b.y, kind: constant, amplitude: 1, permanent: true}]\n",
         YK_E_UNSUPPORTED, "each row may join one degree of freedom of a model with it; 2 stand here"},
        {COLUMN(PERFECT, "3.1 MN"), YK_E_INPUT, "member a-b cannot carry 70 % of the permanent loads"},
        {BUCKLING("3.76 MN"), YK_E_INPUT, "the structure buckles at 100 % of the permanent loads or before"},
        {BUCKLING("20 MN"), YK_E_INPUT,
         "buckles at 20 % of the permanent loads or before: its stiffness is negative "
         "there, most of all at f.b.x"},
        {HEAD CANTILEVER("") "loads: [{on: f.b.y, kind: constant, amplitude: 1, permanent: maybe}]\n", YK_E_INPUT,
         "permanent = 'maybe' is neither true nor false"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct yk_model *e;

        assert_refused(yk_model_parse(&e, "test.yaml", rows[i].text, strlen(rows[i].text), NULL, 0, &err),
                       rows[i].status, rows[i].words);
    }
}

/* 2,500 Duffing springs in a row, pulled at the end: k d + c d^3 = F in each of them. */
static void a_long_nonlinear_chain_starts_in_equilibrium(void **state)
{
    enum { SPRINGS = 2500 };
    const double k = 1e8, c = 1e12, F = 1e5;
    struct yk_model *e;
    double d = F / k;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, HEAD "  c:\n    kind: assembled\n    nodes:\n");
    for (int i = 1; i <= SPRINGS; i++)
        fprintf(out, "      n%d: {mass: 1 t}\n", i);
    fprintf(out, "    elements:\n    - {kind: cubic-spring, between: [ground, n1.x], stiffness: 1e8, cubic: 1e12}\n");
    for (int i = 2; i <= SPRINGS; i++)
        fprintf(out, "    - {kind: cubic-spring, between: [n%d.x, n%d.x], stiffness: 1e8, cubic: 1e12}\n", i - 1, i);
    fprintf(out, "loads: [{on: c.n%d.x, kind: constant, amplitude: 1e5, permanent: true}]\n", SPRINGS);
    assert_int_equal(fclose(out), 0);
    e = parse(text);
    for (int round = 0; round < 20; round++)
        d -= (k * d + c * d * d * d - F) / (k + 3 * c * d * d);
    assert_near_relative(e->substructures[0].system->u0[SPRINGS - 1], SPRINGS * d, 1e-10);
    yk_model_close(e);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_members_name_the_degrees_of_freedom),
        cmocka_unit_test(laws_act_beside_beams),
        cmocka_unit_test(links_tie_the_directions_they_name),
        cmocka_unit_test(elements_pull_at_rigid_arms),
        cmocka_unit_test(ground_motion_acts_through_the_supports),
        cmocka_unit_test(beams_start_in_equilibrium_with_their_weight),
        cmocka_unit_test(coupled_structures_start_in_equilibrium),
        cmocka_unit_test(nonlinear_structures_start_in_equilibrium),
        cmocka_unit_test(a_long_nonlinear_chain_starts_in_equilibrium),
        cmocka_unit_test(columns_carry_permanent_loads_in_their_fibres),
        cmocka_unit_test(portals_carry_permanent_loads_in_their_hinges),
        cmocka_unit_test(columns_stand_up_to_their_buckling_load),
        cmocka_unit_test(structures_that_cannot_stand_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
