/* The reference of the experiment file: every component and setting has its entry. */
#include "reference/reference.h"
#include "support/check.h"

#include <stdlib.h>
#include <string.h>
#include <yoke/families.h>
#include <yoke/keys.h>

static void print_into(char **text)
{
    size_t size;
    FILE *out = open_memstream(text, &size);

    assert_non_null(out);
    reference_print(out);
    assert_int_equal(fclose(out), 0);
}

static void assert_keys(const char *text, const struct yk_param *keys)
{
    char row[80];

    for (; keys && keys->name; keys++) {
        snprintf(row, sizeof row, "\n| `%s` | ", keys->name);
        assert_non_null(strstr(text, row));
    }
}

static void the_reference_names_every_component_and_its_settings(void **state)
{
    char *text = NULL, heading[80];
    struct yk_family_entry e;

    print_into(&text);
    for (const struct yk_family *f = yk_families; f->name; f++)
        for (size_t i = 0; strcmp(f->name, "formats") != 0 && strcmp(f->name, "reductions") != 0 && f->at(i, &e); i++) {
            snprintf(heading, sizeof heading, "\n### `%s`\n", e.name);
            assert_non_null(strstr(text, heading));
            assert_keys(text, e.params);
        }
    free(text);
}

static void the_reference_names_every_key_of_every_kind_of_model(void **state)
{
    const struct yk_keys_section *s;
    char *text = NULL, heading[80];
    const char *kind;
    size_t count = 0;

    print_into(&text);
    for (; (s = yk_sections_of_kind(count, &kind)); count++) {
        snprintf(heading, sizeof heading, "\n## Kind `%s`\n", kind);
        assert_non_null(strstr(text, heading));
        for (; s->title; s++)
            assert_keys(text, s->keys);
    }
    assert_true(count >= 6); /* linear, assembled, frame, reduced, opensees, fmu */
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_names_every_component_and_its_settings),
        cmocka_unit_test(the_reference_names_every_key_of_every_kind_of_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
