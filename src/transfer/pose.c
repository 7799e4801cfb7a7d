/* The limits of a platform that several actuators move: translations and rotations of its setup, docs/safety.md. The
 * commanded pose and its rate are checked before a command is sent, the measured pose and its forces after every
 * exchange. Units: m, N and rad, N m; rates in wall time. */
#include "transfer/pose.h"

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

    if (!(p->target = yk_arena_doubles(mem, 4 * n + 2 * count)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the limits of a platform");
    p->measured = p->target + n;
    p->found = p->measured + n;
    p->forces = p->found + n;
    p->strokes = p->forces + n;
    p->pulls = p->strokes + count;
    return YK_OK;
}

YK_RT void yk_pose_rest(struct yk_pose *p, const double *commands)
{
    const size_t n = p->dofs;

    memset(p->target, 0, n * sizeof *p->target);
    yk_setup_motion(p->setup, commands + p->first, NULL, NULL, p->target, NULL, NULL);
    memcpy(p->measured, p->target, n * sizeof *p->measured);
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
