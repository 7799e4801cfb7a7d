/* Faults that need more than a line of test_fault_table.c: models that fail, a rig that is found elsewhere or does not
 * come to rest, time that is stretched, an operator who changes his mind, a full disk. The runs are paced on a virtual
 * clock or not at all; 1 kHz, ten ticks a step. */
#include "support/between.h"
#include "support/check.h"
#include "support/program.h"
#include "support/recorded.h"
#include "support/scratch.h"
#include "support/spring_specimen.h"

#include <math.h>

#define MOST    0.1 /* m: limit of displacement */
#define FASTEST 2.0 /* m/s: limit of the rate */

static const char text[] =
    "title: faults\n"
    "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n" SPRING_SPECIMEN
    "limits: {displacement: 100 mm, command_rate: 2 m/s, force: 8 kN, trip_ramp: 0.2, end_ramp: 0.2}\n";

#define RAMP "limits.start_ramp=0.1"

/* ---- what can happen ---- */

static enum yk_rig_answer f_spike(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->from)
        r->force = -1e5;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer silent(struct between *b, struct yk_reading *r)
{
    *r = b->last[0];
    return YK_RIG_HELD;
}

static enum yk_rig_answer aborts(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->from)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer aborts_twice(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->from || b->tick == b->from + 50)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

/* ---- a model that fails, a coarse side that does not come ---- */

static struct yk_integrator_ops broken;
static enum yk_status (*true_absorb)(void *self, int stage, const double *p);
static long absorbed;

static enum yk_status absorb_nonsense(void *self, int stage, const double *p)
{
    double bad = NAN;

    return true_absorb(self, stage, ++absorbed > 100 ? &bad : p);
}

static void a_model_without_numbers_stops_the_actuators(void **state)
{
    struct between b = {.clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    broken = *e->integrator;
    true_absorb = broken.absorb;
    broken.absorb = absorb_nonsense;
    absorbed = 0;
    e->integrator = &broken;
    b.unpaced = true;
    between_run(&b, &between_ops, e, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "at step 5"));
    assert_near(b.wire[0].sent, 0, 1e-12);
    assert_true(b.wire[0].reach <= MOST && b.wire[0].rate <= FASTEST);
    recorded_free(&r);
    yk_model_close(e);
}

static struct yk_coupling_ops late;
static enum yk_status (*true_coarse)(void *self, int phase);
static long phases;

static enum yk_status coarse_late(void *self, int phase)
{
    if (++phases == 60)
        program_sleep(0.2);
    return true_coarse(self, phase);
}

static void a_coarse_side_that_does_not_come_is_not_waited_for(void **state)
{
    static const char *const set[] = {
        "time={step: 10 ms, substeps: 2, end: 2 s, control_rate: 1000 Hz}", "method={coupling: pm}",
        "substructures.specimen={role: physical, rate: fine, dofs: [x], actuators: {x: a1}, "
        "estimate: {mass: [100], stiffness: [[35530]]}}",
        "limits={coarse_wait: 50 ms, missed_deadlines: 0, stall: 0, on_trip: ramp, trip_ramp: 0.1, displacement: 100 "
        "mm}"};
    struct yk_run_settings settings = yk_run_defaults();
    struct yk_model *e = recorded_parse(text, set, 4);
    struct recorded r;

    late = *e->coupling;
    true_coarse = late.coarse;
    late.coarse = coarse_late;
    e->coupling = &late;
    settings.realtime = true;
    settings.threads = 2;
    phases = -60; /* not while the share is measured */
    recorded_run(&r, e, &settings, NULL);
    assert_int_equal(r.status, YK_OK);
    assert_int_equal(r.result.status, YK_E_STOPPED);
    assert_non_null(strstr(r.result.reason, "wait for the coarse side"));
    assert_true(r.result.pace->missed_by[YK_MISS_COARSE_LATE] > 0);
    assert_int_equal(r.count[0], r.result.steps + 1);
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- beyond the limits before anything moved ---- */

/* The reader refuses a start beyond the limits; a program can still draw them closer afterwards. */
static void a_start_beyond_limits_drawn_closer_trips(void **state)
{
    static const char *const set[] = {"substructures.frame.initial={displacement: {x: 0.15}}",
                                      "substructures.specimen.initial={displacement: {x: 0.15}}", RAMP,
                                      "limits.displacement=200 mm"};
    struct between b = {.clock = yk_clock_virtual(1), .approach = true};
    struct yk_model *e = recorded_parse(text, set, 4);
    struct recorded r;

    yk_station_supervisor(e->station)->limits.limit[YK_LIMIT_DISPLACEMENT] = MOST;
    b.unpaced = true;
    between_run(&b, &between_ops_elsewhere, e, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "command of a1, "));
    assert_non_null(strstr(r.result.reason, "passed its limit of 0.1 m"));
    assert_true(b.wire[0].reach <= MOST * (1 + 1e-12) && b.wire[0].rate <= FASTEST * (1 + 1e-9));
    assert_near(b.wire[0].sent, 0, 1e-12);
    recorded_free(&r);
    yk_model_close(e);
}

