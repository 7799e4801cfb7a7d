/* Geometry of members: linear members are those of the stiffness matrix, columns lean, chords turn. Expected values are
 * closed forms and OpenSees 3.8.0. */
#include "support/check.h"
#include "support/member_frame.h"

#include "substructure/member/elastic.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = YK_MEMBER_DOFS, DOFS = 6 };
enum { X, Y, Z, RX, RY, RZ };

#define PI 3.14159265358979323846

/* Without any symmetry. */
static const struct yk_section section = {
    .E = 2.1e11, .nu = 0.3, .A = 2e-3, .Iy = 3e-6, .Iz = 1.2e-6, .J = 5e-7, .shear_y = 1.5e-3, .shear_z = 1.1e-3};

static struct yk_beam oblique(bool plane, enum yk_theory theory)
{
    return (struct yk_beam){.section = section,
                            .ends = {{0.3, -0.2, 0}, {1.7, 0.9, plane ? 0 : 0.8}},
                            .up = {0.2, 0.1, plane ? 0 : 1},
                            .plane = plane,
                            .theory = theory};
}

static struct yk_member elastic(const struct yk_beam *beam, enum yk_geometry geometry, bool bowing)
{
    struct yk_member m;

    assert_ok(yk_member_init(&m, beam, geometry, bowing, &err));
    assert_ok(yk_elastic_basic(&m.basic, beam, &err));
    return m;
}

static void linear_members_are_those_of_the_stiffness_matrix(void **state)
{
    /* by end; nothing, rz, x, rz at both ends */
    static const unsigned release[][2] = {{0, 0}, {0, 1 << 5}, {1, 0}, {1 << 5, 1 << 5}};

    for (int plane = 0; plane < 2; plane++)
        for (int theory = YK_EULER_BERNOULLI; theory <= YK_TRUSS; theory++)
            for (int row = 0; row < (theory == YK_TRUSS ? 1 : 4); row++) {
                struct yk_beam beam = oblique(plane, theory);
                double K[SIZE * SIZE], kept[SIZE * SIZE], u[SIZE], f[SIZE], committed[16], trial[16];
                struct yk_member m;
                double largest = 0;

                memcpy(beam.release, release[row], sizeof beam.release);
                m = elastic(&beam, YK_GEOMETRY_LINEAR, false);
                assert_ok(yk_beam_matrices(&beam, K, NULL, &err));
                assert_true(yk_member_memory(&m) <= 16);
                yk_member_rest(&m, committed);
                for (int i = 0; i < SIZE; i++) {
                    u[i] = sin(1 + 2.7 * i) * 1e-2;
                    if (plane && i % 6 > 1 && i % 6 < 5)
                        u[i] = 0;
                }
                assert_true(yk_member_state(&m, committed, u, 0.01, trial, f, kept, NULL));
                for (int i = 0; i < SIZE * SIZE; i++)
                    largest = fmax(largest, fabs(K[i]));
                for (int i = 0; i < SIZE; i++) {
                    double sum = 0;
                    const bool counts = !plane || i % 6 < 2 || i % 6 == 5;

                    for (int j = 0; j < SIZE; j++) {
                        const bool both = counts && (!plane || j % 6 < 2 || j % 6 == 5);

                        sum += K[i + j * SIZE] * u[j];
                        assert_near(kept[i + j * SIZE], both ? K[i + j * SIZE] : 0, 1e-13 * largest);
                    }
                    assert_near(f[i], counts ? sum : 0, 1e-14 * largest);
                }
                yk_member_fini(&m);
            }
}

/* ---- cantilevers in the plane ---------------------------------------------------------------------------------- */

static const double length = 2, EI = 2e6, EA = 2e12;

/* n elements from the fixed origin along (x, y) to the tip, node n. */
static struct member_frame *cantilever(size_t n, double x, double y, enum yk_geometry geometry, bool bowing)
{
    struct member_frame *frame = frame_create(n + 1, true);

