/* Beams and frames: closed-form stiffness, frequencies and statics, the patch test, rigid motions, rotated copies,
 * releases and links. Expected values are closed forms of beam theory; where a series of meshes is extrapolated to zero
 * element length, the test says so. */
#include "support/check.h"
#include "support/random.h"

#include <yoke/frame.h>

#include <math.h>
#include <stdlib.h>

enum { SIZE = 12, DOFS = YK_FRAME_DOFS };
enum { X, Y, Z, RX, RY, RZ };

#define ALL 0x3fu

/* A section without any symmetry; moduli and density of steel. */
static const struct yk_section steel = {.E = 2.1e11,
                                        .nu = 0.3,
                                        .A = 2e-3,
                                        .Iy = 3e-6,
                                        .Iz = 1.2e-6,
                                        .J = 5e-7,
                                        .shear_y = 1.5e-3,
                                        .shear_z = 1.1e-3,
                                        .density = 7850};

static double shear_modulus(const struct yk_section *s)
{
    return s->E / (2 * (1 + s->nu));
}

/* ---- one element ----------------------------------------------------------------------------------------------- */

static struct yk_beam along(double x, double y, double z, enum yk_theory theory)
{
    return (struct yk_beam){
        .section = steel, .ends = {{0.3, -0.2, 0.1}, {0.3 + x, -0.2 + y, 0.1 + z}}, .theory = theory};
}

static double form(const double *A, const double *u, const double *v)
{
    double sum = 0;

    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            sum += u[i] * A[i + j * SIZE] * v[j];
    return sum;
}

