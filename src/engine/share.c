/* Timed steps, and the share of the available time that a method needs. For the latter nothing moves: a dummy replaces
 * the rig, which follows every command exactly and returns no force. */
#include "base/clock.h"
#include "engine/crew.h"
#include "engine/engine.h"
#include "state/state.h"

#include <math.h>

enum { STEPS = 50 };
#define LONGEST_S 1e9

struct watch {
    enum yk_step_part stage;
    int64_t since_ns, spent_ns[3];
};

YK_RT static void on_part(void *self, enum yk_step_part stage)
{
    struct watch *w = self;
    const int64_t now = yk_clock_now_ns();

    w->spent_ns[w->stage] += now - w->since_ns;
    w->stage = stage;
    w->since_ns = now;
}

enum yk_status yk_time_steps(struct yk_state *m, struct yk_step_times *t)
{
    struct watch w = {.stage = YK_STEP_PART_FINE};
    const int64_t end = yk_clock_now_ns() + llround(1e9 * t->seconds);
    enum yk_status st = yk_state_start(m);

    if (m->coupling) {
        m->coupling->on_part = on_part;
        m->coupling->on_part_self = &w;
    }
    for (long k = 0; k < t->skip + t->most && !st; k++) {
        const int64_t begin = yk_clock_now_ns();

        if (begin >= end)
            break;
        w = (struct watch){.stage = YK_STEP_PART_FINE, .since_ns = begin};
        st = yk_state_step(m);
        on_part(&w, YK_STEP_PART_FINE);
        if (k < t->skip)
            continue;
        yk_timing_add(&t->whole, w.since_ns - begin);
        for (int i = 0; i < 3; i++)
            yk_timing_add(&t->parts[i], w.spent_ns[i]);
    }
    if (m->coupling)
        m->coupling->on_part = NULL;
    return st;
}

static void divide(const struct yk_model *model, const struct yk_state *m, int threads, const struct yk_timing *spent,
                   struct yk_compute_share *s)
{
    const struct yk_coupling_ops *ops = m->coupling ? m->coupling->ops : NULL;
    const bool beside = threads > 1 && ops && ops->caps & YK_COUPLING_PARALLEL;
    const struct yk_schedule plan = ops ? ops->schedule(m->coupling->self, ops->start_steps)
                                        : (struct yk_schedule){.phases = 1, .substeps = 1, .stages = 1};
    const double phase_s = model->time.step * model->time.scale / plan.phases;

    s->coarse_s = yk_timing_percentile(&spent[YK_STEP_PART_COARSE], 0.5) / plan.phases;
    s->sync_s = yk_timing_percentile(&spent[YK_STEP_PART_SYNC], 0.5) / plan.phases;
    s->fine_s = yk_timing_percentile(&spent[YK_STEP_PART_FINE], 0.5) / (plan.phases * plan.substeps);
    s->period_s = yk_fine_step(model) * model->time.scale;
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

enum yk_status yk_compute_share(const struct yk_model *model, int threads, struct yk_compute_share *share,
                                struct yk_err *err)
{
    static const struct yk_rig_ops obedient = {.name = "obedient", .exchange = obey};
    size_t actuators = yk_station_count(model->station);
    struct yk_step_times t = {.most = STEPS, .seconds = LONGEST_S};
    struct yk_helper *helper = NULL;
    struct yk_state m;
    enum yk_status st;

    *share = (struct yk_compute_share){0};
    if ((st = yk_model_state(model, &m, err)))
        return st;
    if ((st = yk_crew_help(&helper, &m, threads, err))) {
        yk_state_close(&m);
        return st;
    }
    if (model->station)
        yk_station_interpose(m.station, (struct yk_between){&obedient, &actuators});
    t.skip = m.problem ? m.coupling->ops->start_steps + 1 : 1;
    yk_time_steps(&m, &t); /* a method that diverges is found by the run */
    divide(model, &m, threads, t.parts,
           share); /* a median does not know of a step in which the machine was taken away */
    yk_helper_dismiss(helper);
    yk_state_close(&m);
    return st;
}
