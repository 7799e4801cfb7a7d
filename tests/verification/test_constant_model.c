/* A model is constant: its pages are read-only while sessions step and analyses run, and runs beside analyses on other
 * threads have one result. */
#include "support/check.h"
#include "support/guard.h"

#include "state/state.h"

#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPS = 200, RUNS = 100, ALL_RUNS = 1000 }; /* all of them with YOKE_ALL_RUNS in the environment */

static struct yk_model *open_guarded(const char *name, const char *const *set, size_t count)
{
    char path[512];
    struct yk_model *model;

    snprintf(path, sizeof path, "%s/examples/%s", YOKE_SOURCE, name);
    guard_begin();
    assert_ok(yk_model_open(&model, path, set, count, &err));
    const size_t bytes = guard_end();

    assert_true(!guard_works() || bytes > 10000);
    return model;
}

static void close_guarded(struct yk_model *model)
{
    guard_release();
    yk_model_close(model);
}

/* ---- the guard itself ---- */

static double *first_entry(const struct yk_matrix *m)
{
    return m->x;
}

/* The signal that ends a process which writes there; 0: none. */
static int signal_of_write(double *at)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile double *)at = *at;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void a_write_to_the_model_is_caught(void **state)
{
    struct yk_model *model;

    if (!guard_works())
        skip();
    model = open_guarded("split-mass/split-mass.yaml", NULL, 0);
    const struct yk_model *e = model;
    const struct yk_system *part = e->substructures[0].system, *whole = e->assembly->system;
    double *const places[] = {whole->u0,
                              whole->v0,
                              part->u0,
                              part->v0,
                              first_entry(&part->M),
                              first_entry(&part->K),
                              first_entry(&whole->K),
                              (double *)part,
                              e->rows[0].coefficient};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!guard_holds(places[i]))
            print_error("place %zu is not guarded: %p\n", i, (void *)places[i]);
        assert_true(guard_holds(places[i]));
        assert_int_equal(signal_of_write(places[i]), SIGSEGV);
    }
    guard_release();
    assert_int_equal(signal_of_write(whole->u0), 0);
    yk_model_close(model);
}

/* No test has to ask for it. */
static void models_of_all_tests_are_guarded(void **state)
{
    struct yk_model *model, *varied;

    if (!guard_works())
        skip();
    assert_ok(yk_model_open(&model, YOKE_SOURCE "/examples/split-mass/split-mass.yaml", NULL, 0, &err));
    assert_ok(yk_model_vary(&varied, model, (const char *const[]){"time.end=1 s"}, 1, &err));
    double *own = model->assembly->system->u0, *other = varied->assembly->system->u0;

    assert_true(guard_holds(own) && guard_holds(other));
    assert_int_equal(signal_of_write(own), SIGSEGV);
    assert_int_equal(signal_of_write(other), SIGSEGV);
    yk_model_close(varied);
    assert_int_equal(signal_of_write(own), SIGSEGV); /* still */
    yk_model_close(model);
}

/* ---- everything that moves ---- */

static void analyze(const struct yk_model *model, const char *name, const char *options)
{
    struct yk_err own = {0};
    char *json = NULL;
    const enum yk_status st = yk_model_analyze(model, name, options, &json, &own);

    if (st && st != YK_E_UNSUPPORTED && st != YK_E_RANGE && st != YK_E_INPUT)
        print_error("%s: %s\n", name, yk_err_line(&own).text);
    assert_true(!st || st == YK_E_UNSUPPORTED || st == YK_E_RANGE || st == YK_E_INPUT);
    yk_free(json);
}

