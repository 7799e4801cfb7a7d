/* Messages and their bytes: the layout of docs/backends.md, and nothing but whole messages gets through. */
#include "support/check.h"
#include "support/random.h"
#include "support/wire.h"

#include "rig/bad_wire.h"
#include "rig/message.h"

#include <math.h>

static const struct yk_message command = {
    .kind = YK_COMMAND, .session = 0x11223344, .sequence = 7, .answers = 6, .count = 3, .values = {0.01, -2.5, 5}};

/* Written with Python's struct and zlib.crc32. */
static const unsigned char bytes_of_command[] = {
    0x59, 0x4f, 0x4b, 0x45, 0x03, 0x00, 0x05, 0x00, 0x44, 0x33, 0x22, 0x11, 0x03, 0x00, 0x00,
    0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x7b, 0x14, 0xae, 0x47, 0xe1, 0x7a, 0x84, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x04, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x14, 0x40, 0x50, 0x32, 0x8b, 0xce};

static void a_command_has_the_bytes_of_the_page(void **state)
{
    unsigned char bytes[YK_WIRE_LARGEST];
    struct yk_message m = {0};

    assert_int_equal(yk_message_pack(&command, bytes), sizeof bytes_of_command);
    assert_memory_equal(bytes, bytes_of_command, sizeof bytes_of_command);
    assert_int_equal(yk_message_unpack(bytes, sizeof bytes_of_command, &m), YK_FRAME_GOOD);
    assert_int_equal(m.kind, YK_COMMAND);
    assert_int_equal(m.session, 0x11223344);
    assert_int_equal(m.sequence, 7);
    assert_int_equal(m.answers, 6);
    assert_int_equal(m.count, 3);
    assert_near(m.values[0], 0.01, 0);
    assert_near(m.values[1], -2.5, 0);
}

/* "123456789" is the usual check of a CRC; the names by zlib. */
static void check_sums_are_those_of_ieee_802_3(void **state)
{
    assert_int_equal(yk_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(yk_crc32(yk_crc32(0, "12345", 5), "6789", 4), 0xcbf43926);
    assert_int_equal(yk_names_crc(&wire_plan), 0xd3027032);
}

static void a_flipped_bit_is_noticed(void **state)
{
    for (size_t bit = 0; bit < 8 * sizeof bytes_of_command; bit++) {
        unsigned char bytes[sizeof bytes_of_command];
        struct yk_message m;

        memcpy(bytes, bytes_of_command, sizeof bytes);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        const enum yk_verdict verdict = yk_message_unpack(bytes, sizeof bytes, &m);
        assert_int_equal(verdict, bit < 32 ? YK_FRAME_FOREIGN : bit < 48 ? YK_FRAME_OTHER_VERSION : YK_FRAME_DAMAGED);
    }
}

static void a_message_of_another_length_is_refused(void **state)
{
    unsigned char bytes[YK_WIRE_LARGEST + 8] = {0};
    struct yk_message m;

    memcpy(bytes, bytes_of_command, sizeof bytes_of_command);
    for (size_t size = 0; size < sizeof bytes; size++) {
        const enum yk_verdict verdict = yk_message_unpack(bytes, size, &m);

        assert_int_equal(verdict == YK_FRAME_GOOD, size == sizeof bytes_of_command);
    }
}

/* Good check sums around kinds, counts and values that do not belong together. */
static void a_kind_must_have_its_number_of_values(void **state)
{
    const struct {
        uint32_t kind, count;
        bool good, good_for_two;
    } cases[] = {{YK_HELLO, 6, true, true},          {YK_HELLO, 3, false, false},
                 {YK_WELCOME, 2, true, true},        {YK_REFUSE, 2, true, true},
                 {YK_REFUSE, 18, true, true},        {YK_REFUSE, 1, false, false},
                 {YK_REFUSE, 19, false, false},      {YK_BYE, 0, true, true},
                 {YK_BYE, 1, false, false},          {YK_CUT, 1, true, true},
                 {YK_CUT, 0, false, false},          {YK_ENABLE, 2, true, true},
                 {YK_ENABLE, 1, false, false},       {YK_CHALLENGE, 0, true, true},
                 {YK_CHALLENGE, 1, false, false},    {YK_COMMAND, 11, true, true},
                 {YK_COMMAND, 3, true, false},       {YK_COMMAND, 0, false, false},
                 {YK_READING, 12, true, true},       {YK_READING, 11, true, false},
                 {YK_READING, 1, false, false},      {0, 0, false, false},
                 {YK_MESSAGE_KINDS, 0, false, false}};
    const struct yk_wire_shape two = {.actuators = 2, .sensors = 3, .feeds_forward = true};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_message m = {.kind = cases[i].kind, .count = cases[i].count};
        unsigned char bytes[YK_WIRE_LARGEST];
        const size_t size = yk_message_pack(&m, bytes);

        assert_int_equal(yk_message_unpack(bytes, size, &m) == YK_FRAME_GOOD, cases[i].good);
        assert_int_equal(yk_message_fits(&m, &two), cases[i].good_for_two);
    }
}

