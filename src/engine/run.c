/* A run: as fast as possible, or paced in real time; the rows of samples.c go through the recorder's ring. What is
 * refused before it: run_checks.c; what is kept of it: run_result.c. */
#include "base/clock.h"
#include "engine/engine.h"
#include "state/state.h"

#include "engine/loop.h"
#include "engine/static_driver.h"

#include <math.h>
#include <stdlib.h>

enum { IDLE_NS = 10000000 }; /* a look at the requests while an unpaced run is paused */
enum { MEET_NS = 20000 };    /* a look at the coarse side while the fine one waits */
enum { POLL_NS = 50000 };    /* the coarse side looks for work */
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
    if (r->beat.paced) {
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
        const struct yk_tracking_indices indices = yk_station_tracking(r->state.station, i);
        const struct yk_compensated compensated = yk_station_compensated(r->state.station, i);

        r->beat.tracks[i] = (struct yk_telemetry_track){.nrms = indices.nrms,
                                                        .delay_s = indices.delay_s,
                                                        .lead_s = compensated.lead_s,
                                                        .estimated_s = compensated.estimated_s,
                                                        .growth = r->beat.supervisor->supervised[i].energy.growth};
    }
}

/* The verdict so far, on measures that accumulate during the run; those of the whole run come with the summary. */
YK_RT static void tell_verdict(const struct yk_loop *r, struct yk_telemetry_posted *posted)
{
    const struct yk_run_result *result = r->result;
    const struct yk_course *c = &result->course;
    struct yk_measures m;
    struct yk_judgement v;

    yk_measures_clear(&m);
    for (size_t i = 0; i < c->actuators && r->state.step >= YK_SHORTEST; i++) {
        const struct yk_tracking_indices tracked = yk_station_tracking(r->state.station, i);
        const struct yk_compensated compensated = yk_station_compensated(r->state.station, i);

        yk_course_measure(c, i, &tracked, &compensated, NAN, result->energy_scale, &m);
    }
    if (r->state.step >= YK_SHORTEST) {
        yk_measures_add(&m, YK_JUDGED_ENERGY, posted->now.energy_error, -1);
        yk_measures_add(&m, YK_JUDGED_REFERENCE, posted->now.error_u, -1);
        if (r->model->row_count && result->largest_u > 0)
            yk_measures_add(&m, YK_JUDGED_GAPS, result->drift_u / result->largest_u, -1);
    }
    yk_judge_measures(&r->model->quality, &m, &v);
    posted->level = v.level;
    posted->criterion = v.count ? 1 + (int64_t)v.reasons[0].criterion : 0;
    posted->culprit = v.count ? v.reasons[0].actuator : -1;
    posted->found = v.count ? v.reasons[0].value : 0;
    posted->bound = v.count ? v.reasons[0].bound : 0;
}

/* Numbers of the run for a post, beside those of its beat. */
YK_RT static void tell(void *self, struct yk_telemetry_now *now, bool ended)
{
    struct yk_loop *r = self;
    const struct yk_run_result *result = r->result;

    now->step = r->state.step;
    now->took_ns = r->took_ns;
    now->largest_took_ns = result->timing.largest_ns;
    now->energy_error = result->energy_scale > 0 ? result->energy_error / result->energy_scale : 0;
    now->drift_u = result->drift_u;
    now->drift_v = result->drift_v;
    now->error_u =
        r->reference.own ? yk_deviation_nrms(&r->reference.of_u, sqrt(r->reference.of_u.error)) : (double)NAN;
    tell_verdict(r, &r->beat.telemetry);
    if (r->state.station)
        see_tracking(r);
}

/* ---- beats ---- */

/* A control mode that an operator asked for. */
YK_RT static void take_mode(struct yk_loop *r)
{
    const unsigned asked = atomic_exchange_explicit(&r->control->mode, 0, memory_order_acquire);

    if (asked && !yk_station_ask_mode(r->state.station, asked / 4 - 1, (enum yk_mode)(asked % 4)))
        yk_run_notice(r->control, "the control mode cannot be changed now");
}

