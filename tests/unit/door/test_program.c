/* The interface for programs: sources, components of the program, sessions with all streams, snapshots, forces,
 * recordings in memory, analyses as JSON. */
#include "support/check.h"
#include "support/random.h"
#include "support/scratch.h"
#include "support/small_frame.h"

#include <yoke/plugin.h>
#include <yoke/yoke.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char oscillator[] =
    "title: one mass\n"
    "time: { step: 1 ms, end: 1 s }\n"
    "method: { integrator: lsrt2 }\n"
    "substructures:\n"
    "  a: { kind: assembled, nodes: { n: { mass: 2 kg } }, initial: { velocity: { n.x: 1 m/s } },\n"
    "       elements: [ { kind: plugin, library: ours, between: [ground, n.x] } ] }\n";

/* A spring of the program's own, f = 800 N/m d, for the library a nonlinear law. */
static double spring(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    return 800 * d;
}

static void spring_tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                           double *c)
{
    *k = 800;
    *c = 0;
}

static const struct yk_law_ops law = {
    .name = "ours", .summary = "f = 800 d", .reference = "", .force = spring, .tangent = spring_tangent};
static const struct yk_plugin plugin = {.abi = YK_PLUGIN_ABI, .law = &law};
static const struct yk_component ours = {"ours", &plugin};

static struct yk_model_source from_text(const char *text)
{
    return (struct yk_model_source){.path = "text.yaml", .text = text, .size = strlen(text)};
}

static struct yk_model *specimen(void)
{
    const char *const set[] = {"time.end=2 s"};
    struct yk_model *model;

