/* Frames of EtherCAT have the bytes of the vectors, and only whole frames are taken. */
#include "support/check.h"
#include "support/ethercat_vectors.h"
#include "support/wire_here.h"

#include <yoke/ethercat.h>

static const uint8_t mac[6] = {0x00, 0x00, 0x5e, 0x00, 0x53, 0x01};

static void check_frame(struct yk_ec_frame *f, const uint8_t *bytes, size_t size)
{
    yk_ec_frame_end(f);
    assert_int_equal(f->size, size);
    assert_memory_equal(f->bytes, bytes, size);
}

static void a_broadcast_read_has_the_bytes_of_the_vector(void **state)
{
    struct yk_ec_frame f;

    yk_ec_frame_begin(&f, mac);
    assert_non_null(yk_ec_frame_add(&f, YK_EC_BRD, 1, yk_ec_address(0, YK_EC_AL_STATUS), 2));
    check_frame(&f, v1_sent, sizeof v1_sent);
}

static void station_addresses_of_three_slaves_go_in_one_frame(void **state)
{
    struct yk_ec_frame f;

    yk_ec_frame_begin(&f, mac);
    for (unsigned p = 0; p < 3; p++)
        yk_le_put(yk_ec_frame_add(&f, YK_EC_APWR, (uint8_t)(2 + p), yk_ec_at_position(p, YK_EC_STATION), 2), 0x1001 + p,
                  2);
    check_frame(&f, v2_sent, sizeof v2_sent);
}

static void an_answer_belongs_to_its_frame(void **state)
{
    struct yk_ec_frame f;
    struct yk_ec_datagram found[YK_EC_DATAGRAMS];
    uint8_t bytes[sizeof v2_back];
    size_t count;

    yk_ec_frame_begin(&f, mac);
    for (unsigned p = 0; p < 3; p++)
        yk_ec_frame_add(&f, YK_EC_APWR, (uint8_t)(2 + p), yk_ec_at_position(p, YK_EC_STATION), 2);
    yk_ec_frame_end(&f);
    memcpy(bytes, v2_back, sizeof bytes);
    assert_int_equal(yk_ec_frame_read(bytes, sizeof bytes, found, &count), YK_EC_GOOD);
    assert_int_equal(count, 3);
    for (unsigned p = 0; p < 3; p++) {
        assert_int_equal(yk_ec_adp_of(&found[p]), 3 - p);
        assert_int_equal(yk_ec_wkc_of(&found[p]), 1);
        assert_int_equal(yk_le16(yk_ec_data_of(&found[p])), 0x1001 + p);
    }
    assert_true(yk_ec_frame_answers(&f, bytes, found, count));
    bytes[6] = 0; /* no slave has touched it: our own frame */
    assert_false(yk_ec_frame_answers(&f, bytes, found, count));
    bytes[6] = 2;
    found[1].at[1]++; /* another index */
    assert_false(yk_ec_frame_answers(&f, bytes, found, count));
    found[1].at[1]--;
    assert_false(yk_ec_frame_answers(&f, bytes, found, 2));
}

static void damaged_frames_are_refused(void **state)
{
    struct yk_ec_datagram found[YK_EC_DATAGRAMS];
    uint8_t bytes[sizeof v10_back];
    size_t count;

    for (size_t size = 0; size < sizeof bytes; size++) { /* cut off anywhere: its length says more */
        memcpy(bytes, v10_back, sizeof bytes);
        assert_int_not_equal(yk_ec_frame_read(bytes, size, found, &count), YK_EC_GOOD);
    }
    assert_int_equal(yk_ec_frame_read(bytes, sizeof bytes, found, &count), YK_EC_GOOD);
    bytes[13] = 0xa5;
    assert_int_equal(yk_ec_frame_read(bytes, sizeof bytes, found, &count), YK_EC_FOREIGN);
    memcpy(bytes, v10_back, sizeof bytes);
    bytes[15] = 0x40; /* type 4: network variables */
    assert_int_equal(yk_ec_frame_read(bytes, sizeof bytes, found, &count), YK_EC_FOREIGN);
    memcpy(bytes, v10_back, sizeof bytes);
    bytes[16] = 15; /* no such command */
    assert_int_equal(yk_ec_frame_read(bytes, sizeof bytes, found, &count), YK_EC_DAMAGED);
    memcpy(bytes, v10_back, sizeof bytes);
    bytes[16 + 7] &= 0x7f; /* the first says that none follows */
    assert_int_equal(yk_ec_frame_read(bytes, sizeof bytes, found, &count), YK_EC_DAMAGED);
}