/* Takes the requests of operators since the last call, and shows them state and tick. */
YK_RT static void take_requests(void *self)
{
    struct yk_loop *r = self;
    const char *noticed = r->state.station ? yk_station_noticed(r->state.station) : NULL;
    static const enum yk_event operator_events[] = {YK_EVENT_PAUSE, YK_EVENT_RESUME, YK_EVENT_STEP, YK_EVENT_ABORT};
    unsigned requests = 0;

    if (noticed)
        yk_run_notice(r->control, noticed);
    if (atomic_load_explicit(&r->control->requests, memory_order_relaxed))
        requests = atomic_exchange_explicit(&r->control->requests, 0, memory_order_acquire);
    for (size_t i = 0; requests && i < sizeof operator_events / sizeof *operator_events; i++)
        if (requests & 1u << operator_events[i])
            yk_supervisor_event(r->beat.supervisor, operator_events[i]);
    if (r->beat.supervisor->switches && atomic_load_explicit(&r->control->mode, memory_order_relaxed))
        take_mode(r);
    atomic_store_explicit(&r->control->state, (int)r->beat.supervisor->state, memory_order_relaxed);
    atomic_store_explicit(&r->control->tick, r->beat.supervisor->tick, memory_order_relaxed);
}

/* Waits for the next beat, then takes the requests of operators. */
static void await_beat(struct yk_loop *r)
{
    yk_beat_await(&r->beat, r->state.step, r->beat.supervisor->state == YK_STATE_PAUSED ? IDLE_NS : 0);
    take_requests(r);
    yk_beat_post_when_due(&r->beat);
}

/* Would the answer have come in time in a paced run? Only for rigs in another process. */
YK_RT static void time_answer(struct yk_loop *r)
{
    struct yk_pace_report *pace = r->result->pace;
    const double took_s = r->beat.supervisor->waited_s;

    if (!(took_s > 0) || !yk_supervisor_chained(r->beat.supervisor))
        return;
    pace->asked++;
    pace->answered_late += took_s > r->beat.supervisor->tick_s;
    pace->longest_answer_s = fmax(pace->longest_answer_s, took_s);
}

/* One control tick. */
static void tick(struct yk_loop *r)
{
    struct yk_station *station = r->state.station;

    r->samples.ticks += r->beat.supervisor->tick_s / r->beat.supervisor->followed_s;
    await_beat(r);
    yk_beat_exchange(&r->beat, NULL);
    if (!r->beat.paced)
        time_answer(r);
    yk_samples_tick(&r->samples, r->beat.supervisor);
    push(r, YK_STREAM_TICKS);
    yk_pacer_part(&r->beat.pacer, YK_LOOP_FINE);
    yk_station_observe(station);
    yk_course_tick(&r->result->course, station);
}

/* Moves the actuators to their targets, tick by tick, until time t; without actuators, paces the fine steps. A pause
 * waits here. */
static void go_to(struct yk_loop *r, double t)
{
    /* t is a product of counts and steps: what lies above a fine step by rounding belongs to it */
    const long fine_step = (long)ceil(t / yk_fine_step(r->model) - 1e-6), behind = fine_step - r->fine_step;

    if (r->state.station) {
        yk_station_depart(r->state.station, t);
        while (yk_station_under_way(r->state.station))
            tick(r);
        return;
    }
    if (behind == 0)
        return; /* a later stage of the same fine step */
    r->fine_step = fine_step;
    r->beat.pacer.beat += behind - 1;
    do
        await_beat(r);
    while (r->beat.supervisor->state == YK_STATE_PAUSED);
}

/* The coarse side is needed and not there yet: the rig is kept on hold tick by tick, but not for ever. */
static void await_coarse(struct yk_loop *r)
{
    const double limit = r->beat.supervisor->limits.limit[YK_LIMIT_COARSE_WAIT],
                 longest = limit > 0 ? limit : LONGEST_MEETING_S;
    const int64_t begin = yk_pacer_now(&r->beat.pacer);

    if (!r->beat.paced)
        yk_crew_await(r->crew);
    while (!yk_crew_has_finished(r->crew)) {
        const int64_t now = yk_pacer_now(&r->beat.pacer);
        const double waited = 1e-9 * (double)(now - begin);

        if (waited > longest) {
            yk_supervisor_raise(r->beat.supervisor, YK_LIMIT_COARSE_WAIT, SIZE_MAX, waited);
            r->gave_up = true;
            return;
        }
        take_requests(r);
        yk_pacer_period(&r->beat.pacer, yk_beat_period(&r->beat));
        if (now < yk_pacer_next(&r->beat.pacer)) {
            yk_pacer_sleep(&r->beat.pacer, MEET_NS);
            continue;
        }
        r->beat.pacer.coarse_late = true;
        if (r->state.station)
            tick(r);
        else
            await_beat(r);
    }
    r->beat.pacer.spent_ns[YK_LOOP_COARSE] += yk_crew_took_ns(r->crew);
    yk_coupling_meet(r->state.coupling, yk_crew_status(r->crew));
}

