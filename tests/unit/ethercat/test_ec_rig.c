/* The backend `ethercat` on a simulated segment: it starts, moves, and names what goes wrong. */
#include "support/check.h"
#include "support/ethercat_rig.h"
#include "support/segment.h"

#include "base/clock.h"
#include "rig/ethercat_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { N = 3 };

static void drives_follow_their_commands_in_lock_step(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, false);
    ethercat_rig_setup(&t)->reads_twice = true;
    ethercat_rig_start(&t);
    for (int k = 1; k <= 1000; k++) {
        for (int i = 0; i < N; i++)
            x[i] = 1e-3 * (i + 1) * sin(0.01 * k);
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
        for (int i = 0; i < N; i++)
            assert_near(t.readings[i].displacement, x[i], 0.5001e-7); /* half a count */
    }
    ethercat_rig_end(&t);
}

/* Without a second frame readings are one tick older. */
static void exact_drives_return_the_bits_of_the_last_tick(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0}, last;

    ethercat_rig_make(&t, &(struct yk_sim_settings){.exact = true}, N, false);
    ethercat_rig_start(&t);
    for (int k = 1; k <= 100; k++) {
        last = x[0];
        x[0] = 1e-3 * sin(0.01 * k);
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
        assert_true(t.readings[0].displacement == last);
    }
    ethercat_rig_end(&t);
}

static void clocks_are_set_and_the_loop_follows_them(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){.ppm = 80}, N, true);
    ethercat_rig_start(&t);
    for (int k = 1; k <= 3000; k++) {
        x[0] = 1e-3 * sin(0.01 * k);
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
        assert_true(fabs(yk_rig_ethercat_phase(t.self)->error_ns) < 0.05e6);
    }
    assert_near(yk_rig_ethercat_phase(t.self)->correction_ns, -80, 10); /* 80 ppm of 1 ms: the loop runs faster */
    ethercat_rig_end(&t);
}

/* A slave that cannot read and write at once: the outputs go before the inputs, in one frame. */
static void a_bus_without_lrw_is_read_and_written_apart(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){.exact = true}, N, false);
    t.segment->slaves[2]->memory[YK_EC_FEATURES + 1] |= YK_EC_NO_LRW >> 8;
    ethercat_rig_setup(&t)->reads_twice = true;
    ethercat_rig_start(&t);
    assert_true(yk_rig_ethercat_master(t.self)->split);
    for (int k = 1; k <= 100; k++) {
        x[1] = 1e-3 * sin(0.01 * k);
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
        assert_true(t.readings[1].displacement == x[1]);
    }
    ethercat_rig_end(&t);
}

static struct yk_ec_pdo *list_of(uint16_t index, const char *const *entries)
{
    struct yk_ec_pdo *pdo = calloc(1, sizeof *pdo);

    assert_non_null(pdo);
    pdo->index = index;
    for (; *entries; entries++)
        assert_true(yk_ec_entry_parse(*entries, &pdo->entries[pdo->count++]));
    return pdo;
}

