/* Members inside a structure: forces, tangents and memory through their ends, what is evaluated and how often, energy,
 * damping by committed stiffness, states of an arena. */
#include "support/check.h"
#include "support/method.h"
#include "support/yielding_column.h"

#include <math.h>
#include <stdlib.h>

#include <yoke/substructure.h>

#include "base/helper.h"
#include "substructure/probe.h"
#include <yoke/look.h>

enum { MEMBERS = 2, N = 3 * MEMBERS, TOP = N - 3 };

static const struct yielding_column elastic = {.members = MEMBERS, .yield = INFINITY},
                                    yielding = {.members = MEMBERS, .yield = 2e-3, .hardening = 0.05},
                                    p_delta = {.members = MEMBERS,
                                               .yield = 2e-3,
                                               .hardening = 0.05,
                                               .geometry = YK_GEOMETRY_P_DELTA},
                                    mixed = {.members = MEMBERS, .yield = 2e-3, .hardening = 0.05, .mixed = true};
static const double zero[N];

/* A path that yields and comes back. */
static void path(int k, double *u)
{
    for (int i = 0; i < N; i++)
        u[i] = 0.03 * sin(0.4 * k + i) * (i % 3 == 1 ? 0.01 : 1) + 0.001 * k * (i == TOP);
}

static void force_at(struct yk_system *s, double t, const double *u, double *p)
{
    yk_system_force(s, t, zero, u, zero, p);
}

/* ---- forces and tangents ----------------------------------------------------------------------------------------- */

/* The stiffness of the two-member column, by hand: unit displacement of the top, all else held. */
static void forces_go_through_the_ends(void **state)
{
    const double L = COLUMN_HEIGHT / MEMBERS, u[N] = {[TOP] = 1e-3};
    struct yk_system *s = yielding_column_create(&elastic, NULL);
    double p[N];

    force_at(s, 0, u, p);
    assert_near(p[TOP], -12e-3 * COLUMN_EI / (L * L * L), 1e-6);
    assert_near(p[0], 12e-3 * COLUMN_EI / (L * L * L), 1e-6);
    assert_near(fabs(p[TOP + 2]), 6e-3 * COLUMN_EI / (L * L), 1e-6);
    assert_near(p[1], 0, 0);
    assert_false(s->linear);
    yk_system_destroy(s);
}

/* A tip that hangs on a rigid arm: T has two entries in a row. */
static void links_are_followed_by_forces_and_tangents(void **state)
{
    const double arm = 0.5;
    struct yk_structure_parts parts, plain;
    struct yk_system *linked, *direct;
    double u[N], w[N], p[N], q[N], K[N * N], C[N * N], K0[N * N];

    yielding_column_parts(&yielding, &parts);
    yielding_column_parts(&yielding, &plain);
    for (size_t j = 0; j < 12; j++) /* the top moves along x by u - arm rz */
        parts.members[1].T[j + 12 * 5] -= arm * parts.members[1].T[j + 12 * 3];
    assert_ok(yk_structure_create(&linked, &parts, NULL, &err));
    assert_ok(yk_structure_create(&direct, &plain, NULL, &err));
    path(1, u);
    memcpy(w, u, sizeof w);
    w[TOP] -= arm * u[TOP + 2];
    force_at(linked, 0, u, p);
    force_at(direct, 0, w, q);
    q[TOP + 2] -= arm * q[TOP];
    for (int i = 0; i < N; i++)
        assert_near(p[i], q[i], 1e-9 * fabs(q[i]) + 1e-6);
    linked->ops->tangent(linked->self, u, zero, K, C);
    direct->ops->tangent(direct->self, w, zero, K0, C);
    for (int j = 0; j < N; j++) /* K0 T, then T^T (K0 T) */
        K0[j + (TOP + 2) * N] -= arm * K0[j + TOP * N];
    for (int j = 0; j < N; j++)
        K0[TOP + 2 + j * N] -= arm * K0[TOP + j * N];
    for (int i = 0; i < N * N; i++)
        assert_near(K[i], K0[i], 1e-6 * COLUMN_EI);
    yk_system_destroy(linked);
    yk_system_destroy(direct);
}

