/* The loop of a console. Every command goes through the supervisor of the station, as in a run; see console.h. */
#include "engine/console.h"

#include "base/board.h"
#include "engine/pacer.h"
#include "engine/realtime.h"
#include "engine/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE_NS = 1000000 };  /* between two ticks of a loop that is not paced and has nothing to do */
enum { POST_NS = 20000000 }; /* the state is posted at least as often */
#define SETTLE_S 1.0         /* for an actuator to arrive */
#define ARRIVED  0.01        /* of limits.position_error */
#define INEXACT  0.05        /* of its way: as after the start ramp of a run */

enum { HEAD = sizeof(struct yk_console_now) / sizeof(uint64_t) };
_Static_assert(sizeof(struct yk_console_now) % sizeof(uint64_t) == 0, "the state is posted in words");

struct yk_console {
    const struct yk_run_settings settings;
    struct yk_motion motion; /* never stepped: bodies, channels */
    struct yk_reference reference;
    struct yk_run_result result;
    struct yk_samples samples;
    struct yk_station *station;
    struct yk_supervisor *supervisor;
    struct yk_pacer pacer;
    struct yk_realtime rights;
    size_t count, width;

    _Atomic(struct yk_console_order *) order; /* NULL: none */
    atomic_bool stop, end;

    /* of the loop */
    double *command, *from; /* of the actuators: now, and when the order began */
    double *seen;
    long at;       /* ticks of the order so far */
    long settling; /* ticks since the ramp of a move ended; -1: it has not */
    int64_t held, ticks, posted_ns;
    struct yk_telemetry_now telemetry;
    struct yk_telemetry_track tracks[YK_TELEMETRY_TRACKED];

    size_t words;
    struct yk_board *board;
    uint64_t *message;
};

/* ---- what is seen ---- */

YK_RT static void look(struct yk_console *c)
{
    double *to = c->seen;

    for (size_t i = 0; i < c->count; i++, to += YK_SEEN) {
        const struct yk_reading r = yk_station_reading(c->station, i);

        to[YK_SEEN_SENT] = c->supervisor->supervised[i].sent;
        to[YK_SEEN_DISPLACEMENT] = r.displacement;
        to[YK_SEEN_FORCE] = r.force;
        to[YK_SEEN_ACCELERATION] = r.acceleration;
    }
    for (size_t k = 0; k < c->supervisor->sensor_count; k++)
        *to++ = yk_station_sensors(c->station)[k];
}

YK_RT static void post(struct yk_console *c, bool busy, bool ended)
{
    const struct yk_supervisor *v = c->supervisor;
    const struct yk_console_now now = {.state = v->state,
                                       .off = v->off,
                                       .full = v->full,
                                       .busy = busy,
                                       .tick = c->ticks,
                                       .held = c->held,
                                       .missed = c->result.pace->missed,
                                       .degraded = *c->result.pace->degraded != 0,
                                       .late_ns = c->pacer.late_ns,
                                       .warnings = (int64_t)v->warnings,
                                       .pressure = v->plc.ordered,
                                       .acknowledged = v->plc.acknowledged,
                                       .lines = yk_station_lines(c->station),
                                       .trip = v->trip,
                                       .warning = v->warning};

    memcpy(c->message, &now, sizeof now);
    memcpy(c->message + HEAD, c->seen, c->width * sizeof *c->seen);
    yk_board_post(c->board, c->words, c->message, c->words);
    if (!c->settings.telemetry)
        return;
    struct yk_telemetry_now *t = &c->telemetry;
    t->step = c->ticks;
    t->state = v->state;
    t->late_ns = now.late_ns;
    t->largest_late_ns = c->result.pace->lateness.largest_ns;
    t->missed = now.missed;
    t->paced = c->settings.realtime;
    t->degraded = now.degraded;
    t->warnings = now.warnings;
    t->beat_s = v->tick_s;
    t->scale = 1;
    t->ended = ended;
    t->trip = v->trip;
    t->warning = v->warning;
    t->error_u = NAN;
    yk_telemetry_post(c->settings.telemetry, t, c->tracks);
}

YK_RT static void post_when_due(struct yk_console *c)
{
    const int64_t now = yk_clock_now_ns();

    if (now - c->posted_ns < POST_NS)
        return;
    c->posted_ns = now;
    post(c, c->at >= 0, false);
}

/* ---- orders ---- */

