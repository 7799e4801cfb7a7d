/* The simulated segment answers the frames of the vectors byte by byte. The line of the vectors: two drives, and a
 * coupler without process data; all have clocks. */
#include "support/check.h"
#include "support/ethercat_vectors.h"
#include "support/segment.h"

#define SAME(frame, vector) assert_memory_equal(frame, vector, sizeof vector)

static uint8_t back[1514];

static void send_bytes(struct yk_sim_segment *g, const uint8_t *sent, size_t size)
{
    memcpy(back, sent, size);
    assert_true(yk_sim_segment_frame(g, back, size));
}

/* Sends a vector and compares what comes back. */
#define EXCHANGE(g, sent, wanted)                                                                                      \
    do {                                                                                                               \
        assert_int_equal(sizeof(sent), sizeof(wanted));                                                                \
        send_bytes(g, sent, sizeof(sent));                                                                             \
        SAME(back, wanted);                                                                                            \
    } while (0)

static struct yk_sim_segment *ready(void)
{
    struct yk_sim_segment *g = segment_of_drives(2);

    segment_address(g);
    return g;
}

static void to_preop(struct yk_sim_segment *g)
{
    for (unsigned i = 0; i < 2; i++)
        segment_write(g, 0x1001, 0x0800 + 8 * i, 8,
                      (0x1000 + 0x40 * i) | (uint64_t)0x40 << 16 | (uint64_t)(i ? 0x22 : 0x26) << 32 |
                          (uint64_t)1 << 48);
    assert_int_equal(segment_ask(g, 0x1001, 2), 2);
}

static void a_broadcast_read_joins_the_states(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(2);

    EXCHANGE(g, v1_sent, v1_init);
    g->slaves[0]->memory[0x0130] = g->slaves[1]->memory[0x0130] = 8;
    g->slaves[2]->memory[0x0130] = 0x14;
    EXCHANGE(g, v1_sent, v1_mixed);
    yk_sim_segment_destroy(g);
}

static void stations_are_addressed_by_position(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(2);
    uint64_t station;

    EXCHANGE(g, v2_sent, v2_back);
    assert_int_equal(segment_read(g, 0x1002, 0x0010, 2, &station), 1);
    assert_int_equal(station, 0x1002);
    yk_sim_segment_destroy(g);
}

static void the_sii_is_busy_then_gives_eight_bytes(void **state)
{
    struct yk_sim_segment *g = ready();

    EXCHANGE(g, v3_sent, v3_back);
    yk_sim_segment_advance(g, g->now + 100000);
    EXCHANGE(g, v3_poll, v3_busy);
    yk_sim_segment_advance(g, g->now + 100000);
    EXCHANGE(g, v3_poll, v3_done);
    EXCHANGE(g, v3_read, v3_data);
    yk_sim_segment_destroy(g);
}

static void the_image_of_a_drive_is_that_of_the_vector(void **state)
{
    struct yk_sim_segment *g = ready();
    const struct yk_sim_slave *s = g->slaves[1];

    assert_int_equal(s->sii_size, sizeof v4_image);
    SAME(s->sii, v4_image);
    yk_sim_segment_destroy(g);
}

static void the_check_sum_of_the_sii(void **state)
{
    const uint8_t a[14] = {5}, b[14] = {0}, c[14] = {0x08, 0x0f, 0x00, 0xcc, 0x88, 0x13};

    assert_int_equal(yk_sim_sii_crc(a, 14), 0x48);
    assert_int_equal(yk_sim_sii_crc(b, 14), 0x30);
    assert_int_equal(yk_sim_sii_crc(c, 14), 0x63);
}

static void sdos_have_the_bytes_of_the_vectors(void **state)
{
    struct yk_sim_segment *g = ready();
    uint8_t mail[64];

    snprintf(g->slaves[0]->name, sizeof g->slaves[0]->name, "%s",
             "Yoke simulated servo drive, axis 1, CiA 402, vector name 060");
    to_preop(g);
    EXCHANGE(g, v5_sent, v5_back);
    EXCHANGE(g, v5_asked, v5_answer);
    EXCHANGE(g, v5_asked, v5_empty);
    assert_int_equal(yk_sim_object_value(g->slaves[0], 0x6060, 0), 8);
    send_bytes(g, v6_sent, sizeof v6_sent);
    assert_int_equal(segment_do(g, 4, 0x1001, 0x1040, mail, 64), 1);
    assert_memory_equal(mail, v6_answer + 26, 64);
    send_bytes(g, v7_sent, sizeof v7_sent);
    assert_int_equal(segment_do(g, 4, 0x1001, 0x1040, mail, 64), 1);
    assert_memory_equal(mail, v7_first + 26, 64);
    send_bytes(g, v7_more, sizeof v7_more);
    assert_int_equal(segment_do(g, 4, 0x1001, 0x1040, mail, 64), 1);
    assert_memory_equal(mail, v7_rest + 26, 64);
    yk_sim_segment_destroy(g);
}

static void sync_managers_and_fmmus_are_written(void **state)
{
    struct yk_sim_segment *g = ready();

    EXCHANGE(g, v8_sent, v8_back);
    to_preop(g);
    assert_int_equal(segment_ask(g, 0x1001, 4), 4); /* and they are right */
    yk_sim_segment_destroy(g);
}

