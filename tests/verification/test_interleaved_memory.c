/* Hysteresis on a coarse side that runs in interleaved sequences (PM, APSR1, IPLSRT2, PLSRT2): each remembers its own
 * path. A pier with sliding bearings, 10 s of an earthquake; the bearings are not at the interface, so nothing but
 * their memory could tie the sequences. Expected: the untorn structure in short steps (`reference: monolithic`), and
 * the error of modified PH, which has one sequence and steps of dt where the others take 2 dt or 4 dt. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <string.h>

static const char text[] =
    "time: {step: 2.5 ms, substeps: 4, end: 10 s}\n"
    "method: {coupling: pm}\n"
    "reference: monolithic\n"
    "substructures:\n"
    "  bridge:\n"
    "    kind: assembled\n"
    "    rate: coarse\n"
    "    nodes: {p: {mass: 7000}, d: {mass: 380000}}\n"
    "    elements:\n"
    "      - {kind: spring, between: [ground, p.x], stiffness: 9e6}\n"
    "      - {kind: bilinear, between: [p.x, d.x], stiffness: 1e8, hardening: 0.02, yield_slip: 2 mm}\n"
    "  span:\n"
    "    kind: assembled\n"
    "    rate: fine\n"
    "    nodes: {d: {mass: 20000}}\n"
    "    elements: [{kind: spring, between: [ground, d.x], stiffness: 4e6}]\n"
    "interfaces: [{join: [bridge.d.x, span.d.x]}]\n"
    "loads: [{ground: all, influence: {x: 1}, kind: earthquake, peak: 0.3 g, frequency: 1.5 Hz, rise: 1 s, strong: 5 "
    "s,\n"
    "         decay: 3 s, seed: 9}]\n";

static double error_of(const char *method, const char *step)
{
    char words[2][64];
    const char *const set[] = {words[0], words[1]};
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e;
    struct recorded r;

    snprintf(words[0], sizeof words[0], "method={coupling: %s}", method);
    snprintf(words[1], sizeof words[1], "time.step=%s", step);
    e = recorded_parse(text, set, 2);
    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.status, YK_OK);
    assert_int_equal(r.result.steps, e->steps);
    const double error = r.result.error_u;

    print_message("%-8s %s: %.4f\n", method, step, error);
    recorded_free(&r);
    yk_model_close(e);
    return error;
}

/* With one memory for all sequences the errors were 0.36 (PM), 0.052 (IPLSRT2) and 1.9 (PLSRT2). */
static void each_sequence_remembers_its_own_path(void **state)
{
    const double one = error_of("mph", "2.5 ms");

    assert_true(one < 0.01);
    assert_near_relative(error_of("pm", "2.5 ms"), 4 * one, 0.1); /* the trapezoidal rule over 2 dt */
    assert_true(error_of("iplsrt2", "2.5 ms") < 2 * one);
    assert_true(error_of("plsrt2", "2.5 ms") < 2 * one);
}

static void and_so_the_error_vanishes_with_the_step(void **state)
{
    static const char *const methods[] = {"pm", "iplsrt2", "plsrt2"};

    for (int i = 0; i < 3; i++)
        assert_true(error_of(methods[i], "0.5 ms") < 0.2 * error_of(methods[i], "2.5 ms"));
}

static void methods_say_how_many_sequences_they_have(void **state)
{
    assert_int_equal(yk_coupling_find("pm")->chains, 2);
    assert_int_equal(yk_coupling_find("apsr1")->chains, 2);
    assert_int_equal(yk_coupling_find("iplsrt2")->chains, 2);
    assert_int_equal(yk_coupling_find("plsrt2")->chains, YK_CHAINS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sequence_remembers_its_own_path),
        cmocka_unit_test(and_so_the_error_vanishes_with_the_step),
        cmocka_unit_test(methods_say_how_many_sequences_they_have),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
