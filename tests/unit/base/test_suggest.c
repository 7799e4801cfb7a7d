/* Suggestions for an unknown word. */
#include "support/check.h"

#include <yoke/suggest.h>

#include <string.h>

static const char *next_of(void *self)
{
    const char *const **at = self;

    return **at ? *(*at)++ : NULL;
}

static const char *suggestion(const char *word, const char *const *candidates)
{
    static char text[96];

    return yk_suggest(word, next_of, &candidates, "; none", text, sizeof text);
}

/* An empty name is a name to the program (all degrees of freedom alike), not to its user. */
static void empty_names_are_not_suggested(void **state)
{
    static const char *const directions[] = {"", "x", "y", "n2.x", NULL}, *const methods[] = {"gc", "mph", "", NULL};
    static const char *const alike[] = {"floor1", "", NULL};

    assert_string_equal(suggestion("y", alike), "; none");
    assert_string_equal(suggestion("q", methods), "; none");
    assert_string_equal(suggestion("", methods), "; none");
    assert_string_equal(suggestion("X", directions), "; did you mean 'x'?");
    assert_string_equal(suggestion("xx", directions), "; did you mean 'x'?");
    assert_string_equal(suggestion("n3.x", directions), "; did you mean 'n2.x'?");
    assert_string_equal(suggestion("gcc", methods), "; did you mean 'gc'?");
    assert_string_equal(suggestion("mp", methods), "; did you mean 'mph'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_names_are_not_suggested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
