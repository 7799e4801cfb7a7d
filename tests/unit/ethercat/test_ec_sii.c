/* The SII of a slave: its check sum, the image of the vectors, and images that are cut off. */
#include "support/check.h"
#include "support/ethercat_vectors.h"

#include <yoke/ethercat.h>
#include <yoke/ethercat_sii.h>

#include <stdlib.h>

/* Computed by an independent program. */
static void the_check_sum_is_a_crc_of_eight_bits(void **state)
{
    const uint8_t first[14] = {0x05}, none[14] = {0}, other[14] = {0x08, 0x0f, 0x00, 0xcc, 0x88, 0x13};

    assert_int_equal(yk_ec_sii_checksum(first, 14), 0x48);
    assert_int_equal(yk_ec_sii_checksum(none, 14), 0x30);
    assert_int_equal(yk_ec_sii_checksum(other, 14), 0x63);
}

static void the_image_of_a_drive_is_understood(void **state)
{
    struct yk_ec_sii *s = calloc(1, sizeof *s);

    assert_non_null(s);
    assert_int_equal(yk_ec_sii_needed(v4_image, sizeof v4_image / 2), sizeof v4_image / 2);
    assert_true(yk_ec_sii_decode(v4_image, sizeof v4_image / 2, s));
    assert_true(s->checked);
    assert_int_equal(s->vendor, 0xa5a5);
    assert_int_equal(s->product, 0x402001);
    assert_int_equal(s->revision, 0x10000);
    assert_int_equal(s->serial, 2);
    assert_int_equal(s->mail_out, 0x1000);
    assert_int_equal(s->mail_out_size, 0x40);
    assert_int_equal(s->mail_in, 0x1040);
    assert_int_equal(s->mail_in_size, 0x40);
    assert_int_equal(s->protocols, YK_EC_PROTOCOL_COE);
    assert_string_equal(s->name, "YKD-1");
    assert_int_equal(s->sm_count, 4);
    assert_int_equal(s->sms[2].start, 0x1100);
    assert_int_equal(s->sms[2].length, 6);
    assert_int_equal(s->sms[2].control, 0x64);
    assert_int_equal(s->sms[2].use, YK_EC_SM_DATA_OUT);
    assert_int_equal(s->sms[3].start, 0x1180);
    assert_int_equal(s->sms[3].use, YK_EC_SM_DATA_IN);
    assert_int_equal(s->pdo_count, 2);
    assert_int_equal(s->pdos[0].index, 0x1a00);
    assert_false(s->pdos[0].to_slave);
    assert_int_equal(s->pdos[0].sm, 3);
    assert_int_equal(s->pdos[1].index, 0x1600);
    assert_true(s->pdos[1].to_slave);
    assert_int_equal(s->entry_count, 4);
    assert_string_equal(yk_ec_entry_format(&s->entries[s->pdos[1].first + 1]).text, "0x607A:0:i32");
    assert_string_equal(yk_ec_entry_format(&s->entries[0]).text, "0x6041:0:u16");
    assert_true(s->has_dc);
    assert_int_equal(s->assign_activate, 0x0300);
    free(s);
}

/* Whoever reads it word by word is told how far to read, and ends at the end. */
static void an_image_is_read_as_far_as_it_goes(void **state)
{
    struct yk_ec_sii *s = calloc(1, sizeof *s);
    size_t words = 0, last;
    int rounds = 0;

    assert_non_null(s);
    do {
        last = words;
        words = yk_ec_sii_needed(v4_image, words);
        assert_true(words <= sizeof v4_image / 2);
        if (words > last)
            assert_false(yk_ec_sii_decode(v4_image, last, s));
        rounds++;
    } while (words > last && rounds < 100);
    assert_int_equal(words, sizeof v4_image / 2);
    assert_true(yk_ec_sii_decode(v4_image, words, s));
    free(s);
}

static void entries_are_written_and_read(void **state)
{
    struct yk_ec_entry e;

    assert_true(yk_ec_entry_parse("0x607A:0:i32", &e));
    assert_int_equal(e.index, 0x607a);
    assert_int_equal(e.bits, 32);
    assert_true(yk_ec_entry_parse("0x6000:17", &e));
    assert_int_equal(e.subindex, 17);
    assert_int_equal(e.type, YK_EC_GAP);
    assert_true(yk_ec_entry_parse("gap:7", &e));
    assert_int_equal(e.bits, 7);
    for (const char *const *wrong = (const char *const[]){"", "0x607A", "0x607A:", "0x607A:0:i33", "0x10000:0", "gap:0",
                                                          "0x6000:300", "-1:0", "0x6000:1:", NULL};
         *wrong; wrong++)
        assert_false(yk_ec_entry_parse(*wrong, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_sum_is_a_crc_of_eight_bits),
        cmocka_unit_test(the_image_of_a_drive_is_understood),
        cmocka_unit_test(an_image_is_read_as_far_as_it_goes),
        cmocka_unit_test(entries_are_written_and_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
