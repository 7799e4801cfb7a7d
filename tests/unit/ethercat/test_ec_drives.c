/* Drives on a bus that do something else than they are told, warn, or brake: what the backend `ethercat` makes of it.
 */
#include "support/check.h"
#include "support/ethercat_rig.h"
#include "support/segment.h"

#include "rig/ethercat_parts.h"

#include <math.h>
#include <stdlib.h>

enum { N = 2, DRIVE = 1 }; /* slave 2 of the bus is the first drive */

static struct yk_ec_pdo *list_of(uint16_t index, const char *const *entries)
{
    struct yk_ec_pdo *pdo = calloc(1, sizeof *pdo);

    assert_non_null(pdo);
    pdo->index = index;
    for (; *entries; entries++)
        assert_true(yk_ec_entry_parse(*entries, &pdo->entries[pdo->count++]));
    return pdo;
}

static void make(struct ethercat_rig_test *t, const char *faults)
{
    struct yk_sim_settings settings = {0};

    assert_ok(yk_sim_faults_parse(faults, settings.faults, &settings.fault_count, &err));
    ethercat_rig_make(t, &settings, N, false);
}

/* The mode goes out, and comes back if `shown`. */
static void map_mode(struct ethercat_rig_test *t, bool shown)
{
    static const char *const out[] = {"0x6040:0:u16", "0x607A:0:i32", "0x6060:0:i8", NULL},
                             *const in[] = {"0x6041:0:u16", "0x6064:0:i32", "0x6061:0:i8", NULL},
                             *const blind[] = {"0x6041:0:u16", "0x6064:0:i32", NULL};
    struct yk_ec_slave_setup *s = &ethercat_rig_setup(t)->slaves[DRIVE];

    s->outputs = list_of(0x1600, out);
    s->inputs = list_of(0x1A00, shown ? in : blind);
    s->output_count = s->input_count = 1;
}

/* Until the rig is lost, at most so many ticks; returns the last answer. */
static enum yk_rig_answer run(struct ethercat_rig_test *t, int ticks)
{
    const double x[N] = {0};
    enum yk_rig_answer answer = YK_RIG_FRESH;

    for (int k = 0; k < ticks && answer != YK_RIG_LOST; k++)
        answer = ethercat_rig_exchange(t, x);
    return answer;
}

static void assert_reason(const struct ethercat_rig_test *t, const char *words)
{
    if (!strstr(yk_rig_ethercat.reason(t->self), words))
        fail_msg("'%s' is not in '%s'", words, yk_rig_ethercat.reason(t->self));
}

/* The next remark has these words. */
static void assert_notice(struct ethercat_rig_test *t, const char *words)
{
    const char *said = yk_rig_ethercat.notice(t->self);

    if (!said || !strstr(said, words))
        fail_msg("'%s' instead of '%s'", said ? said : "nothing", words);
}

/* ---- modes ---- */

static void a_mode_that_changes_during_a_run_ends_it(void **state)
{
    struct ethercat_rig_test t;

    make(&t, "mode@0.05");
    map_mode(&t, true);
    ethercat_rig_start(&t);
    assert_int_equal(run(&t, 200), YK_RIG_LOST);
    assert_reason(&t, "drive slave 2 (drive1) shows mode 1 instead of 8, status word 0x1237");
    assert_int_equal(t.segment->slaves[DRIVE]->drive_now.state, YK_SIM_QUICK_STOP);
    ethercat_rig_end(&t);
}

static void a_drive_in_another_mode_is_not_enabled(void **state)
{
    struct ethercat_rig_test t;
    const double x[N] = {0};

    make(&t, "");
    map_mode(&t, true);
    t.segment->slaves[DRIVE]->other_mode = true;
    assert_ok(yk_rig_ethercat.open(t.self, &t.plan, &err));
    assert_ok(yk_rig_ethercat.rest(t.self, x, &t.in, &err));
    assert_refused(yk_rig_ethercat.enable(t.self, true, &(struct yk_rig_out){.command = x}, &err), YK_E_IO,
                   "drive slave 2 (drive1) shows mode 1 instead of 8");
    ethercat_rig_end(&t);
}

