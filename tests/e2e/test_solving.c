/* The way equations are solved, as a user meets it: chosen, reported, overridden, refused. Expected: a chain is a band
 * of one entry on either side of the diagonal; the path makes no difference to the motion. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* A chain of Bouc-Wen springs; with `extra` as one more element. */
static const char *write_chain(int springs, const char *extra)
{
    static char path[1024];
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, "time: { step: 2 ms, end: 0.4 s }\nmethod: { integrator: lsrt2 }\n"
                 "substructures:\n  c:\n    kind: assembled\n    nodes:\n");
    for (int i = 1; i <= springs; i++)
        fprintf(out, "      n%d: { mass: 1 t }\n", i);
    fprintf(out, "      turn: { dofs: [phi], mass: 1 t m2 }\n");
    fprintf(out, "    elements:\n");
    for (int i = 1; i <= springs; i++) {
        char from[16] = "ground";

        if (i > 1)
            snprintf(from, sizeof from, "n%d.x", i - 1);
        fprintf(out,
                "      - { kind: bouc-wen, between: [%s, n%d.x], kh: 1 kN/mm, k0: 100 kN/mm, beta: 500, gamma: 500 }\n",
                from, i);
    }
    fprintf(out, "      - { kind: spring, between: [ground, turn.phi], stiffness: 1 MN m/rad }\n%s", extra);
    fprintf(out, "loads: [ { ground: c, influence: { x: 1 }, kind: earthquake, peak: 0.5 g } ]\n");
    assert_int_equal(fclose(out), 0);
    snprintf(path, sizeof path, "%s", scratch_write("chain.yaml", text));
    free(text);
    return path;
}

static json_t *check(const char *file, const char *set)
{
    struct program p;
    json_t *found;

    program_run(&p, "check", file, "--json", "--set", set);
    assert_int_equal(p.code, 0);
    found = json_loads(p.out, 0, NULL);
    assert_non_null(found);
    program_free(&p);
    return found;
}

static void check_path(const char *file, const char *set, const char *path, bool current)
{
    json_t *found = check(file, set), *solving = json_array_get(json_object_get(found, "solving"), 0);

    assert_string_equal(json_string_value(json_object_get(solving, "path")), path);
    assert_int_equal(json_is_true(json_object_get(solving, "current")), current);
    json_decref(found);
}

static void check_reports_the_path_and_why(void **state)
{
    const char *file = write_chain(60, "");

    check_path(file, "method.path=auto", "banded", true);
    check_path(file, "method.path=dense", "dense", true);
    check_path(file, "method.path=sparse", "sparse", true);
    check_path(file, "method.path=low-rank", "low-rank", true);
    check_path(file, "method.integrator=cr", "dense", false); /* factored once: 61 degrees of freedom */
    assert_runs((const char *[]){YOKE_PROGRAM, "check", file, NULL});
    assert_said("equations     banded, 1 entry on either side of the diagonal; factored in every step, dense ");
    assert_runs((const char *[]){YOKE_PROGRAM, "check", file, "--set", "method.path=low-rank", NULL});
    assert_said(
        "low-rank: the initial factor, corrected in 60 rows and columns; factored in every step; method.path chose");
}

/* The judgement of the step by the laws of elements stands beside that by the frequencies of the structure. */
static void check_reports_elements_that_are_too_stiff_for_the_step(void **state)
{
    const char *file = write_chain(4, "      - { kind: maxwell, name: brace, between: [ground, n1.x], stiffness: 1e12, "
                                      "damping: 2e4, exponent: 0.4 }\n");
    json_t *found = check(file, "method.path=auto"), *first = json_array_get(json_object_get(found, "elements"), 0);

    assert_int_equal(json_array_size(json_object_get(found, "elements")), 1);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "brace");
    json_decref(found);
    assert_runs((const char *[]){YOKE_PROGRAM, "check", file, NULL});
    assert_said("  element       c.brace: above a rate of ");
}

