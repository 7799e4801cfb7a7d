/* A run: as fast as possible, or paced in real time; the rows of samples.c go through the recorder's ring. */
#include "base/clock.h"
#include "engine/engine.h"
#include "plan/plan.h"

#include "engine/loop.h"
#include "rig/remote.h"
#include "rig/several.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IDLE_NS = 10000000 }; /* a look at the requests while an unpaced run is paused */
enum { MEET_NS = 20000 };    /* a look at the coarse side while the fine one waits */
enum { POLL_NS = 50000 };    /* the coarse side looks for work */
enum { POST_NS = 20000000 }; /* the state is posted at least as often, and whenever it changes */
#define LONGEST_MEETING_S 10.0
#define FITS              0.9 /* of the time there is: the largest share that may be computed */

/* ---- to the recorder, and to those who watch ---- */

/* The row that was sampled last. A paced run does not wait for room in the recorder. */
static void push(struct yk_loop *r, enum yk_stream_number stream)
{
    const size_t number = r->samples.number[stream];
    const double *row = r->samples.row[stream];

    if (r->settings->telemetry && r->samples.channels.sets[stream].count)
        yk_telemetry_row(r->settings->telemetry, number, row);
    if (r->rows && !r->record_failed && yk_samples_due(&r->samples, stream))
        r->record_failed = !yk_rows_add(&r->rows[stream], row);
    if (!r->recorder || r->record_failed || !yk_samples_due(&r->samples, stream))
        return;
    if (r->settings->realtime) {
        yk_recorder_push(r->recorder, number, row);
        r->record_failed = yk_recorder_failed(r->recorder);
    } else {
        r->record_failed = yk_recorder_push_waiting(r->recorder, number, row) != YK_OK;
    }
}

/* How well the actuators follow so far. */
YK_RT static void see_tracking(struct yk_loop *r)
{
    const size_t count = yk_telemetry_tracked(r->settings->telemetry);

    for (size_t i = 0; i < count; i++) {
        const struct yk_tracking_indices indices = yk_station_tracking(r->e->station, i);
        const struct yk_compensated compensated = yk_station_compensated(r->e->station, i);

        r->tracks[i] = (struct yk_telemetry_track){.nrms = indices.nrms,
                                                   .delay_s = indices.delay_s,
                                                   .lead_s = compensated.lead_s,
                                                   .estimated_s = compensated.estimated_s,
                                                   .growth = r->supervisor->supervised[i].energy.growth};
    }
}

/* The state of the run. */
YK_RT static void post(struct yk_loop *r, bool ended)
{
    const struct yk_run_result *result = r->result;
    const struct yk_pace_report *pace = result->pace;
    struct yk_telemetry_now *now = &r->now;

    now->step = r->motion.step;
    now->late_ns = r->pacer.late_ns;
    now->took_ns = r->took_ns;
    now->largest_late_ns = pace->lateness.largest_ns;
    now->largest_took_ns = result->timing.largest_ns;
    now->missed = pace->missed;
    now->state = r->supervisor->state;
    now->degraded = *pace->degraded != 0;
    now->paced = pace->paced;
    now->ended = ended;
    now->warnings = (int64_t)r->supervisor->warnings;
    now->beat_s = r->supervisor->tick_s;
    now->scale = r->e->time.scale;
    now->energy_error = result->energy_scale > 0 ? result->energy_error / result->energy_scale : 0;
    now->drift_u = result->drift_u;
    now->drift_v = result->drift_v;
    now->error_u =
        r->reference.own ? yk_deviation_nrms(&r->reference.of_u, sqrt(r->reference.of_u.error)) : (double)NAN;
    now->trip = r->supervisor->trip;
    now->warning = r->supervisor->warning;
    yk_timing_octaves(&pace->lateness, now->lateness, YK_TELEMETRY_OCTAVES);
    if (r->e->station)
        see_tracking(r);
    yk_telemetry_post(r->settings->telemetry, now, r->tracks);
}

