/* The supervisor at work: events move the state, the state says where commands come from, limits watch every command
 * and every reading. docs/safety.md.
 *
 * Ramps follow s(x) = 10 x^3 - 15 x^4 + 6 x^5: at rest at both ends, without a jump of the acceleration. The steepest
 * slope is 15/8, so a ramp over the distance d keeps to a rate r when it takes at least 15 d/(8 r). */
#include <yoke/supervisor.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STEEPEST    (15.0 / 8.0)
#define RATE_MARGIN 0.9  /* of a limit of rate, for the supervisor's own ramps */
#define MOVES       0.01 /* of the largest motion so far: the command has moved while a reading repeats itself */
#define NO_ACTUATOR SIZE_MAX

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
              "what the actuators do when a limit trips, where it has no `action` of its own; the run ends"),
    YK_REAL(struct yk_limits, start_ramp, YK_TIME, 0, 0, 1e5,
            "from where the actuators stand to the initial displacement; 0: they stand there"),
    YK_REAL(struct yk_limits, end_ramp, YK_TIME, 1, 0, 1e5, "back to where they stood, after a run; 0: they stay"),
    YK_REAL(struct yk_limits, trip_ramp, YK_TIME, 1, 0, 1e5, "of the action `ramp`; longer where `command_rate` asks"),
    YK_COUNT(struct yk_limits, window, 8, 1, YK_WINDOW, "ticks over which velocity and acceleration are measured"),
    YK_NODE("actuators", "map of actuator to limits", 0,
            "of one actuator, displacement to force_frozen, in the place of those for all; in rad and N m where it "
            "turns"),
    YK_PARAM_END,
};
#undef X

struct yk_limits yk_limits_defaults(void)
{
    static const int own[YK_LIMITS] = {
#define X(id, key, words, unit, type, quantity, fallback, most, action, help) [YK_LIMIT_##id] = (action),
        YK_LIMIT_LIST(X)
#undef X
#define X(id, key, words) [YK_LIMIT_##id] = -1,
            YK_FAULT_LIST(X)
#undef X
    };
    struct yk_limits limits = {0};

    yk_param_defaults(yk_limits_params, &limits);
    memcpy(limits.action, own, sizeof limits.action);
    return limits;
}

/* The action of a limit. A fault without a setting stops in any case. */
YK_RT static enum yk_action action_of(const struct yk_limits *l, enum yk_limit_kind kind)
{
    const int action = l->action[kind] >= 0 ? l->action[kind] : l->on_trip;

    return kind >= YK_LIMIT_BAD_READING && action == YK_ACTION_WARN ? YK_ACTION_HOLD : (enum yk_action)action;
}

YK_RT double yk_supervisor_limit(const struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator)
{
    const double own = actuator < s->count && (int)kind < YK_LIMITS_OF_ONE ? s->guards[actuator].own.limit[kind] : 0;

    return own == 0 ? s->limits.limit[kind] : fmax(own, 0);
}

/* ---- ramps ---- */

YK_RT static double smooth(double x)
{
    return x * x * x * (10 + x * (6 * x - 15));
}

/* Begins a ramp of all actuators to their `to`, no faster than the limit of rate allows; none where all stand there. */
YK_RT static void begin_ramp(struct yk_supervisor *s, double duration_s)
{
    double farthest = 0;

    for (size_t i = 0; i < s->count; i++) {
        const double rate = RATE_MARGIN * yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i);
        struct yk_guard *g = &s->guards[i];

        g->from = g->sent;
        farthest = fmax(farthest, fabs(g->to - g->from));
        if (rate > 0)
            duration_s = fmax(duration_s, STEEPEST * fabs(g->to - g->from) / rate);
    }
    s->ramp_tick = 0;
    s->ramp_ticks = farthest > 0 ? (long)ceil(duration_s / s->tick_s) : 0;
}

YK_RT static void stand_still(struct yk_supervisor *s)
{
    s->ramp_tick = s->ramp_ticks = 0;
}

/* Home; where no time is given for it the actuators stay. */
YK_RT static void go_home(struct yk_supervisor *s, double duration_s)
{
    for (size_t i = 0; i < s->count; i++)
        s->guards[i].to = duration_s > 0 ? s->guards[i].home : s->guards[i].sent;
    begin_ramp(s, duration_s);
}

