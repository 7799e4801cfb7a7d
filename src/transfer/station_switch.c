/* Force control as a second mode of an actuator, for a specimen that stiffens. docs/theory/control.md, eq. (85)-(88).
 *
 * The method keeps its targets, which are displacements. In force control an outer loop makes the commands, in wall
 * time and tick by tick: with the stiffness K of the setting, the target x of the tick and the measured displacement y,
 *
 *     F := F + h (K (x' + (x - y)/T) + b),   b := b e^{-h/T}
 *
 * On a specimen of stiffness k and a drive that makes its force at once, an error decays with K/(k T). b is what the
 * rate of the measured force was above that of the loop at the change: the rate of the command is continuous, too. The
 * change itself: supervisor_switch.c. */
#include "transfer/station_parts.h"

#include <math.h>
#include <stdlib.h>

YK_RT static const struct yk_second_mode *mode_of(const struct yk_station *s, size_t i)
{
    return &s->supervisor.supervised[i].second;
}

bool yk_station_switches(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.second.has;
}

const struct yk_switch *yk_station_second(const struct yk_station *s, size_t i)
{
    return &s->chains[i].a.second;
}

YK_RT bool yk_station_is_second(const struct yk_station *s, size_t i)
{
    return mode_of(s, i)->on;
}

YK_RT bool yk_station_ask_mode(struct yk_station *s, size_t i, enum yk_mode mode)
{
    struct yk_actuator_chain *c = &s->chains[i];

    if (!c->a.second.has)
        return false;
    if (mode != YK_MODE_AUTO && !yk_supervisor_want_mode(&s->supervisor, i, mode == YK_MODE_SECOND))
        return false;
    c->by_request = mode != YK_MODE_AUTO;
    return true;
}

YK_RT void yk_station_rest_modes(struct yk_station *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct yk_actuator_chain *c = &s->chains[i];

        c->by_request = c->was_second = false;
        c->led = c->target;
        c->bump = 0;
    }
}

/* ---- a tick ---- */

YK_RT static void lead(struct yk_station *s, size_t i)
{
    struct yk_actuator_chain *c = &s->chains[i];
    struct yk_supervised *g = &s->supervisor.supervised[i];
    const struct yk_switch *a = &c->a.second;
    const double h = s->supervisor.tick_s, x = s->present[i], before = c->led;

    c->led = x;
    g->second.due = s->sent[i]; /* the command of the first mode */
    if (g->second.on) {
        const double rate = a->stiffness * ((x - before) / h + (before - s->in.readings[i].displacement) / a->time);

        c->bump = c->was_second ? c->bump * exp(-h / a->time) : g->rate - rate;
        s->sent[i] = g->asked + h * (rate + c->bump);
    }
    c->was_second = g->second.on;
}

YK_RT void yk_station_lead_forces(struct yk_station *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->chains[i].a.second.has)
            lead(s, i);
}

/* Does the measured force call for another mode? Between the two forces the present one stays. */
YK_RT static void choose(struct yk_station *s, size_t i)
{
    const struct yk_actuator_chain *c = &s->chains[i];
    const struct yk_second_mode *m = mode_of(s, i);
    const double force = fabs(s->in.readings[i].force);

    if (!(c->a.second.above > 0) || c->by_request || m->requested != m->on)
        return;
    if (m->on ? force < c->a.second.below : force > c->a.second.above)
        yk_supervisor_want_mode(&s->supervisor, i, !m->on);
}

YK_RT void yk_station_watch_modes(struct yk_station *s)
{
    yk_supervisor_modes(&s->supervisor, s->in.modes);
    for (size_t i = 0; s->follows && i < s->count; i++)
        if (s->chains[i].a.second.has)
            choose(s, i);
}

YK_RT void yk_station_put_modes(struct yk_station *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_supervised *g = &s->supervisor.supervised[i];

        s->firsts[i] = g->second.has ? yk_supervised_command(g, false) : s->sent[i];
        s->seconds[i] = g->second.has ? yk_supervised_command(g, true) : 0;
    }
}

YK_RT void yk_station_leave_modes(struct yk_station *s)
{
    for (size_t i = 0; s->seconds && i < s->count; i++)
        if (mode_of(s, i)->on)
            s->sent[i] = yk_supervised_command(&s->supervisor.supervised[i], false);
}

/* ---- preparation ---- */

enum yk_status yk_station_make_modes(struct yk_station *s, struct yk_err *err)
{
    enum yk_command_kind *others;
    bool any = false;

    for (size_t i = 0; i < s->count; i++)
        any |= s->chains[i].a.second.has;
    if (!any)
        return YK_OK;
    if (s->count > 64)
        return yk_fail(err, YK_E_UNSUPPORTED, "actuators can change their control mode on rigs of up to 64 of them");
    s->plan.others = others = calloc(s->count + 1, sizeof *others);
    if (!others || !yk_arena_array(s->mem, &s->firsts, s->count) || !yk_arena_array(s->mem, &s->seconds, s->count))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_actuator *a = &s->chains[i].a;

        others[i] = a->second.has ? a->second.limits.kind : a->limits.kind;
        s->supervised[i].second = (struct yk_second_mode){.has = a->second.has,
                                                          .limits = {a->limits, a->second.limits},
                                                          .confirm_s = a->second.confirm,
                                                          .lag = {a->delay, a->second.lag}};
    }
    s->supervisor.switches = true;
    return YK_OK;
}