/* Words go over the wire as they are, as far as there is room, and without what would disturb a terminal. */
static void a_refusal_carries_words(void **state)
{
    static const char longer[] =
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890"
        "12345678901234567890123456789012345678901234567890";
    static const struct {
        const char *said, *heard;
        uint32_t count;
    } cases[] = {{"", "", 2},
                 {"oil", "oil", 3},
                 {"oil: 40", "oil: 40", 3},
                 {"oil: 40\n", "oil: 40 ", 3},
                 {"\033[2Jq", " [2Jq", 3},
                 {"\302\2332J", "  2J", 3}, /* the same in one character, U+009B */
                 {"\303\251t\303\251", "\303\251t\303\251", 3},
                 {"pressure of the oil", "pressure of the oil", 5}};
    char words[YK_WIRE_WORDS];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[YK_WIRE_LARGEST];
        struct yk_message m = yk_refuse(5, YK_REFUSED_RIG, 0, cases[i].said);
        const size_t size = yk_message_pack(&m, bytes);

        assert_int_equal(m.count, cases[i].count);
        assert_int_equal(yk_message_unpack(bytes, size, &m), YK_FRAME_GOOD);
        yk_refuse_words(&m, words);
        assert_string_equal(words, cases[i].heard);
    }
    const struct yk_message m = yk_refuse(5, YK_REFUSED_RIG, 0, longer);
    yk_refuse_words(&m, words);
    assert_int_equal(strlen(words), YK_WIRE_WORDS - 1);
    assert_memory_equal(words, longer, YK_WIRE_WORDS - 1);
}

/* ---- the wire with faults ---- */

struct sink {
    uint64_t got[4000];
    int count;
};

static void swallow(struct yk_link *link, const struct yk_message *m)
{
    struct sink *s = link->self;

    s->got[s->count++] = m->sequence;
}

static struct sink sent_through(const struct yk_wire_faults *faults, int messages)
{
    static struct yk_bad_wire wire;
    static const struct yk_link_ops ops = {.send = swallow};
    struct sink sink = {.count = 0};
    struct yk_link link = {.ops = &ops, .self = &sink};

    yk_bad_wire_init(&wire, &link, faults);
    for (int i = 1; i <= messages; i++)
        yk_bad_wire_send(&wire, &(struct yk_message){.kind = YK_BYE, .sequence = (uint64_t)i}, i * 1000000);
    yk_bad_wire_flush(&wire, INT64_MAX - 1);
    return sink;
}

/* Bounds: four standard deviations of the binomial distribution. */
static void faults_come_as_often_as_asked(void **state)
{
    const struct sink none = sent_through(&(struct yk_wire_faults){.seed = 1}, 1000);
    const struct sink lossy = sent_through(&(struct yk_wire_faults){.loss = 0.1, .seed = 1}, 1000);
    const struct sink doubled = sent_through(&(struct yk_wire_faults){.duplicate = 0.2, .seed = 1}, 1000);
    const struct sink again = sent_through(&(struct yk_wire_faults){.loss = 0.1, .seed = 1}, 1000);
    const struct sink other = sent_through(&(struct yk_wire_faults){.loss = 0.1, .seed = 2}, 1000);

    assert_int_equal(none.count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(none.got[i], i + 1);
    assert_near(lossy.count, 900, 4 * sqrt(90));
    assert_near(doubled.count, 1200, 4 * sqrt(160));
    assert_memory_equal(lossy.got, again.got, sizeof lossy.got);
    assert_memory_not_equal(lossy.got, other.got, sizeof lossy.got);
}

static void reordering_and_jitter_change_the_order_and_lose_nothing(void **state)
{
    const struct yk_wire_faults faults[] = {{.reorder = 0.2, .seed = 3}, {.latency = 5e-3, .jitter = 3e-3, .seed = 3}};

    for (int k = 0; k < 2; k++) {
        const struct sink s = sent_through(&faults[k], 1000);
        uint64_t sum = 0;
        int behind = 0;

        for (int i = 0; i < s.count; i++) {
            sum += s.got[i];
            behind += i > 0 && s.got[i] < s.got[i - 1];
        }
        assert_true(behind > 50);
        assert_in_range(s.count, 999, 1000); /* one may still be held back */
        assert_true(sum == 500500 || s.count == 999);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_has_the_bytes_of_the_page),
        cmocka_unit_test(check_sums_are_those_of_ieee_802_3),
        cmocka_unit_test(a_flipped_bit_is_noticed),
        cmocka_unit_test(a_message_of_another_length_is_refused),
        cmocka_unit_test(a_kind_must_have_its_number_of_values),
        cmocka_unit_test(a_refusal_carries_words),
        cmocka_unit_test(faults_come_as_often_as_asked),
        cmocka_unit_test(reordering_and_jitter_change_the_order_and_lose_nothing),
    };
    return cmocka_run_group_tests_name("messages", tests, NULL, NULL);
}