static void euler_bernoulli_matrices_are_those_of_the_textbooks(void **state)
{
    struct yk_beam beam = along(2, 0, 0, YK_EULER_BERNOULLI);
    const double L = 2, EI = steel.E * steel.Iz, m = steel.density * steel.A * L / 420;
    const double k[4][4] = {{12, 6 * L, -12, 6 * L},
                            {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                            {-12, -6 * L, 12, -6 * L},
                            {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
    const double mass[4][4] = {{156, 22 * L, 54, -13 * L},
                               {22 * L, 4 * L * L, 13 * L, -3 * L * L},
                               {54, 13 * L, 156, -22 * L},
                               {-13 * L, -3 * L * L, -22 * L, 4 * L * L}};
    const int in_xy[4] = {Y, RZ, DOFS + Y, DOFS + RZ}, in_xz[4] = {Z, RY, DOFS + Z, DOFS + RY};
    double K[SIZE * SIZE], M[SIZE * SIZE];

    assert_ok(yk_beam_matrices(&beam, K, M, &err));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const double sign = (i + j) % 2 ? -1 : 1; /* a positive ry lowers w */

            assert_near(K[in_xy[i] + in_xy[j] * SIZE], EI / (L * L * L) * k[i][j], 1e-6);
            assert_near(K[in_xz[i] + in_xz[j] * SIZE], sign * steel.Iy / steel.Iz * EI / (L * L * L) * k[i][j], 1e-6);
            assert_near(M[in_xy[i] + in_xy[j] * SIZE], m * mass[i][j], 1e-13 * m * 156);
            assert_near(M[in_xz[i] + in_xz[j] * SIZE], sign * m * mass[i][j], 1e-13 * m * 156);
        }
    assert_near_relative(K[0], steel.E * steel.A / L, 1e-14);
    assert_near_relative(K[RX + RX * SIZE], shear_modulus(&steel) * steel.J / L, 1e-14);
    assert_near_relative(M[RX + (DOFS + RX) * SIZE], steel.density * (steel.Iy + steel.Iz) * L / 6, 1e-14);
}

/* Velocities of the twelve degrees of freedom in the rigid motion with the given velocity or spin about the origin. */
static void rigid_motion(const struct yk_beam *beam, int which, double *u)
{
    memset(u, 0, SIZE * sizeof *u);
    for (int end = 0; end < 2; end++) {
        const double *at = beam->ends[end];
        const int b = (which + 1) % 3, c = (which + 2) % 3;

        u[end * DOFS + which] = 1;
        if (which < 3)
            continue;
        u[end * DOFS + b] = -at[c]; /* the axis times r */
        u[end * DOFS + c] = at[b];
    }
}

static void rigid_motions_need_no_force(void **state)
{
    uint64_t seed = 7;

    for (int trial = 0; trial < 30; trial++) {
        struct yk_beam beam = along(2 * random_value(&seed), 2 * random_value(&seed), 2 * random_value(&seed),
                                    (enum yk_theory)(trial % 3));
        double K[SIZE * SIZE], u[SIZE];

        beam.spread = trial % 2 ? YK_LUMPED : YK_CONSISTENT;
        assert_ok(yk_beam_matrices(&beam, K, NULL, &err));
        for (int which = 0; which < DOFS; which++) {
            rigid_motion(&beam, which, u);
            for (int i = 0; i < SIZE; i++) {
                double force = 0, size = 0;

                for (int j = 0; j < SIZE; j++) {
                    force += K[i + j * SIZE] * u[j];
                    size += fabs(K[i + j * SIZE] * u[j]);
                }
                assert_near(force, 0, 1e-13 * size);
            }
        }
    }
}

/* Kinetic energy of translations: the mass; of a turn about the middle: m L^2/12 plus the rotary inertia. */
static void rigid_motions_have_the_energy_of_the_body(void **state)
{
    struct yk_beam beam = {.section = steel, .ends = {{-1, 0, 0}, {1, 0, 0}}};
    const double m = steel.density * steel.A * 2;
    double M[SIZE * SIZE], u[SIZE];

    for (int theory = YK_EULER_BERNOULLI; theory <= YK_TIMOSHENKO; theory++) {
        const double rotary = theory == YK_TIMOSHENKO ? 2 * steel.density : 0;

        beam.theory = (enum yk_theory)theory;
        assert_ok(yk_beam_matrices(&beam, NULL, M, &err));
        for (int which = 0; which < 3; which++) {
            rigid_motion(&beam, which, u);
            assert_near_relative(form(M, u, u), m, 1e-13);
        }
        rigid_motion(&beam, RY, u);
        assert_near_relative(form(M, u, u), m * 4 / 12 + rotary * steel.Iy, 1e-13);
        rigid_motion(&beam, RZ, u);
        assert_near_relative(form(M, u, u), m * 4 / 12 + rotary * steel.Iz, 1e-13);
        rigid_motion(&beam, RX, u);
        assert_near_relative(form(M, u, u), 2 * steel.density * (steel.Iy + steel.Iz), 1e-13);
    }
    beam.spread = YK_LUMPED;
    assert_ok(yk_beam_matrices(&beam, NULL, M, &err));
    for (int which = 0; which < 3; which++) {
        rigid_motion(&beam, which, u);
        assert_near_relative(form(M, u, u), m, 1e-13);
    }
}

/* A random rotation from a random unit quaternion. */
static void random_rotation(uint64_t *seed, double R[3][3])
{
    double q[4], size = 0;

    for (int i = 0; i < 4; i++) {
        q[i] = random_value(seed);
        size += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(size);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, rows, sizeof rows);
}

static void rotate(double R[3][3], const double *v, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2];
}

/* The turned beam in the turned motion: same energies. */
static void turned_beams_have_the_same_energy(void **state)
{
    uint64_t seed = 11;

    for (int trial = 0; trial < 30; trial++) {
        struct yk_beam beam = along(1.3, 0.4, -0.7, (enum yk_theory)(trial % 2)), turned = beam;
        double K[2][SIZE * SIZE], M[2][SIZE * SIZE], u[2][SIZE], R[3][3];

        beam.up[1] = 1;
        beam.release[1] = trial % 3 ? 0 : 1u << RY | 1u << RZ;
        turned = beam;
        random_rotation(&seed, R);
        rotate(R, beam.up, turned.up);
        for (int end = 0; end < 2; end++)
            rotate(R, beam.ends[end], turned.ends[end]);
        for (int i = 0; i < SIZE; i++)
            u[0][i] = random_value(&seed);
        for (int i = 0; i < SIZE; i += 3)
            rotate(R, u[0] + i, u[1] + i);
        assert_ok(yk_beam_matrices(&beam, K[0], M[0], &err));
        assert_ok(yk_beam_matrices(&turned, K[1], M[1], &err));
        assert_near_relative(form(K[1], u[1], u[1]), form(K[0], u[0], u[0]), 1e-12);
        assert_near_relative(form(M[1], u[1], u[1]), form(M[0], u[0], u[0]), 1e-12);
    }
}

/* ---- frames ---------------------------------------------------------------------------------------------------- */

static size_t add_node(struct yk_frame *f, const char *name, double x, double y, double z, unsigned fixed)
{
    struct yk_frame_node node = {.name = (char *)name, .at = {x, y, z}, .fixed = fixed};

    assert_ok(yk_frame_add_node(f, &node, &err));
    return f->node_count - 1;
}

static void add_member(struct yk_frame *f, size_t from, size_t to, const struct yk_beam *beam, int divide)
{
    char name[32];

    snprintf(name, sizeof name, "m%zu", f->member_count);
    assert_ok(yk_frame_add_member(f, from, to, beam, divide, name, &err));
}

/* A plane beam of length L along x with supports at its ends. */
static void make_beam(struct yk_frame *f, double L, const struct yk_beam *beam, int divide, unsigned left,
                      unsigned right)
{
    *f = (struct yk_frame){.plane = true};
    add_node(f, "left", 0, 0, 0, left);
    add_node(f, "right", L, 0, 0, right);
    add_member(f, 0, 1, beam, divide);
}

/* The lowest angular frequencies squared, the rigid motions left out. */
static void lowest(const struct yk_frame *f, size_t rigid, size_t count, double *w2)
{
    struct yk_frame_model model;
    double all[16];

    assert_ok(yk_frame_assemble(f, &model, &err));
    assert_ok(yk_eigen_symmetric(&model.K, &model.M, rigid + count, all, NULL, &err));
    memcpy(w2, all + rigid, count * sizeof *w2);
    yk_frame_model_fini(&model);
}

/* w = (beta L)^2 sqrt(EI / (rho A L^4)) with the roots of cos cosh = -1, sin = 0 and cos cosh = 1. The axial
 * frequencies of this slender beam are far above. */
static void frequencies_of_euler_bernoulli_beams_converge(void **state)
{
    static const struct {
        unsigned left, right;
        size_t rigid;
        double root[3];
    } rows[] = {
        {ALL, 0, 0, {1.8751040687119611, 4.6940911329741746, 7.8547574382376126}},
        {1u << X | 1u << Y, 1u << Y, 0, {3.1415926535897931, 6.2831853071795862, 9.4247779607693793}},
        {0, 0, 3, {4.7300407448627040, 7.8532046240958376, 10.995607838001671}},
        {ALL, ALL, 0, {4.7300407448627040, 7.8532046240958376, 10.995607838001671}},
    };
    const struct yk_beam beam = {.section = steel};
    const double L = 8;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct yk_frame f;
        double w2[3];

        make_beam(&f, L, &beam, 64, rows[r].left, rows[r].right);
        lowest(&f, rows[r].rigid, 3, w2);
        for (int i = 0; i < 3; i++)
            assert_near_relative(
                sqrt(w2[i]), pow(rows[r].root[i] / L, 2) * sqrt(steel.E * steel.Iz / (steel.density * steel.A)), 1e-6);
        yk_frame_fini(&f);
    }
}

