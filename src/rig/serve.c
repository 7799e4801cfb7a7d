/* The rig side of a wire.
 *
 * A HELLO is answered with a fresh number (challenge.h) and leaves no trace. One that repeats the number begins a
 * session. The first message of the session makes its HELLO void. Only new commands of the session are a sign of life.
 *
 * State       goes to       when
 * waiting     moving        a session was welcomed
 * moving      ramping       goodbye, silence, the rig failed, or a stop
 * moving      waiting       the same before its REST: the rig did not move
 * ramping     waiting       the actuators are back at their start
 * any         cut           the run disables the drive: nothing moves
 * cut         moving        a session was welcomed; nothing moves before its REST */
#include "rig/bad_wire.h"

#include "base/clock.h"
#include "base/thread.h"
#include "rig/challenge.h"
#include "rig/host.h"
#include "rig/playout.h"
#include "rig/raw_codec.h"
#include "rig/sealed.h"
#include "rig/serve.h"
#include "transfer/place.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BRAKING    6.283185307179586 /* rad/s: with which actuators that are commanded by a rate are brought home */
#define BRAKING_S  2.0
#define LOOK_NS    20000000    /* how often the stop is looked at while nothing comes */
#define STANDS     1e-9        /* m: closer is there */
#define AT_REST_NS 10000000000 /* silence that is nothing to worry about before the first command */

enum {
    MOST_HEARD = 256,  /* messages at a time, so that a flood cannot hold the clock */
    BRAKING_TICKS = 10 /* in which a rate without commands falls by 1/e */
};

struct yk_server {
    struct yk_server_settings settings;
    const struct yk_rig_ops *rig;
    void *rig_self;
    struct yk_rig_plan plan;
    struct yk_wire_shape shape;
    struct yk_link link;
    struct yk_raw_codec codec;
    struct yk_seal seal;
    struct yk_bad_wire wire;
    struct yk_challenge challenge;
    int port;
    struct yk_server_counts counts;

    enum yk_server_state state;
    uint32_t session;
    bool rested, moved;       /* the session has brought the rig to rest; has commanded it */
    bool dead;                /* it was cut, and has not been brought to rest since */
    struct yk_sequence taken; /* of the newest message */
    uint64_t said;            /* sequence of the last reading */
    struct yk_message in, reading;
    struct yk_playout commands, said_of; /* with a play-out: commands by number, readings by the command they answer */
    bool playing;                        /* by a clock: the commands are played */
    int64_t heard_ns, due_ns, tick_ns, silence_ns;
    long ramp_ticks, ramp_done;
    long silent;                                   /* ticks with the last command */
    struct yk_kept_place brake[YK_WIRE_ACTUATORS]; /* path of those commanded by a rate, without commands */
    double was[YK_WIRE_ACTUATORS];                 /* displacements of a tick before */
    double place[YK_WIRE_ACTUATORS]; /* where they stood at rest, for those that are commanded by a rate */
    double command[YK_WIRE_ACTUATORS], from[YK_WIRE_ACTUATORS], home[YK_WIRE_ACTUATORS];
    struct yk_ahead ahead[YK_WIRE_ACTUATORS];
    uint32_t lines;                   /* outputs */
    double others[YK_WIRE_ACTUATORS]; /* commands of second control modes */
    uint64_t modes;                   /* which actuators are to be in theirs */
    struct yk_reading readings[YK_WIRE_ACTUATORS];
    double sensors[YK_WIRE_VALUES];
    struct yk_rig_in read; /* those */
};

struct yk_server_settings yk_server_defaults(void)
{
    return (struct yk_server_settings){.spin = 1e-9 * YK_CLOCK_SPIN_NS};
}

const char *yk_server_state_name(enum yk_server_state state)
{
    static const char *const names[YK_SERVER_STATES] = {"waiting", "moving", "ramping", "cut"};

    return names[state];
}

