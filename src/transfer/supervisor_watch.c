/* Checks of the readings: positions and forces of the actuators, their plausibility, sensors and lines of the rig, its
 * silence, deadlines. A value beyond its limit raises a trip. docs/safety.md. */
#include "transfer/supervisor_parts.h"

#include <math.h>
#include <string.h>

#define SETTLE_S     1.0  /* for an actuator to arrive after the start ramp */
#define ARRIVED      0.01 /* of limits.position_error */
#define NEAR         1e-3 /* of its way: for other quantities than displacement */
#define INEXACT      0.05 /* of its way: an actuator without its controller need not be exact */
#define MOVES        0.01 /* of the largest motion so far: the command has moved while a reading repeats itself */
#define RESOLVED     0.1  /* of limits.position_error: every displacement sensor sees it */
#define SMOOTH_TICKS 8.0  /* of a velocity that the damping of an estimate is multiplied by */

/* The place of the reading of `ago` ticks before. */
YK_RT static int past(const struct yk_supervised *g, int ago)
{
    const int most = 2 * YK_WINDOW + 1;

    return (g->newest + most - ago) % most;
}

/* The mean velocity between the readings of `from` and `from + w` ticks before, and its time. */
YK_RT static double velocity(const struct yk_supervisor *s, const struct yk_supervised *g, int from, double *span_s)
{
    const int w = s->limits.window, a = past(g, from), b = past(g, from + w);

    *span_s = yk_supervisor_span_s(s, g->when[a] - g->when[b], w);
    return (g->past[a] - g->past[b]) / *span_s;
}

/* Velocity v1 and acceleration (v1 - v2)/h over one and two windows, h from the middle of one to that of the other. */
YK_RT static void watch_motion(struct yk_supervisor *s, size_t i, double x)
{
    struct yk_supervised *g = &s->supervised[i];
    const int w = s->limits.window;
    double span_s, span_before_s;

    g->newest = (g->newest + 1) % (2 * YK_WINDOW + 1);
    g->past[g->newest] = x;
    g->when[g->newest] = s->time.read;
    g->filled += g->filled < 2 * w + 1;
    if (g->filled <= w ||
        !(yk_supervisor_limit(s, YK_LIMIT_VELOCITY, i) > 0 || yk_supervisor_limit(s, YK_LIMIT_ACCELERATION, i) > 0))
        return;
    const double v = velocity(s, g, 0, &span_s);

    yk_supervisor_check(s, YK_LIMIT_VELOCITY, i, v);
    if (g->filled > 2 * w) {
        const double before = velocity(s, g, w, &span_before_s);

        yk_supervisor_check(s, YK_LIMIT_ACCELERATION, i, (v - before) / (0.5 * (span_s + span_before_s)));
    }
}

/* A reading that repeats itself to the last bit while the command moves. */
YK_RT static void watch_repeated(struct yk_supervisor *s, size_t i, int which)
{
    static const enum yk_limit_kind kinds[] = {YK_LIMIT_SENSOR_FROZEN, YK_LIMIT_FORCE_FROZEN};
    struct yk_supervised *g = &s->supervised[i];
    const double moved = yk_command_is_rate(g->own.kind) ? 0 : fabs(g->sent - g->frozen_from[which]);

    g->frozen_ticks[which] += s->time.between;
    if (moved > fmax(MOVES * g->reach, RESOLVED * yk_supervisor_limit(s, YK_LIMIT_POSITION_ERROR, i)))
        yk_supervisor_check(s, kinds[which], i, g->frozen_ticks[which] * s->tick_s);
}

YK_RT static inline void watch_frozen(struct yk_supervisor *s, size_t i, int which, bool same)
{
    struct yk_supervised *g = &s->supervised[i];

    if (same) {
        watch_repeated(s, i, which);
        return;
    }
    g->frozen_ticks[which] = 0;
    g->frozen_from[which] = g->sent;
}

