/* Feed-forward that is sent with the commands: velocity, acceleration and force that a drive may add. A drive acts on
 * them as on a command, so they keep the same limits, and they are zero without a motion. docs/safety.md. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define FADE_S 0.1 /* a sudden change of force would move the actuator */

YK_RT void yk_supervisor_share_ahead(struct yk_supervisor *s, bool moves)
{
    s->feeds = moves && !s->trip.tripped;
    if (s->trip.tripped)
        s->fed_share = 0;
    else if (s->feeds ? s->fed_share < 1 : s->fed_share > 0)
        s->fed_share = fmax(0, fmin(s->fed_share + (s->feeds ? 1 : -1) * s->tick_s / FADE_S, 1));
}

/* The smaller of two limits, of which 0 is none. */
YK_RT static double smaller(double a, double b)
{
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

YK_RT static double within(double x, double limit)
{
    if (!isfinite(x))
        return 0;
    return limit > 0 ? fmax(-limit, fmin(x, limit)) : x;
}

YK_RT struct yk_ahead yk_supervisor_ahead(const struct yk_supervisor *s, size_t i, const struct yk_ahead *asked)
{
    const enum yk_command_kind kind = s->supervised[i].own.kind;
    const double rate = yk_supervisor_limit(s, YK_LIMIT_COMMAND_RATE, i), /* in the quantity of the command */
        velocity = smaller(yk_supervisor_limit(s, YK_LIMIT_VELOCITY, i), kind == YK_BY_DISPLACEMENT ? rate : 0),
                 acceleration =
                     smaller(yk_supervisor_limit(s, YK_LIMIT_ACCELERATION, i), kind == YK_BY_VELOCITY ? rate : 0);
    struct yk_ahead ahead = *asked; /* the entry of the command was checked with it */

    if (kind != YK_BY_VELOCITY)
        ahead.velocity = s->feeds ? within(asked->velocity, velocity) : 0;
    if (kind != YK_BY_ACCELERATION)
        ahead.acceleration = s->feeds ? within(asked->acceleration, acceleration) : 0;
    if (kind != YK_BY_FORCE)
        ahead.force = s->fed_share * within(asked->force, yk_supervisor_limit(s, YK_LIMIT_FORCE, i));
    return ahead;
}
