/* The cycle of the test station. docs/theory/transfer.md.
 *
 * Between two targets an actuator moves from the last command to the new one, tick by tick (path.c). This file follows
 * the order of the signals:
 *
 *     target -> compensator -> command -> controller -> supervisor -> rig -> supervisor -> readings -> feedback
 *
 * The compensator predicts the command for the target. The supervisor checks it last. The method gets the force of the
 * last tick, or the one that fits the target best (feedback.c). Preparation: station_open.c; exchange with the rig:
 * station_rig.c; rest, start and end: station_start.c; without a method: station_console.c. */
#include "transfer/station_parts.h"
#include "transfer/supervisor_parts.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

#define LOST_NS                                                                                                        \
    1000000000 /* a rig that is lost is waited for as long as its ramp lasts and this, in all its exchanges together   \
                */

#define OFTEN 0.1 /* of its window at the bound: passivity control warns; single bursts are those of low speeds */

/* ---- compensator: from a target to the command for it ---- */

YK_RT static double delay_of(const struct yk_station *s, const struct yk_actuator_chain *c)
{
    return yk_feedback_delay(&c->feedback, c->delay + c->a.filter_delay, s->dt);
}

/* Part of the compensated delay that no reading shows: the filter of the force and the share of optimal feedback. */
YK_RT static double unseen(const struct yk_station *s, const struct yk_actuator_chain *c)
{
    return delay_of(s, c) - (c->delay + c->a.seen_delay);
}

YK_RT static struct yk_target target_of(const struct yk_station *s, const struct yk_actuator_chain *c)
{
    return (struct yk_target){.x = c->next,
                              .v = c->next_speed,
                              .stage = (int)(s->targets % s->stages),
                              .stages = s->stages,
                              .late = c->a.seen_delay};
}

/* The commands of actuators that are compensated together; their targets are set. */
YK_RT static void compensate_jointly(struct yk_station *s, const struct yk_joint_chain *j)
{
    for (size_t k = 0; k < j->j.count; k++) {
        const struct yk_actuator_chain *c = &s->chains[j->j.members[k]];

        j->targets[k] = target_of(s, c);
        j->in[k] = delay_of(s, c);
    }
    j->j.compensator.ops->joint->predict(j->compensator, j->targets, j->in, j->out);
    for (size_t k = 0; k < j->j.count; k++)
        s->chains[j->j.members[k]].command = j->out[k];
}

/* The new target of an actuator, and the command for it. */
YK_RT static void compensate(struct yk_station *s, struct yk_actuator_chain *c)
{
    const double x = c->next, v = c->next_speed, delay = delay_of(s, c), D = s->ticks * s->tick;
    const struct yk_target target = target_of(s, c);

    if (!c->jointly_commanded)
        c->command = c->a.compensator.ops->predict(c->compensator, &target, delay);
    /* the slope a delay later, on the parabola through the target, its velocity and the target before */
    yk_path_set_target(&c->path, c->command, v * D + 2 * delay / D * (v * D - x + c->target));
    c->last_target = c->target;
    c->target = x;
}

/* ---- controller: corrects the command at every tick ---- */

/* Records a command before the added delay; returns the push to be added after it. */
YK_RT static double pushed(struct yk_delay_probe *p, double command)
{
    const size_t at = p->made++;

    if (at < p->room)
        p->commands[at] = command;
    return at < p->pushes ? p->push[at] : 0;
}

/* The command that reaches the controller: the one of an added delay ago, a straight line between ticks. */
YK_RT static double delayed(const struct yk_station *s, struct yk_actuator_chain *c, double command)
{
    const int n = s->past_count;

    if (!c->past)
        return command;
    memmove(c->past + 1, c->past, (size_t)(n - 1) * sizeof *c->past);
    c->past[0] = command;
    return s->past_share * c->past[n - 2] + (1 - s->past_share) * c->past[n - 1] +
           (s->probe ? pushed(s->probe, command) : 0);
}

/* The command that actuator i gets, `share` of the way to the new command. */
YK_RT static void control(struct yk_station *s, size_t i, double share)
{
    struct yk_actuator_chain *c = &s->chains[i];

    c->tick_command = delayed(s, c, yk_path_at(&c->path, share));
    if (yk_command_is_rate(c->a.limits.kind) && c->a.drift > 0)
        c->tick_command +=
            yk_place_lead(&c->place, c->a.limits.kind, share, s->in.readings[i].displacement, c->a.drift, s->tick);
    if (!c->jointly_driven)
        c->output = s->sent[i] =
            c->a.controller.ops->step(c->controller, c->tick_command, yk_chain_quantity(c, &s->in.readings[i]));
    s->present[i] = c->last_target + share * (c->target - c->last_target);
}

