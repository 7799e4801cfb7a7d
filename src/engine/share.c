/* How much of its time a method needs: a few steps with a stop-watch. Nothing moves: in place of the rig stands one
 * that is where it was told to be and feels no force. */
#include "base/clock.h"
#include "engine/engine.h"

#include <math.h>

enum { STEPS = 50 };

struct watch {
    enum yk_stage stage;
    int64_t since_ns, spent_ns[3];
};

YK_RT static void on_stage(void *self, enum yk_stage stage)
{
    struct watch *w = self;
    const int64_t now = yk_clock_now_ns();

    w->spent_ns[w->stage] += now - w->since_ns;
    w->stage = stage;
    w->since_ns = now;
}

/* A median does not know of a step in which the machine was taken away. */
static enum yk_status measure(struct yk_motion *m, struct yk_timing *spent)
{
    struct watch w = {.stage = YK_STAGE_FINE};
    const int skip = m->problem ? m->coupling.ops->start_steps + 1 : 1;
    enum yk_status st = yk_motion_start(m);

    m->coupling.on_stage = on_stage;
    m->coupling.on_stage_self = &w;
    for (int k = 0; k < STEPS + skip && !st; k++) {
        w = (struct watch){.stage = YK_STAGE_FINE, .since_ns = yk_clock_now_ns()};
        st = yk_motion_step(m);
        on_stage(&w, YK_STAGE_FINE);
        for (int i = 0; i < 3 && k >= skip; i++)
            yk_timing_add(&spent[i], w.spent_ns[i]);
    }
    return YK_OK; /* a method that diverges is found by the run */
}

static void divide(const struct yk_experiment *e, const struct yk_motion *m, int threads, const struct yk_timing *spent,
                   struct yk_compute_share *s)
{
    const struct yk_coupling_ops *ops = m->coupling.ops;
    const bool beside = threads > 1 && ops && ops->caps & YK_COUPLING_PARALLEL;
    const struct yk_schedule plan = ops ? ops->schedule(m->coupling.self, ops->start_steps)
                                        : (struct yk_schedule){.phases = 1, .substeps = 1, .stages = 1};
    const double phase_s = e->time.step * e->time.scale / plan.phases;

    s->coarse_s = yk_timing_percentile(&spent[YK_STAGE_COARSE], 0.5) / plan.phases;
    s->sync_s = yk_timing_percentile(&spent[YK_STAGE_SYNC], 0.5) / plan.phases;
    s->fine_s = yk_timing_percentile(&spent[YK_STAGE_FINE], 0.5) / (plan.phases * plan.substeps);
    s->period_s = yk_fine_step(e) * e->time.scale;
    s->first_s = (beside ? 0 : s->coarse_s) + s->fine_s + s->sync_s;
    s->share = fmax(s->first_s / s->period_s, beside ? s->coarse_s / phase_s : 0);
}

YK_RT static enum yk_rig_answer obey(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    const size_t *count = self;

    for (size_t i = 0; i < *count; i++)
        in->readings[i] = (struct yk_reading){.displacement = out->command[i]};
    return YK_RIG_FRESH;
}

enum yk_status yk_compute_share(const struct yk_experiment *e, int threads, struct yk_compute_share *share,
                                struct yk_err *err)
{
    static const struct yk_rig_ops obedient = {.name = "obedient", .exchange = obey};
    size_t actuators = yk_station_count(e->station);
    struct yk_timing spent[3] = {0};
    struct yk_between before = {0};
    struct yk_motion m;
    enum yk_status st;

    *share = (struct yk_compute_share){0};
    if ((st = yk_motion_open(&m, e, 0, err)))
        return st;
    if (e->station)
        before = yk_station_interpose(e->station, (struct yk_between){&obedient, &actuators});
    if (!(st = measure(&m, spent)))
        divide(e, &m, threads, spent, share);
    if (e->station)
        yk_station_interpose(e->station, before);
    yk_motion_close(&m);
    return st;
}
