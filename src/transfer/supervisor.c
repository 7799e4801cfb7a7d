/* The supervisor at work: events change the state, the state selects the source of the commands, limits check every
 * command and every reading. docs/safety.md.
 *
 * All times and rates are in wall time, as the actuator experiences them: tick_s is the wall time between two exchanges
 * with the rig, independent of the time of the test.
 *
 * Ramps follow s(x) = 10 x^3 - 15 x^4 + 6 x^5: at rest at both ends, without a jump of the acceleration. The steepest
 * slope is 15/8, so a ramp over the distance d keeps to a rate r when it takes at least 15 d/(8 r). */
#include "transfer/supervisor.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STEEPEST     (15.0 / 8.0)
#define RATE_MARGIN  0.9               /* of a limit of rate, for the supervisor's own ramps */
#define STRONGEST    5.773502691896258 /* 10/sqrt(3): the largest second derivative of a ramp */
#define QUICKEST_S   0.2               /* of a ramp for which no duration is given, and of one that is shortened */
#define MOVING_S     2e-3 /* longest tick of the supervisor's own ramps, unless the control period is longer */
#define SETTLE_S     1.0  /* for an actuator to arrive after the start ramp */
#define ARRIVED      0.01 /* of limits.position_error */
#define NEAR         1e-3 /* of its way: what is not a position has arrived */
#define INEXACT      0.05 /* of its way: an actuator without its controller need not be exact */
#define HELD_S       0.5  /* a hold that is shorter, or of fewer ticks, may end before the actuator has come to rest */
#define HELD_TICKS   50
#define MOVES        0.01 /* of the largest motion so far: the command has moved while a reading repeats itself */
#define SMOOTH_TICKS 8.0  /* of a velocity that the damping of an estimate is multiplied by */
#define NO_ACTUATOR  SIZE_MAX

/* ---- settings ---- */

#define X(id, key, words, unit, type_, quantity_, fallback_, most, action_, help_)                                     \
    {.name = (key),                                                                                                    \
     .type = YK_PARAM_##type_,                                                                                         \
     .offset = offsetof(struct yk_limits, limit[YK_LIMIT_##id]),                                                       \
     .quantity = (quantity_),                                                                                          \
     .fallback = (fallback_),                                                                                          \
     .max = (most),                                                                                                    \
     .help = (help_)},
const struct yk_param yk_limits_params[] = {
    YK_LIMIT_LIST(X)
    /* and what happens then */
    YK_CHOICE(struct yk_limits, on_trip, YK_ACTION_CHOICES, YK_ACTION_RAMP,
              "what the actuators do after a trip, for limits without their own `action`; the run ends"),
    YK_REAL(struct yk_limits, start_ramp, YK_TIME, 2, 0, 1e5,
            "duration of the ramp from the measured position to the initial displacement; 0: 0.2 s; no ramp if the "
            "actuators are already there. All ramps are in wall time, and longer if `command_rate`, `velocity` or "
            "`acceleration` require it"),
    YK_REAL(struct yk_limits, end_ramp, YK_TIME, 1, 0, 1e5,
            "duration of the ramp back to the first position after a run; 0: no ramp"),
    YK_REAL(struct yk_limits, trip_ramp, YK_TIME, 1, 0, 1e5, "duration of the ramp of the action `ramp`"),
    YK_COUNT(struct yk_limits, window, 8, 1, YK_WINDOW, "ticks over which velocity and acceleration are averaged"),
    YK_NODE("actuators", "map of actuator to limits", 0,
            "limits of single actuators (displacement to implausible_force), which override the common ones; in rad "
            "and N m for rotary actuators, in N for actuators commanded by force"),
    YK_NODE("sensors", "map of sensor to limit", 0,
            "limits of sensors of the rig, of the absolute reading and in the unit of the sensor, or { limit: ..., "
            "action: ... }"),
    YK_PARAM_END,
};
#undef X

struct yk_limits yk_limits_defaults(void)
{
    static const int own[YK_LIMITS] = {
#define X(id, key, words, unit, type, quantity, fallback, most, action, help) [YK_LIMIT_##id] = (action),
        YK_LIMIT_LIST(X)
#undef X
#define X(id, key, words, action) [YK_LIMIT_##id] = (action),
            YK_FAULT_LIST(X)
#undef X
    };
    struct yk_limits limits = {0};

    yk_param_defaults(yk_limits_params, &limits);
    memcpy(limits.action, own, sizeof limits.action);
    return limits;
}

/* The action of a limit. A fault without a setting stops in any case. */
YK_RT enum yk_action yk_supervisor_action(const struct yk_supervisor *s, enum yk_limit_kind kind)
{
    const struct yk_limits *l = &s->limits;
    const int action = l->action[kind] >= 0 ? l->action[kind] : l->on_trip;

    return kind >= YK_LIMIT_BAD_READING && action == YK_ACTION_WARN ? YK_ACTION_HOLD : (enum yk_action)action;
}

YK_RT double yk_supervisor_limit(const struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator)
{
    const double own =
        actuator < s->count && (int)kind < YK_LIMITS_OF_ONE ? s->supervised[actuator].own.limit[kind] : 0;

    return own == 0 ? s->limits.limit[kind] : fmax(own, 0);
}

/* ---- the quantity of the command ---- */

/* What was measured last of it. */
YK_RT static double measured(const struct yk_supervised *g)
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

/* The command that keeps an actuator where it is. */
YK_RT static bool stands_at_zero(const struct yk_supervised *g)
{
    return g->own.kind == YK_BY_VELOCITY || g->own.kind == YK_BY_ACCELERATION;
}

YK_RT static double standing(const struct yk_supervised *g)
{
    return stands_at_zero(g) ? 0 : g->sent;
}

/* ---- time ---- */

struct yk_tick yk_tick_of(double control_period_s, double scale)
{
    const double followed_s = control_period_s * scale;

    return (struct yk_tick){followed_s, fmin(followed_s, fmax(control_period_s, MOVING_S))};
}

YK_RT bool yk_supervisor_chained(const struct yk_supervisor *s)
{
    return yk_supervisor_follows(s) || s->state == YK_STATE_PAUSED;
}

/* The tick of the present state. What was counted in ticks keeps its seconds; rates start anew. */
YK_RT static void keep_time(struct yk_supervisor *s)
{
    const double tick_s = yk_supervisor_chained(s) ? s->followed_s : s->moving_s, ratio = s->tick_s / tick_s;

    if (tick_s == s->tick_s)
        return;
    s->tick_s = tick_s;
    s->silent_ticks *= ratio;
    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];

        g->filled = 0;
        for (int k = 0; k < 2; k++)
            g->frozen_ticks[k] = (long)((double)g->frozen_ticks[k] * ratio);
    }
}

