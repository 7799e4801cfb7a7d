/* The work that the benchmark of couplings measures against: evaluations are counted in a run, and the solves that a
 * method tells are those that it makes. yk_factor_solve is wrapped by the linker, and counts. */
#include "support/check.h"
#include "support/coupled.h"
#include "timing/coupling.h"

#include <string.h>

enum { MOST_FACTORS = 32, MOST_DOFS = 8, ROWS = 1, N_A = 3, N_B = 2, SUBSTEPS = 6 };

/* ---- solves, by factor ---- */

static struct {
    const struct yk_factor *factor;
    size_t n;
    long calls;
} solved[MOST_FACTORS];

void __real_yk_factor_solve(struct yk_factor *factor, double *x); // NOLINT: the linker's name
void __wrap_yk_factor_solve(struct yk_factor *factor, double *x); // NOLINT

/* The order of a factor shows in how much of a long vector it changes. */
static size_t order_of(struct yk_factor *factor)
{
    double before[MOST_DOFS], x[MOST_DOFS];
    size_t n = 0;

    for (size_t i = 0; i < MOST_DOFS; i++)
        before[i] = x[i] = 0.1234567 + 0.9876543 * (double)i;
    __real_yk_factor_solve(factor, x);
    for (size_t i = 0; i < MOST_DOFS; i++)
        if (x[i] != before[i])
            n = i + 1;
    return n;
}

void __wrap_yk_factor_solve(struct yk_factor *factor, double *x) // NOLINT
{
    size_t i = 0;

    while (i < MOST_FACTORS && solved[i].factor && solved[i].factor != factor)
        i++;
    assert_true(i < MOST_FACTORS);
    if (!solved[i].factor) {
        solved[i].factor = factor;
        solved[i].n = order_of(factor);
    }
    solved[i].calls++;
    __real_yk_factor_solve(factor, x);
}

/* With a matrix of this order that is not the mass of a side. */
static long solves_of_order(size_t n, const struct yk_coupled *problem)
{
    long calls = 0;

    for (size_t i = 0; i < MOST_FACTORS && solved[i].factor; i++)
        if (solved[i].n == n && solved[i].factor != problem->side[YK_COARSE].M &&
            solved[i].factor != problem->side[YK_FINE].M)
            calls += solved[i].calls;
    return calls;
}

/* ---- a structure of 3 + 2 degrees of freedom, tied at one ---- */

static void make(struct torn *t, int substeps)
{
    static const double M_A[] = {3, 0, 0, 0, 3, 0, 0, 0, 3}, K_A[] = {4, -1, 0, -1, 4, -1, 0, -1, 4};
    static const double M_B[] = {1, 0, 0, 1}, K_B[] = {2, -1, -1, 2};
    const struct torn_part parts[] = {{.n = N_A, .M = M_A, .K = K_A}, {.fine = true, .n = N_B, .M = M_B, .K = K_B}};
    const struct torn_join join = {0, 2, 1, 0};

    torn_make(t, parts, 2, &join, ROWS, 0.01, substeps);
}

static int times(struct yk_count count, int substeps)
{
    return count.fixed + count.fine * substeps;
}

static int substeps_of(const struct yk_coupling_ops *ops)
{
    return ops->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : SUBSTEPS;
}

static void solves_are_those_that_a_method_tells(void **state)
{
    static const size_t order[YK_SIDES] = {N_A, N_B};
    int measured = 0;

    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        const int substeps = substeps_of(*ops);
        struct torn t;
        struct yk_coupling c;
        int evaluations[YK_SIDES];

        if (!(*ops)->evidence || !(*ops)->evidence->solve)
            continue;
        measured++;
        make(&t, substeps);
        torn_open(&c, &t, (*ops)->name, NULL, NULL, 0, 1);
        yk_coupling_count(&c, evaluations);
        memset(solved, 0, sizeof solved);
        for (int k = 0; k < 2 * (*ops)->cycle_steps; k++)
            assert_int_equal(yk_coupling_step(&c), YK_OK);
        for (int s = 0; s < YK_SIDES; s++) {
            const int told = times((*ops)->evidence->solves[s], substeps);

            if (solves_of_order(order[s], t.problem) != 2 * told)
                print_error("%s: side %d is solved %g times in a cycle, and %d are told\n", (*ops)->name, s,
                            (double)solves_of_order(order[s], t.problem) / 2, told);
            assert_int_equal(solves_of_order(order[s], t.problem), 2 * told);
            assert_true(told <= evaluations[s]);
        }
        yk_coupling_destroy(&c);
        torn_free(&t);
    }
    assert_true(measured >= 15); /* those that told it when this was written */
}

/* One for each instant of a Newmark side; feedback evaluates A wherever B is driven; iplsrt2 evaluates A once more
 * after the projection of every other step (docs/theory). */
static void evaluations_are_counted_in_a_cycle(void **state)
{
    static const struct {
        const char *name;
        int evaluations[YK_SIDES];
    } expected[] = {{"gc", {1, SUBSTEPS}},
                    {"plsrt2", {2, 2 * SUBSTEPS}},
                    {"iplsrt2", {3, 4 * SUBSTEPS}},
                    {"feedback", {2 + 2 * SUBSTEPS, 2 * SUBSTEPS}}};

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct torn t;
        struct yk_coupling c;
        int evaluations[YK_SIDES];

        make(&t, SUBSTEPS);
        torn_open(&c, &t, expected[i].name, NULL, NULL, 0, 1);
        yk_coupling_count(&c, evaluations);
        for (int s = 0; s < YK_SIDES; s++)
            assert_int_equal(evaluations[s], expected[i].evaluations[s]);
        yk_coupling_destroy(&c);
        torn_free(&t);
    }
}

static void coupling_that_tells_nothing_is_refused(void **state)
{
    const struct yk_coupling_ops stranger = {.name = "stranger"};
    struct yk_bench_result r;

    assert_refused(yk_bench_coupling(&stranger, &r, &err), YK_E_UNSUPPORTED, "stranger: it does not report");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_are_those_that_a_method_tells),
        cmocka_unit_test(evaluations_are_counted_in_a_cycle),
        cmocka_unit_test(coupling_that_tells_nothing_is_refused),
    };

    return cmocka_run_group_tests_name("bench_coupling", tests, NULL, NULL);
}
