/* yoke identify and yoke analyze frf as a user meets them. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define EXAMPLE    YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
#define OSCILLATOR YOKE_SOURCE "/examples/oscillator/oscillator.yaml"

static void check_run(const struct program *p, int code, const char *words, int line)
{
    if (p->code != code || !strstr(code ? p->err : p->out, words)) {
        print_error("line %d: exit code %d, wanted %d and '%s'\nstdout: %.1000s\nstderr: %.1000s\n", line, p->code,
                    code, words, p->out, p->err);
        fail();
    }
}
#define assert_run(p, code, words) check_run(p, code, words, __LINE__)

static double number(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    if (!json_is_number(value))
        print_error("no number '%s'\n", key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static json_t *json_of(const struct program *p)
{
    json_t *json = json_loads(p->out, 0, NULL);

    assert_non_null(json);
    return json;
}

/* The example with its section `transfer` replaced by the text of a file. */
static void paste(const char *fragment, const char *to)
{
    FILE *in = fopen(EXAMPLE, "r"), *part = fopen(fragment, "r"), *out = fopen(to, "w");
    char line[1024];
    bool inside = false;

    assert_true(in && part && out);
    while (fgets(line, sizeof line, in)) {
        if (strncmp(line, "transfer:", 9) == 0) {
            char text[1024];

            inside = true;
            while (fgets(text, sizeof text, part))
                fputs(text, out);
        } else if (line[0] != ' ') {
            inside = false;
        }
        if (!inside)
            fputs(line, out);
    }
    fclose(in);
    fclose(part);
    assert_int_equal(fclose(out), 0);
}

static void json_has_the_model_and_what_follows(void **state)
{
    struct program p;
    json_t *json, *model, *proposal;

    program_run(&p, "identify", EXAMPLE, "--amplitude", "10mm", "--json", "--set",
                "rig.actuators.a1.sensors.displacement_noise=0.1 mm");
    assert_run(&p, 0, "actuator");
    json = json_of(&p);
    model = json_object_get(json, "model");
    proposal = json_object_get(json, "proposal");
    assert_near_relative(number(model, "gain"), 0.9868, 0.02);
    assert_near_relative(number(model, "T1_s"), 0.05397, 0.02);
    assert_near_relative(number(model, "T2_s"), 0.005014, 0.02);
    assert_near_relative(number(model, "dead_time_s"), 0.009331, 0.02);
    assert_true(number(json, "fit_percent") > 96 && number(json, "fit_percent") < 97);
    assert_near_relative(number(json_object_get(proposal, "pid"), "K"), 3.32, 0.02);
    assert_near_relative(number(json_object_get(proposal, "imc"), "filter_s"), 0.00622, 0.02);
    /* of one tangent: Ziegler and Nichols ask for 1/a, 0.9/a and 1.2/a, Chien, Hrones and Reswick for 0.6/a */
    const json_t *zn = json_object_get(proposal, "ziegler_nichols");
    const double a = 0.6 / number(json_object_get(proposal, "pid"), "K"),
                 L = 2 * number(json_object_get(proposal, "pid"), "Td_s");
    assert_near_relative(number(json_object_get(zn, "p"), "K"), 1 / a, 1e-12);
    assert_near_relative(number(json_object_get(zn, "pi"), "K"), 0.9 / a, 1e-12);
    assert_near_relative(number(json_object_get(zn, "pi"), "Ti_s"), 3 * L, 1e-12);
    assert_near_relative(number(json_object_get(zn, "pid"), "K"), 1.2 / a, 1e-12);
    assert_near_relative(number(json_object_get(zn, "pid"), "Ti_s"), 2 * L, 1e-12);
    /* the last point is measured where the sweep is still at its full size */
    const json_t *last = json_array_get(json_object_get(json, "bode"), 39);
    const json_t *magnitude = json_object_get(last, "magnitude");
    assert_near_relative(json_number_value(json_array_get(magnitude, 0)),
                         json_number_value(json_array_get(magnitude, 1)), 0.02);
    assert_int_equal(json_array_size(json_object_get(json, "bode")), 40);
    json_decref(json);
    program_free(&p);
}