/* The commands of actuators that are controlled together. */
YK_RT static void control_jointly(struct yk_station *s, const struct yk_joint_chain *j)
{
    for (size_t k = 0; k < j->j.count; k++) {
        const size_t i = j->j.members[k];

        j->in[k] = s->chains[i].tick_command;
        j->measured[k] = yk_chain_quantity(&s->chains[i], &s->in.readings[i]);
    }
    j->j.controller.ops->joint->step(j->controller, j->in, j->measured, j->out);
    for (size_t k = 0; k < j->j.count; k++)
        s->chains[j->j.members[k]].output = s->sent[j->j.members[k]] = j->out[k];
}

YK_RT void yk_station_estimate(const struct yk_station *s, double *x)
{
    for (size_t i = 0; i < s->count; i++)
        x[i] = s->in.readings[i].displacement;
    for (size_t k = 0; k < s->joint_count; k++) {
        const struct yk_joint_chain *j = &s->joints[k];

        if (!j->controller || !j->j.controller.ops->joint->estimate)
            continue;
        for (size_t m = 0; m < j->j.count; m++)
            j->measured[m] = s->in.readings[j->j.members[m]].displacement;
        j->j.controller.ops->joint->estimate(j->controller, j->measured, j->out);
        for (size_t m = 0; m < j->j.count; m++)
            x[j->j.members[m]] = j->out[m];
    }
}

/* All commands. */
YK_RT static void control_all(struct yk_station *s, double share)
{
    for (size_t i = 0; i < s->count; i++)
        control(s, i, share);
    for (size_t k = 0; k < s->joint_count; k++)
        if (s->joints[k].controller)
            control_jointly(s, &s->joints[k]);
}

/* ---- feedback: at every tick, and at the due time of the target ---- */

YK_RT static void keep_indices(struct yk_actuator_chain *c, double target, double speed, double measured)
{
    yk_deviation_add(&c->tracking, target, measured);
    yk_deviation_add(&c->feeling, target, c->felt);
    c->moment += (target - measured) * speed;
    c->power += speed * speed;
}

/* Tells the controller what was sent instead of its output. */
YK_RT static void tell_clipped(const struct yk_station *s, size_t i)
{
    const struct yk_actuator_chain *c = &s->chains[i];

    if (!c->jointly_driven && s->sent[i] != c->output && c->a.controller.ops->clipped && !yk_station_is_second(s, i))
        c->a.controller.ops->clipped(c->controller, s->sent[i]);
}

YK_RT static void tell_clipped_jointly(const struct yk_station *s, const struct yk_joint_chain *j)
{
    bool clipped = false;

    if (!j->controller || !j->j.controller.ops->joint->clipped)
        return;
    for (size_t k = 0; k < j->j.count; k++) {
        j->in[k] = s->sent[j->j.members[k]];
        clipped |= j->in[k] != s->chains[j->j.members[k]].output;
    }
    if (clipped)
        j->j.controller.ops->joint->clipped(j->controller, j->in);
}

/* The delayed measurement, interpolated linearly between two ticks. */
YK_RT static double seen(struct yk_delay_line *past, double measured)
{
    if (!past->u)
        return measured;
    yk_delay_line_push(past, measured);
    return (1 - past->rest) * yk_delay_line_get(past, past->whole) +
           past->rest * yk_delay_line_get(past, past->whole + 1);
}

/* Takes the readings of an actuator. */
YK_RT static void observe(struct yk_station *s, size_t i)
{
    struct yk_actuator_chain *c = &s->chains[i];

    tell_clipped(s, i);
    c->read = s->in.readings[i];
    yk_feedback_push(&c->feedback, &s->in.readings[i]);
    c->felt = seen(&c->seen, yk_chain_quantity(c, &c->read));
    keep_indices(c, s->present[i], (c->target - c->last_target) / (s->ticks * s->tick),
                 yk_chain_quantity(c, &s->in.readings[i]));
}

/* Corrections of the force that goes back: what a model adds, and passivity control. */
YK_RT static double corrected(struct yk_station *s, struct yk_actuator_chain *c, double measured)
{
    struct yk_passivity *p = &c->passivity;
    struct yk_supervisor *v = &s->supervisor;
    const size_t i = (size_t)(c - s->chains);
    const double added = yk_feedback_added(&c->feedback, c->target, measured), paid = p->paid;

    if (p->set.kind == YK_PASSIVITY_NONE || c->was_second || !yk_supervisor_follows(v))
        return added;
    const double more = yk_passivity_step(p, c->target, measured, c->fed, added);

    v->supervised[i].repaid += p->paid - paid;
    if (p->share > OFTEN && !v->supervised[i].at_bound) {
        v->supervised[i].at_bound = true;
        yk_supervisor_raise_beyond(v, YK_LIMIT_PASSIVE_BOUND, i, p->a, p->set.most);
    }
    yk_supervisor_check(v, YK_LIMIT_PASSIVITY, i, p->share);
    return added + more;
}

