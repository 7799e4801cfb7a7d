/* `yoke iterate` as a user runs it, on the virtual rig. Expected values: closed forms, and an independent prototype in
 * Python (docs/theory/iterate.md). */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define EXAMPLE YOKE_SOURCE "/examples/iterated-brace/iterated-brace.yaml"
#define SPRING                                                                                                         \
    "rig.specimen={kind: linear, dofs: [x], mass: [[0]], stiffness: [[126330.93633394376]], damping: [[100]]}"
#define SIDE                                                                                                           \
    "substructures.storey={role: numerical, kind: linear, dofs: [x], mass: [1000 kg], damping: "                       \
    "[[1256.637061435917]], "                                                                                          \
    "stiffness: [[31582.73408348594]]}"
enum { WORDS = 24 };

struct iterated {
    int code;
    json_t *json;
    char err[2000];
};

static double number(const json_t *o, const char *key)
{
    return json_number_value(json_object_get(o, key));
}

static size_t runs_of(const struct iterated *it)
{
    return json_array_size(json_object_get(it->json, "runs"));
}

static const json_t *run_of(const struct iterated *it, size_t k)
{
    return json_array_get(json_object_get(it->json, "runs"), k);
}

static double error_of(const struct iterated *it)
{
    return number(json_object_get(it->json, "error_account"), "interface");
}

/* yoke iterate FILE --dry --json --force -o ... --set EACH... */
static struct iterated iterate(const char *file, const char *const *settings)
{
    const char *words[WORDS] = {YOKE_PROGRAM, "iterate", file, "--dry", "--json", "--force", "-o", scratch_path("it")};
    struct iterated it;
    struct program p;
    size_t n = 8;

    for (; *settings; settings++) {
        words[n++] = "--set";
        words[n++] = *settings;
    }
    program_start(&p, words, 0);
    program_wait(&p);
    it = (struct iterated){.code = p.code, .json = json_loads(p.out, 0, NULL)};
    snprintf(it.err, sizeof it.err, "%s", p.err);
    program_free(&p);
    return it;
}

#define ITERATE(file, ...) iterate(file, (const char *const[]){__VA_ARGS__, NULL})

static void drop(struct iterated *it)
{
    json_decref(it->json);
}

/* The whole structure, integrated by the prototype: peak 38.488806 mm. */
static void a_brace_that_feedback_cannot_test(void **state)
{
    struct iterated it = ITERATE(EXAMPLE, "time.step=2 ms");

    assert_int_equal(it.code, 0);
    assert_true(error_of(&it) < 1e-3);
    assert_true(runs_of(&it) <= 10);
    const json_t *last = run_of(&it, runs_of(&it) - 1);

    assert_near(number(last, "peak_m"), 38.488806e-3, 1e-5);
    for (size_t k = 0; k < runs_of(&it); k++)
        assert_true(number(run_of(&it, k), "peak_m") < 1.5 * 38.488806e-3);
    assert_in_scratch("it/report.html", "nothing acts back during a run");
    assert_in_scratch("it/table.csv", "run,rung,load factor");
    assert_in_scratch("it/convergence.svg", "tolerance");
    assert_in_scratch("it/response.svg", "specimen");
    assert_in_scratch("it/iterate.json", "\"sha256\"");
    drop(&it);
}

