/* A run: as fast as possible, or paced in real time; the rows of samples.c go through the recorder's ring. What is
 * refused before it: run_checks.c; what is kept of it: run_result.c. */
#include "base/clock.h"
#include "engine/engine.h"
#include "plan/plan.h"

#include "engine/loop.h"

#include <math.h>
#include <stdlib.h>

enum { IDLE_NS = 10000000 }; /* a look at the requests while an unpaced run is paused */
enum { MEET_NS = 20000 };    /* a look at the coarse side while the fine one waits */
enum { POLL_NS = 50000 };    /* the coarse side looks for work */
enum { POST_NS = 20000000 }; /* the state is posted at least as often, and whenever it changes */
#define LONGEST_MEETING_S 10.0

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
    if (r->paced) {
        r->result->dropped += !yk_recorder_push(r->recorder, number, row);
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
    const char *noticed = r->e->station ? yk_station_noticed(r->e->station) : NULL;
    static const enum yk_event operator_events[] = {YK_EVENT_PAUSE, YK_EVENT_RESUME, YK_EVENT_STEP, YK_EVENT_ABORT};
    unsigned requests = 0;

    if (noticed)
        yk_run_notice(r->control, noticed);
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
    if (r->paced || (r->paces_motions && !yk_supervisor_chained(r->supervisor))) {
        yk_pacer_period(&r->pacer, period_of(r));
        yk_pacer_judge(&r->pacer, r->supervisor, yk_pacer_beat(&r->pacer, r->motion.step));
    } else {
        r->pacer.beat = 0; /* deadlines begin anew */
        if (r->supervisor->state == YK_STATE_PAUSED)
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
    /* t is a product of counts and steps: what lies above a fine step by rounding belongs to it */
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

    if (!r->paced)
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
        yk_supervisor_converged(r->supervisor, r->samples.converged);
        push(r, YK_STREAM_SYSTEM);
        post_when_due(r);
    }
    yk_pacer_step(&r->pacer);
    if (r->supervisor->one_step && r->motion.step > 0)
        yk_supervisor_event(r->supervisor, YK_EVENT_PAUSE);
    take_requests(r);
    yk_loop_judge(r, st, near);
    r->goes_on = !r->result->status && r->motion.step < r->e->steps;
}

