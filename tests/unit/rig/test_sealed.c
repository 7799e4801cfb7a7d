/* Messages under a key: what is forged, altered, replayed or of another session is not heard. */
#include "support/check.h"
#include "support/scratch.h"

#include "rig/sealed.h"
#include <string.h>
#include <sys/stat.h>

static struct yk_seal run, rig;
static struct yk_link at_run, at_rig;

struct datagram {
    unsigned char bytes[YK_LINK_LARGEST];
    size_t size;
};

static struct datagram from(struct yk_link *link, uint32_t kind, uint32_t session, uint64_t sequence, uint32_t count)
{
    struct yk_message m = {.kind = kind, .session = session, .sequence = sequence, .count = count};
    struct datagram d;

    for (uint32_t i = 0; i < count; i++)
        m.values[i] = 1.5 * i;
    d.size = link->codec.pack(link->codec.self, &m, d.bytes);
    assert_true(d.size <= sizeof d.bytes);
    return d;
}

static enum yk_verdict heard(struct yk_link *link, const struct datagram *d)
{
    struct yk_message m;

    return link->codec.unpack(link->codec.self, d->bytes, d->size, &m);
}

/* Both sides with one key, and a session. */
static void greet(uint32_t session)
{
    const struct datagram hello = from(&at_run, YK_HELLO, session, 1, YK_HELLO_VALUES);

    assert_int_equal(heard(&at_rig, &hello), YK_FRAME_GOOD);
    const struct datagram challenge = from(&at_rig, YK_CHALLENGE, session, 0x123456789abcdef0, 0);
    assert_int_equal(heard(&at_run, &challenge), YK_FRAME_GOOD);
    const struct datagram again = from(&at_run, YK_HELLO, session, 1, YK_HELLO_VALUES);
    assert_int_equal(heard(&at_rig, &again), YK_FRAME_GOOD);
    at_rig.codec.adopt(at_rig.codec.self);
    const struct datagram welcome = from(&at_rig, YK_WELCOME, session, 0, 2);
    assert_int_equal(heard(&at_run, &welcome), YK_FRAME_GOOD);
}

static int set_up(void **state)
{
    remove("key");
    assert_ok(yk_seal_make_key("key", &err));
    assert_ok(yk_seal_open(&run, "key", false, &err));
    assert_ok(yk_seal_open(&rig, "key", true, &err));
    yk_seal_use(&run, &at_run);
    yk_seal_use(&rig, &at_rig);
    return 0;
}

static void messages_of_a_session_arrive_once(void **state)
{
    greet(7);
    struct datagram sent[100];

    for (int i = 0; i < 100; i++)
        sent[i] = from(&at_run, YK_COMMAND, 7, (uint64_t)i + 2, 2);
    for (int i = 0; i < 100; i += 2) /* out of order, within the window */
        for (int k = 1; k >= 0; k--)
            assert_int_equal(heard(&at_rig, &sent[i + k]), YK_FRAME_GOOD);
    for (int i = 0; i < 100; i++)
        assert_int_equal(heard(&at_rig, &sent[i]), YK_FRAME_REPLAYED);
    const struct datagram reading = from(&at_rig, YK_READING, 7, 1, 5);
    assert_int_equal(heard(&at_run, &reading), YK_FRAME_GOOD);
    assert_int_equal(heard(&at_rig, &reading), YK_FRAME_FORGED); /* sent back to its sender */
}