/* Posts the state where it has changed, and now and then. */
YK_RT static void post_when_due(struct yk_loop *r)
{
    int64_t now;

    if (!r->settings->telemetry)
        return;
    now = yk_clock_now_ns();
    if (r->posted == r->supervisor->state && now - r->posted_ns < POST_NS)
        return;
    r->posted = r->supervisor->state;
    r->posted_ns = now;
    post(r, false);
}

/* ---- the one place that waits ---- */

/* What an operator asked for since the last look. */
YK_RT static void take_requests(struct yk_loop *r)
{
    static const enum yk_event operator_events[] = {YK_EVENT_PAUSE, YK_EVENT_RESUME, YK_EVENT_STEP, YK_EVENT_ABORT};
    unsigned requests = 0;

    if (atomic_load_explicit(&r->control->requests, memory_order_relaxed))
        requests = atomic_exchange_explicit(&r->control->requests, 0, memory_order_acquire);
    for (size_t i = 0; requests && i < sizeof operator_events / sizeof *operator_events; i++)
        if (requests & 1u << operator_events[i])
            yk_supervisor_event(r->supervisor, operator_events[i]);
    atomic_store_explicit(&r->control->state, (int)r->supervisor->state, memory_order_relaxed);
    atomic_store_explicit(&r->control->tick, r->supervisor->tick, memory_order_relaxed);
}

/* Wall time from one beat to the next: the supervisor counts with it. */
YK_RT static int64_t period_of(const struct yk_loop *r)
{
    return llround(1e9 * r->supervisor->tick_s);
}

static int64_t on_long_wait(void *self)
{
    struct yk_loop *r = self;

    take_requests(r);
    return period_of(r);
}

/* The next beat: a control tick, or a fine step where nothing is moved. Every wait of a run is here, but that for the
 * coarse side; and an operator is heard. */
static void await_beat(struct yk_loop *r)
{
    if (r->settings->realtime) {
        yk_pacer_period(&r->pacer, period_of(r));
        yk_pacer_judge(&r->pacer, r->supervisor, yk_pacer_beat(&r->pacer, r->motion.step));
    } else if (r->supervisor->state == YK_STATE_PAUSED) {
        yk_pacer_sleep(&r->pacer, IDLE_NS);
    }
    take_requests(r);
    post_when_due(r);
}

/* One control tick. */
static void tick(struct yk_loop *r)
{
    struct yk_station *station = r->e->station;
    bool sends;

    r->samples.ticks += r->supervisor->tick_s / r->supervisor->followed_s;
    await_beat(r);
    yk_pacer_part(&r->pacer, YK_LOOP_TRANSFER);
    sends = yk_station_command(station);
    yk_pacer_part(&r->pacer, YK_LOOP_RIG);
    yk_station_exchange(station, sends);
    yk_pacer_part(&r->pacer, YK_LOOP_SAMPLE);
    yk_samples_tick(&r->samples, r->supervisor);
    push(r, YK_STREAM_TICKS);
    yk_pacer_part(&r->pacer, YK_LOOP_FINE);
    yk_station_observe(station);
}

/* Until it is time t: the actuators go to their targets, tick by tick; without actuators the fine steps have their
 * beats. A pause lasts here. */
static void go_to(struct yk_loop *r, double t)
{
    const long fine_step = (long)ceil(t / yk_fine_step(r->e) - 1e-6), behind = fine_step - r->fine_step;

    if (r->e->station) {
        yk_station_depart(r->e->station, t);
        while (yk_station_under_way(r->e->station))
            tick(r);
        return;
    }
    if (behind == 0)
        return; /* a later stage of the same fine step */
    r->fine_step = fine_step;
    r->pacer.beat += behind - 1;
    do
        await_beat(r);
    while (r->supervisor->state == YK_STATE_PAUSED);
}