/* Damping at rest C w0^(a - 1) = 50000 * 1e-4^-0.7 = 3.15e7 N s/m: cr would keep it, lsrt2 takes that of each step. */
static void check_reports_damping_at_rest_that_a_method_keeps(void **state)
{
    const char *file =
        write_chain(4, "      - { kind: power-damper, name: damper, between: [ground, n1.x], damping: 50000, "
                       "exponent: 0.3 }\n");
    json_t *found = check(file, "method.integrator=lsrt2");

    assert_int_equal(json_array_size(json_object_get(found, "elements")), 0);
    json_decref(found);
    assert_runs((const char *[]){YOKE_PROGRAM, "check", file, "--set", "method.integrator=cr", NULL});
    assert_said("  element       c.damper: its damping at rest times the step is ");
    assert_said("times the mass, above 0.1: cr, which keeps that damping, will be wrong");
}

/* Largest displacement of the last mass, from the summary. */
static double peak(const char *file, const char *path)
{
    char set[64], folder[1100], summary[1200];
    json_t *found;
    double value;

    snprintf(set, sizeof set, "method.path=%s", path);
    snprintf(folder, sizeof folder, "%s-%s", file, path);
    snprintf(summary, sizeof summary, "%s/summary.json", folder);
    assert_runs((const char *[]){YOKE_PROGRAM, "run", file, "--set", set, "-o", folder, NULL});
    found = json_load_file(summary, 0, NULL);
    assert_non_null(found);
    value = json_number_value(json_object_get(json_object_get(found, "peaks"), "c.n60.x.u"));
    json_decref(found);
    return value;
}

static void runs_agree_whatever_the_path(void **state)
{
    const char *file = write_chain(60, "");
    const double dense = peak(file, "dense");

    assert_true(dense > 1e-3);
    assert_near(peak(file, "banded"), dense, 1e-11 * dense);
    assert_near(peak(file, "sparse"), dense, 1e-11 * dense);
    assert_near(peak(file, "low-rank"), dense, 1e-11 * dense);
}

static void a_path_that_cannot_be_taken_is_refused(void **state)
{
    const char *file = write_chain(
        40, "      - { kind: damper, between: [ground, n1.x], damping: 1 MN s/m, levers: { turn.phi: 1 m } }\n");

    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "check", file, "--set", "method.path=banded", NULL}),
                     2);
    assert_said("path: banded cannot be taken here: the tangents are not symmetric; use sparse or leave path out");
    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "check", file, "--set", "method.path=full", NULL}), 2);
    assert_said("path = 'full' is not one of: auto, dense, banded, sparse, low-rank");
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */

static const char bridge[] = YOKE_SOURCE "/examples/bridge-88/bridge-88.yaml";

/* 20,000 steps of which one number is read are faster in modes; where all channels are recorded, they are not. */
static void the_modal_path_is_chosen_where_it_is_faster(void **state)
{
    assert_runs((const char *[]){YOKE_PROGRAM, "check", bridge, "--set", "record.channels=bridge.y20.u", "--set",
                                 "time.end=100 s", NULL});
    assert_said("equations     modal: one equation for each mode, without modes ");
    assert_said(" times as long with what is recorded");
    assert_runs((const char *[]){YOKE_PROGRAM, "check", bridge, "--set", "time.end=100 s", NULL});
    assert_said("equations     dense; factored once, modal ");
    check_path(bridge, "method.path=modal", "modal", false);
    assert_runs((const char *[]){YOKE_PROGRAM, "check", bridge, "--set", "method.path=modal", NULL});
    assert_said("equations     modal: one equation for each mode; method.path chose");
    /* 200 steps are over before the modes are found */
    assert_runs((const char *[]){YOKE_PROGRAM, "check", bridge, "--set", "record.channels=bridge.y20.u", "--set",
                                 "time.end=1 s", NULL});
    assert_said("equations     dense; factored once, modal 0.");
    assert_said("(not taken: finding the modes takes longer than the run would save)");
}

