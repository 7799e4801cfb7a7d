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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portal_with_hinges_is_that_of_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
