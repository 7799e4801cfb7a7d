/* The supervisor at work: events change the state, the state selects the source of the commands, and limits check every
 * command; supervisor_watch.c checks the readings. docs/safety.md.
 *
 * All times and rates are in wall time, as the actuator experiences them: tick_s is the wall time between two exchanges
 * with the rig, independent of the time of the test.
 *
 * Ramps follow s(x) = 10 x^3 - 15 x^4 + 6 x^5: at rest at both ends, without a jump of the acceleration. The steepest
 * slope is 15/8, so a ramp over the distance d keeps to a rate r when it takes at least 15 d/(8 r). */
#include "transfer/supervisor_parts.h"

#include "transfer/place.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define LONGEST_TICKS  1e15 /* of a ramp: what no number of ticks holds would be none at all, and its end at once */
#define RATE_MARGIN    0.9  /* of a limit of rate, for the supervisor's own ramps */
#define STRONGEST      5.773502691896258 /* 10/sqrt(3): the largest second derivative of a ramp */
#define QUICKEST_S     0.2               /* of a ramp for which no duration is given, and of one that is shortened */
#define HELD_S         0.5 /* a hold that is shorter, or of fewer ticks, may end before the actuator has come to rest */
#define HELD_TICKS     50
#define HOLDING        6.283185307179586 /* rad/s: with which a place is held by velocities or accelerations */
#define STOPPING_S     2.0  /* after which little is left of the motion that is stopped so: 1 + 12.6 e^-12.6 */
#define STILL          1e-6 /* m/s, m/s2 */
#define RELATIVE_ERROR 0.5  /* limits.relative_error by itself */
#define FROZEN_S       0.5  /* limits.sensor_frozen likewise */
#define SOON_TICKS     16   /* after a tick without a new reading: a trip may come from it */

/* The action of a limit. A fault without a setting stops in any case. */
YK_RT enum yk_action yk_supervisor_action(const struct yk_supervisor *s, enum yk_limit_kind kind)
{
    const struct yk_limits *l = &s->limits;
    const int safe = s->time.measured ? YK_ACTION_HOLD : YK_ACTION_RAMP, action = l->action[kind] >= 0 ? l->action[kind]
                                                                                  : l->on_trip >= 0    ? l->on_trip
                                                                                                       : safe;

    if (action == YK_ACTION_RAMP && s->time.measured && yk_supervisor_is_silence(kind))
        return YK_ACTION_HOLD; /* nobody knows which commands of a ramp arrive */
    return kind >= YK_LIMIT_BAD_READING && action == YK_ACTION_WARN ? YK_ACTION_HOLD : (enum yk_action)action;
}

/* Default limits of an actuator that is commanded by displacement on a rig that is not simulated. */
YK_RT double yk_supervisor_default_limit(const struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator)
{
    const bool has = s->time.measured && actuator < s->count && s->supervised[actuator].own.kind == YK_BY_DISPLACEMENT;

    return !has ? 0 : kind == YK_LIMIT_RELATIVE_ERROR ? RELATIVE_ERROR : kind == YK_LIMIT_SENSOR_FROZEN ? FROZEN_S : 0;
}

/* ---- the quantity of the command ---- */

/* The last reading of this quantity. */
YK_RT double yk_supervised_measured(const struct yk_supervised *g)
{
    return yk_reading_of(&g->last, g->own.kind);
}

/* The limit that a command is clipped to. */
YK_RT static enum yk_limit_kind limit_of_command(const struct yk_supervised *g)
{
    static const enum yk_limit_kind kinds[YK_COMMAND_KINDS] = {[YK_BY_DISPLACEMENT] = YK_LIMIT_DISPLACEMENT,
                                                               [YK_BY_VELOCITY] = YK_LIMIT_VELOCITY,
                                                               [YK_BY_ACCELERATION] = YK_LIMIT_ACCELERATION,
                                                               [YK_BY_FORCE] = YK_LIMIT_FORCE};

    return kinds[g->own.kind];
}

