/* Files by their names: what is created replaces what stood there and follows no link. */
#include <yoke/file.h>

#include "support/check.h"
#include "support/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void assert_holds(const char *path, const char *words)
{
    char text[64] = "";
    FILE *in = fopen(path, "r");

    assert_non_null(in);
    assert_non_null(fgets(text, sizeof text, in));
    assert_string_equal(text, words);
    fclose(in);
}

static void write_to(const char *path, const char *words)
{
    FILE *out = yk_file_create_stream(path);

    assert_non_null(out);
    fputs(words, out);
    fclose(out);
}

static void links_are_replaced_and_not_followed(void **state)
{
    const char *victim = scratch_write("victim", "precious"), *path = scratch_path("summary.json.part");

    assert_int_equal(symlink(victim, path), 0);
    write_to(path, "new");
    assert_holds(victim, "precious");
    assert_holds(path, "new");
    write_to(path, "newer"); /* and what an earlier run left */
    assert_holds(path, "newer");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(victim, path), 0);
    write_to(path, "new");
    assert_holds(victim, "precious");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(scratch_path("nowhere"), path), 0);
    write_to(path, "new");
    assert_int_equal(access(scratch_path("nowhere"), F_OK), -1);
}

static bool print(FILE *out, const void *text)
{
    return text && fputs(text, out) >= 0;
}

/* /dev/full takes bytes and loses them, as a full disk does. */
static bool print_in_vain(FILE *out, const void *text)
{
    FILE *full = fopen("/dev/full", "w");
    const bool good = fputs(text, out) >= 0 && full && fputs(text, full) >= 0 && fflush(full) == 0;

    if (full)
        fclose(full);
    errno = ENOSPC;
    return good;
}

static void a_file_is_replaced_as_a_whole_or_not_at_all(void **state)
{
    const char *path = scratch_write("zeros", "of last week");
    char part[1100];

    snprintf(part, sizeof part, "%s.part", path);
    assert_false(yk_file_replace(path, print_in_vain, "half"));
    assert_int_equal(errno, ENOSPC);
    assert_holds(path, "of last week");
    assert_int_equal(access(part, F_OK), -1);
    assert_true(yk_file_replace(path, print, "of today"));
    assert_holds(path, "of today");
    assert_int_equal(access(part, F_OK), -1);
    assert_false(yk_file_replace(scratch_path("none/file"), print, "x"));
    assert_true(yk_file_replace("/dev/null", print, "x")); /* in place */
    assert_false(yk_file_replace("/dev/full", print, "x"));
}

static void what_cannot_be_replaced_is_not_created(void **state)
{
    const char *folder = scratch_path("folder");

    assert_int_equal(mkdir(folder, 0700), 0);
    assert_null(yk_file_create_stream(folder));
    assert_int_equal(yk_file_create(scratch_path("none/file")), -1);
}

static void only_regular_files_pass_the_check(void **state)
{
    const char *pipe = scratch_path("pipe");

    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_ok(yk_file_check(scratch_write("text", "1"), &err));
    assert_refused(yk_file_check(pipe, &err), YK_E_IO, "pipe: is not a regular file");
    assert_refused(yk_file_check(scratch_path(""), &err), YK_E_IO, "is a folder, a file is expected");
    assert_refused(yk_file_check(scratch_path("absent"), &err), YK_E_IO, "absent: cannot be opened: No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_replaced_and_not_followed),
        cmocka_unit_test(what_cannot_be_replaced_is_not_created),
        cmocka_unit_test(a_file_is_replaced_as_a_whole_or_not_at_all),
        cmocka_unit_test(only_regular_files_pass_the_check),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