YK_RT static void watch_reading(struct yk_supervisor *s, size_t i, double target, const struct yk_reading *r)
{
    struct yk_supervised *g = &s->supervised[i];

    yk_supervisor_check(s, YK_LIMIT_FORCE, i, r->force);
    yk_supervisor_check(s, YK_LIMIT_SENSOR_RANGE, i, r->displacement);
    if (!g->homes)
        watch_motion(s, i, r->displacement);
    g->speed += ((r->displacement - g->last.displacement) / yk_supervisor_span_s(s, s->time.between, 1) - g->speed) /
                SMOOTH_TICKS;
    watch_frozen(s, i, 0, r->displacement == g->last.displacement);
    watch_frozen(s, i, 1, r->force == g->last.force);
    const bool aims = yk_supervisor_follows(s) && !g->apart && !g->second.on; /* at a target in its own quantity */
    if (!s->off && !g->homes)
        yk_supervisor_check(s, YK_LIMIT_TRACKING_ERROR, i, (aims ? target : g->sent) - yk_reading_of(r, g->own.kind));
    if (!s->off && !g->homes)
        yk_supervisor_watch_following(s, i, target, r);
    if (g->own.kind != YK_BY_DISPLACEMENT) {
        yk_supervisor_check(s, YK_LIMIT_DISPLACEMENT, i, r->displacement);
        yk_supervisor_watch_travel(s, i, r->displacement);
        return;
    }
    g->energy.swing_work -= g->repaid;
    g->repaid = 0;
    if (yk_supervisor_follows(s) && yk_supervisor_limit(s, YK_LIMIT_ENERGY_ERROR, i) > 0)
        yk_supervisor_check(s, YK_LIMIT_ENERGY_ERROR, i,
                            yk_energy_monitor_step(&g->energy, target, r->displacement, r->force));
}

YK_RT bool yk_supervisor_expects(const struct yk_supervisor *s, size_t i, const struct yk_reading *readings,
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
        if (s->supervised[i].own.kind == YK_BY_DISPLACEMENT && yk_supervisor_expects(s, i, readings, &expected))
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
        yk_supervisor_warn(s, &(struct yk_trip){.tripped = true,
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
    yk_supervisor_count_reading(s, answer);
    if (answer == YK_RIG_FRESH || answer == YK_RIG_REFUSED)
        yk_supervisor_hear(s);
    if (answer == YK_RIG_FRESH)
        return;
    s->unread = s->unread_tick == s->tick - 1 ? s->unread + 1 : 1;
    s->unread_tick = s->tick;
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].filled = 0;
    if (answer == YK_RIG_LOST)
        yk_supervisor_raise(s, YK_LIMIT_RIG_LOST, NO_ACTUATOR, 0);
    if (answer == YK_RIG_REFUSED)
        yk_supervisor_raise(s, YK_LIMIT_RIG_REFUSED, NO_ACTUATOR, 0);
    yk_supervisor_check(s, YK_LIMIT_PEER_SILENCE, NO_ACTUATOR, s->silent_ticks * s->tick_s);
}

/* After the start ramp a run waits for its actuators to arrive, for a while. One that does not follow would jump later,
 * and a controller that finds it still on its way would give it a kick. */
YK_RT static bool has_arrived(struct yk_supervisor *s)
{
    const bool in_time = s->settling_ticks * s->tick_s < SETTLE_S;

    for (size_t i = 0; s->state == YK_STATE_STARTING && i < s->count; i++) {
        const struct yk_supervised *g = &s->supervised[i];
        const double limit = yk_supervisor_limit(s, YK_LIMIT_POSITION_ERROR, i),
                     off = yk_command_is_rate(g->own.kind) ? g->last.displacement - g->to
                                                           : yk_supervised_measured(g) - g->sent,
                     near = g->own.kind == YK_BY_DISPLACEMENT ? ARRIVED * limit : NEAR * fabs(g->to - g->from);

        if (in_time && fabs(off) > near) {
            s->settling_ticks += s->time.passed;
            return false;
        }
        if (limit > 0 && fabs(off) > limit + INEXACT * fabs(g->to - g->from))
            yk_supervisor_raise(s, YK_LIMIT_POSITION_ERROR, i, off);
    }
    return !s->trip.tripped;
}

/* ---- sensors and lines of the rig ---- */

YK_RT bool yk_supervisor_raise_named(struct yk_supervisor *s, enum yk_limit_kind kind, const struct yk_sensor_limit *of,
                                     double value)
{
    struct yk_trip trip = {.tripped = true,
                           .kind = kind,
                           .action = of->action >= 0 ? (enum yk_action)of->action : yk_supervisor_action(s, kind),
                           .actuator = NO_ACTUATOR,
                           .value = value,
                           .limit = of->limit,
                           .tick = s->tick};

    yk_keep_words(trip.words, sizeof trip.words, of->name);
    yk_keep_words(trip.unit, sizeof trip.unit, of->unit);
    return yk_supervisor_take_trip(s, &trip);
}

YK_RT void yk_supervisor_inputs(struct yk_supervisor *s, const double *sensors, uint32_t lines)
{
    static const enum yk_limit_kind kinds[YK_LINE_ROLES] = {
        [YK_LINE_INTERLOCK] = YK_LIMIT_INTERLOCK, [YK_LINE_EMERGENCY_STOP] = YK_LIMIT_EMERGENCY_STOP};

    if (s->line_count + s->sensor_count == 0)
        return;
    yk_supervisor_hear_plc(s, sensors, lines);
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
        yk_keep_words(trip.words, sizeof trip.words, line->name);
        yk_supervisor_take_trip(s, &trip);
    }
    for (size_t k = 0; k < s->sensor_count; k++)
        if (s->sensors[k].limit > 0 && !(fabs(sensors[k]) <= s->sensors[k].limit))
            yk_supervisor_raise_named(s, YK_LIMIT_SENSOR, &s->sensors[k], sensors[k]);
}

