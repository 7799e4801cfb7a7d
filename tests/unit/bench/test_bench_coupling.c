/* The work that the benchmark of couplings measures against: its evaluations are those that a run makes. */
#include "bench/coupling.h"
#include "support/check.h"
#include "support/coupled.h"

enum { CYCLES = 5 };

/* The force function of a side, counting its calls. */
struct counter {
    struct yk_system_ops ops;
    const struct yk_system_ops *counted;
    long calls;
};
static struct counter counters[YK_SIDES];

static void count(int side, void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    counters[side].calls++;
    counters[side].counted->force(self, t, f, u, v, p);
}

static void count_coarse(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    count(YK_COARSE, self, t, f, u, v, p);
}

static void count_fine(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    count(YK_FINE, self, t, f, u, v, p);
}

static void wrap(struct yk_coupled *problem)
{
    for (int s = 0; s < YK_SIDES; s++) {
        struct yk_system *system = problem->side[s].system;

        counters[s].counted = system->ops;
        counters[s].ops = *system->ops;
        counters[s].ops.force = s == YK_COARSE ? count_coarse : count_fine;
        system->ops = &counters[s].ops;
    }
}

static void unwrap(struct yk_coupled *problem)
{
    for (int s = 0; s < YK_SIDES; s++)
        problem->side[s].system->ops = counters[s].counted;
}

static void evaluations_are_those_of_a_run(void **state)
{
    int measured = 0;

    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        const struct yk_coupling_work *work = yk_coupling_work((*ops)->name);
        struct torn t;
        struct yk_coupling c;

        if (!work)
            continue;
        measured++;
        torn_split_mass(&t, 2, 1, 1, 0.01, (*ops)->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : YK_BENCH_SUBSTEPS);
        wrap(t.problem);
        torn_open(&c, &t, (*ops)->name, NULL, NULL, 0, 1);
        for (int i = 0; i < (*ops)->start_steps; i++)
            assert_int_equal(yk_coupling_step(&c), YK_OK);
        counters[YK_COARSE].calls = counters[YK_FINE].calls = 0;
        for (int i = 0; i < CYCLES * (*ops)->cycle_steps; i++)
            assert_int_equal(yk_coupling_step(&c), YK_OK);
        for (int s = 0; s < YK_SIDES; s++) {
            if (counters[s].calls != (long)CYCLES * work->evaluations[s])
                print_error("%s: side %d is evaluated %g times in a cycle\n", (*ops)->name, s,
                            (double)counters[s].calls / CYCLES);
            assert_int_equal(counters[s].calls, CYCLES * work->evaluations[s]);
        }
        yk_coupling_destroy(&c);
        unwrap(t.problem);
        torn_free(&t);
    }
    assert_true(measured >= 15); /* those that had a line when this was written */
}

static void solves_are_no_more_than_evaluations(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        const struct yk_coupling_work *work = yk_coupling_work((*ops)->name);

        for (int s = 0; s < YK_SIDES && work; s++)
            assert_true(work->solves[s] <= work->evaluations[s]);
    }
}

static void coupling_without_a_line_is_refused(void **state)
{
    const struct yk_coupling_ops stranger = {.name = "stranger"};
    struct yk_bench_result r;

    assert_refused(yk_bench_coupling(&stranger, &r, &err), YK_E_UNSUPPORTED, "stranger: its evaluations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluations_are_those_of_a_run),
        cmocka_unit_test(solves_are_no_more_than_evaluations),
        cmocka_unit_test(coupling_without_a_line_is_refused),
    };

    return cmocka_run_group_tests_name("bench_coupling", tests, NULL, NULL);
}
