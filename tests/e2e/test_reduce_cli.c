/* yoke reduce as a user runs it: the model file in an experiment, the report, JSON, refusals. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

static const char full[] = YOKE_SOURCE "/examples/vehicle/full/full.yaml";

static json_t *load_json(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, 0, &error);

    if (!json)
        print_error("%s\n%s\n", error.text, text);
    assert_non_null(json);
    return json;
}

static double number(const json_t *json, const char *a, const char *b)
{
    return json_number_value(json_object_get(json_object_get(json, a), b));
}

static void assert_file(const char *name)
{
    if (access(scratch_path(name), R_OK))
        fail_msg("no file %s", name);
}

/* Reference: independent prototype, see the specification of the vehicle. */
static void vehicle_is_reduced_and_compared(void **state)
{
    struct program p;
    json_t *list, *r;

    /* the frame is the only one that can be reduced: the suspension is nonlinear */
    program_run(&p, "reduce", full, "-o", scratch_path("out"), "--json");
    assert_int_equal(p.code, 0);
    list = load_json(p.out);
    r = json_array_get(list, 0);
    assert_int_equal(json_integer_value(json_object_get(r, "full")), 765);
    assert_int_equal(json_integer_value(json_object_get(r, "modes")), 30);
    assert_int_equal(json_integer_value(json_object_get(r, "interface")), 4);
    assert_near_relative(number(r, "fidelity", "worst_error"), 0.008348, 1e-3);
    assert_near_relative(number(r, "whole", "nmse"), 1.528e-8, 1e-3);
    json_decref(list);
    program_free(&p);
    assert_file("out/frame.md");
    assert_file("out/frame.json");
    assert_file("out/frame-mac.svg");
    assert_file("out/frame-frequencies.svg");
    assert_file("out/frame-response.svg");
    assert_file("out/frame-whole.svg");
}

/* The model file written anew takes the place of the one beside the example. */
static void model_file_runs(void **state)
{
    char set[1200];
    struct program p;

    snprintf(set, sizeof set, "substructures.frame.file=%s", scratch_path("out/frame.h5"));
    program_run(&p, "run", YOKE_SOURCE "/examples/vehicle/vehicle.yaml", "-o", scratch_path("run"), "--quiet", "--set",
                set, "--set", "reference=none");
    assert_int_equal(p.code, 0);
    program_free(&p);
}

static void refused(const char *const *words, const char *message)
{
    struct program p;

    program_start(&p, words, 0);
    program_wait(&p);
    if (p.code != 2 || !strstr(p.err, message))
        print_error("code %d, '%s', wanted '%s'\n", p.code, p.err, message);
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, message));
    program_free(&p);
}

#define REFUSED(message, ...) refused((const char *const[]){YOKE_PROGRAM, "reduce", __VA_ARGS__, NULL}, message)

static const char *two_candidates(void)
{
    return scratch_write("two.yaml",
                         "time: { step: 1 ms, end: 0.1 s }\nmethod: { integrator: newmark }\nsubstructures:\n"
                         "  a: { dofs: { count: 2 }, mass: [1, 1], stiffness: [1, 1] }\n"
                         "  b: { dofs: { count: 3 }, mass: [1, 1, 1], stiffness: [1, 1, 1] }\n"
                         "interfaces: [ { join: [a.d1, b.d1] } ]\n");
}