static void enter(struct yk_server *s, enum yk_server_state state)
{
    s->state = state;
    s->link.in_session = state == YK_SERVER_MOVING;
    atomic_store(&s->counts.state, (int)state);
}

static bool frozen(const struct yk_server *s)
{
    const long after = s->settings.faults.freeze_after;

    return after > 0 && (long)atomic_load(&s->counts.commands) >= after;
}

/* ---- the rig ---- */

static void say_reading(struct yk_server *s)
{
    struct yk_message *m = &s->reading;

    *m = (struct yk_message){
        .kind = YK_READING,
        .session = s->session,
        .sequence = ++s->said,
        .answers = s->taken.last,
        .count = (uint32_t)(YK_WIRE_PER_READING * s->plan.count + s->plan.sensor_count + 1 + (s->plan.others != NULL))};
    double *v = m->values;

    for (size_t i = 0; i < s->plan.count; i++, v += YK_WIRE_PER_READING) {
        v[0] = s->readings[i].displacement;
        v[1] = s->readings[i].force;
        v[2] = s->readings[i].acceleration;
        v[3] = s->readings[i].velocity;
    }
    memcpy(v, s->sensors, s->plan.sensor_count * sizeof *v);
    v[s->plan.sensor_count] = s->read.lines;
    if (s->plan.others)
        v[s->plan.sensor_count + 1] = (double)s->read.modes;
    if (s->plan.playout)
        yk_playout_put(&s->said_of, m->answers, m);
    yk_bad_wire_send(&s->wire, m, yk_clock_now_ns());
}

/* Returns all actuators to their first control mode, at their present displacement. */
static void leave_modes(struct yk_server *s)
{
    for (size_t i = 0; i < s->plan.count; i++)
        if ((s->read.modes | s->modes) >> i & 1)
            s->command[i] = s->readings[i].displacement;
    s->modes = 0;
}

/* The session is over; from here the rig goes home by itself. */
static void leave(struct yk_server *s)
{
    if (s->plan.others)
        leave_modes(s);
    memcpy(s->from, s->command, sizeof s->from);
    s->ramp_done = 0;
    enter(s, s->dead ? YK_SERVER_CUT : s->rested ? YK_SERVER_RAMPING : YK_SERVER_WAITING);
}

/* The rig itself refuses or has failed. */
static void give_up(struct yk_server *s, const char *words)
{
    struct yk_message m = yk_refuse(s->session, YK_REFUSED_RIG, 0, words);

    m.sequence = ++s->said;
    s->link.ops->send(&s->link, &m);
    leave(s);
}

static enum yk_command_kind kind_of(const struct yk_server *s, size_t i)
{
    return s->plan.kinds ? s->plan.kinds[i] : YK_BY_DISPLACEMENT;
}

/* Feedforward without commands: none but the entry of the command itself. */
static void stand_ahead(struct yk_server *s, size_t i)
{
    const enum yk_command_kind kind = kind_of(s, i);
    const double command = s->command[i];

    s->ahead[i] = (struct yk_ahead){.displacement = kind == YK_BY_DISPLACEMENT ? command : s->readings[i].displacement,
                                    .velocity = kind == YK_BY_VELOCITY ? command : 0,
                                    .acceleration = kind == YK_BY_ACCELERATION ? command : 0,
                                    .force = kind == YK_BY_FORCE ? command : 0};
}

/* Measured velocity; by differences of displacement if the rig does not measure it. */
static double speed_of(const struct yk_server *s, size_t i)
{
    const struct yk_reading *now = &s->readings[i];

    return now->velocity != 0 ? now->velocity : (now->displacement - s->was[i]) / s->plan.tick;
}

/* A displacement that is held is safe, a rate is not: without commands the actuator is led along a path that comes to
 * rest. */
