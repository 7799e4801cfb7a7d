/* Faults, one by one, from the table in faults.def: whatever happens, every command stays within the limits of
 * displacement and rate, measured in wall time on the wire; the run says what it was and when; the actuators do what
 * the action says; the exit code is that of a stop; and every row up to there is in the recording.
 *
 * The faults are put between the station and the virtual rig, and each is lived through in every mode of a run. Runs
 * are paced on a virtual clock, so that everything happens at an exact exchange. docs/safety.md has the same table:
 * `build/tests/test_fault_table table` writes it. */
#include "support/between.h"
#include "support/check.h"
#include "support/random.h"
#include "support/scratch.h"
#include "support/spring_specimen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST    0.1 /* m or rad: limit of displacement */
#define FASTEST 2.0 /* m/s or rad/s of wall time: limit of the rate */

/* ---- set-ups ---- */

#define LIMITS                                                                                                         \
    "limits: {on_trip: ramp, displacement: 100 mm, command_rate: 2 m/s, force: 8 kN, start_ramp: 0.1, trip_ramp: "     \
    "0.2, end_ramp: "                                                                                                  \
    "0.2}\n"
#define CHAIN SPRING_SPECIMEN_CHAIN

static const char one[] = "title: one actuator\n"
                          "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n" SPRING_SPECIMEN LIMITS;

static const char two[] =
    "title: two actuators\n"
    "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [x, y], mass: [1800, 1200], damping: [1130.97, 900], stiffness: [71061, 60000]}\n"
    "  specimen: {role: physical, dofs: [x, y], actuators: {x: a1, y: a2},\n"
    "             estimate: {stiffness: [[35530, -9000], [-9000, 18000]]}}\n"
    "interfaces: [{join: [frame.x, specimen.x]}, {join: [frame.y, specimen.y]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz},\n"
    "        {on: frame.y, kind: sine, amplitude: 600 N, frequency: 1.1 Hz}]\n"
    "transfer: {a1: &chain " CHAIN ", a2: *chain}\n"
    "rig: {backend: virtual, actuators: {a1: &plant {plant: {kind: tt1}}, a2: *plant},\n"
    "      specimen: {dofs: [x, y], mass: [0, 0], stiffness: [[35530, -9000], [-9000, 18000]]}}\n" LIMITS;

static const char rotary[] =
    "title: a rotary actuator\n"
    "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  frame: {dofs: [rz], mass: [1800], damping: [[1130.97]], stiffness: [[71061]]}\n"
    "  specimen: {role: physical, dofs: [rz], actuators: {rz: a1}, estimate: {stiffness: [[35530]]}}\n"
    "interfaces: [{join: [frame.rz, specimen.rz]}]\n"
    "loads: [{on: frame.rz, kind: sine, amplitude: 1000 N m, frequency: 1.3 Hz}]\n"
    "transfer: {a1: " CHAIN "}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: tt1}}},\n"
    "      specimen: {dofs: [rz], mass: [0], stiffness: [[35530]]}}\n"
    "limits: {on_trip: ramp, displacement: 0.1 rad, command_rate: 2, force: 8 kN m, start_ramp: 0.1, trip_ramp: 0.2, "
    "end_ramp: 0.2}\n";

static const char efc[] =
    "title: equivalent force control\n"
    "time: {step: 10 ms, substeps: 10, end: 2 s, control_rate: 1 kHz}\n"
    "method: {coupling: efc, sweeps: 3, tangent: secant, least_travel: 0.5 mm, feedforward: type-4,\n"
    "         T1: 8 ms, T2: 5 ms, dead_time: 2 ms}\n"
    "substructures:\n"
    "  frame: {rate: coarse, dofs: [x], mass: [20000], damping: [[8000]], stiffness: [[1.2e6]]}\n"
    "  specimen: {role: physical, rate: fine, dofs: [x], actuators: {x: a1}, estimate: {stiffness: [[8e5]]}}\n"
    "interfaces: [{join: [frame.x, specimen.x]}]\n"
    "loads: [{on: frame.x, kind: sine, amplitude: 15 kN, frequency: 0.8 Hz}]\n"
    "transfer: {a1: {}}\n"
    "rig: {backend: virtual, actuators: {a1: {plant: {kind: second-order, T1: 8 ms, T2: 5 ms, dead_time: 2 ms}}},\n"
    "      specimen: {kind: assembled, nodes: {end: {mass: 0}}, elements: [\n"
    "        {kind: bilinear, between: [ground, end.x], stiffness: 800 kN/m, hardening: 0.05, yield_slip: 6 mm}]}}\n"
    "limits: {on_trip: ramp, displacement: 100 mm, command_rate: 2 m/s, force: 50 kN, start_ramp: 0.1, trip_ramp: 0.2, "
    "end_ramp: "
    "0.2}\n";