/* Simply supported Timoshenko beam, deflection W sin(k x), rotation T cos(k x), k = n pi / L: the determinant of
 * [GA k^2 - rho A w^2, -GA k; -GA k, EI k^2 + GA - rho I w^2] vanishes (GA: with the shear area). */
static double timoshenko_w2(const struct yk_section *s, double k)
{
    const double GA = shear_modulus(s) * s->shear_y, mass = s->density * s->A, rotary = s->density * s->Iz;
    const double a = mass * rotary, b = GA * k * k * rotary + mass * (s->E * s->Iz * k * k + GA);
    const double c = GA * k * k * s->E * s->Iz * k * k;

    return 2 * c / (b + sqrt(b * b - 4 * a * c)); /* the lower root, without cancellation */
}

/* Elements shorter than the depth of the section: shear makes the error fall with h^2. Extrapolated from two meshes. */
static void frequencies_of_timoshenko_beams_converge(void **state)
{
    const struct yk_beam stocky = {.section = steel, .theory = YK_TIMOSHENKO};
    const double L = 0.5, pi = 3.14159265358979324;
    double w2[2][2];

    for (int mesh = 0; mesh < 2; mesh++) {
        struct yk_frame f;

        make_beam(&f, L, &stocky, mesh ? 80 : 40, 1u << Y, 1u << Y);
        for (size_t i = 0; i < f.node_count; i++)
            f.nodes[i].fixed |= 1u << X; /* its axial frequencies lie among the others */
        lowest(&f, 0, 2, w2[mesh]);
        yk_frame_fini(&f);
    }
    for (int n = 1; n <= 2; n++) {
        const double exact = sqrt(timoshenko_w2(&steel, n * pi / L));
        const double extrapolated = (4 * sqrt(w2[1][n - 1]) - sqrt(w2[0][n - 1])) / 3;

        assert_near_relative(sqrt(w2[1][n - 1]), exact, 1e-4);
        assert_near_relative(extrapolated, exact, 1e-6);
        /* the test sees the shear */
        assert_true(exact < 0.97 * pow(n * pi / L, 2) * sqrt(steel.E * steel.Iz / (steel.density * steel.A)));
    }
}

