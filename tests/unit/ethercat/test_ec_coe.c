/* SDO transfers have the bytes of the vectors, in both directions and in segments; aborts end them. */
#include "support/check.h"
#include "support/ethercat_vectors.h"

#include <yoke/ethercat.h>
#include <yoke/ethercat_coe.h>

enum { MAIL = 26, SIZE = 64 }; /* where the mailbox lies in a frame with one datagram; its size */
enum { MAIL_BEHIND = 39 };     /* where it lies behind the status byte of SM1, as in V5 */

static struct yk_ec_emergency emergency;

static void check_request(struct yk_ec_sdo *s, uint8_t counter, const uint8_t *frame)
{
    uint8_t mail[SIZE];

    yk_ec_sdo_request(s, counter, mail, sizeof mail);
    assert_memory_equal(mail, frame + MAIL, SIZE);
}

static void a_short_download_is_expedited(void **state)
{
    struct yk_ec_sdo s;

    yk_ec_sdo_download(&s, 0x6060, 0, (const uint8_t[]){8}, 1);
    check_request(&s, 1, v5_sent);
    assert_true(yk_ec_sdo_answer(&s, v5_answer + MAIL_BEHIND, SIZE, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_DONE);
    assert_int_equal(yk_ec_mail_counter(v5_answer + MAIL_BEHIND), 1);
}

static void a_short_upload_is_expedited(void **state)
{
    struct yk_ec_sdo s;

    yk_ec_sdo_upload(&s, 0x6041, 0);
    check_request(&s, 2, v6_sent);
    assert_false(yk_ec_sdo_answer(&s, v5_answer + MAIL_BEHIND, SIZE, &emergency)); /* of another object: stale */
    assert_int_equal(s.state, YK_EC_SDO_BUSY);
    assert_true(yk_ec_sdo_answer(&s, v6_answer + MAIL, SIZE, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_DONE);
    assert_int_equal(s.size, 2);
    assert_int_equal(yk_le16(s.data), 0x0250);
}

static void a_long_upload_comes_in_segments(void **state)
{
    static const char text[] = "Yoke simulated servo drive, axis 1, CiA 402, vector name 060";
    struct yk_ec_sdo s;

    yk_ec_sdo_upload(&s, 0x1008, 0);
    check_request(&s, 3, v7_sent);
    assert_true(yk_ec_sdo_answer(&s, v7_first + MAIL, SIZE, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_BUSY);
    check_request(&s, 4, v7_more);
    assert_true(yk_ec_sdo_answer(&s, v7_rest + MAIL, SIZE, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_DONE);
    assert_int_equal(s.size, 60);
    assert_memory_equal(s.data, text, 60);
}

/* The bytes of the table of messages: sizes and flags by hand. */
static void a_long_download_goes_in_segments(void **state)
{
    uint8_t data[104], mail[SIZE], answer[16] = {10, 0, 0, 0, 0, 0x13, 0, 0x30, 0x60, 0x00, 0x20, 0x01};
    struct yk_ec_sdo s;

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)i;
    yk_ec_sdo_download(&s, 0x2000, 1, data, sizeof data);
    yk_ec_sdo_request(&s, 1, mail, SIZE);
    assert_int_equal(yk_le16(mail), 58); /* CoE 2 + SDO 8 + 48: the mailbox is full */
    assert_int_equal(mail[8], 0x21);
    assert_int_equal(yk_le32(mail + 12), 104);
    assert_memory_equal(mail + 16, data, 48);
    assert_true(yk_ec_sdo_answer(&s, answer, sizeof answer, &emergency));
    yk_ec_sdo_request(&s, 2, mail, SIZE);
    assert_int_equal(mail[8], 0x00); /* toggle 0, more to come */
    assert_memory_equal(mail + 9, data + 48, 55);
    answer[8] = 0x20;
    assert_true(yk_ec_sdo_answer(&s, answer, sizeof answer, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_BUSY);
    yk_ec_sdo_request(&s, 3, mail, SIZE);
    assert_int_equal(yk_le16(mail), 10);
    assert_int_equal(mail[8], 0x10 | 6 << 1 | 1); /* toggle, 6 of 7 bytes unused, last */
    assert_int_equal(mail[9], 103);
    answer[8] = 0x30;
    assert_true(yk_ec_sdo_answer(&s, answer, sizeof answer, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_DONE);
}

static void an_abort_ends_the_transfer_with_its_code(void **state)
{
    for (unsigned service = 2; service <= 3; service++) { /* slaves differ */
        const uint8_t mail[16] = {10,   0,    0,    0,    0,    0x13, 0, (uint8_t)(service << 4),
                                  0x80, 0x60, 0x60, 0x00, 0x22, 0,    0, 8};
        struct yk_ec_sdo s;

        yk_ec_sdo_upload(&s, 0x6060, 0);
        assert_true(yk_ec_sdo_answer(&s, mail, sizeof mail, &emergency));
        assert_int_equal(s.state, YK_EC_SDO_ABORTED);
        assert_int_equal(s.code, 0x08000022);
        assert_string_equal(yk_ec_abort_words(s.code), "not possible in this state of the slave");
    }
}

static void an_emergency_in_between_is_taken_out(void **state)
{
    const uint8_t mail[16] = {10, 0, 0, 0, 0, 0x13, 0, 0x10, 0x11, 0x86, 0x21, 1, 2, 3, 4, 5};
    struct yk_ec_sdo s;

    yk_ec_sdo_upload(&s, 0x6041, 0);
    assert_false(yk_ec_sdo_answer(&s, mail, sizeof mail, &emergency));
    assert_int_equal(emergency.code, 0x8611);
    assert_int_equal(emergency.reg, 0x21);
    assert_true(yk_ec_sdo_answer(&s, v6_answer + MAIL, SIZE, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_DONE);
}

static void a_slave_that_sends_more_than_it_announced_is_refused(void **state)
{
    uint8_t mail[SIZE];
    struct yk_ec_sdo s;

    yk_ec_sdo_upload(&s, 0x1008, 0);
    assert_true(yk_ec_sdo_answer(&s, v7_first + MAIL, SIZE, &emergency));
    memcpy(mail, v7_rest + MAIL, SIZE);
    mail[0] = 40; /* 37 bytes in the place of 12 */
    assert_true(yk_ec_sdo_answer(&s, mail, SIZE, &emergency));
    assert_int_equal(s.state, YK_EC_SDO_WRONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_download_is_expedited),
        cmocka_unit_test(a_short_upload_is_expedited),
        cmocka_unit_test(a_long_upload_comes_in_segments),
        cmocka_unit_test(a_long_download_goes_in_segments),
        cmocka_unit_test(an_abort_ends_the_transfer_with_its_code),
        cmocka_unit_test(an_emergency_in_between_is_taken_out),
        cmocka_unit_test(a_slave_that_sends_more_than_it_announced_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
