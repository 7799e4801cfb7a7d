/* Elastic members between hinges, condensed. Expected values: a frame with explicit springs between extra nodes, and
 * OpenSees 3.8.0 for the portal. */
#include "support/check.h"
#include "support/laws.h"
#include "support/member_frame.h"

#include "substructure/member/elastic.h"
#include "substructure/member/hinged.h"

#include <math.h>
#include <stdlib.h>

enum { X, Y, Z, RX, RY, RZ, DOFS };

/* ---- the portal ------------------------------------------------------------------------------------------------- */

/* Span 6 m, height 3.5 m, fixed bases, hinges at all ends of members; nodes: bases 0 and 1, top 2 and 3. */
struct portal {
    struct member_frame *frame;
    struct law_bench column, beam; /* the hinges */
};

static const double portal_nodes[4][3] = {{0, 0, 0}, {6, 0, 0}, {0, 3.5, 0}, {6, 3.5, 0}};

static struct yk_beam portal_beam(size_t from, size_t to, double EA, double EI)
{
    struct yk_beam beam = {.section = {.E = 1e9, .A = EA / 1e9, .Iz = EI / 1e9}, .plane = true};

    memcpy(beam.ends[0], portal_nodes[from], sizeof beam.ends[0]);
    memcpy(beam.ends[1], portal_nodes[to], sizeof beam.ends[1]);
    return beam;
}

static void portal_member(struct member_frame *frame, size_t from, size_t to, double EA, double EI,
                          const struct law_bench *hinge, enum yk_geometry geometry)
{
    const struct yk_beam beam = portal_beam(from, to, EA, EI);
    const struct yk_hinge end = {hinge->ops, hinge->settings.bytes, 0, 0};
    struct yk_hinge hinges[2][2] = {{end}, {end}};
    struct yk_member m;

    assert_ok(yk_member_init(&m, &beam, geometry, false, &err));
    assert_ok(yk_hinged_basic(&m.basic, &beam, hinges, &err));
    frame_add(frame, m, from, to);
}

static struct portal portal_create(enum yk_geometry geometry)
{
    struct portal p = {frame_create(4, true), law_bilinear(300e6, 0.02, 260e3), law_bilinear(400e6, 0.01, 180e3)};

    portal_member(p.frame, 0, 2, 2.2e9, 40e6, &p.column, geometry);
    portal_member(p.frame, 1, 3, 2.2e9, 40e6, &p.column, geometry);
    portal_member(p.frame, 2, 3, 2.4e9, 55e6, &p.beam, YK_GEOMETRY_LINEAR);
    frame_hold(p.frame, 0, 0x3f);
    frame_hold(p.frame, 1, 0x3f);
    p.frame->load[2 * DOFS + Y] = p.frame->load[3 * DOFS + Y] = -600e3;
    frame_step(p.frame, 1e-6);
    return p;
}

static void portal_destroy(struct portal *p)
{
    frame_destroy(p->frame);
}

enum { PORTAL_COLUMNS = 12, PORTAL_ROWS = 94 };

/* A row of the reference. Its hinge at a first end counts inner end less joint, as a spring between the two nodes does.
 */
static void portal_row(const struct portal *p, double row[PORTAL_COLUMNS])
{
    static const size_t member[4] = {0, 0, 2, 2}, end[4] = {0, 1, 0, 1};
    const struct member_frame *f = p->frame;

    row[0] = f->u[2 * DOFS + X];
    row[1] = f->f[2 * DOFS + X];
    row[2] = f->u[2 * DOFS + RZ];
    row[3] = f->u[3 * DOFS + X];
    for (size_t i = 0; i < 4; i++) {
        const struct yk_member *m = &f->member[member[i]];
        const double *memory = yk_member_basic_memory(m, f->memory[member[i]][0]);
        const double sign = end[i] ? 1 : -1;

        yk_hinged_basic_look(&m->basic, memory, end[i], YK_HINGE_RZ, &row[4 + 2 * i], &row[5 + 2 * i]);
        row[4 + 2 * i] *= sign;
        row[5 + 2 * i] *= sign;
    }
}

/* The left top node is displaced; `rows` gets one row per step. */
static void portal_push(struct portal *p, double rows[PORTAL_ROWS][PORTAL_COLUMNS])
{
    static const double peak[] = {0.02, -0.02, 0.05, 0.01, 0.03, -0.06, 0.10, 0};
    static const int steps[] = {8, 10, 14, 6, 4, 18, 24, 10};
    double from = 0;
    size_t row = 0;

    frame_hold(p->frame, 2, 1u << X);
    for (size_t leg = 0; leg < 8; from = peak[leg++])
        for (int i = 1; i <= steps[leg]; i++) {
            p->frame->u[2 * DOFS + X] = from + (peak[leg] - from) * i / steps[leg];
            frame_step(p->frame, 1e-6);
            assert_false(p->frame->bounded);
            portal_row(p, rows[row++]);
        }
}