/* Both theories agree where the beam is slender, L / r = 10^4. */
static void timoshenko_tends_to_euler_bernoulli(void **state)
{
    struct yk_beam beam = {.section = steel};
    double w2[2][2];

    for (int theory = 0; theory < 2; theory++) {
        struct yk_frame f;

        beam.theory = (enum yk_theory)theory;
        make_beam(&f, 1e4 * sqrt(steel.Iz / steel.A), &beam, 32, ALL, 0);
        lowest(&f, 0, 2, w2[theory]);
        yk_frame_fini(&f);
    }
    for (int i = 0; i < 2; i++)
        assert_near_relative(sqrt(w2[1][i]), sqrt(w2[0][i]), 1e-6);
}

/* Frequencies with error h^2: extrapolated from two meshes, then 1e-6. Bar fixed at one end, w = pi/2 c/L, c^2 = E/rho
 * or G J / (rho Ip); and the cantilever with lumped mass. */
static void axial_torsional_and_lumped_frequencies_converge(void **state)
{
    const double half_pi = 1.5707963267948966, L = 3, rho = steel.density;
    const double wanted[3] = {half_pi / L * sqrt(steel.E / rho),
                              half_pi / L * sqrt(shear_modulus(&steel) * steel.J / (rho * (steel.Iy + steel.Iz))),
                              pow(1.8751040687119611 / L, 2) * sqrt(steel.E * steel.Iz / (rho * steel.A))};
    const unsigned held[3] = {ALL & ~(1u << X), ALL & ~(1u << RX), ALL & ~(1u << Y | 1u << RZ)};

    for (int kind = 0; kind < 3; kind++) {
        double w[2];

        for (int mesh = 0; mesh < 2; mesh++) {
            const struct yk_beam beam = {.section = steel, .spread = kind == 2 ? YK_LUMPED : YK_CONSISTENT};
            struct yk_frame f = {0};
            double w2;

            add_node(&f, "left", 0, 0, 0, ALL);
            add_node(&f, "right", L, 0, 0, held[kind]);
            add_member(&f, 0, 1, &beam, mesh ? 80 : 40);
            for (size_t i = 2; i < f.node_count; i++)
                f.nodes[i].fixed = held[kind];
            lowest(&f, 0, 1, &w2);
            w[mesh] = sqrt(w2);
            yk_frame_fini(&f);
        }
        assert_near_relative((4 * w[1] - w[0]) / 3, wanted[kind], 1e-6);
    }
}

/* Displacement at a row under a force there. */
static double flexibility(const struct yk_frame *f, size_t node, int dof)
{
    struct yk_frame_model model;
    struct yk_factor *factor;
    double *u, result;
    long row;

    assert_ok(yk_frame_assemble(f, &model, &err));
    row = model.index[node * DOFS + (size_t)dof];
    assert_true(row >= 0);
    u = calloc(model.n, sizeof *u);
    u[row] = 1;
    assert_ok(yk_factor_create(&factor, &model.K, NULL, &err));
    yk_factor_solve(factor, u);
    result = u[row];
    yk_factor_destroy(factor);
    yk_frame_model_fini(&model);
    free(u);
    return result;
}

/* Patch test: elements of unequal length give the exact displacements of constant strain, curvature and shear at the
 * nodes: L/EA, L/EI, L^3/3EI + L/GA_s, in any direction in space. */