static void a_mode_that_goes_out_must_come_back(void **state)
{
    struct ethercat_rig_test t;

    make(&t, "");
    map_mode(&t, false);
    assert_refused(yk_rig_ethercat.open(t.self, &t.plan, &err), YK_E_INPUT,
                   "gets its mode with every frame, 0x6060:0, but does not show it: add 0x6061:0:i8 to its inputs");
    ethercat_rig_end(&t);
}

/* ---- status words ---- */

static void a_drive_without_bit_12_needs_to_be_named(void **state)
{
    struct ethercat_rig_test t;
    const double x[N] = {0};
    double y[N] = {0};

    make(&t, "no-bit-12@0s");
    assert_ok(yk_rig_ethercat.open(t.self, &t.plan, &err));
    assert_refused(yk_rig_ethercat.enable(t.self, true, &(struct yk_rig_out){.command = x}, &err), YK_E_IO,
                   "a drive without this bit needs follows: enabled");
    ethercat_rig_end(&t);

    make(&t, "no-bit-12@0s");
    ethercat_rig_setup(&t)->slaves[DRIVE].follows = YK_EC_FOLLOWS_ENABLED;
    ethercat_rig_start(&t);
    assert_notice(&t, "drive slave 2 (drive1) does not confirm that it follows its target (follows: enabled)");
    assert_null(yk_rig_ethercat.notice(t.self));
    for (int k = 1; k <= 100; k++) {
        y[0] = 1e-5 * k;
        assert_int_equal(ethercat_rig_exchange(&t, y), YK_RIG_FRESH);
    }
    assert_near(t.segment->command[0], y[0], 1e-7);
    ethercat_rig_end(&t);
}

static void warnings_are_told_each_time_and_end_nothing(void **state)
{
    struct ethercat_rig_test t;

    make(&t, "warning@0.05+0.02,warning@0.1+0.02,internal-limit@0.15+0.01:3");
    ethercat_rig_setup(&t)->slaves[DRIVE + 1].on_limit = YK_EC_LIMIT_WARNS;
    ethercat_rig_start(&t);
    assert_int_equal(run(&t, 300), YK_RIG_FRESH);
    assert_notice(&t, "drive slave 2 (drive1) warns (bit 7), status word 0x12B7");
    assert_notice(&t, "drive slave 2 (drive1) warns (bit 7)");
    assert_notice(&t, "drive slave 3 (drive2) has reached an internal limit (bit 11)");
    assert_null(yk_rig_ethercat.notice(t.self));
    ethercat_rig_end(&t);
}

/* ---- emergencies ---- */

/* The run asks one mailbox in a tick, and fetches the message with the next frame: no frame more than one a tick. */
static void emergencies_come_with_the_cyclic_frames(void **state)
{
    struct ethercat_rig_test t;

    make(&t, "emergency@0.05:3");
    ethercat_rig_start(&t);
    const uint64_t before = t.passed;
    assert_int_equal(run(&t, 200), YK_RIG_FRESH);
    assert_int_equal(t.passed - before, 200);
    assert_notice(&t, "emergency of slave 3 (drive2): 0x4210, device too hot; error register 0x1");
    assert_null(yk_rig_ethercat.notice(t.self));
    ethercat_rig_end(&t);
}

static void a_drive_that_fails_says_so_by_its_status_and_by_an_emergency(void **state)
{
    struct ethercat_rig_test t;
    const double x[N] = {0};

    make(&t, "drive@0.05:2");
    ethercat_rig_start(&t);
    assert_int_equal(run(&t, 200), YK_RIG_LOST);
    assert_reason(&t, "left its operation: fault");
    for (int k = 0; k < 10; k++) /* the mailbox is asked after the loss, too */
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_LOST);
    assert_notice(&t, "emergency of slave 2 (drive1): 0x8611, following error");
    ethercat_rig_end(&t);
}

static void words_for_emergencies_go_from_the_code_to_its_class(void **state)
{
    assert_string_equal(yk_ec_emergency_words(0x8611), "following error");
    assert_string_equal(yk_ec_emergency_words(0x7512), "communication");
    assert_string_equal(yk_ec_emergency_words(0x3999), "voltage");
    assert_string_equal(yk_ec_emergency_words(0xFF01), "of the manufacturer");
    assert_string_equal(yk_ec_emergency_words(0x0100), "no known class");
}