/* The coarse side is needed and not there yet: the rig is kept on hold tick by tick, but not for ever. */
static void await_coarse(struct yk_loop *r)
{
    const double limit = r->supervisor->limits.limit[YK_LIMIT_COARSE_WAIT],
                 longest = limit > 0 ? limit : LONGEST_MEETING_S;
    const int64_t begin = yk_pacer_now(&r->pacer);

    if (!r->settings->realtime)
        yk_crew_await(r->crew);
    while (!yk_crew_has_finished(r->crew)) {
        const int64_t now = yk_pacer_now(&r->pacer);
        const double waited = 1e-9 * (double)(now - begin);

        if (waited > longest) {
            yk_supervisor_raise(r->supervisor, YK_LIMIT_COARSE_WAIT, SIZE_MAX, waited);
            r->gave_up = true;
            return;
        }
        take_requests(r);
        yk_pacer_period(&r->pacer, period_of(r));
        if (now < yk_pacer_next(&r->pacer)) {
            yk_pacer_sleep(&r->pacer, MEET_NS);
            continue;
        }
        r->pacer.coarse_late = true;
        if (r->e->station)
            tick(r);
        else
            await_beat(r);
    }
    r->pacer.spent_ns[YK_LOOP_COARSE] += yk_crew_took_ns(r->crew);
    yk_coupling_meet(r->motion.coupling, yk_crew_status(r->crew));
}

/* ---- steps ---- */

/* Stages of a coupling, for the times of the loop. */
YK_RT static void on_part(void *self, enum yk_step_part stage)
{
    static const enum yk_loop_part stages[] = {
        [YK_STEP_PART_COARSE] = YK_LOOP_COARSE, [YK_STEP_PART_FINE] = YK_LOOP_FINE, [YK_STEP_PART_SYNC] = YK_LOOP_SYNC};
    struct yk_loop *r = self;

    yk_pacer_part(&r->pacer, stages[stage]);
}

/* After a fine substep. */
static void sample_fine(struct yk_loop *r, double t)
{
    if (!r->recorder && !r->rows && !r->settings->telemetry)
        return;
    yk_pacer_part(&r->pacer, YK_LOOP_SAMPLE);
    yk_samples_fine(&r->samples, t);
    push(r, YK_STREAM_FINE);
    yk_pacer_part(&r->pacer, YK_LOOP_FINE);
}

static void stop(struct yk_loop *r, enum yk_status status, const char *why)
{
    r->result->status = status;
    snprintf(r->result->reason, sizeof r->result->reason, "%s at step %ld (t = %g s)", why, r->motion.step,
             (double)r->motion.step * r->e->time.step);
}

/* What happened after the reason to stop. */
static void add_reason(struct yk_loop *r, const char *when, const char *what)
{
    const size_t length = strlen(r->result->reason);

    snprintf(r->result->reason + length, sizeof r->result->reason - length, "%s%s", when, what);
}

/* Names of the actuators, for messages. */
static const char *const *names_of(const struct yk_loop *r)
{
    return r->e->station ? yk_station_names(r->e->station) : NULL;
}

static const char *trip_words(struct yk_loop *r)
{
    yk_trip_text(&r->supervisor->trip, names_of(r), r->words, sizeof r->words);
    return r->words;
}

static void keep_tracking(const struct yk_loop *r)
{
    struct yk_station *station = r->e->station;
    size_t n = yk_station_count(station);

    n = n < YK_TRACKED ? n : YK_TRACKED;
    for (size_t i = 0; i < n; i++) {
        struct yk_tracked *t = &r->result->tracked[i];

        snprintf(t->actuator, sizeof t->actuator, "%s", yk_station_name(station, i));
        t->indices = yk_station_tracking(station, i);
        t->compensated = yk_station_compensated(station, i);
    }
    r->result->tracked_count = n;
}

static void keep_findings(const struct yk_loop *r)
{
    for (size_t i = 0; i < r->result->tracked_count; i++) {
        struct yk_tracked *t = &r->result->tracked[i];

        yk_force_finding_text(&r->supervisor->supervised[i].finding, t->actuator, yk_station_turns(r->e->station, i),
                              t->implausible_force, sizeof t->implausible_force);
    }
}