static void finish(struct yk_console *c, struct yk_console_order *o, enum yk_status status)
{
    o->status = status;
    look(c);
    post(c, false, false);
    atomic_store_explicit(&c->order, NULL, memory_order_release);
}

/* What is done between two ticks. Talking to the drives may take a while, in which nothing moves. */
static enum yk_status arrange(struct yk_console *c, struct yk_console_order *o)
{
    enum yk_status st = YK_OK;

    switch (o->kind) {
    case YK_ORDER_ENABLE:
    case YK_ORDER_DISABLE:
        st = yk_station_enable(c->station, o->kind == YK_ORDER_ENABLE, &o->err);
        break;
    case YK_ORDER_RESET:
        st = yk_station_stand(c->station, &o->err);
        break;
    case YK_ORDER_FULL:
        c->supervisor->full = true;
        return YK_OK;
    case YK_ORDER_ZERO:
        yk_station_retare(c->station, o->channel, o->zero, o->command);
        break;
    default:
        c->supervisor->tested = o->lines;
        c->supervisor->tested_on = o->levels;
    }
    c->pacer.beat = 0; /* the deadlines begin anew */
    yk_supervisor_restart_clock(c->supervisor);
    return st;
}

static bool takes_ticks(const struct yk_console_order *o)
{
    return o->kind == YK_ORDER_WAIT || o->kind == YK_ORDER_MOVE || o->kind == YK_ORDER_SWEEP ||
           o->kind == YK_ORDER_SILENCE || o->kind == YK_ORDER_PRESSURE;
}

/* A new order: what needs no ticks is done at once, and seen in the next one. */
static struct yk_console_order *take_order(struct yk_console *c)
{
    struct yk_console_order *o = atomic_load_explicit(&c->order, memory_order_acquire);

    if (!o || c->at >= 0)
        return o;
    for (size_t i = 0; i < c->count; i++)
        c->command[i] = c->from[i] = c->supervisor->supervised[i].sent;
    o->made = 0;
    c->settling = -1;
    if (o->kind == YK_ORDER_PRESSURE)
        yk_supervisor_order_pressure(c->supervisor, o->pressure);
    if (!takes_ticks(o)) {
        const enum yk_status st = arrange(c, o);

        for (size_t i = 0; i < c->count; i++)
            c->command[i] = c->supervisor->supervised[i].sent;
        if (st) {
            finish(c, o, st);
            return NULL;
        }
        o->ticks = 1; /* the state that is told afterwards is the new one */
    }
    c->at = 0;
    return o;
}

/* The commands of this tick. */
YK_RT static void follow(struct yk_console *c, const struct yk_console_order *o)
{
    const double t = (double)c->at * c->supervisor->tick_s;

    if (o->kind == YK_ORDER_SWEEP)
        c->command[o->actuator] = c->from[o->actuator] + yk_sweep_at(&o->sweep, t);
    if (o->kind != YK_ORDER_MOVE)
        return;
    const double share = o->duration_s > 0 ? fmin((t + c->supervisor->tick_s) / o->duration_s, 1) : 1;

    for (size_t i = 0; i < c->count; i++)
        c->command[i] = share < 1 ? c->from[i] + yk_ramp_shape(share) * (o->to[i] - c->from[i]) : o->to[i];
    if (share >= 1)
        c->settling++;
}

/* After the ramp of a move: has everything arrived? One that has not in time trips, as after the start ramp of a run.
 */
YK_RT static bool has_arrived(struct yk_console *c, const struct yk_console_order *o)
{
    struct yk_supervisor *v = c->supervisor;
    const bool in_time = (double)c->settling * v->tick_s < SETTLE_S;

    for (size_t i = 0; i < c->count; i++) {
        const double limit = yk_supervisor_limit(v, YK_LIMIT_POSITION_ERROR, i),
                     off = yk_reading_of(&v->supervised[i].last, v->supervised[i].own.kind) - v->supervised[i].sent;

        if (in_time && fabs(off) > ARRIVED * limit)
            return false;
        if (limit > 0 && fabs(off) > limit + INEXACT * fabs(o->to[i] - c->from[i]))
            yk_supervisor_raise(v, YK_LIMIT_POSITION_ERROR, i, off);
    }
    return true;
}

YK_RT static bool is_over(struct yk_console *c, const struct yk_console_order *o)
{
    if (o->kind == YK_ORDER_MOVE)
        return c->settling >= 0 && has_arrived(c, o);
    if (o->kind == YK_ORDER_PRESSURE)
        return c->at > 1 && !yk_supervisor_changes_pressure(c->supervisor);
    if (o->kind == YK_ORDER_SWEEP)
        return c->at >= (long)yk_sweep_ticks(&o->sweep, c->supervisor->tick_s);
    return c->at >= o->ticks;
}

