/* Faults, one by one: whatever happens, the commands stay within their limits, the run ends with exit code 3 and says
 * what it was and when, the actuators do what the action says, and every row up to there is in the recording.
 *
 * The faults are put between the station and the virtual rig. Runs are paced on a virtual clock, so that everything
 * happens at an exact tick; 1 kHz, ten ticks a step. */
#include "support/check.h"
#include "support/program.h"
#include "support/random.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include <math.h>
#include <stdlib.h>

#define MOST    0.1 /* m: limit of displacement */
#define FASTEST 2.0 /* m/s: limit of the rate */

static const char text[] =
    "title: faults\n"
    "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
    "  specimen: {role: physical, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[35530]]}}\n"
    "interfaces: [{join: [frame.x, specimen.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz}]\n"
    "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 ms}}}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: tt1}}},\n"
    "      specimen: {dofs: [x], mass: [0], stiffness: [[35530]]}}\n"
    "limits: {displacement: 100 mm, command_rate: 2 m/s, force: 8 kN, trip_ramp: 0.2, end_ramp: 0.2}\n";

/* What stands between station and rig. */
struct between {
    const struct yk_rig_ops *rig;
    void *self;
    const struct fault *fault;
    struct yk_run_control control;
    struct yk_clock clock;
    struct yk_reading last;
    long tick;                /* exchanges so far */
    double sent, reach, rate; /* last command; largest of all, and fastest in wall time */
    double first;             /* command */
    int64_t then_ns, from_ns; /* wall time of the last exchange, and of the first that the fault acts on */
    bool paced;
    double ramp_rate; /* fastest of the first second */
    int cuts;         /* how often the drive was disabled */
    long cut_tick;    /* and after which exchange */
    uint64_t seed;
    bool approach; /* the rig may be led to its start from anywhere */
};

enum outcome { HELD, HOME, ENDS }; /* where the actuator is in the end; ENDS: the run comes to its end */

struct fault {
    const char *name;
    const char *set[3]; /* settings that it needs */
    long from;          /* first exchange it acts on */
    enum yk_rig_answer (*happen)(struct between *b, struct yk_reading *r);
    const char *words; /* of the reason */
    long step;         /* at which the run ends; -1: not asserted */
    enum outcome outcome;
};

/* ---- what can happen ---- */