void yk_loop_step(struct yk_loop *r)
{
    const enum yk_status st = advance(r);

    if (r->reference.own && !st && yk_reference_advance(&r->reference)) {
        yk_supervisor_raise(r->supervisor, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
        yk_loop_stop(r, YK_E_DIVERGED, "the reference solution diverged");
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
        yk_loop_judge(r, YK_OK, true);
        if (r->result->status)
            return;
        const enum yk_drive next = d->next(d->self, (double)(r->motion.step + 1) * dt);

        if (next == YK_DRIVE_END)
            break;
        if (next == YK_DRIVE_MOVE) {
            r->motion.step++;
            go_to(r, (double)r->motion.step * dt);
            atomic_store_explicit(&r->control->step, r->motion.step, memory_order_relaxed);
        } else if (r->paced) {
            tick(r);
        } else {
            post_when_due(r);
        }
        yk_pacer_step(&r->pacer);
    }
    if (d->reason && *d->reason(d->self))
        yk_loop_stop(r, YK_E_STOPPED, d->reason(d->self));
}

/* Everything is there: from here on the loop allocates nothing. */
static void arm(struct yk_loop *r)
{
    struct yk_pace_report *pace = r->result->pace;

    pace->scale = r->e->time.scale;
    pace->paced = r->paced;
    pace->period_s = r->supervisor->followed_s;
    if (r->settings->realtime) {
        if (!r->settings->clock) /* another clock asks nothing of this machine */
            yk_realtime_enter(&r->rights, r->settings,
                              r->helper ? yk_helper_thread(r->helper) : yk_crew_thread(r->crew), pace->degraded,
                              sizeof pace->degraded);
        if (r->e->station)
            yk_loop_check_wait(r);
    }
    if (r->paced)
        yk_crew_poll(r->crew, POLL_NS);
    if (r->paced && r->e->station) {
        const struct yk_rig_ops *rig = r->pacer.rig = yk_station_rig(r->e->station, &r->pacer.rig_self);

        if (!r->settings->realtime && rig->worst_wait_s)
            r->pacer.patience_ns = llround(1e9 * rig->worst_wait_s(r->pacer.rig_self));
    }
    if (r->e->station && !yk_station_simulates(r->e->station))
        yk_supervisor_measure(r->supervisor, r->settings->clock);
    r->pacer.patient = !r->settings->realtime;
    r->pacer.clock = r->settings->clock;
    r->pacer.listen = on_long_wait;
    r->pacer.listen_self = r;
    r->pacer.spin_ns = (int64_t)(1e9 * r->settings->spin_s);
    yk_pacer_begin(&r->pacer, r->paced || r->paces_motions ? (int64_t)llround(1e9 * pace->period_s) : 0, pace);
}

/* The supervisor of the station, or one without actuators, which knows pauses and stalls all the same. */
static void take_supervisor(struct yk_loop *r)
{
    r->supervisor = r->e->station ? yk_station_supervisor(r->e->station) : &r->own;
    if (r->e->station)
        return;
    yk_supervisor_init(&r->own, &r->e->limits, NULL, 0, yk_tick_of(yk_fine_step(r->e), r->e->time.scale));
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
    while (r->supervisor->state == YK_STATE_STARTING || yk_supervisor_awaits_plc(r->supervisor))
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
    r->paced = yk_run_is_paced(r->plan, r->settings);
    r->paces_motions = yk_moves_elsewhere(r->e);
    r->fine_step = -1;
    r->samples = (struct yk_samples){.motion = &r->motion, .reference = &r->reference, .result = r->result};

    if ((st = yk_run_check(r->plan, r->settings, err)) ||
        (r->settings->realtime && !r->settings->driver && (st = yk_loop_check_share(r, err))) ||
        (st = yk_plan_motion(r->plan, &r->motion, err)))
        return st;
    r->e = r->motion.experiment;
    if (r->settings->reference)
        yk_reference_share(&r->reference, r->settings->reference);
    if ((st = yk_samples_open(&r->samples, err)) || (r->e->reference && !r->reference.own && !r->settings->driver &&
                                                     (st = yk_reference_open(&r->reference, r->plan, r->paced, err))))
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

/* However the run ended, the actuators come to rest, while the pace is still kept. */
void yk_loop_conclude(struct yk_loop *r)
{
    struct yk_station *station = r->e->station;
    const bool tripped = r->supervisor->trip.tripped;

    yk_loop_keep_course(r);
    if (station) {
        yk_station_retire(station);
        while (yk_station_is_moving(station) || yk_station_lowers_pressure(station))
            tick(r);
        yk_station_end(station);
    }
    yk_loop_keep_end(r, tripped);
}

struct yk_run_settings yk_run_defaults(void)
{
    return (struct yk_run_settings){
        .threads = 1, .priority = 80, .cpu = -2, .coarse_cpu = -2, .spin_s = 1e-9 * YK_CLOCK_SPIN_NS};
}

enum yk_status yk_run(const struct yk_plan *plan, const struct yk_run_settings *settings, struct yk_recorder *recorder,
                      struct yk_run_control *control, struct yk_run_result *result, struct yk_err *err)
{
    struct yk_loop r = {.plan = plan, .recorder = recorder, .result = result, .settings = settings, .control = control};
    const int64_t begin = yk_clock_now_ns();
    enum yk_status st;

    *result = (struct yk_run_result){
        .pace = calloc(1, sizeof *result->pace), .began_ns = begin, .commissioning = settings->commissioning};
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
