/* `yoke results` on a run: the frame of three storeys and two bays with fibre sections, each member in two elements,
 * under its weight and a pulse. Expected values: an independent prototype, which agrees with OpenSees 3.8.0 on roof and
 * base shear of this frame (test_nonlinear_frames). */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 3, STOREYS = 3 };
static const double level[STOREYS + 1] = {0, 3.6, 6.8, 10};

static void write_nodes(FILE *out)
{
    fputs("    nodes:\n", out);
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k <= STOREYS; k++) {
            const double mass = i == 1 ? 24000 : 12000;

            if (k == 0)
                fprintf(out, "      %c0: {at: [%d, 0], fixed: all}\n", 'a' + i, 6 * i);
            else
                fprintf(out, "      %c%d: {at: [%d, %g], mass: {x: %g, y: %g, rz: 2000}}\n", 'a' + i, k, 6 * i,
                        level[k], mass, mass);
            if (k < STOREYS)
                fprintf(out, "      %c%du: {at: [%d, %.17g], mass: {x: 300, y: 300, rz: 50}}\n", 'a' + i, k, 6 * i,
                        (level[k] + level[k + 1]) / 2);
            if (k && i + 1 < LINES)
                fprintf(out, "      %c%dr: {at: [%d, %g], mass: {x: 300, y: 300, rz: 50}}\n", 'a' + i, k, 6 * i + 3,
                        level[k]);
        }
}

static void write_members(FILE *out)
{
    fputs("    members:\n", out);
    for (int i = 0; i < LINES; i++)
        for (int k = 0; k < STOREYS; k++) {
            fprintf(out, "    - {between: [%c%d, %c%du, %c%d], section: column, geometry: p-delta}\n", 'a' + i, k,
                    'a' + i, k, 'a' + i, k + 1);
            if (i + 1 < LINES)
                fprintf(out, "    - {between: [%c%d, %c%dr, %c%d], section: beam}\n", 'a' + i, k + 1, 'a' + i, k + 1,
                        'b' + i, k + 1);
        }
}

static const char sections[] =
    "    materials: {m: {kind: steel, E: 210 GPa, fy: 275 MPa, hardening: 0.01, R0: 20, cR1: 0.925, cR2: 0.15}}\n"
    "    sections:\n      column:\n        fibres:\n"
    "        - {patch: rectangle, material: m, from: [131 mm, -150 mm], to: [150 mm, 150 mm], divide: [2, 1]}\n"
    "        - {patch: rectangle, material: m, from: [-131 mm, -5.5 mm], to: [131 mm, 5.5 mm], divide: [8, 1]}\n"
    "        - {patch: rectangle, material: m, from: [-150 mm, -150 mm], to: [-131 mm, 150 mm], divide: [2, 1]}\n"
    "      beam:\n        fibres:\n"
    "        - {patch: rectangle, material: m, from: [167.3 mm, -85 mm], to: [180 mm, 85 mm], divide: [2, 1]}\n"
    "        - {patch: rectangle, material: m, from: [-167.3 mm, -4 mm], to: [167.3 mm, 4 mm], divide: [8, 1]}\n"
    "        - {patch: rectangle, material: m, from: [-180 mm, -85 mm], to: [-167.3 mm, 85 mm], divide: [2, 1]}\n"
    "    rayleigh: {mass: 0.25, stiffness: 2 ms, stiffness_of: initial}\n";

static const char *write_frame(void)
{
    static char text[16000];
    FILE *out = fmemopen(text, sizeof text, "w");

    fprintf(out,
            "title: frame\ntime: {step: 2 ms, end: 3}\nmethod: {integrator: newmark-newton}\nsubstructures:\n  f:\n"
            "    kind: frame\n%s",
            sections);
    write_nodes(out);
    write_members(out);
    fputs("loads:\n- {ground: all, influence: {x: 1}, kind: half-sine, amplitude: 4.5, duration: 0.5}\n", out);
    for (int i = 0; i < LINES; i++)
        for (int k = 1; k <= STOREYS; k++)
            fprintf(out, "- {on: f.%c%d.y, kind: constant, amplitude: %.17g, permanent: true}\n", 'a' + i, k,
                    -9.81 * (i == 1 ? 24000 : 12000));
    /* the nodes at half height carry 1.25 % of the largest mass: without this they would be levels; the left column */
    fputs("floors: {ground: [a0, b0, c0], first: [a1], second: [a2], roof: [a3]}\n", out);
    fclose(out);
    return scratch_write("frame.yaml", text);
}

