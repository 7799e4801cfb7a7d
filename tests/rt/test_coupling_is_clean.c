/* A coupled step makes no heap call, no page fault and no system call; every coupling of the registry. */
#include "support/check.h"
#include "support/coupled.h"
#include "support/trap.h"

#include <math.h>

enum { STEPS = 10000, N = 3 };

static void load(void *self, double t, double *f)
{
    for (int i = 0; i < N; i++)
        f[i] = sin(3 * t + i);
}

/* Two chains of three masses, joined at their ends. */
static void open_chains(struct torn *t, int substeps)
{
    static const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, 0.5}, K[] = {200, -100, 0, -100, 200, -100, 0, -100, 100};
    static const double C[] = {0.4, -0.2, 0, -0.2, 0.4, -0.2, 0, -0.2, 0.2};
    const struct torn_part parts[] = {{false, N, M, C, K, NULL, NULL}, {true, N, M, C, K, NULL, NULL}};

    torn_make(t, parts, 2, &(struct torn_join){0, 2, 1, 2}, 1, 0.001, substeps);
    torn_load(t, YK_COARSE, (struct yk_loading){load, NULL});
    torn_load(t, YK_FINE, (struct yk_loading){load, NULL});
}

static void advance(void *arg)
{
    for (int i = 0; i < STEPS; i++)
        yk_coupling_step(arg);
}

static void check_memory(struct yk_coupling *c)
{
    struct trap_counts counts = {0};

    for (int pass = 0; pass < 2; pass++) { /* the first may still grow the stack */
        trap_begin();
        advance(c);
        trap_end(&counts);
    }
    if (counts.heap_calls || counts.page_faults)
        print_error("%s: %ld heap calls, %ld page faults\n", c->ops->name, counts.heap_calls, counts.page_faults);
    assert_int_equal(counts.heap_calls, 0);
    assert_int_equal(counts.page_faults, 0);
}

static void check_system_calls(struct yk_coupling *c)
{
    long first, count = count_syscalls(advance, c, &first);

    if (count == TRAP_UNAVAILABLE) {
        print_message("system calls cannot be counted here\n");
        return;
    }
    if (count)
        print_error("%s: %ld system calls, the first is number %ld\n", c->ops->name, count, first);
    assert_int_equal(count, 0);
}

static void coupled_steps_are_clean(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        struct torn t;
        struct yk_coupling c;

        open_chains(&t, (*ops)->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : 4);
        torn_open(&c, &t, (*ops)->name, NULL, NULL, 0, 1);
        for (int i = 0; i < 4; i++)
            assert_int_equal(yk_coupling_step(&c), YK_OK);
        check_memory(&c);
        check_system_calls(&c);
        yk_coupling_destroy(&c);
        torn_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(coupled_steps_are_clean)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