/* A mailbox that does not fit into the frame beside the process data is not asked. */
static void a_large_mailbox_is_left_alone(void **state)
{
    struct yk_ec_slave slaves[2] = {{.sii = {.protocols = YK_EC_PROTOCOL_COE, .mail_in_size = 1400}, .in_bits = 8 * 60},
                                    {.sii = {.protocols = YK_EC_PROTOCOL_COE, .mail_in_size = 128}}};
    struct yk_ec_master m = {.count = 2, .slaves = slaves};

    assert_ok(yk_ec_lay_out(&m, &err));
    assert_false(slaves[0].mail_fits);
    assert_true(slaves[1].mail_fits);
}

/* ---- braking ---- */

static bool was_on, dropped;

/* The enable line drops only when the drives stand, and their voltage before it. */
static void watch_enable(struct ethercat_rig_test *t)
{
    const bool on = t->segment->lines >> 0 & 1;

    was_on |= on;
    if (!was_on || on)
        return;
    dropped = true;
    for (int i = DRIVE; i < DRIVE + N; i++) {
        if (t->segment->slaves[i]->drive_now.speed != 0)
            fail_msg("the enable line drops at %g m/s", t->segment->slaves[i]->drive_now.speed);
        assert_int_equal(t->segment->slaves[i]->drive_now.state, YK_SIM_SWITCH_ON_DISABLED);
    }
}

/* 0.2 m/s and 1 m/s2: the drives brake for 200 ms and 20 mm. */
static void brake_from_full_speed(bool cut, double stop_time, struct ethercat_rig_test *t)
{
    static const struct yk_rig_line lines[] = {{"on", YK_LINE_ENABLE, false, 0}, {"red", YK_LINE_TRIP_LAMP, false, 0}};
    struct yk_rig_plan plan = segment_plan(N);
    double x[N] = {0};

    plan.line_count = 2;
    plan.lines = lines;
    was_on = dropped = false;
    ethercat_rig_make_for(t, &(struct yk_sim_settings){0}, false, NULL, NULL, &plan);
    ethercat_rig_setup(t)->stop_time = stop_time;
    ethercat_rig_start(t);
    for (int i = DRIVE; i < DRIVE + N; i++)
        yk_sim_object_find(t->segment->slaves[i], 0x6085, 0)->value = 10000000;
    for (int k = 1; k <= 100; k++) {
        x[0] = x[1] = 2000 * k; /* counts of 0.1 um */
        yk_rig_ethercat.exchange(t->self, &(struct yk_rig_out){.command = x, .lines = 1}, &t->in);
    }
    t->after = watch_enable;
    if (cut) {
        yk_rig_ethercat.cut(t->self, 2);
        assert_int_equal(t->segment->lines & 3, 3); /* the lamp at once, the enable later */
    } else {
        assert_ok(yk_rig_ethercat.enable(t->self, false, &(struct yk_rig_out){.command = x, .lines = 2}, &err));
    }
}

static void the_enable_line_drops_after_the_quick_stop(void **state)
{
    for (int cut = 0; cut < 2; cut++) {
        struct ethercat_rig_test t;

        brake_from_full_speed(cut, 0.5, &t);
        struct yk_sim_segment *g = t.segment;
        yk_rig_ethercat.close(t.self); /* where there is no thread, a cut brakes here */
        free(t.self);
        assert_true(dropped);
        for (int i = DRIVE; i < DRIVE + N; i++)
            assert_near(g->slaves[i]->let_go, 0, 0);
        yk_sim_segment_destroy(g);
    }
}

/* A drive that never stands: its time is limited. */
static void the_quick_stop_ends_after_its_time(void **state)
{
    struct ethercat_rig_test t;

    was_on = dropped = false;
    brake_from_full_speed(true, 0.05, &t);
    t.after = NULL;
    struct yk_sim_segment *g = t.segment;
    yk_rig_ethercat.close(t.self);
    free(t.self);
    assert_near(g->slaves[DRIVE]->let_go, 0.15, 0.01); /* 0.2 - 1 x 0.05 */
    assert_int_equal(g->lines, 2);
    yk_sim_segment_destroy(g);
}

/* ---- homing ---- */