/* ---- ramps ---- */

YK_RT static double smooth(double x)
{
    return x * x * x * (10 + x * (6 * x - 15));
}

/* The shortest ramp of an actuator over a way within its limits of rate, velocity and acceleration [s]. */
YK_RT static double shortest(const struct yk_supervisor *s, size_t i, double way)
{
    const double rate = yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i),
                 velocity = yk_supervisor_limit(s, YK_LIMIT_VELOCITY, i),
                 acceleration = yk_supervisor_limit(s, YK_LIMIT_ACCELERATION, i);
    const bool moves = s->supervised[i].own.kind == YK_BY_DISPLACEMENT; /* what is ramped is a way */
    double duration_s = 0;

    if (rate > 0)
        duration_s = STEEPEST * way / (RATE_MARGIN * rate);
    if (moves && velocity > 0)
        duration_s = fmax(duration_s, STEEPEST * way / (RATE_MARGIN * velocity));
    if (moves && acceleration > 0)
        duration_s = fmax(duration_s, sqrt(STRONGEST * way / (RATE_MARGIN * acceleration)));
    return duration_s;
}

/* Ticks of a ramp of all actuators to their `to`, no faster than the limits allow; none where all stand there. */
YK_RT static long count_ramp(const struct yk_supervisor *s, double duration_s)
{
    double farthest = 0;

    for (size_t i = 0; i < s->count; i++) {
        const double way = fabs(s->supervised[i].to - s->supervised[i].sent);

        farthest = fmax(farthest, way);
        duration_s = fmax(duration_s, shortest(s, i, way));
    }
    return farthest > 0 ? (long)ceil(duration_s / s->moving_s) : 0;
}

YK_RT static void begin_ramp(struct yk_supervisor *s, double duration_s)
{
    s->ramp_tick = 0;
    s->ramp_ticks = count_ramp(s, duration_s);
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].from = s->supervised[i].sent;
}

/* What is left of a ramp, in the shortest time that the limits allow. */
YK_RT static void hurry(struct yk_supervisor *s)
{
    if (count_ramp(s, QUICKEST_S) < s->ramp_ticks - s->ramp_tick)
        begin_ramp(s, QUICKEST_S);
}

YK_RT static void stand_still(struct yk_supervisor *s)
{
    s->ramp_tick = s->ramp_ticks = 0;
}

/* Home; where no time is given for it the actuators stay. */
YK_RT static void go_home(struct yk_supervisor *s, double duration_s)
{
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].to = duration_s > 0 ? s->supervised[i].home : standing(&s->supervised[i]);
    begin_ramp(s, duration_s);
}