    assert_ok(yk_model_open(&model, YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml", set, 1, &err));
    return model;
}

static struct yk_session *begin(const struct yk_model *model)
{
    struct yk_session *session;

    assert_ok(yk_session_begin(&session, model, &(struct yk_session_settings){.keep_rows = true}, &err));
    return session;
}

/* ---- sources ---- */

static void a_component_of_the_program_is_found_by_its_name(void **state)
{
    struct yk_model_source source = from_text(oscillator);
    struct yk_model *model, *longer;
    struct yk_session *session;
    double most = 0;

    assert_refused(yk_model_read(&model, &source, &err), YK_E_INPUT, "cannot load the plugin");
    source.components = &ours;
    source.component_count = 1;
    assert_ok(yk_model_read(&model, &source, &err));
    assert_ok(yk_session_open(&session, model, &err));
    const long at = yk_session_channel_find(session, "a.n.x.u");
    while (!yk_session_is_finished(session)) {
        assert_ok(yk_session_step(session, &err));
        most = fmax(most, yk_session_row(session)[at]);
    }
    assert_near(most, 0.05, 1e-5); /* v sqrt(m/k) */
    yk_session_close(session);
    assert_ok(yk_model_vary(&longer, model, (const char *const[]){"time.end=2 s"}, 1, &err)); /* has it, too */
    assert_int_equal(yk_model_steps(longer), 2000);
    yk_model_close(longer);
    yk_model_close(model);
}

static void a_table_without_its_functions_is_refused(void **state)
{
    static const struct yk_law_ops half = {.name = "half", .summary = "", .reference = "", .force = spring};
    const struct yk_component component = {"ours", &(struct yk_plugin){.abi = YK_PLUGIN_ABI, .law = &half}};
    struct yk_model_source source = from_text(oscillator);
    struct yk_model *model;

    source.components = &component;
    source.component_count = 1;
    assert_refused(yk_model_read(&model, &source, &err), YK_E_INPUT, "without 'tangent'");
}

/* ---- components that belong to an object of the program ---- */

struct scaled { /* private struct of the law below */
    const double *user;
    double factor;
};

static double scaled_force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct scaled *s = settings;

    return *s->user * s->factor * d;
}

static void scaled_tangent(const void *settings, const double *committed, double d, double w, double h, double *k,
                           double *c)
{
    const struct scaled *s = settings;

    *k = *s->user * s->factor;
    *c = 0;
}

static const struct yk_param scaled_params[] = {
    YK_REAL(struct scaled, factor, YK_NUMBER, 1, 0, 10, "on the stiffness of the object"),
    YK_PARAM_END,
};

static struct yk_law_ops law_of(double *stiffness)
{
    return (struct yk_law_ops){.name = "scaled",
                               .summary = "f = k d",
                               .reference = "",
                               .params = scaled_params,
                               .settings_size = sizeof(struct scaled),
                               .force = scaled_force,
                               .tangent = scaled_tangent,
                               .user = stiffness};
}

/* Two springs of one table, each with its object: the frequency is that of both together. */
static void the_functions_of_a_table_find_the_object_of_the_program(void **state)
{
    static const char two[] = "title: one mass on two springs\n"
                              "time: { step: 1 ms, end: 1 s }\n"
                              "method: { integrator: lsrt2 }\n"
                              "substructures:\n"
                              "  a: { kind: assembled, nodes: { n: { mass: 2 kg } },\n"
                              "       initial: { velocity: { n.x: 1 m/s } }, elements: [\n"
                              "         { kind: plugin, library: soft, between: [ground, n.x] },\n"
                              "         { kind: plugin, library: hard, factor: 2, between: [ground, n.x] } ] }\n";
    double soft = 200, hard = 300, most = 0;
    const struct yk_law_ops laws[] = {law_of(&soft), law_of(&hard)};
    const struct yk_plugin plugins[] = {{.abi = YK_PLUGIN_ABI, .law = &laws[0]},
                                        {.abi = YK_PLUGIN_ABI, .law = &laws[1]}};
    const struct yk_component components[] = {{"soft", &plugins[0]}, {"hard", &plugins[1]}};
    struct yk_model_source source = from_text(two);
    struct yk_model *model;
    struct yk_session *session;

    source.components = components;
    source.component_count = 2;
    assert_ok(yk_model_read(&model, &source, &err));
    assert_ok(yk_session_open(&session, model, &err));
    const long at = yk_session_channel_find(session, "a.n.x.u");
    while (!yk_session_is_finished(session)) {
        assert_ok(yk_session_step(session, &err));
        most = fmax(most, yk_session_row(session)[at]);
    }
    assert_near(most, 0.05, 1e-5); /* v sqrt(m/k), k = 200 + 2 * 300 */
    yk_session_close(session);
    yk_model_close(model);
}

static void an_object_needs_the_first_place_of_the_private_struct(void **state)
{
    static const struct yk_param first[] = {
        {.name = "factor", .type = YK_PARAM_REAL, .offset = 0, .fallback = 1, .max = 1}, YK_PARAM_END};
    double stiffness = 1;
    struct yk_law_ops own = law_of(&stiffness);
    const struct yk_plugin with_user = {.abi = YK_PLUGIN_ABI, .law = &own};

    assert_ok(yk_plugin_check("ours", &with_user, &err));
    own.params = first;
    assert_refused(yk_plugin_check("ours", &with_user, &err), YK_E_INPUT,
                   "setting 'factor' of 'scaled' lies where `user` is stored");
    own.params = NULL;
    own.settings_size = 1;
    assert_refused(yk_plugin_check("ours", &with_user, &err), YK_E_INPUT, "has no room for it");
    own.user = NULL;
    assert_ok(yk_plugin_check("ours", &with_user, &err));
}

/* The second table of a coupling is for lists and studies: the same method without it makes the same steps. */
static void a_coupling_without_evidence_runs(void **state)
{
    struct yk_coupling_ops bare = *yk_coupling_find("gc");
    const struct yk_plugin plugins = {.abi = YK_PLUGIN_ABI, .coupling = &bare};
    const struct yk_component component = {"bare", &plugins};
    struct yk_model_source source = {.path = YOKE_SOURCE "/examples/split-mass/split-mass.yaml"};
    double last[2];

    bare.name = "bare";
    bare.evidence = NULL;
    assert_true(yk_coupling_order(&bare, false) == 0 && yk_coupling_order(&bare, true) == 0);
    source.components = &component;
    source.component_count = 1;
    for (int k = 0; k < 2; k++) {
        const char *const set[] = {"time.end=1 s",
                                   k ? "method={coupling: plugin, library: bare}" : "method={coupling: gc}"};
        struct yk_session *session;
        struct yk_model *model;

        source.overrides = set;
        source.override_count = 2;
        assert_ok(yk_model_read(&model, &source, &err));
        assert_ok(yk_session_open(&session, model, &err));
        while (!yk_session_is_finished(session))
            assert_ok(yk_session_step(session, &err));
        last[k] = yk_session_row(session)[1];
        yk_session_close(session);
        yk_model_close(model);
    }
    assert_true(last[0] != 0 && memcmp(&last[0], &last[1], sizeof last[0]) == 0);
}

static void a_plan_describes_itself(void **state)
{
    struct yk_model *model = specimen();
    char *text = yk_model_describe(model);
    json_t *about = json_loads(text, 0, NULL);
    double k[1];

    assert_non_null(about);
    assert_string_equal(json_string_value(json_object_get(about, "title")), yk_model_title(model));
    assert_true(json_is_true(json_object_get(about, "simulates")));
    assert_int_equal(json_array_size(json_object_get(about, "actuators")), 1);
    assert_true(json_array_size(json_object_get(json_object_get(about, "channels"), "ticks")) > 1);
    assert_ok(yk_model_matrix(model, 0, 'M', k, &err));
    assert_true(k[0] > 0);
    assert_refused(yk_model_matrix(model, 9, 'M', k, &err), YK_E_INPUT, "no matrix");
    json_decref(about);
    yk_free(text);
    yk_model_close(model);
}

/* ---- sessions ---- */

/* All three streams, the ramps of the actuators at both ends among them. */
static void a_session_keeps_the_rows_of_every_stream(void **state)
{
    static const char *const names[] = {"system", "fine", "ticks"};
    struct yk_model *model = specimen();
    const char *path = scratch_path("whole.h5");
    struct yk_record *whole;
    struct yk_session *session;
    long made;

    assert_ok(yk_model_run(model, path, NULL, &err));
    assert_ok(yk_record_read(&whole, path, &err));
    assert_true(yk_record_is_finished(whole));
    session = begin(model);
    assert_ok(yk_session_advance(session, 3, 0, &made, &err));
    assert_int_equal(made, 3);
    assert_ok(yk_session_advance(session, 1000000, 0, &made, &err));
    assert_int_equal(made, yk_model_steps(model) - 3);
    assert_ok(yk_session_end(session, &err));
    assert_string_equal(yk_session_state(session), "done");
    for (int k = 0; k < 3; k++) {
        const struct yk_kept_rows kept = yk_session_rows(session, names[k]), want = yk_record_rows(whole, names[k]);

        assert_int_equal(kept.count, want.count);
        assert_int_equal(kept.channels, want.channels);
        if (kept.count)
            assert_memory_equal(kept.rows, want.rows, kept.count * kept.channels * sizeof(double));
    }
    assert_null(yk_session_rows(session, "other").rows);
    yk_session_close(session);
    yk_record_close(whole);
    yk_model_close(model);
}

static void patterns_choose_what_is_kept(void **state)
{
    const char *const patterns[] = {"*.u"};
    struct yk_model *model = specimen();
    struct yk_session *session;

    assert_ok(yk_session_begin(
        &session, model, &(struct yk_session_settings){.keep_rows = true, .keep = patterns, .keep_count = 1}, &err));
    const struct yk_kept_rows rows = yk_session_rows(session, "system");
    assert_int_equal(strncmp(rows.names, "time\n", 5), 0);
    assert_null(strstr(rows.names, ".v"));
    assert_int_equal(yk_session_rows(session, "ticks").channels, 0);
    yk_session_close(session);
    yk_model_close(model);
}

/* The memory of members goes into another session through the bytes. */
static void so_do_members_that_yield(void **state)
{
    static const char frame[] = SMALL_FRAME("2 ms");
    const struct yk_model_source source = from_text(frame);
    struct yk_model *model;
    void *bytes;
    size_t size;
    long made;

    assert_ok(yk_model_read(&model, &source, &err));
    struct yk_session *a = begin(model), *b = begin(model);
    const size_t width = yk_session_channel_count(a) * sizeof(double);

    assert_ok(yk_session_advance(a, 80, 0, &made, &err));
    assert_ok(yk_session_save(a, &bytes, &size, &err));
    assert_ok(yk_session_restore(b, bytes, size, &err));
    assert_ok(yk_session_advance(a, 80, 0, &made, &err));
    assert_ok(yk_session_advance(b, 80, 0, &made, &err));
    assert_memory_equal(yk_session_row(a), yk_session_row(b), width);
    yk_free(bytes);
    yk_session_close(a);
    yk_session_close(b);
    yk_model_close(model);
}

/* ---- states of strangers ---- */

/* A state made by a stranger: everything in it is as in an own one, and its sum is one that anybody can make. */
static void a_state_of_a_stranger_is_refused(void **state)
{
    const char *wanted = getenv("YOKE_MUTANTS");
    const int count = wanted && strcmp(wanted, "all") == 0 ? 5000 : 500;
    struct yk_model *model = specimen();
    struct yk_session *a = begin(model), *b = begin(model);
    uint64_t *words, seed = 26;
    size_t size;
    void *bytes;
    long made;

    assert_ok(yk_session_advance(a, 20, 0, &made, &err));
    assert_ok(yk_session_save(a, &bytes, &size, &err));
    const size_t word_count = size / sizeof *words;
    assert_non_null(words = malloc(size));
    for (int i = 0; i < count; i++) {
        /* single words: heads and numbers, small and large, pointers among them */
        const size_t at = random_below(&seed, word_count);
        static const uint64_t values[] = {0, 1, 8, 1u << 20, UINT64_MAX, UINT64_C(1) << 47};

        memcpy(words, bytes, size);
        words[at] = i % 3 ? words[at] + values[random_below(&seed, 6)] : random_bits(&seed);
        if (memcmp(words, bytes, size) != 0)
            assert_refused(
                yk_session_restore(b, words, size - (i % 5 == 0 ? 8 * random_below(&seed, word_count) : 0), &err),
                YK_E_INPUT, "the saved state");
    }
    assert_ok(yk_session_restore(b, bytes, size, &err)); /* nothing of them has stayed */
    free(words);
    yk_free(bytes);
    yk_session_close(a);
    yk_session_close(b);
    yk_model_close(model);
}

/* This program, called to continue the state in a file: 0 continued, 2 refused as of another user. */
static int continue_state(const char *path)
{
    struct yk_model *model = specimen();
    struct yk_session *b = begin(model);
    FILE *in = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    const size_t size = in && bytes ? fread(bytes, 1, 1 << 20, in) : 0;
    struct yk_err why = {0};
    const enum yk_status st = yk_session_restore(b, bytes, size, &why);

    if (in)
        fclose(in);
    free(bytes);
    yk_session_close(b);
    yk_model_close(model);
    return !st ? 0 : strstr(why.wording, "by another user") ? 2 : 3;
}

/* The exit code of that, in another process with this folder for its key. */
static int continue_with(const char *folder)
{
    char command[2000], program[700] = "";

    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0);
    snprintf(command, sizeof command, "XDG_STATE_HOME='%s' '%s' continue '%s'", folder, program, scratch_path("state"));
    return WEXITSTATUS(system(command));
}

