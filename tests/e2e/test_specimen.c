/* Specimens on the virtual rig as a user runs them: what the files of the examples promise, with their transfer system
 * and without it. Bounds: the reference of the same structure without actuators, and the published decay of a free
 * vibration behind a delay of one step. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#define EXAMPLES       YOKE_SOURCE "/examples/"
#define SPRING         EXAMPLES "spring-specimen/spring-specimen.yaml"
#define FREE_VIBRATION EXAMPLES "free-vibration-compensation/free-vibration.yaml"
#define ADAPTIVE       EXAMPLES "adaptive-compensation/adaptive.yaml"

/* Runs an experiment with up to three settings (NULL ends them) and returns its summary. */
static json_t *run(const char *file, int code, const char *const *set)
{
    char folder[1024];
    const char *words[16] = {YOKE_PROGRAM, "run", file, "-q", "-o", folder};
    struct program p;
    int n = 6;

    if (code == 0) /* bad results are what some of these tests compare */
        words[n++] = "--accept-quality";

    snprintf(folder, sizeof folder, "%s", scratch_path("out"));
    for (; set && *set; set++) {
        words[n++] = "--set";
        words[n++] = *set;
    }
    program_start(&p, words, 0);
    program_wait(&p);
    if (p.code != code)
        print_error("exit code %d, wanted %d: %s\n", p.code, code, p.err);
    assert_int_equal(p.code, code);
    program_free(&p);
    json_t *summary = json_load_file(scratch_path("out/summary.json"), 0, NULL);
    assert_non_null(summary);
    return summary;
}
#define RUN(file, code, ...) run(file, code, (const char *const[]){__VA_ARGS__, NULL})

/* The number of a summary under two keys; infinite where a run ended before it. */
static double number(const json_t *summary, const char *section, const char *key)
{
    const json_t *value = json_object_get(json_object_get(summary, section), key);

    return json_is_number(value) ? json_number_value(value) : INFINITY;
}

/* Error against the reference, in displacement. */
static double error_with(const char *file, const char *const *set)
{
    json_t *summary = run(file, 0, set);
    const double error = number(summary, "errors", "displacement_nrms");

    json_decref(summary);
    return error;
}
#define ERROR(file, ...) error_with(file, (const char *const[]){__VA_ARGS__, NULL})

/* Largest absolute value of the second column of the last run, by second of the run. */
static void peaks_by_second(double *peak, int seconds)
{
    FILE *in;
    char line[2048], folder[1024], csv[1024];
    struct program p;
    double t, x;

    snprintf(folder, sizeof folder, "%s", scratch_path("out"));
    snprintf(csv, sizeof csv, "%s", scratch_path("out.csv"));
    program_run(&p, "export", folder, "--csv", csv);
    assert_int_equal(p.code, 0);
    program_free(&p);
    memset(peak, 0, (size_t)seconds * sizeof *peak);
    in = fopen(csv, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_memory_equal(line, "time,frame.x.u,", 15);
    while (fgets(line, sizeof line, in))
        if (sscanf(line, "%lf,%lf", &t, &x) == 2 && t < seconds)
            peak[(int)t] = fmax(peak[(int)t], fabs(x));
    fclose(in);
}

/* ---- spring-specimen ---- */

static void the_spring_specimen_follows_its_reference(void **state)
{
    assert_true(error_with(SPRING, NULL) < 0.03);
    assert_true(ERROR(SPRING, "method={integrator: alpha-os}") < 0.03);
}

static void without_compensation_it_does_not(void **state)
{
    assert_true(ERROR(SPRING, "transfer.a1.compensator.delay=0") > 0.2);
    assert_true(ERROR(SPRING, "transfer.a1.compensator.kind=none") > 0.2);
    assert_true(ERROR(SPRING, "transfer.a1.compensator.delay=10 ms") > 0.1);
}

static void an_estimator_finds_the_delay(void **state)
{
    assert_true(ERROR(SPRING, "transfer.a1.compensator.delay=10 ms", "transfer.a1.estimator.kind=rls") < 0.03);
    assert_true(ERROR(SPRING, "transfer.a1.compensator.delay=30 ms", "transfer.a1.estimator.kind=rls") < 0.03);
}

/* An actuator that covers 90 % of its way, without a controller that would correct it. */
static void an_estimator_finds_the_gain(void **state)
{
    json_t *summary =
        RUN(SPRING, 0, "transfer.a1.estimator.kind=rls", "transfer.a1.controller={kind: none}",
            "rig.actuators.a1.plant={kind: second-order, gain: 0.9, T1: 6 ms, T2: 5 ms, dead_time: 9 ms}");
    const json_t *a1 = json_object_get(json_object_get(summary, "tracking"), "a1"), *peaks;

    assert_near(json_number_value(json_object_get(a1, "gain_estimated")), 0.9, 0.02);
    peaks = json_object_get(summary, "peaks");
    assert_true(json_number_value(json_object_get(peaks, "a1.gain")) >= 1); /* before it knew */
    json_decref(summary);
    summary = RUN(SPRING, 0, "transfer.a1.estimator.kind=taylor");
    assert_null(json_object_get(json_object_get(summary, "peaks"), "a1.gain"));
    json_decref(summary);
}

static void the_summary_tells_how_well_it_tracked(void **state)
{
    json_t *summary = RUN(SPRING, 0, "transfer.a1.compensator.delay=10 ms"), *tracking, *a1, *frequency;

    tracking = json_object_get(summary, "tracking");
    a1 = json_object_get(tracking, "a1");
    assert_true(json_is_object(a1));
    /* 21 ms of delay, of which 10 are compensated */
    assert_near(json_number_value(json_object_get(a1, "delay_s")), 0.011, 0.001);
    assert_true(json_number_value(json_object_get(a1, "nrms")) > 0.05);
    assert_near(json_number_value(json_object_get(a1, "delay_used_s")), 0.010, 1e-12);
    assert_true(json_is_null(json_object_get(a1, "gain_estimated"))); /* nothing estimates it */
    frequency = json_object_get(a1, "frequency_domain");
    assert_near(json_number_value(json_object_get(frequency, "delay_s")), 0.011, 0.001);
    assert_near(json_number_value(json_object_get(frequency, "frequency_Hz")), 1.3, 0.01);
    assert_near(json_number_value(json_object_get(json_object_get(a1, "synchronisation"), "phase_rad")),
                2 * M_PI * 1.3 * 0.011, 0.01);
    json_decref(summary);
    summary = run(SPRING, 0, NULL);
    tracking = json_object_get(summary, "tracking");
    assert_true(json_number_value(json_object_get(json_object_get(tracking, "a1"), "nrms")) < 0.01);
    json_decref(summary);
}

/* One summary, one way to write a share: tracking error, energy error and error against the reference in percent. */
static void shares_of_a_summary_are_all_in_percent(void **state)
{
    static const char *const lines[] = {"energy error ", "tracking error ", "reference: displacement ", ", velocity "};
    struct program p;

    program_run(&p, "run", SPRING, "-o", scratch_path("percent"), "--no-report", "--set", "time.end=2 s");
    assert_int_equal(p.code, 0);
    const char *at = p.out;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *after;
        const char *found = strstr(i == 3 ? strstr(p.out, lines[2]) : at, lines[i]);

        assert_non_null(found);
        strtod(found + strlen(lines[i]), &after);
        assert_true(after > found + strlen(lines[i]));
        if (strncmp(after, " %", 2) != 0)
            print_error("%s", p.out);
        assert_int_equal(strncmp(after, " %", 2), 0);
    }
    program_free(&p);
}

