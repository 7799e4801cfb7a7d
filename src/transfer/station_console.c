/* The station without a method, for the console of a rig: commands as given, drives on and off, tare. */
#include "transfer/station_parts.h"

#include <math.h>
#include <string.h>

/* The supervisor anew, at the commands that are sent: drives on and holding, or off. Nothing moves by it. */
static void hold_here(struct yk_station *s, bool on)
{
    struct yk_supervisor *v = &s->supervisor;

    yk_station_leave_modes(s);
    v->followed_s = v->moving_s;          /* a slowed test does not slow its console */
    for (size_t i = 0; i < s->count; i++) /* what is commanded by a rate is held at its place */
        s->present[i] = yk_command_is_rate(s->chains[i].a.limits.kind) ? s->in.readings[i].displacement : s->sent[i];
    for (size_t i = 0; i < s->count; i++)
        v->supervised[i].begin = s->chains[i].a.limits.kind == YK_BY_DISPLACEMENT ? s->x0[i] : 0;
    v->full &= on;
    yk_supervisor_rest(v, s->present, s->sent, s->in.readings);
    v->off = !on;
    yk_supervisor_event(v, YK_EVENT_ARM);
    if (on)
        yk_supervisor_event(v, YK_EVENT_START); /* without a way: it follows at once */
    memcpy(s->present, s->sent, s->count * sizeof *s->present);
    for (size_t k = 0; k < s->pose_count; k++)
        yk_pose_rest(s->poses[k], s->sent);
}

/* A trip is reset only after the key was switched on. A rig that was cut or lost is read again only now: there the key
 * must be on, and must have been off at the trip. */
static enum yk_status check_key(struct yk_station *s, bool anew, struct yk_err *err)
{
    struct yk_supervisor *v = &s->supervisor;
    const uint32_t key = v->plc.of[YK_LINE_RESET_KEY], now = (s->in.lines ^ v->plc.inverted) & key;

    if (!v->trip.tripped || !key || v->plc.unlocked || (anew && now & ~v->plc.on))
        return YK_OK;
    v->plc.on = anew ? (v->plc.on & ~key) | now : v->plc.on;
    return yk_fail(err, YK_E_STOPPED, "the trip is locked: switch the reset key %s, then say reset",
                   anew ? "on and keep it there" : "off and on");
}

enum yk_status yk_station_stand(struct yk_station *s, struct yk_err *err)
{
    const bool again = s->begun && !s->was_cut && !s->lost;
    enum yk_status st;

    s->left = 0;
    if ((!again && (st = yk_station_rest_at_start(s, err))) || (st = check_key(s, !again, err)))
        return st;
    s->was_cut = false;
    s->begun = true;
    hold_here(s, false);
    if ((st = yk_station_enable_drives(s, false, err)) || (!again && (st = yk_station_take_positions(s, true, err))))
        return st;
    hold_here(s, false);
    yk_supervisor_inputs(&s->supervisor, s->in.sensors, s->in.lines);
    return YK_OK;
}

/* An actuator that was moved while its drive was off begins where it is now. */
static enum yk_status find_moved(struct yk_station *s, struct yk_err *err)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_actuator_chain *c = &s->chains[i];
        const double x = yk_chain_quantity(c, &s->in.readings[i]),
                     limit = yk_supervisor_limit(&s->supervisor, YK_LIMIT_POSITION_ERROR, i);

        if (!isfinite(x))
            return yk_station_check_position(s, i, true, err);
        if (c->a.limits.kind != YK_BY_DISPLACEMENT)
            s->sent[i] = c->a.limits.kind == YK_BY_FORCE ? x : 0;
        else if (fabs(x - s->sent[i]) > limit)
            s->sent[i] = x;
    }
    return YK_OK;
}

enum yk_status yk_station_enable(struct yk_station *s, bool on, struct yk_err *err)
{
    struct yk_supervisor *v = &s->supervisor;
    enum yk_status st;

    if (!on) {
        if (v->state != YK_STATE_TRIPPED)
            hold_here(s, false);
        v->off = true;
        return s->was_cut ? YK_OK : yk_station_enable_drives(s, false, err);
    }
    if (v->trip.tripped)
        return yk_fail(err, YK_E_STOPPED, "%s", yk_station_trip(s));
    if (!v->off)
        return YK_OK;
    if ((st = find_moved(s, err)) || (st = yk_station_carry(s, err)))
        return st;
    hold_here(s, true);
    yk_supervisor_inputs(v, s->in.sensors, s->in.lines);
    const char *pressed = yk_supervisor_unordered_pressure(v);

    if (v->trip.tripped)
        st = yk_fail(err, YK_E_STOPPED, "%s", yk_station_trip(s));
    else if (pressed)
        st = yk_fail(err, YK_E_STOPPED,
                     "%s acknowledges a pressure that is not ordered; the drives stay disabled. Take the pressure off "
                     "at the PLC, or wait until it is off",
                     pressed);
    else if (!yk_supervisor_stands(v))
        st = yk_fail(err, YK_E_RANGE, "%s", yk_station_trip(s));
    else if (!(st = yk_station_enable_drives(s, true, err)))
        return YK_OK;
    v->off = true;
    return st;
}

YK_RT bool yk_station_drive(struct yk_station *s, const double *commands)
{
    s->follows = false;
    memcpy(s->present, commands, s->count * sizeof *commands);
    memcpy(s->sent, commands, s->count * sizeof *commands);
    for (size_t k = 0; k < s->pose_count; k++)
        yk_pose_check_commands(s->poses[k], &s->supervisor, commands);
    yk_supervisor_hold(&s->supervisor); /* keeps what is commanded by a rate; the others follow */
    return yk_station_send(s);
}

void yk_station_retare(struct yk_station *s, size_t channel, double zero, double command)
{
    struct yk_correction *c = &s->corrections.of[channel];
    const size_t i = channel / YK_COMMAND_KINDS;

    if (i < s->count && channel == yk_channel_of(i, s->chains[i].a.limits.kind))
        s->sent[i] += c->command_zero - command;
    c->used = true;
    c->zero = zero;
    c->command_zero = command;
    yk_corrections_reset(&s->corrections, &s->raw, &s->in);
    if (!s->supervisor.trip.tripped)
        hold_here(s, !s->supervisor.off);
}
