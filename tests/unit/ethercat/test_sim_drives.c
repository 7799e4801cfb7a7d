/* Simulated drives and the rig behind them: what a target does, described slaves, many slaves, faults of bus and
 * slaves. */
#include "support/check.h"
#include "support/segment.h"

#include "base/clock.h"
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>

/* ---- drives ---- */

static void climb(struct yk_sim_segment *g, uint8_t *image, size_t size, size_t drives)
{
    static const uint8_t words[] = {0x06, 0x07, 0x0F};

    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < drives; k++)
            image[6 * k] = words[i];
        segment_lrw(g, image, size);
    }
}

static void set_target(uint8_t *image, size_t drive, int32_t counts)
{
    yk_le_put(image + 6 * drive + 2, (uint64_t)(uint32_t)counts, 4);
}

static void a_quick_stop_brakes_by_its_deceleration(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[16] = {0};

    yk_sim_object_find(g->slaves[0], 0x6085, 0)->value = 10000000; /* 1 m/s2 */
    climb(g, image, size, 1);
    for (int i = 1; i <= 10; i++) { /* 10 mm/s */
        set_target(image, 0, 100 * i);
        segment_lrw(g, image, size);
    }
    image[0] = 0x02;
    const double from = g->command[0];
    for (int i = 0; i < 20; i++)
        segment_lrw(g, image, size);
    assert_near(from, 1e-4, 1e-12);
    assert_near(g->command[0] - from, 0.5 * 0.01 * 0.01, 6e-6); /* v^2/2a, and half a tick */
    assert_true(g->command[0] > from);
    yk_sim_segment_destroy(g);
}

static void software_limits_clip_the_target(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[16] = {0};

    yk_sim_object_find(g->slaves[0], 0x607D, 1)->value = (uint32_t)-1000;
    yk_sim_object_find(g->slaves[0], 0x607D, 2)->value = 2000;
    climb(g, image, size, 1);
    set_target(image, 0, 5000);
    segment_lrw(g, image, size);
    assert_near(g->command[0], 2e-4, 1e-12);
    segment_lrw(g, image, size);
    assert_int_equal(image[inputs] | image[inputs + 1] << 8, 0x1A37); /* bit 11 */
    yk_sim_segment_destroy(g);
}

static void a_target_that_is_no_number_is_a_fault(void **state)
{
    const struct yk_rig_plan plan = segment_plan(1);
    struct yk_sim_segment *g = segment_for(&(struct yk_sim_settings){.exact = true}, &plan);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[64] = {0};
    const double bad = NAN, good = 0.25;

    climb(g, image, size, 1);
    memcpy(image + 2, &good, 8);
    segment_lrw(g, image, size);
    assert_true(g->command[0] == 0.25);
    memcpy(image + 2, &bad, 8);
    for (int i = 0; i < 3; i++)
        segment_lrw(g, image, size);
    assert_true(g->command[0] == 0.25);
    assert_int_equal(g->slaves[1]->drive_now.state, YK_SIM_FAULT);
    yk_sim_segment_destroy(g);
}

static void a_new_master_finds_the_rig_at_its_start(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[16] = {0};

    climb(g, image, size, 1);
    set_target(image, 0, 7000);
    segment_lrw(g, image, size);
    assert_near(g->in.readings[0].displacement, 7e-4, 1e-12);
    segment_ask(g, 0x1001, 1);
    assert_near(g->in.readings[0].displacement, 7e-4, 1e-12); /* not before all slaves are back */
    segment_ask(g, 0x1002, 1);
    segment_wait(g, 2000000);
    assert_true(g->in.readings[0].displacement == 0);
    assert_int_equal(g->counts.sessions, 1);
    yk_sim_segment_destroy(g);
}

/* ---- size ---- */

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Half of the frames take less than a quarter of a tick of 4 kHz, beside the wire and the rig. */
static void eight_drives_at_4_khz_leave_time(void **state)
{
    enum { FRAMES = 4001 };
    static int64_t took[FRAMES];
    const struct yk_rig_plan plan = segment_plan(8);
    struct yk_sim_segment *g = segment_for(&(struct yk_sim_settings){0}, &plan);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[256] = {0};

    climb(g, image, size, 8);
    for (int i = 0; i < FRAMES; i++) {
        const int64_t start = yk_clock_now_ns();

        set_target(image, (size_t)i % 8, i);
        assert_int_equal(segment_lrw(g, image, size), 8 * 3 + 2);
        took[i] = yk_clock_now_ns() - start;
    }
    qsort(took, FRAMES, sizeof *took, by_size);
    print_message("a frame through 11 slaves takes %.1f us (median)\n", 1e-3 * (double)took[FRAMES / 2]);
    assert_true(took[FRAMES / 2] < 62500);
    yk_sim_segment_destroy(g);
}

