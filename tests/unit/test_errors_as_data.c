/* Errors are told apart by their status, place and subject. Only src/base/status.c knows their words, and nothing looks
 * into the line that is made of them for people. */
#include "support/check.h"

#include <ftw.h>
#include <stdlib.h>

static int files_read;

static bool is_name(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next `word` that is not a part of a longer one; NULL: none. */
static const char *find_word(const char *text, const char *word)
{
    const char *at = text;

    while ((at = strstr(at, word)) && ((at > text && is_name(at[-1])) || is_name(at[strlen(word)])))
        at++;
    return at;
}

/* Does the statement around `at`, between semicolons and braces, search or compare a text? */
static bool searches(const char *source, const char *at)
{
    static const char *const functions[] = {
        "strcmp",     "strncmp", "strcasecmp", "strncasecmp", "strstr",  "strcasestr", "strchr", "strrchr", "strpbrk",
        "strverscmp", "strspn",  "strcspn",    "strtok_r",    "memcmp",  "memmem",     "sscanf", "regexec", "fnmatch",
        "strlen",     "strcoll", "strtol",     "strtod",      "strndup", "strdup",     "strcpy", "memcpy",  "stpcpy"};
    const char *begin = at, *end = at + strcspn(at, ";{}");
    bool found = false;

    while (begin > source && !strchr(";{}", begin[-1]))
        begin--;
    char *statement = strndup(begin, (size_t)(end - begin));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        found |= find_word(statement, functions[i]) != NULL;
    free(statement);
    return found;
}

/* A forbidden use of the words of an error in a source; NULL: there is none. */
static const char *misuse(const char *source)
{
    if (strstr(source, "->wording") || strstr(source, ".wording"))
        return "takes the words of an error; print yk_err_line, tell errors apart by status, place or subject";
    for (const char *at = source; (at = find_word(at, "yk_err_line")); at++)
        if (searches(source, at))
            return "looks into the line of an error; tell errors apart by status, place or subject";
    return NULL;
}

static int check_file(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    const char *ending = strrchr(path, '.');
    char *source;

    if (kind != FTW_F || !ending || (strcmp(ending, ".c") != 0 && strcmp(ending, ".h") != 0) ||
        strcmp(path, YOKE_SOURCE "/src/base/status.c") == 0)
        return 0;
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_non_null(source = calloc((size_t)about->st_size + 1, 1));
    assert_int_equal(fread(source, 1, (size_t)about->st_size, in), about->st_size);
    fclose(in);
    if (misuse(source))
        fail_msg("%s %s", path, misuse(source));
    free(source);
    files_read++;
    return 0;
}

static void no_code_reads_the_words_of_an_error(void **state)
{
    assert_int_equal(nftw(YOKE_SOURCE "/src", check_file, 16, FTW_PHYS), 0);
    assert_int_equal(nftw(YOKE_SOURCE "/include", check_file, 16, FTW_PHYS), 0);
    assert_int_equal(nftw(YOKE_SOURCE "/examples", check_file, 16, FTW_PHYS), 0);
    assert_true(files_read > 200);
}

static void the_search_finds_what_it_is_for(void **state)
{
    assert_non_null(misuse("if (strstr(err->wording, \"memory\")) return;"));
    assert_non_null(misuse("x = *reason.wording;"));
    assert_non_null(misuse("a();\nif (strncmp(\n        yk_err_line(err).text, path, n) == 0)\n    b();"));
    assert_non_null(misuse("const char *s = strchr(yk_err_line(&err).text, ':');"));
    assert_null(misuse("if (strstr(name, \"x\")) { fprintf(stderr, \"%s\\n\", yk_err_line(&err).text); }"));
    assert_null(misuse("char wording[20]; fputs(yk_err_line(err).text, out); strcmp(a, b);"));
    assert_null(misuse("my_strstr_yk(yk_err_line(err).text);"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_search_finds_what_it_is_for),
        cmocka_unit_test(no_code_reads_the_words_of_an_error),
    };

    return cmocka_run_group_tests_name("errors as data", tests, NULL, NULL);
}
