/* Messages of the dashboard: what pages may say, and the bytes of frames. */
#include "support/check.h"

#include "dash/message.h"

#include <stdlib.h>

static enum yk_status parse(struct yk_message *m, const char *text, struct yk_err *err)
{
    return yk_message_parse(m, text, strlen(text), err);
}

static void messages_are_read(void **state)
{
    struct yk_message m;

    assert_ok(parse(&m, "{\"subscribe\": {\"channels\": [3, 1, 7], \"window_s\": 12.5, \"points\": 400}}", &err));
    assert_int_equal(m.kind, YK_MESSAGE_SUBSCRIBE);
    assert_int_equal(m.channel_count, 3);
    assert_int_equal(m.channels[2], 7);
    assert_near(m.window_s, 12.5, 0);
    assert_int_equal(m.points, 400);
    yk_message_free(&m);
    assert_ok(parse(&m, "{\"history\": {\"request\": 9, \"channels\": [0], \"from_s\": 1, \"to_s\": 2}}", &err));
    assert_int_equal(m.kind, YK_MESSAGE_HISTORY);
    assert_int_equal(m.request, 9);
    assert_near(m.to_s, 2, 0);
    yk_message_free(&m);
    assert_ok(parse(&m,
                    "{\"scope\": {\"request\": 4294967295, \"channels\": [2], \"trigger\": {\"kind\": \"edge\", "
                    "\"channel\": 2, \"level\": -1e-3, \"slope\": \"either\"}, \"pre\": 20, \"length\": 100, \"mode\": "
                    "\"normal\"}}",
                    &err));
    assert_int_equal(m.request, UINT32_MAX);
    assert_int_equal(m.scope.mode, YK_SCOPE_NORMAL);
    assert_int_equal(m.scope.slope, YK_SLOPE_EITHER);
    assert_near(m.scope.level, -1e-3, 0);
    assert_int_equal(m.scope.pre, 20);
    yk_message_free(&m);
    assert_ok(parse(&m, "{\"scope\": null}", &err));
    assert_int_equal(m.kind, YK_MESSAGE_SCOPE);
    assert_int_equal(m.scope.mode, YK_SCOPE_OFF);
    yk_message_free(&m);
    assert_ok(parse(&m, "{\"control\": {\"word\": \"abort\", \"confirm\": true}}", &err));
    assert_string_equal(m.word, "abort");
    assert_true(m.confirmed);
    yk_message_free(&m);
    assert_ok(parse(&m, "{\"control\": {\"word\": \"pause\", \"confirm\": 1}}", &err));
    assert_false(m.confirmed); /* only `true` is a confirmation */
    yk_message_free(&m);
    assert_ok(parse(&m, "{\"note\": {\"text\": \"<script>alert(1)</script>\"}}", &err));
    assert_string_equal(m.text, "<script>alert(1)</script>");
    yk_message_free(&m);
    assert_ok(parse(&m, "{\"console\": {\"request\": 7, \"line\": \"enable; move a1 5 mm\"}}", &err));
    assert_int_equal(m.kind, YK_MESSAGE_CONSOLE);
    assert_int_equal(m.request, 7);
    assert_string_equal(m.text, "enable; move a1 5 mm");
    yk_message_free(&m);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "null",
        "{\"subscribe\": 1}",
        "{\"subscribe\": {}}",
        "{\"subscribe\": {\"channels\": [-1]}}",
        "{\"subscribe\": {\"channels\": [1.5]}}",
        "{\"subscribe\": {\"channels\": [\"x\"]}}",
        "{\"subscribe\": {\"channels\": [4294967296]}}",
        "{\"subscribe\": {\"channels\": [1], \"window_s\": -1}}",
        "{\"subscribe\": {\"channels\": [1], \"window_s\": \"long\"}}",
        "{\"subscribe\": {\"channels\": [1], \"points\": 1}}",
        "{\"subscribe\": {\"channels\": [1], \"points\": 100000}}",
        "{\"subscribe\": {\"channels\": [1], \"points\": 10.5}}",
        "{\"subscribe\": {\"channels\": [1]}, \"ping\": {}}",
        "{\"history\": {\"channels\": [1], \"from_s\": 2, \"to_s\": 1}}",
        "{\"history\": {\"channels\": [1], \"from_s\": 1e999}}",
        "{\"scope\": {\"channels\": []}}",
        "{\"scope\": {\"channels\": [1]}}",
        "{\"scope\": {\"channels\": [1], \"mode\": \"roll\", \"length\": 1000000}}",
        "{\"scope\": {\"channels\": [1], \"mode\": \"roll\", \"length\": 10, \"pre\": 10}}",
        "{\"scope\": {\"channels\": [1], \"mode\": \"fast\"}}",
        "{\"scope\": {\"channels\": [1], \"trigger\": {\"kind\": \"moon\"}}}",
        "{\"control\": {}}",
        "{\"control\": {\"word\": \"start\"}}",
        "{\"control\": {\"word\": [\"abort\"]}}",
        "{\"note\": {\"text\": \"\"}}",
        "{\"note\": {\"text\": 5}}",
        "{\"console\": {}}",
        "{\"console\": \"stop\"}",
        "{\"console\": {\"line\": \"\"}}",
        "{\"console\": {\"line\": [\"stop\"]}}",
        "{\"console\": {\"line\": \"stop\\u0000\"}}",
        "{\"ping\": {\"request\": -1}}",
        "{\"ping\": {\"request\": 1, \"request\": 2}}",
        "{\"exec\": {\"command\": \"rm\"}}",
        "{\"ping\": {}} x",
    };
    struct yk_message m;
    char *long_text = malloc(YK_MESSAGE_BYTES + 2);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct yk_err err = {0};

        if (parse(&m, bad[i], &err) != YK_E_INPUT || !*yk_err_line(&err).text)
            fail_msg("taken: %s", bad[i]);
        yk_message_free(&m);
    }
    assert_non_null(long_text);
    memset(long_text, ' ', YK_MESSAGE_BYTES + 1);
    assert_refused(yk_message_parse(&m, long_text, YK_MESSAGE_BYTES + 1, &err), YK_E_INPUT, "at most 65536");
    free(long_text);
    /* a line of 1001 bytes */
    char line[1100];

    snprintf(line, sizeof line, "{\"console\": {\"line\": \"%01001d\"}}", 0);
    assert_refused(parse(&m, line, &err), YK_E_INPUT, "line must be a text of 1 .. 1000 bytes");
    yk_message_free(&m);
}

