/* The dashboard as browsers and others meet it: who gets in, what hostile requests do, runs and servers that are
 * killed, and that nothing of it changes a run. */
#include "support/check.h"
#include "support/own_shm.h"
#include "support/program.h"
#include "support/random.h"
#include "support/scratch.h"
#include "support/web.h"

#include "record/record.h"

#include <glob.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_ YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
/* deadlines that are missed are none of these tests' business */
#define PATIENT                                                                                                        \
    "limits={displacement: 200 mm, force: 8.3 kN, missed_deadlines: 0, stall: 0, start_ramp: 0.1, end_ramp: 0.1}"

static struct program server;
static int port;
static char token[64], authorized[128], run_file[600], run_name[64], folder[600];
static bool alone; /* nobody else uses this /dev/shm */

/* ---- programs ---- */

static bool has_dashboard(void)
{
    struct program p;
    bool has;

    program_run(&p, "dash", "--listen", "nowhere");
    has = !strstr(p.err, "without CivetWeb");
    program_free(&p);
    return has;
}

/* The address that a server prints. */
static void read_address(const char *path)
{
    char text[300] = "";

    port = 0;
    for (int tries = 0; tries < 300 && !port; tries++) {
        FILE *in = fopen(path, "r");

        program_sleep(0.02);
        if (!in)
            continue;
        while (fgets(text, sizeof text, in) && !port)
            if (sscanf(text, "dashboard: http://127.0.0.1:%d/?token=%63[0-9a-f]", &port, token) != 2)
                port = 0;
        fclose(in);
    }
    assert_true(port > 0);
    snprintf(authorized, sizeof authorized, "Authorization: Bearer %s\r\n", token);
}

static void start_server(void)
{
    program_start(&server, (const char *const[]){YOKE_PROGRAM, "dash", scratch_path("runs"), "--port", "0", NULL}, 0);
    read_address(server.out_path);
}

static void stop_server(void)
{
    kill(server.pid, SIGTERM);
    program_wait(&server);
    assert_int_equal(server.code, 0);
    program_free(&server); /* its number stays */
}

static bool is_alive(void)
{
    int status;
    char *answer = web_get(port, "/api/runs", authorized, &status);
    const bool good = status == 200;

    free(answer);
    return good && kill(server.pid, 0) == 0;
}

/* A name of its own, since tests run beside each other. */
static void name_run(void)
{
    static int number;
    char command[1400];

    snprintf(run_name, sizeof run_name, "dash-%ld-%d", (long)getpid(), number++);
    snprintf(run_file, sizeof run_file, "%s/%s.yaml", scratch_path(""), run_name);
    snprintf(folder, sizeof folder, "%s/%s", scratch_path("runs"), run_name);
    snprintf(command, sizeof command, "mkdir -p %s && cp %s %s", scratch_path("runs"), FILE_, run_file);
    assert_int_equal(system(command), 0);
}

static void start_run(struct program *p, const char *set)
{
    name_run();
    program_start(p,
                  (const char *const[]){YOKE_PROGRAM, "run", run_file, "-o", folder, "--realtime", "--no-report",
                                        "--priority", "0", "--set", PATIENT, "--set", set, NULL},
                  0);
}

/* A viewer of the run, once it is seen. */
static void watch_run(struct web_socket *w)
{
    char path[200];

    snprintf(path, sizeof path, "/ws?run=live:%s", run_name);
    for (int tries = 0; tries < 200; tries++) {
        web_open(w, port, path, authorized);
        if (w->fd >= 0)
            return;
        program_sleep(0.05);
    }
    fail_msg("the run is not seen");
}

static void forget(char *answer)
{
    free(answer);
}

/* ---- who gets in ---- */