YK_RT static void go_to_start(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].to = s->supervised[i].start;
    begin_ramp(s, s->limits.start_ramp > 0 ? s->limits.start_ramp : QUICKEST_S);
    s->ramp_tick -= s->ramp_ticks > 0; /* the first command of all is where they stand */
}

/* A hold begins. */
YK_RT static void note_hold(struct yk_supervisor *s)
{
    s->held_ticks = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->supervised[i].held_at = measured(&s->supervised[i]);
        s->supervised[i].held_sent = s->supervised[i].sent;
    }
}

/* ---- states ---- */

YK_RT static void enter(struct yk_supervisor *s, enum yk_entry entry)
{
    s->one_step = entry == YK_ENTRY_FOLLOW_ONE || (entry == YK_ENTRY_NONE && s->one_step);
    keep_time(s);
    switch (entry) {
    case YK_ENTRY_NONE:
        break;
    case YK_ENTRY_TO_START:
        go_to_start(s);
        break;
    case YK_ENTRY_TO_HOME:
        go_home(s, s->limits.end_ramp);
        break;
    case YK_ENTRY_HURRY:
        hurry(s);
        break;
    case YK_ENTRY_SAFE:
        s->cut = s->trip.action == YK_ACTION_CUT;
        if (s->trip.action == YK_ACTION_RAMP)
            go_home(s, s->limits.trip_ramp);
        else
            stand_still(s);
        break;
    case YK_ENTRY_HOLD:
        note_hold(s);
        stand_still(s);
        break;
    case YK_ENTRY_FOLLOW:
    case YK_ENTRY_FOLLOW_ONE:
        stand_still(s);
        break;
    }
}

YK_RT static bool dispatch(struct yk_supervisor *s, enum yk_event event)
{
    const struct yk_transition t = yk_transitions[s->state][event];
    const bool changes = t.next != s->state;

    s->state = t.next;
    enter(s, t.entry);
    return changes;
}

YK_RT bool yk_supervisor_moves(const struct yk_supervisor *s)
{
    return s->ramp_tick < s->ramp_ticks;
}

YK_RT bool yk_supervisor_event(struct yk_supervisor *s, enum yk_event event)
{
    const bool changed = dispatch(s, event);

    /* a ramp without a way is at its end */
    if (changed && yk_state_sources[s->state] == YK_SOURCE_RAMPED && !yk_supervisor_moves(s))
        dispatch(s, YK_EVENT_REACHED);
    return changed;
}

YK_RT bool yk_supervisor_follows(const struct yk_supervisor *s)
{
    return yk_state_sources[s->state] == YK_SOURCE_FOLLOWED;
}

YK_RT static void warn(struct yk_supervisor *s, const struct yk_trip *trip)
{
    if (s->warnings++ == 0)
        s->warning = *trip;
}

/* Words for a trip, as far as there is room. */
YK_RT static void keep_words(char *to, size_t size, const char *words)
{
    size_t i = 0;

    for (; words && words[i] && i + 1 < size; i++)
        to[i] = words[i];
    to[i] = 0;
}

/* Warns, or trips; true where it trips. */
YK_RT static bool take_trip(struct yk_supervisor *s, const struct yk_trip *trip)
{
    if (trip->action == YK_ACTION_WARN) {
        warn(s, trip);
        return false;
    }
    if (!s->trip.tripped) {
        s->trip = *trip;
        dispatch(s, YK_EVENT_TRIP);
    } else if (trip->action == YK_ACTION_CUT && !s->cut) { /* the first cause stays, the drive goes */
        s->cut = true;
        stand_still(s);
    }
    return true;
}

YK_RT bool yk_supervisor_raise(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double value)
{
    struct yk_trip trip = {.tripped = true,
                           .kind = kind,
                           .action = yk_supervisor_action(s, kind),
                           .actuator = actuator,
                           .value = value,
                           .limit = yk_supervisor_limit(s, kind, actuator),
                           .turns = actuator < s->count && s->supervised[actuator].own.turns,
                           .command = actuator < s->count ? s->supervised[actuator].own.kind : YK_BY_DISPLACEMENT,
                           .tick = s->tick,
                           .finding =
                               actuator < s->count ? s->supervised[actuator].finding : (struct yk_force_finding){0}};

    if (kind == YK_LIMIT_RIG_LOST || kind == YK_LIMIT_RIG_REFUSED)
        keep_words(trip.words, sizeof trip.words, s->reason);
    return take_trip(s, &trip);
}

/* ---- commands ---- */

/* Is the limit set, and is x beyond it? NaN is. */
YK_RT static void check(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double x)
{
    const double limit = yk_supervisor_limit(s, kind, actuator);

    if (limit > 0 && !(fabs(x) <= limit))
        yk_supervisor_raise(s, kind, actuator, x);
}

