/* The simulated segment behaves as slaves do: working counters, SyncManagers, FMMUs, states, terminals, clocks.
 * Requests are single datagrams, so that nothing of the master of the library is needed. Its mailbox:
 * test_sim_mailbox.c; drives and faults: test_sim_drives.c. */
#include "support/check.h"
#include "support/segment.h"

#include <stdlib.h>

/* ---- working counter ---- */

static void each_command_counts_reads_and_writes(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(2); /* three slaves */
    uint8_t data[4] = {0};

    segment_address(g);
    /* user RAM at 0x0F80: all may read and write */
    static const struct {
        unsigned command, adp, wkc;
    } rows[] = {
        {APRD, 0xFFFF, 1}, {APWR, 0xFFFF, 1}, {APRW, 0xFFFF, 3}, {APRD, 0xFFFD, 0}, {FPRD, 0x1002, 1},
        {FPWR, 0x1002, 1}, {FPRW, 0x1002, 3}, {FPRD, 0x1009, 0}, {BRD, 0, 3},       {BWR, 0, 3},
        {BRW, 0, 9},       {ARMW, 0, 3},      {FRMW, 0x1002, 3}, {0, 0, 0},         {15, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(segment_do(g, rows[i].command, rows[i].adp, 0x0F80, data, 4), rows[i].wkc);
    assert_int_equal(segment_do(g, BRD, 0, 0x2FFE, data, 4), 0); /* beyond the RAM */
    yk_sim_segment_destroy(g);
}

static void a_read_write_returns_what_was_there_and_writes_what_came(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    uint8_t data[2] = {0x11, 0x22};

    segment_address(g);
    segment_do(g, FPWR, 0x1001, 0x0F80, data, 2);
    memcpy(data, (const uint8_t[]){0x33, 0x44}, 2);
    assert_int_equal(segment_do(g, FPRW, 0x1001, 0x0F80, data, 2), 3);
    assert_memory_equal(data, ((const uint8_t[]){0x11, 0x22}), 2);
    segment_do(g, FPRD, 0x1001, 0x0F80, data, 2);
    assert_memory_equal(data, ((const uint8_t[]){0x33, 0x44}), 2);
    yk_sim_segment_destroy(g);
}

static void registers_that_are_read_only_count_but_keep_their_values(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    uint64_t before, after;

    segment_address(g);
    segment_read(g, 0x1001, 0x0008, 2, &before);
    assert_int_equal(segment_write(g, 0x1001, 0x0008, 2, 0xFFFF), 1);
    segment_read(g, 0x1001, 0x0008, 2, &after);
    assert_int_equal(before, 0x000C); /* clocks of 64 bits */
    assert_int_equal(after, before);
    yk_sim_segment_destroy(g);
}

static void alias_addresses_answer_once_switched_on(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    uint8_t on[] = {1}, data[2];

    segment_address(g);
    yk_le_put(g->slaves[0]->memory + 0x0012, 0x0777, 2);
    assert_int_equal(segment_do(g, FPRD, 0x0777, 0x0130, data, 2), 0);
    segment_do(g, BWR, 0, 0x0103, on, 1);
    assert_int_equal(segment_do(g, FPRD, 0x0777, 0x0130, data, 2), 1);
    yk_sim_segment_destroy(g);
}

static void ports_show_where_the_line_ends(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(2);
    static const uint64_t whole[] = {0x5A33, 0x5A33, 0x5613};
    uint64_t status, lost;

    segment_address(g);
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(segment_read(g, 0x1001 + k, 0x0110, 2, &status), 1);
        assert_int_equal(status, whole[k]);
    }
    yk_sim_segment_reach(g, 2);
    assert_int_equal(segment_read(g, 0x1002, 0x0110, 2, &status), 1);
    assert_int_equal(status, whole[2]);
    segment_read(g, 0x1002, 0x0311, 1, &lost);
    assert_int_equal(lost, 1);
    assert_int_equal(segment_read(g, 0x1003, 0x0110, 2, &status), 0);
    yk_sim_segment_reach(g, 3); /* mended */
    assert_int_equal(segment_read(g, 0x1003, 0x0110, 2, &status), 1);
    yk_sim_segment_destroy(g);
}

/* ---- FMMU ---- */

/* Three bits from bit 6 of the logical address on, at bit 3 of a byte. */
static void an_fmmu_moves_single_bits(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    static const uint8_t fmmu[] = {0, 0, 1, 0, 2, 0, 6, 0, 0x80, 0x0F, 3, 2, 1, 0, 0, 0};
    uint8_t copy[16], image[3] = {0xC0, 0x01, 0xFF}, byte[1] = {0x81};

    segment_address(g);
    memcpy(copy, fmmu, sizeof copy);
    segment_do(g, FPWR, 0x1001, 0x0F80, byte, 1);
    segment_do(g, FPWR, 0x1001, 0x0600, copy, 16);
    assert_int_equal(segment_do(g, LWR, 0, 1, image, 3), 1);
    segment_do(g, FPRD, 0x1001, 0x0F80, byte, 1);
    assert_int_equal(byte[0], 0x81 | 7 << 3); /* its other bits stay */
    copy[11] = 1;
    segment_do(g, FPWR, 0x1001, 0x0600, copy, 16);
    memset(image, 0, 3);
    assert_int_equal(segment_do(g, LRD, 0, 1, image, 3), 1);
    assert_memory_equal(image, ((const uint8_t[]){0xC0, 0x01, 0x00}), 3);
    assert_int_equal(segment_do(g, LWR, 0, 1, image, 3), 0); /* it reads only */
    assert_int_equal(segment_do(g, LRW, 2, 1, image, 1), 0); /* beyond it */
    yk_sim_segment_destroy(g);
}

/* ---- states ---- */

static void states_are_refused_with_their_codes(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    uint64_t locked;
    uint8_t data[6];

    segment_address(g);
    assert_int_equal(segment_ask(g, 0x1001, 4), 0x00110011);     /* not in one step */
    assert_int_equal(segment_ask(g, 0x1001, 0x12) & 0x1F, 0x11); /* the acknowledge does not help: no mailbox */
    assert_int_equal(segment_ask(g, 0x1001, 0x11), 1);           /* acknowledged */
    assert_int_equal(segment_ask(g, 0x1001, 7), 0x00120011);     /* no such state */
    assert_int_equal(segment_ask(g, 0x1001, 0x11), 1);
    assert_int_equal(segment_ask(g, 0x1001, 2), 0x00160011); /* mailboxes */
    segment_ask(g, 0x1001, 0x11);
    segment_write(g, 0x1001, 0x0800, 8, 0x1000 | (uint64_t)64 << 16 | (uint64_t)0x26 << 32 | (uint64_t)1 << 48);
    segment_write(g, 0x1001, 0x0808, 8, 0x1040 | (uint64_t)64 << 16 | (uint64_t)0x22 << 32 | (uint64_t)1 << 48);
    assert_int_equal(segment_ask(g, 0x1001, 2), 2);
    assert_int_equal(segment_ask(g, 0x1001, 4), 0x001D0012); /* outputs */
    segment_ask(g, 0x1001, 0x12);
    segment_write(g, 0x1001, 0x0810, 8, 0x1100 | (uint64_t)6 << 16 | (uint64_t)0x64 << 32 | (uint64_t)1 << 48);
    assert_int_equal(segment_ask(g, 0x1001, 4), 0x001E0012); /* inputs */
    segment_ask(g, 0x1001, 0x12);
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1180, data, 6), 1); /* its SyncManager is off: plain RAM */
    segment_write(g, 0x1001, 0x0818, 8, 0x1180 | (uint64_t)6 << 16 | (uint64_t)0x20 << 32 | (uint64_t)1 << 48);
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1180, data, 6), 0); /* locked by the device below SAFEOP */
    segment_read(g, 0x1001, 0x081F, 1, &locked);
    assert_int_equal(locked & 1, 1);
    segment_write(g, 0x1001, 0x0981, 1, 3); /* SYNC0 without a cycle */
    assert_int_equal(segment_ask(g, 0x1001, 4), 0x00300012);
    segment_ask(g, 0x1001, 0x12);
    segment_write(g, 0x1001, 0x0981, 1, 0);
    assert_int_equal(segment_ask(g, 0x1001, 4), 4);
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1180, data, 6), 1);
    assert_int_equal(segment_ask(g, 0x1001, 8), 0x00190014); /* no outputs came */
    segment_ask(g, 0x1001, 0x14);
    memset(data, 0, 6);
    assert_int_equal(segment_do(g, FPWR, 0x1001, 0x1100, data, 6), 1);
    assert_int_equal(segment_ask(g, 0x1001, 8), 8);
    assert_int_equal(segment_ask(g, 0x1001, 2), 2); /* down in any step */
    yk_sim_segment_destroy(g);
}