static void statics_are_exact_for_any_mesh(void **state)
{
    const struct yk_beam beam = {.section = steel, .theory = YK_TIMOSHENKO, .up = {0, 0, 1}};
    static const double at[] = {0, 0.1, 0.45, 0.5, 1.7, 2};
    const double L = 2, G = shear_modulus(&steel);
    struct yk_frame f = {0};

    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char name[8];

        snprintf(name, sizeof name, "n%zu", i);
        add_node(&f, name, at[i], 0, 0, i ? 0 : ALL);
    }
    for (size_t i = 1; i < sizeof at / sizeof *at; i++)
        add_member(&f, i - 1, i, &beam, i == 4 ? 3 : 1);
    assert_near_relative(flexibility(&f, 5, X), L / (steel.E * steel.A), 1e-11);
    assert_near_relative(flexibility(&f, 5, RX), L / (G * steel.J), 1e-11);
    assert_near_relative(flexibility(&f, 5, RZ), L / (steel.E * steel.Iz), 1e-10);
    assert_near_relative(flexibility(&f, 5, Y), L * L * L / (3 * steel.E * steel.Iz) + L / (G * steel.shear_y), 1e-10);
    assert_near_relative(flexibility(&f, 5, Z), L * L * L / (3 * steel.E * steel.Iy) + L / (G * steel.shear_z), 1e-10);
    yk_frame_fini(&f);
}

/* A portal in space, turned as a whole: the same frequencies. */
static void turned_frames_have_the_same_frequencies(void **state)
{
    static const double at[4][3] = {{0, 0, 0}, {0, 0, 3}, {4, 0, 3}, {4, 1, 0}};
    uint64_t seed = 3;
    double w2[2][6], R[3][3];

    random_rotation(&seed, R);
    for (int turned = 0; turned < 2; turned++) {
        struct yk_beam beam = {.section = steel, .up = {0.3, 1, 0.2}};
        struct yk_frame f = {0};

        if (turned)
            rotate(R, (double[]){0.3, 1, 0.2}, beam.up);
        for (int i = 0; i < 4; i++) {
            double p[3];

            rotate(R, at[i], p);
            memcpy(p, turned ? p : at[i], sizeof p);
            add_node(&f, (const char *[]){"a", "b", "c", "d"}[i], p[0], p[1], p[2], i == 0 || i == 3 ? ALL : 0);
        }
        for (size_t i = 0; i < 3; i++)
            add_member(&f, i, i + 1, &beam, 4);
        lowest(&f, 0, 6, w2[turned]);
        yk_frame_fini(&f);
    }
    for (int i = 0; i < 6; i++)
        assert_near_relative(w2[1][i], w2[0][i], 1e-9);
}

/* A frame held by nothing has six motions without energy and no more. */
static void free_frames_have_six_rigid_motions(void **state)
{
    struct yk_beam beam = {.section = steel};
    struct yk_frame f = {0};
    double w2[8];

    add_node(&f, "a", 0, 0, 0, 0);
    add_node(&f, "b", 2, 0, 0, 0);
    add_node(&f, "c", 2, 1, 0, 0);
    add_node(&f, "d", 0, 0, 1.5, 0);
    add_member(&f, 0, 1, &beam, 4);
    add_member(&f, 1, 2, &beam, 3);
    add_member(&f, 0, 3, &beam, 3);
    lowest(&f, 0, 8, w2);
    for (int i = 0; i < 6; i++)
        assert_near(w2[i] / w2[6], 0, 1e-8);
    assert_true(w2[6] > 0);
    yk_frame_fini(&f);
}

/* ---- releases, trusses, links, supports ------------------------------------------------------------------------ */

/* Clamped at both ends, hinge in the middle, load on it: two cantilevers of half the length share it. */
static void hinges_transmit_no_moment(void **state)
{
    struct yk_beam beam = {.section = steel};
    struct yk_frame f = {.plane = true};

    add_node(&f, "left", 0, 0, 0, ALL);
    add_node(&f, "hinge", 1, 0, 0, 0);
    add_node(&f, "right", 2, 0, 0, ALL);
    beam.release[1] = 1u << RZ;
    add_member(&f, 0, 1, &beam, 2);
    beam.release[1] = 0;
    add_member(&f, 1, 2, &beam, 2);
    assert_near_relative(flexibility(&f, 1, Y), 0.5 / (3 * steel.E * steel.Iz), 1e-10);
    yk_frame_fini(&f);
}