#define ASTRAY 0.15 /* m: where the rig is found */

/* Not paced; something may happen from an exchange on. */
static void run_astray(const char *action, const char *start_ramp, happening *happen, long from, bool approach,
                       struct between *b, struct recorded *r)
{
    /* without a limit of rate nothing but the ramp keeps a command from jumping */
    const char *const set[] = {action, start_ramp, "limits.command_rate=0", "limits.force=0", "limits.end_ramp=1"};
    struct yk_model *e = recorded_parse(text, set, 5);

    *b = (struct between){.happen = happen,
                          .from = from,
                          .clock = yk_clock_virtual(1),
                          .approach = approach,
                          .unpaced = true,
                          .stands_at = ASTRAY};
    between_run(b, &between_ops_elsewhere, e, r);
    yk_model_close(e);
}

static void a_rig_found_beyond_its_limits_is_not_moved(void **state)
{
    struct between b;
    struct recorded r;

    run_astray("limits.displacement={limit: 100 mm, action: ramp}", "limits.start_ramp=1", NULL, 0, true, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "command of a1, 0.15 m, passed its limit of 0.1 m at step 0"));
    assert_true(r.result.trip.tripped);
    assert_near(b.wire[0].sent, ASTRAY, 1e-12);
    assert_true(b.wire[0].rate < 1e-9);
    recorded_free(&r);
}

/* A limit that only warns: the ramp leads the rig back, at most 15/8 of the way in its time, and no jump to the
 * limit. */
static void a_rig_beyond_limits_that_warn_is_led_back_smoothly(void **state)
{
    struct between b;
    struct recorded r;

    run_astray("limits.displacement={limit: 100 mm, action: warn}", "limits.start_ramp=1", NULL, 0, true, &b, &r);
    assert_int_equal(r.result.status, YK_OK);
    assert_true(r.result.warnings > 0);
    assert_near(b.wire[0].reach, ASTRAY, 1e-3);
    assert_true(b.ramp_rate > ASTRAY && b.ramp_rate <= 15.0 / 8 * ASTRAY * (1 + 1e-6));
    recorded_free(&r);
}

/* Whatever the ramp: an actuator that is not where it is believed to be may have a wrong sensor. */
static void a_rig_found_elsewhere_is_not_moved_without_being_asked(void **state)
{
    static const char *const ramps[] = {"limits.start_ramp=0", "limits.start_ramp=1"};

    for (int k = 0; k < 2; k++) {
        struct between b;
        struct recorded r;

        run_astray("limits.position_error=2 mm", ramps[k], NULL, 0, false, &b, &r);
        assert_int_equal(yk_status_exit_code(r.status), 2);
        assert_non_null(strstr(yk_err_line(&r.err).text, "actuator a1 stands at 0.15 m, and the run begins at 0 m"));
        assert_non_null(strstr(yk_err_line(&r.err).text, "limits.position_error = 0.002 m"));
        assert_non_null(strstr(yk_err_line(&r.err).text, "--approach"));
        assert_int_equal(b.tick, 0);
        recorded_free(&r);
    }
}