static const struct setup {
    const char *name, *text;
    const char *set[3];
    bool unpaced;
    int threads;
    size_t actuator; /* the one that has the fault */
} setups[] = {
#define ONE 0
    {"one actuator", one, {0}, false, 1, 0},
#define TWO 1
    {"the second of two actuators", two, {0}, false, 1, 1},
#define ROTARY 2
    {"a rotary actuator", rotary, {0}, false, 1, 0},
#define FIVE_TIMES 3
    {"five times faster than real",
     one,
     {"time={step: 10 ms, end: 2 s, control_rate: 1000 Hz, scale: 0.2, faster_than_real: true}",
      "loads.0.amplitude=200"},
     false,
     1,
     0},
#define SLOW 4
    {"fifty times slower than real",
     one,
     {"time={step: 10 ms, end: 2 s, control_rate: 1000 Hz, scale: 50}"},
     false,
     1,
     0},
#define OFFLINE 5
    {"in lock-step, not paced", one, {0}, true, 1, 0},
#define EFC 6
    {"equivalent force control", efc, {0}, false, 1, 0},
#define COUPLED 7
    {"a coupling with two substeps",
     one,
     {"time={step: 10 ms, substeps: 2, end: 2 s, control_rate: 1000 Hz}", "method={coupling: pm}",
      "substructures.specimen={role: physical, rate: fine, dofs: [x], actuators: {x: a1}, "
      "estimate: {mass: [100], stiffness: [[35530]]}}"},
     false,
     1,
     0},
#define THREADS 8
    {"a coupling on two threads",
     one,
     {"time={step: 10 ms, substeps: 2, end: 2 s, control_rate: 1000 Hz}", "method={coupling: pm}",
      "substructures.specimen={role: physical, rate: fine, dofs: [x], actuators: {x: a1}, "
      "estimate: {mass: [100], stiffness: [[35530]]}}"},
     true,
     2,
     0},
#define LEARNING 9
    {"a delay that is estimated",
     one,
     {"transfer.a1={compensator: {kind: lagrange, order: 3, delay: 15 ms}, estimator: {kind: rls}}"},
     false,
     1,
     0},
#define OPTIMAL 10
    {"force of the crossed target",
     one,
     {"transfer.a1={compensator: {kind: velocity, order: 2, delay: 21 ms}, controller: {kind: imc, filter: 6 ms}, "
      "feedback: {kind: optimal, bound: 25 ms}}"},
     false,
     1,
     0},
};

/* ---- what can happen ---- */

static struct yk_reading *faulty(struct between *b, struct yk_reading *r)
{
    return &r[b->actuator];
}

static bool at(const struct between *b, long after)
{
    return b->tick == b->from + after;
}

static enum yk_rig_answer nothing(struct between *b, struct yk_reading *r)
{
    return YK_RIG_FRESH;
}

/* sensors: NAME changes the reading `now` at every exchange from the first on */
#define CHANGES(NAME, CHANGE)                                                                                          \
    static enum yk_rig_answer NAME(struct between *b, struct yk_reading *r)                                            \
    {                                                                                                                  \
        struct yk_reading *now = faulty(b, r);                                                                         \
        const double since = (double)(b->tick - b->from);                                                              \
                                                                                                                       \
        (void)since;                                                                                                   \
        CHANGE;                                                                                                        \
        return YK_RIG_FRESH;                                                                                           \
    }
CHANGES(x_nan, now->displacement = NAN)
CHANGES(x_nan_once, if (since == 0) now->displacement = NAN)
CHANGES(x_infinite, now->displacement = -INFINITY)
CHANGES(x_away, now->displacement += 0.5)
CHANGES(x_offset, now->displacement += 20e-3)
CHANGES(x_flipped, now->displacement = -now->displacement)
CHANGES(x_zero, now->displacement = 0)
CHANGES(x_doubled, now->displacement *= 2)
CHANGES(x_halved, now->displacement *= 0.5)
CHANGES(x_drifts, now->displacement += 1e-4 * since)
CHANGES(x_noisy, now->displacement += 5e-3 * random_value(&b->seed))
CHANGES(x_frozen, now->displacement = b->last[b->actuator].displacement)
CHANGES(f_nan, now->force = NAN)
CHANGES(f_infinite, now->force = INFINITY)
CHANGES(f_spike, if (since == 0) now->force = -1e5)
CHANGES(f_noisy, now->force += 2e4 * random_value(&b->seed))
CHANGES(f_drifts, now->force += 20 * since)
CHANGES(f_frozen, now->force = b->last[b->actuator].force)
CHANGES(f_reversed, now->force = -now->force)
CHANGES(f_zero, now->force = 0)
CHANGES(f_constant, now->force = 55)
CHANGES(f_clipped, now->force = fmax(-100, fmin(now->force, 100)))
CHANGES(a_nan, now->acceleration = NAN)
CHANGES(all_frozen, *now = b->last[b->actuator])
CHANGES(all_nan, *now = ((struct yk_reading){NAN, NAN, NAN, NAN}))