/* After a tick of an order. */
static void judge(struct yk_console *c, struct yk_console_order *o)
{
    const bool tripped = c->supervisor->trip.tripped,
               moves = o->kind == YK_ORDER_MOVE || o->kind == YK_ORDER_SWEEP ||
                       (o->kind == YK_ORDER_PRESSURE && o->pressure != YK_PRESSURE_OFF);

    c->at++;
    if (o->rows && o->made < o->room)
        memcpy(o->rows + c->width * o->made++, c->seen, c->width * sizeof *c->seen);
    const bool over = is_over(c, o), stopped = atomic_exchange(&c->stop, false);

    if (!over && !stopped && !(tripped && moves))
        return;
    c->at = -1;
    if (o->kind == YK_ORDER_PRESSURE && !over) /* it stays where it is */
        yk_supervisor_order_pressure(c->supervisor, c->supervisor->plc.ordered);
    if (c->supervisor->trip.tripped && moves)
        finish(c, o, yk_fail(&o->err, YK_E_STOPPED, "%s", yk_station_trip(c->station)));
    else if (!over)
        finish(c, o, yk_fail(&o->err, YK_E_STOPPED, "the actuators are held where they are"));
    else
        finish(c, o, YK_OK);
}

/* ---- the loop ---- */

static void await_beat(struct yk_console *c, bool busy)
{
    if (c->settings.realtime) {
        yk_pacer_period(&c->pacer, llround(1e9 * c->supervisor->tick_s));
        yk_pacer_judge(&c->pacer, c->supervisor, yk_pacer_beat(&c->pacer, (long)c->ticks));
    } else if (!busy) {
        yk_pacer_sleep(&c->pacer, IDLE_NS);
    }
}

static void tick(struct yk_console *c)
{
    struct yk_console_order *o = take_order(c);

    await_beat(c, o);
    if (o)
        follow(c, o);
    if (!o || o->kind != YK_ORDER_SILENCE) {
        yk_pacer_part(&c->pacer, YK_LOOP_TRANSFER);
        const bool sends = yk_station_drive(c->station, c->command);

        yk_pacer_part(&c->pacer, YK_LOOP_RIG);
        yk_station_exchange(c->station, sends);
        yk_pacer_part(&c->pacer, YK_LOOP_SAMPLE);
    } else {
        yk_supervisor_restart_clock(c->supervisor);
    }
    c->ticks++;
    c->held = c->supervisor->silent_ticks > 0 ? c->held + 1 : 0;
    look(c);
    if (c->settings.telemetry) {
        c->samples.ticks += 1;
        yk_samples_tick(&c->samples, c->supervisor);
        yk_telemetry_row(c->settings.telemetry, 0, c->samples.row[YK_STREAM_TICKS]);
    }
    if (o)
        judge(c, o);
    if (!o || atomic_load_explicit(&c->order, memory_order_relaxed) != o)
        for (size_t i = 0; i < c->count; i++) /* held, or where a trip has led */
            c->command[i] = c->supervisor->supervised[i].sent;
    post_when_due(c);
}

void yk_console_run(struct yk_console *c)
{
    struct yk_pace_report *pace = c->result.pace;

    pace->paced = c->settings.realtime;
    pace->period_s = c->supervisor->tick_s;
    if (c->settings.realtime && !c->settings.clock)
        yk_realtime_enter(&c->rights, &c->settings, NULL, pace->degraded, sizeof pace->degraded);
    c->pacer.clock = c->settings.clock;
    c->pacer.spin_ns = (int64_t)(1e9 * c->settings.spin_s);
    c->pacer.rig = yk_station_rig(c->station, &c->pacer.rig_self);
    if (!yk_station_simulates(c->station))
        yk_supervisor_measure(c->supervisor, c->settings.clock);
    yk_pacer_begin(&c->pacer, pace->paced ? llround(1e9 * pace->period_s) : 0, pace);
    while (!atomic_load(&c->end) || c->at >= 0 || yk_station_is_moving(c->station) ||
           yk_station_lowers_pressure(c->station))
        tick(c);
    struct yk_console_order *late = atomic_load(&c->order); /* given after the end was asked for */
    if (late)
        finish(c, late, yk_fail(&late->err, YK_E_STOPPED, "the console is ending"));
    (void)yk_station_enable(c->station, false, NULL);
    yk_station_end(c->station);
    look(c);
    post(c, false, true);
    yk_realtime_leave(&c->rights);
}

