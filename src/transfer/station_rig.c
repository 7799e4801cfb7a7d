/* The station at its rig: what is sent after the supervisor, and what is read before it. A layer may stand between the
 * two, a tare shifts what is counted, and a simulated reading may come late. */
#include "transfer/station_parts.h"

#include "base/clock.h"

#include <math.h>

/* The rig, or what stands before it. */
YK_RT static const struct yk_rig_ops *rig_ops(const struct yk_station *s)
{
    return s->between.ops ? s->between.ops : s->rig;
}

YK_RT static void *rig_self(const struct yk_station *s)
{
    return s->between.ops ? s->between.self : s->rig_self;
}

enum yk_rig_world yk_station_world(const struct yk_station *s)
{
    const struct yk_between *b = &s->between;
    const enum yk_rig_world rig = yk_rig_world(s->rig, s->rig_self);

    return rig == YK_RIG_COMPUTED && b->ops && b->ops->world ? b->ops->world(b->self) : rig;
}

bool yk_station_simulates(const struct yk_station *s)
{
    return yk_station_world(s) == YK_RIG_COMPUTED;
}

/* Why the rig refuses, in its own words. */
YK_RT static const char *reason_of(const struct yk_station *s)
{
    const struct yk_rig_ops *ops = s->between.ops && s->between.ops->reason ? s->between.ops : s->rig;

    return yk_rig_reason(ops, ops == s->rig ? s->rig_self : s->between.self);
}

/* A remark of the rig is a warning, and waits for whoever keeps the journal. */
YK_RT static void take_notice(struct yk_station *s)
{
    const char *words = s->rig->notice ? s->rig->notice(s->rig_self) : NULL;

    if (words) {
        yk_supervisor_remark(&s->supervisor, words);
        s->noticed = words;
    }
}

YK_RT const char *yk_station_noticed(struct yk_station *s)
{
    const char *words = s->noticed;

    s->noticed = NULL;
    return words;
}

YK_RT void yk_station_tell_cut(struct yk_station *s)
{
    if (s->supervisor.cut && !s->was_cut) {
        s->out.lines = yk_supervisor_lines(&s->supervisor);
        if (rig_ops(s)->cut)
            rig_ops(s)->cut(rig_self(s), s->out.lines);
    }
    s->was_cut = s->supervisor.cut;
}

/* Where the rig puts its readings. */
YK_RT static struct yk_rig_in *raw_of(struct yk_station *s)
{
    return s->corrections.of ? &s->raw : &s->in;
}

/* The backend that tells the positions of the devices: the one before the rig, or the rig; NULL: none. */
YK_RT static const struct yk_rig_ops *teller(const struct yk_station *s)
{
    const struct yk_rig_ops *ops = s->between.ops && s->between.ops->position ? s->between.ops : s->rig;

    return ops->position ? ops : NULL;
}

/* Position of the device of an actuator, as a command of the rig; NaN: it does not tell. */
YK_RT static double position_of(const struct yk_station *s, const struct yk_rig_ops *ops, size_t i)
{
    return ops->position(ops == s->rig ? s->rig_self : s->between.self, i);
}

/* How far the rig counts from where the station does, after a tare of what an actuator is commanded in. */
YK_RT static double tare_of(const struct yk_station *s, size_t i)
{
    return s->corrections.of ? s->corrections.of[yk_channel_of(i, s->chains[i].a.limits.kind)].command_zero : 0;
}

/* The same with what the commands carry since the drives were enabled. */
YK_RT static double zero_of(const struct yk_station *s, size_t i)
{
    return tare_of(s, i) + s->chains[i].carried;
}

enum yk_status yk_station_carry(struct yk_station *s, struct yk_err *err)
{
    const struct yk_rig_ops *ops = teller(s);

    for (size_t i = 0; ops && i < s->count; i++) {
        struct yk_actuator_chain *c = &s->chains[i];
        const double at = position_of(s, ops, i), command = s->in.readings[i].displacement + tare_of(s, i),
                     by = at - command, limit = yk_supervisor_limit(&s->supervisor, YK_LIMIT_POSITION_ERROR, i);
        const char *unit = yk_station_unit(s, i);

        c->carried = isfinite(by) && fabs(by) > YK_STANDS ? by : 0;
        if (limit > 0 && fabs(c->carried) > limit)
            return yk_fail(err, YK_E_RANGE,
                           "the device of actuator %s stands at %g %s, and its measured displacement as a command is "
                           "%g %s: they differ by %g %s, more than limits.position_error = %g %s; nothing was moved. "
                           "Check scale and offset of command and displacement, and the zero of both sensors",
                           s->names[i], at, unit, command, unit, fabs(by), unit, limit, unit);
    }
    return YK_OK;
}

