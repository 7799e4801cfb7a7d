/* The dashboard: pages and actions of its viewers, runs and servers that are killed; none of it changes a run. */
#include "support/dashboard.h"
#include "support/patience.h"
#include "support/scratch.h"

#include "record/record.h"

#include <glob.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what a viewer sees and does ---- */

static void say_and_await(struct web_socket *w, const char *message, const char *words)
{
    char *heard;

    assert_true(web_say(w, message));
    heard = web_await(w, words, 10);
    if (!heard)
        fail_msg("%s: %s was not heard", message, words);
    free(heard);
}

static void a_viewer_commands_a_console_and_its_stop_overtakes(void **state)
{
    struct program p;
    struct web_socket w;
    int to;

    dash_name_run();
    strcat(dash.run_name, "-rig");
    program_start_piped(
        &p, (const char *const[]){YOKE_PROGRAM, "rig", dash.run_file, "--priority", "0", "--set", PATIENT, NULL}, &to);
    dash_watch_run(&w);
    say_and_await(&w, "{\"console\": {\"request\": 1, \"line\": \"move a1 1 mm\"}}",
                  "refused: the drives are disabled");
    say_and_await(&w, "{\"console\": {\"request\": 2, \"line\": \"enable; wait 0.1 s\"}}",
                  "\"ok: waited 0.1 s\"],\"code\":0");
    say_and_await(&w, "{\"console\": {\"request\": 3, \"line\": \"move a1 150 mm\"}}", "> move a1 150 mm");
    say_and_await(&w, "{\"console\": {\"request\": 4, \"line\": \"home\"}}", "busy: an order of another page");
    say_and_await(&w, "{\"console\": {\"request\": 5, \"line\": \"stop\"}}", "stopped: the actuators are held");
    say_and_await(&w, "{\"console\": {\"request\": 6, \"line\": \"a\\u001b[2J\"}}",
                  "must not contain control characters");
    say_and_await(&w, "{\"console\": {\"request\": 7}}", "line must be a text of 1 .. 1000 bytes");
    say_and_await(&w, "{\"control\": {\"word\": \"abort\", \"confirm\": true}}", "the run has ended");
    say_and_await(&w, "{\"console\": {\"request\": 8, \"line\": \"status\"}}", "refused: the run has ended");
    web_close(&w);
    close(to);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
}

static void a_viewer_sees_rows_and_leads_the_run(void **state)
{
    struct program p;
    struct web_socket w;
    char *heard;
    size_t size;
    int opcode, frames = 0;

    dash_start_run(&p, "time.end=60 s");
    dash_watch_run(&w);
    assert_true(web_say(&w, "{\"subscribe\": {\"channels\": [1, 2], \"window_s\": 10, \"points\": 1000}}"));
    while (frames < 20 && (heard = web_hear(&w, &opcode, &size, 5))) {
        frames += opcode == 2 && memcmp(heard, "YKF1", 4) == 0;
        free(heard);
    }
    assert_int_equal(frames, 20);
    assert_true(web_say(&w, "{\"control\": {\"word\": \"pause\", \"confirm\": true}}"));
    heard = web_await(&w, "\"state\":\"paused\"", 30);
    assert_non_null(heard);
    free(heard);
    assert_true(web_say(&w, "{\"control\": {\"word\": \"resume\", \"confirm\": true}}"));
    heard = web_await(&w, "\"state\":\"running\"", 30);
    assert_non_null(heard);
    free(heard);
    web_close(&w); /* a reload: a new connection has what was before */
    dash_watch_run(&w);
    heard = web_await(&w, "pause, from the dashboard", 30);
    assert_non_null(heard);
    free(heard);
    assert_true(web_say(&w, "{\"control\": {\"word\": \"abort\", \"confirm\": true}}"));
    heard = web_await(&w, "the run has ended", 30);
    assert_non_null(heard);
    free(heard);
    web_close(&w);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
}

/* ---- nothing of it changes a run ---- */

struct table {
    double *values;
    size_t count;
};

static struct table read_table(const char *stream)
{
    struct yk_recording *r;
    struct table t = {0};
    char path[700];
    int s;

