/* Packets of a declared layout: their bytes, what is refused, and numbers of few bits. Bytes by Python's struct and
 * zlib; check values of CRCs by their definition ("123456789"). */
#include "support/check.h"
#include "support/wire.h"

#include "rig/raw_codec.h"

#include <math.h>

static void a_packet_has_the_declared_bytes(void **state)
{
    /* struct.pack('>HIbdhBB', 0xA55A, 7, -2, 0.01, -250, 0b101, 0) and its zlib.crc32 */
    static const unsigned char big[] = {0xa5, 0x5a, 0x00, 0x00, 0x00, 0x07, 0xfe, 0x3f, 0x84, 0x7a, 0xe1, 0x47,
                                        0xae, 0x14, 0x7b, 0xff, 0x06, 0x05, 0x00, 0xb3, 0xdc, 0xef, 0x86};
    struct yk_field fields[] = {layout_field(YK_TYPE_U16, YK_FIELD_CONSTANT, 0, 0xa55a),
                                layout_field(YK_TYPE_U32, YK_FIELD_SEQUENCE, 2, 0),
                                layout_field(YK_TYPE_I8, YK_FIELD_STATE, 6, 0),
                                layout_value(YK_TYPE_F64, 7, 0),
                                layout_value(YK_TYPE_I16, 15, 1),
                                layout_field(YK_TYPE_U8, YK_FIELD_LINES, 17, 0),
                                layout_field(YK_TYPE_U8, YK_FIELD_SKIP, 18, 0),
                                layout_field(YK_TYPE_CRC32, YK_FIELD_CHECK, 19, 0)};
    struct yk_layout l = {fields, sizeof fields / sizeof *fields, 23, true};
    struct yk_packet p = {.sequence = 7, .state = -2, .lines = 0x12}, got = {.lines = 0xffff};
    unsigned char bytes[64];
    double values[2] = {0};

    fields[5].lines[0] = 4;
    fields[5].lines[2] = 1;
    assert_int_equal(yk_layout_pack(&l, &p, (double[]){0.01, -250.4}, bytes), sizeof big);
    assert_memory_equal(bytes, big, sizeof big);
    assert_true(yk_layout_unpack(&l, bytes, sizeof big, &got, values));
    assert_int_equal(got.sequence, 7);
    assert_int_equal(got.state, -2);
    assert_int_equal(got.lines, 0xffff); /* both bits are on, the others stay */
    assert_near(values[0], 0.01, 0);
    assert_near(values[1], -250, 0);
    /* the same numbers, the other way round */
    l.big = false;
    yk_layout_pack(&l, &p, (double[]){0.01, -250.4}, bytes);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(bytes[7 + i], big[14 - i]);
}

