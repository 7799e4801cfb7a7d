/* Changes of the control mode without a step: from displacement to force and back. docs/theory/control.md, eq.
 * (85)-(88).
 *
 * In every tick the device gets the commands of both modes. The one that is not in force follows what is measured of
 * its quantity, y, with a filter that keeps no lag behind a constant rate (Benedict and Bordner 1962),
 *
 *     e = y - z,   z := z + A e + h r,   r := r + (B/h) e,   B = A^2/(2 - A),   o = z + L r
 *
 * and is bounded by the rate of its own mode. L is the lag of the device in that mode: a device that is late needs a
 * command that leads to go on as it goes. The request for the other mode goes out with the commands. The device
 * changes when it can, and finds there what it measures. When it confirms, the command of that mode is the one in
 * force, with its rate and with the limits of its mode, all from the same tick on; the command of the old mode begins
 * to follow what is measured.
 *
 * A device that does not confirm in time, or that changes by itself, trips. On a console the request is withdrawn. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define A 0.4
#define B (A * A / (2 - A))

YK_RT static const struct yk_own_limits *limits_of_other(const struct yk_second_mode *m)
{
    return &m->limits[!m->on];
}

YK_RT static double measured_other(const struct yk_supervised *g)
{
    return yk_reading_of(&g->last, limits_of_other(&g->second)->kind);
}

YK_RT void yk_supervisor_rest_modes(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];
        struct yk_second_mode *m = &g->second;

        m->on = m->requested = m->refused = m->settled = false;
        m->waited_ticks = 0;
        m->at = m->other = m->home[1] = m->begin[1] = m->start[1] = m->has ? measured_other(g) : 0;
        m->rate = 0;
        m->due = g->sent;
    }
}

/* ---- the command that is not in force ---- */

/* Largest rate of a command that only follows: the limit of its mode in the test. */
YK_RT static double largest_rate(const struct yk_supervisor *s, const struct yk_own_limits *own)
{
    const double rate = own->limit[YK_LIMIT_COMMAND_RATE], all = s->limits.limit[YK_LIMIT_COMMAND_RATE];

    return rate != 0 ? fmax(rate, 0) : own->kind == YK_BY_DISPLACEMENT ? all : 0;
}

YK_RT static void follow_one(struct yk_supervisor *s, size_t i)
{
    struct yk_supervised *g = &s->supervised[i];
    struct yk_second_mode *m = &g->second;
    const double h = yk_supervisor_advance(s) * s->tick_s, most = largest_rate(s, limits_of_other(m)) * h;

    if (!(h > 0))
        return;
    if (s->silent_ticks == 0) {
        const double e = measured_other(g) - m->at;

        m->at += A * e + h * m->rate;
        m->rate += B / h * e;
    }
    const double step = m->at + m->lag[!m->on] * m->rate - m->other;
    m->other += most > 0 ? fmax(-most, fmin(step, most)) : step;
}

YK_RT void yk_supervisor_follow_modes(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->supervised[i].second.has)
            follow_one(s, i);
}

/* ---- requests ---- */

YK_RT static void want(struct yk_second_mode *m, bool second)
{
    m->requested = second;
    m->settled = false;
    m->waited_ticks = 0;
}

YK_RT bool yk_supervisor_want_mode(struct yk_supervisor *s, size_t i, bool second)
{
    struct yk_second_mode *m = &s->supervised[i].second;

    if (!m->has || s->off || s->cut || !yk_supervisor_chained(s))
        return false;
    m->refused = false;
    if (m->requested != second)
        want(m, second);
    return true;
}

YK_RT void yk_supervisor_withdraw_modes(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct yk_second_mode *m = &s->supervised[i].second;

        if (m->requested != m->on)
            want(m, m->on);
    }
}

YK_RT uint64_t yk_supervisor_requested_modes(const struct yk_supervisor *s)
{
    uint64_t modes = 0;

    for (size_t i = 0; i < s->count; i++)
        modes |= (uint64_t)s->supervised[i].second.requested << i;
    return modes;
}

/* ---- what the devices do ---- */

/* The other mode is in force from this tick on. */
YK_RT static void change(struct yk_supervisor *s, size_t i)
{
    struct yk_supervised *g = &s->supervised[i];
    struct yk_second_mode *m = &g->second;
    const double command = m->other, most = largest_rate(s, limits_of_other(m)),
                 rate = most > 0 ? fmax(-most, fmin(m->rate, most)) : m->rate;

    m->home[m->on] = g->home;
    m->start[m->on] = g->start;
    m->begin[m->on] = g->begin;
    m->other = g->sent;
    m->at = g->sent - m->lag[m->on] * g->rate;
    m->rate = g->rate;
    m->on = !m->on;
    g->own = m->limits[m->on];
    g->home = m->home[m->on];
    g->start = m->start[m->on];
    g->begin = m->begin[m->on];
    g->sent = g->asked = g->heard = g->from = g->to = g->held_sent = command;
    g->rate = rate;
    g->held_at = yk_supervised_measured(g);
    g->reach = fabs(command - g->home);
    g->frozen_from[0] = g->frozen_from[1] = command;
    g->frozen_ticks[0] = g->frozen_ticks[1] = 0;
    g->pace = 0;
    g->energy = (struct yk_energy_monitor){0};
    g->follow = (struct yk_follow_monitor){0};
    g->plausible = (struct yk_force_monitor){.alone = g->plausible.alone};
    g->apart = false;
    if (m->on)
        return;
    if (!s->by_hand) /* what the chain asks for: the command is led there */
        g->asked = m->due;
    yk_supervisor_part_one(s, i);
}

YK_RT static void refuse(struct yk_supervisor *s, size_t i)
{
    struct yk_second_mode *m = &s->supervised[i].second;

    if (s->by_hand && !m->settled && m->requested != m->on) {
        want(m, m->on);
        m->refused = true;
        return;
    }
    yk_supervisor_raise_beyond(s, YK_LIMIT_MODE, i, m->settled ? 0 : m->waited_ticks * s->tick_s, m->confirm_s);
}

YK_RT void yk_supervisor_modes(struct yk_supervisor *s, uint64_t confirmed)
{
    for (size_t i = 0; i < s->count; i++) {
        struct yk_second_mode *m = &s->supervised[i].second;

        if (!m->has || s->off || s->cut)
            continue;
        if ((confirmed >> i & 1) == m->requested) {
            m->settled = true;
            m->waited_ticks = 0;
            if (m->on != m->requested && yk_supervisor_chained(s))
                change(s, i);
            continue;
        }
        m->waited_ticks += s->time.between;
        if (m->settled || m->waited_ticks * s->tick_s > m->confirm_s)
            refuse(s, i);
    }
}
