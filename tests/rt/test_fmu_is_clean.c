/* A step with FMUs in processes of their own: no heap call and no page fault on our side. (That it makes no system call
 * but the wait is shown by tools/real-time-calls, from the calls of the objects.) */
#include "support/check.h"
#include "support/fmus.h"
#include "support/scratch.h"
#include "support/trap.h"

#include "state/state.h"

#include <yoke/yoke.h>

static void check(const char *text)
{
    struct yk_model *model;
    struct yk_state m = {0};
    struct trap_counts counts = {0};

    assert_ok(yk_model_open(&model, scratch_write("clean.yaml", text), NULL, 0, &err));
    assert_ok(yk_model_state(model, &m, &err));
    for (int tries = 0; tries < 3; tries++) { /* a page that the kernel moved is not the doing of the step */
        assert_int_equal(yk_state_start(&m), YK_OK);
        trap_begin();
        for (int i = 0; i < 100; i++)
            (void)yk_state_step(&m);
        trap_end(&counts);
        assert_int_equal(counts.heap_calls, 0);
        if (counts.page_faults == 0)
            break;
    }
    assert_int_equal(counts.page_faults, 0);
    assert_int_equal(yk_state_status(&m), YK_OK);
    yk_state_close(&m);
    yk_model_close(model);
}

static void steps_with_fmus_take_no_memory(void **state)
{
    static const char
        *const head = "time: { step: 5 ms, end: 5 }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
                      "  s: { kind: fmu, timeout: 60 s, file: %s, %s, initial: { displacement: { x: 10 mm } } }\n",
               *moved = "mass: [10], dofs: { x: { displacement: x, velocity: v, force: F } }",
               *own = "dofs: { x: { displacement: s, velocity: w, force: f } }";
    const struct {
        const struct fmu_spec *spec;
        const char *dofs;
    } cases[] = {
        {&fmu_absorber2, moved}, {&fmu_absorber_exchange, moved}, {&fmu_absorber3, moved}, {&fmu_oscillator, own}};

    if (!trap_sees_heap())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[600];

        make_fmu(scratch_path("clean.fmu"), cases[i].spec);
        snprintf(text, sizeof text, head, "clean.fmu", cases[i].dofs);
        check(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_with_fmus_take_no_memory)};

    return cmocka_run_group_tests_name("FMUs in the loop", tests, scratch_create, scratch_remove);
}