static void a_state_holds_for_processes_of_the_same_user(void **state)
{
    char another[700];
    struct yk_model *model = specimen();
    struct yk_session *a = begin(model);
    size_t size;
    void *bytes;
    long made;
    FILE *out;

    snprintf(another, sizeof another, "%s", scratch_path("another"));
    assert_int_equal(mkdir(another, 0700), 0);
    assert_ok(yk_session_advance(a, 20, 0, &made, &err));
    assert_ok(yk_session_save(a, &bytes, &size, &err));
    assert_non_null(out = fopen(scratch_path("state"), "wb"));
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(out);
    assert_int_equal(continue_with(getenv("XDG_STATE_HOME")), 0);
    assert_int_equal(continue_with(another), 2);
    yk_free(bytes);
    yk_session_close(a);
    yk_model_close(model);
}

static void a_saved_state_continues_with_the_same_bits(void **state)
{
    struct yk_model *model = specimen();
    struct yk_session *a = begin(model), *b, *c = begin(model);
    const size_t width = yk_session_channel_count(a) * sizeof(double);
    double *want = malloc(width);
    void *bytes;
    size_t size;
    long made;

    assert_ok(yk_session_push(a, 0, 0, 50, &err));
    assert_ok(yk_session_advance(a, 20, 0, &made, &err));
    assert_ok(yk_session_save(a, &bytes, &size, &err));
    assert_ok(yk_session_copy(&b, a, &err));
    assert_ok(yk_session_advance(a, 20, 0, &made, &err));
    memcpy(want, yk_session_row(a), width);
    assert_ok(yk_session_restore(a, bytes, size, &err));
    assert_int_equal(yk_session_steps(a), 20);
    assert_int_equal(yk_session_rows(a, "system").count, 21);
    assert_ok(yk_session_restore(c, bytes, size, &err));
    for (struct yk_session *const *s = (struct yk_session *[]){a, b, c, NULL}; *s; s++) {
        assert_ok(yk_session_advance(*s, 20, 0, &made, &err));
        assert_memory_equal(yk_session_row(*s), want, width);
    }
    assert_refused(yk_session_restore(a, bytes, size - 8, &err), YK_E_INPUT, "incomplete");
    assert_refused(yk_session_restore(a, want, 8, &err), YK_E_INPUT, "incomplete");
    for (size_t i = 0; i < size; i++) { /* every damaged bit is noticed */
        ((unsigned char *)bytes)[i] ^= (unsigned char)(1 << i % 8);
        assert_refused(yk_session_restore(a, bytes, size, &err), YK_E_INPUT, "");
        ((unsigned char *)bytes)[i] ^= (unsigned char)(1 << i % 8);
    }
    ((unsigned char *)bytes)[size - 1] ^= 1;
    assert_refused(yk_session_restore(a, bytes, size, &err), YK_E_INPUT, "check sum is wrong");
    ((unsigned char *)bytes)[8] ^= 1;
    assert_refused(yk_session_restore(a, bytes, size, &err), YK_E_INPUT, "not one of this experiment");
    yk_free(bytes);
    free(want);
    yk_session_close(a);
    yk_session_close(b);
    yk_session_close(c);
    yk_model_close(model);
}