static void a_sync_manager_keeps_its_place_while_it_is_on(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);
    uint64_t sm;

    segment_address(g);
    segment_write(g, 0x1001, 0x0800, 8, 0x1000 | (uint64_t)64 << 16 | (uint64_t)0x26 << 32 | (uint64_t)1 << 48);
    segment_write(g, 0x1001, 0x0800, 4, 0x1200 | 32u << 16);
    segment_read(g, 0x1001, 0x0800, 4, &sm);
    assert_int_equal(sm, 0x1000 | 64 << 16);
    segment_write(g, 0x1001, 0x0806, 1, 0);
    segment_write(g, 0x1001, 0x0800, 4, 0x1200 | 32u << 16);
    segment_read(g, 0x1001, 0x0800, 4, &sm);
    assert_int_equal(sm, 0x1200 | 32 << 16);
    yk_sim_segment_destroy(g);
}

static void outputs_that_stop_let_the_slave_fall(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(2);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[64] = {0};
    uint64_t value;

    segment_write(g, 0x1001, 0x0420, 2, 200); /* 20 ms; the other keeps 100 ms */
    assert_int_equal(segment_lrw(g, image, size), 6);
    segment_wait(g, 19000000);
    segment_read(g, 0x1001, 0x0130, 2, &value);
    assert_int_equal(value, 8);
    segment_wait(g, 2000000);
    segment_read(g, 0x1001, 0x0130, 2, &value);
    assert_int_equal(value, 0x14);
    segment_read(g, 0x1001, 0x0134, 2, &value);
    assert_int_equal(value, 0x001B);
    segment_read(g, 0x1001, 0x0442, 1, &value);
    assert_int_equal(value, 1);
    assert_int_equal(segment_lrw(g, image, size), 4);         /* its outputs are locked: 2 are missing */
    assert_int_equal(segment_ask(g, 0x1001, 8) & 0x1F, 0x14); /* ignored while the error stands */
    assert_int_equal(segment_ask(g, 0x1001, 0x14), 4);
    assert_int_equal(segment_lrw(g, image, size), 6);
    assert_int_equal(segment_ask(g, 0x1001, 8), 8);
    yk_sim_segment_destroy(g);
}

