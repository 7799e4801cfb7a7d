/* Does an actuator follow? docs/safety.md.
 *
 * Relative error: the root mean square of target minus measured displacement over the last quarter of a second or so,
 * by the largest one of the target's motion so far. Both count from where the method took over, so that an offset does
 * not matter; a wrong scale, a wrong sign and a long delay do. Errors that are accepted at standstill are never judged.
 *
 * Following error: command minus measured displacement at the same instant. An actuator that is late by T is behind by
 * T times its speed, and so grows the window. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define MEAN_S    0.25 /* of the means */
#define JUDGED_S  0.5  /* after which they are judged */
#define WARNED_AT 0.4  /* of the limit */
#define ACCEPTED  1e-3 /* m, rad: where there is no limits.position_error */

/* The share of a new value in a mean over `over_s`. */
YK_RT static double share(double h, double over_s)
{
    return fmin(h / over_s, 1);
}

YK_RT static void keep_means(struct yk_follow_monitor *m, double target, double measured, double h)
{
    if (m->seconds == 0) {
        m->target = target;
        m->measured = measured;
    }
    const double motion = target - m->target, seen = measured - m->measured, error = motion - seen,
                 k = share(h, MEAN_S);

    m->error2 += k * (error * error - m->error2);
    m->motion2 += k * (motion * motion - m->motion2);
    m->product += k * (motion * seen - m->product);
    m->largest2 = fmax(m->largest2, m->motion2);
    m->seconds += h;
}

YK_RT static void warn_early(struct yk_supervisor *s, size_t i, double relative, double limit)
{
    struct yk_supervised *g = &s->supervised[i];

    g->follow.warned = true;
    yk_supervisor_warn(s, &(struct yk_trip){.tripped = true,
                                            .kind = YK_LIMIT_RELATIVE_ERROR,
                                            .action = YK_ACTION_WARN,
                                            .actuator = i,
                                            .value = relative,
                                            .limit = limit,
                                            .turns = g->own.turns,
                                            .gain = g->follow.product / g->follow.motion2,
                                            .tick = s->tick});
}

YK_RT static void watch_relative(struct yk_supervisor *s, size_t i, double target, double measured)
{
    struct yk_follow_monitor *m = &s->supervised[i].follow;
    const double limit = yk_supervisor_limit(s, YK_LIMIT_RELATIVE_ERROR, i),
                 accepted = yk_supervisor_limit(s, YK_LIMIT_POSITION_ERROR, i);

    if (!(limit > 0))
        return;
    keep_means(m, target, measured, s->time.between * s->tick_s);
    const double relative = sqrt(m->error2 / m->largest2);

    if (m->seconds < JUDGED_S || !(sqrt(m->error2) > (accepted > 0 ? accepted : ACCEPTED)))
        return;
    if (relative > limit)
        yk_supervisor_raise(s, YK_LIMIT_RELATIVE_ERROR, i, relative);
    else if (relative > WARNED_AT * limit && !m->warned)
        warn_early(s, i, relative, WARNED_AT * limit);
}

YK_RT static void watch_window(struct yk_supervisor *s, size_t i, double measured)
{
    struct yk_supervised *g = &s->supervised[i];
    const double limit = yk_supervisor_limit(s, YK_LIMIT_FOLLOWING, i), late_s = s->limits.following_time,
                 speed = fabs(g->rate);

    if (!(limit > 0))
        return;
    if (late_s > 0) /* the speed of a moment ago still counts */
        g->pace = fmax(speed, g->pace + share(s->time.between * s->tick_s, late_s) * (speed - g->pace));
    const double window = limit + late_s * g->pace, error = g->sent - measured;

    if (!(fabs(error) <= window))
        yk_supervisor_raise_beyond(s, YK_LIMIT_FOLLOWING, i, error, window);
}

YK_RT void yk_supervisor_watch_following(struct yk_supervisor *s, size_t i, double target, const struct yk_reading *r)
{
    if (s->supervised[i].own.kind != YK_BY_DISPLACEMENT)
        return;
    if (yk_supervisor_follows(s) && !s->by_hand &&
        !s->supervised[i].apart) /* a sweep is there to find out how an actuator follows */
        watch_relative(s, i, target, r->displacement);
    watch_window(s, i, r->displacement);
}
