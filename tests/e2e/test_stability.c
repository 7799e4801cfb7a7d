/* The stability of the loop with specimens, as a user meets it: judged before every run, and within bounds of time.
 * Expected margins: those of the same loop with an estimate, and the critical delay of the verification tests. */
#include "support/check.h"
#include "support/cli.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/* A two-storey frame whose lower columns are the specimen: `columns` is what is believed of them. */
static const char *write_frame(const char *estimate)
{
    static char path[1024]; /* those of the scratch folder live for eight calls */
    char text[4096];

    snprintf(text, sizeof text,
             "time: { step: 5 ms, end: 2 s, control_rate: 2000 Hz }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
             "  frame:\n    kind: assembled\n    nodes: { floor1: { mass: 20 t }, floor2: { mass: 16 t } }\n"
             "    elements:\n"
             "      - { kind: spring, between: [floor1.x, floor2.x], stiffness: 14 MN/m }\n"
             "      - { kind: damper, between: [ground, floor1.x], damping: 120 kN s/m }\n"
             "      - { kind: damper, between: [floor1.x, floor2.x], damping: 80 kN s/m }\n"
             "  columns: { role: physical, dofs: [x], actuators: { x: jack }%s }\n"
             "interfaces: [ { join: [frame.floor1.x, columns.x] } ]\n"
             "loads: [ { ground: frame, kind: earthquake, peak: 0.3 g } ]\n"
             "transfer: { jack: { compensator: { kind: velocity, delay: 12 ms } } }\n"
             "rig:\n  backend: virtual\n"
             "  actuators: { jack: { plant: { kind: servo, frequency: 20 Hz, damping: 0.75 } } }\n"
             "  specimen: { dofs: [x], mass: [0], stiffness: [18 MN/m] }\n",
             estimate);
    snprintf(path, sizeof path, "%s", scratch_write("frame.yaml", text));
    return path;
}
#define ESTIMATE ", estimate: { stiffness: [18 MN/m] }"
#define LATE     "transfer.jack.compensator.kind=none"

static const char *copy_path(const char *name)
{
    static char path[1024];

    snprintf(path, sizeof path, "%s", scratch_path(name));
    return path;
}

/* `yoke check --json` of a file, that must end within a minute. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BUDGET "25 s"
#else
#define BUDGET "6 s"
#endif

static json_t *check(const char *file, int code)
{
    const char *words[] = {"/usr/bin/timeout", "120", YOKE_PROGRAM, "check", file, "--json", "--budget", BUDGET, NULL};
    struct program p;

    program_start(&p, words, 0);
    program_wait(&p);
    if (p.code != code)
        print_error("%s", p.err);
    assert_int_equal(p.code, code);
    json_t *found = json_loads(p.out, 0, NULL);
    assert_non_null(found);
    program_free(&p);
    return found;
}

static double margin_s(json_t *found)
{
    const double margin = json_number_value(json_object_get(json_object_get(found, "hybrid_loop"), "margin_s"));

    json_decref(found);
    return margin;
}

/* Without an estimate the structure is loose, and its rigid-body mode has no period. The loop is the same but for the
 * Jacobian of the method. */
static void a_check_ends_where_nothing_is_believed_of_the_specimen(void **state)
{
    const double believed = margin_s(check(write_frame(ESTIMATE), 0)), loose = margin_s(check(write_frame(""), 0));

    assert_near(1e3 * believed, 9.484, 0.01);
    assert_near(loose, believed, 0.01 * believed);
}

/* 29 x 34 nodes with springs between neighbours: 1,972 degrees of freedom, one of them moved by an actuator. */
static const char *write_wall(const char *brace)
{
    enum { ACROSS = 29, UP = 34 };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    fputs("time: { step: 1 ms, end: 0.5 s, control_rate: 2000 Hz }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
          "  wall:\n    kind: assembled\n    nodes:\n",
          out);
    for (int i = 0; i < ACROSS * UP; i++)
        fprintf(out, "      n%d: { mass: 40 kg, dofs: [x, y] }\n", i);
    fputs("    elements:\n", out);
    for (int i = 0; i < ACROSS * UP; i++)
        for (const char *d = "xy"; *d; d++) {
            if (i < ACROSS)
                fprintf(out, "      - { kind: spring, between: [ground, n%d.%c], stiffness: 80 MN/m }\n", i, *d);
            if (i % ACROSS + 1 < ACROSS)
                fprintf(out, "      - { kind: spring, between: [n%d.%c, n%d.%c], stiffness: 80 MN/m }\n", i, *d, i + 1,
                        *d);
            if (i + ACROSS < ACROSS * UP)
                fprintf(out, "      - { kind: spring, between: [n%d.%c, n%d.%c], stiffness: 80 MN/m }\n", i, *d,
                        i + ACROSS, *d);
        }
    fprintf(out,
            "    rayleigh: { ratio: 0.02, frequencies: [10 Hz, 80 Hz] }\n"
            "  brace: { role: physical, dofs: [x], actuators: { x: jack }, estimate: { stiffness: [%s] } }\n"
            "interfaces: [ { join: [wall.n%d.x, brace.x] } ]\n"
            "loads: [ { ground: wall, influence: { x: 1 }, kind: earthquake, peak: 0.3 g } ]\n"
            "transfer: { jack: { compensator: { kind: velocity, delay: 4 ms } } }\n"
            "rig:\n  backend: virtual\n  actuators: { jack: { plant: { kind: delay, delay: 4 ms } } }\n"
            "  specimen: { dofs: [x], mass: [0], stiffness: [%s] }\n",
            brace, ACROSS * UP - ACROSS / 2 - 1, brace);
    fclose(out);
    const char *path = scratch_write("wall.yaml", text);
    free(text);
    return path;
}

