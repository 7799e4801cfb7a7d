/* Runs with `analysis: static`: a protocol by name moves a specimen through the virtual rig and through one in another
 * process. Expected values: the formula of the bilinear spring, and `yoke push`, which computes the same path with
 * other code. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"
#include "support/served.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/yoke.h>

static const char text[] =
    "title: brace\ntime: { step: 10 ms, end: 1 s, control_rate: 1000 Hz }\nmethod: { integrator: alpha-os }\n"
    "analysis: static\nsubstructures:\n  brace: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { "
    "stiffness: [[6438000]], mass: [[100]] } }\n"
    "statics:\n  - { cycle: brace.x, protocol: { kind: atc-24, yield: 2 mm, to: 6 mm }, rate: 20 mm/s, step: 1 mm, "
    "hold: 50 ms }\n"
    "transfer: { a1: {} }\nrig:\n  backend: virtual\n  actuators: { a1: { plant: { kind: ideal } } }\n  specimen:\n"
    "    kind: assembled\n    nodes: { end: { mass: 0 } }\n    elements:\n"
    "      - { kind: bilinear, between: [ground, end.x], stiffness: 6438000, yield_slip: 2 mm, hardening: 0.02 }\n"
    "limits: { displacement: 20 mm, command_rate: 50 mm/s, force: 50 kN, tracking_error: 5 mm, on_trip: ramp, "
    "end_ramp: "
    "0.2 s, trip_ramp: 0.1 s }\n";

static json_t *run(const char *folder, int code, const char *first, const char *second)
{
    struct program p;

    program_run(&p, "run", scratch_write("brace.yaml", text), "-q", "--no-report", "-o", scratch_path(folder), "--set",
                first ? first : "title=brace", "--set", second ? second : "title=brace");
    if (p.code != code)
        fail_msg("exit code %d: %s", p.code, p.err);
    program_free(&p);

    char path[1100];
    snprintf(path, sizeof path, "%s/summary.json", scratch_path(folder));
    json_t *summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    return summary;
}

static const json_t *points_of(const json_t *summary)
{
    return json_object_get(json_object_get(summary, "static"), "points");
}

static double of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* Every pause has the force of the spring, and the state of `yoke push` with the same number. */
static void pauses_have_the_forces_of_the_computed_path(void **state)
{
    json_t *summary = run("ideal", 0, NULL, NULL);
    const json_t *points = points_of(summary), *one;
    struct yk_record *record;
    struct program p;
    double slip = 0, most = 0;
    size_t i;

    program_run(&p, "push", scratch_path("brace.yaml"), "-o", scratch_path("push"), "--force");
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_ok(yk_record_read(&record, scratch_path("push/run.h5"), &err));
    const struct yk_kept_rows rows = yk_record_rows(record, "system");

    assert_int_equal(json_array_size(points), 175);
    assert_int_equal(rows.count, 1 + 175);
    json_array_foreach(points, i, one)
    {
        const double d = of(one, "target");

        slip = fmin(fmax(slip, d - 2e-3), d + 2e-3); /* where the spring would have no elastic force */
        assert_near(of(one, "displacement"), d, 1e-9);
        assert_near(of(one, "force"), 6438000 * (0.02 * d + 0.98 * (d - slip)), 1e-3);
        assert_near(of(one, "force"), rows.rows[(i + 1) * rows.channels + 2], 1e-3);
        assert_near(d, rows.rows[(i + 1) * rows.channels + 3], 1e-12);
        most = fmax(most, fabs(d));
    }
    assert_near(most, 6e-3, 1e-12);
    assert_near(of(json_object_get(summary, "peaks"), "brace.x.u"), 6e-3, 1e-9);
    assert_near(of(json_object_get(summary, "peaks"), "brace.x.r"), 6438000 * (2e-3 + 0.02 * 4e-3), 1e-3);
    yk_record_close(record);
    json_decref(summary);
}

/* The speed between turning points, tick by tick; without pauses the points are the turning points. */
static void the_specimen_moves_with_the_rate_of_the_stage(void **state)
{
    json_t *summary = run("steady", 0, "statics.0.hold=0", NULL);
    struct yk_record *record;
    double fastest = 0, length = 0;

    assert_int_equal(json_array_size(points_of(summary)), 2 * 15 + 1);
    json_decref(summary);
    assert_ok(yk_record_read(&record, scratch_path("steady/run.h5"), &err));
    assert_int_equal(yk_record_rows(record, "system").count, 0); /* nothing is integrated */
    const struct yk_kept_rows ticks = yk_record_rows(record, "ticks");

    for (size_t i = 1; i < ticks.count; i++) {
        const double *row = ticks.rows + i * ticks.channels, way = fabs(row[2] - row[2 - (ptrdiff_t)ticks.channels]);

        fastest = fmax(fastest, way / (row[0] - row[-(ptrdiff_t)ticks.channels]));
        length += way;
    }
    assert_near(fastest, 20e-3, 1e-6);
    /* 4 x 3 x (1 + 1.5 + 2 + 4 + 6 mm), but for turning points between two ticks */
    assert_near(length, 0.174, 2e-4);
    yk_record_close(record);
}

static void several_ways_follow_each_other(void **state)
{
    json_t *summary =
        run("ways", 0,
            "statics=[{gravity: all}, {push: brace.x, to: 3 mm, rate: 20 mm/s}, {push: brace.x, to: -1 mm, "
            "rate: 10 mm/s, step: 2 mm, hold: 0.1}]",
            NULL);
    const json_t *points = points_of(summary);

    assert_int_equal(json_array_size(points), 3);
    assert_near(of(json_array_get(points, 0), "displacement"), 3e-3, 1e-9);
    assert_near(of(json_array_get(points, 1), "displacement"), 1e-3, 1e-9);
    assert_near(of(json_array_get(points, 2), "displacement"), -1e-3, 1e-9);
    assert_near(of(summary, "steps") * of(summary, "step_s"), 0.15 + 2 * (0.2 + 0.1), 1e-9);
    json_decref(summary);
}