static void a_constant_force_gives_the_static_deflection(void **state)
{
    static const char damped[] =
        "time: { step: 5 ms, end: 5 s }\n"
        "method: { integrator: newmark }\n"
        "substructures: { a: { dofs: [x], mass: [2], damping: [[40]], stiffness: [[800]] } }\n";
    const struct yk_model_source source = from_text(damped);
    struct yk_model *model;
    struct yk_session *session;
    long made;

    assert_ok(yk_model_read(&model, &source, &err));
    session = begin(model);
    const double *u = yk_session_motion(session, 0, 'u');
    assert_ok(yk_session_push(session, 0, 0, 80, &err));
    assert_refused(yk_session_push(session, 0, 0, NAN, &err), YK_E_RANGE, "finite");
    assert_refused(yk_session_push(session, 0, 1, 1, &err), YK_E_INPUT, "degree of freedom");
    assert_ok(yk_session_advance(session, 1000, 0, &made, &err));
    assert_near(*u, 0.1, 1e-9); /* f/k */
    const double *row = yk_session_row(session);
    assert_near(row[yk_session_channel_find(session, "energy.work")], 8, 0.05); /* f u, from the second step on */
    assert_null(yk_session_motion(session, 0, 'x'));
    yk_session_close(session);
    yk_model_close(model);
}