static void brake(struct yk_server *s, bool begins)
{
    for (size_t i = 0; i < s->plan.count; i++) {
        const enum yk_command_kind kind = kind_of(s, i);
        const struct yk_reading *now = &s->readings[i];
        struct yk_kept_place *path = &s->brake[i];

        if (!yk_command_is_rate(kind)) {
            stand_ahead(s, i);
            continue;
        }
        if (begins)
            *path = (struct yk_kept_place){.x = now->displacement,
                                           .v = kind == YK_BY_VELOCITY ? s->command[i] : speed_of(s, i)};
        path->a = -path->v / (BRAKING_TICKS * s->plan.tick);
        s->command[i] = yk_place_hold(kind, path, now, speed_of(s, i), BRAKING);
        path->x += path->v * s->plan.tick;
        path->v += path->a * s->plan.tick;
        stand_ahead(s, i);
    }
}

static struct yk_rig_out outputs(const struct yk_server *s)
{
    return (struct yk_rig_out){.command = s->command,
                               .ahead = s->plan.feeds_forward ? s->ahead : NULL,
                               .lines = s->lines,
                               .others = s->plan.others ? s->others : NULL,
                               .modes = s->modes};
}

/* Makes one tick with the newest command; brakes if that is too old. */
static void tick(struct yk_server *s)
{
    if (s->state == YK_SERVER_MOVING && s->moved && s->silent++ > YK_SILENT_TICKS)
        brake(s, s->silent == YK_SILENT_TICKS + 2);
    atomic_fetch_add(&s->counts.ticks, 1);
    const struct yk_rig_out out = outputs(s);
    for (size_t i = 0; i < s->plan.count; i++)
        s->was[i] = s->readings[i].displacement;
    const enum yk_rig_answer answer = s->rig->exchange(s->rig_self, &out, &s->read);

    if ((answer == YK_RIG_LOST || answer == YK_RIG_REFUSED) && s->state == YK_SERVER_MOVING)
        give_up(s, yk_rig_reason(s->rig, s->rig_self));
}

/* Takes the present state as commands and as home, to which ramps lead. An actuator off its command is moved by the
 * ramps of the run, not here. */
static void stand_here(struct yk_server *s)
{
    for (size_t i = 0; i < s->plan.count; i++) {
        const double at = yk_reading_of(&s->readings[i], kind_of(s, i));

        s->place[i] = s->was[i] = s->readings[i].displacement;
        if (yk_command_is_rate(kind_of(s, i)))
            s->command[i] = 0; /* a rate that is read is noise */
        else if (fabs(at - s->command[i]) > STANDS * fmax(1, fabs(s->command[i])))
            s->command[i] = at;
        stand_ahead(s, i);
    }
    memcpy(s->home, s->command, s->plan.count * sizeof *s->home);
}

/* A tick on the way home. */
static void ramp_tick(struct yk_server *s)
{
    const double share = fmin((double)++s->ramp_done / (double)s->ramp_ticks, 1);

    for (size_t i = 0; i < s->plan.count; i++) {
        const struct yk_kept_place home = {.x = s->place[i]};

        s->command[i] = (1 - share) * s->from[i] + share * s->home[i]; /* ends exactly there */
        if (yk_command_is_rate(kind_of(s, i)))                         /* a rate that fades would leave it in motion */
            s->command[i] =
                share < 1 ? yk_place_hold(kind_of(s, i), &home, &s->readings[i], speed_of(s, i), BRAKING) : 0;
        stand_ahead(s, i);
    }
    tick(s);
    if (s->ramp_done >= s->ramp_ticks)
        enter(s, YK_SERVER_WAITING);
}

/* ---- messages ---- */

/* Reason to refuse the session of a HELLO; 0: none. */
static enum yk_refusal objection(const struct yk_server *s, const struct yk_message *m, double *instead)
{
    double hello[YK_HELLO_VALUES];

