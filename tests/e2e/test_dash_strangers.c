/* Who gets into a dashboard, and what hostile requests and frames do to it: nothing. */
#include "support/dashboard.h"
#include "support/random.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

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
        char *answer = web_get(dash.port, paths[i], NULL, &status);

        assert_non_null(answer);
        if (status != 403 && status != 400 && *answer) /* nothing at all is fine, too */
            fail_msg("%s: %.300s", paths[i], answer);
        assert_null(strstr(answer, "<script"));
        assert_null(strstr(answer, dash.token));
        assert_null(strstr(answer, "root:"));
        free(answer);
    }
    free(web_post(dash.port, "/api/learn", NULL, "{\"example\": \"spring-specimen\"}", &status));
    assert_int_equal(status, 403);
    web_open(&w, dash.port, "/ws?run=live:x", NULL);
    assert_int_equal(w.status, 403);
    /* a token that is nearly right, and the right one as a cookie of another port */
    snprintf(headers, sizeof headers, "Authorization: Bearer %.31sz\r\n", dash.token);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    snprintf(headers, sizeof headers, "Cookie: yoke-%d=%s\r\n", dash.port + 1, dash.token);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
}

static void the_token_opens_by_address_cookie_and_header(void **state)
{
    char path[200], headers[200], *answer;
    int status;

    snprintf(path, sizeof path, "/?token=%s", dash.token);
    answer = web_get(dash.port, path, NULL, &status);
    assert_int_equal(status, 200);
    assert_non_null(strstr(answer, "SameSite=Strict"));
    assert_non_null(strstr(answer, "HttpOnly"));
    assert_non_null(strstr(answer, "Content-Security-Policy: default-src 'none'; script-src 'self'"));
    assert_non_null(strstr(answer, "X-Content-Type-Options: nosniff"));
    free(answer);
    snprintf(headers, sizeof headers, "Cookie: a=b; yoke-%d=%s\r\n", dash.port, dash.token);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_int_equal(status, 200);
    free(web_get(dash.port, "/api/runs", dash.authorized, &status));
    assert_int_equal(status, 200);
    free(web_get(dash.port, "/assets/dash.js", dash.authorized, &status));
    assert_int_equal(status, 200);
    free(web_get(dash.port, "/assets/../dash.js", dash.authorized, &status));
    assert_int_equal(status, 404);
}

static void other_origins_and_other_names_are_refused_with_the_token(void **state)
{
    char headers[400];
    struct web_socket w;
    int status;

    snprintf(headers, sizeof headers, "%sOrigin: http://attacker.example\r\n", dash.authorized);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    free(web_post(dash.port, "/api/learn/stop", headers, "{\"run\": \"x\"}", &status));
    assert_int_equal(status, 403);
    web_open(&w, dash.port, "/ws?run=live:x", headers);
    assert_int_equal(w.status, 403);
    snprintf(headers, sizeof headers, "%sOrigin: null\r\n", dash.authorized);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    snprintf(headers, sizeof headers, "%sHost: attacker.example:%d\r\n", dash.authorized, dash.port);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_int_equal(status, 403);
    snprintf(headers, sizeof headers, "%sOrigin: http://localhost:%d\r\nHost: localhost:%d\r\n", dash.authorized,
             dash.port, dash.port);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_int_equal(status, 200);
}

/* A browser asks so before it sends a request of another origin; no answer may allow it. */
static void no_page_of_another_origin_is_told_that_it_may(void **state)
{
    static const char ask[] = "OPTIONS /api/learn HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://attacker.example\r\n"
                              "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x\r\n\r\n";
    char *answer = web_exchange(dash.port, ask, strlen(ask));

    assert_non_null(answer);
    assert_null(strstr(answer, "Access-Control-Allow"));
    free(answer);
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
        free(web_get(dash.port, runs[i], dash.authorized, &status));
        assert_true(status == 404 || status == 400);
    }
    free(web_get(dash.port, "/api/learn", dash.authorized, &status));
    assert_int_equal(status, 405);
    free(web_post(dash.port, "/api/runs", dash.authorized, "{}", &status));
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
        const int fd = web_connect(dash.port);

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
    assert_true(dash_is_alive());
}

/* Connections that are held open without a request, as by a browser that prepares for more, keep nobody else waiting: a
 * visitor is answered before the server has given up any of them. On a busy machine it is tried again. */
