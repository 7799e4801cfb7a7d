/* Messages: location, value, and what happens when they are too long. */
#include "support/check.h"

static void message_carries_file_line_and_column(void **state)
{
    struct yk_err err = {0};

    assert_int_equal(yk_fail_at(&err, YK_E_RANGE, (struct yk_where){"a.yaml", 3, 7}, "step = %g s", -1.0), YK_E_RANGE);
    assert_string_equal(err.text, "a.yaml:3:7: step = -1 s");
    yk_fail_at(&err, YK_E_RANGE, (struct yk_where){"a.yaml", 3, 0}, "x");
    assert_string_equal(err.text, "a.yaml:3: x");
}

static void long_message_is_cut_and_says_so(void **state)
{
    struct yk_err err = {0};
    char text[3000];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    yk_fail(&err, YK_E_INPUT, "%s", text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_string_equal(err.text + sizeof err.text - 4, "...");
}

static void context_goes_in_front(void **state)
{
    struct yk_err err = {0};

    yk_fail(&err, YK_E_UNIT, "wrong unit");
    assert_int_equal(yk_fail_within(&err, YK_NOWHERE, "load %d: ", 2), YK_E_UNIT);
    assert_string_equal(err.text, "load 2: wrong unit");
}

static void every_status_has_text_and_exit_code(void **state)
{
    for (int s = YK_OK; s <= YK_E_MEMORY; s++)
        assert_true(yk_status_text(s)[0] != 0);
    assert_int_equal(yk_status_exit_code(YK_E_INPUT), 2);
    assert_int_equal(yk_status_exit_code(YK_E_DIVERGED), 3);
    assert_int_equal(yk_status_exit_code(YK_E_CHECK), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_carries_file_line_and_column),
        cmocka_unit_test(long_message_is_cut_and_says_so),
        cmocka_unit_test(context_goes_in_front),
        cmocka_unit_test(every_status_has_text_and_exit_code),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
