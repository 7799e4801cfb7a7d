/* Properties of every geometry with every basic element: tangents are derivatives, a member in space that is bent in
 * one plane is the plane one whichever way its section is turned, the same question has the same answer. */
#include "support/check.h"
#include "support/laws.h"

#include "substructure/member/elastic.h"
#include "substructure/member/fibre_element.h"
#include "substructure/member/hinged.h"

#include <math.h>
#include <stdlib.h>

enum { SIZE = YK_MEMBER_DOFS, DOFS = 6, MEMORY = 4000 };
enum { X, Y, Z, RX, RY, RZ };

enum basic { ELASTIC, HINGED, DISPLACEMENT, FORCE, BASICS };

/* 0.3 deep (y), 0.2 wide, of steel that yields at 300 MPa. */
static const double depth = 0.3, width = 0.2, E = 2e11;

/* `swap`: y and z of the section change places. */
static void add_fibres(struct yk_member *m, enum basic basic, bool plane, bool swap)
{
    const double y = swap ? width / 2 : depth / 2, z = swap ? depth / 2 : width / 2;
    const size_t cells[2] = {swap ? 4 : 6, plane ? 1 : (swap ? 6 : 4)};
    struct yk_fibre_element element =
        yk_fibre_element_defaults(basic == FORCE ? YK_FIBRE_FORCE : YK_FIBRE_DISPLACEMENT);
    const struct law_bench steel = law_bilinear(E, 0.1, 300e6);
    struct yk_fibre_section *section;
    size_t material;

    assert_ok(yk_fibre_section_create(&section, &err));
    assert_ok(yk_fibre_section_material(section, steel.ops, law_settings(&steel), &material, &err));
    assert_ok(yk_fibre_section_rectangle(section, material, (double[]){-y, -z}, (double[]){y, z}, cells, &err));
    assert_ok(yk_fibre_section_finish(section, plane, &err));
    element.section = section;
    element.L = m->L;
    element.GJ = 3e7;
    element.iterations = 20;
    assert_ok(yk_fibre_basic(&m->basic, &element, &err));
    yk_fibre_section_release(section);
}

static struct yk_member create(const struct yk_beam *beam, enum yk_geometry geometry, enum basic basic, bool bowing,
                               bool swap)
{
    /* both hinges yield at rotations of a few per mille */
    const struct law_bench first = law_bilinear(2e8, 0.05, 3e5), second = law_bilinear(1e8, 0.1, 2e5);
    const struct yk_hinge about_z[2] = {{first.ops, first.settings.bytes, 0, 0},
                                        {second.ops, second.settings.bytes, 0, 0}};
    const struct yk_hinge none = {0};
    struct yk_hinge hinges[2][2];
    struct yk_member m;

    for (int end = 0; end < 2; end++) {
        hinges[end][YK_HINGE_RZ] = swap ? none : about_z[end];
        hinges[end][YK_HINGE_RY] = swap ? about_z[end] : none;
    }
    assert_ok(yk_member_init(&m, beam, geometry, bowing, &err));
    if (basic == ELASTIC)
        assert_ok(yk_elastic_basic(&m.basic, beam, &err));
    else if (basic == HINGED)
        assert_ok(yk_hinged_basic(&m.basic, beam, hinges, &err));
    else
        add_fibres(&m, basic, beam->plane, swap);
    assert_true(yk_member_memory(&m) <= MEMORY && yk_member_scratch(&m) <= MEMORY);
    return m;
}

static struct yk_beam steel_beam(bool plane, bool swap)
{
    const double Iz = width * pow(depth, 3) / 12, Iy = depth * pow(width, 3) / 12;

    return (struct yk_beam){
        .section = {.E = E, .nu = 0.3, .A = depth * width, .Iz = swap ? Iy : Iz, .Iy = swap ? Iz : Iy, .J = 2e-4},
        .ends = {{0.3, -0.2, 0}, {1.5, 2.3, 0}},
        .up = {0, 0, 1},
        .plane = plane};
}

static void state_of(const struct yk_member *m, const double *committed, const double *u, double *trial, double *f,
                     double *K)
{
    static double scratch[MEMORY];

    assert_true(yk_member_state(m, committed, u, 0, trial, f, K, scratch));
}

/* Displacements of the ends of about 1 % of the length; in the plane those that count. */
static void sample(bool plane, double *u)
{
    for (int i = 0; i < SIZE; i++) {
        u[i] = 0.012 * sin(1.3 + 2.1 * i) * (i % DOFS < RX ? 1 : 0.6);
        if (plane && i % DOFS != X && i % DOFS != Y && i % DOFS != RZ)
            u[i] = 0;
    }
    u[DOFS + X] = u[X] + 0.3 * u[DOFS + X]; /* strains beside bending, not instead of it */
    u[DOFS + Y] = u[Y] + 0.3 * u[DOFS + Y];
}