/* ---- steps ---- */

/* Stages of a coupling, for the times of the loop. */
YK_RT static void on_part(void *self, enum yk_step_part stage)
{
    static const enum yk_loop_part stages[] = {
        [YK_STEP_PART_COARSE] = YK_LOOP_COARSE, [YK_STEP_PART_FINE] = YK_LOOP_FINE, [YK_STEP_PART_SYNC] = YK_LOOP_SYNC};
    struct yk_loop *r = self;

    yk_pacer_part(&r->beat.pacer, stages[stage]);
}

/* Samples and posts a fine substep. */
static void sample_fine(struct yk_loop *r, double t)
{
    if (!r->recorder && !r->rows && !r->settings->telemetry)
        return;
    yk_pacer_part(&r->beat.pacer, YK_LOOP_SAMPLE);
    yk_samples_fine(&r->samples, t);
    push(r, YK_STREAM_FINE);
    yk_pacer_part(&r->beat.pacer, YK_LOOP_FINE);
}

/* One system step: the method asks, the clock, the station and the second thread answer. */
static void make_step(struct yk_loop *r)
{
    struct yk_state *m = &r->state;
    enum yk_need need;
    double t = 0;

    do {
        need = yk_state_next(m, &t);
        if (need == YK_NEED_COARSE) {
            yk_crew_begin(r->crew);
        } else if (need == YK_NEED_MEETING) {
            await_coarse(r);
        } else if (need == YK_NEED_FORCE) {
            go_to(r, t);
            yk_state_absorb(m);
        }
        if (m->problem && m->coupling->fine_reached)
            sample_fine(r, m->coupling->fine_t);
    } while (need != YK_NEED_NOTHING && !r->gave_up);
}

/* One system step with its times; waits do not count. */
static enum yk_status advance(struct yk_loop *r)
{
    yk_pacer_part(&r->beat.pacer, YK_LOOP_FINE);
    make_step(r);
    yk_pacer_part(&r->beat.pacer, YK_LOOP_SAMPLE);
    r->took_ns = 0;
    for (int i = 0; i < YK_LOOP_SAMPLE; i++)
        r->took_ns += r->beat.pacer.spent_ns[i];
    yk_timing_add(&r->result->timing, r->took_ns);
    atomic_store_explicit(&r->control->step, r->state.step, memory_order_relaxed);
    return yk_state_status(&r->state);
}

/* The row of the step that was made, and whether there is another. */
static void take_row(struct yk_loop *r, enum yk_status st)
{
    bool near = true;

    if (!r->gave_up) { /* otherwise the coarse side may still be writing */
        near = yk_samples_step(&r->samples);
        yk_supervisor_converged(r->beat.supervisor, r->samples.converged);
        push(r, YK_STREAM_SYSTEM);
        yk_beat_post_when_due(&r->beat);
    }
    yk_pacer_step(&r->beat.pacer);
    if (r->beat.supervisor->one_step && r->state.step > 0)
        yk_supervisor_event(r->beat.supervisor, YK_EVENT_PAUSE);
    take_requests(r);
    yk_loop_judge(r, st, near);
    r->goes_on = !r->result->status && r->state.step < r->model->steps;
}

/* s between two targets of somebody else. */
static double driven_step(const struct yk_loop *r)
{
    return r->settings->driver->step > 0 ? r->settings->driver->step : r->model->time.step;
}

