/* Passivity control and model feedback of a file as a user runs it: the numbers of an independent prototype
 * (docs/theory/energy.md), the channels, the warning, the limit, what is refused; with control, no example becomes
 * worse. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <yoke/yoke.h>

#define K "157913.6704174297"
enum { WORDS = 24 };

/* m = 1000 kg, T = 0.5 s, zeta = 5 %; all of the stiffness is the specimen, 12 ms late. */
static const char base[] =
    "title: base\ntime: { step: 2 ms, end: 5 s, control_rate: 500 Hz }\n"
    "method: { integrator: central-difference, stability: warn }\n"
    "substructures:\n"
    "  mass: { kind: linear, dofs: [x], mass: [1000 kg], damping: [[1256.637061435917]], stiffness: [[0]],\n"
    "          initial: { displacement: { x: 10 mm } } }\n"
    "  spring: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[" K "]] },\n"
    "            initial: { displacement: { x: 10 mm } } }\n"
    "interfaces: [ { join: [mass.x, spring.x] } ]\n"
    "transfer: { a1: {} }\n"
    "rig:\n  backend: virtual\n  actuators: { a1: { plant: { kind: delay, delay: 12 ms } } }\n"
    "  specimen: { kind: linear, dofs: [x], mass: [[0]], stiffness: [[" K "]] }\n"
    "limits: { displacement: 1 m, force: 100 kN }\n";

struct ran {
    int code;
    json_t *json;
    char err[2000];
};

static struct ran run(const char *file, const char *const *settings)
{
    const char *words[WORDS] = {
        YOKE_PROGRAM, "run", file, "--json", "--quiet", "--no-report", "--accept-quality", "-o", scratch_path("run")};
    struct ran r;
    struct program p;
    size_t n = 9;

    for (; *settings; settings++) {
        words[n++] = "--set";
        words[n++] = *settings;
    }
    program_start(&p, words, 0);
    program_wait(&p);
    r = (struct ran){.code = p.code, .json = json_loads(p.out, 0, NULL)};
    snprintf(r.err, sizeof r.err, "%s", p.err);
    program_free(&p);
    return r;
}
#define RUN(file, ...) run(file, (const char *const[]){__VA_ARGS__, NULL})

/* The largest value of a channel of the last run between two times, and its last value. */
static double largest(const char *name, double from, double to, double *last)
{
    struct yk_record *record;
    double most = 0;
    size_t column = SIZE_MAX, k = 0;

    assert_ok(yk_record_read(&record, scratch_path("run/run.h5"), &err));
    const struct yk_kept_rows rows = yk_record_rows(record, "system");

    for (const char *at = rows.names; at && *at && column == SIZE_MAX; k++) {
        const size_t length = strcspn(at, "\n");

        if (length == strlen(name) && strncmp(at, name, length) == 0)
            column = k;
        at += length + (at[length] == '\n');
    }
    for (size_t i = 0; i < rows.count && column != SIZE_MAX; i++) {
        const double *row = rows.rows + i * rows.channels;

        if (row[0] >= from - 1e-9 && row[0] <= to + 1e-9)
            most = fmax(most, fabs(row[column]));
        if (last)
            *last = row[column];
    }
    yk_record_close(record);
    return column == SIZE_MAX ? (double)NAN : most;
}

static void control_keeps_an_unstable_loop(void **state)
{
    static const struct {
        const char *setting;
        double mm, generated;
    } cases[] = {{"transfer.a1.passivity={kind: none}", 25.028202, NAN},
                 {"transfer.a1.passivity={kind: strict, most: 6283.185307}", 2.816370, 11.849960},
                 {"transfer.a1.passivity={kind: normalised, most: 6283.185307}", 2.569087, NAN},
                 {"transfer.a1.feedback={kind: impedance, stiffness: " K "}", 2.841668, NAN},
                 {"transfer.a1.feedback={kind: smith, stiffness: " K ", delay: 12 ms}", 2.841668, NAN}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ran r = RUN(scratch_write("base.yaml", base), cases[k].setting);
        double generated = 0, paid = 0;

        if (r.code)
            fail_msg("%s: %s", cases[k].setting, r.err);
        assert_near_relative(1e3 * largest("mass.x.u", 2, 3, NULL), cases[k].mm, 3e-4);
        if (!isnan(cases[k].generated)) {
            largest("a1.generated", 0, 9, &generated);
            largest("a1.paid", 0, 9, &paid);
            assert_near_relative(generated, cases[k].generated, 1e-4);
            assert_near_relative(paid, 11.847305, 1e-4);
            assert_near(json_number_value(json_object_get(
                            json_object_get(json_object_get(json_object_get(r.json, "tracking"), "a1"), "passivity"),
                            "paid_J")),
                        paid, 1e-9);
        } else {
            assert_int_equal(isnan(largest("a1.paid", 0, 9, NULL)), k != 2);
        }
        json_decref(r.json);
    }
}