/* ---- tangents --------------------------------------------------------------------------------------------------- */

/* The change of f with N alone, which the symmetric tangents of P-Delta and bowing leave out. */
static void add_left_out(const struct yk_member *m, const double *u, const double *v, double B[][SIZE], double *c)
{
    const double axial = m->L / 30;
    const size_t planes = m->plane ? 1 : 2;

    for (size_t j = 0; j < planes && m->geometry == YK_GEOMETRY_P_DELTA; j++) {
        double lean = 0;

        for (int i = 0; i < 3; i++)
            lean += m->axes[1 + j][i] * (u[DOFS + i] - u[i]) / m->L;
        for (int i = 0; i < 3; i++) {
            c[i] -= lean * m->axes[1 + j][i];
            c[DOFS + i] += lean * m->axes[1 + j][i];
        }
    }
    for (size_t j = 0; j < planes && m->bowing; j++)
        for (int i = 0; i < SIZE; i++)
            c[i] += axial * (B[1 + 2 * j][i] * (4 * v[1 + 2 * j] - v[2 + 2 * j]) +
                             B[2 + 2 * j][i] * (4 * v[2 + 2 * j] - v[1 + 2 * j]));
}

/* Largest difference between K and the derivative of f, over the largest entry of K. */
static double error_of_tangent(const struct yk_member *m, const double *committed, const double *u)
{
    static double trial[MEMORY], unused[MEMORY];
    const size_t n = m->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE;
    double K[SIZE * SIZE], D[SIZE][SIZE], dN[SIZE], B[YK_BASIC_SPACE][SIZE] = {{0}}, c[SIZE] = {0}, f[SIZE];
    double largest = 0, error = 0;
    const double step = 1e-6;

    state_of(m, committed, u, trial, f, K);
    for (int j = 0; j < SIZE; j++) {
        double w[SIZE], side[2][SIZE], q[2], v[2][YK_BASIC_SPACE];

        for (int s = 0; s < 2; s++) {
            memcpy(w, u, sizeof w);
            w[j] += s ? step : -step;
            state_of(m, committed, w, unused, side[s], NULL);
            q[s] = unused[0];
            memcpy(v[s], unused + n, n * sizeof(double));
        }
        dN[j] = (q[1] - q[0]) / (2 * step);
        for (size_t i = 0; i < n; i++)
            B[i][j] = (v[1][i] - v[0][i]) / (2 * step);
        for (int i = 0; i < SIZE; i++)
            D[i][j] = (side[1][i] - side[0][i]) / (2 * step);
    }
    add_left_out(m, u, trial + n, B, c);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            double wanted = D[i][j] - c[i] * dN[j];

            if (m->geometry == YK_GEOMETRY_COROTATIONAL)
                wanted = 0.5 * (D[i][j] + D[j][i]);
            largest = fmax(largest, fabs(K[i + j * SIZE]));
            error = fmax(error, fabs(K[i + j * SIZE] - wanted));
            assert_near(K[i + j * SIZE], K[j + i * SIZE], 1e-12 * largest);
        }
    return error / largest;
}

static void tangents_are_derivatives_of_forces(void **state)
{
    static double committed[MEMORY], trial[MEMORY];

    for (int plane = 0; plane < 2; plane++)
        for (int geometry = YK_GEOMETRY_LINEAR; geometry <= YK_GEOMETRY_COROTATIONAL; geometry++)
            for (int basic = 0; basic < BASICS; basic++)
                for (int bowing = 0; bowing < (geometry == YK_GEOMETRY_COROTATIONAL ? 1 : 2); bowing++) {
                    const struct yk_beam beam = steel_beam(plane, false);
                    /* fibres add 1e-9 of their stiffness to the tangent; large rotations in space leave a part of
                     * second order out */
                    const double tolerance = geometry == YK_GEOMETRY_COROTATIONAL && !plane ? 2e-7 : 2e-9;
                    struct yk_member m = create(&beam, geometry, basic, bowing, false);
                    double u[SIZE], f[SIZE], w[SIZE];

                    sample(plane, u);
                    yk_member_rest(&m, committed);
                    /* committed with the same rotations: rates of rotation vectors are those of turning there only */
                    memcpy(w, u, sizeof w);
                    for (int i = 0; i < 3; i++) {
                        w[i] *= 0.5;
                        w[DOFS + i] *= 0.7;
                    }
                    state_of(&m, committed, w, trial, f, NULL);
                    memcpy(committed, trial, sizeof committed);
                    assert_near(error_of_tangent(&m, committed, u), 0, tolerance);
                    yk_member_fini(&m);
                }
}