/* At the due time: computes the feedback, and lets compensator and estimator learn. */
YK_RT static void learn(struct yk_station *s, struct yk_actuator_chain *c, double measured)
{
    c->matched = measured;
    c->fed = yk_feedback_force(&c->feedback, c->target, &c->matched);
    if (c->corrects)
        c->fed += corrected(s, c, measured);
    if (c->was_second) /* force control shows nothing of displacement control */
        return;
    if (!c->jointly_commanded && c->a.compensator.ops->learn)
        c->a.compensator.ops->learn(c->compensator, c->learns_delay ? c->felt : measured);
    if (c->a.estimator.ops && s->targets % s->stages == 0) {
        /* the actuator leads its target by the unseen delay, as intended */
        const struct yk_tracking sample = {c->target + unseen(s, c) * c->speed, c->command, measured};

        c->delay = c->a.estimator.ops->update(c->estimator, &sample) - c->a.seen_delay;
        if (c->a.estimator.ops->gain)
            c->gain = c->a.estimator.ops->gain(c->estimator);
    }
}

/* ---- the cycle: ticks to a target, targets to a time ---- */

/* The cubic through two targets and their velocities, at the fraction x of the time h between them. */
YK_RT static double between(const struct yk_actuator_chain *c, double h, double x, double *v)
{
    const bool rate = yk_command_is_rate(c->a.limits.kind);
    const double from = rate ? c->place.x[0] : c->last_target, d = c->final_target - from,
                 m0 = h * (rate ? c->place.speed : c->last_speed), m1 = h * c->final_speed;

    *v = (m0 + x * (2 * (3 * d - 2 * m0 - m1) + 3 * x * (m0 + m1 - 2 * d))) / h;
    return from + x * (m0 + x * (3 * d - 2 * m0 - m1 + x * (m0 + m1 - 2 * d)));
}

YK_RT void yk_station_set_target(struct yk_station *s, size_t i, double x, double v)
{
    s->chains[i].final_target = x;
    s->chains[i].final_speed = v;
}

/* The next target on the way. If a method starts with longer stages than it continues with, targets are put between. */
YK_RT static void begin_leg(struct yk_station *s)
{
    const double spacing = s->dt / s->stages;

    s->made = 0;
    for (size_t i = 0; i < s->count; i++) {
        struct yk_actuator_chain *c = &s->chains[i];
        double x = c->final_target, v = c->final_speed;

        if (s->left > 1)
            x = between(c, (double)s->left * spacing, 1 / (double)s->left, &v);
        c->next = x;
        c->next_speed = v;
        if (yk_command_is_rate(c->a.limits.kind))
            c->next = yk_place_target(&c->place, c->a.limits.kind, spacing, x, v, c->target, &c->next_speed);
    }
    for (size_t k = 0; k < s->joint_count; k++)
        if (s->joints[k].compensator)
            compensate_jointly(s, &s->joints[k]);
    for (size_t i = 0; i < s->count; i++) {
        compensate(s, &s->chains[i]);
        s->chains[i].speed = s->chains[i].last_speed = s->chains[i].next_speed;
    }
}

YK_RT static void end_leg(struct yk_station *s)
{
    s->targets++;
    s->left--;
    for (size_t i = 0; i < s->count; i++) {
        struct yk_actuator_chain *c = &s->chains[i];

        learn(s, c, yk_chain_quantity(c, &c->read));
        c->last_target = c->target;
    }
    for (size_t k = 0; k < s->joint_count; k++) {
        struct yk_joint_chain *j = &s->joints[k];

        if (!j->compensator || !j->j.compensator.ops->joint->learn)
            continue;
        for (size_t i = 0; i < j->j.count; i++)
            j->in[i] = yk_chain_quantity(&s->chains[j->j.members[i]], &s->chains[j->j.members[i]].read);
        j->j.compensator.ops->joint->learn(j->compensator, j->in);
    }
}

YK_RT bool yk_station_is_moving(const struct yk_station *s)
{
    const struct yk_supervisor *v = &s->supervisor;
    const double ramp_s = (double)v->ramp_ticks * v->tick_s;

    return yk_supervisor_moves(v) && s->lost_wait_ns < LOST_NS + (int64_t)(1e9 * ramp_s);
}