/* Both drives enabled; what they read is put there. */
static struct yk_sim_segment *operating(void)
{
    static const uint8_t words[] = {0x06, 0x07, 0x0f, 0x0f};
    struct yk_sim_segment *g = segment_of_drives(2);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[24] = {0};

    assert_int_equal(size, 24);
    assert_int_equal(inputs, 12);
    for (int i = 0; i < 4; i++) {
        image[0] = image[6] = words[i];
        assert_int_equal(segment_lrw(g, image, size), 6);
    }
    for (int i = 0; i < 2; i++) {
        yk_sim_object_find(g->slaves[i], 0x6064, 0)->value = i ? (uint32_t)-7850 : 123400;
        yk_sim_inputs_put(g->slaves[i]);
    }
    return g;
}

static void process_data_of_two_drives(void **state)
{
    struct yk_sim_segment *g = operating();

    EXCHANGE(g, v9_sent, v9_back);
    assert_near(g->command[0], 123456e-7, 1e-12); /* 0.1 um a count */
    assert_near(g->command[1], -7890e-7, 1e-12);
    yk_sim_segment_destroy(g);
}

static void a_cyclic_frame_carries_the_time(void **state)
{
    struct yk_sim_segment *g = operating();
    const uint64_t shown = 0x0B5E620F1A2B3C00, offset = shown - yk_sim_clock_system(g->slaves[0], g->now);

    segment_write(g, 0x1001, 0x0920, 8, offset);
    EXCHANGE(g, v10_sent, v10_back);
    yk_sim_segment_destroy(g);
}

static void receive_times_of_a_line(void **state)
{
    struct yk_sim_segment *g = ready();
    static const int64_t locals[] = {51000, 4294965796, 50077};
    uint8_t ask[sizeof v11_times];

    g->cable_ns[0] = 53;
    g->cable_ns[1] = 265;
    yk_sim_segment_reach(g, 3); /* works out the path again */
    for (int k = 0; k < 3; k++) {
        g->slaves[k]->clock.at = g->now;
        g->slaves[k]->clock.local = locals[k];
        g->slaves[k]->clock.part = g->slaves[k]->clock.ppm = 0;
    }
    EXCHANGE(g, v11_sent, v11_back);
    memcpy(ask, v11_times, sizeof ask); /* the request: data and working counters are zero */
    ask[6] = 0;
    for (int k = 0; k < 3; k++)
        memset(ask + 16 + 20 * k + 10, 0, 10);
    EXCHANGE(g, ask, v11_times);
    yk_sim_segment_destroy(g);
}

/* Status word read, and the control word sent next. */
static void a_drive_goes_from_fault_to_operation(void **state)
{
    static const uint16_t rows[][2] = {{0x0218, 0x0000}, {0x0218, 0x0080}, {0x0250, 0x0006},
                                       {0x0231, 0x0007}, {0x0233, 0x000F}, {0x1237, 0x000F},
                                       {0x1237, 0x000B}, {0x0217, 0x0000}, {0x0250, 0x0000}};
    struct yk_sim_segment *g = segment_of_drives(1);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[12] = {0};

    assert_int_equal(size, 12);
    yk_sim_drive_fail(g->slaves[0], 0x8611, g->now);
    segment_lrw(g, image, size);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image[0] = (uint8_t)rows[i][1];
        assert_int_equal(segment_lrw(g, image, size), 3);
        assert_int_equal(image[6] | image[7] << 8, rows[i][0]);
        memset(image + 6, 0, 6);
    }
    yk_sim_segment_destroy(g);
}

static void sync0_is_set_up_by_three_datagrams(void **state)
{
    struct yk_sim_segment *g = ready();

    segment_write(g, 0x1001, 0x0920, 8, 0x0B5E620F1A2B3C00 - yk_sim_clock_system(g->slaves[0], g->now));
    EXCHANGE(g, v15_sent, v15_back);
    /* 819199999332300000 - 0x0B5E620F1A2B3C00 is 101.2 ms */
    assert_int_equal(yk_sim_clock_sync_due(g->slaves[0], g->now) - g->now,
                     819199999332300000 - (int64_t)0x0B5E620F1A2B3C00);
    yk_sim_segment_destroy(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broadcast_read_joins_the_states),
        cmocka_unit_test(stations_are_addressed_by_position),
        cmocka_unit_test(the_sii_is_busy_then_gives_eight_bytes),
        cmocka_unit_test(the_image_of_a_drive_is_that_of_the_vector),
        cmocka_unit_test(the_check_sum_of_the_sii),
        cmocka_unit_test(sdos_have_the_bytes_of_the_vectors),
        cmocka_unit_test(sync_managers_and_fmmus_are_written),
        cmocka_unit_test(process_data_of_two_drives),
        cmocka_unit_test(a_cyclic_frame_carries_the_time),
        cmocka_unit_test(receive_times_of_a_line),
        cmocka_unit_test(a_drive_goes_from_fault_to_operation),
        cmocka_unit_test(sync0_is_set_up_by_three_datagrams),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
