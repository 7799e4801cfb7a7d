/* The untorn structure against the one it was torn from, and against T^T A T computed here. */
#include "support/check.h"
#include "support/method.h"
#include "support/pendulum.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

#include <yoke/substructure.h>

enum { MASSES = 8, SPRINGS = 12, PIECES = 3, ROWS = 32, LOCAL = 12 };

/* ---- laws of the test: k d and k d^3 ------------------------------------------------------------------------------
 */

static double linear_force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    return *(const double *)settings * d;
}

static void linear_tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                           double *c)
{
    *k = *(const double *)settings;
    *c = 0;
}

static double cubic_force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    return *(const double *)settings * d * d * d;
}

static void cubic_tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                          double *c)
{
    *k = 3 * *(const double *)settings * d * d;
    *c = 0;
}

static double cubic_stored(const void *settings, double d)
{
    return *(const double *)settings * d * d * d * d / 4;
}

static const struct yk_law_ops linear_law = {.name = "linear",
                                             .settings_size = sizeof(double),
                                             .linear = true,
                                             .force = linear_force,
                                             .tangent = linear_tangent};
static const struct yk_law_ops cubic_law = {.name = "cubic",
                                            .settings_size = sizeof(double),
                                            .force = cubic_force,
                                            .tangent = cubic_tangent,
                                            .stored = cubic_stored};

/* ---- structures and their pieces --------------------------------------------------------------------------------- */

struct spring {
    long from, to; /* -1: the ground */
    double k;
    bool cubic;
};

struct model {
    size_t n, springs;
    double m[MASSES], u0[MASSES], v0[MASSES];
    struct spring spring[SPRINGS];
};

static struct yk_system *model_create(const struct model *model)
{
    const size_t n = model->n;
    struct yk_structure_parts parts = {.element_count = model->springs};
    struct yk_system *system;

    assert_ok(yk_matrix_init(&parts.M, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&parts.C, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&parts.K, YK_DIAGONAL, n, n, &err));
    parts.u0 = calloc(n, sizeof(double));
    parts.v0 = calloc(n, sizeof(double));
    parts.elements = calloc(model->springs + 1, sizeof *parts.elements);
    assert_true(parts.u0 && parts.v0 && parts.elements);
    for (size_t i = 0; i < n; i++) {
        parts.M.x[i] = model->m[i];
        parts.C.x[i] = 0.2 * model->m[i];
        parts.u0[i] = model->u0[i];
        parts.v0[i] = model->v0[i];
    }
    for (size_t i = 0; i < model->springs; i++) {
        const struct spring *s = &model->spring[i];

        parts.elements[i] = (struct yk_element){.law = s->cubic ? &cubic_law : &linear_law,
                                                .settings = malloc(sizeof(double)),
                                                .from = s->from,
                                                .to = s->to};
        assert_non_null(parts.elements[i].settings);
        memcpy(parts.elements[i].settings, &s->k, sizeof s->k);
    }
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    return system;
}

/* A chain from wall to wall with a few springs across. */
static struct model random_model(uint64_t *seed, bool cubic)
{
    struct model model = {.n = MASSES, .springs = SPRINGS};

    for (size_t i = 0; i < MASSES; i++) {
        model.m[i] = 2 + random_value(seed);
        model.u0[i] = random_value(seed);
        model.v0[i] = random_value(seed);
    }
    for (size_t i = 0; i < SPRINGS; i++) {
        struct spring *s = &model.spring[i];

        s->from = i <= MASSES ? (long)i - 1 : (long)random_below(seed, MASSES / 2);
        s->to = i < MASSES ? (long)i : i == MASSES ? -1 : (long)(MASSES / 2 + random_below(seed, MASSES / 2));
        s->k = 30 + 20 * random_value(seed);
        s->cubic = cubic && random_below(seed, 2);
    }
    return model;
}

static void check_near_all(size_t n, const double *x, const double *y, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        assert_near(x[i], y[i], tolerance);
}

struct torn {
    struct model piece[PIECES];
    long local[PIECES][MASSES]; /* of a global degree of freedom, -1 where the piece has none */
    char name[PIECES][MASSES][24], *dofs[PIECES][MASSES];
    struct yk_substructure sub[PIECES];
    size_t row_sub[ROWS][2], row_dof[ROWS][2];
    double coefficient[ROWS][2];
    struct yk_row row[ROWS];
    size_t rows;
};