static void what_cannot_be_reduced_is_refused(void **state)
{
    REFUSED("no output folder: give -o DIR", full);
    REFUSED("which substructure? --substructure NAME, one of: a (2 DoFs), b (3 DoFs)", two_candidates(), "-o", "x");
    REFUSED("no substructure can be reduced: 'frame' has nothing inside its interface, 'specimen' is a specimen",
            YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml", "-o", "x");
    REFUSED("there is no substructure 'fram'", full, "-o", "x", "--substructure", "fram");
    REFUSED("no degree of freedom 'L1.w'", full, "-o", "x", "--substructure", "frame", "--interface", "L1.z,L1.w");
    REFUSED("it is nonlinear", full, "-o", "x", "--substructure", "suspension");
    REFUSED("there is no method 'craig'", full, "-o", "x", "--method", "craig");
    REFUSED("--modes and --band exclude each other", full, "-o", "x", "--modes", "3", "--band", "10");
    REFUSED("guyan keeps no modes", full, "-o", "x", "--method", "guyan", "--modes", "3");
    REFUSED("--modes '0' must be a whole number", full, "-o", "x", "--modes", "0");
    /* three horizontal motions are free when only the vertical mounts hold the frame */
    REFUSED("move rigidly in 3 ways", full, "-o", "x", "--substructure", "frame", "--set",
            "substructures.frame.nodes.L1.fixed=[]", "--set", "substructures.frame.nodes.L3.fixed=[]");
}

static void file_of_another_kind_is_refused(void **state)
{
    struct program p;

    program_run(&p, "check", YOKE_SOURCE "/examples/vehicle/vehicle.yaml", "--set",
                "substructures.frame.file=vehicle.yaml");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "cannot be opened as a reduced model"));
    program_free(&p);
    program_run(&p, "check", YOKE_SOURCE "/examples/vehicle/vehicle.yaml", "--set",
                "loads=[{ground: frame, kind: sine, amplitude: 1, frequency: 1}]");
    assert_int_equal(p.code, 2);
    /* the file beside the example has the first format */
    assert_non_null(strstr(
        p.err, "lacks the effect of the ground on the interior; reduce the full model again with `yoke reduce`"));
    program_free(&p);
}

/* A portal whose feet are held, inside what is reduced. */
#define HEAD "time: { step: 1 ms, end: 0.6 s }\nmethod: { integrator: newmark }\nsubstructures:\n"
#define TAIL                                                                                                           \
    "loads: [ { ground: wall, influence: { x: 1 }, kind: earthquake, peak: 0.3 g, rise: 0.1 s, strong: 0.3 s, "        \
    "decay: 0.1 s } ]\n"
static const char portal[] =
    HEAD "  wall:\n    kind: frame\n"
         "    sections: { s: { E: 30 GPa, A: 0.02 m2, Iz: 3e-5 m4, density: 2500 kg/m3 } }\n"
         "    nodes: { a: { at: [0, 0], fixed: all }, b: { at: [0, 1] }, c: { at: [0, 2] }, d: { at: [0.7, 2] }, "
         "e: { at: [1.5, 2] }, f: { at: [1.5, 1] }, g: { at: [1.5, 0], fixed: all } }\n"
         "    members: [ { between: [a, b], section: s }, { between: [b, c], section: s }, { between: [c, d], section: "
         "s }, { between: [d, e], section: s }, { between: [e, f], section: s }, { between: [f, g], section: s } ]\n"
         "    rayleigh: { ratio: 0.03, frequencies: [10 Hz, 100 Hz] }\n" TAIL;

static json_t *summary_of(const char *name)
{
    json_error_t error;
    json_t *json = json_load_file(scratch_path(name), 0, &error);

    assert_non_null(json);
    return json;
}

static double peak_of_run(const char *file, const char *folder)
{
    char summary[64];
    struct program p;
    json_t *json;
    double peak;

    program_run(&p, "run", file, "-o", scratch_path(folder), "--quiet");
    if (p.code != 0)
        print_error("%s\n", p.err);
    assert_int_equal(p.code, 0);
    program_free(&p);
    snprintf(summary, sizeof summary, "%s/summary.json", folder);
    json = summary_of(summary);
    peak = number(json, "peaks", "wall.d.x.u");
    json_decref(json);
    return peak;
}

static void supports_inside_a_reduced_model_shake_it(void **state)
{
    char full_file[1024], few_file[1024];
    struct program p;

    snprintf(full_file, sizeof full_file, "%s", scratch_write("portal.yaml", portal));
    snprintf(few_file, sizeof few_file, "%s",
             scratch_write("few.yaml",
                           HEAD "  wall: { kind: reduced, file: portal/wall.h5 }\n" TAIL "reference: monolithic\n"));
    program_run(&p, "reduce", full_file, "--interface", "d.x", "--modes", "6", "-o", scratch_path("portal"));
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_near_relative(peak_of_run(few_file, "out-few"), peak_of_run(full_file, "out-full"), 2e-3);
}

