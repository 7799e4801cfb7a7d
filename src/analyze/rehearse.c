/* The whole test on the virtual rig before it is made on another: how far, how fast and how hard its actuators go.
 * Units: N, m, s, or N m, rad, s where they turn. */
#include "analyze/budget.h"
#include "analyze/decay.h" /* yk_unlimit */
#include "plan/plan.h"

#include "analyze/analyze.h"

#include <math.h>
#include <stdlib.h>

/* What every tick needs. */
struct watch {
    struct yk_station *station;
    struct yk_actuator_peaks *peaks;
    double *sent; /* the last commands */
};

static void tick(struct watch *w)
{
    const struct yk_supervisor *s = yk_station_supervisor(w->station);

    yk_station_exchange(w->station, yk_station_command(w->station));
    yk_station_observe(w->station);
    for (size_t i = 0; i < s->count; i++) {
        struct yk_actuator_peaks *p = &w->peaks[i];
        const struct yk_reading now = yk_station_reading(w->station, i);
        const double sent = s->supervised[i].sent, x = yk_reading_of(&now, yk_station_kind(w->station, i));

        p->command = fmax(p->command, fabs(sent));
        p->rate = fmax(p->rate, fabs(sent - w->sent[i]) / s->followed_s);
        p->force = fmax(p->force, fabs(now.force));
        p->displacement = fmax(p->displacement, fabs(now.displacement));
        p->error = fmax(p->error, yk_supervisor_follows(s) ? 0 : fabs(sent - x)); /* as it is judged in ramps */
        w->sent[i] = sent;
    }
}

static enum yk_status step(struct yk_motion *m, struct watch *w)
{
    double t;

    while (yk_motion_next(m, &t)) {
        yk_station_depart(w->station, t);
        while (yk_station_under_way(w->station))
            tick(w);
        yk_motion_absorb(m);
    }
    return *yk_station_trip(w->station) ? YK_E_DIVERGED : yk_motion_status(m);
}

static enum yk_status rehearse(const struct yk_plan *plan, struct yk_budget *budget, bool limited, struct watch *w,
                               struct yk_rehearsal *out, struct yk_err *err)
{
    struct yk_motion m;
    enum yk_status st = yk_plan_motion(plan, &m, err);

    if (st)
        return st;
    struct yk_station *station = w->station = m.experiment->station;

    if (!limited)
        yk_unlimit(station);
    st = yk_motion_start(&m);
    for (size_t i = 0; i < yk_station_count(station); i++)
        w->sent[i] = yk_station_start(station, i);
    while (!st && m.step < yk_plan_steps(plan))
        st = yk_budget_spent(budget) ? YK_E_STOPPED : step(&m, w);
    for (size_t i = 0; i < yk_station_count(station); i++) {
        const struct yk_tracking_indices indices = yk_station_tracking(station, i);

        w->peaks[i].error = indices.peak;
        w->peaks[i].tracking = indices.felt_nrms;
    }
    if (!st) {
        yk_station_retire(station);
        while (yk_station_is_moving(station) || yk_station_lowers_pressure(station))
            tick(w);
        yk_station_end(station);
    }
    out->made_s = (double)m.step * m.dt;
    snprintf(out->trip, sizeof out->trip, "%s", yk_station_trip(station));
    out->complete = !st;
    out->diverged = st == YK_E_DIVERGED;
    yk_motion_close(&m);
    return st == YK_E_DIVERGED || st == YK_E_STOPPED ? YK_OK : st;
}

enum yk_status yk_rehearse(const struct yk_plan *plan, double budget_s, bool limited, struct yk_rehearsal *out,
                           struct yk_err *err)
{
    const size_t n = yk_station_count(yk_plan_experiment(plan)->station);
    struct yk_virtual_plan virtual = {0};
    struct yk_budget budget = {0};
    struct watch w = {.peaks = calloc(n + 1, sizeof *w.peaks), .sent = calloc(n + 1, sizeof *w.sent)};
    enum yk_status st;

    *out = (struct yk_rehearsal){.peaks = w.peaks};
    yk_budget_begin(&budget, budget_s);
    if (!w.peaks || !w.sent)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = yk_virtual_plan_open(&virtual, plan, err)))
        st = rehearse(virtual.plan, &budget, limited, &w, out, err);
    yk_virtual_plan_close(&virtual);
    free(w.sent);
    return st;
}

void yk_rehearsal_free(struct yk_rehearsal *r)
{
    free(r->peaks);
    r->peaks = NULL;
}
