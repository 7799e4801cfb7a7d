/* How far a command may go without an answer, and how it is led back to the asked command. docs/safety.md.
 *
 * A rig that has not answered may not have heard. The command of displacement or force that was sent when the last
 * fresh reading came is the last one known to have arrived. While none comes, commands stay within a reach of it: the
 * way that limits.command_rate allows in AHEAD times the usual time between two readings. In its second half they get
 * slower. So the first command that arrives after a silence is no step, however long the silence was. A rig that
 * answers in every tick never meets this bound.
 *
 * After a silence, a hold or a pause the sent command differs from the asked one. It is led back with the deceleration
 * a of supervisor_stop.c: with e the distance and u the speed of the asked command, its own speed is
 *
 *     u + min(sqrt(a |e|), |e|/h) sign(e),     no more than a h away from the one before
 *
 * and after 4 v_max/a the bound a grows, so that a noisy controller does not keep the two apart.
 *
 * A hold stops the asked command at once. The sent one then brakes, overshoots by v^2/(2 a) and comes back. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define AHEAD      2.0  /* of the usual times between two readings */
#define UNHEARD    4.0  /* the same: after this ramps wait */
#define MEAN       0.25 /* share of the newest time in the usual one */
#define LONGEST    4.0  /* of the time in which the limit of the rate is reached: to come back */
#define HURRIES_S  0.5  /* the same without a limit of the rate */
#define GIVEN_UP_S 1.0  /* after which a motion that nobody hears is not waited for */

YK_RT bool yk_supervisor_is_unheard(const struct yk_supervisor *s)
{
    return s->time.measured && s->unheard_ticks > UNHEARD * fmax(s->time.usual, 1);
}

YK_RT bool yk_supervisor_gives_up(const struct yk_supervisor *s)
{
    return yk_supervisor_is_unheard(s) && s->unheard_ticks * s->tick_s > GIVEN_UP_S;
}

YK_RT void yk_supervisor_hear(struct yk_supervisor *s)
{
    struct yk_supervised_time *t = &s->time;

    if (!t->measured)
        return;
    t->usual += MEAN * (fmin(t->between, UNHEARD * fmax(t->usual, 1)) - t->usual);
    for (size_t i = 0; i < s->count; i++)
        s->supervised[i].heard = s->supervised[i].sent;
}

YK_RT double yk_supervisor_within_reach(const struct yk_supervisor *s, size_t i, double x, double from)
{
    const struct yk_supervised *g = &s->supervised[i];

    if (from == g->heard || yk_command_is_rate(g->own.kind))
        return x;
    const double tick = yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i) * s->tick_s,
                 reach = AHEAD * fmax(s->time.usual, 1) * tick, lead = fabs(from - g->heard), most = fmax(reach, lead),
                 step = tick * yk_supervisor_advance(s) * sqrt(fmin(2 * fmax(1 - lead / reach, 0), 1));

    if (!(tick > 0) || fabs(x - g->heard) <= lead)
        return x;
    return fmax(g->heard - most, fmin(from + fmax(-step, fmin(x - from, step)), g->heard + most));
}

YK_RT void yk_supervisor_part_one(struct yk_supervisor *s, size_t i)
{
    s->supervised[i].apart |= yk_supervisor_deceleration(s, i) > 0;
    s->supervised[i].meeting_s = 0;
}

YK_RT void yk_supervisor_part(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        yk_supervisor_part_one(s, i);
}

YK_RT double yk_supervisor_asked(const struct yk_supervisor *s, size_t i)
{
    return s->supervised[i].apart ? s->supervised[i].asked : s->supervised[i].sent;
}

/* Largest acceleration on the way back. A controller may ask for more again and again; then the command comes back all
 * the same, harder with time. */
YK_RT static double strength(const struct yk_supervisor *s, size_t i)
{
    const double a = yk_supervisor_deceleration(s, i), rate = yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i),
                 usual_s = rate > 0 ? LONGEST * rate / a : HURRIES_S;

    return a * exp2(fmin(fmax(4 * (s->supervised[i].meeting_s / usual_s - 1), 0), 20));
}

YK_RT double yk_supervisor_meet(struct yk_supervisor *s, size_t i, double speed, double h)
{
    struct yk_supervised *g = &s->supervised[i];
    const double a = strength(s, i), e = g->asked - g->sent - speed * h,
                 wanted = speed + copysign(fmin(sqrt(a * fabs(e)), fabs(e) / h), e),
                 rate = fmax(g->rate - a * h, fmin(wanted, g->rate + a * h));

    g->meeting_s += h;
    g->apart = rate != wanted || fabs(e) > a * h * h;
    g->rate = rate;
    return g->apart ? g->sent + rate * h : g->asked;
}