/* What a method wants, before any of it is sent. */
YK_RT static void watch_commands(struct yk_supervisor *s, const double *commands)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(commands[i])) {
            yk_supervisor_raise(s, YK_LIMIT_BAD_COMMAND, i, commands[i]);
            continue;
        }
        check(s, limit_of_command(&s->supervised[i]), i, commands[i]);
        check(s, YK_LIMIT_COMMAND_RATE, i, (commands[i] - s->supervised[i].sent) / s->tick_s);
    }
}

/* Was an actuator moved while it was held, by hand or by a drive that had let go? It may come to where it was sent, and
 * go with the command. */
YK_RT static void watch_hold(struct yk_supervisor *s)
{
    const bool long_enough = (double)s->held_ticks * s->tick_s >= HELD_S && s->held_ticks >= HELD_TICKS;

    s->held_ticks = 0;
    for (size_t i = 0; long_enough && i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];
        const double limit = yk_supervisor_limit(s, YK_LIMIT_POSITION_ERROR, i), x = measured(g),
                     due = fabs(g->held_sent - g->held_at) + fabs(g->sent - g->held_sent);

        if (limit > 0 && fabs(x - g->held_at) > limit + due)
            yk_supervisor_raise(s, YK_LIMIT_POSITION_ERROR, i, x - g->held_at);
    }
}

YK_RT void yk_supervisor_hold(struct yk_supervisor *s)
{
    if (!yk_supervisor_follows(s))
        return;
    if (s->held_ticks == 0)
        note_hold(s);
    s->held_ticks++;
    s->holding = true;
}

/* Within the limits of displacement and rate, whoever asks. An actuator that was found further out does not jump to the
 * limit: it goes no further. */
YK_RT static double clip(const struct yk_supervisor *s, size_t i, double x)
{
    const struct yk_supervised *g = &s->supervised[i];
    const double limit = yk_supervisor_limit(s, limit_of_command(g), i),
                 most = limit > 0 ? fmax(limit, fabs(g->sent)) : 0,
                 step = yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i) * s->tick_s;

    if (!isfinite(x))
        return g->sent;
    if (most > 0 && fabs(x) > most)
        x = copysign(most, x);
    if (step > 0 && fabs(x - g->sent) > step)
        x = g->sent + copysign(step, x - g->sent);
    return x;
}

YK_RT static double on_ramp(const struct yk_supervisor *s, const struct yk_supervised *g)
{
    if (s->ramp_tick >= s->ramp_ticks)
        return s->ramp_ticks ? g->to : standing(g);
    return g->from + smooth((double)s->ramp_tick / (double)s->ramp_ticks) * (g->to - g->from);
}

YK_RT bool yk_supervisor_commands(struct yk_supervisor *s, const double *commands, double *sent)
{
    if (yk_supervisor_follows(s) && s->held_ticks > 0 && !s->holding)
        watch_hold(s);
    s->holding = false;
    if (yk_supervisor_follows(s))
        watch_commands(s, commands);
    const enum yk_source source = yk_state_sources[s->state];
    const bool follows = source == YK_SOURCE_FOLLOWED, moves = yk_supervisor_moves(s);

    if (source == YK_SOURCE_NOTHING || s->cut)
        return false;
    s->ramp_tick += moves;
    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];

        sent[i] = g->sent = clip(s, i, follows ? commands[i] : moves ? on_ramp(s, g) : standing(g));
        g->reach = fmax(g->reach, fabs(g->sent - g->home));
    }
    return true;
}

YK_RT void yk_supervisor_keep(struct yk_supervisor *s, const double *commands)
{
    if (s->state == YK_STATE_PAUSED) {
        s->held_ticks++;
        watch_commands(s, commands);
    }
    for (size_t i = 0; s->state == YK_STATE_PAUSED && i < s->count; i++)
        s->supervised[i].sent = clip(s, i, stands_at_zero(&s->supervised[i]) ? 0 : commands[i]);
}

/* ---- readings ---- */

/* The reading of `ago` ticks before. */
YK_RT static double past(const struct yk_supervised *g, int ago)
{
    const int most = 2 * YK_WINDOW + 1;

    return g->past[(g->newest + most - ago) % most];
}

/* Velocity and acceleration over one and two windows of w ticks: (x0 - x1)/(w h), (x0 - 2 x1 + x2)/(w h)^2. */
YK_RT static void watch_motion(struct yk_supervisor *s, size_t i, double x)
{
    struct yk_supervised *g = &s->supervised[i];
    const int w = s->limits.window;
    const double span = w * s->tick_s;

    g->newest = (g->newest + 1) % (2 * YK_WINDOW + 1);
    g->past[g->newest] = x;
    g->filled += g->filled < 2 * w + 1;
    if (g->filled > w)
        check(s, YK_LIMIT_VELOCITY, i, (x - past(g, w)) / span);
    if (g->filled > 2 * w)
        check(s, YK_LIMIT_ACCELERATION, i, (x - 2 * past(g, w) + past(g, 2 * w)) / (span * span));
}