/* The mapping of the file is written to the slave, and the mode with it. */
static void velocity_and_torque_drives_get_their_mode_and_process_data(void **state)
{
    static const struct {
        enum yk_command_kind kind;
        enum yk_ec_drive drive;
        enum yk_ec_role reading;
        const char *target, *actual;
        double scale, command;
    } rows[] = {
        {YK_BY_VELOCITY, YK_EC_CSV, YK_EC_ROLE_VELOCITY, "0x60FF:0:i32", "0x606C:0:i32", 1e-7, 0.0123},
        {YK_BY_FORCE, YK_EC_CST, YK_EC_ROLE_FORCE, "0x6071:0:i16", "0x6077:0:i16", 10, -2500},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const out[] = {"0x6040:0:u16", rows[i].target, NULL}, *const in[] = {"0x6041:0:u16", rows[i].actual,
                                                                                         "0x6064:0:i32", NULL};
        struct ethercat_rig_test t;
        struct yk_rig_plan plan = segment_plan(1);
        const double none = 0;

        plan.kinds = &rows[i].kind;
        ethercat_rig_make_for(&t, &(struct yk_sim_settings){0}, false, NULL, NULL, &plan);
        struct yk_ec_setup *s = ethercat_rig_setup(&t);
        s->slaves[1].drive = (int)rows[i].drive;
        s->slaves[1].outputs = list_of(0x1601, out);
        s->slaves[1].inputs = list_of(0x1A01, in);
        s->slaves[1].output_count = s->slaves[1].input_count = 1;
        for (int k = 0; k < 2; k++) {
            assert_true(yk_ec_entry_parse(k ? rows[i].actual : rows[i].target, &s->channels[k].entry));
            s->channels[k].scale = rows[i].scale;
        }
        s->channels[1].role = rows[i].reading;
        s->channels[s->channel_count] = (struct yk_ec_channel){.of = strdup("a1"), .slave = 1, .scale = 1e-7};
        assert_true(yk_ec_entry_parse("0x6064:0", &s->channels[s->channel_count++].entry)); /* the displacement */
        ethercat_rig_start(&t);
        assert_int_equal(yk_sim_object_value(t.segment->slaves[1], 0x6061, 0), yk_ec_drive_mode(rows[i].drive));
        for (int k = 0; k < 5; k++) { /* before it moves: no speed, no torque */
            assert_int_equal(ethercat_rig_exchange(&t, &none), YK_RIG_FRESH);
            assert_near(t.segment->command[0], 0, 0);
        }
        assert_int_equal(ethercat_rig_exchange(&t, &rows[i].command), YK_RIG_FRESH);
        assert_near(t.segment->command[0], rows[i].command, 0.5001 * rows[i].scale);
        ethercat_rig_end(&t);
    }
}

/* PDOs that may be assigned, with entries that may not be written: they are assigned as they are. */
static void fixed_entries_are_assigned_as_they_are(void **state)
{
    static const char *const out[] = {"0x6040:0:u16", "0x607A:0:i32", NULL}, *const in[] = {"0x6041:0:u16",
                                                                                            "0x6064:0:i32", NULL};
    struct ethercat_rig_test t;
    const double x = 2.5e-3;

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, 1, false);
    for (int d = 0; d < 2; d++)
        t.segment->slaves[1]->maps[d].fixed_pdos = true;
    struct yk_ec_setup *s = ethercat_rig_setup(&t);
    s->slaves[1].outputs = list_of(0x1600, out);
    s->slaves[1].inputs = list_of(0x1A00, in);
    s->slaves[1].output_count = s->slaves[1].input_count = 1;
    ethercat_rig_start(&t);
    for (int k = 0; k < 5; k++)
        assert_int_equal(ethercat_rig_exchange(&t, &x), YK_RIG_FRESH);
    assert_near(t.segment->command[0], x, 0.5001e-7);
    ethercat_rig_end(&t);
}

static void lines_are_bits_of_terminals(void **state)
{
    static const struct yk_rig_line lines[] = {{"door", YK_LINE_INTERLOCK, false, 0},
                                               {"stop", YK_LINE_EMERGENCY_STOP, false, 0},
                                               {"red", YK_LINE_TRIP_LAMP, false, 0}};
    struct ethercat_rig_test t;
    struct yk_rig_plan plan = segment_plan(1);
    const double x = 0;

    plan.line_count = 3;
    plan.lines = lines;
    ethercat_rig_make_for(&t, &(struct yk_sim_settings){.exact = true}, false, NULL, NULL, &plan);
    ethercat_rig_start(&t);
    for (uint32_t levels = 0; levels < 8; levels++) {
        t.segment->in.lines = levels & 3;
        for (int k = 0; k < 2; k++)
            assert_int_equal(
                yk_rig_ethercat.exchange(t.self, &(struct yk_rig_out){.command = &x, .lines = levels}, &t.in),
                YK_RIG_FRESH);
        assert_int_equal(t.in.lines & 3, levels & 3);
        assert_int_equal(t.segment->lines >> 2 & 1, levels >> 2);
    }
    ethercat_rig_end(&t);
}

