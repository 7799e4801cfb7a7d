/* Observed orders where the load jumps between two steps: the reference must not take it too early. */
#include "support/check.h"

#include "analyze/analyze.h"
#include "experiment/experiment.h"

#define JUMP(on) "loads: [{on: " on ", kind: step, amplitude: 10, at: 0.5}]\n"
#define CHAIN(law)                                                                                                     \
    "substructures:\n"                                                                                                 \
    "  a:\n"                                                                                                           \
    "    kind: assembled\n"                                                                                            \
    "    nodes: {n1: {mass: 2}, n2: {mass: 1}}\n"                                                                      \
    "    elements:\n"                                                                                                  \
    "    - {kind: spring, stiffness: 8, between: [ground, n1.x]}\n"                                                    \
    "    - {" law ", between: [n1.x, n2.x]}\n"
#define TORN                                                                                                           \
    "substructures:\n"                                                                                                 \
    "  a: {dofs: [x, y], mass: [1, 1], stiffness: [[2, -1], [-1, 2]]}\n"                                               \
    "  b: {dofs: [x, y], mass: [1, 1], stiffness: [[2, -1], [-1, 2]], rate: fine}\n"                                   \
    "interfaces: [{join: [a.y, b.x]}]\n"
#define CUBIC "kind: cubic-spring, stiffness: 30, cubic: 40"

static void jumps_between_steps_do_not_spoil_the_order(void **state)
{
    static const struct {
        const char *text;
        double order;
    } cases[] = {
        {"time: {step: 0.02, end: 2}\nmethod: {integrator: lsrt2}\n" CHAIN("kind: spring, stiffness: 30")
             JUMP("a.n1.x"),
         2},
        {"time: {step: 0.02, end: 2}\nmethod: {integrator: lsrt2}\n" CHAIN(CUBIC) JUMP("a.n1.x"), 2},
        {"time: {step: 0.02, end: 2}\nmethod: {integrator: lsrt3}\n" CHAIN(CUBIC) JUMP("a.n1.x"), 3},
        {"time: {step: 0.02, end: 2}\nmethod: {integrator: newmark}\n" CHAIN(CUBIC) JUMP("a.n1.x"), 1},
        {"time: {step: 0.1, end: 2, substeps: 2}\nmethod: {coupling: assr2}\n" TORN JUMP("a.y"), 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_experiment *e;
        struct yk_order order;

        assert_ok(yk_experiment_parse(&e, "jump.yaml", cases[i].text, strlen(cases[i].text), NULL, 0, &err));
        assert_ok(yk_observed_order(e, 4, &order, &err));
        assert_near(order.order_u, cases[i].order, 0.1);
        assert_near(order.order_v, cases[i].order, 0.1);
        yk_experiment_destroy(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jumps_between_steps_do_not_spoil_the_order)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
