/* The station before and after the method: rest, start ramp, end. */
#include "transfer/station_parts.h"

#include <math.h>
#include <string.h>

/* A chain that has always been at x. */
static void rest_chain(const struct yk_station *s, struct yk_actuator_chain *c, double x, const struct yk_reading *at)
{
    if (!c->jointly_commanded)
        c->a.compensator.ops->reset(c->compensator, x);
    if (!c->jointly_driven)
        c->a.controller.ops->reset(c->controller, x);
    c->fed_forward = x;
    c->fed_speed = 0;
    if (c->a.estimator.ops)
        c->a.estimator.ops->reset(c->estimator, c->a.delay + c->a.seen_delay);
    yk_feedback_reset(&c->feedback, at);
    if (c->feedback.targets.u)
        yk_delay_line_reset(&c->feedback.targets, x);
    yk_passivity_reset(&c->passivity, x, at->displacement, c->feedback.latest);
    c->target = c->last_target = c->final_target = c->command = x;
    yk_place_reset(&c->place, x);
    yk_path_reset(&c->path, x);
    c->speed = c->last_speed = c->final_speed = 0;
    c->delay = c->a.delay;
    c->gain = 1;
    c->fed = c->feedback.latest;
    c->matched = at->displacement;
    c->read = *at;
    for (int k = 0; c->past && k < s->past_count; k++)
        c->past[k] = x;
    c->felt = yk_chain_quantity(c, at);
    if (c->seen.u)
        yk_delay_line_reset(&c->seen, c->felt);
    c->tracking = c->feeling = (struct yk_deviation){0};
    c->moment = c->power = 0;
}

static void rest_jointly(const struct yk_station *s, const struct yk_joint_chain *j)
{
    for (size_t k = 0; k < j->j.count; k++)
        j->in[k] = s->x0[j->j.members[k]];
    if (j->compensator)
        j->j.compensator.ops->joint->reset(j->compensator, j->in);
    if (j->controller)
        j->j.controller.ops->joint->reset(j->controller, j->in);
}

enum yk_status yk_station_rest(struct yk_station *s, const double *x, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    memmove(s->x0, x, s->count * sizeof *x); /* x may be s->x0 itself */
    for (size_t k = 0; k < s->pose_count; k++)
        yk_pose_rest(s->poses[k], s->x0);
    s->targets = s->left = 0;
    if (!s->begun) {
        s->lost = false;
        st = yk_station_rest_rig(s, x, err);
        yk_supervisor_rest(&s->supervisor, x, x, s->in.readings);
        yk_supervisor_event(&s->supervisor, YK_EVENT_ARM);
        yk_supervisor_event(&s->supervisor, YK_EVENT_START);
    }
    for (size_t i = 0; i < s->count; i++)
        rest_chain(s, &s->chains[i], x[i], &s->in.readings[i]);
    for (size_t k = 0; k < s->joint_count; k++)
        rest_jointly(s, &s->joints[k]);
    if (s->seconds)
        yk_station_rest_modes(s);
    return st;
}

enum yk_status yk_station_check_position(const struct yk_station *s, size_t i, bool approach, struct yk_err *err)
{
    const struct yk_supervisor *v = &s->supervisor;
    const double limit = yk_supervisor_limit(v, YK_LIMIT_POSITION_ERROR, i),
                 x = yk_chain_quantity(&s->chains[i], &s->in.readings[i]);
    const char *unit = yk_station_unit(s, i);

    if (!isfinite(x))
        return yk_fail(err, YK_E_IO, "actuator %s has no valid position: its %s is %g; nothing was moved", s->names[i],
                       yk_command_word(s->chains[i].a.limits.kind), x);
    if (approach || limit == 0 || fabs(x - s->x0[i]) <= limit ||
        yk_supervisor_action(v, YK_LIMIT_POSITION_ERROR) == YK_ACTION_WARN)
        return YK_OK;
    return yk_fail(err, YK_E_RANGE,
                   "actuator %s stands at %g %s, and the run begins at %g %s: they differ by %g %s, more than "
                   "limits.position_error = %g %s; nothing was moved. Check the zero of its sensor; "
                   "`yoke run --approach` moves the actuator there by a ramp",
                   s->names[i], x, unit, s->x0[i], unit, fabs(x - s->x0[i]), unit, limit, unit);
}

enum yk_status yk_station_rest_at_start(struct yk_station *s, struct yk_err *err)
{
    for (size_t i = 0; i < s->count; i++)
        s->sent[i] = s->chains[i].a.limits.kind == YK_BY_DISPLACEMENT ? s->x0[i] : 0;
    s->lost = false;
    return yk_station_rest_rig(s, s->sent, err);
}

enum yk_status yk_station_take_positions(struct yk_station *s, bool anywhere, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < s->count && !st; i++) {
        const double x = yk_chain_quantity(&s->chains[i], &s->in.readings[i]);

        st = yk_station_check_position(s, i, anywhere, err);
        s->sent[i] = fabs(x - s->x0[i]) <= YK_STANDS ? s->x0[i] : x;
    }
    return st;
}

enum yk_status yk_station_begin(struct yk_station *s, bool approach, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_station_rest_at_start(s, err)) || (st = yk_station_take_positions(s, approach, err)))
        return st;
    yk_supervisor_rest(&s->supervisor, s->x0, s->sent, s->in.readings);
    yk_supervisor_event(&s->supervisor, YK_EVENT_ARM);
    yk_supervisor_inputs(&s->supervisor, s->in.sensors, s->in.lines);
    if (!s->supervisor.trip.tripped &&
        ((st = yk_station_carry(s, err)) || (st = yk_station_enable_drives(s, true, err))))
        return st;
    if (yk_supervisor_stands(&s->supervisor))
        yk_supervisor_start(&s->supervisor);
    s->left = 0;
    s->begun = true;
    return YK_OK;
}

void yk_station_retire(struct yk_station *s)
{
    struct yk_supervisor *v = &s->supervisor;

    s->left = 0;
    yk_supervisor_conclude(v);
    yk_supervisor_event(v, v->state == YK_STATE_PAUSED ? YK_EVENT_ABORT : YK_EVENT_FINISH);
}

YK_RT bool yk_station_lowers_pressure(struct yk_station *s)
{
    yk_supervisor_order_pressure(&s->supervisor, YK_PRESSURE_OFF);
    return !s->lost && yk_supervisor_changes_pressure(&s->supervisor);
}

void yk_station_end(struct yk_station *s)
{
    yk_station_tell_cut(s); /* asked for between two ticks */
    if (s->begun && !s->was_cut)
        (void)yk_station_enable_drives(s, false, NULL);
    s->begun = false;
}