static long give_dof(struct torn *t, size_t p, long dof)
{
    if (dof >= 0 && t->local[p][dof] < 0) {
        const size_t i = t->piece[p].n++;

        t->local[p][dof] = (long)i;
        snprintf(t->name[p][i], sizeof t->name[p][i], "x%ld", dof + 1);
        t->dofs[p][i] = t->name[p][i];
    }
    return dof >= 0 ? t->local[p][dof] : -1;
}

static void add_row(struct torn *t, size_t a, size_t i, double ca, size_t b, size_t j, double cb)
{
    const size_t r = t->rows++;

    assert_true(r < ROWS);
    t->row_sub[r][0] = a;
    t->row_sub[r][1] = b;
    t->row_dof[r][0] = i;
    t->row_dof[r][1] = j;
    t->coefficient[r][0] = ca;
    t->coefficient[r][1] = cb;
    t->row[r] = (struct yk_row){2, t->row_sub[r], t->row_dof[r], t->coefficient[r], {0}};
}

/* Every spring goes to a piece of its own choosing; masses are shared among the pieces that hold them. */
static void tear(const struct model *whole, uint64_t *seed, struct torn *t)
{
    static char *names[PIECES] = {"A", "B", "C"};

    memset(t, 0, sizeof *t);
    memset(t->local, -1, sizeof t->local);
    for (size_t i = 0; i < whole->springs; i++) {
        const size_t p = i < PIECES ? i : random_below(seed, PIECES); /* no piece is empty */
        struct spring s = whole->spring[i];

        s.from = give_dof(t, p, s.from);
        s.to = give_dof(t, p, s.to);
        t->piece[p].spring[t->piece[p].springs++] = s;
    }
    for (size_t dof = 0; dof < whole->n; dof++) {
        double left = whole->m[dof];
        long first = -1;

        for (size_t p = 0; p < PIECES; p++) {
            const long i = t->local[p][dof];

            if (i < 0)
                continue;
            t->piece[p].u0[i] = whole->u0[dof];
            t->piece[p].v0[i] = whole->v0[dof];
            t->piece[p].m[i] = 0.25 * whole->m[dof];
            left -= t->piece[p].m[i];
            if (first >= 0)
                add_row(t, (size_t)first, (size_t)t->local[first][dof], 1, p, (size_t)i, -1);
            else
                first = (long)p;
        }
        t->piece[first].m[t->local[first][dof]] += left;
    }
    for (size_t p = 0; p < PIECES; p++)
        t->sub[p] = (struct yk_substructure){names[p], t->dofs[p], model_create(&t->piece[p]), false};
}

static void torn_free(struct torn *t)
{
    for (size_t p = 0; p < PIECES; p++)
        yk_system_destroy(t->sub[p].system);
}

/* free_of[dof]: the free degree of freedom that a global one became; a plain join maps one to one */
static void find_free(const struct torn *t, const struct yk_assembly *assembly, size_t *free_of)
{
    for (size_t dof = 0; dof < MASSES; dof++)
        for (size_t p = 0; p < PIECES; p++)
            if (t->local[p][dof] >= 0) {
                const struct yk_matrix *map = &assembly->map[p];
                const int at = map->col[t->local[p][dof]];

                assert_int_equal(map->col[t->local[p][dof] + 1] - at, 1);
                assert_near(map->x[at], 1, 0);
                free_of[dof] = (size_t)map->row[at];
            }
}

static void check_permuted(const struct yk_matrix *assembled, const struct yk_matrix *direct, const size_t *free_of)
{
    for (size_t j = 0; j < MASSES; j++)
        for (size_t i = 0; i < MASSES; i++)
            assert_near(yk_matrix_get(assembled, free_of[i], free_of[j]), yk_matrix_get(direct, i, j), 1e-12);
}