/* The check must end, with a verdict; the tangents of a linear structure with a specimen are constant, and are not
 * factored again in every step. */
static void a_large_structure_with_a_specimen_is_judged_in_time(void **state)
{
    json_t *found = check(write_wall("20 kN/m"), 0);
    const json_t *loop = json_object_get(found, "hybrid_loop");

    assert_string_equal(json_string_value(json_object_get(loop, "verdict")), "stable");
    json_decref(found);
    found = check(write_wall("5 MN/m"), 4);
    loop = json_object_get(found, "hybrid_loop");
    assert_string_equal(json_string_value(json_object_get(loop, "verdict")), "unstable");
    json_decref(found);
}

static void an_unstable_loop_is_not_moved_by_a_clock(void **state)
{
    const char *file = write_frame(ESTIMATE), *folder = copy_path("paced");
    struct program p;

    program_run(&p, "run", file, "-q", "-o", folder, "--realtime", "--set", LATE);
    assert_int_equal(p.code, 4);
    assert_non_null(strstr(p.err, "frame.yaml:2:23: the hybrid loop is UNSTABLE"));
    assert_non_null(strstr(p.err, "actuator jack has a delay of about 11.7 ms and nothing is compensated"));
    assert_non_null(strstr(p.err, "method.stability: warn"));
    program_free(&p);
    assert_int_equal(access(scratch_path("paced/run.h5"), F_OK), -1);
    program_run(&p, "run", file, "-q", "-o", folder, "--realtime", "--set", LATE, "--set", "method.stability=warn",
                "--set", "time.end=0.1");
    assert_true(p.code == 5 || p.code == 3); /* 3: a busy machine missed its deadlines */
    assert_int_equal(access(scratch_path("paced/run.h5"), F_OK), 0);
    assert_non_null(strstr(p.err, "warning: stability of the hybrid loop: UNSTABLE"));
    program_free(&p);
}

/* How often `words` are in `text`. */
static int count(const char *text, const char *words)
{
    int n = 0;

    while ((text = strstr(text, words))) {
        text += strlen(words);
        n++;
    }
    return n;
}

static void assert_verdict(const char *folder, const char *verdict)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/summary.json", folder);
    json_t *summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    const json_t *loop = json_object_get(summary, "hybrid_loop");
    assert_string_equal(json_string_value(json_object_get(loop, "verdict")), verdict);
    json_decref(summary);
}

static void offline_it_is_warned_about_before_and_after(void **state)
{
    const char *file = write_frame(ESTIMATE), *folder = copy_path("offline");
    struct program p;

    program_run(&p, "run", file, "-q", "-o", folder, "--set", LATE);
    assert_int_equal(p.code, 5); /* the results of an unstable loop are unusable */
    assert_int_equal(count(p.err, "warning: stability of the hybrid loop: UNSTABLE: free vibration doubles"), 2);
    program_free(&p);
    assert_verdict(folder, "unstable");
}

/* The spring specimen is unstable from a delay of 32.5 ms on, however it comes about; its plant is 20.8 ms late. */
static void a_run_that_is_late_by_most_of_its_margin_warns(void **state)
{
    static const struct {
        const char *delay;
        double share;
    } cases[] = {{"transfer.a1.compensator.delay=21 ms", 0}, {"transfer.a1.compensator.delay=3 ms", 17.8 / 32.5}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *folder = copy_path("late");
        struct program p;

        program_run(&p, "run", YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml", "-o", folder, "--force",
                    "--realtime", "--priority", "0", "--no-report", "--set", "time.end=1", "--set",
                    "limits.missed_deadlines=0", "--set", "limits.stall=0", "--set", cases[i].delay);
        assert_int_equal(p.code, 0);
        assert_int_equal(strstr(p.out, "of the delay at which the loop becomes unstable") != NULL, i == 1);
        program_free(&p);
        json_t *summary = json_load_file(scratch_path("late/summary.json"), 0, NULL);
        assert_non_null(summary);
        const json_t *loop = json_object_get(summary, "hybrid_loop"),
                     *a1 = json_object_get(json_object_get(summary, "tracking"), "a1");

        assert_near(json_number_value(json_object_get(loop, "unstable_at_s")), 32.5e-3, 1e-3);
        assert_non_null(strstr(json_string_value(json_object_get(loop, "words")), "specimens 30 % softer"));
        assert_near(json_number_value(json_object_get(a1, "delay_share")), cases[i].share, 0.1);
        assert_int_equal(json_integer_value(json_object_get(summary, "warnings")), i == 1);
        json_decref(summary);
    }
}