/* Hinges at both ends of a clamped beam: the frequencies of simple supports. */
static void released_ends_vibrate_like_simple_supports(void **state)
{
    const struct yk_beam beam = {.section = steel, .release = {1u << RZ, 1u << RZ}};
    const double L = 8;
    struct yk_frame f;
    double w2;

    make_beam(&f, L, &beam, 64, ALL, ALL);
    lowest(&f, 0, 1, &w2);
    assert_near_relative(sqrt(w2), pow(3.14159265358979324 / L, 2) * sqrt(steel.E * steel.Iz / (7850 * steel.A)), 1e-6);
    yk_frame_fini(&f);
}

/* Two bars at 45 degrees carry a load P at their joint: v = P L / (2 E A sin^2), L the length of a bar. */
static void trusses_carry_axial_force_only(void **state)
{
    const struct yk_beam bar = {.section = {.E = 2e11, .A = 1e-4, .density = 7850}, .theory = YK_TRUSS};
    struct yk_frame f = {.plane = true};
    struct yk_frame_model model;

    add_node(&f, "left", -1, 0, 0, ALL);
    add_node(&f, "right", 1, 0, 0, ALL);
    add_node(&f, "joint", 0, -1, 0, 0);
    add_member(&f, 0, 2, &bar, 1);
    add_member(&f, 1, 2, &bar, 1);
    assert_near_relative(flexibility(&f, 2, Y), sqrt(2) / (2 * 2e7 * 0.5), 1e-12);
    assert_ok(yk_frame_assemble(&f, &model, &err));
    assert_int_equal(model.n, 2); /* nothing turns */
    assert_int_equal(model.index[2 * DOFS + RZ], YK_DOF_UNUSED);
    yk_frame_model_fini(&model);
    yk_frame_fini(&f);
}

/* A mass on a rigid arm at the tip of a cantilever: inertia m at the tip, m r in the coupling, m r^2 in the turn; and a
 * beam that goes on from the end of the arm bends as if the arm were stiff. */
static void rigid_links_carry_mass_and_members(void **state)
{
    const struct yk_beam beam = {.section = steel};
    struct yk_frame f = {0};
    struct yk_frame_model model;
    struct yk_frame_link link = {.dofs = ~0u};

    add_node(&f, "base", 0, 0, 0, ALL);
    add_node(&f, "tip", 2, 0, 0, 0);
    add_node(&f, "arm", 2, 0.5, 0.25, 0);
    add_node(&f, "hand", 2, 0.75, 0.25, 0);
    f.nodes[3].mass[X] = f.nodes[3].mass[Y] = f.nodes[3].mass[Z] = 4;
    add_member(&f, 0, 1, &beam, 1);
    link.master = 1;
    link.slave = 2;
    assert_ok(yk_frame_add_link(&f, &link, &err));
    link.master = 2; /* a chain */
    link.slave = 3;
    assert_ok(yk_frame_add_link(&f, &link, &err));
    assert_ok(yk_frame_assemble(&f, &model, &err));
    assert_int_equal(model.n, 6);
    assert_int_equal(model.index[3 * DOFS + Y], YK_DOF_TIED);
    const double m = 7850 * steel.A * 2, polar = 7850 * (steel.Iy + steel.Iz) * 2;
    assert_near_relative(yk_matrix_get(&model.M, X, X), m / 3 + 4, 1e-12);
    assert_near_relative(yk_matrix_get(&model.M, RX, RX), polar / 3 + 4 * (0.75 * 0.75 + 0.25 * 0.25), 1e-12);
    assert_near_relative(yk_matrix_get(&model.M, X, RZ), -4 * 0.75, 1e-12);
    assert_near_relative(yk_matrix_get(&model.M, X, RY), 4 * 0.25, 1e-12);
    yk_frame_model_fini(&model);
    yk_frame_fini(&f);
}

/* Two cantilevers side by side, tied in y only: twice as stiff across, as they were along the axis. */
static void links_may_tie_some_directions_only(void **state)
{
    const struct yk_beam beam = {.section = steel};
    const struct yk_frame_link link = {.master = 1, .slave = 3, .dofs = 1u << Y};
    struct yk_frame f = {.plane = true};

    add_node(&f, "base1", 0, 0, 0, ALL);
    add_node(&f, "tip1", 2, 0, 0, 0);
    add_node(&f, "base2", 0, 0, 0, ALL);
    add_node(&f, "tip2", 2, 0, 0, 0);
    add_member(&f, 0, 1, &beam, 1);
    add_member(&f, 2, 3, &beam, 1);
    assert_ok(yk_frame_add_link(&f, &link, &err));
    assert_near_relative(flexibility(&f, 1, Y), 8 / (6 * steel.E * steel.Iz), 1e-10);
    assert_near_relative(flexibility(&f, 3, RZ), flexibility(&f, 1, RZ), 1e-10);
    assert_near_relative(flexibility(&f, 1, X), 2 / (steel.E * steel.A), 1e-10);
    yk_frame_fini(&f);
}