/* Five tests whose loop `check` calls unstable: an error of a tenth of a per cent within ten runs at the full load. */
static void unstable_loops_converge(void **state)
{
    static const char *const files[][3] = {
        {SPRING, "title=a"},
        {"title=b", "limits.on_trip=ramp"},
        {SPRING, "rig.actuators.a1.plant={kind: delay, delay: 40 ms}"},
        {"rig.actuators.a1.plant={kind: servo, frequency: 6 Hz, damping: 0.7}",
         "rig.specimen.elements.0.hardening=0.3"},
        {"substructures.storey.damping=[[300]]",
         "rig.actuators.a1.plant={kind: servo, frequency: 15 Hz, damping: 0.9, dead_time: 15 ms}"},
    };

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        struct program p;

        program_run(&p, "check", EXAMPLE, "--set", files[k][0], "--set", files[k][1]);
        if (!strstr(p.out, "UNSTABLE"))
            fail_msg("%zu: %s%s", k, p.out, p.err);
        program_free(&p);
        struct iterated it = ITERATE(EXAMPLE, files[k][0], files[k][1]);
        size_t full = 0;

        if (it.code)
            fail_msg("%zu: %s", k, it.err);
        assert_true(error_of(&it) < 1e-3);
        for (size_t i = 0; i < runs_of(&it); i++)
            full += number(run_of(&it, i), "factor") == 1;
        print_message("  %zu: %zu runs, %zu of them at the full load, error %.2g\n", k, runs_of(&it), full,
                      error_of(&it));
        assert_true(full <= 10);
        drop(&it);
    }
}

/* P/(Z_N + S) at 1.3, 2 and 3 Hz. */
static void steady_vibration_is_the_closed_form(void **state)
{
    static const struct {
        const char *load, *iterate;
        double mm;
    } cases[] = {
        {"loads=[{on: storey.x, kind: sine, amplitude: 500 N, frequency: 1.3 Hz}]",
         "iterate={kind: periodic, frequency: 1.3 Hz, tolerance: 0.01 %, steady: 0.0001 %}", 5.442714708},
        {"loads=[{on: storey.x, kind: sine, amplitude: 500 N, frequency: 2 Hz}]",
         "iterate={kind: periodic, frequency: 2 Hz, tolerance: 0.01 %, steady: 0.0001 %, update: bad}", 29.328946484},
        {"loads=[{on: storey.x, kind: sine, amplitude: 500 N, frequency: 3 Hz}]",
         "iterate={kind: periodic, frequency: 3 Hz, tolerance: 0.01 %, steady: 0.0001 %, harmonics: 2}", 2.512037514}};

    for (int k = 0; k < 3; k++) {
        struct iterated it = ITERATE(EXAMPLE, SPRING, SIDE, "time.end=20 s", cases[k].load, cases[k].iterate);

        if (it.code)
            fail_msg("%s", it.err);
        const json_t *last = run_of(&it, runs_of(&it) - 1);

        assert_near_relative(1e3 * number(last, "peak_m"), cases[k].mm, 2e-4); /* a peak of samples 2 ms apart */
        drop(&it);
    }
}

static const char hardening[] =
    "title: hardening\ntime: { step: 0.05 s, end: 100 s, control_rate: 20 Hz }\n"
    "method: { integrator: central-difference, stability: warn }\n"
    "substructures:\n"
    "  mass: { role: numerical, kind: linear, dofs: [x], mass: [1 kg], damping: [[0.1]], stiffness: [[0.6]] }\n"
    "  spring: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[0.4]] } }\n"
    "interfaces: [ { join: [mass.x, spring.x] } ]\n"
    "loads: [ { on: mass.x, kind: sine, amplitude: 0.2 N, frequency: 0.1 Hz } ]\n"
    "transfer: { a1: {} }\n"
    "rig:\n  backend: virtual\n"
    "  actuators: { a1: { plant: { kind: servo, frequency: 3.1830988618 Hz, damping: 0.7, dead_time: 0.05 s } } }\n"
    "  specimen:\n    kind: assembled\n    nodes: { end: { mass: 0 } }\n"
    "    elements: [ { kind: cubic-spring, between: [ground, end.x], stiffness: 0.4, cubic: 0.5 } ]\n"
    "limits: { displacement: 10 m, force: 100 N }\n"
    "iterate: { kind: periodic, frequency: 0.0795774715..0.350140875 Hz, harmonics: 3, settle: 12, average: 2, steady: "
    "0.01 %, tolerance: 0.1 % }\n";