static void what_the_budget_does_not_suffice_for_is_undecided(void **state)
{
    const char *file = write_frame(ESTIMATE), *folder = copy_path("brief");
    struct program p;

    program_run(&p, "run", file, "-q", "-o", folder, "--budget", "1 us");
    assert_int_equal(p.code, 0);
    assert_int_equal(count(p.err, "note: stability of the hybrid loop: undecided: 1e-06 s of CPU time did not suffice"),
                     2);
    program_free(&p);
    assert_verdict(folder, "undecided");
    program_run(&p, "check", file, "--budget", "1 us");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "undecided: 1e-06 s of CPU time did not suffice; raise it with --budget"));
    program_free(&p);
}

/* The reason is the short vibration, not the budget, which suffices. */
static void what_a_short_vibration_cannot_tell_is_not_blamed_on_the_budget(void **state)
{
    struct program p;

    program_run(&p, "check", YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml", "--budget", "1000", "--set",
                "time={step: 2 ms, end: 2 s, control_rate: 100 kHz}");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "estimated from a short free vibration"));
    assert_non_null(
        strstr(p.out, "margins with another specimen or actuator were not found from a short free vibration"));
    assert_null(strstr(p.out, "of CPU time"));
    program_free(&p);
}

/* All samples as text. */
static char *samples(const char *file, const char *budget)
{
    char folder[1024];
    struct program p;

    snprintf(folder, sizeof folder, "%s", scratch_path("samples"));
    unlink(scratch_path("samples/run.h5"));
    program_run(&p, "run", file, "-q", "-o", folder, "--budget", budget, "--set", "transfer.jack.estimator={kind: rls}",
                "--set", "rig.actuators.jack.sensors={force_noise: 1 kN, displacement_noise: 0.01 mm}");
    assert_int_equal(p.code, 0);
    program_free(&p);
    return exported_ticks(folder);
}

static void the_judgement_leaves_the_samples_as_they_were(void **state)
{
    char *without = samples(write_frame(ESTIMATE), "0"), *with = samples(write_frame(ESTIMATE), "10 s");

    assert_string_equal(without, with);
    free(without);
    free(with);
}

/* The peak of the record is 2 m/s2, doubled by its scale; the test ends after 2 s. */
static void a_check_tells_loads_verdicts_and_costs(void **state)
{
    char record[1024], load[1200];
    struct program p;

    snprintf(record, sizeof record, "%s",
             scratch_write("quake.csv", "time, a [m/s2]\n0, 0\n1, 1.5\n1.5, -2\n3, 0.5\n4, 0\n"));
    snprintf(load, sizeof load, "loads=[{ground: frame, kind: record, file: %s, scale: 2}]", record);
    program_run(&p, "check", write_frame(ESTIMATE), "--set", load, "--set", "reference=monolithic");
    if (p.code)
        print_error("%s", p.err);
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "frame: 2 DoFs, linear, 36 t, 1 rigid-body mode\n"));
    assert_non_null(strstr(p.out, "columns: 1 DoF, physical specimen\n"));
    assert_non_null(strstr(p.out, "ground motion of frame: record (file "));
    assert_non_null(strstr(p.out,
                           "scale 2); peak 4 m/s2 (0.408 g) at 1.5 s, acts from 0 to 2 s; the record lasts 4 s and is "
                           "CUT OFF\n"));
    assert_non_null(strstr(p.out, "time step     stable (spectral radius 0.9940)\n"));
    assert_non_null(strstr(p.out, "hybrid loop   stable; delay margin 9.48 ms\n"));
    assert_non_null(strstr(p.out, " us per step on this machine, "));
    assert_non_null(strstr(p.out, " s for the whole test on this machine\n"));
    program_free(&p);
}

/* Exactly the delay is compensated, and yet it grows: the wall has modes beyond what a predictor can follow. */
static void nobody_is_told_to_compensate_what_is_compensated(void **state)
{
    struct program p;

    program_run(&p, "check", write_wall("5 MN/m"), "--budget", "3 s");
    assert_int_equal(p.code, 4);
    assert_non_null(
        strstr(p.out, "actuator jack has a delay of about 4 ms and 4 ms are compensated, which is right; "));
    assert_null(strstr(p.out, "inf"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_ends_where_nothing_is_believed_of_the_specimen),
        cmocka_unit_test(a_large_structure_with_a_specimen_is_judged_in_time),
        cmocka_unit_test(an_unstable_loop_is_not_moved_by_a_clock),
        cmocka_unit_test(offline_it_is_warned_about_before_and_after),
        cmocka_unit_test(a_run_that_is_late_by_most_of_its_margin_warns),
        cmocka_unit_test(what_the_budget_does_not_suffice_for_is_undecided),
        cmocka_unit_test(what_a_short_vibration_cannot_tell_is_not_blamed_on_the_budget),
        cmocka_unit_test(the_judgement_leaves_the_samples_as_they_were),
        cmocka_unit_test(a_check_tells_loads_verdicts_and_costs),
        cmocka_unit_test(nobody_is_told_to_compensate_what_is_compensated),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
