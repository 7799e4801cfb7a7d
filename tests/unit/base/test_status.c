/* Errors: the place is data and kept once, words in front and behind, and what happens when they are too long. */
#include "support/check.h"

#define LINE(err) (yk_err_line(&(err)).text)

static void line_begins_with_file_line_and_column(void **state)
{
    struct yk_err err = {0};

    assert_int_equal(yk_fail_at(&err, YK_E_RANGE, (struct yk_where){"a.yaml", 3, 7}, "step = %g s", -1.0), YK_E_RANGE);
    assert_string_equal(LINE(err), "a.yaml:3:7: step = -1 s");
    yk_fail_at(&err, YK_E_RANGE, (struct yk_where){"a.yaml", 3, 0}, "x");
    assert_string_equal(LINE(err), "a.yaml:3: x");
    yk_fail_at(&err, YK_E_RANGE, YK_IN_FILE("a.yaml"), "x");
    assert_string_equal(LINE(err), "a.yaml: x");
    yk_fail_at(&err, YK_E_RANGE, YK_NOWHERE, "x");
    assert_string_equal(LINE(err), "x");
}

static void place_is_data_and_outlives_the_name(void **state)
{
    char name[] = "a.yaml";
    struct yk_err err = {0}, copied;

    yk_fail_at(&err, YK_E_UNIT, (struct yk_where){name, 3, 7}, "x");
    copied = err;
    memset(name, '-', sizeof name - 1);
    memset(&err, '-', sizeof err);
    assert_int_equal(copied.status, YK_E_UNIT);
    assert_string_equal(copied.file, "a.yaml");
    assert_int_equal(copied.line, 3);
    assert_int_equal(copied.column, 7);
    assert_string_equal(LINE(copied), "a.yaml:3:7: x");
}

static void context_goes_in_front_and_hints_behind(void **state)
{
    struct yk_err err = {0};

    yk_fail(&err, YK_E_UNIT, "wrong unit");
    assert_int_equal(yk_fail_within(&err, YK_NOWHERE, "load %d: ", 2), YK_E_UNIT);
    assert_string_equal(LINE(err), "load 2: wrong unit");
    assert_int_equal(yk_fail_within(&err, (struct yk_where){"a.yaml", 5, 1}, "%s", ""), YK_E_UNIT);
    assert_int_equal(yk_fail_hint(&err, "; use %s", "kN"), YK_E_UNIT);
    assert_string_equal(LINE(err), "a.yaml:5:1: load 2: wrong unit; use kN");
    assert_int_equal(yk_fail_as(&err, YK_E_INPUT), YK_E_INPUT);
    assert_int_equal(err.status, YK_E_INPUT);
    assert_string_equal(LINE(err), "a.yaml:5:1: load 2: wrong unit; use kN");
}

static void place_in_a_file_is_kept_once(void **state)
{
    struct yk_err err = {0};

    yk_fail_at(&err, YK_E_RANGE, (struct yk_where){"a.yaml", 7, 9}, "x = 3");
    yk_fail_within(&err, (struct yk_where){"a.yaml", 5, 1}, "load: ");
    yk_fail_within(&err, YK_NOWHERE, "all: ");
    assert_string_equal(LINE(err), "a.yaml:7:9: all: load: x = 3");
    yk_fail_at(&err, YK_E_RANGE, YK_IN_FILE("a.yaml"), "x = 3"); /* a line is closer than a file */
    yk_fail_within(&err, (struct yk_where){"a.yaml", 5, 1}, "load: ");
    assert_string_equal(LINE(err), "a.yaml:5:1: load: x = 3");
}

static void fault_in_another_file_stands_where_that_file_is_named(void **state)
{
    struct yk_err err = {0};

    yk_fail_at(&err, YK_E_INPUT, (struct yk_where){"M.csv", 3, 1}, "'q' is not a number");
    yk_fail_within(&err, (struct yk_where){"a.yaml", 5, 7}, "mass: ");
    assert_string_equal(LINE(err), "a.yaml:5:7: mass: M.csv:3:1: 'q' is not a number");
    assert_string_equal(err.file, "a.yaml");
    assert_int_equal(err.line, 5);
    assert_int_equal(err.column, 7);
}

