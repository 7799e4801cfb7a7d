/* The mailbox of a simulated slave: SDOs in one piece and in segments, the mapping of PDOs, the dictionary, repeats. */
#include "support/check.h"
#include "support/segment.h"

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

/* Does the SII hold `size` bytes of this category at `at`? Returns where its data begin. */
static const uint8_t *category(const struct yk_sim_slave *s, unsigned type, size_t *size)
{
    size_t at = 0x80;

    while (yk_le16(s->sii + at) != 0xFFFF && yk_le16(s->sii + at) != type)
        at += 4 + 2u * yk_le16(s->sii + at + 2);
    *size = yk_le16(s->sii + at) == type ? 2u * yk_le16(s->sii + at + 2) : 0;
    return s->sii + at + 4;
}

/* A master takes the SyncManagers from the SII or from 0x1C00, and then reads the list of each: all must agree, for
 * slaves without outputs or inputs, too. */
static void syncmanagers_of_objects_and_sii_agree(void **state)
{
    struct yk_rig_plan plan = segment_plan(2);
    struct yk_sim_segment *g;

    for (int exact = 0; exact < 2; exact++) {
        static const struct yk_rig_sensor sensors[] = {{"s1", "V"}};

        plan.sensor_count = 1;
        plan.sensors = sensors;
        g = segment_for(&(struct yk_sim_settings){.exact = exact}, &plan);
        for (size_t k = 0; k < g->count; k++) {
            struct yk_sim_slave *s = g->slaves[k];
            uint8_t data[256];
            size_t size, bytes;
            const uint8_t *sms = category(s, 41, &size);

            if (!s->mailbox)
                continue;
            assert_int_equal(size, 8 * yk_sim_object_value(s, 0x1C00, 4)); /* as many as types */
            for (unsigned i = 0; i < size / 8; i++) {
                const unsigned use = sms[8 * i + 7];

                assert_int_equal(use, yk_sim_object_value(s, 0x1C00, i + 1));
                if (use >= 3) {
                    assert_int_equal(yk_sim_sdo_upload(s, 0x1C10 + i, 0, data, &bytes), 0);
                    assert_int_equal(data[0] > 0, yk_le16(sms + 8 * i + 2) > 0); /* PDOs where there are bytes */
                    assert_int_equal(sms[8 * i + 6], data[0] > 0);
                }
            }
            const uint8_t *strings = category(s, 10, &size);
            assert_true(strings[0] >= 1 && strings[1] == strlen(s->order));
            assert_memory_equal(strings + 2, s->order, strings[1]);
        }
        yk_sim_segment_destroy(g);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syncmanagers_of_objects_and_sii_agree), cmocka_unit_test(pdos_are_mapped_by_objects),
        cmocka_unit_test(sdos_that_cannot_be_are_aborted),       cmocka_unit_test(long_texts_go_in_segments_both_ways),
        cmocka_unit_test(the_dictionary_can_be_listed),          cmocka_unit_test(a_mailbox_repeats_its_last_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