/* ---- terminals ---- */

static void lines_and_forces_have_terminals(void **state)
{
    static const struct yk_rig_line lines[] = {{"door", YK_LINE_INTERLOCK, false, 0},
                                               {"lamp", YK_LINE_RUN_LAMP, false, 0},
                                               {"stop", YK_LINE_EMERGENCY_STOP, false, 0}};
    static const struct yk_rig_sensor sensors[] = {{"strain", "um/m"}};
    struct yk_rig_plan plan = segment_plan(1);
    plan.lines = lines;
    plan.line_count = 3;
    plan.sensors = sensors;
    plan.sensor_count = 1;
    struct yk_sim_segment *g = segment_for(&(struct yk_sim_settings){.force = 1e3, .range = 5}, &plan);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[64] = {0};

    assert_int_equal(g->count, 5); /* coupler, drive, analogue, digital in, digital out */
    assert_int_equal(inputs, 7);   /* drive 6, lamp 1 */
    assert_int_equal(size - inputs, 6 + 8 + 1);
    image[6] = 1;
    g->in.readings[0].force = -250;
    g->in.sensors[0] = 7; /* beyond its range */
    g->in.lines = 1 << 2;
    assert_int_equal(segment_lrw(g, image, size), 3 + 1 + 1 + 2);
    assert_int_equal(g->lines, 1 << 1);
    memset(image + inputs, 0, sizeof image - inputs);
    assert_int_equal(segment_do(g, LRD, LOGICAL & 0xFFFF, LOGICAL >> 16, image, size), 3);
    const uint8_t *in = image + inputs + 6;
    assert_int_equal((int16_t)(in[2] | in[3] << 8), -8192); /* a quarter of 32768 */
    assert_int_equal(in[0] | (in[1] & 0x7F) << 8, 0);
    assert_int_equal(in[6] | in[7] << 8, 32767);
    assert_int_equal(in[4], 0x42); /* over range, error */
    assert_int_equal(in[8], 2);    /* door open, stop well */
    yk_sim_segment_destroy(g);
}

