/* How a motion ends: by a bounded deceleration, not within a tick. docs/safety.md.
 *
 * From the rate v an actuator that decelerates with a comes to rest after v/a, on the way v^2/(2 a). The deceleration
 * is limits.acceleration. Without it a rig that is not simulated stops from its command_rate in STOPPING_S; a simulated
 * one stops at once, since nothing is there to be shaken.
 *
 * Only commands of displacement are braked here: rates are braked by place.c, and a force has no momentum. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define STOPPING_S 0.05 /* from limits.command_rate to rest, where no acceleration is given */
#define MARGIN     0.9  /* of limits.acceleration */
#define AT_ONCE_S  0.1  /* breaches within this time of the trip have its cause */
#define STANDS     1e-9 /* m/s, rad/s */

YK_RT double yk_supervisor_deceleration(const struct yk_supervisor *s, size_t i)
{
    const double given = yk_supervisor_limit(s, YK_LIMIT_ACCELERATION, i);

    if (s->supervised[i].own.kind != YK_BY_DISPLACEMENT)
        return 0;
    if (given > 0)
        return MARGIN * given;
    return s->time.measured ? yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i) / STOPPING_S : 0;
}

YK_RT static bool moves(const struct yk_supervisor *s, size_t i)
{
    return fabs(s->supervised[i].rate) > STANDS && yk_supervisor_deceleration(s, i) > 0;
}

YK_RT bool yk_supervisor_is_braking(const struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (moves(s, i))
            return true;
    return false;
}

YK_RT bool yk_supervisor_brake(struct yk_supervisor *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (!moves(s, i))
            s->supervised[i].rate = 0;
    return yk_supervisor_is_braking(s);
}

YK_RT double yk_supervisor_braked(struct yk_supervisor *s, size_t i, double h)
{
    struct yk_supervised *g = &s->supervised[i];
    const double limit = yk_supervisor_limit(s, YK_LIMIT_DISPLACEMENT, i), v = fabs(g->rate),
                 room = limit > 0 && g->asked * g->rate > 0 ? limit - fabs(g->asked) : INFINITY,
                 needed = room > 0 ? v * v / (2 * room) : INFINITY, /* not beyond the limit, however hard it brakes */
        after = fmax(v - fmax(yk_supervisor_deceleration(s, i), needed) * h, 0), way = 0.5 * (v + after) * h;
    const double x = g->asked + copysign(way, g->rate);

    g->rate = copysign(after, g->rate);
    return x;
}

/* Only an acceleration of the file is used: it bounds the test as well, so that a motion within its limits never seems
 * to be unable to stop before its largest displacement. */
YK_RT double yk_supervisor_rests_at(const struct yk_supervisor *s, size_t i, double x, double v)
{
    const double a = yk_supervisor_limit(s, YK_LIMIT_ACCELERATION, i);

    if (!(a > 0) || !(x * v > 0) || s->supervised[i].own.kind != YK_BY_DISPLACEMENT)
        return x;
    /* v is the mean of the last tick, and it may already be slower by half a tick of a */
    return x + copysign(fmax(v * v / (2 * a) - 0.5 * fabs(v) * s->tick_s, 0), x);
}

/* Limits and faults of the rig; those of the program do not make a ramp home less safe. */
YK_RT static bool is_of_rig(enum yk_limit_kind kind)
{
    return (int)kind < YK_LIMITS_OF_ONE || kind == YK_LIMIT_PEER_SILENCE || kind == YK_LIMIT_HEARTBEAT ||
           (kind >= YK_LIMIT_BAD_READING && kind < YK_LIMIT_DIVERGED && kind != YK_LIMIT_BAD_COMMAND);
}

YK_RT bool yk_supervisor_stops_ramp(struct yk_supervisor *s, const struct yk_trip *trip)
{
    uint64_t *beyond = trip->actuator < s->count ? &s->supervised[trip->actuator].beyond : &s->beyond;
    const uint64_t bit = UINT64_C(1) << trip->kind;
    const bool silence = yk_supervisor_is_unheard(s) && yk_supervisor_is_silence(trip->kind),
               soon = !silence && ((double)(s->tick - s->trip.tick) * s->moving_s <= AT_ONCE_S || s->braking),
               same = (trip->kind == s->trip.kind && trip->actuator == s->trip.actuator) ||
                      (yk_supervisor_is_silence(trip->kind) && yk_supervisor_is_silence(s->trip.kind));

    if (soon)
        *beyond |= bit;
    return !soon && !same && !(*beyond & bit) && is_of_rig(trip->kind) && yk_supervisor_moves(s) && s->home_s > 0;
}
