/* A bus is listed, and the file that is written for it can be read. */
#include "support/check.h"
#include "support/ethercat_rig.h"
#include "support/segment.h"
#include "support/wire_here.h"

#include "ethercat/scan.h"
#include "experiment/experiment.h"

#include <stdio.h>
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
    static const struct yk_rig_line lines[] = {{"stop", YK_LINE_EMERGENCY_STOP, false, 0},
                                               {"red", YK_LINE_TRIP_LAMP, false, 0}};
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

enum { ROOM = 16384 };

/* The file for the bus, into ROOM bytes. */
static void write_file(struct yk_ec_master *m, char *text)
{
    FILE *out = fmemopen(text, ROOM, "w");

    assert_non_null(out);
    yk_ec_write_file(out, m, "none-such");
    fclose(out);
    assert_true(strlen(text) < ROOM / 2);
}

/* Puts something in the place of the first `what`. */
static void fill_in(char *text, const char *what, const char *by)
{
    char *at = strstr(text, what);

    assert_non_null(at);
    memmove(at + strlen(by), at + strlen(what), strlen(at + strlen(what)) + 1);
    memcpy(at, by, strlen(by));
}

/* Why the file is refused. */
static const char *refusal(const char *text)
{
    static struct yk_err_line line;
    char path[] = "/tmp/yoke-scan-XXXXXX.yaml";
    struct yk_model *e = NULL;
    struct yk_err err = {0};
    FILE *out = fdopen(mkstemps(path, 5), "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    assert_int_not_equal(yk_model_load(&e, path, NULL, 0, &err), YK_OK);
    yk_model_close(e);
    unlink(path);
    line = yk_err_line(&err);
    return line.text;
}

static void assert_refusal(const char *text, const char *words)
{
    const char *why = refusal(text);

    if (!strstr(why, words))
        fail_msg("'%s' instead of '%s'", why, words);
}

/* Nobody has said yet what an input means and which load cell is whose: the file does not run before. The file that is
 * filled in only lacks its network interface. */
static void the_file_is_refused_until_it_is_filled_in(void **state)
{
    struct yk_sim_segment *g = make_segment(false);
    struct yk_ec_master *m = scan(g);
    char text[ROOM] = "";

    write_file(m, text);
    assert_non_null(strstr(text, "      # l2: { slave: slave6, entry: 0x7000:1 }\n")); /* outputs switch nothing */
    assert_non_null(strstr(text, "    # l2: { role: fill_in }   # enable"));
    assert_non_null(strstr(text, "      s1: { slave: slave4, entry: 0x6000:17, status: 0x6000:1 }\n"));
    assert_non_null(strstr(text, "  a1.command: { raw: count, scale: 1e-07 }"));
    assert_refusal(text, "role = 'fill_in'");
    fill_in(text, "l1: { role: fill_in }", "l1: { role: interlock }");
    assert_refusal(text, "EtherCAT: the force of 'a1' has no channel");
    fill_in(text, "# a1.force: { slave: ?, entry: ?, status: ? }",
            "a1.force: { slave: slave4, entry: 0x6000:17, status: 0x6000:1 }");
    assert_refusal(text, "EtherCAT: the force of 'a2' has no channel");
    fill_in(text, "# a2.force: { slave: ?, entry: ?, status: ? }",
            "a2.force: { slave: slave4, entry: 0x6010:17, status: 0x6010:1 }");
    const char *why = refusal(text);
    if (!strstr(why, "none-such") && !strstr(why, "raw socket"))
        fail_msg("%s", why);
    end(m, g);
}

/* A drive tells counts of a turn and nothing of a length: 0x608F, 0x6091 and 0x6092, or the encoder with its gear. */
static void a_scale_that_a_drive_does_not_tell_is_filled_in(void **state)
{
    for (int feed = 0; feed < 2; feed++) {
        struct yk_sim_segment *g = make_segment(false);

        yk_sim_object_find(g->slaves[1], 0x60A8, 0)->value = 0;
        yk_sim_object_find(g->slaves[1], 0x608F, 1)->value = 131072;
        yk_sim_object_find(g->slaves[1], 0x6091, 1)->value = 5;
        yk_sim_object_find(g->slaves[1], 0x6091, 2)->value = 2;
        yk_sim_object_find(g->slaves[1], 0x6092, 1)->value = feed ? 50000 : 1;
        yk_sim_object_find(g->slaves[1], 0x6092, 2)->value = 1;
        struct yk_ec_master *m = scan(g);
        char text[ROOM] = "";

        write_file(m, text);
        assert_non_null(strstr(text, feed ? "scale: fill_in }   # travel of one turn / 50000 counts"
                                          : "scale: fill_in }   # travel of one turn / 327680 counts"));
        fill_in(text, "l1: { role: fill_in }", "l1: { role: interlock }");
        assert_refusal(text, "fill_in");
        end(m, g);
    }
}

/* Drives that tell their unit and their force need nothing but the roles of the lines. */
static void a_file_for_drives_of_si_units_is_nearly_complete(void **state)
{
    struct yk_sim_segment *g = make_segment(true);
    struct yk_ec_master *m = scan(g);
    char text[ROOM] = "";

    write_file(m, text);
    fill_in(text, "l1: { role: fill_in }", "l1: { role: emergency_stop }");
    const char *why = refusal(text);
    if (!strstr(why, "none-such") && !strstr(why, "raw socket"))
        fail_msg("%s", why);
    end(m, g);
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
        cmocka_unit_test(the_file_is_refused_until_it_is_filled_in),
        cmocka_unit_test(a_scale_that_a_drive_does_not_tell_is_filled_in),
        cmocka_unit_test(a_file_for_drives_of_si_units_is_nearly_complete),
        cmocka_unit_test(a_refused_state_is_told_and_acknowledged),
        cmocka_unit_test(an_abort_is_told_in_words),
        cmocka_unit_test(long_objects_go_in_segments_both_ways),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