/* Position of an actuator for holds and ramps: its displacement if it is commanded by a rate, otherwise its command. */
YK_RT static double position(const struct yk_supervised *g)
{
    return yk_command_is_rate(g->own.kind) ? g->last.displacement : g->sent;
}

/* The command that keeps an actuator where it is. */
YK_RT static double standing(const struct yk_supervised *g)
{
    const struct yk_kept_place at = {.x = g->to};

    return yk_command_is_rate(g->own.kind) ? yk_place_hold(g->own.kind, &at, &g->last, g->speed, HOLDING) : g->asked;
}

/* An actuator that is commanded by a rate has to come to rest first. */
YK_RT static bool must_stop(const struct yk_supervised *g)
{
    return yk_command_is_rate(g->own.kind) && (fabs(g->speed) > STILL || fabs(g->sent) > STILL);
}

YK_RT bool yk_supervisor_chained(const struct yk_supervisor *s)
{
    return yk_supervisor_follows(s) || s->state == YK_STATE_PAUSED;
}

/* ---- ramps ---- */

YK_RT double yk_ramp_shape(double x)
{
    return x * x * x * (10 + x * (6 * x - 15));
}

YK_RT double yk_supervisor_shortest(const struct yk_supervisor *s, size_t i, double way)
{
    const double rate = yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i),
                 velocity = yk_supervisor_limit(s, YK_LIMIT_VELOCITY, i),
                 acceleration = yk_supervisor_limit(s, YK_LIMIT_ACCELERATION, i);
    const enum yk_command_kind kind = s->supervised[i].own.kind;
    const bool moves = kind != YK_BY_FORCE; /* the ramp is a displacement */
    double duration_s = 0;

    if (rate > 0 && !yk_command_is_rate(kind))
        duration_s = YK_RAMP_SLOPE * way / (RATE_MARGIN * rate);
    if (moves && velocity > 0)
        duration_s = fmax(duration_s, YK_RAMP_SLOPE * way / (RATE_MARGIN * velocity));
    if (moves && acceleration > 0)
        duration_s = fmax(duration_s, sqrt(STRONGEST * way / (RATE_MARGIN * acceleration)));
    return duration_s;
}

/* Ticks of a ramp of all actuators to their `to`, no faster than the limits allow; none where all stand there. */
YK_RT static long count_ramp(const struct yk_supervisor *s, double duration_s)
{
    double farthest = 0;

    for (size_t i = 0; i < s->count; i++) {
        const double way = fabs(s->supervised[i].to - position(&s->supervised[i]));

        farthest = fmax(farthest, way);
        duration_s = fmax(duration_s, yk_supervisor_shortest(s, i, way));
        if (must_stop(&s->supervised[i])) {
            farthest = fmax(farthest, STILL);
            duration_s = fmax(duration_s, STOPPING_S);
        }
    }
    return farthest > 0 ? (long)fmin(ceil(duration_s / s->moving_s), LONGEST_TICKS) : 0;
}

YK_RT static void begin_ramp(struct yk_supervisor *s, double duration_s)
{
    s->ramp_tick = 0;
    s->ramp_ticks = count_ramp(s, duration_s);
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].from = position(&s->supervised[i]);
}

YK_RT static void stand_still(struct yk_supervisor *s)
{
    s->ramp_tick = 0;
    s->ramp_ticks = 0;
    s->braking = false;
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].to = position(&s->supervised[i]);
}

/* They stay where they are: at once, or as soon as a rate allows. */
YK_RT static void stay(struct yk_supervisor *s)
{
    stand_still(s);
    begin_ramp(s, 0);
}

YK_RT static void go_home(struct yk_supervisor *s, double duration_s)
{
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].to = s->supervised[i].home;
    begin_ramp(s, duration_s);
}

YK_RT static void go_to_start(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].to = s->supervised[i].start;
    begin_ramp(s, s->limits.start_ramp > 0 ? s->limits.start_ramp : QUICKEST_S);
    s->ramp_tick -= s->ramp_ticks > 0; /* the first command of all is where they stand */
}