static void subject_names_what_is_at_fault_until_the_next_error(void **state)
{
    struct yk_err err = {0};

    assert_int_equal(yk_fail_about(&err, YK_E_SINGULAR, "mass", "mass is %s", "gone"), YK_E_SINGULAR);
    yk_fail_within(&err, (struct yk_where){"a.yaml", 1, 2}, "pier: ");
    assert_string_equal(err.subject, "mass");
    assert_string_equal(LINE(err), "a.yaml:1:2: pier: mass is gone");
    yk_fail(&err, YK_E_INPUT, "another");
    assert_string_equal(err.subject, "");
    assert_string_equal(LINE(err), "another"); /* nor does it inherit the place */
    assert_int_equal(err.line, 0);
}

static void error_without_words_says_its_status(void **state)
{
    const struct yk_err bare = {.status = YK_E_MEMORY}, none = {0};

    assert_string_equal(LINE(bare), "out of memory");
    assert_string_equal(LINE(none), "");
}

static void nobody_need_listen(void **state)
{
    assert_int_equal(yk_fail(NULL, YK_E_RANGE, "x"), YK_E_RANGE);
    assert_int_equal(yk_fail_at(NULL, YK_E_UNIT, (struct yk_where){"a", 1, 1}, "x"), YK_E_UNIT);
    assert_int_equal(yk_fail_about(NULL, YK_E_SINGULAR, "mass", "x"), YK_E_SINGULAR);
    assert_int_equal(yk_fail_as(NULL, YK_E_IO), YK_E_IO);
    assert_int_not_equal(yk_fail_within(NULL, YK_NOWHERE, "x"), YK_OK);
    assert_int_not_equal(yk_fail_hint(NULL, "x"), YK_OK);
    assert_string_equal(yk_err_line(NULL).text, "");
}

static void long_texts_are_cut_and_say_so(void **state)
{
    struct yk_err err = {0};
    char text[3000];

    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    yk_fail_about(&err, YK_E_INPUT, text, "%s", text);
    assert_int_equal(strlen(err.subject), sizeof err.subject - 1);
    assert_int_equal(strlen(err.wording), sizeof err.wording - 1);
    assert_string_equal(err.wording + sizeof err.wording - 4, "...");
    yk_fail_within(&err, (struct yk_where){text, 2147483647, 2147483647}, "%s", "front: ");
    yk_fail_hint(&err, "behind");
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_int_equal(strlen(err.wording), sizeof err.wording - 1);
    assert_memory_equal(err.wording, "front: xx", 9);
    assert_string_equal(err.wording + sizeof err.wording - 4, "...");
    /* the longest line is whole */
    assert_int_equal(strlen(LINE(err)),
                     sizeof err.file - 1 + strlen(":2147483647:2147483647: ") + sizeof err.wording - 1);
    yk_fail_within(&err, (struct yk_where){text, 1, 1}, "again: "); /* a name that was cut is still the same file */
    assert_int_equal(err.line, 2147483647);
    assert_memory_equal(err.wording, "again: front: xx", 16);
    yk_fail_within(&err, YK_NOWHERE, "%s", text);
    assert_string_equal(err.wording + sizeof err.wording - 4, "...");
}

static void cut_falls_between_characters(void **state)
{
    struct yk_err err = {0};
    char text[3000];

    for (size_t shift = 0; shift < 3; shift++) { /* of three bytes each */
        memset(text, 'x', shift);
        for (size_t i = shift; i + 3 < sizeof text; i += 3)
            memcpy(text + i, "\xe2\x82\xac", 4);
        yk_fail(&err, YK_E_INPUT, "%s", text);
        const size_t length = strlen(err.wording);
        assert_true(length < sizeof err.wording);
        assert_int_equal((length - 3 - shift) % 3, 0);
        assert_memory_equal(err.wording + length - 6, "\xe2\x82\xac...", 6);
    }
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
        cmocka_unit_test(line_begins_with_file_line_and_column),
        cmocka_unit_test(place_is_data_and_outlives_the_name),
        cmocka_unit_test(context_goes_in_front_and_hints_behind),
        cmocka_unit_test(place_in_a_file_is_kept_once),
        cmocka_unit_test(fault_in_another_file_stands_where_that_file_is_named),
        cmocka_unit_test(subject_names_what_is_at_fault_until_the_next_error),
        cmocka_unit_test(error_without_words_says_its_status),
        cmocka_unit_test(nobody_need_listen),
        cmocka_unit_test(long_texts_are_cut_and_say_so),
        cmocka_unit_test(cut_falls_between_characters),
        cmocka_unit_test(every_status_has_text_and_exit_code),
    };
    return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