    snprintf(path, sizeof path, "%s/run.h5", dash.folder);
    assert_ok(yk_recording_open(&r, path, &err));
    s = yk_recording_stream(r, stream);
    assert_true(s >= 0);
    t.count = yk_recording_rows(r, s) * yk_recording_channels(r, s);
    assert_non_null(t.values = malloc(t.count * sizeof *t.values));
    assert_ok(yk_recording_read(r, s, 0, yk_recording_rows(r, s), t.values, &err));
    yk_recording_close(r);
    return t;
}

static void assert_nothing_dropped(void)
{
    char path[700];
    json_t *summary;

    snprintf(path, sizeof path, "%s/summary.json", dash.folder);
    summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    assert_int_equal(json_integer_value(json_object_get(summary, "dropped_samples")), 0);
    json_decref(summary);
}

static void a_run_with_four_viewers_has_the_bits_of_one_without(void **state)
{
    enum { VIEWERS = 4 };
    static const char *const streams[] = {"system", "ticks"};
    struct table alone_[2], watched[2];
    struct program p;
    struct web_socket w[VIEWERS];
    int frames[VIEWERS] = {0};
    bool ended[VIEWERS] = {false};

    dash_start_run(&p, "time.end=4 s");
    program_wait(&p);
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_nothing_dropped();
    for (int i = 0; i < 2; i++)
        alone_[i] = read_table(streams[i]);

    dash_start_run(&p, "time.end=4 s");
    for (int i = 0; i < VIEWERS; i++) {
        dash_watch_run(&w[i]);
        web_say(&w[i], "{\"subscribe\": {\"channels\": [1,2,3,4,5,6,7,8,9,10], \"window_s\": 10, \"points\": 8000}}");
        web_say(&w[i], "{\"scope\": {\"channels\": [1], \"mode\": \"roll\", \"length\": 1000}}");
    }
    for (int left = VIEWERS - 1; left > 0;) /* all of them read until the end but the last, which reads nothing */
        for (int i = 0; i < VIEWERS - 1; i++) {
            int opcode;
            size_t size;
            char *heard = ended[i] ? NULL : web_hear(&w[i], &opcode, &size, 5);

            if (ended[i])
                continue;
            assert_non_null(heard);
            frames[i] += opcode == 2;
            ended[i] = opcode == 1 && strstr(heard, "the run has ended");
            left -= ended[i];
            free(heard);
        }
    program_wait(&p);
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_nothing_dropped();
    for (int i = 0; i < VIEWERS; i++) {
        assert_true(frames[i] > 50 || i == VIEWERS - 1);
        web_close(&w[i]);
    }
    for (int i = 0; i < 2; i++) {
        watched[i] = read_table(streams[i]);
        assert_int_equal(watched[i].count, alone_[i].count);
        assert_memory_equal(watched[i].values, alone_[i].values, alone_[i].count * sizeof(double));
        free(watched[i].values);
        free(alone_[i].values);
    }
}

static void a_dashboard_that_is_killed_does_not_disturb_the_run(void **state)
{
    struct program p;
    struct web_socket w;
    char *heard;

    dash_start_run(&p, "time.end=3 s");
    dash_watch_run(&w);
    heard = web_await(&w, "\"state\":\"running\"", 30);
    assert_non_null(heard);
    free(heard);
    kill(dash.server.pid, SIGKILL);
    program_wait(&dash.server);
    program_free(&dash.server);
    web_close(&w);
    program_wait(&p);
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_nothing_dropped();
    dash_start_server(); /* for the others */
}

static void a_run_that_is_killed_is_shown_as_lost(void **state)
{
    struct program p;
    struct web_socket w;
    char *heard;

    dash_start_run(&p, "time.end=60 s");
    dash_watch_run(&w);
    heard = web_await(&w, "\"state\":\"running\"", 30);
    assert_non_null(heard);
    free(heard);
    kill(p.pid, SIGKILL);
    program_wait(&p);
    program_free(&p);
    heard = web_await(&w, "\"state\":\"lost\"", 30);
    assert_non_null(heard);
    assert_non_null(strstr(heard, "\"level\":\"bad\""));
    free(heard);
    assert_true(dash_is_alive());
    web_close(&w);
}