/* Stops the actuators with a bounded deceleration; then ramps home in `home_s`, or stays if that is 0. */
YK_RT static void stop_and(struct yk_supervisor *s, double home_s)
{
    s->home_s = home_s;
    stand_still(s);
    s->braking = !s->off && yk_supervisor_brake(s);
    if (s->braking)
        return;
    if (home_s > 0)
        go_home(s, home_s);
    else
        stay(s);
}

/* Makes the rest of a ramp in the shortest time that the limits allow. */
YK_RT static void hurry(struct yk_supervisor *s)
{
    if (s->braking)
        s->home_s = fmin(s->home_s, QUICKEST_S);
    else if ((double)count_ramp(s, QUICKEST_S) < (double)s->ramp_ticks - s->ramp_tick)
        s->home_s > 0 ? stop_and(s, QUICKEST_S) : begin_ramp(s, QUICKEST_S);
}

/* A hold begins. */
YK_RT static void note_hold(struct yk_supervisor *s)
{
    s->held_ticks = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->supervised[i].held_at = yk_supervised_measured(&s->supervised[i]);
        s->supervised[i].held_sent = s->supervised[i].sent;
    }
}

/* ---- states ---- */

/* Takes the sent command as the asked one, unless it is still being led there. */
YK_RT static void take_sent(struct yk_supervisor *s, bool meets)
{
    const bool unheard = yk_supervisor_is_unheard(s);

    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];

        if (g->apart && meets)
            continue;
        g->apart = false;
        g->asked = g->sent;
        g->rate = unheard ? 0 : g->rate;
    }
}

YK_RT static void enter(struct yk_supervisor *s, enum yk_entry entry)
{
    s->one_step = entry == YK_ENTRY_FOLLOW_ONE || (entry == YK_ENTRY_NONE && s->one_step);
    yk_supervisor_keep_time(s);
    if (s->switches && entry != YK_ENTRY_NONE && entry != YK_ENTRY_HOLD && entry != YK_ENTRY_FOLLOW &&
        entry != YK_ENTRY_FOLLOW_ONE)
        yk_supervisor_withdraw_modes(s);
    if (entry != YK_ENTRY_NONE)
        take_sent(s, entry == YK_ENTRY_HOLD || entry == YK_ENTRY_FOLLOW || entry == YK_ENTRY_FOLLOW_ONE);
    switch (entry) {
    case YK_ENTRY_NONE:
        break;
    case YK_ENTRY_TO_START:
        go_to_start(s);
        break;
    case YK_ENTRY_TO_HOME:
        stop_and(s, s->limits.end_ramp);
        break;
    case YK_ENTRY_HURRY:
        hurry(s);
        break;
    case YK_ENTRY_SAFE:
        s->cut = s->trip.action == YK_ACTION_CUT;
        if (s->cut)
            stand_still(s);
        else
            stop_and(s, s->trip.action == YK_ACTION_RAMP && !s->off ? s->limits.trip_ramp : 0);
        break;
    case YK_ENTRY_HOLD:
        note_hold(s);
        stand_still(s);
        yk_supervisor_part(s);
        break;
    case YK_ENTRY_FOLLOW:
    case YK_ENTRY_FOLLOW_ONE:
        stand_still(s);
        break;
    }
}

YK_RT bool yk_supervisor_dispatch(struct yk_supervisor *s, enum yk_event event)
{
    const struct yk_transition t = yk_transitions[s->state][event];
    const bool changes = t.next != s->state, resumes = s->state == YK_STATE_PAUSED && t.next == YK_STATE_RUNNING;

    s->state = t.next;
    enter(s, t.entry);
    if (resumes)
        yk_supervisor_part(s);
    return changes;
}

YK_RT bool yk_supervisor_event(struct yk_supervisor *s, enum yk_event event)
{
    const bool changed = yk_supervisor_dispatch(s, event);

    if (event == YK_EVENT_RESUME) /* during a single step: no pause after it */
        s->one_step = false;
    /* a ramp without a way is at its end */
    if (changed && yk_state_sources[s->state] == YK_SOURCE_RAMPED && !yk_supervisor_moves(s))
        yk_supervisor_dispatch(s, YK_EVENT_REACHED);
    return changed;
}

