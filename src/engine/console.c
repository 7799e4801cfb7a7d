/* The loop of a console. Every command goes through the supervisor of the station, as in a run; see console.h. */
#include "engine/console.h"

#include "base/board.h"
#include "engine/beat.h"
#include "engine/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE_NS = 1000000 }; /* between two ticks of a loop that is not paced and has nothing to do */
#define SETTLE_S 1.0        /* for an actuator to arrive */
#define ARRIVED  0.01       /* of limits.position_error */
#define TOO_FAST 1.5        /* of limits.console.speed: what the readings of a homing may show */
#define LEAP     100.0      /* of the way of a tick at that speed: more is none of a motion */
#define SMOOTH   8.0        /* ticks */
#define INEXACT  0.05       /* of its way: as after the start ramp of a run */

enum { HEAD = sizeof(struct yk_console_now) / sizeof(uint64_t) };
_Static_assert(sizeof(struct yk_console_now) % sizeof(uint64_t) == 0, "the state is posted in words");

struct yk_console {
    const struct yk_run_settings settings;
    struct yk_state state; /* never stepped: bodies, channels */
    struct yk_reference reference;
    struct yk_run_result result;
    struct yk_samples samples;
    struct yk_station *station;
    struct yk_supervisor *supervisor;
    struct yk_beat beat;
    size_t count, width;

    _Atomic(struct yk_console_order *) order; /* NULL: none */
    atomic_bool stop, end;

    /* of the loop */
    double *command, *from; /* of the actuators: now, and when the order began */
    double *seen;
    long at;                                   /* ticks of the order so far */
    long settling;                             /* ticks since the ramp of a move ended; -1: it has not */
    double homed_from, homed_at, homing_speed; /* displacement where homing began, and of the last tick; smoothed */
    int64_t held, ticks;
    bool busy; /* as it is posted */

    size_t words;
    struct yk_board *board;
    uint64_t *message;
};

/* ---- what is seen ---- */

YK_RT static void look(struct yk_console *c)
{
    double *to = c->seen;

    for (size_t i = 0; i < c->count; i++, to += YK_SEEN) {
        const struct yk_reading r = yk_station_reading(c->station, i), raw = yk_station_raw(c->station, i);

        to[YK_SEEN_SENT] = c->supervisor->supervised[i].sent;
        to[YK_SEEN_DISPLACEMENT] = r.displacement;
        to[YK_SEEN_FORCE] = r.force;
        to[YK_SEEN_ACCELERATION] = r.acceleration;
        to[YK_SEEN_RAW_DISPLACEMENT] = raw.displacement;
        to[YK_SEEN_RAW_FORCE] = raw.force;
    }
    for (size_t k = 0; k < c->supervisor->sensor_count; k++)
        *to++ = yk_station_sensors(c->station)[k];
    for (size_t k = 0; k < c->supervisor->sensor_count; k++)
        *to++ = yk_station_raw_sensors(c->station)[k];
}

YK_RT static uint64_t modes_of(const struct yk_console *c)
{
    uint64_t modes = 0;

    for (size_t i = 0; c->supervisor->switches && i < c->count; i++)
        modes |= (uint64_t)c->supervisor->supervised[i].second.on << i;
    return modes;
}

/* Posts the state to the other thread; fills the numbers of the telemetry that a console has. */
YK_RT static void tell(void *self, struct yk_telemetry_now *telemetry, bool ended)
{
    struct yk_console *c = self;
    const struct yk_supervisor *v = c->supervisor;
    const struct yk_console_now now = {.state = v->state,
                                       .off = v->off,
                                       .full = v->full,
                                       .busy = c->busy,
                                       .tick = c->ticks,
                                       .held = c->held,
                                       .missed = c->result.pace->missed,
                                       .degraded = *c->result.pace->degraded != 0,
                                       .late_ns = c->beat.pacer.late_ns,
                                       .warnings = (int64_t)v->warnings,
                                       .pressure = v->plc.ordered,
                                       .acknowledged = v->plc.acknowledged,
                                       .lines = yk_station_lines(c->station),
                                       .modes = modes_of(c),
                                       .trip = v->trip,
                                       .warning = v->warning};

    memcpy(c->message, &now, sizeof now);
    memcpy(c->message + HEAD, c->seen, c->width * sizeof *c->seen);
    yk_board_post(c->board, c->words, c->message, c->words);
    telemetry->step = c->ticks;
    telemetry->error_u = NAN;
}