    for (size_t i = 0; i < n; i++) {
        const double from = length * (double)i / (double)n, to = length * (double)(i + 1) / (double)n;
        const struct yk_beam beam = {.section = {.E = 1e9, .A = EA / 1e9, .Iz = EI / 1e9},
                                     .ends = {{from * x, from * y, 0}, {to * x, to * y, 0}},
                                     .plane = true};

        frame_add(frame, elastic(&beam, geometry, bowing), i, i + 1);
    }
    frame_hold(frame, 0, 0x3f);
    return frame;
}

/* Dead load on the tip along `dof`, in equal steps to `load`. The tolerance is what EA makes of rounding: */
static const double far = 0.02, near = 3e-8; /* N; of displacements of 1 m and 1 um */

static void load_tip(struct member_frame *frame, size_t dof, double load, int steps, double tolerance)
{
    double *tip = &frame->load[(frame->nodes - 1) * DOFS + dof];
    const double before = *tip;

    for (int i = 1; i <= steps; i++) {
        *tip = before + (load - before) * i / steps;
        frame_step(frame, tolerance);
    }
}

static const double *tip_of(const struct member_frame *frame)
{
    return &frame->u[(frame->nodes - 1) * DOFS];
}

/* OpenSees, corotational: u, v and rotation of the tip under a load alpha EI/L^2 across; the closed form lies
 * within 1/n^2. */
static const struct {
    size_t elements;
    double alpha, tip[3], exact[3];
} elasticas[] = {
    {4, 1, {-0.1117077001, 0.6044301031, 0.4619887395}, {-0.1128664726, 0.6034415476, 0.4613519497}},
    {4, 10, {-1.11143691, 1.637539591, 1.440372538}, {-1.109991196, 1.62121805, 1.430285539}},
    {10, 5, {-0.7750038053, 1.42918995, 1.216558867}, {-0.7752567214, 1.427583047, 1.215368118}},
    {10, 10, {-1.109945768, 1.623556136, 1.43180795}, {-1.109991196, 1.62121805, 1.430285539}},
    {20, 10, {-1.109970022, 1.621794367, 1.43066318}, {-1.109991196, 1.62121805, 1.430285539}},
    {40, 10, {-1.109984887, 1.621364419, 1.430380116}, {-1.109991196, 1.62121805, 1.430285539}},
};

static void elastica_is_that_of_the_reference_and_converges_to_the_closed_form(void **state)
{
    for (size_t i = 0; i < sizeof elasticas / sizeof *elasticas; i++) {
        struct member_frame *frame = cantilever(elasticas[i].elements, 1, 0, YK_GEOMETRY_COROTATIONAL, false);
        const double n = (double)elasticas[i].elements;
        const double *tip = tip_of(frame);

        load_tip(frame, Y, elasticas[i].alpha * EI / (length * length), 20, far);
        for (int j = 0; j < 3; j++) {
            const double value = tip[j == 2 ? RZ : j];

            assert_near_relative(value, elasticas[i].tip[j], 1e-9);
            assert_near(value, elasticas[i].exact[j], 0.3 / (n * n));
        }
        frame_destroy(frame);
    }
}

/* Closed form: n chords of equal length, each turned against the one before by the same angle. */
static void end_moment_bends_a_cantilever_to_a_polygon_and_a_circle(void **state)
{
    static const size_t counts[] = {4, 10, 40};

    for (size_t c = 0; c < 3; c++) {
        struct member_frame *frame = cantilever(counts[c], 1, 0, YK_GEOMETRY_COROTATIONAL, false);
        const double n = (double)counts[c], *tip = tip_of(frame);

        for (int quarters = 1; quarters <= 4; quarters++) {
            const double turn = quarters * PI / 2;
            double x = 0, y = 0;

            load_tip(frame, RZ, turn * EI / length, 4, far);
            for (size_t i = 0; i < counts[c]; i++) {
                x += length / n * cos(turn * ((double)i + 0.5) / n);
                y += length / n * sin(turn * ((double)i + 0.5) / n);
            }
            assert_near(tip[X], x - length, 1e-12);
            assert_near(tip[Y], y, 1e-12);
            assert_near(tip[RZ], turn, 1e-12);
        }
        assert_near(tip[X], -length, 1e-12); /* the circle is closed */
        assert_near(tip[Y], 0, 1e-12);
        assert_true(frame->most_iterations <= 8);
        frame_destroy(frame);
    }
}