/* ---- for the other thread ---- */

void yk_console_give(struct yk_console *c, struct yk_console_order *order)
{
    atomic_store(&c->stop, false);
    atomic_store_explicit(&c->order, order, memory_order_release);
}

bool yk_console_is_done(const struct yk_console *c)
{
    return !atomic_load_explicit(&c->order, memory_order_acquire);
}

void yk_console_stop(struct yk_console *c, bool end)
{
    atomic_store(&c->stop, true);
    if (end)
        atomic_store(&c->end, true);
}

void yk_console_read(const struct yk_console *c, struct yk_console_now *now, double *seen)
{
    uint64_t *message = malloc(c->words * sizeof *message);
    size_t length = 0;

    *now = (struct yk_console_now){0};
    if (message && yk_board_read(c->board, c->words, message, &length)) {
        memcpy(now, message, sizeof *now);
        memcpy(seen, message + HEAD, c->width * sizeof *seen);
    }
    free(message);
}

struct yk_station *yk_console_station(const struct yk_console *c)
{
    return c->station;
}

size_t yk_console_width(const struct yk_console *c)
{
    return c->width;
}

double yk_console_tick_s(const struct yk_console *c)
{
    return c->supervisor->moving_s;
}

/* ---- preparation ---- */

static enum yk_status open_memory(struct yk_console *c, struct yk_err *err)
{
    c->count = yk_station_count(c->station);
    c->width = YK_SEEN * c->count + c->supervisor->sensor_count;
    c->words = HEAD + c->width;
    c->command = calloc(2 * c->count + 1, sizeof *c->command);
    c->seen = calloc(c->width + 1, sizeof *c->seen);
    c->message = calloc(c->words, sizeof *c->message);
    const size_t bytes = (yk_board_size(c->words) + 63) / 64 * 64;
    c->board = aligned_alloc(64, bytes);
    if (!c->command || !c->seen || !c->message || !c->board)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the console");
    memset(c->board, 0, bytes);
    c->from = c->command + c->count;
    return YK_OK;
}

/* Room for zeros: those that there are, or none so far. */
static enum yk_status prepare_tare(struct yk_console *c, struct yk_err *err)
{
    const struct yk_corrections *all = yk_station_corrections(c->station);

    return all->of ? YK_OK : yk_station_tare(c->station, yk_channel_of(0, YK_BY_DISPLACEMENT), 0, 0, err);
}

enum yk_status yk_console_open(struct yk_console **created, const struct yk_plan *plan,
                               const struct yk_run_settings *settings, struct yk_err *err)
{
    struct yk_console *c = calloc(1, sizeof *c);
    enum yk_status st;

    *created = NULL;
    if (!c || !(c->result.pace = calloc(1, sizeof *c->result.pace))) {
        free(c);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the console");
    }
    memcpy((void *)&c->settings, settings, sizeof *settings);
    c->at = -1;
    c->samples = (struct yk_samples){.motion = &c->motion, .reference = &c->reference, .result = &c->result};
    if (!(st = yk_plan_motion(plan, &c->motion, err)) && !(st = yk_samples_open(&c->samples, err))) {
        c->station = c->motion.experiment->station;
        c->supervisor = yk_station_supervisor(c->station);
        c->supervisor->by_hand = true;
        if (yk_motion_start(&c->motion)) /* where a run begins: initial values, prescribed loads */
            st = yk_fail_at(err, YK_E_DIVERGED, YK_IN_FILE(c->motion.experiment->path),
                            "the force at t = 0 is not a finite number");
        if (!st && !(st = open_memory(c, err)) && !(st = prepare_tare(c, err)))
            st = yk_station_stand(c->station, err);
    }
    if (st) {
        yk_console_close(c);
        return st;
    }
    for (size_t i = 0; i < c->count; i++)
        c->command[i] = c->supervisor->supervised[i].sent;
    look(c);
    post(c, false, false);
    *created = c;
    return YK_OK;
}

void yk_console_close(struct yk_console *c)
{
    if (!c)
        return;
    yk_samples_close(&c->samples);
    yk_motion_close(&c->motion);
    yk_run_result_free(&c->result);
    free(c->command);
    free(c->seen);
    free(c->message);
    free(c->board);
    free(c);
}