YK_RT uint32_t yk_supervisor_lines(const struct yk_supervisor *s)
{
    if (s->line_count == 0)
        return 0;
    const enum yk_source source = yk_state_sources[s->state];
    const bool on[YK_LINE_ROLES] = {
        [YK_LINE_ENABLE] = yk_supervisor_is_enabled(s),
        [YK_LINE_PRESSURE_LOW] = s->plc.ordered >= YK_PRESSURE_LOW && !s->cut,
        [YK_LINE_PRESSURE_HIGH] = s->plc.ordered >= YK_PRESSURE_HIGH && !s->cut,
        [YK_LINE_RUN_LAMP] = source == YK_SOURCE_FOLLOWED || source == YK_SOURCE_RAMPED ||
                             (source == YK_SOURCE_SAFE && yk_supervisor_moves(s)),
        [YK_LINE_WARNING_LAMP] = s->warnings > 0 || s->state == YK_STATE_PAUSED,
        [YK_LINE_TRIP_LAMP] = s->state == YK_STATE_TRIPPED,
    };
    uint32_t levels = 0;

    for (size_t k = 0; k < s->line_count; k++)
        if (yk_line_is_output(s->lines[k].role) && on[s->lines[k].role] != s->lines[k].inverted)
            levels |= UINT32_C(1) << k;
    levels = (levels & ~s->plc.toggles) | s->plc.beats;
    return (levels & ~s->tested) | s->tested_on;
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
        yk_supervisor_dispatch(s, YK_EVENT_REACHED);
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

YK_RT void yk_supervisor_converged(struct yk_supervisor *s, bool converged)
{
    const double limit = s->limits.limit[YK_LIMIT_UNCONVERGED];

    s->unconverged_in_a_row = converged ? 0 : s->unconverged_in_a_row + 1;
    if (!converged && limit > 0 && (double)s->unconverged_in_a_row >= limit)
        yk_supervisor_raise(s, YK_LIMIT_UNCONVERGED, NO_ACTUATOR, (double)s->unconverged_in_a_row);
}