static void the_fragment_runs_and_tracks(void **state)
{
    struct program p;
    char fragment[600], file[600], set[620];
    json_t *json;

    snprintf(fragment, sizeof fragment, "%s", scratch_path("transfer.yaml"));
    snprintf(file, sizeof file, "%s", scratch_path("pasted.yaml"));
    snprintf(set, sizeof set, "transfer=%s", fragment);
    program_run(&p, "identify", EXAMPLE, "-o", fragment);
    assert_run(&p, 0, "delay to compensate 21.27");
    program_free(&p);
    program_run(&p, "run", EXAMPLE, "-o", scratch_path("out"), "--set", set);
    assert_run(&p, 0, "after compensating 21.3 ms");
    program_free(&p);
    paste(fragment, file);
    program_run(&p, "run", file, "-o", scratch_path("out"));
    assert_run(&p, 0, "2000 of 2000 steps");
    program_free(&p);
    program_run(&p, "analyze", "frf", file, "--frequencies", "0.5", "--json");
    json = json_of(&p);
    assert_near(number(json_array_get(json_object_get(json, "points"), 0), "delay_s"), 0, 0.05e-3);
    json_decref(json);
    program_free(&p);
}

static void one_lag_makes_a_fragment_that_runs_too(void **state)
{
    struct program p;
    char fragment[600], file[600];

    snprintf(fragment, sizeof fragment, "%s", scratch_path("one.yaml"));
    snprintf(file, sizeof file, "%s", scratch_path("one-pasted.yaml"));
    program_run(&p, "identify", EXAMPLE, "--order", "1", "--mounted", "-o", fragment);
    assert_run(&p, 0, "specimen mounted");
    program_free(&p);
    paste(fragment, file);
    program_run(&p, "check", file);
    assert_run(&p, 0, "specimen");
    program_free(&p);
}

/* Two lags of 20 and 25 ms, each moved by both commands: H = 50/(s + 50), 5/(s + 50); 6/(s + 40), 40/(s + 40). */
#define TWO_ACTUATORS(transfer)                                                                                        \
    "title: two actuators\n"                                                                                           \
    "time: { step: 1 ms, end: 1 s, control_rate: 1000 Hz }\n"                                                          \
    "method: { integrator: chang }\n"                                                                                  \
    "substructures:\n"                                                                                                 \
    "  frame: { dofs: [x, y], mass: [1000, 1000], stiffness: [1e6, 1e6] }\n"                                           \
    "  coupler: { role: physical, dofs: [x, y], actuators: { x: a1, y: a2 }, estimate: { stiffness: [1, 1] } }\n"      \
    "interfaces: [ { join: [frame.x, coupler.x] }, { join: [frame.y, coupler.y] } ]\n"                                 \
    "transfer: " transfer "\n"                                                                                         \
    "rig:\n"                                                                                                           \
    "  backend: virtual\n"                                                                                             \
    "  actuators: { a1: {}, a2: {} }\n"                                                                                \
    "  joint: [ { actuators: [a1, a2], plant: { kind: state-space,\n"                                                  \
    "             A: [[-50, 0], [0, -40]], B: [[50, 5], [6, 40]], C: [[1, 0], [0, 1]] } } ]\n"                         \
    "  specimen: { dofs: [x, y], mass: [0, 0], stiffness: [1, 1] }\n"

