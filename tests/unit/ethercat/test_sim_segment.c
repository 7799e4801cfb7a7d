/* The simulated segment behaves as slaves do: working counters, SyncManagers, FMMUs, states, mailbox, clocks, drives,
 * faults. Requests are single datagrams, so that nothing of the master of the library is needed. */
#include "support/check.h"
#include "support/segment.h"

#include "base/clock.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>

enum { APRD = 1, APWR, APRW, FPRD, FPWR, FPRW, BRD, BWR, BRW, LRD, LWR, LRW, ARMW, FRMW };

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
    static const struct yk_rig_line lines[] = {
        {"door", YK_LINE_INTERLOCK, false}, {"lamp", YK_LINE_RUN_LAMP, false}, {"stop", YK_LINE_EMERGENCY_STOP, false}};
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
    static const struct yk_rig_line lines[] = {{"lamp", YK_LINE_RUN_LAMP, false}};
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

/* ---- mailbox ---- */

static struct yk_sim_segment *in_preop(void)
{
    struct yk_sim_segment *g = segment_of_drives(1);

    segment_address(g);
    for (unsigned i = 0; i < 2; i++)
        segment_write(g, 0x1001, 0x0800 + 8 * i, 8,
                      (0x1000 + 64 * i) | (uint64_t)64 << 16 | (uint64_t)(i ? 0x22 : 0x26) << 32 | (uint64_t)1 << 48);
    assert_int_equal(segment_ask(g, 0x1001, 2), 2);
    return g;
}

static uint32_t download(struct yk_sim_segment *g, unsigned index, unsigned sub, unsigned bytes, uint32_t value)
{
    const uint8_t request[] = {(uint8_t)(0x23 | (4 - bytes) << 2),
                               (uint8_t)index,
                               (uint8_t)(index >> 8),
                               (uint8_t)sub,
                               (uint8_t)value,
                               (uint8_t)(value >> 8),
                               (uint8_t)(value >> 16),
                               (uint8_t)(value >> 24)};
    uint8_t answer[56];

    assert_int_equal(segment_sdo(g, 0x1001, request, sizeof request, answer), 8);
    assert_memory_equal(answer + 1, request + 1, 3);
    if (answer[0] == 0x60)
        return 0;
    assert_int_equal(answer[0], 0x80);
    return yk_le32(answer + 4);
}

static uint32_t upload(struct yk_sim_segment *g, unsigned index, unsigned sub)
{
    const uint8_t request[8] = {0x40, (uint8_t)index, (uint8_t)(index >> 8), (uint8_t)sub};
    uint8_t answer[56];

    segment_sdo(g, 0x1001, request, sizeof request, answer);
    return yk_le32(answer + 4);
}

static void pdos_are_mapped_by_objects(void **state)
{
    struct yk_sim_segment *g = in_preop();

    assert_int_equal(upload(g, 0x1C12, 1), 0x1600);
    assert_int_equal(upload(g, 0x1600, 2), 0x607A0020);
    assert_int_equal(download(g, 0x1600, 1, 4, 0x60400010), 0x06010002); /* while its count is not 0 */
    assert_int_equal(download(g, 0x1C12, 0, 1, 0), 0);
    assert_int_equal(download(g, 0x1600, 0, 1, 0), 0);
    assert_int_equal(download(g, 0x1600, 1, 4, 0x60400010), 0);
    assert_int_equal(download(g, 0x1600, 2, 4, 0x60410010), 0x06040041); /* an input */
    assert_int_equal(download(g, 0x1600, 2, 4, 0x12340010), 0x06020000);
    assert_int_equal(download(g, 0x1600, 2, 4, 0x00000008), 0); /* a gap */
    assert_int_equal(download(g, 0x1600, 3, 4, 0x60600008), 0);
    assert_int_equal(download(g, 0x1600, 4, 4, 0x607A0020), 0);
    assert_int_equal(download(g, 0x1600, 0, 1, 4), 0);
    assert_int_equal(download(g, 0x1C12, 1, 2, 0x1700), 0x06040041);
    assert_int_equal(download(g, 0x1C12, 1, 2, 0x1600), 0);
    assert_int_equal(download(g, 0x1C12, 0, 1, 1), 0);
    assert_int_equal(g->slaves[0]->maps[YK_SIM_OUT].bits, 64);
    yk_sim_segment_destroy(g);
}