static void nothing_writes_to_the_model_of_an_example(void **state)
{
    static const char *const examples[] = {"oscillator/oscillator.yaml",
                                           "split-mass/split-mass.yaml",
                                           "split-mass/four-dof.yaml",
                                           "spring-specimen/spring-specimen.yaml",
                                           "three-subdomains/three-subdomains.yaml",
                                           "coupled-pendulum/feedback.yaml",
                                           "coupled-pendulum/torn-soft.yaml",
                                           "efc-split-mass/efc-split-mass.yaml",
                                           "efc-yielding-brace/efc-yielding-brace.yaml",
                                           "hysteretic-numerical-side/parallel-newmark.yaml",
                                           "hysteretic-numerical-side/parallel-rosenbrock.yaml",
                                           "hinged-portal/hinged-portal.yaml",
                                           "fibre-frame/fibre-frame.yaml",
                                           "gap-support/gap-support.yaml",
                                           "pendulum-isolator/pendulum-isolator.yaml",
                                           "coupled-actuators/coupled-actuators.yaml",
                                           "adaptive-compensation/adaptive.yaml",
                                           "rotating-mass-rig/rotating-mass-rig.yaml",
                                           "shake-table/shake-table.yaml",
                                           "vehicle/vehicle.yaml"};

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct yk_model *model = open_guarded(examples[i], NULL, 0);
        struct yk_session *session;
        long made;

        assert_ok(yk_session_open(&session, model, &err));
        assert_ok(yk_session_advance(session, STEPS, 1, &made, &err));
        assert_true(made > 0);
        yk_session_close(session);
        if (model->station) {
            if (i < 4)
                analyze(model, "check", "{\"budget\": 0.05}");
            analyze(model, "margin", "{\"budget\": 0.05}");
            analyze(model, "frf", "{\"frequencies\": [2, 5]}");
        }
        if (i < 5) {
            analyze(model, "energy", NULL);
            analyze(model, "spectrum", NULL);
        }
        close_guarded(model);
    }
}

/* ---- runs beside analyses ---- */

struct beside {
    const struct yk_model *model;
    atomic_bool done;
    atomic_int made;
};

static void *analyze_all(void *self)
{
    static const char *const names[][2] = {{"margin", "{\"budget\": 0.05}"},
                                           {"check", "{\"budget\": 0.05}"},
                                           {"spectrum", NULL},
                                           {"frf", "{\"frequencies\": [2]}"}};
    struct beside *b = self;

    for (size_t i = 0; !atomic_load(&b->done); i = (i + 1) % 4) {
        char *json = NULL;
        struct yk_err own = {0};

        yk_model_analyze(b->model, names[i][0], names[i][1], &json, &own);
        yk_free(json);
        atomic_fetch_add(&b->made, 1);
    }
    return NULL;
}

/* The peaks of every channel of a run. */
static json_t *peaks_of(const struct yk_model *model)
{
    char *text;

    assert_ok(yk_model_run(model, NULL, &text, &err));
    json_t *summary = json_loads(text, 0, NULL), *peaks = json_incref(json_object_get(summary, "peaks"));

    json_decref(summary);
    yk_free(text);
    return peaks;
}

static void check_beside(const char *name, const char *const *set, size_t count, int runs)
{
    struct beside b = {.model = open_guarded(name, set, count)};
    json_t *alone = peaks_of(b.model);
    pthread_t threads[2];
    int others = 0;

    assert_true(json_object_size(alone) > 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, analyze_all, &b), 0);
    for (int i = 0; i < runs || atomic_load(&b.made) < 8; i++) {
        json_t *peaks = peaks_of(b.model);

        others += !json_equal(peaks, alone);
        json_decref(peaks);
    }
    atomic_store(&b.done, true);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    json_decref(alone);
    close_guarded((struct yk_model *)b.model);
    assert_int_equal(others, 0);
}

static void runs_beside_analyses_have_one_result(void **state)
{
    const char *const shorter[] = {"time.end=0.5 s"};
    const int runs = getenv("YOKE_ALL_RUNS") ? ALL_RUNS : RUNS;

    check_beside("spring-specimen/spring-specimen.yaml", shorter, 1, runs);
    check_beside("efc-split-mass/efc-split-mass.yaml", shorter, 1, runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_to_the_model_is_caught),
        cmocka_unit_test(models_of_all_tests_are_guarded),
        cmocka_unit_test(nothing_writes_to_the_model_of_an_example),
        cmocka_unit_test(runs_beside_analyses_have_one_result),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