/* Force, tangent and energy in a random state, and the motion of 100 steps. */
static void check_motion(struct yk_system *assembled, struct yk_system *direct, const size_t *free_of, uint64_t *seed)
{
    static const struct method method = {"lsrt3", {{0}}};
    double u[MASSES], v[MASSES], f[MASSES], pu[MASSES], pv[MASSES], pf[MASSES], p[MASSES], q[MASSES];
    double K[MASSES * MASSES], C[MASSES * MASSES], Kq[MASSES * MASSES], Cq[MASSES * MASSES];
    struct yk_energy energy[2] = {{0}};
    struct yk_domain d, e;
    struct yk_kinematics now, other;

    for (size_t i = 0; i < MASSES; i++) {
        pu[free_of[i]] = u[i] = random_value(seed);
        pv[free_of[i]] = v[i] = random_value(seed);
        pf[free_of[i]] = f[i] = random_value(seed);
    }
    yk_system_force(direct, 0, f, u, v, p);
    yk_system_force(assembled, 0, pf, pu, pv, q);
    direct->ops->account(direct->self, f, u, v, &energy[0]);
    assembled->ops->account(assembled->self, pf, pu, pv, &energy[1]);
    if (!direct->linear) {
        direct->ops->tangent(direct->self, u, v, K, C);
        assembled->ops->tangent(assembled->self, pu, pv, Kq, Cq);
    }
    for (size_t i = 0; i < MASSES; i++) {
        assert_near(q[free_of[i]], p[i], 1e-12 * 100);
        assert_near(assembled->u0[free_of[i]], direct->u0[i], 0);
        assert_near(assembled->v0[free_of[i]], direct->v0[i], 0);
        for (size_t j = 0; !direct->linear && j < MASSES; j++) {
            assert_near(Kq[free_of[i] + free_of[j] * MASSES], K[i + j * MASSES], 1e-12 * 100);
            assert_near(Cq[free_of[i] + free_of[j] * MASSES], C[i + j * MASSES], 1e-12);
        }
    }
    assert_near(energy[1].kinetic, energy[0].kinetic, 1e-12);
    assert_near(energy[1].stored, energy[0].stored, 1e-11);

    method_open(&d, &method, direct, no_load, 0.02);
    method_open(&e, &method, assembled, no_load, 0.02);
    for (int k = 0; k < 100; k++) {
        assert_int_equal(yk_domain_step(&d), YK_OK);
        assert_int_equal(yk_domain_step(&e), YK_OK);
    }
    yk_domain_now(&d, &now);
    yk_domain_now(&e, &other);
    for (size_t i = 0; i < MASSES; i++) {
        assert_near(other.u[free_of[i]], now.u[i], 1e-10);
        assert_near(other.v[free_of[i]], now.v[i], 1e-10);
    }
    yk_domain_destroy(&d);
    yk_domain_destroy(&e);
}

static void check_torn_models(bool cubic)
{
    uint64_t seed = 11;

    for (int trial = 0; trial < 20; trial++) {
        const struct model whole = random_model(&seed, cubic);
        struct yk_system *direct = model_create(&whole);
        struct torn t;
        struct yk_assembly assembly;
        size_t free_of[MASSES];

        tear(&whole, &seed, &t);
        assert_ok(yk_assembly_create(&assembly, t.sub, PIECES, t.row, t.rows, NULL, &err));
        assert_int_equal(assembly.system->n, MASSES);
        assert_int_equal(assembly.system->linear, direct->linear);
        find_free(&t, &assembly, free_of);
        check_permuted(&assembly.system->M, &direct->M, free_of);
        check_permuted(&assembly.system->C, &direct->C, free_of);
        check_permuted(&assembly.system->K, &direct->K, free_of);
        check_motion(assembly.system, direct, free_of, &seed);
        yk_assembly_destroy(&assembly);
        torn_free(&t);
        yk_system_destroy(direct);
    }
}

static void linear_structure_torn_at_random_comes_back(void **state)
{
    check_torn_models(false);
}

static void structure_with_cubic_springs_torn_at_random_comes_back(void **state)
{
    check_torn_models(true);
}

/* The same join said twice, backwards, in another scale, and as the difference of two others. */
static void redundant_rows_change_nothing(void **state)
{
    uint64_t seed = 5;

    for (int trial = 0; trial < 20; trial++) {
        const struct model whole = random_model(&seed, false);
        struct torn t;
        struct yk_assembly once, again;
        size_t rows;

        tear(&whole, &seed, &t);
        assert_ok(yk_assembly_create(&once, t.sub, PIECES, t.row, t.rows, NULL, &err));
        rows = t.rows;
        for (size_t r = 0; r < rows; r++) {
            const double scale = (double[]){1, -1, 1e6, 1e-6, 0.7}[r % 5];

            add_row(&t, t.row_sub[r][1], t.row_dof[r][1], scale, t.row_sub[r][0], t.row_dof[r][0], -scale);
        }
        assert_ok(yk_assembly_create(&again, t.sub, PIECES, t.row, t.rows, NULL, &err));
        assert_int_equal(again.system->n, MASSES);
        for (size_t i = 0; i < MASSES; i++)
            for (size_t j = 0; j < MASSES; j++)
                assert_near(yk_matrix_get(&again.system->K, i, j), yk_matrix_get(&once.system->K, i, j), 1e-12);
        yk_assembly_destroy(&once);
        yk_assembly_destroy(&again);
        torn_free(&t);
    }
}