static void a_session_pauses_and_stops_on_request(void **state)
{
    struct yk_model *model = specimen();
    struct yk_session *session = begin(model);
    long made;

    assert_ok(yk_session_request(session, "pause", &err));
    assert_ok(yk_session_advance(session, 5, 0, &made, &err));
    assert_int_equal(made, 0);
    assert_string_equal(yk_session_state(session), "paused");
    assert_ok(yk_session_request(session, "resume", &err));
    assert_ok(yk_session_advance(session, 5, 0, &made, &err));
    assert_int_equal(made, 5);
    assert_refused(yk_session_request(session, "dance", &err), YK_E_INPUT, "not one of");
    assert_ok(yk_session_request(session, "abort", &err));
    assert_refused(yk_session_advance(session, 100, 0, &made, &err), YK_E_STOPPED, "stopped by request");
    assert_ok(yk_session_end(session, &err));
    yk_session_close(session);
    yk_model_close(model);
}

static void a_limit_may_change_during_a_run(void **state)
{
    struct yk_model *model = specimen();
    struct yk_session *session = begin(model);
    long made;

    assert_ok(yk_session_advance(session, 20, 0, &made, &err));
    assert_refused(yk_session_set(session, "time.step", 1, &err), YK_E_UNSUPPORTED, "cannot change");
    assert_refused(yk_session_set(session, "limits.actuators.a9.force", 1, &err), YK_E_UNSUPPORTED, "cannot change");
    assert_refused(yk_session_set(session, "limits.force", -1, &err), YK_E_RANGE, "not a limit");
    assert_ok(yk_session_set(session, "limits.actuators.a1.force", 1e-6, &err));
    assert_refused(yk_session_advance(session, 1000, 0, &made, &err), YK_E_STOPPED, "of a1");
    yk_session_close(session);
    yk_model_close(model);
}

