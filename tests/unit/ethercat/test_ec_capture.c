/* Frames of a bus in a file: all of them, or those around an event; read back by the description of pcapng. */
#include "support/check.h"
#include "support/ethercat_rig.h"
#include "support/scratch.h"

#include "ethercat/capture.h"

#include <stdio.h>
#include <stdlib.h>

/* Contents of a capture file. */
struct content {
    size_t sent, received, other; /* packets of EtherCAT by direction; that are none */
    uint64_t first_ns, last_ns, dropped;
    bool rising, ended; /* times; the statistics are the last block */
};

static struct content read_back(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct content c = {.rising = true};
    uint8_t head[8], body[4096];

    assert_non_null(in);
    for (int k = 0; fread(head, 8, 1, in) == 1; k++) {
        const uint32_t type = yk_le32(head), size = yk_le32(head + 4);

        assert_true(size >= 12 && size % 4 == 0 && size - 8 <= sizeof body);
        assert_int_equal(fread(body, size - 8, 1, in), 1);
        assert_int_equal(yk_le32(body + size - 12), size); /* the length once more */
        if (k == 0) {
            assert_int_equal(type, 0x0A0D0D0A);
            assert_int_equal(yk_le32(body), 0x1A2B3C4D);
        } else if (k == 1) {
            assert_int_equal(type, 1);
            assert_int_equal(yk_le16(body), 1); /* Ethernet */
        } else if (type == 6) {
            const uint64_t ns = (uint64_t)yk_le32(body + 4) << 32 | yk_le32(body + 8);
            const uint32_t length = yk_le32(body + 12), at = 20 + (length + 3) / 4 * 4;

            assert_int_equal(yk_le32(body + 16), length);
            c.other += body[20 + 12] != 0x88 || body[20 + 13] != 0xA4;
            assert_int_equal(yk_le16(body + at), 2); /* flags */
            *(yk_le32(body + at + 4) == 2 ? &c.sent : &c.received) += 1;
            c.rising &= ns >= c.last_ns;
            c.last_ns = ns;
            c.first_ns = c.first_ns ? c.first_ns : ns;
        } else {
            assert_int_equal(type, 5);
            c.dropped = yk_le64(body + 16);
            c.ended = true;
        }
    }
    fclose(in);
    return c;
}

static struct content run(const char *faults, enum yk_ec_capture_mode mode, int ticks)
{
    struct yk_sim_settings settings = {0};
    struct ethercat_rig_test t;
    const double x[2] = {0};
    char path[512];

    assert_ok(yk_sim_faults_parse(faults, settings.faults, &settings.fault_count, &err));
    ethercat_rig_make(&t, &settings, 2, false);
    ethercat_rig_setup(&t)->frames = mode;
    ethercat_rig_setup(&t)->interface = strdup("eth9");
    ethercat_rig_start(&t);
    snprintf(path, sizeof path, "%s", scratch_path("bus-eth9.pcapng"));
    *strrchr(path, '/') = 0; /* the folder */
    assert_ok(yk_rig_ethercat.record(t.self, path, &err));
    for (int k = 0; k < ticks; k++) {
        ethercat_rig_exchange(&t, x);
        yk_rig_ethercat.notice(t.self);
    }
    ethercat_rig_end(&t);
    return read_back(scratch_path("bus-eth9.pcapng"));
}

static void every_frame_is_written(void **state)
{
    const struct content c = run("", YK_EC_CAPTURE_ALL, 100);

    assert_true(c.sent >= 100 && c.received >= 100);
    assert_true(c.sent - c.received <= 10); /* frames of a stop are not awaited */
    assert_int_equal(c.other, 0);
    assert_int_equal(c.dropped, 0);
    assert_true(c.rising && c.ended);
    assert_true(c.last_ns - c.first_ns > 90 * 10000); /* a send takes 10 us on this wire */
}

static void only_an_event_writes_the_frames_before_it(void **state)
{
    const struct content without = run("", YK_EC_CAPTURE_EVENT, 100),
                         with = run("warning@0.05+0.01", YK_EC_CAPTURE_EVENT, 100);

    assert_int_equal(without.sent + without.received, 0);
    assert_true(without.ended);
    assert_true(with.sent >= 100 && with.received >= 100); /* those before it, and the preparation */
    assert_true(with.rising);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_is_written),
        cmocka_unit_test(only_an_event_writes_the_frames_before_it),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