/* The session with rig `k` of the station; NULL: it is not at the end of a wire. *name: of the rig, "" where it is the
 * only one; NULL: there is no such rig. */
static const struct yk_remote *session_with(const struct yk_station *station, size_t k, const char **name)
{
    void *self;
    const struct yk_rig_ops *rig = yk_station_rig(station, &self);
    const struct yk_several_rigs *several = rig == &yk_rig_several ? self : NULL;

    *name = k < (several ? several->count : 1) ? "" : NULL;
    if (several && *name) {
        *name = several->members[k].name;
        rig = several->members[k].rig;
        self = several->members[k].self;
    }
    return *name ? yk_remote_of(rig, self) : NULL;
}

/* The counts of the wires, added up. */
static void keep_wire(const struct yk_loop *r)
{
    struct yk_wire_report *wire = &r->result->wire;
    const char *name = "";

    *wire = (struct yk_wire_report){0};
    for (size_t k = 0; name; k++) {
        const struct yk_remote *remote = session_with(r->e->station, k, &name);

        if (!remote)
            continue;
        const struct yk_remote_counts *c = &remote->counts;
        const struct yk_link_counts *l = &remote->link.counts;
        wire->used = true;
        wire->held += c->held;
        wire->missing += c->missing;
        wire->stale += c->stale;
        wire->far += c->far;
        wire->resent += c->resent;
        wire->damaged += l->damaged + l->foreign + l->other_version;
        wire->forged += l->forged;
        wire->replayed += l->replayed;
        wire->strangers += l->strangers;
    }
}