    *instead = 0;
    yk_wire_hello(&s->plan, hello);
    if (m->values[0] != (double)s->plan.count)
        return *instead = (double)s->plan.count, YK_REFUSED_COUNT;
    if (!(fabs(m->values[1] - s->plan.tick) <= 1e-9 * s->plan.tick))
        return *instead = s->plan.tick, YK_REFUSED_TICK;
    if (m->values[3] != (double)s->plan.sensor_count)
        return *instead = (double)s->plan.sensor_count, YK_REFUSED_SENSORS;
    if (m->values[4] != (double)s->plan.line_count)
        return *instead = (double)s->plan.line_count, YK_REFUSED_LINES;
    if (m->values[2] != hello[2] || m->values[5] != hello[5])
        return YK_REFUSED_NAMES;
    if (s->state == YK_SERVER_RAMPING || (s->state == YK_SERVER_MOVING && m->session != s->session))
        return YK_REFUSED_BUSY;
    return 0;
}

static void refuse(struct yk_server *s, uint32_t session, enum yk_refusal reason, double instead)
{
    const struct yk_message no = yk_refuse(session, reason, instead, "");

    s->link.ops->reply(&s->link, &no);
    atomic_fetch_add(&s->counts.refused, 1);
}

/* The session shows that it is alive. */
static void note_life(struct yk_server *s)
{
    s->heard_ns = yk_clock_now_ns();
}

static void open_session(struct yk_server *s, uint32_t session)
{
    atomic_fetch_add(&s->counts.sessions, 1);
    yk_challenge_use_up(&s->challenge);
    s->session = session;
    s->said = 0;
    s->taken = (struct yk_sequence){.far = UINT64_MAX};
    if (!s->link.ops->exclusive)
        s->taken.far = yk_sequence_far(s->settings.own_clock, s->silence_ns, s->plan.tick);
    s->rested = s->moved = s->playing = false;
    yk_playout_clear(&s->commands);
    yk_playout_clear(&s->said_of);
    s->link.ops->adopt_sender(&s->link);
    note_life(s);
    enter(s, YK_SERVER_MOVING);
}

/* Does the HELLO come from somebody who is there now? Nobody else writes to shared memory, and packets of a declared
 * layout have no greetings. */
static bool is_of_now(struct yk_server *s, const struct yk_message *hello)
{
    return s->link.ops->exclusive || s->settings.raw ||
           yk_challenge_is_met(&s->challenge, hello->answers, yk_clock_now_ns());
}

static void challenge(struct yk_server *s, const struct yk_message *hello)
{
    const struct yk_message m = {.kind = YK_CHALLENGE,
                                 .session = hello->session,
                                 .sequence = yk_challenge_number(&s->challenge, yk_clock_now_ns()),
                                 .answers = hello->sequence};

    s->link.ops->reply(&s->link, &m);
    atomic_fetch_add(&s->counts.challenges, 1);
}

static void on_hello(struct yk_server *s, const struct yk_message *m)
{
    double instead;

    /* its goodbye may have been overwritten before it was read */
    if (s->link.ops->exclusive && s->state == YK_SERVER_MOVING && m->session != s->session)
        leave(s);
    const bool known = s->state == YK_SERVER_MOVING && m->session == s->session;
    const enum yk_refusal reason = objection(s, m, &instead);

    if (known && (s->taken.last || s->link.from_stranger)) {
        atomic_fetch_add(&s->counts.void_greetings, 1);
        return;
    }
    if (reason) {
        refuse(s, m->session, reason, instead);
        return;
    }
    if (!known && !is_of_now(s, m)) {
        challenge(s, m);
        return;
    }
    if (!known) /* otherwise the WELCOME was lost */
        open_session(s, m->session);
    const struct yk_message welcome = {
        .kind = YK_WELCOME,
        .session = s->session,
        .answers = m->sequence,
        .count = 2,
        .values = {s->settings.own_clock, yk_rig_world(s->rig, s->rig_self) != YK_RIG_REAL}};
    yk_bad_wire_send(&s->wire, &welcome, yk_clock_now_ns());
}

static bool all_finite(const struct yk_message *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (!isfinite(m->values[i]))
            return false;
    return true;
}