static void idle_connections_keep_no_visitor_waiting(void **state)
{
    enum { IDLE = 250 };
    bool all_open = false;

    for (int tries = 0; tries < 5 && !all_open; tries++) {
        int idle[IDLE];
        char byte;

        for (int i = 0; i < IDLE; i++)
            assert_true((idle[i] = web_connect(dash.port)) >= 0);
        assert_true(dash_is_alive());
        all_open = true;
        for (int i = 0; i < IDLE; i++) {
            all_open &= recv(idle[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
            close(idle[i]);
        }
    }
    assert_true(all_open);
}

/* Nested `depth` times. */
static char *deep(const char *before, size_t depth, const char *after)
{
    char *text = calloc(1, strlen(before) + 2 * depth + strlen(after) + 1);

    assert_non_null(text);
    strcpy(text, before);
    memset(text + strlen(text), '[', depth);
    memset(text + strlen(text), ']', depth);
    strcat(text, after);
    return text;
}

static void deep_json_is_refused(void **state)
{
    static const size_t depths[] = {70, 1000, 30000};
    struct program p;
    struct web_socket w;
    int status;

    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        char *body = deep("{\"run\": ", depths[i], "}");

        free(web_post(dash.port, "/api/learn/stop", dash.authorized, body, &status));
        assert_int_equal(status, 400);
        free(body);
    }
    dash_start_run(&p, "time.end=60 s");
    dash_watch_run(&w);
    for (size_t i = 0; i < 2; i++) {
        char *text = deep("{\"ping\": ", depths[i], "}"), *heard;

        assert_true(web_say(&w, text));
        free(text);
        assert_non_null(heard = web_await(&w, "must be a JSON object", 30));
        free(heard);
    }
    web_close(&w);
    assert_true(dash_is_alive());
    kill(p.pid, SIGTERM);
    program_wait(&p);
    program_free(&p);
}

/* Seconds until the server closes a request whose body comes a byte at a time; `most` if it does not. */
static double drip(const char *headers, double most)
{
    char request[600], bytes[2000];
    double waited = 0;
    const int fd = web_connect(dash.port);

    assert_true(fd >= 0);
    snprintf(request, sizeof request,
             "POST /api/learn/stop HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Length: 60000\r\n\r\n", dash.port,
             headers);
    assert_true(send(fd, request, strlen(request), MSG_NOSIGNAL) > 0);
    for (; waited < most; waited += 0.2) {
        const ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);

        if (n == 0 || (n < 0 && errno != EAGAIN) || (n < 0 && send(fd, "x", 1, MSG_NOSIGNAL) < 0))
            break;
        program_sleep(0.2);
    }
    close(fd);
    return waited;
}

/* Neither one that is let in nor a stranger. */
static void a_body_that_never_comes_keeps_no_thread(void **state)
{
    assert_true(drip("", 60) < 60);
    assert_true(drip(dash.authorized, 60) < 60);
}

static void a_request_that_is_too_large_is_refused(void **state)
{
    char *body = malloc(200001), *headers = malloc(40000);
    int status;

    assert_non_null(body);
    assert_non_null(headers);
    memset(body, ' ', 200000);
    body[200000] = 0;
    free(web_post(dash.port, "/api/learn", dash.authorized, body, &status));
    assert_int_equal(status, 413);
    memset(headers, 'a', 39000);
    memcpy(headers, "X: ", 3);
    memcpy(headers + 39000, "\r\n", 3);
    free(web_get(dash.port, "/api/runs", headers, &status));
    assert_true(status != 200);
    free(body);
    free(headers);
    assert_true(dash_is_alive());
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

    dash_start_run(&p, "time.end=60 s");
    dash_watch_run(&w);
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
            dash_watch_run(&w);
            opened++;
        }
    }
    assert_true(opened > 200);
    assert_true(dash_is_alive());
    assert_true(web_say(&w, "{\"ping\": {\"request\": 4711}}"));
    heard = web_await(&w, "4711", 30);
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

    dash_start_run(&p, "time.end=60 s");
    dash_watch_run(&w[0]);
    snprintf(path, sizeof path, "/ws?run=live:%s", dash.run_name);
    for (int i = 1; i < MANY; i++)
        web_open(&w[i], dash.port, path, dash.authorized);
    for (int i = 0; i < MANY; i++)
        open += w[i].fd >= 0;
    assert_int_equal(open, MOST);
    assert_true(dash_is_alive());
    heard = web_await(&w[0], "\"status\"", 3);
    assert_non_null(heard);
    free(heard);
    for (int i = 0; i < MANY; i++)
        web_close(&w[i]);
    kill(p.pid, SIGTERM);
    program_wait(&p);
    program_free(&p);
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
        cmocka_unit_test(idle_connections_keep_no_visitor_waiting),
        cmocka_unit_test(deep_json_is_refused),
        cmocka_unit_test(a_body_that_never_comes_keeps_no_thread),
        cmocka_unit_test(a_request_that_is_too_large_is_refused),
        cmocka_unit_test(a_thousand_malformed_frames_leave_it_alive),
        cmocka_unit_test(viewers_beyond_the_limit_are_refused_and_others_stay),
    };
    return cmocka_run_group_tests(tests, dash_set_up, dash_tear_down);
}