static double of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void run_of_a_frame_has_its_results(void **state)
{
    static const double peak[] = {0.02031601, 0.02131775, 0.01214897}, time_s[] = {0.496, 0.508, 0.548},
                        residual[] = {-0.00408178, -0.00322203, -0.00134096},
                        acceleration[] = {4.0429593, 5.5966081, 6.1106916};
    struct program p;
    json_t *all, *summary;

    program_run(&p, "run", write_frame(), "-o", scratch_path("run"), "--quiet");
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "results", scratch_path("run"), "--json");
    assert_int_equal(p.code, 0);
    assert_non_null(all = json_loads(p.out, 0, NULL));
    program_free(&p);
    for (size_t i = 0; i < STOREYS; i++) {
        const json_t *storey = json_array_get(json_object_get(all, "storeys"), i);

        assert_near(of(storey, "peak"), peak[i], 2e-8);
        assert_near(of(storey, "time_s"), time_s[i], 1e-9);
        assert_near(of(storey, "residual"), residual[i], 2e-8);
        assert_near(of(storey, "acceleration_m_s2"), acceleration[i], 2e-6);
    }
    assert_near(of(json_object_get(all, "drift"), "peak"), peak[1], 2e-8);
    assert_int_equal(of(json_object_get(all, "drift"), "storey"), 2);
    assert_near(of(json_object_get(all, "drift"), "period_s"), 0.844692, 1e-6);
    assert_near(of(json_object_get(json_object_get(all, "base"), "x"), "peak"), 728153.92, 0.1);
    assert_near(of(json_object_get(json_object_get(all, "overturning"), "overturning"), "least"), -5408341, 5);
    assert_near(of(json_object_get(json_object_get(all, "overturning"), "overturning"), "most"), 3768498, 5);

    /* the same in the summary of the run */
    assert_non_null(summary = json_load_file(scratch_path("run/summary.json"), 0, NULL));
    assert_near(of(json_object_get(json_object_get(summary, "results"), "drift"), "peak"), peak[1], 2e-8);
    json_decref(summary);
    json_decref(all);

    program_run(&p, "plot", scratch_path("run"), "--profile", "-o", scratch_path("profile.svg"));
    assert_int_equal(p.code, 0);
    assert_in_scratch("profile.csv", "2.03160"); /* drift of the first storey, in % */
    program_free(&p);
    program_run(&p, "plot", scratch_path("run"), "--profile");
    assert_int_equal(p.code, 2);
    program_free(&p);
}

static void what_was_not_recorded_is_said(void **state)
{
    struct program p;

    program_run(&p, "run", YOKE_SOURCE "/examples/hinged-portal/hinged-portal.yaml", "-o", scratch_path("portal"),
                "--quiet", "--set", "record.channels=[\"portal.*.x.u\"]", "--set", "time.end=1.6 s");
    program_free(&p);
    program_run(&p, "results", scratch_path("portal"));
    assert_int_equal(p.code, 0);
    assert_null(strstr(p.out, "nan"));
    assert_non_null(strstr(p.out, "drift.1.x"));
    assert_non_null(strstr(p.out, "not recorded"));
    program_free(&p);
    program_run(&p, "results", YOKE_SOURCE "/examples/oscillator/oscillator.yaml");
    assert_int_equal(p.code, 2);
    program_free(&p);
}

/* Two bilinear hinges of the portal yield; the stiff spring of the law tells from which rotation on. */
static void hinges_have_their_ductility(void **state)
{
    struct program p;
    json_t *all;

    program_run(&p, "run", YOKE_SOURCE "/examples/pushover/pushover.yaml", "-q", "--no-report", "-o",
                scratch_path("quake"), "--set", "time={step: 2 ms, end: 1 s}", "--set",
                "method={integrator: newmark-newton}", "--set",
                "loads=[{on: portal.top.y, kind: constant, amplitude: -600 kN, permanent: true}, {on: portal.far.y, "
                "kind: constant, amplitude: -600 kN, permanent: true}, {ground: portal, influence: {x: 1}, kind: "
                "half-sine, amplitude: 5, duration: 0.8}]");
    if (p.code)
        fail_msg("%s", p.err);
    program_free(&p);
    program_run(&p, "results", scratch_path("quake"), "--json");
    assert_non_null(all = json_loads(p.out, 0, NULL));
    program_free(&p);

    const json_t *one, *list = json_object_get(all, "hinges");
    size_t i, yielded = 0;

    assert_int_equal(json_array_size(list), 6);
    json_array_foreach(list, i, one)
    {
        const double yield = json_number_value(json_array_get(json_object_get(one, "yield_rad"), 1)),
                     most = fmax(of(one, "most_rad"), -of(one, "least_rad"));
        const char *reached = json_string_value(json_object_get(one, "state"));

        assert_near_relative(of(one, "ductility"), most / yield, 1e-12);
        assert_string_equal(reached, most < yield  ? "elastic"
                                     : most < 0.02 ? "yielded"
                                     : most < 0.08 ? "falling"
                                                   : "beyond the last point");
        yielded += most >= yield;
    }
    assert_true(yielded >= 4);
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_of_a_frame_has_its_results),
        cmocka_unit_test(what_was_not_recorded_is_said),
        cmocka_unit_test(hinges_have_their_ductility),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