static void without_the_token_nothing_is_read_or_posted(void **state)
{
    static const char *const paths[] = {
        "/",         "/assets/dash.js", "/api/runs",         "/api/run?run=live:x",
        "/ws?run=x", "/nothing",        "/?token=",          "/?token=0123456789abcdef0123456789abcdef",
        "*",         "/api/../",        "/%2e%2e/etc/passwd"};
    char headers[200];
    struct web_socket w;
    int status;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char *answer = web_get(port, paths[i], NULL, &status);

        assert_non_null(answer);
        if (status != 403 && status != 400 && *answer) /* nothing at all is fine, too */
            fail_msg("%s: %.300s", paths[i], answer);
        assert_null(strstr(answer, "<script"));
        assert_null(strstr(answer, token));
        assert_null(strstr(answer, "root:"));
        forget(answer);
    }
    forget(web_post(port, "/api/learn", NULL, "{\"example\": \"spring-specimen\"}", &status));
    assert_int_equal(status, 403);
    web_open(&w, port, "/ws?run=live:x", NULL);
    assert_int_equal(w.status, 403);
    /* a token that is nearly right, and the right one as a cookie of another port */
    snprintf(headers, sizeof headers, "Authorization: Bearer %.31sz\r\n", token);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    snprintf(headers, sizeof headers, "Cookie: yoke-%d=%s\r\n", port + 1, token);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
}

static void the_token_opens_by_address_cookie_and_header(void **state)
{
    char path[200], headers[200], *answer;
    int status;

    snprintf(path, sizeof path, "/?token=%s", token);
    answer = web_get(port, path, NULL, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, "SameSite=Strict"));
    assert_non_null(strstr(answer, "HttpOnly"));
    assert_non_null(strstr(answer, "Content-Security-Policy: default-src 'none'; script-src 'self'"));
    assert_non_null(strstr(answer, "X-Content-Type-Options: nosniff"));
    forget(answer);
    snprintf(headers, sizeof headers, "Cookie: a=b; yoke-%d=%s\r\n", port, token);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_int_equal(status, 200);
    forget(web_get(port, "/api/runs", authorized, &status));
    assert_int_equal(status, 200);
    forget(web_get(port, "/assets/dash.js", authorized, &status));
    assert_int_equal(status, 200);
    forget(web_get(port, "/assets/../dash.js", authorized, &status));
    assert_int_equal(status, 404);
}

static void other_origins_and_other_names_are_refused_with_the_token(void **state)
{
    char headers[400];
    struct web_socket w;
    int status;

    snprintf(headers, sizeof headers, "%sOrigin: http://attacker.example\r\n", authorized);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    forget(web_post(port, "/api/learn/stop", headers, "{\"run\": \"x\"}", &status));
    assert_int_equal(status, 403);
    web_open(&w, port, "/ws?run=live:x", headers);
    assert_int_equal(w.status, 403);
    snprintf(headers, sizeof headers, "%sOrigin: null\r\n", authorized);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    snprintf(headers, sizeof headers, "%sHost: attacker.example:%d\r\n", authorized, port);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    snprintf(headers, sizeof headers, "%sOrigin: http://localhost:%d\r\nHost: localhost:%d\r\n", authorized, port,
             port);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_int_equal(status, 200);
}

/* A browser asks so before it sends a request of another origin; no answer may allow it. */
static void no_page_of_another_origin_is_told_that_it_may(void **state)
{
    static const char ask[] = "OPTIONS /api/learn HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://attacker.example\r\n"
                              "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x\r\n\r\n";
    char *answer = web_exchange(port, ask, strlen(ask));

    assert_non_null(answer);
    assert_null(strstr(answer, "Access-Control-Allow"));
    forget(answer);
}

static void only_what_is_on_the_list_can_be_opened(void **state)
{
    static const char *const runs[] = {"/api/run?run=recording:/etc",
                                       "/api/run?run=recording:../../etc",
                                       "/api/run",
                                       "/api/run?run=",
                                       "/api/run?run=live:../x",
                                       "/api/run?run=%00%ff"};
    int status;

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        forget(web_get(port, runs[i], authorized, &status));
        assert_true(status == 404 || status == 400);
    }
    forget(web_get(port, "/api/learn", authorized, &status));
    assert_int_equal(status, 405);
    forget(web_post(port, "/api/runs", authorized, "{}", &status));
    assert_int_equal(status, 405);
}

/* ---- hostile ones ---- */