/* As on a console: readings come before the drives are enabled, and after they were disabled; nothing moves. */
static void a_rig_is_read_while_its_drives_are_off(void **state)
{
    for (int clock = 0; clock < 2; clock++) {
        struct ethercat_rig_test t;
        const double x[N] = {1e-3, 1e-3, 1e-3}, none[N] = {0};
        const struct yk_rig_out out = {.command = none};
        struct yk_err err = {0};

        ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, clock);
        assert_int_equal(yk_rig_ethercat.open(t.self, &t.plan, &err), YK_OK);
        for (int turn = 0; turn < 2; turn++) {
            for (int k = 0; k < 50; k++) {
                assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
                assert_near(t.readings[0].displacement, 0, 0);
            }
            if (yk_rig_ethercat.enable(t.self, true, &out, &err))
                fail_msg("%s", err.wording);
            for (int k = 0; k < 5; k++)
                assert_int_equal(ethercat_rig_exchange(&t, none), YK_RIG_FRESH);
            assert_int_equal(yk_rig_ethercat.enable(t.self, false, &out, &err), YK_OK);
        }
        ethercat_rig_end(&t);
    }
}

/* ---- the thread that sends frames before a run ---- */

static const struct yk_ec_wire_ops *inner;
static struct yk_ec_wire_ops timed;
static pthread_t loop;
static int64_t begin_ns, offset_ns;
static atomic_bool taking_over;
static atomic_int waits; /* of the loop */

static int64_t now_by_clock(const struct yk_ec_wire *wire)
{
    return yk_clock_now_ns() - begin_ns + offset_ns;
}

/* The thread stays in its tick until the loop gives it the processor, but not for ever. */
static void pause_by_clock(struct yk_ec_wire *wire, int64_t until_ns)
{
    const int64_t patience_ns = yk_clock_now_ns() + 2000000000;

    atomic_fetch_add(&waits, pthread_equal(pthread_self(), loop) && atomic_load(&taking_over));
    yk_clock_sleep_until(until_ns - offset_ns + begin_ns);
    while (!pthread_equal(pthread_self(), loop) && atomic_load(&taking_over) && !atomic_load(&waits) &&
           yk_clock_now_ns() < patience_ns)
        yk_clock_sleep_until(yk_clock_now_ns() + 100000);
}

/* A loop of high priority that did not sleep would keep a machine of one processor from ending the tick. */
static void the_loop_sleeps_until_the_thread_has_ended_its_tick(void **state)
{
    for (int paced = 0; paced < 2; paced++) {
        struct ethercat_rig_test t;
        const double x[N] = {0};

        ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, true);
        struct yk_ec_wire *wire = &((struct yk_ec_backend *)t.self)->wire;
        loop = pthread_self();
        inner = wire->ops;
        begin_ns = yk_clock_now_ns();
        offset_ns = inner->now(wire);
        timed = *inner;
        timed.now = now_by_clock;
        timed.pause = pause_by_clock;
        wire->ops = &timed;
        wire->timed = true;
        atomic_store(&taking_over, false);
        atomic_store(&waits, 0);
        assert_ok(yk_rig_ethercat.open(t.self, &t.plan, &err));
        atomic_store(&taking_over, true);
        if (paced)
            yk_rig_ethercat.pace(t.self, now_by_clock(wire)); /* the tick of the loop is one of its own, too */
        else
            ethercat_rig_exchange(&t, x);
        assert_true(atomic_load(&waits) > 0);
        atomic_store(&taking_over, false);
        ethercat_rig_end(&t);
    }
}

