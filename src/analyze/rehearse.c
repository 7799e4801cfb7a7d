/* The whole test on the virtual rig before it is made on another: how far, how fast and how hard its actuators go.
 * Units: N, m, s, or N m, rad, s where they turn. */
#include "analyze/budget.h"
#include "analyze/decay.h" /* yk_unlimit */
#include "state/state.h"

#include "analyze/analyze.h"
#include "base/progress.h"

#include <math.h>
#include <stdlib.h>

/* Working data of a tick. */
struct watch {
    struct yk_station *station;
    struct yk_actuator_peaks *peaks;
    double *sent;             /* the last commands */
    struct yk_course *course; /* malloc'd */
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
    yk_course_tick(w->course, w->station);
}

static enum yk_status step(struct yk_state *m, struct watch *w)
{
    double t;

    while (yk_state_next(m, &t)) {
        yk_station_depart(w->station, t);
        while (yk_station_under_way(w->station))
            tick(w);
        yk_state_absorb(m);
    }
    yk_course_step(w->course, m, 0);
    return *yk_station_trip(w->station) ? YK_E_DIVERGED : yk_state_status(m);
}

static enum yk_status rehearse(const struct yk_model *model, struct yk_budget *budget, bool limited, struct watch *w,
                               struct yk_rehearsal *out, struct yk_err *err)
{
    struct yk_state m;
    enum yk_status st = yk_model_state(model, &m, err);

    if (st)
        return st;
    struct yk_station *station = w->station = m.station;

    if (!limited)
        yk_unlimit(station);
    st = yk_state_start(&m);
    yk_course_begin(w->course, &m);
    for (size_t i = 0; i < yk_station_count(station); i++)
        w->sent[i] = yk_station_start(station, i);
    while (!st && m.step < yk_model_steps(model))
        st = yk_budget_spent(budget) ? YK_E_STOPPED : step(&m, w);
    for (size_t i = 0; i < yk_station_count(station); i++) {
        const struct yk_tracking_indices indices = yk_station_tracking(station, i);

        const struct yk_compensated compensated = yk_station_compensated(station, i);

        w->peaks[i].error = indices.peak;
        w->peaks[i].tracking = indices.felt_nrms;
        if (i < w->course->actuators)
            yk_course_measure(w->course, i, &indices, &compensated, NAN, 0, &out->measures);
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
    yk_state_close(&m);
    return st == YK_E_DIVERGED || st == YK_E_STOPPED ? YK_OK : st;
}

enum yk_status yk_rehearse(const struct yk_model *model, double budget_s, bool limited, struct yk_rehearsal *out,
                           struct yk_err *err)
{
    const size_t n = yk_station_count(model->station);
    struct yk_virtual_model virtual = {0};
    struct yk_budget budget = {0};
    struct watch w = {.peaks = calloc(n + 1, sizeof *w.peaks),
                      .sent = calloc(n + 1, sizeof *w.sent),
                      .course = calloc(1, sizeof *w.course)};
    const char *stage = yk_progress("rehearsing the test");
    enum yk_status st;

    *out = (struct yk_rehearsal){.peaks = w.peaks};
    yk_measures_clear(&out->measures);
    yk_budget_begin(&budget, budget_s);
    if (!w.peaks || !w.sent || !w.course)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = yk_virtual_model_open(&virtual, model, err)))
        st = rehearse(virtual.model, &budget, limited, &w, out, err);
    yk_virtual_model_close(&virtual);
    free(w.sent);
    free(w.course);
    yk_progress(stage);
    return st;
}

void yk_rehearsal_free(struct yk_rehearsal *r)
{
    free(r->peaks);
    r->peaks = NULL;
}