static void on_rest(struct yk_server *s, const struct yk_message *m)
{
    if (m->sequence == s->taken.last) { /* asked again: the answer was lost */
        yk_bad_wire_send(&s->wire, &s->reading, yk_clock_now_ns());
        return;
    }
    if (!all_finite(m) || yk_sequence_judge(&s->taken, m->sequence) != YK_NUMBER_NEW) {
        atomic_fetch_add(&s->counts.refused, 1);
        return;
    }
    struct yk_err why = {0};

    if (s->rig->rest(s->rig_self, m->values, &s->read, &why)) { /* it keeps its command */
        give_up(s, yk_err_line(&why).text);
        return;
    }
    memcpy(s->command, m->values, s->plan.count * sizeof *s->command);
    stand_here(s);
    s->rested = true;
    s->dead = false;
    note_life(s);
    say_reading(s);
}

/* Drives on or off; a rig that will not says why. */
static void on_enable(struct yk_server *s, const struct yk_message *m)
{
    struct yk_err why = {0};

    if (m->sequence == s->taken.last) {
        yk_bad_wire_send(&s->wire, &s->reading, yk_clock_now_ns());
        return;
    }
    if (!s->rested || yk_sequence_judge(&s->taken, m->sequence) != YK_NUMBER_NEW) {
        atomic_fetch_add(&s->counts.refused, 1);
        return;
    }
    s->lines = yk_wire_lines(m->values[1]);
    const struct yk_rig_out out = outputs(s);
    if (s->rig->enable && s->rig->enable(s->rig_self, m->values[0] != 0, &out, &why))
        give_up(s, yk_err_line(&why).text);
    else {
        note_life(s);
        say_reading(s);
    }
}

/* The ticks of commands that never came are played with the last one: time goes on for a specimen. */
static void catch_up(struct yk_server *s, uint64_t missing)
{
    const uint64_t most = (uint64_t)(s->silence_ns / s->tick_ns) + 1;

    atomic_fetch_add(&s->counts.missing, missing);
    for (uint64_t i = 0; !s->settings.own_clock && i < (missing < most ? missing : most); i++)
        tick(s);
}

static void take_command(struct yk_server *s, const double *v)
{
    s->silent = 0;
    memcpy(s->command, v, s->plan.count * sizeof *s->command);
    v += s->plan.count;
    s->lines = yk_wire_lines(*v++);
    for (size_t i = 0; s->plan.feeds_forward && i < s->plan.count; i++, v += YK_WIRE_PER_AHEAD)
        s->ahead[i] = (struct yk_ahead){v[0], v[1], v[2], v[3]};
    if (!s->plan.others)
        return;
    memcpy(s->others, v, s->plan.count * sizeof *s->others);
    s->modes = yk_wire_modes(v[s->plan.count]);
}

/* The next command of a play-out, or the last one again where it never came. */
static void play_next(struct yk_server *s)
{
    const uint64_t next = s->taken.last + 1;
    const struct yk_message *m = yk_playout_get(&s->commands, next);

    s->taken.last = next;
    s->moved = true;
    if (m) {
        atomic_fetch_add(&s->counts.commands, 1);
        take_command(s, m->values);
    } else
        atomic_fetch_add(&s->counts.missing, 1);
    tick(s);
    if (s->state == YK_SERVER_MOVING)
        say_reading(s);
}

/* A command of a play-out: played in its turn. One that is `playout` behind the newest is not waited for any more,
 * since the run has gone on without its answer. */