/* Begins the next leg. If the method is no longer followed and nothing moves, its step ends with the present forces. */
YK_RT static void next_leg(struct yk_station *s)
{
    while (s->left > 0) {
        begin_leg(s);
        if (yk_supervisor_chained(&s->supervisor) || yk_station_is_moving(s))
            return;
        end_leg(s);
    }
}

YK_RT void yk_station_depart(struct yk_station *s, double t)
{
    s->left = lround(t / (s->dt / s->stages)) - s->targets;
    for (size_t i = 0; i < s->count; i++)
        s->chains[i].last_speed = s->chains[i].speed;
    next_leg(s);
}

YK_RT bool yk_station_under_way(const struct yk_station *s)
{
    return s->left > 0;
}

YK_RT bool yk_station_send(struct yk_station *s)
{
    const bool sends = yk_supervisor_commands(&s->supervisor, s->sent, s->sent);

    for (size_t k = 0; sends && k < s->pose_count; k++)
        yk_pose_keep_rate(s->poses[k], &s->supervisor, s->sent);
    return sends;
}

/* Commands of one tick. In a pause the controllers keep running; stale states would make the command jump on resume. */
YK_RT bool yk_station_command(struct yk_station *s)
{
    struct yk_supervisor *v = &s->supervisor;

    s->follows = s->left > 0 && yk_supervisor_follows(v);
    s->made += s->follows;
    if (s->follows || (s->left > 0 && v->state == YK_STATE_PAUSED))
        control_all(s, (double)s->made / s->ticks);
    if (s->seconds && (s->follows || (s->left > 0 && v->state == YK_STATE_PAUSED)))
        yk_station_lead_forces(s);
    for (size_t k = 0; s->follows && k < s->pose_count; k++)
        yk_pose_check_commands(s->poses[k], v, s->sent);
    if (!s->follows) {
        /* The asked command stands still. The sent one may still be on its way there: checked as asked, it would be a
         * jump. */
        for (size_t i = 0; i < s->count && v->state != YK_STATE_PAUSED; i++)
            s->sent[i] = yk_supervisor_asked(v, i);
        yk_supervisor_keep(v, s->sent);
        yk_supervisor_hold(v);
    }
    return yk_station_send(s);
}

YK_RT void yk_station_exchange(struct yk_station *s, bool sends)
{
    const enum yk_rig_answer answer = sends ? yk_station_ask_rig(s) : YK_RIG_FRESH;

    if (sends && answer == YK_RIG_FRESH)
        yk_supervisor_inputs(&s->supervisor, s->in.sensors, s->in.lines);
    yk_supervisor_readings(&s->supervisor, answer, s->present, s->in.readings);
    if (sends && answer == YK_RIG_FRESH)
        yk_station_watch_devices(s);
    if (s->seconds && sends && answer == YK_RIG_FRESH)
        yk_station_watch_modes(s);
    for (size_t k = 0; k < s->pose_count; k++)
        yk_pose_check_readings(s->poses[k], &s->supervisor, s->in.readings);
    yk_station_tell_cut(s);
}

YK_RT void yk_station_observe(struct yk_station *s)
{
    const bool paused = s->left > 0 && s->supervisor.state == YK_STATE_PAUSED;

    for (size_t i = 0; i < s->count; i++)
        if (s->follows)
            observe(s, i);
        else if (paused)
            tell_clipped(s, i);
    for (size_t k = 0; (s->follows || paused) && k < s->joint_count; k++)
        tell_clipped_jointly(s, &s->joints[k]);
    /* the motion of a trip or an abort comes first: the rest of the method's step may take long to compute */
    if (s->left > 0 &&
        (yk_supervisor_chained(&s->supervisor) ? s->follows && s->made == s->ticks : !yk_station_is_moving(s))) {
        end_leg(s);
        next_leg(s);
    }
}

YK_RT void yk_station_move(struct yk_station *s, double t)
{
    yk_station_depart(s, t);
    while (s->left > 0 && s->supervisor.state != YK_STATE_PAUSED) {
        yk_station_exchange(s, yk_station_command(s));
        yk_station_observe(s);
    }
}

YK_RT double yk_station_force(const struct yk_station *s, size_t i)
{
    return s->chains[i].fed;
}