/* Two rows of masses that are joined, with a hysteretic spring in each and `more` elements in the second. */
static const char *write_rows(const char *more)
{
    static char path[1024];
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fprintf(out, "time: { step: 1 ms, end: 50 s }\nmethod: { coupling: gc }\nsubstructures:\n");
    for (int row = 0; row < 2; row++) {
        fprintf(out, "  %s:\n    kind: assembled\n    rate: %s\n    nodes:\n", row ? "b" : "a",
                row ? "fine" : "coarse");
        for (int i = 1; i <= 60; i++)
            fprintf(out, "      n%d: { mass: 1 t }\n", i);
        fprintf(out,
                "    elements:\n      - { kind: bouc-wen, between: [ground, n1.x], kh: 1e6, k0: 1e7, beta: 500 }\n");
        for (int i = 2; i <= 60; i++)
            fprintf(out, "      - { kind: spring, between: [n%d.x, n%d.x], stiffness: 1 kN/mm }\n", i - 1, i);
    }
    fprintf(out, "%sinterfaces: [ { join: [a.n60.x, b.n60.x] } ]\nrecord: { channels: [a.n30.x.u] }\n", more);
    assert_int_equal(fclose(out), 0);
    snprintf(path, sizeof path, "%s", scratch_write("rows.yaml", text));
    free(text);
    return path;
}

/* Each side of a coupling chooses for itself: a few nonlinear elements do not matter, damping that is not classical
 * does. */
static void each_side_is_stepped_in_modes_where_that_is_faster(void **state)
{
    static const char damper[] = "      - { kind: damper, between: [n1.x, n2.x], damping: 1 kN s/m }\n";

    assert_runs((const char *[]){YOKE_PROGRAM, "check", write_rows(""), NULL});
    assert_said("equations     coarse side: modal: one equation for each mode, without modes ");
    assert_said("              fine side: modal: one equation for each mode, without modes ");
    assert_runs((const char *[]){YOKE_PROGRAM, "check", write_rows(damper), NULL});
    assert_said("equations     coarse side: modal: one equation for each mode, without modes ");
    assert_said("(not taken: the damping is not classical)");
    assert_runs((const char *[]){YOKE_PROGRAM, "check", write_rows(damper), "--set", "method.path=modal", NULL});
    assert_said("equations     coarse side: modal: one equation for each mode; method.path chose");
    assert_said("fine side: dense; factored once (modal not taken: the damping is not classical)");
    assert_runs((const char *[]){YOKE_PROGRAM, "check", write_rows(""), "--set", "method={coupling: iplsrt2}", NULL});
    assert_said("coarse side: modal: one equation for each mode, corrected in 1 column, without modes ");
    /* a linear side of a Rosenbrock coupling obeys method.path, too */
    assert_runs((const char *[]){
        YOKE_PROGRAM, "check", write_rows(""), "--set", "method={coupling: plsrt2, path: banded}", "--set",
        "substructures.a.elements.0={kind: spring, between: [ground, n1.x], stiffness: 1e7}", NULL});
    assert_said("coarse side: banded, 1 entry on either side of the diagonal; factored once; method.path chose");
}

static json_t *summary_of(const char *file, const char *path, const char *more)
{
    char set[64], summary[1200], folder[1100];
    json_t *found;

    snprintf(set, sizeof set, "method.path=%s", path);
    snprintf(folder, sizeof folder, "%s", scratch_path("run"));
    snprintf(summary, sizeof summary, "%s/summary.json", folder);
    assert_runs((const char *[]){YOKE_PROGRAM, "run", file, "--quiet", "--force", "--set", set, "--set", more, "-o",
                                 folder, NULL});
    found = json_load_file(summary, 0, NULL);
    assert_non_null(found);
    return found;
}

/* The peaks of all channels, relative to the largest whose name has the same end. */
static void check_peaks(const json_t *one, const json_t *other)
{
    json_t *peaks = json_object_get(one, "peaks"), *others = json_object_get(other, "peaks"), *value;
    const char *name;
    size_t compared = 0;

    json_object_foreach(peaks, name, value)
    {
        const char *end = strrchr(name, '.');
        double scale = 0;
        const char *each;
        json_t *x;

        if (strstr(name, "error")) /* what is left of an account that closes */
            continue;
        json_object_foreach(peaks, each, x)
        {
            const char *its = strrchr(each, '.');

            if ((!end && each == name) || (end && its && strcmp(end, its) == 0))
                scale = fmax(scale, fabs(json_number_value(x)));
        }
        assert_non_null(json_object_get(others, name));
        assert_near(json_number_value(json_object_get(others, name)), json_number_value(value), 1e-10 * scale);
        compared++;
    }
    assert_int_equal(json_object_size(peaks), json_object_size(others));
    assert_true(compared >= 3);
}