static void line_up(struct yk_server *s, const struct yk_message *m)
{
    const struct yk_message *said = yk_playout_get(&s->said_of, m->sequence);

    if (m->sequence <= s->taken.last) {
        atomic_fetch_add(&s->counts.stale, 1);
        if (said && !s->settings.own_clock)
            yk_bad_wire_send(&s->wire, said, yk_clock_now_ns());
        return;
    }
    if (m->sequence - s->taken.last >= s->commands.slots) {
        atomic_fetch_add(&s->counts.far, 1);
        return;
    }
    if (yk_playout_get(&s->commands, m->sequence)) { /* waits for its turn */
        atomic_fetch_add(&s->counts.stale, 1);
        return;
    }
    note_life(s);
    yk_playout_put(&s->commands, m->sequence, m);
    if (s->settings.own_clock) {
        if (!s->playing) /* half of the play-out is for the way of the commands, half for that of the readings */
            s->due_ns = yk_clock_now_ns() + (int64_t)(s->plan.playout / 2) * s->tick_ns;
        s->playing = true;
        return;
    }
    while (s->state == YK_SERVER_MOVING &&
           (yk_playout_get(&s->commands, s->taken.last + 1) || s->taken.last + s->plan.playout + 1 < m->sequence))
        play_next(s);
}

static void on_command(struct yk_server *s, const struct yk_message *m)
{
    const uint64_t last = s->taken.last;

    if (!s->rested || !all_finite(m)) {
        atomic_fetch_add(&s->counts.refused, 1);
        return;
    }
    if (s->plan.playout) {
        line_up(s, m);
        return;
    }
    switch (yk_sequence_judge(&s->taken, m->sequence)) {
    case YK_NUMBER_OLD:
        atomic_fetch_add(&s->counts.stale, 1);
        if (m->sequence == last && !s->settings.own_clock)
            yk_bad_wire_send(&s->wire, &s->reading, yk_clock_now_ns());
        return;
    case YK_NUMBER_FAR:
        atomic_fetch_add(&s->counts.far, 1);
        return;
    case YK_NUMBER_NEW:
        break;
    }
    note_life(s);
    catch_up(s, m->sequence - last - 1);
    atomic_fetch_add(&s->counts.commands, 1);
    s->moved = true;
    take_command(s, m->values);
    if (s->settings.own_clock || s->state != YK_SERVER_MOVING)
        return;
    tick(s);
    if (s->state == YK_SERVER_MOVING)
        say_reading(s);
}

/* Only a new session moves the rig again. */
static void on_cut(struct yk_server *s, uint32_t lines)
{
    s->lines = lines;
    if (s->rig->cut)
        s->rig->cut(s->rig_self, lines);
    atomic_fetch_add(&s->counts.cuts, 1);
    s->dead = true;
    enter(s, YK_SERVER_CUT);
}

static void hear(struct yk_server *s, const struct yk_message *m)
{
    if (m->kind == YK_HELLO) {
        on_hello(s, m);
    } else if (m->kind == YK_CUT) { /* on the way home, too; it is said more than once */
        if (m->session == s->session && s->state != YK_SERVER_CUT && atomic_load(&s->counts.sessions) > 0)
            on_cut(s, yk_wire_lines(m->values[0]));
    } else if (s->state == YK_SERVER_MOVING && m->session == s->session && yk_message_fits(m, &s->shape)) {
        if (m->kind == YK_REST)
            on_rest(s, m);
        else if (m->kind == YK_ENABLE)
            on_enable(s, m);
        else if (m->kind == YK_COMMAND)
            on_command(s, m);
        else if (m->kind == YK_BYE)
            leave(s);
    } else if (m->kind != YK_BYE) { /* a goodbye is said more than once */
        refuse(s, m->session, YK_REFUSED_SESSION, 0);
    }
}

/* Takes messages until `until`; false: a crash was asked for. */
static bool take_messages(struct yk_server *s, int64_t until)
{
    const long crash = s->settings.faults.crash_after;

    for (int n = 0; n < MOST_HEARD && s->link.ops->receive(&s->link, &s->in, until); n++) {
        for (int times = yk_bad_wire_times(&s->wire); times > 0 && !frozen(s); times--)
            hear(s, &s->in);
        if (crash > 0 && (long)atomic_load(&s->counts.commands) >= crash) {
            atomic_store(&s->counts.crashed, true);
            return false;
        }
        if (!s->settings.own_clock)
            break; /* one at a time, so that delayed answers leave when they are due */
    }
    atomic_store(&s->counts.damaged, s->link.counts.damaged + s->link.counts.foreign + s->link.counts.other_version);
    atomic_store(&s->counts.strangers, s->link.counts.strangers);
    atomic_store(&s->counts.forged, s->link.counts.forged);
    atomic_store(&s->counts.replayed, s->link.counts.replayed);
    atomic_store(&s->counts.broken, s->link.broken);
    return true;
}