static void portal_with_hinges_is_that_of_the_reference(void **state)
{
    static double rows[PORTAL_ROWS][PORTAL_COLUMNS];
    static const size_t at[5] = {7, 31, 59, 83, 93};
    static const double shear[3][5] = {{244980.8758, 294491.5860, -309102.8538, 367259.0497, -221724.1224},
                                       {238235.7410, 277431.9475, -288602.5031, 333084.0634, -221772.7196},
                                       {238376.2230, 277559.2831, -288748.8258, 333362.2593, -221843.4625}};

    for (int geometry = 0; geometry < 3; geometry++) {
        struct portal p = portal_create(geometry);

        portal_push(&p, rows);
        for (int i = 0; i < 5; i++)
            assert_near_relative(rows[at[i]][1], shear[geometry][i], 1e-9);
        portal_destroy(&p);
    }
}

/* ---- explicit springs ------------------------------------------------------------------------------------------- */

static const double span = 3;

static struct yk_beam level_beam(bool plane)
{
    return (struct yk_beam){.section = {.E = 2e11, .nu = 0.3, .A = 8e-3, .Iz = 9e-5, .Iy = 4e-5, .J = 1e-6},
                            .ends = {{0, 0, 0}, {span, 0, 0}},
                            .plane = plane};
}

static struct yk_hinge hinge_of(const struct law_bench *law)
{
    return (struct yk_hinge){law->ops, law->settings.bytes, 0, 0};
}

static struct yk_member hinged(const struct yk_beam *beam, struct yk_hinge hinges[2][2], enum yk_geometry geometry)
{
    struct yk_member m;

    assert_ok(yk_member_init(&m, beam, geometry, false, &err));
    assert_ok(yk_hinged_basic(&m.basic, beam, hinges, &err));
    return m;
}

/* A frame of one member between nodes 0 and 1, which are moved. `law[end][axis]` are hinges; explicit: springs between
 * the joints and the rotations of nodes 2 and 3, to which the beam is attached. */
static struct member_frame *single(bool plane, enum yk_geometry geometry, const struct law_bench *law[2][2],
                                   bool explicit)
{
    const struct yk_beam beam = level_beam(plane);
    struct member_frame *frame = frame_create(explicit ? 4 : 2, plane);
    struct yk_hinge hinges[2][2] = {{{0}}};

    frame_hold(frame, 0, 0x3f);
    frame_hold(frame, 1, 0x3f);
    if (!explicit) {
        for (int end = 0; end < 2; end++)
            for (int axis = 0; axis < (plane ? 1 : 2); axis++)
                if (law[end][axis])
                    hinges[end][axis] = hinge_of(law[end][axis]);
        frame_add(frame, hinged(&beam, hinges, geometry), 0, 1);
        return frame;
    }
    struct yk_member m;
    assert_ok(yk_member_init(&m, &beam, geometry, false, &err));
    assert_ok(yk_elastic_basic(&m.basic, &beam, &err));
    frame_add(frame, m, 0, 1);
    for (size_t end = 0; end < 2; end++) {
        frame_hold(frame, 2 + end, 0x3f);
        for (size_t axis = 0; axis < (plane ? 1 : 2); axis++) {
            const size_t dof = RZ - axis, joint = end * DOFS + dof, inner = (2 + end) * DOFS + dof;

            if (!law[end][axis])
                continue;
            frame->held[inner] = false;
            frame->dof[0][joint] = inner;
            frame_add_spring(frame, law[end][axis]->ops, law[end][axis]->settings.bytes, inner, joint);
        }
    }
    return frame;
}