/* Rayleigh damping, a ground motion, a force; a nonlinear brace. */
static const char frame[] = "time: { step: 2 ms, end: 4 s }\n"
                            "method: { integrator: generalized-alpha }\n"
                            "substructures:\n"
                            "  wall:\n"
                            "    kind: assembled\n"
                            "    nodes: { a: { mass: 20 t }, b: { mass: 20 t }, c: { mass: 20 t }, d: { mass: 20 t },\n"
                            "             e: { mass: 20 t }, f: { mass: 10 t } }\n"
                            "    elements:\n"
                            "      - { kind: spring, between: [ground, a.x], stiffness: 60 MN/m, name: foot }\n"
                            "      - { kind: spring, between: [a.x, b.x], stiffness: 50 MN/m }\n"
                            "      - { kind: spring, between: [b.x, c.x], stiffness: 40 MN/m }\n"
                            "      - { kind: spring, between: [c.x, d.x], stiffness: 40 MN/m }\n"
                            "      - { kind: spring, between: [d.x, e.x], stiffness: 40 MN/m }\n"
                            "      - { kind: spring, between: [e.x, f.x], stiffness: 40 MN/m }\n"
                            "%s"
                            "    rayleigh: { ratio: 0.03, frequencies: [1 Hz, 8 Hz] }\n"
                            "loads:\n"
                            "  - { ground: wall, kind: earthquake, peak: 0.3 g, rise: 0.5, strong: 2, decay: 1 }\n"
                            "  - { on: wall.d.x, kind: sine, amplitude: 50 kN, frequency: 2 Hz }\n"
                            "%s";

static const char *write_frame(const char *name, const char *element, const char *rest)
{
    static char path[1024];
    char text[sizeof frame + 600];

    snprintf(text, sizeof text, frame, element, rest);
    snprintf(path, sizeof path, "%s", scratch_write(name, text));
    return path;
}

/* Default channels; elements, restoring forces and sums; few of them; against the reference. */
static void recordings_agree_in_modes(void **state)
{
    static const char brace[] = "      - { kind: bouc-wen, between: [b.x, d.x], k0: 5e6, beta: 60, name: brace }\n";
    static const char *const rest[] = {
        "",
        "record: { channels: [\"*\", wall.foot.*, wall.brace.*, \"wall.*.r\"], derived: { drift: wall.f.x.u - "
        "wall.e.x.u } }\n",
        "record: { channels: [wall.brace.force, wall.c.x.v, top], derived: { top: wall.f.x.a - wall.a.x.a } }\n",
        "reference: monolithic\n",
    };

    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        const char *file = write_frame("frame.yaml", brace, rest[i]);
        json_t *dense = summary_of(file, "dense", "time.end=4 s"), *modal = summary_of(file, "modal", "time.end=4 s");
        const json_t *errors[] = {json_object_get(dense, "errors"), json_object_get(modal, "errors")};

        check_peaks(dense, modal);
        assert_int_equal(json_is_null(errors[0]), !strstr(rest[i], "reference"));
        if (json_is_object(errors[0]))
            assert_near_relative(json_number_value(json_object_get(errors[1], "displacement_nrms")),
                                 json_number_value(json_object_get(errors[0], "displacement_nrms")), 1e-7);
        json_decref(dense);
        json_decref(modal);
    }
}

