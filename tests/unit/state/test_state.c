/* One model, any number of states: nothing of the model changes while states of it move, states are alike and apart,
 * and one is saved and restored as a block. */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"
#include "support/small_frame.h"

#include "engine/engine.h"
#include "state/state.h"

#include <glob.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- all examples ---- */

/* A number for everything an arena holds, by the bytes of its pieces. */
static uint64_t sum_of(const struct yk_arena *mem)
{
    struct yk_layout *image;
    uint64_t sum = 1469598103934665603u;

    assert_ok(yk_layout_make(&image, mem, &err));
    const size_t size = yk_layout_size(image);
    unsigned char *block = aligned_alloc(64, size);

    assert_non_null(block);
    yk_layout_write(image, block);
    /* pointers between pieces differ from block to block: let them start from its beginning */
    for (size_t i = 0; i < size; i += sizeof(uintptr_t)) {
        uintptr_t word;

        memcpy(&word, block + i, sizeof word);
        word -= word - (uintptr_t)block < size ? (uintptr_t)block : 0;
        sum = (sum ^ word) * 1099511628211u;
    }
    free(block);
    yk_layout_destroy(image);
    return sum;
}

/* u, v, a of all substructures; returns how many numbers. */
static size_t look(const struct yk_state *m, double *x)
{
    size_t count = 0;

    for (size_t k = 0; k < m->model->substructure_count; k++) {
        const size_t n = m->substructures[k].system->n;

        yk_state_now(m, k, x + count, x + count + n, x + count + 2 * n);
        count += 3 * n;
    }
    return count;
}

static size_t size_of(const struct yk_model *e)
{
    size_t n = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        n += 3 * e->substructures[k].system->n;
    return n;
}

static bool advance(struct yk_state *m, long steps)
{
    while (steps-- > 0)
        if (yk_state_step(m))
            return false;
    return true;
}

/* Two states of the model in turns, one of them twice over the same stretch, against a third that goes by itself. */
static void check_states(const struct yk_model *model, long steps)
{
    struct yk_state alone, a, b;
    const size_t n = size_of(model), bytes = n * sizeof(double);
    double *want = malloc(bytes), *half = malloc(bytes), *got = malloc(bytes);
    void *saved = aligned_alloc(64, yk_state_size(model));

    assert_true(want && half && got && saved);
    assert_ok(yk_model_state(model, &alone, &err));
    assert_int_equal(yk_state_start(&alone), YK_OK);
    assert_true(advance(&alone, steps));
    look(&alone, half);
    assert_true(advance(&alone, steps));
    assert_int_equal(look(&alone, want), n);

    assert_ok(yk_model_state(model, &a, &err));
    assert_ok(yk_model_state(model, &b, &err));
    assert_int_equal(yk_state_start(&a), YK_OK);
    assert_int_equal(yk_state_start(&b), YK_OK);
    for (long k = 0; k < steps; k++)
        assert_true(advance(&a, 1) && advance(&b, 1));
    yk_state_save(&a, saved);
    assert_true(advance(&a, steps));
    look(&a, got);
    assert_memory_equal(got, want, bytes);
    yk_state_restore(&a, saved);
    assert_int_equal(a.step, steps);
    look(&a, got);
    assert_memory_equal(got, half, bytes);
    yk_state_copy(&b, &alone);
    look(&b, got);
    assert_memory_equal(got, want, bytes);
    yk_state_close(&alone); /* a copy needs its original no more */
    assert_true(advance(&a, steps));
    look(&a, got);
    assert_memory_equal(got, want, bytes);
    yk_state_close(&a);
    yk_state_close(&b);
    free(saved);
    free(want);
    free(half);
    free(got);
}

/* A model of the experiment, whose bytes stay as they were while states of it move. */
static void check_plan(struct yk_model *e, const char *name)
{
    struct yk_model *model;

    assert_ok(yk_model_create(&model, e, 0, &err));
    const uint64_t read = sum_of(e->mem), planned = sum_of(yk_model_first(model)->mem);

    check_states(model, e->steps < 100 ? e->steps / 2 : 50);
    if (sum_of(e->mem) != read)
        fail_msg("%s: the experiment has changed", name);
    if (sum_of(yk_model_first(model)->mem) != planned)
        fail_msg("%s: the model has changed", name);
    yk_model_close(model);
    yk_model_close(e);
}