YK_RT void yk_supervisor_warn(struct yk_supervisor *s, const struct yk_trip *trip)
{
    if (s->warnings++ == 0)
        s->warning = *trip;
}

/* Words for a trip, as far as there is room. */
YK_RT void yk_keep_words(char *to, size_t size, const char *words)
{
    size_t i = 0;

    for (; words && words[i] && i + 1 < size; i++)
        to[i] = words[i];
    to[i] = 0;
}

/* Warns, or trips; true where it trips. */
YK_RT bool yk_supervisor_take_trip(struct yk_supervisor *s, const struct yk_trip *trip)
{
    if (trip->action == YK_ACTION_WARN) {
        yk_supervisor_warn(s, trip);
        return false;
    }
    if (!s->trip.tripped) {
        s->trip = *trip;
        yk_supervisor_dispatch(s, YK_EVENT_TRIP);
    } else if (trip->action == YK_ACTION_CUT && !s->cut) { /* the first cause stays, the drive goes */
        s->cut = true;
        stand_still(s);
    } else if (yk_supervisor_stops_ramp(s, trip)) {
        s->second = *trip;
        take_sent(s, false);
        stop_and(s, 0);
    }
    return true;
}

/* Ticks without a new reading that a trip of this tick may come from. */
YK_RT static long unread_before(const struct yk_supervisor *s, enum yk_limit_kind kind)
{
    const bool says_it = kind == YK_LIMIT_PEER_SILENCE || kind == YK_LIMIT_RIG_LOST || kind == YK_LIMIT_RIG_REFUSED;

    return !says_it && s->unread > 0 && s->tick - s->unread_tick <= SOON_TICKS ? s->unread : 0;
}

YK_RT bool yk_supervisor_raise(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double value)
{
    return yk_supervisor_raise_beyond(s, kind, actuator, value, yk_supervisor_limit(s, kind, actuator));
}

/* Stiffness of the estimated specimen at this actuator; 0: there is no estimate. */
YK_RT static double expected_stiffness(const struct yk_supervisor *s, size_t actuator)
{
    const struct yk_force_estimate *e = &s->supervised[actuator].estimate;

    return e->count && actuator >= e->first && actuator < e->first + e->count ? e->stiffness[actuator - e->first] : 0;
}

YK_RT bool yk_supervisor_raise_beyond(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double value,
                                      double limit)
{
    struct yk_trip trip = {.tripped = true,
                           .kind = kind,
                           .action = yk_supervisor_action(s, kind),
                           .actuator = actuator,
                           .value = value,
                           .limit = limit,
                           .turns = actuator < s->count && s->supervised[actuator].own.turns,
                           .command = actuator < s->count ? s->supervised[actuator].own.kind : YK_BY_DISPLACEMENT,
                           .tick = s->tick,
                           .unread = unread_before(s, kind),
                           .finding =
                               actuator < s->count ? s->supervised[actuator].finding : (struct yk_force_finding){0}};

    if (kind == YK_LIMIT_RELATIVE_ERROR && actuator < s->count)
        trip.gain = s->supervised[actuator].follow.product / s->supervised[actuator].follow.motion2;
    if (kind == YK_LIMIT_PASSIVE_BOUND) {
        trip.gain = expected_stiffness(s, actuator) > 0 ? value / expected_stiffness(s, actuator) : 0;
        trip.action = YK_ACTION_WARN;
        yk_supervisor_warn(s, &trip);
        return false;
    }
    if (kind == YK_LIMIT_RIG_LOST || kind == YK_LIMIT_RIG_REFUSED)
        yk_keep_words(trip.words, sizeof trip.words, s->reason);
    return yk_supervisor_take_trip(s, &trip);
}