/* ---- recordings ---- */

static void a_recording_is_written_and_read_again(void **state)
{
    struct yk_model *model = specimen();
    struct yk_session *session = begin(model);
    const char *path = scratch_path("program.h5");
    struct yk_record *record;
    long made;

    assert_ok(yk_session_advance(session, 50, 0, &made, &err));
    struct yk_record_content content = {.title = "by a program",
                                        .experiment = "",
                                        .experiment_path = "",
                                        .overrides = "",
                                        .method = "",
                                        .description = "",
                                        .summary = "{}",
                                        .streams = {yk_session_rows(session, "system"),
                                                    yk_session_rows(session, "fine"),
                                                    yk_session_rows(session, "ticks")}};
    assert_ok(yk_record_write(path, &content, &err));
    assert_ok(yk_record_read(&record, path, &err));
    assert_string_equal(yk_record_text(record, "title"), "by a program");
    assert_false(yk_record_is_finished(record));
    for (int k = 0; k < 3; k++) {
        static const char *const names[] = {"system", "fine", "ticks"};
        const struct yk_kept_rows got = yk_record_rows(record, names[k]), *want = &content.streams[k];

        assert_int_equal(got.count, want->count);
        if (want->count) {
            assert_string_equal(got.names, want->names);
            assert_memory_equal(got.rows, want->rows, got.count * got.channels * sizeof(double));
        }
    }
    yk_record_close(record);
    assert_int_not_equal(yk_record_read(&record, "/no/such/file", NULL), YK_OK);
    assert_null(record);
    yk_session_close(session);
    yk_model_close(model);
}

/* ---- answers ---- */