/* In a /dev/shm of its own that has no room. */
static void a_run_without_room_for_telemetry_goes_on(void **state)
{
    enum { NO_SUCH_RIGHT = 77 };
    int status;
    pid_t pid;

    if (!dash.alone) { /* nor may it take the memory of others */
        print_message("skipped: no name space of its own for /dev/shm\n");
        skip();
    }
    dash_name_run();
    if ((pid = fork()) == 0) {
        char *const words[] = {(char *)YOKE_PROGRAM, "run",        dash.run_file, "-o",    dash.folder, "--realtime",
                               "--no-report",        "--priority", "0",           "--set", PATIENT,     "--set",
                               "time.end=1 s",       NULL};

        if (mount("none", "/dev/shm", "tmpfs", 0, "size=64k"))
            _exit(NO_SUCH_RIGHT);
        if (!freopen("/dev/null", "w", stdout) || !freopen(scratch_path("full.err"), "w", stderr))
            _exit(NO_SUCH_RIGHT);
        execv(YOKE_PROGRAM, words);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_RIGHT)
        skip();
    umount("/dev/shm"); /* the test has its own below */
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    char text[2000] = "";
    FILE *in = fopen(scratch_path("full.err"), "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    assert_non_null(strstr(text, "this run cannot be watched"));
    assert_non_null(strstr(text, "No space left"));
}

/* ---- recordings, examples, --live ---- */

static void recordings_are_listed_and_opened(void **state)
{
    struct program p;
    struct web_socket w;
    char path[900], *answer, *heard;
    size_t size;
    int status, opcode;

    dash_name_run();
    program_run(&p, "run", dash.run_file, "-o", dash.folder, "--no-report", "--set", "time.end=2 s");
    assert_int_equal(p.code, 0);
    program_free(&p);
    answer = web_get(dash.port, "/api/runs", dash.authorized, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, dash.run_name));
    free(answer);
    snprintf(path, sizeof path, "/api/run?run=recording:%s", dash.folder);
    answer = web_get(dash.port, path, dash.authorized, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, "\"sketch\""));
    assert_non_null(strstr(answer, "\"key\":\"ticks:a1.force\""));
    free(answer);
    snprintf(path, sizeof path, "/ws?run=recording:%s", dash.folder);
    web_open(&w, dash.port, path, dash.authorized);
    assert_true(w.fd >= 0);
    web_say(&w, "{\"subscribe\": {\"channels\": [1], \"window_s\": 1, \"points\": 1000}}");
    do
        heard = web_hear(&w, &opcode, &size, 5);
    while (heard && opcode != 2 && (free(heard), true));
    assert_non_null(heard);
    uint32_t columns;
    memcpy(&columns, heard + 20, sizeof columns);
    assert_int_equal(columns, 201); /* of the whole run */
    free(heard);
    web_close(&w);
}

/* Trip, states and notes, in the order of their time in the test. */
static void events_of_a_finished_run_are_told(void **state)
{
    static const struct {
        const char *kind, *words;
    } wanted[] = {{"note", "before"},
                  {"state", "running"},
                  {"note", "a remark"},
                  {"trip", "force of a1"},
                  {"end", "the run has ended"}};
    struct program p;
    struct web_socket w;
    char path[900], *heard;
    const json_t *event;
    size_t size, at = 0, i;
    double last = 0;
    int opcode;
    FILE *notes;

    dash_name_run();
    program_run(&p, "run", dash.run_file, "-o", dash.folder, "--no-report", "--note", "before", "--set",
                "limits={force: 600 N, on_trip: ramp}");
    assert_int_equal(p.code, 3);
    program_free(&p);
    snprintf(path, sizeof path, "%s/notes.txt", dash.folder);
    assert_non_null(notes = fopen(path, "w"));
    fputs("2026-11-16T10:00:00+0000 t = 0.010 s: a remark\n", notes);
    fclose(notes);
    snprintf(path, sizeof path, "/ws?run=recording:%s", dash.folder);
    web_open(&w, dash.port, path, dash.authorized);
    assert_true(w.fd >= 0);
    do
        heard = web_hear(&w, &opcode, &size, 20);
    while (heard && !strstr(heard, "{\"events\":") && (free(heard), true));
    assert_non_null(heard);
    json_t *message = json_loadb(heard, size, 0, NULL), *events = json_object_get(message, "events");

    assert_true(json_is_array(events));
    json_array_foreach(events, i, event)
    {
        const double time = json_number_value(json_object_get(event, "time_s"));

        assert_true(time >= last);
        last = time;
        if (at < sizeof wanted / sizeof *wanted &&
            strcmp(json_string_value(json_object_get(event, "kind")), wanted[at].kind) == 0 &&
            strstr(json_string_value(json_object_get(event, "words")), wanted[at].words))
            at++;
    }
    assert_int_equal(at, sizeof wanted / sizeof *wanted);
    assert_true(last > 0.1 && last < 20); /* of the test, not since the actuators were armed */
    json_decref(message);
    free(heard);
    web_close(&w);
}