/* Byte by byte as docs/dashboard-protocol.md says. */
static void frames_have_the_bytes_of_the_protocol(void **state)
{
    const uint32_t channels[3] = {5, 6, 9};
    struct yk_frame f = {.kind = YK_FRAME_HISTORY,
                         .stream = 2,
                         .request = 77,
                         .channels = channels,
                         .channel_count = 3,
                         .column_count = 4,
                         .rows = 16,
                         .trigger = 3};
    double *time, *values;
    size_t size, stride;
    uint32_t word;
    unsigned char *bytes = yk_frame_create(&f, &size, &time, &values, &stride);

    assert_non_null(bytes);
    assert_int_equal(size, 32 + 16 + 8 * (4 + 3 * 8));
    assert_memory_equal(bytes, "YKF1\3\0\0\0\2\0\0\0\115\0\0\0\3\0\0\0\4\0\0\0\20\0\0\0\3\0\0\0", 32);
    memcpy(&word, bytes + 40, 4);
    assert_int_equal(word, 9);
    assert_ptr_equal(time, bytes + 48);
    assert_ptr_equal(values, bytes + 48 + 32);
    assert_int_equal(stride, 8);
    free(bytes);
    f.rows = 1;
    bytes = yk_frame_create(&f, &size, &time, &values, &stride);
    assert_non_null(bytes);
    assert_int_equal(stride, 4);
    assert_int_equal(size, 32 + 16 + 8 * (4 + 3 * 4));
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_read),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(frames_have_the_bytes_of_the_protocol),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