/* The delay that the summary calls compensated is the one that the compensator was asked for. */
static void the_summary_tells_what_was_compensated(void **state)
{
    const struct {
        const char *set;
        double compensated, tolerance;
        bool estimated;
    } cases[] = {
        {"transfer.a1={compensator: {kind: velocity, delay: 20 ms}}", 0.020, 1e-12, false},
        {"transfer.a1={compensator: {kind: velocity, delay: 20 ms}, feedback: {kind: optimal, bound: 26 ms}}", 0.026,
         1e-12, false},
        {"transfer.a1={estimator: {kind: rls}, controller: {kind: imc}}", 0, 1e-12, true},
        /* a Butterworth filter of second order is sqrt(2)/(2 pi f) late, and half a tick for the hold */
        {"rig.actuators.a1.sensors={filter: 50 Hz}", 0.021 + sqrt(2) / (2 * M_PI * 50) + 0.0005, 2e-5, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *summary = RUN(SPRING, 0, cases[i].set, "time.end=4");
        const json_t *a1 = json_object_get(json_object_get(summary, "tracking"), "a1"),
                     *estimated = json_object_get(a1, "delay_estimated_s");

        assert_near(json_number_value(json_object_get(a1, "delay_used_s")), cases[i].compensated, cases[i].tolerance);
        assert_int_equal(json_is_number(estimated), cases[i].estimated);
        if (cases[i].estimated)
            assert_near(json_number_value(estimated), 0.021, 0.002);
        json_decref(summary);
    }
}

/* A step of equivalent force control has no spectral radius of its own, and its specimen is one. */
static void a_check_says_what_it_does_not_know(void **state)
{
    struct program p;

    program_run(&p, "check", EXAMPLES "efc-split-mass/efc-split-mass.yaml");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "efc is judged with its specimen: see the hybrid loop"));
    assert_non_null(strstr(p.out, "specimen: 1 DoF, physical specimen, fine side"));
    program_free(&p);
}