/* 15/8 of the way in its time is the fastest part of a ramp. */
static void the_first_command_is_where_the_rig_stands(void **state)
{
    static const struct {
        const char *ramp;
        double seconds;
    } cases[] = {{"limits.start_ramp=0", 0.2}, {"limits.end_ramp=1", 2}, {"limits.start_ramp=1", 1}};

    for (int k = 0; k < 3; k++) {
        struct between b;
        struct recorded r;

        run_astray("limits.displacement=1", cases[k].ramp, NULL, 0, true, &b, &r);
        assert_int_equal(r.result.status, YK_OK);
        assert_true(r.result.finished);
        assert_true(b.wire[0].first == ASTRAY);
        assert_near(b.ramp_rate, 15.0 / 8 * ASTRAY / cases[k].seconds, 0.01 * ASTRAY);
        recorded_free(&r);
    }
}

static enum yk_status rest_nowhere(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    *in->readings = (struct yk_reading){.displacement = NAN};
    return YK_OK;
}

static void a_rig_that_does_not_say_where_it_stands_is_not_moved(void **state)
{
    static const struct yk_rig_ops ops = {.name = "nowhere", .exchange = between_exchange, .rest = rest_nowhere};
    struct between b = {.clock = yk_clock_virtual(1), .approach = true};
    struct yk_model *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    between_run(&b, &ops, e, &r);
    assert_int_not_equal(r.status, YK_OK);
    assert_non_null(strstr(yk_err_line(&r.err).text, "actuator a1 has no valid position"));
    assert_int_equal(b.tick, 0);
    recorded_free(&r);
    yk_model_close(e);
}

/* A drive that is not enabled: it would jump to its command later. */
static enum yk_rig_answer stays(struct between *b, struct yk_reading *r)
{
    *r = (struct yk_reading){.displacement = ASTRAY};
    return YK_RIG_FRESH;
}

static void a_rig_that_does_not_follow_the_start_ramp_stops_the_run(void **state)
{
    struct between b;
    struct recorded r;

    run_astray("limits.displacement=1", "limits.start_ramp=1", stays, 1, true, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "position error at standstill of a1, 0.15 m, passed its limit of 0.001 m"));
    assert_int_equal(r.result.steps, 0);
    assert_true(b.wire[0].first == ASTRAY);
    assert_near(b.wire[0].sent, ASTRAY, 1e-12); /* home again */
    recorded_free(&r);
}

/* Without `--realtime` requests are heard between two steps, but a start ramp is no step: it may last for minutes. */
static void an_abort_ends_the_start_ramp_of_an_unpaced_run(void **state)
{
    struct between b;
    struct recorded r;

    run_astray("limits.displacement=1", "limits.start_ramp=10", aborts, 1000, true, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "stopped by request at step 0"));
    assert_int_equal(b.tick, 2000); /* and back within the second of `end_ramp` */
    assert_near(b.wire[0].sent, ASTRAY, 1e-12);
    assert_int_equal(r.result.state, YK_STATE_DONE);
    recorded_free(&r);
}

/* ---- time ---- */

#define WALL_RATE 1.0  /* m/s: limit of the rate */
#define WALL_RAMP 0.2  /* s: of an abort and of a trip */
#define SOON      0.05 /* s: what may pass beside the ramp */

/* A run of the file at a scale of its time, paced on the virtual clock. */
static void run_scaled(double scale, const char *more, happening *happen, long from, struct between *b,
                       struct recorded *r)
{
    char time[128];
    const char *const set[] = {
        time, "limits={displacement: 100 mm, command_rate: 1 m/s, force: 8 kN, trip_ramp: 0.2, end_ramp: 0.2}",
        more ? more : "limits.on_trip=ramp"};
    struct yk_model *e;

    snprintf(time, sizeof time,
             "time={step: 10 ms, end: 2 s, control_rate: 1000 Hz, scale: %g, faster_than_real: true}", scale);
    e = recorded_parse(text, set, 3);
    *b = (struct between){.happen = happen, .from = from, .clock = yk_clock_virtual(1)};
    between_run(b, &between_ops, e, r);
    assert_int_equal(r->status, YK_OK);
    yk_model_close(e);
}

/* The motion of the test comes to 0.5 m/s: five times as fast it is beyond the limit. The ramps are the same at every
 * scale. */
