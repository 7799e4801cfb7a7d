/* Runs begin in equilibrium with permanent loads: with reduced models, in sessions that are saved, copied and continued
 * in another process, under every coupling, beside a specimen, and what the verdict says. Expected values: closed
 * forms; a structure in equilibrium stays where it is. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"
#include "support/small_frame.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

static json_t *run(const char *file, const char *folder, const char *first, const char *second)
{
    struct program p;
    char path[1100];

    program_run(&p, "run", file, "-q", "--no-report", "-o", scratch_path(folder), "--set", first ? first : "title=t",
                "--set", second ? second : "title=t");
    if (p.code)
        fail_msg("%s: exit code %d: %s", folder, p.code, p.err);
    program_free(&p);
    snprintf(path, sizeof path, "%s/summary.json", scratch_path(folder));
    json_t *summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    return summary;
}

static double peak(const json_t *summary, const char *channel)
{
    const json_t *value = json_object_get(json_object_get(summary, "peaks"), channel);

    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* ---- reduced models -------------------------------------------------------------------------------------------- */

/* Four masses on springs of 1 MN/m, one above the other; 10 kN on the last one: 10, 20, 30, 40 mm. */
#define CHAIN_HEAD "title: chain\ntime: { step: 5 ms, end: 1 s }\nmethod: { integrator: newmark }\nsubstructures:\n"
#define CHAIN                                                                                                          \
    "  chain: { kind: linear, dofs: [a, b, c, d], mass: [1000, 1000, 1000, 1000], stiffness: [[2e6, -1e6, 0, 0], "     \
    "[-1e6, 2e6, -1e6, 0], [0, -1e6, 2e6, -1e6], [0, 0, -1e6, 1e6]] }\n"
#define TOP                                                                                                            \
    "  top: { kind: linear, dofs: [x], mass: [1000], stiffness: [0] }\ninterfaces: [ { join: [chain.d, top.x] } ]\n"   \
    "loads: [ { on: top.x, kind: constant, amplitude: 10 kN, permanent: true } ]\n"

static void a_reduced_model_begins_in_equilibrium(void **state)
{
    struct program p;

    program_run(&p, "reduce", scratch_write("full.yaml", CHAIN_HEAD CHAIN TOP), "--substructure", "chain", "--modes",
                "1", "--no-report", "-o", scratch_path("model"));
    assert_int_equal(p.code, 0);
    program_free(&p);
    for (int reduced = 0; reduced < 2; reduced++) {
        const char *file = reduced ? scratch_write("reduced.yaml", CHAIN_HEAD "  chain: { kind: reduced, file: "
                                                                              "model/chain.h5 }\n" TOP)
                                   : scratch_path("full.yaml");
        json_t *summary = run(file, "chain", NULL, NULL);

        /* static shapes carry the load exactly; nothing moves */
        assert_near(peak(summary, "top.x.u"), 0.04, 1e-12);
        assert_true(peak(summary, "top.x.v") < 1e-9);
        json_decref(summary);
    }
}

/* ---- couplings ------------------------------------------------------------------------------------------------- */

/* A load on each side of a coupling, shared by what stands there: 30 kN on 3 + 2 MN/m. */
static const char coupled[] =
    "title: coupled\ntime: { step: 2 ms, substeps: 2, end: 0.2 s }\nmethod: { coupling: gc }\nsubstructures:\n"
    "  a: { kind: linear, rate: coarse, dofs: [x], mass: [2000], damping: [500], stiffness: [3e6] }\n"
    "  b: { kind: linear, rate: fine, dofs: [x], mass: [1000], damping: [300], stiffness: [2e6] }\n"
    "interfaces: [ { join: [a.x, b.x] } ]\nloads:\n"
    "  - { on: a.x, kind: constant, amplitude: 20 kN, permanent: true }\n"
    "  - { on: b.x, kind: constant, amplitude: 10 kN, permanent: true }\n";

