/* yoke check --certify and --cuts as a user calls them. The worst plant is judged by the amplification matrix of the
 * whole loop, which knows nothing of ports: just inside it decays, just outside it grows. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define UNCERTAIN YOKE_SOURCE "/examples/uncertain-specimen/uncertain-specimen.yaml"
#define FRAME     YOKE_SOURCE "/examples/shear-frame-earthquake/shear-frame-earthquake.yaml"
#define SPRING    YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"

static json_t *certificate(void)
{
    struct program p;
    json_t *json;

    program_run(&p, "check", UNCERTAIN, "--certify", "--json", "-o", scratch_path("certify"));
    if (p.code)
        print_error("%d: %s%s\n", p.code, p.out, p.err);
    assert_int_equal(p.code, 0);
    assert_non_null(json = json_loads(p.out, 0, NULL));
    program_free(&p);
    return json;
}

static double number(const json_t *json, const char *key)
{
    assert_true(json_is_number(json_object_get(json, key)));
    return json_number_value(json_object_get(json, key));
}

/* Is the loop stable with the worst plant moved towards the file by `part`? */
static bool is_stable_at(double part, double r)
{
    struct program p;
    char k[80], c[80], g[80], d[80];
    json_t *json;
    bool stable;

    snprintf(k, sizeof k, "rig.specimen.stiffness=[[%.9g]]", 94748 * (1 + 0.2 * r * part));
    snprintf(c, sizeof c, "rig.specimen.damping=[[%.9g]]", 300 * fmax(1 - 0.5 * r * part, 0.02));
    snprintf(g, sizeof g, "rig.actuators.a1.sensors.force_gain=%.9g", 1 + 0.02 * r * part);
    snprintf(d, sizeof d, "rig.actuators.a1.plant.dead_time=%.9g ms", 3 + 2 * r * part);
    program_run(&p, "check", UNCERTAIN, "--set", k, "--set", c, "--set", g, "--set", d, "--json");
    assert_non_null(json = json_loads(p.out, 0, NULL));
    stable = json_is_true(json_object_get(json_object_get(json, "hybrid_loop"), "stable"));
    json_decref(json);
    program_free(&p);
    return stable;
}

static void the_worst_plant_lies_just_outside_the_certificate(void **state)
{
    json_t *c = certificate();
    const double radius = number(c, "radius"), found = number(c, "radius_found");
    struct program p;

    assert_true(json_is_true(json_object_get(c, "certified")));
    assert_true(radius > 2.9 && radius < found && found < 1.02 * radius);
    assert_true(number(c, "spent_s") < 2);
    assert_true(is_stable_at(1, 0.999 * radius));
    assert_true(is_stable_at(1, 0.999 * found));
    assert_false(is_stable_at(1, 1.002 * found));
    json_decref(c);
    program_run(&p, "check", scratch_path("certify/worst.yaml"));
    assert_non_null(strstr(p.out, "UNSTABLE"));
    assert_int_equal(p.code, 4);
    program_free(&p);
}

static void a_stiffness_that_changes_counts_if_it_is_asked_for(void **state)
{
    struct program p;

    program_run(&p, "check", UNCERTAIN, "--certify", "--changing", "-o", scratch_path("changing"));
    assert_int_equal(p.code, 4);
    assert_non_null(strstr(p.out, "only up to 0.928 times, if stiffness changes"));
    program_free(&p);
}

static void limits_that_are_wrong_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"uncertain={rig.specimen.stiffnes: 20 %}", "uncertain.rig.specimen.stiffnes: no such key"},
        {"uncertain={rig.backend: 20 %}", "uncertain.rig.backend: is a text, not a number"},
        {"uncertain={rig.specimen.damping: 120 %}", "120 % would reach -0.2 of the value; write an interval A..B"},
        {"uncertain={rig.actuators.a1.plant.dead_time: 4..6 ms}", "4..6 ms does not contain the nominal 3 ms"},
        {"uncertain={rig.actuators.a1.plant.dead_time: 2..6 mm}", "a time is expected"},
        {"uncertain={rig.specimen.stiffness: some}", "neither a percentage nor an interval"},
        {"uncertain={}", "nothing to certify"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;

        program_run(&p, "check", UNCERTAIN, "--certify", "--set", cases[i].set, "-o", scratch_path("refused"));
        if (p.code != 2 || !strstr(p.err, cases[i].words))
            fail_msg("%s: %d: %s%s", cases[i].set, p.code, p.out, p.err);
        program_free(&p);
    }
}

static void loops_without_a_certificate_say_why(void **state)
{
    struct program p;

    program_run(&p, "check", UNCERTAIN, "--certify", "--set", "transfer.a1.compensator={kind: none}", "--set",
                "rig.actuators.a1.plant.dead_time=60 ms", "--set", "uncertain={rig.specimen.stiffness: 20 %}", "-o",
                scratch_path("none"));
    assert_int_equal(p.code, 4);
    assert_non_null(strstr(p.out, "the nominal loop is unstable: nothing to certify"));
    program_free(&p);
    program_run(&p, "check", UNCERTAIN, "--certify", "--set", "transfer.a1.compensator={kind: ats, delay: 4 ms}", "-o",
                scratch_path("none"));
    assert_int_equal(p.code, 4);
    assert_non_null(strstr(p.out, "the loop is not linear"));
    program_free(&p);
}

static void limits_change_nothing_else_in_a_check(void **state)
{
    struct program with, without;
    json_t *a, *b;

    program_run(&with, "check", SPRING, "--set", "uncertain={rig.specimen.stiffness: 20 %}", "--json");
    program_run(&without, "check", SPRING, "--json");
    assert_non_null(a = json_loads(with.out, 0, NULL));
    assert_non_null(b = json_loads(without.out, 0, NULL));
    for (int i = 0; i < 2; i++) { /* times differ */
        json_object_del(i ? a : b, "step_cost_s");
        json_object_del(i ? a : b, "solving");
        json_object_del(i ? a : b, "reference_s");
        json_object_del(json_object_get(i ? a : b, "hybrid_loop"), "spent_s");
    }
    assert_true(json_equal(a, b));
    json_decref(a);
    json_decref(b);
    program_free(&with);
    program_free(&without);
}

static void cuts_of_a_frame_are_ranked(void **state)
{
    struct program p;
    json_t *json, *cuts;
    double last = INFINITY;

    program_run(&p, "check", FRAME, "--cuts", "--json", "-o", scratch_path("cuts"));
    assert_int_equal(p.code, 0);
    assert_non_null(json = json_loads(p.out, 0, NULL));
    cuts = json_object_get(json, "cuts");
    assert_int_equal(json_array_size(cuts), 12);
    for (size_t i = 0; i < 12; i++) {
        const json_t *c = json_array_get(cuts, i);

        assert_true(number(c, "certified_s") <= last && number(c, "certified_s") <= number(c, "found_s"));
        assert_true(number(c, "certified_s") >= 0.85 * number(c, "found_s"));
        assert_true(number(c, "found_s") <= number(c, "nominal_s"));
        last = number(c, "certified_s");
    }
    json_decref(json);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_plant_lies_just_outside_the_certificate),
        cmocka_unit_test(a_stiffness_that_changes_counts_if_it_is_asked_for),
        cmocka_unit_test(limits_that_are_wrong_are_refused_with_their_place),
        cmocka_unit_test(loops_without_a_certificate_say_why),
        cmocka_unit_test(limits_change_nothing_else_in_a_check),
        cmocka_unit_test(cuts_of_a_frame_are_ranked),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