/* OpenSees: tip displacement across, along and rotation of a column with P = a Pcr under 1 N across. */
static const struct {
    enum yk_geometry geometry;
    size_t elements;
    double a, tip[3];
} columns[] = {
    {YK_GEOMETRY_P_DELTA, 1, 0.2, {1.595838194e-06, -2.4674011e-07, -1.196878646e-06}},
    {YK_GEOMETRY_P_DELTA, 1, 0.8, {3.898334858e-06, -9.869604401e-07, -2.923751144e-06}},
    {YK_GEOMETRY_P_DELTA, 2, 0.5, {2.52423345e-06, -6.168502751e-07, -1.931387767e-06}},
    {YK_GEOMETRY_P_DELTA, 4, 0.5, {2.615222067e-06, -6.168502751e-07, -2.004086055e-06}},
    {YK_GEOMETRY_P_DELTA, 10, 0.8, {6.537616991e-06, -9.869604401e-07, -5.082711404e-06}},
    {YK_GEOMETRY_COROTATIONAL, 1, 0.5, {2.26461978e-06, -6.168515571e-07, -1.698465359e-06}},
    {YK_GEOMETRY_COROTATIONAL, 4, 0.8, {6.272280502e-06, -9.869723407e-07, -4.874270499e-06}},
    {YK_GEOMETRY_COROTATIONAL, 10, 0.8, {6.537597805e-06, -9.869735121e-07, -5.082698897e-06}},
};

static const double *push_column(struct member_frame *frame, double a)
{
    load_tip(frame, Y, -a * PI * PI * EI / (4 * length * length), 2, near);
    load_tip(frame, X, 1, 1, near);
    return tip_of(frame);
}

static void column_under_its_load_is_that_of_the_reference(void **state)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        struct member_frame *frame = cantilever(columns[i].elements, 0, 1, columns[i].geometry, false);
        const double *tip = push_column(frame, columns[i].a);

        assert_near_relative(tip[X], columns[i].tip[0], 1e-9);
        assert_near_relative(tip[Y], columns[i].tip[1], 1e-9);
        assert_near_relative(tip[RZ], columns[i].tip[2], 1e-9);
        frame_destroy(frame);
    }
}

/* Against (tan k / k - 1) L / P, k = pi/2 sqrt a. */
static void bowing_makes_one_element_bend_as_a_column_does(void **state)
{
    static const struct {
        size_t elements;
        double a, without, with; /* relative errors */
    } cases[] = {{1, 0.5, 0.145, 0.0035}, {2, 0.5, 0.047, 0.00025}, {1, 0.8, 0.409, 0.023}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double k = PI / 2 * sqrt(cases[i].a), P = cases[i].a * PI * PI * EI / (4 * length * length);
        const double exact = (tan(k) / k - 1) * length / P;

        for (int bowing = 0; bowing < 2; bowing++) {
            struct member_frame *frame = cantilever(cases[i].elements, 0, 1, YK_GEOMETRY_P_DELTA, bowing);
            const double error = fabs(push_column(frame, cases[i].a)[X] / exact - 1);

            assert_near_relative(error, bowing ? cases[i].with : cases[i].without, 0.1);
            frame_destroy(frame);
        }
    }
}

/* The shear of a column of one element whose tip is moved is that of linear geometry less P tip / L, whatever the basic
 * element. */
