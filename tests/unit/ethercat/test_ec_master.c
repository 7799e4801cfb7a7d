/* The frames that the master sends have the bytes of the vectors, and it understands the answers of the vectors. */
#include "support/check.h"
#include "support/ethercat_vectors.h"
#include "support/wire_here.h"

#include <yoke/ethercat_master.h>

#include <stdlib.h>

struct line {
    const uint8_t *sent, *back;
    size_t sent_size, back_size;
};
#define LINE(sent_, back_)                                                                                             \
    {                                                                                                                  \
        sent_, back_, sizeof(sent_), sizeof(back_)                                                                     \
    }

/* The other end: it expects the frames of the script, and then counts every datagram once. */
struct script {
    const struct line *lines;
    size_t count, at;
    struct yk_ec_master *m;
};

static void pass(void *self, const uint8_t *frame, size_t size, struct yk_ec_wire *back)
{
    struct script *s = self;
    struct yk_ec_datagram found[YK_EC_DATAGRAMS];
    uint8_t bytes[YK_EC_FRAME_MOST];
    size_t count;

    if (s->at < s->count) {
        const struct line *l = &s->lines[s->at++];

        assert_int_equal(size, l->sent_size);
        assert_memory_equal(frame, l->sent, size);
        yk_ec_wire_return(back, l->back, l->back_size);
        return;
    }
    memcpy(bytes, frame, size);
    assert_int_equal(yk_ec_frame_read(bytes, size, found, &count), YK_EC_GOOD);
    for (size_t i = 0; i < count; i++) {
        if (yk_ec_command_of(&found[i]) == YK_EC_FPRD && yk_ec_ado_of(&found[i]) == YK_EC_WATCHDOG_DIVIDER)
            yk_le_put(yk_ec_data_of(&found[i]), 2498, 2);
        if (yk_ec_command_of(&found[i]) == YK_EC_FPRD && yk_ec_ado_of(&found[i]) == YK_EC_WATCHDOG_SM)
            yk_le_put(yk_ec_data_of(&found[i]), 200, 2);
        if (yk_ec_command_of(&found[i]) == YK_EC_FPRD && yk_ec_ado_of(&found[i]) == YK_EC_SYSTEM_TIME)
            yk_le_put(yk_ec_data_of(&found[i]), 0x0B5E620F1A2B3C00, 8);
        yk_ec_set_wkc(&found[i], 1);
    }
    bytes[6] |= YK_EC_MAC_MARK;
    yk_ec_wire_return(back, bytes, size);
}

/* The bus of the vectors: two drives and a slave without process data. */
static struct yk_ec_master *make(struct script *s, const struct line *lines, size_t count, uint8_t index)
{
    static const struct yk_ec_entry out[] = {{0x6040, 0, 16, YK_EC_U16}, {0x607A, 0, 32, YK_EC_I32}},
                                    in[] = {{0x6041, 0, 16, YK_EC_U16}, {0x6064, 0, 32, YK_EC_I32}};
    struct yk_ec_master *m = calloc(1, sizeof *m);

    assert_non_null(m);
    m->count = 3;
    m->slaves = calloc(3, sizeof *m->slaves);
    assert_non_null(m->slaves);
    for (size_t k = 0; k < 3; k++) {
        struct yk_ec_slave *sl = &m->slaves[k];

        sl->station = (uint16_t)(0x1001 + k);
        assert_true(yk_ec_sii_decode(v4_image, sizeof v4_image / 2, &sl->sii));
        for (int i = 0; i < 2 && k < 2; i++) {
            sl->placed[sl->placed_count++] = (struct yk_ec_placed){out[i], 0x1600, i ? 16 : 0, true};
            sl->placed[sl->placed_count++] = (struct yk_ec_placed){in[i], 0x1A00, i ? 16 : 0, false};
        }
        sl->out_bits = sl->in_bits = k < 2 ? 48 : 0;
    }
    assert_int_equal(yk_ec_lay_out(m, NULL), YK_OK);
    for (size_t k = 0; k < m->count; k++)
        m->slaves[k].mail_fits = false; /* the cyclic frames of the vectors have no datagram for mailboxes */
    *s = (struct script){lines, count, 0, m};
    assert_int_equal(yk_ec_wire_connect(&m->wire, pass, s, NULL), YK_OK);
    m->index = index;
    return m;
}

static void end(struct script *s)
{
    assert_int_equal(s->at, s->count);
    yk_ec_wire_close(&s->m->wire);
    yk_ec_forget(s->m);
    free(s->m);
}

static void a_broadcast_counts_the_slaves(void **state)
{
    static const struct line lines[] = {LINE(v1_sent, v1_init)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x00);
    uint8_t data[2] = {0};

    assert_int_equal(yk_ec_exchange(m, YK_EC_BRD, yk_ec_address(0, YK_EC_AL_STATUS), data, 2), 3);
    assert_int_equal(yk_le16(data), YK_EC_INIT);
    end(&s);
}