static void every_coupling_stays_in_equilibrium(void **state)
{
    json_t *list;
    struct program p;
    size_t i, seen = 0;
    json_t *one;

    program_run(&p, "list", "couplings", "--json");
    assert_non_null(list = json_loads(p.out, 0, NULL));
    program_free(&p);
    json_array_foreach(json_is_array(list) ? list : json_object_get(list, "couplings"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        const char *const words[][2] = {{"time.substeps=2", "x"}, {"time.substeps=1", "x"}};
        char method[100];
        bool ran = false;

        snprintf(method, sizeof method, "method={coupling: %s}", name);
        for (int k = 0; k < 2 && !ran; k++) { /* some have no substeps */
            program_run(&p, "run", scratch_write("coupled.yaml", coupled), "-q", "--no-report", "-o",
                        scratch_path("coupled"), "--set", method, "--set", words[k][0]);
            ran = p.code == 0;
            if (p.code != 0 && p.code != 2)
                fail_msg("%s: %s", name, p.err);
            program_free(&p);
        }
        if (!ran)
            continue; /* for specimens only */
        json_t *summary = json_load_file(scratch_path("coupled/summary.json"), 0, NULL);

        if (!(fabs(peak(summary, "a.x.u") - 6e-3) < 1e-9 && fabs(peak(summary, "b.x.u") - 6e-3) < 1e-9 &&
              peak(summary, "a.x.v") < 1e-7))
            fail_msg("%s: %.9g, %.9g, %g", name, peak(summary, "a.x.u"), peak(summary, "b.x.u"),
                     peak(summary, "a.x.v"));
        json_decref(summary);
        seen++;
    }
    assert_true(seen >= 8);
    json_decref(list);
}

/* ---- sessions -------------------------------------------------------------------------------------------------- */

static struct yk_session *begin(const struct yk_model *model)
{
    struct yk_session *s;

    assert_ok(yk_session_open(&s, model, &err));
    return s;
}

static void advance(struct yk_session *s, long steps)
{
    long made;

    assert_ok(yk_session_advance(s, steps, 0, &made, &err));
    assert_int_equal(made, steps);
}

/* Fibres and a hinge that carry the weight remember it: saved in the middle, and taken up by another model of the same
 * file, a session goes on with the same bits. */
static void saved_sessions_remember_what_carried_the_weight(void **state)
{
    const struct yk_model_source source = {
        .path = "small.yaml", .text = SMALL_FRAME("2 ms"), .size = strlen(SMALL_FRAME("2 ms"))};
    struct yk_model *model[2];
    struct yk_session *whole, *copy, *other;
    void *bytes;
    size_t size;

    for (int k = 0; k < 2; k++)
        assert_ok(yk_model_read(&model[k], &source, &err));
    whole = begin(model[0]);
    const long u = yk_session_channel_find(whole, "frame.b.y.u");

    assert_true(u >= 0);
    assert_true(yk_session_row(whole)[u] < -1e-5); /* the post is shorter by its weight */
    advance(whole, 60);
    assert_ok(yk_session_save(whole, &bytes, &size, &err));
    assert_ok(yk_session_copy(&copy, whole, &err));
    other = begin(model[1]);
    assert_ok(yk_session_restore(other, bytes, size, &err));
    advance(whole, 140);
    advance(copy, 140);
    advance(other, 140);
    for (size_t i = 0; i < yk_session_channel_count(whole); i++) {
        assert_true(yk_session_row(whole)[i] == yk_session_row(copy)[i]);
        assert_true(yk_session_row(whole)[i] == yk_session_row(other)[i]);
    }
    /* back to the start: the weight is still carried */
    yk_session_close(copy);
    copy = begin(model[0]);
    yk_session_close(other);
    other = begin(model[1]);
    for (size_t i = 0; i < yk_session_channel_count(copy); i++)
        assert_true(yk_session_row(copy)[i] == yk_session_row(other)[i]);
    free(bytes);
    yk_session_close(whole);
    yk_session_close(copy);
    yk_session_close(other);
    yk_model_close(model[0]);
    yk_model_close(model[1]);
}

/* ---- verdict, and specimens ------------------------------------------------------------------------------------ */

/* 20 t on 3 MN/m beside a brace of 2 MN/m on the virtual rig; 100 kN lean on it, and a pulse of 20 kN comes. */
static const char beside[] =
    "title: beside\ntime: { step: 1 ms, end: 1 s, control_rate: 1 kHz }\nmethod: { integrator: alpha-os }\n"
    "substructures:\n  tower: { kind: linear, dofs: [x], mass: [20000], damping: [10000], stiffness: [3e6] }\n"
    "  brace: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[1500000]] } }\n"
    "interfaces:\n  - { join: [tower.x, brace.x] }\nloads:\n"
    "  - { on: tower.x, kind: constant, amplitude: 100 kN, permanent: true }\n"
    "  - { on: tower.x, kind: half-sine, amplitude: 20 kN, duration: 50 ms }\n"
    "transfer:\n  a1: {}\nrig:\n  backend: virtual\n  actuators: { a1: { plant: { kind: ideal } } }\n"
    "  specimen: { kind: linear, dofs: [x], mass: [[0]], stiffness: [[2000000]] }\nlimits: { displacement: 100 mm }\n";

/* The weight changes neither the motion nor what is said of it: it moves nothing, and no criterion may count it. */
static void the_verdict_does_not_count_the_weight(void **state)
{
    const char *file = scratch_write("beside.yaml", beside);
    json_t *with = run(file, "with", NULL, NULL),
           *without =
               run(file, "without", "loads=[{on: tower.x, kind: half-sine, amplitude: 20 kN, duration: 50 ms}]", NULL);
    const json_t *a = json_object_get(with, "verdict"), *b = json_object_get(without, "verdict");

    assert_string_equal(json_string_value(json_object_get(a, "level")), json_string_value(json_object_get(b, "level")));
    assert_true(json_equal(json_object_get(a, "reasons"), json_object_get(b, "reasons")));
    assert_near_relative(peak(with, "tower.x.u"), peak(without, "tower.x.u"), 1e-9);
    assert_near_relative(peak(with, "a1.force"), peak(without, "a1.force"), 1e-9);
    assert_string_equal(json_string_value(json_object_get(a, "level")), "good");
    json_decref(with);
    json_decref(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reduced_model_begins_in_equilibrium),
        cmocka_unit_test(every_coupling_stays_in_equilibrium),
        cmocka_unit_test(saved_sessions_remember_what_carried_the_weight),
        cmocka_unit_test(the_verdict_does_not_count_the_weight),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
