/* The time of the supervisor, docs/safety.md. Everything that it counts and judges is counted in ticks of `tick_s`.
 *
 * On a simulated rig an exchange is one tick, however long it takes. On any other the wall clock is read at every
 * command and at every reading: a beat may begin late, and the next one then comes early. */
#include "transfer/supervisor_parts.h"

#include <math.h>

#define MOVING_S  2e-3  /* longest tick of the supervisor's own ramps, unless the control period is longer */
#define MADE_UP_S 10e-3 /* what a late beat may make up for, or two ticks; after a longer stall nothing leaps */
#define LATE                                                                                                           \
    2.0 /* of the usual times between two readings: an answer that took longer may be to a repeated command            \
         */
#define SHORTEST 0.5 /* of the nominal time: readings that come closer together say little of a speed */

struct yk_tick yk_tick_of(double control_period_s, double scale)
{
    const double followed_s = control_period_s * scale;

    return (struct yk_tick){followed_s, fmin(followed_s, fmax(control_period_s, MOVING_S))};
}

void yk_supervisor_measure(struct yk_supervisor *s, const struct yk_clock *clock)
{
    s->time = (struct yk_supervised_time){.measured = true, .clock = clock, .passed = 1, .between = 1};
}

YK_RT void yk_supervisor_restart_clock(struct yk_supervisor *s)
{
    s->time.sent_ns = s->time.fresh_ns = s->time.answered_ns = 0;
}

/* Ticks from then to now; 1 if there was nothing before. */
YK_RT static double ticks_since(const struct yk_supervisor *s, int64_t then_ns, int64_t now_ns)
{
    return then_ns ? 1e-9 * (double)(now_ns - then_ns) / s->tick_s : 1;
}

YK_RT static int64_t now_of(const struct yk_supervised_time *t)
{
    return t->clock ? t->clock->now_ns(t->clock) : yk_clock_now_ns();
}

YK_RT void yk_supervisor_count_command(struct yk_supervisor *s)
{
    struct yk_supervised_time *t = &s->time;

    if (!t->measured)
        return;
    const int64_t now = now_of(t);

    t->passed = ticks_since(s, t->sent_ns, now);
    t->sent_ns = now;
    if (!t->fresh_ns) /* silence begins with the first question */
        t->fresh_ns = t->answered_ns = now;
}

YK_RT double yk_supervisor_made_up(const struct yk_supervisor *s)
{
    return fmin(s->time.passed, fmax(2, MADE_UP_S / s->tick_s));
}

YK_RT void yk_supervisor_count_reading(struct yk_supervisor *s, enum yk_rig_answer answer)
{
    const bool fresh = answer == YK_RIG_FRESH;
    struct yk_supervised_time *t = &s->time;

    if (t->measured) {
        const int64_t now = now_of(t);

        t->between = ticks_since(s, t->fresh_ns, now);
        s->silent_ticks = fresh ? 0 : t->between;
        t->fresh_ns = fresh ? now : t->fresh_ns;
        t->answered_ns = fresh || answer == YK_RIG_REFUSED ? now : t->answered_ns;
        s->unheard_ticks = ticks_since(s, t->answered_ns, now);
        if (fresh && s->waited_s > LATE * fmax(t->usual, 1) * s->tick_s)
            t->sent_ns = now; /* the command has arrived, perhaps only now: the next one is a step from it */
    } else {
        /* a rig in lock-step keeps the exchange waiting */
        s->silent_ticks = fresh ? 0 : s->silent_ticks + fmax(1, s->waited_s / s->tick_s);
    }
    t->read += fresh ? t->between : 0;
}

YK_RT double yk_supervisor_span_s(const struct yk_supervisor *s, double ticks, double nominal)
{
    const double least = SHORTEST * nominal;

    return (ticks > least ? ticks : least) * s->tick_s;
}

YK_RT void yk_supervisor_keep_time(struct yk_supervisor *s)
{
    const double tick_s = yk_supervisor_chained(s) ? s->followed_s : s->moving_s, ratio = s->tick_s / tick_s;

    if (tick_s == s->tick_s)
        return;
    s->tick_s = tick_s;
    s->silent_ticks *= ratio;
    s->unheard_ticks *= ratio;
    for (size_t i = 0; i < s->count; i++) {
        struct yk_supervised *g = &s->supervised[i];

        g->filled = 0;
        for (int k = 0; k < 2; k++)
            g->frozen_ticks[k] = s->time.measured ? g->frozen_ticks[k] * ratio : floor(g->frozen_ticks[k] * ratio);
    }
}