/* With the supports let go, M b of the free structure in the rows that stay: what a ground motion drags along. */
static void supports_have_their_share_in_a_ground_motion(void **state)
{
    const struct yk_beam beam = {.section = steel, .theory = YK_TIMOSHENKO};
    struct yk_frame_model held, loose;
    struct yk_frame f = {0};
    double *b, *whole, *own;

    add_node(&f, "base", 0.1, 0.2, 0, ALL);
    add_node(&f, "knee", 0.4, 0.1, 2, 0);
    add_node(&f, "end", 2, 1, 2.5, 1u << Z);
    add_member(&f, 0, 1, &beam, 2);
    add_member(&f, 1, 2, &beam, 2);
    assert_ok(yk_frame_assemble(&f, &held, &err));
    f.nodes[0].fixed = f.nodes[2].fixed = 0;
    assert_ok(yk_frame_assemble(&f, &loose, &err));
    b = calloc(loose.n, sizeof *b);
    for (size_t axis = 0; axis < 3; axis++) {
        whole = calloc(loose.n, sizeof *whole);
        own = calloc(held.n, sizeof *own);
        for (size_t p = 0; p < f.node_count * DOFS; p++)
            b[loose.index[p]] = p % DOFS == axis;
        yk_matrix_add_product(&loose.M, 1, b, whole);
        for (size_t p = 0; p < f.node_count * DOFS; p++)
            if (held.index[p] >= 0)
                b[held.index[p]] = p % DOFS == axis;
        yk_matrix_add_product(&held.M, 1, b, own);
        for (size_t p = 0; p < f.node_count * DOFS; p++)
            if (held.index[p] >= 0)
                assert_near(own[held.index[p]] + held.support[(size_t)held.index[p] + axis * held.n],
                            whole[loose.index[p]], 1e-12 * 7850 * steel.A);
        free(whole);
        free(own);
    }
    free(b);
    yk_frame_model_fini(&held);
    yk_frame_model_fini(&loose);
    yk_frame_fini(&f);
}

/* A tower of 10,002 degrees of freedom: sparse, with the right mass. */
static void large_frames_stay_sparse(void **state)
{
    const struct yk_beam beam = {.section = steel};
    struct yk_frame f = {0};
    struct yk_frame_model model;
    double mass = 0;

    add_node(&f, "base", 0, 0, 0, ALL);
    add_node(&f, "top", 0, 0, 100, 0);
    add_member(&f, 0, 1, &beam, 1667);
    assert_ok(yk_frame_assemble(&f, &model, &err));
    assert_int_equal(model.n, 10002);
    assert_int_equal(model.K.form, YK_SPARSE);
    assert_true(yk_matrix_nonzeros(&model.K) < 20 * model.n);
    for (size_t i = 0; i < model.n; i += 6)
        for (int k = model.M.col[i]; k < model.M.col[i + 1]; k++)
            mass += model.M.row[k] % 6 == 0 ? model.M.x[k] : 0;
    for (size_t i = 0; i < model.n; i += 6)
        mass += model.support[i];
    /* what is missing is the row of the held end */
    assert_near_relative(mass + 7850 * steel.A * 100 / 1667 * (156 + 54) / 420, 7850 * steel.A * 100, 1e-9);
    yk_frame_model_fini(&model);
    yk_frame_fini(&f);
}

/* ---- what is refused ------------------------------------------------------------------------------------------- */