/* A compensator that was told of no delay, and will not hear of one, commands the targets themselves. */
static void a_compensator_without_a_delay_is_told_of(void **state)
{
    const struct {
        const char *chain;
        bool idle;
    } cases[] = {
        {"transfer.a1={compensator: {kind: lagrange}, controller: {kind: imc}}", true},
        {"transfer.a1={compensator: {kind: velocity, delay: 0}, controller: {kind: imc}}", true},
        {"transfer.a1={compensator: {kind: explicit-newmark, delay: 0, data: step}, controller: {kind: imc}}", true},
        {"transfer.a1={compensator: {kind: inverse}, controller: {kind: imc}}", true},
        {"transfer.a1={compensator: {kind: lagrange, delay: 1 ms}, controller: {kind: imc}}", false},
        {"transfer.a1={compensator: {kind: lagrange}, estimator: {kind: rls}, controller: {kind: imc}}", false},
        {"transfer.a1={compensator: {kind: none}, controller: {kind: imc}}", false},
        {"transfer.a1={compensator: {kind: ats}, controller: {kind: imc}}", false},
        {"transfer.a1={compensator: {kind: model-inverse}, controller: {kind: imc}}", false}, /* inverts its lag */
    };
    struct program p;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const words = "has no delay to compensate, neither given nor estimated";

        program_run(&p, "check", SPRING, "--set", "time.end=2", "--set", cases[i].chain);
        if (!strstr(p.out, words) == cases[i].idle)
            print_error("%s: %s%s\n", cases[i].chain, p.out, p.err);
        assert_int_equal(strstr(p.out, words) != NULL, cases[i].idle);
        program_free(&p);
    }
    program_run(&p, "check", SPRING, "--json", "--set", "time.end=2", "--set", cases[0].chain);
    json_t *json = json_loads(p.out, 0, NULL);
    assert_string_equal(json_string_value(json_array_get(json_object_get(json, "idle_compensators"), 0)), "a1");
    json_decref(json);
    program_free(&p);
    program_run(&p, "run", SPRING, "-o", scratch_path("out"), "--set", "time.end=2", "--set", cases[0].chain);
    assert_non_null(strstr(p.out, "nothing compensated: its compensator has no delay to compensate"));
    program_free(&p);
}

static void check_stop(const char *limit, const char *words)
{
    json_t *summary = RUN(SPRING, 3, limit);
    const char *reason = json_string_value(json_object_get(summary, "stop_reason"));

    assert_false(json_is_true(json_object_get(summary, "finished")));
    assert_true(json_integer_value(json_object_get(summary, "steps")) > 10);
    if (!reason || !strstr(reason, words))
        print_error("stopped by '%s', wanted '%s'\n", reason ? reason : "nothing", words);
    assert_true(reason && strstr(reason, words));
    json_decref(summary);
}

static void a_limit_ends_the_run_and_says_why(void **state)
{
    check_stop("limits.force=1 kN", "force of a1, ");
    check_stop("limits.force=1 kN", "passed its limit of 1000 N");
    check_stop("limits.displacement=20 mm", "command of a1, ");
    check_stop("limits.displacement=20 mm", "passed its limit of 0.02 m");
}

/* ---- free-vibration-compensation ---- */

/* A published case, recomputed by an independent program: peaks within 9-10, 19-20, 29-30 and 39-40 s. */
static void a_free_vibration_decays_as_published(void **state)
{
    static const double wanted[] = {9.0510e-3, 8.1451e-3, 7.3298e-3, 6.5914e-3};
    double peak[40];

    json_decref(run(FREE_VIBRATION, 0, NULL));
    peaks_by_second(peak, 40);
    for (int i = 0; i < 4; i++)
        assert_near(peak[10 * i + 9], wanted[i], 0.02e-3);
}

/* The same source: 64.6 mm between 1 and 2 s, 1245 mm between 4 and 5 s. */
static void without_compensation_it_grows(void **state)
{
    double peak[5];

    json_decref(RUN(FREE_VIBRATION, 5, "transfer.a1.compensator.kind=none", "time.end=5"));
    peaks_by_second(peak, 5);
    assert_near_relative(peak[1], 64.6e-3, 0.02);
    assert_near_relative(peak[4], 1245e-3, 0.02);
}

/* ---- adaptive-compensation ---- */

static void the_estimator_saves_the_slow_actuator(void **state)
{
    const double adaptive = error_with(ADAPTIVE, NULL), nominal = ERROR(ADAPTIVE, "transfer.jack.estimator.kind=none"),
                 right =
                     ERROR(ADAPTIVE, "transfer.jack.estimator.kind=none", "transfer.jack.compensator.delay=15.7 ms");

    assert_true(adaptive < 0.06);
    assert_true(right < 0.06);
    assert_true(nominal > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spring_specimen_follows_its_reference),
        cmocka_unit_test(without_compensation_it_does_not),
        cmocka_unit_test(an_estimator_finds_the_delay),
        cmocka_unit_test(an_estimator_finds_the_gain),
        cmocka_unit_test(the_summary_tells_how_well_it_tracked),
        cmocka_unit_test(the_summary_tells_what_was_compensated),
        cmocka_unit_test(shares_of_a_summary_are_all_in_percent),
        cmocka_unit_test(a_check_says_what_it_does_not_know),
        cmocka_unit_test(a_compensator_without_a_delay_is_told_of),
        cmocka_unit_test(a_limit_ends_the_run_and_says_why),
        cmocka_unit_test(a_free_vibration_decays_as_published),
        cmocka_unit_test(without_compensation_it_grows),
        cmocka_unit_test(the_estimator_saves_the_slow_actuator),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