YK_RT void yk_station_watch_devices(struct yk_station *s)
{
    const struct yk_rig_ops *ops = teller(s);

    for (size_t i = 0; ops && i < s->count; i++) {
        const double at = position_of(s, ops, i);

        if (!isnan(at))
            yk_supervisor_device(&s->supervisor, i, at - zero_of(s, i));
    }
}

/* Commands as the rig counts them, into s->shifted. */
YK_RT static const double *untare(const struct yk_station *s, const double *commands)
{
    if (!s->corrections.of && !teller(s))
        return commands;
    for (size_t i = 0; i < s->count; i++)
        s->shifted[i] = commands[i] + zero_of(s, i);
    return s->shifted;
}

YK_RT static struct yk_rig_out untared(const struct yk_station *s)
{
    struct yk_rig_out out = s->out;

    out.command = untare(s, s->out.command);
    return out;
}

/* Feed-forward of the commands: how fast they change, and what is measured of the other quantities, as far as the
 * supervisor lets it pass. */
YK_RT static void feed_forward(struct yk_station *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct yk_actuator_chain *c = &s->chains[i];
        const struct yk_reading *r = &s->in.readings[i];
        const double speed = (s->sent[i] - c->fed_forward) / s->tick, gain = (speed - c->fed_speed) / s->tick;
        struct yk_ahead ahead = {r->displacement, r->velocity, r->acceleration, r->force};

        c->fed_forward = s->sent[i];
        c->fed_speed = speed;
        switch (c->a.limits.kind) {
        case YK_BY_DISPLACEMENT:
            ahead = (struct yk_ahead){s->sent[i], speed, gain, r->force};
            break;
        case YK_BY_VELOCITY:
            ahead.velocity = s->sent[i];
            ahead.acceleration = speed;
            break;
        case YK_BY_ACCELERATION:
            ahead.acceleration = s->sent[i];
            break;
        default:
            ahead.force = s->sent[i];
        }
        ahead = yk_supervisor_ahead(&s->supervisor, i, &ahead);
        /* the rig counts what it is commanded in from its own zero */
        ahead.displacement += c->a.limits.kind == YK_BY_DISPLACEMENT ? zero_of(s, i) : 0;
        ahead.force += c->a.limits.kind == YK_BY_FORCE ? zero_of(s, i) : 0;
        if (c->a.feeds_forward)
            s->ahead[i] = ahead;
    }
}

YK_RT enum yk_rig_answer yk_station_ask_rig(struct yk_station *s)
{
    if (s->ahead)
        feed_forward(s);
    s->out.lines = yk_supervisor_lines(&s->supervisor);
    const bool waits = !(rig_ops(s)->can & YK_RIG_SIMULATES); /* a simulation answers at once */
    const int64_t begin = waits ? yk_clock_now_ns() : 0;
    const struct yk_rig_out out = untared(s);
    const enum yk_rig_answer answer = rig_ops(s)->exchange(rig_self(s), &out, raw_of(s));
    const int64_t end = waits || answer == YK_RIG_LOST ? yk_clock_now_ns() : 0;

    take_notice(s);
    yk_late_step(&s->late, raw_of(s));
    if (s->corrections.of) {
        s->in.lines = s->raw.lines;
        if (answer == YK_RIG_FRESH) /* otherwise the last ones are there already */
            yk_corrections_step(&s->corrections, &s->raw, &s->in, &s->supervisor);
    }
    s->supervisor.waited_s = waits ? 1e-9 * (double)(end - begin) : 0;
    if (answer == YK_RIG_LOST || answer == YK_RIG_REFUSED)
        s->supervisor.reason = reason_of(s);
    if (answer == YK_RIG_LOST && !s->lost_ns)
        s->lost_ns = end;
    return answer;
}

enum yk_status yk_station_rest_rig(struct yk_station *s, const double *x, struct yk_err *err)
{
    const bool between = s->between.ops && s->between.ops->rest;
    const struct yk_rig_ops *ops = between ? s->between.ops : s->rig;
    const enum yk_status st = ops->rest(between ? s->between.self : s->rig_self, untare(s, x), raw_of(s), err);

    yk_late_reset(&s->late, raw_of(s));
    if (s->corrections.of) {
        s->in.lines = s->raw.lines;
        yk_corrections_reset(&s->corrections, &s->raw, &s->in);
    }
    return st;
}

enum yk_status yk_station_record(struct yk_station *s, const char *folder, struct yk_err *err)
{
    return s->rig->record ? s->rig->record(s->rig_self, folder, err) : YK_OK;
}

enum yk_status yk_station_enable_drives(struct yk_station *s, bool on, struct yk_err *err)
{
    const struct yk_rig_ops *ops = s->between.ops && s->between.ops->enable ? s->between.ops : s->rig;

    s->out.lines = yk_supervisor_lines(&s->supervisor);
    const struct yk_rig_out out = untared(s);
    return ops->enable ? ops->enable(ops == s->rig ? s->rig_self : s->between.self, on, &out, err) : YK_OK;
}