static void limits_and_ramps_are_those_of_the_wall_at_every_scale(void **state)
{
    static const double scales[] = {0.2, 1, 50, 200};
    static const struct {
        long from;
        happening *happen;
        const char *words;
    } ends[] = {{305, aborts, "stopped by request"}, {305, f_spike, "force of a1"}, {2000, NULL, ""}};

    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            struct between b;
            struct recorded r;

            run_scaled(scales[k], NULL, ends[i].happen, ends[i].from, &b, &r);
            assert_true(b.wire[0].rate <= WALL_RATE * (1 + 1e-6));
            if (scales[k] < 1 && !ends[i].happen) {
                assert_non_null(strstr(r.result.reason, "rate of the command of a1"));
            } else {
                const double took = 1e-9 * (double)(b.then_ns - b.from_ns);

                assert_non_null(strstr(r.result.reason, ends[i].words));
                if (took < WALL_RAMP - SOON || took > WALL_RAMP + SOON)
                    print_error("scale %g, %s: %g s\n", scales[k], ends[i].words, took);
                assert_true(took > WALL_RAMP - SOON && took < WALL_RAMP + SOON);
            }
            assert_near(b.wire[0].sent, 0, 1e-12);
            recorded_free(&r);
        }
}

/* `end_ramp` of a minute: the second abort comes 50 ticks behind the first and allows 0.2 s. */
static void a_second_abort_ends_a_long_ramp_soon(void **state)
{
    struct between b;
    struct recorded r;

    run_scaled(50, "limits.end_ramp=60", aborts, 305, &b, &r);
    assert_true(1e-9 * (double)(b.then_ns - b.from_ns) > 59);
    recorded_free(&r);
    run_scaled(50, "limits.end_ramp=60", aborts_twice, 305, &b, &r);
    assert_true(1e-9 * (double)(b.then_ns - b.from_ns) < 0.2 + 50 * 2e-3 + SOON);
    assert_true(b.wire[0].rate <= WALL_RATE);
    assert_near(b.wire[0].sent, 0, 1e-12);
    recorded_free(&r);
}

/* A rig in lock-step that stays silent keeps the exchange waiting: three times 20 ms are more than 50 ms. */
static enum yk_rig_answer silent_for_long(struct between *b, struct yk_reading *r)
{
    program_sleep(0.02);
    return silent(b, r);
}

static void a_rig_that_keeps_exchanges_waiting_is_silent_in_wall_time(void **state)
{
    const char *const set[] = {"limits.on_trip=hold"};
    struct between b = {.happen = silent_for_long, .from = 305, .clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(text, set, 1);
    struct recorded r;

    b.unpaced = true;
    between_run(&b, &between_ops, e, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "silence of the rig"));
    assert_true(b.tick <= 307);
    recorded_free(&r);
    yk_model_close(e);
}

/* Lost, and every exchange takes 0.1 s: the ramp of 200 ticks is given up after 0.2 s and a second. */
static enum yk_rig_answer lost_and_blocks(struct between *b, struct yk_reading *r)
{
    program_sleep(0.1);
    *r = b->last[0];
    return YK_RIG_LOST;
}

