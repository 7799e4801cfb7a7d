/* The description of a run for pages: structure, actuators, limits; and the histogram of its timing. */
#include "engine/engine.h"
#include "support/check.h"

#include <jansson.h>
#include <stdlib.h>

static json_t *described(const char *text)
{
    struct yk_model *e = NULL;
    char *description;
    json_t *json;

    assert_ok(yk_model_parse(&e, "t.yaml", text, strlen(text), NULL, 0, &err));
    description = yk_run_description(e);
    assert_non_null(description);
    json = json_loads(description, 0, NULL);
    assert_non_null(json);
    free(description);
    yk_model_close(e);
    return json;
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void a_specimen_has_its_actuators_and_their_limits(void **state)
{
    json_t *d = described("title: t\n"
                          "time: {step: 10 ms, end: 1 s, control_rate: 1 kHz}\n"
                          "method: {integrator: lsrt2}\n"
                          "substructures:\n"
                          "  frame: {dofs: [x], mass: [1000], stiffness: [[4000]]}\n"
                          "  brace: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[1000]]}}\n"
                          "interfaces: [{join: [frame.x, brace.x], name: joint}]\n"
                          "loads: [{on: frame.x, kind: sine, amplitude: 10, frequency: 1}]\n"
                          "transfer: {a1: {}}\n"
                          "rig: {backend: virtual, actuators: {a1: {plant: {kind: ideal}}},\n"
                          "      specimen: {kind: linear, dofs: [x], mass: [[0]], stiffness: [[1000]]}}\n"
                          "limits: {force: {limit: 8 kN, action: cut}, on_trip: ramp}\n");
    json_t *sketch = json_object_get(d, "sketch"), *parts = json_object_get(sketch, "substructures"),
           *brace = json_array_get(parts, 1), *actuator = json_array_get(json_object_get(d, "actuators"), 0),
           *limit = json_array_get(json_object_get(actuator, "limits"), 0);

    assert_int_equal(json_array_size(parts), 2);
    assert_string_equal(text_of(json_array_get(parts, 0), "role"), "numerical");
    assert_string_equal(text_of(brace, "role"), "physical");
    assert_string_equal(json_string_value(json_array_get(json_object_get(brace, "actuators"), 0)), "a1");
    assert_string_equal(text_of(json_array_get(json_object_get(sketch, "interfaces"), 0), "name"), "joint");
    assert_string_equal(text_of(actuator, "specimen"), "brace");
    assert_string_equal(text_of(limit, "limit"), "force");
    assert_string_equal(text_of(limit, "unit"), "N");
    assert_string_equal(text_of(limit, "action"), "cut");
    assert_near(json_number_value(json_object_get(limit, "max")), 8000, 1e-6);
    assert_string_equal(text_of(d, "rig"), "virtual");
    json_decref(d);
}

/* A leg that ends at a support has no degree of freedom there, but two ends. */
static void members_have_both_ends_and_elements_what_they_connect(void **state)
{
    json_t *d =
        described("title: t\n"
                  "time: {step: 1 ms, end: 1 s}\n"
                  "method: {integrator: newmark}\n"
                  "substructures:\n"
                  "  f:\n"
                  "    kind: frame\n"
                  "    sections: {s: {E: 210 GPa, A: 1e-3 m2, Iz: 1e-6 m4, density: 7800 kg/m3}}\n"
                  "    nodes: {foot: {at: [0, 0], fixed: all}, head: [0, 3]}\n"
                  "    members: [{between: [foot, head], section: s}]\n"
                  "    elements: [{kind: bilinear, between: [ground, head.x], stiffness: 1e6, yield_slip: 1 mm,\n"
                  "                hardening: 0.1}]\n");
    json_t *f = json_array_get(json_object_get(json_object_get(d, "sketch"), "substructures"), 0),
           *line = json_array_get(json_object_get(f, "lines"), 0),
           *element = json_array_get(json_object_get(f, "elements"), 0);

    assert_int_equal(json_array_size(line), 2);
    assert_near(json_number_value(json_array_get(json_array_get(line, 0), 1)), 0, 0);
    assert_near(json_number_value(json_array_get(json_array_get(line, 1), 1)), 3, 0);
    assert_string_equal(text_of(element, "law"), "bilinear");
    assert_true(json_is_null(json_object_get(element, "from")));
    assert_string_equal(text_of(element, "to"), "head.x");
    json_decref(d);
}

/* A weight on a vertical degree of freedom has a sign, a vibration has none; what is held is named, but not what is
 * held at every node. */
static void supports_and_the_sign_of_loads_are_described(void **state)
{
    json_t *d = described("title: t\n"
                          "time: {step: 1 ms, end: 1 s}\n"
                          "method: {integrator: newmark}\n"
                          "substructures:\n"
                          "  f:\n"
                          "    kind: frame\n"
                          "    fixed: [rz]\n"
                          "    sections: {s: {E: 210 GPa, A: 1e-3 m2, Iz: 1e-6 m4, density: 7800 kg/m3}}\n"
                          "    nodes: {a: {at: [0, 0], fixed: all}, b: {at: [4, 0], fixed: [y]}, c: [2, 3]}\n"
                          "    members: [{between: [a, c], section: s}, {between: [c, b], section: s}]\n"
                          "loads:\n"
                          "  - {on: f.c.y, kind: ramp, amplitude: -50 kN, to: 0.2 s}\n"
                          "  - {on: f.c.x, kind: sine, amplitude: -10 kN, frequency: 3 Hz}\n"
                          "  - {on: f.c.x, kind: ramp, amplitude: 5 kN, to: 0.2 s}\n");
    json_t *sketch = json_object_get(d, "sketch"), *f = json_array_get(json_object_get(sketch, "substructures"), 0),
           *supports = json_object_get(f, "supports"), *loads = json_object_get(sketch, "loads"),
           *first = json_object_get(json_array_get(supports, 0), "held"),
           *roller = json_object_get(json_array_get(supports, 1), "held");
    static const int signs[] = {-1, 1, 1};

    assert_int_equal(json_array_size(supports), 2);
    assert_int_equal(json_array_size(first), 3);
    assert_string_equal(json_string_value(json_array_get(first, 2)), "rz");
    assert_string_equal(json_string_value(json_array_get(roller, 0)), "y");
    assert_near(json_number_value(json_array_get(json_object_get(json_array_get(supports, 1), "at"), 0)), 4, 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(json_integer_value(json_object_get(json_array_get(loads, i), "sign")), signs[i]);
    json_decref(d);
}

static void a_histogram_counts_every_duration_below_the_end_of_its_bin(void **state)
{
    static struct yk_timing timing;
    double upper_s[YK_TIMING_BINS];
    uint64_t counts[YK_TIMING_BINS], sum = 0;

    for (int64_t ns = 1000; ns < 9000; ns += 10)
        yk_timing_add(&timing, ns);
    const size_t bins = yk_timing_histogram(&timing, upper_s, counts);

    assert_in_range(bins, 6, 8); /* three octaves and the rest */
    for (size_t i = 0; i < bins; i++) {
        uint64_t below = 0;

        sum += counts[i];
        for (int64_t ns = 1000; ns < 9000; ns += 10)
            below += 1e-9 * (double)ns < upper_s[i];
        assert_int_equal(sum, below);
    }
    assert_int_equal(sum, timing.count);
    assert_true(counts[0] > 0 && counts[bins - 1] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_specimen_has_its_actuators_and_their_limits),
        cmocka_unit_test(members_have_both_ends_and_elements_what_they_connect),
        cmocka_unit_test(supports_and_the_sign_of_loads_are_described),
        cmocka_unit_test(a_histogram_counts_every_duration_below_the_end_of_its_bin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