/* Central differences of the force, away from the kink; the pattern holds the same. */
static void tangents_are_derivatives_of_forces(void **state)
{
    static const struct yielding_column *const columns[] = {&yielding, &p_delta, &mixed};

    for (int c = 0; c < 3; c++) {
        struct yk_system *s = yielding_column_create(columns[c], NULL);
        double K[N * N], C[N * N], Kx[N * N], Cx[N * N], u[N], p[2][N];

        assert_true(s->pattern.symmetric);
        for (int k = 1; k < 8; k++) {
            path(k, u);
            force_at(s, 0, u, p[0]);
            s->ops->tangent(s->self, u, zero, K, C);
            s->ops->sparse_tangent(s->self, u, zero, Kx, Cx);
            for (size_t j = 0; j < N; j++) {
                for (int side = 0; side < 2; side++) {
                    const double was = u[j];

                    u[j] += side ? 1e-7 : -1e-7;
                    force_at(s, 0, u, p[side]);
                    u[j] = was;
                }
                for (size_t i = 0; i < N && !(c == 1 && j % 3 == 1); i++) /* P-Delta leaves out what is not symmetric */
                    assert_near(K[i + j * N], (p[0][i] - p[1][i]) / 2e-7, 1e-5 * COLUMN_EI);
                for (int e = s->pattern.col[j]; e < s->pattern.col[j + 1]; e++)
                    assert_near(Kx[e], K[(size_t)s->pattern.row[e] + j * N], 0);
            }
            s->ops->commit(s->self, 0, u, zero);
        }
        yk_system_destroy(s);
    }
}