/* Folds of the prototype at 1.354337 and 1.200969 rad/s; its own at this tolerance and step: 1.35417 and 1.20086. */
static void a_response_curve_goes_through_its_folds(void **state)
{
    struct iterated it = ITERATE(scratch_write("hardening.yaml", hardening), "title=hardening");
    const json_t *folds = json_object_get(it.json, "folds_Hz");

    assert_int_equal(it.code, 0);
    assert_int_equal(json_array_size(folds), 2);
    assert_near(2 * M_PI * json_number_value(json_array_get(folds, 0)), 1.354337, 1e-3);
    assert_near(2 * M_PI * json_number_value(json_array_get(folds, 1)), 1.200969, 1e-3);
    drop(&it);
}

/* The process is killed after each run, and continued: the same runs with the same numbers. */
static void a_killed_iteration_ends_as_if_it_was_not(void **state)
{
    struct iterated whole = ITERATE(EXAMPLE, "time.control_rate=10 kHz");
    char folder[600];

    snprintf(folder, sizeof folder, "%s", scratch_path("killed"));
    const char *const words[] = {YOKE_PROGRAM, "iterate", EXAMPLE, "--dry", "--json",
                                 "--force",    "-o",      folder,  "--set", "time.control_rate=10 kHz",
                                 NULL};
    const char *const again[] = {
        YOKE_PROGRAM, "iterate", EXAMPLE, "--dry", "--json", "--resume", folder, "--set", "time.control_rate=10 kHz",
        NULL};
    int killed = 0;

    for (size_t k = 1; k <= runs_of(&whole); k++) {
        char name[60];
        struct program p;
        double waited = 0;

        snprintf(name, sizeof name, "killed/rows-%03zu.h5", k);
        program_start(&p, k == 1 ? words : again, 0);
        for (; access(scratch_path(name), F_OK) && waited < 20; waited += 0.002)
            program_sleep(0.002);
        kill(p.pid, SIGKILL);
        program_wait(&p);
        killed += p.code == -SIGKILL;
        program_free(&p);
    }
    assert_true(killed >= 2);
    struct program p;

    program_start(&p, again, 0);
    program_wait(&p);
    assert_int_equal(p.code, 0);
    json_t *json = json_loads(p.out, 0, NULL);

    assert_true(json_equal(json_object_get(json, "runs"), json_object_get(whole.json, "runs")));
    json_decref(json);
    program_free(&p);
    drop(&whole);
}

static void a_trip_stops_and_a_budget_too(void **state)
{
    struct iterated tripped = ITERATE(EXAMPLE, "limits.displacement=30 mm");

    assert_int_equal(tripped.code, 3);
    assert_non_null(strstr(tripped.err, "--resume"));
    assert_non_null(strstr(tripped.err, "limit"));
    drop(&tripped);
    struct iterated runs = ITERATE(EXAMPLE, "iterate.budget={runs: 3}");

    assert_int_equal(runs.code, 3);
    assert_int_equal(runs_of(&runs), 3);
    assert_non_null(strstr(runs.err, "the budget of 3 runs is used up"));
    drop(&runs);
    struct iterated work = ITERATE(EXAMPLE, "iterate.budget={work: 150 J}");

    assert_int_equal(work.code, 3);
    assert_non_null(strstr(work.err, "150 J of work is used up"));
    drop(&work);
    struct iterated full = ITERATE(EXAMPLE, "iterate.budget={full: 1}", "iterate.ladder=[1]");

    assert_int_equal(full.code, 3);
    assert_non_null(strstr(full.err, "1 runs at full amplitude is used up"));
    drop(&full);
}