static void fifty_slaves_reach_op(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(49);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[1486] = {0};

    assert_int_equal(size, 49 * 12);
    assert_int_equal(segment_lrw(g, image, size), 49 * 3);
    climb(g, image, size, 49);
    memset(image + inputs, 0, sizeof image - inputs);
    segment_lrw(g, image, size);
    for (size_t k = 0; k < 49; k++)
        assert_int_equal(image[inputs + 6 * k] | image[inputs + 6 * k + 1] << 8, 0x1237);
    yk_sim_segment_destroy(g);
}

/* ---- descriptions ---- */

static void a_described_slave_has_its_numbers_and_entries(void **state)
{
    struct yk_ec_pdo out = {.index = 0x1600,
                            .count = 3,
                            .entries = {{0x6040, 0, 16, YK_EC_U16}, {0, 0, 4, YK_EC_GAP}, {0x2222, 1, 32, YK_EC_F32}}},
                     in = {.index = 0x1A03,
                           .count = 2,
                           .entries = {{0x6041, 0, 16, YK_EC_U16}, {0x3333, 2, 64, YK_EC_I64}}};
    struct yk_ec_slave_setup slaves[] = {{.name = "axis",
                                          .vendor = 0x1234,
                                          .product = 0x5678,
                                          .revision = 9,
                                          .drive = YK_EC_CSV,
                                          .output_count = 1,
                                          .input_count = 1,
                                          .outputs = &out,
                                          .inputs = &in},
                                         {.name = "coupler", .vendor = 0xA5A5, .product = 0x100001}};
    struct yk_ec_channel channels[] = {{.of = "a1",
                                        .role = YK_EC_ROLE_COMMAND,
                                        .slave = 0,
                                        .entry = {0x2222, 1, 0, YK_EC_GAP},
                                        .scale = -2,
                                        .offset = 1},
                                       {.of = "a1",
                                        .role = YK_EC_ROLE_DISPLACEMENT,
                                        .slave = 0,
                                        .entry = {0x3333, 2, 0, YK_EC_GAP},
                                        .scale = 1e-9,
                                        .offset = 0.5}};
    struct yk_ec_setup setup = {.slave_count = 2, .slaves = slaves, .channel_count = 2, .channels = channels};
    struct yk_sim_segment *g = segment_empty(1);
    static const uint8_t words[] = {0x06, 0x07, 0x0F, 0x0F};
    static const uint16_t profile[] = {0x603F, 0x6060, 0x6061, 0x6064, 0x606C, 0x6071, 0x6077, 0x607A, 0x607D, 0x6085,
                                       0x608F, 0x6091, 0x6092, 0x60B1, 0x60B2, 0x60C2, 0x60F4, 0x60FF, 0x6502};
    size_t inputs;
    uint8_t image[64] = {0};

    assert_ok(yk_sim_segment_describe(g, &setup, &err));
    assert_int_equal(yk_le32(g->slaves[0]->sii + 16), 0x1234);
    assert_int_equal(yk_le32(g->slaves[0]->sii + 24), 9);
    for (size_t i = 0; i < sizeof profile / sizeof *profile; i++) /* what is not listed is there, as in a real drive */
        if (!yk_sim_object_find(g->slaves[0], profile[i], 0) && !yk_sim_object_find(g->slaves[0], profile[i], 1))
            fail_msg("a described drive has no object 0x%04X", profile[i]);
    assert_int_equal(yk_sim_object_value(g->slaves[0], 0x608F, 1), 1000000000); /* counts of 1 nm */
    const size_t size = segment_to_op(g, &inputs);
    assert_int_equal(inputs, 7); /* 52 bits */
    assert_int_equal(size, 17);
    yk_bits_put(image, 20, 32, 0x40400000); /* 3.0f: 1 - 2 * 3 */
    for (int i = 0; i < 4; i++) {
        image[0] = words[i];
        segment_lrw(g, image, size);
    }
    assert_true(g->command[0] == -5);
    assert_true(g->in.readings[0].displacement == -5);
    segment_lrw(g, image, size);
    assert_true((int64_t)yk_le64(image + inputs + 2) == -5500000000);
    yk_sim_segment_destroy(g);

    channels[0].entry.subindex = 9;
    g = segment_empty(1);
    assert_refused(yk_sim_segment_describe(g, &setup, &err), YK_E_INPUT, "slave axis has no entry 0x2222:9");
    yk_sim_segment_destroy(g);
    slaves[1].product = 0x100002;
    g = segment_empty(1);
    assert_refused(yk_sim_segment_describe(g, &setup, &err), YK_E_UNSUPPORTED, "none of the simulated kinds");
    yk_sim_segment_destroy(g);
}

