/* A bus is listed, and the file that is written for it can be read. */
#include "support/check.h"
#include "support/ethercat_rig.h"
#include "support/segment.h"

#include "ethercat/scan.h"
#include "experiment/experiment.h"

#include <stdlib.h>
#include <unistd.h>

static void send_back(void *to, const uint8_t *bytes, size_t size)
{
    yk_ec_wire_return(to, bytes, size);
}

static void pass(void *self, const uint8_t *frame, size_t size, struct yk_ec_wire *back)
{
    uint8_t bytes[YK_EC_FRAME_MOST];

    memcpy(bytes, frame, size);
    yk_sim_segment_take(self, bytes, size, send_back, back);
}

static struct yk_ec_master *scan(struct yk_sim_segment *g)
{
    struct yk_ec_master *m = calloc(1, sizeof *m);
    struct yk_err err = {0};

    assert_non_null(m);
    assert_int_equal(yk_ec_wire_connect(&m->wire, pass, g, &err), YK_OK);
    if (yk_ec_scan(m, 1, &err))
        fail_msg("%s", err.wording);
    return m;
}

static void end(struct yk_ec_master *m, struct yk_sim_segment *g)
{
    yk_ec_wire_close(&m->wire);
    yk_ec_forget(m);
    free(m);
    yk_sim_segment_destroy(g);
}

static struct yk_sim_segment *make_segment(bool exact)
{
    static const struct yk_rig_line lines[] = {{"stop", YK_LINE_EMERGENCY_STOP, false},
                                               {"red", YK_LINE_TRIP_LAMP, false}};
    struct yk_rig_plan plan = segment_plan(2);

    plan.line_count = 2;
    plan.lines = lines;
    return segment_for(&(struct yk_sim_settings){.exact = exact}, &plan);
}

static void the_list_names_slaves_and_entries(void **state)
{
    struct yk_sim_segment *g = make_segment(false);
    struct yk_ec_master *m = scan(g);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    yk_ec_print(out, m);
    fclose(out);
    assert_non_null(strstr(text, "Yoke simulated servo drive, a1"));
    assert_non_null(strstr(text, "0x0000A5A5  0x00402001  0x00010000  INIT    yes"));
    assert_non_null(strstr(text, "       outputs 0x1600: [0x6040:0:u16, 0x607A:0:i32]\n"
                                 "       inputs  0x1A00: [0x6041:0:u16, 0x6064:0:i32]\n"));
    assert_non_null(
        strstr(text, "       inputs  0x1A00: [0x6000:1:u16, 0x6000:17:i16, 0x6010:1:u16, 0x6010:17:i16]\n"));
    assert_non_null(strstr(text, "       outputs 0x1600: [0x7000:1:bool]\n"));
    free(text);
    end(m, g);
}

static void the_file_can_be_read_and_describes_the_same_bus(void **state)
{
    for (int exact = 0; exact < 2; exact++) {
        char path[] = "/tmp/yoke-scan-XXXXXX.yaml";
        struct yk_sim_segment *g = make_segment(exact);
        struct yk_ec_master *m = scan(g);
        struct yk_experiment *e = NULL;
        struct yk_err err = {0};
        FILE *out = fdopen(mkstemps(path, 5), "w");

        assert_non_null(out);
        yk_ec_write_file(out, m, "eth1");
        fclose(out);
        /* with the virtual rig, as `yoke check` does, and then with its own backend, which finds no such interface */
        if (yk_experiment_rehearse(&e, path, NULL, 0, &err))
            fail_msg("%s", yk_err_line(&err).text);
        yk_experiment_destroy(e);
        e = NULL;
        assert_int_not_equal(
            yk_experiment_load(&e, path, (const char *const[]){"rig.settings.interface=none-such"}, 1, &err), YK_OK);
        yk_experiment_destroy(e);
        unlink(path);
        if (!strstr(err.wording, "none-such") && !strstr(err.wording, "raw socket"))
            fail_msg("%s", yk_err_line(&err).text);
        end(m, g);
    }
}

/* A slave that refuses says why; it is acknowledged, so that it hears the next request. */
static void a_refused_state_is_told_and_acknowledged(void **state)
{
    struct yk_sim_segment *g = make_segment(false);
    struct yk_ec_master *m = scan(g);
    struct yk_err err = {0};

    assert_int_equal(yk_ec_change_state(m, 1, YK_EC_OP, 1, &err), YK_E_IO);
    assert_non_null(strstr(err.wording, "slave 2 refuses OP: 0x0011, change of state not allowed; it is in PREOP"));
    assert_int_equal(m->slaves[1].al_status, YK_EC_PREOP);
    assert_int_equal(yk_ec_change_state(m, 1, YK_EC_INIT, 1, &err), YK_OK);
    end(m, g);
}

static void an_abort_is_told_in_words(void **state)
{
    struct yk_sim_segment *g = make_segment(false);
    struct yk_ec_master *m = scan(g);
    struct yk_err err = {0};

    assert_int_equal(yk_ec_upload(m, 1, 0x5555, 0, &err), YK_E_UNSUPPORTED);
    assert_non_null(strstr(err.wording, "slave 2 refuses to read 0x5555:0: 0x06020000, there is no such object"));
    assert_int_equal(yk_ec_download(m, 1, 0x6041, 0, 1, 2, &err), YK_E_UNSUPPORTED);
    assert_non_null(strstr(err.wording, "slave 2 refuses to write 0x6041:0: 0x06010002, the object can only be read"));
    end(m, g);
}

/* 80 bytes do not fit into a mailbox of 64: both ways in segments. */
static void long_objects_go_in_segments_both_ways(void **state)
{
    static const char text[] = "An object of some eighty bytes, which is longer than a mailbox of sixty-four has";
    struct yk_sim_segment *g = make_segment(false);
    struct yk_ec_master *m = scan(g);
    struct yk_err err = {0};

    assert_int_equal(yk_ec_upload(m, 1, 0x1008, 0, &err), YK_OK);
    assert_int_equal(m->sdo.size, strlen("Yoke simulated servo drive, a1"));
    yk_ec_sdo_download(&m->sdo, 0x2000, 0, text, 78);
    assert_int_equal(yk_ec_transfer(m, 1, &err), YK_OK);
    assert_int_equal(yk_ec_upload(m, 1, 0x2000, 0, &err), YK_OK);
    assert_int_equal(m->sdo.size, 78);
    assert_memory_equal(m->sdo.data, text, 78);
    end(m, g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_names_slaves_and_entries),
        cmocka_unit_test(the_file_can_be_read_and_describes_the_same_bus),
        cmocka_unit_test(a_refused_state_is_told_and_acknowledged),
        cmocka_unit_test(an_abort_is_told_in_words),
        cmocka_unit_test(long_objects_go_in_segments_both_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