/* the rig */
static enum yk_rig_answer old(struct between *b, struct yk_reading *r, enum yk_rig_answer answer)
{
    memcpy(r, b->last, b->count * sizeof *r);
    return answer;
}

static enum yk_rig_answer silent(struct between *b, struct yk_reading *r)
{
    return old(b, r, YK_RIG_HELD);
}

static enum yk_rig_answer lost(struct between *b, struct yk_reading *r)
{
    return old(b, r, YK_RIG_LOST);
}

static enum yk_rig_answer refuses(struct between *b, struct yk_reading *r)
{
    b->reason = "the oil is hot";
    return old(b, r, YK_RIG_REFUSED);
}

static enum yk_rig_answer silent_40_ms(struct between *b, struct yk_reading *r)
{
    return b->tick < b->from + 40 ? silent(b, r) : YK_RIG_FRESH;
}

static enum yk_rig_answer silent_now_and_then(struct between *b, struct yk_reading *r)
{
    return (b->tick - b->from) % 80 < 40 ? silent(b, r) : YK_RIG_FRESH;
}

static enum yk_rig_answer lost_and_back(struct between *b, struct yk_reading *r)
{
    return at(b, 0) ? lost(b, r) : YK_RIG_FRESH;
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

/* time */
static enum yk_rig_answer clock_jumps(struct between *b, struct yk_reading *r)
{
    if (at(b, 0))
        yk_clock_advance(&b->clock, 1000000000);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer clock_hops(struct between *b, struct yk_reading *r)
{
    if (at(b, 0))
        yk_clock_advance(&b->clock, 300000000);
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

/* the operator: NAME asks for something, 70 exchanges later something else happens */
static void ask(struct between *b, long after, enum yk_event event)
{
    if (at(b, after))
        yk_run_request(&b->control, event);
}

static enum yk_rig_answer then(struct between *b, struct yk_reading *r, enum yk_event asked, happening *next)
{
    enum yk_rig_answer answer = YK_RIG_FRESH;

    ask(b, 0, asked);
    if (b->tick >= b->from + 70) {
        b->from += 70;
        answer = next(b, r);
        b->from -= 70;
    }
    return answer;
}

static enum yk_rig_answer aborts(struct between *b, struct yk_reading *r)
{
    ask(b, 0, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer resumes(struct between *b, struct yk_reading *r)
{
    ask(b, 0, YK_EVENT_RESUME);
    return YK_RIG_FRESH;
}

/* lines: DOOR is an interlock, STOP an emergency stop, PERMIT the permissive of a PLC */
enum { DOOR = 1, STOP = 2, PERMIT = 4 };

static enum yk_rig_answer door_opens(struct between *b, struct yk_reading *r)
{
    b->opens = DOOR;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer door_bounces(struct between *b, struct yk_reading *r)
{
    b->opens = (b->tick - b->from) % 7 == 0 ? DOOR : 0;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer stop_is_pressed(struct between *b, struct yk_reading *r)
{
    b->opens = STOP;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer permit_goes(struct between *b, struct yk_reading *r)
{
    b->opens = PERMIT;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer door_opens_and_silent(struct between *b, struct yk_reading *r)
{
    b->opens = DOOR;
    return silent(b, r);
}

/* an operator */
static enum yk_rig_answer aborts_often(struct between *b, struct yk_reading *r)
{
    for (long k = 0; k < 400; k += 30)
        ask(b, k, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer pauses_often(struct between *b, struct yk_reading *r)
{
    for (long k = 0; k < 600; k += 60) {
        ask(b, k, YK_EVENT_PAUSE);
        ask(b, k + 30 + k / 20, YK_EVENT_RESUME);
    }
    return YK_RIG_FRESH;
}

static enum yk_rig_answer steps(struct between *b, struct yk_reading *r)
{
    ask(b, 0, YK_EVENT_PAUSE);
    for (long k = 50; k < 500; k += 50)
        ask(b, k, YK_EVENT_STEP);
    ask(b, 600, YK_EVENT_RESUME);
    return YK_RIG_FRESH;
}

/* everything at random, and an abort in the end */
static enum yk_rig_answer plays(struct between *b, struct yk_reading *r)
{
    static const enum yk_event events[] = {YK_EVENT_PAUSE, YK_EVENT_RESUME, YK_EVENT_STEP};

    if (b->tick < b->from + 1000)
        ask(b, b->tick - b->from, events[(int)(1.5 * (random_value(&b->seed) + 1)) % 3]);
    ask(b, 1000, YK_EVENT_RESUME);
    ask(b, 1100, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer pauses_a_lossy_rig(struct between *b, struct yk_reading *r)
{
    (void)pauses_often(b, r);
    return loses_20(b, r);
}

#define AFTER(NAME, ASKED, NEXT)                                                                                       \
    static enum yk_rig_answer NAME(struct between *b, struct yk_reading *r)                                            \
    {                                                                                                                  \
        return then(b, r, ASKED, NEXT);                                                                                \
    }
AFTER(aborts_twice, YK_EVENT_ABORT, aborts)
AFTER(aborts_then_spike, YK_EVENT_ABORT, f_spike)
AFTER(aborts_then_lost, YK_EVENT_ABORT, lost)
AFTER(aborts_then_silent, YK_EVENT_ABORT, silent)
AFTER(aborts_then_nan, YK_EVENT_ABORT, x_nan)
AFTER(aborts_then_slow, YK_EVENT_ABORT, slow)
AFTER(pauses_then_aborts, YK_EVENT_PAUSE, aborts)
AFTER(pauses_then_resumes, YK_EVENT_PAUSE, resumes)
AFTER(pauses_then_lost, YK_EVENT_PAUSE, lost)
AFTER(pauses_then_silent, YK_EVENT_PAUSE, silent)
AFTER(pauses_then_spike, YK_EVENT_PAUSE, f_spike)
AFTER(pauses_then_nan, YK_EVENT_PAUSE, x_nan)
AFTER(pauses_then_jump, YK_EVENT_PAUSE, clock_jumps)
AFTER(pauses_then_away, YK_EVENT_PAUSE, x_away)

static enum yk_rig_answer aborts_twice_and_slow(struct between *b, struct yk_reading *r)
{
    if (b->tick > b->from)
        yk_clock_advance(&b->clock, 1500000);
    return aborts_twice(b, r);
}

static enum yk_rig_answer moved_in_a_pause(struct between *b, struct yk_reading *r)
{
    ask(b, 0, YK_EVENT_PAUSE);
    ask(b, 600, YK_EVENT_RESUME);
    if (b->tick > b->from + 100)
        faulty(b, r)->displacement += 30e-3;
    return YK_RIG_FRESH;
}

static enum yk_rig_answer steps_then_aborts(struct between *b, struct yk_reading *r)
{
    ask(b, 0, YK_EVENT_PAUSE);
    ask(b, 30, YK_EVENT_STEP);
    ask(b, 60, YK_EVENT_STEP);
    ask(b, 100, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer all_at_once(struct between *b, struct yk_reading *r)
{
    ask(b, 0, YK_EVENT_PAUSE);
    ask(b, 0, YK_EVENT_RESUME);
    ask(b, 0, YK_EVENT_STEP);
    ask(b, 0, YK_EVENT_ABORT);
    return YK_RIG_FRESH;
}

static enum yk_rig_answer resumes_after_an_abort(struct between *b, struct yk_reading *r)
{
    ask(b, 30, YK_EVENT_RESUME);
    ask(b, 50, YK_EVENT_START);
    return aborts(b, r);
}

static enum yk_rig_answer spike_then_aborts(struct between *b, struct yk_reading *r)
{
    ask(b, 30, YK_EVENT_ABORT);
    ask(b, 40, YK_EVENT_RESUME);
    return f_spike(b, r);
}

static enum yk_rig_answer spike_then_lost(struct between *b, struct yk_reading *r)
{
    return b->tick > b->from + 50 ? lost(b, r) : f_spike(b, r);
}

static enum yk_rig_answer spike_then_nan(struct between *b, struct yk_reading *r)
{
    return b->tick > b->from + 50 ? x_nan(b, r) : f_spike(b, r);
}

/* ---- the table ---- */

/* where the actuators are in the end */
enum outcome {
    HOME,  /* back where they stood            */
    HELD,  /* where the last command put them  */
    CUT,   /* likewise, and the drive disabled */
    ENDS,  /* home, at the end of the run      */
    WARNS, /* likewise, with a warning         */
};
static const char *const outcomes[] = {"ramp home", "hold", "hold, drive disabled", "run goes on",
                                       "run goes on, warning"};

#define AWAY                                                                                                           \
    "substructures.frame.initial={displacement: {x: 20 mm}}",                                                          \
        "substructures.specimen.initial={displacement: {x: 20 mm}}"
#define CLIPS         "limits.command_rate={limit: 2 m/s, action: warn}"
#define FOLLOWS_BADLY "limits.relative_error=0"
#define LONG          "time.end=5 s"

static const struct fault {
    const char *group, *name;
    int setup;
    const char *set[4]; /* settings that it needs */
    bool elsewhere;     /* the rig stands at zero, and the run begins elsewhere */
    long from;          /* first exchange that it acts on */
    happening *happen;
    const char *words; /* of the reason, or of the warning */
    long step;         /* at which the run ends; -1: not asserted */
    enum outcome outcome;
} faults[] = {
#define SETTINGS(...)                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define NONE                                                                                                           \
    {                                                                                                                  \
        0                                                                                                              \
    }
#define FAULT(group, name, setup, set, from, happen, words, step, outcome)                                             \
    {group, name, setup, set, false, from, happen, words, step, outcome},
#define FAULT_ON_THE_WAY(group, name, setup, set, from, happen, words, step, outcome)                                  \
    {group, name, setup, set, true, from, happen, words, step, outcome},
#define SHOWN(...)
#include "faults.def"
};
#define FAULTS (sizeof faults / sizeof *faults)

/* and those that other tests show */
static const struct {
    const char *name, *happens, *exit_code, *program, *test;
} shown[] = {
#undef FAULT
#undef FAULT_ON_THE_WAY
#undef SHOWN
#define FAULT(...)
#define FAULT_ON_THE_WAY(...)
#define SHOWN(name, happens, exit_code, program, test) {name, happens, exit_code, program, test},
#include "faults.def"
};
#define SHOWN_FAULTS (sizeof shown / sizeof *shown)

/* ---- lived through ---- */

static struct yk_model *experiment_of(const struct fault *f)
{
    const struct setup *s = &setups[f->setup];
    const char *set[7];
    size_t count = 0;

    for (int k = 0; k < 3 && s->set[k]; k++)
        set[count++] = s->set[k];
    for (int k = 0; k < 4 && f->set[k]; k++)
        set[count++] = f->set[k];
    return recorded_parse(s->text, set, count);
}

/* Every fault is lived through, also where one before it did not end as it should. */
static int surprises;

/* How a run meets its rig. */
static const struct mode {
    const char *name;
    bool real, unpaced;
} modes[] = {{"a real rig, --realtime", true, false},
             {"a real rig, without --realtime", true, true},
             {"a simulated rig, not paced", false, true}};
enum { MODES = sizeof modes / sizeof *modes };
static const struct mode *mode;

/* Two threads know no virtual clock, and a run that is not paced knows no deadlines. */
static bool happens(const struct fault *f)
{
    const bool paced = mode->real || !mode->unpaced;

    return paced ? !setups[f->setup].unpaced : strcmp(f->group, "clock") != 0;
}

/* Missed deadlines trip with --realtime alone, and after a silence a real rig stays where it is. */
static struct fault in_mode(const struct fault *f)
{
    struct fault expected = *f;

    if (mode->unpaced && strncmp(f->words, "deadlines missed", 16) == 0) {
        expected.words = "";
        expected.step = -1;
        expected.outcome = ENDS;
    }
    if (mode->real && expected.outcome == HOME && expected.from > 1 &&
        (strstr(expected.words, "silence of the rig") || strstr(expected.words, "the rig is lost")))
        expected.outcome = HELD;
    return expected;
}

static void expect(bool as_expected, const struct fault *f, const char *what, const struct recorded *r)
{
    if (as_expected)
        return;
    surprises++;
    print_error("%s: %s (%s; %s): %s; '%s' after %ld steps\n", f->group, f->name, setups[f->setup].name, mode->name,
                what, *r->result.reason ? r->result.reason : r->result.warning, r->result.steps);
}

/* The message of a run and its end are those of the table. */
static void expect_told(const struct fault *f, const struct recorded *r)
{
    const struct yk_run_result *result = &r->result;
    const bool stops = f->outcome < ENDS, trips = stops && strcmp(f->words, "stopped by request") != 0;
    char when[32];

    snprintf(when, sizeof when, "at step %ld", result->steps);
    expect(strstr(f->outcome == WARNS ? result->warning : result->reason, f->words), f, f->words, r);
    expect(f->step < 0 || result->steps == f->step, f, "step", r);
    expect(yk_status_exit_code(result->status) == (stops ? 3 : 0), f, "exit code", r);
    expect(!stops || strstr(result->reason, when), f, when, r);
    expect(result->trip.tripped == trips, f, "tripped", r);
    expect(result->state == (trips ? YK_STATE_TRIPPED : YK_STATE_DONE), f, "state", r);
}

/* The commands stay within their limits, and the actuators come home or stay. */
static void expect_moved(const struct fault *f, const struct yk_model *e, const struct between *b,
                         const struct recorded *r)
{
    const struct yk_supervisor *v = yk_station_supervisor(e->station);
    const bool stays = f->outcome == HELD || f->outcome == CUT;

    for (size_t i = 0; i < b->count; i++) {
        const struct between_wire *w = &b->wire[i];
        const double home = f->elsewhere ? 0 : w->home, most = yk_supervisor_limit(v, YK_LIMIT_DISPLACEMENT, i);

        expect(most > 0 && most <= MOST && w->reach <= most * (1 + 1e-12), f, "limit of displacement", r);
        expect(w->rate <= FASTEST * (1 + 1e-9), f, "limit of the rate", r);
        expect(stays ? fabs(w->sent - home) > 1e-6 : fabs(w->sent - home) <= 1e-12, f, "where it stands", r);
    }
    /* a cut is told once, and nothing is sent after it */
    expect(b->cuts == (f->outcome == CUT), f, "cut", r);
    expect(b->cut_tick == (b->cuts ? b->tick : 0), f, "sent after the cut", r);
}

static void expect_recorded(const struct fault *f, const struct yk_model *e, const struct recorded *r)
{
    expect(r->count[0] == (size_t)r->result.steps + 1 && r->dropped == 0, f, "rows", r);
    for (size_t i = 0; i < r->count[0]; i++)
        expect(fabs(r->rows[0][i * r->width[0]] - e->time.step * (double)i) < 1e-9, f, "times of the rows", r);
}

static void live_through(const struct fault *f)
{
    const struct setup *s = &setups[f->setup];
    struct between b = {.happen = f->happen,
                        .real = mode->real,
                        .from = f->from,
                        .actuator = s->actuator,
                        .approach = f->elsewhere,
                        .unpaced = mode->unpaced,
                        .threads = s->threads,
                        .clock = yk_clock_virtual(1),
                        .seed = 7};
    struct yk_model *e = experiment_of(f);
    struct recorded r;

    between_run(&b, f->elsewhere ? &between_ops_elsewhere : &between_ops, e, &r);
    assert_int_equal(r.status, YK_OK);
    expect_told(f, &r);
    expect_moved(f, e, &b, &r);
    expect_recorded(f, e, &r);
    recorded_free(&r);
    yk_model_close(e);
}

static void every_fault_ends_within_the_limits_and_is_recorded(void **state)
{
    assert_true(FAULTS >= 80);
    for (size_t i = 0; i < MODES * FAULTS; i++) {
        mode = &modes[i % MODES];
        const struct fault f = in_mode(&faults[i / MODES]);

        if (happens(&f))
            live_through(&f);
    }
    assert_int_equal(surprises, 0);
}

/* ---- every fault in every phase ---- */

/* Faults of readings, lines, rig, operator and clock, which can happen in every phase of a run. */
static const struct {
    const char *name;
    happening *happen;
    bool clock;
} happenings[] = {
#define HAPPENS(name)                                                                                                  \
    {                                                                                                                  \
#name, name, false                                                                                             \
    }
    HAPPENS(x_nan),
    HAPPENS(x_nan_once),
    HAPPENS(x_infinite),
    HAPPENS(x_away),
    HAPPENS(x_offset),
    HAPPENS(x_flipped),
    HAPPENS(x_zero),
    HAPPENS(x_doubled),
    HAPPENS(x_halved),
    HAPPENS(x_drifts),
    HAPPENS(x_noisy),
    HAPPENS(x_frozen),
    HAPPENS(f_nan),
    HAPPENS(f_infinite),
    HAPPENS(f_spike),
    HAPPENS(f_noisy),
    HAPPENS(f_drifts),
    HAPPENS(f_frozen),
    HAPPENS(f_reversed),
    HAPPENS(f_zero),
    HAPPENS(f_constant),
    HAPPENS(f_clipped),
    HAPPENS(a_nan),
    HAPPENS(all_frozen),
    HAPPENS(all_nan),
    HAPPENS(silent),
    HAPPENS(lost),
    HAPPENS(refuses),
    HAPPENS(silent_40_ms),
    HAPPENS(silent_now_and_then),
    HAPPENS(lost_and_back),
    HAPPENS(loses_1),
    HAPPENS(loses_20),
    HAPPENS(loses_50),
    HAPPENS(door_opens),
    HAPPENS(door_bounces),
    HAPPENS(stop_is_pressed),
    HAPPENS(permit_goes),
    HAPPENS(door_opens_and_silent),
    HAPPENS(aborts_often),
    HAPPENS(pauses_often),
    HAPPENS(steps),
    HAPPENS(plays),
    HAPPENS(pauses_a_lossy_rig),
    {"clock_jumps", clock_jumps, true},
    {"clock_hops", clock_hops, true},
    {"slow", slow, true},
    {"slow_at_times", slow_at_times, true},
};
enum { HAPPENINGS = sizeof happenings / sizeof *happenings };

static happening *next_happening;

static enum yk_rig_answer in_a_ramp(struct between *b, struct yk_reading *r)
{
    return then(b, r, YK_EVENT_ABORT, next_happening);
}

static enum yk_rig_answer in_a_pause(struct between *b, struct yk_reading *r)
{
    ask(b, 300, YK_EVENT_RESUME);
    return then(b, r, YK_EVENT_PAUSE, next_happening);
}

static const struct phase {
    const char *name;
    long from;
    happening *around; /* NULL: the fault itself */
} phases[] = {
    {"at rest", 1, NULL}, {"in motion", 305, NULL}, {"in a ramp", 305, in_a_ramp}, {"in a pause", 305, in_a_pause}};
enum { PHASES = sizeof phases / sizeof *phases };

/* A run with one fault in one phase: does every command keep the limits, and is there a reason where it stops? */
static bool keeps_limits(const struct phase *p, int k)
{
    static const char *const watched[] = {"limits.tracking_error=10 mm", "limits.sensor_frozen=20 ms",
                                          "limits.force_frozen=20 ms", "limits.sensor_range=0.2",
                                          "rig.lines={door: {role: interlock}, stop: {role: emergency_stop}, permit: "
                                          "{role: permissive}}"};
    struct between b = {.happen = p->around ? p->around : happenings[k].happen,
                        .real = mode->real,
                        .from = p->from,
                        .unpaced = mode->unpaced,
                        .threads = 1,
                        .clock = yk_clock_virtual(1),
                        .seed = 7};
    struct yk_model *e = recorded_parse(one, watched, sizeof watched / sizeof *watched);
    struct recorded r;

    next_happening = happenings[k].happen;
    between_run(&b, &between_ops, e, &r);
    const int code = r.status ? -1 : yk_status_exit_code(r.result.status);
    const bool good = b.wire[0].reach <= MOST * (1 + 1e-12) && b.wire[0].rate <= FASTEST * (1 + 1e-9) &&
                      (code == 0 ? r.result.finished && !b.opens : code == 3 && *r.result.reason) &&
                      r.count[0] == (size_t)r.result.steps + 1;

    if (!good)
        print_error("%s %s (%s): reach %g m, rate %g m/s, exit code %d, '%s' after %ld steps\n", happenings[k].name,
                    p->name, mode->name, b.wire[0].reach, b.wire[0].rate, code, r.result.reason, r.result.steps);
    recorded_free(&r);
    yk_model_close(e);
    return good;
}

/* Runs of a phase in a mode; runs that are not paced know no clock. */
static int count_runs(const struct mode *m)
{
    int count = 0;

    for (int k = 0; k < HAPPENINGS; k++)
        count += m->real || !happenings[k].clock;
    return count;
}

static void every_fault_in_every_phase_keeps_the_limits(void **state)
{
    int wrong = 0, runs = 0;

    for (int m = 0; m < MODES; m++)
        for (int p = 0; p < PHASES; p++)
            for (int k = 0; k < HAPPENINGS; k++) {
                mode = &modes[m];
                if (mode->real || !happenings[k].clock) {
                    wrong += !keeps_limits(&phases[p], k);
                    runs++;
                }
            }
    assert_true(runs >= 550);
    assert_int_equal(wrong, 0);
}

static void write_phases(FILE *out)
{
    int all = 0;

    fputs("\n## Every fault in every phase\n\n"
          "Faults of sensors, lines, rig, operator and clock are injected at rest, in motion, in a ramp and in a pause "
          "(`rt/test_fault_table`). In every run\nall commands keep `displacement` and `command_rate` in wall time, a "
          "run that stops says why, and its recording has every row.\n\n| | at rest | in motion | in a ramp | in a "
          "pause | beyond a limit | without a reason |\n|---|---|---|---|---|---|---|\n",
          out);
    for (int m = 0; m < MODES; m++) {
        const int n = count_runs(&modes[m]);

        fprintf(out, "| %s | %d | %d | %d | %d | 0 | 0 |\n", modes[m].name, n, n, n, n);
        all += PHASES * n;
    }
    fprintf(out, "\n%d runs in all.\n", all);
}

/* ---- the page ---- */

/* The tables as docs/safety.md has them. */
static void write_tables(FILE *out)
{
    fprintf(out, "| fault | setup | what the actuators do | exit code | the message says |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < FAULTS; i++)
        fprintf(out, "| %s: %s | %s | %s | %d | %s |\n", faults[i].group, faults[i].name, setups[faults[i].setup].name,
                outcomes[faults[i].outcome], faults[i].outcome < ENDS ? 3 : 0,
                *faults[i].words ? faults[i].words : "-");
    fprintf(out, "\n| fault | what happens | exit code | test |\n|---|---|---|---|\n");
    for (size_t i = 0; i < SHOWN_FAULTS; i++)
        fprintf(out, "| %s | %s | %s | `%s`: `%s` |\n", shown[i].name, shown[i].happens, shown[i].exit_code,
                shown[i].program, shown[i].test);
}

static char *read_all(const char *path)
{
    enum { MOST_BYTES = 1 << 20 };
    FILE *in = fopen(path, "r");
    char *text = calloc(1, MOST_BYTES);

    if (!in)
        print_error("%s cannot be read\n", path);
    assert_non_null(in);
    assert_non_null(text);
    assert_in_range(fread(text, 1, MOST_BYTES - 1, in), 1, MOST_BYTES - 2);
    fclose(in);
    return text;
}

static void assert_page_has(const char *path, void (*write)(FILE *), const char *how)
{
    char *page, *tables = NULL;
    size_t size;
    FILE *out = open_memstream(&tables, &size);

    assert_non_null(out);
    write(out);
    assert_int_equal(fclose(out), 0);
    page = read_all(path);
    if (!strstr(page, tables))
        print_error("%s is stale: %s\n", path, how);
    assert_non_null(strstr(page, tables));
    free(page);
    free(tables);
}

static void the_page_has_the_same_tables(void **state)
{
    assert_page_has(YOKE_SOURCE "/docs/safety.md", write_tables,
                    "put in the output of `build/tests/test_fault_table table`");
    assert_page_has(YOKE_SOURCE "/docs/safety-case.md", write_phases, "make safety-case");
}

/* A fault and its set-up are told apart by the page. */
static void no_fault_is_listed_twice(void **state)
{
    for (size_t i = 0; i < FAULTS; i++)
        for (size_t k = 0; k < i; k++)
            if (faults[i].setup == faults[k].setup && strcmp(faults[i].group, faults[k].group) == 0)
                assert_string_not_equal(faults[i].name, faults[k].name);
    for (size_t i = 0; i < SHOWN_FAULTS; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(shown[i].name, shown[k].name);
}

static void the_tests_that_the_page_names_exist(void **state)
{
    for (size_t i = 0; i < SHOWN_FAULTS; i++) {
        char path[600], entry[200], *source;

        snprintf(path, sizeof path, YOKE_SOURCE "/tests/%s.c", shown[i].program);
        snprintf(entry, sizeof entry, "cmocka_unit_test(%s)", shown[i].test);
        source = read_all(path);
        if (!strstr(source, entry))
            print_error("%s has no %s\n", path, shown[i].test);
        assert_non_null(strstr(source, entry));
        free(source);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_ends_within_the_limits_and_is_recorded),
        cmocka_unit_test(every_fault_in_every_phase_keeps_the_limits),
        cmocka_unit_test(the_page_has_the_same_tables),
        cmocka_unit_test(no_fault_is_listed_twice),
        cmocka_unit_test(the_tests_that_the_page_names_exist),
    };

    if (argc == 2 && strcmp(argv[1], "table") == 0) {
        write_tables(stdout);
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "phases") == 0) {
        write_phases(stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
