/* Every registered coupling makes 10,000 steps without heap calls, page faults and system calls once it has started;
 * one thread, every choice of every setting. They are made in rounds, each from the start, since not every choice is
 * stable for so long. */
#include "support/check.h"
#include "support/coupled.h"
#include "support/trap.h"

#include <math.h>
#include <stdlib.h>

enum { WARM_UP = 6, STEPS = 500, ROUNDS = 20 };

static void load(void *self, double t, double *f)
{
    f[0] = sin(3 * t);
    f[1] = cos(2 * t);
}

struct run {
    struct torn torn;
    struct yk_coupling c;
    long steps;
    enum yk_status status;
};

static void advance(void *arg)
{
    struct run *r = arg;

    for (long k = 0; k < r->steps && !r->status; k++)
        r->status = yk_coupling_step(&r->c);
}

/* wall - m0 - m1 : m1' - m2 - wall, torn at m1 */
static void make(struct run *r, int substeps)
{
    const double M[] = {1, 0, 0, 0.5}, C[] = {0.1, 0, 0, 0.1}, KA[] = {200, -100, -100, 100},
                 KB[] = {100, -100, -100, 200};
    const double MB[] = {0.25, 0, 0, 1}, v0[] = {1, 1};
    const struct torn_part parts[] = {{false, 2, M, C, KA, NULL, v0}, {true, 2, MB, C, KB, NULL, v0}};

    torn_make(&r->torn, parts, 2, &(struct torn_join){0, 1, 1, 0}, 1, 0.002, substeps);
    torn_load(&r->torn, YK_COARSE, (struct yk_loading){load, NULL});
    torn_load(&r->torn, YK_FINE, (struct yk_loading){load, NULL});
}

static void start(struct run *r)
{
    assert_int_equal(yk_coupling_start(&r->c, NULL, NULL), YK_OK);
    r->steps = WARM_UP;
    advance(r);
    r->steps = STEPS;
}

static void check(const struct yk_coupling_ops *ops, const void *settings)
{
    struct run r = {.steps = WARM_UP};
    struct trap_counts counts = {0};
    long calls, first;

    make(&r, ops->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : 6);
    assert_ok(yk_coupling_create(&r.c, ops, settings, r.torn.problem, NULL, &err));
    for (int round = 0; round < ROUNDS; round++) {
        struct trap_counts own = {.page_faults = 1};

        /* the stack may be touched for the first time, or a page be moved by the kernel */
        for (int tries = 0; tries < 3 && own.page_faults; tries++) {
            start(&r);
            trap_begin();
            advance(&r);
            trap_end(&own);
            counts.heap_calls += own.heap_calls;
        }
        counts.page_faults += own.page_faults;
    }
    start(&r);
    calls = count_syscalls(advance, &r, &first);
    if (r.status || counts.heap_calls || counts.page_faults || calls > 0)
        print_error("%s: %s, %ld heap calls, %ld page faults, %ld system calls (first: %ld)\n", ops->name,
                    yk_status_text(r.status), counts.heap_calls, counts.page_faults, calls, first);
    assert_int_equal(r.status, YK_OK);
    assert_int_equal(counts.heap_calls, 0);
    assert_int_equal(counts.page_faults, 0);
    assert_true(calls == 0 || calls == TRAP_UNAVAILABLE);
    yk_coupling_destroy(&r.c);
    torn_free(&r.torn);
}

static void step_of_every_coupling_is_clean(void **state)
{
    for (const struct yk_coupling_ops *const *ops = yk_couplings; *ops; ops++) {
        if ((*ops)->caps & YK_COUPLING_SPECIMENS)
            continue;
        void *settings = calloc(1, (*ops)->size);

        assert_non_null(settings);
        yk_param_defaults((*ops)->params, settings);
        check(*ops, settings);
        for (const struct yk_param *p = (*ops)->params; p && p->name; p++) {
            int choice = 0;

            for (const char *c = p->type == YK_PARAM_CHOICE ? p->choices : NULL; c; c = strchr(c + 1, '|'), choice++) {
                yk_param_defaults((*ops)->params, settings);
                assert_ok(yk_param_set((*ops)->params, settings, p->name, choice, &err));
                check(*ops, settings);
            }
        }
        free(settings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(step_of_every_coupling_is_clean)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