/* States of a plan are copied as blocks; whichever moves, the bus is the same. */
static void a_copy_of_the_state_moves_the_same_bus(void **state)
{
    struct ethercat_rig_test t;
    void *copy = malloc(yk_rig_ethercat.size);
    double x[N] = {0};

    assert_non_null(copy);
    ethercat_rig_make(&t, &(struct yk_sim_settings){.exact = true}, N, true);
    ethercat_rig_start(&t);
    memcpy(copy, t.self, yk_rig_ethercat.size);
    for (int k = 1; k <= 100; k++) {
        x[0] = 1e-5 * k;
        assert_int_equal(yk_rig_ethercat.exchange(k % 2 ? copy : t.self, &(struct yk_rig_out){.command = x}, &t.in),
                         YK_RIG_FRESH);
    }
    assert_true(t.segment->command[0] == x[0] || t.segment->command[0] == 1e-5 * 99);
    ethercat_rig_end(&t);
    free(copy);
}

/* ---- faults ---- */

/* Runs with the faults for three seconds; returns the worst answer and how many ticks had none. */
static enum yk_rig_answer run_with(struct ethercat_rig_test *t, const char *faults, bool clock, int *held)
{
    struct yk_sim_settings settings = {0};
    enum yk_rig_answer worst = YK_RIG_FRESH;
    double x[N] = {0};

    assert_int_equal(yk_sim_faults_parse(faults, settings.faults, &settings.fault_count, NULL), YK_OK);
    ethercat_rig_make(t, &settings, N, clock);
    ethercat_rig_setup(t)->silence = 0.02;
    ethercat_rig_setup(t)->wait = 0.4e-3;
    ethercat_rig_start(t);
    *held = 0;
    for (int k = 1; k <= 3000; k++) {
        const enum yk_rig_answer answer = ethercat_rig_exchange(t, x);

        *held += answer == YK_RIG_HELD;
        worst = answer > worst ? answer : worst;
    }
    return worst;
}

static void a_frame_that_is_lost_now_and_then_is_held(void **state)
{
    struct ethercat_rig_test t;
    int held;

    for (int clock = 0; clock < 2; clock++) {
        assert_int_equal(run_with(&t, "lost@0.1+0.005,damaged@0.2+0.003:3", clock, &held), YK_RIG_HELD);
        assert_in_range(held, 5, 12);
        ethercat_rig_end(&t);
    }
}

static void frames_that_come_twice_are_dropped(void **state)
{
    struct ethercat_rig_test t;
    int held;

    assert_int_equal(run_with(&t, "duplicate@0.1+0.5", true, &held), YK_RIG_FRESH);
    assert_int_equal(held, 0);
    assert_true(yk_rig_ethercat_master(t.self)->counts.stray > 400);
    ethercat_rig_end(&t);
}