/* ---- general rows ------------------------------------------------------------------------------------------------ */

/* Two substructures with full matrices and rows of any coefficients. */
struct general {
    size_t n[2], rows;
    double dense[2][3][LOCAL * LOCAL]; /* M, C, K */
    char name[2][LOCAL][24], *dofs[2][LOCAL];
    struct yk_substructure sub[2];
    size_t row_sub[ROWS][2 * LOCAL], row_dof[ROWS][2 * LOCAL];
    double B[ROWS][2 * LOCAL]; /* all coefficients, zero or not */
    struct yk_row row[ROWS];
};

/* G^T G + n I: symmetric, definite, full */
static void random_definite(uint64_t *seed, size_t n, double *A)
{
    double G[LOCAL * LOCAL];

    for (size_t i = 0; i < n * n; i++)
        G[i] = random_value(seed);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            A[i + j * n] = i == j ? (double)n : 0;
            for (size_t k = 0; k < n; k++)
                A[i + j * n] += G[k + i * n] * G[k + j * n];
        }
}

static void general_create(struct general *g, size_t na, size_t nb, uint64_t *seed)
{
    static char *names[] = {"left", "right"};

    memset(g, 0, sizeof *g);
    g->n[0] = na;
    g->n[1] = nb;
    for (int k = 0; k < 2; k++) {
        const size_t n = g->n[k];
        struct yk_structure_parts parts = {0};
        struct yk_matrix *A[] = {&parts.M, &parts.C, &parts.K};

        for (int which = 0; which < 3; which++) {
            random_definite(seed, n, g->dense[k][which]);
            assert_ok(yk_matrix_init(A[which], YK_DENSE, n, n, &err));
            memcpy(A[which]->x, g->dense[k][which], n * n * sizeof(double));
        }
        for (size_t i = 0; i < n; i++) {
            snprintf(g->name[k][i], sizeof g->name[k][i], "q%zu", i + 1);
            g->dofs[k][i] = g->name[k][i];
        }
        g->sub[k] = (struct yk_substructure){.name = names[k], .dofs = g->dofs[k]};
        assert_ok(yk_structure_create(&g->sub[k].system, &parts, NULL, &err));
    }
}

/* A row with the coefficients b over the degrees of freedom of both, one after the other. */
static void general_row(struct general *g, const double *b)
{
    const size_t total = g->n[0] + g->n[1], r = g->rows++;

    assert_true(r < ROWS);
    for (size_t j = 0; j < total; j++) {
        g->row_sub[r][j] = j >= g->n[0];
        g->row_dof[r][j] = j < g->n[0] ? j : j - g->n[0];
        g->B[r][j] = b[j];
    }
    g->row[r] = (struct yk_row){total, g->row_sub[r], g->row_dof[r], g->B[r], {0}};
}

static void general_free(struct general *g)
{
    yk_system_destroy(g->sub[0].system);
    yk_system_destroy(g->sub[1].system);
}

/* B T = 0, and the assembled matrices are sum_k T_k^T A_k T_k; T from the maps. */
static void check_general(const struct general *g, const struct yk_assembly *a)
{
    const size_t total = g->n[0] + g->n[1], n = a->system->n;
    const struct yk_matrix *assembled[] = {&a->system->M, &a->system->C, &a->system->K};
    double T[2 * LOCAL][2 * LOCAL] = {{0}}; /* local x free */

    for (size_t i = 0; i < total; i++)
        for (size_t j = 0; j < n; j++)
            T[i][j] = yk_matrix_get(&a->map[i >= g->n[0]], j, i < g->n[0] ? i : i - g->n[0]);
    for (size_t r = 0; r < g->rows; r++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = 0;

            for (size_t i = 0; i < total; i++) {
                sum += g->B[r][i] * T[i][j];
                size += fabs(g->B[r][i]);
            }
            assert_near(sum, 0, 1e-12 * size);
        }
    for (int which = 0; which < 3; which++)
        for (size_t c = 0; c < n; c++)
            for (size_t r = 0; r < n; r++) {
                double sum = 0;

                for (size_t k = 0, at = 0; k < 2; at += g->n[k++])
                    for (size_t i = 0; i < g->n[k]; i++)
                        for (size_t j = 0; j < g->n[k]; j++)
                            sum += T[at + i][r] * g->dense[k][which][i + j * g->n[k]] * T[at + j][c];
                assert_near(yk_matrix_get(assembled[which], r, c), sum, 1e-12 * (1 + fabs(sum)));
            }
}