YK_RT void yk_supervisor_remark(struct yk_supervisor *s, const char *words)
{
    struct yk_trip trip = {
        .tripped = true, .kind = YK_LIMIT_RIG_WARNS, .action = YK_ACTION_WARN, .actuator = SIZE_MAX, .tick = s->tick};

    yk_keep_words(trip.words, sizeof trip.words, words);
    yk_supervisor_warn(s, &trip);
}

/* ---- commands ---- */

/* Checks the commands of the method before any of them is sent. */
YK_RT static void watch_commands(struct yk_supervisor *s, const double *commands)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(commands[i])) {
            yk_supervisor_raise(s, YK_LIMIT_BAD_COMMAND, i, commands[i]);
            continue;
        }
        const double rate = (commands[i] - s->supervised[i].asked) / s->tick_s;

        yk_supervisor_check(s, limit_of_command(&s->supervised[i]), i, yk_supervisor_rests_at(s, i, commands[i], rate));
        yk_supervisor_check(s, YK_LIMIT_COMMAND_RATE, i, rate);
        const double within = yk_supervisor_within_travel(s, i, commands[i]);

        if (within != commands[i])
            yk_supervisor_raise_beyond(s, YK_LIMIT_DISPLACEMENT, i, commands[i], within);
    }
}

/* Was an actuator moved while it was held, by hand or by a drive that had let go? It may come to where it was sent, and
 * go with the command. */
YK_RT static void watch_hold(struct yk_supervisor *s)
{
    const bool long_enough = s->held_ticks * s->tick_s >= HELD_S && s->held_ticks >= HELD_TICKS;

    s->held_ticks = 0;
    for (size_t i = 0; long_enough && i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];
        const double limit = yk_supervisor_limit(s, YK_LIMIT_POSITION_ERROR, i), x = yk_supervised_measured(g),
                     due = fabs(g->held_sent - g->held_at) + fabs(g->sent - g->held_sent);

        if (limit > 0 && !yk_command_is_rate(g->own.kind) && fabs(x - g->held_at) > limit + due)
            yk_supervisor_raise(s, YK_LIMIT_POSITION_ERROR, i, x - g->held_at);
    }
}

YK_RT static void end_hold(struct yk_supervisor *s)
{
    watch_hold(s);
    yk_supervisor_part(s);
}

YK_RT void yk_supervisor_hold(struct yk_supervisor *s)
{
    if (!yk_supervisor_follows(s))
        return;
    if (s->held_ticks == 0) {
        note_hold(s);
        stand_still(s);
        yk_supervisor_part(s);
    }
    s->held_ticks += s->time.passed;
    s->holding = true;
}

/* Within the limits of displacement and rate from the command `from` on, whoever asks. An actuator that was found
 * further out does not jump to the limit: it goes no further. */
YK_RT static double clip(const struct yk_supervisor *s, size_t i, double x, double from, double ticks)
{
    const double limit = yk_supervisor_limit(s, limit_of_command(&s->supervised[i]), i),
                 most = limit > 0 && limit < fabs(from) ? fabs(from) : limit,
                 rate = yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i), step = rate * s->tick_s * ticks;

    if (!isfinite(x))
        return from;
    if (most > 0 && fabs(x) > most)
        x = copysign(most, x);
    x = yk_supervisor_within_travel(s, i, x);
    if (rate > 0 && fabs(x - from) > step)
        x = from + copysign(step, x - from);
    return x;
}

/* Sends x, as far as the time since the last command allows: a beat that comes early after a late one must not make the
 * actuator faster than its limit. It catches up later; the rate of the asked command is checked over the full tick. */