static void what_does_not_fit_is_not_added(void **state)
{
    struct yk_ec_frame f;

    yk_ec_frame_begin(&f, mac);
    assert_non_null(yk_ec_frame_add(&f, YK_EC_LRW, 0, 0, YK_EC_DATA_MOST));
    assert_null(yk_ec_frame_add(&f, YK_EC_NOP, 0, 0, 0));
    yk_ec_frame_end(&f);
    assert_int_equal(f.size, YK_EC_FRAME_MOST);
    yk_ec_frame_begin(&f, mac);
    for (int i = 0; i < YK_EC_DATAGRAMS; i++)
        assert_non_null(yk_ec_frame_add(&f, YK_EC_NOP, 0, 0, 0));
    assert_null(yk_ec_frame_add(&f, YK_EC_NOP, 0, 0, 0));
}

static void bits_of_any_place_and_number_are_found_again(void **state)
{
    uint8_t bytes[16] = {0};

    yk_bits_put(bytes, 3, 13, 0x1abc);
    yk_bits_put(bytes, 16, 32, 0xdeadbeef);
    yk_bits_put(bytes, 49, 64, 0x0123456789abcdef);
    yk_bits_put(bytes, 0, 3, 5);
    assert_int_equal(yk_bits_get(bytes, 3, 13), 0x1abc);
    assert_int_equal(yk_bits_get(bytes, 16, 32), 0xdeadbeef);
    assert_true(yk_bits_get(bytes, 49, 64) == 0x0123456789abcdef);
    assert_int_equal(bytes[0], 0xe5); /* 0xbc << 3 | 5, lowest byte */
}

/* ---- the wire within a process ---- */

static void return_twice(void *self, const uint8_t *frame, size_t size, struct yk_ec_wire *back)
{
    ++*(int *)self;
    yk_ec_wire_return(back, frame, size);
    yk_ec_wire_return(back, frame, size);
}

static void a_wire_within_a_process_returns_what_the_other_end_returns(void **state)
{
    struct yk_ec_wire wire;
    uint8_t frame[YK_EC_FRAME_MOST];
    int passed = 0;

    assert_int_equal(yk_ec_wire_connect(&wire, return_twice, &passed, NULL), YK_OK);
    assert_true(wire.ops->send(&wire, v1_sent, sizeof v1_sent));
    const int64_t then = wire.ops->now(&wire);
    assert_int_equal(wire.ops->receive(&wire, frame, then + 1000), sizeof v1_sent);
    assert_memory_equal(frame, v1_sent, sizeof v1_sent);
    assert_int_equal(wire.ops->receive(&wire, frame, then + 1000), sizeof v1_sent);
    assert_int_equal(wire.ops->receive(&wire, frame, then + 1000), 0);
    assert_int_equal(wire.ops->now(&wire) - then, 1000);
    assert_int_equal(passed, 1);
    yk_ec_wire_close(&wire);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broadcast_read_has_the_bytes_of_the_vector),
        cmocka_unit_test(station_addresses_of_three_slaves_go_in_one_frame),
        cmocka_unit_test(an_answer_belongs_to_its_frame),
        cmocka_unit_test(damaged_frames_are_refused),
        cmocka_unit_test(what_does_not_fit_is_not_added),
        cmocka_unit_test(bits_of_any_place_and_number_are_found_again),
        cmocka_unit_test(a_wire_within_a_process_returns_what_the_other_end_returns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