/* 10 V are 100 mm; without frames the output is switched off. */
static void an_analogue_output_commands_until_its_watchdog(void **state)
{
    struct yk_ec_pdo out = {.index = 0x1600, .count = 1, .entries = {{0x7000, 17, 16, YK_EC_I16}}};
    struct yk_ec_slave_setup slaves[] = {
        {.name = "valve", .vendor = 0x1234, .product = 0x4132, .output_count = 1, .outputs = &out}};
    struct yk_ec_channel channels[] = {{.of = "a1",
                                        .role = YK_EC_ROLE_COMMAND,
                                        .slave = 0,
                                        .entry = {0x7000, 17, 0, YK_EC_GAP},
                                        .scale = 0.1 / 32768}};
    struct yk_ec_setup setup = {.slave_count = 1, .slaves = slaves, .channel_count = 1, .channels = channels};
    struct yk_sim_segment *g = segment_empty(1);
    size_t inputs;
    uint8_t image[2] = {0x00, 0x40};

    assert_ok(yk_sim_segment_describe(g, &setup, &err));
    assert_int_equal(segment_to_op(g, &inputs), 2);
    assert_int_equal(segment_lrw(g, image, 2), 2);
    assert_near(g->in.readings[0].displacement, 0.05, 1e-12);
    segment_wait(g, 101000000);
    assert_int_equal(yk_sim_slave_state(g->slaves[0]), YK_EC_SAFEOP);
    assert_int_equal(yk_sim_object_value(g->slaves[0], 0x7000, 17), 0);
    yk_sim_segment_destroy(g);
}

/* ---- faults ---- */

static size_t came;

static void count_frames(void *to, const uint8_t *bytes, size_t size)
{
    came++;
    memcpy(to, bytes, size);
}

/* Whatever happens to frames and slaves, the plant gets only positions that were sent, or where it stops from them. */
static void no_fault_lets_a_target_pass_that_was_not_sent(void **state)
{
    static const char *const faults[] = {"lost@0.01+0.004",     "damaged@0.02+0.005:2", "late@0.03+0.005",
                                         "duplicate@0.04+0.01", "wkc@0.05+0.01",        "safeop@0.06:1",
                                         "cut@0.07:1",          "drive@0.08:2"};
    uint64_t seed = 1;

    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        struct yk_sim_segment *g = segment_of_drives(2);
        size_t inputs;
        const size_t size = segment_to_op(g, &inputs);
        uint8_t image[64] = {0}, frame[128];

        assert_int_equal(yk_sim_faults_parse(faults[f], g->settings.faults, &g->settings.fault_count, NULL), YK_OK);
        for (int k = 0; k < 2; k++) /* stops at once */
            yk_sim_object_find(g->slaves[k], 0x6085, 0)->value = 0;
        climb(g, image, size, 2);
        for (int i = 0; i < 300; i++) {
            double last[2] = {g->command[0], g->command[1]};

            for (size_t k = 0; k < 2; k++)
                set_target(image, k, (int32_t)(1e5 * yk_draw(&seed)));
            memset(image + inputs, 0, sizeof image - inputs);
            memset(frame, 0, sizeof frame);
            memcpy(frame, (const uint8_t[]){0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x5e, 0, 0x53, 1, 0x88, 0xa4},
                   14);
            yk_le_put(frame + 14, 0x1000 | (size + 12), 2);
            frame[16] = LRW;
            yk_le_put(frame + 18, LOGICAL, 4);
            yk_le_put(frame + 22, size, 2);
            memcpy(frame + 26, image, size);
            yk_sim_segment_take(g, frame, size + 28, count_frames, frame);
            for (size_t k = 0; k < 2; k++) {
                const double sent = (double)(int32_t)yk_le32(image + 6 * k + 2) * 1e-7;

                if (fabs(g->command[k] - sent) > 1e-12 && g->command[k] != last[k])
                    fail_msg("%s: drive %zu at %.9g; %.9g was sent, %.9g before", faults[f], k, g->command[k], sent,
                             last[k]);
            }
        }
        assert_int_equal(g->counts.faults, 1);
        yk_sim_segment_destroy(g);
    }
}

/* Without power at 5 ms, and back at 10 ms: it has forgotten its station and its state. */
static void a_slave_without_power_starts_anew(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(2);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[64] = {0}, status[2];
    uint64_t value;

    assert_int_equal(yk_sim_faults_parse("off@5ms+5ms:2", g->settings.faults, &g->settings.fault_count, NULL), YK_OK);
    climb(g, image, size, 2); /* one tick */
    for (int i = 2; i <= 12; i++) {
        segment_wait(g, 1000000);
        memset(status, 0, 2);
        assert_int_equal(segment_do(g, BRD, 0, 0x0130, status, 2), i > 5 && i <= 10 ? 1 : 3);
        assert_int_equal(segment_read(g, 0x1002, 0x0130, 2, &value), i <= 5);
        segment_lrw(g, image, size);
    }
    assert_int_equal(status[0], 8 | 1);
    yk_sim_segment_destroy(g);
}

