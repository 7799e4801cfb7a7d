/* Files by their names: what is created replaces what stood there and follows no link. */
#include "base/file.h"

#include "support/check.h"
#include "support/scratch.h"

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
        cmocka_unit_test(only_regular_files_pass_the_check),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