/* Forces of the joints along a path that yields and turns back, condensed and explicit. */
static void compare_with_springs(bool plane, enum yk_geometry geometry, const struct law_bench *law[2][2])
{
    struct member_frame *condensed = single(plane, geometry, law, false);
    struct member_frame *explicit = single(plane, geometry, law, true);
    double largest[DOFS] = {0};

    for (int step = 1; step <= 400; step++) {
        const double t = 0.04 * step;

        for (int i = 0; i < 2 * DOFS; i++) {
            const double amplitude = i % DOFS < RX ? (i % DOFS == X ? 1e-4 : 0.01) : 0.02;
            const double u = amplitude * sin((1 + 0.13 * i) * t + 0.4 * i);

            if (!plane || i % DOFS == X || i % DOFS == Y || i % DOFS == RZ)
                condensed->u[i] = explicit->u[i] = u;
        }
        frame_step(condensed, 1);
        frame_step(explicit, 1e-7);
        assert_false(condensed->bounded);
        for (int i = 0; i < 2 * DOFS; i++) {
            const double wanted = explicit->f[i];

            largest[i % DOFS] = fmax(largest[i % DOFS], fabs(wanted));
            assert_near(condensed->f[i], wanted, 1e-10 * largest[i % DOFS] + 1e-9);
        }
    }
    frame_destroy(condensed);
    frame_destroy(explicit);
}

static void condensed_hinges_are_springs_between_extra_nodes(void **state)
{
    static const double backbone[] = {180e3, 0.0009, 220e3, 0.02, 90e3, 0.08};
    const struct law_bench strong = law_bilinear(3e8, 0.02, 2.5e5), weak = law_bilinear(5e7, 0.1, 1e5);
    struct law_bench pinching, smooth;

    assert_ok(law_set_up(
        &pinching,
        &(struct law_sample){.law = "pinching", .set = {{"px", 0.7}, {"py", 0.3}}, .points = {backbone, backbone}},
        &err));
    assert_ok(law_set_up(
        &smooth,
        &(struct law_sample){.law = "bouc-wen", .set = {{"k0", 2e8}, {"beta", 600}, {"gamma", 400}, {"kh", 1e7}}},
        &err));
    for (int geometry = YK_GEOMETRY_LINEAR; geometry <= YK_GEOMETRY_COROTATIONAL; geometry++) {
        compare_with_springs(true, geometry, (const struct law_bench *[2][2]){{&strong}, {&weak}});
        compare_with_springs(true, geometry, (const struct law_bench *[2][2]){{&weak}, {NULL}});
        compare_with_springs(true, geometry, (const struct law_bench *[2][2]){{NULL}, {&pinching}});
        compare_with_springs(true, geometry, (const struct law_bench *[2][2]){{&pinching}, {&smooth}});
        if (geometry == YK_GEOMETRY_COROTATIONAL)
            continue; /* in space the springs would have to turn with the member */
        compare_with_springs(false, geometry, (const struct law_bench *[2][2]){{&strong, &weak}, {&pinching, &smooth}});
        compare_with_springs(false, geometry, (const struct law_bench *[2][2]){{NULL, &weak}, {&strong, NULL}});
    }
}

static void hinge_without_stiffness_is_a_release(void **state)
{
    struct law_bench soft;

    assert_ok(law_set_up(&soft, &(struct law_sample){.law = "spring", .set = {{"stiffness", 0}}}, &err));
    for (int plane = 0; plane < 2; plane++)
        for (unsigned which = 1; which < 4; which++) { /* bits: first end, second end */
            struct yk_beam beam = level_beam(plane);
            struct yk_hinge hinges[2][2] = {{{0}}};
            double u[2 * DOFS], f[2][2 * DOFS], K[2][4 * DOFS * DOFS], memory[2][32];
            struct yk_member free_to_turn, released;

            for (unsigned end = 0; end < 2; end++)
                if (which >> end & 1)
                    hinges[end][YK_HINGE_RZ] = hinge_of(&soft);
            free_to_turn = hinged(&beam, hinges, YK_GEOMETRY_P_DELTA);
            for (unsigned end = 0; end < 2; end++)
                beam.release[end] = which >> end & 1 ? 1u << RZ : 0;
            assert_ok(yk_member_init(&released, &beam, YK_GEOMETRY_P_DELTA, false, &err));
            assert_ok(yk_elastic_basic(&released.basic, &beam, &err));
            for (int i = 0; i < 2 * DOFS; i++)
                u[i] = 0.01 * sin(1 + 2.3 * i);
            yk_member_rest(&free_to_turn, memory[0]);
            assert_true(yk_member_state(&free_to_turn, memory[0], u, 0, memory[1], f[0], K[0], NULL));
            yk_member_rest(&released, memory[0]);
            assert_true(yk_member_state(&released, memory[0], u, 0, memory[1], f[1], K[1], NULL));
            for (int i = 0; i < 2 * DOFS; i++)
                assert_near(f[0][i], f[1][i], 1e-12 * fabs(f[1][0]));
            for (int i = 0; i < 4 * DOFS * DOFS; i++)
                assert_near(K[0][i], K[1][i], 1e-12 * K[1][0]);
            yk_member_fini(&free_to_turn);
            yk_member_fini(&released);
        }
}