YK_RT static void post(struct yk_console *c, bool ended)
{
    c->busy = false;
    yk_beat_post(&c->beat, ended);
}

/* ---- orders ---- */

static void finish(struct yk_console *c, struct yk_console_order *o, enum yk_status status)
{
    o->status = status;
    look(c);
    post(c, false);
    atomic_store_explicit(&c->order, NULL, memory_order_release);
}

/* Carries out an order between two ticks. Talking to the drives may take a while, in which nothing moves. */
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
    c->beat.pacer.beat = 0; /* the deadlines begin anew */
    yk_supervisor_restart_clock(c->supervisor);
    return st;
}

static bool takes_ticks(const struct yk_console_order *o)
{
    return o->kind == YK_ORDER_WAIT || o->kind == YK_ORDER_MOVE || o->kind == YK_ORDER_SWEEP ||
           o->kind == YK_ORDER_SILENCE || o->kind == YK_ORDER_PRESSURE || o->kind == YK_ORDER_MODE ||
           o->kind == YK_ORDER_HOMING;
}

/* Begins a new order; an order that needs no ticks is done at once. */
static struct yk_console_order *take_order(struct yk_console *c)
{
    struct yk_console_order *o = atomic_load_explicit(&c->order, memory_order_acquire);

    if (!o || c->at >= 0)
        return o;
    for (size_t i = 0; i < c->count; i++)
        c->command[i] = c->from[i] = yk_supervisor_asked(c->supervisor, i);
    o->made = 0;
    c->settling = -1;
    if (o->kind == YK_ORDER_PRESSURE)
        yk_supervisor_order_pressure(c->supervisor, o->pressure);
    if (o->kind == YK_ORDER_MODE)
        yk_station_ask_mode(c->station, o->actuator, o->second ? YK_MODE_SECOND : YK_MODE_FIRST);
    if (o->kind == YK_ORDER_HOMING) {
        yk_station_home(c->station, o->actuator, true);
        c->homed_from = c->homed_at = yk_station_reading(c->station, o->actuator).displacement;
        c->homing_speed = 0;
    }
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

YK_RT static const struct yk_second_mode *mode_of(const struct yk_console *c, const struct yk_console_order *o)
{
    return &c->supervisor->supervised[o->actuator].second;
}

/* How a homing has ended. The device moves by itself, so travel and speed are those of the readings. */
static enum yk_status judge_homing(struct yk_console *c, struct yk_console_order *o)
{
    const char *name = yk_station_name(c->station, o->actuator), *unit = yk_station_unit(c->station, o->actuator), *why;
    const enum yk_homing_answer answer = yk_station_homing(c->station, &why);
    const double travel = yk_supervisor_travel(c->supervisor, o->actuator), way = c->homed_at - c->homed_from,
                 rate = yk_supervisor_limit(c->supervisor, YK_LIMIT_COMMAND_RATE, o->actuator);

