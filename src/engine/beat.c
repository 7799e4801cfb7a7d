/* The beat of a run and of a console; see beat.h. */
#include "engine/beat.h"

#include <math.h>

enum { POST_NS = 20000000 }; /* the state is posted at least as often, and whenever it changes */

YK_RT int64_t yk_beat_period(const struct yk_beat *b)
{
    return llround(1e9 * b->supervisor->tick_s);
}

static int64_t on_long_wait(void *self)
{
    struct yk_beat *b = self;

    b->take(b->owner);
    return yk_beat_period(b);
}

/* Lets the pacer follow the clock of the rig and, without deadlines, allow for its longest wait. */
static void follow_rig(struct yk_beat *b)
{
    const struct yk_rig_ops *rig = b->pacer.rig = yk_station_rig(b->station, &b->pacer.rig_self);

    if (!b->settings->realtime && rig->worst_wait_s)
        b->pacer.patience_ns = llround(1e9 * rig->worst_wait_s(b->pacer.rig_self));
}

void yk_beat_begin(struct yk_beat *b, const pthread_t *coarse)
{
    const struct yk_run_settings *s = b->settings;

    b->pace->paced = b->paced;
    if (s->realtime && !s->clock) /* another clock asks nothing of this machine */
        yk_realtime_enter(&b->rights, s, coarse, b->pace->degraded, sizeof b->pace->degraded);
    if (b->paced && b->station)
        follow_rig(b);
    if (b->station && !yk_station_simulates(b->station))
        yk_supervisor_measure(b->supervisor, s->clock);
    b->pacer.patient = !s->realtime;
    b->pacer.clock = s->clock;
    b->pacer.listen = b->take ? on_long_wait : NULL;
    b->pacer.listen_self = b;
    b->pacer.spin_ns = (int64_t)(1e9 * s->spin_s);
    yk_pacer_begin(&b->pacer, b->paced || b->paces_motions ? (int64_t)llround(1e9 * b->pace->period_s) : 0, b->pace);
}

void yk_beat_end(struct yk_beat *b)
{
    yk_realtime_leave(&b->rights);
}

void yk_beat_await(struct yk_beat *b, long step, int64_t idle_ns)
{
    if (b->paced || (b->paces_motions && !yk_supervisor_chained(b->supervisor))) {
        yk_pacer_period(&b->pacer, yk_beat_period(b));
        yk_pacer_judge(&b->pacer, b->supervisor, yk_pacer_beat(&b->pacer, step));
        return;
    }
    b->pacer.beat = 0; /* deadlines begin anew */
    if (idle_ns)
        yk_pacer_sleep(&b->pacer, idle_ns);
}

void yk_beat_exchange(struct yk_beat *b, const double *commands)
{
    yk_pacer_part(&b->pacer, YK_LOOP_TRANSFER);
    const bool sends = commands ? yk_station_drive(b->station, commands) : yk_station_command(b->station);

    yk_pacer_part(&b->pacer, YK_LOOP_RIG);
    yk_station_exchange(b->station, sends);
    yk_pacer_part(&b->pacer, YK_LOOP_SAMPLE);
}

YK_RT void yk_beat_post(struct yk_beat *b, bool ended)
{
    const struct yk_pace_report *pace = b->pace;
    const struct yk_supervisor *v = b->supervisor;
    struct yk_telemetry_now *now = &b->telemetry.now;

    now->late_ns = b->pacer.late_ns;
    now->largest_late_ns = pace->lateness.largest_ns;
    now->missed = pace->missed;
    now->state = v->state;
    now->degraded = *pace->degraded != 0;
    now->paced = b->paced;
    now->ended = ended;
    now->warnings = (int64_t)v->warnings;
    now->beat_s = v->tick_s;
    now->scale = pace->scale;
    b->telemetry.trip = v->trip;
    b->telemetry.warning = v->warning;
    yk_timing_octaves(&pace->lateness, now->lateness, YK_TELEMETRY_OCTAVES);
    b->tell(b->owner, now, ended);
    if (b->settings->telemetry)
        yk_telemetry_post(b->settings->telemetry, &b->telemetry, b->tracks);
}

YK_RT void yk_beat_post_when_due(struct yk_beat *b)
{
    int64_t now;

    if (!b->posts)
        return;
    now = yk_clock_now_ns();
    if (b->posted == b->supervisor->state && now - b->posted_ns < POST_NS)
        return;
    b->posted = b->supervisor->state;
    b->posted_ns = now;
    yk_beat_post(b, false);
}