static void give_homing(struct ethercat_rig_test *t, double method, double slow)
{
    const struct yk_ec_sdo_value values[] = {{0x6098, 0, YK_EC_I8, method},
                                             {0x6099, 1, YK_EC_U32, 50000},
                                             {0x6099, 2, YK_EC_U32, slow},
                                             {0x607C, 0, YK_EC_I32, -30000}};
    struct yk_ec_slave_setup *s = &ethercat_rig_setup(t)->slaves[DRIVE];

    assert_non_null(s->sdos = calloc(4, sizeof *s->sdos));
    memcpy(s->sdos, values, sizeof values);
    s->sdo_count = 4;
}

/* Until the drive has ended its search; the fastest motion of the first drive, the largest of the second [m/s, m]. */
static enum yk_homing_answer search(struct ethercat_rig_test *t, double fastest, double *speed, double *moved)
{
    const double x[N] = {0};
    const struct yk_homing homing = {0, fastest};
    double last = t->segment->command[0];

    *speed = *moved = 0;
    t->in.homing = YK_HOMING_MOVES;
    for (int k = 0; k < 10000 && t->in.homing == YK_HOMING_MOVES; k++) {
        assert_int_equal(
            yk_rig_ethercat.exchange(t->self, &(struct yk_rig_out){.command = x, .homing = &homing}, &t->in),
            YK_RIG_FRESH);
        *speed = fmax(*speed, fabs(t->segment->command[0] - last) * 1e3);
        *moved = fmax(*moved, fabs(t->segment->command[1]));
        last = t->segment->command[0];
    }
    return t->in.homing;
}

/* Pulses are at whole multiples of 4 mm. */
static void a_drive_finds_its_index_and_counts_from_there(void **state)
{
    static const struct {
        double method, at;
    } rows[] = {{34, 4e-3}, {33, -4e-3}, {35, 0}, {37, 0}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct yk_rig_out none = {.command = (const double[N]){0}};
        struct ethercat_rig_test t;
        double speed, moved;

        make(&t, "");
        map_mode(&t, true);
        give_homing(&t, rows[i].method, 20000);
        ethercat_rig_start(&t);
        assert_int_equal(search(&t, 60000, &speed, &moved), YK_HOMING_DONE);
        assert_near(t.segment->command[0], rows[i].at, 1e-12);
        assert_near(t.in.readings[0].displacement, -30000, 0.5); /* in counts: the home offset */
        assert_near(moved, 0, 1e-12);
        assert_true(speed <= 2e-3 * (1 + 1e-6)); /* 20000 counts of 0.1 um a second */
        /* enabled anew it stays there, in the counts that it has now */
        assert_ok(yk_rig_ethercat.enable(t.self, false, &none, &err));
        assert_ok(yk_rig_ethercat.enable(t.self, true, &none, &err));
        assert_near(t.segment->command[0], rows[i].at, 1.01e-7);
        assert_near(yk_rig_ethercat.position(t.self, 0), -30000, 1);
        for (int k = 1; k <= 10; k++)
            yk_rig_ethercat.exchange(t.self, &(struct yk_rig_out){.command = (const double[N]){-30000 + 100 * k}},
                                     &t.in);
        assert_near(t.segment->command[0], rows[i].at + 1e-4, 2e-7);
        ethercat_rig_end(&t);
    }
}

static void a_drive_that_cannot_be_homed_is_left_where_it_is(void **state)
{
    static const struct {
        bool mode, shown;
        double method, slow;
        enum yk_homing_answer answer;
        const char *words;
    } rows[] = {{true, true, 34, 70000, YK_HOMING_REFUSED, "the speeds of homing, 0x6099, are above"},
                {false, false, 34, 20000, YK_HOMING_REFUSED, "homing needs a drive with drive: csp"},
                {true, true, 0, 20000, YK_HOMING_REFUSED, "homing needs its method and both speeds"},
                {true, true, 3, 20000, YK_HOMING_FAILED, ""}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ethercat_rig_test t;
        double speed, moved;

        make(&t, "");
        if (rows[i].mode)
            map_mode(&t, rows[i].shown);
        if (rows[i].method > 0)
            give_homing(&t, rows[i].method, rows[i].slow);
        ethercat_rig_start(&t);
        assert_int_equal(search(&t, 60000, &speed, &moved), rows[i].answer);
        assert_reason(&t, rows[i].words);
        assert_near(speed, 0, 1e-12);
        ethercat_rig_end(&t);
    }
}