/* Somebody else moves the specimens: a step, or the end. */
static bool follow_driver(struct yk_loop *r)
{
    const struct yk_driver *d = r->settings->driver;
    const double dt = driven_step(r);

    take_requests(r);
    yk_loop_judge(r, YK_OK, true);
    if (r->result->status)
        return false;
    const enum yk_drive next = d->next(d->self, (double)(r->state.step + 1) * dt);

    if (next == YK_DRIVE_END) {
        if (d->reason && *d->reason(d->self))
            yk_loop_stop(r, YK_E_STOPPED, d->reason(d->self));
        return false;
    }
    if (next == YK_DRIVE_MOVE) {
        r->state.step++;
        go_to(r, (double)r->state.step * dt);
        atomic_store_explicit(&r->control->step, r->state.step, memory_order_relaxed);
    } else if (r->beat.paced) {
        tick(r);
    } else {
        yk_beat_post_when_due(&r->beat);
    }
    yk_pacer_step(&r->beat.pacer);
    return true;
}

void yk_loop_step(struct yk_loop *r)
{
    if (r->settings->driver) {
        r->goes_on = follow_driver(r);
        return;
    }
    const enum yk_status st = advance(r);

    if (r->reference.own && !st && yk_reference_advance(&r->reference)) {
        yk_supervisor_raise(r->beat.supervisor, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
        yk_loop_stop(r, YK_E_DIVERGED, "the reference solution diverged");
        r->goes_on = false;
        return;
    }
    take_row(r, st);
}

/* The rows of t = 0. */
static void take_first_rows(struct yk_loop *r)
{
    if (r->state.problem)
        sample_fine(r, 0);
    if (!r->state.station)
        go_to(r, 0);
    take_row(r, YK_OK);
}

/* Everything is there: from here on the loop allocates nothing. */
static void arm(struct yk_loop *r)
{
    struct yk_beat *b = &r->beat;

    b->settings = r->settings;
    b->station = r->state.station;
    b->pace = r->result->pace;
    b->pace->scale = r->model->time.scale;
    b->pace->period_s = b->supervisor->followed_s;
    b->owner = r;
    b->take = take_requests;
    b->tell = tell;
    b->posts = r->settings->telemetry != NULL;
    if (b->paced && r->recorder)
        yk_recorder_touch(r->recorder);
    yk_beat_begin(b, r->helper ? yk_helper_thread(r->helper) : yk_crew_thread(r->crew));
    if (r->settings->realtime && r->state.station)
        yk_loop_check_wait(r);
    if (b->paced)
        yk_crew_poll(r->crew, POLL_NS);
}

/* The supervisor of the station, or one without actuators, which knows pauses and stalls all the same. */
static void take_supervisor(struct yk_loop *r)
{
    r->beat.supervisor = r->state.station ? yk_station_supervisor(r->state.station) : &r->own;
    if (r->state.station)
        return;
    yk_supervisor_init(&r->own, &r->model->limits, NULL, 0, yk_tick_of(yk_fine_step(r->model), r->model->time.scale));
    yk_supervisor_rest(&r->own, NULL, NULL, NULL);
    yk_supervisor_event(&r->own, YK_EVENT_ARM);
    yk_supervisor_event(&r->own, YK_EVENT_START);
}

/* The actuators go to the start; then the run begins with what is measured there. */
static enum yk_status begin(struct yk_loop *r, struct yk_err *err)
{
    enum yk_status st = yk_station_begin(r->state.station, r->settings->approach, err);

    if (st)
        return st;
    while (r->beat.supervisor->state == YK_STATE_STARTING || yk_supervisor_awaits_plc(r->beat.supervisor))
        tick(r);
    if (yk_state_start(&r->state))
        yk_supervisor_raise(r->beat.supervisor, YK_LIMIT_DIVERGED, SIZE_MAX, 0);
    if (r->settings->driver)
        r->settings->driver->begin(r->settings->driver->self, &r->state);
    return YK_OK;
}

/* A driver has one target in each step, and only the ticks are recorded. */
static enum yk_status open_driven(struct yk_loop *r, struct yk_err *err)
{
    if (!r->state.station)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(r->model->path),
                          "no substructure is physical: there is nothing to move");
    for (int stream = 0; stream < YK_STREAM_TICKS; stream++)
        r->samples.channels.sets[stream].count = 0;
    r->samples.number[YK_STREAM_TICKS] = 0;
    return yk_station_prepare(r->state.station, driven_step(r), 1, err);
}