/* Whatever ends a run is told in words, with the slave. */
static void a_lost_bus_says_why(void **state)
{
    static const struct {
        const char *faults, *words;
        bool clock;
    } rows[] = {
        {"lost@0.1", "no frame comes back", true},
        {"late@0.1", "no frame comes back", true},
        {"wkc@0.1", "working counter 9 instead of 10", true},
        {"wkc-high@0.1", "working counter 11 instead of 10: another master", true},
        {"safeop@0.1:3", "slave 3 (drive2) fell to SAFEOP", true},
        {"safeop@0.1:3", "slave 3 (drive2) fell to SAFEOP", false},
        {"cut@0.1:2",
         "the bus ends behind slave 2 (drive1): the cable is broken, or slave 3 (drive2) has no power; "
         "slaves that are gone: 3",
         true},
        {"drive@0.1:4", "drive slave 4 (drive3) left its operation: fault", true},
        {"drift@0.1:3", "slave 3 (drive2) fell to SAFEOP: 0x1A, synchronisation error", true},
        {"following-error@0.1:3", "drive slave 3 (drive2) reports a following error (bit 13), status word 0x3237",
         true},
        {"internal-limit@0.1:3", "drive slave 3 (drive2) has reached an internal limit (bit 11), status word 0x1A37",
         true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ethercat_rig_test t;
        int held;
        const enum yk_rig_answer worst = run_with(&t, rows[i].faults, rows[i].clock, &held);
        const char *reason = yk_rig_ethercat.reason(t.self);

        if (worst != YK_RIG_LOST || strncmp(reason, rows[i].words, strlen(rows[i].words)) != 0)
            fail_msg("%s: answer %d, %d held, '%s' instead of '%s'", rows[i].faults, worst, held, reason,
                     rows[i].words);
        ethercat_rig_end(&t);
    }
}

/* A drive that sends 0x603F among its inputs tells what is wrong with it. */
static void the_error_code_of_a_drive_is_told(void **state)
{
    static const char *const in[] = {"0x6041:0:u16", "0x6064:0:i32", "0x603F:0:u16", NULL};
    struct yk_sim_settings settings = {0};
    struct ethercat_rig_test t;
    char words[80];
    const double x[N] = {0};

    assert_int_equal(yk_sim_faults_parse("drive@0.01:3", settings.faults, &settings.fault_count, NULL), YK_OK);
    ethercat_rig_make(&t, &settings, N, false);
    struct yk_ec_slave_setup *s = &ethercat_rig_setup(&t)->slaves[2];
    s->inputs = list_of(0x1A01, in);
    s->input_count = 1;
    ethercat_rig_start(&t);
    for (int k = 0; k < 100; k++)
        ethercat_rig_exchange(&t, x);
    snprintf(words, sizeof words, "error 0x%X", (unsigned)yk_sim_object_value(t.segment->slaves[2], 0x603F, 0));
    assert_string_not_equal(words, "error 0x0");
    if (!strstr(yk_rig_ethercat.reason(t.self), words))
        fail_msg("'%s' is not in '%s'", words, yk_rig_ethercat.reason(t.self));
    ethercat_rig_end(&t);
}

/* The slaves that can still be heard are stopped. */
static void other_drives_stop_when_the_cable_breaks(void **state)
{
    struct ethercat_rig_test t;
    int held;

    assert_int_equal(run_with(&t, "cut@0.1:3", true, &held), YK_RIG_LOST);
    assert_int_equal(t.segment->slaves[1]->drive_now.state, YK_SIM_QUICK_STOP); /* and keep their voltage */
    assert_int_equal(t.segment->slaves[2]->drive_now.state, YK_SIM_QUICK_STOP);
    assert_int_equal(yk_sim_slave_state(t.segment->slaves[3]), YK_EC_SAFEOP); /* beyond: by its watchdog */
    ethercat_rig_end(&t);
}

static void check_refusal(const char *faults, const char *words, enum yk_status status)
{
    struct ethercat_rig_test t;
    struct yk_sim_settings settings = {0};
    struct yk_err err = {0};

    assert_int_equal(yk_sim_faults_parse(faults, settings.faults, &settings.fault_count, NULL), YK_OK);
    ethercat_rig_make(&t, &settings, N, true);
    assert_int_equal(yk_rig_ethercat.open(t.self, &t.plan, &err), status);
    if (!strstr(err.wording, words))
        fail_msg("'%s' instead of '%s'", err.wording, words);
    ethercat_rig_end(&t);
}

static void another_slave_than_in_the_file_is_refused(void **state)
{
    check_refusal("identity@0:3", "but the file has 'drive2' there", YK_E_INPUT);
}

/* Its time wraps every four seconds, in the middle of a tick. */
static void a_clock_of_32_bits_is_refused(void **state)
{
    struct ethercat_rig_test t;
    struct yk_err err = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, true);
    t.segment->slaves[2]->memory[YK_EC_FEATURES] &= (uint8_t)~YK_EC_HAS_DC64;
    assert_int_equal(yk_rig_ethercat.open(t.self, &t.plan, &err), YK_E_UNSUPPORTED);
    assert_non_null(strstr(err.wording, "slave 3 (drive2) has a clock of 32 bits; set clock: false"));
    ethercat_rig_end(&t);
}

