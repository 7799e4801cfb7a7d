/* Texts and numbers of pages: nothing that stands in a name or a file becomes markup or ends a script. */
#include <jansson.h>
#include <yoke/page.h>

#include "support/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static char *buffer;
static size_t size;

static FILE *begin(void)
{
    free(buffer);
    buffer = NULL;
    return open_memstream(&buffer, &size);
}

static const char *string_of(const char *text)
{
    FILE *out = begin();

    yk_page_string(out, text);
    fclose(out);
    return buffer;
}

static const char *html_of(const char *text)
{
    FILE *out = begin();

    yk_page_html(out, text);
    fclose(out);
    return buffer;
}

static const char *base64_of(const char *text)
{
    FILE *out = begin();

    yk_page_base64(out, text, strlen(text));
    fclose(out);
    return buffer;
}

static void strings_have_no_character_that_html_or_json_could_take(void **state)
{
    static const char hostile[] = "</script><!--<b a='\"'>&amp;\\\n\t\x7f";
    json_t *back;

    for (const char *c = string_of(hostile) + 1; c[1]; c++)
        assert_null(strchr("<>&\"\n\t", *c));
    back = json_loads(buffer, JSON_DECODE_ANY, NULL);
    assert_string_equal(json_string_value(back), hostile);
    json_decref(back);
    assert_string_equal(string_of(NULL), "null");
}

/* RFC 3629: a lone byte, an overlong slash, a surrogate, a character that ends too soon; and good ones. */
static void broken_characters_are_replaced_and_good_ones_kept(void **state)
{
    assert_string_equal(string_of("a\xff"
                                  "b"),
                        "\"a\\ufffdb\"");
    assert_string_equal(string_of("\xc0\xaf"), "\"\\ufffd\\ufffd\"");
    assert_string_equal(string_of("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
    assert_string_equal(string_of("\xe2\x82"), "\"\\ufffd\\ufffd\"");
    assert_string_equal(string_of("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"), "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

static void html_is_escaped_within_text_and_attributes(void **state)
{
    assert_string_equal(html_of("<a href=\"x\">'&"), "&#60;a href=&#34;x&#34;&#62;&#39;&#38;");
    assert_string_equal(html_of("a\x01\x1b[31m"), "a[31m");
}

static void json_is_the_same_without_angle_brackets(void **state)
{
    json_t *json = json_pack("{s:s, s:f, s:[n]}", "</script>", "<b>&", "x", 0.1, "y"), *back;
    FILE *out = begin();

    yk_page_json(out, json);
    fclose(out);
    assert_null(strpbrk(buffer, "<>&"));
    back = json_loads(buffer, 0, NULL);
    assert_true(json_equal(json, back));
    json_decref(json);
    json_decref(back);
}

/* RFC 4648, section 10. */
static void base64_follows_its_standard(void **state)
{
    assert_string_equal(base64_of(""), "");
    assert_string_equal(base64_of("f"), "Zg==");
    assert_string_equal(base64_of("fo"), "Zm8=");
    assert_string_equal(base64_of("foo"), "Zm9v");
    assert_string_equal(base64_of("foob"), "Zm9vYg==");
    assert_string_equal(base64_of("fooba"), "Zm9vYmE=");
    assert_string_equal(base64_of("foobar"), "Zm9vYmFy");
}

static void long_base64_has_four_characters_for_three_bytes(void **state)
{
    char *zeros = calloc(100001, 1);
    FILE *out = begin();

    yk_page_base64(out, zeros, 100001);
    fclose(out);
    free(zeros);
    assert_int_equal(size, 4 * 33334);
    assert_int_equal(strspn(buffer, "A"), 4 * 33333 + 3);
    assert_string_equal(buffer + 4 * 33333, "AAA=");
}

static void numbers_that_json_has_not_are_null(void **state)
{
    FILE *out = begin();

    yk_page_number(out, NAN);
    fputc(' ', out);
    yk_page_number(out, -INFINITY);
    fputc(' ', out);
    yk_page_number(out, -0.125);
    fclose(out);
    assert_string_equal(buffer, "null null -0.125");
}

static int release(void **state)
{
    free(buffer);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_have_no_character_that_html_or_json_could_take),
        cmocka_unit_test(broken_characters_are_replaced_and_good_ones_kept),
        cmocka_unit_test(html_is_escaped_within_text_and_attributes),
        cmocka_unit_test(json_is_the_same_without_angle_brackets),
        cmocka_unit_test(base64_follows_its_standard),
        cmocka_unit_test(long_base64_has_four_characters_for_three_bytes),
        cmocka_unit_test(numbers_that_json_has_not_are_null),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