/* ---- plane and space -------------------------------------------------------------------------------------------- */

/* Two commits, then a state: forces of both ends. */
static void walk(const struct yk_member *m, const double *u, double *f, double *K)
{
    static double committed[MEMORY], trial[MEMORY];
    static const double part[] = {0.6, -0.4, 1};

    yk_member_rest(m, committed);
    for (int step = 0; step < 3; step++) {
        double w[SIZE];

        for (int i = 0; i < SIZE; i++)
            w[i] = part[step] * u[i];
        state_of(m, committed, w, trial, f, K);
        memcpy(committed, trial, sizeof committed);
    }
}

/* `turned`: about its axis by 90 degrees, with y and z of the section swapped. */
static void bent_in_one_plane(bool turned)
{
    for (int geometry = YK_GEOMETRY_LINEAR; geometry <= YK_GEOMETRY_COROTATIONAL; geometry++)
        for (int basic = 0; basic < BASICS; basic++) {
            const struct yk_beam flat = steel_beam(true, false);
            struct yk_beam deep = steel_beam(false, turned);
            struct yk_member plane = create(&flat, geometry, basic, false, false), space;
            double u[SIZE], f[2][SIZE], K[2][SIZE * SIZE], size = 0, stiffness = 0;

            if (turned)
                memcpy(deep.up, plane.axes[1], sizeof deep.up);
            space = create(&deep, geometry, basic, false, turned);
            sample(true, u);
            walk(&plane, u, f[0], K[0]);
            walk(&space, u, f[1], K[1]);
            for (int i = 0; i < SIZE; i++) {
                size = fmax(size, fabs(f[0][i]));
                stiffness = fmax(stiffness, fabs(K[0][i + i * SIZE]));
            }
            for (int i = 0; i < SIZE; i++) {
                assert_near(f[1][i], f[0][i], 1e-11 * size);
                for (int j = 0; j < SIZE; j++)
                    if (K[0][i + j * SIZE] != 0)
                        assert_near(K[1][i + j * SIZE], K[0][i + j * SIZE], 1e-10 * stiffness);
            }
            yk_member_fini(&plane);
            yk_member_fini(&space);
        }
}

static void member_in_space_that_is_bent_in_one_plane_is_the_plane_one(void **state)
{
    bent_in_one_plane(false);
}

static void section_turned_by_90_degrees_with_y_and_z_swapped_is_the_same(void **state)
{
    bent_in_one_plane(true);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static void same_question_has_the_same_answer_to_the_bit(void **state)
{
    static double committed[MEMORY], kept[MEMORY], trial[2][MEMORY];

    for (int plane = 0; plane < 2; plane++)
        for (int geometry = YK_GEOMETRY_LINEAR; geometry <= YK_GEOMETRY_COROTATIONAL; geometry++)
            for (int basic = 0; basic < BASICS; basic++) {
                const struct yk_beam beam = steel_beam(plane, false);
                struct yk_member m = create(&beam, geometry, basic, false, false);
                const size_t bytes = yk_member_memory(&m) * sizeof(double);
                double u[SIZE], w[SIZE], f[3][SIZE];

                sample(plane, u);
                for (int i = 0; i < SIZE; i++)
                    w[i] = -0.3 * u[i];
                yk_member_rest(&m, committed);
                memcpy(kept, committed, bytes);
                state_of(&m, committed, u, trial[0], f[0], NULL);
                state_of(&m, committed, w, trial[1], f[1], NULL); /* another one in between */
                state_of(&m, committed, u, trial[1], f[1], NULL);
                assert_memory_equal(committed, kept, bytes);
                assert_memory_equal(f[0], f[1], sizeof f[0]);
                assert_memory_equal(trial[0], trial[1], bytes);
                /* and where nothing moves, nothing changes */
                state_of(&m, trial[0], u, trial[1], f[2], NULL);
                for (int i = 0; i < SIZE; i++)
                    assert_near(f[2][i], f[0][i], 1e-12 * fabs(f[0][i]) + 1e-6);
                yk_member_fini(&m);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_derivatives_of_forces),
        cmocka_unit_test(member_in_space_that_is_bent_in_one_plane_is_the_plane_one),
        cmocka_unit_test(section_turned_by_90_degrees_with_y_and_z_swapped_is_the_same),
        cmocka_unit_test(same_question_has_the_same_answer_to_the_bit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