static void its_bound_warns_and_its_limit_trips(void **state)
{
    struct ran warned = RUN(scratch_write("base.yaml", base), "transfer.a1.passivity={kind: normalised, most: 600}");

    assert_int_equal(warned.code, 0);
    char *text = json_dumps(warned.json, 0);

    assert_non_null(strstr(text, "passivity of a1 is at its bound of 600 N s/m: the loop generates more than it can "
                                 "pay, as a delay of 3.8 ms would"));
    free(text);
    json_decref(warned.json);
    struct ran tripped = RUN(scratch_write("base.yaml", base), "transfer.a1.passivity={kind: normalised, most: 600}",
                             "limits.passivity={limit: 50 %, action: ramp}");

    assert_int_equal(tripped.code, 3);
    assert_non_null(strstr(tripped.err, "share of time at the bound of the passivity controller of a1"));
    json_decref(tripped.json);
}

static void what_cannot_work_is_refused(void **state)
{
    static const struct {
        const char *setting, *words;
    } cases[] = {
        {"transfer.a1.passivity={kind: strict}", "passivity needs `most`"},
        {"transfer.a1.passivity={kind: strict, most: 260 kN s/m}", "could make the loop unstable by itself"},
        {"transfer.a1.passivity={most: 1}", "most"},
        {"transfer.a1={passivity: {kind: strict, most: 1}, command: force}", "commanded by force; leave it out"},
        {"transfer.a1.feedback={kind: latest, stiffness: 1}", "stiffness"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ran r = RUN(scratch_write("base.yaml", base), cases[k].setting);

        if (r.code != 2 || !strstr(r.err, cases[k].words))
            fail_msg("%s: %d: %s", cases[k].setting, r.code, r.err);
        json_decref(r.json);
    }
    struct ran noisy = RUN(scratch_write("base.yaml", base), "transfer.a1.passivity={kind: strict, most: 6 kN s/m}",
                           "rig.actuators.a1.sensors.force_noise=1 N");

    assert_non_null(strstr(noisy.err, "reacts to the noise"));
    json_decref(noisy.json);
}

/* Every number of both runs. */
static void without_control_runs_stay_the_same(void **state)
{
    static const char *const files[] = {"spring-specimen/spring-specimen", "coupled-actuators/coupled-actuators",
                                        "paced-split-mass/paced-split-mass"};

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[300];
        struct yk_record *first, *second;

        snprintf(path, sizeof path, YOKE_SOURCE "/examples/%s.yaml", files[k]);
        json_decref(RUN(path, "title=same").json);
        assert_ok(yk_record_read(&first, scratch_path("run/run.h5"), &err));
        json_decref(RUN(path, "title=same",
                        k == 1 ? "transfer.a1.passivity={kind: none, most: 1}" : "transfer.a1.passivity={kind: none}")
                        .json);
        assert_ok(yk_record_read(&second, scratch_path("run/run.h5"), &err));
        for (int s = 0; s < 3; s++) {
            const char *const names[] = {"system", "fine", "ticks"};
            const struct yk_kept_rows a = yk_record_rows(first, names[s]), b = yk_record_rows(second, names[s]);

            assert_int_equal(a.count, b.count);
            assert_int_equal(a.channels, b.channels);
            if (a.count)
                assert_memory_equal(a.rows, b.rows, a.count * a.channels * sizeof *a.rows);
        }
        yk_record_close(first);
        yk_record_close(second);
    }
}

/* A subset; all of them: `make energy`. */
static void no_example_becomes_worse(void **state)
{
    static const char *const cases[][2] = {
        {"spring-specimen/spring-specimen", "transfer.a1.passivity={kind: normalised, most: 1 kN s/m}"},
        {"free-vibration-compensation/free-vibration", "transfer.a1.passivity={kind: strict, most: 10}"},
        {"two-modes/two-modes", "transfer.a1.passivity={kind: normalised, most: 1 kN s/m}"},
        {"adaptive-compensation/adaptive", "transfer.jack.passivity={kind: normalised, most: 1 kN s/m}"}};

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int level[2];

        for (int on = 0; on < 2; on++) {
            char path[300];

            snprintf(path, sizeof path, YOKE_SOURCE "/examples/%s.yaml", cases[k][0]);
            struct ran r = RUN(path, on ? cases[k][1] : "title=off");
            const char *word = json_string_value(json_object_get(json_object_get(r.json, "verdict"), "level"));

            if (!word)
                fail_msg("%s: %s", path, r.err);
            level[on] = strcmp(word, "good") == 0 ? 0 : strcmp(word, "doubtful") == 0 ? 1 : 2;
            json_decref(r.json);
        }
        if (level[1] > level[0])
            fail_msg("%s: %d, with control %d", cases[k][0], level[0], level[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_keeps_an_unstable_loop), cmocka_unit_test(its_bound_warns_and_its_limit_trips),
        cmocka_unit_test(what_cannot_work_is_refused),    cmocka_unit_test(without_control_runs_stay_the_same),
        cmocka_unit_test(no_example_becomes_worse),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