static void a_thousand_malformed_requests_leave_it_alive(void **state)
{
    static const char *const bad[] = {
        "",
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "GET http:// HTTP/1.1\r\n\r\n",
        "GET /%%%%%% HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /api/learn HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999\r\n\r\n{}",
        "POST /api/learn HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n{}",
        "POST /api/learn HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\n : \r\n\r\n",
        "PUT /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\nabc",
        "TRACE / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "PROPFIND / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 7\r\n\r\n",
        "GET /\0/x HTTP/1.1\r\n\r\n",
    };
    uint64_t seed = 16;

    for (int k = 0; k < 1000; k++) {
        char bytes[700];
        const char *from = bad[(size_t)k % (sizeof bad / sizeof *bad)];
        size_t size = strlen(from);
        const int fd = web_connect(port);

        memcpy(bytes, from, size);
        for (int change = 0; size && change < k % 7; change++) /* and variants of them */
            bytes[random_below(&seed, size)] = (char)random_bits(&seed);
        if (k % 50 == 3) { /* a head without end */
            memset(bytes, 'x', sizeof bytes);
            size = sizeof bytes;
        }
        assert_true(fd >= 0);
        if (send(fd, bytes, size, MSG_NOSIGNAL) < 0)
            assert_true(true); /* it may have closed already */
        if (k % 3 == 0) {
            shutdown(fd, SHUT_WR);
            (void)!recv(fd, bytes, sizeof bytes, 0);
        }
        close(fd);
    }
    assert_true(is_alive());
}

static void a_request_that_is_too_large_is_refused(void **state)
{
    char *body = malloc(200001), *headers = malloc(40000);
    int status;

    assert_non_null(body);
    assert_non_null(headers);
    memset(body, ' ', 200000);
    body[200000] = 0;
    forget(web_post(port, "/api/learn", authorized, body, &status));
    assert_int_equal(status, 413);
    memset(headers, 'a', 39000);
    memcpy(headers, "X: ", 3);
    memcpy(headers + 39000, "\r\n", 3);
    forget(web_get(port, "/api/runs", headers, &status));
    assert_true(status != 200);
    free(body);
    free(headers);
    assert_true(is_alive());
}

