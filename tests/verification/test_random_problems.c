/* Every coupling on seeded random structures, torn at random: the coupled response tends to the untorn one as the step
 * shrinks. One loop over the registry; a new method joins by its line. */
#include "support/check.h"
#include "support/coupled.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

enum { PROBLEMS = 200, MOST_DOFS = 12, MOST_ROWS = 4 };

/* A torn structure: side A and side B, joined at distinct degrees of freedom. */
struct problem {
    size_t n[2], rows;
    double M[2][MOST_DOFS * MOST_DOFS], C[2][MOST_DOFS * MOST_DOFS], K[2][MOST_DOFS * MOST_DOFS];
    double u0[2][MOST_DOFS], v0[2][MOST_DOFS];
    struct torn_join join[MOST_ROWS];
    int substeps;
};

static size_t whole(uint64_t *seed, size_t from, size_t to)
{
    return from + random_below(seed, to - from + 1);
}

/* Symmetric, positive definite: scale * (B B^T / n + floor I) */
static void random_definite(uint64_t *seed, size_t n, double scale, double floor_share, double *A)
{
    double B[MOST_DOFS * MOST_DOFS];

    for (size_t i = 0; i < n * n; i++)
        B[i] = random_value(seed);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            A[i * n + j] = i == j ? scale * floor_share : 0;
            for (size_t k = 0; k < n; k++)
                A[i * n + j] += scale * B[i * n + k] * B[j * n + k] / (double)n;
        }
}

/* The fine side is the lighter one: feedback with a specimen heavier than the rest is known to diverge. */
static void random_problem(uint64_t *seed, struct problem *p)
{
    for (int s = 0; s < 2; s++) {
        const double mass = s ? 0.3 : 1.5;

        p->n[s] = whole(seed, 2, MOST_DOFS);
        random_definite(seed, p->n[s], 0.2 * mass, 5, p->M[s]);
        random_definite(seed, p->n[s], 30 * mass, 0.3, p->K[s]);
        for (size_t i = 0; i < p->n[s] * p->n[s]; i++)
            p->C[s][i] = 0.05 * p->M[s][i] + 0.002 * p->K[s][i];
        for (size_t i = 0; i < p->n[s]; i++) {
            p->u0[s][i] = random_value(seed);
            p->v0[s][i] = random_value(seed);
        }
    }
    p->rows = whole(seed, 1, MOST_ROWS);
    p->rows = p->rows < p->n[0] ? p->rows : p->n[0];
    p->rows = p->rows < p->n[1] ? p->rows : p->n[1];
    const size_t shift = random_below(seed, p->n[0]); /* distinct ends at random */
    for (size_t r = 0; r < p->rows; r++) {
        p->join[r] = (struct torn_join){0, (r + shift) % p->n[0], 1, (p->n[1] - 1 - r) % p->n[1]};
        p->u0[1][p->join[r].dof_b] = p->u0[0][p->join[r].dof_a];
        p->v0[1][p->join[r].dof_b] = p->v0[0][p->join[r].dof_a];
    }
    p->substeps = (int)whole(seed, 1, 20);
}

static void open_problem(struct torn *t, const struct problem *p, int substeps, double dt)
{
    const struct torn_part parts[] = {{false, p->n[0], p->M[0], p->C[0], p->K[0], p->u0[0], p->v0[0]},
                                      {true, p->n[1], p->M[1], p->C[1], p->K[1], p->u0[1], p->v0[1]}};

    torn_make(t, parts, 2, p->join, p->rows, dt, substeps);
}

/* Substeps the method accepts, near those of the problem. */
static int fitting_substeps(const struct yk_coupling_ops *ops, int wanted)
{
    const bool even = strcmp(ops->name, "assr2") == 0 || strcmp(ops->name, "feedback") == 0;

    if (ops->caps & YK_COUPLING_NO_SUBSTEPS)
        return 1;
    return even ? (wanted + 1) / 2 * 2 : wanted;
}

/* The exact end state of the untorn structure on both sides. */
static void solve_exactly(const struct torn *t, double end, double *u[2])
{
    const struct yk_integrator_ops *ops = yk_integrator_find("exact");
    struct yk_system *system = t->untorn.system;
    void *settings = calloc(1, ops->size);
    struct yk_domain d;
    struct yk_kinematics k;

    assert_ok(yk_domain_create(&d, ops, settings, system, (struct yk_loading){0}, end, NULL, &err));
    assert_int_equal(yk_domain_start(&d, system->u0, system->v0), YK_OK);
    assert_int_equal(yk_domain_step(&d), YK_OK);
    yk_domain_now(&d, &k);
    for (int s = 0; s < 2; s++)
        yk_coupled_from_untorn(t->problem, k.u, s, u[s]);
    yk_domain_destroy(&d);
    free(settings);
}

static void no_force(void *self, double t, double *f)
{
    memset(f, 0, *(const size_t *)self * sizeof *f);
}

/* Largest error of u at the end, relative to the largest displacement there. */
static double error_of(const struct yk_coupling_ops *ops, const struct problem *p, int steps, double end)
{
    double uA[MOST_DOFS], uB[MOST_DOFS], *exact[] = {uA, uB}, error = 0, size = 0;
    struct torn t;
    struct yk_coupling c;

    open_problem(&t, p, fitting_substeps(ops, p->substeps), end / steps);
    for (int s = 0; s < 2; s++)
        torn_load(&t, s, (struct yk_loading){no_force, &t.problem->side[s].n});
    solve_exactly(&t, end, exact);
    torn_open(&c, &t, ops->name, NULL, NULL, 0, 1);
    for (int i = 0; i < steps; i++)
        assert_int_equal(yk_coupling_step(&c), YK_OK);
    for (int s = 0; s < 2; s++) {
        struct yk_kinematics k;

        c.ops->now(c.self, s, &k);
        for (size_t i = 0; i < p->n[s]; i++) {
            error = fmax(error, fabs(k.u[i] - exact[s][i]));
            size = fmax(size, fabs(exact[s][i]));
        }
    }
    yk_coupling_destroy(&c);
    torn_free(&t);
    return error / size;
}

static void coupled_responses_converge_to_the_untorn_one(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        if ((*ops)->caps & YK_COUPLING_SPECIMENS)
            continue;
        uint64_t seed = 20110;
        double worst = 0, slowest = INFINITY;

        for (int i = 0; i < PROBLEMS; i++) {
            struct problem p;
            double coarse, fine;

            random_problem(&seed, &p);
            coarse = error_of(*ops, &p, 128, 0.8);
            fine = error_of(*ops, &p, 512, 0.8);
            if (!(fine < 0.6 * coarse || fine < 3e-5) || !(fine < (yk_coupling_order(*ops, false) > 1 ? 0.1 : 0.2))) {
                print_error("%s, problem %d (%zu + %zu dofs, %zu rows, %d substeps): error %g, then %g with a quarter "
                            "of the step\n",
                            (*ops)->name, i, p.n[0], p.n[1], p.rows, p.substeps, coarse, fine);
                fail();
            }
            worst = fmax(worst, fine);
            slowest = fmin(slowest, log2(coarse / fine) / 2);
        }
        print_message("%-12s largest error %.2e, slowest order %.2f\n", (*ops)->name, worst, slowest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coupled_responses_converge_to_the_untorn_one)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