static void check_sums_are_those_of_their_names(void **state)
{
    static const struct {
        enum yk_field_type type;
        uint64_t sum;
    } cases[] = {{YK_TYPE_CRC16, 0x4b37},     {YK_TYPE_CRC16_CCITT, 0x29b1},
                 {YK_TYPE_CRC32, 0xcbf43926}, {YK_TYPE_SUM8, 0xdd}, /* 49 + ... + 57 = 477 */
                 {YK_TYPE_SUM16, 477},        {YK_TYPE_XOR8, 0x31}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_field fields[10];
        struct yk_layout l = {fields, 10, 9 + yk_type_bytes(cases[i].type), false};
        unsigned char bytes[16];

        for (size_t k = 0; k < 9; k++)
            fields[k] = layout_field(YK_TYPE_U8, YK_FIELD_CONSTANT, k, '1' + (int)k);
        fields[9] = layout_field(cases[i].type, YK_FIELD_CHECK, 9, 0);
        yk_layout_pack(&l, &(struct yk_packet){0}, NULL, bytes);
        assert_int_equal(yk_bytes_get(bytes + 9, yk_type_bytes(cases[i].type), false), cases[i].sum);
        /* a flipped bit is noticed, by every one of them */
        for (size_t bit = 0; bit < 8 * l.size; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_false(yk_layout_unpack(&l, bytes, l.size, &(struct yk_packet){0}, NULL));
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
        assert_true(yk_layout_unpack(&l, bytes, l.size, &(struct yk_packet){0}, NULL));
        for (size_t size = 0; size < 16; size++)
            assert_int_equal(yk_layout_unpack(&l, bytes, size, &(struct yk_packet){0}, NULL), size == l.size);
    }
}

/* Beyond the range of its type a value is clipped: it never wraps to the other end. */
static void whole_numbers_are_rounded_and_clipped(void **state)
{
    static const struct {
        enum yk_field_type type;
        double in, out;
    } cases[] = {{YK_TYPE_I16, 1.5, 2},
                 {YK_TYPE_I16, -1.4, -1},
                 {YK_TYPE_I16, 1e9, 32767},
                 {YK_TYPE_I16, -1e9, -32768},
                 {YK_TYPE_U8, -3, 0},
                 {YK_TYPE_U8, 300, 255},
                 {YK_TYPE_I8, 128, 127},
                 {YK_TYPE_U32, 1e20, 0xffffffffu},
                 {YK_TYPE_I64, -1e30, -0x1p63},
                 {YK_TYPE_I64, 1e30, 0x1.fffffffffffffp62},
                 {YK_TYPE_U64, 1e30, 0x1.fffffffffffffp63},
                 {YK_TYPE_I32, NAN, 0},
                 {YK_TYPE_F32, 0.1, (double)0.1f},
                 {YK_TYPE_F64, 0.1, 0.1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(yk_type_decode(cases[i].type, yk_type_encode(cases[i].type, cases[i].in)), cases[i].out, 0);
}

/* ---- sessions ---- */

/* A run and a rig that talk through a buffer. */
struct both {
    struct yk_raw_settings settings;
    struct yk_raw_codec run, rig;
    struct yk_link run_link, rig_link;
};

static void meet(struct both *b, bool numbered)
{
    b->settings = wire_layouts(numbered);
    yk_raw_codec_init(&b->run, &b->settings, &wire_plan, false);
    yk_raw_codec_init(&b->rig, &b->settings, &wire_plan, true);
    b->run_link = b->rig_link = (struct yk_link){0};
    yk_raw_codec_use(&b->run, &b->run_link);
    yk_raw_codec_use(&b->rig, &b->rig_link);
}

/* A message of the run, as the rig gets it; false: nothing was sent. */
static bool to(struct both *b, const struct yk_message *m, struct yk_message *got)
{
    unsigned char bytes[YK_WIRE_LARGEST];
    const size_t size = b->run_link.codec.pack(&b->run, m, bytes);

    return size && b->rig_link.codec.unpack(&b->rig, bytes, size, got) == YK_FRAME_GOOD;
}

static bool from(struct both *b, const struct yk_message *m, struct yk_message *got)
{
    unsigned char bytes[YK_WIRE_LARGEST];
    const size_t size = b->rig_link.codec.pack(&b->rig, m, bytes);

    return size && b->run_link.codec.unpack(&b->run, bytes, size, got) == YK_FRAME_GOOD;
}

static void numbers_of_one_byte_count_on(void **state)
{
    struct both b;
    struct yk_message got, m = {.kind = YK_HELLO, .session = 5, .sequence = 1, .count = YK_HELLO_VALUES};

    meet(&b, true);
    assert_false(to(&b, &m, &got)); /* no packet says hello; the run answers itself */
    assert_true(b.run_link.codec.pending(&b.run, &got));
    assert_int_equal(got.kind, YK_WELCOME);
    m = (struct yk_message){.kind = YK_REST, .session = 5, .sequence = 2, .count = 2, .values = {0.25, -0.5}};
    assert_true(to(&b, &m, &got));
    assert_int_equal(got.kind, YK_HELLO);
    assert_near(got.values[0], 2, 0);
    b.rig_link.codec.pack(&b.rig, &(struct yk_message){.kind = YK_WELCOME}, NULL);
    b.rig_link.in_session = true;
    assert_true(b.rig_link.codec.pending(&b.rig, &got));
    assert_int_equal(got.kind, YK_REST);
    assert_near(got.values[1], -0.5, 0);
    assert_int_equal(got.sequence, 1);
    for (uint64_t k = 1; k <= 1000; k++) {
        const struct yk_message command = {
            .kind = YK_COMMAND, .session = 5, .sequence = 2 + k, .count = 3, .values = {1e-3 * (double)k, 2, 0}};

        assert_true(to(&b, &command, &got));
        assert_int_equal(got.kind, YK_COMMAND);
        assert_int_equal(got.sequence, 1 + k);
        assert_near(got.values[0], 1e-3 * (double)k, 0);
        if (k % 7 == 0) { /* sent again: the same number */
            assert_true(to(&b, &command, &got));
            assert_int_equal(got.sequence, 1 + k);
        }
        const struct yk_message reading = {
            .kind = YK_READING, .sequence = k, .answers = 1 + k, .count = 9, .values = {(double)k, 3, 0, 0, 4, 5}};
        assert_true(from(&b, &reading, &got));
        assert_int_equal(got.sequence, k);
        assert_int_equal(got.answers, 2 + k); /* as the run counts */
        assert_int_equal(got.session, 5);
        assert_near(got.values[5], 5, 0);
    }
    /* a late one is behind, a gap is a gap */
    const struct yk_message late = {.kind = YK_READING, .sequence = 990, .count = 9},
                            gap = {.kind = YK_READING, .sequence = 1020, .count = 9};
    assert_true(from(&b, &late, &got));
    assert_int_equal(got.sequence, 990);
    assert_true(from(&b, &gap, &got));
    assert_int_equal(got.sequence, 1020);
}

static void a_device_without_numbers_gets_no_command_twice(void **state)
{
    const struct yk_message command = {.kind = YK_COMMAND, .sequence = 9, .count = 3},
                            next = {.kind = YK_COMMAND, .sequence = 10, .count = 3};
    struct yk_message got;
    struct both b;

    meet(&b, false);
    b.rig_link.in_session = true;
    assert_true(to(&b, &command, &got));
    assert_false(to(&b, &command, &got));
    assert_true(to(&b, &next, &got));
}

static void a_fault_is_a_refusal_with_its_number(void **state)
{
    unsigned char bytes[64];
    struct yk_message got;
    char words[YK_WIRE_WORDS];
    struct both b;

    meet(&b, true);
    yk_layout_pack(&b.settings.readings, &(struct yk_packet){.fault = 71}, (double[8]){0}, bytes);
    assert_int_equal(b.run_link.codec.unpack(&b.run, bytes, b.settings.readings.size, &got), YK_FRAME_GOOD);
    assert_int_equal(got.kind, YK_REFUSE);
    yk_refuse_words(&got, words);
    assert_string_equal(words, "it reports fault 71");
}

static void cut_and_end_reach_the_rig(void **state)
{
    struct yk_message got;
    struct both b;

    meet(&b, true);
    b.rig_link.in_session = true;
    assert_true(to(&b, &(struct yk_message){.kind = YK_COMMAND, .sequence = 3, .count = 3}, &got));
    assert_true(to(&b, &(struct yk_message){.kind = YK_ENABLE, .sequence = 4, .count = 2}, &got));
    assert_int_equal(got.kind, YK_ENABLE);
    assert_near(got.values[0], 0, 0);
    assert_true(to(&b, &(struct yk_message){.kind = YK_CUT, .sequence = 5, .count = 1}, &got));
    assert_int_equal(got.kind, YK_CUT);
    assert_true(to(&b, &(struct yk_message){.kind = YK_BYE, .sequence = 6}, &got));
    assert_int_equal(got.kind, YK_BYE);
}

static void layouts_without_a_needed_field_are_refused(void **state)
{
    struct yk_raw_settings s = wire_layouts(true);

    assert_ok(yk_raw_check(&s, &wire_plan, &err));
    s.commands.fields[1].role = YK_FIELD_SKIP;
    assert_refused(yk_raw_check(&s, &wire_plan, &err), YK_E_INPUT, "needs a field 'state'");
    s = wire_layouts(true);
    s.readings.fields[6].role = YK_FIELD_SKIP;
    assert_refused(yk_raw_check(&s, &wire_plan, &err), YK_E_INPUT, "no field 'a2.force' in `readings`");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_has_the_declared_bytes),
        cmocka_unit_test(check_sums_are_those_of_their_names),
        cmocka_unit_test(whole_numbers_are_rounded_and_clipped),
        cmocka_unit_test(numbers_of_one_byte_count_on),
        cmocka_unit_test(a_device_without_numbers_gets_no_command_twice),
        cmocka_unit_test(a_fault_is_a_refusal_with_its_number),
        cmocka_unit_test(cut_and_end_reach_the_rig),
        cmocka_unit_test(layouts_without_a_needed_field_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
