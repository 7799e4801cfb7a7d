/* Every compensator and estimator, and the choice of the feedback, run without heap calls, page faults and system
 * calls. */
#include "support/check.h"
#include "support/transfer.h"
#include "support/trap.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 500 };

struct run {
    struct compensator compensator;
    struct estimator estimator;
    struct yk_optimal_feedback feedback;
    struct yk_force_correction correction;
    double sum; /* so that nothing is optimised away */
};

static void advance(void *arg)
{
    struct run *r = arg;

    for (int i = 0; i < STEPS; i++) {
        const double t = 0.01 * i, x = 0.01 * sin(9 * t), delay = 0.015 + 1e-4 * (i % 7),
                     y = 0.01 * sin(9 * (t - 0.015));
        double force, at;

        const double command = compensator_predict(&r->compensator, i % 2, x, 0.09 * cos(9 * t), delay);
        compensator_learn(&r->compensator, y);
        compensator_reached(&r->compensator, i % 2, x, 0.09 * cos(9 * t), -0.81 * sin(9 * t));
        r->sum += estimator_update(&r->estimator, x, command, y);
        yk_optimal_feedback_push(&r->feedback, y, 100 * y);
        yk_optimal_feedback_choose(&r->feedback, x, &force, &at);
        yk_force_correction_push(&r->correction, y, 100 * y);
        yk_force_correction_choose(&r->correction, x, &force, &at);
        r->sum += force;
    }
}

static void check(struct run *r, const char *name)
{
    struct trap_counts counts = {0};

    advance(r);
    for (int tries = 0; tries < 2; tries++) { /* a page that the kernel moved is not the method's doing */
        trap_begin();
        advance(r);
        trap_end(&counts);
        if (counts.page_faults == 0)
            break;
    }
    if (counts.heap_calls || counts.page_faults)
        print_error("%s: %ld heap calls, %ld page faults\n", name, counts.heap_calls, counts.page_faults);
    assert_int_equal(counts.heap_calls, 0);
    assert_int_equal(counts.page_faults, 0);
    const long calls = count_syscalls(advance, r, NULL);
    assert_true(calls == 0 || calls == TRAP_UNAVAILABLE);
}

static void open_run(struct run *r, struct yk_arena *mem, const char *compensator, const char *estimator)
{
    *r = (struct run){.feedback = {.window = 20, .rule = YK_FEEDBACK_NEAREST, .monotone = true},
                      .correction = yk_force_correction_defaults()};
    r->compensator = compensator_open(compensator, NULL, 0.01, 2);
    r->estimator = estimator_open(estimator, NULL, 0.01, 0.01);
    yk_optimal_feedback_layout(&r->feedback, mem);
    assert_ok(yk_arena_check(mem, &err));
    assert_ok(yk_optimal_feedback_init(&r->feedback, &err));
    assert_ok(yk_force_correction_init(&r->correction, &err));
}

static void every_method_is_clean(void **state)
{
    const struct yk_compensator_ops *const *c = yk_compensators;
    const struct yk_estimator_ops *const *e = yk_estimators;

    for (bool more = true; more; more = c[1] || e[1], c += c[1] != NULL, e += e[1] != NULL) {
        struct yk_arena mem = {0};
        struct run r;

        if ((*c)->joint) /* of several actuators: test_joint_actuators */
            continue;
        open_run(&r, &mem, (*c)->name, (*e)->name);
        check(&r, (*c)->name);
        compensator_close(&r.compensator);
        estimator_close(&r.estimator);
        yk_arena_free(&mem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_is_clean)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