    if (answer == YK_HOMING_DONE)
        return YK_OK;
    if (answer <= YK_HOMING_REFUSED)
        return yk_fail(&o->err, YK_E_UNSUPPORTED, "%s: %s; nothing was moved", name,
                       answer == YK_HOMING_REFUSED ? why : "its rig has no homing");
    if (answer == YK_HOMING_FAILED)
        return yk_fail(&o->err, YK_E_IO, "%s: its drive reports a homing error (bit 13)", name);
    if (travel > 0 && fabs(way) > travel)
        return yk_fail(&o->err, YK_E_STOPPED, "%s went %g %s without finding its zero; limits.console.travel is %g %s",
                       name, way, unit, travel, unit);
    if (rate > 0 && fabs(c->homing_speed) > TOO_FAST * rate)
        return yk_fail(&o->err, YK_E_STOPPED,
                       "%s moves at %g %s/s while it looks for its zero; limits.console.speed is "
                       "%g %s/s",
                       name, fabs(c->homing_speed), unit, rate, unit);
    return yk_fail(&o->err, YK_E_STOPPED,
                   c->at < o->ticks ? "%s: homing was stopped" : "%s did not find its zero in time", name);
}

/* The motion of a tick. A device that counts anew leaps, which is no motion. */
YK_RT static void watch_homing(struct yk_console *c, const struct yk_console_order *o, double rate)
{
    const double x = c->supervisor->supervised[o->actuator].last.displacement, step = x - c->homed_at,
                 tick_s = c->supervisor->tick_s;

    c->homed_at = x;
    if (rate > 0 && fabs(step) > LEAP * rate * tick_s)
        c->homed_from += step;
    else
        c->homing_speed += (step / tick_s - c->homing_speed) / SMOOTH;
}

YK_RT static bool homing_is_over(struct yk_console *c, const struct yk_console_order *o)
{
    const double travel = yk_supervisor_travel(c->supervisor, o->actuator),
                 rate = yk_supervisor_limit(c->supervisor, YK_LIMIT_COMMAND_RATE, o->actuator);
    const char *why;

    watch_homing(c, o, rate);
    return c->at >= o->ticks || yk_station_homing(c->station, &why) != YK_HOMING_MOVES ||
           (travel > 0 && fabs(c->homed_at - c->homed_from) > travel) ||
           (rate > 0 && fabs(c->homing_speed) > TOO_FAST * rate);
}

/* The device counts anew, so nothing that was commanded holds: the drives are disabled, after a quick stop. */
static void end_homing(struct yk_console *c, struct yk_console_order *o)
{
    const enum yk_status st = judge_homing(c, o);

    yk_station_home(c->station, o->actuator, false);
    (void)yk_station_enable(c->station, false, NULL);
    c->beat.pacer.beat = 0;
    yk_supervisor_restart_clock(c->supervisor);
    if (c->supervisor->trip.tripped)
        yk_fail(&o->err, YK_E_STOPPED, "%s", yk_station_trip(c->station));
    finish(c, o, c->supervisor->trip.tripped ? YK_E_STOPPED : st);
}

YK_RT static bool is_over(struct yk_console *c, const struct yk_console_order *o)
{
    if (o->kind == YK_ORDER_HOMING)
        return homing_is_over(c, o);
    if (o->kind == YK_ORDER_MOVE)
        return c->settling >= 0 && has_arrived(c, o);
    if (o->kind == YK_ORDER_MODE)
        return mode_of(c, o)->on == o->second || mode_of(c, o)->requested != o->second;
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
               moves = o->kind == YK_ORDER_MOVE || o->kind == YK_ORDER_SWEEP || o->kind == YK_ORDER_MODE ||
                       o->kind == YK_ORDER_HOMING || (o->kind == YK_ORDER_PRESSURE && o->pressure != YK_PRESSURE_OFF);

    c->at++;
    if (o->rows && o->made < o->room) {
        const int64_t now = c->supervisor->time.sent_ns;

        o->first_ns = o->made ? o->first_ns : now;
        o->made_s = 1e-9 * (double)(now - o->first_ns);
        memcpy(o->rows + c->width * o->made++, c->seen, c->width * sizeof *c->seen);
    }
    const bool over = is_over(c, o), stopped = atomic_exchange(&c->stop, false);

    if (!over && !stopped && !(tripped && moves))
        return;
    c->at = -1;
    if (o->kind == YK_ORDER_HOMING) {
        end_homing(c, o);
        return;
    }
    if (!over)
        yk_supervisor_part(c->supervisor);
    if (o->kind == YK_ORDER_PRESSURE && !over) /* it stays where it is */
        yk_supervisor_order_pressure(c->supervisor, c->supervisor->plc.ordered);
    if (o->kind == YK_ORDER_MODE && !over)
        yk_station_ask_mode(c->station, o->actuator, mode_of(c, o)->on ? YK_MODE_SECOND : YK_MODE_FIRST);
    if (c->supervisor->trip.tripped && moves)
        finish(c, o, yk_fail(&o->err, YK_E_STOPPED, "%s", yk_station_trip(c->station)));
    else if (!over)
        finish(c, o, yk_fail(&o->err, YK_E_STOPPED, "the actuators are held where they are"));
    else if (o->kind == YK_ORDER_MODE && mode_of(c, o)->on != o->second)
        finish(c, o,
               yk_fail(&o->err, YK_E_IO, "%s has not confirmed %s control within %g s; it holds as before",
                       yk_station_name(c->station, o->actuator), o->second ? "force" : "displacement",
                       mode_of(c, o)->confirm_s));
    else
        finish(c, o, YK_OK);
}

/* ---- the loop ---- */

static void tick(struct yk_console *c)
{
    struct yk_console_order *o = take_order(c);

    yk_beat_await(&c->beat, (long)c->ticks, o ? 0 : IDLE_NS);
    if (o)
        follow(c, o);
    if (!o || o->kind != YK_ORDER_SILENCE) {
        yk_beat_exchange(&c->beat, c->command);
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
    if (o && o->kind == YK_ORDER_MODE) /* in the quantity of the mode that is in force */
        c->command[o->actuator] = yk_supervisor_asked(c->supervisor, o->actuator);
    if (o)
        judge(c, o);
    if (!o || atomic_load_explicit(&c->order, memory_order_relaxed) != o)
        for (size_t i = 0; i < c->count; i++) /* held, or where a trip has led */
            c->command[i] = yk_supervisor_asked(c->supervisor, i);
    c->busy = c->at >= 0;
    yk_beat_post_when_due(&c->beat);
}

void yk_console_run(struct yk_console *c)
{
    c->result.pace->period_s = c->supervisor->tick_s;
    yk_beat_begin(&c->beat, NULL);
    while (!atomic_load(&c->end) || c->at >= 0 || yk_station_is_moving(c->station) ||
           yk_station_lowers_pressure(c->station))
        tick(c);
    struct yk_console_order *late = atomic_load(&c->order); /* given after the end was asked for */
    if (late)
        finish(c, late, yk_fail(&late->err, YK_E_STOPPED, "the console is ending"));
    (void)yk_station_enable(c->station, false, NULL);
    yk_station_end(c->station);
    look(c);
    post(c, true);
    yk_beat_end(&c->beat);
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
    c->width = YK_SEEN * c->count + 2 * c->supervisor->sensor_count;
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

/* Makes room for sensor zeros if there is none yet. */
static enum yk_status prepare_tare(struct yk_console *c, struct yk_err *err)
{
    const struct yk_corrections *all = yk_station_corrections(c->station);

    return all->of ? YK_OK : yk_station_tare(c->station, yk_channel_of(0, YK_BY_DISPLACEMENT), 0, 0, err);
}

enum yk_status yk_console_open(struct yk_console **created, const struct yk_model *model,
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
    c->samples = (struct yk_samples){.state = &c->state, .reference = &c->reference, .result = &c->result};
    if (!(st = yk_model_state(model, &c->state, err)) && !(st = yk_samples_open(&c->samples, err))) {
        c->station = c->state.station;
        c->supervisor = yk_station_supervisor(c->station);
        c->beat = (struct yk_beat){.settings = &c->settings,
                                   .station = c->station,
                                   .supervisor = c->supervisor,
                                   .pace = c->result.pace,
                                   .paced = c->settings.realtime,
                                   .owner = c,
                                   .tell = tell,
                                   .posts = true};
        c->result.pace->scale = 1;
        c->supervisor->by_hand = true;
        if (yk_state_start(&c->state)) /* where a run begins: initial values, prescribed loads */
            st = yk_state_no_start(&c->state, YK_E_DIVERGED, err);
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
    post(c, false);
    *created = c;
    return YK_OK;
}

void yk_console_close(struct yk_console *c)
{
    if (!c)
        return;
    yk_samples_close(&c->samples);
    yk_state_close(&c->state);
    yk_run_result_free(&c->result);
    free(c->command);
    free(c->seen);
    free(c->message);
    free(c->board);
    free(c);
}