static void states_of_every_example_are_alike_and_the_plan_stays_as_it_was(void **state)
{
    glob_t files;
    int seen = 0;

    assert_int_equal(glob(YOKE_SOURCE "/examples/*/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        struct yk_model *e;

        if (yk_model_rehearse(&e, files.gl_pathv[i], NULL, 0, NULL))
            continue; /* a fragment, or one with a plugin that is not built */
        if (size_of(e) > 3000) {
            yk_model_close(e);
            continue;
        }
        check_plan(e, files.gl_pathv[i]);
        seen++;
    }
    globfree(&files);
    assert_true(seen > 25);
}

/* Members that yield, in one sequence and in four. */
static void so_are_those_of_members_that_yield(void **state)
{
    static const char frame[] = SMALL_FRAME("2 ms");
    static const char *const methods[] = {"method={coupling: gc}", "method={coupling: plsrt2}"};

    for (int i = 0; i < 2; i++)
        check_plan(recorded_parse(frame, &methods[i], 1), methods[i]);
}

/* ---- a thousand runs ---- */

#define LATE_SPECIMEN                                                                                                  \
    "time: {step: 4 ms, substeps: 2, end: 0.1 s, control_rate: 1000 Hz}\n"                                             \
    "method: {coupling: gc}\n"                                                                                         \
    "reference: monolithic\n"                                                                                          \
    "substructures:\n"                                                                                                 \
    "  frame: {kind: assembled, nodes: {n: {dofs: [x], mass: 1000}},\n"                                                \
    "          elements: [{kind: bouc-wen, between: [ground, n.x], kh: 4000, k0: 36000, beta: 9, gamma: 9}]}\n"        \
    "  specimen: {role: physical, rate: fine, dofs: [x], actuators: {x: a1}, estimate: {mass: [100], stiffness: "      \
    "[8000]}}\n"                                                                                                       \
    "interfaces: [{join: [frame.n.x, specimen.x]}]\n"                                                                  \
    "loads: [{on: frame.n.x, kind: sine, amplitude: 400 N, frequency: 2 Hz}]\n"                                        \
    "transfer: {a1: {compensator: {kind: ats, delay: 9 ms}, controller: {kind: imc, filter: 6 ms}}}\n"                 \
    "rig:\n"                                                                                                           \
    "  backend: virtual\n"                                                                                             \
    "  actuators: {a1: {plant: {kind: tt1}, sensors: {displacement_noise: 5 um, force_noise: 2 N}}}\n"                 \
    "  specimen: {dofs: [x], mass: [0], stiffness: [8000]}\n"

enum { RUNS = 1000, THREADS = 2 };

/* The results of a run, as numbers. */
enum { NUMBERS = 8 };
static void run_once(const struct yk_model *model, double *numbers)
{
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_run_control control = {0};
    struct yk_run_result r;
    struct yk_err why = {0};

    if (yk_run(model, &settings, NULL, &control, &r, &why) || !r.finished) {
        numbers[0] = NAN;
        return;
    }
    memcpy(numbers,
           (const double[NUMBERS]){r.error_u, r.error_v, r.error_u_max, r.energy_error, r.peaks[1],
                                   r.tracked[0].indices.nrms, r.tracked[0].indices.peak,
                                   r.tracked[0].compensated.lead_s},
           NUMBERS * sizeof *numbers);
    yk_run_result_free(&r);
}

struct worker {
    const struct yk_model *model;
    double (*numbers)[NUMBERS];
    int first;
};

static void *work(void *arg)
{
    const struct worker *w = arg;

    for (int i = w->first; i < RUNS; i += THREADS)
        run_once(w->model, w->numbers[i]);
    return NULL;
}

static void a_thousand_runs_on_two_threads_are_one_and_the_same(void **state)
{
    static double numbers[RUNS][NUMBERS], alone[NUMBERS];
    struct yk_model *model = recorded_parse(LATE_SPECIMEN, NULL, 0);
    struct worker workers[THREADS];
    pthread_t threads[THREADS];

    assert_ok(yk_model_complete(model, &err));
    run_once(model, alone);
    assert_true(alone[0] > 0 && alone[5] > 0 && alone[4] > 1e-4);
    const size_t before = mallinfo2().uordblks;

    for (int k = 0; k < THREADS; k++) {
        workers[k] = (struct worker){model, numbers, k};
        assert_int_equal(pthread_create(&threads[k], NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    for (int i = 0; i < RUNS; i++)
        assert_memory_equal(numbers[i], alone, sizeof alone);
    /* what the C library keeps of two threads is far below the state of one run */
    assert_true(mallinfo2().uordblks < before + 65536);
    yk_model_close(model);
}

/* ---- step by step ---- */

/* The rows of a session are those of a recorded run, to the last bit. */
static void a_session_shows_the_rows_of_a_run(void **state)
{
    const struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *model = recorded_parse(LATE_SPECIMEN, NULL, 0);
    struct yk_session *session;
    struct recorded r;

    recorded_run(&r, model, &settings, NULL);
    assert_int_equal(r.result.status, YK_OK);
    assert_ok(yk_model_complete(model, &err));
    assert_ok(yk_session_open(&session, model, &err));
    assert_int_equal(yk_session_channel_count(session), r.width[0]);
    assert_int_equal(yk_session_channel_find(session, "time"), 0);
    assert_string_equal(yk_session_channel_unit(session, 1), "m");
    for (size_t i = 0; i < r.count[0]; i++) {
        assert_memory_equal(yk_session_row(session), r.rows[0] + i * r.width[0], r.width[0] * sizeof(double));
        if (!yk_session_is_finished(session))
            assert_ok(yk_session_step(session, &err));
    }
    assert_true(yk_session_is_finished(session));
    yk_session_close(session);
    yk_model_close(model);
    recorded_free(&r);
}

/* A limit ends it with the words of a run. */
static void a_session_ends_at_a_trip(void **state)
{
    const char *const set[] = {"limits={displacement: 1 mm}"};
    struct yk_model *model = recorded_parse(LATE_SPECIMEN, set, 1);
    struct yk_session *session;
    struct yk_err why = {0};
    char *summary;

    assert_ok(yk_model_complete(model, &err));
    assert_refused(yk_model_run(model, NULL, &summary, &err), YK_E_STOPPED, "of a1");
    assert_non_null(summary);
    free(summary);
    assert_ok(yk_session_open(&session, model, &err));
    while (!yk_session_is_finished(session) && !yk_session_step(session, &why))
        continue;
    assert_int_equal(why.status, YK_E_STOPPED);
    assert_non_null(strstr(why.wording, "of a1"));
    yk_session_close(session);
    yk_model_close(model);
}

/* ---- variants ---- */

/* Each of a hundred settings counts in a variant, too. */
static void a_variant_keeps_every_setting(void **state)
{
    enum { SETTINGS = 100 };
    char texts[SETTINGS][64];
    const char *set[SETTINGS];
    struct yk_model *e, *models;

    for (int i = 0; i < SETTINGS; i++) {
        snprintf(texts[i], sizeof texts[i], "loads.0.amplitude=%d N", 100 + i);
        set[i] = texts[i];
    }
    e = recorded_parse(LATE_SPECIMEN, set, SETTINGS);
    assert_ok(yk_model_with_players(e, YK_PLAYED_BY_MODELS, &models, &err));
    assert_null(models->station);
    double f[2][1];
    yk_model_load_at(e, 0, 0.125, f[0]);
    yk_model_load_at(models, 0, 0.125, f[1]);
    assert_near(f[0][0], 199, 1e-9);
    assert_near(f[1][0], f[0][0], 0);
    yk_model_close(models);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_every_example_are_alike_and_the_plan_stays_as_it_was),
        cmocka_unit_test(so_are_those_of_members_that_yield),
        cmocka_unit_test(a_thousand_runs_on_two_threads_are_one_and_the_same),
        cmocka_unit_test(a_session_shows_the_rows_of_a_run),
        cmocka_unit_test(a_session_ends_at_a_trip),
        cmocka_unit_test(a_variant_keeps_every_setting),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
