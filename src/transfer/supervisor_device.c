/* Does the device stand where it was sent, by its own counting? The displacement of an actuator comes from a sensor of
 * the laboratory; a drive has its own. If the two part, one of them is wrong. docs/safety.md. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define WINDOW_S 0.5 /* a device is behind its command by no more than the command has moved in this time */

/* The range of the commands of the last window at least. */
YK_RT static double moved(const struct yk_supervisor *s, struct yk_commanded *w, double sent)
{
    if (!w->begun || w->ticks * s->tick_s >= WINDOW_S) {
        w->low[1] = w->begun ? w->low[0] : sent;
        w->high[1] = w->begun ? w->high[0] : sent;
        w->low[0] = w->high[0] = sent;
        w->ticks = 0;
        w->begun = true;
    }
    w->ticks += s->time.between;
    w->low[0] = fmin(w->low[0], sent);
    w->high[0] = fmax(w->high[0], sent);
    return fmax(w->high[0], w->high[1]) - fmin(w->low[0], w->low[1]);
}

YK_RT void yk_supervisor_device(struct yk_supervisor *s, size_t i, double at)
{
    struct yk_supervised *g = &s->supervised[i];
    const double sent = g->second.on ? yk_supervised_command(g, false)
                                     : g->sent, /* by displacement, also in force control */
        limit = yk_supervisor_limit(s, YK_LIMIT_POSITION_ERROR, i), by = at - sent, window = moved(s, &g->way, sent);
    const bool driven = !s->off && !s->cut && s->state != YK_STATE_IDLE && s->state != YK_STATE_DONE;

    if (!driven || g->homes || !(limit > 0) || g->own.kind != YK_BY_DISPLACEMENT || fabs(by) <= limit + window)
        return;
    yk_supervisor_take_trip(s, &(struct yk_trip){.tripped = true,
                                                 .kind = YK_LIMIT_DEVICE_POSITION,
                                                 .action = yk_supervisor_action(s, YK_LIMIT_DEVICE_POSITION),
                                                 .actuator = i,
                                                 .value = by,
                                                 .limit = limit + window,
                                                 .turns = g->own.turns,
                                                 .tick = s->tick});
}
