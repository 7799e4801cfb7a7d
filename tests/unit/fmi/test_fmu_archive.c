/* Archives of FMUs: links, encryption and sizes that lie are refused; the same entries give the same bytes. The central
 * directory of a good archive is altered byte by byte (PKWARE APPNOTE, 4.3.12). */
#include "support/check.h"
#include "support/scratch.h"

#include "base/scratch.h"
#include "fmi/archive.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FLAGS = 8, METHOD = 10, SIZE = 24, ATTRIBUTES = 38 }; /* offsets in a central file header */

static void pack(const char *path)
{
    struct yk_archive_entry entries[] = {{"resources/b.txt", "some text, some text, some text", 31},
                                         {"modelDescription.xml", "<x/>", 4}};

    assert_ok(yk_archive_pack(path, entries, 2, 1000000000, &err));
}

/* A good archive with `count` bytes of its last central header replaced, unpacked. */
static enum yk_status unpack_altered(size_t offset, const char *bytes, size_t count, struct yk_err *err)
{
    char text[4096], folder[YK_SCRATCH_PATH];
    FILE *file;
    size_t size, at = 0;
    enum yk_status st;

    pack(scratch_path("a.fmu"));
    assert_non_null(file = fopen(scratch_path("a.fmu"), "r+"));
    size = fread(text, 1, sizeof text, file);
    for (size_t i = 0; i + 4 < size; i++)
        at = memcmp(text + i, "PK\1\2", 4) == 0 ? i : at;
    assert_true(at > 0);
    memcpy(text + at + offset, bytes, count);
    rewind(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    assert_int_equal(yk_scratch_make(folder, err), YK_OK);
    st = yk_archive_unpack(scratch_path("a.fmu"), folder, err);
    yk_scratch_remove(folder);
    assert_int_not_equal(access(folder, F_OK), 0);
    return st;
}

static void what_is_packed_is_unpacked(void **state)
{
    char folder[YK_SCRATCH_PATH], file[YK_SCRATCH_PATH + 32], text[64] = "";
    struct stat about;
    FILE *in;

    pack(scratch_path("a.fmu"));
    assert_ok(yk_scratch_make(folder, &err));
    assert_int_equal(stat(folder, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_ok(yk_archive_unpack(scratch_path("a.fmu"), folder, &err));
    snprintf(file, sizeof file, "%s/resources/b.txt", folder);
    assert_non_null(in = fopen(file, "re"));
    assert_non_null(fgets(text, sizeof text, in));
    fclose(in);
    assert_string_equal(text, "some text, some text, some text");
    yk_scratch_remove(folder);
}

static void the_same_entries_give_the_same_bytes(void **state)
{
    char first[4096], second[4096];
    size_t size;
    FILE *in;

    pack(scratch_path("a.fmu"));
    pack(scratch_path("b.fmu"));
    assert_non_null(in = fopen(scratch_path("a.fmu"), "re"));
    size = fread(first, 1, sizeof first, in);
    fclose(in);
    assert_non_null(in = fopen(scratch_path("b.fmu"), "re"));
    assert_int_equal(fread(second, 1, sizeof second, in), size);
    fclose(in);
    assert_memory_equal(first, second, size);
}

static void altered_archives_are_refused(void **state)
{
    assert_refused(unpack_altered(ATTRIBUTES, "\0\0\377\241", 4, &err), YK_E_INPUT,
                   "is a link or a device"); /* 0120777 */
    assert_refused(unpack_altered(FLAGS, "\1\0", 2, &err), YK_E_INPUT, "is encrypted");
    assert_refused(unpack_altered(METHOD, "\14\0", 2, &err), YK_E_INPUT, "is neither stored nor deflated"); /* bzip2 */
    assert_refused(unpack_altered(SIZE, "\5\0\0\0", 4, &err), YK_E_INPUT, "archive is refused");
    assert_refused(unpack_altered(SIZE, "\0\1\0\0", 4, &err), YK_E_INPUT, "archive is refused");
    assert_refused(unpack_altered(SIZE, "\0\0\0\220", 4, &err), YK_E_INPUT, "beyond 2 GiB");
    assert_refused(unpack_altered(16, "\1\2\3\4", 4, &err), YK_E_INPUT, "archive is refused"); /* checksum */
}

/* Some packers put the folder "." itself into the archive, and "./" before every name. */
static void names_that_begin_with_a_dot_and_a_slash_are_harmless(void **state)
{
    struct yk_archive_entry entries[] = {
        {"./", "", 0}, {"././resources/./b.txt", "some", 4}, {"./modelDescription.xml", "<x/>", 4}};
    char folder[YK_SCRATCH_PATH], file[YK_SCRATCH_PATH + 32];

    assert_ok(yk_archive_pack(scratch_path("a.fmu"), entries, 3, 1000000000, &err));
    assert_ok(yk_scratch_make(folder, &err));
    assert_ok(yk_archive_unpack(scratch_path("a.fmu"), folder, &err));
    snprintf(file, sizeof file, "%s/resources/b.txt", folder);
    assert_int_equal(access(file, R_OK), 0);
    snprintf(file, sizeof file, "%s/modelDescription.xml", folder);
    assert_int_equal(access(file, R_OK), 0);
    yk_scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_is_unpacked),
        cmocka_unit_test(the_same_entries_give_the_same_bytes),
        cmocka_unit_test(altered_archives_are_refused),
        cmocka_unit_test(names_that_begin_with_a_dot_and_a_slash_are_harmless),
    };

    return cmocka_run_group_tests_name("archives of FMUs", tests, scratch_create, scratch_remove);
}