static void sdos_that_cannot_be_are_aborted(void **state)
{
    struct yk_sim_segment *g = in_preop();
    static const uint8_t unknown[8] = {0xE0, 0x41, 0x60, 0}, segment[8] = {0x60};
    uint8_t answer[56];

    assert_int_equal(download(g, 0x6041, 0, 2, 0), 0x06010002);  /* read only */
    assert_int_equal(download(g, 0x7123, 0, 2, 0), 0x06020000);  /* no object */
    assert_int_equal(download(g, 0x60C2, 9, 1, 0), 0x06090011);  /* no subindex */
    assert_int_equal(download(g, 0x605A, 0, 4, 0), 0x06070010);  /* length */
    assert_int_equal(download(g, 0x6060, 0, 1, 10), 0x06090030); /* the plant takes positions */
    assert_int_equal(download(g, 0x1008, 0, 1, 0), 0x06010002);
    assert_int_equal(upload(g, 0x1018, 0), 4);
    assert_int_equal(upload(g, 0x1018, 2), 0x00402001);
    segment_sdo(g, 0x1001, unknown, 8, answer);
    assert_int_equal(yk_le32(answer + 4), 0x05040001);
    segment_sdo(g, 0x1001, segment, 8, answer); /* nothing to continue */
    assert_int_equal(answer[0], 0x80);
    size_t inputs;
    yk_sim_segment_destroy(g);
    g = segment_of_drives(1);
    segment_to_op(g, &inputs);
    assert_int_equal(download(g, 0x1C12, 0, 1, 0), 0x08000022); /* in this state */
    yk_sim_segment_destroy(g);
}

static void long_texts_go_in_segments_both_ways(void **state)
{
    struct yk_sim_segment *g = in_preop();
    const char text[] = "a label of seventy-nine characters, which needs two segments of sixty-four bytes";
    const size_t size = 79, first = 48; /* 64 - 16 */
    uint8_t request[56] = {0x21, 0x00, 0x20, 0, (uint8_t)size}, answer[56];

    memcpy(request + 8, text, first);
    assert_int_equal(segment_sdo(g, 0x1001, request, 56, answer), 8);
    assert_int_equal(answer[0], 0x60);
    request[0] = 0x11; /* the wrong toggle */
    memcpy(request + 1, text + first, size - first);
    segment_sdo(g, 0x1001, request, 1 + size - first, answer);
    assert_int_equal(yk_le32(answer + 4), 0x05030000);
    memcpy(request, (const uint8_t[]){0x21, 0x00, 0x20, 0, (uint8_t)size, 0, 0, 0}, 8);
    memcpy(request + 8, text, first);
    segment_sdo(g, 0x1001, request, 56, answer);
    request[0] = 0x01;
    memcpy(request + 1, text + first, size - first);
    segment_sdo(g, 0x1001, request, 1 + size - first, answer);
    assert_int_equal(answer[0], 0x20);
    assert_int_equal(strlen(g->slaves[0]->label), size);
    assert_memory_equal(g->slaves[0]->label, text, size);
    memcpy(request, (const uint8_t[]){0x40, 0x00, 0x20, 0, 0, 0, 0, 0}, 8);
    assert_int_equal(segment_sdo(g, 0x1001, request, 8, answer), 56);
    assert_memory_equal(answer + 8, text, first);
    memcpy(request, (const uint8_t[]){0x60, 0, 0, 0, 0, 0, 0, 0}, 8);
    assert_int_equal(segment_sdo(g, 0x1001, request, 8, answer), 1 + size - first);
    assert_memory_equal(answer + 1, text + first, size - first);
    yk_sim_segment_destroy(g);
}

/* A request of SDO information; the answer begins with its operation. Returns the size behind the four bytes of its
 * head. */
static size_t inform(struct yk_sim_segment *g, const uint8_t *request, size_t size, uint8_t *answer)
{
    uint8_t mail[64] = {(uint8_t)(size + 2), 0, 0, 0, 0, 3, 0, 0x80};

    if (request) {
        memcpy(mail + 8, request, size);
        assert_int_equal(segment_do(g, FPWR, 0x1001, 0x1000, mail, 64), 1);
    }
    segment_wait(g, 100000);
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1040, mail, 64), 1);
    assert_int_equal(mail[7], 0x80);
    memcpy(answer, mail + 8, 56);
    return mail[0] - 6u;
}