/* A reading that repeats itself to the last bit while the command moves. */
YK_RT static void watch_frozen(struct yk_supervisor *s, size_t i, int which, bool same)
{
    static const enum yk_limit_kind kinds[] = {YK_LIMIT_SENSOR_FROZEN, YK_LIMIT_FORCE_FROZEN};
    struct yk_supervised *g = &s->supervised[i];
    const double moved = fabs(g->sent - g->frozen_from[which]);

    if (!same) {
        g->frozen_ticks[which] = 0;
        g->frozen_from[which] = g->sent;
        return;
    }
    g->frozen_ticks[which]++;
    if (moved > MOVES * g->reach)
        check(s, kinds[which], i, (double)g->frozen_ticks[which] * s->tick_s);
}

YK_RT static void watch_reading(struct yk_supervisor *s, size_t i, double target, const struct yk_reading *r)
{
    struct yk_supervised *g = &s->supervised[i];

    check(s, YK_LIMIT_FORCE, i, r->force);
    check(s, YK_LIMIT_SENSOR_RANGE, i, r->displacement);
    watch_motion(s, i, r->displacement);
    g->speed += ((r->displacement - g->last.displacement) / s->tick_s - g->speed) / SMOOTH_TICKS;
    watch_frozen(s, i, 0, r->displacement == g->last.displacement);
    watch_frozen(s, i, 1, r->force == g->last.force);
    check(s, YK_LIMIT_TRACKING_ERROR, i, (yk_supervisor_follows(s) ? target : g->sent) - yk_reading_of(r, g->own.kind));
    if (g->own.kind != YK_BY_DISPLACEMENT) {
        check(s, YK_LIMIT_DISPLACEMENT, i, r->displacement);
        return;
    }
    if (yk_supervisor_follows(s) && yk_supervisor_limit(s, YK_LIMIT_ENERGY_ERROR, i) > 0)
        check(s, YK_LIMIT_ENERGY_ERROR, i, yk_energy_monitor_step(&g->energy, target, r->displacement, r->force));
}

/* What the load cell of actuator i should read; false: that is not known. */
YK_RT static bool expect_force(const struct yk_supervisor *s, size_t i, const struct yk_reading *readings,
                               double *force)
{
    const struct yk_force_estimate *e = &s->supervised[i].estimate;
    bool sensed = !e->felt;

    *force = 0;
    for (size_t j = 0; j < e->count; j++) {
        const struct yk_reading *r = &readings[e->first + j];

        *force += e->stiffness[j] * r->displacement + e->mass[j] * r->acceleration;
        if (e->damped)
            *force += e->damping[j] * s->supervised[e->first + j].speed;
        sensed |= r->acceleration != 0; /* rigs without accelerometer read zero */
    }
    return e->count > 0 && sensed;
}

/* Half cycles in which the force cannot be right. A force that has not responded yet may be that of a specimen with a
 * gap: where this only warns, it is left to the end of the run (yk_supervisor_conclude). */
YK_RT static void watch_plausibility(struct yk_supervisor *s, size_t i, double expected, const struct yk_reading *r)
{
    struct yk_supervised *g = &s->supervised[i];
    const double limit = yk_supervisor_limit(s, YK_LIMIT_IMPLAUSIBLE_FORCE, i);
    const long wrong = yk_force_monitor_step(&g->plausible, expected, r->displacement, r->force);
    const bool waits = g->plausible.finding.verdict == YK_FORCE_CONSTANT && !g->plausible.alive &&
                       yk_supervisor_action(s, YK_LIMIT_IMPLAUSIBLE_FORCE) == YK_ACTION_WARN;

    if (!(limit > 0) || (double)wrong < limit || waits || g->finding.verdict)
        return;
    g->finding = g->plausible.finding;
    yk_supervisor_raise(s, YK_LIMIT_IMPLAUSIBLE_FORCE, i, (double)wrong);
}

YK_RT static void watch_forces(struct yk_supervisor *s, const struct yk_reading *readings)
{
    double expected;

    for (size_t i = 0; i < s->count; i++)
        if (s->supervised[i].own.kind == YK_BY_DISPLACEMENT && expect_force(s, i, readings, &expected))
            watch_plausibility(s, i, expected, &readings[i]);
}