static void a_broadcast_shows_the_bits_of_all(void **state)
{
    static const struct line lines[] = {LINE(v1_sent, v1_mixed)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x00);
    uint8_t data[2] = {0};

    assert_int_equal(yk_ec_exchange(m, YK_EC_BRD, yk_ec_address(0, YK_EC_AL_STATUS), data, 2), 3);
    assert_int_equal(yk_le16(data), YK_EC_OP | YK_EC_SAFEOP | YK_EC_STATE_ERROR);
    end(&s);
}

static void words_of_the_sii_are_read_in_four_frames(void **state)
{
    static const struct line lines[] = {LINE(v3_sent, v3_back), LINE(v3_poll, v3_busy), LINE(v3_read, v3_data)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 3, 0x04);
    uint8_t command[6] = {0x00, 0x01, 8}, status[2] = {0}, data[8] = {0};

    assert_int_equal(yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(0x1002, YK_EC_SII_CONTROL), command, 6), 1);
    assert_int_equal(yk_ec_exchange(m, YK_EC_FPRD, yk_ec_address(0x1002, YK_EC_SII_CONTROL), status, 2), 1);
    assert_int_equal(yk_le16(status), YK_EC_SII_BUSY | YK_EC_SII_READ | YK_EC_SII_8_BYTES);
    assert_int_equal(yk_ec_exchange(m, YK_EC_FPRD, yk_ec_address(0x1002, YK_EC_SII_DATA), data, 8), 1);
    assert_int_equal(yk_le32(data), 0xA5A5);
    assert_int_equal(yk_le32(data + 4), 0x402001);
    end(&s);
}

static void an_object_is_written_through_the_mailbox(void **state)
{
    static const struct line lines[] = {LINE(v5_sent, v5_back), LINE(v5_asked, v5_answer)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 2, 0x0f);

    assert_int_equal(yk_ec_download(m, 0, 0x6060, 0, 8, 1, NULL), YK_OK);
    end(&s);
}

/* As V8, and then the watchdog: 20 ms in ticks of 100 us. */
static void sync_managers_and_fmmus_are_set_in_one_frame(void **state)
{
    static const struct line lines[] = {LINE(v8_sent, v8_back)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x1f);

    assert_int_equal(yk_ec_configure(m, 0, 0.02, NULL), YK_OK);
    end(&s);
}

static void a_watchdog_that_was_not_kept_is_refused(void **state)
{
    struct script s;
    struct yk_ec_master *m = make(&s, NULL, 0, 0);
    struct yk_err err = {0};

    assert_int_equal(yk_ec_configure(m, 0, 0.03, &err), YK_E_IO);
    assert_non_null(strstr(err.wording, "has not kept its watchdog of 30 ms"));
    end(&s);
}

static void put_commands(struct yk_ec_master *m)
{
    static const int32_t targets[] = {123456, -7890};

    for (size_t k = 0; k < 2; k++) {
        yk_le_put(m->outputs + m->slaves[k].out_at, 0x000F, 2);
        yk_le_put(m->outputs + m->slaves[k].out_at + 2, (uint32_t)targets[k], 4);
    }
}

static void a_cycle_is_one_frame_with_time_data_and_states(void **state)
{
    static const struct line lines[] = {LINE(v10_sent, v10_back)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x3f);

    m->clock_runs = true;
    put_commands(m);
    assert_int_equal(m->expected, 6);
    assert_int_equal(yk_ec_cycle(m, INT64_MAX, 0), YK_EC_ARRIVED);
    assert_true(m->time == 0x0B5E620F1A2B3C00);
    assert_int_equal(m->wkc, 6);
    assert_int_equal(m->al_or, YK_EC_OP);
    assert_int_equal(m->al_wkc, 3);
    assert_int_equal(yk_le16(m->inputs + m->slaves[0].in_at), 0x1237);
    assert_int_equal((int32_t)yk_le32(m->inputs + m->slaves[0].in_at + 2), 123400);
    assert_int_equal((int32_t)yk_le32(m->inputs + m->slaves[1].in_at + 2), -7850);
    end(&s);
}

/* V9 is the same without time and states. */
static void process_data_lie_as_in_the_vector(void **state)
{
    struct script s;
    struct yk_ec_master *m = make(&s, NULL, 0, 0x2f);
    struct yk_ec_frame f;

    put_commands(m);
    yk_ec_frame_begin(&f, m->wire.mac);
    memcpy(yk_ec_frame_add(&f, YK_EC_LRW, 0x30, YK_EC_LOGICAL, m->size), m->outputs, m->out_size);
    yk_ec_frame_end(&f);
    assert_int_equal(f.size, sizeof v9_sent);
    assert_memory_equal(f.bytes, v9_sent, sizeof v9_sent);
    assert_memory_equal(v10_back + 46, v9_back + 26, 24);
    end(&s);
}