/* The supervisor watches as in any run; the points up to the trip are kept. */
static void a_limit_of_the_force_stops_the_test(void **state)
{
    json_t *summary = run("trip", 3, "limits.force=10 kN", NULL);
    const json_t *points = points_of(summary);

    assert_true(json_array_size(points) > 20 && json_array_size(points) < 160);
    assert_false(json_is_true(json_object_get(summary, "finished")));
    assert_string_equal(json_string_value(json_object_get(json_object_get(summary, "trip"), "cause")), "force");
    json_decref(summary);
}

/* A rig in another process, in lock-step: the same points. */
static void a_rig_elsewhere_gives_the_same_points(void **state)
{
    json_t *here = run("here", 0, "statics.0.protocol.to=4 mm", NULL);
    char setting[256];
    struct rig r;

    rig_start(&r, true, scratch_path("brace.yaml"), NULL);
    snprintf(setting, sizeof setting, "rig.settings={%s: %s, patience: 60, wait: 60, silence: 60}", r.key, r.address);

    struct program p;
    program_run(&p, "run", scratch_path("brace.yaml"), "-q", "--no-report", "-o", scratch_path("there"), "--set",
                "statics.0.protocol.to=4 mm", "--set", r.backend, "--set", setting);
    if (p.code)
        fail_msg("%s", p.err);
    program_free(&p);
    rig_stop(&r, SIGTERM);

    json_t *there = json_load_file(scratch_path("there/summary.json"), 0, NULL);
    assert_true(json_array_size(points_of(here)) > 60);
    assert_true(json_equal(points_of(here), points_of(there)));
    json_decref(here);
    json_decref(there);
}

static void what_a_rig_cannot_do_is_refused_before_it_moves(void **state)
{
    static const struct {
        const char *setting, *words;
    } cases[] = {
        {"limits.displacement=5 mm", "moves actuator a1 to 6 mm, beyond limits.displacement = 5 mm"},
        {"limits.command_rate=10 mm/s", "rate = 0.02 is faster than limits.command_rate of actuator a1, 0.01"},
        {"limits.displacement=0", "actuator a1 has no limits.displacement"},
        {"statics.0.rate=0", "needs rate"},
        {"statics.0.rat=1", "unknown key 'rat'"},
        {"statics.0.stop={drop: 0.2}", "'stop' is for `yoke push`"},
        {"statics.0.cycle=brac.x", "did you mean 'brace'"},
        {"statics=[]", "needs statics"},
        {"statics=[{gravity: all}]", "needs a stage with push or cycle"},
        {"statics=[{push: brace.x, rate: 1}]", "missing to"},
        {"statics.0.protocol.to=0.1 mm", "no amplitude is left"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;

        program_run(&p, "run", scratch_write("brace.yaml", text), "-q", "-o", scratch_path("no"), "--set",
                    cases[i].setting);
        assert_int_equal(p.code, 2);
        if (!strstr(p.err, cases[i].words))
            fail_msg("%s: %s", cases[i].setting, p.err);
        program_free(&p);
    }
}

/* Limits in wall time: a test that takes ten times as long moves at a tenth of its speed. */
static void a_slow_test_may_have_a_faster_rate(void **state)
{
    json_t *summary = run("slow", 0, "time.scale=10", "limits.command_rate=10 mm/s");

    assert_int_equal(json_array_size(points_of(summary)), 175);
    json_decref(summary);
}

/* There is no method: sessions say so, and models have `yoke push`. */
static void sessions_and_models_are_told_where_to_go(void **state)
{
    struct yk_model *model;
    struct yk_session *session;
    struct program p;

    assert_ok(yk_model_open(&model, scratch_write("brace.yaml", text), NULL, 0, &err));
    assert_refused(yk_session_open(&session, model, &err), YK_E_UNSUPPORTED, "analysis: static is a run as a whole");
    yk_model_close(model);
    program_run(&p, "run", YOKE_SOURCE "/examples/pushover/pushover.yaml", "--set", "analysis=static");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "`yoke push` computes models"));
    program_free(&p);
    for (int k = 0; k < 2; k++) { /* what needs the steps of a method finds none */
        json_decref(run("none", 0, "statics.0.protocol.to=1 mm", NULL));
        if (k)
            program_run(&p, "export", scratch_path("none"), "--vtk", scratch_path("none.vtkhdf"));
        else
            program_run(&p, "analyze", "delay", scratch_path("none"));
        assert_int_equal(p.code, 2);
        assert_non_null(strstr(p.err, "no method led this run"));
        program_free(&p);
    }
    program_run(&p, "check", scratch_path("brace.yaml"));
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "nothing is integrated"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pauses_have_the_forces_of_the_computed_path),
        cmocka_unit_test(the_specimen_moves_with_the_rate_of_the_stage),
        cmocka_unit_test(several_ways_follow_each_other),
        cmocka_unit_test(a_limit_of_the_force_stops_the_test),
        cmocka_unit_test(a_rig_elsewhere_gives_the_same_points),
        cmocka_unit_test(what_a_rig_cannot_do_is_refused_before_it_moves),
        cmocka_unit_test(a_slow_test_may_have_a_faster_rate),
        cmocka_unit_test(sessions_and_models_are_told_where_to_go),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
