/* The limits of a platform that several actuators move: translations and rotations of its setup, docs/safety.md. The
 * commanded pose and its rate are checked before a command is sent, the measured pose and its forces after every
 * exchange. Units: m, N and rad, N m; rates in wall time. */
#include "transfer/pose.h"

#include "transfer/supervisor_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void yk_pose_free(struct yk_pose *p)
{
    for (size_t i = 0; p->limits && i < YK_POSE_LIMITS * p->dofs; i++)
        free((char *)p->limits[i].name);
    free(p->limits);
    p->limits = NULL;
}

enum yk_status yk_pose_init(struct yk_pose *p, struct yk_arena *mem, struct yk_err *err)
{
    const size_t n = p->dofs, count = yk_setup_actuators(p->setup);

    if (!yk_arena_array(mem, &p->target, 5 * n + 3 * count))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the limits of a platform");
    p->measured = p->target + n;
    p->found = p->measured + n;
    p->forces = p->found + n;
    p->strokes = p->forces + n;
    p->pulls = p->strokes + count;
    p->was = p->pulls + count;
    p->from = p->was + n;
    yk_arena_pointers(mem, &p->measured, &p->found, &p->forces, &p->strokes, &p->pulls, &p->was, &p->from, &p->setup);
    return YK_OK;
}

YK_RT void yk_pose_rest(struct yk_pose *p, const double *commands)
{
    const size_t n = p->dofs;

    memset(p->target, 0, n * sizeof *p->target);
    yk_setup_motion(p->setup, commands + p->first, NULL, NULL, p->target, NULL, NULL);
    memcpy(p->measured, p->target, n * sizeof *p->measured);
    memcpy(p->was, p->target, n * sizeof *p->was);
    p->sends = false;
}

YK_RT static void check(const struct yk_pose *p, struct yk_supervisor *s, size_t dof, enum yk_pose_limit kind, double x)
{
    const struct yk_sensor_limit *limit = &p->limits[YK_POSE_LIMITS * dof + kind];

    if (limit->limit > 0 && !(fabs(x) <= limit->limit))
        yk_supervisor_raise_named(s, YK_LIMIT_POSE, limit, x);
}

YK_RT void yk_pose_check_commands(struct yk_pose *p, struct yk_supervisor *s, const double *commands)
{
    const size_t n = p->dofs;

    if (!p->commanded)
        return;
    memcpy(p->found, p->target, n * sizeof *p->found);
    if (yk_setup_motion(p->setup, commands + p->first, NULL, NULL, p->found, NULL, NULL))
        return; /* no pose has these strokes: the limits of the actuators remain */
    for (size_t i = 0; i < n; i++) {
        check(p, s, i, YK_POSE_DISPLACEMENT, p->found[i]);
        check(p, s, i, YK_POSE_RATE, (p->found[i] - p->target[i]) / s->tick_s);
        p->target[i] = p->found[i];
    }
}

/* Share of the step to the pose p->found that the limits of the rate allow in the time since the last command. */
YK_RT static double share_of_step(const struct yk_pose *p, const struct yk_supervisor *s)
{
    const double span_s = yk_supervisor_advance(s) * s->tick_s;
    double share = 1;

    for (size_t i = 0; i < p->dofs; i++) {
        const double most = span_s * p->limits[YK_POSE_LIMITS * i + YK_POSE_RATE].limit,
                     way = fabs(p->found[i] - p->was[i]);

        if (most > 0 && way > most)
            share = fmin(share, most / way);
    }
    return share;
}

/* The rate of what the method asks for is checked over a full tick (yk_pose_check_commands). A beat that follows a late
 * one comes early and would send that step in less time. */
YK_RT void yk_pose_keep_rate(struct yk_pose *p, struct yk_supervisor *s, double *sent)
{
    const size_t count = yk_setup_actuators(p->setup);

    sent += p->first;
    if (!p->commanded || !s->time.measured)
        return;
    memcpy(p->found, p->was, p->dofs * sizeof *p->found);
    if (yk_setup_motion(p->setup, sent, NULL, NULL, p->found, NULL, NULL))
        return;
    const double share = p->sends ? share_of_step(p, s) : 1;
    for (size_t i = 0; share < 1 && i < count; i++) {
        struct yk_supervised *g = &s->supervised[p->first + i];

        g->sent = sent[i] = p->from[i] + share * (sent[i] - p->from[i]);
        g->rate *= share;
    }
    for (size_t i = 0; i < p->dofs; i++) /* a step is so short that the setup is linear in it */
        p->was[i] += share * (p->found[i] - p->was[i]);
    memcpy(p->from, sent, count * sizeof *p->from);
    p->sends = true;
}

YK_RT void yk_pose_check_readings(struct yk_pose *p, struct yk_supervisor *s, const struct yk_reading *readings)
{
    for (size_t i = 0; i < yk_setup_actuators(p->setup); i++) {
        p->strokes[i] = readings[p->first + i].displacement;
        p->pulls[i] = readings[p->first + i].force;
    }
    if (yk_setup_motion(p->setup, p->strokes, NULL, NULL, p->measured, NULL, NULL))
        return;
    yk_setup_forces(p->setup, p->measured, p->pulls, p->forces);
    for (size_t i = 0; i < p->dofs; i++) {
        check(p, s, i, YK_POSE_DISPLACEMENT, p->measured[i]);
        check(p, s, i, YK_POSE_FORCE, p->forces[i]);
    }
}