/* A run without a rig has no supervisor that would say so. */
static void a_finished_computation_is_not_called_running(void **state)
{
    const char *folder = scratch_path("runs/computed");
    struct program p;
    bool seen = false;
    char *answer;
    int status;

    program_run(&p, "run", YOKE_SOURCE "/examples/oscillator/oscillator.yaml", "-o", folder, "--no-report");
    assert_int_equal(p.code, 0);
    program_free(&p);
    for (int tries = 0; tries < 500 && !seen; tries++) { /* the folder is looked through now and then */
        answer = web_get(dash.port, "/api/runs", dash.authorized, &status);
        assert_int_equal(status, 200);
        json_t *json = json_loads(strstr(answer, "\r\n\r\n") ? strstr(answer, "\r\n\r\n") : answer, 0, NULL);
        const json_t *run;
        size_t i;

        json_array_foreach(json_object_get(json, "runs"), i,
                           run) if (strstr(json_string_value(json_object_get(run, "id")), "runs/computed"))
        {
            assert_string_equal(json_string_value(json_object_get(run, "state")), "done");
            seen = true;
        }
        json_decref(json);
        free(answer);
        program_sleep(0.02);
    }
    assert_true(seen);
}

static void examples_run_with_settings_and_end_with_the_server(void **state)
{
    json_t *answered;
    char *answer, path[200], body[200];
    struct web_socket w;
    int status;

    free(web_post(dash.port, "/api/learn", dash.authorized, "{\"example\": \"/etc/passwd\"}", &status));
    assert_int_equal(status, 400);
    free(web_post(dash.port, "/api/learn", dash.authorized,
                  "{\"example\": \"free-vibration\", \"settings\": {\"delay_ms\": 999}}", &status));
    assert_int_equal(status, 400);
    free(web_post(dash.port, "/api/learn", dash.authorized,
                  "{\"example\": \"free-vibration\", \"settings\": {\"rig.backend\": \"x\"}}", &status));
    assert_int_equal(status, 400);
    answer = web_post(dash.port, "/api/learn", dash.authorized,
                      "{\"example\": \"free-vibration\", \"settings\": {\"delay_ms\": 4, \"compensator\": \"none\"}}",
                      &status);
    if (status != 200)
        fail_msg("%s", answer);
    answered = json_loads(strchr(answer, '{'), 0, NULL);
    assert_non_null(answered);
    snprintf(path, sizeof path, "/ws?run=%s", json_string_value(json_object_get(answered, "run")));
    snprintf(body, sizeof body, "{\"run\": \"%s\"}", json_string_value(json_object_get(answered, "run")));
    free(answer);
    json_decref(answered);
    dash_watch(&w, path); /* the program that was just started has yet to open its telemetry */
    answer = web_await(&w, "\"state\":\"running\"", 30);
    assert_non_null(answer);
    free(answer);
    free(web_post(dash.port, "/api/learn/stop", dash.authorized, body, &status));
    assert_int_equal(status, 200);
    answer = web_await(&w, "the run has ended", 30);
    assert_non_null(answer);
    free(answer);
    web_close(&w);
    for (int tries = 0; tries < 100 && status != 404; tries++) { /* its process may take a moment */
        patience_sleep(0.05);
        free(web_post(dash.port, "/api/learn/stop", dash.authorized, body, &status));
    }
    assert_int_equal(status, 404);
}