/* The model was made from a file that is still there; then that changes; then it is gone. */
static void reference_is_the_full_model_where_that_is_known(void **state)
{
    static const char *const notes[] = {"computed with the full models", "has changed since it was reduced",
                                        "cannot be read"};
    struct program p;
    double errors[3];

    program_run(&p, "reduce", scratch_path("portal.yaml"), "--interface", "d.x", "--modes", "1", "-o",
                scratch_path("portal"));
    assert_int_equal(p.code, 0);
    program_free(&p);
    for (int i = 0; i < 3; i++) {
        const char *note;
        json_t *json;

        if (i == 1) {
            char *changed = strdup(portal);

            memcpy(strstr(changed, "30 GPa"), "31", 2);
            scratch_write("portal.yaml", changed);
            free(changed);
        } else if (i == 2) {
            assert_int_equal(unlink(scratch_path("portal.yaml")), 0);
        }
        peak_of_run(scratch_path("few.yaml"), "out-few");
        json = summary_of("out-few/summary.json");
        note = json_string_value(json_object_get(json_object_get(json, "errors"), "reference"));
        assert_non_null(note);
        if (!strstr(note, notes[i]) || !strstr(note, i ? "computed with the reduced models" : "full"))
            fail_msg("'%s' does not say '%s'", note, notes[i]);
        errors[i] = number(json, "errors", "displacement_nrms");
        json_decref(json);
    }
    /* one mode is not all: the full model shows what the reduced one as its own reference cannot */
    assert_true(errors[0] > 2 * errors[1] && errors[0] < 1);
    assert_true(errors[1] == errors[2]);
}

/* Four masses on springs: fewer modes than the default of 30. */
static void small_models_keep_every_mode(void **state)
{
    static const char *const methods[] = {"craig-bampton", "rubin"};
    char file[1024], out[1024];
    struct program p;

    snprintf(file, sizeof file, "%s", scratch_path("small.yaml"));
    snprintf(out, sizeof out, "%s", scratch_path("small"));
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fputs("time: { step: 1 ms, end: 0.1 s }\nmethod: { integrator: newmark }\nsubstructures:\n"
          "  a:\n    dofs: [a, b, c, d]\n    mass: [1, 1, 1, 1]\n"
          "    stiffness: [[2e4, -1e4, 0, 0], [-1e4, 2e4, -1e4, 0], [0, -1e4, 2e4, -1e4], [0, 0, -1e4, 1e4]]\n",
          f);
    fclose(f);
    for (size_t i = 0; i < 2; i++) {
        program_run(&p, "reduce", file, "--interface", "d", "--method", methods[i], "-o", out, "--json");
        assert_int_equal(p.code, 0);
        json_t *list = load_json(p.out), *r = json_array_get(list, 0);
        assert_int_equal(json_integer_value(json_object_get(r, "modes")), 3);
        assert_true(number(r, "fidelity", "worst_error") < 1e-9);
        json_decref(list);
        program_free(&p);
    }
    REFUSED("keep at most 3 modes", file, "-o", out, "--interface", "d", "--method", "rubin", "--modes", "4");
    REFUSED("nothing is left to reduce", file, "-o", out, "--interface", "a,b,c,d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vehicle_is_reduced_and_compared),
        cmocka_unit_test(model_file_runs),
        cmocka_unit_test(what_cannot_be_reduced_is_refused),
        cmocka_unit_test(file_of_another_kind_is_refused),
        cmocka_unit_test(supports_inside_a_reduced_model_shake_it),
        cmocka_unit_test(reference_is_the_full_model_where_that_is_known),
        cmocka_unit_test(small_models_keep_every_mode),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
