/* The station at its rig: commands on their way from the supervisor to the rig, and readings on their way back. A layer
 * may stand between the two, a tare shifts the zero, and a simulated reading may come late. */
#include "transfer/station_parts.h"

#include "base/clock.h"

#include <math.h>

/* The rig, or the layer before it. */
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

struct layer {
    const struct yk_rig_ops *ops;
    void *self;
};

/* The layer before the rig if it has a function for this, else the rig. */
YK_RT static struct layer layer_with(const struct yk_station *s, bool has)
{
    return has ? (struct layer){s->between.ops, s->between.self} : (struct layer){s->rig, s->rig_self};
}

/* Why the rig refuses, in its own words. */
YK_RT static const char *reason_of(const struct yk_station *s)
{
    const struct layer l = layer_with(s, s->between.ops && s->between.ops->reason);

    return yk_rig_reason(l.ops, l.self);
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

/* Buffer for the readings of the rig: raw ones if they are corrected. */
YK_RT static struct yk_rig_in *raw_of(struct yk_station *s)
{
    return s->corrections.of ? &s->raw : &s->in;
}

/* Are the positions of the devices known, by the layer before the rig or by the rig? */
YK_RT static bool tells_positions(const struct yk_station *s)
{
    return (s->between.ops && s->between.ops->position) || s->rig->position;
}

/* Position of the device of an actuator, as a command in SI units; NaN: not known. */
YK_RT static double position_of(const struct yk_station *s, size_t i)
{
    const struct layer l = layer_with(s, s->between.ops && s->between.ops->position);
    const double at = l.ops->position(l.self, i);

    return s->corrections.of ? yk_scale_si(&s->corrections.sent[i].command, at) : at;
}

/* Offset of the rig's command from the station's, after a tare of the commanded quantity. */
YK_RT static double tare_of(const struct yk_station *s, size_t i)
{
    return s->corrections.of ? s->corrections.of[yk_channel_of(i, s->chains[i].a.limits.kind)].command_zero : 0;
}

/* The same plus the offset that commands carry since the drives were enabled. */
YK_RT static double zero_of(const struct yk_station *s, size_t i)
{
    return tare_of(s, i) + s->chains[i].carried;
}

enum yk_status yk_station_carry(struct yk_station *s, struct yk_err *err)
{
    for (size_t i = 0; tells_positions(s) && i < s->count; i++) {
        struct yk_actuator_chain *c = &s->chains[i];
        const double at = position_of(s, i), command = s->in.readings[i].displacement + tare_of(s, i),
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
    if (!tells_positions(s))
        return;
    for (size_t i = 0; i < s->count; i++) {
        const double at = position_of(s, i);

        if (!isnan(at))
            yk_supervisor_device(&s->supervisor, i, at - zero_of(s, i));
    }
}

/* Commands in the raw numbers of the rig, into s->shifted. */
YK_RT static inline const double *untare(const struct yk_station *s, const double *commands)
{
    if (!s->corrections.of && !tells_positions(s))
        return commands;
    for (size_t i = 0; i < s->count; i++) {
        const double command = commands[i] + zero_of(s, i);

        s->shifted[i] = s->corrections.of ? yk_scale_raw(&s->corrections.sent[i].command, command) : command;
    }
    return s->shifted;
}

/* The same for the second commands; a drive counts forces from the zero of its load cell, without the tare. */
YK_RT static void untare_seconds(struct yk_station *s)
{
    for (size_t i = 0; s->corrections.of && i < s->count; i++) {
        const enum yk_command_kind kind = s->plan.others[i];
        const struct yk_correction *c = &s->corrections.of[yk_channel_of(i, kind)];

        if (kind != s->plan.kinds[i])
            s->seconds[i] = yk_scale_raw(&s->corrections.sent[i].ahead[kind], s->seconds[i] + c->zero);
    }
}

YK_RT static inline struct yk_rig_out untared(struct yk_station *s)
{
    struct yk_rig_out out = s->out;

    if (s->seconds) {
        yk_station_put_modes(s);
        untare_seconds(s);
        out.command = s->firsts;
        out.others = s->seconds;
        out.modes = yk_supervisor_requested_modes(&s->supervisor);
    }
    out.command = untare(s, out.command);
    out.homing = s->homes ? &s->homing : NULL;
    return out;
}

/* Feed-forward in the raw numbers of the rig. */
YK_RT static struct yk_ahead raw_ahead(const struct yk_sent_scales *sent, const struct yk_ahead *a)
{
    return (struct yk_ahead){.displacement = yk_scale_raw(&sent->ahead[YK_BY_DISPLACEMENT], a->displacement),
                             .velocity = yk_scale_raw(&sent->ahead[YK_BY_VELOCITY], a->velocity),
                             .acceleration = yk_scale_raw(&sent->ahead[YK_BY_ACCELERATION], a->acceleration),
                             .force = yk_scale_raw(&sent->ahead[YK_BY_FORCE], a->force)};
}

/* Feed-forward: the rates of the commands and the readings of the other quantities, within the limits of the
 * supervisor. */
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
        /* the rig counts the commanded quantity from its own zero */
        ahead.displacement += c->a.limits.kind == YK_BY_DISPLACEMENT ? zero_of(s, i) : 0;
        ahead.force += c->a.limits.kind == YK_BY_FORCE ? zero_of(s, i) : 0;
        if (c->a.feeds_forward)
            s->ahead[i] = s->corrections.of ? raw_ahead(&s->corrections.sent[i], &ahead) : ahead;
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
    raw_of(s)->homing = YK_HOMING_UNKNOWN;
    const enum yk_rig_answer answer = rig_ops(s)->exchange(rig_self(s), &out, raw_of(s));
    const int64_t end = waits ? yk_clock_now_ns() : 0;

    take_notice(s);
    yk_late_step(&s->late, raw_of(s));
    if (s->corrections.of) {
        s->in.lines = s->raw.lines;
        s->in.modes = s->raw.modes;
        if (answer == YK_RIG_FRESH) /* otherwise the last ones are there already */
            yk_corrections_step(&s->corrections, &s->raw, &s->in, &s->supervisor);
    }
    s->supervisor.waited_s = waits ? 1e-9 * (double)(end - begin) : 0;
    if (answer == YK_RIG_LOST || answer == YK_RIG_REFUSED)
        s->supervisor.reason = reason_of(s);
    s->lost_wait_ns = s->lost ? s->lost_wait_ns + (end - begin) : 0;
    s->lost |= answer == YK_RIG_LOST;
    return answer;
}

enum yk_status yk_station_rest_rig(struct yk_station *s, const double *x, struct yk_err *err)
{
    const struct layer l = layer_with(s, s->between.ops && s->between.ops->rest);
    const enum yk_status st = l.ops->rest(l.self, untare(s, x), raw_of(s), err);

    yk_late_reset(&s->late, raw_of(s));
    if (s->corrections.of) {
        s->in.lines = s->raw.lines;
        s->in.modes = s->raw.modes;
        yk_corrections_reset(&s->corrections, &s->raw, &s->in);
    }
    return st;
}

void yk_station_home(struct yk_station *s, size_t i, bool on)
{
    const double scale = s->corrections.of ? fabs(s->corrections.sent[i].command.scale) : 1;

    s->homes = s->supervised[i].homes = on;
    if (!on) /* where it was sent means nothing to a device that counts anew */
        s->sent[i] = s->in.readings[i].displacement;
    s->homing = (struct yk_homing){i, yk_supervisor_limit(&s->supervisor, YK_LIMIT_COMMAND_RATE, i) / scale};
    raw_of(s)->homing = YK_HOMING_MOVES;
}

YK_RT enum yk_homing_answer yk_station_homing(struct yk_station *s, const char **reason)
{
    *reason = reason_of(s);
    return raw_of(s)->homing;
}

enum yk_status yk_station_record(struct yk_station *s, const char *folder, struct yk_err *err)
{
    return s->rig->record ? s->rig->record(s->rig_self, folder, err) : YK_OK;
}

enum yk_status yk_station_enable_drives(struct yk_station *s, bool on, struct yk_err *err)
{
    const struct layer l = layer_with(s, s->between.ops && s->between.ops->enable);

    s->out.lines = yk_supervisor_lines(&s->supervisor);
    const struct yk_rig_out out = untared(s);
    return l.ops->enable ? l.ops->enable(l.self, on, &out, err) : YK_OK;
}