static void a_thousand_malformed_frames_leave_it_alive(void **state)
{
    static const char *const texts[] = {"{\"subscribe\": {\"channels\": [0, 1], \"window_s\": 1e9, \"points\": 8192}}",
                                        "{\"scope\": {\"channels\": [1], \"mode\": \"roll\", \"length\": 65536}}",
                                        "{\"history\": {\"channels\": [1], \"from_s\": -1e12, \"to_s\": 1e12}}",
                                        "{\"control\": {\"word\": \"abort\", \"confirm\": false}}",
                                        "{\"note\": {\"text\": \"\\u0000\\ud800\"}}",
                                        "{\"console\": {\"line\": \"abort\"}}"};
    struct program p;
    struct web_socket w;
    uint64_t seed = 17;
    int opened = 0;
    char *big = calloc(1, 70000), *heard;

    start_run(&p, "time.end=60 s");
    watch_run(&w);
    assert_non_null(big);
    for (int k = 0; k < 1000; k++) {
        unsigned char bytes[300];
        const char *text = texts[(size_t)k % 6];
        size_t size = strlen(text);
        bool sent;

        memcpy(bytes, text, size);
        for (int change = 0; change < k % 9; change++)
            bytes[random_below(&seed, size)] = (unsigned char)random_bits(&seed);
        if (k % 20 == 1) /* bytes that are no frame, with lengths that nobody sends */
            sent = send(w.fd, bytes, size, MSG_NOSIGNAL) > 0;
        else if (k % 20 == 2)
            sent = send(w.fd, "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14, MSG_NOSIGNAL) > 0;
        else if (k % 20 == 3)
            sent = web_send(&w, 0x81, big, 70000);
        else if (k % 20 == 4)
            sent = web_send(&w, (int)(random_bits(&seed) & 0xff), bytes, size);
        else
            sent = web_send(&w, 0x81, bytes, size);
        if (!sent || k % 20 < 5) {
            web_close(&w);
            watch_run(&w);
            opened++;
        }
    }
    assert_true(opened > 200);
    assert_true(is_alive());
    assert_true(web_say(&w, "{\"ping\": {\"request\": 4711}}"));
    heard = web_await(&w, "4711", 5);
    assert_non_null(heard);
    free(heard);
    web_close(&w);
    free(big);
    kill(p.pid, SIGTERM);
    program_wait(&p);
    assert_int_equal(p.code, 3); /* as after Ctrl-C: nothing else stopped it */
    program_free(&p);
}

static void viewers_beyond_the_limit_are_refused_and_others_stay(void **state)
{
    enum { MANY = 20, MOST = 16 };
    struct web_socket w[MANY];
    struct program p;
    int open = 0;
    char *heard, path[200];

    start_run(&p, "time.end=60 s");
    watch_run(&w[0]);
    snprintf(path, sizeof path, "/ws?run=live:%s", run_name);
    for (int i = 1; i < MANY; i++)
        web_open(&w[i], port, path, authorized);
    for (int i = 0; i < MANY; i++)
        open += w[i].fd >= 0;
    assert_int_equal(open, MOST);
    assert_true(is_alive());
    heard = web_await(&w[0], "\"status\"", 3);
    assert_non_null(heard);
    free(heard);
    for (int i = 0; i < MANY; i++)
        web_close(&w[i]);
    kill(p.pid, SIGTERM);
    program_wait(&p);
    program_free(&p);
}

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

    name_run();
    strcat(run_name, "-rig");
    program_start_piped(
        &p, (const char *const[]){YOKE_PROGRAM, "rig", run_file, "--priority", "0", "--set", PATIENT, NULL}, &to);
    watch_run(&w);
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

    start_run(&p, "time.end=60 s");
    watch_run(&w);
    assert_true(web_say(&w, "{\"subscribe\": {\"channels\": [1, 2], \"window_s\": 10, \"points\": 1000}}"));
    while (frames < 20 && (heard = web_hear(&w, &opcode, &size, 5))) {
        frames += opcode == 2 && memcmp(heard, "YKF1", 4) == 0;
        free(heard);
    }
    assert_int_equal(frames, 20);
    assert_true(web_say(&w, "{\"control\": {\"word\": \"pause\", \"confirm\": true}}"));
    heard = web_await(&w, "\"state\":\"paused\"", 5);
    assert_non_null(heard);
    free(heard);
    assert_true(web_say(&w, "{\"control\": {\"word\": \"resume\", \"confirm\": true}}"));
    heard = web_await(&w, "\"state\":\"running\"", 5);
    assert_non_null(heard);
    free(heard);
    web_close(&w); /* a reload: a new connection has what was before */
    watch_run(&w);
    heard = web_await(&w, "pause, from the dashboard", 5);
    assert_non_null(heard);
    free(heard);
    assert_true(web_say(&w, "{\"control\": {\"word\": \"abort\", \"confirm\": true}}"));
    heard = web_await(&w, "the run has ended", 5);
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

    snprintf(path, sizeof path, "%s/run.h5", folder);
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

    snprintf(path, sizeof path, "%s/summary.json", folder);
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

    start_run(&p, "time.end=4 s");
    program_wait(&p);
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_nothing_dropped();
    for (int i = 0; i < 2; i++)
        alone_[i] = read_table(streams[i]);

    start_run(&p, "time.end=4 s");
    for (int i = 0; i < VIEWERS; i++) {
        watch_run(&w[i]);
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

    start_run(&p, "time.end=3 s");
    watch_run(&w);
    heard = web_await(&w, "\"state\":\"running\"", 5);
    assert_non_null(heard);
    free(heard);
    kill(server.pid, SIGKILL);
    program_wait(&server);
    program_free(&server);
    web_close(&w);
    program_wait(&p);
    assert_int_equal(p.code, 0);
    program_free(&p);
    assert_nothing_dropped();
    start_server(); /* for the others */
}

static void a_run_that_is_killed_is_shown_as_lost(void **state)
{
    struct program p;
    struct web_socket w;
    char *heard;

    start_run(&p, "time.end=60 s");
    watch_run(&w);
    heard = web_await(&w, "\"state\":\"running\"", 5);
    assert_non_null(heard);
    free(heard);
    kill(p.pid, SIGKILL);
    program_wait(&p);
    program_free(&p);
    heard = web_await(&w, "\"state\":\"lost\"", 5);
    assert_non_null(heard);
    assert_non_null(strstr(heard, "\"level\":\"bad\""));
    free(heard);
    assert_true(is_alive());
    web_close(&w);
}

/* In a /dev/shm of its own that has no room. */
static void a_run_without_room_for_telemetry_goes_on(void **state)
{
    enum { NO_SUCH_RIGHT = 77 };
    int status;
    pid_t pid;

    name_run();
    if ((pid = fork()) == 0) {
        char *const words[] = {(char *)YOKE_PROGRAM, "run", run_file, "-o",    folder,  "--realtime",   "--no-report",
                               "--priority",         "0",   "--set",  PATIENT, "--set", "time.end=1 s", NULL};

        if (mount("none", "/dev/shm", "tmpfs", 0, "size=64k"))
            _exit(NO_SUCH_RIGHT);
        if (!freopen("/dev/null", "w", stdout) || !freopen(scratch_path("full.err"), "w", stderr))
            _exit(NO_SUCH_RIGHT);
        execv(YOKE_PROGRAM, words);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!alone || (WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_RIGHT))
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

    name_run();
    program_run(&p, "run", run_file, "-o", folder, "--no-report", "--set", "time.end=2 s");
    assert_int_equal(p.code, 0);
    program_free(&p);
    answer = web_get(port, "/api/runs", authorized, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, run_name));
    forget(answer);
    snprintf(path, sizeof path, "/api/run?run=recording:%s", folder);
    answer = web_get(port, path, authorized, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, "\"sketch\""));
    assert_non_null(strstr(answer, "\"key\":\"ticks:a1.force\""));
    forget(answer);
    snprintf(path, sizeof path, "/ws?run=recording:%s", folder);
    web_open(&w, port, path, authorized);
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