static void p_delta_of_one_element_is_the_moment_of_its_load(void **state)
{
    const double P = 3e5, tip = 0.04;
    double shear[2];

    for (int geometry = YK_GEOMETRY_LINEAR; geometry <= YK_GEOMETRY_P_DELTA; geometry++) {
        struct member_frame *frame = cantilever(1, 0, 1, geometry, false);

        load_tip(frame, Y, -P, 1, near);
        frame_hold(frame, 1, 1u << X);
        frame->u[DOFS + X] = tip;
        frame_step(frame, 1e-6);
        shear[geometry] = frame->f[DOFS + X];
        frame_destroy(frame);
    }
    assert_near_relative(shear[0], 3 * EI / pow(length, 3) * tip, 1e-12);
    assert_near_relative(shear[1], shear[0] - P * tip / length, 1e-12);
}

static void what_does_not_go_together_is_refused(void **state)
{
    struct yk_beam beam = oblique(true, YK_EULER_BERNOULLI);
    struct yk_member m;

    assert_refused(yk_member_init(&m, &beam, YK_GEOMETRY_COROTATIONAL, true, &err), YK_E_UNSUPPORTED, "bowing");
    memcpy(beam.ends[1], beam.ends[0], sizeof beam.ends[1]);
    assert_refused(yk_member_init(&m, &beam, YK_GEOMETRY_LINEAR, false, &err), YK_E_INPUT, "no length");
}

/* ---- rigid motion ---------------------------------------------------------------------------------------------- */

/* a turned about the unit vector n */
static void turn(const double *a, const double *n, double angle, double *b)
{
    const double along = a[0] * n[0] + a[1] * n[1] + a[2] * n[2];

    for (int i = 0; i < 3; i++) {
        const double side = n[(i + 1) % 3] * a[(i + 2) % 3] - n[(i + 2) % 3] * a[(i + 1) % 3];

        b[i] = along * n[i] + cos(angle) * (a[i] - along * n[i]) + sin(angle) * side;
    }
}

static void three_full_turns_cost_no_force(void **state)
{
    static const double axes[2][3] = {{2.0 / 7, -3.0 / 7, 6.0 / 7}, {0, 0, 1}};

    for (int plane = 0; plane < 2; plane++) {
        const struct yk_beam beam = oblique(plane, YK_EULER_BERNOULLI);
        struct yk_member m = elastic(&beam, YK_GEOMETRY_COROTATIONAL, false);
        double memory[2][32], u[SIZE] = {0}, f[SIZE];
        const int steps = 100;

        assert_true(yk_member_memory(&m) <= 32);
        yk_member_rest(&m, memory[0]);
        for (int step = 1; step <= steps; step++) {
            const double angle = 3 * 2 * PI * step / steps;

            for (int end = 0; end < 2; end++) {
                double *at = u + (size_t)DOFS * end;

                turn(beam.ends[end], axes[plane], angle, at);
                for (int i = 0; i < 3; i++) {
                    at[i] -= beam.ends[end][i];
                    at[RX + i] = angle * axes[plane][i];
                }
            }
            assert_true(yk_member_state(&m, memory[0], u, 0, memory[1], f, NULL, NULL));
            for (int i = 0; i < SIZE; i++)
                assert_near(f[i], 0, 1e-13 * section.E * section.A);
            memcpy(memory[0], memory[1], sizeof memory[0]);
        }
        yk_member_fini(&m);
    }
}

/* ---- in space --------------------------------------------------------------------------------------------------- */

/* Ends turned by an angle against each other, about an axis that is no principal one: the moments are not parallel to
 * it, so that the derivative of eta counts. At 0.1 rad a series takes the place of the closed forms; both give the same
 * tangent there. An error of 1e-2 in the first term of the series is a jump of 0.05 N m. */
