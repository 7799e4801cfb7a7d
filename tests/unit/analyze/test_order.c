/* Observed orders where the load jumps between two steps: the reference must not take it too early. */
#include "support/check.h"

#include "analyze/analyze.h"
#include "experiment/experiment.h"

#include <math.h>
#include <stdio.h>

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
#define UNEVEN                                                                                                         \
    "substructures:\n"                                                                                                 \
    "  a: {dofs: [y], mass: [2], damping: [1], stiffness: [2], initial: {displacement: {y: 1}, velocity: {y: 1}}}\n"   \
    "  b: {dofs: [x], mass: [1], stiffness: [4], initial: {displacement: {x: 1}, velocity: {x: 1}}, rate: fine}\n"     \
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
        struct yk_model *e;
        struct yk_order order;

        assert_ok(yk_model_parse(&e, "jump.yaml", cases[i].text, strlen(cases[i].text), NULL, 0, &err));
        assert_ok(yk_observed_order(e, 4, &order, &err));
        assert_near(order.order_u, cases[i].order, 0.1);
        assert_near(order.order_v, cases[i].order, 0.1);
        yk_model_close(e);
    }
}

/* The projection methods carry a multiplier of order 1; what they report is of the order of the state. Others carry
 * none. */
static void a_carried_multiplier_has_an_order_of_its_own(void **state)
{
    static const struct {
        const char *method;
        double reported, carried;
    } cases[] = {{"vpnr1", 1, 1}, {"vpnr2", 2, 1}, {"apnr2", 2, NAN}, {"plsrt2", 2, NAN}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        struct yk_model *e;
        struct yk_order order;

        snprintf(text, sizeof text,
                 "time: {step: 0.02, end: 1}\nmethod: {coupling: %s}\n" UNEVEN "loads: [{on: a.y, kind: sine, "
                 "amplitude: 1, frequency: 0.4}]\n",
                 cases[i].method);
        assert_ok(yk_model_parse(&e, "carried.yaml", text, strlen(text), NULL, 0, &err));
        assert_ok(yk_observed_order(e, 5, &order, &err));
        assert_near(order.order_lambda, cases[i].reported, 0.1);
        if (isnan(cases[i].carried))
            assert_true(isnan(order.order_carried));
        else
            assert_near(order.order_carried, cases[i].carried, 0.1);
        yk_model_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jumps_between_steps_do_not_spoil_the_order),
                                       cmocka_unit_test(a_carried_multiplier_has_an_order_of_its_own)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