/* Why the loop ends after this step, if it does. */
static void judge(struct yk_loop *r, enum yk_status st, bool near)
{
    struct yk_supervisor *v = r->supervisor;
    const bool last = !r->settings->driver && r->motion.step == r->e->steps;

    if (r->record_failed)
        yk_supervisor_raise(v, YK_LIMIT_RECORDING, SIZE_MAX, 0);
    if (!r->gave_up && (st || !near))
        yk_supervisor_raise(v, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
    if (v->trip.tripped && v->trip.kind == YK_LIMIT_DIVERGED)
        stop(r, YK_E_DIVERGED, "the motion diverged");
    else if (v->trip.tripped && v->trip.kind == YK_LIMIT_RECORDING)
        stop(r, r->e->station ? YK_E_STOPPED : YK_E_IO, "the recording failed");
    else if (v->trip.tripped)
        stop(r, YK_E_STOPPED, trip_words(r));
    else if (v->state != YK_STATE_RUNNING && v->state != YK_STATE_PAUSED && !last)
        stop(r, YK_E_STOPPED, "stopped by request");
    if (r->result->status && yk_experiment_fault(r->e, r->words, sizeof r->words))
        add_reason(r, ": ", r->words);
}

/* One system step: the method asks, the clock, the station and the second thread answer. */
static void make_step(struct yk_loop *r)
{
    struct yk_motion *m = &r->motion;
    enum yk_need need;
    double t = 0;

    do {
        need = yk_motion_next(m, &t);
        if (need == YK_NEED_COARSE) {
            yk_crew_begin(r->crew);
        } else if (need == YK_NEED_MEETING) {
            await_coarse(r);
        } else if (need == YK_NEED_FORCE) {
            go_to(r, t);
            yk_motion_absorb(m);
        }
        if (m->problem && m->coupling->fine_reached)
            sample_fine(r, m->coupling->fine_t);
    } while (need != YK_NEED_NOTHING && !r->gave_up);
}

/* One system step with its times; waits do not count. */
static enum yk_status advance(struct yk_loop *r)
{
    yk_pacer_part(&r->pacer, YK_LOOP_FINE);
    make_step(r);
    yk_pacer_part(&r->pacer, YK_LOOP_SAMPLE);
    r->took_ns = 0;
    for (int i = 0; i < YK_LOOP_SAMPLE; i++)
        r->took_ns += r->pacer.spent_ns[i];
    yk_timing_add(&r->result->timing, r->took_ns);
    atomic_store_explicit(&r->control->step, r->motion.step, memory_order_relaxed);
    return yk_motion_status(&r->motion);
}

/* The row of the step that was made, and whether there is another. */
static void take_row(struct yk_loop *r, enum yk_status st)
{
    bool near = true;

    if (!r->gave_up) { /* otherwise the coarse side may still be writing */
        near = yk_samples_step(&r->samples);
        push(r, YK_STREAM_SYSTEM);
        post_when_due(r);
    }
    yk_pacer_step(&r->pacer);
    if (r->supervisor->one_step && r->motion.step > 0)
        yk_supervisor_event(r->supervisor, YK_EVENT_PAUSE);
    take_requests(r);
    judge(r, st, near);
    r->goes_on = !r->result->status && r->motion.step < r->e->steps;
}

void yk_loop_step(struct yk_loop *r)
{
    const enum yk_status st = advance(r);

    if (r->reference.own && !st && yk_reference_advance(&r->reference)) {
        yk_supervisor_raise(r->supervisor, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
        stop(r, YK_E_DIVERGED, "the reference solution diverged");
        r->goes_on = false;
        return;
    }
    take_row(r, st);
}

/* The rows of t = 0. */
static void take_first_rows(struct yk_loop *r)
{
    if (r->motion.problem)
        sample_fine(r, 0);
    if (!r->e->station)
        go_to(r, 0);
    take_row(r, YK_OK);
}

/* Somebody else moves the specimens, step by step, until the end or a reason to stop. */
static void follow_driver(struct yk_loop *r)
{
    const struct yk_driver *d = r->settings->driver;
    const double dt = r->e->time.step;

    for (;;) {
        take_requests(r);
        judge(r, YK_OK, true);
        if (r->result->status)
            return;
        const enum yk_drive next = d->next(d->self, (double)(r->motion.step + 1) * dt);

        if (next == YK_DRIVE_END)
            break;
        if (next == YK_DRIVE_MOVE) {
            r->motion.step++;
            go_to(r, (double)r->motion.step * dt);
            atomic_store_explicit(&r->control->step, r->motion.step, memory_order_relaxed);
        } else if (r->settings->realtime) {
            tick(r);
        } else {
            post_when_due(r);
        }
        yk_pacer_step(&r->pacer);
    }
    if (d->reason && *d->reason(d->self))
        stop(r, YK_E_STOPPED, d->reason(d->self));
}

/* Is there time for what must be computed between two beats? */
static enum yk_status check_share(const struct yk_loop *r, struct yk_err *err)
{
    const struct yk_experiment *e = r->e;
    struct yk_compute_share share;
    enum yk_status st = yk_compute_share(r->plan, r->settings->threads, &share, err);

    if (st || share.share <= FITS)
        return st;
    return yk_fail_at(
        err, YK_E_UNSUPPORTED, e->method_where,
        "real time: %s needs %.3g us within %.3g us, %.0f %% of the time there is (measured here); %s a longer "
        "time.step, or time.scale = %.2g and more",
        yk_experiment_method(e), 1e6 * share.first_s, 1e6 * share.period_s, 100 * share.share,
        !e->coupling ? "use"
        : e->coupling->caps & YK_COUPLING_PARALLEL
            ? "use --threads 2,"
            : "use a method whose sides run in parallel (iplsrt2, plsrt2, pm, mph, state-space),",
        e->time.scale * share.share / FITS);
}

/* Actuators faster than the test was designed for are moved only where the file says so. A rig elsewhere has a clock of
 * its own, which a run that is not paced follows: it would not be stretched. */
static enum yk_status check_scale(const struct yk_experiment *e, const struct yk_run_settings *settings,
                                  struct yk_err *err)
{
    const double scale = e->time.scale;
    void *self;
    const bool elsewhere = e->station && !(yk_station_rig(e->station, &self)->can & YK_RIG_SIMULATES);

    if (e->station && scale < 1 && !e->time.faster_than_real && (settings->realtime || elsewhere))
        return yk_fail_at(err, YK_E_UNSUPPORTED, e->scale_where,
                          "scale = %g moves the actuators %.3g times as fast as in the test that the file describes; "
                          "1 and more are allowed, or set time.faster_than_real: true",
                          scale, 1 / scale);
    if (elsewhere && scale != 1 && !settings->realtime)
        return yk_fail_at(err, YK_E_UNSUPPORTED, e->scale_where,
                          "scale = %g needs --realtime with a rig outside this process, which would otherwise move at "
                          "its own pace; or set time.scale to 1",
                          scale);
    return YK_OK;
}

/* A rig with a clock plays the commands of a play-out one in a tick. A run that is not paced would send them faster. */
static enum yk_status check_clocks(const struct yk_experiment *e, const struct yk_run_settings *settings,
                                   struct yk_err *err)
{
    const char *name = e->station && !settings->realtime ? "" : NULL;

    for (size_t k = 0; name; k++) {
        const struct yk_remote *remote = session_with(e->station, k, &name);

        if (remote && remote->own_clock && remote->playout)
            return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(e->path),
                              "rig%s%s: it has its own clock and a playout of %zu ticks, which needs a paced run: use "
                              "--realtime, or serve the rig without --clock",
                              *name ? " " : "", name, remote->playout);
    }
    return YK_OK;
}

/* A rig that may keep a tick waiting for longer than the tick lasts makes the pace depend on it. */
static void check_wait(const struct yk_loop *r)
{
    struct yk_pace_report *pace = r->result->pace;
    const size_t used = strlen(pace->degraded);
    void *self;
    const struct yk_rig_ops *rig = yk_station_rig(r->e->station, &self);
    const double wait = rig->worst_wait_s ? rig->worst_wait_s(self) : 0;

    if (wait > pace->period_s)
        snprintf(pace->degraded + used, sizeof pace->degraded - used,
                 "%sa wait for the rig may last %g s, longer than the control period of %g s: set rig.settings.wait, "
                 "or serve the rig with its own clock",
                 used ? "; " : "", wait, pace->period_s);
}

/* Everything is there: from here on the loop allocates nothing. */
static void arm(struct yk_loop *r)
{
    struct yk_pace_report *pace = r->result->pace;
    pace->scale = r->e->time.scale;
    pace->paced = r->settings->realtime;
    if (r->settings->realtime) {
        pace->period_s = r->supervisor->followed_s;
        if (!r->settings->clock) /* another clock asks nothing of this machine */
            yk_realtime_enter(&r->rights, r->settings,
                              r->helper ? yk_helper_thread(r->helper) : yk_crew_thread(r->crew), pace->degraded,
                              sizeof pace->degraded);
        if (r->e->station) {
            check_wait(r);
            r->pacer.rig = yk_station_rig(r->e->station, &r->pacer.rig_self);
        }
        yk_crew_poll(r->crew, POLL_NS);
    }
    r->pacer.clock = r->settings->clock;
    r->pacer.listen = on_long_wait;
    r->pacer.listen_self = r;
    r->pacer.spin_ns = (int64_t)(1e9 * r->settings->spin_s);
    yk_pacer_begin(&r->pacer, pace->paced ? (int64_t)llround(1e9 * pace->period_s) : 0, pace);
}

/* The supervisor of the station, or one without actuators, which knows pauses and stalls all the same. */
static void take_supervisor(struct yk_loop *r)
{
    const struct yk_limits limits = yk_limits_defaults();

    r->supervisor = r->e->station ? yk_station_supervisor(r->e->station) : &r->own;
    if (r->e->station)
        return;
    yk_supervisor_init(&r->own, &limits, NULL, 0, yk_tick_of(yk_fine_step(r->e), r->e->time.scale));
    yk_supervisor_rest(&r->own, NULL, NULL, NULL);
    yk_supervisor_event(&r->own, YK_EVENT_ARM);
    yk_supervisor_event(&r->own, YK_EVENT_START);
}

/* The actuators go to the start; then the run begins with what is measured there. */
static enum yk_status begin(struct yk_loop *r, struct yk_err *err)
{
    enum yk_status st = yk_station_begin(r->e->station, r->settings->approach, err);

    if (st)
        return st;
    while (r->supervisor->state == YK_STATE_STARTING)
        tick(r);
    if (yk_motion_start(&r->motion))
        yk_supervisor_raise(r->supervisor, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
    if (r->settings->driver)
        r->settings->driver->begin(r->settings->driver->self, r->e);
    return YK_OK;
}

/* A driver has one target in each step, and only the ticks are recorded. */
static enum yk_status open_driven(struct yk_loop *r, struct yk_err *err)
{
    if (!r->e->station)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(r->e->path),
                          "no substructure is physical: there is nothing to move");
    for (int stream = 0; stream < YK_STREAM_TICKS; stream++)
        r->samples.channels.sets[stream].count = 0;
    r->samples.number[YK_STREAM_TICKS] = 0;
    return yk_station_prepare(r->e->station, r->e->time.step, 1, err);
}

void yk_loop_attach(struct yk_loop *r)
{
    if (r->motion.coupling) {
        r->motion.coupling->on_part = on_part;
        r->motion.coupling->on_part_self = r;
    }
}

void yk_loop_detach(struct yk_loop *r)
{
    if (r->motion.coupling) {
        r->motion.coupling->on_part = NULL;
        r->motion.coupling->on_part_self = NULL;
    }
}

enum yk_status yk_loop_open(struct yk_loop *r, struct yk_err *err)
{
    enum yk_status st;

    r->e = yk_plan_experiment(r->plan);
    r->fine_step = -1;
    r->samples = (struct yk_samples){.motion = &r->motion, .reference = &r->reference, .result = r->result};

    if ((st = yk_run_check(r->plan, r->settings, err)) ||
        (r->settings->realtime && !r->settings->driver && (st = check_share(r, err))) ||
        (st = yk_plan_motion(r->plan, &r->motion, err)))
        return st;
    r->e = r->motion.experiment;
    if (r->settings->reference)
        yk_reference_share(&r->reference, r->settings->reference);
    if ((st = yk_samples_open(&r->samples, err)) ||
        (r->e->reference && !r->reference.own && !r->settings->driver &&
         (st = yk_reference_open(&r->reference, r->plan, r->settings->realtime, err))))
        return st;
    if (r->settings->driver && (st = open_driven(r, err)))
        return st;
    if (r->motion.problem && r->settings->threads > 1 && (st = yk_crew_hire(&r->crew, r->motion.coupling, err)))
        return st;
    if ((st = yk_crew_help(&r->helper, &r->motion, r->settings->threads, err)))
        return st;
    take_supervisor(r);
    yk_loop_attach(r);
    if (yk_motion_start(&r->motion))
        return yk_fail_at(err, YK_E_DIVERGED, YK_IN_FILE(r->e->path), "the force at t = 0 is not a finite number");
    arm(r);
    if (r->e->station && (st = begin(r, err)))
        return st;
    if (!r->settings->driver)
        take_first_rows(r);
    return YK_OK;
}

void yk_loop_close(struct yk_loop *r)
{
    yk_realtime_leave(&r->rights);
    yk_crew_dismiss(r->crew);
    yk_helper_dismiss(r->helper);
    yk_reference_close(&r->reference);
    yk_samples_close(&r->samples); /* its channels know the experiment of the motion */
    yk_motion_close(&r->motion);
}

/* What is left of a run when its loop has ended, while the pace is still kept. */
void yk_loop_conclude(struct yk_loop *r)
{
    struct yk_run_result *result = r->result;
    const struct yk_experiment *e = r->e;
    const bool tripped = r->supervisor->trip.tripped;

    keep_tracking(r);
    result->steps = r->motion.step;
    result->finished = (r->settings->driver || r->motion.step == e->steps) && !result->status;
    if (e->station) { /* however the run ended, the actuators come to rest */
        yk_station_retire(e->station);
        while (yk_station_is_moving(e->station))
            tick(r);
        yk_station_end(e->station);
        keep_wire(r);
    }
    if (!result->status && r->supervisor->trip.tripped)
        stop(r, YK_E_STOPPED, trip_words(r));
    else if (!tripped && r->supervisor->trip.tripped)
        add_reason(r, "; on the way back: ", trip_words(r));
    keep_findings(r);
    result->trip = r->supervisor->trip;
    result->state = r->supervisor->state;
    result->warnings = r->supervisor->warnings;
    yk_trip_text(&r->supervisor->warning, names_of(r), result->warning, sizeof result->warning);
    yk_trip_text(&result->trip, names_of(r), result->tripped, sizeof result->tripped);
    result->warned = r->supervisor->warning;
    free(result->journal);
    result->journal = yk_journal_copy(&r->control->journal);
    if (r->reference.own) {
        const struct yk_reference *ref = &r->reference;

        result->has_reference = true;
        result->error_u = yk_deviation_nrms(&ref->of_u, sqrt(ref->of_u.error));
        result->error_v = yk_deviation_nrms(&ref->of_v, sqrt(ref->of_v.error));
        result->error_u_max = ref->of_u.peak;
        if (ref->of->in_full)
            snprintf(result->reference_note, sizeof result->reference_note,
                     "computed with the full models, not with the reduced ones");
        else if (*ref->of->note)
            snprintf(result->reference_note, sizeof result->reference_note,
                     "computed with the reduced models, so it does not show the error of the reduction: %s",
                     ref->of->note);
    }
}

struct yk_run_settings yk_run_defaults(void)
{
    return (struct yk_run_settings){
        .threads = 1, .priority = 80, .cpu = -2, .coarse_cpu = -2, .spin_s = 1e-9 * YK_CLOCK_SPIN_NS};
}

void yk_run_result_free(struct yk_run_result *result)
{
    free(result->peaks);
    free(result->pace);
    free(result->journal);
    result->journal = NULL;
    result->peaks = NULL;
    result->pace = NULL;
}

enum yk_status yk_run_check(const struct yk_plan *plan, const struct yk_run_settings *settings, struct yk_err *err)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);

    if (e->reference && !settings->reference && !settings->driver && !yk_plan_reference(plan))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(e->path),
                          "the plan was made without the reference; see yk_plan_complete");
    struct yk_channels channels;
    enum yk_status st = check_scale(e, settings, err);

    if (st || (st = check_clocks(e, settings, err)) || (st = yk_channels_open(&channels, yk_plan_first(plan), err)))
        return st;
    yk_channels_close(&channels);
    return YK_OK;
}

enum yk_status yk_run(const struct yk_plan *plan, const struct yk_run_settings *settings, struct yk_recorder *recorder,
                      struct yk_run_control *control, struct yk_run_result *result, struct yk_err *err)
{
    struct yk_loop r = {.plan = plan, .recorder = recorder, .result = result, .settings = settings, .control = control};
    const int64_t begin = yk_clock_now_ns();
    enum yk_status st;

    *result = (struct yk_run_result){.pace = calloc(1, sizeof *result->pace), .began_ns = begin};
    st = result->pace ? yk_loop_open(&r, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st) {
        if (settings->driver)
            follow_driver(&r);
        while (r.goes_on)
            yk_loop_step(&r);
        yk_loop_conclude(&r);
        if (settings->telemetry)
            post(&r, true);
    }
    result->wall_s = 1e-9 * (double)(yk_clock_now_ns() - begin);
    yk_loop_close(&r);
    return st;
}