static void actuators_that_interact_are_identified_together(void **state)
{
    char file[600], fragment[600], with[600];
    struct program p;
    json_t *json, *pairs;

    snprintf(file, sizeof file, "%s", scratch_write("two.yaml", TWO_ACTUATORS("{ a1: {}, a2: {} }")));
    snprintf(with, sizeof with, "%s", scratch_write("with.yaml", TWO_ACTUATORS("joint-transfer.yaml")));
    snprintf(fragment, sizeof fragment, "%s", scratch_path("joint-transfer.yaml"));
    program_run(&p, "identify", file, "--joint", "--duration", "20", "-o", fragment, "--json");
    assert_run(&p, 0, "zeros_of_determinant");
    json = json_of(&p);
    pairs = json_object_get(json, "pairs");
    assert_int_equal(json_array_size(pairs), 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(number(json_array_get(pairs, i), "fit_percent") > 99.5);
    json_decref(json);
    program_free(&p);
    /* what is written compensates: without it, 1 Hz comes 20 ms late */
    program_run(&p, "analyze", "frf", with, "--frequencies", "1,5", "--json");
    assert_run(&p, 0, "points");
    json = json_of(&p);
    for (size_t i = 0; i < 2; i++) {
        const json_t *point = json_array_get(json_object_get(json, "points"), i);

        assert_near(number(point, "magnitude"), 1, 0.01);
        assert_near(number(point, "delay_s"), 0, 0.6e-3);
    }
    json_decref(json);
    program_free(&p);
    program_run(&p, "identify", file, "--actuators", "a2,a1", "--duration", "20", "--order", "2");
    assert_run(&p, 0, "a2, a1: sweeps of each from 0.1 to 20 Hz");
    assert_run(&p, 0, "kind: joint-inverse");
    assert_run(&p, 0, "plant: { kind: state-space");
    program_free(&p);
}

static void frf_prints_a_row_for_each_frequency(void **state)
{
    struct program p;
    json_t *json, *points;

    program_run(&p, "analyze", "frf", EXAMPLE, "--frequencies", "1,2,5", "--set",
                "transfer.a1.compensator={kind: none}", "--json");
    assert_run(&p, 0, "points");
    json = json_of(&p);
    points = json_object_get(json, "points");
    assert_int_equal(json_array_size(points), 3);
    /* dead time, twice the filter, less half a tick of 1 ms */
    assert_near(number(json_array_get(points, 0), "delay_s"), 0.009331 + 0.012 - 0.0005, 0.05e-3);
    json_decref(json);
    program_free(&p);
    program_run(&p, "analyze", "frf", EXAMPLE, "--frequencies", "1:10:4log");
    assert_run(&p, 0, "4.6416");
    program_free(&p);
}

/* Half of 200 mm; half of 300 mm/s over 2 pi f, at 10 Hz 2.39 mm; at 20 Hz, where the compensator doubles the motion,
 * half of that. */
static void frf_chooses_amplitudes_within_the_limits(void **state)
{
    struct program p;
    json_t *json, *points;

    program_run(&p, "analyze", "frf", EXAMPLE, "--frequencies", "0.1", "--amplitude", "300 mm");
    assert_run(&p, 0, "amplitude lowered at 1 of 1 frequencies");
    program_free(&p);
    program_run(&p, "analyze", "frf", EXAMPLE, "--frequencies", "1,10,20", "--set", "limits.velocity=300 mm/s",
                "--json");
    assert_run(&p, 0, "points");
    json = json_of(&p);
    points = json_object_get(json, "points");
    assert_near(number(json_array_get(points, 0), "amplitude_m"), 0.010, 1e-12);
    assert_near(number(json_array_get(points, 1), "amplitude_m"), 0.15 / (2 * M_PI * 10), 1e-12);
    assert_near(number(json_array_get(points, 2), "amplitude_m"), 0.075 / (2 * M_PI * 20), 1e-12);
    json_decref(json);
    program_free(&p);
}

/* The actuator is 20.8 ms late without a compensator. At 0.5 Hz that is 0.65 of 10 mm, and half of the amplitude does
 * not trip; at 5 Hz an eighth still has an error of 0.8 mm. */
static void frf_keeps_the_points_that_it_has(void **state)
{
    struct program p;
    json_t *json, *points;

    program_run(&p, "analyze", "frf", EXAMPLE, "--frequencies", "0.5,5,0.7", "--set",
                "transfer.a1.compensator={kind: none}", "--set", "limits.tracking_error=0.5 mm", "--json");
    assert_run(&p, 0, "tracking error of a1");
    json = json_of(&p);
    points = json_object_get(json, "points");
    assert_int_equal(json_array_size(points), 3);
    assert_near(number(json_array_get(points, 0), "delay_s"), 0.0208, 0.001);
    assert_non_null(json_object_get(json_array_get(points, 1), "missing"));
    assert_null(json_object_get(json_array_get(points, 1), "magnitude"));
    assert_near(number(json_array_get(points, 2), "delay_s"), 0.0208, 0.001);
    json_decref(json);
    program_free(&p);
    program_run(&p, "analyze", "frf", EXAMPLE, "--frequencies", "0.5,5,0.7", "--set",
                "transfer.a1.compensator={kind: none}", "--set", "limits.tracking_error=0.5 mm");
    assert_run(&p, 0, "1 of 3 points are missing");
    program_free(&p);
}

static void pictures_are_drawn(void **state)
{
    struct program p;
    char bode[600], frf[600];

    snprintf(bode, sizeof bode, "%s", scratch_path("bode.svg"));
    snprintf(frf, sizeof frf, "%s", scratch_path("frf.svg"));
    program_run(&p, "identify", EXAMPLE, "--duration", "20", "--plot", bode);
    if (p.code == 1 && strstr(p.err, "gnuplot was not found"))
        skip();
    assert_run(&p, 0, "picture: ");
    program_free(&p);
    program_run(&p, "analyze", "frf", EXAMPLE, "--frequencies", "1,2,5", "--plot", frf);
    assert_run(&p, 0, "picture: ");
    program_free(&p);
    assert_int_equal(access(bode, F_OK), 0);
    assert_int_equal(access(frf, F_OK), 0);
}

static void bad_words_are_refused(void **state)
{
    static const struct {
        const char *words[7], *message;
    } cases[] = {{{"identify"}, "usage"},
                 {{"identify", OSCILLATOR}, "no substructure is physical"},
                 {{"identify", EXAMPLE, "--actuator", "zz"}, "there is no actuator 'zz'; there are: a1"},
                 {{"identify", EXAMPLE, "--order", "3"}, "must be 1, 2 or servo"},
                 {{"identify", EXAMPLE, "--joint"}, "1 actuators: there must be 2 to 6"},
                 {{"identify", EXAMPLE, "--actuators", "a1,zz"}, "there is no actuator 'zz'"},
                 {{"identify", EXAMPLE, "--actuators", "a1,a1"}, "names 'a1' twice"},
                 {{"identify", EXAMPLE, "--joint", "--actuator", "a1"}, "--actuators a1,a2"},
                 {{"identify", EXAMPLE, "--joint", "--order", "servo"}, "--order"},
                 {{"identify", EXAMPLE, "--joint", "--order", "9"}, "--order"},
                 {{"identify", OSCILLATOR, "--joint"}, "no substructure is physical"},
                 {{"identify", EXAMPLE, "--amplitude", "3 kg"}, "length is expected"},
                 {{"identify", EXAMPLE, "--amplitude", "0"}, "is outside"},
                 {{"identify", EXAMPLE, "--to", "900"}, "half the control rate"},
                 {{"identify", EXAMPLE, "--from", "30"}, "it must rise"},
                 {{"identify", EXAMPLE, "--duration", "0.1"}, "duration"},
                 {{"identify", EXAMPLE, "--plot", "bode.txt"}, ".svg"},
                 {{"analyze", "frf", OSCILLATOR}, "no substructure is physical"},
                 {{"analyze", "frf", EXAMPLE, "--actuator", "zz"}, "there is no actuator 'zz'"},
                 {{"analyze", "frf", EXAMPLE, "--frequencies", "1,x"}, "--frequencies '1,x'"},
                 {{"analyze", "frf", EXAMPLE, "--frequencies", "1,0"}, "0 Hz is outside"},
                 {{"analyze", "frf", EXAMPLE, "--frequencies", "1,2", "--set", "limits.tracking_error=1 um"},
                  "lower the amplitude"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words[9] = {YOKE_PROGRAM};
        struct program p;

        for (size_t k = 0; k < 7; k++)
            words[k + 1] = cases[i].words[k];
        program_start(&p, words, 0);
        program_wait(&p);
        check_run(&p, 2, i ? cases[i].message : "", (int)i);
        program_free(&p);
    }
}

static void a_fragment_that_cannot_be_written_is_an_error(void **state)
{
    struct program p;

    program_run(&p, "identify", EXAMPLE, "--duration", "10", "-o", "/nowhere/at/all.yaml");
    assert_run(&p, 1, "cannot write /nowhere/at/all.yaml");
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_has_the_model_and_what_follows),
        cmocka_unit_test(the_fragment_runs_and_tracks),
        cmocka_unit_test(one_lag_makes_a_fragment_that_runs_too),
        cmocka_unit_test(actuators_that_interact_are_identified_together),
        cmocka_unit_test(frf_prints_a_row_for_each_frequency),
        cmocka_unit_test(frf_chooses_amplitudes_within_the_limits),
        cmocka_unit_test(frf_keeps_the_points_that_it_has),
        cmocka_unit_test(pictures_are_drawn),
        cmocka_unit_test(bad_words_are_refused),
        cmocka_unit_test(a_fragment_that_cannot_be_written_is_an_error),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