/* ---- software limits ---- */

static void software_limits_are_written_read_back_and_obeyed(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};
    enum yk_rig_answer answer = YK_RIG_FRESH;

    make(&t, "");
    struct yk_ec_channel *c = &ethercat_rig_setup(&t)->channels[0];
    assert_int_equal(c->role, YK_EC_ROLE_COMMAND);
    c->limited = true;
    c->offset = 1e-3;
    ethercat_rig_setup(&t)->channels[1].offset = 1e-3; /* the displacement counts as the command does */
    c->least = -30000;
    c->most = 40000.4;
    ethercat_rig_start(&t);
    assert_int_equal((int32_t)yk_sim_object_value(t.segment->slaves[DRIVE], 0x607D, 1), -30000);
    assert_int_equal((int32_t)yk_sim_object_value(t.segment->slaves[DRIVE], 0x607D, 2), 40000); /* not beyond */
    for (int k = 1; k <= 100 && answer != YK_RIG_LOST; k++) {
        x[0] = 1e-4 * k;
        answer = ethercat_rig_exchange(&t, x);
    }
    assert_int_equal(answer, YK_RIG_LOST);
    assert_reason(&t, "has reached an internal limit (bit 11)");
    assert_true(t.segment->command[0] <= 5e-3 + 1e-12);
    ethercat_rig_end(&t);

    make(&t, "");
    c = &ethercat_rig_setup(&t)->channels[0];
    c->limited = true;
    c->scale = -c->scale; /* the other way round */
    c->least = -50000;
    c->most = 20000;
    ethercat_rig_setup(&t)->channels[1].scale = c->scale;
    assert_ok(yk_rig_ethercat.open(t.self, &t.plan, &err));
    assert_int_equal((int32_t)yk_sim_object_value(t.segment->slaves[DRIVE], 0x607D, 1), -50000);
    assert_int_equal((int32_t)yk_sim_object_value(t.segment->slaves[DRIVE], 0x607D, 2), 20000);
    ethercat_rig_end(&t);
}

static void software_limits_that_are_not_kept_are_refused(void **state)
{
    struct ethercat_rig_test t;

    for (int deaf = 0; deaf < 2; deaf++) {
        make(&t, "");
        struct yk_ec_channel *c = &ethercat_rig_setup(&t)->channels[0];
        c->limited = true;
        c->least = -10000;
        c->most = 10000;
        struct yk_sim_object *limit = yk_sim_object_find(t.segment->slaves[DRIVE], 0x607D, 2);
        if (deaf)
            limit->type = YK_SIM_U16 + 0u; /* of another size */
        else
            limit->access = YK_SIM_READ;
        struct yk_err err = {0};
        assert_int_not_equal(yk_rig_ethercat.open(t.self, &t.plan, &err), YK_OK);
        assert_non_null(strstr(err.wording, "0x607D:2"));
        ethercat_rig_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mode_that_changes_during_a_run_ends_it),
        cmocka_unit_test(a_drive_in_another_mode_is_not_enabled),
        cmocka_unit_test(a_mode_that_goes_out_must_come_back),
        cmocka_unit_test(a_drive_without_bit_12_needs_to_be_named),
        cmocka_unit_test(warnings_are_told_each_time_and_end_nothing),
        cmocka_unit_test(emergencies_come_with_the_cyclic_frames),
        cmocka_unit_test(a_drive_that_fails_says_so_by_its_status_and_by_an_emergency),
        cmocka_unit_test(words_for_emergencies_go_from_the_code_to_its_class),
        cmocka_unit_test(a_large_mailbox_is_left_alone),
        cmocka_unit_test(the_enable_line_drops_after_the_quick_stop),
        cmocka_unit_test(the_quick_stop_ends_after_its_time),
        cmocka_unit_test(a_drive_finds_its_index_and_counts_from_there),
        cmocka_unit_test(a_drive_that_cannot_be_homed_is_left_where_it_is),
        cmocka_unit_test(software_limits_are_written_read_back_and_obeyed),
        cmocka_unit_test(software_limits_that_are_not_kept_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