/* Fixed and wrong: the error grows, and it ends before the specimen breaks. */
static void a_wrong_model_does_not_break_the_specimen(void **state)
{
    struct iterated it =
        ITERATE(EXAMPLE, SPRING, "iterate.ladder=[1]", "iterate.budget={}", "limits.force=100 kN",
                "limits.displacement=1 m", "iterate.model={kind: linear, stiffness: 88.431655 kN/m, refit: false}");

    assert_int_equal(it.code, 4);
    assert_string_equal(json_string_value(json_object_get(it.json, "verdict")), "unusable");
    for (size_t k = 1; k < runs_of(&it); k++)
        assert_true(number(run_of(&it, k), "peak_m") <
                    1.5 * fmax(number(run_of(&it, k - 1), "peak_m"), number(run_of(&it, 0), "peak_m")));
    drop(&it);
}

static void what_cannot_be_iterated_is_refused(void **state)
{
    static const struct {
        const char *setting, *words;
    } cases[] = {
        {"iterate.ladder=[0.5, 0.3, 1]", "ladder must rise and end with 1"},
        {"iterate.ladder=[0.5]", "ladder must rise and end with 1"},
        {"iterate.budget={full: 0}", "budget.full: 0 leaves no run at full amplitude"},
        {"transfer.a1.estimator={kind: rls}", "the command would not be repeatable"},
        {"iterate={kind: periodic}", "iterate.frequency is missing"},
        {"iterate={kind: periodic, frequency: 2 m}", "is no frequency"},
        {"iterate={kind: periodic, frequency: 5..2 m}", "no interval of frequencies"},
        {"iterate={kind: periodic, frequency: 0.63 Hz}", "do not repeat with 0.63 Hz"},
        {"iterate={kind: record, frequency: 1 Hz}", "is for kind: periodic"},
        {"iterate={kind: record, tolerence: 1}", "unknown key 'tolerence'"},
        {"iterate.model={kind: bilinear}", "needs stiffness and yield"},
        {"iterate={kind: periodic, frequency: 0.1 Hz, harmonics: 32, steady: 2}", "steady"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct iterated it = ITERATE(EXAMPLE, cases[k].setting);

        if (it.code != 2 || !strstr(it.err, cases[k].words))
            fail_msg("%s: %d: %s", cases[k].setting, it.code, it.err);
        drop(&it);
    }
    struct iterated two = ITERATE(EXAMPLE, "loads=[{on: storey.x, kind: sine, amplitude: 1, frequency: 2.1 Hz}]",
                                  "iterate={kind: periodic, frequency: 1.3 Hz}");

    assert_int_equal(two.code, 2);
    assert_non_null(strstr(two.err, "1.3 and 2.1 Hz"));
    drop(&two);
    struct iterated far = ITERATE(EXAMPLE, SPRING, "loads=[{on: storey.x, kind: sine, amplitude: 1, frequency: 2 Hz}]",
                                  "iterate={kind: periodic, frequency: 2 Hz, harmonics: 20}");

    assert_int_equal(far.code, 2);
    assert_non_null(strstr(far.err, "harmonics: 20 needs 40 Hz"));
    drop(&far);
}

static void another_experiment_is_not_resumed(void **state)
{
    struct iterated it = ITERATE(EXAMPLE, "iterate.budget={runs: 1}");
    struct program p;

    drop(&it);
    program_run(&p, "iterate", EXAMPLE, "--dry", "--resume", scratch_path("it"));
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "of another experiment, or of other settings"));
    program_free(&p);
    program_run(&p, "iterate", EXAMPLE, "--dry", "-o", scratch_path("it"));
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "--resume"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_brace_that_feedback_cannot_test),
        cmocka_unit_test(unstable_loops_converge),
        cmocka_unit_test(steady_vibration_is_the_closed_form),
        cmocka_unit_test(a_response_curve_goes_through_its_folds),
        cmocka_unit_test(a_killed_iteration_ends_as_if_it_was_not),
        cmocka_unit_test(a_trip_stops_and_a_budget_too),
        cmocka_unit_test(a_wrong_model_does_not_break_the_specimen),
        cmocka_unit_test(what_cannot_be_iterated_is_refused),
        cmocka_unit_test(another_experiment_is_not_resumed),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