static void every_altered_bit_is_noticed(void **state)
{
    greet(8);
    struct datagram d = from(&at_run, YK_COMMAND, 8, 2, 2);

    for (size_t bit = 8 * 2; bit < 8 * d.size; bit++) {
        d.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        const enum yk_verdict verdict = heard(&at_rig, &d);
        assert_true(verdict == YK_FRAME_FORGED || verdict == YK_FRAME_FOREIGN);
        d.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    for (size_t size = 0; size < d.size; size++) {
        const struct datagram cut = {.size = size};

        memcpy((void *)cut.bytes, d.bytes, size);
        assert_int_not_equal(heard(&at_rig, &cut), YK_FRAME_GOOD);
    }
    assert_int_equal(heard(&at_rig, &d), YK_FRAME_GOOD);
}

static void what_was_recorded_in_a_session_means_nothing_in_another(void **state)
{
    const struct datagram hello = from(&at_run, YK_HELLO, 9, 1, YK_HELLO_VALUES);
    assert_int_equal(heard(&at_rig, &hello), YK_FRAME_GOOD);
    const struct datagram challenge = from(&at_rig, YK_CHALLENGE, 9, 1234, 0);
    at_rig.codec.adopt(at_rig.codec.self);
    const struct datagram welcome = from(&at_rig, YK_WELCOME, 9, 0, 2);
    assert_int_equal(heard(&at_run, &welcome), YK_FRAME_GOOD);
    const struct datagram command = from(&at_run, YK_COMMAND, 9, 2, 2), reading = from(&at_rig, YK_READING, 9, 1, 5);

    assert_int_equal(heard(&at_run, &challenge), YK_FRAME_REPLAYED); /* its session has begun */
    greet(10);
    assert_int_equal(heard(&at_run, &challenge), YK_FRAME_REPLAYED);
    assert_int_equal(heard(&at_run, &welcome), YK_FRAME_REPLAYED);
    assert_int_equal(heard(&at_rig, &command), YK_FRAME_FORGED);
    assert_int_equal(heard(&at_run, &reading), YK_FRAME_FORGED);
}

/* A HELLO of any time is understood, since its number tells whether it is of now. It does not touch the session. */
static void a_hello_alone_changes_no_session(void **state)
{
    const struct datagram old = from(&at_run, YK_HELLO, 20, 1, YK_HELLO_VALUES);

    greet(21);
    const struct datagram first = from(&at_run, YK_COMMAND, 21, 2, 2), second = from(&at_run, YK_COMMAND, 21, 3, 2);
    assert_int_equal(heard(&at_rig, &first), YK_FRAME_GOOD);
    const struct yk_seal before = rig;
    assert_int_equal(heard(&at_rig, &old), YK_FRAME_GOOD);
    assert_memory_equal(rig.inward, before.inward, YK_KEY);
    assert_memory_equal(rig.outward, before.outward, YK_KEY);
    assert_int_equal(heard(&at_rig, &first), YK_FRAME_REPLAYED);
    assert_int_equal(heard(&at_rig, &second), YK_FRAME_GOOD);
    const struct datagram reading = from(&at_rig, YK_READING, 21, 1, 5);
    assert_int_equal(heard(&at_run, &reading), YK_FRAME_GOOD);
}

static void another_key_is_not_heard(void **state)
{
    struct yk_seal other;
    struct yk_link at_other = {0};

    remove("other");
    assert_ok(yk_seal_make_key("other", &err));
    assert_ok(yk_seal_open(&other, "other", false, &err));
    yk_seal_use(&other, &at_other);
    greet(11);
    const struct datagram hello = from(&at_other, YK_HELLO, 12, 1, YK_HELLO_VALUES);
    assert_int_equal(heard(&at_rig, &hello), YK_FRAME_FORGED);
    unsigned char plain[YK_WIRE_LARGEST];
    const struct yk_message m = {.kind = YK_HELLO, .session = 12, .sequence = 1, .count = YK_HELLO_VALUES};
    struct datagram open = {.size = yk_message_pack(&m, plain)};
    memcpy(open.bytes, plain, open.size);
    assert_int_equal(heard(&at_rig, &open), YK_FRAME_FOREIGN); /* without a seal */
}

static void a_refusal_before_the_session_is_understood(void **state)
{
    const struct datagram hello = from(&at_run, YK_HELLO, 13, 1, YK_HELLO_VALUES);
    struct yk_message m = yk_refuse(13, YK_REFUSED_COUNT, 3, "words");
    struct datagram no;

    assert_int_equal(heard(&at_rig, &hello), YK_FRAME_GOOD);
    no.size = at_rig.codec.pack(at_rig.codec.self, &m, no.bytes);
    assert_int_equal(heard(&at_run, &no), YK_FRAME_GOOD);
    greet(14);
    assert_int_equal(heard(&at_run, &no), YK_FRAME_REPLAYED);
}

static void the_largest_message_fits_into_an_ethernet_packet(void **state)
{
    greet(14);
    assert_true(from(&at_run, YK_READING, 14, 2, YK_WIRE_VALUES).size <= 1472);
}

static void bad_key_files_are_refused_with_a_reason(void **state)
{
    FILE *file = fopen("short", "w");
    struct yk_err err = {0};

    fputs("abcdef\n", file);
    fclose(file);
    chmod("short", 0600);
    assert_int_equal(yk_seal_open(&run, "short", false, &err), YK_E_INPUT);
    assert_non_null(strstr(err.wording, "64 hexadecimal digits"));
    chmod("key", 0644);
    assert_int_equal(yk_seal_open(&run, "key", false, &err), YK_E_INPUT);
    assert_non_null(strstr(err.wording, "chmod 600"));
    assert_int_equal(yk_seal_open(&run, "nowhere", false, &err), YK_E_INPUT);
    assert_int_equal(mkfifo("pipe", 0600), 0); /* nobody writes: must not be waited for */
    assert_int_equal(yk_seal_open(&run, "pipe", false, &err), YK_E_INPUT);
    assert_non_null(strstr(err.wording, "regular file"));
    assert_int_equal(yk_seal_make_key("key", &err), YK_E_INPUT); /* never replaced */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(messages_of_a_session_arrive_once, set_up),
        cmocka_unit_test_setup(every_altered_bit_is_noticed, set_up),
        cmocka_unit_test_setup(what_was_recorded_in_a_session_means_nothing_in_another, set_up),
        cmocka_unit_test_setup(a_hello_alone_changes_no_session, set_up),
        cmocka_unit_test_setup(another_key_is_not_heard, set_up),
        cmocka_unit_test_setup(a_refusal_before_the_session_is_understood, set_up),
        cmocka_unit_test_setup(the_largest_message_fits_into_an_ethernet_packet, set_up),
        cmocka_unit_test_setup(bad_key_files_are_refused_with_a_reason, set_up),
    };

    if (yk_seal_make_key("/", NULL) == YK_E_UNSUPPORTED)
        return 77; /* built without libsodium */
    return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