/* Steps of up to twenty times the rotation at yield, with a hinge that is as good as rigid before. */
static void iteration_ends_for_steps_far_beyond_yield(void **state)
{
    const struct law_bench strong = law_bilinear(3e8, 0.02, 2.5e5), rigid = law_bilinear(3e9, 0.001, 1.8e5);
    const struct yk_beam beam = level_beam(true);
    struct yk_hinge hinges[2][2] = {{hinge_of(&strong)}, {hinge_of(&rigid)}};
    struct yk_member m = hinged(&beam, hinges, YK_GEOMETRY_LINEAR);
    double u[2 * DOFS] = {0}, f[2 * DOFS], memory[2][32];
    uint64_t seed = 7;

    yk_member_rest(&m, memory[0]);
    for (int i = 0; i < 5000; i++) {
        u[RZ] = 0.0125 * law_uniform(&seed);
        u[DOFS + RZ] = 0.0125 * law_uniform(&seed);
        assert_true(yk_member_state(&m, memory[0], u, 0, memory[1], f, NULL, NULL));
        memcpy(memory[0], memory[1], sizeof memory[0]);
    }
    yk_member_fini(&m);
}

/* ---- rigid before yield ----------------------------------------------------------------------------------------- */

/* Bent in double curvature, both joints by theta. */
static double moment_at(const struct yk_member *m, double theta, double *other)
{
    double u[2 * DOFS] = {0}, f[2 * DOFS], memory[2][32];

    u[RZ] = u[DOFS + RZ] = theta;
    yk_member_rest(m, memory[0]);
    assert_true(yk_member_state(m, memory[0], u, 0, memory[1], f, NULL, NULL));
    *other = f[DOFS + RZ];
    return f[RZ];
}

static void rigid_hinges_leave_the_elastic_stiffness_of_the_member(void **state)
{
    const struct yk_beam beam = level_beam(true);
    const double stiffness = 6 * beam.section.E * beam.section.Iz / span, yield = 1e5, hardening = 0.03;
    const struct yk_hinge rigid = {.yield = yield, .hardening = hardening};
    struct yk_hinge both[2][2] = {{rigid}, {rigid}}, one[2][2] = {{rigid}, {{0}}};
    struct yk_member m = hinged(&beam, both, YK_GEOMETRY_LINEAR);
    const double at_yield = yield / stiffness;
    double other;

    assert_near_relative(moment_at(&m, 0.9 * at_yield, &other), 0.9 * yield, 1e-12);
    assert_near_relative(moment_at(&m, 3 * at_yield, &other), yield * (1 + hardening * 2), 1e-12);
    assert_near_relative(other, yield * (1 + hardening * 2), 1e-12);
    yk_member_fini(&m);
    m = hinged(&beam, one, YK_GEOMETRY_LINEAR); /* the other end stays elastic */
    assert_near_relative(moment_at(&m, 0.9 * at_yield, &other), 0.9 * yield, 1e-12);
    assert_near_relative(other, 0.9 * yield, 1e-12);
    assert_true(moment_at(&m, 3 * at_yield, &other) < 1.5 * yield);
    assert_true(other > 2 * yield);
    assert_true(yk_hinged_basic_has(&m.basic, 0, YK_HINGE_RZ));
    yk_member_fini(&m);
}

/* ---- bounds and refusals ---------------------------------------------------------------------------------------- */

static int calls;

/* Neither falls nor has a root near: the iteration must give up. */
YK_RT static double hopeless(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    calls++;
    return calls % 2 ? 1e6 : -1e6;
}

YK_RT static void flat(const void *settings, const double *committed, double d, double w, double h, double *k,
                       double *c)
{
    *k = 1e8;
    *c = 0;
}

static void iteration_stops_at_its_bound_and_says_so(void **state)
{
    static const struct yk_law_ops law = {.name = "hopeless", .settings_size = 8, .force = hopeless, .tangent = flat};
    static const double settings = 0;
    const struct yk_beam beam = level_beam(true);
    struct yk_hinge hinges[2][2] = {{{&law, &settings, 0, 0}}, {{0}}};
    struct yk_member m = hinged(&beam, hinges, YK_GEOMETRY_LINEAR);
    double u[2 * DOFS] = {0}, f[2 * DOFS], K[4 * DOFS * DOFS], memory[2][32];

    u[RZ] = 0.01;
    yk_member_rest(&m, memory[0]);
    calls = 0;
    assert_false(yk_member_state(&m, memory[0], u, 0, memory[1], f, K, NULL));
    assert_true(calls <= 1 + 8 * 9 + 1); /* the start, 8 steps cut 8 times, the best of them once more */
    for (int i = 0; i < 2 * DOFS; i++)
        assert_true(isfinite(f[i]));
    yk_member_fini(&m);
}