static void analyses_are_found_by_name(void **state)
{
    struct yk_model *model = specimen();
    char *text;

    assert_ok(yk_model_analyze(model, "energy", "{\"samples\": 3}", &text, &err));
    json_t *found = json_loads(text, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(found, "samples")), 3);
    json_decref(found);
    yk_free(text);
    assert_refused(yk_model_analyze(model, "tea leaves", NULL, &text, &err), YK_E_INPUT, "no analysis");
    assert_refused(yk_model_analyze(model, "order", "{\"colour\": 2}", &text, &err), YK_E_INPUT, "no option");
    assert_refused(yk_model_analyze(model, "order", "[]", &text, &err), YK_E_INPUT, "JSON object");
    assert_refused(yk_model_analyze(model, "order", "{\"halvings\": -2}", &text, &err), YK_E_RANGE, "halvings");
    assert_refused(yk_model_analyze(model, "spectrum", "{\"steps\": [0.1, -1]}", &text, &err), YK_E_RANGE, "steps");
    assert_refused(yk_model_analyze(model, "frf", "{\"actuator\": \"a9\"}", &text, &err), YK_E_INPUT, "a9");
    assert_null(text);
    yk_model_close(model);
}

static void values_lists_and_delays(void **state)
{
    enum { N = 2000 };
    double si, found[3], x[N], y[N];
    char *text;

    assert_ok(yk_si("5 ms", "time", &si, &err));
    assert_near(si, 0.005, 1e-18);
    assert_ok(yk_si("3 kN/m", NULL, &si, &err));
    assert_near(si, 3000, 0);
    assert_refused(yk_si("5 ms", "force", &si, &err), YK_E_UNIT, "is a time");
    assert_refused(yk_si("5 ms", "taste", &si, &err), YK_E_INPUT, "no dimension");
    assert_ok(yk_list("laws", &text, &err));
    assert_non_null(strstr(text, "bouc-wen"));
    yk_free(text);
    assert_refused(yk_list("potatoes", &text, &err), YK_E_INPUT, "no family");
    for (int i = 0; i < N; i++) {
        x[i] = sin(6e-3 * i);
        y[i] = 0.9 * sin(6e-3 * (i - 13));
    }
    assert_ok(yk_delay_between(N, 1e-3, x, y, 0, found, &err));
    assert_near(found[0], 0.013, 5e-5);
    assert_near(found[1], 0.9, 1e-3);
    assert_refused(yk_delay_between(2, 1e-3, x, y, 0, found, &err), YK_E_RANGE, "samples");
}

/* ---- changes of a state ---- */

static void changes_of_a_state_hold_in_another_block(void **state)
{
    struct piece {
        struct piece *to;
        double number;
        const void *outside, *none;
        uint64_t random;
    };
    struct yk_arena mem = {0};
    struct piece *a = yk_arena_take(&mem, sizeof *a), *b = yk_arena_take(&mem, sizeof *b);
    struct yk_layout *image;
    uint64_t changes[16];

    yk_arena_pointers(&mem, &a->to, &a->outside, &a->none);
    a->to = b;
    a->outside = &mem;
    a->random = 0x9e3779b97f4a7c15;
    assert_ok(yk_layout_make(&image, &mem, &err));
    struct piece *block = aligned_alloc(64, yk_layout_size(image)), *other = aligned_alloc(64, yk_layout_size(image));
    yk_layout_write(image, block);
    struct piece *own = yk_layout_at(image, block, a);
    assert_int_equal(yk_layout_changes(image, block, NULL), 0);
    own->to = own;
    own->number = 3.5;
    own->random = (uint64_t)1 << 45; /* as an address might be */
    assert_int_equal(yk_layout_changes(image, block, changes), 6);
    assert_true(yk_layout_apply(image, other, changes, 6));
    const struct piece *got = yk_layout_at(image, other, a);
    assert_ptr_equal(got->to, got);
    assert_near(got->number, 3.5, 0);
    assert_true(got->random == own->random);
    assert_ptr_equal(got->outside, &mem);
    own->outside = image; /* no other process could follow it */
    assert_true(yk_layout_changes(image, block, NULL) == SIZE_MAX);
    own->outside = &mem;
    own->none = image;
    assert_true(yk_layout_changes(image, block, NULL) == SIZE_MAX);
    changes[0] = UINT64_MAX;
    assert_false(yk_layout_apply(image, other, changes, 6));
    free(block);
    free(other);
    yk_layout_destroy(image);
    yk_arena_free(&mem);
}