YK_RT static void send(struct yk_supervisor *s, size_t i, double x, double ticks)
{
    struct yk_supervised *g = &s->supervised[i];

    const double before = g->asked, from = g->sent, passed = yk_supervisor_advance(s), h = passed * s->tick_s;

    g->asked = clip(s, i, x, before, ticks);
    const double rate = ticks > 0 ? (g->asked - before) / (ticks * s->tick_s) : g->rate,
                 wanted = g->apart ? yk_supervisor_meet(s, i, rate, h) : g->asked,
                 allowed = s->time.measured || g->apart ? clip(s, i, wanted, from, passed) : wanted;

    g->rate = g->apart ? g->rate : rate;
    g->sent = s->time.measured ? yk_supervisor_within_reach(s, i, allowed, from) : allowed;
    if (g->sent == allowed)
        return;
    g->rate = h > 0 ? (g->sent - from) / h : 0;
    if (yk_supervisor_is_unheard(s)) /* after a short silence it catches up as after a late beat */
        yk_supervisor_part_one(s, i);
}

/* The last rate of a ramp is zero: a rig that hears nothing more stands. */
YK_RT static double on_ramp(const struct yk_supervisor *s, const struct yk_supervised *g)
{
    const bool rate = yk_command_is_rate(g->own.kind);

    if (s->ramp_tick >= (double)s->ramp_ticks)
        return !s->ramp_ticks ? standing(g) : rate ? 0 : g->to;
    const double x = fmax(s->ramp_tick, 0) / (double)s->ramp_ticks, way = g->to - g->from,
                 T = (double)s->ramp_ticks * s->tick_s, place = g->from + yk_ramp_shape(x) * way;
    if (!rate)
        return place;
    const struct yk_kept_place at = {place, 30 * x * x * (1 - x) * (1 - x) * way / T,
                                     60 * x * (1 - x) * (1 - 2 * x) * way / (T * T)};
    return yk_place_hold(g->own.kind, &at, &g->last, g->speed, HOLDING);
}

/* The motion has ended: at home, or where it was stopped. */
YK_RT static void move_on(struct yk_supervisor *s)
{
    s->braking = false;
    if (s->home_s > 0)
        go_home(s, s->home_s);
    else
        stay(s);
}

YK_RT static void brake(struct yk_supervisor *s, size_t i)
{
    const double ticks = yk_supervisor_advance(s), x = yk_supervisor_braked(s, i, ticks * s->tick_s),
                 rate = s->supervised[i].rate;

    send(s, i, x, ticks);
    s->supervised[i].rate = rate; /* at the end of the tick, not its mean */
}

/* Is a motion of the supervisor under way? One that nobody hears waits, and is given up in the end: the actuators stay
 * where the last command that has arrived has led them. */
YK_RT static bool await_rig(struct yk_supervisor *s)
{
    const bool ends = s->state == YK_STATE_RAMPING || s->state == YK_STATE_TRIPPED;

    if (!yk_supervisor_moves(s) || !yk_supervisor_is_unheard(s))
        return yk_supervisor_moves(s);
    if (s->braking || (ends && yk_supervisor_gives_up(s))) {
        take_sent(s, false);
        yk_supervisor_gives_up(s) ? stay(s) : move_on(s);
    }
    return yk_supervisor_moves(s);
}

YK_RT bool yk_supervisor_commands(struct yk_supervisor *s, const double *commands, double *sent)
{
    yk_supervisor_count_command(s);
    yk_supervisor_step_plc(s);
    if (yk_supervisor_follows(s) && s->held_ticks > 0 && !s->holding)
        end_hold(s);
    const bool holds = s->holding;

    s->holding = false;
    if (yk_supervisor_follows(s))
        watch_commands(s, commands);
    const enum yk_source source = yk_state_sources[s->state];

    if (source == YK_SOURCE_NOTHING || s->cut)
        return false;
    if (s->braking && !yk_supervisor_is_braking(s))
        move_on(s);
    const bool follows = source == YK_SOURCE_FOLLOWED, moves = await_rig(s);

    if (moves && !s->braking && !yk_supervisor_is_unheard(s))
        s->ramp_tick += yk_supervisor_advance(s);
    bool moved = !holds; /* the console moves actuators that no method follows */
    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];
        const double before = g->sent;

        const bool followed =
            follows && !(holds && yk_command_is_rate(g->own.kind)); /* a rate held would be a motion */

        if (followed)
            send(s, i, commands[i], 1);
        else if (s->braking && g->own.kind == YK_BY_DISPLACEMENT)
            brake(s, i);
        else
            send(s, i, moves ? on_ramp(s, g) : standing(g), yk_supervisor_advance(s));
        sent[i] = g->sent;
        moved |= g->sent != before;
        const double reach = fabs(position(g) - g->home);

        g->reach = reach > g->reach ? reach : g->reach;
    }
    if (s->switches)
        yk_supervisor_follow_modes(s);
    yk_supervisor_share_ahead(s, source == YK_SOURCE_RAMPED || (follows && moved));
    return true;
}