static void general_rows_give_the_congruent_matrices(void **state)
{
    uint64_t seed = 3;

    for (int trial = 0; trial < 50; trial++) {
        struct general g;
        struct yk_assembly a;
        const size_t rows = 1 + random_below(&seed, 5);

        general_create(&g, 6 + random_below(&seed, 4), 6 + random_below(&seed, 4), &seed);
        for (size_t r = 0; r < rows; r++) {
            double b[2 * LOCAL] = {0};

            for (size_t j = 0; j < g.n[0] + g.n[1]; j++)
                b[j] = random_below(&seed, 2) ? random_value(&seed) : 0;
            b[r] += 2;
            general_row(&g, b);
        }
        assert_ok(yk_assembly_create(&a, g.sub, 2, g.row, g.rows, NULL, &err));
        assert_int_equal(a.system->n, g.n[0] + g.n[1] - rows);
        check_general(&g, &a);
        yk_assembly_destroy(&a);
        general_free(&g);
    }
}

/* Sums of rows, in scales from 1e-20 to 1e20, add nothing. */
static void redundant_general_rows_are_accepted_in_any_scale(void **state)
{
    uint64_t seed = 17;

    for (int trial = 0; trial < 50; trial++) {
        struct general g;
        struct yk_assembly a;
        double b[3][2 * LOCAL] = {{0}};

        general_create(&g, 5, 6, &seed);
        for (int r = 0; r < 2; r++) {
            const double scale = pow(10, 20 * random_value(&seed));

            for (size_t j = 0; j < 11; j++)
                b[r][j] = scale * random_value(&seed);
            general_row(&g, b[r]);
        }
        for (size_t j = 0; j < 11; j++)
            b[2][j] = 1e8 * (0.3 * b[0][j] / fabs(b[0][0]) - 1.7 * b[1][j] / fabs(b[1][0]));
        general_row(&g, b[2]);
        assert_ok(yk_assembly_create(&a, g.sub, 2, g.row, g.rows, NULL, &err));
        assert_int_equal(a.system->n, 9);
        check_general(&g, &a);
        yk_assembly_destroy(&a);
        general_free(&g);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

/* The last row is a sum of the others plus a single degree of freedom: together they hold it, up to rounding. */
static void rows_that_hold_a_degree_of_freedom_are_refused(void **state)
{
    uint64_t seed = 23;

    for (int trial = 0; trial < 50; trial++) {
        struct general g;
        struct yk_assembly a;
        double b[2][2 * LOCAL] = {{0}};

        general_create(&g, 3, 3, &seed);
        for (size_t j = 0; j < 6; j++) {
            b[0][j] = j == 4 ? 0 : random_value(&seed);
            b[1][j] = 0.3 * b[0][j];
        }
        b[1][4] = 0.01;
        general_row(&g, b[0]);
        general_row(&g, b[1]);
        assert_refused(yk_assembly_create(&a, g.sub, 2, g.row, g.rows, NULL, &err), YK_E_INPUT, "fix right.q2 at zero");
        general_free(&g);
    }
}

static void a_row_with_one_entry_is_refused(void **state)
{
    const double b[2 * LOCAL] = {0, 1};
    uint64_t seed = 29;
    struct general g;
    struct yk_assembly a;

    general_create(&g, 3, 3, &seed);
    general_row(&g, b);
    assert_refused(yk_assembly_create(&a, g.sub, 2, g.row, g.rows, NULL, &err), YK_E_INPUT, "fix left.q2 at zero");
    general_free(&g);
}

static void initial_states_that_violate_a_join_are_refused_with_the_name(void **state)
{
    const double join[2 * LOCAL] = {0, 0, 1, -1};
    uint64_t seed = 31;
    struct general g;
    struct yk_assembly a;

    general_create(&g, 3, 3, &seed);
    general_row(&g, join);
    g.sub[0].system->u0[2] = 0.5;
    assert_refused(yk_assembly_create(&a, g.sub, 2, g.row, g.rows, NULL, &err), YK_E_INPUT,
                   "initial displacement of left.q3 is 0.5, but the interfaces make it 0");
    g.sub[1].system->u0[0] = 0.5;
    assert_ok(yk_assembly_create(&a, g.sub, 2, g.row, g.rows, NULL, &err));
    yk_assembly_destroy(&a);
    g.sub[1].system->v0[0] = -2;
    assert_refused(yk_assembly_create(&a, g.sub, 2, g.row, g.rows, NULL, &err), YK_E_INPUT,
                   "initial velocity of left.q3 is 0, but the interfaces make it -2");
    general_free(&g);
}

/* Its mass depends on where it is: it cannot share an acceleration, but it can stand beside other substructures. */
static void a_spring_pendulum_cannot_be_joined(void **state)
{
    const struct pendulum settings = {11, 40, 1000, 0.34, 400, 0.167, 9.81};
    const double zero[3] = {0}, f[4] = {12, 0, 0, 3}, u[4] = {0.01, 0.002, 0.4, 0.1}, v[4] = {0.1, 0.2, 0.3, 0.4};
    char *dofs[] = {"y", "l", "theta"}, *one[] = {"x"};
    const struct model mass = {.n = 1, .springs = 1, .m = {2}, .spring = {{-1, 0, 5, false}}};
    struct yk_substructure subs[2] = {{.name = "pendulum", .dofs = dofs}, {.name = "mass", .dofs = one}};
    size_t sub[2] = {0, 1}, dof[2] = {0, 0};
    double coefficient[2] = {1, -1}, p[4], alone[3];
    const struct yk_row row = {2, sub, dof, coefficient, {"test.yaml", 7, 3}};
    struct yk_assembly a;

    subs[0].system = pendulum_make(&settings, zero, zero);
    subs[1].system = model_create(&mass);
    assert_refused(yk_assembly_create(&a, subs, 2, &row, 1, NULL, &err), YK_E_UNSUPPORTED,
                   "pendulum.y cannot be joined");
    assert_refused(yk_assembly_create(&a, subs, 2, &row, 1, NULL, &err), YK_E_UNSUPPORTED, "test.yaml:7:3");

    assert_ok(yk_assembly_create(&a, subs, 2, NULL, 0, NULL, &err));
    yk_system_force(a.system, 0, f, u, v, p);
    yk_system_force(subs[0].system, 0, f, u, v, alone);
    check_near_all(3, p, alone, 1e-13);
    assert_near(p[3], 3 - 5 * 0.1 - 0.2 * 2 * 0.4, 1e-14);
    yk_assembly_destroy(&a);
    yk_system_destroy(subs[0].system);
    yk_system_destroy(subs[1].system);
}

static void a_lone_substructure_is_used_as_it_is(void **state)
{
    const struct model mass = {.n = 1, .springs = 1, .m = {2}, .spring = {{-1, 0, 5, false}}};
    char *dofs[] = {"x"};
    struct yk_substructure sub = {.name = "mass", .dofs = dofs, .system = model_create(&mass)};
    struct yk_assembly a;

    assert_ok(yk_assembly_create(&a, &sub, 1, NULL, 0, NULL, &err));
    assert_ptr_equal(a.system, sub.system);
    assert_near(yk_matrix_get(&a.map[0], 0, 0), 1, 0);
    yk_assembly_destroy(&a);
    yk_system_destroy(sub.system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_structure_torn_at_random_comes_back),
        cmocka_unit_test(structure_with_cubic_springs_torn_at_random_comes_back),
        cmocka_unit_test(redundant_rows_change_nothing),
        cmocka_unit_test(general_rows_give_the_congruent_matrices),
        cmocka_unit_test(redundant_general_rows_are_accepted_in_any_scale),
        cmocka_unit_test(rows_that_hold_a_degree_of_freedom_are_refused),
        cmocka_unit_test(a_row_with_one_entry_is_refused),
        cmocka_unit_test(initial_states_that_violate_a_join_are_refused_with_the_name),
        cmocka_unit_test(a_spring_pendulum_cannot_be_joined),
        cmocka_unit_test(a_lone_substructure_is_used_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
