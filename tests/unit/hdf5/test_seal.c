/* The checksum in front of a file. */
#include "hdf5/seal.h"

#include "support/check.h"
#include "support/mutate.h"
#include "support/scratch.h"

#include <stdlib.h>

/* The check value of the catalogue of CRC algorithms (reveng.sourceforge.io), whole and in two pieces. */
static void crc64_of_the_nine_digits_is_the_published_one(void **state)
{
    assert_true(yk_crc64(0, "123456789", 9) == UINT64_C(0x995dc9bbdf1939fa));
    assert_true(yk_crc64(yk_crc64(0, "1234", 4), "56789", 5) == UINT64_C(0x995dc9bbdf1939fa));
}

static enum yk_seal look(struct bytes b)
{
    const char *path = scratch_path("sealed");
    enum yk_seal seal;

    bytes_to_file(b, path);
    assert_ok(yk_seal_look(path, &seal, &err));
    return seal;
}

static void every_changed_byte_breaks_the_seal(void **state)
{
    unsigned char text[700] = {0};
    struct bytes b = {text, sizeof text};

    for (size_t i = 600; i < sizeof text; i++)
        text[i] = (unsigned char)i;
    bytes_to_file(b, scratch_path("sealed"));
    assert_ok(yk_seal_put(scratch_path("sealed"), &err));
    b = bytes_of_file(scratch_path("sealed"));
    assert_int_equal(b.size, sizeof text);
    assert_memory_equal(b.at + YK_SEAL_BYTES, text + YK_SEAL_BYTES, sizeof text - YK_SEAL_BYTES);
    assert_int_equal(look(b), YK_SEAL_WHOLE);
    for (size_t i = 0; i < b.size; i++) {
        b.at[i] ^= 1;
        assert_int_equal(look(b), YK_SEAL_BROKEN);
        b.at[i] ^= 1;
    }
    for (size_t size = 0; size < b.size; size += 50)
        assert_int_equal(look((struct bytes){b.at, size}), YK_SEAL_BROKEN);
    assert_int_equal(look((struct bytes){(unsigned char *)"\x89HDF\r\n\x1a\n", 8}), YK_SEAL_ABSENT);
    free(b.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc64_of_the_nine_digits_is_the_published_one),
        cmocka_unit_test(every_changed_byte_breaks_the_seal),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
