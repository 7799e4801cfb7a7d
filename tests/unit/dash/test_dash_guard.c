/* The guard of the dashboard: token, host, origin. */
#include "support/check.h"

#include "dash/guard.h"

#define TOKENS                                                                                                         \
    {                                                                                                                  \
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "0123456789abcdef0123456789abcdef"     \
    }

static const struct yk_guard at_home = {.tokens = TOKENS, .port = 8347},
                             abroad = {
                                 .tokens = TOKENS, .port = 8347, .any_address = true, .hosts = {"rig.lab.example"}};

static bool admits(const char *text)
{
    return yk_guard_role(&at_home, text, strlen(text)) == YK_ROLE_ENGINEER;
}

static void only_the_whole_token_is_admitted(void **state)
{
    assert_true(admits("0123456789abcdef0123456789abcdef"));
    assert_false(admits(""));
    assert_false(admits("0123456789abcdef0123456789abcde"));
    assert_false(admits("0123456789abcdef0123456789abcdef0"));
    assert_false(admits("0123456789abcdef0123456789abcdeF"));
    assert_false(admits("1123456789abcdef0123456789abcdef"));
    assert_int_equal(yk_guard_role(&at_home, "0123456789abcdef0123456789abcdef", 31), YK_ROLE_NONE);
    assert_int_equal(yk_guard_role(&at_home, at_home.tokens[YK_ROLE_VIEWER], 32), YK_ROLE_VIEWER);
    assert_int_equal(yk_guard_role(&at_home, at_home.tokens[YK_ROLE_OPERATOR], 32), YK_ROLE_OPERATOR);
}

static void tokens_differ(void **state)
{
    struct yk_guard a = {0}, b = {0};

    assert_ok(yk_guard_draw_tokens(&a, &err));
    assert_ok(yk_guard_draw_tokens(&b, &err));
    for (int i = 0; i < YK_ROLES; i++) {
        assert_int_equal(strlen(a.tokens[i]), 32);
        assert_int_equal(strspn(a.tokens[i], "0123456789abcdef"), 32);
        assert_string_not_equal(a.tokens[i], b.tokens[i]);
        assert_string_not_equal(a.tokens[i], a.tokens[(i + 1) % YK_ROLES]);
    }
}

static void hosts_are_names_of_this_server(void **state)
{
    assert_true(yk_guard_is_host(&at_home, "127.0.0.1:8347"));
    assert_true(yk_guard_is_host(&at_home, "LocalHost:8347"));
    assert_true(yk_guard_is_host(&at_home, "[::1]:8347"));
    assert_false(yk_guard_is_host(&at_home, NULL));
    assert_false(yk_guard_is_host(&at_home, ""));
    assert_false(yk_guard_is_host(&at_home, "127.0.0.1"));
    assert_false(yk_guard_is_host(&at_home, "127.0.0.1:8348"));
    assert_false(yk_guard_is_host(&at_home, "127.0.0.1:8347x"));
    assert_false(yk_guard_is_host(&at_home, "127.0.0.1:"));
    assert_false(yk_guard_is_host(&at_home, "attacker.example:8347"));
    assert_false(yk_guard_is_host(&at_home, "127.0.0.1.attacker.example:8347"));
    assert_false(yk_guard_is_host(&at_home, "10.0.0.7:8347"));
    assert_true(yk_guard_is_host(&abroad, "10.0.0.7:8347"));
    assert_true(yk_guard_is_host(&abroad, "[fe80::1]:8347"));
    assert_true(yk_guard_is_host(&abroad, "rig.lab.example:8347"));
    assert_false(yk_guard_is_host(&abroad, "rig.lab.example.org:8347"));
    assert_false(yk_guard_is_host(&abroad, "10.0.0.7.example:8347"));
}

static void origins_are_pages_of_this_server(void **state)
{
    assert_true(yk_guard_is_origin(&at_home, NULL));
    assert_true(yk_guard_is_origin(&at_home, "http://127.0.0.1:8347"));
    assert_true(yk_guard_is_origin(&at_home, "http://localhost:8347"));
    assert_false(yk_guard_is_origin(&at_home, "null"));
    assert_false(yk_guard_is_origin(&at_home, ""));
    assert_false(yk_guard_is_origin(&at_home, "https://127.0.0.1:8347"));
    assert_false(yk_guard_is_origin(&at_home, "http://127.0.0.1:3000"));
    assert_false(yk_guard_is_origin(&at_home, "http://attacker.example"));
    assert_false(yk_guard_is_origin(&at_home, "http://attacker.example:8347"));
}

static void cookies_are_found_by_their_whole_name(void **state)
{
    size_t length = 0;
    const char *value = yk_guard_cookie("a=1; yoke-8347=abc; b=2", "yoke-8347", &length);

    assert_non_null(value);
    assert_int_equal(length, 3);
    assert_memory_equal(value, "abc", 3);
    assert_null(yk_guard_cookie("xyoke-8347=abc", "yoke-8347", &length));
    assert_null(yk_guard_cookie("yoke-83470=abc", "yoke-8347", &length));
    assert_null(yk_guard_cookie(NULL, "yoke-8347", &length));
    assert_null(yk_guard_cookie(";;;", "yoke-8347", &length));
    assert_non_null(yk_guard_cookie("yoke-8347=", "yoke-8347", &length));
    assert_int_equal(length, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_whole_token_is_admitted),      cmocka_unit_test(tokens_differ),
        cmocka_unit_test(hosts_are_names_of_this_server),        cmocka_unit_test(origins_are_pages_of_this_server),
        cmocka_unit_test(cookies_are_found_by_their_whole_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