static void the_series_of_small_rotations_meets_the_closed_forms(void **state)
{
    struct yk_beam beam = {.section = section, .ends = {{0, 0, 0}, {2, 0, 0}}, .up = {0, 0, 1}};
    struct yk_member m = elastic(&beam, YK_GEOMETRY_COROTATIONAL, false);
    double K[2][SIZE * SIZE], f[2][SIZE], committed[32], trial[32];

    assert_true(yk_member_memory(&m) <= 32);
    yk_member_rest(&m, committed);
    for (int side = 0; side < 2; side++) {
        const double angle = 0.1 + (side ? 1e-12 : -1e-12);
        double u[SIZE] = {0};

        for (int end = 0; end < 2; end++) {
            u[DOFS * end + RY] = (end ? -0.6 : 0.6) * angle;
            u[DOFS * end + RZ] = (end ? -0.8 : 0.8) * angle;
        }
        assert_true(yk_member_state(&m, committed, u, 0, trial, f[side], K[side], NULL));
    }
    for (int i = 0; i < SIZE; i++)
        assert_near(f[0][i], f[1][i], 1e-5);
    for (int i = 0; i < SIZE * SIZE; i++)
        assert_near(K[0][i], K[1][i], 1e-5);
    yk_member_fini(&m);
}

/* Bathe and Bolourchi 1979: a bend of 45 degrees, radius 100, clamped, pushed out of its plane at the tip. E = 1e7, G =
 * E/2, section 1 x 1 with I = 1/12, J = 1/6. */
static struct member_frame *bend_create(size_t n)
{
    struct member_frame *frame = frame_create(n + 1, false);

    for (size_t i = 0; i < n; i++) {
        struct yk_beam beam = {.section = {.E = 1e7, .G = 5e6, .A = 1, .Iy = 1.0 / 12, .Iz = 1.0 / 12, .J = 1.0 / 6}};

        for (size_t end = 0; end < 2; end++) {
            const double angle = PI / 4 * (double)(i + end) / (double)n;

            beam.ends[end][0] = 100 * (1 - cos(angle));
            beam.ends[end][1] = 100 * sin(angle);
        }
        frame_add(frame, elastic(&beam, YK_GEOMETRY_COROTATIONAL, false), i, i + 1);
    }
    frame_hold(frame, 0, 0x3f);
    return frame;
}

/* Places of the tip. Exact: the differential equation of the rod (extensible, without shear), by shooting with
 * Runge-Kutta's method in 2,000 steps. */
static void bend_out_of_its_plane_is_that_of_the_rod(void **state)
{
    static const double load[] = {300, 450, 600};
    static const double published[3][3] = {{22.5, 59.2, 39.5}, {0}, {15.9, 47.2, 53.4}}; /* Bathe, Bolourchi */
    static const double exact[3][3] = {{22.2452885, 58.7802483, 40.1893884},
                                       {18.5087492, 52.2400388, 48.5001065},
                                       {15.6853558, 47.1521502, 53.4717630}};
    struct member_frame *coarse = bend_create(8), *fine = bend_create(16);
    const double start[3] = {100 * (1 - cos(PI / 4)), 100 * sin(PI / 4), 0};

    for (int i = 0; i < 3; i++) {
        load_tip(coarse, Z, load[i], 6, 1e-6);
        load_tip(fine, Z, load[i], 6, 1e-6);
        for (int j = 0; j < 3; j++) {
            const double one = start[j] + tip_of(coarse)[j], two = start[j] + tip_of(fine)[j];

            if (published[i][j] > 0)
                assert_near_relative(one, published[i][j], 0.02);
            assert_near_relative(one, exact[i][j], 0.002);
            assert_near_relative(two + (two - one) / 3, exact[i][j], 2e-5); /* errors fall with 1/n^2 */
        }
    }
    assert_true(coarse->most_iterations <= 12);
    frame_destroy(coarse);
    frame_destroy(fine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_members_are_those_of_the_stiffness_matrix),
        cmocka_unit_test(elastica_is_that_of_the_reference_and_converges_to_the_closed_form),
        cmocka_unit_test(end_moment_bends_a_cantilever_to_a_polygon_and_a_circle),
        cmocka_unit_test(column_under_its_load_is_that_of_the_reference),
        cmocka_unit_test(bowing_makes_one_element_bend_as_a_column_does),
        cmocka_unit_test(p_delta_of_one_element_is_the_moment_of_its_load),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(three_full_turns_cost_no_force),
        cmocka_unit_test(the_series_of_small_rotations_meets_the_closed_forms),
        cmocka_unit_test(bend_out_of_its_plane_is_that_of_the_rod),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