static void examples_run_with_settings_and_end_with_the_server(void **state)
{
    json_t *answered;
    char *answer, path[200], body[200];
    struct web_socket w;
    int status;

    forget(web_post(port, "/api/learn", authorized, "{\"example\": \"/etc/passwd\"}", &status));
    assert_int_equal(status, 400);
    forget(web_post(port, "/api/learn", authorized,
                    "{\"example\": \"free-vibration\", \"settings\": {\"delay_ms\": 999}}", &status));
    assert_int_equal(status, 400);
    forget(web_post(port, "/api/learn", authorized,
                    "{\"example\": \"free-vibration\", \"settings\": {\"rig.backend\": \"x\"}}", &status));
    assert_int_equal(status, 400);
    answer = web_post(port, "/api/learn", authorized,
                      "{\"example\": \"free-vibration\", \"settings\": {\"delay_ms\": 4, \"compensator\": \"none\"}}",
                      &status);
    if (status != 200)
        fail_msg("%s", answer);
    answered = json_loads(strchr(answer, '{'), 0, NULL);
    assert_non_null(answered);
    snprintf(path, sizeof path, "/ws?run=%s", json_string_value(json_object_get(answered, "run")));
    snprintf(body, sizeof body, "{\"run\": \"%s\"}", json_string_value(json_object_get(answered, "run")));
    forget(answer);
    json_decref(answered);
    web_open(&w, port, path, authorized);
    assert_true(w.fd >= 0);
    answer = web_await(&w, "\"state\":\"running\"", 10);
    assert_non_null(answer);
    free(answer);
    forget(web_post(port, "/api/learn/stop", authorized, body, &status));
    assert_int_equal(status, 200);
    answer = web_await(&w, "the run has ended", 10);
    assert_non_null(answer);
    free(answer);
    web_close(&w);
    for (int tries = 0; tries < 100 && status != 404; tries++) { /* its process may take a moment */
        program_sleep(0.05);
        forget(web_post(port, "/api/learn/stop", authorized, body, &status));
    }
    assert_int_equal(status, 404);
}

static int learn_folders(void)
{
    char pattern[64];
    glob_t found = {0};
    int count;

    snprintf(pattern, sizeof pattern, "/tmp/yoke-learn-%ld-*", (long)server.pid);
    glob(pattern, 0, NULL, &found);
    count = (int)found.gl_pathc;
    globfree(&found);
    return count;
}