static void a_lost_rig_that_blocks_is_not_commanded_for_ever(void **state)
{
    struct between b = {.happen = lost_and_blocks, .from = 305, .clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    b.unpaced = true;
    between_run(&b, &between_ops, e, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "the rig is lost"));
    assert_true(b.tick > 306 && b.tick < 325);
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- an operator who changes his mind ---- */

static int state_after;

/* Two words within one tick, as a slow test (`time.scale`) hears them: the last one counts. */
static enum yk_rig_answer resumed_and_paused(struct between *b, struct yk_reading *r)
{
    const long since = b->tick - b->from;

    if (since == 0 || since == 100)
        yk_run_request(&b->control, since ? YK_EVENT_RESUME : YK_EVENT_PAUSE);
    if (since == 100)
        yk_run_request(&b->control, YK_EVENT_PAUSE);
    if (since == 200) {
        state_after = atomic_load(&b->control.state);
        yk_run_request(&b->control, YK_EVENT_ABORT);
    }
    return YK_RIG_FRESH;
}

static enum yk_rig_answer paused_and_resumed(struct between *b, struct yk_reading *r)
{
    const long since = b->tick - b->from;

    if (since == 0 || since == 600)
        yk_run_request(&b->control, since ? YK_EVENT_RESUME : YK_EVENT_PAUSE);
    return YK_RIG_FRESH;
}

/* The largest rate of the command [m/s] in a run that is paused for 0.6 s at a tick; 0: it is not. */
static double fastest_with_pause(long at)
{
    const char *const set[] = {"limits.command_rate=0"};
    struct between b = {.happen = paused_and_resumed, .from = at ? at : 1 << 30, .clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(text, set, 1);
    struct recorded r;

    between_run(&b, &between_ops_elsewhere, e, &r);
    assert_int_equal(r.result.status, YK_OK);
    recorded_free(&r);
    yk_model_close(e);
    return b.wire[0].rate;
}

/* A pause stops a motion and a resume goes on with it. The controller leads the actuator, whose lag of 21 ms it
 * replaces by one of 6 ms: a kink of its command comes out 21/6 times as steep. A jump would be a hundred times as
 * fast. */
static void a_pause_and_a_resume_are_no_jumps(void **state)
{
    const double fastest = fastest_with_pause(0);

    for (long at = 1000; at < 1800; at += 77)
        assert_true(fastest_with_pause(at) < (1 + 21.0 / 6) * fastest);
}

static void a_pause_takes_back_a_resume_that_was_not_heard_yet(void **state)
{
    struct between b = {.happen = resumed_and_paused, .from = 1500, .clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    between_run(&b, &between_ops_elsewhere, e, &r);
    assert_int_equal(state_after, YK_STATE_PAUSED);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- a rig that does not come to rest ---- */

static enum yk_status never_rests(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    return yk_fail(err, YK_E_IO, "the rig does not come to rest");
}

static void a_rig_that_does_not_come_to_rest_is_not_moved(void **state)
{
    static const struct yk_rig_ops restless = {.name = "restless", .exchange = between_exchange, .rest = never_rests};
    struct between b = {.clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    b.unpaced = true;
    between_run(&b, &restless, e, &r);
    assert_int_equal(r.status, YK_E_IO);
    assert_non_null(strstr(yk_err_line(&r.err).text, "the rig does not come to rest"));
    assert_int_equal(b.tick, 0);
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- a full disk ---- */

static void a_full_disk_ramps_down_and_keeps_what_was_written(void **state)
{
    char file[600], folder[600];
    const char *words[] = {YOKE_PROGRAM, "run", file, "-o", folder, "-q", "--set", "time.end=2000", NULL};
    struct program p;

    snprintf(file, sizeof file, "%s", scratch_write("faults.yaml", text));
    snprintf(folder, sizeof folder, "%s", scratch_path("full"));
    program_start(&p, words, 1 << 22);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    assert_non_null(strstr(p.err, "the recording failed"));
    program_free(&p);
    program_run(&p, "export", folder, "--csv", "-");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "\n10,")); /* 4 MB is some 60 s of rows and ticks; the last block may be lost */
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_without_numbers_stops_the_actuators),
        cmocka_unit_test(a_coarse_side_that_does_not_come_is_not_waited_for),
        cmocka_unit_test(a_start_beyond_limits_drawn_closer_trips),
        cmocka_unit_test(a_rig_found_beyond_its_limits_is_not_moved),
        cmocka_unit_test(a_rig_beyond_limits_that_warn_is_led_back_smoothly),
        cmocka_unit_test(a_rig_found_elsewhere_is_not_moved_without_being_asked),
        cmocka_unit_test(the_first_command_is_where_the_rig_stands),
        cmocka_unit_test(a_rig_that_does_not_say_where_it_stands_is_not_moved),
        cmocka_unit_test(a_rig_that_does_not_follow_the_start_ramp_stops_the_run),
        cmocka_unit_test(limits_and_ramps_are_those_of_the_wall_at_every_scale),
        cmocka_unit_test(a_second_abort_ends_a_long_ramp_soon),
        cmocka_unit_test(a_rig_that_keeps_exchanges_waiting_is_silent_in_wall_time),
        cmocka_unit_test(a_lost_rig_that_blocks_is_not_commanded_for_ever),
        cmocka_unit_test(an_abort_ends_the_start_ramp_of_an_unpaced_run),
        cmocka_unit_test(a_pause_and_a_resume_are_no_jumps),
        cmocka_unit_test(a_pause_takes_back_a_resume_that_was_not_heard_yet),
        cmocka_unit_test(a_rig_that_does_not_come_to_rest_is_not_moved),
        cmocka_unit_test(a_full_disk_ramps_down_and_keeps_what_was_written),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