void yk_loop_attach(struct yk_loop *r)
{
    if (r->state.coupling) {
        r->state.coupling->on_part = on_part;
        r->state.coupling->on_part_self = r;
    }
}

void yk_loop_detach(struct yk_loop *r)
{
    if (r->state.coupling) {
        r->state.coupling->on_part = NULL;
        r->state.coupling->on_part_self = NULL;
    }
}

enum yk_status yk_loop_open(struct yk_loop *r, struct yk_err *err)
{
    enum yk_status st;

    r->beat.paced = yk_run_is_paced(r->model, r->settings);
    r->beat.paces_motions = yk_moves_elsewhere(r->model);
    r->fine_step = -1;
    r->samples = (struct yk_samples){.state = &r->state, .reference = &r->reference, .result = r->result};

    if (r->model->static_path && !r->settings->driver)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(r->model->path),
                          "analysis: static is a run as a whole; sessions make the steps of a method");
    if ((st = yk_run_check(r->model, r->settings, err)) ||
        (r->settings->realtime && !r->settings->driver && (st = yk_loop_check_share(r, err))) ||
        (st = yk_model_state(r->model, &r->state, err)))
        return st;
    if (r->settings->reference)
        yk_reference_share(&r->reference, r->settings->reference);
    if ((st = yk_samples_open(&r->samples, err)) ||
        (r->model->reference && !r->reference.own && !r->settings->driver &&
         (st = yk_reference_open(&r->reference, r->model, r->beat.paced, err))))
        return st;
    if (r->settings->driver && (st = open_driven(r, err)))
        return st;
    if (r->state.problem && r->settings->threads > 1 && (st = yk_crew_hire(&r->crew, r->state.coupling, err)))
        return st;
    if ((st = yk_crew_help(&r->helper, &r->state, r->settings->threads, err)))
        return st;
    take_supervisor(r);
    yk_course_begin(&r->result->course, &r->state);
    yk_run_look_at_loads(r->model, &r->result->course.loads);
    yk_loop_attach(r);
    if (yk_state_start(&r->state))
        return yk_state_no_start(&r->state, YK_E_DIVERGED, err);
    arm(r);
    if (r->state.station && (st = begin(r, err)))
        return st;
    r->goes_on = true;
    if (!r->settings->driver)
        take_first_rows(r);
    return YK_OK;
}

void yk_loop_close(struct yk_loop *r)
{
    yk_beat_end(&r->beat);
    yk_crew_dismiss(r->crew);
    yk_helper_dismiss(r->helper);
    yk_reference_close(&r->reference);
    yk_samples_close(&r->samples); /* its channels know the model of the state */
    yk_state_close(&r->state);
}

/* However the run ended, the actuators come to rest, while the pace is still kept. */
void yk_loop_conclude(struct yk_loop *r)
{
    struct yk_station *station = r->state.station;
    const bool tripped = r->beat.supervisor->trip.tripped;

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

enum yk_status yk_run(const struct yk_model *model, const struct yk_run_settings *settings,
                      struct yk_recorder *recorder, struct yk_run_control *control, struct yk_run_result *result,
                      struct yk_err *err)
{
    struct yk_loop r = {
        .model = model, .recorder = recorder, .result = result, .settings = settings, .control = control};
    const int64_t begin = yk_clock_now_ns();
    enum yk_status st;

    struct yk_run_settings led = *settings;
    struct yk_static_driver leader = {0};

    *result = (struct yk_run_result){
        .pace = calloc(1, sizeof *result->pace), .began_ns = begin, .commissioning = settings->commissioning};
    st = result->pace ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && model->static_path && !settings->driver && !(st = yk_static_driver_open(&leader, model, result, err))) {
        led.driver = &leader.driver;
        r.settings = &led;
    }
    if (!st)
        st = yk_loop_open(&r, err);
    if (!st) {
        while (r.goes_on)
            yk_loop_step(&r);
        yk_loop_conclude(&r);
        if (settings->telemetry)
            yk_beat_post(&r.beat, true);
    }
    result->wall_s = 1e-9 * (double)(yk_clock_now_ns() - begin);
    yk_loop_close(&r);
    yk_static_driver_close(&leader);
    return st;
}