static void nothing_of_the_examples_is_left_behind(void **state)
{
    static const char example[] = "{\"example\": \"free-vibration\"}";
    int status;

    forget(web_post(port, "/api/learn", authorized, example, &status));
    assert_int_equal(status, 200);
    assert_int_equal(learn_folders(), 1);
    stop_server(); /* while it runs */
    assert_int_equal(learn_folders(), 0);
    /* that of a server that was killed goes when another one needs its own */
    start_server();
    forget(web_post(port, "/api/learn", authorized, example, &status));
    assert_int_equal(status, 200);
    kill(server.pid, SIGKILL);
    program_wait(&server);
    program_free(&server);
    const pid_t killed = server.pid;
    program_sleep(1); /* its example ends, too */
    start_server();
    forget(web_post(port, "/api/learn", authorized, example, &status));
    assert_int_equal(status, 200);
    const pid_t running = server.pid;
    server.pid = killed;
    assert_int_equal(learn_folders(), 0);
    server.pid = running;
}

static void a_live_run_brings_its_dashboard(void **state)
{
    const int other = port;
    char kept[64], kept_authorized[128];
    struct program p;
    struct web_socket w;
    char *heard;

    memcpy(kept, token, sizeof kept);
    memcpy(kept_authorized, authorized, sizeof kept_authorized);
    name_run();
    program_start(&p,
                  (const char *const[]){YOKE_PROGRAM, "run", run_file, "-o", folder, "--realtime", "--live",
                                        "--no-report", "--priority", "0", "--set", PATIENT, "--set", "time.end=3 s",
                                        NULL},
                  0);
    read_address(p.err_path);
    watch_run(&w);
    heard = web_await(&w, "the run has ended", 15);
    assert_non_null(heard);
    free(heard);
    program_wait(&p);
    assert_int_equal(p.code, 0);
    program_free(&p);
    web_close(&w);
    for (int tries = 0; tries < 200 && web_connect(port) >= 0; tries++)
        program_sleep(0.05);
    assert_int_equal(web_connect(port), -1); /* it went after the last viewer */
    port = other;
    memcpy(token, kept, sizeof kept);
    memcpy(authorized, kept_authorized, sizeof kept_authorized);
}

static int set_up(void **state)
{
    char command[700];

    alone = own_shm();
    if (scratch_create(state))
        return 1;
    snprintf(command, sizeof command, "mkdir -p %s", scratch_path("runs"));
    assert_int_equal(system(command), 0);
    if (!has_dashboard()) {
        print_message("this program was built without CivetWeb: nothing to test\n");
        scratch_remove(state);
        exit(0);
    }
    start_server();
    return 0;
}

static int tear_down(void **state)
{
    stop_server();
    return scratch_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_token_nothing_is_read_or_posted),
        cmocka_unit_test(the_token_opens_by_address_cookie_and_header),
        cmocka_unit_test(other_origins_and_other_names_are_refused_with_the_token),
        cmocka_unit_test(no_page_of_another_origin_is_told_that_it_may),
        cmocka_unit_test(only_what_is_on_the_list_can_be_opened),
        cmocka_unit_test(a_thousand_malformed_requests_leave_it_alive),
        cmocka_unit_test(a_request_that_is_too_large_is_refused),
        cmocka_unit_test(a_thousand_malformed_frames_leave_it_alive),
        cmocka_unit_test(viewers_beyond_the_limit_are_refused_and_others_stay),
        cmocka_unit_test(a_viewer_sees_rows_and_leads_the_run),
        cmocka_unit_test(a_viewer_commands_a_console_and_its_stop_overtakes),
        cmocka_unit_test(a_run_with_four_viewers_has_the_bits_of_one_without),
        cmocka_unit_test(a_dashboard_that_is_killed_does_not_disturb_the_run),
        cmocka_unit_test(a_run_that_is_killed_is_shown_as_lost),
        cmocka_unit_test(a_run_without_room_for_telemetry_goes_on),
        cmocka_unit_test(recordings_are_listed_and_opened),
        cmocka_unit_test(examples_run_with_settings_and_end_with_the_server),
        cmocka_unit_test(nothing_of_the_examples_is_left_behind),
        cmocka_unit_test(a_live_run_brings_its_dashboard),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
