/* The model of a specimen names its degrees of freedom by nodes; the substructure names those that actuators move. */
#include "support/check.h"

#include "experiment/experiment.h"
#include <string.h>

#define HEAD                                                                                                           \
    "time: { step: 10 ms, end: 1 s, control_rate: 1000 Hz }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"          \
    "  frame: { dofs: [x], mass: [1], stiffness: [1] }\n"                                                              \
    "  specimen: { role: physical, dofs: [x], actuators: { x: a1 } }\n"                                                \
    "interfaces: [ { join: [frame.x, specimen.x] } ]\ntransfer: { a1: {} }\n"                                          \
    "rig:\n  backend: virtual\n  actuators: { a1: { plant: { kind: ideal } } }\n  specimen:\n    kind: assembled\n"

static enum yk_status parse(const char *text, struct yk_err *err)
{
    struct yk_model *e;
    const enum yk_status st = yk_model_parse(&e, "test.yaml", text, strlen(text), NULL, 0, err);

    if (!st)
        yk_model_close(e);
    return st;
}

static void the_name_of_a_node_may_be_left_out(void **state)
{
    assert_ok(parse(HEAD "    nodes: { body: { mass: 1 kg } }\n"
                         "    elements: [ { kind: spring, between: [ground, body.x], stiffness: 4 } ]\n",
                    &err));
}

static void but_not_where_two_nodes_have_it(void **state)
{
    assert_refused(parse(HEAD "    nodes: { body: { mass: 1 kg }, head: { mass: 1 kg } }\n"
                              "    elements: [ { kind: spring, between: [head.x, body.x], stiffness: 4 } ]\n",
                         &err),
                   YK_E_INPUT, "'x' of 'specimen' is ambiguous in the specimen model, which has body.x, head.x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_of_a_node_may_be_left_out),
        cmocka_unit_test(but_not_where_two_nodes_have_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