/* ---- a plugin whose state points to itself ---- */

/* A session goes on while its copy and a restored one stand; each of them then makes the same steps as one that nobody
 * copied. */
static void states_of_a_plugin_with_pointers_go_their_own_ways(void **state)
{
    static const char text[] = "time: { step: 10 ms, end: 1 s }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
                               "  p: { kind: plugin, library: " YOKE_BINARY "/tests/plugins/pointing_kind.so, "
                               "stiffness: 100, damping: 0.5, initial: { displacement: { x: 1, y: 2 } } }\n";
    const struct yk_model_source source = {.path = "pointing.yaml", .text = text, .size = strlen(text)};
    struct yk_model *model;
    struct yk_session *alone, *a, *b;
    void *bytes;
    size_t size;
    long made;

    assert_ok(yk_model_read(&model, &source, &err));
    assert_ok(yk_session_open(&alone, model, &err));
    assert_ok(yk_session_advance(alone, 100, 0, &made, &err));
    const size_t row = yk_session_channel_count(alone) * sizeof(double);
    assert_ok(yk_session_open(&a, model, &err));
    assert_ok(yk_session_advance(a, 31, 0, &made, &err)); /* odd: the pointers are exchanged */
    assert_ok(yk_session_copy(&b, a, &err));
    assert_ok(yk_session_save(a, &bytes, &size, &err));
    assert_ok(yk_session_advance(a, 69, 0, &made, &err));
    assert_memory_equal(yk_session_row(a), yk_session_row(alone), row);
    assert_ok(yk_session_advance(b, 69, 0, &made, &err));
    assert_memory_equal(yk_session_row(b), yk_session_row(alone), row);
    yk_session_close(b);
    assert_ok(yk_session_open(&b, model, &err));
    assert_ok(yk_session_restore(b, bytes, size, &err));
    assert_ok(yk_session_advance(b, 69, 0, &made, &err));
    assert_memory_equal(yk_session_row(b), yk_session_row(alone), row);
    yk_free(bytes);
    yk_session_close(a);
    yk_session_close(b);
    yk_session_close(alone);
    yk_model_close(model);
}

/* The key of saved states is not the one of who runs the tests. */
static int set_up(void **state)
{
    return scratch_create(state) || setenv("XDG_STATE_HOME", scratch_path(""), 1);
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "continue") == 0)
        return continue_state(words[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_component_of_the_program_is_found_by_its_name),
        cmocka_unit_test(a_table_without_its_functions_is_refused),
        cmocka_unit_test(the_functions_of_a_table_find_the_object_of_the_program),
        cmocka_unit_test(an_object_needs_the_first_place_of_the_private_struct),
        cmocka_unit_test(a_coupling_without_evidence_runs),
        cmocka_unit_test(a_plan_describes_itself),
        cmocka_unit_test(a_session_keeps_the_rows_of_every_stream),
        cmocka_unit_test(patterns_choose_what_is_kept),
        cmocka_unit_test(a_saved_state_continues_with_the_same_bits),
        cmocka_unit_test(a_state_of_a_stranger_is_refused),
        cmocka_unit_test(a_state_holds_for_processes_of_the_same_user),
        cmocka_unit_test(so_do_members_that_yield),
        cmocka_unit_test(a_constant_force_gives_the_static_deflection),
        cmocka_unit_test(a_session_pauses_and_stops_on_request),
        cmocka_unit_test(a_limit_may_change_during_a_run),
        cmocka_unit_test(a_recording_is_written_and_read_again),
        cmocka_unit_test(analyses_are_found_by_name),
        cmocka_unit_test(values_lists_and_delays),
        cmocka_unit_test(changes_of_a_state_hold_in_another_block),
        cmocka_unit_test(states_of_a_plugin_with_pointers_go_their_own_ways),
    };

    return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
