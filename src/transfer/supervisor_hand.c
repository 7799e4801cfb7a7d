/* Limits of a console, for first motions by hand at a low energy. docs/safety.md.
 *
 * They are in limits.console. Without them a rig that is not simulated takes a share of the limits of the test,
 * and a simulated one the limits of the test themselves. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define SPEED_SHARE  0.1 /* of limits.command_rate */
#define FORCE_SHARE  0.2 /* of limits.force */
#define TRAVEL_SHARE 0.2 /* of limits.displacement */

/* The smaller of a limit of the test and that of the console, of which 0 is none. */
YK_RT static double lower(const struct yk_supervisor *s, size_t i, double test, double given, double share)
{
    const struct yk_own_limits *own = &s->supervised[i].own;
    const double low = given > 0 && own->turns == s->limits.console.turns ? given : s->time.measured ? share * test : 0;

    return low > 0 && test > 0 ? fmin(low, test) : fmax(low, test);
}

YK_RT double yk_supervisor_low_limit(const struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator)
{
    const double test = yk_supervisor_limit_of_test(s, kind, actuator);

    if (actuator >= s->count)
        return test;
    const struct yk_console_limits *c = &s->limits.console;

    if (kind == YK_LIMIT_COMMAND_RATE)
        return lower(s, actuator, test, s->supervised[actuator].own.kind == YK_BY_DISPLACEMENT ? c->speed : 0,
                     SPEED_SHARE);
    if (kind == YK_LIMIT_FORCE && !s->off) /* with drives disabled it may be held by anything */
        return lower(s, actuator, test, c->force, FORCE_SHARE);
    return test;
}

YK_RT double yk_supervisor_travel(const struct yk_supervisor *s, size_t actuator)
{
    if (!yk_supervisor_is_low(s) || s->supervised[actuator].own.kind != YK_BY_DISPLACEMENT)
        return 0;
    const double test = yk_supervisor_limit_of_test(s, YK_LIMIT_DISPLACEMENT, actuator),
                 travel = lower(s, actuator, test, s->limits.console.travel, TRAVEL_SHARE);

    return travel < test || test == 0 ? travel : 0; /* as far as the test: that limit says it */
}

YK_RT void yk_supervisor_watch_travel(struct yk_supervisor *s, size_t actuator, double x)
{
    const struct yk_second_mode *m = &s->supervised[actuator].second;

    if (!yk_supervisor_is_low(s) || !m->on)
        return;
    const double test = yk_supervisor_limit_of_test(s, YK_LIMIT_DISPLACEMENT, actuator),
                 travel = lower(s, actuator, test, s->limits.console.travel, TRAVEL_SHARE),
                 low = fmin(m->home[0], m->begin[0]) - travel, high = fmax(m->home[0], m->begin[0]) + travel;

    if (travel > 0 && !(x >= low && x <= high))
        yk_supervisor_raise_beyond(s, YK_LIMIT_DISPLACEMENT, actuator, x, x < low ? low : high);
}

YK_RT double yk_supervisor_within_low(const struct yk_supervisor *s, size_t actuator, double x)
{
    const double travel = yk_supervisor_travel(s, actuator);
    const struct yk_supervised *g = &s->supervised[actuator];

    if (!(travel > 0))
        return x;
    return fmax(fmin(g->home, g->begin) - travel, fmin(x, fmax(g->home, g->begin) + travel));
}
