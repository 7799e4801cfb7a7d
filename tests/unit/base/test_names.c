/* Places of names: the first of equal ones, tables that grow, tables of structs. */
#include "base/names.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

static void every_name_is_found_at_its_place(void **state)
{
    enum { COUNT = 5000 };
    static char text[COUNT][8];
    static const char *names[COUNT];
    struct yk_names index = {0};

    for (size_t i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof text[i], "n%zu", i);
        names[i] = text[i];
        assert_int_equal(yk_names_find(&index, names, sizeof *names, i, text[i]), -1); /* not yet */
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(yk_names_find(&index, names, sizeof *names, COUNT, text[i]), (long)i);
    assert_int_equal(yk_names_find(&index, names, sizeof *names, COUNT, "n5000"), -1);
    assert_int_equal(yk_names_find(&index, names, sizeof *names, COUNT, ""), -1);
    yk_names_free(&index);
}

static void of_equal_names_the_first_counts(void **state)
{
    const char *names[] = {"a", "b", "a", "b"};
    struct yk_names index = {0};

    assert_int_equal(yk_names_find(&index, names, sizeof *names, 4, "b"), 1);
    assert_int_equal(yk_names_find(&index, names, sizeof *names, 4, "a"), 0);
    yk_names_free(&index);
}

static void names_may_stand_inside_structs(void **state)
{
    const struct {
        double x;
        const char *name;
    } nodes[] = {{1, "left"}, {2, "right"}};
    struct yk_names index = {0};

    assert_int_equal(yk_names_find(&index, &nodes->name, sizeof *nodes, 2, "right"), 1);
    yk_names_free(&index);
}

static void without_an_index_the_table_is_searched(void **state)
{
    const char *names[] = {"a", "b"};

    assert_int_equal(yk_names_find(NULL, names, sizeof *names, 2, "b"), 1);
    assert_int_equal(yk_names_find(NULL, names, sizeof *names, 2, "c"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found_at_its_place),
        cmocka_unit_test(of_equal_names_the_first_counts),
        cmocka_unit_test(names_may_stand_inside_structs),
        cmocka_unit_test(without_an_index_the_table_is_searched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