/* ---- the loop ---- */

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void mind_silence(struct yk_server *s, int64_t now)
{
    const int64_t most = s->moved || s->silence_ns > AT_REST_NS ? s->silence_ns : AT_REST_NS;

    if (s->state != YK_SERVER_MOVING || now - s->heard_ns < most || frozen(s))
        return;
    atomic_fetch_add(&s->counts.lost_sessions, 1);
    leave(s);
}

/* Lock-step: a message, or the way home, which nobody waits for. */
static bool turn_in_step(struct yk_server *s)
{
    const int64_t now = yk_clock_now_ns();

    if (!take_messages(s, earlier(now + LOOK_NS, yk_bad_wire_flush(&s->wire, now))))
        return false;
    while (s->state == YK_SERVER_RAMPING)
        ramp_tick(s);
    return true;
}

/* The clocks of run and rig differ a little: a hundredth of a tick now and then keeps half of the play-out in hand. */
static void keep_pace(struct yk_server *s)
{
    const size_t half = s->plan.playout / 2;
    size_t ahead = 0;

    while (ahead < s->commands.slots && yk_playout_get(&s->commands, s->taken.last + 1 + ahead))
        ahead++;
    if (ahead > half + 1)
        s->due_ns -= s->tick_ns / 100;
    else if (ahead + 1 < half)
        s->due_ns += s->tick_ns / 100;
}

/* Is there a command to play, or one behind it? If there is none at all the run has stopped for a while: the site
 * holds, and begins anew when commands come. */
static bool has_command(struct yk_server *s)
{
    for (uint64_t next = s->taken.last + 1; next < s->taken.last + s->commands.slots; next++)
        if (yk_playout_get(&s->commands, next))
            return true;
    s->playing = false;
    return false;
}

/* Own clock: messages until the next tick, then the tick. */
static bool turn_by_clock(struct yk_server *s)
{
    const int64_t spin = (int64_t)(1e9 * s->settings.spin);

    for (int64_t now; (now = yk_clock_now_ns()) < s->due_ns - spin;)
        if (!take_messages(s, earlier(s->due_ns - spin, yk_bad_wire_flush(&s->wire, now))))
            return false;
    const int64_t now = yk_clock_pace(s->due_ns, spin);
    if (!take_messages(s, 0))
        return false;
    s->due_ns += s->tick_ns;
    if (s->due_ns < now) /* stalled for more than a tick: a rig does not move in leaps */
        s->due_ns = now + s->tick_ns;
    if (frozen(s))
        return true;
    if (s->state == YK_SERVER_RAMPING) {
        ramp_tick(s);
    } else if (s->playing && s->state == YK_SERVER_MOVING && has_command(s)) {
        play_next(s);
        keep_pace(s);
    } else if (!s->dead) {
        tick(s);
        if (s->state == YK_SERVER_MOVING && s->rested)
            say_reading(s);
    }
    yk_bad_wire_flush(&s->wire, now);
    return true;
}