YK_RT void yk_supervisor_keep(struct yk_supervisor *s, const double *commands)
{
    if (s->state == YK_STATE_PAUSED) {
        s->held_ticks += s->time.passed;
        watch_commands(s, commands);
    }
    for (size_t i = 0; s->state == YK_STATE_PAUSED && i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];

        if (!yk_command_is_rate(g->own.kind)) /* sent by yk_supervisor_commands */
            g->asked = clip(s, i, commands[i], g->asked, 1);
    }
}

/* ---- preparation ---- */

void yk_supervisor_init(struct yk_supervisor *s, const struct yk_limits *limits, struct yk_supervised *supervised,
                        size_t count, struct yk_tick tick)
{
    *s = (struct yk_supervisor){.limits = *limits,
                                .supervised = supervised,
                                .count = count,
                                .tick_s = tick.moving_s,
                                .followed_s = tick.followed_s,
                                .moving_s = tick.moving_s,
                                .time = {.passed = 1, .between = 1}};
}

void yk_supervisor_watch(struct yk_supervisor *s, const struct yk_sensor_limit *sensors, size_t sensor_count,
                         const struct yk_rig_line *lines, size_t line_count)
{
    s->sensors = sensors;
    s->sensor_count = sensor_count;
    s->lines = lines;
    s->line_count = line_count;
    yk_plc_init(&s->plc, lines, line_count);
}

YK_RT void yk_supervisor_rest(struct yk_supervisor *s, const double *start, const double *home,
                              const struct yk_reading *readings)
{
    const struct yk_supervisor before = *s;

    yk_supervisor_init(s, &before.limits, s->supervised, s->count, (struct yk_tick){s->followed_s, s->moving_s});
    yk_supervisor_watch(s, before.sensors, before.sensor_count, before.lines, before.line_count);
    s->switches = before.switches;
    s->by_hand = before.by_hand;
    s->full = before.full;
    s->plc = before.plc;
    s->plc.starts = false;
    if (before.trip.tripped)
        yk_plc_reset(&s->plc);
    if (before.time.measured)
        yk_supervisor_measure(s, before.time.clock);
    for (size_t i = 0; s->switches && i < s->count; i++)
        if (s->supervised[i].second.on) /* drives are enabled in their first mode */
            s->supervised[i].own = s->supervised[i].second.limits[0];
    for (size_t i = 0; i < s->count; i++) {
        const bool rate = yk_command_is_rate(s->supervised[i].own.kind);
        const double at = rate ? readings[i].displacement : home[i];

        s->supervised[i] = (struct yk_supervised){
            .own = s->supervised[i].own,
            .estimate = s->supervised[i].estimate,
            .second = s->supervised[i].second,
            .plausible = {.alone = s->supervised[i].estimate.count == 1 && !s->supervised[i].estimate.felt},
            .home = at,
            .begin = s->supervised[i].begin,
            .start = start[i],
            .sent = rate ? 0 : at,
            .asked = rate ? 0 : at,
            .heard = rate ? 0 : at,
            .to = at,
            .frozen_from = {home[i], home[i]},
            .last = readings[i]};
    }
    if (s->switches)
        yk_supervisor_rest_modes(s);
}

YK_RT bool yk_supervisor_stands(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        yk_supervisor_check(s, limit_of_command(&s->supervised[i]), i, s->supervised[i].sent);
    return !s->trip.tripped;
}