static void a_bus_of_another_length_is_refused(void **state)
{
    struct ethercat_rig_test t;
    struct yk_err err = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, true);
    free(ethercat_rig_setup(&t)->slaves[--ethercat_rig_setup(&t)->slave_count].name);
    assert_int_equal(yk_rig_ethercat.open(t.self, &t.plan, &err), YK_E_INPUT);
    assert_non_null(strstr(err.wording, "the bus has 5 slaves, but the file has 4"));
    ethercat_rig_end(&t);
}

static void an_entry_that_the_slave_lacks_is_refused(void **state)
{
    struct ethercat_rig_test t;
    struct yk_err err = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, true);
    ethercat_rig_setup(&t)->channels[0].entry.subindex = 3;
    assert_int_equal(yk_rig_ethercat.open(t.self, &t.plan, &err), YK_E_INPUT);
    assert_non_null(strstr(err.wording, "slave 2 (drive1) has no entry 0x607A:3 among its outputs"));
    ethercat_rig_end(&t);
}

static void a_cut_stops_the_drives_at_once(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, false);
    ethercat_rig_start(&t);
    for (int k = 0; k < 10; k++)
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
    yk_rig_ethercat.cut(t.self, 0);
    for (int i = 1; i <= N; i++)
        assert_int_equal(t.segment->slaves[i]->drive_now.state, YK_SIM_QUICK_STOP);
    ethercat_rig_end(&t);
}

/* A master that is killed: the watchdog of the slaves stops the drives. */
static void drives_stop_by_themselves_without_frames(void **state)
{
    struct ethercat_rig_test t;
    double x[N] = {0};

    ethercat_rig_make(&t, &(struct yk_sim_settings){0}, N, true);
    ethercat_rig_start(&t);
    for (int k = 0; k < 10; k++)
        assert_int_equal(ethercat_rig_exchange(&t, x), YK_RIG_FRESH);
    for (int64_t end = t.segment->now + 40000000; t.segment->now < end;)
        yk_sim_segment_advance(t.segment, t.segment->now + 100000);
    for (int i = 1; i <= N; i++) {
        assert_int_equal(yk_sim_slave_state(t.segment->slaves[i]), YK_EC_SAFEOP);
        assert_int_not_equal(t.segment->slaves[i]->drive_now.state, YK_SIM_ENABLED);
    }
    ethercat_rig_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drives_follow_their_commands_in_lock_step),
        cmocka_unit_test(exact_drives_return_the_bits_of_the_last_tick),
        cmocka_unit_test(clocks_are_set_and_the_loop_follows_them),
        cmocka_unit_test(a_bus_without_lrw_is_read_and_written_apart),
        cmocka_unit_test(velocity_and_torque_drives_get_their_mode_and_process_data),
        cmocka_unit_test(fixed_entries_are_assigned_as_they_are),
        cmocka_unit_test(lines_are_bits_of_terminals),
        cmocka_unit_test(a_rig_is_read_while_its_drives_are_off),
        cmocka_unit_test(the_loop_sleeps_until_the_thread_has_ended_its_tick),
        cmocka_unit_test(a_copy_of_the_state_moves_the_same_bus),
        cmocka_unit_test(a_frame_that_is_lost_now_and_then_is_held),
        cmocka_unit_test(frames_that_come_twice_are_dropped),
        cmocka_unit_test(a_lost_bus_says_why),
        cmocka_unit_test(the_error_code_of_a_drive_is_told),
        cmocka_unit_test(other_drives_stop_when_the_cable_breaks),
        cmocka_unit_test(another_slave_than_in_the_file_is_refused),
        cmocka_unit_test(a_clock_of_32_bits_is_refused),
        cmocka_unit_test(a_bus_of_another_length_is_refused),
        cmocka_unit_test(an_entry_that_the_slave_lacks_is_refused),
        cmocka_unit_test(a_cut_stops_the_drives_at_once),
        cmocka_unit_test(drives_stop_by_themselves_without_frames),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