static void members_that_make_no_sense_are_refused(void **state)
{
    struct yk_beam beam = along(1, 0, 0, YK_EULER_BERNOULLI), bad = beam;

    memcpy(bad.ends[1], bad.ends[0], sizeof bad.ends[0]);
    assert_refused(yk_beam_matrices(&bad, NULL, NULL, &err), YK_E_INPUT, "it has no length");
    bad = beam;
    bad.up[0] = -2;
    assert_refused(yk_beam_matrices(&bad, NULL, NULL, &err), YK_E_INPUT, "`up` points along the member");
    bad = beam;
    bad.section.J = 0;
    assert_refused(yk_beam_matrices(&bad, NULL, NULL, &err), YK_E_INPUT, "its section has no J, which a beam in space");
    bad = beam;
    bad.section.shear_z = 0;
    bad.theory = YK_TIMOSHENKO;
    assert_refused(yk_beam_matrices(&bad, NULL, NULL, &err), YK_E_INPUT, "has no shear_z, which a Timoshenko beam");
    bad = beam;
    bad.release[0] = bad.release[1] = 1u << RX;
    assert_refused(yk_beam_matrices(&bad, NULL, NULL, &err), YK_E_SINGULAR, "rx is free at its second end");
    bad = beam;
    bad.release[0] = bad.release[1] = 1u << RZ | 1u << Y;
    assert_refused(yk_beam_matrices(&bad, NULL, NULL, &err), YK_E_SINGULAR, "mechanism");
    bad = beam;
    bad.theory = YK_TRUSS;
    bad.release[0] = 1u << RZ;
    assert_refused(yk_beam_matrices(&bad, NULL, NULL, &err), YK_E_INPUT, "there is nothing to release");
}

static void frames_that_make_no_sense_are_refused(void **state)
{
    const struct yk_beam beam = {.section = steel};
    struct yk_frame f = {0};
    struct yk_frame_model model;
    struct yk_frame_link link = {.master = 0, .slave = 1, .dofs = ~0u};

    add_node(&f, "a", 0, 0, 0, 0);
    add_node(&f, "b", 1, 0, 0, 0);
    add_node(&f, "c", 1, 1, 0, 1u << X);
    add_member(&f, 0, 1, &beam, 1);
    assert_refused(yk_frame_assemble(&f, &model, &err), YK_E_INPUT, "node 'c' is not attached");
    assert_ok(yk_frame_add_link(&f, &link, &err));
    assert_refused(yk_frame_add_link(&f, &link, &err), YK_E_INPUT, "b.x is tied twice, to 'a' and to 'a'");
    link = (struct yk_frame_link){.master = 1, .slave = 0, .dofs = ~0u};
    assert_ok(yk_frame_add_link(&f, &link, &err));
    assert_refused(yk_frame_assemble(&f, &model, &err), YK_E_INPUT, "rigid links form a cycle");
    link = (struct yk_frame_link){.master = 1, .slave = 2, .dofs = ~0u};
    assert_refused(yk_frame_add_link(&f, &link, &err), YK_E_INPUT, "c.x is both fixed and tied to 'b'");
    link = (struct yk_frame_link){.master = 2, .slave = 2, .dofs = ~0u};
    assert_refused(yk_frame_add_link(&f, &link, &err), YK_E_INPUT, "node 'c' is tied to itself");
    yk_frame_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_bernoulli_matrices_are_those_of_the_textbooks),
        cmocka_unit_test(rigid_motions_need_no_force),
        cmocka_unit_test(rigid_motions_have_the_energy_of_the_body),
        cmocka_unit_test(turned_beams_have_the_same_energy),
        cmocka_unit_test(frequencies_of_euler_bernoulli_beams_converge),
        cmocka_unit_test(frequencies_of_timoshenko_beams_converge),
        cmocka_unit_test(timoshenko_tends_to_euler_bernoulli),
        cmocka_unit_test(axial_torsional_and_lumped_frequencies_converge),
        cmocka_unit_test(statics_are_exact_for_any_mesh),
        cmocka_unit_test(turned_frames_have_the_same_frequencies),
        cmocka_unit_test(free_frames_have_six_rigid_motions),
        cmocka_unit_test(hinges_transmit_no_moment),
        cmocka_unit_test(released_ends_vibrate_like_simple_supports),
        cmocka_unit_test(trusses_carry_axial_force_only),
        cmocka_unit_test(rigid_links_carry_mass_and_members),
        cmocka_unit_test(links_may_tie_some_directions_only),
        cmocka_unit_test(supports_have_their_share_in_a_ground_motion),
        cmocka_unit_test(large_frames_stay_sparse),
        cmocka_unit_test(members_that_make_no_sense_are_refused),
        cmocka_unit_test(frames_that_make_no_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