static void a_wrong_working_counter_leaves_the_inputs_as_they_were(void **state)
{
    uint8_t short_of_one[sizeof v10_back];
    const struct line lines[] = {{v10_sent, short_of_one, sizeof v10_sent, sizeof short_of_one}};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x3f);

    memcpy(short_of_one, v10_back, sizeof short_of_one);
    short_of_one[16 + 20 + 10 + 24] = 3;
    m->clock_runs = true;
    put_commands(m);
    assert_int_equal(yk_ec_cycle(m, INT64_MAX, 0), YK_EC_MISCOUNT);
    assert_int_equal(m->wkc, 3);
    assert_int_equal(yk_le32(m->inputs + m->slaves[0].in_at), 0);
    assert_int_equal(m->counts.miscounts, 1);
    end(&s);
}

/* Bit 5 of the AL status says that an identification was loaded: it is no state. */
static void only_the_state_and_its_error_count_in_the_al_status(void **state)
{
    uint8_t identified[sizeof v10_back];
    const struct line lines[] = {{v10_sent, identified, sizeof v10_sent, sizeof identified}};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x3f);

    memcpy(identified, v10_back, sizeof identified);
    assert_int_equal(identified[16 + 20 + 36 + 10], YK_EC_OP);
    identified[16 + 20 + 36 + 10] |= 0x20;
    m->clock_runs = true;
    put_commands(m);
    assert_int_equal(yk_ec_cycle(m, INT64_MAX, 0), YK_EC_ARRIVED);
    assert_int_equal(m->al_or, YK_EC_OP);
    end(&s);
}

/* A frame that comes late has another index: it is dropped, and the right one is waited for. */
static void a_late_frame_is_dropped(void **state)
{
    static const struct line lines[] = {LINE(v10_sent, v9_back)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x3f);

    m->clock_runs = true;
    put_commands(m);
    assert_int_equal(yk_ec_cycle(m, m->wire.ops->now(&m->wire) + 1000000, 0), YK_EC_MISSING);
    assert_int_equal(m->counts.stray, 1);
    assert_int_equal(m->counts.missing, 1);
    end(&s);
}

static void a_latch_is_a_broadcast_write(void **state)
{
    static const struct line lines[] = {LINE(v11_sent, v11_back)};
    struct script s;
    struct yk_ec_master *m = make(&s, lines, 1, 0x4f);
    struct yk_ec_datagram found[YK_EC_DATAGRAMS];
    uint8_t data[4] = {0}, times[sizeof v11_times];
    size_t count;

    assert_int_equal(yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, YK_EC_RECEIVE_TIME), data, 4), 3);
    memcpy(times, v11_times, sizeof times);
    assert_int_equal(yk_ec_frame_read(times, sizeof times, found, &count), YK_EC_GOOD);
    assert_int_equal(count, 3);
    assert_int_equal(yk_le32(yk_ec_data_of(&found[0])), 51000);
    assert_int_equal(yk_le32(yk_ec_data_of(&found[1])), 4294966469u);
    assert_int_equal(yk_le32(yk_ec_data_of(&found[1]) + 4), 943);
    end(&s);
}

static uint8_t kept[YK_EC_FRAME_MOST];
static size_t kept_size;
static struct script *kept_for;

static void last_frame(void *self, const uint8_t *frame, size_t size, struct yk_ec_wire *back)
{
    memcpy(kept, frame, size);
    kept_size = size;
    pass(kept_for, frame, size, back);
}

/* Two frames before: SYNC0 off, and the time. */
static void sync0_is_started_in_one_frame(void **state)
{
    struct script s;
    struct yk_ec_master *m = make(&s, NULL, 0, 0x52);

    yk_ec_wire_close(&m->wire);
    kept_for = &s;
    assert_int_equal(yk_ec_wire_connect(&m->wire, last_frame, NULL, NULL), YK_OK);
    assert_int_equal(yk_ec_start_sync(m, 0, 1000000, 300000, NULL), YK_OK);
    assert_int_equal(kept_size, sizeof v15_sent);
    assert_memory_equal(kept, v15_sent, sizeof v15_sent);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broadcast_counts_the_slaves),
        cmocka_unit_test(a_broadcast_shows_the_bits_of_all),
        cmocka_unit_test(words_of_the_sii_are_read_in_four_frames),
        cmocka_unit_test(an_object_is_written_through_the_mailbox),
        cmocka_unit_test(sync_managers_and_fmmus_are_set_in_one_frame),
        cmocka_unit_test(a_watchdog_that_was_not_kept_is_refused),
        cmocka_unit_test(a_cycle_is_one_frame_with_time_data_and_states),
        cmocka_unit_test(process_data_lie_as_in_the_vector),
        cmocka_unit_test(a_wrong_working_counter_leaves_the_inputs_as_they_were),
        cmocka_unit_test(only_the_state_and_its_error_count_in_the_al_status),
        cmocka_unit_test(a_late_frame_is_dropped),
        cmocka_unit_test(a_latch_is_a_broadcast_write),
        cmocka_unit_test(sync0_is_started_in_one_frame),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