void yk_supervisor_conclude(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];
        struct yk_force_monitor *m = &g->plausible;
        const double limit = yk_supervisor_limit(s, YK_LIMIT_IMPLAUSIBLE_FORCE, i);
        const bool dead = m->finding.verdict == YK_FORCE_CONSTANT && (double)m->finding.half_cycles >= limit;

        if (!(limit > 0) || !m->started || g->finding.verdict || !(dead || yk_force_monitor_ran_reversed(m)))
            continue;
        g->finding = m->finding;
        warn(s, &(struct yk_trip){.tripped = true,
                                  .kind = YK_LIMIT_IMPLAUSIBLE_FORCE,
                                  .action = YK_ACTION_WARN,
                                  .actuator = i,
                                  .value = (double)m->finding.half_cycles,
                                  .limit = limit,
                                  .turns = g->own.turns,
                                  .tick = s->tick,
                                  .finding = m->finding});
    }
}

/* Readings that were not renewed: for how long by now? What is derived from them starts anew afterwards. */
YK_RT static void watch_silence(struct yk_supervisor *s, enum yk_rig_answer answer)
{
    if (answer == YK_RIG_FRESH) {
        s->silent_ticks = 0;
        return;
    }
    s->silent_ticks += fmax(1, s->waited_s / s->tick_s); /* a rig in lock-step keeps the exchange waiting */
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].filled = 0;
    if (answer == YK_RIG_LOST)
        yk_supervisor_raise(s, YK_LIMIT_RIG_LOST, NO_ACTUATOR, 0);
    if (answer == YK_RIG_REFUSED)
        yk_supervisor_raise(s, YK_LIMIT_RIG_REFUSED, NO_ACTUATOR, 0);
    check(s, YK_LIMIT_PEER_SILENCE, NO_ACTUATOR, s->silent_ticks * s->tick_s);
}

/* After the start ramp a run waits for its actuators to arrive, for a while. One that does not follow would jump later,
 * and a controller that finds it still on its way would give it a kick. */
YK_RT static bool has_arrived(struct yk_supervisor *s)
{
    const bool in_time = (double)s->settling_ticks * s->tick_s < SETTLE_S;

    for (size_t i = 0; s->state == YK_STATE_STARTING && i < s->count; i++) {
        const struct yk_supervised *g = &s->supervised[i];
        const double limit = yk_supervisor_limit(s, YK_LIMIT_POSITION_ERROR, i), off = measured(g) - g->sent,
                     near = g->own.kind == YK_BY_DISPLACEMENT ? ARRIVED * limit : NEAR * fabs(g->to - g->from);

        if (in_time && fabs(off) > near) {
            s->settling_ticks++;
            return false;
        }
        if (limit > 0 && fabs(off) > limit + INEXACT * fabs(g->to - g->from))
            yk_supervisor_raise(s, YK_LIMIT_POSITION_ERROR, i, off);
    }
    return !s->trip.tripped;
}

/* ---- sensors and lines of the rig ---- */

YK_RT static void watch_sensor(struct yk_supervisor *s, const struct yk_sensor_limit *sensor, double value)
{
    struct yk_trip trip = {.tripped = true,
                           .kind = YK_LIMIT_SENSOR,
                           .action = sensor->action >= 0 ? (enum yk_action)sensor->action
                                                         : yk_supervisor_action(s, YK_LIMIT_SENSOR),
                           .actuator = NO_ACTUATOR,
                           .value = value,
                           .limit = sensor->limit,
                           .tick = s->tick};

    if (!(sensor->limit > 0) || fabs(value) <= sensor->limit)
        return;
    keep_words(trip.words, sizeof trip.words, sensor->name);
    keep_words(trip.unit, sizeof trip.unit, sensor->unit);
    take_trip(s, &trip);
}

YK_RT void yk_supervisor_inputs(struct yk_supervisor *s, const double *sensors, uint32_t lines)
{
    static const enum yk_limit_kind kinds[YK_LINE_ROLES] = {
        [YK_LINE_INTERLOCK] = YK_LIMIT_INTERLOCK, [YK_LINE_EMERGENCY_STOP] = YK_LIMIT_EMERGENCY_STOP};

    for (size_t k = 0; k < s->line_count; k++) {
        const struct yk_rig_line *line = &s->lines[k];
        const bool level = lines >> k & 1;
        struct yk_trip trip = {.tripped = true,
                               .kind = kinds[line->role],
                               .action = yk_supervisor_action(s, kinds[line->role]),
                               .actuator = NO_ACTUATOR,
                               .tick = s->tick};

        if (!kinds[line->role] || level != line->inverted)
            continue;
        keep_words(trip.words, sizeof trip.words, line->name);
        take_trip(s, &trip);
    }
    for (size_t k = 0; k < s->sensor_count; k++)
        watch_sensor(s, &s->sensors[k], sensors[k]);
}