/* Forces beyond the linear matrices act on degrees of freedom whose tangents vary. */
static void what_is_beyond_the_matrices_is_that_of_the_members(void **state)
{
    struct yk_system *s = yielding_column_create(&mixed, NULL);
    double u[N], p[N], q[N] = {0};

    path(2, u);
    force_at(s, 0, u, p);
    yk_matrix_add_product(s->linear_K, -1, u, q);
    s->ops->beyond(s->self, 0, u, zero, q);
    for (int i = 0; i < N; i++)
        assert_near(q[i], p[i], 1e-9 * fabs(p[i]));
    yk_system_destroy(s);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void walk(struct yk_system *s, int from, int to)
{
    double u[N];

    for (int k = from; k <= to; k++) {
        path(k, u);
        s->ops->commit(s->self, 0, u, zero);
    }
}

/* Force and tangent in a state that is not on the path. */
static void look(struct yk_system *s, double *seen)
{
    double u[N], C[N * N];

    path(3, u);
    u[0] += 0.01;
    force_at(s, 0, u, seen);
    s->ops->tangent(s->self, u, zero, seen + N, C);
}

static void assert_same_look(struct yk_system *a, struct yk_system *b)
{
    double x[N + N * N], y[N + N * N];

    look(a, x);
    look(b, y);
    assert_memory_equal(x, y, sizeof x);
}

static void memory_goes_back_to_the_mark(void **state)
{
    struct yk_system *s = yielding_column_create(&mixed, NULL), *other = yielding_column_create(&mixed, NULL);

    walk(s, 0, 4);
    walk(other, 0, 4);
    s->ops->mark(s->self);
    for (int again = 0; again < 3; again++) {
        walk(s, 9, 9 + 5 * again);
        s->ops->rewind(s->self);
        assert_same_look(s, other);
    }
    walk(s, 5, 9);
    walk(other, 5, 9);
    assert_same_look(s, other);
    s->ops->rest(s->self, zero);
    yk_system_destroy(other);
    other = yielding_column_create(&mixed, NULL);
    assert_same_look(s, other);
    yk_system_destroy(s);
    yk_system_destroy(other);
}

/* Interleaved, with marks between: each sequence is as if it were alone. */
static void sequences_have_memories_of_their_own(void **state)
{
    struct yk_system *s = yielding_column_create(&mixed, NULL), *alone[YK_CHAINS];

    for (int k = 0; k < YK_CHAINS; k++)
        alone[k] = yielding_column_create(&mixed, NULL);
    for (int turn = 0; turn < 3; turn++)
        for (int k = 0; k < YK_CHAINS; k++) {
            s->ops->follow(s->self, k);
            walk(s, 4 * turn + k, 4 * turn + 2 * k);
            walk(alone[k], 4 * turn + k, 4 * turn + 2 * k);
            s->ops->mark(s->self);
            walk(s, 1, 3);
            s->ops->rewind(s->self);
            assert_same_look(s, alone[k]);
        }
    for (int k = 0; k < YK_CHAINS; k++) {
        s->ops->follow(s->self, k);
        assert_same_look(s, alone[k]);
        yk_system_destroy(alone[k]);
    }
    yk_system_destroy(s);
}

/* Trials leave no trace, wherever they have been. */
static void trials_are_forgotten(void **state)
{
    struct yk_system *s = yielding_column_create(&yielding, NULL), *other = yielding_column_create(&yielding, NULL);
    double u[N], p[N], K[N * N], C[N * N];

    for (int k = 0; k < 10; k++) {
        for (int trial = 0; trial < 3; trial++) {
            path(20 + 7 * k + trial, u);
            force_at(s, 0, u, p);
            if (trial == 1)
                s->ops->tangent(s->self, u, zero, K, C);
        }
        walk(s, k, k);
        walk(other, k, k);
        assert_same_look(s, other);
    }
    yk_system_destroy(s);
    yk_system_destroy(other);
}

/* Copies of an arena are structures of their own. */
static void states_of_an_arena_move_apart(void **state)
{
    struct yk_arena mem = {0};
    struct yk_system *s = yielding_column_create(&mixed, &mem), *copy[2], *alone[2];
    struct yk_layout *image;
    void *block[2];

    walk(s, 0, 5);
    assert_ok(yk_layout_make(&image, &mem, &err));
    for (int k = 0; k < 2; k++) {
        assert_non_null(block[k] = aligned_alloc(64, yk_layout_size(image)));
        yk_layout_write(image, block[k]);
        copy[k] = yk_layout_at(image, block[k], s);
        alone[k] = yielding_column_create(&mixed, NULL);
        walk(alone[k], 0, 5);
    }
    walk(copy[0], 6, 11);
    walk(alone[0], 6, 11);
    walk(copy[1], 3, 9);
    walk(alone[1], 3, 9);
    for (int k = 0; k < 2; k++)
        assert_same_look(copy[k], alone[k]);
    yk_layout_copy(image, block[1], block[0]);
    assert_same_look(copy[1], alone[0]);
    for (int k = 0; k < 2; k++) {
        yk_system_destroy(alone[k]);
        free(block[k]);
    }
    yk_layout_destroy(image);
    yk_system_destroy(s);
    yk_arena_free(&mem);
}

/* ---- how often --------------------------------------------------------------------------------------------------- */

/* Force, tangent, commit and account of one displacement are one state; after the first step the tangent comes with the
 * force where a method asks for it, and without it where none does. */
static void a_state_is_found_once(void **state)
{
    struct yk_system *s = yielding_column_create(&yielding, NULL);
    double u[N], p[N], K[N * N], C[N * N];
    struct yk_energy energy = {0};

    for (int asks = 0; asks < 2; asks++)
        for (int k = 1; k < 5; k++) {
            yielding_count = (struct yielding_count){0};
            path(k + 5 * asks, u);
            force_at(s, 0.01 * k, u, p);
            if (asks)
                s->ops->tangent(s->self, u, zero, K, C);
            s->ops->commit(s->self, 0.01 * k, u, zero);
            if (asks) /* where it is committed the tangent is known */
                s->ops->tangent(s->self, u, zero, K, C);
            s->ops->account(s->self, zero, u, zero, &energy);
            assert_int_equal(yielding_count.states, asks && k == 1 ? 2 * MEMBERS : MEMBERS);
            assert_int_equal(yielding_count.tangents, asks ? MEMBERS : 0);
        }
    yk_system_destroy(s);
}

/* Steps of a method: states of each member, after the first step. */
static double states_per_step(const char *method)
{
    enum { STEPS = 40 };
    struct yk_system *s = yielding_column_create(&yielding, NULL);
    struct yk_domain d;

    s->v0[TOP] = 1;
    method_open(&d, &(struct method){method, {{0}}}, s, no_load, 1e-3);
    assert_int_equal(yk_domain_step(&d), YK_OK);
    yielding_count = (struct yielding_count){0};
    const size_t before = yk_tally_members(s).evaluations;
    for (int k = 0; k < STEPS; k++)
        assert_int_equal(yk_domain_step(&d), YK_OK);
    /* what `yoke check` tells of it */
    assert_int_equal(MEMBERS * (yk_tally_members(s).evaluations - before), yielding_count.states);
    yk_domain_destroy(&d);
    yk_system_destroy(s);
    return (double)yielding_count.states / (STEPS * MEMBERS);
}

static void methods_find_as_many_states_as_they_evaluate_forces(void **state)
{
    static const struct {
        const char *method;
        double states;
    } rows[] = {{"central-difference", 1},
                {"chang", 1},
                {"cr", 1},
                {"kr-alpha", 1},
                {"lsrt1", 1},
                {"lsrt2", 2},
                {"lsrt3", 3},
                {"rk4", 4},
                {"alpha-os", 2}}; /* prediction, accepted state */

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_near(states_per_step(rows[i].method), rows[i].states, 0);
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

static void push_top(void *self, double t, double *f)
{
    memset(f, 0, N * sizeof *f);
    f[TOP] = 4e4 * sin(9 * t);
    f[TOP + 1] = -2e5 * fmin(t / 0.1, 1);
}

/* Average acceleration and the trapezium: the balance closes to what Newton leaves. */
static void energy_of_yielding_members_balances(void **state)
{
    struct yielding_column c = p_delta;
    double most = 0;

    for (int damped = 0; damped < 2; damped++) {
        c.mass_damping = damped ? 0.3 : 0;
        c.committed_damping = damped ? 2e-3 : 0;

        struct yk_system *s = yielding_column_create(&c, NULL);
        struct yk_energy energy = {0};
        struct yk_domain d;
        struct yk_kinematics now;

        method_open(&d, &(struct method){"newmark-newton", {{"tolerance", 1e-13}}}, s,
                    (struct yk_loading){.at = push_top}, 1e-3);
        s->ops->account(s->self, d.f, s->u0, s->v0, &energy);
        for (int k = 0; k < 1500; k++) {
            assert_int_equal(yk_domain_step(&d), YK_OK);
            yk_domain_now(&d, &now);
            s->ops->account(s->self, d.f, now.u, now.v, &energy);
            most = fmax(most, fabs(energy.work));
            assert_near(energy.kinetic + energy.stored + energy.dissipated, energy.work, 1e-9 * most);
        }
        assert_true(energy.dissipated > 0.1 * most); /* it has yielded */
        yk_domain_destroy(&d);
        yk_system_destroy(s);
    }
}

/* ---- damping ----------------------------------------------------------------------------------------------------- */

/* p = -a1 K v with K of the last commit, whatever the trial; C is a1 K. */
static void committed_damping_takes_the_stiffness_of_the_last_commit(void **state)
{
    struct yielding_column c = yielding, without = yielding;
    double u[N], v[N], p[N], q[N], K[N * N], C[N * N], none[N * N], wanted[N] = {0};

    c.committed_damping = 0.01;

    struct yk_system *s = yielding_column_create(&c, NULL), *other = yielding_column_create(&without, NULL);

    for (int i = 0; i < N; i++)
        v[i] = cos(2.0 * i);
    for (int k = 0; k < 6; k++) {
        path(k, u);
        other->ops->tangent(other->self, u, zero, K, none); /* as it is reached */
        s->ops->commit(s->self, 0, u, v);
        other->ops->commit(other->self, 0, u, v);
        memset(wanted, 0, sizeof wanted);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                wanted[i] -= 0.01 * K[i + j * N] * v[j];
        path(k + 3, u);
        yk_system_force(s, 0, zero, u, v, p);
        yk_system_force(other, 0, zero, u, v, q);
        for (int i = 0; i < N; i++)
            assert_near(p[i] - q[i], wanted[i], 1e-9 * COLUMN_EI);
        s->ops->tangent(s->self, u, v, none, C);
        for (int i = 0; i < N * N; i++)
            assert_near(C[i], 0.01 * K[i], 1e-12 * COLUMN_EI);
    }
    yk_system_destroy(s);
    yk_system_destroy(other);
}

/* The initial stiffness, from which damping is made, has no geometric part and no elements. */
static void initial_stiffness_is_that_of_the_elastic_column(void **state)
{
    const struct yielding_column both[] = {elastic, p_delta};
    struct yk_matrix K[2] = {0};
    struct yk_system *s = yielding_column_create(&elastic, NULL);

    for (int c = 0; c < 2; c++) {
        struct yk_structure_parts parts;

        yielding_column_parts(&both[c], &parts);
        assert_ok(yk_structure_stiffness(&parts, &K[c], &err));
        yk_structure_parts_free(&parts);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            assert_near(yk_matrix_get(&K[0], i, j), yk_matrix_get(&s->K, i, j), 0);
            assert_near(yk_matrix_get(&K[1], i, j), yk_matrix_get(&s->K, i, j), 0);
        }
    yk_matrix_fini(&K[0]);
    yk_matrix_fini(&K[1]);
    yk_system_destroy(s);
}

/* ---- permanent loads --------------------------------------------------------------------------------------------- */

/* The column carries what pushes its top aside: equilibrium, and the slip is remembered after a rest. */
static void members_carry_permanent_loads(void **state)
{
    char *dofs[N] = {"x1", "y1", "rz1", "x2", "y2", "rz2"};
    struct yk_substructure sub = {.name = "column", .dofs = dofs, .system = yielding_column_create(&yielding, NULL)};
    struct yk_assembly whole;
    double f[N] = {[TOP] = 4e4}, p[N], q[N], u[N];

    assert_ok(yk_assembly_create(&whole, &sub, 1, NULL, 0, NULL, &err));
    assert_ok(yk_assembly_settle(&whole, &sub, f, NULL, &err));
    memcpy(u, sub.system->u0, sizeof u);
    assert_true(u[TOP] > 1.1 * 4e4 * pow(COLUMN_HEIGHT, 3) / (3 * COLUMN_EI)); /* it has yielded */
    yk_system_force(sub.system, 0, f, u, zero, p);
    for (int i = 0; i < N; i++)
        assert_near(p[i], 0, 1e-6);
    force_at(sub.system, 0, zero, q); /* pushed back to where it was, it does not stand without force */
    assert_true(fabs(q[TOP]) > 100);
    sub.system->ops->rest(sub.system->self, u);
    force_at(sub.system, 0, zero, p);
    assert_memory_equal(p, q, sizeof p);
    yk_assembly_destroy(&whole);
    yk_system_destroy(sub.system);
}

/* ---- in modes -------------------------------------------------------------------------------------- */

enum { TALL = 5, TALL_N = 3 * TALL };

/* All members but the lowest are elastic and part of the matrices. */
static struct yk_system *mostly_linear(void)
{
    const struct yielding_column c = {.members = TALL, .yield = 2e-4, .hardening = 0.05};
    struct yk_structure_parts parts;
    struct yk_structure_member lowest;
    struct yk_matrix K = {0};
    struct yk_system *s;

    yielding_column_parts(&c, &parts);
    lowest = parts.members[0];
    parts.members[0] = parts.members[TALL - 1];
    parts.member_count = TALL - 1;
    assert_ok(yk_structure_stiffness(&parts, &K, &err));
    for (size_t i = 0; i < TALL - 1; i++)
        yk_structure_member_free(&parts.members[i]);
    parts.members[0] = lowest;
    parts.member_count = 1;
    yk_matrix_fini(&parts.K);
    parts.K = K;
    assert_ok(yk_structure_create(&s, &parts, NULL, &err));
    s->v0[TALL_N - 3] = 0.5;
    return s;
}

static void run_steps(struct yk_system *s, const double *u0, const double *v0, const char *method, int steps, double *u)
{
    struct yk_domain d;
    struct yk_kinematics now;

    method_open(&d, &(struct method){method, {{0}}}, s, no_load, 1e-3);
    assert_int_equal(yk_domain_start(&d, u0, v0), YK_OK);
    for (int k = 0; k < steps; k++)
        assert_int_equal(yk_domain_step(&d), YK_OK);
    yk_domain_now(&d, &now);
    memcpy(u, now.u, s->n * sizeof *u);
    yk_domain_destroy(&d);
}

/* One yielding member in modes, and the tangent corrected where it changes: the same motion as with all entries. */
static void one_yielding_member_may_be_stepped_in_modes_and_corrected(void **state)
{
    static const char *const methods[] = {"newmark-newton", "lsrt2", "alpha-os"};
    char *dofs[TALL_N] = {0};

    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double u[3][TALL_N];

        for (int way = 0; way < 3; way++) {
            struct yk_substructure sub = {.name = "column", .dofs = dofs, .system = mostly_linear()};
            struct yk_assembly given, modal = {0};

            assert_ok(yk_assembly_create(&given, &sub, 1, NULL, 0, NULL, &err));
            if (way == 2) {
                const double *u0 = given.system->u0, *v0 = given.system->v0;

                assert_ok(yk_modal_create(&modal, &given, NULL, &err));
                yk_modal_start(&modal, &u0, &v0);
                double q0[TALL_N], w0[TALL_N], q[TALL_N];

                memcpy(q0, u0, sizeof q0);
                memcpy(w0, v0, sizeof w0);
                run_steps(modal.system, q0, w0, methods[m], 200, q);
                memset(u[2], 0, sizeof u[2]);
                yk_matrix_add_transposed_product(&modal.map[0], 1, q, u[2]);
                yk_assembly_destroy(&modal);
            } else {
                sub.system->path = way ? YK_SOLVE_LOW_RANK : YK_SOLVE_DENSE;
                run_steps(sub.system, sub.system->u0, sub.system->v0, methods[m], 200, u[way]);
            }
            yk_assembly_destroy(&given);
            yk_system_destroy(sub.system);
        }
        assert_true(fabs(u[0][TALL_N - 3]) > 1e-3);
        for (int i = 0; i < TALL_N; i++) {
            assert_near(u[1][i], u[0][i], 1e-9);
            assert_near(u[2][i], u[0][i], 1e-9);
        }
    }
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

enum { MANY = 400, MANY_N = 3 * MANY };

/* A way of 20 steps; forces, tangents and how many members came to their bound. */
static size_t go_far(struct yk_system *s, double *p, double *K)
{
    double *u = calloc(MANY_N, sizeof *u), *still = calloc(MANY_N, sizeof *still);
    double *C = calloc(s->pattern.entries, sizeof *C);
    const char *member;

    assert_true(u && still && C);
    for (int k = 0; k < 20; k++) {
        for (size_t i = 0; i < MANY_N; i++)
            u[i] = 1e-3 * sin(0.3 * k + 0.01 * (double)i);
        yk_system_force(s, 0, still, u, still, p);
        s->ops->sparse_tangent(s->self, u, still, K, C);
        s->ops->commit(s->self, 0, u, still);
    }
    free(u);
    free(still);
    free(C);
    return yk_structure_unconverged(s, &member);
}

static void two_threads_find_the_same_states(void **state)
{
    const struct yielding_column c = {.members = MANY, .yield = 1e-4, .hardening = 0.05, .bound = 1.9e-3};
    struct yk_helper *helper;
    double *p[2], *K[2];
    size_t bounded[2], bytes = 0;

    assert_ok(yk_helper_hire(&helper, &err));
    for (int two = 0; two < 2; two++) {
        struct yk_system *s = yielding_column_create(&c, NULL);

        assert_true(yk_structure_in_halves(s));
        bytes = s->pattern.entries * sizeof **K;
        assert_non_null(p[two] = calloc(MANY_N, sizeof **p));
        assert_non_null(K[two] = malloc(bytes));
        yk_helper_assign(two ? helper : NULL);
        bounded[two] = go_far(s, p[two], K[two]);
        yk_system_destroy(s);
    }
    yk_helper_assign(NULL);
    yk_helper_dismiss(helper);
    assert_memory_equal(p[0], p[1], MANY_N * sizeof **p);
    assert_memory_equal(K[0], K[1], bytes);
    assert_true(bounded[0] > 0);
    assert_int_equal(bounded[0], bounded[1]);
    for (int two = 0; two < 2; two++) {
        free(p[two]);
        free(K[two]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_go_through_the_ends),
        cmocka_unit_test(links_are_followed_by_forces_and_tangents),
        cmocka_unit_test(tangents_are_derivatives_of_forces),
        cmocka_unit_test(what_is_beyond_the_matrices_is_that_of_the_members),
        cmocka_unit_test(memory_goes_back_to_the_mark),
        cmocka_unit_test(sequences_have_memories_of_their_own),
        cmocka_unit_test(trials_are_forgotten),
        cmocka_unit_test(states_of_an_arena_move_apart),
        cmocka_unit_test(a_state_is_found_once),
        cmocka_unit_test(methods_find_as_many_states_as_they_evaluate_forces),
        cmocka_unit_test(energy_of_yielding_members_balances),
        cmocka_unit_test(committed_damping_takes_the_stiffness_of_the_last_commit),
        cmocka_unit_test(initial_stiffness_is_that_of_the_elastic_column),
        cmocka_unit_test(members_carry_permanent_loads),
        cmocka_unit_test(one_yielding_member_may_be_stepped_in_modes_and_corrected),
        cmocka_unit_test(two_threads_find_the_same_states),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