static void a_reduced_model_moves_alike_in_modes(void **state)
{
    char full[1024];
    struct program p;

    snprintf(full, sizeof full, "%s", write_frame("full.yaml", "", ""));
    program_run(&p, "reduce", full, "--interface", "d.x", "--modes", "3", "--no-report", "-o", scratch_path("reduced"));
    assert_int_equal(p.code, 0);
    program_free(&p);
    const char *file = scratch_write(
        "few.yaml", "time: { step: 2 ms, end: 4 s }\n"
                    "method: { integrator: newmark }\n"
                    "substructures: { wall: { kind: reduced, file: reduced/wall.h5 } }\n"
                    "loads:\n"
                    "  - { ground: wall, kind: earthquake, peak: 0.3 g, rise: 0.5, strong: 2, decay: 1 }\n"
                    "  - { on: wall.d.x, kind: sine, amplitude: 50 kN, frequency: 2 Hz }\n");
    json_t *dense = summary_of(file, "dense", "time.end=4 s"), *modal = summary_of(file, "modal", "time.end=4 s");

    check_peaks(dense, modal);
    json_decref(dense);
    json_decref(modal);
}

/* The coarse side on another thread, both sides in modes. */
static void two_threads_give_the_same_bits_in_modes(void **state)
{
    char file[1024];

    snprintf(
        file, sizeof file, "%s",
        scratch_write(
            "two.yaml",
            "time: { step: 2 ms, end: 2 s, substeps: 4 }\n"
            "method: { coupling: pm, path: modal }\n"
            "substructures:\n"
            "  a: { kind: linear, dofs: [x, y], mass: [2 t, 1 t], stiffness: [[9e6, -4e6], [-4e6, 4e6]], rayleigh: { "
            "mass: "
            "0.3 } }\n"
            "  b: { kind: linear, rate: fine, dofs: [x, y], mass: [1 t, 1 t], stiffness: [[5e6, -5e6], [-5e6, 8e6]] }\n"
            "interfaces: [ { join: [a.y, b.x] } ]\n"
            "loads: [ { on: a.x, kind: sine, amplitude: 20 kN, frequency: 3 Hz } ]\n"));
    char tables[2][1200];

    for (int i = 0; i < 2; i++) {
        char folder[1100], name[20];

        snprintf(name, sizeof name, "threads%d", i);
        snprintf(folder, sizeof folder, "%s", scratch_path(name));
        snprintf(tables[i], sizeof tables[i], "%s.csv", folder);
        assert_runs(
            (const char *[]){YOKE_PROGRAM, "run", file, "--quiet", "--threads", i ? "2" : "1", "-o", folder, NULL});
        assert_runs((const char *[]){YOKE_PROGRAM, "export", folder, "--csv", tables[i], NULL});
    }
    assert_runs((const char *[]){"/usr/bin/cmp", tables[0], tables[1], NULL});
}

static void a_modal_path_that_cannot_be_taken_is_refused(void **state)
{
    const char *file =
        write_frame("damped.yaml", "      - { kind: damper, between: [b.x, c.x], damping: 1 MN s/m }\n", "");

    assert_int_equal(program_code((const char *[]){YOKE_PROGRAM, "run", file, "--set", "method.path=modal", NULL}), 2);
    assert_said("path: modal cannot be taken here: the damping is not classical; it joins modes ");
    assert_said("damped.yaml:2:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_reports_the_path_and_why),
        cmocka_unit_test(check_reports_elements_that_are_too_stiff_for_the_step),
        cmocka_unit_test(check_reports_damping_at_rest_that_a_method_keeps),
        cmocka_unit_test(runs_agree_whatever_the_path),
        cmocka_unit_test(a_path_that_cannot_be_taken_is_refused),
        cmocka_unit_test(the_modal_path_is_chosen_where_it_is_faster),
        cmocka_unit_test(each_side_is_stepped_in_modes_where_that_is_faster),
        cmocka_unit_test(recordings_agree_in_modes),
        cmocka_unit_test(a_reduced_model_moves_alike_in_modes),
        cmocka_unit_test(two_threads_give_the_same_bits_in_modes),
        cmocka_unit_test(a_modal_path_that_cannot_be_taken_is_refused),
    };
    return cmocka_run_group_tests_name("solving", tests, scratch_create, scratch_remove);
}