static int learn_folders(void)
{
    char pattern[64];
    glob_t found = {0};
    int count;

    snprintf(pattern, sizeof pattern, "/tmp/yoke-learn-%ld-*", (long)dash.server.pid);
    glob(pattern, 0, NULL, &found);
    count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

/* Does a process have these words in its command line? */
static bool somebody_runs(const char *words)
{
    glob_t found = {0};
    bool there = false;

    glob("/proc/[0-9]*/cmdline", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc && !there; i++) {
        FILE *in = fopen(found.gl_pathv[i], "re");
        char line[4096];
        const size_t size = in ? fread(line, 1, sizeof line, in) : 0;

        there = memmem(line, size, words, strlen(words)) != NULL;
        if (in)
            fclose(in);
    }
    globfree(&found);
    return there;
}

static void nothing_of_the_examples_is_left_behind(void **state)
{
    static const char example[] = "{\"example\": \"free-vibration\"}";
    int status;

    free(web_post(dash.port, "/api/learn", dash.authorized, example, &status));
    assert_int_equal(status, 200);
    assert_int_equal(learn_folders(), 1);
    dash_stop_server(); /* while it runs */
    assert_int_equal(learn_folders(), 0);
    /* that of a server that was killed goes when another one needs its own */
    dash_start_server();
    free(web_post(dash.port, "/api/learn", dash.authorized, example, &status));
    assert_int_equal(status, 200);
    kill(dash.server.pid, SIGKILL);
    program_wait(&dash.server);
    program_free(&dash.server);
    const pid_t killed = dash.server.pid;
    char words[64];
    snprintf(words, sizeof words, "/yoke-learn-%ld-", (long)killed);
    for (int tries = 0; tries < 600 && somebody_runs(words); tries++) /* its example ends, too */
        patience_sleep(0.05);
    dash_start_server();
    free(web_post(dash.port, "/api/learn", dash.authorized, example, &status));
    assert_int_equal(status, 200);
    const pid_t running = dash.server.pid;
    dash.server.pid = killed;
    assert_int_equal(learn_folders(), 0);
    dash.server.pid = running;
}

static void a_live_run_brings_its_dashboard(void **state)
{
    const int other = dash.port;
    char kept[64], kept_authorized[128];
    struct program p;
    struct web_socket w;
    char *heard;

    memcpy(kept, dash.token, sizeof kept);
    memcpy(kept_authorized, dash.authorized, sizeof kept_authorized);
    dash_name_run();
    program_start(&p,
                  (const char *const[]){YOKE_PROGRAM, "run", dash.run_file, "-o", dash.folder, "--realtime", "--live",
                                        "--no-report", "--priority", "0", "--set", PATIENT, "--set", "time.end=800 s",
                                        NULL},
                  0);
    dash_read_address(p.err_path);
    dash_watch_run(&w);
    heard = web_await(&w, "\"state\":\"running\"", 30);
    assert_non_null(heard);
    free(heard);
    assert_runs((const char *const[]){YOKE_PROGRAM, "control", "abort", dash.run_name, NULL});
    heard = web_await(&w, "the run has ended", 30);
    assert_non_null(heard);
    free(heard);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
    web_close(&w);
    for (int tries = 0; tries < 200 && web_connect(dash.port) >= 0; tries++)
        patience_sleep(0.05);
    assert_int_equal(web_connect(dash.port), -1); /* it went after the last viewer */
    dash.port = other;
    memcpy(dash.token, kept, sizeof kept);
    memcpy(dash.authorized, kept_authorized, sizeof kept_authorized);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_viewer_sees_rows_and_leads_the_run),
        cmocka_unit_test(a_viewer_commands_a_console_and_its_stop_overtakes),
        cmocka_unit_test(a_run_with_four_viewers_has_the_bits_of_one_without),
        cmocka_unit_test(a_dashboard_that_is_killed_does_not_disturb_the_run),
        cmocka_unit_test(a_run_that_is_killed_is_shown_as_lost),
        cmocka_unit_test(a_run_without_room_for_telemetry_goes_on),
        cmocka_unit_test(recordings_are_listed_and_opened),
        cmocka_unit_test(events_of_a_finished_run_are_told),
        cmocka_unit_test(a_finished_computation_is_not_called_running),
        cmocka_unit_test(examples_run_with_settings_and_end_with_the_server),
        cmocka_unit_test(nothing_of_the_examples_is_left_behind),
        cmocka_unit_test(a_live_run_brings_its_dashboard),
    };
    return cmocka_run_group_tests(tests, dash_set_up, dash_tear_down);
}