static enum yk_rig_answer x_nan(struct between *b, struct yk_reading *r)
{
    r->displacement = NAN;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer x_infinite(struct between *b, struct yk_reading *r)
{
    r->displacement = -INFINITY;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer f_nan(struct between *b, struct yk_reading *r)
{
    r->force = NAN;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer f_infinite(struct between *b, struct yk_reading *r)
{
    r->force = INFINITY;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer f_spike(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        r->force = -1e5;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer x_away(struct between *b, struct yk_reading *r)
{
    r->displacement += 0.5;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer x_frozen(struct between *b, struct yk_reading *r)
{
    r->displacement = b->last.displacement;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer f_frozen(struct between *b, struct yk_reading *r)
{
    r->force = b->last.force;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer all_frozen(struct between *b, struct yk_reading *r)
{
    *r = b->last;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer x_flipped(struct between *b, struct yk_reading *r)
{
    r->displacement = -r->displacement;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer x_zero(struct between *b, struct yk_reading *r)
{
    r->displacement = 0;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer x_doubled(struct between *b, struct yk_reading *r)
{
    r->displacement *= 2;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer x_drifts(struct between *b, struct yk_reading *r)
{
    r->displacement += 1e-4 * (double)(b->tick - b->fault->from);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer f_noisy(struct between *b, struct yk_reading *r)
{
    r->force += 2e4 * random_value(&b->seed);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer silent(struct between *b, struct yk_reading *r)
{
    *r = b->last;
    return YK_RIG_HELD;
}

static enum yk_rig_answer lost(struct between *b, struct yk_reading *r)
{
    *r = b->last;
    return YK_RIG_LOST;
}

/* a share of the frames does not arrive */
static enum yk_rig_answer lossy(struct between *b, struct yk_reading *r, double share)
{
    return 0.5 * (random_value(&b->seed) + 1) < share ? silent(b, r) : YK_RIG_FRESH;
}

static enum yk_rig_answer loses_1(struct between *b, struct yk_reading *r)
{
    return lossy(b, r, 0.01);
}

static enum yk_rig_answer loses_20(struct between *b, struct yk_reading *r)
{
    return lossy(b, r, 0.2);
}

static enum yk_rig_answer loses_50(struct between *b, struct yk_reading *r)
{
    return lossy(b, r, 0.5);
}

static enum yk_rig_answer clock_jumps(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        yk_clock_advance(&b->clock, 1000000000);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer slow(struct between *b, struct yk_reading *r)
{
    yk_clock_advance(&b->clock, 1500000);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer slow_at_times(struct between *b, struct yk_reading *r)
{
    if (b->tick % 10 == 0)
        yk_clock_advance(&b->clock, 1500000);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer aborts(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer aborts_twice(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from || b->tick == b->fault->from + 50)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

/* the machine is busy while the actuators are on their way home */
static enum yk_rig_answer aborts_twice_and_slow(struct between *b, struct yk_reading *r)
{
    if (b->tick > b->fault->from)
        yk_clock_advance(&b->clock, 1500000);
    return aborts_twice(b, r);
}

static enum yk_rig_answer moved_in_a_pause(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        yk_run_request(&b->control, YK_EVENT_PAUSE);
    if (b->tick == b->fault->from + 600)
        yk_run_request(&b->control, YK_EVENT_RESUME);
    if (b->tick > b->fault->from + 100)
        r->displacement += 30e-3;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer pauses_then_lost(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        yk_run_request(&b->control, YK_EVENT_PAUSE);
    return b->tick < b->fault->from + 70 ? YK_RIG_FRESH : lost(b, r);
}

static enum yk_rig_answer pauses_then_aborts(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        yk_run_request(&b->control, YK_EVENT_PAUSE);
    if (b->tick == b->fault->from + 70)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer pauses_then_spike(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        yk_run_request(&b->control, YK_EVENT_PAUSE);
    if (b->tick == b->fault->from + 70)
        r->force = 1e5;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer aborts_then_spike(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from + 50)
        r->force = 1e5;
    return aborts(b, r);
}

static enum yk_rig_answer spike_then_aborts(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from + 30)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    if (b->tick == b->fault->from + 40)
        yk_run_request(&b->control, YK_EVENT_RESUME);
    return f_spike(b, r);
}

static enum yk_rig_answer nothing(struct between *b, struct yk_reading *r)
{
    return YK_RIG_FRESH;
}

#define FREE    "substructures.frame.initial={displacement: {x: 20 mm}}"
#define FREE2   "substructures.specimen.initial={displacement: {x: 20 mm}}"
#define CLIPPED "limits.command_rate={limit: 2 m/s, action: warn}"
#define UNLED   "transfer.a1.controller={kind: none}"
#define RAMP    "limits.start_ramp=0.1"

static const struct fault faults[] = {
    /* sensors */
    {"displacement is no number", {0}, 300, x_nan, "not a number: reading of a1", 30, HOME},
    {"displacement is infinite", {0}, 301, x_infinite, "not a number: reading of a1", 31, HOME},
    {"force is no number", {0}, 310, f_nan, "not a number: reading of a1", 31, HOME},
    {"force is infinite", {0}, 311, f_infinite, "not a number: reading of a1", 32, HOME},
    {"force jumps once", {0}, 305, f_spike, "force of a1, -100000 N, passed its limit of 8000 N", 31, HOME},
    {"force jumps, hold", {"limits.on_trip=hold"}, 305, f_spike, "force of a1", 31, HELD},
    {"force jumps, cut", {"limits.force={limit: 8 kN, action: cut}"}, 305, f_spike, "force of a1", 31, HELD},
    {"force is noise", {0}, 305, f_noisy, "force of a1", -1, HOME},
    {"displacement out of range", {"limits.sensor_range=0.2"}, 305, x_away, "reading of a1", 31, HOME},
    {"displacement jumps: velocity", {"limits.velocity=1"}, 305, x_away, "velocity of a1", 31, HOME},
    {"displacement jumps: acceleration", {"limits.acceleration=100"}, 305, x_away, "acceleration of a1", 31, HOME},
    {"displacement is frozen", {"limits.sensor_frozen=20 ms"}, 305, x_frozen, "frozen displacement of a1", 33, HOME},
    {"force is frozen", {"limits.force_frozen=20 ms"}, 305, f_frozen, "frozen force of a1", 33, HOME},
    {"displacement changes sign", {"limits.tracking_error=10 mm"}, 305, x_flipped, "tracking error of a1", -1, HOME},
    {"displacement is zero", {"limits.tracking_error=10 mm"}, 305, x_zero, "tracking error of a1", -1, HOME},
    {"displacement is doubled", {"limits.tracking_error=10 mm"}, 305, x_doubled, "tracking error of a1", -1, HOME},
    {"displacement drifts", {0}, 305, x_drifts, "command of a1", -1, HOME},
    /* the rig */
    {"the rig is silent", {0}, 305, silent, "silence of the rig, 0.051 s, passed its limit of 0.05 s", 36, HOME},
    {"the rig repeats itself", {"limits.sensor_frozen=20 ms"}, 305, all_frozen, "frozen displacement", 33, HOME},
    {"the rig is lost", {0}, 305, lost, "the rig is lost", 31, HOME},
    {"the rig is lost at once", {0}, 1, lost, "the rig is lost", 1, HOME},
    {"the rig is lost, hold", {"limits.on_trip=hold"}, 305, lost, "the rig is lost", 31, HELD},
    {"lost in the ramp of the start", {FREE, FREE2, RAMP}, 50, lost, "the rig is lost", 0, HOME},
    {"lost in a pause", {0}, 305, pauses_then_lost, "the rig is lost", 31, HOME},
    {"lost in the ramp of the end", {0}, 2050, lost, "the rig is lost", 200, HOME},
    {"1 % of the frames are lost", {CLIPPED}, 1, loses_1, "", 200, ENDS},
    {"20 % of the frames are lost", {CLIPPED}, 1, loses_20, "", 200, ENDS},
    {"50 % of the frames are lost", {CLIPPED}, 1, loses_50, "", 200, ENDS},
    /* commands */
    {"the load jumps", {"loads.0={on: frame.x, kind: step, amplitude: 1e7, at: 0.3}"}, 1, nothing, "of a1", -1, HOME},
    {"the motion is too large", {"limits.displacement=5 mm"}, 1, nothing, "command of a1", -1, HOME},
    {"the loop is unstable",
     {FREE, FREE2, "transfer.a1={compensator: {kind: none}, controller: {kind: none}}"},
     1,
     nothing,
     "energy error of a1",
     -1,
     HOME},
    {"a force in the ramp of the start", {FREE, FREE2, RAMP}, 50, f_spike, "force of a1", 0, HOME},
    /* time */
    {"the clock jumps", {0}, 305, clock_jumps, "stop of the clock, 0.999 s, passed its limit of 0.5 s", 31, HELD},
    {"every tick takes too long", {0}, 305, slow, "deadlines missed in a row, 3, passed its limit of 3", 31, HELD},
    {"some ticks take too long", {"limits.missed_total=4"}, 305, slow_at_times, "deadlines missed, 4", 35, HELD},
    /* the operator */
    {"an abort", {0}, 305, aborts, "stopped by request", 31, HOME},
    {"two aborts", {0}, 305, aborts_twice, "stopped by request", 31, HOME},
    {"an abort in the ramp of the start", {FREE, FREE2, RAMP}, 50, aborts, "stopped by request", 0, HOME},
    {"an abort in a pause", {0}, 305, pauses_then_aborts, "stopped by request", 31, HOME},
    {"a force in a pause", {0}, 305, pauses_then_spike, "force of a1", 31, HOME},
    {"a force in the ramp of an abort", {0}, 305, aborts_then_spike, "", 31, HOME},
    {"two aborts and a slow clock", {0}, 305, aborts_twice_and_slow, "stopped by request", 31, HOME},
    {"moved by hand in a pause", {UNLED}, 305, moved_in_a_pause, "position error at standstill of a1, 0.03", 31, HOME},
    {"an abort in the ramp of a trip", {0}, 305, spike_then_aborts, "force of a1", 31, HOME},
};

/* ---- between station and rig ---- */

static enum yk_rig_answer exchange(void *self, const double *command, struct yk_reading *readings)
{
    struct between *b = self;
    enum yk_rig_answer answer = b->rig->exchange(b->self, command, readings);

    const double tick_s = b->paced && b->tick ? 1e-9 * (double)(b->clock.virtual_ns - b->then_ns) : 1e-3;

    b->then_ns = b->clock.virtual_ns;
    if (++b->tick == b->fault->from)
        b->from_ns = b->then_ns;
    if (b->tick == 1)
        b->first = command[0];
    b->reach = fmax(b->reach, fabs(command[0]));
    b->rate = fmax(b->rate, fabs(command[0] - b->sent) / tick_s);
    b->sent = command[0];
    if (b->tick >= b->fault->from)
        answer = b->fault->happen(b, readings);
    if (isfinite(readings->displacement + readings->force))
        b->last = *readings;
    return answer;
}

/* The rig stands at zero, wherever the run begins: what a ramp is for. */
static enum yk_status rest(void *self, const double *x, struct yk_reading *readings, struct yk_err *err)
{
    struct between *b = self;
    const double zero = 0;

    b->sent = 0;
    b->tick = 0;
    return b->rig->rest(b->self, &zero, readings, err);
}

static void cut(void *self)
{
    struct between *b = self;

    b->cuts++;
    b->cut_tick = b->tick;
}

static const struct yk_rig_ops ops_between = {.name = "between", .exchange = exchange, .rest = rest, .cut = cut};
static const struct yk_rig_ops ops_at_start = {.name = "between", .exchange = exchange, .cut = cut};

/* A run with `ops` between its station and the rig. */
static void run_between(struct between *b, const struct yk_rig_ops *ops, struct yk_experiment *e, bool realtime,
                        struct recorded *r)
{
    struct yk_run_settings settings = yk_run_defaults();

    b->rig = yk_station_rig(e->station, &b->self);
    settings.realtime = b->paced = realtime;
    settings.clock = &b->clock;
    settings.approach = b->approach;
    yk_station_interpose(e->station, (struct yk_between){ops, b});
    recorded_run(r, e, &settings, &b->control);
}

static void live_through(const struct fault *f)
{
    struct between b = {.fault = f, .clock = yk_clock_virtual(1), .seed = 7};
    const char *set[4];
    size_t count = 0;
    struct recorded r;
    double home;

    for (; count < 3 && f->set[count]; count++)
        set[count] = f->set[count];
    if (strstr(f->name, "unstable"))
        set[count++] = "limits.energy_error=3";
    struct yk_experiment *e = recorded_parse(text, set, count);

    const bool ramps = count == 3 && strcmp(f->set[2], RAMP) == 0;
    home = ramps ? 0 : e->substructures[1].system->u0[0];
    b.sent = home;
    b.approach = ramps;
    run_between(&b, ramps ? &ops_between : &ops_at_start, e, true, &r);

    /* it says what it was and when, and the exit code is that of a stop */
    if (r.status || !strstr(r.result.reason, f->words) || (f->step >= 0 && r.result.steps != f->step))
        print_error("%s: '%s' (%s) after %ld steps\n", f->name, r.result.reason, r.err.text, r.result.steps);
    assert_int_equal(r.status, YK_OK);
    assert_non_null(strstr(r.result.reason, f->words));
    if (f->step >= 0)
        assert_int_equal(r.result.steps, f->step);
    assert_int_equal(yk_status_exit_code(r.result.status), f->outcome == ENDS ? 0 : 3);
    if (f->outcome != ENDS) {
        char when[32];

        snprintf(when, sizeof when, "at step %ld", r.result.steps);
        assert_non_null(strstr(r.result.reason, when));
        assert_int_equal(r.result.trip.tripped, strcmp(f->words, "stopped by request") != 0);
    }
    /* the commands stay within their limits */
    const double most = strstr(f->words, "command of a1") && f->set[0] && strstr(f->set[0], "5 mm") ? 5e-3 : MOST;
    if (b.reach > most * (1 + 1e-12) || b.rate > FASTEST * (1 + 1e-9))
        print_error("%s: %g m, %g m/s\n", f->name, b.reach, b.rate);
    assert_true(b.reach <= most * (1 + 1e-12));
    assert_true(b.rate <= FASTEST * (1 + 1e-9));
    /* the actuators come home, or stay */
    if (f->outcome == HOME || f->outcome == ENDS)
        assert_near(b.sent, home, 1e-12);
    if (f->outcome == HELD && f->from > 1 && f->from < 2000)
        assert_true(fabs(b.sent - home) > 1e-6);
    /* a cut is told once, and nothing is sent after it */
    assert_int_equal(b.cuts, strstr(f->name, ", cut") != NULL);
    assert_int_equal(b.cut_tick, b.cuts ? b.tick : 0);
    /* every row is there */
    assert_int_equal(r.count[0], r.result.steps + 1);
    for (size_t i = 0; i < r.count[0]; i++)
        assert_near(r.rows[0][i * r.width[0]], 0.01 * (double)i, 1e-9);
    assert_int_equal(r.dropped, 0);
    recorded_free(&r);
    yk_experiment_destroy(e);
}

static void every_fault_ends_within_the_limits_and_is_recorded(void **state)
{
    assert_true(sizeof faults / sizeof *faults >= 25);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        live_through(&faults[i]);
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
    static const struct fault none = {"a model gives no number", {0}, 1, nothing, "", -1, HOME};
    struct between b = {.fault = &none, .clock = yk_clock_virtual(1)};
    struct yk_experiment *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    broken = *e->integrator;
    true_absorb = broken.absorb;
    broken.absorb = absorb_nonsense;
    absorbed = 0;
    e->integrator = &broken;
    run_between(&b, &ops_at_start, e, false, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "at step 5"));
    assert_near(b.sent, 0, 1e-12);
    assert_true(b.reach <= MOST && b.rate <= FASTEST);
    recorded_free(&r);
    yk_experiment_destroy(e);
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
    struct yk_experiment *e = recorded_parse(text, set, 4);
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
    yk_experiment_destroy(e);
}

/* ---- beyond the limits before anything moved ---- */

/* The reader refuses a start beyond the limits; a program can still draw them closer afterwards. */
static void a_start_beyond_limits_drawn_closer_trips(void **state)
{
    static const struct fault none = {"a start beyond the limits", {0}, 1, nothing, "", -1, HOME};
    static const char *const set[] = {"substructures.frame.initial={displacement: {x: 0.15}}",
                                      "substructures.specimen.initial={displacement: {x: 0.15}}", RAMP,
                                      "limits.displacement=200 mm"};
    struct between b = {.fault = &none, .clock = yk_clock_virtual(1), .approach = true};
    struct yk_experiment *e = recorded_parse(text, set, 4);
    struct recorded r;

    yk_station_supervisor(e->station)->limits.limit[YK_LIMIT_DISPLACEMENT] = MOST;
    run_between(&b, &ops_between, e, false, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "command of a1, "));
    assert_non_null(strstr(r.result.reason, "passed its limit of 0.1 m"));
    assert_true(b.reach <= MOST * (1 + 1e-12) && b.rate <= FASTEST * (1 + 1e-9));
    assert_near(b.sent, 0, 1e-12);
    recorded_free(&r);
    yk_experiment_destroy(e);
}

static enum yk_rig_answer notes_the_ramp(struct between *b, struct yk_reading *r)
{
    if (b->tick <= 1000)
        b->ramp_rate = b->rate;
    return YK_RIG_FRESH;
}

#define ASTRAY 0.15 /* m: where the rig is found */

static enum yk_status rest_astray(void *self, const double *x, struct yk_reading *readings, struct yk_err *err)
{
    struct between *b = self;
    const double astray = ASTRAY;

    b->sent = astray;
    return b->rig->rest(b->self, &astray, readings, err);
}

static const struct fault no_fault = {"astray", {0}, 1, notes_the_ramp, "", -1, HELD};

static void run_astray(const char *action, const char *start_ramp, const struct fault *fault, bool approach,
                       struct between *b, struct recorded *r)
{
    static const struct yk_rig_ops ops = {.name = "astray", .exchange = exchange, .rest = rest_astray};
    /* without a limit of rate nothing but the ramp keeps a command from jumping */
    const char *const set[] = {action, start_ramp, "limits.command_rate=0", "limits.force=0", "limits.end_ramp=1"};
    struct yk_experiment *e = recorded_parse(text, set, 5);

    *b = (struct between){.fault = fault, .clock = yk_clock_virtual(1), .approach = approach};
    run_between(b, &ops, e, false, r);
    yk_experiment_destroy(e);
}

static void a_rig_found_beyond_its_limits_is_not_moved(void **state)
{
    struct between b;
    struct recorded r;

    run_astray("limits.displacement={limit: 100 mm, action: ramp}", "limits.start_ramp=1", &no_fault, true, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "command of a1, 0.15 m, passed its limit of 0.1 m at step 0"));
    assert_true(r.result.trip.tripped);
    assert_near(b.sent, ASTRAY, 1e-12);
    assert_true(b.rate < 1e-9);
    recorded_free(&r);
}

/* Where it only warns, the ramp leads it back: at most 15/8 of the way in its time, and no jump to the limit. */
static void a_rig_beyond_limits_that_warn_is_led_back_smoothly(void **state)
{
    struct between b;
    struct recorded r;

    run_astray("limits.displacement={limit: 100 mm, action: warn}", "limits.start_ramp=1", &no_fault, true, &b, &r);
    assert_int_equal(r.result.status, YK_OK);
    assert_true(r.result.warnings > 0);
    assert_near(b.reach, ASTRAY, 1e-3);
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

        run_astray("limits.position_error=2 mm", ramps[k], &no_fault, false, &b, &r);
        assert_int_equal(yk_status_exit_code(r.status), 2);
        assert_non_null(strstr(r.err.text, "actuator a1 stands at 0.15 m, and the run begins at 0 m"));
        assert_non_null(strstr(r.err.text, "limits.position_error = 0.002 m"));
        assert_non_null(strstr(r.err.text, "--approach"));
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

        run_astray("limits.displacement=1", cases[k].ramp, &no_fault, true, &b, &r);
        assert_int_equal(r.result.status, YK_OK);
        assert_true(r.result.finished);
        assert_true(b.first == ASTRAY);
        assert_near(b.ramp_rate, 15.0 / 8 * ASTRAY / cases[k].seconds, 0.01 * ASTRAY);
        recorded_free(&r);
    }
}

static enum yk_status rest_nowhere(void *self, const double *x, struct yk_reading *readings, struct yk_err *err)
{
    *readings = (struct yk_reading){.displacement = NAN};
    return YK_OK;
}

static void a_rig_that_does_not_say_where_it_stands_is_not_moved(void **state)
{
    static const struct yk_rig_ops ops = {.name = "nowhere", .exchange = exchange, .rest = rest_nowhere};
    struct between b = {.fault = &no_fault, .clock = yk_clock_virtual(1), .approach = true};
    struct yk_experiment *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    run_between(&b, &ops, e, true, &r);
    assert_int_not_equal(r.status, YK_OK);
    assert_non_null(strstr(r.err.text, "actuator a1 does not tell where it stands"));
    assert_int_equal(b.tick, 0);
    recorded_free(&r);
    yk_experiment_destroy(e);
}

/* A drive that is not enabled: it would jump to its command later. */
static enum yk_rig_answer stays(struct between *b, struct yk_reading *r)
{
    *r = (struct yk_reading){.displacement = ASTRAY};
    return YK_RIG_FRESH;
}

static void a_rig_that_does_not_follow_the_start_ramp_stops_the_run(void **state)
{
    static const struct fault stuck = {"stuck", {0}, 1, stays, "", -1, HOME};
    struct between b;
    struct recorded r;

    run_astray("limits.displacement=1", "limits.start_ramp=1", &stuck, true, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "position error at standstill of a1, 0.15 m, passed its limit of 0.001 m"));
    assert_int_equal(r.result.steps, 0);
    assert_true(b.first == ASTRAY);
    assert_near(b.sent, ASTRAY, 1e-12); /* home again */
    recorded_free(&r);
}

static enum yk_rig_answer aborted_in_the_ramp(struct between *b, struct yk_reading *r)
{
    if (b->tick == b->fault->from)
        yk_run_request(&b->control, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

/* Without `--realtime` requests are heard between two steps, but a start ramp is no step: it may last for minutes. */
static void an_abort_ends_the_start_ramp_of_an_unpaced_run(void **state)
{
    static const struct fault abort_early = {"abort", {0}, 1000, aborted_in_the_ramp, "", -1, HELD};
    struct between b;
    struct recorded r;

    run_astray("limits.displacement=1", "limits.start_ramp=10", &abort_early, true, &b, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "stopped by request at step 0"));
    assert_int_equal(b.tick, 2000); /* and back within the second of `end_ramp` */
    assert_near(b.sent, ASTRAY, 1e-12);
    assert_int_equal(r.result.state, YK_STATE_DONE);
    recorded_free(&r);
}

/* ---- time ---- */

#define WALL_RATE 1.0  /* m/s: limit of the rate */
#define WALL_RAMP 0.2  /* s: of an abort and of a trip */
#define SOON      0.05 /* s: what may pass beside the ramp */

static enum yk_rig_answer goes_out(struct between *b, struct yk_reading *r)
{
    return YK_RIG_FRESH;
}

/* A run of the file at a scale of its time, paced on the virtual clock. */
static void run_scaled(double scale, const char *more, const struct fault *f, struct between *b, struct recorded *r)
{
    char time[128];
    const char *const set[] = {
        time, "limits={displacement: 100 mm, command_rate: 1 m/s, force: 8 kN, trip_ramp: 0.2, end_ramp: 0.2}",
        more ? more : "limits.on_trip=ramp"};
    struct yk_experiment *e;

    snprintf(time, sizeof time,
             "time={step: 10 ms, end: 2 s, control_rate: 1000 Hz, scale: %g, faster_than_real: true}", scale);
    e = recorded_parse(text, set, 3);
    *b = (struct between){.fault = f, .clock = yk_clock_virtual(1)};
    run_between(b, &ops_at_start, e, true, r);
    assert_int_equal(r->status, YK_OK);
    yk_experiment_destroy(e);
}

/* The motion of the test comes to 0.5 m/s: five times as fast it is beyond the limit. The ramps are the same at every
 * scale. */
static void limits_and_ramps_are_those_of_the_wall_at_every_scale(void **state)
{
    static const double scales[] = {0.2, 1, 50, 200};
    static const struct fault ends[] = {{"an abort", {0}, 305, aborts, "stopped by request", -1, HOME},
                                        {"a trip", {0}, 305, f_spike, "force of a1", -1, HOME},
                                        {"the end", {0}, 2000, goes_out, "", -1, ENDS}};

    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) {
            struct between b;
            struct recorded r;

            run_scaled(scales[k], NULL, &ends[i], &b, &r);
            assert_true(b.rate <= WALL_RATE * (1 + 1e-6));
            if (scales[k] < 1 && ends[i].outcome == ENDS) {
                assert_non_null(strstr(r.result.reason, "rate of the command of a1"));
            } else {
                const double took = 1e-9 * (double)(b.then_ns - b.from_ns);

                assert_non_null(strstr(r.result.reason, ends[i].words));
                if (took < WALL_RAMP - SOON || took > WALL_RAMP + SOON)
                    print_error("scale %g, %s: %g s\n", scales[k], ends[i].name, took);
                assert_true(took > WALL_RAMP - SOON && took < WALL_RAMP + SOON);
            }
            assert_near(b.sent, 0, 1e-12);
            recorded_free(&r);
        }
}

/* `end_ramp` of a minute: the second abort comes 50 ticks behind the first and allows 0.2 s. */
static void a_second_abort_ends_a_long_ramp_soon(void **state)
{
    static const struct fault once = {"one abort", {0}, 305, aborts, "", -1, HOME},
                              twice = {"two aborts", {0}, 305, aborts_twice, "", -1, HOME};
    struct between b;
    struct recorded r;

    run_scaled(50, "limits.end_ramp=60", &once, &b, &r);
    assert_true(1e-9 * (double)(b.then_ns - b.from_ns) > 59);
    recorded_free(&r);
    run_scaled(50, "limits.end_ramp=60", &twice, &b, &r);
    assert_true(1e-9 * (double)(b.then_ns - b.from_ns) < 0.2 + 50 * 2e-3 + SOON);
    assert_true(b.rate <= WALL_RATE);
    assert_near(b.sent, 0, 1e-12);
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
    static const struct fault held = {"held", {0}, 305, silent_for_long, "", -1, HELD};
    const char *const set[] = {"limits.on_trip=hold"};
    struct between b = {.fault = &held, .clock = yk_clock_virtual(1)};
    struct yk_experiment *e = recorded_parse(text, set, 1);
    struct recorded r;

    run_between(&b, &ops_at_start, e, false, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "silence of the rig"));
    assert_true(b.tick <= 307);
    recorded_free(&r);
    yk_experiment_destroy(e);
}

/* Lost, and every exchange takes 0.1 s: the ramp of 200 ticks is given up after 0.2 s and a second. */
static enum yk_rig_answer lost_and_blocks(struct between *b, struct yk_reading *r)
{
    program_sleep(0.1);
    return lost(b, r);
}

static void a_lost_rig_that_blocks_is_not_commanded_for_ever(void **state)
{
    static const struct fault blocks = {"blocks", {0}, 305, lost_and_blocks, "", -1, HELD};
    struct between b = {.fault = &blocks, .clock = yk_clock_virtual(1)};
    struct yk_experiment *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    run_between(&b, &ops_at_start, e, false, &r);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    assert_non_null(strstr(r.result.reason, "the rig is lost"));
    assert_true(b.tick > 306 && b.tick < 325);
    recorded_free(&r);
    yk_experiment_destroy(e);
}

/* ---- an operator who changes his mind ---- */

static int state_after;

/* Two words within one tick, as a slow test (`time.scale`) hears them: the last one counts. */
static enum yk_rig_answer resumed_and_paused(struct between *b, struct yk_reading *r)
{
    const long since = b->tick - b->fault->from;

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
    const long since = b->tick - b->fault->from;

    if (since == 0 || since == 600)
        yk_run_request(&b->control, since ? YK_EVENT_RESUME : YK_EVENT_PAUSE);
    return YK_RIG_FRESH;
}

/* The largest rate of the command [m/s] in a run that is paused for 0.6 s at a tick; 0: it is not. */
static double fastest_with_pause(long at)
{
    const struct fault pause = {"pause", {0}, at ? at : 1 << 30, paused_and_resumed, "", -1, HELD};
    static const struct yk_rig_ops ops = {.name = "between", .exchange = exchange, .rest = rest};
    const char *const set[] = {"limits.command_rate=0"};
    struct between b = {.fault = &pause, .clock = yk_clock_virtual(1)};
    struct yk_experiment *e = recorded_parse(text, set, 1);
    struct recorded r;

    run_between(&b, &ops, e, true, &r);
    assert_int_equal(r.result.status, YK_OK);
    recorded_free(&r);
    yk_experiment_destroy(e);
    return b.rate;
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
    static const struct fault undecided = {"undecided", {0}, 1500, resumed_and_paused, "", -1, HELD};
    static const struct yk_rig_ops ops = {.name = "between", .exchange = exchange, .rest = rest};
    struct between b = {.fault = &undecided, .clock = yk_clock_virtual(1)};
    struct yk_experiment *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    run_between(&b, &ops, e, true, &r);
    assert_int_equal(state_after, YK_STATE_PAUSED);
    assert_int_equal(yk_status_exit_code(r.result.status), 3);
    recorded_free(&r);
    yk_experiment_destroy(e);
}

/* ---- a rig that does not come to rest ---- */

static enum yk_status never_rests(void *self, const double *x, struct yk_reading *readings, struct yk_err *err)
{
    return yk_fail(err, YK_E_IO, "the rig does not come to rest");
}

static void a_rig_that_does_not_come_to_rest_is_not_moved(void **state)
{
    static const struct yk_rig_ops restless = {.name = "restless", .exchange = exchange, .rest = never_rests};
    static const struct fault none = {"restless", {0}, 1, nothing, "", -1, HELD};
    struct between b = {.fault = &none, .clock = yk_clock_virtual(1)};
    struct yk_experiment *e = recorded_parse(text, NULL, 0);
    struct recorded r;

    run_between(&b, &restless, e, false, &r);
    assert_int_equal(r.status, YK_E_IO);
    assert_non_null(strstr(r.err.text, "the rig does not come to rest"));
    assert_int_equal(b.tick, 0);
    recorded_free(&r);
    yk_experiment_destroy(e);
}

/* ---- a full disk ---- */

static void a_full_disk_ramps_down_and_keeps_what_was_written(void **state)
{
    char file[600], folder[600];
    const char *words[] = {YOKE_PROGRAM, "run", file, "-o", folder, "-q", "--set", "time.end=2000", NULL};
    struct program p;
    FILE *out;

    snprintf(file, sizeof file, "%s", scratch_path("faults.yaml"));
    snprintf(folder, sizeof folder, "%s", scratch_path("full"));
    out = fopen(file, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
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
        cmocka_unit_test(every_fault_ends_within_the_limits_and_is_recorded),
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