YK_RT uint32_t yk_supervisor_lines(const struct yk_supervisor *s)
{
    const enum yk_source source = yk_state_sources[s->state];
    const bool on[YK_LINE_ROLES] = {
        [YK_LINE_ENABLE] = s->state != YK_STATE_IDLE && s->state != YK_STATE_DONE && !s->cut,
        [YK_LINE_RUN_LAMP] = source == YK_SOURCE_FOLLOWED || source == YK_SOURCE_RAMPED ||
                             (source == YK_SOURCE_SAFE && yk_supervisor_moves(s)),
        [YK_LINE_WARNING_LAMP] = s->warnings > 0 || s->state == YK_STATE_PAUSED,
        [YK_LINE_TRIP_LAMP] = s->state == YK_STATE_TRIPPED,
    };
    uint32_t levels = 0;

    for (size_t k = 0; k < s->line_count; k++)
        if (yk_line_is_output(s->lines[k].role) && on[s->lines[k].role] != s->lines[k].inverted)
            levels |= UINT32_C(1) << k;
    return levels;
}

YK_RT void yk_supervisor_readings(struct yk_supervisor *s, enum yk_rig_answer answer, const double *targets,
                                  struct yk_reading *readings)
{
    watch_silence(s, answer);
    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];
        struct yk_reading *r = &readings[i];

        if (!isfinite(r->displacement) || !isfinite(r->force) || !isfinite(r->acceleration) || !isfinite(r->velocity)) {
            yk_supervisor_raise(s, YK_LIMIT_BAD_READING, i, isfinite(r->force) ? r->displacement : r->force);
            *r = g->last;
        } else if (answer == YK_RIG_FRESH) {
            watch_reading(s, i, targets[i], r);
        }
        g->last = *r;
    }
    if (answer == YK_RIG_FRESH && yk_supervisor_follows(s))
        watch_forces(s, readings);
    s->tick++;
    if (yk_state_sources[s->state] == YK_SOURCE_RAMPED && !yk_supervisor_moves(s) && has_arrived(s))
        dispatch(s, YK_EVENT_REACHED);
}

YK_RT void yk_supervisor_deadline(struct yk_supervisor *s, bool missed)
{
    const double *limit = s->limits.limit;

    s->missed += missed;
    s->missed_in_a_row = missed ? s->missed_in_a_row + 1 : 0;
    if (!yk_supervisor_chained(s)) /* a ramp that is late takes longer, and must not be left half-way for that */
        return;
    if (missed && limit[YK_LIMIT_MISSED_DEADLINES] > 0 &&
        (double)s->missed_in_a_row >= limit[YK_LIMIT_MISSED_DEADLINES])
        yk_supervisor_raise(s, YK_LIMIT_MISSED_DEADLINES, NO_ACTUATOR, (double)s->missed_in_a_row);
    if (missed && limit[YK_LIMIT_MISSED_TOTAL] > 0 && (double)s->missed >= limit[YK_LIMIT_MISSED_TOTAL])
        yk_supervisor_raise(s, YK_LIMIT_MISSED_TOTAL, NO_ACTUATOR, (double)s->missed);
}

/* ---- preparation and words ---- */

void yk_supervisor_init(struct yk_supervisor *s, const struct yk_limits *limits, struct yk_supervised *supervised,
                        size_t count, struct yk_tick tick)
{
    *s = (struct yk_supervisor){.limits = *limits,
                                .supervised = supervised,
                                .count = count,
                                .tick_s = tick.moving_s,
                                .followed_s = tick.followed_s,
                                .moving_s = tick.moving_s};
}

void yk_supervisor_watch(struct yk_supervisor *s, const struct yk_sensor_limit *sensors, size_t sensor_count,
                         const struct yk_rig_line *lines, size_t line_count)
{
    s->sensors = sensors;
    s->sensor_count = sensor_count;
    s->lines = lines;
    s->line_count = line_count;
}

YK_RT void yk_supervisor_rest(struct yk_supervisor *s, const double *start, const double *home,
                              const struct yk_reading *readings)
{
    const struct yk_supervisor before = *s;

    yk_supervisor_init(s, &before.limits, s->supervised, s->count, (struct yk_tick){s->followed_s, s->moving_s});
    yk_supervisor_watch(s, before.sensors, before.sensor_count, before.lines, before.line_count);
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i] = (struct yk_supervised){
            .own = s->supervised[i].own,
            .estimate = s->supervised[i].estimate,
            .plausible = {.alone = s->supervised[i].estimate.count == 1 && !s->supervised[i].estimate.felt},
            .home = home[i],
            .start = start[i],
            .sent = home[i],
            .to = home[i],
            .frozen_from = {home[i], home[i]},
            .last = readings[i]};
}