YK_RT void yk_station_reached(struct yk_station *s, size_t i, double x, double v, double a)
{
    struct yk_actuator_chain *c = &s->chains[i];
    const int stage =
        (int)((s->targets + s->stages - 1) % s->stages); /* of the last target; at rest, the end of a step */
    const struct yk_target state = {.x = x, .v = v, .a = a, .stage = stage, .stages = s->stages};

    if (!c->jointly_commanded && c->a.compensator.ops->reached)
        c->a.compensator.ops->reached(c->compensator, &state);
    for (size_t k = 0; c->jointly_commanded && k < s->joint_count; k++) {
        struct yk_joint_chain *j = &s->joints[k];

        /* called once, after the last of its actuators */
        for (size_t m = 0; j->compensator && j->j.compensator.ops->joint->reached && m < j->j.count; m++)
            if (j->j.members[m] == i) {
                j->targets[m] = state;
                if (m + 1 == j->j.count)
                    j->j.compensator.ops->joint->reached(j->compensator, j->targets);
            }
    }
}

/* ---- what it does ---- */

YK_RT struct yk_reading yk_station_reading(const struct yk_station *s, size_t i)
{
    return s->in.readings[i];
}

YK_RT struct yk_reading yk_station_raw(const struct yk_station *s, size_t i)
{
    return s->corrections.of ? s->raw.readings[i] : s->in.readings[i];
}

YK_RT const double *yk_station_raw_sensors(const struct yk_station *s)
{
    return s->corrections.of ? s->raw.sensors : s->in.sensors;
}

YK_RT struct yk_reading yk_station_measured(const struct yk_station *s, size_t i)
{
    return s->chains[i].read;
}

YK_RT const double *yk_station_sensors(const struct yk_station *s)
{
    return s->in.sensors;
}

YK_RT uint32_t yk_station_lines(const struct yk_station *s)
{
    return s->out.lines | s->in.lines;
}

YK_RT double yk_station_seen_delay(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.seen_delay;
}

YK_RT bool yk_station_estimates_gain(const struct yk_station *s, size_t i)
{
    const struct yk_estimator_ops *ops = s->chains[i].a.estimator.ops;

    return ops && ops->gain;
}

const struct yk_passivity_settings *yk_station_passivity(const struct yk_station *s, size_t i)
{
    return &s->chains[i].a.passivity;
}

bool yk_station_is_passive(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.passivity.kind != YK_PASSIVITY_NONE;
}

YK_RT bool yk_station_matches(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.feedback.source == YK_FORCE_OPTIMAL;
}

YK_RT struct yk_actuator_state yk_station_state(const struct yk_station *s, size_t i)
{
    const struct yk_actuator_chain *c = &s->chains[i];

    return (struct yk_actuator_state){
        .target = c->target,
        .command = c->command,
        .displacement = c->read.displacement,
        .force = c->a.limits.kind == YK_BY_FORCE ? c->read.force : c->fed,
        .delay = c->delay,
        .gain = c->gain,
        .matched = c->matched,
        .tracked = yk_chain_quantity(c, &c->read),
        .generated = c->passivity.generated,
        .paid = c->passivity.paid,
        .passivity = c->passivity.a,
        .passivity_share = c->passivity.share,
    };
}

YK_RT struct yk_tracking_indices yk_station_tracking(const struct yk_station *s, size_t i)
{
    const struct yk_actuator_chain *c = &s->chains[i];

    return (struct yk_tracking_indices){.nrms = yk_deviation_nrms(&c->tracking, 0),
                                        .felt_nrms = yk_deviation_nrms(&c->feeling, 0),
                                        .peak = c->tracking.peak,
                                        .delay_s = c->power > 0 ? c->moment / c->power : 0,
                                        .roughness = yk_path_roughness(&c->path)};
}

YK_RT struct yk_compensated yk_station_compensated(const struct yk_station *s, size_t i)
{
    const struct yk_actuator_chain *c = &s->chains[i];
    const bool none = strcmp(c->a.compensator.ops->name, "none") == 0;

    return (struct yk_compensated){
        .lead_s = none ? 0 : yk_feedback_delay(&c->feedback, c->delay + c->a.filter_delay, s->dt),
        .filter_s = none ? 0 : c->a.filter_delay - c->a.playout,
        .playout_s = none ? 0 : c->a.playout,
        .estimated_s = c->a.estimator.ops ? c->delay : NAN,
        .gain = yk_station_estimates_gain(s, i) ? c->gain : NAN,
        .present = !none,
        .adapts = c->a.compensator.ops->learns_delay ? c->learns_delay : c->a.compensator.ops->learn != NULL,
        .idle = c->idle};
}

YK_RT struct yk_supervisor *yk_station_supervisor(struct yk_station *s)
{
    return s ? &s->supervisor : NULL;
}