static void a_simple_terminal_switches_off_and_stays_in_op(void **state)
{
    static const struct yk_rig_line lines[] = {{"lamp", YK_LINE_RUN_LAMP, false, 0}};
    struct yk_rig_plan plan = segment_plan(1);
    plan.lines = lines;
    plan.line_count = 1;
    struct yk_sim_segment *g = segment_for(&(struct yk_sim_settings){0}, &plan);
    size_t inputs;
    const size_t size = segment_to_op(g, &inputs);
    uint8_t image[64] = {[6] = 1};
    uint64_t value;

    segment_lrw(g, image, size);
    assert_int_equal(g->lines, 1);
    segment_wait(g, 101000000);
    segment_read(g, 0x1004, 0x0130, 2, &value);
    assert_int_equal(value, 8);
    segment_read(g, 0x1004, 0x0440, 2, &value);
    assert_int_equal(value & 1, 0);
    assert_int_equal(g->slaves[3]->memory[0x0F00], 0);
    yk_sim_segment_destroy(g);
}

/* ---- clocks ---- */

/* +-100 ppm and a first difference of 100 us: below 100 ns within 200 writes of the time, a millisecond apart. */
static void clocks_follow_the_reference(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(2);
    uint8_t time[8];

    segment_address(g);
    yk_sim_clock_drift(g->slaves[1], 100, g->now);
    yk_sim_clock_drift(g->slaves[2], -100, g->now);
    for (unsigned k = 1; k < 3; k++) /* 100 us apart */
        segment_write(g, 0x1001 + k, 0x0920, 8,
                      100000 + yk_sim_clock_system(g->slaves[0], g->now) - yk_sim_clock_system(g->slaves[k], g->now));
    for (unsigned k = 1; k < 3; k++)
        segment_write(g, 0x1001 + k, 0x0928, 4, 670 * k);
    for (int i = 0; i < 400; i++) {
        yk_sim_segment_advance(g, g->now + 1000000);
        memset(time, 0, 8);
        assert_int_equal(segment_do(g, ARMW, 0, 0x0910, time, 8), 3);
        for (int k = 1; k < 3 && i > 200; k++)
            assert_in_range(llabs((long long)(yk_sim_clock_system(g->slaves[k], g->now) -
                                              yk_sim_clock_system(g->slaves[0], g->now))),
                            0, 100);
    }
    yk_sim_segment_destroy(g);
}

static void a_start_of_sync0_in_the_past_never_comes(void **state)
{
    struct yk_sim_segment *g = segment_of_drives(1);

    segment_address(g);
    segment_write(g, 0x1001, 0x09A0, 4, 1000000);
    segment_write(g, 0x1001, 0x0990, 8, yk_sim_clock_system(g->slaves[0], g->now) - 1);
    segment_write(g, 0x1001, 0x0980, 2, 0x0300);
    assert_true(yk_sim_clock_sync_due(g->slaves[0], g->now) == INT64_MAX);
    yk_sim_segment_destroy(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_command_counts_reads_and_writes),
        cmocka_unit_test(a_read_write_returns_what_was_there_and_writes_what_came),
        cmocka_unit_test(registers_that_are_read_only_count_but_keep_their_values),
        cmocka_unit_test(alias_addresses_answer_once_switched_on),
        cmocka_unit_test(ports_show_where_the_line_ends),
        cmocka_unit_test(an_fmmu_moves_single_bits),
        cmocka_unit_test(states_are_refused_with_their_codes),
        cmocka_unit_test(a_sync_manager_keeps_its_place_while_it_is_on),
        cmocka_unit_test(outputs_that_stop_let_the_slave_fall),
        cmocka_unit_test(lines_and_forces_have_terminals),
        cmocka_unit_test(a_simple_terminal_switches_off_and_stays_in_op),
        cmocka_unit_test(clocks_follow_the_reference),
        cmocka_unit_test(a_start_of_sync0_in_the_past_never_comes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