void yk_server_run(struct yk_server *s, const atomic_bool *stop)
{
    const struct sched_param param = {.sched_priority = s->settings.priority};

    if (s->settings.priority > 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0)
        yk_thread_note_priority(s->settings.priority); /* where it is refused, the rig is late more often */
    s->due_ns = yk_clock_now_ns() + s->tick_ns;
    while (!atomic_load(stop) && !s->link.broken) {
        if (!(s->settings.own_clock ? turn_by_clock(s) : turn_in_step(s)))
            return; /* crashed */
        mind_silence(s, yk_clock_now_ns());
    }
    if (s->state == YK_SERVER_MOVING) {
        const struct yk_message bye = {.kind = YK_BYE, .session = s->session, .sequence = ++s->said};

        s->link.ops->send(&s->link, &bye);
        leave(s);
    }
    while (s->state == YK_SERVER_RAMPING && !frozen(s)) {
        if (s->settings.own_clock)
            yk_clock_pace(s->due_ns, 0);
        s->due_ns += s->tick_ns;
        ramp_tick(s);
    }
}

/* ---- preparation ---- */

enum yk_status yk_server_create(struct yk_server **server, const struct yk_server_settings *settings,
                                const struct yk_rig_ops *rig, void *rig_self, const struct yk_rig_plan *plan,
                                struct yk_err *err)
{
    struct yk_server *s = calloc(1, sizeof *s);
    enum yk_status st;

    *server = NULL;
    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->settings = *settings;
    s->rig = rig;
    s->rig_self = rig_self;
    s->plan = *plan;
    s->port = settings->port;
    s->tick_ns = llround(1e9 * plan->tick);
    const double silence = settings->silence > 0 ? settings->silence
                           : settings->own_clock ? fmax(0.1, YK_SILENT_TICKS * plan->tick)
                                                 : 10;
    s->silence_ns = (int64_t)(1e9 * silence);
    double ramp = settings->ramp > 0 ? settings->ramp : 1;
    for (size_t i = 0; i < plan->count; i++)
        ramp = yk_command_is_rate(kind_of(s, i)) ? fmax(ramp, BRAKING_S) : ramp;
    s->ramp_ticks = lround(ramp / plan->tick) + 1;
    s->shape = yk_wire_shape(plan);
    s->read = (struct yk_rig_in){.readings = s->readings, .sensors = s->sensors};
    if (s->tick_ns < 1)
        st = yk_fail(err, YK_E_RANGE, "a control period of %g s; at least 1e-9 s", plan->tick);
    else if (plan->playout && (settings->shm || settings->raw))
        st = yk_fail(err, YK_E_UNSUPPORTED, "a play-out is for rigs over UDP (--udp)");
    else if ((st = yk_wire_check(plan, err)) ||
             (settings->key && (st = yk_seal_open(&s->seal, settings->key, true, err))))
        ;
    else if (settings->shm)
        st = yk_link_shm_serve(&s->link, settings->shm, err);
    else
        st = yk_link_udp_serve(&s->link, yk_host_of(settings->host), &s->port, err);
    if (!st && settings->raw) {
        yk_raw_codec_init(&s->codec, settings->raw, plan, true);
        yk_raw_codec_use(&s->codec, &s->link);
    }
    if (!st && settings->key)
        yk_seal_use(&s->seal, &s->link);
    if (!st && plan->playout &&
        ((st = yk_playout_make(&s->commands, plan->playout, err)) ||
         (st = yk_playout_make(&s->said_of, plan->playout, err))))
        s->link.ops->close(&s->link);
    for (size_t i = 0; !st && i < plan->count; i++)
        s->command[i] = plan->x0[i];
    if (!st && (st = rig->rest(rig_self, s->command, &s->read, err)))
        s->link.ops->close(&s->link);
    if (st) {
        free(s);
        return st;
    }
    stand_here(s);
    yk_bad_wire_init(&s->wire, &s->link, &settings->faults);
    *server = s;
    return YK_OK;
}

int yk_server_port(const struct yk_server *s)
{
    return s->port;
}

const struct yk_server_counts *yk_server_counts(const struct yk_server *s)
{
    return &s->counts;
}

void yk_server_destroy(struct yk_server *s)
{
    if (!s)
        return;
    s->link.ops->close(&s->link);
    yk_playout_free(&s->commands);
    yk_playout_free(&s->said_of);
    free(s);
}