/* As masters in use take it apart: list in fragments, then each object, then each entry. */
static void the_dictionary_can_be_listed(void **state)
{
    struct yk_sim_segment *g = in_preop();
    uint8_t a[56];
    uint16_t list[80];
    size_t count = 0, n = inform(g, (const uint8_t[]){1, 0, 0, 0, 1, 0}, 6, a);

    assert_int_equal(a[0], 0x82); /* more follow */
    assert_int_equal(yk_le16(a + 4), 1);
    for (size_t at = 6;; at = 4) {
        for (; at < 4 + n; at += 2)
            list[count++] = yk_le16(a + at);
        if (!(a[0] & 0x80))
            break;
        n = inform(g, NULL, 0, a);
    }
    inform(g, (const uint8_t[]){1, 0, 0, 0, 0, 0}, 6, a);
    assert_int_equal(yk_le16(a + 6), count); /* the length of the list that was told */
    for (size_t i = 0; i < count; i++) {
        const uint8_t object[] = {3, 0, 0, 0, (uint8_t)list[i], (uint8_t)(list[i] >> 8)};
        uint8_t sdo[] = {0x40, object[4], object[5], 0, 0, 0, 0, 0}, value[56];

        assert_true(i == 0 || list[i] > list[i - 1]);
        assert_true(inform(g, object, 6, a) > 6);
        assert_int_equal(a[0], 4);
        const unsigned most = a[8], code = a[9];
        assert_int_equal(code, most ? 9 : 7);
        for (unsigned sub = 0; sub <= most; sub++) { /* what is listed can be read, with that length */
            const uint8_t entry[] = {5, 0, 0, 0, object[4], object[5], (uint8_t)sub, 0};

            inform(g, entry, 8, a);
            if (a[0] == 7)
                continue; /* a gap between subindices */
            assert_int_equal(a[0], 6);
            assert_int_equal(a[12] & 7, 7);
            sdo[3] = (uint8_t)sub;
            segment_sdo(g, 0x1001, sdo, 8, value);
            const size_t bytes = (yk_le16(a + 10) + 7u) / 8;
            if (bytes >= 1 && bytes <= 4)
                assert_int_equal(value[0], 0x43 | (4 - bytes) << 2);
            else
                assert_int_equal(yk_le32(value + 4), bytes);
        }
    }
    inform(g, (const uint8_t[]){5, 0, 0, 0, 0x41, 0x60, 0, 0}, 8, a);
    assert_int_equal(yk_le16(a + 8), 6);           /* u16 */
    assert_int_equal(yk_le16(a + 12), 7 | 1 << 7); /* read only, an input */
    inform(g, (const uint8_t[]){3, 0, 0, 0, 0x99, 0x99}, 6, a);
    assert_int_equal(a[0], 7);
    assert_int_equal(yk_le32(a + 4), 0x06020000);
    yk_sim_segment_destroy(g);
}

static void a_mailbox_repeats_its_last_message(void **state)
{
    struct yk_sim_segment *g = in_preop();
    uint8_t mail[64] = {10, 0, 0, 0, 0, 0x13, 0, 0x20, 0x40, 0x41, 0x60}, again[64], full[64];
    uint64_t ack;

    memcpy(full, mail, 64);
    assert_int_equal(segment_do(g, FPWR, 0x1001, 0x1000, mail, 64), 1);
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1040, again, 64), 1);
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1040, mail, 64), 0);
    segment_write(g, 0x1001, 0x080E, 1, 3); /* toggled */
    segment_read(g, 0x1001, 0x080F, 1, &ack);
    assert_int_equal(ack & 2, 2);
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1040, mail, 64), 1);
    assert_memory_equal(mail, again, 64);
    assert_int_equal(segment_do(g, FPWR, 0x1001, 0x1000, full, 64), 1); /* the same number: dropped */
    assert_int_equal(segment_do(g, FPRD, 0x1001, 0x1040, mail, 64), 0);
    g->slaves[0]->mailbox_stuck = true;
    full[5] = 0x23;
    assert_int_equal(segment_do(g, FPWR, 0x1001, 0x1000, full, 64), 1);
    assert_int_equal(segment_do(g, FPWR, 0x1001, 0x1000, full, 64), 0); /* full */
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
    size_t inputs;
    uint8_t image[64] = {0};

    assert_ok(yk_sim_segment_describe(g, &setup, &err));
    assert_int_equal(yk_le32(g->slaves[0]->sii + 16), 0x1234);
    assert_int_equal(yk_le32(g->slaves[0]->sii + 24), 9);
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
        cmocka_unit_test(pdos_are_mapped_by_objects),
        cmocka_unit_test(sdos_that_cannot_be_are_aborted),
        cmocka_unit_test(long_texts_go_in_segments_both_ways),
        cmocka_unit_test(the_dictionary_can_be_listed),
        cmocka_unit_test(a_mailbox_repeats_its_last_message),
        cmocka_unit_test(clocks_follow_the_reference),
        cmocka_unit_test(a_start_of_sync0_in_the_past_never_comes),
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