static void an_sii_that_does_not_acknowledge_is_read_again(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    uint8_t command[] = {0, 1, 8, 0, 0, 0};
    uint64_t status;

    segment_address(g);
    g->slaves[0]->sii_deaf = 1;
    segment_do(g, FPWR, 0x1001, 0x0502, command, 6);
    segment_wait(g, 300000);
    segment_read(g, 0x1001, 0x0502, 2, &status);
    assert_int_equal(status & 0xA000, 0x2000); /* not busy, no acknowledge */
    segment_do(g, FPWR, 0x1001, 0x0502, command, 6);
    segment_wait(g, 300000);
    segment_read(g, 0x1001, 0x0502, 2, &status);
    assert_int_equal(status, 0x0040);
    segment_read(g, 0x1001, 0x0508, 4, &status);
    assert_int_equal(status, 0xA5A5);
    segment_write(g, 0x1001, 0x0500, 1, 1); /* it belongs to the device */
    segment_do(g, FPWR, 0x1001, 0x0502, command, 6);
    segment_read(g, 0x1001, 0x0502, 2, &status);
    assert_int_equal(status & 0x8000, 0);
    yk_sim_segment_destroy(g);
}

static void faults_are_read_from_words(void **state)
{
    struct yk_sim_fault f[YK_SIM_FAULTS];
    size_t n = 0;

    assert_ok(yk_sim_faults_parse("lost@2s+3ms,cut@0.5:3", f, &n, &err));
    assert_int_equal(n, 2);
    assert_int_equal(f[0].kind, YK_SIM_FAULT_LOST);
    assert_near(f[0].at, 2, 1e-12);
    assert_near(f[0].lasts, 3e-3, 1e-12);
    assert_int_equal(f[0].slave, -1);
    assert_int_equal(f[1].kind, YK_SIM_FAULT_CUT);
    assert_int_equal(f[1].slave, 2);
    static const char *const wrong[] = {"lost",     "lots@1s",      "lost@",    "cut@1s:0",
                                        "cut@1s:x", "cut@1s:2+3ms", "lost@-1s", "lost@1kg"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        n = 0;
        assert_refused(yk_sim_faults_parse(wrong[i], f, &n, &err), YK_E_INPUT, "must be KIND@TIME[+DURATION][:SLAVE]");
    }
}

static void frames_that_are_none_do_not_come_back(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    uint8_t frame[60] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x5e, 0, 0x53, 1,
                         0x88, 0xa4, 0x0e, 0x10, 7,    1,    0, 0, 0x30, 1, 2};

    assert_true(yk_sim_segment_frame(g, frame, sizeof frame));
    frame[13] = 0xa5;
    assert_false(yk_sim_segment_frame(g, frame, sizeof frame)); /* another EtherType */
    frame[13] = 0xa4;
    frame[15] = 0x40;
    assert_false(yk_sim_segment_frame(g, frame, sizeof frame)); /* not datagrams */
    frame[15] = 0x10;
    frame[22] = 3;
    assert_false(yk_sim_segment_frame(g, frame, sizeof frame)); /* lengths that do not agree */
    frame[22] = 2;
    frame[23] = 0x80;
    assert_false(yk_sim_segment_frame(g, frame, sizeof frame)); /* another datagram that is not there */
    assert_false(yk_sim_segment_frame(g, frame, 15));
    assert_int_equal(g->counts.foreign, 5);
    yk_sim_segment_destroy(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quick_stop_brakes_by_its_deceleration),
        cmocka_unit_test(software_limits_clip_the_target),
        cmocka_unit_test(a_target_that_is_no_number_is_a_fault),
        cmocka_unit_test(a_new_master_finds_the_rig_at_its_start),
        cmocka_unit_test(eight_drives_at_4_khz_leave_time),
        cmocka_unit_test(fifty_slaves_reach_op),
        cmocka_unit_test(a_described_slave_has_its_numbers_and_entries),
        cmocka_unit_test(an_analogue_output_commands_until_its_watchdog),
        cmocka_unit_test(no_fault_lets_a_target_pass_that_was_not_sent),
        cmocka_unit_test(a_slave_without_power_starts_anew),
        cmocka_unit_test(an_sii_that_does_not_acknowledge_is_read_again),
        cmocka_unit_test(faults_are_read_from_words),
        cmocka_unit_test(frames_that_are_none_do_not_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