/* Beyond its peak this hinge falls faster than the beam can follow. */
static void softening_that_the_beam_cannot_follow_is_told(void **state)
{
    static const double steep[] = {1e5, 0.001, 1.2e5, 0.002, 1e3, 0.0021};
    const struct yk_beam beam = level_beam(true);
    struct law_bench law;
    struct yk_hinge hinges[2][2] = {{{0}}, {{0}}};
    struct yk_member m;
    double u[2 * DOFS] = {0}, f[2 * DOFS], memory[2][32];
    bool good = true;
    int steps;

    assert_ok(law_set_up(&law, &(struct law_sample){.law = "pinching", .points = {steep, steep}}, &err));
    hinges[0][YK_HINGE_RZ] = hinge_of(&law);
    m = hinged(&beam, hinges, YK_GEOMETRY_LINEAR);
    yk_member_rest(&m, memory[0]);
    for (steps = 0; steps < 100 && good; steps++) {
        u[RZ] += 1e-4;
        good = yk_member_state(&m, memory[0], u, 0, memory[1], f, NULL, NULL);
        memcpy(memory[0], memory[1], sizeof memory[0]);
    }
    assert_false(good);
    /* at the peak: the hinge has turned by 0.002, the beam by its moment over 4 E I / L */
    assert_near(u[RZ], 0.002 + 1.2e5 / (4 * beam.section.E * beam.section.Iz / span), 1.01e-4);
    yk_member_fini(&m);
}

static void hinges_that_cannot_be_are_refused(void **state)
{
    const struct law_bench strong = law_bilinear(3e8, 0.02, 2.5e5);
    const struct yk_hinge rigid = {.yield = 1e5, .hardening = 0.02};
    struct yk_beam beam = level_beam(true), truss = beam;
    struct law_bench damper, soft, negative;
    struct yk_basic basic;

    assert_ok(law_set_up(&damper, &(struct law_sample){.law = "damper", .set = {{"damping", 1}}}, &err));
    assert_ok(law_set_up(&soft, &(struct law_sample){.law = "spring", .set = {{"stiffness", 0}}}, &err));
    assert_ok(law_set_up(&negative, &(struct law_sample){.law = "spring", .set = {{"stiffness", -1e8}}}, &err));
    assert_refused(yk_hinged_basic(&basic, &beam, (struct yk_hinge[2][2]){{hinge_of(&damper)}, {{0}}}, &err),
                   YK_E_INPUT, "rate");
    assert_refused(yk_hinged_basic(&basic, &beam, (struct yk_hinge[2][2]){{{0}}, {hinge_of(&negative)}}, &err),
                   YK_E_SINGULAR, "-1e+08 N m/rad at the second end");
    assert_refused(yk_hinged_basic(&basic, &beam, (struct yk_hinge[2][2]){{rigid}, {hinge_of(&strong)}}, &err),
                   YK_E_INPUT, "rigid");
    truss.theory = YK_TRUSS;
    assert_refused(yk_hinged_basic(&basic, &truss, (struct yk_hinge[2][2]){{hinge_of(&strong)}, {{0}}}, &err),
                   YK_E_INPUT, "truss");
    beam.release[0] = 1u << RZ; /* and a hinge there that holds nothing */
    assert_refused(yk_hinged_basic(&basic, &beam, (struct yk_hinge[2][2]){{hinge_of(&soft)}, {{0}}}, &err),
                   YK_E_SINGULAR, "first end");
    assert_refused(yk_hinged_basic(&basic, &beam, (struct yk_hinge[2][2]){{{0}}, {rigid}}, &err), YK_E_INPUT,
                   "releases");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portal_with_hinges_is_that_of_the_reference),
        cmocka_unit_test(condensed_hinges_are_springs_between_extra_nodes),
        cmocka_unit_test(hinge_without_stiffness_is_a_release),
        cmocka_unit_test(iteration_ends_for_steps_far_beyond_yield),
        cmocka_unit_test(rigid_hinges_leave_the_elastic_stiffness_of_the_member),
        cmocka_unit_test(iteration_stops_at_its_bound_and_says_so),
        cmocka_unit_test(softening_that_the_beam_cannot_follow_is_told),
        cmocka_unit_test(hinges_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