YK_RT bool yk_supervisor_stands(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        check(s, limit_of_command(&s->supervised[i]), i, s->supervised[i].sent);
    return !s->trip.tripped;
}

static const struct {
    const char *key, *words, *unit;
} kinds[YK_LIMITS] = {
#define X(id, key, words, unit, type, quantity, fallback, most, action, help) [YK_LIMIT_##id] = {key, words, unit},
    YK_LIMIT_LIST(X)
#undef X
#define X(id, key, words, action) [YK_LIMIT_##id] = {key, words, ""},
        YK_FAULT_LIST(X)
#undef X
};

const char *yk_limit_key(enum yk_limit_kind kind)
{
    return kinds[kind].key;
}

const char *yk_limit_words(enum yk_limit_kind kind)
{
    return kinds[kind].words;
}

const char *yk_action_text(enum yk_action action)
{
    static const char *const actions[YK_ACTIONS] = {"hold", "ramp", "cut", "warn"};

    return actions[action];
}

/* What an actuator that turns has in the place of m and N. */
static const char *turned(const char *unit)
{
    static const char *const units[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"m/s2", "rad/s2"},
                                           {"N", "N m"}, {"N/s", "N m/s"}, {"m/s3", "rad/s3"}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i][0]) == 0)
            return units[i][1];
    return unit;
}

/* What is counted in the quantity of the command has its unit. */
const char *yk_limit_unit(enum yk_limit_kind kind, enum yk_command_kind command, bool turns)
{
    static const char *const units[YK_COMMAND_KINDS][2] = {[YK_BY_DISPLACEMENT] = {"m", "m/s"},
                                                           [YK_BY_VELOCITY] = {"m/s", "m/s2"},
                                                           [YK_BY_ACCELERATION] = {"m/s2", "m/s3"},
                                                           [YK_BY_FORCE] = {"N", "N/s"}};

    const char *unit = kinds[kind].unit;

    if (kind == YK_LIMIT_COMMAND_RATE)
        unit = units[command][1];
    if (kind == YK_LIMIT_POSITION_ERROR || kind == YK_LIMIT_TRACKING_ERROR)
        unit = units[command][0];
    return turns ? turned(unit) : unit;
}

void yk_force_finding_text(const struct yk_force_finding *f, const char *actuator, bool turns, char *text, size_t size)
{
    const char *unit = turns ? "N m" : "N";

    snprintf(text, size, "%s", "");
    if (f->verdict == YK_FORCE_REVERSED)
        snprintf(text, size,
                 "force of %s has the wrong sign: it acts in the direction of motion (%.3g times what the estimate "
                 "expects); check the polarity of the load cell, or the inertia that it measures",
                 actuator, f->seen);
    if (f->verdict == YK_FORCE_CONSTANT)
        snprintf(text, size,
                 "force of %s does not change: it stays within %.3g %s while the estimate expects %.3g %s; check the "
                 "load cell and its cable",
                 actuator, f->seen, unit, f->expected, unit);
    if (f->verdict == YK_FORCE_CLIPPED)
        snprintf(text, size,
                 "force of %s stays at %.6g %s while the motion continues and reverses; check the range of the load "
                 "cell and its amplifier",
                 actuator, f->seen, unit);
}

void yk_trip_text(const struct yk_trip *trip, const char *const *names, char *text, size_t size)
{
    const char *words = kinds[trip->kind].words, *space = *kinds[trip->kind].unit ? " " : "",
               *unit = yk_limit_unit(trip->kind, trip->command, trip->turns);
    const bool of_one = trip->actuator != NO_ACTUATOR;

    if (!trip->tripped)
        snprintf(text, size, "%s", "");
    else if (trip->kind == YK_LIMIT_IMPLAUSIBLE_FORCE)
        yk_force_finding_text(&trip->finding, names[trip->actuator], trip->turns, text, size);
    else if (trip->kind == YK_LIMIT_SENSOR)
        snprintf(text, size, "%s, %g%s%s, passed its limit of %g%s%s", trip->words, trip->value, *trip->unit ? " " : "",
                 trip->unit, trip->limit, *trip->unit ? " " : "", trip->unit);
    else if (*trip->words)
        snprintf(text, size, "%s: %s", words, trip->words);
    else if (trip->kind >= YK_LIMIT_BAD_READING)
        snprintf(text, size, "%s%s%s", words, of_one ? " of " : "", of_one ? names[trip->actuator] : "");
    else
        snprintf(text, size, "%s%s%s, %g%s%s, passed its limit of %g%s%s", words, of_one ? " of " : "",
                 of_one ? names[trip->actuator] : "", trip->value, space, unit, trip->limit, space, unit);
}