YK_RT static void go_to_start(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->guards[i].to = s->guards[i].start;
    begin_ramp(s, s->limits.start_ramp);
}

/* ---- states ---- */

YK_RT static void enter(struct yk_supervisor *s, enum yk_entry entry)
{
    s->one_step = entry == YK_ENTRY_FOLLOW_ONE || (entry == YK_ENTRY_NONE && s->one_step);
    switch (entry) {
    case YK_ENTRY_NONE:
        break;
    case YK_ENTRY_TO_START:
        go_to_start(s);
        break;
    case YK_ENTRY_TO_HOME:
        go_home(s, s->limits.end_ramp);
        break;
    case YK_ENTRY_SAFE:
        s->cut = s->trip.action == YK_ACTION_CUT;
        if (s->trip.action == YK_ACTION_RAMP)
            go_home(s, s->limits.trip_ramp);
        else
            stand_still(s);
        break;
    case YK_ENTRY_HOLD:
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

YK_RT bool yk_supervisor_raise(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double value)
{
    const struct yk_trip trip = {.tripped = true,
                                 .kind = kind,
                                 .action = action_of(&s->limits, kind),
                                 .actuator = actuator,
                                 .value = value,
                                 .limit = yk_supervisor_limit(s, kind, actuator),
                                 .turns = actuator < s->count && s->guards[actuator].own.turns,
                                 .tick = s->tick};

    if (trip.action == YK_ACTION_WARN) {
        if (s->warnings++ == 0)
            s->warning = trip;
        return false;
    }
    if (!s->trip.tripped) {
        s->trip = trip;
        dispatch(s, YK_EVENT_TRIP);
    } else if (trip.action == YK_ACTION_CUT && !s->cut) { /* the first cause stays, the drive goes */
        s->cut = true;
        stand_still(s);
    }
    return true;
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
YK_RT static void watch_commands(struct yk_supervisor *s, const double *wanted)
{
    for (size_t i = 0; i < s->count; i++) {
        if (!isfinite(wanted[i])) {
            yk_supervisor_raise(s, YK_LIMIT_BAD_COMMAND, i, wanted[i]);
            continue;
        }
        check(s, YK_LIMIT_DISPLACEMENT, i, wanted[i]);
        check(s, YK_LIMIT_COMMAND_RATE, i, (wanted[i] - s->guards[i].sent) / s->tick_s);
    }
}

/* Within the limits of displacement and rate, whoever asks. An actuator that was found further out does not jump to the
 * limit: it goes no further. */
YK_RT static double clip(const struct yk_supervisor *s, size_t i, double x)
{
    const struct yk_guard *g = &s->guards[i];
    const double limit = yk_supervisor_limit(s, YK_LIMIT_DISPLACEMENT, i),
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

YK_RT static double on_ramp(const struct yk_supervisor *s, const struct yk_guard *g)
{
    if (s->ramp_tick >= s->ramp_ticks)
        return s->ramp_ticks ? g->to : g->sent;
    return g->from + smooth((double)s->ramp_tick / (double)s->ramp_ticks) * (g->to - g->from);
}

YK_RT bool yk_supervisor_commands(struct yk_supervisor *s, const double *wanted, double *sent)
{
    if (yk_supervisor_follows(s))
        watch_commands(s, wanted);
    const enum yk_source source = yk_state_sources[s->state];
    const bool follows = source == YK_SOURCE_FOLLOWED, moves = yk_supervisor_moves(s);

    if (source == YK_SOURCE_NOTHING || s->cut)
        return false;
    s->ramp_tick += moves;
    for (size_t i = 0; i < s->count; i++) {
        struct yk_guard *g = &s->guards[i];

        sent[i] = g->sent = clip(s, i, follows ? wanted[i] : moves ? on_ramp(s, g) : g->sent);
        g->reach = fmax(g->reach, fabs(g->sent - g->home));
    }
    return true;
}

YK_RT void yk_supervisor_keep(struct yk_supervisor *s, const double *wanted)
{
    if (s->state == YK_STATE_PAUSED)
        watch_commands(s, wanted);
    for (size_t i = 0; s->state == YK_STATE_PAUSED && i < s->count; i++)
        s->guards[i].sent = clip(s, i, wanted[i]);
}

/* ---- readings ---- */

/* The reading of `ago` ticks before. */
YK_RT static double past(const struct yk_guard *g, int ago)
{
    const int most = 2 * YK_WINDOW + 1;

    return g->past[(g->newest + most - ago) % most];
}

/* Velocity and acceleration over one and two windows of w ticks: (x0 - x1)/(w h), (x0 - 2 x1 + x2)/(w h)^2. */
YK_RT static void watch_motion(struct yk_supervisor *s, size_t i, double x)
{
    struct yk_guard *g = &s->guards[i];
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
    struct yk_guard *g = &s->guards[i];
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

YK_RT static void watch_reading(struct yk_supervisor *s, size_t i, double desired, const struct yk_reading *r)
{
    struct yk_guard *g = &s->guards[i];

    check(s, YK_LIMIT_FORCE, i, r->force);
    check(s, YK_LIMIT_SENSOR_RANGE, i, r->displacement);
    watch_motion(s, i, r->displacement);
    watch_frozen(s, i, 0, r->displacement == g->last.displacement);
    watch_frozen(s, i, 1, r->force == g->last.force);
    check(s, YK_LIMIT_TRACKING_ERROR, i, (yk_supervisor_follows(s) ? desired : g->sent) - r->displacement);
    if (yk_supervisor_follows(s) && yk_supervisor_limit(s, YK_LIMIT_ENERGY_ERROR, i) > 0)
        check(s, YK_LIMIT_ENERGY_ERROR, i, yk_energy_monitor_step(&g->energy, desired, r->displacement, r->force));
}

/* Readings that were not renewed: for how long by now? What is derived from them starts anew afterwards. */
YK_RT static void watch_silence(struct yk_supervisor *s, enum yk_rig_answer answer)
{
    if (answer == YK_RIG_FRESH) {
        s->silent_ticks = 0;
        return;
    }
    s->silent_ticks++;
    for (size_t i = 0; i < s->count; i++)
        s->guards[i].filled = 0;
    if (answer == YK_RIG_LOST)
        yk_supervisor_raise(s, YK_LIMIT_RIG_LOST, NO_ACTUATOR, 0);
    check(s, YK_LIMIT_PEER_SILENCE, NO_ACTUATOR, (double)s->silent_ticks * s->tick_s);
}

YK_RT void yk_supervisor_readings(struct yk_supervisor *s, enum yk_rig_answer answer, const double *desired,
                                  struct yk_reading *readings)
{
    watch_silence(s, answer);
    for (size_t i = 0; i < s->count; i++) {
        struct yk_guard *g = &s->guards[i];
        struct yk_reading *r = &readings[i];

        if (!isfinite(r->displacement) || !isfinite(r->force) || !isfinite(r->acceleration)) {
            yk_supervisor_raise(s, YK_LIMIT_BAD_READING, i, isfinite(r->force) ? r->displacement : r->force);
            *r = g->last;
        } else if (answer == YK_RIG_FRESH) {
            watch_reading(s, i, desired[i], r);
        }
        g->last = *r;
    }
    s->tick++;
    if (yk_state_sources[s->state] == YK_SOURCE_RAMPED && !yk_supervisor_moves(s))
        dispatch(s, YK_EVENT_REACHED);
}

YK_RT void yk_supervisor_deadline(struct yk_supervisor *s, bool missed)
{
    const double *limit = s->limits.limit;

    s->missed += missed;
    s->missed_in_a_row = missed ? s->missed_in_a_row + 1 : 0;
    if (missed && limit[YK_LIMIT_MISSED_DEADLINES] > 0 &&
        (double)s->missed_in_a_row >= limit[YK_LIMIT_MISSED_DEADLINES])
        yk_supervisor_raise(s, YK_LIMIT_MISSED_DEADLINES, NO_ACTUATOR, (double)s->missed_in_a_row);
    if (missed && limit[YK_LIMIT_MISSED_TOTAL] > 0 && (double)s->missed >= limit[YK_LIMIT_MISSED_TOTAL])
        yk_supervisor_raise(s, YK_LIMIT_MISSED_TOTAL, NO_ACTUATOR, (double)s->missed);
}

/* ---- set-up and words ---- */

void yk_supervisor_init(struct yk_supervisor *s, const struct yk_limits *limits, struct yk_guard *guards, size_t count,
                        double tick_s)
{
    *s = (struct yk_supervisor){.limits = *limits, .guards = guards, .count = count, .tick_s = tick_s};
}

YK_RT void yk_supervisor_rest(struct yk_supervisor *s, const double *start, const double *home,
                              const struct yk_reading *readings)
{
    const struct yk_limits limits = s->limits;

    *s = (struct yk_supervisor){.limits = limits, .guards = s->guards, .count = s->count, .tick_s = s->tick_s};
    for (size_t i = 0; i < s->count; i++)
        s->guards[i] = (struct yk_guard){.own = s->guards[i].own,
                                         .home = home[i],
                                         .start = start[i],
                                         .sent = home[i],
                                         .to = home[i],
                                         .frozen_from = {home[i], home[i]},
                                         .last = readings[i]};
}

/* Of the first actuator that does not stand where it is believed to; the count of them where all do. */
YK_RT static size_t first_astray(const struct yk_supervisor *s)
{
    size_t i = 0;

    for (; i < s->count; i++) {
        const double limit = yk_supervisor_limit(s, YK_LIMIT_TRACKING_ERROR, i);

        if (limit > 0 && !(fabs(s->guards[i].sent - s->guards[i].last.displacement) <= limit))
            break;
    }
    return i;
}

YK_RT bool yk_supervisor_stands(struct yk_supervisor *s)
{
    const size_t astray = first_astray(s);
    const double by = astray < s->count ? s->guards[astray].sent - s->guards[astray].last.displacement : 0;

    for (size_t i = 0; i < s->count && astray < s->count; i++) { /* to hold them where they are */
        struct yk_guard *g = &s->guards[i];

        if (isfinite(g->last.displacement))
            g->home = g->sent = g->to = g->last.displacement;
    }
    if (astray < s->count)
        yk_supervisor_raise(s, YK_LIMIT_TRACKING_ERROR, astray, by);
    for (size_t i = 0; i < s->count; i++)
        check(s, YK_LIMIT_DISPLACEMENT, i, s->guards[i].sent);
    return !s->trip.tripped;
}

const char *yk_limit_key(enum yk_limit_kind kind)
{
    static const char *const keys[YK_LIMITS] = {
#define X(id, key, ...) [YK_LIMIT_##id] = (key),
        YK_LIMIT_LIST(X) YK_FAULT_LIST(X)
#undef X
    };

    return keys[kind];
}

/* What an actuator that turns has in the place of m and N. */
static const char *turned(const char *unit)
{
    static const char *const units[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"m/s2", "rad/s2"}, {"N", "N m"}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i][0]) == 0)
            return units[i][1];
    return unit;
}

void yk_trip_text(const struct yk_trip *trip, const char *const *names, char *text, size_t size)
{
    static const struct {
        const char *words, *unit;
    } kinds[YK_LIMITS] = {
#define X(id, key, words, unit, type, quantity, fallback, most, action, help) [YK_LIMIT_##id] = {words, unit},
        YK_LIMIT_LIST(X)
#undef X
#define X(id, key, words) [YK_LIMIT_##id] = {words, ""},
            YK_FAULT_LIST(X)
#undef X
    };
    const char *words = kinds[trip->kind].words, *space = *kinds[trip->kind].unit ? " " : "",
               *unit = trip->turns ? turned(kinds[trip->kind].unit) : kinds[trip->kind].unit;
    const bool of_one = trip->actuator != NO_ACTUATOR;

    if (!trip->tripped)
        snprintf(text, size, "%s", "");
    else if (trip->kind >= YK_LIMIT_BAD_READING)
        snprintf(text, size, "%s%s%s", words, of_one ? " of " : "", of_one ? names[trip->actuator] : "");
    else
        snprintf(text, size, "%s%s%s, %g%s%s, passed its limit of %g%s%s", words, of_one ? " of " : "",
                 of_one ? names[trip->actuator] : "", trip->value, space, unit, trip->limit, space, unit);
}
